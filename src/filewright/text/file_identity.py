"""The identity of a file at the moment it was opened."""

from __future__ import annotations

import os
from dataclasses import dataclass

from filewright.system.status import CompactStat


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """A file at the moment it was opened: device, inode, size and times."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @classmethod
    def of(cls, status: os.stat_result | CompactStat) -> FileIdentity:
        """Return the identity in a `stat` result."""
        return cls(
            status.st_dev,
            status.st_ino,
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        )
