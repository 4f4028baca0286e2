"""A tree that exists only in thought: the workspace as it would be after the steps taken so far.

Nodes are loaded from the disk when a step first names them. Because every step acts on the draft,
later steps see the results of earlier ones, and what remains to be done at the end is only the
difference between where each node was and where it is.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping

from filewright.boundary import Boundary, Location, Root
from filewright.changes.content import Content, listed
from filewright.changes.record import Kind
from filewright.edit.changeset import Expected
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.text import Splice

_LINKS = 40
DEEPEST = 400
"""Levels of folders that one change makes, copies or deletes: the tools to do and undo it go down with them."""
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Node:
    """A file, link or special file: where it was (`home`), where it is now (`place`), what changes.

    `seen` is its status on the disk, None for a new one. `content` None leaves the bytes as they
    are; `digest` is the content's xxh3_128 where it was worked out ahead; `splices` are given if it
    is one edit of the bytes on the disk. `mode`, `uid`, `gid`, `mtime_ns`, `attributes` None are
    left as they are. `like` is what a copy was made of.
    """

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

    @property
    def fresh(self) -> bool:
        """Whether a new inode stands for it after the change."""
        return self.home is None or self.content is not None

    @property
    def alive(self) -> bool:
        """Whether it is still in the draft, and every folder above it too."""
        place = self.place
        while place is not None and not place[0].is_root:
            place = place[0].place
        return place is not None

    @property
    def current_mode(self) -> int:
        """Its permission bits in the draft."""
        if self.mode is not None:
            return self.mode
        return stat.S_IMODE(self.seen.st_mode) if self.seen is not None else 0

    def open(self) -> int:
        """A descriptor of the file on the disk, at its home. Raises `OSError`."""
        assert self.home is not None
        folder, name = self.home
        return os.open(name, _OPEN, dir_fd=folder.fd())


class Folder(Node):
    """A folder: its entries that any step has looked at; None stands for "nothing there"."""

    def __init__(self, draft: Draft, asked: str, seen: os.stat_result | None, where: Location | None) -> None:
        super().__init__("folder", asked, seen)
        self.draft = draft
        self.where = where
        self.entries: dict[bytes, Node | None] = {}
        self.initial: dict[bytes, Node | None] = {}
        self.is_root = where is not None and not where.parts
        self.descriptor = -1

    def fd(self) -> int:
        """A descriptor of the folder on the disk; opened once, by its place at the start."""
        if self.descriptor < 0:
            if self.where is None:
                raise FilewrightError(Code.INTERNAL, f"the folder {self.asked} is not on the disk yet")
            self.descriptor = self.draft.open_folder(self.where)
            status = os.fstat(self.descriptor)
            if self.seen is not None and (status.st_dev, status.st_ino) != (
                self.seen.st_dev,
                self.seen.st_ino,
            ):
                raise FilewrightError(
                    Code.STALE_VERSION,
                    f"the folder {self.where.shown} was replaced meanwhile",
                    hint="try again",
                    details={"path": self.where.shown},
                )
        return self.descriptor

    @property
    def device(self) -> int:
        """The device it is, or will be, on."""
        folder: Folder = self
        while folder.seen is None:
            assert folder.place is not None
            folder = folder.place[0]
        return folder.seen.st_dev

    def lookup(self, name: bytes, asked: str) -> Node | None:
        """What the draft has under `name`."""
        if name in self.entries:
            return self.entries[name]
        node = self._load(name, asked) if self.seen is not None else None
        self.entries[name] = node
        if self.seen is not None:
            self.initial[name] = node
        return node

    def _load(self, name: bytes, asked: str) -> Node | None:
        try:
            seen = os.stat(name, dir_fd=self.fd(), follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise from_os_error(error, asked, doing="look at") from error
        node: Node
        if stat.S_ISDIR(seen.st_mode):
            assert self.where is not None
            node = self.draft.folder_seen(seen, asked, self.where.child(name))
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
        if node.home is None:
            node.home = node.place = (self, name)
        return node

    def names(self) -> list[bytes]:
        """Every name the draft has in it, sorted."""
        found = set(listed(self.fd())) if self.seen is not None else set()
        gone = {name for name, node in self.entries.items() if node is None}
        return sorted((found | self.entries.keys()) - gone)

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
        """Whether it is `other` or lies below it, in the draft."""
        folder: Folder = self
        while folder is not other:
            if folder.place is None:
                return False
            folder = folder.place[0]
        return True


class Draft:
    """The draft of one change set, with the folder descriptors it holds; `close` lets them go.

    `grown` are the folders in which parents were made, each with the path that needed them.
    """

    def __init__(self, boundary: Boundary) -> None:
        self.boundary = boundary
        self.grown: list[tuple[Folder, Location]] = []
        self._folders: dict[tuple[int, int], Folder] = {}
        self._roots: dict[tuple[int, int], Folder] = {}

    def close(self) -> None:
        """Close every descriptor."""
        for folder in self._folders.values():
            if folder.descriptor >= 0:
                os.close(folder.descriptor)
                folder.descriptor = -1

    def open_folder(self, where: Location) -> int:
        """Open a folder through the boundary, with room made for many descriptors."""
        try:
            return self.boundary.open_folder(where)
        except FilewrightError as error:
            if error.details.get("errno") != "EMFILE" or not _raise_descriptor_limit():
                raise
            return self.boundary.open_folder(where)

    def folder_seen(self, seen: os.stat_result, asked: str, where: Location) -> Folder:
        """The folder node with that inode, by whatever path it was reached."""
        key = (seen.st_dev, seen.st_ino)
        folder = self._folders.get(key)
        if folder is None:
            folder = self._folders[key] = Folder(self, asked, seen, where)
        return folder

    def root(self, root: Root) -> Folder:
        """The folder node of a root."""
        key = (root.device, root.inode)
        if key not in self._roots:
            seen = os.fstat(root.fd)
            folder = Folder(self, root.name, seen, Location(root, (), "."))
            self._roots[key] = self._folders[key] = folder
        return self._roots[key]

    def new_folder(self, asked: str) -> Folder:
        """A folder that is not on the disk yet."""
        return Folder(self, asked, None, None)

    def folders(self) -> Iterator[Folder]:
        """Every living folder, parents before what is in them."""
        pending: list[Folder] = list(self._roots.values())
        seen: set[int] = set()
        while pending:
            folder = pending.pop(0)
            if id(folder) in seen:
                continue
            seen.add(id(folder))
            yield folder
            for name in sorted(folder.entries):
                node = folder.entries[name]
                if isinstance(node, Folder):
                    pending.append(node)

    def old_folders(self) -> Iterator[Folder]:
        """Every folder that was looked into on the disk, living or not."""
        yield from list(self._folders.values())

    def find(self, where: Location, *, create: bool = False) -> tuple[Folder, bytes, Node | None]:
        """The folder that holds `where`, its name there, and what the draft has under it.

        With `create`, missing folders above it are made in the draft. Raises `not_found`,
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
                    raise self._escape(where)
                folder = folder.place[0]
                continue
            node = folder.lookup(name, where.asked)
            if node is None and create:
                node = self.new_folder(where.asked)
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
                    raise self._escape(where)
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
                raise too_deep(where.asked)
        return folder

    @staticmethod
    def _escape(where: Location) -> FilewrightError:
        return FilewrightError(
            Code.PATH_ESCAPE,
            f"{where.asked} leads out of the root",
            hint="paths must stay below a root; absolute links are never followed",
            details={"path": where.asked},
        )


def _raise_descriptor_limit() -> bool:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= hard != resource.RLIM_INFINITY:
        return False
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else 1 << 20, hard))
    return True


def too_deep(asked: str) -> FilewrightError:
    """For a tree with more levels than one change takes on."""
    return FilewrightError(
        Code.TOO_LARGE,
        f"{asked if len(asked) < 200 else asked[:100] + '…'} has more than {DEEPEST} levels of folders, "
        "which is too deep for one change; nothing was changed",
        hint="begin with a folder further down; moving is possible at any depth",
        details={"levels": DEEPEST},
    )
