"""The lines of a log that a selection takes, with or without a pattern."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from filewright.logs.fields import Condition
from filewright.logs.selection import SelectedLines
from filewright.progress import Task
from filewright.search.matches import Span, find_matches
from filewright.search.pattern import Pattern, compile_pattern
from filewright.text.lines import Line
from filewright.text.snapshot import Snapshot

_PAGE_BYTES = 1 << 20
_END = 1 << 62
_MAX_LINE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class MatchingLine:
    """A line that a search takes, and the groups of its first match."""

    line: Line
    groups: tuple[Span | None, ...] = ()


def iterate_matching_lines(
    snapshot: Snapshot,
    pattern: Pattern,
    selected: SelectedLines | None,
    task: Task,
) -> Iterator[MatchingLine]:
    """Yield the selected lines with a match, or all of them without a pattern."""
    if selected is not None and not selected.selection.has_pattern:
        for line in iterate_selected_lines(
            snapshot, selected, snapshot.start, task
        ):
            yield MatchingLine(line)
        return
    start, stop = snapshot.start, _END
    if selected is not None:
        start, stop = selected.start, selected.stop
    for match in find_matches(
        snapshot, pattern, start=start, stop=stop, once=True, task=task
    ):
        line_start = snapshot.lines.line_start(match.offset, task)
        line = snapshot.lines.read_line(line_start, task=task)
        if selected is None or selected.accepts(line.offset, line.body):
            yield MatchingLine(line, match.groups)


def iterate_selected_lines(
    snapshot: Snapshot, selected: SelectedLines, start: int, task: Task
) -> Iterator[Line]:
    """Yield the selected lines from byte `start` on, where a line begins."""
    start = max(start, selected.start)
    required = selected.selection.required
    if required is not None:
        lines = _lines_with(snapshot, required, start, selected.stop, task)
    elif snapshot.encoding.unit_bytes > 1:
        lines = snapshot.lines.read_lines(start, selected.stop, task=task)
    else:
        lines = _candidate_lines(snapshot, selected, start, task)
    for line in lines:
        if selected.accepts(line.offset, line.body):
            yield line


def _lines_with(
    snapshot: Snapshot, condition: Condition, start: int, stop: int, task: Task
) -> Iterator[Line]:
    """Yield the lines that hold the text of a condition, found as a search finds it."""
    pattern = compile_pattern(
        condition.required_text,
        case="insensitive" if condition.ignores_case else "sensitive",
    )
    for match in find_matches(
        snapshot, pattern, start=start, stop=stop, once=True, task=task
    ):
        line_start = snapshot.lines.line_start(match.offset, task)
        yield snapshot.lines.read_line(line_start, task=task)


def _candidate_lines(
    snapshot: Snapshot, selected: SelectedLines, start: int, task: Task
) -> Iterator[Line]:
    """Yield the lines that may fit, split a page at a time."""
    # A page is searched for the numbers of a comparison faster than it is parsed.
    numeric = None
    for condition in selected.selection.conditions:
        numeric = numeric or condition.number_pattern
    length = _PAGE_BYTES
    while start < selected.stop:
        task.check()
        task.report(start, snapshot.known_size, "searching")
        page = snapshot.read(start, min(length, selected.stop - start))
        if not page:
            return
        end = len(page)
        if snapshot.has_byte(start + end) and start + end < selected.stop:
            end = page.rfind(b"\n") + 1
        # The page is a part of one line, so more of it is read at once.
        if not end and length < _MAX_LINE_BYTES:
            length *= 2
            continue
        page = page[: end or len(page)]
        if numeric is None:
            offset = start
            for piece in page.splitlines(keepends=True):
                body = piece.rstrip(b"\r\n")
                yield Line(
                    offset, body, piece[len(body) :], offset + len(piece)
                )
                offset += len(piece)
        else:
            for low, high in numeric.find_lines(page):
                body = page[low:high]
                yield Line(start + low, body, b"\n", start + high + 1)
        start += len(page)
        length = _PAGE_BYTES
