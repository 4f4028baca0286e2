"""The `FilesystemBackend` of deepagents."""

from __future__ import annotations

from bench.case import Replace, Write
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Place, Tool, driver

VERSION = "0.7.32"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the driver."""
    python = cache.python(f"deepagents=={VERSION}")
    return driver(python, "deepagents_backend", place)


def replace(path: str, request: Replace) -> Calls:
    """Yield the call of an edit."""
    yield Call("edit", {"path": path, "old": request.old, "new": request.new})


def write(path: str, request: Write) -> Calls:
    """Yield the call of a write."""
    yield Call("write", {"path": path, "content": request.content})


TOOL = Tool("deepagents", VERSION, "PyPI", start, replace, write)
