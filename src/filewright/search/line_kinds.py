"""Kinds of lines: lines that are alike but for numbers are one, so that what is rare is seen among what is not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from filewright.search.hit import Match
from filewright.text import Snapshot, decoded

MOST_KINDS = 10_000
_BEFORE, _AFTER = 120, 160
"""Bytes of a line, before and after the place that matched, by which it is compared."""
_LINE_END = re.compile(r"[\r\n]")
_NUMBER = re.compile(r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{8}[0-9a-fA-F-]*\b|[0-9]+")


@dataclass(slots=True)
class LineKind:
    """`count` lines like the first of them, whose number (from 1) and `text` are given."""

    path: str
    line: int
    text: str
    count: int = 0


class LineKinds:
    """The kinds of the lines it was given. Of more than `MOST_KINDS` the later ones are only counted, in `others`."""

    def __init__(self) -> None:
        self._kinds: dict[str, LineKind] = {}
        self.others = 0

    @property
    def lines(self) -> int:
        """How many lines there are of all kinds."""
        return self.others + sum(kind.count for kind in self._kinds.values())

    def __len__(self) -> int:
        return len(self._kinds)

    def add(self, snapshot: Snapshot, offset: int) -> None:
        """Count the line that holds the byte at `offset`."""
        text = _around(snapshot, offset)
        key = _NUMBER.sub("0", text)
        kind = self._kinds.get(key)
        if kind is None:
            if len(self._kinds) == MOST_KINDS:
                self.others += 1
                return
            line = snapshot.lines.line_at(snapshot.lines.begin(offset))
            kind = self._kinds[key] = LineKind(snapshot.asked, line, text)
        kind.count += 1

    def add_all(self, snapshot: Snapshot, matches: Iterable[Match]) -> None:
        """Count the line of each match."""
        for match in matches:
            self.add(snapshot, match.offset)

    def ranked(self, *, rarest_first: bool) -> list[LineKind]:
        """The kinds by how many lines they have; equal ones in the order in which they were met."""
        return sorted(self._kinds.values(), key=lambda kind: kind.count if rarest_first else -kind.count)


def _around(snapshot: Snapshot, offset: int) -> str:
    """The line at `offset`, of a long one what is near it. A single read: there may be a million lines."""
    low = max(snapshot.start, offset - _BEFORE)
    near = snapshot.read(low, offset - low + _AFTER)
    before, after = (
        decoded(part, snapshot.encoding) for part in (near[: offset - low], near[offset - low :])
    )
    return (_LINE_END.split(before)[-1] + _LINE_END.split(after, maxsplit=1)[0]).strip()
