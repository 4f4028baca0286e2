"""Other systems' tool names over the native tools, so that moving is one word in a configuration.

Owns, for each dialect, a table: the names of its tools, their arguments, how those become native
requests, and how the native answers are told in that system's shapes.

Never: decides where an edit goes, opens a path, writes a file. What a dialect needs and the native
tools lack is a tool of `tools/` that is simply not listed among the native ones.

In: a `Workspace`. Out: `Dialect`, which offers `tools()` and `call()` as the workspace does.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from filewright.dialects.dialect import Dialect, Surface
from filewright.errors import Code, FilewrightError

if TYPE_CHECKING:
    from filewright.workspace import Workspace

NAMES = ("agent-tools", "largefile", "filesystem")


def open_dialect(name: str, workspace: Workspace, toolsets: Collection[str] | None = None) -> Dialect:
    """The dialect `name` over `workspace`, narrowed to `toolsets` (None: all). Raises `invalid_input`."""
    return Dialect(workspace, surface(name), toolsets)


def surface(name: str) -> Surface:
    """The table of the dialect `name`; only its module is loaded."""
    if name == "agent-tools":
        from filewright.dialects import agent_tools

        return agent_tools.SURFACE
    if name == "largefile":
        from filewright.dialects import largefile

        return largefile.SURFACE
    if name == "filesystem":
        from filewright.dialects import filesystem

        return filesystem.SURFACE
    raise FilewrightError(
        Code.INVALID_INPUT,
        f"there is no dialect {name!r}",
        hint=f"the dialects are {', '.join(NAMES)}; without one the native tools are offered",
        details={"argument": "dialect"},
    )


__all__ = ["NAMES", "Dialect", "Surface", "open_dialect", "surface"]
