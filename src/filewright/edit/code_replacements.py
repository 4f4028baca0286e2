"""Replacements of the matches of a pattern of code.

Where the replacement has the holes of the pattern in their order, only the text around
them is replaced: the holes keep their bytes, and matches inside of them are replaced too.
Otherwise a match is replaced as a whole, by the holes as they are after the replacement
of the matches inside of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os.path import commonprefix

from filewright.edit.line_endings import replace_lines
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid
from filewright.search.code_pattern import (
    CodePattern,
    Hole,
    split_holes,
    unescape_dollars,
)
from filewright.search.matches import Match
from filewright.text.codec import encode
from filewright.text.splice import Splice, apply_splices

_MAX_DEPTH = 200
"""Matches inside one another that are replaced."""

_OPENING, _CLOSING = "([{", ")]}"
_BRACKET = re.compile(r"[()\[\]{}]")
_LEADING_COMMA = re.compile(r"\A\s*,\s*")
_TRAILING_COMMA = re.compile(r"\s*,\s*\Z")


def compile_code_replacement(
    text: str, pattern: CodePattern
) -> tuple[str | int, ...]:
    """Return texts and numbers of holes, from 1. Raise `invalid_input` for other holes."""
    parts: list[str | int] = []
    unnamed = [
        number for number, hole in enumerate(pattern.holes, 1) if not hole.name
    ]
    for part in split_holes(text):
        if not isinstance(part, Hole):
            parts.append(part)
        elif part.name in pattern.hole_numbers:
            parts.append(pattern.hole_numbers[part.name])
        elif not part.name and unnamed:
            parts.append(unnamed.pop(0))
        else:
            sign = "$$$" if part.is_multiple else "$"
            raise invalid(
                f"the replacement has the hole {sign}{part.name}, and the "
                "pattern has none of that name",
                f"write \\{sign[0]}{part.name} for the text itself",
                argument="replacement",
            )
    return tuple(part for part in parts if part != "")


@dataclass(frozen=True, slots=True)
class CodeSplices:
    """The splices of all matches, and the number of matches that stay as they are."""

    splices: tuple[Splice, ...]
    unchanged: int


@dataclass(frozen=True, slots=True)
class _Nested:
    """A match, and those inside of its holes."""

    match: Match
    inner: list[_Nested]


class CodeReplacer:
    """Replaces the matches of one pattern in one text."""

    def __init__(
        self, source: Source, pattern: CodePattern, parts: Sequence[str | int]
    ) -> None:
        self._source = source
        self._pattern = pattern
        self._parts = parts
        self._texts = _split_texts(parts, len(pattern.holes))
        self._keeps_brackets = _BRACKET.findall(
            "".join(pattern.texts)
        ) == _BRACKET.findall("".join(self._texts or ()))

    def replace_all(self, matches: Sequence[Match]) -> CodeSplices:
        """Return the splices that replace matches, which are in order of their starts."""
        splices: list[Splice] = []
        unchanged = 0
        for nested in _nest(matches):
            for splice in self._replace(nested):
                _append(splices, splice)
        for match in matches:
            unchanged += not self._splices_of(match)
        return CodeSplices(tuple(splices), unchanged)

    def _replace(self, nested: _Nested) -> Iterator[Splice]:
        """Yield the splices of a match and those inside of it, in order."""
        if self._texts is None:
            yield self._replace_whole(nested)
            return
        inner = iter(nested.inner)
        following = next(inner, None)
        for number in range(len(self._pattern.holes) + 1):
            yield from self._replace_text(nested.match, number)
            stop = nested.match.end
            if number < len(self._pattern.holes):
                stop = self._hole_span(nested.match, number + 1)[1]
            while following is not None and following.match.end <= stop:
                yield from self._replace(following)
                following = next(inner, None)

    def _splices_of(self, match: Match) -> list[Splice]:
        """Return the splices of a match alone."""
        if self._texts is None:
            splice = self._replace_whole(_Nested(match, []))
            old = self._source.read(splice.offset, splice.end)
            return [] if old == splice.replacement else [splice]
        splices: list[Splice] = []
        for number in range(len(self._pattern.holes) + 1):
            splices += self._replace_text(match, number)
        return splices

    # In the order of the pattern

    def _replace_text(self, match: Match, number: int) -> Sequence[Splice]:
        """Return the splices of the text before hole `number`, from 0, or at the end."""
        assert self._texts is not None
        hole_count = len(self._pattern.holes)
        start, end = match.offset, match.end
        new = self._texts[number]
        old = unescape_dollars(self._pattern.texts[number]).strip()
        if number > 0:
            hole_start, start = self._hole_span(match, number)
            if hole_start == start and not _LEADING_COMMA.match(old):
                new = _LEADING_COMMA.sub("", new)
        if number < hole_count:
            end, hole_end = self._hole_span(match, number + 1)
            if end == hole_end and not _TRAILING_COMMA.search(old):
                new = _TRAILING_COMMA.sub("", new)
        pattern_text = self._pattern.texts[number]
        if new == unescape_dollars(pattern_text):
            return []
        region = self._source.text(self._source.read(start, end))
        lead = tail = ""
        if number > 0:
            lead = _lead_of(region)
            comma = _LEADING_COMMA.match(region)
            if comma is not None and not old.startswith(","):
                lead = comma[0]
        if number < hole_count:
            tail = region[len(region.rstrip()) :]
        if not self._keeps_brackets:
            # A line break may need the bracket around it, as in Python.
            result = new
        elif old[0] in _CLOSING and new.rstrip().endswith(old):
            # It comes right behind the hole, before a comma and line break there.
            result = new.rstrip().removesuffix(old) + region
        elif old[-1] in _OPENING and new.lstrip().startswith(old):
            result = region + new.lstrip().removeprefix(old)
        else:
            result = (
                _choose_edge(lead, _lead_of(pattern_text), _lead_of(new))
                + new.strip()
                + _choose_edge(tail, _tail_of(pattern_text), _tail_of(new))
            )
        return self._write_changed(start, region, result)

    def _write_changed(
        self, start: int, old: str, new: str
    ) -> Sequence[Splice]:
        """Return the splices that make one text of the file another."""
        prefix = commonprefix([old, new])  # noqa: RUF071 - of characters, not of paths
        old, new = old[len(prefix) :], new[len(prefix) :]
        suffix = commonprefix([old[::-1], new[::-1]])  # noqa: RUF071 - as above
        old = old[: len(old) - len(suffix)]
        new = new[: len(new) - len(suffix)]
        encoding = self._source.encoding.name
        start += len(prefix.encode(encoding, "surrogateescape"))
        end = start + len(old.encode(encoding, "surrogateescape"))
        return self._write(start, end, new)

    def _write(self, start: int, end: int, text: str) -> Sequence[Splice]:
        """Return the splices that put a text at a range, with the file's line ends."""
        data = encode(text, self._source.encoding, argument="replacement")
        if "\n" in text and not self._source.has_no_returns:
            bodies = [
                encode(line, self._source.encoding, argument="replacement")
                for line in text.split("\n")
            ]
            ends: list[bytes | None] = [None] * (len(bodies) - 1)
            return replace_lines(self._source, start, end, bodies, [*ends, b""])
        if self._source.read(start, end) == data:
            return []
        return [Splice(start, end - start, data)]

    def _hole_span(self, match: Match, number: int) -> tuple[int, int]:
        """Return the span of a hole, by its number from 1."""
        span = match.groups[number - 1]
        assert span is not None
        return span

    # As a whole

    def _replace_whole(self, nested: _Nested) -> Splice:
        """Return the one splice that replaces a match."""
        match = nested.match
        data = b""
        for index, part in enumerate(self._parts):
            if isinstance(part, int):
                start, end = self._hole_span(match, part)
                inner = [
                    item
                    for item in nested.inner
                    if start <= item.match.offset and item.match.end <= end
                ]
                splices = [self._replace_whole(item) for item in inner]
                data += apply_splices(
                    self._source.read(start, end),
                    [
                        Splice(
                            splice.offset - start,
                            splice.length,
                            splice.replacement,
                        )
                        for splice in splices
                    ],
                )
                continue
            text = part
            if self._is_empty(match, self._parts[index - 1 : index]):
                text = _LEADING_COMMA.sub("", text)
            if self._is_empty(match, self._parts[index + 1 : index + 2]):
                text = _TRAILING_COMMA.sub("", text)
            data += encode(text, self._source.encoding, argument="replacement")
        return Splice(match.offset, match.end - match.offset, data)

    def _is_empty(self, match: Match, parts: Sequence[str | int]) -> bool:
        """Return True if the parts are one hole that has no text."""
        if not parts or not isinstance(parts[0], int):
            return False
        start, end = self._hole_span(match, parts[0])
        return start == end


def _lead_of(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _tail_of(text: str) -> str:
    return text[len(text.rstrip()) :]


def _choose_edge(edge: str, pattern_edge: str, new_edge: str) -> str:
    """Return the whitespace between a text and a hole after the replacement.

    It is that of the file, unless the replacement has other than the pattern, or the
    file has none where the replacement has some.
    """
    if edge and new_edge == pattern_edge:
        return edge
    return new_edge


def _split_texts(
    parts: Sequence[str | int], hole_count: int
) -> list[str] | None:
    """Return the texts around the holes; None if these are not in the pattern's order."""
    if [part for part in parts if isinstance(part, int)] != [
        *range(1, hole_count + 1)
    ]:
        return None
    texts = [""]
    for part in parts:
        if isinstance(part, int):
            texts.append("")
        else:
            texts[-1] += part
    return texts


def _nest(matches: Sequence[Match]) -> list[_Nested]:
    """Return the outermost matches, each with those inside of its holes."""
    outermost: list[_Nested] = []
    around: list[_Nested] = []
    for match in matches:
        while around and around[-1].match.end <= match.offset:
            around.pop()
        nested = _Nested(match, [])
        (around[-1].inner if around else outermost).append(nested)
        around.append(nested)
        if len(around) > _MAX_DEPTH:
            raise FilewrightError(
                Code.TOO_LARGE,
                f"more than {_MAX_DEPTH} matches are inside one another",
                "replace them in parts, by lines or symbols",
            )
    return outermost


def _append(splices: list[Splice], splice: Splice) -> None:
    """Add a splice, joined to the last one if they touch."""
    if splices and splices[-1].end == splice.offset:
        last = splices.pop()
        splice = Splice(
            last.offset,
            last.length + splice.length,
            last.replacement + splice.replacement,
        )
    splices.append(splice)
