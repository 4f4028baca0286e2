"""Plans of the files of a replacement, and refusals of items that overlap in one."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from filewright.boundary.location import Location
from filewright.edit.changeset import FilePlan
from filewright.edit.replacements import (
    ReplaceOutcome,
    replace_matches,
)
from filewright.edit.row_values import set_values
from filewright.edit.text_plan import to_file_plan
from filewright.errors import (
    Code,
    FilewrightError,
    path_error,
    too_many,
)
from filewright.search.matches import find_matches
from filewright.text.common_ends import common_prefix, common_suffix
from filewright.text.snapshot import Snapshot
from filewright.text.splice import PackedSplices, Splice
from filewright.tools.batch import naming_item
from filewright.tools.binary_files import require_plain
from filewright.tools.context import Context
from filewright.tools.replace.findings import ReplaceFindings
from filewright.tools.replace.items import ReplaceItem
from filewright.tools.syntax_filter import anchor_span
from filewright.wording import pluralize

MAX_COMPARED_MATCHES = 5_000
"""The matches of an item that are compared to find which item to leave out."""

MAX_MATCHES = 1_000_000
"""The replacements in one file by all items; more would need too much memory."""


def plan_files(
    context: Context,
    items: Sequence[ReplaceItem],
    targets: dict[Location, list[int]],
    findings: ReplaceFindings,
) -> Iterator[FilePlan[ReplaceOutcome]]:
    """Yield the plan of every file that changes, and collect the findings.

    Each target is taken out of `targets` when its turn comes.
    """
    locations = sorted(
        targets,
        key=lambda location: (location.root.index, location.parts),
        reverse=True,
    )
    results: dict[ReplaceOutcome, ReplaceOutcome] = {}
    while locations:
        location = locations.pop()
        indexes = targets.pop(location)
        path = location.display_path
        if not location.spelling:
            # There may be 100,000 files, and one text names a file in all that is kept.
            location = location.spelled(path)
        is_named = any(item.location == location for item in items)
        snapshot = _open_target(context, location, is_named=is_named)
        if snapshot is None:
            continue
        with snapshot:
            try:
                require_plain(snapshot)
                outcome = _replace_in_file(
                    context, snapshot, items, indexes, findings
                )
            except FilewrightError as error:
                is_left_out = error.code in (Code.IS_BINARY, Code.UNSUPPORTED)
                if not is_left_out or is_named:
                    raise
                findings.is_checked = False
                findings.notes.append(
                    f"{path} is not editable text and was left out"
                    if error.code is Code.IS_BINARY
                    else f"{error.message}, and was left out"
                )
                continue
            if outcome.count:
                findings.by_file[path] = outcome.count
            findings.left_words.add_file(
                snapshot,
                outcome.splices,
                [item.replaced_name for item in items],
                context.task,
            )
            if outcome.splices:
                context.boundary.require_writable(location)
                findings.add_kinds(snapshot, outcome.splices)
                findings.add_unusual(snapshot, outcome.splices, outcome.unusual)
                findings.check_result(
                    snapshot,
                    outcome.splices,
                    [items[index] for index in indexes],
                    context.task,
                )
                plan = to_file_plan(snapshot, outcome)
                # The step has the splices now, and no answer shows them. Most
                # files then have the same outcome, of which there may be 100,000.
                result = replace(outcome, splices=())
                result = results.setdefault(result, result)
                yield replace(plan, result=result)


def _open_target(
    context: Context, location: Location, *, is_named: bool
) -> Snapshot | None:
    """Open a file that the caller named, or one that was found in a folder.

    Return None if the second does not exist any more.
    """
    if is_named:
        context.boundary.require_writable(location)
        return context.open_page(location, headings=False, text=True)
    snapshot = context.searcher.open(location, context.task)
    if not isinstance(snapshot, Snapshot):
        return None
    # The searcher opens files with the settings of the workspace.
    snapshot.settings = context.settings
    return snapshot


def _replace_in_file(
    context: Context,
    snapshot: Snapshot,
    items: Sequence[ReplaceItem],
    indexes: Sequence[int],
    findings: ReplaceFindings,
) -> ReplaceOutcome:
    """Return the replacements of some items in a file; all search the file as it was."""
    outcomes: dict[int, ReplaceOutcome] = {}
    count = 0
    for index in indexes:
        item = items[index]
        with naming_item(index, len(items)):
            if item.row_change is not None:
                outcome = set_values(snapshot, item.row_change, context.task)
                findings.row_count += outcome.count
            else:
                outcome = replace_matches(
                    snapshot,
                    item.pattern,
                    item.replacement,
                    selection=item.selection,
                    task=context.task,
                )
        findings.notes += outcome.notes
        findings.value_count += outcome.value_count
        findings.unchanged_count += outcome.unchanged
        outcomes[index] = outcome
        count += outcome.count
        findings.by_item[index] += outcome.count
        if count > MAX_MATCHES:
            raise too_many(
                count,
                MAX_MATCHES,
                f"matches in {snapshot.requested_path}",
                "make the patterns narrower",
            )
    if len(outcomes) == 1:
        (outcome,) = outcomes.values()
        return outcome
    unchanged = sum(outcome.unchanged for outcome in outcomes.values())
    try:
        splices = PackedSplices.pack(_merge(snapshot, outcomes))
    except _OverlapError as overlap:
        raise _refuse_overlap(
            context, snapshot, items, findings.files_by_item, overlap
        ) from None
    unusual: list[tuple[int, int]] = []
    for outcome in outcomes.values():
        unusual += outcome.unusual
    return ReplaceOutcome(count, unchanged, splices, unusual=tuple(unusual))


def _merge(
    snapshot: Snapshot, outcomes: Mapping[int, ReplaceOutcome]
) -> Iterator[Splice]:
    """Yield the splices of several items in order.

    Of two changes of which one makes the other too, only that one is made. Raise
    `_OverlapError` if two change the same text in different ways.
    """
    last: Splice | None = None
    for splice in heapq.merge(
        *(outcome.splices for outcome in outcomes.values())
    ):
        if last is None:
            last = splice
        elif not _overlap(last, splice):
            yield last
            last = splice
        elif _makes(snapshot, last, splice):
            continue
        elif _makes(snapshot, splice, last):
            last = splice
        else:
            indexes = [
                index
                for index, outcome in outcomes.items()
                if last in outcome.splices or splice in outcome.splices
            ]
            raise _OverlapError(tuple(indexes), splice.offset)
    if last is not None:
        yield last


def _overlap(first: Splice, second: Splice) -> bool:
    """Return True if two splices, in order, change the same text or insert at one place."""
    inserts_there = first.offset == second.offset == second.end
    return second.offset < first.end or inserts_there


def _makes(snapshot: Snapshot, splice: Splice, other: Splice) -> bool:
    """Return True if a splice makes the change of another one too.

    `f(1)` to `g(1, k)` makes `f` to `g`. An insertion is never part of another change:
    both may be meant.
    """
    core = _trim(snapshot, other)
    is_within = splice.offset <= core.offset and core.end <= splice.end
    if not core.length or not is_within:
        return False
    old = snapshot.read(splice.offset, splice.length)
    start, end = core.offset - splice.offset, core.end - splice.offset
    # The byte behind the other one shows that its new text ends there.
    behind = other.end - splice.offset
    common_text = old[:start] + core.replacement + old[end : behind + 1]
    if behind < len(old):
        return splice.replacement.startswith(common_text)
    return splice.replacement == common_text


def _trim(snapshot: Snapshot, splice: Splice) -> Splice:
    """Return a splice without the bytes at its ends that it keeps."""
    old = snapshot.read(splice.offset, splice.length)
    new = splice.replacement
    start = common_prefix(old, new)
    end = common_suffix(old, new, min(len(old), len(new)) - start)
    return Splice(
        splice.offset + start,
        len(old) - start - end,
        new[start : len(new) - end],
    )


class _OverlapError(Exception):
    """Two items that change the same text of a file, at an offset."""

    def __init__(self, indexes: tuple[int, ...], offset: int) -> None:
        super().__init__()
        self.indexes = indexes
        self.offset = offset


def _refuse_overlap(
    context: Context,
    snapshot: Snapshot,
    items: Sequence[ReplaceItem],
    files_by_item: Mapping[int, int],
    overlap: _OverlapError,
) -> FilewrightError:
    """Return the error of items that change the same text, with a hint on what to do."""
    numbers = [index + 1 for index in overlap.indexes]
    path = snapshot.requested_path
    line = snapshot.lines.line_at(overlap.offset)
    hint = (
        "narrow one of them (whole_word, glob, a longer pattern), or send one "
        "in a later call"
    )
    if len(numbers) == 2:
        spans = {
            index: _find_spans(context, snapshot, items[index])
            for index in overlap.indexes
        }
        # An item that matches in fewer files is likely to be the narrower one.
        ordered = sorted(
            overlap.indexes, key=lambda index: files_by_item[index]
        )
        for inner, outer in (ordered, ordered[::-1]):
            if _all_touch(spans[inner], spans[outer]):
                matches = pluralize(len(spans[inner]), "match")
                hint = (
                    f"send item {outer + 1} in a later call: it matches at "
                    f"the {matches} of item {inner + 1} in this file too"
                )
                break
    joined = " and ".join(map(str, numbers))
    return path_error(
        Code.OVERLAP,
        path,
        f"items {joined} overlap at line {line} of {path}",
        hint,
    )


def _find_spans(
    context: Context, snapshot: Snapshot, item: ReplaceItem
) -> list[tuple[int, int]]:
    """Return the ranges of the matches of an item, without what is in their holes."""
    spans = []
    matches = find_matches(snapshot, item.pattern, task=context.task)
    for match in islice(matches, MAX_COMPARED_MATCHES):
        is_code = item.pattern.code is not None
        spans.append(anchor_span(match, is_code_pattern=is_code))
    return spans


def _all_touch(
    spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]
) -> bool:
    """Return True if every span has a part in common with one of the others.

    Both are in order of their starts.
    """
    index = 0
    for start, end in spans:
        while index < len(others) and others[index][1] <= start:
            index += 1
        if index == len(others) or others[index][0] >= end:
            return False
    return bool(spans)
