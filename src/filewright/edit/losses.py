"""What a replacement of a definition leaves out of what was around it: decorators, attributes, its comments, `export`.

A caller who rewrites a definition often gives it without them. That may be meant, so it is told, not refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from filewright.languages import Language

_DECORATOR: Final = re.compile(r"@(?!interface\b)[\w.]+")
_BRACKETED: Final = re.compile(
    r"#!?\[\s*[\w:]+|\[\[\s*[\w:]+|\[\s*(?:\w+\s*:\s*)?[A-Z]\w*"
)
_COMMENT: Final = re.compile(r"//|/\*|--|#(?!\[)")
_LINE_COMMENTS: Final = {
    "#": re.compile(r"#.*"),
    "--": re.compile(r"--.*|/\*.*"),
    "/*": re.compile(r"/\*.*"),
    "//": re.compile(r"//.*|/\*.*"),
}
_STRING: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
_CLOSERS: Final = ")]};, \t"
_EXPORT: Final = re.compile(r"export\b(?:\s+default\b)?")
_WITH_HASH: Final = frozenset(
    [Language.PYTHON, Language.RUBY, Language.BASH, Language.YAML, Language.TOML]
)
_WITH_DASHES: Final = frozenset([Language.SQL, Language.LUA])
_WITH_BRACKETS: Final = frozenset(
    [Language.RUST, Language.PHP, Language.CSHARP, Language.CPP, Language.C]
)
_WITH_DECORATORS: Final = frozenset(
    [
        Language.PYTHON,
        Language.JAVASCRIPT,
        Language.JSX,
        Language.TYPESCRIPT,
        Language.TSX,
        Language.JAVA,
        Language.KOTLIN,
        Language.SCALA,
        Language.SWIFT,
    ]
)
_WITHOUT_MARKS: Final = frozenset([Language.MARKDOWN, Language.HTML, None])
_MAX_LINES: Final = 200
_SHOWN_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class _Head:
    """What is before a definition: the marks on it, by name, whether a comment is there, and `export`.

    `lines` are how many lines are before that of the definition itself.
    """

    marks: tuple[str, ...]
    has_comment: bool
    export: str
    lines: int


def find_lost_parts(before: str, after: str, language: str | None) -> tuple[str, ...]:
    """Return what is before or behind the definition in one text and not in the other, in words."""
    if language in _WITHOUT_MARKS:
        return ()
    old, new = _head(before, language), _head(after, language)
    lost = [mark for mark in dict.fromkeys(old.marks) if mark not in new.marks]
    if old.has_comment and not new.has_comment:
        lost.append("its comment")
    if old.export and not new.export:
        lost.append(old.export)
    if _has_comment_behind(before, old, language) and not _has_comment_behind(
        after, new, language
    ):
        lost.append("the comment behind it")
    return tuple(lost)


def _has_comment_behind(text: str, head: _Head, language: str | None) -> bool:
    """Return whether a comment follows a definition on its last line: one of one line, or what closes a longer one."""
    rows = text.rstrip().split("\n")
    last = rows[-1]
    if language in _WITH_HASH:
        mark = "#"
    elif language in _WITH_DASHES:
        mark = "--"
    else:
        mark = "/*" if language == Language.CSS else "//"
    index = 0
    while index < len(last):
        string = _STRING.match(last, index)
        if string is not None:
            index = string.end()
            continue
        code = last[:index]
        # A hash inside a word of a shell is text.
        begins = mark != "#" or code[-1:].isspace()
        if code.strip() and begins and _LINE_COMMENTS[mark].match(last, index):
            return head.lines >= len(rows) - 1 or not code.strip(_CLOSERS)
        index += 1
    return False


def _head(text: str, language: str | None) -> _Head:
    marks: list[str] = []
    has_comment, depth, in_comment = False, 0, False
    lines = text.split("\n")[:_MAX_LINES]
    for number, line in enumerate(lines):
        rest = line.strip()
        if in_comment or depth > 0:
            in_comment = in_comment and "*/" not in rest
            depth += 0 if in_comment else _depth(rest)
            continue
        while rest and (mark := _mark(rest, language)):
            marks.append(mark[:_SHOWN_CHARS])
            rest, depth = _behind(rest, mark)
            if depth > 0:
                break
        if depth > 0 or not rest:
            continue
        if _is_comment(rest, language):
            has_comment = True
            in_comment = rest.startswith("/*") and "*/" not in rest
            continue
        export = _EXPORT.match(rest)
        return _Head(tuple(marks), has_comment, export[0] if export else "", number)
    return _Head(tuple(marks), has_comment, "", len(lines))


def _mark(rest: str, language: str | None) -> str:
    """Return the decorator, annotation or attribute that a line begins with; "" if it begins with none."""
    match = None
    if language in _WITH_DECORATORS:
        match = _DECORATOR.match(rest)
    elif language in _WITH_BRACKETS:
        match = _BRACKETED.match(rest)
    if match is None:
        return ""
    closing = {"#": "]", "[": "]]" if match[0].startswith("[[") else "]"}.get(
        rest[0], ""
    )
    return " ".join(match[0].split()) + closing if closing else match[0]


def _behind(rest: str, mark: str) -> tuple[str, int]:
    """Return what is behind a mark on its line, and how many of its brackets are open at the end of that."""
    depth = 0
    start = len(mark) if mark[0] == "@" else 0
    for index in range(start, len(rest)):
        character = rest[index]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if not depth:
                return rest[index + 1 :].strip(), 0
        elif not depth and not character.isspace() and mark[0] == "@":
            return rest[index:].strip(), 0
    return "", depth


def _depth(rest: str) -> int:
    return sum(rest.count(opening) for opening in "([{") - sum(
        rest.count(closing) for closing in ")]}"
    )


def _is_comment(rest: str, language: str | None) -> bool:
    mark = _COMMENT.match(rest)
    if mark is None:
        return False
    return mark[0] != "#" or language in _WITH_HASH or language == Language.PHP


def describe_lost_parts(lost: Sequence[str]) -> str:
    """Return the losses as one phrase."""
    *others, last = lost
    return f"the replacement leaves out {', '.join(others)}{' and ' if others else ''}{last}"
