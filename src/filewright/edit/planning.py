"""Several edits of one call, all or nothing: from edits to the splices of one change.

Each edit is located on the original; one whose text exists only after earlier edits is located on
their result. An edit may share unchanged context with another, but what one changes no other may
touch.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from filewright.edit.explain import explain_refusal
from filewright.edit.locate import locate
from filewright.edit.matchers.drift import match_earlier_version
from filewright.edit.merge import merge_match
from filewright.edit.model import (
    AmbiguousWriteError,
    ByteRange,
    EditMatch,
    LinesPart,
    NotLocated,
    TextPart,
    Tier,
)
from filewright.edit.nearest import line_similarity
from filewright.edit.notes import Note
from filewright.edit.overlay import Overlay
from filewright.edit.request import Edit, SymbolLines
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid, too_many
from filewright.languages import language_of
from filewright.progress import Task
from filewright.settings import SETTINGS
from filewright.text.codec import normalised
from filewright.text.lines import terminators_in
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, ordered, require_ordered

_COUNTED = 64 << 20


@dataclass(frozen=True, slots=True)
class EditOutcome:
    """What became of edit number `index` (0-based).

    Lines are 1-based and inclusive, a `last` before its `first` is no line: `first`, `last` where
    the edit was found, `new_first`, `new_last` in the result. `places` is how many places changed;
    `on_result` that it was located on the result of the edits before it; `note` what a reader should know, and `notes`
    what the lines of the result hold that looks like damage.
    """

    index: int
    tier: Tier
    first: int
    last: int
    new_first: int
    new_last: int
    places: int
    similarity: float = 1.0
    inner: Tier | None = None
    repairs: tuple[str, ...] = ()
    on_result: bool = False
    note: str = ""
    named: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def text(self) -> str:
        """One line for a reader."""
        where = (
            f"lines {self.first}-{self.last}"
            if self.last > self.first
            else f"line {self.first}"
        )
        if self.places > 1:
            where = f"{self.places} places from line {self.first}"
        parts = [
            f"edit {self.index + 1}: {where}, {self.named or f'found by {self.tier}'}"
        ]
        if self.named:
            return parts[0] + ("" if self.places else ", changes nothing")
        if self.inner is not None and self.inner is not self.tier:
            parts.append(f"({self.inner})")
        if self.repairs:
            parts.append(f"after we {' and '.join(self.repairs)}")
        if self.similarity < 1:
            parts.append(f"{self.similarity:.1%} alike")
        if self.on_result:
            parts.append("on the result of the edits before it")
        if not self.places:
            parts.append("changes nothing")
        return " ".join(parts) + (f"; {self.note}" if self.note else "")

    def data(self) -> dict[str, Any]:
        """The outcome as plain values."""
        return {
            "edit": self.index,
            "tier": str(self.tier),
            "inner_tier": self.inner and str(self.inner),
            "line_number": self.first,
            "lines_before": [self.first, self.last],
            "lines_after": [self.new_first, self.new_last],
            "places": self.places,
            "similarity": round(self.similarity, 4),
            "repairs": list(self.repairs),
            "on_result": self.on_result,
            "note": self.note or None,
            "notes": [{"line": note.line, "text": note.text} for note in self.notes],
        }


@dataclass(frozen=True, slots=True)
class EditPlan:
    """The splices of a call, in order, and what became of each edit."""

    splices: tuple[Splice, ...]
    outcomes: tuple[EditOutcome, ...]


class _Placed(NamedTuple):
    """What became of an edit as it was located, its spans and changed stretches in offsets of the original.

    `shifts` are (where among what all put, lines more) of what it changes.
    """

    outcome: EditOutcome
    spans: Sequence[ByteRange]
    changed: Sequence[ByteRange]
    shifts: Sequence[tuple[tuple[int, ...], int]]


class _Put(NamedTuple):
    """What goes at [offset, end) of the original, in the order in which it comes there.

    An insertion is at the end (`side` -1) or the beginning (1) of the text that its edit was found at; 0: there is
    none. `turn` counts the edits.
    """

    offset: int
    end: int
    side: int
    turn: int
    new: bytes


def _with_blank_lines(
    edits: list[Edit], going: Sequence[tuple[SymbolLines, int]]
) -> None:
    """Make the edits of symbols that are `going` take the blank lines below, or above where no text follows then."""
    ends: set[int | None] = {None}
    for symbol, at in sorted(going, key=lambda each: each[0].first, reverse=True):
        if symbol.following in ends:
            ends.add(symbol.first)
            edits[at] = replace(edits[at], start_line=symbol.first - symbol.before)
        else:
            edits[at] = replace(edits[at], end_line=symbol.last + symbol.between)


def plan_edits(
    snapshot: Snapshot,
    edits: Sequence[Edit],
    *,
    total: int = 0,
    fuzzy: bool = True,
    in_turn: bool = False,
    bases: Sequence[bytes] = (),
    task: Task | None = None,
) -> EditPlan:
    """The splices that make all `edits` of the file.

    `total` edits are in their call, which has numbered and counted them, as it may have edits of other files too; else
    these are all of it, and `fuzzy` is meant of each. `in_turn` locates every edit on the result of those before it
    alone. `bases` are texts the caller was shown of it before, newest first. Raises the first edit's refusal
    (`no_match`, `ambiguous_match`, `already_applied`, `stale_version`, `overlap`, `no_change`; all of them are in
    `details["refusals"]`), `invalid_input`, `too_large`, `unencodable`, `is_binary`.
    """
    name, location = snapshot.asked, snapshot.location
    most = SETTINGS["max_edits"].default
    if not edits:
        raise invalid(f"{name}: no edits were given", "give one edit at least")
    if not total and len(edits) > most:
        raise too_many(
            len(edits), most, f"edits of {name}", "send them in several calls"
        )
    given: list[Edit] = []
    going: list[tuple[SymbolLines, int]] = []
    for at, edit in enumerate(edits):
        given.append(edit if total else replace(edit, number=at, fuzzy=fuzzy))
        if edit.symbol is not None:
            going.append((edit.symbol, at))
    if going:
        _with_blank_lines(given, going)
    source = Source(
        snapshot, task, language=language_of(location.name) if location else None
    )
    placed: list[_Placed] = []
    puts: list[_Put] = []
    refusals: list[FilewrightError] = []
    for at, edit in enumerate(given):
        source.task.check()
        text, found = _located(source, puts, edit, bases, in_turn=in_turn and at > 0)
        taken = (
            _taken(source, text, placed, puts, found)
            if isinstance(found, EditMatch)
            else found
        )
        if not isinstance(taken, NotLocated):
            one, puts = taken
            placed.append(one)
            continue
        refusals.append(explain_refusal(text, taken))
        if in_turn:
            break
    if not refusals and not puts:
        refusals.append(
            explain_refusal(
                source, NotLocated(replace(given[0], number=0), Code.NO_CHANGE)
            )
        )
    if refusals:
        error, calls = refusals[0], total or len(edits)
        which = "" if calls == 1 else f" edit {error.details['edit'] + 1} of {calls}:"
        error.message = f"{name}:{which} {error.message}"
        error.details = {
            "path": name,
            **error.details,
            "refusals": [one.details for one in refusals],
        }
        raise error
    splices = _as_one(puts)
    require_ordered(splices, source.size)
    outcomes = _outcomes(placed) if len(placed) > 1 else (placed[0].outcome,)
    return EditPlan(tuple(source.to_file_splices(splices)), outcomes)


def _located(
    source: Source,
    puts: Sequence[_Put],
    edit: Edit,
    bases: Sequence[bytes],
    *,
    in_turn: bool,
) -> tuple[Source, EditMatch | NotLocated]:
    """Where an edit goes, and in which text: in the original, or in the result of the edits before it."""
    if edit.named:
        return source, match_earlier_version(
            source, edit, () if edit.base is None else [edit.base]
        ) or locate(source, edit)
    found = (
        NotLocated(edit, Code.NO_MATCH, Tier.EXACT) if in_turn else locate(source, edit)
    )
    is_exact = (
        found.tier if isinstance(found, EditMatch) else found.reached
    ) is Tier.EXACT
    nowhere = isinstance(found, NotLocated) and found.code is Code.NO_MATCH
    if puts and edit.fuzzy and not (is_exact or nowhere or in_turn):
        # A text that occurs exactly on the result of earlier edits is that, and none that is like it in the file.
        result = Source(
            Overlay(source.snapshot, _as_one(puts)),
            source.task,
            language=source.language,
        )
        there = locate(result, replace(edit, fuzzy=False))
        if isinstance(there, EditMatch):
            return result, replace(there, edit=edit)
        if there.code is Code.AMBIGUOUS_MATCH:
            return result, replace(there, edit=edit)
    if nowhere and (in_turn or puts):
        result = Source(
            Overlay(source.snapshot, _as_one(puts)),
            source.task,
            language=source.language,
        )
        there = locate(result, edit)
        if (
            in_turn
            or isinstance(there, EditMatch)
            or there.code is Code.AMBIGUOUS_MATCH
        ):
            return result, there
    tier = found.tier if isinstance(found, EditMatch) else Tier.DRIFT
    if (
        tier is Tier.EXACT
        or not (nowhere or isinstance(found, EditMatch))
        or not edit.fuzzy
        or edit.end_line is not None
    ):
        return source, found
    # A loose match, unless the text was there more strictly when it was shown: then someone has changed it,
    # and what is alike elsewhere is a twin. Where whitespace alone changed, at that very place, it is right.
    drifted = match_earlier_version(source, edit, bases, below=tier)
    if (
        isinstance(found, EditMatch)
        and isinstance(drifted, NotLocated)
        and any(
            span.start < found.span.end and span.end > found.span.start
            for span in drifted.spans
        )
    ):
        return source, found
    return source, drifted or found


def _taken(
    source: Source,
    text: Source,
    placed: Sequence[_Placed],
    before: list[_Put],
    located: EditMatch,
) -> tuple[_Placed, list[_Put]] | NotLocated:
    """A located edit and what all put with it, unless it touches what an earlier one changes in the original."""
    edit = located.edit
    try:
        written = merge_match(text, located)
    except AmbiguousWriteError as why:
        return NotLocated(edit, why.code, located.tier, (located.span,), unclear=why)
    splices: Sequence[Splice] = written.splices
    spans = [part.span for part in located.parts]
    begin, stop = spans[0].start, spans[-1].end
    overlay = text.snapshot
    together = before
    turn = len(placed)
    puts: list[_Put] = []
    changed: list[ByteRange] = []
    shifts: list[tuple[tuple[int, ...], int]] = []
    more = 0
    for splice in splices:
        start, end, side = splice.offset, splice.end, 0
        if start == end:
            beside = spans[bisect_right(spans, start, key=lambda one: one.start) - 1]
            side = (start == beside.start) - (start == beside.end)
        puts.append(_Put(start, end, side, turn, splice.replacement))
        changed.append(ByteRange(start, end))
        if splice.length < _COUNTED:
            lines = (
                terminators_in(splice.replacement).total
                - terminators_in(text.read(start, end)).total
            )
            shifts.append(((start, end, side, turn), lines))
            more += lines
    if isinstance(overlay, Overlay):
        composed = overlay.compose(ordered(splices, overlay.size))
        together = [
            _Put(each.offset, each.end, 0, turn, each.replacement) for each in composed
        ]
        spans = [
            ByteRange(
                overlay.original_offset(span.start),
                overlay.original_offset(span.end, end=True),
            )
            for span in spans
        ]
        changed, shifts = spans, [((spans[0].start,), more)]
    elif not placed:
        together = puts
    elif (
        splices
        and begin < stop
        and set(splices)
        <= {Splice(put.offset, put.end - put.offset, put.new) for put in before}
    ):
        # An earlier edit makes the very same change of a text: there is one result, whoever makes it.
        splices, changed, shifts, more = (), [], [], 0
    else:
        for other in placed:
            if (
                other.spans[-1].end < spans[0].start
                or spans[-1].end < other.spans[0].start
            ):
                continue
            touched = _touching(changed, other.spans) or _touching(other.changed, spans)
            if touched is not None:
                return NotLocated(
                    edit, Code.OVERLAP, spans=(touched,), other=other.outcome.index
                )
        together = _joined(source, before, puts)
    # An insertion may be behind a last line without an end.
    last = text.line_number(stop - 1) if stop > text.start else 0
    first = text.line_number(begin) if begin < stop else last + 1
    named = edit.named
    if named and located.tier is Tier.DRIFT:
        named += ", carried on from the version that was named"
    outcome = EditOutcome(
        edit.number,
        located.tier,
        first,
        last,
        first,
        last + more,
        (len(located.parts) if edit.replace_all else 1) if splices else 0,
        1.0 if located.tier is Tier.EXACT else _similarity(text, located),
        located.inner,
        located.repairs,
        text is not source,
        _follows(text, located),
        named,
        written.notes if splices else (),
    )
    return _Placed(outcome, spans, changed, shifts), together


def _outcomes(placed: Sequence[_Placed]) -> tuple[EditOutcome, ...]:
    """What became of each of several edits, with the lines of the final result."""
    result: list[EditOutcome] = []
    for own, spans, _, shifts in placed:
        shift = 0
        begin = min([(spans[0].start + 1,), *(at for at, _ in shifts)])
        for other in placed:
            if other.outcome is own or (
                own.on_result and other.outcome.index < own.index
            ):
                continue
            for at, more in other.shifts:
                shift += more if at < begin else 0
        notes = tuple(replace(note, line=note.line + shift) for note in own.notes)
        result.append(
            replace(
                own,
                new_first=own.first + shift,
                new_last=own.new_last + shift,
                notes=notes,
            )
        )
    return tuple(result)


def _follows(source: Source, located: EditMatch) -> str:
    """A note on an insertion of text that is there already."""
    part = located.parts[0]
    if not isinstance(part, TextPart) or located.edit.replace_all:
        return ""
    span, new, more = part.span, part.replace, len(part.replace) - len(part.search)
    near = 8 * more
    if more > 0 and new.startswith(part.search):
        there = normalised(source.text(source.read(span.end, span.end + near)))
        if there.startswith(new[-more:]):
            return "the text that it puts in is there already, right behind"
    if more > 0 and new.endswith(part.search):
        there = normalised(source.text(source.read(span.start - near, span.start)))
        if there.endswith(new[:more]):
            return "the text that it puts in is there already, right before"
    return ""


def _touching(
    changed: Sequence[ByteRange], spans: Sequence[ByteRange]
) -> ByteRange | None:
    """The first changed stretch that lies in or cuts into one of the spans (both in order)."""
    at = 0
    for one in changed:
        while at < len(spans) and spans[at].end < one.start:
            at += 1
        for span in spans[at : at + 2]:
            if one.start < span.end and one.end > span.start:
                return one
    return None


def _joined(source: Source, before: Sequence[_Put], more: Sequence[_Put]) -> list[_Put]:
    """What edits put that touch nothing of each other, as one.

    Of insertions at one offset the one that belongs to the text before it is first, and the one that belongs to the
    text after it last; others follow each other in the order of the edits. What is put at the end brings an end for a
    last line without one, which it has not to bring where that line has got one, or is deleted.
    """
    result: list[_Put] = []
    ends = b"\r\n"
    unended = source.read(source.size - 1, source.size) not in ends
    for put in sorted((*before, *more)):
        last = result[-1] if result else None
        if (
            last is not None
            and unended
            and (put.offset, put.side) == (last.end, 0) == (source.size, 0)
            and (last in more or put in more)
            and (last.new[-1:] or source.read(last.offset - 1, last.offset)) in ends
        ):
            end = next(
                (end for end in (ends, b"\n", b"\r") if put.new.startswith(end)), b""
            )
            put = put._replace(new=put.new.removeprefix(end))
        result.append(put)
    return result


def _as_one(puts: Sequence[_Put]) -> tuple[Splice, ...]:
    """The splices of the original, of which those that insert at one offset are one."""
    result: list[Splice] = []
    for put in puts:
        last = result[-1] if result else None
        if last is not None and last.end == last.offset == put.end:
            result[-1] = Splice(put.offset, 0, last.replacement + put.new)
        else:
            result.append(Splice(put.offset, put.end - put.offset, put.new))
    return tuple(result)


def _similarity(source: Source, located: EditMatch) -> float:
    """How alike the text asked for and the text found are, 0 to 1; 1.0 if nothing was looked past."""
    least = 1.0
    for part in located.parts:
        if isinstance(part, LinesPart):
            there = [source.text(row.body) for row in part.region.rows]
            least = min(least, line_similarity(part.search.lines, there))
    return least
