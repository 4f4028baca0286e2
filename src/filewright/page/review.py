"""The review page on loopback, from the socket to the last answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from filewright.connections import MAX_CONNECTIONS, TimedConnection
from filewright.listening import create_uvicorn, listen, on_exit_signal
from filewright.page.gate import Gate, VerifyToken
from filewright.page.site import ReviewSite
from filewright.workspace import Workspace

HOST = "127.0.0.1"
LINGER_SECONDS = 2
"""The time for open responses after the server is asked to end."""


class ReviewApp(Gate):
    """The page of one workspace as an application.

    It is served alone, or below an address of another server. The arguments are those
    of `Gate`.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        hosts: Collection[str],
        origins: Collection[str] = (),
        verify: VerifyToken | None = None,
        on_enter: Callable[[], None] = lambda: None,
    ) -> None:
        self.site = ReviewSite(workspace)
        self.leaving = self.site.leaving
        super().__init__(
            self.site.application(),
            hosts=hosts,
            origins=origins,
            verify=verify,
            on_enter=on_enter,
        )


class Review:
    """The server of the page of one workspace. It listens from the moment it is made.

    Port 0 is any free one. `on_enter` is called whenever a link is used. Raise
    `invalid_input` for a port that is in use.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        port: int = 0,
        on_enter: Callable[[], None] = lambda: None,
    ) -> None:
        hint = "choose another port with --port, or leave it out for any that is free"
        self._socket = listen(HOST, port, hint=hint)
        self.port: int = self._socket.getsockname()[1]
        hosts = [f"{name}:{self.port}" for name in (HOST, "localhost")]
        self._app = ReviewApp(workspace, hosts=hosts, on_enter=on_enter)
        self._server = create_uvicorn(
            self._app,
            lifespan="off",
            http=TimedConnection,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=LINGER_SECONDS,
        )

    def link(self) -> str:
        """Return an address that opens the page once."""
        return f"http://{HOST}:{self.port}{self._app.link()}"

    def serve(self) -> None:
        """Answer requests until SIGINT, SIGTERM or SIGHUP."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        on_exit_signal(self._stop)
        # The first page is prepared while the browser is being opened.
        preparing = asyncio.get_running_loop().run_in_executor(
            None, self._app.site.prepare
        )
        await self._server.serve(sockets=[self._socket])
        await preparing

    def _stop(self) -> None:
        self._app.leaving.set()
        self._server.should_exit = True
