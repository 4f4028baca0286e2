"""The boundary's refusals: what a failed open means to the caller, and what to do about it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence

from filewright.boundary.location import Location, Root
from filewright.boundary.names import quote
from filewright.boundary.resolve import Resolver
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.system import kernel

_LOOK_THROUGH = kernel.O_PATH or os.O_RDONLY
_LOOK = _LOOK_THROUGH | os.O_NOFOLLOW

_SPECIAL = {
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


def require_file(status: os.stat_result, where: Location) -> None:
    """Raise `not_a_file` unless `status` is that of a regular file, `not_a_directory` if a `/` follows it."""
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise FilewrightError(
            Code.NOT_A_FILE,
            f"{where.asked} is {_SPECIAL.get(kind, 'a special file')}, not a file",
            hint="list the folder instead" if kind == stat.S_IFDIR else "name a regular file",
            details={"path": where.asked},
        )
    if where.asked.endswith("/"):
        raise FilewrightError(
            Code.NOT_A_DIRECTORY,
            f"{where.asked} is a file, and the / at its end asks for a folder",
            hint="leave the / out",
            details={"path": where.asked},
        )


def root_itself(where: Location) -> FilewrightError:
    """The error for a change of a root itself."""
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"{where.asked} is a root of the workspace, which is never changed itself",
        hint="name something below it",
        details={"path": where.asked, "root": quote(where.root.path)},
    )


def outside(roots: Sequence[Root], path: bytes, safe: str, *, hint: str | None = None) -> FilewrightError:
    """The error for a path that lies in none of the roots; `safe` is how it was written."""
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


def failure(resolver: Resolver, error: OSError, where: Location, doing: str) -> FilewrightError:
    """The error for an `OSError` met while `doing` something to `where`; says where an escape leads."""
    facts = {"path": where.asked, "root": quote(where.root.path)}
    if error.errno == errno.EXDEV:
        leads = _leads_to(resolver, where)
        mounted = not resolver.cross_devices and leads.startswith(os.path.join(where.root.path, b""))
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
    failure = from_os_error(error, where.asked, doing=doing)
    if error.errno == errno.ENOENT and os.fstat(where.root.fd).st_nlink == 0:
        failure.hint = f"the root {facts['root']} was deleted or replaced; the server must be started again"
    return failure


def _leads_to(resolver: Resolver, where: Location) -> bytes:
    """Where the first link (or `..`) that leaves the root points: names only, for the message."""
    for count in range(1, len(where.parts) + 1):
        try:
            os.close(resolver.open(where.root.fd, where.parts[:count], _LOOK_THROUGH))
        except OSError:
            rest = b"/".join(where.parts[count:])
            above = os.path.join(where.root.path, *where.parts[: count - 1])
            try:
                look = resolver.open(where.root.fd, where.parts[:count], _LOOK)
            except OSError:
                break
            try:
                target = os.readlink(b"", dir_fd=look)
            except OSError:
                break
            finally:
                os.close(look)
            return os.path.normpath(os.path.join(above, target, rest))
    return os.path.normpath(os.path.join(where.root.path, *where.parts))
