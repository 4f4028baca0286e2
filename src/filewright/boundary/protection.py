"""Paths that are never written: by rules, as filewright's own state, or through links.

A rule such as `.claude/settings.json` protects a name. The same file has another name
if `.claude` is a link. So no link may be made at a folder on the way to a protected
file, and where the user has such a link, its target is protected like the name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from filewright.boundary.matching import NO_IGNORE_RULES, Matcher
from filewright.boundary.names import fold_letters, plain_form
from filewright.boundary.programs import PROTECTED
from filewright.boundary.rules import encode_rules

_WILDCARDS = frozenset(b"*?[\\")

Parts = Sequence[bytes]
"""A path below a root."""


class Alias(NamedTuple):
    """A link at a protected name, or on the way to one.

    `link` is its path and `target` the path it leads to in plain form, each from its
    root.
    """

    link: tuple[bytes, ...]
    target: tuple[bytes, ...]

    @staticmethod
    def to(link: Parts, target: Parts) -> Alias:
        """Return the alias for a link and its target, both paths below their roots."""
        return Alias(tuple(link), tuple(map(plain_form, target)))

    def path_through(self, parts: Parts) -> tuple[bytes, ...] | None:
        """Return a path at or below the target as a path through the link, or None."""
        depth = len(self.target)
        if tuple(map(plain_form, parts[:depth])) != self.target:
            return None
        return (*self.link, *parts[depth:])

    def target_is_below(self, parts: Parts) -> bool:
        """Return True if the path is the target or a folder on the way to it."""
        return self.target[: len(parts)] == tuple(map(plain_form, parts))


class Protection:
    """The paths below a root that may not be written.

    Protection rules are written as in `.gitignore`: those of `PROTECTED` and
    `extra_rules`, without the paths that `allowed_rules` match. `own_state` are the
    paths of filewright's own folders below the root; no rule allows a write there.

    Names are compared in their plain form. Raise `invalid_input` for a rule that can
    match nothing.
    """

    def __init__(
        self,
        extra_rules: Sequence[str] = (),
        allowed_rules: Sequence[str] = (),
        own_state: Sequence[Parts] = (),
    ) -> None:
        rules = (*PROTECTED, *extra_rules)
        self._rules = _compile(rules, "protected")
        self._parents = _compile_parents(rules)
        self._allowed = _compile(tuple(allowed_rules), "allow_write")
        self.own_state = {
            tuple(map(plain_form, path)): tuple(path) for path in own_state
        }
        """The paths of filewright's own folders, by their plain form."""
        self.first_names = _first_names(rules)
        """The first names of protected paths, as far as they have no wildcard."""

    def find_own_state(
        self, parts: Parts, *, include_parents: bool = False
    ) -> str | None:
        """Return the folder of filewright's own state that contains a path, or None.

        With `include_parents`, also return such a folder that lies below the path.
        """
        plain_parts = tuple(map(plain_form, parts))
        for own_parts, spelling in self.own_state.items():
            contains = own_parts == plain_parts[: len(own_parts)]
            is_below = own_parts[: len(plain_parts)] == plain_parts
            if contains or (include_parents and is_below):
                return os.fsdecode(b"/".join(spelling))
        return None

    def rule_for(
        self, parts: Parts, *, include_parents: bool = False
    ) -> str | None:
        """Return the rule that protects a path or a folder above it, or None.

        With `include_parents`, also protect a folder that holds filewright's own state:
        the state would move with it.
        """
        plain_parts = [*map(plain_form, parts)]
        # Most paths have no name that a rule could fit: they cost this one test.
        if self._rules.candidates(plain_parts):
            rule = _first_match(self._rules, plain_parts)
            if (
                rule is not None
                and _first_match(self._allowed, plain_parts) is None
            ):
                return rule
        if not self.own_state:
            return None
        return self.find_own_state(parts, include_parents=include_parents)

    def rule_below(self, parts: Parts) -> str | None:
        """Return a rule that protects a path below the folder `parts`, or None."""
        plain_parts = [*map(plain_form, parts)]
        if not plain_parts:
            return None
        folders = self._parents.matcher
        if not folders.candidates(plain_parts[-1:]):
            return None
        prefix = b"".join(name + b"/" for name in plain_parts[:-1])
        folder = folders.deciding_rule(prefix, plain_parts[-1], is_folder=True)
        if (
            folder is None
            or _first_match(self._allowed, plain_parts) is not None
        ):
            return None
        return self._parents.rules[str(folder)]

    def rule_for_link(
        self, parts: Parts, aliases: Iterable[Alias] = ()
    ) -> str | None:
        """Return the rule that a link at this path would lead around, or None."""
        rule = self.rule_for(parts) or self.rule_below(parts)
        for alias in aliases:
            if rule is not None:
                break
            path = alias.path_through(parts)
            # A link on the way to the target of another link moves that target.
            if path is None and alias.target_is_below(parts):
                path = alias.link
            if path is not None:
                rule = self.rule_for(path) or self.rule_below(path)
        return rule

    def rule_through(
        self, parts: Parts, aliases: Iterable[Alias]
    ) -> str | None:
        """Return the rule that protects a path by its name through a link, or None."""
        for alias in aliases:
            path = alias.path_through(parts)
            rule = self.rule_for(path) if path is not None else None
            if rule is not None:
                return rule
        return None

    def may_concern(self, name: bytes) -> bool:
        """Return True if a path that ends in `name` may itself be protected.

        A path may still be protected by the names of the folders above it.
        """
        plain_name = plain_form(name)
        if self._rules.candidates([plain_name]):
            return True
        return any(own_parts[-1] == plain_name for own_parts in self.own_state)


class _ParentFolders(NamedTuple):
    """The folders on the way to protected paths.

    `rules` has, for the text of each rule of `matcher`, the protection rule.
    """

    matcher: Matcher
    rules: dict[str, str]


@lru_cache(maxsize=16)
def _compile(rules: tuple[str, ...], setting: str) -> Matcher:
    return NO_IGNORE_RULES.with_files(
        0, fold_letters(encode_rules(rules, setting))
    )


@lru_cache(maxsize=16)
def _compile_parents(rules: tuple[str, ...]) -> _ParentFolders:
    """Return the folders on the way to the paths that rules protect."""
    rule_by_parent: dict[str, str] = {}
    for rule in rules:
        for parent in _parent_rules(rule):
            rule_by_parent.setdefault(parent, _bare_rule(rule))
    content = "\n".join(rule_by_parent).encode("utf-8", "surrogateescape")
    rule_by_text = {}
    for parent, rule in rule_by_parent.items():
        folded = fold_letters(parent.encode("utf-8", "surrogateescape"))
        rule_by_text[folded.decode("utf-8", "replace")] = rule
    return _ParentFolders(
        NO_IGNORE_RULES.with_files(0, fold_letters(content)), rule_by_text
    )


def _parent_rules(rule: str) -> Iterator[str]:
    """Yield a rule for each folder on the way to a protected path.

    Folders that `rule` names only by wildcards are left out.
    """
    if rule.startswith("!"):
        return  # It protects nothing.
    parts = rule.strip("/").split("/")
    is_anchored = "/" in rule.rstrip("/") and parts[0] != "**"
    for depth in range(1, len(parts)):
        parent = "/".join(parts[:depth])
        if parent.strip("*/"):
            yield f"/{parent}" if is_anchored and depth == 1 else parent


@lru_cache(maxsize=16)
def _first_names(rules: tuple[str, ...]) -> tuple[bytes, ...]:
    """Return the first names of the paths that rules protect, without wildcards."""
    names = []
    for rule in rules:
        first = (
            rule.removeprefix("!")
            .removeprefix("**/")
            .strip("/")
            .partition("/")[0]
        )
        name = first.encode("utf-8", "surrogateescape")
        if name and _WILDCARDS.isdisjoint(name):
            names.append(name)
    return tuple(dict.fromkeys(names))


def _first_match(matcher: Matcher, plain_parts: list[bytes]) -> str | None:
    """Return the rule that matches a path or a folder above it, or None."""
    prefix = b""
    for name in plain_parts:
        # A rule for a folder protects a file of that name too: a file `.codex` would
        # take the folder's place.
        rule = matcher.deciding_rule(prefix, name, is_folder=True)
        if rule is not None and not rule.is_negated:
            return _bare_rule(str(rule))
        prefix += name + b"/"
    return None


def _bare_rule(rule: str) -> str:
    """Return a rule as messages name it."""
    return rule.removeprefix("**/").removesuffix("/")
