"""filewright: file tools for AI agents that never change a byte nobody asked to change.

    from filewright import Workspace

    with Workspace("/path/to/project") as workspace:
        workspace.edit("cart.py", [{"search": "total()", "replace": "total(2)"}])

`Workspace` is the library's face; `FilewrightError` with its `Code` is all that it raises.
"""

from filewright.annotations import TYPE_CHECKING
from filewright.errors import Code, FilewrightError
from filewright.faces import face_of

if TYPE_CHECKING:
    from filewright.asynchronous import AsyncWorkspace
    from filewright.progress import Task
    from filewright.settings import Settings
    from filewright.tools import (
        BatchResult,
        ChangedFiles,
        ChangeResult,
        EditRequest,
        EditResult,
        FileRead,
        FilesRead,
        FileStatus,
        FolderMap,
        HistoryResult,
        ItemResult,
        ListedEntry,
        ListResult,
        ManyOverviews,
        OverviewResult,
        PatchResult,
        ReplaceResult,
        RevertResult,
        SearchHit,
        SearchResult,
        SessionsResult,
        SessionSummary,
        StatResult,
        ToolResult,
        WriteRequest,
    )
    from filewright.workspace import Workspace

__version__ = "0.1.0"

__all__ = [
    "AsyncWorkspace",
    "BatchResult",
    "ChangeResult",
    "ChangedFiles",
    "Code",
    "EditRequest",
    "EditResult",
    "FileRead",
    "FileStatus",
    "FilesRead",
    "FilewrightError",
    "FolderMap",
    "HistoryResult",
    "ItemResult",
    "ListResult",
    "ListedEntry",
    "ManyOverviews",
    "OverviewResult",
    "PatchResult",
    "ReplaceResult",
    "RevertResult",
    "SearchHit",
    "SearchResult",
    "SessionSummary",
    "SessionsResult",
    "Settings",
    "StatResult",
    "Task",
    "ToolResult",
    "Workspace",
    "WriteRequest",
    "__version__",
]

# The heavier names are loaded when they are first asked for.
__getattr__, _ = face_of(
    __name__,
    {
        "asynchronous": "AsyncWorkspace",
        "progress": "Task",
        "settings": "Settings",
        "tools": (
            "BatchResult ChangeResult ChangedFiles EditRequest EditResult FileRead FileStatus FilesRead "
            "HistoryResult ItemResult ListResult ListedEntry FolderMap ManyOverviews OverviewResult PatchResult "
            "ReplaceResult RevertResult SearchHit SearchResult SessionSummary SessionsResult StatResult ToolResult "
            "WriteRequest"
        ),
        "workspace": "Workspace",
    },
)
