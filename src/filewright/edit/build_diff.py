"""Building the diff of a file from splices.

Only the lines that the splices touch, and a few around them, are read. They are
compared by `linediff`, which is bounded, and decoded by the file's own encoding.
Offsets are in bytes, line numbers count from 1.
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
"""Bytes of a new content that are searched for NUL, as git does."""


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

    `header` has the names and modes of the file; its other fields are filled in. The
    splices of a deleted file remove everything. The diff has at most `max_lines` rows
    (without the context around hunks), each cut at about `line_chars` characters.
    `start` is the `next_offset` of an earlier window, from which this one goes on. With
    `max_lines` 0, lines are only counted.
    """
    if before.encoding.unit_bytes > 1:
        before, splices = _view_as_utf8(before, splices)
    if _is_binary(before, splices):
        is_changed = bool(splices) or header.has_new_header
        return replace(header, binary=is_changed, added=None, removed=None)
    builder = _DiffBuilder(before, max_lines, line_chars, start)
    all_counted = True
    for index, changed in enumerate(find_changed_lines(before, splices)):
        if index == _MAX_COUNTED_CHANGES:
            # Lines behind here are not read at all, so splices are counted instead.
            all_counted = False
            builder.omitted_changes += sum(
                splice.offset >= changed.offset for splice in splices
            )
            break
        builder.add(changed)
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


def find_splices(
    before: Snapshot, after: Snapshot | bytes
) -> tuple[Splice, ...]:
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

    The result is the old text of the cells and the splices that change it. An empty
    file counts as a notebook without cells. Return None for files that are no notebooks,
    and if the text of the cells is equal: then the file itself tells more.
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
    """Return UTF-16 text in memory as UTF-8, and anything else as it is.

    A line end in UTF-16 is two bytes, which the comparison of lines does not know.
    """
    content = before.content
    if before.binary_type is not None or content is None:
        return before, splices
    new_content = apply_splices(content, splices)
    # Half a UTF-16 unit is no text: the change is shown as one of a binary file.
    if len(content) % 2 or len(new_content) % 2:
        return before, splices
    view = Utf8View(before)
    return view.snapshot, find_line_splices(
        view.to_utf8(content), view.to_utf8(new_content)
    )


def _is_binary(before: Snapshot, splices: Sequence[Splice]) -> bool:
    """Return True if a file is no text, or is replaced as a whole by binary content."""
    if before.binary_type is not None or before.encoding.unit_bytes != 1:
        return True
    first = next(iter(splices), None)
    if first is None or first.length != before.size:
        return False
    return b"\0" in first.replacement[:_BINARY_SAMPLE_BYTES]


class _DiffBuilder:
    """Collects the changes of a file into the hunks of one window.

    A window is the part of a diff that one answer shows: the changes from offset
    `start` on, up to `max_rows` rows. `next_offset` is the offset of the first change
    behind it, and `omitted_changes` counts these. `added` and `removed` count the lines
    of all changes, also those outside the window.
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

    def add(self, changed: ChangedLines) -> None:
        """Add changed lines to the hunk they belong to."""
        if self._pending:
            if changed.hunk_number != self._pending[0].hunk_number:
                self.finish_hunk(changed.offset)
            elif self._count_rows_with(changed) > self._room:
                # The hunk goes on in the next window, so that the change is shown whole.
                # Only a change that begins a hunk is cut: it might never fit.
                self.finish_hunk(changed.offset)
                self._room = 0
        if changed.offset >= self._start:
            if self._room > 0:
                self._pending.append(changed)
            else:
                self.omitted_changes += 1
                if self.next_offset is None:
                    self.next_offset = changed.offset
        if not self._pending:
            self._floor = changed.end
        self.added += changed.new_count
        self.removed += changed.old_count

    def finish_hunk(self, stop_offset: int) -> None:
        """End the pending hunk, if there is one.

        Its context ends before `stop_offset`, where the next change or the file's end is.
        """
        if not self._pending:
            return
        hunk = self._build_hunk(stop_offset)
        self.hunks.append(hunk)
        self.row_count += len(hunk.rows)
        self._room = self._max_rows - self.row_count
        self._floor = self._pending[-1].end
        self._pending = []

    def _count_rows_with(self, changed: ChangedLines) -> int:
        """Return the number of rows of the pending hunk if lines are added to it.

        The context above and below is not counted: it may exceed the limit.
        """
        new_rows = sum(len(change.new) for change in self._pending)
        old_rows = changed.line - self._pending[0].line + len(changed.old)
        return old_rows + new_rows + len(changed.new)

    def _build_hunk(self, stop_offset: int) -> DiffHunk:
        changes = self._pending
        offset, lines_above = self._find_context_start(changes[0])
        end_offset = self._find_context_end(changes[-1].end, stop_offset)
        first_old = old_line = changes[0].line - lines_above
        first_new = new_line = changes[0].new_line - lines_above
        rows: list[DiffRow] = []
        for change in changes:
            for line in self._read_lines(offset, change.offset):
                rows.append(self._to_row(" ", line, old_line, new_line))
                old_line, new_line = old_line + 1, new_line + 1
            rows += self._build_changed_rows(change)
            old_line, new_line = (
                old_line + change.old_count,
                new_line + change.new_count,
            )
            offset = change.end
        for line in self._read_lines(offset, end_offset):
            rows.append(self._to_row(" ", line, old_line, new_line))
            old_line, new_line = old_line + 1, new_line + 1
        return DiffHunk(
            first_old,
            old_line - first_old,
            first_new,
            new_line - first_new,
            tuple(self._truncate(row) for row in rows),
            changes[0].hunk_number,
        )

    def _find_context_start(self, first: ChangedLines) -> tuple[int, int]:
        """Return the offset at which the context above a change starts, and its lines.

        A very long line above is left out rather than read.
        """
        offset, line_count = first.offset, 0
        while line_count < min(CONTEXT_LINES, first.line - 1):
            line_start = self._before.lines.line_start(offset - 1)
            if offset - line_start > PEEK_BYTES or line_start < self._floor:
                break
            offset = line_start
            line_count += 1
        return offset, line_count

    def _find_context_end(self, end_offset: int, stop_offset: int) -> int:
        """Return the offset at which the context below a change ends.

        `end_offset` is the end of the change.
        """
        for _ in range(CONTEXT_LINES):
            if end_offset >= stop_offset:
                break
            line_end = self._before.lines.line_end(end_offset)
            if line_end - end_offset > PEEK_BYTES:
                break
            end_offset = line_end
        return end_offset

    def _read_lines(self, start: int, end: int) -> list[bytes]:
        return self._before.read(start, end - start).splitlines(keepends=True)

    def _build_changed_rows(self, change: ChangedLines) -> list[DiffRow]:
        """Return the rows of a change: the removed ones, then the added ones.

        If there is no room for all, each side gets at least half of it, and a row says
        how many are hidden.
        """
        # A side that needs less than half of the room leaves the rest to the other.
        half = max(self._room // 2, self._room - len(change.new))
        old_lines = change.old[:half]
        new_lines = change.new[: max(0, self._room - len(old_lines))]
        usual_terminator = self._find_usual_terminator(change)
        removed: list[DiffRow] = []
        added: list[DiffRow] = []
        for line_number, line in enumerate(old_lines, change.line):
            removed.append(
                self._to_row("-", line, line_number, None, usual_terminator)
            )
        for line_number, line in enumerate(new_lines, change.new_line):
            added.append(
                self._to_row("+", line, None, line_number, usual_terminator)
            )
        if len(change.old) == len(change.new):
            for index, (old_row, new_row) in enumerate(
                zip(removed, added, strict=False)
            ):
                removed[index], added[index] = self._cut_equal_start(
                    old_row, new_row
                )

        hidden_count = change.old_count - len(old_lines)
        if hidden_count:
            line_number = change.line + len(old_lines)
            removed.append(
                DiffRow("-", "", line_number, None, hidden=hidden_count)
            )
        hidden_count = change.new_count - len(new_lines)
        if hidden_count:
            line_number = change.new_line + len(new_lines)
            added.append(
                DiffRow("+", "", None, line_number, hidden=hidden_count)
            )
        return removed + added

    def _find_usual_terminator(self, change: ChangedLines) -> bytes | None:
        """Return the usual line end of the file, or None if it is not worth finding.

        It takes a pass over the file. For a large file that is made only if the lines
        of a change end differently, because otherwise there is nothing to mark.
        """
        if self._before.content is None:
            terminators = {
                line[len(line.rstrip(b"\r\n")) :]
                for line in (*change.old, *change.new)
            }
            if len(terminators - {b""}) <= 1:
                return None
        return self._before.dominant_terminator

    def _cut_equal_start(
        self, old_row: DiffRow, new_row: DiffRow
    ) -> tuple[DiffRow, DiffRow]:
        """Return two long lines without most of their equal beginning.

        Otherwise both would be cut before they differ, as in minified code, and the
        diff would show two equal lines.
        """
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
        usual_terminator: bytes | None = None,
    ) -> DiffRow:
        """Return one line as a row, marked if it does not end like `usual`."""
        content = line.rstrip(b"\r\n")
        terminator = line[len(content) :]
        mark = ""
        if usual_terminator is not None and terminator != usual_terminator:
            mark = _TERMINATOR_MARKS.get(terminator, "")
        text = content.decode(self._before.encoding.name, "replace")
        return DiffRow(
            sign, to_one_line(text), old, new, mark, unended=not terminator
        )
