"""The Linux system calls Python does not offer, each with its substitute where the kernel lacks it.

============================== ================ ======================================================
function                       since Linux      without it
============================== ================ ======================================================
`openat2`                      5.6              `OSError(ENOSYS)`; `beneath` walks part by part
`renameat2`                    3.15             `OSError(ENOSYS)`; the caller renames one after the other
`chmod_descriptor`             6.6              `chmod` through `/proc/self/fd`
`chown_descriptor`             2.6.39           none needed
`landlock_*`                   5.13             `OSError(ENOSYS)`; nothing is confined, and the log says so
============================== ================ ======================================================

Everything here takes and returns plain descriptors and bytes and raises `OSError`; nothing here
knows what a root is.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

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
_LANDLOCK_CREATE_RULESET = 444
_LANDLOCK_ADD_RULE = 445
_LANDLOCK_RESTRICT_SELF = 446
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
_PR_SET_NO_NEW_PRIVS = 38

_libc = ctypes.CDLL(None, use_errno=True)
_c_int, _c_long, _c_uint, _c_char_p = ctypes.c_int, ctypes.c_long, ctypes.c_uint, ctypes.c_char_p
_c_size_t, _c_void_p = ctypes.c_size_t, ctypes.c_void_p


def _raise(path: bytes | None = None) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), path)


def _reject_nul(path: bytes) -> None:
    # C ends the string there: what is opened would not be what was checked.
    if b"\0" in path:
        raise OSError(errno.EINVAL, "embedded null byte", path)


def _syscall(*arguments: type[Any]) -> Callable[..., int]:
    """`syscall` with its number and these arguments.

    It is variadic: a function object of its own per signature converts by declared types, in half the time of
    guessing.
    """
    call = _libc["syscall"]
    call.argtypes = (_c_long, *arguments)
    call.restype = _c_long
    return call


_openat2 = _syscall(_c_int, _c_char_p, _c_char_p, _c_size_t)


@lru_cache(maxsize=64)
def _how(flags: int, mode: int, resolve: int) -> bytes:
    return struct.pack("=QQQ", flags, mode, resolve)


def openat2(folder: int, path: bytes, flags: int, resolve: int, mode: int = 0) -> int:
    """Open `path` below the descriptor `folder`; `O_CLOEXEC` is added. `EAGAIN` is the caller's to retry."""
    _reject_nul(path)
    how = _how(flags | os.O_CLOEXEC, mode, resolve)
    descriptor = _openat2(_OPENAT2, folder, path, how, 24)
    if descriptor < 0:
        raise _raise(path)
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


_rename_call = _syscall(_c_int, _c_char_p, _c_int, _c_char_p, _c_uint)


@cache
def _rename_number() -> int | None:
    return _RENAMEAT2.get(os.uname().machine)


def renameat2(source_folder: int, source: bytes, target_folder: int, target: bytes, flags: int) -> None:
    """`renameat2` itself; `OSError(ENOSYS or EINVAL)` where kernel or file system lacks the flag."""
    number = _rename_number()
    if number is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    _reject_nul(source)
    _reject_nul(target)
    if _rename_call(number, source_folder, source, target_folder, target, flags) != 0:
        raise _raise(source)


@lru_cache(maxsize=1)
def has_renameat2() -> bool:
    """Whether this kernel offers `renameat2` at all."""
    try:
        renameat2(AT_FDCWD, b"", AT_FDCWD, b"", RENAME_NOREPLACE)
    except OSError as error:
        return error.errno == errno.ENOENT
    return True


_fchmodat2 = _syscall(_c_int, _c_char_p, _c_uint, _c_int)


def chmod_descriptor(descriptor: int, mode: int) -> None:
    """Set the mode of what `descriptor` (also one opened with `O_PATH`) refers to, never of a link's target.

    `os.chmod(name, dir_fd=…)` follows links, and `fchmod` refuses `O_PATH` descriptors.
    """
    if _fchmodat2(_FCHMODAT2, descriptor, b"", mode, AT_EMPTY_PATH) == 0:
        return
    error = _raise()
    if error.errno not in (errno.ENOSYS, errno.EPERM):
        raise error
    if stat.S_ISLNK(os.fstat(descriptor).st_mode):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
    os.chmod(f"/proc/self/fd/{descriptor}", mode)


_fchownat = _libc.fchownat
_fchownat.argtypes = (_c_int, _c_char_p, _c_uint, _c_uint, _c_int)
_fchownat.restype = _c_int


def chown_descriptor(descriptor: int, uid: int | None, gid: int | None) -> None:
    """Set user and group of what `descriptor` (also one opened with `O_PATH`) refers to; None keeps one."""
    owner, group = (0xFFFFFFFF if number is None else number for number in (uid, gid))
    if _fchownat(descriptor, b"", owner, group, AT_EMPTY_PATH) != 0:
        raise _raise()


_statx = getattr(_libc, "statx", None)
_STATX_BTIME = 0x800
_STATX = struct.Struct("=I 76x q I")  # stx_mask, then stx_btime


def birth_ns(folder: int, name: bytes = b"") -> int | None:
    """When a thing was made, by its name in an open folder, or a descriptor's own; None where nobody keeps that."""
    found = _statx_of(folder, name, _STATX_BTIME)
    if found is None:
        return None
    mask, seconds, nanoseconds = _STATX.unpack_from(found)
    return int(seconds) * 1_000_000_000 + int(nanoseconds) if mask & _STATX_BTIME else None


_STATX_ATTRIBUTES = struct.Struct("=8x Q")
_STATX_MOUNT_ROOT = 0x2000


def is_mount(folder: int, name: bytes) -> bool:
    """Whether something is mounted on a name in an open folder; False where the kernel does not say (before 5.8)."""
    found = _statx_of(folder, name, 0)
    return found is not None and bool(_STATX_ATTRIBUTES.unpack_from(found)[0] & _STATX_MOUNT_ROOT)


def _statx_of(folder: int, name: bytes, wanted: int) -> ctypes.Array[ctypes.c_char] | None:
    buffer = ctypes.create_string_buffer(256)
    flags = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT
    return buffer if _statx is not None and _statx(folder, name, flags, wanted, buffer) == 0 else None


def syncfs(descriptor: int) -> None:
    """Flush the file system that a descriptor lies on."""
    if _libc.syncfs(descriptor) != 0:
        raise _raise()


_SYNC_FILE_RANGE_WRITE = 2  # begin, and wait for nothing


def start_writeback(descriptor: int, offset: int, length: int) -> None:
    """Let the disk begin with a part of a file: a hint, which says nothing of what is on the disk."""
    call = getattr(_libc, "sync_file_range", None)
    if call is not None:
        call(descriptor, ctypes.c_int64(offset), ctypes.c_int64(length), _SYNC_FILE_RANGE_WRITE)


_landlock_create = _syscall(_c_void_p, _c_size_t, _c_uint)
_landlock_add = _syscall(_c_int, _c_int, _c_char_p, _c_uint)
_landlock_restrict = _syscall(_c_int, _c_uint)


def landlock_abi() -> int:
    """The Landlock version this kernel enforces; 0 where it has none, or has it switched off."""
    return max(0, int(_landlock_create(_LANDLOCK_CREATE_RULESET, None, 0, 1)))


def landlock_create_ruleset(attributes: bytes) -> int:
    """A descriptor of a new rule set; `attributes` is the kernel's `landlock_ruleset_attr`."""
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    descriptor = _landlock_create(_LANDLOCK_CREATE_RULESET, ctypes.addressof(buffer), len(attributes), 0)
    if descriptor < 0:
        raise _raise()
    return descriptor


def landlock_add_path(ruleset: int, access: int, folder: int) -> None:
    """Allow `access` on what the descriptor `folder` refers to and everything below it."""
    if _landlock_add(_LANDLOCK_ADD_RULE, ruleset, 1, struct.pack("=Qi", access, folder), 0) != 0:
        raise _raise()


def landlock_restrict_self(ruleset: int) -> None:
    """Give up new privileges, then confine this thread and its future children to `ruleset`."""
    if _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise _raise()
    if _landlock_restrict(_LANDLOCK_RESTRICT_SELF, ruleset, 0) != 0:
        raise _raise()
