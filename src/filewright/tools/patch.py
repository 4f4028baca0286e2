"""`apply_patch`: any number of files in one transaction, in either notation."""

from __future__ import annotations

import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from filewright.boundary import Location
from filewright.changes import ChangeRecord, Place
from filewright.edit import FileOutcome, FilePatch, HunkOutcome, Patch, PatchPlan, PatchTarget
from filewright.edit import parse_patch as parse
from filewright.edit import plan_patch as plan
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.text import Snapshot
from filewright.tools import syntax
from filewright.tools.batch import hard_links_broken
from filewright.tools.context import Context
from filewright.tools.registry import Arguments, Tool
from filewright.tools.rendering import DiffWanted, Page
from filewright.tools.result import OPTIONAL, ChangeResult
from filewright.tools.retrying import until_settled
from filewright.visible import visible
from filewright.wording import counted, listed

_CHANGES = 500
"""How many of the newest changes are asked where a file has gone."""

_PARTS = 32
"""Leading parts of a path that are left out to find it."""

_HUNKS = 12
"""Hunks of a file that are named with their lines."""


class PatchArguments(Arguments):
    """The patch."""

    patch: str
    root: str = "."
    strip: Annotated[int, Field(ge=0, description="as of patch -p; 0: a/ and b/")] = 0
    partial: Annotated[bool, Field(description="apply the files that fit, return the rest")] = False
    preview: bool = False
    diff: DiffWanted = "auto"
    break_hard_links: bool | None = None
    undoable: bool = True


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """What the patch did to a file; `was` is its name before, where it was renamed or copied."""

    path: str | None
    operation: str
    was: str | None
    hunks: tuple[HunkOutcome, ...]


@dataclass(frozen=True, slots=True)
class RefusedPart:
    """A file of the patch that a partial application left as it is, and why."""

    path: str
    error: FilewrightError


@dataclass(frozen=True, kw_only=True)
class PatchResult(ChangeResult):
    """What the patch did, or would do (`preview`), to each of its files.

    Of a partial application `refused` are the files it left as they are, `rest` is the patch of them; `applied`
    are those that read as the patch leaves them already.
    """

    preview: bool
    files: tuple[PatchedFile, ...]
    warnings: tuple[str, ...]
    refused: tuple[RefusedPart, ...] = field(default=(), metadata=OPTIONAL)
    applied: tuple[str, ...] = field(default=(), metadata=OPTIONAL)
    rest: str = field(default="", metadata=OPTIONAL)


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
    patch = parse(arguments.patch).below(arguments.root, arguments.strip)

    def attempt() -> PatchResult:
        with ExitStack() as stack:
            moved: dict[str, str] = {}
            newest: list[ChangeRecord] = []
            changed = {
                file.old for file in patch.files
            }  # a new file has its name, whatever has gone from there

            def look(path: str) -> PatchTarget:
                follow = path in changed
                try:
                    target = _look(context, path, stack, moved, newest, follow=follow)
                except FilewrightError as error:
                    if follow and error.code == Code.NOT_FOUND:
                        _advise_strip(context, patch, arguments, path, error)
                    raise
                if follow and target.missing is not None:
                    _advise_strip(context, patch, arguments, path, target.missing)
                return target

            parts = _fitting(patch, look, task) if arguments.partial else PatchParts(patch, patch)
            planned = plan(
                parts.fitting,
                look,
                task=task,
                break_hard_links=hard_links_broken(context, arguments.break_hard_links),
                undoable=arguments.undoable,
            )
            warnings = [w for file in planned.files if (w := _warning(context, file, task))]
            change_id = None
            if not arguments.preview:
                change_id = context.changes.commit(planned.change_set, task=task).id
            return _answer(context, arguments, planned, change_id, warnings, parts, moved)

    return until_settled(context, attempt, writes=not arguments.preview, task=task)


@dataclass(frozen=True, slots=True)
class PatchParts:
    """A patch by what can be done with its files: those that fit, those refused and those applied already."""

    whole: Patch
    fitting: Patch
    refused: tuple[tuple[FilePatch, FilewrightError], ...] = ()
    applied: tuple[str, ...] = ()


def _fitting(patch: Patch, look: Callable[[str], PatchTarget], task: Task) -> PatchParts:
    """The files whose hunks all fit, each tried on its own. Raises the first refusal if none fits."""
    fitting: list[FilePatch] = []
    refused: list[tuple[FilePatch, FilewrightError]] = []
    applied: list[str] = []
    first: FilewrightError | None = None
    for file in patch.files:
        try:
            plan(Patch(patch.notation, (file,)), look, task=task)
            fitting.append(file)
        except FilewrightError as error:
            if error.code in (Code.CANCELLED, Code.TIMEOUT):
                raise
            first = first or error
            if error.code == Code.ALREADY_APPLIED:
                applied.append(file.path)
            else:
                refused.append((file, error))
    if first is not None and not fitting:
        raise refused[0][1] if refused else first
    return PatchParts(patch, Patch(patch.notation, tuple(fitting)), tuple(refused), tuple(applied))


def _rest(text: str, patch: Patch, refused: Sequence[FilePatch]) -> str:
    """The part of the patch's text that is of the files that were refused."""
    lines = [f"{line}\n" for line in text.split("\n")]  # as the parser counts them
    lines[-1] = lines[-1][:-1]
    starts = [file.line - 1 for file in patch.files]
    kept = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        if any(file.line - 1 == start for file in refused):
            kept += lines[start:end]
    rest = "".join(kept)
    return f"*** Begin Patch\n{rest}" if patch.notation == "envelope" else rest


def _look(
    context: Context,
    path: str,
    stack: ExitStack,
    moved: dict[str, str],
    newest: list[ChangeRecord],
    *,
    follow: bool,
) -> PatchTarget:
    location = context.boundary.locate(path)
    context.boundary.guard_write(location)
    try:
        snapshot = stack.enter_context(context.open(location))
    except FilewrightError as error:
        if error.code != Code.NOT_FOUND:
            raise
        there = _moved_to(context, location, newest) if follow else None
        if there is None:
            key = (context.key_of_missing(location), location.name)
            return PatchTarget(location, None, key, missing=error)
        location = there
        context.boundary.guard_write(location)
        snapshot = stack.enter_context(context.open(location))
        moved[location.shown] = path
    if snapshot.held is not None:
        snapshot.close()  # a patch may name more files than a process may have open
    status = snapshot.status
    assert status is not None
    return PatchTarget(location, snapshot, (status.st_dev, status.st_ino), stat.S_IMODE(status.st_mode))


def _moved_to(context: Context, location: Location, newest: list[ChangeRecord]) -> Location | None:
    """Where changes on record have moved the file that is not there any more; None if it is not there either.

    The `newest` changes are read once for all files of a patch.
    What was made, removed or put at its name since, or at the name it has gone to, ends the trail.
    """
    asked = place = context.changes.place(location)
    newest[:] = newest or context.changes.history(limit=_CHANGES)
    for record in reversed(newest):
        following = place
        for entry in record.entries:
            was = entry.was
            if was is not None and was.root == place.root and place.parts[: len(was.parts)] == was.parts:
                following = Place(entry.place.root, (*entry.place.parts, *place.parts[len(was.parts) :]))
                break
            if entry.place in (asked, place) and entry.action in ("created", "deleted", "moved"):
                following = asked
        place = following
    there = context.changes.location(place) if place != asked else None
    return there if there is not None and context.exists(there) else None


def _advise_strip(
    context: Context, patch: Patch, arguments: PatchArguments, path: str, error: FilewrightError
) -> None:
    """Add to the refusal of a file that is not there the `strip` with which one is."""
    root = "" if arguments.root in ("", ".") else f"{arguments.root.rstrip('/')}/"
    parts = path.removeprefix(root).split("/")
    prefixed = any(file.prefixed for file in patch.files if file.old == path)
    for fewer in range(1, min(len(parts), _PARTS)):
        shorter = root + "/".join(parts[fewer:])
        if context.exists(context.boundary.locate(shorter)):
            strip = max(arguments.strip, int(prefixed)) + fewer
            error.hint = f"with strip={strip} it is {visible(shorter)}, which is there"
            error.details["strip"] = strip
            return


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
    parts: PatchParts,
    moved: Mapping[str, str],
) -> PatchResult:
    page = Page(context.settings.page_chars)
    done = "would be changed (preview; nothing was written)" if change_id is None else "changed"
    ending = f"; change {change_id}" if change_id is not None else ""
    page.add(f"{counted(len(planned.files), 'file')} {done}{ending}")
    files = tuple(_patched(file) for file in planned.files)
    diff = planned.diff(max_lines=context.settings.diff_lines)
    seen = context.previewed(arguments, diff, preview=arguments.preview)
    left = 0 if seen else page.extend((_row(file, moved) for file in files), reserve=2000)
    if left:
        page.add(f"[{counted(left, 'more file')}]")
    page.extend(f"[warning: {visible(warning)}]" for warning in warnings[:20])
    page.extend(f"applied already: {visible(name)}" for name in parts.applied)
    rest = _rest(arguments.patch, parts.whole, [file for file, _ in parts.refused]) if parts.refused else ""
    page.extend(f"refused: {visible(file.path)}: {error}" for file, error in parts.refused)
    page.add_change(diff, arguments.diff, change_id, seen=seen)
    if rest:
        page.add(f"[the rest, as a patch of {counted(len(parts.refused), 'file')}:]")
        left = page.extend(visible(line.removesuffix("\r")) for line in rest.removesuffix("\n").split("\n"))
        if left:
            page.add(f"[{counted(left, 'line')} of it not shown]")
    return PatchResult(
        page.text(),
        change_id=change_id,
        diff=diff,
        preview=change_id is None,
        files=files,
        warnings=tuple(warnings),
        refused=tuple(RefusedPart(file.path, error) for file, error in parts.refused),
        applied=parts.applied,
        rest=rest,
    )


def _patched(file: FileOutcome) -> PatchedFile:
    return PatchedFile(
        file.new_name or file.name,
        file.done,
        file.name if file.kind in ("rename", "copy") else None,
        file.hunks,
    )


def _row(file: PatchedFile, moved: Mapping[str, str]) -> str:
    """A file with the line of each hunk, and what was looked past."""
    origin = f" from {visible(file.was)}" if file.was is not None else ""
    if file.path is not None and file.path in moved:
        origin = f", where {visible(moved[file.path])} was moved to"
    notes = [_note(hunk) for hunk in file.hunks]
    placed = f" ({listed(notes, _HUNKS, '; ')})" if notes else ""
    return f"{file.operation}: {visible(file.path or '')}{origin}{placed}"


def _note(hunk: HunkOutcome) -> str:
    parts = [f"hunk {hunk.number} at line {hunk.line}"]
    if hunk.tier != "exact":
        parts.append(f"matched by {hunk.tier}")
    if hunk.moved:
        parts.append(f"{abs(hunk.moved)} lines {'below' if hunk.moved > 0 else 'above'} its number")
    if hunk.repaired:
        parts.append("counts repaired")
    return ", ".join(parts)


TOOL = Tool(
    name="apply_patch",
    title="Apply a patch",
    description=(
        "Apply a unified diff (git style too: create, delete, rename, mode) or a *** Begin Patch envelope: all files "
        "or none (partial: those that fit). Says what is applied already. Context must be text that is there; line "
        "numbers and counts may be off."
    ),
    arguments=PatchArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
