"""A request that does not arrive in time closes its connection; the clock is the test's own."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from filewright.connections import (
    BODY_PAUSE_SECONDS,
    BODY_SECONDS,
    HEADER_SECONDS,
    MAX_WAITING,
    MAX_WAITING_PER_ADDRESS,
    TimedConnection,
)

BEGUN = b"POST /mcp HTTP/1.1\r\nHost: tools.example\r\n"
HEAD = BEGUN + b"Content-Length: 900\r\n\r\n"


class Timer:
    """What an event loop gives for a call later on."""

    def __init__(
        self, call: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> None:
        self._call = call
        self._arguments = arguments
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def run(self) -> None:
        if not self.cancelled:
            self._call(*self._arguments)


class Task:
    """What an event loop gives for a task."""

    def add_done_callback(self, done: Callable[..., Any]) -> None:
        """It never ends."""


class Loop:
    """An event loop whose time passes when the test says so; it runs no task."""

    def __init__(self) -> None:
        self._now = 0.0
        self._timers: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()

    def time(self) -> float:
        return self._now

    def call_later(
        self, delay: float, call: Callable[..., Any], *arguments: Any
    ) -> Timer:
        timer = Timer(call, arguments)
        heapq.heappush(
            self._timers, (self._now + delay, next(self._order), timer)
        )
        return timer

    def create_task(self, task: Coroutine[Any, Any, Any], **_: Any) -> Task:
        task.close()
        return Task()

    def wait(self, seconds: float) -> None:
        """Let so much time pass."""
        end = self._now + seconds
        while self._timers and self._timers[0][0] <= end:
            self._now, _, timer = heapq.heappop(self._timers)
            timer.run()
        self._now = end


class Wire(asyncio.Transport):
    """A connection's other end."""

    def __init__(self, address: str) -> None:
        super().__init__(
            {"peername": (address, 4711), "sockname": ("127.0.0.1", 80)}
        )
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.aborted

    def pause_reading(self) -> None:
        """Nothing is read here."""

    def resume_reading(self) -> None:
        """Nothing is read here."""


Connect = Callable[..., tuple[TimedConnection, Wire]]


@pytest.fixture
def loop() -> Loop:
    return Loop()


@pytest.fixture
def connect(loop: Loop) -> Connect:
    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        """Never run."""

    config = Config(
        app=app,
        http=TimedConnection,
        interface="asgi3",
        lifespan="off",
        log_config=None,
    )
    config.load()
    state: dict[str, Any] = {}

    def connected(address: str = "192.0.2.1") -> tuple[TimedConnection, Wire]:
        wire = Wire(address)
        connection = TimedConnection(config, ServerState(), state, loop)
        connection.connection_made(wire)
        return connection, wire

    return connected


@pytest.mark.parametrize(
    "pieces", [[], [BEGUN], [BEGUN, b"X-One: 1\r\n", b"X-Two: 2\r\n"]]
)
def test_a_head_has_its_time_however_it_comes(
    connect: Connect, loop: Loop, pieces: list[bytes]
) -> None:
    """Pieces of a head do not prolong it."""
    connection, wire = connect()
    for piece in pieces:
        connection.data_received(piece)
        loop.wait(HEADER_SECONDS / 4)
    loop.wait(HEADER_SECONDS - loop.time() - 0.1)
    assert not wire.aborted
    loop.wait(0.2)
    assert wire.aborted


def test_a_body_may_pause_for_a_while_only(
    connect: Connect, loop: Loop
) -> None:
    connection, wire = connect()
    connection.data_received(HEAD)
    for _ in range(3):
        loop.wait(BODY_PAUSE_SECONDS - 0.1)
        connection.data_received(b".")
    assert not wire.aborted
    loop.wait(BODY_PAUSE_SECONDS + 0.1)
    assert wire.aborted


def test_a_body_that_trickles_for_ever_has_an_end(
    connect: Connect, loop: Loop
) -> None:
    connection, wire = connect()
    connection.data_received(HEAD)
    while not wire.aborted and loop.time() < 2 * BODY_SECONDS:
        loop.wait(BODY_PAUSE_SECONDS / 2)
        if not wire.aborted:
            connection.data_received(b".")
    assert BODY_SECONDS <= loop.time() <= BODY_SECONDS + BODY_PAUSE_SECONDS


def test_a_request_that_has_arrived_may_take_its_time(
    connect: Connect, loop: Loop
) -> None:
    """The limits are of what arrives, not of how long a tool works."""
    connection, wire = connect()
    connection.data_received(HEAD + b"." * 900)
    loop.wait(10 * BODY_SECONDS)
    assert not wire.aborted


def test_an_address_holds_a_number_of_places(connect: Connect) -> None:
    """One more than that, and the one that waits longest is closed; another address is not touched."""
    _, other = connect("192.0.2.2")
    wires = [connect()[1] for _ in range(MAX_WAITING_PER_ADDRESS)]
    assert not any(wire.aborted for wire in wires)
    connect()
    assert [wire.aborted for wire in wires] == [True] + [False] * (
        MAX_WAITING_PER_ADDRESS - 1
    )
    assert not other.aborted


def test_all_addresses_together_hold_a_number_of_places(
    connect: Connect,
) -> None:
    """However many addresses there are, whole requests find a place; idle connections make room, too."""
    wires = [connect(f"192.0.2.{number}")[1] for number in range(MAX_WAITING)]
    answered, answering = connect("198.51.100.1")
    answered.data_received(HEAD + b"." * 900)
    assert [wire.aborted for wire in wires] == [True] + [False] * (
        MAX_WAITING - 1
    )
    for number in range(MAX_WAITING):
        connect(f"203.0.113.{number}")
    assert all(wire.aborted for wire in wires)
    assert not answering.aborted
