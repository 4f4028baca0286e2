"""filewright by its own server, as this program finds it."""

from __future__ import annotations

import re
from importlib.metadata import version

from bench.case import Patch, Replace, Write
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Look, Place, Tool, own_python

_HEAD = re.compile(r"^@@ -\d", re.MULTILINE)
_NUMBERED = re.compile(r"^ *(\d+)\t(.*)$", re.MULTILINE)


def start(_cache: Cache, place: Place) -> Command:
    """Return the command of the server."""
    words = [own_python(), "-m", "filewright", "serve", "--log-level", "error"]
    state = {"FILEWRIGHT_STATE_DIR": str(place.home / "state")}
    return Command([*words, str(place.root)], state)


def replace(path: str, request: Replace) -> Calls:
    """Yield the call of an edit."""
    edit = {"search": request.old, "replace": request.new}
    yield Call("edit_content", {"path": path, "edits": [edit]})


def write(path: str, request: Write) -> Calls:
    """Yield the call of a write."""
    item = {"path": path, "content": request.content, "mode": "overwrite"}
    yield Call("write_content", {"items": [item]})


def patch(path: str, request: Patch) -> Calls:
    """Yield the call of a patch, in the notation that its hunks are of."""
    if _HEAD.search(request.hunks):
        text = f"--- {path}\n+++ {path}\n{request.hunks}"
    else:
        head = f"*** Begin Patch\n*** Update File: {path}\n"
        text = f"{head}{request.hunks}*** End Patch\n"
    yield Call("apply_patch", {"patch": text})


def overview(path: str, _: str) -> Look:
    """Yield the call of an overview."""
    answer = yield Call("get_overview", {"path": path})
    return answer.text


def search(path: str, text: str) -> Look:
    """Yield the call of a search in a file or a tree."""
    words = {"path": path, "pattern": text, "context": 0}
    answer = yield Call("search_content", words)
    return answer.text


def tail(path: str, count: str) -> Look:
    """Yield the calls of the pages of the last lines."""
    lines: list[str] = []
    start = -int(count)
    while len(lines) < int(count):
        words = {"path": path, "start": start, "limit": int(count) - len(lines)}
        answer = yield Call("read_content", words)
        page = _NUMBERED.findall(answer.text)
        if not page:
            break
        lines += [line for _, line in page]
        start = int(page[-1][0]) + 1
    return "\n".join(lines)


def names(path: str, pattern: str) -> Look:
    """Yield the call of a list of names."""
    answer = yield Call("list_files", {"path": path, "glob": pattern})
    return answer.text


TOOL = Tool(
    "filewright",
    version("filewright"),
    "here",
    start,
    replace,
    write,
    patch,
    overview=overview,
    search=search,
    tail=tail,
    names=names,
    text=search,
)
