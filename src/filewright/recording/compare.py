"""The difference between the state of a root and a scan of it: pairs of things that are not the same.

What filewright itself has recorded since the state is applied to that first, so that only what others did is left.
Renames are found, and what only became visible or invisible by a rule is left out.
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
from filewright.changes.blobs import compute_digest, content_after, content_before
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
"""By how much the clocks of two file systems may differ, and how seldom one may tick."""
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_NOTHING = ScannedFolder()
_ELSEWHERE = b"../"
"""How the path of something begins that does not belong to the root."""


class AdoptedRoot(NamedTuple):
    """The state of a registered root that is gone, and its path with a slash."""

    prefix: bytes
    state: RootState


class Comparison:
    """What others did below a root between a state and a scan.

    `pairs` are the things that are not the same, `moves` the new paths of those that have another name.
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
        self._slack_ns = 0 if is_same_clock else CLOCK_SLACK_NS
        self._before: dict[bytes, ObservedFile] = {}
        self._after: dict[bytes, ObservedFile] = {}
        self._excluded: dict[bytes, bytes] = {}
        self._newest: dict[bytes, int] = {}
        """The numbers of the newest changes in the states that are compared, by the folders whose they are."""

    def compare(
        self,
        state: RootState,
        rows: Scan,
        changes: Sequence[ChangeRecord],
        adopted: Sequence[AdoptedRoot] = (),
    ) -> None:
        """Apply the recorded changes to the state, and pair what is not the same then.

        `adopted` are registered roots within this one that are gone.
        """
        last = {
            prefix: row
            for prefix, row in state.rows.items()
            if not prefix.startswith(self._within)
        }
        self._newest[b""] = state.newest
        for inner in adopted:
            self._newest[inner.prefix] = inner.state.newest
            for prefix, row in inner.state.rows.items():
                last[inner.prefix + prefix] = row
        for prefix, row in last.items():
            for name in row.excluded:
                self._excluded[prefix + name.removesuffix(b"/")] = b""
        touched = self._touched_by(changes)
        for prefix in last.keys() | rows.keys():
            old, new = last.get(prefix, _NOTHING), rows.get(prefix, _NOTHING)
            differs = old is not new and old._replace(stored_in="") != new._replace(
                stored_in=""
            )
            if differs or touched(prefix):
                self._before |= _things(prefix, old, self._baseline.read_stored)
                self._after |= _things(prefix, new, self._baseline.read_current)
        for change in changes:
            self._apply(change)
        self._pair(state, last)

    # Changes on record

    def _touched_by(self, changes: Sequence[ChangeRecord]) -> Callable[[bytes], bool]:
        """Return a function that tells if a folder's names, or what is below one of them, are part of some changes."""
        folders: set[bytes] = set()
        trees: list[bytes] = []
        for change in changes:
            for entry in change.file_changes:
                for place in entry.paths:
                    path = self._path_of(place, change.number)
                    folders.add(parent_prefix(path))
                    # A folder that was moved or replaced takes along what is in it.
                    sides = (entry.before, entry.after)
                    is_moved = entry.renamed_from is not None or None in sides
                    if is_moved and any(
                        state is not None and state.kind == "folder" for state in sides
                    ):
                        trees.append(path + b"/")
        below = tuple(trees)
        return lambda prefix: prefix in folders or prefix.startswith(below)

    def _apply(self, change: ChangeRecord) -> None:
        """Have the state as it is after a change that is on record."""
        before, moves, made = (
            self._before,
            dict[bytes, bytes](),
            dict[bytes, ObservedFile](),
        )

        def drop(paths: Set[bytes]) -> None:
            """Drop things, with all that was in them, of which the change has found something else."""
            below = tuple(path + b"/" for path in paths)
            for path in (
                [path for path in before if path in paths or path.startswith(below)]
                if paths
                else ()
            ):
                del before[path]

        for entry in change.file_changes:
            self._task.check()
            path = self._path_of(entry.path, change.number)
            was = (
                path
                if entry.renamed_from is None
                else self._path_of(entry.renamed_from, change.number)
            )
            old, previous, left = before.get(was), None, None
            if entry.before is not None:
                if old and old.kind != entry.before.kind:
                    drop({was})
                old = before.pop(was, None)
                state = replace(entry.before, inode=old and old.state.inode)
                previous = ObservedFile(was, state, partial(content_before, entry))
            if entry.after is not None:
                state = replace(
                    entry.after, mtime_ns=entry.after.mtime_ns or change.number
                )
                left = ObservedFile(
                    path,
                    state,
                    partial(content_after, entry),
                    scanned_path=old.scanned_path if old else b"",
                )
            if (
                previous and left and keeps_content(entry)
            ):  # Its content is not on record.
                known = old or self._after.get(path)
                if known and (
                    old or known.content_identity[2:] == left.content_identity[2:]
                ):
                    # So it is the known thing, with the path and the rights that it has now.
                    left = known._replace(
                        path=path,
                        state=known.state.with_mode_and_owner(left.state),
                        scanned_path=left.scanned_path,
                    )
                if previous.kind == "folder":
                    moves[was] = path
            if left:
                made[path] = left
        for path in (
            [path for path in before if path_after_moves(moves, path) != path]
            if moves
            else ()
        ):
            to = path_after_moves(moves, path)
            made.setdefault(to, before.pop(path)._replace(path=to))
        drop(before.keys() & made.keys())
        before |= made
        self._close_upwards(made)

    def _close_upwards(self, made: Mapping[bytes, ObservedFile]) -> None:
        """Have the folders above what a change has made: one that the state does not know was made just before it."""
        for path in made:
            above = dirname(path)
            while above and above not in self._before and above in self._after:
                self._before[above] = self._after[above]
                above = dirname(above)

    def _path_of(self, place: RecordedPath, number: int) -> bytes:
        """Return the path below the root of a place of a change.

        It begins with `_ELSEWHERE` if it does not belong to the root, or if the change is in the state already.
        """
        where = place.locate(self._boundary.roots)
        if where is not None and where.parts:
            path = b"/".join(where.parts)
            above = max(
                (each for each in self._newest if path.startswith(each)), key=len
            )
            if not path.startswith(self._within) and number > self._newest[above]:
                return path
        return _ELSEWHERE + b"/".join(place.absolute_parts)

    # Pairs

    def _pair(self, state: RootState, last: Scan) -> None:
        """Pair what is not the same, a thing that has another name with itself."""
        gone: dict[bytes, ObservedFile] = {}
        came: dict[bytes, ObservedFile] = {}
        for path in sorted(self._before.keys() | self._after.keys()):
            self._task.check()
            if path.startswith(_ELSEWHERE):
                continue
            old, now = self._before.get(path), self._after.get(path)
            if old and now and old.kind == now.kind:
                if old.scanned != now.scanned and now.kind != "other":
                    self.pairs.append((old, now))
                continue
            if old is not None and (now is not None or self._is_gone(old)):
                gone[path] = old
            if now is not None:
                came[path] = now
        self._leave_uncovered(came, state, last)
        self._find_renamed(gone, came)
        self.pairs += [(old, None) for old in gone.values()]
        self.pairs += [(None, now) for now in came.values()]

    def _is_gone(self, old: ObservedFile) -> bool:
        """Return True if something is no longer there: a rule may only hide it; behind a link it is elsewhere."""
        *above, name = old.path.split(b"/")
        try:
            with self._root.folder.open_folder_beneath(
                above, follow_links=False, listable=False
            ) as folder:
                return old.state.inode not in (None, folder.stat(name).inode)
        except OSError as error:
            return error.errno in _NOT_THERE

    def is_gone_now(self, now: ObservedFile) -> bool:
        """Return True if something that a scan has seen is gone by now, or something else is there."""
        *above, name = now.path.split(b"/")
        try:
            with self._root.folder.open_folder_beneath(
                above, follow_links=False, listable=False
            ) as folder:
                return FileState.from_status(folder.stat(name)).kind != now.kind
        except OSError as error:
            return error.errno in _NOT_THERE

    def _leave_uncovered(
        self, came: dict[bytes, ObservedFile], state: RootState, last: Scan
    ) -> None:
        """Leave out what was there before, though no scan has seen it: rules hid it, or a folder was unreadable.

        What is newer than the state, or a folder that was elsewhere, is none of it.
        """
        since = state.observed_ns - self._slack_ns
        folders = [old for old in self._before.values() if old.kind == "folder"]
        scanned_path = {
            old.state.inode: old.scanned_path for old in folders if old.scanned_path
        }
        # A folder that a tool has brought from where no scan goes had something in it.
        uncovered = {old.path for old in folders if not old.scanned_path}
        for path, now in sorted(came.items()):
            above = dirname(path)
            folder = self._after.get(above)
            was_above = (
                above if folder is None else scanned_path.get(folder.state.inode)
            )
            if was_above is None:
                was_there = above in uncovered
            else:
                was = was_above + b"/" * bool(was_above) + basename(path)
                was_there = was in self._excluded or parent_prefix(was) not in last
            if (
                was_there
                and now.state.inode not in scanned_path
                and not self._is_new(now, since)
            ):
                uncovered.add(path)
                del came[path]

    def _is_new(self, now: ObservedFile, since: int) -> bool:
        """Return True if something was made since then."""
        if now.kind != "folder" and now.scanned is not None:
            return now.scanned.ctime_ns > since
        try:
            status = self._boundary.stat(self._at(now.path), birth=True)
        except FilewrightError:
            return False
        return (status.birth_ns or status.ctime_ns) > since

    def _find_renamed(
        self, gone: dict[bytes, ObservedFile], came: dict[bytes, ObservedFile]
    ) -> None:
        """Pair what has another name: the same inode, size and time. A folder has, if something in it moved along."""
        known: dict[object, list[bytes]] = {}
        inside: dict[bytes, list[bytes]] = {}
        for path, now in came.items():
            known.setdefault(now.content_identity, []).append(path)

        def is_renamed(old: ObservedFile, to: bytes) -> bool:
            if old.kind == "folder":  # Its number may have been given to another.
                below = inside.get(old.path, ())
                return any(
                    self.moves.get(each) == to + each[len(old.path) :] for each in below
                )
            now = came[to]
            return old.scanned is not None or (
                old.kind == now.kind and self.is_content_unchanged(old, now)
            )

        for path in sorted(gone, reverse=True):  # A folder after what was in it.
            old = gone[path]
            inside.setdefault(dirname(path), []).append(path)
            those = (
                known.get(old.content_identity, ())
                if old.scanned is not None
                else [*came]
            )
            found = [to for to in those if to in came and is_renamed(old, to)]
            if found:
                # Of several names of one inode each goes its own way, the same name before another.
                to = next(
                    (each for each in found if basename(each) == basename(path)),
                    found[0],
                )
                self.moves[path] = to
                self.pairs.append((gone.pop(path), came.pop(to)))

    def is_content_unchanged(self, old: ObservedFile, now: ObservedFile) -> bool:
        """Return True if a thing holds what it held, as far as that can be told without its stored content."""
        if old.kind == "folder":
            return True
        if old.scanned is None:
            if old.kind == "link":
                return now.read_content() == old.state.link_target
            if old.state.digest is None:  # A tool has brought it from elsewhere.
                return old.content_identity[2:] == now.content_identity[2:]
            return old.state.digest == (now.state.digest or self.digest(now))
        if old.content_identity != now.content_identity:
            return False
        if (
            old.path != now.path
            or now.scanned is None
            or old.scanned.ctime_ns == now.scanned.ctime_ns
        ):
            return True
        # It may have been given its earlier time again.
        read_content = (
            old.read_content()
            if old.state.mode_and_owner == now.state.mode_and_owner
            else None
        )
        return read_content is None or now.read_content() in (None, read_content)

    def digest(self, now: ObservedFile) -> str | None:
        """Return the digest of a file as it is now; None if it cannot be read."""
        try:
            with self._boundary.open_file(self._at(now.path)) as file:
                return compute_digest(file)
        except (FilewrightError, OSError):
            return None

    def _at(self, path: bytes) -> Location:
        return Location(self._root, tuple(path.split(b"/")))


def _things(
    prefix: bytes,
    row: ScannedFolder,
    read: Callable[[bytes, ScannedState], bytes | None],
) -> Iterator[tuple[bytes, ObservedFile]]:
    """Yield the things of a folder by path."""
    for name, state in row.named_states():
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
    """Return a path after moves of it or of folders above; the nearest one that moved decides."""
    above = path
    while above and moves:
        if above in moves:
            return moves[above] + path[len(above) :]
        above = dirname(above)
    return path
