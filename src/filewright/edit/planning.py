"""The plan of the edits of one call, all or none: match, choose, merge, check, compose.

Each edit is located in the original (`locate`: match, then choose). An edit whose text
exists only after earlier edits is located in their result, and one whose text was there in
an earlier version that the caller was shown is carried over from it (`drift`). Then its
text is merged and checked (`merge`), and composed with the edits before it (`compose`).
A refusal is explained (`explain`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from filewright.edit.attempt import merge_readings
from filewright.edit.compose import Composition
from filewright.edit.drift import match_earlier_version
from filewright.edit.explain import explain_refusal
from filewright.edit.locate import locate
from filewright.edit.model import ByteRange, EditMatch, NotLocated, Tier
from filewright.edit.outcome import EditPlan
from filewright.edit.request import (
    Edit,
    Insertion,
    LineEdit,
    SymbolLines,
    TextEdit,
)
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid, too_many
from filewright.languages import language_of
from filewright.progress import Task
from filewright.settings import SETTINGS
from filewright.text.snapshot import Snapshot
from filewright.text.splice import require_ordered


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
    """Plan all `edits` of a file.

    `total` is the number of edits of the call, which may have edits of other files too
    and has numbered them; without it these are all, and `fuzzy` applies to each.
    `in_turn` locates every edit in the result of the edits before it only. `bases` are
    texts of the file that the caller was shown before, newest first.

    Raises the first refusal (`no_match`, `ambiguous_match`, `already_applied`,
    `stale_version`, `overlap`, `no_change`; `details["refusals"]` has all of them),
    `invalid_input`, `too_large`, `unencodable` and `is_binary`.
    """
    _require_countable(snapshot, edits, total)
    if not total:
        edits = [
            replace(edit, number=number, fuzzy=fuzzy)
            for number, edit in enumerate(edits)
        ]
    edits = _with_blank_lines(edits)
    location = snapshot.location
    language = language_of(location.name) if location else None
    source = Source(snapshot, task, language=language)
    composition = Composition(source)
    refusals: list[FilewrightError] = []
    for index, edit in enumerate(edits):
        source.task.check()
        if in_turn and index and not edit.named:
            text = composition.result()
            match = locate(text, edit)
        else:
            text, match = _locate(composition, edit, bases)
        refusal = _compose(composition, text, match)
        if refusal is not None:
            refusals.append(explain_refusal(text, refusal))
            if in_turn:
                break
    if not refusals and composition.changes_nothing:
        nothing = NotLocated(replace(edits[0], number=0), Code.NO_CHANGE)
        refusals.append(explain_refusal(source, nothing))
    if refusals:
        raise _first_refusal(snapshot, refusals, total or len(edits))
    splices = composition.splices
    require_ordered(splices, source.size)
    return EditPlan(
        tuple(source.to_file_splices(splices)), composition.outcomes()
    )


def _locate(
    composition: Composition, edit: Edit, bases: Sequence[bytes]
) -> tuple[Source, EditMatch | NotLocated]:
    """Return the place of an edit, and the text that it is in.

    The text is the original, or the result of the edits before this one.
    """
    original = composition.original
    if not isinstance(edit, TextEdit):
        base = () if edit.base is None else (edit.base,)
        carried = match_earlier_version(original, edit, base)
        return original, carried or locate(original, edit)
    match = locate(original, edit)
    place_in_result = _locate_in_result(composition, edit, match)
    if place_in_result is not None:
        return place_in_result
    return original, _prefer_earlier_version(original, edit, match, bases)


def _locate_in_result(
    composition: Composition, edit: TextEdit, match: EditMatch | NotLocated
) -> tuple[Source, EditMatch | NotLocated] | None:
    """Return the result of the earlier edits and the place of the edit in it, or None.

    The edit is located in the result if it has no place in the original (`match`), or if
    it matches only loosely in the original and exactly in the result.
    """
    if composition.changes_nothing:
        return None
    if isinstance(match, NotLocated) and match.is_missing:
        edit_of_result = edit
    elif edit.fuzzy and not _reached_only_exact(match):
        # The exact text that an earlier edit wrote is meant, not a similar one that was
        # in the file before.
        edit_of_result = replace(edit, fuzzy=False)
    else:
        return None
    result = composition.result()
    match_in_result = locate(result, edit_of_result)
    if edit_of_result is not edit:
        match_in_result = replace(match_in_result, edit=edit)
    is_ambiguous = (
        isinstance(match_in_result, NotLocated)
        and match_in_result.code is Code.AMBIGUOUS_MATCH
    )
    if isinstance(match_in_result, EditMatch) or is_ambiguous:
        return result, match_in_result
    return None


def _reached_only_exact(match: EditMatch | NotLocated) -> bool:
    """Return True if no looser tier than the exact one was tried."""
    tier = match.tier if isinstance(match, EditMatch) else match.reached
    return tier is Tier.EXACT


def _prefer_earlier_version(
    original: Source,
    edit: TextEdit,
    match: EditMatch | NotLocated,
    bases: Sequence[bytes],
) -> EditMatch | NotLocated:
    """Return the place of the edit in an earlier version if it matches more strictly there.

    Another process has then changed the text that is meant, and a similar text elsewhere
    in the file is only a twin of it.
    """
    if not edit.fuzzy or edit.end_line is not None or _is_exact_match(match):
        return match
    if isinstance(match, NotLocated) and not match.is_missing:
        return match
    tier = match.tier if isinstance(match, EditMatch) else Tier.DRIFT
    earlier = match_earlier_version(original, edit, bases, below=tier)
    if earlier is None:
        return match
    if isinstance(match, EditMatch) and isinstance(earlier, NotLocated):
        # Where whitespace alone has changed, at that very place, the loose match is
        # right.
        is_same_place = any(
            _overlaps(span, match.span) for span in earlier.spans
        )
        return match if is_same_place else earlier
    return earlier


def _is_exact_match(match: EditMatch | NotLocated) -> bool:
    """Return True for a match of exact text."""
    return isinstance(match, EditMatch) and match.tier is Tier.EXACT


def _overlaps(span: ByteRange, other_span: ByteRange) -> bool:
    """Return True if two ranges have a byte in common."""
    return span.start < other_span.end and span.end > other_span.start


def _compose(
    composition: Composition, text: Source, match: EditMatch | NotLocated
) -> NotLocated | None:
    """Merge a match, check it, and add it to the composition; return a refusal."""
    if isinstance(match, NotLocated):
        return match
    merge = merge_readings(text, match)
    if isinstance(merge, NotLocated):
        return merge
    return composition.add(text, match, merge)


def _require_countable(
    snapshot: Snapshot, edits: Sequence[Edit], total: int
) -> None:
    """Raise `invalid_input` if there are no edits, `too_large` if there are too many."""
    if not edits:
        message = f"{snapshot.requested_path}: no edits were given"
        raise invalid(message, "give at least one edit")
    max_edits = SETTINGS["max_edits"].default
    if not total and len(edits) > max_edits:
        raise too_many(
            len(edits),
            max_edits,
            f"edits of {snapshot.requested_path}",
            "send them in several calls",
        )


def _with_blank_lines(edits: Sequence[Edit]) -> list[Edit]:
    """Return the edits; those that delete symbols also delete blank lines beside them."""
    result = [*edits]
    # Lines and blank lines are counted in one version of the file.
    deletions: defaultdict[bytes | None, list[_SymbolDeletion]] = defaultdict(
        list
    )
    inserted_before: defaultdict[bytes | None, list[int]] = defaultdict(list)
    for index, edit in enumerate(edits):
        if isinstance(edit, Insertion):
            inserted_before[edit.base].append(edit.line)
        elif isinstance(edit, LineEdit) and edit.symbol is not None:
            deletions[edit.base].append(_SymbolDeletion(edit.symbol, index))
    for base, deletions_of_base in deletions.items():
        insertions = sorted(inserted_before[base])
        for run in _split_into_runs(deletions_of_base, insertions):
            for deletion, lines in zip(
                run, _lines_to_delete(run, insertions), strict=True
            ):
                edit = edits[deletion.index]
                assert isinstance(edit, LineEdit)
                result[deletion.index] = replace(
                    edit, first_line=lines.start, last_line=lines.stop - 1
                )
    return result


@dataclass(frozen=True, slots=True)
class _SymbolDeletion:
    """The deletion of a symbol, by the edit at `index` of the call."""

    symbol: SymbolLines
    index: int


def _split_into_runs(
    deletions: Sequence[_SymbolDeletion], insertions: Sequence[int]
) -> list[list[_SymbolDeletion]]:
    """Return the deletions in runs, in which only blank lines are between two symbols.

    Text that another edit inserts between them ends a run. `insertions` are the lines
    before which text is inserted, in order.
    """
    runs: list[list[_SymbolDeletion]] = []
    for deletion in sorted(deletions, key=lambda one: one.symbol.first):
        previous = runs[-1][-1].symbol if runs else None
        if (
            previous is not None
            and previous.following == deletion.symbol.first
            and not _has_number_in(
                insertions, previous.last + 1, deletion.symbol.first
            )
        ):
            runs[-1].append(deletion)
        else:
            runs.append([deletion])
    return runs


def _lines_to_delete(
    run: Sequence[_SymbolDeletion], insertions: Sequence[int]
) -> list[range]:
    """Return the lines that the deletions of a run delete, blank lines included.

    What is left are the blank lines that separate the neighbours of the run: as many as
    the one has at the edge of its block, or as separate the two from others.
    """
    first, last = run[0].symbol, run[-1].symbol
    blank_above = blank_below = 0
    top = first.first - max(0, first.before - 1)
    bottom = last.last + max(1, last.after)
    if _has_number_in(insertions, top, first.first) or _has_number_in(
        insertions, last.last + 1, bottom
    ):
        # Inserted text takes the place of the run, and needs the blank lines.
        pass
    elif last.ends_block:
        blank_above = first.before
        if first.opens_block and last.has_closing_line:
            blank_below = last.after
    elif first.opens_block:
        blank_below = last.after
    else:
        blank_below = min(first.before, last.after)
    starts = [deletion.symbol.first for deletion in run]
    starts[0] -= blank_above
    stops = [*starts[1:], last.last + 1 + blank_below]
    return [range(*edges) for edges in zip(starts, stops, strict=True)]


def _has_number_in(numbers: Sequence[int], first: int, last: int) -> bool:
    """Return True if one of the numbers, which are in order, is in [first, last]."""
    index = bisect_left(numbers, first)
    return index < len(numbers) and numbers[index] <= last


def _first_refusal(
    snapshot: Snapshot, refusals: Sequence[FilewrightError], edit_count: int
) -> FilewrightError:
    """Return the first refusal, with the details of all."""
    error = refusals[0]
    number = ""
    if edit_count > 1:
        number = f" edit {error.details['edit'] + 1} of {edit_count}:"
    error.summary = f"{snapshot.requested_path}:{number} {error.summary}"
    error.details = {
        "path": snapshot.requested_path,
        **error.details,
        "refusals": [refusal.details for refusal in refusals],
    }
    return error
