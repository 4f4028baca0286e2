"""Which names are meant: by ignore rules, as git's `check-ignore --no-index` reads them, and by callers' globs.

From weakest to strongest: the global excludes file, `.git/info/exclude`, each `.gitignore` from the
root down, then each `.ignore` from the root down. The last rule that matches decides; what lies in
an ignored folder is ignored whatever a rule below says. Rules above the root are not read.

A folder's names are tested in two steps: a cheap one that lets a name pass when no rule's last part
fits it (sets, prefixes, suffixes), and git's own matching for the few that are left.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from filewright.boundary.location import printable_path, quote
from filewright.boundary.wildmatch import MalformedError, translate
from filewright.errors import Code, FilewrightError

FILE_BYTES = 1 << 20
"""Longer ignore files are not read: no one writes them, but a hostile repository might."""

_PATTERN_BYTES = 4096
_SPECIAL = rb"[*?\[\\]"
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
        special = re.search(_SPECIAL, self.text)
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
        special, plain = re.search(_SPECIAL, last), last.lstrip(b"*")
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


# Globs

_CLIMBS = rb"(?:\\?\.|\[\\?\.\]){2}|\.\.\\.*"
_FROM_THE_TOP = r"(?:/|(?=~/)|(?=[A-Za-z]:[/\\]))([^/\\*?\[{]+)"
_PIECES = r"(?s)[{},]|[^\\\[{},]+|\\.|\[[^/][^\]/]{0,250}\]|."
_ALTERNATIVES = 1000
_FORMS: Sequence[Literal["NFC", "NFD"]] = ("NFC", "NFD")
_MAX_MIXED_FORMS = 16
"""Forms of a glob in which each name has its own; past that all names have the same."""

_CHARACTERS = 1 << 20
_SHOWN = 500
_ROUTE = re.compile(r"\[{1,2}(?:\.{3})?\w{2,}\]{1,2}(?:\.\w+)*")
"""A name of a route in brackets, as web frameworks have them: `[id]`, `[...slug].tsx`, `[[...slug]]`."""
_ELSEWHERE = "name the folder to look in as the path, and let the glob begin there"


class Globs(NamedTuple):
    r"""Which names in one folder fit some globs, and which folders in it may hold names that do.

    `wanted` is None where everything is that is not `unwanted`; both go by paths from the root, as ignore rules do.
    This is the one syntax in which callers say which names below a folder they mean:

    ========== =============================================================================
    `*` `?`    any characters, one character; never a slash
    `[a-z]`    one of these, `[!a-z]` none of these, `[[:digit:]]` a class
    `**`       any number of folders, none included: `src/**/*.py`, `**/test_*`, `docs/**`
    `{a,b}`    either: `*.{js,ts}`; may be nested
    `\`        takes the next character as it is
    `x/`       at the end: folders only
    `!glob`    at the start: all but these; an excluded folder is not entered
    ========== =============================================================================

    A glob without a slash fits names at any depth (`*.py`); one with a slash, and one that begins with
    a slash, starts from the folder that is listed. Names that begin with a dot are like any others.
    A letter with marks fits its composed form and its decomposed one (é, ü, Hangul).
    Brackets are meant as they are where that path is there (`app/[id]/page.tsx`), and behind a wildcard the name of a
    route in brackets is, too.
    One that begins with the end of that folder's own path, as `src/*.py` in `lib/src`, starts from it too where nothing
    in it is so named.
    A glob names things below that folder only: `..` is refused, and so is a path from the top, which is taken
    for one where nothing in the folder has the name that it begins with.
    """

    wanted: Matcher | None = None
    unwanted: Matcher = NOTHING

    @staticmethod
    def of(
        globs: Iterable[str],
        parts: Sequence[bytes],
        base: int,
        has: Callable[[bytes], bool],
        has_path: Callable[[Sequence[bytes]], bool] = lambda _parts: False,
    ) -> Globs:
        """The globs as they are for the folder that is listed, at the path `parts`, which `has` such names in it, and
        paths below it; its path from the root without links has `base` bytes with its slash.

        Raises `invalid_input`, `too_large` and `path_escape`.
        """
        rules: dict[bool, list[Rule]] = {False: [], True: []}
        for glob in globs:
            text = glob.strip()
            negated = text.startswith("!")
            below = _below(text[negated:], parts, has)
            for alternative in _alternatives(below, glob):
                for pattern in _with_brackets(alternative, has_path):
                    rules[negated] += [
                        _rule(form, glob, base) for form in _normal_forms(pattern)
                    ]
            top = re.match(_FROM_THE_TOP, text)
            if top is not None and not has(name := os.fsencode(top[1])):
                why = "is absolute: it begins in the folder that is looked through, which has nothing named"
                raise _refused(
                    glob, f"{why} {quote(name)}", _ELSEWHERE, Code.PATH_ESCAPE
                )
        wanted, unwanted = (
            Matcher((Layer(tuple(each)),)) if each else None for each in rules.values()
        )
        return Globs(wanted, unwanted or NOTHING)

    def below(self, prefix: bytes) -> Globs | None:
        """These for the folder `prefix` (from the root, ends in `/`); None if nothing below it can fit."""
        wanted = self.wanted.below(prefix) if self.wanted is not None else None
        return (
            Globs(wanted, self.unwanted.below(prefix))
            if wanted is None or wanted.layers
            else None
        )


def _below(text: str, parts: Sequence[bytes], has: Callable[[bytes], bool]) -> str:
    """The text of a glob from the folder on, whose path is `parts`: less the end of that path, if the text begins with
    it and nothing in the folder is so named."""
    for count in range(len(parts), 0, -1):
        above = os.fsdecode(b"/".join(parts[-count:])) + "/"
        here = (
            len(text) > len(above)
            and text.startswith(above)
            and not re.search(r"[*?\[{\\]", above)
        )
        if here and not has(parts[-count]):
            return f"./{text[len(above) :]}"
    return text


def _with_brackets(
    text: str, has_path: Callable[[Sequence[bytes]], bool]
) -> tuple[str, ...]:
    """Return a glob with its brackets as they are meant: as text where such a path is there, else as a class.

    Where a wildcard or a class comes before, a name that looks like a route's is meant in both ways.
    """
    if "[" not in text:
        return (text,)
    start = re.match(r"(?:\.?/)*", text)
    prefix = start[0] if start is not None else ""
    parts = text[len(prefix) :].split("/")
    names: list[bytes] | None = [] if prefix or "/" in text.rstrip("/") else None
    as_class, as_text = [], []
    for part in parts:
        literal = re.sub(r"[\[\]]", r"\\\g<0>", part)
        if names is None and _ROUTE.fullmatch(part):
            as_class.append(part)
            as_text.append(literal)
            continue
        if "[" in part and names is not None and not re.search(r"[*?\\]", part):
            names.append(os.fsencode(part))
            if has_path(names):
                part = literal
            else:
                names = None
        elif re.search(_SPECIAL.decode(), part):
            names = None
        elif names is not None:
            names.append(os.fsencode(part))
        as_class.append(part)
        as_text.append(part)
    return tuple(
        dict.fromkeys((prefix + "/".join(as_class), prefix + "/".join(as_text)))
    )


def _normal_forms(text: str) -> list[str]:
    """Return a glob in the normal forms that a disk may have its names in, each name of it in either; itself first."""
    if text.isascii():
        return [text]
    names = []
    for name in text.split("/"):
        forms = (
            [name]
            if "[" in name
            else [name, *(unicodedata.normalize(form, name) for form in _FORMS)]
        )
        names.append(list(dict.fromkeys(forms)))
    if prod(map(len, names)) > _MAX_MIXED_FORMS:
        return list(
            dict.fromkeys(
                [text, *(unicodedata.normalize(form, text) for form in _FORMS)]
            )
        )
    return ["/".join(each) for each in product(*names)]


def _rule(text: str, glob: str, base: int) -> Rule:
    try:
        pattern = text.encode()
        parts = pattern.split(b"/")
        if any(re.fullmatch(_CLIMBS, part) for part in parts):
            raise _refused(
                glob, "climbs out of the folder with ..", _ELSEWHERE, Code.PATH_ESCAPE
            )
        while pattern.startswith(b"./"):
            pattern = b"/" + pattern[2:].lstrip(b"/")
        rule = Rule(pattern, negated=False, base=base, characters=True)
        if not rule.text or b"\0" in pattern or b"//" in rule.text:
            raise MalformedError
        if re.search(_SPECIAL, rule.text):
            translate(rule.text)
    except (MalformedError, UnicodeEncodeError) as error:
        hint = "close every [ and {, and write \\ before a character that is meant as it is"
        raise _refused(glob, "is malformed", hint) from error
    rule.by_name = rule.by_name or rule.text == b"**"
    return rule


def _alternatives(text: str, glob: str) -> list[str]:
    """`text` with its braces multiplied out."""
    # For each brace that is open, the outermost first: the alternatives before its last comma, and those behind it.
    open_: list[tuple[list[str], list[str]]] = [([], [""])]
    for piece in re.findall(_PIECES, text):
        done, making = open_[-1]
        if piece == "{":
            open_.append(([], [""]))
        elif piece in (",", "}") and len(open_) > 1:
            done += making
            open_[-1] = done, [""]
            if piece == "}":
                open_.pop()
                open_[-1] = open_[-1][0], _multiplied(open_[-1][1], done, glob)
        else:
            open_[-1] = done, _multiplied(making, [piece], glob)
    if len(open_) > 1:
        hint = "close it, or write \\{ for the character itself"
        raise _refused(glob, "has a brace that is not closed", hint)
    return open_[0][1]


def _multiplied(results: list[str], choices: list[str], glob: str) -> list[str]:
    count = len(results) * len(choices)
    length = len(choices) * sum(map(len, results)) + len(results) * sum(
        map(len, choices)
    )
    if count > _ALTERNATIVES or length > _CHARACTERS:
        many = (
            f"{_ALTERNATIVES} alternatives"
            if count > _ALTERNATIVES
            else f"{_CHARACTERS} characters"
        )
        raise _refused(
            glob,
            f"makes more than {many}",
            "give several globs, or a broader one",
            Code.TOO_LARGE,
        )
    return [result + choice for result in results for choice in choices]


def _refused(
    glob: str, why: str, hint: str, code: Code = Code.INVALID_INPUT
) -> FilewrightError:
    named = printable_path(glob if len(glob) <= _SHOWN else glob[:_SHOWN] + "…")
    return FilewrightError(code, f"the glob {named} {why}", hint, glob=named)
