"""`resources/subscribe` for files: a client hears when one that it subscribed to is another.

The files are looked at twice a second, a status each and no content, while anybody subscribes: so it is
the same on every file system, and nothing is watched by name behind the boundary's back.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import anyio
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError, NoBackChannelError

from filewright.boundary import Boundary, Location
from filewright.errors import Code, FilewrightError
from filewright.server.resources import FILE

_logger = logging.getLogger(__name__)

MOST = 200
"""Subscriptions of all clients together."""
_SECONDS = 0.5
_GONE = (MCPError, NoBackChannelError, anyio.ClosedResourceError, anyio.BrokenResourceError)


@dataclass(slots=True)
class _Subscription:
    session: ServerSession
    location: Location
    seen: tuple[int, ...] | None


class Subscriptions:
    """Who wants to hear of which files. In the event loop's thread."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._wanted: dict[tuple[str | None, str], _Subscription] = {}
        self._looking: asyncio.Task[None] | None = None

    def add(self, context: ServerRequestContext[Any, Any], client: str | None, uri: str) -> None:
        """Tell the client of that session of changes. Raises `not_found`, `too_large`, and as `locate`."""
        if not uri.startswith(FILE):
            raise FilewrightError(
                Code.NOT_FOUND, f"{uri} is no file", hint=f"subscribe to {FILE}PATH; a change stays as it is"
            )
        key = client, uri
        if key not in self._wanted and len(self._wanted) >= MOST:
            raise FilewrightError(
                Code.TOO_LARGE, f"there are {MOST} subscriptions", hint="give some of them back first"
            )
        location = self._boundary.locate(unquote(uri[len(FILE) :]))
        seen = self._boundary.identity_of(location)
        self._wanted[key] = _Subscription(context.session, location, seen)
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._look())

    def remove(self, client: str | None, uri: str) -> None:
        """Tell it no more."""
        self._wanted.pop((client, uri), None)

    async def _look(self) -> None:
        while self._wanted:
            await asyncio.sleep(_SECONDS)
            self._boundary.look_anew()
            for key, wanted in list(self._wanted.items()):
                now = self._boundary.identity_of(wanted.location)
                if now == wanted.seen or key not in self._wanted:
                    continue
                wanted.seen = now
                where = wanted.location
                if where.parts and self._boundary.rules_by_name(where.parent).denies(where.name, None):
                    continue
                try:
                    await wanted.session.send_resource_updated(key[1])
                except _GONE as error:
                    _logger.debug("%s is subscribed to no more: %s", key[1], error)
                    self._wanted.pop(key, None)
        self._looking = None
