"""What a changed file held before and after, from what history kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import xxhash

from filewright.changes.blobs import BlobStore
from filewright.changes.record import ChangeRecord, Entry, Side, Span
from filewright.changes.recordfile import RecordFile, TornError
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.text import Splice, Splices, apply


@dataclass(frozen=True, slots=True)
class Kept:
    """A content that history keeps, as a stream. Raises `io_error` if it is gone or damaged."""

    blobs: BlobStore
    file: RecordFile
    name: str
    size: int
    side: Side | None = None

    def blocks(self) -> Iterator[bytes]:
        """The bytes from the start."""
        change = self.file.record.id
        try:
            yield from self.blobs.blocks(self.name, self.file, self.side)
        except (KeyError, FileNotFoundError, TornError) as error:
            raise FilewrightError(
                Code.IO_ERROR,
                f"the undo data of the change {change} is {'damaged' if isinstance(error, TornError) else 'gone'}",
                hint="this change can no longer be undone",
                details={"change_id": change},
            ) from error
        except OSError as error:
            # Too many open files, say: that tells nothing of what was kept.
            raise from_os_error(error, f"the undo data of the change {change}", doing="read") from error

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

    def narrowed(self, entries: Sequence[Entry]) -> Contents:
        """The same of some of the entries only."""
        file = replace(self._file, record=replace(self.record, entries=entries))
        return Contents(self._blobs, file, small=self._small)

    def stream(self, side: Side) -> Kept | None:
        """A side's whole content, if it was kept whole."""
        return None if side.blob is None else Kept(self._blobs, self._file, side.blob, side.size, side)

    def before(self, entry: Entry) -> bytes | None:
        """What the file held before, if that was kept whole and is small."""
        side = entry.before
        if side is None or side.kind != "file" or side.size > self._small:
            return None
        stream = self.stream(side)
        return stream.read() if stream is not None else None

    def after(self, entry: Entry) -> bytes | None:
        """What the file held after, if that follows from what was kept and is small."""
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

    def forward(self, entry: Entry, most: int | None = None) -> Sequence[Splice] | None:
        """The splices that were made, or the first of them, if the change was an edit."""
        if not entry.spans or entry.inserted is None:
            return None
        size = sum(span.new for span in entry.spans)
        inserted = Kept(self._blobs, self._file, entry.inserted, size).read()
        return Splices(((s.offset, s.old, s.new) for s in islice(entry.spans, most)), inserted)

    def backward(self, entry: Entry, most: int | None = None) -> Sequence[Splice] | None:
        """The splices that turn the file after into the file before, or the first of them, if it was an edit."""
        if not entry.spans:
            return None
        if entry.removed is not None:
            size = sum(span.old for span in entry.spans)
            removed = Kept(self._blobs, self._file, entry.removed, size).read()
        else:
            before = self.before(entry)
            if before is None:
                return None
            removed = b"".join(before[s.offset : s.offset + s.old] for s in islice(entry.spans, most))
        return Splices(_turned(islice(entry.spans, most)), removed)

    def edits(self, entry: Entry) -> Sequence[tuple[Entry, Contents]]:
        """The changes of a file's content that make up an entry, oldest first: of one change, this one."""
        return [(entry, self)]

    def runs(self, entry: Entry) -> Sequence[Entry]:
        """The same by runs, between which others have changed the file: of one change, this one."""
        return (entry,)


def _turned(spans: Iterable[Span]) -> Iterator[tuple[int, int, int]]:
    """Where the spans are afterwards, how long they are there, and how long they were before."""
    shift = 0
    for span in spans:
        yield span.offset + shift, span.new, span.old
        shift += span.new - span.old
