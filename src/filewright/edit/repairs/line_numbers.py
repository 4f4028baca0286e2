"""Line numbers before the lines of a request, copied from a display of the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from filewright.edit.comparison import leading_whitespace
from filewright.edit.repairs.model import UNNUMBERED, RepairedRequest

# A number before a line, and what sets it off: `12→x`, `12: x`, `L12 | x`, `[12] x`,
# `12:x` of a search. Behind `12.` must come a space: `12.5` is text.
_NUMBER = re.compile(
    r"[ \t]*+(?P<mark>L|[Ll]ine |\[)?[ \t]*+(?P<number>\d{1,9})"
    r"(?P<separator>\]?(?: *(?:->|=>)(?= |$)| *[→│┃|\t»›]|[:.)](?=[ \t]|$)"
    r"|:|-|(?<=\])(?= |$)|$))"
)
# A number that may be one of a line, however it is set off: `12 x`, and not `2nd`.
_POSSIBLE_NUMBER = re.compile(r"[ \t]*(?:L|[Ll]ine |\[)?\d+(?!\w)")
# Signs that only a display puts behind a number.
_DISPLAY_SEPARATORS = ("→", "│", "┃", "|", "\t", "»", "›")
# From so many lines on, consecutive numbers with such a separator can be nothing else.
_MIN_SURE_LINES = 3


@dataclass(frozen=True, slots=True)
class _NumberedText:
    """A text with a number before each line.

    `style` is how the numbers are set off, `first_number` the number of the first line,
    and `bodies` are the lines without their numbers.
    """

    style: str
    first_number: int
    bodies: tuple[str, ...]

    @property
    def solid_bodies(self) -> list[str]:
        """The lines that are not blank, without their numbers."""
        return [body for body in self.bodies if body.strip()]

    @property
    def is_sure(self) -> bool:
        """Return True if the numbers can be nothing but line numbers."""
        if len(self.solid_bodies) < _MIN_SURE_LINES:
            return False
        return self.style.endswith(_DISPLAY_SEPARATORS) or self.style[:1] in (
            "L",
            "l",
        )

    @property
    def depth(self) -> int:
        """The least indentation of a line."""
        return min(len(leading_whitespace(body)) for body in self.solid_bodies)

    def text(self, padding: str) -> str:
        """Return the lines, less the padding behind their numbers."""
        return "\n".join(body.removeprefix(padding) for body in self.bodies)


def repair_line_numbers(
    search: str, replacement: str
) -> Iterator[RepairedRequest]:
    """Yield the request without line numbers, and without the space behind them."""
    old = _read_search(search)
    if old is None:
        return
    new = _read_replacement(replacement, old.style)
    if new is None:
        lines = replacement.split("\n")
        if any(_POSSIBLE_NUMBER.match(line) for line in lines):
            return
    elif _is_set_off_otherwise(old, new):
        return
    # A space behind the number is the display's if every line has one; or the file is
    # indented by one space more.
    paddings = [""]
    if all(body.startswith(" ") for body in old.solid_bodies):
        paddings = [" ", ""]
    for padding in paddings:
        new_replacement = replacement
        if new is not None:
            new_replacement = new.text(padding)
        yield RepairedRequest(
            search=old.text(padding),
            replace=new_replacement,
            description=UNNUMBERED,
            whole_lines=True,
            first_number=None if old.is_sure else old.first_number,
        )


def has_line_number(line: str) -> bool:
    """Return True if a line begins with a number, set off as a display does."""
    return _NUMBER.match(line) is not None


def _is_set_off_otherwise(old: _NumberedText, new: _NumberedText) -> bool:
    """Return True if the numbers of the replacement are set off by more or less space.

    Taking them away would then indent each line of the replacement otherwise than the
    search text shows.
    """
    depths = {
        body.strip(): len(leading_whitespace(body)) for body in old.solid_bodies
    }
    shifts: list[int] = []
    for body in new.solid_bodies:
        old_depth = depths.get(body.strip())
        if old_depth is not None:
            shifts.append(len(leading_whitespace(body)) - old_depth)
    if not shifts or not all(shifts):
        return False
    # A caller who moves the kept lines into a block moves them by whole steps; a number
    # that is set off otherwise moves them by one column.
    return old.depth != new.depth or all(columns % 2 for columns in shifts)


def _read_search(text: str) -> _NumberedText | None:
    """Return a search text with its numbers, if they are consecutive; else None."""
    return _read_numbers(text, style=None)


def _read_replacement(text: str, style: str) -> _NumberedText | None:
    """Return a replacement with its numbers, if they never fall; else None.

    Lines that were added or removed leave the other numbers as they were.
    """
    return _read_numbers(text, style=style)


def _read_numbers(text: str, *, style: str | None) -> _NumberedText | None:
    """Return a text with its numbers, or None if a line has none or another style.

    Without a `style` the numbers must be consecutive, and the style is that of the
    first line with text: a number may be alone on a blank line.
    """
    is_consecutive = style is None
    lines = text.split("\n")
    # Models leave out the numbers of blank lines at the edges.
    while lines and not lines[-1].strip():
        lines.pop()
    leading_blanks = 0
    while leading_blanks < len(lines) and not lines[leading_blanks].strip():
        leading_blanks += 1
    bodies = [""] * leading_blanks
    numbers: list[int] = []
    for line in lines[leading_blanks:]:
        match = _NUMBER.match(line)
        if match is None:
            return None
        is_number_alone = match.end() >= len(line.rstrip())
        if not is_number_alone or match["separator"].strip():
            style = style or _style_of(match)
            if _style_of(match) != style:
                return None
        number = int(match["number"])
        if numbers and not _may_follow(numbers[-1], number, is_consecutive):
            return None
        numbers.append(number)
        bodies.append(line[match.end() :])
    if style is None or not any(body.strip() for body in bodies):
        return None
    if text.endswith("\n"):
        bodies.append("")
    return _NumberedText(style, numbers[0] - leading_blanks, tuple(bodies))


def _may_follow(previous: int, number: int, is_consecutive: bool) -> bool:
    """Return True if a number may be that of the line below the previous number."""
    return number == previous + 1 if is_consecutive else number >= previous


def _style_of(match: re.Match[str]) -> str:
    """Return how a number is set off.

    A search shows the lines around a hit with a dash, and the hit with a colon.
    """
    return f"{match['mark'] or ''}{match['separator']}".replace("-", ":")
