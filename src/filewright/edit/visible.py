"""Text of a file made safe to show in a diff or a refusal: nothing hides, nothing moves the cursor."""

from __future__ import annotations

import re
import unicodedata

from filewright.edit.locate.request import WHITESPACE
from filewright.text import SPACES
from filewright.wording import one_line

LINE_CHARS = 160
"""Characters of a line that are shown in a refusal."""


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
