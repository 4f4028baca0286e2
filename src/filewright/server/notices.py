"""What the person took back and wrote on the review page, for the next answer to the agent.

An agent that does not know makes the same change again. The page is another process, so the history says
what was done there: after each call a look at the newest change, and at the records only if there are new ones.
"""

from __future__ import annotations

from contextlib import suppress

from filewright.errors import FilewrightError
from filewright.page import news
from filewright.progress import Caller
from filewright.text import BoundedCache
from filewright.tools import clip
from filewright.visible import one_line
from filewright.wording import listed
from filewright.workspace import REVIEW, Workspace

SESSIONS = 1_000
"""Sessions that are remembered; one that was forgotten does not learn what happened meanwhile."""
_LOOKED_AT = 50
_NAMED = 3
_CHARS = 120


class Notices:
    """What each session knows. Thread-safe."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._seen: BoundedCache[str] = BoundedCache(SESSIONS)

    def begin(self, caller: Caller) -> None:
        """Note what has happened before the first call of a session: that is not news to it."""
        if self._seen.get(caller.session) is None:
            self._seen.put(caller.session, self._newest(), 1)

    def news(self, caller: Caller, text: str, known_as: Caller) -> str:
        """What the person took back and wrote since the last answer, besides its `text`; empty if nothing.

        The history knows the caller as that.
        """
        newest, seen = self._newest(), self._seen.get(caller.session) or ""
        self._seen.put(caller.session, newest, 1)
        said = []
        with suppress(
            FilewrightError
        ):  # the call itself is done: what cannot be looked up must not make it fail
            recent = self._workspace.history(limit=_LOOKED_AT) if newest > seen else []
            changes = [
                f"{clip(one_line(record.summary), _CHARS)} (change {record.id})"
                for record in recent
                if record.id > seen and record.client == REVIEW
            ]
            if changes:
                named = listed(changes, _NAMED, "; ")
                said.append(
                    f"[the user took back on the review page: {named}. Ask before you make it again.]"
                )
            said.append(news(self._workspace, known_as.session or "", text))
        return "\n".join(filter(None, said))

    def _newest(self) -> str:
        with suppress(FilewrightError):
            return self._workspace.newest() or ""
        return ""
