"""Desktop Commander."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping

from bench.case import Replace, Write
from bench.environments import Cache, node
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Look, Place, Tool

PACKAGE = "@wonderwhy-er/desktop-commander"
VERSION = "0.2.52"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the server, which reports nothing to anybody."""
    modules = cache.npm(f"{PACKAGE}@{VERSION}")
    program = modules / PACKAGE / "dist" / "index.js"
    settings = place.home / ".claude-server-commander" / "config.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(
        '{"allowedDirectories": ["/"], "telemetryEnabled": false}'
    )
    return Command([node(), str(program)], {"HOME": str(place.home)})


def replace(path: str, request: Replace) -> Calls:
    """Yield the call of an edit."""
    texts = {"old_string": request.old, "new_string": request.new}
    yield Call("edit_block", {"file_path": path, **texts})


def write(path: str, request: Write) -> Calls:
    """Yield the call of a write."""
    arguments = {"path": path, "content": request.content, "mode": "rewrite"}
    yield Call("write_file", arguments)


def search(path: str, text: str) -> Look:
    """Yield the calls of a search in a file, which is one in its folder."""
    folder, name = os.path.split(path)
    words = {"path": folder, "filePattern": name, "pattern": text}
    return (yield from _search(words, "content"))


def text(path: str, text: str) -> Look:
    """Yield the calls of a search in a tree."""
    return (yield from _search({"path": path, "pattern": text}, "content"))


def names(path: str, pattern: str) -> Look:
    """Yield the calls of a search for names."""
    return (yield from _search({"path": path, "pattern": pattern}, "files"))


def _search(words: Mapping[str, object], kind: str) -> Look:
    """Yield the start of a search, and questions until it has ended."""
    usual = {"searchType": kind, "contextLines": 0, "literalSearch": True}
    answer = yield Call("start_search", {**words, **usual})
    session = answer.text.partition("session: ")[2].split()[0]
    while "COMPLETED" not in answer.text:
        time.sleep(0.02)
        more = {"sessionId": session}
        answer = yield Call("get_more_search_results", more)
    return answer.text


def tail(path: str, count: str) -> Look:
    """Yield the call of the last lines."""
    answer = yield Call("read_file", {"path": path, "offset": -int(count)})
    return answer.text.rstrip("\n")


TOOL = Tool(
    "Desktop Commander",
    VERSION,
    "npm",
    start,
    replace,
    write,
    search=search,
    tail=tail,
    names=names,
    text=text,
)
