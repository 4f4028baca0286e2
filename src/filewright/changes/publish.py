"""Doing a plan's operations, in order: from here on readers see the change."""

from __future__ import annotations

import errno

from filewright.changes.flushing import Flusher
from filewright.changes.operations import Alter, Put, Seal, Slot, SlotOperation, Take
from filewright.changes.settle import alter
from filewright.changes.slots import Slots
from filewright.errors import appeared, from_os_error, stale


def publish(slots: Slots, flusher: Flusher) -> None:
    """Do every operation, in order. Raises on the first that cannot be done; nothing is rolled back."""
    # Displaced folders are looked through once everything has been moved out of them.
    folders: dict[Slot, Seal] = {}
    for operation in slots.plan.operations:
        try:
            _do(slots, flusher, operation, folders)
        except OSError as error:
            shown = slots.shown(operation.place)
            if error.errno == errno.EEXIST:
                raise appeared(shown) from error
            if error.errno == errno.ENOENT:
                raise stale(shown) from error
            raise from_os_error(error, shown, doing="replace") from error
    for slot, seal in folders.items():
        if not slots.holds_tree(slot, seal):
            raise stale(slots.shown(slot))
    slots.flush(flusher)


def _do(slots: Slots, flusher: Flusher, operation: SlotOperation, folders: dict[Slot, Seal]) -> None:
    match operation:
        case Put(before=None):
            slots.rename(operation.carrier, operation.place)
            if not operation.staged:
                _require(slots, operation.place, operation.after, operation)
        case Put(before=Seal() as before):
            holder = slots.swap(operation)
            _require(slots, holder, before, operation)
            if before.kind == "folder":
                folders[holder] = before
        case Take():
            slots.rename(operation.place, operation.aside)
            _require(slots, operation.aside, operation.before, operation)
            folders.pop(operation.place, None)
            if operation.before.kind == "folder":
                folders[operation.aside] = operation.before
        case Alter():
            if not alter(slots, flusher, operation, forward=True):
                raise stale(slots.shown(operation.place))


def _require(slots: Slots, slot: Slot, seal: Seal, operation: SlotOperation) -> None:
    """The compare of the compare-and-swap: is what we displaced what we meant to?"""
    if not slots.untouched(slot, seal):
        raise stale(slots.shown(operation.place))
