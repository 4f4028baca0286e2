"""hit_groups."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot

MAX_HIT_GROUPS = 10_000
_BEFORE, _AFTER = 120, 160
"""Bytes of a line, before and after the place that matched, by which it is compared."""
_NUMBER = re.compile(
    r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{4}[0-9a-fA-F-]*\b|[0-9]+"
)


@dataclass(slots=True)
class HitGroup:
    """`count` lines like the first of them, whose number (from 1) and `text` are given."""

    path: str
    line: int
    text: str
    count: int = 0


class HitGroups:
    """The kinds of the lines it was given. Of more than `MOST_KINDS` the later ones are only counted, in `others`."""

    def __init__(self) -> None:
        self._kinds: dict[str, HitGroup] = {}
        self.others = 0

    @property
    def lines(self) -> int:
        """How many lines there are of all kinds."""
        return self.others + sum(kind.count for kind in self._kinds.values())

    def __len__(self) -> int:
        return len(self._kinds)

    def add(self, snapshot: Snapshot, offsets: Iterable[int]) -> None:
        """Count the lines that hold the bytes at these offsets, each one."""
        for offset in offsets:
            self.add_hit(snapshot, offset)

    def add_hit(self, snapshot: Snapshot, offset: int) -> HitGroup | None:
        """Count the line that holds the byte at an offset; return its kind if it is the first of it."""
        text = _around(snapshot, offset)
        key = _NUMBER.sub("0", text)
        kind = self._kinds.get(key)
        if kind is not None:
            kind.count += 1
            return None
        if len(self._kinds) == MAX_HIT_GROUPS:
            self.others += 1
            return None
        line = snapshot.lines.line_at(snapshot.lines.line_start(offset))
        self._kinds[key] = HitGroup(snapshot.requested_path, line, text, 1)
        return self._kinds[key]

    def ranked(self, *, rarest_first: bool) -> list[HitGroup]:
        """The kinds by how many lines they have; equal ones in the order in which they were met."""
        return sorted(
            self._kinds.values(),
            key=lambda kind: kind.count,
            reverse=not rarest_first,
        )


def _around(snapshot: Snapshot, offset: int) -> str:
    """The line at `offset`, of a long one what is near it. A single read: there may be a million lines."""
    low = max(snapshot.start, offset - _BEFORE)
    at = offset - low
    near = snapshot.read(low, at + _AFTER)
    before, after = (
        decode(near[:at], snapshot.encoding),
        decode(near[at:], snapshot.encoding),
    )
    # Lines that begin with tabs are of another kind: whoever replaces their beginnings must know.
    return (before.rpartition("\n")[2] + after.partition("\n")[0]).strip(" \r")
