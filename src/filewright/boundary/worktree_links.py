"""The linked worktrees of a repository, found by the files with which git links them.

Git is not run for this.
"""

from __future__ import annotations

import os
from contextlib import suppress

from filewright import system
from filewright.boundary.names import quote
from filewright.errors import Code, FilewrightError
from filewright.system import File

MAX_LINKED_WORKTREES = 24
"""Worktrees served with a root: each is held open."""

_MAX_LINE_BYTES = 8 << 10


def find_linked_worktrees(path: bytes) -> list[bytes]:
    """Return the other worktrees of the repository whose worktree is the folder `path`.

    The main one comes first. Only worktrees whose own files lead back to this
    repository are returned: a hostile repository may call any folder its worktree.
    Raise `too_large` for more than `MAX_LINKED_WORKTREES`.
    """
    git_path = os.path.join(path, b".git")
    worktrees: list[bytes] = []
    with suppress(OSError):
        repository = git_path
        if system.stat_path(git_path).kind != "folder":
            # A linked worktree: its `.git` file names its record in the repository.
            record = _read_pointer(git_path, path)
            repository = _read_pointer(
                os.path.join(record, b"commondir"), record
            )
            if not _is_same(
                _read_pointer(os.path.join(record, b"gitdir"), record), git_path
            ):
                return []
            # A bare repository has no main worktree.
            if os.path.basename(repository) == b".git":
                worktrees.append(os.path.dirname(repository))
        records = os.path.join(repository, b"worktrees")
        with system.open_folder(records) as folder:
            names = folder.names()
        for name in names:
            with suppress(OSError):
                linked_git_path = _linked_git_path(os.path.join(records, name))
                if linked_git_path and not _is_same(linked_git_path, git_path):
                    worktrees.append(os.path.dirname(linked_git_path))
    if len(worktrees) > MAX_LINKED_WORKTREES:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{quote(path)} has {len(worktrees)} linked worktrees, "
            f"more than {MAX_LINKED_WORKTREES}",
            "name the needed worktrees as roots, without --worktrees",
        )
    return worktrees


def read_first_line(file: File) -> bytes:
    """Return the first line of one of git's small files, without `gitdir:`."""
    line = file.read(0, _MAX_LINE_BYTES).partition(b"\n")[0]
    return line.removeprefix(b"gitdir:").strip()


def _linked_git_path(record: bytes) -> bytes | None:
    """Return the `.git` file of the worktree that a record names.

    Return None if that file does not lead back to the record. Raise `OSError`.
    """
    git_path = _read_pointer(os.path.join(record, b"gitdir"), record)
    leads_to = _read_pointer(git_path, os.path.dirname(git_path))
    return git_path if _is_same(leads_to, record) else None


def _read_pointer(file: bytes, base: bytes) -> bytes:
    """Return the path that one of git's small files holds. Raise `OSError`."""
    with system.open_file(file) as opened:
        return system.absolute_path(os.path.join(base, read_first_line(opened)))


def _is_same(path: bytes, other: bytes) -> bool:
    return system.stat_path(path).identity == system.stat_path(other).identity
