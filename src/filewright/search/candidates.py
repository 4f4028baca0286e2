"""Which files of a tree are worth opening, in path order.

The walk yields them; `rg`, confined to the roots, reads a few thousand files ahead and names those
that hold what the sieve looks for. Whatever it is given, it only narrows the walk: a file that the
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

from filewright.boundary import Boundary, Child, FolderEntry, Location, Walk, program
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


@dataclass(frozen=True, slots=True)
class Sieve:
    """What a file must hold to be worth opening: one of `forms` (patterns of `rg`; none: any file).

    `multiline` if they cross lines: then `rg` holds a file whole, and reads none that is large.
    """

    forms: tuple[str, ...] = ()
    multiline: bool = False


@dataclass(slots=True)
class _CandidateBatch:
    """Files of the walk in order, and the places that `rg` is handed to read them."""

    files: int
    entries: list[FolderEntry] = field(default_factory=list)
    places: dict[bytes, None] = field(default_factory=dict)
    notebooks: set[bytes] = field(default_factory=set)
    nbytes: int = 0
    child: Child | None = None
    broke_off: bool = False

    @classmethod
    def after(cls, made: int) -> _CandidateBatch:
        """An empty one, of more files the more were made."""
        return cls(_BATCHES[min(made, len(_BATCHES) - 1)])

    def full(self) -> bool:
        """Whether it is time for the next one."""
        return len(self.entries) >= self.files or self.nbytes > _ARGUMENT_BYTES

    def add(self, entry: FolderEntry, place: bytes) -> None:
        """One more file, which `rg` reads by its path or with the folder that it is in."""
        self.entries.append(entry)
        if place not in self.places:
            self.places[place] = None
            self.nbytes += len(place) + 16
        if entry.name.endswith(NOTEBOOK_SUFFIX):
            self.notebooks.add(entry.path)


class Candidates:
    """The files to open.

    `takes` says of a name whether such a file is meant (None: any). `searched` counts those that the walk
    yielded, `unreadable` folders it could not read, `ignored` names left out.
    """

    def __init__(
        self,
        boundary: Boundary,
        where: Location,
        options: TreeOptions,
        sieve: Sieve,
        after: Location | None,
        task: Task,
    ) -> None:
        self._boundary = boundary
        self._where = where
        self._options = options
        self.takes = named_as(options.kind) if options.kind is not None else None
        self._sieve = sieve
        self._after = after
        self._task = task
        self.searched = 0
        self.unreadable = 0
        self.ignored = 0

    def __iter__(self) -> Iterator[Location]:
        walk = self._boundary.walk(
            self._where,
            glob=self._options.glob,
            include_hidden=self._options.include_hidden,
            include_ignored=self._options.include_ignored,
            details=self._sieve.multiline,
            kinds=["file"],
            after=self._after,
            task=self._task,
        )
        pending: deque[_CandidateBatch] = deque()
        batches = self._batches(walk)
        try:
            while True:
                while len(pending) < _AHEAD and (batch := next(batches, None)) is not None:
                    pending.append(batch)
                    self._start(batch)
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
            self.ignored = walk.ignored
        self.unreadable += walk.unreadable

    def _batches(self, walk: Walk) -> Iterator[_CandidateBatch]:
        named = self.takes
        made = 0
        last: object = None
        batch = _CandidateBatch.after(made)
        for entry in walk:
            if named is not None and not named(entry.name):
                continue
            folder = entry.folder
            # `rg` opens all that is in a folder, so it is handed only one of which the walk left nothing out;
            # that is quicker than by its files, as long as it is not cut.
            whole = folder.whole and named is None
            if batch.full() and (folder is not last or not whole):
                yield batch
                made += 1
                batch = _CandidateBatch.after(made)
            batch.add(entry, folder.prefix if whole else entry.path)
            last = folder
        if batch.entries:
            yield batch

    def _start(self, batch: _CandidateBatch, *, bounded: bool = False) -> None:
        """Let `rg` read ahead, if it can and if it would leave anything out."""
        launcher, engine = self._boundary.launcher, program("rg")
        if not self._sieve.forms or launcher is None or engine is None:
            return
        argv = [engine, "--no-config", "--no-messages", "--color=never", "-uu", "-a", "-l", "-0", "-j2"]
        argv += ["--max-depth", "1"]
        if self._sieve.multiline:
            argv += ["-U"]
        if bounded or self._sieve.multiline:
            argv += ["--max-filesize", str(_LARGEST)]
        for form in self._sieve.forms:
            argv += ["-e", form]
        try:
            with self._boundary.open_folder(self._where) as folder:
                batch.child = launcher.start(
                    [*argv, "--", *(os.fsdecode(b"./" + place) for place in batch.places)],
                    folder=folder.fileno(),
                    stderr=False,
                    memory=MEMORY,
                    seconds=self._task.remaining,
                )
        except (FilewrightError, OSError):
            batch.child = None  # it cannot be started, or its folder is gone: the files are looked for here

    def _passed(self, batch: _CandidateBatch) -> Iterator[FolderEntry]:
        """The entries of the batch that the sieve let through."""
        bounded = self._sieve.multiline
        named = self._named(batch, Task(seconds=None if bounded else _PATIENCE))
        if batch.broke_off and not bounded:
            bounded = True
            self._start(batch, bounded=True)
            named = self._named(batch, Task())
        if named is None:
            yield from batch.entries
            return
        if bounded:
            named |= self._large(batch)
        named |= batch.notebooks  # What a notebook's cells hold is written otherwise in its file.
        last_parts = {path.rpartition(b"/")[2] for path in named}
        for entry in batch.entries if named else ():
            if entry.name in last_parts and entry.path in named:
                yield entry

    def _named(self, batch: _CandidateBatch, patience: Task) -> set[bytes] | None:
        """The paths that `rg` named; None if it did not run, broke off, or met something it could not read."""
        child = batch.child
        if child is None:
            return None
        output = []
        with child:
            assert child.stdout is not None
            for block in read_output(child.stdout, self._task, patience):
                output.append(block)
            try:
                status = -1 if patience.expired else child.wait(5.0)
            except FilewrightError:
                status = -1
        batch.broke_off = status < 0
        if status not in (0, 1):
            return None
        return {path.removeprefix(b"./") for path in b"".join(output).split(b"\0") if path}

    def _large(self, batch: _CandidateBatch) -> set[bytes]:
        """The paths of those files that `rg` passes over for their size."""
        found = set()
        for entry in batch.entries:
            self._task.check()
            try:
                status = entry.status or self._boundary.stat(entry.location)
            except FilewrightError:
                continue  # it is gone
            if status.size > _LARGEST:
                found.add(entry.path)
        return found
