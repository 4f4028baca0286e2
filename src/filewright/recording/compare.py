"""The differences between the state of a root and a scan of it.

Changes that filewright itself has recorded since the state are applied to it
first, so that only the changes of others remain. Renames are found, and files
that only became visible or excluded by a rule are left out.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from posixpath import basename, dirname, join

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.changes.blobs import compute_digest, content_after
from filewright.changes.model import (
    ChangeRecord,
    FileChange,
    FileState,
    RecordedPath,
    keeps_content,
)
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.recording.baseline import Baseline
from filewright.recording.model import (
    AdoptedRoot,
    ObservedFile,
    Pair,
    RootState,
    Scan,
    ScannedFolder,
    ScannedState,
    parent_prefix,
)

CLOCK_SLACK_NS = 2 * 10**9
"""The most by which the clocks of two file systems differ."""
MISSING_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
EMPTY_FOLDER = ScannedFolder()
OUTSIDE_PREFIX = b"../"
"""The beginning of paths that do not belong to the root."""


class Comparison:
    """The changes of others below a root, between a state and a scan.

    `pairs` are the files that differ, before and after; `moves` are the new
    paths of those that were renamed.
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
        """Apply recorded changes to the state, then pair files that differ.

        `adopted` are registered roots within this one that no longer exist.
        """
        # A root registered since then has a journal of its own.
        last_scan = {
            prefix: folder
            for prefix, folder in state.scan.items()
            if not prefix.startswith(self._within)
        }
        self._newest_numbers[b""] = state.newest
        for adopted_root in adopted:
            self._newest_numbers[adopted_root.prefix] = (
                adopted_root.state.newest
            )
            for prefix, folder in adopted_root.state.scan.items():
                last_scan[adopted_root.prefix + prefix] = folder
        for prefix, folder in last_scan.items():
            for name in folder.excluded:
                self._excluded[prefix + name.removesuffix(b"/")] = b""
        touched_folders = self._find_touched_folders(changes)
        for prefix in last_scan.keys() | scan.keys():
            old_folder = last_scan.get(prefix, EMPTY_FOLDER)
            new_folder = scan.get(prefix, EMPTY_FOLDER)
            # Only these, of many thousand folders, are compared by file.
            if touched_folders.includes(prefix) or _differs(
                old_folder, new_folder
            ):
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

    def _find_touched_folders(
        self, changes: Sequence[ChangeRecord]
    ) -> _TouchedFolders:
        """Return the folders in which recorded changes have touched files."""
        folders: set[bytes] = set()
        trees: list[bytes] = []
        for change in changes:
            for file_change in change.file_changes:
                is_tree = _moves_a_folder(file_change)
                for recorded_path in file_change.paths:
                    path = self._path_of(recorded_path, change.number)
                    folders.add(parent_prefix(path))
                    if is_tree:
                        trees.append(path + b"/")
        return _TouchedFolders(folders, tuple(trees))

    def _apply_change(self, change: ChangeRecord) -> None:
        """Apply a recorded change to the state."""
        folder_moves: dict[bytes, bytes] = {}
        created: dict[bytes, ObservedFile] = {}
        for file_change in change.file_changes:
            self._task.check()
            path = self._path_of(file_change.path, change.number)
            old_path = path
            if file_change.renamed_from is not None:
                old_path = self._path_of(
                    file_change.renamed_from, change.number
                )
            old = self._before.get(old_path)
            if file_change.before is not None:
                if old and old.kind != file_change.before.kind:
                    # The change has found another file than the state has.
                    self._drop({old_path})
                old = self._before.pop(old_path, None)
            if file_change.after is None:
                continue
            # Without a recorded time, the file has that of the change.
            mtime_ns = file_change.after.mtime_ns or change.number
            new = ObservedFile(
                path,
                replace(file_change.after, mtime_ns=mtime_ns),
                partial(content_after, file_change),
                scanned_path=old.scanned_path if old else b"",
            )
            if file_change.before is not None and keeps_content(file_change):
                # The record has no content: the file kept its own.
                new = self._with_known_content(new, old)
                if file_change.before.kind == "folder":
                    folder_moves[old_path] = path
            created[path] = new
        # After all removals, at once: two folders may exchange names.
        self._move_contents(folder_moves, created)
        self._drop(self._before.keys() & created.keys())
        self._before |= created
        self._add_parents(created)

    def _move_contents(
        self,
        folder_moves: Mapping[bytes, bytes],
        created: dict[bytes, ObservedFile],
    ) -> None:
        """Move the files below moved folders from the state to `created`."""
        # Only the rare move of a folder has to go through all files.
        if not folder_moves:
            return
        for path in list(self._before):
            new_path = path_after_moves(folder_moves, path)
            if new_path != path:
                moved = self._before.pop(path)._replace(path=new_path)
                # If the change touched the file, too, that is newer.
                created.setdefault(new_path, moved)

    def _with_known_content(
        self, new: ObservedFile, old: ObservedFile | None
    ) -> ObservedFile:
        """Return a file that kept its content, with that of the observed one."""
        observed = old or self._after.get(new.path)
        if observed is None:
            return new
        # At the same path there may be another file by now.
        if old is None and not _has_same_size_and_time(observed, new):
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
        """Add the folders above created files, which scans may have missed."""
        for path in created:
            parent = dirname(path)
            while (
                parent and parent not in self._before and parent in self._after
            ):
                self._before[parent] = self._after[parent]
                parent = dirname(parent)

    def _path_of(self, recorded_path: RecordedPath, number: int) -> bytes:
        """Return the path below the root of a path in a change.

        It begins with `OUTSIDE_PREFIX` if it does not belong to the root, or if
        the state includes the change already.
        """
        location = recorded_path.locate(self._boundary.roots)
        if location is not None and location.parts:
            path = b"/".join(location.parts)
            prefixes = [
                prefix
                for prefix in self._newest_numbers
                if path.startswith(prefix)
            ]
            # The state of the innermost root around the path decides.
            newest_number = self._newest_numbers[max(prefixes, key=len)]
            if number > newest_number and not path.startswith(self._within):
                return path
        return OUTSIDE_PREFIX + b"/".join(recorded_path.absolute_parts)

    # Pairs

    def _pair_files(self, state: RootState, last_scan: Scan) -> None:
        """Pair the files that differ, and renamed files with themselves."""
        removed: dict[bytes, ObservedFile] = {}
        added: dict[bytes, ObservedFile] = {}
        for path in sorted(self._before.keys() | self._after.keys()):
            self._task.check()
            # These are in the state only because a later change may have moved
            # them into the root.
            if path.startswith(OUTSIDE_PREFIX):
                continue
            old, new = self._before.get(path), self._after.get(path)
            if old is not None and new is not None and old.kind == new.kind:
                # Sockets and devices have no content that could differ.
                if old.scanned != new.scanned and new.kind != "other":
                    self.pairs.append((old, new))
                continue
            # The scan shows neither deleted nor excluded files: only the file
            # system can tell a deletion from a new rule.
            if old is not None and (new is not None or self._is_removed(old)):
                removed[path] = old
            if new is not None:
                added[path] = new
        self._discard_uncovered(added, state, last_scan)
        self._find_renamed(removed, added)
        self.pairs += [(old, None) for old in removed.values()]
        self.pairs += [(None, new) for new in added.values()]

    def _is_removed(self, old: ObservedFile) -> bool:
        """Return True if a file was removed, not only excluded by a rule."""
        *parent_parts, name = old.path.split(b"/")
        try:
            with self._root.folder.open_folder_beneath(
                parent_parts, follow_links=False, listable=False
            ) as folder:
                # Another file at the path means that the old one was removed.
                return old.state.inode not in (None, folder.stat(name).inode)
        except OSError as error:
            return error.errno in MISSING_ERRORS

    def is_gone_now(self, file: ObservedFile) -> bool:
        """Return True if a scanned file is gone, or has another kind now."""
        *parent_parts, name = file.path.split(b"/")
        try:
            with self._root.folder.open_folder_beneath(
                parent_parts, follow_links=False, listable=False
            ) as folder:
                return (
                    FileState.from_status(folder.stat(name)).kind != file.kind
                )
        except OSError as error:
            return error.errno in MISSING_ERRORS

    def _discard_uncovered(
        self,
        added: dict[bytes, ObservedFile],
        state: RootState,
        last_scan: Scan,
    ) -> None:
        """Remove files from `added` that existed unseen by the last scan.

        A rule excluded them, or a folder was unreadable. Files that are newer
        than the state are kept, and folders that were somewhere else before.
        """
        observed_ns = state.observed_ns - self._clock_slack_ns
        # The inode tells the earlier path of a folder that a shell renamed.
        scanned_paths: dict[int | None, bytes] = {}
        uncovered: set[bytes] = set()
        for old in self._before.values():
            if old.kind != "folder":
                continue
            if old.scanned_path:
                scanned_paths[old.state.inode] = old.scanned_path
            else:
                # A tool moved it into the scan: its contents are old.
                uncovered.add(old.path)
        for path, new in sorted(added.items()):  # Folders before their files.
            if new.state.inode in scanned_paths:
                continue
            parent = dirname(path)
            folder = self._after.get(parent)
            old_parent: bytes | None = parent
            if folder is not None:
                old_parent = scanned_paths.get(folder.state.inode)
            if old_parent is None:
                is_uncovered = parent in uncovered
            else:
                old_path = join(old_parent, basename(path))
                is_uncovered = (
                    old_path in self._excluded
                    or parent_prefix(old_path) not in last_scan
                )
            if is_uncovered and not self._is_new(new, observed_ns):
                uncovered.add(path)
                del added[path]

    def _is_new(self, file: ObservedFile, observed_ns: int) -> bool:
        """Return True if a file was created after a time."""
        if file.kind != "folder" and file.scanned is not None:
            return file.scanned.ctime_ns > observed_ns
        # A folder's ctime changes with its files: its birth says its age.
        try:
            status = self._boundary.stat(self._location(file.path), birth=True)
        except FilewrightError:
            return False
        return (status.birth_ns or status.ctime_ns) > observed_ns

    def _find_renamed(
        self,
        removed: dict[bytes, ObservedFile],
        added: dict[bytes, ObservedFile],
    ) -> None:
        """Pair renamed files by inode, size and time, folders by their files."""
        new_paths_by_identity: dict[object, list[bytes]] = {}
        for new_path, new in added.items():
            new_paths_by_identity.setdefault(new.content_identity, []).append(
                new_path
            )
        removed_by_folder: dict[bytes, list[bytes]] = {}
        # Files before their folders, which are recognised by the files in them.
        for path in sorted(removed, reverse=True):
            old = removed[path]
            removed_by_folder.setdefault(dirname(path), []).append(path)
            # A file that a tool wrote has no inode to search by: try them all.
            candidates = list(added)
            if old.scanned is not None:
                candidates = new_paths_by_identity.get(old.content_identity, [])
            targets: list[bytes] = []
            for new_path in candidates:
                if new_path in added and self._is_renamed(
                    old, added[new_path], removed_by_folder.get(path, ())
                ):
                    targets.append(new_path)
            if targets:
                new_path = _prefer_same_name(targets, basename(path))
                self.moves[path] = new_path
                self.pairs.append((removed.pop(path), added.pop(new_path)))

    def _is_renamed(
        self,
        old: ObservedFile,
        new: ObservedFile,
        removed_paths: Sequence[bytes],
    ) -> bool:
        """Return True if a candidate is the old file under another path.

        If it is a folder, `removed_paths` are the paths that were removed from
        it.
        """
        if old.kind == "folder":
            # An inode may be reused: at least one file has to go along.
            for removed_path in removed_paths:
                path_in_folder = removed_path[len(old.path) :]
                # One is enough: the command may have changed the others.
                if self.moves.get(removed_path) == new.path + path_in_folder:
                    return True
            return False
        if old.scanned is not None:
            return True
        return old.kind == new.kind and self.is_content_unchanged(old, new)

    def is_content_unchanged(
        self, old: ObservedFile, new: ObservedFile
    ) -> bool:
        """Return True if the content is the same, as far as states tell."""
        if old.kind == "folder":
            return True
        if old.scanned is None:
            # A tool wrote it after the last scan: its record has a digest.
            if old.kind == "link":
                return new.read_content() == old.state.link_target
            if old.state.digest is None:  # A tool moved it here from elsewhere.
                return _has_same_size_and_time(old, new)
            return old.state.digest == (new.state.digest or self.digest(new))
        if old.content_identity != new.content_identity:
            return False
        if (
            old.path != new.path
            or new.scanned is None
            or old.scanned.ctime_ns == new.scanned.ctime_ns
        ):
            return True
        if old.state.mode_and_owner != new.state.mode_and_owner:
            # This is why the time of the file's state is another one.
            return True
        # A program may have set the earlier time again after writing.
        old_content = old.read_content()
        # If a content is unknown, equal size and time have to do.
        return old_content is None or new.read_content() in (None, old_content)

    def digest(self, new: ObservedFile) -> str | None:
        """Return the present digest of a file; None if it cannot be read."""
        try:
            with self._boundary.open_file(self._location(new.path)) as file:
                return compute_digest(file)
        except (FilewrightError, OSError):
            return None

    def _location(self, path: bytes) -> Location:
        """Return the location of a path below the root."""
        return Location(self._root, tuple(path.split(b"/")))


@dataclass(frozen=True, slots=True)
class _TouchedFolders:
    """The folders that changes touched, with a slash at the end.

    Of `folders` only the files directly in them were touched, of `trees` all
    files.
    """

    folders: Set[bytes]
    trees: tuple[bytes, ...]

    def includes(self, prefix: bytes) -> bool:
        """Return True if files directly in a folder were touched."""
        return prefix in self.folders or prefix.startswith(self.trees)


def _moves_a_folder(file_change: FileChange) -> bool:
    """Return True if a folder came, left or was renamed, with its contents."""
    states = [file_change.before, file_change.after]
    if file_change.renamed_from is None and None not in states:
        return False
    return any(state is not None and state.kind == "folder" for state in states)


def _differs(old_folder: ScannedFolder, new_folder: ScannedFolder) -> bool:
    """Return True if a folder differs in more than stored contents."""
    if old_folder is new_folder:
        return False
    return old_folder._replace(stored_in="") != new_folder._replace(
        stored_in=""
    )


def _has_same_size_and_time(old: ObservedFile, new: ObservedFile) -> bool:
    """Return True if two files have the same size and time of writing."""
    return (old.state.size, old.state.mtime_ns) == (
        new.state.size,
        new.state.mtime_ns,
    )


def _prefer_same_name(targets: Sequence[bytes], name: bytes) -> bytes:
    """Return the first path with a name, or else the first path."""
    # Several hard links have the same inode: most likely the name was kept.
    for target in targets:
        if basename(target) == name:
            return target
    return targets[0]


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
    """Return a path after moves; of moves above it, the nearest decides."""
    moved = path
    while moved and moves:
        if moved in moves:
            return moves[moved] + path[len(moved) :]
        moved = dirname(moved)
    return path
