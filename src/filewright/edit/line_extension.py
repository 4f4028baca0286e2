"""An edit whose search text occurs exactly: the replacement is written as it is sent.

Two things are an edit of whole lines all the same. A search text that ends with a newline names lines, so what takes
their place ends with one too. A search text that begins inside the indentation of its line names that line, unless it
ends inside a word, and nothing beside it is moved: where the replacement could be indented in two ways, the edit is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.edit.comparison import (
    WHITESPACE,
    indent_width,
    is_blank,
    leading_whitespace,
)
from filewright.edit.indentation import Indentation
from filewright.edit.model import AmbiguousWriteError, ByteRange, TextPart
from filewright.edit.reindent import CLOSING, ITEM, OPENING
from filewright.edit.source import Source

#: Bytes of a character in any encoding.
_LONGEST_CHARACTER = 4
_WORD = re.compile(r"\w")
_LONGEST_INDENT = 1 << 16  # a line may be as long as the file
#: A line that goes on with the one above, or one that such a line follows.
_CONTINUING = re.compile(r"\s*(?:[.?:+*/|&<=,]|-[>\s]|and\b|or\b)")
_GOING_ON = re.compile(r"(?:[,=\\>|&+*/?-]|\band|\bor)\s*$")


def extend_to_lines(source: Source, part: TextPart) -> TextPart:
    """Return the part, as whole lines where it names lines. Raises `AmbiguousWriteError` where it has two readings."""
    part = _ended(source, part)
    first = part.search.partition("\n")[0]
    start = part.span.start
    begin = source.line_start(start)
    if begin == start or start - begin > _LONGEST_INDENT or is_blank(first):
        return part
    lead = source.text(source.read(begin, start))
    if lead.strip(WHITESPACE):
        return part
    if is_blank(part.replace):
        return _deleted(source, part, begin, lead)
    if _ends_in_word(source, part):
        return part
    readings = _Readings(source, part, lead)
    text = readings.choose()
    if text == lead + part.replace:
        return part
    return TextPart(ByteRange(begin, part.span.end), lead + part.search, text)


def _ends_in_word(source: Source, part: TextPart) -> bool:
    """Return whether a text ends inside a word of its line: it names a part of that line, and not the line."""
    end = part.span.end
    if end >= source.size:
        return False
    row = source.row_holding(end)
    behind = source.text(row.body[end - row.offset :][:_LONGEST_CHARACTER])
    return bool(_WORD.fullmatch(part.search[-1:]) and _WORD.match(behind))


def _ended(source: Source, part: TextPart) -> TextPart:
    """End the replacement with a newline if the search text ends with one."""
    search, new, span = part.search, part.replace, part.span
    if not search.endswith("\n") or new.endswith("\n") or is_blank(search):
        return part
    if span.end == source.size and new + "\n" == search:
        return part  # the end of the file is what the edit is about
    if not new and not source.read(source.line_start(span.start), span.start).strip():
        return part  # whole lines go
    return TextPart(span, search, new + "\n")


def _deleted(source: Source, part: TextPart, begin: int, lead: str) -> TextPart:
    """Delete the indentation with the line, and leave the next line where it is."""
    search, span = part.search, part.span
    last = search.rpartition("\n")[2]
    whole = TextPart(ByteRange(begin, span.end), lead + search, part.replace)
    if search.endswith("\n"):
        return whole
    if "\n" in search and is_blank(last):
        if part.replace:
            return part
        end = span.end - len(last.encode(source.encoding.name))
        return TextPart(ByteRange(begin, end), lead + search[: -len(last)], "")
    rest = source.row_holding(span.end - 1).body[
        span.end - source.line_start(span.end - 1) :
    ]
    return part if rest.strip() or part.replace else whole


@dataclass(frozen=True, slots=True)
class _Readings:
    """The ways in which a replacement may be indented whose search text lacks `lead`."""

    source: Source
    part: TextPart
    lead: str

    def choose(self) -> str:
        """Return the text of the only reading. Raises `AmbiguousWriteError` if there is none, or more than one."""
        search, new = self._lines(self.part.search), self._lines(self.part.replace)
        given, full = (
            leading_whitespace(search[0]),
            self.lead + leading_whitespace(search[0]),
        )
        literal = self.lead + self.part.replace
        if len(search) == len(new) == 1 and leading_whitespace(new[0]) == given:
            return literal
        readings: dict[str, None] = {}
        if leading_whitespace(new[0]) == full != given:
            # The replacement has the file's own indentation already.
            readings[self.part.replace] = None
            if self._is_plausible(self.part.replace, search, new):
                return self.part.replace
        readings[literal] = None
        if len(search) == 1:
            # Of one line nothing shows whether it alone lacks its indentation.
            shifted = self._shifted(given, full)
            if shifted is not None:
                readings[shifted] = None
        plausible = [text for text in readings if self._is_plausible(text, search, new)]
        if len(plausible) > 1:
            plausible = [
                text for text in plausible if self._has_steps(text)
            ] or plausible
        if len(plausible) == 1 and (
            plausible[0] == literal or self._has_steps(plausible[0])
        ):
            return plausible[0]
        raise AmbiguousWriteError(
            f"the search text begins inside the indentation of its line, and {search[0].strip()!r}, or a line "
            "beside it, can be indented in several ways",
            "send search and replace with the whole indentation of their first line",
            readings=tuple(plausible or readings)[:2],
        )

    @staticmethod
    def _lines(text: str) -> list[str]:
        """Return the lines that are not blank."""
        return [line for line in text.split("\n") if not is_blank(line)]

    def _shifted(self, given: str, full: str) -> str | None:
        """Return the replacement with all lines moved as the first line is, in the file's unit."""
        indents = {leading_whitespace(line) for line in self._lines(self.part.replace)}
        if not all(indent.startswith(given) for indent in indents):
            return None
        indentation = Indentation.of([(given, full)])
        forms: dict[str, tuple[str, ...]] = {}
        if indentation is not None:
            forms = indentation.extended(indents, self.source.indent_unit)
        lines: list[str] = []
        for line in self.part.replace.split("\n"):
            indent = leading_whitespace(line)
            own = forms.get(indent, ())
            moved = own[0] if len(own) == 1 else full + indent[len(given) :]
            lines.append(line if is_blank(line) else moved + line[len(indent) :])
        return "\n".join(lines)

    def _is_plausible(
        self, text: str, search: Sequence[str], new: Sequence[str]
    ) -> bool:
        """Return whether a reading leaves lines that stay in place, and blocks below the lines that open them."""
        written = self._lines(text)
        asked = {line.strip(): line for line in reversed(search)}
        typed_lines = new
        if len(search) > 1 and text == self.lead + self.part.replace:
            new = [
                self.lead + new[0],
                *new[1:],
            ]  # the first line alone lacks its indentation
        openers: list[str] = []
        for index, (line, typed) in enumerate(zip(written, new, strict=True)):
            old = asked.get(line.strip())
            is_first = old is search[0]
            own = (
                self.lead + leading_whitespace(search[0])
                if is_first
                else leading_whitespace(old or "")
            )
            is_moved = index > 0 and leading_whitespace(
                typed_lines[index]
            ) == leading_whitespace(old or "")
            stays = old is not None and (is_moved or index == 0)
            if stays and leading_whitespace(line) != own:
                return False
            if index and not self._follows(
                written[index - 1], line, new[index - 1], typed, search
            ):
                return False
            if len(search) > 1:
                continue  # it shows how its other lines are indented
            if (
                CLOSING.match(line)
                and openers
                and indent_width(openers.pop()) != indent_width(line)
            ):
                return False
            if OPENING.search(line) and not line.rstrip().endswith(":"):
                openers.append(line)
            if indent_width(typed) >= indent_width(new[0]) and indent_width(
                line
            ) < indent_width(written[0]):
                return False
        return True

    def _follows(
        self, above: str, line: str, typed_above: str, typed: str, search: Sequence[str]
    ) -> bool:
        """Return whether a line may be indented as it is below the line above it."""
        if CLOSING.match(line):
            return True
        deeper = indent_width(line) - indent_width(above)
        if OPENING.search(above):
            is_new = above.strip() not in map(str.strip, search) and not ITEM.match(
                line
            )
            is_flat = is_new and not OPENING.search(search[0])
            return deeper > 0 or (
                not is_flat and indent_width(typed) <= indent_width(typed_above)
            )
        if len(search) > 1 or deeper <= 0 or ITEM.match(above):
            return True
        return bool(_GOING_ON.search(above) or _CONTINUING.match(line))

    def _has_steps(self, text: str) -> bool:
        """Return whether each block is as deep below its line as blocks of the file are."""
        unit = indent_width(self.source.indent_unit + "x")
        lines = self._lines(text)
        for above, line in pairwise(lines):
            deeper = indent_width(line) - indent_width(above)
            if OPENING.search(above) and deeper > 0 and deeper != unit:
                return False
        return True
