"""Calls about several paths: an answer for each, within a limit for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from filewright.errors import FilewrightError
from filewright.hints import fill, join_words
from filewright.tools.bounded_text import clip
from filewright.tools.result import FailedCall, ToolResult
from filewright.wording import escape_controls, pluralize

MIN_SHARE_CHARS = 200
MAX_PATH_CHARS = 200

ResultT = TypeVar("ResultT", bound=ToolResult)


def run_for_each(
    paths: Sequence[str],
    max_characters: int,
    run: Callable[[int, int], ResultT],
    failure_format: str,
) -> list[ResultT | FailedCall]:
    """Return a result for each path, each within its share of the characters.

    `run` takes the index of a path and its share. If it fails, the result is the error,
    in the words of `failure_format`, which names the path and the error.
    """
    results: list[ResultT | FailedCall] = []
    characters_left = max_characters
    for index, path in enumerate(paths):
        # Characters that a short answer leaves are for the paths behind it.
        share = characters_left // (len(paths) - index)
        try:
            results.append(run(index, max(MIN_SHARE_CHARS, share)))
        except FilewrightError as error:
            if error.ends_call:
                raise
            name = clip(escape_controls(path), MAX_PATH_CHARS)
            text = fill(failure_format, name, str(error))
            results.append(FailedCall(text, error=error, path=path))
        characters_left = max(0, characters_left - len(results[-1].text) - 1)
    return results


def join_texts(
    results: Sequence[ToolResult], paths: Sequence[str], max_characters: int
) -> str:
    """Return the texts of as many results as fit, and the path to continue with."""
    texts: list[str] = []
    used_characters = 0
    for result, path in zip(results, paths, strict=True):
        used_characters += len(result.text) + 2
        if texts and used_characters > max_characters:
            name = clip(escape_controls(path), MAX_PATH_CHARS)
            more = pluralize(len(paths) - len(texts), "more path")
            texts.append(f"[{more} not shown; continue with paths from {name}]")
            break
        texts.append(result.text)
    return join_words("\n\n", texts)
