"""The status of one file, folder or link, as the system gives it."""

from __future__ import annotations

import os
import stat
from operator import attrgetter
from typing import Any, Literal

FileKind = Literal["file", "folder", "link", "fifo", "socket", "device"]
KINDS: dict[int, FileKind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "folder",
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


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
