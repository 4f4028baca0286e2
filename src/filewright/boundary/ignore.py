"""Ignore rules: which names git's `check-ignore --no-index` would call ignored.

From weakest to strongest: the global excludes file, `.git/info/exclude`, each `.gitignore` from the
root down, then each `.ignore` from the root down. The last rule that matches decides; what lies in
an ignored folder is ignored whatever a rule below says. Rules above the root are not read.

A folder's names are tested in two steps: a cheap one that lets a name pass when no rule's last part
fits it (sets, prefixes, suffixes), and git's own matching for the few that are left.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from filewright.boundary.wildmatch import MalformedError, translate

FILE_BYTES = 1 << 20
"""Longer ignore files are not read: no one writes them, but a hostile repository might."""

_PATTERN_BYTES = 4096
_SPECIAL = re.compile(rb"[*?\[\\]")
_EITHER = re.compile(rb"([^*?\[\\]*)(?:\[(\w+)\]([^*?\[\\]*))?")
"""A text without wildcards, or with the only one of some letters in brackets."""
_MANY = 200
_CHECKED = 256
_REMEMBERED_BYTES = 8 << 10

Kind = Literal["is", "ends", "starts", "fits"]


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

    def __str__(self) -> str:
        start = "!" * self.negated + "/" * (not self.by_name and b"/" not in self.text)
        return start + self.text.decode("utf-8", "replace") + "/" * self.folders_only

    @cached_property
    def literal(self) -> bytes:
        """What precedes the first wildcard: compared as it is."""
        special = _SPECIAL.search(self.text)
        return self.text[: special.start()] if special else self.text

    @cached_property
    def _rest(self) -> re.Pattern[bytes] | None:
        # Git matches what follows the literal part on its own, so `**` there counts as at a start.
        whole = self.by_name or self.characters
        try:
            return translate(self.text if whole else self.text[len(self.literal) :], self.characters)
        except MalformedError:
            return None

    def matches(self, name: bytes, path: bytes) -> bool:
        """Whether it fits; `path` is relative to the folder of the rule's file, `name` its last part."""
        literal, asked = self.literal, name if self.by_name else path
        if len(literal) == len(self.text):
            return literal == asked
        if self._rest is None:
            return False
        start = 0 if self.by_name or self.characters else len(literal)
        return asked.startswith(literal) and self._rest.fullmatch(asked, start) is not None

    def alive(self, below: bytes) -> bool:
        """Whether it can fit anything in the folder `below` (ends in `/`, relative to its file) or deeper."""
        if self.by_name:
            return True
        if b"**" not in self.text and below.count(b"/") > self.text.count(b"/"):
            return False
        literal = self.literal
        return literal.startswith(below) or (len(literal) < len(self.text) and below.startswith(literal))

    @property
    def tails(self) -> tuple[Kind, list[bytes]]:
        """What the last part of a path is if the rule fits it: one of these. Necessary, not sufficient.

        `fits` carries the source of an expression for the whole name. Raises `MalformedError`.
        """
        cut = self.text.rfind(b"/") + 1
        head, last = self.text[:cut], self.text[cut:]
        # `a**/b` fits `ab`: git takes what follows a literal part on its own.
        loose = re.search(rb"[^/*]\*\*", head) is not None
        special, plain = _SPECIAL.search(last), last.lstrip(b"*")
        if b"[" in head or (head and b"\\" in self.text):
            plain, loose = b"", True  # A slash in brackets or behind a backslash: the cut may be none.
        if plain and (either := _EITHER.fullmatch(plain)) is not None:
            before, members, after = either.groups()
            texts = [before + bytes((member,)) + after for member in members] if members else [plain]
            return "ends" if loose or last.startswith(b"*") else "is", texts
        if loose or b"**" in last or not plain:
            return "starts", [b""]
        if special is not None and special.start():
            return "starts", [last[: special.start()]]
        return "fits", [translate(last, self.characters).pattern]


def parse(content: bytes) -> tuple[Rule, ...]:
    """The rules of an ignore file, in its order."""
    return (_parsed if len(content) <= _REMEMBERED_BYTES else _parsed.__wrapped__)(content)


@lru_cache(maxsize=64)
def _parsed(content: bytes) -> tuple[Rule, ...]:
    rules = []
    # A line that is there again later decides nothing where it stands first.
    lines = dict.fromkeys(reversed(content.removeprefix(b"\xef\xbb\xbf").split(b"\n")))
    for line in reversed(lines):
        text = _trim(line.removesuffix(b"\r").split(b"\0", 1)[0])
        if line.startswith(b"#") or len(text) > _PATTERN_BYTES:
            continue
        negated = text.startswith(b"!")
        text = text[negated:]
        folders_only = text.endswith(b"/")
        text = text.removesuffix(b"/")
        by_name = b"/" not in text
        text = text.removeprefix(b"/")
        if text:
            rules.append(Rule(text, negated, folders_only, by_name))
    return tuple(rules)


def _trim(line: bytes) -> bytes:
    """The line without trailing spaces, unless a backslash comes before them."""
    kept = line.rstrip(b" ")
    escapes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + escapes % 2]


def problem_of(content: bytes) -> str:
    """Why rules cannot be used: a line that can match nothing would leave open what it was to close."""
    if b"\0" in content:
        return "holds NUL bytes: it must be UTF-8 text"
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        text = _trim(line.removesuffix(b"\r"))
        if not text or text.startswith(b"#"):
            continue
        if not _can_match(text.removeprefix(b"!")):
            return f"has a rule in line {number} that can match nothing"
    return ""


def _can_match(text: bytes) -> bool:
    parts = text.removeprefix(b"/").removesuffix(b"/").split(b"/")
    if len(text) > _PATTERN_BYTES or not {b"", b".", b".."}.isdisjoint(parts):
        return False
    try:
        translate(b"/".join(parts))
    except MalformedError:
        return False
    return True


class Scoped(NamedTuple):
    """A rule and how long the path of its file's folder is (with its slash; 0 at the root)."""

    rule: Rule
    base: int


class Layer:
    """Some rules, weakest first, found by what the last part of a path must be for them to fit.

    The cost of a name grows with the rules that may fit it, not with all there are.
    """

    def __init__(self, rules: tuple[Scoped, ...]) -> None:
        self.rules = rules
        self.anchored = tuple(scoped for scoped in rules if not scoped.rule.by_name)
        tails: dict[Kind, dict[bytes, list[int]]] = {"is": {}, "ends": {}, "starts": {}, "fits": {}}
        for number, (rule, _) in enumerate(rules):
            with suppress(MalformedError):  # it fits nothing
                kind, texts = rule.tails
                for text in texts:
                    tails[kind].setdefault(text, []).append(number)
        self._is, self._ends, self._starts = tails["is"], tuple(tails["ends"]), tuple(tails["starts"])
        fits = tails["fits"]
        self._fits = re.compile(b"|".join(fits), re.DOTALL).fullmatch if fits else lambda _name: None
        self._fitting = [number for numbers in fits.values() for number in numbers]
        # By their lengths: the cost of a name then grows with those, not with the texts.
        self._cuts = [(slice(None), tails["is"])]
        self._cuts += [(slice(-length, None), tails["ends"]) for length in set(map(len, self._ends))]
        self._cuts += [(slice(length), tails["starts"]) for length in set(map(len, self._starts))]

    def suspects(self, names: Iterable[bytes]) -> list[bytes]:
        """The names that a rule may fit; no rule fits any other."""
        exact, ends, starts, fits = self._is, self._ends, self._starts, self._fits
        return [n for n in names if n in exact or n.endswith(ends) or n.startswith(starts) or fits(n)]

    def decides(self, path: bytes, name: bytes, folder: bool) -> Scoped | None:
        """The last rule that fits `path`, whose last part is `name`; None if none does."""
        found = [*self._fitting] if self._fits(name) else []
        for cut, texts in self._cuts:
            found += texts.get(name[cut], ())
        for number in sorted(found, reverse=True):
            rule, base = scoped = self.rules[number]
            if (folder or not rule.folders_only) and rule.matches(name, path[base:]):
                return scoped
        return None

    def below(self, prefix: bytes) -> Layer:
        """The layer for the folder `prefix` (from the root, ends in `/`): rules that can still fit."""
        if len(self.anchored) > _MANY:
            return self
        dead = {id(scoped) for scoped in self.anchored if not scoped.rule.alive(prefix[scoped.base :])}
        return _layer(tuple(scoped for scoped in self.rules if id(scoped) not in dead)) if dead else self


_layer = lru_cache(maxsize=64)(Layer)


class Matcher:
    """The rules that can fit names in one folder: layers of git's and of others, weakest first."""

    def __init__(self, git: tuple[Layer, ...] = (), others: tuple[Layer, ...] = ()) -> None:
        self._groups = git, others
        self._layers = git + others
        self.anchored = any(layer.anchored for layer in self._layers)

    def __bool__(self) -> bool:
        return bool(self._layers)

    def with_files(self, base: int, git: bytes | None, other: bytes | None = None) -> Matcher:
        """This matcher and the rules of ignore files of the folder whose path is `base` bytes long."""
        groups = tuple(map(_layered, self._groups, (base, base), (git, other)))
        return Matcher(*groups) if groups != self._groups else self

    def below(self, prefix: bytes) -> Matcher:
        """The matcher for the folder `prefix` (from the root, ends in `/`): rules that can still fit."""
        if not self.anchored:
            return self
        groups = [
            tuple(below for layer in group if (below := layer.below(prefix)).rules) for group in self._groups
        ]
        return Matcher(*groups) if tuple(groups) != self._groups else self

    def kept(
        self, prefix: bytes, names: list[bytes], folders: bool, check: Callable[[], None] = lambda: None
    ) -> list[bytes]:
        """The names in the folder `prefix` that are not ignored, in their order."""
        ignored = set(self.ignored(prefix, names, folders, check))
        return [name for name in names if name not in ignored] if ignored else names

    def ignored(
        self, prefix: bytes, names: list[bytes], folders: bool, check: Callable[[], None] = lambda: None
    ) -> list[bytes]:
        """The others, in their order."""
        found = []
        for number, name in enumerate(self.suspects(names)):
            if number % _CHECKED == 0:
                check()
            decided = self.decides(prefix, name, folders)
            if decided is not None and not decided.rule.negated:
                found.append(name)
        return found

    def suspects(self, names: list[bytes]) -> list[bytes]:
        """The names that a rule may fit, in their order; every other name is not ignored."""
        if len(self._layers) == 1:
            return self._layers[0].suspects(names)
        found = {name for layer in self._layers for name in layer.suspects(names)}
        return [name for name in names if name in found] if found else []

    def decides(self, prefix: bytes, name: bytes, folder: bool) -> Scoped | None:
        """The rule that says whether `name` in the folder `prefix` is ignored; None if none does.

        Given that the folder itself is not: what lies in an ignored one is.
        """
        path = prefix + name
        for layer in reversed(self._layers):
            if (decided := layer.decides(path, name, folder)) is not None:
                return decided
        return None


def _layered(layers: tuple[Layer, ...], base: int, content: bytes | None) -> tuple[Layer, ...]:
    """The layers and the rules of one more file; into the last layer, unless there are many in it."""
    rules = tuple(Scoped(rule, base) for rule in parse(content)) if content else ()
    last = layers[-1].rules if layers else ()
    if rules and len(last) + len(rules) <= _MANY:
        return (*layers[:-1], Layer(last + rules))
    return (*layers, Layer(rules)) if rules else layers


NOTHING = Matcher()
"""Ignores nothing."""
