"""Diffs of recorded changes, and of a change set before it is made.

A diff is an extra: it has a budget of lines and the time that is left of its task,
reads each file once, and says what it left out. A file that can no longer be read has a
remark in its place; no error is raised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk_model import WalkOptions
from filewright.changes.blobs import (
    backward_splices,
    content_after,
    content_before,
    forward_splices,
)
from filewright.changes.change_tree import ChangeTree
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedPath,
    keeps_content,
    unpack_spans,
)
from filewright.changes.open_folders import OpenFolders
from filewright.changes.tree_diff import TreeDiff, apply_change_set
from filewright.changes.tree_node import TreeNode
from filewright.edit.build_diff import (
    build_file_diff,
    compare_cells,
    find_splices,
)
from filewright.edit.changeset import ChangeSet
from filewright.edit.diff import Diff, FileDiff, LostContent, PlannedFile
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import MB, Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices

_MAX_WHOLE_BYTES = 1 * MB
"""Files that are larger are not shown whole."""
_EXCERPT_CONTEXT_BYTES = 400
_MIN_ROWS = 10
"""Rows of a file for which there is any room, so that the last one shows something."""
_HEADER_ROWS = 4
_MAX_PLANNED_FILES = 20_000
"""Files of a change set that are named; beyond them files are counted."""
_LINK_MODE = 0o120000
_NO_FILE = FileState("file")


@dataclass(frozen=True, slots=True)
class FileDifference:
    """The difference that a change made to one file.

    Paths are as results show them; `was` is set if the file was renamed. Sizes are in
    bytes; size and mode are None where there is no file. `added` and `removed` count
    lines, None for a file that is no text or is not known. There are several `diffs` if
    others changed the file between selected changes.
    """

    path: str
    was: str | None
    action: str
    kind: str
    size_before: int | None
    size_after: int | None
    mode_before: int | None
    mode_after: int | None
    added: int | None
    removed: int | None
    diffs: tuple[FileDiff, ...]

    @property
    def diff(self) -> str:
        """The text of the diffs, in git's style."""
        return Diff(self.diffs).text


@dataclass(slots=True)
class _DiffCollector:
    """The diffs so far, with the rows and the time that are left for more."""

    remaining_rows: int
    task: Task
    files: list[FileDiff] = field(default_factory=list)
    omitted_files: int = 0
    lost: list[LostContent] = field(default_factory=list)
    planned: list[PlannedFile] = field(default_factory=list)
    unlisted: int = 0

    @property
    def is_full(self) -> bool:
        return (
            self.remaining_rows <= 0 or self.task.expired or self.task.cancelled
        )

    @property
    def file_rows(self) -> int:
        """The number of rows that the next file may have."""
        return max(_MIN_ROWS, self.remaining_rows)

    def add(self, file: FileDiff) -> None:
        self.files.append(file)
        self.remaining_rows -= file.row_count + _HEADER_ROWS

    def list(self, file: PlannedFile) -> None:
        """Name a file that the change set touches, whether it is shown or not."""
        if len(self.planned) < _MAX_PLANNED_FILES:
            self.planned.append(file)
        elif not file.path.endswith("/"):
            self.unlisted += 1

    def to_diff(self) -> Diff:
        return Diff(
            tuple(self.files),
            self.omitted_files,
            tuple(self.lost),
            tuple(self.planned),
            self.unlisted,
        )


@dataclass(frozen=True, slots=True)
class DiffBuilder:
    """Builds the diffs of changes below a boundary."""

    boundary: Boundary
    settings: Settings

    def diff_record(
        self,
        record: ChangeRecord,
        *,
        max_lines: int,
        task: Task,
        entries: slice | None = None,
    ) -> Diff:
        """Return the diff of a recorded change, or of some of its file changes.

        It has about `max_lines` lines, and takes the time left of `task` at most.
        """
        diffs = _DiffCollector(max_lines, task)
        file_changes = (
            record.file_changes[entries] if entries else record.file_changes
        )
        for change in file_changes:
            if _is_of_folder(change):
                continue
            if diffs.is_full:
                diffs.omitted_files += 1
                continue
            difference = self.diff_file_change(
                change, max_lines=diffs.remaining_rows
            )
            for file in difference.diffs:
                diffs.add(file)
        return diffs.to_diff()

    def diff_file_change(
        self, change: FileChange, *, max_lines: int, start: int = 0
    ) -> FileDifference:
        """Return the difference of one file change, which is not about a folder.

        With `max_lines` 0, its lines are only counted. `start` is the `next_offset` of
        an earlier window of its diff, if it has only one.
        """
        header = self._build_recorded_header(change)
        diffs: list[FileDiff] = []
        edit_header, row_count = header, 0
        for edit in _split_edits(change):
            max_rows = 0
            if max_lines:
                max_rows = max(_MIN_ROWS, max_lines - row_count)
            try:
                diff = self._diff_edit(edit, edit_header, max_rows, start)
            except FilewrightError as error:
                diff = _unknown_diff(
                    edit_header, f"(not shown: {error.message})\n"
                )
            diffs.append(diff)
            row_count += diff.row_count
            # Only the first diff has the old name and mode.
            edit_header = replace(
                header, old_name=header.new_name, mode_before=header.mode_after
            )
        are_lines_known = all(diff.added is not None for diff in diffs)
        before, after = change.before, change.after
        is_renamed = after is not None and header.old_name != header.new_name
        return FileDifference(
            path=header.path,
            was=header.old_name if is_renamed else None,
            action=change.action,
            kind=(after or before or _NO_FILE).kind,
            size_before=before.size if before is not None else None,
            size_after=after.size if after is not None else None,
            mode_before=header.mode_before,
            mode_after=header.mode_after,
            added=sum(diff.added or 0 for diff in diffs)
            if are_lines_known
            else None,
            removed=(
                sum(diff.removed or 0 for diff in diffs)
                if are_lines_known
                else None
            ),
            diffs=tuple(diffs),
        )

    def diff_change_set(
        self, change_set: ChangeSet, *, max_lines: int, task: Task
    ) -> Diff:
        """Return the diff of a change set that is not made yet.

        It has about `max_lines` lines, and takes the time left of `task` at most.
        Content that is deleted or overwritten is named in any case.
        """
        diffs = _DiffCollector(max_lines, task)
        with (
            OpenFolders(self.boundary) as folders,
            ChangeTree(self.boundary, folders, change_set, task) as tree,
        ):
            changed = apply_change_set(tree)
            # Files below a deleted folder that are moved elsewhere are not deleted.
            saved_locations: set[Location] = set()
            for node in tree.records.loaded:
                if node.original is not None and changed.is_present(node):
                    saved_locations.add(node.original.location)
            deleted = [
                node
                for node in changed.displaced
                if not changed.is_present(node)
            ]
            for node in deleted:
                if node.kind == "folder" and node.original is not None:
                    self._diff_deleted_folder(
                        node.original.location, saved_locations, diffs
                    )
            with_new_rights = [
                node
                for node in changed.rights_changed
                if not changed.is_moved(node)
            ]
            nodes = (
                *deleted,
                *changed.created,
                *changed.moved,
                *with_new_rights,
            )
            for node in nodes:
                diffs.list(_plan_file(node, changed))
                # A folder has no lines: only its move is shown.
                if node.kind != "folder" or changed.is_moved(node):
                    self._diff_node(node, changed, diffs)
        return diffs.to_diff()

    def compare_contents(
        self,
        header: FileDiff,
        before: bytes,
        after: bytes,
        *,
        max_rows: int,
        start: int = 0,
    ) -> FileDiff:
        """Return the diff of two contents of a file; `header` has its names."""
        snapshot = Snapshot(before, settings=self.settings)
        return self._compare(
            header, snapshot, None, after, max_rows=max_rows, start=start
        )

    # Changes that are not made yet

    def _diff_deleted_folder(
        self, folder: Location, saved: set[Location], diffs: _DiffCollector
    ) -> None:
        """Add the files below a deleted folder, except those `saved` from it."""
        file_count = size = 0
        saved_folders: set[Location] = set()
        options = WalkOptions(include_ignored=True, details=True)
        for entry in self.boundary.walk(folder, options, task=diffs.task):
            # The walk is top-down, so all below a saved folder is known to be saved.
            if (
                entry.location in saved
                or entry.location.parent in saved_folders
            ):
                saved_folders.add(entry.location)
            if entry.kind == "folder" or entry.location in saved_folders:
                continue
            file_count += 1
            diffs.list(PlannedFile(entry.location.display_path, "deleted"))
            if entry.status is not None:
                size += entry.status.size
            if entry.kind != "file" or diffs.is_full:
                diffs.omitted_files += 1
                continue
            diff = FileDiff(entry.location.display_path, None)
            with self._open(entry.location) as before:
                if before.size <= _MAX_WHOLE_BYTES:
                    diff = self._compare(
                        diff, before, None, b"", max_rows=diffs.file_rows
                    )
            diffs.add(diff)
        diffs.lost.append(
            LostContent(f"{folder.display_path}/", file_count, size)
        )

    def _diff_node(
        self, node: TreeNode, changed: TreeDiff, diffs: _DiffCollector
    ) -> None:
        """Add the diff of a file, a link or a moved folder, if there is room."""
        lost: list[LostContent] = []
        if node.original is not None:
            path = node.original.location.display_path
            lost.append(LostContent(path, 1, node.original.status.size))
        is_overwritten = changed.is_rewritten(node) and _is_whole_rewrite(node)
        if not changed.is_present(node) or (is_overwritten and diffs.is_full):
            diffs.lost += lost
        if diffs.is_full:
            diffs.omitted_files += 1
            return
        diff = self._diff_planned(node, changed, diffs.file_rows)
        diffs.add(diff)
        # A diff that does not show all that is lost must not be the only warning.
        if is_overwritten and (diff.binary or diff.truncated):
            diffs.lost += lost

    def _diff_planned(
        self, node: TreeNode, changed: TreeDiff, max_rows: int
    ) -> FileDiff:
        """Return the diff of what will become of a node."""
        is_present = changed.is_present(node)
        original = node.original
        if original is None:
            location, before_state = changed.location_of(node), None
        else:
            location = original.location
            before_state = FileState.from_status(original.status)
        header = _build_header(
            location,
            changed.location_of(node) if is_present else location,
            before_state,
            FileState(node.kind, *node.rights) if is_present else None,
        )
        if is_present and not node.needs_new_inode:
            # The content stays; only its name or rights change.
            return header
        is_old_file = original is not None and node.kind == "file"
        old_size = original.status.size if original is not None else 0
        if is_old_file and not is_present and old_size > _MAX_WHOLE_BYTES:
            return header
        try:
            if is_old_file:
                before = self._open(location)
            else:
                target = node.target if original is not None else None
                before = Snapshot(target or b"", settings=self.settings)
            with before:
                if not is_present:
                    return self._compare(
                        header, before, None, b"", max_rows=max_rows
                    )
                return self._compare(
                    header,
                    before,
                    node.splices,
                    _read_new_content(node),
                    max_rows=max_rows,
                )
        except FilewrightError as error:
            return _unknown_diff(header, f"(not shown: {error.message})\n")

    # Recorded changes

    def _build_recorded_header(self, change: FileChange) -> FileDiff:
        """Return the names and modes of a recorded change."""
        roots = self.boundary.roots
        new_path = change.path.locate(roots) or change.path
        old_path = new_path
        if change.renamed_from is not None:
            old_path = change.renamed_from.locate(roots) or change.renamed_from
        return _build_header(old_path, new_path, change.before, change.after)

    def _diff_edit(
        self, change: FileChange, header: FileDiff, max_rows: int, start: int
    ) -> FileDiff:
        """Return the diff of a recorded edit, or a remark if its content is unknown."""
        if keeps_content(change):
            return header
        # The content of no file, and the target of a link, need not be looked up.
        before = change.before.link_target if change.before is not None else b""
        after = change.after.link_target if change.after is not None else b""
        if before is None:
            before = content_before(change)
        # The content was not stored whole: show the splices, and what is around them
        # now.
        if change.packed_spans and before is None:
            return self._diff_excerpt(change, header, max_rows, start)
        splices = forward_splices(change)
        if splices is None and after is None:
            after = content_after(change)
        if before is None or (splices is None and after is None):
            return _unknown_content_diff(change, header)
        snapshot = Snapshot(before, settings=self.settings)
        return self._compare(
            header, snapshot, splices, after, max_rows=max_rows, start=start
        )

    def _diff_excerpt(
        self, change: FileChange, header: FileDiff, max_rows: int, start: int
    ) -> FileDiff:
        """Return the diff of the first splices of a large file, by an excerpt of it.

        The excerpt has the lines around them, as far as the file still has these.
        """
        max_splices = max(_MIN_ROWS, max_rows)
        forward = forward_splices(change, limit=max_splices)
        backward = backward_splices(change, limit=max_splices)
        if forward is None or backward is None:
            return _unknown_content_diff(change, header)
        parts: list[bytes] = []
        splices: list[Splice] = []
        excerpt_size = 0
        end: int | None = None
        with self._open_current(change) as current:
            for splice, reverse_splice in zip(forward, backward, strict=True):
                lead = _read_between(current, end, reverse_splice.offset)
                offset = excerpt_size + len(lead)
                splices.append(replace(splice, offset=offset))
                parts += (lead, reverse_splice.replacement)
                excerpt_size = offset + len(reverse_splice.replacement)
                end = reverse_splice.end
            parts.append(_read_between(current, end, None))
        omitted = sum(1 for _ in unpack_spans(change.packed_spans)) - len(
            splices
        )
        remark = "(line numbers are those of an excerpt)\n"
        if omitted:
            remark = (
                f"... {omitted:,} more changes of this file not shown\n{remark}"
            )
        before = Snapshot(b"".join(parts), settings=self.settings)
        diff = self._compare(
            header, before, splices, None, max_rows=max_rows, start=start
        )
        return replace(diff, remark=remark)

    def _open_current(self, change: FileChange) -> Snapshot:
        """Return the file as it is now, or nothing if it was changed since."""
        location = change.path.locate(self.boundary.roots)
        # Without the file as it was, the excerpt shows only the bytes of the splices.
        with suppress(FilewrightError):
            if location is not None and change.after is not None:
                snapshot = self._open(location, hold=False)
                if snapshot.size == change.after.size:
                    return snapshot
                snapshot.close()
        return Snapshot(b"", settings=self.settings)

    # Both

    def _open(self, location: Location, *, hold: bool = True) -> Snapshot:
        return Snapshot.of_file(
            self.boundary.open_file(location),
            location,
            self.settings,
            hold=hold,
        )

    def _compare(
        self,
        header: FileDiff,
        before: Snapshot,
        splices: Sequence[Splice] | None,
        after: bytes | None,
        *,
        max_rows: int,
        start: int = 0,
    ) -> FileDiff:
        """Return the diff of a file, or of the cells of a notebook.

        `after` is its new content if there are no `splices`.
        """
        cells = None
        if (
            header.path.lower().endswith(".ipynb")
            and before.content is not None
        ):
            new_content = after or b""
            if splices is not None:
                new_content = apply_splices(before.content, splices)
            cells = compare_cells(before.content, new_content)
        if cells is not None:
            before, splices = cells
        elif splices is None:
            splices = find_splices(before, after or b"")
        return build_file_diff(
            header,
            before,
            splices,
            max_lines=max_rows,
            line_chars=self.settings.line_chars,
            start=start,
        )


def _is_of_folder(change: FileChange) -> bool:
    states = (change.before, change.after)
    return any(state is not None and state.kind == "folder" for state in states)


def _build_header(
    old_path: Location | RecordedPath,
    new_path: Location | RecordedPath,
    before: FileState | None,
    after: FileState | None,
) -> FileDiff:
    """Return the names and modes of a file, without its lines."""
    return FileDiff(
        old_path.display_path if before is not None else None,
        new_path.display_path if after is not None else None,
        mode_before=_to_git_mode(before),
        mode_after=_to_git_mode(after),
    )


def _to_git_mode(state: FileState | None) -> int | None:
    """Return the mode as git names it, which has one of its own for links."""
    if state is None:
        return None
    return _LINK_MODE if state.kind == "link" else state.mode


def _unknown_content_diff(change: FileChange, header: FileDiff) -> FileDiff:
    """Return a diff without lines of a file whose content is not known, or too large."""
    size = (change.before or change.after or _NO_FILE).size
    return _unknown_diff(header, f"(content of {size:,} bytes not shown)\n")


def _unknown_diff(header: FileDiff, remark: str) -> FileDiff:
    """Return a diff without lines, and the reason why they are not known."""
    return replace(
        header, added=None, removed=None, all_counted=False, remark=remark
    )


def _plan_file(node: TreeNode, changed: TreeDiff) -> PlannedFile:
    """Return the path of a node, and the action on it."""
    end = "/" if node.kind == "folder" else ""
    if node.original is None:
        path = changed.location_of(node).display_path
        return PlannedFile(f"{path}{end}", "created")
    previous_path = f"{node.original.location.display_path}{end}"
    if not changed.is_present(node):
        return PlannedFile(previous_path, "deleted")
    path = f"{changed.location_of(node).display_path}{end}"
    # A file that is rewritten too is at its new path with a new inode.
    if path != previous_path:
        return PlannedFile(path, "moved", previous_path)
    action = "modified" if node.needs_new_inode else "attributes"
    return PlannedFile(previous_path, action)


def _is_whole_rewrite(node: TreeNode) -> bool:
    """Return True if no byte of a file's content stays."""
    splices = node.splices
    if not splices:
        return True
    if len(splices) > 1 or node.original is None:
        return False
    return splices[0].length == node.original.status.size


def _read_new_content(node: TreeNode) -> bytes:
    """Return the content that a new file or link will have."""
    content = node.content
    if node.kind == "link" or content is None:
        return node.target or b""
    if content.size > _MAX_WHOLE_BYTES:
        return b"(a large content)\n"
    return b"".join(bytes(block) for block in content.blocks())


def _split_edits(change: FileChange) -> Iterator[FileChange]:
    """Yield the parts of a change that have a diff each.

    That is the change itself, unless others changed the file in between: then each run
    has one. Of a file too large to be stored whole, each edit has one.
    """
    if not change.edits:
        yield change
        return
    for run in change.runs:
        edits = run.content_edits
        has_splices = any(edit.packed_spans for edit in edits)
        if len(edits) > 1 and has_splices and _is_too_large(run):
            yield from edits
        else:
            yield run


def _is_too_large(change: FileChange) -> bool:
    """Return True if a file is large, and its old content is not stored."""
    if change.before is None:
        return False
    new_size = change.after.size if change.after is not None else 0
    if max(change.before.size, new_size) <= _MAX_WHOLE_BYTES:
        return False
    return content_before(change) is None


def _read_between(
    current: Snapshot, start: int | None, stop: int | None
) -> bytes:
    """Return the text between two splices, or around one (None: no splice there).

    If that is much, only whole lines next to the splices.
    """
    if not current.size:
        return b"" if start is None else b"\n"
    max_gap_bytes = 2 * _EXCERPT_CONTEXT_BYTES
    if start is not None and stop is not None and stop - start <= max_gap_bytes:
        return current.read(start, stop - start)
    tail = head = b""
    if start is not None:
        length = min(_EXCERPT_CONTEXT_BYTES, current.size - start)
        tail = current.read(start, length)
        # Half a line would look like one that was changed.
        tail = tail[: tail.rfind(b"\n") + 1 or len(tail)]
    if stop is not None:
        head_start = max(0, stop - _EXCERPT_CONTEXT_BYTES)
        head = current.read(head_start, stop - head_start)
        if head_start:
            head = head[head.find(b"\n") + 1 :]
    return tail + head
