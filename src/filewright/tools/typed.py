"""The native tools as typed methods: what a library user calls, and what the dialects are made of.

The methods have the tools' names without `_content` and `_items`, and the tools' arguments. Each returns
its tool's own result and raises `FilewrightError`. A tool's module is imported when it is first called.
"""

# mypy: no-warn-return-any

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict, Unpack, overload

if TYPE_CHECKING:
    from filewright.tools.batch import BatchResult
    from filewright.tools.edit import EditResult
    from filewright.tools.folder_map import FolderMap
    from filewright.tools.history import HistoryResult, RevertResult
    from filewright.tools.listing import ListResult
    from filewright.tools.overview import ManyOverviews, OverviewResult
    from filewright.tools.patch import PatchResult
    from filewright.tools.read import FileRead, FilesRead
    from filewright.tools.replace import ReplaceResult
    from filewright.tools.search_page import SearchResult
    from filewright.tools.stat import StatResult

Case = Literal["smart", "sensitive", "insensitive"]
WriteMode = Literal["create", "overwrite", "append"]
Newline = Literal["lf", "keep"]
DiffWanted = Literal["auto", "full", "none"]


class MoveSource(TypedDict, total=False):
    """What an edit moves: a symbol, or lines of `expected_version`; of the edit's own file unless it has a `path`."""

    path: str
    symbol: str
    start_line: int
    end_line: int
    expected_version: str


EditRequest = TypedDict(
    "EditRequest",
    {
        "path": str,
        "expected_version": str | None,
        "search": str,
        "replace": str,
        "replace_all": bool,
        "start_line": int | None,
        "end_line": int | None,
        "symbol": str,
        "delete": bool,
        "insert_after": int | str,
        "insert_before": int | str,
        "from": MoveSource,
        "copy": bool,
        "reindent": bool,
        "fuzzy": bool | None,
    },
    total=False,
)
"""One edit, which names one place: `search`, which must occur exactly once (from `start_line` on, if given) or
`replace_all`; lines `start_line` to `end_line` of `expected_version`; a `symbol`; or `insert_after` or
`insert_before` a symbol or a line. There `replace` is written, or what is `from` another place moved to."""


class WriteRequest(TypedDict):
    """One file to write."""

    path: str
    content: str
    mode: NotRequired[WriteMode]
    newline: NotRequired[Newline | None]
    expected_version: NotRequired[str | None]


class ReadOptions(TypedDict, total=False):
    """What to read of a file: at most one of `line`, `symbol`, `pattern` and `start`; lines count from 1."""

    mode: Literal["lines", "semantic", "head", "tail"]
    start: int
    limit: int
    line: int | None
    symbol: str | None
    pattern: str | None
    occurrence: int
    depth: int
    column: int | None
    max_chars: int | None
    numbered: bool
    encoding: str | None


class ReadRequest(TypedDict):
    """One of several things to read: a file, or a symbol, lines, or the surroundings of a line or a text in it."""

    path: str
    symbol: NotRequired[str]
    start: NotRequired[int]
    limit: NotRequired[int]
    line: NotRequired[int]
    pattern: NotRequired[str]


class TypedTools:
    """The native tools over whatever `_run` runs them on."""

    def _run(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """The result of the native tool `name`; arguments that are None are left out."""
        raise NotImplementedError

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
        """The entries of a folder to a `depth` (0: all levels), or those below it that fit a `glob`."""
        return self._run("list_files", _given(locals()))

    def stat(self, *paths: str) -> StatResult:
        """Status of each path; fails as a whole only if every path does."""
        return self._run("stat_items", {"paths": [*paths]})

    def get_overview(
        self,
        path: str,
        *,
        max_symbols: int = 300,
        lines: tuple[int, int] | None = None,
        depth: int = 0,
        changed_lines: Sequence[tuple[int, int]] | None = None,
        changed_kinds: Sequence[Literal["added", "modified", "removed"]] | None = None,
        since: str = "HEAD",
        symbol: str | None = None,
    ) -> OverviewResult:
        """What one file is: size, encoding, outline, and the symbols that changed `since` a git revision ("": none).

        `lines` asks for the outline of [first, last] in full, `symbol` for that of a definition, `depth` for the
        outer levels.
        """
        given = {**_given(locals()), "folders": False}
        if lines is not None:
            given["lines"] = [*lines]
        if changed_lines is not None:
            given["changed_lines"] = [[*each] for each in changed_lines]
        return self._run("get_overview", given)

    def get_overviews(self, *paths: str) -> ManyOverviews:
        """The overview of each file or folder; fails as a whole only if every one does."""
        return self._run("get_overview", {"paths": [*paths]})

    def get_map(self, path: str = ".") -> FolderMap:
        """What is in a folder: languages, entry points, the files most referred to."""
        return self._run("get_overview", {"path": path})

    def search(
        self,
        pattern: str | None = None,
        path: str = ".",
        *,
        patterns: Sequence[str] | None = None,
        glob: str | None = None,
        type: str | None = None,
        mode: Literal["literal", "regex", "fuzzy"] = "literal",
        case: Case = "smart",
        whole_word: bool = False,
        multiline: bool = False,
        invert: bool = False,
        without: str | None = None,
        context: int | None = None,
        context_before: int | None = None,
        context_after: int | None = None,
        output: Literal["matches", "files", "counts", "kinds"] = "matches",
        max_results: int = 50,
        min_similarity: float = 0.8,
        cursor: str | None = None,
        include_hidden: bool = True,
        include_ignored: bool = False,
        exclude: Sequence[str] = (),
    ) -> SearchResult:
        """Find text in a file or a tree: one pattern, or several, each answered on its own in `searches`."""
        return self._run("search_content", _given(locals()))

    @overload
    def read(self, path: str, **options: Unpack[ReadOptions]) -> FileRead: ...

    @overload
    def read(self, *, paths: Sequence[str], **options: Unpack[ReadOptions]) -> FilesRead: ...

    @overload
    def read(self, *, items: Sequence[ReadRequest], **options: Unpack[ReadOptions]) -> FilesRead: ...

    def read(
        self,
        path: str | None = None,
        *,
        paths: Sequence[str] | None = None,
        items: Sequence[ReadRequest] | None = None,
        **options: Unpack[ReadOptions],
    ) -> FileRead | FilesRead:
        """Read one file, several (`paths`) or a place in each (`items`): by lines, around a place, or a definition."""
        given = _given({"path": path, "paths": paths, "items": items, **options})
        return self._run("read_content", given)

    def edit(
        self,
        path: str | None,
        edits: Sequence[EditRequest],
        *,
        cell: str | None = None,
        fuzzy: bool = True,
        preview: bool = False,
        diff: DiffWanted = "auto",
        expected_version: str | None = None,
        encoding: str | None = None,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        in_turn: bool = False,
    ) -> EditResult:
        """Change one file, or several (no `path`: every edit has its own), all edits or none.

        `in_turn`: each on the result of the one before.
        """
        return self._run("edit_content", _given(locals()))

    def apply_patch(
        self,
        patch: str,
        *,
        root: str = ".",
        strip: int = 0,
        partial: bool = False,
        preview: bool = False,
        diff: DiffWanted = "auto",
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> PatchResult:
        """Apply a patch to any number of files below `root`: all or none, or with `partial` those that fit."""
        return self._run("apply_patch", _given(locals()))

    def replace(
        self,
        pattern: str,
        replacement: str,
        path: str = ".",
        *,
        glob: str | None = None,
        include_ignored: bool = False,
        mode: Literal["literal", "regex"] = "literal",
        case: Case = "sensitive",
        whole_word: bool = False,
        multiline: bool = False,
        preview: bool = True,
        diff: DiffWanted = "auto",
        expected_count: int | None = None,
        max_files: int = 1000,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> ReplaceResult:
        """Replace every match in a file or a tree; writes nothing unless ``preview=False``."""
        return self._run("replace_content", _given(locals()))

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
        """Write one whole file."""
        item: WriteRequest = {
            "path": path,
            "content": content,
            "mode": mode,
            "newline": newline,
            "expected_version": expected_version,
        }
        return self.write_all([item], break_hard_links=break_hard_links, undoable=undoable)

    def write_all(
        self,
        items: Sequence[WriteRequest],
        *,
        atomic: bool = True,
        diff: DiffWanted = "auto",
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> BatchResult:
        """Write whole files; all or none if `atomic`."""
        return self._run("write_content", _given(locals()))

    def create_directories(self, *paths: str, atomic: bool = True) -> BatchResult:
        """Make folders with their parents; existing ones stay as they are."""
        return self._run("create_directories", {"paths": [*paths], "atomic": atomic})

    def move(
        self,
        source: str,
        destination: str,
        *,
        overwrite: bool = False,
        atomic: bool = True,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        files_only: bool = False,
    ) -> BatchResult:
        """Move or rename one thing; `destination` is its full new path."""
        return self._pair("move_items", _given(locals()))

    def copy(
        self,
        source: str,
        destination: str,
        *,
        overwrite: bool = False,
        atomic: bool = True,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        files_only: bool = False,
    ) -> BatchResult:
        """Copy one thing; `destination` is the full path of the copy."""
        return self._pair("copy_items", _given(locals()))

    def _pair(self, tool: str, given: dict[str, Any]) -> BatchResult:
        pair = {name: given.pop(name) for name in ("source", "destination")}
        return self._run(tool, {"items": [pair], **given})

    def delete(
        self,
        *paths: str,
        recursive: bool = False,
        missing_ok: bool = False,
        atomic: bool = True,
        undoable: bool = True,
        files_only: bool = False,
    ) -> BatchResult:
        """Delete files, links and, with `recursive`, folders."""
        return self._run("delete_items", {**_given(locals()), "paths": [*paths]})

    def set_permissions(
        self,
        *paths: str,
        mode: str | None = None,
        owner: str | None = None,
        group: str | None = None,
        atomic: bool = True,
    ) -> BatchResult:
        """Set mode, owner or group."""
        return self._run("set_permissions", {**_given(locals()), "paths": [*paths]})

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
        """The newest changes, of all files or of one, a session, or clients whose name begins so; or the one
        with `change_id` and its diff."""
        return self._run("get_history", _given(locals()))

    def revert_edit(
        self,
        change_id: str | None = None,
        *,
        session: str | None = None,
        since: str | None = None,
        path: str | None = None,
        hunk: int | None = None,
        preview: bool = False,
        diff: DiffWanted = "auto",
        force: bool = False,
        break_hard_links: bool | None = None,
    ) -> RevertResult:
        """Undo one change, a session (`current` or `last` too), or everything since a change or a time.

        Of that only the file at `path`, or one `hunk` of it (from 1); `path` alone is its newest change.
        With `preview` nothing is written; with `force` files are overwritten that others have changed.
        """
        return self._run("revert_edit", _given(locals()))


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A method's own arguments as JSON values."""
    return {
        name: [*value] if isinstance(value, tuple) else value
        for name, value in arguments.items()
        if name != "self" and value is not None
    }
