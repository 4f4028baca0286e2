"""The matcher of a request in which lines stand for text left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from filewright.edit.comparison import (
    RequestLines,
    indent_width,
    is_blank,
)
from filewright.edit.linediff import diff_lines
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import (
    LinesPart,
)
from filewright.edit.omission_markers import is_omission_marker
from filewright.edit.source import Source
from filewright.languages import Language

_MOST_OMITTED = 1 << 20
"""Bytes of omitted text that are looked at; more is refused."""


# Elision


def find_elided(source: Source, search: str, replace: str) -> list[LinesPart] | None:
    """The parts of an edit whose texts leave text out alike; None if it is not such an edit."""
    asked, marks = _stretches(search, source.language)
    wanted, _ = _stretches(replace, source.language)
    if len(asked) < 2 or len(asked) != len(wanted):
        return None
    if any(
        find_regions(source, RequestLines.of_lines([mark])).regions for mark in marks
    ):
        return None  # a line of the file is text
    parts: list[LinesPart] = []
    after = source.start
    crossed = False
    for index, (one, other) in enumerate(zip(asked, wanted, strict=True)):
        mine, theirs = RequestLines.of_lines(one), RequestLines.of_lines(other)
        if not mine.solid:
            if theirs.solid:
                return None
            continue
        best = find_regions(source, mine).strictest
        if len(best) != 1 or best[0].start < after:
            return None
        part = LinesPart(best[0], mine, theirs)
        if (
            parts
            and not crossed
            and not _is_inside(source, parts[-1], part, marks[index - 1])
        ):
            if not all(
                _is_settled(source, before, indent_width(marks[index - 1]))
                for before in parts
            ):
                return None
            crossed = True
        if crossed and mine.lines != theirs.lines:
            return None
        after = part.region.end
        parts.append(part)
    return parts or None


def _is_settled(source: Source, part: LinesPart, level: int) -> bool:
    """Whether a stretch above a mark at `level` says by itself where it is changed: by lines that occur once."""
    old, new = part.search.lines, part.replace.lines
    if old == new:
        return True
    if len(find_regions(source, part.search).regions) != 1:
        return False

    def is_single(lines: Sequence[str]) -> bool:
        solid = [line for line in lines if not is_blank(line)]
        return any(
            len(find_regions(source, RequestLines.of_lines([line])).regions) == 1
            for line in solid
        )

    # The last line further left than the mark names its block, or one that opens a block or a section.
    opening = -1
    for at, line in enumerate(old):
        opens = indent_width(line) < level or line.rstrip().endswith(
            ("{", "(", "[", ":")
        )
        if not is_blank(line) and (opens or _is_section(source, line)):
            opening = at
    for change in diff_lines(old, new):
        gone = old[change.start : change.end]
        if gone and not any(map(str.strip, gone)):
            gone = ()
        beside = old if change.start <= opening else old[opening + 1 :]
        if not is_single(gone or beside):
            return False
    return True


def _is_section(source: Source, line: str) -> bool:
    """Whether a line begins a section that no indentation shows: a heading, a table's name in brackets."""
    section = source.language.traits.section if source.language else ""
    return bool(section) and re.match(section, line) is not None


def _is_inside(source: Source, before: LinesPart, after: LinesPart, mark: str) -> bool:
    """Whether the text between two stretches stays in the block in which the mark between them is."""
    start, end = before.region.end, after.region.start
    if end - start > _MOST_OMITTED:
        return False
    above, below = (
        indent_width(before.search.solid[-1]),
        _block_width(after.search.solid[0]),
    )
    level, mine = indent_width(mark), indent_width(before.region.texts[-1])
    stays = level >= above and below >= above
    named = _is_section(source, after.search.solid[0])
    if below < above:
        # The request shows that the block is left, and how far.
        least = min(_block_width(after.region.texts[0]) - max(0, below - level), mine)
    elif level > above:
        least = mine + 1
    elif above in (level, below):
        below_it, _ = source.first_solid_row(source.rows_from(start))
        least = mine + (below > above and indent_width(below_it) > mine)
    else:
        least = mine - (
            above - level
        )  # the mark is outside of the block of the line above it
    depth = 0
    for row in takewhile(lambda row: row.offset < end, source.rows_from(start)):
        text = source.text(row.body)
        if not is_blank(text):
            depth += sum(text.count(char) for char in "([{") - sum(
                text.count(char) for char in ")]}"
            )
            if (
                indent_width(text) < least
                or (stays and depth < 0)
                or (not named and _is_section(source, text))
            ):
                return False
    return True


def _block_width(line: str) -> int:
    """The width of a line, less the blank by which a comment's later lines are aligned with its first."""
    return indent_width(line) - bool(re.match(r"\s+\*(?:\s|/|$)", line))


def _stretches(
    text: str, language: Language | None
) -> tuple[list[list[str]], list[str]]:
    """The lines between those that mean omitted text, and these."""
    lines = text.split("\n")
    if len(lines) > 1 and is_blank(lines[-1]):
        lines.pop()
    result: list[list[str]] = [[]]
    marks: list[str] = []
    for line in lines:
        if is_omission_marker(line, language):
            marks.append(line)
            result.append([])
        else:
            result[-1].append(line)
    return result, marks
