"""A list in, a result per item in the same order: the shape of every tool that acts on many things.

`atomic` makes one change set of all items: all or none. Otherwise every item is a change set of its
own, failures are reported with their item, and the call fails only if every item failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from filewright.boundary import Location
from filewright.changes import ChangeRecord
from filewright.edit.changeset import ChangeSet, Step
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.context import Context
from filewright.tools.registry import ToolResult
from filewright.tools.rendering import Page, clip, visible
from filewright.tools.retrying import until_settled

I = TypeVar("I")


@dataclass
class Outcome:
    """What became of one item."""

    path: str
    operation: str = ""
    location: Location | None = None
    note: str = ""
    diff: str = ""
    error: FilewrightError | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """The same as plain values."""
        if self.error is not None:
            return {
                "path": self.path,
                "error": {
                    "code": str(self.error.code),
                    "message": self.error.message,
                    "hint": self.error.hint,
                    **self.error.details,
                },
            }
        data: dict[str, Any] = {"path": self.path, "operation": self.operation, **self.facts}
        if self.note:
            data["note"] = self.note
        if self.diff:
            data["diff"] = self.diff
        return data


@dataclass
class Planned:
    """What a group of items comes to: the steps of a change set, and an outcome for each item."""

    steps: list[Step]
    outcomes: list[Outcome]


Plan = Callable[[Sequence[I], ExitStack], Planned]


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


@dataclass(frozen=True, slots=True)
class Manner:
    """How a batch is committed: the tool's name and its arguments that all batches share."""

    tool: str
    atomic: bool = True
    break_hard_links: bool | None = None
    undoable: bool = True


def run_batch(
    context: Context, manner: Manner, items: Sequence[I], plan: Plan[I], task: Task
) -> tuple[list[Outcome], list[ChangeRecord]]:
    """Plan and commit the items in one group or one by one; the outcomes in order, the changes made."""
    limit = context.settings.max_items
    if len(items) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(items):,} items in one call; the limit is {limit:,}",
            hint="send them in several calls",
            details={"count": len(items), "limit": limit},
        )
    if manner.atomic:
        outcomes, record = _group(context, manner, items, plan, task)
        return outcomes, [record] if record is not None else []
    results: list[Outcome] = []
    records: list[ChangeRecord] = []
    for position, item in enumerate(items):
        task.report(position, len(items), manner.tool)
        try:
            outcomes, record = _group(context, manner, [item], plan, task)
        except FilewrightError as error:
            if error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            outcomes, record = [Outcome(_name(item), error=error)], None
        results += outcomes
        if record is not None:
            records.append(record)
    return results, records


def _name(item: object) -> str:
    return str(getattr(item, "path", None) or getattr(item, "source", None) or item)


def _group(
    context: Context, manner: Manner, items: Sequence[I], plan: Plan[I], task: Task
) -> tuple[list[Outcome], ChangeRecord | None]:
    # Whoever adds to a file does not mean what it held before; whoever overwrites it may.
    adds = all(
        getattr(item, "mode", None) == "append" and getattr(item, "expected_version", None) is None
        for item in items
    )
    return until_settled(
        context,
        lambda: _attempt(context, manner, items, plan, task),
        writes=True,
        again=adds,
        task=task,
    )


def _attempt(
    context: Context, manner: Manner, items: Sequence[I], plan: Plan[I], task: Task
) -> tuple[list[Outcome], ChangeRecord | None]:
    with ExitStack() as stack:
        planned = plan(items, stack)
        record = None
        if planned.steps:
            change = ChangeSet.of(
                manner.tool,
                summary(manner.tool, planned.outcomes),
                planned.steps,
                break_hard_links=hard_links_broken(context, manner.break_hard_links),
                undoable=manner.undoable,
            )
            try:
                record = context.changes.commit(change, task=task)
            except FilewrightError as error:
                if error.code != Code.NO_CHANGE:  # what is asked for is so already: no error, no change
                    raise
        return planned.outcomes, record


def hard_links_broken(context: Context, asked: bool | None) -> bool:
    """Whether a file with other names may be replaced."""
    return context.settings.break_hard_links if asked is None else asked


def summary(tool: str, outcomes: Sequence[Outcome]) -> str:
    """One line for the history: what was done to which files."""
    names = [f"{o.operation} {o.path}" for o in outcomes[:3]]
    more = f" and {len(outcomes) - 3} more" if len(outcomes) > 3 else ""
    return clip(f"{tool}: {', '.join(names)}{more}", 200)


def answer(
    context: Context, outcomes: Sequence[Outcome], records: Sequence[ChangeRecord], noun: str = "item"
) -> ToolResult:
    """A row for each item, the diffs as far as they fit, and the change's id."""
    failed = [o for o in outcomes if o.error is not None]
    page = Page(context.settings.page_chars)
    rows = [_row(o) for o in outcomes]
    left = page.extend(rows, reserve=300)
    if left:
        page.add(f"[{left} more {noun}s like these]")
    if len(records) == 1:
        page.add(f"[change {records[0].id}; undo with revert_edit]")
    elif records:
        page.add(f"[changes {records[0].id} … {records[-1].id}, one each; undo with revert_edit]")
    for outcome in outcomes:
        if outcome.diff and page.room > 300:
            page.add(*clip(outcome.diff.rstrip("\n"), page.room - 50).split("\n"))
    data: dict[str, Any] = {"results": [o.data() for o in outcomes]}
    if len(outcomes) == 1 and not failed:
        data = {**outcomes[0].data(), **data}
    if records:
        data["change_id"] = records[-1].id
        data["change_ids"] = [r.id for r in records]
    everything_failed = bool(outcomes) and len(failed) == len(outcomes)
    code = str(failed[0].error.code) if everything_failed and failed[0].error is not None else None
    return ToolResult(page.text(), data, is_error=everything_failed, code=code)


def _row(outcome: Outcome) -> str:
    name = visible(outcome.path)
    if outcome.error is not None:
        hint = f" (hint: {outcome.error.hint})" if outcome.error.hint else ""
        return f"{name}: {outcome.error.code}: {outcome.error.message}{hint}"
    version = outcome.facts.get("version")
    extra = f"; version {version}" if version else ""
    note = f"; {outcome.note}" if outcome.note else ""
    return f"{name}: {outcome.operation}{extra}{note}"
