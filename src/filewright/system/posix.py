"""Open files and folders of every Unix, complete by themselves.

`FILEWRIGHT_SYSTEM=posix` uses these classes as they are; `linux` and `darwin` have
subclasses that use more of their kernel. Nothing here needs openat2, renameat2,
Landlock, leases, `/proc` or `O_PATH`: only what POSIX and BSD share. Errors are plain
`OSError`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import unicodedata
from _thread import allocate_lock
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, Self

from filewright.system.base import (
    BaseFile,
    BaseFolder,
    Closable,
    Handle,
    NameBatch,
    RenameMode,
)
from filewright.system.capabilities import Capabilities
from filewright.system.errors import NotAFileError, require_same, system_error
from filewright.system.status import FileKind, Status

if TYPE_CHECKING:
    from subprocess import Popen

MAX_BATCH_NAMES = 1 << 16

CHECKS_EFFECTIVE_IDS = os.access in os.supports_effective_ids

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
WRITE_FLAGS = os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
APPEND_FLAGS = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | os.O_NOFOLLOW
    | os.O_NONBLOCK
    | os.O_NOCTTY
    | os.O_CLOEXEC
)
CREATE_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

NOT_OFFERED = (
    errno.ENOSYS,
    errno.EINVAL,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOTTY,
)
"""The errors of a call that the kernel or the file system does not have."""

capabilities: Capabilities = Capabilities()


_umask_lock = allocate_lock()
_locked_descriptors: set[int] = set()


def _release_inherited_locks() -> None:
    # A lock belongs to every process that holds a copy of its descriptor, so the copies
    # in a forked child are replaced. The numbers stay in use: when the child's copies
    # of our objects are closed later, nothing else is closed by their number.
    if _locked_descriptors:
        null_descriptor = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        for descriptor in _locked_descriptors:
            os.dup2(null_descriptor, descriptor, inheritable=False)
        os.close(null_descriptor)
        _locked_descriptors.clear()


os.register_at_fork(after_in_child=_release_inherited_locks)


class PosixHandle(Handle):
    """A descriptor, with the methods that files and folders have in common."""

    __slots__ = ()

    def close(self) -> None:
        """Close the descriptor and release its lock. Closing twice does no harm."""
        if self._descriptor in _locked_descriptors:
            self.unlock()
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    __del__ = close  # A subclass with a `close` of its own sets it again.

    def status(self) -> Status:
        """Return its present status."""
        return Status(os.fstat(self._descriptor))

    def lock(self, exclusive: bool) -> bool:
        """Lock it, or return False if another handle, here or elsewhere, has the lock.

        The lock ends with `unlock`, `close` or this process, also if a forked process
        lives on. Raises `OSError` where the file system has no locks.
        """
        # Noted before it is locked, because a fork may come between the two.
        _locked_descriptors.add(self._descriptor)
        try:
            fcntl.flock(
                self._descriptor,
                (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB,
            )
        except OSError as error:
            _locked_descriptors.discard(self._descriptor)
            if isinstance(error, BlockingIOError):
                return False
            raise
        return True

    def unlock(self) -> None:
        """Release the lock."""
        _locked_descriptors.discard(self._descriptor)
        # Unlocked, not just closed: a forked process may hold a copy of the descriptor.
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def flush(self) -> None:
        """Flush a file's content or a folder's names to the disk."""
        os.fsync(self._descriptor)

    def free_bytes(self) -> int | None:
        """Return the bytes free for this user on its file system; None if unlimited."""
        statistics = os.fstatvfs(self._descriptor)
        return (
            statistics.f_bavail * statistics.f_frsize
            if statistics.f_blocks
            else None
        )

    def block_size(self) -> int:
        """Return the size of one block of its file system."""
        return os.fstatvfs(self._descriptor).f_bsize

    def set_own_mode(self, mode: int) -> None:
        """Set the permission bits of the open file or folder."""
        os.fchmod(self._descriptor, mode)

    def set_own_owner(self, uid: int, gid: int) -> None:
        """Set the user and group of the open file or folder."""
        os.fchown(self._descriptor, uid, gid)

    def set_times(self, atime_ns: int, mtime_ns: int) -> None:
        """Set the times of the last read and the last write."""
        os.utime(self._descriptor, ns=(atime_ns, mtime_ns))


class File(BaseFile, PosixHandle):
    """An open regular file, by its descriptor."""

    __slots__ = ()

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset`, or fewer at the end of the file."""
        block = os.pread(self._descriptor, size, offset)
        while 0 < len(block) < size:
            next_block = os.pread(
                self._descriptor, size - len(block), offset + len(block)
            )
            if not next_block:
                break
            block += next_block
        return block

    def write(self, data: bytes | bytearray | memoryview, offset: int) -> None:
        """Write all of `data` at `offset`."""
        view = memoryview(data)
        written = os.pwrite(self._descriptor, view, offset)
        while written < len(view):
            written += os.pwrite(
                self._descriptor, view[written:], offset + written
            )


class Folder(BaseFolder[File], PosixHandle):
    """An open folder, by its descriptor."""

    __slots__ = ()
    file_type: ClassVar[type[File]] = File
    step_flags: ClassVar[int] = FOLDER_FLAGS

    # Looking

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:  # noqa: ARG002
        """Return the status of a name; of a link, not of its target: see `base`."""
        return Status(
            os.stat(
                require_name(name),
                dir_fd=self._descriptor,
                follow_symlinks=False,
            )
        )

    def contains_any(self, paths: Iterable[bytes]) -> bool:
        """Return True if a file, folder or link is at one of the paths from here.

        The paths may begin with `..`. Links on the way are followed wherever they lead,
        so the answer only serves to avoid a closer look.
        """
        access, descriptor = os.access, self._descriptor
        # A loop takes a third less time than `any`, and every opening of a file asks.
        for path in paths:  # noqa: SIM110
            if access(path, os.F_OK, dir_fd=descriptor, follow_symlinks=False):
                return True
        return False

    def ancestor_identity(self, levels: int) -> tuple[int, int]:
        """Return the identity of the folder `levels` above; 0 means this folder."""
        if levels:
            status = os.stat(b"../" * levels, dir_fd=self._descriptor)
        else:
            status = os.fstat(self._descriptor)
        return status.st_dev, status.st_ino

    def stat_names(self, names: Iterable[bytes]) -> list[Status | None]:
        """Return the status of each name, or None for a name that no longer exists."""
        stat_name, descriptor = os.stat, self._descriptor
        statuses: list[Status | None] = []
        for name in names:
            try:
                statuses.append(
                    Status(
                        stat_name(
                            name, dir_fd=descriptor, follow_symlinks=False
                        )
                    )
                )
            except FileNotFoundError:
                statuses.append(None)
        return statuses

    def signatures(
        self, names: Iterable[bytes]
    ) -> list[tuple[int, ...] | None]:
        """Return a tuple for each name that changes when the file does: see `base`."""
        stat_name, descriptor, folder_format = (
            os.stat,
            self._descriptor,
            stat.S_IFDIR,
        )
        signatures: list[tuple[int, ...] | None] = []
        for name in names:
            try:
                raw = stat_name(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:
                signatures.append(None)
                continue
            # Indexes, not attributes: a scan of a large tree spends its time here.
            if raw[0] & 0o170000 == folder_format:
                signatures.append((*raw[:3], 0, raw[4], raw[5], 0, 0, 0))
            else:
                signatures.append((*raw[:7], raw.st_mtime_ns, raw.st_ctime_ns))
        return signatures

    def iter_batches(self, count: int = MAX_BATCH_NAMES) -> Iterator[NameBatch]:
        """Yield all names, unsorted, in batches of at most `count`."""
        with self._list_with(os.scandir) as all_entries:
            while True:
                entries = list(islice(all_entries, count))
                yield self._to_batch(entries)
                if len(entries) < count:
                    break

    def _to_batch(self, entries: list[os.DirEntry[str]]) -> NameBatch:
        files = [
            entry.name
            for entry in entries
            if entry.is_file(follow_symlinks=False)
        ]
        folders: list[str] = []
        others: list[tuple[bytes, FileKind]] = []
        # Most folders have files alone, and a walk spends its time here.
        if len(files) < len(entries):
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    continue
                name = os.fsencode(entry.name)
                kind = self._entry_kind(entry, name)
                if kind is not None:
                    others.append((name, kind))
        return NameBatch(_encode_names(files), _encode_names(folders), others)

    def _entry_kind(
        self, entry: os.DirEntry[str], name: bytes
    ) -> FileKind | None:
        if entry.is_symlink():
            return "link"
        try:
            return self.stat(name).kind
        except FileNotFoundError:
            return None

    def names(self) -> list[bytes]:
        """Return every name, sorted."""
        return sorted(_encode_names(self._list_with(os.listdir)))

    def _list_with(self, list_function: Callable[[int], Any]) -> Any:
        try:
            return list_function(self._descriptor)
        except OSError as error:
            if error.errno != errno.EBADF or self._descriptor < 0:
                raise
            # The folder was opened only to reach names below it.
            raise system_error(errno.EACCES) from error

    def true_names(self, parts: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """Return a path below this folder in the spelling of the folders on the way.

        Some file systems take several spellings (`A.txt`, `a.txt`) for one name. Parts
        that do not exist stay as they are.
        """
        depth = len(parts)
        while depth and not self.contains_any((b"/".join(parts[:depth]),)):
            depth -= 1
        names: list[bytes] = []
        try:
            if not depth or not self._has_other_spelling(parts[:depth]):
                return parts
            for part in parts[:depth]:
                with self.open_folder_beneath(names) as folder:
                    names.append(folder.true_name(part))
        except OSError:
            return parts
        return (*names, *parts[depth:])

    def _has_other_spelling(self, parts: tuple[bytes, ...]) -> bool:
        """Return True if another spelling of the last part leads to the same file."""
        name = parts[-1].decode("utf-8", "surrogateescape")
        for spelling in (
            name.swapcase(),
            unicodedata.normalize("NFD", name),
            unicodedata.normalize("NFC", name),
        ):
            if spelling != name:
                other = (
                    *parts[:-1],
                    spelling.encode("utf-8", "surrogateescape"),
                )
                return (
                    self.contains_any((b"/".join(other),))
                    and self.stat_beneath(other).identity
                    == self.stat_beneath(parts).identity
                )
        return False

    def true_name(self, name: bytes) -> bytes:
        """Return the spelling that this folder has for a name."""
        identity, names = self.stat(name).identity, self.names()
        if name in names:
            return name
        folded_name = _fold(name)
        for candidate in names:
            if (
                _fold(candidate) == folded_name
                and self.stat(candidate).identity == identity
            ):
                return candidate
        return name

    def read_link(self, name: bytes) -> bytes:
        """Return the target of a link as it is stored.

        Raises `OSError(EINVAL)` if the name is not a link.
        """
        return os.readlink(require_name(name), dir_fd=self._descriptor)

    def link_target(self, name: bytes) -> tuple[bytes, bool]:
        """Return the target of a link, and True if it is relative."""
        target = self.read_link(name)
        return target, not target.startswith(b"/")

    def is_writable(self, name: bytes | None = None) -> bool:
        """Return True if its names, or the content of file `name`, may be changed."""
        path, rights = b".", os.W_OK | os.X_OK
        if name is not None:
            path, rights = require_name(name), os.W_OK
        return os.access(
            path,
            rights,
            dir_fd=self._descriptor,
            effective_ids=CHECKS_EFFECTIVE_IDS,
        )

    def is_mount(self, name: bytes) -> bool:
        """Return True if a file system, folder or file is mounted on a name."""
        try:
            return self.stat(name).device != self.status().device
        except FileNotFoundError:
            return False

    # Opening

    def open(
        self, name: bytes, *, write: bool = False, known_file: bool = False
    ) -> File:
        """Open a regular file by its name: see `base`."""
        if not known_file and (kind := self.stat(name).kind) != "file":
            raise NotAFileError(kind)
        flags = (WRITE_FLAGS if write else READ_FLAGS) | os.O_NOFOLLOW
        return self.file_type(
            os.open(require_name(name), flags, dir_fd=self._descriptor), (name,)
        ).require_regular()

    def open_folder(self, name: bytes, *, listable: bool = True) -> Self:
        """Open a folder by its name: see `base`."""
        flags = (FOLDER_FLAGS if listable else self.step_flags) | os.O_NOFOLLOW
        resolved_parts = () if name == b"." else (require_name(name),)
        return type(self)(
            os.open(name, flags, dir_fd=self._descriptor), resolved_parts
        )

    def open_parent(self, *, listable: bool = True) -> Self | None:
        """Open the folder above, wherever this one is now.

        Return None at the top of the file system, and for a deleted folder. `listable`
        is as for `open_folder`.
        """
        try:
            parent = type(self)(
                os.open(
                    b"..",
                    FOLDER_FLAGS if listable else self.step_flags,
                    dir_fd=self._descriptor,
                )
            )
        except FileNotFoundError:
            return None
        if parent.status().identity == self.status().identity:
            parent.close()
            return None
        return parent

    # Changing

    def create(self, name: bytes, mode: int = 0o600) -> File:
        """Create an empty file, open for reading and writing.

        Raises `FileExistsError` if the name is taken.
        """
        return self.file_type(
            os.open(
                require_name(name), CREATE_FLAGS, mode, dir_fd=self._descriptor
            )
        )

    def append(self, name: bytes, data: bytes) -> None:
        """Add `data` to the end of a file, created (0600) if missing, and flush it.

        Data that another process adds at the same time comes before or after it.
        """
        with self.file_type(
            os.open(
                require_name(name), APPEND_FLAGS, 0o600, dir_fd=self._descriptor
            )
        ).require_regular() as file:
            view = memoryview(data)
            while view:
                view = view[os.write(file.fileno(), view) :]
            file.flush()

    def make_folder(self, name: bytes, mode: int = 0o777) -> None:
        """Make a folder. Raises `FileExistsError` if the name is taken."""
        os.mkdir(require_name(name), mode, dir_fd=self._descriptor)

    def make_link(self, name: bytes, target: bytes) -> None:
        """Make a symbolic link. Raises `FileExistsError` if the name is taken."""
        os.symlink(target, require_name(name), dir_fd=self._descriptor)

    def make_fifo(self, name: bytes, mode: int) -> None:
        """Make a named pipe."""
        os.mkfifo(require_name(name), mode, dir_fd=self._descriptor)

    def rename(
        self,
        name: bytes,
        target_folder: Folder,
        target_name: bytes,
        mode: RenameMode,
    ) -> None:
        """Rename a file, folder or link.

        `exclusive` raises `FileExistsError` if `target_name` is taken, `replace`
        replaces it in one step. `exchange` swaps the two in one step, or raises
        `OSError` (`ENOSYS` or `EOPNOTSUPP`) where that is not offered.
        """
        require_name(name), require_name(target_name)
        if mode == "exchange":
            raise system_error(errno.ENOSYS)
        if mode == "replace":
            os.rename(
                name,
                target_name,
                src_dir_fd=self._descriptor,
                dst_dir_fd=target_folder._descriptor,
            )
        elif self.stat(name).kind == "folder":
            # A folder cannot have a second name by a hard link. Between the check and
            # the rename an empty folder may appear, and only that would be replaced; a
            # folder of ours that keeps the name meanwhile would be left behind by a
            # crash.
            with suppress(FileNotFoundError):
                target_folder.stat(target_name)
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            self.rename(name, target_folder, target_name, "replace")
        else:
            self.link(name, target_folder, target_name)
            self.remove(name)

    def link(
        self, name: bytes, target_folder: Folder, target_name: bytes
    ) -> None:
        """Give a file, or a link itself, another name."""
        os.link(
            require_name(name),
            require_name(target_name),
            src_dir_fd=self._descriptor,
            dst_dir_fd=target_folder._descriptor,
            follow_symlinks=False,
        )

    def remove(self, name: bytes) -> None:
        """Remove a file or link."""
        os.unlink(require_name(name), dir_fd=self._descriptor)

    def remove_folder(self, name: bytes) -> None:
        """Remove an empty folder."""
        os.rmdir(require_name(name), dir_fd=self._descriptor)

    def set_mode(
        self, name: bytes, mode: int, *, expected: Status | None = None
    ) -> None:
        """Set the permission bits of a file or folder.

        Raises `OSError`: `EOPNOTSUPP` for a link, and `ESTALE`, with nothing changed,
        if the name is no longer the `expected` file.
        """
        status = self.stat(name)
        require_same(status, expected)
        if status.kind not in ("file", "folder"):
            raise system_error(errno.EOPNOTSUPP)
        with PosixHandle(
            os.open(name, READ_FLAGS | os.O_NOFOLLOW, dir_fd=self._descriptor)
        ) as handle:
            require_same(handle.status(), expected)
            handle.set_own_mode(mode)

    def set_owner(
        self, name: bytes, uid: int, gid: int, *, expected: Status | None = None
    ) -> None:
        """Set user and group, also of a link itself; -1 keeps one. See `set_mode`."""
        require_same(self.stat(name), expected)
        os.chown(name, uid, gid, dir_fd=self._descriptor, follow_symlinks=False)


def open_folder(
    path: bytes | str,
    *,
    resolves_in_kernel: bool = True,  # noqa: ARG001
) -> Folder:
    """Open a folder by a path that the user named, such as a root. Links are followed.

    The kernel resolves paths below it if it can, unless `resolves_in_kernel` is False.
    """
    return Folder(os.open(path, FOLDER_FLAGS))


def open_file(path: bytes | str) -> File:
    """Open a file for reading by a path that the user named. Links are followed."""
    if (kind := stat_path(path).kind) != "file":
        raise NotAFileError(kind)
    return File(os.open(path, READ_FLAGS)).require_regular()


def make_folder(path: bytes | str, mode: int = 0o777) -> None:
    """Make a folder at a path that the user named. Raises `FileExistsError`."""
    os.mkdir(path, mode)


def stat_path(path: bytes | str) -> Status:
    """Return the status of a path that the user named. Links are followed."""
    return Status(os.stat(path))


def limit_process(
    process_id: int, memory: int, *, can_write: bool = False
) -> Closable | None:
    """Let a child allocate at most `memory` bytes, if possible.

    Unless it `can_write`, it writes no files. The limits hold until the result is
    closed, or for the life of the child if it is None.
    """
    import resource

    limits = {"RLIMIT_CORE": 0, "RLIMIT_DATA": memory}
    if not can_write:
        limits["RLIMIT_FSIZE"] = 0
    for name, limit in limits.items():
        # Ignored: a lower limit is set already, or the child has ended.
        with suppress(AttributeError, ValueError, OSError):
            resource.prlimit(
                process_id, getattr(resource, name), (limit, limit)
            )
    return None


def kill_process_tree(process: Popen[bytes]) -> None:
    """Kill a child that leads a process group, and the whole group."""
    import signal

    # After this process has confined itself it may not signal an older child, which
    # ends at the end of its input.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def absolute_path(path: bytes) -> bytes:
    """Return a user's path as an absolute one with `/`; links and case are kept."""
    return os.path.abspath(os.path.expanduser(path))


def real_path(
    path: bytes | str | os.PathLike[bytes] | os.PathLike[str],
) -> bytes:
    """Return the absolute path with all links resolved, as far as it exists."""
    return os.path.realpath(os.fsencode(path))


def split_path(path: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """Split a path into its anchor (`/`, or empty if it is relative) and its parts.

    No part is empty or `.`. Raises `ValueError`, whose text completes a sentence, for a
    path that cannot name a file.
    """
    parts = tuple(part for part in path.split(b"/") if part not in (b"", b"."))
    return b"/" if path.startswith(b"/") else b"", parts


def name_problem(name: bytes) -> str | None:  # noqa: ARG001
    """Return why no file may have this name, as the end of a sentence, or None."""
    return None


def path_from_file_url(host: str, path: bytes) -> bytes | None:
    """Return the path of a `file:` URL, or None for another host.

    `path` is the URL's path without escapes.
    """
    local_names = ("", "localhost", os.uname().nodename.casefold())
    return path if host.casefold() in local_names else None


def path_to_file_url(path: bytes) -> str:
    """Return the `file:` URL of an absolute path."""
    from urllib.parse import quote

    return "file://" + quote(path)


def storable_mode(mode: int, *, is_folder: bool) -> int:  # noqa: ARG001
    """Return the permission bits that the system can store: here all of them."""
    return mode


def umask() -> int:
    """Return the permission bits that new files of this process do not get."""
    with _umask_lock:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask


def effective_user_id() -> int:
    """Return the user whose rights this process has."""
    return os.geteuid()


def effective_group_id() -> int:
    """Return the group that new files of this process get."""
    return os.getegid()


def group_ids() -> frozenset[int]:
    """Return every group whose rights this process has."""
    return frozenset((os.getegid(), *os.getgroups()))


def require_name(name: bytes) -> bytes:
    """Return `name`, or raise `OSError(EINVAL)` if it is not one name in a folder."""
    # A slash would lead elsewhere, and a trailing slash makes O_NOFOLLOW follow a link;
    # C cuts a name off at a NUL.
    if b"/" in name or b"\0" in name or name in (b"", b".", b".."):
        raise OSError(errno.EINVAL, "not a name in a folder", name)
    return name


def _fold(name: bytes) -> str:
    return unicodedata.normalize(
        "NFKC", name.decode("utf-8", "surrogateescape")
    ).casefold()


def _encode_names(names: list[str]) -> list[bytes]:
    # Encoding all names at once takes a third of the time.
    return os.fsencode("/".join(names)).split(b"/") if names else []
