"""The folders a plan acts in, as descriptors, and what stands in its slots."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence

from filewright.boundary import Boundary, Location
from filewright.changes.content import digest_of, listed
from filewright.changes.draft import Folder
from filewright.changes.operations import FolderRef, Leaf, Plan, Seal, Slot
from filewright.changes.record import Place
from filewright.errors import Code, FilewrightError, from_os_error

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Ground:
    """Resolves slots to (descriptor, name).

    While a change is being made the draft's own descriptors serve, which stay good when a folder is
    renamed. In recovery each folder is looked for in every place where it may stand.
    """

    def __init__(self, boundary: Boundary, plan: Plan, folders: Sequence[Folder] | None = None) -> None:
        self._boundary = boundary
        self._plan = plan
        self._folders = folders
        self._opened: dict[int, int] = {}
        self._roots = {root.resolved or root.path: root for root in boundary.roots}

    def close(self) -> None:
        """Close what recovery opened."""
        for descriptor in self._opened.values():
            os.close(descriptor)
        self._opened.clear()

    def fd(self, number: int) -> int | None:
        """A descriptor of a plan's folder, or None if it is nowhere to be found."""
        if self._folders is not None:
            folder = self._folders[number]
            return folder.fd() if folder.where is not None or folder.descriptor >= 0 else None
        if number not in self._opened:
            found = self._search(self._plan.folders[number])
            if found is None:
                return None
            self._opened[number] = found
        return self._opened[number]

    def _search(self, reference: FolderRef) -> int | None:
        loose: int | None = None
        for place in reference.places:
            try:
                descriptor = self._boundary.open_folder(self.location(place))
            except FilewrightError as error:
                if error.code in (Code.NOT_FOUND, Code.NOT_A_DIRECTORY, Code.SYMLINK):
                    continue
                raise
            if reference.inode is None or os.fstat(descriptor).st_ino == reference.inode:
                if loose is not None:
                    os.close(loose)
                return descriptor
            if len(reference.places) == 1 and loose is None:
                loose = descriptor  # Never moved by us: whatever folder is there now is the one meant.
            else:
                os.close(descriptor)
        return loose

    def location(self, place: Place) -> Location:
        """The location a recorded place stands for. Raises `path_escape` if its root is not served."""
        root = self._roots.get(place.root)
        if root is None:
            raise FilewrightError(
                Code.PATH_ESCAPE,
                f"{place.shown} is below {os.fsdecode(place.root)}, which is not a root of this workspace",
                hint="start with the same roots as then",
            )
        where = Location(root, place.parts)
        return Location(root, place.parts, where.shown)

    def shown(self, slot: Slot) -> str:
        """A slot's path, for messages."""
        if self._folders is not None:
            folder = self._folders[slot.folder]
            return folder.where.child(slot.name).shown if folder.where is not None else folder.asked
        places = self._plan.folders[slot.folder].places
        place = places[0]
        return self.location(Place(place.root, (*place.parts, slot.name))).shown

    # Looking

    def status(self, slot: Slot) -> os.stat_result | None:
        """What stands in a slot, or None."""
        folder = self.fd(slot.folder)
        if folder is None:
            return None
        try:
            return os.stat(slot.name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def is_there(self, slot: Slot, seal: Seal) -> bool:
        """Whether what stands in a slot is what the seal describes."""
        folder = self.fd(slot.folder)
        return folder is not None and matches(folder, slot.name, seal)

    def untouched(self, slot: Slot, seal: Seal, hash_up_to: int) -> bool:
        """As `is_there`, but a file above `hash_up_to` bytes is only hashed if its inode or time differ."""
        status = self.status(slot)
        if status is not None and seal.kind == "file" and (seal.size or 0) > hash_up_to:
            seen = (status.st_ino, status.st_size, status.st_mtime_ns)
            if seen == (seal.inode, seal.size, seal.mtime_ns):
                return True
        return self.is_there(slot, seal)

    def same_inode(self, slot: Slot, seal: Seal) -> bool:
        """Whether the very thing that was sealed stands in a slot, whatever it holds by now."""
        status = self.status(slot)
        return status is not None and seal.inode == status.st_ino and kind_of(status) == seal.kind

    def tree_is(self, slot: Slot, tree: Sequence[Leaf]) -> bool:
        """Whether a folder holds exactly what a tree lists."""
        folder = self.fd(slot.folder)
        if folder is None:
            return False
        wanted: Mapping[tuple[bytes, ...], Seal] = {leaf.parts: leaf.seal for leaf in tree}
        seen: set[tuple[bytes, ...]] = set()
        try:
            descriptor = os.open(slot.name, _FOLDER, dir_fd=folder)
        except OSError as error:
            raise from_os_error(error, self.shown(slot)) from error
        try:
            return _holds(descriptor, (), wanted, seen) and len(seen) == len(wanted)
        finally:
            os.close(descriptor)


def _holds(
    descriptor: int,
    above: tuple[bytes, ...],
    wanted: Mapping[tuple[bytes, ...], Seal],
    seen: set[tuple[bytes, ...]],
) -> bool:
    for name in listed(descriptor):
        parts = (*above, name)
        seal = wanted.get(parts)
        if seal is None or not matches(descriptor, name, seal):
            return False
        seen.add(parts)
        if seal.kind == "folder":
            child = os.open(name, _FOLDER, dir_fd=descriptor)
            try:
                if not _holds(child, parts, wanted, seen):
                    return False
            finally:
                os.close(child)
    return True


def kind_of(status: os.stat_result) -> str:
    """`file`, `link`, `folder` or `other`."""
    for test, kind in ((stat.S_ISREG, "file"), (stat.S_ISLNK, "link"), (stat.S_ISDIR, "folder")):
        if test(status.st_mode):
            return kind
    return "other"


def matches(folder: int, name: bytes, seal: Seal) -> bool:
    """Whether what has that name is what the seal describes: by content where it is known."""
    try:
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    if kind_of(status) != seal.kind:
        return False
    if seal.kind == "link":
        return os.readlink(name, dir_fd=folder) == seal.target
    if seal.kind == "file" and seal.digest is not None:
        if status.st_size != seal.size:
            return False
        try:
            descriptor = os.open(name, _READ, dir_fd=folder)
        except FileNotFoundError:
            return False
        try:
            return digest_of(descriptor) == seal.digest
        finally:
            os.close(descriptor)
    if seal.inode is None:
        return seal.kind == "folder"
    return status.st_ino == seal.inode and (
        seal.kind != "file"
        or seal.size is None
        or (status.st_size == seal.size and status.st_mtime_ns == seal.mtime_ns)
    )
