"""What a process does for itself: take its standard input and output, give memory back, and know who started it."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def claim_standard_streams() -> Iterator[tuple[io.FileIO, io.FileIO]]:
    """Take standard input and output and leave harmless descriptors in their place.

    Yields unbuffered files of our own (input, output). A `print` anywhere, or a child process that
    inherits descriptor 1, then reaches standard error and cannot corrupt what is written; whoever reads
    standard input finds it at its end.
    """
    ours = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in ours:
            msvcrt.setmode(descriptor, os.O_BINARY)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        # Never closed: a thread may wait for input until the process ends.
        yield (
            io.FileIO(ours[0], "r", closefd=False),
            io.FileIO(ours[1], "w", closefd=False),
        )
    finally:
        sys.stdout.flush()
        os.dup2(ours[1], 1)
        os.dup2(ours[0], 0)


def give_back_when_idle(wire: io.FileIO, seconds: float) -> None:
    """Return freed memory to the system unless something comes on `wire` meanwhile: only glibc keeps it."""
    if sys.platform != "linux":
        return
    import ctypes
    import select

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None and not select.select([wire], [], [], seconds)[0]:
        trim(0)


def client_process_key() -> str | None:
    """The client that started this process, told from all others: its server and its hooks have it in common.

    The number and the start of the nearest process above that is no shell; without `/proc` the number alone.
    None if there is no such process.
    """
    number = os.getppid()
    while number > 1:
        try:
            name, above, start = _process(number)
        except OSError:
            return str(number)
        # These only start what somebody else has asked for.
        if name not in (
            b"sh",
            b"ash",
            b"bash",
            b"dash",
            b"fish",
            b"ksh",
            b"zsh",
            b"uv",
            b"uvx",
        ):
            return f"{number}-{start}"
        number = above
    return None


def own_process_key() -> str:
    """Return the name of this process, as `client_process_key` names another."""
    number = os.getpid()
    try:
        return f"{number}-{_process(number)[2]}"
    except OSError:
        return str(number)


def process_namespace() -> str:
    """Return a name of the namespace in which processes have their numbers; "" where there is only one."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def is_process_running(process: str) -> bool:
    """Return False if a process, named as `client_process_key` does, is gone."""
    number, _, start = process.partition("-")
    if not start:
        # Without `/proc` another process may have its number by now.
        if sys.platform == "win32":
            return True  # To ask by a signal would end it.
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return False
        except (OSError, ValueError):
            return True
        return True
    try:
        return _process(int(number))[2] == start
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return False
    except OSError:  # A confined process may not look.
        return True


def _process(number: int) -> tuple[bytes, int, str]:
    """Return the name of a process, the number of its parent, and its start. Raises `OSError` without `/proc`."""
    with open(f"/proc/{number}/stat", "rb") as stat:
        # The name is between brackets, and may have some of its own.
        name, _, rest = stat.read().partition(b"(")[2].rpartition(b")")
    fields = rest.split()
    if fields[0] in (b"Z", b"X"):  # It has ended, and nobody has asked how.
        raise ProcessLookupError(errno.ESRCH, "the process has ended")
    return name, int(fields[1]), fields[19].decode()
