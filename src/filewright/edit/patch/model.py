"""What a patch says, whatever notation it was written in: plain values, nothing looked up yet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["modify", "create", "delete", "rename", "copy"]
Notation = Literal["unified", "envelope"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a hunk: `sign` is " " (kept), "-" (removed) or "+" (added).

    `text` has no terminator; `terminator` is the one the patch wrote: ``\n``, ``\r\n`` or a lone ``\r``.
    """

    sign: str
    text: str
    terminator: str = "\n"


_PIECE = re.compile(r"([^\r\n]*)(\r\n|\r|\n)")


def rows_of(sign: str, text: str) -> list[Row]:
    """The rows of one line of a patch, given without its newline.

    There are several where the line holds lone carriage returns, which end lines in a file but not
    for the tools that write diffs.
    """
    if "\r" not in text:
        return [Row(sign, text)]
    return [Row(sign, body, end) for body, end in _PIECE.findall(text + "\n")]


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of rows that belongs in one place of a file.

    `number` counts the file's hunks from 1; `line` is where in the patch it begins. `start` is the
    1-based line its header names, None without one. `headings` are lines that must stand before
    it, outermost first. `at_end`: its last old line is the file's last. `old_ended`, `new_ended`:
    whether the last line has a terminator, before and after. `repaired`: its counts were wrong.
    `cut`: it ends like a patch that lost its end, and may only apply at the end of the file.
    """

    number: int
    line: int
    rows: tuple[Row, ...]
    start: int | None = None
    headings: tuple[str, ...] = ()
    at_end: bool = False
    old_ended: bool = True
    new_ended: bool = True
    repaired: bool = False
    cut: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """The lines that must be there."""
        return tuple(row.text for row in self.rows if row.sign != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines that will be there."""
        return tuple(row.text for row in self.rows if row.sign != "-")


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What happens to one file.

    `old` and `new` are paths as the patch names them, its ``a/`` and ``b/`` taken off; both are
    set and equal unless the file is created (`old` None), deleted (`new` None), renamed or copied.
    Modes are the permission bits git names (0o644 or 0o755), None where it names none. `emptied`:
    a deletion that must find the file as its hunks say, and empty after them. `line` is where in
    the patch it begins.
    """

    kind: Kind
    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]
    line: int
    old_mode: int | None = None
    new_mode: int | None = None
    emptied: bool = False

    @property
    def path(self) -> str:
        """The name to use in messages."""
        return self.old or self.new or ""

    @property
    def spells_terminators(self) -> bool:
        """Whether carriage returns are written out in it, so that its terminators mean something."""
        return any(row.terminator != "\n" for hunk in self.hunks for row in hunk.rows)


@dataclass(frozen=True, slots=True)
class Patch:
    """A parsed patch: at least one file, in the order written."""

    notation: Notation
    files: tuple[FilePatch, ...]
