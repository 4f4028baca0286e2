"""Codecs: shown text to bytes and back, never for a whole file.

Input is what a caller wrote, output is bytes for one splice; or input is the bytes of a few lines
and output is what is shown. Both directions are told the `Encoding` of the snapshot.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from filewright.errors import Code, FilewrightError
from filewright.text.terminators import normalised

#: Codecs whose bytes mean different things depending on what came before: no splice is safe in them.
_STATEFUL = frozenset({"utf_7", "hz", "iso2022_jp", "iso2022_jp_2004", "iso2022_kr", "utf_16", "utf_32"})


@dataclass(frozen=True, slots=True)
class Encoding:
    """What a file's bytes mean.

    `name` is Python's codec name; `bom` the byte-order mark that stands in the file (else b"");
    `confidence` 0 to 1; `guessed` when a detector had to choose; `sampled` when not every byte was
    looked at; `invalid` when it is UTF-8 with bytes that are not.
    """

    name: str
    bom: bytes = b""
    confidence: float = 1.0
    guessed: bool = False
    sampled: bool = False
    invalid: bool = False

    @property
    def is_utf8(self) -> bool:
        """Whether text is UTF-8 (ASCII included)."""
        return self.name == "utf-8"

    @property
    def width(self) -> int:
        """Bytes of a unit: 2 for UTF-16, else 1."""
        return 2 if self.name.startswith("utf-16") else 1

    @property
    def multibyte(self) -> bool:
        """Whether a character's later bytes may look like other characters (Shift-JIS, GB18030, …)."""
        return self.name in _MULTIBYTE

    @property
    def editable(self) -> bool:
        """Whether a splice can be made in it."""
        return self.width == 1 and codecs.lookup(self.name).name.replace("-", "_") not in _STATEFUL


_MULTIBYTE = frozenset(
    {
        "shift_jis", "cp932", "shift_jis_2004", "shift_jisx0213", "gb18030", "gbk", "gb2312", "big5",
        "big5hkscs", "cp950", "euc_jp", "euc_jis_2004", "euc_jisx0213", "euc_kr", "cp949", "johab",
    }
)  # fmt: skip


def named(name: str) -> str:
    """Python's canonical name of a text codec a caller asked for. Raises `invalid_input`."""
    try:
        info = codecs.lookup(name)
        "a".encode(info.name)
    except (LookupError, UnicodeError, ValueError) as error:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"unknown encoding {name!r}",
            hint="use a name such as utf-8, latin-1, cp1252, shift_jis or gb18030, or leave it out",
            details={"argument": "encoding"},
        ) from error
    simple = info.name.replace("_", "-")
    if simple in ("utf-8", "utf-8-sig", "ascii"):
        return "utf-8"
    if simple.startswith("utf-16"):
        return "utf-16-be" if simple.endswith("be") else "utf-16-le"
    return info.name.replace("-", "_")


def decoded(data: bytes, encoding: Encoding) -> str:
    """`data` as text with ``\\n`` terminators; undecodable bytes become U+FFFD. Never fails."""
    return normalised(data.decode(encoding.name, "replace"))


def check_text(text: str, argument: str) -> None:
    """Refuse text that holds half a surrogate pair (`invalid_input`)."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{argument} holds a lone surrogate at character {error.start + 1}: "
                f"U+{ord(text[error.start]):04X} is half of a character",
                hint="send the whole character",
                details={"argument": argument, "character": error.start},
            ) from error


def encoded(text: str, encoding: Encoding, terminator: bytes = b"\n", *, argument: str = "text") -> bytes:
    """`text` (any terminators) in the file's encoding, each line ending with `terminator`.

    Raises `unencodable` naming the first character the encoding lacks; `invalid_input` for a lone
    surrogate.
    """
    check_text(text, argument)
    plain = normalised(text)
    if terminator != b"\n":
        plain = plain.replace("\n", terminator.decode("ascii"))
    try:
        return plain.encode(encoding.name)
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise FilewrightError(
            Code.UNENCODABLE,
            f"{argument} holds {character!r} (U+{ord(character):04X}), which {encoding.name} cannot write",
            hint=f"use characters of {encoding.name}; the file's encoding is never changed by an edit",
            details={"argument": argument, "character": character, "encoding": encoding.name},
        ) from error


def is_boundary(before: bytes, encoding: Encoding) -> bool:
    """Whether a character may begin after `before`, the bytes from the start of its line.

    False when `before` ends inside a multi-byte character, so that a byte search never matches the
    second half of one.
    """
    if encoding.is_utf8:
        return True  # UTF-8 synchronises itself: encoded text never matches inside a character
    if not encoding.multibyte:
        return len(before) % encoding.width == 0
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    decoder.decode(before)
    return not decoder.getstate()[0]


def cut(data: bytes, limit: int, encoding: Encoding) -> bytes:
    """At most `limit` bytes of `data`, ending on a character boundary."""
    if len(data) <= limit:
        return data
    if encoding.is_utf8:
        end = limit
        while end > max(0, limit - 4) and data[end] & 0xC0 == 0x80:
            end -= 1
        return data[: end if data[end] & 0xC0 != 0x80 else limit]
    if encoding.width == 2:
        end = limit & ~1
        high = data[end - 1] if encoding.name.endswith("le") else data[end - 2]
        return data[: end - 2] if end >= 2 and 0xD8 <= high <= 0xDB else data[:end]
    if encoding.multibyte:
        decoder = codecs.getincrementaldecoder(encoding.name)("replace")
        decoder.decode(data[:limit])
        return data[: limit - len(decoder.getstate()[0])]
    return data[:limit]
