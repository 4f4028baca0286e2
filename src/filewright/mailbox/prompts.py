"""The session and the turn that the process of a client is in.

The client's hooks name them, for the server that the same process has started.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from filewright.mailbox.store import MailboxStore

if TYPE_CHECKING:
    from filewright.workspace import Workspace

_MAX_AGE_SECONDS = 2 * 86_400


class ClientPrompts:
    """The newest prompt of each process of a client."""

    def __init__(self, workspace: Workspace) -> None:
        self._store = MailboxStore(workspace)

    def begin_turn(self, process: str, session: str, turn: str) -> None:
        """Record that a turn of a session begins in a client's process."""
        row_id, now = f"prompt {process}", time.time()
        with self._store.transaction(durable=False) as execute:
            execute(
                "DELETE FROM mailbox WHERE kind = 'prompt' AND at < ?",
                (now - _MAX_AGE_SECONDS,),
            )
            row = execute(
                "SELECT content FROM mailbox WHERE id = ?", (row_id,)
            ).fetchone()
            sessions = json.loads(row[0]) if row is not None else []
            if sessions[-1:] != [session]:
                sessions.append(session)
            execute(
                "INSERT OR REPLACE INTO mailbox "
                "VALUES (?, 'prompt', ?, ?, '', ?, ?, NULL)",
                (row_id, now, session, json.dumps(sessions), turn),
            )

    def current(self, process: str) -> tuple[str, str] | None:
        """Return the session and the turn of a client's process, or None.

        They are not known before the first prompt, nor after the process went back to
        an earlier session: it may then have several at one time.
        """
        rows = self._store.read(
            "session, answer, content", "id = ?", f"prompt {process}"
        )
        for session, turn, content in rows:
            sessions = json.loads(content)
            if len(set(sessions)) != len(sessions):
                return None
            return session, turn
        return None
