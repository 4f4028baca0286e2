"""What a tool is, and the catalogue: what callers see of each native one, known without importing any of them.

Making all argument models and importing what the tools need costs a good part of a second, and
a server must answer `tools/list` at once. So what `tools.toml` says of them is kept with their schemas in
`catalogue.json`, made by ``python -m filewright.tools`` and held to them by a test;
a tool's module is imported when it is first called.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from filewright.wording import listed

if TYPE_CHECKING:
    from filewright.tools.context import Context
    from filewright.tools.registry import Arguments
    from filewright.tools.result import ToolResult

FILE = "catalogue.json"

LOADING = threading.RLock()
"""One lock for everything that is imported late.

Two threads that import modules of one package from different ends can each wait for what the other
holds; Python then hands out a module that is only half made. So late imports take turns.
"""

Toolset = Literal["read", "edit", "files", "history"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as callers see it. `schema` is the JSON Schema (2020-12) of its arguments, to be read only.

    `load` gives the model of its arguments and the function that is given the call's context and them. What is not
    `listed` can be called, but no client is told of it; another tool does the same now. The workflow says its `step`.
    """

    name: str
    title: str
    description: str
    toolset: Toolset
    schema: Mapping[str, Any]
    load: Callable[[], tuple[type[Arguments], Callable[[Context, Any], ToolResult]]]
    writes: bool = False
    destructive: bool = False
    idempotent: bool = True
    listed: bool = True
    step: str = ""

    def prepared(self, arguments: Mapping[str, Any]) -> Callable[[Context], ToolResult]:
        """A call with these arguments, to be made in a context. Raises `invalid_input` for what they must not be."""
        with LOADING:
            from filewright.tools.registry import parsed
        model, run = self.load()
        given = parsed(self, model, arguments)
        return lambda context: run(context, given)


@cache
def _load(module: str, name: str) -> tuple[type[Arguments], Callable[[Context, Any], ToolResult]]:
    """The function of a tool's name in its module, which is imported when it is first asked for."""
    with LOADING:
        run = getattr(import_module(f"filewright.tools.{module}"), name)
        return get_annotations(run, eval_str=True)["arguments"], run


@cache
def entries() -> Mapping[str, Tool]:
    """Every native tool by its name, in the order they are listed."""
    rows = json.loads(Path(__file__).with_name(FILE).read_text(encoding="utf-8"))
    return {row["name"]: Tool(load=partial(_load, row.pop("module"), row["name"]), **row) for row in rows}


def made() -> str:
    """The catalogue's text as the tools would have it."""
    import tomllib

    from filewright.tools.registry import schema_of

    told = tomllib.loads(Path(__file__).with_name("tools.toml").read_text(encoding="utf-8"))
    usual = {"writes": False, "destructive": False, "idempotent": True, "listed": True}
    found = [{"name": name, **usual, **row} for name, row in told.items()]
    for each in found:
        each["schema"] = schema_of(_load(each["module"], each["name"])[0])
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def instructions(offered: Collection[str], roots: Sequence[str]) -> str:
    """The workflow that a model reads before its first call, over the tools `offered` below `roots`."""
    below = listed(roots, 4, noun="root")
    lines = [f"Files below {below}. Paths are relative to it unless they begin with a root."]
    lines += [tool.step for tool in entries().values() if tool.step and tool.name in offered]
    if "edit_content" not in offered:
        lines.append("This workspace is served for reading only.")
    lines.append(
        "Results end with how to go on (cursor, next start). Errors are 'code: message' and a hint to follow."
    )
    return "\n".join(lines)
