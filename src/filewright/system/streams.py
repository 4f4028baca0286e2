"""The standard streams of a process, and the memory that it gives back."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def claim_standard_streams() -> Iterator[tuple[io.FileIO, io.FileIO]]:
    """Take standard input and output, and leave harmless descriptors in their place.

    Yields unbuffered files (input, output) that only the caller has. A `print`
    anywhere, or a child process that inherits descriptor 1, then writes to standard
    error and cannot corrupt the output. Other readers of standard input find it empty.
    """
    originals = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        for descriptor in originals:
            msvcrt.setmode(descriptor, os.O_BINARY)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        # Never closed: a thread may wait for input until the process ends.
        yield (
            io.FileIO(originals[0], "r", closefd=False),
            io.FileIO(originals[1], "w", closefd=False),
        )
    finally:
        sys.stdout.flush()
        os.dup2(originals[1], 1)
        os.dup2(originals[0], 0)


def discard_standard_output() -> None:
    """Send to nowhere all that this process writes to its standard output from now on."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def give_back_when_idle(wire: io.FileIO, seconds: float) -> None:
    """Return freed memory to the system after `seconds` in which `wire` stays silent.

    Only glibc keeps freed memory.
    """
    if sys.platform != "linux":
        return
    import ctypes
    import select

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None and not select.select([wire], [], [], seconds)[0]:
        trim(0)
