"""One writer at a time, across threads and processes.

A writer holds every root alone and every folder above a root together with others, so that
workspaces on nested roots exclude each other and neighbours do not. The lock is on the folder
itself: a lock file can be removed under its holder. All are taken in one order, by device and inode,
so that workspaces which share some never wait for each other in a circle.

It keeps filewright's own processes apart. Editors know nothing of it, so nothing that must not be
lost relies on it alone.
"""

from __future__ import annotations

import errno
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from filewright.boundary import Boundary
from filewright.errors import FilewrightError, from_os_error, locked
from filewright.progress import Task
from filewright.system import Folder

_UNSUPPORTED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)

FolderId = tuple[int, int]


class _Above:
    """A folder above a root: opened once, before the process is confined to its roots.

    One open folder has one lock, so the threads that hold it are counted.
    """

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._holders = 0
        self._count = threading.Lock()

    def lock(self) -> bool:
        """Hold it together with others; False while somebody holds it alone."""
        with self._count:
            if self._holders == 0 and not lock_folder(self.folder, exclusive=False):
                return False
            self._holders += 1
            return True

    def release(self) -> None:
        """Let go of it once."""
        with self._count:
            self._holders -= 1
            if self._holders == 0:
                self.folder.unlock()


class _Root:
    """A root, opened anew for each holder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder.folder(b".")

    def lock(self) -> bool:
        """Hold it alone; False while somebody is in the way."""
        return lock_folder(self._folder, exclusive=True)

    def release(self) -> None:
        """Let go of it."""
        self._folder.close()


class WorkspaceLock:
    """The lock of one workspace: re-entrant within a thread, waited for at most `seconds`.

    A workspace on a folder above the roots that cannot be opened is not kept apart from this one.
    """

    def __init__(self, boundary: Boundary, seconds: float) -> None:
        self._boundary = boundary
        self._seconds = seconds
        self._start()
        _living.add(self)

    def _start(self) -> None:
        self._thread = threading.RLock()
        self._depth = 0
        self._above: dict[FolderId, _Above] = {}
        for root in self._boundary.roots:
            self._open_above(root.folder)
        for root in self._boundary.roots:
            self._above.pop((root.device, root.inode), None)  # It is held alone as a root.

    def _open_above(self, folder: Folder) -> None:
        while True:
            try:
                above = folder.parent()
                if above is None:
                    return
                folder = self._above.setdefault(above.identity(), _Above(above)).folder
            except OSError:
                try:
                    above = folder.parent(listing=False)
                except OSError:
                    return
                if above is None:
                    return
                folder = above

    def close(self) -> None:
        """Let go of the folders above the roots."""
        _living.discard(self)
        for above in self._above.values():
            above.folder.close()
        self._above.clear()

    def forked(self) -> None:
        """In a child process, which holds none of its parent's locks: begin anew, with folders of its own."""
        self._start()

    @contextmanager
    def exclusive(self, task: Task | None = None, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock alone. Yields whether it was taken just now (False when nested).

        Raises `timeout` when others keep it, at once unless asked to `wait`; `cancelled` if `task` is
        cancelled while waiting.
        """
        seconds = self._seconds if wait else 0.0
        deadline = time.monotonic() + seconds
        thread = self._thread
        wait_for(partial(thread.acquire, blocking=False), deadline, task, self._busy)
        try:
            if self._depth:
                self._depth += 1
                try:
                    yield False
                finally:
                    self._depth -= 1
                return
            held = self._take(deadline, task)
            self._depth = 1
            try:
                yield True
            finally:
                self._depth = 0
                _release(held)
        finally:
            thread.release()

    def _take(self, deadline: float, task: Task | None) -> list[_Root | _Above]:
        wanted: dict[FolderId, _Above | Folder] = {**self._above}
        wanted.update({(root.device, root.inode): root.folder for root in self._boundary.roots})
        held: list[_Root | _Above] = []
        try:
            for identity in sorted(wanted):
                target = wanted[identity]
                place = target if isinstance(target, _Above) else _Root(target)
                wait_for(place.lock, deadline, task, self._busy)
                held.append(place)
        except BaseException as error:
            _release(held)
            if isinstance(error, OSError):
                raise from_os_error(error, "the workspace", doing="lock") from error
            raise
        return held

    def _busy(self) -> FilewrightError:
        return locked("change held the workspace", self._seconds)


def wait_for(
    lock: Callable[[], bool], deadline: float, task: Task | None, busy: Callable[[], FilewrightError]
) -> None:
    """Try to `lock` until it is held. Raises what `busy` makes after the deadline, `cancelled` if the task is.

    Asked again and again, since a blocking call could be neither cancelled nor given up.
    """
    pause = 0.0005
    while not lock():
        if task is not None:
            task.check()
        if time.monotonic() >= deadline:
            raise busy()
        time.sleep(pause)
        pause = min(pause * 2, 0.01)


def _release(held: list[_Root | _Above]) -> None:
    for place in reversed(held):
        place.release()


def lock_folder(folder: Folder, *, exclusive: bool) -> bool:
    """Lock a folder; False while others have it. Raises `OSError`."""
    try:
        return folder.lock(exclusive)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        # No locks on this file system: the compare-and-swap at publishing remains.
        return True


_living: weakref.WeakSet[WorkspaceLock] = weakref.WeakSet()


def _forked() -> None:
    for lock in list(_living):
        lock.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
