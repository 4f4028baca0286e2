"""What a changed file held before and after, from what history kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import xxhash

from filewright.boundary.names import quote
from filewright.changes.blobs import BlobStore
from filewright.changes.record import ChangeRecord, Entry, Side
from filewright.changes.recordfile import RecordFile, TornError
from filewright.errors import Code, FilewrightError
from filewright.text import Splice, apply


@dataclass(frozen=True, slots=True)
class Kept:
    """A content that history keeps, as a stream. Raises `io_error` if it is gone or damaged."""

    blobs: BlobStore
    file: RecordFile
    name: str
    size: int

    def blocks(self) -> Iterator[bytes]:
        """The bytes from the start."""
        try:
            yield from self.blobs.blocks(self.name, self.file)
        except (KeyError, TornError, OSError) as error:
            raise FilewrightError(
                Code.IO_ERROR,
                f"the undo data of the change {self.file.record.id} is gone or damaged ({error})",
                hint="this change can no longer be undone",
                details={"change_id": self.file.record.id},
            ) from error

    def read(self) -> bytes:
        """All of it; for small ones."""
        return b"".join(self.blocks())


class Contents:
    """The contents one record keeps; `small` bounds what is ever put together in memory."""

    def __init__(self, blobs: BlobStore, file: RecordFile, *, small: int) -> None:
        self._blobs = blobs
        self._file = file
        self._small = small

    @property
    def record(self) -> ChangeRecord:
        """The record."""
        return self._file.record

    def stream(self, side: Side) -> Kept | None:
        """A side's whole content, if it was kept whole."""
        return None if side.blob is None else Kept(self._blobs, self._file, side.blob, side.size)

    def before(self, entry: Entry) -> bytes | None:
        """What the file held before, if that was kept whole and is small."""
        side = entry.before
        if side is None or side.kind != "file" or side.size > self._small:
            return None
        stream = self.stream(side)
        return stream.read() if stream is not None else None

    def after(self, entry: Entry) -> bytes | None:
        """What the file held after, if it can be told from what was kept and is small."""
        side = entry.after
        if side is None or side.kind != "file" or side.size > self._small:
            return None
        stream = self.stream(side)
        if stream is not None:
            return stream.read()
        if entry.before is not None and entry.before.digest == side.digest:
            return self.before(entry)
        before = self.before(entry)
        splices = self.forward(entry)
        if before is None or splices is None:
            return None
        after = apply(before, splices)
        return after if xxhash.xxh3_128_hexdigest(after) == side.digest else None

    def forward(self, entry: Entry) -> tuple[Splice, ...] | None:
        """The splices that were made, if the change was an edit."""
        if not entry.spans or entry.inserted is None:
            return None
        inserted = Kept(self._blobs, self._file, entry.inserted, sum(span.new for span in entry.spans)).read()
        splices: list[Splice] = []
        position = 0
        for span in entry.spans:
            splices.append(Splice(span.offset, span.old, inserted[position : position + span.new]))
            position += span.new
        return tuple(splices)

    def backward(self, entry: Entry) -> tuple[Splice, ...] | None:
        """The splices that turn the file after into the file before, if the change was an edit."""
        if not entry.spans:
            return None
        if entry.removed is not None:
            removed = Kept(self._blobs, self._file, entry.removed, sum(s.old for s in entry.spans)).read()
            pieces: list[bytes] = []
            position = 0
            for span in entry.spans:
                pieces.append(removed[position : position + span.old])
                position += span.old
        else:
            before = self.before(entry)
            if before is None:
                return None
            pieces = [before[span.offset : span.offset + span.old] for span in entry.spans]
        splices: list[Splice] = []
        shift = 0
        for span, piece in zip(entry.spans, pieces, strict=True):
            splices.append(Splice(span.offset + shift, span.new, piece))
            shift += span.new - span.old
        return tuple(splices)

    def describe(self) -> str:
        """The change in a few words, for messages."""
        return f"{self.record.id} ({quote(self.record.summary.encode())})"
