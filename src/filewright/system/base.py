"""What an open file and an open folder do alike on every system; `posix` and `windows` do the rest.

What `posix` says of a method holds for all. A method of this module is what a system does that has nothing better.
The walk from a folder to what a path leads to below it is here too: the same answers as the Linux kernel
gives in one call where it can (`linux.LinuxFolder.open_folder_beneath`), part by part. So are the status of one
file (`Status`), the abilities of this system (`Capabilities`), and the flushing of many files side by side.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from filewright.system import File, Folder

_LINKS = 40
_RETRIES = 128
_THREADS = 16


class Closable:
    """Something that is let go of by `close`, which a `with` calls at its end."""

    __slots__ = ()

    def close(self) -> None:
        """Let go of it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Handle(Closable):
    """The number by which the system knows an open thing; closed with the object (`__del__`).

    Nobody should need that: what is opened is closed. But a descriptor is worth more than a reproach.
    `resolved_parts` are the names, links resolved, that led to it from the folder it was opened beneath.
    """

    __slots__ = ("_fd", "resolved_parts")
    refusals: ClassVar[tuple[int, ...]] = (
        errno.EPERM,
        errno.EACCES,
        errno.EOPNOTSUPP,
        errno.ENOTSUP,
    )
    """The errors of attributes that only the system may give."""
    removable: ClassVar[tuple[str, ...]] = ()
    """How the names of attributes begin that are taken from what is not to have them."""

    def __init__(self, number: int, resolved_parts: tuple[bytes, ...] = ()) -> None:
        self._fd = number
        self.resolved_parts = resolved_parts

    def fileno(self) -> int:
        """The descriptor (on Windows: the handle), for a child process or a poll. It stays ours."""
        return self._fd

    @property
    def closed(self) -> bool:
        """Whether it was let go of."""
        return self._fd < 0

    def status(self) -> Status:
        """What the system says of it now."""
        raise NotImplementedError

    def flush_file_system(self) -> bool:
        """Flush all of its file system in one call; False where there is none, and nothing is flushed."""
        return False

    def is_immutable(self) -> bool:
        """Whether it is immutable or append only, which no right overcomes; False where nobody can tell."""
        return False

    def extended_attributes(self) -> dict[str, bytes]:
        """Its extended attributes, access control lists among them; empty where there are none."""
        return {}

    def set_extended_attributes(
        self, wanted: Mapping[str, bytes], *, strict: bool = True
    ) -> None:
        """Make its extended attributes `wanted`: set what differs, remove the user's own that are not in it.

        Raises `OSError` whose `filename` is the attribute's name; not `strict`, those that only the
        system may give are left out.
        """
        changes: dict[str, bytes | None] = {**wanted}
        for name, present in self.extended_attributes().items():
            if name not in wanted and name.startswith(self.removable):
                changes[name] = None
            elif wanted.get(name) == present:
                del changes[name]
        for name, value in changes.items():
            try:
                self._set_attribute(name, value)
            except OSError as error:
                if strict or error.errno not in self.refusals:
                    raise OSError(error.errno, error.strerror, name) from error

    def _set_attribute(self, name: str, value: bytes | None) -> None:  # noqa: ARG002
        """Set one, or remove it (None)."""
        raise system_error(errno.ENOTSUP)


class BaseFile(Handle):
    """An open regular file. Reads and writes take an offset: nothing shares a position."""

    __slots__ = ()

    def require_regular(self) -> Self:
        """Itself; closed again, with `NotAFileError`, if it is no regular file."""
        try:
            kind = self.status().kind
            if kind != "file":
                raise NotAFileError(kind)
        except OSError:
            self.close()
            raise
        return self

    def read(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset`: fewer only at the end."""
        raise NotImplementedError

    def blocks(self, start: int = 0) -> Iterator[bytes]:
        """The content from `start` in blocks of at most 1 MB."""
        while block := self.read(start, BLOCK_BYTES):
            yield block
            start += len(block)

    def start_writeback(self, offset: int, length: int) -> None:
        """Let the disk begin with a range already written, so that the flush at the end finds little to do."""

    def clone_from(self, source: BaseFile) -> bool:  # noqa: ARG002
        """Share all blocks of `source`; False where the file system cannot, and nothing was written."""
        return False

    @contextmanager
    def watch_for_writers(self) -> Iterator[Callable[[], bool]]:
        """Keep others from beginning to write to it, where the system has that.

        Yields whether no other process has it open for writing at that moment; True where nobody can tell.
        """
        yield lambda: True


class BaseFolder(Handle):
    """An open folder: names below it are asked of it, never of a path.

    A name is one part: no slash, no NUL, neither empty nor `..`; `.` only for `open_folder`. Nothing but
    `open_folder_beneath` and `open_file_beneath` follows a link.
    """

    __slots__ = ()
    resolves_in_kernel: ClassVar[bool] = False
    """Whether the system resolves a path below it in one call; else it is walked part by part."""

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:
        """The status of what has that name, a link itself included; when it was made, `with_birth`.

        Raises `FileNotFoundError`.
        """
        raise NotImplementedError

    def status_with_birth(self) -> Status:
        """The same as `status`, and when it was made."""
        return self.status()

    def iter_batches(self) -> Iterator[Batch]:
        """All names, unsorted, some at a time."""
        raise NotImplementedError

    def open_folder(self, name: bytes, *, listable: bool = True) -> Self:
        """The folder of that name, which is no link; `b"."` is this one, opened once more.

        Without `listable` it serves only for names below it, which takes no right to read it where the system
        has handles.
        """
        raise NotImplementedError

    def open(
        self, name: bytes, *, write: bool = False, known_file: bool = False
    ) -> Any:
        """The regular file of that name. Never follows a link, never blocks, never opens a device.

        Opening a device has effects, so what is there is looked at first, unless the caller has just seen
        that it is a file. `OSError`: `EISDIR` for a folder, `ELOOP` for a link, `ENXIO` for a special file.
        """
        raise NotImplementedError

    def link_target(self, name: bytes) -> tuple[bytes, bool]:
        """Where the link of that name leads, with `/` between its parts, and whether that is relative.

        `EINVAL` if it is no link.
        """
        raise NotImplementedError

    def iter_entries(self) -> Iterator[tuple[bytes, FileKind]]:
        """Every name and what it is, unsorted."""
        for batch in self.iter_batches():
            yield from ((name, "file") for name in batch.files)
            yield from ((name, "folder") for name in batch.folders)
            yield from batch.others

    def signatures(self, names: Iterable[bytes]) -> list[tuple[int, ...] | None]:
        """What tells each of many names that were just listed from what may be there later; None for what is gone.

        Mode, inode, device, links, user, group, size, and when its content and anything of it changed; of a folder,
        whose names are listed by themselves, no links, size and times.
        """
        found: list[tuple[int, ...] | None] = []
        for status in self.stat_names(names):
            if status is None:
                found.append(None)
                continue
            raw = status.raw
            own = (0, raw.st_uid, raw.st_gid, 0, 0, 0)
            if not stat.S_ISDIR(raw.st_mode):
                own = (
                    raw.st_nlink,
                    raw.st_uid,
                    raw.st_gid,
                    raw.st_size,
                    raw.st_mtime_ns,
                    raw.st_ctime_ns,
                )
            found.append((raw.st_mode, raw.st_ino, raw.st_dev, *own))
        return found

    def stat_names(self, names: Iterable[bytes]) -> list[Status | None]:
        """The status of each of many names that were just listed; None for what is gone meanwhile."""
        raise NotImplementedError

    def is_mount(self, name: bytes) -> bool:  # noqa: ARG002
        """Whether something is mounted on a name in it: another file system, or another folder or file of this one."""
        return False

    def mounts_below(self) -> tuple[bytes, ...]:
        """Return the paths from here of what is mounted below it, as far as the system lists mounts."""
        return ()

    def path(self) -> bytes | None:
        """Its absolute path at this moment; None if it was deleted, or the system does not say."""
        return None

    def open_folder_beneath(
        self,
        parts: Sequence[bytes],
        *,
        follow_links: bool = True,
        cross_devices: bool = True,
        listable: bool = True,
        check_part: CheckPart | None = None,
    ) -> Self:
        """The folder `parts` below this one, which may hold `..`; nothing leads out of this one.

        Relative links are followed unless `follow_links` is False (`ELOOP`); other file systems are entered
        unless `cross_devices` is False. What leads out is `EXDEV`; `listable` is as for `open_folder`. With
        `check_part` it goes part by part on every system, and every part is put to it. `EAGAIN` if the folders
        above are renamed over and over.
        """
        found: Self = _walked(
            self,
            parts,
            follow_links,
            cross_devices,
            check_part,
            lambda above, name: above.open_folder(name, listable=listable),
        )
        return found

    def open_file_beneath(
        self,
        parts: Sequence[bytes],
        *,
        follow_links: bool = True,
        cross_devices: bool = True,
        check_part: CheckPart | None = None,
    ) -> Any:
        """The regular file `parts` below this folder, for reading: `open_folder_beneath` and `open` in one."""
        return _walked(self, parts, follow_links, cross_devices, check_part, None)

    def stat_beneath(self, parts: Sequence[bytes]) -> Status:
        """The status of what `parts` leads to below this folder: a link itself, after links above it."""
        with self.open_folder_beneath(parts[:-1], listable=False) as above:
            return above.stat(parts[-1])


CheckPart = Callable[[Any, bytes, bool | None], None]
"""Asked of every part on a way, with the folder it is in and whether it is a folder (None: it could not be looked
at), before anything is done with it. Refuses by raising."""


class _RacedError(OSError):
    """What was a folder a moment ago is something else now; the walk starts again."""


def _walked(
    start: BaseFolder,
    parts: Sequence[bytes],
    links: bool,
    cross: bool,
    ask: CheckPart | None,
    enter: Callable[[BaseFolder, bytes], BaseFolder] | None,
) -> Any:
    """What `parts` lead to below `start`, part by part: a folder as `enter` opens it, or a regular file (None).

    Relative links are followed inside the folder; an absolute link, and a link or `..` that leads above it, are
    refused (`EXDEV`); more than 40 links are a loop (`ELOOP`).
    """
    for _ in range(_RETRIES):
        with suppress(_RacedError):
            return _walked_once(start, parts, links, cross, ask, enter)
    raise OSError(errno.EAGAIN, "the folders above it are being renamed")


def _walked_once(
    start: BaseFolder,
    parts: Sequence[bytes],
    links: bool,
    cross: bool,
    ask: CheckPart | None,
    enter: Callable[[BaseFolder, bytes], BaseFolder] | None,
) -> Any:
    device = None if cross else start.status().device
    pending = [part for part in reversed(parts) if part] or [b"."]
    followed, leads_out = 0, EscapesFolderError()
    folder = start.open_folder(b".", listable=False)
    try:
        while True:
            part = pending.pop()
            if part == b"..":
                if not folder.resolved_parts:
                    raise leads_out
                # Once more from the start: `..` of a folder that was moved may be anywhere.
                pending += [b".", *reversed(folder.resolved_parts[:-1])]
                folder.close()
                folder = start.open_folder(b".", listable=False)
                continue
            if part == b".":
                if pending:
                    continue
                if enter is None:
                    raise NotAFileError("folder")
                found = enter(folder, b".")
                found.resolved_parts = folder.resolved_parts
                return found
            try:
                status = folder.stat(part)
            except OSError:
                if ask is not None:
                    ask(folder, part, None)
                raise
            kind = status.kind
            if ask is not None:
                ask(folder, part, kind == "folder")
            if device is not None and status.device != device:
                raise EscapesFolderError()
            try:
                if kind == "link":
                    followed += 1
                    if not links or followed > _LINKS:
                        raise system_error(errno.ELOOP)
                    target, relative = folder.link_target(part)
                    leads_out = EscapesFolderError(
                        folder.resolved_parts, b"/".join((target, *reversed(pending)))
                    )
                    if not relative:
                        raise leads_out
                    pending += [b"."] * target.endswith(b"/") + [
                        step for step in reversed(target.split(b"/")) if step
                    ]
                    continue
                last = not pending
                if last and enter is None:
                    if kind != "file":
                        raise NotAFileError(kind)
                    found = folder.open(part, known_file=True)
                elif kind != "folder":
                    raise system_error(errno.ENOTDIR)
                elif last and enter is not None:
                    found = enter(folder, part)
                else:
                    found = folder.open_folder(part, listable=False)
            except OSError as error:
                was_folder = error.errno == errno.ENOTDIR and kind == "folder"
                was_link = error.errno == errno.EINVAL and kind == "link"
                if (
                    was_folder
                    or was_link
                    or (error.errno in (errno.ELOOP, errno.EMLINK) and kind != "link")
                ):
                    raise _RacedError from error
                raise
            found.resolved_parts = (*folder.resolved_parts, part)
            if last:
                return found
            folder.close()
            folder = found
    finally:
        folder.close()


def require_same(status: Status, expected: Status | None) -> None:
    """Raise `OSError(ESTALE)` for what is not the thing that was `expected`."""
    if expected is not None and (status.identity, status.kind) != (
        expected.identity,
        expected.kind,
    ):
        raise system_error(errno.ESTALE)


FileKind = Literal["file", "folder", "link", "fifo", "socket", "device"]
RenameMode = Literal["exclusive", "replace", "exchange"]

BLOCK_BYTES = 1 << 20
"""What is read at once where all of a file is."""

KINDS: dict[int, FileKind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


def system_error(number: int, name: bytes | None = None) -> OSError:
    """The `OSError` of a number, in the system's words."""
    return (
        OSError(number, os.strerror(number), name)
        if name is not None
        else OSError(number, os.strerror(number))
    )


class NotAFileError(OSError):
    """What was to be opened as a regular file is something else, `kind`.

    `EISDIR` for a folder, `ELOOP` for a link, `ENXIO` for a special file.
    """

    def __init__(self, kind: FileKind) -> None:
        number = {"folder": errno.EISDIR, "link": errno.ELOOP}.get(kind, errno.ENXIO)
        super().__init__(number, f"it is a {kind}, not a file")
        self.kind = kind


class EscapesFolderError(OSError):
    """`EXDEV`: `path`, as a link has it, leads out from the folder `above`; None if no link was followed."""

    def __init__(
        self, above: tuple[bytes, ...] = (), path: bytes | None = None
    ) -> None:
        super().__init__(errno.EXDEV, os.strerror(errno.EXDEV))
        self.above, self.path = above, path


def _given(name: str) -> Any:
    """What the system gave by that name; read without a call of Python's, which a listing would make by the million."""
    return property(attrgetter(f"raw.{name}"))


class Status:
    """The status of one thing: of a link itself, never of its target.

    A view of what the system gave (`raw`), because a listing makes hundreds of thousands of them. `size` in
    bytes, times in nanoseconds; `birth_ns` is None where the system does not say or was not asked.
    """

    __slots__ = ("_birth_ns", "identity", "kind", "mode", "raw")
    device: int = _given("st_dev")
    """The number of its file system."""
    inode: int = _given("st_ino")
    """Its number in its file system."""
    size: int = _given("st_size")
    """Bytes of content."""
    atime_ns: int = _given("st_atime_ns")
    """When it was last read."""
    mtime_ns: int = _given("st_mtime_ns")
    """When its content last changed."""
    ctime_ns: int = _given("st_ctime_ns")
    """When its content, name or rights last changed."""
    uid: int = _given("st_uid")
    """Its user."""
    gid: int = _given("st_gid")
    """Its group."""
    link_count: int = _given("st_nlink")
    """How many names it has; 0 when it was deleted."""

    def __init__(self, raw: os.stat_result, birth_ns: int | None = None) -> None:
        self.raw = raw
        self.kind: FileKind = KINDS.get(stat.S_IFMT(raw.st_mode), "device")
        """What it is."""
        self.identity = raw.st_dev, raw.st_ino
        """(device, inode): two names with the same one are the same thing."""
        self.mode = stat.S_IMODE(raw.st_mode)
        """The permission bits (12 of them)."""
        self._birth_ns = birth_ns

    @property
    def birth_ns(self) -> int | None:
        """When it was made; macOS says so with everything else."""
        made = (
            getattr(self.raw, "st_birthtime", None) if self._birth_ns is None else None
        )
        return self._birth_ns if made is None else int(made * 1_000_000_000)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Status) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"Status({self.kind}, {self.device}:{self.inode}, {self.size} bytes, {self.mode:04o})"


def file_signature(path: bytes | None) -> tuple[int, ...] | None:
    """What tells a file of ours or of the user's, by its path from the top, from what it was before: its inode, its
    size and its times. None where nothing is there, or nobody may look."""
    try:
        found = os.stat(path or b"")
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class Batch(NamedTuple):
    """Some of the names in a folder, by kind, as they come."""

    files: list[bytes]
    folders: list[bytes]
    others: list[tuple[bytes, FileKind]]


# No dataclass here: its module takes longer to import than this room, and a hook needs little else.


class Capabilities:
    """What this system offers beyond what every Unix has. `docs/platforms.md` names the substitute for each."""

    def __init__(self, **given: bool) -> None:
        vars(self).update(given)

    kernel_resolution: bool = False
    """Paths are resolved below a folder inside the kernel; else part by part."""
    exchange: bool = False
    """Two names are swapped in one step; else renamed one after the other."""
    exclusive_rename: bool = False
    """A rename that never replaces is one step; else a hard link and an unlink."""
    path_handles: bool = False
    """A thing that may not be read can still be held: folders that may only be entered, modes of unreadable files."""
    handle_paths: bool = False
    """A held folder knows its present path; else its path is what was walked to reach it."""
    lease: bool = False
    """The kernel says whether another process writes to a file; else nobody knows."""
    attributes: bool = False
    """Extended attributes and access control lists are carried over."""
    immutable_flags: bool = False
    """What is immutable is known before it is changed; else only when the system refuses."""
    clone: bool = False
    """A file can share its blocks with a copy, where the file system has that."""
    birth_times: bool = False
    """When a thing was made is known."""
    flush_file_system: bool = False
    """A whole file system is flushed in one call; else file by file."""
    confinement: bool = False
    """The kernel confines a process to folders (Landlock)."""


# Bringing many things to the disk


def flush_all(handles: Iterable[File | Folder]) -> None:
    """Flush side by side: 100 flushes in turn take thirty times as long. All are tried; the first error is raised."""
    pending = list(handles)
    if len(pending) < 2:
        for handle in pending:
            handle.flush()
        return
    from concurrent.futures import wait

    threads = min(_THREADS, len(pending))
    results = [
        _pool().submit(_flush_each, pending[start::threads]) for start in range(threads)
    ]
    wait(results)
    for result in results:
        result.result()


@cache  # A change flushes a dozen times: beginning sixteen threads for each takes longer than the flushes.
def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(_THREADS, thread_name_prefix="flush")


def stop_flush_threads() -> None:
    """End the threads that flush, until they are needed again: what confines a process asks for a single one."""
    if _pool.cache_info().currsize:
        _pool().shutdown()
        _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        after_in_child=_pool.cache_clear
    )  # A forked process has none of the threads.


def _flush_each(handles: Sequence[File | Folder]) -> None:
    failed: OSError | None = None
    for handle in handles:
        try:
            handle.flush()
        except OSError as error:
            failed = failed or error
    if failed is not None:
        raise failed
