"""The person's prompts: which one each client's process is in, and their words.

The client's hooks name session and turn, for the server that the same process has
started. One process may have started servers for several clients (an editor with two
agents), so a prompt belongs to a process and a client.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filewright.mailbox.store import MailboxStore
from filewright.progress import clean_caller_name, client_family
from filewright.wording import first_line

if TYPE_CHECKING:
    from filewright.workspace import Workspace

_DAY_SECONDS = 86_400
_MAX_AGE_SECONDS = 2 * _DAY_SECONDS
_MAX_TEXT_CHARS = 2_000
"""Characters of a prompt that are stored."""
_MAX_TITLE_CHARS = 120


@dataclass(frozen=True, slots=True)
class CurrentPrompt:
    """The session and the turn that a client's process is in."""

    session: str
    turn: str


class ClientPrompts:
    """The newest prompt of each client of each process."""

    def __init__(self, workspace: Workspace) -> None:
        self._store = MailboxStore(workspace)

    def begin_turn(
        self, process: str, session: str, turn: str, client: str = ""
    ) -> None:
        """Record that a turn of a session begins, for a client of a process."""
        family, now = client_family(client), time.time()
        row_id = f"prompt {process} {family}"
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
                "VALUES (?, 'prompt', ?, ?, ?, ?, ?, NULL)",
                (row_id, now, session, family, json.dumps(sessions), turn),
            )

    def current(self, process: str, client: str = "") -> CurrentPrompt | None:
        """Return the prompt that a client of a process is in, or None.

        It is not known before the first prompt, nor after the process went back to an
        earlier session: it may then have several at one time. Hooks that do not name
        their client speak for every client of the process, and a client without a name
        is taken for that of the newest prompt.
        """
        family = client_family(client)
        prefix = f"prompt {process} "
        rows = self._store.read(
            "session, answer, content",
            "kind = 'prompt' AND substr(id, 1, ?) = ? "
            "AND (client = ? OR client = '' OR ? = '') "
            "ORDER BY client = ? DESC, at DESC",
            len(prefix),
            prefix,
            family,
            family,
            family,
        )
        for session, turn, content in rows:
            sessions = json.loads(content)
            if len(set(sessions)) != len(sessions):
                return None
            return CurrentPrompt(session, turn)
        return None


class PromptTexts:
    """The words of the prompts of a workspace, as far as they are stored.

    They stay in the state folder: no tool and no answer to an agent has them.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._store = MailboxStore(workspace)
        self._settings = workspace.settings

    def add(self, session: str, turn: str, text: str) -> None:
        """Store the beginning of a prompt, unless the settings forbid it."""
        if not self._settings.keep_prompts or not text.strip():
            return
        stored = text.strip()[:_MAX_TEXT_CHARS]
        stored = stored.encode("utf-8", "replace").decode()
        now = time.time()
        max_age_seconds = self._settings.history_days * _DAY_SECONDS
        with self._store.transaction(durable=False) as execute:
            execute(
                "DELETE FROM mailbox WHERE kind = 'words' AND at < ?",
                (now - max_age_seconds,),
            )
            execute(
                "INSERT OR REPLACE INTO mailbox "
                "VALUES (?, 'words', ?, ?, '', ?, NULL, NULL)",
                (_row_id(session, turn), now, session, stored),
            )

    def find(self, session: str | None, turn: str | None) -> str | None:
        """Return the words of the prompt of a session's turn, or None."""
        if not session or not turn:
            return None
        rows = self._store.read("content", "id = ?", _row_id(session, turn))
        for (text,) in rows:
            return str(text)
        return None


def prompt_title(text: str) -> str:
    """Return the title of a prompt: its first line."""
    return first_line(text, _MAX_TITLE_CHARS)


def _row_id(session: str, turn: str) -> str:
    """Return the id of a prompt's words, made of the names that changes record."""
    return f"words {clean_caller_name(session)} {clean_caller_name(turn)}"
