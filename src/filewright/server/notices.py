"""News for agents: what the person took back or wrote on the review page."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from filewright.errors import FilewrightError
from filewright.mailbox.comments import IMITATION_WARNING, take_comments
from filewright.mailbox.imitation import imitates_user
from filewright.progress import Caller
from filewright.text.cache import BoundedCache
from filewright.tools.bounded_text import clip
from filewright.wording import join_limited, to_one_line
from filewright.workspace import REVIEW_CLIENT

if TYPE_CHECKING:
    from filewright.workspace import Workspace

MAX_SESSIONS = 1_000
"""Sessions that are remembered; a forgotten one does not learn what happened since."""
_MAX_RECORDS = 50
"""Changes that are looked at after a call; a person undoes fewer between two calls."""
_MAX_NAMED_CHANGES = 3
_MAX_SUMMARY_CHARS = 120


class Notices:
    """The news that each session has not been told yet. Thread-safe.

    An agent without it makes a change again that the person took back. The review page
    is another process, so the history tells what happened there: after each call the
    newest change is looked up, and the records only if there are new ones.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._last_seen: BoundedCache[str] = BoundedCache(MAX_SESSIONS)

    def begin(self, caller: Caller) -> None:
        """Note the newest change at the first call of a session.

        Earlier changes are no news to it.
        """
        if self._last_seen.get(caller.session) is None:
            self._last_seen.put(caller.session, self._newest(), 1)

    def news(self, caller: Caller, text: str, recorded_as: Caller) -> str:
        """Return the news since the last answer to a caller, or an empty text.

        `text` is the answer. The history knows the caller as `recorded_as`.
        """
        newest = self._newest()
        last_seen = self._last_seen.get(caller.session) or ""
        self._last_seen.put(caller.session, newest, 1)
        parts: list[str] = []
        # The call is done: it must not fail because its news cannot be read.
        with suppress(FilewrightError):
            if newest > last_seen:
                parts.append(self._describe_undos(last_seen))
            if imitates_user(text):
                parts.append(IMITATION_WARNING)
            # Taking comments marks them as delivered.
            if not self._workspace.settings.read_only:
                session = recorded_as.session or ""
                parts.append(take_comments(self._workspace, session))
        return "\n".join(part for part in parts if part)

    def _describe_undos(self, last_seen: str) -> str:
        """Return a line about the person's undos after a change, or an empty text."""
        changes = [
            f"{clip(to_one_line(record.summary), _MAX_SUMMARY_CHARS)} "
            f"(change {record.id})"
            for record in self._workspace.history(limit=_MAX_RECORDS)
            if record.id > last_seen and record.client == REVIEW_CLIENT
        ]
        if not changes:
            return ""
        names = join_limited(changes, _MAX_NAMED_CHANGES, "; ")
        return (
            f"[the user took back on the review page: {names}. "
            "Ask before you make it again.]"
        )

    def _newest(self) -> str:
        with suppress(FilewrightError):
            return self._workspace.newest() or ""
        return ""
