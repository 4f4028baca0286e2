"""Worker threads for tool calls; the event loop only waits for them.

Calls that read and calls that may write have threads of their own, so that no number of
long searches delays an edit. A call whose client gives up is cancelled through its
`Task`, and ends at its next check. A commit makes no check, so it is never left half
way; `CallRunner.close` waits for it.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from filewright.errors import Code, FilewrightError
from filewright.progress import Task

_logger = logging.getLogger(__name__)

T = TypeVar("T")
Notify = Callable[[float, float | None, str | None], Awaitable[None]]
"""A sender of progress: the part done, the total if known, and a message."""

GRACE_SECONDS = 5.0
"""The time past its limit in which a call may notice it."""
PROGRESS_SECONDS = 0.5
"""The time before a call's first report of progress, and between two of them."""


class CallRunner:
    """A runner of calls in threads: `workers` for reads, and as many for writes."""

    def __init__(self, *, workers: int, seconds: float) -> None:
        """Give each call `seconds` from the moment a thread takes it up."""
        self._readers = ThreadPoolExecutor(
            workers, thread_name_prefix="filewright-read"
        )
        self._writers = ThreadPoolExecutor(
            workers, thread_name_prefix="filewright-write"
        )
        self._seconds = seconds
        self._running: dict[concurrent.futures.Future[Any], Task] = {}

    async def run(
        self,
        work: Callable[[Task], T],
        *,
        writes: bool = False,
        notify: Notify | None = None,
    ) -> T:
        """Return `work(task)`, run in a thread; send its progress with `notify`.

        If the waiting coroutine is cancelled, the call is cancelled too. Raise what
        `work` raises, and `timeout` if it does not notice that its time has passed.
        """
        loop = asyncio.get_running_loop()
        task = Task(seconds=self._seconds)
        started = loop.create_future()

        def run_in_thread() -> T:
            # Without a loop the server is stopping, but the work still counts.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(started.set_result, None)
            task.begin()
            return work(task)

        threads = self._writers if writes else self._readers
        future = threads.submit(run_in_thread)
        self._running[future] = task
        future.add_done_callback(lambda done: self._running.pop(done, None))
        reporter = None
        if notify is not None:
            reporter = asyncio.ensure_future(_report(task, notify))
        result = asyncio.wrap_future(future)
        try:
            # The time in which a call waits for a thread is not counted as its own.
            await asyncio.wait(
                {result, started}, return_when=asyncio.FIRST_COMPLETED
            )
            await asyncio.wait({result}, timeout=self._seconds + GRACE_SECONDS)
            if result.done():
                return result.result()
        finally:
            # The client may have given up, or the limit have passed: the call must not
            # go on for nothing.
            task.cancel()
            result.cancel()
            if reporter is not None:
                reporter.cancel()
        raise self._timeout(writes=writes)

    def _timeout(self, *, writes: bool) -> FilewrightError:
        if writes:
            hint = (
                "get_history tells if the change was made before the limit "
                "passed"
            )
        else:
            hint = (
                "narrow the request: a smaller folder, a glob, a rarer pattern, "
                "fewer searches in a call"
            )
        return FilewrightError(
            Code.TIMEOUT, f"the time limit of {self._seconds:g} s passed", hint
        )

    @property
    def is_idle(self) -> bool:
        """True if no call runs or waits."""
        return not self._running

    def close(self, seconds: float) -> bool:
        """Cancel all calls and wait for them; return False if one has not ended.

        Wait for at most `seconds`.
        """
        for task in list(self._running.values()):
            task.cancel()
        for threads in (self._readers, self._writers):
            threads.shutdown(wait=False, cancel_futures=True)
        unfinished = concurrent.futures.wait(
            list(self._running), timeout=seconds
        ).not_done
        if unfinished:
            _logger.error(
                "%d calls did not end within %g s of being cancelled",
                len(unfinished),
                seconds,
            )
        return not unfinished


async def _report(task: Task, notify: Notify) -> None:
    """Send the newest report of a call every half second.

    A call without a report still shows that it is alive. The protocol requires
    progress to increase always: such a call counts in millionths of a second, which any
    real report exceeds, and a report that does not increase is raised by a tiny amount.
    """
    started = time.monotonic()
    sent = 0.0
    while True:
        await asyncio.sleep(PROGRESS_SECONDS)
        if task.progress is None:
            done = (time.monotonic() - started) / 1e6
            total, message = None, "working"
        else:
            done, total, message = task.progress
        if done <= sent:
            done = sent + 1e-9 * max(1.0, abs(sent))
        sent = done
        await notify(sent, total, message or None)
