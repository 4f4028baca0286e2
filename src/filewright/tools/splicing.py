"""One file changed by splices: opened, planned, committed, told; done again if the file moved on.

The shape shared by the tools that are not listed natively and serve the dialects: a list of files in,
each changed or refused on its own, a result per file in order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from filewright.boundary import Location
from filewright.changes import ChangeRecord
from filewright.edit import diff
from filewright.edit.changeset import ChangeSet, Expected, Modify
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot, Splice
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.registry import ToolResult
from filewright.tools.rendering import clip
from filewright.tools.retrying import until_settled

T = TypeVar("T")
I = TypeVar("I")


@dataclass(frozen=True, slots=True)
class Planned(Generic[T]):
    """The ordered splices of a file and whatever the tool wants to tell of them."""

    splices: tuple[Splice, ...]
    told: T


@dataclass(frozen=True, slots=True)
class Spliced(Generic[T]):
    """What became of a file; `record` is None in a preview and where nothing was to be changed."""

    told: T
    location: Location
    record: ChangeRecord | None
    diff: str
    warning: str

    def data(self) -> dict[str, Any]:
        """The facts every tool tells, as plain values."""
        return {
            "path": self.location.shown,
            "change_id": self.record.id if self.record is not None else None,
            "diff": self.diff,
            "syntax_warning": self.warning or None,
        }


def splice_file(
    context: Context,
    tool: str,
    path: str,
    plan: Callable[[Snapshot], Planned[T]],
    task: Task,
    *,
    preview: bool = False,
) -> Spliced[T]:
    """Change the text file at `path` as `plan` says of its snapshot. Raises what either raises."""
    location = context.boundary.locate(path)
    return until_settled(
        context,
        lambda: _attempt(context, tool, location, plan, task, preview=preview),
        writes=not preview,
        task=task,
    )


def _attempt(
    context: Context,
    tool: str,
    location: Location,
    plan: Callable[[Snapshot], Planned[T]],
    task: Task,
    *,
    preview: bool,
) -> Spliced[T]:
    with context.open_for_edit(location) as snapshot:
        planned = plan(snapshot)
        splices = planned.splices
        if not splices:
            return Spliced(planned.told, location, None, "", "")
        shown = diff.unified(
            location.shown, location.shown, snapshot, splices, max_lines=context.settings.diff_lines
        )
        warning = syntax.compared(context, snapshot, splices, task)
        record = None
        if not preview:
            encoding = snapshot.encoding
            matters = encoding.sampled and any(not splice.replacement.isascii() for splice in splices)
            step = Modify(
                location, Expected.of(snapshot), splices, encoding.name if matters else None, follow=True
            )
            record = context.changes.commit(
                ChangeSet.of(
                    tool,
                    clip(f"{tool}: {location.shown}", 200),
                    [step],
                    break_hard_links=hard_links_broken(context, None),
                ),
                task=task,
            )
        return Spliced(planned.told, location, record, shown.text, warning)


def each(
    context: Context, items: Sequence[I], name: Callable[[I], str], change: Callable[[I], dict[str, Any]]
) -> ToolResult:
    """`change` of every item, failures told with their item; the call fails only if every item failed."""
    limit = context.settings.max_items
    if len(items) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{len(items):,} items in one call; the limit is {limit:,}",
            hint="send them in several calls",
            details={"count": len(items), "limit": limit},
        )
    results: list[dict[str, Any]] = []
    for item in items:
        try:
            results.append({"path": name(item), **change(item)})
        except FilewrightError as error:
            if error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            results.append({"path": name(item), "error": dict(ToolResult.of_error(error).data)})
    failures = [result for result in results if "error" in result]
    text = "\n".join(
        f"{result['path']}: {result['error']['message'] if 'error' in result else 'done'}"
        for result in results
    )
    everything = len(failures) == len(results)
    code = str(failures[0]["error"]["code"]) if everything and failures else None
    return ToolResult(clip(text, context.settings.page_chars), {"results": results}, everything, code)
