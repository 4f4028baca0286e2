"""The workspace as it would be after the steps taken so far, of which nothing is on the disk yet.

Items are loaded from the disk when a step first names them. Because every step acts on this tree,
later steps see the results of earlier ones, and what remains to be done at the end is only the
difference between where each item was and where it is. A copied folder is not loaded: what no step
has touched in it is read from the folder it was copied from, when it is needed.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from filewright import errors, system
from filewright.boundary import Boundary, DenyRules, Location, Reached, Root, is_temporary, quote
from filewright.changes.content import OnDisk
from filewright.changes.record import Entry, Kind, Place, kind_of
from filewright.changes.slots import OpenFolders
from filewright.edit import Expected, Stream
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.system import File, Folder, Status
from filewright.text import Splice

if TYPE_CHECKING:
    from filewright.changes.operations import Slot
    from filewright.changes.save import Saved

_LINKS = 40
DEEPEST = 400
"""Levels of folders that one change makes, copies or deletes."""


@dataclass(eq=False, slots=True, repr=False)
class Item:
    """A file, link or special file: where it was (`home`), where it is now (`place`), what changes.

    `seen` is its status on the disk, None for a new one. `content` None leaves the bytes as they
    are; `digest` is the content's xxh3_128 once it is known; `splices` are given if it is one edit
    of the bytes on the disk. `mode`, `uid`, `gid`, `mtime_ns`, `attributes` None are left as they
    are. `like` is what a copy was made of. `saved` is what undo needs of the displaced one;
    `aside` is the temporary name that a moved one has in between; `handled` says that an operation
    takes care of what was at its home. `written` says that its bytes become somebody else's.
    `blob` names a new content that is kept; `made` is the history of what was made below it.
    """

    kind: Kind
    asked: str
    seen: Status | None = None
    home: tuple[FolderItem, bytes] | None = None
    place: tuple[FolderItem, bytes] | None = None
    content: Stream | None = None
    digest: str | None = None
    splices: Sequence[Splice] | None = None
    target: bytes | None = None
    expected: Expected | None = None
    mode: int | None = None
    uid: int | None = None
    gid: int | None = None
    mtime_ns: int | None = None
    attributes: Mapping[str, bytes] | None = None
    like: Item | None = None
    written: bool = False
    blob: str | None = None
    saved: Saved | None = None
    aside: Slot | None = None
    handled: bool = False
    made: tuple[Entry, ...] = ()

    @property
    def fresh(self) -> bool:
        """Whether it has a new inode after the change."""
        return self.home is None or self.content is not None

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
        """Whether mode or owner of a item on the disk change."""
        if self.seen is None:
            return False
        before = (self.seen.mode, self.seen.uid, self.seen.gid)
        return self.final_attributes() != before

    def final_attributes(self) -> tuple[int, int, int]:
        """Mode, user and group that it has after the change."""
        if self.seen is not None:
            mode, uid, gid = self.seen.mode, self.seen.uid, self.seen.gid
            if self.written:
                # As the system does for whoever writes to it: what ran with its owner's rights was other content.
                mode &= ~(stat.S_ISUID | (stat.S_ISGID if mode & stat.S_IXGRP else 0))
        else:
            if self.mode is not None and self.uid is not None and self.gid is not None:
                return self.mode, self.uid, self.gid
            mode, uid, gid = self._new_attributes()
        return (
            mode if self.mode is None else self.mode,
            uid if self.uid is None else self.uid,
            gid if self.gid is None else self.gid,
        )

    def _new_attributes(self) -> tuple[int, int, int]:
        uid, gid, setgid = system.effective_user(), system.effective_group(), 0
        above = self.place[0] if self.place is not None else None
        while above is not None and above.seen is None:
            above = above.place[0] if above.place is not None else None
        if above is not None and above.seen is not None and above.seen.mode & stat.S_ISGID:
            gid, setgid = above.seen.gid, stat.S_ISGID
        like = self.source.seen if self.source is not None else None
        if self.kind == "link":
            return 0o777, uid, gid
        if like is not None:
            if system.effective_user() == 0 or like.uid == uid:
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

    def where(self) -> Place:
        """The path it has after the change."""
        names: list[bytes] = []
        end = self.place
        while end is not None:
            folder, name = end
            names.append(name)
            if folder.is_root:
                return folder.path_of(*reversed(names))
            end = folder.place
        raise AssertionError("a item that is below no root")


class FolderItem(Item):
    """A folder: its entries that any step has looked at; None is "nothing there".

    `was` is its place at the start; `origin` the folder on the disk that holds what no step has
    looked at: itself, or what it is a copy of. `passes` are further slots where it is for a while,
    `number` its own in the plan, `inode` that of a new one once it is staged, `writable` what was
    found out of the rights on it, `rules` what is denied of the names in it, `holding` what a deleted one may
    hold.
    """

    __slots__ = (
        "entries",
        "holding",
        "initial",
        "inode",
        "is_root",
        "number",
        "origin",
        "passes",
        "rules",
        "tree",
        "was",
        "writable",
    )

    def __init__(self, tree: Tree, asked: str, seen: Status | None, was: Location | None) -> None:
        super().__init__("folder", asked, seen)
        self.tree = tree
        self.was = was
        self.entries: dict[bytes, Item | None] = {}
        self.initial: dict[bytes, Item | None] = {}
        self.is_root = was is not None and not was.parts
        self.origin: FolderItem | None = self if seen is not None else None
        self.passes: list[tuple[FolderItem, bytes]] = []
        self.number: int | None = None
        self.inode: int | None = seen.inode if seen is not None else None
        self.writable: bool | None = None
        self.rules: DenyRules | None = None
        self.holding: Mapping[bytes, bytes] | None = None

    def on_disk(self, *, reading: bool = True) -> Folder:
        """The folder on the disk, as it was at the start."""
        if self.was is None or self.seen is None:
            raise FilewrightError(Code.INTERNAL, f"the folder {self.asked} is not on the disk yet")
        return self.tree.folders.at(self.was, self.seen.identity, reading=reading)

    def path_of(self, *names: bytes) -> Place:
        """The path of something in it, as it was at the start."""
        assert self.was is not None
        return Place(self.was.root.resolved, (*self.was.parts, *names))

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
            self.entries[name] = item
            if self.seen is not None:
                self.initial[name] = item
                if isinstance(item, FolderItem) and self.tree.known(item) is not item:
                    # Reached by another path before, and perhaps moved or deleted since.
                    self.entries[name] = self.initial[name] = self.tree.known(item)
                elif item is not None:
                    item.place = item.home
            elif item is not None:
                item.place = (self, name)
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
            assert self.origin.was is not None
            raise errors.other_file_system(self.origin.was.child(name).shown)
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
        item: Item
        kind = kind_of(seen)
        self.rules.require(asked, name, kind == "folder")
        if kind == "folder":
            item = FolderItem(self.tree, asked, seen, self.was.child(name))
        elif kind == "link":
            item = Item("link", asked, seen)
            try:
                item.target = self.on_disk().read_link(name)
            except OSError as error:  # no link any more since it was looked at
                raise errors.replaced(f"{asked}: a link on the way", asked) from error
        else:
            item = Item(kind, asked, seen)
        item.home = (self, name)
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
                if item.place is None:
                    item.place = (self, name)
                yield name, item

    def attach(self, name: bytes, item: Item) -> None:
        """Put a item here."""
        self.lookup(name, item.asked)
        self.entries[name] = item
        item.place = (self, name)

    def detach(self, name: bytes) -> None:
        """Leave nothing here."""
        item = self.entries.get(name)
        self.entries[name] = None
        if item is not None and item.place == (self, name):
            item.place = None

    def within(self, other: Item) -> bool:
        """Whether it is `other` or lies below it, in the tree."""
        folder: FolderItem = self
        while folder is not other:
            if folder.place is None:
                return False
            folder = folder.place[0]
        return True


def copied(item: Item, asked: str) -> Item:
    """A copy of a item as it is in the tree now; it is nowhere yet. Raises `not_a_file` for special files."""
    if item.kind == "other":
        raise errors.not_a_file(item.asked, item.kind, hint="only files, links and folders are copied")
    if isinstance(item, FolderItem):
        return _copied_folder(item, asked)
    copy = Item(item.kind, asked)
    _take_attributes(copy, item)
    copy.target, copy.mtime_ns = item.target, item.mtime_ns
    if item.kind == "file":
        copy.content = item.content
        if item.content is None:
            assert item.seen is not None
            copy.content = OnDisk(item.open, item.seen.size)
    return copy


def _copied_folder(top: FolderItem, asked: str) -> FolderItem:
    made = FolderItem(top.tree, asked, None, None)
    pending = [(top, made)]
    while pending:
        source, copy = pending.pop()
        _take_attributes(copy, source)
        copy.origin = source.origin
        for name, item in source.entries.items():
            if isinstance(item, FolderItem):
                below = FolderItem(top.tree, asked, None, None)
                below.place = (copy, name)
                copy.entries[name] = below
                pending.append((item, below))
            else:
                copy.entries[name] = below_node = None if item is None else copied(item, asked)
                if below_node is not None:
                    below_node.place = (copy, name)
    return made


def _take_attributes(copy: Item, item: Item) -> None:
    copy.like = item
    copy.mode, copy.uid, copy.gid, copy.attributes = item.mode, item.uid, item.gid, item.attributes


class Tree:
    """The tree of one change set. `grown` are the folders in which parents were made, each with the
    path that needed them."""

    def __init__(self, boundary: Boundary, folders: OpenFolders) -> None:
        self.boundary = boundary
        self.folders = folders
        self.grown: list[tuple[FolderItem, Location]] = []
        self._known: dict[tuple[int, int], FolderItem] = {}
        self._roots: dict[tuple[int, int], FolderItem] = {}

    def known(self, folder: FolderItem) -> FolderItem:
        """The folder of that inode, by whatever path it was reached."""
        assert folder.seen is not None
        return self._known.setdefault(folder.seen.identity, folder)

    def root(self, root: Root) -> FolderItem:
        """The folder of a root."""
        key = (root.device, root.inode)
        if key not in self._roots:
            folder = FolderItem(self, root.name, root.folder.status(), Location(root, (), "."))
            self._roots[key] = self._known[key] = folder
        return self._roots[key]

    def all_folders(self) -> Iterator[FolderItem]:
        """Every living folder that a step has looked at, parents before what is in them."""
        pending = deque(self._roots.values())
        seen: set[FolderItem] = set()
        while pending:
            folder = pending.popleft()
            if folder in seen:
                continue
            seen.add(folder)
            yield folder
            for name in sorted(folder.entries):
                item = folder.entries[name]
                if isinstance(item, FolderItem):
                    pending.append(item)

    def old_folders(self) -> list[FolderItem]:
        """Every folder that was looked into on the disk, living or not."""
        return list(self._known.values())

    def find(self, where: Location, *, create: bool = False) -> tuple[FolderItem, bytes, Item | None]:
        """The folder that holds `where`, its name there, and what the tree has under it.

        With `create`, missing folders above it are made in the tree. Raises `not_found`,
        `not_a_directory`, `path_escape`, `symlink`.
        """
        if not where.parts:
            self.boundary.guard_write(where)
        parent = self._walk(where, where.parts[:-1], create)
        return parent, where.name, parent.lookup(where.name, where.asked)

    def _walk(self, where: Location, parts: tuple[bytes, ...], create: bool) -> FolderItem:
        folder = self.root(where.root)
        pending = list(reversed(parts))
        followed = made = 0
        while pending:
            name = pending.pop()
            if name in (b"", b"."):
                continue
            if name == b"..":
                if folder.place is None:
                    raise errors.leads_out(where.asked, quote(where.root.path))
                folder = folder.place[0]
                continue
            item = folder.lookup(name, where.asked)
            if item is None and create:
                item = FolderItem(self, where.asked, None, None)
                folder.attach(name, item)
                self.grown.append((folder, where))
            if item is None:
                raise errors.missing(where.asked, name.decode("utf-8", "replace"))
            if item.kind == "link" and item.target is not None:
                followed += 1
                if followed > _LINKS:
                    raise from_os_error(OSError(40, os.strerror(40)), where.asked)
                if item.target.startswith(b"/"):
                    raise errors.leads_out(where.asked, quote(where.root.path))
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
            self.guard(self.located(folder, where.name, where.asked))
        return folder

    def guard(self, where: Location, *, reached: Reached | None = None) -> None:
        """Refuse what may not be written to, also where a link leads to it that is still there."""
        there = self.as_on_disk(where)
        self.boundary.guard_write(where, link_itself=True, reached=reached, there=there)
        if there is not None:
            self.boundary.guard_brought(where, there, self._brought(where, there))

    def _brought(self, where: Location, there: int) -> Iterator[Folder | None]:
        """For each folder on the way from the depth `there`, the one on the disk whose content it will have."""
        folder: Item | None = self._roots.get((where.root.device, where.root.inode))
        for depth, name in enumerate(where.parts[:-1]):
            folder = folder.entries.get(name) if isinstance(folder, FolderItem) else None
            if depth >= there:
                origin = folder.origin if isinstance(folder, FolderItem) else None
                yield origin.on_disk() if origin is not None else None

    def as_on_disk(self, where: Location) -> int | None:
        """After how many parts of the way to `where` the disk says nothing of it: from there on a step has
        put something else in the way. None if none has."""
        folder: Item | None = self._roots.get((where.root.device, where.root.inode))
        for depth, name in enumerate(where.parts[:-1]):
            if not isinstance(folder, FolderItem) or name not in folder.entries:
                return None
            if folder.entries[name] is not folder.initial.get(name):
                return depth
            folder = folder.entries[name]
        return None

    @staticmethod
    def located(folder: FolderItem, name: bytes, asked: str = "") -> Location:
        """The path that `name` in a folder of the tree has after the change; shown as itself, unless `asked`."""
        names = [name]
        while folder.place is not None:
            folder, name = folder.place
            names.append(name)
        assert folder.was is not None
        where = Location(folder.was.root, tuple(reversed(names)), asked)
        return where if asked else replace(where, asked=where.shown)
