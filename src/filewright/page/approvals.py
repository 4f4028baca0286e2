"""Calls that wait for a person's word: asked for by a server whose client cannot ask, answered on the review page.

Server and page are two processes, and the database of the state is all that they share. A word counts for
exactly one call, the one whose digest `ID` is, once, and no longer than `WAIT` seconds.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import Literal

from filewright.workspace import Workspace

WAIT = 600.0
"""Seconds for which a call waits, and for which a word given counts."""
_MOST = 100
"""Calls that wait at one time; another pushes the oldest out."""
_SHOWN_CHARS = 100_000

Word = Literal["allowed", "refused"]


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call that waits: `question` names it, `diff` is what it would do (a `Diff` as JSON), or `shown` says it."""

    id: str
    time: float
    question: str
    shown: str
    session: str
    client: str
    diff: str = ""


class Approvals:
    """The calls that wait. Every method raises what a `Database` does where the state folder cannot be used.

    They wait with the first root of the workspace, and are looked for in all its histories: those of folders
    above and below too, and one that another process has made since.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def ask(self, call: WaitingCall) -> None:
        """Let a call wait; one that waits already is asked for anew."""
        database = self._workspace.changes.database()
        content = json.dumps({**asdict(call), "shown": call.shown[:_SHOWN_CHARS]})
        with database.transaction(durable=False) as execute:
            execute("DELETE FROM words WHERE kind = 'call' AND at < ?", (time.time() - 2 * WAIT,))
            execute(
                "INSERT OR REPLACE INTO words VALUES (?, 'call', ?, ?, ?, ?, NULL, NULL)",
                (call.id, call.time, call.session, call.client, content),
            )
            execute(
                "DELETE FROM words WHERE kind = 'call' AND id NOT IN "
                "(SELECT id FROM words WHERE kind = 'call' ORDER BY at DESC LIMIT ?)",
                (_MOST,),
            )

    def waiting(self) -> list[WaitingCall]:
        """The calls that wait, the oldest first."""
        now = time.time()
        calls: dict[str, WaitingCall] = {}
        for database in self._workspace.changes.databases:
            for (content,) in database.read(
                "SELECT content FROM words WHERE kind = 'call' AND word IS NULL AND at > ? AND at <= ?",
                now - WAIT,
                now,
            ):
                call = WaitingCall(**json.loads(content))
                calls[call.id] = call
        return sorted(calls.values(), key=lambda call: call.time)

    def answer(self, call_id: str, word: Word) -> bool:
        """Give the person's word; False if the call does not wait any more."""
        for database in (
            self._workspace.changes.databases if any(call.id == call_id for call in self.waiting()) else ()
        ):
            if not database.read("SELECT 1 FROM words WHERE id = ? AND word IS NULL", call_id):
                continue
            with database.transaction(durable=False) as execute:
                if execute(
                    "UPDATE words SET word = ? WHERE id = ? AND word IS NULL", (word, call_id)
                ).rowcount:
                    return True
        return False

    def take(self, call_id: str) -> Word | None:
        """The word for a call, which counts this once; None if there is none."""
        for database in self._workspace.changes.databases:
            if not database.read("SELECT 1 FROM words WHERE id = ? AND word IS NOT NULL", call_id):
                continue
            with database.transaction(durable=False) as execute:
                row = execute(
                    "SELECT word, at FROM words WHERE id = ? AND word IS NOT NULL", (call_id,)
                ).fetchone()
                # Of two that take it at the same time, one alone finds it.
                execute("DELETE FROM words WHERE id = ?", (call_id,))
            if row is not None and 0 <= time.time() - row[1] < WAIT:
                return "allowed" if row[0] == "allowed" else "refused"
        return None
