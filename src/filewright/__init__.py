"""filewright: file tools for AI agents that never change a byte nobody asked to change.

    from filewright import Workspace

    with Workspace("/path/to/project") as workspace:
        workspace.edit("cart.py", [{"search": "total()", "replace": "total(2)"}])

`Workspace` is the library's face; `FilewrightError` with its `Code` is all that it raises.
"""

from typing import TYPE_CHECKING, Any

from filewright.errors import Code, FilewrightError

if TYPE_CHECKING:
    from filewright.asynchronous import AsyncWorkspace
    from filewright.progress import Task
    from filewright.settings import Settings
    from filewright.tools import ChangeResult, ToolResult
    from filewright.tools.batch import BatchResult, ItemResult
    from filewright.tools.edit import EditResult
    from filewright.tools.history import HistoryResult, RevertResult
    from filewright.tools.listing import ListedEntry, ListResult
    from filewright.tools.overview import OverviewResult
    from filewright.tools.patch import PatchResult
    from filewright.tools.read import FileRead, FilesRead
    from filewright.tools.replace import ReplaceResult
    from filewright.tools.search_page import SearchHit, SearchResult
    from filewright.tools.stat import FileStatus, StatResult
    from filewright.tools.typed import EditRequest, WriteRequest
    from filewright.workspace import Workspace

__version__ = "0.1.0"

__all__ = [
    "AsyncWorkspace",
    "BatchResult",
    "ChangeResult",
    "Code",
    "EditRequest",
    "EditResult",
    "FileRead",
    "FileStatus",
    "FilesRead",
    "FilewrightError",
    "HistoryResult",
    "ItemResult",
    "ListResult",
    "ListedEntry",
    "OverviewResult",
    "PatchResult",
    "ReplaceResult",
    "RevertResult",
    "SearchHit",
    "SearchResult",
    "Settings",
    "StatResult",
    "Task",
    "ToolResult",
    "Workspace",
    "WriteRequest",
    "__version__",
]

# The face's heavier names are imported when they are first asked for.
_MODULES = {
    "asynchronous": "AsyncWorkspace",
    "progress": "Task",
    "settings": "Settings",
    "tools": "ChangeResult ToolResult",
    "tools.batch": "BatchResult ItemResult",
    "tools.edit": "EditResult",
    "tools.history": "HistoryResult RevertResult",
    "tools.listing": "ListResult ListedEntry",
    "tools.overview": "OverviewResult",
    "tools.patch": "PatchResult",
    "tools.read": "FileRead FilesRead",
    "tools.replace": "ReplaceResult",
    "tools.search_page": "SearchHit SearchResult",
    "tools.stat": "FileStatus StatResult",
    "tools.typed": "EditRequest WriteRequest",
    "workspace": "Workspace",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load the face's heavier names when they are first asked for."""
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"filewright.{module}"), name)
