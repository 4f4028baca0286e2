"""`RuleChecker`: applies the deny rules at each step on the way to a path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from filewright.boundary.location import Location
from filewright.boundary.names import is_temporary, plain_form
from filewright.boundary.rules import DenyRules
from filewright.system import Folder

_GIT = b".git"


class RuleChecker:
    """A check of each part on the way to a location, as the system walks there.

    It refuses each part that the rules of the folders on the way deny.
    """

    def __init__(
        self,
        root_rules: DenyRules,
        location: Location,
        tree_denies: Callable[[tuple[bytes, ...]], bool] | None,
        *,
        for_change: bool = False,
    ) -> None:
        """Make a check that starts with the rules of the location's root.

        `tree_denies` tells whether anything is denied in the working tree with these
        parts. None if stored copies are not denied.
        """
        self._root_rules = root_rules
        self._location = location
        self._tree_denies = tree_denies
        self._for_change = for_change
        self.rules: dict[tuple[bytes, ...], DenyRules] = {}
        """The rules for each folder on the way, by its parts."""

    def __call__(
        self, folder: Folder, part: bytes, is_folder: bool | None
    ) -> None:
        """Refuse the name `part` in a folder on the way if it is denied."""
        rules = self.rules_in(folder)
        if self._for_change and not rules.closed and is_temporary(part):
            return  # A rule such as `*~` is not about a change's temporary files.
        rules.require_allowed(
            self._location.requested_path,
            part,
            is_folder,
            for_change=self._for_change,
        )

    def rules_in(self, folder: Folder) -> DenyRules:
        """Return the rules for the names in a folder on the way.

        Its rule files are read from the open folder that is walked through.
        """
        parts = folder.resolved_parts
        if not parts:
            self.rules = {}  # The walk starts, perhaps for a second time.
        if parts not in self.rules:
            self.rules[parts] = self._enter(parts, folder)
        return self.rules[parts]

    def _enter(self, parts: tuple[bytes, ...], folder: Folder) -> DenyRules:
        if not parts:
            return self._root_rules.enter(None, folder)
        rules = self.rules[parts[:-1]].enter(parts[-1], folder)
        is_git_folder = plain_form(parts[-1]) == _GIT
        if (
            is_git_folder
            and self._tree_denies is not None
            and not rules.hides_copies
        ):
            rules = rules.for_git_folder(partial(self._tree_denies, parts[:-1]))
        return rules
