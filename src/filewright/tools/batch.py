"""A list in, a result per item in the same order: the shape of every tool that acts on many things.

`atomic` makes one change set of all items: all or none. Otherwise every item is a change set of its
own, failures are reported with their item, and the call fails only if every item failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from filewright.changes import ChangeRecord
from filewright.edit import Diff, FileDiff
from filewright.errors import Code, FilewrightError
from filewright.tools.context import Context
from filewright.tools.pipeline import Change, Changed, Decided, change
from filewright.tools.result import ChangeResult, Page, optional, plain
from filewright.visible import visible
from filewright.wording import listed

I = TypeVar("I")


@dataclass(frozen=True, slots=True)
class ItemResult:
    """What became of one item: the `operation` that was done, or the `error` that refused it.

    `destination` is where a thing was moved or copied to, as given; `version` the token of what was written.
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
        """The diff of what was overwritten or added to, git style."""
        return self.difference.text if self.difference is not None else ""

    @property
    def row(self) -> str:
        """One line for a reader."""
        name = visible(self.path)
        if self.error is not None:
            hint = f" (hint: {self.error.hint})" if self.error.hint else ""
            return f"{name}: {self.error.code}: {self.error.message}{hint}"
        version = f"; version {self.version}" if self.version else ""
        warning = f"warning: {self.syntax_warning}" if self.syntax_warning else ""
        notes = "".join(f"; {note}" for note in (self.note, warning) if note)
        return f"{name}: {self.operation}{version}{notes}"


@dataclass(frozen=True, kw_only=True)
class BatchResult(ChangeResult):
    """The items' results in order; `change_ids` has one change if atomic, else one for each item done.

    `change_id` is the last of `change_ids`.
    """

    results: tuple[ItemResult, ...]
    change_ids: tuple[str, ...]

    @property
    def data(self) -> dict[str, Any]:
        """The results; of a single item its own facts too."""
        only = self.results[0] if len(self.results) == 1 and self.code is None else None
        made = {**(plain(only) if only is not None else {}), "results": plain(self.results)}
        if self.change_ids:
            made |= {"change_id": self.change_id, "change_ids": [*self.change_ids]}
        return made

    @property
    def code(self) -> Code | None:
        """That of the first item if every item failed."""
        errors = [result.error for result in self.results if result.error is not None]
        return errors[0].code if errors and len(errors) == len(self.results) else None


Item = tuple[int, ItemResult]
"""What became of an item, with its place in the call."""

Planner = Callable[[Sequence[I]], Iterable[Decided[Item]]]
"""Decides, for a group of items, what is to be done for each."""


@contextmanager
def item_named(index: int, count: int) -> Iterator[None]:
    """Errors inside name which of several items they are about."""
    try:
        yield
    except FilewrightError as error:
        if count > 1:
            error.message = f"item {index + 1} of {count}: {error.message}"
            error.details.setdefault("item", index)
        raise


def run_batch(
    context: Context,
    tool: str,
    items: Sequence[I],
    plan: Planner[I],
    *,
    atomic: bool,
    noun: str = "item",
    diff: str = "auto",
    break_hard_links: bool | None = None,
    undoable: bool = True,
) -> BatchResult:
    """Plan and commit the items, together or one by one, and answer for each in order."""
    check_count(context, items)

    left = context.settings.diff_lines

    def run(group: Sequence[I]) -> Change[Item]:
        # Whoever adds to a file does not mean what it held before; whoever overwrites it may.
        adds = all(
            getattr(item, "mode", None) == "append" and getattr(item, "expected_version", None) is None
            for item in group
        )
        return change(
            context,
            tool,
            lambda: plan(group),
            summary=partial(_summary, tool),
            again=adds,
            unchanged=True,
            max_lines=left,
            break_hard_links=break_hard_links,
            undoable=undoable,
        )

    if atomic:
        made = run(items)
        results = [_result(file) for file in sorted(made.files, key=lambda file: file.decision[0])]
        return _answer(context, results, [made.record] if made.record is not None else [], noun, diff)
    results = []
    records = []
    for position, item in enumerate(items):
        context.task.report(position, len(items), tool)
        try:
            made = run([item])
        except FilewrightError as error:
            if error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            name = str(getattr(item, "path", None) or getattr(item, "source", None) or item)
            results.append(ItemResult(name, error=error))
            continue
        results += map(_result, made.files)
        left -= sum(file.diff.rows for file in made.files if file.diff is not None)
        if made.record is not None:
            records.append(made.record)
    return _answer(context, results, records, noun, diff)


def _result(file: Changed[Item]) -> ItemResult:
    """The result of an item with what was found out of its file."""
    _, result = file.decision
    return replace(
        result,
        difference=file.diff if file.diff is not None and file.diff.old is not None else None,
        version=file.version,
        hard_links=file.hard_links if file.hard_links > 1 and file.diff is not None else None,
        syntax_warning=file.warning or None,
    )


_NOTHING_DONE = frozenset({"unchanged", "exists", "was not there"})
"""What is said of items that are as they were."""


def check_count(context: Context, items: Sequence[object]) -> None:
    """Raise `too_large` for more items than one call may have."""
    limit = context.settings.max_items
    if len(items) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(items):,} items in one call; the limit is {limit:,}",
            "send them in several calls",
            count=len(items),
            limit=limit,
        )


def _summary(tool: str, files: Sequence[Changed[Item]]) -> str:
    """One line for the history: what was done to which files; names none that it has no entry of."""
    results = [result for _, result in sorted((file.decision for file in files), key=lambda item: item[0])]
    done = [result for result in results if result.operation not in _NOTHING_DONE]
    return f"{tool}: {listed([f'{each.operation} {_changed(each)}' for each in done], 3)}"


def _changed(result: ItemResult) -> str:
    """The path that an item changed."""
    return f"to {result.destination}" if result.operation == "copied" else result.path


def _answer(
    context: Context, results: Sequence[ItemResult], records: Sequence[ChangeRecord], noun: str, diff: str
) -> BatchResult:
    """A row for each item, the diffs as far as they fit, and the change's id."""
    page = Page(context.settings.page_chars)
    left = page.extend((result.row for result in results), reserve=300)
    if left:
        page.add(f"[{left} more {noun}s like these]")
    if len(records) == 1:
        page.add(f"[change {records[0].id}; undo with revert_edit]")
    elif records:
        page.add(f"[changes {records[0].id} … {records[-1].id}, one each; undo with revert_edit]")
    shown = Diff(tuple(result.difference for result in results if result.difference is not None))
    page.add_change(shown, diff, records[-1].id if records else None)
    return BatchResult(
        page.text(),
        change_id=records[-1].id if records else None,
        difference=shown,
        results=tuple(results),
        change_ids=tuple(record.id for record in records),
    )
