"""The save of what undo needs, before anything of a change is in the workspace.

Files are compared by the way with those that the change was made against. Files up to
`whole_undo_bytes` are kept whole. Of a larger file that is edited, the bytes under each
splice are kept; one that is deleted or overwritten gets a second name in the state
folder, or is copied there.
"""

from __future__ import annotations

import marshal
import time
from collections import deque
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

import xxhash

from filewright import errors, system
from filewright.boundary.location import Location
from filewright.boundary.rules import DenyRules
from filewright.changes.blobs import (
    BlobWriter,
    MemoryContent,
    SplicedContent,
    compute_digest,
    tap_blocks,
)
from filewright.changes.change_tree import MAX_DEPTH
from filewright.changes.model import (
    FileState,
    RecordedPath,
    pack_spans,
    unpack_spans,
)
from filewright.changes.open_folders import OpenFolders
from filewright.changes.packed_states import (
    PackedStates,
    PackedValues,
    in_tree_order,
    pack_hex,
    unpack_hex,
)
from filewright.changes.tree_diff import TreeDiff
from filewright.changes.tree_node import TreeNode, is_kept_by_sticky_folder
from filewright.edit.changeset import ContentStream
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.hints import Hint
from filewright.progress import Task
from filewright.settings import KB, MB, Settings
from filewright.system import File, Folder, Status
from filewright.text.file_identity import FileIdentity
from filewright.text.splice import Splice, apply_splices, join_replacements

_MAX_KEPT_NEW_FILE_BYTES = 256 * KB
_MAX_KEPT_NEW_BYTES = 16 * MB
_MAX_EDITED_BYTES_IN_MEMORY = 4 * MB
_OVERHEAD_BYTES = 200
"""The memory of an edited content without its bytes; most contents are small."""
_MAX_EDITED_FILES_IN_MEMORY = 512
"""More are read again: a change of very many files needs the memory for its states."""
MAX_REMOVED_BYTES = 16 * MB
"""An edit that takes more out of a large file is undone from the displaced file."""
HASHED_AHEAD_BYTES = 1 * MB
"""New contents up to this size are hashed before the intent is written."""
_WRITER_WAIT_SECONDS = 0.02
_MAX_PACKED_SPAN_BYTES = 1 * KB


@dataclass(frozen=True, slots=True)
class SavedEdit:
    """An edit of the bytes of a file on the disk.

    `spans` are packed; `removed` and `inserted` are the names of blobs.
    """

    spans: bytes
    removed: str | None
    inserted: str | None

    def pack(self) -> bytes | None:
        """Return the edit as bytes; None if it is too large to be copied often."""
        if len(self.spans) > _MAX_PACKED_SPAN_BYTES:
            return None
        names = pack_hex(self.removed), pack_hex(self.inserted)
        return marshal.dumps((self.spans, *names))

    @classmethod
    def unpack(cls, packed: bytes) -> SavedEdit:
        """Return the edit that `pack` made bytes of."""
        spans, removed, inserted = marshal.loads(packed)
        return cls(spans, unpack_hex(removed), unpack_hex(inserted))


@dataclass(frozen=True, slots=True)
class Backup:
    """The result of a save."""

    originals: MutableMapping[TreeNode, FileState]
    """The states of displaced files, also if rewritten out of a displaced folder."""
    edits: Mapping[TreeNode, SavedEdit]
    """The edits of files that are on the disk."""
    edited_contents: Mapping[TreeNode, MemoryContent]
    """The new contents of some edited files, worked out in memory."""
    created: MutableMapping[TreeNode, FileState]
    """The states of new files, as far as they are known before staging."""


def save_backup(
    diff: TreeDiff,
    open_folders: OpenFolders,
    settings: Settings,
    task: Task,
    blobs: BlobWriter | None,
) -> Backup:
    """Save displaced files and small new contents, or only compare them.

    Raise `stale_version`, `in_use`, `too_large`, `no_space`, `permission_denied` and
    others.
    """
    saver = _Saver(diff, open_folders, settings, task, blobs)
    saver.require_no_mounts()
    saver.save_displaced()
    return Backup(
        originals=saver.originals,
        edits=saver.edits,
        edited_contents=saver.edited_contents,
        created=saver.expected_states(),
    )


def require_no_writers(file: File, display_path: str) -> None:
    """Raise `in_use` if another program has a file open for writing.

    A log that is opened and closed for each line is soon closed again: wait a moment.
    """
    pause = 0.001
    while True:
        with file.watch_for_writers() as has_no_writers:
            if has_no_writers():
                return
        if pause > _WRITER_WAIT_SECONDS:
            raise errors.in_use(display_path)
        time.sleep(pause)
        pause *= 2


class _Saver:
    """Saves files one after the other, and collects their states."""

    def __init__(
        self,
        diff: TreeDiff,
        open_folders: OpenFolders,
        settings: Settings,
        task: Task,
        blobs: BlobWriter | None,
    ) -> None:
        self._diff = diff
        self._open_folders = open_folders
        self._settings = settings
        self._task = task
        self._blobs = blobs
        self._saved_bytes = 0
        self._bytes_in_memory = 0
        self.originals: PackedStates[TreeNode] = PackedStates()
        self.edits: PackedValues[TreeNode, SavedEdit] = PackedValues(
            SavedEdit.pack, SavedEdit.unpack
        )
        self.edited_contents: dict[TreeNode, MemoryContent] = {}

    def require_no_mounts(self) -> None:
        """Raise if a file that leaves its position is a mount."""
        for node in (*self._diff.displaced, *self._diff.moved):
            position = node.original_position
            assert position is not None
            if position.folder.open_original_folder().is_mount(position.name):
                raise errors.contains_mount(
                    node.requested_path, node.requested_path
                )

    def save_displaced(self) -> None:
        """Save every displaced file and folder."""
        for node in self._diff.displaced:
            self._task.check()
            assert node.original is not None
            try:
                if node.kind == "file":
                    state = self.save_file(node)
                elif node.kind == "folder":
                    state = _FolderSaver(
                        self, self._diff, self._open_folders, self._task, node
                    ).save()
                else:
                    state = FileState.from_status(
                        node.original.status, link_target=node.target
                    )
            except OSError as error:
                raise from_os_error(
                    error, node.requested_path, doing="save"
                ) from error
            self.originals[node] = state

    def expected_states(self) -> PackedStates[TreeNode]:
        """Keep small contents; return the states of new files where known."""
        states: PackedStates[TreeNode] = PackedStates()
        total_bytes = 0
        for node in self._diff.created:
            content = self.edited_contents.get(node, node.content)
            size = content.size if content is not None else 0
            state = FileState(
                node.kind, *node.rights, size, link_target=node.target
            )
            if content is not None:
                total_bytes += size
                # Small new contents are kept too, so that a diff can be shown when the
                # file has moved on.
                if (
                    self._blobs is not None
                    and node.edit_number is None
                    and size <= _MAX_KEPT_NEW_FILE_BYTES
                    and total_bytes <= _MAX_KEPT_NEW_BYTES
                ):
                    blob = self._blobs.store(
                        b"".join(map(bytes, content.blocks()))
                    )
                    state = replace(state, blob=blob)
                if self._is_hashed_ahead(node, content, state):
                    state = replace(state, digest=compute_digest(content))
            states[node] = state
        return states

    def _is_hashed_ahead(
        self, node: TreeNode, content: ContentStream, state: FileState
    ) -> bool:
        """Return True if a content is hashed now, to save the intent a second flush.

        A content that replaces a file and is not kept is hashed later: recovery could
        not tell a part of it from the save of another program.
        """
        if content.size > HASHED_AHEAD_BYTES:
            return False
        if node.original is None or state.blob:
            return True
        edit = self.edits.get(node)
        return (
            edit is not None
            and edit.inserted is not None
            and self.originals[node].blob is not None
        )

    # Files

    def save_file(self, node: TreeNode) -> FileState:
        """Save a file if it still is what the steps were made against.

        It is kept whole, or only what an edit takes out of it.
        """
        assert node.original is not None
        splices = node.splices if self._diff.is_present(node) else None
        spans = pack_spans(splices or ())
        needed_bytes = node.original.status.size
        is_kept_whole = True
        # A large file that is edited is not copied: only its removed bytes are.
        if (
            splices is not None
            and needed_bytes > self._settings.whole_undo_bytes
        ):
            removed_bytes = sum(
                span.removed_bytes for span in unpack_spans(spans)
            )
            if removed_bytes <= MAX_REMOVED_BYTES:
                is_kept_whole, needed_bytes = False, removed_bytes
        content = removed = None
        with node.open_original() as file:
            self._require_expected_identity(file, node)
            self.require_savable(file, needed_bytes, node.requested_path)
            self._require_not_saved_meanwhile(file, node)
            if is_kept_whole:
                state, content = self._save_whole_node(file, node)
            else:
                state, removed = self._read_removed(file, node, spans)
        if splices is not None:
            if content is not None:
                self._apply_in_memory(node, content, splices)
            self._save_edit(node, spans, removed, splices)
        return state

    def _save_whole_node(
        self, file: File, node: TreeNode
    ) -> tuple[FileState, bytes | None]:
        position = node.original_position
        assert position is not None
        expected = node.expected
        known_digest = expected.digest if expected is not None else None
        is_edited = self._diff.is_present(node) and node.edit_number is not None
        state, content = self.save_whole(
            file,
            position.folder.open_original_folder(),
            position.name,
            is_hashed=is_edited or known_digest is not None,
        )
        # A second name has changed its ctime, and nothing else.
        is_unchanged = state.matches_status(file.status())
        has_other_digest = known_digest is not None and state.digest not in (
            None,
            known_digest,
        )
        if has_other_digest or not is_unchanged:
            raise errors.changed_since_read(node.requested_path)
        return state, content

    def _read_removed(
        self, file: File, node: TreeNode, spans: bytes
    ) -> tuple[FileState, bytes]:
        """Return the state of a file, and the bytes that an edit removes from it.

        The file is hashed later, by the loop that copies it.
        """
        assert node.original is not None
        parts: list[bytes] = []
        expected_bytes = 0
        for span in unpack_spans(spans):
            parts.append(file.read(span.offset, span.removed_bytes))
            expected_bytes += span.removed_bytes
        removed, expected = b"".join(parts), node.expected
        if len(removed) != expected_bytes:
            raise errors.changed_since_read(node.requested_path)
        state = FileState.from_status(
            node.original.status,
            digest=expected.digest if expected is not None else None,
            attributes=file.extended_attributes(),
        )
        return state, removed

    def _apply_in_memory(
        self, node: TreeNode, content: bytes, splices: Sequence[Splice]
    ) -> None:
        """Work out a new content in memory, while there is room for it."""
        new_content = node.content
        assert isinstance(new_content, SplicedContent)
        # Whether all of a file is of its encoding is checked when it is copied.
        if new_content.codec:
            return
        needed_bytes = new_content.size + _OVERHEAD_BYTES
        has_room = (
            self._bytes_in_memory + needed_bytes <= _MAX_EDITED_BYTES_IN_MEMORY
            and len(self.edited_contents) < _MAX_EDITED_FILES_IN_MEMORY
        )
        if has_room:
            self._bytes_in_memory += needed_bytes
            self.edited_contents[node] = MemoryContent(
                apply_splices(content, splices)
            )

    def _save_edit(
        self,
        node: TreeNode,
        spans: bytes,
        removed: bytes | None,
        splices: Sequence[Splice],
    ) -> None:
        removed_blob = inserted_blob = None
        if self._blobs is not None:
            if removed is not None:
                removed_blob = self._blobs.store(removed)
            inserted_blob = self._blobs.store(join_replacements(splices))
        self.edits[node] = SavedEdit(spans, removed_blob, inserted_blob)

    def save_whole(
        self,
        file: File,
        folder: Folder,
        name: bytes,
        *,
        is_hashed: bool = False,
    ) -> tuple[FileState, bytes | None]:
        """Keep a whole file; return its state, and its content if it was read.

        With `is_hashed` it is hashed however large it is.
        """
        status = file.status()
        blob = digest = content = None
        if status.size <= self._settings.whole_undo_bytes:
            content = b"".join(file.blocks())
            if self._blobs is not None:
                blob = self._blobs.store(content)
            digest = xxhash.xxh3_128_hexdigest(content)
        else:
            # A file with another name could be written to later through that: it is
            # copied.
            if self._blobs is not None and status.link_count == 1:
                blob = self._blobs.link_file(folder, name, status.size)
            hasher = xxhash.xxh3_128()

            def hash_block(block: bytes | memoryview) -> None:
                self._task.check()
                hasher.update(block)

            blocks = tap_blocks(file.blocks(), hash_block)
            if self._blobs is not None and blob is None:
                blob = self._blobs.store_blocks(blocks)
                digest = hasher.hexdigest()
            elif is_hashed or status.size <= self._settings.identity_bytes:
                deque(blocks, maxlen=0)
                digest = hasher.hexdigest()
        state = FileState.from_status(
            status,
            digest=digest,
            blob=blob,
            attributes=file.extended_attributes(),
        )
        return state, content

    # Refusals

    def _require_expected_identity(self, file: File, node: TreeNode) -> None:
        """Raise `stale_version` unless a file is the one that the steps expect."""
        assert node.original is not None
        # The file may have been replaced since its step was applied to the tree.
        identity = FileIdentity.of(file.status().raw)
        is_same = identity == FileIdentity.of(node.original.status.raw)
        expected = node.expected
        # With a digest, the content decides, and is compared when it is read.
        if expected is not None and expected.digest is None:
            is_same = is_same and expected.identity in (None, identity)
        if not is_same:
            raise errors.changed_since_read(node.requested_path)

    def _require_not_saved_meanwhile(self, file: File, node: TreeNode) -> None:
        """Refuse a file that another program saved since this change was rolled back.

        It may have read the file while it was changed: made again, the change would be
        there twice. A log that has grown meanwhile tells nothing of that.
        """
        assert node.original is not None
        path = RecordedPath.from_location(node.original.location)
        restored = self._task.restored_contents.get(path)
        if restored is None:
            return
        if compute_digest(file, size=restored.size) != restored.digest:
            raise errors.saved_meanwhile(node.requested_path)

    def require_savable(
        self, file: File, needed_bytes: int, display_path: str
    ) -> None:
        """Refuse a file that another program writes to, or that is immutable.

        Refuse also if undo would need more bytes than it may take.
        """
        require_no_writers(file, display_path)
        if file.is_immutable():
            raise errors.immutable(display_path)
        self._saved_bytes += needed_bytes
        limit = self._settings.max_undo_bytes
        if self._blobs is not None and self._saved_bytes > limit:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"undoing this change would need more than {limit} bytes (at {display_path}); nothing was changed",
                hint=Hint(
                    "give undoable=false to do it without undo, or raise FILEWRIGHT_MAX_UNDO_BYTES",
                    shell="raise FILEWRIGHT_MAX_UNDO_BYTES",
                ),
                details={"path": display_path, "max_undo_bytes": limit},
            )


@dataclass(frozen=True, slots=True)
class _PendingFolder:
    """A folder below a displaced folder that is still to be saved."""

    location: Location
    node: TreeNode | None
    """Its node if a step has looked at it."""
    status: Status
    outer_rules: DenyRules


class _FolderSaver:
    """Saves a displaced folder with its entries, except files that move out.

    An entry that could not be removed later refuses the change now: an entry of another
    user, a mount, a protected name.
    """

    def __init__(
        self,
        saver: _Saver,
        diff: TreeDiff,
        open_folders: OpenFolders,
        task: Task,
        top: TreeNode,
    ) -> None:
        assert top.original is not None
        self._saver = saver
        self._diff = diff
        self._open_folders = open_folders
        self._task = task
        self._top = top
        self._location = top.original.location
        self._aliases = open_folders.boundary.find_aliases(self._location)
        self._states: PackedStates[bytes] = PackedStates()
        self._pending: list[_PendingFolder] = []

    def save(self) -> FileState:
        """Save the folder; return its state, with the states of all that is in it."""
        original = self._top.original
        assert original is not None
        assert original.parent is not None
        rules = original.parent.original_rules()
        self._pending = [
            _PendingFolder(self._location, self._top, original.status, rules)
        ]
        while self._pending:
            self._save_folder(self._pending.pop())
        state = self._states.pop(b"")
        return replace(state, descendants=in_tree_order(self._states))

    def _path_in_top(self, location: Location) -> bytes:
        return b"/".join(location.parts[len(self._location.parts) :])

    def _save_folder(self, pending: _PendingFolder) -> None:
        location = pending.location
        self._task.check()
        if len(location.parts) - len(self._location.parts) > MAX_DEPTH:
            top_name = location.parts[0].decode("utf-8", "replace")
            raise errors.too_deep(top_name, MAX_DEPTH)
        folder = self._open_folders.reopen(location, pending.status.identity)
        names, status = folder.names(), folder.status()
        # A folder that an undo takes away may have brought its own rules: only the
        # rules around it count then.
        rules = pending.outer_rules.enter(
            location.name, None if self._top.must_be_empty else folder
        )
        if (
            names
            and not folder.is_writable()
            and status.uid != system.effective_user_id()
        ):
            raise errors.not_permitted(
                location.display_path,
                "belongs to another user, so it cannot be removed",
            )
        if folder.is_immutable():
            raise errors.immutable(location.display_path)
        self._states[self._path_in_top(location)] = FileState.from_status(
            status, attributes=folder.extended_attributes()
        )
        for name in names:
            child = None
            if pending.node is not None:
                child = pending.node.original_children.get(name)
            if (
                child is not None
                and self._diff.is_present(child)
                and not child.needs_new_inode
            ):
                # It moves out of the folder.
                continue
            self._save_entry(pending, folder, name, child, rules)

    def _save_entry(
        self,
        pending: _PendingFolder,
        folder: Folder,
        name: bytes,
        node: TreeNode | None,
        rules: DenyRules,
    ) -> None:
        location, status = pending.location.child(name), folder.stat(name)
        self._require_removable(location, folder, pending.status, status, rules)
        # The steps have taken away all that they knew of: this entry is new.
        if self._top.must_be_empty and (
            node is None or node.position == node.original_position
        ):
            raise errors.changed_since_read(self._top.requested_path)
        if status.kind == "folder":
            self._pending.append(_PendingFolder(location, node, status, rules))
            return
        if node is not None and node.kind == "file":
            state = self._saver.save_file(node)
            if self._diff.is_present(node):
                # It is rewritten and moved out of the folder: its own operation needs
                # it.
                self._saver.originals[node] = state
        elif status.kind == "file":
            with folder.open(name, known_file=True) as file:
                self._saver.require_savable(
                    file, status.size, location.display_path
                )
                state, _ = self._saver.save_whole(file, folder, name)
        else:
            target = folder.read_link(name) if status.kind == "link" else None
            state = FileState.from_status(status, link_target=target)
        self._states[self._path_in_top(location)] = state

    def _require_removable(
        self,
        location: Location,
        folder: Folder,
        folder_status: Status,
        status: Status,
        rules: DenyRules,
    ) -> None:
        """Refuse an entry of a folder that goes."""
        name, is_folder = location.name, status.kind == "folder"
        requested_path = self._top.requested_path
        if rules.denies(name, is_folder) or rules.is_read_only(name, is_folder):
            if rules.broken is None:
                raise errors.contains_denied(requested_path)
            raise rules.refusal(requested_path)
        # A protected entry that came with the change that is undone may go.
        rule = self._open_folders.boundary.protection_rule(
            location, link=status.kind == "link", aliases=self._aliases
        )
        if rule is not None and not self._top.must_be_empty:
            raise errors.protected(
                location.display_path,
                rule,
                hint="leave that folder in its place",
            )
        if status.device != folder_status.device or folder.is_mount(name):
            raise errors.contains_mount(requested_path, location.display_path)
        if is_kept_by_sticky_folder(folder_status, status):
            raise errors.not_permitted(
                location.display_path,
                "belongs to another user, so it cannot be removed",
            )
