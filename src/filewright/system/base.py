"""What an open file and an open folder do alike on every system; `posix` and `windows` do the rest.

What `posix` says of a method holds for all. A method of this module is what a system does that has nothing better.
The walk from a folder to what a path leads to below it is here too: the same answers as the Linux kernel
gives in one call where it can (`linux.LinuxFolder.open_folder_beneath`), part by part. So are the status of one
file (`Status`), the abilities of this system (`Capabilities`), and the flushing of many files side by side.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, NamedTuple, Self

from filewright.system.beneath import CheckPart, walk_beneath
from filewright.system.errors import NotAFileError, system_error
from filewright.system.status import FileKind, Status

RenameMode = Literal["exclusive", "replace", "exchange"]

BLOCK_BYTES = 1 << 20
"""What is read at once where all of a file is."""


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
        found: Self = walk_beneath(
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
        return walk_beneath(self, parts, follow_links, cross_devices, check_part, None)

    def stat_beneath(self, parts: Sequence[bytes]) -> Status:
        """The status of what `parts` leads to below this folder: a link itself, after links above it."""
        with self.open_folder_beneath(parts[:-1], listable=False) as above:
            return above.stat(parts[-1])


class Batch(NamedTuple):
    """Some of the names in a folder, by kind, as they come."""

    files: list[bytes]
    folders: list[bytes]
    others: list[tuple[bytes, FileKind]]
