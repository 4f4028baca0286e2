"""From a tree to operations on names, in an order in which every folder is where it is needed.

Top-down: a thing is put into a folder only after that folder is in its final place. What is in the
way is exchanged if it goes, or aside to a temporary name if it moves on. What is deleted is taken
away last, so that moves out of it come first. And what history will say of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from filewright.boundary import is_temporary, temporary_name
from filewright.changes.operations import Alter, CommitPlan, FolderRef, How, Put, Slot, Stamp
from filewright.changes.record import NO_SPANS, Entry, Place, Side, Spans
from filewright.changes.tree import FolderItem, Item, Tree
from filewright.edit import Stream
from filewright.system import Status


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
        for folder in tree.old.values():
            folder_alive = folder.is_root or folder.alive
            for item in folder.initial.values():
                if item is None or (isinstance(item, FolderItem) and item.is_root):
                    continue
                alive = item.alive
                if folder_alive and (item.fresh or not alive):
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


@dataclass(frozen=True, slots=True)
class Saved:
    """What is known of a displaced thing: its stamp and status, its side in history, and for a folder what it holds.

    `below` is the history of what is deleted with a folder. `spans`, `removed`, `inserted` are as in `Entry`.
    `attributes` are those that the file in its place is to have.
    """

    stamp: Stamp
    side: Side
    status: Status
    below: tuple[Entry, ...] = ()
    spans: Spans = NO_SPANS
    removed: str | None = None
    inserted: str | None = None
    attributes: Mapping[str, bytes] | None = None

    @classmethod
    def of(cls, status: Status, digest: str | None = None, **known: Any) -> Saved:
        """What is known by a status, the digest of a file, and what else `Side.of` takes."""
        side = Side.of(status, digest=digest, **known)
        size, mtime_ns = (status.size, status.mtime_ns) if side.kind == "file" else (None, None)
        return cls(Stamp(side.kind, size, digest, side.target, status.inode, mtime_ns), side, status)


@dataclass(frozen=True, slots=True)
class Known:
    """What was found out of the items of a tree, first as what they displace was saved, then as they were made.

    Of new contents: those that are `held` in memory, the names of those that are kept for undo (`blobs`), and
    their xxh3_128. `made` is what a new folder holds.
    """

    saved: Mapping[Item, Saved]
    held: Mapping[Item, Stream]
    blobs: Mapping[Item, str]
    digests: Mapping[Item, str] = field(default_factory=dict)
    made: Mapping[Item, tuple[Entry, ...]] = field(default_factory=dict)

    def content(self, item: Item) -> Stream:
        """What a new file is to hold."""
        content = self.held.get(item, item.content)
        assert content is not None
        return content

    # History

    def entries(self, difference: Difference) -> tuple[Entry, ...]:
        """One entry per place: made things, then moved, altered, rewritten ones, then what is gone.

        Asked twice: for the intent, and again when staging knows more.
        """
        found: list[Entry] = []
        for item in difference.fresh:
            found += (self.entry(item, Place.of(item.will_be_at)), *self.made.get(item, ()))
        for item in (*difference.moved, *(item for item in difference.altered if not item.moved)):
            assert item.seen is not None
            mode, uid, gid = item.rights()
            before = Side.of(item.seen, target=item.target)
            was, where = Place.of(item.was_at), Place.of(item.will_be_at)
            after = replace(before, mode=mode, uid=uid, gid=gid)
            found.append(Entry(where, before, after, was if was != where else None))
        for item in difference.displaced:
            if not (item.alive and item.fresh):
                saved = self.saved[item]
                found += (Entry(Place.of(item.was_at), saved.side, None), *saved.below)
        return tuple(found)

    def entry(self, item: Item, where: Place) -> Entry:
        """The entry of a new thing, which may replace one that was there."""
        mode, uid, gid = item.rights()
        after = Side(item.kind, mode, uid, gid, target=item.target)
        if item.kind == "file":
            size = self.content(item).size
            after = replace(after, size=size, digest=self.digests.get(item), blob=self.blobs.get(item))
        saved = self.saved.get(item)
        if item.home is None or saved is None:
            return Entry(where, None, after)
        was = Place.of(item.was_at)
        return Entry(
            where,
            saved.side,
            after,
            was if was != where else None,
            saved.spans,
            saved.removed,
            saved.inserted,
        )


@dataclass(frozen=True, slots=True)
class Staging:
    """What is to be made for a plan, by the number of the put that brings it, with the folder that it is made in; and
    the plan's folders as items, some of which are made with it."""

    made: Mapping[int, tuple[FolderItem, Item]]
    folders: tuple[FolderItem, ...]


def plan_of(tree: Tree, difference: Difference, known: Known) -> tuple[CommitPlan, Staging]:
    """The plan, and what is to be made for it."""
    planning = _Planning(known)
    for folder in tree.all_folders():
        for name in sorted(folder.entries):
            item = folder.entries[name]
            if item is not None and item.fresh:
                if folder.seen is not None:
                    planning.put_fresh(folder, name, item)
            elif item is not None and item.place != item.home:
                planning.put_moved(folder, name, item)
    for item in difference.displaced:
        if item not in planning.handled:
            assert item.home is not None
            planning.take(item, *item.home)
    operations = [*planning.operations, *planning.gone]
    for item in difference.altered:
        assert item.place is not None
        assert item.seen is not None
        before = (item.seen.mode, item.seen.uid, item.seen.gid)
        operations.append(
            Alter(planning.slot(*item.place), _moved(item), *zip(before, item.rights(), strict=True))
        )
    # A slot of a folder may be in one that has no number yet.
    references = tuple(map(planning.reference, planning.folders))
    return CommitPlan(references, tuple(operations)), Staging(planning.made, tuple(planning.folders))


class _Planning:
    """One plan while it is made: its operations, and in which folders; the items that an operation takes care of."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._numbers: dict[FolderItem, int] = {}
        self._passes: dict[Item, list[tuple[FolderItem, bytes]]] = {}
        self._aside: dict[Item, tuple[FolderItem, bytes]] = {}
        self.folders: list[FolderItem] = []
        self.operations: list[Put | Alter] = []
        self.gone: list[Put] = []
        self.made: dict[int, tuple[FolderItem, Item]] = {}
        self.handled: set[Item] = set()

    def slot(self, folder: FolderItem, name: bytes) -> Slot:
        """A name in a folder, which has a number from now on."""
        if folder not in self._numbers:
            self._numbers[folder] = len(self.folders)
            self.folders.append(folder)
        return Slot(self._numbers[folder], name)

    def reference(self, folder: FolderItem) -> FolderRef:
        """A folder with every slot where it may be at any step."""
        inode = folder.seen.inode if folder.seen is not None else None
        if folder.is_root:
            assert folder.was is not None
            return FolderRef(inode, folder.was.root.resolved)
        ends = (folder.home, folder.place, *self._passes.get(folder, ()))
        slots = dict.fromkeys(self.slot(*end) for end in ends if end is not None)
        return FolderRef(inode, None, folder.seen is None, tuple(slots))

    def put_fresh(self, folder: FolderItem, name: bytes, item: Item) -> None:
        """Bring something new to its place."""
        carrier = temporary_name()
        self._pass(item, folder, carrier)
        size = self._known.content(item).size if item.kind == "file" else None
        after = Stamp(item.kind, size, self._known.digests.get(item), item.target)
        self._put("made", folder, carrier, folder, name, after)
        self.made[len(self.operations) - 1] = folder, item

    def put_moved(self, folder: FolderItem, name: bytes, item: Item) -> None:
        """Bring something from where it was to its place."""
        assert item.home is not None
        holder, source = item.home
        if item not in self._aside:
            blocked = self._occupant(folder, name)
            direct = (holder.is_root or holder.alive) and holder.entries.get(source) is None
            # No system exchanges a folder with what is below it.
            direct = direct and not (blocked is not None and holder.within(blocked, at_first=True))
            if blocked is not None and not blocked.moved and not direct:
                self._move_aside(item, folder)
        holder, source = self._aside.get(item, item.home)
        self._put("moved", holder, source, folder, name, _moved(item))
        self.handled.add(item)

    def take(self, item: Item, folder: FolderItem, name: bytes) -> None:
        """At the end, bring what goes from where it is to a temporary name beside."""
        aside = temporary_name()
        self._pass(item, folder, aside)
        slots = self.slot(folder, name), self.slot(folder, aside)
        self.gone.append(Put("gone", *slots, slots[1], self._known.saved[item].stamp))
        self.handled.add(item)

    def _put(
        self, how: How, holder: FolderItem, carrier: bytes, folder: FolderItem, name: bytes, after: Stamp
    ) -> None:
        occupant = self._occupant(folder, name)
        if occupant is not None and occupant.moved:
            self._move_aside(occupant, folder)
            occupant = None
        before = self._known.saved[occupant].stamp if occupant is not None else None
        slots = self.slot(holder, carrier), self.slot(folder, name), self.slot(folder, temporary_name())
        self.operations.append(Put(how, *slots, after, before))
        if occupant is not None:
            self.handled.add(occupant)
            self._pass(occupant, holder, carrier)
            if not is_temporary(carrier):
                self.take(occupant, holder, carrier)

    def _move_aside(self, item: Item, into: FolderItem) -> None:
        """Move an item out of the way, or out of a folder that goes, to a temporary name."""
        assert item.home is not None
        aside = temporary_name()
        slots = self.slot(*item.home), self.slot(into, aside), self.slot(into, temporary_name())
        self.operations.append(Put("moved", *slots, _moved(item)))
        self._pass(item, into, aside)
        self._aside[item] = into, aside

    def _occupant(self, folder: FolderItem, name: bytes) -> Item | None:
        """What is physically under a name, as far as the operations planned so far go."""
        item = folder.initial.get(name)
        return None if item is None or item in self.handled or item in self._aside else item

    def _pass(self, item: Item, folder: FolderItem, name: bytes) -> None:
        """Remember that a folder is, for a while, under that name."""
        if isinstance(item, FolderItem):
            self._passes.setdefault(item, []).append((folder, name))


def _moved(item: Item) -> Stamp:
    """How something that keeps its inode is recognised."""
    assert item.seen is not None
    return Stamp(item.kind, target=item.target, inode=item.seen.inode)
