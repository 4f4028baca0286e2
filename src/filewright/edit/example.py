"""An example of a change: the lines that one of its splices changes, before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import commonprefix

from filewright.search.window import character_start
from filewright.text import splice
from filewright.text.codec import cut_at_character, decode
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

_NEAR_BYTES = 400
"""Bytes of a line before and after a splice that are read."""

_MAX_CHANGED_BYTES = 4_000
"""Bytes that a splice removes or inserts, past which only their beginning is read."""

_MAX_LINES = 3
_MAX_RANGE_LINES = 12
_SAME_CHARS = 40
"""Characters that are shown of a line before the place where it differs."""


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
    """Return the lines that the splice at `index` changes, each cut to `chars`.

    Other splices in the same lines are applied too.
    """
    example_splice = splices[index]
    line_start = start = snapshot.lines.line_start(example_splice.offset)
    if example_splice.offset - line_start > _NEAR_BYTES:
        start = character_start(
            snapshot, example_splice.offset - _NEAR_BYTES, line_start
        )
    is_cut_before = start > line_start
    is_long = (
        max(example_splice.length, len(example_splice.replacement))
        > _MAX_CHANGED_BYTES
    )
    end = (
        example_splice.offset + _MAX_CHANGED_BYTES
        if is_long
        else _line_end(snapshot, example_splice.end)
    )
    first, last = index, index + 1
    # A splice that reaches out of the lines is left out whole: half of it would show
    # lines that are in neither version.
    while not is_long and last < len(splices) and splices[last].offset < end:
        if splices[last].end > end:
            end = splices[last].offset
            break
        last += 1
    while first > 0 and splices[first - 1].end > start:
        if splices[first - 1].offset < start:
            start = splices[first - 1].end
            break
        first -= 1
    data = snapshot.read(start, end - start)
    if is_long:
        prefix = data[: example_splice.offset - start]
        before = data[: len(prefix) + example_splice.length]
        after = prefix + example_splice.replacement[:_MAX_CHANGED_BYTES]
    else:
        shifted = [
            Splice(nearby.offset - start, nearby.length, nearby.replacement)
            for nearby in splices[first:last]
        ]
        before, after = data, splice.apply_splices(data, shifted)
    old_lines = _split_lines(snapshot, before, is_cut_before)
    new_lines = _split_lines(snapshot, after, is_cut_before)
    old, new = _without_equal_edges(old_lines, new_lines)
    return Example(_shorten(old, new, chars), _shorten(new, old, chars))


def build_range_example(
    snapshot: Snapshot,
    splices: Sequence[Splice],
    start: int,
    end: int,
    chars: int,
) -> str:
    """Return the lines around a range of a file before and after splices, as a diff.

    It is empty if the range has more than a few lines, which no example shows.
    """
    start = snapshot.lines.line_start(start)
    end = _line_end(snapshot, max(start, end))
    if end - start > _MAX_CHANGED_BYTES:
        return ""
    shifted = []
    for change in splices:
        if start <= change.offset and change.end <= end:
            shifted.append(
                Splice(change.offset - start, change.length, change.replacement)
            )
    data = snapshot.read(start, end - start)
    old = _split_lines(snapshot, data, is_cut_before=False)
    new = _split_lines(
        snapshot, splice.apply_splices(data, shifted), is_cut_before=False
    )
    if len(old) != len(new) or len(old) > _MAX_RANGE_LINES:
        return ""
    rows = []
    for old_line, new_line in zip(old, new, strict=True):
        old_line, new_line = old_line.rstrip("\r"), new_line.rstrip("\r")
        (old_row,) = _shorten([old_line], [new_line], chars)
        (new_row,) = _shorten([new_line], [old_line], chars)
        if old_line == new_line:
            rows.append(f" {old_row}")
        else:
            rows += [f"-{old_row}", f"+{new_row}"]
    return "\n".join(rows)


def _line_end(snapshot: Snapshot, offset: int) -> int:
    """Return where the line at `offset` ends, or where its part that is read ends."""
    near = snapshot.lines.read_line(offset, _NEAR_BYTES, reach=_NEAR_BYTES)
    return offset + len(
        cut_at_character(near.body, _NEAR_BYTES, snapshot.encoding)
    )


def _split_lines(
    snapshot: Snapshot, data: bytes, is_cut_before: bool
) -> list[str]:
    """Return the lines of some bytes; a first line whose beginning is cut has a mark."""
    text = decode(data, snapshot.encoding)
    if is_cut_before:
        text = "…" + text
    return text.split("\n")


def _without_equal_edges(
    old: list[str], new: list[str]
) -> tuple[list[str], list[str]]:
    """Return both lists without the lines at their beginnings and ends that are equal."""
    equal_above = 0
    while (
        equal_above < min(len(old), len(new))
        and old[equal_above] == new[equal_above]
    ):
        equal_above += 1
    equal_below = 0
    while (
        equal_below < min(len(old), len(new)) - equal_above
        and old[-1 - equal_below] == new[-1 - equal_below]
    ):
        equal_below += 1
    return (
        old[equal_above : len(old) - equal_below],
        new[equal_above : len(new) - equal_below],
    )


def _shorten(
    lines: list[str], other_lines: list[str], chars: int
) -> tuple[str, ...]:
    """Return the first few lines, each cut to `chars`.

    A line that differs from its counterpart only far to the right begins shortly before
    the difference, or both would look the same.
    """
    rows = []
    for number, line in enumerate(lines[:_MAX_LINES]):
        counterpart = other_lines[number] if number < len(other_lines) else ""
        same = len(commonprefix([line, counterpart]))  # noqa: RUF071 - of characters, not of paths
        if max(len(line), len(counterpart)) > chars and same > _SAME_CHARS:
            # The mark of a line that was cut when it was read is not shown twice.
            line = "…" + line[same - _SAME_CHARS :].lstrip("…")
        rows.append(line if len(line) <= chars else line[: chars - 1] + "…")
    if len(lines) > _MAX_LINES:
        rows[-1] = rows[-1].removesuffix("…") + "…"
    return tuple(rows)
