"""`Opener`: opens folders below a root, with the rules for the names in them."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from filewright import errors, system
from filewright.boundary.excludes import find_excludes_file
from filewright.boundary.location import Location, Root
from filewright.boundary.matching import NO_IGNORE_RULES, Matcher
from filewright.boundary.names import plain_form, quote
from filewright.boundary.protection import Protection
from filewright.boundary.roots import (
    Path,
    enclosing_location,
    open_roots,
    require_root,
)
from filewright.boundary.rule_checker import RuleChecker
from filewright.boundary.rules import (
    DENY_ALL,
    DENY_FILE,
    RULE_FILES,
    DenyRules,
)
from filewright.boundary.walk_model import (
    DEFAULT_OPTIONS,
    WalkBounds,
    WalkedFolder,
    WalkOptions,
    read_ignore_file,
)
from filewright.errors import Code, FilewrightError, from_os_error
from filewright.progress import Task
from filewright.settings import Settings
from filewright.system import EscapesFolderError, Folder, NotAFileError

if TYPE_CHECKING:
    from filewright.boundary.launcher import Launcher
    from filewright.boundary.walk import Walk

_GIT = b".git"
_MAX_TREE_SEARCH_SECONDS = 5
"""Time to look for deny files in a working tree whose repository is read."""

_MAX_LEVELS_ABOVE = 1_000
"""Levels of `..` in one path; the system takes hardly more."""

RuleFreeFolders = set[tuple[int, int, int]]
"""Folders with no rule file in or above them, by root index and identity."""


class OpenedFolder(NamedTuple):
    """An open folder, and the rules for the names in it."""

    folder: Folder
    rules: DenyRules


class Opener:
    """The open roots, and the only way to a folder below them.

    A folder is opened from the descriptor of its root, where possible by the kernel in
    one call. A part of the path that the user's rules deny is refused.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        settings: Settings,
        state_folders: Sequence[Path],
    ) -> None:
        """Open the roots. `state_folders` are filewright's own, wherever they are."""
        self.settings = settings
        self.roots: tuple[Root, ...] = open_roots(roots, settings)
        self._launcher: Launcher | None = None
        self._launcher_lock = threading.Lock()
        self.excludes_path = find_excludes_file(os.environ)
        self._settings_rules = DenyRules.from_settings(settings.deny)
        folders = [system.real_path(folder) for folder in state_folders]
        if settings.state_dir is not None:
            folders.append(system.real_path(settings.state_dir))
        protected = (*settings.protected, *map(os.fsdecode, RULE_FILES))
        self._protections = [
            Protection(
                protected, settings.allow_write, root.parts_within(folders)
            )
            for root in self.roots
        ]
        # The location of each root in the innermost root that holds it, if one does.
        self._enclosing = [
            enclosing_location(root, self.roots) for root in self.roots
        ]
        # The rules with which each root begins, before rule files are read.
        self._root_rules = [self._settings_rules for _ in self.roots]

    @property
    def launcher(self) -> Launcher:
        """The starter of programs, which can read below all roots and do no more."""
        # Made when a program is started: what it imports takes a tenth of the time of
        # a hook, which starts none.
        from filewright.boundary.launcher import Launcher

        with self._launcher_lock:
            if self._launcher is None:
                self._launcher = Launcher(
                    [root.folder for root in self.roots],
                    confine=self.settings.landlock,
                )
            return self._launcher

    def close(self) -> None:
        """End the child processes and release the roots."""
        if self._launcher is not None:
            self._launcher.close()
        for root in self.roots:
            root.folder.close()
        self.roots = ()

    def restrict(self, folders: Sequence[Path] | None) -> None:
        """Serve only the parts of the roots that lie in `folders`; None: all again.

        Folders that lie in no root are left out.
        """
        served = [system.real_path(folder) for folder in folders or ()]
        for root in self.roots:
            rules = self._settings_rules
            is_served_whole = folders is None or any(
                root.resolved_prefix.startswith(path.rstrip(b"/") + b"/")
                for path in served
            )
            if not is_served_whole:
                rules = rules.restricted_to(root.parts_within(served))
            self._root_rules[root.index] = rules

    def walk(
        self,
        location: Location,
        options: WalkOptions = DEFAULT_OPTIONS,
        *,
        task: Task,
    ) -> Walk:
        """Return everything below the folder `location`, sorted, as a stream.

        The folder itself is walked even if a rule ignores it, and `.git` if the folder
        lies in it. Filewright's own state, temporary files and denied names are always
        left out. Raise the errors of `open_folder`, and for a glob `invalid_input` or
        `path_escape`.
        """
        from filewright.boundary.walk import Walk

        require_root(location.root, location.requested_path)
        excludes = NO_IGNORE_RULES
        if not options.include_ignored:
            excludes = self._read_excludes()
        try:
            opened = self._open_beneath(
                location,
                location.parts,
                for_change=options.for_change,
                for_git=options.for_git,
            )
            bounds = WalkBounds(
                deny_rules=opened.rules,
                excludes=excludes,
                own_state_paths=self._protection(location).own_state.values(),
                cross_devices=self.settings.cross_devices,
            )
            return Walk(location, opened.folder, bounds, options, task)
        except OSError as error:
            raise self._error(error, location, "list") from error

    def _read_excludes(self) -> Matcher:
        """Return the rules of git's global excludes file."""
        if self.excludes_path is None:
            return NO_IGNORE_RULES
        content = read_ignore_file(
            partial(system.open_file, self.excludes_path)
        )
        return NO_IGNORE_RULES.with_files(0, content)

    # Opening a folder

    def _open_beneath(
        self,
        location: Location,
        parts: Sequence[bytes],
        *,
        listable: bool = True,
        for_change: bool = False,
        rule_free: RuleFreeFolders | None = None,
        for_git: bool = False,
    ) -> OpenedFolder:
        """Open the folder `parts` on the way to `location`. Raise `OSError`.

        With `for_change`, refuse read-only names. With `for_git`, stored copies
        are not denied.
        """
        opened = None
        if b".." not in parts:
            opened = self._open_without_rules(
                location,
                parts,
                listable=listable,
                for_change=for_change,
                rule_free=rule_free,
                for_git=for_git,
            )
        if opened is None:
            # Part by part: a link may lead into a folder with rules of its own.
            checker = self._rule_checker(
                self._rules_at(location.root),
                location,
                for_change=for_change,
                for_git=for_git,
            )
            folder = location.root.folder.open_folder_beneath(
                parts,
                cross_devices=self.settings.cross_devices,
                listable=listable,
                check_part=checker,
            )
            opened = OpenedFolder(folder, checker.rules_in(folder))
        try:
            self._require_not_own_state(location, opened.folder.resolved_parts)
        except FilewrightError:
            opened.folder.close()
            raise
        return opened

    def _open_without_rules(
        self,
        location: Location,
        parts: Sequence[bytes],
        *,
        listable: bool,
        for_change: bool,
        rule_free: RuleFreeFolders | None,
        for_git: bool,
    ) -> OpenedFolder | None:
        """Open a folder in one call, or return None if rules may apply on the way.

        In most workspaces nothing is denied, and there is no link on the way. The
        folders above are then asked for rule files from the open folder, not by path.
        """
        rules = self._rules_at(location.root)
        if rules.active:
            return None
        try:
            folder = location.root.folder.open_folder_beneath(
                parts,
                follow_links=False,
                cross_devices=self.settings.cross_devices,
                listable=listable,
            )
        except OSError:
            # Only the walk part by part finds out whether the caller may be told why.
            return None
        if self._may_have_rules(
            location.root, folder, for_change=for_change, rule_free=rule_free
        ):
            with folder:
                if for_change:
                    # Say that the folder was moved out, rather than what is there now.
                    self._current_parts(location, folder)
            return None
        # What a git folder offers depends on its whole working tree.
        if not for_git and _GIT in map(plain_form, folder.resolved_parts):
            folder.close()
            return None
        return OpenedFolder(folder, rules)

    @staticmethod
    def _may_have_rules(
        root: Root,
        folder: Folder,
        *,
        for_change: bool,
        rule_free: RuleFreeFolders | None = None,
    ) -> bool:
        """Return True if the folder or one up to the root may hold a rule file.

        A folder that holds none, nor any above, is added to `rule_free`.
        """
        levels = len(folder.resolved_parts)
        try:
            if (
                rule_free
                and levels
                and (root.index, *folder.ancestor_identity(1)) in rule_free
            ):
                levels = (
                    0  # Nothing above the folder needs to be looked at again.
                )
            elif levels >= _MAX_LEVELS_ABOVE:
                return True
            elif folder.ancestor_identity(levels) != root.identity:
                return True  # It was moved since it was opened.
        except OSError:
            return True  # A folder above cannot be entered.
        # Read-only rules only matter to a change.
        files = (
            RULE_FILES if for_change or rule_free is not None else (DENY_FILE,)
        )
        paths = [
            b"../" * up + file for up in range(levels + 1) for file in files
        ]
        if folder.contains_any(paths):
            return True
        if rule_free is not None:
            rule_free.add((root.index, *folder.status().identity))
        return False

    @staticmethod
    def _current_parts(location: Location, folder: Folder) -> tuple[bytes, ...]:
        """Return the parts of the path that an open folder has now, from its root.

        If the system does not know it, return those by which it was opened. Raise
        `path_escape` if the folder was moved out of the root.
        """
        # Asked at the same moment: the root may be moved too, with everything in it.
        path, root_path = folder.path(), location.root.folder.path()
        if not folder.resolved_parts or path is None or root_path is None:
            return folder.resolved_parts
        if path == root_path:
            return folder.resolved_parts
        prefix = root_path.rstrip(b"/") + b"/"
        if not path.startswith(prefix):
            raise errors.folder_moved_out(
                location.requested_path, quote(location.root.path)
            )
        return tuple(path[len(prefix) :].split(b"/"))

    # Rules

    def rules_for(
        self,
        location: Location,
        opened: Folder | None = None,
        *,
        parent_rules: DenyRules | None = None,
        for_git: bool = False,
    ) -> DenyRules:
        """Return the rules for the names in the folder `location`.

        A folder that is `opened` is judged by the folders that it lies in, after links.
        Otherwise the folder need not exist, and a link on the way counts by its name
        alone: its target is checked when it is opened.

        If `parent_rules`, those of the folder above, are known and not active, only the
        folder's own files are looked for. With `for_git`, stored copies are not denied.
        """
        # A deny file that is a folder hides everything in it.
        if opened is None and DENY_FILE in map(plain_form, location.parts):
            return DENY_ALL
        root_rules = self._rules_at(location.root)
        parts = opened.resolved_parts if opened is not None else location.parts
        is_in_git_folder = _GIT in map(plain_form, parts) and not for_git
        if not root_rules.active and not is_in_git_folder:
            is_parent_free = (
                parent_rules is not None and not parent_rules.active
            )
            if not self._has_rule_files(
                location, opened, only_own=is_parent_free
            ):
                return root_rules
        checker = self._rule_checker(root_rules, location, for_git=for_git)
        try:
            with location.root.folder.open_folder_beneath(
                location.parts,
                follow_links=opened is not None,
                cross_devices=self.settings.cross_devices,
                listable=False,
                check_part=checker,
            ) as folder:
                return checker.rules_in(folder)
        except (OSError, FilewrightError) as error:
            if opened is None:
                # By the folders that exist, and from there on by the names alone.
                known_parts = max(checker.rules, key=len, default=())
                rules = checker.rules.get(known_parts, root_rules)
                return rules.below(location.parts[len(known_parts) :])
            if isinstance(error, OSError):
                raise self._error(error, location, "look into") from error
            raise

    def _has_rule_files(
        self, location: Location, opened: Folder | None, *, only_own: bool
    ) -> bool:
        """Return True if a folder, or one up to the root, may hold a rule file.

        With `only_own`, the folders above are known to hold none.
        """
        if opened is not None:
            if only_own:
                return opened.contains_any(RULE_FILES)
            return self._may_have_rules(location.root, opened, for_change=True)
        paths = []
        first_depth = len(location.parts) if only_own else 0
        for depth in range(first_depth, len(location.parts) + 1):
            for file in RULE_FILES:
                paths.append(b"/".join((*location.parts[:depth], file)))
        return location.root.folder.contains_any(paths)

    def _rules_at(self, root: Root) -> DenyRules:
        """Return the rules with which a root begins, those of outer roots included."""
        rules, outer = self._root_rules[root.index], self._enclosing[root.index]
        if outer is None:
            return rules
        outer_rules = self.rules_for(outer.parent)
        if not outer_rules.active:
            return rules
        return outer_rules.for_inner_root(outer.name, rules)

    def _rule_checker(
        self,
        root_rules: DenyRules,
        location: Location,
        *,
        for_change: bool = False,
        for_git: bool = False,
    ) -> RuleChecker:
        if for_git:
            return RuleChecker(
                root_rules.for_git(), location, None, for_change=for_change
            )
        tree_denies = partial(self._tree_denies, location.root)
        return RuleChecker(
            root_rules, location, tree_denies, for_change=for_change
        )

    def _tree_denies(self, root: Root, tree_parts: tuple[bytes, ...]) -> bool:
        """Return True if a working tree has a deny file.

        Its repository may then store copies of denied files. Also return True if the
        search takes too long.
        """
        has_deny_file = False

        def visit(
            _folder: WalkedFolder,
            _opened: Folder,
            names: list[bytes],
            _selected: list[bytes],
        ) -> None:
            nonlocal has_deny_file
            if any(plain_form(name) == DENY_FILE for name in names):
                has_deny_file = True

        options = WalkOptions(include_ignored=True, visit=visit)
        try:
            task = Task(seconds=_MAX_TREE_SEARCH_SECONDS)
            for _ in self.walk(Location(root, tree_parts), options, task=task):
                if has_deny_file:
                    break
        except FilewrightError:
            # The time was up, or the tree cannot be read: deny rather than show.
            return True
        return has_deny_file

    def _protection(self, location: Location) -> Protection:
        return self._protections[location.root.index]

    def _require_not_own_state(
        self, location: Location, parts: tuple[bytes, ...]
    ) -> None:
        protection = self._protection(location)
        if protection.own_state and protection.find_own_state(parts):
            raise errors.own_state(location.requested_path)

    def _error(
        self, error: OSError, location: Location, action: str
    ) -> FilewrightError:
        """Return the error for an `OSError` on `action`, a verb, at a location.

        An escape is answered with the path to which it leads.
        """
        path, root = location.requested_path, quote(location.root.path)
        if isinstance(error, NotAFileError) and error.kind != "link":
            hint = "name a regular file"
            if error.kind == "folder":
                hint = "list the folder instead"
            return errors.not_a_file(path, error.kind, hint=hint)
        if error.errno == errno.EXDEV:
            return self._escape_error(error, location)
        if error.errno == errno.ELOOP:
            code, hint = Code.SYMLINK, "name the target itself"
            reason = "its symbolic links form a loop"
        elif error.errno == errno.EAGAIN:
            code = Code.IN_USE
            hint = "stop the program that renames it, or try again later"
            reason = "another program keeps replacing it"
        else:
            return from_os_error(error, path, doing=action)
        message = f"cannot {action} {path}: {reason}"
        return errors.path_error(code, path, message, hint, root=root)

    def _escape_error(
        self, error: OSError, location: Location
    ) -> FilewrightError:
        path, root = location.requested_path, location.root
        target = location.absolute
        if isinstance(error, EscapesFolderError) and error.path is not None:
            target = os.path.join(root.path, *error.above, error.path)
        target = system.absolute_path(target)
        is_inside = target.startswith(root.path.rstrip(b"/") + b"/")
        if self.settings.cross_devices or not is_inside:
            return errors.outside_root(path, quote(root.path), quote(target))
        return errors.path_error(
            Code.PATH_ESCAPE,
            path,
            f"{path} is on another file system than the root "
            f"{quote(root.path)}",
            "ask the user to allow mounts inside a root (the setting "
            "cross_devices)",
            root=quote(root.path),
            resolved=quote(target),
        )
