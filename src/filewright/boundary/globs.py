r"""Globs: the one syntax in which callers say which names below a folder they mean.

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
A glob names things below that folder only: `..` is refused, and so is a path from the top, which is taken
for one where nothing in the folder has the name that it begins with.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from filewright.boundary.ignore import NOTHING, Layer, Matcher, Rule, Scoped
from filewright.boundary.location import quote, shown
from filewright.boundary.wildmatch import MalformedError, translate
from filewright.errors import Code, FilewrightError

_CLIMBS = re.compile(rb"(?:\\?\.|\[\\?\.\]){2}|\.\.\\.*")
_FROM_THE_TOP = re.compile(r"(?:/|(?=~/)|(?=[A-Za-z]:[/\\]))([^/\\*?\[{]+)")
_WILDCARDS = re.compile(rb"[*?\[\\]")
_PIECES = re.compile(r"[{},]|[^\\\[{},]+|\\.|\[[^/][^\]/]{0,250}\]|.", re.DOTALL)
_ALTERNATIVES = 1000
_CHARACTERS = 1 << 20
_SHOWN = 500
_ELSEWHERE = "name the folder to look in as the path, and let the glob begin there"


class Globs:
    """Which names in one folder fit some globs, and which folders in it may hold names that do.

    `wanted` is None where everything is that is not `unwanted`.
    """

    def __init__(self, wanted: Matcher | None = None, unwanted: Matcher = NOTHING) -> None:
        self._wanted, self._unwanted = wanted, unwanted
        self.given = wanted is not None or bool(unwanted)

    @staticmethod
    def of(globs: Sequence[str]) -> Globs:
        """The globs as they are for the folder that is listed."""
        rules: dict[bool, list[Scoped]] = {False: [], True: []}
        for glob in globs:
            text = glob.strip()
            negated = text.startswith("!")
            rules[negated] += [Scoped(_rule(each, glob), 0) for each in _alternatives(text[negated:], glob)]
        wanted, unwanted = (Matcher((Layer(tuple(each)),)) if each else NOTHING for each in rules.values())
        return Globs(wanted or None, unwanted)

    def fitting(
        self, prefix: bytes, names: list[bytes], folders: bool, check: Callable[[], None] = lambda: None
    ) -> list[bytes]:
        """The names in the folder `prefix` (from the listed folder, ends in `/`) that fit, in their order."""
        kept = self._unwanted.kept(prefix, names, folders, check)
        return kept if self._wanted is None else self._wanted.ignored(prefix, kept, folders, check)

    def entered(self, prefix: bytes, folders: list[bytes]) -> list[bytes]:
        """The folders in the folder `prefix` that may hold what fits, whether they do themselves or not."""
        return self._unwanted.kept(prefix, folders, True)

    def below(self, prefix: bytes) -> Globs | None:
        """These for the folder `prefix`; None if nothing below it can fit."""
        wanted = self._wanted.below(prefix) if self._wanted is not None else None
        return Globs(wanted, self._unwanted.below(prefix)) if wanted is None or wanted else None


def require_below(globs: Sequence[str], has: Callable[[bytes], bool]) -> None:
    """Raise `path_escape` for a glob that begins with a slash and a name that the folder does not have."""
    for glob in globs:
        top = _FROM_THE_TOP.match(glob.strip())
        if top is not None and not has(name := os.fsencode(top[1])):
            why = f"is absolute: it begins in the folder that is looked through, which has nothing named {quote(name)}"
            raise _refused(glob, why, _ELSEWHERE, Code.PATH_ESCAPE)


def _rule(text: str, glob: str) -> Rule:
    try:
        pattern = text.encode()
        parts = pattern.split(b"/")
        if any(map(_CLIMBS.fullmatch, parts)):
            raise _refused(glob, "climbs out of the folder with ..", _ELSEWHERE, Code.PATH_ESCAPE)
        while pattern.startswith(b"./"):
            pattern = b"/" + pattern[2:].lstrip(b"/")
        folders_only = pattern.endswith(b"/")
        pattern = pattern.removesuffix(b"/")
        by_name = b"/" not in pattern
        pattern = pattern.removeprefix(b"/")
        if not pattern or b"\0" in pattern or b"//" in pattern:
            raise MalformedError
        if _WILDCARDS.search(pattern):
            translate(pattern)
    except (MalformedError, UnicodeEncodeError) as error:
        hint = "close every [ and {, and write \\ before a character that is meant as it is"
        raise _refused(glob, "is malformed", hint) from error
    if pattern == b"**":
        by_name = True
    return Rule(pattern, False, folders_only, by_name, characters=True)


def _alternatives(text: str, glob: str) -> list[str]:
    """`text` with its braces multiplied out."""
    # For each brace that is open, the outermost first: the alternatives before its last comma, and those behind it.
    open_: list[tuple[list[str], list[str]]] = [([], [""])]
    for piece in _PIECES.findall(text):
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
    length = len(choices) * sum(map(len, results)) + len(results) * sum(map(len, choices))
    if count > _ALTERNATIVES or length > _CHARACTERS:
        many = f"{_ALTERNATIVES} alternatives" if count > _ALTERNATIVES else f"{_CHARACTERS} characters"
        raise _refused(
            glob, f"makes more than {many}", "give several globs, or a broader one", Code.TOO_LARGE
        )
    return [result + choice for result in results for choice in choices]


def _refused(glob: str, why: str, hint: str, code: Code = Code.INVALID_INPUT) -> FilewrightError:
    named = shown(glob if len(glob) <= _SHOWN else glob[:_SHOWN] + "…")
    return FilewrightError(code, f"the glob {named} {why}", hint, glob=named)
