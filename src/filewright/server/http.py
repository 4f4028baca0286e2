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
from mcp.server.auth.settings import AuthSettings
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST
from sse_starlette.sse import AppStatus
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from filewright.listening import listen, uvicorn_of
from filewright.server.access import Access, is_loopback
from filewright.server.calls import CallRunner
from filewright.server.connections import TimedConnection
from filewright.server.tokens import Bearer, Introspection
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.page import ReviewApp
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
CONNECTIONS = 512


class HttpTransport:
    """Listens from the moment it is made; `run` serves until `stop`.

    `calls` are those that `stop` lets end.
    """

    def __init__(
        self,
        server: Server[Any],
        access: Access,
        calls: CallRunner,
        *,
        settings: Settings,
        workspace: Workspace | None = None,
    ) -> None:
        self._calls = calls
        self._draining: asyncio.Task[None] | None = None
        AppStatus.enable_automatic_graceful_drain = False  # it would cut off answers being made
        self._socket = listen(access.host, access.port)
        port = self._socket.getsockname()[1]
        self._review = _review(workspace, access, port)
        self._uvicorn = uvicorn_of(
            application(server, access, port, settings, review=self._review),
            lifespan="on",
            http=TimedConnection,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=LINGER,
        )
        shown = f"[{access.host}]" if ":" in access.host else access.host
        guarded = (
            "with a token" if access.bearer or access.oauth else "without authentication, this machine only"
        )
        _logger.info("listening on http://%s:%d%s (%s)", shown, port, PATH, guarded)
        if self._review is not None:
            link = "/" if access.bearer else self._review.link()
            _logger.info("review page: http://%s:%d%s%s", shown, port, REVIEW, link)

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
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # a stream that ends here is no error
        AppStatus.should_exit = True


def _review(workspace: Workspace | None, access: Access, port: int) -> ReviewApp | None:
    """The review page, where it is known who may see it."""
    if workspace is None or access.oauth is not None:
        return None
    from filewright.page import ReviewApp

    hosts, origins = _served_as(access, port)
    return ReviewApp(
        workspace,
        hosts=hosts,
        origins=origins,
        verify=access.bearer.verify_token if access.bearer is not None else None,
    )


def application(
    server: Server[Any], access: Access, port: int, settings: Settings, *, review: ReviewApp | None = None
) -> Starlette:
    """The ASGI application: `/mcp`, `/health`, the `review` page; the protected resource metadata with OAuth."""
    auth: AuthSettings | None = None
    verifier: Bearer | Introspection | None = access.bearer
    if access.oauth is not None:
        verifier = access.oauth.introspection
        auth = AuthSettings.model_validate(  # as text, so that no slash is added to the issuer
            {
                "issuer_url": access.oauth.issuer,
                "resource_server_url": access.oauth.introspection.resource,
                "required_scopes": list(access.oauth.scopes) or None,
                "validate_token_resource": True,
            }
        )
    elif access.bearer is not None:
        issuer = access.public_url or _served_as(access, port)[1][0]
        auth = AuthSettings.model_validate({"issuer_url": issuer, "resource_server_url": None})
    hosts, origins = _served_as(access, port)
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
        auth=auth,
        token_verifier=verifier,
    )
    served.router.routes.append(Route(HEALTH, _health, methods=["GET", "HEAD"]))
    if review is not None:
        served.router.routes.append(Mount(REVIEW, review))
    served.add_middleware(_Doorman)
    return served


def _health(_request: Request) -> Response:
    return PlainTextResponse("ok\n")


class _Doorman:
    """What is settled before the SDK looks: host names without regard to case, no batches."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = [(name, value.lower() if name == b"host" else value) for name, value in scope["headers"]]
        scope = {**scope, "headers": headers}
        if scope["method"] != "POST" or scope["path"] != PATH:
            await self._app(scope, receive, send)
            return
        first = await receive()
        if first.get("body", b"").lstrip().startswith(b"["):
            await _BATCH(scope, receive, send)
            return
        pending = [first]

        async def rest() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, rest, send)


_BATCH = JSONResponse(
    {
        "jsonrpc": "2.0",
        "id": None,
        "error": {
            "code": INVALID_REQUEST,
            "message": "batches are not supported; send one message a request",
        },
    },
    status_code=400,
)


def _served_as(access: Access, port: int) -> tuple[list[str], list[str]]:
    """The hosts and the origins by which requests may name this server."""
    names = [f"[{access.host}]" if ":" in access.host else access.host]
    if is_loopback(access.host):
        names += ["localhost", "127.0.0.1", "[::1]"]
    hosts = [f"{name}:{port}" for name in names]
    origins = [f"http://{host}" for host in hosts]
    if port in (80, 443):
        hosts += names
    if access.public_url:
        origins.append("/".join(access.public_url.split("/")[:3]))
        hosts.append(origins[-1].partition("://")[2])
    return [host.lower() for host in (*hosts, *access.hosts)], [*origins, *access.origins]
