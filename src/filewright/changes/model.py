"""What history says about a committed change: values only.

A change is named by its number, nanoseconds since the epoch, in thirteen digits that sort as it does.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from struct import iter_unpack
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from filewright.boundary.location import Location
from filewright.boundary.names import quote

if TYPE_CHECKING:
    from typing import Protocol

    from filewright.boundary.boundary import Boundary
    from filewright.boundary.location import Root
    from filewright.boundary.rules import DenyRules
    from filewright.changes.blobs import BlobSource
    from filewright.system import Status
    from filewright.text.splice import Splice

    class StatusLike(Protocol):
        """A status as a stamp takes it: the system's own, or one that a listing holds."""

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


RecordedKind = Literal["file", "folder", "link", "other"]

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [one + two for one in _ALPHABET for two in _ALPHABET]
_ID_LENGTH = 13
RECORDED_KINDS: Mapping[str, RecordedKind] = {
    "file": "file", "link": "link", "folder": "folder",
    "fifo": "other", "socket": "other", "device": "other", "other": "other",
}  # fmt: skip
"""What a change makes of each kind of thing: a file, a link, a folder, or something else that it leaves alone."""


def format_change_id(number: int) -> str:
    """A change's id from its number (nanoseconds since the epoch): ids sort as their numbers do."""
    digits = ""
    for shift in (60, 50, 40, 30, 20, 10, 0):
        digits += _PAIRS[number >> shift & 1023]
    return digits[1:]


def parse_change_id(identifier: str) -> int | None:
    """The number behind an id, or None if it is not one."""
    if len(identifier) != _ID_LENGTH:
        return None
    number = 0
    for digit in identifier:
        value = _ALPHABET.find(digit)
        if value < 0:
            return None
        number = number * 32 + value
    return number


def change_time(number: int) -> datetime:
    """When the change of a number was committed, in UTC."""
    return datetime.fromtimestamp(number / 1e9, UTC)


class RecordedPath(NamedTuple):
    """A path in a record: the root's absolute path and the parts below it."""

    root: bytes
    parts: tuple[bytes, ...]

    @classmethod
    def from_location(cls, where: Location) -> RecordedPath:
        """How history names a location."""
        return cls(where.root.resolved_path, where.parts)

    def locate(self, roots: Iterable[Root]) -> Location | None:
        """Its location below the nearest root above it, from which history names it; None if there is none.

        A root that was recorded may since lie below one that is served, or above.
        """
        path, found = b"/".join((self.root.rstrip(b"/"), *self.parts, b"")), None
        for root in roots:
            above = root.resolved_path.rstrip(b"/") + b"/"
            if path.startswith(above) and (
                found is None or len(above) > len(found.root.resolved_path)
            ):
                found = Location(root, tuple(path[len(above) :].split(b"/")[:-1]))
        return found

    @property
    def absolute_parts(self) -> tuple[bytes, ...]:
        """The names of the absolute path, from the top."""
        return (*filter(None, self.root.split(b"/")), *self.parts)

    @property
    def display_path(self) -> str:
        """The path below its root, quoted where needed."""
        return quote(b"/".join(self.parts)) if self.parts else "."


def parent_paths(place: RecordedPath) -> Iterator[RecordedPath]:
    """The places of the folders above, the nearest first."""
    for depth in range(len(place.parts) - 1, 0, -1):
        yield RecordedPath(place.root, place.parts[:depth])


def path_after_moves(
    place: RecordedPath, folders: Mapping[RecordedPath, RecordedPath]
) -> RecordedPath:
    """Where a place is after some moves of what is there or of a folder above."""
    for above in (place, *parent_paths(place)):
        to = folders.get(above)
        if to is not None:
            return RecordedPath(to.root, (*to.parts, *place.parts[len(above.parts) :]))
    return place


VisibilityCheck = Callable[[RecordedPath], Literal["seen", "denied", "beyond"]]


def visibility_check(boundary: Boundary) -> VisibilityCheck:
    """Says of a place whether it may be seen now, is denied, or lies beyond the roots; for one look at history,
    folder by folder."""
    folders: dict[tuple[bytes, tuple[bytes, ...]], DenyRules | None] = {}

    def seen_as(place: RecordedPath) -> Literal["seen", "denied", "beyond"]:
        key = place.root, place.parts[:-1]
        if key not in folders:
            where = place.locate(boundary.roots)
            above = (
                folders.get((place.root, place.parts[:-2]))
                if len(place.parts) > 1
                else None
            )
            folders[key] = (
                None
                if where is None
                else boundary.rules_for(where.parent, parent_rules=above)
            )
        rules = folders[key]
        if rules is None:
            return "beyond"
        return (
            "denied" if place.parts and rules.denies(place.parts[-1], None) else "seen"
        )

    return seen_as


class FileState(NamedTuple):  # noqa: PLW1641  it holds a mapping: it has no hash
    """What a thing was at one moment, or is to be, as far as it is known and matters.

    `digest` is xxh3_128 of a file's bytes in hex; `blob` names the whole content in the undo data
    (SHA-256 in hex, or `=name` of a displaced file kept as it was), None where it was not kept.

    `inode` and `inside` are of use while a change is made, and history does not keep them. A digest with the
    time 0 is of what is made: there is no telling by its status whether it has been written to. `inside` is
    everything in a folder that is displaced or made, by its path from there, a folder before what is in it.
    """

    kind: RecordedKind
    mode: int = 0
    uid: int = 0
    gid: int = 0
    size: int = 0
    mtime_ns: int = 0
    digest: str | None = None
    link_target: bytes | None = None
    inode: int | None = None
    blob: str | None = None
    attributes: Mapping[
        str, bytes
    ] = {}  # shared, as the next: a change may have a million stamps
    descendants: Mapping[bytes, FileState] = {}

    def row(self, *, plan: bool = False) -> Sequence[object]:
        """What history keeps, or what a `plan` knows it by but for what is inside: without what is unset at its end."""
        row = self[:9] if plan else (*self[:8], None, *self[9:11])
        count = len(row)
        while not row[count - 1]:
            count -= 1
        return row[:count]

    def __eq__(self, other: object) -> bool:
        """Whether history keeps the same of both."""
        return (
            isinstance(other, FileState)
            and self[:8] == other[:8]
            and self[9:11] == other[9:11]
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    @classmethod
    def from_status(cls, status: StatusLike, **known: Any) -> FileState:
        """What is there, by its status and by what else is `known`, as named above."""
        kind = RECORDED_KINDS[status.kind]
        size = status.size if kind == "file" else 0
        if not known.get("attributes", True):
            del known["attributes"]  # What is empty is shared.
        return cls(
            kind,
            status.mode,
            status.uid,
            status.gid,
            size,
            status.mtime_ns,
            inode=status.inode,
            **known,
        )

    @property
    def mode_and_owner(self) -> tuple[int, int, int]:
        """Mode, user and group."""
        return self.mode, self.uid, self.gid

    def with_mode_and_owner(self, other: FileState) -> FileState:
        """It with mode, user and group of another."""
        return self._replace(mode=other.mode, uid=other.uid, gid=other.gid)

    def matches_status(self, status: Status) -> bool:
        """Whether a status is that of the very thing, and by its size and time nobody has written to it."""
        if status.inode != self.inode or self.kind != "file":
            return status.inode == self.inode
        if not self.mtime_ns:
            return self.digest is None
        return (status.size, status.mtime_ns) == (self.size, self.mtime_ns)


class Span(NamedTuple):
    """One splice of a recorded edit: `old` bytes at `offset` of the file before became `new` bytes."""

    offset: int
    removed_bytes: int
    inserted_bytes: int


def pack_spans(splices: Iterable[Splice]) -> bytes:
    """The spans of ordered splices, in 24 bytes each: a file may have a million of them.

    Those that touch become one: undoing two removals that touch would insert twice at one place, in no order.
    """
    numbers = array("q")
    for splice in splices:
        new = len(splice.replacement)
        if numbers and numbers[-3] + numbers[-2] == splice.offset:
            numbers[-2] += splice.length
            numbers[-1] += new
        else:
            numbers.extend((splice.offset, splice.length, new))
    return numbers.tobytes()


def unpack_spans(packed: bytes, most: int | None = None) -> Iterator[Span]:
    """The inverse, or the first of them."""
    return islice(map(Span._make, iter_unpack("=qqq", packed)), most)


class FileChange(NamedTuple):
    """What a change did at one place.

    `before` None: made; `after` None: deleted; `was`: moved from there. Where the change was an edit,
    `spliced` are its spans, packed; `removed` and `inserted` name the blobs that hold all old and all new bytes
    of these, one after the other.

    Of several changes together, `edits` are those of what it holds, oldest first, but for what nobody needs; where
    others have changed it between them, `segments` are the `runs`. `moved_with_parent`: it is in the folder where it
    was, which they may have moved; else `was` may be the same place in another folder. `renamed_later`: they renamed
    it, and another has renamed it again since.

    `keeper` tells where its contents are kept, of several changes what the first found; None before it is on record.
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
    blobs: BlobSource | None = None

    def touches(self, place: RecordedPath) -> bool:
        """Whether something was done at `place` or below it, also where it was in between."""
        count = len(place.parts)
        ends = (
            end.root == place.root and end.parts[:count] == place.parts
            for end in self.paths
        )
        return any(ends) or any(edit.touches(place) for edit in self.edits)

    @property
    def paths(self) -> tuple[RecordedPath, ...]:
        """Where it is, and where it was before it was moved."""
        return (
            (self.path,)
            if self.renamed_from is None
            else (self.path, self.renamed_from)
        )

    @property
    def content_edits(self) -> Sequence[FileChange]:
        """The changes of what a thing holds, oldest first: of one change, this one."""
        return self.edits or (self,)

    @property
    def runs(self) -> Sequence[FileChange]:
        """The same by runs: between two of them others have changed what it holds."""
        return self.segments or (self,)

    @property
    def action(self) -> str:
        """One word for people: created, deleted, moved, modified, or attributes."""
        if self.before is None:
            return "created"
        if self.after is None:
            return "deleted"
        if self.renamed_from is not None:
            return "moved"
        if (
            self.before.digest != self.after.digest
            or self.before.kind != self.after.kind
            or self.packed_spans
        ):
            return "modified"
        return "attributes"


class LazyFileChanges(Sequence[FileChange]):
    """The entries of a change, made or read anew each time they are gone through, a few at a time."""

    def __init__(self, count: int, read: Callable[[], Iterator[FileChange]]) -> None:
        self._count = count
        self._read = read

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[FileChange]:
        return self._read()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(islice(self._read(), *index.indices(self._count)))
        return next(islice(self._read(), range(self._count)[index], None))


def keeps_content(entry: FileChange) -> bool:
    """Whether a thing holds afterwards what it held before."""
    before, after = entry.before, entry.after
    if before is None or after is None or entry.packed_spans:
        return False
    return (before.digest, before.link_target) == (after.digest, after.link_target)


def states_match(left: FileState | None, found: FileState | None) -> bool:
    """Whether a change found a file as the one before it left it."""
    if left is None or found is None:
        return left is found
    if left.digest is None or found.digest is None:
        return left.size == found.size
    return left.digest == found.digest


class RecordedCommand(NamedTuple):
    """A command of a shell, or a use of a client's own edit tool, that was open when a change was made."""

    identifier: str
    summary: str
    session: str | None = None
    client: str | None = None
    turn: str | None = None


def join_summaries(commands: Sequence[RecordedCommand]) -> str:
    """Return how history calls what one of some commands has done."""
    return " or ".join(dict.fromkeys(command.summary for command in commands))


class ChangeRecord(NamedTuple):
    """A change, committed or about to be: its `number` is the time in nanoseconds since the epoch; an entry per place.

    `session` is that of the caller, of which `client` is the name and version and `turn` what it calls
    the part of its conversation, where these are known. `reverts` names the changes it undid, newest
    first; with `partial` it took back only some of what they did.
    `hard_links` counts the names of each file whose other names were left behind. `notes` says what a
    person should know, such as bytes that another program wrote late and where they were kept. `state` is that of
    the operation in the log.

    Of a change that several commands share, `commands` are these: all were open in the time in which it was made, and
    which of them has made it is not known. It has the session of the first.
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
    hard_links: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()
    state: str = "intent"
    commands: tuple[RecordedCommand, ...] = ()

    @property
    def id(self) -> str:
        """Its name, which sorts as its time does."""
        return format_change_id(self.number)

    @property
    def time(self) -> datetime:
        """When it was committed, in UTC."""
        return change_time(self.number)

    @property
    def recorded_paths(self) -> Iterator[RecordedPath]:
        """Every place touched; a move names both ends."""
        for entry in self.file_changes:
            yield entry.path
            if entry.renamed_from is not None:
                yield entry.renamed_from

    @property
    def display_paths(self) -> list[str]:
        """The same as paths below their roots, that before a move first."""
        ends = (place for entry in self.file_changes for place in reversed(entry.paths))
        return list(dict.fromkeys(place.display_path for place in ends))
