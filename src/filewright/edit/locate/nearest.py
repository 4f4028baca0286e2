"""The regions most like a search text that is nowhere: shown with a refusal, never applied to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.locate.fold import collapsed, verbatim_runs
from filewright.edit.locate.request import Block
from filewright.edit.locate.source import Row, Source

_MOST_HITS = 40
_WINDOWS_SCORED = 12
_LINES_SCORED = 300
_CHARS_SCORED = 4_000
_WHOLE_BYTES = 2 << 20
"""Files up to this size are also ranked line by line when nothing stands there verbatim."""
_LEAST = 0.4


@dataclass(frozen=True, slots=True)
class Near:
    """A region like the search text: its lines, and how alike it is, 0 to 1.

    `asked` and `found` are the first pair of lines that differs, `line` the 1-based line of the
    latter; None where all lines compared are equal or one side has no more lines.
    """

    rows: tuple[Row, ...]
    texts: tuple[str, ...]
    similarity: float
    line_offset: int
    asked: str | None
    found: str | None


def nearest(source: Source, block: Block, limit: int = 3) -> list[Near]:
    """Up to `limit` regions most like `block`, the best first; they do not overlap."""
    lines = block.solid[:_LINES_SCORED]
    if not lines:
        return []
    starts: dict[int, list[Row]] = {}
    for row, index in _seeds(source, lines):
        rows = _window(source, row, index, len(lines))
        starts.setdefault(rows[0].offset, rows)
        if len(starts) >= _WINDOWS_SCORED:
            break
    near = [_compared(source, lines, rows) for rows in starts.values()]
    near.sort(key=lambda one: -one.similarity)
    result: list[Near] = []
    for one in near:
        apart = all(
            one.rows[0].offset >= other.rows[-1].end or one.rows[-1].end <= other.rows[0].offset
            for other in result
        )
        if apart and one.similarity >= _LEAST and len(result) < limit:
            result.append(one)
    return result


def _seeds(source: Source, lines: Sequence[str]) -> list[tuple[Row, int]]:
    """Rows that may be the line of that number of the search text, the most telling first."""
    runs: dict[str, int] = {}
    for index, line in enumerate(lines):
        for run in verbatim_runs(line):
            if sum(char.isalnum() for char in run) > 2:
                runs.setdefault(run, index)
    votes: dict[int, tuple[float, Row, int]] = {}
    for run in sorted(runs, key=len, reverse=True)[:24]:
        hits: list[int] = []
        for at in source.occurrences(run.encode("ascii")):
            hits.append(at)
            if len(hits) > _MOST_HITS:
                break
        if len(hits) > _MOST_HITS:
            continue
        for at in hits:
            row, index = source.row_at(at), runs[run]
            equal = collapsed(source.text(row.body)) == collapsed(lines[index])
            # Windows that begin alike are found by several runs: their weights add up.
            key = _begin(source, row, index)
            weight = len(run) / len(hits) * (2 if equal else 1)
            votes[key] = (votes.get(key, (0.0, row, index))[0] + weight, row, index)
    ranked = sorted(votes.values(), key=lambda vote: -vote[0])
    if ranked or source.held is None or source.size > _WHOLE_BYTES:
        return [(row, index) for _, row, index in ranked]
    return _by_similarity(source, lines)


def _by_similarity(source: Source, lines: Sequence[str]) -> list[tuple[Row, int]]:
    from rapidfuzz import fuzz, process

    rows = [row for row in source.rows() if row.body.strip()]
    keys = [collapsed(source.text(row.body))[:400] for row in rows]
    index = max(range(len(lines)), key=lambda at: len(lines[at]))
    wanted = collapsed(lines[index])[:400]
    found = process.extract(wanted, keys, scorer=fuzz.ratio, limit=3, score_cutoff=100 * _LEAST)
    return [(rows[place], index) for _, _, place in found]


def _begin(source: Source, row: Row, index: int) -> int:
    for _ in range(min(index, 40)):
        before = source.row_before(row)
        while before is not None and not before.body.strip():
            before = source.row_before(before)
        if before is None:
            break
        row = before
    return row.offset


def _window(source: Source, row: Row, index: int, count: int) -> list[Row]:
    """The rows of `count` solid lines of which `row` is number `index`, as far as the file goes."""
    before: list[Row] = []
    back, left = source.row_before(row), index
    while back is not None and left:
        before.append(back)
        left -= bool(back.body.strip())
        back = source.row_before(back)
    rows = [*reversed(before), row]
    while rows and not rows[0].body.strip():
        rows.pop(0)
    left = count - index - 1
    following = source.row_from(row.end)
    while following is not None and left:
        rows.append(following)
        left -= bool(following.body.strip())
        following = source.row_from(following.end)
    while rows and not rows[-1].body.strip():
        rows.pop()
    return rows or [row]


def _compared(source: Source, lines: Sequence[str], rows: list[Row]) -> Near:
    texts = tuple(source.text(row.body) for row in rows)
    solid = [(row, text) for row, text in zip(rows, texts, strict=True) if text.strip()]
    similarity = alike([collapsed(line) for line in lines], [collapsed(text) for _, text in solid])
    asked = found = None
    offset = rows[0].offset
    for line, (row, text) in zip(lines, solid, strict=False):
        if line != text:
            asked, found, offset = line, text, row.offset
            break
    return Near(tuple(rows), texts, similarity, offset, asked, found)


def alike(one: Sequence[str], other: Sequence[str]) -> float:
    """How alike two texts are, 0 to 1, by their lines' characters; bounded on long ones."""
    from rapidfuzz.distance import Indel

    a, b = "\n".join(one), "\n".join(other)
    if max(len(a), len(b)) <= _CHARS_SCORED:
        return float(Indel.normalized_similarity(a, b))
    return float(Indel.normalized_similarity(list(one), list(other)))
