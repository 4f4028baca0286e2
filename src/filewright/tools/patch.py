"""`apply_patch`: any number of files in one transaction, in either notation."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from filewright.edit import FileOutcome, PatchPlan, PatchTarget
from filewright.edit import parse_patch as parse
from filewright.edit import plan_patch as plan
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool
from filewright.tools.rendering import DiffWanted, Page, counted
from filewright.tools.result import ChangeResult
from filewright.tools.retrying import until_settled
from filewright.visible import visible


class PatchArguments(Arguments):
    """The patch."""

    patch: str
    preview: bool = False
    diff: DiffWanted = "auto"
    break_hard_links: bool | None = None
    undoable: bool = True


@dataclass(frozen=True, slots=True)
class PatchedHunk:
    """Where hunk `number` (1-based) went: `moved` lines from where it says, found by `tier`."""

    number: int
    line: int
    tier: str
    moved: int | None
    repaired: bool


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """What the patch did to a file; `was` is its name before, where it was renamed or copied."""

    path: str | None
    operation: str
    was: str | None
    hunks: tuple[PatchedHunk, ...]


@dataclass(frozen=True)
class PatchResult(ChangeResult):
    """What the patch did, or would do (`preview`), to each of its files."""

    preview: bool = field(kw_only=True)
    files: tuple[PatchedFile, ...] = field(kw_only=True)
    warnings: tuple[str, ...] = field(kw_only=True)


def run(context: Context, arguments: PatchArguments, task: Task) -> PatchResult:
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

    def attempt() -> PatchResult:
        with ExitStack() as stack:
            planned = plan(
                patch,
                lambda path: _look(context, path, stack),
                task=task,
                break_hard_links=hard_links_broken(context, arguments.break_hard_links),
                undoable=arguments.undoable,
            )
            warnings = [w for file in planned.files if (w := _warning(context, file, task))]
            change_id = None
            if not arguments.preview:
                change_id = context.changes.commit(planned.change_set, task=task).id
            return _answer(context, arguments, planned, change_id, warnings)

    return until_settled(context, attempt, writes=not arguments.preview, task=task)


def _look(context: Context, path: str, stack: ExitStack) -> PatchTarget:
    location = context.boundary.locate(path)
    context.boundary.guard_write(location)
    try:
        snapshot = stack.enter_context(context.open(location))
    except FilewrightError as error:
        if error.code != Code.NOT_FOUND:
            raise
        return PatchTarget(location, None, (context.key_of_missing(location), location.name), missing=error)
    if snapshot.held is not None:
        snapshot.close()  # a patch may name more files than a process may have open
    status = snapshot.status
    assert status is not None
    return PatchTarget(location, snapshot, (status.st_dev, status.st_ino), stat.S_IMODE(status.st_mode))


def _warning(context: Context, file: FileOutcome, task: Task) -> str:
    if file.kind == "delete" or not file.splices:
        return ""
    before = file.before
    if file.kind == "create" and file.new_name is not None:
        location = context.boundary.locate(file.new_name)
        before = Snapshot.of_bytes(b"", encoding="utf-8", location=location, settings=context.settings)
    return syntax.compared(context, before, file.splices, task)


def _answer(
    context: Context,
    arguments: PatchArguments,
    planned: PatchPlan,
    change_id: str | None,
    warnings: Sequence[str],
) -> PatchResult:
    page = Page(context.settings.page_chars)
    done = "would be changed (preview; nothing was written)" if change_id is None else "changed"
    ending = f"; change {change_id}" if change_id is not None else ""
    page.add(f"{counted(len(planned.files), 'file')} {done}{ending}")
    files = tuple(_patched(file) for file in planned.files)
    diff = planned.diff(max_lines=context.settings.diff_lines)
    seen = context.previewed(arguments, diff, preview=arguments.preview)
    left = 0 if seen else page.extend(map(_row, files), reserve=2000)
    if left:
        page.add(f"[{counted(left, 'more file')}]")
    page.extend(f"[warning: {visible(warning)}]" for warning in warnings[:20])
    page.add_change(diff, arguments.diff, change_id, seen=seen)
    return PatchResult(
        page.text(),
        change_id=change_id,
        diff=diff,
        preview=change_id is None,
        files=files,
        warnings=tuple(warnings),
    )


_WORDS = {
    "modify": "modified",
    "create": "created",
    "delete": "deleted",
    "rename": "renamed",
    "copy": "copied",
}


def _patched(file: FileOutcome) -> PatchedFile:
    return PatchedFile(
        file.new_name or file.name,
        _WORDS.get(file.kind, file.kind),
        file.name if file.kind in ("rename", "copy") else None,
        tuple(PatchedHunk(h.number, h.line, str(h.tier), h.moved, bool(h.repaired)) for h in file.hunks),
    )


def _row(file: PatchedFile) -> str:
    moved = f" from {visible(file.was)}" if file.was is not None else ""
    notes = [note for hunk in file.hunks if (note := _note(hunk))]
    more = f" and {len(notes) - 3} more" if len(notes) > 3 else ""
    loose = f" ({'; '.join(notes[:3])}{more})" if notes else ""
    return f"{file.operation}: {visible(file.path or '')}{moved}{loose}"


def _note(hunk: PatchedHunk) -> str:
    parts = []
    if hunk.tier != "exact":
        parts.append(f"matched by {hunk.tier}")
    if hunk.moved:
        parts.append(f"{abs(hunk.moved)} lines {'below' if hunk.moved > 0 else 'above'} its number")
    if hunk.repaired:
        parts.append("counts repaired")
    return f"hunk {hunk.number} at line {hunk.line}: {', '.join(parts)}" if parts else ""


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
