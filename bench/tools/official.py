"""The reference filesystem server of the Model Context Protocol."""

from __future__ import annotations

from bench.case import Replace, Write
from bench.environments import Cache, node
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Look, Place, Tool

PACKAGE = "@modelcontextprotocol/server-filesystem"
VERSION = "2026.8.31"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the server."""
    modules = cache.npm(f"{PACKAGE}@{VERSION}")
    program = modules / PACKAGE / "dist" / "index.js"
    return Command([node(), str(program), str(place.root)])


def replace(path: str, request: Replace) -> Calls:
    """Yield the call of an edit."""
    edit = {"oldText": request.old, "newText": request.new}
    yield Call("edit_file", {"path": path, "edits": [edit]})


def write(path: str, request: Write) -> Calls:
    """Yield the call of a write."""
    arguments = {"path": path, "content": request.content}
    yield Call("write_file", arguments)


def tail(path: str, count: str) -> Look:
    """Yield the call of the last lines."""
    words = {"path": path, "tail": int(count)}
    answer = yield Call("read_text_file", words)
    return answer.text


def names(path: str, pattern: str) -> Look:
    """Yield the call of a list of names."""
    answer = yield Call("search_files", {"path": path, "pattern": pattern})
    return answer.text


TOOL = Tool(
    "server-filesystem",
    VERSION,
    "npm",
    start,
    replace,
    write,
    tail=tail,
    names=names,
)
