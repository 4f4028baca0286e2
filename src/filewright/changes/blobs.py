"""Undo data too large for a record file: contents named by their SHA-256, and displaced files kept whole.

::

    blobs/ab/abcdef….z    zlib stream of a content; each content once, whatever number of changes need it;
                          its modification time is the number of the newest of them
    blobs/=ID-N           a large file that a change displaced, kept by a hard link: no copying
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import zlib
from collections.abc import Callable, Iterable, Iterator

from filewright import system
from filewright.changes.flushing import Flusher
from filewright.changes.identifiers import number_of
from filewright.changes.recordfile import RecordFile, TornError
from filewright.changes.state import StateFolder, write_all
from filewright.system import Folder

_BLOCK = 1 << 20
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class BlobStore:
    """Contents of one state folder; `added` counts the bytes that this object has put there."""

    def __init__(self, state: StateFolder, flusher: Flusher) -> None:
        self._state = state
        self._flusher = flusher
        self.added = 0

    def path(self, name: str) -> bytes:
        """Where a blob stands. Raises `TornError` for a name that cannot be one."""
        if name.startswith("="):
            if "/" in name or "\0" in name:
                raise TornError("not a blob's name")
            return self._state.at(b"blobs", name.encode())
        if len(name) != 64 or set(name) - set("0123456789abcdef"):
            raise TornError("not a blob's name")
        return self._state.at(b"blobs", name[:2].encode(), name.encode() + b".z")

    def save(self, blocks: Iterable[bytes | memoryview], number: int) -> str:
        """Keep a content, once, flushed, for the change with that number; returns its name."""
        folder = self._state.at(b"blobs")
        fresh = os.path.join(folder, b".new-" + secrets.token_hex(8).encode())
        digest = hashlib.sha256()
        packer = zlib.compressobj(1)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            position = 0
            for block in blocks:
                digest.update(block)
                packed = packer.compress(block)
                write_all(descriptor, packed, position)
                position += len(packed)
            write_all(descriptor, packer.flush(), position)
            name = digest.hexdigest()
            path = self.path(name)
            if not self._stamp(path, number):
                os.utime(descriptor, ns=(number, number))
                self._flusher.descriptor(descriptor)
                self._place(fresh, path)
                self.added += position
            return name
        finally:
            os.close(descriptor)
            if os.path.lexists(fresh):
                os.unlink(fresh)

    def _stamp(self, path: bytes, number: int) -> bool:
        """Note a newer change on a content that is there already; False if it is not."""
        try:
            descriptor = os.open(path, _READ)
        except FileNotFoundError:
            return False
        try:
            if os.fstat(descriptor).st_mtime_ns < number:
                os.utime(descriptor, ns=(number, number))
                self._flusher.descriptor(descriptor)
        finally:
            os.close(descriptor)
        return True

    def _place(self, fresh: bytes, path: bytes) -> None:
        folder = os.path.dirname(path)
        if not os.path.isdir(folder):
            os.mkdir(folder, 0o700)
            self._flusher.folder(os.path.dirname(folder))
        os.rename(fresh, path)
        self._flusher.folder(folder)

    def adopt(self, folder: Folder, name: bytes, blob: str) -> bool:
        """Keep a file as it is by a second name in the state folder; False where that cannot be done."""
        try:
            with system.open_folder(self._state.at(b"blobs")) as blobs:
                folder.link(name, blobs, blob.encode())
        except OSError as error:
            if error.errno in (errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.EOPNOTSUPP):
                return False
            raise
        self.added += os.lstat(self.path(blob)).st_size
        return True

    def flush_adopted(self) -> None:
        """Make adopted names durable."""
        self._flusher.folder(self._state.at(b"blobs"))

    def drop(self, name: str) -> None:
        """Remove a blob, if it is there."""
        try:
            os.unlink(self.path(name))
        except FileNotFoundError:
            pass  # Dropped already: before a crash, or by an earlier sweep.

    def blocks(self, name: str, file: RecordFile | None = None) -> Iterator[bytes]:
        """A content in blocks, from the record file's own sections or the store.

        A named content is checked against its name before the last block is given out. Raises
        `KeyError` if it is not kept, `TornError` if it is damaged.
        """
        if file is not None and "@" in name:
            yield file.content(name)
            return
        try:
            descriptor = os.open(self.path(name), _READ)
        except FileNotFoundError as error:
            raise KeyError(name) from error
        try:
            if name.startswith("="):
                yield from _raw(descriptor)
            else:
                yield from _unpacked(descriptor, name)
        finally:
            os.close(descriptor)

    def content(self, name: str, file: RecordFile | None = None) -> bytes:
        """A whole content in memory; for small ones."""
        return b"".join(self.blocks(name, file))

    def stamped(self) -> Iterator[tuple[str, int, int]]:
        """Every blob with the number of the newest change that needs it and the bytes it takes."""
        top = self._state.at(b"blobs")
        for name in sorted(os.listdir(top)):
            path = os.path.join(top, name)
            if name.startswith(b"="):
                number = number_of(name[1:].split(b"-")[0].decode("ascii", "replace"))
                yield os.fsdecode(name), number or 0, os.lstat(path).st_size
            elif len(name) == 2:
                for below in sorted(os.listdir(path)):
                    if below.endswith(b".z"):
                        status = os.lstat(os.path.join(path, below))
                        yield below.removesuffix(b".z").decode(), status.st_mtime_ns, status.st_size

    def sweep_unfinished(self, committed: Callable[[str], bool]) -> None:
        """Remove what a crash left while a change was being saved; needs the workspace lock.

        `committed` tells whether a change's id is one of a committed change.
        """
        top = self._state.at(b"blobs")
        for name in os.listdir(top):
            unfinished = name.startswith(b".new-")
            if name.startswith(b"="):
                unfinished = not committed(name[1:].split(b"-")[0].decode("ascii", "replace"))
            if unfinished:
                os.unlink(os.path.join(top, name))


def _raw(descriptor: int) -> Iterator[bytes]:
    offset = 0
    while block := os.pread(descriptor, _BLOCK, offset):
        offset += len(block)
        yield block


def _unpacked(descriptor: int, name: str) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    digest = hashlib.sha256()
    held = b""
    try:
        for packed in _raw(descriptor):
            data = packed
            while data:
                block = unpacker.decompress(data, _BLOCK)
                data = unpacker.unconsumed_tail
                if block:
                    digest.update(block)
                    if held:
                        yield held
                    held = block
                elif not data:
                    break
        rest = unpacker.flush()
        digest.update(rest)
    except zlib.error as error:
        raise TornError("a blob is damaged") from error
    if digest.hexdigest() != name:
        raise TornError("a blob is damaged")
    yield held + rest
