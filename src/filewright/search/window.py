"""Windows of a snapshot as the matcher wants them: UTF-8 with ``\\n`` terminators, and the way back.

A `Window` begins at a character and ends, wherever it can, at a line's end; its `raw_at` turns an
index of its text into a byte offset of the file. For UTF-8 without carriage returns that is an
addition and no byte is copied twice; for anything else the line is found first, and what is in it before the match.

Through a large file `rg` goes ahead, as a child: `lines_ahead` names the lines worth a window. It says only where lines
begin that hold what its form of the pattern asks for, which is never stricter than ours. Where it cannot run, or ends
early, every window is looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from filewright.progress import Task
from filewright.text.codec import (
    cut_at_character,
    normalize_newlines,
)
from filewright.text.snapshot import Snapshot

_NEAR = 4 << 20
_TERMINATOR, _TERMINATOR_SHOWN = (
    re.compile(rb"\r\n?|\n"),
    re.compile("\r\n?|\n"),
)


class Window:
    """Some of a file's text.

    `text` is searched from index `begin` (what is before it is one character of context). `stop` is
    the raw offset where the window ends, `first` and `last` whether the text begins at its beginning and ends
    there, `cut` whether it ends inside a line (or, for matches over several lines, anywhere); `raw` are its bytes.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        position: int,
        stop: int,
        length: int,
        longest: int = 0,
        overlap: int = 0,
        *,
        by_lines: bool = True,
    ) -> None:
        """The window that begins at `position`, a character's beginning, and goes no further than `stop`.

        `by_lines`: it ends at a line's end unless the line is longer than `length` and `longest`. Otherwise (for
        matches over several lines) its last `overlap` bytes are always left to the next one.
        """
        encoding = snapshot.encoding
        raw = snapshot.read(position, min(length, stop - position))
        whole = False
        while not whole and (read := position + len(raw)) < stop:
            units = (
                (
                    raw
                    if encoding.unit_bytes == 1
                    else snapshot.lines.to_units(raw)
                )
                if by_lines
                else b""
            )
            # A carriage return at the very end may be half of a pair.
            end = (
                max(units.rfind(b"\n"), units.rfind(b"\r", 0, len(units) - 1))
                + 1
            )
            if whole := end > 0:
                raw = raw[: end * encoding.unit_bytes]
            elif by_lines and len(raw) < longest:
                raw += snapshot.read(read, min(len(raw), stop - read))
            else:
                raw = _cut(raw, snapshot)
                break
        self.offset = position
        self.stop = position + len(raw)
        self.first = position == snapshot.start
        self.last = self.stop >= stop
        self.cut = not (self.last or whole)
        # The character before it, in UTF-8 and normalised; empty at a line's beginning.
        before = snapshot.read(
            max(snapshot.start, position - 4), min(4, position - snapshot.start)
        )
        errors = "surrogateescape" if encoding.is_utf8 else "replace"
        last = before.decode(encoding.name, errors)[-1:].encode("utf-8", errors)
        self._context = b"" if last in (b"\n", b"\r") else last
        self.begin = len(self._context)
        self.raw = raw
        self._encoding = encoding
        self._verbatim = encoding.is_utf8 and b"\r" not in raw
        self._errors = (
            "surrogatepass" if encoding.unit_bytes == 2 else "surrogateescape"
        )
        self._overlap = min(overlap, len(raw) // 2)
        self._near = (0, 0)

    @cached_property
    def text(self) -> bytes:
        """The context and the window, in UTF-8 with ``\\n`` terminators."""
        plain = self.raw
        if not self._encoding.is_utf8:
            plain = normalize_newlines(self._shown).encode(
                "utf-8", "surrogatepass"
            )
        elif not self._verbatim:
            plain = self.raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        return self._context + plain if self._context else plain

    @cached_property
    def limit(self) -> int:
        """A match that begins here or later belongs to the next window."""
        if not self.cut:
            return len(self.text) + 1
        return next_character(
            self.text, max(self.begin, len(self.text) - self._overlap - 1)
        )

    def file_offset(self, index: int) -> int:
        """The byte offset of the file where the character at `index` of the text begins."""
        index = max(0, index - self.begin)
        if self._verbatim:
            return self.offset + index
        texts, raws = self._lines
        line = bisect_right(texts, index) - 1
        begin, raw = texts[line], raws[line]
        if self._encoding.is_utf8:
            return self.offset + raw + index - begin
        if begin <= self._near[0] <= index:
            begin, raw = (
                self._near
            )  # a long line is not gone through anew for each match
        between = self.text[self.begin + begin : self.begin + index].decode(
            "utf-8", "surrogatepass"
        )
        raw += len(between.encode(self._encoding.name, self._errors))
        self._near = (index, raw)
        return self.offset + raw

    @cached_property
    def characters(self) -> str:
        """The text without the context; bytes that are not UTF-8 are lone surrogates."""
        return self.text[self.begin :].decode("utf-8", "surrogateescape")

    def character_offset(self, number: int) -> int:
        """The byte offset of the file where the character with that number, from 0, begins."""
        return self.file_offset(
            self.begin
            + len(self.characters[:number].encode("utf-8", "surrogateescape"))
        )

    @cached_property
    def _lines(self) -> tuple[list[int], list[int]]:
        """Where the lines of the window begin, in its text and in the file: terminators differ only between lines."""
        texts, raws = [0], [0]
        if self._encoding.is_utf8:
            for match in _TERMINATOR.finditer(self.raw):
                texts.append(texts[-1] + match.start() - raws[-1] + 1)
                raws.append(match.end())
            return texts, raws
        shown, end = self._shown, 0
        for found in _TERMINATOR_SHOWN.finditer(shown):
            line = shown[end : found.start()].encode("utf-8", "surrogatepass")
            texts.append(texts[-1] + len(line) + 1)
            raws.append(
                raws[-1]
                + len(
                    shown[end : found.end()].encode(
                        self._encoding.name, self._errors
                    )
                )
            )
            end = found.end()
        return texts, raws

    @cached_property
    def _shown(self) -> str:
        """The window's text as its own codec gives it, so that it can be turned back into exactly these bytes."""
        width = self._encoding.unit_bytes
        raw = self.raw[: len(self.raw) // width * width]
        return raw.decode(self._encoding.name, self._errors)


def next_character(text: bytes, index: int) -> int:
    """Where the character behind the one at `index` begins, in UTF-8."""
    index += 1
    while index < len(text) and text[index] & 0xC0 == 0x80:
        index += 1
    return index


def previous_character(text: bytes, index: int) -> int:
    """Where the character before `index` begins."""
    index = max(0, index - 1)
    while index and text[index] & 0xC0 == 0x80:
        index -= 1
    return index


def _cut(raw: bytes, snapshot: Snapshot) -> bytes:
    """`raw` less a torn character, and less a carriage return that may be half of a pair."""
    encoding = snapshot.encoding
    raw = cut_at_character(raw, len(raw) - encoding.unit_bytes, encoding) or raw
    unit = "\r".encode(encoding.name)
    return raw.removesuffix(unit) if len(raw) > len(unit) else raw


def character_start(
    snapshot: Snapshot, offset: int, line: int | None = None
) -> int:
    """The beginning of the character that holds the byte at `offset`; `line` is where its line begins."""
    encoding = snapshot.encoding
    if line is None:
        line = (
            snapshot.lines.line_start(offset)
            if encoding.is_multibyte
            else snapshot.start
        )
    # Only where a byte of a character may look like another one is it not known nearby where one begins.
    near = offset - (_NEAR if encoding.is_multibyte else 4)
    near = line + max(0, near - line) // 2 * 2
    return near + len(
        cut_at_character(
            snapshot.read(near, offset - near + 1), offset - near, encoding
        )
    )


NO_TIMEOUT = Task()
"""The task of a search that nobody ends."""
