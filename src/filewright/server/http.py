"""Streamable HTTP at /mcp: the SDK's transport behind authentication, Host and Origin checks and limits.

The review page is at /review: with a bearer token for those who have one, else, on this machine alone, by a link in
the log that works once. Both protocol eras are served: handshake-era clients get a session, 2026 clients send
self-contained requests that any process over the same workspace may answer.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import anyio
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST
from sse_starlette.sse import AppStatus
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from filewright.bounded_json import MAX_VALUES, has_too_many_values
from filewright.connections import MAX_CONNECTIONS, TimedConnection
from filewright.listening import create_uvicorn, listen
from filewright.server.access import Access, Introspection
from filewright.server.calls import CallRunner
from filewright.server.shares import Shares

if TYPE_CHECKING:
    from filewright.page.review import ReviewApp
    from filewright.workspace import Workspace

_logger = logging.getLogger(__name__)

PATH = "/mcp"
HEALTH = "/health"
"""Answers 200 to anybody, and tells nothing: for load balancers and container probes."""
REVIEW = "/review"
"""The review page, for whoever has a bearer token; not where an authorization server decides."""
LINGER = 5
"""Seconds that open responses may still take after the process is asked to stop."""
STEP = 0.1


class HttpTransport:
    """Listens from the moment it is made, on `/mcp`, `/health` and `/review`; `run` serves until `stop`.

    `calls` are those that `stop` lets end.
    """

    def __init__(
        self,
        server: Server[Any],
        access: Access,
        calls: CallRunner,
        workspace: Workspace,
    ) -> None:
        settings = workspace.settings
        self._calls = calls
        self._draining: asyncio.Task[None] | None = None
        AppStatus.enable_automatic_graceful_drain = (
            False  # it would cut off answers being made
        )
        self._socket = listen(access.host, access.port)
        port = self._socket.getsockname()[1]
        hosts, origins = access.served_as(port)
        served = server.streamable_http_app(
            streamable_http_path=PATH,
            max_request_body_size=settings.message_bytes,
            max_sessions=settings.http_sessions,
            session_idle_timeout=settings.http_idle_seconds,
            transport_security=TransportSecuritySettings(
                enable_dns_rebinding_protection=True,
                allowed_hosts=hosts,
                allowed_origins=origins,
            ),
            host=access.host,
            auth=access.authentication(port),
            token_verifier=access.verifier,
        )
        served.router.routes.append(
            Route(HEALTH, _HEALTHY, methods=["GET", "HEAD"])
        )
        self._uvicorn = create_uvicorn(
            Shares(
                _with_doorman(served, settings.message_bytes),
                body_bytes=settings.message_bytes,
                open_paths=(HEALTH,),
            ),
            lifespan="on",
            http=TimedConnection,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=LINGER,
        )
        here = origins[0]
        guarded = (
            "with a token"
            if access.verifier
            else "without authentication, this machine only"
        )
        _logger.info("listening on %s%s (%s)", here, PATH, guarded)
        self._review: ReviewApp | None = None
        if not isinstance(
            access.verifier, Introspection
        ):  # it is known who may see it
            from filewright.page.review import ReviewApp

            verify = access.verifier.verify_token if access.verifier else None
            self._review = ReviewApp(
                workspace, hosts=hosts, origins=origins, verify=verify
            )
            served.router.routes.append(Mount(REVIEW, self._review))
            link = "/" if access.verifier else self._review.link()
            _logger.info("review page: %s%s%s", here, REVIEW, link)

    async def run(self) -> None:
        """Serve until asked to stop, then let open responses end for a few seconds."""
        await self._uvicorn.serve(sockets=[self._socket])

    def stop(self) -> None:
        """Accept nothing more, let calls end and their answers be sent for a few seconds, and leave."""
        self._uvicorn.should_exit = True
        if self._review is not None:
            self._review.leaving.set()
        if self._draining is None:
            self._draining = asyncio.ensure_future(self._drain())

    async def _drain(self) -> None:
        """End the streams on which clients wait for news, once no call needs its own any more."""
        with anyio.move_on_after(LINGER - 2 * STEP):
            while not self._calls.idle:
                await asyncio.sleep(STEP)
        await asyncio.sleep(STEP)
        logging.getLogger("uvicorn.error").setLevel(
            logging.CRITICAL
        )  # a stream that ends here is no error
        AppStatus.should_exit = True


_HEALTHY = PlainTextResponse("ok\n")


def _with_doorman(served: ASGIApp, body_bytes: int) -> ASGIApp:
    """Return `served` behind what is settled before the SDK looks: host names without regard to case, no batches,
    and no message that builds too much.

    A body past `body_bytes` is handed over in part, for the SDK to refuse.
    """

    async def doorman(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await served(scope, receive, send)
            return
        headers = [
            (name, value.lower() if name == b"host" else value)
            for name, value in scope["headers"]
        ]
        scope = {**scope, "headers": headers}
        if (
            scope["method"] != "POST"
            or scope["path"] != PATH
            or _declared_bytes(scope) > body_bytes
        ):
            await served(scope, receive, send)
            return
        pending: list[Message] = [await _receive_body(receive, body_bytes)]
        body = pending[0].get("body", b"")
        if body.lstrip().startswith(b"["):
            await _BATCH(scope, receive, send)
            return
        if has_too_many_values(body):
            await _TOO_MANY_VALUES(scope, receive, send)
            return
        del body  # The SDK makes a copy of its own.

        async def received() -> Message:
            return pending.pop() if pending else await receive()

        await served(scope, received, send)

    return doorman


def _declared_bytes(scope: Scope) -> int:
    """Return the size that a request says its body has, or 0."""
    lengths = [
        value for name, value in scope["headers"] if name == b"content-length"
    ]
    return int(lengths[0]) if lengths and lengths[0].isdigit() else 0


async def _receive_body(receive: Receive, most: int) -> Message:
    """Return the messages of a body as one, up to the first that takes it past `most` bytes."""
    content = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        content += message.get("body", b"")
        goes_on = message.get("more_body", False)
        if not goes_on or len(content) > most:
            return {
                "type": "http.request",
                "body": bytes(content),
                "more_body": goes_on,
            }


def _refusal(text: str) -> JSONResponse:
    error = {"code": INVALID_REQUEST, "message": text}
    return JSONResponse(
        {"jsonrpc": "2.0", "id": None, "error": error}, status_code=400
    )


_BATCH = _refusal("batches are not supported; send one message a request")
_TOO_MANY_VALUES = _refusal(
    f"too_large: the message has more than {MAX_VALUES} values; send less in one call"
)
