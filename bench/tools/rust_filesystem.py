"""rust-mcp-filesystem, compiled from crates.io."""

from __future__ import annotations

import os

from bench.environments import Cache
from bench.stdio import Command
from bench.tools.official import names, replace, write
from bench.tools.tool import Call, Look, Place, Tool

VERSION = "0.4.5"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the server."""
    program = cache.cargo(f"rust-mcp-filesystem@{VERSION}")
    return Command([str(program), "--allow-write", str(place.root)])


def search(path: str, text: str) -> Look:
    """Yield the call of a search in a file, which is one in its folder."""
    folder, name = os.path.split(path)
    words = {"path": folder, "pattern": name, "query": text}
    answer = yield Call("search_files_content", words)
    return answer.text


def tail(path: str, count: str) -> Look:
    """Yield the call of the last lines."""
    answer = yield Call("tail_file", {"path": path, "lines": int(count)})
    return answer.text


def text(path: str, text: str) -> Look:
    """Yield the call of a search in a tree."""
    words = {"path": path, "pattern": "**/*", "query": text}
    answer = yield Call("search_files_content", words)
    return answer.text


# Its other tools have the names and arguments of the reference server.
TOOL = Tool(
    "rust-mcp-filesystem",
    VERSION,
    "crates.io",
    start,
    replace,
    write,
    search=search,
    tail=tail,
    names=names,
    text=text,
)
