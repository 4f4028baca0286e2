"""The `rg` that is installed, and reading what it writes."""

from __future__ import annotations

import os
import select
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from functools import lru_cache

from filewright.progress import Task

_LOOK = 50  # milliseconds between two looks at the cancel token


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


def read(descriptor: int, task: Task, patience: Task | None = None) -> Iterator[bytes]:
    """What a child writes, block by block, until its end or until `patience` expires.

    The cancel token of `task` is looked at all the while.
    """
    ready = select.poll()  # `select` cannot wait for descriptors above 1,023
    ready.register(descriptor, select.POLLIN | select.POLLHUP)
    while patience is None or not patience.expired:
        if ready.poll(_LOOK):
            block = os.read(descriptor, 1 << 16)
            if not block:
                return
            yield block
        task.check()
