"""`apply_patch`: any number of files in one transaction, in either notation."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.changes import ChangeRecord, Place
from filewright.edit import FileOutcome, FilePatch, HunkOutcome, Patch, PatchTarget
from filewright.edit import parse_patch as parse
from filewright.edit import plan_patch as plan
from filewright.errors import Code, FilewrightError, invalid
from filewright.text import Snapshot, decoded
from filewright.tools.context import Context
from filewright.tools.pipeline import Change, ChangeArguments, Changed, Decided, change
from filewright.tools.registry import Tool
from filewright.tools.result import ChangeResult, DiffWanted, Page, optional
from filewright.visible import visible
from filewright.wording import counted, listed

_DONE = ("modified", "created", "deleted", "renamed", "copied")

_CHANGES = 500
"""How many of the newest changes are asked where a file has gone."""

_PARTS = 32
"""Leading parts of a path that are left out to find it."""

_HUNKS = 12
"""Hunks of a file that are named with their lines."""


class PatchArguments(ChangeArguments):
    """The patch."""

    patch: str | None = None
    """a unified diff or a `*** Begin Patch` envelope; see [patches](patches.md)"""
    patch_path: Annotated[str | None, Field(description="a file that holds it, instead")] = None
    """a file that holds the patch, instead of `patch`"""
    root: str = "."
    """the folder that the patch's paths are in"""
    strip: Annotated[int, Field(ge=0, description="as of patch -p; 0: a/ and b/")] = 0
    """leading parts of the paths to leave out, counted as by `patch -p` and `git apply -p` (`a/` and
    `b/` are the first); `0`: only `a/` and `b/`
    """
    partial: bool = False
    """true: apply the files whose hunks all fit, and return the rest as a patch"""
    preview: bool = False
    diff: DiffWanted = "auto"
    renames: Annotated[SkipJsonSchema[bool], Field(description="by two names in a header; for dialects")] = (
        False
    )


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
    refused: tuple[RefusedPart, ...] = optional(())
    applied: tuple[str, ...] = optional(())
    rest: str = optional("")


def run(context: Context, arguments: PatchArguments) -> PatchResult:
    """Plan every file of the patch, then commit all of it."""
    limit = context.settings.max_input_bytes
    text, path = arguments.patch, arguments.patch_path
    if path is not None:
        if text is not None:
            raise invalid("patch and patch_path were both given", "give one of them", argument="patch_path")
        with context.open_text(context.boundary.locate(path)) as file:
            size = file.size - file.start
            text = decoded(file.read(file.start, min(size, 4 * limit + 1)), file.encoding)
        arguments = arguments.model_copy(update={"patch": text})
    if text is None:
        raise invalid(
            "apply_patch: argument 'patch' is missing", "give it; wanted: a string", argument="patch"
        )
    if len(text) > limit:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"a patch of {len(text):,} characters; the limit is {limit:,}",
            "send it in parts",
            size=len(text),
            limit=limit,
        )
    patch = parse(text, renames=arguments.renames).below(arguments.root, arguments.strip)
    looking = _Looking(context, arguments, patch)
    refused: list[tuple[FilePatch, FilewrightError]] = []

    def decide() -> Iterator[Decided[PatchedFile]]:
        refused.clear()
        looking.moved.clear()
        for file in plan(
            patch, looking.look, task=context.task, refused=refused if arguments.partial else None
        ):
            yield Decided(
                _patched(file), file.location, file.steps, file.before, file.splices, file.name, file.new_name,
                mode_before=file.mode_before, mode_after=file.mode_after, copied=file.kind == "copy",
            )  # fmt: skip

    made = change(
        context,
        "apply_patch",
        decide,
        arguments,
        summary=_summary,
        preview=arguments.preview,
    )
    return _answer(context, arguments, patch, made, refused, looking.moved)


def _summary(files: Sequence[Changed[PatchedFile]]) -> str:
    if len(files) == 1:
        file = files[0].decision
        return f"{file.operation} {file.was} to {file.path}" if file.was else f"{file.operation} {file.path}"
    counts = Counter(file.decision.operation for file in files)
    return f"{len(files)} files: {', '.join(f'{counts[word]} {word}' for word in _DONE if counts[word])}"


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


class _Looking:
    """Finds the files that a patch names, where they are or where they have gone (`moved`: the old name by the new)."""

    def __init__(self, context: Context, arguments: PatchArguments, patch: Patch) -> None:
        self.moved: dict[str, str] = {}
        self._context = context
        self._arguments = arguments
        # A new file has its name, whatever has gone from there.
        self._changed = {file.old: file.prefixed for file in patch.files if file.old is not None}
        self._newest: Sequence[ChangeRecord] | None = None

    def look(self, path: str) -> PatchTarget:
        """What is at a path. Raises what the boundary raises."""
        follow = path in self._changed
        try:
            target = self._found(path, follow=follow)
        except FilewrightError as error:
            if follow and error.code == Code.NOT_FOUND:
                self._advise_strip(path, error)
            raise
        if follow and target.missing is not None:
            self._advise_strip(path, target.missing)
        return target

    def _found(self, path: str, *, follow: bool) -> PatchTarget:
        context = self._context
        location = context.boundary.locate(path)
        context.boundary.guard_write(location)
        try:
            status = self._status(location)
        except FilewrightError as error:
            if error.code != Code.NOT_FOUND:
                raise
            there = self._moved_to(location) if follow else None
            if there is None:
                missing = (context.key_of_missing(location), location.name)
                return PatchTarget(location, None, missing, missing=error)
            location = there
            context.boundary.guard_write(location)
            status = self._status(location)
            self.moved[location.shown] = path
        key = (status.st_dev, status.st_ino)
        return PatchTarget(location, partial(self._opened, location), key, stat.S_IMODE(status.st_mode))

    def _status(self, location: Location) -> os.stat_result:
        with self._context.open(location, hold=False) as snapshot:
            assert snapshot.status is not None
            return snapshot.status

    def _opened(self, location: Location) -> Snapshot:
        return self._context.open(location)

    def _moved_to(self, location: Location) -> Location | None:
        """Where changes on record have moved the file that is not there any more; None if it is not there either.

        What was made, removed or put at its name since, or at the name it has gone to, ends the trail.
        """
        changes = self._context.changes
        if self._newest is None:
            self._newest = changes.history(limit=_CHANGES)
        asked = place = Place.of(location)
        for record in reversed(self._newest):
            following = place
            for entry in record.entries:
                was = entry.was
                if was is not None and was.root == place.root and place.parts[: len(was.parts)] == was.parts:
                    following = Place(entry.place.root, (*entry.place.parts, *place.parts[len(was.parts) :]))
                    break
                if entry.place in (asked, place) and entry.action in ("created", "deleted", "moved"):
                    following = asked
            place = following
        there = changes.location(place) if place != asked else None
        return there if there is not None and self._context.exists(there) else None

    def _advise_strip(self, path: str, error: FilewrightError) -> None:
        """Add to the refusal of a file that is not there the `strip` with which one is."""
        arguments, context = self._arguments, self._context
        root = "" if arguments.root in ("", ".") else f"{arguments.root.rstrip('/')}/"
        parts = path.removeprefix(root).split("/")
        for fewer in range(1, min(len(parts), _PARTS)):
            shorter = root + "/".join(parts[fewer:])
            if context.exists(context.boundary.locate(shorter)):
                strip = max(arguments.strip, int(self._changed[path])) + fewer
                error.hint = f"with strip={strip} it is {visible(shorter)}, which is there"
                error.details["strip"] = strip
                return


def _answer(
    context: Context,
    arguments: PatchArguments,
    patch: Patch,
    made: Change[PatchedFile],
    problems: Sequence[tuple[FilePatch, FilewrightError]],
    moved: Mapping[str, str],
) -> PatchResult:
    refused = [(file, error) for file, error in problems if error.code != Code.ALREADY_APPLIED]
    applied = tuple(file.path for file, error in problems if error.code == Code.ALREADY_APPLIED)
    page = Page(context.settings.page_chars)
    done = "would be changed (preview; nothing was written)" if made.id is None else "changed"
    ending = f"; change {made.id}" if made.id is not None else ""
    page.add(f"{counted(len(made.files), 'file')} {done}{ending}")
    files = tuple(file.decision for file in made.files)
    diff = made.diff
    seen = context.previewed(arguments, diff.text, preview=arguments.preview)
    left = 0 if seen else page.extend((_row(file, moved) for file in files), reserve=2000)
    if left:
        page.add(f"[{counted(left, 'more file')}]")
    page.extend(f"[warning: {visible(warning)}]" for warning in made.warnings)
    page.extend(f"applied already: {visible(name)}" for name in applied)
    rest = _rest(arguments.patch or "", patch, [file for file, _ in refused]) if refused else ""
    page.extend(f"refused: {visible(file.path)}: {error}" for file, error in refused)
    page.add_change(diff, arguments.diff, made.id, seen=seen)
    if rest:
        page.add(f"[the rest, as a patch of {counted(len(refused), 'file')}:]")
        left = page.extend(visible(line.removesuffix("\r")) for line in rest.removesuffix("\n").split("\n"))
        if left:
            page.add(f"[{counted(left, 'line')} of it not shown]")
    return PatchResult(
        page.text(),
        change_id=made.id,
        difference=diff,
        preview=made.id is None,
        files=files,
        warnings=made.warnings,
        refused=tuple(RefusedPart(file.path, error) for file, error in refused),
        applied=applied,
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
        "or none (partial: those that fit). Context must be text that is there; line "
        "numbers and counts may be off."
    ),
    arguments=PatchArguments,
    run=run,
    toolset="edit",
    writes=True,
    destructive=True,
    idempotent=False,
)
