"""The file tools of LangChain."""

from __future__ import annotations

from bench.environments import Cache
from bench.stdio import Command
from bench.tools.deepagents import write
from bench.tools.tool import Place, Tool, driver

VERSION = "0.4.2"


def start(cache: Cache, place: Place) -> Command:
    """Return the command of the driver."""
    python = cache.python(f"langchain-community=={VERSION}")
    return driver(python, "langchain_files", place)


TOOL = Tool("langchain file tools", VERSION, "PyPI", start, write=write)
