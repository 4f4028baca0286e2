"""Members of a compressed file, decoded by two threads before a stream comes to them."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from filewright.errors import FilewrightError
from filewright.text.compression import (
    Checkpoint,
    Compression,
    DecodedSegment,
    ReadAt,
    TextStream,
)
from filewright.text.members import Segment, find_segment

_WORKERS = 2
_MAX_TEXT_BYTES = 8 << 20
"""Text of a segment; a longer one is decoded when it is read."""

_BLOCK_BYTES = 256 << 10


@dataclass(frozen=True, slots=True)
class _PendingSegment:
    """A segment, and its text when that is decoded."""

    segment: Segment
    result: Future[DecodedSegment | None]


class MemberDecoder:
    """The source of the members of one file, where their ends are known.

    A segment that cannot be decoded to its very end is left to the stream, which tells
    of damage and of other data as ever.
    """

    def __init__(self, compression: Compression, read: ReadAt) -> None:
        self._compression = compression
        self._read = read
        self._pool: ThreadPoolExecutor | None = None
        self._pending: deque[_PendingSegment] = deque()
        self._is_closed = False

    def take(self, start: int, /) -> DecodedSegment | None:
        """Return the members from an offset in the file on, or None."""
        while self._pending and self._pending[0].segment.start < start:
            self._pending.popleft()
        self._submit(start)
        if not self._pending or self._pending[0].segment.start != start:
            return None
        pending = self._pending.popleft()
        # The workers go on while the reader is busy with this one.
        self._submit(pending.segment.end)
        return pending.result.result()

    def stop(self) -> None:
        """Let the threads end soon; segments that they decode are left to the stream."""
        self._is_closed = True

    def close(self) -> None:
        """End the threads, after the reader has ended."""
        self.stop()
        self._pending.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self, start: int) -> None:
        """Begin to decode the next segments, if there are any."""
        while len(self._pending) < _WORKERS and not self._is_closed:
            if self._pending:
                start = self._pending[-1].segment.end
            segment = find_segment(self._compression, self._read, start)
            if segment is None:
                return
            if self._pool is None:
                self._pool = ThreadPoolExecutor(
                    _WORKERS, thread_name_prefix="decode"
                )
            try:
                result = self._pool.submit(self._decode, segment)
            except RuntimeError:
                # The system has no further thread.
                return
            self._pending.append(_PendingSegment(segment, result))

    def _decode(self, segment: Segment) -> DecodedSegment | None:
        """Return the text of a segment, or None if it is long or not whole."""

        def read(offset: int, length: int) -> bytes:
            return self._read(offset, min(length, segment.end - offset))

        blocks: list[bytes] = []
        stream = TextStream(self._compression, Checkpoint(0, segment.start))
        try:
            while block := stream.read_block(read, _BLOCK_BYTES):
                if self._is_closed or stream.position > _MAX_TEXT_BYTES:
                    return None
                blocks.append(block)
        except (FilewrightError, MemoryError):
            return None
        if stream.problem or stream.offset != segment.end:
            return None
        return DecodedSegment(blocks, segment.end)
