"""What a file carries besides its bytes: owner, extended attributes, ACLs, permission bits.

A replaced file keeps all of it. Where the system does not let us restore one, the change is refused
with `permission_denied`: a file is never taken over silently.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping

from filewright.errors import Code, FilewrightError

# Kept by the system itself, per inode or per session.
_NOT_OURS = ("security.ima", "security.evm", "system.nfs4_acl", "trusted.overlay.")


def read(descriptor: int) -> dict[str, bytes]:
    """All extended attributes (ACLs are among them) of an open file; empty where there are none."""
    try:
        names = os.listxattr(descriptor)
    except OSError as error:
        if error.errno in (errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.EACCES):
            return {}
        raise
    found: dict[str, bytes] = {}
    for name in names:
        if name.startswith(_NOT_OURS):
            continue
        try:
            found[name] = os.getxattr(descriptor, name)
        except OSError as error:
            if error.errno not in (errno.ENODATA, errno.EPERM, errno.EACCES):
                raise
    return found


def write(
    descriptor: int,
    *,
    mode: int,
    uid: int,
    gid: int,
    attributes: Mapping[str, bytes],
    asked: str,
    strict: bool = True,
) -> None:
    """Give an open file its owner, then its attributes, then its mode (a chown clears setuid).

    Raises `permission_denied` naming what could not be kept; not `strict`, for copies, leaves out
    the attributes that only the system may give.
    """
    status = os.fstat(descriptor)
    what = "owner"
    try:
        if (status.st_uid, status.st_gid) != (uid, gid):
            os.fchown(descriptor, uid, gid)
        present = read(descriptor)
        for name, value in attributes.items():
            what = f"extended attribute {name}"
            if present.get(name) == value:
                continue
            try:
                os.setxattr(descriptor, name, value)
            except OSError as error:
                if strict or error.errno not in (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP):
                    raise
        for name in present.keys() - attributes.keys():
            if name.startswith(("user.", "system.posix_acl")):
                what = f"extended attribute {name}"
                os.removexattr(descriptor, name)
        what = "mode"
        os.fchmod(descriptor, mode)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP):
            raise
        raise FilewrightError(
            Code.PERMISSION_DENIED,
            f"{asked}: its {what} cannot be kept when it is replaced ({error.strerror}); nothing was changed",
            hint="ask the user who owns it to make the change",
            details={"path": asked, "lost": what},
        ) from error
