"""The rows of a mailbox, in the databases of a workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from filewright.changes.database import Database, Execute
    from filewright.workspace import Workspace


class MailboxStore:
    """The table `mailbox` of all databases of a workspace.

    A row has the columns `id`, `kind`, `at` (seconds since 1970), `session`, `client`,
    `content`, `answer` and `resolved`; `kind` gives the last three their meaning.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._changes = workspace.changes

    def transaction(
        self, *, durable: bool = True
    ) -> AbstractContextManager[Execute]:
        """Begin a transaction in the database for new rows.

        Without `durable` its rows may be lost if the power fails.
        """
        return self._changes.database().transaction(durable=durable)

    def read(
        self, columns: str, condition: str, *values: object
    ) -> Iterator[Any]:
        """Yield the rows that meet a condition, from all databases."""
        for database in self._changes.databases:
            yield from database.read(
                f"SELECT {columns} FROM mailbox WHERE {condition}", *values
            )

    def databases_with(
        self, condition: str, *values: object
    ) -> Iterator[Database]:
        """Yield the databases with a row that meets a condition."""
        for database in self._changes.databases:
            rows = database.read(
                f"SELECT 1 FROM mailbox WHERE {condition} LIMIT 1", *values
            )
            if rows:
                yield database

    def update(
        self, column: str, value: object, condition: str, row_id: str
    ) -> bool:
        """Set a column of the row that meets a condition; return False if none does.

        The condition has one parameter, the id of the row.
        """
        for database in self.databases_with(condition, row_id):
            with database.transaction() as execute:
                result = execute(
                    f"UPDATE mailbox SET {column} = ? WHERE {condition}",
                    (value, row_id),
                )
                if result.rowcount:
                    return True
        return False
