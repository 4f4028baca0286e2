"""Contents of files that are stored before a command changes them, within a budget.

The store is a cache: it is never flushed, may be deleted, and is checked when it is
read::

    shell/kept.db      contents by path and file state, each after its xxh3_128
    shell/index-...    the git index of the root; its objects hold contents not stored
    shell/ahead        the claim of a background process that stores more contents
"""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
"""Contents, and a random name, by which a scan knows whether the cache was deleted."""
GIT_BYTES = 4 * MB
"""The largest file whose content is looked for in git."""
DESTRUCTIVE_LINE = r"\b(rm|mv|cp|dd|sed|tee|find|git|rsync|shred|truncate|unlink)\b|>"
"""A pattern of command lines that may delete or overwrite files."""
WORD_SEPARATORS = r"[\s'\"`=:;|&()<>]+"
MAX_CACHE_BYTES = 256 * MB
FILES_PER_TRANSACTION = 200
MAX_READS = 3
"""The most readings of a file that is being written to."""
KEEPER_CLAIM_NAME, KEEPER_CLAIM_NS = b"ahead", 600 * 10**9
MAX_PATTERNS, MAX_NAMED_FILES = 50, 5
MAX_INDEX_BYTES = 64 * MB
STALE_NS = 2 * 86_400 * 10**9
INDEX_ENTRY = struct.Struct(">10I20sH")
"""An entry of git's index.

Its fields are times, device, inode, mode, user, group, size, name of the object, flags.
"""
DAMAGE_CODES = (Code.IO_ERROR, Code.UNSUPPORTED)
"""The errors of a cache that is damaged, or of another version."""


class Budget(NamedTuple):
    """The time and the space for storing contents at one time.

    Files that a command line names are stored for `named_seconds`, others for
    `seconds`; `min_files` are stored however long that takes. With `changed_only`, the
    others are those in folders that have changed since the last scan; the rest is left
    to the background process.
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

        None if it cannot be read or has become large. It may have been written to since
        the scan. For a file that is written to all the time, such as a log, this is the
        result of one of the readings.
        """
        location = Location(self._root, tuple(path.split(b"/")))
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
        """Return the stored content of a file in the state of a scan, or None."""
        query = "SELECT content FROM kept WHERE folder = ? AND name = ? AND stamp = ?"
        with self._discarding_damage():
            for (content,) in self._database.read(query, *_content_key(path, state)):
                if _with_checksum(content[16:]) == content:
                    return bytes(content[16:])
                self._discard()
        return None

    def store(self, contents: Iterable[tuple[bytes, ScannedState, bytes]]) -> None:
        """Store contents by their paths and file states."""
        with self._database.transaction(self._task, durable=False) as execute:
            for path, state, content in contents:
                row = *_content_key(path, state), _with_checksum(content)
                execute("INSERT OR REPLACE INTO kept VALUES (?,?,?,?)", row)

    def adopt(
        self, other: Baseline, *, below: bytes = b"", prefix: bytes = b""
    ) -> None:
        """Copy another root's contents, with the path `prefix` in place of `below`."""
        with suppress(FilewrightError):  # A damaged cache has nothing to copy.
            for (folder,) in other._database.read("SELECT DISTINCT folder FROM kept"):
                if not folder.startswith(below):
                    continue
                self._task.check()
                scan = other._database.read(
                    "SELECT name, stamp, content FROM kept WHERE folder = ?", folder
                )
                with self._database.transaction(self._task, durable=False) as execute:
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
        """Store missing contents, first those that a line names, then the newest.

        Return the scan, with a mark in each folder that is completely stored, and the
        named files that were too large or for which there was no time or space.
        """
        is_named, too_late, incomplete = (
            _name_matcher(line),
            dict[bytes, ScannedState](),
            set[bytes](),
        )
        candidates: list[tuple[bool, int, bytes, bytes, ScannedState | None]] = []

        def want(prefix: bytes) -> None:
            stored_keys = set(
                self._database.read(
                    "SELECT name, stamp FROM kept WHERE folder = ?", prefix
                )
            )
            for name, state in scan[prefix].named_states():
                if state.kind == "folder" or (
                    stored_keys and (name, state.key) in stored_keys
                ):
                    continue
                is_unnamed = not is_named([*prefix.split(b"/"), name])
                if state.size <= LARGE_BYTES:
                    heappush(
                        candidates, (is_unnamed, -state.mtime_ns, prefix, name, state)
                    )
                elif not is_unnamed:
                    too_late[prefix + name] = state

        with self._discarding_damage():
            self._database.read("SELECT name, (SELECT 1 FROM kept LIMIT 1) FROM cache")
        with self._database.transaction(self._task, durable=False) as execute:
            (cache_name,) = execute("SELECT name FROM cache").fetchone()
        for prefix, folder in scan.items():
            is_incomplete = folder.stored_in != cache_name
            if not is_incomplete and not folder.has_large:
                continue
            is_unchanged = (
                budget.changed_only
                and last_scan is not None
                and folder is last_scan.get(prefix)
            )
            if line and is_named(prefix.split(b"/") + folder.names.split(b"/")):
                want(prefix)
            elif is_incomplete and is_unchanged and not folder.stored_in:
                incomplete.add(prefix)
            elif is_incomplete:
                # Files of a folder are only listed once its newest file is the next to
                # store.
                heappush(candidates, (True, -folder.newest_ns, prefix, b"", None))
        started, file_count, remaining_bytes = time.monotonic(), 0, budget.max_bytes
        contents: list[tuple[bytes, ScannedState, bytes]] = []
        while candidates:
            time_limit = (
                budget.seconds
                if candidates[0][0]
                else max(budget.seconds, budget.named_seconds)
            )
            # On a busy machine the time may be over before the first file.
            if remaining_bytes < 0 or (
                file_count >= budget.min_files
                and time.monotonic() - started > time_limit
            ):
                break
            self._task.check()
            _, _, prefix, name, state = heappop(candidates)
            if state is None:
                want(prefix)
                continue
            file_count += 1
            content = self.read_current(prefix + name, state)
            if content is not None:
                remaining_bytes -= len(content)
                contents.append((prefix + name, state, content))
            # Another process that stores contents waits for one transaction at most.
            if len(contents) == FILES_PER_TRANSACTION:
                self.store(contents)
                contents = []
        if contents:
            self.store(contents)
        for is_unnamed, _, prefix, name, state in candidates:
            incomplete.add(prefix)
            if state is not None and not is_unnamed:
                too_late[prefix + name] = state
        return _mark_stored_folders(scan, cache_name, incomplete), too_late

    # Git

    def store_git_index(self) -> tuple[int, ...] | None:
        """Copy git's index if it is new; return its identity, or None without one."""
        try:
            with self._boundary.open_file(
                Location(self._root, (b".git", b"index"))
            ) as file:
                index = content_identity(file.status())
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
        self, index: tuple[int, ...] | None, wanted: Mapping[bytes, ScannedState]
    ) -> Iterator[tuple[bytes, str]]:
        """Yield the wanted files that a copied index has in their state, with objects.

        Stops at the first part that is not an index.
        """
        if index is None or not wanted:
            return
        with suppress(OSError, struct.error, ValueError, IndexError):
            with self._folder.open(_index_file_name(index)) as file:
                data = file.read(0, MAX_INDEX_BYTES)
            magic, version, count = struct.unpack_from(">4sII", data)
            if magic != b"DIRC" or version not in (2, 3, 4):
                return
            offset, path = 12, b""
            for entry_number in range(count):
                if entry_number % 1024 == 0:
                    self._task.check()
                (
                    _,
                    _,
                    seconds,
                    nanoseconds,
                    _,
                    inode,
                    _,
                    _,
                    _,
                    size,
                    object_name,
                    flags,
                ) = INDEX_ENTRY.unpack_from(data, offset)
                path_start = (
                    offset
                    + INDEX_ENTRY.size
                    + (2 if version > 2 and flags & 0x4000 else 0)
                )
                dropped_length = len(path)
                if version == 4:
                    dropped_length, path_start = _read_offset(data, path_start)
                path_end = data.index(b"\0", path_start)
                path = path[: len(path) - dropped_length] + data[path_start:path_end]
                offset = (
                    path_end + 1
                    if version == 4
                    else offset + (path_end - offset + 8) // 8 * 8
                )
                state, time_ns = wanted.get(path), seconds * 10**9 + nanoseconds
                # A file changed at the time of the index may have changed again
                # unnoticed.
                if (
                    state is None
                    or state.size > GIT_BYTES
                    or time_ns >= index[2]
                    or flags & 0x3000
                ):
                    continue
                if (state.inode & 0xFFFFFFFF, state.size, state.mtime_ns) == (
                    inode,
                    size,
                    time_ns,
                ):
                    yield path, object_name.hex()

    # Upkeep

    def warn_of_unstored(
        self,
        line: str,
        unstored: dict[bytes, ScannedState],
        index: tuple[int, ...] | None,
    ) -> None:
        """Add a notice of the files that a line may delete and that are not stored."""
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
                descriptions.append(f"{display_path} ({format_size(state.size)})")
        if descriptions:
            listed_files = join_limited(descriptions, MAX_NAMED_FILES)
            self._task.notices.append(
                f"filewright has not kept, and cannot bring back: {listed_files}"
            )

    def clean_up(self) -> None:
        """Remove old indexes and temporary files, and the cache if it is too large."""
        stale_before = time.time_ns() - STALE_NS
        for name in self._folder.names():
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
        """Claim the storing in the background; return False if it is claimed."""
        with suppress(FileNotFoundError):
            if (
                time.time_ns() - self._folder.stat(KEEPER_CLAIM_NAME).mtime_ns
                < KEEPER_CLAIM_NS
            ):
                return False
            self._folder.remove(KEEPER_CLAIM_NAME)
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
        for name in (CACHE_NAME + b"-wal", CACHE_NAME + b"-shm", CACHE_NAME):
            with suppress(OSError):  # On Windows another process has it open.
                self._folder.remove(name)


def _mark_stored_folders(scan: Scan, cache_name: str, incomplete: set[bytes]) -> Scan:
    """Return a scan with marks in completely stored folders."""
    changed_folders: dict[bytes, ScannedFolder] = {}
    for prefix, folder in scan.items():
        stored_in = "" if prefix in incomplete else cache_name
        if folder.stored_in != stored_in:
            changed_folders[prefix] = folder._replace(stored_in=stored_in)
    return {**scan, **changed_folders} if changed_folders else scan


def _content_key(path: bytes, state: ScannedState) -> tuple[bytes, bytes, bytes]:
    """Return the key of a content in the cache: folder, name and file state."""
    return parent_prefix(path), basename(path), state.key


def _with_checksum(content: bytes) -> bytes:
    """Return a content with its checksum before it."""
    return xxhash.xxh3_128_digest(content) + content


def _name_matcher(line: str) -> Callable[[list[bytes]], bool]:
    """Return a function that tells if a command line names one of some files.

    A word of the line names a file by the last part of a path, or by a pattern.
    """
    words = {
        word.rstrip("/*").rpartition("/")[2] for word in re.split(WORD_SEPARATORS, line)
    } - {"", ".", ".."}
    exact_names = {*map(os.fsencode, words)}
    patterns = sorted(word for word in words if not {"*", "?", "["}.isdisjoint(word))[
        :MAX_PATTERNS
    ]
    matches = re.compile("|".join(map(translate, patterns))).match

    def named(names: list[bytes]) -> bool:
        if not exact_names.isdisjoint(names):
            return True
        return bool(patterns) and any(map(matches, map(os.fsdecode, names)))

    return named


def _index_file_name(index: tuple[int, ...]) -> bytes:
    return b"index-%x-%x-%x" % index


def _read_offset(data: bytes, position: int) -> tuple[int, int]:
    """Return a number in the encoding of git's pack offsets, and its end."""
    value = data[position] & 0x7F
    while data[position] & 0x80:
        position += 1
        value = (value + 1 << 7) | (data[position] & 0x7F)
    return value, position + 1
