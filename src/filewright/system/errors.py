"""Errors with more facts than an `errno`, and helpers that raise plain ones.

Every error of this package is an `OSError`; the packages above translate it.
"""

from __future__ import annotations

import errno
import os

from filewright.system.status import FileKind, Status


def system_error(number: int, name: bytes | None = None) -> OSError:
    """Return the `OSError` of a number, with the system's own text."""
    return (
        OSError(number, os.strerror(number), name)
        if name is not None
        else OSError(number, os.strerror(number))
    )


class NotAFileError(OSError):
    """A file of another `kind` where a regular file was to be opened.

    Its number is `EISDIR` for a folder, `ELOOP` for a link, `ENXIO` for a special file.
    """

    def __init__(self, kind: FileKind) -> None:
        number = {"folder": errno.EISDIR, "link": errno.ELOOP}.get(
            kind, errno.ENXIO
        )
        super().__init__(number, f"it is a {kind}, not a file")
        self.kind = kind


class EscapesFolderError(OSError):
    """`EXDEV`: a path that leads out of the folder in which it is resolved.

    `path` is the target of the link that leads out and `above` the path of the folder
    that holds the link. `path` is None if no link was followed.
    """

    def __init__(
        self, above: tuple[bytes, ...] = (), path: bytes | None = None
    ) -> None:
        super().__init__(errno.EXDEV, os.strerror(errno.EXDEV))
        self.above, self.path = above, path


def require_same(status: Status, expected: Status | None) -> None:
    """Raise `OSError(ESTALE)` if a status is not that of the `expected` file."""
    if expected is not None and (status.identity, status.kind) != (
        expected.identity,
        expected.kind,
    ):
        raise system_error(errno.ESTALE)
