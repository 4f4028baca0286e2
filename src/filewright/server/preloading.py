"""Imports that calls need, made while the server is idle."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module

from filewright.server.calls import CallRunner
from filewright.workspace import Workspace

IDLE_SECONDS = 0.2
"""The time without a call after which the next import is made."""
_MODULES = (
    "sqlite3",
    "re2",
    "rapidfuzz.process",
    "stringzilla",
    "filewright.changes.commit",
    "filewright.changes.undo",
)
"""Modules that calls import late: for history, searches, changes and undos."""


@contextmanager
def preload_while_idle(
    calls: CallRunner, workspace: Workspace
) -> Iterator[None]:
    """Preload in a thread until the block ends: the first calls need not wait."""
    stopping = threading.Event()
    thread = threading.Thread(
        target=preload, args=(calls, workspace, stopping), daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        # An interpreter that ends while an extension is loaded aborts the process.
        thread.join()


def preload(
    calls: CallRunner,
    workspace: Workspace,
    stopping: threading.Event,
    *,
    idle_seconds: float = IDLE_SECONDS,
) -> None:
    """Make one import after the other while no call runs, until `stopping` is set."""
    from filewright.tools.catalogue import read_catalogue

    steps: list[Callable[[], object]] = []
    for tool in read_catalogue().tools.values():
        # Loading a tool also makes the model of its arguments.
        steps.append(tool.load)
    for name in _MODULES:
        steps.append(partial(import_module, name))
    steps.append(workspace.prepare)
    # The first call of a client comes right after the handshake, and goes first.
    stopping.wait(idle_seconds)
    for step in steps:
        while not calls.is_idle and not stopping.wait(idle_seconds):
            pass
        if stopping.is_set():
            return
        step()
