"""What a process that listens needs, be it the review page or the server: its socket, its signals, its uvicorn."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

from filewright.errors import invalid

if TYPE_CHECKING:
    import socket

    import uvicorn
    from starlette.types import ASGIApp


def listen(host: str, port: int, *, hint: str = "choose another port") -> socket.socket:
    """A socket that listens; port 0 is any free one. Raises `invalid_input` for one that is taken."""
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        message = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise invalid(message, hint) from error
    # Connections inherit it; asyncio sets it only where the socket was made by the number of the protocol.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]


def record_exit_signals() -> list[int]:
    """The signals that tell the process to end, noted while there is no event loop yet.

    Raising an exception at one would not end it in order: what loads at that moment may make another of it.
    """
    noted: list[int] = []
    for number in _SIGNALS:
        signal.signal(number, lambda number, _: noted.append(number))
    return noted


def on_exit_signal(leave: Callable[[], None], noted: Sequence[int] = ()) -> None:
    """Have `leave` called in the event loop at SIGINT, SIGTERM or SIGHUP; on Windows at Ctrl+C or Ctrl+Break.

    At once, if such a signal was `noted` before.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        try:
            loop.add_signal_handler(number, leave)
        except NotImplementedError:  # On Windows.
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(leave))
    if noted:
        loop.call_soon(leave)


def create_uvicorn(application: ASGIApp, **options: Any) -> uvicorn.Server:
    """A uvicorn that leaves the signals to us: a change that is being made must end first."""
    import uvicorn

    class SignalsLeft(uvicorn.Server):
        @contextlib.contextmanager
        def capture_signals(self) -> Generator[None, None, None]:
            yield

    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        **options,
    )
    return SignalsLeft(config)
