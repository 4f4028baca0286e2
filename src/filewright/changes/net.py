"""What several changes did together, as if they had been one: those of a session, or all since a moment.

The changes are played, from the oldest on, on a tree of the things they touched. Each thing knows where it is, and
where it would be without the chosen changes. A rename moves one thing, and what is in it goes along. What a file
held is a chain: where another has written between two chosen changes it has several runs, each of which is taken
back by a merge of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from filewright.changes.contents import Contents, ContentStore
from filewright.changes.record import (
    ChangeRecord,
    Entry,
    Kind,
    Place,
    continues,
    folders_above,
    same_content,
)
from filewright.progress import Task


class _Thing:
    """A file, folder or link that a change has touched, or a folder above one.

    It is at `name` in `folder`, or was there at last; without the chosen changes it would be at `home`, or not at
    all (None). `edits` are the entries of the chosen changes that changed what it holds.
    """

    __slots__ = ("edits", "first", "folder", "home", "inside", "kind", "last", "moved_on", "name")

    def __init__(self, folder: _Thing | None, name: bytes, *, made: bool = False) -> None:
        self.folder = folder
        self.name = name
        self.home = None if made or folder is None else (folder, name)
        self.inside: dict[bytes, _Thing] = {}
        self.kind: Kind | None = None
        self.first: Entry | None = None
        self.last: Entry | None = None
        self.edits: list[Entry] = []
        self.moved_on = False

    @property
    def slot(self) -> _Slot:
        """Where it is, or was at last."""
        assert self.folder is not None
        return self.folder, self.name

    def add(self, entry: Entry) -> None:
        """Something that a chosen change did to it."""
        self.first = self.first or entry
        self.last = entry
        if not same_content(entry):
            self.edits.append(entry)

    def place(self) -> Place:
        """Where it is."""
        names: list[bytes] = []
        thing = self
        while thing.folder is not None:
            names.append(thing.name)
            thing = thing.folder
        return Place(thing.name, tuple(reversed(names)))

    def wanted(self) -> Place:
        """Where it would be without the chosen changes; one that they made stays in its folder."""
        names: list[bytes] = []
        thing, seen = self, set[int]()
        while thing.folder is not None:
            if id(thing) in seen:
                return (
                    self.place()
                )  # Its folder was moved by others into one that a chosen change made in it.
            seen.add(id(thing))
            above, name = thing.home or thing.slot
            names.append(name)
            thing = above
        return Place(thing.name, tuple(reversed(names)))


_Slot = tuple[_Thing, bytes]


class _Played:
    """The tree of things: what is there; by where they were, what others deleted (`lost`); and by where they would
    be without the chosen changes, what those deleted (`gone`)."""

    def __init__(self) -> None:
        self._roots: dict[bytes, _Thing] = {}
        self._lost: dict[_Slot, _Thing] = {}
        self._gone: dict[_Slot, _Thing] = {}
        self._touched: dict[int, _Thing] = {}

    def chosen(self, entries: Sequence[Entry], task: Task) -> None:
        """A chosen change, all its entries at once: it finds the tree as it was before all of them."""
        found: list[tuple[Entry, _Thing | None]] = []
        for entry in entries:
            task.check()
            before = entry.before
            found.append((entry, self._there(entry.was or entry.place, before.kind) if before else None))
        for entry, thing in found:
            if thing is None:
                continue
            if entry.after is None or entry.was is not None:
                _leave(thing)
            if entry.after is None:
                thing.add(entry)
                self._touched[id(thing)] = thing
                if thing.home is not None:
                    self._gone[thing.home] = thing
        for entry, moving in sorted(found, key=_depth):
            task.check()
            if entry.after is None:
                continue
            thing = moving or self._again(entry.place, entry.after.kind)
            if entry.was is not None or moving is None:
                self._arrive(thing, entry.place)
            thing.kind = entry.after.kind
            thing.add(entry)
            self._touched[id(thing)] = thing

    def other(self, entries: Sequence[Entry], task: Task) -> None:
        """A change of others: what it moved or deleted is followed."""
        moving: list[tuple[Entry, _Thing | None]] = []
        for entry in entries:
            task.check()
            if entry.before is None or (entry.after is not None and entry.was is None):
                continue
            thing = self._known(entry.was or entry.place)
            if entry.after is not None:
                moving.append((entry, thing))
            elif thing is not None:
                _leave(thing)
                self._lost[thing.slot] = thing
        for _, thing in moving:
            if thing is not None:
                _leave(thing)
        for entry, thing in sorted(moving, key=_depth):
            if thing is None:
                there = self._known(entry.place)
                if there is not None:  # It went unseen.
                    _leave(there)
                    self._lost[there.slot] = there
                continue
            stayed = thing.home == thing.slot
            self._arrive(thing, entry.place)
            if stayed:
                thing.home = thing.slot
            elif thing.home is not None:
                thing.moved_on = True

    def net(self, *, changed_only: bool) -> Iterator[Entry]:
        """What became of each thing that a chosen change has touched."""
        for thing in self._touched.values():
            entry = _net(thing, changed_only=changed_only)
            if entry is not None:
                yield entry

    # Finding

    def _folder(self, place: Place) -> _Thing:
        """The folder that holds a place."""
        thing = self._roots.get(place.root)
        if thing is None:
            thing = self._roots[place.root] = _Thing(None, place.root)
        for name in place.parts[:-1]:
            thing = self._in(thing, name, "folder")
        return thing

    def _there(self, place: Place, kind: Kind) -> _Thing:
        """What is at a place, where that kind of thing is."""
        return self._in(self._folder(place), place.parts[-1], kind)

    def _in(self, folder: _Thing, name: bytes, kind: Kind) -> _Thing:
        slot = folder, name
        there = folder.inside.get(name)
        for known, thing in enumerate((there, self._lost.get(slot), self._gone.get(slot))):
            if thing is None or (thing.kind or kind) != kind:
                continue
            if known and there is None:  # Others have made it again.
                self._come(thing, slot)
            thing.kind = kind
            return thing
        thing = _Thing(folder, name)
        thing.kind = kind
        self._come(thing, slot)
        return thing

    def _known(self, place: Place) -> _Thing | None:
        """What is at a place, if a change has touched it or something in it."""
        thing = self._roots.get(place.root)
        for name in place.parts:
            thing = thing.inside.get(name) if thing is not None else None
        return thing

    def _again(self, place: Place, kind: Kind) -> _Thing:
        """The same that was there before this one is made: deleted by a chosen change, or by others."""
        slot = self._folder(place), place.parts[-1]
        there = slot[0].inside.get(slot[1])
        for thing in (there, self._lost.get(slot), self._gone.get(slot)):
            if (
                thing is not None
                and thing.kind == kind
                and kind in ("file", "folder")
                and thing.last is not None
            ):
                return thing
        return _Thing(*slot, made=True)

    # Moving

    def _arrive(self, thing: _Thing, place: Place) -> None:
        self._come(thing, (self._folder(place), place.parts[-1]))

    def _come(self, thing: _Thing, slot: _Slot) -> None:
        """It is there now."""
        folder, name = slot
        there = folder.inside.get(name)
        if there and there is not thing:
            self._lost[slot] = there  # It went unseen.
        for others, where in ((self._lost, thing.slot), (self._gone, thing.home)):
            if where is not None and others.get(where) is thing:
                del others[where]
        thing.folder, thing.name = slot
        folder.inside[name] = thing


def _leave(thing: _Thing) -> None:
    folder, name = thing.slot
    if folder.inside.get(name) is thing:
        del folder.inside[name]


def _depth(found: tuple[Entry, _Thing | None]) -> int:
    return len(found[0].place.parts)


def _net(thing: _Thing, *, changed_only: bool) -> Entry | None:
    """What the chosen changes made of a thing together; None if that is nothing."""
    first, last, edits = thing.first, thing.last, thing.edits
    assert first is not None
    assert last is not None
    before, after = first.before if thing.home is not None else None, last.after
    if before is None and after is None:
        return None
    if edits and before is not None and (held := edits[0].before) is not None:
        before = replace(held, mode=before.mode, uid=before.uid, gid=before.gid)
    if edits and after is not None and (made := edits[-1].after) is not None:
        after = replace(made, mode=after.mode, uid=after.uid, gid=after.gid)
    if before is not None and after is None and last.before is not None:
        before = replace(before, attributes=last.before.attributes)
    wanted = thing.wanted()
    place = thing.place() if after is not None else wanted
    carried = thing.home == thing.slot
    has_moved = before is not None and after is not None and not (carried and wanted == place)
    was = wanted if has_moved else None
    if changed_only and was is None and before is not None and after is not None:
        same = (before.mode, before.uid, before.gid) == (after.mode, after.uid, after.gid)
        chained = all(continues(one.after, other.before) for one, other in itertools.pairwise(edits))
        known = not edits or before.kind != "file" or before.digest is not None
        if same and chained and known and same_content(Entry(place, before, after)):
            return None
    together = Entry(place, None, None).of_edits(before, after, edits)
    return replace(together, was=was, carried=carried, moved_on=thing.moved_on and has_moved)


def moved(place: Place, folders: Mapping[Place, Place]) -> Place:
    """Where a place is after some moves of what is there or of a folder above."""
    for above in (place, *folders_above(place)):
        to = folders.get(above)
        if to is not None:
            return Place(to.root, (*to.parts, *place.parts[len(above.parts) :]))
    return place


def net_of(
    record: ChangeRecord,
    changes: Iterable[tuple[Contents, bool]],
    *,
    changed_only: bool,
    task: Task,
) -> Contents:
    """What the chosen ones of `changes`, oldest first, did together, as `record` with its entries.

    The others are those between and after them: their renames are followed. With `changed_only`, what
    the changes have left as they found it is left out. Linear in the entries.
    """
    played = _Played()
    kept: dict[str, tuple[ContentStore, str]] = {}
    small = 0
    for contents, chosen in changes:
        task.check()
        entries = contents.record.entries
        if not chosen:
            played.other(entries, task)
            continue
        small = contents.small
        played.chosen(entries, task)
        kept.update((name, contents.keeper(name)) for entry in entries for name in entry.blobs)
    found = sorted(
        played.net(changed_only=changed_only), key=lambda entry: (entry.place.root, entry.place.parts)
    )
    return Contents(kept.__getitem__, replace(record, entries=tuple(found)), small=small)
