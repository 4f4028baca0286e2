"""Wording shared by all answers: counts, shortened lists, suggestions and safe text.

No text that is shown may hide something, move the cursor or contain what a transport
cannot carry. This module alone knows which characters do that and how to escape them:

- `escape_controls` for content that the reader may copy;
- `to_one_line` for a line of a diff or a refusal, where line breaks and invisible
  characters are escaped too;
- `escape_surrogates` and `escape_unsendable` for everything that leaves the process.

File names are quoted by `boundary.quote`, from the same sets of characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence


def pluralize(number: int, noun: str) -> str:
    """``1 line``, ``2 lines``, ``3 matches``."""
    plural = noun + ("es" if noun.endswith(("ch", "s", "x")) else "s")
    plural = noun[:-1] + "ies" if noun.endswith("y") else plural
    return f"{number:,} {noun if number == 1 else plural}"


def format_size(size: int) -> str:
    """``1 byte``, ``2.5 KB``, ``1.0 GB``."""
    for unit, length in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= length:
            return f"{size / length:.1f} {unit}"
    return pluralize(size, "byte")


def join_limited(
    items: Sequence[object], most: int, joined: str = ", ", *, noun: str = ""
) -> str:
    """``a, b and 3 more``: the first `most` of some items, and how many more (of what `noun` names) there are."""
    shown = joined.join(map(str, items[:most]))
    left = len(items) - most
    return (
        f"{shown} and {pluralize(left, f'more {noun}') if noun else f'{left:,} more'}"
        if left > 0
        else shown
    )


def closest_matches(wanted: str, names: Iterable[str], most: int = 1) -> list[str]:
    """The `most` names that are spelled most like the one wanted, if they are at all; the case hardly counts."""
    from difflib import get_close_matches

    lowered = {name.lower(): name for name in names}
    return [lowered[name] for name in get_close_matches(wanted.lower(), lowered, most)]


def did_you_mean(wanted: str, names: Iterable[str], otherwise: str) -> str:
    """The name that may have been meant, as a question; `otherwise` where there is none."""
    near = closest_matches(wanted, names)
    return f"did you mean {near[0]}?" if near else otherwise


# Text that is safe to show

CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
"""Controls but the tab, the form feed and line ends."""
BREAKS = "\x0a\x0c\x0d\x85\u2028\u2029"
"""What ends a line, or a page, on some screen."""
DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Marks that reorder the text on the reader's screen."""
HIDDEN = "\xad\u200b-\u200d\u2060-\u2065\ufeff\U000e0000-\U000e007f"
"""Characters that show nothing: joiners and marks that text in some scripts needs, and tags."""
SURROGATES = "\ud800-\udfff"
"""Halves of pairs, which no encoding carries."""

_MISLEADING = f"[{CONTROLS}{DIRECTIONS}]"
_HIDDEN = f"[{HIDDEN}]"
_NOT_IN_A_LINE = f"[{CONTROLS}{BREAKS}{DIRECTIONS}{HIDDEN}{SURROGATES}]"
_NEVER_SENT = f"[{CONTROLS}{SURROGATES}]"


def escape_controls(text: str) -> str:
    """`text` with control and bidirectional characters as escapes such as ``\\x1b`` and ``\\u202e``."""
    return text if text.isprintable() else re.sub(_MISLEADING, _escape, text)


def to_one_line(text: str) -> str:
    """The same of a line whose place on the page counts: line breaks and what does not show are escapes too."""
    return text if text.isprintable() else re.sub(_NOT_IN_A_LINE, _escape, text)


_UNNAMED = {
    "\0": "NULL",
    "\a": "BELL",
    "\b": "BACKSPACE",
    "\t": "TAB",
    "\n": "LINE FEED",
    "\v": "LINE TABULATION",
    "\f": "FORM FEED",
    "\r": "CARRIAGE RETURN",
    "\x1b": "ESCAPE",
    "\x7f": "DELETE",
    "\x85": "NEXT LINE",
    "\ufeff": "BYTE ORDER MARK",
}
"""Names of control characters, which Unicode's table leaves out; and the usual name of U+FEFF."""


def character_name(character: str) -> str:
    """Return a character's name with its code point, as in ``NO-BREAK SPACE (U+00A0)``."""
    code_point = f"U+{ord(character):04X}"
    name = _UNNAMED.get(character) or unicodedata.name(character, "")
    if not name:
        kind = {
            "Cc": "control character",
            "Cs": "half of a surrogate pair",
            "Co": "private use",
        }
        name = kind.get(unicodedata.category(character), "unnamed character")
    return f"{name} ({code_point})"


def character_names(characters: Sequence[str], most: int = 3) -> str:
    """Return the names of the first few characters, and how many more there are."""
    return join_limited([character_name(character) for character in characters], most)


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def describe_hidden_characters(text: str) -> list[str]:
    """What a reader must know of `text`: kinds of characters that do not show or mislead."""
    if text.isprintable():
        return []
    found = []
    if re.search(_MISLEADING, text):
        found.append("control or bidirectional characters (shown as \\x1b, \\u202e, …)")
    if re.search(_HIDDEN, text):
        found.append("zero-width characters")
    return found


def escape_surrogates(text: str) -> str:
    """`text` with lone surrogates spelled out, which no transport can carry, and nothing else changed."""
    return (
        text
        if text.isascii()
        else text.encode("utf-8", "backslashreplace").decode("utf-8")
    )


def escape_unsendable(text: str) -> str:
    """`text` with lone surrogates and control characters spelled out as ``\\uXXXX``.

    The spelling is that of JSON, so a text that is JSON stays so. Tabs, form feeds and line ends are
    left: what a reader copies must be what the file holds. The tools escape what they show; this is the
    last look at whatever leaves a surface, which holds even if one of them, or an error message with a
    strange path in it, did not.
    """
    return re.sub(_NEVER_SENT, lambda found: f"\\u{ord(found.group()):04x}", text)
