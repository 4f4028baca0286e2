"""The refusals of a change set: what is checked of permissions and roots, and how it is told."""

from __future__ import annotations

import os
import stat

from filewright.boundary import Boundary, Location
from filewright.changes.draft import Folder, Node
from filewright.errors import Code, FilewrightError


def missing(where: Location) -> FilewrightError:
    """Nothing has that name."""
    return FilewrightError(
        Code.NOT_FOUND,
        f"{where.asked} does not exist",
        hint="list the folder to see what is there",
        details={"path": where.asked},
    )


def taken(where: Location) -> FilewrightError:
    """The name is taken."""
    return FilewrightError(
        Code.ALREADY_EXISTS,
        f"{where.asked} already exists",
        hint="choose another name, or ask to overwrite",
        details={"path": where.asked},
    )


def into_itself(source: Location, destination: Location) -> FilewrightError:
    """A folder cannot be below itself."""
    return FilewrightError(
        Code.INVALID_INPUT,
        f"{source.asked} cannot be put into itself ({destination.asked})",
        hint="choose a destination outside of it",
        details={"path": source.asked},
    )


def stale(asked: str) -> FilewrightError:
    """The refusal of a change made against content that is no longer there."""
    return FilewrightError(
        Code.STALE_VERSION,
        f"{asked} has changed since it was read; nothing was changed",
        hint="read it again and redo the edit on what is there now",
        details={"path": asked},
    )


def require_writable_folder(folder: Folder, where: Location) -> None:
    """Refuse what needs a write permission of its folder that is not there."""
    if folder.seen is None:
        return
    if not folder.seen.st_mode & 0o222 or (
        os.geteuid() != 0 and not os.access(".", os.W_OK | os.X_OK, dir_fd=folder.fd(), effective_ids=True)
    ):
        raise FilewrightError(
            Code.PERMISSION_DENIED,
            f"the folder of {where.asked} cannot be written to (mode "
            f"{stat.S_IMODE(folder.seen.st_mode):04o}); nothing was changed",
            hint="make the folder writable first, if the user wants that",
            details={"path": where.asked},
        )


def refuse_root(boundary: Boundary, node: Node, where: Location) -> None:
    """Refuse to delete, move or overwrite a folder that is a root or holds one."""
    if not isinstance(node, Folder) or node.where is None:
        return
    root = node.where.root
    path = os.path.join(root.resolved or root.path, *node.where.parts)
    for other in boundary.roots:
        resolved = other.resolved or other.path
        if resolved == path or resolved.startswith(path + b"/"):
            raise FilewrightError(
                Code.PERMISSION_DENIED,
                f"{where.asked} holds the root {other.name}, which is never deleted or moved",
                hint="name something else",
                details={"path": where.asked},
            )
