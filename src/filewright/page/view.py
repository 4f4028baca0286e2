"""A diff as a page draws it: files, hunks and rows, made from the text that every diff of ours has.

That text is the one source: what the page shows of a change, what a tool answered and what a preview says
are one notation, escaped and bounded where it was made. Lines that replace one another are compared word
by word, and line ends that differ are marked, so that no difference is out of sight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Literal

from filewright.edit import differing

Sign = Literal[" ", "-", "+"]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MARK = re.compile("(?:\u240d\u240a|\u240a|\u240d)$")
_UNENDED = "\\ No newline at end of file"
_ALIKE = 0.55
"""The part of their words two lines must share to be a line that was changed, not one replaced by another."""
_WEIGHED = 1_600
"""Pairs of lines that are weighed for one replaced block; the lines of a larger one are paired in order."""
_COMPARED_CHARS = 1_000
"""Lines longer than this are not compared word by word."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of a diff, its number before and after, and the characters [start, end) of it that changed.

    `mark` shows a line end unlike the others of its file, `unended` that there is none.
    """

    sign: Sign
    text: str
    old: int | None
    new: int | None
    changed: tuple[tuple[int, int], ...] = ()
    mark: str = ""
    unended: bool = False


@dataclass(frozen=True, slots=True)
class HunkView:
    """Rows that belong together; `number` counts the hunks of a file from 1, lines are 1-based.

    `sides` are the same rows beside one another: what was removed, and what took its place.
    """

    number: int
    old: int
    new: int
    rows: tuple[DiffRow, ...]
    sides: tuple[tuple[DiffRow | None, DiffRow | None], ...]
    old_end: int
    new_end: int


@dataclass(frozen=True, slots=True)
class FileView:
    """One file of a diff: its path before (`old`, None: made) and after (`new`, None: deleted).

    `remarks` are the lines that say what is not shown.
    """

    old: str | None
    new: str | None
    hunks: tuple[HunkView, ...] = ()
    mode_before: str | None = None
    mode_after: str | None = None
    binary: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The path to show: the one it has, or had."""
        return self.new or self.old or ""

    @property
    def action(self) -> str:
        """One word for people, as of a recorded change."""
        if self.old is None:
            return "created"
        if self.new is None:
            return "deleted"
        if self.old != self.new:
            return "moved"
        return "modified" if self.hunks or self.binary or self.mode_before is None else "attributes"

    @property
    def added(self) -> int:
        """Lines added, of those shown."""
        return sum(row.sign == "+" for hunk in self.hunks for row in hunk.rows)

    @property
    def removed(self) -> int:
        """Lines removed, of those shown."""
        return sum(row.sign == "-" for hunk in self.hunks for row in hunk.rows)


def files_of(diff: str) -> tuple[tuple[FileView, ...], tuple[str, ...]]:
    """The files of a diff as our tools write it, and the remarks that belong to none of them."""
    files: list[FileView] = []
    after: tuple[str, ...] = ()
    for part in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE):
        lines = part.split("\n")
        if not lines[-1]:
            lines.pop()
        if part.startswith("diff --git "):
            files.append(_file(lines))
        else:
            after += tuple(lines)
    return tuple(files), after


def _file(lines: Sequence[str]) -> FileView:
    """One file; `lines` begin with its `diff --git`."""
    names = lines[0].removeprefix("diff --git ")
    # Where a path has spaces only the halves tell: both are the same path after their prefixes.
    old, new = _label(names[: len(names) // 2]), _label(names[len(names) // 2 + 1 :])
    found: dict[str, str | None] = {"old": old, "new": new}
    hunks: list[HunkView] = []
    remarks: list[str] = []
    binary = False
    at = 1
    while at < len(lines):
        line = lines[at]
        if match := _HUNK.match(line):
            stop = at + 1
            while stop < len(lines) and lines[stop][:1] in (" ", "-", "+", "\\"):
                stop += 1
            hunks.append(_hunk(len(hunks) + 1, match, lines[at + 1 : stop]))
            at = stop
            continue
        word, _, rest = line.partition(" ")
        match word, rest.split(" ")[0]:
            case "new", "file":
                found["old"], found["mode_after"] = None, line.rpartition(" ")[2]
            case "deleted", "file":
                found["new"], found["mode_before"] = None, line.rpartition(" ")[2]
            case (("old" | "new"), "mode"):
                found[f"mode_{'before' if word == 'old' else 'after'}"] = rest.partition(" ")[2]
            case (("rename" | "copy"), ("from" | "to" as end)):
                found["old" if end == "from" else "new"] = rest.partition(" ")[2]
            case (("---" | "+++"), _):
                pass
            case "Binary", _:
                binary = True
            case _:
                remarks.append(line)
        at += 1
    return FileView(
        found["old"],
        found["new"],
        tuple(hunks),
        found.get("mode_before"),
        found.get("mode_after"),
        binary,
        tuple(remarks),
    )


def _label(label: str) -> str:
    """The path of a `a/PATH` or `b/PATH`, as shown: quoted where a path is shown so."""
    return f'"{label[3:]}' if label.startswith('"') else label[2:]


def _hunk(number: int, head: re.Match[str], lines: Sequence[str]) -> HunkView:
    old, new = int(head[1]) + (head[2] == "0"), int(head[3]) + (head[4] == "0")
    before, after = old, new
    rows: list[DiffRow] = []
    for line in lines:
        if line == _UNENDED:
            if rows:
                rows[-1] = replace(rows[-1], unended=True)
            continue
        text, mark = line[1:], ""
        if line[0] != " " and (found := _MARK.search(text)):
            text, mark = text[: found.start()], found.group()
        match line[0]:
            case "-":
                rows.append(DiffRow("-", text, before, None, mark=mark))
                before += 1
            case "+":
                rows.append(DiffRow("+", text, None, after, mark=mark))
                after += 1
            case _:
                rows.append(DiffRow(" ", text, before, after))
                before += 1
                after += 1
    sides = tuple(_sides(rows))
    compared = {(row.sign, row.old or row.new): row for pair in sides for row in pair if row is not None}
    rows = [compared[row.sign, row.old or row.new] for row in rows]
    return HunkView(number, old, new, tuple(rows), sides, before, after)


# Side by side, and word by word


def _sides(rows: Sequence[DiffRow]) -> Iterator[tuple[DiffRow | None, DiffRow | None]]:
    at = 0
    while at < len(rows):
        if rows[at].sign == " ":
            yield rows[at], rows[at]
            at += 1
            continue
        stop = at
        while stop < len(rows) and rows[stop].sign != " ":
            stop += 1
        block = rows[at:stop]
        removed = [row for row in block if row.sign == "-"]
        added = [row for row in block if row.sign == "+"]
        i = j = 0
        for one, two in _pairs(removed, added):
            yield from zip_longest(removed[i:one], added[j:two])
            yield _compared(removed[one], added[two])
            i, j = one + 1, two + 1
        yield from zip_longest(removed[i:], added[j:])
        at = stop


def _pairs(removed: Sequence[DiffRow], added: Sequence[DiffRow]) -> list[tuple[int, int]]:
    """Which lines of a replaced block are one line that changed: in order, so that most is alike."""
    if not removed or not added:
        return []
    if len(removed) == len(added) or len(removed) * len(added) > _WEIGHED:
        return [
            (at, at)
            for at, (one, two) in enumerate(zip(removed, added, strict=False))
            if _alike(one.text, two.text) >= _ALIKE or len(removed) == len(added) == 1
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

    return ratio(one[:_COMPARED_CHARS].strip(), two[:_COMPARED_CHARS].strip()) / 100


def _compared(removed: DiffRow, added: DiffRow) -> tuple[DiffRow, DiffRow]:
    """The two rows with what changed between them; nothing is marked where little is alike."""
    one, two = removed.text, added.text
    if max(len(one), len(two)) > _COMPARED_CHARS or (one.strip() and _alike(one, two) < _ALIKE):
        return removed, added
    before, after = _WORDS.findall(one), _WORDS.findall(two)
    old: list[tuple[int, int]] = []
    new: list[tuple[int, int]] = []
    for change in differing(before, after):
        for found, words, start, end in (
            (old, before, change.start, change.end),
            (new, after, change.new_start, change.new_end),
        ):
            begin = len("".join(words[:start]))
            stop = begin + len("".join(words[start:end]))
            if found and not "".join(words)[found[-1][1] : begin].strip():
                begin = found.pop()[0]  # a space between two words that changed is no place to stop
            if stop > begin:
                found.append((begin, stop))
    return replace(removed, changed=tuple(old)), replace(added, changed=tuple(new))
