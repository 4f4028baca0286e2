"""The base classes of open files and folders, with the methods that all systems share.

`posix` and `windows` implement the rest; the docstrings of `posix` hold for both. A
method with a body here is the fallback of a system that has nothing better.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import ClassVar, Generic, Literal, NamedTuple, Self, TypeVar

from filewright.system.beneath import (
    CheckPart,
    WalkConditions,
    walk_beneath,
    walk_to_folder,
)
from filewright.system.errors import NotAFileError, system_error
from filewright.system.status import FileKind, Status

RenameMode = Literal["exclusive", "replace", "exchange"]

BLOCK_BYTES = 1 << 20
"""The size of one read where a whole file is read."""


class Closable:
    """An object with a `close`, which a `with` statement calls at its end."""

    __slots__ = ()

    def close(self) -> None:
        """Release it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Handle(Closable):
    """The system's number of an open file or folder.

    `resolved_parts` is the path, links resolved, from the folder below which it was
    opened. `__del__` closes a handle that its owner forgot: a leaked descriptor does
    more harm than a hidden mistake.
    """

    __slots__ = ("_descriptor", "resolved_parts")
    permission_errors: ClassVar[tuple[int, ...]] = (
        errno.EPERM,
        errno.EACCES,
        errno.EOPNOTSUPP,
        errno.ENOTSUP,
    )
    """The errors for attributes that only the system may set."""
    removable_prefixes: ClassVar[tuple[str, ...]] = ()
    """Prefixes of the extended attributes that are removed if they are not wanted."""

    def __init__(
        self, descriptor: int, resolved_parts: tuple[bytes, ...] = ()
    ) -> None:
        self._descriptor = descriptor
        self.resolved_parts = resolved_parts

    def fileno(self) -> int:
        """Return the descriptor (on Windows: handle), still owned by this object."""
        return self._descriptor

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._descriptor < 0

    def status(self) -> Status:
        """Return its present status."""
        raise NotImplementedError

    def flush_file_system(self) -> bool:
        """Flush its whole file system; return False if the system has no such call."""
        return False

    def is_immutable(self) -> bool:
        """Return True if it is immutable or append-only; False where that is unknown.

        No permission overcomes these flags.
        """
        return False

    def extended_attributes(self) -> dict[str, bytes]:
        """Return its extended attributes, among them access control lists."""
        return {}

    def set_extended_attributes(
        self, wanted: Mapping[str, bytes], *, strict: bool = True
    ) -> None:
        """Set the extended attributes that differ, and remove those not wanted.

        Raise `OSError` with the attribute's name as `filename`. If not `strict`, skip
        the attributes that only the system may set.
        """
        changes: dict[str, bytes | None] = {**wanted}
        for name, current in self.extended_attributes().items():
            if name not in wanted and name.startswith(self.removable_prefixes):
                changes[name] = None
            elif wanted.get(name) == current:
                del changes[name]
        for name, value in changes.items():
            try:
                self._set_attribute(name, value)
            except OSError as error:
                if strict or error.errno not in self.permission_errors:
                    raise OSError(error.errno, error.strerror, name) from error

    def _set_attribute(self, name: str, value: bytes | None) -> None:  # noqa: ARG002
        """Set one extended attribute, or remove it if `value` is None."""
        raise system_error(errno.ENOTSUP)


class BaseFile(Handle):
    """An open regular file. Reads and writes take an offset, not a position."""

    __slots__ = ()

    def require_regular(self) -> Self:
        """Return itself; close it and raise `NotAFileError` if it is not regular."""
        try:
            kind = self.status().kind
            if kind != "file":
                raise NotAFileError(kind)
        except OSError:
            self.close()
            raise
        return self

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset`, or fewer at the end of the file."""
        raise NotImplementedError

    def blocks(self, start: int = 0) -> Iterator[bytes]:
        """Yield the content from `start` in blocks of at most 1 MB."""
        while block := self.read(start, BLOCK_BYTES):
            yield block
            start += len(block)

    def start_writeback(self, offset: int, length: int) -> None:
        """Ask the disk to begin writing a range, so that the later flush is short."""

    def clone_from(self, source: BaseFile) -> bool:  # noqa: ARG002
        """Share all blocks of `source`; return False, nothing written, if it cannot."""
        return False

    @contextmanager
    def watch_for_writers(self) -> Iterator[Callable[[], bool]]:
        """Watch whether another process opens the file for writing.

        Yields a function that returns False once another process has it open for
        writing; it returns True where the system cannot tell.
        """
        yield lambda: True


AnyFile = TypeVar("AnyFile", bound=BaseFile)


class BaseFolder(Handle, Generic[AnyFile]):
    """An open folder. Its methods take names in it, never paths.

    A name is one part of a path: without slash or NUL, and neither empty nor `.` nor
    `..` (only `open_folder` takes `.`). Only the methods whose names end in `_beneath`
    take several parts and follow links.
    """

    __slots__ = ()
    resolves_in_kernel: ClassVar[bool] = False
    """True if the kernel resolves paths below it in one call; else they are walked."""

    def stat(self, name: bytes, *, with_birth: bool = False) -> Status:
        """Return the status of a name; of a link, not of its target.

        `with_birth` adds the time of creation. Raises `FileNotFoundError`.
        """
        raise NotImplementedError

    def status_with_birth(self) -> Status:
        """Return its present status with the time of creation."""
        return self.status()

    def iter_batches(self) -> Iterator[NameBatch]:
        """Yield all names, unsorted, in batches."""
        raise NotImplementedError

    def open_folder(self, name: bytes, *, listable: bool = True) -> Self:
        """Open a folder by its name, never through a link; `b"."` opens this one again.

        If not `listable`, it serves only to reach names below it. Where the system has
        `path_handles`, that needs no permission to read the folder.
        """
        raise NotImplementedError

    def open(
        self, name: bytes, *, write: bool = False, known_file: bool = False
    ) -> AnyFile:
        """Open a regular file by its name; never follow a link or open a device.

        Opening a device has effects, so the kind is read first, unless the caller has
        just done so (`known_file`). Raises `NotAFileError`.
        """
        raise NotImplementedError

    def link_target(self, name: bytes) -> tuple[bytes, bool]:
        """Return the target of a link, with `/` in it, and True if it is relative.

        Raises `OSError(EINVAL)` if the name is not a link.
        """
        raise NotImplementedError

    def iter_entries(self) -> Iterator[tuple[bytes, FileKind]]:
        """Yield every name and its kind, unsorted."""
        for batch in self.iter_batches():
            yield from ((name, "file") for name in batch.files)
            yield from ((name, "folder") for name in batch.folders)
            yield from batch.others

    def signatures(
        self, names: Iterable[bytes]
    ) -> list[tuple[int, ...] | None]:
        """Return, for each name, a tuple that changes when the file does, or None.

        The tuple holds mode, inode, device, link count, user, group, size and the times
        of the last change of content and of anything. Link count, size and times are 0
        for a folder: they change with its entries, which have tuples of their own.
        """
        signatures: list[tuple[int, ...] | None] = []
        for status in self.stat_names(names):
            if status is None:
                signatures.append(None)
                continue
            raw = status.raw
            variable_fields = (0, raw.st_uid, raw.st_gid, 0, 0, 0)
            if not stat.S_ISDIR(raw.st_mode):
                variable_fields = (
                    raw.st_nlink,
                    raw.st_uid,
                    raw.st_gid,
                    raw.st_size,
                    raw.st_mtime_ns,
                    raw.st_ctime_ns,
                )
            signatures.append(
                (raw.st_mode, raw.st_ino, raw.st_dev, *variable_fields)
            )
        return signatures

    def stat_names(self, names: Iterable[bytes]) -> list[Status | None]:
        """Return the status of each name, or None for a name that no longer exists."""
        raise NotImplementedError

    def is_mount(self, name: bytes) -> bool:  # noqa: ARG002
        """Return True if a file system, folder or file is mounted on a name."""
        return False

    def mounts_below(self) -> tuple[bytes, ...]:
        """Return the paths from here of all mounts below, if they are listed."""
        return ()

    def path(self) -> bytes | None:
        """Return its present absolute path; None if it was deleted or is unknown."""
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
        """Open the folder at a path below this one, which may hold `..`.

        Relative links are followed, unless `follow_links` is False (`ELOOP`). Other
        file systems are entered, unless `cross_devices` is False (`EXDEV`). `listable`
        is as for `open_folder`. With `check_part` the path is walked part by part on
        every system, and the function is called for each part.

        Raises `EscapesFolderError` for a path that leads out of this folder, and
        `OSError(EAGAIN)` if the folders on the way are renamed again and again.
        """
        options = WalkConditions(
            follow_links=follow_links,
            cross_devices=cross_devices,
            check_part=check_part,
        )
        return walk_to_folder(self, parts, options, listable=listable)

    def open_file_beneath(
        self,
        parts: Sequence[bytes],
        *,
        follow_links: bool = True,
        cross_devices: bool = True,
        check_part: CheckPart | None = None,
    ) -> AnyFile:
        """Open the regular file at a path below: see `open_folder_beneath`."""

        def open_last(folder: Self, name: bytes, kind: FileKind) -> AnyFile:
            if kind != "file":
                raise NotAFileError(kind)
            return folder.open(name, known_file=True)

        options = WalkConditions(
            follow_links=follow_links,
            cross_devices=cross_devices,
            check_part=check_part,
        )
        return walk_beneath(self, parts, options, open_last)

    def stat_beneath(self, parts: Sequence[bytes]) -> Status:
        """Return the status of a path below this folder, its last part not followed."""
        with self.open_folder_beneath(parts[:-1], listable=False) as parent:
            return parent.stat(parts[-1])


class NameBatch(NamedTuple):
    """Some of the names in a folder, by kind, in the order of the system."""

    files: list[bytes]
    folders: list[bytes]
    others: list[tuple[bytes, FileKind]]
