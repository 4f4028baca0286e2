"""`get_history`: the newest changes, or one of them with its diff."""

from __future__ import annotations

import datetime
from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from filewright.boundary.location import Location
from filewright.changes.model import ChangeRecord, FileChange, FileState
from filewright.changes.selection import Scope
from filewright.edit.diff import Diff
from filewright.errors import Code, FilewrightError, invalid, too_many
from filewright.hints import Hint
from filewright.text.snapshot import VERSION_DIGITS
from filewright.tools.arguments import RARE, Arguments
from filewright.tools.bounded_text import BoundedText
from filewright.tools.context import Context
from filewright.tools.result import ToolResult, plain
from filewright.tools.tool import Tool
from filewright.wording import format_age, join_limited, pluralize

MAX_NAMED_CHANGES = 20
"""The changes of which a call shows the diffs."""

MAX_FILES = 200
"""The files of a change that a result names."""

MAX_SHOWN_FILES = 100
"""The files of a single change that its text names."""

MAX_ROW_FILES = 3
"""The files that the row of a change names."""

PAGING_RESERVE = 120

# Characters of an ISO time up to its minutes.
_MINUTE_CHARS = 16

OWN_CLIENT_PREFIX = "filewright "
"""The beginning of the client's name where a person uses filewright's own programs."""


class HistoryArguments(Arguments):
    """The changes to list."""

    path: str | None = None
    """only changes of this file"""
    change_id: str | None = None
    """changes to show with their diffs, separated by commas: an id or its
    beginning, `@` for the newest, `@~1` for the one before"""
    session: Annotated[str | None, Field(description="or `current`")] = None
    """only changes of this session: its id, `current` or `last`"""
    client: Annotated[
        str | None, Field(description="of clients whose name begins so"), RARE
    ] = None
    """only changes of clients whose names begin with this text"""
    since: Annotated[
        str | None,
        Field(description="after a change or a time (ISO 8601)"),
        RARE,
    ] = None
    """only changes after this change, or after this time (ISO 8601, `14:30`, `20 min ago`)"""
    limit: Annotated[int, Field(ge=1, le=1000), RARE] = 20
    """maximum number of changes in one result"""
    cursor: str | None = None

    @field_validator("change_id", mode="before")
    @classmethod
    def _join_list(cls, value: object) -> object:
        """Return a list of changes as the text that names them."""
        if isinstance(value, list) and all(
            isinstance(name, str) for name in value
        ):
            return ",".join(value)
        return value


Author = Literal["this session", "a person", "another"] | None


@dataclass(frozen=True, slots=True)
class HistoryFile:
    """The outcome of a change for one file.

    `was` is its name before a move; the versions are tokens of its content.
    """

    path: str
    action: str
    was: str | None
    version_before: str | None
    version_after: str | None

    @classmethod
    def from_change(cls, change: FileChange) -> HistoryFile:
        """Return a file change of the history as a tool shows it."""
        renamed_from = change.renamed_from
        return cls(
            path=change.path.display_path,
            action=change.action,
            was=renamed_from.display_path if renamed_from else None,
            version_before=_version(change.before),
            version_after=_version(change.after),
        )


@dataclass(frozen=True, slots=True)
class HistoryChange:
    """A change on record.

    `time` is ISO 8601 in UTC. `reverts` are the changes it undid, newest first; with
    `partial`, it undid some of their effects. `files` are the first 200. `by` is "this
    session", "a person" (on the review page or the command line) or "another" session;
    None if no session is known.
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
    by: Author

    @classmethod
    def from_record(
        cls, record: ChangeRecord, session: str | None
    ) -> HistoryChange:
        """Return a change as it is shown to `session`."""
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
                HistoryFile.from_change(change)
                for change in record.file_changes[:MAX_FILES]
            ),
            file_count=len(record.file_changes),
            notes=tuple(record.notes),
            by=_author(record, session),
        )


@dataclass(frozen=True, kw_only=True)
class HistoryResult(ToolResult):
    """The newest changes; with `next_cursor` there are more.

    `difference` is the diff of a single change that was asked for, and `differences`
    are those of several.
    """

    changes: tuple[HistoryChange, ...]
    next_cursor: str | None = None
    difference: Diff | None = field(default=None, repr=False)
    differences: tuple[Diff, ...] = field(default=(), repr=False)

    @property
    def diff(self) -> str | None:
        """The diff of the single change, git style."""
        return self.difference.text if self.difference is not None else None

    @property
    def data(self) -> dict[str, Any]:
        """The facts as JSON values; of a single change its own."""
        if self.diff is not None:
            return {**plain(self.changes[0]), "diff": self.diff}
        if self.differences:
            changes = [
                {**plain(change), "diff": difference.text}
                for change, difference in zip(
                    self.changes, self.differences, strict=True
                )
            ]
            return {"changes": changes, "next_cursor": None}
        return {"changes": plain(self.changes), "next_cursor": self.next_cursor}


def get_history(context: Context, arguments: HistoryArguments) -> HistoryResult:
    """Return the newest changes, or those that are named with their diffs."""
    if arguments.change_id is not None:
        return _get_named(context, arguments, arguments.change_id)
    _check_cursor(context, arguments.cursor)
    location = None
    if arguments.path is not None:
        location = context.boundary.locate(arguments.path)
    # One more than asked for tells whether there are more.
    records = context.changes.history(
        location=location,
        limit=arguments.limit + 1,
        before=arguments.cursor,
        session=arguments.session,
        client=arguments.client,
        since=arguments.since,
        task=context.task,
    )
    changes = [
        HistoryChange.from_record(record, context.session)
        for record in records[: arguments.limit]
    ]
    filters = (
        arguments.session,
        arguments.client,
        arguments.since,
        arguments.cursor,
    )
    changed_outside: Set[str] = frozenset()
    # A list from which changes are left out does not tell who made the others.
    if location is not None and all(value is None for value in filters):
        changed_outside = _find_outside_changes(context, location, records)
    return _render_history(
        changes,
        len(records),
        arguments,
        changed_outside,
        context.settings.page_chars,
    )


def _find_outside_changes(
    context: Context, location: Location, records: Sequence[ChangeRecord]
) -> Set[str]:
    """Return the changes of a file behind which it was changed outside of filewright.

    Only contents are compared, where both are known.
    """
    later_version: str | None = None
    with suppress(FilewrightError), context.open(location) as snapshot:
        later_version = snapshot.version
    changed_outside: set[str] = set()
    for record in records:
        change = context.changes.file_change_at(record, location)
        if change is None:
            # The file had another name, or is a folder.
            break
        version = _version(change.after)
        # The token of a very large file is not that of its content.
        is_known = version and later_version and later_version[0] != "~"
        if is_known and version != later_version:
            changed_outside.add(record.id)
        later_version = _version(change.before)
    return changed_outside


def _get_named(
    context: Context, arguments: HistoryArguments, change_ids: str
) -> HistoryResult:
    """Return one change with its diff, or several in the order of the call."""
    filters = (
        arguments.cursor,
        arguments.session,
        arguments.client,
        arguments.since,
    )
    if any(value is not None for value in filters):
        raise invalid(
            "get_history: change_id does not go with filters",
            "leave out change_id, or cursor, session, client and since",
            argument="change_id",
        )
    names = [name.strip() for name in change_ids.split(",") if name.strip()]
    if len(names) > MAX_NAMED_CHANGES:
        raise too_many(
            len(names),
            MAX_NAMED_CHANGES,
            "changes",
            "name fewer in a call",
        )
    records: list[ChangeRecord] = []
    for name in names or [change_ids]:
        record_id = context.changes.resolve_change_id(name)
        if all(record.id != record_id for record in records):
            records.append(context.changes.record(record_id))
    location = None
    if arguments.path is not None:
        location = context.boundary.locate(arguments.path)
        records = _narrow_records(context, records, location)
    diffs: list[Diff] = []
    for record in records:
        diffs.append(
            context.changes.diff(
                Scope(record.id, path=location),
                max_lines=context.settings.diff_lines,
                task=context.task,
            )
        )
    changes = tuple(
        HistoryChange.from_record(record, context.session) for record in records
    )
    max_characters = context.settings.page_chars
    if len(changes) > 1:
        text = _render_changes(changes, diffs, max_characters)
        return HistoryResult(text, changes=changes, differences=tuple(diffs))
    text = _render_change(
        changes[0], records[0].file_changes, diffs[0], max_characters
    )
    return HistoryResult(text, changes=changes, difference=diffs[0])


def _narrow_records(
    context: Context, records: Sequence[ChangeRecord], location: Location
) -> list[ChangeRecord]:
    """Return what changes did at or below a path, without those that did nothing there.

    Raise `not_found` if none of them did.
    """
    narrowed: list[ChangeRecord] = []
    for position, record in enumerate(records, 1):
        scope = Scope(record.id, path=location)
        try:
            selection = context.changes.select(scope, task=context.task)
        except FilewrightError as error:
            is_last_chance = position == len(records) and not narrowed
            if error.code != Code.NOT_FOUND or is_last_chance:
                raise
            continue
        part = selection.record
        narrowed.append(replace(record, file_changes=part.file_changes))
    return narrowed


def _check_cursor(context: Context, cursor: str | None) -> None:
    """Raise `invalid_input` unless a cursor names a change on record."""
    if cursor is None:
        return
    try:
        context.changes.record(cursor)
    except FilewrightError as error:
        # The caller did not name a change, so the error speaks of the cursor.
        if error.code != Code.NOT_FOUND:
            raise
        raise unknown_cursor("change") from error


def unknown_cursor(noun: str) -> FilewrightError:
    """Return the error for a cursor that names no change or session any more."""
    return invalid(
        f"the cursor is not one that this tool gave, or the {noun} it names is "
        "no longer kept",
        f"leave it out to start from the newest {noun}",
        argument="cursor",
    )


def _author(record: ChangeRecord, session: str | None) -> Author:
    """Return who made a change, as `session` sees it."""
    if record.session in (None, session):
        return "this session" if record.session else None
    # Agents are clients of other names; a person works through filewright's programs.
    if (record.client or "").startswith(OWN_CLIENT_PREFIX):
        return "a person"
    return "another"


def _version(state: FileState | None) -> str | None:
    """Return the version token of a content, or None if it is not known."""
    if state is None or not state.digest:
        return None
    return state.digest[:VERSION_DIGITS]


# Text


def _render_history(
    changes: Sequence[HistoryChange],
    total_count: int,
    arguments: HistoryArguments,
    changed_outside: Set[str],
    max_characters: int,
) -> HistoryResult:
    """Return the changes of which a row has room, with their text and the cursor.

    `changed_outside` are the changes behind which the file was changed by others.
    """
    text = BoundedText(max_characters)
    rows: list[str] = []
    minute = ""
    for change in changes:
        # Rows are shorter without a time that is that of the row above.
        is_same_minute = change.time[:_MINUTE_CHARS] == minute
        minute = change.time[:_MINUTE_CHARS]
        row = render_row(change, with_time=not is_same_minute)
        if change.change_id in changed_outside:
            row += "  [changed outside of filewright afterwards]"
        rows.append(row)
    left_out = text.extend(
        rows,
        reserve=PAGING_RESERVE,
        total=total_count,
    )
    listed_changes = tuple(changes[: total_count - left_out])
    if any(change.by == "this session" for change in listed_changes):
        text.add("[those without a name: this session]")
    if not listed_changes:
        more = "more " if arguments.cursor else ""
        of_path = f" of {arguments.path}" if arguments.path is not None else ""
        text.add(f"[no {more}changes{of_path} are recorded]")
    next_cursor = None
    if left_out and listed_changes:
        next_cursor = listed_changes[-1].change_id
        text.add(
            f"[{len(listed_changes)} shown; go on with cursor={next_cursor}]"
        )
    return HistoryResult(
        text.text(), changes=listed_changes, next_cursor=next_cursor
    )


def render_row(change: HistoryChange, *, with_time: bool = True) -> str:
    """Return one line for a change, with files that the summary does not name."""
    start = render_time(change) if with_time else change.change_id
    row = f"{start}  {change.summary}"
    names = [file.path for file in change.files[:MAX_ROW_FILES]]
    more_files = change.file_count - len(names)
    if more_files or not all(name in change.summary for name in names):
        rest = ""
        if more_files:
            rest = f" and {pluralize(more_files, 'more file')}"
        row += f"  [{', '.join(names)}{rest}]"
    if change.reverts:
        part = "some of " if change.partial else ""
        row += f"  [undoes {part}{join_limited(change.reverts, 1)}]"
    if change.by == "a person":
        row += f"  [by a person, with {change.client}]"
    elif change.by == "another":
        author = f"session {change.session}"
        client = change.client or "another"
        # Most sessions are named after their client.
        if not (change.session or "").startswith(client):
            author = f"{client}, {author}"
        row += f"  [{author}]"
    return row


def render_time(change: HistoryChange) -> str:
    """Return the id and the time of a change."""
    moment = datetime.datetime.fromisoformat(change.time)
    return f"{change.change_id}  {moment:%Y-%m-%d %H:%M:%S}Z ({format_age(moment)})"


def _render_change(
    change: HistoryChange,
    file_changes: Sequence[FileChange],
    diff: Diff,
    max_characters: int,
) -> str:
    """Return a single change: heading, notes, files, and the diff."""
    text = BoundedText(max_characters)
    text.add(f"{render_time(change)}  {change.tool}", change.summary)
    text.extend([f"[{note}]" for note in change.notes])
    add_file_changes(text, file_changes, MAX_SHOWN_FILES)
    text.add_diff(diff.text)
    return text.text()


def _render_changes(
    changes: Sequence[HistoryChange],
    diffs: Sequence[Diff],
    max_characters: int,
) -> str:
    """Return several changes: a row, notes and the diff of each, with little context.

    A change of which less than all is shown says so.
    """
    text = BoundedText(max_characters)
    for position, (change, diff) in enumerate(zip(changes, diffs, strict=True)):
        text.add(render_row(change), *(f"[{note}]" for note in change.notes))
        # Each of the changes that follow has its share of the room.
        room = text.room // (len(changes) - position)
        for file in diff.files:
            brief = file.brief(1) or file.text
            if len(brief) > room:
                names = f"get_history with change_id={change.change_id}"
                text.add(
                    Hint(
                        f"[{file.path}: {names} shows its diff]",
                        shell=f"[{file.path}: filewright show "
                        f"{change.change_id} shows its diff]",
                    )
                )
                continue
            room -= len(brief)
            text.add_diff(brief)
        if diff.remark:
            text.add_diff(diff.remark)
    return text.text()


def add_file_changes(
    text: BoundedText, file_changes: Sequence[FileChange], max_files: int
) -> None:
    """Add a line for each file of a change."""
    rows: list[str] = []
    for change in file_changes[:max_files]:
        name = change.path.display_path
        if change.renamed_from is not None:
            name = f"{change.renamed_from.display_path} → {name}"
        rows.append(f"{change.action}: {name}")
    # The names of many files must leave room for the diff.
    text.extend(
        rows, reserve=text.room // 2, total=len(file_changes), noun="file"
    )


GET_HISTORY = Tool(
    name="get_history",
    title="History of changes",
    description=(
        "Newest changes, of all files or one; with change_id (or several) diffs."
    ),
    toolset="history",
    arguments=HistoryArguments,
    run=get_history,
)
