"""Searching the files of a tree, in path order, any number of them, with bounded memory.

The boundary's walk says which files there are, so search and list agree; `candidates` narrows them
to those worth opening. Each of these is opened by the boundary and searched as a single file is, so
that a hit is the same whatever did the narrowing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import xxhash

from filewright import errors
from filewright.boundary import Boundary, Location
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.candidates import Candidates
from filewright.search.engine import count_hits, search_snapshot
from filewright.search.fuzzy import fuzzy
from filewright.search.fuzzy.pieces import choose
from filewright.search.hit import Found, Hit, TreeOptions
from filewright.search.pattern import Pattern
from filewright.search.syntax import escaped
from filewright.settings import Settings
from filewright.text import BoundedCache, LineIndex, Snapshot, notebook_view

_GONE = (Code.NOT_FOUND, Code.NOT_A_FILE, Code.NOT_A_DIRECTORY, Code.SYMLINK, Code.PATH_ESCAPE)

_LONG = 40
_MARKED = 4 << 10


@dataclass(frozen=True, slots=True)
class Ranked:
    """A region that a fuzzy search of a tree found, and its file."""

    location: Location
    hit: Hit


@dataclass(frozen=True, slots=True)
class Similar:
    """A fuzzy search of a tree: the best regions, best first, of so many files; and why some may be missing."""

    hits: tuple[Ranked, ...]
    searched: int
    reason: str

    @property
    def complete(self) -> bool:
        """Whether all was searched."""
        return not self.reason


@dataclass(frozen=True, slots=True)
class Resume:
    """Where to go on: in this file, from this byte offset; `mark` says which file it was (see `mark_of`)."""

    location: Location
    offset: int
    mark: str = ""


def mark_of(snapshot: Snapshot, offset: int) -> str:
    """What tells the file before `offset` from another that later has its name: "" at its beginning.

    A log that only grows keeps it; one that was rotated, replaced or rewritten does not.
    """
    if offset <= snapshot.start or snapshot.identity is None:
        return ""
    low = max(0, offset - _MARKED)
    before = snapshot.read(low, offset - low) if offset <= snapshot.size else b""
    return f"{snapshot.identity.inode:x}-{xxhash.xxh3_64_hexdigest(before)}"


def check_mark(snapshot: Snapshot, resume: Resume) -> None:
    """Raises `stale_version` if the file is no longer the one in which the search stopped."""
    if resume.mark and mark_of(snapshot, resume.offset) != resume.mark:
        raise errors.refused(
            Code.STALE_VERSION,
            snapshot.asked,
            f"{snapshot.asked} is no longer the file in which this search stopped",
            "search again without the cursor",
        )


class Searcher:
    """Searches trees of one workspace."""

    def __init__(
        self, boundary: Boundary, settings: Settings, indexes: BoundedCache[LineIndex] | None = None
    ) -> None:
        self.boundary = boundary
        self.settings = settings
        self.indexes = indexes

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

    def similar(
        self,
        where: Location,
        needle: str,
        options: TreeOptions,
        *,
        min_similarity: float = 0.8,
        seconds: float | None = None,
        task: Task | None = None,
    ) -> Similar:
        """The regions of all files below `where` most like `needle`: the best `options.limit` of them.

        By similarity, then path, then position. Files that share no short piece with a long needle
        are passed over. After `seconds` it ends with what it has and says where. Raises as `fuzzy`.
        """
        clock = Task(seconds=seconds)
        checked = task or Task()
        # Of a short text two slips may spoil every piece, so then every file is looked at.
        long = len(needle.strip()) >= _LONG
        pieces = choose(needle.encode("utf-8", "replace"), b"", 1) if long else []
        forms = tuple(escaped(piece.data) for piece in pieces)
        candidates = Candidates(self.boundary, where, options, forms, checked)
        best: list[Ranked] = []
        reason = ""
        for location in candidates:
            checked.check()
            if clock.expired:
                reason = f"time was up before {location.shown}; narrow the search with path, glob or type"
                break
            snapshot = self.open(location, checked)
            if not isinstance(snapshot, Snapshot):
                continue
            with snapshot:
                if snapshot.binary is not None:
                    continue
                found = fuzzy(
                    snapshot, needle, min_similarity=min_similarity, limit=options.limit, task=checked
                )
            reason = reason or (f"{location.shown}: {found.reason}" if found.reason else "")
            best += [Ranked(location, hit) for hit in found.hits]
            best = sorted(best, key=lambda ranked: -ranked.hit.score)[: options.limit]
        return Similar(tuple(best), candidates.searched, reason)

    def open(self, location: Location, task: Task) -> Snapshot | int:
        """The snapshot; or, if it cannot be had, 0 (it is gone since the walk) or 1 (it cannot be read)."""
        try:
            file = self.boundary.open_file(location)
            snapshot = Snapshot.of_file(file, location, self.settings, indexes=self.indexes)
            return notebook_view(snapshot, task, headings=False)
        except FilewrightError as error:
            if error.code in (Code.TIMEOUT, Code.CANCELLED):
                raise
            return 0 if error.code in _GONE else 1


class TreeSearch:
    """One search of a tree. Iterating yields (snapshot, found) for each file with hits, in path order.

    The snapshot is open until the next step. For `files` the found holds one hit, for `counts` none
    but `count`. Afterwards: `complete`, or `resume`; `searched` files, `matched` files,
    `count` hits; `binary` files that may hold the pattern but are no text; `unreadable` files and
    folders; `ignored` names left out by the ignore rules.
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
        self._pattern = pattern
        self._options = options
        self._from = resume
        self._task = task
        self._candidates = Candidates(
            searcher.boundary,
            where,
            options,
            () if options.invert or pattern.matches_empty else pattern.for_rg,
            task,
            after=resume.location if resume is not None else None,
            multiline=pattern.multiline,
        )
        self.complete = False
        self.resume: Resume | None = None
        self.matched = self.count = self.binary = self.unreadable = self.searched = self.ignored = 0

    def __iter__(self) -> Iterator[tuple[Snapshot, Found]]:
        try:
            yield from self._found()
        finally:
            self.searched, self.ignored = self._candidates.searched, self._candidates.ignored
            self.unreadable += self._candidates.unreadable

    def _found(self) -> Iterator[tuple[Snapshot, Found]]:
        left = self._options.limit
        by_hits = self._options.output == "matches"
        for location, resume in self._places():
            self._task.check()
            snapshot = self._searcher.open(location, self._task)
            if not isinstance(snapshot, Snapshot):
                self.unreadable += snapshot
                continue
            with snapshot:
                if resume is not None:
                    check_mark(snapshot, resume)
                if snapshot.binary is not None:
                    self.binary += 1
                    continue
                offset = resume.offset if resume is not None else 0
                found = self._search(snapshot, max(left, 1), offset)
                if not found.count:
                    continue
                if left <= 0:
                    self.resume = Resume(location, offset)
                    return
                self.matched += 1
                self.count += found.count
                left -= found.count if by_hits else 1
                yield snapshot, found
                if by_hits and found.stopped_at is not None:
                    self.resume = Resume(location, found.stopped_at, mark_of(snapshot, found.stopped_at))
                    return
        self.complete = True

    def _places(self) -> Iterator[tuple[Location, Resume | None]]:
        if self._from is not None and self._candidates.takes(self._from.location.name):
            yield self._from.location, self._from
        for location in self._candidates:
            yield location, None

    def _search(self, snapshot: Snapshot, limit: int, offset: int) -> Found:
        invert, task = self._options.invert, self._task
        if self._options.output == "counts":
            count = count_hits(snapshot, self._pattern, invert=invert, task=task)
            return Found((), complete=True, count=count)
        limit = 1 if self._options.output == "files" else limit
        return search_snapshot(
            snapshot, self._pattern, limit=limit, start=offset or None, invert=invert, task=task
        )
