"""filewright: file tools for AI agents that never change a byte nobody asked to change.

    from filewright import Workspace

    with Workspace("/path/to/project") as workspace:
        workspace.edit("cart.py", [{"search": "total()", "replace": "total(2)"}])

`Workspace` is the entry point of the library. It raises only `FilewrightError`, whose
`code` is one of `Code`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from filewright.errors import Code, FilewrightError

if TYPE_CHECKING:
    from filewright.asynchronous import AsyncWorkspace
    from filewright.progress import Task
    from filewright.settings import Settings
    from filewright.tools.batch import BatchResult, ItemResult
    from filewright.tools.edit.result import EditResult
    from filewright.tools.history import HistoryResult
    from filewright.tools.listing import ListedEntry, ListResult
    from filewright.tools.methods import EditRequest, WriteRequest
    from filewright.tools.overview.result import (
        FolderMap,
        ManyOverviews,
        OverviewResult,
    )
    from filewright.tools.patch import PatchResult
    from filewright.tools.read.result import FileRead, FilesRead
    from filewright.tools.replace.replace import ReplaceResult
    from filewright.tools.result import ChangeResult, ToolResult
    from filewright.tools.revert import RevertResult
    from filewright.tools.search.result import SearchHit, SearchResult
    from filewright.tools.sessions import (
        ChangedFiles,
        SessionsResult,
        SessionSummary,
    )
    from filewright.tools.status import FileStatus, StatResult
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

# The module of each name. The heavier ones are imported at first use: the server answers its
# first messages, and a hook ends, before most of them are needed.
_MODULES = {
    "AsyncWorkspace": "asynchronous",
    "Settings": "settings",
    "Task": "progress",
    "Workspace": "workspace",
    "BatchResult": "tools.batch",
    "ChangeResult": "tools.result",
    "ChangedFiles": "tools.sessions",
    "EditRequest": "tools.methods",
    "EditResult": "tools.edit.result",
    "FileRead": "tools.read.result",
    "FileStatus": "tools.status",
    "FilesRead": "tools.read.result",
    "FolderMap": "tools.overview.result",
    "HistoryResult": "tools.history",
    "ItemResult": "tools.batch",
    "ListResult": "tools.listing",
    "ListedEntry": "tools.listing",
    "ManyOverviews": "tools.overview.result",
    "OverviewResult": "tools.overview.result",
    "PatchResult": "tools.patch",
    "ReplaceResult": "tools.replace.replace",
    "RevertResult": "tools.revert",
    "SearchHit": "tools.search.result",
    "SearchResult": "tools.search.result",
    "SessionSummary": "tools.sessions",
    "SessionsResult": "tools.sessions",
    "StatResult": "tools.status",
    "ToolResult": "tools.result",
    "WriteRequest": "tools.methods",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module at first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value
