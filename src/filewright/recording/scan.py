"""The file states below a root at one moment, folder by folder; and the same again, for which little is asked twice.

`look` looks at every name of the last scan, and knows in which folders rules must be asked: where names have come or
changed their kind, or the files that say what is ignored are not what they were. Of those `settled` asks the walk of
the boundary, which alone knows the rules.
"""

from __future__ import annotations

import marshal
from bisect import bisect_left
from collections.abc import Callable
from contextlib import nullcontext, suppress
from itertools import takewhile

from filewright.boundary.boundary import Boundary
from filewright.boundary.location import Location
from filewright.boundary.walk import WalkedFolder, WalkOptions
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.recording.model import Scan, ScannedFolder, ScannedState, pack_states
from filewright.system import Folder, Status

_RULE_FILES = (b".gitignore", b".ignore")
_DENY_FILE, _EXCLUDE = b".agentsignore", (b".git", b"info", b"exclude")

Look = dict[bytes, ScannedFolder | int]
"""The folders that differ from the last scan: a row, or how many levels of the folder rules must be asked about: its
own names (1), or all below (0)."""


class Scanner:
    """Scans a root without the registered roots `within` it, whose paths below it end with a slash."""

    def __init__(
        self, boundary: Boundary, within: tuple[bytes, ...], task: Task
    ) -> None:
        self.boundary = boundary
        self.root = boundary.roots[0]
        self.within = within
        self.task = task

    @property
    def rules(self) -> tuple[object, ...] | None:
        """What from outside of the root decides which names are yielded; None if that cannot be compared."""
        outer = self.boundary.walk_signature(self.root)
        return None if outer is None else (*outer, self.within)

    def scan(self, last: Scan | None) -> Scan:
        """Return the file states now; rows that are as in `last` are the same objects. None asks the rules of all."""
        if last is None:
            return self._walked(b"", 0)
        cross = self.boundary.settings.cross_devices
        scanned = find_changed_folders(
            self.root.folder, last, cross=cross, check=self.task.check
        )
        return apply_changed_folders(scanned, last, self._walked) if scanned else last

    def _walked(self, prefix: bytes, depth: int) -> Scan:
        """Return the rows of a folder and of so many levels below it, as the boundary walks them."""
        rows: Scan = {}

        def visit(
            folder: WalkedFolder, opened: Folder, names: list[bytes], left: list[bytes]
        ) -> None:
            if folder.root_prefix.startswith(self.within):
                return
            row = scan_folder(opened, names, left)
            some = rows.get(folder.root_prefix)
            rows[folder.root_prefix] = row if some is None else some.merged_with(row)

        with suppress(FilewrightError) if prefix else nullcontext():
            parts = tuple(prefix[:-1].split(b"/")) if prefix else ()
            where = Location(self.root, parts)
            for _ in self.boundary.walk(
                where, WalkOptions(depth=depth, visit=visit), task=self.task
            ):
                pass
        return rows


def scan_folder(folder: Folder, names: list[bytes], left: list[bytes]) -> ScannedFolder:
    """Return the row of an open folder of whose sorted `names` rules have `left` some."""
    try:
        packed_states = folder.signatures(left)
    except OSError:
        packed_states = [None] * len(left)  # It may be listed, but not entered.
    excluded: tuple[bytes, ...] = ()
    if len(left) != len(names) or None in packed_states:
        stored_in = {
            name
            for name, state in zip(left, packed_states, strict=True)
            if state is not None
        }
        folders = _folders_in(folder)
        excluded = tuple(
            name + b"/" * (name in folders) for name in names if name not in stored_in
        )
    return ScannedFolder(
        b"/".join(names), excluded, *pack_states(packed_states), _rules(folder, names)
    )


def find_changed_folders(
    root: Folder, last: Scan, *, cross: bool, check: Callable[[], None]
) -> Look:
    """Return the folders of `last` that are not as it says."""
    found: Look = {}
    for prefix, old in last.items():
        check()
        row: ScannedFolder | int = 1
        # It may be gone, or not be readable any more.
        with (
            suppress(OSError),
            root.open_folder_beneath(
                prefix.split(b"/")[:-1], follow_links=False, cross_devices=cross
            ) as folder,
        ):
            names = folder.names()
            if _rules(folder, names) != old.rules:
                row = 0
            elif b"/".join(names) == old.names:
                row = _row_again(folder, old)
        if row is not old:
            found[prefix] = row
    return found


def apply_changed_folders(
    scanned: Look, last: Scan, ask: Callable[[bytes, int], Scan]
) -> Scan:
    """Return the rows of a root that was `seen` as it differs from `last`; the same rows are the same objects.

    `ask` returns the rows of a folder and of so many levels below it, as rules have it now.
    """
    rows = last.copy()
    entire: tuple[bytes, ...] = ()
    for prefix, row in sorted(scanned.items()):
        if prefix.startswith(entire):
            continue
        if isinstance(row, ScannedFolder):
            rows[prefix] = row
            continue
        found = ask(prefix, row)
        if not row or prefix not in found:
            entire += (prefix,)
            rows = {
                path: row for path, row in rows.items() if not path.startswith(prefix)
            }
        else:
            for name, state in found[prefix].named_states():
                if state.kind == "folder" and prefix + name + b"/" not in last:
                    found |= ask(prefix + name + b"/", 0)
        rows |= found
    return rows


def _row_again(folder: Folder, old: ScannedFolder) -> ScannedFolder | int:
    """Return the row of a folder that has the names it had; 1 where rules may say something else of one of them."""
    if old.excluded:
        folders = _folders_in(folder)
        if any(
            (name.removesuffix(b"/") in folders) is not name.endswith(b"/")
            for name in old.excluded
        ):
            return 1
    found = folder.signatures(old.visible_names())
    if marshal.dumps(found, 2) == old.packed_states:
        return old
    if None in found:
        return 1
    packed_states, has_large, newest_ns = pack_states(found)
    row = old._replace(
        packed_states=packed_states,
        has_large=has_large,
        newest_ns=newest_ns,
        stored_in="",
    )
    for (_, was), (_, now) in zip(old.named_states(), row.named_states(), strict=True):
        # Another folder of that name, or one that may be entered now, may have what was not listed.
        if was != now and (was.kind != now.kind or was.kind == "folder"):
            return 1
    return row


def content_identity(scanned: Status | ScannedState) -> tuple[int, int, int]:
    """Return the values by which a file is known again as long as nothing has written to it."""
    return scanned.inode, scanned.size, scanned.mtime_ns


def _folders_in(folder: Folder) -> set[bytes]:
    return {name for batch in folder.iter_batches() for name in batch.folders}


def _rules(folder: Folder, names: list[bytes]) -> tuple[tuple[int, ...] | None, ...]:
    """Return the stamps of the files in a folder that say what is left out in it and below; () without any."""
    dotted = {
        *takewhile(
            lambda name: name.startswith(b"."), names[bisect_left(names, b".") :]
        )
    }
    if not dotted:
        return ()
    # Where a file system takes several spellings for one name, it knows it by this one.
    present = [_DENY_FILE] if folder.contains_any((_DENY_FILE,)) else []
    present += [name for name in _RULE_FILES if name in dotted]
    exclude = None
    if _EXCLUDE[0] in dotted:
        with (
            suppress(OSError),
            folder.open_folder_beneath(
                _EXCLUDE[:-1], follow_links=False, listable=False
            ) as info,
        ):
            exclude = info.signatures(_EXCLUDE[-1:])[0]
    return (*folder.signatures(present), exclude) if present or exclude else ()
