"""Calls that wait for the person, because their client cannot ask its user."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from filewright.mailbox.store import MailboxStore

if TYPE_CHECKING:
    from filewright.workspace import Workspace

WAITING_SECONDS = 600.0
"""The time for which a call waits, and for which an answer counts."""
_MAX_CALLS = 100
"""Calls that wait at one time; another one displaces the oldest."""
_MAX_TEXT_CHARS = 100_000

MAX_REASON_CHARS = 500
_ALLOWANCE_SECONDS = 12 * 3_600.0
"""The time for which a session may make calls of a tool that was allowed to it."""

Answer = Literal["allowed", "refused"]


@dataclass(frozen=True, slots=True)
class CallAnswer:
    """The person's answer to a call, with the reason of a refusal, if there is one."""

    answer: Answer
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Allowance:
    """A tool that a session may use without asking, and the session's client."""

    id: str
    session: str
    client: str
    tool: str


class WaitingCall(NamedTuple):
    """A call that waits.

    `question` names it, and `tool` is the name of its tool. `diff` is the change that
    it would make (a `Diff` as JSON), or `shown` describes it. Its `id` is the digest of
    the call and of these.
    """

    id: str
    time: float
    question: str
    shown: str
    session: str
    client: str
    diff: str = ""
    tool: str = ""

    @property
    def ends(self) -> float:
        """The time until which it waits, in seconds since 1970."""
        return self.time + WAITING_SECONDS


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
        # A call that a power failure loses is made, and asked for, again.
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

    def answer(self, call_id: str, answer: Answer, reason: str = "") -> bool:
        """Record the person's answer; return False if the call no longer waits."""
        if all(call.id != call_id for call in self.waiting()):
            return False
        condition = "id = ? AND answer IS NULL"
        text = f"{answer}\n{reason[:MAX_REASON_CHARS]}" if reason else answer
        return self._store.update("answer", text, condition, call_id)

    def take_answer(self, call_id: str) -> CallAnswer | None:
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
                word, _, reason = answer.partition("\n")
                if word == "allowed":
                    return CallAnswer("allowed")
                return CallAnswer("refused", reason)
        return None

    # Tools that a session may use

    def allow_tool(self, call: WaitingCall) -> bool:
        """Allow the session of a call all calls of its tool; False if it has none."""
        if not call.session or not call.tool:
            return False
        now = time.time()
        with self._store.transaction() as execute:
            execute(
                "DELETE FROM mailbox WHERE kind = 'allowance' AND at < ?",
                (now - _ALLOWANCE_SECONDS,),
            )
            execute(
                "INSERT OR REPLACE INTO mailbox "
                "VALUES (?, 'allowance', ?, ?, ?, ?, NULL, NULL)",
                (
                    f"allowance {call.session} {call.tool}",
                    now,
                    call.session,
                    call.client,
                    call.tool,
                ),
            )
        return True

    def allowances(self) -> list[Allowance]:
        """Return the tools that sessions may use without asking, oldest first."""
        now = time.time()
        rows = self._store.read(
            "id, session, client, content",
            "kind = 'allowance' AND at BETWEEN ? AND ? ORDER BY at",
            now - _ALLOWANCE_SECONDS,
            now,
        )
        return [Allowance(*row) for row in rows]

    def is_allowed(self, session: str, tool: str) -> bool:
        """Return True if a session may use a tool without asking."""
        return any(
            allowance.session == session and allowance.tool == tool
            for allowance in self.allowances()
        )

    def end_allowance(self, allowance_id: str) -> bool:
        """Let a tool be asked for again; return False if it was not allowed."""
        condition = "kind = 'allowance' AND id = ?"
        is_ended = False
        for database in self._store.databases_with(condition, allowance_id):
            with database.transaction() as execute:
                execute(
                    f"DELETE FROM mailbox WHERE {condition}", (allowance_id,)
                )
            is_ended = True
        return is_ended
