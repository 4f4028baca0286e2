"""The status of one file, folder or link, as the system gives it.

Everything else in the package that looks at a file returns a `Status`; nothing here
keeps one.
"""

from __future__ import annotations

import marshal
import os
import stat
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

FileKind = Literal["file", "folder", "link", "fifo", "socket", "device"]
KIND_OF_FORMAT: dict[int, FileKind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


@dataclass(frozen=True, slots=True)
class CompactStat:
    """The fields of the system's result that a `Status` reads, and no others."""

    st_mode: int
    st_ino: int
    st_dev: int
    st_nlink: int
    st_uid: int
    st_gid: int
    st_size: int
    st_atime_ns: int
    st_mtime_ns: int
    st_ctime_ns: int


def _field(name: str) -> Any:
    """Return a property that reads one field of the system's own result.

    `attrgetter` runs in C: a listing reads these fields by the million.
    """
    return property(attrgetter(f"raw.{name}"))


class Status:
    """The status of one file or folder, or of a link itself, never of its target.

    A view of the system's own result (`raw`), because a listing makes hundreds of
    thousands of them. Sizes are in bytes, times in nanoseconds. `birth_ns` is None
    where the system does not know it or was not asked.
    """

    __slots__ = ("_birth_ns", "identity", "kind", "mode", "raw")
    device: int = _field("st_dev")
    """The number of its file system."""
    inode: int = _field("st_ino")
    """Its number within that file system."""
    size: int = _field("st_size")
    """The length of the content in bytes."""
    atime_ns: int = _field("st_atime_ns")
    """The time of the last read."""
    mtime_ns: int = _field("st_mtime_ns")
    """The time of the last change of the content."""
    ctime_ns: int = _field("st_ctime_ns")
    """The time of the last change of content, name, mode or owner."""
    uid: int = _field("st_uid")
    """The number of the user who owns it."""
    gid: int = _field("st_gid")
    """The number of the group that owns it."""
    link_count: int = _field("st_nlink")
    """The number of its names (hard links); 0 after it was deleted."""

    def __init__(
        self,
        raw: os.stat_result | CompactStat,
        birth_ns: int | None = None,
    ) -> None:
        self.raw = raw
        self.kind: FileKind = KIND_OF_FORMAT.get(
            stat.S_IFMT(raw.st_mode), "device"
        )
        """The kind of file."""
        self.identity = raw.st_dev, raw.st_ino
        """(device, inode): two names with the same identity are one file."""
        self.mode = stat.S_IMODE(raw.st_mode)
        """The twelve permission bits."""
        self._birth_ns = birth_ns

    def pack(self) -> bytes:
        """Return the status as bytes, to be held for long in a fifth of the memory."""
        raw = self.raw
        return marshal.dumps(
            (
                raw.st_mode,
                raw.st_ino,
                raw.st_dev,
                raw.st_nlink,
                raw.st_uid,
                raw.st_gid,
                raw.st_size,
                raw.st_atime_ns,
                raw.st_mtime_ns,
                raw.st_ctime_ns,
                self.birth_ns,
            )
        )

    @classmethod
    def unpack(cls, packed: bytes) -> Status:
        """Return the status that `pack` made bytes of."""
        *fields, birth_ns = marshal.loads(packed)
        return cls(CompactStat(*fields), birth_ns)

    @property
    def birth_ns(self) -> int | None:
        """The time of creation, or None. macOS reports it with every status."""
        birth_seconds = (
            getattr(self.raw, "st_birthtime", None)
            if self._birth_ns is None
            else None
        )
        return (
            self._birth_ns
            if birth_seconds is None
            else int(birth_seconds * 1_000_000_000)
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Status) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash(self.raw)

    def __repr__(self) -> str:
        return (
            f"Status({self.kind}, {self.device}:{self.inode}, "
            f"{self.size} bytes, {self.mode:04o})"
        )


def file_signature(path: bytes | None) -> tuple[int, ...] | None:
    """Return a value that changes when the file at an absolute path does, or None.

    None if nothing is there, or if the status may not be read.
    """
    try:
        status = os.stat(path or b"")
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
