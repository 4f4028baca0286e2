"""Folders and files as Linux does them: resolved in the kernel, exchanged in one step, leased, confined."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from filewright.system import kernel, posix
from filewright.system.base import BaseFile, Capabilities, Status, require_same, system_error
from filewright.system.posix import _FOLDER, File, Folder

_RETRIES = 128  # `EAGAIN`: a rename crossed a `..`; rare unless someone races us on purpose
_PATH_BYTES = 4000  # what one call may hold, with room to spare
_FICLONE = 0x40049409
_GET_FLAGS = 0x80086601
_UNCHANGEABLE = 0x10 | 0x20  # immutable, append only
_ENTER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
# Kept by the system itself, per inode or per session.
_NOT_OURS = ("security.ima", "security.evm", "system.nfs4_acl", "trusted.overlay.")
_NO_ATTRIBUTES = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EPERM, errno.EACCES)

can = Capabilities(
    beneath=kernel.has_openat2(),
    exchange=kernel.has_renameat2(),
    keep=kernel.has_renameat2(),
    handles=True,
    where=os.path.isdir("/proc/self/fd"),
    lease=True,
    attributes=True,
    flags=True,
    clone=True,
    birth=True,
    flush_file_system=True,
    confine=kernel.landlock_abi() > 0,
)


class _LinuxHandle(posix._Handle):
    """What Linux knows and does of what is held: extended attributes, flags, its file system."""

    __slots__ = ()
    removable: ClassVar[tuple[str, ...]] = ("user.", "system.posix_acl")

    def flush_file_system(self) -> bool:
        """Flush all of its file system in one call."""
        kernel.syncfs(self._fd)
        return True

    def unchangeable(self) -> bool:
        """Whether it is immutable or append only."""
        try:
            flags = fcntl.ioctl(self._fd, _GET_FLAGS, b"\0" * 8)
        except OSError:
            return False  # This file system has no such flags.
        return bool(int.from_bytes(flags[:4], sys.byteorder) & _UNCHANGEABLE)

    def attributes(self) -> dict[str, bytes]:
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
        kernel.start_writeback(self._fd, offset, length)

    def clone_from(self, source: BaseFile) -> bool:
        """Share all blocks of `source`; False where the file system cannot."""
        try:
            fcntl.ioctl(self._fd, _FICLONE, source.fileno())
        except OSError:
            return False
        return True

    def _lease(self) -> bool | None:
        """Take a read lease: True if taken, False if someone writes, None where the kernel cannot tell.

        It cannot tell for files of another user and on network file systems. While it is held, the kernel
        sends a signal when someone opens the file for writing. The usual one (SIGIO) ends a process that
        does not handle it, so one is asked for that is ignored by default.
        """
        try:
            fcntl.fcntl(self._fd, fcntl.F_SETSIG, int(signal.SIGURG))  # type: ignore[attr-defined,unused-ignore]
            fcntl.fcntl(self._fd, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except OSError as error:
            return False if error.errno in (errno.EAGAIN, errno.EWOULDBLOCK) else None
        return True

    def written_by_others(self) -> bool:
        """Whether another process has it open for writing now; False where nobody can tell."""
        with self.quiet() as nobody_writes:
            return not nobody_writes()

    @contextmanager
    def quiet(self) -> Iterator[Callable[[], bool]]:
        """Keep others from beginning to write to it; yields whether it is so: False once one tries to."""
        granted = self._lease()

        def kept() -> bool:
            # A lease that is being broken, since somebody waits to write, is shown as none.
            return granted is None or (granted and fcntl.fcntl(self._fd, fcntl.F_GETLEASE) == fcntl.F_RDLCK)

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
    resolves: ClassVar[bool] = can.beneath

    def status(self) -> Status:
        """What the system says of it now, when it was made included."""
        return Status(os.fstat(self._fd), kernel.birth_ns(self._fd))

    def stat(self, name: bytes, *, birth: bool = False) -> Status:
        """The status of what has that name: see `base`."""
        status = super().stat(name)
        return Status(status.raw, kernel.birth_ns(self._fd, name)) if birth else status

    def is_mount(self, name: bytes) -> bool:
        """Whether something is mounted on a name in it: another file system, or another folder or file of this one."""
        return kernel.is_mount(self._fd, name)

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

    def _at_once(self, parts: Sequence[bytes], *, cross: bool, listing: bool) -> int | None:
        if not self.resolves:
            return None
        try:
            return self._resolve(parts, _FOLDER if listing else _ENTER, cross=cross)
        except OSError as error:
            # The names that led here are only known where no link was followed.
            if error.errno not in (errno.EAGAIN, errno.ELOOP):
                raise
            return None

    def _resolve(self, parts: Sequence[bytes], flags: int, *, cross: bool) -> int:
        path = b"/".join(parts) or b"."
        if len(path) > _PATH_BYTES:
            half = len(parts) // 2
            with type(self)(self._resolve(parts[:half], _ENTER, cross=cross)) as above:
                return above._resolve(parts[half:], flags, cross=cross)
        resolve = kernel.RESOLVE_BENEATH | kernel.RESOLVE_NO_MAGICLINKS | kernel.RESOLVE_NO_SYMLINKS
        if not cross:
            resolve |= kernel.RESOLVE_NO_XDEV
        for _ in range(_RETRIES):
            try:
                return kernel.openat2(self._fd, path, flags, resolve)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EINTR):
                    raise
        raise OSError(errno.EAGAIN, "the folders above it are being renamed")

    # Changing

    def _rename_at_once(self, name: bytes, to: Folder, to_name: bytes, *, exchange: bool) -> None:
        flag = kernel.RENAME_EXCHANGE if exchange else kernel.RENAME_NOREPLACE
        try:
            kernel.renameat2(self._fd, name, to.fileno(), to_name, flag)
        except OSError as error:
            if error.errno == errno.EPERM and not can.keep:  # A container's filter says so.
                raise system_error(errno.ENOSYS) from error
            raise

    def set_mode(self, name: bytes, mode: int, *, expected: Status | None = None) -> None:
        """Set the permission bits of the thing itself, readable or not: see `posix.Folder.set_mode`."""
        with self._held(name, expected) as thing:
            kernel.chmod_descriptor(thing, mode)

    def set_owner(self, name: bytes, uid: int, gid: int, *, expected: Status | None = None) -> None:
        """Set user and group of the thing itself, a link included: see `posix.Folder.set_owner`."""
        with self._held(name, expected) as thing:
            kernel.chown_descriptor(thing, uid, gid)

    @contextmanager
    def _held(self, name: bytes, expected: Status | None) -> Iterator[int]:
        thing = os.open(posix._one(name), _LOOK, dir_fd=self._fd)
        try:
            require_same(Status(os.fstat(thing)), expected)
            yield thing
        finally:
            os.close(thing)

    def flush(self) -> None:
        """Bring its names to the disk; one that may only be entered is left to the system."""
        try:
            super().flush()
        except OSError as error:
            if error.errno != errno.EBADF or not fcntl.fcntl(self._fd, fcntl.F_GETFL) & os.O_PATH:
                raise


class _WalkedFolder(LinuxFolder):
    """One below which paths are walked part by part, as where the kernel cannot resolve them."""

    __slots__ = ()
    resolves: ClassVar[bool] = False


def open_folder(path: bytes | str, *, resolves: bool = True) -> Folder:
    """The folder of a path that the user named, such as a root; links in it are followed."""
    return (LinuxFolder if resolves else _WalkedFolder)(os.open(path, _FOLDER))


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
