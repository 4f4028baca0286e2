"""Marks of the person on the review page: what was decided, and how far they looked.

A decision belongs to content: its key is made of the content of a hunk or of a file
(see `page.decisions`), so it lapses when that content changes again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filewright.mailbox.store import MailboxStore

if TYPE_CHECKING:
    from filewright.workspace import Workspace

ACCEPTED = "accepted"
_DAY_SECONDS = 86_400
_MAX_MARKS = 50_000
"""Decisions that are stored; beyond them the oldest lapse."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A decision about some content of a file: `accepted`, or the id of its undo."""

    decision: str
    path: str

    @property
    def undo_id(self) -> str | None:
        """The change that undid the content, or None if it was accepted."""
        return None if self.decision == ACCEPTED else self.decision


class ReviewMarks:
    """The marks of a workspace: of one person, since a state folder has one user."""

    def __init__(self, workspace: Workspace) -> None:
        self._store = MailboxStore(workspace)
        self._settings = workspace.settings

    # Decisions

    def marks(self) -> dict[str, Mark]:
        """Return all decisions by the keys of their contents."""
        rows = self._store.read("substr(id, 6), content", "kind = 'mark'")
        return {key: Mark(**json.loads(content)) for key, content in rows}

    def decide(self, path_of_key: Mapping[str, str], decision: str) -> None:
        """Mark contents, given by their keys and the paths of their files."""
        now = time.time()
        oldest = now - self._settings.history_days * _DAY_SECONDS
        rows = []
        for key, path in path_of_key.items():
            content = json.dumps({"decision": decision, "path": path})
            rows.append((f"mark {key}", now, content))
        # A decision that a power failure loses is only open again.
        with self._store.transaction(durable=False) as execute:
            for row in rows:
                execute(
                    "INSERT OR REPLACE INTO mailbox "
                    "VALUES (?, 'mark', ?, '', '', ?, NULL, NULL)",
                    row,
                )
            execute(
                "DELETE FROM mailbox WHERE kind = 'mark' AND (at < ? OR id IN "
                "(SELECT id FROM mailbox WHERE kind = 'mark' "
                "ORDER BY at DESC LIMIT -1 OFFSET ?))",
                (oldest, _MAX_MARKS),
            )

    def reopen(self, keys: Iterable[str]) -> None:
        """Remove decisions."""
        with self._store.transaction(durable=False) as execute:
            for key in keys:
                execute("DELETE FROM mailbox WHERE id = ?", (f"mark {key}",))

    # Positions in the history

    def decided_until(self) -> str | None:
        """Return the id of the change up to which the person decided everything."""
        return self._position("decided")

    def viewed_until(self) -> str | None:
        """Return the newest change when the person last looked, or None."""
        return self._position("viewed")

    def set_decided_until(self, change_id: str) -> None:
        """Record the change up to which the person has decided everything."""
        self._set_position("decided", change_id)

    def set_viewed_until(self, change_id: str) -> None:
        """Record that the person has looked at all up to a change."""
        self._set_position("viewed", change_id)

    def _position(self, name: str) -> str | None:
        positions: Collection[str] = [
            content
            for (content,) in self._store.read(
                "content", "id = ?", f"until {name}"
            )
        ]
        return max(positions, default=None)

    def _set_position(self, name: str, change_id: str) -> None:
        with self._store.transaction(durable=False) as execute:
            execute(
                "INSERT OR REPLACE INTO mailbox "
                "VALUES (?, 'until', ?, '', '', ?, NULL, NULL)",
                (f"until {name}", time.time(), change_id),
            )
