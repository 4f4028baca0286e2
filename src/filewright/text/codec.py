"""Codecs: shown text to bytes and back, never for a whole file.

Input is what a caller wrote, output is bytes for one splice; or input is the bytes of a few lines
and output is what is shown. Both directions are given the `Encoding` of the snapshot.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from filewright.errors import Code, FilewrightError, invalid

MULTIBYTE = (
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

WIDE = ("utf-16", "utf-16-le", "utf-16-be")

#: The encodings that are read, by Python's names. All write letters and terminators as ASCII does and have
#: no state, or a splice would not be safe in them; others (EBCDIC, ISO 2022, UTF-7, UTF-32, and what Python
#: calls a codec but is no encoding of text) are refused by not being here.
ENCODINGS = frozenset({"utf-8", "ascii", *WIDE, *_SINGLE_BYTE, *MULTIBYTE})


@dataclass(frozen=True, slots=True)
class Encoding:
    """What a file's bytes mean.

    `name` is Python's codec name; `bom` the byte-order mark of the file (else b"");
    `confidence` 0 to 1; `guessed` when a detector had to choose; `sampled` when not every byte was
    looked at; `invalid` when it is UTF-8 with bytes that are not. Of a guess, `rivals` are the other
    encodings it could nearly as well have been, `seen` the characters beyond ASCII that were looked at.
    `declared` is the label by which the text itself names its encoding; where that one cannot be written,
    `name` is "ascii".
    """

    name: str
    bom: bytes = b""
    confidence: float = 1.0
    is_guess: bool = False
    is_sampled: bool = False
    has_invalid_bytes: bool = False
    rivals: tuple[str, ...] = ()
    declared_label: str = ""
    known_characters: frozenset[str] = field(
        default=frozenset(), repr=False, compare=False
    )

    @property
    def is_utf8(self) -> bool:
        """Whether text is UTF-8 (ASCII included)."""
        return self.name == "utf-8"

    @property
    def unit_bytes(self) -> int:
        """Bytes of a unit: 2 for UTF-16, else 1."""
        return 2 if self.name.startswith("utf-16") else 1

    @property
    def is_multibyte(self) -> bool:
        """Whether a character's later bytes may look like other characters (Shift-JIS, GB18030, …)."""
        return self.name in MULTIBYTE

    @property
    def contains_ascii(self) -> bool:
        """Whether every ASCII byte is that ASCII character, and a text of such bytes needs no decoding."""
        return self.unit_bytes == 1 and _contains_ascii(self.name)


@cache
def _contains_ascii(name: str) -> bool:
    ascii_bytes = bytes(range(128))
    return ascii_bytes.decode(name, "replace") == ascii_bytes.decode("ascii")


#: Names that other programs use and Python does not know.
_ALIASES = {
    "windows_31j": "cp932", "japanese_shift_jis": "cp932", "mule_utf_8": "utf-8",
    "unicode_1_1_utf_8": "utf-8", "utf8x": "utf-8", "euc_japan": "euc_jp", "japanese_iso_8bit": "euc_jp",
    "gb_2312": "gb18030", "chinese_gbk": "gbk", "chinese_big5": "big5", "x_big5": "big5", "korean_iso_8bit": "euc_kr",
    "ansinew": "cp1252", "applemac": "mac_roman", "iso_8859_8_i": "iso8859_8",
    "iso_8859_8_e": "iso8859_8", "cyrillic_koi8": "koi8_r", "cyrillic_iso_8bit": "iso8859_5",
}  # fmt: skip
_NUMBERED = re.compile(r"(?:windows|win|ibm|cp)_?(\d{3,4})")
_LINE_END_SUFFIX = re.compile(r"_(?:unix|dos|mac)\Z")


def find_encoding(label: str) -> str | None:
    """Return the encoding of `ENCODINGS` that a label means, as programs and standards write it; None for others."""
    plain = _LINE_END_SUFFIX.sub("", label.strip().lower().replace("-", "_"))
    plain = plain.replace("iso_latin_", "latin_")
    candidates = [label, plain, plain.removeprefix("x_")]
    if numbered := _NUMBERED.fullmatch(plain.removeprefix("x_")):
        candidates.append(f"cp{numbered[1]}")
    for candidate in candidates:
        try:
            name = codecs.lookup(_ALIASES.get(candidate, candidate)).name
        except (LookupError, UnicodeError, ValueError):
            continue
        name = (
            name.removesuffix("-sig")
            if name.startswith("utf")
            else name.replace("-", "_")
        )
        if name in ENCODINGS:
            return name
    return None


def require_encoding(name: str) -> str:
    """The encoding a caller asked for, by its name here: one of `ENCODINGS`. Raises `invalid_input`."""
    found = find_encoding(name)
    if found is None:
        raise invalid(
            f"encoding={name!r} is not one that files are read in",
            "use utf-8, ascii, utf-16 (also -le, -be), latin-1 and the other iso-8859 parts, cp1250 to cp1258, cp437, "
            "cp850, cp852, cp866, koi8-r, koi8-u, mac-roman, shift_jis, cp932, euc-jp, gbk, gb18030, big5, euc-kr "
            "or cp949; or leave it out to have it detected",
            argument="encoding",
        )
    return found


def normalize_newlines(text: str) -> str:
    """`text` with ``\\n`` for each ``\\r\\n`` and lone ``\\r``."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def decode(data: bytes, encoding: Encoding) -> str:
    """`data` as text with ``\\n`` terminators; undecodable bytes become U+FFFD. Never fails."""
    return normalize_newlines(data.decode(encoding.name, "replace"))


def check_text(text: str, argument: str) -> None:
    """Refuse text that holds half a surrogate pair (`invalid_input`)."""
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise invalid(
                f"{argument} holds a lone surrogate at character {error.start + 1}: "
                f"U+{ord(text[error.start]):04X} is half of a character",
                "send the whole character",
                argument=argument,
                character=error.start,
            ) from error


def encode(
    text: str, encoding: Encoding, terminator: bytes = b"\n", *, argument: str = "text"
) -> bytes:
    """`text` (any terminators) in the file's encoding, each line ending with `terminator`.

    Raises `unencodable` naming the first character the encoding lacks, or that may be other bytes
    than these because the encoding is a weak guess; `invalid_input` for a lone surrogate.
    """
    plain = normalize_newlines(text)
    if terminator != b"\n":
        plain = plain.replace("\n", terminator.decode("ascii"))
    try:
        data = plain.encode(encoding.name)
    except UnicodeEncodeError as error:
        check_text(text, argument)  # half a surrogate pair is written in no encoding
        character = error.object[error.start]
        name, hint = encoding.name, "the file's encoding is never changed by an edit"
        if encoding.declared_label:
            name = f"{encoding.declared_label}, the encoding that the file declares,"
            hint += (
                "; if the declaration is wrong, change it in a call of its own first"
            )
        raise FilewrightError(
            Code.UNENCODABLE,
            f"{argument} holds {character!r} (U+{ord(character):04X}), which {name} cannot write",
            f"use characters of {encoding.name}; {hint}",
            argument=argument,
            character=character,
            encoding=encoding.name,
        ) from error
    # A character that the file does not hold, and whose bytes depend on which guess is right, is not written.
    for character, rival in product(
        dict.fromkeys(plain) if encoding.rivals else (), encoding.rivals
    ):
        known = character.isascii() or character in encoding.known_characters
        if not known and try_encode(rival, character) != character.encode(
            encoding.name
        ):
            raise FilewrightError(
                Code.UNENCODABLE,
                f"{argument} holds {character!r} (U+{ord(character):04X}), which is not in the file yet, "
                f"and the file's encoding is only guessed: {encoding.name}, or perhaps {rival}, "
                "which writes it differently",
                f'say which it is with encoding="{encoding.name}" or encoding="{rival}" in edit_content',
                argument=argument,
                character=character,
                encoding=encoding.name,
                rivals=list(encoding.rivals),
            )
    return data


def try_encode(name: str, text: str) -> bytes | None:
    """The bytes of a text in a codec; None if it lacks a character."""
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        return None


def cut_at_character(data: bytes, limit: int, encoding: Encoding) -> bytes:
    """At most `limit` bytes of `data`, ending on a character boundary."""
    if len(data) <= limit or not limit:
        return data[:limit]
    # Only where a byte of a character may look like another one is it not known nearby where one begins.
    begin = 0 if encoding.is_multibyte else max(0, limit - 8) // 2 * 2
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    decoder.decode(data[begin:limit])
    return data[: limit - len(decoder.getstate()[0])]
