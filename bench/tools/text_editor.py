"""mcp-text-editor, which edits lines by their numbers and a hash."""

from __future__ import annotations

import json

from bench.case import Replace, Write
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Place, Tool

VERSION = "1.0.2"
"""The newest that runs in every Python that filewright runs in."""


def start(cache: Cache, _place: Place) -> Command:
    """Return the command of the server."""
    # The release does not say that it needs the first generation of the SDK.
    python = cache.python(f"mcp-text-editor=={VERSION}", "mcp<2")
    return Command([str(python.with_name("mcp-text-editor"))])


def replace(path: str, request: Replace) -> Calls:
    """Yield the read that tells lines and hash, and the edit of the lines.

    A model sees the lines of the text in the answer to the read; a text that
    the answer does not hold has no numbers.
    """
    answer = yield Call("get_text_file_contents", _ranges(path))
    shown = json.loads(answer.text)[path]
    content = shown["ranges"][0]["content"]
    before, match, _ = content.partition(request.old)
    if not match:
        return
    first = before.count("\n")
    count = request.old.removesuffix("\n").count("\n") + 1
    all_lines = content.splitlines(keepends=True)
    if not request.new and first + count < len(all_lines):
        # An edit leaves at least one line, so a deletion takes the next with it.
        count += 1
    old = "".join(all_lines[first : first + count])
    patch = {
        "line_start": first + 1,
        "line_end": first + count,
        "contents": old.replace(request.old, request.new),
        "range_hash": "",
    }
    answer = yield Call(
        "get_text_file_contents", _ranges(path, first + 1, first + count)
    )
    shown = json.loads(answer.text)[path]
    patch["range_hash"] = shown["ranges"][0]["range_hash"]
    yield _edit(path, shown["file_hash"], patch)


def write(path: str, request: Write) -> Calls:
    """Yield the read that tells the hash, and the edit of all lines."""
    answer = yield Call("get_text_file_contents", _ranges(path))
    shown = json.loads(answer.text)[path]
    patch = {
        "line_start": 1,
        "line_end": None,
        "contents": request.content,
        "range_hash": shown["ranges"][0]["range_hash"],
    }
    yield _edit(path, shown["file_hash"], patch)


def _ranges(
    path: str, start: int = 1, end: int | None = None
) -> dict[str, object]:
    lines = {"start": start, "end": end}
    return {"files": [{"file_path": path, "ranges": [lines]}]}


def _edit(path: str, file_hash: str, patch: dict[str, object]) -> Call:
    """Return the call of an edit of lines."""
    file = {"path": path, "file_hash": file_hash, "patches": [patch]}
    return Call("edit_text_file_contents", {"files": [file]})


TOOL = Tool("mcp-text-editor", VERSION, "PyPI", start, replace, write)
