"""The check of a repository's files for damage, compared with what git stores.

Any editor or script may damage a file, not only an agent's tool. Here the bytes before
are those of a commit, the bytes after those of the working tree or of the index. No
edit is known, so only bytes of equal text count as damage: `healing` decides.

A file of the working tree is compared in the form in which git would store it, since
git may convert line ends. Nothing of the repository is executed.
"""

from __future__ import annotations

import os
import struct
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.boundary.repository import find_repository
from filewright.boundary.rules import DenyRules
from filewright.changes.changes import Changes
from filewright.changes.selection import GUARD_TOOL
from filewright.edit.changeset import ChangeSet, Modify, SetMode, Step
from filewright.edit.linediff import find_line_splices
from filewright.errors import Code, FilewrightError, invalid
from filewright.progress import Task
from filewright.recording.damage import (
    Damage,
    GuardSentence,
    Healing,
)
from filewright.recording.git_index import IndexEntry, iter_entries
from filewright.recording.guard import MAX_HEALED_BYTES, is_excluded
from filewright.recording.healing import heal
from filewright.structure.git_conversion import (
    FileConversion,
    file_conversion,
    restore_ends,
    to_stored_ends,
)
from filewright.structure.git_repository import (
    CommittedFile,
    GitRepository,
    IndexFile,
)
from filewright.system import Folder, Status
from filewright.text.snapshot import Snapshot
from filewright.wording import pluralize

_FILES_AT_ONCE = 1000
"""Files whose attributes are asked for at one time."""
_OPEN_FOLDERS = 32
_SIZE_MASK = 0xFFFFFFFF
"""The bits of a size or an inode that git's index keeps."""
_EXECUTE_BITS = 0o111
_TOO_LARGE = "it is above 16 MB"


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """A file of the index, and its version in the commit that it is compared with."""

    path: bytes
    mode: int
    object_id: str
    index: IndexFile


@dataclass(frozen=True, slots=True)
class DamagedFile:
    """A file with damage; `lines` counts the damaged lines."""

    file: ComparedFile
    damage: tuple[Damage, ...]
    lines: int
    encoding: str

    @property
    def path(self) -> bytes:
        """The path below the top of the working tree."""
        return self.file.path


@dataclass(frozen=True, slots=True)
class PassedFile:
    """A file that was not compared or not healed, and the reason."""

    path: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class DamageReport:
    """The damaged files, and those that could not be compared.

    `commit` is the commit that they were compared with; None if there is none yet.
    """

    commit: str | None
    is_staged: bool
    damaged: tuple[DamagedFile, ...] = ()
    passed: tuple[PassedFile, ...] = ()


@dataclass(frozen=True, slots=True)
class HealReport:
    """The files that were healed, and those that were not.

    `change_id` is the change of the working tree, None if only the index was changed.
    """

    healed: tuple[DamagedFile, ...]
    unhealed: tuple[PassedFile, ...]
    change_id: str | None


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two versions of a file in the form in which git stores them.

    `is_unified` is True if their line ends were unified for that.
    """

    base: bytes
    actual: bytes
    is_unified: bool


class _PassedError(Exception):
    """A file that is not compared or not healed; the message says why."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check, and of the healing if one was asked for."""

    report: DamageReport
    healing: HealReport | None = None


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The files to compare, and whether to heal them.

    The working tree is compared with HEAD, or with the commit where HEAD left the
    revision `since`; if `is_staged`, the index is compared with HEAD. Of all files, only
    those at or below `paths` are, if there are any. With `keeps_index`, damage that is
    staged is healed in the working tree alone.
    """

    since: str | None = None
    is_staged: bool = False
    paths: Collection[bytes] = ()
    is_healing: bool = False
    keeps_index: bool = False


def check_repository(
    boundary: Boundary, changes: Changes, request: CheckRequest, task: Task
) -> CheckResult:
    """Find the damage in the working tree that is the first root, and heal it.

    Raise `invalid_input` for another root and for an unknown revision, and the errors
    of git and of a commit.
    """
    root = boundary.roots[0]
    folders = find_repository(root.resolved_path)
    if folders is None or folders.top != root.resolved_path:
        raise invalid(
            f"{quote(root.path)} is not the top folder of a git repository",
            "the guard compares files with git: serve the top folder",
        )
    with GitRepository(folders, task) as repository:
        check = GuardCheck(boundary, changes, repository, task)
        report = check.find_damage(request)
        if not request.is_healing or not report.damaged:
            return CheckResult(report)
        healing = check.heal(report, keeps_index=request.keeps_index)
        return CheckResult(report, healing)


class GuardCheck:
    """A check of the files of one working tree, which is the first root."""

    def __init__(
        self,
        boundary: Boundary,
        changes: Changes,
        repository: GitRepository,
        task: Task,
    ) -> None:
        self._boundary = boundary
        self._changes = changes
        self._settings = changes.settings
        self._repository = repository
        self._task = task
        self._root = boundary.roots[0]
        self._excluded = DenyRules.from_settings(self._settings.guard_exclude)
        self._settings_of_git = repository.read_settings()

    # Finding damage

    def find_damage(self, request: CheckRequest) -> DamageReport:
        """Compare the working tree, or the index, with a commit.

        Raise `invalid_input` for a revision that is none of the repository.
        """
        is_staged = request.is_staged
        commit = self._find_commit(request.since)
        if commit is None:
            return DamageReport(None, is_staged)
        damaged: list[DamagedFile] = []
        passed: list[PassedFile] = []
        if is_staged:
            candidates = self._iter_staged(commit)
        else:
            candidates = self._iter_working(commit)
        selected = _select(candidates, frozenset(request.paths), passed)
        while batch := [*islice(selected, _FILES_AT_ONCE)]:
            conversions = self._read_conversions(batch)
            for file in batch:
                self._task.check()
                try:
                    conversion = conversions[file.path]
                    damage = self._find_in_file(file, conversion, is_staged)
                except _PassedError as error:
                    passed.append(PassedFile(file.path, str(error)))
                    continue
                except FilewrightError as error:
                    if error.ends_call:
                        raise
                    passed.append(PassedFile(file.path, error.message))
                    continue
                if damage is not None:
                    damaged.append(damage)
        return DamageReport(commit, is_staged, tuple(damaged), tuple(passed))

    def _find_commit(self, since: str | None) -> str | None:
        """Return the commit to compare with; None in a repository without commits."""
        head = self._repository.resolve("HEAD")
        if since is None:
            return head
        commit = self._repository.resolve(since)
        if commit is None:
            raise invalid(
                f"the repository has no commit {since!r}",
                "if the clone is shallow, fetch the commit first",
            )
        # What the other branch has changed since is not of this working tree.
        parting = head and self._repository.merge_base(commit, head)
        return parting or commit

    def _iter_staged(self, commit: str) -> Iterator[ComparedFile | PassedFile]:
        """Yield the files that the index has otherwise than a commit."""
        merged = self._merged_ids()
        for difference in self._repository.iter_differences(commit):
            if difference.is_conflict:
                yield PassedFile(difference.path, "it is in conflict")
                continue
            # A merge brings what others have committed.
            if merged.get(difference.path) == difference.index_id:
                continue
            index = IndexFile(
                difference.path, difference.index_mode, difference.index_id
            )
            if _is_file(difference.mode) and _is_file(index.mode):
                yield ComparedFile(
                    difference.path,
                    difference.mode,
                    difference.object_id,
                    index,
                )

    def _merged_ids(self) -> dict[bytes, str]:
        """Return the files of the commit that is being merged, where it differs."""
        merged: dict[bytes, str] = {}
        head = self._repository.resolve("MERGE_HEAD")
        if head is None:
            return merged
        base = self._repository.resolve("HEAD")
        for change in self._repository.iter_tree_changes(base or head, head):
            merged[change.path] = change.object_id
        return merged

    def _iter_working(self, commit: str) -> Iterator[ComparedFile | PassedFile]:
        """Yield the files of the working tree that may differ from a commit."""
        differences: dict[bytes, CommittedFile] = {}
        for difference in self._repository.iter_differences(commit):
            differences[difference.path] = difference
        merged = self._merged_ids()
        stored_index = self._repository.read_index_file()
        hints = _IndexHints(stored_index.content, stored_index.mtime_ns)
        statuses = _FileStatuses(self._boundary)
        conflicts: set[bytes] = set()
        try:
            for index in self._repository.iter_index():
                if index.is_conflict:
                    if index.path not in conflicts:
                        conflicts.add(index.path)
                        yield PassedFile(index.path, "it is in conflict")
                    continue
                file = _committed_version(index, differences.get(index.path))
                if file is None:
                    continue
                status = statuses.read(self._locate(file.path))
                if status is None or status.kind != "file":
                    continue
                is_as_staged = hints.is_unchanged(index, status)
                if is_as_staged and file.object_id == index.object_id:
                    if not self._has_lost_execution(file, status.mode):
                        continue
                elif is_as_staged and merged.get(file.path) == index.object_id:
                    continue
                yield file
        finally:
            statuses.close()

    def _read_conversions(
        self, files: Sequence[ComparedFile]
    ) -> dict[bytes, FileConversion]:
        """Return the conversion of each file."""
        autocrlf = self._settings_of_git.get("core.autocrlf", "false")
        attributes = self._repository.read_attributes(
            [file.path for file in files]
        )
        conversions: dict[bytes, FileConversion] = {}
        for file in files:
            conversions[file.path] = file_conversion(
                attributes.get(file.path, {}), autocrlf
            )
        return conversions

    def _find_in_file(
        self, file: ComparedFile, conversion: FileConversion, is_staged: bool
    ) -> DamagedFile | None:
        """Return the damage of one file, or None."""
        location = self._locate(file.path)
        if conversion.is_binary or is_excluded(self._excluded, location):
            return None
        if is_staged:
            pair = self._read_staged(file, conversion)
            has_lost_execution = _lost_execution(file.mode, file.index.mode)
        else:
            if conversion.obstacle:
                raise _PassedError(
                    f"{conversion.obstacle} lets another program convert it"
                )
            with self._open(location) as snapshot:
                assert snapshot.content is not None
                pair = self._read_working(file, conversion, snapshot.content)
                has_lost_execution = self._has_lost_execution(
                    file, _mode_of(snapshot)
                )
        healing = self._compare(location, pair)
        damage = healing.damage
        if has_lost_execution:
            damage = (*damage, Damage.MODE)
        if not damage:
            if healing.doubt:
                raise _PassedError(healing.doubt)
            return None
        return DamagedFile(file, damage, healing.lines, healing.encoding)

    def _compare(self, location: Location, pair: _Pair) -> Healing:
        """Return the healing of the later of two versions."""
        # In a file that was empty everything is new.
        if pair.base == pair.actual or not pair.base:
            return Healing()
        original = Snapshot(
            pair.base, settings=self._settings, location=location
        )
        if original.binary_type:
            return Healing()
        return heal(pair.base, pair.actual, original.encoding)

    def _read_staged(
        self, file: ComparedFile, conversion: FileConversion
    ) -> _Pair:
        """Return a file as the commit and as the index have it."""
        base = self._read_blob(file.object_id)
        actual = base
        if file.index.object_id != file.object_id:
            actual = self._read_blob(file.index.object_id)
        # Where an attribute tells git to unify the ends, it does so by itself.
        if conversion.is_text:
            return _Pair(to_stored_ends(base), to_stored_ends(actual), True)
        return _Pair(base, actual, False)

    def _read_working(
        self, file: ComparedFile, conversion: FileConversion, actual: bytes
    ) -> _Pair:
        """Return a file as the commit has it, and as git would store it now."""
        base = self._read_blob(file.object_id)
        if base == actual:
            return _Pair(base, actual, False)
        stored = base
        if conversion.is_automatic and file.index.object_id != file.object_id:
            stored = self._read_blob(file.index.object_id)
        if not conversion.unifies_ends(actual, stored):
            return _Pair(base, actual, False)
        if conversion.is_text:
            base = to_stored_ends(base)
        return _Pair(base, to_stored_ends(actual), True)

    def _read_blob(self, object_id: str) -> bytes:
        content = self._repository.read_blob(object_id, MAX_HEALED_BYTES)
        if content is None:
            raise _PassedError(
                f"{_TOO_LARGE} in the repository, or is not in this clone"
            )
        return content

    def _open(self, location: Location) -> Snapshot:
        """Open a file of the working tree whose content is in memory."""
        snapshot = Snapshot.of_file(
            self._boundary.open_file(location), location, self._settings
        )
        if snapshot.content is None or snapshot.size > MAX_HEALED_BYTES:
            snapshot.close()
            raise _PassedError(_TOO_LARGE)
        return snapshot

    def _has_lost_execution(self, file: ComparedFile, mode: int) -> bool:
        """Return True if a file of the working tree has lost its execute bits."""
        if self._settings_of_git.get("core.filemode") == "false":
            return False
        return os.name != "nt" and _lost_execution(file.mode, mode)

    def _locate(self, path: bytes) -> Location:
        return Location(self._root, tuple(path.split(b"/")))

    # Healing

    def heal(
        self, report: DamageReport, *, keeps_index: bool = False
    ) -> HealReport:
        """Heal the files of a report, in one change that can be undone.

        Of staged files the index is healed too, unless `keeps_index`. Raise `in_use` if
        the index cannot be written, and the errors of a commit.
        """
        heals_index = report.is_staged and not keeps_index
        if heals_index and self._repository.is_index_temporary:
            raise FilewrightError(
                Code.UNSUPPORTED,
                "`git commit PATH` uses an index of its own, which is not "
                "healed",
                "stage these files (git add), and commit without paths",
            )
        healed: list[DamagedFile] = []
        unhealed: list[PassedFile] = []
        steps: list[Step] = []
        staged: list[IndexFile] = []
        previous: dict[bytes, IndexFile] = {}
        conversions = self._read_conversions(
            [damaged.file for damaged in report.damaged]
        )
        for damaged in report.damaged:
            file, conversion = damaged.file, conversions[damaged.path]
            try:
                entry: IndexFile | None = None
                if heals_index:
                    entry = self._heal_staged(file, conversion)
                if report.is_staged:
                    steps += self._steps_beside_index(file, conversion)
                else:
                    steps += self._steps_in_working_tree(file, conversion)
            except _PassedError as error:
                unhealed.append(PassedFile(file.path, str(error)))
                continue
            except FilewrightError as error:
                if error.ends_call:
                    raise
                unhealed.append(PassedFile(file.path, error.message))
                continue
            healed.append(damaged)
            if entry is not None:
                staged.append(entry)
                previous[file.path] = file.index
        # The index first: if it is locked, nothing at all has changed.
        self._stage(staged, previous)
        change_id = None
        if steps:
            count = pluralize(len(healed), "file")
            summary = f"guard: healed {count}"
            if len(healed) == 1:
                path = quote(healed[0].path)
                summary = str(GuardSentence(path, healed[0].damage))
            change = ChangeSet(GUARD_TOOL, summary, tuple(steps))
            change_id = self._changes.commit(change, task=self._task).id
        return HealReport(tuple(healed), tuple(unhealed), change_id)

    def _steps_in_working_tree(
        self, file: ComparedFile, conversion: FileConversion
    ) -> list[Step]:
        """Return the steps that heal a file of the working tree."""
        location = self._locate(file.path)
        with self._open(location) as snapshot:
            assert snapshot.content is not None
            pair = self._read_working(file, conversion, snapshot.content)
            healing = self._compare(location, pair)
            content = pair.actual
            if healing.content is not None:
                content = healing.content
            elif healing.doubt:
                raise _PassedError(healing.doubt)
            return self._steps(file, snapshot, pair, content)

    def _steps_beside_index(
        self, file: ComparedFile, conversion: FileConversion
    ) -> list[Step]:
        """Return the steps that heal the working file of a file that was staged.

        A working file with further changes is compared with the commit itself.
        """
        try:
            kind = self._boundary.stat(self._locate(file.path)).kind
        except FilewrightError:
            return []
        if kind != "file":
            return []
        if conversion.obstacle:
            raise _PassedError(
                f"{conversion.obstacle} lets another program convert it"
            )
        try:
            return self._steps_in_working_tree(file, conversion)
        except _PassedError as error:
            raise _PassedError(
                f"its file in the working tree cannot be healed: {error}"
            ) from error

    def _steps(
        self,
        file: ComparedFile,
        snapshot: Snapshot,
        pair: _Pair,
        content: bytes,
    ) -> list[Step]:
        """Return the steps that give a working file a content and its mode."""
        assert snapshot.content is not None
        assert snapshot.status is not None
        location = self._locate(file.path)
        steps: list[Step] = []
        if content != pair.actual and snapshot.status.st_nlink > 1:
            # A new file would take its place under this name alone.
            raise _PassedError("it has other names (hard links)")
        if content != pair.actual:
            restored: bytes | None = content
            if pair.is_unified:
                restored = restore_ends(content, snapshot.content)
            if restored is None:
                raise _PassedError(
                    "it has both LF and CRLF, which git would make alike"
                )
            splices = find_line_splices(snapshot.content, restored)
            steps.append(Modify.from_snapshot(location, snapshot, splices))
        mode = _mode_of(snapshot)
        if self._has_lost_execution(file, mode):
            # Everyone who may read the file may run it, as git makes it.
            mode |= (mode & 0o444) >> 2
            steps.append(SetMode(location, f"{mode:o}"))
        return steps

    def _heal_staged(
        self, file: ComparedFile, conversion: FileConversion
    ) -> IndexFile:
        """Store the healed content of a staged file; return its index entry."""
        pair = self._read_staged(file, conversion)
        healing = self._compare(self._locate(file.path), pair)
        object_id = file.index.object_id
        if healing.content is not None:
            content: bytes | None = healing.content
            if pair.is_unified:
                staged = self._read_blob(object_id)
                content = restore_ends(healing.content, staged)
            if content is None:
                raise _PassedError(
                    "it is staged with both LF and CRLF, which git would make "
                    "alike"
                )
            object_id = self._repository.write_blob(content)
        mode = file.index.mode
        if _lost_execution(file.mode, mode):
            mode = file.mode
        return IndexFile(file.path, mode, object_id)

    def _stage(
        self, files: Sequence[IndexFile], previous: Mapping[bytes, IndexFile]
    ) -> None:
        """Put healed files into the index, in place of the entries compared."""
        if not files:
            return
        remaining = dict(previous)
        for entry in self._repository.iter_index():
            if remaining.get(entry.path) == entry:
                del remaining[entry.path]
        if remaining:
            path = quote(next(iter(remaining)))
            raise FilewrightError(
                Code.STALE_VERSION,
                f"{path} was staged again meanwhile; nothing was changed",
                "check again",
                path=path,
            )
        self._repository.update_index(files)


# Selecting


def _select(
    candidates: Iterator[ComparedFile | PassedFile],
    paths: Collection[bytes],
    passed: list[PassedFile],
) -> Iterator[ComparedFile]:
    """Yield the files at or below some paths; append those that are passed over."""
    for candidate in candidates:
        if paths and not _is_selected(candidate.path, paths):
            continue
        if isinstance(candidate, PassedFile):
            passed.append(candidate)
        else:
            yield candidate


def _is_selected(path: bytes, paths: Collection[bytes]) -> bool:
    """Return True if a path or a folder above it is among `paths`."""
    while path:
        if path in paths:
            return True
        path = path.rpartition(b"/")[0]
    return b"" in paths


def _committed_version(
    index: IndexFile, difference: CommittedFile | None
) -> ComparedFile | None:
    """Return a file of the index with its version in the commit.

    None if either is no regular file, or if the commit has no such file.
    """
    mode, object_id = index.mode, index.object_id
    if difference is not None:
        mode, object_id = difference.mode, difference.object_id
    if not _is_file(mode) or not _is_file(index.mode):
        return None
    return ComparedFile(index.path, mode, object_id, index)


def _is_file(mode: int) -> bool:
    """Return True for a mode of a regular file in git: no link, no submodule."""
    return mode >> 12 == 0o10


def _lost_execution(before: int, after: int) -> bool:
    """Return True if the execute bits are gone. Gained ones are meant."""
    return bool(before & _EXECUTE_BITS) and not after & _EXECUTE_BITS


def _mode_of(snapshot: Snapshot) -> int:
    """Return the permissions of an open file."""
    assert snapshot.status is not None
    return snapshot.status.st_mode & 0o7777


class _IndexHints:
    """The states of files when git last saw them, in the order of the index."""

    def __init__(self, data: bytes, changed_ns: int) -> None:
        self._entries = _iter_readable(data)
        self._changed_ns = changed_ns
        self._entry: IndexEntry | None = next(self._entries, None)

    def is_unchanged(self, file: IndexFile, status: Status) -> bool:
        """Return True if a file surely holds what is staged of it.

        Files are asked about in the order of the index.
        """
        while self._entry is not None and self._entry.path < file.path:
            self._entry = next(self._entries, None)
        entry = self._entry
        if entry is None or entry.path != file.path:
            return False
        # A file of the same moment as the index may have been saved after it.
        return (
            entry.object_id == file.object_id
            and entry.size == status.size & _SIZE_MASK
            and entry.inode == status.inode & _SIZE_MASK
            and entry.mtime_ns == status.mtime_ns
            and entry.mtime_ns < self._changed_ns
        )


def _iter_readable(data: bytes) -> Iterator[IndexEntry]:
    """Yield the entries of an index up to the first that cannot be read."""
    try:
        yield from iter_entries(data)
    except (struct.error, ValueError, IndexError):
        return


class _FileStatuses:
    """The statuses of files, read from folders that are held open for a while."""

    def __init__(self, boundary: Boundary) -> None:
        self._boundary = boundary
        self._folders: OrderedDict[tuple[bytes, ...], Folder | None] = (
            OrderedDict()
        )

    def read(self, location: Location) -> Status | None:
        """Return the status of a file; None if it is missing or invisible."""
        folder = self._folder(location.parent)
        if folder is None:
            return None
        try:
            return folder.stat(location.name)
        except OSError:
            return None

    def _folder(self, location: Location) -> Folder | None:
        if location.parts in self._folders:
            self._folders.move_to_end(location.parts)
            return self._folders[location.parts]
        folder: Folder | None = None
        try:
            folder = self._boundary.open_folder(location)
        except FilewrightError:
            pass  # It is missing, denied, or no folder any more.
        self._folders[location.parts] = folder
        if len(self._folders) > _OPEN_FOLDERS:
            _, oldest = self._folders.popitem(last=False)
            if oldest is not None:
                oldest.close()
        return folder

    def close(self) -> None:
        """Close the folders."""
        for folder in self._folders.values():
            if folder is not None:
                folder.close()
        self._folders.clear()
