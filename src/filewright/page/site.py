"""The review page as an application: its addresses, and the answer of each.

The views of changes and their list are here: all that is not decided (`/`, and its parts
at `/new/MOMENT`), a change (`/change/ID`), the changes of one prompt (`/prompt/ID`), of a
session (`/session/NAME`), or since a change (`/since/ID`). The page's script requests
each view by a `part`: the view, more files, one file, folded lines, an image.

Other addresses have modules of their own: the versions of a file (`/file/PATH`,
`timeline`), its lines (`/blame/PATH`, `blame`), two moments (`/between/A..B`,
`comparison`) and a search (`/find/TEXT`, `content_search`). So have the actions of the person
(`undoing`, `deciding`, `commenting`, `approvals`); `news` tells open pages what others
did.

All requests have passed the gate. Files and history are read in worker threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from filewright.boundary.names import quote
from filewright.changes.model import change_time, parse_change_id
from filewright.errors import FilewrightError
from filewright.page.approvals import Approvals
from filewright.page.blame import BlameView
from filewright.page.cards import (
    MAX_CARDS,
    Card,
    make_cards,
    make_chosen_cards,
)
from filewright.page.commenting import Commenting
from filewright.page.comparison import ComparisonView
from filewright.page.content_search import ContentSearch
from filewright.page.context import PageContext, part_response
from filewright.page.deciding import Deciding
from filewright.page.export import export
from filewright.page.landing import (
    Landing,
    find_landing,
    landing_address,
    make_sections,
)
from filewright.page.news import News
from filewright.page.parts import Subject, ViewPart, read_number
from filewright.page.problems import show_error
from filewright.page.render import render
from filewright.page.requests import ViewedRequest
from filewright.page.timeline import Timeline
from filewright.page.tree import build_tree
from filewright.page.undoing import Undoing
from filewright.workspace import REVIEW_CLIENT, Workspace


class ReviewSite:
    """The review page of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._context = PageContext(workspace)
        self._log = self._context.log
        self._approvals = Approvals(self._context)
        self._commenting = Commenting(self._context)
        self._deciding = Deciding(self._context)
        self._undoing = Undoing(self._context, self._deciding)
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
                self._context.post("/viewed", ViewedRequest, self._mark_viewed),
                *self._deciding.routes(),
                *self._approvals.routes(),
                *self._commenting.routes(),
                *self._undoing.routes(),
                *self._news.routes(),
                *Timeline(self._context).routes(),
                *BlameView(self._context).routes(),
                *ComparisonView(self._context).routes(),
                *ContentSearch(self._context).routes(),
                # The last: it matches the addresses of all others, too.
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
        # The request of the page meets the error again, and shows it.
        with suppress(FilewrightError):
            name = landing_address(self._context)
            if name is not None:
                landing = find_landing(self._context, name)
                if landing is not None:
                    self._make_landing_cards(landing, 0)
            render(
                "rows.html",
                base="",
                page=self._log.page(),
                chosen=None,
                filtered=False,
                viewed_until=None,
                person=REVIEW_CLIENT,
            )

    # Views

    def about(self, _request: Request) -> Response:
        """Return the roots, and the newest change at the person's last visit."""
        roots = [quote(root.path) for root in self._workspace.roots]
        viewed_until = self._context.marks.viewed_until()
        return JSONResponse({"roots": roots, "viewed": viewed_until})

    def newest(self, request: Request) -> Response:
        """Return the view of all that is not decided, or of the last prompt."""
        name = landing_address(self._context)
        if name is None:
            return HTMLResponse(render("empty.html"))
        return self._answer(request, "new", name)

    def _show_last_prompt(self, request: Request) -> Response:
        """Return the view of the last prompt, for a person who has decided all."""
        heading = self._log.newest_prompt()
        if heading is None:
            # Everything is undone, or the person's own.
            newest = self._workspace.newest() or ""
            subject = self._context.select("change", newest)
        elif heading.prompt.change_count == 1:
            subject = self._context.select("change", heading.prompt.id)
        else:
            subject = self._context.select("prompt", heading.prompt.id)
        return self._view(request, subject, is_nothing_new=True)

    def named(self, request: Request) -> Response:
        """Return the view of a change, or of several as one, or a part of it."""
        return self._answer(
            request, request.path_params["kind"], request.path_params["name"]
        )

    def _answer(self, request: Request, kind: str, name: str) -> Response:
        """Return the requested part of a view."""
        part = request.query_params.get("part", "view")
        if kind == "new" and part in ("view", "files"):
            return self._show_landing(request, name, part)
        subject = self._context.select(kind, name)
        match part:
            case "view":
                return self._view(request, subject)
            case "comments":
                return self._commenting.show(request, subject)
            case "tree":
                return self._tree(request, subject)
            case "bar":
                return self._deciding.show_bar(request, subject)
            case "patch" | "markdown" | "message" as form:
                return export(self._workspace, self._log, subject, form)
        answer = ViewPart(
            self._workspace,
            subject,
            request.query_params,
            self._context.shared_values(request, subject),
            self._context.decisions(),
        ).answer()
        return part_response(answer)

    def _show_landing(self, request: Request, name: str, part: str) -> Response:
        """Return the view of all that is not decided, or more of its files."""
        landing = find_landing(self._context, name)
        if landing is None:
            return self._show_last_prompt(request)
        start = 0
        if part == "files":
            start = read_number(request.query_params, "start")
        cards = self._make_landing_cards(landing, start)
        return self._context.html(
            "landing.html" if part == "view" else "landing_files.html",
            request,
            landing.subject,
            landing=landing,
            sections=make_sections(landing, cards),
            following=start + MAX_CARDS,
        )

    def _make_landing_cards(
        self, landing: Landing, start: int
    ) -> Sequence[Card]:
        return make_chosen_cards(
            self._workspace,
            landing.entries(start, MAX_CARDS),
            self._context.decisions(),
        )

    def _view(
        self,
        request: Request,
        subject: Subject,
        *,
        is_nothing_new: bool = False,
    ) -> Response:
        """Return the view of a change, or of several as one.

        With `is_nothing_new` it is shown because everything is decided.
        """
        decided_until = self._context.marks.decided_until()
        decided_number = parse_change_id(decided_until or "")
        record = subject.record
        row = heading = guarded = None
        if subject.kind == "session" and record.session:
            guarded = self._workspace.guard_report(record.session)
        if subject.kind == "change":
            row = self._log.row(record)
        if subject.kind in ("change", "prompt"):
            heading = self._log.prompt(subject.name)
        return self._context.html(
            "change.html",
            request,
            subject,
            row=row,
            heading=heading,
            record=record,
            cards=make_cards(
                self._workspace, record, self._context.decisions()
            ),
            is_newest=self._workspace.newest() == record.id,
            is_newest_prompt=heading is not None
            and self._workspace.newest() in heading.prompt.change_ids,
            following=MAX_CARDS,
            guarded=guarded,
            is_nothing_new=is_nothing_new,
            decided_until=(
                change_time(decided_number).astimezone()
                if decided_number is not None
                else None
            ),
        )

    def _tree(self, request: Request, subject: Subject) -> Response:
        """Return all files by their folders."""
        return self._context.html(
            "tree.html",
            request,
            subject,
            tree=build_tree(
                self._workspace, subject.record, self._context.decisions()
            ),
        )

    def rows(self, request: Request) -> Response:
        """Return rows of the list of changes, filtered by a text."""
        query = request.query_params
        page = self._log.page(
            before=query.get("before") or None, text=query.get("q", "")
        )
        return self._context.html(
            "rows.html",
            request,
            page=page,
            chosen=query.get("chosen"),
            filtered=bool(query.get("q", "").strip()),
            viewed_until=query.get("viewed") or None,
        )

    def _mark_viewed(self, _request: Request, body: ViewedRequest) -> str:
        """Record that the person has looked at all up to a change."""
        viewed_until = self._context.marks.viewed_until()
        if viewed_until is None or viewed_until < body.newest:
            self._context.marks.set_viewed_until(body.newest)
        return ""
