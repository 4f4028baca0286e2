"""What a patch says, whatever notation it was written in, and what it does: plain values."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

from filewright.boundary import Location
from filewright.edit.changeset import Step
from filewright.edit.patch.reader import Kind
from filewright.errors import FilewrightError
from filewright.text import Snapshot, Splice

DONE: dict[Kind, str] = {
    "modify": "modified", "create": "created", "delete": "deleted", "rename": "renamed", "copy": "copied",
}  # fmt: skip
"""What was done to a file, in a word."""


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
