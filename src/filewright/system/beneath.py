"""The walk from an open folder to a path below it, part by part.

It gives the same answers as the Linux kernel with `RESOLVE_BENEATH`: relative links are
followed inside the folder; an absolute link, and a link or `..` that leads above the
folder, are refused (`EXDEV`); more than 40 links are a loop (`ELOOP`).
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

from filewright.system.errors import EscapesFolderError, system_error
from filewright.system.status import FileKind, Status

MAX_LINKS = 40
MAX_WALKS = 128

CheckPart = Callable[[Any, bytes, bool | None], None]
"""A function that is called for each part of a path before the part is used.

Its arguments are the folder that holds the part, the part, and True if the part is a
folder, or None if its status could not be read. It refuses a part by raising.
"""


class ResolvedHandle(Protocol):
    """An open file or folder that knows the path by which it was reached."""

    resolved_parts: tuple[bytes, ...]


class WalkableFolder(ResolvedHandle, Protocol):
    """The methods of an open folder that a walk needs."""

    def close(self) -> None:
        """Release it."""

    def status(self) -> Status:
        """Return its present status."""

    def stat(self, name: bytes) -> Status:
        """Return the status of a name, its link not followed."""

    def link_target(self, name: bytes) -> tuple[bytes, bool]:
        """Return the target of a link, and True if it is relative."""

    def open_folder(self, name: bytes, *, listable: bool = True) -> Self:
        """Open a folder by its name."""


AnyFolder = TypeVar("AnyFolder", bound=WalkableFolder)
AnyHandle = TypeVar("AnyHandle", bound=ResolvedHandle)
OpenLast = Callable[[AnyFolder, bytes, FileKind], AnyHandle]
"""Opens the last part of a path, by the folder that holds it, its name and its kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkConditions:
    """The conditions of a walk: see `BaseFolder.open_folder_beneath`."""

    follow_links: bool = True
    cross_devices: bool = True
    check_part: CheckPart | None = None


def walk_to_folder(
    start: AnyFolder,
    parts: Sequence[bytes],
    options: WalkConditions,
    *,
    listable: bool,
) -> AnyFolder:
    """Return the folder at the end of the path `parts` from `start`."""

    def open_last(folder: AnyFolder, name: bytes, kind: FileKind) -> AnyFolder:
        if kind != "folder":
            raise system_error(errno.ENOTDIR)
        return folder.open_folder(name, listable=listable)

    return walk_beneath(start, parts, options, open_last)


def walk_beneath(
    start: AnyFolder,
    parts: Sequence[bytes],
    options: WalkConditions,
    open_last: OpenLast[AnyFolder, AnyHandle],
) -> AnyHandle:
    """Return the result of `open_last` for the end of the path `parts` from `start`."""
    for _ in range(MAX_WALKS):
        with suppress(_RacedError):
            walk = _Walk(start, parts, options)
            try:
                return walk.run(open_last)
            finally:
                walk.folder.close()
    raise OSError(errno.EAGAIN, "the folders above it are being renamed")


class _RacedError(OSError):
    """A part was replaced between its status and its opening: the walk starts again."""


class _Walk(Generic[AnyFolder]):
    """One walk: the folder reached so far, and the parts that are still to be walked."""

    def __init__(
        self, start: AnyFolder, parts: Sequence[bytes], options: WalkConditions
    ) -> None:
        self.folder = start.open_folder(b".", listable=False)
        self._start = start
        self._options = options
        self._device = start.status().device
        # A stack: the next part is the last one.
        self._pending = [part for part in reversed(parts) if part] or [b"."]
        self._links_followed = 0
        # The link followed last is the one to blame if a later `..` leads out.
        self._escape_error = EscapesFolderError()

    def run(self, open_last: OpenLast[AnyFolder, AnyHandle]) -> AnyHandle:
        """Walk all parts, and open the last one."""
        while True:
            part = self._pending.pop()
            if part == b"..":
                self._go_up()
                continue
            if part == b".":
                if not self._pending:
                    handle = open_last(self.folder, b".", "folder")
                    handle.resolved_parts = self.folder.resolved_parts
                    return handle
                continue
            kind = self._checked_kind(part)
            try:
                if kind == "link":
                    self._follow_link(part)
                elif self._pending:
                    self._enter(part, kind)
                else:
                    handle = open_last(self.folder, part, kind)
                    handle.resolved_parts = (*self.folder.resolved_parts, part)
                    return handle
            except OSError as error:
                if _was_replaced(kind, error):
                    raise _RacedError from error
                raise

    def _go_up(self) -> None:
        """Go to the parent of the folder reached so far."""
        parts = self.folder.resolved_parts
        if not parts:
            raise self._escape_error
        # Walked again from the start: the folder may have been moved, and then its `..`
        # may be anywhere.
        self._pending += [b".", *reversed(parts[:-1])]
        self.folder.close()
        self.folder = self._start.open_folder(b".", listable=False)

    def _checked_kind(self, part: bytes) -> FileKind:
        """Return the kind of a part, after `check_part` and the check of its device."""
        check_part = self._options.check_part
        try:
            status = self.folder.stat(part)
        except OSError:
            if check_part is not None:
                check_part(self.folder, part, None)
            raise
        if check_part is not None:
            check_part(self.folder, part, status.kind == "folder")
        if not self._options.cross_devices and status.device != self._device:
            raise EscapesFolderError()
        return status.kind

    def _follow_link(self, part: bytes) -> None:
        """Put the target of a link in the place of the link."""
        self._links_followed += 1
        if not self._options.follow_links or self._links_followed > MAX_LINKS:
            raise system_error(errno.ELOOP)
        target, is_relative = self.folder.link_target(part)
        self._escape_error = EscapesFolderError(
            self.folder.resolved_parts,
            b"/".join((target, *reversed(self._pending))),
        )
        if not is_relative:
            raise self._escape_error
        if target.endswith(b"/"):
            self._pending.append(b".")  # The target must be a folder.
        self._pending += [part for part in reversed(target.split(b"/")) if part]

    def _enter(self, part: bytes, kind: FileKind) -> None:
        """Go on to a folder in the folder reached so far."""
        if kind != "folder":
            raise system_error(errno.ENOTDIR)
        folder = self.folder.open_folder(part, listable=False)
        folder.resolved_parts = (*self.folder.resolved_parts, part)
        self.folder.close()
        self.folder = folder


def _was_replaced(kind: FileKind, error: OSError) -> bool:
    """Return True if an error shows that a part is no longer of the kind it had."""
    if kind == "link":
        return error.errno == errno.EINVAL  # It is no link any more.
    if kind == "folder" and error.errno == errno.ENOTDIR:
        return True
    return error.errno in (errno.ELOOP, errno.EMLINK)  # It is a link now.
