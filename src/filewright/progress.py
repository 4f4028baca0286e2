"""The state of one call: cancellation, deadline, progress and caller.

The code of filewright is synchronous and runs in worker threads. It calls `Task.check`
between steps, at least every few milliseconds of work, and `Task.report` where it knows
how far it is. The steps of a commit never check: they are completed or rolled back.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from filewright.errors import Code, FilewrightError
from filewright.wording import to_one_line

# Clients choose the names, and each change in the history repeats them.
_MAX_NAME_CHARS = 100
# Most changes hold a lock for milliseconds. A longer wait need not be
# noticed as soon, and should cost little processor time.
_FIRST_PAUSE_SECONDS = 0.0005
_LONGEST_PAUSE_SECONDS = 0.01

SETUP_CLIENT = "filewright setup"
"""The client of changes that configured an agent; they are undone only by name."""

_CLIENT_ALIASES = {"visual": "vscode"}
"""The first words of clients' names that differ from those of their hooks."""

Report = Callable[[float, float | None, str], None]


class Caller(NamedTuple):
    """The session, the client and the prompt that a call belongs to, as far as known.

    `client` is its name and version, `turn` the client's name for the prompt.
    """

    session: str | None = None
    client: str | None = None
    turn: str | None = None


def clean_caller_name(name: object) -> str | None:
    """Return the name of a session, client or turn as one short line, or None."""
    if not isinstance(name, str):
        return None
    return to_one_line(name).strip()[:_MAX_NAME_CHARS] or None


def client_family(name: str | None) -> str:
    """Return the client that a name belongs to, or an empty text for none.

    A client has one name as a server's client and another for its hooks, each with a
    version or more behind it: ``codex`` and ``codex-mcp-client 0.171``.
    """
    match = re.search(r"[a-z0-9]+", (name or "").lower())
    if match is None:
        return ""
    return _CLIENT_ALIASES.get(match[0], match[0])


class Task:
    """A running call, which any thread may cancel, with a deadline and progress.

    - `caller`: recorded with the changes of the call.
    - `notices`: what the caller must know about its changes, such as the save of
      another program and where it was stored.
    - `restored_contents`: for each file that an attempt at a change restored, the
      content that was visible to other programs meanwhile.
    - `preview_diffs`: if a list, each change appends its diff and changes nothing.
    - `progress`: the newest report, for other threads.
    - `cancelled`: True once `cancel` was called.
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
        self.restored_contents: dict[object, Any] = {}
        self.preview_diffs: list[Any] | None = None
        self.progress: tuple[float, float | None, str] | None = None
        self.cancelled = False
        self._seconds = seconds
        self._deadline = (
            math.inf if seconds is None else time.monotonic() + seconds
        )
        self._report = report

    def begin(self) -> None:
        """Restart the deadline, after the call has waited for its turn.

        Raises as `check`.
        """
        if self._seconds is not None:
            self._deadline = time.monotonic() + self._seconds
        self.check()

    def cancel(self) -> None:
        """Stop the work at its next check."""
        # No lock is needed: the working thread only reads the flag.
        self.cancelled = True

    @property
    def expired(self) -> bool:
        """Return True if the deadline has passed."""
        return time.monotonic() > self._deadline

    @property
    def remaining(self) -> float | None:
        """Return the seconds to the deadline (at least 0), or None without one."""
        if self._seconds is None:
            return None
        return max(0.0, self._deadline - time.monotonic())

    def check(self) -> None:
        """Raise `cancelled` or `timeout` if the work must stop."""
        if self.cancelled:
            raise FilewrightError(
                Code.CANCELLED, "the request was cancelled; nothing was changed"
            )
        if self.expired:
            raise FilewrightError(
                Code.TIMEOUT,
                f"the time limit of {self._seconds:g} s passed",
                hint="narrow the request: a smaller folder, a glob, "
                "a rarer pattern, fewer searches in a call",
            )

    def report(
        self, done: float, total: float | None = None, message: str = ""
    ) -> None:
        """Report the progress in any unit; `total` is None if unknown."""
        # Assigned as one tuple: another thread never sees half of a report.
        self.progress = done, total, message
        if self._report is not None:
            self._report(done, total, message)


def retry_until(deadline: float, task: Task | None) -> Iterator[None]:
    """Yield once for each attempt to take a lock, at least once, until `deadline`.

    Raises as `Task.check`. The caller polls, because a blocking wait could be neither
    cancelled nor ended at the deadline.
    """
    pause = _FIRST_PAUSE_SECONDS
    while True:
        yield
        if task is not None:
            task.check()
        # Only after the check: a cancelled call must say that it was cancelled,
        # and not that the lock was busy.
        if time.monotonic() >= deadline:
            return
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
