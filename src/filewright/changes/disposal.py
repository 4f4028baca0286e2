"""The removal of displaced and staged files, and the rescue of others' versions.

A file is removed only if it still is what the plan says, and no other program writes to
it. Any other version is moved to the state folder's `kept`, or gets another name in the
same folder.
"""

from __future__ import annotations

import errno
import threading
import time
from contextlib import suppress

from filewright.boundary.names import is_temporary, quote
from filewright.changes.blobs import copy_blocks
from filewright.changes.file_match import match_name, match_open_file
from filewright.changes.log import Log
from filewright.changes.model import FileState, format_change_id
from filewright.changes.outcome import Outcome
from filewright.changes.rename_plan import RenameOperation, Slot
from filewright.changes.slots import PlanSlots
from filewright.system import File, Folder

_SLOW_TO_FREE_BYTES = 16 << 20
_MAX_SIBLINGS = 1000
_WRITTEN_LATE = "was also written by another program during the change"


class Disposal:
    """Removes files of one plan, or keeps them if another program has changed them."""

    def __init__(self, slots: PlanSlots, log: Log, outcome: Outcome) -> None:
        self._slots = slots
        self._log = log
        self._outcome = outcome
        self._closing: threading.Thread | None = None

    # Removing

    def remove_tree(
        self, slot: Slot, state: FileState, operation: RenameOperation
    ) -> None:
        """Remove the files of a folder that its state names, and keep all others."""

        def remove_file(
            folder: Folder, name: bytes, expected: FileState
        ) -> bool:
            # Files of a new folder have no recorded inode: only their content counts.
            if expected.kind == "file" and expected.inode is not None:
                return self.remove_file(folder, name, expected, operation)
            is_known = expected.kind == "file" and expected.digest is not None
            if (
                is_known
                and not match_name(folder, name, expected).is_same_content
            ):
                return False
            folder.remove(name)
            return True

        if self._slots.remove_tree(slot, state, remove_file):
            return
        display_path = self._slots.display_path(operation.visible_slot)
        if not is_temporary(slot.name):
            self._outcome.conflicts.append(
                f"{display_path}: another program has put files into it; they "
                "stay"
            )
        elif display_path not in self._outcome.waiting:
            # The rest of the folder belongs to other programs: it is kept as a whole.
            self.keep(
                self._slots.folder(slot),
                slot.name,
                operation,
                "got new entries from another program while it was deleted",
            )

    def remove_file(
        self,
        folder: Folder,
        name: bytes,
        state: FileState,
        operation: RenameOperation,
    ) -> bool:
        """Remove a file unless another program writes to it; return False if it stays.

        If another program has written to it, that version is kept in the state folder.
        """
        try:
            file = folder.open(name, known_file=True)
        except FileNotFoundError:
            # Removed before a crash, or by the user.
            return True
        self._outcome.cleaned_files += 1
        try:
            return self._remove_open_file(file, folder, name, state, operation)
        finally:
            self._close(file)

    def _remove_open_file(
        self,
        file: File,
        folder: Folder,
        name: bytes,
        state: FileState,
        operation: RenameOperation,
    ) -> bool:
        with file.watch_for_writers() as has_no_writers:
            is_quiet, status = has_no_writers(), file.status()
            hash_up_to = self._log.settings.identity_bytes
            if is_quiet:
                match = match_open_file(file, state, hash_up_to=hash_up_to)
                if not match.is_same_content:
                    return self.keep(folder, name, operation, _WRITTEN_LATE)
            # Asked again, for an open that began before the file was displaced.
            if not (is_quiet and has_no_writers()):
                display_path = self._slots.display_path(operation.visible_slot)
                self._outcome.waiting.append(display_path)
                return False
            with suppress(FileNotFoundError):
                folder.remove(name)
            status_now = file.status()
            if (status_now.size, status_now.mtime_ns) == (
                status.size,
                status.mtime_ns,
            ):
                return True
            # Written to between the comparison and the removal: give it a name again.
            with folder.create(name) as copy:
                copy_blocks(file, copy)
            return self.keep(folder, name, operation, _WRITTEN_LATE)

    def _close(self, file: File) -> None:
        """Close a file; in the background if that frees many blocks.

        The last close of a removed file frees its blocks, half a second a gigabyte.
        """
        status = file.status()
        if status.link_count or status.size <= _SLOW_TO_FREE_BYTES:
            file.close()
            return
        if self._closing is not None:
            self._closing.join()
        self._closing = threading.Thread(target=file.close, daemon=True)
        self._closing.start()

    # Keeping

    def report_conflict(self, operation: RenameOperation, reason: str) -> None:
        """Report a conflict in which nothing has to be moved."""
        display_path = self._slots.display_path(operation.visible_slot)
        self._outcome.conflicts.append(f"{display_path} {reason}")

    def keep_slot(
        self, slot: Slot, operation: RenameOperation, reason: str
    ) -> None:
        """Move the file in a slot to the state folder, and report a conflict."""
        self.keep(self._slots.folder(slot), slot.name, operation, reason)

    def keep(
        self,
        folder: Folder,
        name: bytes,
        operation: RenameOperation,
        reason: str,
    ) -> bool:
        """Move a file to the state folder, and report a conflict.

        Return False if there was no room: then it stays under its temporary name, and
        the next recovery tries again.
        """
        slot = operation.visible_slot
        display_path = self._slots.display_path(slot)
        kept_name = (
            format_change_id(time.time_ns()).encode() + b"-" + slot.name[:100]
        )
        try:
            with self._log.state.folder(b"kept") as kept_folder:
                _move_to_other_folder(folder, name, kept_folder, kept_name)
                self._log.flusher.one(kept_folder)
        except OSError:
            self._outcome.waiting.append(display_path)
            return False
        kept_path = quote(self._log.state.at(b"kept", kept_name))
        self._outcome.conflicts.append(
            f"{display_path} {reason}; the other version is kept as {kept_path}"
        )
        return True

    def keep_as_sibling(self, slot: Slot, target: Slot) -> None:
        """Give a save another name, since a later save has taken its own."""
        for number in range(1, _MAX_SIBLINGS):
            suffix = b".other-save"
            if number > 1:
                suffix += b"-%d" % number
            sibling = Slot(target.folder, target.name[:200] + suffix)
            try:
                self._slots.rename(slot, sibling)
            except FileExistsError:
                continue
            display_path = self._slots.display_path(target)
            self._outcome.partially_applied.append(display_path)
            self._outcome.conflicts.append(
                f"{display_path} was saved twice by another program during "
                "the change; both versions stay, the earlier one as "
                f"{self._slots.display_path(sibling)}"
            )
            return


def _move_to_other_folder(
    folder: Folder, name: bytes, target: Folder, target_name: bytes
) -> None:
    """Rename a file, or copy it if it is on another file system or may not move."""
    try:
        folder.rename(name, target, target_name, "exclusive")
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EPERM, errno.EACCES):
            raise
        _move_by_copying(folder, name, target, target_name)


def _move_by_copying(
    folder: Folder, name: bytes, target: Folder, target_name: bytes
) -> None:
    """Copy a file, link or folder, and remove the original."""
    status = folder.stat(name)
    kind = status.kind
    if kind == "folder":
        target.make_folder(target_name, 0o700)
        with (
            folder.open_folder(name) as source,
            target.open_folder(target_name) as copy,
        ):
            for child in source.names():
                _move_by_copying(source, child, copy, child)
            copy.set_own_mode(source.status().mode)
        folder.remove_folder(name)
        return
    if kind == "link":
        target.make_link(target_name, folder.read_link(name))
    elif kind == "fifo":
        target.make_fifo(target_name, status.mode)
    elif kind == "file":
        with folder.open(name) as file, target.create(target_name) as copy_file:
            try:
                copy_blocks(file, copy_file)
                copy_file.set_own_mode(file.status().mode)
            except OSError:
                target.remove(target_name)
                raise
    folder.remove(name)
