"""Codecs: the text of a few lines to the bytes of a splice, and back.

Both directions take the `Encoding` of the snapshot. No whole file is decoded.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from functools import cache

from filewright.errors import Code, FilewrightError, invalid
from filewright.hints import Hint

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

# Python's names of the encodings that filewright reads. A splice is safe in them, since
# they write ASCII letters and terminators as ASCII does and have no shift states.
# Others (EBCDIC, ISO 2022, UTF-7, UTF-32, and codecs that encode no text) are refused.
ENCODINGS = frozenset({"utf-8", "ascii", *WIDE, *_SINGLE_BYTE, *MULTIBYTE})


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a file.

    - `name`: Python's name of the codec.
    - `bom`: the byte-order mark of the file, or b"".
    - `confidence`: from 0 to 1.
    - `is_guess`: True if a detector chose it.
    - `is_sampled`: True if only a sample of the bytes was looked at.
    - `has_invalid_bytes`: True for UTF-8 with bytes that are not UTF-8.
    - `rivals`: the other encodings that a guess could have been.
    - `declared_label`: the label by which the text names its encoding. If filewright
      cannot write that encoding, `name` is "ascii".
    - `known_characters`: the characters beyond ASCII in the bytes that were looked at.
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
        """Return True for UTF-8, which includes ASCII."""
        return self.name == "utf-8"

    @property
    def unit_bytes(self) -> int:
        """Return the bytes of a code unit: 2 for UTF-16, else 1."""
        return 2 if self.name.startswith("utf-16") else 1

    @property
    def is_multibyte(self) -> bool:
        """Return True if a part of a character may look like another (Shift-JIS, …)."""
        return self.name in MULTIBYTE

    @property
    def contains_ascii(self) -> bool:
        """Return True if bytes of ASCII are the same text in this encoding."""
        return self.unit_bytes == 1 and _contains_ascii(self.name)


@cache
def _contains_ascii(name: str) -> bool:
    ascii_bytes = bytes(range(128))
    return ascii_bytes.decode(name, "replace") == ascii_bytes.decode("ascii")


# Names that other programs use and Python does not know.
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
    """Return the name in `ENCODINGS` for a label, as programs write it, or None."""
    # Emacs appends the kind of line ends to the name: latin-1-unix.
    plain = _LINE_END_SUFFIX.sub("", label.strip().lower().replace("-", "_"))
    plain = plain.replace("iso_latin_", "latin_")
    candidates = [label, plain, plain.removeprefix("x_")]
    numbered = _NUMBERED.fullmatch(plain.removeprefix("x_"))
    if numbered is not None:
        candidates.append(f"cp{numbered[1]}")
    for candidate in candidates:
        try:
            name = codecs.lookup(_ALIASES.get(candidate, candidate)).name
        except (LookupError, UnicodeError, ValueError):
            # A NUL or a very long name is no LookupError.
            continue
        if name.startswith("utf"):
            name = name.removesuffix("-sig")
        else:
            name = name.replace("-", "_")
        if name in ENCODINGS:
            return name
    return None


def require_encoding(name: str) -> str:
    """Return the name in `ENCODINGS` for a caller's name. Raises `invalid_input`."""
    encoding = find_encoding(name)
    if encoding is None:
        raise invalid(
            Hint(
                f"encoding={name!r} is not supported",
                shell=f"--encoding {name} is not supported",
            ),
            "use utf-8, ascii, utf-16 (also -le, -be), latin-1 and the other iso-8859 "
            "parts, cp1250 to cp1258, cp437, cp850, cp852, cp866, koi8-r, koi8-u, "
            "mac-roman, shift_jis, cp932, euc-jp, gbk, gb18030, big5, euc-kr or cp949; "
            "or leave it out to have it detected",
            argument="encoding",
        )
    return encoding


def normalize_newlines(text: str) -> str:
    """Replace each ``\\r\\n`` and lone ``\\r`` by ``\\n``."""
    if "\r" not in text:
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode(data: bytes, encoding: Encoding) -> str:
    """Return `data` as text with ``\\n`` line ends; invalid bytes become U+FFFD."""
    return normalize_newlines(data.decode(encoding.name, "replace"))


def check_text(text: str, argument: str) -> None:
    """Refuse text with half a surrogate pair. Raises `invalid_input`."""
    if text.isascii():
        return
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
    text: str,
    encoding: Encoding,
    terminator: bytes = b"\n",
    *,
    argument: str = "text",
) -> bytes:
    """Return `text` in the file's encoding, with `terminator` at the end of each line.

    Raises `unencodable` for the first character that the encoding lacks, or whose bytes
    are unsure because the encoding is only guessed, and `invalid_input` for a lone
    surrogate.
    """
    normalized = normalize_newlines(text)
    if terminator != b"\n":
        normalized = normalized.replace("\n", terminator.decode("ascii"))
    try:
        data = normalized.encode(encoding.name)
    except UnicodeEncodeError as error:
        # No encoding has half a surrogate pair, so that is not the encoding's fault.
        check_text(text, argument)
        character = error.object[error.start]
        raise _missing_character(character, encoding, argument) from error
    if encoding.rivals:
        _check_rivals(normalized, encoding, argument)
    return data


def _missing_character(
    character: str, encoding: Encoding, argument: str
) -> FilewrightError:
    name = encoding.name
    hint = f"use characters of {name}; the file's encoding is never changed by an edit"
    if encoding.declared_label:
        name = (
            f"{encoding.declared_label}, the encoding that the file declares,"
        )
        hint += "; if the declaration is wrong, change it in a call of its own first"
    return FilewrightError(
        Code.UNENCODABLE,
        f"{argument} holds {character!r} (U+{ord(character):04X}), "
        f"which {name} cannot write",
        hint,
        argument=argument,
        character=character,
        encoding=encoding.name,
    )


def _check_rivals(text: str, encoding: Encoding, argument: str) -> None:
    """Refuse a character that a guessed encoding and a rival of it write differently.

    A character that the file has already shows how it is written. Raises `unencodable`.
    """
    for character in dict.fromkeys(text):
        if character.isascii() or character in encoding.known_characters:
            continue
        for rival in encoding.rivals:
            if try_encode(rival, character) == character.encode(encoding.name):
                continue
            raise FilewrightError(
                Code.UNENCODABLE,
                f"{argument} holds {character!r} (U+{ord(character):04X}), "
                "which the file does not have yet, and the encoding is a "
                f"guess: {encoding.name}, or perhaps {rival}, which writes "
                "the character differently",
                Hint(
                    f'choose with encoding="{encoding.name}" '
                    f'or encoding="{rival}" in edit_content',
                    shell=f"choose with --encoding {encoding.name} or "
                    f"--encoding {rival} of filewright edit",
                ),
                argument=argument,
                character=character,
                encoding=encoding.name,
                rivals=list(encoding.rivals),
            )


def try_encode(name: str, text: str) -> bytes | None:
    """Return the bytes of a text in an encoding, or None if it lacks a character."""
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        return None


def cut_at_character(data: bytes, limit: int, encoding: Encoding) -> bytes:
    """Return at most `limit` bytes of `data`, without cutting a character."""
    if len(data) <= limit or not limit:
        return data[:limit]
    # Decoding the last few bytes is enough, unless a part of a character may look like
    # another one: then only the start of the data is surely the start of a character.
    start = 0
    if not encoding.is_multibyte:
        # An even offset, since a unit of UTF-16 has two bytes.
        start = max(0, limit - 8) // 2 * 2
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    decoder.decode(data[start:limit])
    pending_bytes, _ = decoder.getstate()
    return data[: limit - len(pending_bytes)]
