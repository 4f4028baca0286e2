"""The tree of one change: the few paths that it touches, as they are and as it makes them.

A file is loaded from the disk when a step first names it. Every step acts on the tree, so a
later step sees the results of the earlier ones. At the end the difference between the tree
and the disk is what remains to be done.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.boundary.rules import DenyRules
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

    `build_steps` applies some of them itself and returns those that come after. `locations`
    are all that it may touch.
    """

    build_steps: Callable[[ChangeTree], Sequence[Step]]
    locations: Collection[Location] = field()


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
        """The roots that steps have named, without those that were reached from a root above."""
        self.hard_linked: list[tuple[TreeNode, Location]] = []
        """Files with other names, to be written to."""
        self.notes: list[str] = []
        """Sentences for the user about the steps."""
        self._root_nodes: dict[FolderId, TreeNode] = {}
        self._checked: set[Location] = set()

    @property
    def is_undo(self) -> bool:
        """Return True if the change set undoes other changes."""
        return self.change_set.reverts is not None

    def is_checked(self, location: Location) -> bool:
        """Return True if a step has asked already whether a path may be changed."""
        return location in self._checked

    def find(
        self, location: Location, *, create: bool = False, changing: bool = False
    ) -> TreeEntry:
        """Find a path in the tree.

        With `create`, missing folders above it are put in the tree. With `changing`, all
        that lies on the way is asked whether it may be written to, also where links lead.
        Raise `not_found`, `not_a_directory`, `path_escape`, `symlink` and
        `permission_denied`.
        """
        requested_path = location.requested_path
        if changing or not location.parts:
            self.boundary.require_writable_names(location, location.parts)
            self._checked.add(location)
        root = self._root_node(location)
        root_rules = PositionRules(root.original_rules(), is_original=True)
        passed = [_PassedFolder(root, b"", root_rules)]
        pending = list(reversed(location.parts))
        followed_links = new_folders = 0
        while True:
            folder, rules = passed[-1].node, passed[-1].rules
            name = pending.pop()
            if name in (b"", b"."):
                continue
            if name == b"..":
                passed.pop()
                if not passed:
                    raise self._leads_out(location)
                continue
            node = folder.child(name, requested_path)
            if changing:
                is_folder = _is_folder(node, is_last=not pending)
                rules.rules.require_allowed(
                    requested_path, name, is_folder, for_change=True
                )
            if not pending:
                break
            if node is not None and node.target is not None:
                followed_links += 1
                if followed_links > _MAX_LINKS:
                    error = OSError(errno.ELOOP, os.strerror(errno.ELOOP))
                    raise from_os_error(error, requested_path)
                if node.target.startswith(b"/"):
                    raise self._leads_out(location)
                pending.extend(reversed(node.target.split(b"/")))
                continue
            if node is None and create:
                node = folder.put_new("folder", name, requested_path)
            if node is None or node.kind != "folder":
                if changing:
                    names = [name, *reversed(pending)]
                    _require_names_allowed(rules.rules, names, requested_path)
                refusal = errors.missing if node is None else errors.not_a_folder
                raise refusal(requested_path, name.decode("utf-8", "replace"))
            if node.original is None:
                new_folders += 1
                if new_folders > MAX_DEPTH:
                    raise errors.too_deep(requested_path, MAX_DEPTH)
            passed.append(_PassedFolder(node, name, node.rules_at(name, rules)))
        if changing and followed_links:
            # Links count whether they are on the disk or made by this change: once
            # something is staged, a refusal would come too late.
            names = [*(step.name for step in passed[1:]), name]
            self.boundary.require_writable_names(location, tuple(names))
        return TreeEntry(folder, name, node)

    def require_node(self, location: Location, *, changing: bool = False) -> TreeNode:
        """Return the node of a path. Raise `not_found` if there is none."""
        node = self.find(location, changing=changing).node
        if node is None:
            raise errors.missing(location.requested_path)
        return node

    def _root_node(self, location: Location) -> TreeNode:
        root = location.root
        identity = root.identity
        if identity not in self._root_nodes:
            original = OriginalFile(root.folder.status(), Location(root, ()), None)
            node = TreeNode.from_disk(self.records, root.name, original)
            # It may have been reached from a root above: then that node counts.
            known_node = self.records.folders.setdefault(identity, node)
            self._root_nodes[identity] = known_node
            if known_node is node:
                self.roots.append(node)
        return self._root_nodes[identity]

    @staticmethod
    def _leads_out(location: Location) -> FilewrightError:
        return errors.outside_root(location.requested_path, quote(location.root.path))


def _is_folder(node: TreeNode | None, *, is_last: bool) -> bool | None:
    """Return True if a name is that of a folder, None if that is not known."""
    if node is not None:
        return node.kind == "folder"
    return None if is_last else True


def _require_names_allowed(
    rules: DenyRules, names: Sequence[bytes], requested_path: str
) -> None:
    """Refuse names below a folder that does not exist: rules can match them all the same."""
    for parent_name, name in pairwise(names):
        rules = rules.enter(parent_name, None)
        rules.require_allowed(requested_path, name, None, for_change=True)
