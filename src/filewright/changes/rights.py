"""What the system would refuse later is refused before anything is begun: rights, owners, mounts, flags."""

from __future__ import annotations

import os
import stat

from filewright import system
from filewright.boundary import Boundary, Location
from filewright.changes.refusals import on_another_device
from filewright.changes.tree import FolderItem, Item
from filewright.errors import Code, FilewrightError
from filewright.system import File, Folder, Status


def require_writable_folder(folder: FolderItem, where: Location) -> None:
    """Refuse what needs a write permission of its folder that is not there."""
    if folder.seen is None:
        return
    if folder.writable is None:
        # Root may write to every folder that is not immutable; a mode without any w is meant, though.
        folder.writable = bool(folder.seen.mode & 0o222) and folder.on_disk().writable()
    if not folder.writable:
        raise FilewrightError(
            Code.PERMISSION_DENIED,
            f"the folder of {where.asked} cannot be written to (mode "
            f"{folder.seen.mode:04o}); nothing was changed",
            hint="make the folder writable first, if the user wants that",
            details={"path": where.asked},
        )


def require_removable(boundary: Boundary, folder: FolderItem, item: Item, where: Location) -> None:
    """Refuse to delete, move or overwrite a root or what holds one, a mount, and what a sticky folder keeps."""
    if isinstance(item, FolderItem) and item.was is not None:
        _refuse_root(boundary, item.was, where)
    if item.seen is None or folder.seen is None:
        return
    if item.seen.device != folder.seen.device:
        raise on_another_device(where)
    if keeps(folder.seen, item.seen):
        raise _denied(where, "belongs to another user, in a folder where only owners remove things")


def keeps(folder: Status, entry: Status) -> bool:
    """Whether a sticky folder keeps an entry from being removed by this user."""
    return bool(folder.mode & stat.S_ISVTX) and system.effective_user() not in (0, folder.uid, entry.uid)


def require_movable(item: Item, target: FolderItem, where: Location) -> None:
    """Refuse to move a folder elsewhere that may not be written to: its `..` would change."""
    if not isinstance(item, FolderItem) or item.seen is None or item.home is None:
        return
    if item.home[0] is not target and not item.on_disk().writable():
        raise _denied(where, "is a folder that cannot be written to, so it can only be renamed where it is")


def require_owned(item: Item, where: Location, *, uid: int | None = None, gid: int | None = None) -> None:
    """Refuse to set mode or owner of what belongs to somebody else."""
    user = system.effective_user()
    if item.seen is None or user == 0:
        return
    if item.seen.uid != user:
        raise _denied(where, "belongs to another user")
    if uid not in (None, user) or gid not in (None, item.seen.gid, *system.groups()):
        raise _denied(where, "can only be given to another user or group by root")


def require_changeable(thing: File | Folder, where: str) -> None:
    """Refuse what is immutable: it can be neither replaced nor removed."""
    if thing.unchangeable():
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
