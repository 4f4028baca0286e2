"""One file brought back entirely to what it was before one of its changes; not listed natively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from filewright.boundary import Location
from filewright.changes import ChangeRecord, Scope
from filewright.errors import Code, FilewrightError
from filewright.tools.context import Context

_MOST = 1000


@dataclass(frozen=True, slots=True)
class FileState:
    """A state the file `path` had before the change `change_id` at `time` (ISO 8601); `size` None: no file."""

    change_id: str
    time: str
    size: int | None
    path: str


def restore_file(
    context: Context, path: str, change_id: str | None
) -> tuple[FileState, tuple[FileState, ...]]:
    """Give a file the content it had before a change (None: its newest).

    What was restored, and all states, newest first: the first is what the file held until then. Raises `not_found`
    without such a change, `no_change`, and what a commit raises.
    """
    location = context.boundary.locate(path)
    with context.changes.writing(context.task):
        records = context.changes.history(location=location, limit=_MOST)
        record = _chosen(records, path, change_id)
        made, _ = context.changes.undo(
            Scope(since=f"{record.id}^", path=location), force=True, task=context.task
        )
    states = tuple(_state(context, each, location) for each in [made, *records])
    return _state(context, record, location), states


def _chosen(records: Sequence[ChangeRecord], path: str, change_id: str | None) -> ChangeRecord:
    if not records:
        raise FilewrightError(
            Code.NOT_FOUND,
            f"no change of {path} is recorded",
            "only what was changed through this workspace can be brought back",
            path=path,
            available=[],
        )
    if change_id is None:
        return records[0]
    for record in records:
        if record.id == change_id:
            return record
    known = [record.id for record in records[:20]]
    raise FilewrightError(
        Code.NOT_FOUND,
        f"{path} has no backup {change_id}",
        f"there are: {', '.join(known)}",
        path=path,
        available=known,
    )


def _state(context: Context, record: ChangeRecord, location: Location) -> FileState:
    entry = context.changes.entry_at(record, location)
    before = entry.before if entry is not None else None
    return FileState(
        record.id, record.time.isoformat(), before.size if before is not None else None, location.asked
    )
