"""Folders and files as macOS does them: renamed exclusively and exchanged in one step, flushed to the disk itself.

What it adds to `posix`: `renameatx_np`; `F_FULLFSYNC`, because `fsync` leaves the disk's own cache;
`O_NOFOLLOW_ANY`, which opens a path below a folder in one call if no part of it is a link; `F_GETPATH`;
extended attributes; when a thing was made. Where a file system or an older macOS lacks one, `posix` does it.
Numbers are those of the headers (`sys/fcntl.h`, `sys/stdio.h`, `sys/xattr.h`).
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

from filewright.system import posix
from filewright.system.base import RenameMode
from filewright.system.beneath import CheckPart
from filewright.system.capabilities import Capabilities
from filewright.system.posix import _FOLDER, NOT_OFFERED, File, Folder, umask

RENAME_SWAP = 0x00000002
RENAME_EXCL = 0x00000004
F_GETPATH = 50
F_FULLFSYNC = 51
O_NOFOLLOW_ANY = 0x20000000
O_EVTONLY = 0x00008000
O_SYMLINK = 0x00200000
_PATH_BYTES = 1024  # MAXPATHLEN, which is also what F_GETPATH fills

capabilities = Capabilities(
    exchange=True,
    exclusive_rename=True,
    handle_paths=True,
    attributes=True,
    birth_times=True,
)


class Calls:
    """The calls of `libSystem` that Python does not offer; `library` takes its place in tests."""

    def __init__(self, library: Any = None) -> None:
        self._given = library

    @cached_property
    def _library(self) -> Any:
        return (
            self._given
            if self._given is not None
            else ctypes.CDLL(None, use_errno=True)
        )

    def _call(self, name: str, *arguments: Any) -> int:
        call = getattr(self._library, name)
        call.restype = ctypes.c_ssize_t
        result: int = call(
            *(
                ctypes.c_int(each) if isinstance(each, int) else each
                for each in arguments
            )
        )
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    def rename(
        self, folder: int, name: bytes, to: int, to_name: bytes, flags: int
    ) -> None:
        """`renameatx_np`."""
        self._call("renameatx_np", folder, name, to, to_name, flags)

    def open_without_links(self, path: bytes, flags: int, folder: int) -> int:
        """Open a path below a folder; `ELOOP` if any part of it is a link."""
        return os.open(path, flags | O_NOFOLLOW_ANY, dir_fd=folder)

    def full_flush(self, descriptor: int) -> None:
        """`F_FULLFSYNC`: to the disk, through its cache."""
        fcntl.fcntl(descriptor, F_FULLFSYNC)

    def path(self, descriptor: int) -> bytes:
        """`F_GETPATH`."""
        return fcntl.fcntl(descriptor, F_GETPATH, bytes(_PATH_BYTES)).split(b"\0", 1)[0]

    def list_attributes(self, descriptor: int) -> list[bytes]:
        """The names of its extended attributes."""
        return [
            name for name in self._filled("flistxattr", descriptor).split(b"\0") if name
        ]

    def attribute(self, descriptor: int, name: bytes) -> bytes:
        """The value of one."""
        return self._filled("fgetxattr", descriptor, name, behind=(0, 0))

    def _filled(
        self, call: str, *before: int | bytes, behind: tuple[int, ...] = (0,)
    ) -> bytes:
        """What a call puts into a buffer, whose length it is asked for first."""
        size = self._call(call, *before, None, ctypes.c_size_t(0), *behind)
        buffer = ctypes.create_string_buffer(size)
        count = self._call(call, *before, buffer, ctypes.c_size_t(size), *behind)
        return buffer.raw[:count]

    def set_attribute(self, descriptor: int, name: bytes, value: bytes) -> None:
        """Set one."""
        self._call(
            "fsetxattr", descriptor, name, value, ctypes.c_size_t(len(value)), 0, 0
        )

    def remove_attribute(self, descriptor: int, name: bytes) -> None:
        """Remove one."""
        self._call("fremovexattr", descriptor, name, 0)


class _MacHandle(posix._Handle):
    """What macOS knows and does of what is held."""

    __slots__ = ()
    refusals: ClassVar[tuple[int, ...]] = (errno.EPERM, errno.EACCES, *NOT_OFFERED)
    removable: ClassVar[tuple[str, ...]] = ("",)
    calls: ClassVar[Calls] = Calls()

    def flush(self) -> None:
        """Bring it to the disk itself; where the file system has no such call, to the disk's cache."""
        try:
            self.calls.full_flush(self._fd)
        except OSError as error:
            if error.errno not in NOT_OFFERED:
                raise
            super().flush()

    def extended_attributes(self) -> dict[str, bytes]:
        """Its extended attributes; access control lists are not among them."""
        try:
            names = self.calls.list_attributes(self._fd)
        except OSError as error:
            if error.errno in (*NOT_OFFERED, errno.EPERM, errno.EACCES):
                return {}
            raise
        return {
            os.fsdecode(name): self.calls.attribute(self._fd, name) for name in names
        }

    def _set_attribute(self, name: str, value: bytes | None) -> None:
        if value is None:
            self.calls.remove_attribute(self._fd, os.fsencode(name))
        else:
            self.calls.set_attribute(self._fd, os.fsencode(name), value)


class DarwinFile(_MacHandle, File):
    """A regular file with extended attributes, flushed to the disk itself."""

    __slots__ = ()


class DarwinFolder(_MacHandle, Folder):
    """A folder whose names are renamed exclusively and exchanged in one step."""

    __slots__ = ()
    file_type: ClassVar[type[File]] = DarwinFile

    def path(self) -> bytes | None:
        """Its absolute path at this moment; None if it was deleted."""
        try:
            path = self.calls.path(self._fd)
            # The path of a deleted folder is what it was; nothing else tells.
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            return None
        return (
            path if (status.st_dev, status.st_ino) == self.status().identity else None
        )

    def open_folder_beneath(
        self,
        parts: Sequence[bytes],
        *,
        follow_links: bool = True,
        cross_devices: bool = True,
        listable: bool = True,
        check_part: CheckPart | None = None,
    ) -> Self:
        """The folder `parts` below this one, in one call where no part is a link: see `base`."""
        path = b"/".join(parts)
        plain = (
            not {b".", b".."}.intersection(parts)
            and b"\0" not in path
            and 0 < len(path) < _PATH_BYTES
        )
        if check_part is None and cross_devices and listable and plain:
            try:
                return type(self)(
                    self.calls.open_without_links(path, _FOLDER, self._fd), tuple(parts)
                )
            except OSError as error:
                if error.errno not in (errno.ELOOP, *NOT_OFFERED):
                    raise
        return super().open_folder_beneath(
            parts,
            follow_links=follow_links,
            cross_devices=cross_devices,
            listable=listable,
            check_part=check_part,
        )

    def true_name(self, name: bytes) -> bytes:
        """What this folder calls the thing that it opens by that name: see `posix.Folder.true_name`."""
        # Not by a listing: nearly every folder of a Mac folds case, and every path would cost one.
        thing = os.open(
            posix._one(name), O_EVTONLY | O_SYMLINK | os.O_CLOEXEC, dir_fd=self._fd
        )
        try:
            return self.calls.path(thing).rpartition(b"/")[2] or name
        finally:
            os.close(thing)

    def rename(self, name: bytes, to: Folder, to_name: bytes, mode: RenameMode) -> None:
        """Rename, in one step where macOS and the file system can: see `posix.Folder.rename`."""
        if mode != "replace":
            flag = RENAME_SWAP if mode == "exchange" else RENAME_EXCL
            try:
                self.calls.rename(
                    self._fd, posix._one(name), to._fd, posix._one(to_name), flag
                )
                return
            except OSError as error:
                if error.errno not in NOT_OFFERED:
                    raise
        super().rename(name, to, to_name, mode)


def open_folder(path: bytes | str, *, resolves_in_kernel: bool = True) -> Folder:  # noqa: ARG001
    """The folder of a path that the user named, such as a root; links in it are followed."""
    return DarwinFolder(os.open(path, _FOLDER))


__all__ = [
    "Calls",
    "DarwinFile",
    "DarwinFolder",
    "capabilities",
    "open_folder",
    "umask",
]
