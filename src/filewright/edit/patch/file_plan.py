"""Planning one file of a patch: its hunks as splices, and the steps that change it.

Line numbers in results and errors count from 1; those of a `HunkPlace` from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from filewright.edit.changeset import (
    Copy,
    ExpectedState,
    FilePlan,
    Modify,
    SetMode,
    Step,
)
from filewright.edit.merge import MatchMerge, merge_match
from filewright.edit.model import AmbiguousWriteError
from filewright.edit.notes import Note
from filewright.edit.patch.applied import find_places_elsewhere
from filewright.edit.patch.context import (
    ContextAbove,
    find_absent,
    find_contexts,
    find_idle_above,
)
from filewright.edit.patch.correct import find_correction
from filewright.edit.patch.explain import (
    add_other_hunks,
    already_applied_error,
    corrected_error,
    describe_done,
    explain_refusal,
    hunk_error,
    no_place_error,
)
from filewright.edit.patch.hunk_edit import to_edit_match
from filewright.edit.patch.model import (
    FilePatch,
    PatchHunk,
    PatchHunkPart,
    PatchKind,
)
from filewright.edit.patch.partial_placer import place_partly
from filewright.edit.patch.placement import (
    HunkPlace,
    NoPlace,
    to_line_numbers,
)
from filewright.edit.patch.placer import place_hunks
from filewright.edit.patch.renamed_words import find_words, rename_words
from filewright.edit.patch.targets import FileTargets, PatchTarget
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, path_error
from filewright.languages import language_of
from filewright.progress import Task
from filewright.text.declaration import encode_as_declared
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, sort_splices
from filewright.wording import limit_lines

_OPERATIONS: dict[PatchKind, str] = {
    "modify": "modified",
    "create": "created",
    "delete": "deleted",
    "rename": "renamed",
    "copy": "copied",
}
_BYTE_ORDER_MARK = "\ufeff"

MAX_EXPLAINED_HUNKS = 6
"""The refused hunks of a file for which the nearest text is searched."""


@dataclass(frozen=True, slots=True)
class HunkOutcome:
    """The place that was found for a hunk.

    `number` counts the hunks of the file from 1. `line` is the first line it covers
    (from 1), and `moved` the number of lines by which that is below the one that its
    header names (negative: above; None without a number). `tier` is the comparison that
    found it, or ``already_applied`` or ``sent_twice``. `repaired`: its counts were wrong. `notes` are
    remarks on new lines that look damaged. `renamed` says which names of
    the call are in the place of its own.
    """

    number: int
    line: int
    tier: str
    moved: int | None
    repaired: bool
    notes: tuple[Note, ...] = ()
    renamed: tuple[str, ...] = field(default=(), metadata={"optional": True})


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """The outcome of a patch for one file.

    `operation` is "modified", "created", "deleted", "renamed" or "copied". `was` is the
    name before a rename, or the file that was copied; None otherwise.
    """

    path: str
    operation: str
    was: str | None
    hunks: tuple[HunkOutcome, ...] = ()


@dataclass(frozen=True, slots=True)
class HunkRefusal:
    """A hunk that is not applied though others of its file are, and the error that says why.

    `part` is the hunk as it is to be sent again, with its line number as the applied
    hunks leave it, and with context corrected where one reading is certain.
    """

    part: PatchHunkPart
    error: FilewrightError


@dataclass(frozen=True, slots=True)
class FilePatchPlan:
    """The plan of a file, None if no hunk fits, and the hunks that are not applied."""

    plan: FilePlan[PatchedFile] | None
    refusals: tuple[HunkRefusal, ...] = ()


@dataclass(frozen=True, slots=True)
class _SplicedHunks:
    """The splices of a file's hunks, in order.

    Each hunk has an outcome, or a refusal if only the hunks that fit are applied.
    """

    splices: tuple[Splice, ...] = ()
    outcomes: tuple[HunkOutcome, ...] = ()
    refusals: tuple[HunkRefusal, ...] = ()


def plan_file(
    targets: FileTargets,
    before: Snapshot | None,
    task: Task,
    *,
    is_partial: bool,
    words: Mapping[str, str] = MappingProxyType({}),
) -> FilePatchPlan:
    """Return the plan of a file whose content is `before`, None if it is created.

    Hunks that are applied already are passed over. With `is_partial`, of a file that is
    only modified those that do not fit are refused alone. Otherwise one hunk refuses
    the file. `words` are names that the file may have in the place of those of the
    patch. Raise `is_binary`, `patch_failed`, `already_applied`, or `unencodable` for
    new lines that the file's encoding lacks.
    """
    if before is None or targets.old is None:
        return FilePatchPlan(_plan_new_file(targets))
    file = targets.file
    spliced = _splice_hunks(
        file, before, task, is_partial=is_partial, words=words
    )
    if spliced.refusals and not (is_partial and spliced.splices):
        return FilePatchPlan(None, spliced.refusals)
    if file.kind == "delete":
        plan = _plan_deletion(targets, targets.old, before, spliced)
    else:
        plan = _plan_change(targets, targets.old, before, spliced)
    return FilePatchPlan(plan, spliced.refusals)


def fits_file(file: FilePatch, snapshot: Snapshot, task: Task) -> bool:
    """Return True if all hunks of a file have a place in a snapshot."""
    try:
        spliced = _splice_hunks(file, snapshot, task, is_partial=False)
    except FilewrightError as error:
        if error.ends_call:
            raise
        return False
    is_passed_over = any(
        outcome.tier == "already_applied" for outcome in spliced.outcomes
    )
    return not spliced.refusals and not is_passed_over


def _plan_new_file(targets: FileTargets) -> FilePlan[PatchedFile]:
    file, location = targets.file, targets.location
    content = b""
    for hunk in file.hunks:
        for line, line_end in zip(hunk.lines.new, hunk.lines.ends, strict=True):
            content += line.encode() + line_end
    # A new file may declare its encoding itself, as Python, XML and HTML do.
    content = encode_as_declared(content, location.name, argument="patch")
    result = PatchedFile(location.display_path, _OPERATIONS[file.kind], None)
    mode = 0o755 if _is_executable(file) else None
    return FilePlan.for_new_file(result, location, content, mode)


def _plan_deletion(
    targets: FileTargets,
    old: PatchTarget,
    before: Snapshot,
    spliced: _SplicedHunks,
) -> FilePlan[PatchedFile]:
    file, location = targets.file, targets.location
    remaining = before.size
    for splice in spliced.splices:
        remaining += len(splice.replacement) - splice.length
    # The patch was made from an older file: lines that came since would be lost.
    if file.must_be_empty and remaining > len(before.encoding.bom):
        raise path_error(
            Code.PATCH_FAILED,
            file.path,
            f"the patch deletes {file.path} but leaves {remaining} bytes of its text",
            "read the file again; the deletion must remove every line",
            left=remaining,
            reason="not_empty",
        )
    result = PatchedFile(
        location.display_path, _OPERATIONS[file.kind], None, spliced.outcomes
    )
    plan = FilePlan(
        result,
        location,
        steps=(),
        before=before,
        old_name=old.location.display_path,
        mode_before=old.mode,
    )
    return plan.with_deletion()


def _plan_change(
    targets: FileTargets,
    old: PatchTarget,
    before: Snapshot,
    spliced: _SplicedHunks,
) -> FilePlan[PatchedFile]:
    file, location = targets.file, targets.location
    old_name, is_copy = old.location.display_path, file.kind == "copy"
    # A file is renamed last: its steps name it by its old location until then.
    changed_location = location if is_copy else old.location
    steps: list[Step] = []
    if is_copy:
        steps.append(Copy(old.location, location))
    if spliced.splices:
        step = Modify.from_snapshot(changed_location, before, spliced.splices)
        if is_copy:
            # A copy is another file than the one that was read, with equal content.
            expected = ExpectedState(before.size, None, before.digest())
            step = replace(step, expected=expected)
        steps.append(step)
    new_mode = _find_new_mode(file, old.mode)
    is_mode_changed = new_mode != old.mode
    if is_mode_changed:
        steps.append(SetMode(changed_location, f"{new_mode:o}"))
    plan = FilePlan(
        PatchedFile(
            location.display_path,
            _OPERATIONS[file.kind],
            old_name if file.kind in ("rename", "copy") else None,
            spliced.outcomes,
        ),
        changed_location,
        steps,
        before,
        spliced.splices,
        old_name,
        changed_location.display_path,
        mode_before=old.mode if is_mode_changed else None,
        mode_after=new_mode if is_mode_changed else None,
        is_copy=is_copy,
    )
    return plan.with_move(location) if file.kind == "rename" else plan


def _is_executable(file: FilePatch) -> bool | None:
    """Return True or False as the patch says, or None if it says nothing."""
    if file.new_mode is None:
        return None
    return bool(file.new_mode & 0o100)


def _find_new_mode(file: FilePatch, mode: int | None) -> int | None:
    """Return the permission bits after the patch, by the bits `mode` before it.

    git stores 644 or 755 only, so that a patch says no more than whether the file is
    executable. All other bits stay: a file with 600 does not become readable for all.
    """
    is_executable = _is_executable(file)
    if mode is None or is_executable is None:
        return mode
    # All who may read the file may execute it, as when git sets 755 for 644.
    if is_executable:
        return mode | (mode & 0o444) >> 2
    return mode & ~0o111


# The hunks of a file


def _splice_hunks(
    file: FilePatch,
    snapshot: Snapshot,
    task: Task,
    *,
    is_partial: bool,
    words: Mapping[str, str] = MappingProxyType({}),
) -> _SplicedHunks:
    """Return the splices of a file's hunks, and the refusals of those without a place.

    Hunks that are applied already are passed over: with `is_partial` all of them,
    otherwise those of which that is certain. A hunk that is not in the file is looked
    for with `words` replaced.
    """
    if not file.hunks:
        return _SplicedHunks()
    if snapshot.binary_type is not None:
        raise path_error(
            Code.IS_BINARY,
            file.path,
            f"{file.path} is not text a patch can change",
            "change it with another tool",
            type=snapshot.binary_type,
        )
    removes_mark = False
    if snapshot.encoding.bom:
        removes_mark = _removes_byte_order_mark(file.hunks[0])
        file = _without_byte_order_mark(file)
    language = (
        language_of(snapshot.location.name) if snapshot.location else None
    )
    source = Source(snapshot, task, language=language)
    contexts = find_contexts(file.hunks, file.idle_hunks, source)
    hunk_places: Sequence[HunkPlace | NoPlace] = place_hunks(
        file.hunks, source, contexts
    )
    renamed_hunks: Mapping[int, Mapping[str, str]] = {}
    if words and isinstance(hunk_places[-1], NoPlace):
        renamed_hunks = _find_words_to_rename(file, source, contexts, words)
        hunks = tuple(
            rename_words(hunk, renamed_hunks.get(hunk.number, {}))
            for hunk in file.hunks
        )
        file = replace(file, hunks=hunks)
        hunk_places = place_hunks(hunks, source, contexts)
    if isinstance(hunk_places[-1], NoPlace):
        hunk_places = _place_partly(
            file, source, contexts, hunk_places, is_partial=is_partial
        )
    if file.idle_hunks:
        _check_idle_hunks(file, source)

    if not is_partial:
        refusals = _refuse_unplaced(file, source, hunk_places)
        if refusals:
            return _SplicedHunks(refusals=refusals)
    spliced = _write_hunks(file, source, hunk_places)
    spliced = _mark_renamed(spliced, renamed_hunks)
    splices = [*spliced.splices]
    # UTF-16 would be no text without its byte-order mark.
    can_remove_mark = snapshot.encoding.unit_bytes == 1 and source.start > 0
    if removes_mark and can_remove_mark and spliced.outcomes[0].line == 1:
        splices.insert(0, Splice(0, source.start, b""))
    file_splices = source.to_file_splices(sort_splices(splices, source.size))
    return replace(spliced, splices=tuple(file_splices))


def _find_words_to_rename(
    file: FilePatch,
    source: Source,
    contexts: Mapping[int, ContextAbove],
    words: Mapping[str, str],
) -> Mapping[int, Mapping[str, str]]:
    """Return the names to replace, by the number of the hunk that is not in the file."""
    words_by_hunk: dict[int, Mapping[str, str]] = {}
    outcomes = place_partly(file.hunks, source, contexts)
    for hunk, outcome in zip(file.hunks, outcomes, strict=True):
        if isinstance(outcome, NoPlace) and outcome.reason == "no_match":
            hunk_words = find_words(hunk)
            used_words = {
                old: new for old, new in words.items() if old in hunk_words
            }
            if used_words:
                words_by_hunk[hunk.number] = used_words
    return words_by_hunk


def _mark_renamed(
    spliced: _SplicedHunks,
    renamed_hunks: Mapping[int, Mapping[str, str]],
) -> _SplicedHunks:
    """Return spliced hunks whose outcomes tell the names that replaced their own.

    `renamed_hunks` are the names by the number of the hunk.
    """
    outcomes: list[HunkOutcome] = []
    for outcome in spliced.outcomes:
        words = renamed_hunks.get(outcome.number, {})
        names = tuple(f"{new} for {old}" for old, new in words.items())
        outcomes.append(replace(outcome, renamed=names))
    return replace(spliced, outcomes=tuple(outcomes))


def _check_idle_hunks(file: FilePatch, source: Source) -> None:
    """Raise `patch_failed` if the context of a hunk without changes is not in the file.

    The patch then expects another file than this one, and its other hunks may fit by
    chance.
    """
    absent_hunk = find_absent(file.idle_hunks, source)
    if absent_hunk is not None:
        raise explain_refusal(file, source, absent_hunk, NoPlace("no_match"))


def _write_hunks(
    file: FilePatch,
    source: Source,
    places: Sequence[HunkPlace | NoPlace],
) -> _SplicedHunks:
    """Return the splices of hunks at their places, in the text of `source`.

    A hunk that has no place, or cannot be written there, has a refusal. Those that are
    applied already are passed over.
    """
    has_returns = any(
        b"\r" in end for hunk in file.hunks for end in hunk.lines.ends
    )
    splices: list[Splice] = []
    outcomes: list[HunkOutcome] = []
    refusals: list[HunkRefusal] = []
    # Notes have line numbers of the file as it is after the hunks before, and a refused
    # hunk is sent again against that file.
    line_shift = 0
    for hunk, place in zip(file.hunks, places, strict=True):
        added_lines = len(hunk.lines.new) - len(hunk.lines.old)
        if isinstance(place, NoPlace):
            if not place.is_done:
                refusals.append(
                    _refuse_hunk(file, source, hunk, place, line_shift)
                )
                continue
            outcomes.append(
                HunkOutcome(
                    hunk.number,
                    line=place.lines[0],
                    tier=place.reason,
                    moved=None,
                    repaired=hunk.has_wrong_counts,
                )
            )
            if place.reason == "already_applied":
                line_shift += added_lines
            continue
        try:
            merge = _merge_hunk(
                file, source, hunk, place, has_returns=has_returns
            )
        except FilewrightError as error:
            if error.ends_call:
                raise
            refusals.append(HunkRefusal(PatchHunkPart(hunk, line_shift), error))
            continue
        splices += merge.splices
        outcomes.append(
            HunkOutcome(
                hunk.number,
                line=place.start + 1,
                tier=str(place.tier),
                moved=None
                if hunk.start is None
                else place.start - hunk.start_index,
                repaired=hunk.has_wrong_counts,
                notes=tuple(
                    replace(note, line=note.line + line_shift)
                    for note in merge.notes
                ),
            )
        )
        line_shift += added_lines
    if refusals and file.idle_hunks:
        refusals = _with_idle_hunks(file, refusals)
    if refusals and not splices:
        # No row of the answer names the hunks of a file that is not changed.
        for outcome in outcomes:
            description = describe_done(outcome.tier, outcome.line)
            refusals[
                0
            ].error.summary += f"\nhunk {outcome.number} {description}"
    return _SplicedHunks(tuple(splices), tuple(outcomes), tuple(refusals))


def _refuse_unplaced(
    file: FilePatch, source: Source, places: Sequence[HunkPlace | NoPlace]
) -> tuple[HunkRefusal, ...]:
    """Return the refusals of hunks without a place that are not certainly applied.

    The first of them show the nearest text, which takes a search of the file.
    """
    refusals: list[HunkRefusal] = []
    done_hunks: list[str] = []
    for hunk, place in zip(file.hunks, places, strict=True):
        if isinstance(place, HunkPlace):
            continue
        if _is_certainly_applied(hunk, place):
            description = describe_done(place.reason, place.lines[0])
            done_hunks.append(f"hunk {hunk.number} {description}")
        elif len(refusals) < MAX_EXPLAINED_HUNKS:
            error = explain_refusal(file, source, hunk, place)
            refusals.append(HunkRefusal(PatchHunkPart(hunk), error))
        else:
            error = no_place_error(file, hunk, place)
            refusals.append(HunkRefusal(PatchHunkPart(hunk), error))
    if refusals and done_hunks:
        rows = limit_lines(done_hunks, MAX_EXPLAINED_HUNKS, noun="hunk")
        refusals[-1].error.summary += "\n" + "\n".join(rows)
    return tuple(refusals)


def _with_idle_hunks(
    file: FilePatch, refusals: Sequence[HunkRefusal]
) -> list[HunkRefusal]:
    """Return refusals whose parts have the hunks that show where they belong."""
    refused_lines = {refusal.part.hunk.patch_line for refusal in refusals}
    changed_hunks = [
        hunk for hunk in file.hunks if hunk.patch_line not in refused_lines
    ]
    result: list[HunkRefusal] = []
    for refusal in refusals:
        part = refusal.part
        above = find_idle_above(part.hunk, file, changed_hunks)
        result.append(replace(refusal, part=replace(part, above=above)))
    return result


def _merge_hunk(
    file: FilePatch,
    source: Source,
    hunk: PatchHunk,
    place: HunkPlace,
    *,
    has_returns: bool,
) -> MatchMerge:
    """Return what a hunk writes at its place; raise `patch_failed` if that is unclear."""
    match = to_edit_match(source, hunk, place, has_returns=has_returns)
    try:
        return merge_match(source, match)
    except AmbiguousWriteError as error:
        raise _ambiguous_write_error(file, hunk, place, error) from error


def _refuse_hunk(
    file: FilePatch,
    source: Source,
    hunk: PatchHunk,
    place: NoPlace,
    line_shift: int,
) -> HunkRefusal:
    """Return the refusal of a hunk without a place, corrected if that is certain."""
    if place.reason == "no_match":
        correction = find_correction(hunk, source)
        if correction is not None:
            return HunkRefusal(
                PatchHunkPart(hunk, line_shift, correction.context),
                corrected_error(file, hunk, correction, line_shift),
            )
    error = explain_refusal(file, source, hunk, place)
    return HunkRefusal(PatchHunkPart(hunk, line_shift), error)


def _removes_byte_order_mark(hunk: PatchHunk) -> bool:
    """Return True if a hunk removes the file's byte-order mark.

    git shows that as a changed first line: the mark is in the old one only.
    """
    has_old_mark = any(
        line.startswith(_BYTE_ORDER_MARK) for line in hunk.lines.old
    )
    has_new_mark = any(
        line.startswith(_BYTE_ORDER_MARK) for line in hunk.lines.new
    )
    return has_old_mark and not has_new_mark


def _without_byte_order_mark(file: FilePatch) -> FilePatch:
    """Return a file whose first hunk does not have the byte-order mark in its lines.

    diff and git write the mark before the first line. The text of a `Source` begins
    behind it, so the line would not be found.
    """
    first, *others = file.hunks
    lines = replace(
        first.lines,
        old=tuple(
            line.removeprefix(_BYTE_ORDER_MARK) for line in first.lines.old
        ),
        new=tuple(
            line.removeprefix(_BYTE_ORDER_MARK) for line in first.lines.new
        ),
    )
    return replace(file, hunks=(replace(first, lines=lines), *others))


def _ambiguous_write_error(
    file: FilePatch,
    hunk: PatchHunk,
    place: HunkPlace,
    error: AmbiguousWriteError,
) -> FilewrightError:
    """Return the error for a hunk that has a place, but could be written in two ways."""
    hint = (
        "make the hunk again from the text of the file: its line number, "
        "indentation and characters"
    )
    if error.code == Code.INVALID_INPUT:
        hint = "send the omitted lines too"
    problem = (
        f"fits at line {place.start + 1} (tier {place.tier}), but "
        f"{error.message}"
    )
    return hunk_error(file, hunk, problem, hint, "unclear")


def _place_partly(
    file: FilePatch,
    source: Source,
    contexts: Mapping[int, ContextAbove],
    places: Sequence[HunkPlace | NoPlace],
    *,
    is_partial: bool,
) -> Sequence[HunkPlace | NoPlace]:
    """Return the places of all hunks, of a file that does not have one for all of them.

    The last of `places` is the refusal of the first hunk without one. With `is_partial`,
    a file that is not only modified is refused as a whole.

    Raise `already_applied` if the results of all hunks are in the file. Its cause is the
    error of a hunk, unless each result proves that the hunk was applied.
    """
    failed_hunk = len(places) - 1
    last_place = places[-1]
    assert isinstance(last_place, NoPlace)
    outcomes = place_partly(file.hunks, source, contexts)
    if not is_partial and not _may_be_applied(last_place):
        # The numbers alone leave the hunk without a place, and anchors are less.
        outcomes[failed_hunk] = last_place
    if not any(isinstance(outcome, NoPlace) for outcome in outcomes):
        # What is left without a place by the numbers alone has one by the anchors.
        return outcomes
    failed = outcomes[failed_hunk]
    if not is_partial and isinstance(failed, NoPlace) and not failed.is_done:
        outcomes[failed_hunk] = last_place
    reported = _find_reported_hunk(outcomes)
    assert reported is not None
    reported_hunk, refusal = reported
    if refusal.is_done and not any(
        isinstance(outcome, HunkPlace) for outcome in outcomes
    ):
        error = explain_refusal(
            file, source, file.hunks[reported_hunk], refusal
        )
        error.summary += f"\n{file.path} has all of its changes already"
        facts: dict[str, object] = {
            "path": file.path,
            "line": refusal.lines[0],
        }
        applied_starts: list[int] = []
        for outcome in outcomes:
            assert isinstance(outcome, NoPlace)
            applied_starts.append(outcome.lines[0] - 1)
        elsewhere = find_places_elsewhere(file.hunks, source, applied_starts)
        if elsewhere:
            facts["elsewhere"] = list(to_line_numbers(elsewhere))
        applied_error = already_applied_error([facts])
        if _are_certainly_applied(file, outcomes):
            raise applied_error
        raise applied_error from error
    if is_partial and file.kind != "modify" and not refusal.is_done:
        error = explain_refusal(
            file, source, file.hunks[reported_hunk], refusal
        )
        if len(file.hunks) > 1:
            add_other_hunks(error, file, source, outcomes, reported_hunk)
        raise error
    return outcomes


def _may_be_applied(place: NoPlace) -> bool:
    """Return False for a reason that a hunk does not have if it was applied."""
    return place.reason in ("no_match", "already_applied", "order", "doubtful")


def _are_certainly_applied(
    file: FilePatch, places: Sequence[HunkPlace | NoPlace]
) -> bool:
    """Return True if each hunk is certain to be applied already."""
    return all(
        isinstance(place, NoPlace) and _is_certainly_applied(hunk, place)
        for hunk, place in zip(file.hunks, places, strict=True)
    )


def _is_certainly_applied(hunk: PatchHunk, place: NoPlace) -> bool:
    """Return True if a hunk may be passed over though the caller asked for all hunks.

    Its old lines are gone, or its new lines are between lines of its context: those at
    an edge may be wanted twice.
    """
    if place.reason != "already_applied":
        return False
    signs = hunk.lines.signs
    return "-" in signs or signs[0] == signs[-1] == " "


def _find_reported_hunk(
    outcomes: Sequence[HunkPlace | NoPlace],
) -> tuple[int, NoPlace] | None:
    """Return the index and the `NoPlace` of the hunk that the error is about, or None.

    It is the first that fails. One that is applied already is chosen only if no other
    fails, because there is nothing to correct in it.
    """
    applied: tuple[int, NoPlace] | None = None
    for index, outcome in enumerate(outcomes):
        if not isinstance(outcome, NoPlace):
            continue
        if not outcome.is_done:
            return index, outcome
        applied = applied or (index, outcome)
    return applied
