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
A glob names things below that folder only: `..` is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from filewright.boundary.ignore import Matcher, Rule, Scoped
from filewright.boundary.names import shown
from filewright.boundary.wildmatch import MalformedError, translate
from filewright.errors import Code, FilewrightError

_ALTERNATIVES = 1000


class Globs:
    """Globs compiled for one walk: which names fit, and which folders may hold names that do."""

    def __init__(self, globs: Sequence[str]) -> None:
        wanted: list[Scoped] = []
        unwanted: list[Scoped] = []
        for glob in globs:
            text = glob.strip()
            negated = text.startswith("!")
            for alternative in _alternatives(text[negated:], glob):
                (unwanted if negated else wanted).append(Scoped(_rule(alternative, glob), 0))
        self.given = bool(wanted or unwanted)
        self._everything = not wanted
        self._wanted = Matcher(tuple(wanted), ())
        self._unwanted = Matcher(tuple(unwanted), ())

    def start(self) -> tuple[Matcher, Matcher]:
        """The state at the folder that is listed; `below` makes that of a folder in it."""
        return self._wanted, self._unwanted

    def fitting(
        self, state: tuple[Matcher, Matcher], prefix: bytes, names: list[bytes], folders: bool
    ) -> list[bytes]:
        """The names in the folder `prefix` (from the listed folder, ends in `/`) that fit, in their order."""
        wanted, unwanted = state
        kept = unwanted.kept(prefix, names, folders)
        if self._everything:
            return kept
        return [name for name in wanted.suspects(kept) if wanted.ignores(prefix, name, folders)]

    def entered(self, state: tuple[Matcher, Matcher], prefix: bytes, names: list[bytes]) -> list[bytes]:
        """The folders in the folder `prefix` that are not excluded, whether or not they fit themselves."""
        return state[1].kept(prefix, names, True)

    def below(self, state: tuple[Matcher, Matcher], prefix: bytes) -> tuple[Matcher, Matcher] | None:
        """The state in the folder `prefix`; None if nothing below it can fit."""
        wanted, unwanted = state[0].below(prefix), state[1].below(prefix)
        if not self._everything and not wanted.rules:
            return None
        return wanted, unwanted


def _rule(text: str, glob: str) -> Rule:
    try:
        pattern = text.encode()
        parts = pattern.split(b"/")
        if b".." in parts:
            raise FilewrightError(
                Code.PATH_ESCAPE,
                f"the glob {shown(glob)} climbs out of the folder with ..",
                hint="name the folder to look in as the path, and let the glob begin there",
                details={"glob": shown(glob)},
            )
        while pattern.startswith(b"./"):
            pattern = b"/" + pattern[2:].lstrip(b"/")
        folders_only = pattern.endswith(b"/")
        pattern = pattern.removesuffix(b"/")
        by_name = b"/" not in pattern
        pattern = pattern.removeprefix(b"/")
        if not pattern or b"\0" in pattern or b"//" in pattern:
            raise MalformedError
        translate(pattern)
    except (MalformedError, UnicodeEncodeError) as error:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"the glob {shown(glob)} is malformed",
            hint="close every [ and {, and write \\ before a character that is meant as it is",
            details={"glob": shown(glob)},
        ) from error
    if pattern == b"**":
        by_name = True
    return Rule(pattern, False, folders_only, by_name, characters=True)


def _alternatives(text: str, glob: str) -> list[str]:
    """`text` with its braces multiplied out."""
    results, position = _sequence(text, 0, glob, inside=False)
    if position != len(text):
        raise _unbalanced(glob)
    return results


def _sequence(text: str, position: int, glob: str, *, inside: bool) -> tuple[list[str], int]:
    results = [""]
    while position < len(text):
        character = text[position]
        if character == "\\" and position + 1 < len(text):
            results = [result + text[position : position + 2] for result in results]
            position += 2
            continue
        if character == "[":
            end = text.find("]", position + 2)
            if end > 0 and "/" not in text[position:end]:
                results = [result + text[position : end + 1] for result in results]
                position = end + 1
                continue
        if character == "{":
            choices: list[str] = []
            while True:
                choice, position = _sequence(text, position + 1, glob, inside=True)
                choices += choice
                if position >= len(text):
                    raise _unbalanced(glob)
                if text[position] == "}":
                    break
            if len(results) * len(choices) > _ALTERNATIVES:
                raise FilewrightError(
                    Code.TOO_LARGE,
                    f"the glob {shown(glob)} stands for more than {_ALTERNATIVES} alternatives",
                    hint="give several globs, or a broader one",
                    details={"glob": shown(glob)},
                )
            results = [result + choice for result in results for choice in choices]
            position += 1
            continue
        if inside and character in ",}":
            return results, position
        results = [result + character for result in results]
        position += 1
    return results, position


def _unbalanced(glob: str) -> FilewrightError:
    return FilewrightError(
        Code.INVALID_INPUT,
        f"the glob {shown(glob)} has a brace that is not closed",
        hint="close it, or write \\{ for the character itself",
        details={"glob": shown(glob)},
    )
