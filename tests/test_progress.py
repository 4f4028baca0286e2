"""`progress`: cancellation, deadlines, reports and names of callers."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from filewright.errors import Code, FilewrightError
from filewright.progress import Task, clean_caller_name, retry_until


def test_check_passes_while_running():
    Task().check()
    Task(seconds=60).check()


def test_check_raises_when_cancelled():
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught:
        task.check()
    assert caught.value.code is Code.CANCELLED


def test_check_raises_after_deadline():
    task = Task(seconds=0.001)
    time.sleep(0.01)
    assert task.expired
    assert task.remaining == 0.0
    with pytest.raises(FilewrightError) as caught:
        task.check()
    assert caught.value.code is Code.TIMEOUT
    assert "0.001 s" in caught.value.message


def test_begin_restarts_deadline():
    task = Task(seconds=60)
    time.sleep(0.05)
    left = task.remaining
    task.begin()
    assert task.remaining is not None
    assert left is not None
    assert task.remaining > left


def test_has_no_deadline_by_default():
    assert Task().remaining is None
    assert not Task().expired


def test_reports_progress():
    reports = []
    task = Task(report=lambda *report: reports.append(report))
    task.report(1, 2, "half")
    assert reports == [(1, 2, "half")]
    assert task.progress == (1, 2, "half")


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        pytest.param("main", "main", id="plain"),
        pytest.param(" a\nb ", r"a\x0ab", id="line break"),
        pytest.param("x" * 200, "x" * 100, id="long"),
        pytest.param("  ", None, id="blank"),
        pytest.param(5, None, id="number"),
        pytest.param(None, None, id="none"),
    ],
)
def test_cleans_names_of_callers(name, cleaned):
    assert clean_caller_name(name) == cleaned


def test_retries_at_least_once():
    assert len(list(retry_until(time.monotonic() - 1, None))) == 1


def test_retries_until_deadline(monkeypatch):
    pauses = []
    # A busy machine may sleep through the whole time.
    clock = SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append)
    monkeypatch.setattr("filewright.progress.time", clock)
    assert len(list(retry_until(0.05, None))) > 2
    assert 0.05 <= sum(pauses) < 0.06


def test_stops_retrying_when_cancelled():
    task = Task()
    attempts = retry_until(time.monotonic() + 60, task)
    next(attempts)
    task.cancel()
    with pytest.raises(FilewrightError, match="cancelled"):
        next(attempts)
