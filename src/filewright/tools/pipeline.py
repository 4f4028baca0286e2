"""Changes of files by tools: a plan of every file, then one commit.

A tool calls `plan_change` with the plans of its files, decides from the result whether
that is only a preview, and else calls `commit_change`. `retry_stale_plan` repeats both
if another process saved one of the files in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Annotated, Generic, TypeVar

from filewright.changes.model import ChangeRecord, RecordedPath
from filewright.edit.build_diff import build_file_diff
from filewright.edit.changeset import ChangeSet, FilePlan, Step
from filewright.edit.diff import Diff, FileDiff
from filewright.edit.packed_steps import PackedSteps
from filewright.edit.text_plan import TextPlanT, plan_text
from filewright.errors import Code, FilewrightError
from filewright.hints import join_hints
from filewright.text import splice
from filewright.text.cache import REMEMBERED_WHOLE_BYTES
from filewright.text.notebook import view_if_notebook
from filewright.text.snapshot import VERSION_DIGITS, Snapshot
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.bounded_text import clip
from filewright.tools.context import Context
from filewright.tools.file_facts import describe_kept_form
from filewright.tools.file_outcome import FileOutcome, PackedOutcomes
from filewright.tools.syntax_warnings import find_warning

MAX_ATTEMPTS = 36
"""Attempts to change files that another program, such as one that logs, keeps saving."""
UNLOCKED_ATTEMPTS = 2
MAX_SUMMARY_CHARS = 200

MAX_REMEMBERED_FILES = 512
"""The files of a change whose new text is remembered for a later edit."""

MAX_WARNINGS = 20
"""The files whose syntax errors are reported; no more are parsed."""


class ChangeArguments(Arguments):
    """The arguments of every tool that changes files."""

    break_hard_links: Annotated[bool | None, RARE] = None
    """write a new file where the file has several hard links, so that the other
    names keep the old content; default: the setting"""
    undoable: Annotated[bool, RARE] = True
    """false: keep no copy of large files for an undo"""


ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class Change(Generic[ResultT]):
    """The change of a call: planned, and committed if it has an `id`.

    `diff` and `warnings` are those of all files. Without `steps` there is nothing to
    commit.
    """

    files: Sequence[FileOutcome[ResultT]]
    id: str | None
    diff: Diff
    warnings: tuple[str, ...] = ()
    steps: Sequence[Step] = ()


class StalePlanError(FilewrightError):
    """A file has changed between its plan and the commit; another plan may fit it."""


def retry_stale_plan(
    context: Context, plan_and_commit: Callable[[], ResultT]
) -> ResultT:
    """Plan and commit; repeat both if another process saved a file in between.

    The conflicts of failed attempts are added to the error of the last attempt.
    """
    conflicts: list[str] = []
    for attempt in range(1, MAX_ATTEMPTS + 1):
        try:
            with _lock_for(context, attempt):
                return plan_and_commit()
        except StalePlanError as error:
            if attempt == MAX_ATTEMPTS:
                _add_conflicts(error, conflicts)
                raise
            # Conflicts of a merge are not sentences, and belong to their attempt alone.
            for conflict in error.details.get("conflicts", []):
                if isinstance(conflict, str):
                    conflicts.append(conflict)
        except FilewrightError as error:
            _add_conflicts(error, conflicts)
            raise
    raise AssertionError("unreachable")


def _lock_for(context: Context, attempt: int) -> AbstractContextManager[None]:
    """Return the lock of the workspace, or none for the first attempts."""
    # Planning without the lock lets other calls proceed. With it, only programs that do
    # not know of the lock can make a plan stale, such as one that writes a log.
    if attempt <= UNLOCKED_ATTEMPTS:
        return nullcontext()
    return context.changes.writing(task=context.task)


def _add_conflicts(error: FilewrightError, conflicts: Sequence[str]) -> None:
    """Add the conflicts of earlier attempts to the error of a later one."""
    if not conflicts:
        return
    own_conflicts = error.details.get("conflicts", [])
    error.details["conflicts"] = [*conflicts, *own_conflicts]
    hints = [*conflicts, error.hint] if error.hint else conflicts
    error.hint = join_hints(hints)


def plan_change(
    context: Context,
    file_plans: Iterable[FilePlan[ResultT]],
    *,
    max_diff_rows: int | None = None,
    is_preview: bool = False,
) -> Change[ResultT]:
    """Return the change of file plans, with diffs of at most `max_diff_rows` rows.

    Each file is open only until the next plan is requested, so everything that needs
    its content is built here. Nothing is written.
    """
    rows = context.settings.diff_lines
    if max_diff_rows is not None:
        rows = max_diff_rows
    # A later edit may name lines of the new text. Small files are kept for that, as far
    # as the memory goes; after a preview no edit can.
    memory = 0 if is_preview else context.settings.shown_bytes // 4
    files: PackedOutcomes[ResultT] = PackedOutcomes()
    diffs: list[FileDiff] = []
    warnings: list[str] = []
    copies: list[Step] = []
    steps = PackedSteps()
    for plan in file_plans:
        context.task.check()
        can_warn = len(warnings) < MAX_WARNINGS
        file = _build_outcome(context, plan, rows, can_warn=can_warn)
        if file.diff is not None:
            diffs.append(file.diff)
            rows -= file.diff.row_count + 1
        if file.warning:
            warnings.append(file.warning)
        memory -= len(file.content or b"")
        if memory <= 0 or len(files) >= MAX_REMEMBERED_FILES:
            file = replace(file, content=None)
        files.append(file)
        # Copies are of the files as they are before all other steps.
        if plan.is_copy:
            copies += plan.steps
        else:
            steps.extend(plan.steps)
        if plan.before is not None:
            plan.before.release()
        # The content of this file must be gone before the next one is opened.
        del plan, file
    if copies:
        steps = PackedSteps([*copies, *steps])
    return Change(
        files=files,
        id=None,
        diff=Diff(tuple(diffs)),
        warnings=tuple(warnings),
        steps=steps,
    )


def commit_change(
    context: Context,
    change: Change[ResultT],
    tool: str,
    summary: str,
    options: ChangeArguments,
) -> Change[ResultT]:
    """Commit a planned change and return it with its id.

    A change without steps is returned as it is. Raise `StalePlanError` if a file has
    changed since its plan.
    """
    if not change.steps:
        return change
    break_hard_links = options.break_hard_links
    if break_hard_links is None:
        break_hard_links = context.settings.break_hard_links
    change_set = ChangeSet(
        tool,
        clip(summary, MAX_SUMMARY_CHARS),
        change.steps,
        break_hard_links=break_hard_links,
        undoable=options.undoable,
    )
    try:
        record = context.changes.commit(change_set, task=context.task)
    except FilewrightError as error:
        # A change of which a part stays must not be made a second time.
        if error.code != Code.STALE_VERSION or "stays" in error.details:
            raise
        stale_plan = StalePlanError(
            error.code, error.summary, error.hint, details=error.details
        )
        stale_plan.also = error.also
        raise stale_plan from error
    versions = _read_versions(record)
    files = []
    for file in change.files:
        version = None
        if file.diff is not None:
            version = versions.get(RecordedPath.from_location(file.location))
        files.append(_note_committed(context, file, version))
    return replace(change, files=tuple(files), id=record.id)


def _read_versions(record: ChangeRecord) -> dict[RecordedPath, str]:
    """Return the versions of files after a change, as far as its record is readable.

    A record of many files is read from the log. The change is made even if that fails;
    files then have the versions that were planned.
    """
    versions: dict[RecordedPath, str] = {}
    with suppress(FilewrightError):
        for change in record.file_changes:
            if change.after is not None and change.after.digest is not None:
                versions[change.path] = change.after.digest[:VERSION_DIGITS]
    return versions


def _note_committed(
    context: Context, file: FileOutcome[ResultT], committed_version: str | None
) -> FileOutcome[ResultT]:
    """Remember the new text of a file, and return the file with its version."""
    version = file.version
    if version is not None and file.is_known:
        context.seen.record_known(context.session, file.location, version)
    # Another program may have appended to the file before its commit.
    if committed_version is not None:
        version = committed_version
    if version is not None and file.content is not None:
        context.shown.remember(file.location, version, file.content)
    return replace(file, version=version, content=None)


def _build_outcome(
    context: Context, plan: FilePlan[ResultT], max_rows: int, *, can_warn: bool
) -> FileOutcome[ResultT]:
    """Build the diff, the new version and the warning of a file while it is open."""
    before = plan.before
    if before is None:
        return FileOutcome(plan.result, plan.location)
    hard_links = 1
    if before.status is not None:
        hard_links = before.status.st_nlink
    outcome = FileOutcome(
        plan.result,
        plan.location,
        version=before.version,
        hard_links=hard_links,
    )
    if not plan.steps:
        return outcome
    header = FileDiff(
        plan.old_name,
        plan.new_name,
        mode_before=plan.mode_before,
        mode_after=plan.mode_after,
        is_copy=plan.is_copy,
    )
    shown_text, shown_splices = plan.view or (before, plan.splices)
    diff = build_file_diff(
        header, shown_text, shown_splices, max_lines=max(max_rows, 0)
    )
    versions = context.seen.known_versions(context.session, plan.location)
    return replace(
        _with_new_text(context, plan, before, outcome, can_warn=can_warn),
        diff=diff,
        kept_form=_describe_form(plan, before),
        is_known=plan.is_complete or before.version in versions,
    )


def _with_new_text(
    context: Context,
    plan: FilePlan[ResultT],
    before: Snapshot,
    outcome: FileOutcome[ResultT],
    *,
    can_warn: bool,
) -> FileOutcome[ResultT]:
    """Return the outcome with the version, the content and the warning of the new text."""
    if plan.new_name is None or before.content is None:
        return replace(outcome, version=None)
    content = splice.apply_splices(before.content, plan.splices)
    after = Snapshot(
        content,
        encoding=before.encoding.name,
        location=plan.location,
        settings=context.settings,
    )
    warning = ""
    if can_warn and plan.splices:
        warning = find_warning(context, plan.location, before, after)
    is_small = len(before.content) <= REMEMBERED_WHOLE_BYTES
    return replace(
        outcome,
        version=after.version,
        warning=warning,
        content=content if is_small else None,
    )


def _describe_form(plan: FilePlan[ResultT], before: Snapshot) -> str:
    """Return the unusual properties that a modified file keeps, or ""."""
    if not plan.old_name or not plan.new_name:
        return ""
    if plan.splices and plan.splices[0].offset < before.start:
        # The byte order mark itself is changed.
        return ""
    return describe_kept_form(before)


# Changes of one text


def change_text(
    context: Context,
    tool: str,
    path: str,
    plan: Callable[[Snapshot], TextPlanT],
    *,
    preview: bool = False,
) -> Change[TextPlanT]:
    """Change the text file at `path` as `plan` says of its snapshot, or preview that."""
    location = context.boundary.locate(path)

    def plan_file() -> Iterable[FilePlan[TextPlanT]]:
        context.boundary.require_writable(location)
        with context.open(location, text=True) as snapshot:
            yield plan_text(view_if_notebook(snapshot, context.task), plan)

    def plan_and_commit() -> Change[TextPlanT]:
        planned = plan_change(context, plan_file(), is_preview=preview)
        if preview:
            return planned
        summary = f"{tool}: {location.display_path}"
        return commit_change(context, planned, tool, summary, ChangeArguments())

    return retry_stale_plan(context, plan_and_commit)
