"""Extras of an answer, which may fail or run out of time without an error."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from filewright.errors import Code, FilewrightError
from filewright.progress import Task

# A busy machine takes longer for the same work; even so an answer must come.
_ELAPSED_PER_WORK = 3
MIN_ELAPSED_SECONDS = 1.0
"""Seconds that an extra may take in all, however little work it is."""


class ExtraTask(Task):
    """The task of an extra, limited by processor time, so that load changes few answers.

    `ran_out` is True once the extra was stopped because its time was used up.
    """

    def __init__(self, task: Task, work_seconds: float) -> None:
        super().__init__(
            seconds=max(MIN_ELAPSED_SECONDS, _ELAPSED_PER_WORK * work_seconds),
            caller=task.caller,
        )
        self.ran_out = False
        self._call_task = task
        self._end = time.thread_time() + work_seconds

    @property
    def expired(self) -> bool:
        """Return True if the time is used up."""
        return super().expired or time.thread_time() > self._end

    def check(self) -> None:
        """Raise `timeout` if the time is used up, and the errors of the call's task."""
        self._call_task.check()
        if self.expired:
            self.ran_out = True
            raise FilewrightError(Code.TIMEOUT, "this takes too long")
        super().check()


@contextmanager
def best_effort(task: Task, work_seconds: float = 1) -> Iterator[ExtraTask]:
    """Leave out an extra that fails or takes longer, such as a count of hidden matches.

    It may take `work_seconds` of the processor's time, and three times as long in all,
    but a second at least.
    """
    try:
        yield ExtraTask(task, work_seconds)
    except FilewrightError as error:
        if error.code == Code.CANCELLED:
            raise
