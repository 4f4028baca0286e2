"""Flushing to disk, many descriptors side by side: 100 flushes in turn cost thirty times as much."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

_THREADS = 16
MANY = 128
"""Above so many, one flush of the whole file system costs less than one for each."""


class Flusher:
    """`fsync` where flushing is on, nothing where `settings.flush` is off (to test the tests)."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled
        self.count = 0

    def one(self, descriptor: int) -> None:
        """Flush a file's content or a folder's entries."""
        if self.enabled:
            self.count += 1
            os.fsync(descriptor)

    def all(self, descriptors: Iterable[int]) -> None:
        """Flush several at once; the first error is raised after all have been tried."""
        pending: Sequence[int] = list(descriptors)
        if len(pending) <= 1:
            for descriptor in pending:
                self.one(descriptor)
            return
        threads = min(_THREADS, len(pending))
        with ThreadPoolExecutor(threads) as pool:
            results = [pool.submit(self._some, pending[start::threads]) for start in range(threads)]
        for result in results:
            result.result()

    def _some(self, descriptors: Sequence[int]) -> None:
        failed: OSError | None = None
        for descriptor in descriptors:
            try:
                self.one(descriptor)
            except OSError as error:
                failed = failed or error
        if failed is not None:
            raise failed

    def file_system(self, descriptor: int) -> None:
        """Flush everything on the file system that an open file or folder is on."""
        if self.enabled:
            self.count += 1
            syncfs(descriptor)

    def folder(self, path: bytes) -> None:
        """Flush the entries of the folder at an absolute path of the state folder."""
        if not self.enabled:
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self.one(descriptor)
        finally:
            os.close(descriptor)


_libc = ctypes.CDLL(None, use_errno=True)
_WRITE = 2  # SYNC_FILE_RANGE_WRITE: begin, and wait for nothing


def syncfs(descriptor: int) -> None:
    """Flush the file system of an open descriptor; everything, where there is no such call."""
    call = getattr(_libc, "syncfs", None)
    if call is None:
        os.sync()
    elif call(descriptor) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def start_writeback(descriptor: int, offset: int, length: int) -> None:
    """Let the disk begin with a part of a file; a hint, which says nothing of what is on the disk."""
    call = getattr(_libc, "sync_file_range", None)
    if call is not None:
        call(descriptor, ctypes.c_int64(offset), ctypes.c_int64(length), _WRITE)
