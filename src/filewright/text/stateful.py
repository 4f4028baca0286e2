"""Encodings with shift states, whose bytes are all ASCII: ISO 2022, HZ and UTF-7.

Their characters have the bytes of ASCII letters. A text in one of them would be
searched and edited as ASCII, and a splice would change other characters than the
requested ones. Such a file is recognised and refused.
"""

from __future__ import annotations

import re
import unicodedata

_ISO_2022 = re.compile(
    rb"\x1b(?:\$(?P<korean>[()]C)|\$(?P<chinese>A|[)*+][AE-M])|\$(?:[@B]|\([@-~])|\([IJ])"
    rb"(?=[\x0e\x1b\r\n]|[!-~]{2}|[!-~]\x1b|[ -~]*\x0e)"
)
"""A change to a character set that no terminal uses (``ESC ( B``, ``ESC ( 0``)."""

_UTF7_RUN = re.compile(rb"\+([A-Za-z0-9+/]{2,})")
_NAME = re.compile(
    rb"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[a-z]+(?:[A-Z][a-z]+)+|[A-Za-z][a-z]*[0-9]+"
)
"""A name or a number, which may follow a plus sign in a program."""
_LATIN_RUN = re.compile(rb"A[K-P][A-Z]")
"""A letter of Latin-1 in UTF-7. It looks like a short name; several are no names."""

_LEGACY_CHARACTERS = ("gb2312", "shift_jis", "big5", "euc_kr")
"""Together they have the common characters of East Asian texts, and few rare ones."""


def stateful_encoding(data: bytes) -> str | None:
    """Return the stateful encoding of a text of ASCII bytes, or None for plain text."""
    if not data.isascii():
        return None
    match = _ISO_2022.search(data) if b"\x1b" in data else None
    if match is not None:
        if match["korean"]:
            return "iso-2022-kr"
        if match["chinese"]:
            return "iso-2022-cn"
        return "iso-2022-jp"
    if b"~{" in data and _is_hz(data):
        return "hz"
    if b"+" in data and _is_utf7(data):
        return "utf-7"
    return None


def _is_hz(data: bytes) -> bool:
    """Return True if a whole text is HZ: its escapes enclose two-byte characters."""
    if data.count(b"~{") != data.count(b"~}"):
        return False
    try:
        text = data.decode("hz")
    except UnicodeDecodeError:
        return False
    return not text.isascii()


def _is_utf7(data: bytes) -> bool:
    """Return True if a whole text is UTF-7, not a program with plus signs."""
    runs = _UTF7_RUN.findall(data)
    if not runs:
        return False
    try:
        text = data.decode("utf-7")
    except UnicodeDecodeError:
        return False
    characters = [character for character in text if not character.isascii()]
    if not characters or not all(map(_is_common, characters)):
        return False
    # A single East Asian character is as likely a name of three letters.
    is_short = len(characters) == 1 and characters[0] >= "\u2e80"
    if not is_short and any(_NAME.fullmatch(run) is None for run in runs):
        return True
    latin_runs = {run for run in runs if _LATIN_RUN.fullmatch(run)}
    return len(latin_runs) > 1


def _is_common(character: str) -> bool:
    """Return True if a character is common in texts: not rare and not unassigned."""
    if unicodedata.category(character)[0] == "C":
        return False
    if character < "\u2e80" or character >= "\U00010000":
        # Of the smaller scripts most are written; of letters with code points in
        # between hardly any.
        return (
            character < "\u0180"
            or "\u0370" <= character < "\u10a0"
            or character >= "\u1e00"
        )
    for name in _LEGACY_CHARACTERS:
        try:
            if len(character.encode(name)) == 2:
                return True
        except UnicodeEncodeError:
            continue
    return False
