"""What a patch says, whatever notation it was written in, and what it does: plain values."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Literal

from filewright.boundary import Location
from filewright.edit.changeset import Step
from filewright.edit.visible import cut_line
from filewright.errors import Code, FilewrightError
from filewright.text import Snapshot, Splice, check_text
from filewright.visible import one_line

RESEND = "send the whole patch again, as a unified diff that is complete"
Kind = Literal["modify", "create", "delete", "rename", "copy"]
Notation = Literal["unified", "envelope"]
DONE: dict[Kind, str] = {
    "modify": "modified", "create": "created", "delete": "deleted", "rename": "renamed", "copy": "copied",
}  # fmt: skip
"""What was done to a file, in a word."""


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
    1-based line its header names, None without one. `headings` are lines that must come before
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

    `old` and `new` are paths as the patch names them, its ``a/`` and ``b/`` taken off (`prefixed`:
    it had them); both are set and equal unless the file is created (`old` None), deleted (`new` None),
    renamed or copied.
    `new_mode` are the permission bits git names (0o644 or 0o755), None where it names none. `emptied`:
    a deletion that must find the file as its hunks say, and empty after them. `line` is where in
    the patch it begins.
    """

    kind: Kind
    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]
    line: int
    new_mode: int | None = None
    emptied: bool = False
    prefixed: bool = False

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

    def below(self, root: str, strip: int) -> Patch:
        """The patch of files below the folder `root`, `strip` leading parts of their names taken off.

        ``a/`` and ``b/`` count as the first part, as in ``patch -p`` and ``git apply -p``; 0 takes off
        only these. Raises `invalid_input` for a name that has no more parts than that.
        """

        def moved(name: str | None, *, prefixed: bool) -> str | None:
            if name is None:
                return None
            parts = name.split("/")
            taken = max(strip - prefixed, 0)
            if len(parts) <= taken:
                most = len(parts) - 1 + prefixed
                raise FilewrightError(
                    Code.INVALID_INPUT,
                    f"strip={strip} leaves nothing of {name}",
                    hint=f"use a strip up to {most}" + ("; a/ and b/ count as one" if prefixed else ""),
                    details={"argument": "strip", "path": name},
                )
            inner = "/".join(parts[taken:])
            return inner if root in ("", ".") else f"{root.rstrip('/')}/{inner}"

        if not strip and root in ("", "."):
            return self
        files = tuple(
            replace(
                each,
                old=moved(each.old, prefixed=each.prefixed),
                new=moved(each.new, prefixed=each.prefixed),
            )
            for each in self.files
        )
        return Patch(self.notation, files)


class PatchText:
    """The lines of a patch, without terminators, indexed from 0.

    A patch whose own lines (headers too) all end in ``\\r\\n`` came over a transport that made them
    so: the returns are taken off. Elsewhere a trailing ``\\r`` stays, and says that line's content
    has one. An outer code fence is taken off. `ended`: the last line had its newline.
    """

    def __init__(self, text: str) -> None:
        check_text(text, "patch")
        self.ended = text.endswith("\n")
        lines = text.split("\n")
        if self.ended:
            lines.pop()
        if (
            lines
            and all(line.endswith("\r") for line in (lines if self.ended else lines[:-1]))
            and len(lines) > 1
        ):
            lines = [line.removesuffix("\r") for line in lines]
        self.lines = lines
        self.first = 0
        self._unfence()

    def _unfence(self) -> None:
        """Leave out blank lines at both ends and the fence a chat client puts around a patch."""
        start, stop = 0, len(self.lines)
        while start < stop and not self.lines[start].strip():
            start += 1
        end = stop
        while end > start and not self.lines[end - 1].strip():
            end -= 1
        if end - start >= 2 and self.lines[start].startswith("```") and self.lines[end - 1].strip() == "```":
            start, stop = start + 1, end - 1
            self.ended = True
        self.first = start
        del self.lines[stop:]

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> str:
        """The line, or "" past the end."""
        return self.lines[index] if index < len(self.lines) else ""

    def is_blank(self, index: int) -> bool:
        """Whether the line is empty but for a carriage return, or past the end."""
        return self[index] in ("", "\r")

    def refused(self, index: int, why: str, hint: str, code: Code = Code.INVALID_INPUT) -> FilewrightError:
        """The error for something wrong at a line."""
        number = min(index, max(len(self.lines) - 1, 0)) + 1
        line = one_line(cut_line(self[number - 1], 200))
        return FilewrightError(
            code,
            f"the patch cannot be read: {why} (line {number} of the patch: {line!r})",
            hint=hint,
            details={"patch_line": number, "text": line},
        )


class Body:
    """The rows of one hunk as they are read; `end` is the index of the line past them."""

    def __init__(self, source: PatchText) -> None:
        self.source = source
        self.rows: list[Row] = []
        self.old = self.new = 0
        self.old_ended = self.new_ended = True
        self.at_end = False
        self.end = 0
        self._bare: list[bool] = []

    def take(self, at: int) -> bool:
        """Read the line at index `at`; False if no line of a hunk looks like that."""
        line = self.source[at]
        sign = line[:1] if line not in ("", "\r") else " "
        if sign == "\\":
            self._unended(at)
            return True
        if sign not in " +-":
            return False
        if (sign != "+" and not self.old_ended) or (sign != "-" and not self.new_ended):
            raise self.source.refused(
                at, "a line follows the one that has no newline at the end of its file", RESEND
            )
        rows = rows_of(sign, line[1:] if line[:1] == sign else line)
        self.rows += rows
        self._bare += [line in ("", "\r")] * len(rows)
        self.old += sign != "+"
        self.new += sign != "-"
        self.end = at + 1
        return True

    def _unended(self, at: int) -> None:
        if not self.rows:
            raise self.source.refused(at, "there is no line above this remark", RESEND)
        self.end = at + 1
        last = self.rows[-1]
        sign = last.sign
        self.at_end = True
        if last.terminator == "\r\n":
            # What the file ends with is a lone return; the newline is the patch's own.
            self.rows[-1] = Row(sign, last.text, "\r")
            return
        self.old_ended = self.old_ended and sign == "+"
        self.new_ended = self.new_ended and sign == "-"

    def drop_blank_end(self, at: int) -> None:
        """Leave out empty lines at the end that are not marked as rows: they only separate."""
        while self.rows and self._bare[-1]:
            self.rows.pop()
            self._bare.pop()
            self.old -= 1
            self.new -= 1
        self.end = at


@dataclass(frozen=True, slots=True)
class PatchTarget:
    """What is at a path, as the planner needs to know it.

    `open` opens it; None where nothing is there (`missing` may then hold the error that looking gave). `key` is
    equal for two spellings of one file: device and inode of a file that is there, those of the folder and the name
    of one that is not. `mode` are permission bits.
    """

    location: Location
    open: Callable[[], Snapshot] | None
    key: Hashable
    mode: int | None = None
    missing: FilewrightError | None = None


Look = Callable[[str], PatchTarget]
"""The `PatchTarget` of a path as the patch names it. Raises what the boundary raises: `path_escape`,
`not_a_file` for folders, `symlink` …; never for a path where nothing is."""


@dataclass(frozen=True, slots=True)
class HunkOutcome:
    """How a hunk was placed: `line` is the first it covers (from 1), `moved` how many lines from where
    its header says (None without a number), `tier` what was looked past, `repaired` wrong counts."""

    number: int
    line: int
    tier: str
    moved: int | None
    repaired: bool


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What happens to one file: `splices` on `before` (empty for a new file), and the `steps` that do it.

    `name` is its name before (None for a new file), `new_name` after (None for a deleted one), as shown;
    `location` is where it is afterwards, or was.
    """

    kind: Kind
    location: Location
    name: str | None
    new_name: str | None
    before: Snapshot
    splices: tuple[Splice, ...]
    steps: tuple[Step, ...]
    hunks: tuple[HunkOutcome, ...] = ()
    mode_before: int | None = None
    mode_after: int | None = None

    @property
    def done(self) -> str:
        """What was done to it, in a word."""
        return DONE[self.kind]
