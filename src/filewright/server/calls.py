"""Worker threads for tool calls: the event loop waits, it never works.

Two lanes, one for calls that only read and one for calls that may change something, so that no number
of long searches delays an edit. A call that its client abandons learns it through its `Task` and leaves
at its next check; a commit never checks, so it is never left half way. `close` waits for those.
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

GRACE = 5.0
"""Seconds past its time limit that a call may take to notice it."""
QUIET = 0.5
"""Seconds before a call's progress is worth a message, and between two of them."""


class CallRunner:
    """Runs work in bounded lanes of threads; `workers` threads each."""

    def __init__(self, *, workers: int, seconds: float) -> None:
        self._lanes = {
            writes: ThreadPoolExecutor(
                workers,
                thread_name_prefix=f"filewright-{'write' if writes else 'read'}",
            )
            for writes in (False, True)
        }
        self._seconds = seconds
        self._running: dict[concurrent.futures.Future[Any], Task] = {}

    async def run(
        self,
        work: Callable[[Task], T],
        *,
        writes: bool = False,
        notify: Notify | None = None,
    ) -> T:
        """`work(task)` in a thread of its lane; `notify` is called with its progress, if it takes long.

        Raises what `work` raises, and `timeout` if it outlives its limit without noticing; the limit
        counts from when a thread takes the call up. When the waiting task is cancelled the call is, too.
        """
        loop = asyncio.get_running_loop()
        task, begun = Task(seconds=self._seconds), loop.create_future()

        def do() -> T:
            with contextlib.suppress(
                RuntimeError
            ):  # the loop is gone: nobody waits, the work still counts
                loop.call_soon_threadsafe(begun.set_result, None)
            task.begin()
            return work(task)

        future = self._lanes[writes].submit(do)
        self._running[future] = task
        future.add_done_callback(lambda done: self._running.pop(done, None))
        ticker = (
            asyncio.ensure_future(_tick(task, notify))
            if notify is not None
            else None
        )
        waiting = asyncio.wrap_future(future)
        try:
            await asyncio.wait(
                {waiting, begun}, return_when=asyncio.FIRST_COMPLETED
            )
            await asyncio.wait({waiting}, timeout=self._seconds + GRACE)
            if waiting.done():
                return waiting.result()
        finally:
            task.cancel()
            waiting.cancel()
            if ticker is not None:
                ticker.cancel()
        hint = "narrow the request: a smaller folder, a glob, a rarer pattern, fewer searches in a call"
        if writes:
            hint = "get_history tells whether the change was made before the limit passed"
        raise FilewrightError(
            Code.TIMEOUT, f"the time limit of {self._seconds:g} s passed", hint
        )

    @property
    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        return not self._running

    def close(self, seconds: float) -> bool:
        """Cancel what runs and wait for it, at most `seconds`; whether everything has ended."""
        for task in list(self._running.values()):
            task.cancel()
        for lane in self._lanes.values():
            lane.shutdown(wait=False, cancel_futures=True)
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


async def _tick(task: Task, notify: Notify) -> None:
    """Pass on the newest report every half second; a call that says nothing shows that it is alive.

    Progress must always increase, so a silent call counts in millionths of a second passed, which any
    real report outdoes, and a report that does not is raised by a hair.
    """
    started = time.monotonic()
    sent = 0.0
    while True:
        await asyncio.sleep(QUIET)
        if task.progress is None:
            done, total, message = (
                (time.monotonic() - started) / 1e6,
                None,
                "working",
            )
        else:
            done, total, message = task.progress
        sent = done if done > sent else sent + 1e-9 * max(1.0, abs(sent))
        await notify(sent, total, message or None)
