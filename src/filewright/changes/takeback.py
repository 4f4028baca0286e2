"""Taking a plan back, whatever of it was done.

It looks at what stands in each slot and never at how far anything came, so the same code serves a
commit that fails and a recovery after a crash, and may itself be interrupted anywhere.
"""

from __future__ import annotations

import os

from filewright.boundary import kernel
from filewright.changes.hands import Hands
from filewright.changes.operations import Alter, Put, Seal, Take


class TakeBack(Hands):
    """Takes back one plan."""

    def take_back(self) -> None:
        """Undo whatever was done, last first, and remove the temporaries. May be called again."""
        if not self._plan.complete:
            # Nothing is published before every digest is known: there are only temporaries.
            for operation in self._plan.operations:
                if (
                    isinstance(operation, Put)
                    and operation.staged
                    and self._ground.fd(operation.carrier.folder)
                ):
                    self._discard(operation.carrier)
            self.flush()
            return
        try:
            for operation in reversed(self._plan.operations):
                match operation:
                    case Put(before=None):
                        self._take_back_put(operation)
                    case Put():
                        self._take_back_swap(operation)
                    case Take():
                        self._take_back_take(operation)
                    case Alter():
                        self._alter(operation, forward=False)
        finally:
            self._free()
        self.flush()

    def _take_back_put(self, operation: Put) -> None:
        carrier, place = operation.carrier, operation.place
        ground = self._ground
        waiting = ground.status(carrier)
        placed = ground.same_inode(place, operation.after)
        if not operation.staged:
            if placed and waiting is None:
                self._rename(place, carrier)
            elif placed and waiting is not None and self._half_linked(operation, waiting):
                os.unlink(place.name, dir_fd=self._fd(place))
            elif placed:
                self._conflict(place, "stays where it was moved to, since its old name was taken meanwhile")
        elif not placed:
            # Not published, or removed by somebody since: what stands there now is not ours.
            self._discard(carrier)
        elif operation.after.kind == "folder":
            self._remove_tree(place, operation.tree, ground.shown(place))
        else:
            self._discard(carrier)
            self._take_back_new(operation)

    def _take_back_new(self, operation: Put) -> None:
        """A new file: out of sight first, looked at again, then removed, so that no edit of it is lost."""
        carrier, place = operation.carrier, operation.place
        if self._ground.is_there(place, operation.after):
            self._rename(place, carrier)
            if self._ground.is_there(carrier, operation.after):
                self._discard(carrier)
                return
            self._rename(carrier, place)
        self._conflict(place, "was new, and has been edited by somebody else: it stays")

    def _take_back_swap(self, operation: Put) -> None:
        carrier, place, spare = operation.carrier, operation.place, operation.spare
        ground, before = self._ground, operation.before
        assert before is not None
        if ground.status(spare) is not None:
            self._take_back_spare(operation, before)
            return
        waiting = ground.status(carrier)
        if waiting is None:
            return
        holds_before = ground.same_inode(carrier, before) or (
            before.kind != "folder" and ground.is_there(carrier, before)
        )
        if not holds_before:
            if operation.staged:
                self._discard(carrier)
            return
        if operation.staged:
            ours = self._known(operation.after) and (
                operation.after.kind == "folder" or ground.is_there(place, operation.after)
            )
        else:
            ours = ground.same_inode(place, operation.after)
        if ground.status(place) is None:
            self._rename(carrier, place)
        elif ours:
            kernel.exchange(self._fd(carrier), carrier.name, self._fd(place), place.name)
            if operation.staged:
                self._discard_checked(operation)
        else:
            self._conflict(place, "was changed by somebody else after we replaced it: it stays", carrier)

    def _discard_checked(self, operation: Put) -> None:
        after = operation.after
        if after.kind == "folder":
            self._remove_tree(operation.carrier, operation.tree, "a folder that was taken back")
        elif self._ground.is_there(operation.carrier, after):
            self._discard(operation.carrier)
        else:
            self._conflict(operation.place, "was written to while it was taken back", operation.carrier)

    def _take_back_spare(self, operation: Put, before: Seal) -> None:
        """As `_take_back_swap`, where the file system has no exchange."""
        carrier, place, spare = operation.carrier, operation.place, operation.spare
        ground = self._ground
        folder = self._fd(place)
        if ground.status(place) is None:
            self._rename(spare, place)
        elif ground.same_inode(place, before):
            self._discard(spare)
        elif ground.is_there(place, operation.after) or ground.same_inode(place, operation.after):
            if not operation.staged or operation.after.kind == "folder":
                self._rename(place, carrier)
                self._rename(spare, place)
            else:
                os.rename(spare.name, place.name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            self._conflict(place, "was changed by somebody else after we replaced it: it stays", spare)
        if operation.staged and ground.status(carrier) is not None:
            self._discard(carrier)

    def _take_back_take(self, operation: Take) -> None:
        if self._ground.status(operation.aside) is None:
            return
        if self._ground.status(operation.place) is None:
            self._rename(operation.aside, operation.place)
        else:
            self._conflict(operation.place, "has been made anew by somebody else: it stays", operation.aside)
