"""The staging of a change: new files are made under temporary names, and flushed."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace

import xxhash

from filewright import errors
from filewright.boundary.location import Location
from filewright.changes.backup import HASHED_AHEAD_BYTES, Backup
from filewright.changes.blobs import DiskContent, SplicedContent, compute_digest
from filewright.changes.change_tree import MAX_DEPTH
from filewright.changes.database import Flusher
from filewright.changes.flushing import FlushQueue
from filewright.changes.model import FileState
from filewright.changes.open_folders import OpenFolders
from filewright.changes.packed_states import PackedStates, in_tree_order
from filewright.changes.rename_plan import OperationKind
from filewright.changes.rename_planner import RenameOrder
from filewright.changes.tree_node import TreeNode
from filewright.edit.changeset import ContentStream
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.system import File, Folder
from filewright.text.file_identity import FileIdentity

_WRITEBACK_BYTES = 8 << 20
_WRITEBACK_ALIGNMENT = 1 << 16
"""A range that is handed to the disk ends at a multiple of this: at a whole page."""


def stage(
    order: RenameOrder,
    backup: Backup,
    open_folders: OpenFolders,
    flusher: Flusher,
    task: Task,
) -> bool:
    """Make everything new under its temporary name, and bring it to the disk.

    Complete the states of the backup: new files get inode and digest, a new folder all
    that is in it; the digest of some displaced files becomes known when they are
    copied. Return True if the history records more than before: inodes it does not.

    Raise `stale_version`, `no_space`, `permission_denied` and others.
    """
    queue = FlushQueue(flusher)
    staging = _Staging(backup, open_folders, queue, task)
    try:
        for operation in order.operations:
            if operation.kind is not OperationKind.STAGED:
                continue
            folder_node = order.folders[operation.source.folder]
            try:
                staging.make(folder_node, operation.source.name, operation.node)
            except OSError as error:
                raise from_os_error(
                    error, operation.node.requested_path, doing="write"
                ) from error
        queue.flush()
    except BaseException:
        queue.close()
        raise
    return staging.has_new_facts


class _Staging:
    """Makes new files one after the other, and completes their states."""

    def __init__(
        self,
        backup: Backup,
        open_folders: OpenFolders,
        queue: FlushQueue,
        task: Task,
    ) -> None:
        self._backup = backup
        self._open_folders = open_folders
        self._queue = queue
        self._task = task
        self._created = backup.created
        self.has_new_facts = False
        """True if a state is completed with more than its inode."""

    def make(self, folder_node: TreeNode, name: bytes, node: TreeNode) -> None:
        """Make a file, link or folder in a folder that is on the disk."""
        folder = folder_node.open_original_folder(reading=False)
        if node.kind == "folder":
            assert folder_node.original is not None
            self._make_folder(
                folder, folder_node.original.location.child(name), node
            )
        else:
            state = self._created[node]
            new_state = self._make_file(folder, name, node, state)
            self._created[node] = new_state
            # Comparisons leave out inodes.
            if new_state != state:
                self.has_new_facts = True

    def _make_folder(
        self, parent: Folder, top: Location, top_node: TreeNode
    ) -> None:
        """Make a folder with all that is new in it."""
        # Private until its mode is set: it may get copies of secrets.
        parent.make_folder(top.name, 0o700)
        states: PackedStates[bytes] = PackedStates()
        new_folders: list[tuple[Location, TreeNode]] = []
        pending = [(top, top_node)]
        while pending:
            location, node = pending.pop()
            new_folders.append((location, node))
            if len(location.parts) - len(top.parts) > MAX_DEPTH:
                raise errors.too_deep(top_node.requested_path, MAX_DEPTH)
            folder, _ = self._open_folders.open(location)
            for name, child in node.iter_children():
                if not child.needs_new_inode:
                    continue
                child_location = location.child(name)
                if child.kind == "folder":
                    state = self._created.get(child)
                else:
                    # From here on only the states of its folder hold it.
                    state = self._created.pop(child, None)
                if state is None:
                    # A child that came with a copied folder.
                    state = FileState(
                        child.kind, *child.rights, link_target=child.target
                    )
                if child.kind == "folder":
                    folder.make_folder(name, 0o700)
                    pending.append((child_location, child))
                else:
                    new_state = self._make_file(folder, name, child, state)
                    # A file in a new folder is recognised by its content, not its
                    # inode.
                    if new_state != state:
                        state = replace(new_state, inode=None)
                states[b"/".join(child_location.parts[len(top.parts) :])] = (
                    state
                )
        # From below: a folder that becomes read-only takes no more entries.
        for location, node in reversed(new_folders):
            self._finish_folder(location, node)
        if states:
            self.has_new_facts = True
        self._created[top_node] = replace(
            self._created[top_node], descendants=in_tree_order(states)
        )

    def _finish_folder(self, location: Location, node: TreeNode) -> None:
        # Opened once more while its mode allows that, and held until it is flushed.
        folder, _ = self._open_folders.open(location)
        handle = folder.open_folder(b".")
        self._set_metadata(handle, node)
        if node in self._created:
            inode = handle.status().inode
            self._created[node] = replace(self._created[node], inode=inode)
        self._queue.add(handle)

    def _make_file(
        self, folder: Folder, name: bytes, node: TreeNode, state: FileState
    ) -> FileState:
        """Make a file or link; return its state with all that is known then."""
        if node.target is not None:
            return _make_link(folder, name, node.target, state)
        file = folder.create(name)
        try:
            digest, size = self._write_content(file, node)
            # The intent names a digest: another content must not be published.
            if state.digest not in (None, digest):
                raise errors.changed_since_read(node.requested_path)
            self._set_metadata(file, node)
            state = replace(
                state,
                digest=digest,
                size=size,
                inode=file.status().inode,
            )
        except BaseException:
            file.close()
            raise
        self._queue.add(file)
        return state

    # Contents

    def _write_content(self, file: File, node: TreeNode) -> tuple[str, int]:
        """Write a content; return its digest and size.

        The file that it is an edit of is checked on the way.
        """
        content = self._backup.edited_contents.get(node, node.content)
        assert content is not None
        if content.size >= HASHED_AHEAD_BYTES:
            if isinstance(content, DiskContent) and _clone(file, content):
                return compute_digest(file), file.status().size
            _require_space(file, content.size)
        source_hasher = None
        blocks: Iterator[bytes | memoryview] = content.blocks()
        if isinstance(content, SplicedContent) and node.edit_number is not None:
            source_hasher = xxhash.xxh3_128()
            blocks = content.blocks(source_hasher.update)
        digest, size = self._write_blocks(file, blocks, node, content)
        if source_hasher is not None:
            self._require_unchanged_source(node, source_hasher.hexdigest())
        return digest, size

    def _write_blocks(
        self,
        file: File,
        blocks: Iterator[bytes | memoryview],
        node: TreeNode,
        content: ContentStream,
    ) -> tuple[str, int]:
        hasher = xxhash.xxh3_128()
        size = written_back = 0
        for block in blocks:
            hasher.update(block)
            file.write(block, size)
            size += len(block)
            if size - written_back >= _WRITEBACK_BYTES:
                # The disk begins while we copy on: the flush at the end then finds
                # little to do. Only whole pages: to write on in a page that is on its
                # way to the disk waits for it, which made a copy take a third longer.
                end = size - size % _WRITEBACK_ALIGNMENT
                file.start_writeback(written_back, end - written_back)
                written_back = end
                self._task.report(size, content.size, node.requested_path)
        return hasher.hexdigest(), size

    def _require_unchanged_source(self, node: TreeNode, digest: str) -> None:
        """Raise `stale_version` unless the copied file is the one that was saved."""
        state = self._backup.originals[node]
        if state.digest is None:
            assert node.original is not None
            with node.open_original() as file:
                identity = FileIdentity.of(file.status().raw)
            is_unchanged = identity == FileIdentity.of(node.original.status.raw)
        else:
            is_unchanged = state.digest == digest
        if not is_unchanged:
            raise errors.changed_since_read(node.requested_path)
        if state.digest is None:
            self._backup.originals[node] = replace(state, digest=digest)
            self.has_new_facts = True

    # Metadata

    def _set_metadata(self, handle: File | Folder, node: TreeNode) -> None:
        """Set owner, extended attributes, mode and times of a new file or folder.

        Owner comes before mode: a chown clears the setuid bit. Raise
        `permission_denied` naming what could not be kept. A copy leaves out the
        extended attributes that only the system may give.
        """
        attributes = node.attributes
        times = None
        # A file that comes back by an undo has the time that it had.
        if node.mtime_ns is not None:
            times = node.mtime_ns, node.mtime_ns
        if node.original is not None:
            if attributes is None:
                attributes = self._backup.originals[node].attributes
        elif node.source is not None:
            with _open_source(node.source) as source:
                if attributes is None:
                    attributes = source.extended_attributes()
                status = source.status()
                times = times or (status.atime_ns, status.mtime_ns)
        self._set_rights(handle, node, attributes)
        if times is not None:
            handle.set_times(*times)

    @staticmethod
    def _set_rights(
        handle: File | Folder,
        node: TreeNode,
        attributes: Mapping[str, bytes] | None,
    ) -> None:
        mode, uid, gid = node.rights
        setting = "owner"
        try:
            status = handle.status()
            if (status.uid, status.gid) != (uid, gid):
                handle.set_own_owner(uid, gid)
            if attributes is not None:
                setting = "extended attribute"
                handle.set_extended_attributes(
                    attributes, strict=node.original is not None
                )
            setting = "mode"
            handle.set_own_mode(mode)
        except OSError as error:
            refusals = (errno.EPERM, errno.EACCES, errno.EOPNOTSUPP)
            # Without attributes it is a new file, which has nothing to lose.
            if attributes is None or error.errno not in refusals:
                raise
            raise _not_kept(node, setting, error) from error


def _not_kept(node: TreeNode, setting: str, error: OSError) -> FilewrightError:
    lost = f"{setting} {error.filename}" if error.filename else setting
    return FilewrightError(
        Code.PERMISSION_DENIED,
        f"{node.requested_path}: replacing it would lose its {lost} "
        f"({error.strerror}); nothing was changed",
        hint="ask the user who owns it to make the change",
        details={"path": node.requested_path, "lost": lost},
    )


def _make_link(
    folder: Folder, name: bytes, target: bytes, state: FileState
) -> FileState:
    folder.make_link(name, target)
    status = folder.stat(name)
    if (status.uid, status.gid) != (state.uid, state.gid):
        # The owner of a link protects nothing: a link without it is better than none.
        with suppress(OSError):
            folder.set_owner(name, state.uid, state.gid)
            status = folder.stat(name)
    return replace(state, inode=status.inode, uid=status.uid, gid=status.gid)


def _clone(file: File, content: DiskContent) -> bool:
    """Clone a file on the disk; return False if the file system has no clones."""
    with content.opener() as source:
        return file.clone_from(source)


def _require_space(file: File, size: int) -> None:
    # To reserve the blocks (`posix_fallocate`) would be surer. But then every block is
    # written into a reserved one, which took up to twice the time once the disk writes
    # while we copy.
    free_bytes = file.free_bytes()
    if free_bytes is not None and free_bytes < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def _open_source(source: TreeNode) -> Iterator[File | Folder]:
    """Open the file or folder on the disk that a new one is a copy of."""
    if source.kind == "folder":
        with source.open_original_folder().open_folder(b".") as folder:
            yield folder
    else:
        with source.open_original() as file:
            yield file
