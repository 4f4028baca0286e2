"""HTTP connections that may not wait for ever: time for a request to arrive, places for an address.

uvicorn waits without end for a request that was begun, and answers 503 to everybody once too many
connections are open. So a request must arrive within a time, and when one address holds too many
connections on which a request is still arriving, the one that has waited longest is closed. A client
that sends its request at once never meets either limit.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""How long the head of a request may take to arrive, from the connection's or its own first byte."""
BODY_PAUSE_SECONDS = 10.0
"""The longest pause between two pieces of a body."""
BODY_SECONDS = 300.0
"""How long a whole body may take: 256 MB at 1 MB/s."""
WAITING_PER_ADDRESS = 64
"""Connections of one address on which a request is still arriving."""


class TimedConnection(H11Protocol):
    """An HTTP/1.1 connection that is closed when its request does not arrive in time."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._body_ends = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait(HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait for the rest if the request is not whole yet."""
        super().data_received(data)
        answering = self.cycle is not None and not self.cycle.response_complete
        if not answering:
            if self._timer is None:
                self._wait(HEADER_SECONDS)
        elif not self.cycle.more_body:
            self._wait(None)
        else:
            now = self.loop.time()
            self._body_ends = self._body_ends or now + BODY_SECONDS
            self._wait(min(BODY_PAUSE_SECONDS, max(0.0, self._body_ends - now)))

    def on_response_complete(self) -> None:
        """The next request on this connection has its own time; an idle one has uvicorn's."""
        self._wait(None)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._wait(None)
        super().connection_lost(exc)

    def _wait(self, seconds: float | None) -> None:
        """Wait so long for the rest of the request; None: it has arrived."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting = self._waiting()
        waiting.pop(self, None)
        if seconds is None:
            self._body_ends = 0.0
            return
        self._timer = self.loop.call_later(seconds, self._give_up)
        waiting[self] = None
        mine = [other for other in waiting if self._address(other) == self._address(self)]
        if len(mine) > WAITING_PER_ADDRESS:
            mine[0]._give_up()

    def _waiting(self) -> dict[TimedConnection, None]:
        """The connections on which a request is still arriving, the one that waits longest first."""
        waiting: dict[TimedConnection, None] = self.app_state.setdefault("filewright.waiting", {})
        return waiting

    @staticmethod
    def _address(connection: TimedConnection) -> str | None:
        return connection.client[0] if connection.client else None

    def _give_up(self) -> None:
        self._wait(None)
        if self.transport is not None:
            self.transport.abort()
