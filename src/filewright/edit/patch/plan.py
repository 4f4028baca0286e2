"""Planning a patch against the files it names: a plan for each file, or an error.

Planning opens no file by itself: the files are looked up by a callback, which alone
knows the boundary. All paths are looked up and compared with one another before any
hunk is placed, so that a wrong path costs no search. Only one file's content is open
at a time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from filewright.edit.changeset import FilePlan
from filewright.edit.patch.explain import (
    already_applied_error,
    no_change_error,
    patch_error,
)
from filewright.edit.patch.file_plan import PatchedFile, fits_file, plan_file
from filewright.edit.patch.model import (
    FilePatch,
    Patch,
    PatchFilePart,
    PatchHunkPart,
)
from filewright.edit.patch.targets import FileTargets, FindTarget, find_targets
from filewright.errors import Code, FilewrightError
from filewright.progress import Task


@dataclass(frozen=True, slots=True)
class FileRefusal:
    """A file of a patch that is not changed, or some of its hunks, and the errors.

    `hunks` are the hunks that are not applied, each with its error at the same index;
    without them the whole file is refused, by one error.
    """

    file: FilePatch
    errors: tuple[FilewrightError, ...]
    hunks: tuple[PatchHunkPart, ...] = ()

    @property
    def error(self) -> FilewrightError:
        """The first error."""
        return self.errors[0]

    @property
    def is_applied(self) -> bool:
        """True if the file holds the result of the patch already."""
        return self.error.code == Code.ALREADY_APPLIED

    @property
    def part(self) -> PatchFilePart:
        """The refused part of the patch."""
        return PatchFilePart(self.file, self.hunks)


def plan_patch(
    patch: Patch,
    find_target: FindTarget,
    *,
    words: Mapping[str, str] = MappingProxyType({}),
    task: Task | None = None,
) -> Iterator[FilePlan[PatchedFile] | FileRefusal]:
    """Yield the plan of each file of a patch; its `before` is open until the next one.

    Files that hold the result of the patch already follow as refusals. `words` are
    names that the files may have in the place of those of the patch.

    An error comes after the plans of the files that fit, and covers all files and hunks
    that do not: the caller must commit nothing before the iteration has ended.

    Raise `invalid_input` (a new file or name that is taken, a file named twice),
    `not_found`, `is_binary`, `unencodable`, `patch_failed` (with file, hunk and the
    nearest text), `already_applied` (all of it), `no_change`, `cancelled`, `timeout`,
    and the errors of `find_target`.
    """
    refusals: list[FileRefusal] = []
    done_hunks: list[str] = []
    has_changes = False
    planner = _PatchPlanner(
        patch, find_target, task or Task(), words, is_partial=False
    )
    for outcome in planner.plan_all():
        if isinstance(outcome, FileRefusal):
            refusals.append(outcome)
        else:
            has_changes = has_changes or bool(outcome.steps)
            done_hunks += _list_done_hunks(outcome.result)
            yield outcome
        # The name would hold a whole file while the next one is read.
        del outcome
    applied = [refusal for refusal in refusals if refusal.is_applied]
    uncertain = [
        refusal for refusal in applied if refusal.error.__cause__ is not None
    ]
    failures: list[FilewrightError] = []
    for refusal in refusals:
        if not refusal.is_applied:
            failures += refusal.errors
    if failures or (uncertain and has_changes):
        # A file that may be applied already fails too if others are to be changed: its
        # cause says which hunk does not apply.
        for refusal in uncertain:
            assert isinstance(refusal.error.__cause__, FilewrightError)
            failures.append(refusal.error.__cause__)
            applied.remove(refusal)
        done_files = [refusal.file.path for refusal in applied]
        raise patch_error(failures, [*done_files, *done_hunks])
    if not has_changes:
        if not applied:
            raise no_change_error()
        raise already_applied_error(
            [
                file
                for refusal in applied
                for file in refusal.error.details["files"]
            ]
        )
    yield from applied


def _list_done_hunks(file: PatchedFile) -> list[str]:
    """Return the names of the hunks of a file that are applied already."""
    return [
        f"hunk {hunk.number} of {file.path} at line {hunk.line}"
        for hunk in file.hunks
        if hunk.tier == "already_applied"
    ]


def plan_partial_patch(
    patch: Patch,
    find_target: FindTarget,
    *,
    words: Mapping[str, str] = MappingProxyType({}),
    task: Task | None = None,
) -> Iterator[FilePlan[PatchedFile] | FileRefusal]:
    """Yield a plan for each file with hunks that fit, then the refusals.

    A file of which some hunks fit has both. The refusals are in the order of the patch.
    Raise only `cancelled` and `timeout`, which end the call.
    """
    refusals: list[FileRefusal] = []
    planner = _PatchPlanner(
        patch, find_target, task or Task(), words, is_partial=True
    )
    for outcome in planner.plan_all():
        if isinstance(outcome, FileRefusal):
            refusals.append(outcome)
        else:
            yield outcome
        # The name would hold a whole file while the next one is read.
        del outcome
    yield from sorted(refusals, key=lambda refusal: refusal.file.first_line)


class _PatchPlanner:
    """Plans the files of a patch, one after the other.

    With `is_partial`, hunks that do not fit are refused alone, and a file that would not
    change is refused.
    """

    def __init__(
        self,
        patch: Patch,
        find_target: FindTarget,
        task: Task,
        words: Mapping[str, str],
        *,
        is_partial: bool,
    ) -> None:
        # The choice of a reading, renames and copies look up one path several times.
        self._find_target = cache(find_target)
        self._task = task
        self._words = words
        self._is_partial = is_partial
        self._files = self._choose_reading(patch)

    def plan_all(self) -> Iterator[FilePlan[PatchedFile] | FileRefusal]:
        """Yield the plan or the refusal of each file."""
        names: dict[Hashable, str] = {}
        all_targets: list[FileTargets] = []
        for file in self._files:
            self._task.check()
            try:
                all_targets.append(find_targets(file, self._find_target, names))
            except FilewrightError as error:
                yield _to_refusal(file, error)
        for targets in all_targets:
            self._task.check()
            with targets.open_old() as before:
                try:
                    planned = plan_file(
                        targets,
                        before,
                        self._task,
                        is_partial=self._is_partial,
                        words=self._words,
                    )
                    plan = planned.plan
                    if self._is_partial and plan and not plan.steps:
                        raise no_change_error()
                except FilewrightError as error:
                    yield _to_refusal(targets.file, error)
                    continue
                if planned.refusals:
                    yield FileRefusal(
                        targets.file,
                        tuple(refusal.error for refusal in planned.refusals),
                        tuple(refusal.part for refusal in planned.refusals),
                    )
                if plan is not None:
                    yield plan
                del plan, planned

    def _choose_reading(self, patch: Patch) -> tuple[FilePatch, ...]:
        """Return the files of a patch, read in the way that fits the files.

        Where two lines may be changed lines or the header of the next file, they are
        changed lines if all hunks then have a place.
        """
        if not patch.alternative_files:
            return patch.files
        for file in patch.files:
            if file in patch.alternative_files:
                continue
            # An error here is no answer to the question. It is raised again, and
            # reported, when the file is planned.
            with suppress(FilewrightError):
                target = self._find_target(file.path)
                if target.open is None:
                    continue
                with target.open() as snapshot:
                    if not fits_file(file, snapshot, self._task):
                        return patch.alternative_files
        return patch.files


def _to_refusal(file: FilePatch, error: FilewrightError) -> FileRefusal:
    """Return the refusal of a file, or raise an error that ends the call."""
    if error.ends_call:
        raise error
    return FileRefusal(file, (error,))
