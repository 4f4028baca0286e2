"""The changes on record of a workspace: listing, naming and showing them."""

from __future__ import annotations

import heapq
import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.changes.database import Flusher
from filewright.changes.log import Log
from filewright.changes.log_reader import SessionRange
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    LazySequence,
    RecordedCommand,
    RecordedPath,
    VisibilityCheck,
    format_change_id,
    parse_change_id,
    visibility_check,
)
from filewright.changes.names import MIN_ID_END, find_abbreviated
from filewright.changes.rows import damaged_change_record
from filewright.changes.selection import (
    GUARD_TOOL,
    Scope,
    Selection,
    find_undone,
)
from filewright.changes.state_dir import (
    StateFolder,
    StateIndex,
    state_base_folder,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import SETUP_CLIENT, Caller, Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.diffs import FileDifference
    from filewright.changes.selector import Selector
    from filewright.edit.diff import Diff

_MAX_NUMBER = 1 << 63
"""The first number that is too large for SQLite."""
_AFTER_ALL_CHANGES = 1 << 62
"""A number above those of all changes."""


class History:
    """The history of what lies below the roots. Nothing is written. Thread-safe.

    Each root has a state folder of its own, and a change is in the log of the first
    root it touches. The history also takes in the logs of folders above and below the
    roots, and of roots that were changed together with one of these.
    """

    def __init__(self, boundary: Boundary, settings: Settings) -> None:
        self.boundary = boundary
        self.settings = settings
        self.caller = Caller(session=os.urandom(6).hex())
        self._flusher = Flusher(enabled=settings.flush)
        self._index = StateIndex(
            state_base_folder(settings), settings.lock_seconds, self._flusher
        )
        self._own = [
            self._open_log(StateFolder(self._index, root))
            for root in boundary.roots
        ]
        self._related: dict[str, Log] = {}
        self._listed: tuple[object, list[Log]] = None, self._own

    def _open_log(self, state: StateFolder) -> Log:
        return Log(
            self.boundary,
            self.settings,
            state,
            self._flusher,
            self.newest_number,
        )

    # Logs

    @property
    def own_logs(self) -> Sequence[Log]:
        """The logs of the roots that are open here."""
        return self._own

    @property
    def logs(self) -> list[Log]:
        """Every log that may hold changes below the roots, own ones first."""
        # Without a lock: after a fork, a thread that the child does not have may hold
        # it.
        owners = self._index.owners
        listed_for, logs = self._listed
        if owners is listed_for:
            return logs
        logs = list(self._own)
        # Another process may have made the first change of a root since it was opened
        # here.
        for log in logs:
            log.state.find()
        own_ids = [log.state.owner.id for log in logs]
        for owner in self._index.related(self.boundary.roots, own_ids):
            if owner.id not in self._related:
                state = StateFolder(self._index, None, owner)
                self._related[owner.id] = self._open_log(state)
            logs.append(self._related[owner.id])
        self._listed = owners, logs
        return logs

    def inner_logs(self) -> list[Log]:
        """Return the logs of registered roots within the open ones."""
        roots = [root.resolved_path for root in self.boundary.roots]
        return [
            log
            for log in self.logs
            if not log.is_own and log.state.lies_within(roots)
        ]

    def orphaned_state_folders(self) -> list[StateFolder]:
        """Return the state folders of inner roots that were removed or replaced."""
        roots = [root.resolved_path for root in self.boundary.roots]
        orphans: list[StateFolder] = []
        for owner in self._index.within(roots):
            if not owner.is_there:
                orphans.append(StateFolder(self._index, None, owner))
        return orphans

    def outer_state_folder(self, log: Log) -> StateFolder | None:
        """Return the state folder of the nearest registered root above a log's."""
        return self._index.around(log.state.owner)

    # Listing

    def history(
        self,
        *,
        location: Location | None = None,
        limit: int = 20,
        before: str | None = None,
        session: str | None = None,
        client: str | None = None,
        since: str | None = None,
        task: Task | None = None,
    ) -> list[ChangeRecord]:
        """Return committed changes, newest first: at most `limit`.

        Those older than the change `before` and later than the time or change `since`;
        those that touched `location` or something below it, also under an earlier name;
        those of a `session`, and of clients whose name begins with `client`.
        """
        selector = self._selector(task)
        moment = 0
        if since is not None:
            moment, _ = selector.resolve_moment(since)
        if session is not None:
            session = selector.resolve_session(session)
        allowed = self._numbers_of(session, client, moment)
        numbers: Iterable[int]
        if location is not None:
            numbers = self.numbers_touching(
                RecordedPath.from_location(location)
            )
        elif allowed is not None:
            numbers = sorted(allowed, reverse=True)
        else:
            numbers = (head.number for head in self.heads(task))
        records: list[ChangeRecord] = []
        for number in numbers:
            if len(records) >= limit or number <= moment:
                break
            change_id = format_change_id(number)
            # Ids sort as the numbers do.
            if before is not None and change_id >= before:
                continue
            if allowed is not None and number not in allowed:
                continue
            try:
                records.append(self.record(change_id))
            except FilewrightError as error:
                # Any other error is of a change that may not be seen.
                if error.code is Code.IO_ERROR:
                    records.append(damaged_change_record(number))
        return records

    def _numbers_of(
        self, session: str | None, client: str | None, after: int
    ) -> set[int] | None:
        """Return the numbers of a session's changes by a client, or None."""
        numbers: set[int] | None = None
        if session is not None:
            numbers = self.numbers_of_session(session)
        if client is not None:
            numbers_of_client: set[int] = set()
            for log in self.logs:
                numbers_of_client.update(log.numbers_of_client(client, after))
            if numbers is None:
                return numbers_of_client
            numbers = numbers & numbers_of_client
        return numbers

    def numbers_touching(self, path: RecordedPath) -> Iterator[int]:
        """Yield the changes that touched a path or one below it, newest first.

        Also those that touched it under the names that it had before it was renamed.
        """
        absolute_path = b"/".join((path.root.rstrip(b"/"), *path.parts))
        # An earlier name counts only until the change that renamed the file from it.
        touched_until = {absolute_path: _AFTER_ALL_CHANGES}
        # Grows while it is read: an earlier name may have followed another.
        pending = [absolute_path]
        renames: set[int] = set()
        for later_path in pending:
            for log in self.logs:
                for number, former_path in log.renames_to(
                    later_path, touched_until[later_path]
                ):
                    renames.add(number)
                    if touched_until.get(former_path, 0) < number:
                        touched_until[former_path] = number
                        pending.append(former_path)
        streams: list[Iterable[int]] = [sorted(renames, reverse=True)]
        for former_path, until in touched_until.items():
            for log in self.logs:
                streams.append(log.numbers_touching(former_path, until))
        numbers = heapq.merge(*streams, reverse=True)
        # A change may have touched several of the names: it is yielded once.
        return (number for number, _ in itertools.groupby(numbers))

    def heads(
        self, task: Task | None = None, *session: str | None
    ) -> Iterator[ChangeRecord]:
        """Yield all changes or a session's, newest first, without file changes."""
        check = visibility_check(self.boundary)
        streams = [
            self._visible_heads(log, check, *session) for log in self.logs
        ]
        for head in heapq.merge(
            *streams, key=lambda head: head.number, reverse=True
        ):
            if task is not None:
                task.check()
            yield head

    def _visible_heads(
        self, log: Log, check: VisibilityCheck, *session: str | None
    ) -> Iterator[ChangeRecord]:
        for page in log.iterate_head_pages(*session):
            yield from self._keep_visible(log, page, check)

    def _keep_visible(
        self, log: Log, heads: Sequence[ChangeRecord], check: VisibilityCheck
    ) -> Iterator[ChangeRecord]:
        """Yield the heads of changes with a visible file, without denied names."""
        hidden = log.numbers_hidden(check, [head.number for head in heads])
        for head in heads:
            if head.number not in hidden:
                yield head
                continue
            # Some of its files may be visible still.
            try:
                record = log.read_record(head.number, only_done=True)
            except FilewrightError:
                yield damaged_change_record(head.number)
                continue
            visible = self._visible_part(record) if record is not None else None
            if visible is not None:
                yield replace(visible, file_changes=())

    def newest(self) -> str | None:
        """Return the id of the newest change of any log."""
        number = self.newest_number()
        return format_change_id(number) if number else None

    def newest_number(self) -> int:
        """Return the number of the newest change of any log, or 0."""
        return max(log.newest_number() for log in self.logs)

    def ids(self) -> Iterator[str]:
        """Yield the ids of all changes, in no order, also of those that are hidden."""
        # Much faster than the heads: a history may have a hundred thousand changes.
        for log in self.logs:
            for number in log.numbers_after(0):
                yield format_change_id(number)

    def records_after(self, number: int) -> Iterator[ChangeRecord]:
        """Yield the whole records of all changes later than one, oldest first."""
        later_changes: list[tuple[int, Log]] = []
        for log in self.logs:
            for later in log.numbers_after(number):
                later_changes.append((later, log))
        for later, log in sorted(later_changes, key=lambda change: change[0]):
            record = log.read_record(later, only_done=True)
            if record is not None:
                yield record

    # Undos

    def list_undos(self, after: int = 0) -> list[ChangeRecord]:
        """Return the changes that reverted others, newest first, without file changes.

        With `after`, only those later than the change with that number.
        """
        check = visibility_check(self.boundary)
        undos: list[ChangeRecord] = []
        for log in self.logs:
            undos.extend(self._keep_visible(log, log.list_undos(after), check))
        return sorted(undos, key=lambda undo: undo.number, reverse=True)

    def effective_changes(
        self, task: Task | None = None
    ) -> Iterator[ChangeRecord]:
        """Yield the changes that are neither undone nor undos, newest first.

        Without those that configured a client.
        """
        undone = find_undone(self.list_undos())
        for head in self.heads(task):
            if head.reverts or head.id in undone or head.client == SETUP_CLIENT:
                continue
            yield head

    def find_redoable(self) -> str | None:
        """Return the id of the newest undo that can be redone, or None.

        An undo that has been undone, and one that is itself a redo, cannot be redone.
        """
        undos = self.list_undos()
        undone_ids, undo_ids = find_undone(undos), {undo.id for undo in undos}
        for undo in undos:
            is_redo = len(undo.reverts) == 1 and undo.reverts[0] in undo_ids
            is_healing = undo.tool == GUARD_TOOL
            if undo.id not in undone_ids and not is_redo and not is_healing:
                return undo.id
        return None

    def undone_numbers(self) -> set[int]:
        """Return the numbers of the changes that are undone, without whole undos."""
        undos = self.list_undos()
        numbers = {parse_change_id(name) or 0 for name in find_undone(undos)}
        return numbers.difference(
            undo.number for undo in undos if not undo.partial
        )

    # Sessions and commands

    def sessions(self) -> list[SessionRange]:
        """Return the sessions, the one with the newest change first."""
        sessions: dict[str | None, SessionRange] = {}
        check = visibility_check(self.boundary)
        for log in self.logs:
            for part in self._sessions_of(log, check):
                earlier_part = sessions.get(part.name)
                if earlier_part is None:
                    sessions[part.name] = part
                    continue
                newer = part if part.last > earlier_part.last else earlier_part
                sessions[part.name] = replace(
                    newer,
                    changes=earlier_part.changes + part.changes,
                    first=min(earlier_part.first, part.first),
                )
        return sorted(
            sessions.values(), key=lambda session: session.last, reverse=True
        )

    def _sessions_of(
        self, log: Log, check: VisibilityCheck
    ) -> Iterable[SessionRange]:
        """Return the visible sessions of a log, perhaps in parts."""
        if not log.numbers_hidden(check):
            return log.list_sessions()
        return (
            SessionRange(head.session, 1, head.number, head.number, head.client)
            for head in self._visible_heads(log, check)
        )

    def resolve_session(self, name: str) -> str:
        """Return the session that a person names, such as `last`. Raise `not_found`."""
        return self._selector().resolve_session(name)

    def resolve_moment(self, text: str) -> int:
        """Return the number after which a time or a change is. Raise `not_found`."""
        number, _ = self._selector().resolve_moment(text)
        return number

    def numbers_of_session(self, session: str | None) -> set[int]:
        """Return the numbers of the changes of a session."""
        return set().union(
            *(log.numbers_of_session(session) for log in self.logs)
        )

    def shared_commands(
        self, change_ids: Sequence[str]
    ) -> dict[str, tuple[RecordedCommand, ...]]:
        """Return the commands of those changes that several may have made."""
        numbers = [parse_change_id(change_id) or 0 for change_id in change_ids]
        commands: dict[int, tuple[RecordedCommand, ...]] = {}
        for log in self.logs:
            commands.update(log.shared_commands(numbers))
        return {
            format_change_id(number): commands[number]
            for number in numbers
            if number in commands
        }

    def require_unshared(self, selected: Selection) -> None:
        """Refuse to undo what may be the change of a command that is not selected.

        Raise `unsupported` naming these commands and the files. A selection since a
        moment is of all commands.
        """
        if "since" in selected.details:
            return
        session = selected.details.get("session")
        if "prompt" in selected.details:
            session = selected.record.session
        shared_commands = self.shared_commands(selected.change_ids)
        selected_paths: set[RecordedPath] = set()
        # A hundred thousand paths are not held for nothing.
        if selected.partial and shared_commands:
            selected_paths.update(selected.record.recorded_paths)
        summaries: dict[str, None] = {}
        shown_paths: dict[str, None] = {}
        for change_id, commands in shared_commands.items():
            foreign = [
                command
                for command in commands
                if session is None or command.session != session
            ]
            if not foreign:
                continue
            changes = self.record(change_id).file_changes
            if selected.partial:
                # Commands that share only files outside of the part do not matter.
                changes = [
                    change
                    for change in changes
                    if not selected_paths.isdisjoint(change.paths)
                ]
            if changes:
                for command in foreign:
                    summaries[command.summary] = None
                for change in changes:
                    shown_paths[change.path.display_path] = None
        if summaries:
            raise errors.shared_with_commands(
                selected.description,
                list(summaries),
                list(shown_paths),
                selected.details,
            )

    # One change

    def record(self, change_id: str, *, inside: bool = True) -> ChangeRecord:
        """Return the record of a change: what of it lies `inside` the roots, or all.

        Of all, words that may name what is denied are left out. Raise `not_found` if
        there is no change with that id.
        """
        record = self.read_stored(change_id)
        visible = self._visible_part(record)
        if not inside:
            summary = visible.summary if visible is not None else record.tool
            return replace(record, summary=summary)
        if visible is None:
            raise errors.unknown_change(change_id)
        return visible

    def read_stored(self, change_id: str) -> ChangeRecord:
        """Return the record of a change as it is stored. Raise `not_found`."""
        number = parse_change_id(change_id) or 0
        if number < _MAX_NUMBER:
            for log in self.logs:
                record = log.read_record(number, only_done=True)
                if record is not None:
                    return record
        raise errors.unknown_change(change_id)

    def _visible_part(self, record: ChangeRecord) -> ChangeRecord | None:
        """Return a record without what may not be seen; None if nothing is left."""
        visibilities = set(
            map(visibility_check(self.boundary), record.recorded_paths)
        )
        if visibilities <= {"seen"}:
            return record
        stored = record.file_changes
        count = sum(1 for _ in self.visible_changes(stored))
        if not count:
            return None
        visible = LazySequence(count, lambda: self.visible_changes(stored))
        record = replace(record, file_changes=visible)
        if "denied" in visibilities:
            # Its words may name what is denied.
            record = replace(
                record, summary=record.tool, notes=(), hard_links={}
            )
        return record

    def visible_changes(
        self, changes: Iterable[FileChange]
    ) -> Iterator[FileChange]:
        """Yield file changes without paths that may not be seen.

        A file that was moved to such a path is a deleted one, a file that comes from
        such a path one that was not moved.
        """
        check = visibility_check(self.boundary)
        for change in changes:
            former_path = change.renamed_from
            if former_path is not None and check(former_path) != "seen":
                former_path = None
            if check(change.path) == "seen":
                yield replace(change, renamed_from=former_path)
            elif former_path is not None:
                yield replace(
                    change, path=former_path, renamed_from=None, after=None
                )

    def resolve_change_id(self, reference: str) -> str:
        """Return a change's id from the id or its beginning or end, ``@``, or ``@~2``.

        ``@`` is the newest change, ``@~2`` the one two before it. An id is returned as
        it is, even if there is no such change. Raise `not_found`, and `invalid_input`
        if several ids begin or end so.
        """
        change_id: str | None = None
        steps_back = re.fullmatch(r"@(?:~([0-9]{1,9}))?", reference)
        if steps_back is not None:
            count = int(steps_back[1] or 0)
            for head in itertools.islice(self.heads(), count, count + 1):
                change_id = head.id
        elif parse_change_id(reference) is not None:
            return reference
        elif reference:
            all_ids = (head.id for head in self.heads())
            # Ids begin with the time: those of one day differ at their ends.
            change_id = find_abbreviated(
                reference, all_ids, "change", min_end=MIN_ID_END
            )
        if change_id is None:
            if steps_back is not None and not self.newest_number():
                raise errors.nothing_changed()
            raise errors.unknown_change(reference)
        return change_id

    # Selecting

    def select(
        self,
        scope: Scope | str,
        *,
        inside: bool = False,
        every: bool = False,
        task: Task | None = None,
    ) -> Selection:
        """Return the selection of a scope, or of a change's id.

        With `inside` it has only what lies below the roots. What is undone already is
        not part of a session or of what was changed since a moment, unless `every`
        change is meant. Raise `not_found`, `invalid_input`, and `no_change` if nothing
        is left.
        """
        if isinstance(scope, str):
            scope = Scope(scope)
        selector = self._selector(task)
        return selector.select(scope, only_inside=inside, include_undone=every)

    def select_between(
        self, first: str, last: str, task: Task | None = None
    ) -> Selection:
        """Return the changes between two moments as one, as `Selector` does."""
        return self._selector(task).select_between(first, last)

    def parse_scope(self, text: str) -> Scope:
        """Return the scope that a person names by a text.

        A session, `current` or `last`; a time, or a change since which all is meant.
        """
        return self._selector().parse_scope(text)

    def _selector(self, task: Task | None = None) -> Selector:
        # A hook only records, and selects nothing.
        from filewright.changes.selector import Selector

        return Selector(self, task or Task())

    # Showing

    def diff(
        self,
        scope: Scope | str,
        *,
        entries: slice | None = None,
        max_lines: int | None = None,
        task: Task | None = None,
    ) -> Diff:
        """Return the diff of a scope, or of some of its `entries`.

        It has about `max_lines` lines at most, ends where the time of `task` does, and
        says what it leaves out.
        """
        record = self.select(scope, inside=True, task=task).record
        return self.diff_record(
            record, entries=entries, max_lines=max_lines, task=task
        )

    def diff_record(
        self,
        record: ChangeRecord,
        *,
        entries: slice | None = None,
        max_lines: int | None = None,
        task: Task | None = None,
    ) -> Diff:
        """Return the diff of the record of a selection, as `diff` does."""
        from filewright.changes.diffs import DiffBuilder

        return DiffBuilder(self.boundary, self.settings).diff_record(
            record,
            max_lines=max_lines or self.settings.diff_lines,
            task=task or Task(),
            entries=entries,
        )

    def file_difference(
        self, change: FileChange, *, max_lines: int, start: int = 0
    ) -> FileDifference:
        """Return the diff of one file with its lines counted.

        With `max_lines` 0 without the diff.
        """
        from filewright.changes.diffs import DiffBuilder

        diffs = DiffBuilder(self.boundary, self.settings)
        return diffs.diff_file_change(change, max_lines=max_lines, start=start)

    # Paths

    def locate(self, path: RecordedPath) -> Location | None:
        """Return the location of a recorded path, or None if it is below no root."""
        return path.locate(self.boundary.roots)

    def recorded_path(self, location: Location) -> RecordedPath:
        """Return the recorded path of a location, from the nearest root."""
        path = RecordedPath.from_location(location)
        return RecordedPath.from_location(self.locate(path) or location)

    def locate_visible(
        self, check: VisibilityCheck, path: RecordedPath
    ) -> Location:
        """Return the location of a path that may be seen.

        Raise `path_escape`, `permission_denied`.
        """
        location = self.locate(path)
        if location is None:
            raise errors.beyond_roots(path.display_path, quote(path.root))
        if check(path) == "denied":
            raise errors.denied_by_rules("a file of that change")
        return location

    def file_change_at(
        self, record: ChangeRecord, location: Location
    ) -> FileChange | None:
        """Return what a change did at one path, or None."""
        path = self.recorded_path(location)
        for change in record.file_changes:
            if change.path == path:
                return change
        return None
