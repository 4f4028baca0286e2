"""Net changes: several changes as if they had been one, those of a session for example.

The changes are replayed, oldest first, on a tree of the files that they touched. Each
node of the tree knows where it is, and where it would be without the selected changes.
A rename moves one node, with everything in it. The content of a file is a chain of
edits. Where another change wrote between two selected ones, the chain has several runs,
and undo reverts each by a merge of its own. No edit in the middle of a run is stored
that is not needed: a file may have been changed a hundred thousand times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from filewright.changes.blobs import content_after, is_whole_content_stored
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedKind,
    RecordedPath,
    keeps_content,
    states_match,
)
from filewright.progress import Task


@dataclass(frozen=True, slots=True)
class _Slot:
    """A name in a folder."""

    folder: _ReplayNode
    name: bytes


@dataclass(eq=False, slots=True)
class _ReplayNode:
    """A file, folder or link that a change touched, or a folder above one.

    It is at `name` in `folder`, or was there last; a root has no folder. Without the
    selected changes it would be at `original_slot`, or not exist (None). `first` and
    `last` are the first and last selected change of it. `runs` are the selected changes
    of its content, in runs that no other change interrupts. `renamed_later`: it was
    renamed by a selected change, and again by another.
    """

    folder: _ReplayNode | None
    name: bytes
    kind: RecordedKind
    original_slot: _Slot | None = None
    children: dict[bytes, _ReplayNode] = field(default_factory=dict)
    first: FileChange | None = None
    last: FileChange | None = None
    runs: list[list[FileChange]] = field(default_factory=list)
    renamed_later: bool = False

    @property
    def slot(self) -> _Slot:
        """The place where it is, or was last."""
        assert self.folder is not None
        return _Slot(self.folder, self.name)

    @property
    def edits(self) -> list[FileChange]:
        """The selected changes of its content, of all runs."""
        return [edit for run in self.runs for edit in run]

    def add(self, change: FileChange) -> None:
        """Add a selected change of it."""
        if self.first is None:
            self.first = change
        self.last = change
        if keeps_content(change):
            return
        if not self.runs or not states_match(
            self.runs[-1][-1].after, change.before
        ):
            self.runs.append([])
        run = self.runs[-1]
        # An edit between two others is not needed if the one before it is stored whole,
        # and if it names no path that they do not name.
        if len(run) > 1 and is_whole_content_stored(run[-2]):
            other_paths = {*run[-2].paths, *change.paths}
            if other_paths.issuperset(run[-1].paths):
                run.pop()
        run.append(change)

    def find_path(self) -> RecordedPath:
        """Return the path where it is, or was last."""
        names: list[bytes] = []
        node = self
        while node.folder is not None:
            names.append(node.name)
            node = node.folder
        names.reverse()
        return RecordedPath(node.name, tuple(names))

    def find_original_path(self) -> RecordedPath:
        """Return the path where it would be without the selected changes.

        A node that they created stays in its folder, wherever that would be.
        """
        names: list[bytes] = []
        # The way up mixes present and original folders, so it may lead in a circle.
        visited: set[_ReplayNode] = set()
        node = self
        while node.folder is not None:
            if node in visited:
                # Another change moved its folder into one that was created in it.
                return self.find_path()
            visited.add(node)
            slot = node.original_slot or node.slot
            names.append(slot.name)
            node = slot.folder
        names.reverse()
        return RecordedPath(node.name, tuple(names))


@dataclass(frozen=True, slots=True)
class _ReplayStep:
    """A file change, and the node it is about; None for one that it creates."""

    change: FileChange
    node: _ReplayNode | None


class _ReplayTree:
    """The files that changes touched, where they are after the changes so far.

    `touched` are the nodes that a selected change is about, in the order of the
    changes.
    """

    def __init__(self) -> None:
        self.touched: list[_ReplayNode] = []
        self._roots: dict[bytes, _ReplayNode] = {}
        # Nodes that other changes deleted, by the place where they were, and nodes that
        # selected changes deleted, by the place where they would be without these.
        self._deleted_by_others: dict[_Slot, _ReplayNode] = {}
        self._deleted_by_selected: dict[_Slot, _ReplayNode] = {}

    def replay(
        self, changes: Sequence[FileChange], task: Task, *, is_selected: bool
    ) -> None:
        """Replay all file changes of one change, which were made at once.

        All paths are those before the change or after it, so everything that leaves its
        place does so before anything is put there. Of a change that is not selected,
        only renames and deletions are followed.
        """
        steps: list[_ReplayStep] = []
        for change in changes:
            task.check()
            node = self._find_node(change, is_selected=is_selected)
            if node is not None or (is_selected and change.before is None):
                steps.append(_ReplayStep(change, node))
        for step in steps:
            self._detach(step, is_selected=is_selected)
        # A folder comes before the files in it: the place of a file is a node and a
        # name.
        steps.sort(key=lambda step: len(step.change.path.parts))
        for step in steps:
            task.check()
            self._attach(step, is_selected=is_selected)

    def _find_node(
        self, change: FileChange, *, is_selected: bool
    ) -> _ReplayNode | None:
        """Return the node that a file change finds, if the change is to be replayed."""
        path = change.renamed_from or change.path
        if change.before is None:
            return None
        is_rename = change.after is not None and change.renamed_from is not None
        if is_selected or is_rename:
            return self._get_or_add(self._find_slot(path), change.before.kind)
        if change.after is None:
            return self._find_known(path)
        return None

    def _detach(self, step: _ReplayStep, *, is_selected: bool) -> None:
        """Remove the node of a rename or a deletion from its place."""
        change, node = step.change, step.node
        is_in_place = change.after is not None and change.renamed_from is None
        if node is None or is_in_place:
            return
        slot = node.slot
        if slot.folder.children.get(slot.name) is node:
            del slot.folder.children[slot.name]
        if change.after is not None:
            return
        if not is_selected:
            self._deleted_by_others[slot] = node
            return
        self._touch(node, change)
        if node.original_slot is not None:
            self._deleted_by_selected[node.original_slot] = node

    def _attach(self, step: _ReplayStep, *, is_selected: bool) -> None:
        """Put the node of any other change to its place, or add it there."""
        change, node = step.change, step.node
        if change.after is None:
            return
        slot = self._find_slot(change.path)
        if node is None:
            node = self._get_or_create(slot, change.after.kind)
        was_at_original_slot = node.original_slot == node.slot
        if change.renamed_from is not None:
            self._put(node, slot)
        if is_selected:
            node.kind = change.after.kind
            self._touch(node, change)
        elif was_at_original_slot:
            # Without the selected changes, this rename would have moved it too.
            node.original_slot = node.slot
        elif node.original_slot is not None:
            node.renamed_later = True

    def _touch(self, node: _ReplayNode, change: FileChange) -> None:
        if node.first is None:
            self.touched.append(node)
        node.add(change)

    def _find_slot(self, path: RecordedPath) -> _Slot:
        """Return the place of a path, adding the folders above it to the tree."""
        folder = self._roots.get(path.root)
        if folder is None:
            folder = _ReplayNode(None, path.root, "folder")
            self._roots[path.root] = folder
        for name in path.parts[:-1]:
            folder = self._get_or_add(_Slot(folder, name), "folder")
        return _Slot(folder, path.parts[-1])

    def _get_or_add(self, slot: _Slot, kind: RecordedKind) -> _ReplayNode:
        """Return the node of a kind that is at a place before a change."""
        occupant = slot.folder.children.get(slot.name)
        for node in self._find_candidates(slot, kind):
            # One that was deleted is here again, unless another one is: that was
            # overwritten, and the change that created it again comes later.
            if occupant is None:
                self._put(node, slot)
            return node
        node = _ReplayNode(slot.folder, slot.name, kind, original_slot=slot)
        self._put(node, slot)
        return node

    def _get_or_create(self, slot: _Slot, kind: RecordedKind) -> _ReplayNode:
        """Return the node that a change creates at a place.

        A file or folder that was there before and was deleted, by a selected change or
        another, is that one again.
        """
        for node in self._find_candidates(slot, kind):
            if node.first is not None and kind in ("file", "folder"):
                self._put(node, slot)
                return node
        node = _ReplayNode(slot.folder, slot.name, kind)
        self._put(node, slot)
        return node

    def _find_candidates(
        self, slot: _Slot, kind: RecordedKind
    ) -> list[_ReplayNode]:
        """Return the nodes of a kind that are at a place, or were deleted there."""
        nodes = (
            slot.folder.children.get(slot.name),
            self._deleted_by_others.get(slot),
            self._deleted_by_selected.get(slot),
        )
        return [
            node for node in nodes if node is not None and node.kind == kind
        ]

    def _find_known(self, path: RecordedPath) -> _ReplayNode | None:
        """Return the node at a path, if a change touched it or something in it."""
        node = self._roots.get(path.root)
        for name in path.parts:
            if node is None:
                return None
            node = node.children.get(name)
        return node

    def _put(self, node: _ReplayNode, slot: _Slot) -> None:
        """Put a node to a place."""
        occupant = slot.folder.children.get(slot.name)
        if occupant is not None and occupant is not node:
            # It was deleted by something that is not in the history.
            self._deleted_by_others[slot] = occupant
        if self._deleted_by_others.get(node.slot) is node:
            del self._deleted_by_others[node.slot]
        original_slot = node.original_slot
        if (
            original_slot
            and self._deleted_by_selected.get(original_slot) is node
        ):
            del self._deleted_by_selected[original_slot]
        node.folder, node.name = slot.folder, slot.name
        slot.folder.children[slot.name] = node


def build_net_change(
    record: ChangeRecord,
    changes: Iterable[tuple[ChangeRecord, bool]],
    *,
    changed_only: bool,
    task: Task,
) -> ChangeRecord:
    """Return `record` with the net change of the selected ones of `changes`.

    `changes` are pairs of a change, oldest first, and whether it is selected. The
    others are those between and after them: their renames are followed. With
    `changed_only`, files that the changes left as they found them are left out. Linear
    in the number of file changes.
    """
    tree = _ReplayTree()
    root_changes: dict[RecordedPath, FileChange] = {}
    for change, is_selected in changes:
        task.check()
        changes_below_roots: list[FileChange] = []
        for file_change in change.file_changes:
            if all(path.parts for path in file_change.paths):
                changes_below_roots.append(file_change)
            elif is_selected:
                # A folder that was one like others is a root now, and stays in place.
                path = file_change.path
                first = root_changes.setdefault(path, file_change)
                root_changes[path] = replace(file_change, before=first.before)
        tree.replay(changes_below_roots, task, is_selected=is_selected)
    net_changes = [*root_changes.values()]
    for node in tree.touched:
        net_change = _combine(node, changed_only=changed_only)
        if net_change is not None:
            net_changes.append(net_change)
    net_changes.sort(key=lambda change: (change.path.root, change.path.parts))
    return replace(record, file_changes=tuple(net_changes))


def join_segments(change: FileChange) -> FileChange:
    """Return a net change without its segments, where both contents are known whole.

    Between the segments other programs changed the file: then that is part of the
    difference of the two contents.
    """
    if not change.segments:
        return change
    first, last = change.edits[0], change.edits[-1]
    is_known = is_whole_content_stored(first) and (
        last.after is None or content_after(last) is not None
    )
    return replace(change, segments=()) if is_known else change


def _combine(node: _ReplayNode, *, changed_only: bool) -> FileChange | None:
    """Return the net change of a node, or None if there is none."""
    assert node.first is not None
    before, after = _find_states(node)
    if before is None and after is None:
        # Created and deleted again.
        return None
    original_path = node.find_original_path()
    path = original_path if after is None else node.find_path()
    net_change = _join_edits(path, node.edits or [node.first])
    net_change = replace(net_change, before=before, after=after)
    if len(node.runs) > 1:
        segments = tuple(_join_edits(path, run) for run in node.runs)
        net_change = replace(net_change, segments=segments)
    if before is None or after is None:
        return net_change
    is_in_same_slot = node.original_slot == node.slot
    if not is_in_same_slot or original_path != path:
        return replace(
            net_change,
            renamed_from=original_path,
            moved_with_parent=is_in_same_slot,
            renamed_later=node.renamed_later,
        )
    if changed_only and _is_unchanged(node, net_change, before, after):
        return None
    return net_change


def _find_states(
    node: _ReplayNode,
) -> tuple[FileState | None, FileState | None]:
    """Return the states of a node before and after the selected changes.

    They are None where it does not exist.
    """
    first, last, edits = node.first, node.last, node.edits
    assert first is not None
    assert last is not None
    before = first.before if node.original_slot is not None else None
    after = last.after
    if edits:
        # The first change may be a rename, which does not know the content.
        before = _with_content(before, edits[0].before)
        after = _with_content(after, edits[-1].after)
    elif before is not None and after is not None and _are_files(before, after):
        # No change touched the content, but not all of them know it.
        before, after = _with_digest(before, after), _with_digest(after, before)
    if after is None and before is not None and last.before is not None:
        before = replace(before, attributes=last.before.attributes)
    return before, after


def _are_files(before: FileState, after: FileState) -> bool:
    return before.kind == after.kind == "file"


def _is_unchanged(
    node: _ReplayNode,
    net_change: FileChange,
    before: FileState,
    after: FileState,
) -> bool:
    """Return True if the changes are known to have left a node as they found it."""
    if len(node.runs) > 1 or not keeps_content(net_change):
        return False
    if before.mode_and_owner != after.mode_and_owner:
        return False
    return not node.runs or before.kind != "file" or before.digest is not None


def _join_edits(path: RecordedPath, edits: Sequence[FileChange]) -> FileChange:
    """Return edits of a file as one at `path`; a single one keeps its splices."""
    if len(edits) == 1:
        return replace(edits[0], path=path, renamed_from=None, edits=(*edits,))
    first = edits[0]
    return FileChange(
        path, first.before, edits[-1].after, edits=(*edits,), blobs=first.blobs
    )


def _with_content(
    state: FileState | None, content_state: FileState | None
) -> FileState | None:
    """Return a state with the content of another."""
    if state is None or content_state is None:
        return state
    return content_state.with_mode_and_owner(state)


def _with_digest(state: FileState, same_content: FileState) -> FileState:
    """Return a state with the digest of one with the same content, if it has none."""
    if state.digest is not None or same_content.digest is None:
        return state
    return replace(
        state,
        digest=same_content.digest,
        size=same_content.size,
        blob=state.blob or same_content.blob,
    )
