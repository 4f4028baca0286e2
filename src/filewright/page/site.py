"""The review page as an application: its addresses, and what each answers.

What is looked at is a change (`/change/ID`), what came of the same prompt (`/prompt/ID`), a session (`/session/NAME`)
or everything since a change (`/since/ID`). The page's script asks such an address for a `part` of it: the view, more
files, one file, folded lines, an image. Whoever asks has passed the guard. Everything that reads files or history
runs in a worker thread.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote as in_address

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from filewright.boundary import quote
from filewright.changes import Contents, Scope, Selected
from filewright.edit import Diff
from filewright.errors import Code, FilewrightError, read_only
from filewright.page.approvals import Approvals, Word
from filewright.page.cards import CARDS, IMAGES, card_of, cards_of, folded_lines, lines_of, suffix
from filewright.page.changelog import ChangeLog
from filewright.page.comments import WORDS_CHARS, Comment, Comments
from filewright.page.guard import json_of
from filewright.page.render import render
from filewright.page.view import views_of
from filewright.progress import Caller, Task
from filewright.workspace import REVIEW, Workspace

LOOK_SECONDS = 1.0
"""How often the page looks for new changes."""
PING_LOOKS = 15
_KEPT = 4
"""Sessions, and other views, that are held for the next part of them."""
_BODY = 1 << 16
"""Bytes of a request to act."""
_MOST = 10**12
"""The largest number that is asked for: of a hunk, or by so much a line is further down."""
_KINDS = ("change", "prompt", "session", "since")
_STATUS = {Code.NOT_FOUND: 404, Code.STALE_VERSION: 409, Code.INVALID_INPUT: 400, Code.READ_ONLY: 403}


@dataclass(frozen=True, slots=True)
class Viewed:
    """What a page is of: its kind and name in the address, and the changes these mean."""

    kind: str
    name: str
    selected: Selected

    @property
    def contents(self) -> Contents:
        """What the changes did and kept."""
        return self.selected.contents

    @property
    def address(self) -> str:
        """Where it is found, below the page's own address."""
        return f"/{self.kind}/{in_address(self.name)}"


class ReviewSite:
    """The review page of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._log = ChangeLog(workspace)
        self._approvals = Approvals(workspace)
        self._comments = Comments(workspace)
        self._caller = Caller(session=f"review-{secrets.token_hex(4)}", client=REVIEW)
        self._viewed: dict[tuple[str, str, str | None], Viewed] = {}
        self.leaving = asyncio.Event()
        """Set when the server is to end: it ends the streams that wait for news."""

    def application(self) -> Starlette:
        """What answers; everything it is asked has passed the guard."""
        return Starlette(
            routes=[
                Route("/", self.newest),
                Route("/change/{name:path}", self.change),
                Route("/prompt/{name:path}", self.prompt),
                Route("/session/{name:path}", self.session),
                Route("/since/{name:path}", self.since),
                Route("/about", self.about),
                Route("/list", self.rows),
                Route("/waiting", self.waiting),
                Route("/waiting/{call}", self.waiting_call),
                Route("/word", self.word, methods=["POST"]),
                Route("/comment", self.comment, methods=["POST"]),
                Route("/resolve", self.resolve, methods=["POST"]),
                Route("/events", self.events),
                Route("/act", self.act, methods=["POST"]),
            ],
            exception_handlers={
                FilewrightError: self._refused,
                HTTPException: self._missing,
                Exception: self._failed,
            },
        )

    def warm(self) -> None:
        """Load and read what the first page needs, while the browser is still being opened."""
        newest = self._workspace.history(limit=1)
        if newest:
            cards_of(self._workspace, self._selected("change", newest[0].id).contents)
        render("rows.html", base="", page=self._log.page(), chosen=None, person=REVIEW)
        render("empty.html")

    # Looking

    def about(self, _request: Request) -> Response:
        """The folders whose changes these are."""
        return JSONResponse({"roots": [quote(root.path) for root in self._workspace.roots]})

    def newest(self, request: Request) -> Response:
        """The newest change."""
        newest = self._workspace.history(limit=1)
        if not newest:
            return HTMLResponse(render("empty.html"))
        return self._answer(request, "change", newest[0].id)

    def change(self, request: Request) -> Response:
        """One change."""
        return self._answer(request, "change", request.path_params["name"])

    def prompt(self, request: Request) -> Response:
        """All that is left of what came of one prompt, as one."""
        return self._answer(request, "prompt", request.path_params["name"])

    def session(self, request: Request) -> Response:
        """All that is left of what a session did, as one."""
        return self._answer(request, "session", request.path_params["name"])

    def since(self, request: Request) -> Response:
        """All that was changed after a change, as one."""
        return self._answer(request, "since", request.path_params["name"])

    def _answer(self, request: Request, kind: str, name: str) -> Response:
        answers: dict[str, Callable[[Request, Viewed], Response]] = {
            "view": self._view,
            "files": self._files,
            "file": self._file,
            "lines": self._lines,
            "image": self._image,
            "comments": self._remarks,
        }
        part = request.query_params.get("part", "view")
        if part not in answers:
            raise HTTPException(404, "There is no such part of this page.")
        return answers[part](request, self._selected(kind, name))

    def _selected(self, kind: str, name: str) -> Viewed:
        """The changes that are meant; those of the last few views are held until something changes."""
        key = (kind, name, self._workspace.newest())
        found = self._viewed.get(key)
        if found is None:
            found = Viewed(kind, name, self._workspace.select(_scope(kind, name), task=self._task()))
            while len(self._viewed) >= _KEPT:
                self._viewed.pop(next(iter(self._viewed)), None)
            self._viewed[key] = found
        return found

    # Parts

    def _view(self, request: Request, viewed: Viewed) -> Response:
        record = viewed.contents.record
        return HTMLResponse(
            render(
                "change.html",
                **self._shared(request, viewed),
                row=self._log.row(record) if viewed.kind == "change" else None,
                prompt=self._log.prompt(viewed.name) if viewed.kind in ("change", "prompt") else None,
                record=record,
                cards=cards_of(self._workspace, viewed.contents),
                following=CARDS,
            )
        )

    def rows(self, request: Request) -> Response:
        """Rows of the list, filtered."""
        asked = request.query_params
        page = self._log.page(before=asked.get("before") or None, text=asked.get("q", ""))
        return HTMLResponse(
            render("rows.html", **self._shared(request), page=page, chosen=asked.get("chosen"))
        )

    def _files(self, request: Request, viewed: Viewed) -> Response:
        start = _number(request, "start")
        cards = cards_of(self._workspace, viewed.contents, start=start)
        shared = self._shared(request, viewed)
        record = viewed.contents.record
        return HTMLResponse(
            render("cards.html", **shared, record=record, cards=cards, following=start + CARDS)
        )

    def _file(self, request: Request, viewed: Viewed) -> Response:
        full = "full" in request.query_params
        card = card_of(self._workspace, viewed.contents, _index(request, viewed), full=full)
        return HTMLResponse(render("card.html", **self._shared(request, viewed), card=card))

    def _lines(self, request: Request, viewed: Viewed) -> Response:
        first, last, shift = (
            _number(request, "from"),
            _number(request, "to"),
            _number(request, "shift", -_MOST),
        )
        view = folded_lines(self._workspace, viewed.contents, _index(request, viewed), first, last, shift)
        if view is None:
            raise HTTPException(404, "These lines were not kept.")
        return HTMLResponse(render("lines.html", **self._shared(request), view=view, hunk=view.hunks[0]))

    def _image(self, request: Request, viewed: Viewed) -> Response:
        entry = viewed.contents.record.entries[_index(request, viewed)]
        media = IMAGES.get(suffix(entry.place.shown))
        content = None
        if media is not None:
            before = request.query_params.get("side") == "before"
            content = viewed.contents.before(entry) if before else viewed.contents.after(entry)
        if content is None:
            raise HTTPException(404, "There is no such image, or it was not kept.")
        # An SVG is a document: opened by itself it must not run in the page's origin.
        policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return Response(content, media_type=media, headers={"content-security-policy": policy})

    async def events(self, request: Request) -> Response:
        """News for as long as the page is open, lines of JSON: the newest change, and how many calls wait."""
        return StreamingResponse(
            self._news(request.query_params.get("after", "")), media_type="application/x-ndjson"
        )

    async def _news(self, known: str) -> AsyncIterator[str]:
        told: tuple[str, list[str], str] = known, [], ""
        looks = 0
        while not self.leaving.is_set():
            now = await run_in_threadpool(self._look)
            if now != told:
                told = now
                yield json.dumps({"newest": now[0], "waiting": len(now[1]), "comments": now[2]}) + "\n"
            elif looks % PING_LOOKS == 0:
                yield "\n"
            looks += 1
            try:
                await asyncio.wait_for(self.leaving.wait(), LOOK_SECONDS)
            except TimeoutError:
                continue

    def _look(self) -> tuple[str, list[str], str]:
        waiting = [call.id for call in self._approvals.waiting()]
        return self._workspace.newest() or "", waiting, self._comments.state()

    # Calls that wait for a word

    def waiting(self, request: Request) -> Response:
        """The calls that wait."""
        calls = self._approvals.waiting()
        return HTMLResponse(render("waiting.html", **self._shared(request), calls=calls))

    def waiting_call(self, request: Request) -> Response:
        """One of them, with what it would do."""
        wanted = request.path_params["call"]
        call = next((call for call in self._approvals.waiting() if call.id == wanted), None)
        if call is None:
            raise HTTPException(404, "This call does not wait any more.")
        diff = Diff.of_json(call.diff) if call.diff else Diff()
        shared = self._shared(request)
        return HTMLResponse(
            render("asked.html", **shared, call=call, views=views_of(diff), remark=diff.remark)
        )

    async def word(self, request: Request) -> Response:
        """Give the person's word on a call."""
        given = await json_of(request, _BODY)
        call, allow = (given.get("call"), given.get("allow")) if isinstance(given, dict) else (None, None)
        if not isinstance(call, str) or not isinstance(allow, bool):
            raise HTTPException(400, "This is no word on a call.")
        self._refuse_read_only()
        word: Word = "allowed" if allow else "refused"
        if not await run_in_threadpool(self._approvals.answer, call, word):
            raise HTTPException(404, "This call does not wait any more.")
        said = (
            "Allowed: the agent may make this call now." if allow else "Refused: the agent may not make it."
        )
        return JSONResponse({"said": said})

    # Comments

    def _remarks(self, request: Request, viewed: Viewed) -> Response:
        """What was said of the lines of these files."""
        found = self._comments.of(viewed.address)
        return HTMLResponse(render("comments.html", **self._shared(request), comments=found))

    async def comment(self, request: Request) -> Response:
        """Keep what a person says of some lines, for the agent."""
        given = await json_of(request, _BODY)
        return await run_in_threadpool(self._comment, given if isinstance(given, dict) else {})

    def _comment(self, given: dict[str, Any]) -> Response:
        self._refuse_read_only()
        kind, name, words = (given.get(key) for key in ("kind", "name", "words"))
        index, first, last = (given.get(key) for key in ("index", "first", "last"))
        if not (isinstance(words, str) and 0 < len(words.strip()) <= WORDS_CHARS):
            raise HTTPException(400, f"A comment has words, {WORDS_CHARS:,} characters at most.")
        if kind not in _KINDS or not isinstance(name, str) or type(given.get("before")) is not bool:
            raise HTTPException(400, "This is no comment.")
        if not (type(index) is type(first) is type(last) is int and 0 < first <= last < _MOST):
            raise HTTPException(400, "A comment is on lines of a file.")
        viewed = self._selected(kind, name)
        record = viewed.contents.record
        if not 0 <= index < len(record.entries):
            raise HTTPException(404, f"There are {len(record.entries)} files.")
        entry = record.entries[index]
        quoted = lines_of(viewed.contents, entry, first, last, before=given["before"])
        if quoted == "":
            raise HTTPException(400, "There are no such lines in this file.")
        path, session = entry.place.shown, record.session or ""
        made = Comment(viewed.address, path, given["before"], first, last, quoted or "", words.strip())
        self._comments.write(made, session, record.client or "")
        return JSONResponse({"said": "The agent is told with its next answer."})

    async def resolve(self, request: Request) -> Response:
        """The person is done with a comment, or is not."""
        given = await json_of(request, _BODY)
        name, done = (given.get("comment"), given.get("done")) if isinstance(given, dict) else (None, None)
        if not isinstance(name, str) or not isinstance(done, bool):
            raise HTTPException(400, "This is no comment.")
        self._refuse_read_only()
        if not await run_in_threadpool(self._comments.resolve, name, done=done):
            raise HTTPException(404, "There is no such comment.")
        return JSONResponse({"said": "Resolved." if done else "Open again."})

    # Acting

    async def act(self, request: Request) -> Response:
        """Show what an action would do (`preview`), or do it: as JSON the change it made."""
        asked = Action.of(await json_of(request, _BODY))
        return await run_in_threadpool(self._act, request, asked)

    def _act(self, request: Request, asked: Action) -> Response:
        workspace = self._workspace.under(self._task())
        scope = _scope(asked.kind, asked.name)
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
            )
        except FilewrightError as error:
            problem = render(
                "refusal.html",
                asked=asked,
                message=error.message.partition("\n")[0],
                hint=None if error.details.get("conflicts") else error.hint,
                conflicts=error.details.get("conflicts", []),
                forced=error.code is Code.STALE_VERSION and not asked.force and asked.hunk is None,
            )
            return HTMLResponse(problem, status_code=_STATUS.get(error.code, 422))
        if not asked.preview:
            return JSONResponse({"change_id": done.change_id, "said": done.text.partition("\n")[0]})
        diff = done.difference
        shared = self._shared(request)
        return HTMLResponse(
            render(
                "preview.html",
                **shared,
                asked=asked,
                title=self._title(asked),
                done=done,
                views=views_of(diff),
                remark=diff.remark,
            )
        )

    def _title(self, asked: Action) -> str:
        """What the changes are called that an action takes back, or that it goes back to."""
        found = self._log.prompt(asked.name)
        if asked.kind == "session" or found is None:
            return asked.name
        return found[1] if asked.kind == "prompt" else self._log.row(self._workspace.record(asked.name)).title

    # What they share

    def _task(self) -> Task:
        return Task(seconds=self._workspace.settings.call_seconds, caller=self._caller)

    def _refuse_read_only(self) -> None:
        if self._workspace.settings.read_only:
            raise read_only()

    def _shared(self, request: Request, viewed: Viewed | None = None) -> dict[str, Any]:
        base = request.scope.get("root_path", "")
        return {
            "base": base,
            "split": request.cookies.get("filewright_split") == "1",
            "acting": not self._workspace.settings.read_only,
            "person": REVIEW,
            "viewed": viewed,
            "source": f"{base}{viewed.address}" if viewed is not None else None,
        }

    def _refused(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, FilewrightError)
        return _problem(_STATUS.get(error.code, 422), error.message, error.hint)

    def _missing(self, _request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _problem(error.status_code, error.detail, None)

    def _failed(self, _request: Request, _error: Exception) -> Response:
        return _problem(500, "This failed because of a bug in filewright; the terminal shows more.", None)


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody wants taken back: a change, a prompt, a session, or all since a change; of it a file, or a hunk."""

    kind: str
    name: str
    path: str | None
    hunk: int | None
    preview: bool
    force: bool

    @classmethod
    def of(cls, given: Any) -> Action:
        """From the JSON of a request. Raises `HTTPException` for anything else."""
        if not isinstance(given, dict):
            raise HTTPException(400, "An action is an object.")
        kind, name, path, hunk = (given.get(key) for key in ("kind", "name", "path", "hunk"))
        fits = (
            kind in _KINDS
            and (path is None or isinstance(path, str))
            and (hunk is None or (type(hunk) is int and 0 < hunk < _MOST and path is not None))
        )
        if not fits or not isinstance(kind, str) or not isinstance(name, str):
            raise HTTPException(400, "This is no action of the page.")
        return cls(kind, name, path, hunk, given.get("preview") is not False, given.get("force") is True)


def _scope(kind: str, name: str) -> Scope:
    return Scope(
        change_id=name if kind == "change" else None,
        session=name if kind == "session" else None,
        since=name if kind == "since" else None,
        prompt=name if kind == "prompt" else None,
    )


def _problem(status: int, message: str, hint: str | None) -> Response:
    return HTMLResponse(render("problem.html", message=message, hint=hint), status_code=status)


def _index(request: Request, viewed: Viewed) -> int:
    index, count = _number(request, "index"), len(viewed.contents.record.entries)
    if not 0 <= index < count:
        raise HTTPException(404, f"There are {count} files.")
    return index


def _number(request: Request, name: str, least: int = 0) -> int:
    given = request.query_params.get(name, "")
    if re.fullmatch(r"-?[0-9]{1,12}", given) is None or int(given) < least:
        raise HTTPException(400, f"{name} must be a number")
    return int(given)
