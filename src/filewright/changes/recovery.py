"""Finishing or rolling back what an earlier process left, under the lock, before anything else.

An intent goes back: its caller never heard of success. A committed change goes forward, which by
then only means removing what was displaced. A record that is torn or not sealed with our key is set
aside. What cannot be settled is kept, named, and is in the way of nothing but its own files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from filewright.boundary import quote
from filewright.changes.content import Flushing
from filewright.changes.log import DamagedError
from filewright.changes.plan import CommitPlan
from filewright.changes.record import ChangeRecord, Place, id_of
from filewright.changes.settle import Findings, clean_up, roll_back
from filewright.changes.slots import FolderSearch, OpenFolders, Slots, denials
from filewright.errors import FilewrightError, unsettled

if TYPE_CHECKING:
    from filewright.changes.log import Log


_LEFT = "something that rules keep from agents is left of an earlier change; `filewright doctor` names it"


class Recovery(Findings):
    """What a recovery found: ids `rolled_back` and `finished`, operations `set_aside`, besides what others' doings
    made it find.

    `secret` are those conflicts and reasons that may name what is denied: they are not for agents.
    """

    def __init__(self, *, conflicts: Iterable[str] = ()) -> None:
        super().__init__(conflicts=conflicts)
        self.rolled_back: list[str] = []
        self.finished: list[str] = []
        self.set_aside: list[str] = []
        self.secret: set[str] = set()

    @property
    def notes(self) -> list[str]:
        """What an agent may know of it."""
        said = [*self.conflicts, *self.unsettled]
        shown = [note for note in said if note not in self.secret]
        return shown if len(shown) == len(said) else [*shown, _LEFT]

    @classmethod
    def of_all(cls, found: Iterable[Recovery]) -> Recovery:
        """What several recoveries found, one after the other."""
        whole = cls()
        for each in found:
            for name in ("rolled_back", "finished", "set_aside", "conflicts"):
                getattr(whole, name).extend(getattr(each, name))
            whole.waiting = each.waiting
            whole.secret |= each.secret
            whole.unsettled += [why for why in each.unsettled if why not in whole.unsettled]
        return whole

    @property
    def clean(self) -> bool:
        """Whether there was nothing to do."""
        return not any(vars(self).values())


def recover(log: Log, *, settle_above: int, again: bool = False) -> Recovery:
    """Settle the intent and every committed change; needs the workspace lock.

    With `again`, also what an earlier recovery could not settle.
    """
    found = Recovery()
    intents = log.numbers("intent", *(("unsettled",) if again else ()))
    done = log.numbers("done")
    left = [*intents, *(number for number in done if number not in log.cleaned)]
    if left:
        log.search = FolderSearch(log.boundary)
    for number in left:
        operation, plan = log.operation(number), _plan(log, number, found)
        if operation is not None and plan is not None:
            _settle(log, operation, plan, found)
    if len(done) > settle_above:
        settle_done(log)
    return found


def _settle(log: Log, operation: ChangeRecord, plan: CommitPlan, found: Recovery) -> None:
    """Settle one operation; what is found of it is secret if it touched something that is denied."""
    number, identifier, made = operation.number, operation.id, operation.state == "done"
    beyond = _beyond(log, plan)
    if beyond is not None and made:
        return  # It is made; whoever opens all of its roots cleans up.
    if beyond is not None:
        findings = Findings(unsettled=[f"it reaches into {quote(beyond)}: open that too"])
    else:
        with OpenFolders(log.boundary) as folders:
            slots = Slots(log, folders, plan, search=log.search)
            findings = clean_up(log, slots, number) if made else roll_back(log, slots, operation)
    if made:
        if findings.cleaned:
            found.finished.append(identifier)
        found.waiting += findings.waiting
    elif beyond is None:
        if not findings.unsettled:
            found.rolled_back.append(identifier)
        if findings.aside:
            findings.conflicts += [f"{shown} could not be settled yet" for shown in findings.waiting]
            findings.conflicts.append(f"what that change would have done is kept as {findings.aside}")
    if not made and findings.unsettled:
        findings.unsettled = [f"change {identifier}: {why}" for why in findings.unsettled]
        if operation.state == "intent" and (log.own or beyond is None):
            log.leave(number, "unsettled")
    said = {*findings.conflicts, *findings.unsettled}
    if said and beyond is None:
        denied = denials(log.boundary)
        if any(denied(place) for entry in operation.entries for place in entry.ends):
            found.secret |= said
    found.conflicts += findings.conflicts
    found.unsettled += findings.unsettled


def refuse_unsettled(log: Log, record: ChangeRecord) -> None:
    """A change that could not be settled is in the way of its own files only. Raises `in_use`."""
    for number in log.numbers("unsettled"):
        touched = {place for entry in record.entries for place in entry.ends}
        for place in _places(log, number):
            if place in touched:
                raise unsettled(place.shown, id_of(number))


def unfinished_places(log: Log) -> set[Place]:
    """The places of changes here that others can still settle: reading them would show a torn tree.

    Of what could not be settled though all its roots are open, each file may be read as it is.
    """
    found: set[Place] = set()
    for number, state in log.unfinished:
        with suppress(DamagedError):
            if state == "intent" or _beyond(log, log.plan(number)) is not None:
                found.update(_places(log, number))
    return found


def _places(log: Log, number: int) -> Iterator[Place]:
    operation = log.operation(number)
    for entry in operation.entries if operation is not None else ():
        yield from entry.ends


def _plan(log: Log, number: int, found: Recovery) -> CommitPlan | None:
    """What an operation does; one whose plan makes no sense is set aside."""
    try:
        return log.plan(number)
    except DamagedError:
        found.set_aside.append(log.leave(number, "aside"))
        return None


def _beyond(log: Log, plan: CommitPlan) -> bytes | None:
    """A root that a plan reaches into and that is not open: nothing is written beyond the roots."""
    for folder in plan.folders:
        if folder.root is not None and Place(folder.root, ()).below(log.boundary.roots) is None:
            return folder.root
    return None


def settle_done(log: Log) -> None:
    """Flush the folders that were cleaned up, then call those changes settled."""
    log.search = log.search or FolderSearch(log.boundary)
    ready = [number for number in log.numbers("done") if number in log.cleaned]
    flushing = Flushing(log.flusher)
    with OpenFolders(log.boundary) as folders:
        for number in ready:
            plan = _plan(log, number, Recovery())
            # What rules have closed since cannot be flushed: after a power cut, temporaries may be back in it.
            with suppress(FilewrightError):
                Slots(log, folders, plan or CommitPlan((), ()), search=log.search).flush(flushing)
    log.settled(ready)
    log.cleaned.difference_update(ready)
