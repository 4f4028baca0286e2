"""`revert_edit`: the undo of a change, of a session, or of everything since a moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.location import Location
from filewright.changes.model import ChangeRecord, FileChange
from filewright.changes.selection import FilePart, Scope
from filewright.changes.undo import Reversal
from filewright.changes.undo_report import Conflict
from filewright.edit.diff import Diff, FileDiff
from filewright.errors import Code, FilewrightError, invalid
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.context import Context
from filewright.tools.history import MAX_FILES
from filewright.tools.pipeline import Change
from filewright.tools.previews import find_diff_view
from filewright.tools.result import ChangeResult, DiffMode, optional
from filewright.tools.tool import Tool
from filewright.wording import pluralize

MAX_SHOWN_FILES = 40
"""The files that the text of an undo names."""

MAX_STATES = 1_000
"""The states of a file that it can be restored to."""

MAX_NAMED_STATES = 20

# Changed lines of a diff that is shown although the undone change shows the same ones.
_MAX_REPEATED_ROWS = 6

NOTES_RESERVE = 1_000

_INVERSE_ACTIONS = {"created": "deleted", "deleted": "created"}


class RevertPart(Arguments):
    """A file of the changes to undo, and which of its hunks."""

    path: str
    """a file"""
    hunks: Annotated[
        Sequence[Annotated[int, Field(ge=1)]] | None, Field(min_length=1)
    ] = None
    """only these hunks, numbered from 1 as in its diff"""


class RevertArguments(Arguments):
    """The changes to undo, and how."""

    change_id: str | None = None
    """the change: its id or the beginning of it, `@` for the newest, `@~1` for
    the one before"""
    session: Annotated[str | None, Field(description="all; or `current`")] = (
        None
    )
    """all changes of a session that are not undone yet: its id, `current` or
    `last`"""
    since: Annotated[
        str | None,
        Field(description="all after a change or a time (ISO 8601)"),
        RARE,
    ] = None
    """all changes after a change or a time (ISO 8601, `14:30`, `20 min ago`);
    `CHANGE^` includes that change"""
    prompt: SkipJsonSchema[str | None] = None
    """all changes that belong to the same prompt as this change"""
    path: Annotated[
        str | None, Field(description="only this file or folder")
    ] = None
    """only the part of these changes in this file or folder; alone: the newest
    change of the file"""
    hunk: Annotated[
        int | None, Field(ge=1, description="only this hunk of its diff"), RARE
    ] = None
    """only this hunk of the change of one file, numbered from 1 as in its diff"""
    parts: SkipJsonSchema[
        Annotated[Sequence[RevertPart] | None, Field(min_length=1)]
    ] = None
    """only these files, all or some hunks of each, undone as one change"""
    preview: bool = False
    """true: show what would happen, write nothing"""
    diff: Annotated[DiffMode, RARE] = "auto"
    force: Annotated[
        bool,
        Field(
            description="over later changes",
        ),
    ] = False
    """restore the earlier content over whatever is there now, instead of merging or refusing"""
    partial: Annotated[bool, Field(description="keep what others changed")] = (
        False
    )
    """undo what can be undone, leave the lines that others have changed again, and show both sides of them"""
    break_hard_links: Annotated[bool | None, RARE] = None
    include_shared: Annotated[bool, RARE] = False
    """undo also changes that may belong to another command that ran at the same
    time"""


@dataclass(frozen=True, kw_only=True)
class RevertResult(ChangeResult):
    """The undo of the changes `reverted`, newest first; `files` are the first 200.

    `part` names the files and hunks that it is limited to. `conflicts` are of the lines
    and files that a partial undo leaves as they are.
    """

    what: str
    reverted: tuple[str, ...]
    notes: tuple[str, ...]
    files: tuple[str, ...]
    part: str = optional("")
    conflicts: tuple[Conflict, ...] = optional(())


@dataclass(frozen=True, slots=True)
class _Undo:
    """An undo, or its preview: `record` is None unless it was committed.

    `is_of_file`: only a path was named, so its newest change was meant. The diffs of
    `inverse_paths` are those of the undone change the other way round.
    """

    scope: Scope
    is_of_file: bool
    record: ChangeRecord | None
    reversal: Reversal
    diff: Diff
    inverse_paths: frozenset[str] = frozenset()

    @property
    def undone_record(self) -> ChangeRecord:
        """The change that is undone, or all of them as one."""
        return self.reversal.selected.record

    @property
    def change(self) -> Change[None]:
        """The change, with the files whose diffs tell something, ordered by path.

        A preview and a record have them in the order of their steps.
        """
        files = [
            file
            for file in self.diff.files
            if file.path not in self.inverse_paths
        ]
        files.sort(key=lambda file: file.path)
        change_id = self.record.id if self.record is not None else None
        return Change((), change_id, replace(self.diff, files=tuple(files)))

    def list_file_changes(self) -> Iterator[FileChange]:
        """Yield the file changes of the undo; of a preview, those that are undone.

        The record of an undo of many files is read from the log. The undo is made even
        if that fails: then the file changes up to there are all.
        """
        if self.record is None:
            yield from self.undone_record.file_changes
            return
        with suppress(FilewrightError):
            yield from self.record.file_changes

    @property
    def merged_paths(self) -> frozenset[str]:
        """The files that were merged, and whose diffs tell something."""
        return frozenset(self.reversal.merged) - self.inverse_paths

    @property
    def has_news(self) -> bool:
        """True if the diff shows more than the diff of the undone change does."""
        if self.record is None or self.merged_paths:
            return True
        return bool(self.reversal.remaining_conflicts)


def revert_edit(context: Context, arguments: RevertArguments) -> RevertResult:
    """Undo one change, or several together; the undo is itself a change."""
    scope = _find_scope(context, arguments)
    is_of_file = _names_only_a_path(arguments)
    break_hard_links = arguments.break_hard_links
    if break_hard_links is None:
        break_hard_links = context.settings.break_hard_links
    record, reversal = context.changes.undo(
        scope,
        force=arguments.force,
        break_hard_links=break_hard_links,
        include_shared=arguments.include_shared,
        in_part=arguments.partial,
        preview=arguments.preview,
        task=context.task,
    )
    diff = reversal.diff
    if record is not None:
        diff = _read_diff(context, record.id)
    undo = _Undo(scope, is_of_file, record, reversal, diff)
    view = find_diff_view(
        context,
        arguments,
        undo.change,
        outcome=str(reversal.remaining_conflicts),
    )
    if view.mode == "auto":
        undo = replace(undo, inverse_paths=_find_inverse_paths(context, undo))
    view = replace(
        view,
        has_news=undo.has_news or view.mode == "full",
        first_paths=undo.merged_paths,
    )
    return RevertResult(
        text=render_undo(undo, view, context.settings.page_chars),
        change_id=record.id if record is not None else None,
        difference=diff,
        preview=record is None,
        what=reversal.selected.description,
        reverted=reversal.selected.change_ids,
        notes=reversal.notes,
        files=tuple(
            change.path.display_path
            for change in islice(undo.list_file_changes(), MAX_FILES)
        ),
        part=reversal.selected.part,
        conflicts=reversal.remaining_conflicts[:MAX_FILES],
    )


def _names_only_a_path(arguments: RevertArguments) -> bool:
    """Return True if the call names a file and no change."""
    selectors = (
        arguments.change_id,
        arguments.session,
        arguments.since,
        arguments.prompt,
    )
    return arguments.path is not None and not any(
        value is not None for value in selectors
    )


def _find_scope(context: Context, arguments: RevertArguments) -> Scope:
    """Return the changes that a call names. Raise if it names them in two ways or none."""
    location = None
    if arguments.path is not None:
        location = context.boundary.locate(arguments.path)
        if _names_only_a_path(arguments):
            newest = _list_changes(
                context, location, 1, "get_history lists what is"
            )
            return Scope(newest[0].id, hunk=arguments.hunk)
    scope = Scope(
        arguments.change_id,
        arguments.session,
        arguments.since,
        location,
        arguments.hunk,
        arguments.prompt,
        _find_parts(context, arguments),
    )
    if scope.parts and (location is not None or scope.hunk is not None):
        raise invalid(
            "parts do not go with path and hunk",
            "give either parts, or path and hunk",
        )
    return require_one_selector("revert_edit", scope)


def _find_parts(
    context: Context, arguments: RevertArguments
) -> tuple[FilePart, ...]:
    """Return the files and hunks that a call is limited to."""
    parts: list[FilePart] = []
    for part in arguments.parts or ():
        hunks = None if part.hunks is None else frozenset(part.hunks)
        parts.append(FilePart(context.boundary.locate(part.path), hunks))
    return tuple(parts)


def require_one_selector(tool: str, scope: Scope) -> Scope:
    """Return the scope if it names a change, a session, a moment or a prompt: one of them."""
    selectors = (scope.change_id, scope.session, scope.since, scope.prompt)
    if sum(value is not None for value in selectors) != 1:
        raise invalid(
            f"{tool} takes one of change_id, session and since",
            "change_id for one change (get_history lists them), session for "
            "all of a session, since for everything after a change or a time",
        )
    return scope


def _read_diff(context: Context, change_id: str) -> Diff:
    """Return the diff of an undo that was committed, or of the change that it undoes.

    The diff is an extra: if it cannot be read, a remark says so, and the call succeeds.
    """
    try:
        return context.changes.diff(
            change_id, max_lines=context.settings.diff_lines, task=context.task
        )
    except FilewrightError as error:
        remark = f"(the diff cannot be shown: {error.message})\n"
        return Diff((FileDiff("", "", remark=remark),))


def _find_inverse_paths(context: Context, undo: _Undo) -> frozenset[str]:
    """Return the merged files of which the undo only takes back the lines of a change.

    Their diffs have more than a few lines, and the caller knows all of them.
    """
    change_ids = undo.reversal.selected.change_ids
    merged_paths = frozenset(undo.reversal.merged)
    if undo.record is None or len(change_ids) != 1 or not merged_paths:
        return frozenset()
    undone_diff = _read_diff(context, change_ids[0])
    undone_files = {file.path: file for file in undone_diff.files}
    inverse_files: list[FileDiff] = []
    for file in undo.diff.files:
        undone_file = undone_files.get(file.path)
        is_merged = file.path in merged_paths
        if is_merged and undone_file and file.takes_back(undone_file):
            inverse_files.append(file)
    row_count = sum(
        (file.added or 0) + (file.removed or 0) for file in inverse_files
    )
    if row_count <= _MAX_REPEATED_ROWS:
        return frozenset()
    return frozenset(file.path for file in inverse_files)


def _list_changes(
    context: Context, location: Location, limit: int, hint: str
) -> Sequence[ChangeRecord]:
    """Return the newest changes of a file. Raise `not_found` if there are none."""
    records = context.changes.history(location=location, limit=limit)
    if not records:
        path = location.requested_path
        raise FilewrightError(
            Code.NOT_FOUND, f"no change of {path} is recorded", hint, path=path
        )
    return records


# Text


def render_undo(undo: _Undo, view: DiffView, max_characters: int) -> str:
    """Return the changes that are undone, notes, conflicts, the files, and the diff.

    After a preview of the same undo, only the changes and the counts.
    """
    record, reversal = undo.record, undo.reversal
    change_id = record.id if record is not None else None
    reply = ChangeReply(max_characters, undo.change, view)
    title = reversal.selected.description
    content = pluralize(len(reversal.selected.change_ids), "change")
    if undo.scope.change_id is not None:
        title = reversal.selected.change_ids[0]
        content = undo.undone_record.summary
    if reversal.selected.part:
        # The summary is of all that the changes did, and less is undone.
        title = f"{reversal.selected.part} of {title}"
    extent = ", in part" if reversal.remaining_conflicts else ""
    if change_id is not None:
        reply.add(f"undid {title}{extent}: {content}; change {change_id}")
    else:
        reply.add(f"{title} {reply.status('undone')}{extent}: {content}")
    reply.extend(
        [f"[{note}]" for note in reversal.notes], reserve=NOTES_RESERVE
    )
    if view.is_seen and view.mode != "full":
        files = pluralize(len(record.file_changes) if record else 0, "file")
        reply.add(f"[{files}, as in the preview]")
        return reply.text()
    if reversal.remaining_conflicts:
        reply.add(
            "unchanged, since the file has changed since (both sides are "
            "shown, neither is written):"
        )
        reply.extend(
            [
                conflict.sides.lstrip("\n")
                for conflict in reversal.remaining_conflicts
            ],
            reserve=NOTES_RESERVE,
        )
    if undo.is_of_file and undo.undone_record.reverts:
        reply.add(
            "[that change was itself an undo; get_history has the change_id "
            "of earlier changes]"
        )
    _add_files(reply, undo, view)
    if view.has_news:
        reply.finish()
    return reply.text()


def _add_files(reply: ChangeReply, undo: _Undo, view: DiffView) -> None:
    """Add the files by their actions, and diffs if not all of them can be shown.

    A file that is modified is named by its diff, if that is shown.
    """
    is_preview = undo.record is None
    shown_files: list[FileDiff] = []
    for file in undo.change.diff.files:
        # Of the others, the change that is undone has the same diff.
        is_news = is_preview or file.path in view.first_paths
        if reply.shows_file(file) and (is_news or reply.shows_diff):
            shown_files.append(file)
    shown_paths = {file.path for file in shown_files}
    # Of a hundred thousand only those that are named are held.
    named_changes: list[FileChange] = []
    more_files = 0
    for change in undo.list_file_changes():
        is_shown = change.path.display_path in shown_paths
        if change.action == "modified" and is_shown:
            continue
        if len(named_changes) < MAX_SHOWN_FILES:
            named_changes.append(change)
        else:
            more_files += 1
    rows = _list_files(named_changes, is_undone=is_preview)
    # The names of many files must leave room for the diff.
    reply.extend(rows, reserve=reply.room // 2)
    if more_files:
        reply.add(f"[{pluralize(more_files, 'more file')}]")
    if view.has_news and not reply.shows_diff:
        for file in shown_files:
            reply.add_short_diff(file, names_file=True)


def _list_files(
    file_changes: Sequence[FileChange], *, is_undone: bool
) -> list[str]:
    """Return a line for each action, with the files that it was done to.

    With `is_undone`, the actions are those of the undo of the changes.
    """
    names_by_action: dict[str, list[str]] = {}
    for change in file_changes:
        action, name = change.action, change.path.display_path
        if is_undone:
            action = _INVERSE_ACTIONS.get(action, action)
        if change.renamed_from is not None:
            ends = [change.renamed_from.display_path, name]
            if is_undone:
                ends.reverse()
            name = " → ".join(ends)
        names_by_action.setdefault(action, []).append(name)
    return [
        f"{action}: {', '.join(names)}"
        for action, names in names_by_action.items()
    ]


# Earlier states of a file, for dialects


@dataclass(frozen=True, slots=True)
class EarlierState:
    """A state that the file `path` had before the change `change_id`.

    `time` is ISO 8601; `size` is None if there was no file.
    """

    change_id: str
    time: str
    size: int | None
    path: str


def restore_file(
    context: Context, path: str, change_id: str | None
) -> tuple[EarlierState, tuple[EarlierState, ...]]:
    """Restore the content that a file had before a change, by default its newest one.

    Return the state that was restored and all states, newest first; the first of them is
    the state until now. Raise `not_found` for an unknown change, `no_change`, and the
    errors of a commit.
    """
    location = context.boundary.locate(path)
    with context.changes.writing(context.task):
        records = _list_changes(
            context,
            location,
            MAX_STATES,
            "only changes made through this workspace can be undone",
        )
        record = _find_record(records, change_id)
        if record is None:
            ids = [record.id for record in records[:MAX_NAMED_STATES]]
            raise FilewrightError(
                Code.NOT_FOUND,
                f"{path} has no backup {change_id}",
                f"there are: {', '.join(ids)}",
                path=path,
                available=ids,
            )
        undo_record, _ = context.changes.undo(
            # Every later change of the file is undone too: its earlier state is wanted.
            Scope(since=f"{record.id}^", path=location),
            # The caller names a state, so what is in the file now gives way to it.
            force=True,
            task=context.task,
        )
    if undo_record is not None:
        # Its state is the one that the file had until now.
        records = [undo_record, *records]
    states = [_earlier_state(context, location, entry) for entry in records]
    return _earlier_state(context, location, record), tuple(states)


def _find_record(
    records: Sequence[ChangeRecord], change_id: str | None
) -> ChangeRecord | None:
    """Return the record with an id, or the newest; None if there is none."""
    for record in records:
        if change_id in (None, record.id):
            return record
    return None


def _earlier_state(
    context: Context, location: Location, record: ChangeRecord
) -> EarlierState:
    """Return the state that a file had before a change."""
    change = context.changes.file_change_at(record, location)
    size = None
    if change is not None and change.before is not None:
        size = change.before.size
    return EarlierState(
        record.id, record.time.isoformat(), size, location.requested_path
    )


REVERT_EDIT = Tool(
    name="revert_edit",
    title="Undo a change",
    description=(
        "Undo a change (change_id), the newest of a file (path), or a "
        "session; later changes stay."
    ),
    toolset="history",
    arguments=RevertArguments,
    run=revert_edit,
    writes=True,
    destructive=True,
    idempotent=False,
)
