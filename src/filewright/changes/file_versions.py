"""The versions of one file: each change of its content, its name or its rights.

A version is followed back through renames of the file and of the folders above it.
Another file that had the path before is part of the story of the path, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedPath,
    format_change_id,
)
from filewright.errors import FilewrightError
from filewright.progress import Task

if TYPE_CHECKING:
    from filewright.changes.history import History

MAX_VERSIONS = 1_000
"""The most versions of a file that are listed."""

_UNKNOWN_FILE = FileState("file")
"""The state of a file that moved with its folder: no record of its own names it."""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """A file right after a change.

    `record` has no file changes. `change` is the part of it that is about this file:
    `change.path` is where the file is after it, or was last. A file that moved with a
    folder above it has a change that renames it, between states without a content.
    """

    record: ChangeRecord
    change: FileChange

    @property
    def id(self) -> str:
        """The id of the change."""
        return self.record.id

    @property
    def former_path(self) -> RecordedPath:
        """The path before the change."""
        return self.change.renamed_from or self.change.path

    @property
    def is_missing(self) -> bool:
        """True if the change deleted the file, or moved it to another path."""
        return self.change.after is None

    @property
    def moved_with_folder(self) -> bool:
        """True if the file moved with a folder above it, or away with it."""
        return bool(self.change.moved_with_parent)


@dataclass(frozen=True, slots=True)
class FileVersions:
    """Versions of a file, newest first.

    `path` is the present path. With `older`, the id of a change, there are older
    versions, which were not read.
    """

    path: RecordedPath
    versions: Sequence[FileVersion]
    older: str | None = None

    def find(self, change_id: str) -> FileVersion | None:
        """Return the version that a change made, or None."""
        for version in self.versions:
            if version.id == change_id:
                return version
        return None


def list_versions(
    history: History,
    path: RecordedPath,
    task: Task,
    *,
    limit: int = MAX_VERSIONS,
    oldest: str | None = None,
) -> FileVersions:
    """Return the newest versions of the file at a path, while the task has time.

    None is older than the change `oldest`.
    """
    versions: list[FileVersion] = []
    for version in _iter_versions(history, path):
        is_end = oldest is not None and version.id < oldest
        if len(versions) == limit or (versions and (is_end or task.expired)):
            return FileVersions(path, versions, versions[-1].id)
        versions.append(version)
    return FileVersions(path, versions)


def _iter_versions(
    history: History, path: RecordedPath
) -> Iterator[FileVersion]:
    """Yield the versions of the file at a path, newest first."""
    for number in history.numbers_touching(path):
        try:
            record = history.record(format_change_id(number))
            change = _find_change(record, path)
        except FilewrightError:
            # A damaged change, or one of files that may not be seen.
            continue
        if change is None:
            continue
        version = FileVersion(replace(record, file_changes=()), change)
        yield version
        path = version.former_path


def _find_change(record: ChangeRecord, path: RecordedPath) -> FileChange | None:
    """Return the part of a change that is about the file at a path after it.

    Of a file that is gone from the path, the part that took it away. None if the
    change was about the files in a folder at that path, or about another file.
    """
    departure: FileChange | None = None
    with_folder: FileChange | None = None
    for change in record.file_changes:
        if change.path == path:
            if change.after is not None:
                return change
            departure = change
        elif change.renamed_from == path:
            departure = departure or _as_gone(change, path)
        elif change.renamed_from is not None and with_folder is None:
            with_folder = _find_folder_move(change, path)
    return departure or with_folder


def _as_gone(change: FileChange, path: RecordedPath) -> FileChange:
    """Return a move away from a path as a deletion there."""
    return replace(change, path=path, renamed_from=None, after=None)


def _find_folder_move(
    change: FileChange, path: RecordedPath
) -> FileChange | None:
    """Return the move of a path with a folder above it, or None."""
    former = change.renamed_from
    assert former is not None
    below = _parts_below(change.path, path)
    if below:
        former_path = RecordedPath(former.root, (*former.parts, *below))
        return FileChange(
            path,
            _UNKNOWN_FILE,
            _UNKNOWN_FILE,
            renamed_from=former_path,
            moved_with_parent=True,
        )
    if _parts_below(former, path):
        return FileChange(path, _UNKNOWN_FILE, None, moved_with_parent=True)
    return None


def _parts_below(folder: RecordedPath, path: RecordedPath) -> tuple[bytes, ...]:
    """Return the names that lead from a folder to a path, none if it is not below."""
    depth = len(folder.parts)
    if folder.root != path.root or path.parts[:depth] != folder.parts:
        return ()
    return path.parts[depth:]
