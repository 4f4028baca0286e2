"""Serena, without a language server.

Its edits need the language server of the project's language, which it fetches
when it starts; what it can do without one is to write whole files.
"""

from __future__ import annotations

import os

from bench.case import Write
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Place, Tool

VERSION = "2.1.0"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the server over a project."""
    python = cache.python(f"serena-agent=={VERSION}")
    words = [
        str(python.with_name("serena")),
        "start-mcp-server",
        "--project",
        str(place.root),
        "--agent-interface",
        "tools",
        "--enable-web-dashboard",
        "false",
        "--enable-gui-log-window",
        "false",
    ]
    return Command(words, {"HOME": str(place.home)}, place.root)


def write(path: str, request: Write) -> Calls:
    """Yield the call of a write."""
    content = {"content": request.content}
    yield Call("create_text_file", {**_place(path), **content})


def _place(path: str) -> dict[str, str]:
    """Return the path below the project: a case's folder and a name."""
    return {"relative_path": os.sep.join(path.split(os.sep)[-2:])}


TOOL = Tool("serena", VERSION, "PyPI", start, write=write)
