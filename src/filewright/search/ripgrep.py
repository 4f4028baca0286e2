"""Reading what `rg` writes, and what it may take."""

from __future__ import annotations

import io
import select
from collections.abc import Iterator
from typing import Final

from filewright.progress import Task

MEMORY: Final = 48 << 20
"""Bytes that `rg` may allocate: it holds a line whole, and is ended by a longer one."""

_LOOK = 50  # milliseconds between two looks at the cancel token


def read(output: io.FileIO, task: Task, patience: Task | None = None) -> Iterator[bytes]:
    """What a child writes, block by block, until its end or until `patience` expires.

    The cancel token of `task` is looked at all the while.
    """
    ready = select.poll()  # `select` cannot wait for descriptors above 1,023
    ready.register(output, select.POLLIN | select.POLLHUP)
    while patience is None or not patience.expired:
        if ready.poll(_LOOK):
            block = output.read(1 << 16)
            if not block:
                return
            yield block
        task.check()
