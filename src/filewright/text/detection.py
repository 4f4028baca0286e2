"""Detection of a file's encoding.

The evidence is, in this order: the byte-order mark, strict UTF-8, the declaration in
the text, and a detector. Content in memory is looked at as a whole; of a larger file a
bounded sample is read, cut at line ends where possible, so that no character is cut.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from filewright.text.codec import ENCODINGS, WIDE, Encoding, cut_at_character
from filewright.text.declaration import (
    DECLARED_BYTES,
    TRAILER_BYTES,
    Declaration,
    find_declaration,
)
from filewright.text.stateful import stateful_encoding

EDGE_BYTES = 8 << 10
"""A NUL within this distance of the start or the end makes a file binary."""

SAMPLE_BYTES = 64 << 10
_WINDOW_BYTES = 4 << 10
_WINDOWS = 14
_BLOCK_BYTES = 1 << 20
_MAX_STATEFUL_BYTES = 4 << 20
"""Content in memory up to this size is searched for shift states as a whole."""

# The encodings that a guess may choose. Of two encodings where one contains the other
# only the larger is here. Latin scripts come first: of readings that a few letters
# cannot tell apart the first is chosen.
_WESTERN = ("cp1252", "iso8859_15")
_LATIN = (*_WESTERN, "cp1250", "iso8859_2", "cp1254", "cp1257")
_OTHER = (
    "cp1251", "koi8_r", "koi8_u", "cp866", "iso8859_5", "cp1253", "iso8859_7", "cp1255",
    "cp1256", "iso8859_6", "cp874",
)  # fmt: skip
_EAST_ASIAN = ("cp932", "euc_jp", "gb18030", "big5", "cp949")

# Another encoding of Latin letters must be so many times as likely as cp1252.
_CLEAR_RATIO = 1.25
# Another reading of damaged UTF-8 must be at least so likely.
_MIN_WEIGHT_OVER_UTF8 = 0.1
# An encoding is a rival if it is so likely, against the best one: for a guess from few
# words, and for one from many.
_RIVAL_RATIO = 0.6
_RIVAL_RATIO_OF_MANY_WORDS = 0.95

_FEW_WORDS = 4
"""From fewer words that are not ASCII, a guess is not trusted for other letters."""
_TEXT_CATEGORIES = frozenset(
    {
        "Lu",
        "Ll",
        "Lo",
        "Mn",
        "Mc",
        "Nd",
        "Pd",
        "Ps",
        "Pe",
        "Pi",
        "Pf",
        "Po",
        "Zs",
    }
)
_WORD = re.compile(r"[^\s\x00-@\[-`{-\x7f–—‘’“”«»]+")
_SURE_CONTINUATION_BYTES = 4
"""With so many continuation bytes, a text with some invalid bytes is surely UTF-8."""

_MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}

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
    (b"\x04\x22\x4d\x18", "application/x-lz4"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\x00asm", "application/wasm"),
    (b"MZ", "application/vnd.microsoft.portable-executable"),
)

_HIGH_BYTE = re.compile(rb"[\x80-\xff]")
# A high byte that is neither beside a letter nor punctuation of Windows-1252.
_STRAY_BYTE = re.compile(
    rb"[\xfe\xff]|(?<![A-Za-z\x80-\xff])(?![\x80\x85\x91-\x97\x99\xa0\xa7\xa9\xab\xae\xb0\xb7\xbb])"
    rb"[\x80-\xff](?![A-Za-z\x80-\xff])"
)

_SIGN_IN_WORD = re.compile(
    r"(?<=[^\W\d_])[^\w\s\x00-\x7f’·־׳״\xad\u200c\u200d](?=[^\W\d_])|[\x80-\x9f]"
)
"""A sign between two letters: a text read in a wrong encoding has many of them."""


def media_type(head: bytes) -> str | None:
    """Return the media type of a binary file by its first bytes, or None if unknown."""
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    return None


def detect_encoding(
    read_at: Read,
    size: int,
    *,
    whole: bool,
    requested: str | None = None,
    file_name: bytes = b"",
) -> Encoding:
    """Return the encoding of a text file.

    `requested` is the encoding that the caller asked for, if any; it gets the
    byte-order mark that the file has. The whole file is read only if `whole`. The
    suffix of `file_name` decides which declarations count.
    """
    head = read_at(0, 4)
    if requested is not None:
        return _requested_encoding(requested, head)
    for name in ("utf-16-le", "utf-16-be"):
        if head.startswith(_MARKS[name]):
            return Encoding(name, _MARKS[name])
    is_sampled = not whole and size > 2 * SAMPLE_BYTES
    if is_sampled:
        evidence = _sampled_evidence(read_at, size)
    else:
        evidence = _evidence(read_at, size)
    if head.startswith(codecs.BOM_UTF8):
        # The mark decides, even if some bytes are not UTF-8.
        return Encoding(
            "utf-8", codecs.BOM_UTF8, has_invalid_bytes=not evidence.is_utf8
        )
    if evidence.is_utf8 and not evidence.is_ascii:
        return Encoding("utf-8", is_sampled=is_sampled)
    declaration = _declaration(read_at, size, file_name)
    if evidence.is_ascii:
        # ASCII bytes are the same in all encodings. Other programs will read the file
        # in the encoding that it declares.
        if declaration is None or declaration.encoding in ("utf-8", *WIDE):
            return Encoding("utf-8", is_sampled=is_sampled)
        return Encoding(
            declaration.encoding or "ascii",
            is_sampled=is_sampled,
            declared_label=declaration.label,
        )
    sample = _guess_sample(read_at, size, evidence.first_invalid)
    guess = _guess(sample)
    if guess.has_invalid_bytes and not guess.rivals:
        # Surely UTF-8 with some damage, whatever the text declares.
        return guess
    if declaration is not None and _is_possible(declaration.encoding, sample):
        return Encoding(
            declaration.encoding,
            is_sampled=is_sampled,
            declared_label=declaration.label,
        )
    if guess.has_invalid_bytes:
        return guess
    return replace(guess, is_sampled=is_sampled)


def _requested_encoding(name: str, head: bytes) -> Encoding:
    if name == "utf-16":
        name = (
            "utf-16-be" if head.startswith(codecs.BOM_UTF16_BE) else "utf-16-le"
        )
    mark = _MARKS.get(name, b"")
    return Encoding(name, mark if head.startswith(mark) else b"")


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Facts about the bytes of a file or of its samples.

    `first_invalid` is the offset at which they stop being UTF-8, as far as known. It
    may be a few bytes off where a character crosses the edge of a block.
    """

    is_utf8: bool
    is_ascii: bool
    first_invalid: int | None = None


def _sampled_evidence(read_at: Read, size: int) -> _Evidence:
    samples = _samples(read_at, size)
    return _Evidence(
        is_utf8=all(map(_is_utf8, samples)),
        is_ascii=all(map(bytes.isascii, samples)),
    )


def _evidence(read_at: Read, size: int) -> _Evidence:
    decoder = codecs.getincrementaldecoder("utf-8")()
    is_ascii = True
    for offset in range(0, size, _BLOCK_BYTES):
        block = read_at(offset, _BLOCK_BYTES)
        is_ascii = is_ascii and block.isascii()
        try:
            decoder.decode(block, final=offset + _BLOCK_BYTES >= size)
        except UnicodeDecodeError as error:
            return _Evidence(
                is_utf8=False,
                is_ascii=False,
                first_invalid=offset + error.start,
            )
    return _Evidence(is_utf8=True, is_ascii=is_ascii)


def _guess_sample(read_at: Read, size: int, first_invalid: int | None) -> bytes:
    """Return the bytes to guess from; they contain an invalid byte if one is known."""
    sample = b"".join(_samples(read_at, size))
    if (
        first_invalid is None
        or size <= 2 * SAMPLE_BYTES
        or not _is_utf8(sample)
    ):
        return sample
    around = read_at(max(0, first_invalid - SAMPLE_BYTES // 2), SAMPLE_BYTES)
    return _whole_lines(b"\n" + around) or around


def find_stateful_encoding(
    read_at: Read, size: int, *, whole: bool
) -> str | None:
    """Return the encoding with shift states of a file of ASCII bytes, or None."""
    if whole and size <= _MAX_STATEFUL_BYTES:
        return stateful_encoding(read_at(0, size))
    samples = _samples(read_at, size)
    if not all(map(bytes.isascii, samples)):
        return None
    return stateful_encoding(b"".join(samples))


def _declaration(
    read_at: Read, size: int, file_name: bytes
) -> Declaration | None:
    head = read_at(0, DECLARED_BYTES)
    tail = b""
    if size > DECLARED_BYTES:
        tail = read_at(max(DECLARED_BYTES, size - TRAILER_BYTES), TRAILER_BYTES)
    return find_declaration(head, tail, file_name)


def _is_possible(encoding: str, sample: bytes) -> bool:
    """Return True if a text that is not UTF-8 can be in the declared encoding."""
    if encoding in ("", "utf-8", "ascii", *WIDE):
        return False
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return False
    # No text has control characters: it is rather cp1252 that calls itself Latin-1.
    return not any("\x80" <= character <= "\x9f" for character in text)


def _samples(read_at: Read, size: int) -> list[bytes]:
    """Return all the bytes of a small file; of a large one its edges and windows."""
    if size <= 2 * SAMPLE_BYTES:
        return [read_at(0, size)]
    first = read_at(0, SAMPLE_BYTES)
    # A sample must not end within a character, or UTF-8 would look damaged.
    first_lines = first[: first.rfind(b"\n") + 1]
    if not first_lines:
        first_lines = cut_at_character(first, len(first) - 1, Encoding("utf-8"))
    samples = [first_lines]
    step = (size - SAMPLE_BYTES) // (_WINDOWS + 1)
    for number in range(1, _WINDOWS + 1):
        offset = SAMPLE_BYTES // 2 + step * number
        window = read_at(offset, min(_WINDOW_BYTES, size - offset))
        samples.append(_whole_lines(window))
    last = read_at(size - SAMPLE_BYTES // 2, SAMPLE_BYTES // 2)
    samples.append(last[last.find(b"\n") + 1 :])
    return samples


def _whole_lines(data: bytes) -> bytes:
    """Return the lines that start and end in `data`, without the cut ones."""
    start, end = data.find(b"\n"), data.rfind(b"\n")
    return data[start + 1 : end + 1] if 0 <= start < end else b""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(sample: bytes) -> Encoding:
    """Return the most likely encoding of a sample that is not valid UTF-8.

    This is either damaged UTF-8, with the other encodings it could be as its rivals, or
    the encoding that the detector weighs highest.
    """
    # The surrogates U+DC80 to U+DCFF stand for the bytes that are not UTF-8.
    text = sample.decode("utf-8", "surrogateescape")
    invalid_count = 0
    valid_count = 0
    valid_characters: set[str] = set()
    for character in text:
        if _is_invalid_byte(character):
            invalid_count += 1
        elif character > "\x7f":
            valid_count += 1
            valid_characters.add(character)
    # ASCII lines are the same in all encodings and tell nothing.
    lines = b"".join(
        line for line in sample.splitlines(keepends=True) if not line.isascii()
    )
    damaged_utf8 = Encoding(
        "utf-8",
        confidence=0.5,
        is_guess=True,
        has_invalid_bytes=True,
        rivals=_rivals_of_damaged_utf8(sample, text, lines),
        known_characters=frozenset(valid_characters),
    )
    if valid_count > 2 * invalid_count or _has_mostly_stray_bytes(sample):
        return damaged_utf8
    weights = _weights(lines)
    if valid_count * 2 >= invalid_count:
        # Some of it is UTF-8: only an encoding with long runs of high bytes explains
        # that better.
        weights = {
            name: weight
            for name, weight in weights.items()
            if weight >= _MIN_WEIGHT_OVER_UTF8
            and name in (*_EAST_ASIAN, "cp874")
        }
    if not weights:
        return damaged_utf8
    return _best_guess(lines, weights)


def _is_invalid_byte(character: str) -> bool:
    """Return True for the surrogate by which ``surrogateescape`` shows a byte."""
    return "\udc80" <= character <= "\udcff"


def _rivals_of_damaged_utf8(
    sample: bytes, text: str, lines: bytes
) -> tuple[str, ...]:
    """Return the encodings that a sample may be in if it is not damaged UTF-8.

    `text` is the sample with surrogates for invalid bytes, `lines` its lines that are
    not ASCII.
    """
    rivals: tuple[str, ...] = ()
    if not _is_surely_utf8(text):
        rivals = tuple(
            dict.fromkeys((*_readable_encodings(lines), _WESTERN[0]))
        )
    if set(_HIGH_BYTE.findall(sample)) == {b"\xff"}:
        # No text has ÿ or ĸ as its only letter of the kind: where 0xFF is one of them,
        # it is damage.
        rivals = tuple(
            name
            for name in rivals
            if b"\xff".decode(name, "replace") not in "ÿĸ"
        )
    return rivals


def _has_mostly_stray_bytes(sample: bytes) -> bool:
    """Return True if most high bytes are damage rather than letters.

    Letters stand beside letters; a stray byte stands alone, and 0xFE and 0xFF are
    hardly letters.
    """
    return 2 * len(_STRAY_BYTE.findall(sample)) > len(
        _HIGH_BYTE.findall(sample)
    )


def _best_guess(lines: bytes, weights: dict[str, float]) -> Encoding:
    """Return the encoding with the highest of the `weights`, and its rivals.

    `weights` is not empty, and each of its encodings decodes the lines.
    """
    best = max(weights, key=lambda name: weights[name])
    if "cp1252" in weights and best in _LATIN:
        western_weight = max(weights.get(name, 0.0) for name in _WESTERN)
        is_clear = weights[best] >= _CLEAR_RATIO * western_weight
        # By far the most files with Latin letters are in cp1252.
        if not is_clear or lines.decode(best) == lines.decode("cp1252"):
            best = "cp1252"
    text = lines.decode(best)
    # An encoding that reads the same text makes the guess no less certain.
    strongest_rival_weight = 0.0
    for name, weight in weights.items():
        if weight > strongest_rival_weight and lines.decode(name) != text:
            strongest_rival_weight = weight
    words = _words(lines)
    rival_ratio = min(
        _RIVAL_RATIO + len(words) / 100, _RIVAL_RATIO_OF_MANY_WORDS
    )
    min_rival_weight = weights[best] * rival_ratio
    rivals = [
        name for name, weight in weights.items() if weight >= min_rival_weight
    ]
    if len(set(words)) < _FEW_WORDS or _SIGN_IN_WORD.search(text):
        # The detector knows no DOS or Mac code page, and its weights say little of few
        # letters: each encoding that reads words is a rival.
        rivals += _readable_encodings(lines)
    return Encoding(
        best,
        # A guess is never certain.
        confidence=min(
            0.99, weights[best] / (weights[best] + strongest_rival_weight)
        ),
        is_guess=True,
        rivals=tuple(name for name in dict.fromkeys(rivals) if name != best),
        known_characters=frozenset(
            character for character in text if character > "\x7f"
        ),
    )


def _is_surely_utf8(text: str) -> bool:
    """Return True if valid UTF-8 characters outweigh the invalid bytes of a text.

    `text` has surrogates for the invalid bytes. Two bytes are UTF-8 by chance in many
    encodings, three seldom, and four hardly ever.
    """
    evidence = damage = 0
    for character in text:
        if _is_invalid_byte(character):
            damage += 1
        elif character > "\x7f":
            evidence += len(character.encode()) - 1
    return evidence >= _SURE_CONTINUATION_BYTES and evidence > 2 * damage


def _readable_encodings(lines: bytes) -> tuple[str, ...]:
    """Return the encodings in which the lines are words and punctuation."""
    names = []
    for name in (*_LATIN, *_OTHER, *_EAST_ASIAN, *sorted(ENCODINGS)):
        if name in names or name in ("utf-8", *WIDE):
            continue
        try:
            text = lines.decode(name)
        except UnicodeDecodeError:
            continue
        characters = {
            character for character in set(text) if not character.isascii()
        }
        if not any(map(str.isalpha, characters)):
            continue
        categories = set(map(unicodedata.category, characters))
        if not categories <= _TEXT_CATEGORIES:
            continue
        if all(map(_is_plausible_word, set(_WORD.findall(text)))):
            names.append(name)
    return tuple(names)


def _is_plausible_word(word: str) -> bool:
    """Return True for a word in one script without capitals after small letters."""
    if word.isascii():
        return True
    scripts = set()
    for previous, character in pairwise(f" {word}"):
        if (
            not character.isalpha()
            and unicodedata.category(character)[0] != "M"
        ):
            continue
        # The Unicode name of a letter begins with its script.
        script = unicodedata.name(character, "").partition(" ")[0]
        if script in ("HIRAGANA", "KATAKANA", "HALFWIDTH", "FULLWIDTH"):
            # Japanese words mix these with Chinese characters.
            script = "CJK"
        scripts.add(script)
        if (
            previous.islower()
            and character.isupper()
            and not character.isascii()
        ):
            return False
    return len(scripts - {"MODIFIER", "COMBINING"}) <= 1


def _weights(lines: bytes) -> dict[str, float]:
    """Return the likelihood of each encoding that can decode the lines."""
    import chardet

    has_c1_bytes = re.search(rb"[\x80-\x9f]", lines) is not None
    candidates = [*_LATIN, *_EAST_ASIAN]
    if not _is_latin_script(lines):
        candidates += _OTHER
    detections = chardet.detect_all(
        lines,
        include_encodings=[name.replace("_", "-") for name in candidates],
        no_match_encoding="cp1252",
        ignore_threshold=True,
    )
    weights: dict[str, float] = {}
    for detection in detections:
        name = codecs.lookup(detection["encoding"] or "cp1252").name.replace(
            "-", "_"
        )
        if has_c1_bytes and name.startswith("iso8859"):
            # These bytes are control characters there, which no text holds.
            continue
        try:
            lines.decode(name)
        except UnicodeDecodeError:
            continue
        weights[name] = max(float(detection["confidence"] or 0.0), 0.01)
    return weights


def _is_latin_script(lines: bytes) -> bool:
    """Return True if most words that are not ASCII are of Latin letters."""
    words = _words(lines)
    latin_words = [
        word
        for word in words
        if len(word) == 1 or re.search(rb"[A-Za-z]", word)
    ]
    return 2 * len(latin_words) > len(words)


def _words(lines: bytes) -> list[bytes]:
    """Return the words that are not ASCII."""
    return [
        word
        for word in re.split(rb"[^A-Za-z\x80-\xff]+", lines)
        if not word.isascii()
    ]
