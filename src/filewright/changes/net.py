"""What several changes did together, as if they had been one: those of a session, or all since a moment.

The changes are played, from the oldest on, on a tree of the things they touched. Each thing knows where it is, and
where it would be without the chosen changes. A rename moves one thing, and what is in it goes along. What a file
held is a chain: where another has written between two chosen changes it has several runs, each of which is taken
back by a merge of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from filewright.changes.contents import Contents, ContentStore
from filewright.changes.record import ChangeRecord, Entry, Kind, Place, Stamp, continues, same_content
from filewright.progress import Task


class _Thing:
    """A file, folder or link that a change has touched, or a folder above one.

    It is at `name` in `folder`, or was there at last; without the chosen changes it would be at `home`, or not at
    all (None). `edits` are the entries of the chosen changes that changed what it holds.
    """

    __slots__ = ("edits", "first", "folder", "home", "inside", "kind", "last", "moved_on", "name")

    def __init__(self, folder: _Thing | None, name: bytes, kind: Kind, *, made: bool = False) -> None:
        self.folder = folder
        self.name = name
        self.home = None if made or folder is None else (folder, name)
        self.inside: dict[bytes, _Thing] = {}
        self.kind: Kind = kind
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

    def leave(self) -> None:
        """It is no longer where it was."""
        folder, name = self.slot
        if folder.inside.get(name) is self:
            del folder.inside[name]

    def place(self, *, wanted: bool = False) -> Place:
        """Where it is; or would be without the chosen changes, one that they made staying in its folder."""
        names: list[bytes] = []
        thing, seen = self, set[int]()
        while thing.folder is not None:
            if id(thing) in seen:
                return (
                    self.place()
                )  # Its folder was moved by others into one that a chosen change made in it.
            seen.add(id(thing))
            above, name = (wanted and thing.home) or thing.slot
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
        self.touched: dict[int, _Thing] = {}

    def play(self, entries: Sequence[Entry], task: Task, *, chosen: bool) -> None:
        """A change, all its entries at once: it finds the tree as it was before all of them.

        Of one that is not chosen, only what it moved or deleted is followed.
        """
        found: list[tuple[Entry, _Thing | None]] = []
        for entry in entries:
            task.check()
            before, after, was = entry.before, entry.after, entry.was or entry.place
            if chosen or (before is not None and after is not None and entry.was is not None):
                found.append((entry, self._at(was, before.kind) if before is not None else None))
            elif before is not None and after is None:
                found.append((entry, self._known(was)))
        for entry, thing in found:
            if thing is None:
                continue
            if entry.after is None or entry.was is not None:
                thing.leave()
            if entry.after is not None:
                continue
            if not chosen:
                self._lost[thing.slot] = thing
                continue
            self._touch(thing, entry)
            if thing.home is not None:
                self._gone[thing.home] = thing
        for entry, moving in sorted(found, key=_depth):
            task.check()
            if entry.after is None:
                continue
            thing = moving or self._at(entry.place, entry.after.kind, made=True)
            stayed = thing.home == thing.slot
            if entry.was is not None:
                self._come(thing, self._slot(entry.place))
            if chosen:
                thing.kind = entry.after.kind
                self._touch(thing, entry)
            elif stayed:
                thing.home = thing.slot
            elif thing.home is not None:
                thing.moved_on = True

    def _touch(self, thing: _Thing, entry: Entry) -> None:
        thing.add(entry)
        self.touched[id(thing)] = thing

    def _slot(self, place: Place) -> _Slot:
        folder = self._roots.get(place.root)
        if folder is None:
            folder = self._roots[place.root] = _Thing(None, place.root, "folder")
        for name in place.parts[:-1]:
            folder = self._in((folder, name), "folder")
        return folder, place.parts[-1]

    def _at(self, place: Place, kind: Kind, *, made: bool = False) -> _Thing:
        return self._in(self._slot(place), kind, made=made)

    def _in(self, slot: _Slot, kind: Kind, *, made: bool = False) -> _Thing:
        """What is in a slot, where that kind of thing is.

        One that is `made` there is the same that was there before, deleted by a chosen change or by others.
        """
        there = slot[0].inside.get(slot[1])
        for thing in (there, self._lost.get(slot), self._gone.get(slot)):
            if thing is None or thing.kind != kind:
                continue
            if made and (thing.last is None or kind not in ("file", "folder")):
                continue
            if (
                made or there is None
            ):  # Else it is there, or others have overwritten it and not yet made it again.
                self._come(thing, slot)
            return thing
        thing = _Thing(*slot, kind, made=made)
        self._come(thing, slot)
        return thing

    def _known(self, place: Place) -> _Thing | None:
        """What is at a place, if a change has touched it or something in it."""
        thing = self._roots.get(place.root)
        for name in place.parts:
            thing = thing.inside.get(name) if thing is not None else None
        return thing

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


def _depth(found: tuple[Entry, _Thing | None]) -> int:
    return len(found[0].place.parts)


def _holding(side: Stamp | None, held: Stamp | None) -> Stamp | None:
    """A side with what another holds."""
    if side is None or held is None:
        return side
    return replace(held, mode=side.mode, uid=side.uid, gid=side.gid)


def _net(thing: _Thing, *, changed_only: bool) -> Entry | None:
    """What the chosen changes made of a thing together; None if that is nothing."""
    first, last, edits = thing.first, thing.last, thing.edits
    assert first is not None
    assert last is not None
    before, after = first.before if thing.home is not None else None, last.after
    if before is None and after is None:
        return None
    if edits:
        before, after = _holding(before, edits[0].before), _holding(after, edits[-1].after)
    if before is not None and after is None and last.before is not None:
        before = replace(before, attributes=last.before.attributes)
    wanted = thing.place(wanted=True)
    place = thing.place() if after is not None else wanted
    carried = thing.home == thing.slot
    has_moved = before is not None and after is not None and not (carried and wanted == place)
    if changed_only and not has_moved and before is not None and after is not None:
        same = (before.mode, before.uid, before.gid) == (after.mode, after.uid, after.gid)
        chained = all(continues(one.after, other.before) for one, other in itertools.pairwise(edits))
        known = not edits or before.kind != "file" or before.digest is not None
        if same and chained and known and same_content(Entry(place, before, after)):
            return None
    together = Entry(place, None, None).of_edits(before, after, edits)
    was = wanted if has_moved else None
    return together._replace(was=was, carried=carried, moved_on=thing.moved_on and has_moved)


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
        played.play(entries, task, chosen=chosen)
        if chosen:
            small = contents.small
            kept.update((name, contents.keeper(name)) for entry in entries for name in entry.blobs)
    found = [_net(thing, changed_only=changed_only) for thing in played.touched.values()]
    together = sorted(filter(None, found), key=lambda entry: (entry.place.root, entry.place.parts))
    return Contents(kept.__getitem__, replace(record, entries=tuple(together)), small=small)
