"""Folders and files as Linux does them: resolved in the kernel, exchanged in one step, leased.

The system calls that Python does not offer, each with its substitute where the kernel lacks it:

============================== ================ ======================================================
function                       since Linux      without it
============================== ================ ======================================================
`openat2`                      5.6              `OSError(ENOSYS)`; `open_folder_beneath` walks part by part
`renameat2`                    3.15             `OSError(ENOSYS)`; the caller renames one after the other
`chmod_descriptor`             6.6              `chmod` through `/proc/self/fd`
`chown_descriptor`             2.6.39           none needed
============================== ================ ======================================================
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import stat
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_char_p, c_int, c_long, c_size_t, c_uint
from functools import cache, lru_cache
from typing import Any, ClassVar, Self

from filewright.system import posix
from filewright.system.base import BaseFile, RenameMode
from filewright.system.beneath import CheckPart
from filewright.system.capabilities import Capabilities
from filewright.system.errors import require_same
from filewright.system.posix import _FOLDER, NOT_OFFERED, File, Folder
from filewright.system.status import Status

_RETRIES = (
    128  # `EAGAIN`: a rename crossed a `..`; rare unless someone races us on purpose
)
_PATH_BYTES = 4000  # what one call may hold, with room to spare
_FICLONE = 0x40049409
_GET_FLAGS = 0x80086601
_UNCHANGEABLE = 0x10 | 0x20  # immutable, append only
_ENTER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
# Kept by the system itself, per inode or per session.
_NOT_OURS = ("security.ima", "security.evm", "system.nfs4_acl", "trusted.overlay.")
_NO_ATTRIBUTES = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.EACCES)

AT_FDCWD = -100
AT_EMPTY_PATH = 0x1000
AT_SYMLINK_NOFOLLOW = 0x100
AT_NO_AUTOMOUNT = 0x800
O_PATH: int = getattr(os, "O_PATH", 0)

RESOLVE_NO_XDEV = 0x01
RESOLVE_NO_MAGICLINKS = 0x02
RESOLVE_NO_SYMLINKS = 0x04
RESOLVE_BENEATH = 0x08

RENAME_NOREPLACE = 1
RENAME_EXCHANGE = 2

_OPENAT2 = 437
_FCHMODAT2 = 452
_RENAMEAT2 = {
    "x86_64": 316,
    "aarch64": 276,
    "riscv64": 276,
    "loongarch64": 276,
    "i686": 353,
    "armv7l": 382,
    "ppc64le": 357,
    "s390x": 347,
}

libc = ctypes.CDLL(None, use_errno=True)


def failure(path: bytes | None = None) -> OSError:
    """The error of the last call."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), path)


def system_call(*arguments: type[Any]) -> Callable[..., int]:
    """`syscall` with its number and these arguments.

    It is variadic: a function object of its own per signature converts by declared types, in half the time of
    guessing.
    """
    call = libc["syscall"]
    call.argtypes = (c_long, *arguments)
    call.restype = c_long
    return call


_openat2 = system_call(c_int, c_char_p, c_char_p, c_size_t)


@lru_cache(maxsize=64)
def _how(flags: int, resolve: int) -> bytes:
    return struct.pack("=QQQ", flags, 0, resolve)


def openat2(folder: int, path: bytes, flags: int, resolve: int) -> int:
    """Open `path` below the descriptor `folder`; `O_CLOEXEC` is added. `EAGAIN` is the caller's to retry."""
    if (
        b"\0" in path
    ):  # C ends the string there: what is opened would not be what was checked.
        raise OSError(errno.EINVAL, "embedded null byte", path)
    how = _how(flags | os.O_CLOEXEC, resolve)
    descriptor = _openat2(_OPENAT2, folder, path, how, 24)
    if descriptor < 0:
        raise failure(path)
    return descriptor


@lru_cache(maxsize=1)
def has_openat2() -> bool:
    """Whether this kernel (and this process's system call filter) offers `openat2`."""
    try:
        os.close(openat2(AT_FDCWD, b".", O_PATH | os.O_DIRECTORY, RESOLVE_BENEATH))
    except OSError as error:
        # A container's filter answers EPERM; any other error is about the current folder.
        return error.errno not in (errno.ENOSYS, errno.EPERM, errno.EINVAL)
    return True


_rename_call = system_call(c_int, c_char_p, c_int, c_char_p, c_uint)


@cache
def _rename_number() -> int | None:
    return _RENAMEAT2.get(os.uname().machine)


def renameat2(
    source_folder: int, source: bytes, target_folder: int, target: bytes, flags: int
) -> None:
    """`renameat2` itself; `OSError(ENOSYS or EINVAL)` where kernel or file system lacks the flag."""
    number = _rename_number()
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if b"\0" in source + target:  # C ends the string there: see `openat2`.
        raise OSError(errno.EINVAL, "embedded null byte", source)
    if _rename_call(number, source_folder, source, target_folder, target, flags) != 0:
        raise failure(source)


@lru_cache(maxsize=1)
def has_renameat2() -> bool:
    """Whether this kernel offers `renameat2` at all."""
    try:
        renameat2(AT_FDCWD, b"", AT_FDCWD, b"", RENAME_NOREPLACE)
    except OSError as error:
        return error.errno == errno.ENOENT
    return True


_fchmodat2 = system_call(c_int, c_char_p, c_uint, c_int)


def chmod_descriptor(descriptor: int, mode: int) -> None:
    """Set the mode of what `descriptor` (also one opened with `O_PATH`) refers to, never of a link's target.

    `os.chmod(name, dir_fd=…)` follows links, and `fchmod` refuses `O_PATH` descriptors.
    """
    if _fchmodat2(_FCHMODAT2, descriptor, b"", mode, AT_EMPTY_PATH) == 0:
        return
    error = failure()
    if error.errno not in (errno.ENOSYS, errno.EPERM):
        raise error
    if stat.S_ISLNK(os.fstat(descriptor).st_mode):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
    os.chmod(f"/proc/self/fd/{descriptor}", mode)


_fchownat = libc.fchownat
_fchownat.argtypes = (c_int, c_char_p, c_uint, c_uint, c_int)
_fchownat.restype = c_int


def chown_descriptor(descriptor: int, uid: int, gid: int) -> None:
    """Set user and group of what `descriptor` (also one opened with `O_PATH`) refers to; -1 keeps one."""
    if _fchownat(descriptor, b"", uid, gid, AT_EMPTY_PATH) != 0:
        raise failure()


_statx = getattr(libc, "statx", None)
_ITSELF = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT
_STATX_BTIME = 0x800
_STATX = struct.Struct("=I 76x q I")  # stx_mask, then stx_btime


def birth_ns(folder: int, name: bytes = b"") -> int | None:
    """When a thing was made, by its name in an open folder, or a descriptor's own; None where nobody keeps that."""
    found = ctypes.create_string_buffer(256)
    if _statx is None or _statx(folder, name, _ITSELF, _STATX_BTIME, found) != 0:
        return None
    mask, seconds, nanoseconds = _STATX.unpack_from(found)
    return (
        int(seconds) * 1_000_000_000 + int(nanoseconds) if mask & _STATX_BTIME else None
    )


_STATX_ATTRIBUTES = struct.Struct("=8x Q")
_STATX_MOUNT_ROOT = 0x2000


def syncfs(descriptor: int) -> None:
    """Flush the file system that a descriptor lies on."""
    if libc.syncfs(descriptor) != 0:
        raise failure()


_SYNC_FILE_RANGE_WRITE = 2  # begin, and wait for nothing


def start_writeback(descriptor: int, offset: int, length: int) -> None:
    """Let the disk begin with a part of a file: a hint, which says nothing of what is on the disk."""
    call = getattr(libc, "sync_file_range", None)
    if call is not None:
        call(
            descriptor,
            ctypes.c_int64(offset),
            ctypes.c_int64(length),
            _SYNC_FILE_RANGE_WRITE,
        )


landlock_create = system_call(c_char_p, c_size_t, c_uint)
LANDLOCK_CREATE_RULESET = 444


def landlock_version() -> int:
    """The version of Landlock that this kernel enforces; 0 where it has none, or has it switched off."""
    return max(0, int(landlock_create(LANDLOCK_CREATE_RULESET, None, 0, 1)))


capabilities = Capabilities(
    kernel_resolution=has_openat2(),
    exchange=has_renameat2(),
    exclusive_rename=has_renameat2(),
    path_handles=True,
    handle_paths=os.path.isdir("/proc/self/fd"),
    lease=True,
    attributes=True,
    immutable_flags=True,
    clone=True,
    birth_times=True,
    flush_file_system=True,
    confinement=landlock_version() > 0,
)


class _LinuxHandle(posix._Handle):
    """What Linux knows and does of what is held: extended attributes, flags, its file system."""

    __slots__ = ()
    removable: ClassVar[tuple[str, ...]] = ("user.", "system.posix_acl")

    def flush(self) -> None:
        """Bring it to the disk; the names of a folder that may only be entered are left to the system."""
        try:
            os.fsync(self._fd)
        except OSError as error:
            if (
                error.errno != errno.EBADF
                or not fcntl.fcntl(self._fd, fcntl.F_GETFL) & os.O_PATH
            ):
                raise

    def flush_file_system(self) -> bool:
        """Flush all of its file system in one call."""
        syncfs(self._fd)
        return True

    def is_immutable(self) -> bool:
        """Whether it is immutable or append only."""
        try:
            flags = fcntl.ioctl(self._fd, _GET_FLAGS, b"\0" * 8)
        except OSError:
            return False  # This file system has no such flags.
        return bool(int.from_bytes(flags[:4], sys.byteorder) & _UNCHANGEABLE)

    def extended_attributes(self) -> dict[str, bytes]:
        """Its extended attributes, access control lists among them; empty where there are none."""
        try:
            names = os.listxattr(self._fd)
        except OSError as error:
            if error.errno in _NO_ATTRIBUTES:
                return {}
            raise
        found: dict[str, bytes] = {}
        for name in names:
            if name.startswith(_NOT_OURS):
                continue
            try:
                found[name] = os.getxattr(self._fd, name)
            except OSError as error:
                if error.errno not in (errno.ENODATA, errno.EPERM, errno.EACCES):
                    raise
        return found

    def _set_attribute(self, name: str, value: bytes | None) -> None:
        if value is None:
            os.removexattr(self._fd, name)
        else:
            os.setxattr(self._fd, name, value)


class LinuxFile(_LinuxHandle, File):
    """A regular file with leases, clones and attributes."""

    __slots__ = ()

    def start_writeback(self, offset: int, length: int) -> None:
        """Let the disk begin with a range already written."""
        start_writeback(self._fd, offset, length)

    def clone_from(self, source: BaseFile) -> bool:
        """Share all blocks of `source`; False where the file system cannot."""
        try:
            fcntl.ioctl(self._fd, _FICLONE, source.fileno())
        except OSError:
            return False
        return True

    @contextmanager
    def watch_for_writers(self) -> Iterator[Callable[[], bool]]:
        """Keep others from beginning to write to it; yields whether it is so: False once one tries to.

        By a read lease, which is not granted if someone writes. The kernel cannot tell for files of another user
        and on network file systems. While it is held, the kernel sends a signal when someone opens the file for
        writing. The usual one (SIGIO) ends a process that does not handle it, so one is asked for that is ignored
        by default.
        """
        import signal

        granted: bool | None = True
        try:
            fcntl.fcntl(self._fd, fcntl.F_SETSIG, int(signal.SIGURG))  # type: ignore[attr-defined,unused-ignore]
            fcntl.fcntl(self._fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            granted = (
                False if error.errno in (errno.EAGAIN, errno.EWOULDBLOCK) else None
            )

        def kept() -> bool:
            # A lease that is being broken, since somebody waits to write, is shown as none.
            return granted is None or (
                granted and fcntl.fcntl(self._fd, fcntl.F_GETLEASE) == fcntl.F_RDLCK
            )

        try:
            yield kept
        finally:
            if granted:
                fcntl.fcntl(self._fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)


class LinuxFolder(_LinuxHandle, Folder):
    """A folder whose names are resolved, exchanged and held by the kernel."""

    __slots__ = ()
    file_type: ClassVar[type[File]] = LinuxFile
    step_flags: ClassVar[int] = _ENTER
    resolves_in_kernel: ClassVar[bool] = capabilities.kernel_resolution

    def status_with_birth(self) -> Status:
        """The same as `status`, and when it was made."""
        return Status(os.fstat(self._fd), birth_ns(self._fd))

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:
        """The status of what has that name: see `base`."""
        raw = os.stat(posix._one(name), dir_fd=self._fd, follow_symlinks=False)
        return Status(raw, birth_ns(self._fd, name) if with_birth else None)

    def is_mount(self, name: bytes) -> bool:
        """Whether something is mounted on a name in it: another file system, or another folder or file of this one."""
        found = ctypes.create_string_buffer(256)
        if _statx is None or _statx(self._fd, name, _ITSELF, 0, found) != 0:
            return False
        # No such flag where the kernel does not say (before 5.8).
        return bool(_STATX_ATTRIBUTES.unpack_from(found)[0] & _STATX_MOUNT_ROOT)

    def mounts_below(self) -> tuple[bytes, ...]:
        """Return the paths from here of what is mounted below it; none where `/proc` does not list mounts."""
        path = self.path()
        if path is None:
            return ()
        start = path.rstrip(b"/") + b"/"
        mounts = []
        try:
            with open("/proc/self/mountinfo", "rb") as listing:
                for line in listing:
                    # The fifth field is the mount's place, in which blanks and backslashes are octal.
                    place = re.sub(
                        rb"\\([0-7]{3})",
                        lambda match: bytes((int(match[1], 8),)),
                        line.split(b" ")[4],
                    )
                    if place.startswith(start):
                        mounts.append(place[len(start) :])
        except OSError:
            return ()
        return tuple(mounts)

    def path(self) -> bytes | None:
        """Its absolute path at this moment; None if it was deleted, or there is no `/proc`."""
        try:
            path = os.readlink(b"/proc/self/fd/%d" % self._fd)
        except OSError:
            return None
        if path.endswith(b" (deleted)") and os.fstat(self._fd).st_nlink == 0:
            return None
        return path if path.startswith(b"/") else None

    # Opening

    def open_folder_beneath(
        self,
        parts: Sequence[bytes],
        *,
        follow_links: bool = True,
        cross_devices: bool = True,
        listable: bool = True,
        check_part: CheckPart | None = None,
    ) -> Self:
        """The folder `parts` below this one, by the kernel in one call where it can: see `base`."""
        path = b"/".join(parts) or b"."
        flags = _FOLDER if listable else _ENTER
        resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS
        if not cross_devices:
            resolve |= RESOLVE_NO_XDEV
        at_once = (
            check_part is None
            and b".." not in parts
            and self.resolves_in_kernel
            and len(path) <= _PATH_BYTES
        )
        for _ in range(_RETRIES if at_once else 0):
            try:
                return type(self)(openat2(self._fd, path, flags, resolve), tuple(parts))
            except OSError as error:
                if error.errno == errno.ELOOP:
                    break  # The names that led here are only known where no link was followed.
                if error.errno not in (errno.EAGAIN, errno.EINTR):
                    raise
        return super().open_folder_beneath(
            parts,
            follow_links=follow_links,
            cross_devices=cross_devices,
            listable=listable,
            check_part=check_part,
        )

    # Changing

    def rename(self, name: bytes, to: Folder, to_name: bytes, mode: RenameMode) -> None:
        """Rename, in one step where kernel and file system can: see `posix.Folder.rename`."""
        if capabilities.exchange and mode != "replace":
            flag = RENAME_EXCHANGE if mode == "exchange" else RENAME_NOREPLACE
            try:
                renameat2(self._fd, posix._one(name), to._fd, posix._one(to_name), flag)
                return
            except OSError as error:
                if error.errno not in NOT_OFFERED:
                    raise
        super().rename(name, to, to_name, mode)

    def set_mode(
        self, name: bytes, mode: int, *, expected: Status | None = None
    ) -> None:
        """Set the permission bits of the thing itself, readable or not: see `posix.Folder.set_mode`."""
        with self._held(name, expected) as thing:
            chmod_descriptor(thing, mode)

    def set_owner(
        self, name: bytes, uid: int, gid: int, *, expected: Status | None = None
    ) -> None:
        """Set user and group of the thing itself, a link included: see `posix.Folder.set_owner`."""
        with self._held(name, expected) as thing:
            chown_descriptor(thing, uid, gid)

    @contextmanager
    def _held(self, name: bytes, expected: Status | None) -> Iterator[int]:
        thing = os.open(posix._one(name), _LOOK, dir_fd=self._fd)
        try:
            require_same(Status(os.fstat(thing)), expected)
            yield thing
        finally:
            os.close(thing)


class _WalkedFolder(LinuxFolder):
    """One below which paths are walked part by part, as where the kernel cannot resolve them."""

    __slots__ = ()
    resolves_in_kernel: ClassVar[bool] = False


def open_folder(path: bytes | str, *, resolves_in_kernel: bool = True) -> Folder:
    """The folder of a path that the user named, such as a root; links in it are followed."""
    return (LinuxFolder if resolves_in_kernel else _WalkedFolder)(
        os.open(path, _FOLDER)
    )


def umask() -> int:
    """The permission bits that new files of this process do not get, read without changing them."""
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith(b"Umask:"):
                    return int(line.split()[1], 8)
    except OSError:
        pass  # No /proc.
    return posix.umask()
