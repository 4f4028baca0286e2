"""The comparison of a file on the disk with a recorded file state."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum

from filewright.changes.blobs import compute_digest
from filewright.changes.model import RECORDED_KINDS, FileState
from filewright.system import File, Folder, Status


class FileMatch(Enum):
    """The result of comparing a name with a file state."""

    SAME = "the same inode, unchanged"
    EQUAL = "another inode with the same content"
    APPENDED = "the same inode, with bytes added at its end"
    MODIFIED = "the same inode with other content"
    DIFFERENT = "another file"
    MISSING = "no file"

    @property
    def is_same_inode(self) -> bool:
        """Return True if it is the inode of the file state, whatever it holds."""
        return self in (FileMatch.SAME, FileMatch.APPENDED, FileMatch.MODIFIED)

    @property
    def is_same_content(self) -> bool:
        """Return True if it holds what the file state says, whatever its inode."""
        return self in (FileMatch.SAME, FileMatch.EQUAL)


def match_name(
    folder: Folder,
    name: bytes,
    state: FileState,
    *,
    hash_up_to: int | None = None,
) -> FileMatch:
    """Compare the file that has a name in `folder` with a file state.

    Files are compared by content if that is known and can be read. A file larger than
    `hash_up_to` is only hashed if its inode, size or time differ. The number of an
    inode says little on its own: a disk gives that of a deleted file to the next new
    one.
    """
    try:
        status = folder.stat(name)
        if RECORDED_KINDS[status.kind] != state.kind:
            return FileMatch.DIFFERENT
        if state.kind == "link":
            return _match_link(folder, name, status, state)
        if state.kind == "file" and state.digest is not None:
            with (
                suppress(PermissionError),
                folder.open(name, known_file=True) as file,
            ):
                return match_open_file(file, state, hash_up_to=hash_up_to)
    except FileNotFoundError:
        return FileMatch.MISSING
    if state.inode is not None:
        return _match_status(status, state)
    # Within a new folder no inode is recorded: there, one folder is as good as another.
    return FileMatch.EQUAL if state.kind == "folder" else FileMatch.DIFFERENT


def match_open_file(
    file: File, state: FileState, *, hash_up_to: int | None = None
) -> FileMatch:
    """Compare an open file with a file state, as `match_name` does."""
    status = file.status()
    # To hash a large file takes seconds: there, inode, size and time must do.
    is_large = hash_up_to is not None and state.size > hash_up_to
    if state.digest is None or (is_large and state.matches_status(status)):
        return _match_status(status, state)
    is_same_inode = status.inode == state.inode
    if (
        status.size >= state.size
        and compute_digest(file, size=state.size) == state.digest
    ):
        # The size is read again: the file may have grown while it was hashed.
        if file.status().size == state.size:
            return FileMatch.SAME if is_same_inode else FileMatch.EQUAL
        return FileMatch.APPENDED if is_same_inode else FileMatch.DIFFERENT
    return FileMatch.MODIFIED if is_same_inode else FileMatch.DIFFERENT


def _match_link(
    folder: Folder, name: bytes, status: Status, state: FileState
) -> FileMatch:
    if folder.read_link(name) != state.link_target:
        return FileMatch.DIFFERENT
    return FileMatch.SAME if status.inode == state.inode else FileMatch.EQUAL


def _match_status(status: Status, state: FileState) -> FileMatch:
    if status.inode != state.inode:
        return FileMatch.DIFFERENT
    return (
        FileMatch.SAME if state.matches_status(status) else FileMatch.MODIFIED
    )
