"""What one caller may hold of a server: requests that are open, and bodies that are not whole yet.

A caller is who has a token, or, where there are none, an address. Without these limits one caller that opens streams
would have every other answered 503, and bodies that never end would be held in memory one beside the other.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_logger = logging.getLogger(__name__)

REQUESTS = 128
"""Requests of one caller that may be open at one time, event streams among them: a quarter of all connections."""
BODIES = 2
"""So many bodies of the largest size may be on the way of one caller at one time."""


class Shares:
    """The application `served`, of which no caller has more than a share; `open_paths` are left out of it."""

    def __init__(
        self,
        served: ASGIApp,
        *,
        body_bytes: int,
        open_paths: Collection[str] = (),
    ) -> None:
        self._served = served
        self._most_bytes = BODIES * body_bytes
        self._open_paths = open_paths
        self._requests: Counter[str] = Counter()
        self._bytes: Counter[str] = Counter()

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request, or refuse it with 429."""
        if scope["type"] != "http" or scope["path"] in self._open_paths:
            await self._served(scope, receive, send)
            return
        caller = _caller(scope)
        if self._requests[caller] >= REQUESTS:
            text = (
                f"more than {REQUESTS} requests are open; close a stream first"
            )
            await _refusal(text)(scope, receive, send)
            return
        self._requests[caller] += 1
        body = _Body()
        try:
            await self._answer(caller, body, scope, receive, send)
        finally:
            self._release(caller, body)
            if not body.torn:
                self._close(caller)

    async def _answer(
        self,
        caller: str,
        body: _Body,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:

        async def received() -> Message:
            message = await receive()
            if body.ended:
                return message
            if message["type"] == "http.disconnect":
                _logger.debug("a client left before its request was whole")
                body.ended = body.torn = True
                self._close(
                    caller
                )  # At once: what the SDK makes of it takes a while.
                return _TORN
            size = len(message.get("body", b""))
            body.held += size
            self._bytes[caller] += size
            if (
                message.get("more_body")
                and self._bytes[caller] > self._most_bytes
            ):
                body.ended = body.refused = True
                return _TORN
            body.ended = not message.get("more_body")
            if body.ended:
                self._release(caller, body)
            return message

        async def sent(message: Message) -> None:
            if not (body.torn or body.refused):
                await send(message)

        await self._served(scope, received, sent)
        if body.refused:
            await _refusal(
                "too many bodies are on the way; send one after the other"
            )(scope, receive, send)

    def _close(self, caller: str) -> None:
        self._requests[caller] -= 1
        if self._requests[caller] <= 0:
            del self._requests[caller]

    def _release(self, caller: str, body: _Body) -> None:
        self._bytes[caller] -= body.held
        body.held = 0
        if self._bytes[caller] <= 0:
            del self._bytes[caller]


@dataclass
class _Body:
    """How far the body of one request has come, and the bytes of it that are held."""

    held: int = 0
    ended: bool = False
    torn: bool = False
    refused: bool = False


_TORN: Message = {"type": "http.request", "body": b"\0", "more_body": False}
"""The end of a body that is not to be read, with which no body is JSON. Of any other end the SDK logs a traceback."""


def _caller(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"authorization":
            return f"token {value.decode('latin-1')}"
    return f"address {scope['client'][0] if scope['client'] else ''}"


def _refusal(text: str) -> JSONResponse:
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
