"""filewright: file tools for AI agents that never change a byte nobody asked to change.

    from filewright import Workspace

    with Workspace("/path/to/project") as workspace:
        workspace.edit("cart.py", [{"search": "total()", "replace": "total(2)"}])

`Workspace` is the library's face; `FilewrightError` with its `Code` is all that it raises.
"""

from typing import TYPE_CHECKING, Any

from filewright.errors import Code, FilewrightError

if TYPE_CHECKING:
    from filewright.progress import Task
    from filewright.settings import Settings
    from filewright.tools import ToolResult
    from filewright.workspace import Workspace

__version__ = "0.1.0"

__all__ = ["Code", "FilewrightError", "Settings", "Task", "ToolResult", "Workspace", "__version__"]

_LAZY = {
    "Settings": "filewright.settings",
    "Task": "filewright.progress",
    "ToolResult": "filewright.tools",
    "Workspace": "filewright.workspace",
}


def __getattr__(name: str) -> Any:
    """Load the face's heavier names when they are first asked for."""
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
