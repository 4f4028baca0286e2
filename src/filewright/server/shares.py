"""Limits on the requests and bodies that one caller of the HTTP server may have open.

A caller is identified by its token, or, without one, by its address. Without the limits
one caller that opens streams would have all others answered with 503, and unfinished
bodies would fill the memory: `test_limits_streams_of_a_token` and
`test_limits_bodies_of_a_token` fail.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_logger = logging.getLogger(__name__)

MAX_REQUESTS = 128
"""Requests that one caller may have open: a quarter of all connections.

Event streams count among them.
"""
MAX_FULL_BODIES = 2
"""Bodies of the largest size that one caller may be sending at one time."""

_UNREADABLE_BODY: Message = {
    "type": "http.request",
    "body": b"\0",
    "more_body": False,
}
"""The end of a body that the SDK must not parse: no JSON has a NUL.

For any other way to end it, the SDK logs a traceback.
"""


@dataclass(slots=True)
class _Body:
    """The state of the body of one request."""

    held_bytes: int = 0
    has_ended: bool = False
    was_aborted: bool = False
    is_refused: bool = False


class Shares:
    """An application around another one, which gives each caller a limited share.

    Requests for `open_paths` are not counted.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        body_bytes: int,
        open_paths: Collection[str] = (),
    ) -> None:
        self._app = app
        self._max_bytes = MAX_FULL_BODIES * body_bytes
        self._open_paths = open_paths
        self._open_requests: Counter[str] = Counter()
        self._held_bytes: Counter[str] = Counter()

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request, or refuse it with 429."""
        if scope["type"] != "http" or scope["path"] in self._open_paths:
            await self._app(scope, receive, send)
            return
        caller = _identify_caller(scope)
        if self._open_requests[caller] >= MAX_REQUESTS:
            refusal = _too_many(
                f"more than {MAX_REQUESTS} requests are open; "
                "close a stream first"
            )
            await refusal(scope, receive, send)
            return
        self._open_requests[caller] += 1
        body = _Body()
        try:
            await self._answer(caller, body, scope, receive, send)
        finally:
            self._release(caller, body)
            if not body.was_aborted:
                self._close(caller)

    async def _answer(
        self,
        caller: str,
        body: _Body,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        async def receive_counted() -> Message:
            message = await receive()
            if body.has_ended:
                return message
            if message["type"] == "http.disconnect":
                _logger.debug("a client left before its request was whole")
                body.has_ended = body.was_aborted = True
                # Closed at once: the SDK's answer to it takes a while.
                self._close(caller)
                return _UNREADABLE_BODY
            size = len(message.get("body", b""))
            body.held_bytes += size
            self._held_bytes[caller] += size
            has_more = message.get("more_body", False)
            if has_more and self._held_bytes[caller] > self._max_bytes:
                body.has_ended = body.is_refused = True
                return _UNREADABLE_BODY
            if not has_more:
                body.has_ended = True
                self._release(caller, body)
            return message

        async def send_unless_refused(message: Message) -> None:
            if not (body.was_aborted or body.is_refused):
                await send(message)

        await self._app(scope, receive_counted, send_unless_refused)
        if body.is_refused:
            refusal = _too_many(
                "too many bodies are on the way; send one after the other"
            )
            await refusal(scope, receive, send)

    def _close(self, caller: str) -> None:
        self._open_requests[caller] -= 1
        if self._open_requests[caller] <= 0:
            del self._open_requests[caller]

    def _release(self, caller: str, body: _Body) -> None:
        self._held_bytes[caller] -= body.held_bytes
        body.held_bytes = 0
        if self._held_bytes[caller] <= 0:
            del self._held_bytes[caller]


def _identify_caller(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return f"token {value.decode('latin-1')}"
    address = scope["client"][0] if scope["client"] else ""
    return f"address {address}"


def _too_many(text: str) -> JSONResponse:
    """Return the response 429 with a JSON-RPC error."""
    content = {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32000, "message": f"too_large: {text}"},
    }
    return JSONResponse(
        content,
        status_code=429,
        headers={"retry-after": "1", "connection": "close"},
    )
