r"""Names: quoting and unquoting, comparison, and the names of temporary files.

A name is any bytes but NUL and `/`. Its text is the name itself if it is UTF-8 without
characters that would change how the rest of a page reads. Otherwise its text is the
form that git writes with `core.quotePath=false`: in double quotes, with C's escapes and
octal bytes, as in `"bad\377\nname"`. A text that begins with a double quote is always
the quoted form, so every text has exactly one reading.
"""

from __future__ import annotations

import os
import re
import unicodedata
import zlib
from collections.abc import Iterable

from filewright import errors
from filewright.errors import FilewrightError
from filewright.wording import BREAKS, CONTROLS, DIRECTIONS, HIDDEN, SURROGATES

_UNSAFE = f"[\t{CONTROLS}{BREAKS}{DIRECTIONS}{HIDDEN}{SURROGATES}]"
_FILE_HEADING = "==> "
"""The start of a file's heading in answers: a name that begins so could forge one."""
_SURROGATE_WITHOUT_BYTE = "[\ud800-\udc7f\udd00-\udfff]"
_ESCAPES = {
    character: f"\\{letter}"
    for character, letter in zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True)
}
_UNESCAPES = {
    text.encode(): character.encode() for character, text in _ESCAPES.items()
}
_ESCAPED_CHARACTER = f'["\\\\]|{_UNSAFE}'
_ESCAPE_SEQUENCE = rb"\\(?:[0-7]{3}|.)"
_QUOTED_NAME = rb'"(?:\\(?:[abtnvfr"\\]|[0-3][0-7]{2})|[^\\"])*+"'


TEMPORARY_PREFIX = b".fw~"
"""The start of the names of a change's temporary files."""
_TEMPORARY_NAME = rb"\.fw~([0-9a-f]{12})([0-9a-f]{8})"


def temporary_name() -> bytes:
    """Return a random name with a checksum, which no user would give to a file."""
    random_bytes = os.urandom(6)
    checksum = zlib.crc32(random_bytes)
    return TEMPORARY_PREFIX + b"%s%08x" % (
        random_bytes.hex().encode(),
        checksum,
    )


def is_temporary(name: bytes) -> bool:
    """Return True for a name made by `temporary_name`. Such names are never listed."""
    if not name.startswith(TEMPORARY_PREFIX):
        return False
    match = re.fullmatch(_TEMPORARY_NAME, name)
    if match is None:
        return False
    random_bytes, checksum = bytes.fromhex(match[1].decode()), int(match[2], 16)
    return zlib.crc32(random_bytes) == checksum


def quote(name: bytes) -> str:
    """Return the text of a name or a path: itself, or git's quoted form.

    Quoted are names with control characters, line separators, direction marks,
    characters that do not show, invalid UTF-8, a double quote or `==>` at the start,
    or whitespace at either end.
    """
    text = name.decode("utf-8", "surrogateescape")
    if text.startswith(('"', _FILE_HEADING)) or text != text.strip():
        return _quote_text(text)
    return printable_path(text)


def printable_path(requested: str) -> str:
    """Return a path as the caller wrote it, quoted if a message cannot repeat it.

    A text that is already in quoted form stays as it is unless it is itself unsafe.
    """
    if requested.isprintable() or not re.search(_UNSAFE, requested):
        return requested
    return _quote_text(requested)


def quote_escaping(name: bytes, characters: Iterable[str]) -> str:
    """Return the quoted form of a name, with `characters` written as their bytes."""
    escaped_characters = set(characters)
    pieces = []
    for character in name.decode("utf-8", "surrogateescape"):
        if character in escaped_characters:
            encoded = character.encode("utf-8", "surrogateescape")
            pieces += [f"\\{byte:03o}" for byte in encoded]
        else:
            pieces.append(_quote_text(character)[1:-1])
    return f'"{"".join(pieces)}"'


def quote_exactly(name: bytes) -> str:
    """Return the text of a name, quoted if another name could look the same.

    Composed letters, digits and ASCII have one look; all others are written as bytes.
    """
    text = name.decode("utf-8", "surrogateescape")
    ambiguous = [
        character
        for character in text
        if not character.isascii() and not _is_plain_letter(character)
    ]
    return quote_escaping(name, ambiguous) if ambiguous else quote(name)


def _is_plain_letter(character: str) -> bool:
    is_jamo = "\u1100" <= character <= "\u11ff"
    return (
        character.isalnum()
        and not is_jamo
        and unicodedata.normalize("NFKC", character) == character
    )


def _quote_text(text: str) -> str:
    def escape(match: re.Match[str]) -> str:
        character = match[0]
        if character in _ESCAPES:
            return _ESCAPES[character]
        has_no_byte = re.match(_SURROGATE_WITHOUT_BYTE, character)
        error_handler = "surrogatepass" if has_no_byte else "surrogateescape"
        encoded = character.encode("utf-8", error_handler)
        return "".join(f"\\{byte:03o}" for byte in encoded)

    return f'"{re.sub(_ESCAPED_CHARACTER, escape, text)}"'


def unquote(text: str) -> bytes:
    """Return the name that `text` stands for: the inverse of `quote`.

    Text that does not begin with a double quote is taken as it is. Raise
    `invalid_input` for a malformed quoted form, for a NUL, and for lone surrogates
    that stand for no byte.
    """

    def unescape(match: re.Match[bytes]) -> bytes:
        return _UNESCAPES.get(match[0]) or bytes((int(match[0][1:], 8),))

    is_quoted = text.startswith('"')
    try:
        name = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        hint = 'write bytes that are not UTF-8 in the quoted form, as in "bad\\377name"'
        problem = "holds half of a surrogate pair, which no file name does"
        raise _unreadable_path(text, problem, hint) from None
    if is_quoted and not re.fullmatch(_QUOTED_NAME, name):
        hint = (
            "a quoted name ends in a double quote and writes "
            '\\" \\\\ \\n \\t and bytes as \\377'
        )
        problem = "begins with a double quote but is not a quoted name"
        raise _unreadable_path(text, problem, hint)
    if is_quoted:
        name = re.sub(_ESCAPE_SEQUENCE, unescape, name[1:-1])
    if b"\0" in name:
        problem = "holds a NUL, which no file name does"
        raise _unreadable_path(text, problem, "correct the path")
    return name


def _unreadable_path(text: str, problem: str, hint: str) -> FilewrightError:
    path = printable_path(text)
    return errors.invalid(f"the path {path} {problem}", hint, path=path)


# Names as other file systems compare them

_IGNORED_BY_HFS = dict.fromkeys(
    [
        0x200C,
        0x200D,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x206A, 0x2070),
        0xFEFF,
    ]
)
"""Code points that HFS+ ignores in a name."""


def plain_form(name: bytes) -> bytes:
    """Return a name as the most forgiving file system would compare it.

    Two names with the same plain form may be one file: a file system that ignores case
    or normalizes names opens `.git` for `.GIT`, `.g<zero-width joiner>it`, `.git. ` or
    `git~1`. Git refuses all of these in a tree on every system.
    """
    plain = name.lower() if name.isascii() else fold_letters(name)
    if b":" in plain or plain[-1:] in (b".", b" "):
        # On NTFS a colon begins a stream's name, and dots and spaces at the end of a
        # name are dropped.
        plain = plain.split(b":", 1)[0].rstrip(b". ") or plain
    return b".git" if plain == b"git~1" else plain


def fold_letters(text: bytes) -> bytes:
    """Return a name, or the text of rules, without differences of case and form."""
    decoded = text.decode("utf-8", "surrogateescape")
    if not decoded.isascii():
        decoded = unicodedata.normalize(
            "NFKC", decoded.translate(_IGNORED_BY_HFS)
        )
    return decoded.casefold().encode("utf-8", "surrogateescape")
