"""Calls with several items, each with a result of its own.

With `atomic`, all items are one change: all or none. Otherwise each item is a change of
its own, a failure is reported with its item, and the call fails only if all items fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final, TypeVar

from filewright.edit.changeset import FilePlan
from filewright.edit.diff import Diff, FileDiff
from filewright.errors import Code, FilewrightError, too_many
from filewright.tools.arguments import RARE
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.context import Context
from filewright.tools.file_outcome import FileOutcome
from filewright.tools.pipeline import (
    Change,
    ChangeArguments,
    commit_change,
    plan_change,
    retry_stale_plan,
)
from filewright.tools.result import ChangeResult, optional, plain
from filewright.wording import join_limited

# Operations of items that stay as they are, which the history does not name.
_NO_OPERATIONS: Final = frozenset(["unchanged", "exists", "did not exist"])
_MAX_SUMMARY_ITEMS: Final = 3
# Characters that the rows of items leave for what follows them.
_RESERVED_CHARS: Final = 300

RequestT = TypeVar("RequestT")


@dataclass(frozen=True, slots=True)
class ItemResult:
    """The result of one item: the `operation` that was done, or an `error`.

    `destination` is the new path of an item that was moved or copied, as the caller wrote
    it; `version` is the version of a file that was written.
    """

    path: str
    operation: str = optional("")
    note: str = optional("")
    difference: FileDiff | None = optional()
    destination: str | None = optional()
    version: str | None = optional()
    hard_links: int | None = optional()
    syntax_warning: str | None = optional()
    error: FilewrightError | None = optional()

    @property
    def diff(self) -> str:
        """The diff of a file that was overwritten or appended to, git style."""
        return self.difference.text if self.difference is not None else ""

    @property
    def row(self) -> str:
        """The result as one line for a reader."""
        error = self.error
        if error is not None:
            hint = f" (hint: {error.hint})" if error.hint else ""
            return f"{self.path}: {error.code}: {error.message}{hint}"
        note = f"; {self.note}" if self.note else ""
        return f"{self.path}: {self.operation}{note}"


@dataclass(frozen=True, kw_only=True)
class BatchResult(ChangeResult):
    """The results of the items in order.

    `change_ids` has one change if the call was atomic, else one for each item that was
    done; `change_id` is the last of them.
    """

    several = "results"
    results: tuple[ItemResult, ...]
    change_ids: tuple[str, ...]

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values; a single item has its own at the top too."""
        data: dict[str, Any] = {}
        if len(self.results) == 1 and self.code is None:
            data |= plain(self.results[0])
        data["results"] = plain(self.results)
        if self.change_ids:
            data["change_id"] = self.change_id
            data["change_ids"] = [*self.change_ids]
        return data


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """The planned result of an item, with its position in the call, from 0."""

    index: int
    result: ItemResult


class BatchArguments(ChangeArguments):
    """The arguments of every tool that takes several items."""

    atomic: Annotated[bool, RARE] = True
    """all items or none; false: each on its own"""


@dataclass(frozen=True, slots=True)
class Batch:
    """A call with several items, in the words of its tool: `noun` is one of its items."""

    context: Context
    tool: str
    arguments: BatchArguments
    noun: str = "item"


@contextmanager
def naming_item(index: int, count: int) -> Iterator[None]:
    """Name the item that a raised error is about, if the call has several."""
    try:
        yield
    except FilewrightError as error:
        if count > 1:
            error.summary = f"item {index + 1} of {count}: {error.summary}"
            error.details.setdefault("item", index)
        raise


def check_count(context: Context, items: Sequence[object]) -> None:
    """Raise `too_large` for more items than one call may have."""
    max_items = context.settings.max_items
    if len(items) > max_items:
        raise too_many(
            len(items), max_items, "items", "send them in several calls"
        )


def run_batch(
    batch: Batch,
    items: Sequence[RequestT],
    plan: Callable[[Sequence[RequestT]], Iterable[FilePlan[PlannedItem]]],
    *,
    can_retry: Callable[[RequestT], bool] = lambda _item: False,
) -> BatchResult:
    """Plan and commit items, together or one by one, and return their results.

    Items for which `can_retry` is true are planned again if another process saves a file
    in between.
    """
    context, arguments = batch.context, batch.arguments
    check_count(context, items)
    max_diff_rows = context.settings.diff_lines
    results: list[ItemResult] = []
    change_ids: list[str] = []
    files: list[FileOutcome[PlannedItem]] = []
    groups = [items] if arguments.atomic else [[item] for item in items]
    for position, group in enumerate(groups):
        if not arguments.atomic:
            context.task.report(position, len(groups), batch.tool)
        plan_and_commit = partial(
            _plan_and_commit,
            batch,
            partial(plan, group),
            max_diff_rows=max_diff_rows,
        )
        try:
            # Items of one change are planned together, so one of them can forbid a retry.
            if all(can_retry(item) for item in group):
                change = retry_stale_plan(context, plan_and_commit)
            else:
                change = plan_and_commit()
        except FilewrightError as error:
            if arguments.atomic or error.ends_call:
                raise
            context.explain(error)
            results.append(ItemResult(_path_of(group[0]), error=error))
            continue
        for file in _in_order(change.files):
            files.append(file)
            results.append(_to_result(file))
        # The limit of rows is that of the call, not of each item.
        max_diff_rows -= sum(diff.row_count for diff in change.diff.files)
        if change.id is not None:
            change_ids.append(change.id)
    return _to_batch_result(batch, files, results, change_ids)


def _plan_and_commit(
    batch: Batch,
    plan: Callable[[], Iterable[FilePlan[PlannedItem]]],
    *,
    max_diff_rows: int,
) -> Change[PlannedItem]:
    """Plan items and commit them; items that need no change are no error."""
    planned = plan_change(batch.context, plan(), max_diff_rows=max_diff_rows)
    summary = _summarize(batch.tool, planned.files)
    try:
        return commit_change(
            batch.context, planned, batch.tool, summary, batch.arguments
        )
    except FilewrightError as error:
        if error.code != Code.NO_CHANGE:
            raise
        return planned


def _path_of(item: object) -> str:
    """Return the path by which the result of an item names it."""
    path = getattr(item, "path", None) or getattr(item, "source", None)
    return str(path or item)


def _in_order(
    files: Sequence[FileOutcome[PlannedItem]],
) -> list[FileOutcome[PlannedItem]]:
    """Return outcomes in the order of their items."""
    return sorted(files, key=lambda file: file.result.index)


def _to_result(file: FileOutcome[PlannedItem]) -> ItemResult:
    """Return the result of an item with the facts of its file."""
    diff = file.diff
    has_links = file.hard_links > 1 and diff is not None
    is_new = diff is not None and diff.old_name is None
    return replace(
        file.result.result,
        difference=None if is_new else diff,
        version=file.version,
        hard_links=file.hard_links if has_links else None,
        syntax_warning=file.warning or None,
    )


def _summarize(tool: str, files: Sequence[FileOutcome[PlannedItem]]) -> str:
    """Return the line of the history: which operations were done."""
    operations = []
    for file in _in_order(files):
        result = file.result.result
        if result.operation in _NO_OPERATIONS:
            continue
        # The source of a copy has no entry in the history.
        if result.operation == "copied":
            operations.append(f"copied to {result.destination}")
        else:
            operations.append(f"{result.operation} {result.path}")
    return f"{tool}: {join_limited(operations, _MAX_SUMMARY_ITEMS)}"


def _to_batch_result(
    batch: Batch,
    files: Sequence[FileOutcome[PlannedItem]],
    results: Sequence[ItemResult],
    change_ids: Sequence[str],
) -> BatchResult:
    """Return the result of a call with its text."""
    diffs = [
        result.difference for result in results if result.difference is not None
    ]
    change_id = change_ids[-1] if change_ids else None
    change = Change(tuple(files), change_id, Diff(tuple(diffs)))
    view = DiffView(mode=getattr(batch.arguments, "diff", "auto"))
    reply = ChangeReply(batch.context.settings.page_chars, change, view)
    return BatchResult(
        render_batch(reply, results, change_ids, batch.noun),
        change_id=change_id,
        difference=change.diff,
        results=tuple(results),
        change_ids=tuple(change_ids),
    )


def render_batch(
    reply: ChangeReply,
    results: Sequence[ItemResult],
    change_ids: Sequence[str],
    noun: str,
) -> str:
    """Return a line for each item, the changes, and the end of every reply."""
    rows = [result.row for result in results]
    reply.extend(rows, reserve=_RESERVED_CHARS, noun=noun)
    if len(change_ids) == 1:
        reply.add(f"[change {change_ids[0]}; undo with revert_edit]")
    elif change_ids:
        reply.add(
            f"[changes {change_ids[0]} … {change_ids[-1]}, one each; undo with "
            "revert_edit]"
        )
    reply.finish()
    return reply.text()
