"""All repairs of a request, in order of how sure they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from filewright.edit.repairs.diff_signs import repair_diff_signs
from filewright.edit.repairs.escapes import (
    has_all_newlines_escaped,
    remove_entities,
    remove_escaped_line_ends,
    remove_escaped_tabs,
    remove_json_quotes,
    remove_unicode_escapes,
    repair_backslashes,
)
from filewright.edit.repairs.line_numbers import (
    has_line_number,
    repair_line_numbers,
)
from filewright.edit.repairs.line_prefixes import has_prefixes, repair_prefixes
from filewright.edit.repairs.model import UNESCAPED, RepairedRequest, TextRepair
from filewright.edit.repairs.wrappers import (
    fence_at_edge,
    remove_marks,
    remove_tags,
    repair_fence,
)


@dataclass(frozen=True, slots=True)
class _Repair:
    """A repair that treats both texts of a request alike."""

    description: str
    repair_text: TextRepair
    whole_lines: bool = False


_REPAIRS = (
    _Repair(UNESCAPED, remove_entities),
    _Repair(UNESCAPED, remove_unicode_escapes),
    _Repair(UNESCAPED, remove_escaped_tabs),
    _Repair(UNESCAPED, remove_escaped_line_ends),
    _Repair(UNESCAPED, remove_json_quotes),
    _Repair(
        "removing the marks around the text", remove_marks, whole_lines=True
    ),
    _Repair("removing the tags around the text", remove_tags),
)


def propose_repairs(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """Yield the repairs of a request, each repaired search text once."""
    search_texts = {search}
    for repaired in _repair_in_every_way(search, replacement):
        if repaired.search.strip() and repaired.search not in search_texts:
            search_texts.add(repaired.search)
            yield repaired


def _repair_in_every_way(
    search: str, replacement: str
) -> Iterator[RepairedRequest]:
    """Yield the request without each kind of damage, equal results too."""
    yield from repair_fence(search, replacement)
    yield from repair_line_numbers(search, replacement)
    without_signs = repair_diff_signs(search, replacement)
    if without_signs is not None:
        yield without_signs
    yield from repair_prefixes(search, replacement)
    for repair in _REPAIRS:
        new_search = repair.repair_text(search)
        new_replacement = repair.repair_text(replacement)
        if (
            new_search is None
            or new_search == search
            or new_replacement is None
        ):
            continue
        yield RepairedRequest(
            new_search,
            new_replacement,
            repair.description,
            whole_lines=repair.whole_lines,
        )
    yield from repair_backslashes(search, replacement)


def remove_characters(
    search: str, replacement: str, missing: set[str]
) -> RepairedRequest:
    """Return the request without invisible characters that the file does not have."""
    table = dict.fromkeys(map(ord, missing))
    return RepairedRequest(
        search.translate(table),
        replacement.translate(table),
        "removing invisible characters",
    )


def looks_damaged(text: str) -> bool:
    """Return True if a text has damage that is repaired here, or half of it."""
    if (
        fence_at_edge(text)
        or has_prefixes(text)
        or has_all_newlines_escaped(text)
    ):
        return True
    lines = [line for line in text.split("\n") if line.strip()]
    numbered_count = sum(map(has_line_number, lines))
    if lines and 2 * numbered_count >= len(lines):
        return True
    if any(repair.repair_text(text) != text for repair in _REPAIRS):
        return True
    # A quote with a backslash before it, which strings of code have as well.
    return re.search(r"\\+[\"']", text) is not None
