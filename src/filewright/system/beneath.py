"""From a folder's descriptor and a path below it to an open descriptor, part by part, never leaving it.

What the kernel does in one call where it can (`linux.openat2`), done by hand with the same answers:
relative links are followed inside the folder; an absolute link, and a link or `..` that leads above
the folder, are refused (`EXDEV`); more than 40 links are a loop (`ELOOP`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence

from filewright.system.status import KINDS, NotAFileError

_LINKS = 40
_RETRIES = 128
_NOT_FOLLOWING = os.O_NOFOLLOW | os.O_CLOEXEC


class _RacedError(OSError):
    """What was a folder a moment ago is something else now; the walk starts again."""


def retrying(
    start: int, parts: Sequence[bytes], flags: int, *, links: bool, cross: bool, step: int
) -> tuple[int, tuple[bytes, ...]]:
    """Open `parts` below `start`: the descriptor, and the names without links that led to it.

    `flags` are those of the last part, followed if it is a link unless they hold `O_NOFOLLOW`; `step`
    opens the folders on the way. With `links=False` any link is refused (`ELOOP`); with
    `cross=False` another file system is (`EXDEV`). `EAGAIN` if the folders are renamed over and over.
    """
    for _ in range(_RETRIES):
        try:
            return _walk(start, parts, flags | os.O_CLOEXEC, links, cross, step)
        except _RacedError:
            continue
    raise OSError(errno.EAGAIN, "the folders above it are being renamed")


def _walk(
    start: int, parts: Sequence[bytes], flags: int, links: bool, cross: bool, step: int
) -> tuple[int, tuple[bytes, ...]]:
    device = None if cross else os.fstat(start).st_dev
    step |= os.O_DIRECTORY | _NOT_FOLLOWING
    pending = [part for part in reversed(parts) if part] or [b"."]
    names: list[bytes] = []
    followed = 0
    folder = os.open(b".", step, dir_fd=start)
    try:
        while True:
            part = pending.pop()
            if part in (b".", b".."):
                if part == b"..":
                    if not names:
                        raise _leads_out()
                    names.pop()
                    above = _descend(start, names, device, step)
                    os.close(folder)
                    folder = above
                if not pending:
                    return os.open(b".", flags & ~os.O_NOFOLLOW, dir_fd=folder), tuple(names)
                continue
            last = not pending
            # Looked at before it is opened: opening a device or a FIFO has effects.
            status = os.stat(part, dir_fd=folder, follow_symlinks=False)
            if device is not None and status.st_dev != device:
                raise _leads_out()
            if stat.S_ISLNK(status.st_mode) and not (last and flags & os.O_NOFOLLOW):
                followed += 1
                if not links or followed > _LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                pending.extend(reversed(_steps_of(part, folder)))
                continue
            if last:
                if not flags & os.O_DIRECTORY and not stat.S_ISREG(status.st_mode):
                    raise not_a_file(status)
                descriptor = _step_into(part, flags | os.O_NOFOLLOW, folder, status)
                return descriptor, (*names, part)
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            below = _step_into(part, step, folder, status)
            os.close(folder)
            folder = below
            names.append(part)
    finally:
        os.close(folder)


def _steps_of(link: bytes, folder: int) -> list[bytes]:
    try:
        target = os.readlink(link, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        raise
    if target.startswith(b"/"):
        raise _leads_out()
    steps = [step for step in target.split(b"/") if step]
    if target.endswith(b"/"):
        steps.append(b".")
    return steps


def _step_into(part: bytes, flags: int, folder: int, seen: os.stat_result) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except OSError as error:
        was_folder = error.errno == errno.ENOTDIR and stat.S_ISDIR(seen.st_mode)
        was_no_link = error.errno in (errno.ELOOP, errno.EMLINK) and not stat.S_ISLNK(seen.st_mode)
        if was_folder or was_no_link:
            raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        raise


def _descend(start: int, names: Sequence[bytes], device: int | None, step: int) -> int:
    """The folder `names` once more from the start: `..` of a folder that was moved may be anywhere."""
    folder = os.open(b".", step, dir_fd=start)
    for name in names:
        try:
            below = os.open(name, step, dir_fd=folder)
        except OSError as error:
            raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        finally:
            os.close(folder)
        folder = below
        if device is not None and os.fstat(folder).st_dev != device:
            os.close(folder)
            raise _leads_out()
    return folder


def _leads_out() -> OSError:
    return OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def not_a_file(status: os.stat_result) -> NotAFileError:
    """The error for opening what is not a regular file as one.

    `EISDIR` for a folder, `ELOOP` for a link, `ENXIO` for a special file.
    """
    kind = KINDS.get(stat.S_IFMT(status.st_mode), "device")
    number = {"folder": errno.EISDIR, "link": errno.ELOOP}.get(kind, errno.ENXIO)
    return NotAFileError(number, kind)
