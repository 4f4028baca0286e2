"""The changes of a workspace that are on record: listing them, naming them, and showing what they did."""

from __future__ import annotations

import heapq
import itertools
import re
import secrets
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from filewright import errors
from filewright.boundary import Boundary, Location, quote
from filewright.changes.contents import Contents
from filewright.changes.flushing import Flusher
from filewright.changes.log import Operation
from filewright.changes.record import ChangeRecord, Entries, Entry, Place
from filewright.changes.scope import Scope, Selected, cancelling, effective, local_time, moment_of, not_unique
from filewright.changes.state import Index, StateFolder, base_folder
from filewright.changes.store import Store
from filewright.errors import Code, FilewrightError
from filewright.progress import Caller, Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.show import ChangeDiffs, FileDifference
    from filewright.edit import Diff

# What shows changes is imported where it is used: a server that has only started needs none of it.

_HEADS = 20_000
"""Heads of records that are kept in memory."""
_PLACES = 256
"""Entries of such a record; one with more is read again."""
_LEAST_BEGUN = 4
_BEFORE_HISTORY = 10**9


class RecordedChanges:
    """What history holds of what is below the roots; nothing is written. Thread-safe.

    Each root has a state folder of its own. A change is kept in that of the first root it touches;
    looking back takes in those of folders above and below, and of roots that were changed together
    with one of these.
    """

    def __init__(self, boundary: Boundary, settings: Settings) -> None:
        self.caller = Caller(session=secrets.token_hex(6))
        self._boundary = boundary
        self._settings = settings
        self._flusher = Flusher(enabled=settings.flush)
        self._index = Index(base_folder(settings), settings.lock_seconds)
        self._own = [self._store(StateFolder.of(self._index, root), own=True) for root in boundary.roots]
        self._related: dict[str, Store] = {}
        self._seen_owners: object = None
        self._seen_own: list[str] = []
        self._listing = threading.Lock()
        self._heads: dict[str, tuple[ChangeRecord | None, tuple[Place, ...]]] = {}
        self._held_places = 0

    def _store(self, state: StateFolder, *, own: bool) -> Store:
        return Store(self._boundary, self._settings, state, self._flusher, own=own)

    @property
    def stores(self) -> list[Store]:
        """Every store that may hold changes of what is below the roots, their own first."""
        with self._listing:
            owners = self._index.owners
            if owners is not self._seen_owners:
                # The first change of a root may have been made by another process since it was opened here.
                for store in self._own:
                    store.state.find()
            own = [store.state.owner.id for store in self._own]
            if owners is not self._seen_owners or own != self._seen_own:
                related = self._index.related(self._boundary.roots, own)
                self._related = {
                    owner.id: self._related.get(owner.id)
                    or self._store(StateFolder(self._index, owner, None), own=False)
                    for owner in related
                }
                self._seen_owners, self._seen_own = owners, own
            return [*self._own, *self._related.values()]

    # Listing

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
        from filewright.changes.net import moved

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
            meant = (chosen is None or identifier in chosen) and (before is None or identifier < before)
            if not meant and not wanted:
                continue
            try:
                file = store.committed(identifier)
            except FilewrightError:
                continue
            record = self._inside(file) if file is not None else None
            if record is None:
                continue
            if wanted:
                back = {e.place: e.was for e in record.entries if e.was is not None}
                before_it = [was for place in wanted if (was := moved(place, back)) != place]
                meant = meant and (bool(before_it) or any(map(record.touches, wanted)))
                wanted += [place for place in before_it if place not in wanted]
            if meant:
                found.append(record)
                if chosen is not None:
                    chosen.remove(identifier)
        return found

    def _ids(self) -> Iterator[tuple[str, Store]]:
        """Every change that can be seen from here, newest first."""
        streams = [zip(store.log.ids(), itertools.repeat(store)) for store in self.stores]
        return heapq.merge(*streams, key=lambda item: item[0], reverse=True)

    def _inside(self, file: Operation) -> ChangeRecord | None:
        """A record with what it did below the roots that is not denied, named from there; None if nothing is."""
        everything = file.record.entries
        denied = self._denied()
        hides = any(denied(e.place) or (e.was is not None and denied(e.was)) for e in everything)
        beyond = not {root.resolved for root in self._boundary.roots}.issuperset(file.roots)
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

    def _seen(self, entries: Iterable[Entry]) -> list[Entry]:
        """Those that are of places below the roots and not denied."""
        denied = self._denied()
        return [e for e in entries if not denied(e.place) and self._seen_from_here(e.place) is not None]

    def _seen_from_here(self, place: Place) -> Place | None:
        where = self.location(place)
        return self.place(where) if where is not None else None

    def _denied(self) -> Callable[[Place], bool]:
        """Says of a place whether it is denied now; for one look at history, folder by folder."""
        from filewright.changes.slots import denials

        return denials(self._boundary)

    def newest(self) -> str | None:
        """The id of the newest change of any store, which one look at each journal tells."""
        return max(filter(None, (store.log.newest() for store in self.stores)), default=None)

    def record(self, change_id: str) -> ChangeRecord:
        """One change. Raises `not_found` if there is none with that id."""
        record = self._inside(self._kept(change_id)[1])
        if record is None:
            raise errors.unknown_change(change_id)
        return record

    # Naming

    def identify(self, given: str) -> str:
        """A change's id from what a caller gives: the id or its beginning, ``@`` the newest, ``@~2`` two before.

        Raises `not_found`, and `invalid_input` where several begin so.
        """
        if (back := re.fullmatch(r"@(?:~([0-9]{1,9}))?", given)) is not None:
            skipped = itertools.islice(self.heads(), int(back[1] or 0), None)
            if (head := next(skipped, None)) is not None:
                return head.id
        elif any(store.committed(given) for store in self.stores):
            return given
        elif given:
            begun = (head.id for head in self.heads() if head.id.startswith(given))
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
                    file = store.committed(identifier)
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
            later = (
                itertools.takewhile(lambda head: head.id > record.id, self.heads(task)) if not inside else ()
            )
            others = [(head, self._all_contents(head.id)) for head in later]
            if any(entry.was is not None for _, other in others for entry in other.record.entries):
                contents = self._net(
                    record, [*(head for head, _ in others), record], {record.id}, task, changed_only=False
                )
            words = f": {record.summary}" if scope.path is None and scope.hunk is None else ""
            selected = Selected(
                contents,
                (record.id,),
                f"the change {record.id}",
                f"undo {record.id}{words}",
                {"change_id": record.id},
            )
        else:
            selected = self._together(scope, inside, every, task)
        return selected if scope.path is None and scope.hunk is None else self._narrowed(selected, scope)

    def _net(
        self,
        record: ChangeRecord,
        heads: Sequence[ChangeRecord],
        chosen: Collection[str],
        task: Task,
        *,
        changed_only: bool,
    ) -> Contents:
        """What the chosen ones of `heads` did together, at the places to which the others have moved it."""
        from filewright.changes.net import net_of

        gone = cancelling(heads, {head.id for head in heads if head.id not in chosen})
        return net_of(
            record,
            ((self._all_contents(h.id), h.id in chosen) for h in reversed(heads) if h.id not in gone),
            small=self._settings.hold_bytes,
            changed_only=changed_only,
            task=task,
        )

    def _together(self, scope: Scope, inside: bool, every: bool, task: Task) -> Selected:
        """The changes of a session, or since a moment, as one."""
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
        contents = self._net(record, heads[:upto], left, task, changed_only=not every)
        if inside:
            contents = contents.narrowed(self._seen(contents.record.entries))
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
            if not (seen := self._seen(entries)):
                self._locating()(entries[0].place)
            entries = seen
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

    # Showing

    def diff(
        self,
        scope: Scope | str,
        *,
        entries: slice | None = None,
        max_lines: int | None = None,
        task: Task | None = None,
    ) -> Diff:
        """What was done, or done to some `entries`, in at most about `max_lines` lines.

        It ends where the time of `task` does, and says what it left out.
        """
        return self._diffs.of_record(
            self.select(scope, inside=True, task=task).contents,
            max_lines=max_lines or self._settings.diff_lines,
            task=task or Task(),
            entries=entries,
        )

    def difference(self, contents: Contents, entry: Entry, *, max_lines: int) -> FileDifference:
        """What became of one file, with its lines counted; with `max_lines` 0 without a diff."""
        return self._diffs.of_entry(contents, entry, max_lines=max_lines)

    @property
    def _diffs(self) -> ChangeDiffs:
        from filewright.changes.show import ChangeDiffs

        return ChangeDiffs(self._boundary, self._settings, self.location)

    def contents(self, change_id: str, *, inside: bool = False) -> Contents:
        """What a change's files held before and after, as far as that was kept; or those `inside` the roots.

        Of what is denied its words tell nothing in either.
        """
        store, operation = self._kept(change_id)
        record = self._inside(operation)
        if not inside:
            record = replace(operation.record, summary=record.summary if record else operation.record.tool)
        elif record is None:
            raise errors.unknown_change(change_id)
        return Contents(store.log.contents, record, small=self._settings.hold_bytes)

    def _all_contents(self, change_id: str) -> Contents:
        store, operation = self._kept(change_id)
        return Contents(store.log.contents, operation.record, small=self._settings.hold_bytes)

    # Places

    def place(self, location: Location) -> Place:
        """How history names a location."""
        return Place.of(location)

    def location(self, place: Place) -> Location | None:
        """The location of a place in history; None if it is below no root that is served now."""
        from filewright.changes.slots import located

        return located(self._boundary, place)

    def _locating(self) -> Callable[[Place], Location]:
        """Finds the locations of places, for one look at history. It raises `path_escape`, `permission_denied`."""
        denied = self._denied()

        def locate(place: Place) -> Location:
            where = self.location(place)
            if where is None:
                raise errors.beyond_roots(place.shown, quote(place.root))
            if denied(place):
                raise errors.denied("what that change touched")
            return where

        return locate

    def _kept(self, change_id: str) -> tuple[Store, Operation]:
        for store in self.stores:
            file = store.committed(change_id)
            if file is not None:
                return store, file
        raise errors.unknown_change(change_id)

    def entry_at(self, record: ChangeRecord, location: Location) -> Entry | None:
        """What a change did at one place."""
        place = self.place(location)
        return next((entry for entry in record.entries if entry.place == place), None)


def _content_only(entry: Entry, asked: str) -> Entry:
    """An entry without what it did to name and rights. Raises `unsupported` if it changed no content."""
    before, after = entry.before, entry.after
    if before is None or after is None or before.kind != "file" or entry.action == "attributes":
        raise errors.no_hunks(asked)
    return replace(entry, was=None, before=replace(before, mode=after.mode, uid=after.uid, gid=after.gid))
