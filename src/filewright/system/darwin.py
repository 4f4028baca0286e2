"""Open files and folders of macOS: exchanged in one step, flushed to the disk itself.

It adds to `posix`: `renameatx_np`; `F_FULLFSYNC`, because `fsync` does not flush the
disk's own cache; `O_NOFOLLOW_ANY`, which opens a path below a folder in one call if no
part of it is a link; `F_GETPATH`; extended attributes; the time of creation. Where a
file system or an older macOS lacks one, the method of `posix` is used. Numbers are
those of the headers (`sys/fcntl.h`, `sys/stdio.h`, `sys/xattr.h`).
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
from filewright.system.posix import (
    FOLDER_FLAGS,
    NOT_OFFERED,
    File,
    Folder,
    umask,
)

RENAME_SWAP = 0x00000002
RENAME_EXCL = 0x00000004
F_GETPATH = 50
F_FULLFSYNC = 51
O_NOFOLLOW_ANY = 0x20000000
O_EVTONLY = 0x00008000
O_SYMLINK = 0x00200000
MAX_PATH_BYTES = 1024  # MAXPATHLEN, which is also what F_GETPATH fills

capabilities = Capabilities(
    exchange=True,
    exclusive_rename=True,
    handle_paths=True,
    attributes=True,
    birth_times=True,
)


class Calls:
    """The calls of `libSystem` that Python lacks. Tests pass another `library`."""

    def __init__(self, library: Any = None) -> None:
        self._library_override = library

    @cached_property
    def _library(self) -> Any:
        if self._library_override is not None:
            return self._library_override
        return ctypes.CDLL(None, use_errno=True)

    def _call(self, name: str, *arguments: Any) -> int:
        function = getattr(self._library, name)
        function.restype = ctypes.c_ssize_t
        values = [
            ctypes.c_int(argument) if isinstance(argument, int) else argument
            for argument in arguments
        ]
        result: int = function(*values)
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    def rename(
        self,
        folder: int,
        name: bytes,
        target_folder: int,
        target_name: bytes,
        flags: int,
    ) -> None:
        """Call `renameatx_np`."""
        self._call(
            "renameatx_np", folder, name, target_folder, target_name, flags
        )

    def open_without_links(self, path: bytes, flags: int, folder: int) -> int:
        """Open a path below a folder. Raises `OSError(ELOOP)` if a part is a link."""
        return os.open(path, flags | O_NOFOLLOW_ANY, dir_fd=folder)

    def full_flush(self, descriptor: int) -> None:
        """Flush through the disk's own cache (`F_FULLFSYNC`)."""
        fcntl.fcntl(descriptor, F_FULLFSYNC)

    def path(self, descriptor: int) -> bytes:
        """Return the present path of a descriptor (`F_GETPATH`)."""
        return fcntl.fcntl(descriptor, F_GETPATH, bytes(MAX_PATH_BYTES)).split(
            b"\0", 1
        )[0]

    def list_attributes(self, descriptor: int) -> list[bytes]:
        """Return the names of the extended attributes of a descriptor."""
        return [
            name
            for name in self._read_buffer("flistxattr", descriptor).split(b"\0")
            if name
        ]

    def attribute(self, descriptor: int, name: bytes) -> bytes:
        """Return the value of one extended attribute."""
        return self._read_buffer(
            "fgetxattr", descriptor, name, arguments_after=(0, 0)
        )

    def _read_buffer(
        self,
        call: str,
        *arguments_before: int | bytes,
        arguments_after: tuple[int, ...] = (0,),
    ) -> bytes:
        """Return the buffer that a call fills, after asking it for the length."""
        size = self._call(
            call, *arguments_before, None, ctypes.c_size_t(0), *arguments_after
        )
        buffer = ctypes.create_string_buffer(size)
        count = self._call(
            call,
            *arguments_before,
            buffer,
            ctypes.c_size_t(size),
            *arguments_after,
        )
        return buffer.raw[:count]

    def set_attribute(self, descriptor: int, name: bytes, value: bytes) -> None:
        """Set one extended attribute."""
        self._call(
            "fsetxattr",
            descriptor,
            name,
            value,
            ctypes.c_size_t(len(value)),
            0,
            0,
        )

    def remove_attribute(self, descriptor: int, name: bytes) -> None:
        """Remove one extended attribute."""
        self._call("fremovexattr", descriptor, name, 0)


class MacHandle(posix.PosixHandle):
    """A descriptor with extended attributes and a full flush."""

    __slots__ = ()
    permission_errors: ClassVar[tuple[int, ...]] = (
        errno.EPERM,
        errno.EACCES,
        *NOT_OFFERED,
    )
    removable_prefixes: ClassVar[tuple[str, ...]] = ("",)
    calls: ClassVar[Calls] = Calls()

    def flush(self) -> None:
        """Flush it to the disk itself, or where that is not offered to its cache."""
        try:
            self.calls.full_flush(self._descriptor)
        except OSError as error:
            if error.errno not in NOT_OFFERED:
                raise
            super().flush()

    def extended_attributes(self) -> dict[str, bytes]:
        """Return its extended attributes, without access control lists."""
        try:
            names = self.calls.list_attributes(self._descriptor)
        except OSError as error:
            if error.errno in (*NOT_OFFERED, errno.EPERM, errno.EACCES):
                return {}
            raise
        return {
            os.fsdecode(name): self.calls.attribute(self._descriptor, name)
            for name in names
        }

    def _set_attribute(self, name: str, value: bytes | None) -> None:
        if value is None:
            self.calls.remove_attribute(self._descriptor, os.fsencode(name))
        else:
            self.calls.set_attribute(self._descriptor, os.fsencode(name), value)


class DarwinFile(MacHandle, File):
    """An open regular file."""

    __slots__ = ()


class DarwinFolder(MacHandle, Folder):
    """An open folder whose names are exchanged in one step."""

    __slots__ = ()
    file_type: ClassVar[type[File]] = DarwinFile

    def path(self) -> bytes | None:
        """Return its present absolute path; None if it was deleted."""
        try:
            path = self.calls.path(self._descriptor)
            # F_GETPATH returns the old path of a deleted folder: compare what is there.
            status = os.stat(path, follow_symlinks=False)
        except OSError:
            return None
        return (
            path
            if (status.st_dev, status.st_ino) == self.status().identity
            else None
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
        """Open the folder at a path below, by one call if no part is a link."""
        path = b"/".join(parts)
        is_plain = (
            not {b".", b".."}.intersection(parts)
            and b"\0" not in path
            and 0 < len(path) < MAX_PATH_BYTES
        )
        if check_part is None and cross_devices and listable and is_plain:
            try:
                return type(self)(
                    self.calls.open_without_links(
                        path, FOLDER_FLAGS, self._descriptor
                    ),
                    tuple(parts),
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
        """Return the spelling that this folder has for a name."""
        # Not by listing names, as `posix` does: nearly every folder of a Mac folds
        # case, so every path would need a listing.
        descriptor = os.open(
            posix.require_name(name),
            O_EVTONLY | O_SYMLINK | os.O_CLOEXEC,
            dir_fd=self._descriptor,
        )
        try:
            return self.calls.path(descriptor).rpartition(b"/")[2] or name
        finally:
            os.close(descriptor)

    def rename(
        self,
        name: bytes,
        target_folder: Folder,
        target_name: bytes,
        mode: RenameMode,
    ) -> None:
        """Rename, in one step if the file system can: see `posix.Folder`."""
        if mode != "replace":
            flag = RENAME_SWAP if mode == "exchange" else RENAME_EXCL
            try:
                self.calls.rename(
                    self._descriptor,
                    posix.require_name(name),
                    target_folder._descriptor,
                    posix.require_name(target_name),
                    flag,
                )
                return
            except OSError as error:
                if error.errno not in NOT_OFFERED:
                    raise
        super().rename(name, target_folder, target_name, mode)


def open_folder(
    path: bytes | str,
    *,
    resolves_in_kernel: bool = True,  # noqa: ARG001
) -> Folder:
    """Open a folder by a path that the user named, such as a root: see `posix`."""
    return DarwinFolder(os.open(path, FOLDER_FLAGS))


__all__ = [
    "Calls",
    "DarwinFile",
    "DarwinFolder",
    "capabilities",
    "open_folder",
    "umask",
]
