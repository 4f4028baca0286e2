"""The extension of an exact match to whole lines, where its text names lines.

An exact match is replaced as it is sent, with two exceptions. A search text that ends
with a newline names lines: what takes their place ends with one too. And a search text
that begins inside the indentation of its line names that line, unless it ends inside a
word. Nothing beside it is moved: where the replacement could be indented in two ways,
the edit is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.edit.block_lines import closes_block, is_list_item, opens_block
from filewright.edit.comparison import (
    WHITESPACE,
    indent_width,
    is_blank,
    leading_whitespace,
)
from filewright.edit.indentation import Indentation
from filewright.edit.model import AmbiguousWriteError, ByteRange, TextPart
from filewright.edit.source import Source

# The most bytes of a character in any encoding.
_MAX_CHARACTER_BYTES = 4
# A line may be as long as the file: a longer indentation is not read.
_MAX_INDENT_BYTES = 1 << 16
# A text that ends between two of them names a part of a word.
_WORD_CHARACTER = re.compile(r"\w")
# The beginning of a line that goes on with the line above it: `.then(...)`, `and b`.
_CONTINUES = re.compile(r"\s*(?:[.?:+*/|&<=,]|-[>\s]|and\b|or\b)")
# The end of a line that the line below goes on with: `a = b +`.
_IS_CONTINUED = re.compile(r"(?:[,=\\>|&+*/?-]|\band|\bor)\s*$")


def extend_to_lines(source: Source, part: TextPart) -> TextPart:
    """Return the part, as whole lines if it names lines.

    Raise `AmbiguousWriteError` if the replacement can be indented in two ways.
    """
    part = _end_with_newline(source, part)
    start = part.span.start
    line_start = source.line_start(start)
    first_line = part.search.partition("\n")[0]
    if line_start == start or is_blank(first_line):
        return part
    if start - line_start > _MAX_INDENT_BYTES:
        return part
    # Code before the match says that a part of the line is meant.
    lead = source.text(source.read(line_start, start))
    if lead.strip(WHITESPACE):
        return part
    if is_blank(part.replace):
        return _delete_indent(source, part, line_start, lead)
    if _ends_inside_word(source, part):
        return part
    text = _choose_reading(source, part, lead)
    if text == lead + part.replace:
        # The indentation stays as it is.
        return part
    return TextPart(
        ByteRange(line_start, part.span.end), lead + part.search, text
    )


def _end_with_newline(source: Source, part: TextPart) -> TextPart:
    """End the replacement with a newline if the search text ends with one."""
    search, new, span = part.search, part.replace, part.span
    if not search.endswith("\n") or new.endswith("\n") or is_blank(search):
        return part
    if span.end == source.size and new + "\n" == search:
        # The edit is about the newline at the end of the file.
        return part
    if not new:
        before = source.read(source.line_start(span.start), span.start)
        if not before.strip():
            # Whole lines are deleted: an added newline would leave a blank one.
            return part
    return TextPart(span, search, new + "\n")


def _ends_inside_word(source: Source, part: TextPart) -> bool:
    """Return True if a text ends inside a word: it names a part of its line."""
    end = part.span.end
    if end >= source.size:
        return False
    row = source.row_holding(end)
    behind = source.text(row.body[end - row.offset :][:_MAX_CHARACTER_BYTES])
    last_character = part.search[-1:]
    return bool(
        _WORD_CHARACTER.fullmatch(last_character)
        and _WORD_CHARACTER.match(behind)
    )


def _delete_indent(
    source: Source, part: TextPart, line_start: int, lead: str
) -> TextPart:
    """Delete the indentation with the line, and leave the next line where it is."""
    search, span = part.search, part.span
    with_lead = TextPart(
        ByteRange(line_start, span.end), lead + search, part.replace
    )
    if search.endswith("\n"):
        return with_lead
    last_line = search.rpartition("\n")[2]
    if "\n" in search and is_blank(last_line):
        if part.replace:
            return part
        # The search text ends inside the indentation of the next line, which stays.
        end = span.end - len(last_line.encode(source.encoding.name))
        return TextPart(
            ByteRange(line_start, end), lead + search[: -len(last_line)], ""
        )
    last_byte = span.end - 1
    row = source.row_holding(last_byte)
    rest = row.body[span.end - source.line_start(last_byte) :]
    if rest.strip() or part.replace:
        return part
    return with_lead


def _choose_reading(source: Source, part: TextPart, lead: str) -> str:
    """Return the text for the whole lines, indentation and all, if it has one reading.

    `lead` is the indentation that the search text lacks. Raise `AmbiguousWriteError` if
    the replacement has no plausible reading, or several.
    """
    readings = _Readings(source, part, lead)
    as_sent = lead + part.replace
    if readings.is_single_line_kept_in_place():
        return as_sent
    candidates: list[str] = []
    if readings.has_own_indent():
        # The replacement has the file's indentation already.
        if readings.is_plausible(part.replace):
            return part.replace
        candidates.append(part.replace)
    candidates.append(as_sent)
    if len(readings.old_lines) == 1:
        # Of one line nothing shows whether it alone lacks its indentation.
        shifted = readings.shift_all_lines()
        if shifted is not None and shifted not in candidates:
            candidates.append(shifted)
    plausible = [text for text in candidates if readings.is_plausible(text)]
    if len(plausible) > 1:
        # A file that indents by four tells a reading with steps of four from others.
        with_steps = [
            text for text in plausible if _has_file_steps(text, source)
        ]
        plausible = with_steps or plausible
    if len(plausible) == 1:
        text = plausible[0]
        if text == as_sent or _has_file_steps(text, source):
            return text
    first_line = readings.old_lines[0].strip()
    raise AmbiguousWriteError(
        "the search text begins inside the indentation of its line, and the "
        f"indentation of {first_line!r} or a line near it can be read in "
        "several ways",
        "send the whole indentation of the first line in search and replace",
        readings=tuple(plausible or candidates)[:2],
    )


class _Readings:
    """The ways in which a replacement may be indented whose search text lacks `lead`.

    `old_lines` and `new_lines` are the lines of both texts that are not blank.
    """

    def __init__(self, source: Source, part: TextPart, lead: str) -> None:
        self.source = source
        self.part = part
        self.lead = lead
        self.old_lines = _solid_lines(part.search)
        self.new_lines = _solid_lines(part.replace)
        self.sent_indent = leading_whitespace(self.old_lines[0])
        self.full_indent = lead + self.sent_indent
        # Of equal lines the first counts.
        self._old_indents: dict[str, str] = {}
        for line in self.old_lines:
            self._old_indents.setdefault(line.strip(), leading_whitespace(line))

    def is_single_line_kept_in_place(self) -> bool:
        """Return True if one line becomes one line with the same indentation."""
        if len(self.old_lines) != 1 or len(self.new_lines) != 1:
            return False
        return leading_whitespace(self.new_lines[0]) == self.sent_indent

    def has_own_indent(self) -> bool:
        """Return True if the replacement begins with the missing indentation."""
        new_indent = leading_whitespace(self.new_lines[0])
        return new_indent == self.full_indent != self.sent_indent

    def shift_all_lines(self) -> str | None:
        """Return the replacement with all lines moved as the first one is.

        None if a line is further left than the first line of the search text.
        """
        sent, full = self.sent_indent, self.full_indent
        indents = {leading_whitespace(line) for line in self.new_lines}
        if not all(indent.startswith(sent) for indent in indents):
            return None
        indentation = Indentation.of([(sent, full)])
        forms: dict[str, tuple[str, ...]] = {}
        if indentation is not None:
            forms = indentation.extended(indents, self.source.indent_unit)
        lines: list[str] = []
        for line in self.part.replace.split("\n"):
            if is_blank(line):
                lines.append(line)
                continue
            indent = leading_whitespace(line)
            own_forms = forms.get(indent, ())
            new_indent = full + indent[len(sent) :]
            if len(own_forms) == 1:
                new_indent = own_forms[0]
            lines.append(new_indent + line[len(indent) :])
        return "\n".join(lines)

    def is_plausible(self, text: str) -> bool:
        """Return True if a reading leaves kept lines in place, and blocks in order."""
        written_lines = _solid_lines(text)
        sent_lines = self.new_lines
        has_one_old_line = len(self.old_lines) == 1
        if not has_one_old_line and text == self.lead + self.part.replace:
            # The first line alone lacks its indentation.
            sent_lines = [self.lead + sent_lines[0], *sent_lines[1:]]
        for index, line in enumerate(written_lines):
            if not self._keeps_in_place(index, line):
                return False
            if index and not self._may_follow(
                above=_WrittenLine(
                    written_lines[index - 1], sent_lines[index - 1]
                ),
                line=_WrittenLine(line, sent_lines[index]),
            ):
                return False
        # Several old lines show themselves how they are indented.
        if not has_one_old_line:
            return True
        return _has_plain_shape(written_lines, sent_lines)

    def _keeps_in_place(self, index: int, line: str) -> bool:
        """Return True unless a line that stays is written at another depth."""
        text = line.strip()
        old_indent = self._old_indents.get(text)
        if old_indent is None:
            return True
        if (
            index > 0
            and leading_whitespace(self.new_lines[index]) != old_indent
        ):
            # The request moves it.
            return True
        is_first = text == self.old_lines[0].strip()
        file_indent = self.full_indent if is_first else old_indent
        return leading_whitespace(line) == file_indent

    def _may_follow(self, *, above: _WrittenLine, line: _WrittenLine) -> bool:
        """Return True if a line may be as deep as it is below the line above it."""
        if closes_block(line.written):
            return True
        columns = indent_width(line.written) - indent_width(above.written)
        if opens_block(above.written):
            return columns > 0 or self._may_be_flat(above, line)
        if (
            len(self.old_lines) > 1
            or columns <= 0
            or is_list_item(above.written)
        ):
            return True
        # Only a line that goes on with the one above is deeper without a block.
        return bool(
            _IS_CONTINUED.search(above.written)
            or _CONTINUES.match(line.written)
        )

    def _may_be_flat(self, above: _WrittenLine, line: _WrittenLine) -> bool:
        """Return True if a line need not be deeper than a line that opens a block."""
        if indent_width(line.sent) > indent_width(above.sent):
            return False
        is_new = above.written.strip() not in self._old_indents
        is_new_block = is_new and not is_list_item(line.written)
        return not is_new_block or opens_block(self.old_lines[0])


@dataclass(frozen=True, slots=True)
class _WrittenLine:
    """A line in the form to be written, and in the form of the request."""

    written: str
    sent: str


def _has_plain_shape(
    written_lines: Sequence[str], sent_lines: Sequence[str]
) -> bool:
    """Return True if brackets close at the depth of their line, and none is left of it.

    A line that was sent no further left than the first one must not be written so.
    """
    openers: list[str] = []
    first_width = indent_width(written_lines[0])
    for line, sent in zip(written_lines, sent_lines, strict=True):
        opener = openers.pop() if openers and closes_block(line) else None
        if opener is not None and indent_width(opener) != indent_width(line):
            return False
        # A colon has no closing line.
        if opens_block(line) and not line.rstrip().endswith(":"):
            openers.append(line)
        was_right_of_first = indent_width(sent) >= indent_width(sent_lines[0])
        if was_right_of_first and indent_width(line) < first_width:
            return False
    return True


def _has_file_steps(text: str, source: Source) -> bool:
    """Return True if each block is as deep below its line as blocks of the file are."""
    unit_columns = indent_width(source.indent_unit + "x")
    for above, line in pairwise(_solid_lines(text)):
        columns = indent_width(line) - indent_width(above)
        if opens_block(above) and columns > 0 and columns != unit_columns:
            return False
    return True


def _solid_lines(text: str) -> list[str]:
    """Return the lines of a text that are not blank."""
    return [line for line in text.split("\n") if not is_blank(line)]
