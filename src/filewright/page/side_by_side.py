"""The pairing of removed and added lines, and the words that differ in each pair.

Lines that replace one another are compared word by word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from filewright.edit.diff import DiffRow
from filewright.edit.linediff import diff_lines

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MIN_SIMILARITY = 0.55
"""The similarity of two lines from which one is a changed form of the other."""
_MAX_COMPARED_PAIRS = 1_600
"""Pairs of lines that are compared in one block; a larger block is paired in order."""
_MAX_COMPARED_CHARS = 1_000
"""Longer lines are not compared word by word."""


@dataclass(frozen=True, slots=True)
class RowView(DiffRow):
    """One line of a diff, and the characters [start, end) of it that changed.

    `blank` is True if only white space in it changed.
    """

    changed: tuple[tuple[int, int], ...] = ()
    blank: bool = False


RowPair = tuple[RowView | None, RowView | None]


def pair_rows(rows: Sequence[RowView]) -> Iterator[RowPair]:
    """Yield the rows in pairs of the left and the right side."""
    position = 0
    while position < len(rows):
        if rows[position].sign == " ":
            yield rows[position], rows[position]
            position += 1
            continue
        block_end = position
        while block_end < len(rows) and rows[block_end].sign != " ":
            block_end += 1
        yield from _pair_block(rows[position:block_end])
        position = block_end


def _pair_block(block: Sequence[RowView]) -> Iterator[RowPair]:
    """Yield the pairs of a block of removed and added lines."""
    visible = [row for row in block if not row.hidden]
    hidden = [row for row in block if row.hidden]
    removed, added = _with_sign(visible, "-"), _with_sign(visible, "+")
    next_removed = next_added = 0
    for removed_index, added_index in _find_changed_pairs(removed, added):
        # Lines before the pair have no counterpart of their own.
        yield from zip_longest(
            removed[next_removed:removed_index], added[next_added:added_index]
        )
        yield _mark_words(removed[removed_index], added[added_index])
        next_removed, next_added = removed_index + 1, added_index + 1
    yield from zip_longest(removed[next_removed:], added[next_added:])
    yield from zip_longest(_with_sign(hidden, "-"), _with_sign(hidden, "+"))


def _with_sign(rows: Iterable[RowView], sign: str) -> list[RowView]:
    return [row for row in rows if row.sign == sign]


def _find_changed_pairs(
    removed: Sequence[RowView], added: Sequence[RowView]
) -> list[tuple[int, int]]:
    """Return the indexes of lines that are changed forms of one another, in order."""
    if not removed or not added:
        return []
    if len(removed) == len(added) == 1:
        return [(0, 0)]
    # Comparing each with each takes the square of the lines: 40 by 40 at most.
    is_large = len(removed) * len(added) > _MAX_COMPARED_PAIRS
    if len(removed) == len(added) or is_large:
        pairs: list[tuple[int, int]] = []
        for index, (removed_row, added_row) in enumerate(
            zip(removed, added, strict=False)
        ):
            if _similarity(removed_row.text, added_row.text) >= _MIN_SIMILARITY:
                pairs.append((index, index))
        return pairs
    return _align(removed, added)


def _align(
    removed: Sequence[RowView], added: Sequence[RowView]
) -> list[tuple[int, int]]:
    """Return the pairs, in order, whose similarities have the largest sum.

    It is the alignment of two sequences: `best_sums[i][j]` is the largest sum for the
    first i removed and the first j added lines.
    """
    best_sums = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
    for i, old in enumerate(removed):
        for j, new in enumerate(added):
            similarity = _similarity(old.text, new.text)
            with_pair = 0.0
            if similarity >= _MIN_SIMILARITY:
                with_pair = best_sums[i][j] + similarity
            best_sums[i + 1][j + 1] = max(
                with_pair, best_sums[i][j + 1], best_sums[i + 1][j]
            )
    pairs: list[tuple[int, int]] = []
    i, j = len(removed), len(added)
    while i and j:
        if best_sums[i][j] == best_sums[i - 1][j]:
            i -= 1
        elif best_sums[i][j] == best_sums[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    pairs.reverse()
    return pairs


def _similarity(first_text: str, second_text: str) -> float:
    # Imported here: only replaced lines need it, and a page may have none.
    from rapidfuzz.fuzz import ratio

    return (
        ratio(
            first_text[:_MAX_COMPARED_CHARS].strip(),
            second_text[:_MAX_COMPARED_CHARS].strip(),
        )
        / 100
    )


def _mark_words(removed: RowView, added: RowView) -> tuple[RowView, RowView]:
    """Return a pair with its changed words marked, if the lines are similar."""
    old_text, new_text = removed.text, added.text
    if old_text.split() == new_text.split():
        removed = replace(removed, blank=True)
        added = replace(added, blank=True)
    if max(len(old_text), len(new_text)) > _MAX_COMPARED_CHARS:
        return removed, added
    is_similar = _similarity(old_text, new_text) >= _MIN_SIMILARITY
    if old_text.strip() and not is_similar:
        return removed, added
    old_words, new_words = _WORDS.findall(old_text), _WORDS.findall(new_text)
    old_marks = _Marks(old_words)
    new_marks = _Marks(new_words)
    for change in diff_lines(old_words, new_words):
        old_marks.add(change.start, change.end)
        new_marks.add(change.new_start, change.new_end)
    return (
        replace(removed, changed=tuple(old_marks.spans)),
        replace(added, changed=tuple(new_marks.spans)),
    )


class _Marks:
    """The changed spans of one line, which consists of words and blanks."""

    def __init__(self, words: Sequence[str]) -> None:
        self.spans: list[tuple[int, int]] = []
        self._text = "".join(words)
        self._offsets = [0]
        for word in words:
            self._offsets.append(self._offsets[-1] + len(word))

    def add(self, first_word: int, stop_word: int) -> None:
        """Mark the words [first, stop).

        A span is joined with the one before it if only blanks are between them.
        """
        start, end = self._offsets[first_word], self._offsets[stop_word]
        if self.spans and not self._text[self.spans[-1][1] : start].strip():
            start, _ = self.spans.pop()
        if end > start:
            self.spans.append((start, end))
