"""What a file system says of one thing, and what this system can do."""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import Literal

Kind = Literal["file", "folder", "link", "fifo", "socket", "device"]
Rename = Literal["keep", "replace", "exchange"]

BLOCK = 1 << 20
"""What is read at once where all of a file is."""

KINDS: dict[int, Kind] = {
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

    def __init__(self, kind: Kind) -> None:
        number = {"folder": errno.EISDIR, "link": errno.ELOOP}.get(kind, errno.ENXIO)
        super().__init__(number, f"it is a {kind}, not a file")
        self.kind = kind


class LeadsOutError(OSError):
    """`EXDEV`: `path`, as a link has it, leads out from the folder `above`; None if no link was followed."""

    def __init__(self, above: tuple[bytes, ...] = (), path: bytes | None = None) -> None:
        super().__init__(errno.EXDEV, os.strerror(errno.EXDEV))
        self.above, self.path = above, path


class Status:
    """The status of one thing: of a link itself, never of its target.

    A view of what the system gave (`raw`), because a listing makes hundreds of thousands of them. `size` in
    bytes, times in nanoseconds; `birth_ns` is None where the system does not say (`Folder.status`
    asks for it, `Folder.stat` if told to).
    """

    __slots__ = ("_birth_ns", "raw")

    def __init__(self, raw: os.stat_result, birth_ns: int | None = None) -> None:
        self.raw = raw
        self._birth_ns = birth_ns

    @property
    def birth_ns(self) -> int | None:
        """When it was made; macOS says so with everything else."""
        made = getattr(self.raw, "st_birthtime", None) if self._birth_ns is None else None
        return self._birth_ns if made is None else int(made * 1_000_000_000)

    @property
    def kind(self) -> Kind:
        """What it is."""
        return KINDS.get(stat.S_IFMT(self.raw.st_mode), "device")

    @property
    def device(self) -> int:
        """The number of its file system."""
        return self.raw.st_dev

    @property
    def inode(self) -> int:
        """Its number in its file system."""
        return self.raw.st_ino

    @property
    def identity(self) -> tuple[int, int]:
        """(device, inode): two names with the same one are the same thing."""
        return self.raw.st_dev, self.raw.st_ino

    @property
    def size(self) -> int:
        """Bytes of content."""
        return self.raw.st_size

    @property
    def atime_ns(self) -> int:
        """When it was last read."""
        return self.raw.st_atime_ns

    @property
    def mtime_ns(self) -> int:
        """When its content last changed."""
        return self.raw.st_mtime_ns

    @property
    def ctime_ns(self) -> int:
        """When its content, name or rights last changed."""
        return self.raw.st_ctime_ns

    @property
    def mode(self) -> int:
        """The permission bits (12 of them)."""
        return stat.S_IMODE(self.raw.st_mode)

    @property
    def uid(self) -> int:
        """Its user."""
        return self.raw.st_uid

    @property
    def gid(self) -> int:
        """Its group."""
        return self.raw.st_gid

    @property
    def links(self) -> int:
        """How many names it has; 0 when it was deleted."""
        return self.raw.st_nlink

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Status) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return f"Status({self.kind}, {self.device}:{self.inode}, {self.size} bytes, {self.mode:04o})"

    def require_file(self) -> None:
        """Raise `NotAFileError` for what is no regular file."""
        if not stat.S_ISREG(self.raw.st_mode):
            raise NotAFileError(self.kind)


@dataclass(frozen=True, slots=True)
class Batch:
    """Some of the names in a folder, by kind, as they come."""

    files: list[bytes]
    folders: list[bytes]
    others: list[tuple[bytes, Kind]]

    def __len__(self) -> int:
        return len(self.files) + len(self.folders) + len(self.others)


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What this system offers beyond what every Unix has. `docs/platforms.md` names the substitute for each."""

    beneath: bool = False
    """Paths are resolved below a folder inside the kernel; else part by part."""
    exchange: bool = False
    """Two names are swapped in one step; else renamed one after the other."""
    keep: bool = False
    """A rename that never replaces is one step; else a hard link and an unlink."""
    handles: bool = False
    """A thing that may not be read can still be held: folders that may only be entered, modes of unreadable files."""
    where: bool = False
    """A held folder knows its present path; else its path is what was walked to reach it."""
    lease: bool = False
    """The kernel says whether another process writes to a file; else nobody knows."""
    attributes: bool = False
    """Extended attributes and access control lists are carried over."""
    flags: bool = False
    """What is immutable is known before it is changed; else only when the system refuses."""
    clone: bool = False
    """A file can share its blocks with a copy, where the file system has that."""
    birth: bool = False
    """When a thing was made is known."""
    flush_file_system: bool = False
    """A whole file system is flushed in one call; else file by file."""
    confine: bool = False
    """The kernel confines a process to folders (Landlock)."""
