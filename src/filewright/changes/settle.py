"""Doing the operations of a plan, rolling back whatever of them was done, cleaning up once they are committed; and
doing one of the last two for what an earlier process left.

All three look only at what is in each slot and never at how far anything came, so the same code serves a
commit that fails and the recovery after a crash, and may itself be interrupted anywhere and
repeated. What is neither as it was before nor as we made it is somebody else's: it stays, or goes
back to its place, and what we hold of another version is kept and reported. What cannot be settled
is left alone and named, with the operations that share a slot with it; the rest is settled.

A recovery comes under the lock, before anything else. An intent goes back: its caller never heard of success. A
committed change goes forward, which by then only means removing what was displaced. A record that is torn or not sealed
with our key is set aside. What cannot be settled is kept, and is in the way of nothing but its own files.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from filewright.boundary.location import is_temporary, quote
from filewright.changes.blobs import (
    BlobSource,
    compute_digest,
    content_after,
    copy_blocks,
)
from filewright.changes.log import (
    UNFINISHED,
    UnreadablePlanError,
    damaged_change_record,
)
from filewright.changes.model import (
    RECORDED_KINDS,
    ChangeRecord,
    FileState,
    RecordedPath,
    format_change_id,
    visibility_check,
)
from filewright.changes.rename_plan import (
    OperationKind,
    RenameOperation,
    RenamePlan,
    Slot,
)
from filewright.changes.rollback import (
    LEAVES_OURS_POSSIBLE,
    ROLLBACK_TABLE,
    RollbackAction,
    SlotContent,
    classify_slot,
)
from filewright.changes.slots import (
    SAME_CONTENT,
    SAME_INODE,
    FlushQueue,
    FolderMissingError,
    FolderSearch,
    OpenFolders,
    PlanSlots,
    look,
    look_at,
)
from filewright.errors import (
    FilewrightError,
    appeared_meanwhile,
    changed_since_read,
    from_os_error,
    not_rolled_back,
)
from filewright.system import Folder
from filewright.wording import join_limited

if TYPE_CHECKING:
    from filewright.changes.database import Row
    from filewright.changes.log import Log

_SLOW_TO_FREE = 16 << 20
_LARGE = 1000
_TOLD = 5
"""Files of a change that was taken back which are named."""
_WRITTEN_LATE = "was written to by another program while it was changed"
_EDITED = "has other content than the change gave it or found there: it stays"
_NEW = "was new, and has been edited by somebody else: it stays"
_SAVED = "was saved twice by another program while it was changed: the later save stays"
_LOST = "what it held before is gone from beside it; only the undo data has it"
_LEFT = "something that rules keep from agents is left of an earlier change; `filewright doctor` names it"
_WAY_OUT = (
    "; `filewright doctor --leave {0}` leaves its files as they are and calls it made"
)
_NOT_CLEANED = (
    "what the change {} displaced could not be removed, since its plan in the log is damaged: it is made and can be "
    "undone, but files named .fw~… may be left beside its files"
)
_NOT_VERIFIED = (
    "the plan of the unfinished change {} cannot be verified, so it was neither made nor taken back: its files stay as "
    "they are"
)
_TAKEN = "stays where it was moved to, since its old name was taken meanwhile"


class RestoredContent(NamedTuple):
    """The size and digest of a content that a rollback put back."""

    size: int
    digest: str


class Recovery:
    """What settling found, of one operation or of several.

    `conflicts` are others' doings, to be reported; `waiting` are paths that a program still holds open; `unsettled`
    are operations that could not be settled, each with why; `rolled_back` and `finished` are ids, `set_aside`
    operations; `taken_back` says what became of the files of those that were rolled back. `secret` are those sentences
    that may name what is denied: they are not for agents.

    Of one, `cleaned` counts what was still there to be cleaned up, and `aside` names it, if it was set aside. `stays`
    are the paths where what it made may still be there, with what others have made of it. `given_back` is the content
    that each file got back which had shown the change for a moment.
    """

    def __init__(
        self, *, conflicts: Iterable[str] = (), unsettled: Iterable[str] = ()
    ) -> None:
        self.conflicts = [*conflicts]
        self.waiting: list[str] = []
        self.unsettled = [*unsettled]
        self.rolled_back: list[str] = []
        self.finished: list[str] = []
        self.set_aside: list[str] = []
        self.secret: set[str] = set()
        self.taken_back: list[str] = []
        self.cleaned = 0
        self.aside = ""
        self.stays: list[str] = []
        self.given_back: dict[RecordedPath, RestoredContent] = {}

    @property
    def notes(self) -> list[str]:
        """What an agent may know of it."""
        said = [*self.taken_back, *self.conflicts, *self.unsettled]
        shown = [note for note in said if note not in self.secret]
        return shown if len(shown) == len(said) else [*shown, _LEFT]

    @property
    def clean(self) -> bool:
        """Whether there was nothing to do."""
        return not any(vars(self).values())

    def add(self, more: Recovery) -> None:
        """What was found of others too."""
        for name in (
            "rolled_back",
            "finished",
            "set_aside",
            "conflicts",
            "waiting",
            "taken_back",
        ):
            getattr(self, name).extend(getattr(more, name))
        self.unsettled += [why for why in more.unsettled if why not in self.unsettled]
        self.secret |= more.secret


class Settlement(PlanSlots):
    """The operations of one plan: done, rolled back, or cleaned up after. `findings` are those of the newest of these.

    What the files of a record were to hold, that is rolled back, is known as far as it is kept.
    """

    findings: Recovery
    _record: ChangeRecord | None = None
    _freeing: threading.Thread | None = None

    def publish(self) -> None:
        """Do every operation, in order. Raises on the first that cannot be done; nothing is rolled back."""
        # Displaced folders are looked through once everything has been moved out of them.
        folders: dict[Slot, FileState] = {}
        most = self.log.settings.identity_bytes
        for put in self.plan.operations:
            how, wanted, displaced = put.kind, put.after, put.before
            carrier, place, spare = put.slots
            try:
                if how is OperationKind.RIGHTS:
                    if not self._alter(put, forward=True):
                        raise changed_since_read(self.shown(place))
                    continue
                if displaced is not None:
                    left, wanted = self.swap(carrier, place, spare), displaced
                else:
                    self.rename(carrier, place)
                    if how is OperationKind.STAGED:
                        continue
                    left = place
                # The compare of the compare-and-swap: is what we displaced what we meant to?
                if (
                    look(self.holder(left), left.name, wanted, hash_up_to=most)
                    not in SAME_CONTENT
                ):
                    if displaced is None:
                        # A save of a moment ago goes back to where it was made.
                        with suppress(FileExistsError):
                            self.rename(place, carrier)
                    raise stale(self.shown(put.visible_slot))
                if how is OperationKind.MOVED and left == carrier:
                    self.rename(carrier, spare)
                    left = spare
                if wanted.kind == "folder" and (
                    displaced is not None or how is OperationKind.DELETED
                ):
                    folders[left] = wanted
            except OSError as error:
                shown = self.shown(put.visible_slot)
                if error.errno == errno.EEXIST:
                    raise appeared_meanwhile(shown) from error
                if error.errno == errno.ENOENT:
                    raise changed_since_read(shown) from error
                raise from_os_error(error, shown, doing="replace") from error
        for slot, stamp in folders.items():
            if not self.holds_tree(slot, stamp):
                raise changed_since_read(self.shown(slot))
        self.flush()

    def _alter(self, put: RenameOperation, *, forward: bool) -> bool:
        """Set, or set back, mode and owner; False if the thing is not there or is not as it was.

        Nothing is done to what was never altered: whoever may not set a mode may not set it back.
        """
        assert put.before is not None
        old, new = (put.before, put.after) if forward else (put.after, put.before)
        folder, name = self.holder(put.target), put.target.name
        try:
            status = folder.stat(name)
            if (status.inode, RECORDED_KINDS[status.kind]) != (new.inode, new.kind):
                return False
            owner, wanted = (status.uid, status.gid), (new.uid, new.gid)
            if (status.mode, owner) == (new.mode, wanted):
                return True
            # A change of the owner clears the setuid bits by itself.
            if owner not in ((old.uid, old.gid), wanted) or status.mode not in (
                old.mode,
                put.before.mode & 0o1777,
            ):
                return False
            if owner != wanted:
                folder.set_owner(name, *wanted, expected=status)
            folder.set_mode(name, new.mode, expected=status)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.ESTALE):
                return False
            raise
        try:
            thing = (
                folder.open_folder(name) if status.kind == "folder" else folder.open(name)
            )
        except OSError:
            # Not readable to us: its attributes reach the disk with the next flush of its folder.
            return True
        with thing:
            self.log.flusher.one(thing)
        return True

    def roll_back(self, record: ChangeRecord) -> Recovery:
        """Roll back whatever was done, last first, and remove its temporaries: then the operation never was, or is set
        aside if others have touched what it did."""
        found = self.findings = Recovery()
        self._record = record
        # Nothing is published before everything can be recognised: else there are only temporaries.
        take_back = self._take_back if self.plan.is_complete else self._discard_made
        unsettled: set[Slot] = set()
        for put in reversed(self.plan.operations):
            # One that depends on what is not settled is left alone too.
            if unsettled.isdisjoint(put.slots):
                try:
                    take_back(put)
                    continue
                except (OSError, FilewrightError) as error:
                    found.unsettled.append(
                        f"{self.shown(put.visible_slot)}: {reason(error)}"
                    )
            unsettled.update(put.slots)
        try:
            self.flush(back=True)
        except (OSError, FilewrightError) as error:
            found.unsettled.append(f"the disk did not confirm it: {reason(error)}")
        # What others may still be writing to stays under its temporary name until a recovery finds it closed.
        found.unsettled += (
            f"{shown}: another program has it open" for shown in found.waiting
        )
        if not found.unsettled:
            if found.conflicts:
                found.aside = self.log.leave(record.number, "aside")
            else:
                self.log.forget(record.number)
        return found

    def clean_up(self, record: ChangeRecord) -> Recovery:
        """After the commit: remove what was displaced, but nothing that somebody still writes to."""
        found = self.findings = Recovery()
        for put in self.plan.operations:
            # What each has displaced has a name of its own: none depends on another.
            try:
                self._clean_up_after(put)
            except (OSError, FilewrightError) as error:
                found.unsettled.append(
                    f"{self.shown(put.visible_slot)}: {reason(error)}"
                )
        if not (found.waiting or found.unsettled):
            if len(record.entries) <= _LARGE:
                self.log.cleaned.add(record.number)
            else:
                # To read it again, and settle it with others, would hold a later call up.
                with suppress(OSError, FilewrightError):
                    self.flush()
                    self.log.settled((record.number,))
        if found.conflicts:
            try:
                self.log.annotate(record.number, found.conflicts)
            except (OSError, FilewrightError) as error:
                found.conflicts.append(
                    f"this could not be written to the history: {error}"
                )
        return found

    # Rolling back

    def _discard_made(self, operation: RenameOperation) -> None:
        """Remove the temporary of what was to be made."""
        if operation.kind is OperationKind.STAGED:
            with suppress(
                FileNotFoundError
            ):  # Its folder is gone, and the temporary with it.
                self.discard(operation.source)

    def _take_back(self, operation: RenameOperation) -> None:
        """Undo an operation as far as it was done."""
        if operation.kind is OperationKind.RIGHTS:
            self._alter(operation, forward=False)
        elif operation.before is not None:
            self._swap_back(operation, operation.before)
        elif operation.kind is OperationKind.STAGED:
            self._unmake(operation)
        else:
            self._move_back(operation)

    def _unmake(self, put: RenameOperation) -> None:
        """Something new: a file goes out of sight first, is looked at again, then removed, so that no edit is lost."""
        carrier, place = put.source, put.target
        found = self.look(place, put.after)
        if found in SAME_INODE and put.after.kind == "folder":
            self._remove_tree(place, put.after, put)
            self.findings.taken_back.append(f"{self.shown(place)} removed")
            return
        self.discard(carrier)
        if found not in SAME_INODE:
            return  # Not published, or removed by somebody since: what is there now is not ours.
        if found == "same":
            self.rename(place, carrier)
            if self.look(carrier, put.after) in SAME_CONTENT:
                self._put_away(put, carrier)
                self.findings.taken_back.append(f"{self.shown(place)} removed")
                return
            try:
                self.rename(carrier, place)
            except FileExistsError:
                self._beside(carrier, place)
                return
        self._conflict(put, _NEW)

    def _move_back(self, put: RenameOperation) -> None:
        """Something moved, or gone to a temporary name: back to where it was, unless that is taken."""
        carrier, place, _ = put.slots
        gone = put.kind is OperationKind.DELETED
        waiting = self.status(carrier) is not None
        if not (
            self.status(place) if gone else self.look(place, put.after) in SAME_INODE
        ):
            if waiting:
                return
            if gone:
                raise OSError(0, _LOST)
            if not any(
                self.look(slot, put.after) in SAME_INODE
                for slot in self.ways[put.after.inode]
            ):
                self._conflict(
                    put,
                    "was moved there, and somebody has moved it on: it stays where it is",
                )
        elif self.half_linked(carrier, place):
            self.unlink(place)
        elif not (gone and waiting):
            self._put_away(put, place)
            self.findings.taken_back.append(
                f"{self.shown(put.visible_slot)} moved back"
            )
        elif self.look(place, put.after) in (*SAME_INODE, *SAME_CONTENT):
            self._conflict(put, "has been made anew by somebody else: it stays", place)
        else:
            self._beside(place, carrier)

    def _content(
        self, slot: Slot, put: RenameOperation, before: FileState
    ) -> SlotContent:
        """Classify what is in a slot of a replacement."""
        return classify_slot(
            original=self.look(slot, before),
            ours=self.look(slot, put.after),
            is_staged_file=put.kind is OperationKind.STAGED
            and put.after.kind != "folder",
            keeps_content=before.digest is not None
            and before.digest == put.after.digest,
        )

    def _swap_back(self, put: RenameOperation, before: FileState) -> None:
        """Take a replacement back, as the table of rollbacks says for what is in its slots."""
        carrier, place, spare = put.slots
        # A rename or an exchange that is not one step may have stopped half way, with two names.
        if self.half_linked(spare, place) or self.half_linked(spare, carrier):
            self.discard(spare)
            if (
                self.status(spare) is not None
            ):  # As Windows before 10: once it is let go of.
                raise OSError(errno.ETXTBSY, "another program has it open")
        if self.half_linked(carrier, place):
            self.unlink(carrier)
        backup, other = (
            (spare, carrier) if self.status(spare) is not None else (carrier, spare)
        )
        at_place, in_backup = (
            self._content(place, put, before),
            self._content(backup, put, before),
        )
        if (
            in_backup is SlotContent.FOREIGN
            and put.kind is OperationKind.STAGED
            and self._is_unfinished(backup, put.after)
        ):
            in_backup = SlotContent.UNFINISHED
        action = ROLLBACK_TABLE[at_place][in_backup]
        match action:
            case RollbackAction.NOTHING:
                pass
            case RollbackAction.DISCARD_OURS:
                self._put_away(put, backup)
            case RollbackAction.EXCHANGE:
                self._note_given_back(put, backup)
                self.findings.taken_back.append(
                    f"{self.shown(put.visible_slot)} as before"
                )
                self._exchange_back(put, before, backup, other)
            case RollbackAction.RESTORE:
                self.rename(backup, place)
                self._put_away(put, other)
            case RollbackAction.KEEP_ORIGINAL:
                self._conflict(put, _EDITED, backup)
                self._put_away(put, other)
            case RollbackAction.KEEP_BACKUP:
                # A name that people know keeps what it has.
                if is_temporary(backup.name):
                    self._conflict(put, _SAVED, backup)
            case RollbackAction.REPORT_EDITED:
                self._conflict(put, _EDITED)
            case RollbackAction.REPORT_LOST:
                raise OSError(0, _LOST)
        if action in LEAVES_OURS_POSSIBLE and at_place is not SlotContent.MISSING:
            self.findings.stays.append(self.shown(place))

    def _note_given_back(self, put: RenameOperation, backup: Slot) -> None:
        """Note what a place is given back: another program may have read the change there, and save it later."""
        if put.kind is OperationKind.STAGED and put.after.kind == "file":
            with self.holder(backup).open(backup.name, known_file=True) as file:
                size = file.status().size
                place = self.plan.recorded_path(put.target)
                self.findings.given_back[place] = RestoredContent(
                    size, compute_digest(file, size=size)
                )

    def _exchange_back(
        self, put: RenameOperation, before: FileState, backup: Slot, other: Slot
    ) -> None:
        """Give the place what was displaced, and put our file away; but a newer save belongs in the place."""
        place = put.target
        ours = self.swap(backup, place, other)
        if put.kind is OperationKind.STAGED and put.after.kind != "folder":
            displaced = self._content(ours, put, before)
            if displaced not in (SlotContent.OURS, SlotContent.OURS_APPENDED):
                # Another program saved between the look and the exchange.
                ours = self.swap(ours, place, backup if ours == other else other)
                match self._content(ours, put, before):
                    case (
                        SlotContent.ORIGINAL
                        | SlotContent.EDITED_ORIGINAL
                        | SlotContent.EQUAL_COPY
                    ):
                        self._conflict(put, _EDITED, ours)
                        self.findings.stays.append(self.shown(place))
                        return
                    case SlotContent.OURS:
                        pass
                    case _:
                        self._beside(ours, place)
                        return
        self._put_away(put, ours)

    def _put_away(self, put: RenameOperation, slot: Slot) -> None:
        """What was moved goes to where it was; what was made is removed, but not what somebody has written to it."""
        after = put.after
        if (slot == put.source and put.kind is not OperationKind.STAGED) or self.status(
            slot
        ) is None:
            return
        if put.kind is not OperationKind.STAGED:
            try:
                self.rename(slot, put.source)
            except FileExistsError:
                self._conflict(put, _TAKEN, slot if is_temporary(slot.name) else None)
        elif after.kind == "folder":
            self._remove_tree(slot, after, put)
        elif after.digest is not None and not self._is_unfinished(slot, after):
            self._remove_file(self.holder(slot), slot.name, after, put)
        else:
            self.discard(slot)

    def _is_unfinished(self, carrier: Slot, after: FileState) -> bool:
        """Whether a temporary holds nothing but a part of what we were writing into it.

        An error or a kill ends the writing anywhere; a power cut takes blocks of it, which are zeros or missing then.
        """
        status = self.status(carrier)
        if status is None or status.kind != "file" or status.size > after.size:
            return False
        if after.inode not in (None, status.inode):
            return False  # Another program's save, which begins as ours does.
        if not status.size:
            return bool(after.size)
        if (
            self.look(carrier, after) in SAME_CONTENT
            or (whole := self._held(after)) is None
        ):
            return False
        with self.holder(carrier).open(carrier.name) as file:
            found = b"".join(file.blocks())
        if len(found) > len(whole):
            return False  # Somebody adds to it while it is read.
        alike = (
            mine in (0, theirs) for mine, theirs in zip(found, whole, strict=False)
        )
        return found == whole[: len(found)] or all(alike)

    def _held(self, after: FileState) -> bytes | None:
        """What a file that was to be made was to hold, as far as that is kept."""
        if (record := self._record) is None:
            return None
        keeper = BlobSource(self.log.contents, record.id, self.log.settings.hold_bytes)
        entries = (
            each
            for each in record.entries
            if each.after and each.after.digest == after.digest
        )
        with suppress(FilewrightError):  # Damaged undo data tells nothing.
            return next(
                (content_after(entry._replace(keeper=keeper)) for entry in entries),
                None,
            )
        return None

    # Cleaning up

    def _clean_up_after(self, put: RenameOperation) -> None:
        """Remove what a committed operation displaced."""
        if put.kind is OperationKind.DELETED:
            left, stamp = [put.target], put.after
        elif put.kind is not OperationKind.RIGHTS and put.before is not None:
            left, stamp = [put.backup, put.source], put.before
        else:
            return
        with suppress(
            FolderMissingError
        ):  # Deleted with all that was in it: nothing is left to be removed.
            for slot in left:
                if not is_temporary(slot.name):
                    continue
                if stamp.kind == "file":
                    self._remove_file(self.holder(slot), slot.name, stamp, put)
                elif self.status(slot) is not None:
                    self.findings.cleaned += 1
                    if stamp.kind == "folder":
                        self._remove_tree(slot, stamp, put)
                    else:
                        self.unlink(slot)

    def _remove_tree(self, slot: Slot, stamp: FileState, put: RenameOperation) -> None:
        """Remove exactly what a stamp says is in a folder; what others have put there stays, or is kept."""

        def remove(folder: Folder, name: bytes, below: FileState) -> bool:
            if below.kind == "file" and below.inode is not None:
                return self._remove_file(folder, name, below, put)
            known = below.kind == "file" and below.digest is not None
            if known and look(folder, name, below) not in SAME_CONTENT:
                return False
            folder.remove(name)
            return True

        if self.remove_tree(slot, stamp, remove):
            return
        shown = self.shown(put.visible_slot)
        if not is_temporary(slot.name):
            self.findings.conflicts.append(
                f"{shown}: others have put something into it; that stays"
            )
        elif shown not in self.findings.waiting:
            self._rescue(
                self.holder(slot), slot.name, put, "was added to while it was deleted"
            )

    def _remove_file(
        self, folder: Folder, name: bytes, before: FileState, put: RenameOperation
    ) -> bool:
        """Remove a displaced file unless somebody writes to it; keep it if somebody has written."""
        try:
            file = folder.open(name, known_file=True)
        except FileNotFoundError:
            return True  # Removed before a crash, or by a person: nothing left to do.
        self.findings.cleaned += 1
        try:
            with file.watch_for_writers() as nobody_writes:
                quiet, status = nobody_writes(), file.status()
                most = self.log.settings.identity_bytes
                if quiet and look_at(file, before, hash_up_to=most) not in SAME_CONTENT:
                    return self._rescue(folder, name, put, _WRITTEN_LATE)
                # Asked again, for an open that began before the file was displaced.
                if not (quiet and nobody_writes()):
                    self.findings.waiting.append(self.shown(put.visible_slot))
                    return False
                with suppress(FileNotFoundError):
                    folder.remove(name)
                now = file.status()
                if (now.size, now.mtime_ns) == (status.size, status.mtime_ns):
                    return True
                with folder.create(
                    name
                ) as again:  # Written between the look and the removal.
                    copy_blocks(file, again)
                return self._rescue(folder, name, put, _WRITTEN_LATE)
        finally:
            status = file.status()
            if status.link_count or status.size <= _SLOW_TO_FREE:
                file.close()
            else:
                # The last close of a removed file frees its blocks, half a second a GB: that goes on on the side.
                if self._freeing is not None:
                    self._freeing.join()
                self._freeing = threading.Thread(target=file.close, daemon=True)
                self._freeing.start()

    # Reporting

    def _conflict(
        self, put: RenameOperation, why: str, holder: Slot | None = None
    ) -> None:
        """Report a conflict, and keep what `holder` holds."""
        if why == _NEW:
            self.findings.stays.append(self.shown(put.visible_slot))
        if holder is None:
            self.findings.conflicts.append(f"{self.shown(put.visible_slot)} {why}")
        else:
            self._rescue(self.holder(holder), holder.name, put, why)

    def _rescue(
        self, folder: Folder, name: bytes, put: RenameOperation, why: str
    ) -> bool:
        """Keep something in the state folder; False if there was no room: then it waits where it is."""
        shown = self.shown(put.visible_slot)
        kept_as = (
            format_change_id(time.time_ns()).encode()
            + b"-"
            + put.visible_slot.name[:100]
        )
        try:
            with self.log.state.folder(b"kept") as kept:
                try:
                    folder.rename(name, kept, kept_as, "exclusive")
                except OSError as error:
                    if error.errno not in (errno.EXDEV, errno.EPERM, errno.EACCES):
                        raise
                    _move_by_copying(folder, name, kept, kept_as)
                self.log.flusher.one(kept)
        except OSError:
            # It stays under its temporary name, and the next recovery tries again.
            self.findings.waiting.append(shown)
            return False
        at = quote(self.log.state.at(b"kept", kept_as))
        self.findings.conflicts.append(
            f"{shown} {why}; the other version is kept as {at}"
        )
        return True

    def _beside(self, holder: Slot, place: Slot) -> None:
        """Give somebody's save, whose place was taken by a newer one, a name of its own beside it."""
        for number in range(1, 1000):
            name = place.name[:200] + (
                b".other-save" if number == 1 else b".other-save-%d" % number
            )
            target = Slot(place.folder, name)
            try:
                self.rename(holder, target)
            except FileExistsError:
                continue
            self.findings.stays.append(self.shown(place))
            self.findings.conflicts.append(
                f"{self.shown(place)} was saved twice by another program while it was changed; "
                f"both saves stay, the earlier one as {self.shown(target)}"
            )
            return


def reason(error: OSError | FilewrightError) -> str | None:
    """Why something could not be done."""
    return error.message if isinstance(error, FilewrightError) else error.strerror


def _move_by_copying(folder: Folder, name: bytes, to: Folder, to_name: bytes) -> None:
    """Move a file, link or folder to another file system."""
    status = folder.stat(name)
    kind = status.kind
    if kind == "folder":
        to.make_folder(to_name, 0o700)
        with folder.open_folder(name) as source, to.open_folder(to_name) as made:
            for below in source.names():
                _move_by_copying(source, below, made, below)
            made.set_own_mode(source.status().mode)
        folder.remove_folder(name)
        return
    if kind == "link":
        to.make_link(to_name, folder.read_link(name))
    elif kind == "fifo":
        to.make_fifo(to_name, status.mode)
    elif kind == "file":
        with folder.open(name) as file, to.create(to_name) as fresh:
            try:
                copy_blocks(file, fresh)
                fresh.set_own_mode(file.status().mode)
            except OSError:
                to.remove(to_name)
                raise
    folder.remove(name)


# Recovery


def recover(log: Log, left: Sequence[Row], *, again: bool = False) -> Recovery:
    """Settle what is `left`, the intent and every committed change; needs the workspace lock.

    With `again`, also what an earlier recovery could not settle.
    """
    found = Recovery()
    states = {row[0]: row[1] for row in left}
    intents: list[int] = []
    uncleaned: list[int] = []
    for number, state in left:
        if state == "intent" or (again and state == "unsettled"):
            intents.append(number)
        elif state == "done" and number not in log.cleaned:
            uncleaned.append(number)
    wanted = [*intents, *uncleaned]
    if wanted:  # Else what an earlier walk saw serves to call them settled.
        log.search = FolderSearch(log.boundary)
    for number in wanted:
        operation, plan = (
            _operation(log, number, states[number]),
            _plan(log, number, found),
        )
        if operation is not None and plan is not None:
            found.add(_settle(log, operation, plan))
    return found


def _operation(log: Log, number: int, state: str) -> ChangeRecord | None:
    """Return the record of an operation; where that is damaged, its plan is enough to settle it."""
    try:
        return log.operation(number)
    except FilewrightError as error:
        if "change_id" not in error.details:
            raise
        return damaged_change_record(number)._replace(state=state)


def _places(log: Log, number: int) -> set[RecordedPath]:
    """Return the places of an operation, by its record, or by its plan where that is damaged."""
    with suppress(FilewrightError):
        operation = log.operation(number)
        return set(operation.places) if operation is not None else set()
    with suppress(UnreadablePlanError):
        plan = log.plan(number)
        return {
            plan.recorded_path(slot)
            for operation in plan.operations
            for slot in operation.slots
        }
    return set()


def _settle(log: Log, operation: ChangeRecord, plan: RenamePlan) -> Recovery:
    """Settle one operation; what is found of it is secret if it touched something that is denied."""
    number, identifier = operation.number, operation.id
    made, beyond = operation.state == "done", _beyond(log, plan)
    if beyond is not None:
        # One that is made is cleaned up by whoever opens all of its roots.
        found = (
            Recovery()
            if made
            else Recovery(unsettled=[f"it reaches into {quote(beyond)}: open that too"])
        )
    else:
        with OpenFolders(log.boundary) as folders:
            work = Settlement(log, folders, plan, search=log.search)
            found = work.clean_up(operation) if made else work.roll_back(operation)
    if made:
        if found.cleaned:
            found.finished.append(identifier)
    elif beyond is None:
        if not found.unsettled:
            found.rolled_back.append(identifier)
        if found.taken_back:
            what = join_limited(found.taken_back, _TOLD)
            found.taken_back = [
                f"the unfinished change {identifier} was taken back: {what}"
            ]
        if found.aside:
            found.conflicts += [
                f"{shown} could not be settled yet" for shown in found.waiting
            ]
            found.conflicts.append(
                f"what that change would have done is kept as {found.aside}"
            )
        found.waiting.clear()
    if not made and found.unsettled:
        found.unsettled = [f"change {identifier}: {why}" for why in found.unsettled]
        if beyond is None:
            found.unsettled[-1] += _WAY_OUT.format(identifier)
        if operation.state == "intent" and (log.own or beyond is None):
            log.leave(number, "unsettled")
    if (
        found.notes
        and beyond is None
        and "denied" in map(visibility_check(log.boundary), _places(log, number))
    ):
        found.secret.update(found.conflicts, found.unsettled, found.taken_back)
    return found


def refuse_unsettled(log: Log, left: Sequence[Row], record: ChangeRecord) -> None:
    """Changes that could not be settled are in the way of their own files only. Raises `in_use`."""
    for number, _ in left:
        for place in _places(log, number).intersection(record.places):
            raise not_rolled_back(place.display_path, format_change_id(number))


def unfinished_places(log: Log) -> set[RecordedPath]:
    """The places of changes here that others can still settle: reading them would show a torn tree.

    Of what could not be settled though all its roots are open, each file may be read as it is.
    """
    found: set[RecordedPath] = set()
    for number, state in log.left(*UNFINISHED):
        with suppress(UnreadablePlanError):
            if state == "intent" or _beyond(log, log.plan(number)) is not None:
                found |= _places(log, number)
    return found


def _plan(log: Log, number: int, found: Recovery) -> RenamePlan | None:
    """Return what an operation does to names; one whose plan cannot be verified is not settled by it.

    An intent is set aside: its files stay as they are. What is made stays in the history: of its plan, only the
    clean-up was left to do.
    """
    try:
        return log.plan(number)
    except UnreadablePlanError:
        identifier = format_change_id(number)
        if number in dict(log.left("done")):
            note = _NOT_CLEANED.format(identifier)
            log.annotate(number, [note])
            log.settled((number,))
        else:
            note = _NOT_VERIFIED.format(identifier)
            found.set_aside.append(log.leave(number, "aside"))
        found.conflicts.append(note)
        return None


def _beyond(log: Log, plan: RenamePlan) -> bytes | None:
    """A root that a plan reaches into and that is not open: nothing is written beyond the roots."""
    for folder in plan.folders:
        if (
            folder.root is not None
            and RecordedPath(folder.root, ()).below(log.boundary.roots) is None
        ):
            return folder.root
    return None


def settle_done(log: Log) -> None:
    """Flush the folders that were cleaned up, then call those changes settled."""
    log.search = log.search or FolderSearch(log.boundary)
    ready = [number for number, _ in log.left("done") if number in log.cleaned]
    flushing = FlushQueue(log.flusher)
    with OpenFolders(log.boundary) as folders:
        for number in ready:
            plan = _plan(log, number, Recovery())
            # What rules have closed since cannot be flushed: after a power cut, temporaries may be back in it.
            with suppress(FilewrightError):
                PlanSlots(log, folders, plan or RenamePlan(), search=log.search).flush(
                    flushing
                )
    log.settled(ready)
    log.cleaned.clear()
