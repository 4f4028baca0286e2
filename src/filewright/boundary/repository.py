"""The folders of the git repository around a folder, found without running git.

They are looked for as git does: upwards from a folder of the user, past the roots of
any workspace. A person who asks about a repository may read all of it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass

from filewright import system
from filewright.boundary.worktree_links import read_first_line

_MAX_ALTERNATES = 16
_MAX_LIST_BYTES = 64 << 10


@dataclass(frozen=True, slots=True)
class RepositoryFolders:
    """The folders of a repository that has a working tree, as absolute paths.

    `top` is that of the working tree. `git_folder` has its HEAD and its index,
    `common_folder` the objects, the branches and the configuration that all working
    trees share. `object_folders` are those of other repositories from which this one
    borrows objects.
    """

    top: bytes
    git_folder: bytes
    common_folder: bytes
    object_folders: tuple[bytes, ...] = ()


def find_repository(folder: bytes) -> RepositoryFolders | None:
    """Return the folders of the repository whose working tree holds a folder."""
    top = system.real_path(folder)
    while True:
        git_folder = _find_git_folder(top)
        if git_folder is not None:
            common_folder = _find_common_folder(git_folder)
            return RepositoryFolders(
                top,
                git_folder,
                common_folder,
                tuple(
                    _find_alternates(os.path.join(common_folder, b"objects"))
                ),
            )
        parent = os.path.dirname(top)
        if parent == top:
            return None
        top = parent


def _find_git_folder(top: bytes) -> bytes | None:
    """Return the folder that `.git` is or names; None if it is no repository's."""
    path = os.path.join(top, b".git")
    with suppress(OSError):
        if system.stat_path(path).kind == "file":
            with system.open_file(path) as file:
                path = os.path.join(top, read_first_line(file))
        path = system.real_path(path)
        # An empty folder with that name, as a sandbox may mount, is none.
        system.stat_path(os.path.join(path, b"HEAD"))
        return path
    return None


def _find_common_folder(git_folder: bytes) -> bytes:
    """Return the folder that the working trees of a repository share."""
    with (
        suppress(OSError),
        system.open_file(os.path.join(git_folder, b"commondir")) as file,
    ):
        path = os.path.join(git_folder, read_first_line(file))
        return system.real_path(path)
    return git_folder


def _find_alternates(object_folder: bytes) -> list[bytes]:
    """Return the folders of other repositories that hold objects of this one."""
    folders: list[bytes] = []
    # Grows while it is read: an alternate may have alternates.
    pending = [object_folder]
    for folder in pending:
        path = os.path.join(folder, b"info", b"alternates")
        lines: list[bytes] = []
        with suppress(OSError), system.open_file(path) as file:
            lines = file.read(0, _MAX_LIST_BYTES).splitlines()
        for line in lines:
            if not line or line.startswith(b"#"):
                continue
            alternate = system.real_path(os.path.join(folder, line))
            if alternate not in pending and len(folders) < _MAX_ALTERNATES:
                folders.append(alternate)
                pending.append(alternate)
    return folders
