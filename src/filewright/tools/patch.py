"""`apply_patch`: a patch of any number of files, in either notation, as one change."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.edit.changeset import FilePlan
from filewright.edit.diff import Diff, DiffHunk, FileDiff
from filewright.edit.patch.file_plan import HunkOutcome, PatchedFile
from filewright.edit.patch.model import FilePatch, Patch
from filewright.edit.patch.plan import (
    FileRefusal,
    plan_partial_patch,
    plan_patch,
)
from filewright.edit.patch.reader import parse_patch
from filewright.errors import FilewrightError, invalid, too_many
from filewright.hints import fill, join_words
from filewright.text.codec import decode
from filewright.tools.arguments import RARE
from filewright.tools.batch import ItemResult
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.context import Context
from filewright.tools.file_outcome import FileOutcome
from filewright.tools.patch_targets import PatchTargets, find_patch_root
from filewright.tools.pipeline import (
    Change,
    ChangeArguments,
    commit_change,
    plan_change,
    retry_stale_plan,
)
from filewright.tools.previews import find_diff_view
from filewright.tools.result import (
    ChangeResult,
    DiffMode,
    error_data,
    optional,
)
from filewright.tools.tool import Tool
from filewright.wording import escape_controls, join_limited, pluralize

MAX_NAMED_HUNKS = 12
"""The hunks of a file that are named with their lines."""

# A hunk of another tier is not in the file as the patch has it.
_EXACT_TIERS = ("exact", "already_applied", "sent_twice")
# Characters that the lines about files leave for the diff.
_RESERVED_CHARS = 2_000
_OPERATIONS = ("modified", "created", "deleted", "renamed", "copied")


class PatchArguments(ChangeArguments):
    """The patch."""

    patch: str | None = None
    """a unified diff or a `*** Begin Patch` envelope; see [patches](patches.md)"""
    patch_path: str | None = None
    """a file that holds the patch, instead of `patch`"""
    root: Annotated[str, RARE] = "."
    """the folder to which the patch's paths are relative; default: `.`, or else
    the folder of `patch_path`"""
    strip: Annotated[int, Field(ge=0), RARE] = 0
    """leading parts of the paths to leave out, counted as by `patch -p` and `git apply -p` (`a/` and
    `b/` are the first); `0`: only `a/` and `b/`
    """
    names: dict[str, str] | None = Field(
        None, description="{old: new} of files or names, as a refusal says"
    )
    """today's names for names in the patch, `{old: new}`: of renamed files
    (both paths from the root, or both as in the patch), and of renamed
    variables and functions"""
    partial: bool = False
    """true: apply the hunks that fit, and return the rest as a patch"""
    preview: bool = False
    diff: Annotated[DiffMode, RARE] = "auto"
    renames: Annotated[
        SkipJsonSchema[bool],
        Field(description="by two names in a header; for dialects"),
    ] = False


@dataclass(frozen=True, kw_only=True)
class PatchResult(ChangeResult):
    """The files that a patch changed, or would change.

    Of a patch applied in part, `refused` are the other files, `rest` is a patch of
    those, and `applied` names the files that hold the result already.
    """

    files: tuple[PatchedFile, ...]
    warnings: tuple[str, ...]
    refused: tuple[ItemResult, ...] = optional(())
    applied: tuple[str, ...] = optional(())
    rest: str = optional("")


@dataclass(frozen=True, slots=True)
class _Application:
    """The change of a patch, the files that it refuses, and the origins of moved files."""

    change: Change[PatchedFile]
    refusals: Sequence[FileRefusal]
    origins: Mapping[str, str]

    @property
    def applied(self) -> list[FilePatch]:
        """The files that hold the result of the patch already."""
        return [refusal.file for refusal in self.refusals if refusal.is_applied]

    @property
    def failures(self) -> list[FileRefusal]:
        """The files that the patch does not fit."""
        return [refusal for refusal in self.refusals if not refusal.is_applied]


def apply_patch(context: Context, arguments: PatchArguments) -> PatchResult:
    """Apply a patch to all of its files as one change, or with `partial` to some."""
    text = _read_text(context, arguments)
    patch = parse_patch(text, renames=arguments.renames)
    root = arguments.root
    if arguments.patch_path is not None and root == ".":
        root = find_patch_root(
            context, patch, arguments.strip, arguments.patch_path
        )
    if arguments.strip or root not in ("", "."):
        patch = patch.relocate(root, arguments.strip)
    application = retry_stale_plan(
        context, partial(plan_and_commit, context, arguments, patch, root)
    )
    change = application.change
    failures = application.failures
    rest = ""
    if failures:
        rest = patch.extract(text, [refusal.part for refusal in failures])
    view = find_diff_view(context, arguments, change)
    loose_lines = _find_loose_lines(change)
    # Of hunks that fit as they are, the patch itself has the context.
    exact_paths = {file.path for file in change.diff.files} - loose_lines.keys()
    view = replace(
        view, bare_paths=frozenset(exact_paths), loose_lines=loose_lines
    )
    return PatchResult(
        text=render_patch(
            application,
            patch,
            rest,
            view,
            context.settings.page_chars,
            knows_patch=arguments.patch is not None,
        ),
        change_id=change.id,
        difference=change.diff,
        preview=change.id is None,
        files=tuple(file.result for file in change.files),
        warnings=change.warnings,
        refused=tuple(
            ItemResult(refusal.file.path, error=error)
            for refusal in failures
            for error in refusal.errors
        ),
        applied=tuple(file.path for file in application.applied),
        rest=rest,
    )


def plan_and_commit(
    context: Context, arguments: PatchArguments, patch: Patch, root: str
) -> _Application:
    """Plan all files of a patch, then commit them unless this is a preview."""
    targets = PatchTargets(
        context,
        patch,
        root=root,
        strip=arguments.strip,
        names=arguments.names or {},
        is_partial=arguments.partial,
    )
    refusals: list[FileRefusal] = []

    def plan_files() -> Iterator[FilePlan[PatchedFile]]:
        plan = plan_partial_patch if arguments.partial else plan_patch
        for outcome in plan(
            patch, targets.find, words=targets.words, task=context.task
        ):
            if isinstance(outcome, FileRefusal):
                refusals.append(outcome)
            else:
                yield outcome
            # The name would hold a whole file while the next one is read.
            del outcome

    change = plan_change(context, plan_files(), is_preview=arguments.preview)
    if not change.files:
        raise _nothing_fits(refusals)
    if not arguments.preview:
        summary = _summarize(change.files)
        change = commit_change(
            context, change, "apply_patch", summary, arguments
        )
    return _Application(change, refusals, targets.origins)


def _find_loose_lines(
    change: Change[PatchedFile],
) -> dict[str, tuple[range, ...]]:
    """Return the lines afterwards, by path, of the hunks that fit only loosely."""
    lines_by_path: dict[str, tuple[range, ...]] = {}
    for file in change.files:
        if file.diff is None:
            continue
        lines = tuple(
            range(hunk.new, hunk.new + hunk.new_count)
            for hunk in _find_loose_hunks(file.result, file.diff)
        )
        if lines:
            lines_by_path[file.diff.path] = lines
    return lines_by_path


def _find_loose_hunks(
    file: PatchedFile, diff: FileDiff
) -> tuple[DiffHunk, ...]:
    """Return the hunks of a diff that are not in the file as the patch has them."""
    hunks = sorted(file.hunks, key=lambda hunk: hunk.line)
    ends = [hunk.line for hunk in hunks[1:]]
    loose_lines: list[range] = []
    for hunk, end in zip(hunks, [*ends, sys.maxsize], strict=False):
        if _is_loose(hunk):
            loose_lines.append(range(hunk.line, end))
    return tuple(
        hunk
        for hunk in diff.hunks
        if any(
            hunk.old < lines.stop and lines.start < hunk.old + hunk.old_count
            for lines in loose_lines
        )
    )


def _is_loose(hunk: HunkOutcome) -> bool:
    """Return True for a hunk that is not in its file as the patch has it."""
    is_exact = hunk.tier in _EXACT_TIERS
    return not is_exact or bool(hunk.renamed) or hunk.repaired


def _read_text(context: Context, arguments: PatchArguments) -> str:
    """Return the text of the patch: the argument, or the content of a file."""
    limit = context.settings.max_input_bytes
    text = arguments.patch
    if arguments.patch_path is not None:
        if text is not None:
            raise invalid(
                "patch and patch_path were both given",
                "give one of them",
                argument="patch_path",
            )
        location = context.boundary.locate(arguments.patch_path)
        with context.open(location, text=True) as file:
            # A character has at most four bytes; one more shows that it is too long.
            content = file.read(file.start, 4 * limit + 1)
            text = decode(content, file.encoding)
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
    return text


def _nothing_fits(refusals: Sequence[FileRefusal]) -> FilewrightError:
    """Return the error for a patch that changes no file; it names all its files."""
    first = refusals[0].error
    for refusal in refusals:
        # A file that has the change already is no reason to call the patch applied.
        if not refusal.is_applied:
            first = refusal.error
            break
    message = ["no file of the patch is changed"]
    parts: list[dict[str, object]] = []
    for refusal in refusals:
        message += _describe(refusal)
        for error in refusal.errors:
            parts.append(
                {"path": refusal.file.path, "error": error_data(error)}
            )
    return FilewrightError(
        first.code,
        join_words("\n", message),
        details={**first.details, "refused": parts},
    )


def _summarize(files: Sequence[FileOutcome[PatchedFile]]) -> str:
    """Return the line of the history for a patch."""
    if len(files) == 1:
        file = files[0].result
        if file.was:
            return f"{file.operation} {file.was} to {file.path}"
        return f"{file.operation} {file.path}"
    counts = Counter(file.result.operation for file in files)
    parts = [
        f"{counts[operation]} {operation}"
        for operation in _OPERATIONS
        if counts[operation]
    ]
    return f"{len(files)} files: {', '.join(parts)}"


# Text


def render_patch(
    application: _Application,
    patch: Patch,
    rest: str,
    view: DiffView,
    max_characters: int,
    *,
    knows_patch: bool,
) -> str:
    """Return a line for each file with its diff, refusals and notes, and the rest.

    A caller that `knows_patch` is shown only the hunks that were applied otherwise.
    """
    change = application.change
    shown_change = change
    is_brief = view.mode == "auto" and not view.is_seen
    if knows_patch and change.id is not None and is_brief:
        shown_change = replace(change, diff=_omit_known_hunks(change))
    reply = ChangeReply(max_characters, shown_change, view)
    files = pluralize(len(change.files), "file")
    reply.add(f"{files} {reply.status('changed')}")
    if not view.is_seen:
        _add_files(
            reply, change.files, application.origins, knows_patch=knows_patch
        )
    notes: list[str] = []
    for refusal in application.refusals:
        notes += _describe(refusal)
    for file in change.files:
        for hunk in file.result.hunks:
            notes += [f"note: {file.result.path} {note}" for note in hunk.notes]
    for file_patch in patch.files:
        for idle_hunk in file_patch.idle_hunks:
            notes.append(
                f"note: hunk {idle_hunk.number} of {file_patch.path} changes "
                "nothing and was skipped"
            )
    reply.extend(notes)
    reply.finish()
    if rest:
        rest_files = pluralize(len(application.failures), "file")
        reply.add(f"[the rest, as a patch of {rest_files}:]")
        lines = rest.removesuffix("\n").split("\n")
        # Carriage returns at the ends of lines would be shown as escapes.
        reply.extend([line.removesuffix("\r") for line in lines], noun="line")
    return reply.text()


def _describe(refusal: FileRefusal) -> list[str]:
    """Return a text for each error of a file or its hunks that are not changed."""
    path = escape_controls(refusal.file.path)
    if refusal.is_applied:
        return [f"applied already: {path}"]
    rows: list[str] = []
    for error in refusal.errors:
        # The message of a hunk names its file.
        is_of_hunk = "hunk" in error.details
        problem = error.message
        if not is_of_hunk:
            problem = fill("{}: {}", path, problem)
        rows.append(fill("refused: {}", problem))
        if error.hint:
            rows.append(fill("hint: {}", error.hint))
    return rows


def _omit_known_hunks(change: Change[PatchedFile]) -> Diff:
    """Return the diff of the hunks that are not in their files as the patch has them."""
    files: list[FileDiff] = []
    for file in change.files:
        if file.diff is None:
            continue
        loose_hunks = _find_loose_hunks(file.result, file.diff)
        has_loose_hunk = any(map(_is_loose, file.result.hunks))
        if loose_hunks or (has_loose_hunk and file.diff.truncated):
            files.append(replace(file.diff, hunks=loose_hunks))
    return Diff(tuple(files))


def _add_files(
    reply: ChangeReply,
    files: Sequence[FileOutcome[PatchedFile]],
    origins: Mapping[str, str],
    *,
    knows_patch: bool,
) -> None:
    """Add the line of each changed file, and its diff below it if that is short."""
    left_out = 0
    for file in files:
        # Of a diff without the known hunks, the places of those are told too.
        shows_all = file.diff is not None and reply.shows_whole(file.diff)
        places = _describe_places(
            file.result.hunks, knows_patch=knows_patch, shows_diff=shows_all
        )
        row = _row(file, origins, places)
        if left_out or reply.extend([row], reserve=_RESERVED_CHARS):
            left_out += 1
        elif file.diff is not None and reply.is_brief:
            reply.add_short_diff(file.diff)
    if left_out:
        reply.add(f"[{pluralize(left_out, 'more file')}]")


def _row(
    outcome: FileOutcome[PatchedFile],
    origins: Mapping[str, str],
    hunks: Sequence[str],
) -> str:
    """Return the line of a changed file, with texts about its hunks, and its form."""
    file = outcome.result
    origin = origins.get(file.path, "")
    if not origin and file.was is not None:
        origin = f" from {file.was}"
    places = f" ({'; '.join(hunks)})" if hunks else ""
    return f"{file.operation}: {file.path}{origin}{places}{outcome.kept_form}"


def _describe_places(
    hunks: Sequence[HunkOutcome], *, knows_patch: bool, shows_diff: bool
) -> list[str]:
    """Return a text for each hunk whose place neither the patch nor the diff tells."""
    described: list[str] = []
    for hunk in hunks:
        has_place = shows_diff or (knows_patch and hunk.moved is not None)
        if not has_place or _is_loose(hunk) or hunk.tier != "exact":
            described.append(_describe_hunk(hunk))
    texts: list[str] = []
    if described:
        texts.append(join_limited(described, MAX_NAMED_HUNKS, "; "))
    if not shows_diff:
        texts += _describe_moves(hunks)
    return texts


def _describe_hunk(hunk: HunkOutcome) -> str:
    """Return the place of a hunk, and what was unusual about it."""
    parts = [f"hunk {hunk.number} at line {hunk.line}"]
    if hunk.tier == "already_applied":
        parts.append("applied already")
    elif hunk.tier == "sent_twice":
        parts.append("sent twice")
    elif hunk.tier != "exact":
        parts.append(f"matched by {hunk.tier}")
    if hunk.renamed:
        parts.append(f"with {', '.join(hunk.renamed)}")
    if hunk.repaired:
        parts.append("counts repaired")
    return ", ".join(parts)


def _describe_moves(hunks: Sequence[HunkOutcome]) -> list[str]:
    """Return by how many lines hunks are off their numbers, once for equal ones."""
    numbers: dict[int, list[int]] = {}
    placed_count = 0
    for hunk in hunks:
        if hunk.moved is not None:
            placed_count += 1
        if hunk.moved:
            numbers.setdefault(hunk.moved, []).append(hunk.number)
    texts: list[str] = []
    for moved, hunk_numbers in numbers.items():
        side = "below" if moved > 0 else "above"
        distance = f"{pluralize(abs(moved), 'line')} {side}"
        if len(hunk_numbers) == placed_count == len(hunks) == 1:
            texts.append(f"{distance} its number")
        elif len(hunk_numbers) == placed_count > 1:
            texts.append(f"{distance} their numbers")
        else:
            named_hunks = join_limited(hunk_numbers, MAX_NAMED_HUNKS)
            noun = "hunk" if len(hunk_numbers) == 1 else "hunks"
            texts.append(f"{noun} {named_hunks} {distance}")
    return texts


APPLY_PATCH = Tool(
    name="apply_patch",
    title="Apply a patch",
    description=(
        "Apply a unified diff or a *** Begin Patch envelope: all or nothing "
        "(partial: the hunks that fit). Lines and counts may be off."
    ),
    toolset="edit",
    arguments=PatchArguments,
    run=apply_patch,
    writes=True,
    destructive=True,
    idempotent=False,
)
