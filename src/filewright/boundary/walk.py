"""The walk: everything below a folder, sorted, by handles, with the ignore rules applied.

Listing, search and replace all see a tree through it, so they never disagree. Each folder is opened
from the root without following links, read at once and closed, so that a folder that is swapped for
a link or moved out meanwhile is not walked. Only what lies deeper than one path can name is opened
from the folder above it, the one that is held; back up it goes by `..`, compared by identity.
Names are held as bytes, one folder's at a time for each level; a folder with very many is held
compactly. Links are entries, never entered. The temporaries of a change are not there.
"""

from __future__ import annotations

import errno
import heapq
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat

from filewright.boundary.globs import Globs
from filewright.boundary.ignore import FILE_BYTES, NOTHING, Matcher
from filewright.boundary.location import TEMPORARY, Location, is_temporary, shown_as
from filewright.boundary.rules import DENY_FILE, NO_RULES, RULE_FILES, DenyRules
from filewright.progress import Task
from filewright.system import File, Folder, Kind, Status

Item = tuple[bytes, Status | None]

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
_GIT, _IGNORE_FILES = b".git", (b".gitignore", b".ignore")
_DOT = 0x2E
_BATCH = 4096
_FAR_BYTES, _FAR_LEVELS = 3900, 32

# While a folder is read, what is not a file has a NUL and a letter behind its name: a NUL is in no
# name and sorts before everything, so the order stays that of the names. `-` is a folder that is
# entered but not shown.
_KIND_OF_MARK: dict[bytes, Kind] = {
    b"d": "folder", b"l": "link", b"p": "fifo", b"s": "socket", b"c": "device", b"f": "file",
}  # fmt: skip
_MARK_OF = {kind: b"\0" + mark for mark, kind in _KIND_OF_MARK.items()}


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What a walk leaves out. `rules` are those from outside the tree; None takes no ignore rules at all.

    `depth` 0 is without a limit; `after` is the path below the walked folder behind which it begins;
    `hide` are folders never shown, as path above and name; `kinds` None is all. `cross` is as in
    `Folder.beneath`. A walk that is for `changing` leaves out what may only be read.
    """

    rules: Matcher | None
    globs: Globs
    depth: int = 0
    hidden: bool = True
    details: bool = False
    kinds: frozenset[Kind] | None = None
    hide: tuple[tuple[tuple[bytes, ...], bytes], ...] = ()
    hide_git: bool = True
    after: tuple[bytes, ...] = ()
    cross: bool = True
    changing: bool = False


class FolderEntry:
    """One name in the tree. `status` is its own (a link's, not its target's) if details were asked for."""

    __slots__ = ("folder", "kind", "name", "status")

    def __init__(self, folder: WalkedFolder, name: bytes, kind: Kind, status: Status | None) -> None:
        self.folder = folder
        self.name = name
        self.kind = kind
        self.status = status

    @property
    def path(self) -> bytes:
        """The path below the folder that was walked."""
        return self.folder.prefix + self.name

    @property
    def depth(self) -> int:
        """1 for what is directly in the folder that was walked."""
        return self.folder.depth

    @property
    def location(self) -> Location:
        """Its location; made when asked for."""
        return self.folder.location.child(self.name)


class WalkedFolder:
    """A folder of the walk, shared by its entries.

    `after` is the number of the part of `WalkOptions.after` that lies in it, -1 if none does. It is
    `whole` if every file in it is yielded and nothing is denied. Of those that are `far` the walk
    holds the last one, and knows it again by its `identity`.
    """

    def __init__(
        self,
        start: Location,
        parts: tuple[bytes, ...],
        matcher: Matcher,
        globs: tuple[Matcher, Matcher],
        after: int,
        *,
        above: WalkedFolder | None = None,
    ) -> None:
        self._start = start
        self._location: Location | None = None
        self.above = above
        self.name = parts[-1] if parts else b""
        if above is None:
            self._root_prefix: bytes = b"/".join((*parts, b""))
            self._start_bytes = len(self._root_prefix)
            self.depth = 1
        else:
            self._root_prefix = above.root_prefix + self.name + b"/"
            self._start_bytes = above._start_bytes
            self.depth = above.depth + 1
        step_by_step = not start.root.folder.resolves and self.depth > _FAR_LEVELS
        self.far = len(self._root_prefix) > _FAR_BYTES or step_by_step
        self.matcher = matcher
        self.denied: DenyRules = NO_RULES if above is None else above.denied
        self.globs = globs
        self.after = after
        self.identity = (0, 0)
        self.whole = False

    @property
    def root_prefix(self) -> bytes:
        """Its path from the root without links, with a slash: by which the ignore rules go."""
        if self._root_prefix or self.above is None:
            return self._root_prefix
        names = [b""]
        folder: WalkedFolder = self
        while not folder._root_prefix and folder.above is not None:
            names.append(folder.name)
            folder = folder.above
        return folder._root_prefix + b"/".join(reversed(names))

    @property
    def prefix(self) -> bytes:
        """Its path below the folder that is walked, with a slash."""
        return self.root_prefix[self._start_bytes :]

    @property
    def parts(self) -> tuple[bytes, ...]:
        """Its path from the root without links."""
        return tuple(self.root_prefix.split(b"/")[:-1])

    def put_aside(self) -> None:
        """Forget the path while what is below it is walked: all paths of a deep tree fill the memory."""
        if self.far and self.above is not None:
            self._root_prefix = b""

    def take_up(self, left: WalkedFolder) -> None:
        """Have the path again, by that of the folder below that was `left`."""
        self._root_prefix = self._root_prefix or left.root_prefix[: -len(left.name) - 1]

    @property
    def location(self) -> Location:
        """Its location."""
        if self._location is None:
            start = self._start
            parts = start.parts + tuple(self.prefix.split(b"/")[:-1])
            self._location = Location(start.root, parts, shown_as(start.root, parts))
        return self._location


class Walk:
    """The entries below a folder, each folder before what is in it, names in byte order: to be gone through once.

    So far it left out `ignored` names by ignore rules and `denied` ones, which are for no agent's eyes;
    `unreadable` folders could not be read.
    """

    def __init__(
        self, where: Location, opened: Folder, denied: DenyRules, options: WalkOptions, task: Task
    ) -> None:
        """Takes `opened`, and reads its names at once."""
        self.unreadable = 0
        self.ignored = 0
        self.denied = 0
        self._where = where
        self._root = where.root
        self._options = options
        self._task = task
        self._held: tuple[WalkedFolder, Folder] | None = None
        try:
            names = opened.reached
            matcher = self._rules_above(names) if options.rules is not None else NOTHING
            after = 0 if options.after else -1
            start = WalkedFolder(where, names, matcher, options.globs.start(), after)
            start.denied = denied
        except BaseException:
            opened.close()
            raise
        self._begun: tuple[WalkedFolder, Iterator[Item]] | None = (start, self._items(start, opened))

    def __iter__(self) -> Iterator[FolderEntry]:
        assert self._begun is not None
        folder, items = self._begun
        self._begun = None  # Nothing here holds the generator: left in the middle, it ends at once.
        return self._run(self._where, folder, items)

    def _run(self, start: Location, folder: WalkedFolder, items: Iterator[Item]) -> Iterator[FolderEntry]:
        deepest = self._options.depth
        stack: list[tuple[WalkedFolder, Iterator[Item]]] = []
        try:
            while True:
                for item, status in items:
                    if 0 not in item:
                        yield FolderEntry(folder, item, "file", status)
                        continue
                    name, mark = item[:-2], item[-1:]
                    if mark != b"-":
                        yield FolderEntry(folder, name, _KIND_OF_MARK[mark], status)
                    if mark in (b"d", b"-") and folder.depth != deepest:
                        below = self._below(start, folder, name)
                        opened = None if below is None else self._open(below)
                        if below is not None and opened is not None:
                            stack.append((folder, items))
                            folder.put_aside()
                            folder, items = below, self._items(below, opened)
                            break
                else:
                    if not stack:
                        return
                    left = folder
                    folder, items = stack.pop()
                    folder.take_up(left)
                    self._back_to(folder, left)
        finally:
            self._let_go()

    def _below(self, start: Location, folder: WalkedFolder, name: bytes) -> WalkedFolder | None:
        globs = folder.globs
        if self._options.globs.given:
            narrowed = self._options.globs.below(globs, folder.prefix + name + b"/")
            if narrowed is None:
                return None
            globs = narrowed
        matcher = folder.matcher
        if matcher.anchored:
            matcher = matcher.below(folder.root_prefix + name + b"/")
        after = self._options.after
        resumed = 0 <= folder.after < len(after) - 1 and after[folder.after] == name
        return WalkedFolder(
            start,
            (name,),
            matcher,
            globs,
            folder.after + 1 if resumed else -1,
            above=folder,
        )

    # Handles

    def _open(self, folder: WalkedFolder) -> Folder | None:
        above = folder.above
        held, handle = self._held or (None, None)
        try:
            if handle is not None and held is folder:
                return handle.folder(b".")
            if not folder.far or above is None:
                return self._from_root(folder.parts)
            if handle is not None and held is above:
                opened = handle.folder(folder.name)
            elif above.far:
                return None  # It was moved while what is below it was walked.
            else:
                with self._from_root(above.parts) as near:
                    opened = near.folder(folder.name)
            if not self._options.cross and opened.status().device != self._root.device:
                opened.close()
                return None
            return opened
        except OSError as error:
            self._failed(error)
            return None

    def _from_root(self, parts: tuple[bytes, ...]) -> Folder:
        return self._root.folder.beneath(parts, links=False, cross=self._options.cross)

    def _hold(self, folder: WalkedFolder, handle: Folder) -> None:
        self._let_go()
        folder.identity = handle.identity()
        self._held = folder, handle

    def _let_go(self) -> None:
        if self._held is not None:
            self._held[1].close()
            self._held = None

    def _back_to(self, folder: WalkedFolder, left: WalkedFolder) -> None:
        """Hold a folder again instead of the one below it."""
        if self._held is None or self._held[0] is not left:
            return
        above = self._held[1].parent(listing=False) if folder.far else None
        self._let_go()
        if above is not None and above.identity() == folder.identity:
            self._held = folder, above
        elif above is not None:
            above.close()

    def _failed(self, error: OSError) -> None:
        # What was swapped or removed since its name was read is simply not there any more.
        if error.errno not in _GONE:
            self.unreadable += 1

    # One folder

    def _items(self, folder: WalkedFolder, opened: Folder) -> Iterator[Item]:
        """The names in a folder, marked, sorted and filtered. Takes the handle and closes it, unless it is far."""
        options = self._options
        try:
            self._task.check()
            names = _Names(options.after[folder.after] if folder.after >= 0 else b"")
            try:
                names.read(opened)
            except OSError as error:
                self._failed(error)
            files = RULE_FILES if options.changing else (DENY_FILE,)
            if folder.above is not None and (folder.denied.active or opened.holds_any(files)):
                folder.denied = folder.above.denied.entered(folder.name, opened)
                if folder.denied.broken is not None:
                    self.unreadable += 1
                    self.denied += 1
            if options.rules is not None and names.rules:
                folder.matcher = _with_rules(folder.matcher, len(folder.root_prefix), opened, names.rules)
            if names.runs:
                return self._batches(folder, names)
            folder.whole = not folder.denied.active
            return self._batch(folder, names, opened)
        finally:
            if folder.far:
                self._hold(folder, opened)
            else:
                opened.close()

    def _batches(self, folder: WalkedFolder, names: _Names) -> Iterator[Item]:
        """A folder with very many names, some at a time."""
        merged = names.merged()
        while some := list(islice(merged, _BATCH)):
            self._task.check()
            batch = _Names()
            batch.take(some)
            if not self._options.details:
                yield from self._batch(folder, batch, None)
                continue
            opened = self._open(folder)
            if opened is None:
                return
            with opened:
                items = self._batch(folder, batch, opened)
            yield from items

    def _batch(self, folder: WalkedFolder, names: _Names, opened: Folder | None) -> Iterator[Item]:
        options = self._options
        files, folders, others = self._left(folder, names)
        folder.whole &= len(files) == len(names.files) and folder.after < 0
        shown = folders
        if options.kinds is not None and "folder" not in options.kinds:
            shown = []
        elif options.globs.given:
            shown = options.globs.fitting(folder.globs, folder.prefix, folders, True)
        shown_too = set(shown)
        items = files + [name + (b"\0d" if name in shown_too else b"\0-") for name in folders]
        items += [name + _MARK_OF[names.others[name]] for name in others]
        items.sort()
        first = bisect_left(items, TEMPORARY)
        if first < len(items) and items[first].startswith(TEMPORARY):
            items = [item for item in items if not is_temporary(item.partition(b"\0")[0])]
            folder.whole = False
        if folder.after >= 0:
            items = _resumed(items, options.after[folder.after])
        if not options.details or opened is None:
            return zip(items, repeat(None))
        try:
            found = opened.stats([item if 0 not in item else item[:-2] for item in items])
        except OSError as error:
            self._failed(error)  # It may be listed but not entered: its names are all there is.
            return zip(items, repeat(None))
        if all(found):
            return zip(items, found, strict=True)
        # What is gone since its name was read is left out.
        return ((item, status) for item, status in zip(items, found, strict=True) if status is not None)

    def _left(self, folder: WalkedFolder, names: _Names) -> _Groups:
        """The files, the folders and the others of a folder that are neither hidden nor ignored."""
        options, check = self._options, self._task.check
        groups: _Groups = names.files, names.folders, [*names.others]
        if folder.denied.active:
            before = groups
            groups = _each(groups, partial(folder.denied.allowed, changing=options.changing))
            self.denied += _count(before) - _count(groups)
        hidden = {name for above, name in options.hide if name in groups[1] and above == folder.parts}
        if options.hide_git and _GIT in names.rules:
            hidden.add(_GIT)
        if hidden:
            groups = _each(groups, lambda names, _: [name for name in names if name not in hidden])
        if not options.hidden:
            groups = _each(groups, lambda names, _: [name for name in names if name[0] != _DOT])
        if matcher := folder.matcher:
            prefix, before = folder.root_prefix, groups
            groups = _each(groups, lambda names, folders: matcher.kept(prefix, names, folders, check))
            self.ignored += _count(before) - _count(groups)
        files, folders, others = groups
        if options.globs.given:
            fitting = partial(options.globs.fitting, folder.globs, folder.prefix)
            files, others = fitting(files, False, check), fitting(others, False)
            folders = folder.globs[1].kept(
                folder.prefix, folders, True
            )  # One that does not fit may hold what does.
        if options.kinds is not None:
            files = files if "file" in options.kinds else []
            others = [name for name in others if names.others[name] in options.kinds]
        return files, folders, others

    def _rules_above(self, names: tuple[bytes, ...]) -> Matcher:
        """The matcher at the folder `names`, before its own ignore files are read."""
        matcher = self._options.rules or NOTHING
        prefix = b""
        folder: Folder | None = self._root.folder.folder(b".", listing=False)
        for name in names:
            if folder is not None:
                with folder:
                    matcher = _with_rules(matcher, len(prefix), folder, {_GIT, *_IGNORE_FILES})
                    try:
                        folder = folder.beneath(
                            (name,), links=False, cross=self._options.cross, listing=False
                        )
                    except OSError:
                        folder = None  # What cannot be entered has no rules that anybody could read.
            prefix += name + b"/"
            matcher = matcher.below(prefix)
        if folder is not None:
            folder.close()
        return matcher


_Groups = tuple[list[bytes], list[bytes], list[bytes]]


def _each(groups: _Groups, kept: Callable[[list[bytes], bool], list[bytes]]) -> _Groups:
    files, folders, others = groups
    return kept(files, False), kept(folders, True), kept(others, False) if others else others


def _count(groups: _Groups) -> int:
    return sum(map(len, groups))


class _Names:
    """The names in one folder by kind, as bytes; packed into sorted runs when there are very many.

    `rules` are those among them that say what is ignored: files, or `.git`. Of packed ones, only those from
    `start` on are kept.
    """

    __slots__ = ("_start", "files", "folders", "others", "rules", "runs")

    def __init__(self, start: bytes = b"") -> None:
        self._start = start
        self.files: list[bytes] = []
        self.folders: list[bytes] = []
        self.others: dict[bytes, Kind] = {}
        self.rules: set[bytes] = set()
        self.runs: list[bytes] = []

    def read(self, folder: Folder) -> None:
        """Read the names of a folder. Raises `OSError`; what was read until then is kept."""
        for batch in folder.batches():
            if self.files or self.folders or self.others:
                self._pack()  # There are more than one batch holds.
            self.files, self.folders, self.others = batch.files, batch.folders, dict(batch.others)
            files, folders, others = self.files, self.folders, self.others
            for each in (_GIT, *_IGNORE_FILES):
                if each in files or each in folders or each in others:
                    self.rules.add(each)
        if self.runs:
            self._pack()

    def take(self, items: Iterable[bytes]) -> None:
        """Take names as `merged` yields them."""
        for item in items:
            if 0 not in item:
                self.files.append(item)
            elif item.endswith(b"\0d"):
                self.folders.append(item[:-2])
            else:
                self.others[item[:-2]] = _KIND_OF_MARK[item[-1:]]
        self.rules = {_GIT}

    def merged(self) -> Iterator[bytes]:
        """All names, marked and sorted."""
        self._pack()
        return heapq.merge(*((found[0] for found in re.finditer(rb"[^/]+", run)) for run in self.runs))

    def _pack(self) -> None:
        items = self.files + [name + b"\0d" for name in self.folders]
        items += [name + _MARK_OF[kind] for name, kind in self.others.items()]
        self.runs.append(b"/".join(sorted(item for item in items if item >= self._start)))
        self.files, self.folders, self.others = [], [], {}


def _with_rules(matcher: Matcher, base: int, folder: Folder, present: set[bytes]) -> Matcher:
    """The matcher and the rules of a folder: of a repository's `.git/info/exclude`, then its ignore files."""
    if _GIT in present:
        try:
            with folder.beneath((_GIT, b"info"), links=False) as info:
                matcher = matcher.with_files(base, _rules_in(info, b"exclude"))
        except OSError:
            pass  # No repository, or one that lies elsewhere.
    return matcher.with_files(
        base, *(_rules_in(folder, name) if name in present else None for name in _IGNORE_FILES)
    )


def _rules_in(folder: Folder, name: bytes) -> bytes | None:
    try:
        with folder.open(name) as file:
            return read_rules(file)
    except OSError:
        return None  # Missing, a link, or unreadable: git goes on without it, and so does the walk.


def read_rules(file: File) -> bytes | None:
    """The content of an ignore file; None if it is longer than anybody would write."""
    return file.read(0, FILE_BYTES) if file.status().size <= FILE_BYTES else None


def _resumed(items: list[bytes], name: bytes) -> list[bytes]:
    """The items behind `name`, and before them `name` itself, unshown, if it is a folder to enter."""
    rest = items[bisect_right(items, name + b"\0\xff") :]
    if name + b"\0d" in items or name + b"\0-" in items:
        rest.insert(0, name + b"\0-")
    return rest
