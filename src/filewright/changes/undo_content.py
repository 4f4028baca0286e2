"""The content of a file without a change: the inverse, merged with later changes.

Where a file has changed since, the inverse is merged three ways, line by line. What the
change made of the file is the base; the file now and the file before are the two sides.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

import xxhash

from filewright import errors
from filewright.changes.blobs import (
    content_after,
    content_before,
    forward_splices,
)
from filewright.changes.model import FileChange, FileState, RecordedPath
from filewright.changes.undo_report import LaterLines, ReportBuilder
from filewright.edit.changed_lines import group_into_hunks
from filewright.edit.diff3 import MergeChunk, merge_lines
from filewright.edit.linediff import find_line_splices
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices
from filewright.text.utf8_view import Utf8View

EDITED = "was created by that change and has been edited since"
NOT_KEPT = "was deleted, and its content was not stored"
SOMETHING_NEW = "was deleted by that change, and its name is in use again"

_WIDE_ENCODINGS = {
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# Half of a surrogate pair stays as it is on the way from UTF-16 to UTF-8 and back.
_PAIRS = "surrogatepass"


@dataclass(frozen=True, slots=True)
class ContentUndoer:
    """Takes changes back from contents in memory.

    Of the files in `hunks` only these hunks, counted from 1. What cannot be taken back
    is added to the report, and raises `FileRefusedError`. With `leaves_conflicts`, lines
    that others have changed stay, if any other line of the file is taken back.
    """

    settings: Settings
    task: Task
    hunks: Mapping[RecordedPath, frozenset[int]]
    leaves_conflicts: bool
    display_path: Callable[[RecordedPath], str]
    report: ReportBuilder

    def undo(self, change: FileChange, content: bytes | None) -> bytes | None:
        """Return the content without the runs of a change, the last run first.

        None is no file, before and after. A file that others have deleted between two
        runs comes back.
        """
        if len(change.runs) > 1 and change.path in self.hunks:
            raise errors.no_undo_by_hunks(self.display_path(change.path))
        original = content
        known_conflicts = self.report.conflict_count
        for run in reversed(change.runs):
            self.task.check()
            if run.before is None:
                if content is not None and not has_content(run.after, content):
                    self._refuse(run, EDITED)
                content = None
            elif content is None:
                content = content_before(run)
                if content is None:
                    self._refuse(run, NOT_KEPT)
            elif run.after is None:
                self._refuse(run, SOMETHING_NEW)
            else:
                content = self._undo_run(change, run, content)
        if self.report.conflict_count > known_conflicts:
            is_divisible = content != original
            if not (self.leaves_conflicts and is_divisible):
                self.report.refuse_merge(
                    self.display_path(change.path), is_divisible=is_divisible
                )
        return content

    def _undo_run(
        self, change: FileChange, run: FileChange, current: bytes
    ) -> bytes:
        """Return the content of a file that the run has changed, without the run."""
        is_unchanged = has_content(run.after, current)
        before = content_before(run, current if is_unchanged else None)
        if before is None:
            self._refuse(run, "was not stored as it was before")
        after = current if is_unchanged else content_after(run)
        if after is None:
            self._refuse(
                run,
                "has changed since, and its content after the change was not "
                "stored",
            )
        hunks = self.hunks.get(change.path)
        if hunks is not None:
            before = self._apply_other_hunks(run, before, after, hunks)
        if is_unchanged:
            return before
        path = self.display_path(change.path)
        return self._merge(path, after, current, before)

    def _apply_other_hunks(
        self,
        run: FileChange,
        before: bytes,
        after: bytes,
        undone_hunks: frozenset[int],
    ) -> bytes:
        """Return what the run would have made of a file without some of its hunks.

        Raise `not_found` if it has fewer hunks, `unsupported` if it is too large for
        them.
        """
        snapshot = Snapshot(before, settings=self.settings)
        utf8_view: Utf8View | None = None
        splices = forward_splices(run)
        if snapshot.encoding.unit_bytes > 1:
            # The recorded splices may begin or end within a character of UTF-16.
            utf8_view = Utf8View(snapshot)
            snapshot = utf8_view.snapshot
            splices = find_line_splices(
                utf8_view.to_utf8(before), utf8_view.to_utf8(after)
            )
        elif splices is None:
            splices = find_line_splices(before, after)
        hunks = group_into_hunks(snapshot, splices)
        display_path = self.display_path(run.path)
        for number in sorted(undone_hunks):
            if not 1 <= number <= len(hunks):
                raise errors.unknown_hunk(display_path, number, len(hunks))
        kept_splices: list[Splice] = []
        for number, edits in enumerate(hunks, 1):
            if number in undone_hunks:
                continue
            for edit in edits:
                line_counts = len(edit.old), len(edit.new)
                if line_counts != (edit.old_count, edit.new_count):
                    # The hunk is so long that its lines are not all in it.
                    raise errors.no_undo_by_hunks(display_path)
                length = edit.end - edit.offset
                kept_splices.append(
                    Splice(edit.offset, length, b"".join(edit.new))
                )
        if utf8_view is not None:
            return apply_splices(
                before, utf8_view.to_file_splices(kept_splices)
            )
        return apply_splices(before, kept_splices)

    def _merge(
        self, display_path: str, after: bytes, current: bytes, before: bytes
    ) -> bytes:
        """Return the current content without the change, merged by lines.

        Lines in conflict stay as they are, and are added to the report.
        """
        texts = [after, current, before]
        # A character of UTF-16 may hold the byte of a line end. A file that was
        # converted meanwhile is merged as bytes.
        codec = _WIDE_ENCODINGS.get(current[:2])
        for text in texts:
            if text[:2] != current[:2] or len(text) % 2:
                codec = None
        if codec is not None:
            texts = [
                text.decode(codec, _PAIRS).encode(errors=_PAIRS)
                for text in texts
            ]
        base, ours, theirs = (text.splitlines(keepends=True) for text in texts)
        merge = merge_lines(base, ours, theirs, touching=True)
        ambiguous = _find_ambiguous_chunks(merge.chunks, base, ours, theirs)
        merged: list[bytes] = []
        later_lines: list[LaterLines] = []
        for number, chunk in enumerate(merge.chunks):
            current_lines, undone_lines = (
                ours[slice(*chunk.ours)],
                theirs[slice(*chunk.theirs)],
            )
            is_undone = chunk.kind == "theirs" and number not in ambiguous
            if chunk.kind == "ours" and current_lines:
                first = len(merged) + 1
                later_lines.append(LaterLines.of(first, current_lines))
            merged += undone_lines if is_undone else current_lines
            if chunk.kind == "conflict" or number in ambiguous:
                first = chunk.ours[0] + 1
                lines = first, max(first, chunk.ours[1])
                self.report.add_merge_conflict(
                    display_path, lines, current_lines, undone_lines
                )
        if merged == ours:
            if merge.clean and not ambiguous:
                # Another change, perhaps of the user, has already undone this one.
                self.report.add_note(
                    f"{display_path} has the content already that the undo "
                    "would restore"
                )
            return current
        self.report.add_merged(display_path, later_lines)
        content = b"".join(merged)
        if codec is not None:
            content = content.decode(errors=_PAIRS).encode(codec, _PAIRS)
        return content

    def _refuse(self, run: FileChange, why: str) -> NoReturn:
        self.report.refuse(self.display_path(run.path), why)


def _find_ambiguous_chunks(
    chunks: Sequence[MergeChunk],
    base: Sequence[bytes],
    ours: Sequence[bytes],
    theirs: Sequence[bytes],
) -> set[int]:
    """Return the numbers of chunks to undo whose lines could also be others.

    Beside a later change with one of the same lines it is not certain which lines were
    there before: a user may have undone the change here, and written it elsewhere.
    """
    ambiguous = set()
    for number, chunk in enumerate(chunks):
        if chunk.kind != "theirs":
            continue
        undone = {*base[slice(*chunk.base)], *theirs[slice(*chunk.theirs)]}
        for side in (reversed(chunks[:number]), chunks[number + 1 :]):
            neighbour = _find_neighbour(side, base, undone)
            if neighbour is None or neighbour.kind != "ours":
                continue
            changed = {
                *base[slice(*neighbour.base)],
                *ours[slice(*neighbour.ours)],
            }
            if any(line.strip() for line in undone & changed):
                ambiguous.add(number)
    return ambiguous


def _find_neighbour(
    chunks: Iterable[MergeChunk], base: Sequence[bytes], undone: set[bytes]
) -> MergeChunk | None:
    """Return the first chunk, past those that only repeat lines of the undone one.

    A line that was inserted among equal ones has no place of its own among them.
    """
    for chunk in chunks:
        if chunk.kind != "same":
            return chunk
        if not undone.issuperset(base[slice(*chunk.base)]):
            return None
    return None


def has_content(state: FileState | None, content: bytes) -> bool:
    """Return True if a content is that of a state."""
    return (
        state is not None and xxhash.xxh3_128_hexdigest(content) == state.digest
    )
