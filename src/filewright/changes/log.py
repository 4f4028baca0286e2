"""The log of one root: every operation there was, what undo needs of it, and what is unfinished.

An operation is written twice: as an intent, with all that takes it back, before anything of it is in the
workspace; and as done. Each is one transaction. It is unfinished until nothing is left to clean up.

What it did to each place is a row, its plan bytes. Both are JSON, in which bytes that are no text become lone
surrogates. A stamp is a list of its fields, without what is unset at its end. A plan is lines of JSON, compressed, so
that no plan is ever held as text: how many folders there are, then each of them, then each operation, followed by its
stamps, each followed by what is inside of it.
"""

from __future__ import annotations

import heapq
import hmac
import json
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash

from filewright.boundary.boundary import Boundary
from filewright.boundary.names import quote
from filewright.changes.blobs import (
    BlobSource,
    BlobStore,
    BlobWriter,
    list_stored_contents,
)
from filewright.changes.database import Database, Flusher, Row
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    LazyFileChanges,
    RecordedCommand,
    RecordedPath,
    VisibilityCheck,
    change_time,
    format_change_id,
    join_summaries,
)
from filewright.changes.rename_plan import (
    OperationKind,
    PlanFolder,
    RenameOperation,
    RenamePlan,
    Slot,
)
from filewright.changes.state_dir import StateFolder
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.open_folders import FolderSearch

_USUAL: Row = (), False, True, {}, (), ()
"""What most changes say from `reverts` to `notes`, and of commands that share them."""
_TABLES = """
CREATE TABLE roots (number INTEGER PRIMARY KEY, path BLOB NOT NULL);
CREATE TABLE operations (
    number INTEGER PRIMARY KEY, tool TEXT NOT NULL, summary TEXT NOT NULL,
    session TEXT, client TEXT, turn TEXT, more TEXT, entries INTEGER NOT NULL
);
CREATE INDEX operations_by_session ON operations (session, number);
CREATE INDEX operations_that_say_more ON operations (number) WHERE length(more) > 32;
CREATE TABLE unfinished (number INTEGER PRIMARY KEY, state TEXT NOT NULL, plan BLOB);
CREATE VIEW made AS SELECT * FROM operations
    WHERE number NOT IN (SELECT number FROM unfinished WHERE state <> 'done');
CREATE TRIGGER finished AFTER DELETE ON operations
    BEGIN DELETE FROM unfinished WHERE number = old.number; END;
CREATE TABLE entries (
    operation INTEGER NOT NULL, number INTEGER NOT NULL, root INTEGER NOT NULL, path BLOB NOT NULL,
    was_root INTEGER, was BLOB, deletes INTEGER NOT NULL, sides TEXT NOT NULL, spans BLOB,
    PRIMARY KEY (operation, number)
) WITHOUT ROWID;
CREATE INDEX entries_by_path ON entries (root, path, operation);
CREATE INDEX entries_by_former_path ON entries (was_root, was, operation) WHERE was IS NOT NULL;
CREATE INDEX renames ON entries (root, path, operation) WHERE was IS NOT NULL;
CREATE INDEX departures ON entries (operation, was) WHERE was IS NOT NULL OR deletes;
CREATE VIEW touched AS SELECT operation, root, path FROM entries
    UNION ALL SELECT operation, was_root, was FROM entries WHERE was IS NOT NULL;
CREATE TABLE contents (
    name TEXT UNIQUE NOT NULL, operation INTEGER NOT NULL, size INTEGER NOT NULL, packed INTEGER NOT NULL,
    data BLOB
);
CREATE INDEX contents_by_operation ON contents (operation);
CREATE INDEX contents_in_files ON contents (name) WHERE data IS NULL;
CREATE TABLE usage (bytes INTEGER NOT NULL);
INSERT INTO usage VALUES (0);
CREATE TRIGGER used AFTER INSERT ON contents WHEN new.data IS NULL
    BEGIN UPDATE usage SET bytes = bytes + new.size; END;
CREATE TRIGGER freed AFTER DELETE ON contents WHEN old.data IS NULL
    BEGIN UPDATE usage SET bytes = bytes - old.size; END;
CREATE TABLE words (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, at REAL NOT NULL, session TEXT NOT NULL, client TEXT NOT NULL,
    content TEXT NOT NULL, word TEXT, resolved REAL
) WITHOUT ROWID
"""
"""The tables of the log:

- operations: `number` is the time in nanoseconds, `entries` how many there are. `more` begins with two checksums of
  sixteen digits, of the row without its number, and of its entries: a damaged disk, and whoever edits the file, is
  noticed. What few operations have follows as JSON.
- unfinished: what there is to do of an operation: its `plan`, after the seal of that and its number. `state` is
  intent, done, unsettled (it could not be rolled back entirely) or aside (it is left for a person to look at).
- entries: what an operation did, by place; `sides` is JSON of what was there before and after.
- contents: by SHA-256; `operation` is the newest that needs it; `data` NULL: in a file of its own. All such files
  together take about what `usage` says; nothing is dropped before they are counted.
- words: what a person is asked, and says: calls that wait (`kind` call, `word` is what they answered), and comments
  for the agent's `session` (`word` is when it was told), and files that were `seen`.
"""
_HELD = 512
"""Entries of a record that are held as values; more are read anew each time."""
_PAGE = 900
_ROOM = 1000
"""Numbers between two operations, for those of one observation."""
_NEWEST_KEPT = 50
"""Operations that no date expires."""
_DAY_NS = 86_400 * 10**9
_LEAVE = 0.95
"""Cut a little more than asked, so that a full history is not cut at every change."""
_CUT_SECONDS = 0.02
_HEAD = "number, tool, summary, session, client, turn, more, entries"
_COUNT = 7
"""The column of a head that counts its entries."""
_CHECKSUM_DIGITS = 16
_TOUCHING = " UNION ".join(
    f"SELECT operation FROM entries WHERE {root} = ?1 AND operation < ?5 AND {name} {where.format(name)}"
    for root, name in (("root", "path"), ("was_root", "was"))
    for where in ("= ?2", ">= ?3 AND {} < ?4")
)
_PAGES = (
    "SELECT (page_count - freelist_count) * page_size "
    "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
)
_SIZE = f"SELECT ({_PAGES}) + (SELECT CASE typeof(bytes) WHEN 'integer' THEN bytes END FROM usage)"
_LIMITS = (
    "SELECT number, (SELECT max(number) FROM operations), "
    f"(SELECT number FROM operations ORDER BY number DESC LIMIT 1 OFFSET {_NEWEST_KEPT - 1}), ({_SIZE}) "
    "FROM operations ORDER BY number LIMIT 1"
)
_ADD_ROOT = "INSERT INTO roots (path) SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM roots WHERE path = ?1)"
_DROP_OPERATION = (
    "DELETE FROM operations WHERE number = ?1 "
    "AND NOT EXISTS (SELECT 1 FROM unfinished WHERE number <= ?1 AND state <> 'aside')"
)
_DROP_ENTRIES = (
    "DELETE FROM entries WHERE (operation, number) IN (SELECT operation, number FROM entries "
    f"WHERE operation < (SELECT min(number) FROM operations) LIMIT {_PAGE})"
)
_AT_ONCE = 500
"""Pages that are given back to the file system at a time."""
_NO_SENSE = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    StopIteration,
    RuntimeError,
    zlib.error,
    OSError,
)
_SEAL_BYTES = 32


DAMAGED = "damaged"
"""The state of a record that is not as it was written."""
UNFINISHED = "intent", "unsettled"
_STATES = (*UNFINISHED, "done", "aside")
"""The states of what is neither made nor rolled back, and not left to a person."""


class SessionSummary(NamedTuple):
    """How many changes a session made, the numbers of the first and of the last, and the client of that."""

    name: str | None
    changes: int
    first: int
    last: int
    client: str | None

    @property
    def begun(self) -> datetime:
        """When it made its first change."""
        return change_time(self.first)

    @property
    def ended(self) -> datetime:
        """When it made its last."""
        return change_time(self.last)


class UnreadablePlanError(Exception):
    """What is on record makes no sense, or is not sealed with our key."""


class Log:
    """The log of one state folder. Whatever writes needs the workspace lock. `own`: of a root that is open here."""

    def __init__(
        self,
        boundary: Boundary,
        settings: Settings,
        state: StateFolder,
        flusher: Flusher,
        latest: Callable[[], int],
    ) -> None:
        self.boundary = boundary
        self.settings = settings
        self.flusher = flusher
        self.state = state
        self.newest_number_of_all = latest
        """The number of the newest change of any log."""
        self.is_own = state.root is not None
        paths = [root.resolved_path for root in boundary.roots]
        self._here = {
            root.resolved_path
            for root in boundary.roots
            if not root.parts_within(paths)
        }
        """The roots within which there is no other."""
        locate = partial(state.at, b"state.db")
        seconds, read_only = settings.lock_seconds, settings.read_only
        self.database = Database(locate, _TABLES, flusher, seconds, read_only=read_only)
        self.contents = BlobStore(self.database, state, flusher)
        self.cleaned_up: set[int] = set()
        """Operations that are done, and were cleaned up after."""
        self.search: FolderSearch | None = None
        """What looks for folders that others have moved: one walk for all that a recovery finds."""
        self._rolled_back: set[int] = set()

    # Looking

    def list_unfinished(self, *states: str, certain: bool = False) -> list[Row]:
        """The operations in states that are not settled, oldest first: their numbers and states.

        Of a log that cannot be read nothing is known, and reading files goes on; where it must be `certain`, it raises.
        """
        found: list[Row] = []
        with nullcontext() if certain else suppress(FilewrightError):
            for row in self.database.read(
                "SELECT number, state FROM unfinished ORDER BY number"
            ):
                if row[1] in states and row[0] not in self._rolled_back:
                    found.append(row)
        return found

    @property
    def list_set_aside(self) -> list[str]:
        """What conflicts have left: others' versions, and operations that were set aside."""
        kept = []
        with (
            suppress(FileNotFoundError, NotADirectoryError),
            self.state.folder(b"kept") as folder,
        ):
            kept = [quote(self.state.at(b"kept", name)) for name in folder.names()]
        return [
            *kept,
            *(self.describe(number) for number, _ in self.list_unfinished("aside")),
        ]

    def read_record(self, number: int, *, made: bool = False) -> ChangeRecord | None:
        """An operation in whatever state, or only if it is `made`; None if there is none.

        Raises `io_error` if it is damaged.
        """
        rows = self.database.read(
            f"SELECT {_HEAD}, state FROM operations LEFT JOIN unfinished USING (number) WHERE number = ?",
            number,
        )
        if not rows or (made and rows[0][-1] not in (None, "done")):
            return None
        *columns, state = rows[0]
        head = _head(columns)
        if head.state == DAMAGED:
            raise damaged_record_error(head.id)
        count = columns[_COUNT]
        read = partial(self._entries, number, count, _checksums_in(columns)[1])
        entries = tuple(read()) if count <= _HELD else LazyFileChanges(count, read)
        return head._replace(file_changes=entries, state=state or "settled")

    def find_damage(self, task: Task) -> Iterator[str]:
        """Find changes whose records or undo data are not as they were written, the newest first."""
        known = {
            row[0]
            for row in self.database.read("SELECT DISTINCT state FROM unfinished")
        }
        for state in sorted(map(str, known.difference(_STATES))):
            for (number,) in self.database.read(
                "SELECT number FROM unfinished WHERE state = ?", state
            ):
                yield f"the state of the change {format_change_id(number)} is damaged: it is not in the history"
        for (number,) in self.database.read(
            "SELECT DISTINCT operation FROM entries WHERE operation NOT IN (SELECT number FROM operations) "
            "AND operation > (SELECT min(number) FROM operations)"
        ):
            yield f"the record of the change {format_change_id(number)} is gone"
        sound: set[str] = set()
        for head in chain.from_iterable(self.iterate_head_pages()):
            if task.expired:
                yield f"what is older than the change {head.id} was not looked at, for lack of time"
                return
            try:
                operation = self.read_record(head.number)
                for entry in operation.file_changes if operation is not None else ():
                    for content in list_stored_contents(entry):
                        if content.name not in sound:
                            deque(content.blocks(), maxlen=0)
                            sound.add(content.name)
            except FilewrightError as error:
                yield error.message

    def newest_number(self) -> int:
        """The number of the newest change; 0 if there is none."""
        rows = self.database.read(
            "SELECT number FROM made ORDER BY number DESC LIMIT 1"
        )
        return rows[0][0] if rows else 0

    def sessions(self) -> list[SessionSummary]:
        """The sessions of the changes here, in no order; one that only shares a change with another too."""
        rows = self.database.read(
            "SELECT found.*, client FROM (SELECT session, count(*), min(number), max(number) AS last "
            "FROM made GROUP BY session) AS found JOIN operations ON number = last"
        )
        sessions = [SessionSummary(*row) for row in rows]
        for number, commands in self.shared_commands().items():
            first = commands[0].session
            for command in {
                each.session: each for each in commands if each.session != first
            }.values():
                sessions.append(
                    SessionSummary(command.session, 1, number, number, command.client)
                )
        return sessions

    def numbers_of_session(self, session: str | None) -> set[int]:
        """The changes of a session."""
        rows = self.database.read("SELECT number FROM made WHERE session IS ?", session)
        return {row[0] for row in rows}.union(self._shared_by(session))

    def _shared_by(self, session: str | None) -> list[int]:
        """The changes that may be those of a session, although they have that of another."""
        found = []
        for number, commands in self.shared_commands().items():
            if commands[0].session != session and session in {
                command.session for command in commands
            }:
                found.append(number)
        return found

    def numbers_after(self, number: int) -> list[int]:
        """The changes later than one, the oldest first."""
        rows = self.database.read(
            "SELECT number FROM made WHERE number > ? ORDER BY number", number
        )
        return [row[0] for row in rows]

    def numbers_of_client(self, client: str, after: int) -> set[int]:
        """The changes later than one of the clients whose name begins so, in whatever case."""
        rows = self.database.read(
            "SELECT number, client FROM made WHERE number > ? AND client IS NOT NULL",
            after,
        )
        begin = client.casefold()
        return {number for number, name in rows if name.casefold().startswith(begin)}

    def list_undos(self) -> list[ChangeRecord]:
        """The changes that took others back, without their entries."""
        heads = map(
            _head,
            self.database.read(f"SELECT {_HEAD} FROM made WHERE length(more) > 32"),
        )
        return [head for head in heads if head.reverts]

    def iterate_head_pages(self, *session: str | None) -> Iterator[list[ChangeRecord]]:
        """All changes, or those of a session, newest first, without their entries, in pages."""
        where = "session IS ? AND" if session else ""
        if session and (shared := self._shared_by(*session)):
            where = f"(session IS ? OR number IN ({','.join(map(str, shared))})) AND"
        before, count = 1 << 62, 50  # The newest are often enough.
        page = f"SELECT {_HEAD} FROM made WHERE {where} number < ? ORDER BY number DESC LIMIT ?"
        while rows := self.database.read(page, *session, before, count):
            yield [*map(_head, rows)]
            before, count = rows[-1][0], _PAGE

    # Commands

    def shared_commands(
        self, numbers: Sequence[int] | None = None
    ) -> dict[int, tuple[RecordedCommand, ...]]:
        """Return those of some changes (None: of all) that may be those of several commands, each with these."""
        query = f"SELECT {_HEAD} FROM made WHERE length(more) > 32"
        if numbers is not None and len(numbers) <= _PAGE:
            rows = self.database.read(
                f"{query} AND number IN ({','.join('?' * len(numbers))})", *numbers
            )
        else:
            rows = self.database.read(query)
        heads = map(_head, rows)
        return {head.number: head.commands for head in heads if head.commands}

    def update_command(self, number: int, command: RecordedCommand) -> None:
        """Say of a change of a command what is known of that at its end."""
        with self.database.transaction() as execute:
            row = execute(
                f"SELECT {_HEAD} FROM operations WHERE number = ?", (number,)
            ).fetchone()
            if row is None:
                return
            record = _head(row)
            if record.state == DAMAGED:
                return
            commands = []
            for each in record.commands:
                commands.append(
                    command if each.identifier == command.identifier else each
                )
            record = record._replace(commands=tuple(commands))
            first = commands[0] if commands else command
            summary = join_summaries(commands or [command])
            said = _storable(
                record.tool, summary, first.session, first.client, first.turn
            )
            what = _more_of(record)
            text = _ENCODER.encode(what) if what != _USUAL else ""
            more = _with_checksums(said, text, row[_COUNT], _checksums_in(row)[1])
            execute(
                "UPDATE operations SET summary = ?, session = ?, client = ?, turn = ?, more = ? WHERE number = ?",
                (*said[1:], more, number),
            )

    def numbers_touching(self, path: bytes, before: int) -> Iterator[int]:
        """The operations older than one that did something at an absolute path or below it, newest first."""
        return heapq.merge(
            *(self._at(*where, before) for where in self._below_roots(path)),
            reverse=True,
        )

    def _at(self, root: int, path: bytes, before: int) -> Iterator[int]:
        inside = (path + b"/", path + b"0") if path else (b"", b"\xff" * 1024)
        page = f"{_TOUCHING} ORDER BY operation DESC LIMIT {_PAGE}"
        while rows := self.database.read(page, root, path, *inside, before):
            yield from (row[0] for row in rows)
            before = rows[-1][0]

    def renames_to(self, path: bytes, before: int) -> list[tuple[int, bytes]]:
        """The operations older than one that brought something to an absolute path, or to a folder above it.

        Each with the path that it had before.
        """
        roots, found = self._roots(), []
        for number, below in self._below_roots(path):
            ways = [
                below[:at]
                for at in range(len(below) + 1)
                if below[at : at + 1] in (b"/", b"")
            ]
            rows = self.database.read(
                "SELECT operation, was_root, was, length(path) FROM entries WHERE was IS NOT NULL AND root = ? "
                f"AND operation < ? AND path IN ({','.join('?' * len(ways))})",
                number,
                before,
                *ways,
            )
            for operation, root, was, length in rows:
                found.append(
                    (operation, roots[root].rstrip(b"/") + b"/" + was + below[length:])
                )
        return found

    def numbers_moving_files(self, after: int, *, renames: bool = False) -> list[Row]:
        """The numbers of the changes later than one that moved or deleted something; or only moved something."""
        return self.database.read(
            "SELECT DISTINCT operation FROM entries INDEXED BY departures JOIN made ON made.number = operation "
            "WHERE operation > ? AND (was IS NOT NULL OR deletes) AND (was IS NOT NULL) >= ?",
            after,
            renames,
        )

    def numbers_hidden(
        self, seen_as: VisibilityCheck, numbers: Sequence[int] | None = None
    ) -> set[int]:
        """The operations that did something at a place that may not be seen, of all or of those with these numbers."""
        roots = self._roots()
        # Without the numbers themselves in its text: every text is kept, ready to be run again.
        among = (
            f" AND operation IN ({','.join('?' * len(numbers))})"
            if numbers is not None
            else ""
        )
        numbers = numbers or ()
        found: set[int] = set()
        for root, path in self.database.read(
            f"SELECT DISTINCT root, path FROM touched WHERE true{among}", *numbers
        ):
            if seen_as(self._place(roots, root, path)) != "seen":
                at = f"SELECT operation FROM touched WHERE root = ? AND path = ?{among}"
                found.update(
                    row[0] for row in self.database.read(at, root, path, *numbers)
                )
        return found

    def _below_roots(self, path: bytes) -> Iterator[tuple[int, bytes]]:
        """Where an absolute path is below each of the roots; nowhere but at the root itself if that is below it."""
        for number, root in self._roots().items():
            above = root.rstrip(b"/") + b"/"
            if (path + b"/").startswith(above):
                yield number, path[len(above) :]
            elif above.startswith(path + b"/"):
                yield number, b""

    def _entries(
        self, operation: int, count: int, checksum: str
    ) -> Iterator[FileChange]:
        """Read the entries of an operation, a few at a time. Raises `io_error` at the end if they are damaged."""
        recorded = self._recorded_roots()
        roots = self._relocated(recorded)
        state, rows_read = xxhash.xxh3_64(), 0
        keeper = BlobSource(
            self.contents, format_change_id(operation), self.settings.hold_bytes
        )
        for start in range(0, count, _HELD):
            rows = self.database.read(
                "SELECT root, path, was_root, was, deletes, sides, spans FROM entries "
                f"WHERE operation = ? AND number >= ? ORDER BY number LIMIT {_HELD}",
                operation,
                start,
            )
            try:
                for root, path, was_root, was, deletes, sides, spans in rows:
                    rows_read += 1
                    former_root = recorded[was_root] if was_root is not None else None
                    state.update(
                        _canonical(
                            recorded[root], path, former_root, was, deletes, sides
                        )
                    )
                    state.update(spans or b"")
                    former = (
                        self._place(roots, was_root, was) if was is not None else None
                    )
                    before, after, removed, inserted = _DECODER.decode(sides)
                    yield FileChange(
                        self._place(roots, root, path),
                        before and FileState(*before),
                        after and FileState(*after),
                        former,
                        zlib.decompress(spans) if spans is not None else b"",
                        removed,
                        inserted,
                        blobs=keeper,
                    )
            except _NO_SENSE as error:
                raise damaged_record_error(format_change_id(operation)) from error
        if rows_read != count or checksum != state.hexdigest():
            raise damaged_record_error(format_change_id(operation))

    def read_plan(self, number: int) -> RenamePlan:
        """What an operation that is not settled does to names. Raises `DamagedError`."""
        rows = self.database.read(
            "SELECT plan FROM unfinished WHERE number = ?", number
        )
        if not rows or rows[0][0] is None:
            return RenamePlan()
        self.state.open(make=False)
        try:
            seal, packed = rows[0][0][:_SEAL_BYTES], rows[0][0][_SEAL_BYTES:]
            if not hmac.compare_digest(
                hmac.digest(self.state.key, packed, "sha256"), seal
            ):
                raise ValueError("its seal is not ours")
            if packed[:8] != number.to_bytes(8, "big"):
                raise ValueError("it is another's")
            return unpacked_plan(packed[8:]).with_moved_roots(self.state.relocations())
        except _NO_SENSE as error:
            raise UnreadablePlanError(f"the plan makes no sense: {error!r}") from error

    def _recorded_roots(self) -> dict[int, bytes]:
        """The roots that entries name by number, as they were called."""
        return dict(self.database.read("SELECT number, path FROM roots"))

    def _roots(self) -> dict[int, bytes]:
        """The roots that entries name by number, as they are called now."""
        return self._relocated(self._recorded_roots())

    def _relocated(self, recorded: dict[int, bytes]) -> dict[int, bytes]:
        roots = dict(recorded)
        moved = self.state.relocations()
        for number, path in roots.items():
            roots[number] = moved.get(path, path)
        return roots

    def _place(self, roots: dict[int, bytes], root: int, path: bytes) -> RecordedPath:
        """The place of a row; named from the nearest root that is open here, if it is below one."""
        parts = tuple(path.split(b"/")) if path else ()
        if not {b"", b".", b".."}.isdisjoint(parts):
            raise ValueError("not a path")
        place = RecordedPath(roots[root], parts)
        here = (
            place.locate(self.boundary.roots) if place.root not in self._here else None
        )
        return place if here is None else RecordedPath.from_location(here)

    # Changing

    @contextmanager
    def begin(self, task: Task | None = None) -> Iterator[BlobWriter]:
        """An operation that begins: what it keeps, and what is written of it inside.

        At the end of the block its intent is on the disk, or nothing of it.
        """
        with self.database.transaction(task) as execute:
            newest = execute(
                "SELECT coalesce(max(number), 0) FROM operations"
            ).fetchone()[0]
            with suppress(
                FilewrightError
            ):  # Of a log that cannot be read nothing is known.
                newest = max(newest, self.newest_number_of_all())
            # If the clock went back, after the newest, with room for what several commands did.
            keeping = BlobWriter(
                self.contents, execute, max(time.time_ns(), newest + _ROOM)
            )
            try:
                yield keeping
                if keeping.file_count:
                    keeping.flush()
            except BaseException:
                keeping.discard()
                raise

    def write(
        self,
        record: ChangeRecord,
        plan: RenamePlan,
        *,
        state: str = "intent",
        entries: bool = True,
    ) -> None:
        """Write an operation down; or once more what staging found out: its plan, and its `entries` too."""
        number = record.number
        self._rolled_back.discard(
            number
        )  # Where the clock has gone back, it was perhaps another's.
        with self.database.transaction() as execute:
            if state != "settled":
                # With its number, so that no plan is ever taken for another's.
                packed = number.to_bytes(8, "big") + packed_plan(plan)
                sealed = hmac.digest(self.state.key, packed, "sha256") + packed
                execute(
                    "INSERT OR REPLACE INTO unfinished VALUES (?,?,?)",
                    (number, state, sealed),
                )
            if not entries:
                return
            more = _more_of(record)
            said = _storable(
                record.tool, record.summary, record.session, record.client, record.turn
            )
            checksum = xxhash.xxh3_64()
            roots: dict[bytes, int] = {}
            for index, entry in enumerate(record.file_changes):
                at: list[int | bytes | None] = []
                for place in (entry.path, entry.renamed_from):
                    if place is None:
                        at += None, None
                        continue
                    if place.root not in roots:
                        execute(_ADD_ROOT, (place.root,))
                        found = execute(
                            "SELECT number FROM roots WHERE path = ?", (place.root,)
                        ).fetchone()
                        roots[place.root] = found[0]
                    at += roots[place.root], b"/".join(place.parts)
                before, after = (
                    entry.before and entry.before.row(),
                    entry.after and entry.after.row(),
                )
                sides = _ENCODER.encode([before, after, entry.removed, entry.inserted])
                spans = (
                    zlib.compress(entry.packed_spans, 1) if entry.packed_spans else None
                )
                execute(
                    "INSERT OR REPLACE INTO entries VALUES (?,?,?,?,?,?,?,?,?)",
                    (number, index, *at, entry.after is None, sides, spans),
                )
                former = (
                    entry.renamed_from.root if entry.renamed_from is not None else None
                )
                deletes = int(entry.after is None)
                checksum.update(
                    _canonical(entry.path.root, at[1], former, at[3], deletes, sides)
                )
                checksum.update(spans or b"")
            text = _ENCODER.encode(more) if more != _USUAL else ""
            head = (
                *said,
                _with_checksums(
                    said, text, len(record.file_changes), checksum.hexdigest()
                ),
            )
            execute(
                "INSERT OR REPLACE INTO operations VALUES (?,?,?,?,?,?,?,?)",
                (number, *head, len(record.file_changes)),
            )

    def mark_done(self, number: int) -> None:
        """The operation is made, and is never rolled back."""
        with self.database.transaction() as execute:
            execute("UPDATE unfinished SET state = 'done' WHERE number = ?", (number,))

    def mark_unresolved(self, number: int, state: str) -> str:
        """Leave an intent `unsettled`, out of the way of the next, or `aside` for a person. Returns how it is named."""
        with _without_space(), self.database.transaction() as execute:
            execute("UPDATE unfinished SET state = ? WHERE number = ?", (state, number))
        return self.describe(number)

    def describe(self, number: int) -> str:
        """How a person finds an operation that was set aside."""
        return (
            f"operation {format_change_id(number)} in {quote(self.database.locate())}"
        )

    def delete_rolled_back(self, number: int) -> None:
        """The operation was rolled back: nothing of it is left to be done."""
        self._rolled_back.add(number)
        self.contents.remove_unfinished(number)
        with _without_space(), self.database.transaction() as execute:
            execute("DELETE FROM entries WHERE operation = ?", (number,))
            execute("DELETE FROM operations WHERE number = ?", (number,))

    def mark_cleaned_up(self, numbers: Iterable[int]) -> None:
        """These are cleaned up. Not flushed: cleaning up twice does no harm."""
        with _without_space(), self.database.transaction(durable=False) as execute:
            for number in numbers:
                execute(
                    "DELETE FROM unfinished WHERE number = ? AND state = 'done'",
                    (number,),
                )

    def add_notes(self, number: int, notes: Sequence[str]) -> None:
        """Add notes to a record; losing them to a crash loses nothing else."""
        with self.database.transaction(durable=False) as execute:
            # Not by the connection that reads: whoever reads on and on would be waited for.
            row = execute(
                f"SELECT {_HEAD} FROM operations WHERE number = ?", (number,)
            ).fetchone()
            record = _head(row) if row is not None else None
            if record is not None and record.state != DAMAGED:
                record = record._replace(
                    notes=tuple(dict.fromkeys((*record.notes, *notes)))
                )
                text, checksum = (
                    _ENCODER.encode(_more_of(record)),
                    _checksums_in(row)[1],
                )
                more = _with_checksums(row[1:6], text, row[_COUNT], checksum)
                execute(
                    "UPDATE operations SET more = ? WHERE number = ?", (more, number)
                )

    # Limits

    def enforce_limits(self, *, settle: bool = False) -> None:
        """Keep the history within its limits.

        With `settle`, what is cleaned up is settled in any case: of a change over several roots,
        which are not always open together, nothing is to be left to do. Needs the workspace lock.
        """
        # The change itself is made, whatever a damaged log holds: the next one collects what is left.
        with suppress(*_NO_SENSE, FilewrightError):
            past = self._past(self.settings.history_bytes)
            if past and self._recount():
                past = self._past(self.settings.history_bytes)
            if settle or past:
                # What is not known to be cleaned up is never dropped.
                from filewright.changes.recovery import settle_cleaned

                settle_cleaned(self)
            if past:
                self.prune()

    def prune(self, *, seconds: float = _CUT_SECONDS) -> None:
        """Drop what is past the limits, as far as the time goes: the oldest operations, then what only these needed.

        Kept whatever their age: the newest change, those that are not settled, and all that is newer than
        these. Age is counted from the operation that is the fiftieth: a clock that jumps expires nothing.
        """
        limit = self.settings.history_bytes
        most = limit if self.size <= limit else int(limit * _LEAVE)
        deadline = time.monotonic() + seconds
        rounds, left = 0, True
        # Twice at least, however slow the machine: an operation, then what it alone had kept.
        while left and (rounds < 2 or time.monotonic() < deadline):
            rounds += 1
            with self.database.transaction(durable=False) as execute:
                files, left = self.contents.delete_unneeded(execute)
                left = execute(_DROP_ENTRIES).rowcount > 0 or left
                if not left and (past := self._past(most)) is not None:
                    left = execute(_DROP_OPERATION, (past,)).rowcount > 0
                execute(f"PRAGMA incremental_vacuum({_AT_ONCE})").fetchall()
            self.contents.remove_files(files)

    @property
    def size(self) -> int:
        """What operations and contents take, in bytes."""
        return sum(row[0] or 0 for row in self.database.read(_SIZE))

    def _recount(self) -> bool:
        """Recount the bytes of contents in files; return True if the recorded size was missing or wrong."""
        known = self.database.read("SELECT bytes FROM usage")
        size = self.contents.total_file_bytes()
        if known == [(size,)]:
            return False
        with self.database.transaction(durable=False) as execute:
            execute("DELETE FROM usage")
            execute("INSERT INTO usage VALUES (?)", (size,))
        return True

    def _past(self, most: int) -> int | None:
        """The oldest operation, if it is older than the limits allow, or all together take more than that."""
        for oldest, newest, fiftieth, size in self.database.read(_LIMITS):
            expired = (
                fiftieth is not None
                and oldest < fiftieth - self.settings.history_days * _DAY_NS
            )
            if oldest != newest and (expired or size is None or size > most):
                return int(oldest)
        return None


@contextmanager
def _without_space() -> Iterator[None]:
    """Recovery needs no space: what cannot be noted now is found out again by the next."""
    try:
        yield
    except FilewrightError as error:
        if error.code is not Code.NO_SPACE:
            raise


def damaged_record_error(change_id: str) -> FilewrightError:
    """Return the error of a change whose record is not as it was written."""
    return FilewrightError(
        Code.IO_ERROR,
        f"the record of the change {change_id} is damaged",
        "it cannot be undone; `filewright doctor` names all that is damaged",
        change_id=change_id,
    )


def damaged_change_record(number: int) -> ChangeRecord:
    """Return what is shown of a change whose record is damaged: when it was made, and that it is."""
    return ChangeRecord(
        number,
        "unknown",
        damaged_record_error(format_change_id(number)).message,
        (),
        state=DAMAGED,
    )


def _storable(*texts: str | None) -> list[str | None]:
    """Return texts as the database takes them: without lone surrogates."""
    return [text and text.encode("utf-8", "replace").decode() for text in texts]


def _canonical(*columns: object) -> bytes:
    """Return the columns of a row as the bytes that a checksum is made of."""
    return repr(columns).encode("utf-8", "surrogatepass")


def _with_checksums(
    said: Sequence[str | None], text: str, count: int, checksum: str
) -> str:
    """Return what the column `more` holds: checksums of the head and of its entries, and the JSON of what it says."""
    return (
        xxhash.xxh3_64_hexdigest(_canonical(*said, text, count, checksum))
        + checksum
        + text
    )


def _checksums_in(row: Sequence[Any]) -> tuple[str, str, str]:
    """Return the parts of the column `more`: the checksum of the head, that of its entries, and the JSON."""
    more = str(row[_COUNT - 1])
    return (
        more[:_CHECKSUM_DIGITS],
        more[_CHECKSUM_DIGITS : 2 * _CHECKSUM_DIGITS],
        more[2 * _CHECKSUM_DIGITS :],
    )


def _head(row: Sequence[Any]) -> ChangeRecord:
    """Return the record of an operation without its entries; one that is damaged says so, and nothing else."""
    number, tool, summary, session, client, turn, more, count = row
    _, checksum, text = _checksums_in(row)
    if more != _with_checksums(
        (tool, summary, session, client, turn), text, count, checksum
    ):
        return damaged_change_record(number)
    reverts, partial, undoable, hard_links, notes, shared = (
        json.loads(text) if text else _USUAL
    )
    said = tuple(reverts), partial, undoable, hard_links, tuple(notes)
    commands = tuple(RecordedCommand(*each) for each in shared)
    return ChangeRecord(
        number,
        tool,
        summary,
        (),
        session,
        client,
        turn,
        *said,
        state="settled",
        commands=commands,
    )


def _more_of(record: ChangeRecord) -> Row:
    """Return what few records say."""
    return *record[7:12], record.commands


# How it is packed: what comes out of it otherwise than it went in raises whatever comes of that


def _plain(value: bytes) -> object:
    """What JSON does not know."""
    return {"": value.decode("utf-8", "surrogateescape")}


def _bytes(value: dict[str, Any]) -> object:
    return value[""].encode("utf-8", "surrogateescape") if "" in value else value


_ENCODER = json.JSONEncoder(separators=(",", ":"), default=_plain)
_DECODER = json.JSONDecoder(object_hook=_bytes)


def packed_plan(plan: RenamePlan) -> bytes:
    """A plan as bytes, made in pieces."""
    packer = zlib.compressobj(1, wbits=31)
    packed = bytearray()
    for row in _rows(plan):
        packed += packer.compress(_ENCODER.encode(row).encode() + b"\n")
    packed += packer.flush()
    return bytes(packed)


def _rows(plan: RenamePlan) -> Iterator[object]:
    yield len(plan.folders)
    for folder in plan.folders:
        yield folder.inode, folder.root, folder.is_new, _slot_row(folder.slot)
    for operation in plan.operations:
        states = [operation.after]
        if operation.before is not None:
            states.append(operation.before)
        slots = [_slot_row(slot) for slot in operation.slots]
        yield operation.kind, *slots, len(states)
        for state in states:
            yield state.row(plan=True), len(state.descendants)
            for path, below in state.descendants.items():
                yield path, below.row(plan=True)


def _slot_row(slot: Slot | None) -> tuple[int, bytes] | None:
    return (slot.folder, slot.name) if slot is not None else None


def unpacked_plan(data: bytes) -> RenamePlan:
    """The inverse, of what is known to be sealed by us. For anything else it raises whatever comes of that."""
    import gzip
    import io

    rows = (
        _DECODER.decode(line.decode())
        for line in gzip.GzipFile(fileobj=io.BytesIO(data))
    )
    folders = tuple(
        PlanFolder(inode, root, is_new, slot and Slot(*slot))
        for inode, root, is_new, slot in islice(rows, next(rows))
    )
    operations: list[RenameOperation] = []
    for kind, source, target, backup, count in rows:
        stamps: list[FileState] = []
        for row, below in islice(rows, count):
            inside = {path: FileState(*each) for path, each in islice(rows, below)}
            stamps.append(FileState(*row)._replace(descendants=inside))
        operations.append(
            RenameOperation(
                OperationKind(kind),
                Slot(*source),
                Slot(*target),
                Slot(*backup),
                *stamps,
            )
        )
    return RenamePlan(folders, tuple(operations))
