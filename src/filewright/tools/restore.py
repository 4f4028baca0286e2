"""One file brought back entirely to what it was before one of its changes; not listed natively."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from filewright.boundary import Location
from filewright.changes import ChangeRecord
from filewright.edit.changeset import Copy, Move, Step
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.context import Context
from filewright.tools.registry import ToolResult

_MOST = 1000


@dataclass(frozen=True, slots=True)
class Restoring:
    """The file, and the change before which it was as it is to be again; None: its newest change."""

    path: str
    change_id: str | None = None


def restore_file(context: Context, arguments: Restoring, task: Task) -> ToolResult:
    """Give a file the content it had before a change; what it holds now is kept as a change.

    `data`: `restored`, `made` and `states`, newest first, each `change_id`, `time`, `size` (in bytes,
    before that change; None: the file was not there). Raises `not_found` without such a change,
    `no_change`, and what a commit raises.
    """
    location = context.boundary.locate(arguments.path)
    with context.changes.writing(task):
        records = context.changes.history(location=location, limit=_MOST)
        record = _chosen(records, arguments)
        made, _ = context.changes.undo(
            record.id,
            force=True,
            only=lambda change: replace(change, steps=_of_one(change.steps, location)),
            task=task,
        )
    states = [_state(context, each, location) for each in [made, *records]]
    data = {
        "restored": _state(context, record, location),
        "made": states[0],
        "states": states,
        "change_id": made.id,
    }
    return ToolResult(f"{arguments.path} is as it was before change {record.id}; change {made.id}", data)


def _chosen(records: list[ChangeRecord], arguments: Restoring) -> ChangeRecord:
    if not records:
        raise FilewrightError(
            Code.NOT_FOUND,
            f"no change of {arguments.path} is recorded",
            hint="only what was changed through this workspace can be brought back",
            details={"path": arguments.path, "available": []},
        )
    if arguments.change_id is None:
        return records[0]
    for record in records:
        if record.id == arguments.change_id:
            return record
    known = [record.id for record in records[:20]]
    raise FilewrightError(
        Code.NOT_FOUND,
        f"{arguments.path} has no backup {arguments.change_id}",
        hint=f"there are: {', '.join(known)}",
        details={"path": arguments.path, "available": known},
    )


def _of_one(steps: tuple[Step, ...], location: Location) -> tuple[Step, ...]:
    """The steps about this file; all of them where things are moved, which belong together."""
    if any(isinstance(step, (Move, Copy)) for step in steps):
        return steps
    return tuple(step for step in steps if getattr(step, "location", None) == location) or steps


def _state(context: Context, record: ChangeRecord, location: Location) -> dict[str, Any]:
    entry = context.changes.entry_at(record, location)
    before = entry.before if entry is not None else None
    return {
        "change_id": record.id,
        "time": record.time.isoformat(),
        "size": before.size if before is not None else None,
    }
