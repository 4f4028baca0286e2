"""What a failed open means to the caller: found out by a look at the disk, where that tells more."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from filewright import errors, system
from filewright.boundary.location import Location, Root
from filewright.boundary.names import quote
from filewright.errors import Code, FilewrightError, from_os_error, leads_out, not_a_file
from filewright.system import LeadsOutError, NotAFileError


def outside(roots: Sequence[Root], path: bytes, safe: str, *, hint: str | None = None) -> FilewrightError:
    """A path that lies in none of the roots; `safe` is how it was written."""
    named = ", ".join(f"{root.name}: {quote(root.path)}" for root in roots)
    return errors.refused(
        Code.PATH_ESCAPE,
        safe,
        f"{safe} is outside the workspace (root {named})",
        hint or "give a path below the root; ask the user to add a root if that one is needed",
        resolved=quote(os.path.normpath(path)),
        root=quote(roots[0].path),
        roots={root.name: quote(root.path) for root in roots},
    )


def without_root(roots: Sequence[Root], safe: str) -> FilewrightError:
    """A path that does not say which root it is below, where every path must."""
    names = ", ".join(f"{root.name}: ({quote(root.path)})" for root in roots)
    return errors.refused(
        Code.INVALID_INPUT,
        safe,
        f"{safe} does not say which root it is below",
        f"write {roots[0].name}:{safe} or an absolute path; the roots are {names}",
        roots={root.name: quote(root.path) for root in roots},
    )


def split(path: bytes, safe: str) -> tuple[bytes, tuple[bytes, ...]]:
    """Where a caller's path begins and its parts: `system.split_path`. Raises `invalid_input`."""
    try:
        return system.split_path(path)
    except ValueError as error:
        raise errors.unusable(safe, str(error)) from None


def require_names(parts: Sequence[bytes], safe: str) -> None:
    """Raise `invalid_input` for a name that the system gives no file, or reads as another."""
    for part in parts:
        problem = system.name_problem(part) if part != b".." else None
        if problem is not None:
            raise errors.unusable(safe, f"cannot be used: the name {quote(part)} {problem}")


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
    raise errors.refused(
        Code.NOT_FOUND,
        asked,
        f"cannot open {asked}: the root {quote(root.path)} {what} since it was opened",
        f"the root {quote(root.path)} was deleted, moved or replaced; start filewright again "
        "with the folder that is meant",
        root=quote(root.path),
    )


def failure(error: OSError, where: Location, doing: str, *, cross: bool = True) -> FilewrightError:
    """The error for an `OSError` met while `doing` something to `where`; says where an escape leads."""
    facts = {"path": where.asked, "root": quote(where.root.path)}
    if isinstance(error, NotAFileError) and error.kind != "link":
        hint = "list the folder instead" if error.kind == "folder" else "name a regular file"
        return not_a_file(where.asked, error.kind, hint=hint)
    if error.errno == errno.EXDEV:
        leads = where.absolute
        if isinstance(error, LeadsOutError) and error.path is not None:
            leads = os.path.join(where.root.path, *error.above, error.path)
        leads = system.absolute(leads)
        mounted = not cross and leads.startswith(where.root.path.rstrip(b"/") + b"/")
        if not mounted:
            return leads_out(where.asked, facts["root"], quote(leads))
        return FilewrightError(
            Code.PATH_ESCAPE,
            f"{where.asked} lies on another file system than the root {facts['root']}",
            hint="mounts inside a root are not entered here; the setting cross_devices allows it",
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
