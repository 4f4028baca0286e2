"""The merge conflicts of an open file: their numbers, their definitions, and their sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from filewright.boundary.location import Location
from filewright.edit.conflict_markers import (
    OURS_MARKER,
    ConflictMarkers,
    iterate_conflicts,
)
from filewright.errors import FilewrightError
from filewright.structure.lookup import (
    find_symbol,
    is_definition,
    symbols_around_line,
)
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.text.codec import decode, encode
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices
from filewright.tools.best_effort import best_effort
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.wording import escape_controls, to_one_line

MAX_CONFLICTS: Final = 250
"""The conflicts that are told apart in one call: time grows with the square of their number."""

MAX_DESCRIBED_CONFLICTS: Final = 20
"""The conflicts of a file that an answer describes one by one."""

# Of a side of a conflict: characters that are shown, and bytes that hold them.
MAX_SIDE_CHARS: Final = 60
_SIDE_LINE_BYTES: Final = 400

_Side = Literal["ours", "theirs"]
_SIDES: Final[tuple[_Side, _Side]] = ("ours", "theirs")


@dataclass(frozen=True, slots=True)
class Conflict:
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
class ConflictSummary:
    """A conflict in short: its lines with the markers, and the first text of each side.

    `symbol` is the innermost definition that holds both sides, or "".
    """

    number: int
    start_line: int
    end_line: int
    symbol: str
    ours: str
    theirs: str


@dataclass(frozen=True, slots=True)
class ResolvedText:
    """The outline of a file in which one side of all conflicts is taken.

    `places` are, by the number of a conflict, the lines of its side in this text that are
    not blank, or the lines around it if there are none.
    """

    outline: Outline
    places: dict[int, tuple[int, ...]]

    def symbols_around(self, conflict: Conflict) -> list[Symbol]:
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

    def is_within(self, conflict: Conflict, symbol: Symbol) -> bool | None:
        """Return True if a symbol holds the side of a conflict, None for a part of it."""
        lines = self.places[conflict.number]
        start, end = symbol.block_start_line, symbol.end_line
        if start <= lines[0] and lines[-1] <= end:
            return True
        if end < lines[0] or lines[-1] < start:
            return False
        return None


def summarize_conflicts(
    context: Context, snapshot: Snapshot
) -> tuple[tuple[ConflictSummary, ...], int]:
    """Return the first conflicts of a file that is held in memory, and the number of all.

    A text whose markers do not belong together has those before them.
    """
    content = snapshot.content
    marker = encode(OURS_MARKER, snapshot.encoding)
    if content is None or marker not in content:
        return (), 0
    conflicts: list[Conflict] = []
    count = 0
    path = snapshot.requested_path
    with best_effort(context.task) as task:
        for markers in iterate_conflicts(snapshot, path, task):
            count += 1
            if count <= MAX_CONFLICTS:
                conflicts.append(Conflict(count, markers))
    texts = None
    if count <= MAX_CONFLICTS:
        texts = resolve_sides(context, snapshot, snapshot.location, conflicts)
    summaries = [
        summarize_conflict(snapshot, conflict, texts)
        for conflict in conflicts[:MAX_DESCRIBED_CONFLICTS]
    ]
    return tuple(summaries), count


def resolve_sides(
    context: Context,
    snapshot: Snapshot,
    location: Location | None,
    conflicts: Sequence[Conflict],
) -> tuple[ResolvedText, ResolvedText] | None:
    """Return a file with each of the sides taken; None if one has syntax errors.

    `location` tells the language of the snapshot.
    """
    ours, theirs = (
        _resolve(context, snapshot, location, conflicts, side)
        for side in _SIDES
    )
    return None if ours is None or theirs is None else (ours, theirs)


def _resolve(
    context: Context,
    snapshot: Snapshot,
    location: Location | None,
    conflicts: Sequence[Conflict],
    side: _Side,
) -> ResolvedText | None:
    """Return the outline of a file with a side taken; None if it has syntax errors."""
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
        location=location,
        settings=context.settings,
    )
    outline = context.outlines.outline(resolved, task=context.task)
    if not outline.is_whole or outline.errors.count:
        return None
    return ResolvedText(outline, places)


def find_in_symbol(
    texts: Sequence[ResolvedText] | None,
    conflicts: Sequence[Conflict],
    name: str,
    path: str,
) -> Sequence[Conflict] | None:
    """Return the conflicts within a definition; None if that is not certain.

    It is certain if the definition holds the same conflicts whichever side is taken.
    """
    if texts is None:
        return None
    chosen: list[Conflict] = []
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


def summarize_conflict(
    snapshot: Snapshot,
    conflict: Conflict,
    texts: tuple[ResolvedText, ResolvedText] | None,
) -> ConflictSummary:
    """Return the place of a conflict, and the first text of each side."""
    name = ""
    if texts is not None:
        name = _find_enclosing_name(conflict, *texts)
    ours, theirs = (
        first_text(snapshot, conflict.lines_of(side)) for side in _SIDES
    )
    return ConflictSummary(
        number=conflict.number,
        start_line=conflict.markers.ours,
        end_line=conflict.markers.theirs,
        symbol=name,
        ours=ours,
        theirs=theirs,
    )


def render_conflict(summary: ConflictSummary) -> str:
    """Return a line with the number, the place and the sides of a conflict."""
    place = f"lines {summary.start_line}-{summary.end_line}"
    if summary.symbol:
        place += f", in {escape_controls(summary.symbol)}"
    sides = []
    for side, text in (("ours", summary.ours), ("theirs", summary.theirs)):
        sides.append(f"{side}: {clip(text or 'no text', MAX_SIDE_CHARS)}")
    return f"conflict {summary.number} ({place}): {'; '.join(sides)}"


def _find_enclosing_name(
    conflict: Conflict, ours: ResolvedText, theirs: ResolvedText
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


def first_text(snapshot: Snapshot, numbers: Iterable[int]) -> str:
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
