"""`apply_patch`: any number of files in one transaction, in either notation."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary import Location
from filewright.changes import ChangeRecord, Place
from filewright.edit import FileOutcome, FilePatch, HunkOutcome, Patch, PatchTarget, fits
from filewright.edit import parse_patch as parse
from filewright.edit import plan_patch as plan
from filewright.errors import Code, FilewrightError, invalid
from filewright.text import decoded
from filewright.tools.context import Context
from filewright.tools.pipeline import Change, ChangeArguments, Changed, Decided, change
from filewright.tools.registry import Tool
from filewright.tools.result import ChangeResult, DiffWanted, Page, optional, plain
from filewright.visible import visible
from filewright.wording import counted, listed

_DONE = ("modified", "created", "deleted", "renamed", "copied")

_CHANGES = 500
"""How many of the newest changes are asked where a file has gone."""

_WALKED = 100_000
"""Files whose names are looked at to find one elsewhere, once in a call."""

_ALIKE = 50
"""Files of one name that are looked into."""

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
        looking.origin.clear()
        changed = False
        for file in plan(
            patch, looking.look, task=context.task, refused=refused if arguments.partial else None
        ):
            changed = True
            yield Decided(
                _patched(file), file.location, file.steps, file.before, file.splices, file.name, file.new_name,
                mode_before=file.mode_before, mode_after=file.mode_after, copied=file.kind == "copy",
            )  # fmt: skip
        if not changed:
            raise _none_fits(refused)

    made = change(
        context,
        "apply_patch",
        decide,
        arguments,
        summary=_summary,
        preview=arguments.preview,
    )
    return _answer(context, arguments, patch, made, refused, looking.origin)


def _summary(files: Sequence[Changed[PatchedFile]]) -> str:
    if len(files) == 1:
        file = files[0].decision
        return f"{file.operation} {file.was} to {file.path}" if file.was else f"{file.operation} {file.path}"
    counts = Counter(file.decision.operation for file in files)
    return f"{len(files)} files: {', '.join(f'{counts[word]} {word}' for word in _DONE if counts[word])}"


def _refusals(
    problems: Sequence[tuple[FilePatch, FilewrightError]],
) -> tuple[tuple[RefusedPart, ...], tuple[str, ...], list[str]]:
    """The files that were refused and those that are as they should be already; and lines that say so."""
    inside = sorted(problems, key=lambda problem: problem[0].line)
    refused = tuple(RefusedPart(file.path, why) for file, why in inside if why.code != Code.ALREADY_APPLIED)
    applied = tuple(file.path for file, why in inside if why.code == Code.ALREADY_APPLIED)
    lines = [f"applied already: {visible(name)}" for name in applied]
    return refused, applied, [*lines, *(f"refused: {visible(part.path)}: {part.error}" for part in refused)]


def _none_fits(problems: Sequence[tuple[FilePatch, FilewrightError]]) -> FilewrightError:
    """The error for a patch of which no file can be changed: that of the first, which names all."""
    refused, applied, lines = _refusals(problems)
    first = refused[0].error if refused else problems[0][1]
    if len(problems) == 1:
        return first
    facts = {**first.details, "refused": plain(refused), "applied": list(applied)}
    return FilewrightError(
        first.code, "\n".join(["no file of the patch is changed", *lines]), first.hint, details=facts
    )


def _rest(text: str, patch: Patch, problems: Sequence[tuple[FilePatch, FilewrightError]]) -> str:
    """The part of the patch's text that is of the files that were refused."""
    lines = [f"{line}\n" for line in text.split("\n")]  # as the parser counts them
    files = [file for file, why in problems if why.code != Code.ALREADY_APPLIED]
    files.sort(key=lambda file: file.line)
    rest = "".join(line for file in files for line in lines[file.line - 1 : file.end])
    return f"*** Begin Patch\n{rest}*** End Patch\n" if patch.notation == "envelope" else rest


class _Looking:
    """Finds the files that a patch names, where they are or where they have gone (`origin`: how, by the new name)."""

    def __init__(self, context: Context, arguments: PatchArguments, patch: Patch) -> None:
        self.origin: dict[str, str] = {}
        self._context = context
        self._arguments = arguments
        # A new file has its name, whatever has gone from there.
        files = (*patch.files, *patch.otherwise)
        self._changed = {file.old: file for file in files if file.old is not None}
        self._newest: Sequence[ChangeRecord] | None = None
        self._named: dict[bytes, list[Location]] | None = None

    def look(self, path: str) -> PatchTarget:
        """What is at a path. Raises what the boundary raises."""
        context, file = self._context, self._changed.get(path)
        location = context.boundary.locate(path)
        context.boundary.guard_write(location)
        try:
            return self._target(location)
        except FilewrightError as error:
            if error.code != Code.NOT_FOUND:
                raise
            if file is not None and (there := self._moved_to(location)) is not None:
                self.origin[there.shown] = f", where {visible(path)} was moved to"
            elif file is not None and (there := self._elsewhere(location, file)) is not None:
                self.origin[there.shown] = f", found for {visible(path)} by its name and content"
            else:
                if file is not None:
                    self._advise_strip(path, file, error)
                key = (context.key_of_missing(location), location.name)
                return PatchTarget(location, None, key, missing=error)
        context.boundary.guard_write(there)
        return self._target(there)

    def _target(self, location: Location) -> PatchTarget:
        context = self._context
        with context.open(location, hold=False) as snapshot:
            status = snapshot.status
        assert status is not None
        key = (status.st_dev, status.st_ino)
        return PatchTarget(location, lambda: context.open(location), key, stat.S_IMODE(status.st_mode))

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

    def _elsewhere(self, location: Location, file: FilePatch) -> Location | None:
        """Of a partial application: the one other file of that name in which all hunks have a place."""
        context = self._context
        if not self._arguments.partial or not file.hunks:
            return None
        if self._named is None:
            self._named = {}
            top = Location(location.root, (), "")
            walk = context.boundary.walk(top, kinds=["file"], changing=True, task=context.task)
            for entry in islice(walk, _WALKED):
                self._named.setdefault(entry.location.name, []).append(entry.location)
        found: list[Location] = []
        for there in self._named.get(location.name, [])[:_ALIKE]:
            with suppress(FilewrightError), context.open(there) as snapshot:
                if fits(file, snapshot, context.task):
                    found.append(there)
        return found[0] if len(found) == 1 else None

    def _advise_strip(self, path: str, file: FilePatch, error: FilewrightError) -> None:
        """Add to the refusal of a file that is not there the `strip` with which one is."""
        arguments, context = self._arguments, self._context
        root = "" if arguments.root in ("", ".") else f"{arguments.root.rstrip('/')}/"
        parts = path.removeprefix(root).split("/")
        for fewer in range(1, min(len(parts), _PARTS)):
            shorter = root + "/".join(parts[fewer:])
            if context.exists(context.boundary.locate(shorter)):
                strip = max(arguments.strip, int(file.prefixed)) + fewer
                error.hint = f"with strip={strip} it is {visible(shorter)}, which is there"
                error.details["strip"] = strip
                return


def _answer(
    context: Context,
    arguments: PatchArguments,
    patch: Patch,
    made: Change[PatchedFile],
    problems: Sequence[tuple[FilePatch, FilewrightError]],
    origin: Mapping[str, str],
) -> PatchResult:
    refused, applied, told = _refusals(problems)
    page = Page(context.settings.page_chars)
    done = "would be changed (preview; nothing was written)" if made.id is None else "changed"
    ending = f"; change {made.id}" if made.id is not None else ""
    page.add(f"{counted(len(made.files), 'file')} {done}{ending}")
    files = tuple(file.decision for file in made.files)
    diff = made.diff
    seen = context.previewed(arguments, diff.text, preview=arguments.preview)
    left = 0 if seen else page.extend((_row(file, origin) for file in files), reserve=2000)
    if left:
        page.add(f"[{counted(left, 'more file')}]")
    page.extend(f"[warning: {visible(warning)}]" for warning in made.warnings)
    page.extend(told)
    rest = _rest(arguments.patch or "", patch, problems) if refused else ""
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
        refused=refused,
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


def _row(file: PatchedFile, origin: Mapping[str, str]) -> str:
    """A file with the line of each hunk, and what was looked past."""
    came = origin.get(file.path or "", f" from {visible(file.was)}" if file.was is not None else "")
    notes = [_note(hunk) for hunk in file.hunks]
    placed = f" ({listed(notes, _HUNKS, '; ')})" if notes else ""
    return f"{file.operation}: {visible(file.path or '')}{came}{placed}"


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
