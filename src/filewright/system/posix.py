"""Folders and files as every Unix has them: complete, and what `FILEWRIGHT_SYSTEM=posix` runs on.

No openat2, renameat2, Landlock, leases, `/proc`, `O_PATH`; only what POSIX and BSD share. What a
system does better is a subclass (`linux`, `darwin`). Everything here raises plain `OSError`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import unicodedata
from _thread import (
    allocate_lock,  # `threading` takes a hook, which has no threads, a millisecond.
)
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Self

from filewright.system.base import (
    BaseFile,
    BaseFolder,
    Batch,
    Closable,
    Handle,
    RenameMode,
)
from filewright.system.capabilities import Capabilities
from filewright.system.errors import NotAFileError, require_same, system_error
from filewright.system.status import FileKind, Status

if TYPE_CHECKING:
    from subprocess import Popen

_BATCH = 1 << 16

_EFFECTIVE = os.access in os.supports_effective_ids

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_WRITE = os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_APPEND = (
    os.O_WRONLY
    | os.O_APPEND
    | os.O_CREAT
    | os.O_NOFOLLOW
    | os.O_NONBLOCK
    | os.O_NOCTTY
    | os.O_CLOEXEC
)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

NOT_OFFERED = (
    errno.ENOSYS,
    errno.EINVAL,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOTTY,
)
"""How systems say that they lack a call, or a file system that it lacks what the call does."""

capabilities: Capabilities = Capabilities()


_umask = allocate_lock()
_locked: set[int] = set()


def _let_go_of_locks() -> None:
    # A lock belongs to every process that holds a copy of its descriptor. The numbers stay taken, so
    # that closing the copies of our objects later closes nothing else.
    if _locked:
        nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        for descriptor in _locked:
            os.dup2(nothing, descriptor, inheritable=False)
        os.close(nothing)
        _locked.clear()


os.register_at_fork(after_in_child=_let_go_of_locks)


class _Handle(Handle):
    """A descriptor and what files and folders have in common."""

    __slots__ = ()

    def close(self) -> None:
        """Let go of it, and of its lock; more than once does no harm."""
        if self._fd in _locked:
            self.unlock()
        number, self._fd = self._fd, -1
        if number >= 0:
            os.close(number)

    __del__ = close  # Here, and wherever another `close` takes its place.

    def status(self) -> Status:
        """What the system says of it now."""
        return Status(os.fstat(self._fd))

    def lock(self, exclusive: bool) -> bool:
        """Lock it against other opened ones, here and in other processes; False if they have it.

        Ends with `unlock`, `close` or this process, whatever was forked from it. Raises `OSError` where the
        file system has no locks.
        """
        _locked.add(self._fd)  # Before it is, for a fork in between.
        try:
            fcntl.flock(
                self._fd,
                (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB,
            )
        except OSError as error:
            _locked.discard(self._fd)
            if isinstance(error, BlockingIOError):
                return False
            raise
        return True

    def unlock(self) -> None:
        """Give the lock back."""
        _locked.discard(self._fd)
        # By the lock, not by the descriptor: a forked process may hold a copy of that.
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def flush(self) -> None:
        """Bring it to the disk: a file's content, a folder's names."""
        os.fsync(self._fd)

    def free_bytes(self) -> int | None:
        """The bytes that are free for us on its file system; None if that has no limit to tell."""
        free = os.fstatvfs(self._fd)
        return free.f_bavail * free.f_frsize if free.f_blocks else None

    def block_size(self) -> int:
        """The bytes that its file system gives to a file at a time."""
        return os.fstatvfs(self._fd).f_bsize

    def set_own_mode(self, mode: int) -> None:
        """Set the permission bits of the thing that is held."""
        os.fchmod(self._fd, mode)

    def set_own_owner(self, uid: int, gid: int) -> None:
        """Set user and group of the thing that is held."""
        os.fchown(self._fd, uid, gid)

    def set_times(self, atime_ns: int, mtime_ns: int) -> None:
        """Set when it was last read and written."""
        os.utime(self._fd, ns=(atime_ns, mtime_ns))


class File(BaseFile, _Handle):
    """An open regular file, by its descriptor."""

    __slots__ = ()

    def read(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`: fewer only at the end."""
        block = os.pread(self._fd, size, offset)
        while 0 < len(block) < size and (
            more := os.pread(self._fd, size - len(block), offset + len(block))
        ):
            block += more
        return block

    def write(self, data: bytes | bytearray | memoryview, offset: int) -> None:
        """Write all of `data` at `offset`."""
        view = memoryview(data)
        done = os.pwrite(self._fd, view, offset)
        while done < len(view):
            done += os.pwrite(self._fd, view[done:], offset + done)


class Folder(BaseFolder, _Handle):
    """An open folder, by its descriptor."""

    __slots__ = ()
    file_type: ClassVar[type[File]] = File
    step_flags: ClassVar[int] = _FOLDER

    # Looking

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:  # noqa: ARG002
        """The status of what has that name, a link itself included. Raises `FileNotFoundError`."""
        return Status(os.stat(_one(name), dir_fd=self._fd, follow_symlinks=False))

    def contains_any(self, paths: Iterable[bytes]) -> bool:
        """Whether anything, a link itself included, is at one of the paths from here, which may begin with
        `..`. Links on the way are followed, wherever they lead: good only for a first look."""
        look, folder = os.access, self._fd
        for path in paths:  # noqa: SIM110 - a third quicker than `any`, and asked before every opening
            if look(path, os.F_OK, dir_fd=folder, follow_symlinks=False):
                return True
        return False

    def ancestor_identity(self, levels: int) -> tuple[int, int]:
        """The identity of the folder so many levels above this one, whatever its name is now; 0: of this one."""
        status = (
            os.fstat(self._fd)
            if not levels
            else os.stat(b"../" * levels, dir_fd=self._fd)
        )
        return status.st_dev, status.st_ino

    def stat_names(self, names: Iterable[bytes]) -> list[Status | None]:
        """The status of each of many names that were just listed; None for what is gone meanwhile."""
        look, folder = os.stat, self._fd
        found: list[Status | None] = []
        for name in names:
            try:
                found.append(Status(look(name, dir_fd=folder, follow_symlinks=False)))
            except FileNotFoundError:
                found.append(None)
        return found

    def signatures(self, names: Iterable[bytes]) -> list[tuple[int, ...] | None]:
        """What tells each of many names that were just listed from what may be there later: see `base`."""
        look, folder, is_folder = os.stat, self._fd, stat.S_IFDIR
        found: list[tuple[int, ...] | None] = []
        for name in names:
            try:
                raw = look(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                found.append(None)
                continue
            if raw[0] & 0o170000 == is_folder:
                found.append((*raw[:3], 0, raw[4], raw[5], 0, 0, 0))
            else:
                found.append((*raw[:7], raw.st_mtime_ns, raw.st_ctime_ns))
        return found

    def iter_batches(self, count: int = _BATCH) -> Iterator[Batch]:
        """All names, unsorted, at most `count` at a time."""
        batch: tuple[list[str], list[str], list[tuple[bytes, FileKind]]] = ([], [], [])
        files, folders, others = batch
        room = count
        with self._listed(os.scandir) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    files.append(entry.name)
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                else:
                    name = os.fsencode(entry.name)
                    kind = self._kind_of(entry, name)
                    if kind is not None:
                        others.append((name, kind))
                room -= 1
                if room == 0:
                    yield Batch(_encoded(files), _encoded(folders), others)
                    files, folders, others = [], [], []
                    room = count
        yield Batch(_encoded(files), _encoded(folders), others)

    def _kind_of(self, entry: os.DirEntry[str], name: bytes) -> FileKind | None:
        if entry.is_symlink():
            return "link"
        try:
            return self.stat(name).kind
        except FileNotFoundError:
            return None

    def names(self) -> list[bytes]:
        """Every name, sorted."""
        return sorted(_encoded(self._listed(os.listdir)))

    def _listed(self, ask: Callable[[int], Any]) -> Any:
        try:
            return ask(self._fd)
        except OSError as error:
            if error.errno != errno.EBADF or self._fd < 0:
                raise
            # It was opened only to be entered, because it may not be read.
            raise system_error(errno.EACCES) from error

    def true_names(self, parts: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """The path `parts` below this folder as the folders on the way spell it, where they take several
        spellings (`A.txt`, `a.txt`) for one name; what is not there stays as it is."""
        depth = len(parts)
        while depth and not self.contains_any((b"/".join(parts[:depth]),)):
            depth -= 1
        if not depth:
            return parts
        name = parts[depth - 1].decode("utf-8", "surrogateescape")
        # What some file systems take for the same name, if it is not spelled in one way only.
        spellings = (
            name.swapcase(),
            unicodedata.normalize("NFD", name),
            unicodedata.normalize("NFC", name),
        )
        other = next((each for each in spellings if each != name), None)
        if other is None:
            return parts
        spelled = (*parts[: depth - 1], other.encode("utf-8", "surrogateescape"))
        names: list[bytes] = []
        try:
            if (
                not self.contains_any((b"/".join(spelled),))
                or self.stat_beneath(spelled).identity
                != self.stat_beneath(parts[:depth]).identity
            ):
                return parts
            for part in parts[:depth]:
                with self.open_folder_beneath(names) as folder:
                    names.append(folder.true_name(part))
        except OSError:
            return parts
        return (*names, *parts[depth:])

    def true_name(self, name: bytes) -> bytes:
        """What this folder calls the thing that it opens by that name."""
        identity, names = self.stat(name).identity, self.names()
        if name in names:
            return name
        form = _folded(name)
        return next(
            (
                each
                for each in names
                if _folded(each) == form and self.stat(each).identity == identity
            ),
            name,
        )

    def read_link(self, name: bytes) -> bytes:
        """Where the link of that name points, as it is written. `OSError(EINVAL)` if it is no link."""
        return os.readlink(_one(name), dir_fd=self._fd)

    def link_target(self, name: bytes) -> tuple[bytes, bool]:
        """Where the link of that name leads, and whether that is relative."""
        target = self.read_link(name)
        return target, not target.startswith(b"/")

    def is_writable(self, name: bytes | None = None) -> bool:
        """Whether we may make and remove names in it; with `name`, whether we may write to that file."""
        place, rights = (
            (b".", os.W_OK | os.X_OK) if name is None else (_one(name), os.W_OK)
        )
        return os.access(place, rights, dir_fd=self._fd, effective_ids=_EFFECTIVE)

    def is_mount(self, name: bytes) -> bool:
        """Whether something is mounted on a name in it: another file system, or another folder or file of this one."""
        try:
            return self.stat(name).device != self.status().device
        except FileNotFoundError:
            return False

    # Opening

    def open(
        self, name: bytes, *, write: bool = False, known_file: bool = False
    ) -> File:
        """The regular file of that name: see `base`."""
        if not known_file and (kind := self.stat(name).kind) != "file":
            raise NotAFileError(kind)
        flags = (_WRITE if write else _READ) | os.O_NOFOLLOW
        return self.file_type(
            os.open(_one(name), flags, dir_fd=self._fd), (name,)
        ).require_regular()

    def open_folder(self, name: bytes, *, listable: bool = True) -> Self:
        """The folder of that name, which is no link; `b"."` is this one, opened once more."""
        flags = (_FOLDER if listable else self.step_flags) | os.O_NOFOLLOW
        resolved_parts = () if name == b"." else (_one(name),)
        return type(self)(os.open(name, flags, dir_fd=self._fd), resolved_parts)

    def open_parent(self, *, listable: bool = True) -> Self | None:
        """The folder above, wherever this one is now; None at the top, and for a deleted one.

        Without `listable` it serves only to go on from, as in `open_folder_beneath`.
        """
        try:
            above = type(self)(
                os.open(
                    b"..", _FOLDER if listable else self.step_flags, dir_fd=self._fd
                )
            )
        except FileNotFoundError:
            return None
        if above.status().identity == self.status().identity:
            above.close()
            return None
        return above

    # Changing

    def create(self, name: bytes, mode: int = 0o600) -> File:
        """A new empty file, open for reading and writing. `FileExistsError` if the name is taken."""
        return self.file_type(os.open(_one(name), _CREATE, mode, dir_fd=self._fd))

    def append(self, name: bytes, data: bytes) -> None:
        """Add `data` to the end of a file, which is made (0600) if it is not there, and flush it.

        What others add at the same time stands before or after it.
        """
        with self.file_type(
            os.open(_one(name), _APPEND, 0o600, dir_fd=self._fd)
        ).require_regular() as file:
            view = memoryview(data)
            while view:
                view = view[os.write(file.fileno(), view) :]
            file.flush()

    def make_folder(self, name: bytes, mode: int = 0o777) -> None:
        """A new folder. `FileExistsError` if the name is taken."""
        os.mkdir(_one(name), mode, dir_fd=self._fd)

    def make_link(self, name: bytes, target: bytes) -> None:
        """A new symbolic link. `FileExistsError` if the name is taken."""
        os.symlink(target, _one(name), dir_fd=self._fd)

    def make_fifo(self, name: bytes, mode: int) -> None:
        """A new named pipe."""
        os.mkfifo(_one(name), mode, dir_fd=self._fd)

    def rename(self, name: bytes, to: Folder, to_name: bytes, mode: RenameMode) -> None:
        """Rename: `exclusive` raises `FileExistsError` if `to_name` is taken, `replace` replaces it in one step.

        `exchange` swaps the two in one step, or raises `OSError(ENOSYS or EOPNOTSUPP)` where that is
        not offered.
        """
        _one(name), _one(to_name)
        if mode == "exchange":
            raise system_error(errno.ENOSYS)
        if mode == "replace":
            os.rename(name, to_name, src_dir_fd=self._fd, dst_dir_fd=to._fd)
        elif self.stat(name).kind == "folder":
            # A folder has no second name. All that can be replaced by one, should it appear between the
            # look and the rename, is an empty folder; a folder of ours in between, a crash would leave.
            with suppress(FileNotFoundError):
                to.stat(to_name)
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            self.rename(name, to, to_name, "replace")
        else:
            self.link(name, to, to_name)
            self.remove(name)

    def link(self, name: bytes, to: Folder, to_name: bytes) -> None:
        """Give what has that name, a link itself included, another name."""
        os.link(
            _one(name),
            _one(to_name),
            src_dir_fd=self._fd,
            dst_dir_fd=to._fd,
            follow_symlinks=False,
        )

    def remove(self, name: bytes) -> None:
        """Remove a name that is not a folder's."""
        os.unlink(_one(name), dir_fd=self._fd)

    def remove_folder(self, name: bytes) -> None:
        """Remove an empty folder."""
        os.rmdir(_one(name), dir_fd=self._fd)

    def set_mode(
        self, name: bytes, mode: int, *, expected: Status | None = None
    ) -> None:
        """Set the permission bits of the thing itself; `EOPNOTSUPP` for a link.

        If it is not the same thing as `expected`, nothing is changed and `OSError(ESTALE)` is raised.
        """
        status = self.stat(name)
        require_same(status, expected)
        if status.kind not in ("file", "folder"):
            raise system_error(errno.EOPNOTSUPP)
        with _Handle(os.open(name, _READ | os.O_NOFOLLOW, dir_fd=self._fd)) as thing:
            require_same(thing.status(), expected)
            thing.set_own_mode(mode)

    def set_owner(
        self, name: bytes, uid: int, gid: int, *, expected: Status | None = None
    ) -> None:
        """Set user and group of the thing itself, a link included (-1 keeps one); else as `set_mode`."""
        require_same(self.stat(name), expected)
        os.chown(name, uid, gid, dir_fd=self._fd, follow_symlinks=False)


def open_folder(path: bytes | str, *, resolves_in_kernel: bool = True) -> Folder:  # noqa: ARG001
    """The folder of a path that the user named, such as a root; links in it are followed.

    Paths below it are resolved by the system where it can, unless it is not to be asked (`resolves_in_kernel`).
    """
    return Folder(os.open(path, _FOLDER))


def open_file(path: bytes | str) -> File:
    """The regular file of a path that the user named, for reading; links in it are followed."""
    if (kind := stat_path(path).kind) != "file":
        raise NotAFileError(kind)
    return File(os.open(path, _READ)).require_regular()


def make_folder(path: bytes | str, mode: int = 0o777) -> None:
    """A new folder at a path that the user named. `FileExistsError` if something is there."""
    os.mkdir(path, mode)


def stat_path(path: bytes | str) -> Status:
    """The status of what a path that the user named leads to."""
    return Status(os.stat(path))


def limit_process(number: int, memory: int) -> Closable | None:
    """Let a child allocate no more than `memory` bytes, and write no files, where the system has that."""
    import resource

    for name, limit in (
        ("RLIMIT_CORE", 0),
        ("RLIMIT_FSIZE", 0),
        ("RLIMIT_DATA", memory),
    ):
        # A lower limit is set already: better still. Or it has ended.
        with suppress(AttributeError, ValueError, OSError):
            resource.prlimit(number, getattr(resource, name), (limit, limit))
    return None


def kill_process_tree(process: Popen[bytes]) -> None:
    """Kill a child, the first of a process group, with all of that."""
    import signal

    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def absolute_path(path: bytes) -> bytes:
    """A path that the user named from the top, with `/` between its parts; links and case are kept."""
    return os.path.abspath(os.path.expanduser(path))


def real_path(path: bytes | str | os.PathLike[bytes] | os.PathLike[str]) -> bytes:
    """The same without links, as far as it is there."""
    return os.path.realpath(os.fsencode(path))


def split_path(path: bytes) -> tuple[bytes, tuple[bytes, ...]]:
    """Where a path begins (`/`, or nothing for a relative one) and its parts, none of them empty or `.`.

    Raises `ValueError`, whose text is the end of a sentence, for what names no file.
    """
    parts = tuple(part for part in path.split(b"/") if part not in (b"", b"."))
    return b"/" if path.startswith(b"/") else b"", parts


def name_problem(name: bytes) -> str | None:  # noqa: ARG001
    """Why the system gives no file this name, as the end of a sentence; None if it may."""
    return None


def path_from_file_url(host: str, path: bytes) -> bytes | None:
    """Return the path that a `file:` URL names, by its host and its path without escapes; None for another host."""
    here = ("", "localhost", os.uname().nodename.casefold())
    return path if host.casefold() in here else None


def path_to_file_url(path: bytes) -> str:
    """The `file:` URL of an absolute path."""
    from urllib.parse import quote

    return "file://" + quote(path)


def storable_mode(mode: int, *, folder: bool) -> int:  # noqa: ARG001
    """What the system keeps of permission bits: here all of them."""
    return mode


def umask() -> int:
    """The permission bits that new files of this process do not get."""
    with _umask:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask


def effective_user_id() -> int:
    """The user whose rights this process has."""
    return os.geteuid()


def effective_group_id() -> int:
    """The group that new files of this process get."""
    return os.getegid()


def group_ids() -> frozenset[int]:
    """Every group whose rights this process has."""
    return frozenset((os.getegid(), *os.getgroups()))


def _one(name: bytes) -> bytes:
    # A slash would lead elsewhere, and behind a name it makes O_NOFOLLOW follow; at a NUL C cuts a name off.
    if b"/" in name or b"\0" in name or name in (b"", b".", b".."):
        raise OSError(errno.EINVAL, "not a name in a folder", name)
    return name


def _folded(name: bytes) -> str:
    return unicodedata.normalize(
        "NFKC", name.decode("utf-8", "surrogateescape")
    ).casefold()


def _encoded(names: list[str]) -> list[bytes]:
    # All at once: a third of the time of one by one.
    return os.fsencode("/".join(names)).split(b"/") if names else []
