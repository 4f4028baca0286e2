"""What leaves the server: text that cannot break a client, never more of it than a client takes.

The tools bound and escape what they show; this is the second look that holds even if one of them, or an
error message with a strange path in it, did not.
"""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def safe(text: str) -> str:
    """`text` with lone surrogates and control characters spelled out as `\\uXXXX`.

    The spelling is that of JSON, so a text that is JSON stays so. Tabs, line feeds and carriage returns
    are left.
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", encodable(text))


def bounded(text: str, limit: int, note: str) -> str:
    """`text` if it has at most `limit` characters, else its beginning up to a line's end, and `note`."""
    if len(text) <= limit:
        return text
    room = max(0, limit - len(note) - 1)
    cut = text.rfind("\n", room // 2, room)
    return f"{text[: cut if cut > 0 else room]}\n{note}"[:limit]


def encodable(text: str) -> str:
    """`text` with lone surrogates spelled out, and nothing else changed."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
