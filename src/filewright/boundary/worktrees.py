"""The working trees of git repositories below a root, and how they are named.

Two trees of one repository hold the same names, so an edit meant for one is easily made
in the other. Where there are several, the answer to a change says in which tree it was
made. Git is not run for this.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.boundary.worktree_links import read_first_line
from filewright.errors import Code, FilewrightError

_MAX_NAMED_WORKTREES = 5
_MAX_EXAMINED_WORKTREES = 50
_MAX_NAME_CHARACTERS = 80
_BRANCH_PREFIX = b"ref: refs/heads/"


def find_working_tree(folder: Location) -> Location | None:
    """Return the top of the working tree that holds a folder, or None.

    Only the folder itself and the folders up to its root are looked at.
    """
    root_folder = folder.root.folder
    for depth in range(len(folder.parts), -1, -1):
        parts = folder.parts[:depth]
        if root_folder.contains_any((b"/".join((*parts, b".git")),)):
            return Location(folder.root, parts)
    return None


def describe_changed_trees(
    boundary: Boundary, trees: Iterable[Location]
) -> str | None:
    """Return a sentence that names the trees in which a change was made.

    None if each is the only tree of its repository.
    """
    descriptions = []
    for tree in trees:
        # The change is done: a failure to describe its tree must not hide that.
        with suppress(FilewrightError, OSError):
            description = _describe(boundary, tree)
            if description:
                descriptions.append(description)
    if not descriptions:
        return None
    return f"changed in {'; and in '.join(sorted(descriptions))}"


def _describe(boundary: Boundary, tree: Location) -> str | None:
    """Return the kind, path and branch of a tree; None if there is no other tree."""
    git_location = tree.child(b".git")
    path = tree.display_path if tree.parts else quote(tree.root.path)
    if boundary.stat(git_location).kind == "file":
        pointer = _read_line(boundary, git_location)
        kind = "linked worktree" if b"/worktrees/" in pointer else "submodule"
        head = None
        with suppress(
            FilewrightError
        ):  # The repository may lie outside the roots.
            head = resolve_git_pointer(boundary, tree, git_location).child(
                b"HEAD"
            )
        return f"the {kind} {path}{_describe_branch(boundary, head)}"
    branch = _describe_branch(boundary, git_location.child(b"HEAD"))
    records = git_location.child(b"worktrees")
    if not tree.root.folder.contains_any((b"/".join(records.parts),)):
        return f"the repository {path}{branch}" if tree.parts else None
    with boundary.open_folder(records) as folder:
        names = [
            name
            for name in folder.names()[:_MAX_EXAMINED_WORKTREES]
            if _may_be_named(boundary, records.child(name))
        ]
    if not names:
        return None
    linked = ", ".join(map(_shorten, names[:_MAX_NAMED_WORKTREES]))
    if len(names) > _MAX_NAMED_WORKTREES:
        linked += ", …"
    return f"the main worktree {path}{branch}, not in {linked}"


def _may_be_named(boundary: Boundary, record: Location) -> bool:
    """Return False if the linked worktree that a record names is denied."""
    try:
        pointer = record.child(b"gitdir")
        worktree = resolve_git_pointer(boundary, record, pointer).parent
        if boundary.rules_for(worktree.parent).denies(worktree.name, True):
            return False  # Even if it does not exist any more.
        boundary.stat(worktree)
    except FilewrightError as error:
        # A worktree that is outside the roots, or missing, is no secret.
        return error.code is not Code.PERMISSION_DENIED
    return True


def _describe_branch(boundary: Boundary, head: Location | None) -> str:
    if head is None:
        return ""
    # A head that is denied, or outside the roots, is left out.
    with suppress(FilewrightError):
        line = _read_line(boundary, head)
        if line.startswith(_BRANCH_PREFIX):
            return f" (branch {_shorten(line.removeprefix(_BRANCH_PREFIX))})"
        return f" (at {quote(line[:12])})"
    return ""


def _shorten(name: bytes) -> str:
    """Return the text of a name that a repository holds, which may be of any length."""
    text = quote(name)
    if len(text) <= _MAX_NAME_CHARACTERS:
        return text
    return f"{text[:_MAX_NAME_CHARACTERS]}…"


def resolve_git_pointer(
    boundary: Boundary, base: Location, file: Location
) -> Location:
    """Return the location that one of git's small files names, from the folder `base`.

    Raise the errors of `open_file` and `locate`.
    """
    path = os.path.join(base.absolute, _read_line(boundary, file))
    return boundary.locate(quote(os.path.normpath(path)))


def _read_line(boundary: Boundary, location: Location) -> bytes:
    with boundary.open_file(location) as file:
        return read_first_line(file)
