"""File changes of a change record, built from differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from posixpath import basename, dirname

import xxhash

from filewright.boundary.location import Location, Root
from filewright.changes.model import FileChange, FileState, RecordedPath
from filewright.progress import Task
from filewright.recording.compare import Comparison
from filewright.recording.model import (
    LARGE_BYTES,
    ObservedFile,
    Pair,
    ScannedState,
)
from filewright.settings import KB, MB

MAX_AFTER_BYTES, MAX_TOTAL_AFTER_BYTES = 256 * KB, 16 * MB
"""The most bytes of one later content, and of all in one record."""
MAX_HASHED_BYTES = 64 * MB
MAX_NAMED_LOST = 20


class FileChangeBuilder:
    """A builder of the file changes of one record; `store_blob` keeps contents.

    `lost` are the files whose earlier content is stored nowhere, so that they
    cannot be undone. `hard_links` counts the names of each file that a new file
    replaced at one of them. Other commands may still run while files are read:
    `contents` are the contents that were read, with the states of the scan, and
    `missing` the paths that no longer existed. The next observation needs both.
    """

    def __init__(
        self,
        root: Root,
        comparison: Comparison,
        store_blob: Callable[[bytes], str],
        task: Task,
    ) -> None:
        self.lost: list[str] = []
        self.hard_links: dict[str, int] = {}
        self.contents: list[tuple[bytes, ScannedState, bytes]] = []
        self.missing: set[bytes] = set()
        self._root = root
        self._comparison = comparison
        self._store_blob = store_blob
        self._task = task
        self._remaining_bytes = MAX_TOTAL_AFTER_BYTES

    def build(self, pairs: Iterable[Pair]) -> tuple[FileChange, ...]:
        """Return the file changes of some differences, ordered by path."""
        changes: list[FileChange] = []
        for old, new in pairs:
            changes += self._changes_of(old, new)
        return tuple(sorted(changes, key=lambda change: change.path.parts))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the files that cannot be undone."""
        notes = []
        for path in self.lost[:MAX_NAMED_LOST]:
            notes.append(
                f"{path} was changed too, and cannot be undone: its earlier "
                "content was not stored"
            )
        if len(self.lost) > MAX_NAMED_LOST:
            notes.append(
                f"{len(self.lost) - MAX_NAMED_LOST:,} more files cannot be "
                "undone either"
            )
        return tuple(notes)

    def _changes_of(
        self, old: ObservedFile | None, new: ObservedFile | None
    ) -> Iterator[FileChange]:
        """Yield the changes of one difference; note lost files."""
        if old and new and old.kind == new.kind:
            if self._comparison.is_content_unchanged(old, new):
                yield from self._moves_and_rights(old, new)
            else:
                yield from self._content_changes(old, new)
            return
        if old and (before := self._state_before(old)):
            yield FileChange(self._recorded_path(old), before, None)
        if new and (after := self._state_after(new)):
            yield FileChange(self._recorded_path(new), None, after)

    def _moves_and_rights(
        self, old: ObservedFile, new: ObservedFile
    ) -> Iterator[FileChange]:
        """Yield the change of path, mode or owner; the content is the same."""
        is_renamed = old.path != new.path and not self._is_moved_with_folder(
            old, new
        )
        has_other_rights = (
            new.kind != "link"
            and old.state.mode_and_owner != new.state.mode_and_owner
        )
        if not is_renamed and not has_other_rights:
            return
        before = replace(old.state, blob=None)
        after = replace(
            new.state,
            digest=old.state.digest,
            link_target=old.state.link_target,
        )
        old_path = self._recorded_path(old) if old.path != new.path else None
        yield FileChange(self._recorded_path(new), before, after, old_path)

    def _is_moved_with_folder(
        self, old: ObservedFile, new: ObservedFile
    ) -> bool:
        """Return True if a file has a new path only by a move of its folder."""
        new_folder = self._comparison.moves.get(dirname(old.path))
        is_folder_moved = new_folder == dirname(new.path)
        return is_folder_moved and basename(old.path) == basename(new.path)

    def _content_changes(
        self, old: ObservedFile, new: ObservedFile
    ) -> Iterator[FileChange]:
        """Yield the changes of a file or link with another content."""
        before = self._state_before(old)
        if before is None:
            return
        self._count_names(old, new)
        after = self._state_after(new)
        if after is None:
            if new.path in self.missing:
                yield FileChange(self._recorded_path(old), before, None)
                return
            after = new.state  # Neither a file nor a link.
        if old.kind == "link":
            if before.link_target != after.link_target:
                yield FileChange(self._recorded_path(old), before, None)
                yield FileChange(self._recorded_path(new), None, after)
        elif (before.digest, before.mode_and_owner) != (
            after.digest,
            after.mode_and_owner,
        ):
            yield FileChange(self._recorded_path(new), before, after)

    def _count_names(self, old: ObservedFile, new: ObservedFile) -> None:
        """Note the names of a file if a new file has replaced one of them."""
        if old.scanned is None or new.scanned is None:
            return
        if old.scanned.inode == new.scanned.inode or new.scanned.links > 1:
            return
        if old.kind == "file" and old.scanned.links > 1:
            path = self._recorded_path(new).display_path
            self.hard_links[path] = old.scanned.links

    def _state_before(self, file: ObservedFile) -> FileState | None:
        """Return the earlier state of a file, with its content stored for undo.

        None if its content is not known, and if undo cannot make it again (a
        pipe).
        """
        state = file.state
        if state.kind == "folder":
            return state
        if state.kind == "other":
            return None
        self._task.check()
        content = state.link_target or file.read_content()
        if content is None:
            self.lost.append(self._location(file).display_path)
            return None
        if state.kind == "link":
            return replace(state, link_target=content)
        return _with_content(state, content, self._store_blob(content))

    def _state_after(self, file: ObservedFile) -> FileState | None:
        """Return the present state of a file; store its content if small.

        None if the file no longer exists, and if undo cannot make it again (a
        pipe).
        """
        state = file.state
        if state.kind == "folder":
            return state
        if state.kind == "other":
            return None
        self._task.check()
        if file.scanned is not None:
            if self._comparison.is_gone_now(file):
                self.missing.add(file.path)
                return None
            if state.kind == "file" and state.size > LARGE_BYTES:
                digest = None
                if state.size <= MAX_HASHED_BYTES:
                    digest = self._comparison.digest(file)
                return replace(state, digest=digest)
        content = state.link_target or file.read_content()
        if content is None:
            return state
        if state.kind == "link":
            return replace(state, link_target=content)
        blob = None
        if len(content) <= MAX_AFTER_BYTES:
            self._remaining_bytes -= len(content)
            if self._remaining_bytes >= 0:
                blob = self._store_blob(content)
        if file.scanned is not None and self._remaining_bytes >= 0:
            self.contents.append((file.path, file.scanned, content))
        return _with_content(state, content, blob)

    def _location(self, file: ObservedFile) -> Location:
        return Location(self._root, tuple(file.path.split(b"/")))

    def _recorded_path(self, file: ObservedFile) -> RecordedPath:
        return RecordedPath.from_location(self._location(file))


def _with_content(
    state: FileState, content: bytes, blob: str | None
) -> FileState:
    """Return a file state with the size and the digest of a content."""
    digest = xxhash.xxh3_128_hexdigest(content)
    return replace(state, size=len(content), digest=digest, blob=blob)
