"""The folders that a change holds open."""

from __future__ import annotations

from collections import OrderedDict

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.system import Closable, Folder

_MAX_OPEN_FOLDERS = 24

FolderId = tuple[int, int]
"""Device and inode."""


class OpenFolders(Closable):
    """The folders that a change has used last, held open: at most a few.

    A held folder stays the same however it is renamed, so it is known by its identity.
    A folder that is only read may be protected; one that is written to is checked when
    it is opened. A folder that is released here closes itself when nothing else uses
    it.
    """

    def __init__(self, boundary: Boundary) -> None:
        self.boundary = boundary
        self._held: OrderedDict[FolderId, tuple[Folder, bool]] = OrderedDict()
        """Folders in order of use, each with whether it may be written to."""
        self._rule_free: set[tuple[int, int, int]] = set()

    def close(self) -> None:
        """Close all folders."""
        for folder, _ in self._held.values():
            folder.close()

    def open(
        self, location: Location, *, reading: bool = False
    ) -> tuple[Folder, FolderId]:
        """Return the folder that is at a location now, and its identity.

        Raise `permission_denied` if the folder is protected, unless it is only read.
        """
        opened = self.boundary.open_folder(
            location, for_change=not reading, rule_free=self._rule_free
        )
        identity = opened.status().identity
        folder, is_writable = self._held.pop(identity, (opened, False))
        if folder is not opened:
            # It was held already, under another name.
            opened.close()
        # A folder that is still in use elsewhere stays open until it is not.
        while len(self._held) >= _MAX_OPEN_FOLDERS:
            self._held.popitem(last=False)
        self._held[identity] = folder, is_writable or not reading
        return folder, identity

    def release(self, identity: FolderId) -> None:
        """Hold a folder no longer."""
        self._held.pop(identity, None)

    def reopen(
        self, location: Location, identity: FolderId, *, reading: bool = False
    ) -> Folder:
        """Return the folder with an identity, which was at a location.

        A held folder is returned wherever it is now. Raise `stale_version` if it is not
        held and another folder is at the location.
        """
        held_folder, is_writable = self._held.get(identity, (None, False))
        if held_folder is not None and (is_writable or reading):
            self._held.move_to_end(identity)
            return held_folder
        folder, found_identity = self.open(location, reading=reading)
        if found_identity != identity:
            raise errors.replaced_meanwhile(
                f"the folder {location.display_path}", location.display_path
            )
        return folder
