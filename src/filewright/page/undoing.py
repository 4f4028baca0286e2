"""Undoing on the page: first the preview, then, at the person's word, the undo."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from filewright.errors import FilewrightError, invalid
from filewright.page.context import PageContext
from filewright.page.parts import scope_of
from filewright.page.problems import show_refusal
from filewright.page.requests import UndoRequest


class Undoing:
    """Undos of changes, prompts, sessions, files and hunks."""

    def __init__(self, context: PageContext) -> None:
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the address of an undo and of its preview."""
        return [
            self._context.post("/act", UndoRequest, self._undo, only_reads=True)
        ]

    def _undo(self, request: Request, body: UndoRequest) -> Response:
        """Undo, and return the change as JSON; or return a preview."""
        if body.hunk is not None and body.path is None:
            raise invalid("A hunk needs the path of its file.")
        context = self._context
        workspace = context.workspace.under(context.new_task())
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
            return show_refusal(body, error)
        if not body.preview:
            return JSONResponse(
                {
                    "change_id": result.change_id,
                    "said": result.text.partition("\n")[0],
                }
            )
        return context.html(
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
        heading = self._context.log.prompt(body.name)
        if heading is None:
            return body.name
        if body.kind == "prompt":
            return heading.title
        record = self._context.workspace.record(body.name)
        return self._context.log.row(record).title
