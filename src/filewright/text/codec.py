"""Codecs: shown text to bytes and back, never for a whole file.

Input is what a caller wrote, output is bytes for one splice; or input is the bytes of a few lines
and output is what is shown. Both directions are given the `Encoding` of the snapshot.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field

from filewright.errors import Code, FilewrightError

_MULTIBYTE = (
    "shift_jis", "cp932", "shift_jis_2004", "shift_jisx0213", "gb18030", "gbk", "gb2312", "big5",
    "big5hkscs", "cp950", "euc_jp", "euc_jis_2004", "euc_jisx0213", "euc_kr", "cp949", "johab",
)  # fmt: skip
_SINGLE_BYTE = (
    *(f"cp{number}" for number in range(1250, 1259)),
    *(f"iso8859_{part}" for part in range(1, 17) if part != 12),
    "koi8_r", "koi8_u", "koi8_t", "kz1048", "ptcp154", "cp1125", "cp874", "tis_620", "hp_roman8",
    "cp437", "cp720", "cp737", "cp775", "cp850", "cp852", "cp855", "cp857", "cp858", "cp860", "cp861",
    "cp862", "cp863", "cp864", "cp865", "cp866", "cp869", "cp1006",
    "mac_roman", "mac_latin2", "mac_cyrillic", "mac_greek", "mac_turkish", "mac_iceland", "mac_croatian",
    "mac_romanian",
)  # fmt: skip

#: The encodings that are read, by Python's names. All write letters and terminators as ASCII does and have
#: no state, or a splice would not be safe in them; others (EBCDIC, ISO 2022, UTF-7, UTF-32, and what Python
#: calls a codec but is no encoding of text) are refused by not being here.
ENCODINGS = frozenset({"utf-8", "utf-16", "utf-16-le", "utf-16-be", *_SINGLE_BYTE, *_MULTIBYTE})

_KNOWN = (
    "utf-8, utf-16 (also -le, -be), latin-1 and the other iso-8859 parts, cp1250 to cp1258, cp437, cp850, "
    "cp852, cp866, koi8-r, koi8-u, mac-roman, shift_jis, cp932, euc-jp, gbk, gb18030, big5, euc-kr or cp949"
)


@dataclass(frozen=True, slots=True)
class Encoding:
    """What a file's bytes mean.

    `name` is Python's codec name; `bom` the byte-order mark of the file (else b"");
    `confidence` 0 to 1; `guessed` when a detector had to choose; `sampled` when not every byte was
    looked at; `invalid` when it is UTF-8 with bytes that are not. Of a guess, `rivals` are the other
    encodings it could nearly as well have been, `seen` the characters beyond ASCII that were looked at.
    """

    name: str
    bom: bytes = b""
    confidence: float = 1.0
    guessed: bool = False
    sampled: bool = False
    invalid: bool = False
    rivals: tuple[str, ...] = ()
    seen: frozenset[str] = field(default=frozenset(), repr=False, compare=False)

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


def named(name: str) -> str:
    """The encoding a caller asked for, by its name here: one of `ENCODINGS`. Raises `invalid_input`."""
    try:
        known = codecs.lookup(name).name.replace("-", "_")
    except (LookupError, UnicodeError, ValueError):
        known = ""
    plain = {"utf_8": "utf-8", "utf_8_sig": "utf-8", "ascii": "utf-8", "utf_16": "utf-16"}
    plain |= {"utf_16_le": "utf-16-le", "utf_16_be": "utf-16-be"}
    found = plain.get(known, known)
    if found not in ENCODINGS:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"encoding={name!r} is not one that files are read in",
            hint=f"use {_KNOWN}; or leave it out to have it detected",
            details={"argument": "encoding"},
        )
    return found


def normalised(text: str) -> str:
    """`text` with ``\\n`` for each ``\\r\\n`` and lone ``\\r``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


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

    Raises `unencodable` naming the first character the encoding lacks, or that may be other bytes
    than these because the encoding is a weak guess; `invalid_input` for a lone surrogate.
    """
    check_text(text, argument)
    plain = normalised(text)
    if terminator != b"\n":
        plain = plain.replace("\n", terminator.decode("ascii"))
    try:
        data = plain.encode(encoding.name)
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise FilewrightError(
            Code.UNENCODABLE,
            f"{argument} holds {character!r} (U+{ord(character):04X}), which {encoding.name} cannot write",
            hint=f"use characters of {encoding.name}; the file's encoding is never changed by an edit",
            details={"argument": argument, "character": character, "encoding": encoding.name},
        ) from error
    if encoding.rivals and not plain.isascii():
        _check_guess(plain, encoding, argument)
    return data


def _check_guess(text: str, encoding: Encoding, argument: str) -> None:
    """Refuse a character that the file does not hold and whose bytes depend on which guess is right."""
    for character in dict.fromkeys(text):
        if character.isascii() or character in encoding.seen:
            continue
        data = character.encode(encoding.name)
        for rival in encoding.rivals:
            if _bytes_in(rival, character) != data:
                raise FilewrightError(
                    Code.UNENCODABLE,
                    f"{argument} holds {character!r} (U+{ord(character):04X}), which is not in the file yet, "
                    f"and the file's encoding is only guessed: {encoding.name}, or perhaps {rival}, "
                    "which writes it differently",
                    hint=f'say which it is with encoding="{encoding.name}" or encoding="{rival}" in '
                    "edit_content",
                    details={
                        "argument": argument,
                        "character": character,
                        "encoding": encoding.name,
                        "rivals": list(encoding.rivals),
                    },
                )


def _bytes_in(name: str, character: str) -> bytes | None:
    try:
        return character.encode(name)
    except UnicodeEncodeError:
        return None


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
