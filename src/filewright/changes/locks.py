"""The locks for changing a workspace and for adding to the index of state folders."""

from __future__ import annotations

import errno
import os
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from filewright.boundary.boundary import Boundary
from filewright.errors import from_os_error, lock_timeout
from filewright.progress import Task, retry_until
from filewright.system import Folder

_UNSUPPORTED = (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS)


class WorkspaceLock:
    """The lock of one workspace: one writer at a time, across threads and processes.

    It is re-entrant within a thread, and waited for at most `seconds`. A writer holds
    every root alone, and every folder above a root together with others: workspaces on
    nested roots exclude each other, and neighbours do not. The lock is on the folder
    itself, since a lock file can be removed under its holder. Locks are taken in the
    order of device and inode, so workspaces that share roots never wait for each other
    in a circle.

    It separates processes of filewright. Editors do not know it, so nothing that must
    not be lost relies on it alone. A workspace on a folder above the roots that cannot
    be opened is not separated from this one.
    """

    def __init__(self, boundary: Boundary, seconds: float) -> None:
        self._roots = {root.identity: root.folder for root in boundary.roots}
        self._seconds = seconds
        self.start()
        _living.add(self)

    def start(self) -> None:
        """Open the folders above the roots, with no lock held.

        A child process starts again after a fork: it holds none of its parent's locks.
        """
        # After a fork the old lock may be held by a thread that the child lacks:
        # it would never be released.
        self._thread = threading.RLock()
        self._depth = 0
        # Opened once, before the process is confined to its roots.
        self._above: dict[tuple[int, int], Folder] = {}
        for root in self._roots.values():
            above: Folder | None = root
            while above is not None:
                above = self._opened_above(above)

    def _opened_above(self, folder: Folder) -> Folder | None:
        """Return the folder above one if it is to be locked or passed, or None."""
        # A folder that may not be listed cannot be locked, but one above it perhaps
        # can.
        for listable in (True, False):
            with suppress(OSError):
                above = folder.open_parent(listable=listable)
                if above is None or not listable:
                    return above
                identity = above.status().identity
                return (
                    above
                    if identity in self._roots
                    else self._above.setdefault(identity, above)
                )
        return None

    def close(self) -> None:
        """Release the folders above the roots."""
        _living.discard(self)
        for above in self._above.values():
            above.close()
        self._above.clear()

    @contextmanager
    def exclusive(
        self, task: Task | None = None, *, wait: bool = True
    ) -> Iterator[bool]:
        """Hold the lock alone; yield False if the call is nested.

        Raise `timeout` if other processes hold it, at once without `wait`, and
        `cancelled`.
        """
        deadline = time.monotonic() + (self._seconds if wait else 0.0)
        thread = self._thread
        for _ in retry_until(deadline, task):
            if thread.acquire(blocking=False):
                break
        else:
            raise lock_timeout("change locked the workspace", self._seconds)
        with ExitStack() as cleanups:
            cleanups.callback(thread.release)
            # Only the holder of the thread lock uses the depth.
            depth = self._depth
            try:
                # In the order of identities, so that no two processes wait in a circle.
                # A root is opened again each time: to close it releases its lock.
                for identity in (
                    () if depth else sorted({*self._above, *self._roots})
                ):
                    root = self._roots.get(identity)
                    folder = (
                        self._above[identity]
                        if root is None
                        else root.open_folder(b".")
                    )
                    if root is not None:
                        cleanups.callback(folder.close)
                    if not lock_folder(
                        folder, deadline, task, exclusive=root is not None
                    ):
                        raise lock_timeout(
                            "change locked the workspace", self._seconds
                        )
                    # Folders above the roots stay open for the next call, so that no
                    # closing releases their lock.
                    if root is None:
                        cleanups.callback(folder.unlock)
            except OSError as error:
                raise from_os_error(
                    error, "the workspace", doing="lock"
                ) from error
            self._depth = depth + 1
            try:
                yield not depth
            finally:
                self._depth = depth


def lock_folder(
    folder: Folder, deadline: float, task: Task | None, *, exclusive: bool
) -> bool:
    """Lock a folder; return False if others hold it until the deadline.

    Raise `OSError` and `cancelled`.
    """
    for _ in retry_until(deadline, task):
        try:
            if folder.lock(exclusive):
                return True
        except OSError as error:
            if error.errno not in _UNSUPPORTED:
                raise
            # No locks on this file system: the compare-and-swap at publishing remains.
            return True
    return False


_living: weakref.WeakSet[WorkspaceLock] = weakref.WeakSet()


def _restart_in_child() -> None:
    """Release the locks of the parent in a child process."""
    for lock in list(_living):
        lock.start()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_restart_in_child)
