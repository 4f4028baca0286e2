"""The place of a hunk in a file, or the reason why it has none."""

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
]
"""Reasons why a hunk has no place; `explain` puts them into words."""


@dataclass(frozen=True, slots=True)
class HunkPlace:
    """The lines of a file that a hunk is about, from `start` (from 0) to before `end`.

    `tier` is the comparison that found it. `region` is the match of a looser tier.
    """

    start: int
    end: int
    tier: Tier = Tier.EXACT
    region: Region | None = None


@dataclass(frozen=True, slots=True)
class NoPlace:
    """The reason why a hunk has no place, and the lines (from 1) that show it."""

    reason: Reason
    lines: tuple[int, ...] = ()
    heading: str = ""


@dataclass(slots=True)
class LineBudget:
    """The number of lines that may still be looked at, so that no patch takes minutes."""

    remaining: int = 2_000_000


def to_line_numbers(indices: Sequence[int]) -> tuple[int, ...]:
    """Return the first twenty lines as people count them, from 1."""
    return tuple(index + 1 for index in indices[:_MAX_LINE_NUMBERS])
