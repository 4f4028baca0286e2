"""Queries of the log of one root: records, sessions, changes that touched a path."""

from __future__ import annotations

import heapq
import hmac
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import xxhash

from filewright.boundary.boundary import Boundary
from filewright.boundary.names import quote
from filewright.changes.blobs import BlobSource, BlobStore, list_stored_contents
from filewright.changes.database import Database, Flusher, Row
from filewright.changes.model import (
    MAX_HELD_VALUES,
    ChangeRecord,
    FileChange,
    LazySequence,
    RecordedCommand,
    RecordedPath,
    VisibilityCheck,
    change_time,
    format_change_id,
)
from filewright.changes.rows import (
    DAMAGED,
    FILE_CHANGE_COLUMNS,
    OPERATION_COLUMNS,
    TABLES,
    OperationRow,
    damaged_record_error,
    to_file_change_row,
    to_operation_row,
)
from filewright.changes.state_dir import StateFolder
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.rename_plan import RenamePlan

UNFINISHED = "intent", "unsettled"
"""The states of operations that are neither made nor rolled back."""
_KNOWN_STATES = (*UNFINISHED, "done", "aside")

DAMAGE_ERRORS = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    StopIteration,
    RuntimeError,
    zlib.error,
    OSError,
)
"""The errors that reading a damaged row or plan may raise."""

_SEAL_BYTES = 32
_PAGE_ROWS = 900
_FIRST_PAGE_ROWS = 50
"""Most readers need only the newest changes; the pages that follow are larger."""
_AFTER_ALL_CHANGES = 1 << 62
"""A number above those of all changes."""
_LONGER_THAN_ANY_PATH = b"\xff" * 1024
"""The end of a range of paths: it sorts behind every path below a root."""


class UnreadablePlanError(Exception):
    """The plan of an operation is damaged, or sealed with another key."""


@dataclass(frozen=True, slots=True)
class SessionRange:
    """A session's client, its count of changes, and the first and last number."""

    name: str | None
    changes: int
    first: int
    last: int
    client: str | None

    @property
    def begun(self) -> datetime:
        """The time of the first change."""
        return change_time(self.first)

    @property
    def ended(self) -> datetime:
        """The time of the last change."""
        return change_time(self.last)


class LogReader:
    """The log of one state folder, for reading.

    `is_own` tells that it is the log of a root that is open here.
    `newest_number_of_all` returns the number of the newest change of any log.
    """

    def __init__(
        self,
        boundary: Boundary,
        settings: Settings,
        state: StateFolder,
        flusher: Flusher,
        newest_number_of_all: Callable[[], int],
    ) -> None:
        self.boundary = boundary
        self.settings = settings
        self.flusher = flusher
        self.state = state
        self.newest_number_of_all = newest_number_of_all
        self.is_own = state.root is not None
        self._last_folder: tuple[bytes, tuple[bytes, ...]] = b"", ()
        root_paths = [root.resolved_path for root in boundary.roots]
        self._outer_roots = {
            root.resolved_path
            for root in boundary.roots
            if not root.parts_within(root_paths)
        }
        """The roots within which there is no other."""
        self.database = Database(
            partial(state.at, b"state.db"),
            TABLES,
            flusher,
            settings.lock_seconds,
            read_only=settings.read_only,
        )
        self.contents = BlobStore(self.database, state, flusher)
        self._rolled_back: set[int] = set()

    # Operations

    def list_unfinished(self, *states: str, certain: bool = False) -> list[Row]:
        """Return number and state of the operations in these states, oldest first.

        Nothing is known of a log that cannot be read, and reading files goes on; with
        `certain` it raises.
        """
        operations: list[Row] = []
        with nullcontext() if certain else suppress(FilewrightError):
            for number, state in self.database.read(
                "SELECT number, state FROM unfinished ORDER BY number"
            ):
                # A full disk may have kept the row of an operation that is rolled back.
                if state in states and number not in self._rolled_back:
                    operations.append((number, state))
        return operations

    @property
    def list_set_aside(self) -> list[str]:
        """The versions of other programs in `kept`, and the operations set aside."""
        descriptions: list[str] = []
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            self.state.folder(b"kept") as folder,
        ):
            for name in folder.names():
                descriptions.append(quote(self.state.at(b"kept", name)))
        for number, _ in self.list_unfinished("aside"):
            descriptions.append(self.describe(number))
        return descriptions

    def describe(self, number: int) -> str:
        """Return where a person finds an operation that was set aside."""
        database = quote(self.database.locate())
        return f"operation {format_change_id(number)} in {database}"

    def read_record(
        self, number: int, *, only_done: bool = False
    ) -> ChangeRecord | None:
        """Return the record of an operation, or None if there is none.

        With `only_done` an unfinished operation counts as none. Raises `io_error` if it is damaged.
        """
        rows = self.database.read(
            f"SELECT state, {OPERATION_COLUMNS} FROM operations "
            "LEFT JOIN unfinished USING (number) WHERE number = ?",
            number,
        )
        if not rows:
            return None
        state, *columns = rows[0]
        if only_done and state not in (None, "done"):
            return None
        row = to_operation_row(columns)
        record = row.to_record()
        if record.state == DAMAGED:
            raise damaged_record_error(record.id)
        read_changes = partial(self._read_file_changes, row)
        file_changes: Sequence[FileChange]
        if row.file_change_count <= MAX_HELD_VALUES:
            file_changes = tuple(read_changes())
        else:
            file_changes = LazySequence(row.file_change_count, read_changes)
        return replace(
            record, file_changes=file_changes, state=state or "settled"
        )

    def _read_file_changes(
        self, operation: OperationRow
    ) -> Iterator[FileChange]:
        """Yield the file changes of an operation.

        Raise `io_error` if they are damaged.
        """
        change_id = format_change_id(operation.number)
        recorded_roots = self._recorded_roots()
        roots = self._current_roots(recorded_roots)
        blobs = BlobSource(self.contents, change_id, self.settings.hold_bytes)
        checksum = xxhash.xxh3_64()
        count = 0
        for start in range(0, operation.file_change_count, MAX_HELD_VALUES):
            page = self.database.read(
                f"SELECT {FILE_CHANGE_COLUMNS} FROM file_changes "
                "WHERE operation = ? AND number >= ? ORDER BY number LIMIT ?",
                operation.number,
                start,
                MAX_HELD_VALUES,
            )
            try:
                for values in page:
                    count += 1
                    row = to_file_change_row(values)
                    former_root_path: bytes | None = None
                    renamed_from: RecordedPath | None = None
                    if row.former_root is not None:
                        former_root_path = recorded_roots[row.former_root]
                    if (
                        row.former_root is not None
                        and row.former_path is not None
                    ):
                        renamed_from = self._recorded_path(
                            roots, row.former_root, row.former_path
                        )
                    row.add_to_checksum(
                        checksum, recorded_roots[row.root], former_root_path
                    )
                    path = self._recorded_path(roots, row.root, row.path)
                    yield row.to_change(path, renamed_from, blobs)
            except DAMAGE_ERRORS as error:
                raise damaged_record_error(change_id) from error
        is_sound = checksum.hexdigest() == operation.file_changes_checksum
        if count != operation.file_change_count or not is_sound:
            raise damaged_record_error(change_id)

    def read_plan(self, number: int) -> RenamePlan:
        """Return the plan of an unfinished operation. Raise `UnreadablePlanError`."""
        from filewright.changes.plan_encoding import decode_plan
        from filewright.changes.rename_plan import RenamePlan

        # In one query, since another process may write the plan again.
        rows = self.database.read(
            "SELECT 0, plan FROM unfinished WHERE number = :number UNION ALL "
            "SELECT number, data FROM plan_blocks WHERE operation = :number "
            "ORDER BY 1",
            number=number,
        )
        if not rows or rows[0][1] is None:
            return RenamePlan()
        # The key of the seal is read when the state folder is opened.
        self.state.open(make=False)
        try:
            sealed = b"".join(block for _, block in rows)
            seal, packed = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
            own_seal = hmac.digest(self.state.key, packed, "sha256")
            if not hmac.compare_digest(own_seal, seal):
                raise ValueError("its seal does not match")
            if packed[:8] != number.to_bytes(8, "big"):
                raise ValueError("it belongs to another change")
            return decode_plan(packed[8:]).with_moved_roots(
                self.state.relocations()
            )
        except DAMAGE_ERRORS as error:
            raise UnreadablePlanError(
                f"the plan is damaged: {error!r}"
            ) from error

    def find_damage(self, task: Task) -> Iterator[str]:
        """Describe changes whose record or undo data is damaged, the newest first."""
        states = {
            str(state)
            for (state,) in self.database.read(
                "SELECT DISTINCT state FROM unfinished"
            )
        }
        for state in sorted(states.difference(_KNOWN_STATES)):
            for (number,) in self.database.read(
                "SELECT number FROM unfinished WHERE state = ?", state
            ):
                yield (
                    f"the state of the change {format_change_id(number)} is damaged: "
                    "it is not in the history"
                )
        # File changes older than every operation are not damage: they wait to be
        # pruned.
        for (number,) in self.database.read(
            "SELECT DISTINCT operation FROM file_changes "
            "WHERE operation NOT IN (SELECT number FROM operations) "
            "AND operation > (SELECT min(number) FROM operations)"
        ):
            yield f"the record of the change {format_change_id(number)} is gone"
        sound_contents: set[str] = set()
        for head in chain.from_iterable(self.iterate_head_pages()):
            if task.expired:
                yield (
                    f"time ran out: changes older than {head.id} were not "
                    "checked"
                )
                return
            try:
                self._check_contents(head.number, sound_contents)
            except FilewrightError as error:
                yield error.message

    def _check_contents(self, number: int, sound_contents: set[str]) -> None:
        """Read all that is stored for an operation.

        Raise `io_error` if it is damaged.
        """
        record = self.read_record(number)
        if record is None:
            return
        for change in record.file_changes:
            for content in list_stored_contents(change):
                if content.name not in sound_contents:
                    deque(content.blocks(), maxlen=0)
                    sound_contents.add(content.name)

    # Heads: records without file changes

    def newest_number(self) -> int:
        """Return the number of the newest change, or 0."""
        rows = self.database.read(
            "SELECT number FROM made ORDER BY number DESC LIMIT 1"
        )
        return rows[0][0] if rows else 0

    def iterate_head_pages(
        self, *session: str | None
    ) -> Iterator[list[ChangeRecord]]:
        """Yield pages of the heads of all changes, or of a session's, newest first."""
        condition = ""
        if session:
            condition = "session IS ? AND"
            shared = self._shared_by(*session)
            if shared:
                numbers = ",".join(map(str, shared))
                condition = f"(session IS ? OR number IN ({numbers})) AND"
        page = (
            f"SELECT {OPERATION_COLUMNS} FROM made WHERE {condition} number < ? "
            "ORDER BY number DESC LIMIT ?"
        )
        before, count = _AFTER_ALL_CHANGES, _FIRST_PAGE_ROWS
        while rows := self.database.read(page, *session, before, count):
            operations = [to_operation_row(values) for values in rows]
            yield [operation.to_record() for operation in operations]
            before, count = operations[-1].number, _PAGE_ROWS

    def list_undos(self, after: int = 0) -> list[ChangeRecord]:
        """Return the heads of the changes later than one that reverted others."""
        rows = self.database.read(
            f"SELECT {OPERATION_COLUMNS} FROM made WHERE reverts <> '[]' "
            "AND number > ?",
            after,
        )
        heads = [to_operation_row(values).to_record() for values in rows]
        # The record of a damaged row has lost its `reverts`.
        return [head for head in heads if head.reverts]

    # Sessions and commands

    def list_sessions(self) -> list[SessionRange]:
        """Return the sessions in no order, with those that only share a change."""
        sessions: list[SessionRange] = []
        for name, changes, first, last, client in self.database.read(
            "SELECT summary.*, client FROM ("
            "SELECT session, count(*), min(number), max(number) AS last "
            "FROM made GROUP BY session"
            ") AS summary JOIN operations ON number = last"
        ):
            sessions.append(SessionRange(name, changes, first, last, client))
        for number, commands in self.shared_commands().items():
            sharing: dict[str | None, RecordedCommand] = {}
            for command in commands:
                if command.session != commands[0].session:
                    sharing[command.session] = command
            for name, command in sharing.items():
                sessions.append(
                    SessionRange(name, 1, number, number, command.client)
                )
        return sessions

    def numbers_of_session(self, session: str | None) -> set[int]:
        """Return the numbers of the changes of a session, with those it shares."""
        rows = self.database.read(
            "SELECT number FROM made WHERE session IS ?", session
        )
        return {number for (number,) in rows}.union(self._shared_by(session))

    def _shared_by(self, session: str | None) -> list[int]:
        """Return the changes of another session that may be those of this one."""
        numbers: list[int] = []
        for number, commands in self.shared_commands().items():
            sessions = {command.session for command in commands}
            if commands[0].session != session and session in sessions:
                numbers.append(number)
        return numbers

    def numbers_of_client(self, client: str, after: int) -> set[int]:
        """Return the changes later than one of clients whose name begins so."""
        rows = self.database.read(
            "SELECT number, client FROM made WHERE number > ? AND client IS NOT NULL",
            after,
        )
        # Not in SQL: SQLite folds the case of ASCII letters only.
        prefix = client.casefold()
        return {
            number
            for number, name in rows
            if name.casefold().startswith(prefix)
        }

    def shared_commands(
        self, numbers: Sequence[int] | None = None
    ) -> dict[int, tuple[RecordedCommand, ...]]:
        """Return the commands of changes that several may have made, by number.

        Of all changes, or of those with these numbers.
        """
        query = f"SELECT {OPERATION_COLUMNS} FROM made WHERE commands <> '[]'"
        if numbers is not None and len(numbers) <= _PAGE_ROWS:
            marks = ",".join("?" * len(numbers))
            rows = self.database.read(
                f"{query} AND number IN ({marks})", *numbers
            )
        else:
            rows = self.database.read(query)
        heads = [to_operation_row(values).to_record() for values in rows]
        return {head.number: head.commands for head in heads if head.commands}

    # Changes by what they touched

    def numbers_after(self, number: int) -> list[int]:
        """Return the numbers of the changes later than one, the oldest first."""
        rows = self.database.read(
            "SELECT number FROM made WHERE number > ? ORDER BY number", number
        )
        return [later for (later,) in rows]

    def numbers_touching(self, path: bytes, before: int) -> Iterator[int]:
        """Yield operations older than one that touched an absolute path, newest first.

        A change below the path touches it.
        """
        streams = [
            self._numbers_below(root, below, before)
            for root, below in self._below_roots(path)
        ]
        return heapq.merge(*streams, reverse=True)

    def _numbers_below(
        self, root: int, path: bytes, before: int
    ) -> Iterator[int]:
        # The names below a path lie between `path/` and `path0` ("0" follows "/").
        first, last = (
            (path + b"/", path + b"0") if path else (b"", _LONGER_THAN_ANY_PATH)
        )
        # A query each for the path itself and for the range, so that each uses an
        # index.
        selects: list[str] = []
        for root_column, column in (
            ("root", "path"),
            ("former_root", "former_path"),
        ):
            operations = (
                f"SELECT operation FROM file_changes WHERE {root_column} = :root "
                "AND operation < :before"
            )
            selects.append(f"{operations} AND {column} = :path")
            selects.append(
                f"{operations} AND {column} >= :first AND {column} < :last"
            )
        query = f"{' UNION '.join(selects)} ORDER BY operation DESC LIMIT {_PAGE_ROWS}"
        while rows := self.database.read(
            query, root=root, path=path, first=first, last=last, before=before
        ):
            for (number,) in rows:
                yield number
            before = rows[-1][0]

    def renames_to(self, path: bytes, before: int) -> list[tuple[int, bytes]]:
        """Return operations older than one that brought a file or folder to a path.

        Also those that brought a folder above it; each with the former absolute path of
        the path itself.
        """
        roots = self._roots()
        renames: list[tuple[int, bytes]] = []
        for root, below in self._below_roots(path):
            # The path below the root, and each folder above it.
            targets = [below]
            for index, character in enumerate(below):
                if character == ord("/"):
                    targets.append(below[:index])
            marks = ",".join("?" * len(targets))
            for (
                operation,
                former_root,
                former_path,
                length,
            ) in self.database.read(
                "SELECT operation, former_root, former_path, length(path) "
                "FROM file_changes WHERE former_path IS NOT NULL AND root = ? "
                f"AND operation < ? AND path IN ({marks})",
                root,
                before,
                *targets,
            ):
                prefix = roots[former_root].rstrip(b"/") + b"/"
                renames.append(
                    (operation, prefix + former_path + below[length:])
                )
        return renames

    def numbers_moving_files(
        self, after: int, *, renames: bool = False
    ) -> list[Row]:
        """Return the changes later than one that moved or deleted a file.

        With `renames`, only those that moved one.
        """
        # `>= renames` holds for every row if `renames` is False, else for moves alone.
        return self.database.read(
            "SELECT DISTINCT operation FROM file_changes INDEXED BY departures "
            "JOIN made ON made.number = operation WHERE operation > ? "
            "AND (former_path IS NOT NULL OR is_deleted) "
            "AND (former_path IS NOT NULL) >= ?",
            after,
            renames,
        )

    def numbers_hidden(
        self, check: VisibilityCheck, numbers: Sequence[int] | None = None
    ) -> set[int]:
        """Return the operations that touched a path which may not be seen.

        Of all operations, or of those with these numbers.
        """
        if numbers is not None and not numbers:
            # SQLite would go through all paths to find none.
            return set()
        roots = self._roots()
        condition = ""
        if numbers is not None:
            # Marks, not the numbers: SQLite keeps the text of every query.
            condition = f" AND operation IN ({','.join('?' * len(numbers))})"
        values = numbers or ()
        hidden: set[int] = set()
        for root, path in self.database.read(
            f"SELECT DISTINCT root, path FROM touched WHERE true{condition}",
            *values,
        ):
            if check(self._recorded_path(roots, root, path)) == "seen":
                continue
            for (number,) in self.database.read(
                f"SELECT operation FROM touched WHERE root = ? AND path = ?{condition}",
                root,
                path,
                *values,
            ):
                hidden.add(number)
        return hidden

    # Roots

    def _below_roots(self, path: bytes) -> Iterator[tuple[int, bytes]]:
        """Yield the number of each root, with an absolute path below it.

        A root that lies below the path itself is touched as a whole.
        """
        for number, root in self._roots().items():
            prefix = root.rstrip(b"/") + b"/"
            if (path + b"/").startswith(prefix):
                yield number, path[len(prefix) :]
            elif prefix.startswith(path + b"/"):
                yield number, b""

    def _recorded_roots(self) -> dict[int, bytes]:
        """Return the paths of roots by number, as they were recorded."""
        return dict(self.database.read("SELECT number, path FROM roots"))

    def _roots(self) -> dict[int, bytes]:
        """Return the present paths of roots by number."""
        return self._current_roots(self._recorded_roots())

    def _current_roots(
        self, recorded_roots: dict[int, bytes]
    ) -> dict[int, bytes]:
        relocations = self.state.relocations()
        return {
            number: relocations.get(path, path)
            for number, path in recorded_roots.items()
        }

    def _split(self, path: bytes) -> tuple[bytes, ...]:
        """Return the names of a path; those of its folder are shared with the last one."""
        if not path:
            return ()
        folder, slash, name = path.rpartition(b"/")
        last_folder, folder_parts = self._last_folder
        if folder + slash != last_folder:
            folder_parts = tuple(folder.split(b"/")) if slash else ()
            self._last_folder = folder + slash, folder_parts
        return (*folder_parts, name)

    def _recorded_path(
        self, roots: dict[int, bytes], root: int, path: bytes
    ) -> RecordedPath:
        """Return the path of a row, named from the nearest root that is open here."""
        parts = self._split(path)
        if not {b"", b".", b".."}.isdisjoint(parts):
            raise ValueError("not a path")
        recorded_path = RecordedPath(roots[root], parts)
        if recorded_path.root in self._outer_roots:
            return recorded_path
        location = recorded_path.locate(self.boundary.roots)
        if location is None:
            return recorded_path
        return RecordedPath.from_location(location)
