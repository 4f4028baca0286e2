"""Codecs: shown text to bytes and back, never for a whole file; and which encoding a file has.

Input is what a caller wrote, output is bytes for one splice; or input is the bytes of a few lines
and output is what is shown. Both directions are given the `Encoding` of the snapshot.

It is found out from the byte-order mark, by strict UTF-8, and only then by a detector. Files that are held are
looked at whole (UTF-8 validation is a pass at memory speed); of larger ones a bounded sample is read, cut on
terminators where it can be, so that no character is torn.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product

from filewright.errors import Code, FilewrightError, invalid

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

_WIDE = ("utf-16", "utf-16-le", "utf-16-be")

#: The encodings that are read, by Python's names. All write letters and terminators as ASCII does and have
#: no state, or a splice would not be safe in them; others (EBCDIC, ISO 2022, UTF-7, UTF-32, and what Python
#: calls a codec but is no encoding of text) are refused by not being here.
ENCODINGS = frozenset({"utf-8", *_WIDE, *_SINGLE_BYTE, *_MULTIBYTE})


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
        known = codecs.lookup(name).name
    except (LookupError, UnicodeError, ValueError):
        known = ""
    known = known.replace("-", "_") if not known.startswith("utf") else known
    found = {"utf-8-sig": "utf-8", "ascii": "utf-8"}.get(known, known)
    if found not in ENCODINGS:
        raise invalid(
            f"encoding={name!r} is not one that files are read in",
            "use utf-8, utf-16 (also -le, -be), latin-1 and the other iso-8859 parts, cp1250 to cp1258, cp437, "
            "cp850, cp852, cp866, koi8-r, koi8-u, mac-roman, shift_jis, cp932, euc-jp, gbk, gb18030, big5, euc-kr "
            "or cp949; or leave it out to have it detected",
            argument="encoding",
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
            raise invalid(
                f"{argument} holds a lone surrogate at character {error.start + 1}: "
                f"U+{ord(text[error.start]):04X} is half of a character",
                "send the whole character",
                argument=argument,
                character=error.start,
            ) from error


def encoded(text: str, encoding: Encoding, terminator: bytes = b"\n", *, argument: str = "text") -> bytes:
    """`text` (any terminators) in the file's encoding, each line ending with `terminator`.

    Raises `unencodable` naming the first character the encoding lacks, or that may be other bytes
    than these because the encoding is a weak guess; `invalid_input` for a lone surrogate.
    """
    plain = normalised(text)
    if terminator != b"\n":
        plain = plain.replace("\n", terminator.decode("ascii"))
    try:
        data = plain.encode(encoding.name)
    except UnicodeEncodeError as error:
        check_text(text, argument)  # half a surrogate pair is written in no encoding
        character = error.object[error.start]
        raise FilewrightError(
            Code.UNENCODABLE,
            f"{argument} holds {character!r} (U+{ord(character):04X}), which {encoding.name} cannot write",
            f"use characters of {encoding.name}; the file's encoding is never changed by an edit",
            argument=argument,
            character=character,
            encoding=encoding.name,
        ) from error
    # A character that the file does not hold, and whose bytes depend on which guess is right, is not written.
    for character, rival in product(dict.fromkeys(plain) if encoding.rivals else (), encoding.rivals):
        known = character.isascii() or character in encoding.seen
        if not known and bytes_in(rival, character) != character.encode(encoding.name):
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


def bytes_in(name: str, text: str) -> bytes | None:
    """The bytes of a text in a codec; None if it lacks a character."""
    try:
        return text.encode(name)
    except UnicodeEncodeError:
        return None


def cut(data: bytes, limit: int, encoding: Encoding) -> bytes:
    """At most `limit` bytes of `data`, ending on a character boundary."""
    if len(data) <= limit or not limit:
        return data[:limit]
    # Only where a byte of a character may look like another one is it not known nearby where one begins.
    begin = 0 if encoding.multibyte else max(0, limit - 8) // 2 * 2
    decoder = codecs.getincrementaldecoder(encoding.name)("replace")
    decoder.decode(data[begin:limit])
    return data[: limit - len(decoder.getstate()[0])]


# Which encoding a file has: its mark, strict UTF-8, and only then a guess

EDGE = 8 << 10
"""How far from each end a NUL makes a file binary."""

SAMPLE = 64 << 10
_WINDOW = 4 << 10
_WINDOWS = 14
_BLOCK = 1 << 20

#: What a file may be guessed to be: the superset where one contains the other, so that each reading is
#: there once. Latin scripts first: what a few letters cannot tell apart is the first of them.
_WESTERN = ("cp1252", "iso8859_15")
_LATIN = (*_WESTERN, "cp1250", "iso8859_2", "cp1254", "cp1257")
_OTHER = (
    "cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5", "cp1253", "iso8859_7", "cp1255",
    "cp1256", "iso8859_6", "cp874",
)  # fmt: skip
_EAST_ASIAN = ("cp932", "euc_jp", "gb18030", "big5", "cp949")

_DECLARED = 1 << 10
"""How far from its beginning a text may declare its encoding."""
_DECLARATION = re.compile(
    rb"\A(?:[^\r\n]*(?:\r\n?|\n))?[^\r\n]*?\bcoding[:=][ \t]*([-\w.]+)"
    rb"|\bfileencoding=([-\w.]+)"
    rb"|\A<\?xml[^>]*?\bencoding=[\"']([-\w.]+)"
    rb"|<meta\b[^>]*?\bcharset=[\"']?([-\w.]+)"
    rb"|\A@charset \"([-\w.]+)",
)

_CLEARLY = 1.25  # how many times as likely another encoding of Latin letters must be than cp1252
_CERTAIN = 0.1  # how likely another reading of what may be damaged UTF-8 must be
_RIVAL = 0.6  # how likely, against the best, an encoding must be to cast doubt on a guess from few words
_RIVAL_OF_MANY = 0.95  # the same for a guess from many words

_MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}

Read = Callable[[int, int], bytes]

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "application/x-elf"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\x00asm", "application/wasm"),
    (b"MZ", "application/vnd.microsoft.portable-executable"),
)

_HIGH = re.compile(rb"[\x80-\xff]")
#: Neither beside a letter nor, in Windows-1252, punctuation: ellipsis, quotes, bullet, dashes, spaces.
_ODD = re.compile(
    rb"[\xfe\xff]|(?<![A-Za-z\x80-\xff])(?![\x80\x85\x91-\x97\x99\xa0\xa7\xa9\xab\xae\xb0\xb7\xbb])"
    rb"[\x80-\xff](?![A-Za-z\x80-\xff])"
)


def media_type(head: bytes) -> str | None:
    """The type of a binary file by its first bytes, or None if they say nothing."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def detect(read: Read, size: int, *, whole: bool, asked: str | None = None) -> Encoding:
    """The encoding of a text file, or the one that was `asked` for with the mark that the file has for it.

    Reads all of it only if `whole`.
    """
    head = read(0, 4)
    if asked is not None:
        if asked == "utf-16":
            asked = "utf-16-be" if head.startswith(codecs.BOM_UTF16_BE) else "utf-16-le"
        mark = _MARKS.get(asked, b"")
        return Encoding(asked, mark if head.startswith(mark) else b"")
    for name in ("utf-16-le", "utf-16-be"):
        if head.startswith(_MARKS[name]):
            return Encoding(name, _MARKS[name])
    sampled = not whole and size > 2 * SAMPLE
    broken, valid = None, True
    if sampled:
        valid = all(map(_is_utf8, _samples(read, size)))
    else:
        decoder = codecs.getincrementaldecoder("utf-8")()
        for offset in range(0, size, _BLOCK):
            try:
                decoder.decode(read(offset, _BLOCK), final=offset + _BLOCK >= size)
            except UnicodeDecodeError as error:
                broken, valid = offset + error.start, False  # about where it stops being UTF-8
                break
    if head.startswith(codecs.BOM_UTF8):
        return Encoding("utf-8", codecs.BOM_UTF8, invalid=not valid)  # the mark says it, whatever is not
    if valid:
        return Encoding("utf-8", sampled=sampled)
    sample = b"".join(_samples(read, size))
    if broken is not None and size > 2 * SAMPLE and _is_utf8(sample):
        around = read(max(0, broken - SAMPLE // 2), SAMPLE)
        sample = _whole_lines(b"\n" + around) or around
    guess = _guess(sample)
    if guess.invalid and not guess.rivals:
        return guess
    if declared := _declared(read(0, _DECLARED), sample):
        return Encoding(declared, sampled=sampled)
    return guess if guess.invalid else replace(guess, sampled=sampled)


def _declared(head: bytes, sample: bytes) -> str:
    """The encoding that the first lines of a text declare, if the sample can be that; else "".

    As Python and Emacs do (``coding:``), Vim, XML, HTML and CSS. UTF-8 was ruled out by the bytes.
    """
    found = _DECLARATION.search(head)
    try:
        name = named(next(filter(None, found.groups())).decode("ascii")) if found else ""
        text = sample.decode(name) if name else ""
    except (FilewrightError, UnicodeDecodeError):
        return ""
    if name in ("", "utf-8", *_WIDE) or any("\x80" <= c <= "\x9f" for c in text):
        return ""  # no text has control characters: it is rather cp1252 that calls itself Latin-1
    return name


def _samples(read: Read, size: int) -> list[bytes]:
    if size <= 2 * SAMPLE:
        return [read(0, size)]
    step = (size - SAMPLE) // (_WINDOWS + 1)
    offsets = [SAMPLE // 2 + step * (i + 1) for i in range(_WINDOWS)]
    middle = [_whole_lines(read(o, min(_WINDOW, size - o))) for o in offsets]
    first, last = read(0, SAMPLE), read(size - SAMPLE // 2, SAMPLE // 2)
    first = first[: first.rfind(b"\n") + 1] or cut(first, len(first) - 1, Encoding("utf-8"))
    return [first, *middle, last[last.find(b"\n") + 1 :]]


def _whole_lines(data: bytes) -> bytes:
    start, end = data.find(b"\n"), data.rfind(b"\n")
    return data[start + 1 : end + 1] if 0 <= start < end else b""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(sample: bytes) -> Encoding:
    """The most likely encoding of a sample that is not UTF-8, or UTF-8 with damage."""
    text = sample.decode("utf-8", "surrogateescape")
    invalid = sum(1 for c in text if "\udc80" <= c <= "\udcff")
    valid = sum(1 for c in text if c > "\x7f") - invalid
    # Where no character at all is UTF-8, it may as well be a few letters of another encoding; 0xFF is none.
    stray = valid or set(_HIGH.findall(sample)) == {b"\xff"}
    rivals = () if stray else _WESTERN[:1]
    damaged = Encoding("utf-8", confidence=0.5, guessed=True, invalid=True, rivals=rivals)
    # Letters stand beside letters; a stray byte stands alone, and 0xFE and 0xFF are hardly letters.
    if valid > 2 * invalid or 2 * len(_ODD.findall(sample)) > len(_HIGH.findall(sample)):
        return damaged
    lines = b"".join(line for line in sample.splitlines(keepends=True) if not line.isascii())
    weights = _weights(lines)
    if valid * 2 >= invalid:
        # Some of it is UTF-8: only an encoding with long runs of high bytes explains that better.
        weights = {
            name: weight
            for name, weight in weights.items()
            if weight >= _CERTAIN and name in (*_EAST_ASIAN, "cp874")
        }
    if not weights:
        return damaged
    best = max(weights, key=lambda name: weights[name])
    western = max(weights.get(name, 0.0) for name in _WESTERN)
    if "cp1252" in weights and best in _LATIN:
        clear = weights[best] >= _CLEARLY * western and lines.decode(best) != lines.decode("cp1252")
        best = best if clear else "cp1252"
    shown = lines.decode(best)
    others = {name: weight for name, weight in weights.items() if lines.decode(name) != shown}
    strongest = max(others.values(), default=0.0)
    doubtful = weights[best] * min(_RIVAL + len(_words(lines)) / 100, _RIVAL_OF_MANY)
    return Encoding(
        best,
        confidence=min(0.99, weights[best] / (weights[best] + strongest)),  # a guess is never certain
        guessed=True,
        rivals=tuple(name for name, weight in weights.items() if name != best and weight >= doubtful),
        seen=frozenset(c for c in shown if c > "\x7f"),
    )


def _weights(lines: bytes) -> dict[str, float]:
    """How likely each encoding is that the bytes are valid in, the most likely first."""
    import chardet

    controls = re.search(rb"[\x80-\x9f]", lines) is not None
    # Where most words with high bytes hold ASCII letters, or are one letter, the script is Latin.
    words = _words(lines)
    latin = sum(1 for word in words if len(word) == 1 or re.search(rb"[A-Za-z]", word)) * 2 > len(words)
    candidates = [*_LATIN, *_EAST_ASIAN, *(() if latin else _OTHER)]
    found = chardet.detect_all(
        lines,
        include_encodings=[name.replace("_", "-") for name in candidates],
        no_match_encoding="cp1252",
        ignore_threshold=True,
    )
    weights: dict[str, float] = {}
    for each in found:
        name = codecs.lookup(each["encoding"] or "cp1252").name.replace("-", "_")
        if controls and name.startswith("iso8859"):
            continue  # of which no text holds the control characters
        try:
            lines.decode(name)
        except UnicodeDecodeError:
            continue
        weights[name] = max(float(each["confidence"] or 0.0), 0.01)
    return weights


def _words(lines: bytes) -> list[bytes]:
    """The words that are not ASCII."""
    return [word for word in re.split(rb"[^A-Za-z\x80-\xff]+", lines) if not word.isascii()]
