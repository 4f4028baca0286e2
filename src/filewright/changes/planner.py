"""From a draft to operations on names, in an order in which every folder is where it is needed.

Top-down: a thing is put into a folder only after that folder is in its final place. What stands in
the way is exchanged if it goes, or lifted to a temporary name if it moves on. What is deleted is
taken away last, so that moves out of it come first.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass

from filewright.changes.draft import Draft, Folder, Node
from filewright.changes.operations import Alter, FolderRef, Leaf, Operation, Plan, Put, Seal, Slot, Take
from filewright.changes.record import Place
from filewright.changes.save import Saved
from filewright.changes.survey import Survey, final_attributes

PREFIX = b".fw~"


def temporary_name() -> bytes:
    """A short random name that no user would give a file."""
    return PREFIX + base64.b32encode(os.urandom(5)).lower()


def is_temporary(name: bytes) -> bool:
    """Whether a name has the form of ours."""
    return name.startswith(PREFIX) and len(name) == len(PREFIX) + 8


@dataclass(frozen=True, slots=True)
class Staging:
    """A temporary to be made: where, and the node it is made of."""

    carrier: Slot
    node: Node


class Planner:
    """Plans one change set. `plan` and `staging` are the result; `folders` gives the numbers' nodes."""

    def __init__(self, draft: Draft, survey: Survey, saved: Mapping[int, Saved]) -> None:
        self._draft = draft
        self._survey = survey
        self._saved = saved
        self.folders: list[Folder] = []
        self._numbers: dict[int, int] = {}
        self._history: dict[int, list[tuple[Folder, bytes]]] = {}
        self._operations: list[Operation] = []
        self._taken: list[Take] = []
        self._lifted: dict[int, Slot] = {}
        self._gone: set[int] = set()
        self.staging: list[Staging] = []
        self._moved = {id(node) for node in survey.moved}
        self._displaced = {id(node) for node in survey.displaced}

    def plan(self) -> Plan:
        """Work it out."""
        for folder in self._draft.folders():
            for name in sorted(folder.entries):
                node = folder.entries[name]
                if node is None:
                    continue
                if node.fresh:
                    if folder.seen is not None:
                        self._put_fresh(folder, name, node)
                elif node.place != node.home:
                    self._put_moved(folder, name, node)
        for node in self._survey.displaced:
            self._take(node)
        self._operations.extend(self._taken)
        for node in self._survey.altered:
            self._alter(node)
        references = tuple(
            FolderRef(
                tuple(self._places(folder, ())), folder.seen.st_ino if folder.seen is not None else None
            )
            for folder in self.folders
        )
        return Plan(references, tuple(self._operations))

    # Slots

    def _number(self, folder: Folder) -> int:
        number = self._numbers.get(id(folder))
        if number is None:
            number = self._numbers[id(folder)] = len(self.folders)
            self.folders.append(folder)
        return number

    def _slot(self, folder: Folder, name: bytes) -> Slot:
        return Slot(self._number(folder), name)

    def _temporary(self, folder: Folder) -> Slot:
        return self._slot(folder, temporary_name())

    def _stood(self, node: Node, folder: Folder, name: bytes) -> None:
        """Remember that a folder stands, for a while, under that name."""
        if isinstance(node, Folder):
            self._history.setdefault(id(node), []).append((folder, name))

    def _places(self, folder: Folder, above: tuple[int, ...]) -> list[Place]:
        if folder.is_root:
            assert folder.where is not None
            root = folder.where.root
            return [Place(root.resolved or root.path, ())]
        if id(folder) in above:
            return []
        stands = list(self._history.get(id(folder), ()))
        for end in (folder.home, folder.place):
            if end is not None and end not in stands:
                stands.append(end)
        found: dict[Place, None] = {}
        for parent, name in stands:
            for place in self._places(parent, (*above, id(folder))):
                found[Place(place.root, (*place.parts, name))] = None
        return list(found)

    # Operations

    def _put_fresh(self, folder: Folder, name: bytes, node: Node) -> None:
        carrier = self._temporary(folder)
        self.staging.append(Staging(carrier, node))
        self._stood(node, folder, carrier.name)
        tree = tuple(self._tree(node, ())) if isinstance(node, Folder) else ()
        self._put(carrier, folder, name, staged=True, after=fresh_seal(node), tree=tree)

    def _tree(self, folder: Folder, above: tuple[bytes, ...]) -> list[Leaf]:
        leaves: list[Leaf] = []
        for name in sorted(folder.entries):
            node = folder.entries[name]
            if node is None or not node.fresh:
                continue
            leaves.append(Leaf((*above, name), fresh_seal(node)))
            if isinstance(node, Folder):
                leaves.extend(self._tree(node, (*above, name)))
        return leaves

    def _put_moved(self, folder: Folder, name: bytes, node: Node) -> None:
        assert node.home is not None
        assert node.seen is not None
        carrier = self._lifted.get(id(node))
        if carrier is None:
            source, source_name = node.home
            blocked = self._occupant(folder, name)
            direct = (source.is_root or source.alive) and source.entries.get(source_name) is None
            if blocked is not None and not self._moves_on(blocked) and not direct:
                carrier = self._lift(node, folder)
            else:
                carrier = self._slot(source, source_name)
        self._put(carrier, folder, name, staged=False, after=moved_seal(node))
        self._gone.add(id(node))

    def _put(
        self,
        carrier: Slot,
        folder: Folder,
        name: bytes,
        *,
        staged: bool,
        after: Seal,
        tree: tuple[Leaf, ...] = (),
    ) -> None:
        occupant = self._occupant(folder, name)
        if occupant is not None and self._moves_on(occupant):
            self._lift(occupant, folder)
            occupant = None
        place = self._slot(folder, name)
        saved = self._saved[id(occupant)] if occupant is not None else None
        self._operations.append(
            Put(
                carrier=carrier,
                place=place,
                spare=self._temporary(folder),
                staged=staged,
                after=after,
                before=saved.seal if saved else None,
                tree=tree,
                displaced=saved.tree if saved else (),
            )
        )
        if occupant is None or saved is None:
            return
        self._gone.add(id(occupant))
        holder = self.folders[carrier.folder]
        self._stood(occupant, holder, carrier.name)
        if not is_temporary(carrier.name):
            aside = self._temporary(holder)
            self._stood(occupant, holder, aside.name)
            self._taken.append(Take(carrier, aside, saved.seal, saved.tree))

    def _occupant(self, folder: Folder, name: bytes) -> Node | None:
        """What stands physically under a name, as far as the operations planned so far go."""
        node = folder.initial.get(name)
        return None if node is None or id(node) in self._gone or id(node) in self._lifted else node

    def _moves_on(self, node: Node) -> bool:
        return id(node) in self._moved

    def _lift(self, node: Node, into: Folder) -> Slot:
        """Move a node out of the way, or out of a folder that goes, to a temporary name."""
        assert node.home is not None
        folder, name = node.home
        temporary = self._temporary(into)
        self._operations.append(
            Put(
                carrier=self._slot(folder, name),
                place=temporary,
                spare=self._temporary(into),
                staged=False,
                after=moved_seal(node),
            )
        )
        self._stood(node, into, temporary.name)
        self._lifted[id(node)] = temporary
        return temporary

    def _take(self, node: Node) -> None:
        if id(node) in self._gone:
            return
        assert node.home is not None
        folder, name = node.home
        saved = self._saved[id(node)]
        aside = self._temporary(folder)
        self._stood(node, folder, aside.name)
        self._taken.append(Take(self._slot(folder, name), aside, saved.seal, saved.tree))
        self._gone.add(id(node))

    def _alter(self, node: Node) -> None:
        assert node.place is not None
        assert node.seen is not None
        mode, uid, gid = final_attributes(node)
        self._operations.append(
            Alter(
                place=self._slot(*node.place),
                seal=moved_seal(node),
                mode=(node.seen.st_mode & 0o7777, mode),
                uid=(node.seen.st_uid, uid),
                gid=(node.seen.st_gid, gid),
            )
        )


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
