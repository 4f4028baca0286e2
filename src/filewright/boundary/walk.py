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
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat

from filewright.boundary.globs import Globs
from filewright.boundary.ignore import FILE_BYTES, NOTHING, Matcher
from filewright.boundary.location import Location, shown_as
from filewright.boundary.names import TEMPORARY, is_temporary
from filewright.boundary.rules import DENY_FILE, NO_RULES, RULE_FILES, DenyRules, is_deny_file
from filewright.boundary.scan import (
    FOLDER_MARKS,
    GIT_RULES,
    KIND_OF_MARK,
    OTHER_RULES,
    UNSHOWN,
    Names,
)
from filewright.progress import Task
from filewright.system import File, Folder, Kind, Status

Item = tuple[bytes, Status | None]

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
_DOT = 0x2E
_BATCH = 4096
_FAR_BYTES, _FAR_LEVELS = 3900, 32


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What a walk leaves out. `rules` are those from outside the tree; None takes no ignore rules at all.

    `depth` 0 is without a limit; `after` is the path below the walked folder behind which it begins;
    `hide` are folders never shown, as path above and name; `kinds` None is all. `cross` is as in
    `Folder.beneath`. A walk that is for `changing` leaves out what may only be read; one with
    `reasons` counts in it what is denied, by the rule.
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
    reasons: Counter[str] | None = None


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

    def __repr__(self) -> str:
        return f"FolderEntry({self.path!r}, {self.kind})"


class WalkedFolder:
    """A folder of the walk, shared by its entries.

    `after` is the number of the part of `WalkOptions.after` that lies in it, -1 if none does. It is
    `whole` if every file in it is yielded and nothing is denied. Of those that are `far` the walk
    holds the last one, and knows it again by its `identity`.
    """

    __slots__ = (
        "_location",
        "_prefix",
        "_root_prefix",
        "_start",
        "_start_bytes",
        "above",
        "after",
        "denied",
        "depth",
        "far",
        "globs",
        "identity",
        "matcher",
        "name",
        "whole",
    )

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
        self._prefix = self._root_prefix[self._start_bytes :]
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
        return self._root_prefix or self._from_above()

    @property
    def prefix(self) -> bytes:
        """Its path below the folder that is walked, with a slash."""
        return self._prefix or self.root_prefix[self._start_bytes :]

    def _from_above(self) -> bytes:
        names = [b""]
        folder: WalkedFolder = self
        while not folder._root_prefix and folder.above is not None:
            names.append(folder.name)
            folder = folder.above
        return folder._root_prefix + b"/".join(reversed(names))

    @property
    def parts(self) -> tuple[bytes, ...]:
        """Its path from the root without links."""
        return tuple(self.root_prefix.split(b"/")[:-1])

    def put_aside(self) -> None:
        """Forget the path while what is below it is walked: all paths of a deep tree fill the memory."""
        if self.far and self.above is not None:
            self._root_prefix = self._prefix = b""

    def take_up(self, left: WalkedFolder) -> None:
        """Have the path again, by that of the folder below that was `left`."""
        if not self._root_prefix:
            self._root_prefix = left.root_prefix[: -len(left.name) - 1]
            self._prefix = self._root_prefix[self._start_bytes :]

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
                    if mark != UNSHOWN:
                        yield FolderEntry(folder, name, KIND_OF_MARK[mark], status)
                    if mark in FOLDER_MARKS and folder.depth != deepest:
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
        try:
            self._task.check()
            names = Names()
            try:
                names.read(opened)
            except OSError as error:
                self._failed(error)
            self._read_denied(folder, opened)
            if self._options.rules is not None:
                self._read_rules(folder, opened, names)
            if names.packed:
                return self._batches(folder, names)
            folder.whole = not folder.denied.active
            return self._batch(folder, names, opened)
        finally:
            if folder.far:
                self._hold(folder, opened)
            else:
                opened.close()

    def _batches(self, folder: WalkedFolder, names: Names) -> Iterator[Item]:
        """A folder with very many names, some at a time."""
        merged = names.merged(self._options.after[folder.after] if folder.after >= 0 else b"")
        while True:
            some = Names()
            for item in islice(merged, _BATCH):
                some.add_marked(item)
            if not some:
                return
            self._task.check()
            if not self._options.details:
                yield from self._batch(folder, some, None)
                continue
            opened = self._open(folder)
            if opened is None:
                return
            with opened:
                items = self._batch(folder, some, opened)
            yield from items

    def _batch(self, folder: WalkedFolder, names: Names, opened: Folder | None) -> Iterator[Item]:
        files, folders, others = self._filtered(folder, names)
        folder.whole &= len(files) == len(names.files) and folder.after < 0
        items = files
        if folders:
            shown = self._shown_folders(folder, folders)
            items = files + [name + (b"\0d" if name in shown else b"\0-") for name in folders]
        items += others
        items.sort()
        first = bisect_left(items, TEMPORARY)
        if first < len(items) and items[first].startswith(TEMPORARY):
            items = [item for item in items if not is_temporary(item.partition(b"\0")[0])]
            folder.whole = False
        if folder.after >= 0:
            items = _resumed(items, self._options.after[folder.after])
        if not self._options.details or opened is None:
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

    def _filtered(self, folder: WalkedFolder, names: Names) -> tuple[list[bytes], list[bytes], list[bytes]]:
        """The files, the folders, and the marked others of a folder that are neither hidden nor ignored."""
        options = self._options
        files, folders, others = names.files, names.folders, names.others
        if folder.denied.active:
            before = len(files) + len(folders) + len(others)
            if options.reasons is not None:
                _count_reasons(folder.denied, names, options.reasons)
            allowed = partial(folder.denied.allowed, changing=options.changing)
            files, folders = allowed(files, False), allowed(folders, True)
            others = [name for name in others if allowed([name[:-2]], False)]
            self.denied += before - len(files) - len(folders) - len(others)
        if options.hide_git:
            if b".git" in files:
                files = [name for name in files if name != b".git"]
            if b".git" in folders:
                folders = [name for name in folders if name != b".git"]
            if others:
                others = [name for name in others if name[:-2] != b".git"]
        for above, hidden in options.hide if folders else ():
            if hidden in folders and above == folder.parts:
                folders = [name for name in folders if name != hidden]
        if not options.hidden:
            files = [name for name in files if name[0] != _DOT]
            folders = [name for name in folders if name[0] != _DOT]
            others = [name for name in others if name[0] != _DOT]
        matcher, check = folder.matcher, self._task.check
        if matcher:
            before = len(files) + len(folders) + len(others)
            files = matcher.kept(folder.root_prefix, files, False, check)
            folders = matcher.kept(folder.root_prefix, folders, True, check)
            if others:
                others = [n for n in others if not matcher.ignored(folder.root_prefix, [n[:-2]], False)]
            self.ignored += before - len(files) - len(folders) - len(others)
        if options.globs.given:
            fitting, state, prefix = options.globs.fitting, folder.globs, folder.prefix
            files = fitting(state, prefix, files, False, check)
            folders = state[1].kept(prefix, folders, True)  # Those that do not fit may hold what does.
            others = [name for name in others if fitting(state, prefix, [name[:-2]], False)]
        if options.kinds is not None:
            files = files if "file" in options.kinds else []
            others = [name for name in others if KIND_OF_MARK[name[-1:]] in options.kinds]
        return files, folders, others

    def _shown_folders(self, folder: WalkedFolder, folders: list[bytes]) -> set[bytes]:
        if self._options.kinds is not None and "folder" not in self._options.kinds:
            return set()
        if not self._options.globs.given:
            return set(folders)
        return set(self._options.globs.fitting(folder.globs, folder.prefix, folders, True))

    # Ignore rules

    def _rules_above(self, names: tuple[bytes, ...]) -> Matcher:
        """The matcher at the folder `names`, before its own ignore files are read."""
        matcher = self._options.rules or NOTHING
        prefix = b""
        folder: Folder | None = self._from_root(())
        for name in names:
            if folder is not None:
                with folder:
                    matcher = self._rules_in(folder, matcher, len(prefix))
                    folder = self._entered(folder, name)
            prefix += name + b"/"
            matcher = matcher.below(prefix)
        if folder is not None:
            folder.close()
        return matcher

    def _rules_in(self, folder: Folder, matcher: Matcher, base: int) -> Matcher:
        try:
            return _with_rules(matcher, base, folder, (GIT_RULES, OTHER_RULES), git=True)
        except OSError as error:
            if error.errno not in (*_GONE, errno.EACCES):
                raise
            return matcher

    def _entered(self, folder: Folder, name: bytes) -> Folder | None:
        """The next folder on the way down; None where that cannot be entered."""
        try:
            return folder.beneath((name,), links=False, cross=self._options.cross, listing=False)
        except OSError as error:
            if error.errno not in (*_GONE, errno.EACCES):
                raise
            return None

    def _read_denied(self, folder: WalkedFolder, opened: Folder) -> None:
        """Know what is denied of the names in a folder below the first."""
        files = RULE_FILES if self._options.changing else (DENY_FILE,)
        if folder.above is not None and (folder.denied.active or opened.holds_any(files)):
            folder.denied = folder.above.denied.entered(folder.name, opened)
            if folder.denied.broken:
                self.unreadable += 1
                self.denied += 1
                if self._options.reasons is not None:
                    self._options.reasons[folder.denied.broken.why] += 1

    def _read_rules(self, folder: WalkedFolder, opened: Folder, names: Names) -> None:
        present = tuple(name for name in (GIT_RULES, OTHER_RULES) if names.holds(name))
        git = names.holds(b".git")
        if present or git:
            folder.matcher = _with_rules(folder.matcher, len(folder.root_prefix), opened, present, git=git)


def _count_reasons(rules: DenyRules, names: Names, reasons: Counter[str]) -> None:
    kinds = ((names.files, False), (names.folders, True), ([name[:-2] for name in names.others], False))
    for found, is_folder in kinds if not rules.broken else ():
        left = set(rules.allowed(found, is_folder))
        reasons.update(
            rules.reason(name, is_folder) for name in found if name not in left and not is_deny_file(name)
        )


def _with_rules(
    matcher: Matcher, base: int, folder: Folder, present: tuple[bytes, ...], *, git: bool
) -> Matcher:
    """The matcher and the rules of a folder: of a repository's `.git/info/exclude`, then its ignore files."""
    if git:
        try:
            with folder.beneath((b".git", b"info"), links=False) as info:
                matcher = matcher.with_files(base, _rules_in(info, b"exclude"))
        except OSError:
            pass  # No repository, or one that lies elsewhere.
    ours, theirs = (_rules_in(folder, name) if name in present else None for name in (GIT_RULES, OTHER_RULES))
    return matcher.with_files(base, ours, theirs)


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
