"""The argument `offset` of dialects, which the native tools call `start`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filewright.errors import Code, FilewrightError


@contextmanager
def naming_offset(offset: int) -> Iterator[None]:
    """Raise the refusal of a native `start` as the refusal of `offset`."""
    try:
        yield
    except FilewrightError as error:
        is_about_start = error.details.get("argument") == "start"
        if error.code != Code.INVALID_INPUT or not is_about_start:
            raise
        raise describe_offset(error, offset) from error


def describe_offset(error: FilewrightError, offset: int) -> FilewrightError:
    """Return the refusal of a native `start` that says `offset`."""
    path = error.details["path"]
    line_count = error.details["line_count"]
    message = (
        f"offset={offset} is past the end of {path}, "
        f"which has {line_count} lines"
    )
    hint = "the file is empty"
    if line_count:
        hint = (
            f"use an offset from 1 to {line_count}, "
            "or a negative one to count from the end"
        )
    if offset == 0:
        message = "offset=0: lines are numbered from 1"
        hint = (
            "use offset=1 for the beginning, "
            "a negative offset to count from the end"
        )
    return FilewrightError(
        error.code,
        message,
        hint,
        details={**error.details, "argument": "offset"},
    )
