"""`get_history` and `revert_edit`: what was changed, and taking it back; for a person also by sessions and files."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, Field
from pydantic.json_schema import SkipJsonSchema

from filewright.boundary.location import Location
from filewright.changes.diffs import FileDifference
from filewright.changes.model import ChangeRecord, FileChange, FileState
from filewright.changes.selection import Scope
from filewright.edit.diff import Diff, FileDiff
from filewright.errors import Code, FilewrightError, invalid
from filewright.progress import Task
from filewright.text.snapshot import VERSION_DIGITS
from filewright.tools.bounded_text import BoundedText
from filewright.tools.change_reply import ChangeReply, DiffView
from filewright.tools.context import Context
from filewright.tools.pipeline import Change
from filewright.tools.registry import RARE, Arguments
from filewright.tools.result import (
    ChangeResult,
    DiffWanted,
    ToolResult,
    plain,
)
from filewright.tools.tool import Tool
from filewright.wording import join_limited, pluralize


class HistoryArguments(Arguments):
    """Which changes."""

    path: str | None = None
    """only changes of this file"""
    change_id: str | None = None
    """one change with its diff; its id or the beginning of it, `@` the newest, `@~1` the one before"""
    session: Annotated[str | None, Field(description="or `current`")] = None
    """only changes of this session: its id, `current` or `last`"""
    client: Annotated[
        str | None, Field(description="of clients whose name begins so"), RARE
    ] = None
    """only changes of clients whose name begins so"""
    since: Annotated[
        str | None,
        Field(description="after a change or a time (ISO 8601)"),
        RARE,
    ] = None
    """only changes after this change, or after this time (ISO 8601, `14:30`, `20 min ago`)"""
    limit: Annotated[int, Field(ge=1, le=1000), RARE] = 20
    """changes in one result"""
    cursor: str | None = None


class RevertArguments(Arguments):
    """What to take back."""

    change_id: str | None = None
    """a change; its id or the beginning of it, `@` the newest, `@~1` the one before"""
    session: Annotated[str | None, Field(description="all; or `current`")] = (
        None
    )
    """all that is left of a session: its id, `current` or `last`"""
    since: Annotated[
        str | None,
        Field(description="all after a change or a time (ISO 8601)"),
        RARE,
    ] = None
    """all that was changed after a change, or after a time (ISO 8601, `14:30`, `20 min ago`); `CHANGE^`
    is from before that change on
    """
    prompt: SkipJsonSchema[str | None] = None
    """all that came of the prompt of a change"""
    path: Annotated[
        str | None, Field(description="only this file or folder")
    ] = None
    """of that only what was done to this file, or below this folder; alone: the newest change of the file"""
    hunk: Annotated[
        int | None, Field(ge=1, description="only this hunk of its diff"), RARE
    ] = None
    """of one file only this hunk, counted from 1 as its diff shows them"""
    preview: bool = False
    """true: show what would happen, write nothing"""
    diff: Annotated[DiffWanted, RARE] = "auto"
    force: Annotated[
        bool,
        Field(
            validation_alias=AliasChoices("force", "wholly"),
            description="over later changes",
        ),
    ] = False
    """restore the earlier content over whatever is there now, instead of merging or refusing"""
    partial: Annotated[
        bool, Field(description="leave what does not merge"), RARE
    ] = False
    """undo what can be undone, leave what others have changed in the same place, and show both sides of that"""
    break_hard_links: Annotated[bool | None, RARE] = None
    include_shared: Annotated[bool, RARE] = False
    """take back too what another command, which ran at the same time, may have changed"""


By = Literal["this session", "a person", "another"] | None


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """What a change did to one file; `was` is its name before a move, the versions are content tokens."""

    path: str
    action: str
    was: str | None
    version_before: str | None
    version_after: str | None


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """One change. `time` is ISO 8601 in UTC; `reverts` the changes it undid, newest first, or with `partial`
    some of what they did; `files` the first 200. It was made `by` "this session", "a person" (on the review page or
    at the command line), or "another" session; None where no session is known.
    """

    change_id: str
    time: str
    tool: str
    summary: str
    session: str | None
    client: str | None
    turn: str | None
    reverts: tuple[str, ...]
    partial: bool
    undoable: bool
    files: tuple[HistoryFile, ...]
    file_count: int
    notes: tuple[str, ...]
    by: By

    @classmethod
    def of(cls, record: ChangeRecord, own: str | None) -> HistoryChange:
        """A change as the session `own` is shown it."""
        by: By = "this session" if record.session else None
        if record.session not in (None, own):
            # Agents are clients of other names: a person's words go through our own programs.
            by = (
                "a person"
                if (record.client or "").startswith("filewright ")
                else "another"
            )
        return cls(
            change_id=record.id,
            time=record.time.isoformat(),
            tool=record.tool,
            summary=record.summary,
            session=record.session,
            client=record.client,
            turn=record.turn,
            reverts=record.reverts,
            partial=record.partial,
            undoable=record.undoable,
            files=tuple(
                HistoryFile(
                    entry.path.display_path,
                    entry.action,
                    entry.renamed_from.display_path
                    if entry.renamed_from is not None
                    else None,
                    _version(entry.before),
                    _version(entry.after),
                )
                for entry in record.file_changes[:200]
            ),
            file_count=len(record.file_changes),
            notes=tuple(record.notes),
            by=by,
        )

    @property
    def when(self) -> str:
        """Its id and its time."""
        moment = datetime.datetime.fromisoformat(self.time)
        return f"{self.change_id}  {moment:%Y-%m-%d %H:%M:%S}Z ({ago(moment)})"

    @property
    def row(self) -> str:
        """One line for a reader: with up to three files that the summary does not name, and who made the change."""
        row = f"{self.when}  {self.summary}"
        names = [file.path for file in self.files[:3]]
        more = self.file_count - len(names)
        if more or not all(name in self.summary for name in names):
            rest = f" and {pluralize(more, 'more file')}" if more else ""
            row += f"  [{', '.join(names)}{rest}]"
        if self.reverts:
            row += f"  [undoes {'some of ' if self.partial else ''}{join_limited(self.reverts, 1)}]"
        if self.by == "a person":
            row += f"  [a person, by {self.client}]"
        elif self.by == "another":
            row += f"  [{self.client or 'another'}, session {self.session}]"
        return row


@dataclass(frozen=True, kw_only=True)
class HistoryResult(ToolResult):
    """The newest changes, from `next_cursor` on there are more; of a single change asked for its `diff` too."""

    changes: tuple[HistoryChange, ...]
    next_cursor: str | None = None
    difference: Diff | None = field(default=None, repr=False)

    @property
    def diff(self) -> str | None:
        """The diff of the single change, git style."""
        return self.difference.text if self.difference is not None else None

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values; a single change's own, if it was asked for."""
        if self.diff is not None:
            return {**plain(self.changes[0]), "diff": self.diff}
        return {"changes": plain(self.changes), "next_cursor": self.next_cursor}


@dataclass(frozen=True, kw_only=True)
class RevertResult(ChangeResult):
    """What undid the changes `reverted`, newest first; `files` are the first 200 it touched."""

    what: str
    reverted: tuple[str, ...]
    notes: tuple[str, ...]
    files: tuple[str, ...]


def _version(side: FileState | None) -> str | None:
    return (
        side.digest[:VERSION_DIGITS]
        if side is not None and side.digest
        else None
    )


def ago(moment: datetime.datetime) -> str:
    """How long ago, for people: ``12 s ago``, ``3 h ago``."""
    seconds = max(
        0, int((datetime.datetime.now(datetime.UTC) - moment).total_seconds())
    )
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit} ago"
    return f"{seconds} s ago"


def get_history(context: Context, arguments: HistoryArguments) -> HistoryResult:
    """The newest changes, or one with its diff."""
    own, path, cursor = context.session, arguments.path, arguments.cursor
    if arguments.change_id is not None:
        if arguments.model_fields_set - {"change_id", "limit"}:
            raise invalid(
                "get_history: change_id names one change",
                "leave out path, cursor, session, client and since",
                argument="change_id",
            )
        return _one(context, arguments.change_id)
    try:
        if cursor is not None:
            context.changes.record(cursor)
    except FilewrightError as error:
        if error.code != Code.NOT_FOUND:
            raise
        raise _unknown_cursor("change") from error
    records = context.changes.history(
        location=context.boundary.locate(path) if path is not None else None,
        limit=arguments.limit + 1,
        before=cursor,
        session=arguments.session,
        client=arguments.client,
        since=arguments.since,
        task=context.task,
    )
    page = BoundedText(context.settings.page_chars)
    changes = [
        HistoryChange.of(record, own) for record in records[: arguments.limit]
    ]
    left = page.extend(
        (change.row for change in changes), reserve=120, of=len(records)
    )
    kept = tuple(changes[: len(records) - left])
    if any(change.by == "this session" for change in kept):
        page.add("[those without a name: this session]")
    if not kept:
        what = f" of {path}" if path is not None else ""
        page.add(f"[no {'more ' if cursor else ''}changes{what} are recorded]")
    following = kept[-1].change_id if left and kept else None
    if following is not None:
        page.add(f"[{len(kept)} shown; go on with cursor={following}]")
    return HistoryResult(page.text(), changes=kept, next_cursor=following)


def _unknown_cursor(what: str) -> FilewrightError:
    return invalid(
        f"the cursor is not one that this tool gave, or the {what} it names is no longer kept",
        f"leave it out to start from the newest {what}",
        argument="cursor",
    )


def _one(context: Context, change_id: str) -> HistoryResult:
    record = context.changes.record(
        context.changes.resolve_change_id(change_id)
    )
    page = BoundedText(context.settings.page_chars)
    change = HistoryChange.of(record, context.session)
    page.add(f"{change.when}  {change.tool}", change.summary)
    page.extend(f"[{note}]" for note in record.notes)
    _add_entries(page, record.file_changes, 100)
    diff = context.changes.diff(
        record.id, max_lines=context.settings.diff_lines, task=context.task
    )
    page.add_diff(diff.text)
    return HistoryResult(page.text(), changes=(change,), difference=diff)


_UNDONE = {"created": "deleted", "deleted": "created"}


def _add_entries(
    page: BoundedText,
    entries: Sequence[FileChange],
    most: int,
    *,
    undoes: bool = False,
) -> None:
    """Add what was done to each of up to so many entries, or what undoing it does."""
    rows = []
    for entry in entries[:most]:
        action, what = entry.action, entry.path.display_path
        if entry.renamed_from is not None:
            what = (
                f"{what} → {entry.renamed_from.display_path}"
                if undoes
                else f"{entry.renamed_from.display_path} → {what}"
            )
        rows.append(
            f"{_UNDONE.get(action, action) if undoes else action}: {what}"
        )
    page.extend(rows, reserve=page.room // 2, of=len(entries), more="file")


def one_meant(tool: str, scope: Scope) -> Scope:
    """The scope. Raises `invalid_input` unless it is of one of a change, a session, a moment and a prompt."""
    if [scope.change_id, scope.session, scope.since, scope.prompt].count(
        None
    ) != 3:
        raise invalid(
            f"{tool} takes one of change_id, session and since",
            "change_id for one change (get_history lists them), session for all of a session, since for "
            "everything after a change or a time",
        )
    return scope


def revert_edit(context: Context, arguments: RevertArguments) -> RevertResult:
    """Take back one change, or several together; that is itself a change."""
    changes, asked = context.changes, arguments.path
    path = context.boundary.locate(asked) if asked is not None else None
    scope = Scope(
        arguments.change_id,
        arguments.session,
        arguments.since,
        path,
        arguments.hunk,
        arguments.prompt,
    )
    alone = path is not None and scope == Scope(path=path, hunk=arguments.hunk)
    if path is not None and alone:  # the newest change of the file
        newest = _changes_of(context, path, 1, "get_history lists what is")
        scope = Scope(newest[0].id, hunk=arguments.hunk)
    one_meant("revert_edit", scope)
    breaks = arguments.break_hard_links
    made, reversal = changes.undo(
        scope,
        force=arguments.force,
        break_hard_links=context.settings.break_hard_links
        if breaks is None
        else breaks,
        include_shared=arguments.include_shared,
        in_part=arguments.partial,
        preview=arguments.preview,
        task=context.task,
    )
    selected, made_id = reversal.selected, made.id if made is not None else None
    record = selected.record
    # What a commit has done is on record; what it would do can only be looked up before it.
    diff = reversal.diff
    if made is not None:
        try:
            diff = changes.diff(
                made.id,
                max_lines=context.settings.diff_lines,
                task=context.task,
            )
        except (
            FilewrightError
        ) as error:  # it is an extra: nothing about it is an error of the call
            diff = Diff(
                (
                    FileDiff(
                        "",
                        "",
                        remark=f"(the diff cannot be shown: {error.message})\n",
                    ),
                )
            )
    shown = (
        arguments.diff == "full" or reversal.merged or made is None
    )  # else it shows nothing new
    view = DiffView(
        wanted=arguments.diff, has_news=bool(shown), is_offered=False
    )
    page = ChangeReply(
        context.settings.page_chars, Change((), made_id, diff), view
    )
    if scope.change_id is not None:
        title, what = selected.change_ids[0], record.summary
    else:
        title, what = (
            selected.description,
            pluralize(len(selected.change_ids), "change"),
        )
    page.add(
        f"undid {title}: {what}; change {made_id}"
        if made
        else f"{title} {page.status('undone')}: {what}"
    )
    page.extend((f"[{note}]" for note in reversal.notes), reserve=1000)
    if reversal.remaining_conflicts:
        page.add("left as it is, since it has changed since:")
        page.extend(
            (
                conflict.sides.lstrip("\n")
                for conflict in reversal.remaining_conflicts
            ),
            reserve=1000,
        )
    if alone and record.reverts:
        page.add(
            "[that change was an undo itself; for an earlier one give its change_id from get_history]"
        )
    entries = (made or record).file_changes
    _add_entries(page, entries, 40, undoes=made is None)
    if shown:
        page.finish()
    return RevertResult(
        text=page.text(),
        change_id=made_id,
        difference=diff,
        preview=made_id is None,
        what=selected.description,
        reverted=selected.change_ids,
        notes=reversal.notes,
        files=tuple(entry.path.display_path for entry in entries[:200]),
    )


def _changes_of(
    context: Context, location: Location, most: int, hint: str
) -> Sequence[ChangeRecord]:
    """The newest changes of a file. Raises `not_found` for none."""
    records = context.changes.history(location=location, limit=most)
    if not records:
        asked = location.requested_path
        raise FilewrightError(
            Code.NOT_FOUND,
            f"no change of {asked} is recorded",
            hint,
            path=asked,
        )
    return records


_STATES = 1_000
"""States that a file is restored from."""


@dataclass(frozen=True, slots=True)
class EarlierState:
    """A state the file `path` had before the change `change_id` at `time` (ISO 8601); `size` None: no file."""

    change_id: str
    time: str
    size: int | None
    path: str


def restore_file(
    context: Context, path: str, change_id: str | None
) -> tuple[EarlierState, tuple[EarlierState, ...]]:
    """Give a file the content it had before a change (None: its newest); serves dialects, and is not listed natively.

    What was restored, and all states, newest first: the first is what the file held until then. Raises `not_found`
    without such a change, `no_change`, and what a commit raises.
    """
    location, changes = context.boundary.locate(path), context.changes

    def state(record: ChangeRecord) -> EarlierState:
        entry = changes.file_change_at(record, location)
        before = entry.before if entry is not None else None
        size = before.size if before is not None else None
        return EarlierState(
            record.id, record.time.isoformat(), size, location.requested_path
        )

    with changes.writing(context.task):
        hint = (
            "only what was changed through this workspace can be brought back"
        )
        records = _changes_of(context, location, _STATES, hint)
        record = next(
            (each for each in records if change_id in (None, each.id)), None
        )
        if record is None:
            known = [each.id for each in records[:20]]
            message, hint = (
                f"{path} has no backup {change_id}",
                f"there are: {', '.join(known)}",
            )
            raise FilewrightError(
                Code.NOT_FOUND, message, hint, path=path, available=known
            )
        made, _ = changes.undo(
            Scope(since=f"{record.id}^", path=location),
            force=True,
            task=context.task,
        )
    return state(record), tuple(map(state, filter(None, (made, *records))))


# By sessions and files

_COUNTED = 200
"""What is left of a session is counted up to so many changes,"""
_COUNTING_SECONDS = 0.25
"""and that of all together for so long."""
_PAGE_LINES = 4_000


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """One session: times in ISO 8601 (UTC), how many changes it made and how many of those are undone.

    What is left of it is `files`, with the lines `added` and `removed` in them; each None if that was not
    counted. `session` is None for the changes of which no session is known.
    """

    session: str | None
    client: str | None
    first: str
    last: str
    changes: int
    undone: int
    files: int | None
    added: int | None
    removed: int | None


@dataclass(frozen=True, slots=True)
class SessionsResult:
    """The sessions, the one that changed something last first; from `next_cursor` on there are more."""

    sessions: tuple[SessionSummary, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """What some changes did together, file by file.

    `what` names the changes, `change_ids` are theirs, newest first. `files` begins at `offset` of
    `file_count`, and from `next_offset` on there are more.
    """

    what: str
    change_ids: tuple[str, ...]
    files: tuple[FileDifference, ...]
    offset: int
    file_count: int
    next_offset: int | None


def sessions(
    context: Context, limit: int, cursor: str | None
) -> SessionsResult:
    """The sessions that changed something, from the one after `cursor` on.

    Raises `invalid_input` for a cursor that is none.
    """
    groups = context.changes.sessions()
    undone = context.changes.undone_numbers()
    begin = 0
    if cursor is not None:
        begin = next(
            (
                at
                for at, group in enumerate(groups, 1)
                if (group.name or "") == cursor
            ),
            0,
        )
        if not begin:
            raise _unknown_cursor("session")
    made: list[SessionSummary] = []
    counting = context.at(Task(seconds=_COUNTING_SECONDS))
    for group in groups[begin : begin + limit]:
        context.task.check()
        summary = SessionSummary(
            group.name,
            group.client,
            group.begun.isoformat(),
            group.ended.isoformat(),
            group.changes,
            len(undone & context.changes.numbers_of_session(group.name))
            if undone
            else 0,
            *_counts(
                counting, group.name if group.changes <= _COUNTED else None
            ),
        )
        made.append(summary)
    more = begin + len(made) < len(groups)
    return SessionsResult(
        tuple(made), (made[-1].session or "") if made and more else None
    )


def _counts(
    context: Context, session: str | None
) -> tuple[int | None, int | None, int | None]:
    """Files, lines added and removed by what is left of a session, where that can be counted."""
    if session is None:
        return None, None, None
    added = removed = 0
    try:
        record = context.changes.select(
            Scope(session=session), inside=True, task=context.task
        ).record
        files = _files_of(record)
        for entry in files:
            context.task.check()
            found = context.changes.file_difference(entry, max_lines=0)
            added += found.added or 0
            removed += found.removed or 0
    except FilewrightError as error:
        return (0, 0, 0) if error.code is Code.NO_CHANGE else (None, None, None)
    return len(files), added, removed


def changed_files(
    context: Context, scope: Scope | str, offset: int, limit: int
) -> ChangedFiles:
    """What a scope of changes did, file by file: the net of them. Raises as `Changes.select` does."""
    selected = context.changes.select(scope, inside=True, task=context.task)
    entries = _files_of(selected.record)
    files: list[FileDifference] = []
    left = _PAGE_LINES
    for entry in entries[offset : offset + limit]:
        if left <= 0 and files:
            break
        context.task.check()
        lines = min(context.settings.diff_lines, max(left, 10))
        files.append(context.changes.file_difference(entry, max_lines=lines))
        left -= sum(diff.row_count + 4 for diff in files[-1].diffs)
    end = offset + len(files)
    following = end if end < len(entries) else None
    return ChangedFiles(
        selected.description,
        selected.change_ids,
        tuple(files),
        offset,
        len(entries),
        following,
    )


def _files_of(record: ChangeRecord) -> list[FileChange]:
    """What it did to files: entries of none of a folder."""
    return [
        entry
        for entry in record.file_changes
        if all(
            side is None or side.kind != "folder"
            for side in (entry.before, entry.after)
        )
    ]


# The tools

GET_HISTORY = Tool(
    name="get_history",
    title="History of changes",
    description=(
        "The newest changes, of all files or one; with change_id its diff."
    ),
    toolset="history",
    arguments=HistoryArguments,
    run=get_history,
)

REVERT_EDIT = Tool(
    name="revert_edit",
    title="Undo a change",
    description=(
        "Undo a change (change_id), the newest of a file (path), or a "
        "session; later changes stay, merged."
    ),
    toolset="history",
    arguments=RevertArguments,
    run=revert_edit,
    writes=True,
    destructive=True,
    idempotent=False,
    step=(
        "Changes have a change_id: get_history lists them, revert_edit "
        "takes one back."
    ),
)
