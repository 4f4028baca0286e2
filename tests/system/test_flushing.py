"""Flushing many files at once."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from filewright import system
from filewright.system import flush_all, stop_flush_threads


class Disk:
    """A file that counts how often it is flushed, and may fail."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.flushes = 0

    def flush(self) -> None:
        self.flushes += 1
        if self.fails:
            raise OSError(5, "failed")


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_flushes_all_once(count: int) -> None:
    files = [Disk() for _ in range(count)]
    flush_all(files)
    assert [file.flushes for file in files] == [1] * count


@pytest.mark.parametrize("count", [1, 2, 40])
def test_raises_after_all(count: int) -> None:
    files = [Disk(fails=number == 0) for number in range(count)]
    with pytest.raises(OSError, match="failed"):
        flush_all(files)
    assert [file.flushes for file in files] == [1] * count


def test_threads_can_be_stopped() -> None:
    def running() -> int:
        return sum(
            thread.name.startswith("flush") for thread in threading.enumerate()
        )

    for _ in range(2):
        flush_all([Disk(), Disk()])
        assert running() > 0
        stop_flush_threads()
        assert running() == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_flushes_in_forked_process(tmp_path: Path) -> None:
    with system.open_folder(os.fsencode(tmp_path)) as folder:
        flush_all([folder, folder])
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            flush_all([folder, folder])
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
