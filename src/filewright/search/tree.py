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

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import xxhash

from filewright import errors
from filewright.boundary.location import Location
from filewright.errors import Code
from filewright.progress import Task
from filewright.search.candidates import Candidates
from filewright.search.hits import FileHits, count_hits, search_snapshot
from filewright.search.pattern import Pattern
from filewright.search.searcher import Searcher
from filewright.search.tree_options import TreeOptions
from filewright.search.window import NO_TIMEOUT
from filewright.text.snapshot import Snapshot

_MARKED = 4 << 10


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """Where to go on: in this file, from this byte offset; `mark` says which file it was (see `mark_of`)."""

    location: Location
    offset: int = 0
    mark: str = ""


def fingerprint_before(snapshot: Snapshot, offset: int) -> str:
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
    after: ResumePoint | None = None
    task: Task = NO_TIMEOUT
    opened: Callable[[], Snapshot] | None = None
    complete: bool = False
    resume: ResumePoint | None = None
    matched: int = 0
    count: int = 0
    binary: int = 0
    unreadable: int = 0
    searched: int = 0
    ignored: int = 0

    def __iter__(self) -> Iterator[tuple[Snapshot, FileHits]]:
        pattern, after = self.pattern, self.after
        if self.opened:
            yield from self._found([after or ResumePoint(self.where)])
            return
        candidates = Candidates(
            self.searcher.boundary,
            self.where,
            self.options,
            ()
            if self.options.invert or pattern.matches_empty
            else pattern.rg_patterns,
            self.task,
            after=after.location if after is not None else None,
            multiline=pattern.multiline,
        )
        begun = [after] if after is not None else []
        try:
            yield from self._found(chain(begun, map(ResumePoint, candidates)))
        finally:
            self.searched, self.ignored = (
                candidates.searched,
                candidates.walk.ignored_count,
            )
            self.unreadable += candidates.walk.unreadable_count

    def _found(
        self, places: Iterable[ResumePoint]
    ) -> Iterator[tuple[Snapshot, FileHits]]:
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
                if (
                    place.mark
                    and fingerprint_before(snapshot, place.offset) != place.mark
                ):
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
                    found = FileHits((), count=count)
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
                    mark = fingerprint_before(snapshot, found.stopped_at)
                    self.resume = ResumePoint(
                        place.location, found.stopped_at, mark
                    )
                    return
        self.complete = True
