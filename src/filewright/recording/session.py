"""The begin and the end of a command, with the observations around them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial

from filewright import errors, system
from filewright.boundary.boundary import Boundary
from filewright.changes.changes import Changes
from filewright.changes.database import Database, Flusher
from filewright.changes.log import Log
from filewright.changes.model import ChangeRecord, RecordedCommand
from filewright.changes.state_dir import (
    StateFolder,
    StateIndex,
    state_base_folder,
)
from filewright.progress import Task, clean_caller_name
from filewright.recording import open_commands
from filewright.recording.baseline import CACHE_NAME, TABLES, Baseline, Budget
from filewright.recording.journal import (
    STATE_NAME,
    Journal,
    read_state,
    write_state,
)
from filewright.recording.model import AdoptedRoot, Command, RootState, Scan
from filewright.settings import Settings
from filewright.system import Folder
from filewright.wording import first_line

COMMAND_ID = r"[0-9a-z]{1,40}"
_MAX_SUMMARY_CHARS = 100
_MAX_LINE_CHARS = 8 << 10
"""Characters of a command line that are kept with its changes."""
FOLDER_NAME = b"shell"


class Recorder:
    """A recorder of the changes of shells and clients' own tools.

    A path belongs to the nearest registered root above it, and each root has a
    journal. A command is begun in each root of the workspace, and in each
    registered root within those that a scan of the outer root has seen. Before
    a tool changes files, every root with an open command is observed.
    """

    def __init__(self, changes: Changes, settings: Settings) -> None:
        self._changes = changes
        # Whole roots are observed, also those that a client has narrowed.
        self._settings = settings.replace(worktrees=False)
        self._boundaries: dict[bytes, Boundary] = {}
        self.budget = Budget()
        """The budget for storing contents at one time."""
        changes.before_change = self.observe

    def close(self) -> None:
        """Close the roots."""
        for boundary in self._boundaries.values():
            boundary.close()
        self._boundaries.clear()

    # Around a command

    def begin(
        self, command: Command, line: str, task: Task, *, is_hook: bool = False
    ) -> bool:
        """Observe the roots, then open a command in each of them.

        The files that its command line names are stored first; a notice of the
        task names those that could not be stored. A hook leaves most contents
        to a background process. Return False if that should be started. Raises
        `not_found` for an invalid id.
        """
        if not re.fullmatch(COMMAND_ID, command.identifier):
            raise errors.unknown_snapshot(command.identifier)
        budget = self.budget.for_hook if is_hook else self.budget
        is_complete = True
        with self._changes.writing(task), self._open_journals(task) as journals:
            # A client may not report that a command was interrupted; a later
            # turn shows that it is over.
            self._close_earlier_turns(command, journals)
            for journal in self._observe_each(
                journals, line=line, budget=budget
            ):
                journal.baseline.clean_up()
                # After the cleaning, which may discard all contents.
                journal.store_named(command.paths)
                is_own = journal.log.is_own
                open_commands.add(
                    journal.folder, command._replace(is_own=is_own)
                )
                is_stored = all(
                    folder.stored_in for folder in journal.scan.values()
                )
                if not is_stored and journal.baseline.claim_keeper():
                    is_complete = False
        return is_complete

    def end(
        self, ending: RecordedCommand, task: Task
    ) -> tuple[ChangeRecord, ...]:
        """Observe the roots, close the command, and return its changes.

        The changes of each root are in order, oldest first. The facts of
        `ending` are added to all of them. Raises `not_found` if the command is
        not open.
        """
        identifier = ending.identifier
        # The identifier becomes a file name: with a slash it could name another
        # folder.
        if not re.fullmatch(COMMAND_ID, identifier):
            raise errors.unknown_snapshot(identifier)
        records: list[ChangeRecord] = []
        is_known = False
        with self._changes.writing(task), self._open_journals(task) as journals:
            commands: dict[bytes, Command] = {}
            for journal in journals:
                for command in open_commands.read_open(journal.folder):
                    if command.identifier == identifier:
                        commands[journal.root.resolved_path] = command._replace(
                            summary=ending.summary,
                            session=ending.session,
                            client=ending.client,
                            turn=ending.turn,
                            line=ending.line,
                        )
            for journal in self._observe_each(journals, commands=commands):
                open_command = commands.get(journal.root.resolved_path)
                if open_command is None:
                    continue
                # The file of the command has the numbers that the observation
                # has just added.
                closed_command = (
                    open_commands.remove(journal.folder, identifier)
                    or open_command
                )
                # Without a state nothing was compared: an empty result would
                # claim that the command changed nothing.
                is_known = is_known or journal.had_state
                for number in closed_command.numbers:
                    journal.log.update_command(
                        number, ending._replace(identifier=closed_command.key)
                    )
                    record = journal.log.read_record(number)
                    if record is not None:
                        records.append(record)
        if not is_known:
            raise errors.unknown_snapshot(identifier)
        return tuple(records)

    def begin_turn(self, session: str, task: Task) -> None:
        """Close the open commands of a session at the user's next prompt."""
        with self._changes.writing(task), self._open_journals(task) as journals:
            stale = [
                journal
                for journal in journals
                if any(
                    command.session == session
                    for command in open_commands.read_open(journal.folder)
                )
            ]
            # The changes until now are recorded as those of the commands before
            # these are closed.
            for journal in self._observe_each(stale):
                for command in open_commands.read_open(journal.folder):
                    if command.session == session:
                        open_commands.remove(journal.folder, command.identifier)

    def observe(self, task: Task) -> None:
        """Observe the roots with open commands before a tool changes files."""
        if not self._may_have_open_command():
            return
        with self._open_journals(task) as journals:
            for _ in self._observe_each(
                [
                    journal
                    for journal in journals
                    if open_commands.read_open(journal.folder)
                ]
            ):
                pass

    def store_ahead(self, task: Task, *, seconds: float) -> bool:
        """Store contents for later commands; return True if all are stored.

        Changes do not wait for it; the begin of a command waits `seconds` at
        most.
        """
        stored_scans: dict[bytes, Scan] = {}
        with self._changes.writing(task), self._open_journals(task) as journals:
            new_journals = [
                journal
                for journal in journals
                if read_state(journal.folder) is None
            ]
            for _ in self._observe_each(new_journals):
                pass
        is_complete = True
        # Without the lock: changes would wait until thousands of files are
        # stored.
        with self._open_journals(task) as journals:
            for journal in journals:
                journal.baseline.claim_keeper()
                state, free_bytes = (
                    read_state(journal.folder),
                    journal.baseline.free_bytes_ahead,
                )
                if state is None or free_bytes <= 0:
                    continue
                budget = Budget(
                    seconds=seconds,
                    max_bytes=min(free_bytes, self.budget.max_bytes),
                )
                scan, _ = journal.baseline.store_scan(state.scan, budget)
                stored_scans[journal.root.resolved_path] = scan
                is_complete = is_complete and all(
                    folder.stored_in for folder in scan.values()
                )
        with self._changes.writing(task), self._open_journals(task) as journals:
            for journal in journals:
                if journal.root.resolved_path in stored_scans:
                    journal.mark_stored(
                        stored_scans[journal.root.resolved_path]
                    )
        return is_complete

    # Roots

    def _list_logs(self) -> list[Log]:
        """Return the logs of the roots and inner roots, outer roots first."""
        logs = [*self._changes.own_logs]
        logs += [
            log
            for log in self._changes.inner_logs()
            if log.state.owner.is_there
        ]
        return sorted(logs, key=lambda log: log.state.owner.path)

    def _may_have_open_command(self) -> bool:
        """Return True if a command may be open in a root.

        This is asked before every change of a tool, so it reads only a few
        folders.
        """
        for log in self._list_logs():
            path = log.state.at(FOLDER_NAME)
            if open_commands.has_open(path):
                return True
            # A new root inherits the commands that are open in the root around
            # it.
            if not os.path.exists(os.path.join(path, STATE_NAME)):
                outer = self._changes.outer_state_folder(log)
                if outer is not None and open_commands.has_open(
                    outer.at(FOLDER_NAME)
                ):
                    return True
        return False

    @contextmanager
    def _open_journals(self, task: Task) -> Iterator[list[Journal]]:
        """Open the journal of each root, outer roots first."""
        logs = self._list_logs()
        with ExitStack() as stack:
            journals: list[Journal] = []
            for log in logs:
                boundary = self._find_boundary(log)
                if boundary is not None:
                    journals.append(
                        stack.enter_context(
                            self._open_journal(boundary, log, logs, task)
                        )
                    )
            yield journals

    @contextmanager
    def _open_journal(
        self, boundary: Boundary, log: Log, logs: Sequence[Log], task: Task
    ) -> Iterator[Journal]:
        with log.state.folder() as state_folder, suppress(FileExistsError):
            state_folder.make_folder(FOLDER_NAME, 0o700)
        root = boundary.roots[0]
        inner_roots = root.parts_within(
            [other.state.owner.path for other in logs if other is not log]
        )
        within = tuple(sorted(b"/".join(parts) + b"/" for parts in inner_roots))
        with ExitStack() as stack:
            folder = stack.enter_context(log.state.folder(FOLDER_NAME))
            baseline = stack.enter_context(
                self._open_baseline(boundary, log.state, folder, task)
            )
            self._inherit_state(log, boundary, folder, baseline, task)
            yield Journal(
                boundary,
                within,
                self._changes,
                log,
                folder,
                baseline,
                task,
            )

    @contextmanager
    def _open_baseline(
        self, boundary: Boundary, state: StateFolder, folder: Folder, task: Task
    ) -> Iterator[Baseline]:
        """Open the stored contents of a root."""
        locate = partial(state.at, FOLDER_NAME, CACHE_NAME)
        database = Database(
            locate, TABLES, Flusher(enabled=False), self._settings.lock_seconds
        )
        with closing(database):
            yield Baseline(boundary, folder, database, task)

    def _find_boundary(self, log: Log) -> Boundary | None:
        """Return a boundary of a whole root; None if it no longer exists."""
        path = log.state.owner.path
        try:
            identity = system.stat_path(path).identity
        except OSError:
            return None
        root = log.state.root
        if root is not None and root.identity != identity:
            return None  # The root was moved while a workspace serves it.
        boundary = self._boundaries.get(path)
        # Another folder is at the path now, but the open boundary still leads
        # to the old one.
        if boundary is not None and boundary.roots[0].identity != identity:
            self._boundaries.pop(path).close()
            boundary = None
        if boundary is None:
            base_folder = state_base_folder(self._settings)
            boundary = self._boundaries[path] = Boundary(
                [path], self._settings, state_folders=[base_folder]
            )
        return boundary

    def _inherit_state(
        self,
        log: Log,
        boundary: Boundary,
        folder: Folder,
        baseline: Baseline,
        task: Task,
    ) -> None:
        """Copy the state and the open commands of the outer root to a new root.

        The paths belonged to the outer root until now, and the commands that
        are open there may change them.
        """
        with suppress(FileNotFoundError):
            folder.stat(STATE_NAME)
            return
        outer = self._changes.outer_state_folder(log)
        if outer is None or not open_commands.has_open(outer.at(FOLDER_NAME)):
            return
        with (
            suppress(FileNotFoundError),
            outer.folder(FOLDER_NAME) as outer_folder,
        ):
            state = read_state(outer_folder)
            path = log.state.owner.path
            prefix = path[len(outer.owner.path.rstrip(b"/")) + 1 :] + b"/"
            if state is None or prefix not in state.scan:
                return
            scan: Scan = {}
            for folder_prefix, scanned_folder in state.scan.items():
                if folder_prefix.startswith(prefix):
                    # The mark names the cache of the outer root, which this
                    # root does not have.
                    scan[folder_prefix[len(prefix) :]] = (
                        scanned_folder._replace(stored_in="")
                    )
            with self._open_baseline(
                boundary, outer, outer_folder, task
            ) as outer_baseline:
                baseline.adopt(outer_baseline, below=prefix)
            # Unknown rules make the first observation walk the whole root by
            # its own rules.
            write_state(
                folder,
                RootState(state.newest, None, None, scan, state.observed_ns),
            )
            for command in open_commands.read_open(outer_folder):
                open_commands.add(
                    folder, command._replace(numbers=(), is_own=False)
                )

    # Observing

    def _observe_each(
        self,
        journals: Sequence[Journal],
        *,
        commands: dict[bytes, Command] | None = None,
        line: str = "",
        budget: Budget | None = None,
    ) -> Iterator[Journal]:
        """Observe each root and yield its journal.

        An inner root is left out if the scan of its outer root has not seen it.
        """
        commands = commands or {}
        observed: list[Journal] = []
        for journal in journals:
            root = journal.root
            outer = None
            for other in observed:
                # Outer roots come first, so the last match is the nearest root.
                if other.root.parts_within([root.resolved_path]):
                    outer = other
            if outer is not None and not journal.log.is_own:
                [parts] = outer.root.parts_within([root.resolved_path])
                if not outer.has_seen(b"/".join(parts)):
                    continue
            journal.observe(
                budget=budget or self.budget.for_hook,
                ending=commands.get(root.resolved_path),
                line=line,
                adopted=self._adopt_orphans(journal),
            )
            observed.append(journal)
            yield journal

    def _adopt_orphans(self, journal: Journal) -> list[AdoptedRoot]:
        """Take over the states of inner roots that no longer exist."""
        adopted: list[AdoptedRoot] = []
        for orphan in self._changes.orphaned_state_folders():
            paths_within = journal.root.parts_within([orphan.owner.path])
            if not paths_within or not os.path.exists(
                orphan.at(FOLDER_NAME, STATE_NAME)
            ):
                continue
            prefix = b"/".join(paths_within[0]) + b"/"
            # The inner root around it adopts it.
            if prefix.startswith(journal.within):
                continue
            with orphan.folder(FOLDER_NAME) as folder:
                # Removed at once: a second adoption would bring back old
                # states.
                state = read_state(folder)
                folder.remove(STATE_NAME)
                for command in open_commands.read_open(folder):
                    open_commands.remove(folder, command.identifier)
                if state is not None:
                    with self._open_baseline(
                        journal.boundary, orphan, folder, journal.task
                    ) as baseline:
                        journal.baseline.adopt(baseline, prefix=prefix)
                    adopted.append(AdoptedRoot(prefix, state))
        return adopted

    def _close_earlier_turns(
        self, command: Command, journals: Sequence[Journal]
    ) -> None:
        """Close the open commands of earlier turns of a session."""
        if command.session is None or command.turn is None:
            return
        for journal in journals:
            stale = [
                earlier
                for earlier in open_commands.read_open(journal.folder)
                if earlier.session == command.session
                and earlier.turn not in (None, command.turn)
            ]
            if stale:
                for _ in self._observe_each([journal]):
                    pass
                for earlier in stale:
                    open_commands.remove(journal.folder, earlier.identifier)


def new_command(identifier: str, summary: str, **facts: object) -> Command:
    """Return a command that begins now."""
    begun_ns = time.time_ns()
    # Some clients use an identifier again, but records need a unique key.
    token = f"{identifier}-{begun_ns:x}"
    return Command(identifier, token, summary, begun_ns=begun_ns, **facts)  # type: ignore[arg-type]


def command_summary(line: str, label: str | None = None) -> str:
    """Return the summary of a shell command, or a client's tool label.

    That of a command is its first line, with an ellipsis if there is more.
    """
    own_label = clean_caller_name(label)
    if own_label is not None:
        return own_label
    return f"shell: {first_line(line, _MAX_SUMMARY_CHARS) or 'a command'}"


def recorded_line(line: str, label: str | None = None) -> str:
    """Return the command line of a shell as records keep it; none of a tool."""
    if clean_caller_name(label) is not None:
        return ""
    if len(line) <= _MAX_LINE_CHARS:
        return line
    return f"{line[:_MAX_LINE_CHARS]}…"


def roots_with_open_command(settings: Settings, identifier: str) -> list[str]:
    """Return the roots in which a command was begun, without inner roots."""
    index = StateIndex(
        state_base_folder(settings),
        settings.lock_seconds,
        Flusher(enabled=settings.flush),
    )
    name = open_commands.open_command_name(identifier)
    roots = []
    for owner in index.owners.values():
        path = index.of(owner.id, os.fsdecode(FOLDER_NAME))
        if owner.path and os.path.exists(os.path.join(path, name)):
            with suppress(OSError), system.open_folder(path) as folder:
                command = next(
                    (
                        command
                        for command in open_commands.read_open(folder)
                        if command.identifier == identifier
                    ),
                    None,
                )
                if command is not None and command.is_own:
                    roots.append(os.fsdecode(owner.path))
    return roots
