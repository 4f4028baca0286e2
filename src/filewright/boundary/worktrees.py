"""The working trees of git repositories: how one is named, and which are linked with a folder's.

Two trees of one repository have the same names in them, so an edit meant for one is easily made in the
other: where there are several, whoever changes something is answered in which. Git is not run for it.
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

_NAMED, _LOOKED_AT = 5, 50
_CHARACTERS = 80


def find_working_tree(folder: Location) -> Location | None:
    """The top of the working tree that a folder is in, if it lies below its root; or the root, if it is a tree."""
    top = folder.root.folder
    for depth in range(len(folder.parts), -1, -1):
        parts = folder.parts[:depth]
        if top.contains_any((b"/".join((*parts, b".git")),)):
            return Location(folder.root, parts)
    return None


def describe_changed_trees(boundary: Boundary, trees: Iterable[Location]) -> str | None:
    """In which of these trees something was changed, for the caller who did; None where each is the only one."""
    found = []
    for tree in trees:
        with suppress(
            FilewrightError, OSError
        ):  # what was changed is changed: this is an extra
            if description := _described(boundary, tree):
                found.append(description)
    return f"changed in {'; and in '.join(sorted(found))}" if found else None


def _described(boundary: Boundary, tree: Location) -> str | None:
    """What a tree is, where it is and its branch; None for a repository that has no other."""
    git = tree.child(b".git")
    shown = tree.display_path if tree.parts else quote(tree.root.path)
    if boundary.stat(git).kind == "file":
        kind = (
            "linked worktree" if b"/worktrees/" in _line(boundary, git) else "submodule"
        )
        head = None
        with suppress(FilewrightError):  # its repository may be outside the roots
            head = resolve_git_pointer(boundary, tree, git).child(b"HEAD")
        return f"the {kind} {shown}{_branch(boundary, head)}"
    branch = _branch(boundary, git.child(b"HEAD"))
    if not tree.root.folder.contains_any((b"/".join((*git.parts, b"worktrees")),)):
        return f"the repository {shown}{branch}" if tree.parts else None
    with boundary.open_folder(git.child(b"worktrees")) as folder:
        names = [
            name
            for name in folder.names()[:_LOOKED_AT]
            if _is_offered(boundary, git, name)
        ]
    linked = ", ".join(map(_brief, names[:_NAMED])) + (
        ", …" if len(names) > _NAMED else ""
    )
    return f"the main worktree {shown}{branch}, not in {linked}" if names else None


def _is_offered(boundary: Boundary, git: Location, name: bytes) -> bool:
    """Whether a linked worktree may be named: one that is kept from agents may not."""
    record = git.child(b"worktrees").child(name)
    try:
        place = resolve_git_pointer(boundary, record, record.child(b"gitdir")).parent
        if boundary.rules_for(place.parent).denies(place.name, True):
            return False  # even if nothing is there any more
        boundary.stat(place)
    except FilewrightError as error:
        return (
            error.code is not Code.PERMISSION_DENIED
        )  # One outside the roots, or gone, is no secret.
    return True


def _branch(boundary: Boundary, head: Location | None) -> str:
    if head is not None:
        with suppress(FilewrightError):
            named = _line(boundary, head)
            if named.startswith(b"ref: refs/heads/"):
                return f" (branch {_brief(named[16:])})"
            return f" (at {quote(named[:12])})"
    return ""


def _brief(name: bytes) -> str:
    """A name from a repository, which whoever made that may have made as long as they like."""
    text = quote(name)
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}…"


def resolve_git_pointer(boundary: Boundary, base: Location, file: Location) -> Location:
    """The place that a small file of git's names, from the folder `base`. Raises as `open_file` and `locate`."""
    return boundary.locate(
        quote(os.path.normpath(os.path.join(base.absolute, _line(boundary, file))))
    )


def _line(boundary: Boundary, where: Location) -> bytes:
    with boundary.open_file(where) as file:
        return read_first_line(file)
