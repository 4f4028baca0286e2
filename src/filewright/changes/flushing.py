"""The flushes of a change: each file and folder once, many side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filewright import system
from filewright.changes.open_folders import FolderId
from filewright.system import File, Folder

if TYPE_CHECKING:
    from filewright.changes.database import Flusher

MANY_HANDLES = 128
"""Above this count, flushing the whole file system costs less than each handle."""
_BATCH_HANDLES = 16


class FlushQueue:
    """Open files and folders to be flushed.

    A handle that is added is released once it is flushed, and so closed unless it is
    held elsewhere. Many are flushed by their file systems, where the operating system
    can.
    """

    def __init__(self, flusher: Flusher, *, is_long: bool = False) -> None:
        self._flusher = flusher
        self._by_file_system = is_long and system.capabilities.flush_file_system
        self.devices: set[int] = set()
        """Devices that are flushed as a whole, by the next `flush` at the latest."""
        self._identities: set[FolderId] = set()
        self._pending: list[File | Folder] = []

    def add(self, handle: File | Folder) -> None:
        """Flush a file or folder, by the next `flush` at the latest.

        Raise `OSError`.
        """
        if (
            len(self._identities) >= MANY_HANDLES
            and system.capabilities.flush_file_system
            and not self._by_file_system
        ):
            # Each handle that waits would otherwise flush its whole file system.
            self.flush()
            self._by_file_system = True
        identity = handle.status().identity
        device = identity[0]
        # Its bytes are flushed with the file system, or were flushed before.
        if device in self.devices or identity in self._identities:
            return
        self._identities.add(identity)
        self._pending.append(handle)
        if self._by_file_system:
            # One handle of each device is enough.
            self.devices.add(device)
        elif len(self._pending) >= _BATCH_HANDLES:
            self.flush()

    def flush(self) -> None:
        """Flush all that is pending. Raise `OSError`."""
        if self._by_file_system:
            for handle in self._pending:
                self._flusher.file_system(handle)
        else:
            self._flusher.all(self._pending)
        self._pending.clear()

    def close(self) -> None:
        """Close all that is pending, without a flush."""
        for handle in self._pending:
            handle.close()
