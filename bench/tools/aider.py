"""The edit blocks of aider."""

from __future__ import annotations

import os

from bench.case import Replace
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Place, Tool, driver

VERSION = "0.86.2"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the driver."""
    python = cache.python(f"aider-chat=={VERSION}")
    return driver(python, "aider_blocks", place)


def replace(path: str, request: Replace) -> Calls:
    """Yield an edit as a block of a model's answer."""
    old, new = (
        text if text.endswith("\n") or not text else text + "\n"
        for text in (request.old, request.new)
    )
    block = (
        f"{path}\n```{os.path.splitext(path)[1][1:]}\n"
        f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
    )
    yield Call("apply", {"path": path, "blocks": block})


TOOL = Tool("aider edit blocks", VERSION, "PyPI", start, replace)
