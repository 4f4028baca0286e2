"""The workspace as it would be after the steps taken so far, of which nothing is on the disk yet.

Items are loaded from the disk when a step first names them. Because every step acts on this tree,
later steps see the results of earlier ones, and what remains to be done at the end is only the
difference between where each item was and where it is. A copied folder is not loaded: what no step
has touched in it is read from the folder it was copied from, when it is needed. Once all steps are
taken nothing of it changes any more: what saving, planning and staging find out are values of their own.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from filewright import errors, system
from filewright.boundary import Boundary, DenyRules, Location, Reached, is_temporary, quote
from filewright.changes.content import Edited, OnDisk
from filewright.changes.record import Kind, kind_of
from filewright.changes.slots import OpenFolders
from filewright.edit import Expected, Stream
from filewright.errors import from_os_error
from filewright.system import File, Folder, Status
from filewright.text import Splice

_LINKS = 40
DEEPEST = 400
"""Levels of folders that one change makes, copies or deletes."""


@dataclass(eq=False, slots=True, repr=False)
class Item:
    """A file, link or special file: where it was (`home`), where it is now (`place`), what changes.

    `seen` is its status on the disk, None for a new one. `content` None leaves the bytes as they
    are. `mode`, `uid`, `gid`, `mtime_ns`, `attributes` None are left as they are. `like` is what a copy was
    made of. `written` says that its bytes become somebody else's.
    """

    kind: Kind
    asked: str
    seen: Status | None = None
    home: tuple[FolderItem, bytes] | None = None
    place: tuple[FolderItem, bytes] | None = None
    content: Stream | None = None
    target: bytes | None = None
    expected: Expected | None = None
    mode: int | None = None
    uid: int | None = None
    gid: int | None = None
    mtime_ns: int | None = None
    attributes: Mapping[str, bytes] | None = None
    like: Item | None = None
    written: bool = False

    @property
    def fresh(self) -> bool:
        """Whether it has a new inode after the change."""
        return self.home is None or self.content is not None

    @property
    def splices(self) -> Sequence[Splice] | None:
        """Those of what is one edit of the bytes on the disk."""
        content = self.content
        own = self.home is not None and isinstance(content, Edited) and isinstance(content.base, OnDisk)
        return content.splices if own and isinstance(content, Edited) else None

    @property
    def holds(self) -> Stream:
        """What the file holds, as the tree has it."""
        if self.content is not None:
            return self.content
        assert self.seen is not None
        return OnDisk(self.open, self.seen.size)

    @property
    def alive(self) -> bool:
        """Whether it is still in the tree, and every folder above it too."""
        place = self.place
        while place is not None and not place[0].is_root:
            place = place[0].place
        return place is not None

    @property
    def moved(self) -> bool:
        """Whether it is in another place, as it was."""
        return not self.fresh and self.place != self.home and self.alive

    @property
    def altered(self) -> bool:
        """Whether mode or owner of an item on the disk change."""
        seen = self.seen
        return seen is not None and self.rights() != (seen.mode, seen.uid, seen.gid)

    def rights(self) -> tuple[int, int, int]:
        """Mode, user and group that it has after the change."""
        seen, given = self.seen, (self.mode, self.uid, self.gid)
        left = (0, 0, 0)
        if seen is not None:
            left = (without_special_bits(seen.mode) if self.written else seen.mode, seen.uid, seen.gid)
        elif None in given:
            left = self._new_rights()
        mode, uid, gid = (old if new is None else new for new, old in zip(given, left, strict=True))
        return mode, uid, gid

    def _new_rights(self) -> tuple[int, int, int]:
        uid, gid, setgid = system.effective_user(), system.effective_group(), 0
        above = self.place
        while above is not None and above[0].seen is None:
            above = above[0].place
        seen = above[0].seen if above is not None else None
        if seen is not None and seen.mode & stat.S_ISGID:
            gid, setgid = seen.gid, stat.S_ISGID
        like = self.source.seen if self.source is not None else None
        if self.kind == "link":
            return 0o777, uid, gid
        if like is not None:
            if uid in (0, like.uid):
                return like.mode, like.uid, like.gid
            return like.mode & ~(stat.S_ISUID | stat.S_ISGID), uid, gid
        if self.kind == "folder":
            return 0o777 & ~system.umask() | setgid, uid, gid
        return 0o666 & ~system.umask(), uid, gid

    @property
    def source(self) -> Item | None:
        """The thing on the disk whose attributes a copy takes; itself, if it is on the disk."""
        item: Item | None = self
        while item is not None and item.home is None:
            item = item.like
        return item

    def open(self) -> File:
        """The file on the disk, at its home. Raises `OSError`."""
        assert self.home is not None
        folder, name = self.home
        return folder.on_disk().open(name, seen=self.kind == "file")

    @property
    def was_at(self) -> Location:
        """Where it was at the start."""
        assert self.home is not None
        folder, name = self.home
        assert folder.was is not None
        return folder.was.child(name)

    @property
    def will_be_at(self) -> Location:
        """Where it is after the change."""
        assert self.place is not None
        return located(*self.place)


def without_special_bits(mode: int) -> int:
    """As the system does for whoever writes to a file: what ran with its owner's rights was other content."""
    return mode & ~(stat.S_ISUID | (stat.S_ISGID if mode & stat.S_IXGRP else 0))


@dataclass(eq=False, slots=True, repr=False, kw_only=True)
class FolderItem(Item):
    """A folder: its entries that any step has looked at; None is "nothing there".

    `was` is its place at the start; `initial` its entries then; `origin` the folder on the disk that holds what no
    step has looked at: itself, or what it is a copy of. `writable` is what was found out of the rights on it,
    `rules` what is denied of the names in it, `holding` what a deleted one may hold.
    """

    kind: Kind = "folder"
    tree: Tree
    was: Location | None = None
    is_root: bool = False
    origin: FolderItem | None = None
    entries: dict[bytes, Item | None] = field(default_factory=dict)
    initial: dict[bytes, Item | None] = field(default_factory=dict)
    writable: bool | None = None
    rules: DenyRules | None = None
    holding: Mapping[bytes, bytes] | None = None

    def __post_init__(self) -> None:
        if self.seen is not None:
            self.origin = self

    def on_disk(self, *, reading: bool = True) -> Folder:
        """The folder on the disk, as it was at the start."""
        assert self.was is not None
        assert self.seen is not None
        return self.tree.folders.at(self.was, self.seen.identity, reading=reading)

    @property
    def device(self) -> int:
        """The device it is, or will be, on."""
        folder: FolderItem = self
        while folder.seen is None:
            assert folder.place is not None
            folder = folder.place[0]
        return folder.seen.device

    def lookup(self, name: bytes, asked: str) -> Item | None:
        """What the tree has under `name`."""
        if name not in self.entries:
            item = self._untouched(name, asked)
            if item is not None:
                item.place = (self, name)
            if self.seen is not None:
                if isinstance(item, FolderItem) and item.seen is not None:
                    # It may have been reached by another path before, and been moved or deleted since.
                    item = self.tree.old.setdefault(item.seen.identity, item)
                self.initial[name] = item
            self.entries[name] = item
        return self.entries[name]

    def _untouched(self, name: bytes, asked: str) -> Item | None:
        """What no step has looked at yet, not remembered."""
        if self.origin is None:
            return None
        item = self.origin._load(name, asked)
        if item is None or self.origin is self:
            return item
        assert item.seen is not None
        if item.seen.device != self.origin.device:
            raise errors.other_file_system(item.was_at.shown)
        return copied(item, asked)

    def _load(self, name: bytes, asked: str) -> Item | None:
        assert self.was is not None
        if self.rules is None:
            self.rules = self.tree.boundary.rules_for(self.was, self.on_disk())
        try:
            seen = self.on_disk().stat(name)
        except FileNotFoundError:
            self.rules.require(asked, name, None)
            return None
        except OSError as error:
            raise from_os_error(error, asked, doing="look at") from error
        kind = kind_of(seen)
        self.rules.require(asked, name, kind == "folder")
        if kind == "folder":
            return FolderItem(
                asked=asked, seen=seen, home=(self, name), tree=self.tree, was=self.was.child(name)
            )
        item = Item(kind, asked, seen, (self, name))
        if kind == "link":
            try:
                item.target = self.on_disk().read_link(name)
            except OSError as error:  # no link any more since it was looked at
                raise errors.replaced(f"{asked}: a link on the way", asked) from error
        return item

    def names(self) -> list[bytes]:
        """Every name the tree has in it, sorted."""
        found = set(self.origin.on_disk().names()) if self.origin is not None else set()
        if self.origin is not self:
            # Where a copy ends up below its source, what is staged of it lies there already.
            found = {name for name in found if not is_temporary(name)}
        gone = {name for name, item in self.entries.items() if item is None}
        return sorted((found | self.entries.keys()) - gone)

    def below(self) -> Iterator[tuple[bytes, Item]]:
        """Everything in it by name; what no step has looked at is not remembered."""
        for name in self.names():
            item = self.entries[name] if name in self.entries else self._untouched(name, self.asked)
            if item is not None:
                item.place = item.place or (self, name)
                yield name, item

    def attach(self, name: bytes, item: Item) -> None:
        """Put an item here."""
        self.lookup(name, item.asked)
        self.entries[name] = item
        item.place = (self, name)

    def detach(self, name: bytes) -> None:
        """Leave nothing here."""
        item = self.entries.get(name)
        self.entries[name] = None
        if item is not None and item.place == (self, name):
            item.place = None

    def within(self, other: Item, *, at_first: bool = False) -> bool:
        """Whether it is `other` or lies below it, in the tree; or lay there at the start."""
        folder: FolderItem = self
        while folder is not other:
            above = folder.home if at_first else folder.place
            if above is None:
                return False
            folder = above[0]
        return True


def located(folder: FolderItem, name: bytes, asked: str = "") -> Location:
    """The path that `name` in a folder of the tree has after the change; shown as itself, unless `asked`."""
    names = [name]
    while folder.place is not None:
        folder, name = folder.place
        names.append(name)
    assert folder.was is not None
    where = Location(folder.was.root, tuple(reversed(names)), asked)
    return where if asked else replace(where, asked=where.shown)


def copied(item: Item, asked: str) -> Item:
    """A copy of an item as it is in the tree now; it is nowhere yet. Raises `not_a_file` for special files."""
    if item.kind == "other":
        raise errors.not_a_file(item.asked, item.kind, hint="only files, links and folders are copied")
    if not isinstance(item, FolderItem):
        copy = _alike(item, asked)
        copy.target, copy.mtime_ns = item.target, item.mtime_ns
        copy.content = item.holds if item.kind == "file" else None
        return copy
    made = _alike(item, asked)
    pending: list[tuple[Item, Item]] = [(item, made)]
    while pending:
        source, folder = pending.pop()
        assert isinstance(source, FolderItem)
        assert isinstance(folder, FolderItem)
        folder.origin = source.origin
        for name, below in source.entries.items():
            folder.entries[name] = None
            if isinstance(below, FolderItem):
                copy = folder.entries[name] = _alike(below, asked)
                pending.append((below, copy))
            elif below is not None:
                copy = folder.entries[name] = copied(below, asked)
            else:
                continue
            copy.place = (folder, name)
    return made


def _alike(item: Item, asked: str) -> Item:
    copy = FolderItem(asked=asked, tree=item.tree) if isinstance(item, FolderItem) else Item(item.kind, asked)
    copy.like = item
    copy.mode, copy.uid, copy.gid, copy.attributes = item.mode, item.uid, item.gid, item.attributes
    return copy


class Tree:
    """The tree of one change set. `grown` are the folders in which parents were made, each with the
    path that needed them. `old` are all that were looked into on the disk, living or not, by their identity."""

    def __init__(self, boundary: Boundary, folders: OpenFolders) -> None:
        self.boundary = boundary
        self.folders = folders
        self.grown: list[tuple[FolderItem, Location]] = []
        self.old: dict[tuple[int, int], FolderItem] = {}
        self._roots: dict[tuple[int, int], FolderItem] = {}

    def all_folders(self) -> Iterator[FolderItem]:
        """Every living folder that a step has looked at, parents before what is in them."""
        pending = deque(self._roots.values())
        seen: set[FolderItem] = set()
        while pending:
            folder = pending.popleft()
            if folder not in seen:
                seen.add(folder)
                yield folder
                for name in sorted(folder.entries):
                    item = folder.entries[name]
                    if isinstance(item, FolderItem):
                        pending.append(item)

    def find(self, where: Location, *, create: bool = False) -> tuple[FolderItem, bytes, Item | None]:
        """The folder that holds `where`, its name there, and what the tree has under it.

        With `create`, missing folders above it are made in the tree. Raises `not_found`,
        `not_a_directory`, `path_escape`, `symlink`.
        """
        root = where.root
        if not where.parts:
            self.boundary.guard_write(where)
        if (root.device, root.inode) not in self._roots:
            was = Location(root, (), ".")
            top = FolderItem(asked=root.name, seen=root.folder.status(), tree=self, was=was, is_root=True)
            self._roots[root.device, root.inode] = self.old[root.device, root.inode] = top
        folder = self._roots[root.device, root.inode]
        pending = list(reversed(where.parts[:-1]))
        followed = made = 0
        while pending:
            name = pending.pop()
            if name in (b"", b"."):
                continue
            if name == b"..":
                if folder.place is None:
                    raise errors.leads_out(where.asked, quote(root.path))
                folder = folder.place[0]
                continue
            item = folder.lookup(name, where.asked)
            if item is None and create:
                item = FolderItem(asked=where.asked, tree=self)
                folder.attach(name, item)
                self.grown.append((folder, where))
            if item is None:
                raise errors.missing(where.asked, name.decode("utf-8", "replace"))
            if item.kind == "link" and item.target is not None:
                followed += 1
                if followed > _LINKS:
                    raise from_os_error(OSError(40, os.strerror(40)), where.asked)
                if item.target.startswith(b"/"):
                    raise errors.leads_out(where.asked, quote(root.path))
                pending.extend(reversed(item.target.split(b"/")))
                continue
            if not isinstance(item, FolderItem):
                raise errors.not_a_folder(where.asked, name.decode("utf-8", "replace"))
            folder = item
            made += folder.seen is None
            if made > DEEPEST:
                raise errors.too_deep(where.asked, DEEPEST)
        if followed:
            # Be the links there already or made by this change: once something is staged, a refusal would
            # come too late.
            self.guard(located(folder, where.name, where.asked))
        return folder, where.name, folder.lookup(where.name, where.asked)

    def guard(self, where: Location, *, reached: Reached | None = None) -> None:
        """Refuse what may not be written to, also where a link leads to it that is still there."""
        there = self.as_on_disk(where)
        self.boundary.guard_write(where, link_itself=True, reached=reached, there=there)
        if there is not None:
            way = list(self._way(where))[there:]
            origins = (folder.origin if isinstance(folder, FolderItem) else None for folder in way)
            self.boundary.guard_brought(
                where, there, (each.on_disk() if each is not None else None for each in origins)
            )

    def as_on_disk(self, where: Location) -> int | None:
        """After how many parts of the way to `where` the disk says nothing of it: from there on a step has
        put something else in the way. None if none has."""
        above: Item | None = self._roots.get((where.root.device, where.root.inode))
        for depth, (name, item) in enumerate(zip(where.parts, self._way(where), strict=False)):
            if not isinstance(above, FolderItem) or name not in above.entries:
                return None
            if item is not above.initial.get(name):
                return depth
            above = item
        return None

    def _way(self, where: Location) -> Iterator[Item | None]:
        """What the tree has under each of the names above `where`, as far as it was looked at."""
        item: Item | None = self._roots.get((where.root.device, where.root.inode))
        for name in where.parts[:-1]:
            item = item.entries.get(name) if isinstance(item, FolderItem) else None
            yield item


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a tree and the disk.

    `displaced`: their old inode goes (deleted, overwritten, rewritten) and no displaced folder
    holds it. `fresh`: a new inode is made for them, in a folder that is on the disk. `moved`:
    renamed. `altered`: only mode or owner change.
    """

    displaced: list[Item] = field(default_factory=list)
    fresh: list[Item] = field(default_factory=list)
    moved: list[Item] = field(default_factory=list)
    altered: list[Item] = field(default_factory=list)

    @classmethod
    def of(cls, tree: Tree) -> Difference:
        """Look through every item of the tree."""
        found = cls()
        for folder in tree.old.values():
            folder_alive = folder.is_root or folder.alive
            for item in folder.initial.values():
                if item is None or (isinstance(item, FolderItem) and item.is_root):
                    continue
                alive = item.alive
                if folder_alive and (item.fresh or not alive):
                    found.displaced.append(item)
                if item.moved:
                    found.moved.append(item)
                if alive and not item.fresh and item.altered:
                    found.altered.append(item)
        for folder in tree.all_folders():
            items = sorted(folder.entries.items()) if folder.seen is not None else ()
            found.fresh.extend(item for _, item in items if item is not None and item.fresh)
        return found

    @property
    def empty(self) -> bool:
        """Whether nothing changes at all."""
        return not (self.displaced or self.fresh or self.moved or self.altered)

    @property
    def made(self) -> Iterator[Item]:
        """What is fresh, with what the steps have made in new folders, parents first."""
        pending = [*reversed(self.fresh)]
        while pending:
            item = pending.pop()
            yield item
            if isinstance(item, FolderItem):
                pending += (below for below in item.entries.values() if below is not None and below.fresh)
