"""Edits that name a line and the nth text from there on, in several files; not listed natively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from filewright.edit import LineEdit, Outcome, edit_of, plan
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools.context import Context
from filewright.tools.registry import ToolResult
from filewright.tools.splicing import Planned, each, splice_file


@dataclass(frozen=True, slots=True)
class FileEdits:
    """The edits of one file, all found on it as it is."""

    path: str
    edits: Sequence[LineEdit]


@dataclass(frozen=True, slots=True)
class LineEdits:
    """The files and their edits."""

    files: Sequence[FileEdits]
    preview: bool = False


def edit_lines(context: Context, arguments: LineEdits, task: Task) -> ToolResult:
    """Make the edits of every file; a file whose edits cannot all be made stays as it was.

    Each result has `edits` with the lines; an error has `edit`, the index of the one refused.
    """

    def change(file: FileEdits) -> dict[str, Any]:
        def planned(snapshot: Snapshot) -> Planned[tuple[Outcome, ...]]:
            edits = []
            for index, edit in enumerate(file.edits):
                try:
                    edits.append(edit_of(snapshot, edit, task=task))
                except FilewrightError as error:
                    error.details["edit"] = index
                    raise
            made = plan(snapshot, edits, fuzzy=False, task=task)
            return Planned(made.splices, made.outcomes)

        try:
            made = splice_file(context, "edit_file", file.path, planned, task, preview=arguments.preview)
        except FilewrightError as error:
            if error.code == Code.NO_CHANGE:
                return {"edits": [{} for _ in file.edits], "diff": "", "change_id": None, "unchanged": True}
            raise
        lines = [{"start_line": o.first, "end_line": o.last} for o in made.told]
        return {**made.data(), "edits": lines, "unchanged": False}

    return each(context, arguments.files, lambda file: file.path, change)
