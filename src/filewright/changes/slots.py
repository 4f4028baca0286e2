"""What is in a plan's slots, and the few things that are done to them.

Folders are opened through the boundary, a few at a time, and known by their identity: while a change
is being made they may be renamed by it, and between a crash and the recovery by anybody. What is written into them is
flushed here too, side by side and each once (`Flushing`).
"""

from __future__ import annotations

import errno
import os
import stat
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Literal

from filewright import errors, system
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location, is_temporary
from filewright.changes.blobs import compute_digest
from filewright.changes.model import RECORDED_KINDS, FileState, RecordedPath
from filewright.changes.rename_plan import OperationKind, RenamePlan, Slot
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.system import Closable, File, Folder, RenameMode, Status

if TYPE_CHECKING:
    from filewright.changes.database import Flusher
    from filewright.changes.log import Log

_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
_NOWHERE = (Code.NOT_FOUND, Code.NOT_A_DIRECTORY, Code.SYMLINK, Code.PATH_ESCAPE)
_MANY = 128
"""Above so many, one flush of the whole file system costs less than one for each."""
_AT_ONCE = 16
_MOST_OPEN = 24
_SEARCH_SECONDS = 5.0

FolderId = tuple[int, int]
Remove = Callable[[Folder, bytes, FileState], bool]
"""Removes a name in an open folder that has such a stamp; False if it stays."""
Look = Literal["same", "alike", "grown", "changed", "other", "missing"]
"""What is there, against a stamp: the very thing as it was; another that holds the same; the very thing, with
something added to its end, or with other content; something else; nothing."""
SAME_INODE = ("same", "grown", "changed")
SAME_CONTENT = ("same", "alike")


class OpenFolders(Closable):
    """Folders held open for a change, at most a few: the ones used last.

    A held folder is found again wherever it has been moved, so it is known by its identity. What is
    only read may be protected; a folder that is written to is asked for that when it is reached.
    One that is let go of here closes itself when nobody uses it any more.
    """

    def __init__(self, boundary: Boundary) -> None:
        self.boundary = boundary
        self._held: OrderedDict[FolderId, tuple[Folder, bool]] = OrderedDict()
        self._free: set[tuple[int, int, int]] = set()

    def close(self) -> None:
        """Close all of them."""
        for folder, _ in self._held.values():
            folder.close()

    def open(
        self, where: Location, *, reading: bool = False
    ) -> tuple[Folder, FolderId]:
        """The folder at a place now. Raises `permission_denied` if what is reached is protected, unless
        it is only read."""
        opened = self.boundary.open_folder(where, changing=not reading, free=self._free)
        identity = opened.status().identity
        folder, changing = self._held.pop(identity, (opened, False))
        if folder is not opened:
            opened.close()
        while len(self._held) >= _MOST_OPEN:
            self._held.popitem(last=False)
        self._held[identity] = folder, changing or not reading
        return folder, identity

    def let_go(self, identity: FolderId) -> None:
        """Hold a folder no longer."""
        self._held.pop(identity, None)

    def at(
        self, where: Location, identity: FolderId, *, reading: bool = False
    ) -> Folder:
        """The folder with that identity, which was at a place: the one that is held, wherever it is now, or the one
        that is there; `stale_version` if that is another."""
        held, changing = self._held.get(identity, (None, False))
        if held is not None and (changing or reading):
            self._held.move_to_end(identity)
            return held
        folder, found = self.open(where, reading=reading)
        if found != identity:
            raise errors.replaced_meanwhile(
                f"the folder {where.display_path}", where.display_path
            )
        return folder


class FolderMissingError(FileNotFoundError):
    """A folder of a plan is not in the workspace any more, wherever one looks."""


class FolderSearch:
    """Where folders are that somebody has moved: one walk of the roots, begun when first asked, for all plans.

    `complete` if the walk saw everything in its time: a folder that it did not find is not there.
    """

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._found: dict[int, Location] | None = None
        self.complete = False

    def find(self, inode: int | None) -> Location | None:
        """The folder with that inode; None if it is nowhere, or too far to be found in a few seconds."""
        if inode is None:
            return None
        if self._found is None:
            self._found = self._walk()
        return self._found.get(inode)

    def _walk(self) -> dict[int, Location]:
        found: dict[int, Location] = {}
        task = Task(seconds=_SEARCH_SECONDS)
        pending = [Location(root, ()) for root in self._boundary.roots]
        while pending and not task.expired:
            where = pending.pop()
            with (
                suppress(OSError, FilewrightError),
                self._boundary.open_folder(where) as folder,
            ):
                for name, kind in folder.iter_entries():
                    if kind == "folder":
                        pending.append(where.child(name))
                        found[folder.stat(name).inode] = pending[-1]
        self.complete = not pending
        return found


def look(
    folder: Folder, name: bytes, stamp: FileState, *, hash_up_to: int | None = None
) -> Look:
    """What has a name, against a stamp: by content where that is known and can be read.

    A file larger than `hash_up_to` is only hashed if its inode, size or time differ. The number of an inode
    alone tells little of a file: a disk gives that of one that is gone to the next new one.
    """
    try:
        status = folder.stat(name)
        if RECORDED_KINDS[status.kind] != stamp.kind:
            return "other"
        if stamp.kind == "link":
            if folder.read_link(name) != stamp.target:
                return "other"
            return "same" if status.inode == stamp.inode else "alike"
        if stamp.kind == "file" and stamp.digest is not None:
            with suppress(PermissionError), folder.open(name, known_file=True) as file:
                return look_at(file, stamp, hash_up_to=hash_up_to)
    except FileNotFoundError:
        return "missing"
    if stamp.inode is None:
        return "alike" if stamp.kind == "folder" else "other"
    return _by_status(status, stamp)


def look_at(file: File, stamp: FileState, *, hash_up_to: int | None = None) -> Look:
    """The same of an open file."""
    status = file.status()
    large = hash_up_to is not None and stamp.size > hash_up_to
    if stamp.digest is None or (large and stamp.untouched(status)):
        return _by_status(status, stamp)
    itself = status.inode == stamp.inode
    if (
        status.size >= stamp.size
        and compute_digest(file, size=stamp.size) == stamp.digest
    ):
        # Asked again: it may have grown while it was read.
        if file.status().size == stamp.size:
            return "same" if itself else "alike"
        return "grown" if itself else "other"
    return "changed" if itself else "other"


def _by_status(status: Status, stamp: FileState) -> Look:
    if status.inode != stamp.inode:
        return "other"
    return "same" if stamp.untouched(status) else "changed"


class FlushQueue:
    """Flushes open files and folders, each once and some together; many by their file systems, where the system can.

    What is added is let go of when it is flushed, and so closed if nobody else holds it.
    """

    def __init__(self, flusher: Flusher, *, many: bool = False) -> None:
        self._flusher = flusher
        self._by_file_system = many and system.capabilities.flush_file_system
        self.devices: set[int] = set()
        """Those of which everything is flushed, or will be at the end."""
        self._flushed: set[FolderId] = set()
        self._pending: list[File | Folder] = []

    def add(self, handle: File | Folder) -> None:
        """Flush it, at the end at the latest. Raises `OSError`."""
        if (
            len(self._flushed) >= _MANY
            and system.capabilities.flush_file_system
            and not self._by_file_system
        ):
            self.end()
            self._by_file_system = True
        identity = handle.status().identity
        if identity[0] not in self.devices and identity not in self._flushed:
            self._flushed.add(identity)
            self._pending.append(handle)
            if self._by_file_system:
                self.devices.add(identity[0])
            elif len(self._pending) >= _AT_ONCE:
                self.end()

    def end(self) -> None:
        """Flush what is not flushed yet. Raises `OSError`."""
        if self._by_file_system:
            for handle in self._pending:
                self._flusher.file_system(handle)
        else:
            self._flusher.all(self._pending)
        self._pending.clear()

    def close(self) -> None:
        """Close what was not flushed."""
        for handle in self._pending:
            handle.close()


class PlanSlots:
    """The slots of one plan, on the disk."""

    def __init__(
        self,
        log: Log,
        folders: OpenFolders,
        plan: RenamePlan,
        *,
        search: FolderSearch | None = None,
        known: Mapping[int, tuple[Location, FolderId]] | None = None,
    ) -> None:
        self.plan = plan
        self.log = log
        self._folders = folders
        self.search = search
        """What looks for folders that others have moved; None until it is needed."""
        self._found = dict(known or {})

    # Folders

    def holder(self, slot: Slot) -> Folder:
        """The folder of a slot, wherever it is now. Raises `FileNotFoundError` if it is nowhere."""
        known = self._found.get(slot.folder)
        if known is not None:
            with suppress(FilewrightError):  # Moved or gone, since it was last held.
                return self._folders.at(*known)
        return self._located(slot.folder)

    def _located(self, number: int) -> Folder:
        """Look for a folder where it was last, then in every slot where it may be, then everywhere."""
        folder = self._find(number, ())
        # It, the folders it may be in, and those that these may be in: what is above comes last.
        above = [number]
        for each in above if folder is None else ():
            above += {slot.folder for slot in self._ways(each)}.difference(above)
        # Most often one of the nearest is where it was, and of what is above it nothing need be asked.
        near = next(
            (
                depth
                for depth, each in enumerate(above)
                if depth and self._find(each, ())
            ),
            0,
        )
        found = set(above[near : near + 1]) if near else set[int]()
        before = -1
        while folder is None and len(found) > before:
            before = -1 if near else len(found)
            for each in reversed(above[:near] or above):
                folder = self._find(each, found) if each not in found else None
                if folder is not None:
                    found.add(each)
            near = 0
        if folder is None:
            self.search = self.search or FolderSearch(self.log.boundary)
            where = self.search.find(self.plan.folders[number].inode)
            folder = self._accept(number, where) if where else self._instead(number)
        if folder is None:
            gone = (
                FolderMissingError
                if self.search and self.search.complete
                else FileNotFoundError
            )
            raise gone(errno.ENOENT, "its folder is gone")
        return folder

    @cached_property
    def ways(self) -> Mapping[int | None, Sequence[Slot]]:
        """The slots through which the operations bring each thing, by its inode."""
        found: dict[int | None, list[Slot]] = {}
        for put in self.plan.operations:
            found.setdefault(put.after.inode, []).extend(put.slots[:2])
            if put.before is not None:
                found.setdefault(put.before.inode, []).extend(put.slots)
        return found

    def _ways(self, number: int) -> Sequence[Slot]:
        """Every slot where a folder may be, the one where it was at first before the others."""
        reference = self.plan.folders[number]
        slots = (
            ()
            if reference.slot is None
            else (reference.slot, *self.ways.get(reference.inode, ()))
        )
        return tuple(dict.fromkeys(slots))

    def _find(self, number: int, found: Collection[int]) -> Folder | None:
        """A folder where it was last, or in a slot of one of those that were `found`."""
        root, known = self.plan.folders[number].root, self._found.get(number)
        if root is not None:
            return self._accept(number, self._location(RecordedPath(root, ())))
        last = [known[0]] if known else []
        ways = (
            self._found[way.folder][0].child(way.name)
            for way in self._ways(number)
            if way.folder in found
        )
        return next(
            filter(None, (self._accept(number, where) for where in chain(last, ways))),
            None,
        )

    def _instead(self, number: int) -> Folder | None:
        """In a copy of the workspace every inode is another: then the folder in its only place is meant."""
        slot, *others = self._ways(number)
        if others:
            return None
        try:
            return self._accept(number, self.where(slot), strict=False)
        except FileNotFoundError:
            return None

    def _accept(
        self, number: int, where: Location, *, strict: bool = True
    ) -> Folder | None:
        """The folder that is at a place, if it is the one."""
        reference = self.plan.folders[number]
        try:
            folder, identity = self._folders.open(where)
        except FilewrightError as error:
            if error.code in _NOWHERE and reference.root is None:
                return None
            raise
        known = strict and reference.root is None and reference.inode is not None
        if known and reference.inode != identity[1]:
            return None
        self._found[number] = where, identity
        return folder

    def _location(self, place: RecordedPath) -> Location:
        where = place.below(self.log.boundary.roots)
        if where is None:
            raise errors.beyond_roots(place.display_path, os.fsdecode(place.root))
        return where

    def shown(self, slot: Slot) -> str:
        """A slot's path, for messages."""
        return self._location(self.plan.recorded_path(slot)).shown

    def flush(self, flushing: FlushQueue | None = None, *, back: bool = False) -> None:
        """Flush every folder the operations act in."""
        slots: dict[int, Slot] = {}
        gaining: set[int] = set()
        for put in self.plan.operations:
            how = put.kind
            carrier, place, spare = put.slots
            for slot in (carrier, place, spare):
                slots[slot.folder] = slot
            if how is OperationKind.MOVED and carrier.folder != place.folder:
                gaining.add((carrier if back else place).folder)
        flushing = flushing or FlushQueue(self.log.flusher, many=len(slots) > _MANY)
        # What was moved, or moved back, to another folder is on the disk there before it leaves its old one: on a disk
        # that keeps no order among folders it would be in neither after a power cut.
        for numbers in (gaining, slots.keys() - gaining):
            for number in sorted(numbers):
                known = self._found.get(number)
                if known is None or known[1][0] not in flushing.devices:
                    with suppress(FileNotFoundError):  # Gone with all that was in it.
                        flushing.add(self.holder(slots[number]))
            flushing.end()

    # Looking

    def status(self, slot: Slot) -> Status | None:
        """What is in a slot, or None. Raises `FileNotFoundError` if the slot's folder is nowhere.

        A folder that the change made itself may be gone again, with nothing in it.
        """
        try:
            folder = self.holder(slot)
        except FileNotFoundError:
            if self.plan.folders[slot.folder].is_new:
                return None
            raise
        with suppress(FileNotFoundError):
            return folder.stat(slot.name)
        return None

    def look(self, slot: Slot, stamp: FileState) -> Look:
        """What is in a slot, against a stamp. Raises as `status` does."""
        return (
            "missing"
            if self.status(slot) is None
            else look(self.holder(slot), slot.name, stamp)
        )

    def holds_tree(self, slot: Slot, stamp: FileState) -> bool:
        """Whether a folder holds exactly what the stamp says, by name and inode, unchanged by their times.

        What is written into them later is noticed when they are removed, which hashes them.
        """
        left = len(stamp.inside)
        pending = [(self.where(slot), b"")]
        while pending:
            where, prefix = pending.pop()
            folder, _ = self._folders.open(where)
            for name in folder.names():
                below = stamp.inside.get(prefix + name)
                try:
                    status = folder.stat(name)
                except FileNotFoundError:
                    return False
                if (
                    below is None
                    or RECORDED_KINDS[status.kind] != below.kind
                    or not below.untouched(status)
                ):
                    return False
                left -= 1
                if below.kind == "folder":
                    pending.append((where.child(name), prefix + name + b"/"))
        return not left

    def where(self, slot: Slot) -> Location:
        """The path of a slot at this moment."""
        self._located(slot.folder)
        return self._found[slot.folder][0].child(slot.name)

    def half_linked(self, source: Slot, target: Slot) -> bool:
        """Whether a rename done by link and unlink came half way: one inode, both names."""
        waiting, placed = self.status(source), self.status(target)
        return (
            waiting is not None
            and placed is not None
            and waiting.identity == placed.identity
        )

    # Moving

    def rename(
        self, source: Slot, target: Slot, mode: RenameMode = "exclusive"
    ) -> None:
        """Rename; `FileExistsError` if the target is taken, unless it is to `replace` or `exchange` it."""
        self.holder(source).rename(source.name, self.holder(target), target.name, mode)

    def swap(self, carrier: Slot, place: Slot, spare: Slot) -> Slot:
        """Exchange carrier and place; returns where that is which was in the place: the carrier, or the spare, where
        names cannot be exchanged. Even then the place is never empty in between, but for folders."""
        try:
            self.rename(carrier, place, "exchange")
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
        else:
            return carrier
        link = self.holder(carrier).stat(carrier.name).kind != "folder"
        if link:
            try:
                self.holder(place).link(place.name, self.holder(spare), spare.name)
            except OSError:
                link = False
        if not link:
            # For a moment nothing has that name; but what somebody saves there meanwhile is not overwritten.
            self.rename(
                place, spare, "replace" if is_temporary(spare.name) else "exclusive"
            )
        self.rename(carrier, place, "replace" if link else "exclusive")
        return spare

    def unlink(self, slot: Slot) -> None:
        """Remove a name of a file or link."""
        self.holder(slot).remove(slot.name)

    def discard(self, slot: Slot) -> None:
        """Remove a temporary of ours that nobody has ever seen under another name."""
        status = self.status(slot) if is_temporary(slot.name) else None
        if status is None:
            return
        if status.kind == "folder":
            self.remove_tree(slot)
        else:
            self.unlink(slot)

    def remove_tree(
        self, slot: Slot, stamp: FileState | None = None, remove: Remove | None = None
    ) -> bool:
        """Remove what a stamp says is in a folder by `remove`, or everything; whether nothing else was in it."""
        folders: list[tuple[Location, FolderId]] = []
        pending = [(self.where(slot), b"")]
        clean = True
        while pending:
            where, prefix = pending.pop()
            try:
                folder, identity = self._folders.open(where)
            except FilewrightError as error:
                if error.code is not Code.NOT_FOUND:
                    raise
                continue
            status = folder.status()
            if (
                not status.mode & stat.S_IWUSR
                and status.uid == system.effective_user_id()
            ):
                folder.set_own_mode(
                    status.mode | stat.S_IRWXU
                )  # Nothing could be removed in it.
            folders.append((where, identity))
            for name in folder.names():
                kind = RECORDED_KINDS[folder.stat(name).kind]
                wanted = (
                    FileState(kind)
                    if stamp is None
                    else stamp.inside.get(prefix + name)
                )
                if wanted is None or wanted.kind != kind:
                    clean = False
                elif kind == "folder":
                    pending.append((where.child(name), prefix + name + b"/"))
                elif remove is None:
                    folder.remove(name)
                else:
                    clean &= remove(folder, name, wanted)
            del folder
        for where, identity in reversed(folders):
            # Before Windows 10 a name stays as long as anybody holds what has it, and so does the folder above.
            self._folders.let_go(identity)
            try:
                self._folders.open(where.parent)[0].remove_folder(where.name)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                clean = False
        return clean
