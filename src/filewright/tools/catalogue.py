"""The catalogue: what callers see of each tool, known without importing any of them.

Making all argument models and importing what the tools need costs a good part of a second, and
a server must answer `tools/list` at once. So names, descriptions and schemas are kept in
`catalogue.json`, made from the tools by ``python -m filewright.tools`` and held to them by a test;
a tool's module is imported when it is first called.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filewright.tools.registry import Tool, Toolset

_MODULES = (
    "listing",
    "overview",
    "search",
    "read",
    "edit",
    "patch",
    "replace",
    "write",
    "items",
    "history",
)
FILE = "catalogue.json"

LOADING = threading.RLock()
"""One lock for everything that is imported late.

Two threads that import modules of one package from different ends can each wait for what the other
holds; Python then hands out a module that is only half made. So late imports take turns.
"""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """What callers see of a tool. `schema` is the JSON Schema (2020-12) of its arguments."""

    name: str
    title: str
    description: str
    schema: dict[str, Any]
    toolset: Toolset
    writes: bool
    destructive: bool
    idempotent: bool
    module: str
    listed: bool = True

    def load(self) -> Tool:
        """The tool itself; imports it when first asked for."""
        with LOADING:
            return next(tool for tool in _tools_of(self.module) if tool.name == self.name)


def _tools_of(module: str) -> tuple[Tool, ...]:
    loaded = import_module(f"filewright.tools.{module}")
    found: tuple[Tool, ...] = loaded.TOOLS if hasattr(loaded, "TOOLS") else (loaded.TOOL,)
    return found


@cache
def entries() -> tuple[CatalogueEntry, ...]:
    """Every native tool, in the order it is listed."""
    text = Path(__file__).with_name(FILE).read_text(encoding="utf-8")
    return tuple(CatalogueEntry(**fields) for fields in json.loads(text))


def made() -> str:
    """The catalogue's text as the tools would have it."""
    names = [each.name for each in fields(CatalogueEntry) if each.name != "module"]
    found = [
        {**{name: getattr(tool, name) for name in names}, "module": module}
        for module in _MODULES
        for tool in _tools_of(module)
    ]
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
