"""The context that all parts of the page share: workspace, history, and rendering."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from filewright.changes.model import RecordedPath
from filewright.errors import FilewrightError, invalid, read_only
from filewright.mailbox.marks import ReviewMarks
from filewright.page.changelog import ChangeLog
from filewright.page.decisions import Decisions
from filewright.page.gate import read_json
from filewright.page.parts import Picture, Subject, scope_of
from filewright.page.render import render
from filewright.page.requests import PageRequest
from filewright.progress import Caller, Task
from filewright.workspace import REVIEW_CLIENT, Workspace

_MAX_CACHED_VIEWS = 4
"""Views that are held for the next request of a part of them; one may be large."""
_MAX_CACHED_CHANGES = 1_000
"""Changes whose paths are held."""
_MAX_BODY_BYTES = 1 << 18
"""Bytes of a request: a decision about 5,000 files has the most."""
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The content policy of images.

An SVG is a document: opened by itself it must not run in the page's origin.
"""

_Request = TypeVar("_Request", bound=PageRequest)


class PageContext:
    """The workspace of the page, its history, and the way answers are made."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.log = ChangeLog(workspace)
        self.marks = ReviewMarks(workspace)
        self._caller = Caller(
            session=f"review-{secrets.token_hex(4)}", client=REVIEW_CLIENT
        )
        # A recorded change never changes, so its paths need no key but its id.
        self._touched_cached = lru_cache(_MAX_CACHED_CHANGES)(
            self._read_touched
        )
        # With the newest change as a part of the key: it may belong to the same view.
        self._select_cached = lru_cache(_MAX_CACHED_VIEWS)(self._select_at)

    def new_task(self) -> Task:
        """Return a task for one request of the person."""
        return Task(
            seconds=self.workspace.settings.call_seconds, caller=self._caller
        )

    def decisions(self) -> Decisions:
        """Return the decisions of the person that hold now."""
        return Decisions.in_effect(self.marks.marks(), self.log.undone())

    def touched_paths(self, change_id: str) -> Sequence[RecordedPath]:
        """Return the paths at which a change left files; none if it cannot be read."""
        return self._touched_cached(change_id)

    def _read_touched(self, change_id: str) -> Sequence[RecordedPath]:
        with suppress(FilewrightError):
            record = self.workspace.changes.record(change_id)
            return [change.path for change in record.file_changes]
        return []

    def select(self, kind: str, name: str) -> Subject:
        """Return the changes of an address.

        Those of the last views are held until a change is made.
        """
        return self._select_cached(kind, name, self.workspace.newest())

    def _select_at(self, kind: str, name: str, _newest: str | None) -> Subject:
        workspace = self.workspace.under(self.new_task())
        return Subject(kind, name, workspace.select(scope_of(kind, name)))

    # Answers

    def post(
        self,
        path: str,
        model: type[_Request],
        handle: Callable[[Request, _Request], Response | str],
        *,
        only_reads: bool = False,
    ) -> Route:
        """Return the route of a request with a body.

        Unless it `only_reads`, it is refused in a read-only workspace. A text that
        `handle` returns is shown to the person for a moment.
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
            if self.workspace.settings.read_only and not only_reads:
                raise read_only()
            result = await run_in_threadpool(handle, request, body)
            if isinstance(result, str):
                return JSONResponse({"said": result})
            return result

        return Route(path, answer, methods=["POST"])

    def html(
        self,
        template: str,
        request: Request,
        subject: Subject | None = None,
        **values: Any,
    ) -> HTMLResponse:
        """Return a template, filled in with the shared values and others."""
        shared = self.shared_values(request, subject)
        return HTMLResponse(render(template, **shared, **values))

    def shared_values(
        self, request: Request, subject: Subject | None = None
    ) -> dict[str, Any]:
        """Return the values that all templates get."""
        base = request.scope.get("root_path", "")
        values: dict[str, Any] = {
            "base": base,
            "split": request.cookies.get("filewright_split") == "1",
            "acting": not self.workspace.settings.read_only,
            "person": REVIEW_CLIENT,
            "app": False,
            "subject": subject,
            "source": None,
        }
        if subject is not None:
            values["newest"] = self.workspace.newest() or ""
            values["source"] = f"{base}{subject.address}"
        return values


def part_response(part: str | Picture) -> Response:
    """Return a part of a view as the response to a request."""
    if isinstance(part, str):
        return HTMLResponse(part)
    return Response(
        part.content,
        media_type=part.media_type,
        headers={"content-security-policy": _SVG_POLICY},
    )
