"""Values that pass between the steps of planning an edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from filewright.edit.comparison import RequestLines
from filewright.edit.indentation import Indentation
from filewright.edit.request import Edit
from filewright.errors import Code
from filewright.text.lines import Line
from filewright.text.splice import Splice


class Tier(StrEnum):
    """The tiers of the cascade, strictest first."""

    EXACT = "exact"
    TRAILING = "trailing"
    INDENT = "indent"
    TYPOGRAPHY = "typography"
    BLANKS = "blanks"
    BLANK_LINES = "blank_lines"
    ELISION = "elision"
    REPAIRED = "repaired"
    DRIFT = "drift"

    @property
    def rank(self) -> int:
        """How much is looked past: 0 by the strictest."""
        return [*Tier].index(self)


# What is meant by it


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A half-open byte range."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextPart:
    """`search` is literally at `span`; `replace` takes its place."""

    span: ByteRange
    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class LinesPart:
    """The lines of `search` mean `region`; the change to `replace` is carried over."""

    region: Region
    search: RequestLines
    replace: RequestLines

    @property
    def span(self) -> ByteRange:
        """The bytes of its lines."""
        return ByteRange(self.region.start, self.region.end)


@dataclass(frozen=True, slots=True)
class SplicePart:
    """Whole lines that are put in place of those in `span`, whatever these hold: what is written is known."""

    span: ByteRange
    splices: tuple[Splice, ...]


@dataclass(frozen=True, slots=True)
class HunkPart:
    """Lines of the file, each with the line of the request it is: what a hunk of a patch means.

    Line i of `old` is row i; `kept` says of lines of `new` which of `old` they are. `indentation` maps the
    request's indents (None: as they are). `ended`: whether the last line has a terminator afterwards (None: as
    before). `terminators` are those of `new`, where the patch spells them out. `blanks` are lines that stand for
    an empty one.
    """

    rows: tuple[Line, ...]
    span: ByteRange
    old: tuple[str, ...]
    new: tuple[str, ...]
    kept: Mapping[int, int]
    indentation: Indentation | None = None
    ended: bool | None = None
    terminators: tuple[bytes, ...] | None = None
    blanks: frozenset[str] = frozenset()


Part = TextPart | LinesPart | HunkPart | SplicePart


@dataclass(frozen=True, slots=True)
class EditMatch:
    """Where an edit goes: its parts in order of offset, and how they were found.

    `inner` is the tier a repaired request matched by; `repairs` what was repaired, in words.
    """

    edit: Edit
    tier: Tier
    parts: tuple[Part, ...]
    inner: Tier | None = None
    repairs: tuple[str, ...] = ()

    @property
    def span(self) -> ByteRange:
        """From the first byte of its parts to the last."""
        return ByteRange(self.parts[0].span.start, self.parts[-1].span.end)


@dataclass(eq=False)
class AmbiguousWriteError(Exception):
    """The place is certain, and what is to be written there is not: a message, what to do, the code.

    `readings` are the texts the region may become, where there are several.
    """

    message: str
    hint: str
    code: Code = Code.AMBIGUOUS_MATCH
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotLocated:
    """Why an edit goes nowhere: the code, how far the cascade came, and what was found instead.

    `spans` are the equal regions of an ambiguous text, the one place an anchored text is
    really at, or where edit number `other` overlaps it; `more` when they are not all. `conflicts` are stretches that
    both the edit and someone else changed: as `shown`, as it is `there`, as it is `wanted`. `unclear` says why of an
    edit with a place nobody can say what it writes there.
    """

    edit: Edit
    code: Code
    reached: Tier | None = None
    spans: tuple[ByteRange, ...] = ()
    more: bool = False
    conflicts: tuple[dict[str, str], ...] = ()
    other: int | None = None
    unclear: AmbiguousWriteError | None = None


@dataclass(frozen=True, slots=True)
class Region:
    """Lines of the file that a block of lines means.

    `rows` are all its lines, first and last solid; `solid` the places of the solid ones among them;
    `texts` their texts; `tier` the strictest comparison that accepts it (`exact`: nothing was
    looked past but edge blank lines); `indentation` the map of indents.
    """

    rows: tuple[Line, ...]
    solid: tuple[int, ...]
    texts: tuple[str, ...]
    tier: Tier
    indentation: Indentation

    @property
    def start(self) -> int:
        """The byte offset of its first line."""
        return self.rows[0].offset

    @property
    def end(self) -> int:
        """The byte offset past its last line's terminator."""
        return self.rows[-1].end
