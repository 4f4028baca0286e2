"""Searching the files of a tree, in path order, any number of them, with bounded memory.

The boundary's walk says which files there are, so search and list agree. Where the kernel can
confine it, `rg` reads the walk's folders ahead of us and names the files worth opening; every file
it names is opened by the boundary and searched by `onefile`, so that a hit is the same with or
without it. Elsewhere each file is opened and looked at here.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from filewright.boundary import Boundary, Location
from filewright.boundary.confined import Child, Spawner
from filewright.boundary.walk import Entry, Walk
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import engine
from filewright.search.hit import Found
from filewright.search.kinds import suffixes_of
from filewright.search.onefile import count_hits, search_snapshot
from filewright.search.pattern import Pattern
from filewright.settings import Settings
from filewright.text import BoundedCache, LineIndex, Snapshot

Output = Literal["matches", "files", "counts"]

_BATCHES = (512, 4_000, 16_000)
_ARGUMENT_BYTES = 400 << 10
_AHEAD = 2
_MULTILINE_BYTES = 64 << 20
_GONE = (Code.NOT_FOUND, Code.NOT_A_FILE, Code.NOT_A_DIRECTORY, Code.SYMLINK, Code.PATH_ESCAPE)


@dataclass(frozen=True, slots=True)
class TreeOptions:
    """Which files, and what is wanted of them.

    `glob` as the walk takes it; `kind` a language or extension (`python`, `rs`); `limit` is in hits
    for `matches`, else in files; `invert` finds lines without a match.
    """

    limit: int
    output: Output = "matches"
    glob: str | Sequence[str] | None = None
    kind: str | None = None
    invert: bool = False
    include_hidden: bool = True
    include_ignored: bool = False


@dataclass(frozen=True, slots=True)
class Resume:
    """Where to go on: in this file, from this byte offset."""

    location: Location
    offset: int


@dataclass(slots=True)
class _Batch:
    """Files of the walk in order, and the arguments that make `rg` read them (perhaps with others)."""

    entries: list[Entry] = field(default_factory=list)
    folders: dict[bytes, bool] = field(default_factory=dict)
    paths: list[bytes] = field(default_factory=list)
    always: set[bytes] = field(default_factory=set)
    nbytes: int = 0
    child: Child | None = None


class Searcher:
    """Searches trees of one workspace; holds the process that confines `rg`, started when first needed."""

    def __init__(
        self, boundary: Boundary, settings: Settings, indexes: BoundedCache[LineIndex] | None = None
    ) -> None:
        self.boundary = boundary
        self.settings = settings
        self.indexes = indexes
        self._lock = threading.Lock()
        self._spawner: Spawner | None = None
        self._tried = not settings.landlock

    def tree(
        self,
        where: Location,
        pattern: Pattern,
        options: TreeOptions,
        *,
        resume: Resume | None = None,
        task: Task | None = None,
    ) -> TreeSearch:
        """The search of the folder `where`: iterate over it, then read its totals."""
        return TreeSearch(self, where, pattern, options, resume, task or Task())

    @property
    def spawner(self) -> Spawner | None:
        """What starts `rg` confined to the roots; None where the kernel cannot or there is no `rg`."""
        with self._lock:
            if not self._tried:
                self._tried = True
                program = engine.binary()
                if program is not None:
                    try:
                        self._spawner = Spawner(self.boundary.roots, [program])
                    except FilewrightError as error:
                        if error.code is not Code.UNSUPPORTED:
                            raise
            return self._spawner

    def close(self) -> None:
        """End the process that confines `rg`."""
        with self._lock:
            if self._spawner is not None:
                self._spawner.close()
                self._spawner = None
            self._tried = True


class TreeSearch:
    """One search of a tree. Iterating yields (snapshot, found) for each file with hits, in path order.

    The snapshot is open until the next step. For `files` the found holds one hit, for `counts` none
    but `count`. Afterwards: `complete`, or `resume` and `reason`; `searched` files, `matched` files,
    `count` hits; `binary` files that hold the pattern's bytes but are no text; `unreadable` files and
    folders.
    """

    def __init__(
        self,
        searcher: Searcher,
        where: Location,
        pattern: Pattern,
        options: TreeOptions,
        resume: Resume | None,
        task: Task,
    ) -> None:
        self._searcher = searcher
        self._boundary = searcher.boundary
        self._where = where
        self._pattern = pattern
        self._options = options
        self._from = resume
        self._task = task
        self._suffixes = suffixes_of(options.kind) if options.kind is not None else None
        self.complete = False
        self.resume: Resume | None = None
        self.reason = ""
        self.searched = 0
        self.matched = 0
        self.count = 0
        self.binary = 0
        self.unreadable = 0

    def __iter__(self) -> Iterator[tuple[Snapshot, Found]]:
        left = self._options.limit
        for location, offset in self._candidates():
            self._task.check()
            snapshot = self._open(location)
            if snapshot is None:
                continue
            with snapshot:
                if snapshot.binary is not None:
                    self.binary += self._holds_pattern(snapshot)
                    continue
                found = self._search(snapshot, max(left, 1), offset)
                if not found.count:
                    continue
                if left <= 0:
                    self._stop(location, offset)
                    return
                self.matched += 1
                self.count += found.count
                left -= found.count if self._options.output == "matches" else 1
                yield snapshot, found
                if self._options.output == "matches" and not found.complete:
                    self._stop(location, found.stopped_at or 0)
                    return
        self.complete = True

    def _stop(self, location: Location, offset: int) -> None:
        self.resume = Resume(location, offset)
        unit = "hits" if self._options.output == "matches" else "files"
        self.reason = f"stopped after {self._options.limit} {unit}, at {location.shown}"

    def _search(self, snapshot: Snapshot, limit: int, offset: int) -> Found:
        options = self._options
        if options.output == "counts":
            count = count_hits(snapshot, self._pattern, invert=options.invert, task=self._task)
            return Found((), complete=True, count=count)
        return search_snapshot(
            snapshot,
            self._pattern,
            limit=1 if options.output == "files" else limit,
            start=offset or None,
            invert=options.invert,
            task=self._task,
        )

    def _holds_pattern(self, snapshot: Snapshot) -> bool:
        plain = Snapshot.of_bytes(snapshot.held, encoding="utf-8") if snapshot.held is not None else snapshot
        return bool(search_snapshot(plain, self._pattern, limit=1, task=self._task).count)

    def _open(self, location: Location) -> Snapshot | None:
        """The snapshot, or None: gone since the walk, or unreadable and counted."""
        try:
            descriptor = self._boundary.open_file(location)
            return Snapshot.of_descriptor(
                descriptor, location, self._searcher.settings, indexes=self._searcher.indexes
            )
        except FilewrightError as error:
            if error.code not in _GONE:
                self.unreadable += 1
            return None

    # Which files

    def _candidates(self) -> Iterator[tuple[Location, int]]:
        """The files worth opening, in path order, and the offset to begin at."""
        if self._from is not None and self._wanted(self._from.location.name):
            yield self._from.location, self._from.offset
        walk = self._boundary.walk(
            self._where,
            glob=self._options.glob,
            include_hidden=self._options.include_hidden,
            include_ignored=self._options.include_ignored,
            details=self._pattern.multiline,
            kinds=["file"],
            after=self._from.location if self._from is not None else None,
            task=self._task,
        )
        pending: deque[_Batch] = deque()
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
                    yield entry.location, 0
                self.searched += len(batch.entries)
                self._task.report(self.searched, None, "files searched")
        finally:
            for batch in pending:
                if batch.child is not None:
                    batch.child.close()
        self.unreadable += walk.unreadable

    def _wanted(self, name: bytes) -> bool:
        return self._suffixes is None or name.endswith(self._suffixes)

    def _batches(self, walk: Walk) -> Iterator[_Batch]:
        options = self._options
        by_folder = options.glob is None and self._suffixes is None
        ignored = 0
        whole = False
        last: object = None
        made = 0
        batch = _Batch()
        for entry in walk:
            if not self._wanted(entry.name):
                continue
            if entry.folder is not last:
                last = entry.folder
                if (
                    len(batch.entries) >= _BATCHES[min(made, len(_BATCHES) - 1)]
                    or batch.nbytes > _ARGUMENT_BYTES
                ):
                    yield batch
                    batch, made = _Batch(), made + 1
                # A folder of which nothing was left out is read by `rg` itself, which is quicker.
                whole = by_folder and walk.ignored == ignored
                ignored = walk.ignored
                if whole and entry.folder.prefix not in batch.folders:
                    batch.folders[entry.folder.prefix] = True
                    batch.nbytes += len(entry.folder.prefix) + 16
            elif len(batch.entries) >= 2 * _BATCHES[-1] or batch.nbytes > 2 * _ARGUMENT_BYTES:
                yield batch
                batch, made = _Batch(), made + 1
                whole = False
            batch.entries.append(entry)
            if not whole:
                path = entry.path
                batch.paths.append(path)
                batch.nbytes += len(path) + 16
            if entry.status is not None and entry.status.st_size > _MULTILINE_BYTES:
                batch.always.add(entry.path)
        if batch.entries:
            yield batch

    def _start(self, batch: _Batch) -> None:
        """Let `rg` read ahead, if it can and if it would leave anything out."""
        spawner = self._searcher.spawner
        program = engine.binary()
        if spawner is None or program is None or self._options.invert or self._pattern.matches_empty:
            return
        argv = [program, "--no-config", "--no-messages", "--color=never", "-uu", "-a", "-l", "-0"]
        argv += ["--max-depth", "1"]
        if self._pattern.multiline:
            argv += ["-U", "--max-filesize", str(_MULTILINE_BYTES)]
        for form in self._pattern.for_sieve:
            argv += ["-e", form]
        places = [*batch.folders, *batch.paths]
        folder = self._boundary.open_folder(self._where)
        try:
            batch.child = spawner.spawn(
                [*argv, "--", *(os.fsdecode(b"./" + place) for place in places)], folder=folder
            )
        finally:
            os.close(folder)

    def _passed(self, batch: _Batch) -> Iterator[Entry]:
        """The entries of the batch that the sieve let through."""
        named = self._named(batch)
        for entry in batch.entries:
            if (named is None and self._may_hold(entry)) or (named is not None and entry.path in named):
                yield entry

    def _named(self, batch: _Batch) -> set[bytes] | None:
        """The paths that `rg` named; None if it did not run, or met something it could not read."""
        child, batch.child = batch.child, None
        if child is None:
            return None
        with child:
            assert child.stdout is not None
            output = b"".join(engine.read(child.stdout.fileno(), self._task))
            try:
                status = child.wait(5.0)
            except FilewrightError:
                return None
        if status not in (0, 1):
            return None
        named = {path.removeprefix(b"./") for path in output.split(b"\0") if path}
        return named | batch.always

    def _may_hold(self, entry: Entry) -> bool:
        """Whether a file is worth a closer look; without `rg`, by the bytes of a literal."""
        self._task.check()
        if self._pattern.plain is None or not self._pattern.plain.isascii() or self._options.invert:
            return True
        try:
            descriptor = self._boundary.open_file(entry.location)
        except FilewrightError:
            return True  # counted when it is opened for good
        try:
            data = os.read(descriptor, 1 << 20)
        except OSError:
            return True
        finally:
            os.close(descriptor)
        marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        return len(data) >= 1 << 20 or marked or self._pattern.plain.encode() in data
