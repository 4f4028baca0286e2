"""The caller of each request: its session, its client and its turn."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from filewright.errors import FilewrightError
from filewright.mailbox.prompts import ClientPrompts, CurrentPrompt
from filewright.progress import Caller, clean_caller_name
from filewright.server.client_roots import Context

if TYPE_CHECKING:
    from filewright.workspace import Workspace

TURN = "filewright/turn"
"""The field of a request's `_meta` by which a client names a turn of its session."""
CODEX = "x-codex-turn-metadata"
"""The field in which Codex names the session and the turn, as it does to its hooks."""


class Callers:
    """The callers of one server.

    `process` is the key of the process that started the server, which also starts the
    client's hooks. They record the session and the turn that it is in.
    """

    def __init__(self, workspace: Workspace, process: str | None) -> None:
        self._workspace = workspace
        self._process = process
        self._session = secrets.token_hex(6)
        self._last_prompt: CurrentPrompt | None = None

    def identify(self, context: Context) -> Caller:
        """Return the session, the client and the turn of a request.

        Over HTTP the session is a digest of the session's id, which must not be
        recorded: a reader of it could take the session over. Otherwise it is the
        session that Codex names in each request, or else the server's own.
        """
        meta = context.meta or {}
        codex = meta.get(CODEX)
        if not isinstance(codex, Mapping) or context.request is not None:
            codex = {}
        session = clean_caller_name(codex.get("session_id")) or self._session
        headers = getattr(context.request, "headers", {})
        http_session = headers.get("mcp-session-id")
        if http_session:
            session = hashlib.sha256(http_session.encode()).hexdigest()[:12]
        client_name = None
        if context.session.client_params is not None:
            client = context.session.client_params.client_info
            client_name = f"{client.name} {client.version}"
        return Caller(
            session,
            clean_caller_name(client_name),
            clean_caller_name(meta.get(TURN, codex.get("turn_id"))),
        )

    def add_prompt(self, caller: Caller, *, writes: bool) -> Caller:
        """Return the caller with the session and turn that the client's hooks recorded.

        They are read again for a call that `writes`. Nothing of any other call is
        recorded, so those of the last call that wrote will do.
        """
        if self._process is None or caller.session != self._session:
            return caller
        if writes:
            # If they cannot be read, the last ones are used.
            with suppress(FilewrightError):
                self._last_prompt = ClientPrompts(self._workspace).current(
                    self._process, caller.client or ""
                )
        prompt = self._last_prompt
        if prompt is None:
            return caller
        return caller._replace(
            session=prompt.session, turn=caller.turn or prompt.turn
        )
