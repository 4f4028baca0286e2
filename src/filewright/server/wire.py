"""Standard input and output taken for the protocol, before anything else in the process can use them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def claim_wire() -> Iterator[tuple[int, int]]:
    """Take descriptors 0 and 1 for the protocol and leave harmless ones in their place.

    Yields private descriptors (input, output). A `print` anywhere, or a child process that inherits
    descriptor 1, then reaches standard error and cannot corrupt a message; whoever reads standard input
    finds it at its end.
    """
    wire_in, wire_out = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(wire_in, os.O_BINARY)
        msvcrt.setmode(wire_out, os.O_BINARY)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        yield wire_in, wire_out
    finally:
        sys.stdout.flush()
        os.dup2(wire_out, 1)
        os.dup2(wire_in, 0)
