"""`filewright review`: the page on loopback, from the socket to the last answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection

from filewright.errors import FilewrightError
from filewright.listening import listen, on_leaving, uvicorn_of
from filewright.page.guard import Guard, Verify
from filewright.page.site import ReviewSite
from filewright.workspace import Workspace

HOST = "127.0.0.1"
LINGER = 2
"""Seconds that answers may still take after the server was asked to end."""


class ReviewApp:
    """The page of one workspace as an application, alone or below an address of a server that has others.

    `link` gives what follows the page's own address to open it once. The rest is as for `Guard`.
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
        self._site = ReviewSite(workspace)
        self.application = Guard(
            self._site.application(), hosts=hosts, origins=origins, verify=verify, entered=entered
        )
        self.link = self.application.link

    def leave(self) -> None:
        """End the streams that wait for news; in the event loop."""
        self._site.leaving.set()

    def warm(self) -> None:
        """Load and read what the first page needs."""
        with contextlib.suppress(FilewrightError):  # the page itself will say what is wrong
            self._site.warm()


class Review:
    """The page of one workspace. It listens from the moment it is made; `serve` answers until a signal.

    Port 0 is any free one. `entered` is called whenever somebody has used the link. Raises
    `invalid_input` for a port that is taken.
    """

    def __init__(
        self, workspace: Workspace, *, port: int = 0, entered: Callable[[], None] = lambda: None
    ) -> None:
        hint = "choose another port with --port, or leave it out for any that is free"
        self._socket = listen(HOST, port, hint=hint)
        self.port: int = self._socket.getsockname()[1]
        hosts = [f"{name}:{self.port}" for name in (HOST, "localhost")]
        self._app = ReviewApp(workspace, hosts=hosts, entered=entered)
        limits = {"limit_concurrency": 128, "timeout_graceful_shutdown": LINGER}
        self._server = uvicorn_of(self._app.application, lifespan="off", **limits)

    def link(self) -> str:
        """An address that opens the page once."""
        return f"http://{HOST}:{self.port}{self._app.link()}"

    def serve(self) -> None:
        """Answer until SIGINT, SIGTERM or SIGHUP."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        on_leaving(self._leave)
        warming = asyncio.get_running_loop().run_in_executor(None, self._app.warm)
        await self._server.serve(sockets=[self._socket])
        await warming

    def _leave(self) -> None:
        self._app.leave()
        self._server.should_exit = True
