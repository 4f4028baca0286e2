"""The brackets of a text, and its strings and comments, in which brackets do not count.

Each language has a table of delimiters. In a text of another language nothing but
brackets is known. The time is linear: each delimiter is read once, and one that is never
closed is plain text.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from types import MappingProxyType

from filewright.languages import Language

_CLOSING = {ord("("): ord(")"), ord("["): ord("]"), ord("{"): ord("}")}
_MAX_SKIPPED_BRACKETS = 50
"""Open brackets that a closing one may leave unclosed."""

_MAX_SPACE_BEFORE = 200
"""Bytes before a sign in which the text that decides on its meaning is looked for."""

_UNKNOWN_END = 0xFFFF_FFFF
"""The end of an opening bracket that is never closed."""


class TokenKind(IntEnum):
    """The kind of a token."""

    OPENING = 0
    CLOSING = 1
    STRING = 2
    """A string, or a part of one between interpolated code."""
    COMMENT = 3

    @property
    def is_opaque(self) -> bool:
        """Return True if brackets inside of the token do not count."""
        return self in (TokenKind.STRING, TokenKind.COMMENT)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, in order, as parallel arrays of indices.

    `ends` has the index behind a string or comment, and for an opening bracket the
    index behind the one that closes it. Arrays of numbers, because a file may have a
    million brackets.
    """

    starts: array[int] = field(default_factory=lambda: array("I"))
    ends: array[int] = field(default_factory=lambda: array("I"))
    kinds: bytearray = field(default_factory=bytearray)

    def add(self, kind: TokenKind, start: int, end: int = _UNKNOWN_END) -> int:
        """Add a token, and return its number."""
        self.starts.append(start)
        self.ends.append(end)
        self.kinds.append(kind)
        return len(self.starts) - 1

    def is_closed(self, number: int) -> bool:
        """Return True if an opening bracket has a closing one."""
        return self.ends[number] != _UNKNOWN_END

    def first_from(self, index: int) -> int:
        """Return the number of the first token from an index on."""
        return bisect_left(self.starts, index)

    def is_opaque_at(self, index: int) -> bool:
        """Return True if an index is inside a string or comment, behind its beginning."""
        number = bisect_right(self.starts, index) - 1
        return (
            number >= 0
            and TokenKind(self.kinds[number]).is_opaque
            and self.starts[number] < index < self.ends[number]
        )


@dataclass(frozen=True, slots=True)
class _Delimiter:
    """The beginning of a string or comment, and one of several forms of its end.

    - `ending` is matched right behind the opening.
    - Without it, `closing` is the next text that ends the string; ``%s`` in it is the
      first group of the opening, as in Lua's ``[==[`` and ``]==]``.
    - `all_closings` is for openings of which a file may have many different ones. It
      matches all their closings, and its first group is that of the opening.
    - `behind_word` is for texts that begin on the next line, while code goes on behind
      the opening. They end with a line that is the first group of the opening, with
      `behind_word` behind it.

    With `is_operand`, the opening counts only where an operand may be: a slash elsewhere
    divides.
    """

    opening: bytes
    ending: bytes = b""
    closing: bytes = b""
    is_operand: bool = False
    behind_word: bytes = b""
    all_closings: bytes = b""
    kind: TokenKind = TokenKind.STRING


def _line_comment(opening: bytes) -> _Delimiter:
    """Return the delimiter of a comment to the end of its line."""
    return _Delimiter(opening, rb"[^\n]*+", kind=TokenKind.COMMENT)


def _comment(opening: bytes, closing: bytes) -> _Delimiter:
    """Return the delimiter of a comment of several lines."""
    return _Delimiter(opening, closing=closing, kind=TokenKind.COMMENT)


_HASH = _line_comment(rb"#")
_STARRED = _comment(rb"/\*", b"*/")
_SLASHES = (_line_comment(rb"//"), _STARRED)
_DASHES = _line_comment(rb"--")
_SEMICOLON = _line_comment(rb";")
_DOUBLE = _Delimiter(rb'"', rb'(?:\\.|[^"\\\n])*+"')
_SINGLE = _Delimiter(rb"'", rb"(?:\\.|[^'\\\n])*+'")
_DOUBLE_LINES = _Delimiter(rb'"', rb'(?:\\.|[^"\\])*+"')
_SINGLE_LINES = _Delimiter(rb"'", rb"(?:\\.|[^'\\])*+'")
_BACKTICKS = _Delimiter(rb"`", closing=b"`")
_TRIPLE = _Delimiter(rb'"""', rb'(?:\\.|[^"\\]|"(?!""))*+"""')
_TRIPLE_SINGLE = _Delimiter(rb"'''", rb"(?:\\.|[^'\\]|'(?!''))*+'''")
# One character. A lifetime of Rust, 'a, has no second quote.
_CHARACTER = _Delimiter(rb"'", rb"(?:\\[^'\n]{1,10}|\\'|[^'\\\n]{1,4})'")
_SCRIPT_REGEX = _Delimiter(
    rb"/(?![*/])",
    rb"(?:\\.|\[(?:\\.|[^\]\\\n])*+\]|[^/\\\n\[])++/",
    is_operand=True,
)
_HTML_COMMENT = _comment(rb"<!--", b"-->")
_SCRIPT = (*_SLASHES, _SCRIPT_REGEX, _DOUBLE, _SINGLE)
_JVM = (*_SLASHES, _TRIPLE, _DOUBLE, _CHARACTER)
_C = (
    *_SLASHES,
    _Delimiter(
        rb'R"([^()\s\\]{0,16})\(',
        closing=b')%s"',
        all_closings=rb'\)([^()\s\\]{0,16})"',
    ),
    _DOUBLE,
    _CHARACTER,
)
# `<<~SQL`, with or without quotes, to the line that is its word alone: `SQL`.
_HEREDOC = _Delimiter(
    rb"<<[-~]?['\"`]?([A-Za-z_]\w*)", behind_word=rb"(?=\r?\n|\Z)"
)
# `%q(text)`, with any of four pairs of brackets. Behind a word `%` is an operator.
_RUBY_QUOTED = _Delimiter(
    rb"(?<!\w)%[qQ](?=[(\[{|])",
    rb"\((?:\\.|[^()\\])*+\)|\{(?:\\.|[^{}\\])*+\}"
    rb"|\[(?:\\.|[^\[\]\\])*+\]|\|(?:\\.|[^|\\])*+\|",
)
# Strings in which a backslash is a backslash.
_RAW_TRIPLE = _Delimiter(rb'"""', closing=b'"""')
_PYTHON = (_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE)
_SHELL = (
    _line_comment(rb"(?<![^\s;(|&])#"),
    _HEREDOC,
    _Delimiter(rb"'", closing=b"'"),
    _DOUBLE_LINES,
    _Delimiter(rb"\\", rb"."),
)
_DELIMITERS: Mapping[str, Sequence[_Delimiter]] = MappingProxyType(
    {
        Language.PYTHON: _PYTHON,
        Language.JAVASCRIPT: _SCRIPT,
        Language.JSX: _SCRIPT,
        Language.TYPESCRIPT: _SCRIPT,
        Language.TSX: _SCRIPT,
        Language.VUE: (_HTML_COMMENT, *_SCRIPT),
        Language.SVELTE: (_HTML_COMMENT, *_SCRIPT),
        Language.GO: (*_SLASHES, _BACKTICKS, _DOUBLE, _CHARACTER),
        Language.RUST: (
            *_SLASHES,
            _Delimiter(rb'\br(#*)"', closing=b'"%s'),
            _DOUBLE_LINES,
            _CHARACTER,
        ),
        Language.C: _C,
        Language.CPP: _C,
        Language.OBJECTIVE_C: _C,
        Language.CSHARP: (
            *_SLASHES,
            _Delimiter(rb'("{3,})', closing=b"%s"),
            _Delimiter(rb'(?:@\$?|\$@)"', rb'(?:""|[^"])*+"'),
            _DOUBLE,
            _CHARACTER,
        ),
        Language.JAVA: _JVM,
        Language.KOTLIN: (*_SLASHES, _RAW_TRIPLE, _DOUBLE, _CHARACTER),
        Language.SCALA: (*_SLASHES, _RAW_TRIPLE, _DOUBLE, _CHARACTER),
        Language.DART: (
            *_SLASHES,
            _Delimiter(rb"\br(\"\"\"|'''|[\"'])", closing=b"%s"),
            _TRIPLE,
            _TRIPLE_SINGLE,
            _DOUBLE,
            _SINGLE,
        ),
        Language.SWIFT: (
            *_SLASHES,
            _Delimiter(rb'(#+)"""', closing=b'"""%s'),
            _Delimiter(rb'(#+)"', closing=b'"%s'),
            _TRIPLE,
            _DOUBLE,
        ),
        Language.ZIG: (*_SLASHES, _DOUBLE, _CHARACTER),
        Language.RUBY: (
            _comment(rb"^=begin\b", b"\n=end"),
            _HEREDOC,
            _RUBY_QUOTED,
            _DOUBLE_LINES,
            _SINGLE_LINES,
            _HASH,
        ),
        Language.BASH: _SHELL,
        Language.PERL: (_HASH, _HEREDOC, _DOUBLE_LINES, _SINGLE_LINES),
        Language.PHP: (
            *_SLASHES,
            _line_comment(rb"#(?!\[)"),
            # Code may follow behind the last word.
            _Delimiter(rb"<<<[ \t]*['\"]?([A-Za-z_]\w*)", behind_word=rb"\b"),
            _DOUBLE_LINES,
            _SINGLE_LINES,
        ),
        Language.LUA: (
            _comment(rb"--\[(=*)\[", b"]%s]"),
            _DASHES,
            _Delimiter(rb"\[(=*)\[", closing=b"]%s]"),
            _DOUBLE,
            _SINGLE,
        ),
        Language.SQL: (
            _DASHES,
            _STARRED,
            _Delimiter(rb"'", rb"(?:''|[^'])*+'"),
            _Delimiter(
                rb"(\$\w*\$)", closing=b"%s", all_closings=rb"(?=(\$\w*\$))"
            ),
        ),
        Language.HASKELL: (
            _DASHES,
            _comment(rb"\{-", b"-}"),
            _DOUBLE_LINES,
            _CHARACTER,
        ),
        Language.ELIXIR: (_HASH, _TRIPLE, _DOUBLE_LINES),
        Language.ERLANG: (_line_comment(rb"%"), _DOUBLE_LINES),
        Language.R: (_HASH, _DOUBLE_LINES, _SINGLE_LINES),
        Language.JULIA: (_HASH, _TRIPLE, _DOUBLE_LINES, _CHARACTER),
        Language.CLOJURE: (_SEMICOLON, _DOUBLE_LINES),
        Language.LISP: (_SEMICOLON, _DOUBLE_LINES),
        Language.HTML: (
            _HTML_COMMENT,
            _Delimiter(rb"<(pre|textarea)\b", closing=b"</%s>"),
        ),
        Language.XML: (_HTML_COMMENT,),
        Language.CSS: (_STARRED, _DOUBLE, _SINGLE),
        Language.SCSS: (*_SLASHES, _DOUBLE, _SINGLE),
        Language.LESS: (*_SLASHES, _DOUBLE, _SINGLE),
        Language.JSON: (_DOUBLE,),
        Language.YAML: (_line_comment(rb"(?<!\S)#"), _DOUBLE),
        Language.TOML: (
            _HASH,
            _TRIPLE,
            _Delimiter(rb"'''", closing=b"'''"),
            _DOUBLE,
            _Delimiter(rb"'", rb"[^'\n]*+'"),
        ),
        Language.PROTOBUF: (*_SLASHES, _DOUBLE, _SINGLE),
        Language.TERRAFORM: (_HASH, *_SLASHES, _DOUBLE, _HEREDOC),
        Language.GRAPHQL: (_HASH, _TRIPLE, _DOUBLE),
    }
)
_TEMPLATE_LANGUAGES = (
    Language.JAVASCRIPT,
    Language.JSX,
    Language.TYPESCRIPT,
    Language.TSX,
    Language.VUE,
    Language.SVELTE,
)
"""Languages in which code may be in ``${...}`` between backticks."""
_TEMPLATE_PART = re.compile(rb"(?:\\.|[^`\\$]|\$(?!\{))*+(`|\$\{)", re.DOTALL)
_BEFORE_OPERAND = frozenset(b"(,=:[!&|?{};+-*%~^")
_WORD_BEFORE_OPERAND = re.compile(
    rb"(?<![\w$.])(?:return|typeof|case|in|of|do|else|void|delete|await|yield)\Z"
)


@dataclass(frozen=True, slots=True)
class _ManyClosings:
    """The expressions of openings and closings that have a group in common."""

    openings: re.Pattern[bytes]
    closings: re.Pattern[bytes]


@dataclass(frozen=True, slots=True)
class _CompiledOpening:
    """The compiled opening of a delimiter."""

    expression: re.Pattern[bytes]
    delimiter: _Delimiter


@dataclass(frozen=True, slots=True)
class _Syntax:
    """The delimiters of a language as compiled expressions.

    `token` finds any bracket or opening.
    """

    token: re.Pattern[bytes]
    openings: tuple[_CompiledOpening, ...]
    endings: Mapping[bytes, re.Pattern[bytes]]
    closings: Mapping[_Delimiter, _ManyClosings]
    has_templates: bool


@dataclass(frozen=True, slots=True)
class _Closings:
    """The starts and the ends of some closings, in order."""

    starts: array[int] = field(default_factory=lambda: array("I"))
    ends: array[int] = field(default_factory=lambda: array("I"))


@cache
def _syntax_of(language: str | None) -> _Syntax:
    """Return the syntax of a language; one of brackets alone if it has no table."""
    delimiters: Sequence[_Delimiter] = ()
    if language is not None:
        delimiters = _DELIMITERS.get(language, ())
    has_templates = language in _TEMPLATE_LANGUAGES
    flags = re.DOTALL | re.MULTILINE
    tokens = [rb"[()\[\]{}]"]
    openings: list[_CompiledOpening] = []
    endings: dict[bytes, re.Pattern[bytes]] = {}
    closings: dict[_Delimiter, _ManyClosings] = {}
    for delimiter in delimiters:
        tokens.append(delimiter.opening)
        opening = re.compile(delimiter.opening, flags)
        openings.append(_CompiledOpening(opening, delimiter))
        endings[delimiter.ending] = re.compile(delimiter.ending, flags)
        expression = delimiter.all_closings
        if delimiter.behind_word:
            expression = rb"\n[ \t]*+(\w++)" + delimiter.behind_word
        if expression:
            # Openings may overlap, as in "$a$b$".
            overlapping = re.compile(b"(?=" + delimiter.opening + b")", flags)
            closings[delimiter] = _ManyClosings(
                overlapping, re.compile(expression)
            )
    if has_templates:
        tokens.append(rb"`")
    return _Syntax(
        token=re.compile(b"|".join(tokens), flags),
        openings=tuple(openings),
        endings=endings,
        closings=closings,
        has_templates=has_templates,
    )


def scan_tokens(text: bytes, language: str | None) -> Tokens:
    """Return the brackets, strings and comments of a text in UTF-8."""
    return _Scanner(text, _syntax_of(language)).scan()


@dataclass(frozen=True, slots=True)
class _OpenBracket:
    """A bracket that is not closed yet: its token, and the byte that closes it.

    `in_template` is True if the text of a template goes on behind the closing bracket.
    """

    number: int
    closing_byte: int
    in_template: bool = False


class _Scanner:
    """A reader of the tokens of one text, from its beginning to its end."""

    def __init__(self, text: bytes, syntax: _Syntax) -> None:
        self._text = text
        self._syntax = syntax
        self._tokens = Tokens()
        self._open: list[_OpenBracket] = []
        # Closings that do not occur any more: looking for them again would make the
        # time quadratic.
        self._absent: set[bytes] = set()
        # The closings of a delimiter by its first group. A search for each of many
        # different groups would make the time quadratic, too.
        self._closings: dict[_Delimiter, dict[bytes, _Closings]] = {}
        # The span of the text below the current line that its opening has announced.
        self._text_below: tuple[int, int] | None = None

    def scan(self) -> Tokens:
        """Return all tokens."""
        index = 0
        while match := self._syntax.token.search(self._text, index):
            start = match.start()
            if self._text_below is not None and start >= self._text_below[0]:
                first, index = self._text_below
                self._tokens.add(TokenKind.STRING, first, index)
                self._text_below = None
                continue
            byte = self._text[start]
            delimited_end = self._read_delimited(start)
            if delimited_end is not None:
                index = delimited_end
            elif byte in _CLOSING:
                number = self._tokens.add(TokenKind.OPENING, start)
                self._open.append(_OpenBracket(number, _CLOSING[byte]))
                index = start + 1
            elif byte in _CLOSING.values():
                index = self._read_closing(start, byte)
            elif self._syntax.has_templates and byte == ord("`"):
                index = self._read_template(start, start + 1)
            else:
                index = start + 1
        if self._text_below is not None:
            self._tokens.add(TokenKind.STRING, *self._text_below)
        return self._tokens

    def _read_delimited(self, start: int) -> int | None:
        """Add the string or comment at an index, and return its end; None without one."""
        for opening in self._syntax.openings:
            match = opening.expression.match(self._text, start)
            delimiter = opening.delimiter
            if match is None:
                continue
            if delimiter.is_operand and not self._may_be_operand(start):
                continue
            if delimiter.behind_word:
                self._find_text_below(match, delimiter)
                continue
            end = self._find_end(match, delimiter)
            # One that is never closed is plain text, or the beginning of another form.
            if end is not None:
                self._tokens.add(delimiter.kind, start, end)
                return end
        return None

    def _find_end(
        self, match: re.Match[bytes], delimiter: _Delimiter
    ) -> int | None:
        """Return the end of the string or comment that a match opens, or None."""
        if delimiter.ending:
            expression = self._syntax.endings[delimiter.ending]
            ending = expression.match(self._text, match.end())
            return None if ending is None else ending.end()
        if delimiter.all_closings:
            return self._find_closing(match[1], match.end(), delimiter)
        closing = delimiter.closing
        if match.re.groups:
            closing = closing.replace(b"%s", match[1])
        if closing in self._absent:
            return None
        position = self._text.find(closing, match.end())
        if position < 0:
            self._absent.add(closing)
            return None
        return position + len(closing)

    def _find_text_below(
        self, match: re.Match[bytes], delimiter: _Delimiter
    ) -> None:
        """Find the text on the next lines that a word on a line of its own ends."""
        line_end = self._text.find(b"\n", match.end())
        if line_end < 0 or self._text_below is not None:
            return
        end = self._find_closing(match[1], line_end, delimiter)
        if end is not None:
            self._text_below = (line_end, end)

    def _find_closing(
        self, group: bytes, index: int, delimiter: _Delimiter
    ) -> int | None:
        """Return the end of the first closing from an index on, or None.

        `group` is the first group of the opening.
        """
        closings_by_group = self._closings.get(delimiter)
        if closings_by_group is None:
            closings_by_group = self._list_closings(delimiter)
            self._closings[delimiter] = closings_by_group
        closings = closings_by_group[group]
        position = bisect_left(closings.starts, index)
        if position == len(closings.starts):
            return None
        return closings.ends[position]

    def _list_closings(self, delimiter: _Delimiter) -> dict[bytes, _Closings]:
        """Return the closings in the text for the first groups of all openings."""
        expressions = self._syntax.closings[delimiter]
        closings_by_group: dict[bytes, _Closings] = {}
        for match in expressions.openings.finditer(self._text):
            closings_by_group.setdefault(match[1], _Closings())
        for match in expressions.closings.finditer(self._text):
            closings = closings_by_group.get(match[1])
            if closings is not None:
                closings.starts.append(match.start())
                closings.ends.append(max(match.end(), match.end(1)))
        return closings_by_group

    def _may_be_operand(self, start: int) -> bool:
        """Return True if what is before an index leaves an operand to follow."""
        first = max(0, start - _MAX_SPACE_BEFORE)
        before = self._text[first:start].rstrip()
        if not before:
            return first == 0
        if before[-1] in _BEFORE_OPERAND:
            return True
        return _WORD_BEFORE_OPERAND.search(before) is not None

    def _read_closing(self, start: int, byte: int) -> int:
        """Add a closing bracket, and return the index to go on from."""
        resumes_template = False
        for depth in range(1, min(len(self._open), _MAX_SKIPPED_BRACKETS) + 1):
            bracket = self._open[-depth]
            if bracket.closing_byte == byte:
                self._tokens.ends[bracket.number] = start + 1
                resumes_template = bracket.in_template
                del self._open[-depth:]
                break
        self._tokens.add(TokenKind.CLOSING, start, start + 1)
        if resumes_template:
            return self._read_template(start + 1, start + 1)
        return start + 1

    def _read_template(self, start: int, content: int) -> int:
        """Add the part of a template up to its end or its next code.

        The part begins at `start` and its text at `content`. Return the index to go on
        from.
        """
        match = _TEMPLATE_PART.match(self._text, content)
        if match is None:
            return content
        if match[1] == b"`":
            self._tokens.add(TokenKind.STRING, start, match.end())
            return match.end()
        self._tokens.add(TokenKind.STRING, start, match.end() - 2)
        number = self._tokens.add(TokenKind.OPENING, match.end() - 2)
        self._open.append(_OpenBracket(number, ord("}"), in_template=True))
        return match.end()
