"""The lines of two contents between their common beginning and their common end.

Most damage is in few lines of a large file, so all else is compared as bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from filewright.text.common_ends import common_prefix, common_suffix


@dataclass(frozen=True, slots=True)
class ChangedSpan:
    """The span of bytes that holds all differences of two contents, in whole lines.

    It begins at `start` in both, and ends at `end` in the first content, and at
    `other_end` in the second.
    """

    start: int
    end: int
    other_end: int


def find_changed_span(content: bytes, other: bytes) -> ChangedSpan:
    """Return the span of lines in which two contents differ."""
    prefix = common_prefix(content, other)
    # A line end of two bytes is not parted: the line begins behind a LF.
    start = content.rfind(b"\n", 0, prefix) + 1
    limit = min(len(content), len(other)) - start
    suffix = common_suffix(content, other, limit)
    line_end = content.find(b"\n", len(content) - suffix)
    # The last line that differs belongs to the span up to its end.
    suffix = 0 if line_end < 0 else len(content) - line_end - 1
    return ChangedSpan(start, len(content) - suffix, len(other) - suffix)
