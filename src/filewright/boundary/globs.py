"""Globs: the one syntax in which callers say which names below a folder they mean."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Literal, NamedTuple

from filewright.boundary.matching import NOTHING, SPECIAL, Layer, Matcher, Rule
from filewright.boundary.names import printable_path, quote
from filewright.boundary.wildmatch import MalformedError, translate
from filewright.errors import Code, FilewrightError

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
        elif re.search(SPECIAL.decode(), part):
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
        if re.search(SPECIAL, rule.text):
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
