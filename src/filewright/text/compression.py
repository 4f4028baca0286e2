"""Compressed formats: recognised by their first bytes, and decoded block by block.

A compressed file is a sequence of members, each with a header of its own. Rotated logs
mostly have one; programs that compress in parallel write many.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from filewright.errors import Code, FilewrightError

_INPUT_BYTES: Final = 32 << 10
_MAGIC_BYTES: Final = 12
_MAX_PADDING_READS: Final = 512
_GZIP_WINDOW_BITS: Final = 31
"""zlib's parameter for data with the header and the checksum of gzip."""

_MAX_XZ_MEMORY_BYTES: Final = 68 << 20
"""`xz -9` needs 65 MB, if the text is so long."""

_MAX_ZSTD_WINDOW_LOG: Final = 25
"""32 MB, the window of `zstd --ultra -21`; longer ones are refused."""

_ZLIB_PREFIX: Final = "Error -3 while decompressing data: "

CHECKPOINT_SPACING: Final = 4 << 20
"""The least distance of two checkpoints in a text."""

ReadAt = Callable[[int, int], bytes]
"""Returns the bytes of a file at an offset, fewer at its end."""


class Decoder(Protocol):
    """The decoder of one member, as in the modules `bz2`, `lzma` and `compression.zstd`."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _GzipDecoder:
    """A decoder of gzip that can be copied in the middle of a member."""

    def __init__(self, inflate: Any = None) -> None:
        self._inflate = inflate or zlib.decompressobj(_GZIP_WINDOW_BITS)

    @property
    def eof(self) -> bool:
        return bool(self._inflate.eof)

    @property
    def needs_input(self) -> bool:
        return not self._inflate.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inflate.unused_data)

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        rest = self._inflate.unconsumed_tail
        return bytes(self._inflate.decompress(rest + data, max_length))

    def copy(self) -> _GzipDecoder:
        return _GzipDecoder(self._inflate.copy())


@dataclass(frozen=True, slots=True)
class Compression:
    """A compressed format.

    - `magics`: the first bytes of a member, one or the other.
    - `suffix`: the usual end of a file's name.
    - `unpack`, `pack`: the programs that undo and redo it, for hints.
    - `decoder`: makes a decoder. It raises `ImportError` if its library is missing.
    - `decoder_bytes`: the memory that a decoder takes.
    """

    name: str
    magics: tuple[bytes, ...]
    suffix: str
    unpack: str
    pack: str
    decoder: Callable[[], Decoder]
    decoder_bytes: int

    def begins_member(self, data: bytes) -> bool:
        """Return True if a member may begin with these bytes."""
        return data.startswith(self.magics)


def _zstd_decoder() -> Decoder:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd

    options = {zstd.DecompressionParameter.window_log_max: _MAX_ZSTD_WINDOW_LOG}
    decoder: Decoder = zstd.ZstdDecompressor(options=options)
    return decoder


def _lz4_decoder() -> Decoder:
    from lz4.frame import LZ4FrameDecompressor

    decoder: Decoder = LZ4FrameDecompressor()
    return decoder


def _xz_decoder() -> Decoder:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_XZ_MEMORY_BYTES)


# Frames that zstd and lz4 skip; `pzstd` begins each of its members with one.
_SKIPPABLE = tuple(bytes([low, 0x2A, 0x4D, 0x18]) for low in range(0x50, 0x60))

# The level, then a block or the end of the data.
_BZIP2_MAGICS = tuple(
    b"BZh%d%s" % (level, magic)
    for level in range(1, 10)
    for magic in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
)

COMPRESSIONS: Final = (
    Compression(
        "gzip", (b"\x1f\x8b\x08",), ".gz", "gunzip", "gzip",
        _GzipDecoder, 64 << 10,
    ),
    Compression(
        "zstd", (b"\x28\xb5\x2f\xfd", *_SKIPPABLE), ".zst", "unzstd", "zstd",
        _zstd_decoder, 4 << 20,
    ),
    Compression(
        "xz", (b"\xfd7zXZ\x00",), ".xz", "unxz", "xz",
        _xz_decoder, 9 << 20,
    ),
    Compression(
        "bzip2",
        _BZIP2_MAGICS,
        ".bz2", "bunzip2", "bzip2",
        bz2.BZ2Decompressor, 4 << 20,
    ),
    Compression(
        "lz4", (b"\x04\x22\x4d\x18",), ".lz4", "unlz4", "lz4",
        _lz4_decoder, 4 << 20,
    ),
)  # fmt: skip

COMPRESSED_SUFFIXES: Final = tuple(
    compression.suffix.encode() for compression in COMPRESSIONS
)


def find_compression(head: bytes) -> Compression | None:
    """Return the format of a file that begins with these bytes, or None."""
    for compression in COMPRESSIONS:
        if compression.begins_member(head):
            return compression
    return None


def find_compression_by_type(media_type: str | None) -> Compression | None:
    """Return the format with a name, or a media type of `media_type`, or None."""
    name = (media_type or "").removeprefix("application/").removeprefix("x-")
    for compression in COMPRESSIONS:
        if compression.name == name:
            return compression
    return None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A place in a compressed file from which its text can be decoded.

    `position` is the offset in the text, `offset` that in the file. `decoder` is a copy
    of the decoder at this place, None at the beginning of a member.
    """

    position: int = 0
    offset: int = 0
    decoder: _GzipDecoder | None = None


@dataclass(frozen=True, slots=True)
class DecodedUnit:
    """A part of a text, which begins at the offset `start`.

    `checkpoint` is one at its end, in some units. After the last unit `problem`
    says why the text ended before the end of the file.
    """

    start: int
    data: bytes
    checkpoint: Checkpoint | None = None
    is_last: bool = False
    problem: str = ""

    @property
    def end(self) -> int:
        """Return the offset behind the unit."""
        return self.start + len(self.data)


@dataclass(frozen=True, slots=True)
class DecodedSegment:
    """The text of whole members, and the offset in the file where they end."""

    blocks: Sequence[bytes]
    end: int


class SegmentSource(Protocol):
    """A source of members that were decoded beforehand."""

    def take(self, start: int, /) -> DecodedSegment | None:
        """Return the members from an offset in the file on, or None."""


class TextStream:
    """The text inside a compressed file, decoded in order from a checkpoint on.

    `position` is the offset in the text up to which it was decoded. `problem` says why
    the text ended before the end of the file.
    """

    def __init__(
        self, compression: Compression, start: Checkpoint = Checkpoint()
    ) -> None:
        self.compression = compression
        self.position = start.position
        self.is_at_end = False
        self.problem = ""
        # Input that the decoder did not take, and the offset of what follows it.
        self._pending = b""
        self._offset = start.offset
        # Text that was decoded elsewhere, and ends where the input goes on.
        self._decoded: deque[bytes] = deque()
        self._member_start: Checkpoint | None = None
        self.segments: SegmentSource | None = None
        self._decoder: Decoder | None = None
        if start.decoder is not None:
            self._decoder = start.decoder.copy()

    def read_unit(self, read: ReadAt, stop: int) -> DecodedUnit:
        """Return the text up to the position `stop`, fewer bytes at its end.

        Raises as `read_block`.
        """
        parts: list[bytes] = []
        start = self.position
        self._member_start = None
        while self.position < stop:
            part = self.read_block(read, stop - self.position)
            if not part:
                break
            parts.append(part)
        checkpoint = None
        if start // CHECKPOINT_SPACING < self.position // CHECKPOINT_SPACING:
            checkpoint = self.checkpoint()
        checkpoint = checkpoint or self._member_start
        return DecodedUnit(
            start,
            parts[0] if len(parts) == 1 else b"".join(parts),
            checkpoint,
            is_last=self.is_at_end,
            problem=self.problem,
        )

    def checkpoint(self) -> Checkpoint | None:
        """Return a checkpoint at the current position, or None if there can be none."""
        if self._decoded:
            return None
        if self._decoder is None:
            return Checkpoint(self.position, self.offset)
        if isinstance(self._decoder, _GzipDecoder) and not self._pending:
            copy = self._decoder.copy()
            return Checkpoint(self.position, self._offset, copy)
        return None

    @property
    def holds_text(self) -> bool:
        """Return True if it holds text that was decoded beforehand."""
        return bool(self._decoded)

    @property
    def offset(self) -> int:
        """Return the offset in the file up to which its data were decoded."""
        return self._offset - len(self._pending)

    def read_block(self, read: ReadAt, max_bytes: int) -> bytes:
        """Return the next bytes of the text, at most `max_bytes`; none at its end.

        `read` reads the compressed file. Damaged data ends the text. Raises
        `unsupported` if the data cannot be decoded here at all.
        """
        while not self.is_at_end:
            if self._decoded or (
                self._decoder is None and self._take_segment()
            ):
                return self._read_decoded(max_bytes)
            if self._decoder is None and not self._begin_member(read):
                break
            assert self._decoder is not None
            data = b""
            is_starving = self._decoder.needs_input
            if is_starving:
                data = self._pending or self._read_input(read)
                self._pending = b""
            block = self._decode(data, max_bytes)
            if self._decoder is not None and self._decoder.eof:
                # None if a decoder of LZ4 has none.
                self._pending = self._decoder.unused_data or b""
                self._decoder = None
            elif is_starving and not block and not data and not self.is_at_end:
                self._stop("is damaged: it ends in the middle of its data")
            if block:
                self.position += len(block)
                return block
        return b""

    def _take_segment(self) -> bool:
        """Go on behind the next members if their text was decoded beforehand."""
        self._member_start = Checkpoint(self.position, self.offset)
        while self.segments is not None and not self._decoded:
            segment = self.segments.take(self.offset)
            if segment is None:
                return False
            self._offset, self._pending = segment.end, b""
            self._decoded.extend(segment.blocks)
        return bool(self._decoded)

    def _read_decoded(self, max_bytes: int) -> bytes:
        """Return the next bytes of text that was decoded beforehand."""
        block = self._decoded.popleft()
        if len(block) > max_bytes:
            self._decoded.appendleft(block[max_bytes:])
            block = block[:max_bytes]
        self.position += len(block)
        return block

    def _begin_member(self, read: ReadAt) -> bool:
        """Make the decoder of the next member; return False if there is none."""
        self._skip_padding(read)
        if len(self._pending) < _MAGIC_BYTES:
            self._pending += self._read_input(read)
        if not self.compression.begins_member(self._pending):
            self.is_at_end = True
            if self._pending.strip(b"\0"):
                self._stop("has other data after its compressed data")
            return False
        try:
            self._decoder = self.compression.decoder()
        except ImportError as error:
            name = self.compression.name
            package = error.name
            if package == "backports":
                # A package of that name has parts of several projects.
                package = "backports.zstd"
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"it is compressed with {name}, which needs the package {package}",
                "install that package with filewright, or unpack a copy with "
                f"{self.compression.unpack}",
            ) from error
        return True

    def _skip_padding(self, read: ReadAt) -> None:
        """Skip the zeros behind a member, with which programs fill a block."""
        for _ in range(_MAX_PADDING_READS):
            self._pending = self._pending.lstrip(b"\0")
            if not self._pending:
                self._pending = self._read_input(read)
            if not self._pending.startswith(b"\0"):
                return

    def _read_input(self, read: ReadAt) -> bytes:
        data = read(self._offset, _INPUT_BYTES)
        self._offset += len(data)
        return data

    def _decode(self, data: bytes, max_bytes: int) -> bytes:
        """Return decoded bytes; damaged data ends the text."""
        assert self._decoder is not None
        try:
            return self._decoder.decompress(data, max_bytes)
        except Exception as error:
            # Each library raises its own: zlib.error, LZMAError, OSError, ZstdError.
            if isinstance(error, FilewrightError | MemoryError):
                raise
            self._stop(_describe_failure(error))
            return b""

    def _stop(self, problem: str) -> None:
        self.is_at_end = True
        self.problem = problem


def _describe_failure(error: Exception) -> str:
    """Return why a decoder cannot go on: damage, or text that needs too much memory."""
    reason = str(error).removeprefix(_ZLIB_PREFIX)
    if "memory" in reason.lower():
        return f"cannot be decoded further ({reason})"
    return f"is damaged: it cannot be decoded further ({reason})"
