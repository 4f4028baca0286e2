"""searcher."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.candidates import Candidates
from filewright.search.characters import escape_bytes
from filewright.search.hits import Hit
from filewright.search.pieces import choose_pieces
from filewright.search.similarity import search_fuzzy
from filewright.search.tree_options import TreeOptions
from filewright.search.window import NO_TIMEOUT
from filewright.settings import Settings
from filewright.text.cache import BoundedCache
from filewright.text.lines import LineIndex
from filewright.text.notebook import view_if_notebook
from filewright.text.snapshot import Snapshot

_GONE = (
    Code.NOT_FOUND,
    Code.NOT_A_FILE,
    Code.NOT_A_DIRECTORY,
    Code.SYMLINK,
    Code.PATH_ESCAPE,
)

_LONG = 40


@dataclass(frozen=True, slots=True)
class SimilarHits:
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


@dataclass
class Searcher:
    """What searches of one workspace open files with."""

    boundary: Boundary
    settings: Settings
    indexes: BoundedCache[LineIndex] | None = None

    def accepts(
        self, where: Location, options: TreeOptions, task: Task = NO_TIMEOUT
    ) -> bool:
        """Whether a file that is named by itself is of the kind that is wanted, and fits the globs from its folder."""
        glob, exclude = options.glob, options.exclude
        taken = options.matches_type(where.name)
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

    def search_similar(
        self,
        where: Location,
        needle: str,
        options: TreeOptions,
        *,
        opened: Callable[[], Snapshot] | None = None,
        min_similarity: float = 0.8,
        seconds: float | None = None,
        task: Task = NO_TIMEOUT,
    ) -> SimilarHits:
        """The regions of all files below `where` most like `needle`: the best `options.limit` of them.

        By similarity, then path, then position. Files that share no short piece with a long needle
        are passed over. After `seconds` it ends with what it has and says where. Raises as `fuzzy`.
        """
        clock = Task(seconds=seconds)
        likest = partial(
            search_fuzzy,
            needle=needle,
            min_similarity=min_similarity,
            limit=options.limit,
            task=task,
        )
        if opened is not None:
            with opened() as snapshot:
                one = likest(snapshot)
            return SimilarHits(
                tuple((where, hit) for hit in one.hits),
                1,
                one.reason,
                one.tied,
                one.runner_up,
            )
        # Of a short text two slips may spoil every piece, so then every file is looked at.
        long = len(needle.strip()) >= _LONG
        pieces = (
            choose_pieces(needle.encode("utf-8", "replace"), b"", 1)
            if long
            else ()
        )
        forms = tuple(map(escape_bytes, pieces))
        candidates = Candidates(self.boundary, where, options, forms, task)
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
        return SimilarHits(tuple(best), candidates.searched, reason)

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
