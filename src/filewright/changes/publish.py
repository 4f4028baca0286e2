"""Doing a plan's operations, in order: from here on readers see the change."""

from __future__ import annotations

import errno
from collections.abc import Sequence

from filewright.changes.hands import Hands
from filewright.changes.operations import Alter, Leaf, Operation, Put, Seal, Slot, Take
from filewright.changes.refusals import stale
from filewright.errors import Code, FilewrightError, from_os_error


class Publisher(Hands):
    """Publishes one plan."""

    def publish(self) -> None:
        """Do every operation, in order. Raises on the first that cannot be done; nothing is taken back."""
        # Displaced folders are looked through once everything has been moved out of them.
        trees: dict[Slot, Sequence[Leaf]] = {}
        for operation in self._plan.operations:
            try:
                self._do(operation, trees)
            except OSError as error:
                shown = self._ground.shown(operation.place)
                if error.errno == errno.EEXIST:
                    raise FilewrightError(
                        Code.ALREADY_EXISTS,
                        f"{shown} has appeared meanwhile; nothing was changed",
                        hint="look at it, then try again",
                        details={"path": shown},
                    ) from error
                if error.errno == errno.ENOENT:
                    raise stale(shown) from error
                raise from_os_error(error, shown, doing="replace") from error
        for slot, tree in trees.items():
            if not self._ground.tree_is(slot, tree):
                raise stale(self._ground.shown(slot))
        self.flush()

    def _do(self, operation: Operation, trees: dict[Slot, Sequence[Leaf]]) -> None:
        match operation:
            case Put(before=None):
                self._rename(operation.carrier, operation.place)
                if not operation.staged:
                    self._require(operation.place, operation.after)
            case Put():
                assert operation.before is not None
                holder = self._swap(operation)
                self._require(holder, operation.before)
                if operation.before.kind == "folder":
                    trees[holder] = operation.displaced
            case Take():
                self._rename(operation.place, operation.aside)
                self._require(operation.aside, operation.before)
                trees.pop(operation.place, None)
                if operation.before.kind == "folder":
                    trees[operation.aside] = operation.tree
            case Alter():
                self._alter(operation, forward=True)

    def _require(self, slot: Slot, seal: Seal) -> None:
        """The compare of the compare-and-swap: is what we displaced what we meant to?"""
        if not self._ground.untouched(slot, seal, self._hash_up_to):
            raise stale(self._ground.shown(slot))
