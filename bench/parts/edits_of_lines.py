"""The one edit that the parts of crashes and races make: a line of many."""

from __future__ import annotations

from pathlib import Path

from bench.case import File, Patch, Replace, Request, Write
from bench.stdio import Answer, Server, ServerGoneError
from bench.tools.tool import Tool, play

LINES = 6_000
_AT = LINES // 2
OLD, NEW = f"line {_AT} of the file", f"LINE {_AT} of the file, changed"


def make_file(name: str) -> File:
    """Return a file of some 130 KB."""
    return File(name, make_content(""))


def make_content(tail: str, *, is_edited: bool = False) -> bytes:
    """Return the content, with the edit or without, and what follows it."""
    lines = [f"line {number} of the file\n" for number in range(LINES)]
    if is_edited:
        lines[_AT] = NEW + "\n"
    return ("".join(lines) + tail).encode()


def request_for(tool: Tool) -> Request:
    """Return the edit in a form that the tool has words for."""
    if tool.replace is not None:
        return Replace(OLD, NEW)
    if tool.patch is not None:
        above, below = (
            f" line {_AT - 1} of the file",
            f" line {_AT + 1} of the file",
        )
        head = f"@@ -{_AT},3 +{_AT},3 @@"
        return Patch(
            "\n".join([head, above, f"-{OLD}", f"+{NEW}", below]) + "\n"
        )
    return Write(make_content("", is_edited=True).decode())


def edit_file(server: Server, tool: Tool, path: Path) -> Answer:
    """Make the edit by a tool; return an error if its server has gone."""
    try:
        return play(server, tool.calls(str(path), request_for(tool)))
    except ServerGoneError as error:
        return Answer(str(error), True)
