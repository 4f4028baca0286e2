"""Who may see the page and who may act on it: checked here, for every request, before anything else is.

A page on loopback can be reached by every site that the person's browser shows and by every program on the
machine. So the address that is opened holds a link that works once; it becomes a cookie that no script can
read and no other site can send. Requests for another host (a name rebound to loopback) or from another
origin are refused, and a request that changes something must carry a token that only the page was given.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
from collections.abc import Awaitable, Callable, Collection, Mapping
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import Request, cookie_parser
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from filewright.page.render import render

ENTER = "/enter"
TOKEN_HEADER = "x-filewright-token"  # noqa: S105  a header's name
_OPEN = ("/static/",)
"""What anybody may have: the same files for everybody."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Keys:
    """The secrets of one run: the links that open the page once, the cookie and the token for changes."""

    def __init__(self, name: str) -> None:
        self.cookie = f"filewright_{name}"
        self._secret = secrets.token_bytes(32)
        self._links: set[str] = set()
        self._lock = threading.Lock()

    def link(self) -> str:
        """A token that `enter` accepts once."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._links.add(sha256(token.encode()).hexdigest())
        return token

    def enter(self, token: str) -> bool:
        """Whether `token` is one of `link` that was not used; now it is."""
        digest = sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            if digest not in self._links:
                return False
            self._links.remove(digest)
            return True

    @property
    def session(self) -> str:
        """What the cookie holds."""
        return self._derived(b"cookie")

    @property
    def changing(self) -> str:
        """What a request that changes something must carry."""
        return self._derived(b"change")

    def _derived(self, purpose: bytes) -> str:
        return hmac.new(self._secret, purpose, sha256).hexdigest()


_BODY = 1 << 14
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
        keys: Keys,
        hosts: Collection[str],
        origins: Collection[str] = (),
        verify: Verify | None = None,
        entered: Callable[[], None] = lambda: None,
    ) -> None:
        self._app = app
        self._keys = keys
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)
        self._verify = verify
        self._entered = entered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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

        answer = self._settled(scope)
        if answer is None and self._verify is not None and _path(scope) == ENTER:
            answer = await self._admit(Request(scope, receive), self._verify)
        await (answer or self._app)(scope, receive, guarded)

    def _settled(self, scope: Scope) -> Response | None:
        """The answer to a request that is settled here; None for one that may go on."""
        headers = Headers(scope=scope)
        path, method = _path(scope), scope["method"]
        if headers.get("host", "").lower() not in self._hosts:
            return _refused(421, "This address is not one the review page answers to.")
        token = QueryParams(scope["query_string"]).get("token")
        if path == ENTER and (token is not None or self._verify is None):
            return self._enter(scope, headers, token or "")
        if not self._from_here(headers):
            return _refused(403, "Another site asked for this page. Open it by its own address.")
        if path.startswith(_OPEN) or path == ENTER:
            return None
        if not hmac.compare_digest(_cookie(headers, self._keys.cookie), self._keys.session.encode()):
            if self._verify is not None and path == "/":
                return RedirectResponse(f"{scope.get('root_path', '')}{ENTER}", status_code=303)
            return _refused(403, "This page opens with the link that filewright printed in the terminal.")
        if method not in ("GET", "HEAD"):
            given = headers.get(TOKEN_HEADER, "").encode("utf-8", "surrogateescape")
            if not hmac.compare_digest(given, self._keys.changing.encode()):
                return _refused(403, "This request lacks the page's token. Reload the page.")
        return None

    def _enter(self, scope: Scope, headers: Headers, token: str) -> Response:
        # A link may be followed from anywhere, but only as a page of its own, not as a part of another.
        if headers.get("sec-fetch-dest", "document") != "document" or scope["method"] != "GET":
            return _refused(403, "This link opens a page of its own.")
        if not self._keys.enter(token):
            return _refused(
                403, "This link was used before, or is not one of this page. The terminal shows a new one."
            )
        self._entered()
        # Not a redirect: a strict cookie is not sent on with one that another site began.
        return self._with_cookie(scope, HTMLResponse(render("entered.html", base=scope.get("root_path", ""))))

    async def _admit(self, request: Request, verify: Verify) -> Response:
        """Ask for an access token, or let in whoever sent one."""
        if request.method != "POST":
            return HTMLResponse(render("enter.html", base=request.scope.get("root_path", "")))
        body = await body_of(request, _BODY)
        if body is None:
            return JSONResponse({"message": "This is no token."}, status_code=413)
        try:
            token = json.loads(body)["token"]
        except (ValueError, TypeError, KeyError):
            token = None
        if not isinstance(token, str) or await verify(token) is None:
            return JSONResponse({"message": "This token is not one of this server's."}, status_code=403)
        return self._with_cookie(request.scope, JSONResponse({}))

    def _with_cookie(self, scope: Scope, response: Response) -> Response:
        response.set_cookie(
            self._keys.cookie,
            self._keys.session,
            httponly=True,
            samesite="strict",
            path=scope.get("root_path", "") or "/",
            secure=scope.get("scheme") == "https",
        )
        return response

    def _from_here(self, headers: Mapping[str, str]) -> bool:
        """Whether the page itself asks, or a person by its address; browsers say so, programs say nothing."""
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return False
        origin = headers.get("origin")
        return (
            origin is None
            or origin in self._origins
            or origin.partition("://")[2].lower() == headers.get("host", "").lower()
        )


async def body_of(request: Request, most: int) -> bytes | None:
    """The body of a request; None if it has more than `most` bytes."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > most:
            return None
    return body


def _path(scope: Scope) -> str:
    """The path below the page's own address."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _cookie(headers: Mapping[str, str], name: str) -> bytes:
    # Not the library's parser: one malformed cookie of another page on this host would hide all others.
    return cookie_parser(headers.get("cookie", "")).get(name, "").encode("utf-8", "surrogateescape")


def _refused(status: int, why: str) -> Response:
    return HTMLResponse(render("refused.html", why=why), status_code=status)
