"""Diffs of changes: of what was done, from history; of an undo, before it is done."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from filewright.boundary import Boundary, Location
from filewright.changes.contents import Contents
from filewright.changes.record import Entry, Place, Side
from filewright.edit.changeset import ChangeSet, Delete, MakeFolder, MakeLink, Modify, Move, Restore, SetMode
from filewright.edit.diff import header, splices_between, unified
from filewright.errors import FilewrightError
from filewright.settings import MB, Settings
from filewright.text import Snapshot, Splice

_SHOWN_WHOLE = 1 * MB
_CONTEXT = 400


class Differ:
    """Writes diffs within a budget of lines."""

    def __init__(self, boundary: Boundary, settings: Settings, max_lines: int) -> None:
        self._boundary = boundary
        self._settings = settings
        self._left = max_lines
        self._parts: list[str] = []
        self._cut = 0

    def text(self) -> str:
        """The diffs so far."""
        more = f"... {self._cut:,} more files not shown\n" if self._cut else ""
        return "".join(self._parts) + more

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._left -= text.count("\n")

    def _unified(
        self,
        old: str | None,
        new: str | None,
        before: Snapshot,
        splices: tuple[Splice, ...],
        modes: tuple[int | None, int | None],
    ) -> None:
        self._add(
            unified(
                old,
                new,
                before,
                splices,
                max_lines=max(10, self._left),
                line_chars=self._settings.line_chars,
                mode_before=modes[0],
                mode_after=modes[1],
            ).text
        )

    # What was done

    def record(self, contents: Contents) -> str:
        """The diff of a committed change."""
        for entry in contents.record.entries:
            if self._left <= 0:
                self._cut += 1
            elif "folder" not in {side.kind for side in (entry.before, entry.after) if side is not None}:
                self._entry(contents, entry)
        return self.text()

    def _entry(self, contents: Contents, entry: Entry) -> None:
        old = self._name(entry.was or entry.place) if entry.before is not None else None
        new = self._name(entry.place) if entry.after is not None else None
        modes = (entry.before.mode if entry.before else None, entry.after.mode if entry.after else None)
        before, after = self._bytes(entry.before), self._bytes(entry.after)
        if entry.before is not None and before is None:
            before = contents.before(entry)
        if entry.after is not None and after is None:
            after = contents.after(entry)
        sides = (entry.before, entry.after)
        if (
            sides[0] is not None
            and sides[1] is not None
            and not entry.spans
            and sides[0].digest == sides[1].digest
        ):
            self._add("".join(header(old, new, *modes)))
            return
        if entry.spans and before is None:
            self._excerpt(contents, entry, old, new, modes)
            return
        if (entry.before is not None and before is None) or (entry.after is not None and after is None):
            size = (entry.before or entry.after or Side("file", 0, 0, 0)).size
            self._add("".join(header(old, new, *modes)) + f"(content of {size:,} bytes not shown)\n")
            return
        snapshot = Snapshot.of_bytes(before or b"", settings=self._settings)
        splices = contents.forward(entry) if entry.spans else None
        self._unified(old, new, snapshot, splices or splices_between(snapshot, after or b""), modes)

    @staticmethod
    def _bytes(side: Side | None) -> bytes | None:
        """A side that needs no looking up: nothing, or a link's target."""
        if side is None:
            return b""
        return side.target if side.kind == "link" else None

    def _excerpt(
        self,
        contents: Contents,
        entry: Entry,
        old: str | None,
        new: str | None,
        modes: tuple[int | None, int | None],
    ) -> None:
        """An edit of a large file: the lines round each splice, as far as the file still has them."""
        splices = contents.forward(entry)
        back = contents.backward(entry)
        if splices is None or back is None:
            self._add("".join(header(old, new, *modes)))
            return
        pieces: list[bytes] = []
        shown: list[Splice] = []
        size = 0
        for forward, backward in zip(splices, back, strict=True):
            head, tail = self._around(entry, backward)
            shown.append(Splice(size + len(head), forward.length, forward.replacement))
            piece = head + backward.replacement + tail
            pieces.append(piece)
            size += len(piece)
        snapshot = Snapshot.of_bytes(b"".join(pieces), settings=self._settings)
        self._unified(old, new, snapshot, tuple(shown), modes)
        self._add("(line numbers are those of an excerpt)\n")

    def _around(self, entry: Entry, backward: Splice) -> tuple[bytes, bytes]:
        where = self._located(entry.place)
        if where is None or entry.after is None:
            return b"", b"\n"
        try:
            descriptor = self._boundary.open_file(where)
        except FilewrightError:
            return b"", b"\n"
        with Snapshot.of_descriptor(descriptor, where, self._settings) as now:
            if now.size != entry.after.size:
                return b"", b"\n"
            start = max(0, backward.offset - _CONTEXT)
            head = now.read(start, backward.offset - start)
            tail = now.read(backward.end, min(_CONTEXT, now.size - backward.end))
        first = head.find(b"\n") + 1 if start else 0
        last = tail.rfind(b"\n") + 1 or len(tail)
        return head[first:], tail[:last]

    # What would be done

    def change_set(self, change_set: ChangeSet) -> str:
        """The diff of an undo that was not committed."""
        for old, new, before, splices, modes in self._previews(change_set):
            if self._left <= 0:
                self._cut += 1
            else:
                self._unified(old, new, before, splices, modes)
        return self.text()

    def _previews(
        self, change_set: ChangeSet
    ) -> Iterator[tuple[str | None, str | None, Snapshot, tuple[Splice, ...], tuple[int | None, int | None]]]:
        came_from: dict[tuple[int, tuple[bytes, ...]], Location] = {}
        for step in change_set.steps:
            if isinstance(step, Move):
                key = (step.source.root.index, step.source.parts)
                origin = came_from.pop(key, step.source)
                came_from[(step.destination.root.index, step.destination.parts)] = origin
        renamed: dict[tuple[int, tuple[bytes, ...]], Location | None] = dict(came_from)
        for step in change_set.steps:
            match step:
                case Modify():
                    known = renamed.pop((step.location.root.index, step.location.parts), None)
                    source = known or self._before_moves(step.location, came_from)
                    with self._snapshot(source) as before:
                        yield source.shown, step.location.shown, before, step.splices, (None, None)
                case Delete():
                    yield from self._deleted(step.location)
                case Restore():
                    whole = step.content.size <= _SHOWN_WHOLE
                    text = b"".join(step.content.blocks()) if whole else b"(a large content)\n"
                    empty = Snapshot.of_bytes(b"", settings=self._settings)
                    yield None, step.location.shown, empty, (Splice(0, 0, text),), (None, step.mode)
                case MakeLink():
                    empty = Snapshot.of_bytes(b"", settings=self._settings)
                    yield None, step.location.shown, empty, (Splice(0, 0, step.target),), (None, 0o120000)
                case SetMode():
                    yield from self._mode(step, came_from)
                case MakeFolder() | _:
                    pass
        for (index, parts), left in renamed.items():
            if left is None:
                continue
            where = Location(self._boundary.roots[index], parts)
            nothing = Snapshot.of_bytes(b"", settings=self._settings)
            yield left.shown, where.shown, nothing, (), (None, None)

    def _before_moves(
        self, where: Location, came_from: dict[tuple[int, tuple[bytes, ...]], Location]
    ) -> Location:
        for depth in range(len(where.parts), 0, -1):
            origin = came_from.get((where.root.index, where.parts[:depth]))
            if origin is not None:
                return Location(origin.root, (*origin.parts, *where.parts[depth:]), where.asked)
        return where

    def _snapshot(self, where: Location) -> Snapshot:
        return Snapshot.of_descriptor(self._boundary.open_file(where), where, self._settings)

    def _deleted(
        self, where: Location
    ) -> Iterator[tuple[str | None, str | None, Snapshot, tuple[Splice, ...], tuple[int | None, int | None]]]:
        try:
            status = self._boundary.stat(where)
        except FilewrightError:
            return
        if not stat.S_ISREG(status.st_mode):
            return
        with self._snapshot(where) as before:
            if before.size <= _SHOWN_WHOLE:
                yield where.shown, None, before, (Splice(0, before.size, b""),), (status.st_mode, None)

    def _mode(
        self, step: SetMode, came_from: dict[tuple[int, tuple[bytes, ...]], Location]
    ) -> Iterator[tuple[str | None, str | None, Snapshot, tuple[Splice, ...], tuple[int | None, int | None]]]:
        try:
            status = self._boundary.stat(self._before_moves(step.location, came_from))
        except FilewrightError:
            return
        if stat.S_ISREG(status.st_mode):
            nothing = Snapshot.of_bytes(b"", settings=self._settings)
            modes = (stat.S_IMODE(status.st_mode), int(step.mode, 8))
            yield step.location.shown, step.location.shown, nothing, (), modes

    # Names

    def _located(self, place: Place) -> Location | None:
        for root in self._boundary.roots:
            if (root.resolved or root.path) == place.root:
                return Location(root, place.parts)
        return None

    def _name(self, place: Place) -> str:
        where = self._located(place)
        return where.shown if where is not None else place.shown
