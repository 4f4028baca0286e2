"""A window: a part of a snapshot as UTF-8 text with ``\\n`` terminators, and the way back.

A window begins at a character and ends at the end of a line wherever it can.
`Window.file_offset` turns an index of its text into a byte offset of the file. For UTF-8
without carriage returns that is an addition, and no byte is copied. For other text the
line is found first, and then the characters of the line before the index.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from filewright.progress import Task
from filewright.text.codec import cut_at_character, normalize_newlines
from filewright.text.snapshot import Snapshot

_MAX_SCANNED_BYTES = 4 << 20
"""Bytes decoded before an offset to learn where its character starts."""

_TERMINATOR_BYTES = re.compile(rb"\r\n?|\n")
_TERMINATOR = re.compile("\r\n?|\n")

NO_TIMEOUT = Task()
"""The task of a search without a time limit, which no caller can cancel."""


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """The extent of one window, in bytes.

    With `by_lines` a window of `length` ends at its last terminator. If it has none, it
    grows up to `max_length`. The last `overlap` bytes of a window that ends inside a
    line are searched again with the next window. Without `by_lines` a window ends
    anywhere, and its last `overlap` bytes are always searched again.
    """

    length: int
    max_length: int = 0
    overlap: int = 0
    by_lines: bool = True


@dataclass(frozen=True, slots=True)
class WindowSizes:
    """The sizes of the windows in which a file is searched, in bytes.

    `length`, `max_length` and `overlap` apply to searches of single lines (see
    `WindowLimits`). A multiline search looks at `multiline_length` bytes, of which the
    last `multiline_overlap` are searched again.
    """

    length: int = 512 << 10
    max_length: int = 1 << 20
    overlap: int = 64 << 10
    multiline_length: int = 8 << 20
    multiline_overlap: int = 1 << 20

    def limits(
        self, *, is_multiline: bool, is_scarce: bool = False
    ) -> WindowLimits:
        """Return the limits of each window of a search.

        The windows are short with `is_scarce`: each part of the text that is read stays in
        memory.
        """
        if is_multiline:
            return WindowLimits(
                self.multiline_length,
                self.multiline_length,
                self.multiline_overlap,
                by_lines=False,
            )
        length = self.length
        if is_scarce:
            length = min(length, self.overlap)
        return WindowLimits(length, self.max_length, self.overlap)


WINDOW_SIZES = WindowSizes()


@dataclass(frozen=True, slots=True)
class _WindowBytes:
    """The bytes of a window. `ends_line` is True if it was ended after a terminator."""

    raw: bytes
    ends_line: bool = False


@dataclass(frozen=True, slots=True)
class _LineStarts:
    """The start of each line of a window: in its text, and in its raw bytes."""

    in_text: list[int]
    in_raw: list[int]


class Window:
    """A part of a file's text.

    `text` is searched from index `begin`; one character before it is context for word
    boundaries. `offset` and `stop` are the bytes of the file that the window covers, and
    `raw` are those bytes. `is_first` and `is_last` are True if the file begins and ends
    with the window. `is_cut` is True if the window ends inside a line or, for matches
    over several lines, before the end of the file.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        position: int,
        stop: int,
        limits: WindowLimits,
    ) -> None:
        """Read the window at `position`, where a character starts, up to `stop` at most."""
        encoding = snapshot.encoding
        window_bytes = _read_window(snapshot, position, stop, limits)
        raw = window_bytes.raw
        self.offset = position
        self.stop = position + len(raw)
        self.raw = raw
        self.is_first = position == snapshot.start
        self.is_last = snapshot.clip(min(stop, self.stop + 1)) <= self.stop
        self.is_cut = not (self.is_last or window_bytes.ends_line)
        self._context = _read_context_character(snapshot, position)
        self.begin = len(self._context)
        self._encoding = encoding
        self._is_verbatim = encoding.is_utf8 and b"\r" not in raw
        # Malformed text becomes lone surrogates, from which the same bytes are encoded.
        self._decode_errors = "surrogateescape"
        if encoding.unit_bytes == 2:
            self._decode_errors = "surrogatepass"
        # At most half, so that the next window begins behind this one's start.
        self._overlap = min(limits.overlap, len(raw) // 2)
        # The last index that was converted, and its offset in `raw`.
        self._last_conversion = (0, 0)

    @cached_property
    def text(self) -> bytes:
        """The context and the window, in UTF-8 with ``\\n`` terminators."""
        text = self.raw
        if not self._encoding.is_utf8:
            text = normalize_newlines(self._decoded).encode(
                "utf-8", "surrogatepass"
            )
        elif not self._is_verbatim:
            text = self.raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return self._context + text if self._context else text

    @cached_property
    def limit(self) -> int:
        """The index from which on a match belongs to the next window."""
        if not self.is_cut:
            return len(self.text) + 1
        last = max(self.begin, len(self.text) - self._overlap - 1)
        return next_character(self.text, last)

    def file_offset(self, index: int) -> int:
        """Return the byte offset in the file of the character at `index` of the text."""
        index = max(0, index - self.begin)
        if self._is_verbatim:
            return self.offset + index
        line_starts = self._line_starts
        line = bisect_right(line_starts.in_text, index) - 1
        start = line_starts.in_text[line]
        raw_offset = line_starts.in_raw[line]
        if self._encoding.is_utf8:
            return self.offset + raw_offset + index - start
        last_index, last_offset = self._last_conversion
        if start <= last_index <= index:
            # Without this, each match in a long line would decode it from its start.
            start, raw_offset = last_index, last_offset
        between = self.text[self.begin + start : self.begin + index]
        characters = between.decode("utf-8", "surrogatepass")
        raw_offset += len(
            characters.encode(self._encoding.name, self._decode_errors)
        )
        self._last_conversion = (index, raw_offset)
        return self.offset + raw_offset

    @cached_property
    def characters(self) -> str:
        """The text without the context; bytes that are not UTF-8 are lone surrogates."""
        return self.text[self.begin :].decode("utf-8", "surrogateescape")

    def character_offset(self, number: int) -> int:
        """Return the byte offset in the file of a character, by its number from 0."""
        before = self.characters[:number].encode("utf-8", "surrogateescape")
        return self.file_offset(self.begin + len(before))

    @cached_property
    def _line_starts(self) -> _LineStarts:
        """The start of each line in the text, and in the raw bytes."""
        text_starts, raw_starts = [0], [0]
        if self._encoding.is_utf8:
            # Terminators are the only difference between UTF-8 text and its raw bytes.
            for match in _TERMINATOR_BYTES.finditer(self.raw):
                line_bytes = match.start() - raw_starts[-1]
                text_starts.append(text_starts[-1] + line_bytes + 1)
                raw_starts.append(match.end())
            return _LineStarts(text_starts, raw_starts)
        decoded, start = self._decoded, 0
        for terminator in _TERMINATOR.finditer(decoded):
            line = decoded[start : terminator.start()]
            line_bytes = len(line.encode("utf-8", "surrogatepass"))
            text_starts.append(text_starts[-1] + line_bytes + 1)
            whole_line = decoded[start : terminator.end()]
            raw_line = whole_line.encode(
                self._encoding.name, self._decode_errors
            )
            raw_starts.append(raw_starts[-1] + len(raw_line))
            start = terminator.end()
        return _LineStarts(text_starts, raw_starts)

    @cached_property
    def _decoded(self) -> str:
        """The raw bytes as characters that encode to exactly these bytes again."""
        width = self._encoding.unit_bytes
        raw = self.raw[: len(self.raw) // width * width]
        return raw.decode(self._encoding.name, self._decode_errors)


def _read_window(
    snapshot: Snapshot, position: int, stop: int, limits: WindowLimits
) -> _WindowBytes:
    """Return the bytes of the window at `position`."""
    raw = snapshot.read(position, min(limits.length, stop - position))
    while snapshot.clip(min(stop, position + len(raw) + 1)) > (
        position + len(raw)
    ):
        line_end = _last_line_end(raw, snapshot) if limits.by_lines else 0
        if line_end > 0:
            return _WindowBytes(raw[:line_end], ends_line=True)
        if not limits.by_lines or len(raw) >= limits.max_length:
            return _WindowBytes(_cut_at_character(raw, snapshot))
        # The window doubles, so a long line is not copied once for each read.
        read_end = position + len(raw)
        raw += snapshot.read(read_end, min(len(raw), stop - read_end))
    return _WindowBytes(raw)


def _last_line_end(raw: bytes, snapshot: Snapshot) -> int:
    """Return the offset behind the last terminator in `raw`, or 0."""
    unit_bytes = snapshot.encoding.unit_bytes
    units = raw if unit_bytes == 1 else snapshot.lines.to_units(raw)
    # A carriage return at the very end may be half of a pair.
    line_feed = units.rfind(b"\n")
    carriage_return = units.rfind(b"\r", 0, len(units) - 1)
    return (max(line_feed, carriage_return) + 1) * unit_bytes


def _read_context_character(snapshot: Snapshot, position: int) -> bytes:
    """Return the character before `position` in UTF-8, or nothing at a line's start."""
    encoding = snapshot.encoding
    start = max(snapshot.start, position - 4)
    before = snapshot.read(start, min(4, position - snapshot.start))
    errors = "surrogateescape" if encoding.is_utf8 else "replace"
    last_character = before.decode(encoding.name, errors)[-1:]
    context = last_character.encode("utf-8", errors)
    return b"" if context in (b"\n", b"\r") else context


def next_character(text: bytes, index: int) -> int:
    """Return the start of the character after the one at `index`, in UTF-8."""
    index += 1
    while index < len(text) and text[index] & 0xC0 == 0x80:
        index += 1
    return index


def previous_character(text: bytes, index: int) -> int:
    """Return the start of the character before `index`, in UTF-8."""
    index = max(0, index - 1)
    while index and text[index] & 0xC0 == 0x80:
        index -= 1
    return index


def _cut_at_character(raw: bytes, snapshot: Snapshot) -> bytes:
    """Return `raw` without a torn character or half of a line's end at its end."""
    encoding = snapshot.encoding
    last_unit = len(raw) - encoding.unit_bytes
    raw = cut_at_character(raw, last_unit, encoding) or raw
    carriage_return = "\r".encode(encoding.name)
    if len(raw) > len(carriage_return):
        return raw.removesuffix(carriage_return)
    return raw


def character_start(
    snapshot: Snapshot, offset: int, line_start: int | None = None
) -> int:
    """Return the start of the character that holds the byte at `offset`.

    `line_start` is the start of its line, where the caller knows it.
    """
    encoding = snapshot.encoding
    if line_start is None:
        line_start = snapshot.start
        if encoding.is_multibyte:
            line_start = snapshot.lines.line_start(offset)
    # Where a byte of one character may look like another character, only the text
    # before it tells where a character starts.
    scanned_bytes = _MAX_SCANNED_BYTES if encoding.is_multibyte else 4
    near = max(0, offset - scanned_bytes - line_start)
    # A unit of UTF-16 begins at an even distance from the line's start.
    near = line_start + near // 2 * 2
    before = snapshot.read(near, offset - near + 1)
    return near + len(cut_at_character(before, offset - near, encoding))
