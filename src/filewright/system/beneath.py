"""From an open folder and a path below it to an open thing, part by part, never leaving it.

What the Linux kernel does in one call where it can (`linux.openat2`), done by hand with the same
answers: relative links are followed inside the folder; an absolute link, and a link or `..` that leads
above the folder, are refused (`EXDEV`); more than 40 links are a loop (`ELOOP`). The same walk serves
every system, which gives it its `Steps`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from filewright.system.handle import Handle
from filewright.system.status import KINDS, NotAFileError

_LINKS = 40
_RETRIES = 128

_H = TypeVar("_H", bound=Handle)
Ask = Callable[[_H, bytes, bool | None], None]
"""Asked of every part, with the folder it is in and whether it is a folder (None: it could not be looked
at), before anything is done with it. Refuses by raising."""
_AskStep = Callable[[int, tuple[bytes, ...], bytes, bool | None], None]


class Steps(Protocol):
    """What the walk asks of a system. Handles are numbers; none of them follows a link."""

    @property
    def folders_only(self) -> bool:
        """Whether the last part must be a folder; else it must be a regular file."""

    def look(self, name: bytes, folder: int) -> os.stat_result:
        """The status of what has that name, before it is opened: opening a device or a FIFO has effects."""

    def status(self, handle: int) -> os.stat_result:
        """The status of an open thing."""

    def enter(self, name: bytes, folder: int) -> int:
        """A folder on the way; `b"."` is `folder` once more."""

    def open(self, name: bytes, folder: int) -> int:
        """What the path leads to; `b"."` is `folder` once more."""

    def target(self, name: bytes, folder: int) -> tuple[bytes, bool]:
        """Where a link leads, with `/` between its parts, and whether that is relative. `EINVAL` if it is no link."""

    def close(self, handle: int) -> None:
        """Let go of one."""


class LeadsOutError(OSError):
    """`EXDEV`: `path`, as a link has it, leads out from the folder `above`; None if no link was followed."""

    def __init__(self, above: tuple[bytes, ...] = (), path: bytes | None = None) -> None:
        super().__init__(errno.EXDEV, os.strerror(errno.EXDEV))
        self.above, self.path = above, path


class _RacedError(OSError):
    """What was a folder a moment ago is something else now; the walk starts again."""


def lending(kind: Callable[[int, tuple[bytes, ...]], _H], ask: Ask[_H] | None) -> _AskStep | None:
    """`ask` as `retrying` takes it: it is lent each folder on the way, whose `reached` are its names."""
    if ask is None:
        return None

    def asked(handle: int, names: tuple[bytes, ...], part: bytes, is_folder: bool | None) -> None:
        folder = kind(handle, names)
        try:
            ask(folder, part, is_folder)
        finally:
            folder.detach()

    return asked


def retrying(
    steps: Steps,
    start: int,
    parts: Sequence[bytes],
    *,
    links: bool,
    cross: bool,
    ask: _AskStep | None = None,
) -> tuple[int, tuple[bytes, ...]]:
    """Open `parts` below `start`: the handle, and the names without links that led to it.

    With `links=False` any link is refused (`ELOOP`); with `cross=False` another file system is
    (`EXDEV`). `EAGAIN` if the folders are renamed over and over. Raises what `ask` raises.
    """
    for _ in range(_RETRIES):
        try:
            return _walk(steps, start, parts, links, cross, ask)
        except _RacedError:
            continue
    raise OSError(errno.EAGAIN, "the folders above it are being renamed")


def _walk(
    steps: Steps, start: int, parts: Sequence[bytes], links: bool, cross: bool, ask: _AskStep | None
) -> tuple[int, tuple[bytes, ...]]:
    device = None if cross else steps.status(start).st_dev
    pending = [part for part in reversed(parts) if part] or [b"."]
    names: list[bytes] = []
    followed, leads_out = 0, LeadsOutError()
    folder = steps.enter(b".", start)
    try:
        while True:
            part = pending.pop()
            if part in (b".", b".."):
                if part == b"..":
                    if not names:
                        raise leads_out
                    names.pop()
                    above = _descend(steps, start, names, device)
                    steps.close(folder)
                    folder = above
                if not pending:
                    return steps.open(b".", folder), tuple(names)
                continue
            try:
                status = steps.look(part, folder)
            except OSError:
                if ask is not None:
                    ask(folder, tuple(names), part, None)
                raise
            if ask is not None:
                ask(folder, tuple(names), part, stat.S_ISDIR(status.st_mode))
            if device is not None and status.st_dev != device:
                raise LeadsOutError()
            if stat.S_ISLNK(status.st_mode):
                followed += 1
                if not links or followed > _LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                target, relative = _target(steps, part, folder)
                leads_out = LeadsOutError(tuple(names), b"/".join((target, *reversed(pending))))
                if not relative:
                    raise leads_out
                parts_of_it = [step for step in target.split(b"/") if step]
                pending.extend(reversed([*parts_of_it, b"."] if target.endswith(b"/") else parts_of_it))
                continue
            if not pending:
                if not steps.folders_only and not stat.S_ISREG(status.st_mode):
                    raise not_a_file(status)
                return _step(steps.open, part, folder, status), (*names, part)
            if not stat.S_ISDIR(status.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            below = _step(steps.enter, part, folder, status)
            steps.close(folder)
            folder = below
            names.append(part)
    finally:
        steps.close(folder)


def _target(steps: Steps, link: bytes, folder: int) -> tuple[bytes, bool]:
    try:
        return steps.target(link, folder)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        raise


def _step(opener: Callable[[bytes, int], int], part: bytes, folder: int, seen: os.stat_result) -> int:
    try:
        return opener(part, folder)
    except OSError as error:
        was_folder = error.errno == errno.ENOTDIR and stat.S_ISDIR(seen.st_mode)
        was_no_link = error.errno in (errno.ELOOP, errno.EMLINK) and not stat.S_ISLNK(seen.st_mode)
        if was_folder or was_no_link:
            raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        raise


def _descend(steps: Steps, start: int, names: Sequence[bytes], device: int | None) -> int:
    """The folder `names` once more from the start: `..` of a folder that was moved may be anywhere."""
    folder = steps.enter(b".", start)
    for name in names:
        try:
            below = steps.enter(name, folder)
        except OSError as error:
            raise _RacedError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        finally:
            steps.close(folder)
        folder = below
        if device is not None and steps.status(folder).st_dev != device:
            steps.close(folder)
            raise LeadsOutError()
    return folder


def not_a_file(status: os.stat_result) -> NotAFileError:
    """The error for opening what is not a regular file as one.

    `EISDIR` for a folder, `ELOOP` for a link, `ENXIO` for a special file.
    """
    kind = KINDS.get(stat.S_IFMT(status.st_mode), "device")
    number = {"folder": errno.EISDIR, "link": errno.ELOOP}.get(kind, errno.ENXIO)
    return NotAFileError(number, kind)
