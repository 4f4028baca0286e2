"""The review page as an application: its addresses, and what each answers.

A page is whole by itself at `/change/ID`; its script asks for the same addresses with `?part=view` to put
another change into it, and for parts of one: more rows of the list, more files, a diff, folded lines, an
image. Everything that reads files or history runs in a worker thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from filewright import __version__
from filewright.boundary import quote
from filewright.changes import ChangeRecord
from filewright.errors import Code, FilewrightError
from filewright.page.cards import CARDS, IMAGES, card_of, cards_of, folded_lines, suffix
from filewright.page.changelog import ChangeLog
from filewright.page.guard import Keys
from filewright.page.render import render, static, static_type
from filewright.progress import Caller, Task
from filewright.workspace import Workspace

CLIENT = "filewright review"
"""How history names what was done on the page."""
LOOK_SECONDS = 1.0
"""How often the page looks for new changes."""
PING_LOOKS = 15
_STATUS = {Code.NOT_FOUND: 404, Code.STALE_VERSION: 409, Code.INVALID_INPUT: 400}


class Site:
    """The review page of one workspace."""

    def __init__(self, workspace: Workspace, keys: Keys) -> None:
        self._workspace = workspace
        self._keys = keys
        self._log = ChangeLog(workspace)
        self.leaving = asyncio.Event()
        """Set when the server is to end: it ends the streams that wait for news."""

    def application(self) -> Starlette:
        """What answers; everything it is asked has passed the guard."""
        return Starlette(
            routes=[
                Route("/", self.newest),
                Route("/change/{change}", self.change),
                Route("/change/{change}/files", self.more_files),
                Route("/change/{change}/file/{index:int}", self.file),
                Route("/change/{change}/lines/{index:int}", self.lines),
                Route("/change/{change}/image/{index:int}/{side}", self.image),
                Route("/list", self.rows),
                Route("/events", self.events),
                Route("/static/{name}", _static),
            ],
            exception_handlers={FilewrightError: self._refused, HTTPException: self._missing},
        )

    # Whole pages

    def newest(self, request: Request) -> Response:
        """The page at the newest change."""
        newest = self._log.newest()
        if newest is None:
            return self._page(request, render("empty.html", **self._shared(request)))
        return self._of_change(request, newest)

    def change(self, request: Request) -> Response:
        """One change."""
        return self._of_change(request, request.path_params["change"])

    def _of_change(self, request: Request, change_id: str) -> Response:
        record = self._workspace.record(change_id)
        task = self._task()
        view = render(
            "change.html",
            **self._shared(request),
            row=self._log.row(record),
            record=record,
            cards=cards_of(self._workspace, record, task=task),
            following=CARDS,
        )
        return self._page(request, view, record)

    def _page(self, request: Request, view: str, record: ChangeRecord | None = None) -> Response:
        if request.query_params.get("part") == "view":
            return HTMLResponse(view)
        chosen = record.id if record is not None else None
        return HTMLResponse(
            render(
                "page.html",
                **self._shared(request),
                view=view,
                page=self._log.page(),
                chosen=chosen,
                token=self._keys.changing,
                roots=[quote(root.path) for root in self._workspace.roots],
                theme=_one_of(request.cookies.get("filewright_theme"), "auto", "light", "dark"),
                version=__version__,
            )
        )

    # Parts

    def rows(self, request: Request) -> Response:
        """Rows of the list, filtered."""
        asked = request.query_params
        page = self._log.page(
            before=asked.get("before") or None, text=asked.get("q", ""), session=asked.get("session") or None
        )
        shared = self._shared(request)
        return HTMLResponse(render("rows.html", **shared, page=page, chosen=asked.get("chosen")))

    def more_files(self, request: Request) -> Response:
        """The next page of a change's files."""
        record = self._workspace.record(request.path_params["change"])
        start = _number(request, "start")
        cards = cards_of(self._workspace, record, start=start, task=self._task())
        shared = self._shared(request)
        return HTMLResponse(
            render("cards.html", **shared, record=record, cards=cards, following=start + CARDS)
        )

    def file(self, request: Request) -> Response:
        """One file of a change with its diff."""
        record = self._workspace.record(request.path_params["change"])
        index = self._index(request, record)
        full = "full" in request.query_params
        card = card_of(self._workspace, record, index, full=full, task=self._task())
        return HTMLResponse(render("card.html", **self._shared(request), record=record, card=card))

    def lines(self, request: Request) -> Response:
        """Folded lines of a file as the change left it: `from` to `to`, which were `shift` lines off before."""
        record = self._workspace.record(request.path_params["change"])
        index = self._index(request, record)
        first, last, shift = _number(request, "from"), _number(request, "to"), _number(request, "shift")
        view = folded_lines(self._workspace, record, index, first, last, shift)
        if view is None:
            raise HTTPException(404, "These lines were not kept.")
        return HTMLResponse(render("lines.html", **self._shared(request), view=view, hunk=view.hunks[0]))

    def image(self, request: Request) -> Response:
        """An image as it was before or after a change."""
        record = self._workspace.record(request.path_params["change"])
        index, side = self._index(request, record), request.path_params["side"]
        media = IMAGES.get(suffix(record.entries[index].place.shown))
        content = None
        if media is not None and side in ("before", "after"):
            content = self._workspace.content(record.id, index, side)
        if content is None:
            raise HTTPException(404, "There is no such image, or it was not kept.")
        # An SVG is a document: opened by itself it must not run in the page's origin.
        return Response(
            content,
            media_type=media,
            headers={
                "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                "content-disposition": "inline",
            },
        )

    async def events(self, request: Request) -> Response:
        """News for as long as the page is open: the id of the newest change, whenever it is another."""
        return StreamingResponse(
            self._news(request.query_params.get("after", "")), media_type="text/event-stream"
        )

    async def _news(self, known: str) -> AsyncIterator[str]:
        yield "retry: 2000\n\n"
        looks = 0
        while not self.leaving.is_set():
            newest = await run_in_threadpool(self._log.newest) or ""
            if newest != known:
                known = newest
                yield f"event: change\ndata: {newest}\n\n"
            elif looks % PING_LOOKS == 0:
                yield ": still here\n\n"
            looks += 1
            try:
                await asyncio.wait_for(self.leaving.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue

    # What they share

    def _task(self) -> Task:
        settings = self._workspace.settings
        return Task(seconds=settings.call_seconds, caller=Caller(session=None, client=CLIENT))

    def _shared(self, request: Request) -> dict[str, Any]:
        return {
            "base": request.scope.get("root_path", ""),
            "split": request.cookies.get("filewright_split") == "1",
            "acting": not self._workspace.settings.read_only,
        }

    def _index(self, request: Request, record: ChangeRecord) -> int:
        index: int = request.path_params["index"]
        if index >= len(record.entries):
            raise HTTPException(404, f"The change {record.id} has {len(record.entries)} files.")
        return index

    def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, FilewrightError)
        status = _STATUS.get(error.code, 500)
        return self._problem(request, status, error.message, error.hint)

    def _missing(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return self._problem(request, error.status_code, error.detail, None)

    def _problem(self, request: Request, status: int, message: str, hint: str | None) -> Response:
        if request.method != "GET":
            return JSONResponse({"message": message, "hint": hint}, status_code=status)
        view = render("problem.html", message=message, hint=hint)
        if "part" in request.query_params or not request.url.path.startswith("/change/"):
            return HTMLResponse(view, status_code=status)
        page = self._page(request, view)
        page.status_code = status
        return page


def _number(request: Request, name: str) -> int:
    try:
        return int(request.query_params[name])
    except (KeyError, ValueError):
        raise HTTPException(400, f"{name} must be a number") from None


def _one_of(given: str | None, *choices: str) -> str:
    return given if given in choices else choices[0]


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    try:
        return Response(static(name), media_type=static_type(name), headers={"cache-control": "max-age=3600"})
    except KeyError:
        raise HTTPException(404, "There is no such file.") from None
