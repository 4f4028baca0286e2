"""The boundary's refusals: what a failed open means to the caller, and what to do about it."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from filewright import system
from filewright.boundary.location import Location, Root
from filewright.boundary.names import quote
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.system import Kind, NotAFileError


def not_a_file(where: Location, kind: Kind) -> FilewrightError:
    """Something else than a file is there."""
    article = "a FIFO" if kind == "fifo" else f"a {kind}"
    return FilewrightError(
        Code.NOT_A_FILE,
        f"{where.asked} is {article}, not a file",
        hint="list the folder instead" if kind == "folder" else "name a regular file",
        details={"path": where.asked},
    )


def not_a_folder(where: Location) -> FilewrightError:
    """A file is there, and a slash behind its name asks for a folder."""
    return FilewrightError(
        Code.NOT_A_DIRECTORY,
        f"{where.asked} is a file, and the / at its end asks for a folder",
        hint="leave the / out",
        details={"path": where.asked},
    )


def root_itself(where: Location) -> FilewrightError:
    """A change of a root itself."""
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"{where.asked} is a root of the workspace, which is never changed itself",
        hint="name something below it",
        details={"path": where.asked, "root": quote(where.root.path)},
    )


def read_only(where: Location) -> FilewrightError:
    """A change of a workspace that is only read."""
    return FilewrightError(
        Code.READ_ONLY,
        f"cannot change {where.asked}: the workspace is served read-only",
        hint="ask the user to start the server without --read-only",
        details={"path": where.asked},
    )


def protected(where: Location, rule: str) -> FilewrightError:
    """A change of what is protected."""
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"{where.asked} is protected: nothing is written to {rule}",
        hint="change it with the program it belongs to, or ask the user to unprotect it",
        details={"path": where.asked, "protected": rule},
    )


def own_state(where: Location) -> FilewrightError:
    """A look into the folder where the history and its key are kept."""
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"{where.asked} belongs to filewright's own state, which is neither read nor changed through it",
        hint="ask for history with list_edits; the user may look at the folder itself",
        details={"path": where.asked},
    )


def link_itself(where: Location) -> FilewrightError:
    """A write to a link."""
    return FilewrightError(
        Code.SYMLINK,
        f"{where.asked} is a symbolic link; it is neither followed nor replaced by a write",
        hint="name the link's target itself, or delete the link first",
        details={"path": where.asked},
    )


def moved_out(where: Location) -> FilewrightError:
    """The folder was moved out of the root while it was opened."""
    return FilewrightError(
        Code.PATH_ESCAPE,
        f"the folder of {where.asked} was moved out of the root {quote(where.root.path)} meanwhile",
        hint="try again",
        details={"path": where.asked, "root": quote(where.root.path)},
    )


def outside(roots: Sequence[Root], path: bytes, safe: str, *, hint: str | None = None) -> FilewrightError:
    """A path that lies in none of the roots; `safe` is how it was written."""
    named = ", ".join(f"{root.name}: {quote(root.path)}" for root in roots)
    return FilewrightError(
        Code.PATH_ESCAPE,
        f"{safe} is outside the workspace (root {named})",
        hint=hint or "give a path below the root; ask the user to add a root if that one is needed",
        details={
            "path": safe,
            "resolved": quote(os.path.normpath(path)),
            "root": quote(roots[0].path),
            "roots": {root.name: quote(root.path) for root in roots},
        },
    )


def require_root(root: Root, asked: str) -> None:
    """Raise `not_found` unless the root's path still leads to the folder that was opened as the root.

    Otherwise what is done would be done in a folder that nobody sees any more.
    """
    try:
        identity = system.status_of(root.path).identity
    except PermissionError:
        return  # Nobody can say; what is held is what was opened.
    except (FileNotFoundError, NotADirectoryError):
        what = "was deleted or moved"
    except OSError as error:
        raise from_os_error(error, asked) from error
    else:
        if identity == (root.device, root.inode):
            return
        what = "was replaced by another folder"
    raise FilewrightError(
        Code.NOT_FOUND,
        f"cannot open {asked}: the root {quote(root.path)} {what} since it was opened",
        hint=f"the root {quote(root.path)} was deleted, moved or replaced; start filewright again "
        "with the folder that is meant",
        details={"path": asked, "root": quote(root.path)},
    )


def failure(error: OSError, where: Location, doing: str, *, cross: bool = True) -> FilewrightError:
    """The error for an `OSError` met while `doing` something to `where`; says where an escape leads."""
    facts = {"path": where.asked, "root": quote(where.root.path)}
    if isinstance(error, NotAFileError) and error.kind != "link":
        return not_a_file(where, error.kind)
    if error.errno == errno.EXDEV:
        leads = _leads_to(where, cross)
        mounted = not cross and leads.startswith(os.path.join(where.root.path, b""))
        return FilewrightError(
            Code.PATH_ESCAPE,
            f"{where.asked} lies on another file system than the root {facts['root']}"
            if mounted
            else f"{where.asked} leads out of the root {facts['root']} (to {quote(leads)})",
            hint="mounts inside a root are not entered here; the setting cross_devices allows it"
            if mounted
            else "give a path below the root; absolute links are never followed, wherever they point",
            details={**facts, "resolved": quote(leads)},
        )
    if error.errno == errno.ELOOP:
        return FilewrightError(
            Code.SYMLINK,
            f"cannot {doing} {where.asked}: the links on the way never end",
            hint="name the target itself",
            details=facts,
        )
    if error.errno == errno.EAGAIN:
        return FilewrightError(
            Code.IN_USE,
            f"cannot {doing} {where.asked}: it is being replaced over and over",
            hint="stop what renames it, or try again later",
            details=facts,
        )
    return from_os_error(error, where.asked, doing=doing)


def _leads_to(where: Location, cross: bool) -> bytes:
    """Where the first link (or `..`) that leaves the root points: names only, for the message."""
    root = where.root
    for count, name in enumerate(where.parts):
        try:
            with root.folder.beneath(where.parts[:count], cross=cross, listing=False) as above:
                target = above.read_link(name)
        except OSError as error:
            if error.errno == errno.EINVAL:
                continue  # No link.
            break
        try:
            root.folder.beneath(where.parts[: count + 1], cross=cross, listing=False).close()
        except OSError as error:
            if error.errno == errno.EXDEV:
                rest = b"/".join(where.parts[count + 1 :])
                return os.path.normpath(os.path.join(root.path, *where.parts[:count], target, rest))
    return os.path.normpath(os.path.join(root.path, *where.parts))
