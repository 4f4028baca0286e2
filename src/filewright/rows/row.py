"""A row of a file, and the bytes of its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from filewright.progress import Task
from filewright.rows.conditions import Condition

MAX_ROW_BYTES = 2 << 20
"""Longer rows are refused: their fields may take many times the memory."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a row: its bytes [start, end) of the file, and its value."""

    start: int
    end: int
    value: Any


@dataclass(frozen=True, slots=True)
class Row:
    """A row that fulfils the conditions of a caller.

    [offset, end) are its bytes without a line end. A row of several lines is shown by the
    line at `shown_offset`, where a condition is fulfilled. `fields` are the fields that
    the caller asked for, by their paths, without those that the row does not have.
    """

    offset: int
    end: int
    shown_offset: int
    fields: Mapping[str, Field]


@dataclass
class LeftOutRows:
    """The number of rows that are left out for one reason.

    `noun` and `reason` name them in words: "row", "without a number".
    """

    noun: str
    reason: str
    count: int = 0
    first_offset: int = 0

    def add(self, offset: int) -> None:
        """Count the row at an offset."""
        if not self.count:
            self.first_offset = offset
        self.count += 1


@dataclass(frozen=True, slots=True)
class UncertainValues:
    """The counts of the rows with a value of which it is uncertain whether it fits.

    `noun` names such a row, and `by_reason` has a count for each reason.
    """

    noun: str
    by_reason: dict[str, LeftOutRows] = field(default_factory=dict)

    def add(self, reason: str, offset: int) -> None:
        """Count the row at an offset."""
        if reason not in self.by_reason:
            self.by_reason[reason] = LeftOutRows(self.noun, reason)
        self.by_reason[reason].add(offset)

    @property
    def counts(self) -> Sequence[LeftOutRows]:
        """Return the counts in the order in which their reasons were found."""
        return tuple(self.by_reason.values())


class RowReader(Protocol):
    """A reader of the rows of one file."""

    @property
    def left_out(self) -> Sequence[LeftOutRows]: ...

    def iterate_rows(
        self,
        conditions: Sequence[Condition],
        paths: Sequence[str],
        task: Task,
    ) -> Iterator[Row]:
        """Yield the rows that fulfil all conditions, with the fields at `paths`."""
        ...
