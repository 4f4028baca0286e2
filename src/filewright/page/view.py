"""A diff as the page shows it: rows side by side, with the changed words marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.diff import Diff, DiffHunk, DiffRow, FileDiff
from filewright.page.side_by_side import RowView, pair_rows
from filewright.wording import pluralize

__all__ = ["FileView", "HunkView", "RowView", "view_of", "views_of"]


@dataclass(frozen=True, slots=True)
class HunkView(DiffHunk):
    """A hunk whose `rows` have their changed words marked.

    `sides` has the rows in pairs: a removed line and the added line in its place.
    `mark` is the key of its content, by which the person decides about it, and
    `decision` the decision: `accepted`, `undone`, or none.
    """

    rows: tuple[RowView, ...]
    sides: tuple[tuple[RowView | None, RowView | None], ...] = ()
    mark: str = ""
    decision: str = ""


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a diff.

    `language` is that of the code in a notebook; it is empty for any other file.
    """

    file: FileDiff
    hunks: tuple[HunkView, ...] = ()
    language: str = ""

    @property
    def path(self) -> str:
        """The path to show."""
        return self.file.path

    @property
    def remarks(self) -> Sequence[str]:
        """The lines below the hunks, about the parts that are not shown."""
        remarks = self.file.remark.splitlines()
        omitted = self.file.omitted_changes
        if omitted:
            count = pluralize(omitted, "more change")
            remarks.insert(0, f"... {count} not shown")
        return remarks


def views_of(diff: Diff) -> list[FileView]:
    """Return the views of a diff's files, without those that it omits."""
    return [view_of(file) for file in diff.files if not file.is_omitted]


def view_of(file: FileDiff) -> FileView:
    """Return the view of one file."""
    return FileView(file, tuple(_view_hunk(hunk) for hunk in file.hunks))


def _view_hunk(hunk: DiffHunk) -> HunkView:
    rows = [_view_row(row) for row in hunk.rows]
    sides = tuple(pair_rows(rows))
    # The pairs hold copies with their words marked; a row is known by sign and number.
    marked_rows = {}
    for pair in sides:
        for row in pair:
            if row is not None:
                marked_rows[row.sign, row.old or row.new] = row
    return HunkView(
        old=hunk.old,
        old_count=hunk.old_count,
        new=hunk.new,
        new_count=hunk.new_count,
        rows=tuple(marked_rows[row.sign, row.old or row.new] for row in rows),
        number=hunk.number,
        sides=sides,
    )


def _view_row(row: DiffRow) -> RowView:
    return RowView(
        sign=row.sign,
        text=row.text,
        old=row.old,
        new=row.new,
        mark=row.mark,
        unended=row.unended,
        hidden=row.hidden,
    )
