"""Edits that resolve merge conflicts: by their numbers, by a symbol, or all of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from filewright.edit.conflict_markers import (
    ConflictSide,
    iterate_conflicts,
)
from filewright.edit.request import EditRole, LineEdit
from filewright.errors import too_many
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.tools.edit.arguments import ALL_CONFLICTS, PlaceEdit
from filewright.tools.edit.call import NumberedEdit, PreparedEdit
from filewright.tools.edit.descriptions import TakenSide
from filewright.tools.edit.places import OpenFile
from filewright.tools.merge_conflicts import (
    MAX_CONFLICTS,
    MAX_DESCRIBED_CONFLICTS,
    MAX_SIDE_CHARS,
    Conflict,
    find_in_symbol,
    first_text,
    render_conflict,
    resolve_sides,
    summarize_conflict,
)
from filewright.wording import escape_controls, pluralize


def prepare_conflict_edit(
    open_file: OpenFile, numbered: NumberedEdit, edit: PlaceEdit
) -> PreparedEdit:
    """Return the edit that replaces a conflict, or those that leave one side of conflicts."""
    text = open_file.find_text(numbered)
    conflicts = _choose_conflicts(open_file, numbered, edit, text.snapshot)
    named = f"conflict {conflicts[0].number} replaced"
    ranges: list[tuple[int, int]] = []
    sides: list[str] = []
    taken_sides: Sequence[TakenSide] = ()
    if edit.take is None:
        markers = conflicts[0].markers
        ranges.append((markers.ours, markers.theirs))
    else:
        named = f"conflict {conflicts[0].number}, {edit.take} taken"
        if len(conflicts) > 1:
            named = f"{len(conflicts)} conflicts, {edit.take} taken"
        for conflict in conflicts:
            ranges += conflict.markers.lines_without(edit.take)
            sides += conflict.markers.describe(edit.take)
        taken_sides = _describe_sides(
            text.snapshot, conflicts, edit.take, numbered.number
        )
    first, *others = (
        LineEdit(
            first_line=first_line,
            last_line=last_line,
            replace=edit.replace or "",
            named=named,
            base=text.base,
            fuzzy=False,
            number=numbered.number,
        )
        for first_line, last_line in ranges
    )
    return PreparedEdit(
        first,
        further_edits=tuple(
            replace(other, role=EditRole.FURTHER) for other in others
        ),
        sides=tuple(dict.fromkeys(sides)),
        taken_sides=tuple(taken_sides),
    )


def _choose_conflicts(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: PlaceEdit,
    snapshot: Snapshot,
) -> Sequence[Conflict]:
    """Return the conflicts that an edit resolves.

    Raise `invalid_input`, which lists the conflicts of the file, if there are none, and
    `too_large` for too many.
    """
    path = open_file.file.requested_path
    task = open_file.call.context.task
    conflicts: list[Conflict] = []
    count = 0
    for count, markers in enumerate(iterate_conflicts(snapshot, path, task), 1):
        conflict = Conflict(count, markers)
        if count == edit.at.conflict:
            return [conflict]
        if count <= MAX_CONFLICTS:
            conflicts.append(conflict)
    if count > MAX_CONFLICTS and not isinstance(edit.at.conflict, int):
        raise too_many(
            count,
            MAX_CONFLICTS,
            f"conflicts of {path}",
            "resolve some of them by their numbers",
        )
    if not conflicts:
        raise open_file.call.invalid(
            numbered.number,
            f"{path} has no conflict",
            "only lines that begin with <<<<<<< begin a conflict",
        )
    if edit.at.conflict == ALL_CONFLICTS:
        return conflicts
    resolved_texts = resolve_sides(
        open_file.call.context, snapshot, open_file.file.location, conflicts
    )
    if edit.at.symbol is None:
        problem = f"{path} has no conflict {edit.at.conflict}; it has {count}"
    else:
        conflicts_inside = find_in_symbol(
            resolved_texts, conflicts, edit.at.symbol, path
        )
        if conflicts_inside:
            return conflicts_inside
        symbol = escape_controls(edit.at.symbol)
        if conflicts_inside is None:
            problem = (
                f"which conflicts of {path} are in {symbol} is not certain"
            )
        else:
            problem = f"no conflict of {path} is in {symbol}"
    rows = [
        render_conflict(summarize_conflict(snapshot, conflict, resolved_texts))
        for conflict in conflicts[:MAX_DESCRIBED_CONFLICTS]
    ]
    if count > len(rows):
        rows.append(f"and {count - len(rows)} more")
    raise open_file.call.invalid(
        numbered.number,
        "\n".join([problem, *rows]),
        "give the number of one in at.conflict",
    )


# Sides that are taken


def _describe_sides(
    snapshot: Snapshot,
    conflicts: Sequence[Conflict],
    side: ConflictSide,
    edit_number: int,
) -> Sequence[TakenSide]:
    """Return the sides that are taken: each of the first, and all others in one."""
    sides = [
        _describe_side(snapshot, conflict, side, edit_number)
        for conflict in conflicts[:MAX_DESCRIBED_CONFLICTS]
    ]
    others = conflicts[MAX_DESCRIBED_CONFLICTS:]
    if others:
        description = f"{pluralize(len(others), 'more conflict')}: {side} kept"
        deleted = tuple(
            lines for conflict in others for lines in _deleted(conflict, side)
        )
        sides.append(TakenSide(edit_number, description, deleted))
    return sides


def _deleted(conflict: Conflict, side: ConflictSide) -> Iterator[range]:
    """Yield the lines of a conflict that are deleted to take a side."""
    for first, last in conflict.markers.lines_without(side):
        yield range(first, last + 1)


def _describe_side(
    snapshot: Snapshot,
    conflict: Conflict,
    side: ConflictSide,
    edit_number: int,
) -> TakenSide:
    """Return the side of a conflict that is taken, with the first text that stays."""
    deleted = tuple(_deleted(conflict, side))
    staying_lines: list[int] = []
    for above, below in pairwise(deleted):
        staying_lines += range(above.stop, below.start)
    description = f"{conflict.label}: {side} kept, "
    if not staying_lines:
        return TakenSide(edit_number, f"{description}no line", deleted)
    count = len(staying_lines)
    text = first_text(snapshot, staying_lines)
    if text:
        description += f"{pluralize(count, 'line')}: "
        description += clip(text, MAX_SIDE_CHARS)
    else:
        description += pluralize(count, "blank line")
    return TakenSide(edit_number, description, deleted)
