"""A region like a search text that is nowhere, as it is shown with a refusal: blanks made visible."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from filewright.edit.locate.fold import BLANKS, SPACES
from filewright.edit.locate.nearest import Near, nearest
from filewright.edit.locate.request import Block, Edit
from filewright.edit.locate.source import Row, Source
from filewright.edit.visible import safe

LINE_CHARS = 160
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A region like the search text, 1-based lines; the first pair of lines that differs, blanks visible."""

    first_line: int
    last_line: int
    similarity: float
    text: str
    differs_at: int | None = None
    asked: str | None = None
    found: str | None = None

    def data(self) -> dict[str, Any]:
        """The candidate as plain values."""
        return {
            "first_line": self.first_line,
            "last_line": self.last_line,
            "similarity": round(self.similarity, 3),
            "text": self.text,
            "differs_at": self.differs_at,
            "asked": self.asked,
            "found": self.found,
        }


def candidates(source: Source, edit: Edit) -> tuple[Candidate, ...]:
    """The regions most like the search text, the best first."""
    return tuple(_of_near(source, near) for near in nearest(source, Block.of(edit.search)))


def _of_near(source: Source, near: Near) -> Candidate:
    first = source.line_number(near.rows[0].offset)
    differs = None if near.asked is None else source.line_number(near.line_offset)
    return Candidate(
        first,
        first + len(near.rows) - 1,
        near.similarity,
        clean("\n".join(near.texts)),
        differs,
        None if near.asked is None else visible(near.asked),
        None if near.found is None else visible(near.found),
    )


def candidate_of(source: Source, rows: list[Row], edit: Edit, similarity: float) -> Candidate:
    """These rows as a candidate for the whole search text, line by line."""
    first = source.line_number(rows[0].offset)
    texts = [clean(source.text(row.body)) for row in rows]
    for step, (asked, found) in enumerate(zip(edit.search.split("\n"), texts, strict=False)):
        if asked != found:
            return Candidate(
                first,
                first + len(rows) - 1,
                similarity,
                "\n".join(texts),
                first + step,
                visible(asked),
                visible(found),
            )
    return Candidate(first, first + len(rows) - 1, similarity, "\n".join(texts))


def visible(line: str) -> str:
    """A line with its blanks made visible: ``·`` a space at an edge or beside another, ``→`` a tab."""
    line = clean(line)
    line = line[:LINE_CHARS] + ("…" if len(line) > LINE_CHARS else "")
    bare = line.strip(BLANKS)
    lead, body = line[: len(line) - len(line.lstrip(BLANKS))], bare
    trail = line[len(lead) + len(body) :] if body else ""
    body = body.replace("  ", "··").replace("· ", "··")
    marked = lead.replace(" ", "·") + body + trail.replace(" ", "·")
    for char in SPACES:
        if char in marked:
            marked = marked.replace(char, f"<U+{ord(char):04X}>")
    marked = marked.replace("\t", "→")
    return "".join(f"<U+{ord(char):04X}>" if unicodedata.combining(char) else char for char in safe(marked))


def clean(text: str) -> str:
    """`text` with U+FFFD for bytes that are not text."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)
