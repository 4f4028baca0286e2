"""The begin and the end of a command, and the observation that orders them and the tools' own changes."""

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
from filewright.changes.state_dir import StateFolder, StateIndex, state_base_folder
from filewright.progress import Task, clean_caller_name
from filewright.recording import open_commands
from filewright.recording.baseline import KEPT, TABLES, Baseline, Budget
from filewright.recording.compare import AdoptedRoot
from filewright.recording.journal import STATE, Journal, read_state, write_state
from filewright.recording.model import Command, RootState, Scan
from filewright.settings import Settings
from filewright.system import Folder

_ID = r"[0-9a-z]{1,40}"
_SHELL = b"shell"


class Recorder:
    """Records what commands of shells and clients' own tools change below the roots of a workspace.

    A path belongs to the nearest registered root above it: a command is begun in each of the roots, and in each
    registered root within them that a scan of the root around it shows. Each has a journal of its own.

    Before a change of a tool, every root in which a command is open is observed.
    """

    def __init__(self, changes: Changes, settings: Settings) -> None:
        self._changes = changes
        # Roots are looked at as they are, however a client has narrowed what it is served.
        self._settings = settings.replace(worktrees=False)
        self._boundaries: dict[bytes, Boundary] = {}
        self.budget = Budget()
        """How much of what files hold is stored at one time."""
        changes.before_change = self.observe

    def close(self) -> None:
        """Let go of the roots."""
        for boundary in self._boundaries.values():
            boundary.close()
        self._boundaries.clear()

    # Around a command

    def begin(
        self, command: Command, line: str, task: Task, *, is_hook: bool = False
    ) -> bool:
        """Observe the roots, then open a command in each, with what its command line names stored first.

        What of that cannot be had back, should the command take it away, is a notice of the task. For a hook most is
        left to a process in the background; returns False if one should be started. Raises `not_found` for a bad id.
        """
        if not re.fullmatch(_ID, command.identifier):
            raise errors.unknown_snapshot(command.identifier)
        budget = self.budget.for_hook if is_hook else self.budget
        is_complete = True
        with self._changes.writing(task), self._journals(task) as journals:
            self._close_earlier_turns(command, journals)
            for journal in self._observed(journals, line=line, budget=budget):
                journal.baseline.clean_up()
                is_own = journal.log.is_own
                open_commands.add(journal.folder, command._replace(is_own=is_own))
                is_stored = all(row.stored_in for row in journal.rows.values())
                if not is_stored and journal.baseline.claim_keeper():
                    is_complete = False
        return is_complete

    def end(self, ending: RecordedCommand, task: Task) -> tuple[ChangeRecord, ...]:
        """Observe the roots, close the command, and return its changes, those of each root oldest first.

        What is known of the command by now is said of all of them. Raises `not_found` if no such command is open.
        """
        identifier = ending.identifier
        if not re.fullmatch(_ID, identifier):
            raise errors.unknown_snapshot(identifier)
        records: list[ChangeRecord] = []
        is_known = False
        with self._changes.writing(task), self._journals(task) as journals:
            commands: dict[bytes, Command] = {}
            for journal in journals:
                for command in open_commands.read_open(journal.folder):
                    if command.identifier == identifier:
                        _, summary, session, client, turn = ending
                        commands[journal.root.resolved_path] = command._replace(
                            summary=summary, session=session, client=client, turn=turn
                        )
            for journal in self._observed(journals, commands=commands):
                open_here = commands.get(journal.root.resolved_path)
                if open_here is None:
                    continue
                closed = open_commands.remove(journal.folder, identifier) or open_here
                is_known = is_known or journal.was_known
                for number in closed.numbers:
                    journal.log.update_command(
                        number, ending._replace(identifier=closed.key)
                    )
                    record = journal.log.read_record(number)
                    if record is not None:
                        records.append(record)
        if not is_known:
            raise errors.unknown_snapshot(identifier)
        return tuple(records)

    def begin_turn(self, session: str, task: Task) -> None:
        """Close the commands of a session that never ended: its user has sent the next prompt."""
        with self._changes.writing(task), self._journals(task) as journals:
            stale = [
                journal
                for journal in journals
                if any(
                    command.session == session
                    for command in open_commands.read_open(journal.folder)
                )
            ]
            for journal in self._observed(stale):
                for command in open_commands.read_open(journal.folder):
                    if command.session == session:
                        open_commands.remove(journal.folder, command.identifier)

    def observe(self, task: Task) -> None:
        """Observe the roots in which a command is open: something is about to change."""
        if not self._has_open():
            return
        with self._journals(task) as journals:
            for _ in self._observed(
                [each for each in journals if open_commands.read_open(each.folder)]
            ):
                pass

    def store_ahead(self, task: Task, *, seconds: float) -> bool:
        """Store more of what files hold, for commands to come; return True if that is all, or as much as there is room.

        Changes do not wait for it; the begin of a command does, for `seconds` at most.
        """
        rows: dict[bytes, Scan] = {}
        with self._changes.writing(task), self._journals(task) as journals:
            fresh = [
                journal for journal in journals if read_state(journal.folder) is None
            ]
            for _ in self._observed(fresh):
                pass
        is_complete = True
        with self._journals(task) as journals:
            for journal in journals:
                journal.baseline.claim_keeper()
                state, room = (
                    read_state(journal.folder),
                    journal.baseline.free_bytes_ahead,
                )
                if state is None or room <= 0:
                    continue
                budget = Budget(
                    seconds=seconds, room_bytes=min(room, self.budget.room_bytes)
                )
                stored, _ = journal.baseline.store_scan(state.rows, budget)
                rows[journal.root.resolved_path] = stored
                is_complete = is_complete and all(
                    row.stored_in for row in stored.values()
                )
        with self._changes.writing(task), self._journals(task) as journals:
            for journal in journals:
                if journal.root.resolved_path in rows:
                    journal.mark_stored(rows[journal.root.resolved_path])
        return is_complete

    # Roots

    def _places(self) -> list[Log]:
        """Return the logs of the roots, and of the registered roots within them, those around others first."""
        logs = [*self._changes.own_logs]
        logs += [log for log in self._changes.inner_logs() if log.state.owner.is_there]
        return sorted(logs, key=lambda log: log.state.owner.path)

    def _has_open(self) -> bool:
        """Return True if a command may be open in a root: asked before every change of a tool, a few looks."""
        for log in self._places():
            shell = log.state.at(_SHELL)
            if open_commands.has_open(shell):
                return True
            if not os.path.exists(os.path.join(shell, STATE)):
                around = self._changes.outer_state_folder(log)
                if around is not None and open_commands.has_open(around.at(_SHELL)):
                    return True
        return False

    @contextmanager
    def _journals(self, task: Task) -> Iterator[list[Journal]]:
        """Open the journal of each root, those around others first."""
        logs = self._places()
        with ExitStack() as stack:
            journals: list[Journal] = []
            for log in logs:
                boundary = self._boundary_of(log)
                if boundary is not None:
                    journals.append(
                        stack.enter_context(self._journal(boundary, log, logs, task))
                    )
            yield journals

    @contextmanager
    def _journal(
        self, boundary: Boundary, log: Log, logs: Sequence[Log], task: Task
    ) -> Iterator[Journal]:
        with log.state.folder() as own, suppress(FileExistsError):
            own.make_folder(_SHELL, 0o700)
        root = boundary.roots[0]
        inner = root.parts_within(
            [each.state.owner.path for each in logs if each is not log]
        )
        within = tuple(sorted(b"/".join(parts) + b"/" for parts in inner))
        with ExitStack() as stack:
            folder = stack.enter_context(log.state.folder(_SHELL))
            baseline = stack.enter_context(
                self._baseline(boundary, log.state, folder, task)
            )
            self._inherit(log, boundary, folder, baseline, task)
            yield Journal(
                boundary,
                within,
                log,
                folder,
                baseline,
                task,
                made_after=self._changes.records_after,
                latest=self._changes.newest_number,
            )

    @contextmanager
    def _baseline(
        self, boundary: Boundary, state: StateFolder, folder: Folder, task: Task
    ) -> Iterator[Baseline]:
        """Open the stored contents of a root."""
        locate = partial(state.at, _SHELL, KEPT)
        database = Database(
            locate, TABLES, Flusher(enabled=False), self._settings.lock_seconds
        )
        with closing(database):
            yield Baseline(boundary, folder, database, task)

    def _boundary_of(self, log: Log) -> Boundary | None:
        """Return a boundary of one root alone, so that every workspace sees the same of it; None if it has gone."""
        path = log.state.owner.path
        try:
            identity = system.stat_path(path).identity
        except OSError:
            return None
        root = log.state.root
        if root is not None and root.identity != identity:
            return None  # It was moved away while it is served.
        known = self._boundaries.get(path)
        if known is not None and known.roots[0].identity != identity:
            self._boundaries.pop(path).close()
            known = None
        if known is None:
            base = state_base_folder(self._settings)
            known = self._boundaries[path] = Boundary(
                [path], self._settings, state_folders=[base]
            )
        return known

    def _inherit(
        self,
        log: Log,
        boundary: Boundary,
        folder: Folder,
        baseline: Baseline,
        task: Task,
    ) -> None:
        """Take over the state and the open commands of the root around one that is new.

        Its paths were that root's until now, and the commands that are open there may change it.
        """
        with suppress(FileNotFoundError):
            folder.stat(STATE)
            return
        around = self._changes.outer_state_folder(log)
        if around is None or not open_commands.has_open(around.at(_SHELL)):
            return
        with suppress(FileNotFoundError), around.folder(_SHELL) as above:
            state = read_state(above)
            path = log.state.owner.path
            prefix = path[len(around.owner.path.rstrip(b"/")) + 1 :] + b"/"
            if state is None or prefix not in state.rows:
                return
            rows: Scan = {}
            for each, row in state.rows.items():
                if each.startswith(prefix):
                    rows[each[len(prefix) :]] = row._replace(stored_in="")
            with self._baseline(boundary, around, above, task) as stored:
                baseline.adopt(stored, below=prefix)
            write_state(
                folder, RootState(state.newest, None, None, rows, state.observed_ns)
            )
            for command in open_commands.read_open(above):
                open_commands.add(folder, command._replace(numbers=(), is_own=False))

    # Observing

    def _observed(
        self,
        journals: Sequence[Journal],
        *,
        commands: dict[bytes, Command] | None = None,
        line: str = "",
        budget: Budget | None = None,
    ) -> Iterator[Journal]:
        """Observe each root and yield its journal, but for registered roots that the one around them does not show."""
        commands = commands or {}
        done: list[Journal] = []
        for journal in journals:
            root = journal.root
            around = None
            for each in done:
                if each.root.parts_within([root.resolved_path]):
                    around = each
            if around is not None and not journal.log.is_own:
                [parts] = around.root.parts_within([root.resolved_path])
                if not around.shows(b"/".join(parts)):
                    continue
            journal.observe(
                budget=budget or self.budget.for_hook,
                ending=commands.get(root.resolved_path),
                line=line,
                adopted=self._adopted(journal),
            )
            done.append(journal)
            yield journal

    def _adopted(self, journal: Journal) -> list[AdoptedRoot]:
        """Take over what is known of registered roots within one that are gone: their paths are its own again."""
        adopted: list[AdoptedRoot] = []
        for left in self._changes.orphaned_state_folders():
            below = journal.root.parts_within([left.owner.path])
            if not below or not os.path.exists(left.at(_SHELL, STATE)):
                continue
            prefix = b"/".join(below[0]) + b"/"
            if prefix.startswith(journal.within):
                continue
            with left.folder(_SHELL) as folder:
                state = read_state(folder)
                folder.remove(STATE)
                for command in open_commands.read_open(folder):
                    open_commands.remove(folder, command.identifier)
                if state is not None:
                    with self._baseline(
                        journal.boundary, left, folder, journal.task
                    ) as baseline:
                        journal.baseline.adopt(baseline, prefix=prefix)
                    adopted.append(AdoptedRoot(prefix, state))
        return adopted

    def _close_earlier_turns(
        self, command: Command, journals: Sequence[Journal]
    ) -> None:
        """Close the commands of earlier turns of a session, which never ended."""
        if command.session is None or command.turn is None:
            return
        for journal in journals:
            stale = [
                each
                for each in open_commands.read_open(journal.folder)
                if each.session == command.session
                and each.turn not in (None, command.turn)
            ]
            if stale:
                for _ in self._observed([journal]):
                    pass
                for each in stale:
                    open_commands.remove(journal.folder, each.identifier)


def new_command(identifier: str, summary: str, **known: object) -> Command:
    """Return a command that begins now."""
    begun_ns = time.time_ns()
    token = f"{identifier}-{begun_ns:x}"
    return Command(identifier, token, summary, begun_ns=begun_ns, **known)  # type: ignore[arg-type]


def command_summary(line: str, label: str | None = None) -> str:
    """Return how history calls a command of a shell, or another tool of a client by its label."""
    return (
        clean_caller_name(label) or f"shell: {clean_caller_name(line) or 'a command'}"
    )


def roots_with_open_command(settings: Settings, identifier: str) -> list[str]:
    """Return the roots in which a command of that id is open, but for those within them."""
    index = StateIndex(state_base_folder(settings), settings.lock_seconds)
    name = open_commands.open_command_name(identifier)
    roots = []
    for owner in index.owners.values():
        shell = index.of(owner.id, os.fsdecode(_SHELL))
        if owner.path and os.path.exists(os.path.join(shell, name)):
            with suppress(OSError), system.open_folder(shell) as folder:
                command = next(
                    (
                        each
                        for each in open_commands.read_open(folder)
                        if each.identifier == identifier
                    ),
                    None,
                )
                if command is not None and command.is_own:
                    roots.append(os.fsdecode(owner.path))
    return roots
