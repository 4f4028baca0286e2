"""What several changes did together, as if they had been one: those of a session, or all since a moment.

The changes are played, from the oldest on, on a tree of the things they touched. Each thing knows where it is, and
where it would be without the chosen changes. A rename moves one thing, and what is in it goes along. What a file
held is a chain: where another has written between two chosen changes it has several runs, each of which is taken
back by a merge of its own. Of a run nothing is held that is not needed: a file may have been changed a hundred
thousand times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from filewright.changes.blobs import is_whole_content_stored
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedKind,
    RecordedPath,
    keeps_content,
    states_match,
)
from filewright.progress import Task


class _Thing:
    """A file, folder or link that a change has touched, or a folder above one.

    It is at `name` in `folder`, or was there at last; without the chosen changes it would be at `home`, or not at
    all (None). `first` and `last` are of what the chosen changes did to it, `runs` what changed what it holds, each
    where another left off; `renamed_later`: others have renamed it after these had.
    """

    __slots__ = (
        "first",
        "folder",
        "home",
        "inside",
        "kind",
        "last",
        "name",
        "renamed_later",
        "runs",
    )

    def __init__(
        self,
        folder: _Thing | None,
        name: bytes,
        kind: RecordedKind,
        *,
        made: bool = False,
    ) -> None:
        self.folder = folder
        self.name = name
        self.home = None if made or folder is None else (folder, name)
        self.kind: RecordedKind = kind
        self.inside: dict[bytes, _Thing] = {}
        self.first: FileChange | None = None
        self.last: FileChange | None = None
        self.runs: list[list[FileChange]] = []
        self.renamed_later = False

    @property
    def slot(self) -> _Slot:
        """Where it is, or was at last."""
        assert self.folder is not None
        return self.folder, self.name

    def add(self, entry: FileChange) -> None:
        """Something that a chosen change did to it."""
        self.first, self.last = self.first or entry, entry
        if keeps_content(entry):
            return
        if not self.runs or not states_match(self.runs[-1][-1].after, entry.before):
            self.runs.append([])
        run = self.runs[-1]
        # What a file held is known by the first that was kept whole, and what it holds by the last.
        if (
            len(run) > 1
            and is_whole_content_stored(run[-2])
            and {*run[-2].paths, *entry.paths}.issuperset(run[-1].paths)
        ):
            run.pop()
        run.append(entry)

    def place(self, *, wanted: bool = False) -> RecordedPath:
        """Where it is; or would be without the chosen changes, one that they made staying in its folder."""
        names: list[bytes] = []
        thing, seen = self, set[_Thing]()
        while thing.folder is not None:
            if thing in seen:
                # Its folder was moved by others into one that a chosen change made in it.
                return self.place()
            seen.add(thing)
            above, name = (wanted and thing.home) or thing.slot
            names.append(name)
            thing = above
        return RecordedPath(thing.name, tuple(reversed(names)))


_Slot = tuple[_Thing, bytes]


class _Played:
    """The tree of things: what is there; by where they were, what others deleted (`lost`); and by where they would
    be without the chosen changes, what those deleted (`gone`). All that they touched is `touched`."""

    def __init__(self) -> None:
        self._roots: dict[bytes, _Thing] = {}
        self._lost: dict[_Slot, _Thing] = {}
        self._gone: dict[_Slot, _Thing] = {}
        self.touched: list[_Thing] = []

    def play(self, entries: Sequence[FileChange], task: Task, *, chosen: bool) -> None:
        """A change, all its entries at once: it finds the tree as it was before all of them.

        Of one that is not chosen, only what it moved or deleted is followed.
        """
        found: list[tuple[FileChange, _Thing | None]] = []
        for entry in entries:
            task.check()
            before, was = entry.before, entry.renamed_from or entry.path
            thing = None
            if before is not None and (
                chosen or (entry.after is not None and entry.renamed_from is not None)
            ):
                thing = self._in(self._slot(was), before.kind)
            elif before is not None and entry.after is None:
                thing = self._known(was)
            if thing is not None or (chosen and before is None):
                found.append((entry, thing))
        for entry, thing in found:
            if thing is None or (
                entry.after is not None and entry.renamed_from is None
            ):
                continue
            folder, name = thing.slot
            if folder.inside.get(name) is thing:
                del folder.inside[name]
            if entry.after is not None:
                continue
            if not chosen:
                self._lost[thing.slot] = thing
            else:
                self._touch(thing, entry)
                if thing.home is not None:
                    self._gone[thing.home] = thing
        for entry, moving in sorted(found, key=lambda each: len(each[0].path.parts)):
            task.check()
            if entry.after is None:
                continue
            slot = self._slot(entry.path)
            thing = moving or self._in(slot, entry.after.kind, made=True)
            stayed = thing.home == thing.slot
            if entry.renamed_from is not None:
                self._come(thing, slot)
            if chosen:
                thing.kind = entry.after.kind
                self._touch(thing, entry)
            elif stayed:
                thing.home = thing.slot
            elif thing.home is not None:
                thing.renamed_later = True

    def _touch(self, thing: _Thing, entry: FileChange) -> None:
        if thing.first is None:
            self.touched.append(thing)
        thing.add(entry)

    def _slot(self, place: RecordedPath) -> _Slot:
        folder = self._roots.get(place.root)
        if folder is None:
            folder = self._roots[place.root] = _Thing(None, place.root, "folder")
        for name in place.parts[:-1]:
            folder = self._in((folder, name), "folder")
        return folder, place.parts[-1]

    def _in(self, slot: _Slot, kind: RecordedKind, *, made: bool = False) -> _Thing:
        """What is in a slot, where that kind of thing is.

        One that is `made` there is the same that was there before, deleted by a chosen change or by others.
        """
        there = slot[0].inside.get(slot[1])
        for thing in (there, self._lost.get(slot), self._gone.get(slot)):
            if thing is None or thing.kind != kind:
                continue
            if made and not (thing.first and kind in ("file", "folder")):
                continue
            # Else it is there, or others have overwritten it and not yet made it again.
            if made or there is None:
                self._come(thing, slot)
            return thing
        thing = _Thing(*slot, kind, made=made)
        self._come(thing, slot)
        return thing

    def _known(self, place: RecordedPath) -> _Thing | None:
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


def _net(thing: _Thing, *, changed_only: bool) -> FileChange | None:
    """What the chosen changes made of a thing together; None if that is nothing."""
    first, last, edits = (
        thing.first,
        thing.last,
        [edit for run in thing.runs for edit in run],
    )
    assert first is not None
    assert last is not None
    before, after = first.before if thing.home is not None else None, last.after
    if before is None and after is None:
        return None
    if edits:
        before, after = (
            _holding(before, edits[0].before),
            _holding(after, edits[-1].after),
        )
    elif (
        before is not None and after is not None and before.kind == after.kind == "file"
    ):
        # None of them changed what it holds, but not each of them knew that: a rename reads nothing.
        before, after = _knowing(before, after), _knowing(after, before)
    wanted = thing.place(wanted=True)
    place = thing.place() if after is not None else wanted
    if after is None and before is not None and last.before is not None:
        before = before._replace(attributes=last.before.attributes)
    together = _together(place, edits or [first])._replace(before=before, after=after)
    if len(thing.runs) > 1:
        together = together._replace(
            segments=tuple(_together(place, run) for run in thing.runs)
        )
    if before is None or after is None:
        return together
    if thing.home != thing.slot or wanted != place:
        return together._replace(
            renamed_from=wanted,
            moved_with_parent=thing.home == thing.slot,
            renamed_later=thing.renamed_later,
        )
    is_known = not edits or before.kind != "file" or before.digest is not None
    is_same = (
        len(thing.runs) < 2
        and keeps_content(together)
        and before.mode_and_owner == after.mode_and_owner
    )
    return None if changed_only and is_known and is_same else together


def _together(place: RecordedPath, edits: Sequence[FileChange]) -> FileChange:
    """Some edits of what a thing holds as one; a single one with its splices."""
    if len(edits) == 1:
        return edits[0]._replace(path=place, renamed_from=None, edits=(*edits,))
    first = edits[0]
    return FileChange(
        place, first.before, edits[-1].after, edits=(*edits,), blobs=first.blobs
    )


def _holding(side: FileState | None, held: FileState | None) -> FileState | None:
    """A side with what another holds."""
    if side is None or held is None:
        return side
    return held.with_mode_and_owner(side)


def _knowing(side: FileState, same: FileState) -> FileState:
    """Return a side with the digest of another that holds the same, where its own is not known."""
    if side.digest is not None or same.digest is None:
        return side
    return side._replace(
        digest=same.digest, size=same.size, blob=side.blob or same.blob
    )


def build_net_change(
    record: ChangeRecord,
    changes: Iterable[tuple[ChangeRecord, bool]],
    *,
    changed_only: bool,
    task: Task,
) -> ChangeRecord:
    """What the chosen ones of `changes`, oldest first, did together, as `record` with its entries.

    The others are those between and after them: their renames are followed. With `changed_only`, what
    the changes have left as they found it is left out. Linear in the entries.
    """
    played, of_roots = _Played(), dict[RecordedPath, FileChange]()
    for change, chosen in changes:
        task.check()
        below: list[FileChange] = []
        for entry in change.file_changes:
            if all(end.parts for end in entry.paths):
                below.append(entry)
            elif chosen:  # What was a folder like others is a root by now, which stays where it is.
                first = of_roots.setdefault(entry.path, entry)
                of_roots[entry.path] = entry._replace(before=first.before)
        played.play(below, task, chosen=chosen)
    found = [_net(thing, changed_only=changed_only) for thing in played.touched]
    found += of_roots.values()
    together = sorted(
        filter(None, found), key=lambda entry: (entry.path.root, entry.path.parts)
    )
    return record._replace(file_changes=tuple(together))
