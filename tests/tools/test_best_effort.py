"""Extras of an answer, which may fail or run out of time without an error."""

from __future__ import annotations

import pytest

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.best_effort import best_effort


@pytest.mark.parametrize("code", [Code.NOT_FOUND, Code.TIMEOUT])
def test_leaves_out_what_fails(code: Code) -> None:
    with best_effort(Task()):
        raise FilewrightError(code, "an extra failed")


def test_ends_at_the_time_limit() -> None:
    with best_effort(Task(), work_seconds=0) as extra:
        while True:
            extra.check()
    assert extra.ran_out
    assert extra.expired


def test_is_cancelled_with_the_call() -> None:
    task = Task()
    task.cancel()
    with pytest.raises(FilewrightError) as caught, best_effort(task) as extra:
        extra.check()
    assert caught.value.code == Code.CANCELLED
