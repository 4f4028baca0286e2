"""After the commit: removing what was displaced, but nothing that somebody still writes to."""

from __future__ import annotations

import os
from collections.abc import Sequence

from filewright.changes.hands import Hands
from filewright.changes.operations import Leaf, Put, Seal, Slot, Take
from filewright.changes.planner import is_temporary


class CleanUp(Hands):
    """Cleans up after one plan."""

    def clean_up(self) -> None:
        """After the commit: remove what was displaced, but nothing that somebody still writes to."""
        try:
            for operation in self._plan.operations:
                match operation:
                    case Put(before=Seal() as before):
                        for slot in (operation.spare, operation.carrier):
                            if is_temporary(slot.name):
                                self._remove_displaced(slot, before, operation.displaced, operation)
                    case Put(staged=True):
                        self._finish_put(operation)
                    case Take():
                        self._remove_displaced(operation.aside, operation.before, operation.tree, operation)
                    case _:
                        pass
        finally:
            self._free()

    def _finish_put(self, operation: Put) -> None:
        waiting = self._ground.status(operation.carrier)
        if waiting is None:
            return
        self.findings.cleaned += 1
        if self._ground.status(operation.place) is None:
            self._rename(operation.carrier, operation.place)
        elif self._half_linked(operation, waiting):
            self._discard(operation.carrier)
        else:
            self._conflict(operation.place, "is taken by somebody else: it stays", operation.carrier)

    def _remove_displaced(
        self, slot: Slot, before: Seal, tree: Sequence[Leaf], operation: Put | Take
    ) -> None:
        status = self._ground.status(slot)
        if status is None:
            return
        self.findings.cleaned += 1
        shown = self._ground.shown(operation.place)
        if before.kind == "folder":
            self._remove_tree(slot, tree, shown)
        elif before.kind != "file":
            os.unlink(slot.name, dir_fd=self._fd(slot))
        elif (
            isinstance(operation, Put)
            and operation.staged
            and status.st_ino != before.inode
            and self._ground.is_there(slot, operation.after)
        ):
            # The exchange never reached the disk although the commit did: do it again.
            if self._ground.is_there(operation.place, before):
                self._swap(operation)
                self._remove_displaced(slot, before, tree, operation)
            else:
                self._conflict(operation.place, "was changed by somebody else: it stays", slot)
        else:
            self._remove_file(self._fd(slot), slot.name, before, shown)
