"""What is asked for, an `Edit`; what it means in a file, `Located` or `Missed`; and what comparing looks past.

Its lines are told by what they are: blank, or a mark of text left out.

Folding (whitespace, typography, Unicode normalisation) only ever compares; what is written are the file's own
bytes or the caller's words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from filewright.errors import Code, invalid
from filewright.text.codec import check_text, normalised
from filewright.text.lines import Line
from filewright.text.spelling import PLAIN
from filewright.text.splice import Splice

if TYPE_CHECKING:
    from filewright.edit.find import Region
    from filewright.edit.locate.indentation import Indentation

WHITESPACE = " \t\f\v"
"""What may trail, indent or separate. Other white space is text."""

_FOLD = {ord(char): plain for char, plain in PLAIN.items()}
#: What a word processor puts for plain characters, besides all punctuation that is not ASCII.
_CORRECTED = "→←⇒⇐↔≤≥≠×÷±©®™½¼¾ﬁﬂ"
_WORDS = re.compile(r"\w+|\s+|.")
_LONG_RUN = re.compile(r"\s{257,}")

# Runs that no fold changes: without whitespace, quotes and dashes, and without a letter that a
# combining mark may follow.
_VERBATIM = re.compile(r"[!#-&(-,./0-~]+(?![^\x00-\x7f])")


#: Characters without a shape of their own: soft hyphens, joiners, marks of direction, variation selectors.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef]"
)


def is_invisible(character: str) -> bool:
    """Return True for a character without a shape of its own."""
    return _INVISIBLE.match(character) is not None


def has_invisible(text: str) -> bool:
    """Return True if a text holds a character that cannot be seen."""
    return not text.isascii() and _INVISIBLE.search(text) is not None


def folded(text: str) -> str:
    """Return `text` composed (NFC), with plain quotes, dashes and spaces, without invisible characters."""
    if text.isascii():
        return text
    return _INVISIBLE.sub("", unicodedata.normalize("NFC", text)).translate(_FOLD)


def is_typographic(text: str) -> bool:
    """Whether `text` holds a quote, a dash or a space that has a plain form."""
    return not text.isascii() and any(char in PLAIN for char in text)


def plain_but_for(text: str, own: str) -> tuple[str, str]:
    """`text` with plain quotes, dashes and spaces, but for the characters in `own`; and what has no plain form.

    The second string holds the characters of `text` that a word processor may have put there, that
    are not in `own`, and for which nobody can say what was typed.
    """
    if text.isascii():
        return text, ""
    result = "".join(
        PLAIN.get(char, char) if char not in own else char for char in text
    )
    unclear = [
        char
        for char in result
        if not char.isascii()
        and char not in own
        and (
            char in _CORRECTED
            or unicodedata.category(char) == "Cf"
            or unicodedata.category(char)[0] in "PZ"
        )
    ]
    return result, "".join(unclear)


def collapsed(line: str) -> str:
    """A line as the loosest whole-line tier compares it: folded, trimmed, single spaces in it.

    A run of more than 256 spaces is no slip of the pen: it stays.
    """
    text = folded(line)
    if len(text) > 256 and _LONG_RUN.search(text.strip()):
        return text.strip()
    return " ".join(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


def words_shared(one: str, other: str) -> float:
    """How much of two lines is the same words, 0 to 1: the one similarity that a decision looks at."""
    mine, theirs = (Counter(words_in(line.strip())) for line in (one, other))
    return 2 * (mine & theirs).total() / ((mine.total() + theirs.total()) or 1)


def words_in(text: str) -> list[str]:
    """The words, blanks and signs of a text, in order: the one tokeniser of comparing and merging."""
    return _WORDS.findall(text)


def indent_of(line: str) -> str:
    """The whitespace a line begins with."""
    return line[: len(line) - len(line.lstrip(WHITESPACE))]


def width_of(line: str) -> int:
    """The columns a line is indented by."""
    return len(indent_of(line).expandtabs(4))


def verbatim_runs(line: str) -> list[str]:
    """The stretches of a line that stand unchanged, as ASCII bytes, in every line that folds alike."""
    return _VERBATIM.findall(line)


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


@dataclass(frozen=True, slots=True)
class SymbolLines:
    """The lines of a symbol, with its comment and decorators, and the blank lines beside them.

    `indent` is that of its first line. There are `before` blank lines above it; when it goes, `between` below it do,
    so that they are not added up. Line `following` is the next with text (None: there is none). `gap` blank lines part
    it from what is put beside it (None if nothing there says how many).
    """

    first: int
    last: int
    indent: str
    before: int
    between: int
    following: int | None
    gap: int | None


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `replace` in place of `search`; any terminators, both are normalised to ``\\n``.

    Of a text, `start_line` alone chooses between equal regions; with `end_line` (both 1-based, inclusive)
    exactly that text must be on those lines. `replace_all` takes every exact occurrence. Without `fuzzy` it is there
    exactly, and its replacement is written as it is, whatever it looks like.

    An empty `search` means whole lines, whatever they hold: from `start_line` to `end_line`, or none before
    `start_line` where `end_line` is the line above it, or not given. They are those of the text `base` (None: of the
    file as it is); `named` says in words how the request named them. `data` are the bytes to insert as they are,
    terminators and all. With a `symbol` that goes the blank lines that it would leave do.

    `number` is that of the edit in its call, from 0.
    """

    search: str
    replace: str
    replace_all: bool = False
    start_line: int | None = None
    end_line: int | None = None
    fuzzy: bool = True
    number: int = 0
    named: str = ""
    base: bytes | None = None
    data: bytes | None = None
    symbol: SymbolLines | None = None


def valid(edit: Edit) -> Edit:
    """The edit with its texts normalised to ``\\n``. Raises `invalid_input`."""
    start, end = edit.start_line, edit.end_line
    for name in ("search", "replace") if not edit.named else ():
        check_text(getattr(edit, name), name)
    if start is not None and start < 1:
        raise invalid(
            f"start_line {start} is below 1",
            "lines are counted from 1",
            argument="start_line",
        )
    if end is not None and start is None:
        raise invalid(
            "end_line was given without start_line",
            "give both lines, or neither",
            argument="end_line",
        )
    if start is not None and end is not None and end < start:
        raise invalid(
            f"end_line {end} is before start_line {start}",
            "correct the lines",
            argument="end_line",
        )
    if edit.replace_all and start is not None:
        raise invalid(
            "replace_all takes no lines",
            "leave out the lines, or leave out replace_all",
            argument="replace_all",
        )
    if not edit.search and start is None:
        raise invalid(
            "the search text is empty",
            "give the text to replace, or a start_line to insert before",
            argument="search",
        )
    if "\r" in edit.search or "\r" in edit.replace:
        return replace(
            edit, search=normalised(edit.search), replace=normalised(edit.replace)
        )
    return edit


def is_blank(line: str) -> bool:
    """Whether nothing but white space is on the line."""
    return not line.strip()


@dataclass(frozen=True)
class RequestLines:
    """Lines of a request as whole-line matching sees them: the solid (non-blank) lines in order.

    `solid` are their texts, `blank[i]` the blank lines between solid lines i and i + 1, `before`
    and `after` those at the edges (the terminator of the last line is none).
    """

    solid: tuple[str, ...]
    blank: tuple[tuple[str, ...], ...]
    before: tuple[str, ...]
    after: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> RequestLines:
        """The block of a text; its final newline ends the last line and begins none."""
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        return cls.of_lines(lines)

    @classmethod
    def of_lines(cls, lines: list[str] | tuple[str, ...]) -> RequestLines:
        """The block of lines without terminators."""
        solid: list[str] = []
        gaps: list[tuple[str, ...]] = []
        run: list[str] = []
        for line in lines:
            if is_blank(line):
                run.append(line)
                continue
            gaps.append(tuple(run))
            run = []
            solid.append(line)
        return cls(tuple(solid), tuple(gaps[1:]), gaps[0] if gaps else (), tuple(run))

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """All lines from the first solid to the last."""
        result: list[str] = []
        for index, line in enumerate(self.solid):
            if index:
                result += self.blank[index - 1]
            result.append(line)
        return tuple(result)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The solid lines as the loosest whole-line tier compares them."""
        return tuple(map(collapsed, self.solid))


# What is meant by it


@dataclass(frozen=True, slots=True)
class ByteRange:
    """A half-open byte range."""

    start: int
    end: int


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
class NewLines:
    """Whole lines that are put in place of those in `span`, whatever these hold: what is written is known."""

    span: ByteRange
    splices: tuple[Splice, ...]


@dataclass(frozen=True, slots=True)
class Rows:
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


Part = Literal | WholeLines | Rows | NewLines


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
