"""Rendering: bounded text that says what was left out.

Every result is made of lines collected in a `Page`, which never passes its budget; what did not fit
is counted by the tool and named in its last line together with the arguments that continue.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from filewright.edit import Diff

from filewright.wording import counted

DiffWanted = Literal["auto", "full", "none"]
"""How much of its diff a change shows."""

_SHORT_LINES, _SHORT_CHARS = 40, 4_000
"""A diff up to this is shown unasked."""


def clip(text: str, limit: int, *, note: str = "…", at_line: bool = False) -> str:
    """At most `limit` characters of `text`, the last of them `note` if something was cut.

    `at_line` cuts at the end of a line, if the second half of what fits has one, and gives `note` a line.
    """
    if len(text) <= limit:
        return text
    if not at_line:
        return text[: max(0, limit - len(note))] + note
    room = max(0, limit - len(note) - 1)
    cut = text.rfind("\n", room // 2, room)
    return f"{text[: cut if cut > 0 else room]}\n{note}"[:limit]


def size_text(size: int) -> str:
    """A size for people: ``532 B``, ``1.4 KB``, ``3.2 GB``."""
    value = float(size)
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{size} B"


def short_diff(diff: str) -> bool:
    """Whether a diff is shown unasked."""
    return diff.count("\n") <= _SHORT_LINES and len(diff) <= _SHORT_CHARS


class Page:
    """Lines up to a budget of characters."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lines: list[str] = []
        self._used = 0

    def fits(self, *lines: str, reserve: int = 0) -> bool:
        """Whether these lines and `reserve` more characters still fit."""
        return self._used + sum(len(line) + 1 for line in lines) + reserve <= self._limit

    def add(self, *lines: str) -> None:
        """Add lines, cut to what is left of the budget."""
        for line in lines:
            room = self._limit - self._used - 1
            if room <= 0:
                return
            kept = clip(line, room)
            self._lines.append(kept)
            self._used += len(kept) + 1

    def extend(self, lines: Iterable[str], *, reserve: int = 0) -> int:
        """Add lines while they fit whole; the number that did not is returned."""
        left = 0
        for line in lines:
            if left or not self.fits(line, reserve=reserve):
                left += 1
            else:
                self.add(line)
        return left

    def add_diff(self, text: str, *, rest: str = "") -> None:
        """Add whole lines of a diff; what is left is counted, with `rest` as advice."""
        lines = text.rstrip("\n").split("\n") if text else []
        left = self.extend(lines, reserve=40 + len(rest))
        if left:
            self.add(f"[{counted(left, 'line')} of the diff not shown{rest}]")

    def add_change(
        self, diff: Diff, wanted: str, change_id: str | None, *, seen: bool = False, rest: str = ""
    ) -> bool:
        """Add the diff of a change (of a preview without a `change_id`) as far as it is `wanted`; whether all of it.

        A longer one, and one that was `seen` in the preview, is counted, with the way to see it; `rest` is advice for
        one that the page cuts.
        """
        text = diff.text if wanted != "none" else ""
        if not text:
            return False
        if wanted == "full" or (not seen and short_diff(text)):
            self.add_diff(text, rest=rest)
            return True
        more = "" if diff.counted else "more than "
        way = f"get_history with change_id={change_id} shows them" if change_id else "diff=full shows them"
        counts = f"{more}{diff.added} lines added, {diff.removed} removed"
        self.add(f"[{counts}, as in the preview]" if seen else f"[{counts}; {way}]")
        return False

    @property
    def room(self) -> int:
        """Characters left."""
        return self._limit - self._used

    def text(self) -> str:
        """The page."""
        return "\n".join(self._lines)
