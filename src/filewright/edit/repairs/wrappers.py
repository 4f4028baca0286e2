"""Fences, marks and tags around the texts of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from filewright.edit.repairs.model import (
    RepairedRequest,
)

_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})[^`]*")


_MARK = re.compile(
    r"(?:[<>|=+-]{5,}\s*(?:SEARCH|REPLACE|ORIGINAL|UPDATED|HEAD)?|\*\*\* (?:Begin|End) \w+)\s*"
)


_TAG_NAMES = r"(?:(?:old|new)_\w+|parameter|invoke|function_calls|tool_call|search|replace(?:ment)?|content|antml:\w+)"


_OPENING_TAG = re.compile(rf"\s*(?:<!\[CDATA\[|<{_TAG_NAMES}>|<\|\w+\|>)")


_CLOSING_TAG = re.compile(rf"(?:\]\]>|</{_TAG_NAMES}>|<\|\w+\|>)\s*$")


def _without_marks(text: str) -> str | None:
    """Take the marks between search and replacement from the edges of a text."""
    lines = text.split("\n")
    while lines and (not lines[0].strip() or _MARK.fullmatch(lines[0])):
        lines.pop(0)
    end = len(lines)
    while end and (not lines[end - 1].strip() or _MARK.fullmatch(lines[end - 1])):
        end -= 1
    if any(line.strip() and _MARK.fullmatch(line) for line in lines[:end]):
        return None
    marked = text.strip("\n") != "\n".join(lines[:end]).strip("\n")
    return "\n".join([*lines[:end], ""]) if marked else text


def _without_tags(text: str) -> str | None:
    """Take the tags of a call from the edges of a text."""
    opening, closing = _OPENING_TAG.match(text), _CLOSING_TAG.search(text)
    start = opening.end() if opening else 0
    end = closing.start() if closing and closing.start() >= start else len(text)
    inner = text[start:end]
    return inner.removeprefix("\n") if opening else inner


def _without_fence(search: str, replacement: str) -> Iterator[RepairedRequest]:
    """An outer fence: its first line opens it, its last closes it, and the replacement has both or none."""
    inner, new = _fenced(search), _fenced(replacement)
    if inner is not None and inner != search and new is not None:
        yield RepairedRequest(
            inner, new, "took away the code fence around the text", whole_lines=True
        )


def _fenced(text: str) -> str | None:
    """The text inside its fence; the text itself if it has none; None if it has half of one."""
    lines = text.strip("\n").split("\n")
    fence = fence_at_edge(text)
    if not fence:
        return text
    closed = (
        len(lines) > 1 and lines[-1].strip() == fence and _FENCE.fullmatch(lines[0])
    )
    return "\n".join([*lines[1:-1], ""]) if closed else None


def fence_at_edge(text: str) -> str:
    """The marks of a code fence with which a text begins or ends; "" if there are none."""
    lines = text.strip("\n").split("\n")
    found = _FENCE.fullmatch(lines[0]) or _FENCE.fullmatch(lines[-1].rstrip())
    return found["fence"] if found else ""
