"""Who may see the page and who may act on it: checked here, for every request, before anything else is.

A page on loopback can be reached by every site that the person's browser shows and by every program of the
machine, and a cookie for it would be sent to every other port. So there is none. Anybody is given the same empty
page and its scripts. The address that a person opens holds a token behind `#`, which no browser sends; the script
exchanges it, once, for a key, keeps that in its tab, and sends it in a header with each request. Without that
header, or for another host (a name rebound to loopback) or from another origin, a request is refused here, by
something that knows nothing of the workspace.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from hashlib import sha256
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from filewright.page.render import render, static

KEY_HEADER = "x-filewright-key"
_ENTER = "/enter"
_STATIC = "/static/"
_PAGES = ("/change/", "/prompt/", "/session/", "/since/")
"""Addresses of the page, besides the first: each is the empty page, unless a `part` of it is asked for."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_TOKEN_BYTES = 1 << 14
"""Bytes of a request that brings a token."""

Verify = Callable[[str], Awaitable[object | None]]
"""Who has this access token; None if it is nobody's."""


class Guard:
    """The ASGI application `app`, for those who may use it. `hosts` are the values of Host it answers to.

    Besides its own address a page is at home at `origins`, as behind a proxy. `verify` lets those in who have
    an access token. `entered` is called when a link has been used.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        origins: Collection[str] = (),
        verify: Verify | None = None,
        entered: Callable[[], None] = lambda: None,
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)
        self._verify = verify
        self._entered = entered
        self._key = secrets.token_urlsafe(32)
        self._links: set[str] = set()

    def link(self) -> str:
        """What follows the page's own address to open it once."""
        token = secrets.token_urlsafe(32)
        self._links.add(_digest(token))
        return f"/#token={token}"

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer, or refuse, one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = await self._settled(Request(scope, receive))
        await (answer or self._app)(scope, receive, guarded)

    async def _settled(self, request: Request) -> Response | None:
        """The answer to a request that is settled here; None for one that has the key."""
        base = request.scope.get("root_path", "")
        path = request.scope["path"].removeprefix(base)
        if request.headers.get("host", "").lower() not in self._hosts:
            return _refused(
                421, "This address is not one the review page answers to."
            )
        if request.method in ("GET", "HEAD"):
            if path.startswith(_STATIC):
                return _file(path.removeprefix(_STATIC))
            if "part" not in request.query_params and (
                path == "/" or path.startswith(_PAGES)
            ):
                theme, split = (
                    request.cookies.get(f"filewright_{name}")
                    for name in ("theme", "split")
                )
                theme = theme if theme in ("light", "dark") else "auto"
                asks = self._verify is not None
                return HTMLResponse(
                    render(
                        "page.html",
                        base=base,
                        theme=theme,
                        split=split == "1",
                        asks=asks,
                    )
                )
        if not self._from_here(request.headers):
            return _refused(
                403,
                "Another site asked for this page. Open it by its own address.",
            )
        if path == _ENTER and request.method == "POST":
            return await self._enter(request)
        given = request.headers.get(KEY_HEADER, "").encode(
            "utf-8", "surrogateescape"
        )
        if not hmac.compare_digest(given, self._key.encode()):
            return _refused(
                403,
                "This page opens with the address that filewright printed in the terminal.",
            )
        return None

    async def _enter(self, request: Request) -> Response:
        """The key, for a link that was not used or for an access token."""
        given = await json_of(request, _TOKEN_BYTES)
        token = given.get("token") if isinstance(given, dict) else None
        if isinstance(token, str):
            if _digest(token) in self._links:
                self._links.remove(_digest(token))
                self._entered()
                return JSONResponse({"key": self._key})
            if (
                self._verify is not None
                and await self._verify(token) is not None
            ):
                return JSONResponse({"key": self._key})
        if self._verify is not None:
            return JSONResponse(
                {"message": "This token is not one of this server's."},
                status_code=403,
            )
        why = "This address was used before, or is not one of this page. The terminal shows a new one."
        return JSONResponse({"message": why}, status_code=403)

    def _from_here(self, headers: Mapping[str, str]) -> bool:
        """Whether the page itself asks, or a person by its address; browsers say so, programs say nothing."""
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False
        origin = headers.get("origin")
        return (
            origin is None
            or origin in self._origins
            or origin.partition("://")[2].lower()
            == headers.get("host", "").lower()
        )


async def json_of(request: Request, most: int) -> Any:
    """The JSON of a request; None for what has more than `most` bytes, is none, or holds what no text can."""
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > most:
                return None
    except ClientDisconnect:
        return None
    try:
        given = json.loads(body)
        json.dumps(
            given, ensure_ascii=False
        ).encode()  # fails for a lone surrogate
    except (ValueError, RecursionError):
        return None
    return given


def _file(name: str) -> Response:
    try:
        content, media = static(name)
    except KeyError:
        return _refused(404, "There is no such file.")
    return Response(
        content, media_type=media, headers={"cache-control": "max-age=3600"}
    )


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _refused(status: int, why: str) -> Response:
    return PlainTextResponse(f"{why}\n", status_code=status)
