"""Undo: the inverse of what a change did, or several together, as a change set of its own.

Where a file has moved on since, the inverse is merged three ways, line by line: a clean merge is
applied and disclosed, a conflict is refused with what could be done instead. What was deleted or
moved away since comes back. With `force` each file gets its earlier content, over whatever is there.

Every entry is looked at once, and the questions about other entries are look-ups by the folders
above, so that the work follows the number of entries.
"""

from __future__ import annotations

import codecs
import itertools
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import NoReturn

import xxhash

from filewright import errors
from filewright.boundary import Boundary, Location, temporary_name
from filewright.changes.content import Held
from filewright.changes.net import moved
from filewright.changes.record import Entry, Place, Side, content_of, folders_above, kind_of
from filewright.changes.scope import Selected
from filewright.edit import (
    ChangeSet,
    Delete,
    Diff,
    Expected,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    Overlay,
    Restore,
    SetMode,
    SetOwner,
    Step,
    Stream,
    hunks_of,
    line_splices,
    merge3,
)
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import Narrowed, Snapshot, Splice, apply
from filewright.visible import one_line

_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_LITTLE_LINES = re.compile(rb"(?s:(?!\r\0|\n\0)..)*(?:\r\0\n\0|\n\0|\r\0)|(?s:(?!\r\0|\n\0)..)+|(?s:.)")
_BIG_LINES = re.compile(rb"(?s:(?!\0\r|\0\n)..)*(?:\0\r\0\n|\0\n|\0\r)|(?s:(?!\0\r|\0\n)..)+|(?s:.)")
_DELETE, _CLEAR, _RESTORE, _MODIFY, _ATTRIBUTES = range(5)
"""The order of the steps, each of which finds the tree as the earlier ones leave it. Folders are emptied, and things
moved out of them, from below; what comes back does so from above."""
_SIDE, _WIDTH, _SIDES_SHOWN = 12, 200, 10
"""Lines and characters that are shown of one side of a conflict, and conflicts that a message shows."""
_MOST_LISTED = 200
"""Conflicts that one refusal lists, and notes that one answer does."""
_EDITED = "was created by that change and has been edited since"
_NOT_KEPT = "was deleted and not kept"
_SOMETHING_NEW = "was deleted by that change, and something new is there now"
_TOO_LARGE = "has changed since, and is too large to be merged"
_TOO_LARGE_IN_BETWEEN = "has been changed by others in between, and is too large to be merged"


@dataclass(frozen=True, slots=True)
class Reversal:
    """A change set that undoes what `selected` names.

    `merged` are the paths where later changes were kept by a three-way merge; `notes` say what a
    person should know.
    """

    selected: Selected
    change_set: ChangeSet
    merged: tuple[str, ...]
    notes: tuple[str, ...]
    show: Callable[[ChangeSet], Diff] = field(compare=False, repr=False)

    @property
    def diff(self) -> Diff:
        """What it would do; made when asked for, and only before it is committed."""
        return self.show(self.change_set)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why a path cannot be given back: at which lines of the file as it is now, which are `now`, and what
    undoing would have there (`then`)."""

    path: str
    why: str
    lines: tuple[int, int] | None = None
    now: str | None = None
    then: str | None = None


class _RefusedError(Exception):
    """Something cannot be given back."""

    def __init__(self, *conflicts: Conflict) -> None:
        super().__init__()
        self.conflicts = conflicts


def undo_of(
    boundary: Boundary,
    settings: Settings,
    selected: Selected,
    *,
    locate: Callable[[Place], Location],
    show: Callable[[ChangeSet], Diff],
    force: bool,
    trusting: bool = False,
    task: Task,
) -> Reversal:
    """The change set that undoes what is selected; a `trusting` one leaves it to the commit to find that a file
    is not as the change left it.

    Raises `stale_version` with the conflicts in its details, `unsupported` if nothing was kept,
    `no_change` if nothing is left to do, `path_escape` if it would reach beyond the roots.
    """
    if not selected.contents.record.undoable:
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"{'something of ' if len(selected.ids) > 1 else ''}{selected.what} was made with undoable=false; "
            "nothing was kept to undo it with",
            details=selected.named,
        )
    undo = _Undo(boundary, settings, selected, locate, force, trusting and selected.hunk is None, task)
    undo.take_back()
    if undo.conflicts:
        raise _refusal(selected, undo.conflicts)
    notes = tuple(undo.notes[:_MOST_LISTED])
    if not undo.steps:
        raise FilewrightError(
            Code.NO_CHANGE,
            f"there is nothing left to undo of {selected.what}",
            hint="; ".join(notes[:5]) or None,
            details=selected.named,
        )
    steps = tuple(step for *_, step in sorted(undo.steps, key=lambda step: step[:2]))
    change_set = ChangeSet(
        "revert_edit", selected.summary, steps, reverts=selected.ids, partial=selected.partial
    )
    return Reversal(selected, change_set, tuple(undo.merged), notes, show)


class _Undo:
    """One undo: what it works with, what it has found so far, and the steps, each with its place in their order.

    `leaving` is where it takes something away that was not there before: from there on that is as if nothing
    were there. `absent` is where nothing is, or what is there goes by force.
    """

    def __init__(
        self,
        boundary: Boundary,
        settings: Settings,
        selected: Selected,
        locate: Callable[[Place], Location],
        force: bool,
        trusting: bool,
        task: Task,
    ) -> None:
        self.steps: list[tuple[int, int, Step]] = []
        self.conflicts: list[Conflict] = []
        self.notes: list[str] = []
        self.merged: list[str] = []
        self._boundary, self._settings, self._locate, self._task = boundary, settings, locate, task
        self._contents, self._hunk = selected.contents, selected.hunk
        self._force, self._trusting = force, trusting
        self._leaving: set[Place] = set()
        self._absent: set[Place] = set()
        self._leading_out: dict[Place, Place] = {}
        self._folders: set[Place] = set()
        self._staying: dict[Place, bool] = {}
        self._back: dict[Place, Place] = {}

    def take_back(self) -> None:
        """Find the steps, and what is in their way."""
        entries = self._contents.record.entries
        renamed: list[Entry] = []
        mixed: set[Place] = set()
        for entry in entries:
            place, was = entry.place, entry.was
            if entry.before is None or was is not None:
                self._leaving.add(place)
            if entry.before is None and entry.after is not None and entry.after.kind == "folder":
                self._folders.add(place)
            elif self._trusting and (entry.before or entry.edits or content_of(entry.after) is None):
                mixed.update(folders_above(place), folders_above(was or place))
            if was is not None:
                renamed.append(entry)
        moves: list[Entry] = []
        for entry in sorted(renamed, key=lambda entry: len(entry.place.parts)):
            # What a folder above carried along is where that brings it back.
            if moved(entry.place, self._back) != entry.was or entry.carried is False:
                assert entry.was is not None
                self._back[entry.place] = entry.was
                moves.append(entry)
        tops = self._folders - mixed if self._trusting else set()
        whole: dict[Place, dict[bytes, bytes]] = {p: {} for p in tops if tops.isdisjoint(folders_above(p))}
        for entry in entries:
            self._task.check()
            if not (whole and entry.before is None and _goes_along(entry, whole)):
                with self._noted():
                    self._entry_back(entry)
        for place, holding in whole.items():
            self._clear(Delete(self._locate(place), recursive=True, holding=holding), place)
        self._move_back(moves)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """What is in the way of what is done inside is noted."""
        try:
            yield
        except _RefusedError as refused:
            self.conflicts += refused.conflicts

    def _refuse(self, place: Place, why: str) -> NoReturn:
        raise _RefusedError(Conflict(self._locate(place).shown, why))

    def _then(self, phase: int, step: Step) -> None:
        self.steps.append((phase, 0, step))

    def _clear(self, step: Step, place: Place) -> None:
        self.steps.append((_CLEAR, -len(place.parts), step))

    def _restore(self, step: Step, place: Place) -> None:
        self._require_inside(place)
        self.steps.append((_RESTORE, len(place.parts), step))

    def _require_inside(self, place: Place) -> None:
        """What comes back to `place` must not go through a link that leads out: it goes with `force`."""
        if not self._leaving.isdisjoint(folders_above(place)) or self._kind(place) is not None:
            return
        link = self._leading_out.get(place)
        if link is not None and link not in self._absent:
            self._absent.add(link)
            if not self._force:
                self._refuse(
                    link, f"is a link that leads out of the root now, and {place.shown} was below it"
                )
            self._clear(Delete(self._locate(link)), link)

    def _make_way(self, place: Place) -> bool:
        """With `force`, take away what is in the place of what comes back."""
        if self._force:
            self._absent.add(place)
            self._clear(Delete(self._locate(place), recursive=True), place)
        return self._force

    def _kind(self, place: Place) -> str | None:
        """What is at a place now: `file`, `folder`, `link`, `other`, or None."""
        if not self._absent.isdisjoint(folders_above(place)):
            return None
        try:
            return kind_of(self._boundary.stat(self._locate(place)))
        except FilewrightError as error:
            if error.code is Code.PATH_ESCAPE:
                # A folder was there when the change was made.
                for above in reversed(tuple(folders_above(place))):
                    if self._boundary.stat(self._locate(above)).kind == "link":
                        self._leading_out[place] = above
                        return None
            elif error.code in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY):
                self._absent.add(place)
                return None
            raise

    def _open(self, place: Place) -> Snapshot:
        where = self._locate(place)
        return Snapshot.of_file(self._boundary.open_file(where), where, self._settings)

    def _entry_back(self, entry: Entry) -> None:
        if entry.before is None:
            if entry.after is not None:
                self._remove_created(entry, entry.after)
        elif entry.after is None:
            self._bring_back(entry, entry.before)
        else:
            self._change_back(entry, entry.before, entry.after)

    # What was made

    def _remove_created(self, entry: Entry, after: Side) -> None:
        place, where = entry.place, self._locate(entry.place)
        if self._trusting and after.kind == "file" and after.digest is not None and len(entry.runs) == 1:
            expected = Expected(after.size, None, bytes.fromhex(after.digest))
            self._then(_DELETE, Delete(where, expected=expected))
            return
        kind = self._kind(place)
        if kind is None:
            self.notes.append(f"{where.shown} is gone already")
        elif kind != after.kind:
            self._refuse(place, _is_now(kind))
        elif kind == "file":
            with self._open(place) as now:
                if self._force or self._is_as_made(entry, now):
                    self._then(_DELETE, Delete(where, expected=Expected.of(now)))
        elif kind == "link":
            if self._boundary.read_link(where) != after.target:
                self._refuse(place, "is a link to something else now")
            self._then(_DELETE, Delete(where))
        elif self._holds_more(place):
            self.notes.append(f"{where.shown}/ stays: others have put something into it")
        else:
            self._clear(Delete(where), place)

    def _is_as_made(self, entry: Entry, now: Snapshot) -> bool:
        """Whether nothing else has made the file what it is; refused if something has."""
        if now.held is not None:
            return self._taken_back(entry, now.held) is None
        if len(entry.runs) > 1:
            self._refuse(entry.place, _TOO_LARGE_IN_BETWEEN)
        if entry.after is None or now.digested(self._task).hex() != entry.after.digest:
            self._refuse(entry.place, _EDITED)
        return True

    def _holds_more(self, place: Place) -> bool:
        """Whether a folder holds what the undo does not take away."""
        if place not in self._staying:
            with self._boundary.open_folder(self._locate(place)) as folder:
                inside = [Place(place.root, (*place.parts, name)) for name in folder.names()]
            self._staying[place] = any(
                each not in self._leaving
                or (each in self._folders and self._kind(each) == "folder" and self._holds_more(each))
                for each in inside
            )
        return self._staying[place]

    # What was deleted

    def _bring_back(self, entry: Entry, before: Side) -> None:
        place, where = entry.place, self._locate(entry.place)
        leaves = place in self._leaving or not self._leaving.isdisjoint(folders_above(place))
        taken = None if leaves else self._kind(place)
        if before.kind == "folder":
            if taken not in (None, "folder") and not self._make_way(place):
                self._refuse(place, _is_now(taken))
            self._restore(MakeFolder(where, before.attributes), place)
            if taken != "folder":
                self._then(_ATTRIBUTES, SetOwner(where, before.uid, before.gid))
                self._then(_ATTRIBUTES, SetMode(where, f"{before.mode:05o}"))
            return
        if before.kind == "other":
            self.notes.append(f"{where.shown} was a special file and cannot be made again")
            return
        over = taken == before.kind == "file" and self._force
        if taken is not None and not over and not self._make_way(place):
            self._refuse(place, _SOMETHING_NEW)
        if before.target is not None:
            self._restore(MakeLink(where, before.target), place)
        elif len(entry.runs) > 1 and not self._force:
            self._restore_file(before, place, content=Held(self._taken_back(entry, None) or b""))
        elif not self._restore_file(before, place, over=over):
            self._refuse(place, _NOT_KEPT)

    def _restore_file(
        self, before: Side, place: Place, *, over: bool = False, content: Stream | None = None
    ) -> bool:
        """Bring a whole file back to `place`, with another `content` if one is given; False if none was kept."""
        content = content or self._contents.stream(before)
        if content is None:
            return False
        carried = (before.mode, before.uid, before.gid, before.mtime_ns, before.attributes)
        self._restore(Restore(self._locate(place), content, *carried, replace=over), place)
        return True

    # What was moved

    def _move_back(self, moves: Sequence[Entry]) -> None:
        """Several moves may be in one another's way: all go to names of their own first, in thought."""
        present: list[tuple[Location, Place, Place]] = []
        for entry in moves:
            place, was = entry.place, entry.was or entry.place
            with self._noted():
                if entry.moved_on and not self._force:
                    self._refuse(place, f"was {self._locate(was).shown}, and was renamed again since")
                if self._kind(place) is not None:
                    present.append((self._locate(place), place, was))
                elif not (
                    entry.before and entry.before.kind == "file" and self._restore_file(entry.before, was)
                ):
                    self._refuse(place, "has been moved or deleted since")
        direct = len(present) == 1 and not any(phase in (_CLEAR, _RESTORE) for phase, *_ in self.steps)
        for source, place, was in present:
            with self._noted():
                if direct:
                    self._require_inside(was)
                    self._clear(Move(source, self._locate(was), overwrite=self._force), place)
                else:
                    parked = Location(source.root, (temporary_name(),), source.asked)
                    self._clear(Move(source, parked, aside=True), place)
                    self._restore(Move(parked, self._locate(was), overwrite=self._force), was)

    # What was rewritten or altered

    def _change_back(self, entry: Entry, before: Side, after: Side) -> None:
        place, where = entry.place, self._locate(entry.was or entry.place)
        kind = self._kind(place)
        if before.kind == "file":
            if kind != "file":
                if place not in self._back:
                    self._bring_changed_back(entry, before, kind)
                return
            with self._open(place) as now:
                status = now.status
                if entry.spans or before.digest != after.digest:
                    step = self._earlier_content(entry, before, after, now, where)
                    if step is not None:
                        if not after.mode & 0o222 and status and stat.S_IMODE(status.st_mode) == after.mode:
                            # The change wrote to a file that was read-only already, and so may its undo.
                            self._then(_MODIFY, SetMode(where, f"{after.mode | stat.S_IWUSR:05o}"))
                            self._then(_ATTRIBUTES, SetMode(where, f"{before.mode:05o}"))
                        self._then(_MODIFY, step)
        elif kind is None:
            return
        else:
            status = self._boundary.stat(self._locate(place)).raw
        if status is None:
            return
        owner, made = (before.uid, before.gid), (after.uid, after.gid)
        if owner != made and (status.st_uid, status.st_gid) == made:
            self._then(_ATTRIBUTES, SetOwner(where, *owner))
        if before.mode != after.mode:
            if stat.S_IMODE(status.st_mode) == after.mode:
                self._then(_ATTRIBUTES, SetMode(where, f"{before.mode:05o}"))
            else:
                self.notes.append(f"{where.shown}: its mode was changed again since, and stays")

    def _bring_changed_back(self, entry: Entry, before: Side, kind: str | None) -> None:
        """A file that the change rewrote and that is no longer there: its earlier content comes back."""
        place = entry.was or entry.place
        if kind is not None and not self._make_way(entry.place):
            self._refuse(entry.place, _is_now(kind))
        if not self._restore_file(before, place):
            self._refuse(entry.place, "has been deleted or moved since, and only what changed in it was kept")
        self.notes.append(f"{self._locate(place).shown} has been deleted or moved since; it is made anew")

    def _earlier_content(
        self, entry: Entry, before: Side, after: Side, now: Snapshot, where: Location
    ) -> Modify | Restore | None:
        """The step that gives a file its earlier content; None if it has that."""
        most = max(now.size, before.size, after.size)
        if now.held is None or most > self._settings.hold_bytes:
            return self._earlier_large(entry, before, after, now, where)
        held, runs = now.held, entry.runs
        stream = self._contents.stream(before) if self._force and self._hunk is None else None
        if stream is not None:
            splices: Sequence[Splice] = line_splices(held, stream.read())
        elif len(runs) == 1:
            splices = self._run_back(runs[-1], held)
        elif self._hunk is not None:
            raise errors.no_hunks(where.shown)
        else:
            splices = line_splices(held, self._taken_back(entry, held) or b"")
        return Modify(where, Expected.of(now), splices) if splices else None

    def _taken_back(self, entry: Entry, held: bytes | None) -> bytes | None:
        """What is left of a file when each run is taken back, the last first; None if that is no file.

        What others have deleted in between comes back.
        """
        for run in reversed(entry.runs):
            self._task.check()
            if run.before is None:
                if held is not None and not _is(held, run.after):
                    self._refuse(run.place, _EDITED)
                held = None
            elif held is None:
                held = self._contents.before(run)
                if held is None:
                    self._refuse(run.place, _NOT_KEPT)
            elif run.after is None:
                self._refuse(run.place, _SOMETHING_NEW)
            else:
                held = apply(held, self._run_back(run, held))
        return held

    def _run_back(self, run: Entry, held: bytes) -> Sequence[Splice]:
        """The splices that take a run back from what a file holds now.

        They are what was kept where nothing has changed since, else a merge: what the run made is the
        base; the file now and the file before are the two sides.
        """
        unchanged = _is(held, run.after)
        if unchanged and self._hunk is None:
            splices = self._contents.backward(run)
            if splices is not None:
                return splices
        earlier = self._contents.before(run, held if unchanged else None)
        if earlier is None:
            self._refuse(run.place, "was not kept as it was before")
        made = held if unchanged else self._contents.after(run)
        if made is None:
            self._refuse(run.place, "has changed since, and what the change made of it was not kept")
        if self._hunk is not None:
            earlier = self._without_hunk(run, earlier, made, self._hunk)
        return line_splices(held, earlier) if unchanged else self._merge(run.place, made, held, earlier)

    def _without_hunk(self, run: Entry, earlier: bytes, made: bytes, hunk: int) -> bytes:
        """What the change would have made without one of its hunks, which count from 1 as its diff shows them.

        Raises `not_found` if it has fewer, `unsupported` where it is too large for hunks.
        """
        snapshot = Snapshot.of_bytes(earlier, settings=self._settings)
        splices = self._contents.forward(run)
        narrow = Narrowed(snapshot) if snapshot.encoding.width > 1 else None
        if narrow is not None:
            snapshot, splices = narrow.snapshot, line_splices(narrow.text(earlier), narrow.text(made))
        hunks = hunks_of(snapshot, line_splices(earlier, made) if splices is None else splices)
        shown = self._locate(run.place).shown
        if not 1 <= hunk <= len(hunks):
            raise errors.no_such_hunk(shown, hunk, len(hunks))
        others = [edit for number, edits in enumerate(hunks, 1) if number != hunk for edit in edits]
        if any((len(edit.old), len(edit.new)) != (edit.old_count, edit.new_count) for edit in others):
            raise errors.no_hunks(shown)
        kept: Sequence[Splice] = [Splice(e.offset, e.end - e.offset, b"".join(e.new)) for e in others]
        return apply(earlier, kept if narrow is None else narrow.widened(kept))

    def _merge(self, place: Place, made: bytes, held: bytes, earlier: bytes) -> Sequence[Splice]:
        shown = self._locate(place).shown
        lines, codec = _LINES, "utf-8"
        if held.startswith(codecs.BOM_UTF16_LE):
            lines, codec = _LITTLE_LINES, "utf-16-le"
        elif held.startswith(codecs.BOM_UTF16_BE):
            lines, codec = _BIG_LINES, "utf-16-be"
        ours, theirs = lines.findall(held), lines.findall(earlier)
        merge = merge3(lines.findall(made), ours, theirs)
        if not merge.clean:
            why = "has changed since in the same place"
            raise _RefusedError(
                *(
                    Conflict(
                        shown,
                        why,
                        (start + 1, max(start + 1, stop)),
                        _shown(ours[start:stop], codec),
                        _shown(theirs[slice(*chunk.theirs)], codec),
                    )
                    for chunk in merge.conflicts
                    for start, stop in [chunk.ours]
                )
            )
        offsets = [0, *itertools.accumulate(map(len, ours))]
        splices = tuple(
            Splice(offsets[start], offsets[stop] - offsets[start], b"".join(lines))
            for start, stop, lines in merge.changes()
        )
        if splices:
            self.merged.append(shown)
            self.notes.append(f"{shown} has changed since; the later changes stay (merged)")
        else:
            self.notes.append(f"{shown} already holds what undoing would make of it")
        return splices

    def _earlier_large(
        self, entry: Entry, before: Side, after: Side, now: Snapshot, where: Location
    ) -> Modify | Restore:
        shown = self._locate(entry.place).shown
        if self._hunk is not None:
            raise errors.no_hunks(shown)
        if len(entry.runs) > 1 and not self._force:
            self._refuse(entry.place, _TOO_LARGE_IN_BETWEEN)
        splices: Sequence[Splice] | None = None
        for edit in reversed(entry.changes):
            self._task.check()
            back = self._contents.backward(edit)
            if back is None:
                splices = None
                break
            splices = back if splices is None else Overlay(now, splices).composed(back)
        digest = bytes.fromhex(after.digest) if after.digest is not None else None
        if splices is None:
            stream = self._contents.stream(before)
            if stream is None:
                self._refuse(entry.place, "is too large to be undone from what was kept")
            if now.size != after.size and not self._force:
                self._refuse(entry.place, _TOO_LARGE)
            status = now.status
            assert status is not None
            expected = Expected(now.size, now.identity, None if self._force else digest)
            rights = (stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid)
            return Restore(where, stream, *rights, before.mtime_ns, replace=True, expected=expected)
        if now.size == after.size and digest is not None:
            # The commit's copy loop hashes the file anyway, and refuses if it is another.
            return Modify(where, Expected(now.size, now.identity, digest), splices)
        if now.size <= after.size or not self._begins_as(now, after):
            self._refuse(entry.place, _TOO_LARGE)
        self.merged.append(shown)
        self.notes.append(f"{shown} has grown at its end since; what was added stays")
        return Modify(where, Expected(now.size, now.identity, None), splices)

    def _begins_as(self, now: Snapshot, after: Side) -> bool:
        state = xxhash.xxh3_128()
        for _, block in now.blocks(0, after.size):
            self._task.check()
            state.update(block)
        return state.hexdigest() == after.digest


def _goes_along(entry: Entry, whole: Mapping[Place, dict[bytes, bytes]]) -> bool:
    """Whether something goes with a folder that was made with all that is in it; then that is noted there."""
    for above in (entry.place, *folders_above(entry.place)):
        if above in whole:
            if above != entry.place:
                below = b"/".join(entry.place.parts[len(above.parts) :])
                whole[above][below] = content_of(entry.after) or b""
            return True
    return False


def _is_now(kind: str | None) -> str:
    return f"is a {'special file' if kind == 'other' else kind} now"


def _is(held: bytes, side: Side | None) -> bool:
    return side is not None and xxhash.xxh3_128_hexdigest(held) == side.digest


def _shown(lines: Sequence[bytes], codec: str) -> str:
    """The lines of one side of a conflict, the first of them, safe to be shown."""
    kept = [one_line(line.decode(codec, "replace").rstrip("\r\n"))[:_WIDTH] for line in lines[:_SIDE]]
    more = [f"... {len(lines) - _SIDE:,} more lines"] if len(lines) > _SIDE else []
    return "\n".join((*kept, *more))


# Refusing


def _refusal(selected: Selected, conflicts: Sequence[Conflict]) -> FilewrightError:
    first = conflicts[0]
    files = len({conflict.path for conflict in conflicts})
    more = f", and {files - 1} more" if files > 1 else ""
    sides = "".join(map(_both_sides, conflicts[:_SIDES_SHOWN]))
    return FilewrightError(
        Code.STALE_VERSION,
        f"{selected.what} cannot be undone: {first.path} {first.why}{_at(first)}{more}; nothing was changed{sides}",
        hint="undo the later changes of that file first (get_history lists them), show this change's diff "
        "(get_history with change_id) and edit the file by hand, or give force=true to have the earlier "
        "content over what is there now",
        details={
            **selected.named,
            "conflicts": [
                {**asdict(each), "lines": list(each.lines) if each.lines else None}
                for each in conflicts[:_MOST_LISTED]
            ],
            "conflict_count": len(conflicts),
        },
    )


def _at(conflict: Conflict) -> str:
    return f" (lines {conflict.lines[0]} to {conflict.lines[1]})" if conflict.lines else ""


def _both_sides(conflict: Conflict) -> str:
    """Both sides of a conflict, marked as git marks them."""
    if conflict.now is None:
        return f"\n{conflict.path} {conflict.why}"
    now, then = (f"{side}\n" if side else "" for side in (conflict.now, conflict.then))
    return f"\n{conflict.path}{_at(conflict)}\n<<<<<<< now\n{now}=======\n{then}>>>>>>> undone"
