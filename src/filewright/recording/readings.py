"""Readings of a file: its lines as texts to compare, and as bytes.

Editing tools decode files leniently: most read every file as UTF-8 and take
U+FFFD for each part that is not. A file before and after such a tool compares
equal only if both are read the way the tool read them. So a file has several
readings, and each keeps the bytes beside the text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from filewright.text.codec import Encoding

_LINE_END = re.compile(r"\r\n?")
_UTF8_BOM = codecs.BOM_UTF8
_UTF16_CODECS = {
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_ASCII = bytes(range(128))
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class Unit:
    """A character, or a terminator as ``\\n``, and its bytes in the file."""

    text: str
    content: bytes


@dataclass(frozen=True, slots=True)
class _Utf8Evidence:
    """Characters beyond ASCII of a file that are UTF-8, and parts that are not."""

    characters: int
    broken_parts: int


@dataclass(frozen=True)
class FileReading:
    """One file, line by line.

    `lines` holds the bytes of each line with its terminator; a last line
    without one is a line, too. `texts` holds the same lines as text without
    terminators. `codec` is the encoding of this reading, by Python's name. With
    `keeps_bytes`, a byte that cannot be decoded is a character of its own (a
    surrogate); otherwise it is U+FFFD.
    """

    codec: str
    bom: bytes
    lines: Sequence[bytes]
    texts: Sequence[str]
    keeps_bytes: bool = False

    @property
    def is_ended(self) -> bool:
        """Return True unless the last line has no terminator."""
        return not self.lines or bool(self.ending(len(self.lines) - 1))

    @property
    def content(self) -> bytes:
        """Return the bytes of the file."""
        return self.bom + b"".join(self.lines)

    @property
    def is_valid(self) -> bool:
        """Return True if all bytes are characters of the encoding."""
        try:
            self.content.decode(self.codec)
        except UnicodeDecodeError:
            return False
        return True

    @property
    def text(self) -> str:
        """Return the whole text, with LF for each terminator."""
        return "\n".join(self.texts) + "\n" * (
            self.is_ended and bool(self.texts)
        )

    def is_certain(self, encoding: Encoding) -> bool:
        """Return False if `encoding` is a guess that the bytes contradict."""
        if not encoding.is_guess or encoding.unit_bytes > 1:
            return True
        evidence = self._utf8_evidence
        if encoding.is_utf8:
            return evidence.characters >= evidence.broken_parts
        if encoding.is_multibyte:
            # Two of its characters side by side may look like UTF-8.
            return evidence.broken_parts >= evidence.characters
        return not evidence.characters

    @cached_property
    def _utf8_evidence(self) -> _Utf8Evidence:
        """Return the signs for and against UTF-8 in the whole file."""
        content = self.content
        characters = len(content.decode("utf-8", "ignore"))
        characters -= len(content) - len(content.translate(None, _ASCII))
        replaced = content.decode("utf-8", "replace").count(REPLACEMENT)
        meant = content.count(REPLACEMENT.encode())
        return _Utf8Evidence(characters, replaced - meant)

    @cached_property
    def _line_ends(self) -> tuple[bytes, ...]:
        """Return the terminators that lines can have, longest first."""
        return tuple(end.encode(self.codec) for end in ("\r\n", "\n", "\r"))

    def ending(self, number: int) -> bytes:
        """Return the terminator of a line, or b""."""
        line = self.lines[number]
        for end in self._line_ends:
            if line.endswith(end):
                return end
        return b""

    def body(self, number: int) -> bytes:
        """Return the bytes of a line without its terminator."""
        return self.lines[number][
            : len(self.lines[number]) - len(self.ending(number))
        ]

    def units(self, start: int, end: int) -> list[Unit]:
        """Return the characters of lines [start, end), with the terminators."""
        units: list[Unit] = []
        for number in range(start, end):
            if self.keeps_bytes:
                text = self.body(number).decode("utf-8", "surrogateescape")
                for character in text:
                    content = character.encode("utf-8", "surrogateescape")
                    units.append(Unit(character, content))
            else:
                units += split_characters(self.body(number), self.codec)
            if ending := self.ending(number):
                units.append(Unit("\n", ending))
        return units


def read_as_utf8(content: bytes) -> FileReading:
    """Read a file as UTF-8, with U+FFFD for each part that is not UTF-8."""
    bom = _UTF8_BOM if content.startswith(_UTF8_BOM) else b""
    body = content[len(bom) :]
    texts = _split_text(body.decode("utf-8", "replace"))
    # Bytes are split only at CR and LF. A string would also be split at form
    # feeds and U+2028, which end no line of a file.
    return FileReading("utf-8", bom, body.splitlines(keepends=True), texts)


def read_bytes(content: bytes) -> FileReading:
    """Read a file as UTF-8, with a surrogate for each byte that is not."""
    bom = _UTF8_BOM if content.startswith(_UTF8_BOM) else b""
    body = content[len(bom) :]
    texts = _split_text(body.decode("utf-8", "surrogateescape"))
    lines = body.splitlines(keepends=True)
    return FileReading("utf-8", bom, lines, texts, keeps_bytes=True)


def read_in(content: bytes, encoding: Encoding) -> FileReading | None:
    """Read a file in an encoding; None if it cannot be in this one.

    A part that the encoding does not have is U+FFFD. UTF-16 must be whole.
    """
    bom = (
        encoding.bom
        if encoding.bom and content.startswith(encoding.bom)
        else b""
    )
    body = content[len(bom) :]
    codec = encoding.name
    if encoding.unit_bytes == 1:
        lines = body.splitlines(keepends=True)
        if encoding.is_multibyte:
            # By line: a broken character might take a line end along.
            texts = [
                line.decode(codec, "replace").rstrip("\r\n") for line in lines
            ]
        else:
            texts = _split_text(body.decode(codec, "replace"))
        return FileReading(codec, bom, lines, texts)
    if codec == "utf-16":
        codec = "utf-16-be" if bom == codecs.BOM_UTF16_BE else "utf-16-le"
    try:
        text = body.decode(codec)
    except UnicodeDecodeError:
        return None
    # In UTF-16 the bytes of CR and LF are parts of other characters, too: the
    # text is split, and not with `splitlines` (see above).
    split = re.findall(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+", text)
    return FileReading(
        codec, bom, [line.encode(codec) for line in split], _split_text(text)
    )


def read_as_utf16(content: bytes) -> FileReading | None:
    """Read a file as UTF-16; None if it has no byte-order mark of UTF-16."""
    for bom, codec in _UTF16_CODECS.items():
        if content.startswith(bom):
            return read_in(content, Encoding(codec, bom=bom))
    return None


def read_with_new_text(
    content: bytes, new_spans: Sequence[tuple[int, int]], encoding: Encoding
) -> FileReading:
    """Read a file as UTF-8, but new text in it in the file's own encoding.

    A tool replaces with U+FFFD what it cannot decode, but it never decodes its
    new text. `new_spans` are the ordered byte ranges of the new text.
    """
    bom = _UTF8_BOM if content.startswith(_UTF8_BOM) else b""
    position = len(bom)
    pieces = []
    for start, end in new_spans:
        pieces.append(content[position:start].decode("utf-8", "replace"))
        pieces.append(
            # The new text may begin with the mark, which is no text of a line.
            content[max(start, position) : end].decode(encoding.name, "replace")
        )
        position = max(position, end)
    pieces.append(content[position:].decode("utf-8", "replace"))
    lines = content[len(bom) :].splitlines(keepends=True)
    return FileReading("utf-8", bom, lines, _split_text("".join(pieces)))


def read_like(content: bytes, original: FileReading) -> FileReading:
    """Read another content as `original` was read."""
    if original.keeps_bytes:
        return read_bytes(content)
    if original.codec == "utf-8":
        return read_as_utf8(content)
    reading = read_in(content, Encoding(original.codec, bom=original.bom))
    return reading if reading is not None else read_as_utf8(content)


def split_characters(line: bytes, codec: str) -> list[Unit]:
    """Split the bytes of a line into its characters.

    A part that cannot be decoded is one U+FFFD, cut as the decoders of clients
    cut it.
    """
    encoding = Encoding(codec)
    is_single_byte = encoding.unit_bytes == 1 and (
        line.isascii() or not (encoding.is_utf8 or encoding.is_multibyte)
    )
    if is_single_byte:
        text = line.decode(codec, "replace")
        return [
            Unit(character, line[at : at + 1])
            for at, character in enumerate(text)
        ]
    decoder = codecs.getincrementaldecoder(codec)("replace")
    units: list[Unit] = []
    start = 0
    for at in range(len(line)):
        text = decoder.decode(line[at : at + 1])
        if not text:
            continue
        # The decoder may have begun with the next character already.
        end = at + 1 - len(decoder.getstate()[0])
        start = _add_units(units, text, line, start, end)
    rest = decoder.decode(b"", final=True)
    if rest:
        _add_units(units, rest, line, start, len(line))
    return units


def _add_units(
    units: list[Unit], text: str, line: bytes, start: int, end: int
) -> int:
    """Add the characters of `text`, the bytes [start, end) of a line."""
    for index, character in enumerate(text):
        # Several at once are broken parts and the character that showed it: of
        # these all but the first have one byte.
        following = len(text) - 1 - index
        stop = end - following if index == 0 or following == 0 else start + 1
        units.append(Unit(character, line[start:stop]))
        start = stop
    return end


def _split_text(text: str) -> list[str]:
    """Split a text into lines without their terminators."""
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    lines = text.split("\n")
    # A terminator at the end of the file begins no further line.
    if not lines[-1]:
        lines.pop()
    return lines
