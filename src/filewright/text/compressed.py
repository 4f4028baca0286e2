"""The text inside a compressed file, as a snapshot of that text.

A text up to `settings.hold_bytes` is held in memory like that of any small file. A longer
one is decoded when it is read, from the nearest place before it that is known: a decoder
that stopped there, or a checkpoint. Its size is known when its end was decoded once.

Every offset is one in the text. Nothing is written to the disk.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import closing, suppress
from functools import cached_property

from filewright.errors import Code, path_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text.cache import BoundedCache
from filewright.text.compression import (
    CHECKPOINT_SPACING,
    COMPRESSED_SUFFIXES,
    Checkpoint,
    Compression,
    DecodedUnit,
    TextStream,
    find_compression,
)
from filewright.text.decode_ahead import DecodeAhead
from filewright.text.snapshot import Snapshot

UNIT_BYTES = 256 << 10
"""The text is decoded in units of this size, which stay in the processor's cache."""

_END = 1 << 62
_RECENT_UNITS = 32
_KEPT_UNITS = 32
_NEAR_AHEAD_BYTES = _RECENT_UNITS * UNIT_BYTES
_UNITS_BEFORE_AHEAD = 2
"""A pass over fewer units is done before a thread has begun."""

_MAX_CHECKPOINTS = 64
_CHECKPOINT_BYTES = 64 << 10
_SAMPLED_BYTES = 1 << 20
"""The beginning of a text by which its encoding is detected."""

_HEAD_BYTES = 16


class TextMap:
    """The known facts about the text of one compressed file. Thread-safe.

    `reached` is the offset up to which the text was decoded, `size` its length once the
    end was reached, and `problem` the reason why the text ends early.
    """

    def __init__(self) -> None:
        self.reached = 0
        self.size: int | None = None
        self.problem = ""
        self._checkpoints = [Checkpoint()]
        self._spacing = CHECKPOINT_SPACING
        self._parked: TextStream | None = None
        self._lock = threading.Lock()

    @property
    def memory_bytes(self) -> int:
        """Return the memory that the checkpoints and the parked stream take."""
        with self._lock:
            memory = _CHECKPOINT_BYTES * len(self._checkpoints)
            if self._parked is not None:
                memory += self._parked.compression.decoder_bytes
            return memory

    def note(self, unit: DecodedUnit) -> None:
        """Note how far the text was decoded, with a checkpoint far from the last one."""
        if unit.end < self.reached:
            return
        with self._lock:
            self.reached = max(self.reached, unit.end)
            if unit.is_last:
                self.size, self.problem = unit.end, unit.problem
                return
            checkpoint, last = unit.checkpoint, self._checkpoints[-1]
            if checkpoint is None:
                return
            if checkpoint.position - last.position < self._spacing:
                return
            self._checkpoints.append(checkpoint)
            if len(self._checkpoints) > _MAX_CHECKPOINTS:
                # The beginning needs none; every second one of the others goes.
                self._checkpoints = self._checkpoints[::2]
                self._spacing *= 2

    def checkpoint_before(self, position: int) -> Checkpoint:
        """Return the last checkpoint that is not behind a position."""
        with self._lock:
            index = bisect_right(
                self._checkpoints,
                position,
                key=lambda checkpoint: checkpoint.position,
            )
            return self._checkpoints[index - 1]

    def park(self, stream: TextStream) -> None:
        """Keep a stream for the next reader, which may go on where it is."""
        with self._lock:
            self._parked = stream

    def take_parked(self) -> TextStream | None:
        """Remove and return the stream that the last reader left."""
        with self._lock:
            stream, self._parked = self._parked, None
            return stream


class TextCache:
    """The maps and the recent units of the compressed files that were read."""

    def __init__(self, limit: int = 16 << 20) -> None:
        self.maps: BoundedCache[TextMap] = BoundedCache(limit * 2 // 3)
        self.units: BoundedCache[bytes] = BoundedCache(limit // 3)


class CompressedView(Snapshot):
    """The text inside a compressed file.

    It has the version of the file, `file_snapshot`, and closes that too.
    """

    def __init__(
        self,
        file_snapshot: Snapshot,
        compression: Compression,
        *,
        settings: Settings,
        cache: TextCache,
        task: Task,
    ) -> None:
        super().__init__(
            None,
            settings=settings,
            location=file_snapshot.location,
            status=file_snapshot.status,
            encoding=file_snapshot.requested_encoding,
            indexes=file_snapshot.indexes,
        )
        self.launcher = file_snapshot.launcher
        self.file_snapshot = file_snapshot
        self._compression = compression
        self._cache = cache
        self._task = task
        key = self.identity, compression.name
        self._is_shared = file_snapshot.is_stable
        text_map = cache.maps.get(key) if self._is_shared else None
        self._key = key
        self._map = text_map or TextMap()
        # Two threads of a caller may read one view.
        self._lock = threading.RLock()
        self._ahead: DecodeAhead | None = None
        # At most two: the one that is farthest, and one for reads before it.
        self._streams: list[TextStream] = []
        self._recent: OrderedDict[int, bytes] = OrderedDict()
        self._kept: OrderedDict[int, bytes] = OrderedDict()
        if file_snapshot.size <= settings.hold_bytes:
            self._hold()

    def _hold(self) -> None:
        """Hold the whole text if it is short enough."""
        limit = self.settings.hold_bytes
        if self._map.size is not None and self._map.size > limit:
            return
        units: list[bytes] = []
        length = 0
        with closing(self.iterate_units(0)) as iterator:
            for unit in iterator:
                units.append(unit)
                length += len(unit)
                if length > limit:
                    return
        self.content = b"".join(units)
        self._recent.clear()
        self._streams.clear()

    @property
    def size(self) -> int:
        """Return the number of bytes of the text, which is decoded to its end once."""
        return self.clip(_END)

    @property
    def known_size(self) -> int | None:
        """Return the number of bytes of the text if its end was decoded before."""
        return self._map.size

    @property
    def file_size(self) -> int:
        """Return the number of bytes of the compressed file."""
        return self.file_snapshot.size

    @property
    def compression(self) -> str:
        """Return the name of the format."""
        return self._compression.name

    @property
    def problem(self) -> str:
        """Return why and where the text ends before its end, or "" if that is not known."""
        if not self._map.problem:
            return ""
        place = f"byte {self.size:,} of its text"
        if self.line_count is not None:
            place += f", in line {self.line_count:,}"
        return f"{self._map.problem}; nothing after {place} was read"

    @property
    def text_name(self) -> bytes:
        """Return the name of the file without the suffix of the format."""
        return strip_suffix(super().text_name)

    @cached_property
    def version(self) -> str:
        """Return the version of the file."""
        return self.file_snapshot.version

    def matches(self, version: str) -> bool:
        """Return True if `version` is that of the file."""
        return self.file_snapshot.matches(version)

    @property
    def is_stable(self) -> bool:
        """Return True if facts about this text hold for the file's identity later."""
        return self.file_snapshot.is_stable

    def _stability_check(self) -> Callable[[], bool]:
        return self.file_snapshot._stability_check()

    @property
    def _sampled_size(self) -> int:
        return self.clip(_SAMPLED_BYTES)

    def close(self) -> None:
        """Close the file, and keep what the next reader of it can use."""
        self._end_ahead()
        if self._is_shared and self.is_stable:
            if self._streams and not self._streams[-1].holds_text:
                self._map.park(self._streams[-1])
            self._cache.maps.put(self._key, self._map, self._map.memory_bytes)
        self._streams.clear()
        self._recent.clear()
        self._kept.clear()
        self.file_snapshot.close()

    def release(self) -> None:
        """Close the file and drop the text, before garbage collection would."""
        super().release()
        self.file_snapshot.release()

    def clip(self, offset: int) -> int:
        """Return `offset`, or the size of the text if that is less."""
        while offset > self._map.reached and self._map.size is None:
            with self._lock:
                unit = self._decode_number(self._map.reached // UNIT_BYTES)
            if not unit:
                break
        if self._map.size is not None:
            return min(offset, self._map.size)
        return offset

    def read(self, offset: int, length: int) -> bytes:
        """Return the bytes [offset, offset + length) of the text, clipped to it."""
        return self._read_with(self._read_unit, offset, length)

    def peek(self, offset: int, length: int) -> bytes:
        """Return bytes as `read` does, without keeping them for later reads.

        A pass over the whole text must not drop what is kept.
        """
        return self._read_with(self._peek_unit, offset, length)

    def _read_with(
        self, read_unit: Callable[[int], bytes], offset: int, length: int
    ) -> bytes:
        if self.content is not None:
            return self.content[offset : offset + length]
        if offset < 0 or length <= 0:
            return b""
        parts: list[bytes] = []
        end = offset + length
        while offset < end:
            number, skipped = divmod(offset, UNIT_BYTES)
            unit = read_unit(number)
            part = unit[skipped : skipped + end - offset]
            if not part:
                break
            parts.append(part)
            offset += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def iterate_units(self, start: int) -> Generator[bytes]:
        """Yield the text from `start` on, in the units in which it is decoded.

        A thread decodes ahead, and ends when the generator is closed.
        """
        first, skipped = divmod(start, UNIT_BYTES)
        number = first
        ahead = None
        try:
            while unit := self._peek_unit(number):
                yield unit[skipped:] if skipped else unit
                number, skipped = number + 1, 0
                if ahead is None and number >= first + _UNITS_BEFORE_AHEAD:
                    ahead = self._begin_ahead(number)
        finally:
            if ahead is not None and ahead is self._ahead:
                self._end_ahead()

    # Units

    def _read_unit(self, number: int) -> bytes:
        """Return a unit, and keep it for later reads near it."""
        with self._lock:
            unit = self._peek_unit(number)
            if unit:
                self._kept[number] = unit
                if len(self._kept) > _KEPT_UNITS:
                    self._kept.popitem(last=False)
        if unit and self._is_shared:
            self._cache.units.put((self._key, number), unit, len(unit))
        return unit

    def _peek_unit(self, number: int) -> bytes:
        """Return a unit that is not needed again."""
        with self._lock:
            unit = self._find_unit(number)
            return self._decode_number(number) if unit is None else unit

    def _find_unit(self, number: int) -> bytes | None:
        """Return a unit that is in memory; b"" for one behind the end of the text."""
        size = self._map.size
        if size is not None and number * UNIT_BYTES >= size:
            return b""
        unit = self._recent.get(number) or self._kept.get(number)
        if unit is None and self._is_shared:
            return self._cache.units.get((self._key, number))
        return unit

    def _decode_number(self, number: int) -> bytes:
        """Return the unit with a number, decoded; b"" behind the end of the text."""
        start = number * UNIT_BYTES
        ahead = self._ahead
        if (
            ahead is not None
            and 0 <= start - ahead.position < _NEAR_AHEAD_BYTES
        ):
            position = ahead.position
            while position <= start:
                self._require_bound(position)
                unit = ahead.next_unit(self._task)
                self._keep_unit(unit)
                if unit.is_last:
                    break
                position = ahead.position
            return unit.data if unit.start == start else b""
        stream = self._stream_before(start)
        while True:
            self._task.check()
            self._require_bound(stream.position)
            stop = (stream.position // UNIT_BYTES + 1) * UNIT_BYTES
            unit = stream.read_unit(self.file_snapshot.read, stop)
            self._keep_unit(unit)
            if unit.is_last or unit.end > start:
                return unit.data if unit.start == start else b""

    def _keep_unit(self, unit: DecodedUnit) -> None:
        """Note a unit that was decoded, and keep it while the text near it is read."""
        self._map.note(unit)
        number, skipped = divmod(unit.start, UNIT_BYTES)
        if skipped or not unit.data:
            return
        self._recent[number] = unit.data
        if len(self._recent) > _RECENT_UNITS:
            self._recent.popitem(last=False)

    def _begin_ahead(self, number: int) -> DecodeAhead | None:
        """Begin to decode ahead from a unit on; return None if that is no use."""
        position = number * UNIT_BYTES
        with self._lock:
            size = self._map.size
            if self._ahead is not None or (
                size is not None and position >= size
            ):
                return None
            # A pass is not ahead of units that were read before it.
            if self._find_unit(number) is not None:
                return None
            stream = self._stream_before(position)
            if stream.position != position:
                return None
            with suppress(RuntimeError):
                # The system may have no further thread.
                self._ahead = DecodeAhead(
                    stream, self.file_snapshot.read, UNIT_BYTES
                )
                # Each decoder may take tens of megabytes: two at most, this included.
                self._streams.clear()
            return self._ahead

    def _end_ahead(self) -> None:
        """Stop decoding ahead, and keep the units that were decoded."""
        with self._lock:
            ahead, self._ahead = self._ahead, None
            if ahead is None:
                return
            for unit in ahead.close():
                self._keep_unit(unit)
            if ahead.stream is not None:
                self._streams.append(ahead.stream)

    def _stream_before(self, position: int) -> TextStream:
        """Return the stream that reaches a position with the least decoding."""
        if not self._streams:
            parked = self._map.take_parked()
            if parked is not None:
                self._streams.append(parked)
        checkpoint = self._map.checkpoint_before(position)
        nearest = None
        for stream in self._streams:
            is_usable = stream.position <= position and not stream.is_at_end
            if is_usable and (
                nearest is None or stream.position > nearest.position
            ):
                nearest = stream
        if nearest is None or nearest.position < checkpoint.position:
            nearest = TextStream(self._compression, checkpoint)
            farthest = max(
                self._streams, key=lambda stream: stream.position, default=None
            )
            self._streams = []
            if farthest is not None and self._ahead is None:
                self._streams.append(farthest)
            self._streams.append(nearest)
        return nearest

    def _require_bound(self, position: int) -> None:
        """Raise `too_large` where the text is longer than any that is read."""
        limit = self.settings.unpacked_bytes
        if position < limit:
            return
        path = self.requested_path
        raise path_error(
            Code.TOO_LARGE,
            path,
            f"{path} holds more than {limit:,} bytes of text in "
            f"{self.file_size:,} bytes; the rest was not read",
            "read its beginning, or ask the user to raise the limit (unpacked_bytes)",
            limit=limit,
        )


def view_if_compressed(
    snapshot: Snapshot, cache: TextCache, task: Task | None = None
) -> Snapshot:
    """Return the view of the text in a compressed file, else the snapshot.

    The view closes the snapshot. Raises `unsupported` if a library is missing.
    """
    compression = find_compression(snapshot.read(0, _HEAD_BYTES))
    if compression is None:
        return snapshot
    return CompressedView(
        snapshot,
        compression,
        settings=snapshot.settings,
        cache=cache,
        task=task or Task(),
    )


def strip_suffix(name: bytes) -> bytes:
    """Return the name of a file without the suffix of a compressed format."""
    for suffix in COMPRESSED_SUFFIXES:
        if name.lower().endswith(suffix):
            return name[: -len(suffix)]
    return name


def has_compressed_name(name: bytes) -> bool:
    """Return True for the name of a file that is usually compressed."""
    return name.lower().endswith(COMPRESSED_SUFFIXES)
