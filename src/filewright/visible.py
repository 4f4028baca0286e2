"""Text made safe to show: nothing hides, nothing moves the cursor, nothing that a transport cannot carry.

The one place that knows which characters those are, and how they are written instead. What a file holds is
shown with `visible`, where a reader may copy it; in `one_line`, as of a diff or a refusal, line breaks and
what does not show are written out too. `encodable` and `safe` look last at whatever leaves. File names have
a form of their own (`boundary.quote`), made of the same characters.
"""

from __future__ import annotations

import re

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
_CONTROL = f"[{CONTROLS}]"


def visible(text: str) -> str:
    """`text` with control and bidirectional characters as escapes such as ``\\x1b`` and ``\\u202e``."""
    return text if text.isprintable() else re.sub(_MISLEADING, _escape, text)


def one_line(text: str) -> str:
    """The same of a line whose place on the page counts: line breaks and what does not show are escapes too."""
    return text if text.isprintable() else re.sub(_NOT_IN_A_LINE, _escape, text)


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def oddities(text: str) -> list[str]:
    """What a reader must know of `text`: kinds of characters that do not show or mislead."""
    if text.isprintable():
        return []
    found = []
    if re.search(_MISLEADING, text):
        found.append("control or bidirectional characters (shown as \\x1b, \\u202e, …)")
    if re.search(_HIDDEN, text):
        found.append("zero-width characters")
    return found


def encodable(text: str) -> str:
    """`text` with lone surrogates spelled out, which no transport can carry, and nothing else changed."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


def safe(text: str) -> str:
    """`text` with lone surrogates and control characters spelled out as ``\\uXXXX``.

    The spelling is that of JSON, so a text that is JSON stays so. Tabs, form feeds and line ends are
    left: what a reader copies must be what the file holds. The tools escape what they show; this is the
    last look at whatever leaves a surface, which holds even if one of them, or an error message with a
    strange path in it, did not.
    """
    return re.sub(_CONTROL, lambda found: f"\\u{ord(found.group()):04x}", encodable(text))
