"""File names in the headers of a diff: quoted or not, with prefixes or not, a time behind them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from filewright.boundary import quote, unquote

NO_FILE = "/dev/null"
_EPOCH = re.compile(r"(1970-01-01|1969-12-31)[ T]\d\d:\d\d:\d\d")
_TIME = re.compile(r" {1,4}\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[^/]*$")
_LONG = 5_000
_PREFIXES = frozenset("abciwo12")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


@dataclass(frozen=True, slots=True)
class Names:
    """The two names of a ``diff --git`` line, as written; `prefixed` if they bear ``a/`` and ``b/``."""

    old: str
    new: str
    prefixed: bool


def header_name(text: str) -> tuple[str, bool]:
    """The name after ``--- `` or ``rename to ``, and whether a time of the epoch follows it."""
    text = text.removesuffix("\r")
    if text.startswith('"'):
        match = _QUOTED.match(text)
        if match:
            return _one_form(match.group()), bool(_EPOCH.search(text, match.end()))
    name, tab, time = text.partition("\t")
    if not tab and len(text) < _LONG and (match := _TIME.search(text)):
        return text[: match.start()], bool(_EPOCH.match(match.group().strip()))
    return name if tab else name.strip(" "), bool(_EPOCH.match(time))


def git_line_names(line: str) -> Names | None:
    """The names of ``diff --git a/x b/x``; None where they cannot be told apart."""
    rest = line.removeprefix("diff --git ")
    if rest.startswith('"') or rest.endswith('"'):
        match = _QUOTED.match(rest)
        if match:
            old, new = match.group(), rest[match.end() :].lstrip(" ")
        else:
            at = rest.find(' "')
            old, new = rest[:at], rest[at + 1 :]
        return _names(old, new) if old and new else None
    middle = len(rest) // 2
    found: Names | None = None
    if rest[middle : middle + 1] == " " and len(rest) % 2:
        # The two names are as long as one another unless the file was renamed.
        old, new = rest[:middle], rest[middle + 1 :]
        if old == new or (_is_prefixed(old) and _is_prefixed(new) and old[2:] == new[2:]):
            found = _names(old, new)
    if found is None and rest.count(" ") == 1:
        old, _, new = rest.partition(" ")
        found = _names(old, new)
    return found


def _one_form(name: str) -> str:
    """A name quoted only where it has to be, so that equal names are equal texts."""
    return quote(unquote(name)) if name.startswith('"') else name


def _names(old: str, new: str) -> Names:
    old, new = _one_form(old), _one_form(new)
    return Names(old, new, old != new and _is_prefixed(old) and _is_prefixed(new))


def _is_prefixed(name: str) -> bool:
    return (
        len(name) > 2
        and (name[1:3] if name[0] == '"' else name[:2])[1:] == "/"
        and _letter(name) in _PREFIXES
    )


def _letter(name: str) -> str:
    return name[1] if name[0] == '"' else name[0]


def without_prefixes(old: str, new: str, git: Names | None) -> tuple[str, str]:
    """Both names less ``a/`` and ``b/``, where these are prefixes and not folders.

    They are where the ``diff --git`` line has them, or where both sides have different ones before
    the same name, or where the one side that is a file has the one that belongs there.
    """
    if NO_FILE in (old, new):
        name, letter = (new, "b") if old == NO_FILE else (old, "a")
        prefixed = git.prefixed if git is not None else name.startswith((f"{letter}/", f'"{letter}/'))
        bare = stripped(name) if prefixed and _is_prefixed(name) else name
        return (NO_FILE, bare) if old == NO_FILE else (bare, NO_FILE)
    if old.startswith("a/") and stripped(old) == new:
        return new, new
    if new.startswith("b/") and stripped(new) == old:
        return old, old
    if not (_is_prefixed(old) and _is_prefixed(new)):
        return old, new
    if _letter(old) != _letter(new) or (git is not None and git.prefixed):
        return stripped(old), stripped(new)
    return old, new


def stripped(name: str) -> str:
    """`name` less its first two characters, quoted as it was or as it needs to be."""
    if name.startswith('"'):
        return quote(unquote(name)[2:])
    return name[2:]
