"""The errors of this package that say more than their `errno`."""

from __future__ import annotations

import errno
import os

from filewright.system.status import FileKind, Status


def system_error(number: int, name: bytes | None = None) -> OSError:
    """The `OSError` of a number, in the system's words."""
    return (
        OSError(number, os.strerror(number), name)
        if name is not None
        else OSError(number, os.strerror(number))
    )


class NotAFileError(OSError):
    """What was to be opened as a regular file is something else, `kind`.

    `EISDIR` for a folder, `ELOOP` for a link, `ENXIO` for a special file.
    """

    def __init__(self, kind: FileKind) -> None:
        number = {"folder": errno.EISDIR, "link": errno.ELOOP}.get(kind, errno.ENXIO)
        super().__init__(number, f"it is a {kind}, not a file")
        self.kind = kind


class EscapesFolderError(OSError):
    """`EXDEV`: `path`, as a link has it, leads out from the folder `above`; None if no link was followed."""

    def __init__(
        self, above: tuple[bytes, ...] = (), path: bytes | None = None
    ) -> None:
        super().__init__(errno.EXDEV, os.strerror(errno.EXDEV))
        self.above, self.path = above, path


def require_same(status: Status, expected: Status | None) -> None:
    """Raise `OSError(ESTALE)` for what is not the thing that was `expected`."""
    if expected is not None and (status.identity, status.kind) != (
        expected.identity,
        expected.kind,
    ):
        raise system_error(errno.ESTALE)
