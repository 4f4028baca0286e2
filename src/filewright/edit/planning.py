"""Several edits of one call, all or nothing: from edits to the splices of one change.

Each edit is located on the original; one whose text exists only after earlier edits is located on
their result. An edit may share unchanged context with another, but what one changes no other may
touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from filewright.edit.drift import find_drifted
from filewright.edit.filetext import EditSource, FileText
from filewright.edit.find import ByteRange
from filewright.edit.lastcheck import checked
from filewright.edit.lines import located_rewrite
from filewright.edit.locate.cascade import locate
from filewright.edit.locate.located import Literal, Located, Missed, UnclearError, WholeLines
from filewright.edit.locate.request import Edit, RequestLines, Rewrite, Tier
from filewright.edit.nearest import alike
from filewright.edit.overlay import Overlay
from filewright.edit.refusal import Refusal, explained, overlapping, unchanged, unclear
from filewright.errors import Code, FilewrightError
from filewright.languages import Language, language_of
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import Narrowed, Snapshot, Splice, normalised, ordered, terminators_in

_COUNTED = 64 << 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of edit number `index` (0-based).

    WholeLines are 1-based and inclusive, a `last` before its `first` is no line: `first`, `last` where
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
    """An edit with its place: spans and changed stretches in offsets of the original.

    `shifts` are (offset, lines more) of what it changes; `first` and `last` lines of the text it
    was located on.
    """

    index: int
    located: Located
    spans: tuple[ByteRange, ...]
    changed: tuple[ByteRange, ...]
    shifts: tuple[tuple[int, int], ...]
    first: int
    last: int
    places: int
    on_result: bool
    note: str


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
        if isinstance(edit, Rewrite):
            planner.add_rewrite(number, edit, fuzzy=loose[index])
        elif in_turn and index:
            planner.add_in_turn(number, edit, fuzzy=loose[index])
        else:
            planner.add(number, edit, fuzzy=loose[index])
        if in_turn and planner.refusals:
            break
    if not planner.refusals and not planner.splices:
        planner.refusals.append(unchanged())
    if planner.refusals:
        error = planner.refusals[0].error(name, total or len(edits))
        error.details["refusals"] = [refusal.data() for refusal in planner.refusals]
        raise error
    splices = ordered(planner.splices, snapshot.size)
    return Plan(splices if narrow is None else tuple(narrow.widened(splices)), planner.outcomes())


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

    def add(self, index: int, edit: Edit, *, fuzzy: bool) -> None:
        """Place one more edit, or note why it cannot be."""
        found = locate(self._source, edit, fuzzy=fuzzy)
        if isinstance(found, Missed) and found.code is Code.NO_MATCH:
            if self.splices and self._on_result(index, edit, fuzzy=fuzzy) is None:
                return
            found = self._drifted(edit, fuzzy=fuzzy) or found
        elif isinstance(found, Located) and found.tier is not Tier.EXACT:
            found = self._unless_drifted(edit, found, fuzzy=fuzzy)
        if isinstance(found, Missed):
            self.refusals.append(explained(self._source, found, index, fuzzy=fuzzy))
        else:
            self._place(index, found, fuzzy=fuzzy)

    def add_rewrite(self, index: int, edit: Rewrite, *, fuzzy: bool) -> None:
        """Place an edit that names its lines, or note why what changed since does not allow it."""
        found = located_rewrite(self._source, edit)
        if isinstance(found, Located):
            self._place(index, found, fuzzy=fuzzy)
        else:
            self.refusals.append(explained(self._source, found, index, fuzzy=False))

    def add_in_turn(self, index: int, edit: Edit, *, fuzzy: bool) -> None:
        """Place one more edit on the result of the earlier ones, whatever they touched."""
        missed = self._on_result(index, edit, fuzzy=fuzzy)
        if missed is not None:
            self.refusals.append(explained(*missed, index, fuzzy=fuzzy))

    def _drifted(self, edit: Edit, *, fuzzy: bool, below: Tier = Tier.SOFT) -> Located | Missed | None:
        if not fuzzy or not self._bases or edit.end_line is not None:
            return None
        return find_drifted(self._source, edit, self._bases, below=below)

    def _unless_drifted(self, edit: Edit, found: Located, *, fuzzy: bool) -> Located | Missed:
        """A loose match, unless the text was there more strictly when it was shown.

        Then someone has changed it, and what is alike elsewhere is a twin. Where the change is of
        whitespace alone, at that very place, the loose match is right.
        """
        drifted = self._drifted(edit, fuzzy=fuzzy, below=found.tier)
        if isinstance(drifted, Missed) and found.tier is not Tier.SOFT:
            there = any(span.start < found.end and span.end > found.start for span in drifted.spans)
            return found if there else drifted
        return drifted or found

    def _place(self, index: int, located: Located, *, fuzzy: bool) -> None:
        """Take an edit located on the original, unless it touches what an earlier one changes."""
        splices = self._written(self._source, index, located, fuzzy=fuzzy)
        if splices is None:
            return
        spans = tuple(part.span for part in located.parts)
        changed = tuple(ByteRange(splice.offset, splice.end) for splice in splices)
        if splices and set(splices) <= set(self.splices):
            # An earlier edit makes the very same change: there is one result, whoever makes it.
            self._note(index, located, self._source, (), spans, (), on_result=False)
            return
        for other in self._placed:
            touched = _touching(changed, other.spans) or _touching(other.changed, spans)
            if touched is not None:
                line = self._source.line_number(touched.start)
                self.refusals.append(overlapping(index, other.index, line))
                return
        self.splices = _joined(self.splices, splices)
        self._note(index, located, self._source, splices, spans, changed, on_result=False)

    def _written(
        self, source: FileText, index: int, located: Located, *, fuzzy: bool
    ) -> tuple[Splice, ...] | None:
        """The splices of a located edit; None if it is refused for what it would write."""
        try:
            return checked(source, located, literal=not fuzzy)
        except UnclearError as why:
            self.refusals.append(unclear(source, located, why, index))
            return None

    def _on_result(self, index: int, edit: Edit, *, fuzzy: bool) -> tuple[FileText, Missed] | None:
        """Take or refuse an edit on the result of the earlier ones; that result and the miss if it is not there."""
        result = Overlay(self._snapshot, self.splices)
        source = FileText(result, self._task, language=self._language)
        found = locate(source, edit, fuzzy=fuzzy)
        if isinstance(found, Missed):
            if found.code is not Code.AMBIGUOUS_MATCH:
                return source, found
            self.refusals.append(explained(source, found, index, fuzzy=fuzzy))
            return None
        splices = self._written(source, index, found, fuzzy=fuzzy)
        if splices is None:
            return None
        self.splices = result.composed(ordered(splices, result.size))
        spans = tuple(
            ByteRange(result.origin_of(part.span.start), result.origin_of(part.span.end, end=True))
            for part in found.parts
        )
        self._note(index, found, source, splices, spans, spans, on_result=True)
        return None

    def _note(
        self,
        index: int,
        located: Located,
        source: FileText,
        splices: tuple[Splice, ...],
        spans: tuple[ByteRange, ...],
        changed: tuple[ByteRange, ...],
        *,
        on_result: bool,
    ) -> None:
        first = source.line_number(located.start)
        last = first
        if located.end - located.start < _COUNTED:
            there = source.read(located.start, located.end)
            last += terminators_in(there).total - there.endswith((b"\n", b"\r"))
        else:
            last = source.line_number(located.end - 1)
        if located.start == located.end:
            last = first - 1
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
        places = len(located.parts) if located.edit.replace_all else 1
        self._placed.append(
            _Placed(
                index,
                located,
                spans,
                changed,
                tuple(shifts),
                first,
                last,
                places if splices else 0,
                on_result,
                _follows(source, located),
            )
        )

    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of each edit, with the lines of the final result."""
        return tuple(self._outcome(placed) for placed in self._placed)

    def _outcome(self, placed: _Placed) -> Outcome:
        shift = 0
        for other in self._placed:
            if other is placed or (placed.on_result and other.index < placed.index):
                continue
            shift += sum(more for offset, more in other.shifts if offset <= placed.spans[0].start)
        own = sum(more for _, more in placed.shifts)
        located = placed.located
        return Outcome(
            placed.index,
            located.tier,
            placed.first,
            placed.last,
            placed.first + shift,
            placed.last + shift + own,
            placed.places,
            _similarity(self._source, located),
            located.inner,
            located.repairs,
            placed.on_result,
            placed.note,
            located.named,
        )


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
