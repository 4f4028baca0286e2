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
from contextlib import suppress

import xxhash

from filewright.changes.flushing import Flusher
from filewright.changes.record import Side, number_of
from filewright.changes.recordfile import RecordFile, TornError
from filewright.changes.state import StateFolder
from filewright.system import BLOCK, File, Folder


class BlobStore:
    """Contents of one state folder; `added` counts the bytes that this object has put there."""

    def __init__(self, state: StateFolder, flusher: Flusher) -> None:
        self._state = state
        self._flusher = flusher
        self.added = 0

    def save(self, blocks: Iterable[bytes | memoryview], number: int) -> str:
        """Keep a content, once, flushed, for the change with that number; returns its name."""
        fresh = b".new-" + secrets.token_hex(8).encode()
        digest = hashlib.sha256()
        packer = zlib.compressobj(1)
        with self._state.folder(b"blobs") as top, top.create(fresh) as file:
            try:
                size = 0
                for block in blocks:
                    digest.update(block)
                    packed = packer.compress(block)
                    file.write(packed, size)
                    size += len(packed)
                packed = packer.flush()
                file.write(packed, size)
                size += len(packed)
                name = digest.hexdigest()
                if not self._stamp(name, number):
                    file.set_times(number, number)
                    self._flusher.one(file)
                    self._place(top, fresh, name)
                    self.added += size
                return name
            finally:
                with suppress(FileNotFoundError):  # It has its name.
                    top.remove(fresh)

    def _stamp(self, name: str, number: int) -> bool:
        """Note a newer change on a content that is there already; False if it is not."""
        try:
            file = self._open(name)
        except FileNotFoundError:
            return False
        with file:
            if file.status().mtime_ns < number:
                file.set_times(number, number)
                self._flusher.one(file)
        return True

    def _place(self, top: Folder, fresh: bytes, name: str) -> None:
        (folder,), file = _where(name)
        try:
            top.make(folder, 0o700)
            self._flusher.one(top)
        except FileExistsError:
            pass  # Other contents whose names begin the same are there.
        with top.folder(folder) as below:
            top.rename(fresh, below, file, "replace")
            self._flusher.one(below)

    def _open(self, name: str) -> File:
        """Raises `TornError` for a name that cannot be a blob's, `FileNotFoundError`."""
        folders, file = _where(name)
        with self._state.folder(b"blobs", *folders) as folder:
            return folder.open(file)

    def adopt(self, folder: Folder, name: bytes, blob: str) -> bool:
        """Keep a file as it is by a second name in the state folder; False where that cannot be done."""
        try:
            with self._state.folder(b"blobs") as blobs:
                folder.link(name, blobs, blob.encode())
                self.added += blobs.stat(blob.encode()).size
        except OSError as error:
            if error.errno in (errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.EOPNOTSUPP):
                return False
            raise
        return True

    def flush_adopted(self) -> None:
        """Make adopted names durable."""
        with self._state.folder(b"blobs") as blobs:
            self._flusher.one(blobs)

    def drop(self, name: str) -> None:
        """Remove a blob, if it is there."""
        folders, file = _where(name)
        # Dropped already: before a crash, or by an earlier sweep.
        with suppress(FileNotFoundError), self._state.folder(b"blobs", *folders) as folder:
            folder.remove(file)

    def blocks(self, name: str, file: RecordFile | None = None, side: Side | None = None) -> Iterator[bytes]:
        """A content in blocks, from the record file's own sections or the store.

        It is checked before the last block is given out: against its name, or, where a displaced file was kept
        as it was, against what is known of it (`side`). Raises `KeyError` if it is not kept, `TornError` if it
        is damaged.
        """
        if file is not None and "@" in name:
            yield file.content(name)
            return
        try:
            opened = self._open(name)
        except FileNotFoundError as error:
            raise KeyError(name) from error
        with opened:
            if not name.startswith("="):
                yield from _unpacked(opened, name)
            elif side is None:
                yield from _raw(opened)
            else:
                yield from _as_it_was(opened, side)

    def content(self, name: str, file: RecordFile | None = None) -> bytes:
        """A whole content in memory; for small ones."""
        return b"".join(self.blocks(name, file))

    def stamped(self) -> Iterator[tuple[str, int, int]]:
        """Every blob with the number of the newest change that needs it and the bytes it takes."""
        with self._state.folder(b"blobs") as top:
            for name in top.names():
                if name.startswith(b"="):
                    number = number_of(name[1:].split(b"-")[0].decode("ascii", "replace"))
                    yield os.fsdecode(name), number or 0, top.stat(name).size
                elif len(name) == 2:
                    with top.folder(name) as folder:
                        for file in folder.names():
                            if file.endswith(b".z"):
                                status = folder.stat(file)
                                yield file.removesuffix(b".z").decode(), status.mtime_ns, status.size

    def sweep_unfinished(self, committed: Callable[[str], bool]) -> None:
        """Remove what a crash left while a change was being saved; needs the workspace lock.

        `committed` tells whether a change's id is one of a committed change.
        """
        with self._state.folder(b"blobs") as top:
            for name in top.names():
                unfinished = name.startswith(b".new-")
                if name.startswith(b"="):
                    unfinished = not committed(name[1:].split(b"-")[0].decode("ascii", "replace"))
                if unfinished:
                    top.remove(name)


def _where(name: str) -> tuple[tuple[bytes, ...], bytes]:
    """The folders below `blobs` that lead to a blob, and its file's name. Raises `TornError` for no such name."""
    if name.startswith("=") and not set(name) & {"/", "\0"}:
        return (), name.encode()
    if len(name) != 64 or set(name) - set("0123456789abcdef"):
        raise TornError("not a blob's name")
    return (name[:2].encode(),), name.encode() + b".z"


def _raw(file: File) -> Iterator[bytes]:
    offset = 0
    while block := file.read(offset, BLOCK):
        offset += len(block)
        yield block


def _as_it_was(file: File, side: Side) -> Iterator[bytes]:
    """A displaced file; one that was too large to be hashed then is known by its size and time."""
    status = file.status()
    if status.size != side.size or (side.digest is None and status.mtime_ns != side.mtime_ns):
        raise TornError("a displaced file has been changed")
    digest = xxhash.xxh3_128()
    held = b""
    for block in _raw(file):
        digest.update(block)
        if held:
            yield held
        held = block
    if side.digest not in (None, digest.hexdigest()):
        raise TornError("a displaced file has been changed")
    yield held


def _unpacked(file: File, name: str) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    digest = hashlib.sha256()
    held = b""
    try:
        for packed in _raw(file):
            data = packed
            while data:
                block = unpacker.decompress(data, BLOCK)
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
