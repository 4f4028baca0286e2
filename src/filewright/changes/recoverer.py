"""The recovery of a workspace: of all its logs, before anything else reads or writes.

Several processes may serve the same folders. What one of them left unfinished is
recovered by the next that takes the workspace lock. Until then its files are withheld
from readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.changes.locks import WorkspaceLock
from filewright.changes.log import Log
from filewright.changes.log_reader import UNFINISHED
from filewright.changes.model import RecordedPath
from filewright.changes.retention import enforce_limits
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.recovery import Recovery

# The module `recovery` is imported where it is used: a server that has only started
# needs nothing of it.

_MAX_UNSETTLED_CLEAN_UPS = 16
"""Above this count, changes that were cleaned up after are settled together."""


@dataclass(frozen=True, slots=True)
class _Withheld:
    """Files that are withheld because of unfinished changes in one log."""

    unfinished: Sequence[object]
    """The unfinished changes that were seen."""
    paths: set[tuple[bytes, ...]]
    """The absolute paths of their files, by parts."""


class Recoverer:
    """Recovers the logs of a workspace, and holds the results until reported."""

    def __init__(
        self,
        boundary: Boundary,
        settings: Settings,
        lock: WorkspaceLock,
        own_logs: Sequence[Log],
        list_logs: Callable[[], Sequence[Log]],
    ) -> None:
        self._boundary = boundary
        self._settings = settings
        self._lock = lock
        self._own_logs = own_logs
        self._list_logs = list_logs
        self._reports: list[Recovery] = []
        self._answered_count = 0
        """Reports whose notes are in the answer of a change already."""
        self._withheld: dict[Log, _Withheld] = {}

    # Reports

    def unanswered_notes(self) -> list[str]:
        """Return the notes of recoveries that are in no answer yet."""
        notes: dict[str, None] = {}
        for report in self._reports[self._answered_count :]:
            notes.update(dict.fromkeys(report.notes))
        return list(notes)

    def mark_answered(self) -> None:
        """Leave the notes of all recoveries so far out of later answers."""
        self._answered_count = len(self._reports)

    def add_conflicts(self, conflicts: Iterable[str]) -> None:
        """Report conflicts that the rollback of a failed change met."""
        from filewright.changes.recovery import Recovery

        self._reports.append(Recovery(conflicts=list(conflicts)))

    def take_report(self) -> Recovery:
        """Return all reports since the last call as one."""
        from filewright.changes.recovery import Recovery

        total = Recovery()
        for report in self._reports:
            # Files that waited earlier were tried again by the later recovery.
            total.waiting.clear()
            total.add(report)
        self._reports.clear()
        self._answered_count = 0
        return total

    # Recovering

    def recover(self, *, settle_all: bool = False, again: bool = False) -> None:
        """Recover every log. Needs the workspace lock.

        A change that reaches beyond the roots is left to the process that opens those.
        With `settle_all` every change that was cleaned up after is settled, not only
        when there are many; with `again` changes that could not be settled are tried
        too.
        """
        try:
            for log in self._own_logs:
                if log.state.open() != log.contents.swept_at_ns:
                    log.contents.remove_orphans()
            for log in self._list_logs():
                self._recover_log(log, settle_all=settle_all, again=again)
        except OSError as error:
            raise from_os_error(
                error, "the workspace", doing="recover"
            ) from error

    def _recover_log(self, log: Log, *, settle_all: bool, again: bool) -> None:
        unfinished = log.list_unfinished(*UNFINISHED, "done")
        if not unfinished:
            return
        if not log.is_own:
            # Its displaced files go before a folder leaves its root with them.
            log.state.open(make=False)
        if not log.cleaned_up.issuperset(dict(unfinished)):
            from filewright.changes.recovery import recover

            report = recover(log, unfinished, again=again)
            if not report.clean:
                self._reports.append(report)
                enforce_limits(log)
        if len(log.cleaned_up) > (
            0 if settle_all else _MAX_UNSETTLED_CLEAN_UPS
        ):
            from filewright.changes.recovery import settle_cleaned

            settle_cleaned(log)

    def recover_if_needed(self) -> None:
        """Recover what a dead process left, if there is anything: a few look-ups.

        If that cannot be done (the workspace is read-only, the change reaches beyond
        its roots, the state folder cannot be written), the files of the change are
        withheld.
        """
        for log in self._list_logs():
            unfinished = log.list_unfinished(*UNFINISHED)
            withheld = self._withheld.get(log)
            if not unfinished:
                self._withheld.pop(log, None)
            elif withheld is None or withheld.unfinished != unfinished:
                self.try_recover()
                return

    def try_recover(self, *, again: bool = False) -> None:
        """Recover, unless another process holds the lock and is at work."""
        try:
            # The process that holds the lock recovers, or is just making a change.
            with self._lock.exclusive(wait=False) as is_outermost:
                if is_outermost:
                    if not self._settings.read_only:
                        self.recover(again=again)
                    self.withhold_unfinished()
        except FilewrightError as error:
            # A timeout says that the lock is held: then there is nothing to withhold.
            if error.code is not Code.TIMEOUT:
                self.withhold_unfinished()

    # Withholding

    def withhold_unfinished(self) -> None:
        """Raise `in_use` for reading the files of unfinished changes."""
        for log in self._list_logs():
            unfinished = log.list_unfinished(*UNFINISHED)
            if not unfinished:
                self._withheld.pop(log, None)
                continue
            from filewright.changes.recovery import unfinished_paths

            with suppress(FilewrightError):
                log.state.open(make=False)
                paths = {path.absolute_parts for path in unfinished_paths(log)}
                self._withheld[log] = _Withheld(unfinished, paths)
                self._boundary.before_reading = self._refuse_withheld

    def _refuse_withheld(self, location: Location) -> None:
        parts = RecordedPath.from_location(location).absolute_parts
        prefixes = {parts[:depth] for depth in range(1, len(parts) + 1)}
        # A copy: another thread may recover meanwhile.
        for log, withheld in list(self._withheld.items()):
            if not prefixes.isdisjoint(withheld.paths):
                raise errors.interrupted(
                    location.requested_path, quote(log.state.owner.path)
                )
