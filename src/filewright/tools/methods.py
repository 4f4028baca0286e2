"""The native tools as methods with typed parameters, for the library and the dialects.

The names of the methods are short forms of the tools' names, and their parameters are the
fields of the tools' models; a test compares both. Each method returns its tool's own
result and raises `FilewrightError`. A tool's module is imported when it is first called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Unpack,
    overload,
)

if TYPE_CHECKING:
    from filewright.tools.batch import BatchResult
    from filewright.tools.edit.result import EditResult
    from filewright.tools.history import HistoryResult
    from filewright.tools.listing import ListResult
    from filewright.tools.overview.result import (
        FolderMap,
        ManyOverviews,
        OverviewResult,
    )
    from filewright.tools.patch import PatchResult
    from filewright.tools.read.result import FileRead, FilesRead
    from filewright.tools.replace.replace import ReplaceResult
    from filewright.tools.revert import RevertResult
    from filewright.tools.search.result import SearchResult
    from filewright.tools.status import StatResult
    from filewright.tools.syntax_filter import SyntaxWord
    from filewright.tools.tool import Tool

Case = Literal["smart", "sensitive", "insensitive"]

WriteMode = Literal["create", "overwrite", "append"]

Newline = Literal["lf", "keep"]

DiffMode = Literal["auto", "full", "none"]


class EditPlace(TypedDict):
    """The place of an edit, given by one of its keys."""

    symbol: NotRequired[str | None]
    lines: NotRequired[Sequence[int] | None]
    after: NotRequired[int | str | None]
    before: NotRequired[int | str | None]
    conflict: NotRequired[int | None]
    cell: NotRequired[int | str | None]
    after_cell: NotRequired[int | str | None]
    before_cell: NotRequired[int | str | None]


class MoveSource(TypedDict):
    """Lines or a symbol of a file to move or copy."""

    path: NotRequired[str | None]
    symbol: NotRequired[str | None]
    start_line: NotRequired[int | None]
    end_line: NotRequired[int | None]
    expected_version: NotRequired[str | None]


EditRequest = TypedDict(
    "EditRequest",
    {
        "search": NotRequired[str | None],
        "replace": NotRequired[str | None],
        "replace_all": NotRequired[bool],
        "start_line": NotRequired[int | None],
        "end_line": NotRequired[int | None],
        "delete": NotRequired[bool],
        "take": NotRequired[Literal["ours", "theirs", "both"] | None],
        "from": NotRequired[MoveSource | None],
        "copy": NotRequired[bool],
        "content": NotRequired[str | None],
        "move_to": NotRequired[str | None],
        "at": NotRequired[EditPlace | None],
        "reindent": NotRequired[bool],
        "imports": NotRequired[bool],
        "path": NotRequired[str | None],
        "cell": NotRequired[int | str | None],
        "cell_type": NotRequired[Literal["code", "markdown", "raw"] | None],
        "expected_version": NotRequired[str | None],
        "fuzzy": NotRequired[bool | None],
    },
)
"""An edit; `from` is a keyword, so its keys are given as text."""


class WriteRequest(TypedDict):
    """A file to write."""

    path: str
    content: str
    mode: NotRequired[WriteMode]
    newline: NotRequired[Newline | None]
    expected_version: NotRequired[str | None]


class ReadRequest(TypedDict):
    """A place to read, among several."""

    path: str
    symbol: NotRequired[str | None]
    start: NotRequired[int | None]
    limit: NotRequired[int | None]
    line: NotRequired[int | None]
    pattern: NotRequired[str | None]


class ReadOptions(TypedDict, total=False):
    """The arguments of a read beside the files."""

    mode: Literal["lines", "semantic", "head", "tail"]
    start: int
    limit: int
    max_chars: int | None
    line: int | None
    symbol: str | None
    pattern: str | None
    occurrence: int
    depth: int
    since: str | None
    until: str | None
    rotated: bool
    follow: bool
    cursor: str | None
    wait_seconds: float
    column: int | None
    numbered: bool
    encoding: str | None


class ToolMethods:
    """The native tools as methods. A subclass says with `run_native` where they run."""

    def run_native(self, tool: Tool, arguments: Mapping[str, Any]) -> Any:
        """Run a native tool with arguments as a client sends them, and return its result."""
        raise NotImplementedError

    def _call(self, name: str, /, **arguments: Any) -> Any:
        """Run the tool `name` with the arguments that are not None and not the default.

        A tool may take an argument that is sent for a wish of the caller, even if it has
        the value of the default.
        """
        from filewright.tools.catalogue import load_tool

        tool = load_tool(name)
        fields = tool.arguments.model_fields
        request: dict[str, Any] = {}
        for argument, value in arguments.items():
            default = fields[argument].get_default(call_default_factory=True)
            json_value = _to_json(value)
            if value is not None and json_value != default:
                request[argument] = json_value
        return self.run_native(tool, request)

    @overload
    def read(self, path: str, **options: Unpack[ReadOptions]) -> FileRead: ...

    @overload
    def read(
        self, *, paths: Sequence[str], **options: Unpack[ReadOptions]
    ) -> FilesRead: ...

    @overload
    def read(
        self, *, items: Sequence[ReadRequest], **options: Unpack[ReadOptions]
    ) -> FilesRead: ...

    def read(
        self,
        path: str | None = None,
        *,
        paths: Sequence[str] | None = None,
        items: Sequence[ReadRequest] | None = None,
        mode: Literal["lines", "semantic", "head", "tail"] = "lines",
        start: int = 1,
        limit: int = 500,
        max_chars: int | None = None,
        line: int | None = None,
        symbol: str | None = None,
        pattern: str | None = None,
        occurrence: int = 1,
        depth: int = 1,
        since: str | None = None,
        until: str | None = None,
        rotated: bool = False,
        follow: bool = False,
        cursor: str | None = None,
        wait_seconds: float = 0,
        column: int | None = None,
        numbered: bool = True,
        encoding: str | None = None,
    ) -> FileRead | FilesRead:
        """Read a file, or a place in each of several files."""
        result: FileRead | FilesRead = self._call(
            "read_content",
            path=path,
            paths=paths,
            items=items,
            mode=mode,
            start=start,
            limit=limit,
            max_chars=max_chars,
            line=line,
            symbol=symbol,
            pattern=pattern,
            occurrence=occurrence,
            depth=depth,
            since=since,
            until=until,
            rotated=rotated,
            follow=follow,
            cursor=cursor,
            wait_seconds=wait_seconds,
            column=column,
            numbered=numbered,
            encoding=encoding,
        )
        return result

    def list_files(
        self,
        path: str = ".",
        *,
        glob: str | None = None,
        depth: int = 1,
        details: bool = False,
        sort: Literal["name", "modified", "size"] = "name",
        include_hidden: bool = True,
        include_ignored: bool = False,
        limit: int = 500,
        cursor: str | None = None,
        exclude: Sequence[str] = (),
    ) -> ListResult:
        """List the entries of a folder, a tree, or the files that match a glob."""
        result: ListResult = self._call(
            "list_files",
            path=path,
            glob=glob,
            depth=depth,
            details=details,
            sort=sort,
            include_hidden=include_hidden,
            include_ignored=include_ignored,
            limit=limit,
            cursor=cursor,
            exclude=exclude,
        )
        return result

    def stat(
        self,
        *paths: str,
    ) -> StatResult:
        """Return the status of every path, in order."""
        result: StatResult = self._call(
            "stat_items",
            paths=paths,
        )
        return result

    def get_overview(
        self,
        path: str,
        *,
        symbol: str | None = None,
        max_symbols: int = 300,
        lines: Sequence[int] | None = None,
        depth: int = 0,
        changed_lines: Sequence[Sequence[int]] | None = None,
        changed_kinds: Sequence[Literal["added", "modified", "removed"]]
        | None = None,
        since: str | None = "HEAD",
    ) -> OverviewResult:
        """Outline a file, and describe its content."""
        result: OverviewResult = self._call(
            "get_overview",
            path=path,
            symbol=symbol,
            max_symbols=max_symbols,
            lines=lines,
            depth=depth,
            changed_lines=changed_lines,
            changed_kinds=changed_kinds,
            since=since,
            folders=False,
        )
        return result

    def get_overviews(
        self,
        *paths: str,
    ) -> ManyOverviews:
        """Outline or map every path, in order."""
        result: ManyOverviews = self._call(
            "get_overview",
            paths=paths,
        )
        return result

    def get_map(
        self,
        path: str = ".",
    ) -> FolderMap:
        """Map a folder: languages, entry points, key files, tree."""
        result: FolderMap = self._call(
            "get_overview",
            path=path,
        )
        return result

    def search(
        self,
        pattern: str | None = None,
        path: str = ".",
        *,
        patterns: Sequence[str] | None = None,
        items: Sequence[Mapping[str, Any]] | None = None,
        glob: str | None = None,
        type: str | None = None,
        mode: Literal["literal", "regex", "fuzzy", "code"] = "literal",
        case: Case = "smart",
        whole_word: bool = False,
        multiline: bool = False,
        invert: bool = False,
        without: str | Sequence[str] | None = None,
        only: str | Sequence[SyntaxWord] | None = None,
        context: int | None = None,
        context_before: int | None = None,
        context_after: int | None = None,
        since: str | None = None,
        until: str | None = None,
        where: Mapping[str, Any] | None = None,
        fields: Sequence[str] | None = None,
        by: str | None = None,
        sort: str | None = None,
        trace: bool = False,
        rotated: bool = False,
        output: Literal[
            "matches", "files", "counts", "kinds", "uses"
        ] = "matches",
        max_results: int = 50,
        min_similarity: float = 0.8,
        cursor: str | None = None,
        include_hidden: bool = True,
        include_ignored: bool = False,
        exclude: Sequence[str] = (),
    ) -> SearchResult:
        """Search a file or a tree for one pattern or several."""
        result: SearchResult = self._call(
            "search_content",
            pattern=pattern,
            path=path,
            patterns=patterns,
            items=items,
            glob=glob,
            type=type,
            mode=mode,
            case=case,
            whole_word=whole_word,
            multiline=multiline,
            invert=invert,
            without=without,
            only=only,
            context=context,
            context_before=context_before,
            context_after=context_after,
            since=since,
            until=until,
            where=where,
            fields=fields,
            by=by,
            sort=sort,
            trace=trace,
            rotated=rotated,
            output=output,
            max_results=max_results,
            min_similarity=min_similarity,
            cursor=cursor,
            include_hidden=include_hidden,
            include_ignored=include_ignored,
            exclude=exclude,
        )
        return result

    def edit(
        self,
        path: str | None,
        edits: Sequence[EditRequest],
        *,
        cell: int | str | None = None,
        fuzzy: bool = True,
        preview: bool = False,
        diff: DiffMode = "auto",
        expected_version: str | None = None,
        encoding: str | None = None,
        imports: bool = False,
        in_turn: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> EditResult:
        """Edit the file at `path`, or the file of each edit, as one change."""
        result: EditResult = self._call(
            "edit_content",
            path=path,
            edits=edits,
            cell=cell,
            fuzzy=fuzzy,
            preview=preview,
            diff=diff,
            expected_version=expected_version,
            encoding=encoding,
            imports=imports,
            in_turn=in_turn,
            break_hard_links=break_hard_links,
            undoable=undoable,
        )
        return result

    def apply_patch(
        self,
        patch: str | None = None,
        *,
        patch_path: str | None = None,
        root: str = ".",
        strip: int = 0,
        names: Mapping[str, str] | None = None,
        partial: bool = False,
        preview: bool = False,
        diff: DiffMode = "auto",
        renames: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> PatchResult:
        """Apply a patch to all of its files as one change."""
        result: PatchResult = self._call(
            "apply_patch",
            patch=patch,
            patch_path=patch_path,
            root=root,
            strip=strip,
            names=names,
            partial=partial,
            preview=preview,
            diff=diff,
            renames=renames,
            break_hard_links=break_hard_links,
            undoable=undoable,
        )
        return result

    def replace(
        self,
        pattern: str | None = None,
        replacement: str | None = None,
        path: str = ".",
        *,
        items: Sequence[Mapping[str, Any]] | None = None,
        where: Mapping[str, Any] | None = None,
        set: Mapping[str, Any] | None = None,
        glob: str | None = None,
        include_ignored: bool = False,
        mode: Literal["literal", "regex", "code"] = "literal",
        case: Case = "sensitive",
        whole_word: bool = False,
        only: str | Sequence[SyntaxWord] | None = None,
        multiline: bool = False,
        preview: bool | None = None,
        diff: DiffMode = "auto",
        expected_count: int | None = None,
        max_count: int | None = None,
        max_files: int = 1000,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> ReplaceResult:
        """Replace every match of a pattern; a preview by default."""
        result: ReplaceResult = self._call(
            "replace_content",
            pattern=pattern,
            replacement=replacement,
            path=path,
            items=items,
            where=where,
            set=set,
            glob=glob,
            include_ignored=include_ignored,
            mode=mode,
            case=case,
            whole_word=whole_word,
            only=only,
            multiline=multiline,
            preview=preview,
            diff=diff,
            expected_count=expected_count,
            max_count=max_count,
            max_files=max_files,
            break_hard_links=break_hard_links,
            undoable=undoable,
        )
        return result

    def write(
        self,
        path: str,
        content: str,
        *,
        mode: WriteMode = "create",
        newline: Newline | None = None,
        expected_version: str | None = None,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> BatchResult:
        """Create, overwrite or append to a file."""
        result: BatchResult = self._call(
            "write_content",
            items=[
                {
                    "path": path,
                    "content": content,
                    "mode": mode,
                    "newline": newline,
                    "expected_version": expected_version,
                }
            ],
            break_hard_links=break_hard_links,
            undoable=undoable,
        )
        return result

    def write_all(
        self,
        items: Sequence[WriteRequest],
        *,
        diff: DiffMode = "auto",
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Create, overwrite or append to files, as one change if `atomic`."""
        result: BatchResult = self._call(
            "write_content",
            items=items,
            diff=diff,
            break_hard_links=break_hard_links,
            undoable=undoable,
            atomic=atomic,
        )
        return result

    def create_directories(
        self,
        *paths: str,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Create folders and their parents; existing ones stay as they are."""
        result: BatchResult = self._call(
            "create_directories",
            paths=paths,
            break_hard_links=break_hard_links,
            undoable=undoable,
            atomic=atomic,
        )
        return result

    def move(
        self,
        source: str,
        destination: str,
        *,
        overwrite: bool = False,
        files_only: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Rename a file, link or folder."""
        result: BatchResult = self._call(
            "move_items",
            items=[{"source": source, "destination": destination}],
            overwrite=overwrite,
            files_only=files_only,
            break_hard_links=break_hard_links,
            undoable=undoable,
            atomic=atomic,
        )
        return result

    def copy(
        self,
        source: str,
        destination: str,
        *,
        overwrite: bool = False,
        files_only: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Copy a file, link or folder with mode, times and extended attributes."""
        result: BatchResult = self._call(
            "copy_items",
            items=[{"source": source, "destination": destination}],
            overwrite=overwrite,
            files_only=files_only,
            break_hard_links=break_hard_links,
            undoable=undoable,
            atomic=atomic,
        )
        return result

    def delete(
        self,
        *paths: str,
        recursive: bool = False,
        missing_ok: bool = False,
        files_only: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Delete files, links and, with `recursive`, folders."""
        result: BatchResult = self._call(
            "delete_items",
            paths=paths,
            recursive=recursive,
            missing_ok=missing_ok,
            files_only=files_only,
            break_hard_links=break_hard_links,
            undoable=undoable,
            atomic=atomic,
        )
        return result

    def set_permissions(
        self,
        *paths: str,
        mode: str | None = None,
        owner: str | None = None,
        group: str | None = None,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Set mode, owner or group of every path."""
        result: BatchResult = self._call(
            "set_permissions",
            paths=paths,
            mode=mode,
            owner=owner,
            group=group,
            break_hard_links=break_hard_links,
            undoable=undoable,
            atomic=atomic,
        )
        return result

    def get_history(
        self,
        path: str | None = None,
        *,
        change_id: str | None = None,
        session: str | None = None,
        client: str | None = None,
        since: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> HistoryResult:
        """Return the newest changes, or one change with its diff."""
        result: HistoryResult = self._call(
            "get_history",
            path=path,
            change_id=change_id,
            session=session,
            client=client,
            since=since,
            limit=limit,
            cursor=cursor,
        )
        return result

    def revert_edit(
        self,
        change_id: str | None = None,
        *,
        session: str | None = None,
        since: str | None = None,
        prompt: str | None = None,
        path: str | None = None,
        hunk: int | None = None,
        parts: Sequence[Mapping[str, Any]] | None = None,
        preview: bool = False,
        diff: DiffMode = "auto",
        force: bool = False,
        partial: bool = False,
        break_hard_links: bool | None = None,
        include_shared: bool = False,
    ) -> RevertResult:
        """Undo one change, or several together; the undo is itself a change."""
        result: RevertResult = self._call(
            "revert_edit",
            change_id=change_id,
            session=session,
            since=since,
            prompt=prompt,
            path=path,
            hunk=hunk,
            parts=parts,
            preview=preview,
            diff=diff,
            force=force,
            partial=partial,
            break_hard_links=break_hard_links,
            include_shared=include_shared,
        )
        return result


def _to_json(value: Any) -> Any:
    """Return a value as JSON has it: sequences as lists, mappings as objects."""
    if isinstance(value, Mapping):
        return {key: _to_json(member) for key, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(member) for member in value]
    return value
