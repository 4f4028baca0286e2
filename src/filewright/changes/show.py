"""Diffs of changes: of what was done, from history; of an undo, before it is done.

A diff is an extra: it has a budget of lines and the time that is left of its task, reads each file
once, and says what it left out. What can no longer be read is said in its place, never raised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from filewright.boundary import Boundary, Location
from filewright.changes.contents import Contents
from filewright.changes.record import Entry, Place, Stamp, same_content
from filewright.changes.slots import OpenFolders
from filewright.changes.tree import Item, Tree
from filewright.edit import (
    ChangeSet,
    Diff,
    FileDiff,
    Lost,
    by_cells,
    splices_between,
    unified,
)
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import MB, Settings
from filewright.text import Snapshot, Splice, apply

_SHOWN_WHOLE = 1 * MB
_CONTEXT = 400
_NO_FILE = Stamp("file", 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _ShownFile:
    """One file's part of a diff: its names and modes, and what becomes of `before`."""

    old: str | None
    new: str | None
    before: Snapshot | None = None
    splices: Sequence[Splice] = ()
    mode_before: int | None = None
    mode_after: int | None = None
    remark: str = ""

    def diff(self, max_lines: int, line_chars: int, start: int = 0) -> FileDiff:
        """Its diff, in about so many rows; with 0 it has none, but its counts. `start` as for `unified`."""
        if self.before is None:
            known = None if self.remark else 0
            return FileDiff(
                self.old, self.new, (), self.mode_before, self.mode_after,
                added=known, removed=known, counted=not self.remark, remark=self.remark,
            )  # fmt: skip
        found = unified(
            self.old, self.new, self.before, self.splices,
            max_lines=max_lines, line_chars=line_chars, start=start,
            mode_before=self.mode_before, mode_after=self.mode_after,
        )  # fmt: skip
        return replace(found, remark=self.remark)


@dataclass(frozen=True, slots=True)
class FileDifference:
    """What became of one file: paths as they are shown, `was` if it was renamed, sizes in bytes, modes.

    A size and a mode are None where there is no file. `added` and `removed` count lines, None for what is
    no text or is not known. There are several `diffs` where others have changed it in between.
    """

    path: str
    was: str | None
    action: str
    kind: str
    size_before: int | None
    size_after: int | None
    mode_before: int | None
    mode_after: int | None
    added: int | None
    removed: int | None
    diffs: tuple[FileDiff, ...]

    @property
    def diff(self) -> str:
        """The diffs, git style."""
        return Diff(self.diffs).text


@dataclass(slots=True)
class _Budget:
    """The rows and the time that are left, and the diffs made with them."""

    lines: int
    task: Task
    files: list[FileDiff] = field(default_factory=list)
    cut: int = 0
    lost: list[Lost] = field(default_factory=list)

    @property
    def spent(self) -> bool:
        return self.lines <= 0 or self.task.expired or self.task.cancelled

    def add(self, *files: FileDiff) -> None:
        self.files += files
        self.lines -= sum(file.rows + 4 for file in files)

    def diff(self) -> Diff:
        return Diff(tuple(self.files), self.cut, tuple(self.lost))


@dataclass(frozen=True, slots=True)
class ChangeDiffs:
    """Makes diffs of changes below a boundary; `locate` finds a place of history below its roots."""

    boundary: Boundary
    settings: Settings
    locate: Callable[[Place], Location | None]

    def of_record(
        self, contents: Contents, *, max_lines: int, task: Task, entries: slice | None = None
    ) -> Diff:
        """What a committed change did, in about `max_lines` lines and the time left of `task`."""
        budget = _Budget(max_lines, task)
        shown = contents.record.entries
        for entry in shown if entries is None else shown[entries]:
            if any(side is not None and side.kind == "folder" for side in (entry.before, entry.after)):
                continue
            if budget.spent:
                budget.cut += 1
                continue
            budget.add(*self.of_entry(contents, entry, max_lines=budget.lines).diffs)
        return budget.diff()

    def of_entry(self, contents: Contents, entry: Entry, *, max_lines: int, start: int = 0) -> FileDifference:
        """What became of one entry that is no folder; with `max_lines` 0 its lines are only counted.

        `start` is the `next` of an earlier window of the one diff that it has.
        """
        names = self._names(entry)
        parts: list[FileDiff] = []
        for edit in _edits_shown(contents, entry):
            left = max_lines and max(10, max_lines - sum(part.rows for part in parts))
            shown = names if not parts else replace(names, old=names.new, mode_before=names.mode_after)
            try:
                file = self._changed_file(contents, edit, shown, left)
            except FilewrightError as error:
                file = replace(shown, remark=f"(not shown: {error.message})\n")
            parts.append(file.diff(left, self.settings.line_chars, start))
        before, after = entry.before, entry.after
        known = [part for part in parts if part.added is not None]
        return FileDifference(
            path=names.new or names.old or "",
            was=names.old if names.old != names.new and names.new is not None else None,
            action=entry.action,
            kind=(after or before or _NO_FILE).kind,
            size_before=before.size if before is not None else None,
            size_after=after.size if after is not None else None,
            mode_before=names.mode_before,
            mode_after=names.mode_after,
            added=sum(part.added or 0 for part in known) if len(known) == len(parts) else None,
            removed=sum(part.removed or 0 for part in known) if len(known) == len(parts) else None,
            diffs=tuple(parts),
        )

    def of_change_set(self, change_set: ChangeSet, *, max_lines: int, task: Task) -> Diff:
        """What a change set would do, in about `max_lines` lines and the time left of `task`."""
        budget = _Budget(max_lines, task)
        folders = OpenFolders(self.boundary)
        try:
            tree = Tree(self.boundary, folders, change_set, task)
            tree.take()
            gone = [item for item in tree.displaced if not item.alive]
            named = {item.was_at for item in gone if item.kind != "folder"}
            for folder in gone:
                if folder.kind == "folder":
                    self._deleted_below(folder.was_at, named, budget)
            for item in _files_in(tree):
                lost = [Lost(item.was_at.shown, 1, item.seen.size)] if item.seen is not None else []
                overwritten = item.alive and item.fresh and _is_whole(item)
                if not item.alive or (overwritten and budget.spent):
                    budget.lost += lost
                if budget.spent:
                    budget.cut += 1
                    continue
                names = self._names(_planned(item))
                try:
                    file = self._previewed(item, names)
                    budget.add(file.diff(max(10, budget.lines), self.settings.line_chars))
                    if overwritten and (budget.files[-1].binary or budget.files[-1].truncated):
                        budget.lost += lost
                    if file.before is not None:
                        file.before.close()
                except FilewrightError as error:
                    budget.add(FileDiff(names.old, names.new, remark=f"(not shown: {error.message})\n"))
        finally:
            folders.close()
        return budget.diff()

    def _deleted_below(self, where: Location, named: Collection[Location], budget: _Budget) -> None:
        """The files below a deleted folder, but those `named` already, as far as the budget goes."""
        files = size = 0
        for entry in self.boundary.walk(where, include_ignored=True, details=True, task=budget.task):
            if entry.kind == "folder" or entry.location in named:
                continue
            files, size = files + 1, size + (entry.status.size if entry.status is not None else 0)
            if entry.kind != "file" or budget.spent:
                budget.cut += 1
            else:
                gone = _ShownFile(entry.location.shown, None)
                with self._snapshot(entry.location) as before:
                    if before.size <= _SHOWN_WHOLE:
                        gone = replace(gone, before=before, splices=(Splice(0, before.size, b""),))
                    budget.add(gone.diff(max(10, budget.lines), self.settings.line_chars))
        budget.lost.append(Lost(f"{where.shown}/", files, size))

    # What was done

    def _names(self, entry: Entry) -> _ShownFile:
        def shown(place: Place) -> str:
            return (self.locate(place) or place).shown

        return _ShownFile(
            old=shown(entry.was or entry.place) if entry.before is not None else None,
            new=shown(entry.place) if entry.after is not None else None,
            mode_before=_mode(entry.before),
            mode_after=_mode(entry.after),
        )

    def _changed_file(
        self, contents: Contents, entry: Entry, names: _ShownFile, max_lines: int
    ) -> _ShownFile:
        if same_content(entry):
            return names
        before = (
            _small(entry.before)
            if entry.before is None or entry.before.kind == "link"
            else contents.before(entry)
        )
        if entry.spans and before is None:
            return self._excerpt(contents, entry, names, max_lines)
        after = _small(entry.after) if entry.after is None or entry.after.kind == "link" else None
        splices = contents.forward(entry) if entry.spans else None
        if splices is None and after is None:
            after = contents.after(entry)
        if before is None or (splices is None and after is None):
            size = (entry.before or entry.after or _NO_FILE).size
            return replace(names, remark=f"(content of {size:,} bytes not shown)\n")
        return _compared(names, Snapshot.of_bytes(before, settings=self.settings), splices, after)

    def _excerpt(self, contents: Contents, entry: Entry, names: _ShownFile, max_lines: int) -> _ShownFile:
        """An edit of a large file: the lines around the first splices, as far as the file still has them."""
        most = max(10, max_lines)
        forward = contents.forward(entry, most=most)
        backward = contents.backward(entry, most=most)
        if forward is None or backward is None:
            return names
        parts: list[bytes] = []
        splices: list[Splice] = []
        size = 0
        end: int | None = None
        with self._now(entry) as now:
            for ahead, back in zip(forward, backward, strict=True):
                lead = _between(now, end, back.offset)
                splices.append(Splice(size + len(lead), ahead.length, ahead.replacement))
                parts += (lead, back.replacement)
                size += len(lead) + len(back.replacement)
                end = back.end
            parts.append(_between(now, end, None))
        left = len(entry.spans) - len(splices)
        remark = f"... {left:,} more changes of this file not shown\n" if left else ""
        before = Snapshot.of_bytes(b"".join(parts), settings=self.settings)
        remark += "(line numbers are those of an excerpt)\n"
        return replace(names, before=before, splices=splices, remark=remark)

    def _now(self, entry: Entry) -> Snapshot:
        """The file as it is, if it can still be what the change made of it; else nothing."""
        nothing = Snapshot.of_bytes(b"", settings=self.settings)
        where = self.locate(entry.place)
        if where is None or entry.after is None:
            return nothing
        try:
            found = self._snapshot(where, hold=False)
        except FilewrightError:
            return nothing
        if found.size == entry.after.size:
            return found
        found.close()
        return nothing

    def _snapshot(self, where: Location, *, hold: bool = True) -> Snapshot:
        return Snapshot.of_file(self.boundary.open_file(where), where, self.settings, hold=hold)

    # What would be done

    def _previewed(self, item: Item, names: _ShownFile) -> _ShownFile:
        if item.alive and not item.fresh:
            return names
        link = item.target if item.home is not None else None
        before = Snapshot.of_bytes(link or b"", settings=self.settings)
        if item.home is not None and item.kind == "file":
            if not item.alive and item.seen is not None and item.seen.size > _SHOWN_WHOLE:
                return names
            before = self._snapshot(item.was_at)
        if not item.alive:
            return replace(names, before=before, splices=(Splice(0, before.size, b""),))
        return _compared(names, before, item.splices, _held(item))


def _compared(
    names: _ShownFile, before: Snapshot, splices: Sequence[Splice] | None, after: bytes | None
) -> _ShownFile:
    """A file of which `splices` are made, or which becomes `after`; of a notebook, its cells."""
    if (names.new or names.old or "").lower().endswith(".ipynb") and (held := before.held) is not None:
        made = apply(held, splices) if splices is not None else after or b""
        if cells := by_cells(held, made):
            return replace(names, before=cells[0], splices=cells[1])
    return replace(
        names, before=before, splices=splices_between(before, after or b"") if splices is None else splices
    )


def _planned(item: Item) -> Entry:
    """What history will say of an item that is no folder, but for what it holds."""
    before = after = None
    if item.seen is not None:
        before = Stamp.of(item.seen)
    if item.alive:
        after = Stamp(item.kind, *item.rights)
    where = Place.of(item.will_be_at if after is not None else item.was_at)
    return Entry(where, before, after, Place.of(item.was_at) if before is not None else None)


def _files_in(tree: Tree) -> Iterator[Item]:
    """The files and links that a change takes away, makes, rewrites, renames or alters."""
    yield from (item for item in tree.displaced if not item.alive and item.kind != "folder")
    pending = list(reversed(tree.fresh))
    while pending:
        item = pending.pop()
        if item.kind == "folder":
            pending += [below for below in item.entries.values() if below is not None and below.fresh]
        else:
            yield item
    yield from tree.moved
    yield from (item for item in tree.altered if not item.moved and item.kind != "folder")


def _is_whole(item: Item) -> bool:
    """Whether nothing of what a file holds is kept."""
    first, *more = item.splices or (None,)
    return not more and (first is None or (item.seen is not None and first.length == item.seen.size))


def _mode(side: Stamp | None) -> int | None:
    """A mode as git tells it: a link has one of its own."""
    if side is None:
        return None
    return 0o120000 if side.kind == "link" else side.mode


def _held(item: Item) -> bytes:
    """What a new thing will hold."""
    if item.kind == "link" or item.content is None:
        return item.target or b""
    whole = item.content.size <= _SHOWN_WHOLE
    return b"".join(map(bytes, item.content.blocks())) if whole else b"(a large content)\n"


def _edits_shown(contents: Contents, entry: Entry) -> Iterator[Entry]:
    """What is shown of an entry: one diff of all, but each run for itself, and each edit of a large file."""
    for run in entry.runs:
        edits = run.changes
        sides = [side for side in (run.before, run.after) if side is not None and side.kind == "file"]
        large = any(side.size > _SHOWN_WHOLE for side in sides) and contents.before(run) is None
        if large and len(edits) > 1 and any(edit.spans for edit in edits):
            yield from edits
        else:
            yield run


def _small(side: Stamp | None) -> bytes | None:
    """A side that needs no looking up: nothing, or a link's target."""
    return b"" if side is None else side.target


def _between(now: Snapshot, start: int | None, stop: int | None) -> bytes:
    """What is between two splices, or around one: whole lines near them where it is much."""
    if not now.size:
        return b"" if start is None else b"\n"
    if start is not None and stop is not None and stop - start <= 2 * _CONTEXT:
        return now.read(start, stop - start)
    tail = head = b""
    if start is not None:
        tail = now.read(start, min(_CONTEXT, now.size - start))
        tail = tail[: tail.rfind(b"\n") + 1 or len(tail)]
    if stop is not None:
        begin = max(0, stop - _CONTEXT)
        head = now.read(begin, stop - begin)
        head = head[head.find(b"\n") + 1 :] if begin else head
    return tail + head
