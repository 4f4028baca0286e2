"""Text beside an exact match that its replacement repeats.

A model often sends a replacement that is longer than the search text: the rest of the
word, of the line, or the line below comes once more.
"""

from __future__ import annotations

import re

from filewright.edit.model import TextPart
from filewright.edit.source import Source
from filewright.text.codec import normalize_newlines

# Bytes beside a match in which text is looked for that the replacement repeats.
CONTEXT_BYTES = 4_096


def find_repeated_text(source: Source, match: TextPart) -> str | None:
    """Return text beside a match that the replacement repeats, or None."""
    span = match.span
    line_start = max(source.line_start(span.start), span.start - CONTEXT_BYTES)
    before = source.text(source.read(line_start, span.start))
    behind = normalize_newlines(
        source.text(source.read(span.end, span.end + CONTEXT_BYTES))
    )
    return (
        _find_repeated_word(match, before, behind)
        or _find_repeated_rest(match, behind)
        or _find_repeated_line(match, behind)
    )


def _find_repeated_word(
    match: TextPart, before: str, behind: str
) -> str | None:
    """Return the part of a word beside the match that the replacement repeats."""
    before_end, search_start = (
        _word_at_end(before),
        _word_at_start(match.search),
    )
    is_inside_word = bool(before_end and search_start)
    if is_inside_word and match.replace.startswith(before_end + search_start):
        return before_end
    search_end, behind_start = (
        _word_at_end(match.search),
        _word_at_start(behind),
    )
    is_inside_word = bool(search_end and behind_start)
    if is_inside_word and match.replace.endswith(search_end + behind_start):
        return behind_start
    return None


def _word_at_start(text: str) -> str:
    """Return the word that a text begins with, or an empty text."""
    word = re.match(r"\w+", text)
    return word[0] if word else ""


def _word_at_end(text: str) -> str:
    """Return the word that a text ends with, or an empty text."""
    word = re.search(r"\w+\Z", text)
    return word[0] if word else ""


def _find_repeated_rest(match: TextPart, behind: str) -> str | None:
    """Return the rest of the last matched line, if the replacement ends with it."""
    rest = behind.partition("\n")[0].strip()
    new_line = match.replace.rpartition("\n")[2].rstrip()
    old_line = match.search.rpartition("\n")[2].rstrip()
    if rest and new_line.endswith(rest) and not old_line.endswith(rest):
        return rest
    return None


def _find_repeated_line(match: TextPart, behind: str) -> str | None:
    """Return the line below the match, if the replacement ends with that line."""
    rest, _, below = behind.partition("\n")
    if match.search.endswith("\n"):
        next_line = rest
    elif rest.strip():
        return None
    else:
        next_line = below.partition("\n")[0]
    # A replacement of one line that equals the next line may be meant: `pass`, `}`.
    if "\n" not in match.replace or not next_line.strip():
        return None
    last_line = match.replace.removesuffix("\n").rpartition("\n")[2]
    if last_line == next_line and last_line not in match.search.split("\n"):
        return last_line.strip()
    return None
