"""The inverse of a change, as a change set of its own.

Where a file has moved on since, the inverse is merged three ways, line by line: clean is applied and
disclosed, a conflict is refused with what could be done instead.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from filewright.boundary import Boundary, Location
from filewright.changes.content import listed
from filewright.changes.contents import Contents
from filewright.changes.ground import Ground
from filewright.changes.inverse import Conflict, ContentInverse, FileToInvert, Outcome
from filewright.changes.operations import Plan
from filewright.changes.planner import temporary_name
from filewright.changes.record import Entry, Place, Side
from filewright.edit.changeset import (
    ChangeSet,
    Delete,
    Expected,
    MakeFolder,
    MakeLink,
    Move,
    Restore,
    SetMode,
    SetOwner,
    Step,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import Snapshot


@dataclass(slots=True)
class Reversal:
    """A change set that undoes a change.

    `merged` are the paths where later changes were kept by a three-way merge; `notes` say what a
    person should know.
    """

    change_set: ChangeSet
    merged: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    show: Callable[[ChangeSet], str] = field(default=lambda _: "")

    @property
    def diff(self) -> str:
        """What it would do; made when asked for, and only before it is committed."""
        return self.show(self.change_set)


@dataclass(slots=True)
class _Work:
    """The steps by phase: each phase finds the tree as the earlier ones leave it."""

    delete: list[Step] = field(default_factory=list)
    clear: list[tuple[int, Step]] = field(default_factory=list)
    restore: list[tuple[int, Step]] = field(default_factory=list)
    modify: list[Step] = field(default_factory=list)
    attributes: list[Step] = field(default_factory=list)


class Reverter:
    """Works out the inverse of one change; `wholly` prefers a file's earlier content to a merge."""

    def __init__(
        self, boundary: Boundary, settings: Settings, contents: Contents, *, wholly: bool, task: Task
    ) -> None:
        self._boundary = boundary
        self._settings = settings
        self._contents = contents
        self._wholly = wholly
        self._task = task
        self._ground = Ground(boundary, Plan((), ()))
        self._work = _Work()
        self._outcome = Outcome()
        self._inverse = ContentInverse(settings, contents, self._outcome, wholly=wholly, task=task)

    def reversal(self) -> Reversal:
        """The inverse. Raises `stale_version` with the conflicts, `unsupported` if nothing was kept."""
        record = self._contents.record
        if not record.undoable:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"the change {record.id} was made with undoable=false; nothing was kept to undo it with",
                details={"change_id": record.id},
            )
        moved = self._moved(record.entries)
        self._back = {entry.place: entry.was for entry in moved if entry.was is not None}
        for entry in record.entries:
            self._task.check()
            if entry.before is None:
                self._created(entry, record.entries)
            elif entry.after is None:
                self._deleted(entry)
            else:
                self._changed(entry, entry.before, entry.after)
        self._moves(moved)
        if self._outcome.conflicts:
            raise self._refusal()
        work = self._work
        steps = (
            *work.delete,
            # What is in a folder before the folder itself goes or moves; parents before what goes back.
            *(step for _, step in sorted(work.clear, key=lambda item: -item[0])),
            *(step for _, step in sorted(work.restore, key=lambda item: item[0])),
            *work.modify,
            *work.attributes,
        )
        if not steps:
            raise FilewrightError(
                Code.NO_CHANGE,
                f"there is nothing left to undo of the change {record.id}",
                hint="; ".join(self._outcome.notes) or None,
                details={"change_id": record.id},
            )
        summary = f"undo {record.id}: {record.summary}"
        change_set = ChangeSet("revert_edit", summary, steps, reverts=record.id)
        return Reversal(change_set, tuple(self._outcome.merged), tuple(self._outcome.notes))

    # Where things are

    def _location(self, place: Place) -> Location:
        return self._ground.location(place)

    def _look(self, place: Place) -> Snapshot | str | None:
        """A file's snapshot, the kind of anything else, or None."""
        where = self._location(place)
        try:
            status = self._boundary.stat(where)
        except FilewrightError as error:
            if error.code in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY):
                return None
            raise
        if stat.S_ISREG(status.st_mode):
            return Snapshot.of_descriptor(self._boundary.open_file(where), where, self._settings)
        return (
            "folder" if stat.S_ISDIR(status.st_mode) else "link" if stat.S_ISLNK(status.st_mode) else "other"
        )

    @staticmethod
    def _moved(entries: Sequence[Entry]) -> list[Entry]:
        """The entries that were moves of their own, not carried along by a folder's."""
        moved = [entry for entry in entries if entry.was is not None]
        folders = [
            (entry.place, entry.was)
            for entry in moved
            if entry.was is not None and entry.after is not None and entry.after.kind == "folder"
        ]

        def carried(entry: Entry) -> bool:
            assert entry.was is not None
            return any(
                place != entry.place
                and entry.place.root == place.root
                and entry.was.root == was.root
                and entry.place.parts[: len(place.parts)] == place.parts
                and entry.was.parts[: len(was.parts)] == was.parts
                and entry.place.parts[len(place.parts) :] == entry.was.parts[len(was.parts) :]
                for place, was in folders
            )

        return [entry for entry in moved if not carried(entry)]

    def _moves(self, moved: Sequence[Entry]) -> None:
        """Several moves may be in one another's way: all go to names of their own first, in thought."""
        present = []
        for entry in moved:
            if self._look_kind(entry.place) is None:
                self._conflict(entry.place, "has been moved or deleted since")
            else:
                present.append(entry)
        if len(present) == 1 and not self._work.clear and not self._work.restore:
            entry = present[0]
            assert entry.was is not None
            self._clear(Move(self._location(entry.place), self._location(entry.was)), entry.place)
            return
        parked: list[tuple[Place, Location]] = []
        for entry in present:
            assert entry.was is not None
            source = self._location(entry.place)
            spot = Location(source.root, (temporary_name(),), source.asked)
            self._clear(Move(source, spot), entry.place)
            parked.append((entry.was, spot))
        for was, spot in parked:
            self._restore(Move(spot, self._location(was)), was)

    def _clear(self, step: Step, place: Place) -> None:
        self._work.clear.append((len(place.parts), step))

    def _restore(self, step: Step, place: Place) -> None:
        self._work.restore.append((len(place.parts), step))

    def _look_kind(self, place: Place) -> str | None:
        found = self._look(place)
        if isinstance(found, Snapshot):
            found.close()
            return "file"
        return found

    def _final(self, place: Place) -> Place:
        """Where something that is at `place` now will be once the moves have been undone."""
        for depth in range(len(place.parts), 0, -1):
            was = self._back.get(Place(place.root, place.parts[:depth]))
            if was is not None:
                return Place(was.root, (*was.parts, *place.parts[depth:]))
        return place

    # What was created

    def _created(self, entry: Entry, entries: Sequence[Entry]) -> None:
        assert entry.after is not None
        where = self._location(entry.place)
        found = self._look(entry.place)
        if found is None:
            self._outcome.notes.append(f"{where.shown} is gone already")
            return
        if isinstance(found, Snapshot):
            with found:
                if entry.after.kind != "file" or (
                    not self._wholly and found.digested(self._task).hex() != entry.after.digest
                ):
                    self._conflict(entry.place, "was created by that change and has been edited since")
                    return
                self._work.delete.append(Delete(where, expected=Expected.of(found)))
            return
        if found != entry.after.kind:
            self._conflict(entry.place, f"is a {found} now")
        elif found == "link":
            if self._boundary.read_link(where) != entry.after.target:
                self._conflict(entry.place, "is a link to something else now")
            else:
                self._work.delete.append(Delete(where))
        else:
            self._created_folder(entry, where, entries)

    def _created_folder(self, entry: Entry, where: Location, entries: Sequence[Entry]) -> None:
        going = {e.place for e in entries if e.before is None or e.was is not None}
        descriptor = self._boundary.open_folder(where)
        try:
            names = listed(descriptor)
        finally:
            os.close(descriptor)
        left = [name for name in names if Place(entry.place.root, (*entry.place.parts, name)) not in going]
        if left:
            self._outcome.notes.append(f"{where.shown}/ stays: others have put something into it")
            return
        self._clear(Delete(where), entry.place)

    # What was deleted

    def _deleted(self, entry: Entry) -> None:
        before = entry.before
        assert before is not None
        where = self._location(entry.place)
        taken = self._taken(entry.place)
        if before.kind == "folder":
            if taken not in (None, "folder"):
                self._conflict(entry.place, f"is a {taken} now")
                return
            self._restore(MakeFolder(where, before.attributes), entry.place)
            if taken is None:
                self._work.attributes.append(SetOwner(where, before.uid, before.gid))
                self._work.attributes.append(SetMode(where, f"{before.mode:05o}"))
            return
        if before.kind == "other":
            self._outcome.notes.append(f"{where.shown} was a special file and cannot be made again")
            return
        if taken is not None and not (self._wholly and taken == "file" and before.kind == "file"):
            self._conflict(entry.place, "was deleted by that change, and something new is there now")
            return
        if before.kind == "link":
            assert before.target is not None
            self._restore(MakeLink(where, before.target), entry.place)
            return
        content = self._contents.stream(before)
        if content is None:
            self._conflict(entry.place, "was deleted and not kept")
            return
        self._restore(
            Restore(
                where,
                content,
                before.mode,
                before.uid,
                before.gid,
                before.mtime_ns,
                before.attributes,
                replace=taken is not None,
            ),
            entry.place,
        )

    def _taken(self, place: Place) -> str | None:
        """What stands at a place, unless this change put it there, or a folder above it."""
        for entry in self._contents.record.entries:
            count = len(entry.place.parts)
            arrived = entry.after is not None and (entry.before is None or entry.was is not None)
            above = entry.place.root == place.root and entry.place.parts == place.parts[:count]
            if above and (arrived or (entry.after is not None and entry.place == place)):
                return None
        return self._look_kind(place)

    # What was rewritten or altered

    def _changed(self, entry: Entry, before: Side, after: Side) -> None:
        final = self._final(entry.place)
        where = self._location(final)
        found = self._look(entry.place)
        if before.kind == "file":
            if not isinstance(found, Snapshot):
                if entry.was is None:
                    self._conflict(
                        entry.place,
                        "has been moved or deleted since" if found is None else f"is a {found} now",
                    )
                return
            with found:
                status = found.status
                if entry.spans or before.digest != after.digest:
                    shown = self._location(entry.place).shown
                    step = self._inverse.step(FileToInvert(entry, before, after, found, where, shown))
                    self._work.modify += [step] if step is not None else []
        elif found is None:
            return
        else:
            status = self._boundary.stat(self._location(entry.place))
        if status is None:
            return
        if (before.uid, before.gid) != (after.uid, after.gid) and (status.st_uid, status.st_gid) == (
            after.uid,
            after.gid,
        ):
            self._work.attributes.append(SetOwner(where, before.uid, before.gid))
        if before.mode != after.mode:
            if stat.S_IMODE(status.st_mode) == after.mode:
                self._work.attributes.append(SetMode(where, f"{before.mode:05o}"))
            else:
                self._outcome.notes.append(f"{where.shown}: its mode was changed again since, and stays")

    # Refusing

    def _conflict(self, place: Place, why: str, lines: tuple[int, int] | None = None) -> None:
        self._outcome.conflicts.append(Conflict(self._location(place).shown, why, lines))

    def _refusal(self) -> FilewrightError:
        record = self._contents.record
        first = self._outcome.conflicts[0]
        at = f" (lines {first.lines[0]} to {first.lines[1]})" if first.lines else ""
        more = f", and {len(self._outcome.conflicts) - 1} more" if len(self._outcome.conflicts) > 1 else ""
        return FilewrightError(
            Code.STALE_VERSION,
            f"the change {record.id} cannot be undone: {first.path} {first.why}{at}{more}; "
            "nothing was changed",
            hint="undo the later changes of that file first (get_history lists them), or show this "
            "change's diff (get_history with change_id) and edit the file by hand",
            details={
                "change_id": record.id,
                "conflicts": [
                    {"path": c.path, "why": c.why, "lines": list(c.lines) if c.lines else None}
                    for c in self._outcome.conflicts
                ],
            },
        )
