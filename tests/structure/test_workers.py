from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tests.boundary.children import children_of

from filewright.boundary.launcher import Launcher
from filewright.errors import Code, FilewrightError
from filewright.languages import Language
from filewright.progress import Task
from filewright.settings import Settings
from filewright.structure.outlines import Outlines
from filewright.structure.wire import Request
from filewright.structure.workers import GRAMMAR_FAILED_NOTE, Workers
from filewright.system import HAS_PROCESS_GROUPS


def test_crash_of_a_grammar() -> None:
    outlines = Outlines(Settings())
    crashing = b"- " * 5_000 + b"x"  # overflows the scanner of YAML's grammar
    first, again = (outlines.outline(crashing, Language.YAML) for _ in range(2))
    assert first is again  # not tried twice
    assert first.parsed or first.note == GRAMMAR_FAILED_NOTE
    assert outlines.outline(b"a: 1\n", Language.YAML).count == 1
    outlines.close()


def test_slow_parse_is_stopped() -> None:
    outlines = Outlines(Settings(parse_seconds=0.001))
    outline, again = (
        outlines.outline(b"x = [1, 2]\n" * 200_000, Language.PYTHON)
        for _ in range(2)
    )
    assert outline is again  # the next request does not wait as long again
    assert not outline.is_whole
    assert "longer than the limit" in (
        outline.note or ""
    ) or "outlined by patterns" in (outline.note or "")
    outlines.close()


def test_content_above_the_limit() -> None:
    outlines = Outlines(Settings(parse_bytes=10))
    outline = outlines.outline(b"def f(): pass\n", Language.PYTHON)
    assert not outline.parsed
    assert "above the limit of 10" in (outline.note or "")


@pytest.mark.skipif(
    not HAS_PROCESS_GROUPS,
    reason="it stops a process, or reads a pipe by its descriptor",
)
def test_silent_worker_is_killed() -> None:
    launcher = Launcher()
    workers = Workers(launcher)
    request = Request(Language.PYTHON, "utf-8", 5.0)
    assert workers.outline(request, b"x = 1\n").count == 1
    (process,) = children_of(launcher)
    os.kill(process, signal.SIGSTOP)
    outline = workers.outline(replace(request, seconds=0.1), b"x = 2\n")
    assert not outline.parsed
    assert "longer than the limit" in (outline.note or "")
    assert workers.outline(request, b"def f(): pass\n").count == 1
    assert process not in children_of(launcher)
    workers.close()
    launcher.close()


@pytest.mark.skipif(
    not HAS_PROCESS_GROUPS,
    reason="it stops a process, or reads a pipe by its descriptor",
)
def test_prepared_worker_makes_the_first_outline() -> None:
    launcher = Launcher()
    workers = Workers(launcher)
    workers.prepare()
    workers.prepare()  # once is enough
    ready = children_of(launcher)
    assert len(ready) == 1
    assert (
        workers.outline(
            Request(Language.PYTHON, "utf-8", 5.0), b"x = 1\n"
        ).count
        == 1
    )
    assert children_of(launcher) == ready
    workers.close()
    launcher.close()


def test_says_that_no_process_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "")
    outline = Outlines(Settings()).outline(b"x = 1\n", Language.PYTHON)
    assert not outline.parsed
    assert "no parser process starts" in (outline.note or "")


@pytest.mark.skipif(
    not HAS_PROCESS_GROUPS,
    reason="it stops a process, or reads a pipe by its descriptor",
)
def test_workers_end_with_their_owner() -> None:
    workers = Workers(Launcher())
    workers.outline(Request(Language.PYTHON, "utf-8", 5.0), b"x = 1\n")
    with open(os.dup(workers._idle[0]._child.stdout.fileno()), "rb") as output:
        del workers
        gc.collect()
        os.set_blocking(output.fileno(), True)
        assert output.read() == b""  # nobody holds the other end any more


def test_cancels() -> None:
    outlines = Outlines(Settings())
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        outlines.outline(b"def g(): pass\n", Language.PYTHON, task=task)
    assert caught.value.code is Code.CANCELLED
    assert outlines.outline(b"def g(): pass\n", Language.PYTHON).count == 1
    outlines.close()


def test_many_threads_share_two_workers() -> None:
    outlines = Outlines(Settings(parse_seconds=20))
    started = threading.Barrier(8)

    def one(number: int) -> int:
        started.wait()
        return outlines.outline(
            b"def f(): pass\n" * (number + 1), Language.PYTHON
        ).count

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(8))) == list(range(1, 9))
    assert len(outlines._workers._idle) <= 2
    outlines.close()
