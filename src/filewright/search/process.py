"""A running `rg`: found, started on a file that is open here, read, and ended for certain.

The child gets a descriptor, never a path of the user's: it opens the file by the descriptor's number
in `/proc`, so that it reads exactly the file that the boundary opened, at a position of its own.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import lru_cache

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot

_LOOK = 50  # milliseconds between two looks at the cancel token


class DeclinedError(Exception):
    """`rg` would not take the pattern or the file; this process searches instead."""


@lru_cache(maxsize=1)
def binary() -> str | None:
    """The absolute path of `rg`: this Python's own, else one on the PATH; None if there is none."""
    name = "rg.exe" if os.name == "nt" else "rg"
    folders = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    folders += [os.path.dirname(os.path.realpath(sys.executable))]
    folders += [
        sysconfig.get_path("scripts", scheme) for scheme in sysconfig.get_scheme_names() if "user" in scheme
    ]
    for folder in folders:
        path = os.path.join(folder, name) if folder else ""
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.abspath(path)
    found = shutil.which(name)
    return os.path.abspath(found) if found else None


def reaches(snapshot: Snapshot) -> bool:
    """Whether a child can read this file: it is open, nothing newer is held of it, and there is an `rg`."""
    return (
        snapshot.held is None
        and snapshot.descriptor is not None
        and os.path.isdir("/proc/self/fd")
        and binary() is not None
    )


class Run:
    """A running `rg` on the snapshot's own descriptor; killed and reaped on the way out."""

    def __init__(self, snapshot: Snapshot, arguments: list[str], task: Task) -> None:
        program, descriptor = binary(), snapshot.descriptor
        assert program is not None
        assert descriptor is not None
        task.check()
        # By its number in /proc the child gets its own position in the very file that is open here.
        argv = [program, "--no-config", "--no-messages", "-a", "--mmap", "--color=never", "-I", *arguments]
        self._child = subprocess.Popen(
            [*argv, "--", f"/proc/self/fd/{descriptor}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(descriptor,),
            env={"LC_ALL": "C.UTF-8"},
        )

        self._snapshot = snapshot
        self._task = task

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End the child if it still runs, and let go of it."""
        self._child.kill()
        self._child.communicate()

    def lines(self, waiting: Callable[[], None] | None = None) -> Iterator[bytes]:
        """The lines it writes, as they come, without their ends; calls `waiting` while there are none."""
        assert self._child.stdout is not None
        rest = b""
        for block in read(self._child.stdout.fileno(), self._task, waiting):
            *whole, rest = (rest + block).split(b"\n")
            yield from whole
        self.found()

    def found(self) -> bool:
        """Wait for the end: whether it matched. Raises `DeclinedError`, or `io_error` if it was killed."""
        while True:
            try:
                status = self._child.wait(_LOOK / 1000)
                break
            except subprocess.TimeoutExpired:
                self._task.check()
        if status in (0, 1):
            return status == 0
        if status == 2:
            raise DeclinedError
        raise FilewrightError(
            Code.IO_ERROR,
            f"the search engine could not read {self._snapshot.asked} to its end (status {status})",
            hint="the file may have been truncated while it was read; try again",
            details={"path": self._snapshot.asked, "status": status},
        )


def read(descriptor: int, task: Task, waiting: Callable[[], None] | None = None) -> Iterator[bytes]:
    """What a child writes, block by block; the cancel token is looked at all the while.

    `waiting` is called each time nothing came for a while.
    """
    ready = select.poll()  # `select` cannot wait for descriptors above 1,023
    ready.register(descriptor, select.POLLIN | select.POLLHUP)
    while True:
        if ready.poll(_LOOK):
            block = os.read(descriptor, 1 << 16)
            if not block:
                return
            yield block
        elif waiting is not None:
            waiting()
        task.check()
