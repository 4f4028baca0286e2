"""What a commit does to names, in order: the part of an intent that recovery reads.

Whatever a change set asked for is reduced to two operations on slots, a slot being a name in a
folder: something is put there, or its rights are altered. Each can be recognised as done or not from
what is in its slots, can be rolled back, and can be finished. A folder is known by its inode: it is in the
slot where it was at first, or in one of the operations that bring it, and one that somebody moves meanwhile is found
again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from filewright.annotations import TYPE_CHECKING, Literal, NamedTuple
from filewright.boundary import is_temporary, temporary_name
from filewright.changes.record import Place, Stamp

if TYPE_CHECKING:
    from filewright.boundary import Location
    from filewright.changes.prepare import Preparation
    from filewright.changes.tree import Item, Tree

How = Literal["made", "moved", "gone", "altered"]


class Slot(NamedTuple):
    """A name in one of the plan's folders, by its number in `CommitPlan.folders`."""

    folder: int
    name: bytes


class Put(NamedTuple):
    """Bring what is in `carrier` to `place`.

    With `before`, that is displaced: it is then in the carrier, or in `spare`, a temporary name beside the place, if
    names cannot be exchanged or the carrier is none of ours; without, nothing may be at `place`. `how` says what is
    brought: what was `made` under a temporary name, something that is `moved`, or what is `gone` for good, whose place
    is a temporary name. What is `altered` stays in its one slot: it gets mode, user and group of `after`, and had those
    of `before`.
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


class FolderRef(NamedTuple):
    """A folder the operations act in: its inode (None until a new one is staged), and its slot at first.

    `root` is the path of a root, which is in no slot; `made` says that the change makes it.
    """

    inode: int | None
    root: bytes | None
    made: bool
    slot: Slot | None


class CommitPlan:
    """Folders, operations in order, and every temporary name that may ever exist."""

    def __init__(self, folders: tuple[FolderRef, ...], operations: tuple[Put, ...]) -> None:
        self.folders = folders
        self.operations = operations

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

    @property
    def size(self) -> int:
        """How many things it knows."""
        return sum(1 + len(stamp.inside) for put in self.operations for stamp in put.stamps)

    @cached_property
    def ways(self) -> Mapping[int | None, Sequence[Slot]]:
        """The slots through which the operations bring each thing, by its inode."""
        found: dict[int | None, list[Slot]] = {}
        for put in self.operations:
            found.setdefault(put.after.inode, []).extend(put.slots[:2])
            if put.before is not None:
                found.setdefault(put.before.inode, []).extend(put.slots)
        return found

    def place(self, slot: Slot) -> Place:
        """The path of a slot, by the first slot of each folder above it."""
        names = [slot.name]
        folder = self.folders[slot.folder]
        while folder.slot is not None and len(names) <= len(self.folders):
            names.append(folder.slot.name)
            folder = self.folders[folder.slot.folder]
        if folder.root is None:
            raise ValueError("a folder that is below no root")
        return Place(folder.root, tuple(reversed(names)))

    def relocated(self, moved: Mapping[bytes, bytes]) -> CommitPlan:
        """The same with its roots where they are now."""
        folders = (each._replace(root=moved.get(each.root or b"", each.root)) for each in self.folders)
        return CommitPlan(tuple(folders), self.operations)


# From a tree


class _Bringing(NamedTuple):
    """A put, before it is known what becomes of things: what is brought, and what it displaces."""

    how: How
    carrier: Slot
    place: Slot
    spare: Slot
    item: Item
    occupant: Item | None = None


class Planning:
    """From a tree to operations on names, in an order in which every folder is where it is needed.

    Top-down: a thing is put into a folder only after that folder is in its final place. What is in the
    way is exchanged if it goes, or aside to a temporary name if it moves on. What is deleted is taken
    away last, so that moves out of it come first.
    """

    def __init__(self, tree: Tree) -> None:
        self._folders: list[Item] = []
        self._numbers: dict[Item, int] = {}
        self._aside: dict[Item, Slot] = {}
        self._handled: set[Item] = set()
        self._puts: list[_Bringing] = []
        for folder in tree.all_folders():
            for name, item in sorted(folder.entries.items()):
                if item is not None and item.fresh:
                    if folder.seen is not None:
                        self._put("made", self._temporary(folder), folder, name, item)
                elif item is not None and item.place != item.home:
                    self._move(item, folder, name)
        for item in tree.displaced:
            if item not in self._handled:
                # At the end, what goes is brought to a temporary name beside.
                assert item.home is not None
                aside = self._temporary(item.home[0])
                self._puts.append(_Bringing("gone", self._slot(*item.home), aside, aside, item))
        for item in tree.altered:
            assert item.place is not None
            place = self._slot(*item.place)
            self._puts.append(_Bringing("altered", place, place, place, item))

    @property
    def made(self) -> list[tuple[Item, bytes, Item]]:
        """What is to be made, each with its folder and a temporary name."""
        return [
            (self._folders[put.carrier.folder], put.carrier.name, put.item)
            for put in self._puts
            if put.how == "made"
        ]

    @property
    def known(self) -> dict[int, tuple[Location, tuple[int, int]]]:
        """Where the plan's folders are at the start, by number."""
        folders = enumerate(self._folders)
        return {number: (each.was_at, each.seen.identity) for number, each in folders if each.seen}

    def plan(self, known: Preparation) -> CommitPlan:
        """The plan, by what is known of things by now."""
        operations: list[Put] = []
        for how, carrier, place, spare, item, occupant in self._puts:
            before = known.before[occupant] if occupant is not None else None
            if how == "made":
                after = known.after(item)
            elif how == "gone":
                after = known.before[item]
            else:
                # What keeps its inode is recognised by that.
                assert item.seen is not None
                seen = item.seen
                after = Stamp(item.kind, *item.rights, target=item.target, inode=seen.inode)
                if how == "altered":
                    before = after._replace(mode=seen.mode, uid=seen.uid, gid=seen.gid)
            operations.append(Put(how, carrier, place, spare, after, before))
        references: list[FolderRef] = []
        for folder in self._folders:  # Grows: the slot of a folder may be in one that has no number yet.
            end = folder.home or folder.place
            root = folder.was_at.root.resolved if end is None else None
            inode = folder.seen.inode if folder.seen is not None else known.after(folder).inode
            slot = self._slot(*end) if end is not None else None
            references.append(FolderRef(inode, root, folder.seen is None, slot))
        return CommitPlan(tuple(references), tuple(operations))

    def _slot(self, folder: Item, name: bytes) -> Slot:
        if folder not in self._numbers:
            self._numbers[folder] = len(self._folders)
            self._folders.append(folder)
        return Slot(self._numbers[folder], name)

    def _temporary(self, folder: Item) -> Slot:
        return self._slot(folder, temporary_name())

    def _move(self, item: Item, folder: Item, name: bytes) -> None:
        """Bring something from where it was to its place."""
        assert item.home is not None
        blocked = self._occupant(folder, name)
        # No system exchanges a folder with what is below it.
        inside = blocked is not None and not blocked.moved and item.home[0].within(blocked, at_first=True)
        if inside and item not in self._aside:
            self._move_aside(item, folder)
        self._put("moved", self._aside.get(item) or self._slot(*item.home), folder, name, item)
        self._handled.add(item)

    def _put(self, how: How, carrier: Slot, folder: Item, name: bytes, item: Item) -> None:
        occupant = self._occupant(folder, name)
        if occupant is not None and occupant.moved:
            self._move_aside(occupant, folder)
            occupant = None
        elif occupant is not None:
            self._handled.add(occupant)
        put = _Bringing(how, carrier, self._slot(folder, name), self._temporary(folder), item, occupant)
        self._puts.append(put)

    def _move_aside(self, item: Item, folder: Item) -> None:
        """Move an item out of the way, or out of a folder that goes, to a temporary name."""
        assert item.home is not None
        aside = self._aside[item] = self._temporary(folder)
        self._puts.append(_Bringing("moved", self._slot(*item.home), aside, self._temporary(folder), item))

    def _occupant(self, folder: Item, name: bytes) -> Item | None:
        """What is physically under a name, as far as the operations planned so far go."""
        item = folder.initial.get(name)
        return None if item in self._handled or item in self._aside else item
