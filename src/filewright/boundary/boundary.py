"""`Boundary`: from a caller's path to an open file or folder inside a root.

The way of a path:

1. `locate` reads it: the root it is below (`roots.py`), and the names below that root.
The
   result is a `Location`, a name only.
2. `open_file`, `open_folder` and `stat` open the folder above the name from the root's
   descriptor. The kernel resolves the path, so that no link leads out of the root; the
   deny rules of the folders on the way are asked (`opener.py`).
3. The name itself is examined in that open folder, and opened if it is a regular file.
4. Before a change, `require_writable` refuses protected paths (`write_guard.py`).
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from typing import NamedTuple

from filewright import errors, system
from filewright.boundary.location import Location, Root
from filewright.boundary.names import printable_path, quote
from filewright.boundary.opener import RuleFreeFolders
from filewright.boundary.roots import Path, require_root, split_root
from filewright.boundary.walk_model import WalkOptions
from filewright.boundary.write_guard import WriteGuard
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import (
    EscapesFolderError,
    File,
    Folder,
    NotAFileError,
    Status,
)


class _Examined(NamedTuple):
    """The status of a location, in the open folder that holds it."""

    folder: Folder
    status: Status


class Boundary(WriteGuard):
    """The roots of a workspace, and the only way to open anything below them.

    Thread-safe: it holds only the roots and rules. `state_folders` are absolute folders
    of filewright's own: where they lie below a root they are neither read, listed nor
    changed.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        settings: Settings,
        state_folders: Sequence[Path] = (),
    ) -> None:
        super().__init__(roots, settings, state_folders)
        self.before_reading: Callable[[Location], None] | None = None
        """Called with each file before it is opened for reading; may raise."""

    # Step 1: from a caller's path to a location

    def locate(self, requested: str) -> Location:
        """Return the location that a caller's path names, whether or not it exists.

        A path is relative to the first root, begins with `name:` of a root, is absolute
        inside a root, or begins with `~/`; any of them in quoted form too. `..` is
        resolved through the folders that exist, as the kernel would.

        Raise `path_escape`, `invalid_input`, and `permission_denied` for a denied path.
        Raise `not_found` for a `..` behind a part that does not exist, and for a root
        that is gone or replaced.
        """
        if not self.roots:
            raise errors.workspace_closed()
        safe_path = printable_path(requested) or "."
        if requested.startswith("file://"):
            raise errors.path_error(
                Code.INVALID_INPUT,
                safe_path,
                f"{safe_path} is a URL",
                "give a path",
            )
        try:
            match = split_root(self.roots, requested, safe_path)
        except ValueError as error:
            raise errors.unusable_path(safe_path, str(error)) from None
        root, parts = match.root, match.parts
        # The folder that is held may not be the one that the user sees there now.
        require_root(root, safe_path)
        _require_usable_names(parts, safe_path)
        if b".." in parts:
            parts = self._resolve_dots(Location(root, parts, safe_path))
        if parts:
            # A name that is denied only as a folder, say, is refused when it is opened.
            rules = self.rules_for(Location(root, parts[:-1]))
            if rules.denies(parts[-1], False) and rules.denies(parts[-1], True):
                raise rules.refusal(safe_path)
        # History, sessions and notices are keyed by names: a name with several
        # spellings is taken as the disk has it.
        return Location(root, root.folder.true_names(parts), safe_path)

    def _resolve_dots(self, location: Location) -> tuple[bytes, ...]:
        """Return the parts of a location without `..`, by the folders that exist."""
        parts = location.parts
        after_dots = len(parts) - parts[::-1].index(b"..")
        try:
            opened = self._open_beneath(
                location, parts[:after_dots], listable=False
            )
            with opened.folder as folder:
                return folder.resolved_parts + parts[after_dots:]
        except OSError as error:
            # A path that climbs above the root escapes, even if a folder is missing.
            depths = accumulate(-1 if part == b".." else 1 for part in parts)
            if error.errno == errno.ENOENT and min(depths) < 0:
                escape = EscapesFolderError()
                raise self._error(escape, location, "open") from error
            raise self._error(error, location, "open") from error

    # Steps 2 and 3: from a location to its status, its file or its folder

    @contextmanager
    def _examine(
        self,
        location: Location,
        action: str = "look at",
        *,
        birth: bool = False,
    ) -> Iterator[_Examined]:
        """Open the folder that holds a location, and read the status of the location.

        The location is no root. A denied one is refused, whether or not it exists. An
        `OSError` within the block becomes the error for `action`.
        """
        name = location.parts[-1]
        try:
            opened = self._open_beneath(
                location, location.parts[:-1], listable=False
            )
            with opened.folder as folder:
                self._require_not_own_state(
                    location, (*folder.resolved_parts, name)
                )
                path = location.requested_path
                # A denied name has the same answer whether or not it exists.
                try:
                    status = folder.stat(name, with_birth=birth)
                except OSError:
                    opened.rules.require_allowed(path, name, None)
                    raise
                opened.rules.require_allowed(
                    path, name, status.kind == "folder"
                )
                self._require_same_device(location, folder, status)
                yield _Examined(folder, status)
        except OSError as error:
            raise self._error(error, location, action) from error

    def _require_same_device(
        self, location: Location, folder: Folder, status: Status
    ) -> None:
        """Refuse a mount, unless the settings allow to cross devices."""
        if self.settings.cross_devices:
            return
        is_other_device = status.device != location.root.identity[0]
        if is_other_device or folder.is_mount(location.name):
            raise EscapesFolderError()

    def stat(self, location: Location, *, birth: bool = False) -> Status:
        """Return the status of a location, of a link itself.

        Links above it are followed inside the root. With `birth`, the status has the
        time of creation.
        """
        if not location.parts:
            folder = location.root.folder
            return folder.status_with_birth() if birth else folder.status()
        with self._examine(location, birth=birth) as examined:
            return examined.status

    def read_link(self, location: Location) -> bytes:
        """Return the target of a link as it is written in it.

        Raise `invalid_input` if the location is no link.
        """
        if location.parts:
            with self._examine(location) as examined:
                if examined.status.kind == "link":
                    return examined.folder.read_link(location.name)
        path = location.requested_path
        raise errors.invalid(f"{path} is not a link", path=path)

    def open_file(self, location: Location) -> File:
        """Open a regular file for reading; relative links inside the root are followed.

        This never blocks: special files and denied files are refused before they are
        opened. Raise `not_found`, `not_a_file`, `path_escape`, `permission_denied`,
        `symlink` for a link loop, and the errors of `before_reading`.
        """
        if self.before_reading is not None:
            self.before_reading(location)
        if not location.parts:
            raise self._error(NotAFileError("folder"), location, "open")
        with self._examine(location, "open") as examined:
            file = self._open_examined(location, examined)
            try:
                self._require_not_own_state(location, file.resolved_parts)
                # `file/` is an error for the system, too.
                if location.requested_path.endswith("/"):
                    raise errors.slash_after_file(location.requested_path)
            except FilewrightError:
                file.close()
                raise
            return file

    def _open_examined(self, location: Location, examined: _Examined) -> File:
        folder, name = examined.folder, location.name
        try:
            # Anything but a file is examined again by `open`, which opens no device.
            is_file = examined.status.kind == "file"
            file: File = folder.open(name, known_file=is_file)
            file.resolved_parts = (*folder.resolved_parts, name)
            return file
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
        # It is a link: it is followed from the root, and each part on its way checked.
        checker = self._rule_checker(self._rules_at(location.root), location)
        linked_file: File = location.root.folder.open_file_beneath(
            location.parts,
            cross_devices=self.settings.cross_devices,
            check_part=checker,
        )
        return linked_file

    def open_folder(
        self,
        location: Location,
        *,
        for_change: bool = False,
        rule_free: RuleFreeFolders | None = None,
    ) -> Folder:
        """Open a folder; relative links inside the root are followed.

        With `for_change`, the folder that was reached must not be protected, nor moved
        out of the root; it need not be listable then. `rule_free` collects, for one
        change, folders without rules: folders in them need not search further up.

        Raise `not_found`, `not_a_directory`, `path_escape`, `permission_denied` and
        `symlink`.
        """
        try:
            if for_change:
                self._require_unprotected(
                    location, location.parts, is_changed=False
                )
                opened = self._open_for_change(
                    location, location.parts, rule_free
                )
            else:
                opened = self._open_beneath(
                    location, location.parts, rule_free=rule_free
                )
            return opened.folder
        except OSError as error:
            raise self._error(error, location, "open the folder") from error

    # Questions about what a walk would yield

    def walk_signature(self, root: Root) -> tuple[object, ...] | None:
        """Return everything outside of a root that decides which names a walk yields.

        While it stays equal, only changes inside the root change the names. None if it
        is not known.
        """
        is_restricted = self._root_rules[root.index] is not self._settings_rules
        if self._enclosing[root.index] is not None or is_restricted:
            return None
        # Names below a root within this one are listed by that root.
        inner_roots = root.parts_within(
            [other.resolved_path for other in self.roots]
        )
        return (
            self.excludes_path,
            system.file_signature(self.excludes_path),
            self.settings.cross_devices,
            self.settings.deny,
            self._protections[root.index].own_state,
            inner_roots,
        )

    def allows_git(self, location: Location, task: Task) -> bool:
        """Return True if git may run in a folder.

        Nothing in it may be denied, and no link may lead out of it.
        """
        if not self.rules_for(location, for_git=True).active:
            return True
        options = WalkOptions(
            include_ignored=True, include_git=True, for_git=True
        )
        walk = self.walk(location, options, task=task)
        has_link = any(entry.kind == "link" for entry in walk)
        return not has_link and not walk.denied_counts

    def count_denied_names(self, root: Root, task: Task) -> Counter[str]:
        """Return the number of denied names below a root, by rule.

        It is for the user, never for an agent.
        """
        top = Location(root, ())
        broken = self.rules_for(top).broken
        if broken is not None:
            return Counter({broken.reason: 1})
        options = WalkOptions(include_ignored=True, include_git=True)
        walk = self.walk(top, options, task=task)
        for _ in walk:
            pass  # Denied names are counted on the way.
        del walk.denied_counts[""]
        return walk.denied_counts


def _require_usable_names(parts: tuple[bytes, ...], safe_path: str) -> None:
    for part in parts:
        problem = system.name_problem(part) if part != b".." else None
        if problem is not None:
            raise errors.unusable_path(
                safe_path, f"cannot be used: the name {quote(part)} {problem}"
            )
