"""The log of one root: every operation there was, what undo needs of it, and what is unfinished.

An operation is written twice: as an intent, with all that takes it back, before anything of it is in the
workspace; and as done. Each is one transaction. It loses its plan once nothing is left to clean up.
"""

from __future__ import annotations

import hmac
import json
import os
import time
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from filewright.boundary import quote
from filewright.changes.content import Flusher
from filewright.changes.contents import ContentStore
from filewright.changes.database import Database, Execute, Row
from filewright.changes.operations import CommitPlan, plan_bytes, plan_of_bytes
from filewright.changes.record import (
    NO_SPANS,
    ChangeRecord,
    Entries,
    Entry,
    Place,
    Side,
    Spans,
    id_of,
    number_of,
)
from filewright.changes.scope import Session
from filewright.changes.state import StateFolder
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import Folder

_HELD = 512
"""Entries of a record that are held as values; more are read anew each time."""
_PAGE = 1_000
_NEWEST_KEPT = 50
"""Operations that no date expires."""
_DAY_NS = 86_400 * 10**9
_LEAVE = 0.95
"""Cut a little more than asked, so that a full history is not cut at every change."""
_CUT_SECONDS = 0.02
_ROW = 400
"""About what an operation takes beside its entries, and an entry beside its texts, in bytes."""
_HEAD = "number, state, tool, summary, session, client, turn, more, entries"
_ENTRY = "root, path, was_root, was, before, after, spans, removed, inserted"
_INSERT_ENTRY = f"INSERT INTO entries (operation, number, {_ENTRY}) VALUES (?,?,?,?,?,?,?,?,?,?,?)"
_BY_STATE = "state IN ('done', 'settled')"
_COMMITTED = f"+{_BY_STATE}"
"""The plus keeps SQLite from its index by states: newest first, nearly all are committed."""
_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(separators=(",", ":"))
_NO_SENSE = (
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    IndexError,
    StopIteration,
    RuntimeError,
    zlib.error,
)


class DamagedError(Exception):
    """What is on record makes no sense, or is not sealed with our key."""


@dataclass(frozen=True)
class Operation:
    """One operation of the log; the plan is read when it is asked for."""

    number: int
    state: str
    record: ChangeRecord
    read_plan: Callable[[], CommitPlan]

    @cached_property
    def plan(self) -> CommitPlan:
        """What it does to names. Raises `DamagedError`."""
        return self.read_plan()


@dataclass(frozen=True, slots=True)
class Intent:
    """An operation that begins: what undo needs is kept in the same transaction, as `ContentStore` says.

    It ends with `record`, which says what the operation will do.
    """

    number: int
    keep: Callable[[bytes], str]
    keep_blocks: Callable[[Iterable[bytes | memoryview]], str]
    adopt: Callable[[Folder, bytes, int], str | None]
    record: Callable[[ChangeRecord, CommitPlan, str], None]


class Log:
    """The log of one state folder. Whatever writes needs the workspace lock."""

    def __init__(self, state: StateFolder, flusher: Flusher, settings: Settings) -> None:
        self._state = state
        self._settings = settings
        self.database = Database(
            lambda: state.at(b"state.db"), flusher, settings.lock_seconds, read_only=settings.read_only
        )
        self.contents = ContentStore(self.database, state, flusher)
        self._rolled_back: set[int] = set()

    # Looking

    def unfinished(self) -> tuple[tuple[int, str], ...]:
        """What tells one set of operations that are not settled from another: their numbers and states."""
        return self._in("intent", "unsettled")

    def numbers(self, *states: str) -> list[int]:
        """The operations in states that are not settled, oldest first."""
        return [number for number, _ in self._in(*states)]

    def _in(self, *states: str) -> tuple[tuple[int, str], ...]:
        # Else SQLite goes through all operations, in their order.
        rows = self.database.read(
            "SELECT number, state FROM operations INDEXED BY operations_by_state "
            "WHERE state IN ('intent', 'done', 'unsettled', 'aside')"
        )
        return tuple(sorted(row for row in rows if row[1] in states and row[0] not in self._rolled_back))

    def operation(self, number: int) -> Operation | None:
        """An operation in whatever state; None if there is none. Raises `io_error` if it is damaged."""
        rows = self.database.read(f"SELECT {_HEAD} FROM operations WHERE number = ?", number)
        return self._operation(rows[0]) if rows else None

    def committed(self, change_id: str) -> Operation | None:
        """A change that was made; None if there is none of that id."""
        number = number_of(change_id)
        found = self.operation(number) if number is not None else None
        return found if found is not None and found.state in ("done", "settled") else None

    def newest(self) -> str | None:
        """The id of the newest change."""
        rows = self.database.read(
            f"SELECT number FROM operations WHERE {_COMMITTED} ORDER BY number DESC LIMIT 1"
        )
        return id_of(rows[0][0]) if rows else None

    def sessions(self) -> list[Session]:
        """The sessions of the changes here, in no order."""
        rows = self.database.read(
            "SELECT found.*, client FROM (SELECT session, count(*), min(number), max(number) AS last "
            f"FROM operations INDEXED BY operations_by_state WHERE {_BY_STATE} GROUP BY session) AS found "
            "JOIN operations ON number = last"
        )
        return [Session(*row) for row in rows]

    def made_in(self, session: str | None) -> set[int]:
        """The changes of a session."""
        rows = self.database.read(
            f"SELECT number FROM operations WHERE session IS ? AND {_BY_STATE}", session
        )
        return {number for (number,) in rows}

    def undos(self) -> list[ChangeRecord]:
        """The changes that took others back, without their entries."""
        rows = self.database.read(f"SELECT {_HEAD} FROM operations WHERE more IS NOT NULL AND {_COMMITTED}")
        return [head for head in map(_head, rows) if head.reverts]

    def heads(self) -> Iterator[ChangeRecord]:
        """All changes, newest first, without their entries."""
        before = 1 << 62
        while rows := self.database.read(
            f"SELECT {_HEAD} FROM operations WHERE {_COMMITTED} AND number < ? ORDER BY number DESC LIMIT {_PAGE}",
            before,
        ):
            yield from map(_head, rows)
            before = rows[-1][0]

    def touching(self, path: bytes, before: int) -> set[int]:
        """The operations older than one that did something at an absolute path or below it."""
        found: set[int] = set()
        for number, below in self._below_roots(path):
            for root, name in (("root", "path"), ("was_root", "was")):
                rows = self.database.read(
                    f"SELECT operation FROM entries WHERE {root} = ?1 AND {name} = ?2 AND operation < ?5 "
                    f"UNION SELECT operation FROM entries WHERE {root} = ?1 AND {name} >= ?3 AND {name} < ?4 "
                    "AND operation < ?5",
                    number,
                    below,
                    below + b"/" if below else b"",
                    below + b"0" if below else b"\xff" * 1024,
                    before,
                )
                found.update(row[0] for row in rows)
        return found

    def renames_to(self, path: bytes, before: int) -> list[tuple[int, bytes]]:
        """The operations older than one that brought something to an absolute path, or to a folder above it.

        Each with the path that it had before.
        """
        roots, found = self._roots(), []
        for number, below in self._below_roots(path):
            ways = [below[:at] for at in range(len(below) + 1) if below[at : at + 1] in (b"/", b"")]
            for way in ways:
                rows = self.database.read(
                    "SELECT operation, was_root, was FROM entries "
                    "WHERE root = ? AND path = ? AND operation < ? AND was IS NOT NULL",
                    number,
                    way,
                    before,
                )
                found += [(row[0], _absolute(roots[row[1]], row[2]) + below[len(way) :]) for row in rows]
        return found

    def has_renames(self, after: int) -> bool:
        """Whether something was renamed since an operation."""
        newest = self.database.read(
            "SELECT 1 FROM entries WHERE was IS NOT NULL AND operation > ? LIMIT 1", after
        )
        return bool(newest)

    def touching_any(self, wanted: Callable[[Place], bool]) -> set[int]:
        """The operations that did something at one of the `wanted` places, of all that there were."""
        roots = self._roots()
        found: set[int] = set()
        for root, name, index in (("root", "path", ""), ("was_root", "was", "WHERE was IS NOT NULL")):
            for number, path in self.database.read(f"SELECT DISTINCT {root}, {name} FROM entries {index}"):
                if wanted(_place(roots, number, path)):
                    rows = self.database.read(
                        f"SELECT operation FROM entries WHERE {root} = ? AND {name} = ?", number, path
                    )
                    found.update(row[0] for row in rows)
        return found

    def _below_roots(self, path: bytes) -> Iterator[tuple[int, bytes]]:
        """Where an absolute path is below each of the roots; nowhere but at the root itself if that is below it."""
        for number, root in self._roots().items():
            above = root.rstrip(b"/")
            if path == above or path.startswith(above + b"/"):
                yield number, path[len(above) + 1 :]
            elif root.startswith(path + b"/"):
                yield number, b""

    def _operation(self, row: Row) -> Operation:
        number, state, count = row[0], row[1], row[8]
        read = partial(self._entries, number)
        entries = tuple(read()) if count <= _HELD else Entries(count, read)
        return Operation(number, state, replace(_head(row), entries=entries), partial(self._plan, number))

    def _entries(self, number: int) -> Iterator[Entry]:
        roots = self._roots()
        after = -1
        while rows := self.database.read(
            f"SELECT {_ENTRY}, number FROM entries WHERE operation = ? AND number > ? ORDER BY number LIMIT {_HELD}",
            number,
            after,
        ):
            try:
                yield from [_entry(row, roots) for row in rows]
            except _NO_SENSE as error:
                raise _damaged(id_of(number), error) from error
            after = rows[-1][-1]

    def _plan(self, number: int) -> CommitPlan:
        rows = self.database.read("SELECT plan, seal FROM operations WHERE number = ?", number)
        if not rows or rows[0][0] is None:
            return CommitPlan((), ())
        plan, seal = rows[0]
        self._state.load()
        if not isinstance(seal, bytes) or not hmac.compare_digest(self._seal(number, plan), seal):
            raise DamagedError("a seal is not ours")
        try:
            return plan_of_bytes(plan).relocated(self._state.relocations())
        except _NO_SENSE as error:
            raise DamagedError(f"the plan makes no sense: {error!r}") from error

    def _roots(self) -> dict[int, bytes]:
        """The roots that entries name by number, as they are called now."""
        moved: dict[bytes, bytes] = self._state.relocations()
        rows: list[tuple[int, bytes]] = self.database.read("SELECT number, path FROM roots")
        return {int(number): moved.get(path, path) for number, path in rows}

    # Changing

    @contextmanager
    def begin(self, task: Task | None = None) -> Iterator[Intent]:
        """An operation that begins: at the end of the block its intent is on the disk, or nothing of it."""
        with self.database.transaction(task) as execute:
            newest = execute("SELECT max(number) FROM operations").fetchone()[0]
            # One more than the newest, if the clock went back.
            number = max(time.time_ns(), (newest or 0) + 1)
            try:
                yield Intent(
                    number,
                    partial(self.contents.keep, execute, number),
                    partial(self.contents.keep_blocks, execute, number),
                    partial(self.contents.adopt, execute, number),
                    partial(self._write, execute),
                )
            except BaseException:
                self.contents.drop_adopted(number)
                raise

    def prepared(self, record: ChangeRecord, plan: CommitPlan, *, more: bool) -> None:
        """Add to an intent what staging found out; with `more` about its entries too."""
        with self.database.transaction() as execute:
            if more:
                self._write(execute, record, plan, "intent")
                return
            packed = plan_bytes(plan)
            execute(
                "UPDATE operations SET plan = ?, seal = ? WHERE number = ?",
                (packed, self._seal(record.time_ns, packed), record.time_ns),
            )

    def done(self, number: int) -> None:
        """The operation is made, and is never rolled back."""
        self._set_state(number, "done")

    def keep_unsettled(self, number: int) -> None:
        """An intent that could not be rolled back entirely stays, out of the way of the next."""
        with _without_space():
            self._set_state(number, "unsettled")

    def set_aside(self, number: int) -> str:
        """Leave an operation for a person to look at; it is not followed any more. Returns how it is named."""
        with _without_space():
            self._set_state(number, "aside")
        return self.named(number)

    def named(self, number: int) -> str:
        """How a person finds an operation that was set aside."""
        return f"operation {id_of(number)} in {quote(self.database.path)}"

    def _set_state(self, number: int, state: str) -> None:
        with self.database.transaction() as execute:
            execute("UPDATE operations SET state = ? WHERE number = ?", (state, number))

    def forget(self, number: int) -> None:
        """The operation was rolled back: nothing of it is left to be done."""
        self._rolled_back.add(number)
        self.contents.drop_adopted(number)
        with _without_space(), self.database.transaction() as execute:
            execute("DELETE FROM entries WHERE operation = ?", (number,))
            execute("DELETE FROM operations WHERE number = ?", (number,))

    def settled(self, numbers: Iterable[int]) -> None:
        """These are cleaned up. Not flushed: cleaning up twice does no harm."""
        with _without_space(), self.database.transaction(durable=False) as execute:
            for number in numbers:
                execute(
                    "UPDATE operations SET state = 'settled', plan = NULL, seal = NULL "
                    "WHERE number = ? AND state = 'done'",
                    (number,),
                )

    def annotate(self, number: int, notes: Sequence[str]) -> None:
        """Add notes to a record; losing them to a crash loses nothing else."""
        with self.database.transaction(durable=False) as execute:
            row = execute(f"SELECT {_HEAD} FROM operations WHERE number = ?", (number,)).fetchone()
            if row is not None:
                record = _head(row)
                record = replace(record, notes=tuple(dict.fromkeys((*record.notes, *notes))))
                execute("UPDATE operations SET more = ? WHERE number = ?", (_more(record), number))

    def _write(self, execute: Execute, record: ChangeRecord, plan: CommitPlan, state: str) -> None:
        number = record.time_ns
        packed = plan_bytes(plan) if plan.operations else None
        roots: dict[bytes, int] = {}
        self.contents.flush()

        def root(place: Place | None) -> int | None:
            if place is not None and place.root not in roots:
                found = execute("SELECT number FROM roots WHERE path = ?", (place.root,)).fetchone()
                if found is None:
                    execute("INSERT INTO roots (path) VALUES (?)", (place.root,))
                    found = execute("SELECT last_insert_rowid()").fetchone()
                roots[place.root] = found[0]
            return roots[place.root] if place is not None else None

        execute("DELETE FROM entries WHERE operation = ?", (number,))
        size = _ROW + len(record.summary)
        for at, entry in enumerate(record.entries):
            row = (
                root(entry.place),
                b"/".join(entry.place.parts),
                root(entry.was),
                b"/".join(entry.was.parts) if entry.was is not None else None,
                _side_text(entry.before),
                _side_text(entry.after),
                zlib.compress(entry.spans.numbers.tobytes(), 1) if entry.spans else None,
                entry.removed,
                entry.inserted,
            )
            size += _ROW + sum(len(value) for value in row if isinstance(value, str | bytes))
            execute(_INSERT_ENTRY, (number, at, *row))
        old = execute("SELECT size FROM operations WHERE number = ?", (number,)).fetchone()
        execute(
            f"INSERT OR REPLACE INTO operations ({_HEAD}, size, plan, seal) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                number,
                state,
                _text(record.tool),
                _text(record.summary),
                _text(record.session),
                _text(record.client),
                _text(record.turn),
                _more(record),
                len(record.entries),
                size,
                packed,
                self._seal(number, packed) if packed is not None else None,
            ),
        )
        execute("UPDATE usage SET bytes = bytes + ?", (size - (old[0] if old else 0),))

    def _seal(self, number: int, plan: bytes) -> bytes:
        return hmac.digest(self._state.key, number.to_bytes(8, "big") + plan, "sha256")

    # Limits

    def prune(self, *, seconds: float = _CUT_SECONDS) -> list[str]:
        """Drop what is past the limits, as far as the time goes; returns the ids of the changes dropped.

        Kept whatever their age: the newest change, those that are not settled, and all that is newer than
        these. Age is counted from the operation that is the fiftieth: a clock that jumps expires nothing.
        """
        held = self.database.read(
            "SELECT min(number) FROM operations INDEXED BY operations_by_state "
            "WHERE state IN ('intent', 'done', 'unsettled')"
        )
        cut = min(self._oldest_and_cut()[1], *(number for (number,) in held if number is not None), 1 << 63)
        deadline = time.monotonic() + seconds
        dropped: list[str] = []
        rounds, left = 0, True
        while left:
            rounds += 1
            with self.database.transaction(durable=False) as execute:
                rows = execute(
                    "SELECT number, entries, size FROM operations WHERE number < ? ORDER BY number LIMIT 1",
                    (cut,),
                ).fetchall()
                for number, entries, size in rows:
                    if entries > _PAGE:  # a piece at a time, and nothing of it is shown meanwhile
                        rest = entries - _PAGE
                        execute("DELETE FROM entries WHERE operation = ? AND number >= ?", (number, rest))
                        execute(
                            "UPDATE operations SET state = 'dropped', entries = ? WHERE number = ?",
                            (rest, number),
                        )
                        continue
                    execute("DELETE FROM entries WHERE operation = ?", (number,))
                    execute("DELETE FROM operations WHERE number = ?", (number,))
                    execute("UPDATE usage SET bytes = bytes - ?", (size,))
                    dropped.append(id_of(number))
                oldest = execute("SELECT min(number) FROM operations").fetchone()[0] or 0
                files, some = self.contents.drop_before(execute, oldest)
                execute("PRAGMA incremental_vacuum(500)").fetchall()
            self.contents.remove(files)
            # Twice at least, however slow the machine: an operation, then what it alone had kept.
            left = bool(rows or some) and (rounds < 2 or time.monotonic() < deadline)
        return dropped

    @property
    def size(self) -> int:
        """What operations and contents take, in bytes."""
        return sum(row[0] for row in self.database.read("SELECT bytes FROM usage"))

    @property
    def within_limits(self) -> bool:
        """Whether nothing is past the limits."""
        oldest, cut = self._oldest_and_cut()
        return oldest >= cut

    def _oldest_and_cut(self) -> tuple[int, int]:
        """The number of the oldest operation, and that below which everything is past the limits."""
        rows = self.database.read(
            "SELECT (SELECT min(number) FROM operations), (SELECT max(number) FROM operations), "
            f"(SELECT number FROM operations ORDER BY number DESC LIMIT 1 OFFSET {_NEWEST_KEPT - 1}), bytes "
            "FROM usage"
        )
        oldest, newest, fiftieth, total = rows[0] if rows else (None, None, None, 0)
        cut = fiftieth - self._settings.history_days * _DAY_NS if fiftieth else 0
        limit = self._settings.history_bytes
        if total > limit:
            cut = max(cut, self._cut_by_size(total - int(limit * _LEAVE)))
        return oldest or 0, min(cut, newest or 0)

    def _cut_by_size(self, excess: int) -> int:
        """The number below which operations and contents take that much."""
        after = 0
        while excess > 0:
            rows = self.database.read(
                "SELECT number, sum(size) FROM (SELECT number, size FROM operations WHERE number > ?1 "
                "UNION ALL SELECT operation, size FROM contents WHERE operation > ?1) "
                f"GROUP BY number ORDER BY number LIMIT {_PAGE}",
                after,
            )
            for number, size in rows:
                if excess <= 0:
                    break
                after, excess = number, excess - size
            if not rows:
                break
        return after + 1


@contextmanager
def _without_space() -> Iterator[None]:
    """Recovery needs no space: what cannot be noted now is found out again by the next."""
    try:
        yield
    except FilewrightError as error:
        if error.code is not Code.NO_SPACE:
            raise


# Rows


def _damaged(change_id: str, error: Exception) -> FilewrightError:
    message = f"the record of the change {change_id} is damaged: {error}"
    return FilewrightError(Code.IO_ERROR, message, "run filewright doctor", change_id=change_id)


def _head(row: Row) -> ChangeRecord:
    number, _, tool, summary, session, client, turn, more, _ = row
    said: dict[str, Any] = json.loads(more) if more else {}
    return ChangeRecord(
        id=id_of(number),
        time_ns=number,
        tool=tool,
        summary=summary,
        entries=(),
        session=session,
        client=client,
        turn=turn,
        reverts=tuple(said.get("reverts", ())),
        partial=bool(said.get("partial")),
        undoable=bool(said.get("undoable", True)),
        hard_links=said.get("hard_links", {}),
        notes=tuple(said.get("notes", ())),
    )


def _more(record: ChangeRecord) -> str | None:
    said = {
        "reverts": record.reverts,
        "partial": record.partial,
        "hard_links": dict(record.hard_links),
        "notes": record.notes,
    }
    more: dict[str, Any] = {name: value for name, value in said.items() if value}
    if not record.undoable:
        more["undoable"] = False
    return json.dumps(more, separators=(",", ":")) if more else None


def _entry(row: Row, roots: dict[int, bytes]) -> Entry:
    root, path, was_root, was, before, after, spans, removed, inserted, _ = row
    return Entry(
        place=_place(roots, root, path),
        before=_side_of(before),
        after=_side_of(after),
        was=_place(roots, was_root, was) if was is not None else None,
        spans=Spans(array("q", zlib.decompress(spans))) if spans is not None else NO_SPANS,
        removed=removed,
        inserted=inserted,
    )


def _place(roots: dict[int, bytes], root: int, path: bytes) -> Place:
    parts = tuple(path.split(b"/")) if path else ()
    if not {b"", b".", b".."}.isdisjoint(parts):
        raise ValueError("not a path")
    return Place(roots[root], parts)


def _absolute(root: bytes, path: bytes) -> bytes:
    return root.rstrip(b"/") + b"/" + path


def _text(text: str | None) -> str | None:
    """Text that can be written as UTF-8."""
    return text.encode("utf-8", "replace").decode() if text is not None else None


def _side_text(side: Side | None) -> str | None:
    """A side as a JSON array, without what is unset at its end; undecodable names become lone surrogates."""
    if side is None:
        return None
    carried = {name: data.hex() for name, data in side.attributes.items()} or None
    size = side.size if side.kind == "file" else None
    target = os.fsdecode(side.target) if side.target is not None else None
    row: list[Any] = [
        side.kind,
        side.mode,
        side.uid,
        side.gid,
        side.mtime_ns,
        size,
        side.digest,
        side.blob,
        target,
    ]
    row.append(carried)
    while row[-1] is None:
        row.pop()
    return _ENCODER.encode(row)


def _side_of(text: str | None) -> Side | None:
    """The inverse. Raises `ValueError` or `TypeError` for anything else."""
    if text is None:
        return None
    row = _DECODER.decode(text)
    kind, mode, uid, gid, time, size, digest, blob, target, carried = row + [None] * (10 - len(row))
    side = Side(kind, mode, uid, gid, size or 0, time, digest, blob)
    if target is None and carried is None:
        return side
    attributes = {name: bytes.fromhex(data) for name, data in (carried or {}).items()}
    return replace(side, target=os.fsencode(target) if target is not None else None, attributes=attributes)
