"""Flushing to disk, counted; nothing where `settings.flush` is off."""

from __future__ import annotations

from collections.abc import Sequence

from filewright import system
from filewright.system import File, Folder

MANY = 128
"""Above so many, one flush of the whole file system costs less than one for each."""


class Flusher:
    """Flushes where flushing is on (it is switched off to test the tests of power cuts)."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled
        self.count = 0

    def all(self, handles: Sequence[File | Folder]) -> None:
        """Flush files' contents and folders' entries, side by side; all are tried, the first error is raised."""
        if self.enabled:
            self.count += len(handles)
            system.flush_all(handles)

    def one(self, handle: File | Folder) -> None:
        """Flush a file's content or a folder's entries."""
        self.all((handle,))

    def file_system(self, handle: File | Folder) -> None:
        """Flush everything on the file system of an open file or folder, where the system can."""
        if self.enabled:
            self.count += handle.flush_file_system()
