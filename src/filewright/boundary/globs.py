"""Globs: the one syntax in which callers say which names below a folder they mean."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Literal

from filewright.boundary.matching import (
    NO_IGNORE_RULES,
    SPECIAL_CHARACTER,
    Layer,
    Matcher,
    Rule,
)
from filewright.boundary.names import printable_path, quote
from filewright.boundary.wildmatch import MalformedError, translate
from filewright.errors import Code, FilewrightError

_CLIMBING_PART = rb"(?:\\?\.|\[\\?\.\]){2}|\.\.\\.*"
_ABSOLUTE_START = r"(?:/|(?=~/)|(?=[A-Za-z]:[/\\]))([^/\\*?\[{]+)"
_BRACE_PIECES = r"(?s)[{},]|[^\\\[{},]+|\\.|\[[^/][^\]/]{0,250}\]|."
_NEXT_EXCLUSION = re.compile(r"\s*!")
_NEXT_GLOB = re.compile(r"\s+\S")
_ROUTE_NAME = re.compile(r"\[{1,2}(?:\.{3})?\w{2,}\]{1,2}(?:\.\w+)*")
"""A name in brackets, as web frameworks name routes: `[id]`, `[...slug].tsx`."""

_NORMAL_FORMS: Sequence[Literal["NFC", "NFD"]] = ("NFC", "NFD")
_MAX_MIXED_FORMS = 16
"""Forms of a glob in which each name has its own; above it all names share one."""
_MAX_ALTERNATIVES = 1000
_MAX_EXPANDED_CHARACTERS = 1 << 20
_MAX_SHOWN_CHARACTERS = 500

_MALFORMED_HINT = "close every [ and {, or write \\ before the character itself"
_ELSEWHERE_HINT = "give the folder as path, and a glob relative to it"


@dataclass(frozen=True, slots=True)
class GlobFolder:
    """The folder in which globs begin.

    `parts` is its path as the caller wrote it, from the root. `base` is the length of
    its path without links, with a slash. `has_name` tells whether it holds a name, and
    `has_path` whether a path below it exists.
    """

    parts: Sequence[bytes]
    base: int
    has_name: Callable[[bytes], bool]
    has_path: Callable[[Sequence[bytes]], bool]


@dataclass(frozen=True, slots=True)
class Globs:
    r"""The names in one folder that some globs fit.

    `wanted` is None if every name is wanted that is not `unwanted`. Both match paths
    from the root, as ignore rules do. The syntax:

    ========== =========================================================================
    `*` `?`    any characters, one character; never a slash
    `[a-z]`    one of these, `[!a-z]` none of these, `[[:digit:]]` a class
    `**`       any number of folders, none included: `src/**/*.py`, `docs/**`
    `{a,b}`    either: `*.{js,ts}`; may be nested
    `\`        takes the next character as it is
    `x/`       at the end: folders only
    `!glob`    at the start: all but these; an excluded folder is not entered
    ========== =========================================================================

    A glob without a slash fits names at any depth (`*.py`); one with a slash, also at
    its start, begins in the folder that is listed. Names that begin with a dot are like
    any others. A letter with marks fits its composed and its decomposed form (é, ü,
    Hangul).

    Brackets are text if that path exists (`app/[id]/page.tsx`). Behind a wildcard, the
    name of a route in brackets is both text and a class.

    A glob that begins with the end of the listed folder's own path, such as `src/*.py`
    in `lib/src`, begins in that folder if no name in it is the same.

    A glob only names paths below the folder: `..` is refused, and so is an absolute
    path. A glob counts as absolute if the folder has no name like its first one.
    Several stand in one text, with a comma and a blank between them (`*.js, *.ts`), or
    a comma before a `!` (`*.js,!{a,b}`). A path that exists is not divided, and names
    that fit the undivided text are wanted too. Blanks around a glob, and behind `!`, do
    not count.
    """

    wanted: Matcher | None = None
    unwanted: Matcher = NO_IGNORE_RULES

    @staticmethod
    def compile(globs: Iterable[str], folder: GlobFolder) -> Globs:
        """Return the globs for the names in `folder`.

        Raise `invalid_input`, `too_large` and `path_escape`.
        """
        wanted_rules: list[Rule] = []
        unwanted_rules: list[Rule] = []
        for glob in globs:
            _require_names(glob)
            for part in _split_globs(glob, folder):
                text = part.strip()
                if text.startswith("!"):
                    excluded = text[1:].lstrip()
                    unwanted_rules += _compile_glob(excluded, glob, folder)
                else:
                    wanted_rules += _compile_glob(text, glob, folder)
                _require_relative(text, glob, folder)
        wanted = _single_layer(wanted_rules) if wanted_rules else None
        unwanted = (
            _single_layer(unwanted_rules) if unwanted_rules else NO_IGNORE_RULES
        )
        return Globs(wanted, unwanted)

    def below(self, prefix: bytes) -> Globs | None:
        """Return the globs for the folder `prefix`, or None if none fits below it.

        `prefix` is from the root and ends in a slash.
        """
        wanted = None
        if self.wanted is not None:
            wanted = self.wanted.below(prefix)
            if not wanted.layers:
                return None
        return Globs(wanted, self.unwanted.below(prefix))


def _require_names(glob: str) -> None:
    """Raise `invalid_input` if a glob has characters that no name can have."""
    try:
        is_possible = b"\0" not in glob.encode()
    except UnicodeEncodeError:
        is_possible = False
    if not is_possible:
        raise _glob_error(glob, "is malformed", _MALFORMED_HINT)


def _require_relative(text: str, glob: str, folder: GlobFolder) -> None:
    """Raise `path_escape` if `text` is absolute and names nothing in the folder."""
    absolute_start = re.match(_ABSOLUTE_START, text)
    if absolute_start is None:
        return
    first_name = os.fsencode(absolute_start[1])
    if not folder.has_name(first_name):
        problem = (
            "is absolute, but globs begin in the searched folder, which has "
            f"no entry {quote(first_name)}"
        )
        raise _glob_error(glob, problem, _ELSEWHERE_HINT, Code.PATH_ESCAPE)


def _split_globs(text: str, folder: GlobFolder) -> list[str]:
    """Return the globs of a text. Raise `invalid_input` if the text has two meanings."""
    globs: list[str] = []
    for part in _split_at_commas(text, _NEXT_EXCLUSION):
        pieces = _split_at_commas(part, _NEXT_GLOB)
        if len(pieces) == 1 or _is_path(part.strip().lstrip("!"), folder):
            globs.append(part)
            continue
        if part.lstrip().startswith("!"):
            problem = f"does not say if {printable_path(pieces[1].strip())} is left out"
            hint = "write ! before each glob that is left out, and the others first"
            raise _glob_error(text, problem, hint)
        # A name further down may have the comma too.
        globs += [part, *pieces]
    return globs


def _split_at_commas(text: str, following: re.Pattern[str]) -> list[str]:
    """Return a text divided at each comma, outside of braces, before `following`."""
    pieces: list[str] = []
    start = offset = depth = 0
    for piece in re.findall(_BRACE_PIECES, text):
        depth += (piece == "{") - (piece == "}")
        end = offset + len(piece)
        is_separator = piece == "," and depth <= 0
        if is_separator and following.match(text, end):
            pieces.append(text[start:offset])
            start = end
        offset = end
    return [*pieces, text[start:]]


def _is_path(text: str, folder: GlobFolder) -> bool:
    """Return True if a text is, letter by letter, a path that exists in the folder."""
    parts = os.fsencode(text.strip()).split(b"/")
    return set(parts).isdisjoint((b"", b".", b"..")) and folder.has_path(parts)


def _single_layer(rules: list[Rule]) -> Matcher:
    return Matcher((Layer(tuple(rules)),))


def _compile_glob(text: str, glob: str, folder: GlobFolder) -> list[Rule]:
    """Return the rules for `text`, a part of `glob` without whitespace and `!`."""
    rules = []
    relative = _remove_folder_path(text, folder)
    for alternative in _expand_braces(relative, glob):
        for pattern in _read_brackets(alternative, folder.has_path):
            for form in _normal_forms(pattern):
                rules.append(_make_rule(form, glob, folder.base))
    return rules


def _remove_folder_path(text: str, folder: GlobFolder) -> str:
    """Return a glob without the end of the folder's own path at its start.

    A name that the folder holds is not taken for a part of its path.
    """
    for count in range(len(folder.parts), 0, -1):
        path_end = os.fsdecode(b"/".join(folder.parts[-count:])) + "/"
        if not text.startswith(path_end) or len(text) == len(path_end):
            continue
        has_wildcard = re.search(r"[*?\[{\\]", path_end)
        if not has_wildcard and not folder.has_name(folder.parts[-count]):
            return f"./{text[len(path_end) :]}"
    return text


def _read_brackets(
    text: str, has_path: Callable[[Sequence[bytes]], bool]
) -> tuple[str, ...]:
    """Return a glob with its brackets as text, if that path exists, else as a class.

    Behind a wildcard or a class no path can be looked up: a route's name is read in
    both ways there, which makes two globs.
    """
    if "[" not in text:
        return (text,)
    start = re.match(r"(?:\.?/)*", text)
    prefix = start[0] if start is not None else ""
    is_anchored = bool(prefix) or "/" in text.rstrip("/")
    # The path so far; None once it is not known, or for a name at any depth.
    path: list[bytes] | None = [] if is_anchored else None
    with_classes, with_text = [], []
    for part in text[len(prefix) :].split("/"):
        literal = re.sub(r"[\[\]]", r"\\\g<0>", part)
        if path is None and _ROUTE_NAME.fullmatch(part):
            with_classes.append(part)
            with_text.append(literal)
            continue
        meaning = part
        if path is not None:
            if "[" in part and not re.search(r"[*?\\]", part):
                path.append(os.fsencode(part))
                if has_path(path):
                    meaning = literal
                else:
                    path = None
            elif re.search(SPECIAL_CHARACTER.decode(), part):
                path = None
            else:
                path.append(os.fsencode(part))
        with_classes.append(meaning)
        with_text.append(meaning)
    readings = (prefix + "/".join(with_classes), prefix + "/".join(with_text))
    return tuple(dict.fromkeys(readings))


def _normal_forms(text: str) -> list[str]:
    """Return a glob in the normal forms that names on a disk may have; itself first."""
    if text.isascii():
        return [text]
    forms_by_part = []
    for part in text.split("/"):
        forms = [part]
        # In a bracket each code point is a member of its own: it is left as it is.
        if "[" not in part:
            forms += [
                unicodedata.normalize(form, part) for form in _NORMAL_FORMS
            ]
        forms_by_part.append(list(dict.fromkeys(forms)))
    if prod(map(len, forms_by_part)) > _MAX_MIXED_FORMS:
        whole = [unicodedata.normalize(form, text) for form in _NORMAL_FORMS]
        return list(dict.fromkeys([text, *whole]))
    return ["/".join(parts) for parts in product(*forms_by_part)]


def _make_rule(text: str, glob: str, base: int) -> Rule:
    pattern = text.encode()
    try:
        if any(
            re.fullmatch(_CLIMBING_PART, part) for part in pattern.split(b"/")
        ):
            problem = "climbs out of the folder with .."
            raise _glob_error(glob, problem, _ELSEWHERE_HINT, Code.PATH_ESCAPE)
        # `./x` begins in the folder, as `/x` does.
        while pattern.startswith(b"./"):
            pattern = b"/" + pattern[2:].lstrip(b"/")
        rule = Rule(
            pattern, is_negated=False, base=base, counts_characters=True
        )
        if not rule.text or b"//" in rule.text:
            raise MalformedError
        if re.search(SPECIAL_CHARACTER, rule.text):
            translate(rule.text)
    except MalformedError as error:
        raise _glob_error(glob, "is malformed", _MALFORMED_HINT) from error
    # `/**` names everything below the folder, as `**` does.
    rule.by_name = rule.by_name or rule.text == b"**"
    return rule


@dataclass(slots=True)
class _Brace:
    """A brace that is read.

    `finished` are the alternatives before its last comma, `current` those behind it.
    """

    finished: list[str] = field(default_factory=list)
    current: list[str] = field(default_factory=lambda: [""])


def _expand_braces(text: str, glob: str) -> list[str]:
    """Return the alternatives that a text with braces stands for."""
    outermost = _Brace()
    braces = [outermost]
    for piece in re.findall(_BRACE_PIECES, text):
        brace = braces[-1]
        if piece == "{":
            braces.append(_Brace())
        elif piece in (",", "}") and brace is not outermost:
            brace.finished += brace.current
            brace.current = [""]
            if piece == "}":
                braces.pop()
                outer = braces[-1]
                outer.current = _combine(outer.current, brace.finished, glob)
        else:
            brace.current = _combine(brace.current, [piece], glob)
    if len(braces) > 1:
        hint = "close it, or write \\{ for the character itself"
        raise _glob_error(glob, "has a brace that is not closed", hint)
    return outermost.current


def _combine(starts: list[str], ends: list[str], glob: str) -> list[str]:
    """Return each of `starts` with each of `ends`. Raise `too_large`."""
    start_length, end_length = sum(map(len, starts)), sum(map(len, ends))
    # Tested first: a short glob can expand to more text than fits in memory.
    limit = None
    if len(starts) * len(ends) > _MAX_ALTERNATIVES:
        limit = f"{_MAX_ALTERNATIVES} alternatives"
    elif (
        len(ends) * start_length + len(starts) * end_length
        > _MAX_EXPANDED_CHARACTERS
    ):
        limit = f"{_MAX_EXPANDED_CHARACTERS} characters"
    if limit is not None:
        hint = "give several globs, or a broader one"
        raise _glob_error(
            glob, f"makes more than {limit}", hint, Code.TOO_LARGE
        )
    return [start + end for start in starts for end in ends]


def _glob_error(
    glob: str, problem: str, hint: str, code: Code = Code.INVALID_INPUT
) -> FilewrightError:
    # The glob may itself be the reason, if it is very long.
    if len(glob) > _MAX_SHOWN_CHARACTERS:
        glob = glob[:_MAX_SHOWN_CHARACTERS] + "…"
    text = printable_path(glob)
    return FilewrightError(code, f"the glob {text} {problem}", hint, glob=text)
