"""The tree of one change: the paths that it touches, as they are and will be.

A file is loaded from the disk when a step first names it. Every step acts on the tree,
so a later step sees the results of the earlier ones. At the end the difference between
the tree and the disk is what remains to be done.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.changes.open_folders import FolderId, OpenFolders
from filewright.changes.tree_node import (
    OriginalFile,
    Position,
    PositionRules,
    TreeNode,
    TreeRecords,
)
from filewright.edit.changeset import ChangeSet, Step
from filewright.errors import FilewrightError, from_os_error
from filewright.progress import Task

_MAX_LINKS = 40
MAX_DEPTH = 400
"""Levels of folders that one change makes, copies or deletes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeferredChangeSet(ChangeSet):
    """A change set whose steps are worked out on the tree of its commit: an undo.

    `build_steps` applies some of them itself and returns those that come after.
    `list_locations` yields all that it may touch.
    """

    build_steps: Callable[[ChangeTree], Sequence[Step]]
    list_locations: Callable[[], Iterator[Location]]

    def iterate_locations(self) -> Iterator[Location]:
        """Yield the locations that the steps may change."""
        return self.list_locations()


class TreeEntry(NamedTuple):
    """A path in the tree: its folder and name, and the node there, if any."""

    folder: TreeNode
    name: bytes
    node: TreeNode | None

    @property
    def position(self) -> Position:
        """The folder and the name."""
        return Position(self.folder, self.name)


@dataclass(frozen=True, slots=True)
class _PassedFolder:
    """A folder on the way to a path, under the name by which it was entered."""

    node: TreeNode
    name: bytes
    rules: PositionRules


class ChangeTree:
    """The tree on which the steps of one change set are applied.

    With `copy_moves`, files are moved by copying: the file system has refused a rename.
    """

    def __init__(
        self,
        boundary: Boundary,
        open_folders: OpenFolders,
        change_set: ChangeSet,
        task: Task,
        *,
        copy_moves: bool = False,
    ) -> None:
        self.boundary = boundary
        self.change_set = change_set
        self.task = task
        self.copy_moves = copy_moves
        self.records = TreeRecords(boundary, open_folders)
        self.roots: list[TreeNode] = []
        """The roots that steps named, without those reached from a root above."""
        self.hard_linked: list[tuple[TreeNode, Location]] = []
        """Files with other names, to be written to."""
        self.notes: list[str] = []
        """Sentences for the user about the steps."""
        self._root_nodes: dict[FolderId, TreeNode] = {}

    def __enter__(self) -> ChangeTree:
        return self

    def __exit__(self, *_: object) -> None:
        """Take the references of all nodes to each other away.

        The nodes are a circle of references, so the memory of a hundred thousand of
        them would be free only long after the commit.
        """
        pending = [*self.roots, *self.records.loaded]
        self.records.clear()
        while pending:
            pending.extend(pending.pop().dissolve())

    @property
    def is_undo(self) -> bool:
        """Return True if the change set undoes other changes."""
        return self.change_set.reverts is not None

    def find(
        self,
        location: Location,
        *,
        create: bool = False,
        changing: bool = False,
    ) -> TreeEntry:
        """Find a path in the tree.

        With `create`, missing folders above it are put in the tree. With `changing`,
        all that lies on the way is asked whether it may be written to, also where links
        lead. Raise `not_found`, `not_a_directory`, `path_escape`, `symlink` and
        `permission_denied`.
        """
        if changing or not location.parts:
            self.boundary.require_writable_names(location, location.parts)
        root = self._root_node(location)
        walk = _PathWalk(root, location, create=create, changing=changing)
        entry = walk.run()
        if changing and walk.followed_links:
            # Links count whether they are on the disk or made by this change: once
            # something is staged, a refusal would come too late.
            self.boundary.require_writable_names(
                location, walk.resolved_names()
            )
        return entry

    def require_node(
        self, location: Location, *, changing: bool = False
    ) -> TreeNode:
        """Return the node of a path. Raise `not_found` if there is none."""
        node = self.find(location, changing=changing).node
        if node is None:
            raise errors.missing(location.requested_path)
        return node

    def _root_node(self, location: Location) -> TreeNode:
        root = location.root
        identity = root.identity
        if identity not in self._root_nodes:
            original = OriginalFile(
                root.folder.status().pack(),
                parent=None,
                folder_location=Location(root, ()),
            )
            node = TreeNode.from_disk(self.records, root.name, original)
            # It may have been reached from a root above: then that node counts.
            known_node = self.records.folders.setdefault(identity, node)
            self._root_nodes[identity] = known_node
            if known_node is node:
                self.roots.append(node)
        return self._root_nodes[identity]


class _PathWalk:
    """The walk from a root to a path in the tree, a name at a time, through links."""

    def __init__(
        self,
        root: TreeNode,
        location: Location,
        *,
        create: bool,
        changing: bool,
    ) -> None:
        rules = PositionRules(root.original_rules(), is_original=True)
        self._passed = [_PassedFolder(root, b"", rules)]
        # The next name is the last: the names of a link's target go before the rest.
        self._pending = list(reversed(location.parts))
        self._last_name = b""
        self._location = location
        self._requested_path = location.requested_path
        self._create = create
        self._changing = changing
        self.followed_links = 0
        self._new_folders = 0

    def run(self) -> TreeEntry:
        """Walk to the end of the path."""
        while True:
            folder, name = self._passed[-1].node, self._pending.pop()
            if name in (b"", b"."):
                continue
            if name == b"..":
                self._passed.pop()
                if not self._passed:
                    raise self._leads_out()
                continue
            node = self._find_child(folder, name)
            if not self._pending:
                self._last_name = name
                return TreeEntry(folder, name, node)
            if node is not None and node.target is not None:
                self._follow_link(node.target)
            else:
                self._enter_folder(folder, name, node)

    def resolved_names(self) -> tuple[bytes, ...]:
        """Return the names from the root to the path, without links."""
        return (*(passed.name for passed in self._passed[1:]), self._last_name)

    def _find_child(self, folder: TreeNode, name: bytes) -> TreeNode | None:
        node = folder.child(name, self._requested_path)
        if self._changing:
            is_folder: bool | None = None
            if node is not None:
                is_folder = node.kind == "folder"
            elif self._pending:
                is_folder = True
            rules = self._passed[-1].rules.rules
            rules.require_allowed(
                self._requested_path, name, is_folder, for_change=True
            )
        return node

    def _follow_link(self, target: bytes) -> None:
        self.followed_links += 1
        if self.followed_links > _MAX_LINKS:
            error = OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            raise from_os_error(error, self._requested_path)
        if target.startswith(b"/"):
            # Not followed even if it leads below the root, as everywhere in a
            # workspace.
            raise self._leads_out()
        self._pending.extend(reversed(target.split(b"/")))

    def _enter_folder(
        self, folder: TreeNode, name: bytes, node: TreeNode | None
    ) -> None:
        if node is None and self._create:
            node = folder.put_new("folder", name, self._requested_path)
        if node is None or node.kind != "folder":
            self._require_allowed_below(name)
            refusal = errors.missing if node is None else errors.not_a_folder
            raise refusal(self._requested_path, name.decode("utf-8", "replace"))
        if node.original is None:
            self._new_folders += 1
            if self._new_folders > MAX_DEPTH:
                raise errors.too_deep(self._requested_path, MAX_DEPTH)
        rules = node.rules_at(name, self._passed[-1].rules)
        self._passed.append(_PassedFolder(node, name, rules))

    def _require_allowed_below(self, name: bytes) -> None:
        """Refuse names below a missing folder: rules may match them all the same."""
        if not self._changing:
            return
        rules = self._passed[-1].rules.rules
        for parent_name, child_name in pairwise(
            [name, *reversed(self._pending)]
        ):
            rules = rules.enter(parent_name, None)
            rules.require_allowed(
                self._requested_path, child_name, None, for_change=True
            )

    def _leads_out(self) -> FilewrightError:
        root_path = quote(self._location.root.path)
        return errors.outside_root(self._requested_path, root_path)
