"""The editor of Strands' tools."""

from __future__ import annotations

from bench.case import Replace
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.deepagents import write
from bench.tools.tool import Call, Calls, Place, Tool, driver

VERSION = "0.8.10"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the driver."""
    python = cache.python(f"strands-agents-tools=={VERSION}")
    return driver(python, "strands_editor", place)


def replace(path: str, request: Replace) -> Calls:
    """Yield the call of an edit."""
    texts = {"old": request.old, "new": request.new}
    yield Call("replace", {"path": path, **texts})


TOOL = Tool("strands editor", VERSION, "PyPI", start, replace, write)
