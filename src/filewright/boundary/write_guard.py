"""`WriteGuard`: refuses changes of protected and read-only paths, and through links."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from filewright import errors, system
from filewright.boundary.aliases import AliasFinder
from filewright.boundary.location import Location
from filewright.boundary.names import quote
from filewright.boundary.opener import OpenedFolder, Opener, RuleFreeFolders
from filewright.boundary.protection import Alias, Protection
from filewright.boundary.roots import Path, require_root
from filewright.boundary.rules import DenyRules
from filewright.boundary.walk_model import FolderEntry, WalkOptions, is_folder
from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import Settings

ResolvedFolders = dict[Location, tuple[bytes, ...]]
"""The paths to which folders led when they were opened, without links."""


class WriteGuard(Opener):
    """An opener that also says which paths may be changed.

    Every `require_` method raises if a change is not allowed.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        settings: Settings,
        state_folders: Sequence[Path],
    ) -> None:
        super().__init__(roots, settings, state_folders)
        self._aliases = AliasFinder(cross_devices=settings.cross_devices)

    def require_writable(
        self,
        location: Location,
        *,
        link_itself: bool = False,
        resolved_folders: ResolvedFolders | None = None,
    ) -> None:
        """Refuse a location that may not be changed. It need not exist.

        Raise the errors of `require_writable_names`, also for a link that leads to such
        a path. Raise `symlink` if the location is a link, unless `link_itself`: a
        delete or a move acts on the link.

        `resolved_folders` has the paths of the folders that were opened for this change
        set, so that each is opened once. Further names in them are not tested for
        links.
        """
        self.require_writable_names(location, location.parts)
        parent = location.parent
        if resolved_folders is None:
            resolved_folders = {}
        resolved = resolved_folders.get(parent)
        if resolved is not None:
            if resolved != parent.parts:
                self._require_unprotected(location, (*resolved, location.name))
            return
        try:
            depth, opened = self._open_nearest_folder(location)
            with opened.folder as folder:
                # Rules may tell files from folders, so they must see each name.
                if not opened.rules.active:
                    missing = parent.parts[depth:]
                    resolved_folders[parent] = (
                        *folder.resolved_parts,
                        *missing,
                    )
                if depth < len(parent.parts):
                    return  # A folder above is missing, so there is no link.
                kind = folder.stat(location.name).kind
        except FileNotFoundError:
            return
        except OSError as error:
            raise self._error(error, location, "change") from error
        if kind == "link":
            if not link_itself:
                raise self.link_refusal(location)
            self.require_link_allowed(location)

    def _open_nearest_folder(
        self, location: Location
    ) -> tuple[int, OpenedFolder]:
        """Open the innermost existing folder above a location, and return its depth."""
        depth = len(location.parent.parts)
        while True:
            try:
                return depth, self._open_for_change(
                    location, location.parts[:depth]
                )
            except (FileNotFoundError, NotADirectoryError):
                if not depth:
                    raise
            depth -= 1
            # Find one that exists by its path, which is cheaper than opening each.
            while depth and not location.root.folder.contains_any(
                (b"/".join(location.parts[:depth]),)
            ):
                depth -= 1

    def _open_for_change(
        self,
        location: Location,
        parts: tuple[bytes, ...],
        rule_free: RuleFreeFolders | None = None,
    ) -> OpenedFolder:
        """Open the folder `parts` on the way to a location that is changed.

        The folder that was reached, and its path at this moment, must not be protected;
        the parts below it must be allowed by the rules. Raise `OSError`.
        """
        try:
            opened = self._open_beneath(
                location, parts, for_change=True, rule_free=rule_free
            )
        except PermissionError:
            # A folder that may be entered but not listed is enough.
            opened = self._open_beneath(
                location,
                parts,
                listable=False,
                for_change=True,
                rule_free=rule_free,
            )
        try:
            self._require_changeable(location, parts, opened)
        except FilewrightError:
            opened.folder.close()
            raise
        return opened

    def _require_changeable(
        self, location: Location, parts: tuple[bytes, ...], opened: OpenedFolder
    ) -> None:
        """Refuse a change below an open folder, by its real path and by the rules."""
        folder, rules = opened.folder, opened.rules
        parts_below = location.parts[len(parts) :]
        # After a link on the way or a move meanwhile, this is not the requested path.
        real_paths = {
            folder.resolved_parts,
            self._current_parts(location, folder),
        }
        for real_parts in real_paths - {parts}:
            self._require_unprotected(
                location,
                (*real_parts, *parts_below),
                is_changed=bool(parts_below),
            )
        if not rules.active:
            return
        for depth, name in enumerate(parts_below, 1):
            name_is_folder: bool | None = True
            if depth == len(parts_below):
                # Below a missing folder the kind of the last part is not known.
                name_is_folder = is_folder(folder, name) if depth == 1 else None
            rules.require_allowed(
                location.requested_path, name, name_is_folder, for_change=True
            )
            rules = rules.enter(name, None)

    def require_writable_names(
        self, location: Location, parts: tuple[bytes, ...]
    ) -> None:
        """Refuse a location that may not be changed by its names alone.

        `parts` are the names below its root. Raise `read_only`, and `permission_denied`
        for the root itself and for a protected path, a path below or above one.
        """
        if self.settings.read_only:
            raise errors.read_only(location.requested_path)
        if not location.parts:
            raise errors.root_itself(
                location.requested_path, quote(location.root.path)
            )
        require_root(location.root, location.requested_path)
        self._require_unprotected(location, parts)

    def _require_unprotected(
        self,
        location: Location,
        parts: tuple[bytes, ...],
        *,
        is_changed: bool = True,
    ) -> None:
        """Refuse a path that is protected, or below a protected one.

        If the path itself `is_changed`, also refuse a folder that holds one, and a path
        to which a protected link leads.
        """
        protection = self._protection(location)
        rule = protection.rule_for(parts, include_parents=is_changed)
        if rule is None and is_changed:
            aliases = self.find_aliases(Location(location.root, parts))
            rule = protection.rule_through(parts, aliases)
        if rule is not None:
            raise errors.protected(location.requested_path, rule)

    def protection_rule(
        self,
        location: Location,
        *,
        link: bool = False,
        aliases: Iterable[Alias] = (),
    ) -> str | None:
        """Return the rule that protects a location or a folder above it, or None.

        With `link`, a link is at the location. `aliases` are those of a folder above.
        """
        protection = self._protection(location)
        if link:
            return protection.rule_for_link(location.parts, aliases)
        return _find_rule(protection, location.parts, aliases)

    # Links

    def link_refusal(self, location: Location) -> FilewrightError:
        """Return the error for a write to a link, with the target if it is visible."""
        path = location.requested_path
        prefix = location.root.resolved_prefix
        link_path = prefix + b"/".join(location.parts)
        try:
            target = system.real_path(link_path)
        except OSError:  # It is no link any more.
            return errors.write_to_symlink(path)
        if not target.startswith(prefix) or target == link_path:
            return errors.write_to_symlink(path)
        target_parts = tuple(target[len(prefix) :].split(b"/"))
        target_location = Location(location.root, target_parts)
        # The target of a denied path must not be told.
        rules = self.rules_for(target_location.parent)
        is_own_state = self._protection(location).find_own_state(target_parts)
        if is_own_state or rules.denies(target_location.name, None):
            return errors.write_to_symlink(path)
        return errors.write_to_symlink(path, target_location.exact_display_path)

    def require_link_allowed(self, location: Location) -> None:
        """Refuse to make or to remove a link on the way to a protected path.

        The protected path would lead to another file. Raise `permission_denied`.
        """
        protection = self._protection(location)
        aliases = self.find_aliases(location)
        rule = protection.rule_for_link(location.parts, aliases)
        if rule is not None:
            raise errors.protected_link(location.requested_path, rule)

    def find_aliases(self, location: Location) -> tuple[Alias, ...]:
        """Return the links by which a location, or a path in it, is protected."""
        aliases: list[Alias] = []
        for root in self.roots:
            protection = self._protections[root.index]
            aliases += self._aliases.find(location, root, protection)
        return tuple(aliases)

    def caching_aliases(self) -> AbstractContextManager[None]:
        """Search each folder for links once, within the block and in this thread."""
        return self._aliases.caching()

    # Copying and moving folders

    def require_tree_transferable(
        self,
        source: Location,
        destination: Location,
        rules: DenyRules,
        *,
        moving: bool,
        task: Task,
    ) -> None:
        """Refuse to copy a folder with everything below it, or to move it.

        Nothing in it may be denied, and if it is moved nothing in it may be read only.
        No entry may arrive at a protected path, or at one that the `rules` of the
        destination deny. Raise `permission_denied`.
        """
        transfer = _Transfer(
            source=source,
            destination=destination,
            protection_before=self._protection(source),
            protection_after=self._protection(destination),
            aliases_before=self.find_aliases(source),
            aliases_after=self.find_aliases(destination),
            is_move=moving,
        )
        options = WalkOptions(
            include_ignored=True, include_git=True, for_change=moving
        )
        walk = self.walk(source, options, task=task)
        rules_by_prefix = {b"": rules}
        for entry in walk:
            transfer.require_allowed(entry)
            if not rules.active:
                continue
            # The rules of the destination hold for the entries once they are there.
            entry_is_folder = entry.kind == "folder"
            folder_rules = rules_by_prefix[entry.folder.prefix]
            if folder_rules.denies(
                entry.name, entry_is_folder
            ) or folder_rules.is_read_only(entry.name, entry_is_folder):
                raise errors.contains_denied(source.requested_path)
            if entry_is_folder:
                child_rules = folder_rules.enter(entry.name, None)
                rules_by_prefix[entry.path + b"/"] = child_rules
        # Denied names are never yielded, only counted.
        if walk.denied_counts:
            raise errors.contains_denied(source.requested_path)


class _Transfer(NamedTuple):
    """A folder that is copied or moved, with the protection on both sides."""

    source: Location
    destination: Location
    protection_before: Protection
    protection_after: Protection
    aliases_before: tuple[Alias, ...]
    aliases_after: tuple[Alias, ...]
    is_move: bool

    def require_allowed(self, entry: FolderEntry) -> None:
        """Refuse an entry that protection rules keep from the transfer."""
        if entry.kind == "link":
            self._require_link_allowed(entry)
        if self._may_concern(entry):
            self._require_path_allowed(entry)

    def _require_link_allowed(self, entry: FolderEntry) -> None:
        # A relative link leads elsewhere from another folder.
        parts = (*self.destination.parts, *entry.path.split(b"/"))
        rule = self.protection_after.rule_for_link(parts, self.aliases_after)
        if rule is not None:
            raise errors.protected_link(self.destination.requested_path, rule)

    def _may_concern(self, entry: FolderEntry) -> bool:
        if self.aliases_before or self.aliases_after:
            return True
        if self.protection_before.may_concern(entry.name):
            return True
        return (
            self.protection_after is not self.protection_before
            and self.protection_after.may_concern(entry.name)
        )

    def _require_path_allowed(self, entry: FolderEntry) -> None:
        parts = tuple(entry.path.split(b"/"))
        rule_before = _find_rule(
            self.protection_before,
            (*self.source.parts, *parts),
            self.aliases_before,
        )
        rule_after = _find_rule(
            self.protection_after,
            (*self.destination.parts, *parts),
            self.aliases_after,
        )
        if rule_after is not None:
            # An entry that is protected by its own name, such as `.git`, stays so and
            # may come along. But a copy fills new folders, and nothing may be written
            # into a protected one.
            is_new = (
                rule_before is None
                or self.protection_after.rule_for(parts) is None
            )
            is_filled = entry.kind == "folder" and not self.is_move
            if is_new or is_filled:
                raise errors.protected(
                    self.destination.requested_path, rule_after
                )
        elif self.is_move and rule_before is not None:
            raise errors.protected(self.source.requested_path, rule_before)


def _find_rule(
    protection: Protection, parts: tuple[bytes, ...], aliases: Iterable[Alias]
) -> str | None:
    """Return the rule that protects a path, by its name or through a link, or None."""
    return protection.rule_for(parts) or protection.rule_through(parts, aliases)
