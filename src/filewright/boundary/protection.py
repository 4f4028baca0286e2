"""The paths that are never written to: by rules, by filewright's own state, and by links that lead from them.

A rule such as `.claude/settings.json` protects a name. The same file is reached by another name where `.claude` is a
link. So a link may not be at a folder on the way to something protected, and where the user has such a link, its
target is protected like the name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from filewright.boundary.matching import NOTHING, Matcher
from filewright.boundary.names import fold_letters, plain_form
from filewright.boundary.programs import PROTECTED
from filewright.boundary.rules import checked_rules

_WILDCARDS = frozenset(b"*?[\\")

Parts = Sequence[bytes]
"""A path below a root."""


class Alias(NamedTuple):
    """A link of the user's at a protected name or on the way to one: its path, and its target in plain form."""

    link: tuple[bytes, ...]
    target: tuple[bytes, ...]

    @staticmethod
    def to(link: Parts, target: Parts) -> Alias:
        """Return the alias for a link and its target, both paths below their roots."""
        return Alias(tuple(link), tuple(map(plain_form, target)))

    def path_through(self, parts: Parts) -> tuple[bytes, ...] | None:
        """Return the path through the link of what is at or below its target; None for anything else."""
        depth = len(self.target)
        return (
            (*self.link, *parts[depth:])
            if tuple(map(plain_form, parts[:depth])) == self.target
            else None
        )

    def target_is_below(self, parts: Parts) -> bool:
        """Return True if the path is a folder on the way to the target."""
        return self.target[: len(parts)] == tuple(map(plain_form, parts))


class Protection:
    """The protected paths below a root, by rules as in `.gitignore`: `PROTECTED` without what is `allowed`, and
    `more`; and what is our `own`, by its paths from the root, which nothing allows.

    Names are compared in their plain form. Raises `invalid_input` for a rule that can match nothing.
    """

    def __init__(
        self,
        more: Sequence[str] = (),
        allowed: Sequence[str] = (),
        own: Sequence[Parts] = (),
    ) -> None:
        rules = (*PROTECTED, *more)
        self._rules = _matcher(rules, "protected")
        self._ways, self._rule_of_way = _ways(rules)
        self._allowed = _matcher(tuple(allowed), "allow_write")
        self.own = {tuple(map(plain_form, path)): tuple(path) for path in own}
        self.first_names = _first_names(rules)

    def find_own_state(self, parts: Parts, *, holding: bool = False) -> str | None:
        """What of our own a path is, lies below or, if `holding`, holds; None if it does not."""
        plain = tuple(map(plain_form, parts))
        for own, path in self.own.items():
            if own == plain[: len(own)] or (holding and own[: len(plain)] == plain):
                return os.fsdecode(b"/".join(path))
        return None

    def rule_for(self, parts: Parts, *, holding: bool = False) -> str | None:
        """The rule by which the path below a root is protected, or what it lies in; None if there is none.

        If `holding`, also for what holds something of our own, which would go with it.
        """
        plain = [*map(plain_form, parts)]
        if self._rules.suspects(plain):
            rule = _first(self._rules, plain)
            if rule is not None and _first(self._allowed, plain) is None:
                return rule
        return self.find_own_state(parts, holding=holding) if self.own else None

    def rule_below(self, parts: Parts) -> str | None:
        """Return a rule that protects something in the folder `parts` by the folder's name; None if there is none."""
        plain = [*map(plain_form, parts)]
        if not plain or not self._ways.suspects(plain[-1:]):
            return None
        way = self._ways.decides(
            b"".join(name + b"/" for name in plain[:-1]), plain[-1], True
        )
        if way is None or _first(self._allowed, plain) is not None:
            return None
        return self._rule_of_way[str(way)]

    def rule_for_link(self, parts: Parts, aliases: Iterable[Alias] = ()) -> str | None:
        """Return the rule that a link at this path would lead around; None if there is none."""
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

    def rule_through(self, parts: Parts, aliases: Iterable[Alias]) -> str | None:
        """Return the rule that protects a path because a link of the user's leads to it; None if there is none."""
        for alias in aliases:
            path = alias.path_through(parts)
            rule = self.rule_for(path) if path is not None else None
            if rule is not None:
                return rule
        return None

    def concerns(self, name: bytes) -> bool:
        """Return True if a path that ends in `name` may be protected although its folder is not."""
        plain = plain_form(name)
        return bool(self._rules.suspects([plain])) or any(
            own[-1] == plain for own in self.own
        )


@lru_cache(maxsize=16)
def _matcher(rules: tuple[str, ...], setting: str) -> Matcher:
    return NOTHING.with_files(0, fold_letters(checked_rules(rules, setting)))


@lru_cache(maxsize=16)
def _ways(rules: tuple[str, ...]) -> tuple[Matcher, dict[str, str]]:
    """Return what matches the folders on the way to what rules protect, and the rule of each such way."""
    rule_of_way: dict[str, str] = {}
    for rule in rules:
        for way in _ways_of(rule):
            rule_of_way.setdefault(way, rule.removeprefix("**/").removesuffix("/"))
    text = fold_letters("\n".join(rule_of_way).encode("utf-8", "surrogateescape"))
    matcher = NOTHING.with_files(0, text)
    by_text = {}
    for way, rule in rule_of_way.items():
        by_text[
            fold_letters(way.encode("utf-8", "surrogateescape")).decode(
                "utf-8", "replace"
            )
        ] = rule
    return matcher, by_text


def _ways_of(rule: str) -> Iterator[str]:
    """Yield a rule for each folder on the way to what `rule` protects, wherever the way begins with a name."""
    if rule.startswith("!"):
        return
    parts = rule.strip("/").split("/")
    anchored = "/" in rule.rstrip("/") and parts[0] != "**"
    for depth in range(1, len(parts)):
        way = "/".join(parts[:depth])
        if way.strip("*/"):
            yield f"/{way}" if anchored and depth == 1 else way


@lru_cache(maxsize=16)
def _first_names(rules: tuple[str, ...]) -> tuple[bytes, ...]:
    """Return the names with which the paths that rules protect begin, as far as they have no wildcard."""
    names = []
    for rule in rules:
        first = rule.removeprefix("!").removeprefix("**/").strip("/").partition("/")[0]
        name = first.encode("utf-8", "surrogateescape")
        if name and _WILDCARDS.isdisjoint(name):
            names.append(name)
    return tuple(dict.fromkeys(names))


def _first(matcher: Matcher, plain: list[bytes]) -> str | None:
    """The rule that matches a path, or what it lies in."""
    prefix = b""
    for name in plain:
        # What it is matters to no rule: what is written to `.codex` as a file is not wanted either.
        rule = matcher.decides(prefix, name, True)
        if rule is not None and not rule.negated:
            return str(rule).removeprefix("**/").removesuffix("/")
        prefix += name + b"/"
    return None
