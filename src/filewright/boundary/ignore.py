"""Ignore rules: which names git's `check-ignore --no-index` would call ignored.

From weakest to strongest: the global excludes file, `.git/info/exclude`, each `.gitignore` from the
root down, then each `.ignore` from the root down. The last rule that matches decides; what lies in
an ignored folder is ignored whatever a rule below says. Rules above the root are not read.

A folder's names are tested in two steps: a cheap one that lets a name pass when no rule's last part
fits it (sets, prefixes, suffixes), and git's own matching for the few that are left.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from filewright.boundary.wildmatch import MalformedError, bracket, source, translate

FILE_BYTES = 1 << 20
"""Longer ignore files are not read: no one writes them, but a hostile repository might."""

_PATTERN_BYTES = 4096
_SPECIAL = re.compile(rb"[*?\[\\]")
_EXPANDED = 16
_MANY = 200
_FEW = 4
_SMALLER = 64
_CHECKED = 256
_CACHE_BYTES = 512 << 10
Lengths = tuple[tuple[int, dict[bytes, list[int]]], ...]
_NEVER: list[re.Pattern[bytes] | None] = [None]  # shared: a literal has nothing to compile
_IS, _ENDS, _STARTS, _FITS = "is", "ends", "starts", "fits"


@dataclass(frozen=True, eq=False, slots=True)
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
    literal: bytes = field(init=False)
    """What precedes the first wildcard: compared as it is."""
    _compiled: list[re.Pattern[bytes] | None] = field(init=False, default_factory=list)

    def __str__(self) -> str:
        start = "!" * self.negated + "/" * (not self.by_name and b"/" not in self.text)
        return start + self.text.decode("utf-8", "replace") + "/" * self.folders_only

    def __post_init__(self) -> None:
        special = _SPECIAL.search(self.text)
        literal = self.text[: special.start()] if special else self.text
        object.__setattr__(self, "literal", literal)
        if special is None:
            object.__setattr__(self, "_compiled", _NEVER)

    @property
    def _rest(self) -> re.Pattern[bytes] | None:
        if not self._compiled:
            try:
                # Git matches what follows the literal part on its own, so `**` there counts as at a start.
                whole = self.by_name or self.characters
                text = self.text if whole else self.text[len(self.literal) :]
                self._compiled.append(translate(text, self.characters))
            except MalformedError:
                self._compiled.append(None)
        return self._compiled[0]

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

    @property
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
            if start := last[: _SPECIAL.search(last).start()]:  # type: ignore[union-attr]
                return ((_STARTS, start),)
        if (end := _plain_end(last)) and b"\\" not in last:
            return ((_ENDS, end),)
        if loose or b"**" in last:
            return ((_FITS, b".*"),)
        try:
            return ((_FITS, source(last, self.characters)),)
        except MalformedError:
            return ()


def _plain_end(text: bytes) -> bytes:
    """What follows the last wildcard: a name that the text fits ends in it."""
    end = max(text.rfind(each) for each in (b"*", b"?", b"]"))
    return text[end + 1 :] if b"[" not in text[end + 1 :] else b""


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


class _Parsed:
    """The rules of ignore files read lately, by content; bounded by the bytes of the contents."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._known: OrderedDict[bytes, tuple[Rule, ...]] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def rules(self, content: bytes) -> tuple[Rule, ...]:
        """The rules of an ignore file, in its order."""
        with self._lock:
            known = self._known.get(content)
            if known is not None:
                self._known.move_to_end(content)
                return known
        found = _rules_of(content)
        if len(content) <= self._limit // 4:
            with self._lock:
                if content not in self._known:
                    self._known[content] = found
                    self._bytes += len(content)
                while self._bytes > self._limit:
                    oldest, _ = self._known.popitem(last=False)
                    self._bytes -= len(oldest)
        return found


parse = _Parsed(_CACHE_BYTES).rules


def _rules_of(content: bytes) -> tuple[Rule, ...]:
    rules = []
    # A line that is there again later decides nothing where it stands first.
    lines = dict.fromkeys(reversed(content.removeprefix(b"\xef\xbb\xbf").split(b"\n")))
    for line in reversed(lines):
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
    """The line without trailing spaces, unless a backslash comes before them."""
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


@dataclass(frozen=True, slots=True)
class Scoped:
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
        self._paths: dict[tuple[int, bytes], list[int]] = {}
        self._is: dict[bytes, list[int]] = {}
        ends: dict[bytes, list[int]] = {}
        starts: dict[bytes, list[int]] = {}
        fits: list[bytes] = []
        self._fitting: list[int] = []
        for number, scoped in enumerate(rules):
            rule = scoped.rule
            if not rule.by_name and len(rule.literal) == len(rule.text):
                self._paths.setdefault((scoped.base, rule.text), []).append(number)
                self._is.setdefault(rule.text.rpartition(b"/")[2], [])
                continue
            for kind, text in rule.tails:
                if kind == _FITS:
                    fits.append(text)
                    self._fitting.append(number)
                else:
                    {_IS: self._is, _ENDS: ends, _STARTS: starts}[kind].setdefault(text, []).append(number)
        self._bases = sorted({base for base, _ in self._paths})
        self._ends, self._starts = tuple(ends), tuple(starts)
        self._ends_by, self._starts_by = _by_length(ends), _by_length(starts)
        self._many = len(ends) + len(starts) > _MANY
        self._fits = re.compile(b"|".join(dict.fromkeys(fits)), re.DOTALL) if fits else None
        self._smaller: dict[tuple[bool, ...], Layer] = {}

    def suspects(self, names: Iterable[bytes]) -> list[bytes]:
        """The names that a rule may fit; no rule fits any other."""
        exact, ends, starts = self._is, self._ends, self._starts
        if self._many:
            return [n for n in names if n in exact or self._may_fit(n)]
        if self._fits is not None:
            fits = self._fits.fullmatch
            return [n for n in names if n in exact or n.endswith(ends) or n.startswith(starts) or fits(n)]
        if starts:
            return [n for n in names if n in exact or n.endswith(ends) or n.startswith(starts)]
        if ends:
            return [n for n in names if n in exact or n.endswith(ends)]
        return [n for n in names if n in exact]

    def _may_fit(self, name: bytes) -> bool:
        return (
            any(name[:length] in texts for length, texts in self._starts_by)
            or any(name[max(0, len(name) - length) :] in texts for length, texts in self._ends_by)
            or (self._fits is not None and self._fits.fullmatch(name) is not None)
        )

    def decides(self, path: bytes, name: bytes, folder: bool) -> Scoped | None:
        """The last rule that fits `path`, whose last part is `name`; None if none does."""
        if len(self.rules) <= _FEW:
            return self._decided(range(len(self.rules) - 1, -1, -1), path, name, folder)
        found = list(self._is.get(name, ()))
        for base in self._bases:
            found += self._paths.get((base, path[base:]), ())
        for length, texts in self._starts_by:
            found += texts.get(name[:length], ())
        for length, texts in self._ends_by:
            found += texts.get(name[max(0, len(name) - length) :], ())
        if self._fits is not None and self._fits.fullmatch(name):
            found += self._fitting
        found.sort(reverse=True)
        return self._decided(found, path, name, folder)

    def _decided(self, numbers: Iterable[int], path: bytes, name: bytes, folder: bool) -> Scoped | None:
        for number in numbers:
            scoped = self.rules[number]
            rule = scoped.rule
            if rule.folders_only and not folder:
                continue
            if rule.matches(name, path if rule.by_name else path[scoped.base :]):
                return scoped
        return None

    def below(self, prefix: bytes) -> Layer:
        """The layer for the folder `prefix` (from the root, ends in `/`): rules that can still fit."""
        if not self.anchored or len(self.anchored) > _MANY:
            return self
        alive = tuple(scoped.rule.alive(prefix[scoped.base :]) for scoped in self.anchored)
        if all(alive):
            return self
        smaller = self._smaller.get(alive)
        if smaller is None:
            dead = {id(scoped) for scoped, is_alive in zip(self.anchored, alive, strict=True) if not is_alive}
            smaller = Layer(tuple(scoped for scoped in self.rules if id(scoped) not in dead))
            if len(self._smaller) < _SMALLER:
                self._smaller[alive] = smaller
        return smaller


class Matcher:
    """The rules that can fit names in one folder: layers, weakest first; `.ignore` outweighs git's."""

    def __init__(self, git: tuple[Layer, ...], others: tuple[Layer, ...]) -> None:
        self._git = git
        self._others = others
        self._layers = git + others
        self.anchored = any(layer.anchored for layer in self._layers)

    def __bool__(self) -> bool:
        return bool(self._layers)

    def with_files(self, base: int, git: bytes | None, other: bytes | None) -> Matcher:
        """This matcher and the rules of ignore files of the folder whose path is `base` bytes long."""
        mine, theirs = _layered(self._git, base, git), _layered(self._others, base, other)
        return Matcher(mine, theirs) if mine is not self._git or theirs is not self._others else self

    def below(self, prefix: bytes) -> Matcher:
        """The matcher for the folder `prefix` (from the root, ends in `/`): rules that can still fit."""
        if not self.anchored:
            return self
        git = tuple(below for layer in self._git if (below := layer.below(prefix)).rules)
        others = tuple(below for layer in self._others if (below := layer.below(prefix)).rules)
        return self if (git, others) == (self._git, self._others) else Matcher(git, others)

    def kept(
        self, prefix: bytes, names: list[bytes], folders: bool, check: Callable[[], None] = lambda: None
    ) -> list[bytes]:
        """The names in the folder `prefix` that are not ignored, in their order."""
        suspects = self.suspects(names) if names and self._layers else None
        if not suspects:
            return names
        ignored: set[bytes] = set()
        for number, name in enumerate(suspects):
            if number % _CHECKED == 0:
                check()
            if self.ignores(prefix, name, folders):
                ignored.add(name)
        return [name for name in names if name not in ignored] if ignored else names

    def suspects(self, names: list[bytes]) -> list[bytes]:
        """The names that a rule may fit, in their order; every other name is not ignored."""
        if len(self._layers) == 1:
            return self._layers[0].suspects(names)
        found: set[bytes] = set()
        for layer in self._layers:
            found.update(layer.suspects(names))
        return [name for name in names if name in found] if found else []

    def ignores(self, prefix: bytes, name: bytes, folder: bool) -> bool:
        """Whether `name` in the folder `prefix` is ignored, given that the folder itself is not."""
        decided = self.decides(prefix, name, folder)
        return decided is not None and not decided.rule.negated

    def decides(self, prefix: bytes, name: bytes, folder: bool) -> Scoped | None:
        """The rule that says whether `name` in the folder `prefix` is ignored; None if none does."""
        path = prefix + name
        for layer in reversed(self._layers):
            decided = layer.decides(path, name, folder)
            if decided is not None:
                return decided
        return None


def _layered(layers: tuple[Layer, ...], base: int, content: bytes | None) -> tuple[Layer, ...]:
    """The layers and the rules of one more file; into the last layer, unless there are many in it."""
    rules = tuple(Scoped(rule, base) for rule in parse(content)) if content else ()
    if not rules:
        return layers
    if layers and len(layers[-1].rules) + len(rules) <= _MANY:
        return (*layers[:-1], Layer(layers[-1].rules + rules))
    return (*layers, Layer(rules))


def _by_length(texts: Mapping[bytes, list[int]]) -> Lengths:
    """The texts by their length: the cost of a name then grows with the lengths, not the texts."""
    found: dict[int, dict[bytes, list[int]]] = {}
    for text, numbers in texts.items():
        found.setdefault(len(text), {})[text] = numbers
    return tuple(sorted(found.items()))


NOTHING = Matcher((), ())
"""Ignores nothing."""
