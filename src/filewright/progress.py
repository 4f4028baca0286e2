"""One call's cancel token, deadline and progress callback, handed down through the rooms.

Core code is synchronous and runs in worker threads; it calls `Task.check()` between steps (at least
every few milliseconds of work) and `Task.report()` where it knows how far it is. The steps of a
commit never check.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from filewright.errors import Code, FilewrightError
from filewright.wording import to_one_line

_CALLER_CHARS = 100

SETUP = "filewright setup"
"""The client by which history names what configured a client: no work on files, and undone only where it is named."""

Report = Callable[[float, float | None, str], None]


class Caller(NamedTuple):
    """Who asks: the session, the client's name and version, and what it calls this part of its conversation."""

    session: str | None = None
    client: str | None = None
    turn: str | None = None


def clean_caller_name(name: object) -> str | None:
    """A name that somebody gives a session, a client or a turn, as it is recorded: one line, cut; or None."""
    return (
        (to_one_line(name).strip()[:_CALLER_CHARS] or None)
        if isinstance(name, str)
        else None
    )


class Task:
    """A running request: may be cancelled from any thread, has a deadline, reports progress.

    `caller` is who asked for it, where that is known; what it changes is recorded under that. `notices`
    is what the caller must know of what was changed, such as another program's save and where it is kept.
    `given_back` is the content of each file that an attempt at a change had shown changed, and was given back.
    Where there is a `rehearsal` nothing is changed: the diff of what would be is put there, and the task ends.
    """

    def __init__(
        self,
        *,
        seconds: float | None = None,
        report: Report | None = None,
        caller: Caller | None = None,
    ) -> None:
        self.caller = caller
        self.notices: list[str] = []
        self.given_back: dict[object, Any] = {}
        self.rehearsal: list[Any] | None = None
        self.progress: tuple[float, float | None, str] | None = None
        """The newest report; it may be read by another thread."""
        self.cancelled = False
        """Whether `cancel` was called."""
        self._deadline = math.inf if seconds is None else time.monotonic() + seconds
        self._seconds = seconds
        self._report = report

    def begin(self) -> None:
        """Count the time from now, when the work was waiting for its turn. Raises as `check` does."""
        if self._seconds is not None:
            self._deadline = time.monotonic() + self._seconds
        self.check()

    def cancel(self) -> None:
        """Ask the work to stop at its next check."""
        self.cancelled = True

    @property
    def expired(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() > self._deadline

    @property
    def remaining(self) -> float | None:
        """Seconds to the deadline (never negative); None without one."""
        return (
            None
            if self._seconds is None
            else max(0.0, self._deadline - time.monotonic())
        )

    def check(self) -> None:
        """Raise `cancelled` or `timeout` if the work must stop."""
        if self.cancelled:
            raise FilewrightError(
                Code.CANCELLED, "the request was cancelled; nothing was changed"
            )
        if time.monotonic() > self._deadline:
            raise FilewrightError(
                Code.TIMEOUT,
                f"the time limit of {self._seconds:g} s passed",
                hint="narrow the request: a smaller folder, a glob, a rarer pattern, fewer searches in a call",
            )

    def report(
        self, done: float, total: float | None = None, message: str = ""
    ) -> None:
        """Tell how far the work is, in any unit; `total` is None if unknown."""
        self.progress = done, total, message
        if self._report is not None:
            self._report(done, total, message)


def retry_until(deadline: float, task: Task | None) -> Iterator[None]:
    """The tries to get what others hold: one, and more of them until the deadline. Raises `cancelled` if the task is.

    Asked again and again, since a blocking call could be neither cancelled nor given up.
    """
    pause = 0.0005
    while True:
        yield
        if task is not None:
            task.check()
        if time.monotonic() >= deadline:
            return
        time.sleep(pause)
        pause = min(pause * 2, 0.01)
