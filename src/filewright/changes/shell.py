"""What a command of a shell did: what is below a root before it and after it, compared, as a change.

A listing (`listing`) holds the stamp of everything below a root that is not ignored. What files hold is kept beside
it, what the command names and the newest files first, as far as a budget of time and bytes goes; what is kept stays for
the next commands, so that from one to the next more is. What was changed without having been kept is named, and cannot
be had back.

::

    shell/ID.list    the listing before a command
    shell/newest     the newest of them, which the next is compared with
    shell/index      the index of the root's git repository, whose objects hold what else was not kept
    shell/kept.db    contents by path and stamp, each after its xxh3_128

All are a cache that is never flushed: everything is checked when it is read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from fnmatch import translate
from functools import partial
from posixpath import basename, dirname
from typing import NamedTuple

import xxhash

from filewright import errors
from filewright.boundary import Boundary, Location, Root, WalkedFolder
from filewright.changes.content import Flusher, digest_of
from filewright.changes.contents import Contents
from filewright.changes.database import Database
from filewright.changes.listing import (
    FORMS,
    LARGE,
    NEWEST,
    FolderRow,
    KeptListing,
    ListedStamp,
    Listing,
    Look,
    fresh_in,
    look,
    prefix_of,
    read_kept,
    row_of,
    settled,
)
from filewright.changes.log import Log
from filewright.changes.plan import CommitPlan
from filewright.changes.quick import TAKES_AWAY, QuickLook, list_of
from filewright.changes.record import ChangeRecord, Entry, Place, Stamp
from filewright.changes.state import Index, StateFolder, base_folder
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.settings import KB, MB, Settings
from filewright.system import Folder
from filewright.wording import listed as listed_of
from filewright.wording import sized

_ID = re.compile(r"[0-9a-z]{1,40}")
_NAMED_BEFORE = 5
_WORD = re.compile(r"[\s'\"`=:;|&()<>]+")
_KEPT = b"kept.db"
_TABLES = """
CREATE TABLE kept (
    folder BLOB NOT NULL, name BLOB NOT NULL, stamp BLOB NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (folder, name, stamp)
);
CREATE TABLE cache AS SELECT hex(randomblob(8)) AS name"""
"""Contents; and a name that tells this cache from one that was thrown away: a listing may know only that."""
_KEEP_SECONDS, _KEEP_AT_ONCE, _KEEP_ALL = 0.2, 64 * MB, 256 * MB
_KEEP_IN_HOOK = 0.05
_AT_LEAST, _AT_A_TIME = 20, 200
_AHEAD, _AHEAD_NS = b"ahead", 600 * 10**9
_AFTER_EACH, _AFTER_ALL = 256 * KB, 16 * MB
_HASHED = 64 * MB
_USELESS = (Code.IO_ERROR, Code.UNSUPPORTED)
"""What is wrong with a cache that is damaged, or of another version."""
_OPEN_NS = 2 * 86_400 * 10**9
_NAMED, _PATTERNS = 20, 50
_STAGED = struct.Struct(">10I20sH")
"""An entry of git's index: times, device, inode, mode, user, group, size, the object's name, flags."""
_INDEX_MOST, _GIT_EACH = 64 * MB, 4 * MB
_SLACK_NS = 2 * 10**9
"""By how much the clocks of two file systems may differ."""
_RULE_FILES = frozenset((b".gitignore", b".ignore", b".agentsignore"))
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_NOTHING = FolderRow()


def begun_in(settings: Settings, identifier: str) -> list[str]:
    """The roots of which a listing of that id was made; none for a bad one."""
    if not _ID.fullmatch(identifier):
        return []
    index, name = Index(base_folder(settings), settings.lock_seconds), list_of(identifier)
    return [
        os.fsdecode(owner.path)
        for owner in index.owners.values()
        if owner.path and os.path.exists(StateFolder(index, None, owner).at(b"shell", name))
    ]


@contextmanager
def watched(boundary: Boundary, log: Log, root: Root, task: Task, identifier: str = "0") -> Iterator[Watch]:
    """A root as it is seen before a command of that id, and after it. Raises `not_found` for a bad id."""
    if not _ID.fullmatch(identifier):
        raise errors.unknown_listing(identifier)
    with log.state.folder() as own, suppress(FileExistsError):
        own.make(b"shell", 0o700)
    with log.state.folder(b"shell") as folder:
        where, seconds = partial(log.state.at, b"shell", _KEPT), log.settings.lock_seconds
        kept = Database(where, _TABLES, Flusher(enabled=False), seconds)
        try:
            yield Watch(boundary, log, root, folder, kept, task, identifier)
        finally:
            kept.close()


class Thing(NamedTuple):
    """What was at a path: as it was `listed` at one, or as a tool has `left` it."""

    stamp: ListedStamp
    listed: bytes = b""
    left: tuple[Entry, Contents] | None = None


@dataclass(frozen=True, slots=True)
class Watch:
    """A root as it is seen now, and what files held, kept in the `database` by path and stamp.

    Other processes may keep contents, and begin and end commands, at the same time.
    """

    boundary: Boundary
    log: Log
    root: Root
    folder: Folder
    database: Database
    task: Task
    identifier: str

    # What is called around a command

    def begin(self, line: str, newest: int, looked: QuickLook | None) -> bool:
        """List what is below the root, as the change `newest` has left it, and keep what fits into the budget.

        What the command line `line` names comes first; what of that a command that takes away cannot be had back is a
        notice of the task. For a hook, which has `looked`, the rest is left to who keeps ahead; False if somebody
        should begin to.
        """
        with fresh_in(self.folder) as fresh:
            self._clean_up()
            last, seen = self._looked(looked)
            last = last or read_kept(self.folder)
            rows, outer = self._listed(last, seen)
            known = last.rows if looked and last else None
            seconds = _KEEP_IN_HOOK if looked else _KEEP_SECONDS
            rows, late = self._keep(rows, line, seconds, _KEEP_AT_ONCE, known)
            index = self._keep_index()
            if lost := self._lost(rows, line, late, index):
                files = [f"{self.at(path).shown} ({sized(stamp.size)})" for path, stamp in lost.items()]
                named = listed_of(files, _NAMED_BEFORE)
                self.task.notices.append(f"filewright has not kept, and cannot bring back: {named}")
            KeptListing(newest, outer, index, rows).write(self.folder, fresh, list_of(self.identifier))
        return all(row.kept for row in rows.values()) or self._is_kept_ahead()

    def keep_ahead(self, seconds: float) -> bool:
        """Keep more for commands to come; whether that is all, or as much as is kept ahead."""
        self._is_kept_ahead()
        room = _KEEP_ALL // 2 - self._size
        if room <= 0:
            return True
        with fresh_in(self.folder) as fresh:
            rows, outer = self._listed(read_kept(self.folder), None)
            rows, _ = self._keep(rows, "", seconds, min(room, _KEEP_AT_ONCE))
            KeptListing(0, outer, self._keep_index(), rows).write(self.folder, fresh, NEWEST)
        return all(row.kept for row in rows.values())

    def end(
        self,
        summary: str,
        caller: Caller,
        looked: QuickLook | None,
        made_since: Callable[[int], Iterable[Contents]],
    ) -> list[ChangeRecord]:
        """Record what is different from the listing, as the changes made since, the oldest first, have left it.

        What the command had done before one of those came to it is a part of its own, recorded before that.

        Needs the workspace lock. Raises `not_found` if there is no such listing.
        """
        last = read_kept(self.folder, list_of(self.identifier))
        if last is None:
            raise errors.unknown_listing(self.identifier)
        changes = list(made_since(last.newest))
        with fresh_in(self.folder) as fresh:
            # What a tool has changed since a look is not in it.
            rows, outer = self._listed(last, None if changes else self._looked(looked)[1])
            before: dict[bytes, Thing] = {}
            after: dict[bytes, ListedStamp] = {}
            uncovered = {b""} if outer != last.outer else set()
            for prefix in last.rows.keys() | rows.keys():
                old, new = last.rows.get(prefix, _NOTHING), rows.get(prefix, _NOTHING)
                if changes or old != new:
                    before |= {prefix + name: Thing(stamp, prefix + name) for name, stamp in old.things()}
                    after |= {prefix + name: stamp for name, stamp in new.things()}
                    if old.rules != new.rules:
                        uncovered.add(prefix)
            command = _Command(self)
            for change in changes:
                before = command.after(change, before)
            since = last.begun_ns - (0 if self.folder.status().device == self.root.device else _SLACK_NS)
            command.compare(before, after, since, uncovered)
            command.ask_git(last.git_index)
            records = command.record(summary, caller)
            if rows != last.rows:  # What the command has made is there for the next.
                rows, _ = self._keep(rows, "", _KEEP_IN_HOOK, _KEEP_AT_ONCE, last.rows)
                newest = records[-1].number if records else last.newest
                KeptListing(newest, outer, last.git_index, rows).write(self.folder, fresh, NEWEST)
            self.folder.remove(list_of(self.identifier))
        return records

    # What is there

    def at(self, path: bytes) -> Location:
        """Where something is."""
        parts = tuple(path.split(b"/"))
        return Location(self.root, parts, Location(self.root, parts).shown)

    def content(self, path: bytes, stamp: ListedStamp) -> bytes | None:
        """What a file or link holds, if it is still the one that was listed."""
        where = self.at(path)
        try:
            if stamp.kind == "link":
                return self.boundary.read_link(where)
            if stamp.kind != "file":
                return None
            with self.boundary.open_file(where) as file:
                content = file.read(0, stamp.size + 1)
                raw = file.status().raw
        except (FilewrightError, OSError):
            return None
        same = (raw.st_ino, raw.st_size, raw.st_mtime_ns) == stamp.written
        return content if same and len(content) == stamp.size else None

    def _looked(self, looked: QuickLook | None) -> tuple[KeptListing | None, Look | None]:
        return (looked and looked.looks.get(self.root.path)) or (None, None)

    def _listed(self, last: KeptListing | None, seen: Look | None) -> tuple[Listing, object]:
        """What is below the root, compared with `last`; and what from outside of it says what is ignored."""
        outer = self.boundary.listed_by(self.root)
        if last is None or outer is None or outer != last.outer:
            return self._walked(b"", 0), outer
        if seen is None:
            cross = self.boundary.settings.cross_devices
            seen = look(self.root.folder, last.rows, cross=cross, check=self.task.check)
        return settled(seen, last.rows, self._walked), outer

    def _walked(self, prefix: bytes, depth: int) -> Listing:
        """The rows of a folder and of so many levels below it, as the boundary walks them."""
        found: Listing = {}
        # What is below a root within this one is listed there.
        roots = [_path_in(self.root, Place(other.resolved, ())) for other in self.boundary.roots]
        within = tuple(path + b"/" for path in roots if path is not None)

        def visit(folder: WalkedFolder, opened: Folder, names: list[bytes], left: list[bytes]) -> None:
            if folder.root_prefix.startswith(within):
                return
            row = row_of(opened, names, left)
            some = found.get(folder.root_prefix)
            found[folder.root_prefix] = row if some is None else some.plus(row)

        with suppress(FilewrightError) if prefix else nullcontext():
            where = self.at(prefix[:-1]) if prefix else Location(self.root, (), ".")
            for _ in self.boundary.walk(where, depth=depth, visit=visit, task=self.task):
                pass
        return found

    # What is kept of it

    def kept(self, thing: Thing) -> bytes | None:
        """What was kept of something that was listed."""
        if not thing.listed:
            return None
        query = "SELECT content FROM kept WHERE folder = ? AND name = ? AND stamp = ?"
        try:
            rows = self.database.read(query, *_row_key(thing))
            if not rows or _checked(rows[0][0][16:]) == rows[0][0]:
                return rows[0][0][16:] if rows else None
        except FilewrightError as error:
            if error.code not in _USELESS:
                raise
        self._throw_away()
        return None

    def keep(self, rows: Iterable[tuple[bytes, ...]]) -> None:
        """Keep contents: each with its folder, name and stamp, after its hash."""
        with self.database.transaction(self.task, durable=False) as execute:
            for row in rows:
                execute("INSERT OR REPLACE INTO kept VALUES (?,?,?,?)", row)

    def _keep(
        self, rows: Listing, line: str, seconds: float, room: int, known: Listing | None = None
    ) -> tuple[Listing, dict[bytes, ListedStamp]]:
        """Keep what is not kept yet, first what a command line names, then the newest: in all folders, or in those that
        are not as they are `known` and that have what the line names.

        Returns the rows, of which it is noted; and of what the line names that for which there was no time or room.
        """
        names, late, left = _named(line), dict[bytes, ListedStamp](), Counter[bytes]()
        wanted: list[tuple[bool, int, bytes, bytes, ListedStamp]] = []
        self._require_sound()
        with self.database.transaction(self.task, durable=False) as execute:
            (cache,) = execute("SELECT name FROM cache").fetchone()
            for prefix, row in rows.items():
                if row.kept == cache:
                    continue
                above = names(prefix.split(b"/"))
                known_to_lack = known and row is known.get(prefix) and not row.kept
                if known_to_lack and not above and not names(row.names.split(b"/")):
                    left[prefix] = 1
                    continue
                had = set(execute("SELECT name, stamp FROM kept WHERE folder = ?", (prefix,)))
                for name, stamp in row.things():
                    if stamp.is_folder or stamp.size > LARGE or (had and (name, stamp.key) in had):
                        continue
                    unnamed = not (above or names([name]))
                    wanted.append((unnamed, -stamp.mtime_ns, prefix, name, stamp))
                    left[prefix] += 1
        begun, some = time.monotonic(), list[tuple[bytes, ...]]()
        for number, (unnamed, _, prefix, name, stamp) in enumerate(sorted(wanted)):
            most = seconds if unnamed else max(seconds, _KEEP_SECONDS)
            # On a busy machine the time may be over before the first.
            if room < 0 or (number >= _AT_LEAST and time.monotonic() - begun > most):
                if unnamed:
                    break
                late[prefix + name] = stamp
                continue
            self.task.check()
            content = self.content(prefix + name, stamp)
            if content is not None:
                room -= len(content)
                some.append((prefix, name, stamp.key, _checked(content)))
            left[prefix] -= 1
            if len(some) == _AT_A_TIME:  # Whoever else keeps something waits for no more.
                self.keep(some)
                some = []
        self.keep(some)
        return {
            prefix: row._replace(kept="" if left[prefix] else cache) for prefix, row in rows.items()
        }, late

    def _lost(
        self,
        rows: Listing,
        line: str,
        late: Mapping[bytes, ListedStamp],
        index: tuple[int, ...] | None,
    ) -> dict[bytes, ListedStamp]:
        """The files that the line of a command names which takes away, and that nobody has kept."""
        if not TAKES_AWAY.search(line):
            return {}
        names, found = _named(line), dict(late)
        for prefix, row in rows.items():
            for name, stamp in row.things() if row.large else ():
                if stamp.size > LARGE and names([*prefix.split(b"/"), name]):
                    found[prefix + name] = stamp
        for path, seen, _ in self.staged(index if found else None):
            if path in found and found[path].size <= _GIT_EACH and _is_staged(found[path], seen):
                del found[path]
        return {path: stamp for path, stamp in found.items() if stamp.kind == "file"}

    def _keep_index(self) -> tuple[int, ...] | None:
        """Keep git's index as it is, unless it is kept; its stamp, or None where the root has no repository."""
        try:
            with self.boundary.open_file(self.at(b".git/index")) as file:
                raw = file.status().raw
                index = raw.st_ino, raw.st_size, raw.st_mtime_ns
                if not self.folder.holds_any((_index(index),)):
                    with fresh_in(self.folder) as fresh:
                        with self.folder.open(fresh, write=True) as made:
                            made.write(file.read(0, _INDEX_MOST), 0)
                        self.folder.rename(fresh, self.folder, _index(index), "replace")
                return index
        except (FilewrightError, OSError):
            return None

    def staged(self, index: tuple[int, ...] | None) -> Iterator[tuple[bytes, tuple[int, int, int], str]]:
        """What git's index, as it was kept, says of files that are as they were when it looked: path, inode, size,
        time, and object. Ends at what is no index."""
        if index is None:
            return
        with suppress(OSError, struct.error, ValueError, IndexError):
            with self.folder.open(_index(index)) as file:
                data = file.read(0, _INDEX_MOST)
            magic, version, count = struct.unpack_from(">4sII", data)
            if magic != b"DIRC" or version not in (2, 3, 4):
                return
            at, path = 12, b""
            for number in range(count):
                if number % 1024 == 0:
                    self.task.check()
                _, _, seconds, nanoseconds, _, inode, _, _, _, size, name, flags = _STAGED.unpack_from(
                    data, at
                )
                start = at + _STAGED.size + (2 if version > 2 and flags & 0x4000 else 0)
                shared = len(path)
                if version == 4:
                    shared, start = _variable(data, start)
                end = data.index(b"\0", start)
                path = path[: len(path) - shared] + data[start:end]
                at = end + 1 if version == 4 else at + (end - at + 8) // 8 * 8
                time_ns = seconds * 10**9 + nanoseconds
                # Changed as the index was written, a file may have been changed once more, and git does not know.
                if time_ns < index[2] and not flags & 0x3000:
                    yield path, (inode, size, time_ns), name.hex()

    def _clean_up(self) -> None:
        """Remove what was left of commands that never ended, and all that is kept if it is too much."""
        old = time.time_ns() - _OPEN_NS
        for name in self.folder.names():
            with suppress(FileNotFoundError):  # Removed by another.
                if not name.startswith(_KEPT) and self.folder.stat(name).mtime_ns < old:
                    self.folder.remove(name)
        if self._size > _KEEP_ALL:
            self._throw_away()

    @property
    def _size(self) -> int:
        """What the cache takes, in bytes."""
        [status] = self.folder.stats([_KEPT])
        return status.size if status is not None else 0

    def _require_sound(self) -> None:
        """Throw the cache away if it cannot be read."""
        try:
            self.database.read("SELECT name, (SELECT 1 FROM kept LIMIT 1) FROM cache")
        except FilewrightError as error:
            if error.code not in _USELESS:
                raise
            self._throw_away()

    def _is_kept_ahead(self) -> bool:
        """Whether somebody keeps more of what is here, or has done so a while ago; now somebody does."""
        with suppress(FileNotFoundError):
            if time.time_ns() - self.folder.stat(_AHEAD).mtime_ns < _AHEAD_NS:
                return True
            self.folder.remove(_AHEAD)
        with suppress(FileExistsError):
            self.folder.create(_AHEAD).close()
        return False

    def _throw_away(self) -> None:
        """Remove all that is kept: it is damaged, or too much. The next commands keep it anew."""
        self.database.close()
        for name in (NEWEST, _KEPT + b"-wal", _KEPT + b"-shm", _KEPT):
            with suppress(OSError):  # On Windows another process has it open.
                self.folder.remove(name)


def _row_key(thing: Thing) -> tuple[bytes, bytes, bytes]:
    """By what the cache knows a thing: folder, name and stamp."""
    return prefix_of(thing.listed), basename(thing.listed), thing.stamp.key


def _checked(content: bytes) -> bytes:
    """A content as it is kept: after its hash."""
    return xxhash.xxh3_128_digest(content) + content


def _named(line: str) -> Callable[[list[bytes]], bool]:
    """Says of names whether a command line has one of them as the last name of a path, or a pattern of it."""
    words = {word.rstrip("/*").rpartition("/")[2] for word in _WORD.split(line)} - {"", ".", ".."}
    exact = {*map(os.fsencode, words)}
    patterns = sorted(word for word in words if not {"*", "?", "["}.isdisjoint(word))[:_PATTERNS]
    matches = re.compile("|".join(map(translate, patterns))).match

    def named(names: list[bytes]) -> bool:
        if not exact.isdisjoint(names):
            return True
        return bool(patterns) and any(map(matches, map(os.fsdecode, names)))

    return named


def _index(index: tuple[int, ...]) -> bytes:
    return b"index-%x-%x-%x" % index


def _is_staged(stamp: ListedStamp, seen: tuple[int, int, int]) -> bool:
    return (stamp.inode & 0xFFFFFFFF, stamp.size, stamp.mtime_ns) == seen


def _variable(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, as git's offsets in packs are, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) | (data[at] & 0x7F)
    return value, at + 1


# Comparing


class _Met(NamedTuple):
    """What a tool found at `path`, other than what was listed there: a `thing`, or nothing. It is at `now` since."""

    entry: Entry
    change: Contents
    path: bytes
    thing: Thing | None
    now: bytes


class _Command:
    """What a command did: what is `gone`, what `came`, and what is other than it was, by path."""

    def __init__(self, seen: Watch) -> None:
        self._seen = seen
        self._found: list[_Met] = []
        self._gone: dict[bytes, Thing] = {}
        self._came: dict[bytes, ListedStamp] = {}
        self._changed: dict[bytes, tuple[Thing, ListedStamp]] = {}
        self._lost: list[str] = []
        self._kept_after = 0

    def after(self, change: Contents, before: dict[bytes, Thing]) -> dict[bytes, Thing]:
        """What was listed, as it is after a change that is on record: what that made is known by its content."""
        moves: dict[bytes, bytes] = {}
        taken: set[bytes] = set()
        made: dict[bytes, Thing] = {}
        for entry in change.record.entries:
            self._seen.task.check()
            path = _path_in(self._seen.root, entry.place)
            was = _path_in(self._seen.root, entry.was) if entry.was is not None else path
            if was is not None:
                thing = before.get(was)
                if thing and path and path != was and _is_as_it_was(entry):
                    moves[was] = path
                    continue
                if thing is None:
                    found_other = path is not None and entry.before is not None
                else:
                    found_other = thing.left is None and not _is_side(thing.stamp, entry.before)
                if found_other:
                    self._found.append(_Met(entry, change, was, thing, path or was))
                taken.add(was)
            if path is not None and entry.after is not None:
                stamp = _stamp_of(entry.after, change.record.number)
                made[path] = Thing(stamp, left=(entry, change))
        stayed: dict[bytes, Thing] = {}
        moved: dict[bytes, Thing] = {}
        for path, thing in before.items():
            if path not in taken:
                to = _along(moves, path)
                (stayed if to == path else moved)[to] = thing
        return stayed | moved | made

    def compare(
        self,
        before: Mapping[bytes, Thing],
        after: Mapping[bytes, ListedStamp],
        since: int,
        uncovered: set[bytes],
    ) -> None:
        """Find what is different since that time.

        What only an ignore rule has hidden is still there, and what one has uncovered was there before. Below the
        `uncovered` folders other rules hold now, or another mode: names may have been there that nobody saw.
        """
        # What is not seen now was ignored, and was there before.
        self._found = [found for found in self._found if found.thing is not None or found.now in after]
        for path in sorted(before.keys() | after.keys()):
            self._seen.task.check()
            old, now = before.get(path), after.get(path)
            if now is None:
                if old is not None and self._is_gone(path, old.stamp.inode):
                    self._gone[path] = old
            elif old is None:
                self._came[path] = now
            elif old.stamp == now or self._is_left(path, old, now):
                continue
            else:
                self._changed[path] = old, now
                if now.kind == old.stamp.kind == "folder" and old.stamp.inode == now.inode:
                    uncovered.add(path + b"/")
            if basename(path) in _RULE_FILES:
                uncovered.add(prefix_of(path))
        # What came to be seen below `uncovered` folders was made if it is new, or had another name.
        replaced = {
            path: now
            for path, (old, now) in self._changed.items()
            if old.stamp.inode != now.inode or old.stamp.kind != "folder"
        }
        known = {thing.stamp.inode for thing in self._gone.values()}
        known |= {self._changed[path][0].stamp.inode for path in replaced}
        made: set[bytes] = set()
        for path, now in sorted((*self._came.items(), *replaced.items())):
            came_to_light = prefix_of(path) not in made and not uncovered.isdisjoint(_folders_to(path))
            if now.inode in known:
                if now.kind == "folder":
                    uncovered.add(path + b"/")  # Other rules may hold for its new name.
            elif came_to_light and path in self._came and not self._is_new(path, now, since):
                del self._came[path]
            elif now.kind == "folder":
                made.add(path + b"/")

    def _is_new(self, path: bytes, stamp: ListedStamp, since: int) -> bool:
        """Whether something was made since then."""
        if stamp.kind != "folder":
            return stamp.ctime_ns >= since
        try:
            status = self._seen.boundary.stat(self._seen.at(path))
        except FilewrightError:
            return False
        return (status.birth_ns or status.ctime_ns) >= since

    def _is_gone(self, path: bytes, inode: int) -> bool:
        """Whether something is no longer there; what is behind a link is elsewhere."""
        *above, name = path.split(b"/")
        try:
            with self._seen.root.folder.beneath(above, links=False, listing=False) as folder:
                return inode not in (0, folder.stat(name).inode)
        except OSError as error:
            return error.errno in _NOT_THERE

    def ask_git(self, index: tuple[int, ...] | None) -> None:
        """Have what git stores of the files that were not kept, if its index knew them as they were."""
        seen, found = self._seen, list[tuple[Thing, str]]()
        wanted = {
            thing.listed: thing
            for thing in (*self._gone.values(), *(old for old, _ in self._changed.values()))
            if thing.stamp.kind == "file" and 0 < thing.stamp.size <= _GIT_EACH and thing.listed
            if seen.kept(thing) is None
        }
        for path, stamp, stored in seen.staged(index) if wanted else ():
            if path in wanted and _is_staged(wanted[path].stamp, stamp):
                found.append((wanted[path], stored))
        if not found:
            return
        from filewright.structure import git_objects

        names, where = (stored for _, stored in found), seen.at(b"file")
        contents = git_objects(seen.boundary, where, names, limit=_GIT_EACH, task=seen.task)
        for (thing, stored), content in zip(found, contents, strict=False):
            # Of another size, it is not what the file held: git has converted its line ends, say.
            named = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
            if len(content) == thing.stamp.size and named == stored:
                seen.keep([(*_row_key(thing), _checked(content))])

    def record(self, summary: str, caller: Caller) -> list[ChangeRecord]:
        """The change, committed, the oldest part first; none if nothing is different."""
        log = self._seen.log
        with log.begin(self._seen.task) as intent:
            self._section = intent.keep
            parts = self._found_by_tools()
            entries = sorted(self._entries(), key=lambda entry: entry.place.parts)
            if entries or self._lost:
                parts[intent.number] = entries
            records = [
                ChangeRecord(
                    number=number,
                    tool="shell",
                    summary=summary,
                    entries=tuple(part),
                    **caller._asdict(),
                    notes=tuple(self._notes()) if number == intent.number else (),
                )
                for number, part in parts.items()
            ]
            for record in records:
                # It displaced nothing, and nothing is left to clean up.
                log.write(record, CommitPlan((), ()), state="settled")
        log.collect()
        return records

    def _found_by_tools(self) -> dict[int, list[Entry]]:
        """What the command had done when a tool came to it: a part of the change, just before the tool's."""
        parts: dict[int, list[Entry]] = {}
        for found in self._found:
            before, after = None, found.entry.before
            if found.thing is not None:
                before = self._before(found.path, found.thing)
            if after is None or (before is None and found.thing is not None):
                continue
            number = found.change.record.number - 1
            if number not in parts and self._seen.log.operation(number) is not None:
                self._lost.append(self._seen.at(found.path).shown)  # A clock that stood still.
                continue
            content = found.change.before(found.entry)
            if content is not None:
                digest = xxhash.xxh3_128_hexdigest(content)
                after = replace(after, digest=digest, blob=self._section(content))
            place, part = self._at(found.path), parts.setdefault(number, [])
            if before is None or before.kind == after.kind:
                part.append(Entry(place, before, after))
            else:
                part += [Entry(place, before, None), Entry(place, None, after)]
        return parts

    def _is_left(self, path: bytes, old: Thing, now: ListedStamp) -> bool:
        """Whether something is as a tool has left it."""
        if old.left is None or old.stamp.rights != now.rights:
            return False
        return now.kind == "folder" or self._holds(path, now, old.left[0].after)

    def _holds(self, path: bytes, now: ListedStamp, side: Stamp | None) -> bool:
        """Whether a link leads there, or a file holds that; not where it cannot be read."""
        where = self._seen.at(path)
        try:
            if now.kind == "link":
                return side is not None and self._seen.boundary.read_link(where) == side.target
            with self._seen.boundary.open_file(where) as file:
                return side is not None and digest_of(file) == side.digest
        except (FilewrightError, OSError):
            return False

    def _notes(self) -> Iterator[str]:
        for path in self._lost[:_NAMED]:
            yield f"{path} was changed too, and cannot be undone: what the command found there was not kept"
        if len(self._lost) > _NAMED:
            yield f"nor can {len(self._lost) - _NAMED:,} more files"

    def _entries(self) -> Iterator[Entry]:
        yield from self._moves()
        pairs: dict[bytes, tuple[Thing | None, ListedStamp | None]] = {**self._changed}
        pairs |= {path: (thing, None) for path, thing in self._gone.items()}
        pairs |= {path: (None, stamp) for path, stamp in self._came.items()}
        for path, (old, now) in pairs.items():
            yield from self._alterations(path, old, now)

    def _moves(self) -> Iterator[Entry]:
        """What has another name: the same inode, size and time. A folder has, if something in it has moved along."""
        came: dict[tuple[int, ...], list[bytes]] = {}
        for path, stamp in self._came.items():
            if stamp.kind != "folder":
                came.setdefault(stamp.written, []).append(path)
        folders = {stamp.inode: path for path, stamp in self._came.items() if stamp.kind == "folder"}
        files: list[tuple[bytes, bytes]] = []
        moved: dict[bytes, bytes] = {}
        for path, thing in self._gone.items():
            if thing.stamp.kind == "folder":
                continue
            known = came.get(thing.stamp.written, []) if thing.left is None else self._alike(thing)
            if not known:
                continue
            # Of several names of one inode each goes its own way, the same name before another.
            to = next((each for each in known if basename(each) == basename(path)), known[0])
            known.remove(to)
            files.append((path, to))
            # Up from the file, as long as the folders have the same inodes as before.
            old, new = dirname(path), dirname(to)
            while old and new and old != new and basename(path) == basename(to):
                above = self._gone.get(old)
                if above is None or folders.get(above.stamp.inode) != new:
                    break
                moved[old] = new
                old, new = dirname(old), dirname(new)
        for old, new in moved.items():
            yield Entry(
                self._at(new), _side(self._gone.pop(old).stamp), _side(self._came.pop(new)), self._at(old)
            )
        for path, to in files:
            stamp, now = self._gone.pop(path).stamp, self._came.pop(to)
            carried = moved.get(dirname(path)) == dirname(to) and basename(path) == basename(to)
            if not carried or stamp.rights != now.rights:
                yield Entry(self._at(to), _side(stamp), _side(now), self._at(path))

    def _alike(self, thing: Thing) -> list[bytes]:
        """Where a file is now that a tool has made or changed: what came and holds the same."""
        side = thing.left[0].after if thing.left is not None else None
        for path, now in self._came.items():
            if (now.size, now.kind) == (thing.stamp.size, thing.stamp.kind) and self._holds(path, now, side):
                return [path]
        return []

    def _alterations(self, path: bytes, old: Thing | None, now: ListedStamp | None) -> Iterator[Entry]:
        place = self._at(path)
        if old is None or now is None or old.stamp.kind != now.kind or now.kind == "link":
            before = self._before(path, old) if old is not None else None
            after = self._after(path, now) if now is not None else None
            # What cannot be made again, such as a pipe, or be read is in the way of the undo, but not recorded.
            if old is not None and before is None:
                return
            if before and after and before.target is not None and before.target == after.target:
                return
            if before is not None:
                yield Entry(place, before, None)
            if after is not None:
                yield Entry(place, None, after)
            return
        was = old.stamp
        if now.kind == "folder" or (was.written == now.written and not self._is_rewritten(path, old, now)):
            if was.rights != now.rights and now.kind != "other":
                yield Entry(place, _side(was), _side(now))
        elif (before := self._before(path, old)) is not None:
            after = self._after(path, now) or _side(now)  # Of what cannot be read any more, no digest.
            if (before.digest, before.target, before.mode) != (after.digest, after.target, after.mode):
                yield Entry(place, before, after)

    def _is_rewritten(self, path: bytes, old: Thing, now: ListedStamp) -> bool:
        """Whether a file that was given its earlier time again holds something else."""
        if old.stamp.ctime_ns == now.ctime_ns or old.stamp.rights != now.rights:
            return False
        held = self._seen.kept(old)
        return held is not None and self._seen.content(path, now) not in (None, held)

    def _before(self, path: bytes, thing: Thing) -> Stamp | None:
        """What was there, with its content; None, and said, where that was not kept."""
        stamp = thing.stamp
        if stamp.kind == "other":
            return None
        if stamp.kind == "folder":
            return _side(stamp)
        if thing.left is None:
            content = self._seen.kept(thing)
        else:
            entry, change = thing.left
            content = entry.after.target if entry.after and stamp.kind == "link" else change.after(entry)
        if content is None:
            self._lost.append(self._seen.at(path).shown)
            return None
        return self._sided(stamp, content, keep=True)

    def _after(self, path: bytes, stamp: ListedStamp) -> Stamp | None:
        """What is there now, its content kept if it is small; None where it cannot be read."""
        if stamp.kind == "other":
            return None
        if stamp.kind == "folder":
            return _side(stamp)
        self._seen.task.check()
        where = self._seen.at(path)
        if stamp.kind == "file" and stamp.size > _AFTER_EACH:
            try:
                with self._seen.boundary.open_file(where) as file:
                    return _side(stamp, digest=digest_of(file) if stamp.size <= _HASHED else None)
            except (FilewrightError, OSError):
                return None
        content = self._seen.content(path, stamp)
        if content is None:
            return None
        self._kept_after += len(content)
        return self._sided(stamp, content, keep=self._kept_after <= _AFTER_ALL)

    def _sided(self, stamp: ListedStamp, content: bytes, *, keep: bool) -> Stamp:
        if stamp.kind == "link":
            return _side(stamp, target=content)
        blob = self._section(content) if keep else None
        return _side(stamp, digest=xxhash.xxh3_128_hexdigest(content), blob=blob)

    def _at(self, path: bytes) -> Place:
        return Place.of(self._seen.at(path))


def _folders_to(path: bytes) -> Iterator[bytes]:
    """The folders above, each with a slash at its end, the root being nothing."""
    while path:
        yield (path := prefix_of(path.removesuffix(b"/")))


def _path_in(root: Root, place: Place) -> bytes | None:
    """Where a place is below a root, whichever root it is named from; None if it is not."""
    names = (*filter(None, place.root.split(b"/")), *place.parts)
    above = tuple(filter(None, root.resolved.split(b"/")))
    if names[: len(above)] != above or len(names) == len(above):
        return None
    return b"/".join(names[len(above) :])


def _along(moves: Mapping[bytes, bytes], path: bytes) -> bytes:
    """Where a path is after moves of it or of folders above; the nearest one that moved decides."""
    above = path
    while above and moves:
        if above in moves:
            return moves[above] + path[len(above) :]
        above = dirname(above)
    return path


def _is_as_it_was(entry: Entry) -> bool:
    """Whether something was only moved."""
    before, after = entry.before, entry.after
    if before is None or after is None or entry.spliced:
        return False
    return replace(before, digest=after.digest, mode=after.mode, uid=after.uid, gid=after.gid) == before


def _side(
    stamp: ListedStamp, *, digest: str | None = None, blob: str | None = None, target: bytes | None = None
) -> Stamp:
    """What was listed, for history, with what else is known."""
    mode, size = stat.S_IMODE(stamp.mode), stamp.size if stamp.kind == "file" else 0
    return Stamp(stamp.kind, mode, stamp.uid, stamp.gid, size, stamp.mtime_ns, digest, blob, target)


def _is_side(stamp: ListedStamp, side: Stamp | None) -> bool:
    """Whether what was listed is what a tool has found."""
    was = _side(stamp)
    if side is None or was.kind != side.kind:
        return False
    rights = (was.mode, was.uid, was.gid) == (side.mode, side.uid, side.gid)
    written = (was.size, was.mtime_ns) == (side.size, side.mtime_ns)
    return was.kind == "link" or (rights and (was.kind != "file" or written))


def _stamp_of(side: Stamp, time_ns: int) -> ListedStamp:
    """What a listing has of something that a change made at some time; its number is not known."""
    size = len(side.target or b"") if side.kind == "link" else side.size
    return ListedStamp(FORMS[side.kind] | side.mode, 0, 0, 0, side.uid, side.gid, size, time_ns, 0)
