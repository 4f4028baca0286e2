"""The difference between the tree of a change and the disk, after all steps."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from filewright import errors
from filewright.boundary.location import Location
from filewright.changes.change_tree import ChangeTree
from filewright.changes.tree_node import PositionRules, TreeNode
from filewright.changes.tree_steps import apply_steps
from filewright.edit.changeset import Move
from filewright.text.spelling import visible_form

_MAX_LISTED_FOLDERS = 50
"""Folders of one change whose names are compared with new names."""
_WRITE_BITS = 0o222


@dataclass(frozen=True, slots=True)
class TreeDiff:
    """The nodes of a tree in groups, and a node may be in several."""

    folder_locations: Mapping[TreeNode, Location]
    """The folders in the tree that steps have looked at, parents first."""
    displaced: tuple[TreeNode, ...]
    """Files on the disk whose inode goes: deleted, overwritten or rewritten.

    A file in a displaced folder goes with that folder.
    """
    created: tuple[TreeNode, ...]
    """Nodes that need a new inode, parents before their children."""
    staged: tuple[TreeNode, ...]
    """Created nodes in folders on the disk: children of new folders go with these."""
    moved: tuple[TreeNode, ...]
    """Files on the disk that get another name."""
    rights_changed: tuple[TreeNode, ...]
    """Files on the disk that keep their inode and get another mode or owner."""
    hard_links: Mapping[str, int]
    """The number of names of each file whose other names are left behind, by path."""
    notes: tuple[str, ...]
    """Sentences for the user."""

    @property
    def is_empty(self) -> bool:
        """Return True if the change would leave everything as it is."""
        return not (
            self.displaced or self.staged or self.moved or self.rights_changed
        )

    def location_of(self, node: TreeNode) -> Location:
        """Return the location after the change of a node in the tree."""
        return _location_of(node, self.folder_locations)

    def is_present(self, node: TreeNode) -> bool:
        """Return True if a node is in the tree after the change."""
        return _is_present(node, self.folder_locations)

    def is_moved(self, node: TreeNode) -> bool:
        """Return True if a file on the disk keeps its inode and gets another name."""
        return _is_moved(node, self.folder_locations)

    def is_rewritten(self, node: TreeNode) -> bool:
        """Return True if a node is in the tree after the change, with a new inode."""
        return node.needs_new_inode and self.is_present(node)


def apply_change_set(tree: ChangeTree) -> TreeDiff:
    """Apply the steps of a tree's change set, and return the difference from the disk.

    Raise the refusal of a step or of all steps together, and `timeout`.
    """
    apply_steps(tree)
    arrangement = _arrange(tree)
    _require_writable_folders(tree, arrangement)
    hard_links = _break_hard_links(tree, arrangement)
    if tree.records.has_arrivals:
        _require_allowed_ends(tree, arrangement)
        _note_look_alikes(tree, arrangement)
    return _collect(tree, arrangement, hard_links)


@dataclass(slots=True)
class _Arrangement:
    """The tree after all steps, from the roots down.

    Only folders have their locations here: there may be a hundred thousand files.
    """

    folder_locations: dict[TreeNode, Location] = field(default_factory=dict)
    created: list[TreeNode] = field(default_factory=list)
    staged: list[TreeNode] = field(default_factory=list)


def _arrange(tree: ChangeTree) -> _Arrangement:
    """Walk the tree, a folder before its children."""
    arrangement = _Arrangement()
    # A root that was reached from a root above it is a folder there.
    for root in tree.roots:
        assert root.original is not None
        arrangement.folder_locations[root] = root.original.location
    pending = list(tree.roots)
    while pending:
        folders, pending = pending, []
        for folder in folders:
            pending.extend(_arrange_children(folder, arrangement))
    return arrangement


def _arrange_children(
    folder: TreeNode, arrangement: _Arrangement
) -> list[TreeNode]:
    """Add the children of a folder; return those that are folders."""
    child_folders: list[TreeNode] = []
    location = arrangement.folder_locations[folder]
    for name, node in sorted(folder.children.items()):
        # A folder may have been reached by two paths: its position tells the right one.
        if node is None or node.position != (folder, name):
            continue
        if node.needs_new_inode:
            arrangement.created.append(node)
            if folder.original is not None:
                arrangement.staged.append(node)
        if node.kind == "folder":
            arrangement.folder_locations[node] = location.child(name)
            child_folders.append(node)
    return child_folders


def _is_present(
    node: TreeNode, folder_locations: Mapping[TreeNode, Location]
) -> bool:
    if node.position is None:
        return node in folder_locations
    folder, name = node.position
    return folder in folder_locations and folder.children.get(name) is node


def _location_of(
    node: TreeNode, folder_locations: Mapping[TreeNode, Location]
) -> Location:
    if node.position is None:
        return folder_locations[node]
    folder, name = node.position
    return folder_locations[folder].child(name)


def _is_moved(
    node: TreeNode, folder_locations: Mapping[TreeNode, Location]
) -> bool:
    return (
        not node.needs_new_inode
        and node.position != node.original_position
        and _is_present(node, folder_locations)
    )


def _require_writable_folders(
    tree: ChangeTree, arrangement: _Arrangement
) -> None:
    locations = arrangement.folder_locations
    for folder, requested_path in tree.records.written.items():
        if folder.original is None:
            continue
        # A folder that goes as a whole is not written to, unless something moves out of
        # it.
        is_written = folder in locations or any(
            node is not None and _is_moved(node, locations)
            for node in folder.original_children.values()
        )
        if not is_written:
            continue
        # Root may write to every folder that is not immutable. A mode without any write
        # bit, before and after, is meant, though.
        mode = folder.original.status.mode
        has_write_bit = (mode | folder.rights.mode) & _WRITE_BITS
        if not (has_write_bit and folder.open_original_folder().is_writable()):
            raise errors.unwritable_folder(requested_path, mode)


def _break_hard_links(
    tree: ChangeTree, arrangement: _Arrangement
) -> dict[str, int]:
    """Return the hard links that are broken. Raise if that is not allowed.

    A file that is written to gets an inode of its own, and its other names keep the old
    one: unless they go too, or an undo gives each its earlier content.
    """
    hard_links: dict[str, int] = {}
    if not tree.hard_linked:
        return hard_links
    leaving: Counter[tuple[int, int]] = Counter()
    for node in tree.records.loaded:
        is_present = _is_present(node, arrangement.folder_locations)
        if not is_present or (tree.is_undo and node.needs_new_inode):
            assert node.original is not None
            leaving[node.original.status.identity] += 1
    for node, location in tree.hard_linked:
        assert node.original is not None
        status = node.original.status
        if leaving[status.identity] >= status.link_count:
            # No name is left behind.
            continue
        if not tree.change_set.break_hard_links:
            raise errors.hard_linked(location.requested_path, status.link_count)
        hard_links[location.display_path] = status.link_count
    return hard_links


def _require_allowed_ends(tree: ChangeTree, arrangement: _Arrangement) -> None:
    """Refuse files that only several steps together bring to a protected folder."""
    rules: dict[TreeNode, PositionRules] = {}
    locations = arrangement.folder_locations
    for folder in locations:
        if folder.position is None:
            rules[folder] = PositionRules(
                folder.original_rules(), is_original=True
            )
        else:
            parent, name = folder.position
            rules[folder] = folder.rules_at(name, rules[parent])
        for node in folder.children.values():
            if node is None or not _is_present(node, locations):
                continue
            if node.needs_new_inode or _is_moved(node, locations):
                location = _location_of(node, locations)
                _require_allowed_end(
                    tree, node, location, folder, rules[folder]
                )


def _require_allowed_end(
    tree: ChangeTree,
    node: TreeNode,
    location: Location,
    folder: TreeNode,
    folder_rules: PositionRules,
) -> None:
    source = node.source
    if source is not None:
        position_in_copy = folder.source, location.name
        if source.original_position == position_in_copy:
            # A child of a copied folder is checked with that folder.
            return
    if not _is_checked(tree, node, location):
        tree.find(location, changing=True)
    if node.kind == "link":
        tree.boundary.require_link_allowed(location)
    if source is None or source.kind != "folder":
        return
    assert source.original is not None
    step = tree.records.arrivals.get(node)
    source_spelling = location.requested_path
    if step is not None:
        source_spelling = step.source.requested_path
        location = location.spelled(step.destination.requested_path)
    tree.boundary.require_tree_transferable(
        source.original.location.spelled(source_spelling),
        location,
        folder_rules.rules.enter(location.name, None),
        moving=isinstance(step, Move),
        task=tree.task,
    )


def _is_checked(tree: ChangeTree, node: TreeNode, location: Location) -> bool:
    """Return True if a step has asked whether the location of a node may be changed."""
    arrivals = tree.records.arrivals
    if node in arrivals:
        return arrivals[node].destination == location
    if node.named_path:
        return False
    # A step has named it by its location, which no move of a folder has changed since.
    folder = node.parent
    while folder is not None:
        if folder in arrivals:
            return False
        folder = folder.parent
    return True


def _note_look_alikes(tree: ChangeTree, arrangement: _Arrangement) -> None:
    """Note new names that look the same as another name of their folder.

    The user may have meant the other.
    """
    if tree.is_undo:
        return
    locations = arrangement.folder_locations
    moved_nodes = [
        node for node in tree.records.loaded if _is_moved(node, locations)
    ]
    listings: dict[TreeNode, dict[str, list[bytes]]] = {}
    for node in (*arrangement.created, *moved_nodes):
        if node.position is None:
            continue
        folder, name = node.position
        is_new_name = folder.original_children.get(name) is None
        # A folder that the change makes has no other names.
        if folder.original is None or not is_new_name:
            continue
        if folder not in listings:
            if len(listings) == _MAX_LISTED_FOLDERS:
                # A change of thousands of folders must not wait for a mere note.
                return
            listings[folder] = _names_by_look(folder)
        names = listings[folder].get(visible_form(os.fsdecode(name)), ())
        folder_location = locations[folder]
        other = _find_visible_name(tree, folder_location, names, name)
        if other is not None:
            location = _location_of(node, locations)
            display_path = location.exact_display_path
            other_path = folder_location.child(other).exact_display_path
            tree.notes.append(
                f"{display_path} looks like {other_path}, but is another file"
            )


def _find_visible_name(
    tree: ChangeTree,
    folder_location: Location,
    names: Sequence[bytes],
    except_name: bytes,
) -> bytes | None:
    """Return the first of some names in a folder that is another and not denied."""
    for name in names:
        if name != except_name:
            rules = tree.boundary.rules_for(folder_location)
            if not rules.denies(name, None):
                return name
    return None


def _names_by_look(folder: TreeNode) -> dict[str, list[bytes]]:
    names: dict[str, list[bytes]] = {}
    for name in folder.child_names():
        names.setdefault(visible_form(os.fsdecode(name)), []).append(name)
    return names


def _collect(
    tree: ChangeTree, arrangement: _Arrangement, hard_links: Mapping[str, int]
) -> TreeDiff:
    locations = arrangement.folder_locations
    displaced_nodes: list[TreeNode] = []
    moved_nodes: list[TreeNode] = []
    rights_changed: list[TreeNode] = []
    for node in tree.records.loaded:
        position = node.original_position
        assert position is not None
        is_present = _is_present(node, locations)
        # A file in a folder that goes is displaced with that folder.
        if (
            node.needs_new_inode or not is_present
        ) and position.folder in locations:
            displaced_nodes.append(node)
        if _is_moved(node, locations):
            moved_nodes.append(node)
        if is_present and not node.needs_new_inode and node.has_new_rights:
            rights_changed.append(node)
    return TreeDiff(
        folder_locations=locations,
        displaced=tuple(displaced_nodes),
        created=tuple(arrangement.created),
        staged=tuple(arrangement.staged),
        moved=tuple(moved_nodes),
        rights_changed=tuple(rights_changed),
        hard_links=hard_links,
        notes=tuple(tree.notes),
    )
