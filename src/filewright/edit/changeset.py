"""Change sets: the changes of a call as plain values, and the input of `changes/`.

A step holds no path as text and no open file: it names a `Location`, which the boundary
has checked. `ExpectedState` says which content a step was made against; the commit
refuses with `stale_version` if the file has changed since. Offsets and sizes are in
bytes, modes are permission bits, times are in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from filewright.text.splice import Splice

if TYPE_CHECKING:
    from filewright.boundary.location import Location
    from filewright.text.file_identity import FileIdentity
    from filewright.text.snapshot import Snapshot

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, slots=True)
class ExpectedState:
    """The state of a file that a step was made against.

    `size` is in bytes. `digest` is xxh3_128 of the whole file, in hex, if it was hashed
    (files up to `settings.identity_bytes`). If it is None, `identity` alone decides,
    together with the `guards` of the splices: the old bytes under and next to each of
    them, which are compared while the file is copied.
    """

    size: int
    identity: FileIdentity | None
    digest: str | None

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> ExpectedState:
        """Return the state that a snapshot saw, hashed if its content is in memory."""
        # To hash a larger file would read it to its end for a change of one line.
        if snapshot.content is None:
            return cls(snapshot.size, snapshot.identity, digest=None)
        # With a digest the identity decides nothing, and takes 200 bytes.
        return cls(snapshot.size, identity=None, digest=snapshot.digest())


@dataclass(frozen=True, slots=True)
class Modify:
    """Replace parts of an existing regular file.

    The splices are in order; everything outside them is copied byte by byte.
    `encoding_check` is the name of the codec by which the rest of the file must decode,
    which is checked while copying. It is set if the encoding was guessed from a sample
    and the new text depends on it. Otherwise it is None. `mtime_ns` is the time that the
    file gets; None is the time of the commit.
    """

    location: Location
    expected: ExpectedState
    splices: Sequence[Splice]
    encoding_check: str | None = None
    mtime_ns: int | None = None

    @classmethod
    def from_snapshot(
        cls, location: Location, snapshot: Snapshot, splices: Sequence[Splice]
    ) -> Modify:
        """Return the step that applies splices to a file as a snapshot shows it."""
        # A sample may take one extension of ASCII for another. That does no harm to new
        # text that is ASCII: its bytes are the same in all of them.
        is_guess_needed = snapshot.encoding.is_sampled and not all(
            splice.replacement.isascii() for splice in splices
        )
        return cls(
            location,
            ExpectedState.from_snapshot(snapshot),
            splices,
            encoding_check=snapshot.encoding.name if is_guess_needed else None,
        )


class ContentStream(Protocol):
    """The content of a file to create, which need not be in memory."""

    @property
    def size(self) -> int:
        """The number of bytes."""
        ...

    def blocks(self) -> Iterator[bytes | memoryview]:
        """Yield the bytes from the start; each block is valid until the next one.

        The method may be called more than once.
        """
        ...


@dataclass(frozen=True, slots=True)
class Create:
    """Create a regular file and its missing parents.

    The location must be free, unless `replace` is set; then `expected` is the state of
    the file that is replaced. Mode, owner, time and extended attributes are set if undo
    restores a file. None leaves the default, and for `attributes` those of the file that
    is replaced.
    """

    location: Location
    content: bytes | ContentStream
    mode: int | None = None
    uid: int | None = None
    gid: int | None = None
    mtime_ns: int | None = None
    attributes: Mapping[str, bytes] | None = None
    replace: bool = False
    expected: ExpectedState | None = None


@dataclass(frozen=True, slots=True)
class MakeLink:
    """Create a symbolic link to `target`, for undo. The location must be free."""

    location: Location
    target: bytes
    uid: int | None = None
    gid: int | None = None


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """Create a folder and its missing parents; existing folders stay as they are.

    `attributes` are the extended attributes of a folder that undo restores.
    """

    location: Location
    attributes: Mapping[str, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a file, a link or an empty folder; with `recursive`, a folder with content.

    With `missing_ok`, a location without a file is no error.
    """

    location: Location
    recursive: bool = False
    expected: ExpectedState | None = None
    missing_ok: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """Rename a file, link or folder; missing parents of the destination are created.

    With `overwrite`, a file at the destination is replaced.
    """

    source: Location
    destination: Location
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy a file, link or folder with mode, times and extended attributes.

    With `overwrite`, a file at the destination is replaced.
    """

    source: Location
    destination: Location
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class SetMode:
    """Set permission bits.

    `mode` is octal digits or the symbolic form of chmod, which is resolved at commit.
    """

    location: Location
    mode: str


@dataclass(frozen=True, slots=True)
class SetOwner:
    """Set user and group by number; None leaves one as it is."""

    location: Location
    uid: int | None
    gid: int | None


Step = (
    Modify
    | Create
    | MakeLink
    | MakeFolder
    | Delete
    | Move
    | Copy
    | SetMode
    | SetOwner
)


@dataclass(frozen=True, slots=True)
class FilePlan(Generic[ResultT]):
    """The changes that an edit, write or patch will make to one file.

    `result` is the tool's own description of them. `location` is where the file is
    afterwards, or was if it is deleted; `old_name` and `new_name` are its names in
    results (None: it is created, or deleted). `before` is its old content, open until
    the next plan is requested: empty for a new file, None if there is nothing to show.
    `splices` turn it into the new content. If a diff shows another text than the file's,
    such as the cells of a notebook, `view` is that text with its splices. The modes are
    set if the diff is to name them. `is_complete`: the caller sent the whole new content.
    """

    result: ResultT
    location: Location
    steps: Sequence[Step]
    before: Snapshot | None = None
    splices: Sequence[Splice] = ()
    old_name: str | None = None
    new_name: str | None = None
    view: tuple[Snapshot, Sequence[Splice]] | None = None
    mode_before: int | None = None
    mode_after: int | None = None
    is_copy: bool = False
    is_complete: bool = False

    @classmethod
    def for_new_file(
        cls,
        result: ResultT,
        location: Location,
        content: bytes,
        mode: int | None = None,
    ) -> FilePlan[ResultT]:
        """Return the plan of a file that is created."""
        # Only here: a commit alone needs no detection of encodings.
        from filewright.text.snapshot import Snapshot

        return cls(
            result,
            location,
            steps=[Create(location, content, mode)],
            before=Snapshot(b"", encoding="utf-8", location=location),
            splices=(Splice(0, 0, content),) if content else (),
            new_name=location.display_path,
            mode_after=mode,
            is_complete=True,
        )

    def with_deletion(self) -> FilePlan[ResultT]:
        """Return the plan with the file deleted at the end."""
        expected = None
        splices: Sequence[Splice] = ()
        if self.before is not None:
            expected = ExpectedState.from_snapshot(self.before)
            if self.before.size:
                splices = (Splice(0, self.before.size, b""),)
        step = Delete(self.location, expected=expected)
        return replace(
            self, steps=[*self.steps, step], splices=splices, new_name=None
        )

    def with_move(self, destination: Location) -> FilePlan[ResultT]:
        """Return the plan with the file renamed at the end."""
        step = Move(self.location, destination)
        return replace(
            self,
            location=destination,
            steps=[*self.steps, step],
            new_name=destination.display_path,
        )


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Steps in order that are committed as one transaction: all or none.

    A later step sees the result of the earlier ones, as when a folder is created and
    files are moved into it. `tool` and `summary` are stored in the history. With
    `break_hard_links`, a file with several names is replaced for one of them only.
    `reverts` are the ids of the changes that an undo reverts, None for any other change
    set; with `partial` the undo reverts only a part of them.
    """

    tool: str
    summary: str
    steps: Sequence[Step]
    break_hard_links: bool = False
    undoable: bool = True
    reverts: tuple[str, ...] | None = None
    partial: bool = False

    def iterate_locations(self) -> Iterator[Location]:
        """Yield the locations that the steps change."""
        for step in self.steps:
            match step:
                case Move(source, destination):
                    yield source
                    yield destination
                case Copy(_, destination):
                    yield destination
                case _:
                    yield step.location
