"""Values that pass between the steps of planning an edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from filewright.edit.comparison import RequestLines
from filewright.edit.indentation import Indentation
from filewright.edit.request import Edit, TextEdit
from filewright.errors import Code
from filewright.text.lines import Line
from filewright.text.splice import Splice


class Tier(StrEnum):
    """The comparisons by which a search text is matched, strictest first."""

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
        """Return the place in the order of tiers: 0 for the strictest."""
        return [*Tier].index(self)


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A half-open byte range."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Region:
    """The lines of the file that match the lines of a request.

    `rows` are all of them; the first and the last are solid (not blank). `solid` has the
    indexes of the solid rows, `texts` their texts. `tier` is the strictest comparison
    that accepts the region; `exact` ignores only blank lines at the edges.
    """

    rows: tuple[Line, ...]
    solid: tuple[int, ...]
    texts: tuple[str, ...]
    tier: Tier
    indentation: Indentation

    @property
    def start(self) -> int:
        """Return the byte offset of the first line."""
        return self.rows[0].offset

    @property
    def end(self) -> int:
        """Return the byte offset past the terminator of the last line."""
        return self.rows[-1].end


# The parts of a match


@dataclass(frozen=True, slots=True)
class TextPart:
    """A text that occurs literally at `span`; `replace` takes its place."""

    span: ByteRange
    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class LinesPart:
    """Lines of a request that match a region; their change to `replace` is merged."""

    region: Region
    search: RequestLines
    replace: RequestLines

    @property
    def span(self) -> ByteRange:
        """Return the bytes of the region."""
        return ByteRange(self.region.start, self.region.end)


@dataclass(frozen=True, slots=True)
class SplicePart:
    """Splices that are already known, within `span`."""

    span: ByteRange
    splices: tuple[Splice, ...]


@dataclass(frozen=True, slots=True)
class HunkPart:
    """Lines of the file, each paired with a line of a request, as in a hunk of a patch.

    Line i of `old` is row i; `kept` maps each line of `new` that stays to its line of
    `old`. `indentation` maps the indents of the request (None: they stay). `ended` is True
    if the last line has a terminator afterwards (None: as before). `terminators` are those
    of `new`, if the patch spells them out. `blanks` are lines of the patch that mean an
    empty line.
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


# The results of the matchers, and the choice


@dataclass(frozen=True, slots=True)
class Reading:
    """The candidates of one reading of a request.

    Each candidate is a tuple of parts in order of offset. With `has_more` the file was
    not searched to its end. `repairs` says in words which damage this reading removes
    from the request; `inner_tier` is the tier by which the repaired request matches.
    """

    candidates: tuple[tuple[Part, ...], ...]
    has_more: bool = False
    inner_tier: Tier | None = None
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """The result of a matcher: readings of the request by one tier, none of them empty.

    With `is_final` no looser matcher may be tried, although there is no reading.
    """

    tier: Tier
    readings: tuple[Reading, ...] = ()
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class EditMatch:
    """The place of an edit: its parts in order of offset, and the tier that matched.

    `inner_tier` is the tier by which a repaired request matched, `repairs` says in words
    how it was repaired. `alternatives` are other readings that match at the same place:
    they must write the same.
    """

    edit: Edit
    tier: Tier
    parts: tuple[Part, ...]
    inner_tier: Tier | None = None
    repairs: tuple[str, ...] = ()
    alternatives: tuple[EditMatch, ...] = ()

    @property
    def span(self) -> ByteRange:
        """Return the range from the first byte of the parts to the last."""
        return ByteRange(self.parts[0].span.start, self.parts[-1].span.end)

    @property
    def is_every_occurrence(self) -> bool:
        """Return True if the parts are all occurrences of one text."""
        return isinstance(self.edit, TextEdit) and self.edit.replace_all


@dataclass(eq=False)
class AmbiguousWriteError(Exception):
    """The place of an edit is certain, but the text to write there is not.

    `readings` are the texts that the place may become, if there are several.
    """

    message: str
    hint: str
    code: Code = Code.AMBIGUOUS_MATCH
    readings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotLocated:
    """The reason why an edit has no place: a code, and the places of its text, if any.

    `reached` is the loosest tier that was tried. `spans` are the places of an ambiguous
    text, the places of a text that is not on the lines which the edit names, or the place
    at which the edit overlaps edit number `other`; `has_more` says that there are further
    ones. `conflicts` are stretches that both the edit and another process changed: as
    `shown`, as they are `there` now, and as `wanted`. `unclear` is the reason why the text
    to write is uncertain.
    """

    edit: Edit
    code: Code
    reached: Tier | None = None
    spans: tuple[ByteRange, ...] = ()
    has_more: bool = False
    conflicts: tuple[dict[str, str], ...] = ()
    other: int | None = None
    unclear: AmbiguousWriteError | None = None

    @property
    def is_missing(self) -> bool:
        """Return True if the text of the edit is nowhere in the file."""
        return self.code is Code.NO_MATCH
