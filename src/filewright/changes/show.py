"""Diffs of changes: of what was done, from history; of an undo, before it is done.

A diff is an extra: it has a budget of lines and the time that is left of its task, reads each file
once, and says what it left out. What can no longer be read is said in its place, never raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from filewright.boundary import Boundary, Location
from filewright.changes.contents import Contents
from filewright.changes.record import Entry, Place, Side
from filewright.edit import (
    ChangeSet,
    Delete,
    Diff,
    FileDiff,
    MakeLink,
    Modify,
    Move,
    Restore,
    SetMode,
    Step,
    splices_between,
    unified,
)
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import MB, Settings
from filewright.text import Snapshot, Splice

_SHOWN_WHOLE = 1 * MB
_CONTEXT = 400
_NO_FILE = Side("file", 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _File:
    """One file's part of a diff: its names and modes, and what becomes of `before`."""

    old: str | None
    new: str | None
    before: Snapshot | None = None
    splices: Sequence[Splice] = ()
    mode_before: int | None = None
    mode_after: int | None = None
    remark: str = ""

    def diff(self, max_lines: int, line_chars: int) -> FileDiff:
        """Its diff, in about so many rows; with 0 it has none, but its counts."""
        if self.before is None:
            known = None if self.remark else 0
            return FileDiff(
                self.old, self.new, (), self.mode_before, self.mode_after,
                added=known, removed=known, counted=not self.remark, remark=self.remark,
            )  # fmt: skip
        found = unified(
            self.old, self.new, self.before, self.splices,
            max_lines=max_lines, line_chars=line_chars,
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

    @property
    def spent(self) -> bool:
        return self.lines <= 0 or self.task.expired or self.task.cancelled

    def add(self, *files: FileDiff) -> None:
        self.files += files
        self.lines -= sum(file.rows + 4 for file in files)

    def diff(self) -> Diff:
        return Diff(tuple(self.files), self.cut)


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

    def of_entry(self, contents: Contents, entry: Entry, *, max_lines: int) -> FileDifference:
        """What became of one entry that is no folder; with `max_lines` 0 its lines are only counted."""
        names = self._names(entry)
        parts: list[FileDiff] = []
        for edit, kept in _edits_shown(contents, entry):
            left = max_lines and max(10, max_lines - sum(part.rows for part in parts))
            shown = names if not parts else replace(names, old=names.new, mode_before=names.mode_after)
            try:
                file = self._changed_file(kept, edit, shown, left)
            except FilewrightError as error:
                file = replace(shown, remark=f"(not shown: {error.message})\n")
            parts.append(file.diff(left, self.settings.line_chars))
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
        origins = _origins(change_set.steps)
        rewritten = {_key(step.location) for step in change_set.steps if isinstance(step, Modify)}
        for step in change_set.steps:
            if not isinstance(step, (Modify, Delete, Restore, MakeLink, SetMode)):
                continue
            if budget.spent:
                budget.cut += 1
                continue
            shown = step.location.shown
            try:
                for file in self._previewed(step, origins):
                    budget.add(file.diff(max(10, budget.lines), self.settings.line_chars))
                    if file.before is not None:
                        file.before.close()
            except FilewrightError as error:
                budget.add(FileDiff(shown, shown, remark=f"(not shown: {error.message})\n"))
        for (index, parts), origin in origins.items():
            if (index, parts) not in rewritten and not budget.spent:
                budget.add(FileDiff(origin.shown, Location(self.boundary.roots[index], parts).shown))
        return budget.diff()

    # What was done

    def _names(self, entry: Entry) -> _File:
        def shown(place: Place) -> str:
            return (self.locate(place) or place).shown

        return _File(
            old=shown(entry.was or entry.place) if entry.before is not None else None,
            new=shown(entry.place) if entry.after is not None else None,
            mode_before=entry.before.mode if entry.before is not None else None,
            mode_after=entry.after.mode if entry.after is not None else None,
        )

    def _changed_file(self, contents: Contents, entry: Entry, names: _File, max_lines: int) -> _File:
        if _same_content(entry):
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
        snapshot = Snapshot.of_bytes(before, settings=self.settings)
        if splices is None:
            splices = splices_between(snapshot, after or b"")
        return replace(names, before=snapshot, splices=splices)

    def _excerpt(self, contents: Contents, entry: Entry, names: _File, max_lines: int) -> _File:
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

    def _previewed(
        self,
        step: Modify | Delete | Restore | MakeLink | SetMode,
        origins: Mapping[tuple[int, tuple[bytes, ...]], Location],
    ) -> Iterator[_File]:
        shown = step.location.shown
        nothing = Snapshot.of_bytes(b"", settings=self.settings)
        match step:
            case Modify():
                source = _before_moves(step.location, origins)
                yield _File(source.shown, shown, self._snapshot(source), step.splices)
            case Delete():
                status = self.boundary.stat(step.location)
                if status.kind == "file" and status.size <= _SHOWN_WHOLE:
                    before = self._snapshot(step.location)
                    yield _File(shown, None, before, (Splice(0, before.size, b""),), status.raw.st_mode)
            case Restore():
                whole = step.content.size <= _SHOWN_WHOLE
                text = b"".join(step.content.blocks()) if whole else b"(a large content)\n"
                yield _File(None, shown, nothing, (Splice(0, 0, text),), None, step.mode)
            case MakeLink():
                yield _File(None, shown, nothing, (Splice(0, 0, step.target),), None, 0o120000)
            case SetMode():
                status = self.boundary.stat(_before_moves(step.location, origins))
                if status.kind == "file":
                    modes = (status.mode, int(step.mode, 8))
                    yield _File(shown, shown, nothing, (), *modes)


def _edits_shown(contents: Contents, entry: Entry) -> Iterator[tuple[Entry, Contents]]:
    """What is shown of an entry: one diff of all, but each run for itself, and each edit of a large file."""
    for run in contents.runs(entry):
        edits = contents.edits(run)
        sides = [side for side in (run.before, run.after) if side is not None and side.kind == "file"]
        large = any(side.size > _SHOWN_WHOLE for side in sides) and contents.before(run) is None
        if large and len(edits) > 1 and any(edit.spans for edit, _ in edits):
            yield from edits
        else:
            yield run, contents


def _same_content(entry: Entry) -> bool:
    if entry.before is None or entry.after is None or entry.spans:
        return False
    return (entry.before.digest, entry.before.target) == (entry.after.digest, entry.after.target)


def _small(side: Side | None) -> bytes | None:
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


def _key(where: Location) -> tuple[int, tuple[bytes, ...]]:
    return where.root.index, where.parts


def _origins(steps: Sequence[Step]) -> dict[tuple[int, tuple[bytes, ...]], Location]:
    """Where each thing that is moved comes from, by where it ends."""
    found: dict[tuple[int, tuple[bytes, ...]], Location] = {}
    for step in steps:
        if isinstance(step, Move):
            found[_key(step.destination)] = found.pop(_key(step.source), step.source)
    return found


def _before_moves(where: Location, origins: Mapping[tuple[int, tuple[bytes, ...]], Location]) -> Location:
    for depth in range(len(where.parts), 0, -1):
        origin = origins.get((where.root.index, where.parts[:depth]))
        if origin is not None:
            return Location(origin.root, (*origin.parts, *where.parts[depth:]), where.asked)
    return where
