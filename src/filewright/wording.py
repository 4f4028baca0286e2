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
from datetime import UTC, datetime


def pluralize(count: int, noun: str) -> str:
    """Return ``1 line``, ``2 lines`` or ``3 matches``."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        plural = noun[:-1] + "ies"
    elif noun.endswith(("ch", "s", "x")):
        plural = noun + "es"
    else:
        plural = noun + "s"
    return f"{count:,} {plural}"


def format_size(size: int) -> str:
    """Return ``1 byte``, ``2.5 KB`` or ``1.0 GB``."""
    for unit, unit_bytes in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if size >= unit_bytes:
            return f"{size / unit_bytes:.1f} {unit}"
    return pluralize(size, "byte")


def format_age(moment: datetime) -> str:
    """Return how long ago a moment was: ``12 s ago``, ``3 h ago``."""
    age = datetime.now(UTC) - moment
    seconds = max(0, int(age.total_seconds()))
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit} ago"
    return f"{seconds} s ago"


def join_limited(
    items: Sequence[object],
    limit: int,
    separator: str = ", ",
    *,
    noun: str = "",
) -> str:
    """Return ``a, b and 3 more``: the first `limit` items and the number of the others.

    With `noun`, which is pluralized, it is ``a, b and 3 more files``.
    """
    shown = separator.join(map(str, items[:limit]))
    rest = len(items) - limit
    if rest <= 0:
        return shown
    if noun:
        return f"{shown} and {pluralize(rest, f'more {noun}')}"
    return f"{shown} and {rest:,} more"


def limit_lines(lines: Sequence[str], limit: int, *, noun: str) -> list[str]:
    """Return the first `limit` lines, and one that counts the others: ``3 more files``."""
    rest = len(lines) - limit
    if rest <= 0:
        return [*lines]
    return [*lines[:limit], pluralize(rest, f"more {noun}")]


def closest_matches(
    wanted: str, names: Iterable[str], limit: int = 1
) -> list[str]:
    """Return up to `limit` names with a spelling similar to `wanted`, ignoring case."""
    # Imported here: only a refusal needs it.
    from difflib import get_close_matches

    names_by_lower_case = {name.lower(): name for name in names}
    matches = get_close_matches(wanted.lower(), names_by_lower_case, limit)
    return [names_by_lower_case[match] for match in matches]


def did_you_mean(wanted: str, names: Iterable[str], otherwise: str) -> str:
    """Return ``did you mean NAME?`` for a similar name, or `otherwise`."""
    matches = closest_matches(wanted, names)
    return f"did you mean {matches[0]}?" if matches else otherwise


# Text that is safe to show

CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f"
"""Control characters, except the tab, the form feed and line ends."""
BREAKS = "\x0a\x0c\x0d\x85\u2028\u2029"
"""Characters that end a line or a page on some screens."""
DIRECTIONS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Bidirectional marks, which reorder the text on the screen."""
HIDDEN = "\xad\u200b-\u200d\u2060-\u2065\ufeff\U000e0000-\U000e007f"
"""Invisible characters: tags, and the joiners that some scripts need."""
SURROGATES = "\ud800-\udfff"
"""Halves of surrogate pairs, which no encoding can represent."""

# No character of these sets is printable, so a printable text needs no search.
_MISLEADING = f"[{CONTROLS}{DIRECTIONS}]"
_HIDDEN = f"[{HIDDEN}]"
_NOT_IN_A_LINE = f"[{CONTROLS}{BREAKS}{DIRECTIONS}{HIDDEN}{SURROGATES}]"
_NEVER_SENT = f"[{CONTROLS}{SURROGATES}]"


def escape_controls(text: str) -> str:
    """Escape control and bidirectional characters, as in ``\\x1b`` and ``\\u202e``."""
    return text if text.isprintable() else re.sub(_MISLEADING, _escape, text)


def to_one_line(text: str) -> str:
    """Escape all characters that are invisible, misleading or break the line."""
    return text if text.isprintable() else re.sub(_NOT_IN_A_LINE, _escape, text)


def first_line(text: str, max_chars: int) -> str:
    """Return the first line that is not blank, with an ellipsis if there is more.

    The line is safe to show, and has at most `max_chars` characters.
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        return ""
    # Escapes make a line longer, so more than the limit is never looked at.
    line = to_one_line(lines[0][: max_chars + 1])
    if len(line) > max_chars:
        return f"{line[: max_chars - 1].rstrip()}…"
    if len(lines) > 1:
        return f"{line[: max_chars - 2].rstrip()} …"
    return line


_CONTROL_NAMES = {
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
"""Names for control characters, which have none in Unicode, and for U+FEFF."""
_CATEGORY_NAMES = {
    "Cc": "control character",
    "Cs": "half of a surrogate pair",
    "Co": "private use",
}


def character_name(character: str) -> str:
    """Return a character's name with its code point: ``NO-BREAK SPACE (U+00A0)``."""
    name = _CONTROL_NAMES.get(character) or unicodedata.name(character, "")
    if not name:
        category = unicodedata.category(character)
        name = _CATEGORY_NAMES.get(category, "unnamed character")
    return f"{name} (U+{ord(character):04X})"


def character_names(characters: Sequence[str], limit: int = 3) -> str:
    """Return the names of the first characters, and how many others there are."""
    return join_limited(
        [character_name(character) for character in characters], limit
    )


def _escape(match: re.Match[str]) -> str:
    code_point = ord(match.group())
    if code_point < 0x100:
        return f"\\x{code_point:02x}"
    if code_point < 0x10000:
        return f"\\u{code_point:04x}"
    return f"\\U{code_point:08x}"


def describe_hidden_characters(text: str) -> list[str]:
    """Return descriptions of the misleading and invisible characters of `text`."""
    if text.isprintable():
        return []
    descriptions = []
    if re.search(_MISLEADING, text):
        descriptions.append(
            "control or bidirectional characters (shown as \\x1b, \\u202e, …)"
        )
    if re.search(_HIDDEN, text):
        descriptions.append("zero-width characters")
    return descriptions


def escape_surrogates(text: str) -> str:
    """Escape lone surrogates, which no transport can carry, and nothing else."""
    if text.isascii():
        return text
    # Lone surrogates are all that UTF-8 cannot encode.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def escape_unsendable(text: str) -> str:
    """Escape lone surrogates and control characters as ``\\uXXXX``.

    This is the spelling of JSON, so text that is JSON stays JSON. Tabs, form feeds and
    line ends are kept, since a reader copies them. The tools escape what they show;
    this is the last check of everything that leaves, in case a tool, or an error
    message with a strange path in it, did not.
    """
    return re.sub(
        _NEVER_SENT, lambda match: f"\\u{ord(match.group()):04x}", text
    )
