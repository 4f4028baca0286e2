"""The dialects by their names, and the provider of each."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from filewright.errors import invalid
from filewright.tools.bound_tools import NATIVE, ToolProvider
from filewright.wording import did_you_mean

_CATALOGUES = {
    "agent-tools": "filewright.dialects.agent_tools.catalogue",
    "largefile": "filewright.dialects.largefile.catalogue",
    "filesystem": "filewright.dialects.filesystem.catalogue",
    "official": "filewright.dialects.official.catalogue",
    "text-editor": "filewright.dialects.text_editor",
    "text-editor-20250124": "filewright.dialects.text_editor_20250124",
    "memory": "filewright.dialects.memory",
    "apply-patch": "filewright.dialects.apply_patch",
    "gemini": "filewright.dialects.gemini",
}
"""The modules that have the dialects as `DIALECT`; a call imports only one of them."""

DIALECT_NAMES = tuple(_CATALOGUES)


@cache
def find_provider(dialect: str | None) -> ToolProvider:
    """Return the tools of a dialect, or the native ones for None.

    Raises `invalid_input` for a name that is no dialect's.
    """
    if dialect is None:
        return NATIVE
    if dialect not in _CATALOGUES:
        raise invalid(
            f"there is no dialect {dialect!r}",
            did_you_mean(
                dialect,
                DIALECT_NAMES,
                f"the dialects are {', '.join(DIALECT_NAMES)}; "
                "without one the native tools are offered",
            ),
            argument="dialect",
        )
    # The native tools work without the dialects and pydantic's models of them.
    from filewright.dialects.dialect import provider_of

    return provider_of(import_module(_CATALOGUES[dialect]).DIALECT)
