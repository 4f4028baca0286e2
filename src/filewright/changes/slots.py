"""What is in a plan's slots, and the few things that are done to them.

Folders are opened through the boundary, a few at a time, and known by their identity: while a change
is being made they may be renamed by it, and between a crash and the recovery by anybody.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress

from filewright import errors, system
from filewright.boundary import (
    Boundary,
    DenyRules,
    Location,
    Root,
    is_temporary,
)
from filewright.changes.content import digest_of
from filewright.changes.flushing import MANY, Flusher
from filewright.changes.operations import CommitPlan, FolderRef, Put, Seal, Slot
from filewright.changes.record import Place, kind_of
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.system import File, Folder, Rename, Status

_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
_NOWHERE = (Code.NOT_FOUND, Code.NOT_A_DIRECTORY, Code.SYMLINK, Code.PATH_ESCAPE)
_MOST_OPEN = 24
_AT_ONCE = 16
_SEARCH_SECONDS = 5.0

FolderId = tuple[int, int]
Remove = Callable[[Folder, bytes, Seal], bool]
"""Removes a name in an open folder that was sealed so; False if it stays."""


class OpenFolders:
    """Folders held open for a change, at most a few: the ones used last.

    A held folder is found again wherever it has been moved, so it is known by its identity. What is
    only read may be protected; a folder that is written to is asked for that when it is reached.
    One that is let go of here closes itself when nobody uses it any more.
    """

    def __init__(self, boundary: Boundary) -> None:
        self.boundary = boundary
        self._held: OrderedDict[FolderId, Folder] = OrderedDict()
        self._read_only: set[FolderId] = set()

    def close(self) -> None:
        """Close all of them."""
        while self._held:
            self._held.popitem()[1].close()

    def held(self, identity: FolderId, *, reading: bool = False) -> Folder | None:
        """The folder, if it is open for that."""
        folder = self._held.get(identity)
        if folder is None or (identity in self._read_only and not reading):
            return None
        self._held.move_to_end(identity)
        return folder

    def open(self, where: Location, *, reading: bool = False) -> tuple[Folder, FolderId]:
        """The folder at a place now. Raises `permission_denied` if what is reached is protected, unless
        it is only read."""
        opened = self.boundary.open_folder(where, changing=not reading)
        identity = opened.identity()
        if not reading:
            self._read_only.discard(identity)
        folder = self.held(identity, reading=True)
        if folder is not None:
            opened.close()
            return folder, identity
        while len(self._held) >= _MOST_OPEN:
            self._held.popitem(last=False)
        self._held[identity] = opened
        if reading:
            self._read_only.add(identity)
        return opened, identity

    def let_go(self, identity: FolderId) -> None:
        """Hold a folder no longer."""
        self._held.pop(identity, None)

    def at(self, where: Location, identity: FolderId, *, reading: bool = False) -> Folder:
        """The folder with that identity, which was at a place; `stale_version` if it is another now."""
        folder = self.held(identity, reading=reading)
        if folder is not None:
            return folder
        folder, found = self.open(where, reading=reading)
        if found != identity:
            raise errors.replaced(f"the folder {where.shown}", where.shown)
        return folder


def located(boundary: Boundary, place: Place) -> Location | None:
    """The location of a recorded place below the nearest root above it; None if there is none.

    A root that was recorded may since lie below one that is served, or above.
    """
    names = [name for name in (*place.root.split(b"/"), *place.parts) if name]
    best: tuple[int, Root] | None = None
    for root in boundary.roots:
        path = root.resolved
        if path == place.root:
            best = (len(names) - len(place.parts), root)
            break
        above = [name for name in path.split(b"/") if name]
        if names[: len(above)] == above and (best is None or len(above) > best[0]):
            best = (len(above), root)
    if best is None:
        return None
    parts = tuple(names[best[0] :])
    return Location(best[1], parts, Location(best[1], parts).shown)


def denials(boundary: Boundary) -> Callable[[Place], bool]:
    """Says of a place whether it is denied now; for one look at history, folder by folder."""
    folders: dict[tuple[bytes, tuple[bytes, ...]], DenyRules | None] = {}

    def denied(place: Place) -> bool:
        key = place.root, place.parts[:-1]
        if key not in folders:
            where = located(boundary, place)
            folders[key] = None if where is None else boundary.rules_for(where.parent)
        rules = folders[key]
        return rules is not None and bool(place.parts) and rules.denies(place.parts[-1], None)

    return denied


class FolderGoneError(FileNotFoundError):
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
            with suppress(OSError, FilewrightError), self._boundary.open_folder(where) as folder:
                for name, kind in folder.scan():
                    if kind == "folder":
                        below = where.child(name)
                        pending.append(below)
                        found[folder.stat(name).inode] = below
        self.complete = not pending
        return found


class Slots:
    """The slots of one plan, on the disk."""

    def __init__(
        self, folders: OpenFolders, plan: CommitPlan, *, hash_up_to: int, search: FolderSearch | None = None
    ) -> None:
        self.plan = plan
        self._folders = folders
        self._boundary = folders.boundary
        self._search = search or FolderSearch(folders.boundary)
        self.hash_up_to = hash_up_to
        self._found: dict[int, tuple[Location, FolderId]] = {}

    # Folders

    def search_anew(self) -> None:
        """Forget what an earlier walk saw: it may have moved since."""
        self._search = FolderSearch(self._boundary)

    def folder(self, number: int) -> Folder:
        """A folder of the plan, wherever it is now. Raises `FileNotFoundError` if it is nowhere."""
        if number in self._found:
            folder = self._folders.held(self._found[number][1])
            if folder is not None:
                return folder
        return self._located(number)

    def holder(self, slot: Slot) -> Folder:
        """The folder of a slot, wherever it is now. Raises `FileNotFoundError` if it is nowhere."""
        return self.folder(slot.folder)

    def where(self, number: int) -> Location:
        """The path of a folder of the plan at this moment."""
        self._located(number)
        return self._found[number][0]

    def _located(self, number: int) -> Folder:
        """Look for a folder in every slot where it may be, then everywhere."""
        tried: dict[int, int] = {}
        found: dict[int, Folder | None] = {}
        pending = [number]
        while pending:
            looking = pending[-1]
            reference = self.plan.folders[looking]
            if looking not in tried:
                tried[looking] = 0
                found[looking] = self._accept_known(looking, reference)
            if found[looking] is not None or tried[looking] == len(reference.slots):
                pending.pop()
                continue
            slot = reference.slots[tried[looking]]
            if slot.folder not in tried:
                pending.append(slot.folder)
                continue
            tried[looking] += 1
            if found[slot.folder] is not None:
                found[looking] = self._accept(looking, self._found[slot.folder][0].child(slot.name))
        if found[number] is None:
            where = self._search.find(self.plan.folders[number].inode)
            found[number] = self._accept(number, where) if where is not None else self._instead(number)
        folder = found[number]
        if folder is None:
            gone = FolderGoneError if self._search.complete else FileNotFoundError
            raise gone(errno.ENOENT, "its folder is gone")
        return folder

    def _instead(self, number: int) -> Folder | None:
        """In a copy of the workspace every inode is another: then the folder in its only place is meant."""
        slots = self.plan.folders[number].slots
        if len(slots) != 1:
            return None
        try:
            self._located(slots[0].folder)
        except FileNotFoundError:
            return None
        return self._accept(number, self._found[slots[0].folder][0].child(slots[0].name), strict=False)

    def _accept_known(self, number: int, reference: FolderRef) -> Folder | None:
        if reference.root is not None:
            return self._accept(number, self.location(Place(reference.root, ())))
        return self._accept(number, self._found[number][0]) if number in self._found else None

    def _accept(self, number: int, where: Location, *, strict: bool = True) -> Folder | None:
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

    def location(self, place: Place) -> Location:
        """The location of a recorded place. Raises `path_escape` if its root is not served."""
        where = located(self._boundary, place)
        if where is None:
            raise errors.beyond_roots(place.shown, os.fsdecode(place.root))
        return where

    def shown(self, slot: Slot) -> str:
        """A slot's path, for messages."""
        return self.location(self.plan.place(slot)).shown

    def flush(self, flusher: Flusher, flushed: set[FolderId] | None = None) -> None:
        """Flush every folder the operations act in, but those `flushed` already, which it adds to."""
        flushed = set() if flushed is None else flushed
        numbers = sorted({slot.folder for operation in self.plan.operations for slot in operation.slots})
        for start in range(0, len(numbers), _AT_ONCE):
            open_now: list[Folder] = []
            for number in numbers[start : start + _AT_ONCE]:
                with suppress(FileNotFoundError):  # Gone with all that was in it.
                    folder = self.folder(number)
                    if folder.identity() not in flushed:
                        flushed.add(folder.identity())
                        open_now.append(folder)
            if len(numbers) > MANY and open_now and system.can.flush_file_system:
                flusher.file_system(open_now[0])
                return
            flusher.all(open_now)

    # Looking

    def status(self, slot: Slot) -> Status | None:
        """What is in a slot, or None. Raises `FileNotFoundError` if the slot's folder is nowhere.

        A folder that the change made itself may be gone again, with nothing in it.
        """
        try:
            folder = self.holder(slot)
        except FileNotFoundError:
            if self.plan.folders[slot.folder].made:
                return None
            raise
        try:
            return folder.stat(slot.name)
        except FileNotFoundError:
            return None

    def holds(self, slot: Slot, seal: Seal) -> bool:
        """Whether what is in a slot is what the seal describes: by content where that is known."""
        status = self.status(slot)
        return status is not None and matches(self.holder(slot), slot.name, seal, status)

    def untouched(self, slot: Slot, seal: Seal) -> bool:
        """As `holds`, but a large file is only hashed if its inode or time differ."""
        folder = self.holder(slot)
        large = seal.kind == "file" and (seal.size or 0) > self.hash_up_to
        return (large and looks_like(folder, slot.name, seal)) or matches(folder, slot.name, seal)

    def same_inode(self, slot: Slot, seal: Seal) -> bool:
        """Whether the very thing that was sealed is in a slot, whatever it holds by now."""
        status = self.status(slot)
        return status is not None and seal.inode == status.inode and kind_of(status) == seal.kind

    def appended_to(self, slot: Slot, seal: Seal) -> bool:
        """Whether the very file that was sealed is in a slot, and has only been appended to."""
        if seal.digest is None or seal.size is None or not self.same_inode(slot, seal):
            return False
        with self.holder(slot).open(slot.name) as file:
            return file.status().size > seal.size and digest_of(file, size=seal.size) == seal.digest

    def holds_tree(self, slot: Slot, seal: Seal) -> bool:
        """Whether a folder holds exactly what was sealed inside, by name and inode, unchanged by their times.

        What is written into them later is noticed when they are removed, which hashes them.
        """
        left = len(seal.inside)
        pending = [(self.where(slot.folder).child(slot.name), b"")]
        while pending:
            where, above = pending.pop()
            folder, _ = self._folders.open(where)
            for name in folder.names():
                below = seal.inside.get(above + name)
                if below is None or not looks_like(folder, name, below):
                    return False
                left -= 1
                if below.kind == "folder":
                    pending.append((where.child(name), above + name + b"/"))
        return not left

    def half_linked(self, source: Slot, target: Slot) -> bool:
        """Whether a rename done by link and unlink came half way: one inode, both names."""
        waiting, placed = self.status(source), self.status(target)
        return waiting is not None and placed is not None and waiting.identity == placed.identity

    # Moving

    def rename(self, source: Slot, target: Slot, mode: Rename = "keep") -> None:
        """Rename; `FileExistsError` if the target is taken, unless it is to `replace` or `exchange` it."""
        self.holder(source).rename(source.name, self.holder(target), target.name, mode)

    def exchange(self, one: Slot, other: Slot, spare: Slot) -> None:
        """Exchange two slots; one after the other by way of `spare` where that is not one step."""
        try:
            self.rename(one, other, "exchange")
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
            self.rename(other, spare)
            self.rename(one, other)
            self.rename(spare, one)

    def swap(self, operation: Put) -> Slot:
        """Exchange carrier and place; returns the slot that now holds what was displaced."""
        carrier, place, spare = operation.carrier, operation.place, operation.spare
        try:
            self.rename(carrier, place, "exchange")
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
        else:
            return carrier
        folder = self.holder(place)
        try:
            if operation.after.kind == "folder":
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            folder.link(place.name, folder, spare.name)
        except OSError:
            # With a folder, or on a file system without links: for a moment nothing has that name.
            self.rename(place, spare, "replace")
        self.rename(carrier, place, "replace")
        if operation.staged or is_temporary(carrier.name):
            return spare
        self.rename(spare, carrier)
        return carrier

    def unlink(self, slot: Slot) -> None:
        """Remove a name of a file or link."""
        self.holder(slot).remove(slot.name)

    def discard(self, slot: Slot) -> None:
        """Remove a temporary of ours that nobody has ever seen under another name."""
        status = self.status(slot) if is_temporary(slot.name) else None
        if status is None:
            return
        if status.kind == "folder":
            self.remove_tree(slot, None, _remove)
        else:
            self.unlink(slot)

    def remove_tree(self, slot: Slot, seal: Seal | None, remove: Remove) -> bool:
        """Remove what was sealed inside a folder (None: everything) by `remove`; whether nothing else was in it."""
        top = self.where(slot.folder)
        folders: list[tuple[Location, bytes, FolderId]] = []
        pending = [(top, slot.name, b"")]
        clean = True
        while pending:
            above, name, prefix = pending.pop()
            where = above.child(name)
            try:
                folder, identity = self._open_to_empty(where)
            except FilewrightError as error:
                if error.code is Code.NOT_FOUND:
                    continue
                raise
            folders.append((above, name, identity))
            for below in folder.names():
                kind = kind_of(folder.stat(below))
                wanted = Seal(kind) if seal is None else seal.inside.get(prefix + below)
                if wanted is None or wanted.kind != kind:
                    clean = False
                elif kind == "folder":
                    pending.append((where, below, prefix + below + b"/"))
                else:
                    clean &= remove(folder, below, wanted)
            del folder
        for above, name, identity in reversed(folders):
            # Before Windows 10 a name stays as long as anybody holds what has it, and so does the folder above.
            self._folders.let_go(identity)
            try:
                self._folders.open(above)[0].remove_folder(name)
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                clean = False
        return clean

    def _open_to_empty(self, where: Location) -> tuple[Folder, FolderId]:
        """Open a folder that is to be removed; what is in a read-only one could not be removed."""
        folder, identity = self._folders.open(where)
        status = folder.status()
        if not status.mode & stat.S_IWUSR and status.uid == system.effective_user():
            folder.set_own_mode(status.mode | stat.S_IRWXU)
        return folder, identity


def _remove(folder: Folder, name: bytes, _: Seal) -> bool:
    folder.remove(name)
    return True


def matches(folder: Folder, name: bytes, seal: Seal, status: Status | None = None) -> bool:
    """Whether what has that name is what the seal describes: by content where it is known."""
    try:
        status = status or folder.stat(name)
        if kind_of(status) != seal.kind:
            return False
        if seal.kind == "link":
            return folder.read_link(name) == seal.target
        if seal.kind == "file" and seal.digest is not None:
            with folder.open(name, seen=True) as file:
                return file_matches(file, seal)
    except FileNotFoundError:
        return False
    if seal.inode is None:
        return seal.kind == "folder"
    return same_status(status, seal)


def file_matches(file: File, seal: Seal) -> bool:
    """Whether an open file is what the seal describes: by content where it is known."""
    status = file.status()
    if seal.digest is None:
        return same_status(status, seal)
    return status.size == seal.size and digest_of(file) == seal.digest


def looks_like(folder: Folder, name: bytes, seal: Seal) -> bool:
    """Whether what has that name is the very thing that was sealed, by its inode, size and time."""
    try:
        status = folder.stat(name)
    except FileNotFoundError:
        return False
    return kind_of(status) == seal.kind and (seal.inode is None or same_status(status, seal))


def same_status(status: Status, seal: Seal) -> bool:
    """Whether a status is that of the very thing that was sealed, unchanged by its size and time."""
    return status.inode == seal.inode and (
        seal.kind != "file"
        or seal.size is None
        or (status.size == seal.size and status.mtime_ns == seal.mtime_ns)
    )
