"""Scans of the file states below a root, folder by folder.

A repeated scan asks for the state of every name of the last one
(`find_changed_folders`). Rules only have to be applied again in folders whose
names or kinds of files have changed, or whose rule files have. Those are walked
by the boundary, which alone knows the rules (`apply_changed_folders`).
"""

from __future__ import annotations

import marshal
from bisect import bisect_left
from collections.abc import Callable
from contextlib import nullcontext, suppress
from itertools import takewhile

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk_model import WalkedFolder, WalkOptions
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.recording.model import (
    Scan,
    ScannedFolder,
    ScannedState,
    pack_states,
)
from filewright.system import Folder, Status

_RULE_FILES = (b".gitignore", b".ignore")
_DENY_FILE, _EXCLUDE = b".agentsignore", (b".git", b"info", b"exclude")

ChangedFolders = dict[bytes, ScannedFolder | int]
"""The folders that differ from the last scan, by path.

The value is the new folder, or the depth of the walk that is needed to know it:
1 for its own names, 0 for everything below it.
"""


class Scanner:
    """A scanner of one root, without the registered roots `within` it.

    The paths of those end with a slash.
    """

    def __init__(
        self, boundary: Boundary, within: tuple[bytes, ...], task: Task
    ) -> None:
        self.boundary = boundary
        self.root = boundary.roots[0]
        self.within = within
        self.task = task

    @property
    def rules(self) -> tuple[object, ...] | None:
        """The signature of the rules outside of the root; None if unknown."""
        outer = self.boundary.walk_signature(self.root)
        # An inner root hides names like a rule does.
        return None if outer is None else (*outer, self.within)

    def scan(self, last_scan: Scan | None) -> Scan:
        """Return a new scan, with the same objects for equal folders.

        Without `last_scan`, walk the whole root.
        """
        if last_scan is None:
            return self._walk(b"", 0)
        cross_devices = self.boundary.settings.cross_devices
        changed = find_changed_folders(
            self.root.folder,
            last_scan,
            cross_devices=cross_devices,
            check=self.task.check,
        )
        return (
            apply_changed_folders(changed, last_scan, self._walk)
            if changed
            else last_scan
        )

    def _walk(self, prefix: bytes, depth: int) -> Scan:
        """Walk a folder by the boundary's rules; `depth` 0 is all levels."""
        scan: Scan = {}

        def visit(
            folder: WalkedFolder,
            opened: Folder,
            names: list[bytes],
            visible: list[bytes],
        ) -> None:
            if folder.root_prefix.startswith(self.within):
                return
            scanned_folder = scan_folder(opened, names, visible)
            # The walk visits a very large folder in several parts.
            first_part = scan.get(folder.root_prefix)
            scan[folder.root_prefix] = (
                scanned_folder
                if first_part is None
                else first_part.merged_with(scanned_folder)
            )

        # A folder may vanish during the scan. If the root vanishes, that is an
        # error: otherwise all its files would be recorded as deleted.
        with suppress(FilewrightError) if prefix else nullcontext():
            parts = tuple(prefix[:-1].split(b"/")) if prefix else ()
            location = Location(self.root, parts)
            for _ in self.boundary.walk(
                location, WalkOptions(depth=depth, visit=visit), task=self.task
            ):
                pass
        return scan


def scan_folder(
    folder: Folder, names: list[bytes], visible: list[bytes]
) -> ScannedFolder:
    """Return the states of an open folder with its sorted `names`.

    `visible` are the names that no rule excludes.
    """
    try:
        packed_states = folder.signatures(visible)
    except OSError:
        packed_states = [None] * len(
            visible
        )  # The folder may be listed but not entered.
    excluded: tuple[bytes, ...] = ()
    if len(visible) != len(names) or None in packed_states:
        visible_names = {
            name
            for name, state in zip(visible, packed_states, strict=True)
            if state is not None
        }
        folders = _list_folders(folder)
        excluded = tuple(
            name + b"/" * (name in folders)
            for name in names
            if name not in visible_names
        )
    return ScannedFolder(
        b"/".join(names),
        excluded,
        *pack_states(packed_states),
        _rule_states(folder, names),
    )


def find_changed_folders(
    root: Folder,
    last_scan: Scan,
    *,
    cross_devices: bool,
    check: Callable[[], None],
) -> ChangedFolders:
    """Return the folders that differ from the last scan."""
    changed: ChangedFolders = {}
    for prefix, old_folder in last_scan.items():
        check()
        result: ScannedFolder | int = 1
        # The folder may have been removed, or have become unreadable.
        with (
            suppress(OSError),
            root.open_folder_beneath(
                prefix.split(b"/")[:-1],
                follow_links=False,
                cross_devices=cross_devices,
            ) as folder,
        ):
            names = folder.names()
            # A rule applies to all levels below its folder.
            if _rule_states(folder, names) != old_folder.rules:
                result = 0
            elif b"/".join(names) == old_folder.names:
                result = _rescan_folder(folder, old_folder)
        if result is not old_folder:
            changed[prefix] = result
    return changed


def apply_changed_folders(
    changed: ChangedFolders, last_scan: Scan, walk: Callable[[bytes, int], Scan]
) -> Scan:
    """Return the last scan with the changed folders replaced.

    `walk` returns the folders of a walk by the present rules, from a folder and
    to a depth.
    """
    scan = last_scan.copy()
    rescanned: tuple[bytes, ...] = ()
    for prefix, folder in sorted(changed.items()):
        if prefix.startswith(rescanned):
            continue
        if isinstance(folder, ScannedFolder):
            scan[prefix] = folder
            continue
        new_folders = walk(prefix, folder)
        # A folder that is gone takes its scanned subfolders along.
        if not folder or prefix not in new_folders:
            rescanned += (prefix,)
            scan = {
                path: folder
                for path, folder in scan.items()
                if not path.startswith(prefix)
            }
        else:
            # This walk has read one level: a new subfolder needs a walk of its
            # own.
            for name, state in new_folders[prefix].named_states():
                if (
                    state.kind == "folder"
                    and prefix + name + b"/" not in last_scan
                ):
                    new_folders |= walk(prefix + name + b"/", 0)
        scan |= new_folders
    return scan


def _rescan_folder(
    folder: Folder, old_folder: ScannedFolder
) -> ScannedFolder | int:
    """Return a folder with equal names, or 1 if rules must be applied."""
    if old_folder.excluded:
        folders = _list_folders(folder)
        # A rule such as `build/` excludes only folders: a file that took the
        # name of one may be visible.
        if any(
            (name.removesuffix(b"/") in folders) is not name.endswith(b"/")
            for name in old_folder.excluded
        ):
            return 1
    states = folder.signatures(old_folder.visible_names())
    if marshal.dumps(states, 2) == old_folder.packed_states:
        return old_folder
    if None in states:
        return 1
    packed_states, has_large, newest_ns = pack_states(states)
    new_folder = old_folder._replace(
        packed_states=packed_states,
        has_large=has_large,
        newest_ns=newest_ns,
        stored_in="",
    )
    for (_, old_state), (_, new_state) in zip(
        old_folder.named_states(), new_folder.named_states(), strict=True
    ):
        # A new folder of that name, or one that may be entered now, holds
        # unknown names.
        if old_state != new_state and (
            old_state.kind != new_state.kind or old_state.kind == "folder"
        ):
            return 1
    return new_folder


def content_identity(status: Status | ScannedState) -> tuple[int, int, int]:
    """Return values that stay the same until the file is written to."""
    # Without ctime, which also changes with the mode, the owner and the name.
    return status.inode, status.size, status.mtime_ns


def _list_folders(folder: Folder) -> set[bytes]:
    return {name for batch in folder.iter_batches() for name in batch.folders}


def _rule_states(
    folder: Folder, names: list[bytes]
) -> tuple[tuple[int, ...] | None, ...]:
    """Return the states of the rule files in a folder; () if it has none."""
    # The names are sorted, so those with a dot are read without the others.
    dot_names = {
        *takewhile(
            lambda name: name.startswith(b"."),
            names[bisect_left(names, b".") :],
        )
    }
    if not dot_names:
        return ()
    # Asked by name: a file system that folds case may list it in another
    # spelling.
    rule_files = [_DENY_FILE] if folder.contains_any((_DENY_FILE,)) else []
    rule_files += [name for name in _RULE_FILES if name in dot_names]
    exclude = None
    if _EXCLUDE[0] in dot_names:
        with (
            suppress(OSError),
            folder.open_folder_beneath(
                _EXCLUDE[:-1], follow_links=False, listable=False
            ) as info,
        ):
            exclude = info.signatures(_EXCLUDE[-1:])[0]
    return (
        (*folder.signatures(rule_files), exclude)
        if rule_files or exclude
        else ()
    )
