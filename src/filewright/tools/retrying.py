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
    False (a preview) never locks; `again` False (the caller named a version) never repeats.
    """
    for remaining in reversed(range(_TRIES)):
        with nullcontext() if remaining or not writes else context.changes.writing(task=task):
            try:
                return attempt()
            except FilewrightError as error:
                if error.code != Code.STALE_VERSION or not again or not remaining:
                    raise
    raise AssertionError("unreachable")
