"""Contents of files, stored within a budget before a command changes them.

The store is a cache: it is never flushed, may be deleted, and is checked when
it is read::

    shell/kept.db      contents by path and file state, each after its xxh3_128
    shell/index-...    the root's git index, for contents that only git has
    shell/ahead        the claim of a background process that stores more
"""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import translate
from heapq import heappop, heappush
from posixpath import basename
from typing import NamedTuple

import xxhash

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.changes.database import Database
from filewright.changes.state_dir import temporary_file
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.recording.model import (
    LARGE_BYTES,
    Scan,
    ScannedFolder,
    ScannedState,
    parent_prefix,
)
from filewright.recording.scan import content_identity
from filewright.settings import MB
from filewright.system import Folder
from filewright.wording import format_size, join_limited

CACHE_NAME = b"kept.db"
TABLES = """
CREATE TABLE kept (
    folder BLOB NOT NULL, name BLOB NOT NULL, stamp BLOB NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (folder, name, stamp)
);
CREATE TABLE cache AS SELECT hex(randomblob(8)) AS name"""
"""Contents, and a random name that shows if the cache was deleted."""
GIT_BYTES = 4 * MB
"""The largest file whose content is looked for in git."""
DESTRUCTIVE_LINE = (
    r"\b(rm|mv|cp|dd|sed|tee|find|git|rsync|shred|truncate|unlink)\b|>"
)
"""A pattern of command lines that may delete or overwrite files."""
WORD_SEPARATORS = r"[\s'\"`=:;|&()<>]+"
MAX_CACHE_BYTES = 256 * MB
MAX_NAMED_BYTES = 16 * MB
"""The largest file that is stored because an edit tool names it."""
FILES_PER_TRANSACTION = 200
MAX_READS = 3
"""The most readings of a file that is being written to."""
KEEPER_CLAIM_NAME, KEEPER_CLAIM_NS = b"ahead", 600 * 10**9
MAX_PATTERNS, MAX_NAMED_FILES = 50, 5
MAX_INDEX_BYTES = 64 * MB
STALE_NS = 2 * 86_400 * 10**9
DAMAGE_CODES = (Code.IO_ERROR, Code.UNSUPPORTED)
"""The errors of a cache that is damaged, or of another version."""


class Budget(NamedTuple):
    """The time and the space for storing contents at one time.

    Files that a command line names are stored for `named_seconds`, others for
    `seconds`; `min_files` are stored however long that takes. With
    `changed_only`, the others are those in folders that have changed since the
    last scan; the rest is left to the background process.
    """

    seconds: float = 0.2
    named_seconds: float = 0.2
    max_bytes: int = 64 * MB
    changed_only: bool = False
    min_files: int = 20

    @property
    def for_hook(self) -> Budget:
        """This budget for a hook, for which the user waits."""
        return self._replace(seconds=min(self.seconds, 0.05), changed_only=True)


class Baseline:
    """The stored contents of one root, in `folder` of its state.

    Several processes may store contents at once.
    """

    def __init__(
        self, boundary: Boundary, folder: Folder, database: Database, task: Task
    ) -> None:
        self._boundary = boundary
        self._root = boundary.roots[0]
        self._folder = folder
        self._database = database
        self._task = task

    # Contents

    def read_current(self, path: bytes, state: ScannedState) -> bytes | None:
        """Return the present content of a file or link, or None.

        None if it cannot be read or has become large. It may have been written
        to since the scan. For a file that is written to all the time, such as a
        log, this is the result of one of the readings.
        """
        location = Location(self._root, tuple(path.split(b"/")))
        # A file that grows without end would fill the memory.
        limit = max(state.size, LARGE_BYTES)
        try:
            if state.kind == "link":
                return self._boundary.read_link(location)
            with self._boundary.open_file(location) as file:
                for _ in range(MAX_READS):
                    status = file.status()
                    content = file.read(0, limit + 1)
                    if len(content) == status.size and content_identity(
                        file.status()
                    ) == content_identity(status):
                        break
        except (FilewrightError, OSError):
            return None
        return content if len(content) <= limit else None

    def read_stored(self, path: bytes, state: ScannedState) -> bytes | None:
        """Return the stored content of a file in a scanned state, or None."""
        query = "SELECT content FROM kept WHERE folder = ? AND name = ? AND stamp = ?"
        with self._discarding_damage():
            for (content,) in self._database.read(
                query, *_content_key(path, state)
            ):
                # The cache is never flushed: after a power cut it may hold
                # wrong bytes, and undo would write them.
                if _with_checksum(content[16:]) == content:
                    return bytes(content[16:])
                self._discard()
        return None

    def store(
        self, contents: Iterable[tuple[bytes, ScannedState, bytes]]
    ) -> None:
        """Store contents by their paths and file states."""
        with self._database.transaction(self._task, durable=False) as execute:
            for path, state, content in contents:
                row = *_content_key(path, state), _with_checksum(content)
                execute("INSERT OR REPLACE INTO kept VALUES (?,?,?,?)", row)

    def adopt(
        self, other: Baseline, *, below: bytes = b"", prefix: bytes = b""
    ) -> None:
        """Copy another root's contents, with `prefix` in place of `below`."""
        with suppress(FilewrightError):  # A damaged cache has nothing to copy.
            for (folder,) in other._database.read(
                "SELECT DISTINCT folder FROM kept"
            ):
                if not folder.startswith(below):
                    continue
                self._task.check()
                scan = other._database.read(
                    "SELECT name, stamp, content FROM kept WHERE folder = ?",
                    folder,
                )
                # One folder at a time: the contents of a whole root may not fit
                # in memory.
                with self._database.transaction(
                    self._task, durable=False
                ) as execute:
                    for row in scan:
                        new_folder = prefix + folder[len(below) :]
                        execute(
                            "INSERT OR REPLACE INTO kept VALUES (?,?,?,?)",
                            (new_folder, *row),
                        )

    def store_scan(
        self,
        scan: Scan,
        budget: Budget,
        *,
        line: str = "",
        last_scan: Scan | None = None,
    ) -> tuple[Scan, dict[bytes, ScannedState]]:
        """Store missing contents: first those a line names, then the newest.

        Return the scan, with a mark in each folder that is completely stored,
        and the named files that were too large or for which there was no time
        or space.
        """
        # A read of both tables shows damage before anything is written.
        with self._discarding_damage():
            self._database.read(
                "SELECT name, (SELECT 1 FROM kept LIMIT 1) FROM cache"
            )
        with self._database.transaction(self._task, durable=False) as execute:
            (cache_name,) = execute("SELECT name FROM cache").fetchone()
        run = _StoreRun(self, scan, budget, line)
        run.find_candidates(cache_name, last_scan)
        run.store_candidates(self._task)
        marked_scan = _mark_stored_folders(scan, cache_name, run.incomplete)
        return marked_scan, run.unstored

    def store_named(self, states: Mapping[bytes, ScannedState]) -> None:
        """Store the contents of scanned files that an edit tool names.

        They are stored whatever the budget, up to `MAX_NAMED_BYTES` each.
        """
        for path, state in states.items():
            key = basename(path), state.key
            if state.size > MAX_NAMED_BYTES or key in self.stored_keys(
                parent_prefix(path)
            ):
                continue
            content = self.read_current(path, state)
            if content is not None:
                self.store([(path, state, content)])

    def stored_keys(self, folder: bytes) -> set[tuple[bytes, bytes]]:
        """Return the name and the state of each stored content of a folder."""
        query = "SELECT name, stamp FROM kept WHERE folder = ?"
        return set(self._database.read(query, folder))

    # Git

    def store_git_index(self) -> tuple[int, ...] | None:
        """Copy git's index if it is new; return its identity or None."""
        try:
            with self._boundary.open_file(
                Location(self._root, (b".git", b"index"))
            ) as file:
                index = content_identity(file.status())
                # Git replaces its index with each command, but undo needs the
                # objects that it named before.
                if not self._folder.contains_any((_index_file_name(index),)):
                    with temporary_file(
                        self._folder, file.read(0, MAX_INDEX_BYTES)
                    ) as temporary_name:
                        self._folder.rename(
                            temporary_name,
                            self._folder,
                            _index_file_name(index),
                            "replace",
                        )
                return index
        except (FilewrightError, OSError):
            return None

    def iter_staged(
        self,
        index: tuple[int, ...] | None,
        wanted: Mapping[bytes, ScannedState],
    ) -> Iterator[tuple[bytes, str]]:
        """Yield the wanted files that a copied index has, with their objects.

        Stops at the first part that is not an index.
        """
        if index is None or not wanted:
            return
        from filewright.recording.git_index import iter_entries

        with suppress(OSError, struct.error, ValueError, IndexError):
            with self._folder.open(_index_file_name(index)) as file:
                data = file.read(0, MAX_INDEX_BYTES)
            for number, entry in enumerate(iter_entries(data)):
                if number % 1024 == 0:
                    self._task.check()
                state = wanted.get(entry.path)
                if state is None or state.size > GIT_BYTES or entry.is_conflict:
                    continue
                # A file that changed at the time of the index may have changed
                # once more without git noticing.
                if entry.mtime_ns >= index[2]:
                    continue
                # The index has the low 32 bits of an inode.
                if (state.inode & 0xFFFFFFFF, state.size, state.mtime_ns) == (
                    entry.inode,
                    entry.size,
                    entry.mtime_ns,
                ):
                    yield entry.path, entry.object_id

    # Upkeep

    def warn_of_unstored(
        self,
        line: str,
        unstored: dict[bytes, ScannedState],
        index: tuple[int, ...] | None,
    ) -> None:
        """Add a notice of the unstored files that a line may delete."""
        if not re.search(DESTRUCTIVE_LINE, line):
            return
        for path, _ in self.iter_staged(index, unstored):
            del unstored[path]
        descriptions = []
        for path, state in unstored.items():
            if state.kind == "file":
                display_path = Location(
                    self._root, tuple(path.split(b"/"))
                ).display_path
                descriptions.append(
                    f"{display_path} ({format_size(state.size)})"
                )
        if descriptions:
            listed_files = join_limited(descriptions, MAX_NAMED_FILES)
            self._task.notices.append(
                "not stored, so a change of these files cannot be undone: "
                f"{listed_files}"
            )

    def clean_up(self) -> None:
        """Remove old indexes, old temporary files and an oversized cache."""
        stale_before = time.time_ns() - STALE_NS
        for name in self._folder.names():
            # A process that was killed leaves its temporary files behind.
            if name.startswith((b"index-", b"new-")):
                with suppress(FileNotFoundError):  # Removed by another process.
                    if self._folder.stat(name).mtime_ns < stale_before:
                        self._folder.remove(name)
        if self.size > MAX_CACHE_BYTES:
            self._discard()

    @property
    def size(self) -> int:
        """The size of the cache in bytes."""
        [status] = self._folder.stat_names([CACHE_NAME])
        return status.size if status is not None else 0

    @property
    def free_bytes_ahead(self) -> int:
        """The bytes that may still be stored ahead of commands."""
        return MAX_CACHE_BYTES // 2 - self.size

    def claim_keeper(self) -> bool:
        """Claim the background storing; return False if it is claimed."""
        # Only its age ends a claim: a process that was killed cannot remove it.
        with suppress(FileNotFoundError):
            if (
                time.time_ns() - self._folder.stat(KEEPER_CLAIM_NAME).mtime_ns
                < KEEPER_CLAIM_NS
            ):
                return False
            self._folder.remove(KEEPER_CLAIM_NAME)
        # Two processes may claim it at once; then contents are stored twice,
        # which does no harm.
        with suppress(FileExistsError):
            self._folder.create(KEEPER_CLAIM_NAME).close()
        return True

    @contextmanager
    def _discarding_damage(self) -> Iterator[None]:
        """Discard the cache if reading it fails inside the `with` statement."""
        try:
            yield
        except FilewrightError as error:
            if error.code not in DAMAGE_CODES:
                raise
            self._discard()

    def _discard(self) -> None:
        """Delete the cache; the next commands store contents again."""
        self._database.close()
        # The log goes first: SQLite might replay it into the next database.
        for name in (CACHE_NAME + b"-wal", CACHE_NAME + b"-shm", CACHE_NAME):
            with suppress(OSError):  # On Windows another process has it open.
                self._folder.remove(name)


@dataclass(frozen=True, slots=True, order=True)
class _Candidate:
    """A file to store, or (without a state) a folder to list.

    The order is that of storing: named files first, then the newest.
    """

    is_unnamed: bool
    negative_mtime_ns: int
    folder: bytes
    name: bytes = b""
    state: ScannedState | None = None


class _StoreRun:
    """One run of storing contents of a scan within a budget.

    `unstored` are the named files that were not stored, `incomplete` the
    folders with contents that were not.
    """

    def __init__(
        self, baseline: Baseline, scan: Scan, budget: Budget, line: str
    ) -> None:
        self.unstored: dict[bytes, ScannedState] = {}
        self.incomplete: set[bytes] = set()
        self._baseline = baseline
        self._scan = scan
        self._budget = budget
        self._has_line = bool(line)
        self._is_named = _name_matcher(line)
        self._candidates: list[_Candidate] = []

    def find_candidates(self, cache_name: str, last_scan: Scan | None) -> None:
        """Find the folders with contents that the named cache lacks."""
        for prefix, folder in self._scan.items():
            is_incomplete = folder.stored_in != cache_name
            # A large file is never stored: it is reported if the line names it,
            # also in a folder that is complete.
            if not is_incomplete and not folder.has_large:
                continue
            if self._has_line and self._is_named(
                prefix.split(b"/") + folder.names.split(b"/")
            ):
                self._add_files(prefix)
                continue
            if not is_incomplete:
                continue
            is_unchanged = (
                self._budget.changed_only
                and last_scan is not None
                and folder is last_scan.get(prefix)
            )
            # The background process stores these; another mark means that the
            # cache was deleted since.
            if is_unchanged and not folder.stored_in:
                self.incomplete.add(prefix)
            else:
                # The files of a folder are only listed once its newest file is
                # the next one to store.
                heappush(
                    self._candidates,
                    _Candidate(True, -folder.newest_ns, prefix),
                )

    def store_candidates(self, task: Task) -> None:
        """Store contents until the budget is used up."""
        started = time.monotonic()
        file_count = 0
        remaining_bytes = self._budget.max_bytes
        contents: list[tuple[bytes, ScannedState, bytes]] = []
        while self._candidates and remaining_bytes >= 0:
            seconds = time.monotonic() - started
            # On a busy machine the time may be over before the first file.
            if (
                file_count >= self._budget.min_files
                and seconds > self._time_limit()
            ):
                break
            task.check()
            candidate = heappop(self._candidates)
            if candidate.state is None:
                self._add_files(candidate.folder)
                continue
            file_count += 1
            path = candidate.folder + candidate.name
            content = self._baseline.read_current(path, candidate.state)
            if content is not None:
                remaining_bytes -= len(content)
                contents.append((path, candidate.state, content))
            # Other processes that store contents wait for one transaction.
            if len(contents) == FILES_PER_TRANSACTION:
                self._baseline.store(contents)
                contents = []
        if contents:
            self._baseline.store(contents)
        # There was no time or space for the rest: a later run stores it.
        for candidate in self._candidates:
            self.incomplete.add(candidate.folder)
            if candidate.state is not None and not candidate.is_unnamed:
                path = candidate.folder + candidate.name
                self.unstored[path] = candidate.state

    def _time_limit(self) -> float:
        """Return the seconds within which the next candidate may be stored."""
        if self._candidates[0].is_unnamed:
            return self._budget.seconds
        return max(self._budget.seconds, self._budget.named_seconds)

    def _add_files(self, prefix: bytes) -> None:
        """Add the files of a folder whose contents are not stored."""
        stored_keys = self._baseline.stored_keys(prefix)
        for name, state in self._scan[prefix].named_states():
            # Most folders have no stored contents: then no keys are built.
            if state.kind == "folder" or (
                stored_keys and (name, state.key) in stored_keys
            ):
                continue
            is_unnamed = not self._is_named([*prefix.split(b"/"), name])
            if state.size <= LARGE_BYTES:
                candidate = _Candidate(
                    is_unnamed, -state.mtime_ns, prefix, name, state
                )
                heappush(self._candidates, candidate)
            elif not is_unnamed:
                self.unstored[prefix + name] = state


def _mark_stored_folders(
    scan: Scan, cache_name: str, incomplete: set[bytes]
) -> Scan:
    """Return a scan with marks in completely stored folders."""
    changed_folders: dict[bytes, ScannedFolder] = {}
    for prefix, folder in scan.items():
        stored_in = "" if prefix in incomplete else cache_name
        if folder.stored_in != stored_in:
            changed_folders[prefix] = folder._replace(stored_in=stored_in)
    return {**scan, **changed_folders} if changed_folders else scan


def _content_key(
    path: bytes, state: ScannedState
) -> tuple[bytes, bytes, bytes]:
    """Return the key of a content in the cache: folder, name and file state."""
    return parent_prefix(path), basename(path), state.key


def _with_checksum(content: bytes) -> bytes:
    """Return a content with its checksum before it."""
    return xxhash.xxh3_128_digest(content) + content


def _name_matcher(line: str) -> Callable[[list[bytes]], bool]:
    """Return a function that tells if a command line names one of some files.

    A word of the line names a file by the last part of a path, or by a pattern.
    """
    # `build/` and `build/*` name the folder itself.
    words = {
        word.rstrip("/*").rpartition("/")[2]
        for word in re.split(WORD_SEPARATORS, line)
    } - {"", ".", ".."}
    exact_names = {*map(os.fsencode, words)}
    patterns = sorted(
        word for word in words if not {"*", "?", "["}.isdisjoint(word)
    )[:MAX_PATTERNS]
    matches = re.compile("|".join(map(translate, patterns))).match

    def named(names: list[bytes]) -> bool:
        if not exact_names.isdisjoint(names):
            return True
        # Without patterns the expression is empty and would match every name.
        return bool(patterns) and any(map(matches, map(os.fsdecode, names)))

    return named


def _index_file_name(index: tuple[int, ...]) -> bytes:
    return b"index-%x-%x-%x" % index
