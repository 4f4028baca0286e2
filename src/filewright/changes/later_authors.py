"""Authors of lines that were changed after a change, and that its undo leaves."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

from filewright.boundary.location import Location
from filewright.changes.blobs import content_after, content_before
from filewright.changes.model import FileChange
from filewright.changes.undo_report import LaterLines
from filewright.errors import FilewrightError
from filewright.progress import Task

if TYPE_CHECKING:
    from filewright.changes.history import History

ANOTHER_PROGRAM: Final = "another program"

_MAX_CHANGES: Final = 20
"""The newest changes of a file among which an author is looked for."""

_MAX_FILE_BYTES: Final = 1 << 20


def find_author(
    history: History,
    location: Location,
    lines: LaterLines,
    undone_ids: Collection[str],
    own_session: str | None,
    task: Task,
) -> str:
    """Return the session that wrote lines, or "" if it is the caller's or not known.

    Lines of which no recorded change is the author are those of another program.
    """
    if not lines.text:
        return ""
    records = history.history(
        location=location, limit=_MAX_CHANGES + 1, task=task
    )
    is_complete = len(records) <= _MAX_CHANGES
    for record in records[:_MAX_CHANGES]:
        task.check()
        if record.id in undone_ids:
            continue
        change = history.file_change_at(record, location)
        added_texts = None if change is None else _find_added_texts(change)
        if added_texts is None:
            is_complete = False
        elif lines.text in added_texts:
            if record.session == own_session:
                return ""
            return record.session or record.client or ""
    return ANOTHER_PROGRAM if is_complete else ""


def _find_added_texts(change: FileChange) -> set[str] | None:
    """Return the texts of the lines that a change added, or None if they are not known."""
    if change.after is None:
        return set()
    sizes = [state.size for state in (change.before, change.after) if state]
    if max(sizes) > _MAX_FILE_BYTES:
        return None
    try:
        after = content_after(change)
        before = b"" if change.before is None else content_before(change)
    except FilewrightError:
        return None
    if after is None or before is None:
        return None
    added = {*after.splitlines()} - {*before.splitlines()}
    return {LaterLines.of(1, [line]).text for line in added}
