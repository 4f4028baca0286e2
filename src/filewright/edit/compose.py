"""The composition of the edits of one call into splices of the original.

Edits may share unchanged context, but no edit may touch what another one changes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from filewright.edit.merge import MatchMerge
from filewright.edit.model import (
    ByteRange,
    EditMatch,
    LinesPart,
    NotLocated,
    TextPart,
    Tier,
)
from filewright.edit.nearest import line_similarity
from filewright.edit.outcome import EditOutcome
from filewright.edit.overlay import Overlay
from filewright.edit.source import Source
from filewright.errors import Code
from filewright.text.codec import normalize_newlines
from filewright.text.lines import count_terminators
from filewright.text.splice import Splice, join_insertions, sort_splices

_MAX_COUNTED_BYTES = 64 << 20
"""Bytes that a splice removes, past which their lines are not counted."""

_TERMINATORS = (b"\r\n", b"\n", b"\r")


@dataclass(frozen=True, slots=True, order=True)
class PendingSplice:
    """A splice of the original that is not yet joined with those of other edits.

    `side` orders insertions at one offset. It is -1 at the end of the text that the edit
    matched, 1 at its beginning, and 0 elsewhere. `turn` is the number of the edit. The
    order of the fields is the order of splices in the result.
    """

    offset: int
    end: int
    side: int
    turn: int
    replacement: bytes


@dataclass(frozen=True, slots=True)
class _LineShift:
    """Lines that a change adds, and its place among all pending splices."""

    place: tuple[int, ...]
    line_count: int


@dataclass(frozen=True, slots=True)
class _PlannedEdit:
    """An edit of the composition; its ranges are in offsets of the original."""

    outcome: EditOutcome
    spans: Sequence[ByteRange]
    changed: Sequence[ByteRange]
    shifts: Sequence[_LineShift]


class Composition:
    """The edits of a call that are planned so far, all of one original text."""

    def __init__(self, original: Source) -> None:
        self.original = original
        self._edits: list[_PlannedEdit] = []
        self._pending: list[PendingSplice] = []

    @property
    def changes_nothing(self) -> bool:
        """Return True if no edit writes anything."""
        return not self._pending

    @property
    def splices(self) -> tuple[Splice, ...]:
        """Return the splices of the original, with insertions at one offset joined."""
        return tuple(
            join_insertions(
                Splice(
                    pending.offset,
                    pending.end - pending.offset,
                    pending.replacement,
                )
                for pending in self._pending
            )
        )

    def result(self) -> Source:
        """Return the result of the edits so far, as a text to locate others in."""
        original = self.original
        overlay = Overlay(original.snapshot, self.splices)
        return Source(overlay, original.task, language=original.language)

    def add(
        self, text: Source, match: EditMatch, merge: MatchMerge
    ) -> NotLocated | None:
        """Add an edit that matches in `text`: the original, or the result of the others.

        Return a refusal if it touches what an earlier edit changes in the original.
        """
        if isinstance(text.snapshot, Overlay):
            self._add_on_result(text, text.snapshot, match, merge)
            return None
        spans = [part.span for part in match.parts]
        if self._is_made_already(spans, merge.splices):
            # A model often sends one change twice in a call. Its result is certain, so
            # it is no overlap to refuse.
            outcome = self._outcome(
                text, match, merge, changes=False, added_lines=0
            )
            self._edits.append(_PlannedEdit(outcome, spans, (), ()))
            return None
        pending = self._pending_splices(spans, merge.splices)
        changed = [ByteRange(splice.offset, splice.end) for splice in pending]
        for planned in self._edits:
            overlap = _find_overlap(spans, changed, planned)
            if overlap is not None:
                index = planned.outcome.index
                return NotLocated(
                    match.edit, Code.OVERLAP, spans=(overlap,), other=index
                )
        shifts = _line_shifts(text, pending)
        outcome = self._outcome(
            text,
            match,
            merge,
            changes=bool(merge.splices),
            added_lines=sum(shift.line_count for shift in shifts),
        )
        # A single edit keeps its splices in their own order.
        if self._edits:
            pending = _join(self.original, self._pending, pending)
        self._pending = pending
        self._edits.append(_PlannedEdit(outcome, spans, changed, shifts))
        return None

    def _add_on_result(
        self,
        text: Source,
        overlay: Overlay,
        match: EditMatch,
        merge: MatchMerge,
    ) -> None:
        """Add an edit of the result of the edits before it."""
        turn = len(self._edits)
        on_result = self._pending_splices(
            [part.span for part in match.parts], merge.splices
        )
        added_lines = sum(
            shift.line_count for shift in _line_shifts(text, on_result)
        )
        self._pending = [
            PendingSplice(
                splice.offset, splice.end, 0, turn, splice.replacement
            )
            for splice in overlay.compose(
                sort_splices(merge.splices, overlay.size)
            )
        ]
        spans: list[ByteRange] = []
        for part in match.parts:
            start = overlay.original_offset(part.span.start)
            end = overlay.original_offset(part.span.end, end=True)
            spans.append(ByteRange(start, end))
        outcome = self._outcome(
            text,
            match,
            merge,
            changes=bool(merge.splices),
            added_lines=added_lines,
        )
        shift = _LineShift((spans[0].start,), added_lines)
        self._edits.append(_PlannedEdit(outcome, spans, spans, (shift,)))

    def outcomes(self) -> tuple[EditOutcome, ...]:
        """Return the outcome of each edit, with its lines in the result of all."""
        if len(self._edits) == 1:
            return (self._edits[0].outcome,)
        return tuple(self._shifted_outcome(edit) for edit in self._edits)

    def _shifted_outcome(self, edit: _PlannedEdit) -> EditOutcome:
        """Return the outcome of an edit with its lines moved by the edits above it."""
        outcome = edit.outcome
        places = [shift.place for shift in edit.shifts]
        place = min([(edit.spans[0].start + 1,), *places])
        moved_by = 0
        for planned in self._edits:
            # The lines of an edit of the result already count the edits before it.
            is_included = (
                outcome.on_result and planned.outcome.index < outcome.index
            )
            if planned is edit or is_included:
                continue
            for shift in planned.shifts:
                if shift.place < place:
                    moved_by += shift.line_count
        return replace(
            outcome,
            new_first=outcome.first + moved_by,
            new_last=outcome.new_last + moved_by,
            notes=tuple(
                replace(note, line=note.line + moved_by)
                for note in outcome.notes
            ),
        )

    def _pending_splices(
        self, spans: Sequence[ByteRange], splices: Sequence[Splice]
    ) -> list[PendingSplice]:
        """Return the splices of an edit as pending ones."""
        turn = len(self._edits)
        pending: list[PendingSplice] = []
        for splice in splices:
            start, end, side = splice.offset, splice.end, 0
            if start == end:
                index = (
                    bisect_right(spans, start, key=lambda span: span.start) - 1
                )
                side = (start == spans[index].start) - (
                    start == spans[index].end
                )
            pending.append(
                PendingSplice(start, end, side, turn, splice.replacement)
            )
        return pending

    def _is_made_already(
        self, spans: Sequence[ByteRange], splices: Sequence[Splice]
    ) -> bool:
        """Return True if earlier edits make the very same change of a text."""
        # Two equal insertions are two: text may be repeated on purpose.
        if not self._edits or not splices or spans[0].start >= spans[-1].end:
            return False
        pending_splices = {
            Splice(
                pending.offset,
                pending.end - pending.offset,
                pending.replacement,
            )
            for pending in self._pending
        }
        return set(splices) <= pending_splices

    def _outcome(
        self,
        text: Source,
        match: EditMatch,
        merge: MatchMerge,
        *,
        changes: bool,
        added_lines: int,
    ) -> EditOutcome:
        """Return the outcome of an edit by itself."""
        edit, span = match.edit, match.span
        last = text.line_number(span.end - 1) if span.end > text.start else 0
        # An insertion may be behind a last line without a terminator.
        first = (
            text.line_number(span.start) if span.start < span.end else last + 1
        )
        places = 0
        if changes:
            places = len(match.parts) if match.is_every_occurrence else 1
        named = edit.named
        if named and match.tier is Tier.DRIFT:
            named += ", moved along since the version that was named"
        return EditOutcome(
            index=edit.number,
            tier=match.tier,
            first=first,
            last=last,
            new_first=first,
            new_last=last + added_lines,
            places=places,
            similarity=1.0
            if match.tier is Tier.EXACT
            else _similarity(text, match),
            inner=match.inner_tier,
            repairs=match.repairs,
            on_result=text is not self.original,
            note=_note_on_repetition(text, match),
            named=named,
            notes=merge.notes if changes else (),
            role=edit.role,
        )


def _line_shifts(
    text: Source, pending: Sequence[PendingSplice]
) -> list[_LineShift]:
    """Return how many lines each pending splice adds to `text`."""
    shifts: list[_LineShift] = []
    for splice in pending:
        # Line numbers of the report are not worth reading gigabytes for.
        if splice.end - splice.offset >= _MAX_COUNTED_BYTES:
            continue
        added = count_terminators(splice.replacement).total
        removed = count_terminators(text.read(splice.offset, splice.end)).total
        place = (splice.offset, splice.end, splice.side, splice.turn)
        shifts.append(_LineShift(place, added - removed))
    return shifts


def _find_overlap(
    spans: Sequence[ByteRange],
    changed: Sequence[ByteRange],
    planned: _PlannedEdit,
) -> ByteRange | None:
    """Return a change of one edit that touches the other edit, or None."""
    # Most edits of a call are far from one another.
    is_apart = (
        planned.spans[-1].end < spans[0].start
        or spans[-1].end < planned.spans[0].start
    )
    if is_apart:
        return None
    overlap = _first_change_within(changed, planned.spans)
    if overlap is not None:
        return overlap
    return _first_change_within(planned.changed, spans)


def _first_change_within(
    changes: Sequence[ByteRange], spans: Sequence[ByteRange]
) -> ByteRange | None:
    """Return the first change that overlaps a span, or None. Both are in order."""
    position = 0
    for change in changes:
        while position < len(spans) and spans[position].end < change.start:
            position += 1
        for span in spans[position : position + 2]:
            if change.start < span.end and change.end > span.start:
                return change
    return None


def _join(
    original: Source,
    earlier: Sequence[PendingSplice],
    added: Sequence[PendingSplice],
) -> list[PendingSplice]:
    """Merge the pending splices of edits that do not overlap.

    Of insertions at one offset, the one at the end of the text before it is first, and
    the one at the beginning of the text behind it is last; others are in the order of the
    edits. An insertion at the end of a file begins with a terminator if the last line has
    none. That terminator is removed if another edit ends the last line, or deletes it:
    there would be an empty line.
    """
    joined: list[PendingSplice] = []
    is_unended = original.read(original.size - 1, original.size) not in b"\r\n"
    for pending in sorted((*earlier, *added)):
        last = joined[-1] if joined else None
        if (
            last is not None
            and is_unended
            and (last in added or pending in added)
            and pending.offset == last.end == original.size
            and pending.side == 0
        ):
            before = last.replacement or original.read(
                last.offset - 1, last.offset
            )
            if before[-1:] in b"\r\n":
                pending = replace(
                    pending,
                    replacement=_without_terminator(pending.replacement),
                )
        joined.append(pending)
    return joined


def _without_terminator(text: bytes) -> bytes:
    """Return a text without the line terminator that it begins with."""
    for terminator in _TERMINATORS:
        if text.startswith(terminator):
            return text.removeprefix(terminator)
    return text


def _note_on_repetition(source: Source, match: EditMatch) -> str:
    """Return a note on an insertion of text that the file already has there, or "".

    It is no refusal: a text may be repeated on purpose.
    """
    part = match.parts[0]
    if not isinstance(part, TextPart) or match.is_every_occurrence:
        return ""
    added_chars = len(part.replace) - len(part.search)
    if added_chars <= 0:
        return ""
    # Eight bytes hold any character, and a terminator of two.
    near_bytes = 8 * added_chars
    start, end = part.span.start, part.span.end
    if part.replace.startswith(part.search):
        behind = normalize_newlines(
            source.text(source.read(end, end + near_bytes))
        )
        if behind.startswith(part.replace[-added_chars:]):
            return "the inserted text was there already, directly behind"
    if part.replace.endswith(part.search):
        before = normalize_newlines(
            source.text(source.read(start - near_bytes, start))
        )
        if before.endswith(part.replace[:added_chars]):
            return "the inserted text was there already, directly before"
    return ""


def _similarity(source: Source, match: EditMatch) -> float:
    """Return how similar the search text and the matched text are, 0 to 1."""
    similarity = 1.0
    for part in match.parts:
        if isinstance(part, LinesPart):
            texts = [source.text(row.body) for row in part.region.rows]
            similarity = min(
                similarity, line_similarity(part.search.lines, texts)
            )
    return similarity
