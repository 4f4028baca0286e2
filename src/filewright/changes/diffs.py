"""Diffs of changes: of what was done, from history; of an undo, before it is done.

A diff is an extra: it has a budget of lines and the time that is left of its task, reads each file
once, and says what it left out. What can no longer be read is said in its place, never raised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk import WalkOptions
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
from filewright.edit.build_diff import build_file_diff, compare_cells, find_splices
from filewright.edit.changeset import ChangeSet
from filewright.edit.diff import Diff, FileDiff, LostContent
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import MB, Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply

_SHOWN_WHOLE = 1 * MB
_CONTEXT = 400
_NO_FILE = FileState("file")


class FileDifference(NamedTuple):
    """What became of one file: paths as they are shown, `was` if it was renamed, sizes in bytes, modes.

    A size and a mode are None where there is no file. `added` and `removed` count lines, None for what is
    no text or is not known. There are several `diffs` where others have changed it in between.
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
        """The diffs, git style."""
        return Diff(self.diffs).text


@dataclass(slots=True)
class _Budget:
    """The rows and the time that are left, and the diffs made with them."""

    lines: int
    task: Task
    files: list[FileDiff] = field(default_factory=list)
    cut: int = 0
    lost: list[LostContent] = field(default_factory=list)

    @property
    def spent(self) -> bool:
        return self.lines <= 0 or self.task.expired or self.task.cancelled

    def add(self, file: FileDiff) -> None:
        self.files.append(file)
        self.lines -= file.row_count + 4


class DiffBuilder(NamedTuple):
    """Makes diffs of changes below a boundary."""

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
        """What a committed change did, in about `max_lines` lines and the time left of `task`."""
        files: list[FileDiff] = []
        left, cut = max_lines, 0
        for entry in record.file_changes[entries] if entries else record.file_changes:
            before, after = entry.before, entry.after
            if "folder" in (before and before.kind, after and after.kind):
                continue
            if left <= 0 or task.expired or task.cancelled:
                cut += 1
                continue
            for file in self.diff_file_change(entry, max_lines=left).diffs:
                files.append(file)
                left -= file.row_count + 4
        return Diff(tuple(files), cut)

    def diff_file_change(
        self, entry: FileChange, *, max_lines: int, start: int = 0
    ) -> FileDifference:
        """What became of one entry that is no folder; with `max_lines` 0 its lines are only counted.

        `start` is the `next` of an earlier window of the one diff that it has.
        """
        before, after, roots = entry.before, entry.after, self.boundary.roots
        now = was = entry.path.locate(roots) or entry.path
        if entry.renamed_from is not None:
            was = entry.renamed_from.locate(roots) or entry.renamed_from
        names = shown = _named(was, now, before, after)
        parts: list[FileDiff] = []
        rows = added = removed = 0
        counted = True
        for edit in _edits_shown(entry) if entry.edits else (entry,):
            left = max_lines and max(10, max_lines - rows)
            try:
                part = self._of_edit(edit, shown, left, start)
            except FilewrightError as error:
                part = _unknown(shown, f"(not shown: {error.message})\n")
            parts.append(part)
            rows += part.row_count
            counted = counted and part.added is not None
            added, removed = added + (part.added or 0), removed + (part.removed or 0)
            shown = replace(
                names, old_name=names.new_name, mode_before=names.mode_after
            )
        return FileDifference(
            path=names.path,
            was=names.old_name
            if after is not None and names.old_name != names.new_name
            else None,
            action=entry.action,
            kind=(after or before or _NO_FILE).kind,
            size_before=before.size if before is not None else None,
            size_after=after.size if after is not None else None,
            mode_before=names.mode_before,
            mode_after=names.mode_after,
            added=added if counted else None,
            removed=removed if counted else None,
            diffs=tuple(parts),
        )

    def diff_change_set(
        self, change_set: ChangeSet, *, max_lines: int, task: Task
    ) -> Diff:
        """What a change set would do, in about `max_lines` lines and the time left of `task`."""
        budget = _Budget(max_lines, task)
        with OpenFolders(self.boundary) as folders:
            tree = ChangeTree(self.boundary, folders, change_set, task)
            changed = apply_change_set(tree)
            left: set[Location] = set()
            for node in tree.records.loaded:
                if node.original is not None and changed.is_present(node):
                    left.add(node.original.location)
            gone = [node for node in changed.displaced if not changed.is_present(node)]
            for node in gone:
                if node.kind == "folder" and node.original is not None:
                    self._deleted_below(node.original.location, left, budget)
            with_rights = [
                node for node in changed.rights_changed if not changed.is_moved(node)
            ]
            for node in (*gone, *changed.created, *changed.moved, *with_rights):
                if node.kind == "folder" and not changed.is_moved(node):
                    continue
                lost: list[LostContent] = []
                if node.original is not None:
                    path = node.original.location.display_path
                    lost.append(LostContent(path, 1, node.original.status.size))
                overwritten = changed.is_rewritten(node) and _is_whole(node)
                if not changed.is_present(node) or (overwritten and budget.spent):
                    budget.lost += lost
                if budget.spent:
                    budget.cut += 1
                    continue
                file = self._planned(node, changed, max(10, budget.lines))
                budget.add(file)
                if overwritten and (file.binary or file.truncated):
                    budget.lost += lost
        return Diff(tuple(budget.files), budget.cut, tuple(budget.lost))

    def _deleted_below(
        self, where: Location, left: set[Location], budget: _Budget
    ) -> None:
        """The files below a deleted folder, but what has `left` it, as far as the budget goes."""
        files = size = 0
        elsewhere = set[Location]()
        for entry in self.boundary.walk(
            where, WalkOptions(include_ignored=True, details=True), task=budget.task
        ):
            if entry.location in left or entry.location.parent in elsewhere:
                elsewhere.add(entry.location)
            if entry.kind == "folder" or entry.location in elsewhere:
                continue
            files, size = (
                files + 1,
                size + (entry.status.size if entry.status is not None else 0),
            )
            if entry.kind != "file" or budget.spent:
                budget.cut += 1
            else:
                gone = FileDiff(entry.location.display_path, None)
                with self._snapshot(entry.location) as before:
                    if before.size <= _SHOWN_WHOLE:
                        gone = self._compared(
                            gone, before, None, b"", max(10, budget.lines)
                        )
                budget.add(gone)
        budget.lost.append(LostContent(f"{where.display_path}/", files, size))

    def _planned(self, node: TreeNode, changed: TreeDiff, max_lines: int) -> FileDiff:
        """Build the diff of what will become of a node that is no folder."""
        is_present = changed.is_present(node)
        original = node.original
        if original is not None:
            location, before_state = (
                original.location,
                FileState.from_status(original.status),
            )
        else:
            location, before_state = changed.locations[node], None
        names = _named(
            location,
            changed.locations[node] if is_present else location,
            before_state,
            FileState(node.kind, *node.rights) if is_present else None,
        )
        if is_present and not node.needs_new_inode:
            return names
        try:
            target = (original is not None and node.target) or b""
            before = Snapshot(target, settings=self.settings)
            if original is not None and node.kind == "file":
                if not is_present and original.status.size > _SHOWN_WHOLE:
                    return names
                before = self._snapshot(location)
            with before:
                splices, after = None, b""
                if is_present:
                    splices, after = node.splices, _held(node)
                return self._compared(names, before, splices, after, max_lines)
        except FilewrightError as error:
            return _unknown(names, f"(not shown: {error.message})\n")

    # What was done

    def _of_edit(
        self, entry: FileChange, names: FileDiff, max_lines: int, start: int
    ) -> FileDiff:
        if keeps_content(entry):
            return names
        # Nothing, and what a link leads to, need no looking up.
        before = entry.before.link_target if entry.before is not None else b""
        after = entry.after.link_target if entry.after is not None else b""
        if before is None:
            before = content_before(entry)
        if entry.packed_spans and before is None:
            return self._excerpt(entry, names, max_lines, start)
        splices = forward_splices(entry)
        if splices is None and after is None:
            after = content_after(entry)
        if before is None or (splices is None and after is None):
            size = (entry.before or entry.after or _NO_FILE).size
            return _unknown(names, f"(content of {size:,} bytes not shown)\n")
        old = Snapshot(before, settings=self.settings)
        return self._compared(names, old, splices, after, max_lines, start)

    def _excerpt(
        self, entry: FileChange, names: FileDiff, max_lines: int, start: int
    ) -> FileDiff:
        """An edit of a large file: the lines around the first splices, as far as the file still has them."""
        most = max(10, max_lines)
        made, undone = (
            forward_splices(entry, most=most),
            backward_splices(entry, most=most),
        )
        if made is None or undone is None:
            return names
        parts: list[bytes] = []
        splices: list[Splice] = []
        size = 0
        end: int | None = None
        with self._now(entry) as now:
            for ahead, back in zip(made, undone, strict=True):
                lead = _between(now, end, back.offset)
                splices.append(
                    Splice(size + len(lead), ahead.length, ahead.replacement)
                )
                parts += (lead, back.replacement)
                size += len(lead) + len(back.replacement)
                end = back.end
            parts.append(_between(now, end, None))
        left = sum(1 for _ in unpack_spans(entry.packed_spans)) - len(splices)
        remark = f"... {left:,} more changes of this file not shown\n" if left else ""
        remark += "(line numbers are those of an excerpt)\n"
        before = Snapshot(b"".join(parts), settings=self.settings)
        return replace(
            self._compared(names, before, splices, None, max_lines, start),
            remark=remark,
        )

    def _now(self, entry: FileChange) -> Snapshot:
        """The file as it is, if it can still be what the change made of it; else nothing."""
        where = entry.path.locate(self.boundary.roots)
        with suppress(FilewrightError):
            if where is not None and entry.after is not None:
                found = self._snapshot(where, hold=False)
                if found.size == entry.after.size:
                    return found
                found.close()
        return Snapshot(b"", settings=self.settings)

    # Drawing

    def _snapshot(self, where: Location, *, hold: bool = True) -> Snapshot:
        return Snapshot.of_file(
            self.boundary.open_file(where), where, self.settings, hold=hold
        )

    def _compared(
        self,
        names: FileDiff,
        before: Snapshot,
        splices: Sequence[Splice] | None,
        after: bytes | None,
        max_lines: int,
        start: int = 0,
    ) -> FileDiff:
        """A file of which `splices` are made, or which becomes `after`; of a notebook, its cells."""
        cells = None
        if names.path.lower().endswith(".ipynb") and (held := before.held) is not None:
            cells = compare_cells(
                held, apply(held, splices) if splices is not None else after or b""
            )
        if cells is not None:
            before, splices = cells
        elif splices is None:
            splices = find_splices(before, after or b"")
        return build_file_diff(
            names,
            before,
            splices,
            max_lines=max_lines,
            line_chars=self.settings.line_chars,
            start=start,
        )


def _named(
    was: Location | RecordedPath,
    now: Location | RecordedPath,
    before: FileState | None,
    after: FileState | None,
) -> FileDiff:
    """Names and modes of a file, and nothing of its lines yet. A mode is as git tells it: a link has one of its own."""
    old = new = mode_before = mode_after = None
    if before is not None:
        old, mode_before = (
            was.display_path,
            0o120000 if before.kind == "link" else before.mode,
        )
    if after is not None:
        new, mode_after = (
            now.display_path,
            0o120000 if after.kind == "link" else after.mode,
        )
    return FileDiff(old, new, (), mode_before, mode_after)


def _unknown(names: FileDiff, remark: str) -> FileDiff:
    """A file of whose lines nothing is known but why."""
    return replace(names, added=None, removed=None, all_counted=False, remark=remark)


def _is_whole(node: TreeNode) -> bool:
    """Whether nothing of what a file holds is kept."""
    first, *more = node.splices or (None,)
    return not more and (
        first is None
        or (node.original is not None and first.length == node.original.status.size)
    )


def _held(node: TreeNode) -> bytes:
    """What a new thing will hold."""
    if node.kind == "link" or node.content is None:
        return node.target or b""
    whole = node.content.size <= _SHOWN_WHOLE
    return (
        b"".join(map(bytes, node.content.blocks())) if whole else b"(a large content)\n"
    )


def _edits_shown(entry: FileChange) -> Iterator[FileChange]:
    """What is shown of an entry: one diff of all, but each run for itself, and each edit of a large file."""
    for run in entry.runs:
        edits, before, after = run.content_edits, run.before, run.after
        if (
            len(edits) == 1
            or before is None
            or not any(edit.packed_spans for edit in edits)
        ):
            yield run
        elif (
            max(before.size, after.size if after else 0) > _SHOWN_WHOLE
            and content_before(run) is None
        ):
            yield from edits
        else:
            yield run


def _between(now: Snapshot, start: int | None, stop: int | None) -> bytes:
    """What is between two splices, or around one: whole lines near them where it is much."""
    if not now.size:
        return b"" if start is None else b"\n"
    if start is not None and stop is not None and stop - start <= 2 * _CONTEXT:
        return now.read(start, stop - start)
    tail = head = b""
    if start is not None:
        tail = now.read(start, min(_CONTEXT, now.size - start))
        tail = tail[: tail.rfind(b"\n") + 1 or len(tail)]
    if stop is not None:
        begin = max(0, stop - _CONTEXT)
        head = now.read(begin, stop - begin)
        head = head[head.find(b"\n") + 1 :] if begin else head
    return tail + head
