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
import unicodedata
import zlib
from functools import lru_cache

from filewright import errors
from filewright.errors import Code
from filewright.visible import BREAKS, CONTROLS, DIRECTIONS, HIDDEN, SURROGATES

_UNSAFE = re.compile(f"[\t{CONTROLS}{BREAKS}{DIRECTIONS}{HIDDEN}{SURROGATES}]")
_HEADING = "==> "
"""How the headings of files begin in some answers: a name that does is quoted, so that it forges none."""
_NO_BYTE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
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
    return _quoted(asked.encode("utf-8", "surrogatepass" if _NO_BYTE.search(asked) else "surrogateescape"))


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


# As other file systems compare names

# What HFS+ ignores in a name.
_IGNORABLE = dict.fromkeys(
    [0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)
_NAME_BYTES = 1024
"""No file system has a longer name: what a caller writes may be of any length, and is not remembered."""


def plain_form(name: bytes) -> bytes:
    """The name as the most forgiving file system would compare it: two equal ones may be one file.

    One that ignores case or normalises opens `.git` for `.GIT`, `.g<zero-width joiner>it`, `.git. ` or `git~1`. Git
    refuses all of them in a tree on every system.
    """
    return (_plain_form if len(name) <= _NAME_BYTES else _plain_form.__wrapped__)(name)


@lru_cache(maxsize=4096)
def _plain_form(name: bytes) -> bytes:
    text = name.decode("utf-8", "surrogateescape")
    if text.isascii():
        text = text.lower()
    else:
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE)).casefold()
    # NTFS: a stream's name, then dots and spaces at the end are nothing.
    text = text.split(":", 1)[0].rstrip(". ") or text
    return b".git" if text == "git~1" else text.encode("utf-8", "surrogateescape")


def folded(rules: bytes) -> bytes:
    """The text of rules for names in their plain form: what such a file system takes for the same, is."""
    text = rules.decode("utf-8", "surrogateescape")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE))
    return text.casefold().encode("utf-8", "surrogateescape")
