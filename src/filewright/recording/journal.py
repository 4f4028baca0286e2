"""The journal of one root: its observations, and its last state.

Before a command begins or ends, and before a tool changes files while a command
is open, the root is observed: every difference from the state is recorded at
once, and the result of the scan becomes the state. So each record begins where
the one before it ended::

    shell/state       the last scan, and the number of its newest change
    shell/observed    an empty file, written at each observation for its time
    shell/ID.open     an open command

The state is a cache. If it is behind, because a tool has changed files or a
process ended between a record and the state, the later changes are applied to
it. If it is lost, a new one is made, and the differences of that moment belong
to no command.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Iterable, Sequence
from contextlib import suppress
from posixpath import basename
from typing import TYPE_CHECKING, Any, NamedTuple

import xxhash

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.changes.changes import Changes
from filewright.changes.log import Log
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    RecordedCommand,
    join_lines,
    join_summaries,
)
from filewright.changes.retention import enforce_limits
from filewright.changes.state_dir import temporary_file
from filewright.progress import Task
from filewright.recording import open_commands
from filewright.recording.baseline import GIT_BYTES, Baseline, Budget
from filewright.recording.model import (
    AdoptedRoot,
    Command,
    ObservedFile,
    RootState,
    Scan,
    ScannedFolder,
    ScannedState,
    parent_prefix,
    without_files,
)
from filewright.recording.scan import Scanner
from filewright.system import File, Folder

if TYPE_CHECKING:
    from filewright.recording.attribution import CommandGroup
    from filewright.recording.compare import Comparison
    from filewright.recording.file_changes import FileChangeBuilder

STATE_NAME = b"state"
OBSERVED_NAME = b"observed"
STATE_FORMAT = 1


class Journal:
    """The journal of the root of a `boundary`, stored in its `folder`.

    `within` are the registered roots in it, which have journals of their own.
    `changes` are those of the workspace, `log` is that of the root. Its methods
    need the lock of the workspace.
    """

    def __init__(
        self,
        boundary: Boundary,
        within: tuple[bytes, ...],
        changes: Changes,
        log: Log,
        folder: Folder,
        baseline: Baseline,
        task: Task,
    ) -> None:
        self.root = boundary.roots[0]
        self.folder = folder
        self.baseline = baseline
        self.log = log
        self.within = within
        self.scan: Scan = {}
        """The scan of the last observation."""
        self.had_state = True
        """False if the last observation found no state to compare with."""
        self.boundary = boundary
        self.task = task
        self._changes = changes

    def observe(
        self,
        *,
        budget: Budget,
        ending: Command | None = None,
        line: str = "",
        adopted: Sequence[AdoptedRoot] = (),
    ) -> None:
        """Record each difference from the state for the open commands.

        Then store contents of files. `ending` is the command that ends, with
        everything known about it. The files that a command `line` names are
        stored first. `adopted` are registered roots within this one that no
        longer exist.
        """
        # A command of a client that has ended would own all later changes.
        open_commands.close_stale(
            self.folder,
            except_identifier=ending.identifier if ending is not None else "",
        )
        last_state = read_state(self.folder)
        scanner = Scanner(self.boundary, self.within, self.task)
        rules = scanner.rules
        scan = scanner.scan(_find_comparable_scan(last_state, rules))
        # An unchanged scan is the same object: nothing is compared.
        is_changed = (
            last_state is None or scan is not last_state.scan or bool(adopted)
        )
        commands = self._open_commands(ending)
        # Without an open command the changes are the user's own: they enter the
        # state, but are not recorded.
        if commands and last_state is not None:
            changes = self._changes_since(last_state, adopted)
            is_changed = is_changed or bool(changes)
            if is_changed:
                scan = self._record(
                    last_state, scan, changes, commands, adopted
                )
        git_index = self.baseline.store_git_index()
        if last_state is None or last_state.git_index != git_index:
            is_changed = True
        stored_scan, unstored = self.baseline.store_scan(
            scan,
            budget,
            line=line,
            last_scan=last_state.scan if last_state is not None else None,
        )
        if line:
            self.baseline.warn_of_unstored(line, unstored, git_index)
        if is_changed or stored_scan is not scan:
            state = RootState(
                self._changes.newest_number(), rules, git_index, stored_scan
            )
            write_state(self.folder, state)
        # The time of the new file is that of the folder's own clock.
        with temporary_file(self.folder, b"") as temporary_name:
            self.folder.rename(
                temporary_name, self.folder, OBSERVED_NAME, "replace"
            )
        self.scan, self.had_state = stored_scan, last_state is not None

    def _open_commands(self, ending: Command | None) -> list[Command]:
        """Return the open commands; `ending` replaces the one that ends."""
        commands = open_commands.read_open(self.folder)
        if ending is None:
            return commands
        return [
            ending if command.identifier == ending.identifier else command
            for command in commands
        ]

    def _changes_since(
        self, state: RootState, adopted: Sequence[AdoptedRoot]
    ) -> list[ChangeRecord]:
        """Return the recorded changes that a state or an adopted one lacks."""
        newest = state.newest
        for adopted_root in adopted:
            newest = min(newest, adopted_root.state.newest)
        return list(self._changes.records_after(newest))

    def store_named(self, paths: Iterable[str]) -> None:
        """Store the contents of the files at absolute paths, whatever the budget.

        An edit tool names them: they are what it may damage.
        """
        prefix = self.root.resolved_path.rstrip(b"/") + b"/"
        states: dict[bytes, ScannedState] = {}
        for absolute_path in paths:
            encoded_path = absolute_path.encode("utf-8", "surrogateescape")
            if not encoded_path.startswith(prefix):
                continue
            path = encoded_path.removeprefix(prefix)
            folder = self.scan.get(parent_prefix(path))
            if folder is None:
                continue
            state = folder.state_of(basename(path))
            if state is not None and state.kind == "file":
                states[path] = state
        self.baseline.store_named(states)

    def mark_stored(self, stored_scan: Scan) -> None:
        """Copy the marks of stored contents to the state's equal folders."""
        last_state = read_state(self.folder)
        if last_state is None:
            return
        changed_folders: dict[bytes, ScannedFolder] = {}
        for prefix, folder in last_state.scan.items():
            stored_folder = stored_scan.get(prefix)
            # The root may have been observed while contents were stored: a
            # folder that differs by now has contents that are not stored.
            if (
                stored_folder is not None
                and stored_folder.stored_in != folder.stored_in
                and stored_folder._replace(stored_in=folder.stored_in) == folder
            ):
                changed_folders[prefix] = stored_folder
        if changed_folders:
            write_state(
                self.folder,
                last_state._replace(
                    scan={**last_state.scan, **changed_folders}
                ),
            )

    def has_seen(self, path: bytes) -> bool:
        """Return True if the last observation has seen a folder at a path."""
        prefix, _, name = path.rpartition(b"/")
        folder = self.scan.get(prefix + b"/" if prefix else b"")
        return folder is not None and name in folder.visible_names()

    # Recording

    def _record(
        self,
        last_state: RootState,
        scan: Scan,
        changes: Sequence[ChangeRecord],
        commands: Sequence[Command],
        adopted: Sequence[AdoptedRoot],
    ) -> Scan:
        """Record the differences from the state with `changes` applied.

        Return the scan without the files that were removed before they could be
        read: those are not recorded.
        """
        # Most observations find no difference, and a hook must be quick then.
        from filewright.changes.rename_plan import RenamePlan
        from filewright.recording.attribution import group_by_commands
        from filewright.recording.compare import Comparison
        from filewright.recording.file_changes import FileChangeBuilder

        # Times of one file system can be compared exactly.
        is_same_clock = self.folder.status().device == self.root.identity[0]
        comparison = Comparison(
            self.boundary,
            self.within,
            self.baseline,
            self.task,
            is_same_clock=is_same_clock,
        )
        comparison.compare(last_state, scan, changes, adopted)
        if not comparison.pairs:
            return scan
        # Before the records: they copy the earlier contents from the cache.
        self._store_from_git(comparison, last_state.git_index)
        groups = group_by_commands(
            comparison.pairs, commands, self.root.resolved_path
        )
        with self.log.begin(self.task) as intent:
            builder = FileChangeBuilder(
                self.root, comparison, intent.store, self.task
            )
            attributed_records = _build_records(
                builder, groups, commands, intent.number
            )
            for attributed in attributed_records:
                # It displaced no files, so there is nothing to clean up.
                self.log.write(attributed.record, RenamePlan(), state="settled")
        self._add_numbers(commands, attributed_records)
        if self.log.is_own:
            enforce_limits(self.log)
        # The next observation compares with the contents that this one has
        # recorded, even if the files were written to meanwhile.
        self.baseline.store(builder.contents)
        return without_files(scan, builder.missing)

    def _add_numbers(
        self,
        commands: Sequence[Command],
        attributed_records: Sequence[_AttributedRecord],
    ) -> None:
        """Add the numbers of new records to their open commands."""
        for command in commands:
            numbers: list[int] = []
            for attributed in attributed_records:
                if command in attributed.commands:
                    numbers.append(attributed.record.number)
            if numbers:
                updated = command._replace(numbers=(*command.numbers, *numbers))
                open_commands.add(self.folder, updated)

    def _store_from_git(
        self, comparison: Comparison, git_index: tuple[int, ...] | None
    ) -> None:
        """Store contents that were not stored yet from git's objects."""
        wanted: dict[bytes, ScannedState] = {}
        for old, _ in comparison.pairs:
            if (
                old is not None
                and old.path not in comparison.moves
                and _may_be_in_git(old)
            ):
                assert old.scanned is not None
                wanted[old.scanned_path] = old.scanned
        objects = list(self.baseline.iter_staged(git_index, wanted))
        if not objects:
            return
        from filewright.structure.git import read_git_objects

        names = (name for _, name in objects)
        location = Location(self.root, (b"file",))
        contents = read_git_objects(
            self.boundary, location, names, limit=GIT_BYTES, task=self.task
        )
        # Git stops at the first object that it does not have.
        for (path, name), content in zip(objects, contents, strict=False):
            # An object of another size is not the content: git may convert line
            # ends.
            git_blob = b"blob %d\0" % len(content) + content
            digest = hashlib.sha1(git_blob, usedforsecurity=False).hexdigest()
            if len(content) == wanted[path].size and digest == name:
                self.baseline.store([(path, wanted[path], content)])


class _AttributedRecord(NamedTuple):
    """A change record, and the commands that may have made its change."""

    commands: tuple[Command, ...]
    record: ChangeRecord


def _build_records(
    builder: FileChangeBuilder,
    groups: Sequence[CommandGroup],
    commands: Sequence[Command],
    newest_number: int,
) -> list[_AttributedRecord]:
    """Return the records of all groups, numbered up to the newest number."""
    parts: list[tuple[tuple[Command, ...], tuple[FileChange, ...]]] = []
    for group in groups:
        file_changes = builder.build(group.pairs)
        if file_changes:
            parts.append((group.commands, file_changes))
    notes = builder.notes
    if notes and not parts:
        # No change can be undone: the record has only the notes.
        parts.append((tuple(commands), ()))
    attributed_records: list[_AttributedRecord] = []
    # The builder stored the contents by this number: the last record has to
    # have it.
    first_number = newest_number - len(parts) + 1
    for number, (owners, file_changes) in enumerate(parts, first_number):
        recorded_commands = tuple(map(_recorded_command, owners))
        first_command = recorded_commands[0]
        paths = [change.path.display_path for change in file_changes]
        record = ChangeRecord(
            number,
            "shell",
            join_summaries(recorded_commands),
            file_changes,
            session=first_command.session,
            client=first_command.client,
            turn=first_command.turn,
            hard_links={
                path: builder.hard_links[path]
                for path in paths
                if path in builder.hard_links
            },
            notes=notes if number == newest_number else (),
            command=join_lines(recorded_commands),
            commands=recorded_commands if len(recorded_commands) > 1 else (),
        )
        attributed_records.append(_AttributedRecord(owners, record))
    return attributed_records


def _find_comparable_scan(
    state: RootState | None, rules: tuple[object, ...] | None
) -> Scan | None:
    """Return the scan of a state if it has the same rules, else None."""
    if state is None or rules is None or state.rules != rules:
        return None
    return state.scan


def _may_be_in_git(old: ObservedFile) -> bool:
    """Return True for a scanned file whose content is not stored."""
    return (
        old.kind == "file"
        and old.scanned is not None
        and old.read_content() is None
    )


def _recorded_command(command: Command) -> RecordedCommand:
    """Return a command as records name it."""
    return RecordedCommand(
        command.key,
        command.summary,
        command.session,
        command.client,
        command.turn,
        command.line,
    )


# The stored state


def dump_checksummed(value: Any) -> bytes:
    """Return a value of plain types as bytes, with its checksum before it."""
    data = marshal.dumps(value)
    return xxhash.xxh3_128_digest(data) + data


def load_checksummed(file: File) -> Any:
    """Return the value stored in a file behind its checksum.

    Raises `ValueError` if the checksum does not match, and the errors of
    `marshal`.
    """
    checksum, data = file.read(0, 16), file.read(16, file.status().size)
    if xxhash.xxh3_128_digest(data) != checksum:
        raise ValueError("it is damaged")
    return marshal.loads(data)


def write_state(folder: Folder, state: RootState) -> None:
    """Write a state. Without its own time, that of the file is used."""
    folders = {prefix: tuple(folder) for prefix, folder in state.scan.items()}
    data = dump_checksummed(
        (
            STATE_FORMAT,
            state.newest,
            state.rules,
            state.git_index,
            folders,
            state.observed_ns,
        )
    )
    with temporary_file(folder, data) as temporary_name:
        folder.rename(temporary_name, folder, STATE_NAME, "replace")


def read_state(folder: Folder) -> RootState | None:
    """Return the stored state; None if it is missing, damaged or outdated."""
    try:
        with folder.open(STATE_NAME) as file:
            # The state is not flushed: after a power cut it may hold anything.
            state_format, *values = load_checksummed(file)
            if state_format != STATE_FORMAT:
                return None
            state = RootState(*values)
            scan = {
                prefix: ScannedFolder(*fields)
                for prefix, fields in state.scan.items()
            }
            observed_ns = state.observed_ns or file.status().mtime_ns
    except (OSError, ValueError, EOFError, TypeError):
        return None
    # An observation without changes writes only this file.
    with suppress(OSError):
        observed_ns = max(observed_ns, folder.stat(OBSERVED_NAME).mtime_ns)
    return state._replace(scan=scan, observed_ns=observed_ns)
