"""What undo keeps: every content once, by what it holds; and what a changed file held before and after.

Small ones are in the database. Larger ones are files of their own::

    contents/abcdef…    zlib stream of the content with that SHA-256
    contents/=ID-N      a large file that a change displaced, kept by a hard link: no copying
"""

from __future__ import annotations

import errno
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import xxhash

from filewright.changes.content import Flusher
from filewright.changes.database import Database, Execute
from filewright.changes.record import ChangeRecord, Entry, Span, Stamp, id_of
from filewright.changes.state import StateFolder
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.settings import KB
from filewright.system import BLOCK, File, Folder

if TYPE_CHECKING:
    from filewright.text import Splice, Splices

_IN_DATABASE = 64 * KB
_TINY = 64
"""Bytes that take longer to compress than to write."""
_FOLDER = b"contents"
_CANNOT_LINK = (errno.EXDEV, errno.EPERM, errno.EACCES, errno.EMLINK, errno.EOPNOTSUPP)


class Keeping:
    """What one operation keeps, in its transaction of the log, given as `execute`."""

    def __init__(self, store: ContentStore, execute: Execute, number: int) -> None:
        self.execute = execute
        self.number = number
        self._store = store
        self._fresh: list[tuple[File, bytes, str]] = []
        self._adopted = 0

    def keep(self, content: bytes) -> str:
        """Keep a content, once; returns its name."""
        digest = hashlib.sha256(content).hexdigest()
        if not self._is_kept(digest):
            packed = zlib.compress(content, 1) if len(content) > _TINY else content
            smaller = len(packed) < len(content)
            packed = packed if smaller else content
            if len(packed) > _IN_DATABASE:
                return self.keep_blocks([content])
            self._add(digest, len(packed), packed, packed=smaller)
        return digest

    def keep_blocks(self, blocks: Iterable[bytes | memoryview]) -> str:
        """The same of a large one, in a file of its own that is flushed by `flush`."""
        state, packer = hashlib.sha256(), zlib.compressobj(1)
        fresh = b".new-" + os.urandom(8).hex().encode()
        with self._store.folder() as folder:
            file = folder.create(fresh)
        size = 0
        try:
            for block in blocks:
                state.update(block)
                packed = packer.compress(block)
                file.write(packed, size)
                size += len(packed)
            packed = packer.flush()
            file.write(packed, size)
        except BaseException:
            file.close()
            raise
        digest = state.hexdigest()
        self._fresh.append((file, fresh, digest))
        if not self._is_kept(digest):
            self._add(digest, size + len(packed), None, packed=True)
        return digest

    def adopt(self, folder: Folder, name: bytes, size: int) -> str | None:
        """Keep a file as it is by a second name in the state folder; None where that cannot be done."""
        self._adopted += 1
        kept = f"={id_of(self.number)}-{self._adopted}"
        try:
            with self._store.folder() as contents:
                folder.link(name, contents, kept.encode())
        except OSError as error:
            if error.errno in _CANNOT_LINK:
                return None
            raise
        self._add(kept, size, None, packed=False)
        return kept

    def flush(self) -> None:
        """Bring what is in files to the disk, before an intent that needs them is."""
        if self._fresh or self._adopted:
            self._store.flush(self._fresh)
            self._fresh = []

    def drop(self) -> None:
        """The operation never came about: files have no second name, and what was written is gone."""
        for file, _, _ in self._fresh:
            file.close()
        self._store.drop_adopted(self.number)

    def _is_kept(self, key: str) -> bool:
        needed = self.execute(
            "UPDATE contents SET operation = max(operation, ?) WHERE name = ?", (self.number, key)
        )
        return needed.rowcount > 0

    def _add(self, key: str, size: int, data: bytes | None, *, packed: bool) -> None:
        self.execute("INSERT INTO contents VALUES (?,?,?,?,?)", (key, self.number, size, packed, data))
        if data is None:
            self.execute("UPDATE usage SET bytes = bytes + ?", (size,))


class ContentStore:
    """The contents of one state folder."""

    def __init__(self, database: Database, state: StateFolder, flusher: Flusher) -> None:
        self._database = database
        self._state = state
        self._flusher = flusher
        self._swept: int | None = None

    def folder(self) -> Folder:
        """That in which the files are."""
        return self._state.folder(_FOLDER)

    def flush(self, fresh: Sequence[tuple[File, bytes, str]]) -> None:
        """Bring new files to the disk, by the names of what they hold, with all names of adopted ones."""
        with self.folder() as folder:
            self._flusher.all([file for file, _, _ in fresh])
            for file, name, digest in fresh:
                file.close()
                folder.rename(name, folder, digest.encode(), "replace")
            self._flusher.one(folder)
            self._swept = folder.status().mtime_ns  # Nobody else changes it while we have the lock.

    # Reading

    def blocks(self, name: str, side: Stamp | None = None) -> Iterator[bytes]:
        """A content in blocks.

        It is checked before the last block is given out: against its name, or, where a displaced file was kept
        as it was, against what is known of it (`side`).

        Raises `KeyError` if it is not kept, `ValueError` if it is damaged, `OSError`.
        """
        rows = self._database.read("SELECT packed, data FROM contents WHERE name = ?", name)
        if not rows:
            raise KeyError(name)
        packed, data = rows[0]
        if data is not None:
            content = zlib.decompress(data) if packed else data
            if hashlib.sha256(content).hexdigest() != name:
                raise ValueError("a content is damaged")
            yield content
            return
        try:
            with self.folder() as folder:
                opened = folder.open(name.encode())
        except FileNotFoundError as error:
            raise KeyError(name) from error
        with opened:
            if packed:
                yield from _checked(_unpacked(opened), hashlib.sha256(), name)
            else:
                status = opened.status()
                # One that was too large to be hashed is known by its size and time.
                if side is not None and (
                    status.size != side.size or (side.digest is None and status.mtime_ns != side.mtime_ns)
                ):
                    raise ValueError("a displaced file has been changed")
                yield from _checked(_raw(opened), xxhash.xxh3_128(), side.digest if side else None)

    # Dropping

    def drop_adopted(self, number: int) -> None:
        """Files that an operation adopted have their one name again, and what was being written is gone."""
        begin = f"={id_of(number)}-".encode()
        with suppress(FileNotFoundError), self.folder() as folder:
            for name in folder.names():
                if name.startswith((begin, b".new-")):
                    folder.remove(name)

    def drop_before(self, execute: Execute) -> tuple[list[bytes], bool]:
        """Drop some contents that only operations needed which have been dropped.

        Returns the names of their files, and whether there were any.
        """
        rows = execute(
            "SELECT rowid, name, size, data IS NULL FROM contents "
            "WHERE operation < (SELECT min(number) FROM operations) LIMIT 500"
        ).fetchall()
        files = []
        for row, name, size, in_file in rows:
            execute("DELETE FROM contents WHERE rowid = ?", (row,))
            if in_file:
                execute("UPDATE usage SET bytes = bytes - ?", (size,))
                files.append(name.encode())
        return files, bool(rows)

    def remove(self, files: Sequence[bytes]) -> None:
        """Remove files that were dropped."""
        if files:
            with self.folder() as folder:
                for name in files:
                    with suppress(FileNotFoundError):  # Somebody was faster.
                        folder.remove(name)

    def sweep(self) -> None:
        """Remove files that no operation needs, if there may be new ones: a crash left them. Needs the workspace lock.

        A second name of a file would keep that from being replaced.
        """
        try:
            with self.folder() as folder:
                now = folder.status().mtime_ns
                if now == self._swept:
                    return
                names = folder.names()
        except FileNotFoundError:
            return
        self._swept = now
        rows = self._database.read(
            "SELECT name FROM contents INDEXED BY contents_in_files WHERE data IS NULL"
        )
        known = {name.encode() for (name,) in rows}
        self.remove([name for name in names if name not in known])


def _raw(file: File) -> Iterator[bytes]:
    offset = 0
    while block := file.read(offset, BLOCK):
        offset += len(block)
        yield block


def _unpacked(file: File) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    for packed in _raw(file):
        data = packed
        while data:
            yield unpacker.decompress(data, BLOCK)
            data = unpacker.unconsumed_tail
    yield unpacker.flush()


def _checked(
    blocks: Iterable[bytes], state: hashlib._Hash | xxhash.xxh3_128, digest: str | None
) -> Iterator[bytes]:
    """The blocks, the last one once all are known to be what they should."""
    held = b""
    for block in filter(None, blocks):
        if held:
            yield held
        state.update(block)
        held = block
    if digest is not None and state.hexdigest() != digest:
        raise ValueError("a content is damaged")
    yield held


# What a record says of them


@dataclass(frozen=True, slots=True)
class Kept:
    """A content that history keeps for a change, as a stream. Raises `io_error` if it is gone or damaged."""

    contents: ContentStore
    change_id: str
    name: str
    size: int
    side: Stamp | None = None

    def blocks(self) -> Iterator[bytes]:
        """The bytes from the start."""
        try:
            yield from self.contents.blocks(self.name, self.side)
        except (KeyError, ValueError, zlib.error) as error:
            state = "gone" if isinstance(error, KeyError) else "damaged"
            raise FilewrightError(
                Code.IO_ERROR,
                f"the undo data of the change {self.change_id} is {state}",
                "this change can no longer be undone",
                change_id=self.change_id,
            ) from error
        except OSError as error:
            # Too many open files, say: that tells nothing of what was kept.
            raise from_os_error(
                error, f"the undo data of the change {self.change_id}", doing="read"
            ) from error

    def read(self) -> bytes:
        """All of it; for small ones."""
        return b"".join(self.blocks())


Keeper = Callable[[str], tuple[ContentStore, str]]
"""By whom a content is kept: the store, and the id of the change. Raises `KeyError` if by nobody."""


class Contents:
    """The contents that are kept for one record; `small` bounds what is ever put together in memory."""

    def __init__(self, keeper: Keeper, record: ChangeRecord, *, small: int) -> None:
        self.keeper = keeper
        self.record = record
        self.small = small

    def narrowed(self, entries: Sequence[Entry]) -> Contents:
        """The same of some of the entries only."""
        return Contents(self.keeper, replace(self.record, entries=entries), small=self.small)

    def _kept(self, name: str, size: int, side: Stamp | None = None) -> Kept:
        return Kept(*self.keeper(name), name, size, side)

    def stream(self, side: Stamp) -> Kept | None:
        """A side's whole content, if it was kept whole."""
        return None if side.blob is None else self._kept(side.blob, side.size, side)

    def before(self, entry: Entry, held: bytes | None = None) -> bytes | None:
        """What the file held before, if that is small and follows from what was kept, or from what it `held` after."""
        side = entry.before
        if side is None or side.kind != "file" or side.size > self.small:
            return None
        for edit in reversed(entry.changes):  # Perhaps only what the last of them found was kept whole.
            stream = self.stream(edit.before) if edit.before is not None else None
            if stream is not None and stream.size <= self.small:
                held = stream.read()
            elif held is not None:
                splices = self.backward(edit)
                held = _spliced(held, splices) if splices is not None else None
        return held

    def after(self, entry: Entry) -> bytes | None:
        """What the file held after, if that follows from what was kept and is small."""
        side = entry.after
        if side is None or side.kind != "file" or side.size > self.small:
            return None
        stream = self.stream(side)
        if stream is not None:
            return stream.read()
        if len(edits := entry.changes) > 1:
            return self.after(edits[-1])
        if entry.before is not None and entry.before.digest == side.digest:
            return self.before(entry)
        before = self.before(entry)
        splices = self.forward(entry)
        if before is None or splices is None:
            return None
        after = _spliced(before, splices)
        return after if xxhash.xxh3_128_hexdigest(after) == side.digest else None

    def forward(self, entry: Entry, most: int | None = None) -> Sequence[Splice] | None:
        """The splices that were made, or the first of them, if the change was an edit."""
        if not entry.spans or entry.inserted is None:
            return None
        inserted = self._kept(entry.inserted, sum(span.new for span in entry.spans)).read()
        return _splices(islice(entry.spans, most), inserted)

    def backward(self, entry: Entry, most: int | None = None) -> Sequence[Splice] | None:
        """The splices that turn the file after into the file before, or the first of them, if it was an edit."""
        if not entry.spans:
            return None
        if entry.removed is not None:
            removed = self._kept(entry.removed, sum(span.old for span in entry.spans)).read()
        elif (before := self.before(entry)) is not None:
            removed = b"".join(before[s.offset : s.offset + s.old] for s in islice(entry.spans, most))
        else:
            return None
        return _splices(_turned(islice(entry.spans, most)), removed)


def _splices(spans: Iterable[Span], replacements: bytes) -> Splices:
    from filewright.text import Splices  # Of what a command of a shell did there are none.

    return Splices(spans, replacements)


def _spliced(content: bytes, splices: Sequence[Splice]) -> bytes:
    from filewright.text import apply

    return apply(content, splices)


def _turned(spans: Iterable[Span]) -> Iterator[Span]:
    """Where the spans are afterwards, how long they are there, and how long they were before."""
    shift = 0
    for offset, old, new in spans:
        yield Span(offset + shift, new, old)
        shift += new - old
