"""The gate of the review page: every request is checked here before anything else.

A page on loopback can be reached by every site in the person's browser and by every
program of the machine, and a cookie for it would be sent to every other port. So the
page has no cookie that admits anyone. Every visitor is given the same empty page and
its scripts. The address that the person opens holds a token behind `#`, which no
browser sends. The script exchanges the token, once, for a key, keeps the key in its
tab, and sends it in a header with each request.

A request without that header, for another host (a name that was rebound to loopback)
or from another origin is refused here, by code that knows nothing of the workspace.
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

from filewright.page.render import SCRIPTS, read_static_file, render

KEY_HEADER = "x-filewright-key"
_STATIC = "/static/"
_PAGES = (
    "/change/",
    "/prompt/",
    "/session/",
    "/since/",
    "/new/",
    "/file/",
    "/blame/",
    "/between/",
    "/find/",
)
"""Addresses that answer with the empty page unless a `part` of them is requested."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_MAX_TOKEN_BYTES = 1 << 14
"""Bytes of a request that brings a token; anyone may send one, so it is small."""

VerifyToken = Callable[[str], Awaitable[object | None]]
"""A check of an access token; it returns None for an unknown one."""


class Gate:
    """The gate before an ASGI application.

    It answers to `hosts`, the values of the Host header. Behind a proxy, scripts from
    `origins` are those of the page too. `verify` admits callers with an access token.
    `on_enter` is called when a link has been used.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str],
        origins: Collection[str] = (),
        verify: VerifyToken | None = None,
        on_enter: Callable[[], None] = lambda: None,
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)
        self._verify = verify
        self._on_enter = on_enter
        self._key = secrets.token_urlsafe(32)
        self._link_digests: set[str] = set()

    def link(self) -> str:
        """Return a link, relative to the page's address, that works once."""
        token = secrets.token_urlsafe(32)
        self._link_digests.add(_digest(token))
        return f"/#token={token}"

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer or refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for header_name, header_value in HEADERS.items():
                    headers.setdefault(header_name, header_value)
            await send(message)

        response = await self._respond(Request(scope, receive))
        await (response or self._app)(scope, receive, send_with_headers)

    async def _respond(self, request: Request) -> Response | None:
        """Return the response to a request, or None to pass it on.

        Only a request with the key is passed on.
        """
        base = request.scope.get("root_path", "")
        path = request.scope["path"].removeprefix(base)
        if request.headers.get("host", "").lower() not in self._hosts:
            return _refuse(
                421, "The review page does not answer at this address."
            )
        if request.method in ("GET", "HEAD"):
            if path.startswith(_STATIC):
                return _static_file(path.removeprefix(_STATIC))
            is_page = path == "/" or path.startswith(_PAGES)
            if is_page and "part" not in request.query_params:
                return self._empty_page(request, base)
        if not self._is_same_origin(request.headers):
            return _refuse(
                403,
                "Another site asked for this page. Open it by its own address.",
            )
        if path == "/enter" and request.method == "POST":
            return await self._enter(request)
        sent_key = request.headers.get(KEY_HEADER, "")
        sent_key_bytes = sent_key.encode("utf-8", "surrogateescape")
        # The time of this comparison tells nothing about the key.
        if not hmac.compare_digest(sent_key_bytes, self._key.encode()):
            return _refuse(
                403,
                "This page opens with the address that filewright printed in "
                "the terminal.",
            )
        return None

    def _empty_page(self, request: Request, base: str) -> Response:
        """Return the page without content, in the theme that its cookies name."""
        theme = request.cookies.get("filewright_theme")
        if theme not in ("light", "dark"):
            theme = "auto"
        html = render(
            "page.html",
            base=base,
            theme=theme,
            split=request.cookies.get("filewright_split") == "1",
            asks=self._verify is not None,
            scripts=SCRIPTS,
        )
        return HTMLResponse(html)

    async def _enter(self, request: Request) -> Response:
        """Return the key for the token of an unused link, or for an access token."""
        body = await read_json(request, _MAX_TOKEN_BYTES)
        token = body.get("token") if isinstance(body, dict) else None
        if isinstance(token, str):
            digest = _digest(token)
            if digest in self._link_digests:
                # A link works once: it may stay in the browser's history.
                self._link_digests.remove(digest)
                self._on_enter()
                return JSONResponse({"key": self._key})
            if (
                self._verify is not None
                and await self._verify(token) is not None
            ):
                return JSONResponse({"key": self._key})
        if self._verify is not None:
            message = "This server does not know this token."
        else:
            message = (
                "This address was used before, or belongs to another page. "
                "The terminal shows a new one."
            )
        return JSONResponse({"message": message}, status_code=403)

    def _is_same_origin(self, headers: Mapping[str, str]) -> bool:
        """Return True for a request by the page's own script, or by no browser.

        Browsers name the origin of a request; other programs do not.
        """
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False
        origin = headers.get("origin")
        if origin is None or origin in self._origins:
            return True
        host = headers.get("host", "").lower()
        return origin.partition("://")[2].lower() == host


async def read_json(request: Request, max_bytes: int) -> Any:
    """Return the JSON of a request.

    Return None for a longer body, for invalid JSON, and for a lone surrogate in it,
    which no text can hold.
    """
    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > max_bytes:
                return None
    except ClientDisconnect:
        return None
    try:
        content = json.loads(body)
        # JSON may escape a lone surrogate, which cannot be encoded.
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return None
    return content


def _static_file(name: str) -> Response:
    try:
        content, media_type = read_static_file(name)
    except KeyError:
        return _refuse(404, "There is no such file.")
    return Response(
        content,
        media_type=media_type,
        headers={"cache-control": "max-age=3600"},
    )


def _digest(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _refuse(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status_code=status)
