"""Changes of sessions to a text, and their rewinds."""

from __future__ import annotations

from typing import Any

from filewright.changes.selection import Scope
from filewright.edit.changeset import ChangeSet, Step
from filewright.progress import Caller, Task
from filewright.text.splice import Splice

LINES = [b"line %d\n" % n for n in range(1, 31)]
TEXT = b"".join(LINES)
"""The content of the file `text`."""


def commit_by(bench: Any, session: str, *steps: Step, **options: Any) -> Any:
    """Commit steps as a session."""
    task = Task(caller=Caller(session, f"client of {session}"))
    return bench.changes.commit(
        ChangeSet("test", "a change", tuple(steps), **options), task=task
    )


def replace_line(bench: Any, path: str, number: int, new: bytes) -> Step:
    """Return the step that replaces a line of a file, whatever the line is now."""
    lines = (bench.root / path).read_bytes().splitlines(keepends=True)
    offset = sum(map(len, lines[: number - 1]))
    step: Step = bench.modify(path, Splice(offset, len(lines[number - 1]), new))
    return step


def rewind(bench: Any, session: str, **options: Any) -> Any:
    """Undo all that a session has done."""
    return bench.changes.undo(Scope(session=session), **options)
