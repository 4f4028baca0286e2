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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from operator import itemgetter
from typing import NoReturn, TypeVar

import xxhash

from filewright import errors
from filewright.boundary import Location
from filewright.changes.content import Held
from filewright.changes.record import Entry, Place, Stamp, content_of, folders_above, moved
from filewright.changes.scope import Selected
from filewright.changes.tree import Arranged, Item, Tree
from filewright.edit import (
    Create,
    Delete,
    Diff,
    Expected,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    Overlay,
    SetMode,
    SetOwner,
    Step,
    Stream,
    hunks_of,
    line_splices,
    merge3,
)
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text import Narrowed, Snapshot, Splice, apply
from filewright.visible import one_line

T = TypeVar("T")
_LITTLE_LINES = re.compile(rb"(?s:(?!\r\0|\n\0)..)*(?:\r\0\n\0|\n\0|\r\0)|(?s:(?!\r\0|\n\0)..)+|(?s:.)")
_BIG_LINES = re.compile(rb"(?s:(?!\0\r|\0\n)..)*(?:\0\r\0\n|\0\n|\0\r)|(?s:(?!\0\r|\0\n)..)+|(?s:.)")
_SIDE, _WIDTH, _SIDES_SHOWN = 12, 200, 10
"""Lines and characters that are shown of one side of a conflict, and conflicts that a message shows."""
_MOST_LISTED = 200
"""Conflicts that one refusal lists, and notes that one answer does."""
_GONE = "has been moved or deleted since"
_EDITED = "was created by that change and has been edited since"
_NOT_KEPT = "was deleted and not kept"
_ONLY_CHANGES_KEPT = "has been deleted or moved since, and only what changed in it was kept"
_SOMETHING_NEW = "was deleted by that change, and something new is there now"
_TOO_LARGE = "has changed since, and is too large to be merged"
_TOO_LARGE_IN_BETWEEN = "has been changed by others in between, and is too large to be merged"


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


class Reversal:
    """The undo of what `selected` names: a change set that is worked out on the tree of its commit.

    Each time it is, `merged` are the paths where later changes were kept by a three-way merge, and `notes` say what
    a person should know. A `trusting` one leaves it to the commit to find that a file is not as the change left it.

    Raises `unsupported` if nothing was kept, `path_escape` if it would reach beyond the roots.
    """

    def __init__(
        self,
        selected: Selected,
        settings: Settings,
        task: Task,
        *,
        locate: Callable[[Place], Location],
        force: bool,
        break_hard_links: bool,
        trusting: bool = False,
    ) -> None:
        record = selected.contents.record
        if not record.undoable:
            raise FilewrightError(
                Code.UNSUPPORTED,
                f"{'something of ' if len(selected.ids) > 1 else ''}{selected.what} was made with undoable=false; "
                "nothing was kept to undo it with",
                details=selected.named,
            )
        self.selected, self.diff = selected, Diff(())
        self._entries, self._contents, self._hunk = record.entries, selected.contents, selected.hunk
        self._settings, self._task, self._locate = settings, task, locate
        self._force, self._trusting = force, trusting and selected.hunk is None
        self._whole = _made_whole(record.entries) if self._trusting else {}
        self._places = {place: locate(place) for place in self._whole}
        for entry in record.entries:
            if not _goes_along(entry, self._whole):
                self._places.update((place, locate(place)) for place in entry.ends)
        self.change_set = Arranged(
            "revert_edit",
            selected.summary,
            (),
            break_hard_links or force,
            reverts=selected.ids,
            partial=selected.partial,
            arrange=self._arrange,
            places=self._places.values(),
        )

    def _arrange(self, tree: Tree) -> None:
        """Take it back on a tree.

        Raises `stale_version` with the conflicts in its details, `no_change` if nothing is left to do.
        """
        self._tree, self._number, self._does = tree, 0, False
        self._conflicts: list[tuple[int, Conflict]] = []
        self._noted: list[tuple[int, str]] = []
        self._merged: list[str] = []
        self._rewriting: list[Step] = []
        self._altering: list[Step] = []
        self._leading_out: set[Place] = set()
        try:
            self._rearrange()
        except FilewrightError:
            if not self._conflicts:
                raise
        if self._conflicts:
            raise _refusal(self.selected, _in_order(self._conflicts))
        for step in (*self._rewriting, *self._altering):
            self._play(step)
        self.merged, self.notes = tuple(self._merged), tuple(_in_order(self._noted)[:_MOST_LISTED])
        if not self._does:
            raise FilewrightError(
                Code.NO_CHANGE,
                f"there is nothing left to undo of {self.selected.what}",
                hint="; ".join(self.notes[:5]) or None,
                details=self.selected.named,
            )

    def _rearrange(self) -> None:
        """First all that is not to be where it is leaves its place, from below; then what is to be somewhere comes
        there, from above. What is in the way, and what there is to be told, has the number of its entry."""
        found: list[tuple[int, Entry, Item | None]] = []
        meant: set[Item] = set()
        for number, entry in enumerate(self._entries):
            self._task.check()
            if _goes_along(entry, self._whole):
                continue
            item = self._there(entry.place) if entry.after else None
            with self._telling(number):
                # One thing is at the place of two: the other one was overwritten.
                if item in meant:
                    self._refuse(entry.place, _GONE)
            found.append((number, entry, item))
            meant.update([item] if item is not None else [])
        back: dict[Place, Place] = {}
        for _, entry, _ in sorted(found, key=lambda each: len(each[1].place.parts)):
            # What a folder above carried along is where that brings it back.
            if entry.was is not None and (moved(entry.place, back) != entry.was or entry.carried is False):
                back[entry.place] = entry.was
        leaving: list[tuple[int, Entry, Item]] = []
        coming: list[tuple[int, Entry, Stamp, Item | None]] = []
        for number, entry, item in found:
            self._task.check()
            before, after = entry.before, entry.after
            goes = after is not None and entry.place in back
            with self._telling(number):
                if item is None or after is None:
                    pass
                elif before is None:
                    self._require_as_made(entry, after, item)
                    leaving.append((number, entry, item))
                else:
                    self._change_back(entry, before, after, item)
                if item is not None and goes:
                    leaving.append((number, entry, item))
            if before is None:
                if item is None and after is not None:
                    self._note(f"{self._where(entry.place).shown} is gone already")
            elif goes or after is None or (before.kind == "file" != (item and item.kind)):
                coming.append((number + goes * len(found), entry, before, item))
        for place, holding in self._whole.items():
            if (top := self._there(place)) is None or top.kind != "folder":
                raise errors.stale(self._where(place).asked)
            self._play(Delete(self._where(place), recursive=True, holding=holding))
        for number, entry, item in sorted(leaving, key=lambda each: -len(each[1].place.parts)):
            self._number, where = number, self._where(entry.place)
            if entry.before is not None:
                self._tree.leave(item, where)
            elif item.kind == "folder" and item.names():
                self._note(f"{where.shown}/ stays: others have put something into it")
            else:
                self._play(Delete(where))
        for number, entry, before, item in sorted(coming, key=lambda each: len(each[1].ends[-1].parts)):
            with self._telling(number):
                self._bring_back(entry, before, item, moves=entry.place in back)

    @contextmanager
    def _telling(self, number: int) -> Iterator[None]:
        """What is found inside has that number, and what is in the way is noted."""
        self._number = number
        try:
            yield
        except _RefusedError as refused:
            self._conflicts += ((number, conflict) for conflict in refused.conflicts)

    def _refuse(self, place: Place, why: str) -> NoReturn:
        raise _RefusedError(Conflict(self._where(place).shown, why))

    def _note(self, note: str) -> None:
        self._noted.append((self._number, note))

    def _play(self, step: Step) -> None:
        self._does = True
        self._tree.play(step)

    def _where(self, place: Place) -> Location:
        return self._places.get(place) or self._locate(place)

    def _there(self, place: Place) -> Item | None:
        """What is at a place by now."""
        where = self._where(place)
        try:
            return self._tree.find(where)[2]
        except FilewrightError as error:
            if error.code not in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY, Code.PATH_ESCAPE):
                raise
            return None

    def _require_inside(self, place: Place) -> None:
        """What comes back to `place` must not go through a link that leads out: it goes with `force`."""
        try:
            self._tree.find(self._where(place))
        except FilewrightError as error:
            if error.code is not Code.PATH_ESCAPE:
                return
            # A folder was there when the change was made.
            for link in reversed(tuple(folders_above(place))):
                if (item := self._there(link)) is not None and item.kind == "link":
                    break
            else:
                raise
            if self._force:
                self._play(Delete(self._where(link)))
            elif link not in self._leading_out:
                self._leading_out.add(link)
                why = f"is a link that leads out of the root now, and {place.shown} was below it"
                self._refuse(link, why)

    @contextmanager
    def _open(self, item: Item, where: Location) -> Iterator[Snapshot]:
        try:
            file = item.open()
        except OSError as error:
            raise from_os_error(error, where.asked) from error
        with Snapshot.of_file(file, where, self._settings) as now:
            yield now

    # What was made

    def _require_as_made(self, entry: Entry, after: Stamp, item: Item) -> None:
        """Refuse to take away what is something else than a change has made."""
        place = entry.place
        if item.kind != after.kind:
            self._refuse(place, _is_now(item.kind))
        if item.kind == "link" and item.target != after.target:
            self._refuse(place, "is a link to something else now")
        item.expected = self._trusted(entry, after, item)
        if item.kind != "file" or item.expected is not None:
            return
        with self._open(item, self._where(place)) as now:
            item.expected = Expected.of(now)
            if self._force:
                return
            if now.held is not None:
                self._taken_back(entry, now.held)
            elif len(entry.runs) > 1:
                self._refuse(place, _TOO_LARGE_IN_BETWEEN)
            elif now.digested(self._task).hex() != after.digest:
                self._refuse(place, _EDITED)

    def _trusted(self, entry: Entry, after: Stamp, item: Item) -> Expected | None:
        """What a file is if it is as the change left it, for the commit to find out; None if there is need to look."""
        alike = item.seen is not None and item.seen.size == after.size and after.digest is not None
        if not (self._trusting and alike and len(entry.runs) == 1):
            return None
        return Expected(after.size, None, bytes.fromhex(after.digest or ""))

    # What was deleted or moved

    def _bring_back(self, entry: Entry, before: Stamp, item: Item | None, *, moves: bool) -> None:
        """Bring something back to where it was: by its name, or made anew of what was kept."""
        was, gone = entry.ends[-1], entry.after is None
        where = self._where(was)
        if moves and entry.moved_on and not self._force:
            self._refuse(entry.place, f"was {where.shown}, and was renamed again since")
        if moves and item is not None:
            self._require_inside(was)
            self._does = True
            self._tree.arrive(item, Move(self._where(entry.place), where, overwrite=self._force))
            return
        if not gone and before.kind != "file":
            self._refuse(entry.place, _GONE)
        if before.kind == "other":
            self._note(f"{where.shown} was a special file and cannot be made again")
            return
        taken = self._there(was)
        kind = taken.kind if taken is not None else None
        over = kind == before.kind and (kind == "folder" or (kind == "file" and self._force))
        if taken is not None and not over:
            if not self._force:
                self._refuse(was, _SOMETHING_NEW if gone and before.kind != "folder" else _is_now(kind))
            self._play(Delete(where, recursive=True))
        self._require_inside(was)
        rights = before.mode, before.uid, before.gid
        if before.kind == "folder":
            self._play(MakeFolder(where, before.attributes))
            if not over:
                self._altering += (SetOwner(where, *rights[1:]), SetMode(where, f"{before.mode:05o}"))
        elif before.target is not None:
            self._play(MakeLink(where, before.target))
        else:
            content: Stream | None = self._contents.stream(before)
            if gone and len(entry.runs) > 1 and not self._force:
                content = Held(self._taken_back(entry, None) or b"")
            if content is None:
                self._refuse(entry.place, _NOT_KEPT if gone else _GONE if moves else _ONLY_CHANGES_KEPT)
            self._play(Create(where, content, *rights, before.mtime_ns, before.attributes, replace=over))
            if not gone and not moves:
                self._note(f"{where.shown} has been deleted or moved since; it is made anew")

    # What was rewritten or altered

    def _change_back(self, entry: Entry, before: Stamp, after: Stamp, item: Item) -> None:
        if before.kind == "file" != item.kind:
            return
        where, rights = self._where(entry.ends[-1]), item.rights
        given_back = SetMode(where, f"{before.mode:05o}")
        if before.kind == "file" and (entry.spans or before.digest != after.digest):
            step = self._earlier_content(entry, before, after, item, where)
            if step is not None:
                if not after.mode & 0o222 and rights[0] == after.mode:
                    # The change wrote to a file that was read-only already, and so may its undo.
                    self._rewriting.append(SetMode(where, f"{after.mode | stat.S_IWUSR:05o}"))
                    self._altering.append(given_back)
                self._rewriting.append(step)
        owner, made = (before.uid, before.gid), (after.uid, after.gid)
        if owner != made == rights[1:]:
            self._altering.append(SetOwner(where, *owner))
        if before.mode != after.mode == rights[0]:
            self._altering.append(given_back)
        elif before.mode != after.mode:
            self._note(f"{where.shown}: its mode was changed again since, and stays")

    def _earlier_content(
        self, entry: Entry, before: Stamp, after: Stamp, item: Item, where: Location
    ) -> Modify | Create | None:
        """The step that gives a file its earlier content; None if it has that."""
        expected = self._trusted(entry, after, item)
        if expected is not None and (splices := self._contents.backward(entry)) is not None:
            return Modify(where, expected, splices)
        with self._open(item, self._where(entry.place)) as now:
            held, runs = now.held, entry.runs
            if held is None or max(now.size, before.size, after.size) > self._settings.hold_bytes:
                return self._earlier_large(entry, before, after, item, now, where)
            stream = self._contents.stream(before) if self._force and self._hunk is None else None
            if stream is not None:
                splices = line_splices(held, stream.read())
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
        shown = self._where(run.place).shown
        if not 1 <= hunk <= len(hunks):
            raise errors.no_such_hunk(shown, hunk, len(hunks))
        others = [edit for number, edits in enumerate(hunks, 1) if number != hunk for edit in edits]
        if any((len(edit.old), len(edit.new)) != (edit.old_count, edit.new_count) for edit in others):
            raise errors.no_hunks(shown)
        kept: Sequence[Splice] = [Splice(e.offset, e.end - e.offset, b"".join(e.new)) for e in others]
        return apply(earlier, kept if narrow is None else narrow.widened(kept))

    def _merge(self, place: Place, made: bytes, held: bytes, earlier: bytes) -> Sequence[Splice]:
        shown = self._where(place).shown
        lines: Callable[[bytes], list[bytes]] = partial(bytes.splitlines, keepends=True)
        codec = "utf-8"
        if held.startswith(codecs.BOM_UTF16_LE):
            lines, codec = _LITTLE_LINES.findall, "utf-16-le"
        elif held.startswith(codecs.BOM_UTF16_BE):
            lines, codec = _BIG_LINES.findall, "utf-16-be"
        ours, theirs = lines(held), lines(earlier)
        merge = merge3(lines(made), ours, theirs)
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
            self._merged.append(shown)
            self._note(f"{shown} has changed since; the later changes stay (merged)")
        else:
            self._note(f"{shown} already holds what undoing would make of it")
        return splices

    def _earlier_large(
        self, entry: Entry, before: Stamp, after: Stamp, item: Item, now: Snapshot, where: Location
    ) -> Modify | Create:
        shown = self._where(entry.place).shown
        if self._hunk is not None:
            raise errors.no_hunks(shown)
        if len(entry.runs) > 1 and not self._force:
            self._refuse(entry.place, _TOO_LARGE_IN_BETWEEN)
        splices: Sequence[Splice] | None = None
        for edit in reversed(entry.changes):
            self._task.check()
            back = self._contents.backward(edit)
            splices = back if splices is None or back is None else Overlay(now, splices).composed(back)
            if back is None:
                break
        digest = bytes.fromhex(after.digest) if after.digest is not None else None
        expected = Expected(now.size, now.identity, digest)
        if splices is None:
            stream = self._contents.stream(before)
            if stream is None:
                self._refuse(entry.place, "is too large to be undone from what was kept")
            if now.size != after.size and not self._force:
                self._refuse(entry.place, _TOO_LARGE)
            if self._force:
                expected = replace(expected, digest=None)
            return Create(where, stream, *item.rights, before.mtime_ns, replace=True, expected=expected)
        if now.size == after.size and digest is not None:
            # The commit's copy loop hashes the file anyway, and refuses if it is another.
            return Modify(where, expected, splices)
        begun = xxhash.xxh3_128()
        for _, block in now.blocks(0, after.size) if now.size > after.size else ():
            self._task.check()
            begun.update(block)
        if begun.hexdigest() != after.digest:
            self._refuse(entry.place, _TOO_LARGE)
        self._merged.append(shown)
        self._note(f"{shown} has grown at its end since; what was added stays")
        return Modify(where, replace(expected, digest=None), splices)


def _in_order(numbered: Iterable[tuple[int, T]]) -> list[T]:
    return [each for _, each in sorted(numbered, key=itemgetter(0))]


def _made_whole(entries: Iterable[Entry]) -> dict[Place, dict[bytes, bytes]]:
    """The folders that were made with all that is in them, which can go as they came; each with that."""
    folders: set[Place] = set()
    mixed: set[Place] = set()
    for entry in entries:
        if entry.before is None and entry.after is not None and entry.after.kind == "folder":
            folders.add(entry.place)
        elif entry.before or entry.edits or content_of(entry.after) is None:
            mixed.update(*map(folders_above, entry.ends))
    tops = folders - mixed
    return {place: {} for place in tops if tops.isdisjoint(folders_above(place))}


def _goes_along(entry: Entry, whole: Mapping[Place, dict[bytes, bytes]]) -> bool:
    """Whether something goes with a folder that was made with all that is in it; then that is noted there."""
    if not whole or entry.before is not None:
        return False
    for above in (entry.place, *folders_above(entry.place)):
        if above in whole:
            if above != entry.place:
                below = b"/".join(entry.place.parts[len(above.parts) :])
                whole[above][below] = content_of(entry.after) or b""
            return True
    return False


def _is_now(kind: str | None) -> str:
    return f"is a {'special file' if kind == 'other' else kind} now"


def _is(held: bytes, side: Stamp | None) -> bool:
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
