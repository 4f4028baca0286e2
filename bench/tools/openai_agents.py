"""The `apply_diff` of the OpenAI Agents SDK."""

from __future__ import annotations

import re

from bench.case import Patch
from bench.environments import Cache
from bench.stdio import Command
from bench.tools.tool import Call, Calls, Place, Tool, driver

VERSION = "0.24.0"
_NUMBERS = re.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@ ?", re.MULTILINE)


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the driver."""
    python = cache.python(f"openai-agents=={VERSION}")
    return driver(python, "agents_apply_diff", place)


def patch(path: str, request: Patch) -> Calls:
    """Yield the call of a diff, in the form that has no line numbers."""
    diff = without_numbers(request.hunks)
    yield Call("apply", {"path": path, "diff": diff})


def without_numbers(hunks: str) -> str:
    """Return hunks whose heads are those of the format V4A."""
    return re.sub(r"^@@ $", "@@", _NUMBERS.sub("@@ ", hunks), flags=re.M)


TOOL = Tool(
    "openai-agents apply_diff",
    VERSION,
    "PyPI",
    start,
    patch=patch,
    has_files=False,
)
