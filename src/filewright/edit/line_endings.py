"""The terminators of the lines that an edit writes.

A line that stays keeps its terminator, and so does a line that is changed in place. A
new line takes the terminator of the line above it, else that of the line below. A lone
carriage return is thus written only beside others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from filewright.edit.linediff import EqualRun, align, find_line_splices
from filewright.edit.source import Source
from filewright.text.splice import Splice

# The bytes that end a line; `\r\n` ends with the first.
_LAST_BYTES = (b"\n", b"\r")


def choose_terminator(source: Source, offset: int) -> bytes:
    """Return the terminator of a new line at `offset`.

    A line begins there, or the file ends.
    """
    if source.has_no_returns:
        return b"\n"
    for terminator in _neighbour_terminators(source, offset):
        if terminator:
            return terminator
    return b"\n"


def _neighbour_terminators(source: Source, offset: int) -> Iterator[bytes]:
    """Yield the terminators of the lines above an offset, and of the line below it.

    An empty one stands for a line that has none.
    """
    if offset > source.start:
        above = source.row_holding(offset - 1)
        if above.end <= offset and above.terminator:
            yield above.terminator
        else:
            # A last line without an end says nothing: the line before it does.
            before = source.row_before(above)
            yield before.terminator if before is not None else b""
    below = source.row_starting_at(offset)
    yield below.terminator if below is not None else b""


def replace_lines(
    source: Source,
    start: int,
    end: int,
    lines: Sequence[bytes],
    terminators: Sequence[bytes | None],
) -> tuple[Splice, ...]:
    """Return the splices that put lines at [start, end), of the lines that differ.

    None stands for a terminator to be chosen. The text behind the last terminator is
    no line.
    """
    old = source.read(start, end)
    if None in terminators and not source.has_no_returns:
        terminators = _fill_in_terminators(
            source, start, end, lines, terminators
        )
    new = bytearray()  # Adding to bytes would copy all of them for each line.
    for body, terminator in zip(lines, terminators, strict=True):
        line = body + (b"\n" if terminator is None else terminator)
        # A newline behind a lone return would be one terminator with it.
        if line == b"\n" and new.endswith(b"\r"):
            line = b"\r"
        new += line
    return find_line_splices(old, bytes(new), start)


def _fill_in_terminators(
    source: Source,
    start: int,
    end: int,
    lines: Sequence[bytes],
    terminators: Sequence[bytes | None],
) -> list[bytes | None]:
    """Return the terminators with a choice in the place of each None."""
    filled = [*terminators]
    old_lines = [
        line
        for line in source.read(start, end).splitlines(keepends=True)
        if line.endswith(_LAST_BYTES)
    ]
    old_bodies = [line.rstrip(b"\r\n") for line in old_lines]
    new_bodies = lines[:-1] if filled[-1] == b"" else lines
    # A file may mix terminators: each line keeps its own, and no other line changes.
    for old_index, new_index in _pair_lines(old_bodies, new_bodies):
        body_length = len(old_bodies[old_index])
        filled[new_index] = (
            filled[new_index] or old_lines[old_index][body_length:]
        )
    for index, terminator in enumerate(filled):
        if terminator is None:
            above = filled[index - 1] if index else b""
            filled[index] = above or _first_terminator(source, start, end)
    return filled


def _pair_lines(
    old: Sequence[bytes], new: Sequence[bytes]
) -> Iterator[tuple[int, int]]:
    """Yield the old and new indexes of lines that stay or are changed in place."""
    old_index = new_index = 0
    # An empty run at the end pairs the lines behind the last equal ones.
    for run in [*align(old, new), EqualRun(len(old), len(new), 0)]:
        yield from zip(
            range(old_index, run.left),
            range(new_index, run.right),
            strict=False,
        )
        for step in range(run.length):
            yield run.left + step, run.right + step
        old_index, new_index = run.left + run.length, run.right + run.length


def _first_terminator(source: Source, start: int, end: int) -> bytes:
    """Return the terminator of the first of some new lines at [start, end)."""
    is_at_edge = end in (source.start, source.size)
    if is_at_edge or source.read(end - 1, end) in _LAST_BYTES:
        begins_line = source.line_start(start) == start
        return choose_terminator(source, start if begins_line else end)
    # Text inside a line is followed by the terminator of that line.
    own_line = source.row_holding(end - 1 if end > start else end)
    if own_line.terminator:
        return own_line.terminator
    return choose_terminator(source, source.line_start(start))


def whole_lines_splice(
    source: Source, start: int, end: int, new: bytes
) -> Splice:
    """Return the splice that puts the lines `new` in place of those in [start, end).

    At the end of a file whose last line has no terminator, the new last line has none
    either; text that is put behind that line ends it first.
    """
    is_at_end_of_file = end == source.size > source.start
    if (
        new
        and is_at_end_of_file
        and source.read(end - 1, end) not in _LAST_BYTES
    ):
        body = new.removesuffix(b"\n").removesuffix(b"\r")
        # A blank line without its terminator would be no line.
        if body and not body.endswith(_LAST_BYTES):
            new = body
        if start == end:
            new = choose_terminator(source, end) + new
    return Splice(start, end - start, new)
