"""`apply_patch`: any number of files in one transaction, in either notation."""

from __future__ import annotations

import json
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.location import Location, Root
from filewright.boundary.walk_model import WalkOptions
from filewright.changes.model import ChangeRecord, RecordedPath
from filewright.edit.changeset import FilePlan
from filewright.edit.patch.file_plan import PatchedFile, fits_file
from filewright.edit.patch.model import FilePatch, Patch
from filewright.edit.patch.plan import (
    FileRefusal,
    plan_partial_patch,
    plan_patch,
)
from filewright.edit.patch.reader import parse_patch
from filewright.edit.patch.targets import PatchTarget
from filewright.errors import Code, FilewrightError, invalid, too_many
from filewright.text.codec import decode
from filewright.tools.context import Context
from filewright.tools.items import ItemResult
from filewright.tools.pipeline import ChangeArguments, Changed, Reply, change
from filewright.tools.result import (
    ChangeResult,
    DiffWanted,
    error_data,
    optional,
)
from filewright.wording import escape_controls, join_limited, pluralize

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
    patch_path: str | None = None
    """a file that holds the patch, instead of `patch`"""
    root: str = "."
    """the folder that the patch's paths are in; for a patch at `patch_path` its own folder, where none is at `.`"""
    strip: Annotated[int, Field(ge=0)] = 0
    """leading parts of the paths to leave out, counted as by `patch -p` and `git apply -p` (`a/` and
    `b/` are the first); `0`: only `a/` and `b/`
    """
    names: dict[str, str] | None = Field(
        None, description="renamed: {old: new}, as a refusal says"
    )
    """what files of the patch are called now, where they have other names: of each path the new one, both from the root
    or both as the patch names them"""
    partial: bool = False
    """true: apply the files whose hunks all fit, and return the rest as a patch"""
    preview: bool = False
    diff: DiffWanted = "auto"
    renames: Annotated[
        SkipJsonSchema[bool],
        Field(description="by two names in a header; for dialects"),
    ] = False


@dataclass(frozen=True, kw_only=True)
class PatchResult(ChangeResult):
    """What the patch did, or would do (`preview`), to each of its files.

    Of a partial application `refused` are the files it left as they are, `rest` is the patch of them; `applied`
    are those that read as the patch leaves them already.
    """

    files: tuple[PatchedFile, ...]
    warnings: tuple[str, ...]
    refused: tuple[ItemResult, ...] = optional(())
    applied: tuple[str, ...] = optional(())
    rest: str = optional("")


def apply_patch(context: Context, arguments: PatchArguments) -> PatchResult:
    """Plan every file of the patch, then commit all of it."""
    limit = context.settings.max_input_bytes
    text, path = arguments.patch, arguments.patch_path
    if path is not None:
        if text is not None:
            raise invalid(
                "patch and patch_path were both given",
                "give one of them",
                argument="patch_path",
            )
        with context.open(context.boundary.locate(path), text=True) as file:
            text = decode(file.read(file.start, 4 * limit + 1), file.encoding)
    if text is None:
        raise invalid(
            "apply_patch: argument 'patch' is missing",
            "give it; wanted: a string",
            argument="patch",
        )
    if len(text) > limit:
        raise too_many(
            len(text),
            limit,
            "characters of a patch",
            "send it in parts",
            "size",
        )
    patch = parse_patch(text, renames=arguments.renames)
    if path is not None and arguments.root == ".":
        arguments = arguments.model_copy(
            update={"root": _root_of(context, patch, arguments.strip, path)}
        )
    if arguments.strip or arguments.root not in ("", "."):
        patch = patch.relocate(arguments.root, arguments.strip)
    looking = _Looking(context, arguments, patch)
    problems: list[tuple[FilePatch, FilewrightError]] = []

    def decide() -> Iterator[FilePlan[PatchedFile]]:
        problems.clear()
        looking.origin.clear()
        if not arguments.partial:
            yield from plan_patch(patch, looking.look, task=context.task)
            return
        changed = False
        for one in plan_partial_patch(patch, looking.look, task=context.task):
            if isinstance(one, FileRefusal):
                problems.append((one.file, one.error))
                continue
            changed = True
            yield one
            del one
        if (
            not changed
        ):  # the error is that of the first that is refused, and names all
            errors = [error for _, error in problems]
            first = next(
                (
                    error
                    for error in errors
                    if error.code != Code.ALREADY_APPLIED
                ),
                errors[0],
            )
            said = (_told(*problem) for problem in problems)
            message = "\n".join(["no file of the patch is changed", *said])
            parts = [
                {"path": file.path, "error": error_data(error)}
                for file, error in problems
            ]
            raise FilewrightError(
                first.code, message, details={**first.details, "refused": parts}
            )

    made = change(
        context,
        "apply_patch",
        decide,
        arguments,
        summary=_summary,
        preview=arguments.preview,
    )
    page = Reply(context, arguments, made, outcome="")
    page.add(f"{pluralize(len(made.files), 'file')} {page.done('changed')}")
    if not page.seen:
        page.extend(
            (_row(file, looking.origin) for file in made.files),
            reserve=2000,
            more="file",
        )
    refused, results, applied, told = (
        list[FilePatch](),
        list[ItemResult](),
        list[str](),
        list[str](),
    )
    for one, error in problems:
        told.append(_told(one, error))
        if error.code == Code.ALREADY_APPLIED:
            applied.append(one.path)
        else:
            refused.append(one)
            results.append(ItemResult(one.path, error=error))
    told += (
        f"note: {file.decision.path} {note}"
        for file in made.files
        for hunk in file.decision.hunks
        for note in hunk.notes
    )
    told += (
        f"note: hunk {number} of {file.path} changes nothing, and is passed over"
        for file in patch.files
        for number in file.idle_hunks
    )
    page.extend(told)
    page.end()
    rest = patch.extract(text, refused) if refused else ""
    if rest:
        page.add(
            f"[the rest, as a patch of {pluralize(len(refused), 'file')}:]"
        )
        lines = rest.removesuffix("\n").split("\n")
        page.extend((line.removesuffix("\r") for line in lines), more="line")
    return PatchResult(
        **page.facts,
        files=tuple(file.decision for file in made.files),
        warnings=made.warnings,
        refused=tuple(results),
        applied=tuple(applied),
        rest=rest,
    )


def _summary(files: Sequence[Changed[PatchedFile]]) -> str:
    if len(files) == 1:
        file = files[0].decision
        return (
            f"{file.operation} {file.was} to {file.path}"
            if file.was
            else f"{file.operation} {file.path}"
        )
    counts = Counter(file.decision.operation for file in files)
    return f"{len(files)} files: {', '.join(f'{counts[word]} {word}' for word in _DONE if counts[word])}"


def _told(file: FilePatch, error: FilewrightError) -> str:
    if error.code == Code.ALREADY_APPLIED:
        return f"applied already: {escape_controls(file.path)}"
    return f"refused: {escape_controls(file.path)}: {error}"


@dataclass
class _Looking:
    """Finds the files that a patch names, where they are or where they have gone (`origin`: how, by the new name)."""

    context: Context
    arguments: PatchArguments
    patch: Patch
    origin: dict[str, str] = field(default_factory=dict)
    named: dict[Root, list[Location]] = field(default_factory=dict)

    @cached_property
    def _changed(self) -> dict[str, FilePatch]:
        """The files of the patch that were there; a new one has its name, whatever has gone from there."""
        files = (*self.patch.files, *self.patch.alternative_files)
        return {
            file.old_path: file for file in files if file.old_path is not None
        }

    @cached_property
    def _newest(self) -> Sequence[ChangeRecord]:
        return self.context.changes.history(limit=_CHANGES)

    def look(self, path: str) -> PatchTarget:
        """What is at a path. Raises what the boundary raises."""
        named = (
            self._now(path)
            if self.arguments.names and path in self._changed
            else None
        )
        location = self.context.boundary.locate(named or path)
        if named:
            self.origin[location.display_path] = f", for {path}"
        try:
            return self._target(location)
        except FilewrightError as error:
            if error.code != Code.NOT_FOUND:
                raise
            if file := self._changed.get(path):
                how = ", where {} was moved to"
                if (
                    there := self._moved_to(location)
                ) is None and self.arguments.partial:
                    there, how = (
                        self._elsewhere(location, file),
                        ", found for {} by its name and content",
                    )
                if there is not None:
                    self.origin[there.display_path] = how.format(path)
                    return self._target(there)
                if not self._advise_strip(path, file, error):
                    near = self._elsewhere(location, file)
                    if there := near or self._elsewhere(
                        location, file, any_name=True
                    ):
                        ours = f"if it is meant, names={json.dumps({path: there.display_path})}"
                        way = "partial=true" if near else ours
                        error.hint = f"its hunks fit {there.display_path} alone; {way} applies them there"
                        error.details["alike"] = [there.display_path]
            folder: object = location.parent.display_path
            with suppress(FilewrightError):
                folder = self.context.boundary.stat(location.parent).identity
            # Two spellings of a missing name are told by the folder it would be in.
            return PatchTarget(
                location, None, (folder, location.name), missing=error
            )

    def _now(self, path: str) -> str | None:
        """What a file of the patch is called now, if that is said: both names are from the root, or as the patch has
        them."""
        names, root = (
            self.arguments.names or {},
            f"{self.arguments.root.rstrip('/')}/",
        )
        if path in names:
            return names[path]
        named = names.get(path.removeprefix(root))
        if named is not None and self.context.exists(
            self.context.boundary.locate(root + named)
        ):
            return root + named
        return named

    def _target(self, location: Location) -> PatchTarget:
        context = self.context
        context.boundary.require_writable(location)
        with context.open(location, hold=False) as snapshot:
            status = snapshot.status
        assert status is not None
        key = (status.st_dev, status.st_ino)
        return PatchTarget(
            location,
            partial(context.open, location),
            key,
            stat.S_IMODE(status.st_mode),
        )

    def _moved_to(self, location: Location) -> Location | None:
        """Where changes on record have moved the file that is not there any more; None if it is not there either.

        What was made, removed or put at its name since, or at the name it has gone to, ends the trail.
        """
        changes = self.context.changes
        asked = place = changes.recorded_path(location)
        for record in reversed(self._newest):
            for entry in record.file_changes:
                was = entry.renamed_from
                if (
                    was is not None
                    and was.root == place.root
                    and place.parts[: len(was.parts)] == was.parts
                ):
                    place = RecordedPath(
                        entry.path.root,
                        (*entry.path.parts, *place.parts[len(was.parts) :]),
                    )
                    break
            else:
                ends = ("created", "deleted", "moved")
                if any(
                    entry.path in (asked, place) and entry.action in ends
                    for entry in record.file_changes
                ):
                    place = asked
        there = changes.locate(place) if place != asked else None
        return (
            there if there is not None and self.context.exists(there) else None
        )

    def _elsewhere(
        self, location: Location, file: FilePatch, *, any_name: bool = False
    ) -> Location | None:
        """The one other file of that name, or in its folder with a longer one, in which all hunks have a place.

        With `any_name` the one of that kind in its folder.
        """
        context, (stem, dot, suffix) = (
            self.context,
            location.name.partition(b"."),
        )
        if location.root not in self.named:
            top = Location(location.root, ())
            walk = context.boundary.walk(
                top,
                WalkOptions(kinds=["file"], for_change=True),
                task=context.task,
            )
            self.named[location.root] = [
                entry.location for entry in islice(walk, _WALKED)
            ]
        there = self.named[location.root]
        near = [other for other in there if other.name == location.name]
        beside = [
            o
            for o in there
            if o.parent == location.parent and o.name.endswith(dot + suffix)
        ]
        near += [
            o
            for o in beside
            if any_name or (len(stem) > 2 and o.name.startswith(stem))
        ]
        found: list[Location] = []
        # Of more it could not be said that one alone fits.
        for other in near if file.hunks and len(near) <= _ALIKE else ():
            with suppress(FilewrightError), context.open(other) as snapshot:
                if fits_file(file, snapshot, context.task):
                    found.append(other)
        return found[0] if len(found) == 1 else None

    def _advise_strip(
        self, path: str, file: FilePatch, error: FilewrightError
    ) -> bool:
        """Add to the refusal of a file that is not there the `strip` with which one is; whether there is one."""
        arguments, context = self.arguments, self.context
        root = (
            ""
            if arguments.root in ("", ".")
            else f"{arguments.root.rstrip('/')}/"
        )
        parts = path.removeprefix(root).split("/")
        for fewer in range(1, min(len(parts), _PARTS)):
            shorter = root + "/".join(parts[fewer:])
            if context.exists(context.boundary.locate(shorter)):
                strip = max(arguments.strip, int(file.has_prefix)) + fewer
                error.hint = f"with strip={strip} it is {escape_controls(shorter)}, which is there"
                error.details["strip"] = strip
                return True
        return False


def _root_of(context: Context, patch: Patch, strip: int, path: str) -> str:
    """The folder that a patch in the tree is of: its own, where files of it are there and none is at the root."""
    folder = path.rpartition("/")[0] or "."

    def there(root: str) -> bool:
        named = [
            file.old_path
            for file in patch.relocate(root, strip).files
            if file.old_path is not None
        ]
        return any(
            context.exists(context.boundary.locate(name)) for name in named
        )

    return folder if not there(".") and there(folder) else "."


def _row(changed: Changed[PatchedFile], origin: Mapping[str, str]) -> str:
    """A file with the line of each hunk, what was looked past, and what was kept."""
    file = changed.decision
    came = origin.get(
        file.path, f" from {file.was}" if file.was is not None else ""
    )
    placed: list[str] = []
    for hunk in file.hunks:
        parts = [f"hunk {hunk.number} at line {hunk.line}"]
        if hunk.tier != "exact":
            parts.append(
                "applied already"
                if hunk.tier == "already_applied"
                else f"matched by {hunk.tier}"
            )
        if hunk.moved:
            parts.append(
                f"{abs(hunk.moved)} lines {'below' if hunk.moved > 0 else 'above'} its number"
            )
        if hunk.repaired:
            parts.append("counts repaired")
        placed.append(", ".join(parts))
    where = f" ({join_limited(placed, _HUNKS, '; ')})" if placed else ""
    return f"{file.operation}: {file.path}{came}{where}{changed.form}"
