"""The user's links by which what is protected has another name.

Where `.vscode` is a link to `conf/editor`, whoever writes `conf/editor/tasks.json` writes `.vscode/tasks.json`. So the
folders above a path are asked for links at protected names, and on the way to them. A `.git` file leads on too: it
names the folder of its repository.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from filewright import system
from filewright.boundary.location import Location, Root
from filewright.boundary.names import plain_form
from filewright.boundary.protection import Alias, Protection
from filewright.system import FileKind, Folder

_REMEMBERED_FOLDERS = 4096

_GIT_FILE_BYTES = 8 << 10
_GIT_FILE_START = b"gitdir:"


class AliasFinder:
    """A finder of the links that lead from protected names. Thread-safe.

    To look for some forty names in each folder above a path takes longer than most of a change. Within
    `remembering` the finder looks once at each folder.
    """

    def __init__(self, *, cross: bool) -> None:
        self._cross = cross
        self._memory = _Memory()

    @contextmanager
    def remembering(self) -> Iterator[None]:
        """Remember, for this thread and until the end of the block, the protected names that each folder holds.

        A nested block begins without what the outer one remembers: a change looks again, after it has waited for its
        turn. Times of change would not do instead of a block: a link made within one tick of the file system's clock
        after a look would never be seen.
        """
        outer = self._memory.names
        self._memory.names = {}
        try:
            yield
        finally:
            self._memory.names = outer

    def find(
        self, where: Location, root: Root, protection: Protection
    ) -> Iterator[Alias]:
        """Yield the links below `root` that lead to `where`, into it, or to a folder above it.

        Looked at are the folders above `where`, and of another root its top alone: a link anywhere else is not known.
        """
        start = where.root.resolved_path.rstrip(b"/") + b"/"
        depths = range(len(where.parts)) if root is where.root else range(1)
        for depth in depths:
            parts = where.parts[:depth]
            with (
                suppress(OSError),
                root.folder.open_folder_beneath(
                    parts, follow_links=False, cross_devices=self._cross, listable=False
                ) as folder,
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
                yield from _links_at(
                    folder, (*parts, name), folder.stat(name).kind, protection
                )

    def _names_in(self, folder: Folder, protection: Protection) -> tuple[bytes, ...]:
        """Return the names in the folder with which protected paths begin."""
        memory = self._memory.names
        if memory is None:
            return _look(folder, protection)
        key = (*folder.status().identity, protection)
        if key not in memory:
            if len(memory) >= _REMEMBERED_FOLDERS:
                memory.clear()
            memory[key] = _look(folder, protection)
        return memory[key]


class _Memory(threading.local):
    """The names that folders hold, by the folder's identity; None outside of a block that remembers them."""

    names: dict[tuple[int, int, Protection], tuple[bytes, ...]] | None = None


def _look(folder: Folder, protection: Protection) -> tuple[bytes, ...]:
    if not folder.contains_any(protection.first_names):
        return ()
    return tuple(
        name for name in protection.first_names if folder.contains_any((name,))
    )


def _links_at(
    above: Folder, path: tuple[bytes, ...], kind: FileKind, protection: Protection
) -> Iterator[tuple[bytes, ...]]:
    """Yield the path if a link is there that leads around a rule; of a folder, the paths of such links in it."""
    if kind == "folder":
        if protection.rule_below(path) is None:
            return
        with above.open_folder(path[-1]) as folder:
            for name, kind_below in folder.iter_entries():
                if kind_below in ("folder", "link"):
                    yield from _links_at(folder, (*path, name), kind_below, protection)
    elif (
        kind == "link" or plain_form(path[-1]) == b".git"
    ) and protection.rule_for_link(path) is not None:
        yield path


def _target(
    folder: Folder, root: Root, parts: tuple[bytes, ...], link: tuple[bytes, ...]
) -> bytes:
    """Return the absolute path that a link leads to, whether or not anything is there."""
    path = os.path.join(root.resolved_path, *link)
    name = link[-1]
    if (
        len(link) == len(parts) + 1
        and plain_form(name) == b".git"
        and folder.stat(name).kind == "file"
    ):
        with folder.open(name, known_file=True) as file:
            line = file.read(0, _GIT_FILE_BYTES).partition(b"\n")[0]
        path = os.path.join(
            os.path.dirname(path), line.removeprefix(_GIT_FILE_START).strip()
        )
    return system.real_path(path)
