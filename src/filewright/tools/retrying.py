"""Doing a change again when the file changed between deciding and committing."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TypeVar

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.tools.context import Context

_TRIES = 3

T = TypeVar("T")


def until_settled(
    context: Context, attempt: Callable[[], T], *, writes: bool, again: bool = True, task: Task
) -> T:
    """What `attempt` answers, made anew on what is there now if it met `stale_version`.

    The last time other writers are kept out, so that many edits of one file all land. `writes`
    False (a preview) never locks; `again` False (the caller named a version) never repeats. What an
    earlier attempt met of others' saves is in the error of a later one.
    """
    met: list[str] = []
    for remaining in reversed(range(_TRIES)):
        with nullcontext() if remaining or not writes else context.changes.writing(task=task):
            try:
                return attempt()
            except FilewrightError as error:
                conflicts = error.details.get("conflicts", [])
                if error.code != Code.STALE_VERSION or not again or not remaining:
                    if met:
                        error.details["conflicts"] = [*met, *conflicts]
                        error.hint = "; ".join([*met, error.hint] if error.hint else met)
                    raise
                # Those of a merge are no sentences, and belong to this attempt only.
                met += [conflict for conflict in conflicts if isinstance(conflict, str)]
    raise AssertionError("unreachable")
