"""Undoing on the page: first a preview, then, once the person confirms it, the undo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from filewright.errors import FilewrightError, invalid
from filewright.page.context import PageContext
from filewright.page.deciding import Deciding
from filewright.page.outcome import describe_outcome, describe_undo
from filewright.page.parts import scope_of
from filewright.page.problems import show_refusal
from filewright.page.requests import UndoRequest
from filewright.tools.revert import RevertResult

_OPEN_ENDED = ("new", "since", "session", "prompt")
"""Views to which a new change may be added while the person reads a preview."""


class Undoing:
    """Undos of changes, prompts, sessions, files and hunks."""

    def __init__(self, context: PageContext, deciding: Deciding) -> None:
        self._context = context
        self._deciding = deciding

    def routes(self) -> Sequence[Route]:
        """Return the address of an undo and of its preview."""
        return [
            self._context.post("/act", UndoRequest, self._undo, only_reads=True)
        ]

    def _undo(self, request: Request, body: UndoRequest) -> Response:
        """Undo, and return the change as JSON; or return a preview."""
        if body.hunk is not None and body.path is None:
            raise invalid("A hunk needs the path of its file.")
        workspace = self._context.workspace
        has_grown = (
            body.kind in _OPEN_ENDED
            and body.newest is not None
            and body.newest != workspace.newest()
        )
        try:
            if body.preview or has_grown:
                preview = self._revert(body, preview=True)
                return self._show_preview(
                    request, body, preview, has_grown=has_grown
                )
            # The keys are made of contents that the undo changes, so they come first.
            content_keys = self._keys(body)
            result = self._revert(body, preview=False)
        except FilewrightError as error:
            return show_refusal(body, error)
        record = workspace.record(result.change_id or "")
        self._deciding.mark_undone(content_keys, record.id)
        return JSONResponse(
            {"change_id": record.id, "said": describe_undo(record, body)}
        )

    def _revert(self, body: UndoRequest, *, preview: bool) -> RevertResult:
        context = self._context
        scope = scope_of(body.kind, body.name)
        open_parts: Sequence[Mapping[str, Any]] | None = None
        if body.rest:
            subject = context.select(body.kind, body.name)
            open_parts = self._deciding.open_parts(subject)
            if open_parts == []:
                raise invalid("Nothing is open here: all of it is decided.")
        return context.workspace.under(context.new_task()).revert_edit(
            scope.change_id,
            session=scope.session,
            since=scope.since,
            prompt=scope.prompt,
            path=body.path,
            hunk=body.hunk,
            parts=open_parts,
            preview=preview,
            force=body.force,
            include_shared=body.force,
        )

    def _keys(self, body: UndoRequest) -> dict[str, str]:
        """Return the keys of the contents that a request undoes, with their paths."""
        if body.force or not (body.rest or body.path):
            return {}
        subject = self._context.select(body.kind, body.name)
        if body.path is not None:
            return self._deciding.keys_of_file(subject, body.path, body.hunk)
        return self._deciding.keys_of_open(subject)

    def _show_preview(
        self,
        request: Request,
        body: UndoRequest,
        preview: RevertResult,
        *,
        has_grown: bool,
    ) -> Response:
        """Return the preview of an undo.

        `has_grown`: something was changed since the person saw the last preview.
        """
        response = self._context.html(
            "preview.html",
            request,
            asked=body,
            title=self._title(body),
            done=preview,
            shown=preview.difference,
            outcome=describe_outcome(preview.difference),
            newest=self._context.workspace.newest() or "",
            has_grown=has_grown,
        )
        if has_grown:
            response.status_code = 409
        return response

    def _title(self, body: UndoRequest) -> str:
        """Return the title of the changes that a request undoes.

        For all changes since one, it is the title of that change.
        """
        if body.kind == "new":
            return "what is new"
        heading = self._context.log.prompt(body.name)
        if heading is None:
            return body.name
        if body.kind == "prompt":
            return heading.title
        record = self._context.workspace.record(body.name)
        return self._context.log.row(record).title
