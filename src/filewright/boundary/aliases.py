"""The user's links by which what is protected has another name.

Where `.vscode` is a link to `conf/editor`, whoever writes `conf/editor/tasks.json` writes `.vscode/tasks.json`. So the
folders above a path are asked for links at protected names, and on the way to them. A `.git` file leads on too: it
names the folder of its repository.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress

from filewright import system
from filewright.boundary.location import Location, Root, plain_form
from filewright.boundary.protection import Alias, Protection
from filewright.system import Folder, Kind

_REMEMBERED_FOLDERS = 4096
_SETTLED_NS = 3_000_000_000
"""A folder changed less than this before a look may change again without another time of change: some file systems
count in steps of two seconds."""
_ONE_CHANGE_NS = 50_000_000
"""For so long a look counts all the same: the many files of one change are asked for one after the other."""

_GIT_FILE_BYTES = 8 << 10
_GIT_FILE_START = b"gitdir:"


class AliasFinder:
    """A finder of the links that lead from protected names. Thread-safe.

    To look for some forty names in each folder above a path takes longer than most of a change. Which of them a folder
    holds is remembered until the folder changes.
    """

    def __init__(self, *, cross: bool) -> None:
        self._cross = cross
        self._names: dict[tuple[int, int, Protection], tuple[int, int, tuple[bytes, ...]]] = {}

    def find(self, where: Location, root: Root, protection: Protection) -> Iterator[Alias]:
        """Yield the links below `root` that lead to `where`, into it, or to a folder above it.

        Looked at are the folders above `where`, and of another root its top alone: a link anywhere else is not known.
        """
        start = where.root.resolved.rstrip(b"/") + b"/"
        depths = range(len(where.parts)) if root is where.root else range(1)
        for depth in depths:
            parts = where.parts[:depth]
            with (
                suppress(OSError),
                root.folder.beneath(parts, links=False, cross=self._cross, listing=False) as folder,
            ):
                for link in self._links_in(folder, parts, protection):
                    target = b""
                    with suppress(OSError):  # It may be no link any more.
                        target = _target(folder, root, parts, link)
                    if target.startswith(start):
                        yield Alias.to(link, target[len(start) :].split(b"/"))

    def _links_in(
        self, folder: Folder, parts: tuple[bytes, ...], protection: Protection
    ) -> Iterator[tuple[bytes, ...]]:
        for name in self._names_in(folder, protection):
            with suppress(OSError):
                yield from _links_at(folder, (*parts, name), folder.stat(name).kind, protection)

    def _names_in(self, folder: Folder, protection: Protection) -> tuple[bytes, ...]:
        """Return the names in the folder with which protected paths begin."""
        status = folder.status()
        key = (*status.identity, protection)
        now_ns = time.time_ns()
        changed_ns, looked_ns, names = self._names.get(key, (-1, 0, ()))
        is_settled = changed_ns < looked_ns - _SETTLED_NS or 0 <= now_ns - looked_ns < _ONE_CHANGE_NS
        if changed_ns == status.mtime_ns and is_settled:
            return names
        names = ()
        if folder.holds_any(protection.first_names):
            names = tuple(name for name in protection.first_names if folder.holds_any((name,)))
        if len(self._names) >= _REMEMBERED_FOLDERS:
            self._names.clear()
        self._names[key] = status.mtime_ns, now_ns, names
        return names


def _links_at(
    above: Folder, path: tuple[bytes, ...], kind: Kind, protection: Protection
) -> Iterator[tuple[bytes, ...]]:
    """Yield the path if a link is there that leads around a rule; of a folder, the paths of such links in it."""
    if kind == "folder":
        if protection.rule_below(path) is None:
            return
        with above.folder(path[-1]) as folder:
            for name, kind_below in folder.scan():
                if kind_below in ("folder", "link"):
                    yield from _links_at(folder, (*path, name), kind_below, protection)
    elif (kind == "link" or plain_form(path[-1]) == b".git") and protection.rule_for_link(path) is not None:
        yield path


def _target(folder: Folder, root: Root, parts: tuple[bytes, ...], link: tuple[bytes, ...]) -> bytes:
    """Return the absolute path that a link leads to, whether or not anything is there."""
    path = os.path.join(root.resolved, *link)
    name = link[-1]
    if len(link) == len(parts) + 1 and plain_form(name) == b".git" and folder.stat(name).kind == "file":
        with folder.open(name, seen=True) as file:
            line = file.read(0, _GIT_FILE_BYTES).partition(b"\n")[0]
        path = os.path.join(os.path.dirname(path), line.removeprefix(_GIT_FILE_START).strip())
    return system.resolved(path)
