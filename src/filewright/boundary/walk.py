"""The walk: everything below a folder, sorted, with the ignore and deny rules applied.

Listing, search and replace all see a tree through it, so they never disagree. Each
folder is opened from the root without following links, read at once and closed. So a
folder that is swapped for a link or moved out meanwhile is not walked.

A folder is *far* if its path is longer than the system accepts. It is opened from the
folder above it, whose handle the walk holds; back up it goes by `..`, compared by
identity.

Names are held as bytes, one folder's at a time for each level. A folder with very many
names is held as packed runs. Links are entries, and never entered. Temporary files of a
change are left out.
"""

from __future__ import annotations

import errno
import heapq
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice, repeat

from filewright.boundary.globs import GlobFolder, Globs
from filewright.boundary.location import Location
from filewright.boundary.matching import (
    NO_IGNORE_RULES,
    Matcher,
)
from filewright.boundary.names import TEMPORARY_PREFIX, is_temporary
from filewright.boundary.rules import DENY_FILE, RULE_FILES
from filewright.boundary.walk_model import (
    FolderEntry,
    Item,
    WalkBounds,
    WalkedFolder,
    WalkOptions,
    is_folder,
    read_ignore_file,
)
from filewright.progress import Task
from filewright.system import FileKind, Folder, NameBatch

_GONE_ERRORS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV)
_GIT = b".git"
_IGNORE_FILES = (b".gitignore", b".ignore")
_IGNORE_SOURCES = (_GIT, *_IGNORE_FILES)
_DOT = 0x2E
_BATCH_NAMES = 4096
_FAR_BYTES = 3900
_FAR_LEVELS = 32
"""Levels after which a folder is far if the system does not resolve paths itself."""

# The kind of a name, packed behind it and a NUL. A NUL is in no name and sorts before
# everything, so the order stays that of the names.
_KIND_OF_MARK: dict[bytes, FileKind] = {
    b"d": "folder",
    b"l": "link",
    b"p": "fifo",
    b"s": "socket",
    b"c": "device",
    b"f": "file",
}
_MARK_OF_KIND = {kind: b"\0" + mark for mark, kind in _KIND_OF_MARK.items()}


@dataclass(frozen=True, slots=True)
class _HeldFolder:
    """The far folder whose handle the walk holds."""

    folder: WalkedFolder
    handle: Folder


@dataclass(slots=True)
class _FolderNames:
    """The names read from a folder.

    `runs` are sorted and packed, if there are very many; else all names are in `batch`.
    With `has_ignore_sources`, a name among them may be a file of ignore rules, or
    `.git`.
    """

    batch: NameBatch
    runs: list[bytes]
    has_ignore_sources: bool


@dataclass(slots=True)
class _Selection:
    """The selected names of a folder: folders, and all others."""

    names: list[bytes]
    folders: list[bytes]

    def keep(self, select: Callable[[list[bytes], bool], list[bytes]]) -> int:
        """Keep the names that `select` returns. Return the number of names dropped.

        `select` is called with names, and with True if they are folders.
        """
        count = len(self.names) + len(self.folders)
        self.names = select(self.names, False)
        if self.folders:
            self.folders = select(self.folders, True)
        return count - len(self.names) - len(self.folders)


class Walk:
    """The entries below a folder: each folder before its names, in byte order.

    To be iterated once. So far `ignored_count` names were left out by ignore rules, and
    `unreadable_count` folders could not be read. `denied_counts` has the denied names
    by their rule; agents never see it.
    """

    def __init__(
        self,
        location: Location,
        opened: Folder,
        bounds: WalkBounds,
        options: WalkOptions,
        task: Task,
    ) -> None:
        """Take over the handle `opened` of a folder, and read its names.

        Raise the errors of broken deny rules and of `Globs.compile`.
        """
        self.unreadable_count = 0
        self.ignored_count = 0
        self.denied_counts: Counter[str] = Counter()
        self._location = location
        self._root = location.root
        self._bounds = bounds
        self._options = options
        self._task = task
        self._resume_parts: tuple[bytes, ...] = ()
        if options.after is not None and options.after.is_within(location):
            self._resume_parts = options.after.parts[len(location.parts) :]
        self._held: _HeldFolder | None = None
        try:
            if bounds.deny_rules.broken:
                raise bounds.deny_rules.refusal(location.requested_path)
            start = self._start_folder(opened)
        except BaseException:
            # The walk owns the handle now, so it closes it.
            opened.close()
            raise
        start.items = self._read_items(start, opened)
        self._start: WalkedFolder | None = start

    def _start_folder(self, opened: Folder) -> WalkedFolder:
        prefix = b"/".join((*opened.resolved_parts, b""))
        globs = Globs()
        if self._options.globs:
            folder = self._glob_folder(opened, len(prefix))
            globs = Globs.compile(self._options.globs, folder)
        return WalkedFolder(
            start=self._location,
            name=b"",
            parent=None,
            depth=1,
            start_bytes=len(prefix),
            held_prefix=prefix,
            matcher=self._ignore_rules_above(opened.resolved_parts),
            globs=globs,
            deny_rules=self._bounds.deny_rules,
            resume_index=0 if self._resume_parts else -1,
        )

    def _ignore_rules_above(self, parts: tuple[bytes, ...]) -> Matcher:
        """Return the ignore rules of the folders above a folder, as they apply in it.

        Its own ignore files are read with its names.
        """
        if self._options.include_ignored:
            return NO_IGNORE_RULES
        matcher, prefix = self._bounds.excludes, b""
        for depth, name in enumerate(parts):
            # A folder that cannot be entered has no rules that could be read.
            with (
                suppress(OSError),
                self._open_from_root(parts[:depth], listable=False) as folder,
            ):
                matcher = _add_ignore_files(matcher, len(prefix), folder)
            prefix += name + b"/"
            matcher = matcher.below(prefix)
        return matcher

    def _glob_folder(self, opened: Folder, base: int) -> GlobFolder:
        deny_rules = self._bounds.deny_rules

        def has_name(name: bytes) -> bool:
            name_is_folder = is_folder(opened, name)
            return name_is_folder is not None and not deny_rules.denies(
                name, name_is_folder
            )

        def has_path(parts: Sequence[bytes]) -> bool:
            rules = deny_rules.below(parts[:-1])
            exists = opened.contains_any((b"/".join(parts),))
            return exists and not rules.denies(parts[-1], None)

        return GlobFolder(self._location.parts, base, has_name, has_path)

    def __iter__(self) -> Iterator[FolderEntry]:
        folder, self._start = self._start, None
        max_depth = self._options.depth
        new_entry = tuple.__new__
        try:
            while folder is not None:
                # One generator: a second one costs each entry a step more.
                child = None
                for name, status in folder.items:
                    kind = folder.kinds.get(name, "file")
                    if kind is not None:
                        # The class itself would call a function for each entry.
                        yield new_entry(
                            FolderEntry, (folder, name, kind, status)
                        )
                    if kind in ("folder", None) and folder.depth != max_depth:
                        child = self._enter(folder, name)
                        if child is not None:
                            break
                if child is not None:
                    folder = child
                    continue
                # The end of a folder: the walk goes on in the one above.
                if folder.is_far:
                    self._hold_parent(folder)
                folder = folder.parent
        finally:
            self._release_held()

    def _enter(self, folder: WalkedFolder, name: bytes) -> WalkedFolder | None:
        """Read the child folder `name`; None if it cannot be walked."""
        child = self._child(folder, name)
        if child is None:
            return None
        opened = self._open(child)
        if opened is None:
            return None
        if folder.is_far:
            # All paths of a deep tree would fill the memory; it can be made again.
            folder.held_prefix = None
        child.items = self._read_items(child, opened)
        return child

    def _child(self, folder: WalkedFolder, name: bytes) -> WalkedFolder | None:
        """Return the child folder `name`, unread; None if no glob fits in it."""
        prefix = folder.root_prefix + name + b"/"
        globs = folder.globs.below(prefix)
        if globs is None:
            return None
        resume_index = -1
        has_further_part = folder.resume_index < len(self._resume_parts) - 1
        if has_further_part and self._resume_name(folder) == name:
            resume_index = folder.resume_index + 1
        depth = folder.depth + 1
        is_deep = (
            depth > _FAR_LEVELS and not self._root.folder.resolves_in_kernel
        )
        return WalkedFolder(
            start=self._location,
            name=name,
            parent=folder,
            depth=depth,
            start_bytes=folder.start_bytes,
            held_prefix=prefix,
            matcher=folder.matcher.below(prefix),
            globs=globs,
            deny_rules=folder.deny_rules,
            resume_index=resume_index,
            is_far=is_deep or len(prefix) > _FAR_BYTES,
        )

    # Handles

    def _open(self, folder: WalkedFolder) -> Folder | None:
        """Return a handle of a folder; None if it is gone, moved or unreadable."""
        try:
            held = self._held
            if held is not None:
                if held.handle.status().identity != held.folder.identity:
                    held = None  # It was moved while the folders below were walked.
                elif held.folder is folder:
                    return held.handle.open_folder(b".")
            if not folder.is_far or folder.parent is None:
                return self._open_from_root(folder.parts)
            return self._open_far(folder, folder.parent, held)
        except OSError as error:
            self._note_error(error)
            return None

    def _open_far(
        self,
        folder: WalkedFolder,
        parent: WalkedFolder,
        held: _HeldFolder | None,
    ) -> Folder | None:
        """Return a handle of a far folder, opened from its parent. Raise `OSError`."""
        if held is not None and held.folder is parent:
            opened = held.handle.open_folder(folder.name)
        elif parent.is_far:
            return None  # It is not held, and has no path that could be opened.
        else:
            with self._open_from_root(parent.parts) as parent_handle:
                opened = parent_handle.open_folder(folder.name)
        # From the root the system itself refuses to cross; here it has to be tested.
        is_other_device = opened.status().device != self._root.identity[0]
        if is_other_device and not self._bounds.cross_devices:
            opened.close()
            return None
        return opened

    def _open_from_root(
        self, parts: tuple[bytes, ...], *, listable: bool = True
    ) -> Folder:
        return self._root.folder.open_folder_beneath(
            parts,
            follow_links=False,
            cross_devices=self._bounds.cross_devices,
            listable=listable,
        )

    def _release_held(self) -> None:
        if self._held is not None:
            self._held.handle.close()
            self._held = None

    def _hold_parent(self, folder: WalkedFolder) -> None:
        """Hold the parent of a far folder instead of the folder."""
        held, parent = self._held, folder.parent
        if held is None or held.folder is not folder or parent is None:
            return
        handle = (
            held.handle.open_parent(listable=False) if parent.is_far else None
        )
        self._release_held()
        if handle is not None:
            self._held = _HeldFolder(parent, handle)

    def _note_error(self, error: OSError) -> None:
        # A name that was swapped or removed since it was read does not exist any more.
        if error.errno not in _GONE_ERRORS:
            self.unreadable_count += 1

    # The names of one folder

    def _read_items(
        self, folder: WalkedFolder, opened: Folder
    ) -> Iterator[Item]:
        """Return the names in a folder, sorted and filtered.

        Take over the handle: it is held for a far folder, else closed.
        """
        try:
            self._task.check()
            listing = self._read_names(opened, self._resume_name(folder) or b"")
            self._read_deny_rules(folder, opened)
            if not self._options.include_ignored and listing.has_ignore_sources:
                folder.matcher = _add_ignore_files(
                    folder.matcher, len(folder.root_prefix), opened
                )
            folder.is_complete = (
                not listing.runs
                and not folder.deny_rules.active
                and folder.resume_index < 0
            )
            if listing.runs:
                return self._batched_items(folder, listing.runs)
            return self._batch_items(folder, listing.batch, opened)
        finally:
            if folder.is_far:
                self._release_held()
                folder.identity = opened.status().identity
                self._held = _HeldFolder(folder, opened)
            else:
                opened.close()

    def _resume_name(self, folder: WalkedFolder) -> bytes | None:
        """Return the name in a folder at which the walk resumes, or None."""
        if folder.resume_index < 0:
            return None
        return self._resume_parts[folder.resume_index]

    def _read_deny_rules(self, folder: WalkedFolder, opened: Folder) -> None:
        """Read the rule files of a folder. Those of the first one are known."""
        if folder.parent is None:
            return
        files = RULE_FILES if self._options.for_change else (DENY_FILE,)
        if not folder.deny_rules.active and not opened.contains_any(files):
            return
        folder.deny_rules = folder.parent.deny_rules.enter(folder.name, opened)
        if folder.deny_rules.broken is not None:
            self.unreadable_count += 1
            self.denied_counts[folder.deny_rules.broken.reason] += 1

    def _read_names(self, opened: Folder, start: bytes) -> _FolderNames:
        """Return the names in a folder, packed if there are very many.

        Packed names begin with `start`. After an error the names read so far are left.
        """
        last_batch: NameBatch | None = None
        runs: list[bytes] = []
        has_ignore_sources = False
        try:
            for batch in opened.iter_batches():
                if last_batch is not None:
                    runs.append(_pack(last_batch, start))
                last_batch = batch
                for name in _IGNORE_SOURCES:
                    if name in batch.files or name in batch.folders:
                        has_ignore_sources = True
        except OSError as error:
            self._note_error(error)
        if last_batch is None:
            last_batch = NameBatch([], [], [])
        if runs:
            runs.append(_pack(last_batch, start))
        return _FolderNames(last_batch, runs, has_ignore_sources)

    def _batched_items(
        self, folder: WalkedFolder, runs: list[bytes]
    ) -> Iterator[Item]:
        """Yield the names of a very large folder, some at a time."""
        # Each run is sorted, so no more than one name of each is unpacked at a time.
        merged = heapq.merge(*(_iter_packed(run) for run in runs))
        while packed_names := list(islice(merged, _BATCH_NAMES)):
            self._task.check()
            batch = NameBatch([], [], [])
            for packed_name in packed_names:
                name, kind = packed_name[:-2], _KIND_OF_MARK[packed_name[-1:]]
                if kind == "file":
                    batch.files.append(name)
                elif kind == "folder":
                    batch.folders.append(name)
                else:
                    batch.others.append((name, kind))
            needs_handle = (
                self._options.details or self._options.visit is not None
            )
            opened = self._open(folder) if needs_handle else None
            try:
                items = self._batch_items(folder, batch, opened)
            finally:
                if opened is not None:
                    opened.close()
            yield from items

    def _batch_items(
        self, folder: WalkedFolder, batch: NameBatch, opened: Folder | None
    ) -> Iterator[Item]:
        """Return the names of a batch, sorted and filtered, with their status.

        `opened` is the folder's handle, if a status or a visit needs one.
        """
        names = self._select_names(folder, batch)
        if self._options.visit is not None:
            if opened is not None:
                others = (name for name, _ in batch.others)
                all_names = sorted((*batch.files, *batch.folders, *others))
                self._options.visit(folder, opened, all_names, names)
            names = [
                name for name in names if folder.kinds.get(name) == "folder"
            ]
        if not self._options.details:
            return zip(names, repeat(None))
        if opened is None:
            return iter(
                ()
            )  # It was moved or removed since its names were read.
        try:
            statuses = opened.stat_names(names)
        except OSError as error:
            # A folder that may be listed but not entered: its names are all there is.
            self._note_error(error)
            return zip(names, repeat(None))
        # A name without a status was removed since it was read.
        pairs = zip(names, statuses, strict=True)
        return ((name, status) for name, status in pairs if status is not None)

    def _select_names(
        self, folder: WalkedFolder, batch: NameBatch
    ) -> list[bytes]:
        """Return the names to yield or to enter, sorted, and fill in `folder.kinds`."""
        kinds = folder.kinds = dict.fromkeys(batch.folders, "folder")
        selection = _Selection(batch.files, batch.folders)
        if batch.others:
            kinds.update(batch.others)
            selection.names = batch.files + [name for name, _ in batch.others]
        name_count = len(selection.names)
        self._drop_denied(folder, selection)
        self._drop_hidden(folder, selection)
        self._drop_ignored(folder, selection)
        yielded_folders = self._apply_globs(folder, selection)
        # Folders that are left out do not matter: a folder is complete by its files.
        folder.is_complete &= len(selection.names) == name_count
        if self._options.kinds is not None:
            wanted_kinds = self._options.kinds
            if batch.others or "file" not in wanted_kinds:
                selection.names = [
                    name
                    for name in selection.names
                    if kinds.get(name, "file") in wanted_kinds
                ]
            if "folder" not in wanted_kinds:
                yielded_folders = []
        # The other folders are entered, because names in them may be wanted.
        if len(yielded_folders) < len(selection.folders):
            for name in set(selection.folders).difference(yielded_folders):
                kinds[name] = None
        names = _drop_temporary(
            folder, sorted(selection.names + selection.folders)
        )
        return self._names_from_resumed(folder, names)

    def _drop_denied(self, folder: WalkedFolder, selection: _Selection) -> None:
        if folder.deny_rules.active:
            selection.keep(
                partial(
                    folder.deny_rules.filter_allowed,
                    for_change=self._options.for_change,
                    denied_counts=self.denied_counts,
                )
            )

    def _drop_hidden(self, folder: WalkedFolder, selection: _Selection) -> None:
        """Drop filewright's own state, `.git` and dot files, as the options say."""
        hidden = set[bytes]()
        for path in self._bounds.own_state_paths:
            if path[:-1] == folder.parts:
                hidden.add(path[-1])
        has_git = _GIT in folder.kinds or _GIT in selection.names
        if has_git and not self._options.include_git:
            hidden.add(_GIT)
        include_dots = self._options.include_hidden
        if hidden or not include_dots:
            selection.keep(
                lambda names, _: [
                    name
                    for name in names
                    if name not in hidden and (include_dots or name[0] != _DOT)
                ]
            )

    def _drop_ignored(
        self, folder: WalkedFolder, selection: _Selection
    ) -> None:
        """Drop the names that ignore rules and excluding globs match."""
        prefix, check = folder.root_prefix, self._task.check
        if folder.matcher.layers:
            self.ignored_count += selection.keep(
                lambda names, are_folders: folder.matcher.filter_not_ignored(
                    prefix, names, are_folders, check
                )
            )
        unwanted = folder.globs.unwanted
        if unwanted.layers:
            selection.keep(
                lambda names, are_folders: unwanted.filter_not_ignored(
                    prefix, names, are_folders, check
                )
            )

    def _apply_globs(
        self, folder: WalkedFolder, selection: _Selection
    ) -> list[bytes]:
        """Drop the names that no glob fits. Return the folders that one fits.

        The other folders stay selected: names in them may fit.
        """
        wanted = folder.globs.wanted
        if wanted is None:
            return selection.folders
        prefix, check = folder.root_prefix, self._task.check
        selection.names = wanted.filter_ignored(
            prefix, selection.names, False, check
        )
        return wanted.filter_ignored(prefix, selection.folders, True)

    def _names_from_resumed(
        self, folder: WalkedFolder, names: list[bytes]
    ) -> list[bytes]:
        """Return the names behind the one at which the walk resumes."""
        resumed = self._resume_name(folder)
        if resumed is None:
            return names
        position = bisect_left(names, resumed)
        if names[position : position + 1] == [resumed]:
            if folder.kinds.get(resumed, "file") in ("folder", None):
                # The walk goes on inside of it; itself it was yielded before.
                folder.kinds[resumed] = None
            else:
                position += 1
        return names[position:]


def _drop_temporary(folder: WalkedFolder, names: list[bytes]) -> list[bytes]:
    """Return sorted names without those of temporary files."""
    first = bisect_left(names, TEMPORARY_PREFIX)
    if first == len(names) or not names[first].startswith(TEMPORARY_PREFIX):
        return names
    folder.is_complete = False
    return [name for name in names if not is_temporary(name)]


def _pack(batch: NameBatch, start: bytes) -> bytes:
    """Return the names from `start` on, sorted, with their kinds, in one string."""
    kinds: dict[bytes, FileKind] = dict.fromkeys(batch.files, "file")
    for name in batch.folders:
        kinds[name] = "folder"
    kinds.update(batch.others)
    packed_names = [
        name + _MARK_OF_KIND[kind]
        for name, kind in kinds.items()
        if name >= start
    ]
    return b"/".join(sorted(packed_names))


def _iter_packed(run: bytes) -> Iterator[bytes]:
    return (match[0] for match in re.finditer(rb"[^/]+", run))


def _add_ignore_files(matcher: Matcher, base: int, folder: Folder) -> Matcher:
    """Return the matcher with the rules of a folder's ignore files.

    `.git/info/exclude` is weaker than the ignore files. `base` is the length of the
    folder's path from the root, with a slash.
    """
    exclude = (_GIT, b"info", b"exclude")
    open_exclude = partial(
        folder.open_file_beneath, exclude, follow_links=False
    )
    matcher = matcher.with_files(base, read_ignore_file(open_exclude))
    contents = [
        read_ignore_file(partial(folder.open, name)) for name in _IGNORE_FILES
    ]
    return matcher.with_files(base, *contents)
