"""The changes of a workspace that are on record: listing them, choosing and naming them, and showing what they did."""

from __future__ import annotations

import heapq
import itertools
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.changes.database import Flusher
from filewright.changes.log import Log
from filewright.changes.log_reader import SessionSummary
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    LazyFileChanges,
    RecordedCommand,
    RecordedPath,
    VisibilityCheck,
    format_change_id,
    parse_change_id,
    path_after_moves,
    visibility_check,
)
from filewright.changes.moments import format_local_time, parse_moment
from filewright.changes.rows import DAMAGED, damaged_change_record, damaged_record_error
from filewright.changes.selection import (
    Scope,
    Selection,
    find_effective,
    find_effective_undos,
    find_undone,
    group_by_prompt,
)
from filewright.changes.state_dir import StateFolder, StateIndex, state_base_folder
from filewright.errors import Code, FilewrightError
from filewright.progress import SETUP_CLIENT, Caller, Task
from filewright.settings import Settings
from filewright.wording import escape_surrogates

if TYPE_CHECKING:
    from filewright.changes.diffs import FileDifference
    from filewright.edit.diff import Diff

# What shows changes is imported where it is used: a server that has only started needs none of it.

ALLOW_WRITE_ANYTHING = "**"
"""The rule of `allow_write` with which a person works: agents have narrower ones."""
_CLOCKS_APART_NS = 60 * 10**9
_LEAST_BEGUN = 4
_TOO_LARGE = 1 << 63
"""For the number of a change, in a database."""
_BEFORE_HISTORY = 10**9


class History:
    """What history holds of what is below the roots; nothing is written. Thread-safe.

    Each root has a state folder of its own. A change is kept in that of the first root it touches;
    looking back takes in those of folders above and below, and of roots that were changed together
    with one of these.
    """

    def __init__(self, boundary: Boundary, settings: Settings) -> None:
        self.caller = Caller(session=os.urandom(6).hex())
        self._boundary = boundary
        self._settings = settings
        self._flusher = Flusher(enabled=settings.flush)
        self._index = StateIndex(state_base_folder(settings), settings.lock_seconds)
        self._own = [
            self._log(StateFolder(self._index, root)) for root in boundary.roots
        ]
        self._related: dict[str, Log] = {}
        self._listed: tuple[object, list[Log]] = None, self._own

    def _log(self, state: StateFolder) -> Log:
        return Log(
            self._boundary, self._settings, state, self._flusher, self.newest_number
        )

    @property
    def own_logs(self) -> Sequence[Log]:
        """The logs of the roots that are open here."""
        return self._own

    @property
    def logs(self) -> list[Log]:
        """Every log that may hold changes of what is below the roots, their own first."""
        # Without a lock: a child process would find it held, by a thread that it does not have.
        owners = self._index.owners
        seen, listed = self._listed
        if owners is not seen:
            listed = list(self._own)
            # The first change of a root may have been made by another process since it was opened here.
            for log in listed:
                log.state.find()
            own = [log.state.owner.id for log in listed]
            for owner in self._index.related(self._boundary.roots, own):
                if owner.id not in self._related:
                    self._related[owner.id] = self._log(
                        StateFolder(self._index, None, owner)
                    )
                listed.append(self._related[owner.id])
            self._listed = owners, listed
        return listed

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
        """Committed changes, newest first: at most `limit`, older than the change `before`.

        With `location`, those that touched it or something below it, also under an earlier name; those of
        a `session`, of clients whose name begins with `client`, after the time or change `since`.
        """
        moment = self._moment(since)[0] if since is not None else 0
        chosen: list[set[int]] = []
        if session is not None:
            chosen.append(self.numbers_of_session(self._session(session, task)))
        if client is not None:
            chosen.append(
                set[int]().union(
                    *(log.numbers_of_client(client, moment) for log in self.logs)
                )
            )
        numbers: Iterable[int] = (head.number for head in self.heads(task))
        if location is not None:
            numbers = self._touching(RecordedPath.from_location(location))
        elif chosen:
            numbers = sorted(set.intersection(*chosen), reverse=True)
        found: list[ChangeRecord] = []
        for number in numbers:
            if len(found) >= limit or number <= moment:
                break
            identifier = format_change_id(number)
            if (before is None or identifier < before) and all(
                number in each for each in chosen
            ):
                try:
                    found.append(self.record(identifier))
                except FilewrightError as error:
                    if error.code is Code.IO_ERROR:  # Else it is one of what is denied.
                        found.append(damaged_change_record(number))
        return found

    def _touching(self, place: RecordedPath) -> Iterator[int]:
        """The changes that did something at a place or below it, also where it was before it was renamed."""
        path = b"/".join((place.root.rstrip(b"/"), *place.parts))
        until, pending, renames = {path: 1 << 62}, [path], set[int]()
        for path in pending:
            for log in self.logs:
                for number, was in log.renames_to(path, until[path]):
                    renames.add(number)
                    if until.get(was, 0) < number:
                        until[was] = number
                        pending.append(was)
        found = (
            log.numbers_touching(path, before)
            for path, before in until.items()
            for log in self.logs
        )
        numbers = heapq.merge(*found, sorted(renames, reverse=True), reverse=True)
        return (number for number, _ in itertools.groupby(numbers))

    def _inside(self, record: ChangeRecord) -> ChangeRecord | None:
        """A record with what it did below the roots that is not denied; None if nothing is."""
        found = set(map(visibility_check(self._boundary), record.recorded_paths))
        if found <= {"seen"}:
            return record
        entries = record.file_changes
        count = sum(1 for _ in self._seen(entries))
        record = replace(
            record, file_changes=LazyFileChanges(count, lambda: self._seen(entries))
        )
        if "denied" in found:  # its words may name what is denied
            record = replace(record, summary=record.tool, notes=(), hard_links={})
        return record if count else None

    def _seen(self, entries: Iterable[FileChange]) -> Iterator[FileChange]:
        """What was done at places below the roots that are not denied."""
        seen_as = visibility_check(self._boundary)
        for entry in entries:
            was = (
                entry.renamed_from
                if entry.renamed_from is not None
                and seen_as(entry.renamed_from) == "seen"
                else None
            )
            if seen_as(entry.path) == "seen":
                yield replace(entry, renamed_from=was)
            elif was is not None:
                yield replace(entry, path=was, renamed_from=None, after=None)

    def newest(self) -> str | None:
        """The id of the newest change of any log."""
        number = self.newest_number()
        return format_change_id(number) if number else None

    def newest_number(self) -> int:
        """Its number, which one look at each log tells; 0 if there is none."""
        return max(map(Log.newest_number, self.logs))

    def records_after(self, number: int) -> Iterator[ChangeRecord]:
        """The changes later than one, the oldest first, whole, wherever they are."""
        found = [
            (later, log) for log in self.logs for later in log.numbers_after(number)
        ]
        for later, log in sorted(found, key=lambda each: each[0]):
            operation = log.read_record(later, made=True)
            if operation is not None:
                yield operation

    def inner_logs(self) -> list[Log]:
        """The logs of registered roots within those that are open here, other than these."""
        roots = [root.resolved_path for root in self._boundary.roots]
        return [
            log for log in self.logs if not log.is_own and log.state.lies_within(roots)
        ]

    def orphaned_state_folders(self) -> list[StateFolder]:
        """Return the state folders of roots within the open ones whose folders were removed or replaced."""
        roots = [root.resolved_path for root in self._boundary.roots]
        left = [owner for owner in self._index.within(roots) if not owner.is_there]
        return [StateFolder(self._index, None, owner) for owner in left]

    def outer_state_folder(self, log: Log) -> StateFolder | None:
        """The state folder of the nearest registered root around that of a log."""
        return self._index.around(log.state.owner)

    def shared_commands(
        self, names: Sequence[str]
    ) -> dict[str, tuple[RecordedCommand, ...]]:
        """Those of some changes that may be those of several commands, each with these."""
        numbers = [parse_change_id(name) or 0 for name in names]
        found = {}
        for log in self.logs:
            found.update(log.shared_commands(numbers))
        return {
            format_change_id(number): found[number]
            for number in numbers
            if number in found
        }

    def record(self, change_id: str, *, inside: bool = True) -> ChangeRecord:
        """One change: what of it is `inside` the roots; else all, but for words that name what is denied.

        Raises `not_found` if there is none with that id.
        """
        whole = self._kept(change_id)
        seen = self._inside(whole)
        if not inside:
            return replace(whole, summary=seen.summary if seen else whole.tool)
        if seen is None:
            raise errors.unknown_change(change_id)
        return seen

    # Naming

    def resolve_change_id(self, given: str) -> str:
        """A change's id from what a caller gives: the id or its beginning, ``@`` the newest, ``@~2`` two before.

        Raises `not_found`, but for what is an id already, and `invalid_input` where several begin so.
        """
        found: str | None = None
        if (back := re.fullmatch(r"@(?:~([0-9]{1,9}))?", given)) is not None:
            found = next(
                (
                    head.id
                    for head in itertools.islice(self.heads(), int(back[1] or 0), None)
                ),
                None,
            )
        elif parse_change_id(given) is not None:
            return given  # Whoever asks for the change is told if there is none.
        elif given:
            found = find_by_prefix(given, (head.id for head in self.heads()), "change")
        if found is None:
            raise errors.unknown_change(given)
        return found

    def heads(
        self, task: Task | None = None, *session: str | None
    ) -> Iterator[ChangeRecord]:
        """All changes of what is below the roots, or a session's, newest first, without their entries."""
        seen_as = visibility_check(self._boundary)
        streams = [
            (
                head
                for page in log.iterate_head_pages(*session)
                for head in self._visible(log, page, seen_as)
            )
            for log in self.logs
        ]
        for head in heapq.merge(*streams, key=lambda head: head.number, reverse=True):
            if task is not None:
                task.check()
            yield head

    def _visible(
        self, log: Log, heads: Sequence[ChangeRecord], seen_as: VisibilityCheck
    ) -> Iterator[ChangeRecord]:
        """Those of some heads of which something is seen, each with what that is."""
        hidden = log.numbers_hidden(seen_as, [head.number for head in heads])
        for head in heads:
            if head.number not in hidden:
                yield head
                continue
            try:
                operation = log.read_record(head.number, made=True)
            except FilewrightError:
                yield damaged_change_record(head.number)
                continue
            seen = self._inside(operation) if operation is not None else None
            if seen is not None:
                yield replace(seen, file_changes=())

    def list_undos(self) -> list[ChangeRecord]:
        """The changes that took others back, newest first, without their entries."""
        seen_as = visibility_check(self._boundary)
        found = (
            undo
            for log in self.logs
            for undo in self._visible(log, log.list_undos(), seen_as)
        )
        return sorted(found, key=lambda undo: undo.number, reverse=True)

    def effective_changes(self, task: Task | None = None) -> Iterator[ChangeRecord]:
        """The changes that are neither undone nor undos, newest first, but for what configured a client."""
        undone = find_undone(self.list_undos())
        return (
            head
            for head in self.heads(task)
            if not head.reverts
            and head.id not in undone
            and head.client != SETUP_CLIENT
        )

    def find_redoable(self) -> str | None:
        """The newest undo that is not taken back itself, and takes none back."""
        undos = self.list_undos()
        undone, names = find_undone(undos), {undo.id for undo in undos}
        for undo in undos:
            is_redo = len(undo.reverts) == 1 and undo.reverts[0] in names
            if undo.id not in undone and not is_redo:
                return undo.id
        return None

    def undone_numbers(self) -> set[int]:
        """The numbers of the changes that are undone, but for undos."""
        undos = self.list_undos()
        found = {parse_change_id(name) or 0 for name in find_undone(undos)}
        return found.difference(undo.number for undo in undos if not undo.partial)

    def sessions(self) -> list[SessionSummary]:
        """The sessions, the one that changed something last first."""
        found: dict[str | None, SessionSummary] = {}
        seen_as = visibility_check(self._boundary)
        for log in self.logs:
            parts: Iterable[SessionSummary] = log.list_sessions()
            if log.numbers_hidden(seen_as):
                heads = (
                    head
                    for page in log.iterate_head_pages()
                    for head in self._visible(log, page, seen_as)
                )
                parts = (
                    SessionSummary(
                        head.session, 1, head.number, head.number, head.client
                    )
                    for head in heads
                )
            for part in parts:
                known = found.setdefault(part.name, part)
                if known is not part:
                    count, first = (
                        known.changes + part.changes,
                        min(known.first, part.first),
                    )
                    newer = max(known, part, key=lambda each: each.last)
                    found[part.name] = replace(newer, changes=count, first=first)
        return sorted(found.values(), key=lambda each: each.last, reverse=True)

    def numbers_of_session(self, session: str | None) -> set[int]:
        """The numbers of the changes of a session."""
        return set().union(*(log.numbers_of_session(session) for log in self.logs))

    def select(
        self,
        scope: Scope | str,
        *,
        inside: bool = False,
        every: bool = False,
        task: Task | None = None,
    ) -> Selection:
        """What a scope means, a change's id being one; or only what of it is `inside` the roots.

        What has been undone already is no part of a session, or of what was changed since a moment,
        unless `every` change is meant. Raises `not_found`, `invalid_input`, and `no_change` where
        nothing is left.
        """
        task = task or Task()
        scope = Scope(scope) if isinstance(scope, str) else scope
        if scope.change_id is not None:
            record = self.record(self.resolve_change_id(scope.change_id), inside=inside)
            if self._is_for_people(record) and not inside:
                raise errors.made_by_setup(record.id)
            for log in () if inside else self.logs:
                if log.numbers_moving_files(record.number, renames=True):
                    record = self._net(record, {record.id}, task, changed_only=False)
                    break
            words = (
                f": {record.summary}"
                if scope.path is None and scope.hunk is None
                else ""
            )
            selected = Selection(
                record,
                (record.id,),
                f"the change {record.id}",
                f"undo {record.id}{words}",
                {"change_id": record.id},
            )
        else:
            selected = self._together(scope, inside, every, task)
        return (
            selected
            if scope.path is None and scope.hunk is None
            else self._narrowed(selected, scope)
        )

    def _net(
        self,
        record: ChangeRecord,
        chosen: Collection[str],
        task: Task,
        *,
        changed_only: bool,
    ) -> ChangeRecord:
        """What the chosen changes did together, at the places to which others have moved it."""
        from filewright.changes.net_change import build_net_change

        oldest, apart = min(chosen), set(chosen)
        for undo in find_effective_undos(self.list_undos()):
            # What others have undone among themselves is as if it never was.
            if (
                undo.id not in chosen
                and apart.isdisjoint(undo.reverts)
                and min(undo.reverts) > oldest
            ):
                apart.update(undo.reverts, (undo.id,))
        moving = (
            format_change_id(number)
            for log in self.logs
            for (number,) in log.numbers_moving_files(parse_change_id(oldest) or 0)
        )
        played = sorted({*moving}.difference(apart).union(chosen))
        return build_net_change(
            record,
            ((self._kept(name), name in chosen) for name in played),
            changed_only=changed_only,
            task=task,
        )

    def _together(
        self, scope: Scope, inside: bool, every: bool, task: Task
    ) -> Selection:
        """The changes of a session, of a prompt, or since a moment, as one."""
        if scope.session is not None:
            name = self._session(scope.session, task)
            heads = self.heads(task, name)
            what, summary = f"the session {name}", f"rewind the session {name}"
            named = {"session": name}
        elif scope.prompt is not None:
            change = self.resolve_change_id(scope.prompt)
            groups = group_by_prompt(self.heads(task, self.record(change).session))
            heads = iter(
                next(
                    (
                        group
                        for group in groups
                        if change in {head.id for head in group}
                    ),
                    [],
                )
            )
            what, summary = (
                f"the prompt of the change {change}",
                f"undo the prompt of {change}",
            )
            named = {"prompt": change}
        else:
            moment, shown = self._moment(scope.since or "", known=True)
            heads = itertools.takewhile(
                lambda head: head.number > moment, self.heads(task)
            )
            what, summary = f"what was changed since {shown}", f"rewind to {shown}"
            named = {"since": shown}
        # Their names only: there may be a hundred thousand.
        undoable: dict[str, bool] = {}
        configuring: list[str] = []
        for head in heads:
            if self._is_for_people(head):
                configuring.append(head.id)
                continue
            if head.state == DAMAGED:
                raise damaged_record_error(head.id)
            undoable[head.id] = head.undoable
        if scope.since is None and undoable:
            self._require_sound(min(undoable), task)
        chosen = undoable.keys()
        left = (
            chosen
            if every
            else find_effective(find_effective_undos(self.list_undos()), chosen)
        )
        ids = tuple(name for name in chosen if name in left)
        if not ids:
            raise FilewrightError(
                Code.NO_CHANGE,
                f"there is nothing left to undo of {what}",
                hint=_nothing_left(chosen, configuring),
                details=named,
            )
        newest = replace(
            self._kept(ids[0]),
            file_changes=(),
            summary=what,
            undoable=all(undoable[name] for name in ids),
        )
        # An undo may have found some of it undone already: since a moment, nothing is left out.
        played = left if scope.session is not None else chosen
        record = self._net(newest, played, task, changed_only=not every)
        if inside:
            record = replace(record, file_changes=list(self._seen(record.file_changes)))
        count = f" ({len(ids)} changes)" if len(ids) > 1 else ""
        return Selection(record, ids, what, summary + count, named)

    def _is_for_people(self, head: ChangeRecord) -> bool:
        """Return True if a change configured a client and the caller is an agent: only people undo those."""
        return (
            head.client == SETUP_CLIENT
            and ALLOW_WRITE_ANYTHING not in self._settings.allow_write
        )

    def _require_sound(self, oldest: str, task: Task) -> None:
        """Raise `io_error` if a change since the oldest is damaged: whose session it was of is not known then."""
        for head in self.heads(task):
            if head.id < oldest:
                return
            if head.state == DAMAGED:
                raise damaged_record_error(head.id)

    def parse_scope(self, given: str) -> Scope:
        """What a person means by a word: a session, `last`, a time or a change since which all is meant."""
        if given in ("last", "current") or self.numbers_of_session(given):
            return Scope(session=given)
        if parse_moment(given) is not None:
            return Scope(since=given)
        try:
            self.record(self.resolve_change_id(given.removesuffix("^")))
        except FilewrightError as error:
            if error.code is not Code.NOT_FOUND:
                raise
        else:
            return Scope(since=given)
        return Scope(session=self._session(given, None))

    def _session(self, given: str, task: Task | None) -> str:
        """A session's name from what a caller gives: the name or its beginning, `current`, or `last`.

        The last is the newest that changed something which is not undone.
        """
        if given == "current":
            given = ((task and task.caller) or self.caller).session or given
        if given == "last":
            last = next(
                (head.session for head in self.effective_changes(task) if head.session),
                None,
            )
            if last is None:
                raise errors.no_session_changes(any(True for _ in self.heads(task)))
            return last
        # The name of none has a lone surrogate, and the database takes none.
        if escape_surrogates(given) == given and self.numbers_of_session(given):
            return given
        known = [each.name for each in self.sessions() if each.name is not None]
        found = (
            find_by_prefix(given, known, "session")
            if len(given) >= _LEAST_BEGUN
            else None
        )
        if found is None:
            raise errors.unknown_session(given, known[:5])
        return found

    def _moment(self, given: str, *, known: bool = False) -> tuple[int, str]:
        """The time after which changes are meant, and how it is shown; ``CHANGE^`` is that before the change.

        With `known` it must be one that the history knows of.
        """
        moment = parse_moment(given)
        if moment is None:
            before = given.endswith("^")
            record = self.record(self.resolve_change_id(given.removesuffix("^")))
            return (
                record.number - before,
                f"{'before ' if before else ''}the change {record.id}",
            )
        if not known:
            return moment, format_local_time(moment)
        begins = min((each.first for each in self.sessions()), default=None)
        if begins is None or moment < begins - _BEFORE_HISTORY:
            raise errors.before_history(
                given, format_local_time(begins) if begins is not None else None
            )
        now = time.time_ns()
        if moment > now:
            raise errors.time_in_future(given)
        if self.newest_number() > now + _CLOCKS_APART_NS:
            raise errors.clock_was_ahead(given)
        return moment, format_local_time(moment)

    def _narrowed(self, selected: Selection, scope: Scope) -> Selection:
        """What was done at the path of a scope only, or only its hunk."""
        record = selected.record
        entries: Sequence[FileChange] = record.file_changes
        asked = ""
        if scope.path is not None:
            place, asked = self.recorded_path(scope.path), scope.path.requested_path
            entries = (
                *(e for e in entries if e.touches(place)),
                *self._carried_from(place, entries),
            )
            if not entries:
                raise errors.not_in_change(asked, selected.description)
            if len(selected.change_ids) > 1:
                touching = {
                    format_change_id(number) for number in self._touching(place)
                }
                ids = (
                    tuple(name for name in selected.change_ids if name in touching)
                    or selected.change_ids
                )
                selected = replace(selected, change_ids=ids)
        part = asked
        if scope.hunk is not None:
            whole, entries = entries, list(self._seen(entries))
            if not entries:
                self._locate(visibility_check(self._boundary), whole[0].path)
            if len(entries) > 1:
                raise errors.hunk_needs_path(selected.description)
            (entry,) = entries
            before, after, part = (
                entry.before,
                entry.after,
                asked or entry.path.display_path,
            )
            if (
                before is None
                or after is None
                or before.kind != "file"
                or entry.action == "attributes"
            ):
                raise errors.no_undo_by_hunks(part)
            # Without what it did to name and rights.
            entries = (
                replace(
                    entry, renamed_from=None, before=before.with_mode_and_owner(after)
                ),
            )
            part = f"hunk {scope.hunk} of {part}"
        return replace(
            selected,
            record=replace(record, file_changes=entries),
            summary=f"{selected.summary} ({part} only)",
            details={**selected.details, "path": asked or entries[0].path.display_path},
            partial=True,
            hunk=scope.hunk,
        )

    def _carried_from(
        self, place: RecordedPath, entries: Sequence[FileChange]
    ) -> Iterator[FileChange]:
        """What was at a place, and has gone along with a folder above it that was moved."""
        ways = {e.renamed_from: e.path for e in entries if e.renamed_from is not None}
        now = path_after_moves(place, ways)
        where = now.locate(self._boundary.roots)
        if now == place or place in ways or where is None:
            return
        try:
            side = FileState.from_status(self._boundary.stat(where))
        except FilewrightError:
            return  # It has been deleted or moved on since.
        yield FileChange(now, side, side, place)

    # Showing

    def diff(
        self,
        scope: Scope | str,
        *,
        entries: slice | None = None,
        max_lines: int | None = None,
        task: Task | None = None,
    ) -> Diff:
        """What was done, or done to some `entries`, in at most about `max_lines` lines.

        It ends where the time of `task` does, and says what it left out.
        """
        from filewright.changes.diffs import DiffBuilder

        return DiffBuilder(self._boundary, self._settings).diff_record(
            self.select(scope, inside=True, task=task).record,
            max_lines=max_lines or self._settings.diff_lines,
            task=task or Task(),
            entries=entries,
        )

    def file_difference(
        self, entry: FileChange, *, max_lines: int, start: int = 0
    ) -> FileDifference:
        """What became of one file, with its lines counted; with `max_lines` 0 without a diff."""
        from filewright.changes.diffs import DiffBuilder

        diffs = DiffBuilder(self._boundary, self._settings)
        return diffs.diff_file_change(entry, max_lines=max_lines, start=start)

    # Shared changes

    def require_unshared(self, selected: Selection) -> None:
        """Refuse to take back what may be the change of another command than those that are meant.

        Raises `unsupported` naming these commands and the files. A moment means whatever was changed since.
        """
        if "since" in selected.details:
            return
        session = selected.details.get("session")
        if "prompt" in selected.details:
            session = selected.record.session
        meant = {end for entry in selected.record.file_changes for end in entry.paths}
        others: dict[str, None] = {}
        paths: dict[str, None] = {}
        for name, commands in self.shared_commands(selected.change_ids).items():
            foreign = [
                each for each in commands if session is None or each.session != session
            ]
            if not foreign:
                continue
            entries = self.record(name).file_changes
            if selected.partial:
                entries = [
                    entry for entry in entries if not meant.isdisjoint(entry.paths)
                ]
            if entries:
                others.update(dict.fromkeys(each.summary for each in foreign))
                paths.update(
                    dict.fromkeys(entry.path.display_path for entry in entries)
                )
        if others:
            raise errors.shared_with_commands(
                selected.description, [*others], [*paths], selected.details
            )

    # Places

    def locate(self, place: RecordedPath) -> Location | None:
        """The location of a place in history; None if it is below no root that is served now."""
        return place.locate(self._boundary.roots)

    def recorded_path(self, where: Location) -> RecordedPath:
        """How history names a location: from the nearest root."""
        place = RecordedPath.from_location(where)
        return RecordedPath.from_location(place.locate(self._boundary.roots) or where)

    def _locate(self, seen_as: VisibilityCheck, place: RecordedPath) -> Location:
        """The location of a place that may be seen. Raises `path_escape`, `permission_denied`."""
        where = place.locate(self._boundary.roots)
        if where is None:
            raise errors.beyond_roots(place.display_path, quote(place.root))
        if seen_as(place) == "denied":
            raise errors.denied_by_rules("what that change touched")
        return where

    def _kept(self, change_id: str) -> ChangeRecord:
        number = parse_change_id(change_id) or 0
        for log in self.logs if number < _TOO_LARGE else ():
            found = log.read_record(number, made=True)
            if found is not None:
                return found
        raise errors.unknown_change(change_id)

    def file_change_at(
        self, record: ChangeRecord, location: Location
    ) -> FileChange | None:
        """What a change did at one place."""
        place = self.recorded_path(location)
        for entry in record.file_changes:
            if entry.path == place:
                return entry
        return None


def _nothing_left(chosen: Collection[str], configuring: Sequence[str]) -> str:
    """Return why nothing is left to undo of the chosen changes."""
    if configuring and not chosen:
        return f"what `{SETUP_CLIENT}` wrote is only for the user to take back (change {configuring[0]})"
    return "it is undone already" if chosen else "nothing was changed since then"


def find_by_prefix(given: str, names: Iterable[str], what: str) -> str | None:
    """The one of the `names` that begins with what a caller gives. Raises `invalid_input` if several do."""
    found = list(islice((name for name in names if name.startswith(given)), 5))
    if len(found) > 1:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"{given} begins the name of more than one {what}: {', '.join(found)}",
            hint="give more of it",
            details={"given": given},
        )
    return found[0] if found else None
