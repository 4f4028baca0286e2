"""Text of a file made safe to show in a diff or a refusal: nothing hides, nothing moves the cursor."""

from __future__ import annotations

import re
import unicodedata

from filewright.edit.locate.request import WHITESPACE
from filewright.text import SPACES
from filewright.visible import one_line

LINE_CHARS = 160
"""Characters of a line that are shown in a refusal."""

_MARKS = {b"\r\n": "\u240d\u240a", b"\n": "\u240a", b"\r": "\u240d"}


def clean(text: str) -> str:
    """`text` with U+FFFD for bytes that are not text."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def visible(line: str) -> str:
    """A line with its whitespace made visible: ``·`` a space at an edge or beside another, ``→`` a tab."""
    line = clean(line)
    line = line[:LINE_CHARS] + ("…" if len(line) > LINE_CHARS else "")
    body = line.strip(WHITESPACE)
    lead = line[: len(line) - len(line.lstrip(WHITESPACE))]
    trail = line[len(lead) + len(body) :] if body else ""
    body = body.replace("  ", "··").replace("· ", "··")
    marked = lead.replace(" ", "·") + body + trail.replace(" ", "·")
    for char in SPACES:
        if char in marked:
            marked = marked.replace(char, f"<U+{ord(char):04X}>")
    marked = marked.replace("\t", "→")
    return "".join(
        f"<U+{ord(char):04X}>" if unicodedata.combining(char) else char for char in one_line(marked)
    )


def terminator_mark(terminator: bytes, usual: bytes) -> str:
    """What is shown after a changed line that ends unlike most lines of its file: ``␍␊``, ``␊``, ``␍``."""
    return "" if terminator == usual else _MARKS.get(terminator, "")


def cut_line(text: str, limit: int) -> str:
    """`text`, or its first `limit` characters and how many follow."""
    if len(text) <= limit + 40:
        return text
    return f"{text[:limit]}… [{len(text) - limit:,} more characters]"


def cut_pair(old: str, new: str, limit: int) -> tuple[str, str]:
    """Two long lines that differ somewhere, cut alike to the part that differs."""
    if max(len(old), len(new)) <= limit + 40 or old == new:
        return old, new
    pairs = enumerate(zip(old, new, strict=False))
    low = next((at for at, (one, other) in pairs if one != other), min(len(old), len(new)))
    start = max(0, low - limit // 2)
    if start <= 40:
        return old, new
    lead = f"[{start:,} characters] …"
    return lead + old[start:], lead + new[start:]
