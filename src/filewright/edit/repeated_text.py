"""Text beside a match that its replacement brings along once more."""

from __future__ import annotations

import re

from filewright.edit.model import TextPart
from filewright.edit.source import Source
from filewright.text.codec import normalised

#: Bytes behind a match that are looked at for text that the replacement brings along once more.
_NEAR = 4_096


def _doubled(source: Source, part: TextPart) -> str | None:
    """Return text beside a match that the replacement brings along once more."""
    begin = max(source.line_start(part.span.start), part.span.start - _NEAR)
    before = source.text(source.read(begin, part.span.start))
    behind = normalised(source.text(source.read(part.span.end, part.span.end + _NEAR)))
    return twice(part.search, part.replace, before, behind)


def twice(search: str, new: str, before: str, behind: str) -> str | None:
    """Return text beside a match that the replacement brings along once more; None if there is none.

    `before` is the text of the file before the match on its line, `behind` the rest of its last line and some lines.
    """
    for left, right, is_there in (
        (before, search, new.startswith),
        (search, behind, new.endswith),
    ):
        ending, beginning = re.search(r"\w+\Z", left), re.match(r"\w+", right)
        if ending and beginning and is_there(ending[0] + beginning[0]):
            return ending[0] if right is search else beginning[0]
    rest, _, below = behind.partition("\n")
    last, old = new.rpartition("\n")[2].rstrip(), search.rpartition("\n")[2]
    if (
        rest.strip()
        and last.endswith(rest.strip())
        and not old.rstrip().endswith(rest.strip())
    ):
        return rest.strip()
    added = new.removesuffix("\n").rpartition("\n")[2]
    next_line = (
        rest
        if search.endswith("\n")
        else (below if not rest.strip() else "").partition("\n")[0]
    )
    if (
        "\n" in new
        and next_line.strip()
        and added == next_line
        and added not in search.split("\n")
    ):
        return added.strip()
    return None
