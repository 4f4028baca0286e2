"""A diff as a page draws it: its rows beside one another, with what changed in them.

Lines that replace one another are compared word by word, and line ends that differ are marked, so that
no difference is out of sight. What is not shown is counted where it would be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from filewright.edit.diff import Diff, DiffHunk, DiffRow, FileDiff
from filewright.edit.linediff import diff_lines

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.55
"""The part of their words two lines must share to be a line that was changed, not one replaced by another."""
_WEIGHED = 1_600
"""Pairs of lines that are weighed for one replaced block; the lines of a larger one are paired in order."""
_COMPARED_CHARS = 1_000
"""Lines longer than this are not compared word by word."""


@dataclass(frozen=True, slots=True)
class RowView(DiffRow):
    """One line of a diff, and the characters [start, end) of it that changed; `blank`: whitespace alone."""

    changed: tuple[tuple[int, int], ...] = ()
    blank: bool = False


@dataclass(frozen=True, slots=True)
class HunkView(DiffHunk):
    """A hunk with what changed in its `rows`; `sides` has them beside one another, what came next to what went."""

    rows: tuple[RowView, ...]
    sides: tuple[tuple[RowView | None, RowView | None], ...] = ()


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a diff."""

    file: FileDiff
    hunks: tuple[HunkView, ...] = ()

    @property
    def path(self) -> str:
        """The path to show."""
        return self.file.path

    @property
    def remarks(self) -> Sequence[str]:
        """What is said below its hunks of what is not shown."""
        more = f"... {self.file.omitted_changes:,} more change{'s' if self.file.omitted_changes > 1 else ''} not shown"
        return [
            *([more] if self.file.omitted_changes else []),
            *self.file.remark.splitlines(),
        ]


def views_of(diff: Diff) -> list[FileView]:
    """The files of a diff that are shown."""
    return [view_of(file) for file in diff.files if not file.is_omitted]


def view_of(file: FileDiff) -> FileView:
    """One file as it is drawn."""
    return FileView(file, tuple(map(_hunk, file.hunks)))


def _hunk(hunk: DiffHunk) -> HunkView:
    rows = [
        RowView(
            row.sign,
            row.text,
            row.old,
            row.new,
            row.mark,
            row.unended,
            row.hidden,
        )
        for row in hunk.rows
    ]
    sides = tuple(_sides(rows))
    compared = {
        (row.sign, row.old or row.new): row
        for pair in sides
        for row in pair
        if row is not None
    }
    rows = [compared[row.sign, row.old or row.new] for row in rows]
    return HunkView(
        hunk.old,
        hunk.old_count,
        hunk.new,
        hunk.new_count,
        tuple(rows),
        hunk.number,
        sides,
    )


# Side by side, and word by word


def _sides(
    rows: Sequence[RowView],
) -> Iterator[tuple[RowView | None, RowView | None]]:
    at = 0
    while at < len(rows):
        if rows[at].sign == " ":
            yield rows[at], rows[at]
            at += 1
            continue
        stop = at
        while stop < len(rows) and rows[stop].sign != " ":
            stop += 1
        block = [row for row in rows[at:stop] if not row.hidden]
        removed = [row for row in block if row.sign == "-"]
        added = [row for row in block if row.sign == "+"]
        i = j = 0
        for one, two in _pairs(removed, added):
            yield from zip_longest(removed[i:one], added[j:two])
            yield _compared(removed[one], added[two])
            i, j = one + 1, two + 1
        yield from zip_longest(removed[i:], added[j:])
        hidden = [row for row in rows[at:stop] if row.hidden]
        yield from zip_longest(
            *([row for row in hidden if row.sign == sign] for sign in "-+")
        )
        at = stop


def _pairs(
    removed: Sequence[RowView], added: Sequence[RowView]
) -> list[tuple[int, int]]:
    """Which lines of a replaced block are one line that changed: in order, so that most is alike."""
    if not removed or not added:
        return []
    if len(removed) == len(added) or len(removed) * len(added) > _WEIGHED:
        return [
            (at, at)
            for at, (one, two) in enumerate(zip(removed, added, strict=False))
            if _alike(one.text, two.text) >= _ALIKE
            or len(removed) == len(added) == 1
        ]
    # The best alignment, as of two sequences: `best[i][j]` is what the first i and j lines share at most.
    best = [[0.0] * (len(added) + 1) for _ in range(len(removed) + 1)]
    scores = [[_alike(one.text, two.text) for two in added] for one in removed]
    for i, row in enumerate(scores):
        for j, score in enumerate(row):
            joined = best[i][j] + score if score >= _ALIKE else 0.0
            best[i + 1][j + 1] = max(joined, best[i][j + 1], best[i + 1][j])
    found = []
    i, j = len(removed), len(added)
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            found.append((i, j))
    return found[::-1]


def _alike(one: str, two: str) -> float:
    from rapidfuzz.fuzz import ratio

    return (
        ratio(one[:_COMPARED_CHARS].strip(), two[:_COMPARED_CHARS].strip())
        / 100
    )


def _compared(removed: RowView, added: RowView) -> tuple[RowView, RowView]:
    """The two rows with what changed between them; nothing is marked where little is alike."""
    one, two = removed.text, added.text
    if one.split() == two.split():
        removed, added = (
            replace(removed, blank=True),
            replace(added, blank=True),
        )
    if max(len(one), len(two)) > _COMPARED_CHARS or (
        one.strip() and _alike(one, two) < _ALIKE
    ):
        return removed, added
    before, after = _WORDS.findall(one), _WORDS.findall(two)
    old: list[tuple[int, int]] = []
    new: list[tuple[int, int]] = []
    for change in diff_lines(before, after):
        for found, words, start, end in (
            (old, before, change.start, change.end),
            (new, after, change.new_start, change.new_end),
        ):
            begin = len("".join(words[:start]))
            stop = begin + len("".join(words[start:end]))
            if found and not "".join(words)[found[-1][1] : begin].strip():
                begin = found.pop()[
                    0
                ]  # a space between two words that changed is no place to stop
            if stop > begin:
                found.append((begin, stop))
    return replace(removed, changed=tuple(old)), replace(
        added, changed=tuple(new)
    )
