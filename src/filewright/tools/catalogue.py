"""The catalogue: what callers see of each tool, known without importing any of them.

Making all argument models and importing what the tools need costs a good part of a second, and
a server must answer `tools/list` at once. So what `tools.toml` says of them is kept with their schemas in
`catalogue.json`, made by ``python -m filewright.tools`` and held to them by a test;
a tool's module is imported when it is first called.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filewright.tools.registry import Tool, Toolset

FILE = "catalogue.json"

LOADING = threading.RLock()
"""One lock for everything that is imported late.

Two threads that import modules of one package from different ends can each wait for what the other
holds; Python then hands out a module that is only half made. So late imports take turns.
"""


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """What callers see of a native tool. `schema` is the JSON Schema (2020-12) of its arguments."""

    name: str
    title: str
    description: str
    toolset: Toolset
    writes: bool
    destructive: bool
    idempotent: bool
    listed: bool
    schema: dict[str, Any]
    module: str

    def load(self) -> Tool:
        """The tool itself: the function of its name in its module, which is imported when it is first asked for."""
        with LOADING:
            from filewright.tools.registry import Tool

            module = import_module(f"filewright.tools.{self.module}")
            run = getattr(module, self.name)
            arguments = get_annotations(run, eval_str=True)["arguments"]
            kind = self.toolset, self.writes, self.destructive, self.idempotent, self.listed
            return Tool(self.name, self.title, self.description, arguments, run, *kind)


def entries() -> tuple[CatalogueEntry, ...]:
    """Every native tool, in the order it is listed."""
    return _kept()


@cache
def _kept() -> tuple[CatalogueEntry, ...]:
    text = Path(__file__).with_name(FILE).read_text(encoding="utf-8")
    return tuple(CatalogueEntry(**fields) for fields in json.loads(text))


def made() -> str:
    """The catalogue's text as the tools would have it."""
    import tomllib

    told = tomllib.loads(Path(__file__).with_name("tools.toml").read_text(encoding="utf-8"))
    usual = {"writes": False, "destructive": False, "idempotent": True, "listed": True}
    found = [{"name": name, **usual, **row} for name, row in told.items()]
    for each in found:
        each["schema"] = CatalogueEntry(**each, schema={}).load().schema
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
