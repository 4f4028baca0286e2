"""Damage that a whole request carries, taken away from both of its texts.

A repair is a proposal: it counts only where the search text as it is sent does not occur, and the repaired one does.
The search text itself proves the damage then. The replacement carries the same damage throughout and is repaired
with it, or carries none of it and stays; of half of it nobody can say what is meant, and the repair is dropped. Two
repairs that both lead somewhere must lead to the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from filewright.edit.repairs.diff_signs import repair_diff_signs
from filewright.edit.repairs.escapes import (
    _is_broken,
    _without_backslashes,
    _without_entities,
    _without_escaped_ends,
    _without_escaped_tabs,
    _without_json,
    _without_unicode_escapes,
)
from filewright.edit.repairs.line_numbers import _NUMBERED, _without_numbers
from filewright.edit.repairs.line_prefixes import (
    _PREFIXES,
    _prefixes_of,
    _without_prefix,
)
from filewright.edit.repairs.model import (
    UNESCAPED,
    RepairedRequest,
)
from filewright.edit.repairs.wrappers import (
    _without_fence,
    _without_marks,
    _without_tags,
    fence_at_edge,
)


def propose_repairs(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """Yield each way in which the request may be repaired, once."""
    seen = {search}
    for better in _all(search, replacement):
        if better.search.strip() and better.search not in seen:
            seen.add(better.search)
            yield better


def _all(search: str, replacement: str) -> Iterator[RepairedRequest]:
    yield from _without_fence(search, replacement)
    yield from _without_numbers(search, replacement)
    signed = repair_diff_signs(search, replacement)
    if signed is not None:
        yield signed
    for what, prefix in _prefixes_of(search):
        # A space behind the prefix is the prefix's if every line has one.
        for pad in (" ", ""):
            plain, new = (
                _without_prefix(prefix, pad, search),
                _without_prefix(prefix, pad, replacement),
            )
            if plain is not None and new is not None:
                yield RepairedRequest(plain, new, what, whole_lines=True)
    for what, undo, is_whole in _KINDS:
        plain, new = undo(search), undo(replacement)
        if plain is not None and plain != search and new is not None:
            yield RepairedRequest(plain, new, what, whole_lines=is_whole)
    yield from _without_backslashes(search, replacement)


# Kinds: each returns the text without the damage, the text itself if it has none, None if it has half of it.


def remove_characters(
    search: str, replacement: str, missing: set[str]
) -> RepairedRequest:
    """Return the request without characters that cannot be seen, and that the file does not have."""
    table = dict.fromkeys(map(ord, missing))
    what = "took away characters that cannot be seen"
    return RepairedRequest(search.translate(table), replacement.translate(table), what)


_KINDS: tuple[tuple[str, Callable[[str], str | None], bool], ...] = (
    (UNESCAPED, _without_entities, False),
    (UNESCAPED, _without_unicode_escapes, False),
    (UNESCAPED, _without_escaped_tabs, False),
    (UNESCAPED, _without_escaped_ends, False),
    (UNESCAPED, _without_json, False),
    ("took away the marks around the text", _without_marks, True),
    ("took away the tags around the text", _without_tags, False),
)


def looks_damaged(text: str) -> bool:
    """Return whether a text bears any of the damage, or half of it, that is repaired here."""
    lines = [line for line in text.split("\n") if line.strip()]
    numbered = sum(bool(_NUMBERED.match(line)) for line in lines)
    return (
        bool(fence_at_edge(text))
        or bool(lines and 2 * numbered >= len(lines))
        or any(undo(text) != text for _, undo, _ in _KINDS)
        or any(_without_prefix(prefix, "", text) != text for _, prefix in _PREFIXES)
        or _is_broken(text)
        or re.search(r"\\+[\"']", text) is not None
    )
