"""What is said of a name that is not there: where it led, and which names are like it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import reduce
from itertools import islice

from filewright.boundary import Location, quote
from filewright.errors import Code, FilewrightError
from filewright.tools.context import Context
from filewright.wording import alike

_NAMES = 5_000
_ALIKE = 3


def explain(context: Context, error: FilewrightError) -> None:
    """Add to a `not_found` the place it resolved to, its root, and names that are like it."""
    asked = error.details.get("path")
    if (
        error.code != Code.NOT_FOUND
        or not isinstance(asked, str)
        or error.details.keys() & {"resolved", "strip", "alike"}
    ):
        return  # it is explained
    try:
        location = context.boundary.locate(asked)
        missing = _first_missing(context, location)
        if missing is None:
            return
        near = _alike(context, missing, location.parts[len(missing.parts) :])
    except FilewrightError:
        return  # the error says what is known already
    resolved = quote(location.absolute)
    root = quote(location.root.path)
    # What is wrong with other files of a patch, and what to do about it, is behind it.
    message, also, others = error.message.partition("\nalso: ")
    error.message = f"{message} ({resolved}, in the root {root}){also}{others}"
    error.details.update(resolved=resolved, root=root)
    hint, *hints = (error.hint or "").split("; ", 1)
    if near:
        hint = f"did you mean {' or '.join(near)}?"
        error.details["alike"] = near
    elif missing != location:
        hint = f"there is no {missing.shown}; list {missing.parent.shown} to see what is there"
    error.hint = "; ".join([hint, *hints])


def _first_missing(context: Context, location: Location) -> Location | None:
    """The first part of the path that is not there; None if all of it is."""
    found = None
    at = location
    while at.parts and not context.exists(at):
        found, at = at, at.parent
    return found


def _alike(context: Context, missing: Location, rest: Sequence[bytes]) -> list[str]:
    """Names in the deepest folder there is, shown as paths, the most alike first."""
    wanted = os.fsdecode(missing.name)
    walk = context.boundary.walk(missing.parent, depth=1, include_ignored=True, task=context.task)
    names = {os.fsdecode(entry.location.name): entry.location for entry in islice(walk, _NAMES)}
    return [_completed(context, names[name], rest).shown for name in alike(wanted, names, _ALIKE)]


def _completed(context: Context, location: Location, rest: Sequence[bytes]) -> Location:
    """The same path below the folder that may have been meant, if it is there."""
    whole = reduce(Location.child, rest, location)
    return whole if rest and context.exists(whole) else location
