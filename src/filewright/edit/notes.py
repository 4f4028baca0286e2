"""Notes on what an edit writes: text that looks like damage on the way to the file.

Such text may be meant, so it is written all the same, and the answer says so. The next
call can correct it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from filewright.edit.line_damage import (
    NUMBERED_LINE,
    RequestText,
    describe_damage,
)
from filewright.languages import Language

# More notes than these are noise: the first ones show what went wrong.
_MAX_NOTES = 5
# Signs that a display puts between a line number and its line. Text hardly has them:
# `1. First` is an item of a list, and `8080: web` a key.
_DISPLAY_SEPARATORS = "→│|┃»›\t"
# A text that is one JSON string as a whole: `"a();\\nb();"`.
_QUOTED_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Note:
    """A note on line `line` of the result; the sentence goes on with `text`."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line} {self.text}"


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line of the result with its number, from 1."""

    number: int
    text: str


def find_damage(
    request_lines: Sequence[str],
    result_lines: Iterable[NumberedLine],
    language: Language | None,
) -> list[Note]:
    """Return notes on what looks like damage in lines of the result.

    `request_lines` are those of the search text or the file. Anything that they have
    too is text, and no damage.
    """
    request = RequestText.of(request_lines, language)
    lines = [line for line in result_lines if line.text.strip()]
    new_lines = [line for line in lines if not request.has_line(line.text)]
    if not new_lines:
        return []
    notes: list[Note] = []
    for line in new_lines:
        for description in describe_damage(line.text, request):
            notes.append(Note(line.number, f"now contains {description}"))
    texts = [line.text for line in lines]
    for description in _describe_common_damage(texts, request):
        notes.append(Note(new_lines[0].number, description))
    return list(dict.fromkeys(notes))[:_MAX_NOTES]


def _describe_common_damage(
    texts: Sequence[str], request: RequestText
) -> Iterator[str]:
    """Yield descriptions of damage that all lines of a replacement have together."""
    if _has_line_numbers(texts) and not request.has_line_matching(
        NUMBERED_LINE
    ):
        yield "begins with a line number, like the lines below"
    # The marks of a quotation, of two prompts, and of a table.
    for prefix in ("> ", ">>> ", "$ ", "| "):
        has_prefix = all(text.lstrip().startswith(prefix) for text in texts)
        if has_prefix and not request.has_line_beginning(prefix.strip()):
            yield f"begins with {prefix}like every line of the replacement"
            break
    whole = "\n".join(texts).strip()
    is_in_backquotes = len(whole) > 1 and whole[0] == whole[-1] == "`"
    if is_in_backquotes and not request.has_line_beginning("`"):
        yield "begins a replacement that is wholly in backquotes"
    # A text that is one JSON string was escaped as a whole.
    if _is_quoted(whole) and not _is_quoted(request.text):
        yield "begins a replacement that is wholly in quotes"


def _has_line_numbers(texts: Sequence[str]) -> bool:
    """Return True if several lines have consecutive numbers, as in a display."""
    if len(texts) < 2:
        return False
    numbers: list[int] = []
    for text in texts:
        match = NUMBERED_LINE.match(text)
        if match is None or match["separator"] not in _DISPLAY_SEPARATORS:
            return False
        numbers.append(int(match["number"]))
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))]


def _is_quoted(text: str) -> bool:
    """Return True if a text is one string, as JSON writes it."""
    return _QUOTED_TEXT.fullmatch(text.strip()) is not None
