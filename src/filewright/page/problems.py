"""Errors as the page shows them, with the status of the response."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from filewright.errors import Code, FilewrightError
from filewright.hints import names_tools
from filewright.page.render import render
from filewright.page.requests import UndoRequest

_STATUS_OF_CODE = {
    Code.NOT_FOUND: 404,
    Code.STALE_VERSION: 409,
    Code.INVALID_INPUT: 400,
    Code.READ_ONLY: 403,
}
_OTHER_STATUS = 422
_KINDS_OF_CHANGES = ("change", "prompt", "since")


def show_refusal(body: UndoRequest, error: FilewrightError) -> Response:
    """Return the page of an undo that is refused, with its conflicts."""
    conflicts = error.details.get("conflicts", [])
    # With `force`, a file gets its earlier content over whatever is there now.
    could_be_forced = "shared_with" in error.details or error.details.get(
        "can_force", error.code is Code.STALE_VERSION
    )
    html = render(
        "refusal.html",
        asked=body,
        message=error.summary,
        hint=None if conflicts else _hint_for_people(error),
        conflicts=conflicts,
        forced=could_be_forced and not body.force and body.hunk is None,
    )
    return HTMLResponse(html, status_code=status_of(error))


def show_error(request: Request, error: Exception) -> Response:
    """Return an error as the page shows it."""
    status = 500
    message = (
        "This failed because of a bug in filewright; the terminal shows more."
    )
    hint = None
    if isinstance(error, FilewrightError):
        status = status_of(error)
        message, hint = error.message, _hint_for_people(error)
        kind = request.path_params.get("kind")
        if error.code is Code.NOT_FOUND and kind in _KINDS_OF_CHANGES:
            message, hint = "This change is not here (any more).", None
    elif isinstance(error, HTTPException):
        status, message = error.status_code, error.detail
    base = request.scope.get("root_path", "")
    html = render("problem.html", base=base, message=message, hint=hint)
    return HTMLResponse(html, status_code=status)


def _hint_for_people(error: FilewrightError) -> str | None:
    """Return the hint of an error, unless it speaks to an agent of its tools."""
    if error.hint is None or names_tools(error.hint):
        return None
    return error.hint


def status_of(error: FilewrightError) -> int:
    """Return the status of the response to a refused request."""
    return _STATUS_OF_CODE.get(error.code, _OTHER_STATUS)
