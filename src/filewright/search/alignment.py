"""alignment."""

from __future__ import annotations

import re
from typing import NamedTuple

from filewright.text.spelling import PLAIN_CHARACTERS

_RUNS = re.compile(r"\s+|\S+")
_ALIKE = str.maketrans(
    {**PLAIN_CHARACTERS, **dict.fromkeys("`´", "'"), **dict.fromkeys("«»", '"')}
)

_FOLD_COST = 0.01
"""What a difference only in whitespace or the form of quotes costs."""

_GOOD = 0.96
"""From this similarity on, making whitespace and quotes alike would change little."""


class Fit(NamedTuple):
    """A place like the needle: characters [start, end) of a text, or bytes of a file; and its similarity, 0 to 1."""

    start: int
    end: int
    score: float


def find_best_fit(needle: str, text: str) -> Fit:
    """Where `needle` fits best inside `text`.

    Similarity is 1 - distance / length of the longer of needle and region; a region that differs only
    in whitespace, quotes and dashes is compared with these made alike and loses a hundredth.
    """
    start, end, distance = find_nearest_region(needle, text)
    fit = Fit(start, end, _similarity(len(needle), end - start, distance))
    if fit.score >= _GOOD:
        return fit
    plain, _ = fold_text(needle)
    shown, places = fold_text(text)
    if plain == needle and shown == text:
        return fit
    start, end, distance = find_nearest_region(plain, shown)
    score = _similarity(len(plain), end - start, distance) - _FOLD_COST
    if score <= fit.score or end <= start:
        return fit
    begin = places[start]
    # The needle's own indentation was dropped to compare; as much of the text's belongs to the region.
    for _ in range(len(needle) - len(needle.lstrip(" \t"))):
        if begin == 0 or text[begin - 1] not in " \t":
            break
        begin -= 1
    return Fit(begin, places[end - 1] + 1, score)


def _similarity(length: int, found: int, distance: int) -> float:
    return 1.0 - distance / max(length, found, 1)


def fold_text(text: str) -> tuple[str, list[int]]:
    """`text` with runs of whitespace as one space, plain quotes and dashes, and where each character was.

    Whitespace at the very beginning and end are dropped.
    """
    plain = text.translate(_ALIKE)
    parts: list[str] = []
    places: list[int] = []
    begin = len(plain) - len(plain.lstrip())
    for run in _RUNS.finditer(plain, begin, max(begin, len(plain.rstrip()))):
        blank = run[0].isspace()
        parts.append(" " if blank else run[0])
        places.extend((run.start(),) if blank else range(*run.span()))
    return "".join(parts), places


def find_nearest_region(needle: str, text: str) -> tuple[int, int, int]:
    """(start, end, distance) of the region of `text` nearest to `needle`, the first of equals.

    Of regions that differ by a character at an end it is the longer one: a changed character is in.
    """
    ends = _distances(needle, text, anchored=False)
    distance = min(ends)
    end = ends.index(distance)
    while end + 1 < len(ends) and ends[end + 1] == distance:
        end += 1
    before = text[max(0, end - len(needle) - distance) : end]
    starts = _distances(needle[::-1], before[::-1], anchored=True)
    nearest = min(starts)
    length = len(starts) - 1 - starts[::-1].index(nearest)
    return end - length, end, distance


def _distances(needle: str, text: str, *, anchored: bool) -> list[int]:
    """The distance of `needle` to the best region that ends after each number of characters of `text`.

    `anchored`: of the one region that begins at the beginning.
    """
    masks: dict[str, int] = {}
    for place, c in enumerate(needle):
        masks[c] = masks.get(c, 0) | 1 << place
    length = len(needle)
    full = (1 << length) - 1
    top = 1 << (length - 1)
    up, down = full, 0
    score = length
    scores = [score]
    step = 1 if anchored else 0
    for c in text:
        mask = masks.get(c, 0)
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
