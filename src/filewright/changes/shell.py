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
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager, nullcontext, suppress
from fnmatch import translate
from functools import partial
from heapq import heappop, heappush
from posixpath import basename, dirname

import xxhash

from filewright import errors
from filewright.annotations import NamedTuple
from filewright.boundary import Boundary, Location, Root, WalkedFolder
from filewright.changes.contents import digest_of, held_after, held_before
from filewright.changes.database import Database, Flusher
from filewright.changes.listing import (
    LARGE,
    NEWEST,
    FolderRow,
    KeptListing,
    ListedStamp,
    Listing,
    Look,
    look,
    prefix_of,
    read_kept,
    row_of,
    settled,
    written,
)
from filewright.changes.log import Log
from filewright.changes.quick import SLACK_NS, TAKES_AWAY, QuickLook, begun_since, list_of
from filewright.changes.record import ChangeRecord, CommitPlan, Entry, Kind, Place, Stamp, same_content
from filewright.changes.state import Index, base_folder, fresh_in
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.settings import KB, MB, Settings
from filewright.system import Folder
from filewright.wording import listed as listed_of
from filewright.wording import sized

_ID = r"[0-9a-z]{1,40}"
_NAMED_BEFORE = 5
_BETWEEN = r"[\s'\"`=:;|&()<>]+"
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
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_NOTHING = FolderRow()
_ELSEWHERE = b"../"
"""How the path of something begins that is not below the root."""


def begun_in(settings: Settings, identifier: str) -> list[str]:
    """The roots of which a listing of that id was made."""
    index, name = Index(base_folder(settings), settings.lock_seconds), os.fsdecode(list_of(identifier))
    return [
        os.fsdecode(owner.path)
        for owner in index.owners.values()
        if owner.path and os.path.exists(index.of(owner.id, "shell", name))
    ]


def watches(
    boundary: Boundary, logs: Sequence[Log], task: Task, looked: QuickLook | None, identifier: str
) -> Iterator[Watch]:
    """Each root as it is seen before a command of that id, and after it. Raises `not_found` for a bad id."""
    if not re.fullmatch(_ID, identifier):
        raise errors.unknown_listing(identifier)
    looks = looked.looks if looked is not None else {}
    for log, root in zip(logs, boundary.roots, strict=True):
        with log.state.folder() as own, suppress(FileExistsError):
            own.make(b"shell", 0o700)
        where, seconds = partial(log.state.at, b"shell", _KEPT), log.settings.lock_seconds
        with (
            log.state.folder(b"shell") as folder,
            closing(Database(where, _TABLES, Flusher(enabled=False), seconds)) as kept,
        ):
            seen = looks.get(root.path, ())
            yield Watch(boundary, log, root, folder, kept, task, identifier, looked is not None, *seen)


class Watch(NamedTuple):
    """A root as it is seen now, and what files held, kept in the `database` by path and stamp.

    For a hook, it may have been `seen` already, as it differs from the listing `looked_at`.

    Other processes may keep contents, and begin and end commands, at the same time.
    """

    boundary: Boundary
    log: Log
    root: Root
    folder: Folder
    database: Database
    task: Task
    identifier: str
    hook: bool
    looked_at: KeptListing | None = None
    seen: Look | None = None

    # What is called around a command

    def begin(self, line: str) -> bool:
        """List what is below the root, as the newest change has left it, and keep what fits into the budget.

        What the command line `line` names comes first; what of that a command that takes away cannot be had back is a
        notice of the task. For a hook the rest is left to who keeps ahead; False if somebody should begin to.

        Needs the workspace lock.
        """
        self._clean_up()
        last = self.looked_at or read_kept(self.folder)
        rows, outer = self._listed(last, self.seen)
        known = last.rows if self.hook and last else None
        seconds = _KEEP_IN_HOOK if self.hook else _KEEP_SECONDS
        rows, late = self._keep(rows, line, seconds, _KEEP_AT_ONCE, known)
        index = self._keep_index()
        if re.search(TAKES_AWAY, line):
            self._warn_of(late, index)
        KeptListing(self.log.latest(), outer, index, rows).write(self.folder, list_of(self.identifier))
        return all(row.kept for row in rows.values()) or self._is_kept_ahead()

    def keep_ahead(self, seconds: float) -> bool:
        """Keep more for commands to come; whether that is all, or as much as is kept ahead."""
        self._is_kept_ahead()
        room = _KEEP_ALL // 2 - self._size
        if room <= 0:
            return True
        rows, outer = self._listed(read_kept(self.folder), None)
        rows, _ = self._keep(rows, "", seconds, min(room, _KEEP_AT_ONCE))
        KeptListing(0, outer, self._keep_index(), rows).write(self.folder, NEWEST)
        return all(row.kept for row in rows.values())

    def end(
        self, summary: str, caller: Caller, made_since: Callable[[int], Iterable[ChangeRecord]]
    ) -> list[ChangeRecord]:
        """Record what is different from the listing, as the changes made since, the oldest first, have left it.

        What the command had done before one of those came to it is a part of its own, recorded before that.

        Needs the workspace lock. Raises `not_found` if there is no such listing.
        """
        last = self.looked_at or read_kept(self.folder, list_of(self.identifier))
        if last is None:
            raise errors.unknown_listing(self.identifier)
        changes = list(made_since(last.newest))
        rows, outer = self._listed(last, self.seen)
        command = _Command(self, last, rows, changes)
        command.ask_git(last.git_index)
        records = command.record(summary, caller)
        self.folder.remove(list_of(self.identifier))
        later = begun_since(self.folder, last)
        if later or rows != last.rows:  # What the command has made is there for them, or for the next.
            rows, _ = self._keep(rows, "", _KEEP_IN_HOOK, _KEEP_AT_ONCE, last.rows)
            now = KeptListing(self.log.latest(), outer, last.git_index, rows)
            for name in later or [NEWEST]:
                now.write(self.folder, name)
        return records

    # What is there

    def at(self, path: bytes) -> Location:
        """Where something is."""
        return Location(self.root, tuple(path.split(b"/")))

    def content(self, path: bytes, stamp: ListedStamp) -> bytes | None:
        """What a file or link holds, if it is still the one that was listed."""
        where = self.at(path)
        try:
            if stamp.kind == "link":
                return self.boundary.read_link(where)
            with self.boundary.open_file(where) as file:
                content = file.read(0, stamp.size + 1)
                is_same = written(file.status()) == written(stamp)
        except (FilewrightError, OSError):
            return None
        return content if is_same and len(content) == stamp.size else None

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
        inner = self.root.below([root.resolved for root in self.boundary.roots])
        within = tuple(b"/".join(parts) + b"/" for parts in inner)

        def visit(folder: WalkedFolder, opened: Folder, names: list[bytes], left: list[bytes]) -> None:
            if folder.root_prefix.startswith(within):
                return
            row = row_of(opened, names, left)
            some = found.get(folder.root_prefix)
            found[folder.root_prefix] = row if some is None else some.plus(row)

        with suppress(FilewrightError) if prefix else nullcontext():
            where = self.at(prefix[:-1]) if prefix else Location(self.root, ())
            for _ in self.boundary.walk(where, depth=depth, visit=visit, task=self.task):
                pass
        return found

    # What is kept of it

    def kept(self, path: bytes, stamp: ListedStamp) -> bytes | None:
        """What was kept of something that was listed."""
        query = "SELECT content FROM kept WHERE folder = ? AND name = ? AND stamp = ?"
        with self._while_sound():
            for (content,) in self.database.read(query, *_row_key(path, stamp)):
                if _checked(content[16:]) == content:
                    return bytes(content[16:])
                self._throw_away()
        return None

    def keep(self, contents: Iterable[tuple[bytes, ListedStamp, bytes]]) -> None:
        """Keep what was at paths with these stamps."""
        with self.database.transaction(self.task, durable=False) as execute:
            for path, stamp, content in contents:
                row = *_row_key(path, stamp), _checked(content)
                execute("INSERT OR REPLACE INTO kept VALUES (?,?,?,?)", row)

    def _keep(
        self, rows: Listing, line: str, seconds: float, room: int, known: Listing | None = None
    ) -> tuple[Listing, dict[bytes, ListedStamp]]:
        """Keep what is not kept yet, first what a command line names, then the newest: in all folders, or in those that
        are not as they are `known` and that have what the line names.

        Returns the rows, of which it is noted; and of what the line names what is too large, or too much.
        """
        names, late, lacking = _named(line), dict[bytes, ListedStamp](), set[bytes]()
        wanted: list[tuple[bool, int, bytes, bytes, ListedStamp | None]] = []

        def want(prefix: bytes) -> None:
            had = set(self.database.read("SELECT name, stamp FROM kept WHERE folder = ?", prefix))
            for name, stamp in rows[prefix].things():
                if stamp.kind == "folder" or (had and (name, stamp.key) in had):
                    continue
                unnamed = not names([*prefix.split(b"/"), name])
                if stamp.size <= LARGE:
                    heappush(wanted, (unnamed, -stamp.mtime_ns, prefix, name, stamp))
                elif not unnamed:
                    late[prefix + name] = stamp

        with self._while_sound():
            self.database.read("SELECT name, (SELECT 1 FROM kept LIMIT 1) FROM cache")
        with self.database.transaction(self.task, durable=False) as execute:
            (cache,) = execute("SELECT name FROM cache").fetchone()
        for prefix, row in rows.items():
            lacks = row.kept != cache
            if not lacks and not row.large:
                continue
            if line and names(prefix.split(b"/") + row.names.split(b"/")):
                want(prefix)
            elif lacks and known and row is known.get(prefix) and not row.kept:
                lacking.add(prefix)
            elif lacks:
                # Of a large tree few are kept: what is in a folder is asked for when its newest is the next.
                heappush(wanted, (True, -row.newest_ns, prefix, b"", None))
        begun, number, found = time.monotonic(), 0, list[tuple[bytes, ListedStamp, bytes]]()
        while wanted:
            most = seconds if wanted[0][0] else max(seconds, _KEEP_SECONDS)
            # On a busy machine the time may be over before the first.
            if room < 0 or (number >= _AT_LEAST and time.monotonic() - begun > most):
                break
            self.task.check()
            _, _, prefix, name, stamp = heappop(wanted)
            if stamp is None:
                want(prefix)
                continue
            number += 1
            content = self.content(prefix + name, stamp)
            if content is not None:
                room -= len(content)
                found.append((prefix + name, stamp, content))
            if len(found) == _AT_A_TIME:  # Whoever else keeps something waits for no more.
                self.keep(found)
                found = []
        self.keep(found)
        lacking.update(prefix for _, _, prefix, _, _ in wanted)
        late |= {prefix + name: stamp for unnamed, _, prefix, name, stamp in wanted if stamp and not unnamed}
        rows = {prefix: row._replace(kept="" if prefix in lacking else cache) for prefix, row in rows.items()}
        return rows, late

    def _warn_of(self, late: dict[bytes, ListedStamp], index: tuple[int, ...] | None) -> None:
        """Say which of the files that a command line names nobody has kept."""
        for path, _ in self.staged(index, late):
            del late[path]
        files = [(self.at(path).shown, stamp) for path, stamp in late.items() if stamp.kind == "file"]
        if files:
            named = listed_of([f"{shown} ({sized(stamp.size)})" for shown, stamp in files], _NAMED_BEFORE)
            self.task.notices.append(f"filewright has not kept, and cannot bring back: {named}")

    def _keep_index(self) -> tuple[int, ...] | None:
        """Keep git's index as it is, unless it is kept; its stamp, or None where the root has no repository."""
        try:
            with self.boundary.open_file(self.at(b".git/index")) as file:
                index = written(file.status())
                if not self.folder.holds_any((_index(index),)):
                    with fresh_in(self.folder, file.read(0, _INDEX_MOST)) as fresh:
                        self.folder.rename(fresh, self.folder, _index(index), "replace")
                return index
        except (FilewrightError, OSError):
            return None

    def staged(
        self, index: tuple[int, ...] | None, wanted: Mapping[bytes, ListedStamp]
    ) -> Iterator[tuple[bytes, str]]:
        """Those of the `wanted` files that git's index, as it was kept, knew as they are, each with its object.

        Ends at what is no index.
        """
        if index is None or not wanted:
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
                stamp, time_ns = wanted.get(path), seconds * 10**9 + nanoseconds
                # Changed as the index was written, a file may have been changed once more, and git does not know.
                if stamp is None or stamp.size > _GIT_EACH or time_ns >= index[2] or flags & 0x3000:
                    continue
                if (stamp.inode & 0xFFFFFFFF, stamp.size, stamp.mtime_ns) == (inode, size, time_ns):
                    yield path, name.hex()

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

    @contextmanager
    def _while_sound(self) -> Iterator[None]:
        """Throw the cache away if it cannot be read inside."""
        try:
            yield
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


def _row_key(path: bytes, stamp: ListedStamp) -> tuple[bytes, bytes, bytes]:
    """By what the cache knows a thing: folder, name and stamp."""
    return prefix_of(path), basename(path), stamp.key


def _checked(content: bytes) -> bytes:
    """A content as it is kept: after its hash."""
    return xxhash.xxh3_128_digest(content) + content


def _named(line: str) -> Callable[[list[bytes]], bool]:
    """Says of names whether a command line has one of them as the last name of a path, or a pattern of it."""
    words = {word.rstrip("/*").rpartition("/")[2] for word in re.split(_BETWEEN, line)} - {"", ".", ".."}
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


def _variable(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, as git's offsets in packs are, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) | (data[at] & 0x7F)
    return value, at + 1


# Comparing


class Thing(NamedTuple):
    """Something at a `path` at one moment, and what reads what it holds.

    Of what was `listed`, at a path from which a tool may have moved it, `seen` is the stamp; what a tool has found or
    left has none.
    """

    path: bytes
    side: Stamp
    held: Callable[[], bytes | None]
    seen: ListedStamp | None = None
    listed: bytes = b""

    @property
    def kind(self) -> Kind:
        """What it is."""
        return self.side.kind

    @property
    def written(self) -> tuple[Kind, int | None, int, int]:
        """Which thing it is, as it was last written."""
        return self.kind, self.side.inode, self.side.size, self.side.mtime_ns


_Pair = tuple[Thing | None, Thing | None]
"""What was there, and what became of it."""


class _Command:
    """What a command did between two listings: pairs of things that are not the same.

    What it had done to a thing before a tool came to that is among the pairs of an earlier part, whose number comes
    just before that of the tool's change.
    """

    def __init__(
        self, watch: Watch, last: KeptListing, rows: Listing, changes: Sequence[ChangeRecord]
    ) -> None:
        self._watch = watch
        self._pairs: list[_Pair] = []
        self._parts: dict[int, list[_Pair]] = {}
        self._moves: dict[bytes, bytes] = {}
        self._lost: list[str] = []
        self._room = _AFTER_ALL
        self._before: dict[bytes, Thing] = {}
        self._after: dict[bytes, Thing] = {}
        self._hidden = {
            prefix + name.removesuffix(b"/"): b"" for prefix, row in last.rows.items() for name in row.hidden
        }
        for prefix in last.rows.keys() | rows.keys():
            old, new = last.rows.get(prefix, _NOTHING), rows.get(prefix, _NOTHING)
            if changes or old != new:
                self._before |= _things(prefix, old, watch.kept)
                self._after |= _things(prefix, new, watch.content)
        for change in changes:
            self._follow(change)
        self._compare(last)

    def _follow(self, change: ChangeRecord) -> None:
        """Have what was there before as it is after a change that is on record."""
        before, moves, made = self._before, dict[bytes, bytes](), dict[bytes, Thing]()
        # In each root another, since a change may be of several.
        parts = self._parts.setdefault(change.number - 1 - self._watch.root.number, [])

        def take_away(paths: Set[bytes]) -> None:
            """The command had taken these away before, with all that was in them."""
            below = tuple(path + b"/" for path in paths)
            for path in [path for path in before if path in paths or path.startswith(below)] if paths else ():
                parts.append((before.pop(path), None))

        for entry in change.entries:
            self._watch.task.check()
            path, was = self._path_of(entry.place), self._path_of(entry.was or entry.place)
            old, found, left = before.get(was), None, None
            if entry.before is not None:
                if old and old.kind != entry.before.kind:
                    take_away({was})
                old = before.pop(was, None)
                side = entry.before._replace(inode=old and old.side.inode)
                found = Thing(was, side, partial(held_before, entry))
            if entry.after is not None:
                side = entry.after._replace(mtime_ns=entry.after.mtime_ns or change.number)
                left = Thing(path, side, partial(held_after, entry), listed=old.listed if old else b"")
            if found and left and same_content(entry):  # What it holds is not on record.
                known = old or self._after.get(path)
                if known and (old or known.written[2:] == left.written[2:]):
                    # So it is the known thing, with the path and the rights of either.
                    found, left = (
                        known._replace(
                            path=each.path, side=known.side.with_rights(each.side), listed=left.listed
                        )
                        for each in (found, left)
                    )
                if found.kind == "folder":
                    moves[was] = path
            if left:
                made[path] = left
            # What was not seen was ignored, or elsewhere.
            # Of what went to another root as the command had made it, nobody knows what it held.
            is_known = old or not path.startswith(_ELSEWHERE)
            if found and is_known and not was.startswith(_ELSEWHERE) and _along(self._hidden, was) == was:
                parts.append((old, found))
        for path in [path for path in before if _along(moves, path) != path] if moves else ():
            to = _along(moves, path)
            made.setdefault(to, before.pop(path)._replace(path=to))
        take_away(before.keys() & made.keys())
        before |= made

    def _compare(self, last: KeptListing) -> None:
        """Pair what is not the same, a thing that has another name with itself."""
        gone: dict[bytes, Thing] = {}
        came: dict[bytes, Thing] = {}
        for path in sorted(self._before.keys() | self._after.keys()):
            self._watch.task.check()
            if path.startswith(_ELSEWHERE):
                continue
            old, now = self._before.get(path), self._after.get(path)
            if old and now and old.kind == now.kind:
                if old.seen != now.seen and now.kind != "other":
                    self._pairs.append((old, now))
                continue
            if old is not None and (now is not None or self._is_gone(old)):
                gone[path] = old
            if now is not None:
                came[path] = now
        self._leave_uncovered(came, last)
        self._find_renamed(gone, came)
        self._pairs += [(old, None) for old in gone.values()]
        self._pairs += [(None, now) for now in came.values()]

    def _is_gone(self, old: Thing) -> bool:
        """Whether something is no longer there: a rule may only hide it; what is behind a link is elsewhere."""
        *above, name = old.path.split(b"/")
        try:
            with self._watch.root.folder.beneath(above, links=False, listing=False) as folder:
                return old.side.inode not in (None, folder.stat(name).inode)
        except OSError as error:
            return error.errno in _NOT_THERE

    def _leave_uncovered(self, came: dict[bytes, Thing], last: KeptListing) -> None:
        """Leave out what was there before, though nobody saw it: rules hid it, or a folder that could not be read.

        What is newer than the listing, or a folder that was elsewhere, is none of it.
        """
        watch = self._watch
        since = last.begun_ns - (0 if watch.folder.status().device == watch.root.identity[0] else SLACK_NS)
        folders = [old for old in self._before.values() if old.kind == "folder"]
        listed = {old.side.inode: old.listed for old in folders if old.listed}
        # What tools have brought from where nobody saw it had something in it.
        uncovered = {old.path for old in folders if not old.listed}
        for path, now in sorted(came.items()):
            above = dirname(path)
            folder = self._after.get(above)
            was_above = above if folder is None else listed.get(folder.side.inode)
            if was_above is None:
                was_there = above in uncovered
            else:
                was = was_above + b"/" * bool(was_above) + basename(path)
                was_there = was in self._hidden or prefix_of(was) not in last.rows
            if was_there and now.side.inode not in listed and not self._is_new(now, since):
                uncovered.add(path)
                del came[path]

    def _is_new(self, now: Thing, since: int) -> bool:
        """Whether something was made since then."""
        if now.kind != "folder" and now.seen is not None:
            return now.seen.ctime_ns > since
        try:
            status = self._watch.boundary.stat(self._watch.at(now.path), birth=True)
        except FilewrightError:
            return False
        return (status.birth_ns or status.ctime_ns) > since

    def _find_renamed(self, gone: dict[bytes, Thing], came: dict[bytes, Thing]) -> None:
        """Pair what has another name: the same inode, size and time. A folder has, if something in it moved along."""
        known: dict[object, list[bytes]] = {}
        inside: dict[bytes, list[bytes]] = {}
        for path, now in came.items():
            known.setdefault(now.written, []).append(path)

        def is_renamed(old: Thing, to: bytes) -> bool:
            if old.kind == "folder":  # Its number may have been given to another.
                below = inside.get(old.path, ())
                return any(self._moves.get(each) == to + each[len(old.path) :] for each in below)
            now = came[to]
            return old.seen is not None or (old.kind == now.kind and self._is_unwritten(old, now))

        for path in sorted(gone, reverse=True):  # A folder after what was in it.
            old = gone[path]
            inside.setdefault(dirname(path), []).append(path)
            those = known.get(old.written, ()) if old.seen is not None else [*came]
            found = [to for to in those if to in came and is_renamed(old, to)]
            if found:
                # Of several names of one inode each goes its own way, the same name before another.
                to = next((each for each in found if basename(each) == basename(path)), found[0])
                self._moves[path] = to
                self._pairs.append((gone.pop(path), came.pop(to)))

    def ask_git(self, index: tuple[int, ...] | None) -> None:
        """Have what git stores of the files that were not kept, if its index knew them as they were."""
        watch = self._watch
        olds = (old for old, _ in self._pairs if old is not None and old.path not in self._moves)
        wanted = {
            old.listed: old.seen for old in olds if old.kind == "file" and old.seen and old.held() is None
        }
        found = list(watch.staged(index, wanted))
        if not found:
            return
        from filewright.structure import git_objects

        names, where = (stored for _, stored in found), watch.at(b"file")
        contents = git_objects(watch.boundary, where, names, limit=_GIT_EACH, task=watch.task)
        for (path, stored), content in zip(found, contents, strict=False):
            # Of another size, it is not what the file held: git has converted its line ends, say.
            named = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
            if len(content) == wanted[path].size and named == stored:
                watch.keep([(path, wanted[path], content)])

    # Recording

    def record(self, summary: str, caller: Caller) -> list[ChangeRecord]:
        """The change, committed, the oldest part first; none if nothing is different."""
        log, records = self._watch.log, list[ChangeRecord]()
        with log.begin(self._watch.task) as intent:
            self._keep = intent.keep
            for number, pairs in (*self._parts.items(), (intent.number, self._pairs)):
                found = (entry for pair in pairs for entry in self._entries(*pair))
                entries = tuple(sorted(found, key=lambda entry: entry.place.parts))
                notes = tuple(self._notes()) if number == intent.number else ()
                if entries or notes:
                    record = ChangeRecord(number, "shell", summary, entries, **caller._asdict(), notes=notes)
                    # It displaced nothing, and nothing is left to clean up.
                    log.write(record, CommitPlan(), state="settled")
                    records.append(record)
        log.collect()
        return records

    def _notes(self) -> Iterator[str]:
        for path in self._lost[:_NAMED]:
            yield f"{path} was changed too, and cannot be undone: what the command found there was not kept"
        if len(self._lost) > _NAMED:
            yield f"nor can {len(self._lost) - _NAMED:,} more files"

    def _entries(self, old: Thing | None, now: Thing | None) -> Iterator[Entry]:
        """What became of a thing; what cannot be brought back is noted instead."""
        if old and now and old.kind == now.kind:
            yield from self._alterations(old, now)
            return
        if old and (before := self._told(old)):
            yield Entry(self._at(old), before, None)
        if now and (after := self._told(now, is_now=True)):
            yield Entry(self._at(now), None, after)

    def _alterations(self, old: Thing, now: Thing) -> Iterator[Entry]:
        if self._is_unwritten(old, now):
            was = self._at(old) if old.path != now.path else None
            # What is in a folder that was moved goes along.
            along = self._moves.get(dirname(old.path)) == dirname(now.path)
            is_carried = along and basename(old.path) == basename(now.path)
            if (was is not None and not is_carried) or (
                now.kind != "link" and old.side.rights != now.side.rights
            ):
                same = now.side._replace(digest=old.side.digest, target=old.side.target)
                yield Entry(self._at(now), old.side._replace(blob=None), same, was)
        elif (before := self._told(old)) is not None:
            # Of what cannot be read any more there is no digest.
            after = self._told(now, is_now=True) or now.side
            if old.kind == "link":
                if before.target != after.target:
                    yield Entry(self._at(old), before, None)
                    yield Entry(self._at(now), None, after)
            elif (before.digest, before.rights) != (after.digest, after.rights):
                yield Entry(self._at(now), before, after)

    def _is_unwritten(self, old: Thing, now: Thing) -> bool:
        """Whether a thing holds what it held, as far as that can be told without having kept it."""
        if old.kind == "folder":
            return True
        if old.seen is None:
            if old.kind == "link":
                return now.held() == old.side.target
            if old.side.digest is None:  # A tool has brought it from elsewhere.
                return old.written[2:] == now.written[2:]
            return old.side.digest == (now.side.digest or self._digest(now))
        if old.written != now.written:
            return False
        if old.path != now.path or now.seen is None or old.seen.ctime_ns == now.seen.ctime_ns:
            return True
        # It may have been given its earlier time again.
        held = old.held() if old.side.rights == now.side.rights else None
        return held is None or now.held() in (None, held)

    def _told(self, thing: Thing, *, is_now: bool = False) -> Stamp | None:
        """A thing with what it holds, which is kept: of what there is now, what is small.

        None for what cannot be read or was not kept, and for what cannot be made again, such as a pipe.
        """
        side = thing.side
        if side.kind in ("folder", "other"):
            return side if side.kind == "folder" else None
        self._watch.task.check()
        if is_now and thing.seen is not None and side.kind == "file" and side.size > _AFTER_EACH:
            digest = self._digest(thing) if side.size <= _HASHED else None
            return side._replace(digest=digest) if digest or side.size > _HASHED else None
        content = side.target or thing.held()
        if content is None:
            if not is_now:
                self._lost.append(self._watch.at(thing.path).shown)
            return side if is_now and thing.seen is None else None
        if side.kind == "link":
            return side._replace(target=content)
        self._room -= len(content) if is_now else 0
        blob = self._keep(content) if not is_now or self._room >= 0 else None
        return side._replace(digest=xxhash.xxh3_128_hexdigest(content), blob=blob)

    def _digest(self, now: Thing) -> str | None:
        """That of a file that is there; None if it cannot be read."""
        try:
            with self._watch.boundary.open_file(self._watch.at(now.path)) as file:
                return digest_of(file)
        except (FilewrightError, OSError):
            return None

    def _at(self, thing: Thing) -> Place:
        return Place.of(self._watch.at(thing.path))

    def _path_of(self, place: Place) -> bytes:
        """Where a place is below the root, whichever it is named from; `_ELSEWHERE`, from the top, if it is not below
        it or is in one within it."""
        where = place.below(self._watch.boundary.roots)
        if where is not None and where.root is self._watch.root and where.parts:
            return b"/".join(where.parts)
        return _ELSEWHERE + b"/".join(place.names)


def _things(
    prefix: bytes, row: FolderRow, read: Callable[[bytes, ListedStamp], bytes | None]
) -> Iterator[tuple[bytes, Thing]]:
    """What was listed of a folder, by path."""
    for name, stamp in row.things():
        path = prefix + name
        yield path, Thing(path, Stamp.of(stamp), partial(read, path, stamp), stamp, path)


def _along(moves: Mapping[bytes, bytes], path: bytes) -> bytes:
    """Where a path is after moves of it or of folders above; the nearest one that moved decides."""
    above = path
    while above and moves:
        if above in moves:
            return moves[above] + path[len(above) :]
        above = dirname(above)
    return path
