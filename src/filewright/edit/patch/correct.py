"""Refused hunks whose context is spelled wrong, and the lines that the file has there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from filewright.edit.comparison import word_similarity
from filewright.edit.matchers.blocks import find_blocks
from filewright.edit.patch.model import PatchHunk
from filewright.edit.source import Source

_WORD = re.compile(r"\w+")
_LEAST_SIMILARITY = 0.6
"""The share of words that the two forms of a line of context have in common."""


@dataclass(frozen=True, slots=True)
class Correction:
    """The one reading of a refused hunk.

    `line` is the first line of the file that it covers, from 1. `context` has the
    line of the file by index of the old line of the hunk that is to become it.
    """

    line: int
    context: Mapping[int, str] = field(default_factory=dict)


def find_correction(hunk: PatchHunk, source: Source) -> Correction | None:
    """Return the correction of a hunk that has no place, or None if it is not certain.

    It is certain if the lines from the first removed to the last are exactly in the
    file and only once, and if at least half of the lines are there and the others,
    which are context, are similar. These must not have lost a word that the added lines
    use: those would have to be corrected too, and only the author can say how.
    """
    signed_lines = hunk.lines.signed_old
    removed = [
        index for index, (sign, _) in enumerate(signed_lines) if sign == "-"
    ]
    # Lone returns make several lines of one, so that the lines could not be counted.
    if not removed or set(hunk.lines.ends) - {b"\n", b"\r\n"}:
        return None
    first, last = removed[0], removed[-1]
    try:
        old_lines = [
            line.encode(source.encoding.name) for _, line in signed_lines
        ]
    except UnicodeEncodeError:
        return None
    block = tuple(old_lines[first : last + 1])
    if not any(line.strip() for line in block):
        return None
    starts = (find_blocks(source, [block]) or {}).get(block, [])
    if len(starts) != 1 or starts[0] < first:
        return None
    start = starts[0] - first
    file_lines = source.bodies(start, len(old_lines))
    if len(file_lines) != len(old_lines):
        return None
    differing = [
        index
        for index, line in enumerate(old_lines)
        if line != file_lines[index]
    ]
    if 2 * len(differing) > len(old_lines):
        return None
    context: dict[int, str] = {}
    lost_words: set[str] = set()
    for index in differing:
        hunk_line = signed_lines[index][1]
        file_line = source.text(file_lines[index])
        # Only text that the patch can spell is sent back in it.
        is_text = file_line.replace("\t", "").isprintable()
        # A line that has nothing to do with the hunk's says that it belongs elsewhere.
        similarity = word_similarity(hunk_line, file_line)
        if not is_text or similarity < _LEAST_SIMILARITY:
            return None
        context[index] = file_line
        lost_words |= {*_WORD.findall(hunk_line)} - {*_WORD.findall(file_line)}
    for sign, text in hunk.lines.signed_new:
        if sign == "+" and lost_words.intersection(_WORD.findall(text)):
            return None
    return Correction(start + 1, context)
