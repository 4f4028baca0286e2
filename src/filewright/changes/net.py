"""What several changes did together, as if they had been one: those of a session, or all since a moment.

The changes are gone through from the oldest on, and whatever a chosen one touched is followed to where
it is now, through the renames of the others too. What a file held is a chain: where another has written
between two chosen changes it has several runs, each of which is taken back by a merge of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from filewright.changes.contents import Contents, Kept
from filewright.changes.record import ChangeRecord, Entry, Place, Side, folders_above
from filewright.progress import Task
from filewright.text import Splice


@dataclass(frozen=True, slots=True)
class Part:
    """What one change did to the content of a file, and what it kept of it."""

    entry: Entry
    contents: Contents


@dataclass(frozen=True, slots=True)
class NetEntry(Entry):
    """What several changes did to one thing, by those that changed its content, oldest first.

    `moved_on`: they renamed it, and another has renamed it again since.
    """

    parts: tuple[Part, ...] = ()
    moved_on: bool = False

    def touches(self, place: Place) -> bool:
        """Whether something was done at `place` or below it, also where it was in between."""
        return Entry.touches(self, place) or any(part.entry.touches(place) for part in self.parts)


class NetContents(Contents):
    """The contents that several changes kept, by the entries of their net record."""

    def __init__(self, record: ChangeRecord, entries: Iterable[Entry], small: int) -> None:
        self._record = record
        self._small = small
        self._keepers = {
            side.blob: part.contents
            for entry in entries
            for part in _parts(entry)
            for side in (part.entry.before, part.entry.after)
            if side is not None and side.blob is not None
        }

    @property
    def record(self) -> ChangeRecord:
        """The net record."""
        return self._record

    def narrowed(self, entries: Sequence[Entry]) -> NetContents:
        """The same of some of the entries only."""
        return NetContents(replace(self._record, entries=entries), entries, self._small)

    def stream(self, side: Side) -> Kept | None:
        """A side's whole content, if it was kept whole."""
        keeper = self._keepers.get(side.blob) if side.blob is not None else None
        return keeper.stream(side) if keeper is not None else None

    def after(self, entry: Entry) -> bytes | None:
        """What the file held after the last of the changes, if that is known and small."""
        last = _parts(entry)[-1:]
        return last[0].contents.after(last[0].entry) if last else None

    def forward(self, entry: Entry, most: int | None = None) -> Sequence[Splice] | None:
        """The splices that were made, if it was one edit."""
        parts = _parts(entry)
        return parts[0].contents.forward(parts[0].entry, most) if len(parts) == 1 else None

    def backward(self, entry: Entry, most: int | None = None) -> Sequence[Splice] | None:
        """The splices that take it back, if it was one edit."""
        parts = _parts(entry)
        return parts[0].contents.backward(parts[0].entry, most) if len(parts) == 1 else None

    def edits(self, entry: Entry) -> Sequence[tuple[Entry, Contents]]:
        """The changes of the content, oldest first."""
        return [(part.entry, part.contents) for part in _parts(entry)]

    def runs(self, entry: Entry) -> Sequence[Entry]:
        """The changes of the content by runs, oldest first: between two of them another has changed it."""
        found: list[list[Part]] = []
        for part in _parts(entry):
            if found and _continues(found[-1][-1].entry.after, part.entry.before):
                found[-1].append(part)
            else:
                found.append([part])
        return [_run(entry, parts) for parts in found] if len(found) > 1 else (entry,)


def _parts(entry: Entry) -> tuple[Part, ...]:
    return entry.parts if isinstance(entry, NetEntry) else ()


def _run(entry: Entry, parts: Sequence[Part]) -> NetEntry:
    first, last = parts[0].entry, parts[-1].entry
    single = last if len(parts) == 1 else Entry(entry.place, None, None)
    return NetEntry(
        entry.place,
        first.before,
        last.after,
        spans=single.spans,
        removed=single.removed,
        inserted=single.inserted,
        parts=tuple(parts),
    )


def _continues(left: Side | None, found: Side | None) -> bool:
    """Whether a change found a file as the one before it left it."""
    if left is None or found is None:
        return left is found
    if left.digest is None or found.digest is None:
        return left.size == found.size
    return left.digest == found.digest


class _Track:
    """One thing that was touched: where it is, where it would be without the chosen changes, and what they did.

    `lost`: deleted or overwritten by others; what is in its place now is something else, and moves on without it.
    """

    __slots__ = ("entries", "lost", "moved_on", "origin", "parts", "place")

    def __init__(self, origin: Place | None) -> None:
        self.origin = origin
        self.place = origin
        self.entries: list[Entry] = []
        self.parts: list[Part] = []
        self.moved_on = False
        self.lost = False

    def add(self, entry: Entry, contents: Contents) -> None:
        if len(self.entries) > 1:
            self.entries.pop()  # Only the first and the last are asked for.
        self.entries.append(entry)
        self.place = entry.place
        self.lost = False
        if entry.before is None or entry.after is None or entry.spans or _other(entry.before, entry.after):
            self.parts.append(Part(entry, contents))

    def join(self, older: _Track) -> _Track:
        """The same thing, and what was there before it."""
        self.origin = older.origin
        self.entries = [older.entries[0], self.entries[-1]]
        self.parts = [*older.parts, *self.parts]
        return self

    def net(self, *, changed_only: bool) -> NetEntry | None:
        """What became of it; None if that is nothing."""
        first, last = self.entries[0], self.entries[-1]
        before, after = first.before, last.after
        if self.origin is None:
            before = None
        if before is None and after is None:
            return None
        if self.parts and before is not None and (held := self.parts[0].entry.before) is not None:
            before = replace(held, mode=before.mode, uid=before.uid, gid=before.gid)
        if self.parts and after is not None and (made := self.parts[-1].entry.after) is not None:
            after = replace(made, mode=after.mode, uid=after.uid, gid=after.gid)
        if before is not None and after is None and last.before is not None:
            before = replace(before, attributes=last.before.attributes)
        place = self.place if after is not None else self.origin
        assert place is not None
        was = self.origin if before is not None and after is not None and self.origin != place else None
        left = before is not None and after is not None and was is None and self._unchanged(before, after)
        if left and changed_only:
            return None
        single = self.parts[0].entry if len(self.parts) == 1 else Entry(place, None, None)
        return NetEntry(
            place,
            before,
            after,
            was,
            single.spans,
            single.removed,
            single.inserted,
            tuple(self.parts),
            self.moved_on and was is not None,
        )

    def _unchanged(self, before: Side, after: Side) -> bool:
        same = (before.mode, before.uid, before.gid) == (after.mode, after.uid, after.gid)
        continues = all(
            _continues(one.entry.after, other.entry.before)
            for one, other in zip(self.parts, self.parts[1:], strict=False)
        )
        known = not self.parts or before.kind != "file" or before.digest is not None
        return same and continues and known and not _other(before, after)


def _other(before: Side, after: Side) -> bool:
    return (before.digest, before.target) != (after.digest, after.target)


class _Following:
    """What the chosen changes have touched so far: what is there, and by its first place what is gone."""

    def __init__(self) -> None:
        self.here: dict[Place, _Track] = {}
        self.gone: dict[Place, _Track] = {}
        self.lost: list[_Track] = []
        """Lost ones in whose place another of the tracks has come."""

    def chosen(self, contents: Contents, task: Task) -> None:
        """A chosen change, all its entries at once."""
        homes: list[tuple[Entry, Place | None]] = []
        for entry in contents.record.entries:
            task.check()
            home = entry.was or entry.place
            homes.append((entry, self._origin(home) if entry.before is not None else None))
        taken: list[tuple[Entry, _Track | None]] = []
        for entry, origin in homes:
            found = self.here.pop(entry.was or entry.place, None) if origin is not None else None
            taken.append((entry, found or (_Track(origin) if origin is not None else None)))
        self._go_along({e.was: e.place for e, _ in taken if e.was is not None and _is_folder(e)}, task)
        for entry, track in taken:
            if entry.after is None:
                assert track is not None
                track.add(entry, contents)
                older = self.gone.get(track.origin) if track.origin is not None else None
                if track.origin is not None:
                    self.gone[track.origin] = track.join(older) if older is not None else track
                continue
            if track is None:
                track = self._again(entry) or _Track(None)
            track.add(entry, contents)
            self.here[entry.place] = track

    def _again(self, entry: Entry) -> _Track | None:
        """The same that was there before this one is made: deleted by a chosen change, or by others."""
        there = self.here.pop(entry.place, None)
        if there is not None:
            if _alike(entry.after, there.entries[-1].after):
                return there
            if there.origin is not None:
                self.gone[there.origin] = there
        above = next(filter(None, map(self.here.get, folders_above(entry.place))), None)
        if above is not None and above.origin is None:
            return None  # It is in another folder than the one that was there.
        origin = self._origin(entry.place)
        older = self.gone.get(origin)
        if older is None or not _alike(entry.after, older.entries[-1].before):
            return None
        return self.gone.pop(origin)

    def _origin(self, place: Place) -> Place:
        """Where something that is at `place` would be without the chosen changes."""
        for above in (place, *folders_above(place)):
            track = self.here.get(above)
            if track is not None and track.origin is not None:
                origin = track.origin
                return Place(origin.root, (*origin.parts, *place.parts[len(above.parts) :]))
        return place

    def other(self, contents: Contents, task: Task) -> None:
        """A change of others: what it moved is followed."""
        if not self.here and not self.gone:
            return
        files: dict[Place, Place] = {}
        folders: dict[Place, Place] = {}
        for entry in contents.record.entries:
            task.check()
            if entry.was is not None and entry.after is not None:
                (folders if _is_folder(entry) else files)[entry.was] = entry.place
            elif entry.after is None and (lost := self.here.get(entry.place)) is not None:
                lost.lost = True
        taken = [
            (self.here.pop(was), to)
            for was, to in files.items()
            if (track := self.here.get(was)) is not None and not track.lost
        ]
        for track, to in taken:
            if track.origin == track.place:
                track.origin = to
            else:
                track.moved_on = True
            track.place = to
        if folders:
            for track in (*self.here.values(), *self.gone.values()):
                task.check()
                origin, place = track.origin, track.place
                if place in folders and origin not in (None, place):
                    track.moved_on = True
                elif origin is not None:
                    track.origin = moved(origin, folders)
            gone = {track.origin: track for track in self.gone.values() if track.origin is not None}
            self.gone = gone
            self._go_along(folders, task)
        for track, to in taken:
            if to in self.here:
                self.lost.append(self.here[to])
            self.here[to] = track

    def _go_along(self, folders: Mapping[Place, Place], task: Task) -> None:
        """What is in a folder moves with it."""
        if not folders:
            return
        tracks = list(self.here.items())
        self.here = {}
        for place, track in tracks:
            task.check()
            track.place = moved(place, folders)
            self.here[track.place] = track

    def net(self, *, changed_only: bool) -> Iterator[NetEntry]:
        for track in (*self.here.values(), *self.gone.values(), *self.lost):
            entry = track.net(changed_only=changed_only)
            if entry is not None:
                yield entry


def moved(place: Place, folders: Mapping[Place, Place]) -> Place:
    """Where a place is after some moves of what is there or of a folder above."""
    for above in (place, *folders_above(place)):
        to = folders.get(above)
        if to is not None:
            return Place(to.root, (*to.parts, *place.parts[len(above.parts) :]))
    return place


def _is_folder(entry: Entry) -> bool:
    return entry.after is not None and entry.after.kind == "folder"


def _alike(one: Side | None, other: Side | None) -> bool:
    """Whether both are files, or both folders."""
    return one is not None and other is not None and one.kind == other.kind and one.kind in ("file", "folder")


def net_of(
    record: ChangeRecord,
    changes: Iterable[tuple[Contents, bool]],
    *,
    small: int,
    changed_only: bool,
    task: Task,
) -> NetContents:
    """What the chosen ones of `changes`, oldest first, did together, as `record` with its entries.

    The others are those between and after them: their renames are followed. With `changed_only`, what
    the changes have left as they found it is left out. Linear in the entries,
    but for what lies below folders that were moved.
    """
    following = _Following()
    for contents, chosen in changes:
        task.check()
        (following.chosen if chosen else following.other)(contents, task)
    entries = sorted(
        following.net(changed_only=changed_only), key=lambda entry: (entry.place.root, entry.place.parts)
    )
    return NetContents(replace(record, entries=tuple(entries)), entries, small)
