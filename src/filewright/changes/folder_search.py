"""The search for folders that other processes have moved."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.errors import FilewrightError
from filewright.progress import Task

_SEARCH_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class FolderLocations:
    """The folders below the roots at one moment."""

    locations: Mapping[int, Location]
    """Their locations by inode."""
    is_complete: bool
    """The walk saw everything: a folder that is not in the map does not exist."""


class FolderSearch:
    """A search that walks the roots once, at the first question."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._map: FolderLocations | None = None

    @property
    def is_complete(self) -> bool:
        """Return True if a folder that was not found does not exist."""
        return self._map is not None and self._map.is_complete

    def find(self, inode: int | None) -> Location | None:
        """Return the location of the folder with an inode, or None."""
        if inode is None:
            return None
        if self._map is None:
            self._map = map_folders(self._boundary)
        return self._map.locations.get(inode)


def map_folders(boundary: Boundary) -> FolderLocations:
    """Walk all roots, for a few seconds at most."""
    locations: dict[int, Location] = {}
    # Recovery holds the workspace lock meanwhile, so a huge workspace is searched in
    # part.
    task = Task(seconds=_SEARCH_SECONDS)
    pending = [Location(root, ()) for root in boundary.roots]
    while pending and not task.expired:
        location = pending.pop()
        # A folder that cannot be listed does not end the search.
        with (
            suppress(OSError, FilewrightError),
            boundary.open_folder(location) as folder,
        ):
            for name, kind in folder.iter_entries():
                if kind == "folder":
                    child = location.child(name)
                    pending.append(child)
                    locations[folder.stat(name).inode] = child
    return FolderLocations(locations, is_complete=not pending)
