"""Ignore rules: which names git's `check-ignore --no-index` would call ignored.

From weakest to strongest: the global excludes file, `.git/info/exclude`, each `.gitignore` from the
root down, then each `.ignore` from the root down. The last rule that matches decides; what lies in
an ignored folder is ignored whatever a rule below says. Rules above the root are not read.

A folder's names are tested in two steps: a cheap one that lets a name pass when no rule's last part
fits it (sets, prefixes, suffixes), and git's own matching for the few that are left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from filewright.boundary.wildmatch import MalformedError, bracket, source, translate

FILE_BYTES = 4 << 20
"""Longer ignore files are not read: no one writes them, but a hostile repository might."""

_PATTERN_BYTES = 4096
_SPECIAL = re.compile(rb"[*?\[\\]")
_EXPANDED = 16
_MANY = 200
Lengths = tuple[tuple[int, frozenset[bytes]], ...]
_IS, _ENDS, _STARTS, _FITS = "is", "ends", "starts", "fits"


@dataclass(frozen=True, eq=False)
class Rule:
    """One line of an ignore file. `text` has lost its `!`, its leading slash and its trailing slash.

    A glob is one too: with `characters`, where `?` is a character, and `**` after a literal part is not
    taken on its own.
    """

    text: bytes
    negated: bool
    folders_only: bool
    by_name: bool
    characters: bool = False

    @cached_property
    def literal(self) -> bytes:
        """What precedes the first wildcard: compared as it is."""
        special = _SPECIAL.search(self.text)
        return self.text[: special.start()] if special else self.text

    @cached_property
    def _rest(self) -> re.Pattern[bytes] | None:
        try:
            if self.by_name or self.characters:
                return translate(self.text, self.characters)
            # Git matches what follows the literal part on its own, so `**` there counts as at a start.
            return translate(self.text[len(self.literal) :])
        except MalformedError:
            return None

    def matches(self, name: bytes, path: bytes) -> bool:
        """Whether it fits; `path` is relative to the folder of the rule's file, `name` its last part."""
        literal = self.literal
        if len(literal) == len(self.text):
            return literal == (name if self.by_name else path)
        rest = self._rest
        if rest is None:
            return False
        if self.by_name:
            return rest.fullmatch(name) is not None
        if self.characters:
            return rest.fullmatch(path) is not None
        return path.startswith(literal) and rest.fullmatch(path, len(literal)) is not None

    def alive(self, below: bytes) -> bool:
        """Whether it can fit anything in the folder `below` (ends in `/`, relative to its file) or deeper."""
        if self.by_name:
            return True
        if b"**" not in self.text and below.count(b"/") > self.text.count(b"/"):
            return False
        literal = self.literal
        return literal.startswith(below) or (len(literal) < len(self.text) and below.startswith(literal))

    @cached_property
    def tails(self) -> tuple[tuple[str, bytes], ...]:
        """What the last part of a path is if the rule fits it: `("is" | "ends" | "starts" | "fits", bytes)`.

        Necessary, not sufficient. `fits` carries the source of an expression for the whole name.
        """
        cut = self.text.rfind(b"/") + 1
        last = self.text[cut:]
        if b"[" in self.text[:cut] or (cut and b"\\" in self.text):
            return ((_FITS, b".*"),)  # A slash in brackets or behind a backslash: the cut may be none.
        # `a**/b` fits `ab`: git takes what follows a literal part on its own.
        loose = b"**" in self.text[:cut]
        if not _SPECIAL.search(last):
            return ((_ENDS if loose else _IS, last),)
        if last.startswith(b"*"):
            ends = _expand(last.lstrip(b"*"))
            if ends:
                return tuple((_ENDS, text) for text in ends)
        elif not loose:
            names = _expand(last)
            if names:
                return tuple((_IS, text) for text in names)
            start = last.rstrip(b"*")
            if not _SPECIAL.search(start):
                return ((_STARTS, start),)
        if loose or b"**" in last:
            return ((_FITS, b".*"),)
        try:
            return ((_FITS, source(last, self.characters)),)
        except MalformedError:
            return ()


def _expand(text: bytes) -> tuple[bytes, ...]:
    """All that a text with small brackets as its only wildcards can be; empty if there are too many."""
    results = [b""]
    position = 0
    while position < len(text):
        byte = text[position : position + 1]
        if byte in (b"*", b"?", b"\\"):
            return ()
        if byte == b"[":
            try:
                members, position = bracket(text, position)
            except MalformedError:
                return ()
            if not members or len(members) * len(results) > _EXPANDED:
                return ()
            results = [result + bytes((member,)) for result in results for member in sorted(members)]
        else:
            results = [result + byte for result in results]
            position += 1
    return tuple(results)


@lru_cache(maxsize=512)
def parse(content: bytes) -> tuple[Rule, ...]:
    """The rules of an ignore file, in its order."""
    rules = []
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if not line or line.startswith(b"#"):
            continue
        text = _trim(line.removesuffix(b"\r").split(b"\0", 1)[0])
        if len(text) > _PATTERN_BYTES:
            continue
        negated = text.startswith(b"!")
        text = text[negated:]
        folders_only = text.endswith(b"/")
        if folders_only:
            text = text[:-1]
        by_name = b"/" not in text
        if not by_name:
            text = text.removeprefix(b"/")
        if text:
            rules.append(_simplest(Rule(text, negated, folders_only, by_name)))
    return tuple(rules)


def _simplest(rule: Rule) -> Rule:
    # `**/x` means `x`, and is cheaper that way.
    rest = rule.text
    while rest.startswith(b"**/"):
        rest = rest[3:]
    if rest != rule.text and rest and b"/" not in rest and not rest.startswith(b"**"):
        return Rule(rest, rule.negated, rule.folders_only, True)
    return rule


def _trim(line: bytes) -> bytes:
    """The line without trailing spaces, unless a backslash stands before them."""
    end, position = len(line), 0
    kept = 0
    while position < end:
        if line[position] == 0x5C:
            position += 1
            if position >= end:
                return line
            kept = position + 1
        elif line[position] != 0x20:
            kept = position + 1
        position += 1
    return line[:kept]


@dataclass(frozen=True, slots=True)
class Scoped:
    """A rule and how long the path of its file's folder is (with its slash; 0 at the root)."""

    rule: Rule
    base: int


class Matcher:
    """The rules that can fit names in one folder, weakest first."""

    def __init__(self, git: tuple[Scoped, ...], others: tuple[Scoped, ...]) -> None:
        self.git = git
        self.others = others
        self.rules = git + others
        self.anchored = tuple(scoped for scoped in self.rules if not scoped.rule.by_name)
        self._smaller: dict[tuple[bool, ...], Matcher] = {}
        tails = sorted({tail for scoped in self.rules for tail in scoped.rule.tails})
        self._is = frozenset(text for kind, text in tails if kind == _IS)
        self._ends = tuple(text for kind, text in tails if kind == _ENDS)
        self._starts = tuple(text for kind, text in tails if kind == _STARTS)
        self._many = _by_length(self._starts, self._ends) if len(tails) > _MANY else None
        fits = [text for kind, text in tails if kind == _FITS]
        self._fits = re.compile(b"|".join(fits), re.DOTALL) if fits else None

    def with_files(self, base: int, git: bytes | None, other: bytes | None) -> Matcher:
        """This matcher and the rules of a folder's own ignore files."""
        mine = tuple(Scoped(rule, base) for rule in parse(git)) if git else ()
        theirs = tuple(Scoped(rule, base) for rule in parse(other)) if other else ()
        return Matcher(self.git + mine, self.others + theirs) if mine or theirs else self

    def below(self, prefix: bytes) -> Matcher:
        """The matcher for the folder `prefix` (from the root, ends in `/`): rules that can still fit."""
        if not self.anchored:
            return self
        alive = tuple(scoped.rule.alive(prefix[scoped.base :]) for scoped in self.anchored)
        if all(alive):
            return self
        smaller = self._smaller.get(alive)
        if smaller is None:
            dead = {id(scoped) for scoped, is_alive in zip(self.anchored, alive, strict=True) if not is_alive}
            smaller = self._smaller[alive] = Matcher(
                tuple(scoped for scoped in self.git if id(scoped) not in dead),
                tuple(scoped for scoped in self.others if id(scoped) not in dead),
            )
        return smaller

    def kept(self, prefix: bytes, names: list[bytes], folders: bool) -> list[bytes]:
        """The names in the folder `prefix` that are not ignored, in their order."""
        suspects = self.suspects(names) if names and self.rules else None
        if not suspects:
            return names
        ignored = {name for name in suspects if self.ignores(prefix, name, folders)}
        return [name for name in names if name not in ignored]

    def suspects(self, names: Iterable[bytes]) -> list[bytes]:
        """The names that a rule may fit; every other name is not ignored."""
        exact, ends, starts = self._is, self._ends, self._starts
        if self._many is not None:
            return [n for n in names if n in exact or self._may_fit(n)]
        if self._fits is not None:
            fits = self._fits.fullmatch
            return [n for n in names if n in exact or n.endswith(ends) or n.startswith(starts) or fits(n)]
        if starts:
            return [n for n in names if n in exact or n.endswith(ends) or n.startswith(starts)]
        return [n for n in names if n in exact or n.endswith(ends)]

    def _may_fit(self, name: bytes) -> bool:
        assert self._many is not None
        starts, ends = self._many
        return (
            any(name[:length] in texts for length, texts in starts)
            or any(name[len(name) - length :] in texts for length, texts in ends if length <= len(name))
            or (self._fits is not None and self._fits.fullmatch(name) is not None)
        )

    def ignores(self, prefix: bytes, name: bytes, folder: bool) -> bool:
        """Whether `name` in the folder `prefix` is ignored, given that the folder itself is not."""
        path = prefix + name
        for scoped in reversed(self.rules):
            rule = scoped.rule
            if rule.folders_only and not folder:
                continue
            if rule.matches(name, path if rule.by_name else path[scoped.base :]):
                return not rule.negated
        return False


def _by_length(starts: tuple[bytes, ...], ends: tuple[bytes, ...]) -> tuple[Lengths, Lengths]:
    """The texts in sets by their length: the cost of a name then grows with the lengths, not the texts."""
    starts_by, ends_by = (
        tuple((n, frozenset(t for t in texts if len(t) == n)) for n in sorted({len(t) for t in texts}))
        for texts in (starts, ends)
    )
    return starts_by, ends_by


NOTHING = Matcher((), ())
"""Ignores nothing."""
