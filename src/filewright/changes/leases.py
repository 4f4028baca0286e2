"""Whether another process has a file open for writing, asked of the kernel by a read lease.

A program that appends through an old descriptor would write into the file that was replaced. A
read lease is only granted while nobody writes. It is given back at once; should someone open the
file for writing in between, the kernel tells us by a signal, and the usual one (SIGIO) ends a
process that does not handle it, so a signal that is ignored by default is asked for.
"""

from __future__ import annotations

import errno
import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SETLEASE = getattr(fcntl, "F_SETLEASE", None)
_SETSIG = getattr(fcntl, "F_SETSIG", None)


def take(descriptor: int) -> bool | None:
    """Take a read lease: True if taken, False if someone writes, None where the kernel cannot tell.

    It cannot tell for files of another user, on network file systems and outside Linux.
    """
    if _SETLEASE is None or _SETSIG is None:
        return None
    try:
        fcntl.fcntl(descriptor, _SETSIG, int(signal.SIGURG))
        fcntl.fcntl(descriptor, _SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EWOULDBLOCK):
            return False
        return None
    return True


def drop(descriptor: int) -> None:
    """Give a lease back."""
    if _SETLEASE is not None:
        fcntl.fcntl(descriptor, _SETLEASE, fcntl.F_UNLCK)


def written_by_others(descriptor: int) -> bool:
    """Whether some process has the file open for writing at this moment (False if unknown)."""
    granted = take(descriptor)
    if granted:
        drop(descriptor)
    return granted is False


@contextmanager
def quiet(folder: int, name: bytes) -> Iterator[int | None]:
    """Open `name` and hold a lease on it, so that nobody can begin to write to it meanwhile.

    Yields the descriptor, or None if someone has it open for writing now.
    """
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    try:
        granted = take(descriptor)
        if granted is False:
            yield None
            return
        try:
            yield descriptor
        finally:
            if granted:
                drop(descriptor)
    finally:
        os.close(descriptor)
