"""Settling a plan: rolling back whatever of it was done, or cleaning up once it is committed.

Both look only at what is in each slot and never at how far anything came, so the same code serves a
commit that fails and the recovery after a crash, and may itself be interrupted anywhere and
repeated. What is neither as it was before nor as we made it is somebody else's: it stays, or goes
back to its place, and what we hold of another version is kept and reported. What cannot be settled
is left alone and named, with the operations that share a slot with it; the rest is settled.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

from filewright.boundary import is_temporary
from filewright.changes.content import copy_blocks
from filewright.changes.flushing import Flusher
from filewright.changes.operations import Alter, Put, Seal, Slot, SlotOperation, Take
from filewright.changes.record import kind_of
from filewright.changes.slots import FolderGoneError, Slots, file_matches, looks_like, matches, same_status
from filewright.errors import FilewrightError
from filewright.system import File, Folder

_SLOW_TO_FREE = 16 << 20
_SECTOR = 512
_WRITTEN_LATE = "was written to by a program that held it open"

Keep = Callable[[Folder, bytes, str], str | None]
"""Moves (folder, name), shown as the third, into the state folder; returns where to, None if it cannot."""
Content = Callable[[Seal], bytes | None]
"""What a file that was to be made was to hold, as far as that is kept."""


@dataclass(slots=True)
class Findings:
    """What somebody else's doings made us find.

    `conflicts` are to be reported, `waiting` are paths that a program still holds open, `unsettled` are
    operations that could not be settled, each with why. `cleaned` counts what was still there to be
    cleaned up.
    """

    conflicts: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    cleaned: int = 0


@dataclass
class _Settlement:
    """What settling one plan works with."""

    slots: Slots
    flusher: Flusher
    keep: Keep
    findings: Findings
    content: Content
    freeing: threading.Thread | None = None

    @cached_property
    def awaited(self) -> frozenset[Slot]:
        """The slots that a swap that came to a halt half way, without an exchange, has not filled yet."""
        swaps = (each for each in self.slots.plan.operations if isinstance(each, Put) and each.before)
        return frozenset(each.carrier for each in swaps if self.slots.status(each.spare) is not None)

    @cached_property
    def ways(self) -> dict[Seal, list[Slot]]:
        """The slots through which the plan moves each thing, which may not have got that far."""
        found: dict[Seal, list[Slot]] = {}
        for each in self.slots.plan.operations:
            if isinstance(each, Put) and not each.staged:
                found.setdefault(each.after, []).extend((each.carrier, each.place))
        return found

    def conflict(self, place: Slot, why: str, holder: Slot | None = None) -> None:
        """Report a conflict, and keep what `holder` holds."""
        shown = self.slots.shown(place)
        if holder is None:
            self.findings.conflicts.append(f"{shown} {why}")
        else:
            self.rescue(self.slots.holder(holder), holder.name, shown, why)

    def rescue(self, folder: Folder, name: bytes, shown: str, why: str) -> bool:
        """Keep something in the state folder; False if there was no room: then it waits where it is."""
        kept = self.keep(folder, name, shown)
        if kept is None:
            self.findings.waiting.append(shown)
            return False
        self.findings.conflicts.append(f"{shown} {why}; the other version is kept as {kept}")
        return True

    def close(self, file: File) -> None:
        """Close a file; a large removed one on the side: its last close frees the blocks, half a second a GB."""
        status = file.status()
        if status.links or status.size <= _SLOW_TO_FREE:
            file.close()
            return
        if self.freeing is not None:
            self.freeing.join()
        self.freeing = threading.Thread(target=file.close, daemon=True)
        self.freeing.start()

    def beside(self, holder: Slot, place: Slot) -> None:
        """Give somebody's save, whose place was taken by a newer one, a name of its own beside it."""
        for number in range(1, 1000):
            name = place.name[:200] + (b".other-save" if number == 1 else b".other-save-%d" % number)
            target = Slot(place.folder, name)
            try:
                self.slots.rename(holder, target)
            except FileExistsError:
                continue
            self.findings.conflicts.append(
                f"{self.slots.shown(place)} was saved twice by another program while it was changed; "
                f"both saves stay, the earlier one as {self.slots.shown(target)}"
            )
            return


def roll_back(slots: Slots, flusher: Flusher, keep: Keep, content: Content) -> Findings:
    """Roll back whatever was done of a plan, last first, and remove its temporaries."""
    work = _Settlement(slots, flusher, keep, Findings(), content)
    if slots.plan.sealed:
        _each(work, list(reversed(slots.plan.operations)), _roll_back)
    else:
        # Nothing is published before everything can be recognised: there are only temporaries.
        _each(work, slots.plan.operations, _discard_staged)
    return work.findings


def clean_up(slots: Slots, flusher: Flusher, keep: Keep) -> Findings:
    """After the commit: remove what was displaced, but nothing that somebody still writes to."""
    work = _Settlement(slots, flusher, keep, Findings(), lambda _: None)
    _each(work, slots.plan.operations, _clean_up, flush=False)
    return work.findings


def _each(
    work: _Settlement,
    operations: Sequence[SlotOperation],
    settle: Callable[[_Settlement, SlotOperation], None],
    *,
    flush: bool = True,
) -> None:
    left: set[Slot] = set()
    for operation in operations:
        if not left.isdisjoint(operation.slots):
            left.update(operation.slots)  # What it depends on is not settled yet.
            continue
        try:
            settle(work, operation)
        except (OSError, FilewrightError) as error:
            left.update(operation.slots)
            work.findings.unsettled.append(f"{work.slots.shown(operation.place)}: {reason(error)}")
    if flush:
        try:
            work.slots.flush(work.flusher)
        except (OSError, FilewrightError) as error:
            work.findings.unsettled.append(f"the disk did not confirm it: {reason(error)}")


def reason(error: OSError | FilewrightError) -> str | None:
    """Why something could not be done."""
    return error.message if isinstance(error, FilewrightError) else error.strerror


class _UnsettledError(OSError):
    """What an operation displaced is nowhere to be found."""

    def __init__(self, why: str) -> None:
        super().__init__(0, why)


# Rolling back


def _discard_staged(work: _Settlement, operation: SlotOperation) -> None:
    if isinstance(operation, Put) and operation.staged:
        with suppress(FileNotFoundError):  # Its folder is gone, and the temporary with it.
            work.slots.discard(operation.carrier)


def _roll_back(work: _Settlement, operation: SlotOperation) -> None:
    match operation:
        case Put(before=None):
            _roll_back_put(work, operation)
        case Put(before=Seal() as before):
            _roll_back_swap(work, operation, before)
        case Take():
            _roll_back_take(work, operation)
        case Alter():
            alter(work.slots, work.flusher, operation, forward=False)


def _roll_back_put(work: _Settlement, operation: Put) -> None:
    slots, carrier, place = work.slots, operation.carrier, operation.place
    waiting = slots.status(carrier) is not None
    placed = slots.same_inode(place, operation.after)
    if operation.staged:
        if not placed:
            # Not published, or removed by somebody since: what is there now is not ours.
            slots.discard(carrier)
        elif operation.after.kind == "folder":
            _remove_tree(work, place, operation.after, place)
        else:
            slots.discard(carrier)
            _take_out(work, operation)
    elif placed and not waiting:
        slots.rename(place, carrier)
    elif placed and slots.half_linked(carrier, place):
        slots.unlink(place)
    elif placed:
        work.conflict(place, "stays where it was moved to, since its old name was taken meanwhile")
    elif not waiting and not any(
        slots.same_inode(slot, operation.after) for slot in work.ways[operation.after]
    ):
        work.conflict(place, "was moved there, and somebody has moved it on: it stays where it is")


def _take_out(work: _Settlement, operation: Put) -> None:
    """A new file: out of sight first, looked at again, then removed, so that no edit of it is lost."""
    slots, carrier, place = work.slots, operation.carrier, operation.place
    if slots.holds(place, operation.after):
        slots.rename(place, carrier)
        if slots.holds(carrier, operation.after):
            _remove_staged(work, operation)
            return
        try:
            slots.rename(carrier, place)
        except FileExistsError:
            work.beside(carrier, place)
            return
    work.conflict(place, "was new, and has been edited by somebody else: it stays")


def _roll_back_swap(work: _Settlement, operation: Put, before: Seal) -> None:
    slots, carrier, place = work.slots, operation.carrier, operation.place
    if slots.status(operation.spare) is not None:
        _roll_back_spare(work, operation, before)
        return
    if _is_before(slots, place, operation, before):
        # Never exchanged, or given back already.
        if operation.staged:
            _remove_staged(work, operation)
        return
    placed = slots.status(place) is not None
    ours = placed and (_is_ours(slots, place, operation) or _gone_on(slots, place, operation))
    if slots.status(carrier) is None:
        if ours:
            raise _UnsettledError("what it held before was removed by somebody; only the undo data has it")
        if not placed:
            raise _UnsettledError("it was removed by somebody; only the undo data has it")
        if not slots.holds(place, before):
            work.conflict(place, "was changed by somebody else after we replaced it: it stays")
    elif ours:
        # Whatever we displaced goes back, be it as before or somebody's save of a moment ago.
        _exchange_back(work, operation, before)
    elif _was(slots, carrier, operation, before):
        if placed:
            work.conflict(place, "was changed by somebody else after we replaced it: it stays", carrier)
        else:
            slots.rename(carrier, place)
    elif operation.staged:
        if slots.holds(carrier, operation.after) or _is_unfinished(work, carrier, operation.after):
            slots.discard(carrier)
        else:
            work.conflict(place, "was saved by somebody else while it was changed", carrier)


def _is_ours(slots: Slots, slot: Slot, operation: Put) -> bool:
    """Whether what we put, or are to put, is in a slot."""
    after = operation.after
    if operation.staged and after.kind != "folder":
        return after.known and slots.holds(slot, after)
    return after.inode is not None and slots.same_inode(slot, after)


def _is_before(slots: Slots, slot: Slot, operation: Put, before: Seal) -> bool:
    """Whether the very thing that was there before is in a slot, whatever has been written into it since.

    Its number alone does not tell: where somebody has saved over it, it is gone, and a disk gives its number
    to the next new file, which is what we staged.
    """
    if not slots.same_inode(slot, before):
        return False
    alike = before.digest is not None and before.digest == operation.after.digest
    return alike or not (_is_ours(slots, slot, operation) or _gone_on(slots, slot, operation))


def _was(slots: Slots, slot: Slot, operation: Put, before: Seal) -> bool:
    """Whether what was there before, or what looks the same, is in a slot."""
    same = before.kind != "folder" and slots.holds(slot, before)
    return same or _is_before(slots, slot, operation, before)


def _exchange_back(work: _Settlement, operation: Put, before: Seal) -> None:
    slots, carrier, place, after = work.slots, operation.carrier, operation.place, operation.after
    slots.exchange(carrier, place, operation.spare)
    if not operation.staged:
        return
    if after.kind == "folder":
        _remove_tree(work, carrier, after, place)
        return
    if not slots.holds(carrier, after) and not _gone_on(slots, carrier, operation):
        # Somebody saved between the look and the exchange: the newest save belongs in the place.
        slots.exchange(carrier, place, operation.spare)
        if _was(slots, carrier, operation, before):
            work.conflict(place, "was changed by somebody else after we replaced it: it stays", carrier)
            return
        if not slots.holds(carrier, after):
            work.beside(carrier, place)
            return
    _remove_staged(work, operation)


def _gone_on(slots: Slots, slot: Slot, operation: Put) -> bool:
    """Whether a log that is opened for each line has gone on in what we put there.

    It is still ours: the log goes on in the file that was there before, and an edit that is rolled back
    must not come back with a line.
    """
    return operation.staged and slots.appended_to(slot, operation.after)


def _remove_staged(work: _Settlement, operation: Put) -> None:
    """Remove what we staged, out of sight again; what somebody has written to it meanwhile is kept."""
    slots, carrier, after = work.slots, operation.carrier, operation.after
    written = after.kind == "file" and after.known and is_temporary(carrier.name)
    if not written or _is_unfinished(work, carrier, after):
        slots.discard(carrier)
    else:
        _remove_file(work, slots.holder(carrier), carrier.name, after, operation.place)


def _is_unfinished(work: _Settlement, carrier: Slot, after: Seal) -> bool:
    """Whether a temporary holds nothing but a part of what we were writing into it.

    An error or a kill ends the writing anywhere; a power cut takes blocks of it, which are zeros or missing then.
    """
    status = work.slots.status(carrier)
    if status is None or status.kind != "file" or status.size > (after.size or 0):
        return False
    if not status.size:
        return bool(after.size)
    if work.slots.holds(carrier, after) or (whole := work.content(after)) is None:
        return False
    with work.slots.holder(carrier).open(carrier.name) as file:
        return _is_part(file, whole)


def _is_part(file: File, whole: bytes) -> bool:
    offset = 0
    for block in file.blocks():
        for start in range(0, len(block), _SECTOR):
            found = bytes(block[start : start + _SECTOR])
            wanted = whole[offset + start : offset + start + len(found)]
            if found != wanted and any(
                mine not in (0, theirs) for mine, theirs in zip(found, wanted, strict=True)
            ):
                return False
        offset += len(block)
    return True


def _roll_back_spare(work: _Settlement, operation: Put, before: Seal) -> None:
    """As `_roll_back_swap`, where the file system has no exchange and it came to a halt half way."""
    slots, carrier, place, spare = work.slots, operation.carrier, operation.place, operation.spare
    if slots.half_linked(spare, carrier) or slots.half_linked(spare, place):
        slots.discard(spare)
        if slots.status(spare) is not None:  # As Windows before 10: once it is let go of.
            raise OSError(errno.ETXTBSY, "another program has it open")
        _roll_back_swap(work, operation, before)
        return
    if not _is_before(slots, spare, operation, before) and _is_ours(slots, spare, operation):
        # It was being exchanged back.
        if slots.status(place) is None:
            slots.rename(carrier, place)
        elif slots.half_linked(carrier, place):
            slots.unlink(carrier)
        slots.rename(spare, carrier)
        _roll_back_swap(work, operation, before)
        return
    if slots.status(place) is None:
        slots.rename(spare, place)
    elif _is_before(slots, place, operation, before):
        slots.discard(spare)
    elif _is_ours(slots, place, operation):
        if operation.staged and "folder" not in (operation.after.kind, before.kind):
            slots.rename(spare, place, "replace")
        else:
            slots.rename(place, carrier)
            slots.rename(spare, place)
    elif _gone_on(slots, place, operation):
        if not slots.half_linked(carrier, place):
            slots.holder(place).link(place.name, slots.holder(carrier), carrier.name)
        slots.rename(spare, place, "replace")
    else:
        work.conflict(place, "was changed by somebody else after we replaced it: it stays", spare)
    if not operation.staged:
        return
    if _was(slots, carrier, operation, before):
        work.conflict(place, "was saved by somebody else while it was changed", carrier)
    elif operation.after.kind == "folder":
        _remove_tree(work, carrier, operation.after, place)
    else:
        _remove_staged(work, operation)


def _roll_back_take(work: _Settlement, operation: Take) -> None:
    slots, aside, place = work.slots, operation.aside, operation.place
    if slots.status(aside) is not None:
        if slots.status(place) is None:
            slots.rename(aside, place)
        elif slots.half_linked(place, aside):
            slots.discard(aside)
        elif slots.same_inode(aside, operation.before) or slots.holds(aside, operation.before):
            work.conflict(place, "has been made anew by somebody else: it stays", aside)
        else:
            work.beside(aside, place)
    elif slots.status(place) is None and place not in work.awaited:
        raise _UnsettledError("it was removed by somebody, and is only kept in the undo data")


# Cleaning up


def _clean_up(work: _Settlement, operation: SlotOperation) -> None:
    with suppress(FolderGoneError):  # Deleted with all that was in it: nothing is left to be removed.
        match operation:
            case Put(before=Seal() as before):
                for slot in (operation.spare, operation.carrier):
                    if is_temporary(slot.name):
                        _remove_displaced(work, slot, before, operation)
            case Put(staged=True):
                _finish_put(work, operation)
            case Take():
                _remove_displaced(work, operation.aside, operation.before, operation)


def _finish_put(work: _Settlement, operation: Put) -> None:
    """The rename may never have reached the disk although the commit did: do it again."""
    slots, carrier, place = work.slots, operation.carrier, operation.place
    if slots.status(carrier) is None:
        return
    work.findings.cleaned += 1
    if slots.status(place) is None:
        slots.rename(carrier, place)
    elif slots.half_linked(carrier, place):
        slots.discard(carrier)
    else:
        work.conflict(place, "is taken by somebody else: it stays", carrier)


def _remove_displaced(work: _Settlement, slot: Slot, before: Seal, operation: Put | Take) -> None:
    slots = work.slots
    status = slots.status(slot)
    if status is None:
        return
    work.findings.cleaned += 1
    if before.kind == "folder":
        _remove_tree(work, slot, before, operation.place)
    elif before.kind != "file":
        slots.unlink(slot)
    elif (
        isinstance(operation, Put)
        and operation.staged
        and not looks_like(slots.holder(slot), slot.name, before)
        and slots.holds(slot, operation.after)
    ):
        # The exchange never reached the disk although the commit did: do it again.
        if slots.holds(operation.place, before):
            slots.swap(operation)
            _remove_displaced(work, slot, before, operation)
        else:
            work.conflict(operation.place, "was changed by somebody else: it stays", slot)
    else:
        _remove_file(work, slots.holder(slot), slot.name, before, operation.place)


def _remove_tree(work: _Settlement, slot: Slot, seal: Seal, place: Slot) -> None:
    """Remove exactly what was sealed inside a folder; what others have put there stays, or is kept."""
    slots = work.slots
    if slots.status(slot) is None:
        return

    def remove(folder: Folder, name: bytes, below: Seal) -> bool:
        if below.kind == "file" and below.inode is not None:
            return _remove_file(work, folder, name, below, place)
        if below.kind == "file" and below.known and not matches(folder, name, below):
            return False
        folder.remove(name)
        return True

    if slots.remove_tree(slot, seal, remove):
        return
    shown = slots.shown(place)
    if is_temporary(slot.name) and shown not in work.findings.waiting:
        work.rescue(slots.holder(slot), slot.name, shown, "was added to while it was deleted")
    elif not is_temporary(slot.name):
        work.findings.conflicts.append(f"{shown}: others have put something into it; that stays")


def _remove_file(work: _Settlement, folder: Folder, name: bytes, before: Seal, place: Slot) -> bool:
    """Remove a displaced file unless somebody writes to it; keep it if somebody has written."""
    try:
        file = folder.open(name, seen=True)
    except FileNotFoundError:
        return True  # Removed before a crash, or by a person: nothing left to do.
    try:
        with file.quiet() as nobody_writes:
            if not nobody_writes():
                work.findings.waiting.append(work.slots.shown(place))
                return False
            status = file.status()
            hashed = before.digest is not None and (before.size or 0) <= work.slots.hash_up_to
            if (hashed or not same_status(status, before)) and not file_matches(file, before):
                return work.rescue(folder, name, work.slots.shown(place), _WRITTEN_LATE)
            if not nobody_writes():  # An open that began before the file was displaced.
                work.findings.waiting.append(work.slots.shown(place))
                return False
            with suppress(FileNotFoundError):
                folder.remove(name)
            now = file.status()
            if (now.size, now.mtime_ns) == (status.size, status.mtime_ns):
                return True
            with folder.create(name) as again:  # Written between the look and the removal.
                copy_blocks(file, again)
            return work.rescue(folder, name, work.slots.shown(place), _WRITTEN_LATE)
    finally:
        work.close(file)


# Modes and owners


def alter(slots: Slots, flusher: Flusher, operation: Alter, *, forward: bool) -> bool:
    """Set, or set back, mode and owner; False if the thing is not there or is not as it was.

    Nothing is done to what was never altered: whoever may not set a mode may not set it back.
    """
    old, new = (0, 1) if forward else (1, 0)
    folder, name = slots.holder(operation.place), operation.place.name
    try:
        status = folder.stat(name)
        if status.inode != operation.seal.inode or kind_of(status) != operation.seal.kind:
            return False
        owner = (status.uid, status.gid)
        before, after = ((operation.uid[n], operation.gid[n]) for n in (old, new))
        if (status.mode, owner) == (operation.mode[new], after):
            return True
        # A change of the owner clears the setuid bits by itself.
        if owner not in (before, after) or status.mode not in (
            operation.mode[old],
            operation.mode[0] & 0o1777,
        ):
            return False
        if owner != after:
            folder.set_owner(name, *after, expected=status)
        folder.set_mode(name, operation.mode[new], expected=status)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ESTALE):
            return False
        raise
    try:
        thing = folder.folder(name) if status.kind == "folder" else folder.open(name)
    except OSError:
        return True  # Not readable to us: its attributes reach the disk with the next flush of its folder.
    with thing:
        flusher.one(thing)
    return True
