"""The headings of hunks: lines that come somewhere above a hunk, such as ``@@ class A``.

A heading is the first line of the block that the hunk is in. If a hunk fits at several
places, its heading chooses the one inside that block. Blocks are told by indentation,
without a parser: the block ends at the first line that is indented no more than the
heading. All lines count from 0.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from filewright.edit.comparison import leading_whitespace
from filewright.edit.patch.model import PatchHunk
from filewright.edit.patch.placement import LineBudget, NoPlace, to_line_numbers
from filewright.edit.source import Source

_MAX_PLACES = 2_000
"""Places of a hunk for which the enclosing block is looked for; more are ambiguous."""
_MAX_DISTANCE = 20_000
"""Lines that are looked at between a heading and a place."""
_MAX_LENGTHS = 32
"""Lengths of headings that may be the beginning of a line, the shortest first."""

# Two words or more without a sign of code: "createFromNodeStream function".
_PROSE = re.compile(r"\w[\w'’.,-]*(?: \w[\w'’.,-]*)+")
# Numbers of lines, as "65", "line 39-46" and "64,3 +64,7".
_POSITION = re.compile(
    r"(?:lines? )?[-+]?\d+(?:[-–,: ]+\+?\d+)*", re.IGNORECASE
)
# A declaration or statement: "class A" is code, although it is words.
_BEGINNING_OF_CODE = re.compile(
    r"""(?:
    abstract|alter|async|await|begin|case|class|const|create|data|def|defer
    |define|defmodule|defp|delete|do|elif|else|elsif|end|enum|export|extends
    |extern|final|finally|fn|for|from|fun|func|function|go|if|impl|implements
    |import|in|include|inline|insert|interface|internal|let|local|loop|macro
    |match|mod|module|namespace|new|object|open|override|package|private|proc
    |procedure|protected|pub|public|raise|record|require|return|sealed|select
    |set|static|struct|sub|switch|template|then|throw|trait|try|type|typedef
    |union|unless|unsafe|update|use|using|val|var|virtual|when|where|while
    |with|yield
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)


class HeadingFilter:
    """Finds the places of hunks that are below their headings.

    `budget` is shared with the placer of the file. When it is used up, hunks with
    headings are refused.
    """

    def __init__(
        self, hunks: Sequence[PatchHunk], source: Source, budget: LineBudget
    ) -> None:
        self._headings = {
            heading for hunk in hunks for heading in hunk.headings
        }
        self._source = source
        self._codec = source.encoding.name
        self._budget = budget
        self._lines_by_heading: dict[str, list[int]] | None = None

    def filter(
        self, headings: Sequence[str], starts: list[int], *, is_exact: bool
    ) -> list[int] | NoPlace:
        """Return those of the places `starts` that are below the headings of a hunk.

        `starts` are the first lines of the hunk's places, in order, and `is_exact` says
        that its lines are exactly there. A single place only needs the headings above
        it, in their order: there is nothing to choose, so the blocks are not compared.
        If it is exact, remarks are no condition. Of several places, those inside the
        blocks are returned.
        """
        if self._budget.remaining < 0:
            return NoPlace("too_alike")
        line_above = -1
        for heading in headings:
            lines = self._find_heading(heading)
            is_certain = is_exact and len(starts) == 1
            if is_certain and not lines and is_remark(heading):
                continue
            index = bisect_right(lines, line_above)
            if index == len(lines) or lines[index] > starts[-1]:
                return NoPlace(
                    "heading", to_line_numbers(lines[index:]), heading
                )
            line_above = lines[index]
        if len(starts) == 1:
            return starts
        starts_inside = [
            start
            for start in starts[:_MAX_PLACES]
            if self._is_inside(headings, start)
        ]
        if not starts_inside or len(starts) > _MAX_PLACES:
            return NoPlace("ambiguous_match", to_line_numbers(starts))
        return starts_inside

    def _find_heading(self, heading: str) -> list[int]:
        """Return the lines that a heading may name, from 0.

        These are the lines equal to it, or else those that begin with it: models write
        ``@@ class A`` for the line ``class A(Base):``.
        """
        if self._lines_by_heading is None:
            self._lines_by_heading = self._find_all_headings()
        return self._lines_by_heading[heading]

    def _find_all_headings(self) -> dict[str, list[int]]:
        """Return the lines of all headings of the file's hunks, by one pass."""
        equal_lines: dict[str, list[int]] = {
            heading: [] for heading in self._headings
        }
        longer_lines: dict[str, list[int]] = {
            heading: [] for heading in self._headings
        }
        lengths = sorted({len(heading) for heading in self._headings})[
            :_MAX_LENGTHS
        ]
        for first, bodies in self._source.windows():
            for line, body in enumerate(bodies, first):
                line_text = body.decode(self._codec, "replace").strip()
                if line_text in equal_lines:
                    equal_lines[line_text].append(line)
                # A lookup for each length instead of a comparison with each heading:
                # a patch may have thousands of headings.
                for length in lengths:
                    # "class A" begins "class A(Base):" but not "class Apple:".
                    if length >= len(line_text) or _is_word_character(
                        line_text[length]
                    ):
                        continue
                    if line_text[:length] in longer_lines:
                        longer_lines[line_text[:length]].append(line)
        return {
            heading: equal_lines[heading] or longer_lines[heading]
            for heading in self._headings
        }

    def _is_inside(self, headings: Sequence[str], start: int) -> bool:
        """Return True if line `start` is in the blocks of all headings.

        It must be in the block of the nearest line above it that is the innermost
        heading, that line in the block of the next outer heading, and so on.
        """
        for heading in reversed(headings):
            lines = self._find_heading(heading)
            heading_line = lines[max(0, bisect_right(lines, start) - 1)]
            distance = start - heading_line
            # All lines between are decoded, for each place and heading again.
            self._budget.remaining -= distance
            if self._budget.remaining < 0 or not 0 <= distance <= _MAX_DISTANCE:
                return False
            if self._ends_block(heading_line, distance):
                return False
            start = heading_line
        return True

    def _ends_block(self, heading_line: int, line_count: int) -> bool:
        """Return True if one of the `line_count` - 1 lines below a heading ends its block."""
        bodies = self._source.bodies(heading_line, max(1, line_count))
        heading, *lines = [
            body.decode(self._codec, "replace") for body in bodies
        ]
        depth = _indentation_of(heading)
        for line in lines:
            content = line.strip()
            # A bracket such as "}" or "):" closes what the heading opened, at the depth
            # of the heading: "{" or the body may still follow.
            if not content or not _is_word_character(content[0]):
                continue
            if _indentation_of(line) <= depth:
                return True
        return False


def is_remark(heading: str) -> bool:
    """Return True if a heading talks of a place, and does not quote a line of code.

    Models write ``@@ the import section`` and ``@@ lines 10-20``. Such a heading is in
    no file, so its absence says nothing. A line of code that is absent says that the
    patch is for another file.
    """
    if _POSITION.fullmatch(heading):
        return True
    if _BEGINNING_OF_CODE.match(heading):
        return False
    return _PROSE.fullmatch(heading) is not None


def _indentation_of(line: str) -> int:
    return len(leading_whitespace(line).expandtabs())


def _is_word_character(character: str) -> bool:
    return character.isalnum() or character == "_"
