"""The values of the history: what a change did to files, and who made it.

A change is numbered by its time in nanoseconds since the epoch. Its id is that number
in 13 characters, which sort as the numbers do.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from operator import eq
from struct import iter_unpack
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar

from filewright.boundary.location import Location
from filewright.boundary.names import quote

if TYPE_CHECKING:
    from filewright.boundary.boundary import Boundary
    from filewright.boundary.location import Root
    from filewright.boundary.rules import DenyRules
    from filewright.changes.blobs import BlobSource
    from filewright.system import Status
    from filewright.text.splice import Splice

# Ids


# Without i, l, o and u, which are misread.
ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 13
_DIGIT_PAIRS = [high + low for high in ID_ALPHABET for low in ID_ALPHABET]


def format_change_id(number: int) -> str:
    """Return the id of a change number; ids sort as their numbers do."""
    digits = ""
    for shift in (60, 50, 40, 30, 20, 10, 0):
        digits += _DIGIT_PAIRS[number >> shift & 1023]
    # Seven pairs are 14 digits; a number of 64 bits needs 13.
    return digits[1:]


def parse_change_id(change_id: str) -> int | None:
    """Return the change number of an id, or None if the text is not an id."""
    if len(change_id) != ID_LENGTH:
        return None
    number = 0
    for character in change_id:
        digit = ID_ALPHABET.find(character)
        if digit < 0:
            return None
        number = number * len(ID_ALPHABET) + digit
    return number


def change_time(number: int) -> datetime:
    """Return the time of a change number, in UTC."""
    return datetime.fromtimestamp(number / 1e9, UTC)


# Paths


class RecordedPath(NamedTuple):
    """A path as the history stores it: the path of a root, and the parts below."""

    root: bytes
    parts: tuple[bytes, ...]

    @classmethod
    def from_location(cls, location: Location) -> RecordedPath:
        """Return the recorded path of a location."""
        return cls(location.root.resolved_path, location.parts)

    def locate(self, roots: Iterable[Root]) -> Location | None:
        """Return the location below the nearest of the roots, or None if it is in none.

        The recorded root need not be one of them: since then a folder above or below it
        may have become a root.
        """
        # With a slash at its end, the path of a root begins with the root's own prefix.
        path = b"/".join((self.root.rstrip(b"/"), *self.parts, b""))
        nearest: Location | None = None
        for root in roots:
            prefix = root.resolved_path.rstrip(b"/") + b"/"
            if not path.startswith(prefix):
                continue
            if nearest is None or len(prefix) > len(nearest.root.resolved_path):
                parts = tuple(path[len(prefix) :].split(b"/")[:-1])
                # Most paths are below their recorded root: the names are kept once.
                if root.resolved_path == self.root:
                    parts = self.parts
                nearest = Location(root, parts)
        return nearest

    @property
    def absolute_parts(self) -> tuple[bytes, ...]:
        """The parts of the absolute path, from the top."""
        return (*filter(None, self.root.split(b"/")), *self.parts)

    @property
    def display_path(self) -> str:
        """The path below its root, quoted where needed."""
        return quote(b"/".join(self.parts)) if self.parts else "."


def parent_paths(path: RecordedPath) -> Iterator[RecordedPath]:
    """Yield the paths of the folders above, the nearest first, without the root."""
    for depth in range(len(path.parts) - 1, 0, -1):
        yield RecordedPath(path.root, path.parts[:depth])


def path_after_moves(
    path: RecordedPath, moves: Mapping[RecordedPath, RecordedPath]
) -> RecordedPath:
    """Return where a path is after moves of itself or of a folder above it."""
    for moved_path in (path, *parent_paths(path)):
        target = moves.get(moved_path)
        if target is not None:
            below = path.parts[len(moved_path.parts) :]
            return RecordedPath(target.root, (*target.parts, *below))
    return path


Visibility = Literal["seen", "denied", "beyond"]
VisibilityCheck = Callable[[RecordedPath], Visibility]


def visibility_check(boundary: Boundary) -> VisibilityCheck:
    """Return a function that tells whether a path may be shown now.

    A path is seen, denied by a rule, or beyond the roots. The rules of each folder are
    read once, so a check is for one pass through the history.
    """
    rules_by_folder: dict[
        tuple[bytes, tuple[bytes, ...]], DenyRules | None
    ] = {}

    def check(path: RecordedPath) -> Visibility:
        folder = path.root, path.parts[:-1]
        if folder not in rules_by_folder:
            location = path.locate(boundary.roots)
            # The rules above are known already, if a path of that folder was checked.
            parent_rules = None
            if len(path.parts) > 1:
                parent_rules = rules_by_folder.get((path.root, path.parts[:-2]))
            rules_by_folder[folder] = (
                boundary.rules_for(location.parent, parent_rules=parent_rules)
                if location is not None
                else None
            )
        rules = rules_by_folder[folder]
        if rules is None:
            return "beyond"
        if path.parts and rules.denies(path.parts[-1], None):
            return "denied"
        return "seen"

    return check


# File states


RecordedKind = Literal["file", "folder", "link", "other"]

RECORDED_KINDS: Mapping[str, RecordedKind] = {
    "file": "file", "link": "link", "folder": "folder",
    "fifo": "other", "socket": "other", "device": "other", "other": "other",
}  # fmt: skip
"""The recorded kind for each kind of the system; "other" is never changed."""


class StatusLike(Protocol):
    """A status from which a file state is built: the system's, or one of a listing."""

    @property
    def kind(self) -> str: ...
    @property
    def mode(self) -> int: ...
    @property
    def uid(self) -> int: ...
    @property
    def gid(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...
    @property
    def inode(self) -> int: ...


# Shared by all states without one: a change may have a million states.
NO_ATTRIBUTES: Mapping[str, bytes] = MappingProxyType({})
NO_DESCENDANTS: Mapping[bytes, FileState] = MappingProxyType({})

LOG_COLUMNS = (
    "kind",
    "mode",
    "uid",
    "gid",
    "size",
    "mtime_ns",
    "digest",
    "link_target",
    "blob",
    "attributes",
)
"""The fields of a file state that the history stores."""

PLAN_COLUMNS = (
    "kind",
    "mode",
    "uid",
    "gid",
    "size",
    "mtime_ns",
    "digest",
    "link_target",
    "inode",
)
"""The fields of a file state by which a recovery recognises a file."""


@dataclass(frozen=True, slots=True)
class FileState:
    """The kind, mode, owner, time and content of a file at one moment.

    `digest` is the xxh3_128 of a file's bytes in hex. `blob` names the whole content in
    the undo data: its SHA-256 in hex, or `=NAME` of a displaced file that was linked
    there; None where it is not stored. A digest with the time 0 is of a file that is
    being made, whose status does not tell whether it was written to.

    `inode` and `descendants` serve while a change is made; the history does not store
    them, and they take no part in comparisons. `descendants` are the states of all that
    is in a folder which is displaced or made, by the path from there, a folder before
    its entries.
    """

    kind: RecordedKind
    mode: int = 0
    uid: int = 0
    gid: int = 0
    size: int = 0
    mtime_ns: int = 0
    digest: str | None = None
    link_target: bytes | None = None
    inode: int | None = field(default=None, compare=False)
    blob: str | None = None
    attributes: Mapping[str, bytes] = field(
        default_factory=lambda: NO_ATTRIBUTES, hash=False
    )
    descendants: Mapping[bytes, FileState] = field(
        default_factory=lambda: NO_DESCENDANTS, compare=False
    )

    @classmethod
    def from_status(
        cls,
        status: StatusLike,
        *,
        digest: str | None = None,
        link_target: bytes | None = None,
        blob: str | None = None,
        attributes: Mapping[str, bytes] = NO_ATTRIBUTES,
    ) -> FileState:
        """Build the state of a file from its status and from what was read of it."""
        kind = RECORDED_KINDS[status.kind]
        return cls(
            kind,
            mode=status.mode,
            uid=status.uid,
            gid=status.gid,
            size=status.size if kind == "file" else 0,
            mtime_ns=status.mtime_ns,
            digest=digest,
            link_target=link_target,
            inode=status.inode,
            blob=blob,
            attributes=attributes or NO_ATTRIBUTES,
        )

    def to_row(self, columns: Sequence[str] = LOG_COLUMNS) -> dict[str, Any]:
        """Return fields by name, for JSON, without those that are unset.

        JSON holds text, while links and attributes hold bytes: those that are no UTF-8
        become lone surrogates.
        """
        row: dict[str, Any] = {}
        for column in columns:
            value = getattr(self, column)
            if not value:
                continue
            if column == "link_target":
                value = value.decode("utf-8", "surrogateescape")
            elif column == "attributes":
                value = {
                    name: content.decode("utf-8", "surrogateescape")
                    for name, content in value.items()
                }
            row[column] = value
        return row

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> FileState:
        """Build a state from a row. Raise `TypeError` for an unknown field."""
        values = dict(row)
        if isinstance(values.get("kind"), str):
            values["kind"] = sys.intern(values["kind"])
        if isinstance(values.get("mode"), int):
            values["mode"] = _shared_mode(values["mode"])
        if "link_target" in values:
            target = values["link_target"]
            values["link_target"] = target.encode("utf-8", "surrogateescape")
        if "attributes" in values:
            values["attributes"] = {
                name: content.encode("utf-8", "surrogateescape")
                for name, content in values["attributes"].items()
            }
        return cls(**values)

    @property
    def mode_and_owner(self) -> tuple[int, int, int]:
        """Mode, user and group."""
        return self.mode, self.uid, self.gid

    def with_mode_and_owner(self, other: FileState) -> FileState:
        """Return this state with mode, user and group of another."""
        return replace(self, mode=other.mode, uid=other.uid, gid=other.gid)

    def with_descendants(
        self, descendants: Mapping[bytes, FileState]
    ) -> FileState:
        """Return this state of a folder with the states of all that is in it."""
        return replace(self, descendants=descendants or NO_DESCENDANTS)

    def matches_status(self, status: Status) -> bool:
        """Return True if a status is that of this very file, not written to since.

        A write shows in its size and time.
        """
        if status.inode != self.inode:
            return False
        if self.kind != "file":
            return True
        if not self.mtime_ns:
            # The file was being made: its status does not tell whether it was written
            # to.
            return self.digest is None
        return (status.size, status.mtime_ns) == (self.size, self.mtime_ns)


@lru_cache
def _shared_mode(mode: int) -> int:
    """Return a mode; most files of a change have the same."""
    return mode


def states_match(state: FileState | None, other: FileState | None) -> bool:
    """Return True if two states hold the same content, as far as is known of both.

    Without a digest of both, their sizes decide.
    """
    if state is None or other is None:
        return state is other
    if state.digest is None or other.digest is None:
        return state.size == other.size
    return state.digest == other.digest


# Edits


class Span(NamedTuple):
    """The extent of one splice of a recorded edit, without its bytes.

    `removed_bytes` at `offset` of the file before became `inserted_bytes`.
    """

    offset: int
    removed_bytes: int
    inserted_bytes: int


def pack_spans(splices: Iterable[Splice]) -> bytes:
    """Return the spans of ordered splices, in 24 bytes each.

    A file may have a million of them. Spans that touch become one: undoing two removals
    that touch would insert twice at one offset, in no order.
    """
    numbers = array("q")
    for splice in splices:
        inserted_bytes = len(splice.replacement)
        if numbers and numbers[-3] + numbers[-2] == splice.offset:
            numbers[-2] += splice.length
            numbers[-1] += inserted_bytes
        else:
            numbers.extend((splice.offset, splice.length, inserted_bytes))
    return numbers.tobytes()


def unpack_spans(packed: bytes, limit: int | None = None) -> Iterator[Span]:
    """Yield packed spans, at most `limit` of them."""
    return islice(map(Span._make, iter_unpack("=qqq", packed)), limit)


# Changes


@dataclass(frozen=True, slots=True)
class FileChange:
    """The change of one file, folder or link.

    `before` is None for a new file, `after` None for a deleted one; `renamed_from` is
    the former path of a moved one. Of an edit `packed_spans` are the spans; `removed`
    and `inserted` name the blobs that hold all old and all new bytes of these, one
    after the other. `blobs` is where the contents are stored, None before the change is
    on record.

    A file change may also be the net of several. Then `edits` are the changes of the
    content, oldest first, without those that nothing depends on, and `segments` the
    runs between which others have changed it. `moved_with_parent` tells that the file
    is in the folder where it was, though that may have moved; otherwise `renamed_from`
    may be the same path in another folder. `renamed_later`: the changes renamed the
    file, and another change has renamed it since.
    """

    path: RecordedPath
    before: FileState | None
    after: FileState | None
    renamed_from: RecordedPath | None = None
    packed_spans: bytes = b""
    removed: str | None = None
    inserted: str | None = None
    edits: tuple[FileChange, ...] = ()
    moved_with_parent: bool | None = None
    renamed_later: bool = False
    segments: tuple[FileChange, ...] = ()
    blobs: BlobSource | None = field(default=None, compare=False)

    def touches(self, path: RecordedPath) -> bool:
        """Return True if anything was done at a path or below it, in any edit."""
        depth = len(path.parts)
        for own_path in self.paths:
            if (
                own_path.root == path.root
                and own_path.parts[:depth] == path.parts
            ):
                return True
        return any(edit.touches(path) for edit in self.edits)

    @property
    def paths(self) -> tuple[RecordedPath, ...]:
        """The path, and the former path of a moved file."""
        if self.renamed_from is None:
            return (self.path,)
        return self.path, self.renamed_from

    @property
    def content_edits(self) -> Sequence[FileChange]:
        """The changes of the content, oldest first; of a single change itself."""
        return self.edits or (self,)

    @property
    def runs(self) -> Sequence[FileChange]:
        """The changes as runs: between two of them others have changed the content."""
        return self.segments or (self,)

    @property
    def action(self) -> str:
        """One word for users: created, deleted, moved, modified, or attributes."""
        if self.before is None:
            return "created"
        if self.after is None:
            return "deleted"
        if self.renamed_from is not None:
            return "moved"
        if (
            self.packed_spans
            or self.before.digest != self.after.digest
            or self.before.kind != self.after.kind
        ):
            return "modified"
        return "attributes"


def keeps_content(change: FileChange) -> bool:
    """Return True if a file holds the same content before and after a change."""
    before, after = change.before, change.after
    if before is None or after is None or change.packed_spans:
        return False
    return (before.digest, before.link_target) == (
        after.digest,
        after.link_target,
    )


MAX_HELD_VALUES = 512
"""File changes or operations that are held in memory; more are made for each pass."""


ValueT = TypeVar("ValueT")


class LazySequence(Sequence[ValueT]):
    """Values that are made again for each pass, a few at a time.

    A change may touch a million files.
    """

    def __init__(
        self, count: int, read_values: Callable[[], Iterator[ValueT]]
    ) -> None:
        self._count = count
        self._read = read_values

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[ValueT]:
        return self._read()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(islice(self._read(), *index.indices(self._count)))
        return next(islice(self._read(), range(self._count)[index], None))

    def __eq__(self, other: object) -> bool:
        """Compare values, since the same change may hold its few in a tuple."""
        if not isinstance(other, (LazySequence, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    # A hash would read all values. The type of `object` promises one.
    __hash__ = None  # type: ignore[assignment]


def hold_few(
    read_values: Callable[[], Iterator[ValueT]],
) -> Sequence[ValueT]:
    """Return values that are held in memory if they are few.

    Many are made again for each pass.
    """
    first_values = tuple(islice(read_values(), MAX_HELD_VALUES + 1))
    if len(first_values) <= MAX_HELD_VALUES:
        return first_values
    return LazySequence(sum(1 for _ in read_values()), read_values)


class RecordedCommand(NamedTuple):
    """A shell command, or a use of an edit tool, during which a change was made.

    `line` is the whole command line of a shell, up to a bound.
    """

    identifier: str
    summary: str
    session: str | None = None
    client: str | None = None
    turn: str | None = None
    line: str = ""


def join_lines(commands: Sequence[RecordedCommand]) -> str:
    """Return the command lines of a change that one of several commands has made."""
    lines = dict.fromkeys(command.line for command in commands if command.line)
    return "\n\n".join(lines)


def join_summaries(commands: Sequence[RecordedCommand]) -> str:
    """Return the summary of a change that one of several commands has made."""
    return " or ".join(dict.fromkeys(command.summary for command in commands))


@dataclass(frozen=True, slots=True)
class ChangeRecord:
    """A change, committed or about to be.

    `session`, `client` and `turn` are those of the caller, where known: `client` is its
    name and version, `turn` its name for the part of the conversation. `reverts` are
    the ids of the changes that were undone, newest first; `partial` tells that only
    some of what they did was. `hard_links` counts the names of each file whose other
    names were left behind. `notes` are for the user, such as bytes that another program
    wrote late and where they are kept. `state` is the state of the operation in the
    log.

    `command` is the whole line of the shell command that made the change. `commands`
    are the commands that share the change: all ran when it was made, and which of them
    made it is not known. `session` is that of the first.
    """

    number: int
    tool: str
    summary: str
    file_changes: Sequence[FileChange]
    session: str | None = None
    client: str | None = None
    turn: str | None = None
    reverts: tuple[str, ...] = ()
    partial: bool = False
    undoable: bool = True
    hard_links: Mapping[str, int] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()
    state: str = "intent"
    command: str = ""
    commands: tuple[RecordedCommand, ...] = ()

    @property
    def id(self) -> str:
        """The id, which sorts as the time does."""
        return format_change_id(self.number)

    @property
    def time(self) -> datetime:
        """The time of the commit, in UTC."""
        return change_time(self.number)

    @property
    def recorded_paths(self) -> Iterator[RecordedPath]:
        """Every path that was touched; both paths of a moved file."""
        for change in self.file_changes:
            yield from change.paths

    @property
    def display_paths(self) -> list[str]:
        """Every path that was touched, below its root, former paths first."""
        paths: dict[str, None] = {}
        for change in self.file_changes:
            for path in reversed(change.paths):
                paths[path.display_path] = None
        return list(paths)
