"""Parser processes for all workspaces of a process of tests: to start one for each takes longer than most tests.

A workspace starts, confines and asks them as ever; only their end is that of the tests. `tests/structure` and, with
FILEWRIGHT_TEST_START=anew, all tests have their own.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import pytest

from filewright.boundary.launcher import Launcher
from filewright.structure import outlines
from filewright.structure.workers import Workers


class _Shared(Workers):
    def close(self) -> None:
        """Stay, for the next workspace."""


@functools.cache
def _of(process: int) -> Workers:
    return _Shared(Launcher())


def share() -> None:
    """Give the workspaces of this process the same parser processes from now on."""
    if os.environ.get("FILEWRIGHT_TEST_START") != "anew":
        # A process that was forked must not read what another asked for.
        outlines.Workers = lambda launcher: _of(os.getpid())  # type: ignore[assignment,misc]


@pytest.fixture(scope="module", autouse=True)
def parsers() -> Iterator[None]:
    """Give the workspaces of a module the parser processes of all."""
    share()
    yield
    outlines.Workers = Workers  # type: ignore[misc]
