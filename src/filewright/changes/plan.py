"""What a commit does to names, in order: the part of an intent that recovery reads.

Whatever a change set asked for is reduced to two operations on slots, a slot being a name in a
folder: something is put there, or its rights are altered. Each can be recognised as done or not from
what is in its slots, can be rolled back, and can be finished. A folder is known by its inode and by the
slots where it may be found at any step, so a chain of renames costs a slot for each, and a folder that
somebody moves meanwhile is found again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from filewright.boundary import is_temporary, temporary_name
from filewright.changes.record import Place, Stamp

if TYPE_CHECKING:
    from filewright.boundary import Location
    from filewright.changes.prepare import Preparation
    from filewright.changes.tree import Item, Tree

How = Literal["made", "moved", "gone"]


class Slot(NamedTuple):
    """A name in one of the plan's folders, by its number in `CommitPlan.folders`."""

    folder: int
    name: bytes


class Put(NamedTuple):
    """Bring what is in `carrier` to `place`.

    With `before`, that is displaced: it is then in the carrier, or in `spare`, a temporary name beside the place, if
    names cannot be exchanged or the carrier is none of ours; without, nothing may be at `place`. `how` says what is
    brought: what was `made` under a temporary name, something that is `moved`, or what is `gone` for good, whose place
    is a temporary name.
    """

    how: How
    carrier: Slot
    place: Slot
    spare: Slot
    after: Stamp
    before: Stamp | None = None

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return self[1:4]

    @property
    def stamps(self) -> list[Stamp]:
        """What it knows things by."""
        return [self.after] if self.before is None else [self.after, self.before]

    @property
    def named(self) -> Slot:
        """The slot by which people know it."""
        return self.carrier if is_temporary(self.place.name) else self.place


class Alter(NamedTuple):
    """Set mode, user and group of the thing with that inode at `place`: `before` and `after` are these three."""

    how: Literal["altered"]
    place: Slot
    stamp: Stamp
    before: tuple[int, int, int]
    after: tuple[int, int, int]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """Every slot it touches."""
        return (self.place,)

    @property
    def stamps(self) -> list[Stamp]:
        """What it knows the thing by."""
        return [self.stamp]

    @property
    def named(self) -> Slot:
        """The slot by which people know it."""
        return self.place


class FolderRef(NamedTuple):
    """A folder the operations act in: its inode (None until a new one is staged), and where it may be.

    `root` is the path of a root, which is in no slot; `made` says that the change makes it.
    """

    inode: int | None
    root: bytes | None = None
    made: bool = False
    slots: tuple[Slot, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """Folders, operations in order, and every temporary name that may ever exist."""

    folders: tuple[FolderRef, ...]
    operations: tuple[Put | Alter, ...]

    @property
    def sealed(self) -> bool:
        """Whether everything that is made can be recognised: nothing is published before that is on the disk.

        A file that replaces another is known by its digest, with the displaced one beside it. What
        is put where nothing was is known by its inode too: somebody may make the same file.
        """
        return all(
            (put.after.digest is not None or put.after.kind != "file")
            and (put.after.inode is not None or (put.before is not None and put.after.kind != "folder"))
            for put in self.operations
            if put.how == "made"
        )

    def place(self, slot: Slot) -> Place:
        """The path of a slot, by the first place of each folder above it."""
        names, number = [slot.name], slot.folder
        for _ in self.folders:
            folder = self.folders[number]
            if folder.root is not None:
                return Place(folder.root, tuple(reversed(names)))
            if not folder.slots:
                break
            names.append(folder.slots[0].name)
            number = folder.slots[0].folder
        raise ValueError("a folder that is below no root")

    def relocated(self, moved: Mapping[bytes, bytes]) -> CommitPlan:
        """The same with its roots where they are now."""
        folders = (each._replace(root=moved.get(each.root or b"", each.root)) for each in self.folders)
        return replace(self, folders=tuple(folders))


# From a tree


End = tuple["Item", bytes]


class _Bringing(NamedTuple):
    """A put, before it is known what becomes of things: what is brought, and what it displaces."""

    how: How
    carrier: End
    place: End
    spare: bytes
    item: Item
    occupant: Item | None = None


class Planning:
    """From a tree to operations on names, in an order in which every folder is where it is needed.

    Top-down: a thing is put into a folder only after that folder is in its final place. What is in the
    way is exchanged if it goes, or aside to a temporary name if it moves on. What is deleted is taken
    away last, so that moves out of it come first. `known` is where the plan's folders are at the start, by number.
    """

    def __init__(self, tree: Tree) -> None:
        self._altered = tree.altered
        self._passes: dict[Item, list[End]] = {}
        self._aside: dict[Item, End] = {}
        self._handled: set[Item] = set()
        self._puts: list[_Bringing] = []
        self._gone: list[_Bringing] = []
        self.known: dict[int, tuple[Location, tuple[int, int]]] = {}
        for folder in tree.all_folders():
            for name in sorted(folder.entries):
                item = folder.entries[name]
                if item is not None and item.fresh:
                    if folder.seen is not None:
                        carrier = folder, temporary_name()
                        self._pass(item, carrier)
                        self._put("made", carrier, (folder, name), item)
                elif item is not None and item.place != item.home:
                    self._move(item, (folder, name))
        for item in tree.displaced:
            if item not in self._handled:
                # At the end, what goes is brought to a temporary name beside.
                assert item.home is not None
                aside = item.home[0], temporary_name()
                self._pass(item, aside)
                self._gone.append(_Bringing("gone", item.home, aside, aside[1], item))

    @property
    def made(self) -> list[tuple[End, Item]]:
        """What is to be made, each in a folder under a temporary name."""
        return [(put.carrier, put.item) for put in self._puts if put.how == "made"]

    def plan(self, known: Preparation) -> CommitPlan:
        """The plan, by what is known of things by now."""
        folders: list[Item] = []
        numbers: dict[Item, int] = {}

        def slot(folder: Item, name: bytes) -> Slot:
            if folder not in numbers:
                numbers[folder] = len(folders)
                folders.append(folder)
            return Slot(numbers[folder], name)

        operations: list[Put | Alter] = []
        for put in (*self._puts, *self._gone):
            if put.how == "gone":
                after = known.before(put.item)
            else:
                after = known.after(put.item) if put.how == "made" else _moved(put.item)
            before = known.before(put.occupant) if put.occupant is not None else None
            slots = slot(*put.carrier), slot(*put.place), slot(put.place[0], put.spare)
            operations.append(Put(put.how, *slots, after, before))
        for item in self._altered:
            assert item.place is not None
            assert item.seen is not None
            rights = item.seen.mode, item.seen.uid, item.seen.gid
            operations.append(Alter("altered", slot(*item.place), _moved(item), rights, item.rights))
        references: list[FolderRef] = []
        for folder in folders:  # Grows: a slot of a folder may be in one that has no number yet.
            if folder.is_root:
                assert folder.was is not None
                references.append(FolderRef(None, folder.was.root.resolved))
                continue
            ends = (folder.home, folder.place, *self._passes.get(folder, ()))
            where = tuple(dict.fromkeys(slot(*end) for end in ends if end is not None))
            inode = folder.seen.inode if folder.seen is not None else known.after(folder).inode
            references.append(FolderRef(inode, None, folder.seen is None, where))
        self.known = {
            number: (folder.was_at, folder.seen.identity)
            for number, folder in enumerate(folders)
            if folder.seen is not None
        }
        return CommitPlan(tuple(references), tuple(operations))

    def _move(self, item: Item, place: End) -> None:
        """Bring something from where it was to its place."""
        assert item.home is not None
        blocked = self._occupant(place)
        # No system exchanges a folder with what is below it.
        inside = blocked is not None and not blocked.moved and item.home[0].within(blocked, at_first=True)
        if inside and item not in self._aside:
            self._move_aside(item, place[0])
        self._put("moved", self._aside.get(item, item.home), place, item)
        self._handled.add(item)

    def _put(self, how: How, carrier: End, place: End, item: Item) -> None:
        occupant = self._occupant(place)
        if occupant is not None and occupant.moved:
            self._move_aside(occupant, place[0])
            occupant = None
        spare = temporary_name()
        self._puts.append(_Bringing(how, carrier, place, spare, item, occupant))
        if occupant is not None:
            self._handled.add(occupant)
            self._pass(occupant, carrier)
            self._pass(occupant, (place[0], spare))

    def _move_aside(self, item: Item, into: Item) -> None:
        """Move an item out of the way, or out of a folder that goes, to a temporary name."""
        assert item.home is not None
        aside = self._aside[item] = into, temporary_name()
        self._puts.append(_Bringing("moved", item.home, aside, temporary_name(), item))
        self._pass(item, aside)

    def _occupant(self, end: End) -> Item | None:
        """What is physically under a name, as far as the operations planned so far go."""
        item = end[0].initial.get(end[1])
        return None if item is None or item in self._handled or item in self._aside else item

    def _pass(self, item: Item, end: End) -> None:
        """Remember that a folder is, for a while, under that name."""
        if item.kind == "folder":
            self._passes.setdefault(item, []).append(end)


def _moved(item: Item) -> Stamp:
    """How something that keeps its inode is recognised."""
    assert item.seen is not None
    return Stamp(item.kind, target=item.target, inode=item.seen.inode)
