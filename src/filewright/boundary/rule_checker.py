"""`RuleChecker`: asks the deny rules at each step from a root to a path."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from filewright.boundary.location import Location
from filewright.boundary.names import is_temporary, plain_form
from filewright.boundary.rules import DenyRules
from filewright.system import Folder

_GIT = b".git"


class RuleChecker:
    """Asked of every part on the way to `where`: refuses what is denied by the rules of the folders passed."""

    def __init__(
        self,
        given: DenyRules,
        where: Location,
        hides_below: Callable[[tuple[bytes, ...]], bool] | None,
        *,
        changing: bool = False,
    ) -> None:
        self._given, self._where, self._changing = given, where, changing
        self._hides_below = hides_below
        self.rules: dict[tuple[bytes, ...], DenyRules] = {}

    def __call__(self, folder: Folder, part: bytes, is_folder: bool | None) -> None:
        rules = self.rules_in(folder)
        if self._changing and not rules.closed and is_temporary(part):
            return  # The user's rules are not about what a change makes there while it is being made.
        rules.require_allowed(
            self._where.requested_path, part, is_folder, for_change=self._changing
        )

    def rules_in(self, folder: Folder) -> DenyRules:
        """The rules for what is in a folder on the way, read from the very folder that was walked through."""
        names = folder.resolved_parts
        if not names:
            self.rules = {}  # The walk begins, perhaps again.
        if names not in self.rules:
            above = self.rules[names[:-1]] if names else self._given
            rules = above.enter(names[-1] if names else None, folder)
            if (
                names
                and plain_form(names[-1]) == _GIT
                and self._hides_below is not None
                and not rules.hides_copies
            ):
                rules = rules.for_git_folder(partial(self._hides_below, names[:-1]))
            self.rules[names] = rules
        return self.rules[names]
