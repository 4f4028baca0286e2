"""Connections of a process that listens: requests that must arrive in time, and no caller who holds them all.

uvicorn waits without end for a request that was begun, and answers 503 to everybody once too many connections are
open. So a request must arrive within a time, and when too many connections wait, of one address or of all together,
the one that has waited longest is closed. A client that sends its request at once never meets either limit.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS = 512
"""Connections at one time; uvicorn answers 503 to any more."""

HEADER_SECONDS = 10.0
"""How long the head of a request may take to arrive, from the connection's or its own first byte."""
BODY_PAUSE_SECONDS = 10.0
"""The longest pause between two pieces of a body."""
BODY_SECONDS = 300.0
"""How long a whole body may take: 256 MB at 1 MB/s."""
WAITING_PER_ADDRESS = 64
"""Connections of one address on which a request is still arriving."""
WAITING = 256
"""Connections of all addresses on which a request is still arriving or none has begun: half of uvicorn's limit,
so that requests which are whole always find a place."""


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
        if not self._answering() and self._waiting().get(self, True):
            self._wait(HEADER_SECONDS)

    def on_response_complete(self) -> None:
        """The next request on this connection has its own time; an idle one has uvicorn's, which is shorter."""
        super().on_response_complete()  # It may have begun the next one, if that had arrived.
        if not self._answering():
            self._wait(HEADER_SECONDS, idle=True)

    def _answering(self) -> bool:
        """Whether the head of a request has arrived and its answer is not sent; then only a body is waited for."""
        if self.cycle is None or self.cycle.response_complete:
            return False
        if not self.cycle.more_body:
            self._wait(None)
        else:
            now = self.loop.time()
            self._body_ends = self._body_ends or now + BODY_SECONDS
            self._wait(min(BODY_PAUSE_SECONDS, max(0.0, self._body_ends - now)))
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._wait(None)
        super().connection_lost(exc)

    def _wait(self, seconds: float | None, *, idle: bool = False) -> None:
        """Wait so long for the rest of the request, or for one to begin; None: it has arrived."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting = self._waiting()
        waiting.pop(self, None)
        if seconds is None or idle:
            self._body_ends = 0.0
        if seconds is None:
            return
        self._timer = self.loop.call_later(seconds, self._give_up)
        waiting[self] = idle
        begun = [
            other
            for other, rests in waiting.items()
            if not rests and other._address == self._address
        ]
        if len(begun) > WAITING_PER_ADDRESS:
            begun[0]._give_up()
        elif len(waiting) > WAITING:
            next(iter(waiting))._give_up()

    def _waiting(self) -> dict[TimedConnection, bool]:
        """The connections on which no whole request is, the one that waits longest first; True: none has begun."""
        waiting: dict[TimedConnection, bool] = self.app_state.setdefault(
            "filewright.waiting", {}
        )
        return waiting

    @property
    def _address(self) -> str | None:
        return self.client[0] if self.client else None

    def _give_up(self) -> None:
        self._wait(None)
        if self.transport is not None:
            self.transport.abort()
