"""The matcher of a request in which lines such as `# ... existing code ...` omit text.

Such a line is a mark. Search and replacement have equally many marks; the lines between
two marks are a stretch. Each stretch occurs in the file once, by its strictest tier, in
the order of the request. The omitted text between two stretches does not leave the block
in which it begins, unless the request itself shows by its indentation that it does. The
omitted text is in no splice.

Where omitted text leaves its block, the stretches may be of two functions that only look
like one. Then the change is accepted only if it lies before the mark as a whole, beside
the name of its block, and changes lines that occur nowhere else: the text behind the mark
is only context, and there is no second place where those lines could be changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.comparison import RequestLines, indent_width, is_blank
from filewright.edit.linediff import diff_lines
from filewright.edit.matchers.lines import find_regions
from filewright.edit.model import Candidates, LinesPart, Reading, Tier
from filewright.edit.omission_markers import is_omission_marker
from filewright.edit.request import TextEdit
from filewright.edit.source import Source
from filewright.languages import Language

_MAX_OMITTED_BYTES = 1 << 20
"""Bytes of omitted text whose blocks are checked; more is no match."""

_BLOCK_OPENERS = ("{", "(", "[", ":")


def match(source: Source, edit: TextEdit) -> Candidates:
    """Find the stretches of a request that leaves out text in both texts alike."""
    parts = _match_stretches(source, edit)
    if not parts:
        return Candidates(Tier.ELISION)
    tiers = [part.region.tier for part in parts]
    loosest = max(tiers, key=lambda tier: tier.rank)
    return Candidates(
        Tier.ELISION, (Reading((tuple(parts),), inner_tier=loosest),)
    )


def _match_stretches(source: Source, edit: TextEdit) -> list[LinesPart]:
    """Return a part for each stretch, or none if the request is no such edit."""
    searched_text = _split_at_marks(edit.search, source.language)
    replacement_text = _split_at_marks(edit.replace, source.language)
    marks = searched_text.marks
    if not marks or len(marks) != len(replacement_text.marks):
        return []
    for mark in marks:
        if find_regions(source, RequestLines.of_lines([mark])).regions:
            # A file may have such a line itself, as a comment: then it omits nothing.
            return []
    parts: list[LinesPart] = []
    previous_end = source.start
    has_left_block = False
    stretches = zip(
        searched_text.stretches, replacement_text.stretches, strict=True
    )
    for index, (old_lines, new_lines) in enumerate(stretches):
        search = RequestLines.of_lines(old_lines)
        replacement = RequestLines.of_lines(new_lines)
        if not search.solid:
            if replacement.solid:
                # New lines beside a mark and no line of the file: they have no place.
                return []
            continue
        regions = find_regions(source, search).strictest
        if len(regions) != 1 or regions[0].start < previous_end:
            return []
        part = LinesPart(regions[0], search, replacement)
        if parts and not has_left_block:
            mark = marks[index - 1]
            if not _stays_in_block(source, parts[-1], part, mark):
                level = indent_width(mark)
                if not all(
                    _is_settled(source, above, level) for above in parts
                ):
                    return []
                has_left_block = True
        # Behind the block it is not certain which of several blocks is changed.
        if has_left_block and search.lines != replacement.lines:
            return []
        previous_end = part.region.end
        parts.append(part)
    return parts


def _is_settled(source: Source, part: LinesPart, level: int) -> bool:
    """Return True if a stretch above a mark shows, by itself, where it is changed.

    Each change must replace a line that occurs once in the file, or have such a line of
    its block as context. `level` is the indentation of the mark.
    """
    old_lines, new_lines = part.search.lines, part.replace.lines
    if old_lines == new_lines:
        return True
    if len(find_regions(source, part.search).regions) != 1:
        return False
    # The last line further left than the mark names its block, or one that opens a block
    # or a section.
    opening = -1
    for index, line in enumerate(old_lines):
        opens = indent_width(line) < level or line.rstrip().endswith(
            _BLOCK_OPENERS
        )
        if not is_blank(line) and (opens or _is_section(source, line)):
            opening = index
    for change in diff_lines(old_lines, new_lines):
        removed = old_lines[change.start : change.end]
        # An insertion, and a change of blank lines, is settled by the lines around it.
        if all(is_blank(line) for line in removed):
            removed = ()
        context = (
            old_lines if change.start <= opening else old_lines[opening + 1 :]
        )
        if not _has_unique_line(source, removed or context):
            return False
    return True


def _has_unique_line(source: Source, lines: Sequence[str]) -> bool:
    """Return True if a line with text occurs once in the file."""
    for line in lines:
        if is_blank(line):
            continue
        if (
            len(find_regions(source, RequestLines.of_lines([line])).regions)
            == 1
        ):
            return True
    return False


def _is_section(source: Source, line: str) -> bool:
    """Return True for a line that begins a section which no indentation shows.

    Examples are a heading, and the name of a table in brackets.
    """
    section = source.language.traits.section if source.language else ""
    return bool(section) and re.match(section, line) is not None


def _stays_in_block(
    source: Source, before: LinesPart, after: LinesPart, mark: str
) -> bool:
    """Return True if the text between two stretches stays in the block of the mark."""
    start, end = before.region.end, after.region.start
    if end - start > _MAX_OMITTED_BYTES:
        return False
    above = indent_width(before.search.solid[-1])
    below = _block_width(after.search.solid[0])
    level = indent_width(mark)
    stays = level >= above and below >= above
    is_named = _is_section(source, after.search.solid[0])
    least_width = _least_block_width(source, before, after, level)
    # Counting brackets finds the end of a block in languages without indentation, and of
    # one that is indented wrongly.
    depth = 0
    for row in source.rows_from(start):
        if row.offset >= end:
            break
        text = source.text(row.body)
        if is_blank(text):
            continue
        depth += sum(text.count(char) for char in "([{")
        depth -= sum(text.count(char) for char in ")]}")
        if (
            indent_width(text) < least_width
            or (stays and depth < 0)
            or (not is_named and _is_section(source, text))
        ):
            return False
    return True


def _least_block_width(
    source: Source, before: LinesPart, after: LinesPart, level: int
) -> int:
    """Return the least indentation, in the file, of a line in the block of a mark.

    `level` is the indentation of the mark in the request.
    """
    above = indent_width(before.search.solid[-1])
    below = _block_width(after.search.solid[0])
    above_in_file = indent_width(before.region.texts[-1])
    if below < above:
        # The request shows that the block is left, and how far.
        below_in_file = _block_width(after.region.texts[0])
        return min(below_in_file - max(0, below - level), above_in_file)
    if level > above:
        return above_in_file + 1
    if above in (level, below):
        # A mark as deep as the line above it that opens a block is meant inside of it.
        next_line, _ = source.first_solid_row(
            source.rows_from(before.region.end)
        )
        opens = below > above and indent_width(next_line) > above_in_file
        return above_in_file + opens
    # The mark is outside of the block of the line above it.
    return above_in_file - (above - level)


def _block_width(line: str) -> int:
    """Return the indentation of a line, without the space before the star of a comment."""
    # The lines ` * text` of a block comment are at the depth of its `/**`.
    is_comment_line = re.match(r"\s+\*(?:\s|/|$)", line) is not None
    return indent_width(line) - is_comment_line


@dataclass(frozen=True, slots=True)
class _MarkedText:
    """The lines before, between and behind marks that stand for omitted text."""

    stretches: tuple[tuple[str, ...], ...]
    marks: tuple[str, ...]


def _split_at_marks(text: str, language: Language | None) -> _MarkedText:
    """Split a text at the lines that stand for omitted text."""
    lines = text.split("\n")
    if len(lines) > 1 and is_blank(lines[-1]):
        lines.pop()
    stretches: list[tuple[str, ...]] = []
    marks: list[str] = []
    stretch: list[str] = []
    for line in lines:
        if is_omission_marker(line, language):
            marks.append(line)
            stretches.append(tuple(stretch))
            stretch = []
        else:
            stretch.append(line)
    stretches.append(tuple(stretch))
    return _MarkedText(tuple(stretches), tuple(marks))
