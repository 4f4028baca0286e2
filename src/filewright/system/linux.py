"""Open files and folders of Linux: resolved by the kernel, exchanged in one step.

The system calls that Python lacks, each with its substitute where the kernel lacks it:

================== =========== =======================================================
function           since Linux without it
================== =========== =======================================================
`openat2`          5.6         `OSError(ENOSYS)`; paths are walked part by part
`renameat2`        3.15        `OSError(ENOSYS)`; the caller renames in several steps
`chmod_descriptor` 6.6         `chmod` through `/proc/self/fd`
`chown_descriptor` 2.6.39      none needed
================== =========== =======================================================
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import signal
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
from filewright.system.posix import FOLDER_FLAGS, NOT_OFFERED, File, Folder
from filewright.system.status import Status

# `EAGAIN` means that a rename crossed a `..`; it is rare unless a process races us.
MAX_OPENAT2_RETRIES = 128
MAX_OPENAT2_PATH_BYTES = 4000  # PATH_MAX is 4096.
FICLONE = 0x40049409
F_SETSIG: int = fcntl.F_SETSIG
FS_IOC_GETFLAGS = 0x80086601
IMMUTABLE_FLAGS = 0x10 | 0x20  # FS_IMMUTABLE_FL, FS_APPEND_FL
ENTER_FLAGS = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
PATH_HANDLE_FLAGS = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
# Attributes that the system itself keeps, per inode or per session.
SYSTEM_ATTRIBUTES = (
    "security.ima",
    "security.evm",
    "system.nfs4_acl",
    "trusted.overlay.",
)
NO_ATTRIBUTES_ERRORS = (
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EPERM,
    errno.EACCES,
)

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

OPENAT2_NUMBER = 437
FCHMODAT2_NUMBER = 452
RENAMEAT2_NUMBERS = {
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


def last_error(path: bytes | None = None) -> OSError:
    """Return the error of the last call."""
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), path)


def system_call(*arguments: type[Any]) -> Callable[..., int]:
    """Return the C function `syscall` for arguments of these types.

    `syscall` is variadic. With a function object for each signature, ctypes converts by
    declared types, in half the time that guessing takes.
    """
    call = libc["syscall"]
    call.argtypes = (c_long, *arguments)
    call.restype = c_long
    return call


_openat2 = system_call(c_int, c_char_p, c_char_p, c_size_t)


@lru_cache(maxsize=64)
def _pack_open_how(flags: int, resolve: int) -> bytes:
    return struct.pack("=QQQ", flags, 0, resolve)


def openat2(folder: int, path: bytes, flags: int, resolve: int) -> int:
    """Open `path` below the descriptor `folder`, with `O_CLOEXEC`.

    The caller retries `EAGAIN`.
    """
    # C ends the string at a NUL: the path opened would not be the path checked.
    if b"\0" in path:
        raise OSError(errno.EINVAL, "embedded null byte", path)
    open_how = _pack_open_how(flags | os.O_CLOEXEC, resolve)
    descriptor = _openat2(OPENAT2_NUMBER, folder, path, open_how, 24)
    if descriptor < 0:
        raise last_error(path)
    return descriptor


@lru_cache(maxsize=1)
def has_openat2() -> bool:
    """Return True if the kernel and the process's filter allow `openat2`."""
    try:
        os.close(
            openat2(AT_FDCWD, b".", O_PATH | os.O_DIRECTORY, RESOLVE_BENEATH)
        )
    except OSError as error:
        # A container's filter answers EPERM; any other error is about the current
        # folder.
        return error.errno not in (errno.ENOSYS, errno.EPERM, errno.EINVAL)
    return True


_renameat2 = system_call(c_int, c_char_p, c_int, c_char_p, c_uint)


@cache
def _renameat2_number() -> int | None:
    return RENAMEAT2_NUMBERS.get(os.uname().machine)


def renameat2(
    source_folder: int,
    source: bytes,
    target_folder: int,
    target: bytes,
    flags: int,
) -> None:
    """Call `renameat2`.

    Raises `OSError` (`ENOSYS` or `EINVAL`) where kernel or file system lacks the flag.
    """
    number = _renameat2_number()
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if b"\0" in source + target:  # See `openat2`.
        raise OSError(errno.EINVAL, "embedded null byte", source)
    if (
        _renameat2(number, source_folder, source, target_folder, target, flags)
        != 0
    ):
        raise last_error(source)


@lru_cache(maxsize=1)
def has_renameat2() -> bool:
    """Return True if this kernel has `renameat2`."""
    try:
        renameat2(AT_FDCWD, b"", AT_FDCWD, b"", RENAME_NOREPLACE)
    except OSError as error:
        return error.errno == errno.ENOENT
    return True


_fchmodat2 = system_call(c_int, c_char_p, c_uint, c_int)


def chmod_descriptor(descriptor: int, mode: int) -> None:
    """Set the mode of an open file, also one opened with `O_PATH`.

    `os.chmod(name, dir_fd=…)` follows links, and `fchmod` refuses `O_PATH` descriptors.
    """
    if _fchmodat2(FCHMODAT2_NUMBER, descriptor, b"", mode, AT_EMPTY_PATH) == 0:
        return
    error = last_error()
    if error.errno not in (errno.ENOSYS, errno.EPERM):
        raise error
    if stat.S_ISLNK(os.fstat(descriptor).st_mode):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
    os.chmod(f"/proc/self/fd/{descriptor}", mode)


_fchownat = libc.fchownat
_fchownat.argtypes = (c_int, c_char_p, c_uint, c_uint, c_int)
_fchownat.restype = c_int


def chown_descriptor(descriptor: int, uid: int, gid: int) -> None:
    """Set user and group of a file, also one opened with `O_PATH`; -1 keeps one."""
    if _fchownat(descriptor, b"", uid, gid, AT_EMPTY_PATH) != 0:
        raise last_error()


_statx = getattr(libc, "statx", None)
STATX_ITSELF = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT
STATX_BTIME = 0x800
STATX_BIRTH = struct.Struct("=I 76x q I")  # stx_mask, then stx_btime


def birth_ns(folder: int, name: bytes = b"") -> int | None:
    """Return the time of creation of a name in a folder, or None if it is not stored.

    Without `name`, return that of the descriptor itself.
    """
    statx_buffer = ctypes.create_string_buffer(256)
    if (
        _statx is None
        or _statx(folder, name, STATX_ITSELF, STATX_BTIME, statx_buffer) != 0
    ):
        return None
    mask, seconds, nanoseconds = STATX_BIRTH.unpack_from(statx_buffer)
    return (
        int(seconds) * 1_000_000_000 + int(nanoseconds)
        if mask & STATX_BTIME
        else None
    )


STATX_ATTRIBUTES = struct.Struct("=8x Q")
STATX_ATTR_MOUNT_ROOT = 0x2000


def syncfs(descriptor: int) -> None:
    """Flush the file system of a descriptor."""
    if libc.syncfs(descriptor) != 0:
        raise last_error()


SYNC_FILE_RANGE_WRITE = 2  # Begin, and do not wait.


def start_writeback(descriptor: int, offset: int, length: int) -> None:
    """Ask the disk to begin writing a part of a file; nothing is promised by it."""
    sync_file_range = getattr(libc, "sync_file_range", None)
    if sync_file_range is not None:
        sync_file_range(
            descriptor,
            ctypes.c_int64(offset),
            ctypes.c_int64(length),
            SYNC_FILE_RANGE_WRITE,
        )


landlock_create = system_call(c_char_p, c_size_t, c_uint)
LANDLOCK_CREATE_RULESET = 444


def landlock_version() -> int:
    """Return the version of Landlock that the kernel enforces; 0 if it has none."""
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


class LinuxHandle(posix.PosixHandle):
    """A descriptor with extended attributes, flags, and its file system."""

    __slots__ = ()
    removable_prefixes: ClassVar[tuple[str, ...]] = (
        "user.",
        "system.posix_acl",
    )

    def flush(self) -> None:
        """Flush it to the disk, except for a folder that is open only to be entered."""
        try:
            os.fsync(self._descriptor)
        except OSError as error:
            if (
                error.errno != errno.EBADF
                or not fcntl.fcntl(self._descriptor, fcntl.F_GETFL) & os.O_PATH
            ):
                raise

    def flush_file_system(self) -> bool:
        """Flush its whole file system in one call."""
        syncfs(self._descriptor)
        return True

    def is_immutable(self) -> bool:
        """Return True if it is immutable or append-only."""
        try:
            flags = fcntl.ioctl(self._descriptor, FS_IOC_GETFLAGS, b"\0" * 8)
        except OSError:
            return False  # The file system has no such flags.
        return bool(int.from_bytes(flags[:4], sys.byteorder) & IMMUTABLE_FLAGS)

    def extended_attributes(self) -> dict[str, bytes]:
        """Return its extended attributes, among them access control lists."""
        try:
            names = os.listxattr(self._descriptor)
        except OSError as error:
            if error.errno in NO_ATTRIBUTES_ERRORS:
                return {}
            raise
        attributes: dict[str, bytes] = {}
        for name in names:
            if name.startswith(SYSTEM_ATTRIBUTES):
                continue
            try:
                attributes[name] = os.getxattr(self._descriptor, name)
            except OSError as error:
                if error.errno not in (
                    errno.ENODATA,
                    errno.EPERM,
                    errno.EACCES,
                ):
                    raise
        return attributes

    def _set_attribute(self, name: str, value: bytes | None) -> None:
        if value is None:
            os.removexattr(self._descriptor, name)
        else:
            os.setxattr(self._descriptor, name, value)


class LinuxFile(LinuxHandle, File):
    """A regular file with leases, clones and attributes."""

    __slots__ = ()

    def start_writeback(self, offset: int, length: int) -> None:
        """Ask the disk to begin writing a range."""
        start_writeback(self._descriptor, offset, length)

    def clone_from(self, source: BaseFile) -> bool:
        """Share all blocks of `source`; return False if the file system cannot."""
        try:
            fcntl.ioctl(self._descriptor, FICLONE, source.fileno())
        except OSError:
            return False
        return True

    @contextmanager
    def watch_for_writers(self) -> Iterator[Callable[[], bool]]:
        """Hold a read lease, and yield a function that returns False once it is lost.

        The kernel grants no lease while another process has the file open for writing.
        If a process opens it for writing later, the kernel lets that process wait until
        the lease ends. For files of another user, and on network file systems, the
        kernel cannot tell, and the function returns True.
        """
        is_granted = self._take_read_lease()
        if not is_granted:
            yield lambda: is_granted is None
            return
        try:
            # F_GETLEASE reports F_UNLCK while another process waits to write.
            yield (
                lambda: (
                    fcntl.fcntl(self._descriptor, fcntl.F_GETLEASE)
                    == fcntl.F_RDLCK
                )
            )
        finally:
            fcntl.fcntl(self._descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)

    def _take_read_lease(self) -> bool | None:
        """Take a read lease, or return False if a process writes, None if unknown."""
        # The kernel announces a lost lease by a signal. The usual one, SIGIO, would end
        # a process that does not handle it; SIGURG is ignored by default.
        lost_lease_signal = int(signal.SIGURG)
        try:
            fcntl.fcntl(self._descriptor, F_SETSIG, lost_lease_signal)
            fcntl.fcntl(self._descriptor, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EWOULDBLOCK):
                return False
            return None
        return True


class LinuxFolder(LinuxHandle, Folder):
    """An open folder whose paths the kernel resolves and whose names it exchanges."""

    __slots__ = ()
    file_type: ClassVar[type[File]] = LinuxFile
    step_flags: ClassVar[int] = ENTER_FLAGS
    resolves_in_kernel: ClassVar[bool] = capabilities.kernel_resolution

    def status_with_birth(self) -> Status:
        """Return its present status with the time of creation."""
        return Status(os.fstat(self._descriptor), birth_ns(self._descriptor))

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:
        """Return the status of a name: see `base`."""
        raw = os.stat(
            posix.require_name(name),
            dir_fd=self._descriptor,
            follow_symlinks=False,
        )
        return Status(
            raw, birth_ns(self._descriptor, name) if with_birth else None
        )

    def is_mount(self, name: bytes) -> bool:
        """Return True if a file system, folder or file is mounted on a name."""
        statx_buffer = ctypes.create_string_buffer(256)
        if (
            _statx is None
            or _statx(self._descriptor, name, STATX_ITSELF, 0, statx_buffer)
            != 0
        ):
            return False
        # Kernels before 5.8 never set the flag.
        return bool(
            STATX_ATTRIBUTES.unpack_from(statx_buffer)[0]
            & STATX_ATTR_MOUNT_ROOT
        )

    def mounts_below(self) -> tuple[bytes, ...]:
        """Return the paths from here of all mounts below; none without `/proc`."""
        path = self.path()
        if path is None:
            return ()
        prefix = path.rstrip(b"/") + b"/"
        mounts = []
        try:
            with open("/proc/self/mountinfo", "rb") as mount_table:
                for line in mount_table:
                    # The fifth field is the mount point, with blanks and backslashes in
                    # octal.
                    mount_point = re.sub(
                        rb"\\([0-7]{3})",
                        lambda match: bytes((int(match[1], 8),)),
                        line.split(b" ")[4],
                    )
                    if mount_point.startswith(prefix):
                        mounts.append(mount_point[len(prefix) :])
        except OSError:
            return ()
        return tuple(mounts)

    def path(self) -> bytes | None:
        """Return its present path; None if it was deleted or there is no `/proc`."""
        try:
            path = os.readlink(b"/proc/self/fd/%d" % self._descriptor)
        except OSError:
            return None
        if (
            path.endswith(b" (deleted)")
            and os.fstat(self._descriptor).st_nlink == 0
        ):
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
        """Open the folder at a path below, by one call if possible: see `base`."""
        path = b"/".join(parts) or b"."
        flags = FOLDER_FLAGS if listable else ENTER_FLAGS
        resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS
        if not cross_devices:
            resolve |= RESOLVE_NO_XDEV
        can_use_openat2 = (
            check_part is None
            and b".." not in parts
            and self.resolves_in_kernel
            and len(path) <= MAX_OPENAT2_PATH_BYTES
        )
        for _ in range(MAX_OPENAT2_RETRIES if can_use_openat2 else 0):
            try:
                return type(self)(
                    openat2(self._descriptor, path, flags, resolve),
                    tuple(parts),
                )
            except OSError as error:
                if error.errno == errno.ELOOP:
                    break  # A link: only the walk records the path it leads to.
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

    def rename(
        self,
        name: bytes,
        target_folder: Folder,
        target_name: bytes,
        mode: RenameMode,
    ) -> None:
        """Rename, in one step where kernel and file system can: see `posix.Folder`."""
        if capabilities.exchange and mode != "replace":
            flag = RENAME_EXCHANGE if mode == "exchange" else RENAME_NOREPLACE
            try:
                renameat2(
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

    def set_mode(
        self, name: bytes, mode: int, *, expected: Status | None = None
    ) -> None:
        """Set permission bits, also of an unreadable file: see `posix.Folder`."""
        with self._path_handle(name, expected) as descriptor:
            chmod_descriptor(descriptor, mode)

    def set_owner(
        self, name: bytes, uid: int, gid: int, *, expected: Status | None = None
    ) -> None:
        """Set user and group, also of a link itself: see `posix.Folder`."""
        with self._path_handle(name, expected) as descriptor:
            chown_descriptor(descriptor, uid, gid)

    @contextmanager
    def _path_handle(
        self, name: bytes, expected: Status | None
    ) -> Iterator[int]:
        descriptor = os.open(
            posix.require_name(name), PATH_HANDLE_FLAGS, dir_fd=self._descriptor
        )
        try:
            require_same(Status(os.fstat(descriptor)), expected)
            yield descriptor
        finally:
            os.close(descriptor)


class WalkedLinuxFolder(LinuxFolder):
    """A folder below which paths are walked, as on a kernel without `openat2`."""

    __slots__ = ()
    resolves_in_kernel: ClassVar[bool] = False


def open_folder(
    path: bytes | str, *, resolves_in_kernel: bool = True
) -> Folder:
    """Open a folder by a path that the user named, such as a root: see `posix`."""
    return (LinuxFolder if resolves_in_kernel else WalkedLinuxFolder)(
        os.open(path, FOLDER_FLAGS)
    )


def umask() -> int:
    """Return the bits that new files do not get, without changing them meanwhile."""
    try:
        with open("/proc/self/status", "rb") as status:
            for line in status:
                if line.startswith(b"Umask:"):
                    return int(line.split()[1], 8)
    except OSError:
        pass  # There is no /proc.
    return posix.umask()
