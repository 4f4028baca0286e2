"""The values of the recording package: what a scan has of a thing, things that are compared, and open commands."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any, NamedTuple

from filewright.changes.model import FileState, RecordedKind

LARGE_BYTES = 1 << 20
"""Contents of files above this size are never stored ahead of a command."""
_KIND_OF_MODE: dict[int, RecordedKind] = {
    0o100000: "file",
    0o040000: "folder",
    0o120000: "link",
}
NO_STATES = marshal.dumps([], 2)


class ScannedState(NamedTuple):
    """The file state that a scan has of a thing: see `Folder.signatures`."""

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
        """The kind of thing."""
        return _KIND_OF_MODE.get(self.kind_and_mode & 0o170000, "other")

    @property
    def mode(self) -> int:
        """The permission bits."""
        return self.kind_and_mode & 0o7777

    @property
    def key(self) -> bytes:
        """All fields in one value, as the baseline knows them."""
        return marshal.dumps(tuple(self), 2)


def pack_states(
    packed_states: Sequence[tuple[int, ...] | None],
) -> tuple[bytes, bool, int]:
    """Return stamps as a row holds them, whether there are large files among them, and the newest time of change."""
    present = [state for state in packed_states if state is not None]
    largest, newest_ns = 0, 0
    for state in present:
        largest = max(largest, state[6])
        newest_ns = max(newest_ns, state[7])
    return marshal.dumps(present, 2), largest > LARGE_BYTES, newest_ns


class ScannedFolder(NamedTuple):
    """One folder of a scan.

    `names` are all that are in it, sorted, with slashes between them; `hidden` those that rules leave out or that
    cannot be looked at, folders with a slash behind them; `stamps` are those of the others, packed, so that two rows
    are compared as one value. `large` is set if there are files among them whose contents are never stored; the last
    of them was written at `newest_ns`. `rules` are the stamps of the files that say what is left out. `kept` names the
    baseline that stores the contents of all of them that can be stored.
    """

    names: bytes = b""
    excluded: tuple[bytes, ...] = ()
    packed_states: bytes = NO_STATES
    has_large: bool = False
    newest_ns: int = 0
    rules: tuple[tuple[int, ...] | None, ...] = ()
    stored_in: str = ""

    def visible_names(self) -> list[bytes]:
        """Return the names that have stamps."""
        names = self.names.split(b"/") if self.names else []
        if not self.excluded:
            return names
        excluded = {name.removesuffix(b"/") for name in self.excluded}
        return [name for name in names if name not in excluded]

    def without_files(self, missing: Set[bytes]) -> ScannedFolder:
        """Return this row without some of the names that have stamps."""
        names = [name for name in self.names.split(b"/") if name not in missing]
        packed_states = [
            tuple(state) for name, state in self.named_states() if name not in missing
        ]
        return ScannedFolder(
            b"/".join(names), self.excluded, *pack_states(packed_states), self.rules
        )

    def merged_with(self, more: ScannedFolder) -> ScannedFolder:
        """Return this row with `more` names of a folder that was read in pieces."""
        names = b"/".join(filter(None, (self.names, more.names)))
        packed_states = marshal.loads(self.packed_states) + marshal.loads(
            more.packed_states
        )
        return ScannedFolder(
            names,
            self.excluded + more.excluded,
            *pack_states(packed_states),
            self.rules,
        )

    def named_states(self) -> Iterator[tuple[bytes, ScannedState]]:
        """Yield each of these names with its stamp."""
        return zip(
            self.visible_names(),
            map(ScannedState._make, marshal.loads(self.packed_states)),
            strict=True,
        )


Scan = dict[bytes, ScannedFolder]
"""The folders of a scan by their paths below the root, each with a slash at its end."""


def without_files(rows: Scan, paths: Set[bytes]) -> Scan:
    """Return rows without the things at some paths; the same object if there are none."""
    missing: dict[bytes, set[bytes]] = {}
    for path in paths:
        prefix = parent_prefix(path)
        missing.setdefault(prefix, set()).add(path[len(prefix) :])
    changed = {
        prefix: rows[prefix].without_files(names) for prefix, names in missing.items()
    }
    return {**rows, **changed} if changed else rows


def parent_prefix(path: bytes) -> bytes:
    """Return the path of the folder that holds something, with a slash at its end."""
    return path[: path.rfind(b"/") + 1]


class RootState(NamedTuple):
    """The state of a root after its last observation.

    `newest` is the number of the newest change in it (0: none). `rules` say what from outside of the root decides
    which of its names a scan yields. `git_index` is the stamp of the index of the root's git repository. `observed_ns`
    is the time of the observation by the clock of the state folder's file system: what is younger was made later.
    """

    newest: int
    rules: Any
    git_index: tuple[int, ...] | None
    rows: Scan
    observed_ns: int = 0


class ObservedFile(NamedTuple):
    """Something at a `path` at one moment, and a function that reads its content.

    `seen` is the stamp that a scan has of it, at the path `listed`, from which a tool may have moved it. A thing that a
    tool has left has none.
    """

    path: bytes
    state: FileState
    read_content: Callable[[], bytes | None]
    scanned: ScannedState | None = None
    scanned_path: bytes = b""

    @property
    def kind(self) -> RecordedKind:
        """The kind of thing."""
        return self.state.kind

    @property
    def content_identity(self) -> tuple[RecordedKind, int | None, int, int]:
        """The values by which a thing is known again as long as nothing has written to it."""
        return self.kind, self.state.inode, self.state.size, self.state.mtime_ns


Pair = tuple[ObservedFile | None, ObservedFile | None]
"""A thing before and after; None where nothing is."""


class Command(NamedTuple):
    """A command of a shell, or a use of a client's own edit tool, between its begin and its end.

    The client's `identifier` may come again, the `key` never does. `summary` is how history calls it, as far as that is
    known at its begin. `process` is the client's, by which the command is closed when that is gone, seen from the same
    `space` of processes. A tool names absolute `paths`; a shell may change anything.
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
    """False where a command was begun in a root around this one."""
