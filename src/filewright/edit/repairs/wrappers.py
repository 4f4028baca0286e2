"""Fences, marks and tags around the texts of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from filewright.edit.repairs.model import RepairedRequest

# The first or last line of a block of Markdown: ```` ```python ````.
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[^`]*")
# A line between the texts of an edit: `<<<<<<< SEARCH`, `*** End Patch`.
_MARK = re.compile(
    r"(?:[<>|=+-]{5,}\s*(?:SEARCH|REPLACE|ORIGINAL|UPDATED|HEAD)?"
    r"|\*\*\* (?:Begin|End) \w+)\s*"
)
# The names of tags around an argument of a call: `<old_string>`, `<parameter>`.
_TAG_NAMES = (
    r"(?:(?:old|new)_\w+|parameter|invoke|function_calls|tool_call"
    r"|search|replace(?:ment)?|content|antml:\w+)"
)
# At the beginning of a text: `<search>`, `<![CDATA[`.
_OPENING_TAG = re.compile(rf"\s*(?:<!\[CDATA\[|<{_TAG_NAMES}>|<\|\w+\|>)")
# At the end of a text: `</search>`, `]]>`.
_CLOSING_TAG = re.compile(rf"(?:\]\]>|</{_TAG_NAMES}>|<\|\w+\|>)\s*$")


def repair_fence(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """Yield the request without a code fence around its texts."""
    new_search, new_replacement = (
        _remove_fence(search),
        _remove_fence(replacement),
    )
    if new_search is None or new_search == search or new_replacement is None:
        return
    yield RepairedRequest(
        new_search,
        new_replacement,
        "removing the code fence around the text",
        whole_lines=True,
    )


def _remove_fence(text: str) -> str | None:
    """Return the text inside its fence, as a `TextRepair`."""
    lines = text.strip("\n").split("\n")
    fence = fence_at_edge(text)
    if not fence:
        return text
    is_closed = len(lines) > 1 and lines[-1].strip() == fence
    if is_closed and _FENCE.fullmatch(lines[0]):
        return "\n".join([*lines[1:-1], ""])
    return None


def fence_at_edge(text: str) -> str:
    """Return the marks of a code fence at the beginning or end of a text, or ""."""
    lines = text.strip("\n").split("\n")
    match = _FENCE.fullmatch(lines[0]) or _FENCE.fullmatch(lines[-1].rstrip())
    return match["fence"] if match else ""


def remove_marks(text: str) -> str | None:
    """Take the marks between search and replacement from the edges of a text."""
    lines = text.split("\n")
    while lines and _is_blank_or_mark(lines[0]):
        lines.pop(0)
    while lines and _is_blank_or_mark(lines[-1]):
        lines.pop()
    # A mark inside of the text may divide it: what is meant is not certain.
    if any(line.strip() and _MARK.fullmatch(line) for line in lines):
        return None
    if text.strip("\n") == "\n".join(lines).strip("\n"):
        return text
    return "\n".join([*lines, ""])


def _is_blank_or_mark(line: str) -> bool:
    """Return True if a line is blank, or a mark such as `<<<<<<< SEARCH`."""
    return not line.strip() or _MARK.fullmatch(line) is not None


def remove_tags(text: str) -> str | None:
    """Take the tags of a call from the edges of a text."""
    opening, closing = _OPENING_TAG.match(text), _CLOSING_TAG.search(text)
    start = opening.end() if opening else 0
    end = len(text)
    if closing and closing.start() >= start:
        end = closing.start()
    inner = text[start:end]
    return inner.removeprefix("\n") if opening else inner
