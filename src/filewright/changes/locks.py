"""One writer at a time, across threads and processes; readers of several files may share.

The lock is `flock` on a fresh descriptor of each root folder: POSIX record locks are dropped by any
close in the process, and a lock file can be removed under its holder. Roots are taken in order of
device and inode, so that workspaces which share some never wait for each other in a circle.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from filewright.boundary import Boundary
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task

_UNSUPPORTED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)


class WorkspaceLock:
    """The lock of one workspace: re-entrant within a thread, waited for at most `seconds`."""

    def __init__(self, boundary: Boundary, seconds: float) -> None:
        self._boundary = boundary
        self._seconds = seconds
        self._thread = threading.RLock()
        self._depth = 0

    @contextmanager
    def exclusive(self, task: Task | None = None, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock alone. Yields whether it was taken just now (False when nested).

        Raises `timeout` when others keep it, at once unless told to `wait`; `cancelled` if `task` is
        cancelled while waiting.
        """
        seconds = self._seconds if wait else 0.0
        deadline = time.monotonic() + seconds
        if not self._thread.acquire(timeout=seconds):
            raise self._busy()
        try:
            if self._depth:
                self._depth += 1
                try:
                    yield False
                finally:
                    self._depth -= 1
                return
            held = self._take(fcntl.LOCK_EX, deadline, task)
            self._depth = 1
            try:
                yield True
            finally:
                self._depth = 0
                self._drop(held)
        finally:
            self._thread.release()

    @contextmanager
    def shared(self, task: Task | None = None) -> Iterator[None]:
        """Hold the lock with other readers while several files are opened as of one moment."""
        if self._depth and self._owned():
            yield
            return
        held = self._take(fcntl.LOCK_SH, time.monotonic() + self._seconds, task)
        try:
            yield
        finally:
            self._drop(held)

    def _owned(self) -> bool:
        if not self._thread.acquire(blocking=False):
            return False
        self._thread.release()
        return True

    def _take(self, kind: int, deadline: float, task: Task | None) -> list[int]:
        held: list[int] = []
        try:
            for root in sorted(self._boundary.roots, key=lambda root: (root.device, root.inode)):
                try:
                    descriptor = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=root.fd)
                    held.append(descriptor)
                    self._wait(descriptor, kind, deadline, task)
                except OSError as error:
                    raise from_os_error(error, root.name, doing="lock the root") from error
        except BaseException:
            self._drop(held)
            raise
        return held

    def _wait(self, descriptor: int, kind: int, deadline: float, task: Task | None) -> None:
        pause = 0.0005
        while True:
            try:
                fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
                return
            except OSError as error:
                if error.errno in _UNSUPPORTED:
                    return  # No locks on this file system: the compare-and-swap at publishing remains.
                if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                    raise
            if task is not None:
                task.check()
            if time.monotonic() >= deadline:
                raise self._busy()
            time.sleep(pause)
            pause = min(pause * 2, 0.01)

    @staticmethod
    def _drop(held: list[int]) -> None:
        for descriptor in reversed(held):
            os.close(descriptor)

    def _busy(self) -> FilewrightError:
        return FilewrightError(
            Code.TIMEOUT,
            f"another change held the workspace for more than {self._seconds:g} s",
            hint="try again; FILEWRIGHT_LOCK_SECONDS sets how long to wait",
        )
