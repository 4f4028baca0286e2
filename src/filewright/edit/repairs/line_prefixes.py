"""Prefixes that a display puts before each line."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PREFIXES = (
    ("took away the prefix of each line", re.compile(r"[>│┃|]+|\$|>>>")),
    (
        "took away the path before each line",
        re.compile(r"[\w./\\-]+\.\w{1,8}[:-]\d+[:-]"),
    ),
)


def _prefixes_of(search: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the kinds of prefixes that lines may have, each as the search text has it.

    A sign that only the replacement begins with is its own, such as the bar of a table.
    """
    for what, prefix in _PREFIXES:
        signs = {
            match[0] for line in search.split("\n") if (match := prefix.match(line))
        }
        if signs and not any(re.search(r"\w", sign) for sign in signs):
            yield (
                what,
                re.compile(
                    "|".join(
                        re.escape(sign) for sign in sorted(signs, key=len, reverse=True)
                    )
                ),
            )
        else:
            yield what, prefix


def _without_prefix(pattern: re.Pattern[str], pad: str, text: str) -> str | None:
    """Take a prefix, and what pads it, from every line that is not blank."""
    lines = text.split("\n")
    solid = [line for line in lines if line.strip()]
    matches = [pattern.match(line) for line in solid]
    if not any(matches):
        return text
    rests = [
        line[match.end() :] for line, match in zip(solid, matches, strict=True) if match
    ]
    if not all(matches) or not all(
        rest.startswith(pad) or not rest.strip() for rest in rests
    ):
        return None
    stripped = iter(rests)
    return "\n".join(
        next(stripped).removeprefix(pad) if line.strip() else line for line in lines
    )
