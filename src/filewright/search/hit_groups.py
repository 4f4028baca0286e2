"""Groups of similar lines: lines that differ only in their numbers are counted as one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot

MAX_HIT_GROUPS = 10_000
_BYTES_BEFORE = 120
_BYTES_AFTER = 160
"""Bytes of a line, before and after its match, by which it is compared."""

_SHOWN_CHARS = 120
_SHOWN_CHARS_BEFORE = 40
"""Characters of a line that are shown, and of those the ones before the match."""

_NUMBER = re.compile(
    r"\b(?=[0-9a-fA-F-]*[0-9])[0-9a-fA-F]{4}[0-9a-fA-F-]*\b|[0-9]+"
)
_RELATIVE_PATH = re.compile(r"(?<![\w.])(?:\.\.?/)+")


@dataclass(slots=True)
class HitGroup:
    """`count` similar lines: the path, the 1-based number and the text of the first.

    The text is cut around the match if it is long.
    """

    path: str
    line: int
    text: str
    count: int = 0


class HitGroups:
    """The groups of the lines that were added.

    After `MAX_HIT_GROUPS` groups, further kinds of lines are only counted, in `others`.
    """

    def __init__(self) -> None:
        self._groups: dict[str, HitGroup] = {}
        self.others = 0

    @property
    def lines(self) -> int:
        """Return the number of all lines that were added."""
        return self.others + sum(group.count for group in self._groups.values())

    def __len__(self) -> int:
        return len(self._groups)

    def add(self, snapshot: Snapshot, offsets: Iterable[int]) -> None:
        """Add the line of each offset."""
        for offset in offsets:
            self.add_hit(snapshot, offset)

    def add_hit(
        self, snapshot: Snapshot, offset: int, *, ignores_depth: bool = False
    ) -> HitGroup | None:
        """Add the line that holds the byte at `offset`.

        With `ignores_depth`, lines that differ only in their indentation or in `./` and
        `../` are of one group. Return its group if the line is the first of it.
        """
        line = _read_around(snapshot, offset)
        key = _NUMBER.sub("0", line.text)
        if ignores_depth:
            key = _RELATIVE_PATH.sub("./", key.lstrip())
        group = self._groups.get(key)
        if group is not None:
            group.count += 1
            return None
        if len(self._groups) == MAX_HIT_GROUPS:
            self.others += 1
            return None
        line_start = snapshot.lines.line_start(offset)
        number = snapshot.lines.line_at(line_start)
        text = _cut_around(line)
        group = HitGroup(snapshot.requested_path, number, text, 1)
        self._groups[key] = group
        return group

    def ranked(self, *, rarest_first: bool) -> list[HitGroup]:
        """Return the groups by their counts, equal ones in the order of their first lines."""
        return sorted(
            self._groups.values(),
            key=lambda group: group.count,
            reverse=not rarest_first,
        )


@dataclass(frozen=True, slots=True)
class _NearText:
    """The part of a line near a match, which begins at an index of the text."""

    text: str
    match_index: int


def _read_around(snapshot: Snapshot, offset: int) -> _NearText:
    """Return the line at `offset`, of a long line the part near it.

    There may be a million lines, so each is read at once.
    """
    start = max(snapshot.start, offset - _BYTES_BEFORE)
    before_bytes = offset - start
    near = snapshot.read(start, before_bytes + _BYTES_AFTER)
    before = decode(near[:before_bytes], snapshot.encoding)
    after = decode(near[before_bytes:], snapshot.encoding)
    before = before.rpartition("\n")[2].lstrip(" \r")
    line = before + after.partition("\n")[0]
    # Leading tabs stay: a caller that replaces the beginnings of lines must see them.
    return _NearText(line.strip(" \r"), len(before))


def _cut_around(line: _NearText) -> str:
    """Return the text of a line, of a long one the part around the match."""
    text = line.text
    start = max(0, line.match_index - _SHOWN_CHARS_BEFORE)
    start = max(0, min(start, len(text) - _SHOWN_CHARS))
    end = start + _SHOWN_CHARS
    piece = text[start:end]
    if start:
        piece = "…" + piece
    if end < len(text):
        piece += "…"
    return piece
