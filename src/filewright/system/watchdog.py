"""A process that kills the children which its parent left running when it ended.

Run as `python -I -S watchdog.py PARENT`. The parent writes the number of each process
group that starts to our standard input, and its negative when the group has ended.
Input ends when the parent ends, however it ended; then every group that still runs is
killed.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import struct
import sys

NUMBER = struct.Struct("=i")
# A forked child of the parent may hold our input open, so the parent is also looked
# for.
PARENT_CHECK_SECONDS = 5.0


def main(parent: int) -> None:
    """Wait for the end of the parent, then kill the groups that still run."""
    running: set[int] = set()
    # An interrupt at the terminal is meant for the parent, and a stopped group whose
    # parent ends gets a SIGHUP.
    for signal_number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(signal_number, signal.SIG_IGN)
    while True:
        if select.select([0], [], [], PARENT_CHECK_SECONDS)[0]:
            # Each number is written in one call, so none is torn.
            numbers = os.read(0, 1024 * NUMBER.size)
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
