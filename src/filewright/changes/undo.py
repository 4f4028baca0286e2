"""Undo: the inverse of what a change did, or several together, as a change set of its own.

Where a file has moved on since, the inverse is merged three ways, line by line: a clean merge is
applied and disclosed, a conflict is refused with what could be done instead. What was deleted or
moved away since comes back. With `force` each file gets its earlier content, over whatever is there.

Every entry is looked at once, and the questions about other entries are look-ups by the folders
above, so that the work follows the number of entries.
"""

from __future__ import annotations

import codecs
import re
import stat
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field

import xxhash

from filewright import errors
from filewright.boundary import Boundary, Location, temporary_name
from filewright.changes.content import Held
from filewright.changes.contents import Contents, Kept
from filewright.changes.net import moved
from filewright.changes.record import (
    Entry,
    NetEntry,
    Place,
    Side,
    content_of,
    edits_of,
    folders_above,
    runs_of,
)
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
_PHASES = ("delete", "clear", "restore", "modify", "attributes")
"""Each finds the tree as the earlier ones leave it. `clear` empties folders from below and moves things out of
them, `restore` brings things back from above."""
_SIDE, _WIDTH, _SIDES_SHOWN = 12, 200, 10
"""Lines and characters that are shown of one side of a conflict, and conflicts that a message shows."""
_MOST_LISTED = 200
"""Conflicts that one refusal lists, and notes that one answer does."""


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


@dataclass(frozen=True, slots=True)
class _Index:
    """What the entries of a change say of one another, by place.

    `there`: where the change left something; `arrived`: where it was not before; `leaving`: where the
    undo takes something away. `moves`: what it moved by itself; `back`: where those came from. What
    a moved folder carried along is in neither. `folders` were made; `whole` are those of them that were made
    with all that is in them, to be filled with what that is.
    """

    arrived: set[Place]
    there: set[Place]
    leaving: set[Place]
    moves: list[Entry]
    back: dict[Place, Place]
    folders: set[Place]
    whole: dict[Place, dict[bytes, bytes]]

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> _Index:
        renamed: list[Entry] = []
        mixed: set[Place] = set()
        index = cls(set(), set(), set(), [], {}, set(), {})
        for entry in entries:
            place, was = entry.place, entry.was
            made = entry.before is None
            if made and entry.after is not None and entry.after.kind == "folder":
                index.folders.add(place)
            elif not made or content_of(entry.after) is None or isinstance(entry, NetEntry):
                mixed.update(folders_above(place), folders_above(was or place))
            if entry.after is not None:
                index.there.add(place)
            if made or was is not None:
                index.leaving.add(place)
                if entry.after is not None:
                    index.arrived.add(place)
            if was is not None:
                renamed.append(entry)
        for entry in sorted(renamed, key=lambda entry: len(entry.place.parts)):
            # What a folder above carried along is where that brings it back.
            carried = index.origin(entry.place) == entry.was
            if isinstance(entry, NetEntry):
                carried = carried and entry.carried
            if entry.was is not None and not carried:
                index.back[entry.place] = entry.was
                index.moves.append(entry)
        tops = index.folders - mixed
        index.whole.update((place, {}) for place in tops if tops.isdisjoint(folders_above(place)))
        return index

    def takes_whole(self, entry: Entry) -> bool:
        """Whether something goes with a folder that was made with all that is in it; then that is noted there."""
        if not self.whole or entry.before is not None:
            return False
        for above in (entry.place, *folders_above(entry.place)):
            holding = self.whole.get(above)
            if holding is not None:
                if above != entry.place:
                    below = entry.place.parts[len(above.parts) :]
                    holding[b"/".join(below)] = content_of(entry.after) or b""
                return True
        return False

    def put_there(self, place: Place) -> bool:
        """Whether what is at `place` was put there by the change itself, or with a folder above."""
        return place in self.there or any(above in self.arrived for above in folders_above(place))

    def origin(self, place: Place) -> Place:
        """Where something that is at `place` now will be once the moves have been undone."""
        return moved(place, self.back)


@dataclass(frozen=True, slots=True)
class _Undoing:
    """One undo: what it works with, what it has found so far, and the steps, each with the depth at which it acts.

    A `trusting` one leaves it to the commit to find that a file is not as the change left it.
    """

    boundary: Boundary
    settings: Settings
    contents: Contents
    hunk: int | None
    locate: Callable[[Place], Location]
    index: _Index
    force: bool
    trusting: bool
    task: Task
    steps: dict[str, list[tuple[int, Step]]] = field(default_factory=lambda: {phase: [] for phase in _PHASES})
    conflicts: list[Conflict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    absent: set[Place] = field(default_factory=set)
    leading_out: dict[Place, Place] = field(default_factory=dict)
    staying: dict[Place, bool] = field(default_factory=dict)

    def then(self, phase: str, step: Step) -> None:
        """A step that may come at any time in its phase."""
        self.steps[phase].append((0, step))

    def conflict(self, place: Place, why: str) -> None:
        self.conflicts.append(Conflict(self.locate(place).shown, why))

    def clear(self, step: Step, place: Place) -> None:
        self.steps["clear"].append((-len(place.parts), step))

    def restore(self, step: Step, place: Place) -> None:
        self.require_inside(place)
        self.steps["restore"].append((len(place.parts), step))

    def require_inside(self, place: Place) -> None:
        """What comes back to `place` must not go through a link that leads out: it goes with `force`."""
        arrived = any(above in self.index.arrived for above in folders_above(place))
        if arrived or self.kind(place) is not None or place not in self.leading_out:
            return
        link = self.leading_out[place]
        if link in self.absent:
            return
        self.absent.add(link)
        if self.force:
            self.clear(Delete(self.locate(link)), link)
        else:
            self.conflict(link, f"is a link that leads out of the root now, and {place.shown} was below it")

    def kind(self, place: Place) -> str | None:
        """What is at a place now: `file`, `folder`, `link`, `other`, or None."""
        if any(above in self.absent for above in folders_above(place)):
            return None
        try:
            kind = self.boundary.stat(self.locate(place)).kind
        except FilewrightError as error:
            if error.code is Code.PATH_ESCAPE:
                # A folder was there when the change was made.
                links = (
                    above
                    for above in reversed(tuple(folders_above(place)))
                    if self.boundary.stat(self.locate(above)).kind == "link"
                )
                link = next(links, None)
                if link is None:
                    raise  # It was a link a moment ago.
                self.leading_out[place] = link
                return None
            if error.code not in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY):
                raise
            self.absent.add(place)
            return None
        return kind if kind in ("file", "folder", "link") else "other"

    def open(self, place: Place) -> Snapshot:
        """The file at a place."""
        where = self.locate(place)
        return Snapshot.of_file(self.boundary.open_file(where), where, self.settings)


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
    """The change set that undoes what is selected; a `trusting` one only looks where it must.

    Raises `stale_version` with the conflicts in its details, `unsupported` if nothing was kept,
    `no_change` if nothing is left to do, `path_escape` if it would reach beyond the roots.
    """
    contents, what = selected.contents, selected.what
    record = contents.record
    if not record.undoable:
        raise FilewrightError(
            Code.UNSUPPORTED,
            f"{'something of ' if len(selected.ids) > 1 else ''}{what} was made with undoable=false; "
            "nothing was kept to undo it with",
            details=selected.named,
        )
    index = _Index.of(record.entries)
    undoing = _Undoing(
        boundary,
        settings,
        contents,
        selected.hunk,
        locate,
        index,
        force,
        trusting and selected.hunk is None,
        task,
    )
    for entry in record.entries:
        task.check()
        if undoing.trusting and index.takes_whole(entry):
            continue
        if entry.before is None and entry.after is not None:
            _remove_created(undoing, entry, entry.after)
        elif entry.before is not None and entry.after is None:
            _bring_back(undoing, entry, entry.before)
        elif entry.before is not None and entry.after is not None:
            _change_back(undoing, entry, entry.before, entry.after)
    for place, holding in index.whole.items() if undoing.trusting else ():
        undoing.clear(Delete(locate(place), recursive=True, holding=holding), place)
    _move_back(undoing)
    if undoing.conflicts:
        raise _refusal(selected, undoing.conflicts)
    phases = (sorted(undoing.steps[phase], key=lambda step: step[0]) for phase in _PHASES)
    steps = tuple(step for phase in phases for _, step in phase)
    notes = tuple(undoing.notes[:_MOST_LISTED])
    if not steps:
        raise FilewrightError(
            Code.NO_CHANGE,
            f"there is nothing left to undo of {what}",
            hint="; ".join(notes[:5]) or None,
            details=selected.named,
        )
    change_set = ChangeSet(
        "revert_edit", selected.summary, steps, reverts=selected.ids, partial=selected.partial
    )
    return Reversal(selected, change_set, tuple(undoing.merged), notes, show)


# What the change created


def _is_now(kind: str | None) -> str:
    return f"is a {'special file' if kind == 'other' else kind} now"


def _remove_created(undoing: _Undoing, entry: Entry, after: Side) -> None:
    place = entry.place
    where = undoing.locate(place)
    runs = runs_of(entry)
    if undoing.trusting and after.kind == "file" and after.digest is not None and len(runs) == 1:
        expected = Expected(after.size, None, bytes.fromhex(after.digest))
        undoing.then("delete", Delete(where, expected=expected))
        return
    kind = undoing.kind(place)
    if kind is None:
        undoing.notes.append(f"{where.shown} is gone already")
    elif kind != after.kind:
        undoing.conflict(place, _is_now(kind))
    elif kind == "file":
        with undoing.open(place) as now:
            if undoing.force or _as_created(undoing, runs, now):
                undoing.then("delete", Delete(where, expected=Expected.of(now)))
    elif kind == "link":
        if undoing.boundary.read_link(where) != after.target:
            undoing.conflict(place, "is a link to something else now")
        else:
            undoing.then("delete", Delete(where))
    elif _holds_more(undoing, place, where):
        undoing.notes.append(f"{where.shown}/ stays: others have put something into it")
    else:
        undoing.clear(Delete(where), place)


def _as_created(undoing: _Undoing, runs: Sequence[Entry], now: Snapshot) -> bool:
    """Whether nothing but the change has made the file what it is; else that is a conflict."""
    if now.held is not None:
        with suppress(_RefusedError):
            return _taken_back(undoing, runs, now.held) is None
        return False
    made = runs[0].after
    if len(runs) > 1:
        why = "has been changed by others in between, and is too large to be merged"
    elif made is None or now.digested(undoing.task).hex() != made.digest:
        why = "was created by that change and has been edited since"
    else:
        return True
    undoing.conflict(runs[0].place, why)
    return False


def _holds_more(undoing: _Undoing, place: Place, where: Location) -> bool:
    """Whether a folder holds what the undo does not take away."""
    if place not in undoing.staying:
        with undoing.boundary.open_folder(where) as folder:
            inside = [Place(place.root, (*place.parts, name)) for name in folder.names()]
        index = undoing.index
        undoing.staying[place] = any(
            each not in index.leaving
            or (
                each in index.folders
                and undoing.kind(each) == "folder"
                and _holds_more(undoing, each, undoing.locate(each))
            )
            for each in inside
        )
    return undoing.staying[place]


# What it deleted


def _bring_back(undoing: _Undoing, entry: Entry, before: Side) -> None:
    place = entry.place
    where = undoing.locate(place)
    taken = None if undoing.index.put_there(place) else undoing.kind(place)
    if before.kind == "folder":
        if taken not in (None, "folder") and not _make_way(undoing, place, where):
            undoing.conflict(place, _is_now(taken))
            return
        undoing.restore(MakeFolder(where, before.attributes), place)
        if taken != "folder":
            undoing.then("attributes", SetOwner(where, before.uid, before.gid))
            undoing.then("attributes", SetMode(where, f"{before.mode:05o}"))
        return
    if before.kind == "other":
        undoing.notes.append(f"{where.shown} was a special file and cannot be made again")
        return
    over = taken == before.kind == "file" and undoing.force
    if taken is not None and not over and not _make_way(undoing, place, where):
        undoing.conflict(place, "was deleted by that change, and something new is there now")
        return
    if before.kind == "link":
        assert before.target is not None
        undoing.restore(MakeLink(where, before.target), place)
        return
    runs = runs_of(entry)
    if len(runs) > 1 and not undoing.force:
        with suppress(_RefusedError):
            held = _taken_back(undoing, runs, None)
            _restore(undoing, before, place, content=Held(held or b""))
    elif not _restore(undoing, before, place, over=over):
        undoing.conflict(place, "was deleted and not kept")


def _make_way(undoing: _Undoing, place: Place, where: Location) -> bool:
    """With `force`, take away what is in the place of what comes back."""
    if undoing.force:
        undoing.absent.add(place)
        undoing.clear(Delete(where, recursive=True), place)
    return undoing.force


def _restore(
    undoing: _Undoing, before: Side, place: Place, *, over: bool = False, content: Stream | None = None
) -> bool:
    """Bring a whole file back to `place`, with another `content` if one is given; False if none was kept."""
    content = content or undoing.contents.stream(before)
    if content is None:
        return False
    step = Restore(
        undoing.locate(place),
        content,
        before.mode,
        before.uid,
        before.gid,
        before.mtime_ns,
        before.attributes,
        replace=over,
    )
    undoing.restore(step, place)
    return True


# What it moved


def _move_back(undoing: _Undoing) -> None:
    """Several moves may be in one another's way: all go to names of their own first, in thought."""
    present: list[tuple[Place, Place]] = []
    for entry in undoing.index.moves:
        assert entry.was is not None
        if isinstance(entry, NetEntry) and entry.moved_on and not undoing.force:
            undoing.conflict(
                entry.place, f"was {undoing.locate(entry.was).shown}, and was renamed again since"
            )
        elif undoing.kind(entry.place) is not None:
            present.append((entry.place, entry.was))
        elif not (
            entry.before and entry.before.kind == "file" and _restore(undoing, entry.before, entry.was)
        ):
            undoing.conflict(entry.place, "has been moved or deleted since")
    if len(present) == 1 and not undoing.steps["clear"] and not undoing.steps["restore"]:
        place, was = present[0]
        undoing.require_inside(was)
        undoing.clear(Move(undoing.locate(place), undoing.locate(was), overwrite=undoing.force), place)
        return
    for place, was in present:
        source = undoing.locate(place)
        parked = Location(source.root, (temporary_name(),), source.asked)
        undoing.clear(Move(source, parked, aside=True), place)
        undoing.restore(Move(parked, undoing.locate(was), overwrite=undoing.force), was)


# What it rewrote or altered


def _change_back(undoing: _Undoing, entry: Entry, before: Side, after: Side) -> None:
    place = entry.place
    final = undoing.index.origin(place)
    where = undoing.locate(final)
    kind = undoing.kind(place)
    if before.kind == "file":
        if kind != "file":
            if place not in undoing.index.back:
                _bring_changed_back(undoing, entry, before, kind, final)
            return
        with undoing.open(place) as now:
            status = now.status
            if entry.spans or before.digest != after.digest:
                step = _earlier_content(undoing, entry, before, after, now, where)
                if step is not None:
                    if (
                        not after.mode & 0o222
                        and now.status
                        and stat.S_IMODE(now.status.st_mode) == after.mode
                    ):
                        # The change wrote to a file that was read-only already, and so may its undo.
                        undoing.then("modify", SetMode(where, f"{after.mode | stat.S_IWUSR:05o}"))
                        undoing.then("attributes", SetMode(where, f"{before.mode:05o}"))
                    undoing.then("modify", step)
    elif kind is None:
        return
    else:
        status = undoing.boundary.stat(undoing.locate(place)).raw
    if status is None:
        return
    if (before.uid, before.gid) != (after.uid, after.gid) and (status.st_uid, status.st_gid) == (
        after.uid,
        after.gid,
    ):
        undoing.then("attributes", SetOwner(where, before.uid, before.gid))
    if before.mode != after.mode:
        if stat.S_IMODE(status.st_mode) == after.mode:
            undoing.then("attributes", SetMode(where, f"{before.mode:05o}"))
        else:
            undoing.notes.append(f"{where.shown}: its mode was changed again since, and stays")


def _bring_changed_back(
    undoing: _Undoing, entry: Entry, before: Side, kind: str | None, final: Place
) -> None:
    """A file that the change rewrote and that is no longer there: its earlier content comes back."""
    where = undoing.locate(final)
    if kind is not None and not _make_way(undoing, entry.place, undoing.locate(entry.place)):
        undoing.conflict(entry.place, _is_now(kind))
    elif _restore(undoing, before, final):
        undoing.notes.append(f"{where.shown} has been deleted or moved since; it is made anew")
    else:
        undoing.conflict(entry.place, "has been deleted or moved since, and only what changed in it was kept")


def _earlier_content(
    undoing: _Undoing, entry: Entry, before: Side, after: Side, now: Snapshot, where: Location
) -> Modify | Restore | None:
    """The step that gives a file its earlier content; None if there is none to take, or a conflict."""
    most = max(now.size, before.size, after.size)
    if now.held is None or most > undoing.settings.hold_bytes:
        return _earlier_large(undoing, entry, before, after, now, where)
    runs = runs_of(entry)
    if undoing.force and undoing.hunk is None:
        stream = undoing.contents.stream(before)
        if stream is not None:
            return _modify(now, line_splices(now.held, stream.read()), where)
    elif len(runs) > 1 and undoing.hunk is not None:
        raise errors.no_hunks(where.shown)
    elif len(runs) > 1:
        try:
            held = _taken_back(undoing, runs, now.held)
        except _RefusedError:
            return None
        return _modify(now, line_splices(now.held, held or b""), where)
    splices = _run_back(undoing, runs[-1], now.held)
    return None if splices is None else _modify(now, splices, where)


class _RefusedError(Exception):
    """A run cannot be taken back; the conflict is noted."""


def _taken_back(undoing: _Undoing, runs: Sequence[Entry], held: bytes | None) -> bytes | None:
    """What is left of a file when each run is taken back, the last first; None if that is no file.

    What others have deleted in between comes back. Raises `_RefusedError`.
    """
    for run in reversed(runs):
        undoing.task.check()
        if run.before is None:
            if held is not None and not _is(held, run.after):
                undoing.conflict(run.place, "was created by that change and has been edited since")
                raise _RefusedError
            held = None
        elif held is None:
            held = undoing.contents.before(run)
            if held is None:
                undoing.conflict(run.place, "was deleted and not kept")
                raise _RefusedError
        elif run.after is None:
            undoing.conflict(run.place, "was deleted by that change, and something new is there now")
            raise _RefusedError
        else:
            splices = _run_back(undoing, run, held)
            if splices is None:
                raise _RefusedError
            held = apply(held, splices)
    return held


def _run_back(undoing: _Undoing, run: Entry, held: bytes) -> Sequence[Splice] | None:
    """The splices that take a run back from what a file holds now; None where it is refused.

    They are what was kept where nothing has changed since, else a merge: what the run made is the
    base; the file now and the file before are the two sides.
    """
    assert run.before is not None
    unchanged = _is(held, run.after)
    if unchanged and undoing.hunk is None:
        splices = undoing.contents.backward(run)
        if splices is not None:
            return splices
    earlier = undoing.contents.before(run, held if unchanged else None)
    if earlier is None:
        undoing.conflict(run.place, "was not kept as it was before")
        return None
    made = held if unchanged else undoing.contents.after(run)
    if made is None:
        undoing.conflict(run.place, "has changed since, and what the change made of it was not kept")
        return None
    if undoing.hunk is not None:
        earlier = _without_hunk(undoing, run, earlier, made, undoing.hunk)
    if unchanged:
        return line_splices(held, earlier)
    return _merged(undoing, run.place, made, held, earlier)


def _is(held: bytes, side: Side | None) -> bool:
    return side is not None and xxhash.xxh3_128_hexdigest(held) == side.digest


def _without_hunk(undoing: _Undoing, run: Entry, earlier: bytes, made: bytes, hunk: int) -> bytes:
    """What the change would have made without one of its hunks, which count from 1 as its diff shows them.

    Raises `not_found` if it has fewer, `unsupported` where it is too large for hunks.
    """
    snapshot = Snapshot.of_bytes(earlier, settings=undoing.settings)
    splices = undoing.contents.forward(run)
    narrow = Narrowed(snapshot) if snapshot.encoding.width > 1 else None
    if narrow is not None:
        snapshot, splices = narrow.snapshot, line_splices(narrow.text(earlier), narrow.text(made))
    hunks = hunks_of(snapshot, line_splices(earlier, made) if splices is None else splices)
    shown = undoing.locate(run.place).shown
    if not 1 <= hunk <= len(hunks):
        raise errors.no_such_hunk(shown, hunk, len(hunks))
    others = [edit for number, edits in enumerate(hunks, 1) if number != hunk for edit in edits]
    if any((len(edit.old), len(edit.new)) != (edit.old_count, edit.new_count) for edit in others):
        raise errors.no_hunks(shown)
    kept: Sequence[Splice] = [Splice(e.offset, e.end - e.offset, b"".join(e.new)) for e in others]
    return apply(earlier, kept if narrow is None else narrow.widened(kept))


def _merged(
    undoing: _Undoing, place: Place, made: bytes, held: bytes, earlier: bytes
) -> Sequence[Splice] | None:
    shown = undoing.locate(place).shown
    lines, codec = _line_pattern(held)
    ours = lines.findall(held)
    theirs = lines.findall(earlier)
    merge = merge3(lines.findall(made), ours, theirs)
    if not merge.clean:
        for chunk in merge.conflicts:
            (start, stop), then = chunk.ours, theirs[chunk.theirs[0] : chunk.theirs[1]]
            numbers = (start + 1, max(start + 1, stop))
            why = "has changed since in the same place"
            sides = _shown(ours[start:stop], codec), _shown(then, codec)
            undoing.conflicts.append(Conflict(shown, why, numbers, *sides))
        return None
    offsets = [0]
    for line in ours:
        offsets.append(offsets[-1] + len(line))
    splices = tuple(
        Splice(offsets[start], offsets[stop] - offsets[start], b"".join(lines))
        for start, stop, lines in merge.changes()
    )
    if splices:
        undoing.merged.append(shown)
        undoing.notes.append(f"{shown} has changed since; the later changes stay (merged)")
    else:
        undoing.notes.append(f"{shown} already holds what undoing would make of it")
    return splices


def _line_pattern(held: bytes) -> tuple[re.Pattern[bytes], str]:
    """What finds the lines of a content, and the codec to show them in."""
    if held.startswith(codecs.BOM_UTF16_LE):
        return _LITTLE_LINES, "utf-16-le"
    if held.startswith(codecs.BOM_UTF16_BE):
        return _BIG_LINES, "utf-16-be"
    return _LINES, "utf-8"


def _shown(lines: Sequence[bytes], codec: str) -> str:
    """The lines of one side of a conflict, the first of them, safe to be shown."""
    kept = [one_line(line.decode(codec, "replace").rstrip("\r\n"))[:_WIDTH] for line in lines[:_SIDE]]
    more = [f"... {len(lines) - _SIDE:,} more lines"] if len(lines) > _SIDE else []
    return "\n".join((*kept, *more))


def _modify(now: Snapshot, splices: Sequence[Splice], where: Location) -> Modify | None:
    return Modify(where, Expected.of(now), splices) if splices else None


def _earlier_large(
    undoing: _Undoing, entry: Entry, before: Side, after: Side, now: Snapshot, where: Location
) -> Modify | Restore | None:
    shown = undoing.locate(entry.place).shown
    if undoing.hunk is not None:
        raise errors.no_hunks(shown)
    if len(runs_of(entry)) > 1 and not undoing.force:
        undoing.conflict(entry.place, "has been changed by others in between, and is too large to be merged")
        return None
    splices = _backward(undoing, entry, now)
    if splices is None:
        stream = undoing.contents.stream(before)
        if stream is None:
            undoing.conflict(entry.place, "is too large to be undone from what was kept")
        elif now.size != after.size and not undoing.force:
            undoing.conflict(entry.place, "has changed since, and is too large to be merged")
        else:
            return _whole(undoing, before, after, now, where, stream)
        return None
    if now.size == after.size and after.digest is not None:
        # The commit's copy loop hashes the file anyway, and refuses if it is another.
        expected = Expected(now.size, now.identity, bytes.fromhex(after.digest))
        return Modify(where, expected, splices)
    if now.size > after.size and _begins_as(undoing, now, after):
        undoing.merged.append(shown)
        undoing.notes.append(f"{shown} has grown at its end since; what was added stays")
        return Modify(where, Expected(now.size, now.identity, None), splices)
    undoing.conflict(entry.place, "has changed since, and is too large to be merged")
    return None


def _backward(undoing: _Undoing, entry: Entry, now: Snapshot) -> Sequence[Splice] | None:
    """The splices that take all edits of a file back, the last first; None if one was none, or was not kept."""
    found: Sequence[Splice] | None = None
    for edit in reversed(edits_of(entry)):
        undoing.task.check()
        splices = undoing.contents.backward(edit)
        if splices is None:
            return None
        found = splices if found is None else Overlay(now, found).composed(splices)
    return found


def _begins_as(undoing: _Undoing, now: Snapshot, after: Side) -> bool:
    state = xxhash.xxh3_128()
    for _, block in now.blocks(0, after.size):
        undoing.task.check()
        state.update(block)
    return state.hexdigest() == after.digest


def _whole(
    undoing: _Undoing, before: Side, after: Side, now: Snapshot, where: Location, stream: Kept
) -> Restore:
    digest = bytes.fromhex(after.digest) if after.digest and not undoing.force else None
    status = now.status
    assert status is not None
    return Restore(
        where,
        stream,
        stat.S_IMODE(status.st_mode),
        status.st_uid,
        status.st_gid,
        before.mtime_ns,
        replace=True,
        expected=Expected(now.size, now.identity, digest),
    )


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
