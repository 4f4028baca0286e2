"""From a tree to operations on names, in an order in which every folder is where it is needed.

Top-down: a thing is put into a folder only after that folder is in its final place. What is in the
way is exchanged if it goes, or lifted to a temporary name if it moves on. What is deleted is taken
away last, so that moves out of it come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from filewright.boundary import is_temporary, temporary_name
from filewright.changes.operations import (
    Alter,
    FolderRef,
    Operation,
    Plan,
    Put,
    Seal,
    Slot,
    Take,
)
from filewright.changes.tree import Folder, Node, Tree


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between a tree and the disk.

    `displaced`: their old inode goes (deleted, overwritten, rewritten) and no displaced folder
    holds it. `fresh`: a new inode is made for them, in a folder that is on the disk. `moved`:
    renamed. `altered`: only mode or owner change.
    """

    displaced: list[Node] = field(default_factory=list)
    fresh: list[Node] = field(default_factory=list)
    moved: list[Node] = field(default_factory=list)
    altered: list[Node] = field(default_factory=list)

    @classmethod
    def of(cls, tree: Tree) -> Difference:
        """Look through every node of the tree."""
        found = cls()
        for folder in tree.old_folders():
            folder_alive = folder.is_root or folder.alive
            for node in folder.initial.values():
                if node is None or (isinstance(node, Folder) and node.is_root):
                    continue
                alive = node.alive
                if (not alive or node.fresh) and folder_alive:
                    found.displaced.append(node)
                if node.moved:
                    found.moved.append(node)
                if alive and not node.fresh and node.altered:
                    found.altered.append(node)
        for folder in tree.all_folders():
            nodes = sorted(folder.entries.items()) if folder.seen is not None else ()
            found.fresh.extend(node for _, node in nodes if node is not None and node.fresh)
        return found

    @property
    def empty(self) -> bool:
        """Whether nothing changes at all."""
        return not (self.displaced or self.fresh or self.moved or self.altered)


def new_files(top: Node) -> Iterator[Node]:
    """The new files that steps named, at a fresh node or below it."""
    pending = [top]
    while pending:
        node = pending.pop()
        if isinstance(node, Folder):
            pending += [below for below in node.entries.values() if below is not None and below.fresh]
        elif node.kind == "file":
            yield node


class Planner:
    """Plans one change set: `plan` is the result; `staging` are the carriers to be made, each with the
    number of its operation and the node it is made of."""

    def __init__(self, tree: Tree, difference: Difference) -> None:
        self._folders: list[Folder] = []
        self._operations: list[Operation] = []
        self._taken: list[Take] = []
        self.staging: list[tuple[int, Folder, Node]] = []
        for folder in tree.all_folders():
            for name in sorted(folder.entries):
                node = folder.entries[name]
                if node is None:
                    continue
                if node.fresh:
                    if folder.seen is not None:
                        self._put_fresh(folder, name, node)
                elif node.place != node.home:
                    self._put_moved(folder, name, node)
        for node in difference.displaced:
            self._take(node)
        self._operations.extend(self._taken)
        for node in difference.altered:
            self._alter(node)
        number = 0
        while number < len(self._folders):  # Numbering a folder's slots may number the folders above it.
            self._standing(self._folders[number])
            number += 1

    def plan(self, operations: list[Operation] | None = None) -> Plan:
        """The plan; with the operations as staging has completed them."""
        references = tuple(self._reference(folder) for folder in self._folders)
        return Plan(references, tuple(self._operations if operations is None else operations))

    # Slots

    def _slot(self, folder: Folder, name: bytes) -> Slot:
        if folder.number is None:
            folder.number = len(self._folders)
            self._folders.append(folder)
        return Slot(folder.number, name)

    def _temporary(self, folder: Folder) -> Slot:
        return self._slot(folder, temporary_name())

    def _standing(self, folder: Folder) -> tuple[Slot, ...]:
        """Every slot where a folder may be at any step."""
        if folder.is_root:
            return ()
        ends = [folder.home, folder.place, *folder.stood]
        return tuple(dict.fromkeys(self._slot(*end) for end in ends if end is not None))

    def _reference(self, folder: Folder) -> FolderRef:
        root = folder.path_of().root if folder.is_root else None
        return FolderRef(folder.inode, self._standing(folder), root, made=folder.seen is None)

    # Operations

    def _put_fresh(self, folder: Folder, name: bytes, node: Node) -> None:
        carrier = self._temporary(folder)
        _stood(node, folder, carrier.name)
        number = self._put(carrier, folder, folder, name, staged=True, after=fresh_seal(node))
        self.staging.append((number, folder, node))

    def _put_moved(self, folder: Folder, name: bytes, node: Node) -> None:
        assert node.home is not None
        carrier, holder = node.lifted, folder
        if carrier is None:
            holder, source_name = node.home
            blocked = _occupant(folder, name)
            direct = (holder.is_root or holder.alive) and holder.entries.get(source_name) is None
            if blocked is not None and not blocked.moved and not direct:
                carrier, holder = self._lift(node, folder), folder
            else:
                carrier = self._slot(holder, source_name)
        self._put(carrier, holder, folder, name, staged=False, after=moved_seal(node))
        node.settled = True

    def _put(
        self, carrier: Slot, holder: Folder, folder: Folder, name: bytes, *, staged: bool, after: Seal
    ) -> int:
        """Plan a put from a slot in `holder`; returns its number."""
        occupant = _occupant(folder, name)
        if occupant is not None and occupant.moved:
            self._lift(occupant, folder)
            occupant = None
        saved = occupant.saved if occupant is not None else None
        self._operations.append(
            Put(
                carrier=carrier,
                place=self._slot(folder, name),
                spare=self._temporary(folder),
                staged=staged,
                after=after,
                before=saved.seal if saved else None,
                displaced=saved.tree if saved else {},
            )
        )
        number = len(self._operations) - 1
        if occupant is not None and saved is not None:
            occupant.settled = True
            _stood(occupant, holder, carrier.name)
            if not is_temporary(carrier.name):
                aside = self._temporary(holder)
                _stood(occupant, holder, aside.name)
                self._taken.append(Take(carrier, aside, saved.seal, saved.tree))
        return number

    def _lift(self, node: Node, into: Folder) -> Slot:
        """Move a node out of the way, or out of a folder that goes, to a temporary name."""
        assert node.home is not None
        temporary = self._temporary(into)
        self._operations.append(
            Put(
                carrier=self._slot(*node.home),
                place=temporary,
                spare=self._temporary(into),
                staged=False,
                after=moved_seal(node),
            )
        )
        _stood(node, into, temporary.name)
        node.lifted = temporary
        return temporary

    def _take(self, node: Node) -> None:
        if node.settled:
            return
        assert node.home is not None
        assert node.saved is not None
        folder, _ = node.home
        aside = self._temporary(folder)
        _stood(node, folder, aside.name)
        self._taken.append(Take(self._slot(*node.home), aside, node.saved.seal, node.saved.tree))
        node.settled = True

    def _alter(self, node: Node) -> None:
        assert node.place is not None
        assert node.seen is not None
        mode, uid, gid = node.final_attributes()
        self._operations.append(
            Alter(
                place=self._slot(*node.place),
                seal=moved_seal(node),
                mode=(node.seen.st_mode & 0o7777, mode),
                uid=(node.seen.st_uid, uid),
                gid=(node.seen.st_gid, gid),
            )
        )


def _occupant(folder: Folder, name: bytes) -> Node | None:
    """What is physically under a name, as far as the operations planned so far go."""
    node = folder.initial.get(name)
    return None if node is None or node.settled or node.lifted is not None else node


def _stood(node: Node, folder: Folder, name: bytes) -> None:
    """Remember that a folder is, for a while, under that name."""
    if isinstance(node, Folder):
        node.stood.append((folder, name))


def fresh_seal(node: Node) -> Seal:
    """How the new thing a node stands for will be recognised; staging adds what is not known yet."""
    if node.kind == "file":
        assert node.content is not None
        return Seal("file", node.content.size, node.digest)
    if node.kind == "link":
        return Seal("link", target=node.target)
    return Seal("folder")


def moved_seal(node: Node) -> Seal:
    """How something that keeps its inode is recognised."""
    assert node.seen is not None
    return Seal(node.kind, target=node.target, inode=node.seen.st_ino)
