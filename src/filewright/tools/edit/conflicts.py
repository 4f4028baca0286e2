"""Edits that resolve merge conflicts: by their numbers, by a symbol, or all of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from filewright.edit.conflict_markers import (
    ConflictMarkers,
    ConflictSide,
    iterate_conflicts,
)
from filewright.edit.request import LineEdit
from filewright.errors import FilewrightError, too_many
from filewright.structure.lookup import (
    find_symbol,
    is_definition,
    symbols_around_line,
)
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices
from filewright.tools.bounded_text import clip
from filewright.tools.edit.arguments import ALL_CONFLICTS, PlaceEdit
from filewright.tools.edit.call import FURTHER, NumberedEdit, PreparedEdit
from filewright.tools.edit.descriptions import TakenSide
from filewright.tools.edit.places import OpenFile
from filewright.wording import escape_controls, pluralize, to_one_line

# Conflicts that one edit resolves: time grows with the square of their number. And those
# that an answer describes one by one.
_MAX_CONFLICTS: Final = 250
_MAX_DESCRIBED: Final = 20
# Of a side of a conflict: characters that are shown, and bytes that hold them.
_MAX_SIDE_CHARS: Final = 60
_SIDE_LINE_BYTES: Final = 400

_Side = Literal["ours", "theirs"]
_SIDES: Final[tuple[_Side, _Side]] = ("ours", "theirs")


@dataclass(frozen=True, slots=True)
class _Conflict:
    """A conflict with its number in its file, from 1."""

    number: int
    markers: ConflictMarkers

    @property
    def label(self) -> str:
        """The number and the lines of the conflict."""
        lines = f"lines {self.markers.ours}-{self.markers.theirs}"
        return f"conflict {self.number} ({lines})"

    def lines_of(self, side: _Side) -> range:
        """Return the lines of a side, without its markers."""
        markers = self.markers
        if side == "theirs":
            return range(markers.separator + 1, markers.theirs)
        end = markers.separator if markers.base is None else markers.base
        return range(markers.ours + 1, end)


@dataclass(frozen=True, slots=True)
class _ResolvedText:
    """The outline of a file in which one side of all conflicts is taken.

    `places` are, by the number of a conflict, the lines of its side in this text that are
    not blank, or the lines around it if there are none.
    """

    outline: Outline
    places: dict[int, tuple[int, ...]]

    def symbols_around(self, conflict: _Conflict) -> list[Symbol]:
        """Return the definitions that hold the side of a conflict, outermost first."""
        lines = self.places[conflict.number]
        first, last = (
            symbols_around_line(self.outline, line)
            for line in (lines[0], lines[-1])
        )
        symbols: list[Symbol] = []
        for symbol, other in zip(first, last, strict=False):
            if symbol is not other or not is_definition(symbol):
                break
            symbols.append(symbol)
        return symbols

    def is_within(self, conflict: _Conflict, symbol: Symbol) -> bool | None:
        """Return True if a symbol holds the side of a conflict, None for a part of it."""
        lines = self.places[conflict.number]
        start, end = symbol.block_start_line, symbol.end_line
        if start <= lines[0] and lines[-1] <= end:
            return True
        if end < lines[0] or lines[-1] < start:
            return False
        return None


def prepare_conflict_edit(
    open_file: OpenFile, numbered: NumberedEdit, edit: PlaceEdit
) -> PreparedEdit:
    """Return the edits that replace a conflict, or delete all of conflicts but a side."""
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
        further_edits=tuple(replace(other, named=FURTHER) for other in others),
        sides=tuple(dict.fromkeys(sides)),
        taken_sides=tuple(taken_sides),
    )


def _choose_conflicts(
    open_file: OpenFile,
    numbered: NumberedEdit,
    edit: PlaceEdit,
    snapshot: Snapshot,
) -> Sequence[_Conflict]:
    """Return the conflicts that an edit resolves.

    Raise `invalid_input`, which lists the conflicts of the file, if there are none, and
    `too_large` for too many.
    """
    path = open_file.file.requested_path
    task = open_file.call.context.task
    conflicts: list[_Conflict] = []
    count = 0
    for count, markers in enumerate(iterate_conflicts(snapshot, path, task), 1):
        conflict = _Conflict(count, markers)
        if count == edit.at.conflict:
            return [conflict]
        if count <= _MAX_CONFLICTS:
            conflicts.append(conflict)
    if count > _MAX_CONFLICTS and not isinstance(edit.at.conflict, int):
        raise too_many(
            count,
            _MAX_CONFLICTS,
            f"conflicts of {path}",
            "resolve some of them by their numbers",
        )
    if edit.at.conflict == ALL_CONFLICTS and conflicts:
        return conflicts
    resolved_texts = _resolve_sides(open_file, snapshot, conflicts)
    if not conflicts:
        problem = f"{path} has no conflict"
    elif edit.at.symbol is None:
        problem = f"{path} has no conflict {edit.at.conflict}; it has {count}"
    else:
        symbol = escape_controls(edit.at.symbol)
        problem = f"which conflicts of {path} are in {symbol} is not certain"
        conflicts_inside = _find_in_symbol(
            resolved_texts, conflicts, edit.at.symbol, path
        )
        if conflicts_inside:
            return conflicts_inside
        if conflicts_inside is not None:
            problem = f"no conflict of {path} is in {symbol}"
    rows = [
        _describe_conflict(snapshot, conflict, resolved_texts)
        for conflict in conflicts[:_MAX_DESCRIBED]
    ]
    if count > len(rows):
        rows.append(f"and {count - len(rows)} more")
    hint = "give the number of one in at.conflict"
    if not conflicts:
        hint = "only lines that begin with <<<<<<< begin a conflict"
    raise open_file.call.invalid(
        numbered.number, "\n".join([problem, *rows]), hint
    )


# Definitions around conflicts


def _resolve_sides(
    open_file: OpenFile, snapshot: Snapshot, conflicts: Sequence[_Conflict]
) -> tuple[_ResolvedText, _ResolvedText] | None:
    """Return the file with each of the sides taken; None if one has syntax errors."""
    ours, theirs = (
        _resolve(open_file, snapshot, conflicts, side) for side in _SIDES
    )
    return None if ours is None or theirs is None else (ours, theirs)


def _resolve(
    open_file: OpenFile,
    snapshot: Snapshot,
    conflicts: Sequence[_Conflict],
    side: _Side,
) -> _ResolvedText | None:
    """Return the outline of a file with a side taken; None if it has syntax errors."""
    context = open_file.call.context
    if not conflicts or snapshot.content is None:
        return None
    splices: list[Splice] = []
    places: dict[int, tuple[int, ...]] = {}
    deleted_count = 0
    for conflict in conflicts:
        above, below = conflict.markers.lines_without(side)
        lines = conflict.lines_of(side)
        shift = deleted_count + above[1] - above[0] + 1
        solid_lines = [
            line - shift for line in lines if _read_line(snapshot, line)
        ]
        around = (lines.start - shift - 1, lines.stop - shift)
        places[conflict.number] = tuple(solid_lines) or around
        for first, last in (above, below):
            deleted_count += last - first + 1
            start = snapshot.lines.offset_of(first)
            end = snapshot.lines.offset_of(last + 1)
            splices.append(Splice(start, end - start, b""))
    resolved = Snapshot(
        apply_splices(snapshot.content, splices),
        encoding=snapshot.encoding.name,
        location=open_file.file.location,
        settings=context.settings,
    )
    outline = context.outlines.outline(resolved, task=context.task)
    if not outline.is_whole or outline.errors.count:
        return None
    return _ResolvedText(outline, places)


def _find_in_symbol(
    texts: Sequence[_ResolvedText] | None,
    conflicts: Sequence[_Conflict],
    name: str,
    path: str,
) -> Sequence[_Conflict] | None:
    """Return the conflicts within a definition; None if that is not certain.

    It is certain if the definition holds the same conflicts whichever side is taken.
    """
    if texts is None:
        return None
    chosen: list[_Conflict] = []
    try:
        symbols = [find_symbol(text.outline, name, path) for text in texts]
    except FilewrightError:
        return None
    for conflict in conflicts:
        answers = {
            text.is_within(conflict, named.symbol)
            for text, named in zip(texts, symbols, strict=True)
        }
        if answers not in ({True}, {False}):
            return None
        if True in answers:
            chosen.append(conflict)
    return chosen


def _describe_conflict(
    snapshot: Snapshot,
    conflict: _Conflict,
    texts: tuple[_ResolvedText, _ResolvedText] | None,
) -> str:
    """Return the place of a conflict, and the first text of each side."""
    markers = conflict.markers
    name = ""
    if texts is not None:
        name = _find_enclosing_name(conflict, *texts)
    place = f"lines {markers.ours}-{markers.theirs}"
    if name:
        place += f", in {escape_controls(name)}"
    sides = []
    for side in _SIDES:
        text = _first_text(snapshot, conflict.lines_of(side)) or "no text"
        sides.append(f"{side}: {clip(text, _MAX_SIDE_CHARS)}")
    return f"conflict {conflict.number} ({place}): {'; '.join(sides)}"


def _find_enclosing_name(
    conflict: _Conflict, ours: _ResolvedText, theirs: _ResolvedText
) -> str:
    """Return the innermost definition that holds both sides of a conflict, or ""."""
    names: list[str] = []
    for our_symbol, their_symbol in zip(
        ours.symbols_around(conflict),
        theirs.symbols_around(conflict),
        strict=False,
    ):
        name = our_symbol.lookup_name or our_symbol.name
        if name != (their_symbol.lookup_name or their_symbol.name):
            break
        names.append(name)
    return ".".join(names)


# Sides that are taken


def _describe_sides(
    snapshot: Snapshot,
    conflicts: Sequence[_Conflict],
    side: ConflictSide,
    edit_number: int,
) -> Sequence[TakenSide]:
    """Return the sides that are taken: each of the first ones, and all others as one."""
    sides = [
        _describe_side(snapshot, conflict, side, edit_number)
        for conflict in conflicts[:_MAX_DESCRIBED]
    ]
    others = conflicts[_MAX_DESCRIBED:]
    if others:
        description = f"{pluralize(len(others), 'more conflict')}: {side} kept"
        deleted = tuple(
            lines for conflict in others for lines in _deleted(conflict, side)
        )
        sides.append(TakenSide(edit_number, description, deleted))
    return sides


def _deleted(conflict: _Conflict, side: ConflictSide) -> Iterator[range]:
    """Yield the lines that are deleted to take a side."""
    for first, last in conflict.markers.lines_without(side):
        yield range(first, last + 1)


def _describe_side(
    snapshot: Snapshot,
    conflict: _Conflict,
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
    text = _first_text(snapshot, staying_lines)
    if text:
        description += f"{pluralize(count, 'line')}: "
        description += clip(text, _MAX_SIDE_CHARS)
    else:
        description += pluralize(count, "blank line")
    return TakenSide(edit_number, description, deleted)


def _first_text(snapshot: Snapshot, numbers: Iterable[int]) -> str:
    """Return the first of some lines that is not blank, or "" if all are."""
    for number in numbers:
        text = _read_line(snapshot, number)
        if text:
            return text
    return ""


def _read_line(snapshot: Snapshot, number: int) -> str:
    """Return the beginning of a line without the white space around it."""
    offset = snapshot.lines.offset_of(number)
    line = snapshot.lines.read_line(offset, limit=_SIDE_LINE_BYTES)
    return to_one_line(decode(line.body, snapshot.encoding).strip())
