"""Ends the children of a process that ended without doing so itself: run as `python -I -S watchdog.py PARENT`.

Standard input brings the numbers of process groups that begin, below zero of those that have ended. At its end, which
comes with the end of the parent, however that was, what still runs is killed.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys

NUMBER = struct.Struct("=i")
_LOOK = 5.0  # seconds between two looks whether the parent is there: what it forked may hold the input open


def main(parent: int) -> None:
    """Wait for the end of the parent, and end what it left."""
    running: set[int] = set()
    # An interrupt at the terminal is not for us, and a stopped group whose parent ends gets a SIGHUP.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        if select.select([0], [], [], _LOOK)[0]:
            numbers = os.read(
                0, 1024 * NUMBER.size
            )  # Each was written at once, so none is torn.
            if not numbers:
                break
            for (group,) in NUMBER.iter_unpack(numbers):
                (running.add if group > 0 else running.discard)(abs(group))
        elif os.getppid() != parent:
            break
    for group in running:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main(int(sys.argv[1]))
