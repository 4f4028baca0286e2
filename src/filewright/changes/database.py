"""One SQLite database of a state folder: its transactions and their errors.

A transaction that has ended is on the disk, and an interrupted one never was. Readers
do not wait: they have a connection of their own. No connection crosses a fork: all are
closed before it, and opened again by the next caller. Other files of a change are
flushed through the same `Flusher`.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

from filewright import errors, system
from filewright.boundary.names import quote
from filewright.errors import Code, FilewrightError
from filewright.progress import Task, retry_until

if TYPE_CHECKING:
    import sqlite3
    from typing import TypeVar

    from filewright.system import File, Folder

    _T = TypeVar("_T")

# SQLite is imported where a database is opened: a server that has only started needs
# nothing of it.

VERSION = 18
Row = tuple[Any, ...]
Execute = Callable[..., "sqlite3.Cursor"]
# The primary result codes of SQLite: https://www.sqlite.org/rescode.html
_BUSY_CODES = (5, 6)  # BUSY and LOCKED
_NOT_SHARED_CODES = (10, 14, 15)  # IOERR, CANTOPEN and PROTOCOL
_NOT_SHARED_FOR_READING_CODES = (10, 15)
_UNWRITABLE_CODES = (8, 14)  # READONLY and CANTOPEN
_IOERR_WRITE = 778  # An extended code: IOERR with a detail in the upper bits.
_PAGE_BYTES = 4096
_MAX_WAL_BYTES = 4 << 20
_WAL_SUFFIXES = (b"-wal", b"-shm")
_ERROR_CODES = {
    3: Code.PERMISSION_DENIED,  # PERM
    8: Code.PERMISSION_DENIED,  # READONLY
    13: Code.NO_SPACE,  # FULL
    14: Code.PERMISSION_DENIED,  # CANTOPEN
    23: Code.PERMISSION_DENIED,  # AUTH
}
_HINTS = {
    Code.PERMISSION_DENIED: "give another folder with --state-dir or FILEWRIGHT_STATE_DIR; reading works "
    "without one",
    Code.NO_SPACE: "free some space; nothing was changed",
    Code.UNSUPPORTED: "use the filewright version that made it, or give another folder with "
    "--state-dir",
    Code.IO_ERROR: "if this repeats, move that file away: a new history begins, and your "
    "files stay as they are",
}


class Flusher:
    """Flushes files and folders, unless that is switched off (to test the tests)."""

    def __init__(self, *, enabled: bool) -> None:
        self.enabled = enabled
        self.count = 0

    def all(self, handles: Sequence[File | Folder]) -> None:
        """Flush contents of files and entries of folders together.

        All are tried; the first error is raised.
        """
        if self.enabled:
            self.count += len(handles)
            system.flush_all(handles)

    def one(self, handle: File | Folder) -> None:
        """Flush the content of a file or the entries of a folder."""
        self.all((handle,))

    def file_system(self, handle: File | Folder) -> None:
        """Flush the whole file system of an open file or folder, if the system can."""
        if self.enabled:
            self.count += handle.flush_file_system()


class Database:
    """One database file with `tables`, which is made when it is first written.

    Thread-safe.

    Every method raises `io_error` if it is damaged, `permission_denied`, `no_space`,
    `unsupported` if it is of another version, and `timeout` if another process holds
    it.
    """

    def __init__(
        self,
        locate: Callable[[], bytes],
        tables: str,
        flusher: Flusher,
        lock_seconds: float,
        *,
        read_only: bool = False,
    ) -> None:
        self.locate = locate
        """A function that returns the path of the file, which moves with its folder."""
        self._tables = tables
        self._read_only = read_only
        self._flusher = flusher
        self._seconds = lock_seconds
        self._writing, self._reading = threading.RLock(), threading.RLock()
        self._connections: dict[bool, tuple[object, sqlite3.Connection]] = {}
        _open_databases.add(self)

    def read(
        self, sql: str, *values: object, **named_values: object
    ) -> list[Row]:
        """Return the rows of a query; none where there is no database yet.

        The values are those of its `?`, or of its `:name`.
        """
        with self._use_connection(writing=False) as connection:
            if connection is None:
                return []
            # Only the first row can find the database busy: the others need no retry.
            return self._retry(
                connection.execute, sql, named_values or values
            ).fetchall()

    @contextmanager
    def transaction(
        self, task: Task | None = None, *, durable: bool = True
    ) -> Iterator[Execute]:
        """Run a transaction: at its end, all that was executed is done, or nothing.

        It is on the disk then if `durable`. A nested transaction is part of the outer
        one.
        """
        with self._use_connection(task, writing=True) as connection:
            assert connection is not None
            if connection.in_transaction:
                yield connection.execute
                return
            level = (
                ("FULL" if durable else "NORMAL")
                if self._flusher.enabled
                else "OFF"
            )
            # NORMAL leaves the flush of the write-ahead log to its next checkpoint.
            connection.execute(f"PRAGMA synchronous={level}")
            self._retry(begin, connection, task=task)
            try:
                yield connection.execute
                self._retry(end, connection)
            # A KeyboardInterrupt must not leave the transaction open either.
            except BaseException:
                with suppress(Exception):
                    connection.rollback()
                raise
            # SQLite has flushed its log itself.
            self._flusher.count += level == "FULL"

    def problem(self) -> str | None:
        """Return what SQLite finds wrong with the file, or None."""
        problems = [str(row[0]) for row in self.read("PRAGMA quick_check(3)")]
        return None if problems in ([], ["ok"]) else "; ".join(problems)

    def close(self) -> None:
        """Release the file; the next caller opens it again."""
        with self._writing, self._reading:
            for writing in tuple(self._connections):
                self._release(writing)

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    # Connections

    @contextmanager
    def _use_connection(
        self, task: Task | None = None, *, writing: bool
    ) -> Iterator[sqlite3.Connection | None]:
        """Hold the connection to read or write; yield None for a missing database.

        The connection is to the file that is there now: another program may have
        removed an earlier one. Errors of SQLite and of the system become those of
        filewright.
        """
        lock = self._writing if writing else self._reading
        for _ in retry_until(time.monotonic() + self._seconds, task):
            if lock.acquire(blocking=False):
                break
        else:
            raise self._busy_error()
        try:
            with self._translating_errors(writing=writing):
                yield self._find_connection(task, writing=writing)
        finally:
            lock.release()

    def _find_connection(
        self, task: Task | None, *, writing: bool
    ) -> sqlite3.Connection | None:
        """Return the open connection, or open one to the file that is there now."""
        current = self._identify_file()
        opened, connection = self._connections.get(writing, (None, None))
        if opened is not None and (
            opened == current or not self._can_close(opened, current)
        ):
            return connection
        self._release(writing)
        connection, is_lasting = None, True
        if writing:
            connection = self._retry(self._open_for_writing, task=task)
        elif current is not None:
            opened_for_reading = self._retry(self._open_for_reading, task=task)
            if opened_for_reading is not None:
                connection, is_lasting = opened_for_reading
        if connection is not None:
            # One that does not see later changes is opened again the next time.
            identity = self._identify_file() if is_lasting else None
            self._connections[writing] = identity, connection
        return connection

    @contextmanager
    def _translating_errors(self, *, writing: bool) -> Iterator[None]:
        """Raise errors of SQLite and of the system as those of filewright."""
        try:
            yield
        except OSError as error:
            doing = "write to" if writing else "read"
            raise errors.from_os_error(
                error, "the state folder", doing=doing
            ) from error
        except Exception as error:
            import sqlite3

            if not isinstance(error, sqlite3.Error):
                raise
            extended_code = getattr(error, "sqlite_errorcode", 0)
            code = _ERROR_CODES.get(extended_code & 0xFF, Code.IO_ERROR)
            why = str(error)
            if extended_code == _IOERR_WRITE:
                # SQLite does not tell why; the system does.
                try:
                    self._probe()
                except OSError as refusal:
                    code = errors.from_os_error(refusal, "").code
                    why = str(refusal.strerror)
            raise self._unusable_error(code, why) from error

    def _retry(
        self, work: Callable[..., _T], *values: object, task: Task | None = None
    ) -> _T:
        """Return the result of `work` once no other process is in the way."""
        for _ in retry_until(time.monotonic() + self._seconds, task):
            try:
                return work(*values)
            except Exception as error:
                if (
                    getattr(error, "sqlite_errorcode", 0) & 0xFF
                    not in _BUSY_CODES
                ):
                    raise
        raise self._busy_error()

    def _identify_file(self) -> object:
        """Return the identities of the file and its write-ahead log, or None."""
        path = self.locate()
        try:
            status = system.stat_path(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise errors.from_os_error(
                error, quote(path), doing="look at"
            ) from error
        if status.kind != "file":
            raise self._unusable_error(Code.IO_ERROR, "it is not a file")
        log = None
        with suppress(OSError):
            log = system.stat_path(path + _WAL_SUFFIXES[0]).identity
        return path, status.identity, log

    def _can_close(self, opened: object, current: object) -> bool:
        """Return True if a connection whose file or log was replaced may be closed now.

        If another program has removed the name of the write-ahead log, its transactions
        are moved into the file first: they would be lost at the next start. For that
        both connections are closed.
        """
        if (
            not (isinstance(opened, tuple) and isinstance(current, tuple))
            or opened[:2] != current[:2]
        ):
            return True
        with ExitStack() as locks:
            for lock in (self._writing, self._reading):
                if not lock.acquire(blocking=False):
                    # The thread that is at work finds the same, and closes them later.
                    return False
                locks.callback(lock.release)
            connections = [
                connection for _, connection in self._connections.values()
            ]
            if any(connection.in_transaction for connection in connections):
                return False
            for connection in connections:
                with suppress(Exception):
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for writing in tuple(self._connections):
                self._release(writing)
        return True

    def _open_for_writing(self) -> sqlite3.Connection:
        """Open a connection for writing, and make a missing file."""
        folder, name = os.path.split(self.locate())
        if self._identify_file() is None:
            with (
                suppress(FileExistsError),
                system.open_folder(folder) as opened,
            ):
                # Private from the start: SQLite gives its other files the same mode.
                opened.create(name).close()
                self._flusher.one(opened)
        return self._open("rw", writing=True)

    def _open_for_reading(self) -> tuple[sqlite3.Connection, bool] | None:
        """Return a connection, and whether it sees later changes.

        Return None while another process is making the file.
        """
        import sqlite3

        # SQLite makes its other files even for a reader. A process that may not write
        # reads without them, unless a writer is at work or was killed and left them.
        files = [self.locate() + end for end in _WAL_SUFFIXES]
        shared = all(map(_is_nonempty_file, files))
        alone = "ro&readonly_shm=1" if shared else "ro&immutable=1"
        for mode in (alone,) if self._read_only else ("rw", alone):
            try:
                connection = self._open(mode)
            except sqlite3.OperationalError as error:
                if (
                    mode == alone
                    or error.sqlite_errorcode & 0xFF not in _UNWRITABLE_CODES
                ):
                    raise
                continue
            if connection.execute("PRAGMA user_version").fetchone() != (0,):
                return connection, "immutable" not in mode
            # Version 0: another process has not made the tables yet.
            connection.close()
            break
        return None

    def _open(self, mode: str, *, writing: bool = False) -> sqlite3.Connection:
        """Open a connection with a write-ahead log, or with a rollback journal.

        The latter where processes cannot share memory.
        """
        import sqlite3

        shared = self._can_share()
        try:
            return self._connect(mode, writing=writing, shared=shared)
        except sqlite3.OperationalError as error:
            unshared = (
                _NOT_SHARED_CODES if writing else _NOT_SHARED_FOR_READING_CODES
            )
            if mode != "rw" or error.sqlite_errorcode & 0xFF not in unshared:
                raise
        if not writing:
            # Only a connection for writing can change to a rollback journal.
            self._connect(mode, writing=True, shared=False).close()
        return self._connect(mode, writing=writing, shared=False)

    def _can_share(self) -> bool:
        """Return True if several processes may map a file in the state folder.

        SQLite makes a file of 32 KB by writing one byte to each 4 KB. Where blocks are
        smaller the rest is a hole, and on a full disk the kernel kills a process that
        writes into it.
        """
        with system.open_folder(os.path.dirname(self.locate())) as folder:
            return folder.block_size() >= _PAGE_BYTES

    def _connect(
        self, mode: str, *, writing: bool, shared: bool
    ) -> sqlite3.Connection:
        """Open a connection, and set how it keeps its transactions.

        `mode` goes into SQLite's URI. With `shared` there is a write-ahead log, which
        processes share in memory.
        """
        import sqlite3

        connection = sqlite3.connect(
            f"{to_uri(self.locate())}?mode={mode}",
            uri=True,
            # SQLite's own wait could not be cancelled: `_retry` waits instead.
            timeout=0,
            # Else Python would begin a transaction before the first change.
            isolation_level=None,
            # `_use_connection` lets one thread at a time use the connection.
            check_same_thread=False,
        )
        try:
            connection.execute("PRAGMA temp_store=MEMORY")
            if not shared:
                # A write-ahead log needs no shared memory then.
                connection.execute("PRAGMA locking_mode=EXCLUSIVE")
            # SQLite also flushes outside of transactions: when it makes the file, and
            # when it closes it.
            connection.execute(
                f"PRAGMA synchronous={'FULL' if self._flusher.enabled else 'OFF'}"
            )
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version not in (0, VERSION):
                raise self._unusable_error(
                    Code.UNSUPPORTED,
                    f"its format is version {version}, not {VERSION}",
                )
            if writing:
                if not version:
                    # Only once: on an existing database this writes and flushes again.
                    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                # A database with a rollback journal keeps it: another process may use
                # it.
                if shared and (
                    not version or _journal_mode(connection) == "wal"
                ):
                    self._share(connection)
                else:
                    connection.execute("PRAGMA journal_mode=TRUNCATE")
                    # A large transaction would otherwise lock readers out before its
                    # end.
                    connection.execute("PRAGMA cache_spill=OFF")
            if not shared:
                if _journal_mode(connection) == "wal":
                    raise _not_shared_error()
                # SQLite releases the exclusive lock only at the next access.
                connection.execute("PRAGMA locking_mode=NORMAL")
                connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            if writing:
                self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _share(self, connection: sqlite3.Connection) -> None:
        """Keep transactions in a write-ahead log.

        Raise `sqlite3.OperationalError` if processes cannot share it.
        """
        if connection.execute("PRAGMA journal_mode=WAL").fetchone() != ("wal",):
            raise _not_shared_error()
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        # Otherwise the log would keep the size of the largest transaction for ever.
        connection.execute(f"PRAGMA journal_size_limit={_MAX_WAL_BYTES}")

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables, unless another process has made them."""
        connection.execute("BEGIN IMMEDIATE")
        # Checked under the lock: several processes may have seen version 0.
        if connection.execute("PRAGMA user_version").fetchone() == (0,):
            for statement in self._tables.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version={VERSION}")
        connection.execute("COMMIT")

    def _release(self, writing: bool) -> None:
        opened = self._connections.pop(writing, None)
        if opened is not None:
            with suppress(Exception):
                opened[1].close()

    # Errors

    def _busy_error(self) -> FilewrightError:
        return errors.lock_timeout(
            "process locked the state database", self._seconds
        )

    def _unusable_error(self, code: Code, why: str) -> FilewrightError:
        path = quote(self.locate())
        message = f"the state database {path} cannot be used: {why}"
        return FilewrightError(
            code, message, hint=_HINTS.get(code), details={"path": path}
        )

    def _probe(self) -> None:
        """Write as SQLite would: the `OSError` tells the reason, such as a quota."""
        path = self.locate()
        folder, name = os.path.split(path)
        with (
            system.open_folder(folder) as opened,
            opened.create(name + b"-probe") as probe,
        ):
            try:
                probe.write(
                    bytes(_PAGE_BYTES),
                    system.stat_path(path + _WAL_SUFFIXES[0]).size,
                )
            finally:
                opened.remove(name + b"-probe")


def _is_nonempty_file(path: bytes) -> bool:
    """Return True if a file exists and is not empty.

    The last process that closes a database removes the files beside it.
    """
    try:
        return system.stat_path(path).size > 0
    except OSError:
        return False


def _journal_mode(connection: sqlite3.Connection) -> str:
    """Return the journal mode: `wal`, or one with a rollback journal."""
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def _not_shared_error() -> sqlite3.OperationalError:
    """Return the error of a write-ahead log that processes cannot share."""
    import sqlite3

    error = sqlite3.OperationalError(
        "this file system cannot share a write-ahead log"
    )
    error.sqlite_errorcode = _NOT_SHARED_CODES[0]
    return error


def to_uri(path: bytes) -> str:
    """Return the URI of a path, to which SQLite's options are added."""
    escaped = (
        os.fsdecode(path)
        .replace("%", "%25")
        .replace("?", "%3f")
        .replace("#", "%23")
    )
    return f"file:{escaped}"


def begin(connection: sqlite3.Connection) -> None:
    """Begin a transaction: no other process writes until its end."""
    # A deferred transaction could be refused at its first write, after it has read.
    connection.execute("BEGIN IMMEDIATE")


def end(connection: sqlite3.Connection) -> None:
    """End a transaction: what was done in it is true from here on."""
    connection.execute("COMMIT")


# Forks

_open_databases: weakref.WeakSet[Database] = weakref.WeakSet()
_held_for_fork: list[Database] = []


def _before_fork() -> None:
    """Close all databases, and hold their locks until the fork is made."""
    databases = list(_open_databases)
    # All locks for writing first: a thread that writes may read, but not the reverse,
    # so no thread waits for this one in a circle.
    for database in databases:
        database._writing.acquire()
    for database in databases:
        database._reading.acquire()
        database.close()
    _held_for_fork[:] = databases


def _after_fork() -> None:
    """Release the locks, in the parent and in the child."""
    for database in _held_for_fork:
        database._reading.release()
        database._writing.release()
    _held_for_fork.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork,
        after_in_child=_after_fork,
    )
