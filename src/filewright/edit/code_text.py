"""Which text of a file is code, and which is content."""

from __future__ import annotations

import re

from filewright.edit.comparison import word_set
from filewright.languages import Language

#: Languages in which an entity is text.
MARKUP = frozenset(map(Language, word_set("html xml vue svelte php jsx tsx markdown")))


#: Languages that are not code, in which typographic characters and signs before lines are text.
PROSE = {
    None,
    *map(Language, word_set("html xml markdown text log csv tsv latex rst diff")),
}


_LEADING = re.compile(r"(?:^|(?<=\s))(?:#|//|--|/\*|\*|;|%)|\"\"\"|'''")


def in_quotes(line: str, at: int) -> bool:
    """Return whether the character at `at` of a line is between quotes, as far as the line tells."""
    before = re.sub(r"\\.", "", line[:at])
    single = re.sub(r"\w'\w|\w'(?=\s)", "", before).count("'")
    return before.count('"') % 2 == 1 or before.count("`") % 2 == 1 or single % 2 == 1


def is_code(line: str, at: int) -> bool:
    """Return whether the character at `at` of a line is in no string and in no comment."""
    if in_quotes(line, at):
        return False
    return not any(
        not in_quotes(line, mark.start()) for mark in _LEADING.finditer(line[:at])
    )
