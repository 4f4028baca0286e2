"""Extras of an answer, which may fail or run out of time without an error."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from filewright.errors import Code, FilewrightError
from filewright.progress import Task

# A busy machine takes longer for the same work; even so an answer must come.
_ELAPSED_PER_WORK = 3


class _ExtraTask(Task):
    """The task of an extra, limited by processor time, so that load changes no answer."""

    def __init__(self, task: Task, work_seconds: float) -> None:
        super().__init__(
            seconds=_ELAPSED_PER_WORK * work_seconds, caller=task.caller
        )
        self._call_task = task
        self._end = time.thread_time() + work_seconds

    def check(self) -> None:
        """Raise `timeout` if the time is used up, and the errors of the call's task."""
        self._call_task.check()
        super().check()
        if time.thread_time() > self._end:
            raise FilewrightError(Code.TIMEOUT, "this would take too long")


@contextmanager
def best_effort(task: Task, work_seconds: float = 1) -> Iterator[Task]:
    """Leave out an extra that fails or takes longer, such as a count of hidden matches.

    It may take `work_seconds` of the processor's time, and three times as long in all.
    """
    try:
        yield _ExtraTask(task, work_seconds)
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise
