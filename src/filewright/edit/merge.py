"""A located edit as splices, with what is to be said about it.

A text that was found exactly is written as it is sent (`literal`), lines that were found loosely are merged
(`merge`). One thing is refused: a line that stands for text left out, where it would delete that text. What else
looks like damage is noted (`notes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from filewright.edit.check import _refuse_half_repairs, _refuse_omissions
from filewright.edit.code_text import PROSE
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
from filewright.edit.notes import Note, find_damage
from filewright.edit.repairs.model import UNNUMBERED
from filewright.edit.repeated_text import _doubled
from filewright.edit.source import Source
from filewright.text.codec import encoded
from filewright.text.splice import Splice

#: Lines of a replacement that are looked at for damage.
_MOST_OBSERVED = 20_000
#: Occurrences of a text replaced everywhere of which the first is looked at.
_MOST_NOTES = 5


@dataclass(frozen=True, slots=True)
class MatchMerge:
    """The splices of an edit, in order, and notes on the lines that it writes."""

    splices: tuple[Splice, ...]
    notes: tuple[Note, ...] = ()


def merge_match(source: Source, located: EditMatch) -> MatchMerge:
    """Return the splices of a located edit; none if it changes nothing.

    Raises `unencodable`, and `AmbiguousWriteError` where the edit has no single meaning.
    """
    if located.edit.fuzzy or isinstance(located.parts[0], HunkPart):
        # A hunk that is where its header says has the marker from whoever wrote the patch, as any other.
        _refuse_omissions(source, located)
    if located.repairs:
        _refuse_half_repairs(source, located)
    splices: list[Splice] = []
    notes: list[Note] = []
    shift = 0
    for number, part in enumerate(located.parts):
        first = (
            source.line_number(part.span.start) + shift if number < _MOST_NOTES else 0
        )
        match part:
            case SplicePart():
                splices += part.splices
                new = (
                    located.edit.replace.split("\n")
                    if not located.edit.search and first
                    else []
                )
                notes += (
                    find_damage((), enumerate(new, first), source.language)
                    if first
                    else ()
                )
            case TextPart():
                text = (
                    extend_to_lines(source, part) if _has_lines(located, part) else part
                )
                splices += exact_splices(
                    source, text.span.start, text.span.end, text.search, text.replace
                )
                if first:
                    notes += _notes_on_text(source, text, first)
                    shift += text.replace.count("\n") - text.search.count("\n")
            case LinesPart() | HunkPart():
                rows = part if isinstance(part, HunkPart) else align_rows(part)
                made, own = _rows(source, rows, located)
                splices += own
                notes += _notes_on_lines(source, rows, made, first)
                shift += len(made) - len(rows.rows)
    return MatchMerge(tuple(splices), tuple(notes[:_MOST_NOTES]))


def try_merge(source: Source, located: EditMatch) -> tuple[Splice, ...] | None:
    """Return the splices of a located edit; None where it has no single meaning."""
    try:
        return merge_match(source, located).splices
    except AmbiguousWriteError:
        return None


def exact_splices(
    source: Source, start: int, end: int, search: str, replace: str
) -> Sequence[Splice]:
    """Return the splices that put `replace` where `search` is literally in [start, end).

    Lines equal in both keep their terminators. Raises `unencodable`.
    """
    theirs = encoded(replace, source.encoding, argument="replace")
    if "\n" not in search and "\n" not in replace:
        return (
            ()
            if source.read(start, end) == theirs
            else (Splice(start, end - start, theirs),)
        )
    lines = theirs.split(b"\n")
    return replace_lines(source, start, end, lines, [*[None] * (len(lines) - 1), b""])


def _has_lines(located: EditMatch, part: TextPart) -> bool:
    """Return whether a text may name whole lines; each of very many occurrences is not looked at."""
    return not located.edit.replace_all or "\n" in part.search or "\n" in part.replace


# Lines


def _rows(
    source: Source, part: HunkPart, located: EditMatch
) -> tuple[list[MergedLine], tuple[Splice, ...]]:
    """Merge rows, and put the lines in their place.

    At the end of the file the last line has a terminator as the part says, or as it was before; where all lines
    go there, the terminator before them goes too, if the file's last line has none.
    """
    rows, start, end = part.rows, part.span.start, part.span.end
    there = [source.text(row.body) for row in rows]
    same = {**part.kept}
    if part.terminators is None:
        same |= find_moved_lines(part.old, part.new, same)
    if not located.edit.fuzzy:
        # A hunk that is where its header says: its lines are there as they are.
        made = [
            MergedLine(there[same[index]] if index in same else text, same.get(index))
            for index, text in enumerate(part.new)
        ]
    else:
        is_numbered = UNNUMBERED in located.repairs
        made = merge_matched_lines(
            part,
            there,
            same,
            file_unit=source.indent_unit,
            is_prose=source.language is not None and source.language in PROSE,
            is_numbered=is_numbered,
        )
    lines: list[bytes] = []
    ends: list[bytes | None] = []
    for index, line in enumerate(made):
        if line.row is not None:
            lines.append(rows[line.row].body)
            ends.append(rows[line.row].terminator or None)
        else:
            lines.append(encoded(line.text, source.encoding, argument="replace"))
            ends.append((part.terminators[index] or None) if part.terminators else None)
    was_ended = not rows or bool(rows[-1].terminator)
    if end == source.size and made:
        is_ended, last = part.ended, made[-1].row
        if is_ended is None:
            is_ended = was_ended if last is None else bool(rows[last].terminator)
        ends[-1] = ends[-1] if is_ended else b""
    elif (
        end == source.size and not was_ended and start > source.start and not part.ended
    ):
        start -= 2 if source.read(start - 2, start) == b"\r\n" else 1
    return made, replace_lines(source, start, end, lines, ends)


# What is refused


# What is noted


def _notes_on_text(source: Source, part: TextPart, first: int) -> Iterator[Note]:
    """Yield what looks like damage in a text that is written as it is sent."""
    new = part.replace.split("\n")
    if len(new) > _MOST_OBSERVED:
        return
    yield from find_damage(
        part.search.split("\n"), enumerate(new, first), source.language
    )
    doubled = _doubled(source, part)
    if doubled is not None:
        yield Note(
            first + len(new) - 1,
            f"now has {show_whitespace(doubled)} twice: the replacement brings along what follows it",
        )


def _notes_on_lines(
    source: Source, part: HunkPart, made: Sequence[MergedLine], first: int
) -> Iterator[Note]:
    """Yield what looks like damage in merged lines, and what the match does not prove."""
    new = [
        (number, line.text)
        for number, line in enumerate(islice(made, _MOST_OBSERVED), first)
        if line.row is None
    ]
    there = [source.text(row.body) for row in part.rows]
    yield from find_damage([*part.old, *there], new, source.language)
    for number, line in enumerate(made, first):
        for char in line.unproven:
            name = f"{char} (U+{ord(char[0]):04X})" if char.strip() else "whitespace"
            yield Note(
                number,
                f"has {name} as it was sent: the match does not show how the file spells it there",
            )
