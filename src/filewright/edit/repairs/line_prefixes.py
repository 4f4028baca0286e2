"""Prefixes before each line of a request: the mark of a quote, a prompt, a path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from filewright.edit.repairs.model import RepairedRequest


@dataclass(frozen=True, slots=True)
class _Prefix:
    """A kind of prefix, and the description of its repair."""

    description: str
    pattern: re.Pattern[str]


_PREFIXES = (
    # The mark of a quotation or table, or a prompt: `> x = 1`, `$ make`, `>>> f()`.
    _Prefix("removing the prefix of each line", re.compile(r"[>│┃|]+|\$|>>>")),
    # The path and number that a search prints: `src/a.py:12:x = 1`.
    _Prefix(
        "removing the path before each line",
        re.compile(r"[\w./\\-]+\.\w{1,8}[:-]\d+[:-]"),
    ),
)


def repair_prefixes(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """Yield the request without each kind of prefix, and the space behind it."""
    for prefix in _PREFIXES:
        pattern = _pattern_in(search, prefix.pattern)
        # A space behind the prefix is the prefix's if every line has one.
        for padding in (" ", ""):
            new_search = _remove_prefix(pattern, padding, search)
            new_replacement = _remove_prefix(pattern, padding, replacement)
            if new_search is not None and new_replacement is not None:
                yield RepairedRequest(
                    new_search,
                    new_replacement,
                    prefix.description,
                    whole_lines=True,
                )


def has_prefixes(text: str) -> bool:
    """Return True if lines of a text have a prefix, all of them or some."""
    return any(
        _remove_prefix(prefix.pattern, "", text) != text for prefix in _PREFIXES
    )


def _pattern_in(search: str, pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern of the very signs that the search text has as a prefix.

    A sign that only the replacement begins with is its own, such as the bar of a table.
    A prefix of words, as a path is, differs from line to line.
    """
    signs: set[str] = set()
    for line in search.split("\n"):
        match = pattern.match(line)
        if match is not None:
            signs.add(match[0])
    if not signs or any(re.search(r"\w", sign) for sign in signs):
        return pattern
    # A pattern takes the first alternative that fits: `>` would leave a part of `>>>`.
    longest_first = sorted(signs, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


def _remove_prefix(
    pattern: re.Pattern[str], padding: str, text: str
) -> str | None:
    """Take a prefix and its padding from every line that is not blank.

    Return the text itself if no line has the prefix, and None if not all of them have.
    """
    lines = text.split("\n")
    matches = [pattern.match(line) for line in lines if line.strip()]
    if not any(matches):
        return text
    result: list[str] = []
    for line in lines:
        if not line.strip():
            result.append(line)
            continue
        match = pattern.match(line)
        if match is None:
            return None
        rest = line[match.end() :]
        if rest.strip() and not rest.startswith(padding):
            return None
        result.append(rest.removeprefix(padding))
    return "\n".join(result)
