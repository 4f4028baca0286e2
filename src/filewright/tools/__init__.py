"""The native tools: one typed request, one typed result, one rendering each.

Owns: argument models, the order of a call (request, snapshot, plan, commit, render), bounded text
and the same facts as plain data, and the catalogue that lists them all without importing them.

Never: imports the protocol, opens a path by itself, writes a file, or decides where an edit goes.

In: a `Context` and plain arguments. Out: `ToolResult`; every problem is a `FilewrightError`.
"""

from filewright.tools.catalogue import entries
from filewright.tools.context import Context
from filewright.tools.instructions import instructions
from filewright.tools.registry import Arguments, Tool
from filewright.tools.result import ChangeResult, FailedCall, Image, ToolResult

__all__ = [
    "Arguments",
    "ChangeResult",
    "Context",
    "FailedCall",
    "Image",
    "Tool",
    "ToolResult",
    "entries",
    "instructions",
]
