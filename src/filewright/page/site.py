"""The review page as an application: its addresses, and what each answers.

What is looked at is a change (`/change/ID`), what came of the same prompt (`/prompt/ID`), a session (`/session/NAME`)
or everything since a change (`/since/ID`). The page's script asks such an address for a `part` of it: the view, more
files, one file, folded lines, an image. Whoever asks has passed the guard. Everything that reads files or history
runs in a worker thread.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, Literal, TypeVar

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
from filewright.edit.diff import Diff
from filewright.errors import Code, FilewrightError, invalid, read_only
from filewright.page.cards import (
    CARDS,
    cards_of,
    lines_of,
    row_of,
)
from filewright.page.changelog import ChangeLog
from filewright.page.comments import WORDS_CHARS, Comment
from filewright.page.guard import json_of
from filewright.page.parts import (
    MOST,
    Kind,
    Viewed,
    ViewPart,
    missing,
    scope_of,
)
from filewright.page.render import render
from filewright.page.words import Words
from filewright.progress import Caller, Task
from filewright.workspace import REVIEW, Workspace

LOOK_SECONDS = 1.0
"""How often the page looks for new changes."""
PING_LOOKS = 15
_KEPT = 4
"""Sessions, and other views, that are held for the next part of them."""
_TREE = 2_000
"""Files that the tree beside the diffs has."""
_COUNTED_SECONDS = 0.5
_QUOTED = 4_096
"""Characters that are kept of the lines that a comment is on."""
_BODY = 1 << 16
"""Bytes of a request to act."""
_STATUS = {
    Code.NOT_FOUND: 404,
    Code.STALE_VERSION: 409,
    Code.INVALID_INPUT: 400,
    Code.READ_ONLY: 403,
}


_S = TypeVar("_S", bound="Said")


class ReviewSite:
    """The review page of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._log = ChangeLog(workspace)
        self._words = Words(workspace)
        self._caller = Caller(
            session=f"review-{secrets.token_hex(4)}", client=REVIEW
        )
        self._viewed = lru_cache(_KEPT)(self._select)
        self.leaving = asyncio.Event()
        """Set when the server is to end: it ends the streams that wait for news."""

    def application(self) -> Starlette:
        """What answers; everything it is asked has passed the guard."""
        return Starlette(
            routes=[
                Route("/", self.newest),
                Route("/about", self.about),
                Route("/list", self.rows),
                Route("/waiting", self.waiting),
                Route("/waiting/{call}", self.waiting_call),
                self._told("/word", Answer, self._word),
                self._told("/comment", Remark, self._comment),
                self._told("/resolve", Resolved, self._resolve),
                Route("/events", self.events),
                self._told("/act", Action, self._act, looks=True),
                self._told("/seen", Seen, self._seen),
                Route("/{kind}/{name:path}", self.named),
            ],
            exception_handlers=dict.fromkeys(
                (FilewrightError, HTTPException, Exception), _problem
            ),
        )

    def warm(self) -> None:
        """Load and read what the first page needs, while the browser is still being opened."""
        with suppress(
            FilewrightError
        ):  # the page itself will say what is wrong
            for newest in self._workspace.history(limit=1):
                cards_of(
                    self._workspace, self._selected("change", newest.id).record
                )
            render(
                "rows.html",
                base="",
                page=self._log.page(),
                chosen=None,
                person=REVIEW,
            )

    # Looking

    def about(self, _request: Request) -> Response:
        """The folders whose changes these are."""
        return JSONResponse(
            {"roots": [quote(root.path) for root in self._workspace.roots]}
        )

    def newest(self, request: Request) -> Response:
        """The newest change."""
        newest = self._workspace.history(limit=1)
        if not newest:
            return HTMLResponse(render("empty.html"))
        return self._answer(request, "change", newest[0].id)

    def named(self, request: Request) -> Response:
        """One change, or all that is left of several as one."""
        return self._answer(
            request, request.path_params["kind"], request.path_params["name"]
        )

    def _answer(self, request: Request, kind: str, name: str) -> Response:
        views = {
            "view": self._view,
            "comments": self._remarks,
            "tree": self._tree,
        }
        viewed, asked = self._selected(kind, name), request.query_params
        if view := views.get(asked.get("part", "view")):
            return view(request, viewed)
        made = ViewPart(
            self._workspace, viewed, asked, self._shared(request, viewed)
        ).made()
        if isinstance(made, str):
            return HTMLResponse(made)
        # An SVG is a document: opened by itself it must not run in the page's origin.
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return Response(
            made.content,
            media_type=made.media,
            headers={"content-security-policy": policy},
        )

    def _selected(self, kind: str, name: str) -> Viewed:
        """The changes that are meant; those of the last few views are held until something changes."""
        return self._viewed(kind, name, self._workspace.newest())

    def _select(self, kind: str, name: str, _newest: str | None) -> Viewed:
        return Viewed(
            kind,
            name,
            self._workspace.under(self._task()).select(scope_of(kind, name)),
        )

    # Parts

    def _view(self, request: Request, viewed: Viewed) -> Response:
        record = viewed.record
        return self._html(
            "change.html",
            request,
            viewed,
            row=self._log.row(record) if viewed.kind == "change" else None,
            prompt=self._log.prompt(viewed.name)
            if viewed.kind in ("change", "prompt")
            else None,
            record=record,
            cards=cards_of(self._workspace, viewed.record),
            following=CARDS,
            guarded=self._workspace.guard_report(record.session)
            if viewed.kind == "session" and record.session
            else None,
        )

    def rows(self, request: Request) -> Response:
        """Rows of the list, filtered."""
        asked = request.query_params
        page = self._log.page(
            before=asked.get("before") or None, text=asked.get("q", "")
        )
        return self._html(
            "rows.html", request, page=page, chosen=asked.get("chosen")
        )

    async def events(self, _request: Request) -> Response:
        """News for as long as the page is open, lines of JSON: the newest change, and how many calls wait."""
        return StreamingResponse(
            self._news(), media_type="application/x-ndjson"
        )

    async def _news(self) -> AsyncIterator[str]:
        told, looks = "", 0
        while not self.leaving.is_set():
            now = await run_in_threadpool(self._look)
            if now != told:
                told = now
                yield now
            elif looks % PING_LOOKS == 0:
                yield "\n"
            looks += 1
            try:
                await asyncio.wait_for(self.leaving.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue

    def _look(self) -> str:
        newest, waiting = (
            self._workspace.newest() or "",
            len(self._words.waiting()),
        )
        return (
            json.dumps(
                {
                    "newest": newest,
                    "waiting": waiting,
                    "comments": self._words.state(),
                }
            )
            + "\n"
        )

    def _tree(self, request: Request, viewed: Viewed) -> Response:
        """All files by their folders, the lines counted as far as there is time."""
        clock = Task(seconds=_COUNTED_SECONDS)
        rows = [
            row_of(self._workspace, entry, counted=not clock.expired)
            for entry in viewed.record.file_changes[:_TREE]
        ]
        more = len(viewed.record.file_changes) - len(rows)
        return self._html("tree.html", request, viewed, rows=rows, more=more)

    def _seen(self, _request: Request, given: Seen) -> str:
        """Mark a file as seen in a version, or not."""
        self._words.mark(given.path, given.version)
        return "Viewed." if given.version else "Not viewed."

    # Calls that wait for a word

    def waiting(self, request: Request) -> Response:
        """The calls that wait."""
        calls = self._words.waiting()
        return self._html("waiting.html", request, calls=calls)

    def waiting_call(self, request: Request) -> Response:
        """One of them, with what it would do."""
        wanted = request.path_params["call"]
        call = next(
            (call for call in self._words.waiting() if call.id == wanted), None
        )
        if call is None:
            raise missing("This call does not wait any more.")
        diff = Diff.from_json(call.diff) if call.diff else Diff()
        return self._html("asked.html", request, call=call, shown=diff)

    def _word(self, _request: Request, given: Answer) -> str:
        """Give the person's word on a call."""
        if not self._words.answer(
            given.call, "allowed" if given.allow else "refused"
        ):
            raise missing("This call does not wait any more.")
        if given.allow:
            return "Allowed: the agent may make this call now."
        return "Refused: the agent may not make it."

    # Comments

    def _remarks(self, request: Request, viewed: Viewed) -> Response:
        """What was said of the lines of these files."""
        found = self._words.comments(viewed.address)
        return self._html("comments.html", request, comments=found)

    def _comment(self, _request: Request, given: Remark) -> str:
        """Keep what a person says of some lines, for the agent."""
        viewed = self._selected(given.kind, given.name)
        record = viewed.record
        index, first, last = viewed.index(given.index), given.first, given.last
        sign: Literal["-", "+"] = "-" if given.before else "+"
        rows = lines_of(
            self._workspace,
            viewed.record,
            index,
            sign,
            first,
            max(last - first + 1, 0),
        )
        if rows == []:
            raise invalid("There are no such lines in this file.")
        quoted = "\n".join(row.text for row in rows or ())
        path, session = (
            record.file_changes[index].path.display_path,
            record.session or "",
        )
        made = Comment(
            viewed.address,
            path,
            given.before,
            first,
            last,
            quoted[:_QUOTED],
            given.words,
        )
        self._words.comment(made, session, record.client or "")
        return "The agent is told with its next answer."

    def _resolve(self, _request: Request, given: Resolved) -> str:
        """The person is done with a comment, or is not."""
        if not self._words.resolve(given.comment, done=given.done):
            raise missing("There is no such comment.")
        return "Resolved." if given.done else "Open again."

    # Acting

    def _act(self, request: Request, asked: Action) -> Response:
        """Show what an action would do (`preview`), or do it: as JSON the change it made."""
        if asked.hunk is not None and asked.path is None:
            raise invalid("A hunk is one of a file.")
        workspace = self._workspace.under(self._task())
        scope = scope_of(asked.kind, asked.name)
        try:
            done = workspace.revert_edit(
                scope.change_id,
                session=scope.session,
                since=scope.since,
                prompt=scope.prompt,
                path=asked.path,
                hunk=asked.hunk,
                preview=asked.preview,
                force=asked.force,
                include_shared=asked.force,
            )
        except FilewrightError as error:
            problem = render(
                "refusal.html",
                asked=asked,
                message=error.message.partition("\n")[0],
                hint=None if error.details.get("conflicts") else error.hint,
                conflicts=error.details.get("conflicts", []),
                forced=(
                    error.code is Code.STALE_VERSION
                    or "shared_with" in error.details
                )
                and not asked.force
                and asked.hunk is None,
            )
            return HTMLResponse(
                problem, status_code=_STATUS.get(error.code, 422)
            )
        if not asked.preview:
            return JSONResponse(
                {
                    "change_id": done.change_id,
                    "said": done.text.partition("\n")[0],
                }
            )
        return self._html(
            "preview.html",
            request,
            asked=asked,
            title=self._title(asked),
            done=done,
            shown=done.difference,
        )

    def _title(self, asked: Action) -> str:
        """What the changes are called that an action takes back, or that it goes back to."""
        found = self._log.prompt(asked.name)
        if found is None:
            return asked.name
        return (
            found[1]
            if asked.kind == "prompt"
            else self._log.row(self._workspace.record(asked.name)).title
        )

    # What they share

    def _task(self) -> Task:
        return Task(
            seconds=self._workspace.settings.call_seconds, caller=self._caller
        )

    def _told(
        self,
        path: str,
        model: type[_S],
        do: Callable[[Request, _S], Response | str],
        *,
        looks: bool = False,
    ) -> Route:
        """Where the script sends such a body; what does more than to look is refused where nothing may be changed."""

        async def answer(request: Request) -> Response:
            try:
                given = model.model_validate(await json_of(request, _BODY))
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the body"
                raise invalid(
                    f"This is nothing the page can do: {where}: {first['msg']}"
                ) from error
            if self._workspace.settings.read_only and not looks:
                raise read_only()
            made = await run_in_threadpool(do, request, given)
            return (
                JSONResponse({"said": made}) if isinstance(made, str) else made
            )

        return Route(path, answer, methods=["POST"])

    def _html(
        self,
        template: str,
        request: Request,
        viewed: Viewed | None = None,
        **values: Any,
    ) -> HTMLResponse:
        return HTMLResponse(
            render(template, **self._shared(request, viewed), **values)
        )

    def _shared(
        self, request: Request, viewed: Viewed | None = None
    ) -> dict[str, Any]:
        base = request.scope.get("root_path", "")
        return {
            "base": base,
            "split": request.cookies.get("filewright_split") == "1",
            "acting": not self._workspace.settings.read_only,
            "person": REVIEW,
            "app": False,
            "seen": self._words.seen() if viewed is not None else {},
            "viewed": viewed,
            "source": f"{base}{viewed.address}" if viewed is not None else None,
        }


def _problem(_request: Request, error: Exception) -> Response:
    """What went wrong, as a page says it."""
    status, message, hint = (
        500,
        "This failed because of a bug in filewright; the terminal shows more.",
        None,
    )
    if isinstance(error, FilewrightError):
        status, message, hint = (
            _STATUS.get(error.code, 422),
            error.message,
            error.hint,
        )
    elif isinstance(error, HTTPException):
        status, message = error.status_code, error.detail
    return HTMLResponse(
        render("problem.html", message=message, hint=hint), status_code=status
    )


class Said(BaseModel):
    """What the page's script sends."""

    model_config = ConfigDict(frozen=True, strict=True)


class Action(Said):
    """What somebody wants taken back: a change, a prompt, a session, or all since a change; of it a file, or a hunk."""

    kind: Kind
    name: str
    path: str | None = None
    hunk: int | None = Field(default=None, gt=0, lt=MOST)
    preview: bool = True
    force: bool = False


class Remark(Said):
    """A comment on lines of one of the files that are looked at."""

    kind: Kind
    name: str
    index: int
    before: bool
    first: int = Field(gt=0, lt=MOST)
    last: int = Field(gt=0, lt=MOST)
    words: str = Field(min_length=1, max_length=WORDS_CHARS, pattern=r"\S")


class Resolved(Said):
    """Whether the person is done with a comment."""

    comment: str
    done: bool


class Answer(Said):
    """The word on a call that waits."""

    call: str
    allow: bool


class Seen(Said):
    """The version of a file that was seen, or nothing."""

    path: str
    version: str = Field(max_length=100)
