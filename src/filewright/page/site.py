"""The review page as an application: its addresses, and the answer of each.

An address names a change (`/change/ID`), the changes of one prompt (`/prompt/ID`), a
session (`/session/NAME`) or all changes since one (`/since/ID`). The versions of a file
(`/file/PATH`), its lines (`/blame/PATH`), two moments (`/between/A..B`) and a search
(`/find/TEXT`) have modules of their own: `timeline`, `blame`, `comparison`, `finding`.
The page's script
requests a `part` of it: the view, more files, one file, folded lines, an image. All
requests have passed the gate. Files and history are read in worker threads.

Here are the views and the list. What the person does is in a module for each noun:
`undoing`, `commenting`, `approvals`; `news` tells open pages what others did.
"""

from __future__ import annotations

from contextlib import suppress

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from filewright.boundary.names import quote
from filewright.changes.selection import find_healed_edit
from filewright.errors import FilewrightError
from filewright.page.approvals import Approvals
from filewright.page.blame import BlameView
from filewright.page.cards import MAX_CARDS, make_cards, make_tree_row
from filewright.page.commenting import Commenting
from filewright.page.comparison import Comparison
from filewright.page.context import PageContext, part_response
from filewright.page.finding import Finding
from filewright.page.news import News
from filewright.page.parts import Viewed, ViewPart
from filewright.page.problems import show_error
from filewright.page.render import render
from filewright.page.requests import SeenRequest
from filewright.page.take_away import take_away
from filewright.page.timeline import Timeline
from filewright.page.undoing import Undoing
from filewright.progress import Task
from filewright.workspace import REVIEW, Workspace

_MAX_TREE_FILES = 2_000
"""Files that the tree beside the diffs has."""
_COUNTING_SECONDS = 0.5


class ReviewSite:
    """The review page of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._context = PageContext(workspace)
        self._log = self._context.log
        self._approvals = Approvals(self._context)
        self._commenting = Commenting(self._context)
        self._undoing = Undoing(self._context)
        self._news = News(self._context, self._approvals, self._commenting)
        self.leaving = self._news.leaving
        """Set when the server is to end: it ends the streams that wait for news."""

    def application(self) -> Starlette:
        """Return the application. All its requests have passed the gate."""
        return Starlette(
            routes=[
                Route("/", self.newest),
                Route("/about", self.about),
                Route("/list", self.rows),
                self._context.post("/seen", SeenRequest, self._mark_seen),
                *self._approvals.routes(),
                *self._commenting.routes(),
                *self._undoing.routes(),
                *self._news.routes(),
                *Timeline(self._context).routes(),
                *BlameView(self._context).routes(),
                *Comparison(self._context).routes(),
                *Finding(self._context).routes(),
                Route("/{kind}/{name:path}", self.named),
            ],
            exception_handlers=dict.fromkeys(
                (FilewrightError, HTTPException, Exception), show_error
            ),
        )

    def prepare(self) -> None:
        """Import and read the contents of the first page.

        It is called while the browser is still being opened.
        """
        # The page itself shows what is wrong.
        with suppress(FilewrightError):
            for newest in self._workspace.history(limit=1):
                viewed = self._context.select("change", newest.id)
                make_cards(self._workspace, viewed.record)
            render(
                "rows.html",
                base="",
                page=self._log.page(),
                chosen=None,
                person=REVIEW,
            )

    # Views

    def about(self, _request: Request) -> Response:
        """Return the roots."""
        roots = [quote(root.path) for root in self._workspace.roots]
        return JSONResponse({"roots": roots})

    def newest(self, request: Request) -> Response:
        """Return the view of the newest change, or a part of it.

        Instead of a healing, the edit that it belongs to is shown.
        """
        newest = self._workspace.history(limit=1)
        if not newest:
            return HTMLResponse(render("empty.html"))
        change_id = find_healed_edit(newest[0])
        # The edit may not be on record any more.
        if change_id is None or self._log.prompt(change_id) is None:
            change_id = newest[0].id
        return self._show(request, "change", change_id)

    def named(self, request: Request) -> Response:
        """Return the view of a change, or of several as one, or a part of it."""
        return self._show(
            request, request.path_params["kind"], request.path_params["name"]
        )

    def _show(self, request: Request, kind: str, name: str) -> Response:
        viewed = self._context.select(kind, name)
        match request.query_params.get("part", "view"):
            case "view":
                return self._view(request, viewed)
            case "comments":
                return self._commenting.show(request, viewed)
            case "tree":
                return self._tree(request, viewed)
            case "patch" | "markdown" | "message" as form:
                return take_away(self._workspace, self._log, viewed, form)
        part = ViewPart(
            self._workspace,
            viewed,
            request.query_params,
            self._context.shared_values(request, viewed),
        ).answer()
        return part_response(part)

    def _view(self, request: Request, viewed: Viewed) -> Response:
        record = viewed.record
        row = heading = guarded = None
        if viewed.kind == "session" and record.session:
            guarded = self._workspace.guard_report(record.session)
        if viewed.kind == "change":
            row = self._log.row(record)
        if viewed.kind in ("change", "prompt"):
            heading = self._log.prompt(viewed.name)
        return self._context.html(
            "change.html",
            request,
            viewed,
            row=row,
            heading=heading,
            record=record,
            cards=make_cards(self._workspace, record),
            following=MAX_CARDS,
            guarded=guarded,
        )

    def _tree(self, request: Request, viewed: Viewed) -> Response:
        """Return all files by their folders.

        Their lines are counted as far as there is time.
        """
        task = Task(seconds=_COUNTING_SECONDS)
        changes = viewed.record.file_changes
        rows = [
            make_tree_row(self._workspace, change, count_lines=not task.expired)
            for change in changes[:_MAX_TREE_FILES]
        ]
        return self._context.html(
            "tree.html",
            request,
            viewed,
            rows=rows,
            more=len(changes) - len(rows),
        )

    def rows(self, request: Request) -> Response:
        """Return rows of the list of changes, filtered by a text."""
        query = request.query_params
        page = self._log.page(
            before=query.get("before") or None, text=query.get("q", "")
        )
        return self._context.html(
            "rows.html", request, page=page, chosen=query.get("chosen")
        )

    def _mark_seen(self, _request: Request, body: SeenRequest) -> str:
        """Mark a version of a file as viewed, or remove the mark."""
        self._context.viewed_marks.mark(body.path, body.version)
        return "Viewed." if body.version else "Not viewed."
