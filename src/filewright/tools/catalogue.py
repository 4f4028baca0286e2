"""The catalogue: the native tools as clients list them, without importing one.

`catalogue.json` is generated from the declarations by ``python -m filewright.tools``, and
a test compares the two. A tool's module is imported when the tool is first called.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filewright.tools.tool import LOADING, ListedTool

if TYPE_CHECKING:
    from filewright.tools.tool import Tool

CATALOGUE_PATH = Path(__file__).with_name("catalogue.json")

_WORDS = (
    "name",
    "title",
    "description",
    "toolset",
    "writes",
    "destructive",
    "idempotent",
    "step",
    "schema",
    "short_schema",
)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The listed tools by name, in order, and the module of every tool by its name."""

    tools: Mapping[str, ListedTool]
    modules: Mapping[str, str]


@cache
def read_catalogue() -> Catalogue:
    """Return the catalogue as it was generated."""
    content = json.loads(CATALOGUE_PATH.read_text(encoding="utf-8"))
    tools: dict[str, ListedTool] = {}
    for row in content["tools"]:
        load = partial(load_tool, row["name"])
        tools[row["name"]] = ListedTool(load=load, **row)
    return Catalogue(tools, content["modules"])


@cache
def load_tool(name: str) -> Tool:
    """Return the declaration of a tool, importing its module."""
    module_name = read_catalogue().modules[name]
    with LOADING:
        module = import_module(f"filewright.tools.{module_name}")
    tool: Tool = getattr(module, name.upper())
    return tool


def generate_catalogue() -> str:
    """Return the text of `catalogue.json` for the tools as they are declared."""
    from filewright.tools.native import METHOD_TOOLS, NATIVE_TOOLS

    rows: list[dict[str, Any]] = []
    for tool in NATIVE_TOOLS:
        listed = tool.to_listed()
        rows.append({word: getattr(listed, word) for word in _WORDS})
    modules = {
        tool.name: tool.run.__module__.removeprefix("filewright.tools.")
        for tool in (*NATIVE_TOOLS, *METHOD_TOOLS)
    }
    content = {"tools": rows, "modules": modules}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
