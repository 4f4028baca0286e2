"""The lines with the largest or smallest values of a field or of a group of the regex."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import attrgetter

from filewright.errors import invalid
from filewright.logs.counts import CountedLine, KeyPart, parse_key
from filewright.progress import Task
from filewright.rows import dates, numbers
from filewright.rows.fields import MISSING, find_value
from filewright.rows.numbers import FindForm
from filewright.search.pattern import Pattern
from filewright.search.selected_lines import (
    SelectedLines,
    iterate_matching_lines,
)
from filewright.text.snapshot import Snapshot
from filewright.tools.bounded_text import clip
from filewright.tools.search.counts import (
    MAX_EXAMPLE_CHARS,
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
        self._unread_lines = 0
        self._unread_text = ""

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

        @cache
        def find_decimal_sign() -> str | None:
            return self._find_form(selected, numbers.find_decimal_sign, task)

        @cache
        def find_day_order() -> str | None:
            return self._find_form(selected, dates.find_day_order, task)

        max_kept = max(_MIN_KEPT_LINES, 2 * self._max_lines)
        for match in iterate_matching_lines(snapshot, pattern, selected, task):
            self._counted_lines += 1
            entry = None
            if self._part.path:
                entry = read_line_fields(snapshot, selected, match.line.body)
            line = CountedLine(
                entry, read_groups(snapshot, match, group_numbers)
            )
            value = self._find_value(line)
            key = read_key(value, find_decimal_sign, find_day_order)
            if key is None:
                if isinstance(value, str):
                    self._unread_lines += 1
                    self._unread_text = self._unread_text or value
                else:
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
        if self._unread_lines:
            unread = pluralize(self._unread_lines, "line")
            example = clip(self._unread_text, MAX_EXAMPLE_CHARS)
            notes.append(
                f"{unread} whose {name} is no certain number or date, such as "
                f"{example!r}"
            )
        return notes

    def _find_value(self, line: CountedLine) -> object:
        """Return the value by which a line is sorted, or None or `MISSING`."""
        if self._part.group:
            return line.groups.get(self._part.group)
        if line.entry is None:
            return MISSING
        return find_value(line.entry, self._part.path)

    def _find_form(
        self,
        selected: SelectedLines | None,
        form_of: Callable[[str], str | None],
        task: Task,
    ) -> str | None:
        """Return the form of the numbers or dates in the sorted column."""
        if selected is None or not self._part.path:
            return None
        return selected.find_form(self._part.path, form_of, task)

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


def read_key(
    value: object, find_decimal_sign: FindForm, find_day_order: FindForm
) -> RankKey | None:
    """Return the key of a value; None if it has no certain order, or is missing."""
    number = numbers.read_number(value, find_decimal_sign)
    if number is not None:
        return (1, number) if numbers.is_finite(number) else None
    if not isinstance(value, str):
        return None
    date = dates.read_date(value, find_day_order) or dates.read_time(value)
    if date is not None:
        return (0, date)
    return None if numbers.is_like_number(value) else (0, value)


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
