"""What locating found: the regions an edit means, or why there is not exactly one."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.edit.find import ByteRange, Region
from filewright.edit.locate.indentation import Indentation
from filewright.edit.locate.request import Edit, RequestLines, Tier
from filewright.errors import Code
from filewright.text import Line, Splice


@dataclass(frozen=True, slots=True)
class Literal:
    """`search` is literally at `span`; `replace` takes its place."""

    span: ByteRange
    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class WholeLines:
    """The lines of `search` mean `region`; the change to `replace` is carried over."""

    region: Region
    search: RequestLines
    replace: RequestLines

    @property
    def span(self) -> ByteRange:
        """The bytes of its lines."""
        return ByteRange(self.region.start, self.region.end)


@dataclass(frozen=True, slots=True)
class Merge:
    """`span` is what the change made to an older text touches today; `splices` carry it over."""

    span: ByteRange
    splices: tuple[Splice, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Lines of the file, each with the line of the request it is: what a hunk of a patch means.

    `found[i]` is the row that line i of `old` is, None for a blank one the file lacks; `kept` pairs the
    lines of `old` and `new` that are one. `indentation` maps the request's indents (None: as they
    are). `ended`: whether the last line has a terminator afterwards (None: as before). `terminators`
    are those of `new`, where the patch spells them out. `blanks` are lines that stand for an empty one.
    """

    rows: tuple[Line, ...]
    span: ByteRange
    old: tuple[str, ...]
    new: tuple[str, ...]
    found: tuple[int | None, ...]
    kept: tuple[tuple[int, int], ...]
    indentation: Indentation | None = None
    ended: bool | None = None
    terminators: tuple[bytes, ...] | None = None
    blanks: frozenset[str] = frozenset()


Part = Literal | WholeLines | Rows | Merge


@dataclass(frozen=True, slots=True)
class Located:
    """Where an edit goes: its parts in order of offset, and how they were found.

    `inner` is the tier a repaired request matched by; `repairs` what was repaired, in words;
    `named` how a request named its place.
    """

    edit: Edit
    tier: Tier
    parts: tuple[Part, ...]
    inner: Tier | None = None
    repairs: tuple[str, ...] = ()
    named: str = ""

    @property
    def start(self) -> int:
        """The first byte offset of its regions."""
        return self.parts[0].span.start

    @property
    def end(self) -> int:
        """The byte offset past its regions."""
        return self.parts[-1].span.end


@dataclass(frozen=True, slots=True)
class Missed:
    """Why an edit goes nowhere: the code, how far the cascade came, and what was found instead.

    `spans` are the equal regions of an ambiguous text, or the one place an anchored text is
    really at; `more` when they are not all. `conflicts` are stretches that both the edit and someone else
    changed: as `shown`, as it is `there`, as it is `wanted`.
    """

    edit: Edit
    code: Code
    reached: Tier
    spans: tuple[ByteRange, ...] = ()
    more: bool = False
    conflicts: tuple[dict[str, str], ...] = ()


class UnclearError(Exception):
    """The place is certain, and what is to be written there is not: `code`, a message, what to do.

    `readings` are the texts the region may become, where there are several.
    """

    def __init__(self, code: Code, message: str, hint: str, readings: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.readings = readings
