"""`replace_content`: patterns over a file or a tree, as one change.

`plan_and_commit` is the page: find the files, plan each of them, check the counts, and
commit unless this is a preview.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from filewright.edit.overlay import Overlay
from filewright.edit.replacements import (
    Replacement,
    ReplaceOutcome,
    replace_matches,
)
from filewright.errors import (
    Code,
    FilewrightError,
    invalid,
)
from filewright.search.pattern import Pattern
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools.batch import naming_item
from filewright.tools.context import Context
from filewright.tools.pipeline import (
    Change,
    change_text,
    commit_change,
    plan_change,
    retry_stale_plan,
)
from filewright.tools.previews import find_diff_view
from filewright.tools.replace.arguments import ReplaceArguments
from filewright.tools.replace.file_plan import plan_files
from filewright.tools.replace.findings import (
    MAX_KINDS,
    MAX_PLAIN_KINDS,
    ReplaceFindings,
)
from filewright.tools.replace.items import (
    ReplaceItem,
    compile_items,
    is_of_rows,
)
from filewright.tools.replace.rendering import render_replacements
from filewright.tools.replace.targets import find_other_spellings, find_targets
from filewright.tools.result import ChangeResult, optional
from filewright.tools.row_reasons import explain_no_row
from filewright.tools.search.result import MatchedFile
from filewright.tools.tool import Tool
from filewright.wording import join_limited, pluralize

_WITHIN_LINES: Final = (
    r"a regex matches within a line unless it has \n, or (?s) before a dot"
)


@dataclass(frozen=True, kw_only=True)
class ReplaceResult(ChangeResult):
    """The replacements of a call, or of a preview: `count` matches in all, by file.

    `diff` is bounded. `item_counts` has the matches of each of several replacements.
    """

    count: int
    files: tuple[MatchedFile, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    item_counts: tuple[int, ...] = optional(())


@dataclass(frozen=True, slots=True)
class ReplaceChange:
    """The change of a call, or of a preview, and the findings of its plan."""

    change: Change[ReplaceOutcome]
    findings: ReplaceFindings


def replace_content(
    context: Context, arguments: ReplaceArguments
) -> ReplaceResult:
    """Replace every match of one pattern or of several; a preview by default."""
    items = compile_items(context, arguments)
    replaced = retry_stale_plan(
        context, partial(plan_and_commit, context, arguments, items)
    )
    change, findings = replaced.change, replaced.findings
    files = [
        MatchedFile(name, count) for name, count in findings.by_file.items()
    ]
    view = find_diff_view(
        context,
        arguments,
        change,
        outcome=str(findings.by_file),
    )
    item_counts = tuple(findings.by_item) if len(items) > 1 else ()
    return ReplaceResult(
        text=render_replacements(
            arguments, findings, change, view, context.settings.page_chars
        ),
        change_id=change.id,
        difference=change.diff,
        preview=change.id is None,
        count=findings.total,
        files=tuple(files),
        notes=tuple(findings.notes),
        item_counts=item_counts,
        warnings=change.warnings,
    )


def plan_and_commit(
    context: Context, arguments: ReplaceArguments, items: Sequence[ReplaceItem]
) -> ReplaceChange:
    """Plan all replacements, then commit them unless this is a preview."""
    is_plain = all(
        item.row_change is not None or item.pattern.mode == "literal"
        for item in items
    )
    findings = ReplaceFindings(
        by_item=[0] * len(items),
        max_kinds=MAX_PLAIN_KINDS if is_plain else MAX_KINDS,
    )
    file_plans = plan_files(
        context,
        items,
        find_targets(context, items, arguments.max_files, findings),
        findings,
    )
    change = plan_change(
        context, file_plans, is_preview=arguments.preview is True
    )
    _add_notes(context, items, findings)
    _check_counts(context, arguments, items, findings)
    if findings.total and not change.steps:
        problem = f"all {findings.total} matches equal the replacement already"
        if is_of_rows(items):
            rows = pluralize(findings.total, "row")
            problem = f"{rows} fit, and have these values already"
        raise FilewrightError(Code.NO_CHANGE, problem)
    if _is_preview(arguments, findings.total):
        return ReplaceChange(change, findings)
    replacements = join_limited([item.summary for item in items], 1)
    verb = "set" if items[0].row_change is not None else "replaced"
    file_count = len(change.diff.files)
    summary = f"{verb} {replacements} in {pluralize(file_count, 'file')}"
    change = commit_change(
        context, change, "replace_content", summary, arguments
    )
    return ReplaceChange(change, findings)


def _is_preview(arguments: ReplaceArguments, count: int) -> bool:
    """Return True unless the caller wants the replacements written."""
    if arguments.preview is True:
        return True
    if arguments.max_count is not None:
        return count > arguments.max_count
    if arguments.preview is None:
        # Any other count than the expected one is refused.
        return arguments.expected_count is None
    return False


def _add_notes(
    context: Context, items: Sequence[ReplaceItem], findings: ReplaceFindings
) -> None:
    """Add notes on text in another spelling, and on matches that `only` left out."""
    for index, item in enumerate(items):
        with naming_item(index, len(items)):
            if item.selection is None:
                findings.notes += find_other_spellings(
                    context, item, findings.by_item[index]
                )
    findings.notes += _join_syntax_notes(items)


def _check_counts(
    context: Context,
    arguments: ReplaceArguments,
    items: Sequence[ReplaceItem],
    findings: ReplaceFindings,
) -> None:
    """Raise unless every item matches, and all together as often as the caller expects."""
    if arguments.expected_count != 0:
        _require_matches(context, items, findings)
    require_expected(
        findings.by_file,
        arguments.expected_count,
        findings.notes,
        noun="row" if is_of_rows(items) else "match",
    )


def _require_matches(
    context: Context,
    items: Sequence[ReplaceItem],
    findings: ReplaceFindings,
) -> None:
    """Raise `no_match`, which names every item that matches nothing, if there is one."""
    errors: list[FilewrightError] = []
    for index, count in enumerate(findings.by_item):
        try:
            with naming_item(index, len(items)):
                _require_match(context, items[index], count, findings.notes)
        except FilewrightError as error:
            if error.code is not Code.NO_MATCH:
                raise
            errors.append(error)
    if errors:
        first, *others = errors
        first.also = tuple(error.summary for error in others)
        raise first


def _require_match(
    context: Context, item: ReplaceItem, count: int, notes: Sequence[str]
) -> None:
    """Raise `no_match` for an item that matches nothing.

    It would be lost in the sum of all items.
    """
    if count or item.selection is None:
        if item.pattern.mode == "regex" and not item.pattern.multiline:
            notes = (*notes, _WITHIN_LINES)
        require_expected({"": count}, None, notes)
        return
    reason = explain_no_row(context, item.location, item.selection)
    problem = "no row fits the conditions"
    if item.row_change is None:
        problem = "no row that fits the conditions has the pattern"
    hints = [*notes, reason] if reason else notes
    raise FilewrightError(
        Code.NO_MATCH,
        f"{problem}; nothing was changed",
        "; ".join(hints) or None,
    )


def _join_syntax_notes(items: Sequence[ReplaceItem]) -> Iterator[str]:
    """Yield the notes on what `only` left out, each once, with the items that it is of."""
    numbers_by_note: dict[str, list[str]] = {}
    for number, item in enumerate(items, 1):
        for note in item.syntax_notes:
            numbers_by_note.setdefault(note, []).append(str(number))
    for note, numbers in numbers_by_note.items():
        if len(items) == 1 or len(numbers) > 1:
            yield note
        else:
            yield f"item {numbers[0]}: {note}"


def require_expected(
    counts: Mapping[str, int],
    expected: int | None,
    notes: Iterable[str] = (),
    *,
    noun: str = "match",
) -> None:
    """Raise unless there are matches or rows, and as many as expected.

    `counts` are their numbers by file. Raise `no_match` if there are none, and
    `invalid_input` if their sum differs from `expected`.
    """
    total = sum(counts.values())
    hint = "search for it first; check case, mode and glob"
    is_row = noun == "row"
    if total == 0 and not expected:
        problem = "the pattern matches nowhere"
        if is_row:
            problem = "no row fits the conditions"
        raise FilewrightError(
            Code.NO_MATCH,
            f"{problem}; nothing was changed",
            "; ".join((*notes, hint)),
        )
    if expected is None or total == expected:
        return
    if total:
        largest = sorted(counts.items(), key=lambda item: -item[1])[:5]
        places = [f"{name}: {count}" for name, count in largest if count]
        hint = (
            f"check the preview, then give expected_count={total} "
            f"({', '.join(places)})"
        )
    count = f"the pattern matches {pluralize(total, 'time')}"
    if is_row:
        count = f"the conditions select {pluralize(total, 'row')}"
    raise invalid(
        f"{count}, not the expected {expected}; nothing was changed",
        hint,
        argument="expected_count",
        expected=expected,
        found=total,
    )


def replace_in_order(
    context: Context,
    path: str,
    replacements: Sequence[tuple[Pattern, Replacement]],
) -> Change[ReplaceOutcome]:
    """Apply each replacement to the result of the one before it, as one change."""

    def plan(snapshot: Snapshot) -> ReplaceOutcome:
        current = snapshot
        splices: tuple[Splice, ...] = ()
        count = unchanged = 0
        for pattern, replacement in replacements:
            outcome = replace_matches(
                current, pattern, replacement, task=context.task
            )
            count += outcome.count
            unchanged += outcome.unchanged
            if outcome.splices:
                splices = tuple(outcome.splices)
                # The splices are those of the file, not of the result so far.
                if isinstance(current, Overlay):
                    splices = current.compose(splices)
                current = Overlay(snapshot, splices)
        return ReplaceOutcome(count, unchanged, splices)

    return change_text(context, "replace_content", path, plan)


REPLACE_CONTENT = Tool(
    name="replace_content",
    title="Replace in many files",
    description=(
        "Replace a text (case counts; whole_word leaves and lists longer "
        "words, as a-b-c), regex ($1, ${name}; within a line unless \\n or (?s)) "
        "or code (f($$$X): also o.f, nested, over lines; no comments or strings); or "
        "set fields of CSV or JSON rows, or of a JSON file, where others fit. "
        "only: as in a search. items: several, all or none. Writes with "
        "preview=false or up to max_count matches; else previews."
    ),
    toolset="edit",
    arguments=ReplaceArguments,
    run=replace_content,
    writes=True,
    destructive=True,
    idempotent=False,
)
