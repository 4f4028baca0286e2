"""The client that started this process, told from all others: its server and its hooks have it in common."""

from __future__ import annotations

import os

_BETWEEN = (b"sh", b"ash", b"bash", b"dash", b"fish", b"ksh", b"zsh", b"uv", b"uvx")
"""Who only starts what somebody else has asked for."""


def client_process() -> str | None:
    """The number and the start of the nearest process above that is no shell; without `/proc` the number alone.

    None if there is no such process.
    """
    number = os.getppid()
    while number > 1:
        try:
            with open(f"/proc/{number}/stat", "rb") as stat:
                about = stat.read()
        except OSError:
            return str(number)
        # The name is between brackets, and may have some of its own.
        name, _, rest = about.partition(b"(")[2].rpartition(b")")
        fields = rest.split()
        if name not in _BETWEEN:
            return f"{number}-{fields[19].decode()}"
        number = int(fields[1])
    return None
