"""What a command of a shell did: what is below a root before it and after it, compared, as a change.

A listing holds the identity of everything below a root that is not ignored. What files held is kept beside
it, the newest files first, as far as a budget of time and bytes goes; the next listing takes over what is
kept of the files that are still the same, so that from one to the next more is. What was changed without
having been kept is named, and cannot be had back.

::

    shell/ID.list    the newest change before it; then a section for each folder: its path, the names in it, seven
                     numbers for each of them (inode, size, mtime, ctime, mode, user, group), and where its
                     content is kept (number of a pack and offset, or 0 0)
    shell/N.pack     contents, each after its xxh3_128
    shell/ID.index   the index of the root's git repository, whose objects hold what else was not kept

All are a cache that is never flushed: a content is checked when it is read.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
import struct
import time
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial

import xxhash

from filewright import errors, system
from filewright.boundary import Boundary, Location, Root
from filewright.changes.content import digest_of
from filewright.changes.contents import Contents
from filewright.changes.operations import CommitPlan
from filewright.changes.record import ChangeRecord, Entry, Kind, Place, Side, id_of
from filewright.changes.state import Index, StateFolder, base_folder
from filewright.changes.store import Store
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.settings import KB, MB, Settings
from filewright.structure import git_objects
from filewright.system import Folder

_ID = re.compile(r"[0-9a-z]{1,40}")
_FORMAT = b"listing 2\n"
_HEAD = struct.Struct(f"{len(_FORMAT)}s14s")
_SECTION = struct.Struct(">QQQ")
_NUMBERS, _KEPT = 7, 2
_KEEP_SECONDS, _KEEP_EACH, _KEEP_AT_ONCE, _KEEP_ALL = 0.2, 1 * MB, 64 * MB, 256 * MB
_AFTER_EACH, _AFTER_ALL = 256 * KB, 16 * MB
_HASHED = 64 * MB
_DAYS_OPEN = 2
_NAMED = 20
_STAGED = struct.Struct(">10I20sH")
"""An entry of git's index: times, device, inode, mode, user, group, size, the object's name, flags."""
_INDEX_MOST, _GIT_EACH = 64 * MB, 4 * MB
_DAY_NS = 86_400 * 10**9
_SLACK_NS = 2 * 10**9
"""By how much the clocks of two file systems may differ."""
_RULE_FILES = frozenset((b".gitignore", b".ignore", b".agentsignore"))
_ELSEWHERE = b"/"
"""Where a listing has what else says what is ignored, which is not below the root or not to be listed."""
_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
_FORMATS = {kind: form for form, kind in _KINDS.items()} | {"other": stat.S_IFIFO}
_MISSING = (Code.NOT_FOUND, Code.NOT_A_DIRECTORY)

_Numbers = tuple[int, ...]
_Path = tuple[bytes, bytes]
"""The path of a folder, with a slash at its end, and a name in it."""


@dataclass(slots=True)
class _Names:
    """The names in a folder, and the numbers of each."""

    names: list[bytes] = field(default_factory=list)
    numbers: array[int] = field(default_factory=lambda: array("q"))
    kept: array[int] = field(default_factory=lambda: array("q"))

    def of(self, index: int) -> _Numbers:
        return tuple(self.numbers[index * _NUMBERS : (index + 1) * _NUMBERS])

    def kept_at(self, index: int) -> tuple[int, int]:
        return self.kept[index * _KEPT], self.kept[index * _KEPT + 1]

    def add(self, name: bytes, numbers: _Numbers, kept: tuple[int, int]) -> None:
        self.names.append(name)
        self.numbers.extend(numbers)
        self.kept.extend(kept)

    def keep(self, index: int, pack: int, offset: int) -> None:
        self.kept[index * _KEPT], self.kept[index * _KEPT + 1] = pack, offset


_Listing = dict[bytes, _Names]


def begin_command(
    boundary: Boundary, store: Store, root: Root, identifier: str, newest: str | None, task: Task
) -> None:
    """List what is below a root, as the change `newest` has left it, and keep what fits into the budget.

    Raises `not_found` for a bad name.
    """
    with _opened(store, identifier) as folder:
        _clean(folder)
        fresh = b"new-" + secrets.token_hex(8).encode()
        folder.create(fresh).close()
        packs = {int(name[:-5]) for name in folder.names() if re.fullmatch(rb"[0-9]{1,19}\.pack", name)}
        listing = _walked(boundary, root, task)
        _take_over(listing, _newest(folder), packs)
        _keep(boundary, root, folder, listing, task)
        _copy_index(boundary, root, folder, identifier)
        _write(folder, fresh, listing, newest)
        folder.rename(fresh, folder, _list(identifier), "replace")


def end_command(
    boundary: Boundary,
    store: Store,
    root: Root,
    identifier: str,
    summary: str,
    caller: Caller,
    meanwhile: Iterable[Contents],
    task: Task,
) -> list[ChangeRecord]:
    """Record what is different from the listing, as the changes `meanwhile`, the oldest first, have left it.

    What the command had done before one of those came to it is a part of its own, recorded before that.

    Needs the workspace lock. Raises `not_found` if there is no such listing.
    """
    with _opened(store, identifier) as folder:
        try:
            listing = _read(folder, identifier)
        except (OSError, ValueError, struct.error) as error:
            raise errors.unknown_listing(identifier) from error
        comparing = _Comparing(boundary, store, root, folder, task)
        for change in meanwhile:
            listing = comparing.after(change, listing)
        begun, device = folder.stat(_list(identifier)).mtime_ns, folder.status().device
        slack = 0 if device == root.device else _SLACK_NS
        comparing.compare(listing, _walked(boundary, root, task), begun - slack)
        comparing.ask_git(identifier)
        records = comparing.record(summary, caller)
        folder.rename(_list(identifier), folder, _list("newest"), "replace")
    return records


def begun_after(store: Store, identifier: str) -> str:
    """The id of the newest change when a listing was made. Raises `not_found` if it is not there."""
    with _opened(store, identifier) as folder:
        try:
            with folder.open(_list(identifier)) as file:
                return file.read(0, _HEAD.size)[len(_FORMAT) :].decode("ascii").strip()
        except (OSError, ValueError) as error:
            raise errors.unknown_listing(identifier) from error


def begun_in(settings: Settings, identifier: str) -> list[str]:
    """The roots of which a listing of that id was made; none for a bad one."""
    index = Index(base_folder(settings), settings.lock_seconds)
    found: list[str] = []
    for owner in index.owners.values() if _ID.fullmatch(identifier) else ():
        with suppress(OSError):
            system.status_of(StateFolder(index, owner, None).at(b"shell", _list(identifier)))
            found += [os.fsdecode(owner.path)] if owner.path else []
    return found


# Listings


def _opened(store: Store, identifier: str) -> Folder:
    if not _ID.fullmatch(identifier):
        raise errors.unknown_listing(identifier)
    with store.state.folder() as own, suppress(FileExistsError):
        own.make(b"shell", 0o700)
    return store.state.folder(b"shell")


def _list(identifier: str) -> bytes:
    return identifier.encode() + b".list"


def _walked(boundary: Boundary, root: Root, task: Task) -> _Listing:
    found: _Listing = {}
    # What is below a root within this one is listed there.
    roots = [_path_in(root, Place(other.resolved, ())) for other in boundary.roots]
    within = tuple(_join(path) for path in roots if path is not None)
    current, listed = None, _Names()
    for entry in boundary.walk(Location(root, (), "."), details=True, task=task):
        if entry.status is None:
            continue
        if entry.folder is not current:
            current = entry.folder
            elsewhere = current.prefix.startswith(within)
            listed = _Names() if elsewhere else found.setdefault(current.prefix, _Names())
        listed.names.append(entry.name)
        raw = entry.status.raw
        # What is in a folder is listed by itself, and changes the folder's own size and times.
        file = (raw.st_size, raw.st_mtime_ns, raw.st_ctime_ns)
        own = (0, 0, 0) if stat.S_ISDIR(raw.st_mode) else file
        listed.numbers.extend((raw.st_ino, *own, raw.st_mode, raw.st_uid, raw.st_gid))
    rules = found[_ELSEWHERE] = _Names()
    for number, seen in enumerate(_rules_elsewhere(boundary, root)):
        rules.names.append(b"%d" % number)
        rules.numbers.extend((*seen, stat.S_IFDIR, 0, 0))
    return found


def _rules_elsewhere(boundary: Boundary, root: Root) -> Iterator[_Numbers]:
    """Inode, size and times of each of them, 0 where there is none."""
    looks = [
        partial(root.folder.stat_beneath, (b".agentsignore",)),
        partial(root.folder.stat_beneath, (b".git", b"info", b"exclude")),
        partial(system.status_of, boundary.excludes_file or ""),
    ]
    for look in looks:
        try:
            status = look()
            yield status.inode, status.size, status.mtime_ns, status.ctime_ns
        except OSError:
            yield 0, 0, 0, 0


def _take_over(listing: _Listing, before: _Listing, packs: set[int]) -> None:
    """What an earlier listing has kept of files that are the same is kept for this one."""
    for prefix, listed in listing.items():
        known = before.get(prefix)
        if known is not None and known.names == listed.names and known.numbers == listed.numbers:
            listed.kept = known.kept
        else:
            listed.kept = array("q", bytes(8 * _KEPT * len(listed.names)))
            places = {name: at for at, name in enumerate(known.names)} if known is not None else {}
            for index, name in enumerate(listed.names):
                at = places.get(name)
                if known is not None and at is not None and known.of(at) == listed.of(index):
                    listed.keep(index, *known.kept_at(at))
        if not packs.issuperset(filter(None, listed.kept[::_KEPT])):
            for index in range(len(listed.names)):
                if listed.kept_at(index)[0] not in packs:
                    listed.keep(index, 0, 0)


def _keep(boundary: Boundary, root: Root, folder: Folder, listing: _Listing, task: Task) -> None:
    """Keep what is not kept yet, the newest first, within the budget."""
    wanted = [
        (-numbers[2], prefix, index)
        for prefix, listed in listing.items()
        for index, pack in enumerate(listed.kept[::_KEPT])
        if not pack and not stat.S_ISDIR((numbers := listed.of(index))[4]) and numbers[1] <= _KEEP_EACH
    ]
    if not wanted:
        return
    wanted.sort()
    # No number is ever taken twice: what an older listing has in a pack that is gone is in no other.
    number = secrets.randbits(62) + 1
    deadline = time.monotonic() + _KEEP_SECONDS
    with folder.create(b"%d.pack" % number) as pack:
        written, pending = 0, bytearray()
        for _, prefix, index in wanted:
            if time.monotonic() > deadline or written > _KEEP_AT_ONCE:
                break
            task.check()
            listed = listing[prefix]
            content = _content(boundary, _place(root, (prefix, listed.names[index])), listed.of(index))
            if content is not None:
                listed.keep(index, number, written + len(pending))
                pending += xxhash.xxh3_128_digest(content) + content
            if len(pending) > MB:
                pack.write(pending, written)
                written, pending = written + len(pending), bytearray()
        pack.write(pending, written)


def _copy_index(boundary: Boundary, root: Root, folder: Folder, identifier: str) -> None:
    """Keep git's index as it is before the command, with the time when it was written before it."""
    try:
        with boundary.open_file(_place(root, (b".git/", b"index"))) as file:
            written = file.status().raw.st_mtime_ns
            index = file.read(0, _INDEX_MOST)
    except (FilewrightError, OSError):
        return  # No repository of its own.
    with folder.create(_index(identifier)) as copy:
        copy.write(written.to_bytes(8, "big") + index, 0)


def _index(identifier: str) -> bytes:
    return identifier.encode() + b".index"


def _staged(data: bytes, task: Task) -> Iterator[tuple[bytes, tuple[int, int, int], str]]:
    """What git's index says of files that are as they were when it looked: path, inode, size, time, and object.

    Raises `struct.error` and `ValueError` for what is no index.
    """
    written = int.from_bytes(data[:8], "big")
    magic, version, count = struct.unpack_from(">4sII", data, 8)
    if magic != b"DIRC" or version not in (2, 3, 4):
        raise ValueError("not an index")
    at, path = 20, b""
    for number in range(count):
        if number % 1024 == 0:
            task.check()
        _, _, seconds, nanoseconds, _, inode, _, _, _, size, name, flags = _STAGED.unpack_from(data, at)
        start = at + _STAGED.size + (2 if version > 2 and flags & 0x4000 else 0)
        if version == 4:
            shared, start = _variable(data, start)
            end = data.index(b"\0", start)
            path = path[: len(path) - shared] + data[start:end]
            at = end + 1
        else:
            end = data.index(b"\0", start)
            path = data[start:end]
            at += (end - at + 8) // 8 * 8
        time_ns = seconds * 10**9 + nanoseconds
        # Changed as the index was written, a file may have been changed once more, and git does not know.
        if time_ns < written and not flags & 0x3000:
            yield path, (inode, size, time_ns), name.hex()


def _variable(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length, as git's offsets in packs are, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) | (data[at] & 0x7F)
    return value, at + 1


def _content(boundary: Boundary, where: Location, numbers: _Numbers) -> bytes | None:
    """What a file or link holds, if it is still the one that was listed."""
    try:
        if stat.S_ISLNK(numbers[4]):
            return boundary.read_link(where)
        if not stat.S_ISREG(numbers[4]):
            return None
        with boundary.open_file(where) as file:
            content = file.read(0, numbers[1] + 1)
            raw = file.status().raw
    except (FilewrightError, OSError):
        return None
    same = (raw.st_ino, raw.st_size, raw.st_mtime_ns) == numbers[:3]
    return content if same and len(content) == numbers[1] else None


def _place(root: Root, path: _Path) -> Location:
    parts = (*filter(None, path[0].split(b"/")), path[1])
    return Location(root, parts, Location(root, parts).shown)


def _write(folder: Folder, fresh: bytes, listing: _Listing, newest: str | None) -> None:
    parts = [_HEAD.pack(_FORMAT, (newest or "").encode().ljust(_HEAD.size - len(_FORMAT)))]
    for prefix, listed in listing.items():
        names = b"/".join(listed.names)
        parts += (_SECTION.pack(len(prefix), len(names), len(listed.names)), prefix, names)
        parts += (listed.numbers.tobytes(), listed.kept.tobytes())
    begun = folder.stat(fresh).mtime_ns
    with folder.open(fresh, write=True) as file:
        file.write(b"".join(parts), 0)
        # What is younger than the listing was made after it: not in the same tick of the clock as what was before.
        while file.status().mtime_ns <= begun:
            time.sleep(0.001)
            file.write(parts[0], 0)


def _read(folder: Folder, identifier: str) -> _Listing:
    """Raises `OSError`, `ValueError`, `struct.error`."""
    with folder.open(_list(identifier)) as file:
        data = file.read(0, file.status().size)
    found: _Listing = {}
    at = _HEAD.size
    if not data.startswith(_FORMAT):
        raise ValueError("no listing of this version")
    while at < len(data):
        prefix_size, names_size, count = _SECTION.unpack_from(data, at)
        at += _SECTION.size
        prefix = data[at : at + prefix_size]
        names = data[at + prefix_size : at + prefix_size + names_size].split(b"/")
        at += prefix_size + names_size
        listed = _Names(names)
        listed.numbers.frombytes(data[at : at + 8 * _NUMBERS * count])
        at += 8 * _NUMBERS * count
        listed.kept.frombytes(data[at : at + 8 * _KEPT * count])
        at += 8 * _KEPT * count
        if len(names) != count or len(listed.kept) != _KEPT * count:
            raise ValueError("the listing is cut short")
        found[prefix] = listed
    return found


def _newest(folder: Folder) -> _Listing:
    """The newest listing that can be read; an empty one if there is none."""
    names = [name for name in folder.names() if name.endswith(b".list")]
    for name in sorted(names, key=lambda name: folder.stat(name).mtime_ns, reverse=True):
        with suppress(OSError, ValueError, struct.error):
            return _read(folder, name.removesuffix(b".list").decode())
    return {}


def _clean(folder: Folder) -> None:
    """Remove the listings of commands that never ended, and all that is kept once it is too much."""
    old = time.time_ns() - _DAYS_OPEN * _DAY_NS
    packs: list[bytes] = []
    size = 0
    for name in folder.names():
        with suppress(FileNotFoundError):
            status = folder.stat(name)
            if name.endswith(b".pack"):
                packs.append(name)
                size += status.size
            elif name != _list("newest") and status.mtime_ns < old:
                folder.remove(name)
    for name in packs if size > _KEEP_ALL else ():
        with suppress(FileNotFoundError):
            folder.remove(name)


# Comparing


@dataclass(frozen=True, slots=True)
class _Found:
    """What a tool found at `path`, other than what was listed there: nothing, or what has these `numbers`.

    It is at `now` since.
    """

    entry: Entry
    change: Contents
    path: _Path
    numbers: _Numbers | None
    kept: tuple[int, int]
    now: _Path


class _Comparing:
    """What is different from a listing, as the entries of a record, with what was kept."""

    def __init__(
        self,
        boundary: Boundary,
        store: Store,
        root: Root,
        folder: Folder,
        task: Task,
    ) -> None:
        self._boundary = boundary
        self._store = store
        self._root = root
        self._folder = folder
        self._left: dict[_Path, tuple[Entry, Contents]] = {}
        self._found: list[_Found] = []
        self._task = task
        self._gone: dict[_Path, tuple[_Numbers, tuple[int, int]]] = {}
        self._came: dict[_Path, _Numbers] = {}
        self._changed: dict[_Path, tuple[_Numbers, tuple[int, int], _Numbers]] = {}
        self._folders: dict[bytes, bool] = {}
        self._lost: list[str] = []
        self._kept_after = 0

    def after(self, change: Contents, before: _Listing) -> _Listing:
        """The listing as it is after a change that is on record: what that made is known by its content."""
        moves: dict[_Path, _Path] = {}
        taken: set[_Path] = set()
        made: dict[_Path, tuple[Entry, Contents]] = {}
        places: dict[bytes, dict[bytes, int]] = {}
        for entry in change.record.entries:
            self._task.check()
            path = _path_in(self._root, entry.place)
            was = _path_in(self._root, entry.was) if entry.was is not None else path
            if was is not None:
                listed = before.get(was[0], _Names())
                if was[0] not in places:
                    places[was[0]] = {name: at for at, name in enumerate(listed.names)}
                at = places[was[0]].get(was[1])
                if at is None and entry.before is not None and path is not None:
                    self._found.append(_Found(entry, change, was, None, (0, 0), path))
                elif at is not None and path and path != was and _is_as_it_was(entry):
                    moves[was] = path
                    continue
                elif at is not None and was not in self._left and not _is_side(listed.of(at), entry.before):
                    row = listed.of(at), listed.kept_at(at)
                    self._found.append(_Found(entry, change, was, *row, path or was))
                taken.add(was)
            if path is not None and entry.after is not None:
                made[path] = entry, change
        prefixes = {_join(was): _join(path) for was, path in moves.items()}
        left = {path: known for path, known in self._left.items() if path not in taken}
        self._left = {moves.get(path) or _along(prefixes, path): known for path, known in left.items()} | made
        time_ns = change.record.time_ns
        rows = {
            path: _numbers(entry.after, time_ns)
            for path, (entry, _) in made.items()
            if entry.after is not None
        }
        return _moved(before, moves, prefixes, taken, rows)

    def compare(self, before: _Listing, after: _Listing, since: int) -> None:
        """Find what is different since that time.

        What only an ignore rule has hidden is still there, and what one has uncovered was there before.
        """
        nothing = _Names()
        self._found = [
            found
            for found in self._found
            # What is not seen now was ignored, and was there before.
            if found.numbers is not None or found.now[1] in after.get(found.now[0], nothing).names
        ]
        # Where other rules hold now, or another mode, names may have been there that nobody saw.
        other_rules = before.pop(_ELSEWHERE, nothing).numbers != after.pop(_ELSEWHERE, nothing).numbers
        uncovered = {b""} if other_rules else set()
        for prefix in before.keys() | after.keys():
            old, new = before.get(prefix, nothing), after.get(prefix, nothing)
            if old.names == new.names and old.numbers == new.numbers:
                continue
            self._task.check()
            places = {name: index for index, name in enumerate(old.names)}
            differs: set[bytes] = set()
            for index, name in enumerate(new.names):
                at = places.pop(name, None)
                now = new.of(index)
                if at is None:
                    self._came[prefix, name] = now
                elif old.of(at) != now and not self._is_left((prefix, name), now):
                    self._changed[prefix, name] = old.of(at), old.kept_at(at), now
                    if stat.S_ISDIR(now[4]) and stat.S_ISDIR(old.of(at)[4]) and old.of(at)[0] == now[0]:
                        uncovered.add(prefix + name + b"/")
                else:
                    continue
                differs.add(name)
            for name, at in places.items():
                if self._is_gone((prefix, name), old.of(at)):
                    self._gone[prefix, name] = old.of(at), old.kept_at(at)
            if not _RULE_FILES.isdisjoint(places.keys() | differs):
                uncovered.add(prefix)
        self._leave_out_uncovered(uncovered, since)

    def _leave_out_uncovered(self, uncovered: set[bytes], since: int) -> None:
        """What came to be seen below `uncovered` folders was made if it is new, or had another name."""
        known = {numbers[0] for numbers, _ in self._gone.values()}
        replaced = {
            path: now
            for path, (old, _, now) in self._changed.items()
            if old[0] != now[0] or not stat.S_ISDIR(old[4])
        }
        known |= {self._changed[path][0][0] for path in replaced}
        made: set[bytes] = set()
        for path, numbers in sorted((*self._came.items(), *replaced.items())):
            is_folder = stat.S_ISDIR(numbers[4])
            if numbers[0] in known:
                if is_folder:
                    uncovered.add(_join(path))  # Other rules may hold for its new name.
            elif path[0] not in made and not uncovered.isdisjoint(_folders_to(path[0])):
                if path in self._came and not self._is_new(path, numbers, since):
                    del self._came[path]
                elif is_folder:
                    made.add(_join(path))
            elif is_folder:
                made.add(_join(path))

    def _is_new(self, path: _Path, numbers: _Numbers, since: int) -> bool:
        """Whether something was made since then."""
        if not stat.S_ISDIR(numbers[4]):
            return numbers[3] >= since
        try:
            status = self._boundary.stat(_place(self._root, path))
        except FilewrightError:
            return False
        return (status.birth_ns or status.ctime_ns) >= since

    def _is_gone(self, path: _Path, numbers: _Numbers) -> bool:
        if not self._is_folder(path[0]):
            return True
        try:
            return numbers[0] not in (0, self._boundary.stat(_place(self._root, path)).inode)
        except FilewrightError as error:
            return error.code in _MISSING

    def _is_folder(self, prefix: bytes) -> bool:
        """Whether a folder is still one, and so are those above: what is behind a link is elsewhere."""
        unknown = []
        while prefix and prefix not in self._folders:
            unknown.append(prefix)
            prefix = _split(prefix)[0]
        there = self._folders.get(prefix, True)
        for below in reversed(unknown):
            try:
                there = there and self._boundary.stat(_place(self._root, _split(below))).kind == "folder"
            except FilewrightError as error:
                there = error.code not in _MISSING
            self._folders[below] = there
        return there

    def ask_git(self, identifier: str) -> None:
        """Have what git stores of the files that were not kept, if its index knew them as they were."""
        wanted = {
            path: old
            for path, (old, kept) in (
                *self._gone.items(),
                *((path, (old, kept)) for path, (old, kept, _) in self._changed.items()),
            )
            if not kept[0] and stat.S_ISREG(old[4]) and 0 < old[1] <= _GIT_EACH and path not in self._left
        }
        with suppress(FileNotFoundError):
            with self._folder.open(_index(identifier)) as file:
                index = file.read(0, _INDEX_MOST) if wanted else b""
            self._folder.remove(_index(identifier))
            with suppress(struct.error, ValueError, IndexError):
                self._take_from_git(wanted, index)

    def _take_from_git(self, wanted: Mapping[_Path, _Numbers], index: bytes) -> None:
        found: list[tuple[_Path, str]] = []
        for name, seen, stored in _staged(index, self._task) if wanted else ():
            above, _, last = name.rpartition(b"/")
            path = (above + b"/" if above else b""), last
            old = wanted.get(path)
            if old is not None and (old[0] & 0xFFFFFFFF, old[1], old[2]) == seen:
                found.append((path, stored))
        if not found:
            return
        number, offset = secrets.randbits(62) + 1, 0
        contents = git_objects(
            self._boundary,
            _place(self._root, (b"", b"file")),
            (stored for _, stored in found),
            limit=_GIT_EACH,
            task=self._task,
        )
        with self._folder.create(b"%d.pack" % number) as pack:
            for (path, stored), content in zip(found, contents, strict=False):
                # Of another size, it is not what the file held: git has converted its line ends, say.
                named = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
                if len(content) == wanted[path][1] and named == stored:
                    pack.write(xxhash.xxh3_128_digest(content) + content, offset)
                    if path in self._gone:
                        self._gone[path] = wanted[path], (number, offset)
                    else:
                        self._changed[path] = wanted[path], (number, offset), self._changed[path][2]
                    offset += 16 + len(content)

    def record(self, summary: str, caller: Caller) -> list[ChangeRecord]:
        """The change, committed, the oldest part first; none if nothing is different."""
        log = self._store.log
        with log.begin(self._task) as intent:
            self._section = intent.keep
            parts = [(number, tuple(found)) for number, found in self._found_by_tools().items()]
            entries = tuple(sorted(self._entries(), key=lambda entry: entry.place.parts))
            parts += [(intent.number, entries)] if entries or self._lost else []
            records = [
                ChangeRecord(
                    id=id_of(number),
                    time_ns=number,
                    tool="shell",
                    summary=summary,
                    entries=part,
                    **asdict(caller),
                    notes=tuple(self._notes()) if number == intent.number else (),
                )
                for number, part in parts
            ]
            for record in records:
                # It displaced nothing, and nothing is left to clean up.
                intent.record(record, CommitPlan((), ()), "settled")
        self._store.collect()
        return records

    def _found_by_tools(self) -> dict[int, list[Entry]]:
        """What the command had done when a tool came to it: a part of the change, just before the tool's."""
        parts: dict[int, list[Entry]] = {}
        for found in self._found:
            before, after = None, found.entry.before
            if found.numbers is not None:
                before = self._side_of(found.path, found.numbers, self._kept(found.numbers[1], *found.kept))
            if after is None or (before is None and found.numbers is not None):
                continue
            number = found.change.record.time_ns - 1
            if number not in parts and self._store.log.operation(number) is not None:
                self._lost.append(_place(self._root, found.path).shown)  # A clock that stood still.
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

    def _is_left(self, path: _Path, now: _Numbers) -> bool:
        """Whether something is as a tool has left it."""
        known = self._left.get(path)
        side = known[0].after if known is not None else None
        if side is None or _numbers(side)[4:] != now[4:]:
            return False
        if side.kind == "folder":
            return True
        content = self._link_or_digest(path, now)
        return content is not None and content == (side.target if side.kind == "link" else side.digest)

    def _link_or_digest(self, path: _Path, now: _Numbers) -> bytes | str | None:
        """What a link leads to, or the digest of what a file holds; None where that cannot be read."""
        where = _place(self._root, path)
        try:
            if stat.S_ISLNK(now[4]):
                return self._boundary.read_link(where)
            with self._boundary.open_file(where) as file:
                return digest_of(file)
        except (FilewrightError, OSError):
            return None

    def _notes(self) -> Iterator[str]:
        for path in self._lost[:_NAMED]:
            yield f"{path} was changed too, and cannot be undone: what the command found there was not kept"
        if len(self._lost) > _NAMED:
            yield f"nor can {len(self._lost) - _NAMED:,} more files"

    def _entries(self) -> Iterator[Entry]:
        yield from self._moves()
        for path, (numbers, kept) in self._gone.items():
            side = self._before(path, numbers, kept)
            if side is not None:
                yield Entry(self._at(path), side, None)
        for path, numbers in self._came.items():
            side = self._after(path, numbers)
            if side is not None:
                yield Entry(self._at(path), None, side)
        for path, (old, kept, now) in self._changed.items():
            yield from self._alterations(path, old, kept, now)

    def _moves(self) -> Iterator[Entry]:
        """What has another name: the same inode, size and time. A folder has, if something in it has moved along."""
        came: dict[_Numbers, dict[bytes, list[_Path]]] = {}
        for path, numbers in self._came.items():
            if not stat.S_ISDIR(numbers[4]):
                came.setdefault(numbers[:3], {}).setdefault(path[1], []).append(path)
        folders = {numbers[0]: path for path, numbers in self._came.items() if stat.S_ISDIR(numbers[4])}
        files: list[tuple[_Path, _Path]] = []
        moved: dict[bytes, bytes] = {}
        for path, (numbers, _) in self._gone.items():
            names = came.get(numbers[:3]) if not stat.S_ISDIR(numbers[4]) else None
            if path in self._left and not stat.S_ISDIR(numbers[4]):
                names = self._alike(path, numbers)
            if not names:
                continue
            # Of several names of one inode each goes its own way, the same name before another.
            name = path[1] if path[1] in names else next(iter(names))
            to = names[name].pop()
            if not names[name]:
                del names[name]
            files.append((path, to))
            old, new = path[0], to[0]
            # Up from the file, as long as the folders have the same inodes as before.
            while old and new and old != new and path[1] == to[1]:
                above, into = _split(old), _split(new)
                known = self._gone.get(above)
                if known is None or folders.get(known[0][0]) != into:
                    break
                moved[old] = new
                old, new = above[0], into[0]
        for old, new in moved.items():
            path, to = _split(old), _split(new)
            numbers = self._gone.pop(path)[0]
            yield Entry(self._at(to), _side(numbers), _side(self._came.pop(to)), self._at(path))
        for path, to in files:
            numbers = self._gone.pop(path)[0]
            now = self._came.pop(to)
            carried = moved.get(path[0]) == to[0] and path[1] == to[1]
            if not carried or numbers[4:] != now[4:]:
                yield Entry(self._at(to), _side(numbers), _side(now), self._at(path))

    def _alike(self, left: _Path, numbers: _Numbers) -> dict[bytes, list[_Path]]:
        """Where a file is now that a tool has made or changed: what came and holds the same, by the name."""
        side = self._left[left][0].after
        for path, now in self._came.items():
            if side is not None and (now[1], stat.S_IFMT(now[4])) == (numbers[1], stat.S_IFMT(numbers[4])):
                known = side.target if side.kind == "link" else side.digest
                if known is not None and self._link_or_digest(path, now) == known:
                    return {path[1]: [path]}
        return {}

    def _alterations(
        self, path: _Path, old: _Numbers, kept: tuple[int, int], now: _Numbers
    ) -> Iterator[Entry]:
        place = self._at(path)
        if stat.S_IFMT(old[4]) != stat.S_IFMT(now[4]) or stat.S_ISLNK(now[4]):
            before, after = self._before(path, old, kept), self._after(path, now)
            # What cannot be made again, such as a pipe, or be read is in the way of the undo, but not recorded.
            if before is not None and (
                before.target is None or after is None or before.target != after.target
            ):
                yield Entry(place, before, None)
                if after is not None:
                    yield Entry(place, None, after)
        elif stat.S_ISDIR(now[4]) or (old[:3] == now[:3] and not self._is_rewritten(path, old, kept, now)):
            if old[4:] != now[4:] and stat.S_IFMT(now[4]) in _KINDS:
                yield Entry(place, _side(old), _side(now))
        else:
            before = self._before(path, old, kept)
            if before is None:
                return
            after = self._after(path, now) or _side(now)  # Of what cannot be read any more, no digest.
            if (before.digest, before.target, before.mode) != (after.digest, after.target, after.mode):
                yield Entry(place, before, after)

    def _is_rewritten(self, path: _Path, old: _Numbers, kept: tuple[int, int], now: _Numbers) -> bool:
        """Whether a file that was given its earlier time again holds something else."""
        if old[3] == now[3] or old[4:] != now[4:] or not kept[0]:
            return False
        content = _content(self._boundary, _place(self._root, path), now)
        return content is not None and content != self._kept(old[1], *kept)

    def _before(self, path: _Path, numbers: _Numbers, kept: tuple[int, int]) -> Side | None:
        """What was there; None, and said, where that was not kept."""
        if stat.S_IFMT(numbers[4]) not in _KINDS:
            return None
        if stat.S_ISDIR(numbers[4]):
            return _side(numbers)
        if path not in self._left:
            content = self._kept(numbers[1], *kept)
        elif stat.S_ISLNK(numbers[4]):
            content = entry.after.target if (entry := self._left[path][0]).after is not None else None
        else:
            content = self._left[path][1].after(self._left[path][0])
        return self._side_of(path, numbers, content)

    def _side_of(self, path: _Path, numbers: _Numbers, content: bytes | None) -> Side | None:
        """What was there, with its content; None, and said, where that was not kept."""
        if stat.S_ISDIR(numbers[4]):
            return _side(numbers)
        if content is None:
            self._lost.append(_place(self._root, path).shown)
            return None
        if stat.S_ISLNK(numbers[4]):
            return _side(numbers, target=content)
        return _side(numbers, digest=xxhash.xxh3_128_hexdigest(content), blob=self._section(content))

    def _after(self, path: _Path, numbers: _Numbers) -> Side | None:
        """What is there now, its content kept if it is small; None where it cannot be read."""
        if stat.S_IFMT(numbers[4]) not in _KINDS:
            return None
        if stat.S_ISDIR(numbers[4]):
            return _side(numbers)
        self._task.check()
        where = _place(self._root, path)
        if stat.S_ISREG(numbers[4]) and numbers[1] > _AFTER_EACH:
            try:
                with self._boundary.open_file(where) as file:
                    return _side(numbers, digest=digest_of(file) if numbers[1] <= _HASHED else None)
            except (FilewrightError, OSError):
                return None
        content = _content(self._boundary, where, numbers)
        if content is None:
            return None
        if stat.S_ISLNK(numbers[4]):
            return _side(numbers, target=content)
        self._kept_after += len(content)
        blob = self._section(content) if self._kept_after <= _AFTER_ALL else None
        return _side(numbers, digest=xxhash.xxh3_128_hexdigest(content), blob=blob)

    def _kept(self, size: int, pack: int, offset: int) -> bytes | None:
        if not pack:
            return None
        try:
            with self._folder.open(b"%d.pack" % pack) as file:
                data = file.read(offset, 16 + size)
        except OSError:
            return None
        digest, content = data[:16], data[16:]
        if len(content) == size and xxhash.xxh3_128_digest(content) == digest:
            return content
        with suppress(FileNotFoundError):  # Damaged: the next listing keeps all of it once more.
            self._folder.remove(b"%d.pack" % pack)
        return None

    def _at(self, path: _Path) -> Place:
        return Place.of(_place(self._root, path))


def _split(prefix: bytes) -> _Path:
    """The path of a folder as that of a name."""
    above, _, name = prefix[:-1].rpartition(b"/")
    return (above + b"/" if above else b""), name


def _folders_to(prefix: bytes) -> Iterator[bytes]:
    while prefix:
        yield prefix
        prefix = _split(prefix)[0]
    yield b""


def _join(path: _Path) -> bytes:
    return path[0] + path[1] + b"/"


def _path_in(root: Root, place: Place) -> _Path | None:
    """Where a place is below a root, whichever root it is named from; None if it is not."""
    names = (*filter(None, place.root.split(b"/")), *place.parts)
    above = tuple(filter(None, root.resolved.split(b"/")))
    if names[: len(above)] != above or len(names) == len(above):
        return None
    return b"".join(name + b"/" for name in names[len(above) : -1]), names[-1]


def _along(moves: Mapping[bytes, bytes], path: _Path) -> _Path:
    """Where a path is after moves of folders; the nearest one that moved decides."""
    below, prefix = b"", _join(path)
    while prefix:
        if prefix in moves:
            return _split(moves[prefix] + below)
        above, name = _split(prefix)
        prefix, below = above, name + b"/" + below
    return path


def _moved(
    listing: _Listing,
    moves: Mapping[_Path, _Path],
    prefixes: Mapping[bytes, bytes],
    taken: Collection[_Path],
    made: Mapping[_Path, _Numbers],
) -> _Listing:
    """A listing as it is once some things were `taken` away, others moved, and others `made`, over what was there."""
    going: dict[bytes, set[bytes]] = {}
    for above, name in (*taken, *moves, *moves.values(), *made):
        going.setdefault(above, set()).add(name)
    coming = [(path, numbers, (0, 0)) for path, numbers in made.items()]
    for above in going.keys() & listing.keys():
        old, left = listing[above], _Names()
        for index, name in enumerate(old.names):
            if name not in going[above]:
                left.add(name, old.of(index), old.kept_at(index))
            elif (above, name) in moves:
                coming.append((moves[above, name], old.of(index), old.kept_at(index)))
        listing[above] = left
    found = {
        prefix if prefix in (b"", _ELSEWHERE) else _join(_along(prefixes, _split(prefix))): listed
        for prefix, listed in listing.items()
    }
    for (above, name), numbers, kept in coming:
        found.setdefault(above, _Names()).add(name, numbers, kept)
    return found


def _is_as_it_was(entry: Entry) -> bool:
    """Whether something was only moved."""
    before, after = entry.before, entry.after
    if before is None or after is None or entry.spans:
        return False
    return replace(before, digest=after.digest, mode=after.mode, uid=after.uid, gid=after.gid) == before


def _is_side(numbers: _Numbers, side: Side | None) -> bool:
    """Whether what was listed is what a tool has found."""
    if side is None or _KINDS.get(stat.S_IFMT(numbers[4])) != side.kind:
        return False
    if side.kind != "link" and (stat.S_IMODE(numbers[4]), *numbers[5:]) != (side.mode, side.uid, side.gid):
        return False
    return side.kind != "file" or (numbers[1], numbers[2]) == (side.size, side.mtime_ns)


def _numbers(side: Side, time_ns: int = 0) -> _Numbers:
    """What a listing has of something that a change made at some time; its number is not known."""
    size = len(side.target or b"") if side.kind == "link" else side.size
    return 0, size, time_ns, 0, _FORMATS[side.kind] | side.mode, side.uid, side.gid


def _side(
    numbers: _Numbers, *, digest: str | None = None, blob: str | None = None, target: bytes | None = None
) -> Side:
    _, size, mtime, _, mode, uid, gid = numbers
    kind = _KINDS[stat.S_IFMT(mode)]
    return Side(
        kind, stat.S_IMODE(mode), uid, gid, size if kind == "file" else 0, mtime, digest, blob, target
    )
