"""The slots of a plan on the disk, and the system calls on them."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable
from contextlib import suppress

from filewright import system
from filewright.boundary.location import Location
from filewright.boundary.names import is_temporary
from filewright.changes.database import Flusher
from filewright.changes.file_match import FileMatch, match_name
from filewright.changes.flushing import MANY_HANDLES, FlushQueue
from filewright.changes.folder_search import FolderSearch
from filewright.changes.model import RECORDED_KINDS, FileState, RecordedPath
from filewright.changes.open_folders import FolderId, OpenFolders
from filewright.changes.plan_folders import KnownFolders, PlanFolders
from filewright.changes.rename_plan import OperationKind, RenamePlan, Slot
from filewright.errors import Code, FilewrightError
from filewright.system import Folder, RenameMode, Status

_NO_EXCHANGE_ERRORS = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)

RemoveFile = Callable[[Folder, bytes, FileState], bool]
"""Remove a file with a state from an open folder; return False if it stays."""


class PlanSlots:
    """The slots of one plan, on the disk."""

    def __init__(
        self,
        open_folders: OpenFolders,
        plan: RenamePlan,
        *,
        search: FolderSearch | None = None,
        known_folders: KnownFolders | None = None,
    ) -> None:
        self.plan = plan
        self._open_folders = open_folders
        self._folders = PlanFolders(
            open_folders.boundary,
            open_folders,
            plan,
            search=search,
            known_folders=known_folders,
        )

    # Folders

    def folder(self, slot: Slot) -> Folder:
        """Return the folder of a slot, wherever it is now.

        Raise `FileNotFoundError` if it is nowhere.
        """
        return self._folders.get(slot.folder)

    def location(self, slot: Slot) -> Location:
        """Return the location of a slot at this moment."""
        return self._folders.locate(slot.folder).child(slot.name)

    def recorded_path(self, slot: Slot) -> RecordedPath:
        """Return the path of a slot as the plan has it."""
        return self.plan.recorded_path(slot)

    def display_path(self, slot: Slot) -> str:
        """Return the path of a slot for messages."""
        return self._folders.location_of(
            self.plan.recorded_path(slot)
        ).display_path

    def search_again(self) -> None:
        """Search the workspace for moved folders again."""
        self._folders.search_again()

    def flush_folders(
        self,
        flusher: Flusher,
        queue: FlushQueue | None = None,
        *,
        rolled_back: bool = False,
    ) -> None:
        """Flush every folder in which operations act.

        Folders into which something was moved come first. A disk that keeps no order
        among folders would otherwise have it in neither folder after a power cut.
        """
        slots: dict[int, Slot] = {}
        receiving: set[int] = set()
        for operation in self.plan.operations:
            for slot in operation.slots:
                slots[slot.folder] = slot
            source, target = operation.source.folder, operation.target.folder
            if operation.kind is OperationKind.MOVED and source != target:
                receiving.add(source if rolled_back else target)
        if queue is None:
            queue = FlushQueue(flusher, is_long=len(slots) > MANY_HANDLES)
        for numbers in (receiving, slots.keys() - receiving):
            for number in sorted(numbers):
                if self._folders.device(number) not in queue.devices:
                    # A folder may be gone with all that was in it.
                    with suppress(FileNotFoundError):
                        queue.add(self._folders.get(number))
            queue.flush()

    # Looking

    def status(self, slot: Slot) -> Status | None:
        """Return the status of the file in a slot, or None.

        Raise `FileNotFoundError` if the folder of the slot is nowhere. A folder that
        the change made itself may be gone again: then there is nothing in it.
        """
        try:
            folder = self.folder(slot)
        except FileNotFoundError:
            if self.plan.folders[slot.folder].is_new:
                return None
            raise
        with suppress(FileNotFoundError):
            return folder.stat(slot.name)
        return None

    def match(
        self, slot: Slot, state: FileState, *, hash_up_to: int | None = None
    ) -> FileMatch:
        """Compare the file in a slot with a file state. Raise as `status` does."""
        if self.status(slot) is None:
            return FileMatch.MISSING
        return match_name(
            self.folder(slot), slot.name, state, hash_up_to=hash_up_to
        )

    def is_known_inode_anywhere(self, state: FileState) -> bool:
        """Return True if the file with the inode of a state is in any of its slots."""
        slots = self._folders.slots_by_inode[state.inode]
        return any(self.match(slot, state).is_same_inode for slot in slots)

    def matches_tree(self, slot: Slot, state: FileState) -> bool:
        """Return True if a folder holds exactly the files of its state.

        Files are compared by name, inode and time. Later writes to them are
        noticed when they are removed, since they are hashed then.
        """
        remaining = len(state.descendants)
        pending = [(self.location(slot), b"")]
        while pending:
            location, prefix = pending.pop()
            folder, _ = self._open_folders.open(location)
            for name in folder.names():
                expected = state.descendants.get(prefix + name)
                try:
                    status = folder.stat(name)
                except FileNotFoundError:
                    return False
                if (
                    expected is None
                    or RECORDED_KINDS[status.kind] != expected.kind
                    or not expected.matches_status(status)
                ):
                    return False
                remaining -= 1
                if expected.kind == "folder":
                    pending.append((location.child(name), prefix + name + b"/"))
        return remaining == 0

    def is_half_renamed(self, source: Slot, target: Slot) -> bool:
        """Return True if two slots have the same file.

        A rename by link and unlink that was interrupted leaves both names.
        """
        source_status, target_status = self.status(source), self.status(target)
        if source_status is None or target_status is None:
            return False
        return source_status.identity == target_status.identity

    # Moving

    def rename(
        self, source: Slot, target: Slot, mode: RenameMode = "exclusive"
    ) -> None:
        """Rename a file.

        Raise `FileExistsError` if `mode` is "exclusive" and the target is taken.
        """
        self.folder(source).rename(
            source.name, self.folder(target), target.name, mode
        )

    def exchange(self, source: Slot, target: Slot, backup: Slot) -> Slot:
        """Exchange two slots; return the slot that has the displaced file.

        That is the source, or the backup where the file system cannot exchange names.
        Even then the target is never empty in between, except for folders and where
        there are no hard links.
        """
        try:
            self.rename(source, target, "exchange")
        except OSError as error:
            if error.errno not in _NO_EXCHANGE_ERRORS:
                raise
        else:
            return source
        if self._link_backup(source, target, backup):
            self.rename(source, target, "replace")
            return backup
        # For a moment nothing has the target's name; a file that another process saves
        # there meanwhile is not overwritten.
        self.rename(
            target,
            backup,
            "replace" if is_temporary(backup.name) else "exclusive",
        )
        self.rename(source, target, "exclusive")
        return backup

    def _link_backup(self, source: Slot, target: Slot, backup: Slot) -> bool:
        """Give the file in the target a second name; return False if that fails."""
        if self.folder(source).stat(source.name).kind == "folder":
            return False
        try:
            self.folder(target).link(
                target.name, self.folder(backup), backup.name
            )
        except OSError:
            return False
        return True

    def unlink(self, slot: Slot) -> None:
        """Remove a name of a file or link."""
        self.folder(slot).remove(slot.name)

    def discard_temporary(self, slot: Slot) -> None:
        """Remove a temporary that never had another name, if there is one."""
        if not is_temporary(slot.name):
            return
        status = self.status(slot)
        if status is None:
            return
        if status.kind == "folder":
            self.remove_tree(slot)
        else:
            self.unlink(slot)

    def remove_tree(
        self,
        slot: Slot,
        state: FileState | None = None,
        remove_file: RemoveFile | None = None,
    ) -> bool:
        """Remove a folder; return False if something in it stays.

        With a file state, only the files that it names are removed, by `remove_file`.
        """
        is_clean = True
        emptied: list[tuple[Location, FolderId]] = []
        pending = [(self.location(slot), b"")]
        while pending:
            location, prefix = pending.pop()
            try:
                folder, identity = self._open_folders.open(location)
            except FilewrightError as error:
                if error.code is not Code.NOT_FOUND:
                    raise
                # It was removed before a crash, or by another process.
                continue
            _make_writable(folder)
            emptied.append((location, identity))
            for name in folder.names():
                kind = RECORDED_KINDS[folder.stat(name).kind]
                if state is None:
                    expected: FileState | None = FileState(kind)
                else:
                    expected = state.descendants.get(prefix + name)
                if expected is None or expected.kind != kind:
                    # Another process has put it there.
                    is_clean = False
                elif kind == "folder":
                    pending.append((location.child(name), prefix + name + b"/"))
                elif remove_file is None:
                    folder.remove(name)
                elif not remove_file(folder, name, expected):
                    is_clean = False
            # The loop variable would hold the last folder open while it is removed.
            del folder
        for location, identity in reversed(emptied):
            if not self._remove_empty_folder(location, identity):
                is_clean = False
        return is_clean

    def _remove_empty_folder(
        self, location: Location, identity: FolderId
    ) -> bool:
        # Windows before 10 keeps a name as long as the folder is held open, and with it
        # the folder above.
        self._open_folders.release(identity)
        parent, _ = self._open_folders.open(location.parent)
        try:
            parent.remove_folder(location.name)
        except OSError as error:
            # Some systems say EEXIST of a folder that is not empty.
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            return False
        return True


def _make_writable(folder: Folder) -> None:
    """Give the owner all rights to a folder, so that entries can be removed."""
    status = folder.status()
    if (
        not status.mode & stat.S_IWUSR
        and status.uid == system.effective_user_id()
    ):
        folder.set_own_mode(status.mode | stat.S_IRWXU)
