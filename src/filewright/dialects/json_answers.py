"""Answers that are JSON: one line, and never longer than an answer may be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from filewright.dialects.call import Call
from filewright.wording import escape_surrogates

Json = dict[str, Any]

_MIN_PAGE_CHARACTERS = 250
"""The smallest native page that is tried."""

_MAX_HALVINGS = 7
"""Halvings of the page, after which an answer is sent though it is too long."""

_QUOTING_CHARACTERS = 1_500
"""Characters for the names of fields and a few escapes, as in most answers."""


def encode_json(value: object) -> str:
    """Return JSON on one line, with letters as they are and without lone surrogates."""
    return escape_surrogates(json.dumps(value, ensure_ascii=False))


def count_fitting(sizes: Iterable[int], limit: int) -> int:
    """Return how many of the first `sizes` have a sum of at most `limit`."""
    count = 0
    used = 0
    for size in sizes:
        used += size
        if used > limit:
            break
        count += 1
    return count


def count_fitting_json(items: Iterable[object], limit: int) -> int:
    """Return how many of `items` fit, as members of a JSON array, in `limit` characters."""
    # A comma and a space follow each member.
    return count_fitting((len(encode_json(item)) + 2 for item in items), limit)


def fit_page(call: Call, limit: int, build: Callable[[Call], Json]) -> Json:
    """Return the answer built with the largest native page whose JSON fits in `limit` characters.

    Escapes may multiply the characters of a page: a page of half the size may fit where
    the whole one does not.
    """
    answer: Json = {}
    sizes = [limit, limit - _QUOTING_CHARACTERS]
    for halvings in range(1, _MAX_HALVINGS + 1):
        sizes.append(limit >> halvings)
    for size in sizes:
        answer = build(call.with_page(max(size, _MIN_PAGE_CHARACTERS)))
        if len(encode_json(answer)) <= limit:
            break
    return answer
