"""Streamable HTTP at /mcp: the SDK's transport behind authentication and limits.

Host and Origin headers are checked. The review page is at /review: with a bearer token,
or, on this machine alone, by a link in the log that works once. Both eras of the
protocol are served: a handshake-era client gets a session; a 2026 client sends
self-contained requests, which any process over the same workspace may answer.
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
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from filewright.bounded_json import MAX_VALUES, has_too_many_values
from filewright.connections import MAX_CONNECTIONS, TimedConnection
from filewright.listening import create_uvicorn, listen
from filewright.server.access import Access, AllowedNames, Introspection
from filewright.server.calls import CallRunner
from filewright.server.shares import Shares
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.page.review import ReviewApp
    from filewright.workspace import Workspace

_logger = logging.getLogger(__name__)

PATH = "/mcp"
HEALTH = "/health"
"""The path that answers 200 to everyone, for load balancers and container probes."""
REVIEW = "/review"
LINGER_SECONDS = 5
"""The time for open responses after the process is asked to stop."""
DRAIN_STEP_SECONDS = 0.1
"""The time between two looks for running calls, and for an answer to be sent."""


class HttpTransport:
    """The transport over HTTP. It listens from the moment it is made.

    `calls` are the calls that `stop` waits for.
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
        # The library's own draining would cut off answers that are being made.
        AppStatus.enable_automatic_graceful_drain = False
        self._socket = listen(access.host, access.port)
        port = self._socket.getsockname()[1]
        names = access.allowed_names(port)
        app = _create_app(server, access, settings, port)
        app.router.routes.append(
            Route(HEALTH, _HEALTHY, methods=["GET", "HEAD"])
        )
        self._uvicorn = create_uvicorn(
            Shares(
                _check_bodies(app, settings.message_bytes),
                body_bytes=settings.message_bytes,
                open_paths=(HEALTH,),
            ),
            lifespan="on",
            http=TimedConnection,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=LINGER_SECONDS,
        )
        address = names.origins[0]
        if access.verifier:
            protection = "with a token"
        else:
            protection = "without authentication, this machine only"
        _logger.info("listening on %s%s (%s)", address, PATH, protection)
        self._review = _add_review(app, access, workspace, names)
        if self._review is not None:
            link = "/" if access.verifier else self._review.link()
            _logger.info("review page: %s%s%s", address, REVIEW, link)

    async def run(self) -> None:
        """Serve until `stop`, then let open responses end for a few seconds."""
        await self._uvicorn.serve(sockets=[self._socket])

    def stop(self) -> None:
        """Accept no more requests, and end `run` once the calls are answered."""
        self._uvicorn.should_exit = True
        if self._review is not None:
            self._review.leaving.set()
        if self._draining is None:
            self._draining = asyncio.ensure_future(self._drain())

    async def _drain(self) -> None:
        """End the event streams of clients, once no call needs one any more."""
        # Shorter than uvicorn's own limit, at which it cuts answers off.
        with anyio.move_on_after(LINGER_SECONDS - 2 * DRAIN_STEP_SECONDS):
            while not self._calls.is_idle:
                await asyncio.sleep(DRAIN_STEP_SECONDS)
        await asyncio.sleep(DRAIN_STEP_SECONDS)
        # A stream that ends now is no error.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        AppStatus.should_exit = True


def _create_app(
    server: Server[Any], access: Access, settings: Settings, port: int
) -> Starlette:
    """Return the SDK's application at /mcp."""
    names = access.allowed_names(port)
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.message_bytes,
        max_sessions=settings.http_sessions,
        session_idle_timeout=settings.http_idle_seconds,
        transport_security=TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[*names.hosts],
            allowed_origins=[*names.origins],
        ),
        host=access.host,
        auth=access.authentication(port),
        token_verifier=access.verifier,
    )


def _add_review(
    app: Starlette,
    access: Access,
    workspace: Workspace,
    names: AllowedNames,
) -> ReviewApp | None:
    """Add the review page; return None where an authorization server decides.

    Its tokens do not say who may see the page.
    """
    if isinstance(access.verifier, Introspection):
        return None
    from filewright.page.review import ReviewApp

    verify = access.verifier.verify_token if access.verifier else None
    review = ReviewApp(
        workspace, hosts=names.hosts, origins=names.origins, verify=verify
    )
    app.router.routes.append(Mount(REVIEW, review))
    return review


_HEALTHY = PlainTextResponse("ok\n")


def _check_bodies(app: ASGIApp, max_bytes: int) -> ASGIApp:
    """Return `app` behind checks that the SDK does not make.

    Host names are compared without regard to case (`test_ignores_case_of_host` fails
    without this); batches (`test_refuses_batch`), and messages with too many values
    (`test_refuses_too_many_values`), are refused. A body longer than `max_bytes` is
    passed on in part: the SDK refuses it.
    """

    async def checked_app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = [
            (name, value.lower() if name == b"host" else value)
            for name, value in scope["headers"]
        ]
        scope = {**scope, "headers": headers}
        if (
            scope["method"] != "POST"
            or scope["path"] != PATH
            or _declared_bytes(scope) > max_bytes
        ):
            await app(scope, receive, send)
            return
        pending: list[Message] = [await _receive_body(receive, max_bytes)]
        body = pending[0].get("body", b"")
        if body.lstrip().startswith(b"["):
            await _BATCH(scope, receive, send)
            return
        if has_too_many_values(body):
            await _TOO_MANY_VALUES(scope, receive, send)
            return
        # The SDK makes a copy of its own: two of a large body would be held.
        del body

        async def receive_pending() -> Message:
            return pending.pop() if pending else await receive()

        await app(scope, receive_pending, send)

    return checked_app


def _declared_bytes(scope: Scope) -> int:
    """Return the length that a request declares for its body, or 0."""
    for name, value in scope["headers"]:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0


async def _receive_body(receive: Receive, max_bytes: int) -> Message:
    """Return the parts of a body as one, up to the first beyond `max_bytes`."""
    content = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return message
        content += message.get("body", b"")
        has_more = message.get("more_body", False)
        if not has_more or len(content) > max_bytes:
            return {
                "type": "http.request",
                "body": bytes(content),
                "more_body": has_more,
            }


def _bad_request(text: str) -> JSONResponse:
    error = {"code": INVALID_REQUEST, "message": text}
    return JSONResponse(
        {"jsonrpc": "2.0", "id": None, "error": error}, status_code=400
    )


_BATCH = _bad_request("batches are not supported; send one message a request")
_TOO_MANY_VALUES = _bad_request(
    f"too_large: the message has more than {MAX_VALUES} values; "
    "send less in one call"
)
