"""Sockets, exit signals and uvicorn servers, for the review page and the MCP server."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

from filewright.errors import invalid

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp


def listen(
    host: str, port: int, *, hint: str = "choose another port"
) -> socket.socket:
    """Return a socket that listens; port 0 is any free one.

    Raises `invalid_input` for a port in use.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server(
            (host, port), family=family, backlog=256
        )
    except OSError as error:
        message = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise invalid(message, hint) from error
    # Connections inherit the option. asyncio sets it only on sockets created with the
    # number of the protocol.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


EXIT_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
]


def record_exit_signals() -> list[int]:
    """Return a list to which each signal that asks the process to end is appended.

    It is used until there is an event loop. An exception raised by the signal's handler
    would not end the process in order: the module being imported at that moment may
    turn it into another one.
    """
    received: list[int] = []
    for signal_number in EXIT_SIGNALS:
        signal.signal(
            signal_number,
            lambda signal_number, _: received.append(signal_number),
        )
    return received


def on_exit_signal(
    callback: Callable[[], None], received: Sequence[int] = ()
) -> None:
    """Call `callback` in the event loop at SIGINT, SIGTERM or SIGHUP.

    On Windows, at Ctrl+C or Ctrl+Break. At once if such a signal was `received` before.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    for signal_number in EXIT_SIGNALS:
        try:
            loop.add_signal_handler(signal_number, callback)
        except NotImplementedError:  # On Windows.
            signal.signal(
                signal_number, lambda *_: loop.call_soon_threadsafe(callback)
            )
    if received:
        loop.call_soon(callback)


def create_uvicorn(application: ASGIApp, **options: Any) -> uvicorn.Server:
    """Return a uvicorn server that does not handle signals.

    Its own handler would end the process in the middle of a change.
    """
    import uvicorn

    class ServerWithoutSignals(uvicorn.Server):
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
    return ServerWithoutSignals(config)
