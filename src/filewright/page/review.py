"""`filewright review`: the page on loopback, from the socket to the last answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from filewright.connections import MAX_CONNECTIONS, TimedConnection
from filewright.listening import create_uvicorn, listen, on_exit_signal
from filewright.page.guard import Guard, Verify
from filewright.page.site import ReviewSite
from filewright.workspace import Workspace

HOST = "127.0.0.1"
LINGER = 2
"""Seconds that answers may still take after the server was asked to end."""


class ReviewApp(Guard):
    """The page of one workspace as an application, alone or below an address of a server that has others.

    The rest is as for `Guard`.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        hosts: Collection[str],
        origins: Collection[str] = (),
        verify: Verify | None = None,
        entered: Callable[[], None] = lambda: None,
    ) -> None:
        self.site = ReviewSite(workspace)
        self.leaving = self.site.leaving
        super().__init__(
            self.site.application(),
            hosts=hosts,
            origins=origins,
            verify=verify,
            entered=entered,
        )


class Review:
    """The page of one workspace. It listens from the moment it is made; `serve` answers until a signal.

    Port 0 is any free one. `entered` is called whenever somebody has used the link. Raises
    `invalid_input` for a port that is taken.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        port: int = 0,
        entered: Callable[[], None] = lambda: None,
    ) -> None:
        hint = "choose another port with --port, or leave it out for any that is free"
        self._socket = listen(HOST, port, hint=hint)
        self.port: int = self._socket.getsockname()[1]
        hosts = [f"{name}:{self.port}" for name in (HOST, "localhost")]
        self._app = ReviewApp(workspace, hosts=hosts, entered=entered)
        self._server = create_uvicorn(
            self._app,
            lifespan="off",
            http=TimedConnection,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=LINGER,
        )

    def link(self) -> str:
        """An address that opens the page once."""
        return f"http://{HOST}:{self.port}{self._app.link()}"

    def serve(self) -> None:
        """Answer until SIGINT, SIGTERM or SIGHUP."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        on_exit_signal(self._leave)
        warming = asyncio.get_running_loop().run_in_executor(
            None, self._app.site.warm
        )
        await self._server.serve(sockets=[self._socket])
        await warming

    def _leave(self) -> None:
        self._app.leaving.set()
        self._server.should_exit = True
