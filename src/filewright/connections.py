"""HTTP connections with a time limit for each request, and a limit for each address.

uvicorn waits without end for the rest of a request, and answers 503 to every client
once too many connections are open. Here a request must arrive within a time limit. If
too many connections wait for their request, from one address or in all, the one that
has waited longest is closed. A client that sends its request at once never meets either
limit. With uvicorn's own connections `test_unfinished_requests` and
`test_unfinished_bodies` fail.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 512
"""The most open connections; uvicorn answers 503 to any more."""

HEADER_SECONDS = 10.0
"""The time for the head of a request to arrive.

It counts from the start of the connection, or from the first byte of a later request.
"""
BODY_PAUSE_SECONDS = 10.0
"""The longest pause between two pieces of a body."""
BODY_SECONDS = 300.0
"""The time for a whole body to arrive: 256 MB at 1 MB/s."""
MAX_WAITING_PER_ADDRESS = 64
"""The most connections of one address on which a request is arriving."""
MAX_WAITING = 256
"""The most connections without a complete request.

Half of uvicorn's limit, so that complete requests always find a place.
"""


class TimedConnection(H11Protocol):
    """An HTTP/1.1 connection that is closed if its request does not arrive in time."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._timer: asyncio.TimerHandle | None = None
        self._body_deadline = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer of the first request."""
        super().connection_made(transport)
        self._set_timer(HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Pass data on, and start the timer of a request that has begun."""
        super().data_received(data)
        if self._is_answering():
            self._time_body()
        elif self._waiting_connections().get(self, True):
            # The first data of a request: later pieces of its head do not prolong it.
            self._set_timer(HEADER_SECONDS)

    def on_response_complete(self) -> None:
        """Start the timer of the next request."""
        # This may begin the next request, if it has arrived already.
        super().on_response_complete()
        if self._is_answering():
            self._time_body()
        else:
            # uvicorn's own timer, which is shorter, closes a connection that stays
            # idle.
            self._set_timer(HEADER_SECONDS, idle=True)

    def _is_answering(self) -> bool:
        """Return True if a request has its head and its answer is not sent."""
        return self.cycle is not None and not self.cycle.response_complete

    def _time_body(self) -> None:
        """Set the timer of the rest of a body, or stop it if the body has arrived."""
        if not self.cycle.more_body:
            self._set_timer(None)
            return
        now = self.loop.time()
        self._body_deadline = self._body_deadline or now + BODY_SECONDS
        self._set_timer(
            min(BODY_PAUSE_SECONDS, max(0.0, self._body_deadline - now))
        )

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._set_timer(None)
        super().connection_lost(exc)

    def _set_timer(self, seconds: float | None, *, idle: bool = False) -> None:
        """Abort the connection unless its request arrives within `seconds`.

        None stops the timer. An idle connection waits for a request to begin.
        """
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting = self._waiting_connections()
        waiting.pop(self, None)
        if seconds is None or idle:
            self._body_deadline = 0.0
        if seconds is None:
            return
        self._timer = self.loop.call_later(seconds, self._abort)
        waiting[self] = idle
        # An idle connection costs little, and browsers keep several open.
        same_address = [
            other
            for other, is_idle in waiting.items()
            if not is_idle and other._address == self._address
        ]
        if len(same_address) > MAX_WAITING_PER_ADDRESS:
            same_address[0]._abort()
        elif len(waiting) > MAX_WAITING:
            next(iter(waiting))._abort()

    def _waiting_connections(self) -> dict[TimedConnection, bool]:
        """Return the connections without a complete request, the oldest wait first.

        The value is True for an idle connection, on which no request has begun.
        """
        waiting: dict[TimedConnection, bool] = self.app_state.setdefault(
            "filewright.waiting", {}
        )
        return waiting

    @property
    def _address(self) -> str | None:
        return self.client[0] if self.client else None

    def _abort(self) -> None:
        self._set_timer(None)
        if self.transport is not None:
            self.transport.abort()
