"""Batches: an object of the answer for each item of a call, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import Field

from filewright.dialects.call import Call
from filewright.dialects.dialect import Answer
from filewright.dialects.filesystem.paths import (
    describe_error,
    is_refused_path,
    to_native,
)
from filewright.dialects.json_answers import (
    Json,
    count_fitting_json,
    encode_json,
)
from filewright.errors import FilewrightError, invalid
from filewright.tools.arguments import Arguments
from filewright.tools.batch import check_count
from filewright.tools.result import FailedCall

_NOTE_CHARACTERS = 200
"""Characters that are reserved for the note on left-out items."""

Item = TypeVar("Item")

Paths = Annotated[list[str], Field(min_length=1)]


class PathPair(Arguments):
    """A source and a destination of `move_items` and `copy_items`."""

    source: str
    destination: str
    overwrite: bool | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An item that was refused: the error, and the words of the dialect for it."""

    error: FilewrightError
    text: str


def refused_item(refusal: Refusal) -> Json:
    """Return what most tools answer for an item that was refused."""
    return {"success": False, "error": refusal.text}


def answer_items(
    call: Call,
    items: Sequence[Item],
    paths_of: Callable[[Item], Mapping[str, str]],
    run: Callable[[Item, int], Json],
    refused: Callable[[Refusal], Json] = refused_item,
) -> Answer:
    """Return the array with an object for each item: its paths, and what `run` did.

    `paths_of` returns the paths of an item, as the caller wrote them, by the names that
    the answer has for them. `run` takes an item and the characters that its object may
    have; an error that it raises is answered by `refused`.
    """
    check_count(call.context, items)
    answers: list[Json] = []
    has_other_answers = False
    # The brackets of the array, and some to spare.
    remaining = call.max_characters - 10
    for number, item in enumerate(items):
        call.task.report(number, len(items), "items")
        paths = paths_of(item)
        path = next(iter(paths.values()))
        answer: Json = dict(paths)
        # What an item leaves of its share the following items may use.
        share = remaining // (len(items) - number) - len(path) - 20
        try:
            answer |= run(item, share)
            has_other_answers = True
        except FilewrightError as error:
            if error.ends_call:
                raise
            # A refused item is a part of the answer, so the others are still done.
            text = describe_error(call, error, _path_in_question(error, paths))
            answer |= refused(Refusal(error, text))
            has_other_answers |= not is_refused_path(error)
        remaining -= len(encode_json(answer)) + 2
        answers.append(answer)
    text = encode_array(call, answers)
    if not has_other_answers:
        return FailedCall(
            text, error=invalid("every path was refused", items=answers)
        )
    return text


def _path_in_question(error: FilewrightError, paths: Mapping[str, str]) -> str:
    """Return the path of an item that an error is about, as the caller wrote it."""
    native_path = error.details.get("path")
    for path in paths.values():
        try:
            if to_native(path) == native_path:
                return path
        except FilewrightError:
            break
    return next(iter(paths.values()))


def path_of(path: str) -> Mapping[str, str]:
    """Return the path of an item that is a path."""
    return {"path": path}


def pair_of(pair: PathPair) -> Mapping[str, str]:
    """Return the paths of an item that has two."""
    return {"source": pair.source, "destination": pair.destination}


def encode_array(
    call: Call, items: Sequence[object], *, is_complete: bool = True
) -> str:
    """Return the JSON array of as many `items` as fit, and how many are left out.

    `is_complete` is False if there are more items, in an unknown number.
    """
    count = count_fitting_json(items, call.max_characters - _NOTE_CHARACTERS)
    shown_items = list(items[:count])
    if count < len(items) or not is_complete:
        omitted = f"{len(items) - count}"
        if not is_complete:
            omitted = f"at least {len(items) - count + 1}"
        note = f"[{omitted} more, not shown]"
        # The note is of the kind of the items.
        is_text = isinstance(items[0], str)
        shown_items.append(note if is_text else {"note": note})
    return encode_json(shown_items)
