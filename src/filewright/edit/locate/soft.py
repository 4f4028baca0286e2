"""Tier 5: one word of a comment or of prose spelled otherwise.

A region has the same solid lines as the search text but for one, and there all is the same but one
alphabetic word, in a comment or running text. There is no percentage: a token of code that differs is
another text.

Why it cannot be wrong: the region is the only one like it, and one of three things is so. The request's
word is no word at all, so it cannot mean another thing than the file's word, which is the only word of
the file it is one step from. Or the file's word is none, and is the request's misspelled. Or the
replacement has the file's word between the same words, so what is there is what is wanted, and only the
search text was mistyped. Names, months and numbers never count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from filewright.edit.filetext import FileText
from filewright.edit.find import (
    Region,
    graded,
    key_of,
    lines_apart,
    rows_around,
    rows_with,
)
from filewright.edit.locate.fold import collapsed, verbatim_runs
from filewright.edit.locate.prose import is_prose
from filewright.edit.locate.request import RequestLines, Tier
from filewright.edit.locate.words import is_only_neighbour, is_slip, names_time, one_step
from filewright.text import Line

_MOST_ROWS = 60_000
"""Lines compared before the tier gives up; a rarer text is needed."""
_TOKEN = re.compile(r"[A-Za-z]+|\d+|\s+|.", re.DOTALL)


def find_soft(source: FileText, block: RequestLines, wanted: RequestLines) -> list[Region]:
    """Regions that differ from `block`, which is to become `wanted`, by one word of prose, in order of offset."""
    found: dict[int, Region] = {}
    seen: set[int] = set()
    budget = _MOST_ROWS + 4 * len(block.solid)
    for needle, index in _anchors(source, block.solid):
        for row in rows_with(source, needle):
            rows, compared = rows_around(
                source, block.keys, index, row, 1 - _apart(source, row, block.keys[index])
            )
            budget -= compared
            if budget < 0:
                return []
            if rows and rows[0].offset not in seen:
                seen.add(rows[0].offset)
                region = _region(source, block, wanted, rows)
                if region is not None:
                    found[region.start] = region
    return sorted(found.values(), key=lambda region: region.start)


def _anchors(source: FileText, lines: Sequence[str]) -> list[tuple[bytes, int]]:
    """Two stretches of which at least one is in any region: the one word is in none of them, or in one."""
    longest: list[tuple[str, int]] = []
    step = 1 + len(lines) // 500
    for index in range(0, len(lines), step):
        runs = verbatim_runs(lines[index])
        if runs:
            longest.append((max(runs, key=len), index))
    if len(longest) < 2:
        longest = [(run, index) for index, line in enumerate(lines) for run in verbatim_runs(line)]
    longest.sort(key=lambda one: -len(one[0]))
    if source.held is not None:
        held = source.held
        longest = sorted(longest[:6], key=lambda one: held.count(one[0].encode("ascii")))
    return [(run.encode("ascii"), index) for run, index in longest[:2]] if len(longest) > 1 else []


def _apart(source: FileText, row: Line, key: str) -> int:
    if len(row.body) > 4096 + 4 * len(key):
        return 2  # no line with one other word
    return lines_apart(key_of(source, row, key), key)


def _region(source: FileText, block: RequestLines, wanted: RequestLines, rows: list[Line]) -> Region | None:
    region = graded(source, block, rows)
    if region is None:
        return None
    texts = region.texts
    for index, (asked, found) in enumerate(zip(block.solid, texts, strict=True)):
        if collapsed(asked) != block.keys[index] or collapsed(found) != block.keys[index]:
            beside = texts[max(0, index - 2) : index] + texts[index + 1 : index + 3]
            pair = different_word(asked, found, beside)
            if pair is None or not (
                (is_slip(*pair) and is_only_neighbour(source, *pair)) or _is_corrected(pair, found, wanted)
            ):
                return None
    return replace(region, tier=Tier.SOFT)


def _is_corrected(pair: tuple[str, str], found: str, replace: RequestLines) -> bool:
    """Whether the replacement has the file's word between the same words, and the search text's nowhere."""
    asked, there = pair
    if not one_step(asked.lower(), there.lower()) or names_time(pair):
        return False
    if any(re.search(rf"(?<![^\W_]){asked}(?![^\W_])", line, re.IGNORECASE) for line in replace.solid):
        return False
    words = collapsed(found).split()
    at = next(
        (index for index, word in enumerate(words) if re.search(rf"(?<![^\W_]){there}(?![^\W_])", word)), -1
    )
    beside = f" {' '.join(words[max(0, at - 1) : at + 2])} "
    return at >= 0 and len(beside.split()) > 1 and any(beside in f" {key} " for key in replace.keys)


def different_word(asked: str, found: str, beside: tuple[str, ...] = ()) -> tuple[str, str] | None:
    """The one word of prose in which two lines differ, whitespace and typography aside; None if there is more."""
    one = _TOKEN.findall(collapsed(asked))
    text = collapsed(found)
    other = _TOKEN.findall(text)
    if len(one) != len(other):
        return None
    different = [index for index, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(different) != 1:
        return None
    at = different[0]
    mine, theirs = one[at], other[at]
    if not (mine.isalpha() and theirs.isalpha() and mine.isascii()):
        return None
    start = len("".join(other[:at]))
    end = start + len(theirs)
    glued = text[start - 1 : start] if start else ""
    if (glued and (glued.isalnum() or glued == "_")) or re.match(r"[\w]", text[end : end + 1]):
        return None  # part of an identifier
    return (mine, theirs) if is_prose(text, start, end, beside) else None
