"""Contents as streams: those that files are to hold, and those stored for undo.

No stream needs a whole file in memory. Undo stores every content once, by its digest:
small ones in the database, larger ones in files of their own::

    contents/abcdef…    zlib stream of the content with that SHA-256
    contents/=ID-N      a large file that a change displaced, kept by a hard link
"""

from __future__ import annotations

import codecs
import errno
import hashlib
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, NamedTuple

import xxhash

from filewright.changes.database import Database, Execute, Flusher
from filewright.changes.model import (
    FileChange,
    FileState,
    Span,
    format_change_id,
    unpack_spans,
)
from filewright.changes.state_dir import StateFolder
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.settings import KB
from filewright.system import BLOCK_BYTES, File, Folder

if TYPE_CHECKING:
    from filewright.edit.changeset import ContentStream
    from filewright.text.splice import Splice

_CONTENTS_FOLDER = b"contents"
_LINKED_PREFIX = "="
"""The start of the names of displaced files that were linked."""
_MAX_DATABASE_BYTES = 64 * KB
_MIN_COMPRESSED_BYTES = 64
"""Bytes that take longer to compress than to write."""
_MAX_OPEN_FILES = 16
"""Files that are held open until they are flushed together."""
_DELETED_AT_ONCE = 100
"""Contents that are dropped at a time: removing their files takes a while."""
_LINK_ERRORS = (
    errno.EXDEV,
    errno.EPERM,
    errno.EACCES,
    errno.EMLINK,
    errno.EOPNOTSUPP,
)


Block = bytes | memoryview
"""Part of a content; valid until the next one."""


# Contents of files


class MemoryContent(NamedTuple):
    """A content in memory."""

    data: bytes

    @property
    def size(self) -> int:
        """The count of bytes."""
        return len(self.data)

    def blocks(self) -> Iterator[Block]:
        """Yield the bytes in views of at most a block."""
        view = memoryview(self.data)
        for start in range(0, len(view), BLOCK_BYTES):
            yield view[start : start + BLOCK_BYTES]


class SplicedContent:
    """Another content with splices applied while it is read.

    `codec` is the encoding of the content before. It was guessed from samples when the
    replacements were encoded: `blocks` raises `unencodable` if the guess was wrong.
    """

    __slots__ = ("base", "codec", "display_path", "size", "splices")

    def __init__(
        self,
        base: ContentStream,
        splices: Sequence[Splice],
        codec: str | None = None,
        display_path: str = "",
    ) -> None:
        self.base = base
        self.splices = splices
        self.codec = codec
        self.display_path = display_path
        self.size = base.size
        for splice in splices:
            self.size += len(splice.replacement) - splice.length

    def blocks(
        self, tap: Callable[[Block], None] | None = None
    ) -> Iterator[Block]:
        """Yield the bytes; `tap` is called with every block of the content before."""
        blocks = self.base.blocks()
        if tap is not None:
            blocks = tap_blocks(blocks, tap)
        if self.codec:
            blocks = _check_encoding(blocks, self.codec, self.display_path)
        # `position` is the start of the block. `cursor` is the end of the last splice,
        # which may lie some blocks ahead.
        position = cursor = 0
        remaining = iter(self.splices)
        splice = next(remaining, None)
        for block in blocks:
            view = memoryview(block)
            end = position + len(view)
            while splice is not None and splice.offset < end:
                if splice.offset > cursor:
                    yield view[cursor - position : splice.offset - position]
                if splice.replacement:
                    yield splice.replacement
                cursor = splice.end
                splice = next(remaining, None)
            if cursor < end:
                yield view[cursor - position :]
                cursor = end
            position = end
        # What is inserted at the very end starts in no block.
        while splice is not None:
            if splice.replacement:
                yield splice.replacement
            splice = next(remaining, None)


def tap_blocks(
    blocks: Iterable[Block], tap: Callable[[Block], None]
) -> Iterator[Block]:
    """Yield blocks unchanged, after calling `tap` with each."""
    for block in blocks:
        tap(block)
        yield block


def _check_encoding(
    blocks: Iterable[Block], codec: str, display_path: str
) -> Iterator[Block]:
    """Yield blocks unchanged. Raise `unencodable` if `codec` does not decode them."""
    decoder = codecs.getincrementaldecoder(codec)()
    try:
        for block in blocks:
            decoder.decode(bytes(block))
            yield block
        decoder.decode(b"", True)
    except UnicodeDecodeError as error:
        raise FilewrightError(
            Code.UNENCODABLE,
            f"{display_path} is {codec} at its beginning and end, but not "
            "throughout",
            hint="give the file's encoding, or use only ASCII in the "
            "replacement",
            details={"path": display_path, "encoding": codec},
        ) from error


def compute_digest(
    content: File | ContentStream, *, size: int | None = None
) -> str:
    """Return the xxh3_128 of a content, or of its first `size` bytes, in hex."""
    hasher = xxhash.xxh3_128()
    for block in content.blocks():
        hasher.update(block if size is None else block[:size])
        if size is not None:
            size = max(0, size - len(block))
            if not size:
                break
    return hasher.hexdigest()


class DiskContent(NamedTuple):
    """The content of a file on the disk; `opener` opens it for each reading."""

    opener: Callable[[], File]
    size: int

    def blocks(self) -> Iterator[Block]:
        """Yield the bytes up to the end of the file, whatever its size is now."""
        with self.opener() as file:
            yield from file.blocks()


def copy_blocks(file: File, fresh: File) -> None:
    """Write the content of a file into a new one, and flush it."""
    offset = 0
    for block in file.blocks():
        fresh.write(block, offset)
        offset += len(block)
    fresh.flush()


# The store


class BlobWriter:
    """Stores the contents of one operation, in the transaction of its intent."""

    def __init__(self, store: BlobStore, execute: Execute, number: int) -> None:
        self.number = number
        self._execute = execute
        self._store = store
        self._files: list[File] = []
        self._names: dict[str, bytes] = {}
        self._last_name = ""
        self.file_count = 0
        """The number of these contents that are in files."""

    def store(self, content: bytes) -> str:
        """Store a content once and return its name; replace a damaged one."""
        digest = hashlib.sha256(content).hexdigest()
        if digest == self._last_name:
            # A replacement is the same in each of a hundred thousand files.
            return self._last_name
        self._last_name = digest
        if self._holds(digest):
            # The content stays as long as the newest operation that needs it.
            needed = "UPDATE contents SET operation = max(operation, ?) WHERE name = ?"
            self._execute(needed, (self.number, digest))
            return digest
        packed = (
            zlib.compress(content, 1)
            if len(content) > _MIN_COMPRESSED_BYTES
            else content
        )
        # Random bytes are larger when they are compressed.
        data = min(content, packed, key=len)
        if len(data) > _MAX_DATABASE_BYTES:
            # In a file even random bytes are packed: an unpacked file is checked as
            # a displaced one, against a file state and not by its name.
            return self._write([packed], lambda: digest)
        self._add(digest, len(data), data, packed=data is not content)
        return digest

    def store_blocks(self, blocks: Iterable[bytes | memoryview]) -> str:
        """Store a large content in a file of its own, and return its name."""
        hasher, packer = hashlib.sha256(), zlib.compressobj(1)

        def pieces() -> Iterator[bytes]:
            for block in blocks:
                hasher.update(block)
                yield packer.compress(block)
            yield packer.flush()

        return self._write(pieces(), hasher.hexdigest)

    def _holds(self, name: str) -> bool:
        """Return True if a content is stored and sound; drop it if it is damaged."""
        if name in self._names:
            return True
        rows = self._execute(
            "SELECT packed, CAST(data AS BLOB) FROM contents WHERE name = ?",
            (name,),
        ).fetchall()
        if not rows:
            return False
        try:
            # Read to its end: an undo must not rely on a damaged content.
            for _ in self._store.blocks(name, None, *rows[0]):
                pass
        except (FileNotFoundError, ValueError, TypeError, zlib.error):
            pass
        else:
            return True
        self._execute("DELETE FROM contents WHERE name = ?", (name,))
        return False

    def _write(
        self, pieces: Iterable[bytes], get_name: Callable[[], str]
    ) -> str:
        """Write a file whose name is known at its end; `flush` gives it that name."""
        temporary_name, size = b".new-" + os.urandom(8).hex().encode(), 0
        with self._store.state.folder(_CONTENTS_FOLDER) as folder:
            file = folder.create(temporary_name)
        self._files.append(file)
        for piece in pieces:
            file.write(piece, size)
            size += len(piece)
        digest = get_name()
        self._names[digest] = temporary_name
        self._add(digest, size, None, packed=True)
        if len(self._files) == _MAX_OPEN_FILES:
            self._close()
        return digest

    def _close(self) -> None:
        """Flush what was written, and close the files."""
        self._store.flusher.all(self._files)
        while self._files:
            self._files.pop().close()

    def link_file(self, folder: Folder, name: bytes, size: int) -> str | None:
        """Keep a file by a second name in the state folder, or return None."""
        number = f"{format_change_id(self.number)}-{self.file_count + 1}"
        linked_name = _LINKED_PREFIX + number
        try:
            with self._store.state.folder(_CONTENTS_FOLDER) as contents:
                folder.link(name, contents, linked_name.encode())
        except OSError as error:
            if error.errno in _LINK_ERRORS:
                return None
            raise
        self._add(linked_name, size, None, packed=False)
        return linked_name

    def _add(
        self, name: str, size: int, data: bytes | None, *, packed: bool
    ) -> None:
        self.file_count += data is None
        self._execute(
            "INSERT INTO contents VALUES (?,?,?,?,?) ON CONFLICT (name) DO UPDATE SET "
            "operation = max(operation, excluded.operation), size = excluded.size, packed = excluded.packed, "
            "data = excluded.data",
            (name, self.number, size, packed, data),
        )

    def flush(self) -> None:
        """Flush the contents in files, and give them their names.

        The intent that needs them is flushed after.
        """
        self._close()
        with self._store.state.folder(_CONTENTS_FOLDER) as folder:
            # Only now, since a crash must not leave a part of a content under the
            # name of the whole.
            for digest, fresh in self._names.items():
                folder.rename(fresh, folder, digest.encode(), "replace")
            self._store.flusher.one(folder)
            # No other process changes the folder while we hold the workspace lock, so
            # there are no orphans to look for.
            self._store.swept_at_ns = folder.status().mtime_ns

    def discard(self) -> None:
        """Remove the files of an operation that was never written."""
        for file in self._files:
            file.close()
        self._store.remove_unfinished(self.number)


class BlobStore:
    """The stored contents of one state folder."""

    def __init__(
        self, database: Database, state: StateFolder, flusher: Flusher
    ) -> None:
        self.database = database
        self.flusher = flusher
        self.swept_at_ns = 0
        """The folder's modification time when it had no orphans; 0 before a sweep."""
        self.state = state

    def blocks(
        self,
        name: str,
        file_state: FileState | None,
        packed: object,
        data: bytes | None,
    ) -> Iterator[bytes]:
        """Yield a content by the columns of its row, and check it.

        A displaced file is checked against its state, every other content against its
        name. Raise `ValueError`, `zlib.error` or `FileNotFoundError` if it is damaged
        or gone, and `OSError`.
        """
        hasher: hashlib._Hash | xxhash.xxh3_128 = hashlib.sha256()
        digest: str | None = name
        with ExitStack() as opened:
            blocks: Iterable[bytes] = [data] if data is not None else []
            if data is None:
                folder = opened.enter_context(
                    self.state.folder(_CONTENTS_FOLDER)
                )
                file = opened.enter_context(folder.open(name.encode()))
                blocks = file.blocks()
                if not packed and file_state is not None:
                    status = file.status()
                    hasher, digest = xxhash.xxh3_128(), file_state.digest
                    # A file that was too large to be hashed is known by its size and
                    # time.
                    if status.size != file_state.size or (
                        not digest and status.mtime_ns != file_state.mtime_ns
                    ):
                        raise ValueError(
                            "a replaced file has been changed since"
                        )
            for block in _decompress(blocks) if packed else blocks:
                hasher.update(block)
                yield block
        if digest is not None and hasher.hexdigest() != digest:
            raise ValueError("stored content is damaged")

    def remove_unfinished(self, number: int) -> None:
        """Remove the files of an operation that was rolled back, and partial files.

        A file that was linked has its one name again.
        """
        begin = f"={format_change_id(number)}-".encode()
        with (
            suppress(FileNotFoundError),
            self.state.folder(_CONTENTS_FOLDER) as folder,
        ):
            self.remove_files(
                name
                for name in folder.names()
                if name.startswith((begin, b".new-"))
            )

    def delete_unneeded(self, execute: Execute) -> tuple[list[bytes], bool]:
        """Delete some contents that only dropped operations needed.

        Return the names of their files, and whether there were any.
        """
        rows = execute(
            "SELECT name, data IS NULL FROM contents "
            f"WHERE operation < (SELECT min(number) FROM operations) LIMIT {_DELETED_AT_ONCE}"
        ).fetchall()
        for name, _ in rows:
            execute("DELETE FROM contents WHERE name = ?", (name,))
        return [name.encode() for name, in_file in rows if in_file], bool(rows)

    def remove_files(self, files: Iterable[bytes]) -> None:
        """Remove files of contents that were deleted."""
        with self.state.folder(_CONTENTS_FOLDER) as folder:
            for name in files:
                # Another process may remove the same files.
                with suppress(FileNotFoundError):
                    folder.remove(name)

    def remove_orphans(self) -> None:
        """Remove files that a crash left and no operation needs.

        Needs the workspace lock. A file with a second name here could not be replaced
        without breaking a hard link.
        """
        with suppress(FileNotFoundError):
            with self.state.folder(_CONTENTS_FOLDER) as folder:
                self.swept_at_ns, names = (
                    folder.status().mtime_ns,
                    folder.names(),
                )
            rows = self.database.read(
                "SELECT name FROM contents WHERE data IS NULL"
            )
            needed = {str(name).encode() for (name,) in rows}
            self.remove_files({*names}.difference(needed))

    def total_file_bytes(self) -> int:
        """Return the bytes that all contents in files take."""
        total = 0
        with (
            suppress(FileNotFoundError),
            self.state.folder(_CONTENTS_FOLDER) as folder,
        ):
            for name in folder.names():
                with suppress(FileNotFoundError):
                    total += folder.stat(name).size
        return total


class StoredContent(NamedTuple):
    """A stored content of a change, as a stream. Every stored content is read by this.

    `size` is that of the file whose whole content it is, 0 for bytes that an edit
    removed or inserted. `state` is that of a displaced file that was linked. Reading
    checks the content, and raises `io_error` if it is gone or damaged.
    """

    blobs: BlobSource | None
    name: str
    size: int = 0
    state: FileState | None = None

    @classmethod
    def of_state(
        cls, blobs: BlobSource | None, state: FileState
    ) -> StoredContent:
        """Return the whole content of a file in a state that is stored."""
        assert state.blob is not None
        # Other contents are checked by their names. Without their states, an undo of
        # 100,000 files needs less memory.
        is_linked = state.blob.startswith(_LINKED_PREFIX)
        return cls(blobs, state.blob, state.size, state if is_linked else None)

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes."""
        assert self.blobs is not None
        store, change_id, _ = self.blobs
        description = f"the undo data of the change {change_id}"
        try:
            rows = store.database.read(
                "SELECT packed, CAST(data AS BLOB) FROM contents WHERE name = ?",
                self.name,
            )
            if not rows:
                raise FileNotFoundError(self.name)
            yield from store.blocks(self.name, self.state, *rows[0])
        except (FileNotFoundError, ValueError, TypeError, zlib.error) as error:
            raise FilewrightError(
                Code.IO_ERROR,
                f"{description} is {'gone' if isinstance(error, FileNotFoundError) else 'damaged'}",
                "this change can no longer be undone",
                change_id=change_id,
            ) from error
        except OSError as error:
            # Too many open files, for example: the content itself may be sound.
            raise from_os_error(error, description, doing="read") from error

    def read(self) -> bytes:
        """Return all of it; for small contents."""
        return b"".join(self.blocks())


def _decompress(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a zlib stream, in blocks."""
    unpacker = zlib.decompressobj()
    for block in blocks:
        data = block
        while data:
            yield unpacker.decompress(data, BLOCK_BYTES)
            data = unpacker.unconsumed_tail
    yield unpacker.flush()


# The contents of a file change


class BlobSource(NamedTuple):
    """The store of a change's contents, with a limit for content in memory."""

    store: BlobStore
    change_id: str
    max_memory_bytes: int


def list_stored_contents(change: FileChange) -> Iterator[StoredContent]:
    """Yield all contents that are stored for a file change."""
    for state in (change.before, change.after):
        if state is not None and state.blob:
            yield StoredContent.of_state(change.blobs, state)
    for name in (change.removed, change.inserted):
        if name is not None:
            yield StoredContent(change.blobs, name)


def stored_content_before(change: FileChange) -> StoredContent | None:
    """Return the content before a change, if it was stored whole."""
    state = change.before
    return (
        StoredContent.of_state(change.blobs, state)
        if state is not None and state.blob
        else None
    )


def _is_small(change: FileChange, state: FileState | None) -> bool:
    """Return True if the content of a state may be built in memory."""
    blobs = change.blobs
    return (
        state is not None
        and state.kind == "file"
        and blobs is not None
        and state.size <= blobs.max_memory_bytes
    )


def is_whole_content_stored(edit: FileChange) -> bool:
    """Return True if the content before an edit does not depend on another edit."""
    state = edit.before
    return state is None or (state.blob is not None and _is_small(edit, state))


def content_before(
    change: FileChange, content: bytes | None = None
) -> bytes | None:
    """Return the content before a change, if it is small and can be built.

    `content` is the content after it, if that is known.
    """
    if not _is_small(change, change.before):
        return None
    # Perhaps only the content before a later edit was stored whole: go back from there.
    for edit in reversed(change.edits or (change,)):
        state = edit.before
        if state is not None and state.blob and _is_small(edit, state):
            content = StoredContent.of_state(edit.blobs, state).read()
        elif content is not None:
            content = _apply_if_known(content, backward_splices(edit))
    return content


def content_after(change: FileChange) -> bytes | None:
    """Return the content after a change, if it is small and can be built."""
    last_edit, state = change.content_edits[-1], change.after
    if state is None or not _is_small(change, state):
        return None
    if state.blob is not None:
        return StoredContent.of_state(last_edit.blobs, state).read()
    if last_edit is not change:
        return content_after(last_edit)
    before = content_before(change)
    if change.before is not None and change.before.digest == state.digest:
        return before
    # The splices fit one content only. The digest shows whether the content
    # before, which was itself worked out, is that one.
    after = (
        _apply_if_known(before, forward_splices(change))
        if before is not None
        else None
    )
    return (
        after
        if after is not None
        and xxhash.xxh3_128_hexdigest(after) == state.digest
        else None
    )


def forward_splices(
    change: FileChange, limit: int | None = None
) -> Sequence[Splice] | None:
    """Return the splices of an edit, or the first `limit`; None for another change."""
    if change.inserted is None:
        return None
    from filewright.text.splice import PackedSplices

    return PackedSplices(
        unpack_spans(change.packed_spans, limit),
        StoredContent(change.blobs, change.inserted).read(),
    )


def backward_splices(
    change: FileChange, limit: int | None = None
) -> Sequence[Splice] | None:
    """Return the splices that undo an edit, or the first `limit` of them.

    Return None for a change that is no edit, or if its removed bytes are not known.
    """
    if not change.packed_spans:
        return None
    if change.removed is not None:
        removed = StoredContent(change.blobs, change.removed).read()
    elif (before := content_before(change)) is not None:
        removed = b"".join(
            before[offset : offset + removed_bytes]
            for offset, removed_bytes, _ in unpack_spans(
                change.packed_spans, limit
            )
        )
    elif (stored := stored_content_before(change)) is not None:
        cut_bytes = _cut_spans(
            stored, [*unpack_spans(change.packed_spans, limit)]
        )
        if cut_bytes is None:
            return None
        removed = cut_bytes
    else:
        return None
    from filewright.text.splice import PackedSplices

    return PackedSplices(
        _invert_spans(unpack_spans(change.packed_spans, limit)), removed
    )


def _cut_spans(stored: StoredContent, spans: Sequence[Span]) -> bytes | None:
    """Return the bytes that spans remove from a content, which is read block by block.

    Return None if they are more than memory may hold.
    """
    assert stored.blobs is not None
    removed_bytes = sum(span.removed_bytes for span in spans)
    if removed_bytes > stored.blobs.max_memory_bytes:
        return None
    removed = bytearray()
    remaining = iter(spans)
    span = next(remaining, None)
    block_start = 0
    for block in stored.blocks():
        block_end = block_start + len(block)
        while span is not None and span.offset < block_end:
            span_end = span.offset + span.removed_bytes
            first = max(span.offset, block_start) - block_start
            removed += block[first : span_end - block_start]
            if span_end > block_end:
                # The rest of the span is in the next block.
                break
            span = next(remaining, None)
        if span is None:
            break
        block_start = block_end
    return bytes(removed)


def _invert_spans(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans of the edit that undoes an edit, in offsets of its result."""
    shift = 0
    for offset, removed_bytes, inserted_bytes in spans:
        yield Span(offset + shift, inserted_bytes, removed_bytes)
        shift += inserted_bytes - removed_bytes


def _apply_if_known(
    content: bytes, splices: Sequence[Splice] | None
) -> bytes | None:
    """Return a content with splices applied; None without splices."""
    from filewright.text.splice import apply_splices

    return apply_splices(content, splices) if splices is not None else None
