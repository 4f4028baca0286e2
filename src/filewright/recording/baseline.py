"""The stored contents of files, by path and file state: what they held before a command, as far as a budget goes.

A cache that is never flushed and may be thrown away: everything is checked when it is read::

    shell/kept.db          contents by path and stamp, each after its xxh3_128
    shell/index-...        the index of the root's git repository, whose objects hold what else was not stored
    shell/ahead            a mark: a background process stores more for the next commands
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

KEPT = b"kept.db"
TABLES = """
CREATE TABLE kept (
    folder BLOB NOT NULL, name BLOB NOT NULL, stamp BLOB NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (folder, name, stamp)
);
CREATE TABLE cache AS SELECT hex(randomblob(8)) AS name"""
"""Contents; and a name that tells this cache from one that was thrown away: a row of a scan may know only that."""
GIT_BYTES = 4 * MB
"""Above this size a file is not asked of git."""
_TAKES_AWAY = r"\b(rm|mv|cp|dd|sed|tee|find|git|rsync|shred|truncate|unlink)\b|>"
"""Command lines that may take something away."""
_BETWEEN = r"[\s'\"`=:;|&()<>]+"
_MOST_BYTES = 256 * MB
_FILES_AT_A_TIME = 200
_READINGS = 3
"""How often a file is read that is written to meanwhile."""
_AHEAD, _AHEAD_NS = b"ahead", 600 * 10**9
_PATTERNS, _NAMED_BEFORE = 50, 5
_INDEX_BYTES = 64 * MB
_STALE_NS = 2 * 86_400 * 10**9
_STAGED = struct.Struct(">10I20sH")
"""An entry of git's index: times, device, inode, mode, user, group, size, the object's name, flags."""
_USELESS = (Code.IO_ERROR, Code.UNSUPPORTED)
"""What is wrong with a cache that is damaged, or of another version."""


class Budget(NamedTuple):
    """How much is stored at one time: files that a command line names for `named_seconds`, others for `seconds`.

    With `changed_only`, others are those in folders that have changed since the last scan: the rest is left to the
    process in the background. A few files are stored however long that takes.
    """

    seconds: float = 0.2
    named_seconds: float = 0.2
    room_bytes: int = 64 * MB
    changed_only: bool = False
    at_least_files: int = 20

    @property
    def for_hook(self) -> Budget:
        """This budget for a hook, for which a user waits."""
        return self._replace(seconds=min(self.seconds, 0.05), changed_only=True)


class Baseline:
    """The stored contents of the files of one root, in `folder` of its state. Several processes may store at once."""

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
        """Return the content of a file or link as it is now; None if it cannot be read, or has become large.

        It may have been written to since it was listed. Of a file that is written to all the time, such as a log, this
        is as much as was there in one reading.
        """
        where = Location(self._root, tuple(path.split(b"/")))
        limit = max(state.size, LARGE_BYTES)
        try:
            if state.kind == "link":
                return self._boundary.read_link(where)
            with self._boundary.open_file(where) as file:
                for _ in range(_READINGS):
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
        """Return the stored content of something that was listed, or None."""
        query = "SELECT content FROM kept WHERE folder = ? AND name = ? AND stamp = ?"
        with self._while_sound():
            for (content,) in self._database.read(query, *_row_key(path, state)):
                if _checked(content[16:]) == content:
                    return bytes(content[16:])
                self._throw_away()
        return None

    def store(self, contents: Iterable[tuple[bytes, ScannedState, bytes]]) -> None:
        """Store contents by their paths and stamps."""
        with self._database.transaction(self._task, durable=False) as execute:
            for path, state, content in contents:
                row = *_row_key(path, state), _checked(content)
                execute("INSERT OR REPLACE INTO kept VALUES (?,?,?,?)", row)

    def adopt(
        self, other: Baseline, *, below: bytes = b"", prefix: bytes = b""
    ) -> None:
        """Store what another root's baseline has of folders whose paths begin with `below`, as `prefix` instead."""
        with suppress(FilewrightError):  # A damaged cache holds nothing.
            for (folder,) in other._database.read("SELECT DISTINCT folder FROM kept"):
                if not folder.startswith(below):
                    continue
                self._task.check()
                rows = other._database.read(
                    "SELECT name, stamp, content FROM kept WHERE folder = ?", folder
                )
                with self._database.transaction(self._task, durable=False) as execute:
                    for row in rows:
                        moved = prefix + folder[len(below) :]
                        execute(
                            "INSERT OR REPLACE INTO kept VALUES (?,?,?,?)",
                            (moved, *row),
                        )

    def store_scan(
        self, rows: Scan, budget: Budget, *, line: str = "", known: Scan | None = None
    ) -> tuple[Scan, dict[bytes, ScannedState]]:
        """Store contents that are not stored yet, first those that a command line names, then the newest.

        Returns the rows, each with a note of whether all of it is stored; and the files named that are too large, or
        too much.
        """
        names, late, lacking = _named(line), dict[bytes, ScannedState](), set[bytes]()
        wanted: list[tuple[bool, int, bytes, bytes, ScannedState | None]] = []

        def want(prefix: bytes) -> None:
            had = set(
                self._database.read(
                    "SELECT name, stamp FROM kept WHERE folder = ?", prefix
                )
            )
            for name, state in rows[prefix].named_states():
                if state.kind == "folder" or (had and (name, state.key) in had):
                    continue
                unnamed = not names([*prefix.split(b"/"), name])
                if state.size <= LARGE_BYTES:
                    heappush(wanted, (unnamed, -state.mtime_ns, prefix, name, state))
                elif not unnamed:
                    late[prefix + name] = state

        with self._while_sound():
            self._database.read("SELECT name, (SELECT 1 FROM kept LIMIT 1) FROM cache")
        with self._database.transaction(self._task, durable=False) as execute:
            (cache,) = execute("SELECT name FROM cache").fetchone()
        for prefix, row in rows.items():
            lacks = row.stored_in != cache
            if not lacks and not row.has_large:
                continue
            is_known = (
                budget.changed_only and known is not None and row is known.get(prefix)
            )
            if line and names(prefix.split(b"/") + row.names.split(b"/")):
                want(prefix)
            elif lacks and is_known and not row.stored_in:
                lacking.add(prefix)
            elif lacks:
                # Of a large tree few are stored: a folder is asked for when its newest is the next.
                heappush(wanted, (True, -row.newest_ns, prefix, b"", None))
        begun, number, room = time.monotonic(), 0, budget.room_bytes
        contents: list[tuple[bytes, ScannedState, bytes]] = []
        while wanted:
            most = (
                budget.seconds
                if wanted[0][0]
                else max(budget.seconds, budget.named_seconds)
            )
            # On a busy machine the time may be over before the first.
            if room < 0 or (
                number >= budget.at_least_files and time.monotonic() - begun > most
            ):
                break
            self._task.check()
            _, _, prefix, name, state = heappop(wanted)
            if state is None:
                want(prefix)
                continue
            number += 1
            content = self.read_current(prefix + name, state)
            if content is not None:
                room -= len(content)
                contents.append((prefix + name, state, content))
            if (
                len(contents) == _FILES_AT_A_TIME
            ):  # Another process that stores something waits for no more.
                self.store(contents)
                contents = []
        if contents:
            self.store(contents)
        for unnamed, _, prefix, name, state in wanted:
            lacking.add(prefix)
            if state is not None and not unnamed:
                late[prefix + name] = state
        return _marked(rows, cache, lacking), late

    # Git

    def store_git_index(self) -> tuple[int, ...] | None:
        """Keep git's index as it is, unless it is kept; return its stamp, or None without a repository in the root."""
        try:
            with self._boundary.open_file(
                Location(self._root, (b".git", b"index"))
            ) as file:
                index = content_identity(file.status())
                if not self._folder.contains_any((_index_name(index),)):
                    with temporary_file(
                        self._folder, file.read(0, _INDEX_BYTES)
                    ) as fresh:
                        self._folder.rename(
                            fresh, self._folder, _index_name(index), "replace"
                        )
                return index
        except (FilewrightError, OSError):
            return None

    def iter_staged(
        self, index: tuple[int, ...] | None, wanted: Mapping[bytes, ScannedState]
    ) -> Iterator[tuple[bytes, str]]:
        """Yield those of the `wanted` files that git's index, as it was kept, knew as they are, each with its object.

        Ends at what is no index.
        """
        if index is None or not wanted:
            return
        with suppress(OSError, struct.error, ValueError, IndexError):
            with self._folder.open(_index_name(index)) as file:
                data = file.read(0, _INDEX_BYTES)
            magic, version, count = struct.unpack_from(">4sII", data)
            if magic != b"DIRC" or version not in (2, 3, 4):
                return
            at, path = 12, b""
            for number in range(count):
                if number % 1024 == 0:
                    self._task.check()
                _, _, seconds, nanoseconds, _, inode, _, _, _, size, name, flags = (
                    _STAGED.unpack_from(data, at)
                )
                start = at + _STAGED.size + (2 if version > 2 and flags & 0x4000 else 0)
                shared = len(path)
                if version == 4:
                    shared, start = _variable(data, start)
                end = data.index(b"\0", start)
                path = path[: len(path) - shared] + data[start:end]
                at = end + 1 if version == 4 else at + (end - at + 8) // 8 * 8
                state, time_ns = wanted.get(path), seconds * 10**9 + nanoseconds
                # Changed as the index was written, a file may have been changed once more, and git does not know.
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
                    yield path, name.hex()

    # Upkeep

    def warn_of_unstored(
        self, line: str, late: dict[bytes, ScannedState], index: tuple[int, ...] | None
    ) -> None:
        """Tell the task which of the files that a command line may take away are stored nowhere."""
        if not re.search(_TAKES_AWAY, line):
            return
        for path, _ in self.iter_staged(index, late):
            del late[path]
        files = []
        for path, state in late.items():
            if state.kind == "file":
                shown = Location(self._root, tuple(path.split(b"/"))).display_path
                files.append(f"{shown} ({format_size(state.size)})")
        if files:
            named = join_limited(files, _NAMED_BEFORE)
            self._task.notices.append(
                f"filewright has not kept, and cannot bring back: {named}"
            )

    def clean_up(self) -> None:
        """Remove indexes that nobody asked for lately and leftovers of killed processes; all contents if too much."""
        old = time.time_ns() - _STALE_NS
        for name in self._folder.names():
            if name.startswith((b"index-", b"new-")):
                with suppress(FileNotFoundError):  # Removed by another process.
                    if self._folder.stat(name).mtime_ns < old:
                        self._folder.remove(name)
        if self.size > _MOST_BYTES:
            self._throw_away()

    @property
    def size(self) -> int:
        """The size of the cache in bytes."""
        [status] = self._folder.stat_names([KEPT])
        return status.size if status is not None else 0

    @property
    def free_bytes_ahead(self) -> int:
        """The bytes that may still be stored ahead of commands."""
        return _MOST_BYTES // 2 - self.size

    def claim_keeper(self) -> bool:
        """Claim to store ahead in the background; return False if another process does, or did a while ago."""
        with suppress(FileNotFoundError):
            if time.time_ns() - self._folder.stat(_AHEAD).mtime_ns < _AHEAD_NS:
                return False
            self._folder.remove(_AHEAD)
        with suppress(FileExistsError):
            self._folder.create(_AHEAD).close()
        return True

    @contextmanager
    def _while_sound(self) -> Iterator[None]:
        """Throw the cache away if it cannot be read inside."""
        try:
            yield
        except FilewrightError as error:
            if error.code not in _USELESS:
                raise
            self._throw_away()

    def _throw_away(self) -> None:
        """Remove all contents: they are damaged, or too much. The next commands store them anew."""
        self._database.close()
        for name in (KEPT + b"-wal", KEPT + b"-shm", KEPT):
            with suppress(OSError):  # On Windows another process has it open.
                self._folder.remove(name)


def _marked(rows: Scan, cache: str, lacking: set[bytes]) -> Scan:
    """Return the rows with a note in each of whether all of it is stored; the same object if nothing is new."""
    changed: dict[bytes, ScannedFolder] = {}
    for prefix, row in rows.items():
        stored_in = "" if prefix in lacking else cache
        if row.stored_in != stored_in:
            changed[prefix] = row._replace(stored_in=stored_in)
    return {**rows, **changed} if changed else rows


def _row_key(path: bytes, state: ScannedState) -> tuple[bytes, bytes, bytes]:
    """Return the key of a thing in the cache: folder, name and stamp."""
    return parent_prefix(path), basename(path), state.key


def _checked(content: bytes) -> bytes:
    """Return a content as it is stored: after its hash."""
    return xxhash.xxh3_128_digest(content) + content


def _named(line: str) -> Callable[[list[bytes]], bool]:
    """Return a function that tells if a command line has one of some names as the last of a path, or a pattern."""
    words = {
        word.rstrip("/*").rpartition("/")[2] for word in re.split(_BETWEEN, line)
    } - {"", ".", ".."}
    exact = {*map(os.fsencode, words)}
    patterns = sorted(word for word in words if not {"*", "?", "["}.isdisjoint(word))[
        :_PATTERNS
    ]
    matches = re.compile("|".join(map(translate, patterns))).match

    def named(names: list[bytes]) -> bool:
        if not exact.isdisjoint(names):
            return True
        return bool(patterns) and any(map(matches, map(os.fsdecode, names)))

    return named


def _index_name(index: tuple[int, ...]) -> bytes:
    return b"index-%x-%x-%x" % index


def _variable(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, as git's offsets in packs are, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) | (data[at] & 0x7F)
    return value, at + 1
