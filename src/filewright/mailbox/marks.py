"""Marks on files that the person has viewed on the review page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from filewright.mailbox.store import MailboxStore

if TYPE_CHECKING:
    from filewright.workspace import Workspace


class ViewedMarks:
    """The marks of a workspace. A mark lapses when its file is changed again."""

    def __init__(self, workspace: Workspace) -> None:
        self._store = MailboxStore(workspace)

    def versions(self) -> dict[str, str]:
        """Return the version of each viewed file, by its path."""
        rows = self._store.read("substr(id, 6), content", "kind = 'seen'")
        return dict(rows)

    def mark(self, path: str, version: str) -> None:
        """Mark a version of a file as viewed; an empty one removes the mark."""
        row_id = f"seen {path}"
        with self._store.transaction(durable=False) as execute:
            execute("DELETE FROM mailbox WHERE id = ?", (row_id,))
            if version:
                execute(
                    "INSERT INTO mailbox "
                    "VALUES (?, 'seen', ?, '', '', ?, NULL, NULL)",
                    (row_id, time.time(), version),
                )
