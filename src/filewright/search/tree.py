"""Searching the files of a tree, in path order, any number of them, with bounded memory.

The boundary's walk says which files there are, so search and list agree. `rg`, confined to the roots, reads a
few thousand files ahead and names those that hold what is looked for. Whatever it is given, it only narrows the
walk: a file that the walk does not yield is never opened, and where `rg` did not run, or could not read
something, every file of the batch is looked at here. Each file is opened by the boundary and searched as a
single file is, so that a hit is the same whatever did the narrowing.

`rg` reads a file to its end, and holds a line whole. Sizes are not asked for beforehand, which would
cost as much as the search; but where a batch takes long or breaks off, `rg` is started again for
the files up to a size only, and larger ones are looked at here.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

import xxhash

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.launcher import Child, find_program
from filewright.boundary.location import Location
from filewright.boundary.walk_model import FolderEntry, WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.engine import (
    Found,
    Hit,
    TreeOptions,
    count_hits,
    search_snapshot,
)
from filewright.search.pattern import Pattern, escaped
from filewright.search.similarity import choose, fuzzy
from filewright.search.window import MEMORY, UNENDING, read_output
from filewright.settings import Settings
from filewright.text.cache import BoundedCache
from filewright.text.lines import LineIndex
from filewright.text.notebook import NOTEBOOK_SUFFIX, view_if_notebook
from filewright.text.snapshot import Snapshot

_GONE = (
    Code.NOT_FOUND,
    Code.NOT_A_FILE,
    Code.NOT_A_DIRECTORY,
    Code.SYMLINK,
    Code.PATH_ESCAPE,
)

_LONG = 40
_MARKED = 4 << 10


@dataclass(frozen=True, slots=True)
class Similar:
    """A fuzzy search: the best regions with their files, best first, of so many; and why some may be missing.

    Of one file also `tied` and `runner_up`, as `Found` has them.
    """

    hits: tuple[tuple[Location, Hit], ...]
    searched: int
    reason: str
    tied: int = 0
    runner_up: float | None = None

    @property
    def complete(self) -> bool:
        """Whether all was searched."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Resume:
    """Where to go on: in this file, from this byte offset; `mark` says which file it was (see `mark_of`)."""

    location: Location
    offset: int = 0
    mark: str = ""


def mark_of(snapshot: Snapshot, offset: int) -> str:
    """What tells the file before `offset` from another that later has its name: "" at its beginning.

    A log that only grows keeps it; one that was rotated, replaced or rewritten does not.
    """
    if offset <= snapshot.start or snapshot.identity is None:
        return ""
    low = max(0, offset - _MARKED)
    before = (
        snapshot.read(low, offset - low) if offset <= snapshot.size else b""
    )
    return f"{snapshot.identity.inode:x}-{xxhash.xxh3_64_hexdigest(before)}"


@dataclass
class Searcher:
    """What searches of one workspace open files with."""

    boundary: Boundary
    settings: Settings
    indexes: BoundedCache[LineIndex] | None = None

    def takes(
        self, where: Location, options: TreeOptions, task: Task = UNENDING
    ) -> bool:
        """Whether a file that is named by itself is of the kind that is wanted, and fits the globs from its folder."""
        glob, exclude = options.glob, options.exclude
        taken = options.takes(where.name)
        if taken and (glob or exclude):
            beside = self.boundary.walk(
                where.parent,
                WalkOptions(
                    depth=1, glob=glob, exclude=exclude, include_ignored=True
                ),
                task=task,
            )
            taken = any(entry.name == where.name for entry in beside)
        return taken

    def similar(
        self,
        where: Location,
        needle: str,
        options: TreeOptions,
        *,
        opened: Callable[[], Snapshot] | None = None,
        min_similarity: float = 0.8,
        seconds: float | None = None,
        task: Task = UNENDING,
    ) -> Similar:
        """The regions of all files below `where` most like `needle`: the best `options.limit` of them.

        By similarity, then path, then position. Files that share no short piece with a long needle
        are passed over. After `seconds` it ends with what it has and says where. Raises as `fuzzy`.
        """
        clock = Task(seconds=seconds)
        likest = partial(
            fuzzy,
            needle=needle,
            min_similarity=min_similarity,
            limit=options.limit,
            task=task,
        )
        if opened is not None:
            with opened() as snapshot:
                one = likest(snapshot)
            return Similar(
                tuple((where, hit) for hit in one.hits),
                1,
                one.reason,
                one.tied,
                one.runner_up,
            )
        # Of a short text two slips may spoil every piece, so then every file is looked at.
        long = len(needle.strip()) >= _LONG
        pieces = (
            choose(needle.encode("utf-8", "replace"), b"", 1) if long else ()
        )
        forms = tuple(map(escaped, pieces))
        candidates = _Candidates(self.boundary, where, options, forms, task)
        best: list[tuple[Location, Hit]] = []
        reason = ""
        for location in candidates:
            task.check()
            if clock.expired:
                reason = f"time was up before {location.display_path}; narrow the search with path, glob or type"
                break
            candidate = self.open(location, task)
            if not isinstance(candidate, Snapshot):
                continue
            with candidate:
                if candidate.binary_type is not None:
                    continue
                found = likest(candidate)
            reason = reason or (
                f"{location.display_path}: {found.reason}"
                if found.reason
                else ""
            )
            best += [(location, hit) for hit in found.hits]
            best = sorted(best, key=lambda ranked: -ranked[1].score)[
                : options.limit
            ]
        return Similar(tuple(best), candidates.searched, reason)

    def open(self, location: Location, task: Task) -> Snapshot | int:
        """The snapshot; or, if it cannot be had, 0 (it is gone since the walk) or 1 (it cannot be read)."""
        try:
            file = self.boundary.open_file(location)
            snapshot = Snapshot.of_file(
                file, location, self.settings, indexes=self.indexes
            )
            return view_if_notebook(snapshot, task, headings=False)
        except FilewrightError as error:
            if error.ends_call:
                raise
            return 0 if error.code in _GONE else 1


@dataclass
class TreeSearch:
    """One search of the folder or file `where`, from `after` on.

    Iterating yields (snapshot, found) for each file with hits, in path order. The snapshot is open until the
    next step. For `files` the found holds one hit, for `counts` none but `count`. Of a single file it is said how
    it is `opened`: then whatever is wrong with it is raised.

    Afterwards: `complete`, or `resume`; `searched` files, `matched` files, `count` hits; `binary` files that may
    hold the pattern but are no text; `unreadable` files and folders; `ignored` names left out by the ignore rules.
    """

    searcher: Searcher
    where: Location
    pattern: Pattern
    options: TreeOptions
    after: Resume | None = None
    task: Task = UNENDING
    opened: Callable[[], Snapshot] | None = None
    complete: bool = False
    resume: Resume | None = None
    matched: int = 0
    count: int = 0
    binary: int = 0
    unreadable: int = 0
    searched: int = 0
    ignored: int = 0

    def __iter__(self) -> Iterator[tuple[Snapshot, Found]]:
        pattern, after = self.pattern, self.after
        if self.opened:
            yield from self._found([after or Resume(self.where)])
            return
        candidates = _Candidates(
            self.searcher.boundary,
            self.where,
            self.options,
            ()
            if self.options.invert or pattern.matches_empty
            else pattern.for_rg,
            self.task,
            after=after.location if after is not None else None,
            multiline=pattern.multiline,
        )
        begun = [after] if after is not None else []
        try:
            yield from self._found(chain(begun, map(Resume, candidates)))
        finally:
            self.searched, self.ignored = (
                candidates.searched,
                candidates.walk.ignored_count,
            )
            self.unreadable += candidates.walk.unreadable_count

    def _found(
        self, places: Iterable[Resume]
    ) -> Iterator[tuple[Snapshot, Found]]:
        options, pattern, task = self.options, self.pattern, self.task
        left, by_hits = options.limit, options.output == "matches"
        for place in places:
            task.check()
            snapshot = (
                self.opened()
                if self.opened
                else self.searcher.open(place.location, task)
            )
            if not isinstance(snapshot, Snapshot):
                self.unreadable += snapshot
                continue
            with snapshot:
                if place.mark and mark_of(snapshot, place.offset) != place.mark:
                    raise errors.path_error(
                        Code.STALE_VERSION,
                        snapshot.requested_path,
                        f"{snapshot.requested_path} is no longer the file in which this search stopped",
                        "search again without the cursor",
                    )
                if snapshot.binary_type is not None:
                    self.binary += 1
                    continue
                if options.output == "counts":
                    count = count_hits(
                        snapshot, pattern, invert=options.invert, task=task
                    )
                    found = Found((), count=count)
                else:
                    limit = max(left, 1) if by_hits else 1
                    found = search_snapshot(
                        snapshot,
                        pattern,
                        limit=limit,
                        start=place.offset,
                        invert=options.invert,
                        task=task,
                    )
                if not found.count:
                    continue
                if left <= 0:
                    self.resume = place
                    return
                self.matched += 1
                self.count += found.count
                left -= found.count if by_hits else 1
                yield snapshot, found
                if by_hits and found.stopped_at is not None:
                    mark = mark_of(snapshot, found.stopped_at)
                    self.resume = Resume(place.location, found.stopped_at, mark)
                    return
        self.complete = True


# Which files are worth opening

_BATCHES = (512, 4_000, 8_000)
_ARGUMENT_BYTES = 400 << 10
_AHEAD = 3
_LARGEST = 16 << 20
_PATIENCE = 2.0  # seconds for a batch before sizes matter


@dataclass
class _CandidateBatch:
    """Files of the walk in order, and the places that `rg` is handed to read them."""

    entries: list[FolderEntry]
    places: dict[bytes, None]
    child: Child | None = None


@dataclass
class _Candidates:
    """The files to open: those that may hold one of `forms` (patterns of `rg`; none: any file).

    `searched` counts those that the walk yielded.
    """

    boundary: Boundary
    where: Location
    options: TreeOptions
    forms: tuple[str, ...]
    task: Task
    after: Location | None = None
    multiline: bool = False  # If they cross lines `rg` holds a file whole, and reads none that is large.
    searched: int = 0

    def __post_init__(self) -> None:
        options = self.options
        self.walk = self.boundary.walk(
            self.where,
            WalkOptions(
                glob=options.glob,
                exclude=options.exclude,
                include_hidden=options.include_hidden,
                include_ignored=options.include_ignored,
                details=self.multiline,
                kinds=["file"],
                after=self.after,
            ),
            task=self.task,
        )

    def __iter__(self) -> Iterator[Location]:
        pending: deque[_CandidateBatch] = deque()
        batches = self._batches()
        try:
            while True:
                while (
                    len(pending) < _AHEAD
                    and (batch := next(batches, None)) is not None
                ):
                    pending.append(batch)
                    batch.child = self._started(batch, bounded=self.multiline)
                if not pending:
                    break
                batch = pending.popleft()
                for entry in self._passed(batch):
                    yield entry.location
                self.searched += len(batch.entries)
                self.task.report(self.searched, None, "files searched")
        finally:
            for batch in pending:
                if batch.child is not None:
                    batch.child.close()

    def _batches(self) -> Iterator[_CandidateBatch]:
        """Batches of more files the more there were."""
        takes = self.options.takes
        most = iter(_BATCHES)
        files, nbytes = next(most), 0
        last: object = None
        whole = False
        entries: list[FolderEntry] = []
        places: dict[bytes, None] = {}
        for entry in self.walk:
            if not takes(entry.name):
                continue
            folder = entry.folder
            if not whole or folder is not last:
                if len(entries) >= files or nbytes > _ARGUMENT_BYTES:
                    yield _CandidateBatch(entries, places)
                    files, nbytes, entries, places = (
                        next(most, files),
                        0,
                        [],
                        {},
                    )
                # `rg` opens all that is in a folder, so it is handed only one of which the walk left nothing out;
                # that is quicker than by its files, as long as it is not cut.
                whole, last = (
                    folder.is_complete and self.options.kind is None,
                    folder,
                )
                place = folder.prefix if whole else entry.path
                if place not in places:
                    places[place] = None
                    nbytes += len(place) + 16
            entries.append(entry)
        if entries:
            yield _CandidateBatch(entries, places)

    def _started(
        self, batch: _CandidateBatch, *, bounded: bool
    ) -> Child | None:
        """`rg` reading ahead, if it can and if it would leave anything out."""
        engine = find_program("rg")
        if not self.forms or engine is None:
            return None
        argv = [
            engine,
            "--no-config",
            "--no-messages",
            "--color=never",
            "-uu",
            "-a",
            "-l",
            "-0",
            "-j2",
        ]
        argv += ["--max-depth", "1", *(["-U"] if self.multiline else [])]
        argv += ["--max-filesize", str(_LARGEST)] if bounded else []
        for form in self.forms:
            argv += ["-e", form]
        argv.append("--")
        for place in batch.places:
            argv.append(os.fsdecode(b"./" + place))
        try:
            with self.boundary.open_folder(self.where) as folder:
                return self.boundary.launcher.start(
                    argv,
                    folder=folder.fileno(),
                    memory=MEMORY,
                    seconds=self.task.remaining,
                )
        except (FilewrightError, OSError):
            return None  # it cannot be started, or its folder is gone: the files are looked for here

    def _passed(self, batch: _CandidateBatch) -> Iterator[FolderEntry]:
        """The entries of the batch that may hold what is looked for."""
        bounded = self.multiline
        named, broke_off = self._named(
            batch.child, Task(seconds=None if bounded else _PATIENCE)
        )
        if broke_off and not bounded:
            bounded = True
            named, _ = self._named(self._started(batch, bounded=True), UNENDING)
        if named is None:
            yield from batch.entries
            return
        last_parts = {
            path.rpartition(b"/")[2] for path in named
        }  # its path is made only for one of these
        for entry in batch.entries:
            name = entry.name
            # What a notebook's cells hold is written otherwise in its file.
            if (
                name.endswith(NOTEBOOK_SUFFIX)
                or (name in last_parts and b"./" + entry.path in named)
                or (bounded and self._is_large(entry))
            ):
                yield entry

    def _named(
        self, child: Child | None, patience: Task
    ) -> tuple[set[bytes] | None, bool]:
        """The paths as `rg` named them, None if not all could be read; and whether it broke off."""
        if child is None:
            return None, False
        with child:
            output = b"".join(read_output(child.stdout, self.task, patience))
            try:
                status = -1 if patience.expired else child.wait(5.0)
            except FilewrightError:
                status = -1
        return set(output.split(b"\0")) if status in (
            0,
            1,
        ) else None, status < 0

    def _is_large(self, entry: FolderEntry) -> bool:
        """Whether `rg` passes over a file for its size."""
        self.task.check()
        try:
            status = entry.status or self.boundary.stat(entry.location)
        except FilewrightError:
            return False  # it is gone
        return status.size > _LARGEST
