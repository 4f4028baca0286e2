"""How lines that an edit writes end.

A line that stays keeps its terminator, and so does a line that is changed in place. A new line takes the terminator
of the line above it, else that of the line below. A lone carriage return is thus written only beside others.
"""

from __future__ import annotations

from collections.abc import Sequence

from filewright.edit.linediff import EqualRun, align, find_line_splices
from filewright.edit.source import Source
from filewright.text.splice import Splice

_TERMINATORS = (b"\n", b"\r")


def choose_terminator(source: Source, offset: int) -> bytes:
    """Return the terminator of a new line at `offset`, where a line begins or the file ends."""
    if source.has_no_returns:
        return b"\n"
    for row in _beside(source, offset):
        if row:
            return row
    return b"\n"


def _beside(source: Source, offset: int) -> Sequence[bytes]:
    """Return the terminators of the lines above an offset, nearest first, and below it."""
    terminators: list[bytes] = []
    if offset > source.start:
        above = source.row_holding(offset - 1)
        terminators.append(above.terminator if above.end <= offset else b"")
        before = source.row_before(above) if not terminators[-1] else None
        terminators.append(before.terminator if before is not None else b"")
    below = source.row_starting_at(offset)
    terminators.append(below.terminator if below is not None else b"")
    return terminators


def replace_lines(
    source: Source,
    start: int,
    end: int,
    lines: Sequence[bytes],
    ends: Sequence[bytes | None],
) -> tuple[Splice, ...]:
    """Return the splices that put lines at [start, end), of those that differ.

    None stands for a terminator to be chosen. What is behind the last terminator is no line.
    """
    old = source.read(start, end)
    endings = [*ends]
    if None in ends:
        if source.has_no_returns:
            endings = [b"\n" if ending is None else ending for ending in ends]
        else:
            _choose(source, start, end, old, lines, endings)
    new = bytearray()  # adding to bytes copies all of them
    for body, ending in zip(lines, endings, strict=True):
        line = body + (ending or b"")
        # A newline behind a lone return would be one terminator with it.
        new += b"\r" if line == b"\n" and new.endswith(b"\r") else line
    return find_line_splices(old, bytes(new), start)


def _choose(
    source: Source,
    start: int,
    end: int,
    old: bytes,
    lines: Sequence[bytes],
    endings: list[bytes | None],
) -> None:
    """Fill in the terminators that are to be chosen."""
    there = [
        line for line in old.splitlines(keepends=True) if line.endswith(_TERMINATORS)
    ]
    bodies = [line.rstrip(b"\r\n") for line in there]
    whole = lines[:-1] if endings[-1] == b"" else lines
    at = over = 0
    # Lines that are changed in place keep their terminators as those do that stay.
    for run in [*align(bodies, whole), EqualRun(len(bodies), len(whole), 0)]:
        pairs = [*zip(range(at, run.left), range(over, run.right), strict=False)]
        pairs += [(run.left + step, run.right + step) for step in range(run.length)]
        for row, index in pairs:
            endings[index] = endings[index] or there[row][len(bodies[row]) :]
        at, over = run.left + run.length, run.right + run.length
    for index, ending in enumerate(endings):
        if ending is None:
            endings[index] = (endings[index - 1] if index else b"") or _first(
                source, start, end
            )


def _first(source: Source, start: int, end: int) -> bytes:
    """Return the terminator of the first of some new lines at [start, end)."""
    # Text inside a line is followed by the terminator of that line.
    begins_line = (
        end in (source.start, source.size) or source.read(end - 1, end) in _TERMINATORS
    )
    if begins_line:
        return choose_terminator(
            source, start if source.line_start(start) == start else end
        )
    own = source.row_holding(end - 1 if end > start else end).terminator
    return own or choose_terminator(source, source.line_start(start))


def whole_lines_splice(source: Source, start: int, end: int, new: bytes) -> Splice:
    """Return the splice that puts the lines `new` in place of those in [start, end).

    At the end of a file whose last line has no terminator the last one has none either; text that is put behind
    that line ends it first.
    """
    if (
        new
        and end == source.size > source.start
        and source.read(end - 1, end) not in _TERMINATORS
    ):
        body = new.removesuffix(b"\n").removesuffix(b"\r")
        new = new if body[-1:] in b"\r\n" else body  # a blank one would be no line
        new = choose_terminator(source, end) + new if start == end else new
    return Splice(start, end - start, new)
