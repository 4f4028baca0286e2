"""What the system would refuse later is refused before anything is begun: rights, owners, mounts, flags."""

from __future__ import annotations

import fcntl
import os
import stat
import struct

from filewright.boundary import Boundary, Location
from filewright.changes.refusals import on_another_device
from filewright.changes.tree import Folder, Node
from filewright.errors import Code, FilewrightError

_FS_IOC_GETFLAGS = 0x80086601
_UNCHANGEABLE = 0x10 | 0x20  # immutable, append only


def require_writable_folder(folder: Folder, where: Location) -> None:
    """Refuse what needs a write permission of its folder that is not there."""
    if folder.seen is None:
        return
    if folder.writable is None:
        # Root may write to every folder that is not immutable; a mode without any w is meant, though.
        folder.writable = bool(folder.seen.st_mode & 0o222) and may_write_folder(folder.fd())
    if not folder.writable:
        raise FilewrightError(
            Code.PERMISSION_DENIED,
            f"the folder of {where.asked} cannot be written to (mode "
            f"{stat.S_IMODE(folder.seen.st_mode):04o}); nothing was changed",
            hint="make the folder writable first, if the user wants that",
            details={"path": where.asked},
        )


def may_write_folder(descriptor: int) -> bool:
    """Whether entries may be made and removed in an open folder."""
    return os.access(".", os.W_OK | os.X_OK, dir_fd=descriptor, effective_ids=True)


def require_removable(boundary: Boundary, folder: Folder, node: Node, where: Location) -> None:
    """Refuse to delete, move or overwrite a root or what holds one, a mount, and what a sticky folder keeps."""
    if isinstance(node, Folder) and node.was is not None:
        _refuse_root(boundary, node.was, where)
    if node.seen is None or folder.seen is None:
        return
    if node.seen.st_dev != folder.seen.st_dev:
        raise on_another_device(where)
    if keeps(folder.seen, node.seen):
        raise _denied(where, "belongs to another user, in a folder where only owners remove things")


def keeps(folder: os.stat_result, entry: os.stat_result) -> bool:
    """Whether a sticky folder keeps an entry from being removed by this user."""
    return bool(folder.st_mode & stat.S_ISVTX) and os.geteuid() not in (0, folder.st_uid, entry.st_uid)


def require_movable(node: Node, target: Folder, where: Location) -> None:
    """Refuse to move a folder elsewhere that may not be written to: its `..` would change."""
    if not isinstance(node, Folder) or node.seen is None or node.home is None:
        return
    if node.home[0] is not target and not may_write_folder(node.fd()):
        raise _denied(where, "is a folder that cannot be written to, so it can only be renamed where it is")


def require_owned(node: Node, where: Location, *, uid: int | None = None, gid: int | None = None) -> None:
    """Refuse to set mode or owner of what belongs to somebody else."""
    if node.seen is None or os.geteuid() == 0:
        return
    if node.seen.st_uid != os.geteuid():
        raise _denied(where, "belongs to another user")
    if uid not in (None, node.seen.st_uid) or gid not in (
        None,
        node.seen.st_gid,
        os.getegid(),
        *os.getgroups(),
    ):
        raise _denied(where, "can only be given to another user or group by root")


def unchangeable(descriptor: int) -> bool:
    """Whether an open file or folder is immutable or append only."""
    try:
        flags = fcntl.ioctl(descriptor, _FS_IOC_GETFLAGS, b"\0" * 8)
    except OSError:
        return False  # This file system has no such flags.
    return bool(struct.unpack("=I4x", flags)[0] & _UNCHANGEABLE)


def require_changeable(descriptor: int, where: str) -> None:
    """Refuse what is immutable: it can be neither replaced nor removed."""
    if unchangeable(descriptor):
        raise FilewrightError(
            Code.PERMISSION_DENIED,
            f"{where} is immutable; nothing was changed",
            hint="ask the user to take the flag away (chattr -i)",
            details={"path": where},
        )


def _denied(where: Location, why: str) -> FilewrightError:
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"{where.asked} {why}; nothing was changed",
        hint="ask the user who owns it to do it",
        details={"path": where.asked},
    )


def _refuse_root(boundary: Boundary, was: Location, where: Location) -> None:
    path = os.path.join(was.root.resolved or was.root.path, *was.parts)
    for other in boundary.roots:
        resolved = other.resolved or other.path
        if resolved == path or resolved.startswith(path + b"/"):
            raise FilewrightError(
                Code.PERMISSION_DENIED,
                f"{where.asked} holds the root {other.name}, which is never deleted or moved",
                hint="name something else",
                details={"path": where.asked},
            )
