"""Parts around a definition that its replacement leaves out.

They are decorators, attributes, its comment, `export`. A caller who rewrites a
definition often leaves them out by mistake. It may be meant, so it is noted and not
refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from filewright.languages import Language

# A decorator or annotation, as `@app.route`. `@interface` begins a definition of Java.
_DECORATOR: Final = re.compile(r"@(?!interface\b)[\w.]+")
# The beginning of an attribute: `#[derive`, `[[nodiscard` or `[Obsolete`.
_ATTRIBUTE: Final = re.compile(
    r"#!?\[\s*[\w:]+|\[\[\s*[\w:]+|\[\s*(?:\w+\s*:\s*)?[A-Z]\w*"
)
# The beginning of a comment: `// note`. `#[` begins an attribute of Rust or PHP.
_COMMENT: Final = re.compile(r"//|/\*|--|#(?!\[)")
# Comments behind code, by the mark that ends with the line: `f() // note`.
_LINE_COMMENTS: Final = {
    "#": re.compile(r"#.*"),
    "--": re.compile(r"--.*|/\*.*"),
    "/*": re.compile(r"/\*.*"),
    "//": re.compile(r"//.*|/\*.*"),
}
# A string on one line: in `"a // b"` no comment begins.
_STRING: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`")
_CLOSERS: Final = ")]};, \t"
# The words that publish a definition: `export default`.
_EXPORT: Final = re.compile(r"export\b(?:\s+default\b)?")
_HASH_COMMENT_LANGUAGES: Final = frozenset(
    [
        Language.PYTHON,
        Language.RUBY,
        Language.BASH,
        Language.YAML,
        Language.TOML,
    ]
)
_DASH_COMMENT_LANGUAGES: Final = frozenset([Language.SQL, Language.LUA])
_ATTRIBUTE_LANGUAGES: Final = frozenset(
    [Language.RUST, Language.PHP, Language.CSHARP, Language.CPP, Language.C]
)
_DECORATOR_LANGUAGES: Final = frozenset(
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
# No line before a heading or an element belongs to it.
_LANGUAGES_WITHOUT_MARKS: Final = frozenset(
    [Language.MARKDOWN, Language.HTML, None]
)
# A longer head is not read to its end, and a longer mark is cut.
_MAX_HEAD_LINES: Final = 200
_MAX_MARK_CHARS: Final = 40


@dataclass(frozen=True, slots=True)
class _Head:
    """The lines before a definition: the marks on it, a comment, `export`.

    Marks are decorators, annotations and attributes, by name. `line_count` is how many
    lines are before that of the definition itself.
    """

    marks: tuple[str, ...]
    has_comment: bool
    export: str
    line_count: int


@dataclass(frozen=True, slots=True)
class _Rest:
    """The text behind a mark on its line, and the brackets left open."""

    text: str
    open_brackets: int


def find_lost_parts(
    before: str, after: str, language: str | None
) -> tuple[str, ...]:
    """Return, in words, the parts around a definition that `after` has no more."""
    if language in _LANGUAGES_WITHOUT_MARKS:
        return ()
    old, new = _read_head(before, language), _read_head(after, language)
    # Each mark is named once: several routes of one handler are one loss.
    lost = [mark for mark in dict.fromkeys(old.marks) if mark not in new.marks]
    if old.has_comment and not new.has_comment:
        lost.append("its comment")
    if old.export and not new.export:
        lost.append(old.export)
    had_comment_behind = _has_comment_behind(before, old, language)
    if had_comment_behind and not _has_comment_behind(after, new, language):
        lost.append("the comment on its last line")
    return tuple(lost)


def describe_lost_parts(lost: Sequence[str]) -> str:
    """Return the lost parts as one phrase."""
    *others, last = lost
    if not others:
        return f"the replacement leaves out {last}"
    return f"the replacement leaves out {', '.join(others)} and {last}"


def _read_head(text: str, language: str | None) -> _Head:
    """Return the lines of a text before its definition."""
    marks: list[str] = []
    has_comment = False
    open_brackets = 0
    in_comment = False
    lines = text.split("\n")[:_MAX_HEAD_LINES]
    for number, line in enumerate(lines):
        rest = line.strip()
        if in_comment or open_brackets > 0:
            # A comment or a mark goes on from the line above.
            in_comment = in_comment and "*/" not in rest
            if not in_comment:
                open_brackets += _count_open_brackets(rest)
            continue
        while open_brackets <= 0 and (mark := _find_mark(rest, language)):
            marks.append(mark[:_MAX_MARK_CHARS])
            behind = _read_behind(rest, mark)
            rest, open_brackets = behind.text, behind.open_brackets
        if open_brackets > 0 or not rest:
            continue
        if not _is_comment(rest, language):
            export = _EXPORT.match(rest)
            return _Head(
                tuple(marks), has_comment, export[0] if export else "", number
            )
        has_comment = True
        in_comment = rest.startswith("/*") and "*/" not in rest
    return _Head(tuple(marks), has_comment, "", len(lines))


def _find_mark(rest: str, language: str | None) -> str:
    """Return the decorator or attribute at the beginning of a line, or ""."""
    match = None
    if language in _DECORATOR_LANGUAGES:
        match = _DECORATOR.match(rest)
    elif language in _ATTRIBUTE_LANGUAGES:
        match = _ATTRIBUTE.match(rest)
    if match is None:
        return ""
    mark = match[0]
    if mark.startswith("@"):
        return mark
    # The pattern of an attribute ends inside its brackets.
    closing = "]]" if mark.startswith("[[") else "]"
    return " ".join(mark.split()) + closing


def _read_behind(rest: str, mark: str) -> _Rest:
    """Return what is behind a mark on its line."""
    is_decorator = mark.startswith("@")
    depth = 0
    # The brackets of an attribute are its own, those of a decorator come behind it.
    for index in range(len(mark) if is_decorator else 0, len(rest)):
        character = rest[index]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if not depth:
                return _Rest(rest[index + 1 :].strip(), 0)
        elif is_decorator and not depth and not character.isspace():
            return _Rest(rest[index:].strip(), 0)
    return _Rest("", depth)


def _count_open_brackets(text: str) -> int:
    """Return how many more brackets a text opens than it closes."""
    opening_count = sum(map(text.count, "([{"))
    return opening_count - sum(map(text.count, ")]}"))


def _is_comment(rest: str, language: str | None) -> bool:
    """Return True if a comment begins at the beginning of a text."""
    mark = _COMMENT.match(rest)
    if mark is None:
        return False
    has_hash_comments = (
        language in _HASH_COMMENT_LANGUAGES or language == Language.PHP
    )
    return mark[0] != "#" or has_hash_comments


def _has_comment_behind(text: str, head: _Head, language: str | None) -> bool:
    """Return True if a comment follows a definition on its last line.

    That line is the only one of the definition, or it closes a longer one.
    """
    lines = text.rstrip().split("\n")
    last_line = lines[-1]
    code = _code_before_comment(last_line, _comment_mark(language))
    if code is None:
        return False
    is_only_line = head.line_count >= len(lines) - 1
    return is_only_line or not code.strip(_CLOSERS)


def _comment_mark(language: str | None) -> str:
    """Return the mark of a comment that ends with its line."""
    if language in _HASH_COMMENT_LANGUAGES:
        return "#"
    if language in _DASH_COMMENT_LANGUAGES:
        return "--"
    return "/*" if language == Language.CSS else "//"


def _code_before_comment(line: str, mark: str) -> str | None:
    """Return the code before the comment of a line; None if it has no such comment."""
    index = 0
    while index < len(line):
        string = _STRING.match(line, index)
        if string is not None:
            index = string.end()
            continue
        code = line[:index]
        # A hash inside a word of a shell is text.
        may_begin = mark != "#" or code[-1:].isspace()
        if (
            code.strip()
            and may_begin
            and _LINE_COMMENTS[mark].match(line, index)
        ):
            return code
        index += 1
    return None
