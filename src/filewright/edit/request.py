"""Requests to edit a file, and their validation."""

from __future__ import annotations

from dataclasses import dataclass, replace

from filewright.errors import invalid
from filewright.text.codec import check_text, normalize_newlines


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

    @property
    def is_of_lines(self) -> bool:
        """Return True for whole lines that are replaced or inserted, whatever they hold."""
        return bool(self.named) or not (self.search or self.end_line)


def validate_edit(edit: Edit) -> Edit:
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
            edit,
            search=normalize_newlines(edit.search),
            replace=normalize_newlines(edit.replace),
        )
    return edit
