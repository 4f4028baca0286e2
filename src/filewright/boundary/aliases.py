"""The user's links by which a protected file has another name.

If `.vscode` is a link to `conf/editor`, a write to `conf/editor/tasks.json` is a write
to `.vscode/tasks.json`. So the folders above a path are searched for links at protected
names, and at folders on the way to them. A `.git` file leads on too: it names the
folder of its repository.
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

_MAX_CACHED_FOLDERS = 4096

_MAX_GIT_FILE_BYTES = 8 << 10
_GIT_FILE_START = b"gitdir:"


class AliasFinder:
    """A finder of links that lead from protected names. Thread-safe.

    Searching each folder above a path for some forty names takes longer than most of a
    change. Within a `caching` block the finder searches each folder once.
    """

    def __init__(self, *, cross_devices: bool) -> None:
        self._cross_devices = cross_devices
        self._cache = _Cache()

    @contextmanager
    def caching(self) -> Iterator[None]:
        """Cache the protected names in each folder, for this thread and this block.

        A nested block starts with an empty cache: a change searches again after it has
        waited for its turn. Modification times could not replace the block: a link made
        within one tick of the file system's clock after a search would never be seen.
        """
        outer_names = self._cache.names
        self._cache.names = {}
        try:
            yield
        finally:
            self._cache.names = outer_names

    def find(
        self, location: Location, root: Root, protection: Protection
    ) -> Iterator[Alias]:
        """Yield the links below `root` that lead to `location`, into it, or above it.

        Only the folders above `location` are searched, and of another root only its
        top: a link anywhere else is not known.
        """
        prefix = location.root.resolved_prefix
        depths = (
            range(len(location.parts)) if root is location.root else range(1)
        )
        for depth in depths:
            parts = location.parts[:depth]
            with (
                suppress(OSError),
                root.folder.open_folder_beneath(
                    parts,
                    follow_links=False,
                    cross_devices=self._cross_devices,
                    listable=False,
                ) as folder,
            ):
                for link in self._links_in(folder, parts, protection):
                    target = b""
                    with suppress(OSError):  # The link may be gone by now.
                        target = _link_target(folder, root, parts, link)
                    # A link that leads elsewhere gives no name to this location.
                    if target.startswith(prefix):
                        yield Alias.to(link, target[len(prefix) :].split(b"/"))

    def _links_in(
        self, folder: Folder, parts: tuple[bytes, ...], protection: Protection
    ) -> Iterator[tuple[bytes, ...]]:
        for name in self._names_in(folder, protection):
            with suppress(OSError):
                yield from _links_at(
                    folder, (*parts, name), folder.stat(name).kind, protection
                )

    def _names_in(
        self, folder: Folder, protection: Protection
    ) -> tuple[bytes, ...]:
        """Return the names in a folder with which protected paths begin."""
        cache = self._cache.names
        if cache is None:
            return _read_names(folder, protection)
        key = (*folder.status().identity, protection)
        if key not in cache:
            if len(cache) >= _MAX_CACHED_FOLDERS:
                cache.clear()
            cache[key] = _read_names(folder, protection)
        return cache[key]


class _Cache(threading.local):
    """The protected names in folders, by identity; None outside of `caching`."""

    names: dict[tuple[int, int, Protection], tuple[bytes, ...]] | None = None


def _read_names(folder: Folder, protection: Protection) -> tuple[bytes, ...]:
    # One call answers for most folders that they hold none of the names.
    if not folder.contains_any(protection.first_names):
        return ()
    return tuple(
        name for name in protection.first_names if folder.contains_any((name,))
    )


def _links_at(
    parent: Folder,
    path: tuple[bytes, ...],
    kind: FileKind,
    protection: Protection,
) -> Iterator[tuple[bytes, ...]]:
    """Yield the path if it is a link that leads around a rule.

    If it is a folder, yield the paths of such links in it.
    """
    if kind == "folder":
        if protection.rule_below(path) is None:
            return
        # A protected path below may itself be reached through a link in this folder.
        with parent.open_folder(path[-1]) as folder:
            for name, child_kind in folder.iter_entries():
                if child_kind in ("folder", "link"):
                    yield from _links_at(
                        folder, (*path, name), child_kind, protection
                    )
        return
    # A `.git` file leads to the folder of a repository, as a link does.
    leads_on = kind == "link" or plain_form(path[-1]) == b".git"
    if leads_on and protection.rule_for_link(path) is not None:
        yield path


def _link_target(
    folder: Folder,
    root: Root,
    parts: tuple[bytes, ...],
    link: tuple[bytes, ...],
) -> bytes:
    """Return the absolute path that a link leads to, whether or not it exists."""
    path = os.path.join(root.resolved_path, *link)
    name = link[-1]
    is_in_folder = len(link) == len(parts) + 1
    if (
        is_in_folder
        and plain_form(name) == b".git"
        and folder.stat(name).kind == "file"
    ):
        with folder.open(name, known_file=True) as file:
            line = file.read(0, _MAX_GIT_FILE_BYTES).partition(b"\n")[0]
        git_folder = line.removeprefix(_GIT_FILE_START).strip()
        path = os.path.join(os.path.dirname(path), git_folder)
    return system.real_path(path)
