"""The selection of changes: the scope that a caller names becomes one record."""

from __future__ import annotations

import itertools
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from filewright import errors
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedPath,
    format_change_id,
    parse_change_id,
    path_after_moves,
    visibility_check,
)
from filewright.changes.moments import format_local_time, parse_moment
from filewright.changes.names import find_abbreviated
from filewright.changes.net_change import build_net_change, join_segments
from filewright.changes.rows import DAMAGED, damaged_record_error
from filewright.changes.selection import (
    GUARD_TOOL,
    Scope,
    Selection,
    describe_parts,
    find_effective,
    find_effective_undos,
    group_by_prompt,
)
from filewright.errors import Code, FilewrightError, invalid
from filewright.progress import SETUP_CLIENT, Task
from filewright.wording import escape_surrogates, format_age

if TYPE_CHECKING:
    from filewright.changes.history import History

ALLOW_WRITE_ANYTHING = "**"
"""The rule of `allow_write` with which a person works: agents have narrower ones."""

BEGIN = "begin"
NOW = "now"
_CLOCK_TOLERANCE_NS = 60 * 10**9
_FIRST_CHANGE_TOLERANCE_NS = 10**9
_MIN_SESSION_PREFIX = 4
_MAX_NAMED_SESSIONS = 5


@dataclass(frozen=True, slots=True)
class _Group:
    """Changes that are selected together: heads, newest first, and names."""

    heads: Iterator[ChangeRecord]
    description: str
    summary: str
    details: dict[str, Any]


class Selector:
    """Selects changes of a history, for one call."""

    def __init__(self, history: History, task: Task) -> None:
        self._history = history
        self._task = task

    def select(
        self, scope: Scope, *, only_inside: bool, include_undone: bool
    ) -> Selection:
        """Return the selection of a scope.

        With `only_inside` it has only what lies below the roots. What is undone already
        is not part of a session, a prompt or the time since a moment, unless
        `include_undone`.

        Raise `not_found`, `invalid_input`, and `no_change` if nothing is left.
        """
        if scope.change_id is not None:
            selection = self._select_change(scope, scope.change_id, only_inside)
        else:
            selection = self._select_group(scope, only_inside, include_undone)
        if scope.path is not None:
            selection = self._narrow_to_path(selection, scope)
        if scope.hunk is not None:
            selection = self._narrow_to_hunk(selection, scope, scope.hunk)
        if scope.parts:
            selection = self._narrow_to_parts(selection, scope)
        if not scope.is_partial:
            return selection
        return self._describe_part(selection, scope)

    # One change

    def _select_change(
        self, scope: Scope, name: str, only_inside: bool
    ) -> Selection:
        change_id = self._history.resolve_change_id(name)
        record = self._history.record(change_id, inside=only_inside)
        change_ids: tuple[str, ...] = (record.id,)
        if not only_inside:
            if self._is_reserved(record):
                raise errors.made_by_setup(record.id)
            change_ids = (*self._find_healings(record), record.id)
            # After later renames, the files are at other paths than the record names.
            if len(change_ids) > 1 or self._has_later_renames(record.number):
                record = self._build_net(record, change_ids, changed_only=False)
        summary = f"undo {record.id}"
        if not scope.is_partial:
            summary = f"{summary}: {record.summary}"
        return Selection(
            record,
            change_ids,
            f"the change {record.id}",
            summary,
            {"change_id": record.id},
        )

    def _find_healings(self, record: ChangeRecord) -> list[str]:
        """Return the changes of the guard that healed a change, newest first."""
        healings: list[str] = []
        # Only later changes are read: an undo must not go through the whole history.
        for undo in self._history.list_undos(after=record.number):
            if undo.tool == GUARD_TOOL and undo.reverts == (record.id,):
                healings.append(undo.id)
        return healings

    def _has_later_renames(self, number: int) -> bool:
        return any(
            log.numbers_moving_files(number, renames=True)
            for log in self._history.logs
        )

    # Several changes

    def _select_group(
        self, scope: Scope, only_inside: bool, include_undone: bool
    ) -> Selection:
        """Select the changes of a session, of a prompt, or since a moment, as one."""
        group = self._find_group(scope)
        # Only ids are held: there may be a hundred thousand changes.
        undoable: dict[str, bool] = {}
        reserved_ids: list[str] = []
        for head in group.heads:
            if self._is_reserved(head):
                reserved_ids.append(head.id)
                continue
            if head.state == DAMAGED:
                raise damaged_record_error(head.id)
            undoable[head.id] = head.undoable
        if scope.since is None and undoable:
            self._require_undamaged_since(min(undoable))
        effective_ids: Collection[str] = undoable.keys()
        if not include_undone:
            undos = find_effective_undos(self._history.list_undos())
            effective_ids = find_effective(undos, undoable.keys())
        change_ids = tuple(name for name in undoable if name in effective_ids)
        if not change_ids:
            raise FilewrightError(
                Code.NO_CHANGE,
                f"there is nothing left to undo of {group.description}",
                hint=_explain_nothing_left(undoable, reserved_ids),
                details=group.details,
            )
        newest = replace(
            self._history.read_stored(change_ids[0]),
            file_changes=(),
            summary=group.description,
            undoable=all(undoable[name] for name in change_ids),
        )
        # An undo may have found some of it undone: since a moment, nothing is left out.
        replayed = (
            effective_ids if scope.session is not None else undoable.keys()
        )
        record = self._build_net(
            newest, replayed, changed_only=not include_undone
        )
        if only_inside:
            visible = list(self._history.visible_changes(record.file_changes))
            record = replace(record, file_changes=visible)
        summary = group.summary
        # Of a part, not all of them may be undone.
        if len(change_ids) > 1 and not scope.is_partial:
            summary = f"{summary} ({len(change_ids)} changes)"
        return Selection(
            record, change_ids, group.description, summary, group.details
        )

    def _find_group(self, scope: Scope) -> _Group:
        history, task = self._history, self._task
        if scope.session is not None:
            session = self.resolve_session(scope.session)
            return _Group(
                history.heads(task, session),
                f"the session {session}",
                f"rewind the session {session}",
                {"session": session},
            )
        if scope.prompt is not None:
            change_id = history.resolve_change_id(scope.prompt)
            session_heads = history.heads(
                task, history.record(change_id).session
            )
            prompt: list[ChangeRecord] = []
            for group in group_by_prompt(session_heads):
                if change_id in {head.id for head in group}:
                    prompt = group
                    break
            return _Group(
                iter(prompt),
                f"the prompt of the change {change_id}",
                f"undo the prompt of {change_id}",
                {"prompt": change_id},
            )
        moment, moment_text = self.resolve_moment(
            scope.since or "", must_be_known=True
        )
        return _Group(
            itertools.takewhile(
                lambda head: head.number > moment, history.heads(task)
            ),
            f"the changes since {moment_text}",
            f"rewind to {moment_text}",
            {"since": moment_text},
        )

    def select_between(self, first: str, last: str) -> Selection:
        """Return all changes between two moments as one: what differs between them.

        A moment is a change (right after it), ``CHANGE^``, a time, or a session: before
        its changes as the `first`, after them as the `last` moment. An empty `first`, or
        `begin`, is the beginning of the history; an empty `last`, or `now`, is now. Raise `not_found`,
        `invalid_input`, and `no_change` if nothing was changed between them.
        """
        history = self._history
        start, start_text = 0, "the beginning of the history"
        if first and first != BEGIN:
            start, start_text = self._resolve_end(first, is_first=True)
        # The newest change may be older than the first moment.
        end, end_text = max(history.newest_number(), time.time_ns()), "now"
        if last and last != NOW:
            end, end_text = self._resolve_end(last, is_first=False)
        if not history.newest_number():
            raise errors.nothing_changed()
        if start > end:
            raise invalid(
                f"{start_text} is later than {end_text}",
                "name the earlier moment first",
            )
        numbers: list[int] = []
        for head in history.heads(self._task):
            if head.number <= start:
                break
            if head.state == DAMAGED:
                raise damaged_record_error(head.id)
            if head.number <= end:
                numbers.append(head.number)
        description = f"the differences between {start_text} and {end_text}"
        details = {"first": start_text, "last": end_text}
        if not numbers:
            raise FilewrightError(
                Code.NO_CHANGE,
                f"nothing was changed between {start_text} and {end_text}",
                "`filewright log` lists the changes with their times",
                details=details,
            )
        change_ids = tuple(map(format_change_id, numbers))
        newest = history.read_stored(change_ids[0])
        record = build_net_change(
            replace(newest, file_changes=(), summary=description),
            ((history.read_stored(name), True) for name in change_ids[::-1]),
            changed_only=True,
            task=self._task,
        )
        changes = [
            join_segments(change)
            for change in history.visible_changes(record.file_changes)
        ]
        return Selection(
            replace(record, file_changes=changes),
            change_ids,
            description,
            description,
            details,
        )

    def _resolve_end(self, text: str, *, is_first: bool) -> tuple[int, str]:
        """Return the number after which a moment is, and how it is shown."""
        scope = self.parse_scope(text)
        if scope.session is None:
            return self.resolve_moment(text)
        session = self.resolve_session(scope.session)
        numbers = self._history.numbers_of_session(session)
        if is_first:
            begin = f"the beginning of the session {session}"
            return min(numbers) - 1, begin
        return max(numbers), f"the end of the session {session}"

    def _is_reserved(self, head: ChangeRecord) -> bool:
        """Return True if only a person may undo a change, and the caller is an agent.

        Such a change has configured a client.
        """
        allowed = self._history.settings.allow_write
        return (
            head.client == SETUP_CLIENT and ALLOW_WRITE_ANYTHING not in allowed
        )

    def _require_undamaged_since(self, oldest: str) -> None:
        """Raise `io_error` if a change since the oldest is damaged.

        The session of a damaged change is not known: it may be one of those selected.
        """
        for head in self._history.heads(self._task):
            if head.id < oldest:
                return
            if head.state == DAMAGED:
                raise damaged_record_error(head.id)

    def _build_net(
        self,
        record: ChangeRecord,
        chosen: Collection[str],
        *,
        changed_only: bool,
    ) -> ChangeRecord:
        """Return the net of the chosen changes, at the present paths of the files."""
        history = self._history
        oldest = min(chosen)
        left_out = set(chosen)
        for undo in find_effective_undos(history.list_undos()):
            # Later changes that another undo reverted cancel out with it: their renames
            # need not be followed.
            if (
                undo.id not in chosen
                and left_out.isdisjoint(undo.reverts)
                and min(undo.reverts) > oldest
            ):
                left_out.update(undo.reverts, (undo.id,))
        moving: set[str] = set()
        for log in history.logs:
            for (number,) in log.numbers_moving_files(
                parse_change_id(oldest) or 0
            ):
                moving.add(format_change_id(number))
        replayed = sorted(moving.difference(left_out).union(chosen))
        return build_net_change(
            record,
            ((history.read_stored(name), name in chosen) for name in replayed),
            changed_only=changed_only,
            task=self._task,
        )

    # A part of the changes

    def _narrow_to_path(self, selection: Selection, scope: Scope) -> Selection:
        """Return the part of a selection that is at or below the path of a scope."""
        location = scope.path
        assert location is not None
        path = self._history.recorded_path(location)
        all_changes = selection.record.file_changes
        changes = [change for change in all_changes if change.touches(path)]
        # A file that moved with a folder above it has no file change of its own.
        moved_along = self._find_moved_along(path, all_changes)
        if moved_along is not None:
            changes.append(moved_along)
        if not changes:
            raise errors.not_in_change(
                location.requested_path, selection.description
            )
        return self._with_changes(selection, changes, [path])

    def _with_changes(
        self,
        selection: Selection,
        changes: Sequence[FileChange],
        paths: Sequence[RecordedPath],
    ) -> Selection:
        """Return a selection with some file changes, and the ids that touch paths."""
        change_ids = selection.change_ids
        if len(change_ids) > 1:
            touching: set[str] = set()
            for path in paths:
                touching.update(
                    map(format_change_id, self._history.numbers_touching(path))
                )
            touching_ids = tuple(
                name for name in change_ids if name in touching
            )
            change_ids = touching_ids or change_ids
        record = replace(selection.record, file_changes=changes)
        return replace(selection, record=record, change_ids=change_ids)

    def _narrow_to_parts(self, selection: Selection, scope: Scope) -> Selection:
        """Return the files of a scope's parts, of some of them single hunks."""
        hunks_by_path: dict[RecordedPath, frozenset[int] | None] = {}
        for part in scope.parts:
            path = self._history.recorded_path(part.path)
            hunks_by_path[path] = part.hunks
        changes: list[FileChange] = []
        hunks: dict[RecordedPath, frozenset[int]] = {}
        for change in selection.record.file_changes:
            if change.path not in hunks_by_path:
                continue
            numbers = hunks_by_path[change.path]
            if numbers is not None:
                change = self._require_content_change(
                    change, change.path.display_path
                )
                hunks[change.path] = numbers
            changes.append(change)
        present_paths = {change.path for change in changes}
        for part in scope.parts:
            if self._history.recorded_path(part.path) not in present_paths:
                raise errors.not_in_change(
                    part.path.requested_path, selection.description
                )
        narrowed = self._with_changes(selection, changes, [*hunks_by_path])
        return replace(narrowed, hunks=hunks)

    def _find_moved_along(
        self, path: RecordedPath, changes: Sequence[FileChange]
    ) -> FileChange | None:
        """Return the move of a file that moved with a folder above it, or None.

        None also if the file has been deleted or moved on since.
        """
        moves: dict[RecordedPath, RecordedPath] = {}
        for change in changes:
            if change.renamed_from is not None:
                moves[change.renamed_from] = change.path
        current_path = path_after_moves(path, moves)
        location = self._history.locate(current_path)
        if current_path == path or path in moves or location is None:
            return None
        try:
            state = FileState.from_status(self._history.boundary.stat(location))
        except FilewrightError:
            return None
        return FileChange(current_path, state, state, path)

    def _narrow_to_hunk(
        self, selection: Selection, scope: Scope, hunk: int
    ) -> Selection:
        """Return the change of one file's content, without its name and rights."""
        all_changes = selection.record.file_changes
        changes = list(self._history.visible_changes(all_changes))
        if not changes:
            # Raises the reason why the file may not be seen.
            check = visibility_check(self._history.boundary)
            self._history.locate_visible(check, all_changes[0].path)
        if len(changes) > 1:
            raise errors.hunk_needs_path(selection.description)
        (change,) = changes
        change = self._require_content_change(
            change, _shown_path(change, scope)
        )
        record = replace(selection.record, file_changes=(change,))
        return replace(
            selection, record=record, hunks={change.path: frozenset((hunk,))}
        )

    def _require_content_change(
        self, change: FileChange, display_path: str
    ) -> FileChange:
        """Return the change of a file's content, without its name and rights.

        Raise `unsupported` if its content has no hunks.
        """
        before, after = change.before, change.after
        if (
            before is None
            or after is None
            or before.kind != "file"
            or change.action == "attributes"
        ):
            raise errors.no_undo_by_hunks(display_path)
        return replace(
            change, renamed_from=None, before=before.with_mode_and_owner(after)
        )

    def _describe_part(self, selection: Selection, scope: Scope) -> Selection:
        """Return a selection that says which part of the changes it is."""
        display_path = _shown_path(selection.record.file_changes[0], scope)
        if scope.parts:
            part = describe_parts(scope.parts)
        elif scope.path is not None:
            part = scope.path.requested_path
        else:
            part = display_path
        if scope.hunk is not None:
            part = f"hunk {scope.hunk} of {part}"
        return replace(
            selection,
            summary=f"{selection.summary} ({part} only)",
            details={**selection.details, "path": display_path},
            partial=True,
            part=part,
        )

    # Names

    def parse_scope(self, text: str) -> Scope:
        """Return the scope that a person names by a text.

        A session, `current` or `last`; a time, or a change since which all is meant.
        """
        history = self._history
        if text in ("last", "current") or history.numbers_of_session(text):
            return Scope(session=text)
        if parse_moment(text) is not None:
            return Scope(since=text)
        try:
            history.record(history.resolve_change_id(text.removesuffix("^")))
        except FilewrightError as error:
            if error.code is not Code.NOT_FOUND:
                raise
        else:
            return Scope(since=text)
        session = self._find_session(text)
        if session is None:
            if not history.newest_number():
                raise errors.nothing_changed()
            raise errors.unknown_scope(text)
        return Scope(session=session)

    def resolve_session(self, text: str) -> str:
        """Return a session's name from the name or its beginning, `current`, or `last`.

        The last is the newest that has made a change which is not undone.
        """
        history = self._history
        if text == "current":
            caller = self._task.caller or history.caller
            text = caller.session or text
        if text == "last":
            for head in history.effective_changes(self._task):
                if head.session:
                    return head.session
            if not any(True for _ in history.heads(self._task)):
                raise errors.nothing_changed()
            raise errors.no_session_changes()
        session = self._find_session(text)
        if session is None:
            raise errors.unknown_session(text, self._describe_sessions())
        return session

    def _find_session(self, text: str) -> str | None:
        """Return the session with a name, or with one that begins so, or None."""
        # SQLite takes no lone surrogates, and no name has any.
        if escape_surrogates(text) == text and self._history.numbers_of_session(
            text
        ):
            return text
        if len(text) < _MIN_SESSION_PREFIX:
            return None
        return find_abbreviated(text, self._session_names(), "session")

    def _describe_sessions(self) -> dict[str, str]:
        """Return the newest sessions by name, each with its client and age."""
        descriptions: dict[str, str] = {}
        for summary in self._history.sessions():
            if summary.name is None:
                continue
            client = summary.client or "a client without a name"
            age = format_age(summary.ended)
            descriptions[summary.name] = f"{summary.name} ({client}, {age})"
            if len(descriptions) == _MAX_NAMED_SESSIONS:
                break
        return descriptions

    def _session_names(self) -> list[str]:
        """Return the names of the sessions, the newest first."""
        names: list[str] = []
        for summary in self._history.sessions():
            if summary.name is not None:
                names.append(summary.name)
        return names

    def resolve_moment(
        self, text: str, *, must_be_known: bool = False
    ) -> tuple[int, str]:
        """Return the number after which changes are meant, and how it is shown.

        The text is a time, a change, or ``CHANGE^`` for the moment before a change.
        With `must_be_known` a time must lie within the history.
        """
        moment = parse_moment(text)
        if moment is None:
            record = self._find_record(text)
            if text.endswith("^"):
                return record.number - 1, f"before the change {record.id}"
            return record.number, f"the change {record.id}"
        if must_be_known:
            self._require_known_moment(text, moment)
        return moment, format_local_time(moment)

    def _find_record(self, text: str) -> ChangeRecord:
        """Return the change that a text names, such as ``CHANGE^``.

        Raise `not_found`, with what else could be named where a text is no change.
        """
        name = text.removesuffix("^")
        try:
            return self._history.record(self._history.resolve_change_id(name))
        except FilewrightError as error:
            is_unknown = error.code is Code.NOT_FOUND
            if not is_unknown or parse_change_id(name) or name[:1] == "@":
                raise
            raise errors.unknown_scope(text, can_be_session=False) from error

    def _require_known_moment(self, text: str, moment: int) -> None:
        first_numbers = [session.first for session in self._history.sessions()]
        if not first_numbers:
            raise errors.before_history(text, None)
        begin = min(first_numbers)
        if moment < begin - _FIRST_CHANGE_TOLERANCE_NS:
            raise errors.before_history(text, format_local_time(begin))
        now_ns = time.time_ns()
        if moment > now_ns:
            raise errors.time_in_future(text)
        if self._history.newest_number() > now_ns + _CLOCK_TOLERANCE_NS:
            raise errors.clock_was_ahead(text)


def _shown_path(change: FileChange, scope: Scope) -> str:
    """Return the path of a part, as the caller wrote it if the caller has."""
    if scope.path is not None and scope.path.requested_path:
        return scope.path.requested_path
    return change.path.display_path


def _explain_nothing_left(
    change_ids: Collection[str], reserved_ids: Sequence[str]
) -> str:
    """Return why none of the changes is left to undo."""
    if reserved_ids and not change_ids:
        return (
            f"only the user can undo what `{SETUP_CLIENT}` wrote (change "
            f"{reserved_ids[0]})"
        )
    return (
        "it is undone already"
        if change_ids
        else "nothing was changed since then"
    )
