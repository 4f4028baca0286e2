"""Values that the modules share: scans, states of roots, commands."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any, NamedTuple

from filewright.changes.model import FileState, RecordedKind

LARGE_BYTES = 1 << 20
"""Contents of files above this size are never stored ahead of a command."""
KIND_OF_FORMAT: dict[int, RecordedKind] = {
    0o100000: "file",
    0o040000: "folder",
    0o120000: "link",
}
# Format 2: later formats mark shared objects, so that equal states could have
# different bytes.
NO_STATES = marshal.dumps([], 2)


class ScannedState(NamedTuple):
    """The file state of a scan: see `Folder.signatures`."""

    kind_and_mode: int
    inode: int
    device: int
    links: int
    uid: int
    gid: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def kind(self) -> RecordedKind:
        """The kind of file."""
        return KIND_OF_FORMAT.get(self.kind_and_mode & 0o170000, "other")

    @property
    def mode(self) -> int:
        """The permission bits."""
        return self.kind_and_mode & 0o7777

    @property
    def key(self) -> bytes:
        """All fields as one value: a part of the key of a stored content."""
        return marshal.dumps(tuple(self), 2)


def pack_states(
    packed_states: Sequence[tuple[int, ...] | None],
) -> tuple[bytes, bool, int]:
    """Return packed states, True if a file is large, and the newest time."""
    present = [state for state in packed_states if state is not None]
    largest_bytes, newest_ns = 0, 0
    for state in present:
        # Size and mtime, by position: a `ScannedState` for each file of a large
        # root costs time.
        largest_bytes = max(largest_bytes, state[6])
        newest_ns = max(newest_ns, state[7])
    return marshal.dumps(present, 2), largest_bytes > LARGE_BYTES, newest_ns


class ScannedFolder(NamedTuple):
    """One folder of a scan.

    `names` are all its names, sorted and joined by slashes. `excluded` are the
    names that rules exclude or that have no readable state; a folder's name
    ends with a slash there. `packed_states` are the states of the other names,
    as one value that is quickly compared. `has_large` is True if one is a file
    whose content is never stored. `newest_ns` is the newest time of a change of
    content. `rules` are the states of the files with rules for this folder.
    `stored_in` names the cache that stores all contents that can be stored.
    """

    names: bytes = b""
    excluded: tuple[bytes, ...] = ()
    packed_states: bytes = NO_STATES
    has_large: bool = False
    newest_ns: int = 0
    rules: tuple[tuple[int, ...] | None, ...] = ()
    stored_in: str = ""

    def visible_names(self) -> list[bytes]:
        """Return the names that have states."""
        # Splitting empty bytes would give one empty name.
        names = self.names.split(b"/") if self.names else []
        if not self.excluded:
            return names
        excluded = {name.removesuffix(b"/") for name in self.excluded}
        return [name for name in names if name not in excluded]

    def state_of(self, name: bytes) -> ScannedState | None:
        """Return the state of a name, or None if it has none."""
        names = self.visible_names()
        if name not in names:
            return None
        states = marshal.loads(self.packed_states)
        return ScannedState._make(states[names.index(name)])

    def without_files(self, missing: Set[bytes]) -> ScannedFolder:
        """Return this folder without some of the names that have states."""
        names = [name for name in self.names.split(b"/") if name not in missing]
        packed_states = [
            tuple(state)
            for name, state in self.named_states()
            if name not in missing
        ]
        return ScannedFolder(
            b"/".join(names),
            self.excluded,
            *pack_states(packed_states),
            self.rules,
        )

    def merged_with(self, other: ScannedFolder) -> ScannedFolder:
        """Return this folder joined with a later part of its names."""
        names = b"/".join(filter(None, (self.names, other.names)))
        packed_states = marshal.loads(self.packed_states) + marshal.loads(
            other.packed_states
        )
        return ScannedFolder(
            names,
            self.excluded + other.excluded,
            *pack_states(packed_states),
            self.rules,
        )

    def named_states(self) -> Iterator[tuple[bytes, ScannedState]]:
        """Yield each name that has a state, with the state."""
        return zip(
            self.visible_names(),
            map(ScannedState._make, marshal.loads(self.packed_states)),
            strict=True,
        )


Scan = dict[bytes, ScannedFolder]
"""The scanned folders by their paths, each with a slash at its end."""


def without_files(scan: Scan, paths: Set[bytes]) -> Scan:
    """Return a scan without some files; the same object if `paths` is empty."""
    names_by_folder: dict[bytes, set[bytes]] = {}
    for path in paths:
        prefix = parent_prefix(path)
        names_by_folder.setdefault(prefix, set()).add(path[len(prefix) :])
    # The other folders stay the same objects: later comparisons skip them.
    changed_folders = {
        prefix: scan[prefix].without_files(names)
        for prefix, names in names_by_folder.items()
    }
    return {**scan, **changed_folders} if changed_folders else scan


def parent_prefix(path: bytes) -> bytes:
    """Return the path of the folder above a path, with a slash at its end."""
    return path[: path.rfind(b"/") + 1]


class RootState(NamedTuple):
    """The state of a root after its last observation.

    `newest` is the number of the newest change that it includes, 0 for none.
    `rules` is the signature of the rules from outside of the root that decide
    which names a scan has. `git_index` identifies the index of the root's git
    repository. `observed_ns` is the time of the observation by the clock of the
    state folder's file system.
    """

    newest: int
    rules: Any
    git_index: tuple[int, ...] | None
    scan: Scan
    observed_ns: int = 0


class AdoptedRoot(NamedTuple):
    """The state of a registered root that is gone, and its path."""

    prefix: bytes
    state: RootState


class ObservedFile(NamedTuple):
    """A file, folder or link at `path` at one moment, and its reader.

    `scanned` is its state in a scan, where it was at `scanned_path`; a tool may
    have moved it since. A file that a tool wrote after the scan has none.
    """

    path: bytes
    state: FileState
    read_content: Callable[[], bytes | None]
    scanned: ScannedState | None = None
    scanned_path: bytes = b""

    @property
    def kind(self) -> RecordedKind:
        """The kind of file."""
        return self.state.kind

    @property
    def content_identity(self) -> tuple[RecordedKind, int | None, int, int]:
        """Values that stay equal, also after a rename, until a write."""
        return self.kind, self.state.inode, self.state.size, self.state.mtime_ns


Pair = tuple[ObservedFile | None, ObservedFile | None]
"""A file before and after; None where no file is."""


class Command(NamedTuple):
    """A shell command, or one use of a client's own edit tool.

    A client may use an `identifier` again, but the `key` is unique. `summary`
    is its name in the history, as far as it is known at the begin. `process` is
    the key of the client's process in the process namespace `space`: the
    command is closed when that has ended. A tool names absolute `paths`; a
    shell may change any file.
    """

    identifier: str
    key: str
    summary: str
    session: str | None = None
    client: str | None = None
    turn: str | None = None
    process: str | None = None
    space: str = ""
    paths: tuple[str, ...] = ()
    is_tool: bool = False
    begun_ns: int = 0
    numbers: tuple[int, ...] = ()
    """The numbers of its changes so far."""
    is_own: bool = True
    """False if the command was begun in a root around this one."""
    line: str = ""
    """The command line of a shell, as records keep it."""
