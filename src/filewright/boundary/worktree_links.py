"""The linked worktrees of a git repository, found by the small files in which git links them."""

from __future__ import annotations

import os
from contextlib import suppress

from filewright import system
from filewright.boundary.names import quote
from filewright.errors import Code, FilewrightError
from filewright.system import File

MAX_LINKED_WORKTREES = 24
"""Worktrees served with a root: each is held open."""

_LINE_BYTES = 8 << 10


def find_linked_worktrees(path: bytes) -> list[bytes]:
    """The other worktrees of the repository whose worktree the folder `path` is, the main one first.

    Only those that name this repository as it names them: what a hostile repository calls its worktree may
    be any folder. Raises `too_large` for more than `MOST_LINKED`.
    """
    git = os.path.join(path, b".git")
    found: list[bytes] = []
    with suppress(OSError):
        common = git
        if system.stat_path(git).kind != "folder":
            own = _pointed(git, path)
            common = _pointed(os.path.join(own, b"commondir"), own)
            if not _same(_pointed(os.path.join(own, b"gitdir"), own), git):
                return []
            if os.path.basename(common) == b".git":
                found.append(os.path.dirname(common))
        with system.open_folder(os.path.join(common, b"worktrees")) as folder:
            names = folder.names()
        for name in names:
            with suppress(OSError):
                record = os.path.join(common, b"worktrees", name)
                theirs = _pointed(os.path.join(record, b"gitdir"), record)
                back = _pointed(theirs, os.path.dirname(theirs))
                if _same(back, record) and not _same(theirs, git):
                    found.append(os.path.dirname(theirs))
    if len(found) > MAX_LINKED_WORKTREES:
        raise FilewrightError(
            Code.TOO_LARGE,
            f"{quote(path)} has {len(found)} linked worktrees, more than {MAX_LINKED_WORKTREES}",
            "name those that are meant as roots, without --worktrees",
        )
    return found


def _pointed(file: bytes, base: bytes) -> bytes:
    """The path that a small file of git's holds. Raises `OSError`."""
    with system.open_file(file) as opened:
        return system.absolute_path(os.path.join(base, read_first_line(opened)))


def _same(one: bytes, other: bytes) -> bool:
    return system.stat_path(one).identity == system.stat_path(other).identity


def read_first_line(file: File) -> bytes:
    return (
        file.read(0, _LINE_BYTES).partition(b"\n")[0].removeprefix(b"gitdir:").strip()
    )
