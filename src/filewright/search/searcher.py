"""The searcher of a workspace: it opens files for searches, and finds similar text in a tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk_model import WalkOptions
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.candidates import CandidateFiles
from filewright.search.characters import escape_bytes
from filewright.search.hits import FileHits, Hit
from filewright.search.pieces import choose_pieces
from filewright.search.similarity import search_fuzzy
from filewright.search.tree_options import TreeOptions
from filewright.search.window import NO_TIMEOUT
from filewright.settings import Settings
from filewright.text.cache import BoundedCache
from filewright.text.compressed import TextCache, view_if_compressed
from filewright.text.lines import LineIndex
from filewright.text.notebook import view_if_notebook
from filewright.text.snapshot import Snapshot

_MISSING_CODES = (
    Code.NOT_FOUND,
    Code.NOT_A_FILE,
    Code.NOT_A_DIRECTORY,
    Code.SYMLINK,
    Code.PATH_ESCAPE,
)
_MIN_PIECEWISE_CHARACTERS = 40
"""A shorter text has so few pieces that two slips may spoil all; it is searched in every file."""


class Unavailable(Enum):
    """The reason why a file of the walk cannot be searched."""

    MISSING = auto()
    UNREADABLE = auto()


@dataclass(frozen=True, slots=True)
class LocatedHit:
    """A hit, and the file that it is in."""

    location: Location
    hit: Hit


@dataclass(frozen=True, slots=True)
class SimilarHits:
    """The best hits of a fuzzy search, best first, and the number of files searched.

    `reason` says why some may be missing, and `problems` which compressed files are damaged,
    by their paths. Of a single file, `tied` and `runner_up` are those of its `FileHits`.
    """

    hits: tuple[LocatedHit, ...]
    searched: int
    reason: str
    problems: Mapping[str, str]
    tied: int = 0
    runner_up: float | None = None

    @property
    def complete(self) -> bool:
        """Return True if everything was searched."""
        return not self.reason and not self.problems


@dataclass
class Searcher:
    """The boundary and the settings with which the searches of a workspace open files."""

    boundary: Boundary
    settings: Settings
    indexes: BoundedCache[LineIndex] | None = None
    texts: TextCache = field(default_factory=TextCache)

    def accepts(
        self,
        location: Location,
        options: TreeOptions,
        task: Task = NO_TIMEOUT,
    ) -> bool:
        """Return True if a single file fits the type and the globs of a search.

        Globs apply from the file's own folder.
        """
        if not options.matches_type(location.name):
            return False
        if not options.glob and not options.exclude:
            return True
        # A file that the caller names is searched even if a rule ignores it.
        walk_options = WalkOptions(
            depth=1,
            glob=options.glob,
            exclude=options.exclude,
            include_ignored=True,
        )
        siblings = self.boundary.walk(location.parent, walk_options, task=task)
        return any(entry.name == location.name for entry in siblings)

    def search_similar(
        self,
        location: Location,
        needle: str,
        options: TreeOptions,
        *,
        open_file: Callable[[], Snapshot] | None = None,
        min_similarity: float = 0.8,
        seconds: float | None = None,
        task: Task = NO_TIMEOUT,
    ) -> SimilarHits:
        """Return the `options.limit` hits most similar to `needle` below a location.

        They are in order of similarity, then path, then position. Files that share no
        piece with a long needle are not searched. After `seconds` the search ends, and
        the result says where. For a single file, `open_file` opens it.

        Raises the errors of `search_fuzzy`.
        """

        problems: dict[str, str] = {}

        def search(snapshot: Snapshot) -> FileHits:
            file_hits = search_fuzzy(
                snapshot,
                needle,
                min_similarity=min_similarity,
                limit=options.limit,
                task=task,
            )
            if snapshot.problem:
                problems[snapshot.requested_path] = snapshot.problem
            return file_hits

        if open_file is not None:
            with open_file() as snapshot:
                file_hits = search(snapshot)
            return SimilarHits(
                tuple(LocatedHit(location, hit) for hit in file_hits.hits),
                searched=1,
                reason=file_hits.reason,
                problems=problems,
                tied=file_hits.tied,
                runner_up=file_hits.runner_up,
            )
        candidates = CandidateFiles(
            self.boundary,
            location,
            options,
            _piece_patterns(needle),
            task=task,
        )
        time_limit = Task(seconds=seconds)
        best: list[LocatedHit] = []
        reason = ""
        for candidate in candidates:
            task.check()
            if time_limit.expired:
                reason = (
                    f"time ran out before {candidate.display_path}; narrow "
                    "the search with path, glob or type"
                )
                break
            file_hits = self._search_candidate(candidate, search, task)
            if file_hits.reason and not reason:
                reason = f"{candidate.display_path}: {file_hits.reason}"
            best += [LocatedHit(candidate, hit) for hit in file_hits.hits]
            # The sort is stable: equal ones stay in the order of their paths.
            best.sort(key=lambda located: -located.hit.score)
            del best[options.limit :]
        return SimilarHits(tuple(best), candidates.searched, reason, problems)

    def _search_candidate(
        self,
        location: Location,
        search: Callable[[Snapshot], FileHits],
        task: Task,
    ) -> FileHits:
        """Search one file; without hits if it is binary, or cannot be opened."""
        snapshot = self.open(location, task)
        if isinstance(snapshot, Unavailable):
            return FileHits(())
        with snapshot:
            if snapshot.binary_type is not None:
                return FileHits(())
            return search(snapshot)

    def open(self, location: Location, task: Task) -> Snapshot | Unavailable:
        """Open a file that the walk yielded; of a notebook, the view of its cells."""
        try:
            file = self.boundary.open_file(location)
            snapshot = Snapshot.of_file(
                file,
                location,
                self.settings,
                indexes=self.indexes,
                launcher=self.boundary.launcher,
            )
            snapshot = view_if_notebook(snapshot, task, headings=False)
            return view_if_compressed(snapshot, self.texts, task)
        except FilewrightError as error:
            if error.ends_call:
                raise
            if error.code in _MISSING_CODES:
                return Unavailable.MISSING
            return Unavailable.UNREADABLE


def _piece_patterns(needle: str) -> tuple[str, ...]:
    """Return patterns of `rg` for the pieces of a long needle, none for a short one."""
    if len(needle.strip()) < _MIN_PIECEWISE_CHARACTERS:
        return ()
    pieces = choose_pieces(needle.encode("utf-8", "replace"), b"", 1)
    return tuple(map(escape_bytes, pieces))
