"""What the system would refuse later is refused before anything is begun: rights, owners, mounts, flags."""

from __future__ import annotations

import stat

from filewright import errors, system
from filewright.boundary import Boundary, Location
from filewright.changes.tree import FolderItem, Item
from filewright.system import File, Folder, Status


def require_writable_folder(folder: FolderItem, where: Location) -> None:
    """Refuse what needs a write permission of its folder that is not there."""
    if folder.seen is None:
        return
    if folder.writable is None:
        # Root may write to every folder that is not immutable; a mode without any w is meant, though.
        folder.writable = bool(folder.seen.mode & 0o222) and folder.on_disk().writable()
    if not folder.writable:
        raise errors.unwritable_folder(where.asked, folder.seen.mode)


def require_removable(boundary: Boundary, folder: FolderItem, item: Item, where: Location) -> None:
    """Refuse to delete, move or overwrite a root or what holds one, a mount, and what a sticky folder keeps."""
    if isinstance(item, FolderItem) and item.was is not None:
        _refuse_root(boundary, item.was, where)
    if item.seen is None or folder.seen is None:
        return
    if item.seen.device != folder.seen.device:
        raise errors.other_file_system(where.shown)
    if keeps(folder.seen, item.seen):
        raise errors.not_ours(
            where.asked, "belongs to another user, in a folder where only owners remove things"
        )


def keeps(folder: Status, entry: Status) -> bool:
    """Whether a sticky folder keeps an entry from being removed by this user."""
    return bool(folder.mode & stat.S_ISVTX) and system.effective_user() not in (0, folder.uid, entry.uid)


def require_movable(item: Item, target: FolderItem, where: Location) -> None:
    """Refuse to move a folder elsewhere that may not be written to: its `..` would change."""
    if not isinstance(item, FolderItem) or item.seen is None or item.home is None:
        return
    if item.home[0] is not target and not item.on_disk().writable():
        raise errors.not_ours(
            where.asked, "is a folder that cannot be written to, so it can only be renamed where it is"
        )


def require_owned(item: Item, where: Location, *, uid: int | None = None, gid: int | None = None) -> None:
    """Refuse to set mode or owner of what belongs to somebody else."""
    user = system.effective_user()
    if item.seen is None or user == 0:
        return
    if item.seen.uid != user:
        raise errors.not_ours(where.asked, "belongs to another user")
    if uid not in (None, user) or gid not in (None, item.seen.gid, *system.groups()):
        raise errors.not_ours(where.asked, "can only be given to another user or group by root")


def require_changeable(thing: File | Folder, where: str) -> None:
    """Refuse what is immutable: it can be neither replaced nor removed."""
    if thing.unchangeable():
        raise errors.immutable(where)


def _refuse_root(boundary: Boundary, was: Location, where: Location) -> None:
    path = b"/".join((was.root.resolved.rstrip(b"/"), *was.parts))
    for other in boundary.roots:
        resolved = other.resolved
        if resolved == path or resolved.startswith(path + b"/"):
            raise errors.holds_root(where.asked, other.name)
