"""What a pattern is made of: a tree of plain values, and sets of code points as ranges."""

from __future__ import annotations

from dataclasses import dataclass

LARGEST = 0x10FFFF
LINE_FEED = 0x0A

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Char:
    """One character; `fold` means in either case."""

    code: int
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Set:
    """One character of a set: ordered, disjoint `ranges` and Unicode `properties` (name, negated)."""

    ranges: tuple[Range, ...]
    properties: tuple[tuple[str, bool], ...] = ()
    negated: bool = False
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """A place of no width: one of ``^ $ b B``."""

    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group; `name` None and `captures` False for ``(?:…)``."""

    inner: Node
    captures: bool
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """`inner` from `low` to `high` times (None: without end)."""

    inner: Node
    low: int
    high: int | None
    lazy: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after another."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """The first alternative that leads to a match."""

    items: tuple[Node, ...]


Node = Char | Set | Assertion | Group | Repeat | Sequence | Alternation


def merged(ranges: list[Range]) -> tuple[Range, ...]:
    """The same set of code points as ordered, disjoint, non-touching ranges."""
    result: list[Range] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return tuple(result)


def complement(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """Every code point that is not in ordered, disjoint `ranges`."""
    result: list[Range] = []
    low = 0
    for start, end in ranges:
        if start > low:
            result.append((low, start - 1))
        low = end + 1
    if low <= LARGEST:
        result.append((low, LARGEST))
    return tuple(result)


def without(ranges: tuple[Range, ...], *codes: int) -> tuple[Range, ...]:
    """`ranges` less single code points."""
    for code in codes:
        ranges = tuple(
            piece
            for low, high in ranges
            for piece in (((low, high),) if not low <= code <= high else ((low, code - 1), (code + 1, high)))
            if piece[0] <= piece[1]
        )
    return ranges
