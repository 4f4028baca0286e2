"""Which names are meant: by ignore rules, as git's `check-ignore --no-index` reads them, and by callers' globs.

From weakest to strongest: the global excludes file, `.git/info/exclude`, each `.gitignore` from the
root down, then each `.ignore` from the root down. The last rule that matches decides; what lies in
an ignored folder is ignored whatever a rule below says. Rules above the root are not read.

A folder's names are tested in two steps: a cheap one that lets a name pass when no rule's last part
fits it (sets, prefixes, suffixes), and git's own matching for the few that are left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Literal

from filewright.boundary.wildmatch import MalformedError, translate

FILE_BYTES = 1 << 20
"""Longer ignore files are not read: no one writes them, but a hostile repository might."""

_PATTERN_BYTES = 4096
SPECIAL = rb"[*?\[\\]"
_EITHER = rb"([^*?\[\\]*)(?:\[(\w+)\]([^*?\[\\]*))?"
"""A text without wildcards, or with the only one of some letters in brackets."""
_MANY = 200
_CHECKED = 256
_REMEMBERED_BYTES = 8 << 10

FileKind = Literal["is", "ends", "starts", "fits"]


class Rule:
    """One line of an ignore file. `text` has lost its `!`, its leading slash and its trailing slash; the path of the
    file's folder has `base` bytes with its slash, 0 at the root.

    A glob is one too: with `characters`, where `?` is a character, and `**` after a literal part is not
    taken on its own.
    """

    def __init__(
        self, written: bytes, negated: bool, base: int = 0, characters: bool = False
    ) -> None:
        """The rule that is written so, but for its `!`."""
        text = written.removesuffix(b"/")
        self.text = text.removeprefix(b"/")
        self.negated = negated
        self.base = base
        self.folders_only = text != written
        self.by_name = b"/" not in text
        self.characters = characters

    def __str__(self) -> str:
        start = "!" * self.negated + "/" * (not self.by_name and b"/" not in self.text)
        return start + self.text.decode("utf-8", "replace") + "/" * self.folders_only

    @cached_property
    def literal(self) -> bytes:
        """What precedes the first wildcard: compared as it is."""
        special = re.search(SPECIAL, self.text)
        return self.text[: special.start()] if special else self.text

    @cached_property
    def _rest(self) -> re.Pattern[bytes] | None:
        # Git matches what follows the literal part on its own, so `**` there counts as at a start.
        whole = self.by_name or self.characters
        try:
            return translate(
                self.text if whole else self.text[len(self.literal) :], self.characters
            )
        except MalformedError:
            return None

    def matches(self, name: bytes, path: bytes) -> bool:
        """Whether it fits `path`, which is from the root; `name` is its last part."""
        literal, asked = self.literal, name if self.by_name else path[self.base :]
        if len(literal) == len(self.text):
            return literal == asked
        if self._rest is None:
            return False
        start = 0 if self.by_name or self.characters else len(literal)
        return (
            asked.startswith(literal) and self._rest.fullmatch(asked, start) is not None
        )

    def can_match(self) -> bool:
        """Whether there may be a name that it fits."""
        if len(self.text) > _PATTERN_BYTES or not {b"", b".", b".."}.isdisjoint(
            self.text.split(b"/")
        ):
            return False
        # Without brackets and backslashes there is nothing that could be malformed.
        return not re.search(rb"[\[\\]", self.text) or self._rest is not None

    def alive(self, prefix: bytes) -> bool:
        """Whether it can fit anything in the folder `prefix` (from the root, ends in `/`) or deeper."""
        below = prefix[self.base :]
        if b"**" not in self.text and below.count(b"/") > self.text.count(b"/"):
            return False
        literal = self.literal
        return literal.startswith(below) or (
            len(literal) < len(self.text) and below.startswith(literal)
        )

    @property
    def tails(self) -> tuple[FileKind, list[bytes]]:
        """What the last part of a path is if the rule fits it: one of these. Necessary, not sufficient.

        `fits` carries the source of an expression for the whole name. Raises `MalformedError`.
        """
        cut = self.text.rfind(b"/") + 1
        head, last = self.text[:cut], self.text[cut:]
        # `a**/b` fits `ab`: git takes what follows a literal part on its own.
        loose = re.search(rb"[^/*]\*\*", head) is not None
        special, plain = re.search(SPECIAL, last), last.lstrip(b"*")
        if b"[" in head or (head and b"\\" in self.text):
            plain, loose = (
                b"",
                True,
            )  # A slash in brackets or behind a backslash: the cut may be none.
        if plain and (either := re.fullmatch(_EITHER, plain)) is not None:
            before, members, after = either.groups()
            texts = (
                [before + bytes((member,)) + after for member in members]
                if members
                else [plain]
            )
            return "ends" if loose or last.startswith(b"*") else "is", texts
        if loose or b"**" in last or not plain:
            return "starts", [b""]
        if special is not None and special.start():
            return "starts", [last[: special.start()]]
        return "fits", [translate(last, self.characters).pattern]


def _parse(content: bytes, base: int) -> tuple[Rule, ...]:
    """The rules of an ignore file in a folder whose path has `base` bytes, in its order."""
    return (_parsed if len(content) <= _REMEMBERED_BYTES else _parsed.__wrapped__)(
        content, base
    )


@lru_cache(maxsize=64)
def _parsed(content: bytes, base: int) -> tuple[Rule, ...]:
    rules = []
    # A line that is there again later decides nothing where it stands first.
    for text in reversed(dict.fromkeys(reversed(_lines(content)))):
        negated = text.startswith(b"!")
        rule = Rule(text[negated:], negated, base)
        if rule.text and len(rule.text) <= _PATTERN_BYTES:
            rules.append(rule)
    return tuple(rules)


def _lines(content: bytes) -> list[bytes]:
    """What each line of an ignore file says, up to a NUL; nothing for a comment."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [
        _trim(line.removesuffix(b"\r").split(b"\0", 1)[0]) if line[:1] != b"#" else b""
        for line in lines
    ]


def _trim(line: bytes) -> bytes:
    """The line without trailing spaces, unless a backslash comes before them."""
    kept = line.rstrip(b" ")
    escapes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + escapes % 2]


def problem_of(content: bytes) -> str:
    """Why rules cannot be used: a line that can match nothing would leave open what it was to close."""
    if b"\0" in content:
        return "holds NUL bytes: it must be UTF-8 text"
    for number, text in enumerate(_lines(content), 1):
        if text and not Rule(text.removeprefix(b"!"), negated=False).can_match():
            return f"has a rule in line {number} that can match nothing"
    return ""


class Layer:
    """Some rules, weakest first, found by what the last part of a path must be for them to fit.

    The cost of a name grows with the rules that may fit it, not with all there are. `suspect` is what tells the names
    that one may fit from all others: what they are, end with or begin with, or a pattern.
    """

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self.anchored = [rule for rule in rules if not rule.by_name]
        tails: dict[FileKind, dict[bytes, list[int]]] = {
            "is": {},
            "ends": {},
            "starts": {},
            "fits": {},
        }
        for number, rule in enumerate(rules):
            with suppress(MalformedError):  # it fits nothing
                kind, texts = rule.tails
                for text in texts:
                    tails[kind].setdefault(text, []).append(number)
        ends, starts, fits = tuple(tails["ends"]), tuple(tails["starts"]), tails["fits"]
        self._fits = re.compile(b"|".join(fits), re.DOTALL).fullmatch if fits else None
        self.suspect = tails["is"], ends, starts, self._fits
        self._fitting = [number for numbers in fits.values() for number in numbers]
        # By their lengths: the cost of a name then grows with those, not with the texts.
        self._cuts = [(slice(None), tails["is"])]
        self._cuts += [
            (slice(-length, None), tails["ends"]) for length in set(map(len, ends))
        ]
        self._cuts += [
            (slice(length), tails["starts"]) for length in set(map(len, starts))
        ]

    def decides(self, path: bytes, name: bytes, folder: bool) -> Rule | None:
        """The last rule that fits `path`, whose last part is `name`; None if none does."""
        found = [*self._fitting] if self._fits is not None and self._fits(name) else []
        for cut, texts in self._cuts:
            found += texts.get(name[cut], ())
        for number in sorted(found, reverse=True):
            rule = self.rules[number]
            if (folder or not rule.folders_only) and rule.matches(name, path):
                return rule
        return None

    def below(self, prefix: bytes) -> Layer:
        """The layer for the folder `prefix` (from the root, ends in `/`): rules that can still fit."""
        if len(self.anchored) > _MANY:
            return self
        dead = {rule for rule in self.anchored if not rule.alive(prefix)}
        return (
            _layer(tuple(rule for rule in self.rules if rule not in dead))
            if dead
            else self
        )


_layer = lru_cache(maxsize=64)(Layer)


class Matcher:
    """The rules that can fit names in one folder: layers of git's and of others, weakest first."""

    def __init__(
        self, git: tuple[Layer, ...] = (), others: tuple[Layer, ...] = ()
    ) -> None:
        self._groups = git, others
        self.layers = git + others
        self.anchored = any(layer.anchored for layer in self.layers)

    def with_files(
        self, base: int, git: bytes | None, other: bytes | None = None
    ) -> Matcher:
        """This matcher and the rules of ignore files of the folder whose path is `base` bytes long."""
        groups = tuple(map(_layered, self._groups, (base, base), (git, other)))
        return Matcher(*groups) if groups != self._groups else self

    def below(self, prefix: bytes) -> Matcher:
        """The matcher for the folder `prefix` (from the root, ends in `/`): rules that can still fit."""
        if not self.anchored:
            return self
        groups = [
            tuple(below for layer in group if (below := layer.below(prefix)).rules)
            for group in self._groups
        ]
        return Matcher(*groups) if tuple(groups) != self._groups else self

    def kept(
        self,
        prefix: bytes,
        names: list[bytes],
        folders: bool,
        check: Callable[[], None] = lambda: None,
    ) -> list[bytes]:
        """The names in the folder `prefix` that are not ignored, in their order."""
        ignored = set(self.ignored(prefix, names, folders, check))
        return [name for name in names if name not in ignored] if ignored else names

    def ignored(
        self,
        prefix: bytes,
        names: list[bytes],
        folders: bool,
        check: Callable[[], None] = lambda: None,
    ) -> list[bytes]:
        """The others, in their order."""
        found = []
        for number, name in enumerate(self.suspects(names)):
            if number % _CHECKED == 0:
                check()
            decided = self.decides(prefix, name, folders)
            if decided is not None and not decided.negated:
                found.append(name)
        return found

    def suspects(self, names: list[bytes]) -> list[bytes]:
        """The names that a rule may fit, in their order; every other name is not ignored."""
        found: list[bytes] = []
        for layer in self.layers:
            exact, ends, starts, fits = layer.suspect
            for n in names:
                if (
                    n in exact
                    or n.endswith(ends)
                    or n.startswith(starts)
                    or (fits is not None and fits(n))
                ):
                    found.append(n)
        if len(self.layers) < 2 or not found:
            return found
        either = set(found)
        return [name for name in names if name in either]

    def decides(self, prefix: bytes, name: bytes, folder: bool) -> Rule | None:
        """The rule that says whether `name` in the folder `prefix` is ignored; None if none does.

        Given that the folder itself is not: what lies in an ignored one is.
        """
        path = prefix + name
        for layer in reversed(self.layers):
            if (decided := layer.decides(path, name, folder)) is not None:
                return decided
        return None


def _layered(
    layers: tuple[Layer, ...], base: int, content: bytes | None
) -> tuple[Layer, ...]:
    """The layers and the rules of one more file; into the last layer, unless there are many in it."""
    rules = _parse(content, base) if content else ()
    last = layers[-1].rules if layers else ()
    if rules and len(last) + len(rules) <= _MANY:
        return (*layers[:-1], Layer(last + rules))
    return (*layers, Layer(rules)) if rules else layers


NOTHING = Matcher()
"""Ignores nothing."""
