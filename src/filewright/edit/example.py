"""The lines that a change shows as an example: those that one splice changes, before it and after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix

from filewright.search.window import character_at
from filewright.text import splice
from filewright.text.codec import cut_at_character, decode
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

_NEAR_BYTES = 400
"""Bytes of a line before and after a splice that are read."""

_MAX_CHANGED_BYTES = 4_000
"""Bytes that a splice takes out or puts in, past which only their beginning is read."""

_MAX_LINES = 3
_SAME_CHARS = 40
"""Characters that a line shows before the place where it differs."""


@dataclass(frozen=True, slots=True)
class Example:
    """Lines before and after a change."""

    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as rows of a diff."""
        return "\n".join(
            [
                *(f"-{line}" for line in self.before),
                *(f"+{line}" for line in self.after),
            ]
        )


def build_example(
    snapshot: Snapshot, splices: Sequence[Splice], index: int, chars: int
) -> Example:
    """Return the lines that the splice at `index` changes, with what else changes near it, each cut to `chars`."""
    one = splices[index]
    begin = low = snapshot.lines.line_start(one.offset)
    if one.offset - begin > _NEAR_BYTES:
        low = character_at(snapshot, one.offset - _NEAR_BYTES, begin)
    is_cut_before = low > begin
    is_long = max(one.length, len(one.replacement)) > _MAX_CHANGED_BYTES
    high = (
        one.offset + _MAX_CHANGED_BYTES if is_long else _end_of_line(snapshot, one.end)
    )
    first, last = index, index + 1
    while not is_long and last < len(splices) and splices[last].offset < high:
        if splices[last].end > high:
            high = splices[last].offset
            break
        last += 1
    while first > 0 and splices[first - 1].end > low:
        if splices[first - 1].offset < low:
            low = splices[first - 1].end
            break
        first -= 1
    raw = snapshot.read(low, high - low)
    if is_long:
        start = raw[: one.offset - low]
        before, after = (
            raw[: len(start) + one.length],
            start + one.replacement[:_MAX_CHANGED_BYTES],
        )
    else:
        shifted = [
            Splice(each.offset - low, each.length, each.replacement)
            for each in splices[first:last]
        ]
        before, after = raw, splice.apply_splices(raw, shifted)
    old, new = _differing(
        _lines(snapshot, before, is_cut_before), _lines(snapshot, after, is_cut_before)
    )
    return Example(_shown(old, new, chars), _shown(new, old, chars))


def _end_of_line(snapshot: Snapshot, offset: int) -> int:
    """Return where the line at `offset` ends, or as much of it as is read."""
    near = snapshot.lines.read_line(offset, _NEAR_BYTES, reach=_NEAR_BYTES)
    return offset + len(cut_at_character(near.body, _NEAR_BYTES, snapshot.encoding))


def _lines(snapshot: Snapshot, raw: bytes, is_cut_before: bool) -> list[str]:
    text = decode(raw, snapshot.encoding)
    if is_cut_before:
        text = "…" + text
    return text.split("\n")


def _differing(old: list[str], new: list[str]) -> tuple[list[str], list[str]]:
    """Return lists of lines without the lines at both ends that are the same."""
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[begin : len(old) - end], new[begin : len(new) - end]


def _shown(lines: list[str], others: list[str], chars: int) -> tuple[str, ...]:
    """Return the first lines, each from near the place on where it differs from its counterpart."""
    rows = []
    for number, line in enumerate(lines[:_MAX_LINES]):
        counterpart = others[number] if number < len(others) else ""
        same = len(commonprefix([line, counterpart]))  # noqa: RUF071 - of characters, not of paths
        if max(len(line), len(counterpart)) > chars and same > _SAME_CHARS:
            line = "…" + line[same - _SAME_CHARS :].lstrip("…")
        rows.append(line if len(line) <= chars else line[: chars - 1] + "…")
    if len(lines) > _MAX_LINES:
        rows[-1] = rows[-1].removesuffix("…") + "…"
    return tuple(rows)
