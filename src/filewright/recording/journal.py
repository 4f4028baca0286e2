"""The journal of one root: its state after the last observation, and the observations, which are changes on record.

Whoever begins or ends a command, or changes something while one is open, observes the root first: every difference
from the state is recorded at once, and the result of the scan is the state. So what is recorded of a root follows one
another, and a change finds what the one before it has left::

    shell/state            the state: the rows of the last scan, and the number of the newest change in them
    shell/observed         written at each observation: its time is that of the observation
    shell/ID.open          an open command

The state is a cache. One that is behind (a tool has changed something, or a process ended between a record and the
state) is brought forward by the changes since. One that is lost is made anew; what was different then is nobody's.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import xxhash

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.changes.log import Log
from filewright.changes.model import ChangeRecord, RecordedCommand, join_summaries
from filewright.changes.rename_plan import RenamePlan
from filewright.changes.retention import enforce_limits
from filewright.changes.state_dir import temporary_file
from filewright.progress import Task
from filewright.recording import open_commands
from filewright.recording.baseline import GIT_BYTES, Baseline, Budget
from filewright.recording.compare import AdoptedRoot, Comparison
from filewright.recording.file_changes import FileChangeBuilder
from filewright.recording.model import (
    Command,
    ObservedFile,
    Pair,
    RootState,
    Scan,
    ScannedFolder,
    ScannedState,
    without_files,
)
from filewright.recording.scan import Scanner
from filewright.system import File, Folder

STATE = b"state"
_OBSERVED = b"observed"
_FORMAT = 1


class Journal:
    """The journal of the root of a `boundary`, kept in the `folder` of its state.

    `within` are the registered roots in it, which have journals of their own. Needs the lock of the workspace.
    `made_after` yields the changes on record that are later than a number, `latest` returns the newest number.
    """

    def __init__(
        self,
        boundary: Boundary,
        within: tuple[bytes, ...],
        log: Log,
        folder: Folder,
        baseline: Baseline,
        task: Task,
        *,
        made_after: Callable[[int], Iterable[ChangeRecord]],
        latest: Callable[[], int],
    ) -> None:
        self.root = boundary.roots[0]
        self.folder = folder
        self.baseline = baseline
        self.log = log
        self.within = within
        self.rows: Scan = {}
        """The rows of the last observation, once there is one."""
        self.was_known = True
        """False if the state was lost before the last observation, so that a difference could not be told."""
        self.boundary = boundary
        self.task = task
        self._made_after = made_after
        self._latest = latest

    def observe(
        self,
        *,
        budget: Budget,
        ending: Command | None = None,
        line: str = "",
        adopted: Sequence[AdoptedRoot] = (),
    ) -> None:
        """Record every difference from the state, as a change of the commands that are open; then store contents.

        `ending` is the one that ends, with all that is known of it by now; `line` is a command line whose files come
        first in what is stored; `adopted` are registered roots within this one that are gone.
        """
        open_commands.close_stale(
            self.folder, but=ending.identifier if ending is not None else ""
        )
        last = read_state(self.folder)
        scanner = Scanner(self.boundary, self.within, self.task)
        rules = scanner.rules
        is_comparable = last is not None and rules is not None and last.rules == rules
        rows = scanner.scan(last.rows if last is not None and is_comparable else None)
        commands = open_commands.read_open(self.folder)
        if ending is not None:
            commands = [
                ending if each.identifier == ending.identifier else each
                for each in commands
            ]
        is_new = last is None or rows is not last.rows or bool(adopted)
        if commands and last is not None:
            numbers = [last.newest]
            for inner in adopted:
                numbers.append(inner.state.newest)
            changes = list(self._made_after(min(numbers)))
            if is_new or changes:
                rows = self._record(last, rows, changes, commands, adopted)
            is_new = is_new or bool(changes)
        index = self.baseline.store_git_index()
        is_new = is_new or last is None or last.git_index != index
        known = last.rows if last is not None else None
        stored, late = self.baseline.store_scan(rows, budget, line=line, known=known)
        if line:
            self.baseline.warn_of_unstored(line, late, index)
        if is_new or stored is not rows:
            write_state(self.folder, RootState(self._latest(), rules, index, stored))
        with temporary_file(self.folder, b"") as fresh:
            self.folder.rename(fresh, self.folder, _OBSERVED, "replace")
        self.rows, self.was_known = stored, last is not None

    def mark_stored(self, rows: Scan) -> None:
        """Note which contents are stored by now, of the folders that are still as in `rows`."""
        last = read_state(self.folder)
        if last is None:
            return
        changed: dict[bytes, ScannedFolder] = {}
        for prefix, row in last.rows.items():
            stored = rows.get(prefix)
            if (
                stored is not None
                and stored.stored_in != row.stored_in
                and stored._replace(stored_in=row.stored_in) == row
            ):
                changed[prefix] = stored
        if changed:
            write_state(self.folder, last._replace(rows={**last.rows, **changed}))

    def shows(self, path: bytes) -> bool:
        """Return True if the last observation has seen a folder at a path."""
        prefix, _, name = path.rpartition(b"/")
        row = self.rows.get(prefix + b"/" if prefix else b"")
        return row is not None and name in row.visible_names()

    # Recording

    def _record(
        self,
        last: RootState,
        rows: Scan,
        changes: Sequence[ChangeRecord],
        commands: Sequence[Command],
        adopted: Sequence[AdoptedRoot],
    ) -> Scan:
        """Record what is different from the state, as the recorded changes since have left it.

        Return the rows without what was gone before it could be read: of that there is no record.
        """
        is_same_clock = self.folder.status().device == self.root.identity[0]
        comparison = Comparison(
            self.boundary,
            self.within,
            self.baseline,
            self.task,
            is_same_clock=is_same_clock,
        )
        comparison.compare(last, rows, changes, adopted)
        if not comparison.pairs:
            return rows
        self._ask_git(comparison, last.git_index)
        numbers: dict[str, tuple[int, ...]] = {}
        groups = _attributed(comparison, commands, self.root.resolved_path)
        with self.log.begin(self.task) as intent:
            builder = FileChangeBuilder(self.root, comparison, intent.store, self.task)
            records: list[tuple[tuple[Command, ...], Any]] = []
            for owners, pairs in groups.items():
                entries = builder.build(pairs)
                if entries:
                    records.append((owners, entries))
            notes = builder.notes
            if notes and not records:
                records.append((tuple(commands), ()))
            for position, (owners, entries) in enumerate(records):
                # The newest is that by whose number the contents are kept.
                number = intent.number - len(records) + 1 + position
                recorded = tuple(map(_recorded, owners))
                record = ChangeRecord(
                    number,
                    "shell",
                    join_summaries(recorded),
                    entries,
                    session=recorded[0].session,
                    client=recorded[0].client,
                    turn=recorded[0].turn,
                    notes=notes if position == len(records) - 1 else (),
                    commands=recorded if len(recorded) > 1 else (),
                )
                # It displaced nothing, and nothing is left to clean up.
                self.log.write(record, RenamePlan(), state="settled")
                for owner in owners:
                    numbers[owner.key] = (
                        *numbers.get(owner.key, owner.numbers),
                        number,
                    )
        for command in commands:
            if command.key in numbers:
                open_commands.add(
                    self.folder, command._replace(numbers=numbers[command.key])
                )
        if self.log.is_own:
            enforce_limits(self.log)
        # The next observation finds what this one has recorded, also of a file that was written to meanwhile.
        self.baseline.store(builder.contents)
        return without_files(rows, builder.missing)

    def _ask_git(self, comparison: Comparison, index: tuple[int, ...] | None) -> None:
        """Store what git has of the files that were not stored, if its index knew them as they were."""
        wanted: dict[bytes, ScannedState] = {}
        for old, _ in comparison.pairs:
            if (
                old is not None
                and old.path not in comparison.moves
                and _may_be_in_git(old)
            ):
                assert old.scanned is not None
                wanted[old.scanned_path] = old.scanned
        objects = list(self.baseline.iter_staged(index, wanted))
        if not objects:
            return
        from filewright.structure.git import git_objects

        names = (name for _, name in objects)
        where = Location(self.root, (b"file",))
        contents = git_objects(
            self.boundary, where, names, limit=GIT_BYTES, task=self.task
        )
        for (path, name), content in zip(objects, contents, strict=False):
            # Of another size, it is not what the file held: git has converted its line ends, say.
            digest = hashlib.sha1(
                b"blob %d\0" % len(content) + content, usedforsecurity=False
            ).hexdigest()
            if len(content) == wanted[path].size and digest == name:
                self.baseline.store([(path, wanted[path], content)])


def _may_be_in_git(old: ObservedFile) -> bool:
    return old.kind == "file" and old.scanned is not None and old.read_content() is None


def _recorded(command: Command) -> RecordedCommand:
    return RecordedCommand(
        command.key, command.summary, command.session, command.client, command.turn
    )


def _attributed(
    comparison: Comparison, commands: Sequence[Command], root: bytes
) -> dict[tuple[Command, ...], list[Pair]]:
    """Return the pairs by the commands whose they may be, in an order in which each can follow the one before.

    All commands that are open may have changed anything. Only where all of them are edit tools, a file that one of
    them alone names is that tool's, with the folders above it that it had to make for nothing else.
    """
    everyone = tuple(commands)
    if len(commands) < 2 or not all(command.is_tool for command in commands):
        return {everyone: comparison.pairs}
    named: dict[bytes, set[Command]] = {}
    for command in commands:
        for path in command.paths:
            named.setdefault(path.encode("utf-8", "surrogateescape"), set()).add(
                command
            )
    shared: list[Pair] = []
    owned: list[tuple[Command, Pair]] = []
    for old, now in comparison.pairs:
        owners = _owners_of(old, now, named, root)
        if len(owners) == 1:
            owned.append((owners.pop(), (old, now)))
        else:
            shared.append((old, now))
    # The shared ones come first: what needs one of a tool's before it is shared too, as is that.
    while dependent := _needed_by(shared, owned):
        shared += [pair for _, pair in dependent]
        owned = [each for each in owned if each not in dependent]
    groups: dict[tuple[Command, ...], list[Pair]] = {}
    if shared:
        groups[everyone] = shared
    for command, pair in owned:
        groups.setdefault((command,), []).append(pair)
    return groups


def _needed_by(
    shared: Sequence[Pair], owned: Sequence[tuple[Command, Pair]]
) -> list[tuple[Command, Pair]]:
    """Return those of the tools' pairs without which shared ones, or those of other tools, could not be."""
    used: dict[bytes, set[Command | None]] = {}
    left: set[bytes] = set()
    pairs: list[tuple[Command | None, Pair]] = [
        *((None, pair) for pair in shared),
        *owned,
    ]
    for owner, (old, now) in pairs:
        if now is not None and (old is None or old.path != now.path):
            for above in _upwards(now.path):
                used.setdefault(above, set()).add(owner)
        if owner is None and old is not None and (now is None or now.path != old.path):
            left.add(old.path)
    dependent: list[tuple[Command, Pair]] = []
    for owner, (old, now) in owned:
        # It had to leave before another could come there, or before the folder above went.
        is_before = old is not None and (
            not used.get(old.path, set()) <= {owner}
            or not left.isdisjoint(_upwards(old.path))
        )
        is_folder = (
            now is not None
            and now.kind == "folder"
            and not used.get(now.path, set()) <= {owner}
        )
        if is_before or is_folder:
            dependent.append((owner, (old, now)))
    return dependent


def _upwards(path: bytes) -> Iterator[bytes]:
    """Yield a path and those of the folders above."""
    while path:
        yield path
        path = path.rpartition(b"/")[0]


def _owners_of(
    old: ObservedFile | None,
    now: ObservedFile | None,
    named: dict[bytes, set[Command]],
    root: bytes,
) -> set[Command]:
    """Return the commands that name a thing or, of a folder that was made, something in it."""
    start = root.rstrip(b"/") + b"/"
    owners: set[Command] = set()
    for thing in (old, now):
        if thing is not None:
            owners |= named.get(start + thing.path, set())
    if old is None and now is not None and now.kind == "folder":
        for path, some in named.items():
            if path.startswith(start + now.path + b"/"):
                owners |= some
    return owners


# The state as it is kept


def dump_checksummed(value: Any) -> bytes:
    """Return a value of plain types as it is kept: after its hash."""
    data = marshal.dumps(value)
    return xxhash.xxh3_128_digest(data) + data


def load_checksummed(file: File) -> Any:
    """Return the value that a file holds. Raises `ValueError` where it is damaged, and what `marshal` raises."""
    digest, data = file.read(0, 16), file.read(16, file.status().size)
    if xxhash.xxh3_128_digest(data) != digest:
        raise ValueError("it is damaged")
    return marshal.loads(data)


def write_state(folder: Folder, state: RootState) -> None:
    """Write a state; its time is now, unless it says another."""
    rows = {prefix: tuple(row) for prefix, row in state.rows.items()}
    data = dump_checksummed(
        (_FORMAT, state.newest, state.rules, state.git_index, rows, state.observed_ns)
    )
    with temporary_file(folder, data) as fresh:
        folder.rename(fresh, folder, STATE, "replace")


def read_state(folder: Folder) -> RootState | None:
    """Return the state that is kept; None if it is not there, damaged, or of another version."""
    try:
        with folder.open(STATE) as file:
            version, *fields = load_checksummed(file)
            if version != _FORMAT:
                return None
            state = RootState(*fields)
            rows = {prefix: ScannedFolder(*row) for prefix, row in state.rows.items()}
            observed_ns = state.observed_ns or file.status().mtime_ns
    except (OSError, ValueError, EOFError, TypeError):
        return None
    with suppress(OSError):
        observed_ns = max(observed_ns, folder.stat(_OBSERVED).mtime_ns)
    return state._replace(rows=rows, observed_ns=observed_ns)
