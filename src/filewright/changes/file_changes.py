"""The file changes that the history records of a commit, one for each path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from filewright.boundary.location import Location
from filewright.changes.backup import Backup
from filewright.changes.model import (
    FileChange,
    FileState,
    RecordedPath,
    hold_few,
)
from filewright.changes.tree_diff import TreeDiff
from filewright.changes.tree_node import TreeNode


class FileChanges:
    """The file changes of a commit: of new files first, then of all others.

    The others are known from the start. A new file is recorded with its digest, and a
    new folder with all that is in it, only once they are staged.
    """

    def __init__(self, diff: TreeDiff, backup: Backup) -> None:
        self._diff = diff
        self._backup = backup
        self._rewritten: dict[RecordedPath, TreeNode] = {}
        """Files rewritten into new folders, by their paths after the change."""
        self._old_paths: set[RecordedPath] = set()
        """The former paths of files rewritten out of displaced folders."""
        displaced = set(diff.displaced)
        for node in backup.originals:
            if not diff.is_rewritten(node):
                continue
            assert node.original is not None
            # Others are known by their nodes: there may be 100,000.
            if not _is_in_folder_on_disk(node):
                path = RecordedPath.from_location(diff.location_of(node))
                self._rewritten[path] = node
            if node not in displaced:
                self._old_paths.add(
                    RecordedPath.from_location(node.original.location)
                )

    def build(self) -> Sequence[FileChange]:
        """Return all changes, as far as their states are known at this moment.

        Many are built again for each pass, with the states that are known then.
        """
        return hold_few(self._all_files)

    def _all_files(self) -> Iterator[FileChange]:
        yield from self._new_files()
        yield from self._renamed_files()
        yield from self._deleted_files()

    def _new_files(self) -> Iterator[FileChange]:
        """Yield the changes of files that get a new inode."""
        originals, created = self._backup.originals, self._backup.created
        for node in self._diff.staged:
            location = self._diff.location_of(node)
            if node in self._backup.originals:
                path = RecordedPath.from_location(location)
                yield self._rewrite(path, node, originals[node], created[node])
                continue
            # A rewritten file may have moved into a new folder: it is no new file.
            for path, after in _with_children(location, created[node]):
                rewritten = self._rewritten.get(path)
                if rewritten is None:
                    yield FileChange(path, before=None, after=after)
                else:
                    yield self._rewrite(
                        path, rewritten, originals[rewritten], after
                    )

    def _rewrite(
        self,
        path: RecordedPath,
        node: TreeNode,
        before: FileState,
        after: FileState,
    ) -> FileChange:
        assert node.original is not None
        old_path = RecordedPath.from_location(node.original.location)
        previous_path = old_path if old_path != path else None
        edit = self._backup.edits.get(node)
        if edit is None:
            return FileChange(path, before, after, renamed_from=previous_path)
        return FileChange(
            path,
            before,
            after,
            renamed_from=previous_path,
            packed_spans=edit.spans,
            removed=edit.removed,
            inserted=edit.inserted,
        )

    def _renamed_files(self) -> Iterator[FileChange]:
        """Yield the changes of files that keep their inode."""
        nodes = dict.fromkeys((*self._diff.moved, *self._diff.rights_changed))
        for node in nodes:
            assert node.original is not None
            before = FileState.from_status(
                node.original.status, link_target=node.target
            )
            mode, uid, gid = node.rights
            after = replace(before, mode=mode, uid=uid, gid=gid)
            old_path = RecordedPath.from_location(node.original.location)
            path = RecordedPath.from_location(self._diff.location_of(node))
            previous_path = old_path if old_path != path else None
            yield FileChange(path, before, after, renamed_from=previous_path)

    def _deleted_files(self) -> Iterator[FileChange]:
        """Yield the changes of deleted files, also in folders; no rewritten ones."""
        for node in self._diff.displaced:
            assert node.original is not None
            if self._diff.is_rewritten(node):
                continue
            state = self._backup.originals[node]
            for path, before in _with_children(node.original.location, state):
                if path not in self._old_paths:
                    yield FileChange(path, before, after=None)


def _is_in_folder_on_disk(node: TreeNode) -> bool:
    """Return True if a node of the tree is in a folder that is no new one."""
    assert node.parent is not None
    return node.parent.original is not None


def _with_children(
    location: Location, state: FileState
) -> Iterator[tuple[RecordedPath, FileState]]:
    """Yield the path and state of a file, then those of all that is in a folder."""
    top = RecordedPath.from_location(location)
    yield top, state
    # Paths share the names of their folder: of a large tree that is a third of them.
    folder, folder_parts = b"", top.parts
    for path, child_state in state.descendants.items():
        parent, _, name = path.rpartition(b"/")
        if parent != folder:
            names = parent.split(b"/") if parent else []
            folder, folder_parts = parent, (*top.parts, *names)
        yield RecordedPath(top.root, (*folder_parts, name)), child_state
