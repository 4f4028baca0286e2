"""One writer at a time, across threads and processes; readers of several files may share.

A writer holds every root alone and every folder above a root together with others, so that
workspaces on nested roots exclude each other and neighbours do not. The lock is `flock` on the
folder itself: POSIX record locks are dropped by any close in the process, and a lock file can be
removed under its holder. All are taken in one order, by device and inode, so that workspaces which
share some never wait for each other in a circle.

It keeps filewright's own processes apart. Editors know nothing of it, so nothing that must not be
lost relies on it alone.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager

from filewright.boundary import Boundary
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task

_UNSUPPORTED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

Identity = tuple[int, int]


class _Above:
    """A folder above a root: opened once, before the process is confined to its roots.

    One open folder has one lock, so the threads that hold it are counted.
    """

    def __init__(self, identity: Identity, descriptor: int) -> None:
        self.identity = identity
        self._descriptor = descriptor
        self._holders = 0
        self._count = threading.Lock()

    def share(self) -> bool:
        """Hold it together with others; False while somebody holds it alone."""
        with self._count:
            if self._holders == 0 and not _locked(self._descriptor, fcntl.LOCK_SH):
                return False
            self._holders += 1
            return True

    def release(self) -> None:
        """Let go of it once."""
        with self._count:
            self._holders -= 1
            if self._holders == 0:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the folder."""
        os.close(self._descriptor)


class _Root:
    """A root, opened anew for each holder."""

    def __init__(self, identity: Identity, folder: int) -> None:
        self.identity = identity
        self._descriptor = os.open(".", _FOLDER, dir_fd=folder)

    def take(self, kind: int) -> bool:
        """Hold it alone or together with others; False while somebody is in the way."""
        return _locked(self._descriptor, kind)

    def release(self) -> None:
        """Let go of it, also for whatever copies of the descriptor other processes may have."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        except OSError:
            pass  # No locks on this file system.
        self.close()

    def close(self) -> None:
        """Close the descriptor; a lock that this process's parent holds by it stays."""
        os.close(self._descriptor)


class WorkspaceLock:
    """The lock of one workspace: re-entrant within a thread, waited for at most `seconds`.

    `skipped` names the folders above the roots that cannot be opened: a workspace there is not kept
    apart from this one.
    """

    def __init__(self, boundary: Boundary, seconds: float) -> None:
        self._boundary = boundary
        self._seconds = seconds
        self._above: dict[Identity, _Above] = {}
        self._start()
        _living.add(self)
        weakref.finalize(self, _close, self._above)

    def _start(self) -> None:
        self._thread = threading.RLock()
        self._depth = 0
        self._held: set[_Root] = set()
        self.skipped: list[str] = []
        for root in self._boundary.roots:
            self._open_above(root.fd, root.resolved or root.path)
        roots = {(root.device, root.inode) for root in self._boundary.roots}
        for identity in roots & self._above.keys():
            self._above.pop(identity).close()  # It is held alone as a root.

    def _open_above(self, folder: int, path: bytes) -> None:
        below = os.fstat(folder)
        descriptor = os.dup(folder)
        try:
            while True:
                path = os.path.dirname(path)
                try:
                    higher = os.open("..", _FOLDER, dir_fd=descriptor)
                except OSError:
                    self.skipped.append(os.fsdecode(path))
                    return
                os.close(descriptor)
                descriptor = higher
                status = os.fstat(descriptor)
                identity = (status.st_dev, status.st_ino)
                if identity == (below.st_dev, below.st_ino):
                    return
                below = status
                if identity not in self._above:
                    self._above[identity] = _Above(identity, os.dup(descriptor))
        finally:
            os.close(descriptor)

    def close(self) -> None:
        """Let go of the folders above the roots."""
        _living.discard(self)
        _close(self._above)

    def forked(self) -> None:
        """In a child process: let go of what the parent holds, and begin anew."""
        for root in self._held:
            root.close()
        _close(self._above)
        self._start()

    @contextmanager
    def exclusive(self, task: Task | None = None, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock alone. Yields whether it was taken just now (False when nested).

        Raises `timeout` when others keep it, at once unless told to `wait`; `cancelled` if `task` is
        cancelled while waiting.
        """
        seconds = self._seconds if wait else 0.0
        deadline = time.monotonic() + seconds
        thread = self._thread
        if not thread.acquire(timeout=seconds):
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
                self._release(held)
        finally:
            thread.release()

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
            self._release(held)

    def _owned(self) -> bool:
        if not self._thread.acquire(blocking=False):
            return False
        self._thread.release()
        return True

    def _take(self, kind: int, deadline: float, task: Task | None) -> list[_Root | _Above]:
        wanted: dict[Identity, _Above | int] = {**self._above}
        wanted.update({(root.device, root.inode): root.fd for root in self._boundary.roots})
        held: list[_Root | _Above] = []
        try:
            for identity in sorted(wanted):
                target = wanted[identity]
                if isinstance(target, _Above):
                    self._wait(target, kind, deadline, task)
                    held.append(target)
                else:
                    root = _Root(identity, target)
                    self._held.add(root)
                    held.append(root)
                    self._wait(root, kind, deadline, task)
        except BaseException as error:
            self._release(held)
            if isinstance(error, OSError):
                raise from_os_error(error, "the workspace", doing="lock") from error
            raise
        return held

    def _wait(self, target: _Root | _Above, kind: int, deadline: float, task: Task | None) -> None:
        pause = 0.0005
        while not (target.share() if isinstance(target, _Above) else target.take(kind)):
            if task is not None:
                task.check()
            if time.monotonic() >= deadline:
                raise self._busy()
            time.sleep(pause)
            pause = min(pause * 2, 0.01)

    def _release(self, held: list[_Root | _Above]) -> None:
        for target in reversed(held):
            if isinstance(target, _Root):
                if target not in self._held:
                    continue  # Closed when this process was forked.
                self._held.discard(target)
                target.release()
            elif target.identity in self._above:
                target.release()

    def _busy(self) -> FilewrightError:
        return FilewrightError(
            Code.TIMEOUT,
            f"another change held the workspace for more than {self._seconds:g} s",
            hint="try again; FILEWRIGHT_LOCK_SECONDS sets how long to wait",
        )


def _locked(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EINTR):
            return False
        if error.errno not in _UNSUPPORTED:
            raise
        # No locks on this file system: the compare-and-swap at publishing remains.
    return True


def _close(folders: dict[Identity, _Above]) -> None:
    for above in folders.values():
        above.close()
    folders.clear()


_living: weakref.WeakSet[WorkspaceLock] = weakref.WeakSet()


def _forked() -> None:
    for lock in list(_living):
        lock.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
