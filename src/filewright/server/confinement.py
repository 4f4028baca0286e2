"""The confinement of the server process by the kernel, with Landlock."""

from __future__ import annotations

from pathlib import Path

from filewright import system
from filewright.changes.state_dir import state_base_folder
from filewright.system import landlock
from filewright.workspace import Workspace

_GIT_SETTINGS = "/etc/gitconfig"
_NETWORK_SETTINGS = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/pki",
    "/run/systemd/resolve",
)
"""Files for the names and certificates of other machines."""


def confine(workspace: Workspace, *, network: bool) -> str:
    """Give up access that the server does not need; return a line for the log.

    The kernel then refuses to write outside the roots and the state folder, and to read
    outside of these, the system's programs and libraries and git's settings, even if
    filewright or a parser has a fault. `network` leaves TCP, which a server on HTTP
    needs. Must be called before any thread is started and any message is read.
    """
    # A recovery may have started them.
    system.stop_flush_threads()
    state = state_base_folder(workspace.settings)
    excludes = workspace.context.boundary.excludes_path
    reads: list[int | str | bytes] = [_GIT_SETTINGS]
    if network:
        reads += _NETWORK_SETTINGS
    if excludes is not None:
        reads.append(excludes)
    writes: list[int | str | bytes] = [
        root.descriptor for root in workspace.roots
    ]
    missing = ""
    if workspace.settings.read_only:
        reads += [*writes, state]
        writes = []
    else:
        try:
            Path(state).mkdir(mode=0o700, parents=True, exist_ok=True)
            writes.append(state)
        except OSError as error:
            # The first change reports what is wrong with it.
            missing = f"; no state folder: {error.strerror}"
    return landlock.confine(writes, reads, network=network).summary + missing
