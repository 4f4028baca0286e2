"""The options of a walk, and the folders and entries that it yields."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from filewright.boundary.location import Location
from filewright.boundary.matching import MAX_IGNORE_FILE_BYTES, Matcher
from filewright.boundary.rules import DenyRules
from filewright.system import File, FileKind, Folder, Status

if TYPE_CHECKING:
    from filewright.boundary.globs import Globs

Item = tuple[bytes, Status | None]
"""A name, and its status if details are wanted."""

Visit = Callable[["WalkedFolder", Folder, list[bytes], list[bytes]], None]
"""Called with a folder, its handle, all its names, and the selected names."""


class WalkOptions(NamedTuple):
    """The selection of a walk.

    Only names that fit `glob` and none of `exclude` are yielded. `depth` 1 is the
    folder's own names, 0 all levels. `details` fills in each entry's status. `kinds`
    None is all kinds. `after` resumes behind an entry of an earlier walk, which need
    not exist any more. `.git` is left out unless `include_git`.

    With `for_change`, read-only names are left out. With `for_git`, stored copies are
    not denied: git itself is to read them. `visit` is called for every folder; then
    only folders are entries.
    """

    glob: str | Sequence[str] | None = None
    exclude: Sequence[str] = ()
    depth: int = 0
    include_hidden: bool = True
    include_ignored: bool = False
    include_git: bool = False
    details: bool = False
    kinds: Collection[FileKind] | None = None
    after: Location | None = None
    for_change: bool = False
    for_git: bool = False
    visit: Visit | None = None

    @property
    def globs(self) -> list[str]:
        """All globs; those of `exclude` begin with `!`."""
        globs = (
            [self.glob] if isinstance(self.glob, str) else [*(self.glob or ())]
        )
        globs += [f"!{glob}" for glob in self.exclude]
        return globs


DEFAULT_OPTIONS = WalkOptions()


class WalkBounds(NamedTuple):
    """The rules of a workspace for a walk.

    `deny_rules` apply in the folder where it starts, `excludes` are the user's global
    ignore rules, and `own_state_paths` are never shown.
    """

    deny_rules: DenyRules
    excludes: Matcher
    own_state_paths: Collection[tuple[bytes, ...]]
    cross_devices: bool


class FolderEntry(NamedTuple):
    """One name in the tree.

    `status` is its own (a link's, not its target's) if details are wanted.
    """

    folder: WalkedFolder
    name: bytes
    kind: FileKind
    status: Status | None

    @property
    def path(self) -> bytes:
        """The path below the folder that is walked."""
        return self.folder.prefix + self.name

    @property
    def location(self) -> Location:
        """The entry's location."""
        folder = self.folder
        return Location(folder.start.root, (*folder.location_parts, self.name))


@dataclass(slots=True, eq=False)
class WalkedFolder:
    """A folder of the walk, shared by its entries.

    `resume_index` is the index of the part of the resumed path that lies in this
    folder; -1 if none does. `is_complete` is True if every file in it is yielded and
    nothing is denied. `kinds` has the kinds of the names that are not files; None is a
    folder that is entered but not yielded.
    """

    start: Location
    name: bytes
    parent: WalkedFolder | None
    depth: int
    start_bytes: int
    """Length of the path of the folder where the walk starts, with a slash."""

    held_prefix: bytes | None
    """Path from the root with a slash; None for a far folder while others are read."""

    matcher: Matcher
    globs: Globs
    deny_rules: DenyRules
    resume_index: int = -1
    is_far: bool = False
    identity: tuple[int, int] = (0, 0)
    """Identity of a far folder, by which it is recognized on the way back up."""

    is_complete: bool = False
    items: Iterator[Item] = field(default_factory=lambda: iter(()))
    kinds: dict[bytes, FileKind | None] = field(default_factory=dict)
    held_parts: tuple[bytes, ...] | None = None
    """The parts of the location, once an entry has needed them."""

    @property
    def root_prefix(self) -> bytes:
        """The path from the root without links, with a slash, for ignore rules."""
        names: list[bytes] = []
        folder = self
        while folder.held_prefix is None:
            assert folder.parent is not None
            names.append(folder.name + b"/")
            folder = folder.parent
        if names:
            self.held_prefix = folder.held_prefix + b"".join(reversed(names))
        return self.held_prefix or b""

    @property
    def prefix(self) -> bytes:
        """The path below the folder that is walked, with a slash."""
        return self.root_prefix[self.start_bytes :]

    @property
    def location_parts(self) -> tuple[bytes, ...]:
        """The parts of the location, which those of all its entries begin with."""
        if self.held_parts is None:
            names = self.prefix.split(b"/")[:-1]
            self.held_parts = (*self.start.parts, *names)
        return self.held_parts

    @property
    def parts(self) -> tuple[bytes, ...]:
        """The parts of the path from the root without links."""
        return tuple(self.root_prefix.split(b"/")[:-1])


def is_folder(parent: Folder, name: bytes) -> bool | None:
    """Return True if `name` is a folder, False if not, None if it does not exist."""
    try:
        return parent.stat(name).kind == "folder"
    except OSError:
        return None


def read_ignore_file(open_file: Callable[[], File]) -> bytes | None:
    """Return the content of an ignore file, or None if it cannot be used.

    Git goes on without a file that is missing, unreadable or a link, and so does the
    walk. A file that is too long is left out too.
    """
    try:
        with open_file() as file:
            if file.status().size > MAX_IGNORE_FILE_BYTES:
                return None
            return file.read(0, MAX_IGNORE_FILE_BYTES)
    except OSError:
        return None
