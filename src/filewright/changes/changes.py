"""`Changes`: commit, undo and recovery of one workspace, besides what is on record of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import is_temporary, quote
from filewright.boundary.worktrees import describe_changed_trees, find_working_tree
from filewright.changes.history import History, Scope, Selection
from filewright.changes.locks import WorkspaceLock
from filewright.changes.log import UNFINISHED, Log, UnreadablePlanError
from filewright.changes.model import (
    ChangeRecord,
    RecordedPath,
    format_change_id,
    visibility_check,
)
from filewright.changes.state_dir import StateFolder
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.database import Database
    from filewright.changes.recovery import Recovery
    from filewright.changes.undo import Conflict, Reversal
    from filewright.edit.changeset import ChangeSet
    from filewright.edit.diff import Diff

# What makes, undoes and shows changes is imported where it is used: a server that has only started needs
# none of it.

_SETTLE_ABOVE = 16
_LEFT_AS_IT_WAS = "this change was interrupted, and could not be taken back; its files were left as they were"
_LOOKED_AT = 256
"""Folders of a change that are looked at for the working tree they are in."""
_IN_THE_WAY = (
    Code.ALREADY_EXISTS,
    Code.NOT_FOUND,
    Code.NOT_A_DIRECTORY,
    Code.NOT_A_FILE,
    Code.INVALID_INPUT,
)


class Changes(History):
    """The only code that changes what is below the roots. Thread-safe.

    Nothing is made on the disk before the first change. Every method that writes raises
    `read_only` in a read-only workspace and `permission_denied` with a hint where the state folder
    cannot be written.
    """

    def __init__(self, boundary: Boundary, settings: Settings) -> None:
        super().__init__(boundary, settings)
        self.before_change: Callable[[Task], None] = _nothing_before
        """Records what others have changed, so that it is on record before a change. The workspace is held then."""
        self.after_commit: Callable[[Sequence[Location]], None] = _nothing_more
        self._lock = WorkspaceLock(boundary, settings.lock_seconds)
        self._found: list[Recovery] = []
        self._reported = 0
        self._withheld: dict[Log, tuple[Sequence[object], set[tuple[bytes, ...]]]] = {}
        """Of logs with changes that cannot be settled here: what was seen unfinished, and its absolute paths."""
        if any(log.list_unfinished(*UNFINISHED, "done") for log in self.logs):
            self._settle(again=True)

    @property
    def state(self) -> StateFolder:
        """The state folder of the first root."""
        return self._own[0].state

    @property
    def databases(self) -> list[Database]:
        """Those in which history is, the first root's own first."""
        return [log.database for log in self.logs]

    def database(self) -> Database:
        """That of the first root, made if it is not there. Raises what opening its state folder does."""
        self.state.open()
        return self.databases[0]

    @property
    def state_notes(self) -> tuple[str, ...]:
        """Why a root has a new state folder although another could have been its own."""
        return tuple(log.state.note for log in self._own if log.state.note)

    @property
    def flushes(self) -> int:
        """How many flushes this object has asked the system for; for measuring."""
        return self._flusher.count

    @property
    def kept(self) -> list[str]:
        """Where versions of others' that were in the way of a change, and records set aside, are kept."""
        return [shown for log in self.logs for shown in log.list_set_aside]

    def problems(self) -> list[str]:
        """What is wrong with the logs of the roots, as SQLite checks them."""
        found = []
        for log in self._own:
            try:
                problem = log.database.problem()
            except FilewrightError as error:
                problem = error.message
            if problem is not None:
                found.append(f"{quote(log.database.locate())}: {problem}")
        return found

    def damage(self, task: Task) -> list[str]:
        """Return which changes cannot be undone since their records or their undo data are damaged."""
        found: dict[str, None] = {}
        for log in self._own:
            with suppress(
                FilewrightError
            ):  # `problems` names what keeps the database from being read.
                log.state.open(make=False)
                found.update(dict.fromkeys(log.find_damage(task)))
        return list(found)

    def left_over(self, task: Task) -> list[str]:
        """Return the temporaries below the roots that no unfinished change names."""
        named: set[bytes] = set()
        for log in self.logs:
            for number, _ in log.list_unfinished(*UNFINISHED, "done"):
                with suppress(UnreadablePlanError, FilewrightError):
                    for operation in log.read_plan(number).operations:
                        named.update(slot.name for slot in operation.slots)
        found: list[str] = []
        pending = [Location(root, ()) for root in self._boundary.roots]
        while pending and not task.expired:
            where = pending.pop()
            with (
                suppress(OSError, FilewrightError),
                self._boundary.open_folder(where) as folder,
            ):
                for name, kind in folder.iter_entries():
                    if is_temporary(name):
                        if name not in named:
                            found.append(where.child(name).display_path)
                    elif kind == "folder":
                        pending.append(where.child(name))
        return found

    def leave_unsettled(self, change_id: str) -> None:
        """Call a change made that could not be settled: its files stay as they are, and it can be undone.

        Raises `not_found` unless it is one of those.
        """
        self._open()
        with self._lock.exclusive():
            for log in self.logs:
                for number, _ in log.list_unfinished("unsettled"):
                    if format_change_id(number) == change_id:
                        log.state.open(make=False)
                        log.add_notes(number, [_LEFT_AS_IT_WAS])
                        log.mark_done(number)
                        self._withhold()
                        return
        raise FilewrightError(
            Code.NOT_FOUND,
            f"no change {change_id} waits to be settled",
            hint="filewright doctor names those that do",
            details={"change_id": change_id},
        )

    # Changing

    def commit(
        self, change_set: ChangeSet, *, task: Task | None = None
    ) -> ChangeRecord:
        """Make every step of a change set, or none.

        Raises `stale_version` naming the file if a step was made against other content, and
        `no_change`, `already_exists`, `not_found`, `hard_linked`, `in_use`, `permission_denied`,
        `too_large`, `no_space`, `timeout`, `cancelled` … In every case nothing was changed.
        """
        from filewright.changes.commit import commit
        from filewright.changes.recovery import Recovery

        task = task or Task()
        if task.preview_diffs is not None:
            task.preview_diffs.append(self._rehearsed(change_set, task))
            raise FilewrightError(
                Code.CANCELLED, "this was a rehearsal; nothing was changed"
            )
        touched = list(change_set.locations)
        numbers = {place.root.index for place in touched}
        folders = {place.parent for place in touched if place.parts}
        with self.writing(task):
            self.before_change(task)
            # It is kept in the log of the first root it touches, which those of the others then point to.
            first, *others = sorted(numbers) or [0]
            log = self._own[first]
            for other in others:
                self._own[other].state.link(log.state)
            # What a recovery just before has met belongs into the answer, not only to the next doctor.
            met: list[str] = []
            for found in self._found[self._reported :]:
                met += found.notes
            for again in (False, True):
                try:
                    record = commit(
                        log,
                        change_set,
                        task,
                        list(dict.fromkeys(met)),
                        task.caller or self.caller,
                    )
                    break
                except FilewrightError as error:
                    if (
                        again
                        or error.code is not Code.IN_USE
                        or "unsettled" not in error.details
                    ):
                        conflicts = error.details.get("conflicts")
                        # An undo that was refused names lines, and nothing that was met.
                        if conflicts and "conflict_count" not in error.details:
                            self._found.append(Recovery(conflicts=conflicts))
                        raise
                # What was in the way of an earlier change may not be any more.
                self._recover(_SETTLE_ABOVE, again=True)
            self._reported = len(self._found)
            task.notices += record.notes
            task.restored_contents.clear()
            self.after_commit(touched)
            trees = set(
                filter(None, map(find_working_tree, list(folders)[:_LOOKED_AT]))
            )
            if trees and (notice := describe_changed_trees(self._boundary, trees)):
                task.notices.append(notice)
            log.enforce_limits(settle=bool(others))
            return record

    @contextmanager
    def writing(self, task: Task | None = None) -> Iterator[None]:
        """Hold the workspace alone: for reading, deciding and committing as one step.

        What an earlier process left is recovered first. Nested calls of the same thread are free.
        """
        self._open(
            task
        )  # Before the lock: others are not to wait while a state folder is made.
        with self._lock.exclusive(task) as fresh:
            for log in self._own:
                # Nested, a change before this one may have failed, and not been rolled back at once.
                if fresh or log.list_unfinished(*UNFINISHED):
                    self._recover(_SETTLE_ABOVE)
                    break
            with self._boundary.caching_aliases():
                yield

    def settle(self) -> None:
        """Settle what a dead process left, if there is anything: asked before every read, a few looks.

        Where that cannot be done (the workspace is read-only, the change reaches beyond its roots,
        the state folder cannot be written) reading the files of the unfinished change is refused
        with `in_use` until it is.
        """
        for log in self.logs:
            seen = log.list_unfinished(*UNFINISHED)
            if not seen:
                self._withheld.pop(log, None)
            elif log not in self._withheld or self._withheld[log][0] != seen:
                self._settle()
                return

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
        for log in self.logs:
            seen = log.list_unfinished(*UNFINISHED)
            if not seen:
                self._withheld.pop(log, None)
                continue
            from filewright.changes.recovery import unfinished_paths

            with suppress(FilewrightError):
                log.state.open(make=False)
                self._withheld[log] = (
                    seen,
                    {place.absolute_parts for place in unfinished_paths(log)},
                )
                self._boundary.before_reading = self._refuse_withheld

    def _refuse_withheld(self, where: Location) -> None:
        names = RecordedPath.from_location(where).absolute_parts
        for log, (_, paths) in list(self._withheld.items()):
            if any(names[:depth] in paths for depth in range(1, len(names) + 1)):
                raise errors.interrupted(
                    where.requested_path, quote(log.state.owner.path)
                )

    def recover(self) -> Recovery:
        """Settle whatever is unfinished; what was found since the last call is reported too."""
        self._open()
        with self._lock.exclusive() as fresh:
            if fresh:
                self._recover(0, again=True)
                self._withhold()
                for log in self._own:
                    log.enforce_limits()
        from filewright.changes.recovery import Recovery

        found = Recovery()
        for each in self._found:
            found.waiting.clear()  # What waits is what the last one found.
            found.add(each)
        self._found.clear()
        self._reported = 0
        return found

    def _recover(self, settle_above: int, *, again: bool = False) -> None:
        """Open the roots' own logs, and settle every log; a change that reaches beyond the roots is left to whoever
        opens those."""
        try:
            for log in self._own:
                if log.state.open() != log.contents.swept_at_ns:
                    log.contents.remove_orphans()
            for log in self.logs:
                left = log.list_unfinished(*UNFINISHED, "done")
                if not left:
                    continue
                if not log.is_own:  # What it has displaced goes before a folder leaves its root with that.
                    log.state.open(make=False)
                if not log.cleaned_up.issuperset(dict(left)):
                    from filewright.changes.recovery import recover

                    found = recover(log, left, again=again)
                    if not found.clean:
                        self._found.append(found)
                        log.enforce_limits()
                if len(log.cleaned_up) > settle_above:
                    from filewright.changes.recovery import settle_cleaned

                    settle_cleaned(log)
        except OSError as error:
            raise from_os_error(error, "the workspace", doing="recover") from error

    def _open(self, task: Task | None = None) -> None:
        if self._settings.read_only:
            raise errors.read_only()
        for log in self._own:
            log.state.open(task)

    # Undoing

    def undo(
        self,
        scope: Scope | str,
        *,
        force: bool = False,
        break_hard_links: bool = False,
        include_shared: bool = False,
        in_part: bool = False,
        preview: bool = False,
        task: Task | None = None,
    ) -> tuple[ChangeRecord | None, Reversal]:
        """Undo what a scope names as one step, with nothing in between, merged where files have moved on.

        `force` gives each file its earlier content over whatever is there, instead of merging or
        refusing; `break_hard_links` replaces files with other names too. What may be the change of another command
        than those of the scope is taken back only with `include_shared`. With `in_part` what cannot be merged is left
        as it is, and is in the reversal; else it refuses all. For a `preview` nothing is changed,
        and the diff of what would be is in the reversal. Raises `not_found`, `invalid_input`, `unsupported`
        (made with undoable=false), `no_change`, `path_escape`, `stale_version` with the conflicts in its
        details, and as `commit` does; in every case nothing was changed.
        """
        from filewright.changes.undo import Reversal

        task = task or Task()
        with nullcontext() if preview else self.writing(task):
            if not preview:
                self.before_change(task)
            selected = self.select(scope, every=force, task=task)
            if not include_shared:
                self.require_unshared(selected)
            left: tuple[Conflict, ...] = ()
            while True:
                reversal = Reversal(
                    selected,
                    self._settings,
                    task,
                    locate=partial(self._locate, visibility_check(self._boundary)),
                    force=force,
                    break_hard_links=break_hard_links,
                    left=left,
                )
                try:
                    if preview:
                        reversal.diff = self._rehearsed(reversal.change_set, task)
                        return None, reversal
                    return self.commit(reversal.change_set, task=task), reversal
                except FilewrightError as error:
                    rest = reversal.rest() if in_part else None
                    if rest is None:
                        refusal = _of_undo(error, selected)
                        if refusal is error:
                            raise
                        raise refusal from error
                    selected, left = rest, (*left, *reversal.conflicts)

    def _rehearsed(self, change_set: ChangeSet, task: Task) -> Diff:
        from filewright.changes.diffs import DiffBuilder

        diffs = DiffBuilder(self._boundary, self._settings)
        return diffs.diff_change_set(
            change_set, max_lines=self._settings.diff_lines, task=task
        )

    def close(self) -> None:
        """Let go of the folders above the roots, which are held for locking, and of the databases."""
        self._lock.close()
        for log in (*self._own, *self._related.values()):
            log.database.close()


def _nothing_before(_task: Task) -> None:
    """Nobody else changes anything that is on record."""


def _of_undo(error: FilewrightError, selected: Selection) -> FilewrightError:
    """Return the error of an undo: what is in the way is reported as what became of the files since the change."""
    if error.code is Code.HARD_LINKED:
        error.hint = (
            "give break_hard_links=true, or --force on the command line, to have the earlier content "
            "under this name; the others keep what they hold"
        )
    if error.code not in _IN_THE_WAY or "hunk" in error.details:
        return error
    return FilewrightError(
        Code.STALE_VERSION,
        f"{selected.description} cannot be undone as things are now: {error.message}",
        hint="undo the later changes of these files first (get_history lists them)",
        details={**selected.details, **error.details},
    )


def _nothing_more(_touched: Sequence[Location]) -> None:
    """Nobody wants to hear of a change."""
