"""Requests to edit a file, and their validation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from filewright.errors import invalid
from filewright.text.codec import check_text, normalize_newlines
from filewright.text.splice import Splice


@dataclass(frozen=True, slots=True)
class SymbolLines:
    """The lines of a symbol with its comment and decorators, and the blank lines beside.

    `indent` is that of the first line. There are `before` blank lines above, and `after`
    below. `following` is the next line with text (None: there is none). `opens_block`:
    the text above it opens the block that it is in, or there is none. `ends_block`: the
    text below it is not in that block; with `has_closing_line` it closes the block.
    `gap` blank lines separate the symbol from its neighbours (None if it has none to
    tell how many). `name` is its full name in the outline.
    """

    first: int
    last: int
    indent: str
    before: int
    after: int
    following: int | None
    opens_block: bool
    ends_block: bool
    has_closing_line: bool
    gap: int | None = None
    name: str = ""


class EditRole(Enum):
    """The reason for an edit, which decides how an answer describes it."""

    REQUESTED = "requested"
    """The caller sent it."""
    FURTHER = "further"
    """It changes other lines for a requested edit, whose number it has, such as the comma
    of a neighbour. The answer describes the requested edit alone."""
    IMPORT = "import"
    """It rewrites an import. The answer shows its new lines."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    r"""Put `replace` in place of `search`. Any terminator in them is the same as \n.

    `start_line` alone chooses between places of the text. With `end_line` exactly that
    text must be on those lines, which are counted from 1, the last included.
    `replace_all` takes every exact occurrence. Without `fuzzy` the text must occur
    exactly, and the replacement is written as it is, whatever it looks like.

    `number` is that of the edit in its call, from 0.
    """

    search: str
    replace: str
    replace_all: bool = False
    start_line: int | None = None
    end_line: int | None = None
    fuzzy: bool = True
    number: int = 0

    @property
    def named(self) -> str:
        """Return "": a text is not named."""
        return ""

    @property
    def role(self) -> EditRole:
        """Return that the caller sent the edit."""
        return EditRole.REQUESTED


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEdit:
    """Put `replace` in place of whole lines, whatever they hold.

    The lines are counted in the version `base` of the file (None: as it is). `named` says
    in words how the request named them. `symbol` are the lines of a symbol to delete, with
    which blank lines beside it are deleted. `search` is the text of the lines, once they
    are located.
    """

    first_line: int
    last_line: int
    replace: str
    named: str
    base: bytes | None = None
    symbol: SymbolLines | None = None
    fuzzy: bool = True
    number: int = 0
    search: str = ""
    role: EditRole = EditRole.REQUESTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Insertion:
    """Insert `replace` as whole lines before `line`; one past the last line appends.

    `data` are bytes to insert as they are, terminators included, instead of a text.
    `base` and `named` are as those of a `LineEdit`; `named` is empty for an insertion at
    a line that no version is named for.
    """

    line: int
    replace: str = ""
    data: bytes | None = None
    named: str = ""
    base: bytes | None = None
    fuzzy: bool = True
    number: int = 0

    @property
    def search(self) -> str:
        """Return "": an insertion replaces nothing."""
        return ""

    @property
    def role(self) -> EditRole:
        """Return that the caller sent the edit."""
        return EditRole.REQUESTED


@dataclass(frozen=True, slots=True, kw_only=True)
class SpliceEdit:
    """Rewrite imports with splices that are known already, within the bytes [start, end).

    `named` says in words what they do.
    """

    start: int
    end: int
    splices: tuple[Splice, ...]
    named: str
    number: int = 0
    base: bytes | None = None
    fuzzy: bool = False
    search: str = ""
    replace: str = ""
    role: EditRole = EditRole.IMPORT


Edit = TextEdit | LineEdit | Insertion | SpliceEdit


def validate_edit(edit: Edit) -> Edit:
    r"""Return the edit with \n for all terminators in its texts. Raises `invalid_input`."""
    if not edit.named:
        check_text(edit.search, "search")
        check_text(edit.replace, "replace")
    match edit:
        case TextEdit():
            _validate_lines(edit.start_line, edit.end_line)
            if edit.replace_all and edit.start_line is not None:
                raise invalid(
                    "replace_all takes no lines",
                    "leave out the lines, or leave out replace_all",
                    argument="replace_all",
                )
            if not edit.search and edit.end_line is None:
                raise invalid(
                    "the search text is empty",
                    "give the text to replace, or a start_line to insert before",
                    argument="search",
                )
            if "\r" in edit.search:
                edit = replace(edit, search=normalize_newlines(edit.search))
        case LineEdit():
            _validate_lines(edit.first_line, edit.last_line)
        case Insertion():
            _validate_lines(edit.line, None)
        case SpliceEdit():
            return edit
    if "\r" in edit.replace:
        return replace(edit, replace=normalize_newlines(edit.replace))
    return edit


def _validate_lines(first: int | None, last: int | None) -> None:
    """Raise `invalid_input` for lines that are no range."""
    if first is not None and first < 1:
        raise invalid(
            f"start_line {first} is below 1",
            "lines are counted from 1",
            argument="start_line",
        )
    if last is not None and first is None:
        raise invalid(
            "end_line was given without start_line",
            "give both lines, or neither",
            argument="end_line",
        )
    if first is not None and last is not None and last < first:
        raise invalid(
            f"end_line {last} is before start_line {first}",
            "correct the lines",
            argument="end_line",
        )
