"""What is to change, as a plain value: the only thing `changes/` accepts.

A step never holds a path string or an open file. `Expected` says which content a step was made
against; the commit refuses with `stale_version` when the file is no longer that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from filewright.text.snapshot import FileIdentity, Snapshot
from filewright.text.splice import Splice

if TYPE_CHECKING:
    from filewright.boundary.location import Location

D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class ExpectedState:
    """The content a step was made against.

    `digest` is xxh3_128 of the whole file, in hex, where it was hashed (files up to
    `settings.identity_bytes`), else None and `identity` alone decides, with the splices'
    own `guards`: the old bytes under and next to each splice, checked by the copy loop.
    """

    size: int
    identity: FileIdentity | None
    digest: str | None

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> ExpectedState:
        """What a snapshot saw: hashed where it is held, else by identity."""
        return cls(
            snapshot.size,
            snapshot.identity,
            snapshot.digest() if snapshot.content is not None else None,
        )


@dataclass(frozen=True, slots=True)
class Modify:
    """Replace parts of an existing regular file; everything outside the splices, which are in order, is copied.

    `encoding_check` names the codec the rest of the file must decode by, validated in the copy
    loop, when only a sample was seen and the replacement depends on the guess.
    """

    location: Location
    expected: ExpectedState
    splices: Sequence[Splice]
    encoding_check: str | None = None

    @classmethod
    def from_snapshot(
        cls, location: Location, snapshot: Snapshot, splices: Sequence[Splice]
    ) -> Modify:
        """The step for a file as a snapshot shows it."""
        guessed = snapshot.encoding.is_sampled and not all(
            splice.replacement.isascii() for splice in splices
        )
        return cls(
            location,
            ExpectedState.from_snapshot(snapshot),
            splices,
            snapshot.encoding.name if guessed else None,
        )


class ContentStream(Protocol):
    """A content that need not be in memory."""

    @property
    def size(self) -> int:
        """How many bytes."""
        ...

    def blocks(self) -> Iterator[bytes | memoryview]:
        """The bytes from the start; may be asked for more than once. A block is valid until the next one."""
        ...


@dataclass(frozen=True, slots=True)
class Create:
    """A new regular file; parents are made. Nothing may be there, unless `replace`.

    What else it carries is given where it comes back as it once was; `attributes` None are those of the file that
    is there.
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
    """A symbolic link as it once was; undo makes these. Nothing may be there."""

    location: Location
    target: bytes


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """A folder and its missing parents; existing folders are left as they are.

    `attributes` are extended attributes of a folder that undo makes again.
    """

    location: Location
    attributes: Mapping[str, bytes] | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """A file, a link or an empty folder, or with `recursive` a folder and all below it."""

    location: Location
    recursive: bool = False
    expected: ExpectedState | None = None
    missing_ok: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """Rename a file, link or folder; parents of the destination are made."""

    source: Location
    destination: Location
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class Copy:
    """Copy a file, link or folder with mode, times and extended attributes."""

    source: Location
    destination: Location
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class SetMode:
    """Set permission bits; `mode` is octal digits or chmod's symbolic form, resolved at commit."""

    location: Location
    mode: str


@dataclass(frozen=True, slots=True)
class SetOwner:
    """Set user and group by number; None leaves one as it is."""

    location: Location
    uid: int | None
    gid: int | None


Step = (
    Modify | Create | MakeLink | MakeFolder | Delete | Move | Copy | SetMode | SetOwner
)


@dataclass(frozen=True, slots=True)
class FilePlan(Generic[D]):
    """What was decided for one file; `before` is open until the next decision is asked for.

    `location` is where the file is afterwards, or was; `old` and `new` are its names as they are shown (None: made,
    or deleted). `before` is an empty text where there was none, and None where there is nothing to show. `splices`
    are those of the file; `shown` is the text that a diff is made of with its splices, where that is another one.
    `whole`: the caller gave all that the file will hold.
    """

    result: D
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
        cls, result: D, location: Location, content: bytes, mode: int | None = None
    ) -> FilePlan[D]:
        """That a file is made."""
        empty = Snapshot(b"", encoding="utf-8", location=location)
        added = (Splice(0, 0, content),) if content else ()
        steps = [Create(location, content, mode)]
        return cls(
            result,
            location,
            steps,
            empty,
            added,
            None,
            location.display_path,
            mode_after=mode,
            is_complete=True,
        )

    def with_deletion(self) -> FilePlan[D]:
        """That the file is deleted after all."""
        before = self.before
        gone = (
            (Splice(0, before.size, b""),) if before is not None and before.size else ()
        )
        step = Delete(
            self.location,
            expected=ExpectedState.from_snapshot(before)
            if before is not None
            else None,
        )
        return replace(self, steps=[*self.steps, step], splices=gone, new_name=None)

    def with_move(self, destination: Location) -> FilePlan[D]:
        """That the file gets another name after all."""
        step = Move(self.location, destination)
        return replace(
            self,
            location=destination,
            steps=[*self.steps, step],
            new_name=destination.display_path,
        )


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """An ordered set of steps committed as one transaction: all or none.

    A later step sees the result of the earlier ones (create a folder, move into it). `reverts` are the
    changes it undoes, None if it is no undo; with `partial` it takes back only some of what they did.
    """

    tool: str
    summary: str
    steps: tuple[Step, ...]
    break_hard_links: bool = False
    undoable: bool = True
    reverts: tuple[str, ...] | None = None
    partial: bool = False

    @property
    def locations(self) -> Collection[Location]:
        """Every place that a step names to change it."""
        places: list[Location] = []
        for step in self.steps:
            if isinstance(step, Move | Copy):
                places += [step.source] if isinstance(step, Move) else []
                places.append(step.destination)
            else:
                places.append(step.location)
        return places
