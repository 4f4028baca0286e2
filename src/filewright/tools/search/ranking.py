"""The lines with the largest or smallest values of a field or of a group of the regex."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from filewright.errors import invalid
from filewright.logs.counts import CountedLine, KeyPart, parse_key
from filewright.progress import Task
from filewright.rows.fields import MISSING, find_value
from filewright.rows.numbers import is_finite, to_number
from filewright.search.pattern import Pattern
from filewright.search.selected_lines import (
    SelectedLines,
    iterate_matching_lines,
)
from filewright.text.snapshot import Snapshot
from filewright.tools.search.counts import (
    find_groups,
    read_groups,
    read_line_fields,
)
from filewright.tools.search.excerpt import HitExcerpt
from filewright.wording import pluralize

_MIN_KEPT_LINES = 64

RankKey = tuple[int, float | str]
"""A number (1, …) or a text (0, …): by the largest values, texts come after all numbers."""


@dataclass(frozen=True, slots=True)
class RankedLine:
    """A line of a file with the key by which it is sorted.

    Its excerpt is built before the file is closed, if the line still is among the best.
    """

    key: RankKey
    file: int
    offset: int
    excerpt: HitExcerpt | None = None


class LineRanking:
    """The best `max_lines` lines of a search by one value, over any number of files.

    `sort` is a field or a group (`ms`, `$1`), with `-` before it for the largest values.
    """

    def __init__(self, sort: str, max_lines: int) -> None:
        self._is_descending = sort.startswith("-")
        self._part = _parse_part(sort.removeprefix("-"))
        self._max_lines = max_lines
        self._file = 0
        self._lines: list[RankedLine] = []
        self._worst_key: RankKey | None = None
        self._counted_lines = 0
        self._unranked_lines = 0

    def require_groups(self, pattern: Pattern) -> None:
        """Raise `invalid_input` for a group that the pattern does not have."""
        if self._part.group:
            find_groups([self._part.group], pattern)

    def add_file(
        self,
        snapshot: Snapshot,
        pattern: Pattern,
        selected: SelectedLines | None,
        task: Task,
    ) -> list[int]:
        """Rank the matching lines of a file; return the offsets of those to be shown."""
        self._file += 1
        groups = [self._part.group] if self._part.group else []
        group_numbers = find_groups(groups, pattern)
        max_kept = max(_MIN_KEPT_LINES, 2 * self._max_lines)
        for match in iterate_matching_lines(snapshot, pattern, selected, task):
            self._counted_lines += 1
            entry = None
            if self._part.path:
                entry = read_line_fields(snapshot, selected, match.line.body)
            line = CountedLine(
                entry, read_groups(snapshot, match, group_numbers)
            )
            key = self._read_key(line)
            if key is None:
                self._unranked_lines += 1
            elif self._may_be_best(key):
                self._lines.append(
                    RankedLine(key, self._file, match.line.offset)
                )
                if len(self._lines) >= max_kept:
                    self._keep_best()
        self._keep_best()
        return sorted(
            line.offset for line in self._lines if line.file == self._file
        )

    def add_excerpts(self, excerpts: dict[int, HitExcerpt]) -> None:
        """Add the excerpts of lines of the last file, by their offsets."""
        lines = []
        for line in self._lines:
            if line.file == self._file and line.offset in excerpts:
                line = replace(line, excerpt=excerpts[line.offset])
            lines.append(line)
        self._lines = lines

    def excerpts(self) -> Iterator[HitExcerpt]:
        """Yield the best lines, the best first."""
        for line in self._lines:
            if line.excerpt is not None:
                yield line.excerpt

    def notes(self, shown_count: int) -> Sequence[str]:
        """Return how many lines are shown, of how many, and in which order."""
        order = "largest" if self._is_descending else "smallest"
        lines = pluralize(self._counted_lines, "matching line")
        name = self._part.name
        notes = [f"{shown_count:,} of {lines}, the {order} {name} first"]
        if self._unranked_lines:
            unranked = pluralize(self._unranked_lines, "line")
            notes.append(f"{unranked} without {name}")
        return notes

    def _read_key(self, line: CountedLine) -> RankKey | None:
        """Return the key of a line, or None without a value."""
        value: object = MISSING
        if self._part.group:
            value = line.groups.get(self._part.group)
        elif line.entry is not None:
            value = find_value(line.entry, self._part.path)
        number = to_number(value)
        if number is not None:
            return (1, number) if is_finite(number) else None
        return (0, value) if isinstance(value, str) else None

    def _may_be_best(self, key: RankKey) -> bool:
        """Return False if a line is certainly not among the best."""
        worst = self._worst_key
        if worst is None:
            return True
        return key > worst if self._is_descending else key < worst

    def _keep_best(self) -> None:
        """Sort the lines and drop all but the best; equal values stay in order of place."""
        self._lines.sort(key=attrgetter("key"), reverse=self._is_descending)
        del self._lines[self._max_lines :]
        if len(self._lines) == self._max_lines:
            self._worst_key = self._lines[-1].key


def _parse_part(text: str) -> KeyPart:
    """Return the field or group to sort by. Raise `invalid_input` for anything else."""
    parts = parse_key(text) if text.strip() else ()
    if len(parts) != 1 or parts[0].span:
        raise invalid(
            f"{text!r} is no field to sort by",
            'give one field ("-latency_ms") or a group of the regex ("-$1")',
            argument="sort",
        )
    return parts[0]
