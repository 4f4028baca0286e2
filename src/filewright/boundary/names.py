r"""File names as text: git's quoted form, where a name cannot be shown as it is.

A name is any bytes but NUL and `/`. It is shown as it is when it is UTF-8 without anything that
would change how the rest of a page reads; otherwise as git writes it with `core.quotePath=false`,
in double quotes with C's escapes and octal bytes: `"bad\377\nname"`. A text that begins with a
double quote is always the quoted form, so every name has exactly one reading.
"""

from __future__ import annotations

import base64
import os
import re
import zlib
from functools import lru_cache

from filewright import errors
from filewright.errors import Code
from filewright.visible import BREAKS, CONTROLS, DIRECTIONS, HIDDEN, SURROGATES

_UNSAFE = re.compile(f"[\t{CONTROLS}{BREAKS}{DIRECTIONS}{HIDDEN}{SURROGATES}]")
_HEADING = "==> "
"""How the headings of files begin in some answers: a name that does is quoted, so that it forges none."""
_PLAIN = re.compile(rb"[!#-~](?:[ -~]*[!-~])?")
_ESCAPES = {
    0x07: "\\a",
    0x08: "\\b",
    0x09: "\\t",
    0x0A: "\\n",
    0x0B: "\\v",
    0x0C: "\\f",
    0x0D: "\\r",
    0x22: '\\"',
    0x5C: "\\\\",
}
_UNESCAPES = {text[1]: byte for byte, text in _ESCAPES.items()}
_TOKEN = re.compile(r'\\([abtnvfr"\\])|\\([0-3][0-7]{2})|([^\\"]+)', re.DOTALL)


TEMPORARY = b".fw~"
"""How the names of a change's temporaries begin."""
_RANDOM, _LETTERS = 6, 16
_DIGITS = bytes(
    b"0123456789abcdefghijklmnopqrstuv!"[b"abcdefghijklmnopqrstuvwxyz234567".find(bytes((byte,)).lower())]
    for byte in range(256)
)
"""What makes a number to the base of 32 of the letters of `base64.b32encode`; of anything else, none."""


def temporary_name() -> bytes:
    """A short random name with a checksum in it, which no user would give a file."""
    random = os.urandom(_RANDOM)
    return TEMPORARY + base64.b32encode(random + zlib.crc32(random).to_bytes(4, "big")).lower()


def is_temporary(name: bytes) -> bool:
    """Whether a name is one of ours: such are never listed or walked."""
    return name.startswith(TEMPORARY) and len(name) == len(TEMPORARY) + _LETTERS and _has_checksum(name)


@lru_cache(maxsize=1024)  # A change of many files asks three times of each.
def _has_checksum(name: bytes) -> bool:
    try:
        # As `base64.b32decode`, in a twentieth of the time.
        made = int(name[len(TEMPORARY) :].translate(_DIGITS), 32).to_bytes(_RANDOM + 4, "big")
    except ValueError:
        return False
    return zlib.crc32(made[:_RANDOM]).to_bytes(4, "big") == made[_RANDOM:]


def quote(name: bytes) -> str:
    """The text that names `name` (a name or a path): itself, or git's quoted form.

    Quoted are names with control characters, line separators, direction marks or characters that do not
    show, invalid UTF-8, a double quote or ``==>`` at the start, and white space at either end.
    """
    if _PLAIN.fullmatch(name) and not name.startswith(_HEADING.encode()):
        return name.decode("ascii")
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        return _quoted(name)
    if not text.startswith(('"', _HEADING)) and text == text.strip() and not _UNSAFE.search(text):
        return text
    return _quoted(name)


def unquote(text: str) -> bytes:
    """The bytes that `text` names: the inverse of `quote`.

    Text that does not begin with a double quote is taken as it is. Raises `invalid_input` for a
    malformed quoted form, for a NUL, and for lone surrogates that are no byte.
    """
    if text.startswith('"'):
        name = _unquoted(text)
    else:
        try:
            name = text.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise errors.refused(
                Code.INVALID_INPUT,
                shown(text),
                f"the path {shown(text)} holds half of a surrogate pair, which no file name does",
                'write bytes that are not UTF-8 in the quoted form, as in "bad\\377name"',
            ) from None
    if b"\0" in name:
        raise errors.refused(
            Code.INVALID_INPUT,
            shown(text),
            f"the path {shown(text)} holds a NUL, which no file name does",
            "correct the path",
        )
    return name


def shown(asked: str) -> str:
    """A path as a caller wrote it, made safe to repeat in a message: quoted where `quote` would.

    A text already in quoted form stays as it is unless it is itself unsafe.
    """
    if asked.isascii() and asked.isprintable():
        return asked
    if not _UNSAFE.search(asked):
        return asked
    return _quoted(
        asked.encode("utf-8", "surrogatepass" if _has_other_surrogates(asked) else "surrogateescape")
    )


def _has_other_surrogates(text: str) -> bool:
    return any(
        "\ud800" <= character <= "\udfff" and not "\udc80" <= character <= "\udcff" for character in text
    )


def _quoted(name: bytes) -> str:
    parts = ['"']
    for character in name.decode("utf-8", "surrogateescape"):
        point = ord(character)
        if point in _ESCAPES:
            parts.append(_ESCAPES[point])
        elif 0xDC80 <= point <= 0xDCFF:
            parts.append(f"\\{point - 0xDC00:03o}")
        elif _UNSAFE.match(character):
            parts.extend(f"\\{byte:03o}" for byte in character.encode())
        else:
            parts.append(character)
    parts.append('"')
    return "".join(parts)


def _unquoted(text: str) -> bytes:
    name, position = bytearray(), 1
    while position < len(text) - 1:
        token = _TOKEN.match(text, position, len(text) - 1)
        if token is None:
            break
        escape, octal, plain = token.groups()
        if escape:
            name.append(_UNESCAPES[escape])
        elif octal:
            name.append(int(octal, 8))
        else:
            try:
                name += plain.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                break
        position = token.end()
    if position != len(text) - 1 or len(text) < 2 or not text.endswith('"'):
        raise errors.refused(
            Code.INVALID_INPUT,
            shown(text),
            f"the path {shown(text)} begins with a double quote but is not a quoted name",
            'a quoted name ends in a double quote and writes \\" \\\\ \\n \\t and bytes as \\377',
        )
    return bytes(name)
