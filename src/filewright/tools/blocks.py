"""Edits of whole lines, by their numbers, in several files, each file all or nothing; not listed natively."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from filewright.edit import Edit, Outcome, plan
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools.context import Context
from filewright.tools.registry import ToolResult
from filewright.tools.splicing import Planned, each, splice_file


@dataclass(frozen=True, slots=True)
class FileBlocks:
    """The edits of one file, each with its lines; made when the file's turn comes, for it may be refused."""

    path: str
    edits: Callable[[], Sequence[Edit]]


def apply_blocks(context: Context, files: Sequence[FileBlocks], task: Task) -> ToolResult:
    """Make the edits of every file; a file whose edits cannot all be made stays as it was.

    Raises `invalid_input` if two of the paths name one file.
    """
    _refuse_twice(context, files)

    def change(file: FileBlocks) -> dict[str, Any]:
        def planned(snapshot: Snapshot) -> Planned[tuple[Outcome, ...]]:
            made = plan(snapshot, file.edits(), fuzzy=False, task=task)
            return Planned(made.splices, made.outcomes)

        made = splice_file(context, "apply_diff", file.path, planned, task)
        lines = [{"start_line": o.first, "end_line": o.last} for o in made.told]
        return {**made.data(), "blocks": lines}

    return each(context, files, lambda file: file.path, change)


def _refuse_twice(context: Context, files: Sequence[FileBlocks]) -> None:
    seen: dict[object, str] = {}
    for file in files:
        try:
            location = context.boundary.locate(file.path)
            status = context.boundary.stat(location)
            key: object = status.identity
        except FilewrightError:
            key = file.path
        if key in seen:
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"{file.path} is named twice (also as {seen[key]}); each file may appear once",
                hint="join its blocks into one entry",
                details={"path": file.path},
            )
        seen[key] = file.path
