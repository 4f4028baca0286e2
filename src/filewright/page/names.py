r"""Names of files as the page shows them, with unsafe characters escaped in one way.

Requests and comments name a file by the text that tools use, which may be quoted in
octal (`"a\342\200\256b"`). The page shows that name as it shows content: `a\u202eb`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from filewright.boundary.names import unquote
from filewright.errors import FilewrightError
from filewright.wording import to_one_line

_BYTE = re.compile("[\udc80-\udcff]")
"""A byte that is no UTF-8, as Python decodes it."""
_NUMBERS = re.compile(r"(\d+)")
_MAX_DIGITS = 20


@dataclass(frozen=True, slots=True)
class DisplayName:
    """A path as HTML, its folder with the slash and its last name apart."""

    folder: Markup
    base: Markup


def readable_path(path: str) -> str:
    """Return a path of a result as one line that is safe to show."""
    return "".join(_escape_character(character) for character in _decode(path))


def show_name(path: str) -> DisplayName:
    """Return a path as HTML in which escaped characters are marked."""
    # Split before anything is escaped: quotes and escapes are no parts of names.
    folder, slash, base = _decode(path).rpartition("/")
    return DisplayName(_mark_escapes(folder + slash), _mark_escapes(base))


def natural_key(
    parts: Sequence[bytes],
) -> tuple[tuple[tuple[int, int, str], ...], ...]:
    """Return a key by which paths sort as people read them: m2 before m10."""
    return tuple(tuple(_iter_pieces(part)) for part in parts)


def _iter_pieces(name: bytes) -> Iterator[tuple[int, int, str]]:
    for piece in _NUMBERS.split(name.decode("utf-8", "replace").casefold()):
        if piece.isdecimal() and len(piece) < _MAX_DIGITS:
            yield 0, int(piece), piece
        elif piece:
            yield 1, 0, piece


def _decode(path: str) -> str:
    """Return the name that a path of a result stands for."""
    try:
        name = unquote(path)
    except FilewrightError:
        # A text with an opening quote alone is no path of a result: show it as it is.
        return path
    return name.decode("utf-8", "surrogateescape")


def _mark_escapes(text: str) -> Markup:
    parts: list[Markup] = []
    for character in text:
        escaped = _escape_character(character)
        markup = escape(escaped)
        if escaped != character:
            markup = Markup('<span class="escape">{}</span>').format(escaped)
        parts.append(markup)
    return Markup("".join(parts))


def _escape_character(character: str) -> str:
    if _BYTE.match(character):
        return f"\\x{ord(character) - 0xDC00:02x}"
    return to_one_line(character)
