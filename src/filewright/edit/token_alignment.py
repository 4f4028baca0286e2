"""The tokens of a replacement that are tokens of the search text and the file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from filewright.edit.linediff import align
from filewright.edit.tokens import LINE_END, Token

# difflib is quadratic: above so many pairs the line diff, whose work is bounded, does.
MAX_COMPARED_TOKEN_PAIRS = 40_000
# A word: signs such as brackets are on every line, and tell none from another.
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class TokenChange:
    """The tokens of one change, as a three-way merge names its sides.

    `base` are those of the search text, `ours` of the file, `theirs` of the
    replacement. `base` and `ours` have the same tokens in the same order, and `rows`
    says for each of them which matched line of the file has it.
    """

    base: Sequence[Token]
    ours: Sequence[Token]
    rows: Sequence[int]
    theirs: Sequence[Token]


def align_tokens(change: TokenChange, *, from_end: bool) -> dict[int, int]:
    """Map each token of `theirs` that the request keeps to its index in `base`.

    Of several alignments the first is preferred, or with `from_end` the last.
    """
    words = _align_texts(change, from_end=from_end)
    line_ends = _align_line_ends(change, words)
    their_lines = number_lines(change.theirs)
    rewritten_lines = _find_rewritten_lines(change)
    alignment: dict[int, int] = {}
    for their_index, base_index in words.items():
        is_word = not change.theirs[their_index].ends_line
        if is_word and their_lines[their_index] not in rewritten_lines:
            alignment[their_index] = base_index
    alignment.update(line_ends)
    return alignment


def _align_texts(change: TokenChange, *, from_end: bool) -> dict[int, int]:
    """Map tokens of `theirs` to equal ones of `base`, whitespace aside."""
    base = [token.text for token in change.base]
    theirs = [token.text for token in change.theirs]
    if not from_end:
        return _align_sequences(base, theirs)
    mirrored = _align_sequences(base[::-1], theirs[::-1])
    return {
        len(theirs) - 1 - their_index: len(base) - 1 - base_index
        for their_index, base_index in mirrored.items()
    }


def _align_sequences(
    base: Sequence[str], theirs: Sequence[str]
) -> dict[int, int]:
    """Map the items of `theirs` that are kept to items of `base`.

    Equal beginnings are paired first: difflib prefers long runs to early ones.
    """
    alignment: dict[int, int] = {}
    shorter = min(len(base), len(theirs))
    start = 0
    while start < shorter and base[start] == theirs[start]:
        alignment[start] = start
        start += 1
    tail = 0
    while tail < shorter - start and base[-1 - tail] == theirs[-1 - tail]:
        tail += 1
        alignment[len(theirs) - tail] = len(base) - tail
    base_middle = base[start : len(base) - tail]
    their_middle = theirs[start : len(theirs) - tail]
    if len(base_middle) * len(their_middle) > MAX_COMPARED_TOKEN_PAIRS:
        runs = [
            (run.left, run.right, run.length)
            for run in align(base_middle, their_middle)
        ]
    else:
        matcher = SequenceMatcher(
            None, base_middle, their_middle, autojunk=False
        )
        runs = [
            (run.a, run.b, run.size) for run in matcher.get_matching_blocks()
        ]
    for base_start, their_start, length in runs:
        for step in range(length):
            alignment[start + their_start + step] = start + base_start + step
    return alignment


def _align_line_ends(
    change: TokenChange, words: Mapping[int, int]
) -> dict[int, int]:
    """Map the end of each new line to the end of the line that it has most words of."""
    base_lines, their_lines = (
        number_lines(change.base),
        number_lines(change.theirs),
    )
    base_ends = _find_line_ends(change.base)
    their_ends = _find_line_ends(change.theirs)
    shared_words: Counter[tuple[int, int]] = Counter()
    for their_index, base_index in words.items():
        if not change.theirs[their_index].ends_line:
            shared_words[their_lines[their_index], base_lines[base_index]] += 1
    if len(base_ends) == len(their_ends):
        # As many lines are probably the same ones, unless words went to another.
        for line in range(len(base_ends)):
            shared_words[line, line] += 1
    alignment: dict[int, int] = {}
    used_lines: set[int] = set()
    most_words_first = sorted(
        shared_words.items(), key=lambda item: (-item[1], item[0])
    )
    for (their_line, base_line), _ in most_words_first:
        if (
            their_ends[their_line] not in alignment
            and base_line not in used_lines
        ):
            alignment[their_ends[their_line]] = base_ends[base_line]
            used_lines.add(base_line)
    return alignment


def _find_rewritten_lines(change: TokenChange) -> set[int]:
    """Return the new lines that are like none of several lines of the search text.

    A word that such a line shares with one of them by chance is new, and must not take
    that word's spelling or whitespace.
    """
    *base_lines, _ = split_lines(change.base)
    if len(base_lines) < 2:
        return set()
    rewritten: set[int] = set()
    for number, line in enumerate(split_lines(change.theirs)):
        if line and not any(_shares_words(line, other) for other in base_lines):
            rewritten.add(number)
    return rewritten


def _shares_words(line: str, other: str) -> bool:
    """Return True if two lines share half of the words of the shorter one."""
    words, other_words = (
        Counter(_WORD.findall(line)),
        Counter(_WORD.findall(other)),
    )
    shared = (words & other_words).total()
    return 2 * shared >= min(words.total(), other_words.total())


def split_lines(tokens: Sequence[Token]) -> list[str]:
    """Return the lines of tokens as text; an empty one follows the last line end."""
    return "".join(token.gap + token.text for token in tokens).split(LINE_END)


def number_lines(tokens: Sequence[Token]) -> list[int]:
    """Return for each token the number of its line, from 0."""
    numbers: list[int] = []
    line = 0
    for token in tokens:
        numbers.append(line)
        line += token.ends_line
    return numbers


def starts_line(tokens: Sequence[Token], index: int) -> bool:
    """Return True if a token is the first of its line."""
    return index == 0 or tokens[index - 1].ends_line


def _find_line_ends(tokens: Sequence[Token]) -> list[int]:
    """Return the indexes of the tokens that end a line."""
    return [index for index, token in enumerate(tokens) if token.ends_line]
