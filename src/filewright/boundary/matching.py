"""Ignore rules, read as git's `check-ignore --no-index` reads them.

From weakest to strongest: the global excludes file, `.git/info/exclude`, each
`.gitignore` from the root down, then each `.ignore` from the root down. The last rule
that matches decides; a name in an ignored folder is ignored whatever a rule below says.
Rules above the root are not read.

The names of a folder are tested in two steps: a cheap one that drops the names that no
rule's last part fits (sets, prefixes, suffixes), then git's own matching for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from filewright.boundary.wildmatch import MalformedError, translate

MAX_IGNORE_FILE_BYTES = 1 << 20
"""Longer ignore files are not read: only a hostile repository would have one."""

SPECIAL_CHARACTER = rb"[*?\[\\]"
_ONE_BRACKET = rb"([^*?\[\\]*)(?:\[(\w+)\]([^*?\[\\]*))?"
"""A text without wildcards but for one bracket of some letters."""

_MAX_PATTERN_BYTES = 4096
_MAX_LAYER_RULES = 200
_NAMES_BETWEEN_CHECKS = 256
_MAX_CACHED_BYTES = 8 << 10

TailKind = Literal["is", "ends", "starts", "fits"]


class Rule:
    """One line of an ignore file, or one glob.

    `text` is the pattern without its `!`, its leading slash and its trailing slash.
    `base` is the length of the path of the file's folder from the root, with its slash;
    0 at the root. With `counts_characters`, as for a glob, `?` matches a character
    instead of a byte, and `**` after a literal part is not matched on its own.
    """

    def __init__(
        self,
        pattern: bytes,
        is_negated: bool,
        base: int = 0,
        counts_characters: bool = False,
    ) -> None:
        """Make a rule of a pattern without its `!`."""
        text = pattern.removesuffix(b"/")
        self.text = text.removeprefix(b"/")
        self.is_negated = is_negated
        self.base = base
        self.folders_only = text != pattern
        self.by_name = b"/" not in text
        self.counts_characters = counts_characters

    def __str__(self) -> str:
        rule = self.text.decode("utf-8", "replace")
        if not self.by_name and b"/" not in self.text:
            rule = f"/{rule}"
        if self.is_negated:
            rule = f"!{rule}"
        if self.folders_only:
            rule += "/"
        return rule

    @cached_property
    def literal(self) -> bytes:
        """The text before the first wildcard, which is compared as it is."""
        special = re.search(SPECIAL_CHARACTER, self.text)
        return self.text[: special.start()] if special else self.text

    @cached_property
    def _expression(self) -> re.Pattern[bytes] | None:
        """The expression for the text after the literal; None if it fits nothing."""
        pattern = self.text
        if not self._matches_whole:
            # Git matches this part on its own, so `**` there counts as at a start.
            pattern = self.text[len(self.literal) :]
        try:
            return translate(pattern, self.counts_characters)
        except MalformedError:
            return None

    @property
    def _matches_whole(self) -> bool:
        return self.by_name or self.counts_characters

    def matches(self, name: bytes, path: bytes) -> bool:
        """Return True if the rule fits `path`, from the root, which ends in `name`."""
        literal = self.literal
        candidate = name if self.by_name else path[self.base :]
        if len(literal) == len(self.text):
            return literal == candidate
        if self._expression is None or not candidate.startswith(literal):
            return False
        start = 0 if self._matches_whole else len(literal)
        return self._expression.fullmatch(candidate, start) is not None

    def can_match(self) -> bool:
        """Return True if there may be a name that the rule fits."""
        if len(self.text) > _MAX_PATTERN_BYTES:
            return False
        if not {b"", b".", b".."}.isdisjoint(self.text.split(b"/")):
            return False
        # Without brackets and backslashes a pattern cannot be malformed.
        return (
            not re.search(rb"[\[\\]", self.text) or self._expression is not None
        )

    def can_match_below(self, prefix: bytes) -> bool:
        """Return True if the rule can fit a name in the folder `prefix` or deeper.

        `prefix` is from the root and ends in a slash.
        """
        below = prefix[self.base :]
        # Without `**` a rule fits paths of its own depth only.
        if b"**" not in self.text and below.count(b"/") > self.text.count(b"/"):
            return False
        literal = self.literal
        if literal.startswith(below):
            return True
        return len(literal) < len(self.text) and below.startswith(literal)

    @property
    def tails(self) -> Tails:
        """A necessary condition for the last part of each path that the rule fits.

        Raise `MalformedError`.
        """
        last_start = self.text.rfind(b"/") + 1
        folder_part, last_part = self.text[:last_start], self.text[last_start:]
        special = re.search(SPECIAL_CHARACTER, last_part)
        without_star = last_part.lstrip(b"*")
        # `a**/b` fits `ab`: git matches the text after a literal part on its own.
        is_loose = re.search(rb"[^/*]\*\*", folder_part) is not None
        if b"[" in folder_part or (folder_part and b"\\" in self.text):
            # The slash may be in brackets or behind a backslash, and then separates
            # nothing.
            without_star, is_loose = b"", True
        one_bracket = re.fullmatch(_ONE_BRACKET, without_star)
        if without_star and one_bracket is not None:
            before, letters, after = one_bracket.groups()
            texts = [without_star]
            if letters:
                texts = [
                    before + bytes((letter,)) + after for letter in letters
                ]
            kind: TailKind = "is"
            if is_loose or last_part.startswith(b"*"):
                kind = "ends"
            return Tails(kind, texts)
        if is_loose or b"**" in last_part or not without_star:
            # Any name may fit.
            return Tails("starts", [b""])
        if special is not None and special.start():
            return Tails("starts", [last_part[: special.start()]])
        return Tails(
            "fits", [translate(last_part, self.counts_characters).pattern]
        )


class Tails(NamedTuple):
    """A condition for a name: it is, ends with, starts with, or fits one of `texts`.

    For `fits` the texts are expressions for the whole name.
    """

    kind: TailKind
    texts: list[bytes]


def _parse_rules(content: bytes, base: int) -> tuple[Rule, ...]:
    """Return the rules of an ignore file, in its order; `base` is as for `Rule`."""
    # Short files are often equal, in many folders; long ones would fill the memory.
    if len(content) <= _MAX_CACHED_BYTES:
        return _parse_rules_cached(content, base)
    return _parse_rules_cached.__wrapped__(content, base)


@lru_cache(maxsize=64)
def _parse_rules_cached(content: bytes, base: int) -> tuple[Rule, ...]:
    rules = []
    # Of equal lines only the last one can decide.
    for line in reversed(dict.fromkeys(reversed(_parse_lines(content)))):
        is_negated = line.startswith(b"!")
        rule = Rule(line.removeprefix(b"!"), is_negated, base)
        if rule.text and len(rule.text) <= _MAX_PATTERN_BYTES:
            rules.append(rule)
    return tuple(rules)


def _parse_lines(content: bytes) -> list[bytes]:
    """Return the pattern of each line, up to a NUL; an empty one for a comment."""
    patterns = []
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if line.startswith(b"#"):
            patterns.append(b"")
        else:
            patterns.append(_trim(line.removesuffix(b"\r").split(b"\0", 1)[0]))
    return patterns


def _trim(line: bytes) -> bytes:
    """Return the line without trailing spaces, but for one behind a backslash."""
    trimmed = line.rstrip(b" ")
    backslashes = len(trimmed) - len(trimmed.rstrip(b"\\"))
    return line[: len(trimmed) + backslashes % 2]


def find_problem(content: bytes) -> str:
    """Return the reason why rules cannot be used, or an empty text.

    A line that can match nothing is one: what it was to close would be left open.
    """
    if b"\0" in content:
        return "holds NUL bytes: it must be UTF-8 text"
    # A comment or an empty line has no pattern.
    for number, pattern in enumerate(_parse_lines(content), 1):
        if not pattern:
            continue
        if not Rule(pattern.removeprefix(b"!"), is_negated=False).can_match():
            return f"has a rule in line {number} that can match nothing"
    return ""


class Layer:
    """Some rules, weakest first, indexed by the last part of the paths that they fit.

    The cost of a name grows with the rules that may fit it, not with all rules.
    """

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules
        self.anchored = [rule for rule in rules if not rule.by_name]
        numbers: dict[TailKind, dict[bytes, list[int]]] = {
            "is": {},
            "ends": {},
            "starts": {},
            "fits": {},
        }
        for number, rule in enumerate(rules):
            with suppress(MalformedError):  # It fits nothing.
                tails = rule.tails
                for text in tails.texts:
                    numbers[tails.kind].setdefault(text, []).append(number)
        self._names = numbers["is"]
        self._suffixes = tuple(numbers["ends"])
        self._prefixes = tuple(numbers["starts"])
        self._expression: re.Pattern[bytes] | None = None
        if numbers["fits"]:
            self._expression = re.compile(b"|".join(numbers["fits"]), re.DOTALL)
        self._expression_rules = [
            number for group in numbers["fits"].values() for number in group
        ]
        # By length: the cost of a name grows with the lengths, not with the texts.
        self._lookups = [(slice(None), numbers["is"])]
        for length in set(map(len, self._suffixes)):
            self._lookups.append((slice(-length, None), numbers["ends"]))
        for length in set(map(len, self._prefixes)):
            self._lookups.append((slice(length), numbers["starts"]))

    def candidates(self, names: list[bytes]) -> list[bytes]:
        """Return the names that a rule may fit, in their order."""
        exact, suffixes, prefixes = self._names, self._suffixes, self._prefixes
        fits = (
            self._expression.fullmatch if self._expression is not None else None
        )
        # Called for every name of a walk: one condition, the cheap tests first.
        return [
            name
            for name in names
            if name in exact
            or name.endswith(suffixes)
            or name.startswith(prefixes)
            or (fits is not None and fits(name))
        ]

    def deciding_rule(
        self, path: bytes, name: bytes, is_folder: bool
    ) -> Rule | None:
        """Return the last rule that fits `path`, whose last part is `name`, or None."""
        numbers: list[int] = []
        if self._expression is not None and self._expression.fullmatch(name):
            numbers += self._expression_rules
        for part, rules_by_text in self._lookups:
            numbers += rules_by_text.get(name[part], ())
        for number in sorted(numbers, reverse=True):
            rule = self.rules[number]
            if (is_folder or not rule.folders_only) and rule.matches(
                name, path
            ):
                return rule
        return None

    def below(self, prefix: bytes) -> Layer:
        """Return the layer for the folder `prefix`, without rules that cannot fit."""
        # To test each of so many rules in every folder would cost more than it saves.
        if len(self.anchored) > _MAX_LAYER_RULES:
            return self
        dead = {
            rule for rule in self.anchored if not rule.can_match_below(prefix)
        }
        if not dead:
            return self
        return _cached_layer(
            tuple(rule for rule in self.rules if rule not in dead)
        )


_cached_layer = lru_cache(maxsize=64)(Layer)


class Matcher:
    """The rules that can fit names in one folder.

    They are layers, weakest first: those of git's files, then those of other files.
    Every `prefix` is the path of a folder from the root and ends in a slash.
    """

    def __init__(
        self,
        git_layers: tuple[Layer, ...] = (),
        other_layers: tuple[Layer, ...] = (),
    ) -> None:
        self._git_layers = git_layers
        self._other_layers = other_layers
        self.layers = git_layers + other_layers
        self._has_anchored = any(layer.anchored for layer in self.layers)

    def with_files(
        self, base: int, git: bytes | None, other: bytes | None = None
    ) -> Matcher:
        """Return this matcher with the rules of a folder's ignore files added.

        `base` is the length of the folder's path; `git` and `other` are contents.
        """
        git_layers = _add_layer(self._git_layers, base, git)
        other_layers = _add_layer(self._other_layers, base, other)
        return self._with_layers(git_layers, other_layers)

    def below(self, prefix: bytes) -> Matcher:
        """Return the matcher for the folder `prefix`, without rules that cannot fit."""
        # Rules by name alone can fit at any depth.
        if not self._has_anchored:
            return self
        return self._with_layers(
            _layers_below(self._git_layers, prefix),
            _layers_below(self._other_layers, prefix),
        )

    def _with_layers(
        self, git_layers: tuple[Layer, ...], other_layers: tuple[Layer, ...]
    ) -> Matcher:
        if (
            git_layers == self._git_layers
            and other_layers == self._other_layers
        ):
            return self
        return Matcher(git_layers, other_layers)

    def filter_not_ignored(
        self,
        prefix: bytes,
        names: list[bytes],
        are_folders: bool,
        check: Callable[[], None] = lambda: None,
    ) -> list[bytes]:
        """Return the names in the folder `prefix` that are not ignored, in order."""
        ignored = set(self.filter_ignored(prefix, names, are_folders, check))
        if not ignored:
            return names
        return [name for name in names if name not in ignored]

    def filter_ignored(
        self,
        prefix: bytes,
        names: list[bytes],
        are_folders: bool,
        check: Callable[[], None] = lambda: None,
    ) -> list[bytes]:
        """Return the names in the folder `prefix` that are ignored, in order.

        `check` is called now and then, and may raise to end the work.
        """
        ignored = []
        for number, name in enumerate(self.candidates(names)):
            if number % _NAMES_BETWEEN_CHECKS == 0:
                check()
            rule = self.deciding_rule(prefix, name, are_folders)
            if rule is not None and not rule.is_negated:
                ignored.append(name)
        return ignored

    def candidates(self, names: list[bytes]) -> list[bytes]:
        """Return the names that a rule may fit, in order; no other name is ignored."""
        if len(self.layers) == 1:
            return self.layers[0].candidates(names)
        candidates: set[bytes] = set()
        for layer in self.layers:
            candidates.update(layer.candidates(names))
        return (
            [name for name in names if name in candidates] if candidates else []
        )

    def deciding_rule(
        self, prefix: bytes, name: bytes, is_folder: bool
    ) -> Rule | None:
        """Return the rule that decides whether `name` in `prefix` is ignored, or None.

        The folder itself must not be ignored: everything in an ignored one is.
        """
        path = prefix + name
        # The strongest layer first: its rule decides.
        for layer in reversed(self.layers):
            rule = layer.deciding_rule(path, name, is_folder)
            if rule is not None:
                return rule
        return None


def _add_layer(
    layers: tuple[Layer, ...], base: int, content: bytes | None
) -> tuple[Layer, ...]:
    """Return the layers with the rules of one more file.

    They join the last layer, unless it would become large.
    """
    rules = _parse_rules(content, base) if content else ()
    if not rules:
        return layers
    last_rules = layers[-1].rules if layers else ()
    # Few large layers are tested faster, but a layer is rebuilt for each file added.
    if len(last_rules) + len(rules) <= _MAX_LAYER_RULES:
        return (*layers[:-1], Layer(last_rules + rules))
    return (*layers, Layer(rules))


def _layers_below(
    layers: tuple[Layer, ...], prefix: bytes
) -> tuple[Layer, ...]:
    below = (layer.below(prefix) for layer in layers)
    return tuple(layer for layer in below if layer.rules)


NO_IGNORE_RULES = Matcher()
"""A matcher that ignores nothing."""
