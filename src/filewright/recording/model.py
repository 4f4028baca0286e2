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
NO_STAMPS = marshal.dumps([], 2)


class ListedStamp(NamedTuple):
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


def packed_stamps(stamps: Sequence[tuple[int, ...] | None]) -> tuple[bytes, bool, int]:
    """Return stamps as a row holds them, whether there are large files among them, and the newest time of change."""
    present = [stamp for stamp in stamps if stamp is not None]
    largest, newest_ns = 0, 0
    for stamp in present:
        largest = max(largest, stamp[6])
        newest_ns = max(newest_ns, stamp[7])
    return marshal.dumps(present, 2), largest > LARGE_BYTES, newest_ns


class FolderRow(NamedTuple):
    """One folder of a scan.

    `names` are all that are in it, sorted, with slashes between them; `hidden` those that rules leave out or that
    cannot be looked at, folders with a slash behind them; `stamps` are those of the others, packed, so that two rows
    are compared as one value. `large` is set if there are files among them whose contents are never stored; the last
    of them was written at `newest_ns`. `rules` are the stamps of the files that say what is left out. `kept` names the
    baseline that stores the contents of all of them that can be stored.
    """

    names: bytes = b""
    hidden: tuple[bytes, ...] = ()
    stamps: bytes = NO_STAMPS
    large: bool = False
    newest_ns: int = 0
    rules: tuple[tuple[int, ...] | None, ...] = ()
    kept: str = ""

    def listed(self) -> list[bytes]:
        """Return the names that have stamps."""
        names = self.names.split(b"/") if self.names else []
        if not self.hidden:
            return names
        hidden = {name.removesuffix(b"/") for name in self.hidden}
        return [name for name in names if name not in hidden]

    def without(self, missing: Set[bytes]) -> FolderRow:
        """Return this row without some of the names that have stamps."""
        names = [name for name in self.names.split(b"/") if name not in missing]
        stamps = [tuple(stamp) for name, stamp in self.things() if name not in missing]
        return FolderRow(
            b"/".join(names), self.hidden, *packed_stamps(stamps), self.rules
        )

    def plus(self, more: FolderRow) -> FolderRow:
        """Return this row with `more` names of a folder that was read in pieces."""
        names = b"/".join(filter(None, (self.names, more.names)))
        stamps = marshal.loads(self.stamps) + marshal.loads(more.stamps)
        return FolderRow(
            names, self.hidden + more.hidden, *packed_stamps(stamps), self.rules
        )

    def things(self) -> Iterator[tuple[bytes, ListedStamp]]:
        """Yield each of these names with its stamp."""
        return zip(
            self.listed(),
            map(ListedStamp._make, marshal.loads(self.stamps)),
            strict=True,
        )


Rows = dict[bytes, FolderRow]
"""The folders of a scan by their paths below the root, each with a slash at its end."""


def without(rows: Rows, paths: Set[bytes]) -> Rows:
    """Return rows without the things at some paths; the same object if there are none."""
    missing: dict[bytes, set[bytes]] = {}
    for path in paths:
        prefix = prefix_of(path)
        missing.setdefault(prefix, set()).add(path[len(prefix) :])
    changed = {prefix: rows[prefix].without(names) for prefix, names in missing.items()}
    return {**rows, **changed} if changed else rows


def prefix_of(path: bytes) -> bytes:
    """Return the path of the folder that holds something, with a slash at its end."""
    return path[: path.rfind(b"/") + 1]


class State(NamedTuple):
    """The state of a root after its last observation.

    `newest` is the number of the newest change in it (0: none). `rules` say what from outside of the root decides
    which of its names a scan yields. `git_index` is the stamp of the index of the root's git repository. `observed_ns`
    is the time of the observation by the clock of the state folder's file system: what is younger was made later.
    """

    newest: int
    rules: Any
    git_index: tuple[int, ...] | None
    rows: Rows
    observed_ns: int = 0


class Thing(NamedTuple):
    """Something at a `path` at one moment, and a function that reads its content.

    `seen` is the stamp that a scan has of it, at the path `listed`, from which a tool may have moved it. A thing that a
    tool has left has none.
    """

    path: bytes
    side: FileState
    held: Callable[[], bytes | None]
    seen: ListedStamp | None = None
    listed: bytes = b""

    @property
    def kind(self) -> RecordedKind:
        """The kind of thing."""
        return self.side.kind

    @property
    def written(self) -> tuple[RecordedKind, int | None, int, int]:
        """The values by which a thing is known again as long as nothing has written to it."""
        return self.kind, self.side.inode, self.side.size, self.side.mtime_ns


Pair = tuple[Thing | None, Thing | None]
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
