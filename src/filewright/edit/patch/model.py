"""What a patch says, whatever notation it was written in, and what it does: plain values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from filewright.boundary import Location, quote, unquote
from filewright.edit.changeset import Step
from filewright.errors import Code, FilewrightError
from filewright.text import Snapshot, Splice

Kind = Literal["modify", "create", "delete", "rename", "copy"]
Notation = Literal["unified", "envelope"]
DONE: dict[Kind, str] = {
    "modify": "modified", "create": "created", "delete": "deleted", "rename": "renamed", "copy": "copied",
}  # fmt: skip
"""What was done to a file, in a word."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a hunk: `sign` is " " (kept), "-" (removed) or "+" (added).

    `text` has no terminator; `terminator` is the one the patch wrote: ``\n``, ``\r\n`` or a lone ``\r``, and none
    where git's remark says that the file has no newline there.
    """

    sign: str
    text: str
    terminator: str = "\n"


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of rows that belongs in one place of a file.

    `number` counts the file's hunks from 1; `line` is where in the patch it begins. `start` is the
    1-based line its header names, None without one. `headings` are lines that must come before
    it, outermost first. `at_end`: its last old line is the file's last. `repaired`: its counts were wrong.
    `cut`: it ends like a patch that lost its end, and may only apply at the end of the file.
    """

    number: int
    line: int
    rows: tuple[Row, ...]
    start: int | None = None
    headings: tuple[str, ...] = ()
    at_end: bool = False
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

    def ended(self, other: str) -> bool:
        """Whether the last line of a side has a terminator; `other` is the sign of the rows it lacks."""
        return next((bool(row.terminator) for row in reversed(self.rows) if row.sign != other), True)


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What happens to one file.

    `old` and `new` are paths as the patch names them, its ``a/`` and ``b/`` taken off (`prefixed`:
    it had them); both are set and equal unless the file is created (`old` None), deleted (`new` None),
    renamed or copied.
    `new_mode` are the permission bits git names (0o644 or 0o755), None where it names none. `emptied`:
    a deletion that must find the file as its hunks say, and empty after them. `line` is where in
    the patch it begins, `end` its last line.
    """

    kind: Kind
    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]
    line: int
    end: int
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
        return any(row.terminator not in ("\n", "") for hunk in self.hunks for row in hunk.rows)


@dataclass(frozen=True, slots=True)
class Patch:
    """A parsed patch: at least one file, in the order written.

    `otherwise` are its files if the counts of a hunk are wrong, which could also be right.
    """

    notation: Notation
    files: tuple[FilePatch, ...]
    otherwise: tuple[FilePatch, ...] = ()

    def part(self, text: str, files: Iterable[FilePatch]) -> str:
        """The part of its text that is of some of its files."""
        lines = [f"{line}\n" for line in text.split("\n")]  # as they are counted
        part = "".join(line for file in files for line in lines[file.line - 1 : file.end])
        return f"*** Begin Patch\n{part}*** End Patch\n" if self.notation == "envelope" else part

    def below(self, root: str, strip: int) -> Patch:
        """The patch of files below the folder `root`, `strip` leading parts of their names taken off.

        ``a/`` and ``b/`` count as the first part, as in ``patch -p`` and ``git apply -p``; 0 takes off
        only these. Raises `invalid_input` for a name that has no more parts than that.
        """

        if not strip and root in ("", "."):
            return self
        above = [] if root in ("", ".") else [unquote(root).rstrip(b"/")]

        def moved(name: str | None, prefixed: bool) -> str | None:
            if name is None:
                return None
            parts = unquote(name).split(b"/")
            taken = max(strip - prefixed, 0)
            if len(parts) <= taken:
                most = len(parts) - 1 + prefixed
                raise FilewrightError(
                    Code.INVALID_INPUT,
                    f"strip={strip} leaves nothing of {name}",
                    hint=f"use a strip up to {most}" + ("; a/ and b/ count as one" if prefixed else ""),
                    details={"argument": "strip", "path": name},
                )
            return quote(b"/".join([*above, *parts[taken:]]))

        files, otherwise = (
            tuple(
                replace(each, old=moved(each.old, each.prefixed), new=moved(each.new, each.prefixed))
                for each in reading
            )
            for reading in (self.files, self.otherwise)
        )
        return Patch(self.notation, files, otherwise)


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
