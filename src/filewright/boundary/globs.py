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

from filewright.boundary.ignore import Layer, Matcher, Rule, Scoped
from filewright.boundary.location import quote, shown
from filewright.boundary.wildmatch import MalformedError, translate
from filewright.errors import Code, FilewrightError

_CLIMBS = re.compile(rb"(?:\\?\.|\[\\?\.\]){2}|\.\.\\.*")
_FROM_THE_TOP = re.compile(r"(?:/|(?=~/)|(?=[A-Za-z]:[/\\]))([^/\\*?\[{]+)")
_WILDCARDS = re.compile(rb"[*?\[\\]")
_ALTERNATIVES = 1000
_CHARACTERS = 1 << 20
_DEPTH = 50
_BRACKET = 4096
_SHOWN = 500
_ELSEWHERE = "name the folder to look in as the path, and let the glob begin there"


class Globs:
    """Globs compiled for one walk: which names fit, and which folders may hold names that do."""

    def __init__(self, globs: Sequence[str]) -> None:
        wanted: list[Scoped] = []
        unwanted: list[Scoped] = []
        self._tops: list[tuple[str, bytes]] = []
        for glob in globs:
            text = glob.strip()
            negated = text.startswith("!")
            for alternative in _alternatives(text[negated:], glob):
                (unwanted if negated else wanted).append(Scoped(_rule(alternative, glob), 0))
            if top := _FROM_THE_TOP.match(text):
                self._tops.append((glob, os.fsencode(top[1])))
        self.given = bool(wanted or unwanted)
        self._everything = not wanted
        self._wanted, self._unwanted = (
            Matcher((Layer(tuple(rules)),) if rules else ()) for rules in (wanted, unwanted)
        )

    def require_below(self, has: Callable[[bytes], bool]) -> None:
        """Raise `path_escape` for a glob that begins with a slash and a name that the folder does not have."""
        for glob, name in self._tops:
            if not has(name):
                why = (
                    "is absolute: it begins in the folder that is looked through, which "
                    f"has nothing named {quote(name)}"
                )
                raise _refused(glob, why, _ELSEWHERE, Code.PATH_ESCAPE)

    def start(self) -> tuple[Matcher, Matcher]:
        """The state at the folder that is listed; `below` makes that of a folder in it."""
        return self._wanted, self._unwanted

    def fitting(
        self,
        state: tuple[Matcher, Matcher],
        prefix: bytes,
        names: list[bytes],
        folders: bool,
        check: Callable[[], None] = lambda: None,
    ) -> list[bytes]:
        """The names in the folder `prefix` (from the listed folder, ends in `/`) that fit, in their order."""
        wanted, unwanted = state
        kept = unwanted.kept(prefix, names, folders, check)
        return kept if self._everything else wanted.ignored(prefix, kept, folders, check)

    def below(self, state: tuple[Matcher, Matcher], prefix: bytes) -> tuple[Matcher, Matcher] | None:
        """The state in the folder `prefix`; None if nothing below it can fit."""
        wanted, unwanted = state[0].below(prefix), state[1].below(prefix)
        if not self._everything and not wanted:
            return None
        return wanted, unwanted


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
    results, position = _sequence(text, 0, glob, depth=0)
    if position != len(text):
        raise _unbalanced(glob)
    return results


def _sequence(text: str, position: int, glob: str, *, depth: int) -> tuple[list[str], int]:
    """The alternatives of `text` from `position` on: to its end, or inside braces to `,` or `}`."""
    results = [""]
    plain = position  # Where the text begins that is not in the results yet.
    while position < len(text):
        character = text[position]
        if character == "\\" and position + 1 < len(text):
            position += 2
        elif character == "[" and (end := _bracket_end(text, position)):
            position = end
        elif character == "{":
            if depth == _DEPTH:
                raise _too_much(glob, f"nests braces more than {_DEPTH} deep")
            before = text[plain:position]
            choices: list[str] = []
            while True:
                choice, position = _sequence(text, position + 1, glob, depth=depth + 1)
                choices += choice
                if position >= len(text):
                    raise _unbalanced(glob)
                if text[position] == "}":
                    break
            position += 1
            plain = position
            results = _multiplied(results, [before + choice for choice in choices], glob)
        elif depth and character in ",}":
            break
        else:
            position += 1
    return _multiplied(results, [text[plain:position]], glob), position


def _multiplied(results: list[str], choices: list[str], glob: str) -> list[str]:
    if len(results) * len(choices) > _ALTERNATIVES:
        raise _too_much(glob, f"makes more than {_ALTERNATIVES} alternatives")
    length = len(choices) * sum(map(len, results)) + len(results) * sum(map(len, choices))
    if length > _CHARACTERS:
        raise _too_much(glob, f"makes more than {_CHARACTERS} characters")
    return [result + choice for result in results for choice in choices]


def _bracket_end(text: str, position: int) -> int:
    """Behind the bracket that begins at `position`; 0 if it is none."""
    end = text.find("]", position + 2, position + _BRACKET)
    return end + 1 if end > 0 and "/" not in text[position:end] else 0


def _too_much(glob: str, why: str) -> FilewrightError:
    return _refused(glob, why, "give several globs, or a broader one", Code.TOO_LARGE)


def _unbalanced(glob: str) -> FilewrightError:
    hint = "close it, or write \\{ for the character itself"
    return _refused(glob, "has a brace that is not closed", hint)


def _refused(glob: str, why: str, hint: str, code: Code = Code.INVALID_INPUT) -> FilewrightError:
    named = shown(glob if len(glob) <= _SHOWN else glob[:_SHOWN] + "…")
    return FilewrightError(code, f"the glob {named} {why}", hint, glob=named)
