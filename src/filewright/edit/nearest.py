"""The one place for "nearest text": the regions most like a text that is nowhere, as they are shown.

They are shown with a refusal, whitespace made visible (nothing hides, nothing moves the cursor), and never applied
to. The work is bounded: lines are found by their rarest stretches, and a line too long to be shown is not compared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from filewright.edit.comparison import (
    WHITESPACE,
    RequestLines,
    collapse,
    verbatim_runs,
)
from filewright.edit.matchers.lines import rows_with
from filewright.edit.source import Source
from filewright.text.lines import Line
from filewright.text.spelling import SPACES
from filewright.wording import to_one_line

_RUNS = 16
_MOST_HITS = 16
_WINDOWS_SCORED = 32
_LINES_SCORED = 300
_CHARS_SCORED = 4_000
_LONG_LINE = 4_096
"""Longer lines are not compared: what is asked for is not like them."""
_WHOLE_BYTES = 2 << 20
"""Files up to this size are also ranked line by line when nothing is there verbatim."""
_LEAST = 0.4
MAX_LINE_CHARS = 160
"""Characters of a line that are shown in a refusal."""
MAX_TEXT_CHARS = 4_000
"""Characters of a text that is offered to be used."""


@dataclass(frozen=True, slots=True)
class NearText:
    """A region like the text asked for, 1-based lines, and how alike it is, 0 to 1.

    `asked` and `found` are the first pair of lines that differs, whitespace visible, `differs_at`
    the line of the latter; None where all lines compared are equal. `next_best` is how alike the next
    best region is, of the first of several.
    """

    first_line: int
    last_line: int
    similarity: float
    text: str
    differs_at: int | None = None
    asked: str | None = None
    found: str | None = None
    next_best: float = 0.0

    def data(self) -> dict[str, Any]:
        """The candidate as plain values."""
        shown = "first_line last_line similarity text differs_at asked found"
        return {name: getattr(self, name) for name in shown.split()} | {
            "similarity": round(self.similarity, 3)
        }


def find_nearest(
    source: Source, text: str, *, line: int | None = None, limit: int = 3
) -> tuple[NearText, ...]:
    """Up to `limit` regions most like `text`, the best first; they do not overlap.

    Of equally like ones the one nearest to 1-based `line` comes first, if it is given.
    """
    lines = RequestLines.of(text).solid[:_LINES_SCORED]
    if not lines:
        return ()

    def order(one: tuple[float, list[Line]]) -> tuple[float, int]:
        similarity, rows = one
        if line is None:
            return -similarity, 0
        return -round(similarity, 2), abs(source.line_number(rows[0].offset) - line)

    wanted = [*map(collapse, lines)]
    ranked = sorted(
        (
            (
                line_similarity(
                    wanted,
                    [key for row in rows if (key := collapse(source.text(row.body)))],
                ),
                rows,
            )
            for rows in _windows(source, lines)
        ),
        key=order,
    )
    chosen: list[tuple[float, list[Line]]] = []
    for similarity, rows in ranked:
        apart = all(
            rows[0].offset >= other[-1].end or rows[-1].end <= other[0].offset
            for _, other in chosen
        )
        if apart and similarity >= _LEAST and len(chosen) < limit:
            chosen.append((similarity, rows))
    found = [
        compare_with_rows(source, rows, lines, similarity, solid=True)
        for similarity, rows in chosen
    ]
    if found:
        # One that shares only its edge with the first is another region, and shown nowhere.
        first, others = chosen[0][1], [0.0]
        for similarity, rows in ranked:
            shared = sum(
                row.offset >= first[0].offset and row.end <= first[-1].end
                for row in rows
            )
            if 2 * shared < min(len(rows), len(first)):
                others.append(similarity)
        found[0] = replace(found[0], next_best=max(others))
    return tuple(found)


def compare_with_rows(
    source: Source,
    rows: Sequence[Line],
    lines: Sequence[str],
    similarity: float,
    *,
    solid: bool = False,
) -> NearText:
    """Rows as a candidate for `lines`, line by line; with `solid`, blank rows are passed over."""
    first = source.line_number(rows[0].offset)
    texts = [replace_undecodable(source.text(row.body)) for row in rows]
    pairs = [
        (number, text)
        for number, text in enumerate(texts, first)
        if text.strip() or not solid
    ]
    differing = (
        (number, show_whitespace(asked), show_whitespace(text))
        for asked, (number, text) in zip(lines, pairs, strict=False)
        if asked != text
    )
    return NearText(
        first,
        first + len(rows) - 1,
        similarity,
        "\n".join(texts),
        *next(differing, (None, None, None)),
    )


def _windows(source: Source, lines: Sequence[str]) -> list[list[Line]]:
    """Stretches of the file that may be the lines: by the longest texts that both have, else by their longest line."""
    runs: dict[str, int] = {}
    for index, line in enumerate(lines):
        for run in verbatim_runs(line):
            if sum(char.isalnum() for char in run) > 2:
                runs.setdefault(run, index)
    found: dict[int, list[Line]] = {}
    for run in sorted(runs, key=len, reverse=True)[:_RUNS]:
        hits = list(islice(rows_with(source, run.encode("ascii")), _MOST_HITS + 1))
        for row in hits if len(hits) <= _MOST_HITS else ():
            if len(row.body) <= _LONG_LINE:
                rows = _window(source, row, runs[run], len(lines))
                found.setdefault(rows[0].offset, rows)
        if len(found) >= _WINDOWS_SCORED:
            break
    if found or source.held is None or source.size > _WHOLE_BYTES:
        return list(found.values())
    from rapidfuzz import fuzz, process

    rows, keys = source.sketch
    index = max(range(len(lines)), key=lambda at: len(lines[at]))
    wanted = collapse(lines[index][:400])
    places = process.extract(
        wanted, keys, scorer=fuzz.ratio, limit=3, score_cutoff=100 * _LEAST
    )
    return [_window(source, rows[place], index, len(lines)) for _, _, place in places]


def _window(source: Source, row: Line, index: int, count: int) -> list[Line]:
    """The rows of `count` solid lines of which `row` is number `index`, as far as the file goes."""
    before = _as_far(source.rows_before(row), index)
    after = _as_far(source.rows_from(row.end), count - index - 1)
    rows = [*reversed(before), row, *after]
    while rows and not rows[0].body.strip():
        rows.pop(0)
    while rows and not rows[-1].body.strip():
        rows.pop()
    return rows or [row]


def _as_far(rows: Iterator[Line], solid: int) -> list[Line]:
    """The next rows up to so many solid ones, or a line too long to be compared."""
    found: list[Line] = []
    while (
        solid and (row := next(rows, None)) is not None and len(row.body) <= _LONG_LINE
    ):
        found.append(row)
        solid -= bool(row.body.strip())
    return found


def line_similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """How alike two texts are, 0 to 1, by their lines' characters; bounded on long ones."""
    from rapidfuzz.distance import Indel

    a, b = "\n".join(one), "\n".join(other)
    if max(len(a), len(b)) <= _CHARS_SCORED:
        return float(Indel.normalized_similarity(a, b))
    return float(Indel.normalized_similarity(list(one), list(other)))


# As it is shown


def replace_undecodable(text: str) -> str:
    """`text` with U+FFFD for bytes that are not text."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def show_whitespace(line: str) -> str:
    """A line with its whitespace made visible: ``·`` a space at an edge or beside another, ``→`` a tab."""
    line = replace_undecodable(line)
    line = line[:MAX_LINE_CHARS] + ("…" if len(line) > MAX_LINE_CHARS else "")
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
        f"<U+{ord(char):04X}>" if unicodedata.combining(char) else char
        for char in to_one_line(marked)
    )
