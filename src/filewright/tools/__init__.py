"""The native tools: one typed request, one typed result, one rendering each.

Owns: argument models, the order of a call (request, snapshot, plan, commit, render), bounded text
and the same facts as plain data.

Never: imports the protocol, opens a path by itself, writes a file, or decides where an edit goes.

In: a `Context` and plain arguments. Out: `ToolResult`; every problem is a `FilewrightError`.
"""

from filewright.tools import (
    edit,
    history,
    items,
    listing,
    overview,
    patch,
    permissions,
    read,
    replace,
    search,
    stat,
    write,
)
from filewright.tools.context import Context
from filewright.tools.registry import Image, Tool, ToolResult

TOOLS: tuple[Tool, ...] = (
    listing.TOOL,
    stat.TOOL,
    overview.TOOL,
    search.TOOL,
    read.TOOL,
    edit.TOOL,
    patch.TOOL,
    replace.TOOL,
    write.TOOL,
    *items.TOOLS,
    permissions.TOOL,
    *history.TOOLS,
)

__all__ = ["TOOLS", "Context", "Image", "Tool", "ToolResult"]
