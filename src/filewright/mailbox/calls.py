"""Calls that wait for the person, because their client cannot ask its user."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Literal, NamedTuple

from filewright.mailbox.store import MailboxStore

if TYPE_CHECKING:
    from filewright.workspace import Workspace

WAITING_SECONDS = 600.0
"""The time for which a call waits, and for which an answer counts."""
_MAX_CALLS = 100
"""Calls that wait at one time; another one displaces the oldest."""
_MAX_TEXT_CHARS = 100_000

Answer = Literal["allowed", "refused"]


class WaitingCall(NamedTuple):
    """A call that waits.

    `question` names it. `diff` is the change that it would make (a `Diff` as JSON), or
    `shown` describes it. Its `id` is the digest of the call and of these.
    """

    id: str
    time: float
    question: str
    shown: str
    session: str
    client: str
    diff: str = ""


class WaitingCalls:
    """The calls of a workspace that wait.

    An answer counts for exactly one call, once, and for `WAITING_SECONDS`.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._store = MailboxStore(workspace)

    def add(self, call: WaitingCall) -> None:
        """Add a waiting call. If the call waits already, its time begins again."""
        fields = call._asdict()
        fields["shown"] = call.shown[:_MAX_TEXT_CHARS]
        with self._store.transaction(durable=False) as execute:
            execute(
                "INSERT OR REPLACE INTO mailbox "
                "VALUES (?, 'call', ?, ?, ?, ?, NULL, NULL)",
                (
                    call.id,
                    call.time,
                    call.session,
                    call.client,
                    json.dumps(fields),
                ),
            )
            execute(
                "DELETE FROM mailbox WHERE kind = 'call' AND id NOT IN "
                "(SELECT id FROM mailbox WHERE kind = 'call' "
                "ORDER BY at DESC LIMIT ?)",
                (_MAX_CALLS,),
            )

    def waiting(self) -> list[WaitingCall]:
        """Return the calls that wait, the oldest first."""
        now = time.time()
        rows = self._store.read(
            "content",
            "kind = 'call' AND answer IS NULL AND at BETWEEN ? AND ?",
            now - WAITING_SECONDS,
            now,
        )
        calls: dict[str, WaitingCall] = {}
        for (content,) in rows:
            call = WaitingCall(**json.loads(content))
            calls[call.id] = call
        return sorted(calls.values(), key=lambda call: call.time)

    def answer(self, call_id: str, answer: Answer) -> bool:
        """Record the person's answer; return False if the call no longer waits."""
        if all(call.id != call_id for call in self.waiting()):
            return False
        condition = "id = ? AND answer IS NULL"
        return self._store.update("answer", answer, condition, call_id)

    def take_answer(self, call_id: str) -> Answer | None:
        """Return the answer to a call and remove it; None without an answer."""
        condition = "id = ? AND answer IS NOT NULL"
        for database in self._store.databases_with(condition, call_id):
            with database.transaction(durable=False) as execute:
                row = execute(
                    f"SELECT answer, at FROM mailbox WHERE {condition}",
                    (call_id,),
                ).fetchone()
                # If two processes take it at the same time, only one finds it.
                execute("DELETE FROM mailbox WHERE id = ?", (call_id,))
            if row is None:
                continue
            answer, asked_at = row
            if 0 <= time.time() - asked_at < WAITING_SECONDS:
                return "allowed" if answer == "allowed" else "refused"
        return None
