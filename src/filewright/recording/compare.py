"""The differences between the state of a root and a scan of it.

Changes that filewright itself has recorded since the state are applied to it first, so
that only the changes of others remain. Renames are found, and files that only became
visible or excluded by a rule are left out.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from posixpath import basename, dirname
from typing import NamedTuple

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.changes.blobs import compute_digest, content_after
from filewright.changes.model import (
    ChangeRecord,
    FileState,
    RecordedPath,
    keeps_content,
)
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.recording.baseline import Baseline
from filewright.recording.model import (
    ObservedFile,
    Pair,
    RootState,
    Scan,
    ScannedFolder,
    ScannedState,
    parent_prefix,
)

CLOCK_SLACK_NS = 2 * 10**9
"""The most by which the clocks of two file systems differ, or one lags behind."""
MISSING_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
EMPTY_FOLDER = ScannedFolder()
OUTSIDE_PREFIX = b"../"
"""The beginning of paths that do not belong to the root."""


class AdoptedRoot(NamedTuple):
    """The state of a registered root that is gone, and its path with a slash."""

    prefix: bytes
    state: RootState


class Comparison:
    """The changes of others below a root, between a state and a scan.

    `pairs` are the files that differ, before and after; `moves` are the new paths of
    those that were renamed.
    """

    def __init__(
        self,
        boundary: Boundary,
        within: tuple[bytes, ...],
        baseline: Baseline,
        task: Task,
        *,
        is_same_clock: bool,
    ) -> None:
        self.pairs: list[Pair] = []
        self.moves: dict[bytes, bytes] = {}
        self._boundary = boundary
        self._root = boundary.roots[0]
        self._within = within
        self._baseline = baseline
        self._task = task
        self._clock_slack_ns = 0 if is_same_clock else CLOCK_SLACK_NS
        self._before: dict[bytes, ObservedFile] = {}
        self._after: dict[bytes, ObservedFile] = {}
        self._excluded: dict[bytes, bytes] = {}
        self._newest_numbers: dict[bytes, int] = {}
        """The number of the newest change in each compared state, by prefix."""

    def compare(
        self,
        state: RootState,
        scan: Scan,
        changes: Sequence[ChangeRecord],
        adopted: Sequence[AdoptedRoot] = (),
    ) -> None:
        """Apply the recorded changes to the state, then pair the files that differ.

        `adopted` are registered roots within this one that no longer exist.
        """
        last_scan = {
            prefix: folder
            for prefix, folder in state.scan.items()
            if not prefix.startswith(self._within)
        }
        self._newest_numbers[b""] = state.newest
        for adopted_root in adopted:
            self._newest_numbers[adopted_root.prefix] = adopted_root.state.newest
            for prefix, folder in adopted_root.state.scan.items():
                last_scan[adopted_root.prefix + prefix] = folder
        for prefix, folder in last_scan.items():
            for name in folder.excluded:
                self._excluded[prefix + name.removesuffix(b"/")] = b""
        is_touched = self._touched_folders(changes)
        for prefix in last_scan.keys() | scan.keys():
            old_folder, new_folder = (
                last_scan.get(prefix, EMPTY_FOLDER),
                scan.get(prefix, EMPTY_FOLDER),
            )
            differs = old_folder is not new_folder and old_folder._replace(
                stored_in=""
            ) != new_folder._replace(stored_in="")
            if differs or is_touched(prefix):
                self._before |= _observed_files(
                    prefix, old_folder, self._baseline.read_stored
                )
                self._after |= _observed_files(
                    prefix, new_folder, self._baseline.read_current
                )
        for change in changes:
            self._apply_change(change)
        self._pair_files(state, last_scan)

    # Changes on record

    def _touched_folders(
        self, changes: Sequence[ChangeRecord]
    ) -> Callable[[bytes], bool]:
        """Return a function that tells if changes have touched a folder."""
        folders: set[bytes] = set()
        trees: list[bytes] = []
        for change in changes:
            for file_change in change.file_changes:
                for recorded_path in file_change.paths:
                    path = self._path_of(recorded_path, change.number)
                    folders.add(parent_prefix(path))
                    # A moved or replaced folder takes its contents along.
                    states = (file_change.before, file_change.after)
                    is_moved = file_change.renamed_from is not None or None in states
                    if is_moved and any(
                        state is not None and state.kind == "folder" for state in states
                    ):
                        trees.append(path + b"/")
        tree_prefixes = tuple(trees)
        return lambda prefix: prefix in folders or prefix.startswith(tree_prefixes)

    def _apply_change(self, change: ChangeRecord) -> None:
        """Apply a recorded change to the state."""
        moves: dict[bytes, bytes] = {}
        created: dict[bytes, ObservedFile] = {}
        for file_change in change.file_changes:
            self._task.check()
            path = self._path_of(file_change.path, change.number)
            old_path = path
            if file_change.renamed_from is not None:
                old_path = self._path_of(file_change.renamed_from, change.number)
            old = self._before.get(old_path)
            if file_change.before is not None:
                if old and old.kind != file_change.before.kind:
                    # The change has found another file than the state has.
                    self._drop({old_path})
                old = self._before.pop(old_path, None)
            if file_change.after is None:
                continue
            state = replace(
                file_change.after,
                mtime_ns=file_change.after.mtime_ns or change.number,
            )
            new = ObservedFile(
                path,
                state,
                partial(content_after, file_change),
                scanned_path=old.scanned_path if old else b"",
            )
            if file_change.before is not None and keeps_content(file_change):
                # The record has no content: the file kept its own.
                new = self._with_known_content(new, old)
                if file_change.before.kind == "folder":
                    moves[old_path] = path
            created[path] = new
        if moves:
            for path in list(self._before):
                new_path = path_after_moves(moves, path)
                if new_path != path:
                    moved = self._before.pop(path)._replace(path=new_path)
                    created.setdefault(new_path, moved)
        self._drop(self._before.keys() & created.keys())
        self._before |= created
        self._add_parents(created)

    def _with_known_content(
        self, new: ObservedFile, old: ObservedFile | None
    ) -> ObservedFile:
        """Return a file that kept its content, with the content of the observed file."""
        observed = old or self._after.get(new.path)
        if observed is None:
            return new
        if old is None and observed.content_identity[2:] != new.content_identity[2:]:
            return new
        # It is the observed file, with its new path, mode and owner.
        return observed._replace(
            path=new.path,
            state=observed.state.with_mode_and_owner(new.state),
            scanned_path=new.scanned_path,
        )

    def _drop(self, paths: Set[bytes]) -> None:
        """Drop files, with everything below them, from the state."""
        if not paths:
            return
        prefixes = tuple(path + b"/" for path in paths)
        for path in list(self._before):
            if path in paths or path.startswith(prefixes):
                del self._before[path]

    def _add_parents(self, created: Mapping[bytes, ObservedFile]) -> None:
        """Add the folders above created files: a scan may not have seen them yet."""
        for path in created:
            parent = dirname(path)
            while parent and parent not in self._before and parent in self._after:
                self._before[parent] = self._after[parent]
                parent = dirname(parent)

    def _path_of(self, recorded_path: RecordedPath, number: int) -> bytes:
        """Return the path below the root of a path in a change.

        It begins with `OUTSIDE_PREFIX` if it does not belong to the root, or if the
        state includes the change already.
        """
        location = recorded_path.locate(self._boundary.roots)
        if location is not None and location.parts:
            path = b"/".join(location.parts)
            owner_prefix = max(
                (prefix for prefix in self._newest_numbers if path.startswith(prefix)),
                key=len,
            )
            if (
                not path.startswith(self._within)
                and number > self._newest_numbers[owner_prefix]
            ):
                return path
        return OUTSIDE_PREFIX + b"/".join(recorded_path.absolute_parts)

    # Pairs

    def _pair_files(self, state: RootState, last_scan: Scan) -> None:
        """Pair the files that differ, and renamed files with themselves."""
        removed: dict[bytes, ObservedFile] = {}
        added: dict[bytes, ObservedFile] = {}
        for path in sorted(self._before.keys() | self._after.keys()):
            self._task.check()
            if path.startswith(OUTSIDE_PREFIX):
                continue
            old, new = self._before.get(path), self._after.get(path)
            if old is not None and new is not None and old.kind == new.kind:
                if old.scanned != new.scanned and new.kind != "other":
                    self.pairs.append((old, new))
                continue
            if old is not None and (new is not None or self._is_removed(old)):
                removed[path] = old
            if new is not None:
                added[path] = new
        self._discard_uncovered(added, state, last_scan)
        self._find_renamed(removed, added)
        self.pairs += [(old, None) for old in removed.values()]
        self.pairs += [(None, new) for new in added.values()]

    def _is_removed(self, old: ObservedFile) -> bool:
        """Return True if a file was removed, and not only excluded by a rule."""
        *parent_parts, name = old.path.split(b"/")
        try:
            with self._root.folder.open_folder_beneath(
                parent_parts, follow_links=False, listable=False
            ) as folder:
                return old.state.inode not in (None, folder.stat(name).inode)
        except OSError as error:
            return error.errno in MISSING_ERRORS

    def is_gone_now(self, file: ObservedFile) -> bool:
        """Return True if a scanned file is gone, or has another kind by now."""
        *parent_parts, name = file.path.split(b"/")
        try:
            with self._root.folder.open_folder_beneath(
                parent_parts, follow_links=False, listable=False
            ) as folder:
                return FileState.from_status(folder.stat(name)).kind != file.kind
        except OSError as error:
            return error.errno in MISSING_ERRORS

    def _discard_uncovered(
        self, added: dict[bytes, ObservedFile], state: RootState, last_scan: Scan
    ) -> None:
        """Remove files from `added` that existed before, but that no scan could see.

        A rule excluded them, or a folder was unreadable. Files that are newer than the
        state are kept, and folders that were somewhere else before.
        """
        observed_ns = state.observed_ns - self._clock_slack_ns
        folders = [old for old in self._before.values() if old.kind == "folder"]
        scanned_paths = {
            old.state.inode: old.scanned_path for old in folders if old.scanned_path
        }
        # Folders that a tool moved here from outside of the scan: their contents are
        # old.
        uncovered = {old.path for old in folders if not old.scanned_path}
        for path, new in sorted(added.items()):
            parent = dirname(path)
            folder = self._after.get(parent)
            old_parent = (
                parent if folder is None else scanned_paths.get(folder.state.inode)
            )
            if old_parent is None:
                existed = parent in uncovered
            else:
                old_path = old_parent + b"/" * bool(old_parent) + basename(path)
                existed = (
                    old_path in self._excluded
                    or parent_prefix(old_path) not in last_scan
                )
            if (
                existed
                and new.state.inode not in scanned_paths
                and not self._is_new(new, observed_ns)
            ):
                uncovered.add(path)
                del added[path]

    def _is_new(self, file: ObservedFile, observed_ns: int) -> bool:
        """Return True if a file was created after a time."""
        if file.kind != "folder" and file.scanned is not None:
            return file.scanned.ctime_ns > observed_ns
        try:
            status = self._boundary.stat(self._location(file.path), birth=True)
        except FilewrightError:
            return False
        return (status.birth_ns or status.ctime_ns) > observed_ns

    def _find_renamed(
        self, removed: dict[bytes, ObservedFile], added: dict[bytes, ObservedFile]
    ) -> None:
        """Pair renamed files by inode, size and time, folders by files moved along."""
        paths_by_identity: dict[object, list[bytes]] = {}
        removed_in_folder: dict[bytes, list[bytes]] = {}
        for path, new in added.items():
            paths_by_identity.setdefault(new.content_identity, []).append(path)

        def is_renamed(old: ObservedFile, new_path: bytes) -> bool:
            if old.kind == "folder":  # Its inode may have been reused.
                removed_paths = removed_in_folder.get(old.path, ())
                return any(
                    self.moves.get(removed_path)
                    == new_path + removed_path[len(old.path) :]
                    for removed_path in removed_paths
                )
            new = added[new_path]
            return old.scanned is not None or (
                old.kind == new.kind and self.is_content_unchanged(old, new)
            )

        for path in sorted(removed, reverse=True):  # Files before their folders.
            old = removed[path]
            removed_in_folder.setdefault(dirname(path), []).append(path)
            candidates = (
                paths_by_identity.get(old.content_identity, ())
                if old.scanned is not None
                else [*added]
            )
            targets = [
                new_path
                for new_path in candidates
                if new_path in added and is_renamed(old, new_path)
            ]
            if targets:
                # One inode may have several names: prefer the same name in another
                # folder.
                new_path = next(
                    (
                        target
                        for target in targets
                        if basename(target) == basename(path)
                    ),
                    targets[0],
                )
                self.moves[path] = new_path
                self.pairs.append((removed.pop(path), added.pop(new_path)))

    def is_content_unchanged(self, old: ObservedFile, new: ObservedFile) -> bool:
        """Return True if the content is the same, as far as file states can tell."""
        if old.kind == "folder":
            return True
        if old.scanned is None:
            if old.kind == "link":
                return new.read_content() == old.state.link_target
            if old.state.digest is None:  # A tool moved it here from elsewhere.
                return old.content_identity[2:] == new.content_identity[2:]
            return old.state.digest == (new.state.digest or self.digest(new))
        if old.content_identity != new.content_identity:
            return False
        if (
            old.path != new.path
            or new.scanned is None
            or old.scanned.ctime_ns == new.scanned.ctime_ns
        ):
            return True
        # A program may have set the earlier time again after writing.
        old_content = (
            old.read_content()
            if old.state.mode_and_owner == new.state.mode_and_owner
            else None
        )
        return old_content is None or new.read_content() in (None, old_content)

    def digest(self, new: ObservedFile) -> str | None:
        """Return the present digest of a file; None if it cannot be read."""
        try:
            with self._boundary.open_file(self._location(new.path)) as file:
                return compute_digest(file)
        except (FilewrightError, OSError):
            return None

    def _location(self, path: bytes) -> Location:
        return Location(self._root, tuple(path.split(b"/")))


def _observed_files(
    prefix: bytes,
    folder: ScannedFolder,
    read: Callable[[bytes, ScannedState], bytes | None],
) -> Iterator[tuple[bytes, ObservedFile]]:
    """Yield the files of a scanned folder, by path."""
    for name, state in folder.named_states():
        path = prefix + name
        yield (
            path,
            ObservedFile(
                path,
                FileState.from_status(state),
                partial(read, path, state),
                state,
                path,
            ),
        )


def path_after_moves(moves: Mapping[bytes, bytes], path: bytes) -> bytes:
    """Return a path after moves of it or of folders above; the nearest move decides."""
    moved = path
    while moved and moves:
        if moved in moves:
            return moves[moved] + path[len(moved) :]
        moved = dirname(moved)
    return path
