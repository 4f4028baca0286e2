"""Which files of a tree are worth opening, in path order.

The walk yields them; `rg`, confined to the roots, reads a few thousand files ahead and names those
that hold what is looked for. Whatever it is given, it only narrows the walk: a file that the
walk does not yield is never opened, and where `rg` did not run, or could not read something, every
file of the batch is looked at here.

`rg` reads a file to its end, and holds a line whole. Sizes are not asked for beforehand, which would
cost as much as the search; but where a batch takes long or breaks off, `rg` is started again for
the files up to a size only, and larger ones are looked at here.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from filewright.boundary import Boundary, Child, FolderEntry, Location, program
from filewright.errors import FilewrightError
from filewright.languages import named_as
from filewright.progress import Task
from filewright.search.ahead import MEMORY, read_output
from filewright.search.hit import TreeOptions
from filewright.text import NOTEBOOK_SUFFIX

_BATCHES = (512, 4_000, 16_000)
_ARGUMENT_BYTES = 400 << 10
_AHEAD = 2
_LARGEST = 16 << 20
_PATIENCE = 2.0  # seconds for a batch before sizes matter


@dataclass(slots=True)
class _CandidateBatch:
    """Files of the walk in order, and the places that `rg` is handed to read them."""

    entries: list[FolderEntry] = field(default_factory=list)
    places: dict[bytes, None] = field(default_factory=dict)
    nbytes: int = 0
    child: Child | None = None


class Candidates:
    """The files to open: those that may hold one of `forms` (patterns of `rg`; none: any file).

    `takes` says of a name whether such a file is meant. `searched` counts those that the walk yielded,
    `unreadable` folders it could not read, `ignored` names left out.
    """

    def __init__(
        self,
        boundary: Boundary,
        where: Location,
        options: TreeOptions,
        forms: tuple[str, ...],
        task: Task,
        *,
        after: Location | None = None,
        multiline: bool = False,
    ) -> None:
        self._boundary = boundary
        self._where = where
        self._forms = forms
        self._bounded = multiline  # if they cross lines `rg` holds a file whole, and reads none that is large
        self._task = task
        self._all_names = options.kind is None
        self.takes = named_as(options.kind) if options.kind is not None else lambda _name: True
        self._walk = boundary.walk(
            where,
            glob=options.glob,
            include_hidden=options.include_hidden,
            include_ignored=options.include_ignored,
            details=multiline,
            kinds=["file"],
            after=after,
            task=task,
        )
        self.searched = 0

    @property
    def unreadable(self) -> int:
        """Folders that could not be read."""
        return self._walk.unreadable

    @property
    def ignored(self) -> int:
        """Names that the ignore rules left out."""
        return self._walk.ignored

    def __iter__(self) -> Iterator[Location]:
        pending: deque[_CandidateBatch] = deque()
        batches = self._batches()
        try:
            while True:
                while len(pending) < _AHEAD and (batch := next(batches, None)) is not None:
                    pending.append(batch)
                    batch.child = self._started(batch, bounded=self._bounded)
                if not pending:
                    break
                batch = pending.popleft()
                for entry in self._passed(batch):
                    yield entry.location
                self.searched += len(batch.entries)
                self._task.report(self.searched, None, "files searched")
        finally:
            for batch in pending:
                if batch.child is not None:
                    batch.child.close()

    def _batches(self) -> Iterator[_CandidateBatch]:
        """Batches of more files the more there were."""
        takes, all_names = self.takes, self._all_names
        most = iter(_BATCHES)
        files = next(most)
        last: object = None
        batch = _CandidateBatch()
        entries, places = batch.entries, batch.places
        for entry in self._walk:
            if not all_names and not takes(entry.name):
                continue
            folder = entry.folder
            # `rg` opens all that is in a folder, so it is handed only one of which the walk left nothing out;
            # that is quicker than by its files, as long as it is not cut.
            whole = folder.whole and all_names
            full = len(entries) >= files or batch.nbytes > _ARGUMENT_BYTES
            if full and (folder is not last or not whole):
                yield batch
                files = next(most, files)
                batch = _CandidateBatch()
                entries, places = batch.entries, batch.places
            entries.append(entry)
            place = folder.prefix if whole else entry.path
            if place not in places:
                places[place] = None
                batch.nbytes += len(place) + 16
            last = folder
        if entries:
            yield batch

    def _started(self, batch: _CandidateBatch, *, bounded: bool) -> Child | None:
        """`rg` reading ahead, if it can and if it would leave anything out."""
        launcher, engine = self._boundary.launcher, program("rg")
        if not self._forms or launcher is None or engine is None:
            return None
        argv = [engine, "--no-config", "--no-messages", "--color=never", "-uu", "-a", "-l", "-0", "-j2"]
        argv += ["--max-depth", "1", *(["-U"] if self._bounded else [])]
        argv += ["--max-filesize", str(_LARGEST)] if bounded else []
        argv += [part for form in self._forms for part in ("-e", form)]
        argv += ["--", *(os.fsdecode(b"./" + place) for place in batch.places)]
        try:
            with self._boundary.open_folder(self._where) as folder:
                return launcher.start(
                    argv,
                    folder=folder.fileno(),
                    stderr=False,
                    memory=MEMORY,
                    seconds=self._task.remaining,
                )
        except (FilewrightError, OSError):
            return None  # it cannot be started, or its folder is gone: the files are looked for here

    def _passed(self, batch: _CandidateBatch) -> Iterator[FolderEntry]:
        """The entries of the batch that may hold what is looked for."""
        bounded = self._bounded
        named, broke_off = self._named(batch.child, Task(seconds=None if bounded else _PATIENCE))
        if broke_off and not bounded:
            bounded = True
            named, _ = self._named(self._started(batch, bounded=True), Task())
        if named is None:
            yield from batch.entries
            return
        last_parts = {path.rpartition(b"/")[2] for path in named}
        for entry in batch.entries:
            name = entry.name
            # What a notebook's cells hold is written otherwise in its file.
            if (
                name.endswith(NOTEBOOK_SUFFIX)
                or (name in last_parts and entry.path in named)
                or (bounded and self._is_large(entry))
            ):
                yield entry

    def _named(self, child: Child | None, patience: Task) -> tuple[set[bytes] | None, bool]:
        """The paths that `rg` named, None if not all could be read; and whether it broke off."""
        if child is None:
            return None, False
        with child:
            assert child.stdout is not None
            output = b"".join(read_output(child.stdout, self._task, patience))
            try:
                status = -1 if patience.expired else child.wait(5.0)
            except FilewrightError:
                status = -1
        paths = {path.removeprefix(b"./") for path in output.split(b"\0") if path}
        return paths if status in (0, 1) else None, status < 0

    def _is_large(self, entry: FolderEntry) -> bool:
        """Whether `rg` passes over a file for its size."""
        self._task.check()
        try:
            status = entry.status or self._boundary.stat(entry.location)
        except FilewrightError:
            return False  # it is gone
        return status.size > _LARGEST
