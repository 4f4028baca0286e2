"""Other systems' tool names over the native tools, so that moving is one word in a configuration.

Owns, for each dialect, a table (`NAME.toml`): the names of its tools, their arguments and its words; and a module
of functions for what a table cannot say. `table.py` makes tools of both.

Never: decides where an edit goes, opens a path, writes a file. What a dialect needs and the native
tools lack is a tool of `tools/` that is simply not listed among the native ones.

In: nothing. Out: a `Surface`, which a workspace offers as it offers the native tools.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from filewright.errors import invalid
from filewright.tools.surface import NATIVE, Surface

NAMES = ("agent-tools", "largefile", "filesystem", "official")


@cache
def surface(name: str | None) -> Surface:
    """The tools of the dialect `name`, of which only the module is loaded, or without a name the native ones."""
    if name is None:
        return NATIVE
    if name in NAMES:
        from filewright.dialects.table import surface_of

        return surface_of(import_module(f"{__name__}.{name.replace('-', '_')}"))
    raise invalid(
        f"there is no dialect {name!r}",
        f"the dialects are {', '.join(NAMES)}; without one the native tools are offered",
        argument="dialect",
    )


__all__ = ["NAMES", "surface"]
