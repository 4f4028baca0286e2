"""News for open pages: new changes, calls that wait, and the state of comments."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from filewright.page.approvals import Approvals
from filewright.page.commenting import Commenting
from filewright.page.context import PageContext

LOOK_SECONDS = 1.0
"""The time between two looks for new changes."""
PING_LOOKS = 15
"""Looks without news after which an empty line shows that the stream is alive."""


class News:
    """The stream of news that each open page reads."""

    def __init__(
        self, context: PageContext, approvals: Approvals, commenting: Commenting
    ) -> None:
        self._context = context
        self._approvals = approvals
        self._commenting = commenting
        self.leaving = asyncio.Event()
        """Set when the server is to end: it ends the streams that wait for news."""

    def routes(self) -> Sequence[Route]:
        """Return the address of the stream."""
        return [Route("/events", self._stream)]

    async def _stream(self, _request: Request) -> Response:
        """Stream news as lines of JSON for as long as the page is open.

        A line has the newest change, the count of calls that wait, and the state of
        the comments.
        """
        return StreamingResponse(
            self._iter_news(), media_type="application/x-ndjson"
        )

    async def _iter_news(self) -> AsyncIterator[str]:
        last_news = ""
        looks = 0
        # The changes are made by other processes, so they are looked for.
        while not self.leaving.is_set():
            news = await run_in_threadpool(self._read)
            if news != last_news:
                last_news = news
                yield news
            elif looks % PING_LOOKS == 0:
                yield "\n"
            looks += 1
            try:
                await asyncio.wait_for(self.leaving.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue

    def _read(self) -> str:
        news = {
            "newest": self._context.workspace.newest() or "",
            "waiting": self._approvals.count,
            "calls": self._approvals.state,
            "comments": self._commenting.state(),
        }
        return json.dumps(news) + "\n"
