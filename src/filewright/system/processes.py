"""Keys of processes: number and start time, since numbers are reused.

Without `/proc` the key is the number alone.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import NamedTuple

# Shells and launchers, which only start a program for their own parent.
LAUNCHERS = (
    b"sh",
    b"ash",
    b"bash",
    b"dash",
    b"fish",
    b"ksh",
    b"zsh",
    b"uv",
    b"uvx",
)


def client_process_key() -> str | None:
    """Return the key of the client that started this process, or None.

    The client is the nearest ancestor that is not a shell, so a client's server and its
    hooks find the same key.
    """
    number = os.getppid()
    while number > 1:
        try:
            process = _read_process(number)
        except OSError:
            return str(number)
        if process.name not in LAUNCHERS:
            return f"{number}-{process.start}"
        number = process.parent
    return None


def own_process_key() -> str:
    """Return the key of this process."""
    number = os.getpid()
    try:
        return f"{number}-{_read_process(number).start}"
    except OSError:
        return str(number)


def process_namespace() -> str:
    """Return the namespace of the numbers of processes; "" where there is only one."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def is_process_running(key: str) -> bool:
    """Return False if the process of a key has ended; True if that is not known."""
    number, _, start = key.partition("-")
    if not start:
        # Another process may have the number by now: without `/proc` that is unknown.
        if sys.platform == "win32":
            return True  # On Windows a signal would end the process.
        try:
            os.kill(int(number), 0)
        except ProcessLookupError:
            return False
        except (OSError, ValueError):
            return True
        return True
    try:
        return _read_process(int(number)).start == start
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return False
    except OSError:  # A confined process may not read `/proc`.
        return True


class _Process(NamedTuple):
    """The facts of a running process that `/proc` holds."""

    name: bytes
    parent: int
    start: str


def _read_process(number: int) -> _Process:
    """Return a running process by its number. Raises `OSError` without `/proc`."""
    with open(f"/proc/{number}/stat", "rb") as stat:
        # The name is in parentheses, and may hold parentheses itself.
        name, _, rest = stat.read().partition(b"(")[2].rpartition(b")")
    fields = rest.split()
    if fields[0] in (
        b"Z",
        b"X",
    ):  # A zombie: its parent has not waited for it yet.
        raise ProcessLookupError(errno.ESRCH, "the process has ended")
    return _Process(name, parent=int(fields[1]), start=fields[19].decode())
