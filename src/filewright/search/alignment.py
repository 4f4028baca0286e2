"""Alignment: the region of a text that is most similar to a needle, and how similar it is.

The distance is Myers' bit-parallel edit distance, computed once in each direction:
G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic
programming", J. ACM 46(3), 1999, in the form of H. Hyyrö (2003). Python's integers are
the bit vectors, so a needle of any length is one column. A text of a few hundred
characters takes well under a millisecond.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from filewright.text.spelling import PLAIN_CHARACTERS

_RUN = re.compile(r"\s+|\S+")
_PLAIN_QUOTES = str.maketrans(
    {
        **PLAIN_CHARACTERS,
        **dict.fromkeys("`´", "'"),
        **dict.fromkeys("«»", '"'),
    }
)
_FOLDING_COST = 0.01
"""The similarity that a region loses if only whitespace or quotes differ."""

_MIN_UNFOLDED_SCORE = 0.96
"""The similarity from which folding whitespace and quotes would change little."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A region similar to the needle, with its similarity from 0 to 1.

    [start, end) are characters of a text, or bytes of a file.
    """

    start: int
    end: int
    score: float


@dataclass(frozen=True, slots=True)
class NearestRegion:
    """The characters [start, end) of a text, and their edit distance to a needle."""

    start: int
    end: int
    distance: int

    def similarity(self, needle_length: int) -> float:
        """Return the similarity to a needle of a length, from 0 to 1."""
        longer = max(needle_length, self.end - self.start, 1)
        return 1.0 - self.distance / longer


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text with plain quotes and single spaces.

    `offsets` has the offset of each character in the original text.
    """

    text: str
    offsets: list[int]


def find_best_fit(needle: str, text: str) -> Fit:
    """Return the region of `text` that is most similar to `needle`.

    The similarity is 1 - distance / length of the longer of needle and region. A region
    that differs only in whitespace, quotes and dashes is compared without these
    differences, and loses a hundredth.
    """
    nearest = find_nearest_region(needle, text)
    fit = Fit(nearest.start, nearest.end, nearest.similarity(len(needle)))
    if fit.score >= _MIN_UNFOLDED_SCORE:
        return fit
    folded_needle = fold_text(needle).text
    folded = fold_text(text)
    if folded_needle == needle and folded.text == text:
        return fit
    nearest = find_nearest_region(folded_needle, folded.text)
    score = nearest.similarity(len(folded_needle)) - _FOLDING_COST
    if score <= fit.score or nearest.end <= nearest.start:
        return fit
    region_start = folded.offsets[nearest.start]
    # Folding dropped the indentation of the needle. As many characters of the text's
    # indentation belong to the region.
    indent = len(needle) - len(needle.lstrip(" \t"))
    while indent and region_start and text[region_start - 1] in " \t":
        region_start -= 1
        indent -= 1
    region_end = folded.offsets[nearest.end - 1] + 1
    return Fit(region_start, region_end, score)


def fold_text(text: str) -> FoldedText:
    """Return `text` with one space for each run of whitespace, plain quotes and dashes.

    Whitespace at the beginning and the end is dropped.
    """
    plain = text.translate(_PLAIN_QUOTES)
    parts: list[str] = []
    offsets: list[int] = []
    start = len(plain) - len(plain.lstrip())
    end = max(start, len(plain.rstrip()))
    for run in _RUN.finditer(plain, start, end):
        if run[0].isspace():
            parts.append(" ")
            offsets.append(run.start())
        else:
            parts.append(run[0])
            offsets.extend(range(*run.span()))
    return FoldedText("".join(parts), offsets)


def find_nearest_region(needle: str, text: str) -> NearestRegion:
    """Return the region of `text` with the smallest edit distance to `needle`.

    Of equal regions it is the first; of those that differ by one character at an end,
    the longer one, so that a changed character belongs to it.
    """
    end_distances = _distances(needle, text, is_anchored=False)
    distance = min(end_distances)
    end = end_distances.index(distance)
    while end + 1 < len(end_distances) and end_distances[end + 1] == distance:
        end += 1
    # The same backwards from the end gives the start. A region of this distance is longer
    # than the needle by the distance at most.
    before = text[max(0, end - len(needle) - distance) : end]
    start_distances = _distances(needle[::-1], before[::-1], is_anchored=True)
    nearest = min(start_distances)
    from_last = start_distances[::-1].index(nearest)
    length = len(start_distances) - 1 - from_last
    return NearestRegion(end - length, end, distance)


def _distances(needle: str, text: str, *, is_anchored: bool) -> list[int]:
    """Return the distance of `needle` to the best region that ends at each offset.

    With `is_anchored`, regions begin at the beginning of `text`. The variables are those
    of the paper: `up` and `down` are the vertical differences, `plus` and `minus` the
    horizontal ones.
    """
    masks: dict[str, int] = {}
    for index, character in enumerate(needle):
        masks[character] = masks.get(character, 0) | 1 << index
    length = len(needle)
    full = (1 << length) - 1
    top = 1 << (length - 1)
    up, down = full, 0
    score = length
    scores = [score]
    # In an anchored region each character before the needle's first is an edit.
    step = 1 if is_anchored else 0
    for character in text:
        mask = masks.get(character, 0)
        vertical = mask | down
        mask |= down
        diagonal = (((mask & up) + up) ^ up) | mask
        plus = down | ~(diagonal | up) & full
        minus = up & diagonal
        if plus & top:
            score += 1
        elif minus & top:
            score -= 1
        plus = (plus << 1 | step) & full
        minus = minus << 1 & full
        up = minus | ~(vertical | plus) & full
        down = plus & vertical
        scores.append(score)
    return scores
