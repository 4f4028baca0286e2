"""The store of one root's state: the journal, the history and the undo data of its state folder."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from filewright.boundary import Boundary
from filewright.changes.blobs import BlobStore
from filewright.changes.collector import Collector
from filewright.changes.flushing import Flusher
from filewright.changes.journal import Journal
from filewright.changes.recordfile import RecordFile, TornError
from filewright.changes.state import StateFolder
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.recovery import Recoverer, Recovery


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
        self.journal = Journal(state, flusher)
        self.blobs = BlobStore(state, flusher)
        self._collector = Collector(self)

    @cached_property
    def recoverer(self) -> Recoverer:
        """What settles it; imported when there is something to settle."""
        from filewright.changes.recovery import Recoverer

        return Recoverer(self)

    @property
    def readable(self) -> bool:
        """Whether there is anything to read, and it can be read."""
        if not self.state.exists:
            return False
        self.state.load()
        return True

    def ids(self) -> Iterator[str]:
        """Ids of all committed changes, newest first."""
        return self.journal.ids() if self.readable else iter(())

    def newest(self) -> str | None:
        """The id of the newest committed change."""
        return self.journal.newest() if self.readable else None

    def file(self, change_id: str) -> RecordFile | None:
        """A committed change, its places as its roots are called now; None if it is not here.

        Raises `io_error` if it is damaged.
        """
        path = self.journal.find(change_id) if self.readable else None
        if path is None:
            return None
        try:
            return self.read(path)
        except FileNotFoundError:
            return None  # Collected meanwhile.
        except TornError as error:
            raise FilewrightError(
                Code.IO_ERROR,
                f"the record of the change {change_id} is damaged: {error}",
                hint="run filewright doctor",
                details={"change_id": change_id},
            ) from error
        except OSError as error:
            raise from_os_error(error, f"the record of the change {change_id}", doing="read") from error

    def read(self, path: bytes) -> RecordFile:
        """The record file at `path`, its places as its roots are called now. Raises `TornError`, `OSError`."""
        return RecordFile.read(path, self.state.key, self.state.relocations())

    def recover(self, settle_above: int, *, again: bool = False) -> Recovery:
        """Settle what is unfinished here; needs the workspace lock."""
        try:
            return self.recoverer.recover(settle_above=settle_above, again=again)
        except OSError as error:
            raise from_os_error(error, "the workspace", doing="recover") from error

    def collect(self, change_id: str | None = None, *, settle: bool = False) -> None:
        """Keep the history within its limits, after a change that was just made or looking at all.

        With `settle`, what is cleaned up is settled in any case: of a change over several roots,
        which are not always open together, nothing is to be left to do. Needs the workspace lock.
        """
        try:
            within = self._collector.within_limits(change_id)
            if settle or not within:
                # What is not known to be cleaned up is never dropped.
                self.recoverer.settle_done()
            if not within:
                self._collector.collect()
        except (OSError, FilewrightError):
            pass  # The change itself is made; the next one collects what is left.

    @property
    def unfinished(self) -> tuple[object, ...] | None:
        """What tells one set of changes that are not settled from another; None if there are none."""
        return self.journal.unfinished()
