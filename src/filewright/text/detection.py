"""Which encoding a file has, from its byte-order mark, strict UTF-8, and only then a detector.

Files that are held are looked at whole (UTF-8 validation is a pass at memory speed); of larger ones
a bounded sample is read. The sample is cut on terminators where it can be, so that no character is
torn.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import replace

from filewright.errors import FilewrightError
from filewright.text.codec import Encoding, named

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
_MULTIBYTE = ("cp932", "euc_jp", "gb18030", "big5", "cp949")

_DECLARED = 1 << 10
"""How far from its beginning a text may declare its encoding."""
_DECLARATION = re.compile(
    rb"\A(?:[^\r\n]*(?:\r\n?|\n))?[^\r\n]*?\bcoding[:=][ \t]*([-\w.]+)"
    rb"|\bfileencoding=([-\w.]+)"
    rb"|\A<\?xml[^>]*?\bencoding=[\"']([-\w.]+)"
    rb"|<meta\b[^>]*?\bcharset=[\"']?([-\w.]+)"
    rb"|\A@charset \"([-\w.]+)",
)
_WIDE = ("utf-16", "utf-16-le", "utf-16-be")

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

#: Bytes of Windows-1252 that are punctuation in real text: ellipsis, quotes, bullet, dashes, spaces.
_PUNCTUATION = frozenset(b"\x80\x85\x91\x92\x93\x94\x95\x96\x97\x99\xa0\xa7\xa9\xab\xae\xb0\xb7\xbb")


def media_type(head: bytes) -> str | None:
    """The type of a binary file by its first bytes, or None if they say nothing."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((name for magic, name in _MAGIC if head.startswith(magic)), None)


def binary_type(read: Read, size: int) -> str | None:
    """The media type if the file is binary: a NUL in its first or last 8 KiB and no UTF-16 mark."""
    head = read(0, min(EDGE, size))
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "text/plain; charset=utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    tail = b"" if size <= EDGE else read(max(EDGE, size - EDGE), min(EDGE, size - EDGE))
    if b"\0" in head or b"\0" in tail:
        return media_type(head) or "application/octet-stream"
    return None


def detect(read: Read, size: int, *, whole: bool) -> Encoding:
    """The encoding of a text file; reads all of it only if `whole`."""
    head = read(0, min(4, size))
    for name in ("utf-16-le", "utf-16-be"):
        if head.startswith(_MARKS[name]):
            return Encoding(name, _MARKS[name])
    valid, sampled = _valid_utf8(read, size, whole)
    if head.startswith(codecs.BOM_UTF8):
        return Encoding("utf-8", codecs.BOM_UTF8, sampled=sampled, invalid=not valid)
    if valid:
        return Encoding("utf-8", sampled=sampled)
    sample = _suspicious(read, size, whole)
    guess = _guess(sample)
    if guess.invalid and not guess.rivals:
        return guess
    if declared := _declared(read(0, min(_DECLARED, size)), sample):
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


def with_name(name: str, read: Read, size: int) -> Encoding:
    """The encoding a caller named, with the mark the file has for it."""
    head = read(0, min(4, size))
    if name == "utf-16":
        name = "utf-16-be" if head.startswith(codecs.BOM_UTF16_BE) else "utf-16-le"
    mark = _MARKS.get(name, b"")
    return Encoding(name, mark if head.startswith(mark) else b"")


def _samples(read: Read, size: int) -> list[bytes]:
    if size <= 2 * SAMPLE:
        return [read(0, size)]
    step = (size - SAMPLE) // (_WINDOWS + 1)
    offsets = [SAMPLE // 2 + step * (i + 1) for i in range(_WINDOWS)]
    middle = [_whole_lines(read(o, min(_WINDOW, size - o))) for o in offsets]
    first, last = read(0, SAMPLE), read(size - SAMPLE // 2, SAMPLE // 2)
    first = first[: first.rfind(b"\n") + 1] or _trimmed(first)
    return [first, *middle, last[last.find(b"\n") + 1 :]]


def _whole_lines(data: bytes) -> bytes:
    start, end = data.find(b"\n"), data.rfind(b"\n")
    return data[start + 1 : end + 1] if 0 <= start < end else b""


def _trimmed(data: bytes) -> bytes:
    """`data` less a character torn at its end."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte < 0x80:
            break
        if byte >= 0xC0:
            return data[:-back]
    return data


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _valid_utf8(read: Read, size: int, whole: bool) -> tuple[bool, bool]:
    """Whether what was looked at is UTF-8, and whether that was only a sample."""
    if not whole and size > 2 * SAMPLE:
        return all(map(_is_utf8, _samples(read, size))), True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for offset in range(0, size, _BLOCK):
            block = read(offset, min(_BLOCK, size - offset))
            decoder.decode(block, final=offset + len(block) >= size)
    except UnicodeDecodeError:
        return False, False
    return True, False


def _suspicious(read: Read, size: int, whole: bool) -> bytes:
    """A sample that holds the first invalid bytes."""
    data = b"".join(_samples(read, size))
    if size <= 2 * SAMPLE or not whole or not _is_utf8(data):
        return data
    for offset in range(0, size, _BLOCK):
        lines = _whole_lines(read(offset, min(_BLOCK + SAMPLE, size - offset)))
        try:
            lines.decode("utf-8")
        except UnicodeDecodeError as error:
            middle = max(0, error.start - SAMPLE // 2)
            return _whole_lines(b"\n" + lines[middle : middle + SAMPLE]) or lines[middle : middle + SAMPLE]
    return data


def _guess(sample: bytes) -> Encoding:
    """The most likely encoding of a sample that is not UTF-8, or UTF-8 with damage."""
    text = sample.decode("utf-8", "surrogateescape")
    invalid = sum(1 for c in text if "\udc80" <= c <= "\udcff")
    valid = sum(1 for c in text if c > "\x7f") - invalid
    # Where no character at all is UTF-8, it may as well be a few letters of another encoding; 0xFF is none.
    stray = valid or set(re.findall(rb"[\x80-\xff]", sample)) == {b"\xff"}
    rivals = () if stray else _WESTERN[:1]
    damaged = Encoding("utf-8", confidence=0.5, guessed=True, invalid=True, rivals=rivals)
    if valid > 2 * invalid or _stray(sample):
        return damaged
    lines = b"".join(line for line in sample.splitlines(keepends=True) if not line.isascii())
    weights = _weights(lines)
    if valid * 2 >= invalid:
        # Some of it is UTF-8: only an encoding with long runs of high bytes explains that better.
        weights = {
            name: weight
            for name, weight in weights.items()
            if weight >= _CERTAIN and name in (*_MULTIBYTE, "cp874")
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
    candidates = [*_LATIN, *_MULTIBYTE] if latin else [*_LATIN, *_MULTIBYTE, *_OTHER]
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


def _stray(sample: bytes) -> bool:
    """Whether the high bytes look like damage rather than letters of some legacy encoding.

    Letters stand beside letters; a stray byte stands alone, and 0xFE and 0xFF are hardly letters.
    """
    high = [i for i, byte in enumerate(sample) if byte >= 0x80]
    odd = 0
    for i in high:
        around = sample[max(0, i - 1) : i] + sample[i + 1 : i + 2]
        beside = any(byte >= 0x80 or 65 <= byte <= 90 or 97 <= byte <= 122 for byte in around)
        if sample[i] >= 0xFE or (not beside and sample[i] not in _PUNCTUATION):
            odd += 1
    return odd * 2 > len(high)


def _words(lines: bytes) -> list[bytes]:
    """The words that are not ASCII."""
    return [word for word in re.split(rb"[^A-Za-z\x80-\xff]+", lines) if not word.isascii()]
