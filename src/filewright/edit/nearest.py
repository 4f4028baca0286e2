"""The regions most like a text that is not in the file.

They are shown with a refusal, with whitespace made visible, and never changed. The work is
bounded: regions are found by their rarest texts, and a line too long to be shown is not
compared.
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

_MAX_RUNS = 16
_MAX_OCCURRENCES = 16
_MAX_WINDOWS = 32
_MAX_COMPARED_LINES = 300
_MAX_COMPARED_CHARS = 4_000

_LONG_LINE_BYTES = 4_096
"""Longer lines are not compared."""

_SKETCHED_BYTES = 2 << 20
"""Files up to this size are compared line by line if no run of the request occurs."""

_LEAST_SIMILARITY = 0.4

MAX_LINE_CHARS = 160
"""Characters of a line that are shown in a refusal."""
MAX_TEXT_CHARS = 4_000
"""Characters of a text that is offered to be used."""


@dataclass(frozen=True, slots=True)
class NearText:
    """A region like a search text: its lines from 1, and its similarity, 0 to 1.

    `asked` and `found` are the first two lines that differ, with visible whitespace, and
    `differs_at` is the line of the second; None if all compared lines are equal.
    `next_best` is the similarity of the next region, if this is the best of several.
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
        """Return the region as plain values."""
        return {
            "first_line": self.first_line,
            "last_line": self.last_line,
            "similarity": round(self.similarity, 3),
            "text": self.text,
            "differs_at": self.differs_at,
            "asked": self.asked,
            "found": self.found,
        }


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Rows of the file, and their similarity to the search text."""

    similarity: float
    rows: list[Line]


def find_nearest(
    source: Source, text: str, *, line: int | None = None, limit: int = 3
) -> tuple[NearText, ...]:
    """Return up to `limit` regions that are most similar to `text`, the best first.

    They do not overlap. Of equally similar ones the one nearest to `line`, counted from
    1, comes first if it is given.
    """
    lines = RequestLines.of(text).solid[:_MAX_COMPARED_LINES]
    if not lines:
        return ()
    ranked = _rank_windows(source, lines, line)
    chosen: list[_Ranked] = []
    for candidate in ranked:
        if len(chosen) == limit:
            break
        if candidate.similarity < _LEAST_SIMILARITY:
            continue
        if all(
            _is_apart(candidate.rows, neighbour.rows) for neighbour in chosen
        ):
            chosen.append(candidate)
    regions: list[NearText] = []
    for candidate in chosen:
        region = compare_with_rows(
            source, candidate.rows, lines, candidate.similarity, solid=True
        )
        regions.append(region)
    if regions:
        next_best = _similarity_of_next(chosen[0].rows, ranked)
        regions[0] = replace(regions[0], next_best=next_best)
    return tuple(regions)


def _rank_windows(
    source: Source, lines: Sequence[str], line: int | None
) -> list[_Ranked]:
    """Return the stretches of the file that may be `lines`, the most similar first."""
    search_keys = [collapse(text) for text in lines]
    ranked: list[_Ranked] = []
    for rows in _windows(source, lines):
        keys = [collapse(source.text(row.body)) for row in rows]
        similarity = line_similarity(search_keys, [key for key in keys if key])
        ranked.append(_Ranked(similarity, rows))

    def order(candidate: _Ranked) -> tuple[float, int]:
        if line is None:
            return -candidate.similarity, 0
        # Rounded, or a difference of one letter would outweigh the line of the caller.
        first = source.line_number(candidate.rows[0].offset)
        return -round(candidate.similarity, 2), abs(first - line)

    return sorted(ranked, key=order)


def _is_apart(rows: Sequence[Line], other_rows: Sequence[Line]) -> bool:
    """Return True if two stretches of rows do not overlap."""
    return (
        rows[0].offset >= other_rows[-1].end
        or rows[-1].end <= other_rows[0].offset
    )


def _similarity_of_next(
    best: Sequence[Line], ranked: Sequence[_Ranked]
) -> float:
    """Return the similarity of the second-best region.

    A region that shares only its edge with `best` is another one, although it is not
    shown: it may be the twin that was meant.
    """
    similarities = [0.0]
    for candidate in ranked:
        # Windows around several runs of one region overlap in most of their rows.
        rows = candidate.rows
        shared_count = sum(
            row.offset >= best[0].offset and row.end <= best[-1].end
            for row in rows
        )
        if 2 * shared_count < min(len(rows), len(best)):
            similarities.append(candidate.similarity)
    return max(similarities)


def compare_with_rows(
    source: Source,
    rows: Sequence[Line],
    lines: Sequence[str],
    similarity: float,
    *,
    solid: bool = False,
) -> NearText:
    """Return rows as a region like `lines`; with `solid`, blank rows are not compared."""
    first = source.line_number(rows[0].offset)
    file_lines = [replace_undecodable(source.text(row.body)) for row in rows]
    near = NearText(
        first, first + len(rows) - 1, similarity, "\n".join(file_lines)
    )
    numbered_lines = [
        (number, file_line)
        for number, file_line in enumerate(file_lines, first)
        if file_line.strip() or not solid
    ]
    for request_line, (number, file_line) in zip(
        lines, numbered_lines, strict=False
    ):
        if request_line != file_line:
            return replace(
                near,
                differs_at=number,
                asked=show_whitespace(request_line),
                found=show_whitespace(file_line),
            )
    return near


def _windows(source: Source, lines: Sequence[str]) -> list[list[Line]]:
    """Return stretches of the file that may be the lines.

    They are found by the longest runs of text that occur in both, otherwise by the line
    most similar to the longest one of the request.
    """
    runs: dict[str, int] = {}
    for index, line in enumerate(lines):
        for run in verbatim_runs(line):
            if sum(char.isalnum() for char in run) > 2:
                runs.setdefault(run, index)
    windows: dict[int, list[Line]] = {}
    # Long runs are rare: they are likely to be of the text that is meant.
    for run in sorted(runs, key=len, reverse=True)[:_MAX_RUNS]:
        rows_with_run = list(
            islice(rows_with(source, run.encode("ascii")), _MAX_OCCURRENCES + 1)
        )
        for row in (
            rows_with_run if len(rows_with_run) <= _MAX_OCCURRENCES else ()
        ):
            if len(row.body) <= _LONG_LINE_BYTES:
                rows = _window(source, row, runs[run], len(lines))
                windows.setdefault(rows[0].offset, rows)
        if len(windows) >= _MAX_WINDOWS:
            break
    if windows or source.held is None or source.size > _SKETCHED_BYTES:
        return list(windows.values())
    # Imported late: most edits are never refused.
    from rapidfuzz import fuzz, process

    rows, keys = source.sketch
    index = max(range(len(lines)), key=lambda number: len(lines[number]))
    search_key = collapse(lines[index][:400])
    places = process.extract(
        search_key,
        keys,
        scorer=fuzz.ratio,
        limit=3,
        score_cutoff=100 * _LEAST_SIMILARITY,
    )
    return [
        _window(source, rows[place], index, len(lines))
        for _, _, place in places
    ]


def _window(source: Source, row: Line, index: int, count: int) -> list[Line]:
    """Return the rows of `count` solid lines, with `row` as number `index`."""
    before = _as_far(source.rows_before(row), index)
    after = _as_far(source.rows_from(row.end), count - index - 1)
    rows = [*reversed(before), row, *after]
    while rows and not rows[0].body.strip():
        rows.pop(0)
    while rows and not rows[-1].body.strip():
        rows.pop()
    return rows or [row]


def _as_far(rows: Iterator[Line], solid: int) -> list[Line]:
    """Return the next rows, up to `solid` solid ones or to a line too long."""
    result: list[Line] = []
    while (
        solid
        and (row := next(rows, None)) is not None
        and len(row.body) <= _LONG_LINE_BYTES
    ):
        result.append(row)
        solid -= bool(row.body.strip())
    return result


def line_similarity(lines: Sequence[str], other_lines: Sequence[str]) -> float:
    """Return the similarity of two texts, 0 to 1.

    Short ones are compared by their characters, long ones by their lines.
    """
    from rapidfuzz.distance import Indel

    text, other_text = "\n".join(lines), "\n".join(other_lines)
    if max(len(text), len(other_text)) <= _MAX_COMPARED_CHARS:
        return float(Indel.normalized_similarity(text, other_text))
    return float(Indel.normalized_similarity(list(lines), list(other_lines)))


def replace_undecodable(text: str) -> str:
    """Return `text` with U+FFFD for bytes that are not text."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def show_whitespace(line: str) -> str:
    """Return a line with its whitespace made visible.

    `·` is a space at an edge or beside another one, `→` a tab.
    """
    line = replace_undecodable(line)
    line = line[:MAX_LINE_CHARS] + ("…" if len(line) > MAX_LINE_CHARS else "")
    body = line.strip(WHITESPACE)
    lead = line[: len(line) - len(line.lstrip(WHITESPACE))]
    trail = line[len(lead) + len(body) :] if body else ""
    # Only spaces in a row are marked between words, or the text would be unreadable.
    body = body.replace("  ", "··").replace("· ", "··")
    marked = lead.replace(" ", "·") + body + trail.replace(" ", "·")
    for char in SPACES:
        if char in marked:
            marked = marked.replace(char, f"<U+{ord(char):04X}>")
    marked = marked.replace("\t", "→")
    # A decomposed letter looks like the composed one, and may be the only difference.
    return "".join(
        f"<U+{ord(char):04X}>" if unicodedata.combining(char) else char
        for char in to_one_line(marked)
    )
