"""`Changes`: commit, history, undo and recovery of one workspace."""

from __future__ import annotations

import heapq
import itertools
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from filewright import errors
from filewright.boundary import Boundary, DenyRules, Location, quote
from filewright.changes.contents import Contents
from filewright.changes.flushing import Flusher
from filewright.changes.locks import WorkspaceLock, wait_for
from filewright.changes.record import ChangeRecord, Entries, Entry, Place
from filewright.changes.recordfile import RecordFile
from filewright.changes.scope import Scope, Selected, cancelling, effective, local_time, moment_of, not_unique
from filewright.changes.state import Index, StateFolder, base_folder
from filewright.changes.store import Store
from filewright.edit import ChangeSet, Copy, Move, Step
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Caller, Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.recovery import Recovery
    from filewright.changes.show import FileDifference
    from filewright.changes.undo import Reversal

# What makes, undoes and shows changes is imported where it is used: a server that has only started needs
# none of it.

_SETTLE_ABOVE = 16
_HEADS = 20_000
"""Heads of records that are kept in memory."""
_PLACES = 256
"""Entries of such a record; one with more is read again."""
_LEAST_BEGUN = 4
_BEFORE_HISTORY = 10**9


@dataclass(frozen=True, slots=True)
class Withheld:
    """The absolute paths of unfinished changes that cannot be settled here, each by its names, the `root`
    to open, and what was `seen` of them."""

    seen: tuple[object, ...]
    root: bytes
    paths: frozenset[tuple[bytes, ...]]


class Changes:
    """The only code that changes what is below the roots. Thread-safe.

    Nothing is made on the disk before the first change. Every method that writes raises
    `read_only` in a read-only workspace and `permission_denied` with a hint where the state folder
    cannot be written.

    Each root has a state folder of its own. A change is kept in that of the first root it touches;
    looking back takes in those of folders above and below, and of roots that were changed together
    with one of these.
    """

    def __init__(self, boundary: Boundary, settings: Settings) -> None:
        self.caller = Caller(session=secrets.token_hex(6))
        self._boundary = boundary
        self._settings = settings
        self._flusher = Flusher(enabled=settings.flush)
        self._lock = WorkspaceLock(boundary, settings.lock_seconds)
        self._index = Index(base_folder(settings), settings.lock_seconds)
        self._own = [self._store(StateFolder.of(self._index, root), own=True) for root in boundary.roots]
        self._related: dict[str, Store] = {}
        self._seen_owners: object = None
        self._found: list[Recovery] = []
        self._told = 0
        self._opening = threading.Lock()
        self._listing = threading.Lock()
        self._withheld: dict[str, Withheld] = {}
        self._heads: dict[str, tuple[ChangeRecord | None, tuple[Place, ...]]] = {}
        self._held_places = 0
        boundary.before_reading = self._refuse_withheld
        self._settle_at_opening()

    def _store(self, state: StateFolder, *, own: bool) -> Store:
        return Store(self._boundary, self._settings, state, self._flusher, own=own)

    @property
    def state(self) -> StateFolder:
        """The state folder of the first root."""
        return self._own[0].state

    @property
    def stores(self) -> list[Store]:
        """Every store that may hold changes of what is below the roots, their own first."""
        with self._listing:
            owners = self._index.owners
            if owners is not self._seen_owners:
                own = [store.state.owner.id for store in self._own]
                related = self._index.related(self._boundary.roots, own)
                self._related = {
                    owner.id: self._related.get(owner.id)
                    or self._store(StateFolder(self._index, owner, None), own=False)
                    for owner in related
                }
                self._seen_owners = owners
            return [*self._own, *self._related.values()]

    @property
    def state_notes(self) -> tuple[str, ...]:
        """Why a root has a new state folder although another could have been its own."""
        return tuple(store.state.note for store in self._own if store.state.note)

    @property
    def flushes(self) -> int:
        """How many flushes this object has asked the system for; for measuring."""
        return self._flusher.count

    @property
    def kept(self) -> list[str]:
        """Where versions of others' that were in the way of a change, and records set aside, are kept."""
        return [quote(path) for store in self.stores for path in store.journal.kept_paths()]

    # Changing

    def commit(self, change_set: ChangeSet, *, task: Task | None = None) -> ChangeRecord:
        """Make every step of a change set, or none.

        Raises `stale_version` naming the file if a step was made against other content, and
        `no_change`, `already_exists`, `not_found`, `hard_linked`, `in_use`, `permission_denied`,
        `too_large`, `no_space`, `timeout`, `cancelled` … In every case nothing was changed.
        """
        from filewright.changes.commit import commit
        from filewright.changes.recovery import Recovery

        task = task or Task()
        with self.writing(task):
            # What a recovery just before has met belongs into the answer, not only to the next doctor.
            met = [
                note for found in self._found[self._told :] for note in (*found.conflicts, *found.unsettled)
            ]
            store, *others = self._stores_of(change_set)
            try:
                record = commit(store, change_set, task, met, task.caller or self.caller)
            except FilewrightError as error:
                if conflicts := error.details.get("conflicts"):
                    self._found.append(Recovery(conflicts=list(conflicts)))
                raise
            self._told = len(self._found)
            task.notices += record.notes
            store.collect(record.id, settle=bool(others))
            return record

    def _stores_of(self, change_set: ChangeSet) -> list[Store]:
        """Those of the roots a change touches; it is kept in the first, which the others then point to."""
        touched = {where.root.index for step in change_set.steps for where in _touched(step)}
        first, *others = [self._own[index] for index in sorted(touched)] or self._own[:1]
        for other in others:
            try:
                other.state.link(first.state)
            except OSError as error:
                raise from_os_error(error, "the state folder", doing="write to") from error
        return [first, *others]

    def check(self, change_set: ChangeSet) -> None:
        """Raise what `commit` would raise before it reads a file's content; changes nothing."""
        from filewright.changes.slots import OpenFolders
        from filewright.changes.steps import take_steps
        from filewright.changes.tree import Tree

        folders = OpenFolders(self._boundary)
        try:
            take_steps(Tree(self._boundary, folders), change_set)
        finally:
            folders.close()

    @contextmanager
    def writing(self, task: Task | None = None) -> Iterator[None]:
        """Hold the workspace alone: for reading, deciding and committing as one step.

        What an earlier process left is recovered first. Nested calls of the same thread are free.
        """
        self._open(task)
        with self._lock.exclusive(task) as fresh:
            if fresh:
                self._recover(_SETTLE_ABOVE)
            yield

    @contextmanager
    def reading(self, task: Task | None = None) -> Iterator[None]:
        """Hold off changes by other processes while several files are opened as of one moment."""
        with self._lock.shared(task):
            yield

    def settle(self) -> None:
        """Settle what a dead process left, if there is anything: asked before every read, a few looks.

        Where that cannot be done (the workspace is read-only, the change reaches beyond its roots,
        the state folder cannot be written) reading the files of the unfinished change is refused
        with `in_use` until it is.
        """
        for store in self.stores:
            seen, known = store.unfinished, self._withheld.get(store.state.owner.id)
            if seen is None:
                self._withheld.pop(store.state.owner.id, None)
            elif known is None or known.seen != seen:
                self._settle()
                return

    def _settle_at_opening(self) -> None:
        if any(store.unfinished or store.journal.done_paths() for store in self.stores):
            self._settle(again=True)

    def _settle(self, *, again: bool = False) -> None:
        """Recover unless somebody alive is at work, who has the lock."""
        try:
            with self._lock.exclusive(wait=False) as fresh:
                if fresh:
                    if not self._settings.read_only:
                        self._recover(_SETTLE_ABOVE, again=again)
                    self._withhold()
        except FilewrightError as error:
            if error.code is not Code.TIMEOUT:
                self._withhold()

    def _withhold(self) -> None:
        """Note the places of all that is left unfinished."""
        for store in self.stores:
            seen = store.unfinished
            if seen is None:
                self._withheld.pop(store.state.owner.id, None)
                continue
            try:
                store.state.load()
                places = store.recoverer.unfinished_places()
            except FilewrightError:
                continue
            owner = store.state.owner
            self._withheld[owner.id] = Withheld(seen, owner.path or b"", frozenset(map(_names, places)))

    def _refuse_withheld(self, where: Location) -> None:
        if not self._withheld:
            return
        names = _names(self.place(where))
        for withheld in list(self._withheld.values()):
            if any(names[:depth] in withheld.paths for depth in range(1, len(names) + 1)):
                raise errors.interrupted(where.asked, quote(withheld.root))

    def recover(self) -> Recovery:
        """Settle whatever is unfinished; what was found since the last call is reported too."""
        self._open()
        with self._lock.exclusive() as fresh:
            if fresh:
                self._recover(0, again=True)
                self._withhold()
                for store in self._own:
                    store.collect()
        from filewright.changes.recovery import Recovery

        found = Recovery.of_all(self._found)
        self._found.clear()
        self._told = 0
        return found

    def _recover(self, settle_above: int, *, again: bool = False) -> None:
        """Settle every store; a change that reaches beyond the roots is left to whoever opens those."""
        for store in self.stores:
            if not store.own and not (store.unfinished and store.readable):
                continue
            if store.own:
                store.state.open()
            found = store.recover(settle_above, again=again)
            if not found.clean:
                self._found.append(found)
                store.collect()

    def _open(self, task: Task | None = None) -> None:
        if self._settings.read_only:
            raise errors.read_only()
        # Another thread may be waiting for a process that never lets go of the index.
        seconds = self._settings.lock_seconds
        busy = errors.locked("change was opening the state folder", seconds)
        wait_for(partial(self._opening.acquire, blocking=False), time.monotonic() + seconds, task, busy)
        try:
            for store in self._own:
                store.state.open(task)
        finally:
            self._opening.release()

    # What others change

    def begin_command(self, identifier: str, task: Task) -> None:
        """Note what is below the roots before a command of a shell. Raises `not_found` for a bad id."""
        from filewright.changes.shell import begin_command

        self._open(task)
        for store, root in zip(self._own, self._boundary.roots, strict=True):
            begin_command(self._boundary, store, root, identifier, task)

    def end_command(
        self, identifier: str, summary: str, caller: Caller, task: Task
    ) -> tuple[ChangeRecord, ...]:
        """Record what the command has changed, as a change in each root where that is something.

        What was changed by the tools meanwhile is on record already. Raises `not_found`, and what a
        commit raises for the lock and the state folder.
        """
        from filewright.changes.shell import begun_at, end_command

        made = []
        with self.writing(task):
            begun = begun_at(self._own[0], identifier)
            if begun is None:
                raise errors.unknown_listing(identifier)
            later = itertools.takewhile(lambda head: head.time_ns > begun, self.heads(task))
            ours: dict[Place, str | None] = {}
            for head in reversed(list(later)):
                for entry in self.record(head.id).entries:
                    if entry.was is not None:
                        ours[entry.was] = None
                    ours[entry.place] = entry.after.digest if entry.after is not None else None
            for store, root in zip(self._own, self._boundary.roots, strict=True):
                record = end_command(self._boundary, store, root, identifier, summary, caller, ours, task)
                made += [record] if record is not None else []
        return tuple(made)

    # Looking back

    def history(
        self,
        *,
        location: Location | None = None,
        limit: int = 20,
        before: str | None = None,
        session: str | None = None,
        client: str | None = None,
        since: str | None = None,
        task: Task | None = None,
    ) -> list[ChangeRecord]:
        """Committed changes, newest first: at most `limit`, older than the change `before`.

        With `location`, those that touched it or something below it, also under an earlier name; those of
        a `session`, of clients whose name begins with `client`, after the time or change `since`.
        """
        found: list[ChangeRecord] = []
        wanted = [self.place(location)] if location is not None else []
        chosen = None
        if session is not None or client is not None or since is not None:
            heads = list(self.heads(task))
            name = self._session(session, heads, task) if session is not None else None
            moment = self._moment(since, None)[0] if since is not None else 0
            chosen = {
                head.id
                for head in heads
                if name in (None, head.session)
                and (head.client or "").casefold().startswith((client or "").casefold())
                and head.time_ns > moment
            }
        for identifier, store in self._ids():
            if len(found) >= limit or (chosen is not None and not chosen):
                break
            if chosen is not None and identifier not in chosen and not wanted:
                continue
            if before is not None and not wanted and identifier >= before:
                continue
            try:
                file = store.file(identifier)
            except FilewrightError:
                continue
            record = self._inside(file) if file is not None else None
            if record is None:
                continue
            if wanted:
                touched = any(record.touches(place) for place in wanted)
                wanted += [e.was for e in record.entries if e.was is not None and e.place in wanted]
                if not touched or (before is not None and identifier >= before):
                    continue
            if chosen is not None:
                if identifier not in chosen:
                    continue
                chosen.remove(identifier)
            found.append(record)
        return found

    def _ids(self) -> Iterator[tuple[str, Store]]:
        """Every change that can be seen from here, newest first."""
        streams = [zip(store.ids(), itertools.repeat(store)) for store in self.stores]
        return heapq.merge(*streams, key=lambda item: item[0], reverse=True)

    def _inside(self, file: RecordFile) -> ChangeRecord | None:
        """A record with what it did below the roots that is not denied, named from there; None if nothing is."""
        everything = file.record.entries
        denied = self._denied()
        hides = any(denied(e.place) or (e.was is not None and denied(e.was)) for e in everything)
        beyond = not {root.resolved or root.path for root in self._boundary.roots}.issuperset(file.roots)
        if not hides and not beyond:
            return file.record

        def seen(place: Place | None) -> Place | None:
            return None if place is None or denied(place) else self._seen_from_here(place)

        def inside() -> Iterator[Entry]:
            for entry in everything:
                place, was = seen(entry.place), seen(entry.was)
                if place is not None:
                    yield replace(entry, place=place, was=was)
                elif was is not None:
                    yield replace(entry, place=was, was=None, after=None)

        count = sum(1 for _ in inside())
        record = replace(file.record, entries=Entries(count, inside))
        if hides:  # its words may name what is denied
            record = replace(record, summary=record.tool, notes=(), hard_links={})
        return record if count else None

    def _seen_from_here(self, place: Place) -> Place | None:
        where = self.location(place)
        return self.place(where) if where is not None else None

    def _denied(self) -> Callable[[Place], bool]:
        """Says of a place whether it is denied now; for one look at history, folder by folder."""
        folders: dict[tuple[bytes, tuple[bytes, ...]], DenyRules | None] = {}

        def denied(place: Place) -> bool:
            key = place.root, place.parts[:-1]
            if key not in folders:
                where = self.location(place)
                folders[key] = None if where is None else self._boundary.rules_by_name(where.parent)
            rules = folders[key]
            return rules is not None and bool(place.parts) and rules.denies(place.parts[-1], None)

        return denied

    def record(self, change_id: str) -> ChangeRecord:
        """One change. Raises `not_found` if there is none with that id."""
        record = self._inside(self._kept(change_id)[1])
        if record is None:
            raise errors.unknown_change(change_id)
        return record

    # Naming changes

    def identify(self, given: str) -> str:
        """A change's id from what a caller gives: the id or its beginning, ``@`` the newest, ``@~2`` two before.

        Raises `not_found`, and `invalid_input` where several begin so.
        """
        if (back := re.fullmatch(r"@(?:~([0-9]{1,9}))?", given)) is not None:
            skipped = itertools.islice(self.heads(), int(back[1] or 0), None)
            if (head := next(skipped, None)) is not None:
                return head.id
        elif any(store.journal.find(given) for store in self.stores):
            return given
        elif given:
            begun = (identifier for identifier, _ in self._ids() if identifier.startswith(given))
            found = list(itertools.islice(begun, 5))
            if len(found) > 1:
                raise not_unique("change", given, found)
            if found:
                return found[0]
        raise errors.unknown_change(given)

    def heads(self, task: Task | None = None) -> Iterator[ChangeRecord]:
        """All changes of what is below the roots, newest first, without their entries."""
        denied = self._denied()
        for identifier, store in self._ids():
            if task is not None:
                task.check()
            known = self._heads.get(identifier)
            head = known[0] if known is not None else None
            # What is denied may be another since: then the record is read again.
            if known is None or any(map(denied, known[1])):
                try:
                    file = store.file(identifier)
                except FilewrightError:
                    continue  # A damaged record; asking for it says so.
                record = self._inside(file) if file is not None else None
                head = replace(record, entries=()) if record is not None else None
                if file is not None and len(file.record.entries) <= _PLACES:
                    touched = {place for e in file.record.entries for place in (e.place, e.was) if place}
                    if not any(map(denied, touched)):
                        self._hold(identifier, head, tuple(touched))
            if head is not None:
                yield head

    def _hold(self, identifier: str, head: ChangeRecord | None, places: tuple[Place, ...]) -> None:
        if len(self._heads) > _HEADS or self._held_places > 8 * _HEADS:
            self._heads.clear()
            self._held_places = 0
        self._heads[identifier] = head, places
        self._held_places += len(places)

    def sessions(self, task: Task | None = None) -> Iterator[tuple[ChangeRecord, ...]]:
        """The heads of all changes by sessions, the session that changed something last first."""
        found: dict[str | None, list[ChangeRecord]] = {}
        for head in self.heads(task):
            found.setdefault(head.session, []).append(head)
        return map(tuple, found.values())

    def select(
        self, scope: Scope | str, *, inside: bool = False, every: bool = False, task: Task | None = None
    ) -> Selected:
        """What a scope means, a change's id being one; or only what of it is `inside` the roots.

        What has been undone already is no part of a session, or of what was changed since a moment,
        unless `every` change is meant. Raises `not_found`, `invalid_input`, and `no_change` where
        nothing is left.
        """
        task = task or Task()
        scope = Scope(scope) if isinstance(scope, str) else scope
        if scope.change_id is not None:
            contents = self.contents(self.identify(scope.change_id), inside=inside)
            record = contents.record
            selected = Selected(
                contents,
                (record.id,),
                f"the change {record.id}",
                f"undo {record.id}: {record.summary}",
                {"change_id": record.id},
            )
        else:
            selected = self._together(scope, inside, every, task)
        return selected if scope.path is None and scope.hunk is None else self._narrowed(selected, scope)

    def _together(self, scope: Scope, inside: bool, every: bool, task: Task) -> Selected:
        """The changes of a session, or since a moment, as one."""
        from filewright.changes.net import net_of

        heads = list(self.heads(task))
        if scope.session is not None:
            name = self._session(scope.session, heads, task)
            chosen = {head.id for head in heads if head.session == name}
            what, summary = f"the session {name}", f"rewind the session {name}"
            named = {"session": name}
        else:
            moment, shown = self._moment(scope.since or "", heads)
            chosen = {head.id for head in heads if head.time_ns > moment}
            what, summary = f"what was changed since {shown}", f"rewind to {shown}"
            named = {"since": shown}
        left = chosen if every else effective(heads, chosen)
        newest = next((head for head in heads if head.id in left), None)
        if newest is None:
            raise FilewrightError(
                Code.NO_CHANGE,
                f"there is nothing left to undo of {what}",
                hint="it is undone already" if chosen else "nothing was changed since then",
                details=named,
            )
        ids = tuple(head.id for head in heads if head.id in left)
        upto = next(index for index, head in enumerate(heads, 1) if head.id == ids[-1])
        record = replace(
            newest, summary=what, undoable=all(head.undoable for head in heads if head.id in left)
        )
        heads = heads[:upto]
        gone = cancelling(heads, {head.id for head in heads if head.id not in left})
        contents = net_of(
            record,
            ((self.contents(h.id), h.id in left) for h in reversed(heads) if h.id not in gone),
            small=self._settings.hold_bytes,
            changed_only=not every,
            task=task,
        )
        if inside:
            denied = self._denied()
            seen = [
                e
                for e in contents.record.entries
                if not denied(e.place) and self._seen_from_here(e.place) is not None
            ]
            contents = contents.narrowed(seen)
        count = f" ({len(ids)} changes)" if len(ids) > 1 else ""
        return Selected(contents, ids, what, summary + count, named)

    def scope_named(self, given: str) -> Scope:
        """What a person means by a word: a session, `last`, a time or a change since which all is meant."""
        heads = list(self.heads())
        if given in ("last", "current") or any(head.session == given for head in heads):
            return Scope(session=given)
        if moment_of(given) is not None:
            return Scope(since=given)
        try:
            self.identify(given.removesuffix("^"))
        except FilewrightError as error:
            if error.code is not Code.NOT_FOUND:
                raise
        else:
            return Scope(since=given)
        return Scope(session=self._session(given, heads, None))

    def _session(self, given: str, heads: Sequence[ChangeRecord], task: Task | None) -> str:
        """A session's name from what a caller gives: the name or its beginning, `current`, or `last`.

        The last is the newest that changed something which is not undone.
        """
        known = list(dict.fromkeys(head.session for head in heads if head.session is not None))
        if given == "current":
            given = ((task and task.caller) or self.caller).session or given
        if given == "last":
            left = effective(heads, {head.id for head in heads if not head.reverts})
            last = next((head.session for head in heads if head.id in left and head.session), None)
            if last is not None:
                return last
        if given in known:
            return given
        begun = [name for name in known if name.startswith(given)] if len(given) >= _LEAST_BEGUN else []
        if len(begun) > 1:
            raise not_unique("session", given, begun[:5])
        if begun:
            return begun[0]
        raise errors.unknown_session(given, known[:5])

    def _moment(self, given: str, heads: Sequence[ChangeRecord] | None) -> tuple[int, str]:
        """The time after which changes are meant, and how it is shown; ``CHANGE^`` is that before the change.

        With all `heads` it must be one that the history knows of.
        """
        moment = moment_of(given)
        if moment is None:
            before = given.endswith("^")
            record = self.record(self.identify(given.removesuffix("^")))
            return record.time_ns - before, f"{'before ' if before else ''}the change {record.id}"
        if heads is None:
            return moment, local_time(moment)
        begins = heads[-1].time_ns if heads else None
        if begins is None or moment < begins - _BEFORE_HISTORY:
            raise errors.before_history(given, local_time(begins) if begins is not None else None)
        if moment > time.time_ns():
            raise errors.in_the_future(given)
        return moment, local_time(moment)

    def _narrowed(self, selected: Selected, scope: Scope) -> Selected:
        """What was done at the path of a scope only, or only its hunk."""
        contents = selected.contents
        entries: Sequence[Entry] = contents.record.entries
        asked = ""
        if scope.path is not None:
            place, asked = self.place(scope.path), scope.path.asked
            entries = tuple(entry for entry in entries if entry.touches(place))
            if not entries:
                raise errors.not_touched(selected.what, asked)
        part = asked
        if scope.hunk is not None:
            if len(entries) > 1:
                raise errors.one_file_for_a_hunk(selected.what)
            entries = (_content_only(entries[0], asked or entries[0].place.shown),)
            part = f"hunk {scope.hunk} of {asked or entries[0].place.shown}"
        return replace(
            selected,
            contents=contents.narrowed(entries),
            summary=f"{selected.summary} ({part} only)",
            named={**selected.named, "path": asked or entries[0].place.shown},
            partial=True,
            hunk=scope.hunk,
        )

    # Undoing and showing

    def revert(self, scope: Scope | str, *, force: bool = False, task: Task | None = None) -> Reversal:
        """The change set that undoes what a scope names, merged where files have moved on; commits nothing.

        `force` gives each file its earlier content over whatever is there, instead of merging or
        refusing. Raises `not_found`, `invalid_input`, `unsupported` (made with undoable=false),
        `no_change`, `path_escape`, and `stale_version` with the conflicts in its details.
        """
        task = task or Task()
        reversal = self._reversal(self.select(scope, every=force, task=task), force, task)
        with _told_as_undo(reversal.selected):
            self.check(reversal.change_set)
        return reversal

    def undo(
        self, scope: Scope | str, *, force: bool = False, task: Task | None = None
    ) -> tuple[ChangeRecord, Reversal]:
        """Undo what a scope names as one step, with nothing in between.

        Raises as `revert` and `commit` do; in every case nothing was changed.
        """
        task = task or Task()
        with self.writing(task):
            selected = self.select(scope, every=force, task=task)
            # At first without a look at what the commit will look at anyway; if something is not as the
            # change left it, a second time, to merge it or to say what is in the way.
            for trusting in (not force, False):
                reversal = self._reversal(selected, force, task, trusting=trusting)
                try:
                    with _told_as_undo(selected):
                        return self.commit(reversal.change_set, task=task), reversal
                except FilewrightError as error:
                    if not trusting or error.code is not Code.STALE_VERSION:
                        raise
        raise AssertionError("unreachable")

    def _reversal(self, selected: Selected, force: bool, task: Task, *, trusting: bool = False) -> Reversal:
        from filewright.changes.show import diff_of_change_set
        from filewright.changes.undo import undo_of

        return undo_of(
            self._boundary,
            self._settings,
            selected,
            locate=self._located,
            show=partial(
                diff_of_change_set,
                self._boundary,
                self._settings,
                max_lines=self._settings.diff_lines,
                task=task,
            ),
            force=force,
            trusting=trusting,
            task=task,
        )

    def diff(
        self,
        scope: Scope | str,
        *,
        entries: slice | None = None,
        max_lines: int | None = None,
        task: Task | None = None,
    ) -> str:
        """What was done, or done to some `entries`, as a git-style diff of at most about `max_lines` lines.

        It ends where the time of `task` does, and says what it left out.
        """
        from filewright.changes.show import diff_of_record

        return diff_of_record(
            self._boundary,
            self._settings,
            self.select(scope, inside=True, task=task).contents,
            locate=self.location,
            max_lines=max_lines or self._settings.diff_lines,
            task=task or Task(),
            entries=entries,
        )

    def difference(self, contents: Contents, entry: Entry, *, max_lines: int) -> FileDifference:
        """What became of one file, with its lines counted; with `max_lines` 0 without a diff."""
        from filewright.changes.show import difference_of

        return difference_of(
            self._boundary,
            self._settings,
            contents,
            entry,
            locate=self.location,
            max_lines=max_lines,
            count=True,
        )

    def contents(self, change_id: str, *, inside: bool = False) -> Contents:
        """What a change's files held before and after, as far as that was kept; or those `inside` the roots."""
        store, file = self._kept(change_id)
        if inside:
            record = self._inside(file)
            if record is None:
                raise errors.unknown_change(change_id)
            file = replace(file, record=record)
        return Contents(store.blobs, file, small=self._settings.hold_bytes)

    def close(self) -> None:
        """Let go of the folders above the roots, which are held for locking."""
        self._lock.close()

    @property
    def not_locked(self) -> tuple[str, ...]:
        """The folders above the roots that cannot be locked: a workspace there is not kept apart."""
        return tuple(dict.fromkeys(self._lock.skipped))

    # Places

    def place(self, location: Location) -> Place:
        """How history names a location."""
        return Place(location.root.resolved or location.root.path, location.parts)

    def location(self, place: Place) -> Location | None:
        """The location a place in history stands for; None if it is below no root that is served now."""
        from filewright.changes.slots import located

        return located(self._boundary, place)

    def _located(self, place: Place) -> Location:
        where = self.location(place)
        if where is None:
            raise errors.beyond_roots(place.shown, quote(place.root))
        if self._denied()(place):
            raise errors.denied("what that change touched")
        return where

    def _kept(self, change_id: str) -> tuple[Store, RecordFile]:
        for store in self.stores:
            file = store.file(change_id)
            if file is not None:
                return store, file
        raise errors.unknown_change(change_id)

    def entry_at(self, record: ChangeRecord, location: Location) -> Entry | None:
        """What a change did at one place."""
        place = self.place(location)
        return next((entry for entry in record.entries if entry.place == place), None)


def _touched(step: Step) -> tuple[Location, ...]:
    match step:
        case Move():
            return step.source, step.destination
        case Copy():
            return (step.destination,)
        case _:
            return (step.location,)


def _names(place: Place) -> tuple[bytes, ...]:
    """The names of an absolute path, from the top."""
    return (*filter(None, place.root.split(b"/")), *place.parts)


def _content_only(entry: Entry, asked: str) -> Entry:
    """An entry without what it did to name and rights. Raises `unsupported` if it changed no content."""
    before, after = entry.before, entry.after
    if before is None or after is None or before.kind != "file" or entry.action == "attributes":
        raise errors.no_hunks(asked)
    return replace(entry, was=None, before=replace(before, mode=after.mode, uid=after.uid, gid=after.gid))


@contextmanager
def _told_as_undo(selected: Selected) -> Iterator[None]:
    """What is in the way of an undo is told as what became of the files since the change."""
    try:
        yield
    except FilewrightError as error:
        if error.code not in (Code.ALREADY_EXISTS, Code.NOT_FOUND, Code.NOT_A_DIRECTORY, Code.INVALID_INPUT):
            raise
        raise FilewrightError(
            Code.STALE_VERSION,
            f"{selected.what} cannot be undone as things are now: {error.message}",
            hint="undo the later changes of these files first (get_history lists them)",
            details={**selected.named, **error.details},
        ) from error
