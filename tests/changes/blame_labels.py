"""The origins of lines, as short labels."""

from __future__ import annotations

from filewright import Workspace
from filewright.changes.blame import LineOrigin


def edit(workspace: Workspace, search: str, replace: str) -> str:
    """Edit a.txt, and return the id of the change."""
    edits = [{"search": search, "replace": replace}]
    return str(workspace.edit("a.txt", edits).change_id)


def label(origin: LineOrigin) -> str:
    if origin.version is not None:
        return origin.version.id
    if origin.commit is not None:
        return origin.commit.title
    return str(origin.unknown)


def blame(workspace: Workspace, path: str = "a.txt") -> list[str]:
    """Return the change, the title of the commit, or the reason, of each line."""
    labels = []
    for group in workspace.blame(path).groups:
        labels += [label(group.origin)] * group.count
    return labels
