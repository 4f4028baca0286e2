"""The difference between code, and text in a string, a comment or prose."""

from __future__ import annotations

import re

from filewright.edit.comparison import word_set
from filewright.languages import Language

# Languages in which an entity such as `&lt;` is text.
MARKUP_LANGUAGES = frozenset(
    map(Language, word_set("html xml vue svelte php jsx tsx markdown"))
)

# Languages that are not code: typographic characters and signs before lines are text.
PROSE_LANGUAGES = {
    None,
    *map(
        Language, word_set("html xml markdown text log csv tsv latex rst diff")
    ),
}

# The beginning of a comment or docstring, set off from code: `x  # note`, not `a#b`.
_COMMENT_START = re.compile(r"(?:^|(?<=\s))(?:#|//|--|/\*|\*|;|%)|\"\"\"|'''")


def is_in_quotes(line: str, position: int) -> bool:
    """Return True if a position is between quotes, as far as the line tells."""
    # An escaped quote opens and closes nothing.
    before = re.sub(r"\\.", "", line[:position])
    # An apostrophe is no quote: neither inside a word nor at the end of one.
    single_quotes = re.sub(r"\w'\w|\w'(?=\s)", "", before).count("'")
    counts = (before.count('"'), before.count("`"), single_quotes)
    return any(count % 2 == 1 for count in counts)


def is_code(line: str, position: int) -> bool:
    """Return True if a position of a line is in no string and in no comment."""
    if is_in_quotes(line, position):
        return False
    comments = _COMMENT_START.finditer(line[:position])
    return all(is_in_quotes(line, comment.start()) for comment in comments)
