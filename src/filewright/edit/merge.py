"""The merge of a match: the splices of an edit that was located, and notes on them.

A text that was matched exactly is written as it is sent, extended to whole lines where
it names lines (`line_extension`). Lines that were matched loosely are merged
(`line_merge`). What looks like damage is noted (`notes`), and `check` refuses what has
no single meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from filewright.edit.check import check_match
from filewright.edit.code_text import PROSE_LANGUAGES
from filewright.edit.line_alignment import align_rows, find_moved_lines
from filewright.edit.line_endings import replace_lines
from filewright.edit.line_extension import extend_to_lines
from filewright.edit.line_merge import MergedLine, merge_matched_lines
from filewright.edit.model import (
    AmbiguousWriteError,
    EditMatch,
    HunkPart,
    LinesPart,
    SplicePart,
    TextPart,
)
from filewright.edit.nearest import show_whitespace
from filewright.edit.notes import Note, NumberedLine, find_damage
from filewright.edit.repairs.model import UNNUMBERED
from filewright.edit.repeated_text import find_repeated_text
from filewright.edit.source import Source
from filewright.text.codec import encode
from filewright.text.splice import Splice

# Longer replacements are not looked at for damage: their lines take too long.
_MAX_OBSERVED_LINES = 20_000
# Of a text that is replaced everywhere only the first occurrences are looked at.
_MAX_NOTES = 5


@dataclass(frozen=True, slots=True)
class MatchMerge:
    """The splices of an edit, in order, and notes on the lines that it writes."""

    splices: tuple[Splice, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class _PartMerge:
    """The splices of one part of an edit, its notes, and the lines that it adds."""

    splices: Sequence[Splice]
    notes: Sequence[Note]
    added_lines: int


def merge_match(source: Source, match: EditMatch) -> MatchMerge:
    """Return the splices of a located edit; none if it changes nothing.

    Raise `unencodable`, and `AmbiguousWriteError` if the edit has no single meaning.
    """
    check_match(source, match)
    splices: list[Splice] = []
    notes: list[Note] = []
    added_lines = 0
    for number, part in enumerate(match.parts):
        # Numbering the lines of a hundred thousand occurrences would take longer than
        # replacing them.
        first_line: int | None = None
        if number < _MAX_NOTES or not match.is_every_occurrence:
            first_line = source.line_number(part.span.start) + added_lines
        match part:
            case SplicePart():
                merge = _merge_new_lines(source, part, match, first_line)
            case TextPart():
                merge = _merge_literal(source, part, match, first_line)
            case LinesPart():
                merge = _merge_rows(source, align_rows(part), match, first_line)
            case HunkPart():
                merge = _merge_rows(source, part, match, first_line)
        splices += merge.splices
        notes += merge.notes
        added_lines += merge.added_lines
    return MatchMerge(tuple(splices), tuple(notes[:_MAX_NOTES]))


def try_merge(source: Source, match: EditMatch) -> tuple[Splice, ...] | None:
    """Return the splices of a located edit, or None if it has no single meaning."""
    try:
        return merge_match(source, match).splices
    except AmbiguousWriteError:
        return None


# Lines that are put in, whatever they replace


def _merge_new_lines(
    source: Source, part: SplicePart, match: EditMatch, first_line: int | None
) -> _PartMerge:
    """Return the splices that a request names by lines."""
    notes: list[Note] = []
    if first_line is not None and not match.edit.search:
        lines = _number_lines(match.edit.replace.split("\n"), first_line)
        notes = find_damage((), lines, source.language)
    return _PartMerge(part.splices, notes, added_lines=0)


# A text that is written as it is sent


def _merge_literal(
    source: Source, part: TextPart, match: EditMatch, first_line: int | None
) -> _PartMerge:
    """Return the splices of a text that was matched exactly."""
    # A text that is replaced everywhere and has no line ends names no lines. Looking at
    # each of very many occurrences would take too long.
    has_line_ends = "\n" in part.search or "\n" in part.replace
    if has_line_ends or not match.is_every_occurrence:
        part = extend_to_lines(source, part)
    splices = exact_splices(
        source, part.span.start, part.span.end, part.search, part.replace
    )
    if first_line is None:
        return _PartMerge(splices, (), added_lines=0)
    notes = [*_find_text_notes(source, part, first_line)]
    added_lines = part.replace.count("\n") - part.search.count("\n")
    return _PartMerge(splices, notes, added_lines)


def exact_splices(
    source: Source, start: int, end: int, search: str, replace: str
) -> Sequence[Splice]:
    """Return the splices that put `replace` where exactly `search` is, in [start, end).

    Lines equal in both keep their terminators. Raise `unencodable`.
    """
    new = encode(replace, source.encoding, argument="replace")
    if "\n" not in search and "\n" not in replace:
        if source.read(start, end) == new:
            return ()
        return (Splice(start, end - start, new),)
    lines = new.split(b"\n")
    # No terminator is given but the last, which is none: the text ends where it ends.
    terminators: list[bytes | None] = [*[None] * (len(lines) - 1), b""]
    return replace_lines(source, start, end, lines, terminators)


def _find_text_notes(
    source: Source, part: TextPart, first_line: int
) -> Iterator[Note]:
    """Yield notes on what looks like damage in a text that is written as it is sent."""
    new = part.replace.split("\n")
    if len(new) > _MAX_OBSERVED_LINES:
        return
    yield from find_damage(
        part.search.split("\n"), _number_lines(new, first_line), source.language
    )
    repeated_text = find_repeated_text(source, part)
    if repeated_text is not None:
        yield Note(
            first_line + len(new) - 1,
            f"now has {show_whitespace(repeated_text)} twice: the replacement "
            "ends with the text that follows it in the file",
        )


# Lines that are merged


def _merge_rows(
    source: Source, rows: HunkPart, match: EditMatch, first_line: int | None
) -> _PartMerge:
    """Return the splices of lines that were matched loosely, or as a hunk."""
    lines = _merge_lines(source, rows, match)
    splices = _put_lines(source, rows, lines)
    notes: list[Note] = []
    if first_line is not None:
        notes = [*_find_line_notes(source, rows, lines, first_line)]
    return _PartMerge(splices, notes, added_lines=len(lines) - len(rows.rows))


def _merge_lines(
    source: Source, rows: HunkPart, match: EditMatch
) -> list[MergedLine]:
    """Return the lines that take the place of the matched rows."""
    file_lines = [source.text(row.body) for row in rows.rows]
    kept_rows = {**rows.kept}
    if rows.terminators is None:
        kept_rows |= find_moved_lines(rows.old, rows.new, kept_rows)
    if not match.edit.fuzzy:
        # A hunk that is where its header says: its lines are in the file as they are.
        return _keep_rows(rows, file_lines, kept_rows)
    return merge_matched_lines(
        rows,
        file_lines,
        kept_rows,
        file_unit=source.indent_unit,
        is_prose=source.language is not None
        and source.language in PROSE_LANGUAGES,
        is_numbered=UNNUMBERED in match.repairs,
    )


def _keep_rows(
    rows: HunkPart, file_lines: Sequence[str], kept_rows: Mapping[int, int]
) -> list[MergedLine]:
    """Return new lines as they are sent, and moved lines as the file has them."""
    lines: list[MergedLine] = []
    for index, text in enumerate(rows.new):
        row = kept_rows.get(index)
        if row is not None:
            text = file_lines[row]
        # A moved line has the text of its row, and the terminator of its new place.
        lines.append(MergedLine(text, row))
    return lines


def _put_lines(
    source: Source, rows: HunkPart, lines: Sequence[MergedLine]
) -> tuple[Splice, ...]:
    """Return the splices that put merged lines in the place of the rows."""
    bodies: list[bytes] = []
    terminators: list[bytes | None] = []
    for index, line in enumerate(lines):
        if line.row is not None:
            bodies.append(rows.rows[line.row].body)
            terminators.append(rows.rows[line.row].terminator or None)
            continue
        bodies.append(encode(line.text, source.encoding, argument="replace"))
        if rows.terminators:
            terminators.append(rows.terminators[index] or None)
        else:
            terminators.append(None)
    start, end = rows.span.start, rows.span.end
    is_at_end_of_file = end == source.size
    if (
        is_at_end_of_file
        and lines
        and not _ends_with_terminator(rows, lines[-1])
    ):
        terminators[-1] = b""
    return replace_lines(source, start, end, bodies, terminators)


def _ends_with_terminator(rows: HunkPart, last_line: MergedLine) -> bool:
    """Return True if the last line of the file gets a terminator, or keeps its own."""
    if rows.ended is not None:
        return rows.ended
    if last_line.row is not None:
        return bool(rows.rows[last_line.row].terminator)
    return _was_terminated(rows)


def _was_terminated(rows: HunkPart) -> bool:
    """Return True if the last of the rows has a terminator, or there are none."""
    return not rows.rows or bool(rows.rows[-1].terminator)


def _find_line_notes(
    source: Source, rows: HunkPart, lines: Sequence[MergedLine], first_line: int
) -> Iterator[Note]:
    """Yield notes on damage in merged lines, and on what the match does not prove."""
    new_lines: list[NumberedLine] = []
    observed_lines = islice(lines, _MAX_OBSERVED_LINES)
    for number, line in enumerate(observed_lines, first_line):
        if line.row is None:
            new_lines.append(NumberedLine(number, line.text))
    file_lines = [source.text(row.body) for row in rows.rows]
    yield from find_damage([*rows.old, *file_lines], new_lines, source.language)
    for number, line in enumerate(lines, first_line):
        for piece in line.unproven:
            name = "whitespace"
            if piece.strip():
                name = f"{piece} (U+{ord(piece[0]):04X})"
            yield Note(
                number,
                f"has {name} as sent: the matched text does not show how the "
                "file spells it",
            )


def _number_lines(lines: Sequence[str], first_line: int) -> list[NumberedLine]:
    """Return lines with their numbers, from `first_line`."""
    return [
        NumberedLine(number, text)
        for number, text in enumerate(lines, first_line)
    ]
