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
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, repeat
from typing import NamedTuple

from filewright.boundary.globs import GlobFolder, Globs
from filewright.boundary.location import Location
from filewright.boundary.matching import MAX_IGNORE_FILE_BYTES, NO_IGNORE_RULES, Matcher
from filewright.boundary.names import TEMPORARY_PREFIX, is_temporary
from filewright.boundary.rules import DENY_FILE, RULE_FILES, DenyRules
from filewright.progress import Task
from filewright.system import Batch, File, FileKind, Folder, Status

Item = tuple[bytes, Status | None]
Visit = Callable[["WalkedFolder", Folder, list[bytes], list[bytes]], None]

_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
_RULES = _GIT, *_IGNORE_FILES = b".git", b".gitignore", b".ignore"
_DOT = 0x2E
_BATCH = 4096
_FAR_BYTES, _FAR_LEVELS = 3900, 32

# What a name is, packed behind it and a NUL: that is in no name and sorts before everything, so the order stays that
# of the names.
_KIND_OF_MARK: dict[bytes, FileKind] = {
    b"d": "folder", b"l": "link", b"p": "fifo", b"s": "socket", b"c": "device", b"f": "file",
}  # fmt: skip
_MARK_OF = {kind: b"\0" + mark for mark, kind in _KIND_OF_MARK.items()}


class WalkOptions(NamedTuple):
    """What a walk leaves out. `rules` are those from outside the tree; None takes no ignore rules at all.

    `depth` 0 is without a limit; `after` is the path below the walked folder behind which it begins;
    `hide` are the paths of what is never shown; `kinds` None is all. `cross` is as in
    `Folder.open_folder_beneath`. A walk that is for `changing` leaves out what may only be read.
    `visit` is handed every folder, open, with all its names and those that are left of them, both sorted; then
    folders alone are entries.
    """

    rules: Matcher | None
    globs: Sequence[str]
    depth: int
    hidden: bool
    details: bool
    kinds: Collection[FileKind] | None
    hide: Collection[tuple[bytes, ...]]
    hide_git: bool
    after: tuple[bytes, ...]
    cross: bool
    changing: bool
    visit: Visit | None


class FolderEntry(NamedTuple):
    """One name in the tree. `status` is its own (a link's, not its target's) if details were asked for."""

    folder: WalkedFolder
    name: bytes
    kind: FileKind
    status: Status | None

    @property
    def path(self) -> bytes:
        """The path below the folder that was walked."""
        return self.folder.prefix + self.name

    @property
    def location(self) -> Location:
        """Its location; made when asked for."""
        start = self.folder.start
        return Location(start.root, (*start.parts, *self.path.split(b"/")))


class WalkedFolder:
    """A folder of the walk, shared by its entries.

    `after` is the number of the part of `WalkOptions.after` that lies in it, -1 if none does. It is
    `whole` if every file in it is yielded and nothing is denied. `kinds` says of the names that are looked at what
    they are, if no file; None is a folder that is entered but not shown. Of those that are `far` the walk
    holds the last one, and knows it again by its `identity`; their paths are put aside while what is below them is
    walked, since all paths of a deep tree fill the memory.
    """

    def __init__(
        self,
        start: Location,
        name: bytes,
        prefix: bytes,
        matcher: Matcher,
        globs: Globs,
        after: int,
        denied: DenyRules,
        start_bytes: int,
        above: WalkedFolder | None = None,
        depth: int = 1,
        far: bool = False,
    ) -> None:
        self.start = start
        self.name = name
        self.held_prefix: bytes | None = prefix
        self.matcher = matcher
        self.globs = globs
        self.after = after
        self.denied = denied
        self.start_bytes = start_bytes
        self.above = above
        self.depth = depth
        self.far = far
        self.identity = (0, 0)
        self.is_complete = False
        self.items: Iterator[Item] = iter(())
        self.kinds: dict[bytes, FileKind | None] = {}

    @property
    def root_prefix(self) -> bytes:
        """Its path from the root without links, with a slash: by which the ignore rules go."""
        names: list[bytes] = []
        folder = self
        while folder.held_prefix is None:
            assert folder.above is not None
            names.append(folder.name + b"/")
            folder = folder.above
        if names:
            self.held_prefix = folder.held_prefix + b"".join(reversed(names))
        return self.held_prefix or b""

    @property
    def prefix(self) -> bytes:
        """Its path below the folder that is walked, with a slash."""
        return self.root_prefix[self.start_bytes :]

    @property
    def parts(self) -> tuple[bytes, ...]:
        """Its path from the root without links."""
        return tuple(self.root_prefix.split(b"/")[:-1])


class Walk:
    """The entries below a folder, each folder before what is in it, names in byte order: to be gone through once.

    So far it left out `ignored` names by ignore rules and, each by its rule, `denied` ones, which are for no agent's
    eyes; `unreadable` folders could not be read.
    """

    def __init__(
        self,
        where: Location,
        opened: Folder,
        denied: DenyRules,
        options: WalkOptions,
        task: Task,
    ) -> None:
        """Takes `opened`, and reads its names at once. Raises for rules that are broken, and as `Globs.compile`."""
        self.unreadable_count = 0
        self.ignored_count = 0
        self.denied_counts: Counter[str] = Counter()
        self._where = where
        self._root = where.root
        self._options = options
        self._task = task
        self._held: tuple[WalkedFolder, Folder] | None = None
        try:
            if denied.broken:
                raise denied.refusal(where.requested_path)
            # The rules of the folders above: its own ignore files are read with its names.
            matcher, prefix = options.rules or NO_IGNORE_RULES, b""
            for depth, name in enumerate(
                opened.resolved_parts if options.rules is not None else ()
            ):
                with (
                    suppress(OSError),
                    self._from_root(
                        opened.resolved_parts[:depth], listable=False
                    ) as folder,
                ):
                    # What cannot be entered has no rules that anybody could read.
                    matcher = _with_rules(matcher, len(prefix), folder)
                prefix += name + b"/"
                matcher = matcher.below(prefix)
            prefix = b"/".join((*opened.resolved_parts, b""))

            def has(name: bytes) -> bool:
                folder = is_folder(opened, name)
                return folder is not None and not denied.denies(name, folder)

            def has_path(parts: Sequence[bytes]) -> bool:
                rules = denied.below(parts[:-1])
                return opened.contains_any((b"/".join(parts),)) and not rules.denies(
                    parts[-1], None
                )

            globs = Globs()
            if options.globs:
                globs = Globs.compile(
                    options.globs, GlobFolder(where.parts, len(prefix), has, has_path)
                )
            after = 0 if options.after else -1
            start = WalkedFolder(
                where, b"", prefix, matcher, globs, after, denied, len(prefix)
            )
        except BaseException:
            opened.close()
            raise
        start.items = self._items(start, opened)
        self._begun: WalkedFolder | None = start

    def __iter__(self) -> Iterator[FolderEntry]:
        folder, self._begun = self._begun, None
        deepest = self._options.depth
        try:
            while folder is not None:
                for name, status in folder.items:
                    if name not in folder.kinds:
                        yield FolderEntry(folder, name, "file", status)
                        continue
                    kind = folder.kinds[name]
                    if kind is not None:
                        yield FolderEntry(folder, name, kind, status)
                    if kind in ("folder", None) and folder.depth != deepest:
                        below = self._below(folder, name)
                        opened = None if below is None else self._open(below)
                        if below is not None and opened is not None:
                            folder.held_prefix = (
                                None if folder.far else folder.held_prefix
                            )
                            below.items = self._items(below, opened)
                            folder = below
                            break
                else:
                    if folder.far:
                        self._leave(folder)
                    folder = folder.above
        finally:
            self._let_go()

    def _below(self, folder: WalkedFolder, name: bytes) -> WalkedFolder | None:
        options, prefix, depth = (
            self._options,
            folder.root_prefix + name + b"/",
            folder.depth + 1,
        )
        globs = folder.globs.below(prefix)
        if globs is None:
            return None
        resumed = (
            0 <= folder.after < len(options.after) - 1
            and options.after[folder.after] == name
        )
        after = folder.after + 1 if resumed else -1
        far = len(prefix) > _FAR_BYTES or (
            depth > _FAR_LEVELS and not self._root.folder.resolves_in_kernel
        )
        matcher, start = folder.matcher.below(prefix), folder.start_bytes
        return WalkedFolder(
            self._where,
            name,
            prefix,
            matcher,
            globs,
            after,
            folder.denied,
            start,
            folder,
            depth,
            far,
        )

    # Handles

    def _open(self, folder: WalkedFolder) -> Folder | None:
        above = folder.above
        try:
            held, handle = self._held or (None, None)
            if (
                handle is not None
                and held is not None
                and handle.status().identity != held.identity
            ):
                handle = None  # It was moved while what is below it was walked.
            if handle is not None and held is folder:
                return handle.open_folder(b".")
            if not folder.far or above is None:
                return self._from_root(folder.parts)
            if handle is not None and held is above:
                opened = handle.open_folder(folder.name)
            elif above.far:
                return None
            else:
                with self._from_root(above.parts) as near:
                    opened = near.open_folder(folder.name)
            if (
                not self._options.cross
                and opened.status().device != self._root.identity[0]
            ):
                opened.close()
                return None
            return opened
        except OSError as error:
            self._failed(error)
            return None

    def _from_root(self, parts: tuple[bytes, ...], *, listable: bool = True) -> Folder:
        return self._root.folder.open_folder_beneath(
            parts,
            follow_links=False,
            cross_devices=self._options.cross,
            listable=listable,
        )

    def _let_go(self) -> None:
        if self._held is not None:
            self._held[1].close()
            self._held = None

    def _leave(self, folder: WalkedFolder) -> None:
        """Hold the folder above again instead of this one, which is far."""
        above = folder.above
        if above is not None and self._held is not None and self._held[0] is folder:
            handle = self._held[1].open_parent(listable=False) if above.far else None
            self._let_go()
            self._held = None if handle is None else (above, handle)

    def _failed(self, error: OSError) -> None:
        # What was swapped or removed since its name was read is simply not there any more.
        if error.errno not in _GONE:
            self.unreadable_count += 1

    # One folder

    def _items(self, folder: WalkedFolder, opened: Folder) -> Iterator[Item]:
        """The names in a folder, sorted and filtered. Takes the handle and closes it, unless it is far."""
        options = self._options
        try:
            self._task.check()
            batch, runs, rules = self._read(
                opened, options.after[folder.after] if folder.after >= 0 else b""
            )
            files = RULE_FILES if options.changing else (DENY_FILE,)
            if folder.above is not None and (
                folder.denied.active or opened.contains_any(files)
            ):
                folder.denied = folder.above.denied.enter(folder.name, opened)
                if folder.denied.broken is not None:
                    self.unreadable_count += 1
                    self.denied_counts[folder.denied.broken.reason] += 1
            if options.rules is not None and rules:
                folder.matcher = _with_rules(
                    folder.matcher, len(folder.root_prefix), opened
                )
            folder.is_complete = (
                not runs and not folder.denied.active and folder.after < 0
            )
            return (
                self._batches(folder, runs)
                if runs
                else self._batch(folder, batch, opened)
            )
        finally:
            if folder.far:
                self._let_go()
                folder.identity, self._held = opened.status().identity, (folder, opened)
            else:
                opened.close()

    def _read(self, opened: Folder, start: bytes) -> tuple[Batch, list[bytes], bool]:
        """The names in a folder; packed into sorted runs, from `start` on, when there are very many. And whether
        one of them may say what is ignored: a file, or `.git`. What was read until an error is kept."""
        held: Batch | None = None
        runs: list[bytes] = []
        rules = False
        try:
            for batch in opened.iter_batches():
                if held is not None:
                    runs.append(_packed(held, start))
                held = batch
                for name in _RULES:
                    rules = rules or name in held.files or name in held.folders
        except OSError as error:
            self._failed(error)
        if held is None:
            held = Batch([], [], [])
        return held, [*runs, _packed(held, start)] if runs else runs, rules

    def _batches(self, folder: WalkedFolder, runs: list[bytes]) -> Iterator[Item]:
        """A folder with very many names, some at a time."""
        merged = heapq.merge(
            *((found[0] for found in re.finditer(rb"[^/]+", run)) for run in runs)
        )
        while some := list(islice(merged, _BATCH)):
            self._task.check()
            batch = Batch([], [], [])
            for item in some:
                name, kind = item[:-2], _KIND_OF_MARK[item[-1:]]
                if kind in ("file", "folder"):
                    (batch.files if kind == "file" else batch.folders).append(name)
                else:
                    batch.others.append((name, kind))
            wanted = self._options.details or self._options.visit is not None
            opened = self._open(folder) if wanted else None
            try:
                items = self._batch(folder, batch, opened)
            finally:
                if opened is not None:
                    opened.close()
            yield from items

    def _batch(
        self, folder: WalkedFolder, batch: Batch, opened: Folder | None
    ) -> Iterator[Item]:
        names = self._left(folder, batch)
        if self._options.visit is not None:
            if opened is not None:
                others = (name for name, _ in batch.others)
                self._options.visit(
                    folder,
                    opened,
                    sorted((*batch.files, *batch.folders, *others)),
                    names,
                )
            names = [name for name in names if folder.kinds.get(name) == "folder"]
        if not self._options.details:
            return zip(names, repeat(None))
        if opened is None:
            return iter(())  # It was moved or removed since its names were read.
        try:
            found = opened.stat_names(names)
        except OSError as error:
            self._failed(
                error
            )  # It may be listed but not entered: its names are all there is.
            return zip(names, repeat(None))
        # What is gone since its name was read is left out.
        return (item for item in zip(names, found, strict=True) if item[1] is not None)

    def _left(self, folder: WalkedFolder, batch: Batch) -> list[bytes]:
        """The names of a folder that are neither hidden nor ignored, sorted; and in `folder.kinds` what they are."""
        options, check = self._options, self._task.check
        names, folders = batch.files, batch.folders
        kinds: dict[bytes, FileKind | None] = dict.fromkeys(folders, "folder")
        folder.kinds = kinds
        if batch.others:
            kinds.update(batch.others)
            names = names + [name for name, _ in batch.others]
        count = len(names)

        def keep(kept: Callable[[list[bytes], bool], list[bytes]]) -> int:
            """Keep what the function does of names and of folders; how many are left out."""
            nonlocal names, folders
            before = len(names) + len(folders)
            names, folders = kept(names, False), kept(folders, True)
            return before - len(names) - len(folders)

        if folder.denied.active:
            keep(
                partial(
                    folder.denied.filter_allowed,
                    for_change=options.changing,
                    denied_counts=self.denied_counts,
                )
            )
        hidden = set[bytes]()
        if options.hide:
            hidden = {path[-1] for path in options.hide if path[:-1] == folder.parts}
        if options.hide_git and (_GIT in kinds or _GIT in names):
            hidden.add(_GIT)
        if hidden or not options.hidden:
            dots = options.hidden
            keep(
                lambda some, _: [
                    name
                    for name in some
                    if name not in hidden and (dots or name[0] != _DOT)
                ]
            )
        prefix, matcher, wanted, unwanted = (
            folder.root_prefix,
            folder.matcher,
            folder.globs.wanted,
            folder.globs.unwanted,
        )
        if matcher.layers:
            self.ignored_count += keep(
                lambda some, are_folders: matcher.filter_not_ignored(
                    prefix, some, are_folders, check
                )
            )
        if unwanted.layers:
            keep(
                lambda some, are_folders: unwanted.filter_not_ignored(
                    prefix, some, are_folders, check
                )
            )
        shown = folders
        if wanted is not None:
            names, shown = (
                wanted.filter_ignored(prefix, names, False, check),
                wanted.filter_ignored(prefix, folders, True),
            )
        folder.is_complete &= len(names) == count
        if options.kinds is not None:
            if batch.others or "file" not in options.kinds:
                names = [
                    name for name in names if kinds.get(name, "file") in options.kinds
                ]
            shown = shown if "folder" in options.kinds else []
        if len(shown) < len(folders):
            kinds.update(dict.fromkeys(set(folders).difference(shown)))
        items = sorted(names + folders)
        first = bisect_left(items, TEMPORARY_PREFIX)
        if first < len(items) and items[first].startswith(TEMPORARY_PREFIX):
            items = [name for name in items if not is_temporary(name)]
            folder.is_complete = False
        if folder.after >= 0:
            name = options.after[folder.after]
            place = bisect_left(items, name)
            # One to go on in was shown before.
            there = items[place : place + 1] == [name]
            if there and kinds.get(name, "file") in ("folder", None):
                kinds[name] = None
            else:
                place += there
            items = items[place:]
        return items


def is_folder(above: Folder, name: bytes) -> bool | None:
    """Whether a name is that of a folder; None where nothing has it."""
    try:
        return above.stat(name).kind == "folder"
    except OSError:
        return None


def _packed(batch: Batch, start: bytes) -> bytes:
    """The names from `start` on, sorted and marked."""
    kinds: dict[bytes, FileKind] = dict.fromkeys(batch.files, "file")
    for name in batch.folders:
        kinds[name] = "folder"
    kinds.update(batch.others)
    return b"/".join(
        sorted(name + _MARK_OF[kind] for name, kind in kinds.items() if name >= start)
    )


def _with_rules(matcher: Matcher, base: int, folder: Folder) -> Matcher:
    """The matcher and the rules of a folder: of a repository's `.git/info/exclude`, then its ignore files."""
    exclude = read_rules(
        partial(
            folder.open_file_beneath, (_GIT, b"info", b"exclude"), follow_links=False
        )
    )
    files = (read_rules(partial(folder.open, name)) for name in _IGNORE_FILES)
    return matcher.with_files(base, exclude).with_files(base, *files)


def read_rules(opens: Callable[[], File]) -> bytes | None:
    """The content of an ignore file; None if it is longer than anybody would write, missing, a link, or unreadable:
    git goes on without it, and so does the walk."""
    try:
        with opens() as file:
            return (
                file.read(0, MAX_IGNORE_FILE_BYTES)
                if file.status().size <= MAX_IGNORE_FILE_BYTES
                else None
            )
    except OSError:
        return None
