"""Parser processes for all workspaces of a process of tests: to start one for each takes longer than most tests.

A workspace starts, confines and asks them as ever; only their end is that of the tests. `tests/structure` and, with
FILEWRIGHT_TEST_START=anew, all tests have their own.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator

import pytest

from filewright.boundary import Launcher
from filewright.structure import outlines
from filewright.structure.workers import Workers


class _Shared(Workers):
    def close(self) -> None:
        """Stay, for the next workspace."""


@functools.cache
def _of(process: int) -> Workers:
    return _Shared(Launcher())


@pytest.fixture(scope="module", autouse=True)
def parsers() -> Iterator[None]:
    """Give the workspaces of a module the parser processes of all."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get("FILEWRIGHT_TEST_START") != "anew":
            # A process that was forked must not read what another asked for.
            patch.setattr(outlines, "Workers", lambda launcher: _of(os.getpid()))
        yield
