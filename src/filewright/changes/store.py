"""The store of one root's state: its log, and what settles it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from filewright.boundary import Boundary, quote
from filewright.changes.content import Flusher
from filewright.changes.log import Log
from filewright.changes.state import StateFolder
from filewright.errors import FilewrightError
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.recovery import Recoverer


class Store:
    """What one state folder holds, and what settles it. `own`: of a root that is open here."""

    def __init__(
        self, boundary: Boundary, settings: Settings, state: StateFolder, flusher: Flusher, *, own: bool
    ) -> None:
        self.boundary = boundary
        self.settings = settings
        self.flusher = flusher
        self.state = state
        self.own = own
        self.log = Log(state, flusher, settings)

    @cached_property
    def recoverer(self) -> Recoverer:
        """What settles it; imported when there is something to settle."""
        from filewright.changes.recovery import Recoverer

        return Recoverer(self)

    @property
    def unfinished(self) -> tuple[object, ...]:
        """What tells one set of changes that are not settled from another; empty if there are none.

        Of a log that cannot be read nothing is known, and reading files goes on.
        """
        try:
            return self.log.unfinished()
        except FilewrightError:
            return ()

    @property
    def kept(self) -> list[str]:
        """What conflicts have left: others' versions, and operations that were set aside."""
        try:
            with self.state.folder(b"kept") as folder:
                kept = [quote(self.state.at(b"kept", name)) for name in folder.names()]
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [*kept, *map(self.log.named, self.log.numbers("aside"))]

    def collect(self, *, settle: bool = False) -> None:
        """Keep the history within its limits.

        With `settle`, what is cleaned up is settled in any case: of a change over several roots,
        which are not always open together, nothing is to be left to do. Needs the workspace lock.
        """
        try:
            within = self.log.within_limits
            if settle or not within:
                # What is not known to be cleaned up is never dropped.
                self.recoverer.settle_done()
            if not within:
                self.log.prune()
        except (OSError, FilewrightError):
            pass  # The change itself is made; the next one collects what is left.
