"""Line numbers before the lines of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from filewright.edit.comparison import leading_whitespace
from filewright.edit.repairs.model import (
    UNNUMBERED,
    RepairedRequest,
)

_NUMBERED = re.compile(
    r"[ \t]*+(?P<mark>L|[Ll]ine |\[)?[ \t]*+(?P<number>\d{1,9})"
    r"(?P<sep>\]?(?: *(?:->|=>)(?= |$)| *[→│┃|\t»›]|[:.)](?=[ \t]|$)|:|-|(?<=\])(?= |$)|$))"
)


_PERHAPS_NUMBERED = re.compile(r"[ \t]*(?:L|[Ll]ine |\[)?\d+(?!\w)")


#: What only a display puts behind a number.
_SURE = ("→", "│", "┃", "|", "\t", "»", "›")


class _Numbers(NamedTuple):
    """Lines that bear consecutive numbers: how they are written, the first, and the lines less them."""

    kind: str
    first: int
    rests: tuple[str, ...]

    @property
    def sure(self) -> bool:
        """Whether they can be nothing else: three lines or more, set off as only a display does."""
        count = sum(bool(rest.strip()) for rest in self.rests)
        return count >= 3 and (self.kind.endswith(_SURE) or self.kind[:1] in ("L", "l"))

    @property
    def depth(self) -> int:
        """The least indentation of a line."""
        return min(len(leading_whitespace(rest)) for rest in self.rests if rest.strip())

    def text(self, pad: str) -> str:
        """The lines, less what parts them from their numbers."""
        return "\n".join(rest.removeprefix(pad) for rest in self.rests)


def _without_numbers(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """Line numbers: consecutive on every line, and the file's own, or such as only a display writes."""
    mine = _numbers_of(search)
    if mine is None:
        return
    theirs = _numbers_of(replacement, like=mine.kind)
    if theirs is None:
        if any(_PERHAPS_NUMBERED.match(line) for line in replacement.split("\n")):
            return
    else:
        depths = {
            rest.strip(): len(leading_whitespace(rest))
            for rest in mine.rests
            if rest.strip()
        }
        moved = [
            len(leading_whitespace(rest)) - depths[rest.strip()]
            for rest in theirs.rests
            if rest.strip() in depths
        ]
        if (
            moved
            and all(moved)
            and (mine.depth != theirs.depth or all(columns % 2 for columns in moved))
        ):
            return  # set off otherwise than the search text
    spaced = all(rest.startswith(" ") for rest in mine.rests if rest.strip())
    for pad in (" ", "") if spaced else ("",):
        yield RepairedRequest(
            mine.text(pad),
            replacement if theirs is None else theirs.text(pad),
            UNNUMBERED,
            whole_lines=True,
            first_number=None if mine.sure else mine.first,
        )


def _kind(match: re.Match[str]) -> str:
    # Of lines around a match, a search says the number with a dash.
    return f"{match['mark'] or ''}{match['sep']}".replace("-", ":")


def _numbers_of(text: str, *, like: str | None = None) -> _Numbers | None:
    """The numbers of a text, if every line has the next one; a blank line's may stand alone.

    With `like`, a replacement is read: its numbers may be any as long as they do not fall.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    lead = 0
    while lead < len(lines) and not lines[lead].strip():
        lead += 1
    rests, kind, last = [""] * lead, like, None
    first = 0
    for line in lines[lead:]:
        match = _NUMBERED.match(line)
        if match is None:
            return None
        number = int(match["number"])
        if match.end() < len(line.rstrip()) or match["sep"].strip():
            kind = kind or _kind(match)
            if _kind(match) != kind:
                return None
        if last is None:
            first = number - lead
        elif number < last if like is not None else number != last + 1:
            return None
        last = number
        rests.append(line[match.end() :])
    if kind is None or not "".join(rests).strip():
        return None
    return _Numbers(kind, first, (*rests, "") if text.endswith("\n") else tuple(rests))
