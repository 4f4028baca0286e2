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

# A single quote: the word before it, which may be the prefix of a string, and the
# beginning of a word behind it.
_SINGLE_QUOTE = re.compile(
    r"(?P<word>(?:(?<!\w)(?P<prefix>[bfruBFRU]{1,2})|\w))?'(?=(?P<behind>\w)?)"
)

# The beginning of a comment or docstring, set off from code: `x  # note`, not `a#b`.
_COMMENT_START = re.compile(r"(?:^|(?<=\s))(?:#|//|--|/\*|\*|;|%)|\"\"\"|'''")


def is_in_quotes(line: str, position: int) -> bool:
    """Return True if a position is between quotes, as far as the line tells."""
    # An escaped quote opens and closes nothing.
    before = re.sub(r"\\.", "", line[:position])
    if before.count('"') % 2 or before.count("`") % 2:
        return True
    return _is_in_single_quotes(before)


def _is_in_single_quotes(text: str) -> bool:
    """Return True if a text without escapes ends between single quotes."""
    is_open = False
    for part in _SINGLE_QUOTE.finditer(text):
        if is_open:
            # Inside of a word it is an apostrophe, also in a string.
            is_open = part["behind"] is not None and part["word"] is not None
        else:
            # At the end of a word it is one too, but not behind `f` or `rb`.
            is_open = part["word"] is None or part["prefix"] is not None
    return is_open


def is_code(line: str, position: int) -> bool:
    """Return True if a position of a line is in no string and in no comment."""
    if is_in_quotes(line, position):
        return False
    comments = _COMMENT_START.finditer(line[:position])
    return all(is_in_quotes(line, comment.start()) for comment in comments)
