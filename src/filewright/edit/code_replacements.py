"""Replacements of the matches of a pattern of code.

Where the replacement has the holes of the pattern in their order, only the text around
them is replaced: the holes keep their bytes, and matches inside of them are replaced too.
Otherwise a match is replaced as a whole, by the holes as they are after the replacement
of the matches inside of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os.path import commonprefix

from filewright.edit.line_endings import choose_terminator
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.languages import language_of
from filewright.search.code_pattern import (
    CodePattern,
    Hole,
    split_holes,
    unescape_dollars,
)
from filewright.search.code_tokens import TokenKind, scan_tokens
from filewright.search.matches import Match
from filewright.text.codec import encode
from filewright.text.splice import Splice, apply_splices
from filewright.wording import join_limited

_MAX_DEPTH = 200
"""Matches inside one another that are replaced."""
_MAX_NAMED_LINES = 10
_MAX_LISTED_LINES = 200
"""The lines of refused matches in the message of an error, and in its details."""
_READ_BEHIND = 16
"""Bytes behind a match in which a comment that goes too far is noticed."""

_OPENING, _CLOSING = "([{", ")]}"
_BRACKET = re.compile(r"[()\[\]{}]")
_LINE_ENDS = re.compile(r"([\r\n]+)")
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
                f"the replacement has the hole {sign}{part.name}, which the "
                "pattern has not",
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
        self._language = None
        if source.snapshot.location is not None:
            self._language = language_of(source.snapshot.location.name)
        self._texts = _split_texts(parts, len(pattern.holes))
        self._keeps_brackets = _BRACKET.findall(
            "".join(pattern.texts)
        ) == _BRACKET.findall("".join(self._texts or ()))

    def replace_all(self, matches: Sequence[Match]) -> CodeSplices:
        """Return the splices that replace matches, which are in order of their starts."""
        splices: list[Splice] = []
        unchanged = 0
        outermost = _nest(matches)
        refused: list[Match] = []
        for nested in outermost:
            match_splices = list(self._replace(nested))
            if not self._keeps_comments(nested, match_splices):
                refused.append(nested.match)
            for splice in match_splices:
                _append(splices, splice)
        if refused:
            raise self._refuse(refused, outermost)
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
        pattern_text = unescape_dollars(self._pattern.texts[number])
        old = pattern_text.strip()
        if number > 0:
            start = self._hole_span(match, number)[1]
        if number < hole_count:
            end = self._hole_span(match, number + 1)[0]
        new = self._drop_commas(
            match, self._texts, range(1, hole_count + 1), has_same_order=True
        )[number]
        if new == pattern_text:
            return []
        new = self._end_lines(match, new)
        pattern_text = self._end_lines(match, pattern_text)
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
        """Return the splices that put a text at a range."""
        data = self._encode(text)
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
        texts, holes = _separate(self._parts)
        texts = self._drop_commas(match, texts, holes)
        data = self._encode(self._end_lines(match, texts[0]))
        for hole, text in zip(holes, texts[1:], strict=True):
            start, end = self._hole_span(match, hole)
            inner = [
                item
                for item in nested.inner
                if start <= item.match.offset and item.match.end <= end
            ]
            splices = [self._replace_whole(item) for item in inner]
            data += _apply_at(start, self._source.read(start, end), splices)
            data += self._encode(self._end_lines(match, text))
        return Splice(match.offset, match.end - match.offset, data)

    # In both

    def _encode(self, text: str) -> bytes:
        """Return a text as bytes of the file, with its own ends of lines."""
        data = b""
        for part in _LINE_ENDS.split(text):
            if part.startswith(("\r", "\n")):
                # Encoding would make each of them a newline.
                data += part.encode()
            else:
                data += encode(
                    part, self._source.encoding, argument="replacement"
                )
        return data

    def _end_lines(self, match: Match, text: str) -> str:
        """Return a text whose lines end as that in which a match begins."""
        source = self._source
        if "\n" not in text or source.has_no_returns:
            return text
        row = source.row_holding(match.offset)
        terminator = row.terminator or choose_terminator(source, row.offset)
        return text.replace("\n", source.text(terminator))

    def _drop_commas(
        self,
        match: Match,
        texts: Sequence[str],
        holes: Sequence[int],
        *,
        has_same_order: bool = False,
    ) -> list[str]:
        """Return the texts without one comma for each hole that has no text.

        With `has_same_order`, a comma that the pattern has there too is not dropped.
        """
        result = [*texts]
        empty: set[int] = set()
        for index, hole in enumerate(holes, 1):
            start, end = self._hole_span(match, hole)
            if start < end:
                continue
            empty.add(index)
            # The text before this hole, and before empty holes without one between.
            before = index - 1
            while before in empty and not result[before]:
                before -= 1
            old_before = old_behind = ""
            if has_same_order:
                old_before = self._pattern.texts[before]
                old_behind = self._pattern.texts[index]
            if _LEADING_COMMA.match(result[index]):
                if not _LEADING_COMMA.match(old_behind):
                    result[index] = _LEADING_COMMA.sub("", result[index])
            elif not _TRAILING_COMMA.search(old_before):
                result[before] = _TRAILING_COMMA.sub("", result[before])
        return result

    # Comments

    def _keeps_comments(
        self, nested: _Nested, splices: Sequence[Splice]
    ) -> bool:
        """Return True if no code becomes part of a comment.

        Each comment of the result must be one of the file or of the replacement.
        """
        if self._language is None:
            return True
        match = nested.match
        behind = self._source.read(match.end, match.end + _READ_BEHIND)
        behind = b"".join(behind.splitlines(keepends=True)[:1])
        old = self._source.read(match.offset, match.end)
        new = _apply_at(match.offset, old, splices)
        comments = self._find_comments(self._source.text(new + behind))
        if not comments:
            return True
        expected = self._find_comments(self._source.text(old + behind))
        if comments <= expected:
            return True
        expected |= self._find_own_comments(nested)
        return comments <= expected

    def _refuse(
        self, refused: Sequence[Match], outermost: Sequence[_Nested]
    ) -> FilewrightError:
        """Return the error for matches whose replacement would be in a comment."""
        path = self._source.snapshot.requested_path
        lines = [self._source.line_number(match.offset) for match in refused]
        places = join_limited(list(map(str, lines)), _MAX_NAMED_LINES)
        noun = "line" if len(lines) == 1 else "lines"
        hint = (
            "edit these places first (by search or lines), then repeat this "
            "call for the others"
        )
        parts = self._find_parts_that_fit(outermost)
        if parts is not None:
            hint = (
                f"give replacement={self._spell(parts)}, which fits all "
                f"matches here, or {hint}"
            )
        return path_error(
            Code.INVALID_INPUT,
            path,
            f"the replacement of {len(lines)} of {len(outermost)} matches in "
            f"{path}, at {noun} {places}, would put code into a comment, "
            "behind a comment on the same line",
            hint,
            argument="replacement",
            line=lines[0],
            lines=lines[:_MAX_LISTED_LINES],
        )

    def _find_parts_that_fit(
        self, outermost: Sequence[_Nested]
    ) -> list[str | int] | None:
        """Return the replacement with a line break behind each hole, or None.

        None unless it fits all matches. The line breaks must be inside of brackets,
        where they end no statement.
        """
        parts: list[str | int] = []
        depth = 0
        for part in self._parts:
            if isinstance(part, str):
                if parts and depth > 0 and not part.startswith("\n"):
                    part = f"\n{part}"
                elif parts:
                    return None
                for bracket in _BRACKET.findall(part):
                    depth += 1 if bracket in _OPENING else -1
            parts.append(part)
        if (
            "$" in "".join(map(str, self._parts))
            or depth
            or parts == [*self._parts]
        ):
            return None
        replacer = CodeReplacer(self._source, self._pattern, parts)
        for nested in outermost:
            splices = list(replacer._replace(nested))
            if not replacer._keeps_comments(
                nested, splices
            ) or self._has_extra_comma(nested, parts):
                return None
        return parts

    def _has_extra_comma(
        self, outermost: _Nested, parts: Sequence[str | int]
    ) -> bool:
        """Return True if a comma behind a hole would follow another, or no argument.

        A comment hides the comma at the end of a hole, or is all that it has.
        """
        texts, holes = _separate(parts)
        pending = [outermost]
        while pending:
            item = pending.pop()
            pending += item.inner
            for hole, text in zip(holes, texts[1:], strict=True):
                start, end = self._hole_span(item.match, hole)
                if start == end or not _LEADING_COMMA.match(text):
                    continue
                code = self._read_without_comments(start, end).rstrip()
                if not code or code.endswith(b","):
                    return True
        return False

    def _read_without_comments(self, start: int, end: int) -> bytes:
        """Return the text of a range as UTF-8 without the comments in it."""
        data = self._source.text(self._source.read(start, end)).encode(
            "utf-8", "surrogateescape"
        )
        tokens = scan_tokens(data, self._language)
        code, last = b"", 0
        for number, kind in enumerate(tokens.kinds):
            if kind == TokenKind.COMMENT:
                code += data[last : tokens.starts[number]]
                last = tokens.ends[number]
        return code + data[last:]

    def _spell(self, parts: Sequence[str | int]) -> str:
        """Return a replacement as the caller writes it, in JSON."""
        text = ""
        for part in parts:
            if isinstance(part, str):
                text += part
            else:
                hole = self._pattern.holes[part - 1]
                text += f"{'$$$' if hole.is_multiple else '$'}{hole.name}"
        return json.dumps(text, ensure_ascii=False)

    def _find_comments(self, text: str) -> set[bytes]:
        """Return the comments of a text, with newlines as ends of lines."""
        data = text.replace("\r\n", "\n").encode("utf-8", "surrogateescape")
        tokens = scan_tokens(data, self._language)
        comments: set[bytes] = set()
        for number, kind in enumerate(tokens.kinds):
            if kind == TokenKind.COMMENT:
                start, end = tokens.starts[number], tokens.ends[number]
                comments.add(data[start:end])
        return comments

    def _find_own_comments(self, nested: _Nested) -> set[bytes]:
        """Return the comments that the replacement itself has for some matches."""
        texts, holes = _separate(self._parts)
        # A word in the place of each hole: its own comments are not those of the text.
        marks = [f"\0{hole}\0" for hole in holes]
        template = texts[0]
        for mark, text in zip(marks, texts[1:], strict=True):
            template += mark + text
        own = self._find_comments(template)
        comments: set[bytes] = set()
        pending = [nested]
        while pending and own:
            item = pending.pop()
            pending += item.inner
            for comment in own:
                for mark, hole in zip(marks, holes, strict=True):
                    start, end = self._hole_span(item.match, hole)
                    content = self._source.text(self._source.read(start, end))
                    comment = comment.replace(
                        mark.encode(),
                        content.encode("utf-8", "surrogateescape"),
                    )
                comments.add(comment)
        return comments


def _apply_at(start: int, data: bytes, splices: Sequence[Splice]) -> bytes:
    """Return the data at an offset with splices of the file applied."""
    moved: list[Splice] = []
    for splice in splices:
        _append(
            moved,
            Splice(splice.offset - start, splice.length, splice.replacement),
        )
    return apply_splices(data, moved)


def _separate(parts: Sequence[str | int]) -> tuple[list[str], list[int]]:
    """Return the texts around the holes of a replacement, and the holes."""
    texts = [""]
    holes: list[int] = []
    for part in parts:
        if isinstance(part, int):
            holes.append(part)
            texts.append("")
        else:
            texts[-1] += part
    return texts, holes


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
    texts, holes = _separate(parts)
    return texts if holes == [*range(1, hole_count + 1)] else None


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
                f"matches are nested more than {_MAX_DEPTH} deep",
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
