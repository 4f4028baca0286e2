"""The place of a hunk in a file, or the reason why it has none.

Places count lines from 0; the numbers in a `NoPlace` are for messages, from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from filewright.edit.model import Region, Tier

_MAX_LINE_NUMBERS = 20

Reason: TypeAlias = Literal[
    "no_match",
    "ambiguous_match",
    "overlap",
    "order",
    "no_context",
    "already_applied",
    "heading",
    "cut",
    "not_at_end",
    "too_alike",
    "doubtful",
    "sent_twice",
]
"""Reasons why a hunk has no place; `explain` puts them into words."""


@dataclass(frozen=True, slots=True)
class HunkPlace:
    """The lines of a file that a hunk is about.

    `start` is the index of the first line (from 0) and `end` that behind the last one;
    they are equal for an insertion into an empty file or at its end. `tier` is the
    comparison that found the place. `region` is the match of a tier other than exact,
    None if the hunk is to be written with the indentation it has.
    """

    start: int
    end: int
    tier: Tier = Tier.EXACT
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class NoPlace:
    """The reason why a hunk has no place.

    `lines` are numbers of lines of the file (from 1): the places it could have, or the
    one where it conflicts; empty if there is none. `heading` is the heading that was
    not found. `applied_line` is the line at which the new lines of a doubtful hunk are.
    `header_line` is the number that its header needs for the first of `lines`: the
    numbers of the hunks above it are off too. 0 stands for none.
    """

    reason: Reason
    lines: tuple[int, ...] = ()
    heading: str = ""
    applied_line: int = 0
    header_line: int = 0

    @property
    def is_done(self) -> bool:
        """True if a call that takes what fits passes over the hunk."""
        return self.reason in ("already_applied", "sent_twice")


@dataclass(slots=True)
class LineBudget:
    """The number of lines that one file's hunks may still look at one by one.

    It bounds the searches whose work grows with hunks times lines, so that no patch
    takes minutes. It is shared, and counted down in place.
    """

    remaining: int = 2_000_000


def to_line_numbers(indices: Sequence[int]) -> tuple[int, ...]:
    """Return the first twenty of some indices as line numbers, from 1."""
    return tuple(index + 1 for index in indices[:_MAX_LINE_NUMBERS])
