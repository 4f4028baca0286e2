"""The log of one root: every operation there was, what undo needs of it, and what is unfinished.

An operation is written twice: as an intent, with all that takes it back, before anything of it is in the
workspace; and as done. Each is one transaction. It loses its plan once nothing is left to clean up.
"""

from __future__ import annotations

import heapq
import hmac
import json
import time
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from filewright.boundary import Boundary, quote
from filewright.changes.content import Flusher
from filewright.changes.contents import ContentStore, Keeping
from filewright.changes.database import Database, Execute, Row
from filewright.changes.plan import CommitPlan, plan_bytes, plan_of_bytes
from filewright.changes.record import (
    NO_SPANS,
    ChangeRecord,
    Entries,
    Entry,
    Place,
    Spans,
    Stamp,
    id_of,
    number_of,
)
from filewright.changes.scope import Session
from filewright.changes.state import StateFolder
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.recovery import Recoverer

_HELD = 512
"""Entries of a record that are held as values; more are read anew each time."""
_PAGE = 1_000
_NEWEST_KEPT = 50
"""Operations that no date expires."""
_DAY_NS = 86_400 * 10**9
_LEAVE = 0.95
"""Cut a little more than asked, so that a full history is not cut at every change."""
_CUT_SECONDS = 0.02
_HEAD = "number, state, tool, summary, session, client, turn, more, entries"
_ENTRY = "root, path, was_root, was, before, after, spans, removed, inserted"
_INSERT_ENTRY = f"INSERT INTO entries (operation, number, {_ENTRY}) VALUES (?,?,?,?,?,?,?,?,?,?,?)"
_INSERT = f"INSERT OR REPLACE INTO operations ({_HEAD}, plan, seal) VALUES (?,?,?,?,?,?,?,?,?,?,?)"
_ENDS = ("root", "path"), ("was_root", "was")
_TOUCHING = " UNION ".join(
    f"SELECT operation FROM entries WHERE {root} = ?1 AND operation < ?5 AND {name} {where.format(name)}"
    for root, name in _ENDS
    for where in ("= ?2", ">= ?3 AND {} < ?4")
)
_BY_STATE = "state IN ('done', 'settled')"
_COMMITTED = f"+{_BY_STATE}"
"""The plus keeps SQLite from its index by states: newest first, nearly all are committed."""
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


class Intent(Keeping):
    """An operation that begins: what undo needs is kept in the same transaction.

    It ends with `record`, which says what the operation will do.
    """

    def __init__(self, log: Log, execute: Execute, number: int) -> None:
        super().__init__(log.contents, execute, number)
        self._log = log

    def record(self, record: ChangeRecord, plan: CommitPlan, state: str) -> None:
        """Write it down, or once more."""
        self.flush()
        self._log.write(self.execute, record, plan, state)


class Log:
    """The log of one state folder. Whatever writes needs the workspace lock. `own`: of a root that is open here."""

    def __init__(self, boundary: Boundary, settings: Settings, state: StateFolder, flusher: Flusher) -> None:
        self.boundary = boundary
        self.settings = settings
        self.flusher = flusher
        self.state = state
        self.own = state.root is not None
        self.database = Database(
            lambda: state.at(b"state.db"), flusher, settings.lock_seconds, read_only=settings.read_only
        )
        self.contents = ContentStore(self.database, state, flusher)
        self.cleaned: set[int] = set()
        """Operations that are done, and were cleaned up after."""
        self._rolled_back: set[int] = set()

    @cached_property
    def recoverer(self) -> Recoverer:
        """What settles it; imported when there is something to settle."""
        from filewright.changes.recovery import Recoverer

        return Recoverer(self)

    # Looking

    @property
    def unfinished(self) -> tuple[tuple[int, str], ...]:
        """What tells one set of operations that are not settled from another: their numbers and states.

        Of a log that cannot be read nothing is known, and reading files goes on.
        """
        try:
            return self._in("intent", "unsettled")
        except FilewrightError:
            return ()

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

    @property
    def kept(self) -> list[str]:
        """What conflicts have left: others' versions, and operations that were set aside."""
        try:
            with self.state.folder(b"kept") as folder:
                kept = [quote(self.state.at(b"kept", name)) for name in folder.names()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [*kept, *map(self.named, self.numbers("aside"))]

    def operation(self, number: int) -> ChangeRecord | None:
        """An operation in whatever state; None if there is none. Raises `io_error` if it is damaged."""
        rows = self.database.read(f"SELECT {_HEAD} FROM operations WHERE number = ?", number)
        if not rows:
            return None
        count = rows[0][-1]
        read = partial(self._entries, number, count)
        return replace(_head(rows[0]), entries=tuple(read()) if count <= _HELD else Entries(count, read))

    def committed(self, change_id: str) -> ChangeRecord | None:
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

    def made_by(self, client: str, after: int) -> set[int]:
        """The changes later than one of the clients whose name begins so, in whatever case."""
        rows = self.database.read(
            f"SELECT number, client FROM operations WHERE client IS NOT NULL AND number > ? AND {_COMMITTED}",
            after,
        )
        begin = client.casefold()
        return {number for number, name in rows if name.casefold().startswith(begin)}

    def undos(self) -> list[ChangeRecord]:
        """The changes that took others back, without their entries."""
        rows = self.database.read(
            f"SELECT {_HEAD} FROM operations INDEXED BY operations_that_say_more "
            f"WHERE more IS NOT NULL AND {_COMMITTED}"
        )
        return [head for head in map(_head, rows) if head.reverts]

    def heads(self, *session: str | None) -> Iterator[list[ChangeRecord]]:
        """All changes, or those of a session, newest first, without their entries, in pages."""
        where = f"session IS ? AND {_BY_STATE}" if session else _COMMITTED
        before, count = 1 << 62, 50  # The newest are often enough.
        while rows := self.database.read(
            f"SELECT {_HEAD} FROM operations WHERE {where} AND number < ? ORDER BY number DESC LIMIT ?",
            *session,
            before,
            count,
        ):
            yield [*map(_head, rows)]
            before, count = rows[-1][0], _PAGE

    def touching(self, path: bytes, before: int) -> Iterator[int]:
        """The operations older than one that did something at an absolute path or below it, newest first."""
        return heapq.merge(*(self._at(*where, before) for where in self._below_roots(path)), reverse=True)

    def _at(self, root: int, path: bytes, before: int) -> Iterator[int]:
        inside = (path + b"/", path + b"0") if path else (b"", b"\xff" * 1024)
        while rows := self.database.read(
            f"{_TOUCHING} ORDER BY operation DESC LIMIT {_PAGE}", root, path, *inside, before
        ):
            yield from (row[0] for row in rows)
            before = rows[-1][0]

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
                for operation, root, was in rows:
                    found.append((operation, roots[root].rstrip(b"/") + b"/" + was + below[len(way) :]))
        return found

    def departures(self, after: int, *, renames: bool = False) -> set[int]:
        """The changes later than one that moved or deleted something; or only those that moved something."""
        rows = self.database.read(
            "SELECT DISTINCT operation FROM entries INDEXED BY departures JOIN operations AS made "
            f"ON made.number = operation WHERE operation > ? AND {_COMMITTED} "
            "AND (was IS NOT NULL OR after IS NULL) AND (was IS NOT NULL) >= ?",
            after,
            renames,
        )
        return {number for (number,) in rows}

    def touching_any(self, wanted: Callable[[Place], bool], numbers: Sequence[int] | None = None) -> set[int]:
        """The operations that did something at one of the `wanted` places, of all or of those with these numbers."""
        roots = self._roots()
        among = f" AND operation IN ({','.join(map(str, numbers))})" if numbers is not None else ""
        found: set[int] = set()
        for root, name in _ENDS:
            places = f"SELECT DISTINCT {root}, {name} FROM entries WHERE {name} IS NOT NULL{among}"
            for number, path in self.database.read(places):
                if wanted(_place(roots, number, path)):
                    rows = self.database.read(
                        f"SELECT operation FROM entries WHERE {root} = ? AND {name} = ?{among}", number, path
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

    def _entries(self, number: int, count: int) -> Iterator[Entry]:
        roots = self._roots()
        for start in range(0, count, _HELD):
            rows = self.database.read(
                f"SELECT {_ENTRY} FROM entries WHERE operation = ? AND number >= ? ORDER BY number LIMIT {_HELD}",
                number,
                start,
            )
            try:
                yield from [_entry(row, roots) for row in rows]
            except _NO_SENSE as error:
                name = id_of(number)
                message = f"the record of the change {name} is damaged: {error}"
                raise FilewrightError(
                    Code.IO_ERROR, message, "run filewright doctor", change_id=name
                ) from error

    def plan(self, number: int) -> CommitPlan:
        """What an operation that is not settled does to names. Raises `DamagedError`."""
        rows = self.database.read("SELECT plan, seal FROM operations WHERE number = ?", number)
        if not rows or rows[0][0] is None:
            return CommitPlan((), ())
        plan, seal = rows[0]
        self.state.load()
        if not isinstance(seal, bytes) or not hmac.compare_digest(self._seal(number, plan), seal):
            raise DamagedError("a seal is not ours")
        try:
            return plan_of_bytes(plan).relocated(self.state.relocations())
        except _NO_SENSE as error:
            raise DamagedError(f"the plan makes no sense: {error!r}") from error

    def _roots(self) -> dict[int, bytes]:
        """The roots that entries name by number, as they are called now."""
        moved = self.state.relocations()
        rows: list[tuple[int, bytes]] = self.database.read("SELECT number, path FROM roots")
        return {number: moved.get(path, path) for number, path in rows}

    # Changing

    @contextmanager
    def begin(self, task: Task | None = None) -> Iterator[Intent]:
        """An operation that begins: at the end of the block its intent is on the disk, or nothing of it."""
        with self.database.transaction(task) as execute:
            newest = execute("SELECT max(number) FROM operations").fetchone()[0]
            # One more than the newest, if the clock went back.
            intent = Intent(self, execute, max(time.time_ns(), (newest or 0) + 1))
            try:
                yield intent
            except BaseException:
                intent.drop()
                raise

    def prepared(self, record: ChangeRecord, plan: CommitPlan, *, more: bool) -> None:
        """Add to an intent what staging found out; with `more` about its entries too."""
        with self.database.transaction() as execute:
            if more:
                self.write(execute, record, plan, "intent")
                return
            packed, number = plan_bytes(plan), record.number
            execute(
                "UPDATE operations SET plan = ?, seal = ? WHERE number = ?",
                (packed, self._seal(number, packed), number),
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

    def write(self, execute: Execute, record: ChangeRecord, plan: CommitPlan, state: str) -> None:
        """Write an operation down, over what is there of it."""
        number = record.number
        packed = plan_bytes(plan) if plan.operations else None
        roots: dict[bytes, int] = {}

        def at(place: Place | None) -> tuple[int, bytes] | tuple[None, None]:
            if place is None:
                return None, None
            if place.root not in roots:
                found = execute("SELECT number FROM roots WHERE path = ?", (place.root,)).fetchone()
                if found is None:
                    found = (execute("INSERT INTO roots (path) VALUES (?)", (place.root,)).lastrowid,)
                roots[place.root] = found[0]
            return roots[place.root], b"/".join(place.parts)

        execute("DELETE FROM entries WHERE operation = ?", (number,))
        for index, entry in enumerate(record.entries):
            row = (
                *at(entry.place),
                *at(entry.was),
                _side_text(entry.before),
                _side_text(entry.after),
                zlib.compress(entry.spans.numbers.tobytes(), 1) if entry.spans else None,
                entry.removed,
                entry.inserted,
            )
            execute(_INSERT_ENTRY, (number, index, *row))
        said = (record.tool, record.summary, record.session, record.client, record.turn)
        texts = (text and text.encode("utf-8", "replace").decode() for text in said)
        seal = self._seal(number, packed) if packed is not None else None
        execute(_INSERT, (number, state, *texts, _more(record), len(record.entries), packed, seal))

    def _seal(self, number: int, plan: bytes) -> bytes:
        return hmac.digest(self.state.key, number.to_bytes(8, "big") + plan, "sha256")

    # Limits

    def collect(self, *, settle: bool = False) -> None:
        """Keep the history within its limits.

        With `settle`, what is cleaned up is settled in any case: of a change over several roots,
        which are not always open together, nothing is to be left to do. Needs the workspace lock.
        """
        try:
            past = self._past(self.settings.history_bytes)
            if settle or past is not None:
                # What is not known to be cleaned up is never dropped.
                self.recoverer.settle_done()
            if past is not None:
                self.prune()
        except (OSError, FilewrightError):
            pass  # The change itself is made; the next one collects what is left.

    def prune(self, *, seconds: float = _CUT_SECONDS) -> list[str]:
        """Drop what is past the limits, as far as the time goes; returns the ids of the changes dropped.

        Kept whatever their age: the newest change, those that are not settled, and all that is newer than
        these. Age is counted from the operation that is the fiftieth: a clock that jumps expires nothing.
        """
        held = self.database.read(
            "SELECT min(number) FROM operations INDEXED BY operations_by_state "
            "WHERE state IN ('intent', 'done', 'unsettled')"
        )
        limit = self.settings.history_bytes
        most = limit if self.size <= limit else int(limit * _LEAVE)
        deadline = time.monotonic() + seconds
        dropped: list[str] = []
        rounds, left = 0, True
        # Twice at least, however slow the machine: an operation, then what it alone had kept.
        while left and (rounds < 2 or time.monotonic() < deadline):
            rounds += 1
            past = self._past(most)
            with self.database.transaction(durable=False) as execute:
                files, left = self.contents.drop_before(execute)
                if not left and past is not None and all(each[0] is None or past < each[0] for each in held):
                    left = True
                    if self._drop(execute, past):
                        dropped.append(id_of(past))
                execute("PRAGMA incremental_vacuum(500)").fetchall()
            self.contents.remove(files)
        return dropped

    @staticmethod
    def _drop(execute: Execute, number: int) -> bool:
        """Drop an operation, a piece at a time, of which nothing is shown meanwhile; whether that was all."""
        (entries,) = execute("SELECT entries FROM operations WHERE number = ?", (number,)).fetchone()
        rest = max(0, entries - _PAGE)
        execute("DELETE FROM entries WHERE operation = ? AND number >= ?", (number, rest))
        if rest:
            execute("UPDATE operations SET state = 'dropped', entries = ? WHERE number = ?", (rest, number))
        else:
            execute("DELETE FROM operations WHERE number = ?", (number,))
        return not rest

    @property
    def size(self) -> int:
        """What operations and contents take, in bytes."""
        rows = self.database.read(
            "SELECT (page_count - freelist_count) * page_size + bytes "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size, usage"
        )
        return sum(row[0] for row in rows)

    def _past(self, most: int) -> int | None:
        """The oldest operation, if it is older than the limits allow, or all together take more than that."""
        rows = self.database.read(
            "SELECT number, state, (SELECT max(number) FROM operations), "
            f"(SELECT number FROM operations ORDER BY number DESC LIMIT 1 OFFSET {_NEWEST_KEPT - 1}) "
            "FROM operations ORDER BY number LIMIT 1"
        )
        for oldest, state, newest, fiftieth in rows:
            expired = fiftieth is not None and oldest < fiftieth - self.settings.history_days * _DAY_NS
            if oldest < newest and (expired or state == "dropped" or self.size > most):
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


# Rows


def _head(row: Row) -> ChangeRecord:
    number, state, tool, summary, session, client, turn, more, _ = row
    said: dict[str, Any] = json.loads(more) if more else {}
    for name in said.keys() & {"reverts", "notes"}:
        said[name] = tuple(said[name])
    return ChangeRecord(number, tool, summary, (), session, client, turn, **said, state=state)


_RARE = {"reverts": False, "partial": False, "undoable": True, "hard_links": False, "notes": False}
"""What few changes have, and whether the others have it."""


def _more(record: ChangeRecord) -> str | None:
    said = {name: getattr(record, name) for name in _RARE}
    more = {name: value for name, value in said.items() if bool(value) is not _RARE[name]}
    return _ENCODER.encode(more) if more else None


def _entry(row: Row, roots: dict[int, bytes]) -> Entry:
    root, path, was_root, was, before, after, spans, removed, inserted = row
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


def _side_text(side: Stamp | None) -> str | None:
    """A side as a JSON array in the order of its fields, without what is unset at its end."""
    if side is None:
        return None
    row = [getattr(side, name) for name in _KEPT]
    while len(row) > _LEAST and not row[-1]:
        row.pop()
    return _ENCODER.encode(row)


def _side_of(text: str | None) -> Stamp | None:
    """The inverse. Raises `ValueError` or `TypeError` for anything else."""
    if text is None:
        return None
    row = _DECODER.decode(text)
    if len(row) > _TARGET and row[_TARGET] is not None:
        row[_TARGET] = _bytes(row[_TARGET])
    if len(row) > _TARGET + 1:
        row[-1] = {name: _bytes(data) for name, data in row[-1].items()}
    return Stamp(*row)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


_LEAST = 4
_KEPT = Stamp.__slots__[:10]
_TARGET = _KEPT.index("target")
_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(
    separators=(",", ":"), default=lambda data: data.decode("utf-8", "surrogateescape")
)
"""What is not text in names and attributes becomes lone surrogates."""
