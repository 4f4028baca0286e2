"""The workspace as it would be after the steps taken so far, of which nothing is on the disk yet.

Nodes are loaded from the disk when a step first names them. Because every step acts on this tree,
later steps see the results of earlier ones, and what remains to be done at the end is only the
difference between where each node was and where it is. A copied folder is not loaded: what no step
has touched in it is read from the folder it was copied from, when it is needed.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from filewright.boundary import Boundary, Location, Root
from filewright.changes import modes
from filewright.changes.content import Content, OnDisk, listed
from filewright.changes.record import Entry, Kind, Place
from filewright.changes.refusals import on_another_device, too_deep
from filewright.changes.slots import OpenFolders
from filewright.edit.changeset import Expected
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.text.splice import Splice

if TYPE_CHECKING:
    from filewright.changes.operations import Slot
    from filewright.changes.save import Saved

_LINKS = 40
DEEPEST = 400
"""Levels of folders that one change makes, copies or deletes."""
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Node:
    """A file, link or special file: where it was (`home`), where it is now (`place`), what changes.

    `seen` is its status on the disk, None for a new one. `content` None leaves the bytes as they
    are; `digest` is the content's xxh3_128 once it is known; `splices` are given if it is one edit
    of the bytes on the disk. `mode`, `uid`, `gid`, `mtime_ns`, `attributes` None are left as they
    are. `like` is what a copy was made of. `saved` is what undo needs of the displaced one;
    `lifted` the temporary name that a moved one has in between; `settled` tells that an operation
    takes care of what was at its home. `blob` names a new content that is kept; `made` is the history of
    what was made below it.
    """

    __slots__ = (
        "asked",
        "attributes",
        "blob",
        "content",
        "digest",
        "expected",
        "gid",
        "home",
        "kind",
        "lifted",
        "like",
        "made",
        "mode",
        "mtime_ns",
        "place",
        "saved",
        "seen",
        "settled",
        "splices",
        "target",
        "uid",
        "written",
    )

    def __init__(self, kind: Kind, asked: str, seen: os.stat_result | None = None) -> None:
        self.kind: Kind = kind
        self.asked = asked
        self.seen = seen
        self.home: tuple[Folder, bytes] | None = None
        self.place: tuple[Folder, bytes] | None = None
        self.content: Content | None = None
        self.digest: str | None = None
        self.splices: tuple[Splice, ...] | None = None
        self.target: bytes | None = None
        self.expected: Expected | None = None
        self.mode: int | None = None
        self.uid: int | None = None
        self.gid: int | None = None
        self.mtime_ns: int | None = None
        self.attributes: Mapping[str, bytes] | None = None
        self.like: Node | None = None
        self.written = False
        self.blob: str | None = None
        self.saved: Saved | None = None
        self.lifted: Slot | None = None
        self.settled = False
        self.made: tuple[Entry, ...] = ()

    @property
    def fresh(self) -> bool:
        """Whether a new inode stands for it after the change."""
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
        """Whether mode or owner of a node on the disk change."""
        if self.seen is None:
            return False
        before = (stat.S_IMODE(self.seen.st_mode), self.seen.st_uid, self.seen.st_gid)
        return self.final_attributes() != before

    def final_attributes(self) -> tuple[int, int, int]:
        """Mode, user and group that it has after the change."""
        if self.seen is not None:
            mode, uid, gid = stat.S_IMODE(self.seen.st_mode), self.seen.st_uid, self.seen.st_gid
            if self.written:
                # As the system does for whoever writes to it: what ran with its owner's rights was other content.
                mode &= ~(stat.S_ISUID | (stat.S_ISGID if mode & stat.S_IXGRP else 0))
        else:
            mode, uid, gid = self._new_attributes()
        return (
            mode if self.mode is None else self.mode,
            uid if self.uid is None else self.uid,
            gid if self.gid is None else self.gid,
        )

    def _new_attributes(self) -> tuple[int, int, int]:
        uid, gid, setgid = os.geteuid(), os.getegid(), 0
        above = self.place[0] if self.place is not None else None
        while above is not None and above.seen is None:
            above = above.place[0] if above.place is not None else None
        if above is not None and above.seen is not None and above.seen.st_mode & stat.S_ISGID:
            gid, setgid = above.seen.st_gid, stat.S_ISGID
        like = self.source.seen if self.source is not None else None
        if self.kind == "link":
            return 0o777, uid, gid
        if like is not None:
            if os.geteuid() == 0 or like.st_uid == uid:
                return stat.S_IMODE(like.st_mode), like.st_uid, like.st_gid
            return stat.S_IMODE(like.st_mode) & ~(stat.S_ISUID | stat.S_ISGID), uid, gid
        if self.kind == "folder":
            return 0o777 & ~modes.umask() | setgid, uid, gid
        return 0o666 & ~modes.umask(), uid, gid

    @property
    def source(self) -> Node | None:
        """The thing on the disk whose attributes a copy takes; itself, if it is on the disk."""
        node: Node | None = self
        while node is not None and node.home is None:
            node = node.like
        return node

    def open(self) -> int:
        """A descriptor of the file on the disk, at its home. Raises `OSError`."""
        assert self.home is not None
        folder, name = self.home
        return os.open(name, _OPEN, dir_fd=folder.fd())

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
        raise AssertionError("a node that is below no root")


class Folder(Node):
    """A folder: its entries that any step has looked at; None stands for "nothing there".

    `was` is its place at the start; `origin` the folder on the disk that holds what no step has
    looked at: itself, or what it is a copy of. `stood` are further slots where it is for a while,
    `inode` that of a new one once it is staged, `writable` what was found out of the rights on it.
    """

    __slots__ = (
        "entries",
        "initial",
        "inode",
        "is_root",
        "number",
        "origin",
        "stood",
        "tree",
        "was",
        "writable",
    )

    def __init__(self, tree: Tree, asked: str, seen: os.stat_result | None, was: Location | None) -> None:
        super().__init__("folder", asked, seen)
        self.tree = tree
        self.was = was
        self.entries: dict[bytes, Node | None] = {}
        self.initial: dict[bytes, Node | None] = {}
        self.is_root = was is not None and not was.parts
        self.origin: Folder | None = self if seen is not None else None
        self.stood: list[tuple[Folder, bytes]] = []
        self.number: int | None = None
        self.inode: int | None = seen.st_ino if seen is not None else None
        self.writable: bool | None = None

    def fd(self, *, reading: bool = True) -> int:
        """A descriptor of the folder on the disk, as it was at the start; good until others are opened."""
        if self.was is None or self.seen is None:
            raise FilewrightError(Code.INTERNAL, f"the folder {self.asked} is not on the disk yet")
        return self.tree.folders.at(self.was, (self.seen.st_dev, self.seen.st_ino), reading=reading)

    def path_of(self, *names: bytes) -> Place:
        """The path of something in it, as it was at the start."""
        assert self.was is not None
        root = self.was.root
        return Place(root.resolved or root.path, (*self.was.parts, *names))

    @property
    def device(self) -> int:
        """The device it is, or will be, on."""
        folder: Folder = self
        while folder.seen is None:
            assert folder.place is not None
            folder = folder.place[0]
        return folder.seen.st_dev

    def lookup(self, name: bytes, asked: str) -> Node | None:
        """What the tree has under `name`."""
        if name not in self.entries:
            node = self._untouched(name, asked)
            self.entries[name] = node
            if self.seen is not None:
                self.initial[name] = node
                if isinstance(node, Folder) and self.tree.known(node) is not node:
                    # Reached by another path before, and perhaps moved or deleted since.
                    self.entries[name] = self.initial[name] = self.tree.known(node)
                elif node is not None:
                    node.place = node.home
            elif node is not None:
                node.place = (self, name)
        return self.entries[name]

    def _untouched(self, name: bytes, asked: str) -> Node | None:
        """What no step has looked at yet, not remembered."""
        if self.origin is None:
            return None
        node = self.origin._load(name, asked)
        if node is None or self.origin is self:
            return node
        assert node.seen is not None
        if node.seen.st_dev != self.origin.device:
            assert self.origin.was is not None
            raise on_another_device(self.origin.was.child(name))
        return copied(node, asked)

    def _load(self, name: bytes, asked: str) -> Node | None:
        try:
            seen = os.stat(name, dir_fd=self.fd(), follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise from_os_error(error, asked, doing="look at") from error
        node: Node
        if stat.S_ISDIR(seen.st_mode):
            assert self.was is not None
            node = Folder(self.tree, asked, seen, self.was.child(name))
        elif stat.S_ISLNK(seen.st_mode):
            node = Node("link", asked, seen)
            try:
                node.target = os.readlink(name, dir_fd=self.fd())
            except OSError as error:  # no link any more since it was looked at
                raise FilewrightError(
                    Code.STALE_VERSION,
                    f"{asked}: a link on the way was replaced meanwhile",
                    hint="try again",
                    details={"path": asked},
                ) from error
        else:
            node = Node("file" if stat.S_ISREG(seen.st_mode) else "other", asked, seen)
        node.home = (self, name)
        return node

    def names(self) -> list[bytes]:
        """Every name the tree has in it, sorted."""
        found = set(listed(self.origin.fd())) if self.origin is not None else set()
        gone = {name for name, node in self.entries.items() if node is None}
        return sorted((found | self.entries.keys()) - gone)

    def below(self) -> Iterator[tuple[bytes, Node]]:
        """Everything in it by name; what no step has looked at is not remembered."""
        for name in self.names():
            node = self.entries[name] if name in self.entries else self._untouched(name, self.asked)
            if node is not None:
                if node.place is None:
                    node.place = (self, name)
                yield name, node

    def attach(self, name: bytes, node: Node) -> None:
        """Put a node here."""
        self.lookup(name, node.asked)
        self.entries[name] = node
        node.place = (self, name)

    def detach(self, name: bytes) -> None:
        """Leave nothing here."""
        node = self.entries.get(name)
        self.entries[name] = None
        if node is not None and node.place == (self, name):
            node.place = None

    def within(self, other: Node) -> bool:
        """Whether it is `other` or lies below it, in the tree."""
        folder: Folder = self
        while folder is not other:
            if folder.place is None:
                return False
            folder = folder.place[0]
        return True


def copied(node: Node, asked: str) -> Node:
    """A copy of a node as it is in the tree now; it is nowhere yet. Raises `not_a_file` for special files."""
    if node.kind == "other":
        raise FilewrightError(
            Code.NOT_A_FILE,
            f"{node.asked} is a special file; only files, links and folders are copied",
            details={"path": node.asked},
        )
    if isinstance(node, Folder):
        return _copied_folder(node, asked)
    copy = Node(node.kind, asked)
    _take_attributes(copy, node)
    copy.target, copy.mtime_ns = node.target, node.mtime_ns
    if node.kind == "file":
        copy.content = node.content
        if node.content is None:
            assert node.seen is not None
            copy.content = OnDisk(node.open, node.seen.st_size)
    return copy


def _copied_folder(top: Folder, asked: str) -> Folder:
    made = Folder(top.tree, asked, None, None)
    pending = [(top, made)]
    while pending:
        source, copy = pending.pop()
        _take_attributes(copy, source)
        copy.origin = source.origin
        for name, node in source.entries.items():
            if isinstance(node, Folder):
                below = Folder(top.tree, asked, None, None)
                below.place = (copy, name)
                copy.entries[name] = below
                pending.append((node, below))
            else:
                copy.entries[name] = below_node = None if node is None else copied(node, asked)
                if below_node is not None:
                    below_node.place = (copy, name)
    return made


def _take_attributes(copy: Node, node: Node) -> None:
    copy.like = node
    copy.mode, copy.uid, copy.gid, copy.attributes = node.mode, node.uid, node.gid, node.attributes


class Tree:
    """The tree of one change set. `grown` are the folders in which parents were made, each with the
    path that needed them."""

    def __init__(self, boundary: Boundary, folders: OpenFolders) -> None:
        self.boundary = boundary
        self.folders = folders
        self.grown: list[tuple[Folder, Location]] = []
        self._known: dict[tuple[int, int], Folder] = {}
        self._roots: dict[tuple[int, int], Folder] = {}

    def known(self, folder: Folder) -> Folder:
        """The folder of that inode, by whatever path it was reached."""
        assert folder.seen is not None
        return self._known.setdefault((folder.seen.st_dev, folder.seen.st_ino), folder)

    def root(self, root: Root) -> Folder:
        """The folder of a root."""
        key = (root.device, root.inode)
        if key not in self._roots:
            folder = Folder(self, root.name, os.fstat(root.fd), Location(root, (), "."))
            self._roots[key] = self._known[key] = folder
        return self._roots[key]

    def all_folders(self) -> Iterator[Folder]:
        """Every living folder that a step has looked at, parents before what is in them."""
        pending = deque(self._roots.values())
        seen: set[int] = set()
        while pending:
            folder = pending.popleft()
            if id(folder) in seen:
                continue
            seen.add(id(folder))
            yield folder
            for name in sorted(folder.entries):
                node = folder.entries[name]
                if isinstance(node, Folder):
                    pending.append(node)

    def old_folders(self) -> list[Folder]:
        """Every folder that was looked into on the disk, living or not."""
        return list(self._known.values())

    def find(self, where: Location, *, create: bool = False) -> tuple[Folder, bytes, Node | None]:
        """The folder that holds `where`, its name there, and what the tree has under it.

        With `create`, missing folders above it are made in the tree. Raises `not_found`,
        `not_a_directory`, `path_escape`, `symlink`.
        """
        if not where.parts:
            self.boundary.guard_write(where)
        parent = self._walk(where, where.parts[:-1], create)
        return parent, where.name, parent.lookup(where.name, where.asked)

    def _walk(self, where: Location, parts: tuple[bytes, ...], create: bool) -> Folder:
        folder = self.root(where.root)
        pending = list(reversed(parts))
        followed = made = 0
        while pending:
            name = pending.pop()
            if name in (b"", b"."):
                continue
            if name == b"..":
                if folder.place is None:
                    raise _escape(where)
                folder = folder.place[0]
                continue
            node = folder.lookup(name, where.asked)
            if node is None and create:
                node = Folder(self, where.asked, None, None)
                folder.attach(name, node)
                self.grown.append((folder, where))
            if node is None:
                raise FilewrightError(
                    Code.NOT_FOUND,
                    f"{where.asked} does not exist: there is no {name.decode('utf-8', 'replace')}",
                    hint="list the folder to see what is there",
                    details={"path": where.asked},
                )
            if node.kind == "link" and node.target is not None:
                followed += 1
                if followed > _LINKS:
                    raise from_os_error(OSError(40, os.strerror(40)), where.asked)
                if node.target.startswith(b"/"):
                    raise _escape(where)
                pending.extend(reversed(node.target.split(b"/")))
                continue
            if not isinstance(node, Folder):
                raise FilewrightError(
                    Code.NOT_A_DIRECTORY,
                    f"{where.asked}: {name.decode('utf-8', 'replace')} is not a folder",
                    hint="name a folder",
                    details={"path": where.asked},
                )
            folder = node
            made += folder.seen is None
            if made > DEEPEST:
                raise too_deep(where.asked, DEEPEST)
        return folder


def _escape(where: Location) -> FilewrightError:
    return FilewrightError(
        Code.PATH_ESCAPE,
        f"{where.asked} leads out of the root",
        hint="paths must stay below a root; absolute links are never followed",
        details={"path": where.asked},
    )
