"""The object that commits, undoes, recovers and lists the changes of a workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from filewright import errors
from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import is_temporary, quote
from filewright.changes.history import History
from filewright.changes.locks import WorkspaceLock
from filewright.changes.log import Log
from filewright.changes.log_reader import UNFINISHED, UnreadablePlanError
from filewright.changes.model import (
    ChangeRecord,
    format_change_id,
    parse_change_id,
    visibility_check,
)
from filewright.changes.recoverer import Recoverer
from filewright.changes.retention import enforce_limits
from filewright.changes.selection import Scope, Selection
from filewright.changes.state_dir import StateFolder
from filewright.errors import Code, FilewrightError
from filewright.hints import Hint
from filewright.progress import Task
from filewright.settings import Settings

if TYPE_CHECKING:
    from filewright.changes.database import Database
    from filewright.changes.recovery import Recovery
    from filewright.changes.undo import Reversal
    from filewright.changes.undo_plan import UndoOptions
    from filewright.changes.undo_report import Conflict, LaterLines, WaysOut
    from filewright.edit.changeset import ChangeSet
    from filewright.edit.diff import Diff

# The modules that make, undo and show changes are imported where they are used: a
# server that has only started and a hook that finds no change need none of them.

_NOT_ROLLED_BACK = (
    "this change was interrupted and could not be taken back; its files stay "
    "as it left them"
)
_MAX_TREE_LOOKUPS = 256
"""Folders of a change for which the working tree they are in is looked up."""
_MEANS_CHANGED_SINCE = (
    Code.ALREADY_EXISTS,
    Code.NOT_FOUND,
    Code.NOT_A_DIRECTORY,
    Code.NOT_A_FILE,
    Code.INVALID_INPUT,
)
"""Errors of an undo that say what became of the files since the change."""


class Changes(History):
    """The changes of one workspace. Thread-safe.

    Nothing else modifies files below its roots. Nothing is made on the disk before the
    first change. Every method that writes raises `read_only` in a read-only workspace,
    and `permission_denied` with a hint where the state folder cannot be written.
    """

    def __init__(self, boundary: Boundary, settings: Settings) -> None:
        super().__init__(boundary, settings)
        self.before_change: Callable[[Task], None] = _do_nothing_before
        """Record the changes of other programs before a change, under its lock."""
        self.after_commit: Callable[[Iterable[Location]], None] = (
            _do_nothing_after
        )
        self._lock = WorkspaceLock(boundary, settings.lock_seconds)
        self._recoverer = Recoverer(
            boundary, settings, self._lock, self._own, lambda: self.logs
        )
        if any(log.list_unfinished(*UNFINISHED, "done") for log in self.logs):
            self._recoverer.try_recover(again=True)

    # State

    @property
    def state(self) -> StateFolder:
        """The state folder of the first root."""
        return self._own[0].state

    @property
    def databases(self) -> list[Database]:
        """The databases with the history, the one of the first root first."""
        return [log.database for log in self.logs]

    def database(self) -> Database:
        """Return the database of the first root, made if it is not there.

        Raise the errors of opening its state folder.
        """
        self.state.open()
        return self.databases[0]

    @property
    def state_notes(self) -> tuple[str, ...]:
        """The reasons why roots have new state folders although others could be theirs."""
        return tuple(log.state.note for log in self._own if log.state.note)

    @property
    def flush_count(self) -> int:
        """The number of flushes so far, for measurements."""
        return self._flusher.count

    @property
    def kept_versions(self) -> list[str]:
        """The paths of others' versions in the way, and of records set aside."""
        return [path for log in self.logs for path in log.list_set_aside]

    def problems(self) -> list[str]:
        """Return the problems that SQLite finds in the logs of the roots."""
        problems: list[str] = []
        for log in self._own:
            try:
                problem = log.database.problem()
            except FilewrightError as error:
                problem = error.message
            if problem is not None:
                problems.append(f"{quote(log.database.locate())}: {problem}")
        return problems

    def find_damage(self, task: Task) -> list[str]:
        """Return the changes that cannot be undone, and which damage is why."""
        damage: dict[str, None] = {}
        for log in self._own:
            # `problems` names what keeps a database from being read.
            with suppress(FilewrightError):
                log.state.open(make=False)
                damage.update(dict.fromkeys(log.find_damage(task)))
        return list(damage)

    def find_leftovers(self, task: Task) -> list[str]:
        """Return the temporaries below the roots that no unfinished change names."""
        planned_names = self._planned_temporaries()
        leftovers: list[str] = []
        pending = [Location(root, ()) for root in self.boundary.roots]
        while pending and not task.expired:
            location = pending.pop()
            # A folder that cannot be listed is passed over.
            with (
                suppress(OSError, FilewrightError),
                self.boundary.open_folder(location) as folder,
            ):
                for name, kind in folder.iter_entries():
                    if is_temporary(name):
                        if name not in planned_names:
                            leftovers.append(location.child(name).display_path)
                    elif kind == "folder":
                        pending.append(location.child(name))
        return leftovers

    def _planned_temporaries(self) -> set[bytes]:
        names: set[bytes] = set()
        for log in self.logs:
            for number, _ in log.list_unfinished(*UNFINISHED, "done"):
                with suppress(UnreadablePlanError, FilewrightError):
                    for operation in log.read_plan(number).operations:
                        names.update(slot.name for slot in operation.slots)
        return names

    # Changing

    def commit(
        self, change_set: ChangeSet, *, task: Task | None = None
    ) -> ChangeRecord:
        """Commit every step of a change set, or none.

        Raise `stale_version` naming the file if a step was made against other content,
        and `no_change`, `already_exists`, `not_found`, `hard_linked`, `in_use`,
        `permission_denied`, `too_large`, `no_space`, `timeout`, `cancelled` and others.
        In every case nothing was changed. If the task is a preview, no step is made.
        """
        task = task or Task()
        if task.preview_diffs is not None:
            task.preview_diffs.append(self._preview(change_set, task))
            raise FilewrightError(
                Code.CANCELLED, "this was a rehearsal; nothing was changed"
            )
        with self.writing(task):
            self.before_change(task)
            # The change is in the log of the first root that it touches; the state
            # folders of the others point to that.
            first, *others = sorted(
                {
                    location.root.index
                    for location in change_set.iterate_locations()
                }
            ) or [0]
            log = self._own[first]
            for other in others:
                self._own[other].state.link(log.state)
            record = self._commit_to(log, change_set, task)
            self._recoverer.mark_answered()
            task.notices += record.notes
            task.restored_contents.clear()
            self._follow_up(change_set, task)
            enforce_limits(log, settle=bool(others))
            return record

    def add_notes(self, number: int, notes: Sequence[str]) -> None:
        """Add notes to the record of a change, each once. A crash may lose them."""
        with self.writing():
            for log in self.logs:
                if log.read_record(number) is not None:
                    log.state.open(make=False)
                    log.add_notes(number, notes)
                    return

    def _commit_to(
        self, log: Log, change_set: ChangeSet, task: Task
    ) -> ChangeRecord:
        """Commit a change set; try again if an unsettled change was in the way."""
        from filewright.changes.commit import commit

        # The user learns from the answer what a recovery just before has met.
        notes = self._recoverer.unanswered_notes()
        caller = task.caller or self.caller
        try:
            return commit(log, change_set, task, notes, caller)
        except FilewrightError as error:
            if (
                error.code is not Code.IN_USE
                or "unsettled" not in error.details
            ):
                self._report_conflicts(error)
                raise
        # The obstacle to settling the earlier change may be gone.
        self._recoverer.recover(again=True)
        try:
            return commit(log, change_set, task, notes, caller)
        except FilewrightError as error:
            self._report_conflicts(error)
            raise

    def _follow_up(self, change_set: ChangeSet, task: Task) -> None:
        """Tell others of a change, and the user about its working trees.

        The change is made, so an error is none of the call: an undo reads its locations
        from the record that it undoes, which may have been damaged meanwhile.
        """
        with suppress(FilewrightError, OSError):
            self.after_commit(change_set.iterate_locations())
        with suppress(FilewrightError, OSError):
            notice = self._describe_trees(change_set.iterate_locations())
            if notice:
                task.notices.append(notice)

    def _report_conflicts(self, error: FilewrightError) -> None:
        """Report the conflicts of a failed change at the next recovery too."""
        conflicts = error.details.get("conflicts")
        # The conflicts of an undo that was refused are lines, not files of other
        # programs.
        if conflicts and "conflict_count" not in error.details:
            self._recoverer.add_conflicts(conflicts)

    def _describe_trees(self, locations: Iterable[Location]) -> str | None:
        """Return a note about the working trees that were changed, or None."""
        from filewright.boundary.worktrees import (
            describe_changed_trees,
            find_working_tree,
        )

        folders = {location.parent for location in locations if location.parts}
        trees = {
            find_working_tree(folder)
            for folder in islice(folders, _MAX_TREE_LOOKUPS)
        }
        changed_trees = {tree for tree in trees if tree is not None}
        if not changed_trees:
            return None
        return describe_changed_trees(self.boundary, changed_trees)

    @contextmanager
    def writing(self, task: Task | None = None) -> Iterator[None]:
        """Hold the workspace alone: to read, decide and commit as one step.

        What an earlier process left is recovered first. Nested calls of the same thread
        are free.
        """
        # Before the lock is taken: other processes need not wait while a state folder
        # is made.
        self._open_states(task)
        with self._lock.exclusive(task) as is_outermost:
            # In a nested call, a change before this one may have failed without being
            # rolled back at once.
            if is_outermost or any(
                log.list_unfinished(*UNFINISHED) for log in self._own
            ):
                self._recoverer.recover()
            with self.boundary.caching_aliases():
                yield

    def _open_states(self, task: Task | None = None) -> None:
        if self.settings.read_only:
            raise errors.read_only()
        for log in self._own:
            log.state.open(task)

    # Recovering

    def recover_if_needed(self) -> None:
        """Recover the changes that a dead process left unfinished, before a read."""
        self._recoverer.recover_if_needed()

    def recover(self) -> Recovery:
        """Recover all that is unfinished; report what was found since last time."""
        self._open_states()
        with self._lock.exclusive() as is_outermost:
            if is_outermost:
                self._recoverer.recover(settle_all=True, again=True)
                self._recoverer.withhold_unfinished()
                for log in self._own:
                    enforce_limits(log)
        return self._recoverer.take_report()

    def leave_unsettled(self, change_id: str) -> None:
        """Call an unsettled change made: its files stay, and it can be undone.

        Raise `not_found` unless it is such a change.
        """
        self._open_states()
        with self._lock.exclusive():
            for log in self.logs:
                for number, _ in log.list_unfinished("unsettled"):
                    if format_change_id(number) == change_id:
                        log.state.open(make=False)
                        log.add_notes(number, [_NOT_ROLLED_BACK])
                        log.mark_done(number)
                        self._recoverer.withhold_unfinished()
                        return
        raise FilewrightError(
            Code.NOT_FOUND,
            f"change {change_id} is not waiting for a decision",
            hint="filewright doctor lists the changes that are",
            details={"change_id": change_id},
        )

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
        """Undo the changes of a scope as one step, merged with later changes.

        `force` gives each file its earlier content over what is there, instead of
        merging or refusing; `break_hard_links` replaces files with other names too. A
        change that may be that of another command is undone only with `include_shared`.
        With `in_part` lines and files that cannot be merged are left as they are, and
        are in the reversal; without it they refuse the whole undo. With `preview` nothing is
        changed, and the diff is in the reversal.

        Raise `not_found`, `invalid_input`, `unsupported` (made with undoable=false),
        `no_change`, `path_escape`, `stale_version` with the conflicts in its details,
        and as `commit` does. In every case nothing was changed.
        """
        from filewright.changes.undo import Reversal
        from filewright.changes.undo_plan import UndoOptions

        task = task or Task()
        with nullcontext() if preview else self.writing(task):
            if not preview:
                self.before_change(task)
            selected = self.select(scope, every=force, task=task)
            if not include_shared:
                self.require_unshared(selected)
            leaves_conflicts = False
            refused_conflicts: tuple[Conflict, ...] = ()
            while True:
                options = UndoOptions(
                    self.settings,
                    task,
                    partial(
                        self.locate_visible, visibility_check(self.boundary)
                    ),
                    force=force,
                    hunks=selected.hunks,
                    leaves_conflicts=leaves_conflicts,
                )
                reversal = Reversal(
                    selected,
                    options,
                    break_hard_links=break_hard_links,
                    refused_conflicts=refused_conflicts,
                )
                try:
                    record = None
                    if preview:
                        reversal.diff = self._preview(reversal.change_set, task)
                    else:
                        record = self.commit(reversal.change_set, task=task)
                except FilewrightError as error:
                    rest = reversal.rest() if in_part else None
                    if rest is None:
                        if reversal.conflicts and not error.ends_call:
                            ways_out = self._find_ways_out(
                                scope, reversal, options, in_part=in_part
                            )
                            error.hint = ways_out.describe()
                            error.details["can_force"] = ways_out.by_force
                        refusal = _describe_undo_error(error, selected)
                        if refusal is error:
                            raise
                        raise refusal from error
                    refused_conflicts = reversal.list_refused()
                    selected, leaves_conflicts = rest, True
                else:
                    self._name_later_authors(reversal, task)
                    return record, reversal

    def _name_later_authors(self, reversal: Reversal, task: Task) -> None:
        """Add the authors of later changes to the notes of an undo."""
        from filewright.changes.later_authors import find_author

        own_session = (task.caller or self.caller).session

        def find(location: Location, lines: LaterLines) -> str:
            return find_author(
                self,
                location,
                lines,
                reversal.selected.change_ids,
                own_session,
                task,
            )

        # The undo is made, even if its time is over or a record cannot be read.
        with suppress(FilewrightError):
            reversal.name_authors(find)

    def _find_ways_out(
        self,
        scope: Scope | str,
        refused: Reversal,
        options: UndoOptions,
        *,
        in_part: bool,
    ) -> WaysOut:
        """Return the next steps that work after an undo was refused.

        Those that are other arguments are tried on a tree, and change nothing.
        """
        from filewright.changes.undo_report import WaysOut

        by_part = by_force = False
        rest = None if in_part else refused.rest()
        part_options = replace(options, leaves_conflicts=True)
        while rest is not None and not by_part:
            reversal = self._try_undo(rest, part_options)
            by_part = reversal is None
            rest = None if reversal is None else reversal.rest()
        if not options.force:
            selected = self.select(scope, every=True, task=options.task)
            by_force = (
                self._try_undo(selected, replace(options, force=True)) is None
            )
        newest = parse_change_id(refused.selected.change_ids[0]) or 0
        by_later_changes = False
        for path in refused.list_conflict_paths():
            number = next(self.numbers_touching(path), 0)
            by_later_changes = by_later_changes or number > newest
        return WaysOut(by_part, by_later_changes, by_force)

    def _try_undo(
        self, selected: Selection, options: UndoOptions
    ) -> Reversal | None:
        """Return the reversal of a selection if it is refused, or None if it is not."""
        from filewright.changes.change_tree import ChangeTree
        from filewright.changes.open_folders import OpenFolders
        from filewright.changes.tree_steps import apply_steps
        from filewright.changes.undo import Reversal

        reversal = Reversal(selected, options, break_hard_links=True)
        try:
            with (
                OpenFolders(self.boundary) as folders,
                ChangeTree(
                    self.boundary, folders, reversal.change_set, options.task
                ) as tree,
            ):
                apply_steps(tree)
        except FilewrightError as error:
            if error.ends_call:
                raise
            return reversal
        return None

    def _preview(self, change_set: ChangeSet, task: Task) -> Diff:
        from filewright.changes.diffs import DiffBuilder

        diffs = DiffBuilder(self.boundary, self.settings)
        return diffs.diff_change_set(
            change_set, max_lines=self.settings.diff_lines, task=task
        )

    def close(self) -> None:
        """Release the folders that are held for locking, and the databases."""
        self._lock.close()
        for log in (*self._own, *self._related.values()):
            log.database.close()


def _do_nothing_before(_task: Task) -> None:
    """Record nothing before a change."""


def _do_nothing_after(_locations: Iterable[Location]) -> None:
    """Tell nothing after a change."""


def _describe_undo_error(
    error: FilewrightError, selected: Selection
) -> FilewrightError:
    """Return the error to raise for an undo whose files have changed since."""
    if error.code is Code.HARD_LINKED:
        effect = (
            "to restore the content under this name only; its other names "
            "keep theirs"
        )
        error.hint = Hint(
            f"give break_hard_links=true, or --force on the command line, {effect}",
            shell=f"give --force {effect}",
        )
    if error.code not in _MEANS_CHANGED_SINCE or "hunk" in error.details:
        return error
    return FilewrightError(
        Code.STALE_VERSION,
        f"{selected.description} cannot be undone now: {error.message}",
        hint=Hint(
            "undo the later changes of these files first (get_history lists them)",
            shell="undo the later changes of these files first (filewright log lists them)",
        ),
        details={**selected.details, **error.details},
    )
