"""What is asked for: one search text, its replacement, and where it may stand."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from filewright.edit.locate.fold import collapsed
from filewright.errors import Code, FilewrightError
from filewright.text import check_text, normalised


class Tier(StrEnum):
    """The tiers of the cascade, strictest first."""

    EXACT = "exact"
    TRAILING = "trailing"
    INDENT = "indent"
    TYPOGRAPHY = "typography"
    BLANKS = "blanks"
    BLANK_LINES = "blank_lines"
    ELISION = "elision"
    REPAIRED = "repaired"
    SOFT = "soft"
    DRIFT = "drift"

    @property
    def rank(self) -> int:
        """How much is looked past: 0 by the strictest."""
        return _RANKS[self]


_RANKS = {tier: rank for rank, tier in enumerate(Tier)}


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `search` by `replace`; any terminators, both are normalised to ``\\n``.

    `start_line` alone chooses between equal regions; with `end_line` (both 1-based, inclusive)
    exactly that text must be on those lines. An empty `search` with a `start_line` inserts
    `replace` as whole lines before that line. `replace_all` takes every exact occurrence.
    """

    search: str
    replace: str
    replace_all: bool = False
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Put `text` in place of lines `first` to `last` (1-based, inclusive; a `last` before its `first` inserts there).

    The lines are those of the text `base` (None: of the file as it is); `named` says in words how the request
    named them. `data` are the bytes to insert as they are, terminators and all.
    """

    first: int
    last: int
    text: str
    named: str
    base: bytes | None = None
    data: bytes | None = None


def valid(edit: Edit) -> Edit:
    """The edit with its texts normalised to ``\\n``. Raises `invalid_input`."""
    check_text(edit.search, "search")
    check_text(edit.replace, "replace")
    start, end = edit.start_line, edit.end_line
    if start is not None and start < 1:
        raise _invalid(f"start_line {start} is below 1", "lines are counted from 1", "start_line")
    if end is not None and start is None:
        raise _invalid("end_line was given without start_line", "give both lines, or neither", "end_line")
    if start is not None and end is not None and end < start:
        raise _invalid(f"end_line {end} is before start_line {start}", "correct the lines", "end_line")
    if edit.replace_all and start is not None:
        raise _invalid(
            "replace_all takes no lines", "leave out the lines, or leave out replace_all", "replace_all"
        )
    if not edit.search and start is None:
        raise _invalid(
            "the search text is empty",
            "give the text to replace, or a start_line to insert before",
            "search",
        )
    if "\r" in edit.search or "\r" in edit.replace:
        return Edit(normalised(edit.search), normalised(edit.replace), edit.replace_all, start, edit.end_line)
    return edit


def _invalid(message: str, hint: str, argument: str) -> FilewrightError:
    return FilewrightError(Code.INVALID_INPUT, message, hint=hint, details={"argument": argument})


def is_blank(line: str) -> bool:
    """Whether nothing but white space is on the line."""
    return not line.strip()


@dataclass(frozen=True)
class RequestLines:
    """Lines of a request as whole-line matching sees them: the solid (non-blank) lines in order.

    `solid` are their texts, `blank[i]` the blank lines between solid lines i and i + 1, `before`
    and `after` those at the edges (the terminator of the last line is none).
    """

    solid: tuple[str, ...]
    blank: tuple[tuple[str, ...], ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> RequestLines:
        """The block of a text; its final newline ends the last line and begins none."""
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        return cls.of_lines(lines)

    @classmethod
    def of_lines(cls, lines: list[str] | tuple[str, ...]) -> RequestLines:
        """The block of lines without terminators."""
        solid: list[str] = []
        gaps: list[tuple[str, ...]] = []
        run: list[str] = []
        for line in lines:
            if is_blank(line):
                run.append(line)
                continue
            gaps.append(tuple(run))
            run = []
            solid.append(line)
        return cls(tuple(solid), tuple(gaps[1:]), gaps[0] if gaps else (), tuple(run))

    @cached_property
    def gaps(self) -> tuple[int, ...]:
        """How many blank lines stand between the solid ones."""
        return tuple(map(len, self.blank))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All lines from the first solid to the last."""
        result: list[str] = []
        for index, line in enumerate(self.solid):
            if index:
                result += self.blank[index - 1]
            result.append(line)
        return tuple(result)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The solid lines as the loosest whole-line tier compares them."""
        return tuple(map(collapsed, self.solid))
