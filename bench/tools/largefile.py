"""The large-file server."""

from __future__ import annotations

import json

from bench.case import Replace
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Look, Place, Tool

VERSION = "0.3.0"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the server."""
    # With what its own published tests need, which another part runs.
    tests = ("pytest", "pytest-asyncio")
    python = cache.python(f"largefile=={VERSION}", *tests)
    backups = {"LARGEFILE_BACKUP_DIR": str(place.home / "backups")}
    return Command([str(python.with_name("largefile-mcp"))], backups)


def replace(path: str, request: Replace) -> Calls:
    """Yield the call of an edit."""
    change = {"search": request.old, "replace": request.new}
    arguments = {
        "absolute_file_path": path,
        "changes": [change],
        "preview": False,
    }
    yield Call("edit_content", arguments)


def overview(path: str, _: str) -> Look:
    """Yield the call of an overview."""
    answer = yield Call("get_overview", {"absolute_file_path": path})
    return answer.text


def search(path: str, text: str) -> Look:
    """Yield the call of a search."""
    words = {"absolute_file_path": path, "pattern": text, "fuzzy": False}
    answer = yield Call("search_content", words)
    return answer.text


def tail(path: str, count: str) -> Look:
    """Yield the call of the last lines."""
    words = {"absolute_file_path": path, "mode": "tail", "limit": int(count)}
    answer = yield Call("read_content", words)
    return str(json.loads(answer.text)["content"])


def text(path: str, text: str) -> Look:
    """Yield the call of a search in a tree."""
    words = {"absolute_dir_path": path, "pattern": text}
    answer = yield Call("search_directory", words)
    return answer.text


TOOL = Tool(
    "largefile",
    VERSION,
    "PyPI",
    start,
    replace,
    overview=overview,
    search=search,
    tail=tail,
    text=text,
)
