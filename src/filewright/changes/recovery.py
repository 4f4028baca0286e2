"""The recovery of changes that an earlier process left unfinished.

It comes under the workspace lock, before anything else. An intent is rolled back: its
caller was never told that it succeeded. A committed change is cleaned up after. A
change whose plan is torn or not sealed with our key is set aside. A change that cannot
be settled is kept, and blocks only its own files.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from filewright.boundary.names import quote
from filewright.changes.cleanup import clean_up
from filewright.changes.flushing import FlushQueue
from filewright.changes.folder_search import FolderSearch
from filewright.changes.log import Log
from filewright.changes.log_reader import UNFINISHED, UnreadablePlanError
from filewright.changes.model import (
    ChangeRecord,
    RecordedPath,
    format_change_id,
    visibility_check,
)
from filewright.changes.open_folders import OpenFolders
from filewright.changes.outcome import Outcome
from filewright.changes.rename_plan import RenamePlan
from filewright.changes.rollback import roll_back
from filewright.changes.rows import damaged_change_record
from filewright.changes.slots import PlanSlots
from filewright.errors import FilewrightError, not_rolled_back
from filewright.wording import join_limited

if TYPE_CHECKING:
    from filewright.changes.database import Row

_MAX_NAMED_FILES = 5
"""Files of a change that was taken back which are named."""
_HIDDEN_NOTE = (
    "an earlier change left a file that rules hide from agents; `filewright "
    "doctor` names it"
)
_WAY_OUT = (
    "; `filewright doctor --leave {0}` keeps its files as they are and "
    "records the change as made"
)
_NOT_CLEANED = (
    "the change {} is made and can be undone, but its plan in the log is "
    "damaged: temporary files named .fw~… may be left next to its files"
)
_NOT_VERIFIED = (
    "the plan of the unfinished change {} cannot be verified: it was neither "
    "finished nor taken back, and its files stay as they are"
)


@dataclass(slots=True)
class Recovery:
    """The report of a recovery, for one change or for several."""

    conflicts: list[str] = field(default_factory=list)
    """Sentences about saves of other programs, with the paths of their versions."""
    waiting: list[str] = field(default_factory=list)
    """Paths of displaced files that another program still has open."""
    unsettled: list[str] = field(default_factory=list)
    """Operations that could not be settled, each with the reason."""
    rolled_back: list[str] = field(default_factory=list)
    """Ids of changes that were taken back."""
    finished: list[str] = field(default_factory=list)
    """Ids of changes that were cleaned up after."""
    set_aside: list[str] = field(default_factory=list)
    """Operations that the log keeps for a person."""
    taken_back: list[str] = field(default_factory=list)
    """The results for the files of changes that were taken back, in words."""
    hidden_notes: set[str] = field(default_factory=set)
    """The sentences above that may name denied files: they are not for agents."""

    @property
    def notes(self) -> list[str]:
        """The sentences that an agent may read."""
        notes = [*self.taken_back, *self.conflicts, *self.unsettled]
        visible = [note for note in notes if note not in self.hidden_notes]
        if len(visible) < len(notes):
            visible.append(_HIDDEN_NOTE)
        return visible

    @property
    def clean(self) -> bool:
        """Return True if there was nothing to do."""
        return self == Recovery()

    def add(self, other: Recovery) -> None:
        """Add the report of other changes."""
        self.conflicts += other.conflicts
        self.waiting += other.waiting
        for reason in other.unsettled:
            if reason not in self.unsettled:
                self.unsettled.append(reason)
        self.rolled_back += other.rolled_back
        self.finished += other.finished
        self.set_aside += other.set_aside
        self.taken_back += other.taken_back
        self.hidden_notes |= other.hidden_notes


def recover(
    log: Log, unfinished: Sequence[Row], *, again: bool = False
) -> Recovery:
    """Roll back intents and clean up after committed changes. Needs the workspace lock.

    `unfinished` are the numbers and states of the changes. With `again`, changes that
    an earlier recovery could not settle are tried too.
    """
    report = Recovery()
    intents: list[tuple[int, str]] = []
    uncleaned: list[tuple[int, str]] = []
    for number, state in unfinished:
        if state == "intent" or (again and state == "unsettled"):
            intents.append((number, state))
        elif state == "done" and number not in log.cleaned_up:
            uncleaned.append((number, state))
    if intents or uncleaned:
        # With nothing to settle, an earlier walk still serves `settle_cleaned`.
        log.search = FolderSearch(log.boundary)
    for number, state in (*intents, *uncleaned):
        record = _load_record(log, number, state)
        plan = _load_plan(log, number, report)
        if record is not None and plan is not None:
            report.add(_recover_change(log, record, plan))
    return report


def settle_cleaned(log: Log) -> None:
    """Flush the folders of cleaned-up changes, then settle these changes."""
    numbers = [
        number
        for number, _ in log.list_unfinished("done")
        if number in log.cleaned_up
    ]
    # The plans are read again only to flush their folders.
    if log.flusher.enabled:
        _flush_folders(log, numbers)
    log.mark_cleaned_up(numbers)
    log.cleaned_up.clear()


def _flush_folders(log: Log, numbers: Sequence[int]) -> None:
    """Flush every folder of some changes, each once."""
    log.search = log.search or FolderSearch(log.boundary)
    queue = FlushQueue(log.flusher)
    with OpenFolders(log.boundary) as folders:
        for number in numbers:
            plan = _load_plan(log, number, Recovery()) or RenamePlan()
            slots = PlanSlots(folders, plan, search=log.search)
            # A folder that rules have closed since cannot be flushed: after a power
            # cut, temporaries may be back in it.
            with suppress(FilewrightError):
                slots.flush_folders(log.flusher, queue)


def refuse_unsettled(
    log: Log, unfinished: Sequence[Row], record: ChangeRecord
) -> None:
    """Raise `in_use` if a change touches files of changes that could not be settled."""
    for number, _ in unfinished:
        for path in _paths_of(log, number).intersection(record.recorded_paths):
            raise not_rolled_back(path.display_path, format_change_id(number))


def unfinished_paths(log: Log) -> set[RecordedPath]:
    """Return the paths of changes that can still be settled.

    To read several of them would show a torn tree. The files of a change that could not
    be settled though all its roots are open may be read as they are.
    """
    paths: set[RecordedPath] = set()
    for number, state in log.list_unfinished(*UNFINISHED):
        with suppress(UnreadablePlanError):
            if (
                state == "intent"
                or _find_closed_root(log, log.read_plan(number)) is not None
            ):
                paths |= _paths_of(log, number)
    return paths


# One change


def _recover_change(
    log: Log, record: ChangeRecord, plan: RenamePlan
) -> Recovery:
    """Clean up after a committed change, or roll an intent back."""
    is_committed = record.state == "done"
    closed_root = _find_closed_root(log, plan)
    if closed_root is not None:
        if is_committed:
            # The process that opens all of its roots cleans it up.
            return Recovery()
        return _leave_for_other_roots(log, record, closed_root)
    # Asked before, since the log forgets a change that is rolled back.
    has_denied_file = not is_committed and _touches_denied_file(log, record)
    with OpenFolders(log.boundary) as folders:
        slots = PlanSlots(folders, plan, search=log.search)
        if is_committed:
            report = _report_clean_up(record, clean_up(slots, log, record))
        else:
            report = _report_roll_back(
                log, record, roll_back(slots, log, record)
            )
    if is_committed and report.notes:
        has_denied_file = _touches_denied_file(log, record)
    if has_denied_file:
        report.hidden_notes.update(
            report.conflicts, report.unsettled, report.taken_back
        )
    return report


def _leave_for_other_roots(
    log: Log, record: ChangeRecord, closed_root: bytes
) -> Recovery:
    """Report an intent that reaches into a root which is not open."""
    if record.state == "intent" and log.is_own:
        log.mark_unresolved(record.number, "unsettled")
    reason = (
        f"it also changed {quote(closed_root)}: serve that folder as a root too"
    )
    return Recovery(unsettled=[f"change {record.id}: {reason}"])


def _report_clean_up(record: ChangeRecord, outcome: Outcome) -> Recovery:
    report = Recovery(
        conflicts=outcome.conflicts,
        waiting=outcome.waiting,
        unsettled=outcome.unsettled,
    )
    if outcome.cleaned_files:
        report.finished.append(record.id)
    return report


def _report_roll_back(
    log: Log, record: ChangeRecord, outcome: Outcome
) -> Recovery:
    report = Recovery(conflicts=outcome.conflicts)
    if outcome.rolled_back_files:
        files = join_limited(outcome.rolled_back_files, _MAX_NAMED_FILES)
        report.taken_back.append(
            f"the unfinished change {record.id} was taken back: {files}"
        )
    if outcome.set_aside_as:
        report.conflicts.append(
            "the new version from that change is kept as "
            f"{outcome.set_aside_as}"
        )
    if outcome.unsettled:
        for reason in outcome.unsettled:
            report.unsettled.append(f"change {record.id}: {reason}")
        report.unsettled[-1] += _WAY_OUT.format(record.id)
        if record.state == "intent":
            log.mark_unresolved(record.number, "unsettled")
    else:
        report.rolled_back.append(record.id)
    return report


def _touches_denied_file(log: Log, record: ChangeRecord) -> bool:
    """Return True if a change may touch a file that is denied now."""
    visibility = visibility_check(log.boundary)
    # A recovery goes on whatever the rules are: then its files are not named.
    with suppress(FilewrightError, OSError):
        return any(
            visibility(path) == "denied"
            for path in _paths_of(log, record.number)
        )
    return True


def _load_record(log: Log, number: int, state: str) -> ChangeRecord | None:
    """Return the record of a change or a damaged one: the plan settles it."""
    try:
        return log.read_record(number)
    except FilewrightError as error:
        # Other errors are of the database, not of this record.
        if "change_id" not in error.details:
            raise
        return replace(damaged_change_record(number), state=state)


def _load_plan(log: Log, number: int, report: Recovery) -> RenamePlan | None:
    """Return the plan of a change, or None if it cannot be verified.

    Without its plan an intent is set aside: its files stay as they are. A committed
    change stays in the history, since only its clean-up was left to do.
    """
    try:
        return log.read_plan(number)
    except UnreadablePlanError:
        change_id = format_change_id(number)
        if number in dict(log.list_unfinished("done")):
            # Its displaced files cannot be told from others: their temporaries stay.
            note = _NOT_CLEANED.format(change_id)
            log.add_notes(number, [note])
            log.mark_cleaned_up((number,))
        else:
            note = _NOT_VERIFIED.format(change_id)
            report.set_aside.append(log.mark_unresolved(number, "aside"))
        report.conflicts.append(note)
        return None


def _paths_of(log: Log, number: int) -> set[RecordedPath]:
    """Return the paths of a change by its record, or by its plan if that is damaged."""
    with suppress(FilewrightError):
        record = log.read_record(number)
        return set(record.recorded_paths) if record is not None else set()
    paths: set[RecordedPath] = set()
    with suppress(UnreadablePlanError):
        plan = log.read_plan(number)
        for operation in plan.operations:
            paths.update(plan.recorded_path(slot) for slot in operation.slots)
    return paths


def _find_closed_root(log: Log, plan: RenamePlan) -> bytes | None:
    """Return the path of a root of a plan that is not open here, or None.

    Nothing is written beyond the roots that are open.
    """
    for folder in plan.folders:
        if folder.root is None:
            continue
        if RecordedPath(folder.root, ()).locate(log.boundary.roots) is None:
            return folder.root
    return None
