"""From a tree to operations on names, in an order in which every folder is where it is needed.

Top-down: a thing is put into a folder only after that folder is in its final place. What is in the
way is exchanged if it goes, or aside to a temporary name if it moves on. What is deleted is taken
away last, so that moves out of it come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from filewright.boundary import is_temporary, temporary_name
from filewright.changes.operations import (
    Alter,
    CommitPlan,
    FolderRef,
    Put,
    Seal,
    Slot,
    SlotOperation,
    Take,
)
from filewright.changes.tree import FolderItem, Item, Tree


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a tree and the disk.

    `displaced`: their old inode goes (deleted, overwritten, rewritten) and no displaced folder
    holds it. `fresh`: a new inode is made for them, in a folder that is on the disk. `moved`:
    renamed. `altered`: only mode or owner change.
    """

    displaced: list[Item] = field(default_factory=list)
    fresh: list[Item] = field(default_factory=list)
    moved: list[Item] = field(default_factory=list)
    altered: list[Item] = field(default_factory=list)

    @classmethod
    def of(cls, tree: Tree) -> Difference:
        """Look through every item of the tree."""
        found = cls()
        for folder in tree.old_folders():
            folder_alive = folder.is_root or folder.alive
            for item in folder.initial.values():
                if item is None or (isinstance(item, FolderItem) and item.is_root):
                    continue
                alive = item.alive
                if (not alive or item.fresh) and folder_alive:
                    found.displaced.append(item)
                if item.moved:
                    found.moved.append(item)
                if alive and not item.fresh and item.altered:
                    found.altered.append(item)
        for folder in tree.all_folders():
            items = sorted(folder.entries.items()) if folder.seen is not None else ()
            found.fresh.extend(item for _, item in items if item is not None and item.fresh)
        return found

    @property
    def empty(self) -> bool:
        """Whether nothing changes at all."""
        return not (self.displaced or self.fresh or self.moved or self.altered)


def new_files(top: Item) -> Iterator[Item]:
    """The new files that steps named, at a fresh item or below it."""
    pending = [top]
    while pending:
        item = pending.pop()
        if isinstance(item, FolderItem):
            pending += [below for below in item.entries.values() if below is not None and below.fresh]
        elif item.kind == "file":
            yield item


@dataclass(frozen=True, slots=True)
class Carrier:
    """A new thing that is to be made: of an item, in a folder, for the put with that number."""

    number: int
    folder: FolderItem
    item: Item


@dataclass(frozen=True, slots=True)
class Staging:
    """What is to be made for a plan, and the plan's folders as items, some of which are made with it."""

    carriers: tuple[Carrier, ...]
    folders: tuple[FolderItem, ...]


def plan_of(tree: Tree, difference: Difference) -> tuple[CommitPlan, Staging]:
    """The plan, and what is to be made for it."""
    planning = _Planning(tree, difference)
    references = tuple(planning.reference(folder) for folder in planning.folders)
    plan = CommitPlan(references, tuple(planning.operations))
    return plan, Staging(tuple(planning.carriers), tuple(planning.folders))


class _Planning:
    """One plan while it is made."""

    def __init__(self, tree: Tree, difference: Difference) -> None:
        self.folders: list[FolderItem] = []
        self.operations: list[SlotOperation] = []
        self._taken: list[Take] = []
        self.carriers: list[Carrier] = []
        for folder in tree.all_folders():
            for name in sorted(folder.entries):
                item = folder.entries[name]
                if item is None:
                    continue
                if item.fresh:
                    if folder.seen is not None:
                        self._put_fresh(folder, name, item)
                elif item.place != item.home:
                    self._put_moved(folder, name, item)
        for item in difference.displaced:
            self._take(item)
        self.operations.extend(self._taken)
        for item in difference.altered:
            self._alter(item)
        number = 0
        while number < len(self.folders):  # Numbering a folder's slots may number the folders above it.
            self._every_slot_of(self.folders[number])
            number += 1

    # Slots

    def _slot(self, folder: FolderItem, name: bytes) -> Slot:
        if folder.number is None:
            folder.number = len(self.folders)
            self.folders.append(folder)
        return Slot(folder.number, name)

    def _temporary(self, folder: FolderItem) -> Slot:
        return self._slot(folder, temporary_name())

    def _every_slot_of(self, folder: FolderItem) -> tuple[Slot, ...]:
        """Every slot where a folder may be at any step."""
        if folder.is_root:
            return ()
        ends = [folder.home, folder.place, *folder.passes]
        return tuple(dict.fromkeys(self._slot(*end) for end in ends if end is not None))

    def reference(self, folder: FolderItem) -> FolderRef:
        root = folder.path_of().root if folder.is_root else None
        return FolderRef(folder.inode, self._every_slot_of(folder), root, made=folder.seen is None)

    # Operations

    def _put_fresh(self, folder: FolderItem, name: bytes, item: Item) -> None:
        carrier = self._temporary(folder)
        _passes_through(item, folder, carrier.name)
        number = self._put(carrier, folder, folder, name, staged=True, after=fresh_seal(item))
        self.carriers.append(Carrier(number, folder, item))

    def _put_moved(self, folder: FolderItem, name: bytes, item: Item) -> None:
        assert item.home is not None
        carrier, holder = item.aside, folder
        if carrier is None:
            holder, source_name = item.home
            blocked = _occupant(folder, name)
            direct = (holder.is_root or holder.alive) and holder.entries.get(source_name) is None
            # No system exchanges a folder with what is below it.
            direct = direct and not (blocked is not None and _was_within(holder, blocked))
            if blocked is not None and not blocked.moved and not direct:
                carrier, holder = self._move_aside(item, folder), folder
            else:
                carrier = self._slot(holder, source_name)
        self._put(carrier, holder, folder, name, staged=False, after=moved_seal(item))
        item.handled = True

    def _put(
        self, carrier: Slot, holder: FolderItem, folder: FolderItem, name: bytes, *, staged: bool, after: Seal
    ) -> int:
        """CommitPlan a put from a slot in `holder`; returns its number."""
        occupant = _occupant(folder, name)
        if occupant is not None and occupant.moved:
            self._move_aside(occupant, folder)
            occupant = None
        saved = occupant.saved if occupant is not None else None
        self.operations.append(
            Put(
                carrier=carrier,
                place=self._slot(folder, name),
                spare=self._temporary(folder),
                staged=staged,
                after=after,
                before=saved.seal if saved else None,
            )
        )
        number = len(self.operations) - 1
        if occupant is not None and saved is not None:
            occupant.handled = True
            _passes_through(occupant, holder, carrier.name)
            if not is_temporary(carrier.name):
                aside = self._temporary(holder)
                _passes_through(occupant, holder, aside.name)
                self._taken.append(Take(carrier, aside, saved.seal))
        return number

    def _move_aside(self, item: Item, into: FolderItem) -> Slot:
        """Move a item out of the way, or out of a folder that goes, to a temporary name."""
        assert item.home is not None
        temporary = self._temporary(into)
        self.operations.append(
            Put(
                carrier=self._slot(*item.home),
                place=temporary,
                spare=self._temporary(into),
                staged=False,
                after=moved_seal(item),
            )
        )
        _passes_through(item, into, temporary.name)
        item.aside = temporary
        return temporary

    def _take(self, item: Item) -> None:
        if item.handled:
            return
        assert item.home is not None
        assert item.saved is not None
        folder, _ = item.home
        aside = self._temporary(folder)
        _passes_through(item, folder, aside.name)
        self._taken.append(Take(self._slot(*item.home), aside, item.saved.seal))
        item.handled = True

    def _alter(self, item: Item) -> None:
        assert item.place is not None
        assert item.seen is not None
        mode, uid, gid = item.final_attributes()
        self.operations.append(
            Alter(
                place=self._slot(*item.place),
                seal=moved_seal(item),
                mode=(item.seen.mode, mode),
                uid=(item.seen.uid, uid),
                gid=(item.seen.gid, gid),
            )
        )


def _occupant(folder: FolderItem, name: bytes) -> Item | None:
    """What is physically under a name, as far as the operations planned so far go."""
    item = folder.initial.get(name)
    return None if item is None or item.handled or item.aside is not None else item


def _was_within(folder: FolderItem, item: Item) -> bool:
    """Whether a folder was, at the start, `item` or below it."""
    while folder is not item:
        if folder.home is None:
            return False
        folder, _ = folder.home
    return True


def _passes_through(item: Item, folder: FolderItem, name: bytes) -> None:
    """Remember that a folder is, for a while, under that name."""
    if isinstance(item, FolderItem):
        item.passes.append((folder, name))


def fresh_seal(item: Item) -> Seal:
    """How the new thing that an item becomes will be recognised; staging adds what is not known yet."""
    if item.kind == "file":
        assert item.content is not None
        return Seal("file", item.content.size, item.digest)
    if item.kind == "link":
        return Seal("link", target=item.target)
    return Seal("folder")


def moved_seal(item: Item) -> Seal:
    """How something that keeps its inode is recognised."""
    assert item.seen is not None
    return Seal(item.kind, target=item.target, inode=item.seen.inode)
