"""What a search of a tree is asked (`TreeOptions`), and what a search finds. Plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Match:
    """One match: bytes [offset, end) of the file, and the pattern's own groups (None: took no part)."""

    offset: int
    end: int
    groups: tuple[Span | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """What one line of a result is.

    Bytes [offset, end) of the file are the first match (inverted: the line; fuzzy: the region);
    `line` is 1-based, `column` the 1-based character of `offset` in it, `line_offset` the byte where
    that line begins. `submatches` are the byte ranges of every match on the line that an excerpt
    can show together, the first one included; further ones in a long line are hits of their own.
    `score` is the similarity, 1.0 unless fuzzy.
    """

    offset: int
    end: int
    line: int
    column: int
    line_offset: int
    submatches: tuple[Span, ...] = ()
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class ShownLine:
    """The piece of a line around a hit, as shown: decoded, without terminator.

    `column` is the 1-based character where `text` begins in its line; `cut_before` and `cut_after`
    say whether the line goes on; `ranges` are the submatches as character ranges of `text`.
    """

    text: str
    column: int
    cut_before: bool
    cut_after: bool
    ranges: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of one file came to.

    `hits` in order of offset (fuzzy: similarity, then offset). `complete` says whether the whole
    file was searched; if not, `stopped_at` is the byte offset to go on from (None: fuzzy) and
    `reason` why. `count` is the number of hits seen, also where none were kept. Fuzzy: `runner_up`
    is the best similarity among what is not in `hits`, and `tied` how many are as good as the best.
    """

    hits: tuple[Hit, ...]
    complete: bool
    stopped_at: int | None = None
    count: int = 0
    reason: str = ""
    runner_up: float | None = None
    tied: int = 0


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Which files, and what is wanted of them.

    `glob` as the walk takes it; `kind` a language or extension (`python`, `rs`); `limit` is in hits
    for `matches`, else in files; `invert` finds lines without a match. Notebooks are searched by their
    cells.
    """

    limit: int
    output: Literal["matches", "files", "counts"] = "matches"
    glob: str | Sequence[str] | None = None
    kind: str | None = None
    invert: bool = False
    include_hidden: bool = True
    include_ignored: bool = False
