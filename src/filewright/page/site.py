"""The review page as an application: its addresses, and the answer of each.

An address names a change (`/change/ID`), the changes of one prompt (`/prompt/ID`), a
session (`/session/NAME`) or all changes since one (`/since/ID`). The page's script
requests a `part` of it: the view, more files, one file, folded lines, an image. All
requests have passed the gate. Files and history are read in worker threads.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from filewright.boundary.names import quote
from filewright.changes.selection import find_healed_edit
from filewright.edit.diff import Diff
from filewright.errors import Code, FilewrightError, invalid, read_only
from filewright.mailbox.calls import Answer, WaitingCalls
from filewright.mailbox.comments import MAX_COMMENT_CHARS, Comment, Comments
from filewright.mailbox.marks import ViewedMarks
from filewright.page.cards import (
    MAX_CARDS,
    make_cards,
    make_tree_row,
    read_rows,
)
from filewright.page.changelog import ChangeLog
from filewright.page.gate import read_json
from filewright.page.parts import (
    MAX_NUMBER,
    Kind,
    Viewed,
    ViewPart,
    not_found,
    scope_of,
)
from filewright.page.render import render
from filewright.progress import Caller, Task
from filewright.workspace import REVIEW, Workspace

LOOK_SECONDS = 1.0
"""The time between two looks for new changes."""
PING_LOOKS = 15
"""Looks without news after which an empty line shows that the stream is alive."""
_MAX_CACHED_VIEWS = 4
"""Views that are held for the next request of a part of them."""
_MAX_TREE_FILES = 2_000
"""Files that the tree beside the diffs has."""
_COUNTING_SECONDS = 0.5
_MAX_QUOTED_CHARS = 4_096
"""Characters of the lines of a comment that are stored with it."""
_MAX_BODY_BYTES = 1 << 16
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The content policy of images.

An SVG is a document: opened by itself it must not run in the page's origin.
"""
_STATUS_OF_CODE = {
    Code.NOT_FOUND: 404,
    Code.STALE_VERSION: 409,
    Code.INVALID_INPUT: 400,
    Code.READ_ONLY: 403,
}

# Requests of the page's script


class PageRequest(BaseModel):
    """The JSON body of a request."""

    model_config = ConfigDict(frozen=True, strict=True)


class UndoRequest(PageRequest):
    """A request to undo a change, a prompt, a session, or all since a change.

    It may be limited to a file, or to a hunk of a file.
    """

    kind: Kind
    name: str
    path: str | None = None
    hunk: int | None = Field(default=None, gt=0, lt=MAX_NUMBER)
    preview: bool = True
    force: bool = False


class CommentRequest(PageRequest):
    """A comment on lines of one of the files of a view."""

    kind: Kind
    name: str
    index: int
    before: bool
    first: int = Field(gt=0, lt=MAX_NUMBER)
    last: int = Field(gt=0, lt=MAX_NUMBER)
    words: str = Field(
        min_length=1, max_length=MAX_COMMENT_CHARS, pattern=r"\S"
    )


class ResolveRequest(PageRequest):
    """A mark on a comment: the person is done with it, or not."""

    comment: str
    done: bool


class AnswerRequest(PageRequest):
    """The person's answer to a call that waits."""

    call: str
    allow: bool


class SeenRequest(PageRequest):
    """A mark on a file: its version was viewed; empty to remove the mark."""

    path: str
    version: str = Field(max_length=100)


_Request = TypeVar("_Request", bound=PageRequest)


class ReviewSite:
    """The review page of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._log = ChangeLog(workspace)
        self._comments = Comments(workspace)
        self._waiting_calls = WaitingCalls(workspace)
        self._viewed_marks = ViewedMarks(workspace)
        self._caller = Caller(
            session=f"review-{secrets.token_hex(4)}", client=REVIEW
        )
        self._select_cached = lru_cache(_MAX_CACHED_VIEWS)(self._select_at)
        self.leaving = asyncio.Event()
        """Set when the server is to end: it ends the streams that wait for news."""

    def application(self) -> Starlette:
        """Return the application. All its requests have passed the gate."""
        return Starlette(
            routes=[
                Route("/", self.newest),
                Route("/about", self.about),
                Route("/list", self.rows),
                Route("/waiting", self.waiting),
                Route("/waiting/{call}", self.waiting_call),
                self._post("/word", AnswerRequest, self._answer_call),
                self._post("/comment", CommentRequest, self._comment),
                self._post("/resolve", ResolveRequest, self._resolve),
                Route("/events", self.events),
                self._post("/act", UndoRequest, self._undo, only_reads=True),
                self._post("/seen", SeenRequest, self._mark_seen),
                Route("/{kind}/{name:path}", self.named),
            ],
            exception_handlers=dict.fromkeys(
                (FilewrightError, HTTPException, Exception), _show_error
            ),
        )

    def prepare(self) -> None:
        """Import and read the contents of the first page.

        It is called while the browser is still being opened.
        """
        # The page itself shows what is wrong.
        with suppress(FilewrightError):
            for newest in self._workspace.history(limit=1):
                viewed = self._select("change", newest.id)
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
        viewed = self._select(kind, name)
        match request.query_params.get("part", "view"):
            case "view":
                return self._view(request, viewed)
            case "comments":
                return self._list_comments(request, viewed)
            case "tree":
                return self._tree(request, viewed)
        part = ViewPart(
            self._workspace,
            viewed,
            request.query_params,
            self._shared_values(request, viewed),
        ).answer()
        if isinstance(part, str):
            return HTMLResponse(part)
        return Response(
            part.content,
            media_type=part.media_type,
            headers={"content-security-policy": _SVG_POLICY},
        )

    def _select(self, kind: str, name: str) -> Viewed:
        """Return the changes of an address.

        Those of the last views are held until a change is made.
        """
        return self._select_cached(kind, name, self._workspace.newest())

    def _select_at(self, kind: str, name: str, _newest: str | None) -> Viewed:
        workspace = self._workspace.under(self._new_task())
        return Viewed(kind, name, workspace.select(scope_of(kind, name)))

    def _view(self, request: Request, viewed: Viewed) -> Response:
        record = viewed.record
        row = heading = guarded = None
        if viewed.kind == "session" and record.session:
            guarded = self._workspace.guard_report(record.session)
        if viewed.kind == "change":
            row = self._log.row(record)
        if viewed.kind in ("change", "prompt"):
            heading = self._log.prompt(viewed.name)
        return self._html(
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
        return self._html(
            "tree.html",
            request,
            viewed,
            rows=rows,
            more=len(changes) - len(rows),
        )

    def _list_comments(self, request: Request, viewed: Viewed) -> Response:
        """Return the comments on the files of a view."""
        comments = self._comments.on_page(viewed.address)
        return self._html("comments.html", request, comments=comments)

    def rows(self, request: Request) -> Response:
        """Return rows of the list of changes, filtered by a text."""
        query = request.query_params
        page = self._log.page(
            before=query.get("before") or None, text=query.get("q", "")
        )
        return self._html(
            "rows.html", request, page=page, chosen=query.get("chosen")
        )

    # News

    async def events(self, _request: Request) -> Response:
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
        while not self.leaving.is_set():
            news = await run_in_threadpool(self._read_news)
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

    def _read_news(self) -> str:
        news = {
            "newest": self._workspace.newest() or "",
            "waiting": len(self._waiting_calls.waiting()),
            "comments": self._comments.state(),
        }
        return json.dumps(news) + "\n"

    def _mark_seen(self, _request: Request, body: SeenRequest) -> str:
        """Mark a version of a file as viewed, or remove the mark."""
        self._viewed_marks.mark(body.path, body.version)
        return "Viewed." if body.version else "Not viewed."

    # Calls that wait for an answer

    def waiting(self, request: Request) -> Response:
        """Return the calls that wait."""
        return self._html(
            "waiting.html", request, calls=self._waiting_calls.waiting()
        )

    def waiting_call(self, request: Request) -> Response:
        """Return one of the calls with its diff."""
        call_id = request.path_params["call"]
        for call in self._waiting_calls.waiting():
            if call.id == call_id:
                diff = Diff.from_json(call.diff) if call.diff else Diff()
                return self._html("asked.html", request, call=call, shown=diff)
        raise not_found("This call does not wait any more.")

    def _answer_call(self, _request: Request, body: AnswerRequest) -> str:
        """Record the person's answer to a call."""
        answer: Answer = "refused"
        if body.allow:
            answer = "allowed"
        if not self._waiting_calls.answer(body.call, answer):
            raise not_found("This call does not wait any more.")
        if body.allow:
            return "Allowed: the agent may make this call now."
        return "Refused: the agent may not make it."

    # Comments

    def _comment(self, _request: Request, body: CommentRequest) -> str:
        """Store a comment on lines, for the agent."""
        viewed = self._select(body.kind, body.name)
        record = viewed.record
        index = viewed.require_index(body.index)
        rows = read_rows(
            self._workspace,
            record,
            index,
            "-" if body.before else "+",
            body.first,
            max(body.last - body.first + 1, 0),
        )
        if rows == []:
            raise invalid("There are no such lines in this file.")
        quoted = "\n".join(row.text for row in rows or ())
        comment = Comment(
            viewed=viewed.address,
            path=record.file_changes[index].path.display_path,
            before=body.before,
            first=body.first,
            last=body.last,
            quoted=quoted[:_MAX_QUOTED_CHARS],
            words=body.words,
        )
        self._comments.add(comment, record.session or "", record.client or "")
        return "The agent gets it with its next answer."

    def _resolve(self, _request: Request, body: ResolveRequest) -> str:
        """Mark a comment as done, or open again."""
        if not self._comments.resolve(body.comment, is_done=body.done):
            raise not_found("There is no such comment.")
        return "Resolved." if body.done else "Open again."

    # Undoing

    def _undo(self, request: Request, body: UndoRequest) -> Response:
        """Undo, and return the change as JSON; or return a preview."""
        if body.hunk is not None and body.path is None:
            raise invalid("A hunk needs the path of its file.")
        workspace = self._workspace.under(self._new_task())
        scope = scope_of(body.kind, body.name)
        try:
            result = workspace.revert_edit(
                scope.change_id,
                session=scope.session,
                since=scope.since,
                prompt=scope.prompt,
                path=body.path,
                hunk=body.hunk,
                preview=body.preview,
                force=body.force,
                include_shared=body.force,
            )
        except FilewrightError as error:
            return _show_refusal(body, error)
        if not body.preview:
            return JSONResponse(
                {
                    "change_id": result.change_id,
                    "said": result.text.partition("\n")[0],
                }
            )
        return self._html(
            "preview.html",
            request,
            asked=body,
            title=self._title(body),
            done=result,
            shown=result.difference,
        )

    def _title(self, body: UndoRequest) -> str:
        """Return the title of the changes that a request undoes.

        For all changes since one, it is the title of that change.
        """
        heading = self._log.prompt(body.name)
        if heading is None:
            return body.name
        if body.kind == "prompt":
            return heading.title
        return self._log.row(self._workspace.record(body.name)).title

    # Shared by all requests

    def _new_task(self) -> Task:
        return Task(
            seconds=self._workspace.settings.call_seconds, caller=self._caller
        )

    def _post(
        self,
        path: str,
        model: type[_Request],
        handle: Callable[[Request, _Request], Response | str],
        *,
        only_reads: bool = False,
    ) -> Route:
        """Return the route of a request with a body.

        Unless it `only_reads`, it is refused in a read-only workspace.
        """

        async def answer(request: Request) -> Response:
            try:
                body = model.model_validate(
                    await read_json(request, _MAX_BODY_BYTES)
                )
            except ValidationError as error:
                problem = error.errors()[0]
                field = ".".join(map(str, problem["loc"])) or "the body"
                raise invalid(
                    f"The page cannot do this: {field}: {problem['msg']}"
                ) from error
            if self._workspace.settings.read_only and not only_reads:
                raise read_only()
            result = await run_in_threadpool(handle, request, body)
            if isinstance(result, str):
                return JSONResponse({"said": result})
            return result

        return Route(path, answer, methods=["POST"])

    def _html(
        self,
        template: str,
        request: Request,
        viewed: Viewed | None = None,
        **values: Any,
    ) -> HTMLResponse:
        shared = self._shared_values(request, viewed)
        return HTMLResponse(render(template, **shared, **values))

    def _shared_values(
        self, request: Request, viewed: Viewed | None = None
    ) -> dict[str, Any]:
        """Return the values that all templates get."""
        base = request.scope.get("root_path", "")
        values: dict[str, Any] = {
            "base": base,
            "split": request.cookies.get("filewright_split") == "1",
            "acting": not self._workspace.settings.read_only,
            "person": REVIEW,
            "app": False,
            "seen": {},
            "viewed": viewed,
            "source": None,
        }
        if viewed is not None:
            values["seen"] = self._viewed_marks.versions()
            values["source"] = f"{base}{viewed.address}"
        return values


def _show_refusal(body: UndoRequest, error: FilewrightError) -> Response:
    """Return the page of an undo that is refused, with its conflicts."""
    conflicts = error.details.get("conflicts", [])
    # With `force`, a file gets its earlier content over whatever is there now.
    could_be_forced = (
        error.code is Code.STALE_VERSION or "shared_with" in error.details
    )
    html = render(
        "refusal.html",
        asked=body,
        message=error.summary,
        hint=None if conflicts else error.hint,
        conflicts=conflicts,
        forced=could_be_forced and not body.force and body.hunk is None,
    )
    return HTMLResponse(html, status_code=_STATUS_OF_CODE.get(error.code, 422))


def _show_error(_request: Request, error: Exception) -> Response:
    """Return an error as the page shows it."""
    status = 500
    message = (
        "This failed because of a bug in filewright; the terminal shows more."
    )
    hint = None
    if isinstance(error, FilewrightError):
        status = _STATUS_OF_CODE.get(error.code, 422)
        message, hint = error.message, error.hint
    elif isinstance(error, HTTPException):
        status, message = error.status_code, error.detail
    html = render("problem.html", message=message, hint=hint)
    return HTMLResponse(html, status_code=status)
