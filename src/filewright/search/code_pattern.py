"""Patterns of code: text with holes, whose brackets are balanced in every match.

``$NAME`` stands for one argument, ``$$$NAME`` for any number of them, over as many lines
as they take. Between the words and signs of the pattern a match may have any whitespace.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from filewright.errors import FilewrightError, invalid
from filewright.languages import Language
from filewright.progress import Task
from filewright.search.code_tokens import TokenKind, Tokens, scan_tokens

_MAX_PLAIN_BYTES = 32 << 10
"""Bytes outside brackets and strings that a hole may have."""

_MAX_TOKENS = 4_000
"""Brackets and strings that a hole may have."""

_MAX_ATTEMPTS = 500
"""Places that are tried for the texts behind the holes of one match."""

_MAX_HOLES = 20

_HOLE = re.compile(r"\$\$\$([A-Z_][A-Z0-9_]*)?|\$([A-Z_][A-Z0-9_]*)")
# The parts of a pattern between its holes: strings, words, brackets and operators.
_PART = re.compile(
    r"""\s+|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|\\\$|\w+|[()\[\]{},;]|\$"""
    r"""|[^\w\s()\[\]{},;"'`$\\]+|.""",
    re.DOTALL,
)
_WORD_BYTE = rb"[\w\x80-\xff]"
_OPERATOR_SIGNS = "=<>!+-*/%&|^~?"
_SEPARATOR = re.compile(rb"[,;]")
_SPACE = b" \t\r\n\f\v"
_SPACES = re.compile(rb"\s*+")


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole of a pattern: of any number of arguments, or of one."""

    name: str
    is_multiple: bool


@dataclass(frozen=True, slots=True)
class CodeMatch:
    """A match: its span, and the spans of the holes in order, as indices of the text."""

    span: tuple[int, int]
    holes: tuple[tuple[int, int], ...]

    def has_in_hole(self, other: CodeMatch) -> bool:
        """Return True if another match is in one of the holes as a whole."""
        return any(
            start <= other.span[0] and other.span[1] <= end
            for start, end in self.holes
        )


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A pattern of code: its `holes`, and the `texts` before, between and behind them.

    `literals` are the expressions for the texts, and `beginnings` those for the first
    word or sign of each text. `anchor` is a word or sign that every match contains.
    """

    texts: tuple[str, ...]
    holes: tuple[Hole, ...]
    literals: tuple[re.Pattern[bytes], ...]
    beginnings: tuple[re.Pattern[bytes], ...]
    anchor: str

    @property
    def hole_numbers(self) -> dict[str, int]:
        """The number, from 1, of the first hole of each name."""
        numbers: dict[str, int] = {}
        for number, hole in enumerate(self.holes, 1):
            if hole.name:
                numbers.setdefault(hole.name, number)
        return numbers

    def find(
        self, text: bytes, language: Language | None, task: Task
    ) -> Iterator[CodeMatch]:
        """Yield the matches in order of their starts, with those in holes of others.

        Of two matches that overlap otherwise, the first is yielded.
        """
        reader: _MatchReader | None = None
        # The matches around the current place, the innermost last.
        outer: list[CodeMatch] = []
        for head in self.literals[0].finditer(text):
            if reader is None:
                reader = _MatchReader(self, text, scan_tokens(text, language))
            task.check()
            match = reader.read(head)
            if match is None:
                continue
            while outer and outer[-1].span[1] <= match.span[0]:
                outer.pop()
            if not outer or outer[-1].has_in_hole(match):
                outer.append(match)
                yield match


class _MatchReader:
    """A reader of the matches in one text, with their holes."""

    def __init__(
        self, pattern: CodePattern, text: bytes, tokens: Tokens
    ) -> None:
        self._pattern = pattern
        self._text = text
        self._tokens = tokens
        self._attempts = 0
        # Where the texts between the holes may begin. Each is looked for once: a
        # search for each match would make the time quadratic.
        self._beginnings: dict[int, array[int]] = {}

    def read(self, head: re.Match[bytes]) -> CodeMatch | None:
        """Return the match that begins with `head`, a place of the first text, or None."""
        if self._tokens.is_opaque_at(head.start()):
            return None
        self._attempts = _MAX_ATTEMPTS
        return self._read_holes(head.start(), head.end(), ())

    def _read_holes(
        self, start: int, index: int, spans: tuple[tuple[int, int], ...]
    ) -> CodeMatch | None:
        """Return the match whose first holes have these spans, up to `index`."""
        pattern = self._pattern
        number = len(spans)
        if number == len(pattern.holes):
            return CodeMatch((start, index), spans)
        hole = pattern.holes[number]
        for match in self._find_text(number + 1, index):
            self._attempts -= 1
            if self._attempts < 0:
                return None
            span = self._hole_span(hole, index, match.start())
            if span is None:
                return None
            if not self._agrees(number, span, spans):
                continue
            result = self._read_holes(start, match.end(), (*spans, span))
            if result is not None:
                return result
        return None

    def _find_text(self, number: int, index: int) -> Iterator[re.Match[bytes]]:
        """Yield the places of a text of the pattern, outside brackets and strings.

        A bracket that closes the one around them ends the search.
        """
        text, tokens = self._text, self._tokens
        literal = self._pattern.literals[number]
        token = tokens.first_from(index)
        if self._is_in_unclosed(token, index):
            return
        scanned = 0
        for _ in range(_MAX_TOKENS):
            stop = len(text)
            if token < len(tokens.starts):
                stop = tokens.starts[token]
            stop = min(stop, index + _MAX_PLAIN_BYTES - scanned)
            scanned += stop - index
            for place in self._find_beginnings(number, index, stop):
                match = literal.match(text, place)
                if match is not None:
                    yield match
            is_at_end = token == len(tokens.starts)
            if is_at_end or scanned >= _MAX_PLAIN_BYTES:
                return
            # The text may begin with the bracket or string that is next.
            match = literal.match(text, stop)
            if match is not None:
                yield match
            if tokens.kinds[token] == TokenKind.CLOSING or (
                not tokens.is_closed(token)
            ):
                return
            index = tokens.ends[token]
            token = tokens.first_from(index)

    def _find_beginnings(
        self, number: int, start: int, stop: int
    ) -> Iterator[int]:
        """Yield the indices from `start` to before `stop` where a text may begin."""
        indices = self._beginnings.get(number)
        if indices is None:
            beginning = self._pattern.beginnings[number]
            indices = array("I")
            for match in beginning.finditer(self._text):
                indices.append(match.start())
            self._beginnings[number] = indices
        position = bisect_left(indices, start)
        while position < len(indices) and indices[position] < stop:
            yield indices[position]
            position += 1

    def _is_in_unclosed(self, token: int, index: int) -> bool:
        """Return True if the bracket before an index, and before a token, is never closed.

        Nothing behind it can then be balanced, and a file may have many of these.
        """
        tokens = self._tokens
        return (
            token > 0
            and tokens.starts[token - 1] == index - 1
            and tokens.kinds[token - 1] == TokenKind.OPENING
            and not tokens.is_closed(token - 1)
        )

    def _hole_span(
        self, hole: Hole, start: int, end: int
    ) -> tuple[int, int] | None:
        """Return a hole without whitespace at its edges, None if it cannot be this one.

        A comma behind the last of several arguments is not part of the hole.
        """
        text = self._text
        first = self._skip_space(start, end)
        last = self._skip_space_back(first, end)
        if not hole.is_multiple:
            if first == last or self._has_separator(first, last):
                return None
            return first, last
        is_last = end < len(text) and text[end] in b")]}"
        if is_last and first < last and text[last - 1] in b",":
            last = self._skip_space_back(first, last - 1)
        return (start, start) if first == last else (first, last)

    def _skip_space(self, index: int, end: int) -> int:
        match = _SPACES.match(self._text, index, end)
        return index if match is None else match.end()

    def _skip_space_back(self, start: int, index: int) -> int:
        # Contents are not copied to be stripped: calls may be deep inside one another.
        while index > start and self._text[index - 1] in _SPACE:
            index -= 1
        return index

    def _has_separator(self, start: int, end: int) -> bool:
        """Return True if a comma or semicolon is between two indices, outside brackets."""
        tokens = self._tokens
        token = tokens.first_from(start)
        while start < end:
            stop = end
            if token < len(tokens.starts):
                stop = min(end, tokens.starts[token])
            if _SEPARATOR.search(self._text, start, stop):
                return True
            if stop == end:
                return False
            start = max(tokens.ends[token], stop + 1)
            token = tokens.first_from(start)
        return False

    def _agrees(
        self,
        number: int,
        span: tuple[int, int],
        spans: tuple[tuple[int, int], ...],
    ) -> bool:
        """Return True if the holes of one name before this one have the same text."""
        name = self._pattern.holes[number].name
        if not name or name == "_":
            return True
        start, end = span
        for other, (other_start, other_end) in zip(
            self._pattern.holes, spans, strict=False
        ):
            if other.name == name and (
                self._text[other_start:other_end] != self._text[start:end]
            ):
                return False
        return True


def compile_code_pattern(text: str, *, ignore_case: bool) -> CodePattern:
    """Return a pattern of code. Raise `invalid_input` if it is malformed."""
    texts: list[str] = []
    holes: list[Hole] = []
    end = 0
    for match in _find_holes(text):
        texts.append(text[end : match.start()])
        holes.append(_read_hole(match))
        end = match.end()
    texts.append(text[end:])
    if not texts[0].strip() or not texts[-1].strip():
        raise _malformed(
            "it begins or ends with a hole, so the extent of the hole is "
            "unclear",
            "put text around the hole, as in f($$$ARGS)",
        )
    if not all(part.strip() for part in texts):
        raise _malformed(
            "two holes have no text between them",
            "put the separator of the code between them, such as a comma",
        )
    if len(holes) > _MAX_HOLES:
        raise _malformed(
            f"it has {len(holes)} holes", f"use at most {_MAX_HOLES}"
        )
    flags = re.IGNORECASE if ignore_case else 0
    parts: list[str] = []
    literals = []
    beginnings = []
    for part in texts:
        parts_of_text = _PART.findall(part.strip())
        parts += parts_of_text
        literals.append(re.compile(_to_expression(part), flags | re.DOTALL))
        beginning = _to_expression(parts_of_text[0], ends=False)
        beginnings.append(re.compile(beginning, flags))
    # Whitespace may differ in a match, so it is no anchor, however long it is.
    longest = max((part for part in parts if part.strip()), key=len)
    return CodePattern(
        texts=tuple(texts),
        holes=tuple(holes),
        literals=tuple(literals),
        beginnings=tuple(beginnings),
        anchor=unescape_dollars(longest),
    )


def unescape_dollars(text: str) -> str:
    """Return a text of a pattern or replacement with its ``\\$`` as dollar signs."""
    return text.replace("\\$", "$")


def has_capital(text: str) -> bool:
    """Return True if a pattern of code has a capital outside of its holes."""
    return any(map(str.isupper, _HOLE.sub("", text)))


def split_holes(text: str) -> Iterator[str | Hole]:
    """Yield the texts and holes of a replacement, in order."""
    end = 0
    for match in _find_holes(text):
        yield unescape_dollars(text[end : match.start()])
        yield _read_hole(match)
        end = match.end()
    yield unescape_dollars(text[end:])


def _find_holes(text: str) -> Iterator[re.Match[str]]:
    """Yield the holes of a pattern or replacement; a dollar after a backslash is none."""
    for match in _HOLE.finditer(text):
        if not text[: match.start()].endswith("\\"):
            yield match


def _read_hole(match: re.Match[str]) -> Hole:
    return Hole(match[1] or match[2] or "", match[0].startswith("$$$"))


def _malformed(problem: str, hint: str) -> FilewrightError:
    return invalid(f"the pattern of code: {problem}", hint, argument="pattern")


def _to_expression(text: str, *, ends: bool = True) -> bytes:
    """Return the expression for a text, with any whitespace between its parts.

    Without `ends`, a word at the end of the text may go on in the file.
    """
    parts = _PART.findall(text.strip())
    expression = b""
    if _is_word(parts[0][0]):
        expression += rb"(?<!" + _WORD_BYTE + rb")"
    elif parts[0][0] in _OPERATOR_SIGNS:
        # "==" is no part of "===" and "!==", nor "=" of "=>".
        expression += rb"(?<![=<>!" + _escape(parts[0][0]) + rb"])"
    expression += _escape(parts[0])
    previous = parts[0]
    for before, part in pairwise(parts):
        if part.isspace():
            continue
        # Two words need whitespace, and beside a sign there may be none.
        if before.isspace() and _is_word(previous[-1]) and _is_word(part[0]):
            expression += rb"\s++"
        elif before.isspace() or not (
            before.endswith("$") or part.endswith("$")
        ):
            expression += rb"\s*+"
        expression += _escape(part)
        previous = part
    if ends and _is_word(parts[-1][-1]):
        expression += rb"(?!" + _WORD_BYTE + rb")"
    elif ends and parts[-1][-1] in _OPERATOR_SIGNS:
        expression += rb"(?![=>" + _escape(parts[-1][-1]) + rb"])"
    return expression


def _escape(part: str) -> bytes:
    return re.escape(unescape_dollars(part).encode())


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
