"""Hints for a path that does not exist: the location it led to, and likely paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from filewright.boundary.names import quote
from filewright.errors import Code, FilewrightError
from filewright.tools.best_effort import best_effort
from filewright.tools.suggestions import suggest

if TYPE_CHECKING:
    from filewright.tools.context import Context

SUGGESTION_SECONDS = 0.5


def explain_path_error(
    context: Context, error: FilewrightError, *, can_suggest: bool
) -> bool:
    """Add hints to the error for a path that does not exist or leads out of the roots.

    Other errors, and errors with these hints, stay as they are. With `can_suggest`, look
    for paths that may be meant. Return True if they were looked for.
    """
    path = error.details.get("path")
    # An error with these details has its hints: of a patch, or of an earlier call.
    if not isinstance(path, str) or error.details.keys() & {"strip", "alike"}:
        return False
    is_missing = error.code == Code.NOT_FOUND
    is_outside = error.code == Code.PATH_ESCAPE and "roots" in error.details
    is_url = error.code == Code.INVALID_INPUT and path.startswith("file:")
    if is_missing and not _add_place(context, error, path):
        return False
    if not can_suggest or not (is_missing or is_outside or is_url):
        return False
    question = _suggest(context, error, path)
    if question and is_missing:
        error.hint = question
    elif question:
        # The error's own hint says what to do about a path outside of the roots.
        error.hint = f"{question} {error.hint or ''}".rstrip()
    return True


def _add_place(context: Context, error: FilewrightError, path: str) -> bool:
    """Add to the error for a missing path where it led; return False if it is known."""
    if "root" in error.details:
        return False
    try:
        location = context.boundary.locate(path)
        missing, parent = None, location
        while parent.parts and not context.exists(parent):
            missing, parent = parent, parent.parent
    except FilewrightError:
        # The error says what is known already.
        return False
    if missing is None:
        return False
    resolved, root = quote(location.absolute), quote(location.root.path)
    error.summary = f"{error.summary} ({resolved}, in the root {root})"
    error.details.update(resolved=resolved, root=root)
    if missing != location:
        error.hint = (
            f"there is no {missing.display_path}; list {parent.display_path} "
            "to see what is there"
        )
    return True


def _suggest(context: Context, error: FilewrightError, path: str) -> str:
    """Return a question that names likely paths, or ""; note them in the error."""
    question = ""
    with best_effort(context.task, SUGGESTION_SECONDS) as task:
        suggestions = suggest(context.boundary, path, task)
        question = suggestions.hint
        if question:
            error.details["alike"] = list(suggestions.paths)
    return question
