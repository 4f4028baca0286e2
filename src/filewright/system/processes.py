"""Keys by which processes know each other."""

from __future__ import annotations

import errno
import os
import sys


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
