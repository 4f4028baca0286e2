"""Limits of texts: lines of an answer, and the characters of a page of results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from filewright.hints import change_words, fill, join_words
from filewright.wording import escape_controls, pluralize


def clip(
    text: str, limit: int, *, note: str = "…", at_line: bool = False
) -> str:
    """Return at most `limit` characters of a text, ending in `note` if it is cut.

    With `at_line`, cut at the end of a line if the second half of the limit has one, and
    put the note on a line of its own.
    """
    if len(text) <= limit:
        return text
    if not at_line:
        return text[: max(0, limit - len(note))] + note
    room = max(0, limit - len(note) - 1)
    cut = text.rfind("\n", room // 2, room)
    end = cut if cut > 0 else room
    return f"{text[:end]}\n{note}"[:limit]


@dataclass
class BoundedText:
    """Lines of an answer, of which `room` characters are left.

    Control characters are escaped, so that no line hides or moves another.
    """

    room: int
    _lines: list[str] = field(default_factory=list, init=False)

    def add(self, *lines: str) -> None:
        """Add lines, each truncated to the room that is left."""
        for line in lines:
            if self.room <= 1:
                return
            self._add_line(line)

    def extend(
        self,
        lines: Iterable[str],
        *,
        reserve: int = 0,
        total: int | None = None,
        noun: str = "",
    ) -> int:
        """Add lines until one does not fit; return the number that were left out.

        `total` is the number of all lines, if more exist than are passed. With a `noun`,
        such as `file`, a line says how many were left out. `reserve` characters stay free.
        """
        added = left_out = 0
        for line in lines:
            text = change_words(line, escape_controls)
            # A shorter line further down is left out too: a reader takes the lines that
            # are shown for the first ones.
            if left_out or len(text) + 1 + reserve > self.room:
                left_out += 1
            else:
                self._lines.append(text)
                self.room -= len(text) + 1
                added += 1
        if total is not None:
            left_out = total - added
        if left_out and noun:
            self.add(f"[{pluralize(left_out, f'more {noun}')}]")
        return left_out

    def add_diff(self, text: str, *, rest: str = "") -> None:
        """Add whole lines of a diff; count those left out, with `rest` as advice."""
        lines = text.rstrip("\n").split("\n") if text else []
        # The line that counts the rest must fit, whatever the rest is.
        left_out = self.extend(lines, reserve=40 + len(rest))
        if left_out:
            lines_left_out = pluralize(left_out, "line")
            self.add(fill("[{} of the diff not shown{}]", lines_left_out, rest))

    def text(self) -> str:
        """Return the lines as one text."""
        return join_words("\n", self._lines)

    def _add_line(self, line: str) -> None:
        room = self.room - 1
        text = change_words(
            line, lambda wording: clip(escape_controls(wording), room)
        )
        self._lines.append(text)
        self.room -= len(text) + 1


@dataclass(slots=True)
class CharacterBudget:
    """The characters of one page: `limit` in all, `used` so far.

    `reserve` are those for the lines at its end, such as a cursor.
    """

    limit: int
    reserve: int = 0
    used: int = 0
    is_full: bool = False

    @property
    def remaining(self) -> int:
        """Return how many characters are left."""
        return self.limit - self.used

    def take(self, characters: int, *, reserve: int = 0) -> bool:
        """Use so many characters; return False if they do not fit beside the reserve.

        The first result always fits, since a page without one could not continue.
        """
        needed = self.used + characters + self.reserve + reserve
        if self.used and needed > self.limit:
            self.is_full = True
            return False
        self.used += characters
        return True
