"""The search of a tree: any number of files, in path order, with bounded memory.

Each candidate (`candidates`) is opened by the boundary, and searched as a single file is.
So a hit is the same however the candidates were found.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

import xxhash

from filewright import errors
from filewright.boundary.location import Location
from filewright.errors import Code, FilewrightError
from filewright.logs.selection import EntrySelection
from filewright.logs.time_range import TimeRange
from filewright.progress import Task
from filewright.rows.row import Row
from filewright.search.candidates import CandidateFiles
from filewright.search.file_rows import add_rows
from filewright.search.hits import FileHits, count_hits, search_snapshot
from filewright.search.near_words import NearWords
from filewright.search.pattern import Pattern
from filewright.search.searcher import Searcher, Unavailable
from filewright.search.selected_lines import SelectedLines
from filewright.search.tree_options import TreeOptions
from filewright.search.window import NO_TIMEOUT
from filewright.text.snapshot import Snapshot

MAX_NAMED_FILES = 3
"""Files that a note names."""

MAX_MATCHED_FILES = 1_000
"""Files with hits that are remembered, to look at them again."""

_COMPRESSED_SECONDS = 30
"""The time that a search of a tree takes for compressed files."""

_FINGERPRINT_BYTES = 4 << 10
"""Bytes before an offset by which a file is recognised."""

FINGERPRINT_DIGITS = 12
"""Hexadecimal digits of the digest of these bytes."""

SHORT_FINGERPRINT_DIGITS = 10


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """The file and the byte offset from which a search goes on.

    `fingerprint` recognises the file (see `short_fingerprint`).
    """

    location: Location
    offset: int = 0
    fingerprint: str = ""


def fingerprint_before(snapshot: Snapshot, offset: int) -> str:
    """Return a text that tells a file from another that later has its name.

    A log that only grows keeps its fingerprint before an offset; one that was rotated,
    replaced or rewritten does not. It is empty at the beginning of a file.
    """
    if offset <= snapshot.start or snapshot.identity is None:
        return ""
    content = b""
    if snapshot.clip(offset) == offset:
        start = max(0, offset - _FINGERPRINT_BYTES)
        content = snapshot.read(start, offset - start)
    digest = xxhash.xxh3_64_hexdigest(content)[:FINGERPRINT_DIGITS]
    return f"{snapshot.identity.inode:x}-{digest}"


def short_fingerprint(snapshot: Snapshot, offset: int) -> str:
    """Return the digits that stand for the fingerprint before an offset in a cursor."""
    fingerprint = fingerprint_before(snapshot, offset)
    if not fingerprint:
        return ""
    digits = xxhash.xxh3_64_hexdigest(fingerprint.encode())
    return digits[:SHORT_FINGERPRINT_DIGITS]


@dataclass
class TreeFacts:
    """The facts that a search has found besides the hits, for its answer and its notes.

    They are complete when the search has ended: then either `complete` is True, or
    `resume` is the point where it goes on.
    """

    complete: bool = field(default=False, init=False)
    resume: ResumePoint | None = field(default=None, init=False)

    # Files that were searched, and their hits

    searched_count: int = field(default=0, init=False)
    """The number of files that were searched, with or without hits."""
    matched_count: int = field(default=0, init=False)
    """The number of files with hits."""
    matched_files: list[Location] = field(default_factory=list, init=False)
    """The first of the files with hits."""
    hit_count: int = field(default=0, init=False)

    # Files that were not searched

    ignored: int = field(default=0, init=False)
    """The number of names that ignore rules left out."""
    binary: int = field(default=0, init=False)
    """The number of files that may hold the pattern, but are not text."""
    unreadable: int = field(default=0, init=False)
    """The number of files and folders that cannot be read."""
    unreadable_files: list[Location] = field(default_factory=list, init=False)
    """The first of the files that cannot be read."""
    long_compressed_count: int = field(default=0, init=False)
    """The number of compressed files that would have taken too long."""
    long_compressed_files: list[Location] = field(
        default_factory=list, init=False
    )
    """The first of these files."""

    # Compressed files that were searched

    has_long_compressed_text: bool = field(default=False, init=False)
    """True if the text of one is too long to be held, so that it is decoded each time."""
    problems: dict[str, str] = field(default_factory=dict, init=False)
    """The places where compressed files are damaged, by the paths of the files."""

    # Lines that were left out by time or by fields

    left_out: Counter[str] = field(default_factory=Counter, init=False)
    """Counts of lines and rows by the reason why no condition was applied to them."""
    without_columns: int = field(default=0, init=False)
    """The number of tables without the columns that the conditions name."""
    without_json: int = field(default=0, init=False)
    """The number of files without a hit that begin with a line that is no JSON object."""
    untimed: int = field(default=0, init=False)
    """The number of files whose lines have no times."""
    unsorted: int = field(default=0, init=False)
    """The number of files whose times are not in order."""
    time_range: TimeRange | None = field(default=None, init=False)
    """The times that were searched in the last file."""


@dataclass
class TreeSearch(TreeFacts):
    """One search of the folder or file `where`, from `after` on.

    Iterating yields (snapshot, file hits) for each file with hits, in path order. A
    snapshot is open until the next step. The output `files` gives one hit of each file,
    `counts` only the count. In `near`, words near the matches are counted. Of a rotated
    log, `members` are the files, the oldest first. For a single file, `open_file` opens
    it, and its errors are raised.
    """

    searcher: Searcher
    where: Location
    pattern: Pattern
    options: TreeOptions
    after: ResumePoint | None = None
    task: Task = NO_TIMEOUT
    selection: EntrySelection | None = None
    members: tuple[Location, ...] = ()
    open_file: Callable[[], Snapshot] | None = None
    near: NearWords | None = None
    max_compressed_bytes: int = 256 << 20
    _compressed_seconds: float = field(default=0.0, init=False)

    def __iter__(self) -> Iterator[tuple[Snapshot, FileHits]]:
        if self.members:
            yield from self._search(self._member_places())
            self.searched_count = len(self.members)
            return
        if self.open_file:
            start = self.after or ResumePoint(self.where)
            yield from self._search([start])
            return
        patterns: tuple[str, ...] = ()
        # Otherwise almost every file has a hit, and rg could rule none out.
        if not self.options.invert and not self.pattern.matches_empty:
            patterns = self.pattern.rg_patterns
            if self.near is not None:
                patterns += self.near.wide.rg_patterns
        candidates = CandidateFiles(
            self.searcher.boundary,
            self.where,
            self.options,
            patterns,
            task=self.task,
            after=None if self.after is None else self.after.location,
            multiline=self.pattern.multiline,
        )
        # The file in which the earlier search stopped comes first.
        resumed = [] if self.after is None else [self.after]
        try:
            yield from self._search(
                chain(resumed, map(ResumePoint, candidates))
            )
        finally:
            self.searched_count = candidates.searched
            self.ignored = candidates.walk.ignored_count
            self.unreadable += candidates.walk.unreadable_count

    def _member_places(self) -> Iterator[ResumePoint]:
        """Yield the members of a rotated log that are left to search, in order of time."""
        members = list(self.members)
        if self.after is not None and self.after.location in members:
            members = members[members.index(self.after.location) + 1 :]
            yield self.after
        yield from map(ResumePoint, members)

    def _search(
        self, places: Iterable[ResumePoint]
    ) -> Iterator[tuple[Snapshot, FileHits]]:
        """Search files until the limit is reached, or all were searched."""
        counts_hits = self.options.output == "matches"
        remaining = self.options.limit
        for place in places:
            self.task.check()
            snapshot = self._open(place)
            if snapshot is None:
                continue
            with snapshot:
                if self._takes_too_long(snapshot):
                    self.long_compressed_count += 1
                    self.long_compressed_files.append(place.location)
                    del self.long_compressed_files[MAX_NAMED_FILES:]
                    continue
                started = time.monotonic()
                limit = max(remaining, 1) if counts_hits else 1
                try:
                    file_hits = self._search_file(snapshot, place, limit)
                finally:
                    self._note_compression(snapshot)
                if snapshot.compression:
                    self._compressed_seconds += time.monotonic() - started
                if not file_hits.count:
                    continue
                # Only a further hit shows that the limit left something out.
                if remaining <= 0:
                    self.resume = place
                    return
                self.matched_count += 1
                if self.matched_count <= MAX_MATCHED_FILES:
                    self.matched_files.append(place.location)
                self.hit_count += file_hits.count
                remaining -= file_hits.count if counts_hits else 1
                yield snapshot, file_hits
                # The caller may have read more of it.
                self._note_compression(snapshot)
                stopped_at = file_hits.stopped_at
                if counts_hits and stopped_at is not None:
                    self.resume = ResumePoint(
                        place.location,
                        stopped_at,
                        short_fingerprint(snapshot, stopped_at),
                    )
                    return
        self.complete = True

    def _takes_too_long(self, snapshot: Snapshot) -> bool:
        """Return True for a compressed file that a search of a tree leaves out.

        The caller may name it. Otherwise the backups in a folder would take all the time
        of the call, and their neighbours would not be searched.
        """
        if self.open_file or self.members or not snapshot.compression:
            return False
        if snapshot.file_size > self.max_compressed_bytes:
            return True
        return self._compressed_seconds > _COMPRESSED_SECONDS

    def _note_compression(self, snapshot: Snapshot) -> None:
        """Note the facts about a compressed file that the result must tell."""
        if snapshot.compression and snapshot.content is None:
            self.has_long_compressed_text = True
        if snapshot.problem:
            self.problems[snapshot.requested_path] = snapshot.problem

    def _open(self, place: ResumePoint) -> Snapshot | None:
        """Open a file, or count it and return None if it cannot be read."""
        if self.open_file:
            return self.open_file()
        snapshot = self.searcher.open(place.location, self.task)
        if isinstance(snapshot, Unavailable):
            if snapshot is Unavailable.UNREADABLE:
                self.unreadable += 1
                self.unreadable_files.append(place.location)
                del self.unreadable_files[MAX_NAMED_FILES:]
            return None
        return snapshot

    def _search_file(
        self, snapshot: Snapshot, place: ResumePoint, limit: int
    ) -> FileHits:
        """Return the hits of one file from a place on; none if it is binary.

        Raises `stale_version` if it is not the file in which the search stopped.
        """
        options = self.options
        if place.fingerprint and place.fingerprint != short_fingerprint(
            snapshot, place.offset
        ):
            raise errors.path_error(
                Code.STALE_VERSION,
                snapshot.requested_path,
                f"{snapshot.requested_path} is no longer the file in which this search stopped",
                "search again without the cursor",
            )
        if snapshot.binary_type is not None:
            self.binary += 1
            return FileHits(())
        if self.near is not None:
            self.near.add(snapshot, self.task)
        selected = self.select(snapshot)
        if options.output == "counts":
            count = count_hits(
                snapshot,
                self.pattern,
                invert=options.invert,
                selected=selected,
                task=self.task,
            )
            self._note_selected(selected)
            return FileHits((), count=count)
        file_hits = search_snapshot(
            snapshot,
            self.pattern,
            limit=limit,
            start=place.offset,
            invert=options.invert,
            selected=selected,
            task=self.task,
        )
        self._note_selected(selected, is_whole=file_hits.complete)
        if selected is not None and not file_hits.count:
            self.without_json += not selected.may_have_entries(snapshot)
        return file_hits

    def select(self, snapshot: Snapshot) -> SelectedLines | None:
        """Return the selection in a file, or None if every line is searched.

        In a tree, no line of a file without times is selected by time, and the file is
        counted in `untimed`; a file that the caller names is refused.
        """
        if self.selection is None:
            return None
        try:
            selected = SelectedLines.of(snapshot, self.selection, self.task)
        except FilewrightError as error:
            if self.open_file or error.code != Code.INVALID_INPUT:
                raise
            self.untimed += 1
            start = snapshot.start
            return SelectedLines(self.selection, start, start)
        try:
            add_rows(snapshot, selected, self.task)
        except FilewrightError as error:
            self._note_without_rows(snapshot, error)
            selected.rows = iter(())
        if selected.rows is not None:
            selected.rows = self._certain_rows(snapshot, selected.rows)
        return selected

    def _certain_rows(
        self, snapshot: Snapshot, rows: Iterator[Row]
    ) -> Iterator[Row]:
        """Yield the rows of a file up to a place where they are not certain."""
        try:
            yield from rows
        except FilewrightError as error:
            self._note_without_rows(snapshot, error)

    def _note_without_rows(
        self, snapshot: Snapshot, error: FilewrightError
    ) -> None:
        """Note that the rows of a file of a tree cannot be read; raise for a single file."""
        if self.open_file:
            raise error
        if error.code == Code.INVALID_INPUT:
            self.without_columns += 1
        elif error.code in (Code.UNSUPPORTED, Code.TOO_LARGE):
            path = snapshot.requested_path
            self.problems[path] = error.message.removeprefix(f"{path} ")
        else:
            raise error

    def note_left_out(self, selected: SelectedLines) -> None:
        """Count the lines and rows of a file that were left out."""
        for rows in selected.left_out:
            self.left_out[f"{rows.noun} {rows.reason}"] += rows.count

    def _note_selected(
        self, selected: SelectedLines | None, *, is_whole: bool = True
    ) -> None:
        """Note the facts about selected lines that the result must tell."""
        if selected is None:
            return
        if is_whole:
            # Of a part of the file, the number would say nothing.
            self.note_left_out(selected)
        self.time_range = selected.time_range or self.time_range
        if selected.time_range is not None and (
            not selected.time_range.is_sorted
        ):
            self.unsorted += 1
