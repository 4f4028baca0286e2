"""Tier 5: one word of a comment or of prose spelled otherwise.

A region has the same solid lines as the search text but for one (two of twelve or more), and there
all is the same but one alphabetic word, at edit distance one, in a comment or running text. There is
no percentage: a token of code that differs is another text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from filewright.edit.locate.fold import collapsed, folded, indent_of, verbatim_runs
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.prose import is_prose
from filewright.edit.locate.request import Block, Tier, is_blank
from filewright.edit.locate.source import Row, Source
from filewright.edit.locate.whole_lines import Region

_MANY_LINES = 12
_MOST_ROWS = 60_000
"""Lines compared before the tier gives up; a rarer text is needed."""
_TOKEN = re.compile(r"[A-Za-z]+|\d+|\s+|.", re.DOTALL)


def find_soft(source: Source, block: Block) -> list[Region]:
    """Regions that differ from `block` by one word of prose, in order of offset."""
    allowed = 2 if len(block.solid) >= _MANY_LINES else 1
    found: dict[int, Region] = {}
    seen: set[int] = set()
    budget = _MOST_ROWS + 4 * len(block.solid)
    for needle, index in _anchors(source, block.solid, allowed + 1):
        done = source.start
        for at in source.occurrences(needle):
            if at < done:
                continue
            row = source.row_at(at)
            done = row.end
            rows, compared = _around(source, block, index, row, allowed)
            budget -= compared
            if budget < 0:
                return []
            if rows and rows[0].offset not in seen:
                seen.add(rows[0].offset)
                region = _region(source, block, rows)
                if region is not None:
                    found[region.start] = region
    return sorted(found.values(), key=lambda region: region.start)


def _anchors(source: Source, lines: Sequence[str], count: int) -> list[tuple[bytes, int]]:
    """Stretches of which one at least stands in any region: no two are hit by the same word."""
    longest: list[tuple[str, int]] = []
    step = 1 + len(lines) // 500
    for index in range(0, len(lines), step):
        runs = verbatim_runs(lines[index])
        if runs:
            longest.append((max(runs, key=len), index))
    if len(longest) < count:
        longest = [(run, index) for index, line in enumerate(lines) for run in verbatim_runs(line)]
    longest.sort(key=lambda one: -len(one[0]))
    if source.held is None:
        few = longest[:count]
    else:
        held = source.held
        few = sorted(longest[: 4 + count], key=lambda one: held.count(one[0].encode("ascii")))[:count]
    return [(run.encode("ascii"), index) for run, index in few] if len(few) == count else []


def _around(source: Source, block: Block, index: int, row: Row, allowed: int) -> tuple[list[Row], int]:
    """The rows of a region whose solid line `index` is `row`, or none if too many lines differ.

    And how many rows were compared.
    """
    keys = block.keys
    left = allowed - (collapsed(source.text(row.body)) != keys[index])
    before: list[Row] = []
    back = source.row_before(row) if left >= 0 and index else None
    at = index
    while at > 0:
        if back is None or left < 0:
            return [], len(before) + 1
        before.append(back)
        key = collapsed(source.text(back.body))
        if key:
            at -= 1
            left -= key != keys[at]
        back = source.row_before(back) if at else None
    rows = [*reversed(before), row]
    at = index
    while at < len(keys) - 1:
        following = source.row_from(rows[-1].end)
        if following is None or left < 0:
            return [], len(rows)
        rows.append(following)
        key = collapsed(source.text(following.body))
        if key:
            at += 1
            left -= key != keys[at]
    return (rows if left >= 0 else []), len(rows)


def _region(source: Source, block: Block, rows: list[Row]) -> Region | None:
    bodies = [source.text(row.body) for row in rows]
    places = tuple(index for index, body in enumerate(bodies) if not is_blank(body))
    texts = tuple(bodies[index] for index in places)
    for index, (asked, found) in enumerate(zip(block.solid, texts, strict=True)):
        if collapsed(asked) != block.keys[index] or collapsed(found) != block.keys[index]:
            beside = texts[max(0, index - 2) : index] + texts[index + 1 : index + 3]
            if not differs_in_a_word(asked, found, beside):
                return None
    pairs = zip(block.solid, texts, strict=True)
    indentation = Indentation.of((indent_of(folded(s)), indent_of(folded(f))) for s, f in pairs)
    if indentation is None:
        return None
    return Region(tuple(rows), places, texts, Tier.SOFT, indentation)


def differs_in_a_word(asked: str, found: str, beside: tuple[str, ...] = ()) -> bool:
    """Whether two lines differ, blanks and typography aside, in one word of prose at distance one."""
    one = _TOKEN.findall(collapsed(asked))
    text = collapsed(found)
    other = _TOKEN.findall(text)
    if len(one) != len(other):
        return False
    different = [index for index, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(different) != 1:
        return False
    at = different[0]
    mine, theirs = one[at], other[at]
    if not (mine.isalpha() and theirs.isalpha() and mine.isascii() and min(len(mine), len(theirs)) >= 3):
        return False
    start = len("".join(other[:at]))
    end = start + len(theirs)
    glued = text[start - 1 : start] if start else ""
    if (glued and (glued.isalnum() or glued == "_")) or re.match(r"[\w]", text[end : end + 1]):
        return False  # part of an identifier
    return one_step(mine, theirs) and is_prose(text, start, end, beside)


def one_step(one: str, other: str) -> bool:
    """Whether one letter inserted, dropped, replaced, or two neighbours swapped make the other word."""
    if len(one) > len(other):
        one, other = other, one
    if len(other) - len(one) > 1 or one == other:
        return False
    head = 0
    while head < len(one) and one[head] == other[head]:
        head += 1
    if len(one) < len(other):
        return one[head:] == other[head + 1 :]
    if one[head + 1 :] == other[head + 1 :]:
        return True
    swapped = other[head + 1 : head + 2] + other[head : head + 1]
    return one[head : head + 2] == swapped and one[head + 2 :] == other[head + 2 :]
