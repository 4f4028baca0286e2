"""The folders of a plan on the disk, wherever they are at the moment.

While a change is made its own operations rename folders, and between a crash and the
recovery any process may. A folder is known by its inode, and looked for in this order:
where it was last, in each slot in which it may be, in the whole workspace.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.changes.folder_search import FolderSearch
from filewright.changes.model import RecordedPath
from filewright.changes.open_folders import FolderId, OpenFolders
from filewright.changes.rename_plan import RenamePlan, Slot
from filewright.errors import Code, FilewrightError
from filewright.system import Folder

_NO_FOLDER_THERE = (
    Code.NOT_FOUND,
    Code.NOT_A_DIRECTORY,
    Code.SYMLINK,
    Code.PATH_ESCAPE,
)


@dataclass(frozen=True, slots=True)
class KnownFolder:
    """A folder of a plan, where it was seen."""

    location: Location
    identity: FolderId


KnownFolders = Mapping[int, KnownFolder]
"""The folders of a plan that are known, by number."""


class FolderMissingError(FileNotFoundError):
    """A folder of a plan is nowhere in the workspace any more."""


class PlanFolders:
    """The folders of one plan, found on the disk."""

    def __init__(
        self,
        boundary: Boundary,
        open_folders: OpenFolders,
        plan: RenamePlan,
        *,
        search: FolderSearch | None = None,
        known_folders: KnownFolders | None = None,
    ) -> None:
        self._boundary = boundary
        self._open_folders = open_folders
        self._plan = plan
        self._search = search or FolderSearch(boundary)
        self._last_seen = dict(known_folders or {})
        """Each folder where it was seen last, by number."""

    def get(self, number: int) -> Folder:
        """Return a folder, wherever it is.

        Raise `FileNotFoundError` if it is nowhere.
        """
        last_seen = self._last_seen.get(number)
        if last_seen is not None:
            # It may have been moved or removed since it was last held.
            with suppress(FilewrightError):
                return self._open_folders.reopen(
                    last_seen.location, last_seen.identity
                )
        return self._find(number)

    def locate(self, number: int) -> Location:
        """Return the location of a folder at this moment."""
        self._find(number)
        return self._last_seen[number].location

    def device(self, number: int) -> int | None:
        """Return the device of a folder, or None if it was not found yet."""
        if number not in self._last_seen:
            return None
        device, _ = self._last_seen[number].identity
        return device

    def search_again(self) -> None:
        """Forget an earlier walk of the workspace: its folders may have moved since."""
        self._search = FolderSearch(self._boundary)

    @cached_property
    def slots_by_inode(self) -> Mapping[int | None, Sequence[Slot]]:
        """The slots through which the operations bring each file, by its inode."""
        slots: dict[int | None, list[Slot]] = {}
        for operation in self._plan.operations:
            slots.setdefault(operation.after.inode, []).extend(
                (operation.source, operation.target)
            )
            if operation.before is not None:
                # A displaced file may be in any of the three slots.
                slots.setdefault(operation.before.inode, []).extend(
                    operation.slots
                )
        return slots

    def location_of(self, path: RecordedPath) -> Location:
        """Return the location of a recorded path. Raise if it is beyond the roots."""
        location = path.locate(self._boundary.roots)
        if location is None:
            raise errors.beyond_roots(path.display_path, os.fsdecode(path.root))
        return location

    def _find(self, number: int) -> Folder:
        """Look for a folder where it was last, in its slots, then everywhere."""
        folder = self._look_in(number, parents=())
        if folder is None:
            folder = self._look_in_slots(number)
        if folder is None:
            # Another process has moved it to a name that the plan does not know.
            location = self._search.find(self._plan.folders[number].inode)
            if location is not None:
                folder = self._accept(number, location)
            else:
                folder = self._look_in_copy(number)
        if folder is None:
            # Only a walk that saw everything tells that the folder is really gone.
            if self._search.is_complete:
                raise FolderMissingError(
                    errno.ENOENT, "its folder no longer exists"
                )
            raise FileNotFoundError(errno.ENOENT, "its folder no longer exists")
        return folder

    def _look_in_slots(self, number: int) -> Folder | None:
        """Look for a folder in its slots, and for the folders of these in theirs."""
        chain = self._possible_ancestors(number)
        located: set[int] = set()
        # Most often one of the nearest ancestors is where it was, and nothing above it
        # need be opened.
        nearest = self._nearest_located(chain)
        if nearest is not None:
            located.add(chain[nearest])
            folder = self._descend(chain[:nearest], located)
            if folder is not None:
                return folder
        while True:
            located_before = len(located)
            folder = self._descend(chain, located)
            if folder is not None or len(located) == located_before:
                return folder

    def _possible_ancestors(self, number: int) -> list[int]:
        """Return a folder, then all folders that may be above it, the nearest first."""
        chain = [number]
        position = 0
        while position < len(chain):
            parents = {
                slot.folder for slot in self._possible_slots(chain[position])
            }
            chain.extend(parents.difference(chain))
            position += 1
        return chain

    def _nearest_located(self, chain: Sequence[int]) -> int | None:
        """Return the position of the first ancestor that is where it was last."""
        for position in range(1, len(chain)):
            if self._look_in(chain[position], parents=()) is not None:
                return position
        return None

    def _descend(
        self, chain: Sequence[int], located: set[int]
    ) -> Folder | None:
        """Look for folders from the top down; return the first of the chain if found.

        Each folder that is found is added to `located`, as a parent for those below it.
        """
        folder = None
        for number in reversed(chain):
            folder = None
            if number not in located:
                folder = self._look_in(number, parents=located)
            if folder is not None:
                located.add(number)
        return folder

    def _possible_slots(self, number: int) -> Sequence[Slot]:
        """Return every slot in which a folder may be, the first one first."""
        folder = self._plan.folders[number]
        if folder.slot is None:
            return ()
        slots = (folder.slot, *self.slots_by_inode.get(folder.inode, ()))
        return tuple(dict.fromkeys(slots))

    def _look_in(self, number: int, parents: Collection[int]) -> Folder | None:
        """Look for a folder where it was last, then in its slots in some parents."""
        for location in self._candidates(number, parents):
            folder = self._accept(number, location)
            if folder is not None:
                return folder
        return None

    def _candidates(
        self, number: int, parents: Collection[int]
    ) -> Iterator[Location]:
        root = self._plan.folders[number].root
        if root is not None:
            yield self.location_of(RecordedPath(root, ()))
            return
        if number in self._last_seen:
            yield self._last_seen[number].location
        for slot in self._possible_slots(number):
            if slot.folder in parents:
                yield self._last_seen[slot.folder].location.child(slot.name)

    def _look_in_copy(self, number: int) -> Folder | None:
        """Return the folder in the only slot of a folder, whatever its inode.

        In a copy of the workspace every inode has another number.
        """
        slots = self._possible_slots(number)
        # With several slots, their contents could not be told apart.
        if len(slots) != 1:
            return None
        (slot,) = slots
        try:
            location = self.locate(slot.folder).child(slot.name)
        except FileNotFoundError:
            return None
        return self._accept(number, location, any_inode=True)

    def _accept(
        self, number: int, location: Location, *, any_inode: bool = False
    ) -> Folder | None:
        """Return the folder at a location if it is the one with that number."""
        expected = self._plan.folders[number]
        try:
            folder, identity = self._open_folders.open(location)
        except FilewrightError as error:
            # A root that cannot be opened is an error, not a folder that has moved.
            if error.code in _NO_FOLDER_THERE and expected.root is None:
                return None
            raise
        is_known_by_inode = expected.root is None and expected.inode is not None
        if (
            is_known_by_inode
            and not any_inode
            and expected.inode != identity[1]
        ):
            return None
        self._last_seen[number] = KnownFolder(location, identity)
        return folder
