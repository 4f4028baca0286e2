# Made from the arguments of the tools: write it anew with `python -m tests.pages`.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, Unpack, overload

from filewright.tools.edit import EditResult
from filewright.tools.history import HistoryResult, RevertResult
from filewright.tools.items import BatchResult
from filewright.tools.listing import ListResult
from filewright.tools.overview_result import (
    FolderMap,
    ManyOverviews,
    OverviewResult,
)
from filewright.tools.patch import PatchResult
from filewright.tools.read_result import FileRead, FilesRead
from filewright.tools.replace import ReplaceResult
from filewright.tools.search_result import SearchResult
from filewright.tools.status import StatResult

Case = Literal["smart", "sensitive", "insensitive"]

WriteMode = Literal["create", "overwrite", "append"]

Newline = Literal["lf", "keep"]

DiffWanted = Literal["auto", "full", "none"]

class EditPlace(TypedDict):
    text: NotRequired[str | None]
    symbol: NotRequired[str | None]
    lines: NotRequired[Sequence[int] | None]
    after: NotRequired[int | str | None]
    before: NotRequired[int | str | None]
    cell: NotRequired[int | str | None]
    after_cell: NotRequired[int | str | None]
    before_cell: NotRequired[int | str | None]

class MoveSource(TypedDict):
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
        "symbol": NotRequired[str | None],
        "delete": NotRequired[bool],
        "insert_after": NotRequired[int | str | None],
        "insert_before": NotRequired[int | str | None],
        "from": NotRequired[MoveSource | None],
        "copy": NotRequired[bool],
        "content": NotRequired[str | None],
        "move_to": NotRequired[str | None],
        "at": NotRequired[EditPlace | None],
        "reindent": NotRequired[bool],
        "path": NotRequired[str | None],
        "cell": NotRequired[int | str | None],
        "whole_cell": NotRequired[int | str | None],
        "after_cell": NotRequired[int | str | None],
        "before_cell": NotRequired[int | str | None],
        "cell_type": NotRequired[Literal["code", "markdown", "raw"] | None],
        "expected_version": NotRequired[str | None],
        "fuzzy": NotRequired[bool | None],
    },
)

class WriteRequest(TypedDict):
    path: str
    content: str
    mode: NotRequired[WriteMode]
    newline: NotRequired[Newline | None]
    expected_version: NotRequired[str | None]

class ReadRequest(TypedDict):
    path: str
    symbol: NotRequired[str | None]
    start: NotRequired[int | None]
    limit: NotRequired[int | None]
    line: NotRequired[int | None]
    pattern: NotRequired[str | None]

class ReadOptions(TypedDict, total=False):
    mode: Literal["lines", "semantic", "head", "tail"]
    start: int
    limit: int
    max_chars: int | None
    line: int | None
    symbol: str | None
    pattern: str | None
    occurrence: int
    depth: int
    column: int | None
    numbered: bool
    encoding: str | None

class TypedTools:
    def _run(self, name: str, arguments: Mapping[str, Any]) -> Any: ...
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
        """List the entries below a folder."""
    def stat(self, *paths: str) -> StatResult:
        """Return the status of every path, or its error, in order."""
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
        """What a file is, the map of a folder, or either of several paths."""
    def get_overviews(self, *paths: str) -> ManyOverviews:
        """What a file is, the map of a folder, or either of several paths."""
    def get_map(self, path: str = ".") -> FolderMap:
        """What a file is, the map of a folder, or either of several paths."""
    def search(
        self,
        pattern: str | None = None,
        path: str = ".",
        *,
        patterns: Sequence[str] | None = None,
        items: Sequence[Mapping[str, Any]] | None = None,
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
        """Search a file or a tree, for one pattern or for several."""
    @overload
    def read(self, path: str, **options: Unpack[ReadOptions]) -> FileRead:
        """Read one file, or each of several."""
    @overload
    def read(
        self, *, paths: Sequence[str], **options: Unpack[ReadOptions]
    ) -> FilesRead: ...
    @overload
    def read(
        self, *, items: Sequence[ReadRequest], **options: Unpack[ReadOptions]
    ) -> FilesRead: ...
    def edit(
        self,
        path: str | None,
        edits: Sequence[EditRequest],
        *,
        cell: int | str | None = None,
        fuzzy: bool = True,
        preview: bool = False,
        diff: DiffWanted = "auto",
        expected_version: str | None = None,
        encoding: str | None = None,
        in_turn: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> EditResult:
        """Locate every edit on one snapshot of its file, and commit them together."""
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
        diff: DiffWanted = "auto",
        renames: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> PatchResult:
        """Plan every file of the patch, then commit all of it."""
    def replace(
        self,
        pattern: str | None = None,
        replacement: str | None = None,
        path: str = ".",
        *,
        items: Sequence[Mapping[str, Any]] | None = None,
        glob: str | None = None,
        include_ignored: bool = False,
        mode: Literal["literal", "regex"] = "literal",
        case: Case = "sensitive",
        whole_word: bool = False,
        multiline: bool = False,
        preview: bool = True,
        diff: DiffWanted = "auto",
        expected_count: int | None = None,
        max_count: int | None = None,
        max_files: int = 1000,
        break_hard_links: bool | None = None,
        undoable: bool = True,
    ) -> ReplaceResult:
        """Replace every match of one pattern or of several; a preview unless ``preview=false``."""
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
        """Write every item; one transaction if `atomic`."""
    def write_all(
        self,
        items: Sequence[WriteRequest],
        *,
        diff: DiffWanted = "auto",
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Write every item; one transaction if `atomic`."""
    def create_directories(
        self,
        *paths: str,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Make folders and their parents; existing ones stay as they are."""
    def move(
        self,
        source: str,
        destination: str,
        *,
        overwrite: bool = False,
        copied: bool = False,
        files_only: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Rename files, links and folders, or copy them."""
    def copy(
        self,
        source: str,
        destination: str,
        *,
        overwrite: bool = False,
        copied: bool = False,
        files_only: bool = False,
        break_hard_links: bool | None = None,
        undoable: bool = True,
        atomic: bool = True,
    ) -> BatchResult:
        """Copy files, links and folders with their mode, times and extended attributes."""
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
        """The newest changes, or one with its diff."""
    def revert_edit(
        self,
        change_id: str | None = None,
        *,
        session: str | None = None,
        since: str | None = None,
        prompt: str | None = None,
        path: str | None = None,
        hunk: int | None = None,
        preview: bool = False,
        diff: DiffWanted = "auto",
        force: bool = False,
        partial: bool = False,
        break_hard_links: bool | None = None,
        include_shared: bool = False,
    ) -> RevertResult:
        """Take back one change, or several together; that is itself a change."""
