r"""Names: how they are shown and read back, compared, and made for temporaries.

A name is any bytes but NUL and `/`. It is shown as it is when it is UTF-8 without anything that
would change how the rest of a page reads; otherwise as git writes it with `core.quotePath=false`,
in double quotes with C's escapes and octal bytes: `"bad\377\nname"`. A text that begins with a
double quote is always the quoted form, so every name has exactly one reading.
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
_HEADING = "==> "
"""How the headings of files begin in some answers: a name that does is quoted, so that it forges none."""
_NO_BYTE = "[\ud800-\udc7f\udd00-\udfff]"
_ESCAPES = {
    plain: f"\\{c}" for plain, c in zip('\a\b\t\n\v\f\r"\\', 'abtnvfr"\\', strict=True)
}
_UNESCAPES = {text.encode(): character.encode() for character, text in _ESCAPES.items()}
_ESCAPED = f'["\\\\]|{_UNSAFE}'
_ESCAPE = rb"\\(?:[0-7]{3}|.)"
_QUOTED = rb'"(?:\\(?:[abtnvfr"\\]|[0-3][0-7]{2})|[^\\"])*+"'


TEMPORARY = b".fw~"
"""How the names of a change's temporaries begin."""
_TEMPORARY = rb"\.fw~([0-9a-f]{12})([0-9a-f]{8})"


def temporary_name() -> bytes:
    """A short random name with a checksum in it, which no user would give a file."""
    random = os.urandom(6)
    return TEMPORARY + b"%s%08x" % (random.hex().encode(), zlib.crc32(random))


def is_temporary(name: bytes) -> bool:
    """Whether a name is one of ours: such are never listed or walked."""
    found = re.fullmatch(_TEMPORARY, name) if name.startswith(TEMPORARY) else None
    return found is not None and zlib.crc32(bytes.fromhex(found[1].decode())) == int(
        found[2], 16
    )


def quote(name: bytes) -> str:
    """The text that names `name` (a name or a path): itself, or git's quoted form.

    Quoted are names with control characters, line separators, direction marks or characters that do not
    show, invalid UTF-8, a double quote or ``==>`` at the start, and white space at either end.
    """
    text = name.decode("utf-8", "surrogateescape")
    if text.startswith(('"', _HEADING)) or text != text.strip():
        return _quoted(text)
    return printable_path(text)


def printable_path(asked: str) -> str:
    """A path as a caller wrote it, made safe to repeat in a message: quoted where `quote` would.

    A text already in quoted form stays as it is unless it is itself unsafe.
    """
    return (
        asked
        if asked.isprintable() or not re.search(_UNSAFE, asked)
        else _quoted(asked)
    )


def quote_escaping(name: bytes, characters: Iterable[str]) -> str:
    """Return git's quoted form of a name or a path, in which these characters are written as their bytes, too."""
    wanted = set(characters)
    parts = []
    for character in name.decode("utf-8", "surrogateescape"):
        if character in wanted:
            parts += [
                f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape")
            ]
        else:
            parts.append(_quoted(character)[1:-1])
    return f'"{"".join(parts)}"'


def quote_exactly(name: bytes) -> str:
    """Return the text that names `name`, in quoted form where it has more than composed letters, digits and ASCII."""
    text = name.decode("utf-8", "surrogateescape")
    odd = [
        character
        for character in text
        if not character.isascii() and not _is_plain_letter(character)
    ]
    return quote_escaping(name, odd) if odd else quote(name)


def _is_plain_letter(character: str) -> bool:
    is_jamo = "\u1100" <= character <= "\u11ff"
    return (
        character.isalnum()
        and not is_jamo
        and unicodedata.normalize("NFKC", character) == character
    )


def _quoted(text: str) -> str:
    def escaped(found: re.Match[str]) -> str:
        mode = "surrogatepass" if re.match(_NO_BYTE, found[0]) else "surrogateescape"
        octal = (f"\\{byte:03o}" for byte in found[0].encode("utf-8", mode))
        return _ESCAPES.get(found[0]) or "".join(octal)

    return f'"{re.sub(_ESCAPED, escaped, text)}"'


def unquote(text: str) -> bytes:
    """The bytes that `text` names: the inverse of `quote`.

    Text that does not begin with a double quote is taken as it is. Raises `invalid_input` for a
    malformed quoted form, for a NUL, and for lone surrogates that are no byte.
    """

    def plain(found: re.Match[bytes]) -> bytes:
        return _UNESCAPES.get(found[0]) or bytes((int(found[0][1:], 8),))

    quoted = text.startswith('"')
    try:
        name = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        hint = 'write bytes that are not UTF-8 in the quoted form, as in "bad\\377name"'
        raise _unreadable(
            text, "holds half of a surrogate pair, which no file name does", hint
        ) from None
    if quoted and not re.fullmatch(_QUOTED, name):
        hint = 'a quoted name ends in a double quote and writes \\" \\\\ \\n \\t and bytes as \\377'
        raise _unreadable(
            text, "begins with a double quote but is not a quoted name", hint
        )
    name = re.sub(_ESCAPE, plain, name[1:-1]) if quoted else name
    if b"\0" in name:
        raise _unreadable(
            text, "holds a NUL, which no file name does", "correct the path"
        )
    return name


def _unreadable(text: str, why: str, hint: str) -> FilewrightError:
    safe = printable_path(text)
    return errors.invalid(f"the path {safe} {why}", hint, path=safe)


# As other file systems compare names

# What HFS+ ignores in a name.
_IGNORABLE = dict.fromkeys(
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


def plain_form(name: bytes) -> bytes:
    """The name as the most forgiving file system would compare it: two equal ones may be one file.

    One that ignores case or normalises opens `.git` for `.GIT`, `.g<zero-width joiner>it`, `.git. ` or `git~1`. Git
    refuses all of them in a tree on every system.
    """
    plain = name.lower() if name.isascii() else folded(name)
    if b":" in plain or plain[-1:] in (b".", b" "):
        # NTFS: a stream's name, then dots and spaces at the end are nothing.
        plain = plain.split(b":", 1)[0].rstrip(b". ") or plain
    return b".git" if plain == b"git~1" else plain


def folded(rules: bytes) -> bytes:
    """A name, or the text of rules, with what such a file system takes for the same letters alike."""
    text = rules.decode("utf-8", "surrogateescape")
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_IGNORABLE))
    return text.casefold().encode("utf-8", "surrogateescape")
