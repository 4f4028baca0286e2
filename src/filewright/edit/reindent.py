"""The indentation of a replacement, in the file's own units.

The search text of a loose match is indented otherwise than the file. The replacement is
written as the search text is, and its indents are mapped as those were; or it has the
file's indentation already. The lines that it keeps show which. Where they do not, the
edit is refused, and both readings are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from filewright.edit.comparison import (
    WHITESPACE,
    indent_width,
    is_blank,
    leading_whitespace,
    word_similarity,
)
from filewright.edit.indentation import Indentation
from filewright.edit.linediff import align
from filewright.edit.model import AmbiguousWriteError, HunkPart

# Pairs of changed lines that are compared to find which new line is which old one.
_MAX_COMPARED_PAIRS = 10_000
_SIMILAR = 0.5


@dataclass(frozen=True, slots=True)
class _MovedLine:
    """A line that stays, and that search text and file indent differently."""

    text: str
    search_indent: str
    file_indent: str
    replacement_indent: str

    @property
    def is_like_search(self) -> bool:
        """Return True if the replacement indents the line as the search text does."""
        return self.replacement_indent == self.search_indent

    @property
    def is_like_file(self) -> bool:
        """Return True if the replacement indents the line as the file does."""
        return self.replacement_indent == self.file_indent


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The lines and indents of an edit that show how its replacement is indented.

    `file_indents` maps indents of the search text to those of the file, `indents` are
    those of the replacement. `nested` are the texts of kept lines below a new line that
    opens a block for them: they move in any case, and show nothing.
    """

    file_indents: Mapping[str, str]
    old_lines: Sequence[str]
    new_lines: Sequence[str]
    indents: Sequence[str]
    moved_lines: Sequence[_MovedLine]
    nested: set[str]

    @property
    def telling(self) -> list[_MovedLine]:
        """The moved lines whose indentation says how the replacement is written."""
        return [
            line for line in self.moved_lines if line.text not in self.nested
        ]

    @property
    def search_margin(self) -> str:
        """The shortest indent of the search text."""
        return min(self.file_indents, key=len)

    @property
    def margin(self) -> str:
        """The shortest indent of the replacement; of two equally short, the first."""
        return min(self.indents, key=len)

    def is_wrapped(self) -> bool:
        """Return True if a new line at the margin opens a block for all kept lines.

        A new line further left than all matched ones is written as the search text is,
        and the lines below it too.
        """
        least_width = min(map(indent_width, self.file_indents.values()))
        is_outermost = indent_width(self.margin) < least_width
        first_text = self.new_lines[0].strip()
        is_new = all(first_text != line.strip() for line in self.old_lines)
        if self.search_margin or not (is_outermost and is_new):
            return False
        return bool(self.nested) and not self.telling

    def is_like_search(self) -> bool:
        """Return True if a kept line is indented as in the search text."""
        return (
            any(line.is_like_search for line in self.moved_lines)
            or self.is_wrapped()
        )

    def contradicts_search(self) -> bool:
        """Return True if other kept lines are indented as in the file."""
        if self._has_frame_of_search() or self.is_wrapped():
            return False
        if any(line.is_like_file for line in self.telling):
            return True
        # Spaces where the file has tabs, or the other way round, are never the file's:
        # such a replacement is written as the search text is.
        has_same_kind = _has_tabs(self.file_indents.values()) == _has_tabs(
            self.indents
        )
        some_are_nested = len(self.telling) < len(self.moved_lines)
        return some_are_nested and has_same_kind and not self._is_certain()

    def _has_frame_of_search(self) -> bool:
        """Return True if both texts begin and end alike, indents too.

        In the file's indentation it would then be wrong by just what the search text is
        wrong by, below no line that opens a block.
        """
        first_is_same = self.new_lines[0] == self.old_lines[0]
        return first_is_same and self.new_lines[-1] == self.old_lines[-1]

    def _is_certain(self) -> bool:
        """Return True if the telling lines cannot be others that look alike.

        A closing bracket may be another one.
        """
        # Two depths that both fit are no coincidence.
        if len({line.search_indent for line in self.telling}) > 1:
            return True
        return any(re.search(r"\w", line.text) for line in self.telling)

    def is_like_file(self) -> bool:
        """Return True if the replacement certainly has the file's indentation already.

        A line before the kept ones may open a block for them. And where the margin is
        the same in both texts, a single line may be where the file has it by a move.
        """
        if not all(line.is_like_file for line in self.moved_lines):
            return False
        moved_texts = {line.text for line in self.moved_lines}
        # A new first line may be a wrapper, and the kept lines deeper because of it.
        if self.new_lines[0].strip() not in moved_texts:
            return False
        if self.margin != self.file_indents[self.search_margin]:
            return False
        has_several_depths = (
            len({line.search_indent for line in self.moved_lines}) > 1
        )
        return self.margin != self.search_margin or has_several_depths


def map_indents(
    indentation: Indentation,
    match: HunkPart,
    file_lines: Sequence[str],
    kept_rows: Mapping[int, int],
    file_unit: str,
) -> dict[str, str]:
    """Map the indents of the replacement to the file's; none if they are the file's.

    `file_lines` are the texts of `match.rows`, `kept_rows` maps new lines to rows.
    Raise `AmbiguousWriteError` if the replacement can be read in two ways.
    """
    if all(map(is_blank, match.new)):
        return {}
    evidence = _collect_evidence(indentation, match, file_lines, kept_rows)
    if evidence.is_like_search():
        if evidence.contradicts_search():
            raise _ambiguous_error(match.new, _both_readings(evidence))
    elif evidence.moved_lines:
        if evidence.is_like_file():
            return {}
        raise _ambiguous_error(match.new, _both_readings(evidence))
    return _choose_forms(indentation, match, evidence, file_unit)


def _collect_evidence(
    indentation: Indentation,
    match: HunkPart,
    file_lines: Sequence[str],
    kept_rows: Mapping[int, int],
) -> _Evidence:
    """Return what the lines of an edit show of their indentation."""
    new_lines = [line for line in match.new if not is_blank(line)]
    staying = _find_staying_lines(match, kept_rows)
    return _Evidence(
        file_indents=indentation.known,
        old_lines=[line for line in match.old if not is_blank(line)],
        new_lines=new_lines,
        # In their order: a set has another one in each process.
        indents=[*dict.fromkeys(map(leading_whitespace, new_lines))],
        moved_lines=_find_moved(match, file_lines, staying),
        nested=_find_nested(new_lines, _find_known_texts(match, staying)),
    )


def _find_staying_lines(
    match: HunkPart, kept_rows: Mapping[int, int]
) -> dict[int, int]:
    """Map new lines to the rows that they are, whatever their indentation."""
    old_texts = [line.strip() for line in match.old]
    new_texts = [line.strip() for line in match.new]
    staying = dict(kept_rows)
    for run in align(old_texts, new_texts):
        for step in range(run.length):
            if run.right + step not in kept_rows:
                staying[run.right + step] = run.left + step
    return staying


def _find_moved(
    match: HunkPart, file_lines: Sequence[str], staying: Mapping[int, int]
) -> list[_MovedLine]:
    """Return the lines that stay and that search text and file indent differently."""
    moved_lines: list[_MovedLine] = []
    for index, row in staying.items():
        line = _MovedLine(
            text=match.new[index].strip(),
            search_indent=leading_whitespace(match.old[row]),
            file_indent=leading_whitespace(file_lines[row]),
            replacement_indent=leading_whitespace(match.new[index]),
        )
        has_text = bool(file_lines[row] and line.text)
        if has_text and line.search_indent != line.file_indent:
            moved_lines.append(line)
    return moved_lines


def _find_known_texts(match: HunkPart, staying: Mapping[int, int]) -> set[str]:
    """Return the texts of new lines that stay, or that are changed lines."""
    rows = {*staying.values()}
    changed_lines = [
        line
        for row, line in enumerate(match.old)
        if row not in rows and not is_blank(line)
    ]
    if len(changed_lines) * len(match.new) > _MAX_COMPARED_PAIRS:
        changed_lines = []
    known_texts: set[str] = set()
    for index, line in enumerate(match.new):
        text = line.strip()
        if index in staying or any(
            word_similarity(text, other) > _SIMILAR for other in changed_lines
        ):
            known_texts.add(text)
    return known_texts


def _find_nested(new_lines: Sequence[str], known_texts: set[str]) -> set[str]:
    """Return the known texts that are deeper, directly below a line that is new."""
    nested: set[str] = set()
    # Of the new line right above, under which known lines may have been put.
    opening_indent: str | None = None
    for line in new_lines:
        text = line.strip()
        indent = leading_whitespace(line)
        if text not in known_texts:
            opening_indent = indent
        elif opening_indent is not None and len(indent) > len(opening_indent):
            nested.add(text)
        else:
            opening_indent = None
    return nested


def _choose_forms(
    indentation: Indentation,
    match: HunkPart,
    evidence: _Evidence,
    file_unit: str,
) -> dict[str, str]:
    """Map each indent of the replacement to its only form in the file."""
    readings = indentation.extended(evidence.indents, file_unit)
    begins_as_search = (
        evidence.new_lines[0].rstrip() == evidence.old_lines[0].rstrip()
    )
    if evidence.margin != evidence.search_margin and not begins_as_search:
        # Nothing says in which indentation the replacement is written.
        for indent, forms in readings.items():
            readings[indent] = tuple(dict.fromkeys((*forms, indent)))
    # An indent that becomes none may have been clipped. That is certain for one indent
    # at most, and only if no line of the file is at the margin.
    clipped_count = 0
    for indent, forms in readings.items():
        if indent and indent not in evidence.file_indents and "" in forms:
            clipped_count += 1
    allowed_count = 0 if "" in evidence.file_indents.values() else 1
    has_several_forms = any(len(forms) != 1 for forms in readings.values())
    if has_several_forms or clipped_count > allowed_count:
        raise _ambiguous_error(match.new, readings)
    return {indent: forms[0] for indent, forms in readings.items()}


def _both_readings(evidence: _Evidence) -> dict[str, tuple[str, ...]]:
    """Return each indent of the replacement as mapped, and as it is."""
    return {
        indent: (evidence.file_indents.get(indent, indent), indent)
        for indent in evidence.indents
    }


def _has_tabs(indents: Iterable[str]) -> bool:
    """Return True if one of some indents has a tab."""
    return any("\t" in indent for indent in indents)


def _ambiguous_error(
    new_lines: Sequence[str], readings: Mapping[str, tuple[str, ...]]
) -> AmbiguousWriteError:
    """Return the error that shows the replacement in two of its readings."""
    first = _write_reading(new_lines, readings, 0)
    last = _write_reading(new_lines, readings, -1)
    if first == last:
        last = "\n".join(new_lines)
    return AmbiguousWriteError(
        "the indentation of the search text differs from the file, and that "
        "of the replacement can be read in several ways",
        "send search and replace with the file's own indentation",
        readings=(first, last),
    )


def _write_reading(
    new_lines: Sequence[str],
    readings: Mapping[str, tuple[str, ...]],
    place: int,
) -> str:
    """Return the replacement with the form of each indent at one place of its forms."""
    lines: list[str] = []
    for line in new_lines:
        forms = readings.get(leading_whitespace(line)) or ("",)
        lines.append(forms[place] + line.lstrip(WHITESPACE))
    return "\n".join(lines)
