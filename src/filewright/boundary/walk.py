"""The walk: everything below a folder, sorted, by descriptors, with the ignore rules applied.

Listing, search and replace all see a tree through it, so they never disagree. Each folder is opened
from the root's descriptor without following links, read at once and closed, so that a folder that
is swapped for a link or moved out meanwhile is not walked. Names are held as bytes, one folder's at
a time for each level; a folder with very many is held compactly. Links are entries, never entered.
"""

from __future__ import annotations

import errno
import os
import stat
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat

from filewright.boundary.globs import Globs
from filewright.boundary.ignore import FILE_BYTES, NOTHING, Matcher
from filewright.boundary.location import Location, Root, shown_as
from filewright.boundary.resolve import Resolver
from filewright.boundary.scan import (
    FOLDER_MARKS,
    GIT_RULES,
    KIND_OF_MARK,
    OTHER_RULES,
    UNSHOWN,
    Kind,
    Names,
)
from filewright.progress import Task

Item = tuple[bytes, os.stat_result | None]

_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
_DOT = 0x2E
_BATCH = 4096
_SHOWN_UNREADABLE = 20


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What a walk leaves out. `rules` are those from outside the tree; None takes no ignore rules at all.

    `depth` 0 is without a limit; `after` is the path below the walked folder behind which it begins;
    `hide` are folders never shown, as path above and name; `kinds` None is all.
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


class Entry:
    """One name in the tree. `status` is its own (a link's, not its target's) if details were asked for."""

    __slots__ = ("folder", "kind", "name", "status")

    def __init__(self, folder: Folder, name: bytes, kind: Kind, status: os.stat_result | None) -> None:
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
        return f"Entry({self.path!r}, {self.kind})"


class Folder:
    """A folder of the walk, shared by its entries. `prefix` is its path below the walked one, with a slash.

    `parts` is its path from the root without links, by which it is opened and the ignore rules go.
    """

    __slots__ = (
        "_location",
        "_start",
        "after",
        "depth",
        "globs",
        "matcher",
        "parts",
        "prefix",
        "root_prefix",
    )

    def __init__(
        self,
        start: Location,
        parts: tuple[bytes, ...],
        matcher: Matcher,
        globs: tuple[Matcher, Matcher],
        after: tuple[bytes, ...],
        *,
        above: Folder | None = None,
    ) -> None:
        self._start = start
        self._location: Location | None = None
        self.parts = parts
        if above is None:
            self.root_prefix = b"/".join((*parts, b""))
            self.prefix = b""
            self.depth = 1
        else:
            below = parts[-1] + b"/"
            self.root_prefix = above.root_prefix + below
            self.prefix = above.prefix + below
            self.depth = above.depth + 1
        self.matcher = matcher
        self.globs = globs
        self.after = after

    @property
    def location(self) -> Location:
        """Its location."""
        if self._location is None:
            start = self._start
            parts = start.parts + tuple(self.prefix.split(b"/")[:-1])
            self._location = Location(start.root, parts, shown_as(start.root, parts))
        return self._location


class Walk:
    """An iterator over the entries below a folder, each folder before what is in it, names in byte order.

    `unreadable` counts folders that could not be read, `unreadable_places` names the first of them;
    `ignored` counts names left out by ignore rules. All three grow as the walk goes on.
    """

    def __init__(self, resolver: Resolver, where: Location, options: WalkOptions, task: Task) -> None:
        self.unreadable = 0
        self.unreadable_places: list[Location] = []
        self.ignored = 0
        self._resolver = resolver
        self._root: Root = where.root
        self._options = options
        self._task = task
        opened, names = self._resolver.open_folder(where.root.fd, where.parts, _OPEN & ~os.O_NOFOLLOW)
        try:
            matcher = self._rules_above(names) if options.rules is not None else NOTHING
            start = Folder(where, names, matcher, options.globs.start(), options.after)
        except BaseException:
            os.close(opened)
            raise
        # Read now: a generator that is never begun would never close the descriptor.
        self._entries = self._run(where, start, self._items(start, opened))

    def __iter__(self) -> Iterator[Entry]:
        return self._entries  # The generator itself: a loop over it costs no call of ours per entry.

    def __next__(self) -> Entry:
        return next(self._entries)

    def _run(self, start: Location, folder: Folder, items: Iterator[Item]) -> Iterator[Entry]:
        deepest = self._options.depth
        stack: list[tuple[Folder, Iterator[Item]]] = []
        while True:
            for item, status in items:
                if 0 not in item:
                    yield Entry(folder, item, "file", status)
                    continue
                name, mark = item[:-2], item[-1:]
                if mark != UNSHOWN:
                    yield Entry(folder, name, KIND_OF_MARK[mark], status)
                if mark in FOLDER_MARKS and folder.depth != deepest:
                    below = self._below(start, folder, name)
                    descriptor = -1 if below is None else self._open(below)
                    if below is not None and descriptor >= 0:
                        stack.append((folder, items))
                        folder, items = below, self._items(below, descriptor)
                        break
            else:
                if not stack:
                    return
                folder, items = stack.pop()

    def _below(self, start: Location, folder: Folder, name: bytes) -> Folder | None:
        globs = folder.globs
        if self._options.globs.given:
            narrowed = self._options.globs.below(globs, folder.prefix + name + b"/")
            if narrowed is None:
                return None
            globs = narrowed
        matcher = folder.matcher
        if matcher.anchored:
            matcher = matcher.below(folder.root_prefix + name + b"/")
        after = folder.after[1:] if folder.after and folder.after[0] == name else ()
        return Folder(start, (*folder.parts, name), matcher, globs, after, above=folder)

    def _open(self, folder: Folder) -> int:
        try:
            return self._resolver.open(self._root.fd, folder.parts, _OPEN, links=False)
        except OSError as error:
            self._failed(folder, error)
            return -1

    def _failed(self, folder: Folder, error: OSError) -> None:
        # What was swapped or removed since its name was read is simply not there any more.
        if error.errno not in _GONE:
            self.unreadable += 1
            if len(self.unreadable_places) < _SHOWN_UNREADABLE:
                self.unreadable_places.append(folder.location)

    # One folder

    def _items(self, folder: Folder, descriptor: int) -> Iterator[Item]:
        """The names in a folder, marked, sorted and filtered. Takes the descriptor and closes it."""
        self._task.check()
        try:
            names = Names()
            try:
                names.read(descriptor)
            except OSError as error:
                self._failed(folder, error)
            if self._options.rules is not None:
                self._read_rules(folder, descriptor, names)
            if names.packed:
                return self._batches(folder, names)
            return self._batch(folder, names, descriptor)
        finally:
            os.close(descriptor)

    def _batches(self, folder: Folder, names: Names) -> Iterator[Item]:
        """A folder with very many names, some at a time."""
        merged = names.merged(folder.after[0] if folder.after else b"")
        while True:
            some = Names()
            for item in islice(merged, _BATCH):
                some.add_marked(item)
            if not some:
                return
            self._task.check()
            descriptor = self._open(folder) if self._options.details else -1
            if self._options.details and descriptor < 0:
                return
            try:
                items = self._batch(folder, some, descriptor)
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
            yield from items

    def _batch(self, folder: Folder, names: Names, descriptor: int) -> Iterator[Item]:
        files, folders, others = self._filtered(folder, names)
        items = files
        if folders:
            shown = self._shown_folders(folder, folders)
            items = files + [name + (b"\0d" if name in shown else b"\0-") for name in folders]
        items += others
        items.sort()
        if folder.after:
            items = _resumed(items, folder.after[0])
        if not self._options.details:
            return zip(items, repeat(None))
        return _with_status(items, descriptor)

    def _filtered(self, folder: Folder, names: Names) -> tuple[list[bytes], list[bytes], list[bytes]]:
        """The files, the folders, and the marked others of a folder that are neither hidden nor ignored."""
        options = self._options
        files, folders, others = names.files, names.folders, names.others
        if options.hide_git:
            if b".git" in files:
                files = [name for name in files if name != b".git"]
            if b".git" in folders:
                folders = [name for name in folders if name != b".git"]
            if others:
                others = [name for name in others if name[:-2] != b".git"]
        for above, hidden in options.hide if folders else ():
            if above == folder.parts and hidden in folders:
                folders = [name for name in folders if name != hidden]
        if not options.hidden:
            files = [name for name in files if name[0] != _DOT]
            folders = [name for name in folders if name[0] != _DOT]
            others = [name for name in others if name[0] != _DOT]
        matcher = folder.matcher
        if matcher.rules:
            before = len(files) + len(folders) + len(others)
            files = matcher.kept(folder.root_prefix, files, False)
            folders = matcher.kept(folder.root_prefix, folders, True)
            if others:
                others = [n for n in others if not matcher.ignores(folder.root_prefix, n[:-2], False)]
            self.ignored += before - len(files) - len(folders) - len(others)
        if options.globs.given:
            fitting, state, prefix = options.globs.fitting, folder.globs, folder.prefix
            files = fitting(state, prefix, files, False)
            folders = options.globs.entered(state, prefix, folders)
            others = [name for name in others if fitting(state, prefix, [name[:-2]], False)]
        if options.kinds is not None:
            files = files if "file" in options.kinds else []
            others = [name for name in others if KIND_OF_MARK[name[-1:]] in options.kinds]
        return files, folders, others

    def _shown_folders(self, folder: Folder, folders: list[bytes]) -> set[bytes]:
        if self._options.kinds is not None and "folder" not in self._options.kinds:
            return set()
        if not self._options.globs.given:
            return set(folders)
        return set(self._options.globs.fitting(folder.globs, folder.prefix, folders, True))

    # Ignore rules

    def _rules_above(self, names: tuple[bytes, ...]) -> Matcher:
        """The matcher at the folder `names`, before its own ignore files are read."""
        matcher = self._options.rules or NOTHING
        exclude = self._read_at((b".git", b"info"), b"exclude")
        matcher = matcher.with_files(0, exclude, None)
        for count in range(len(names)):
            base = len(b"/".join((*names[:count], b"")))
            git, other = (self._read_at(names[:count], name) for name in (GIT_RULES, OTHER_RULES))
            matcher = matcher.with_files(base, git, other)
            matcher = matcher.below(b"/".join((*names[: count + 1], b"")))
        return matcher

    def _read_at(self, parts: tuple[bytes, ...], name: bytes) -> bytes | None:
        try:
            folder = self._resolver.open(self._root.fd, parts, _OPEN, links=False)
        except OSError as error:
            if error.errno in (*_GONE, errno.EACCES):
                return None
            raise
        try:
            return read_rules(folder, name)
        finally:
            os.close(folder)

    def _read_rules(self, folder: Folder, descriptor: int, names: Names) -> None:
        git = read_rules(descriptor, GIT_RULES) if names.holds(GIT_RULES) else None
        other = read_rules(descriptor, OTHER_RULES) if names.holds(OTHER_RULES) else None
        if git or other:
            folder.matcher = folder.matcher.with_files(len(folder.root_prefix), git, other)


def _resumed(items: list[bytes], name: bytes) -> list[bytes]:
    """The items behind `name`, and before them `name` itself, unshown, if it is a folder to enter."""
    rest = items[bisect_right(items, name + b"\0\xff") :]
    if name + b"\0d" in items or name + b"\0-" in items:
        rest.insert(0, name + b"\0-")
    return rest


def _with_status(items: Sequence[bytes], folder: int) -> Iterator[Item]:
    look = os.stat
    names = [item if 0 not in item else item[:-2] for item in items]
    try:
        return zip(items, [look(name, dir_fd=folder, follow_symlinks=False) for name in names], strict=True)
    except FileNotFoundError:
        pass  # Something is gone since its name was read: one by one, then.
    result: list[Item] = []
    for item, name in zip(items, names, strict=True):
        try:
            result.append((item, look(name, dir_fd=folder, follow_symlinks=False)))
        except FileNotFoundError:
            continue
    return iter(result)


def read_rules(folder: int, name: bytes) -> bytes | None:
    """The content of the ignore file `name` in `folder`; None if it is no plain file, as git has it."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return None  # Missing, a link, or unreadable: git goes on without it, and so does the walk.
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > FILE_BYTES:
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(FILE_BYTES)
    finally:
        os.close(descriptor)
