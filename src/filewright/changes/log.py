"""The log of one root: every operation, what undo needs of it, and what is unfinished.

An operation is written twice: as an intent, with all that rolls it back, before
anything of it is in the workspace; and as done. Each is one transaction. The operation
stays unfinished until nothing is left to clean up.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import xxhash

from filewright.boundary.boundary import Boundary
from filewright.changes.blobs import BlobWriter
from filewright.changes.database import Execute, Flusher
from filewright.changes.log_reader import LogReader
from filewright.changes.model import (
    ChangeRecord,
    RecordedCommand,
    join_lines,
    join_summaries,
)
from filewright.changes.rows import (
    DAMAGED,
    OPERATION_COLUMNS,
    FileChangeRow,
    OperationRow,
    insert_file_change,
    insert_operation,
    to_operation_row,
)
from filewright.changes.state_dir import StateFolder
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.folder_search import FolderSearch
    from filewright.changes.rename_plan import RenamePlan

_NUMBERS_FOR_COMMANDS = 1000
"""Numbers between two operations, for the changes of several commands at one time."""


class Log(LogReader):
    """The log of one state folder. Writing needs the workspace lock."""

    def __init__(
        self,
        boundary: Boundary,
        settings: Settings,
        state: StateFolder,
        flusher: Flusher,
        newest_number_of_all: Callable[[], int],
    ) -> None:
        super().__init__(
            boundary, settings, state, flusher, newest_number_of_all
        )
        self.cleaned_up: set[int] = set()
        """Operations that are done and cleaned up, and not yet marked so in the log."""
        self.search: FolderSearch | None = None
        """The search for moved folders, one walk for all operations."""

    @contextmanager
    def begin(self, task: Task | None = None) -> Iterator[BlobWriter]:
        """Begin an operation; yield the writer of its contents, which has its number.

        All that is written in the block is on the disk at its end, or nothing of it.
        """
        with self.database.transaction(task) as execute:
            (newest,) = execute(
                "SELECT coalesce(max(number), 0) FROM operations"
            ).fetchone()
            # A log that cannot be read takes no part.
            with suppress(FilewrightError):
                newest = max(newest, self.newest_number_of_all())
            # The clock may have gone back: numbers grow all the same.
            number = max(time.time_ns(), newest + _NUMBERS_FOR_COMMANDS)
            writer = BlobWriter(self.contents, execute, number)
            try:
                yield writer
                if writer.file_count:
                    writer.flush()
            except BaseException:
                writer.discard()
                raise

    def write(
        self,
        record: ChangeRecord,
        plan: RenamePlan,
        *,
        state: str = "intent",
        entries: bool = True,
    ) -> None:
        """Write an operation, or write it again with what staging has found out.

        Without `entries` only its plan is written.
        """
        # Where the clock has gone back, the number may be that of an earlier operation.
        self._rolled_back.discard(record.number)
        with self.database.transaction() as execute:
            if state != "settled":
                sealed_block = self._write_plan(execute, record.number, plan)
                execute(
                    "INSERT OR REPLACE INTO unfinished VALUES (?,?,?)",
                    (record.number, state, sealed_block),
                )
            if entries:
                checksum = _write_file_changes(execute, record)
                count = len(record.file_changes)
                insert_operation(
                    execute, OperationRow.from_record(record, count, checksum)
                )

    def _write_plan(
        self, execute: Execute, number: int, plan: RenamePlan
    ) -> bytes:
        """Write all blocks of a plan but the first; return that behind the seal.

        The seal is that of the whole plan and its number: a plan is never taken for
        that of another operation.
        """
        from filewright.changes.plan_encoding import encode_plan

        execute("DELETE FROM plan_blocks WHERE operation = ?", (number,))
        blocks = encode_plan(plan)
        first_block = number.to_bytes(8, "big") + next(blocks)
        seal = hmac.new(self.state.key, first_block, "sha256")
        # Only a large plan has more. It takes megabytes, so it is never held whole.
        for block_number, block in enumerate(blocks, 1):
            seal.update(block)
            execute(
                "INSERT INTO plan_blocks VALUES (?,?,?)",
                (number, block_number, block),
            )
        return seal.digest() + first_block

    # States

    def mark_done(self, number: int) -> None:
        """Note that an operation is made; it is never rolled back."""
        with self.database.transaction() as execute:
            execute(
                "UPDATE unfinished SET state = 'done' WHERE number = ?",
                (number,),
            )

    def mark_unresolved(self, number: int, state: str) -> str:
        """Leave an intent `unsettled` for a later recovery, or `aside` for a person.

        Return where a person finds it.
        """
        with _ignoring_lack_of_space(), self.database.transaction() as execute:
            execute(
                "UPDATE unfinished SET state = ? WHERE number = ?",
                (state, number),
            )
        return self.describe(number)

    def delete_rolled_back(self, number: int) -> None:
        """Delete an operation that needs no further step."""
        self._rolled_back.add(number)
        self.contents.remove_unfinished(number)
        with _ignoring_lack_of_space(), self.database.transaction() as execute:
            execute("DELETE FROM file_changes WHERE operation = ?", (number,))
            execute("DELETE FROM operations WHERE number = ?", (number,))

    def mark_cleaned_up(self, numbers: Iterable[int]) -> None:
        """Note that operations are cleaned up.

        Not flushed: to clean up twice does no harm.
        """
        with (
            _ignoring_lack_of_space(),
            self.database.transaction(durable=False) as execute,
        ):
            for number in numbers:
                execute(
                    "DELETE FROM unfinished WHERE number = ? AND state = 'done'",
                    (number,),
                )

    # Records

    def add_notes(self, number: int, notes: Sequence[str]) -> None:
        """Add notes to a record, each once. A crash may lose them."""

        def add(record: ChangeRecord) -> ChangeRecord:
            all_notes = dict.fromkeys((*record.notes, *notes))
            return replace(record, notes=tuple(all_notes))

        self._update_record(number, add, durable=False)

    def update_command(self, number: int, command: RecordedCommand) -> None:
        """Note what is known of a command at its end in a change of it."""

        def update(record: ChangeRecord) -> ChangeRecord:
            commands: list[RecordedCommand] = []
            for other in record.commands:
                is_same = other.identifier == command.identifier
                commands.append(command if is_same else other)
            first = commands[0] if commands else command
            return replace(
                record,
                summary=join_summaries(commands or [command]),
                command=join_lines(commands or [command]),
                session=first.session,
                client=first.client,
                turn=first.turn,
                commands=tuple(commands),
            )

        self._update_record(number, update, durable=True)

    def _update_record(
        self,
        number: int,
        update: Callable[[ChangeRecord], ChangeRecord],
        *,
        durable: bool,
    ) -> None:
        """Replace a record, without its file changes.

        Skip one that is gone or damaged.
        """
        with self.database.transaction(durable=durable) as execute:
            # Not by the connection for reading, which may wait for a long query.
            values = execute(
                f"SELECT {OPERATION_COLUMNS} FROM operations WHERE number = ?",
                (number,),
            ).fetchone()
            if values is None:
                return
            row = to_operation_row(values)
            record = row.to_record()
            if record.state == DAMAGED:
                return
            updated = OperationRow.from_record(
                update(record), row.file_change_count, row.file_changes_checksum
            )
            insert_operation(execute, updated)


def _write_file_changes(execute: Execute, record: ChangeRecord) -> str:
    """Write the file changes of a record; return their checksum."""
    checksum = xxhash.xxh3_64()
    roots: dict[bytes, int] = {}

    def root_number(path: bytes) -> int:
        if path not in roots:
            execute(
                "INSERT INTO roots (path) SELECT ?1 "
                "WHERE NOT EXISTS (SELECT 1 FROM roots WHERE path = ?1)",
                (path,),
            )
            (roots[path],) = execute(
                "SELECT number FROM roots WHERE path = ?", (path,)
            ).fetchone()
        return roots[path]

    for number, change in enumerate(record.file_changes):
        root = root_number(change.path.root)
        former_root: int | None = None
        former_root_path: bytes | None = None
        if change.renamed_from is not None:
            former_root_path = change.renamed_from.root
            former_root = root_number(former_root_path)
        row = FileChangeRow.from_change(change, root, former_root)
        insert_file_change(execute, record.number, number, row)
        row.add_to_checksum(checksum, change.path.root, former_root_path)
    return checksum.hexdigest()


@contextmanager
def _ignoring_lack_of_space() -> Iterator[None]:
    """Let a recovery go on without space: the next one finds out the same again."""
    try:
        yield
    except FilewrightError as error:
        if error.code is not Code.NO_SPACE:
            raise
