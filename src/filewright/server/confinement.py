"""The server process gives up, before it hears its first message, whatever it will not need.

With Landlock the kernel then refuses to write outside the roots and the state folder, and to read
outside those, the system's programs and libraries and git's settings, whatever bug we or a parser have.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from filewright import system
from filewright.changes import base_folder
from filewright.system import landlock

if TYPE_CHECKING:
    from filewright.workspace import Workspace

GIT_SETTINGS = ("/etc/gitconfig",)
NAME_SERVICE = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/pki",
    "/run/systemd/resolve",
)


def confine(workspace: Workspace, *, network: bool) -> str:
    """Confine this process for good; the line for the log that says what holds.

    `network` leaves TCP, which a server on HTTP needs. Must be called before any thread is started.
    """
    system.end_threads()  # A recovery may have needed them.
    roots = [root.fd for root in workspace.roots]
    state = base_folder(workspace.settings)
    excludes = workspace.context.boundary.excludes_file
    reads: list[str | bytes] = [*GIT_SETTINGS, *(NAME_SERVICE if network else ())]
    reads += [] if excludes is None else [excludes]
    if workspace.settings.read_only:
        return landlock.confine([], [*roots, os.fspath(state), *reads], network=network).line
    try:
        state.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:  # the first change will say what is wrong with it
        return f"{landlock.confine(roots, reads, network=network).line}; no state folder: {error.strerror}"
    return landlock.confine([*roots, os.fspath(state)], reads, network=network).line
