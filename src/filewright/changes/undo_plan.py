"""The steps of an undo, worked out on the tree of its commit.

First each file change is examined: what is at its path now, and whether it can be given
back. Files that are to be elsewhere, or nowhere, are then detached bottom-up. Folders
and moved files that come back are attached top-down, then files that are made again.
New contents, owners and modes are steps that follow.

Every file change is examined once, and questions about others are look-ups by the
folders above: the work grows with the number of file changes.
"""

from __future__ import annotations

import stat
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NoReturn

import xxhash

from filewright import errors
from filewright.boundary.location import Location
from filewright.changes.blobs import (
    MemoryContent,
    backward_splices,
    stored_content_before,
)
from filewright.changes.change_tree import ChangeTree
from filewright.changes.model import (
    FileChange,
    FileState,
    RecordedPath,
    parent_paths,
    path_after_moves,
    states_match,
)
from filewright.changes.tree_node import TreeNode
from filewright.changes.tree_steps import apply_step, arrive, leave
from filewright.changes.undo_content import (
    EDITED,
    NOT_KEPT,
    SOMETHING_NEW,
    ContentUndoer,
)
from filewright.changes.undo_report import FileRefusedError, ReportBuilder
from filewright.edit.changeset import (
    ContentStream,
    Create,
    Delete,
    ExpectedState,
    MakeFolder,
    MakeLink,
    Modify,
    Move,
    SetMode,
    SetOwner,
    Step,
)
from filewright.edit.linediff import find_line_splices
from filewright.edit.overlay import Overlay
from filewright.edit.packed_steps import PackedSteps
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

_GONE = "has been moved or deleted since"
_ONLY_CHANGES_KEPT = (
    "has been deleted or moved since, and only its changed parts were stored"
)
_TOO_LARGE = "has changed since, and is too large to be merged"


@dataclass(frozen=True, slots=True)
class UndoOptions:
    """The settings of an undo.

    `locate` returns the location of a recorded path, and raises if it may not be
    reached. Of files in `hunks` only these hunks are undone. With `leaves_conflicts`,
    lines that others have changed stay in files that are undone otherwise.
    """

    settings: Settings
    task: Task
    locate: Callable[[RecordedPath], Location]
    force: bool
    hunks: Mapping[RecordedPath, frozenset[int]]
    leaves_conflicts: bool = False


@dataclass(frozen=True, slots=True)
class _Detachment:
    """A node that leaves its path: to be moved back, or since the change created it."""

    path: RecordedPath
    node: TreeNode
    is_created: bool


@dataclass(frozen=True, slots=True)
class _Attachment:
    """A file that comes back: a node that is moved back, or a file made again."""

    change: FileChange
    before: FileState
    node: TreeNode | None = None
    is_moved_back: bool = False

    @property
    def path(self) -> RecordedPath:
        """The path to which it comes back."""
        return self.change.renamed_from or self.change.path


@dataclass(slots=True)
class _Examination:
    """The nodes to detach, and the files to attach.

    `recreated` are the numbers of file changes whose file or link is made again. There
    may be very many, so these changes are read again when their turn comes.
    """

    detachments: list[_Detachment] = field(default_factory=list)
    attachments: list[_Attachment] = field(default_factory=list)
    recreated: array[int] = field(default_factory=partial(array, "q"))


class UndoPlanner:
    """Works out one undo on one tree."""

    def __init__(
        self,
        tree: ChangeTree,
        file_changes: Sequence[FileChange],
        options: UndoOptions,
        report: ReportBuilder,
    ) -> None:
        self._tree = tree
        self._file_changes = file_changes
        self._settings = options.settings
        self._task = options.task
        self._locate = options.locate
        self._force = options.force
        self._hunks = options.hunks
        self._report = report
        self._contents = ContentUndoer(
            options.settings,
            options.task,
            options.hunks,
            options.leaves_conflicts,
            lambda path: self._locate(path).display_path,
            report,
        )
        self._later_steps = PackedSteps()
        self.changes_names = False
        """True if the undo has attached, detached or made anything in the tree."""

    def plan(self) -> Sequence[Step]:
        """Apply the undo to names in the tree; return the steps that follow.

        Files that cannot be given back are in the report, and the others go on: all
        conflicts are found at once.
        """
        examination = self._examine(self._find_moves_back())
        self._detach(examination.detachments)
        attachments = sorted(
            examination.attachments,
            key=lambda attachment: len(attachment.path.parts),
        )
        for attachment in attachments:
            with suppress(FileRefusedError):
                self._attach(attachment)
        for change in self._file_changes_at(examination.recreated):
            if change.before is not None:
                with suppress(FileRefusedError):
                    self._attach(_Attachment(change, change.before))
        return self._later_steps

    def _file_changes_at(self, numbers: Sequence[int]) -> Iterator[FileChange]:
        """Yield the file changes with ascending numbers."""
        if not numbers:
            return
        remaining = iter(numbers)
        wanted = next(remaining)
        for number, change in enumerate(self._file_changes):
            self._task.check()
            if number == wanted:
                yield change
                wanted = next(remaining, -1)

    def _find_moves_back(self) -> dict[RecordedPath, RecordedPath]:
        """Return the former path of each file and folder that has to be moved back.

        A file that moved with a folder above it comes back with that.
        """
        renamed = [
            change for change in self._file_changes if change.renamed_from
        ]
        # Folders first: their moves decide whether a file below comes back with them.
        renamed.sort(key=lambda change: len(change.path.parts))
        moves: dict[RecordedPath, RecordedPath] = {}
        for change in renamed:
            former = change.renamed_from
            if former is None:
                continue
            comes_with_folder = path_after_moves(change.path, moves) == former
            if not comes_with_folder or change.moved_with_parent is False:
                moves[change.path] = former
        return moves

    # Examining

    def _examine(self, moves: dict[RecordedPath, RecordedPath]) -> _Examination:
        """Return the nodes to detach and the files to attach; collect other steps."""
        examination = _Examination()
        examined_nodes: set[TreeNode] = set()
        for number, change in enumerate(self._file_changes):
            self._task.check()
            before, after = change.before, change.after
            is_moved = change.path in moves and change.renamed_from is not None
            node = self._find_node(self._locate(change.path)) if after else None
            with suppress(FileRefusedError):
                if node is None or after is None:
                    if before is None:
                        display_path = self._shown(change.path)
                        self._report.add_note(
                            f"{display_path} does not exist any more"
                        )
                elif node in examined_nodes:
                    # One file is at the paths of two changes: the other was
                    # overwritten.
                    self._refuse(change.path, _GONE)
                else:
                    examined_nodes.add(node)
                    if before is None:
                        self._require_as_created(change, after, node)
                    else:
                        self._restore(change, before, after, node)
                    if is_moved or before is None:
                        examination.detachments.append(
                            _Detachment(change.path, node, before is None)
                        )
                if before is None:
                    continue
                is_lost_file = before.kind == "file" and (
                    node is None or node.kind != "file"
                )
                if is_moved or before.kind == "folder":
                    if is_moved or after is None:
                        examination.attachments.append(
                            _Attachment(change, before, node, is_moved)
                        )
                elif after is None or is_lost_file:
                    examination.recreated.append(number)
        return examination

    def _require_as_created(
        self, change: FileChange, after: FileState, node: TreeNode
    ) -> None:
        """Refuse to delete a created file or link that has changed since."""
        path = change.path
        if node.kind != after.kind:
            self._refuse(path, _is_now(node.kind))
        if node.kind == "link" and node.target != after.link_target:
            self._refuse(path, "is now a link to another target")
        if node.kind != "file":
            return
        with self._open(node, self._locate(path)) as snapshot:
            node.own_expected = ExpectedState.from_snapshot(snapshot)
            if self._force:
                return
            if snapshot.content is not None:
                # Only for its refusals: without the change there is no content.
                self._contents.undo(change, snapshot.content)
            elif change.segments or snapshot.digest(self._task) != after.digest:
                self._refuse(path, EDITED)

    def _restore(
        self,
        change: FileChange,
        before: FileState,
        after: FileState,
        node: TreeNode,
    ) -> None:
        """Add the steps that give a file its earlier content, owner and mode."""
        if before.kind == "file" and node.kind != "file":
            # Its content cannot be restored in place: it is attached instead.
            return
        location = self._locate(change.renamed_from or change.path)
        restore_mode = SetMode(location, f"{before.mode:05o}")
        is_rewritten = change.packed_spans or before.digest != after.digest
        if before.kind == "file" and is_rewritten:
            step = self._restore_content(change, before, after, node, location)
            is_read_only = (
                not after.mode & 0o222 and node.rights.mode == after.mode
            )
            if step is not None and is_read_only:
                # The change wrote to a file that was read-only, and so may its undo.
                writable = SetMode(location, f"{after.mode | stat.S_IWUSR:05o}")
                self._later_steps.extend((writable, step, restore_mode))
            elif step is not None:
                self._later_steps.append(step)
        owner, changed_owner = (before.uid, before.gid), (after.uid, after.gid)
        current_owner = (node.rights.uid, node.rights.gid)
        # An owner that was changed again since stays.
        if owner != changed_owner and changed_owner == current_owner:
            self._later_steps.append(SetOwner(location, *owner))
        if before.mode == after.mode:
            return
        if after.mode == node.rights.mode:
            self._later_steps.append(restore_mode)
        else:
            self._report.add_note(
                f"{location.display_path}: its mode has changed again since, "
                "and stays"
            )

    def _restore_content(
        self,
        change: FileChange,
        before: FileState,
        after: FileState,
        node: TreeNode,
        location: Location,
    ) -> Modify | Create | None:
        """Return the step that gives a file its earlier content, or None."""
        with self._open(node, self._locate(change.path)) as snapshot:
            current = snapshot.content
            # What was added at the end of a file needs no merge.
            has_grown = before.blob is None and snapshot.size > after.size
            is_large = max(before.size, after.size) > self._settings.hold_bytes
            if current is None or has_grown or is_large:
                return self._restore_large(
                    change, before, after, node, snapshot, location
                )
            expected = ExpectedState.from_snapshot(snapshot)
            is_whole = change.path not in self._hunks
            is_single = is_whole and not change.segments
            if is_single and snapshot.digest() == after.digest:
                inverse = backward_splices(change)
                if inverse is not None:
                    return Modify(location, expected, inverse)
            stored = stored_content_before(change)
            if self._force and is_whole and stored is not None:
                earlier: bytes | None = stored.read()
            else:
                earlier = self._contents.undo(change, current)
            splices = find_line_splices(current, earlier or b"")
            return Modify(location, expected, splices) if splices else None

    def _restore_large(
        self,
        change: FileChange,
        before: FileState,
        after: FileState,
        node: TreeNode,
        snapshot: Snapshot,
        location: Location,
    ) -> Modify | Create:
        """Return the step for a file that is not in memory.

        Its stored splices are taken back if it is as the change left it, or has grown
        at its end; otherwise its stored content replaces it.
        """
        display_path = self._shown(change.path)
        if change.path in self._hunks:
            raise errors.no_undo_by_hunks(display_path)
        if change.segments and not self._force:
            self._refuse(change.path, _TOO_LARGE)
        expected = ExpectedState(
            snapshot.size, snapshot.identity, after.digest or None
        )
        splices = self._compose_inverse(change, snapshot)
        if splices is not None:
            if snapshot.size == after.size and after.digest:
                # The commit hashes the file as it copies it, and refuses another.
                return Modify(location, expected, splices)
            if self._digest_of_start(snapshot, after.size) != after.digest:
                self._refuse(change.path, _TOO_LARGE)
            self._report.add_grown(display_path)
            return Modify(location, replace(expected, digest=None), splices)
        stored = stored_content_before(change)
        if stored is None:
            self._refuse(
                change.path, "is too large to be undone from the stored parts"
            )
        if self._force:
            expected = replace(expected, digest=None)
        elif snapshot.size != after.size:
            self._refuse(change.path, _TOO_LARGE)
        return Create(
            location,
            stored,
            *node.rights,
            before.mtime_ns,
            replace=True,
            expected=expected,
        )

    def _compose_inverse(
        self, change: FileChange, snapshot: Snapshot
    ) -> Sequence[Splice] | None:
        """Return the inverse of all edits as one, or None if one was not stored."""
        splices: Sequence[Splice] = ()
        last = change.content_edits[-1]
        next_before: FileState | None = None
        for edit in reversed(change.content_edits):
            self._task.check()
            if edit is not last and not states_match(edit.after, next_before):
                # Others changed the file between these edits: their offsets do not fit.
                return None
            inverse = backward_splices(edit)
            if inverse is None:
                return None
            next_before = edit.before
            if splices:
                splices = Overlay(snapshot, splices).compose(inverse)
            else:
                splices = inverse
        return splices

    def _digest_of_start(self, snapshot: Snapshot, size: int) -> str:
        """Return the digest of the first bytes of a file that has grown."""
        digest = xxhash.xxh3_128()
        if snapshot.size > size:
            for _, block in snapshot.blocks(0, size):
                self._task.check()
                digest.update(block)
        return digest.hexdigest()

    # Detaching

    def _detach(self, detachments: list[_Detachment]) -> None:
        """Take nodes from their paths, bottom-up."""
        detachments.sort(key=lambda detachment: -len(detachment.path.parts))
        # A created folder stays if others have put files into it. Otherwise all that is
        # in it goes with it, and need not be deleted on its own.
        staying: set[TreeNode] = set()
        going_along: set[TreeNode] = set()
        detached_in: dict[TreeNode, list[TreeNode]] = {}
        for detachment in detachments:
            node = detachment.node
            children = detached_in.pop(node, [])
            if detachment.is_created and node.kind == "folder":
                if len(node.child_names()) > len(children):
                    display_path = self._shown(detachment.path)
                    self._report.add_note(
                        f"{display_path}/ stays: it has files of others"
                    )
                    staying.add(node)
                    continue
                going_along.update(children)
            if node.parent is not None:
                detached_in.setdefault(node.parent, []).append(node)
        for detachment in detachments:
            node = detachment.node
            location = self._locate(detachment.path)
            if not detachment.is_created:
                position = self._tree.find(location, changing=True).position
                leave(self._tree, node, location, position)
            elif node in going_along and node.position is not None:
                # Its folder is deleted next, and must be empty in the tree by then.
                folder, name = node.position
                folder.put(name, None, location.requested_path)
            elif node not in staying:
                self._apply(Delete(location))

    # Attaching

    def _attach(self, attachment: _Attachment) -> None:
        """Bring a file back: by a move, or made again from its stored content."""
        change, before = attachment.change, attachment.before
        location = self._locate(attachment.path)
        display_path = location.display_path
        is_moved_back = attachment.is_moved_back
        if is_moved_back and change.renamed_later and not self._force:
            self._refuse(
                change.path, f"was {display_path}, and was renamed again since"
            )
        if is_moved_back and attachment.node is not None:
            self._require_no_link_out(attachment.path)
            self.changes_names = True
            source = self._locate(change.path)
            move = Move(source, location, overwrite=self._force)
            arrive(self._tree, attachment.node, move)
            return
        if change.after is not None and before.kind != "file":
            self._refuse(change.path, _GONE)
        if before.kind == "other":
            self._report.add_note(
                f"{display_path} was a special file, which cannot be recreated"
            )
            return
        replaces = self._clear_path(attachment, location)
        self._require_no_link_out(attachment.path)
        if before.kind == "folder":
            self._apply(MakeFolder(location, before.attributes))
            if not replaces:
                self._later_steps.extend(
                    (
                        SetOwner(location, before.uid, before.gid),
                        SetMode(location, f"{before.mode:05o}"),
                    )
                )
        elif before.link_target is not None:
            target = before.link_target
            self._apply(MakeLink(location, target, before.uid, before.gid))
        else:
            self._create_again(attachment, location, replaces=replaces)

    def _clear_path(self, attachment: _Attachment, location: Location) -> bool:
        """Make room for a file that comes back; return True if it replaces another.

        A folder comes back over a folder; with `force` a file replaces a file, and what
        is there otherwise is deleted.
        """
        occupant = self._find_node(location)
        if occupant is None:
            return False
        kind = attachment.before.kind
        is_replaceable = kind == "folder" or (kind == "file" and self._force)
        if occupant.kind == kind and is_replaceable:
            return True
        if not self._force:
            is_deleted = attachment.change.after is None
            if is_deleted and kind != "folder":
                self._refuse(attachment.path, SOMETHING_NEW)
            self._refuse(attachment.path, _is_now(occupant.kind))
        self._apply(Delete(location, recursive=True))
        return False

    def _create_again(
        self, attachment: _Attachment, location: Location, *, replaces: bool
    ) -> None:
        change, before = attachment.change, attachment.before
        is_deleted = change.after is None
        content: ContentStream | None = stored_content_before(change)
        if is_deleted and change.segments and not self._force:
            content = MemoryContent(self._contents.undo(change, None) or b"")
        if content is None:
            if is_deleted:
                self._refuse(change.path, NOT_KEPT)
            if attachment.is_moved_back:
                self._refuse(change.path, _GONE)
            self._refuse(change.path, _ONLY_CHANGES_KEPT)
        self._apply(
            Create(
                location,
                content,
                *before.mode_and_owner,
                before.mtime_ns,
                before.attributes,
                replace=replaces,
            )
        )
        if not is_deleted and not attachment.is_moved_back:
            self._report.add_note(
                f"{location.display_path} had been deleted or moved since; it "
                "is recreated"
            )

    def _require_no_link_out(self, path: RecordedPath) -> None:
        """Refuse a path through a link out of the root; `force` deletes the link."""
        try:
            self._tree.find(self._locate(path))
        except FilewrightError as error:
            if error.code is not Code.PATH_ESCAPE:
                return
            link = self._find_link_above(path)
            if link is None:
                raise
            if not self._force:
                self._refuse(
                    link,
                    "is now a link that leads out of the root, and "
                    f"{path.display_path} was below it",
                )
            self._apply(Delete(self._locate(link)))

    def _find_link_above(self, path: RecordedPath) -> RecordedPath | None:
        """Return the topmost folder of a path that is a link now, or None."""
        for folder in reversed(tuple(parent_paths(path))):
            node = self._find_node(self._locate(folder))
            if node is not None and node.kind == "link":
                return folder
        return None

    # The tree

    def _find_node(self, location: Location) -> TreeNode | None:
        """Return the file at a location now, or None."""
        try:
            return self._tree.find(location).node
        except FilewrightError as error:
            if error.code not in (
                Code.NOT_FOUND,
                Code.NOT_A_DIRECTORY,
                Code.PATH_ESCAPE,
            ):
                raise
            return None

    def _open(self, node: TreeNode, location: Location) -> Snapshot:
        try:
            return Snapshot.of_file(
                node.open_original(), location, self._settings
            )
        except OSError as error:
            raise from_os_error(error, location.requested_path) from error

    def _apply(self, step: Step) -> None:
        self.changes_names = True
        apply_step(self._tree, step)

    def _refuse(self, path: RecordedPath, why: str) -> NoReturn:
        self._report.refuse(self._shown(path), why)

    def _shown(self, path: RecordedPath) -> str:
        return self._locate(path).display_path


def _is_now(kind: str) -> str:
    return f"is now a {'special file' if kind == 'other' else kind}"
