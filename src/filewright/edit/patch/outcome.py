"""What goes into planning a patch and what comes out of it, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from filewright.boundary import Location
from filewright.edit.changeset import ChangeSet
from filewright.edit.diff import Diff, unified
from filewright.edit.patch.model import Kind
from filewright.errors import FilewrightError
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice


@dataclass(frozen=True, slots=True)
class Place:
    """What stands at a path, as the planner needs to know it.

    `snapshot` is None where nothing is there (`missing` may then hold the error that opening it
    gave). `key` is equal for two spellings of one file: device and inode of a file that is there,
    those of the folder and the name of one that is not. `mode` are permission bits.
    """

    location: Location
    snapshot: Snapshot | None
    key: Hashable
    mode: int | None = None
    missing: FilewrightError | None = None


Look = Callable[[str], Place]
"""The `Place` of a path as the patch names it. Raises what the boundary raises: `path_escape`,
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
    """What happens to one file: `splices` on `before` (empty for a new file), names as shown.

    `new_name` differs from `name` for renames and copies; `name` is None for a new file, `new_name`
    for a deleted one.
    """

    kind: Kind
    name: str | None
    new_name: str | None
    before: Snapshot
    splices: tuple[Splice, ...]
    hunks: tuple[HunkOutcome, ...] = ()
    mode_before: int | None = None
    mode_after: int | None = None

    def diff(self, *, max_lines: int = 400, line_chars: int = 1_000) -> Diff:
        """The change as it will be, to show."""
        return unified(
            self.name, self.new_name, self.before, self.splices,
            max_lines=max_lines, line_chars=line_chars,
            mode_before=self.mode_before, mode_after=self.mode_after, copied=self.kind == "copy",
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class PatchPlan:
    """The change set of a patch and what it does to each file, in the order of the patch."""

    change_set: ChangeSet
    files: tuple[FileOutcome, ...]

    def diff(self, *, max_lines: int = 400, line_chars: int = 1_000) -> str:
        """The diffs of all files, at most about `max_lines` lines of hunks in all."""
        parts: list[str] = []
        left = max_lines
        for index, file in enumerate(self.files):
            if left <= 0:
                parts.append(f"... {len(self.files) - index:,} more files not shown\n")
                break
            diff = file.diff(max_lines=left, line_chars=line_chars)
            parts.append(diff.text)
            left -= diff.shown + 1
        return "".join(parts)
