"""Building the diff of a file from splices.

Only the lines that the splices touch, and a few around them, are read. They are
compared by `linediff`, which is bounded, and decoded by the file's own encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from filewright.edit.changed_lines import (
    CONTEXT_LINES,
    PEEK_BYTES,
    ChangedLines,
    find_changed_lines,
)
from filewright.edit.diff import (
    TRUNCATION_TOLERANCE,
    DiffHunk,
    DiffRow,
    FileDiff,
    Sign,
    truncate_line,
)
from filewright.edit.linediff import find_line_splices
from filewright.text.notebook import NotebookView, view_cells
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices
from filewright.text.utf8_view import Utf8View
from filewright.wording import to_one_line

_MAX_COUNTED_CHANGES = 100_000
"""Changes whose lines are counted; beyond them the counts are those of the first."""
_TERMINATOR_MARKS = {b"\r\n": "\u240d\u240a", b"\n": "\u240a", b"\r": "\u240d"}
"""Marks of a changed line that ends unlike most lines of its file."""
_BINARY_SAMPLE_BYTES = 8192


def build_file_diff(
    header: FileDiff,
    before: Snapshot,
    splices: Sequence[Splice],
    *,
    max_lines: int = 400,
    line_chars: int = 1_000,
    start: int = 0,
) -> FileDiff:
    """Return the diff of `before` with ordered `splices` applied.

    `header` has the names and modes of the file; the splices of a deleted file remove
    everything. The diff has at most `max_lines` rows and about `line_chars` characters
    of a line, of the changes from offset `start` on, which is the `next_offset` of an
    earlier window. With 0 rows, lines are only counted.
    """
    if before.encoding.unit_bytes > 1:
        before, splices = _view_as_utf8(before, splices)
    if _is_binary(before, splices):
        is_changed = bool(splices) or header.has_new_header
        return replace(header, binary=is_changed, added=None, removed=None)
    builder = _DiffBuilder(before, max_lines, line_chars, start)
    all_counted = True
    for index, lines in enumerate(find_changed_lines(before, splices)):
        if index == _MAX_COUNTED_CHANGES:
            all_counted = False
            builder.omitted_changes += sum(
                splice.offset >= lines.offset for splice in splices
            )
            break
        builder.add(lines)
    builder.finish_hunk(before.size)
    return replace(
        header,
        hunks=tuple(builder.hunks),
        added=builder.added,
        removed=builder.removed,
        omitted_changes=builder.omitted_changes,
        all_counted=all_counted,
        next_offset=builder.next_offset,
        row_count=builder.row_count,
    )


def find_splices(before: Snapshot, after: Snapshot | bytes) -> tuple[Splice, ...]:
    """Return the splices of whole lines that turn `before` into `after`.

    A file too large for memory is replaced by a single splice.
    """
    target = after if isinstance(after, bytes) else after.read(0, after.size)
    if before.content is None:
        return (Splice(0, before.size, target),)
    return find_line_splices(before.content, target)


def compare_cells(
    before: bytes, after: bytes
) -> tuple[Snapshot, Sequence[Splice]] | None:
    """Return a change of a notebook as one of the text of its cells.

    An empty file counts as a notebook without cells. Return None for files that are no
    notebooks, and if only outputs of cells differ: then the file itself tells more.
    """
    old_view = view_cells(Snapshot(before))
    new_view = view_cells(Snapshot(after))
    for view in (old_view, new_view):
        if view.size and not isinstance(view, NotebookView):
            return None
    if old_view.content == new_view.content:
        return None
    return old_view, find_splices(old_view, new_view)


def _view_as_utf8(
    before: Snapshot, splices: Sequence[Splice]
) -> tuple[Snapshot, Sequence[Splice]]:
    """Return UTF-16 text in memory as UTF-8, and anything else as it is."""
    content = before.content
    if before.binary_type is not None or content is None:
        return before, splices
    new_content = apply_splices(content, splices)
    if len(content) % 2 or len(new_content) % 2:
        return before, splices
    view = Utf8View(before)
    return view.snapshot, find_line_splices(
        view.to_utf8(content), view.to_utf8(new_content)
    )


def _is_binary(before: Snapshot, splices: Sequence[Splice]) -> bool:
    """Return True if a file is no text, or is replaced by something that is none."""
    if before.binary_type is not None or before.encoding.unit_bytes != 1:
        return True
    first = next(iter(splices), None)
    if first is None or first.length != before.size:
        return False
    return b"\0" in first.replacement[:_BINARY_SAMPLE_BYTES]


class _DiffBuilder:
    """Collects the changes of a file into the hunks of one window.

    `next_offset` is the first change behind the window, `omitted_changes` counts them.
    """

    def __init__(
        self, before: Snapshot, max_rows: int, line_chars: int, start: int
    ) -> None:
        self.hunks: list[DiffHunk] = []
        self.added = self.removed = 0
        self.omitted_changes = 0
        self.next_offset: int | None = None
        self.row_count = 0
        self._before = before
        self._max_rows = max_rows
        self._line_chars = line_chars
        self._start = start
        self._room = max_rows
        # The changes of the hunk that is not finished. Its context starts at the end of
        # the change before it, or below, so that no row is in two hunks.
        self._pending: list[ChangedLines] = []
        self._floor = 0

    def add(self, lines: ChangedLines) -> None:
        """Add changed lines to the hunk they belong to."""
        if self._pending:
            if lines.hunk_number != self._pending[0].hunk_number:
                self.finish_hunk(lines.offset)
            elif self._count_rows_with(lines) > self._room:
                # The hunk goes on in the next window.
                self.finish_hunk(lines.offset)
                self._room = 0
        if lines.offset >= self._start:
            if self._room > 0:
                self._pending.append(lines)
            else:
                self.omitted_changes += 1
                if self.next_offset is None:
                    self.next_offset = lines.offset
        if not self._pending:
            self._floor = lines.end
        self.added += lines.new_count
        self.removed += lines.old_count

    def finish_hunk(self, stop: int) -> None:
        """End the hunk, if there is one; its context ends at offset `stop` at last."""
        if not self._pending:
            return
        hunk = self._build_hunk(stop)
        self.hunks.append(hunk)
        self.row_count += len(hunk.rows)
        self._room = self._max_rows - self.row_count
        self._floor = self._pending[-1].end
        self._pending = []

    def _count_rows_with(self, lines: ChangedLines) -> int:
        """Return the number of rows of the hunk if lines are added to it."""
        new_rows = sum(len(change.new) for change in self._pending)
        old_rows = lines.line - self._pending[0].line + len(lines.old)
        return old_rows + new_rows + len(lines.new)

    def _build_hunk(self, stop: int) -> DiffHunk:
        changes = self._pending
        offset, lines_above = self._find_context_start(changes[0])
        end = self._find_context_end(changes[-1].end, stop)
        first_old = old = changes[0].line - lines_above
        first_new = new = changes[0].new_line - lines_above
        rows: list[DiffRow] = []
        for change in changes:
            for line in self._read_lines(offset, change.offset):
                rows.append(self._to_row(" ", line, old, new))
                old, new = old + 1, new + 1
            rows += self._build_changed_rows(change)
            old, new = old + change.old_count, new + change.new_count
            offset = change.end
        for line in self._read_lines(offset, end):
            rows.append(self._to_row(" ", line, old, new))
            old, new = old + 1, new + 1
        return DiffHunk(
            first_old,
            old - first_old,
            first_new,
            new - first_new,
            tuple(self._truncate(row) for row in rows),
            changes[0].hunk_number,
        )

    def _find_context_start(self, first: ChangedLines) -> tuple[int, int]:
        """Return where the context above a change starts, and how many lines it has."""
        offset, line_count = first.offset, 0
        while line_count < min(CONTEXT_LINES, first.line - 1):
            line_start = self._before.lines.line_start(offset - 1)
            if offset - line_start > PEEK_BYTES or line_start < self._floor:
                break
            offset = line_start
            line_count += 1
        return offset, line_count

    def _find_context_end(self, end: int, stop: int) -> int:
        """Return where the context below a change that ends at `end` does."""
        for _ in range(CONTEXT_LINES):
            if end >= stop:
                break
            line_end = self._before.lines.line_end(end)
            if line_end - end > PEEK_BYTES:
                break
            end = line_end
        return end

    def _read_lines(self, start: int, end: int) -> list[bytes]:
        return self._before.read(start, end - start).splitlines(keepends=True)

    def _build_changed_rows(self, change: ChangedLines) -> list[DiffRow]:
        """Return the rows of a change; if there is no room, both sides are cut alike."""
        # A side that needs less than half of the room leaves the rest to the other.
        half = max(self._room // 2, self._room - len(change.new))
        old_lines = change.old[:half]
        new_lines = change.new[: max(0, self._room - len(old_lines))]
        usual = self._find_usual_terminator(change)
        removed: list[DiffRow] = []
        added: list[DiffRow] = []
        for number, line in enumerate(old_lines, change.line):
            removed.append(self._to_row("-", line, number, None, usual))
        for number, line in enumerate(new_lines, change.new_line):
            added.append(self._to_row("+", line, None, number, usual))
        if len(change.old) == len(change.new):
            for index, (old_row, new_row) in enumerate(
                zip(removed, added, strict=False)
            ):
                removed[index], added[index] = self._cut_equal_start(old_row, new_row)

        hidden = change.old_count - len(old_lines)
        if hidden:
            number = change.line + len(old_lines)
            removed.append(DiffRow("-", "", number, None, hidden=hidden))
        hidden = change.new_count - len(new_lines)
        if hidden:
            number = change.new_line + len(new_lines)
            added.append(DiffRow("+", "", None, number, hidden=hidden))
        return removed + added

    def _find_usual_terminator(self, change: ChangedLines) -> bytes | None:
        """Return the usual line end of the file, or None if it is not worth finding.

        A large file is counted for it only if the lines of a change end differently.
        """
        if self._before.content is None:
            terminators = {
                line[len(line.rstrip(b"\r\n")) :] for line in (*change.old, *change.new)
            }
            if len(terminators - {b""}) <= 1:
                return None
        return self._before.dominant_terminator

    def _cut_equal_start(
        self, old_row: DiffRow, new_row: DiffRow
    ) -> tuple[DiffRow, DiffRow]:
        """Return two long lines from shortly before where they differ."""
        longer = max(len(old_row.text), len(new_row.text))
        is_long = longer > self._line_chars + TRUNCATION_TOLERANCE
        if not is_long or old_row.text == new_row.text:
            return old_row, new_row
        difference = min(len(old_row.text), len(new_row.text))
        pairs = zip(old_row.text, new_row.text, strict=False)
        for index, (old_char, new_char) in enumerate(pairs):
            if old_char != new_char:
                difference = index
                break
        start = max(0, difference - self._line_chars // 2)
        if start <= TRUNCATION_TOLERANCE:
            return old_row, new_row
        lead = f"[{start:,} characters] …"
        return (
            replace(old_row, text=lead + old_row.text[start:]),
            replace(new_row, text=lead + new_row.text[start:]),
        )

    def _truncate(self, row: DiffRow) -> DiffRow:
        if len(row.text) <= self._line_chars:
            return row
        return replace(row, text=truncate_line(row.text, self._line_chars))

    def _to_row(
        self,
        sign: Sign,
        line: bytes,
        old: int | None,
        new: int | None,
        usual: bytes | None = None,
    ) -> DiffRow:
        """Return one line as a row, marked if it does not end like `usual`."""
        content = line.rstrip(b"\r\n")
        terminator = line[len(content) :]
        mark = ""
        if usual is not None and terminator != usual:
            mark = _TERMINATOR_MARKS.get(terminator, "")
        text = content.decode(self._before.encoding.name, "replace")
        return DiffRow(sign, to_one_line(text), old, new, mark, unended=not terminator)
