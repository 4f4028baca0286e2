"""Matches in the very long lines of generated files, which a search of a tree only counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from filewright.languages import Language
from filewright.progress import Task
from filewright.search.hits import Hit
from filewright.structure.outlines import language_of_snapshot
from filewright.text.notebook import NotebookView
from filewright.text.snapshot import Snapshot
from filewright.tools.search.excerpt import (
    ExcerptLine,
    HitExcerpt,
    LineRole,
)

MIN_LONG_LINE_BYTES = 1_000
MIN_COUNTED_MATCHES = 2
"""A single match is shown: its row is as short."""

MINIFIED_LANGUAGES = {
    Language.JAVASCRIPT,
    Language.JSX,
    Language.TYPESCRIPT,
    Language.TSX,
    Language.CSS,
    Language.JSON,
    Language.HTML,
    Language.XML,
}
LONG_LINES_NOTE = "a search of the file itself shows its long lines"


def find_long_lines(
    snapshot: Snapshot, hits: Sequence[Hit], task: Task
) -> frozenset[int]:
    """Return the numbers of lines with hits that are as long as those of minified files."""
    if isinstance(snapshot, NotebookView):
        return frozenset()
    if language_of_snapshot(snapshot) not in MINIFIED_LANGUAGES:
        return frozenset()
    numbers = set()
    for hit in hits:
        if hit.line not in numbers:
            end = snapshot.lines.line_end(hit.line_offset, task)
            if end - hit.line_offset > MIN_LONG_LINE_BYTES:
                numbers.add(hit.line)
    if count_matches(hits, numbers) < MIN_COUNTED_MATCHES:
        return frozenset()
    return frozenset(numbers)


def count_matches(hits: Sequence[Hit], lines: Collection[int]) -> int:
    """Return how many matches the hits in these lines have."""
    return sum(len(hit.submatches) for hit in hits if hit.line in lines)


def sum_long_lines(
    hits: Sequence[Hit],
    excerpts: Iterable[HitExcerpt],
    long_lines: Collection[int],
) -> Iterator[HitExcerpt]:
    """Yield the excerpts of hits, with one row for all those in long lines of the file."""
    count = count_matches(hits, long_lines)
    text = f"[{count:,} matches in lines of more than 1,000 characters]"
    has_row = False
    for hit, excerpt in zip(hits, excerpts, strict=True):
        if hit.line not in long_lines:
            yield excerpt
            continue
        rows: tuple[ExcerptLine, ...] = ()
        if not has_row:
            rows = (ExcerptLine(hit.line, text, LineRole.SUMMARY),)
            has_row = True
        yield replace(excerpt, lines=rows, has_short_context=False)
