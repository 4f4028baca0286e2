"""`apply_patch`: any number of files in one transaction, in either notation."""

from __future__ import annotations

import stat
from contextlib import ExitStack
from typing import Any

from filewright.edit.patch import FileOutcome, Patch, PatchPlan, Place, parse, plan
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool, ToolResult
from filewright.tools.rendering import Page, counted, visible
from filewright.tools.retrying import until_settled


class PatchArguments(Arguments):
    """The patch."""

    patch: str
    preview: bool = False
    break_hard_links: bool | None = None
    undoable: bool = True


def run(context: Context, arguments: PatchArguments, task: Task) -> ToolResult:
    """Plan every file of the patch, then commit all of it."""
    limit = context.settings.max_input_bytes
    if len(arguments.patch) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"a patch of {len(arguments.patch):,} characters; the limit is {limit:,}",
            hint="send it in parts",
            details={"size": len(arguments.patch), "limit": limit},
        )
    patch = parse(arguments.patch)
    return until_settled(
        context, lambda: _attempt(context, arguments, patch, task), writes=not arguments.preview, task=task
    )


def _attempt(context: Context, arguments: PatchArguments, patch: Patch, task: Task) -> ToolResult:
    with ExitStack() as stack:
        planned = plan(
            patch,
            lambda path: _look(context, path, stack),
            task=task,
            break_hard_links=hard_links_broken(context, arguments.break_hard_links),
            undoable=arguments.undoable,
        )
        warnings = [w for file in planned.files if (w := _warning(context, file, task))]
        record = None
        if not arguments.preview:
            record = context.changes.commit(planned.change_set, task=task)
        return _answer(context, planned, record.id if record is not None else None, warnings)


def _look(context: Context, path: str, stack: ExitStack) -> Place:
    location = context.boundary.locate(path)
    context.boundary.guard_write(location)
    try:
        snapshot = stack.enter_context(context.open(location))
    except FilewrightError as error:
        if error.code != Code.NOT_FOUND:
            raise
        return Place(location, None, (context.key_of_missing(location), location.name), missing=error)
    if snapshot.held is not None:
        snapshot.close()  # a patch may name more files than a process may have open
    status = snapshot.status
    assert status is not None
    return Place(location, snapshot, (status.st_dev, status.st_ino), stat.S_IMODE(status.st_mode))


def _warning(context: Context, file: FileOutcome, task: Task) -> str:
    if file.kind == "delete" or not file.splices:
        return ""
    return syntax.compared(context, file.before, file.splices, task)


def _answer(context: Context, planned: PatchPlan, change_id: str | None, warnings: list[str]) -> ToolResult:
    page = Page(context.settings.page_chars)
    done = "would be changed (preview; nothing was written)" if change_id is None else "changed"
    ending = f"; change {change_id}" if change_id is not None else ""
    page.add(f"{counted(len(planned.files), 'file')} {done}{ending}")
    rows = [_row(file) for file in planned.files]
    left = page.extend(rows, reserve=2000)
    if left:
        page.add(f"[{counted(left, 'more file')}]")
    page.extend(f"[warning: {visible(warning)}]" for warning in warnings[:20])
    text = planned.diff(max_lines=context.settings.diff_lines)
    page.add_diff(text)
    data: dict[str, Any] = {
        "preview": change_id is None,
        "change_id": change_id,
        "files": [_facts(file) for file in planned.files],
        "diff": text,
        "warnings": warnings,
    }
    return ToolResult(page.text(), data)


_WORDS = {
    "modify": "modified",
    "create": "created",
    "delete": "deleted",
    "rename": "renamed",
    "copy": "copied",
}


def _row(file: FileOutcome) -> str:
    name = visible(file.new_name or file.name or "")
    moved = f" from {visible(file.name or '')}" if file.kind in ("rename", "copy") else ""
    notes = [note for hunk in file.hunks if (note := _note(hunk))]
    more = f" and {len(notes) - 3} more" if len(notes) > 3 else ""
    loose = f" ({'; '.join(notes[:3])}{more})" if notes else ""
    return f"{_WORDS.get(file.kind, file.kind)}: {name}{moved}{loose}"


def _note(hunk: Any) -> str:
    parts = []
    if hunk.tier != "exact":
        parts.append(f"matched by {hunk.tier}")
    if hunk.moved:
        parts.append(f"{abs(hunk.moved)} lines {'below' if hunk.moved > 0 else 'above'} its number")
    if hunk.repaired:
        parts.append("counts repaired")
    return f"hunk {hunk.number} at line {hunk.line}: {', '.join(parts)}" if parts else ""


def _facts(file: FileOutcome) -> dict[str, Any]:
    return {
        "path": file.new_name or file.name,
        "operation": _WORDS.get(file.kind, file.kind),
        "was": file.name if file.kind in ("rename", "copy") else None,
        "hunks": [
            {"number": h.number, "line": h.line, "tier": h.tier, "moved": h.moved, "repaired": h.repaired}
            for h in file.hunks
        ],
    }


TOOL = Tool(
    name="apply_patch",
    title="Apply a patch",
    description=(
        "Apply a unified diff (git style too: create, delete, rename, mode) or a *** Begin Patch envelope: all files "
        "or none, undone as one. Context must be text that is there; line numbers and counts may be off."
    ),
    arguments=PatchArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
