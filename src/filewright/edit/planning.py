"""Several edits of one call, all or nothing: from edits to the splices of one change.

Each edit is located on the original; one whose text exists only after earlier edits is located on
their result. An edit may share unchanged context with another, but what one changes no other may
touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from filewright.edit.drift import find_drifted
from filewright.edit.filetext import EditSource, FileText
from filewright.edit.find import ByteRange, Literal, Located, Missed, UnclearError, WholeLines
from filewright.edit.lines import located_rewrite
from filewright.edit.locate.cascade import locate
from filewright.edit.locate.request import Edit, RequestLines, Rewrite, Tier
from filewright.edit.nearest import alike
from filewright.edit.overlay import Overlay
from filewright.edit.refusal import Refusal, explained, overlapping, unchanged, unclear
from filewright.edit.write import checked
from filewright.errors import Code, FilewrightError
from filewright.languages import Language, language_of
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import Narrowed, Snapshot, Splice, normalised, ordered, terminators_in

_COUNTED = 64 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of edit number `index` (0-based).

    Lines are 1-based and inclusive, a `last` before its `first` is no line: `first`, `last` where
    the edit was found, `new_first`, `new_last` in the result. `places` is how many places changed;
    `on_result` that it was located on the result of the edits before it; `note` what a reader should know.
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

    @property
    def text(self) -> str:
        """One line for a reader."""
        where = f"lines {self.first}-{self.last}" if self.last > self.first else f"line {self.first}"
        if self.places > 1:
            where = f"{self.places} places from line {self.first}"
        parts = [f"edit {self.index + 1}: {where}, {self.named or f'found by {self.tier}'}"]
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
            "inner_tier": None if self.inner is None else str(self.inner),
            "line_number": self.first,
            "lines_before": [self.first, self.last],
            "lines_after": [self.new_first, self.new_last],
            "places": self.places,
            "similarity": round(self.similarity, 4),
            "repairs": list(self.repairs),
            "on_result": self.on_result,
            "note": self.note or None,
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """The splices of a call, in order, and what became of each edit."""

    splices: tuple[Splice, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def changes_made(self) -> int:
        """How many places change."""
        return sum(outcome.places for outcome in self.outcomes)

    @property
    def line_number(self) -> int:
        """The first line of the original that an edit was found at."""
        return min(outcome.first for outcome in self.outcomes)

    @property
    def similarity(self) -> float:
        """The lowest similarity used."""
        return min(outcome.similarity for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class _Placed:
    """What became of an edit as it was located, its spans and changed stretches in offsets of the original.

    `shifts` are (offset, lines more) of what it changes.
    """

    outcome: Outcome
    spans: tuple[ByteRange, ...]
    changed: tuple[ByteRange, ...]
    shifts: tuple[tuple[int, int], ...]


def plan(
    snapshot: EditSource,
    edits: Sequence[Edit | Rewrite],
    *,
    numbers: Sequence[int] | None = None,
    total: int = 0,
    fuzzy: bool | Sequence[bool] = True,
    in_turn: bool = False,
    bases: Sequence[bytes] = (),
    task: Task | None = None,
    asked: str | None = None,
    limit: int | None = None,
) -> Plan:
    """The splices that make all `edits` of the file.

    `numbers` are those of the edits in their call (from 0) of `total`, where it has edits of other files too.
    `fuzzy` may be given for each edit; False also writes a replacement as it is, whatever it looks like.
    `in_turn` locates every edit on the result of those before it alone. `bases` are texts the caller was
    shown of it before, newest first. `asked` names the file in errors (default: as the snapshot's
    location was asked for); `limit` is the most edits taken
    (default `settings.max_edits`). Raises the first edit's refusal (`no_match`, `ambiguous_match`,
    `already_applied`, `stale_version`, `overlap`, `no_change`; all of them are in
    `details["refusals"]`), `invalid_input`, `too_large`, `unencodable`, `is_binary`.
    """
    name = asked or str(getattr(snapshot, "asked", "the text"))
    narrow: Narrowed | None = None
    if isinstance(snapshot, Snapshot) and snapshot.encoding.width > 1:
        narrow = Narrowed.to_edit(snapshot)
        snapshot, bases = narrow.snapshot, [narrow.text(base) for base in bases]
        edits = [
            replace(edit, base=narrow.text(edit.base))
            if isinstance(edit, Rewrite) and edit.base is not None
            else edit
            for edit in edits
        ]
    most = Settings.fields["max_edits"].default if limit is None else limit
    if not edits:
        raise FilewrightError(
            Code.INVALID_INPUT, f"{name}: no edits were given", hint="give one edit at least"
        )
    if len(edits) > most:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{name}: {len(edits)} edits in one call; the limit is {most}",
            hint="send them in several calls",
            details={"count": len(edits), "limit": most},
        )
    loose = [fuzzy] * len(edits) if isinstance(fuzzy, bool) else fuzzy
    planner = _Planner(snapshot, bases, task, _language(snapshot, name))
    for index, edit in enumerate(edits):
        if task is not None:
            task.check()
        number = index if numbers is None else numbers[index]
        planner.add(number, edit, fuzzy=loose[index], in_turn=in_turn and index > 0)
        if in_turn and planner.refusals:
            break
    if not planner.refusals and not planner.splices:
        planner.refusals.append(unchanged())
    if planner.refusals:
        error = planner.refusals[0].error(name, total or len(edits))
        error.details["refusals"] = [refusal.data() for refusal in planner.refusals]
        raise error
    splices = ordered(planner.splices, snapshot.size)
    return Plan(splices if narrow is None else tuple(narrow.widened(splices)), tuple(planner.outcomes()))


class _Planner:
    def __init__(
        self, snapshot: EditSource, bases: Sequence[bytes], task: Task | None, language: Language | None
    ) -> None:
        self._snapshot = snapshot
        self._language = language
        self._source = FileText(snapshot, task, language=language)
        self._bases = bases
        self._task = task
        self._placed: list[_Placed] = []
        self.splices: tuple[Splice, ...] = ()
        self.refusals: list[Refusal] = []

    def add(self, number: int, edit: Edit | Rewrite, *, fuzzy: bool, in_turn: bool) -> None:
        """Place one more edit, or note why it cannot be."""
        source, found = self._located(edit, fuzzy=fuzzy, in_turn=in_turn)
        if isinstance(found, Missed):
            fuzzy = fuzzy and isinstance(edit, Edit)
            self.refusals.append(explained(source, found, number, fuzzy=fuzzy))
            return
        try:
            splices = checked(source, found, literal=not fuzzy)
        except UnclearError as why:
            self.refusals.append(unclear(source, found, why, number))
            return
        self._take(number, source, found, splices)

    def _located(
        self, edit: Edit | Rewrite, *, fuzzy: bool, in_turn: bool
    ) -> tuple[FileText, Located | Missed]:
        """Where an edit goes, and in which text: in the original, or in the result of the edits before it."""
        original = self._source
        if isinstance(edit, Rewrite):
            return original, located_rewrite(original, edit)
        found = Missed(edit, Code.NO_MATCH, Tier.EXACT) if in_turn else locate(original, edit, fuzzy=fuzzy)
        if isinstance(found, Missed) and found.code is Code.NO_MATCH:
            if in_turn or self.splices:
                overlay = Overlay(self._snapshot, self.splices)
                result = FileText(overlay, self._task, language=self._language)
                there = locate(result, edit, fuzzy=fuzzy)
                if in_turn or isinstance(there, Located) or there.code is Code.AMBIGUOUS_MATCH:
                    return result, there
            return original, self._drifted(edit, fuzzy=fuzzy) or found
        if isinstance(found, Located) and found.tier is not Tier.EXACT:
            # A loose match, unless the text was there more strictly when it was shown: then someone has changed it,
            # and what is alike elsewhere is a twin. Where whitespace alone changed, at that very place, it is right.
            drifted = self._drifted(edit, fuzzy=fuzzy, below=found.tier)
            start, end = found.start, found.end
            if (
                isinstance(drifted, Missed)
                and found.tier is not Tier.SOFT
                and any(span.start < end and span.end > start for span in drifted.spans)
            ):
                return original, found
            return original, drifted or found
        return original, found

    def _drifted(self, edit: Edit, *, fuzzy: bool, below: Tier = Tier.SOFT) -> Located | Missed | None:
        if not fuzzy or not self._bases or edit.end_line is not None:
            return None
        return find_drifted(self._source, edit, self._bases, below=below)

    def _take(self, number: int, source: FileText, located: Located, splices: tuple[Splice, ...]) -> None:
        """Take a located edit, unless it touches what an earlier one changes in the original."""
        spans = tuple(part.span for part in located.parts)
        changed = tuple(ByteRange(splice.offset, splice.end) for splice in splices)
        overlay = source.snapshot
        on_result = isinstance(overlay, Overlay) and source is not self._source
        if isinstance(overlay, Overlay) and on_result:
            self.splices = overlay.composed(ordered(splices, overlay.size))
            changed = spans = tuple(
                ByteRange(overlay.origin_of(span.start), overlay.origin_of(span.end, end=True))
                for span in spans
            )
        elif splices and set(splices) <= set(self.splices):
            # An earlier edit makes the very same change: there is one result, whoever makes it.
            splices = changed = ()
        else:
            for other in self._placed:
                touched = _touching(changed, other.spans) or _touching(other.changed, spans)
                if touched is not None:
                    line = self._source.line_number(touched.start)
                    self.refusals.append(overlapping(number, other.outcome.index, line))
                    return
            self.splices = _joined(self.splices, splices)
        shifts = [
            (
                splice.offset,
                terminators_in(splice.replacement).total
                - terminators_in(source.read(splice.offset, splice.end)).total,
            )
            for splice in splices
            if splice.length < _COUNTED
        ]
        if on_result:
            shifts = [(spans[0].start, sum(more for _, more in shifts))]
        first = source.line_number(located.start)
        last = source.line_number(located.end - 1) if located.start < located.end else first - 1
        outcome = Outcome(
            number,
            located.tier,
            first,
            last,
            first,
            last + sum(more for _, more in shifts),
            (len(located.parts) if located.edit.replace_all else 1) if splices else 0,
            _similarity(source, located),
            located.inner,
            located.repairs,
            on_result,
            _follows(source, located),
            located.named,
        )
        self._placed.append(_Placed(outcome, spans, changed, tuple(shifts)))

    def outcomes(self) -> Iterator[Outcome]:
        """What became of each edit, with the lines of the final result."""
        for placed in self._placed:
            outcome = placed.outcome
            shift = sum(
                more
                for other in self._placed
                if other is not placed and not (outcome.on_result and other.outcome.index < outcome.index)
                for offset, more in other.shifts
                if offset <= placed.spans[0].start
            )
            yield replace(outcome, new_first=outcome.first + shift, new_last=outcome.new_last + shift)


def _language(snapshot: EditSource, name: str) -> Language | None:
    located = getattr(getattr(snapshot, "location", None), "name", None)
    return language_of(located or name.rpartition("/")[2].encode(errors="replace"), b"")


def _follows(source: FileText, located: Located) -> str:
    """A note on an insertion of text that is there already."""
    part = located.parts[0]
    if not isinstance(part, Literal) or located.edit.replace_all or len(part.replace) <= len(part.search):
        return ""
    if part.replace.startswith(part.search):
        more = part.replace[len(part.search) :]
        there = source.read(part.span.end, part.span.end + 8 * len(more))
        if normalised(source.text(there)).startswith(more):
            return "the text that it puts in is there already, right behind"
    if part.replace.endswith(part.search):
        more = part.replace[: -len(part.search)]
        there = source.read(part.span.start - 8 * len(more), part.span.start)
        if normalised(source.text(there)).endswith(more):
            return "the text that it puts in is there already, right before"
    return ""


def _touching(changed: Sequence[ByteRange], spans: Sequence[ByteRange]) -> ByteRange | None:
    """The first changed stretch that lies in or cuts into one of the spans (both in order)."""
    at = 0
    for one in changed:
        while at < len(spans) and spans[at].end < one.start:
            at += 1
        for span in spans[at : at + 2]:
            if one.start < span.end and one.end > span.start:
                return one
    return None


def _joined(placed: tuple[Splice, ...], more: tuple[Splice, ...]) -> tuple[Splice, ...]:
    """Two ordered sets of splices that touch nothing of each other, as one.

    Insertions at one offset, one after the text before it and one before the text after it, follow
    each other in the order of the edits.
    """
    result: list[Splice] = []
    for splice in sorted((*placed, *more), key=lambda one: (one.offset, one.end)):
        last = result[-1] if result else None
        if last is not None and not splice.length and not last.length and last.offset == splice.offset:
            result[-1] = Splice(last.offset, 0, last.replacement + splice.replacement)
        else:
            result.append(splice)
    return tuple(result)


def _similarity(source: FileText, located: Located) -> float:
    """How alike the text asked for and the text found are, 0 to 1; 1.0 if nothing was looked past."""
    if located.tier is Tier.EXACT:
        return 1.0
    soft = RequestLines.of(located.edit.search).lines if located.tier is Tier.SOFT else None
    pairs = [
        (soft or part.search.lines, part.region.rows)
        for part in located.parts
        if isinstance(part, WholeLines)
    ]
    if not pairs:
        return 1.0
    return min(alike(asked, [source.text(row.body) for row in rows]) for asked, rows in pairs)
