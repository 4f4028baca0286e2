"""The check of the depth of merged lines.

A new line must be indented as a line of the search text or the file is, or by a step
from the line above it that both texts explain. Anything else is a request that lost
its nesting on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.edit.block_lines import closes_block, is_list_item, opens_block
from filewright.edit.comparison import (
    indent_width,
    is_blank,
    leading_whitespace,
)
from filewright.edit.indentation import Indentation
from filewright.edit.model import AmbiguousWriteError, HunkPart

_HINT = "send search and replace with the file's own indentation"
# Above so many columns a line is aligned with the text above it, and not indented.
_MAX_STEP_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class _Step:
    """One step of depth, in columns of the request and of the file."""

    request_columns: int
    file_columns: int


def require_explained_depths(
    match: HunkPart,
    indentation: Indentation,
    merged_lines: Sequence[str],
    file_unit: str,
    *,
    is_numbered: bool,
) -> None:
    """Raise `AmbiguousWriteError` for a new line whose depth nothing explains.

    Where the match moves no line nothing is in doubt, unless line numbers were taken
    away: they may be set off otherwise in the replacement.
    """
    old_lines = [line for line in match.old if not is_blank(line)]
    solid = [
        index for index, line in enumerate(match.new) if not is_blank(line)
    ]
    new_lines = [match.new[index] for index in solid]
    written_lines = [merged_lines[index] for index in solid]
    if not indentation.same:
        _require_nesting(old_lines, new_lines, "\n".join(merged_lines))
    indent_map = indentation.known
    has_tabs = "\t" in "".join((*indent_map, *indent_map.values()))
    # Tabs are counted and not measured: a depth in tabs is not wrong by a column.
    if not is_numbered and (indentation.same or has_tabs):
        return
    doubtful = [
        index
        for index, line in enumerate(new_lines)
        if leading_whitespace(line) not in indent_map
    ]
    if not is_numbered and indent_map.get("") == "":
        step = _smallest_step(indentation)
        for index in doubtful:
            if not _is_step(index, new_lines, written_lines, step):
                raise _depth_error(new_lines[index], written_lines[index])
    elif doubtful:
        # The lines below the first one are written as that is: one check is enough.
        first = doubtful[0]
        is_known_depth = (
            leading_whitespace(written_lines[first]) in indent_map.values()
        )
        if not is_known_depth and not _is_explained(
            first, new_lines, written_lines, file_unit
        ):
            raise _depth_error(new_lines[first], written_lines[first])


def _require_nesting(
    old_lines: Sequence[str], new_lines: Sequence[str], merged_text: str
) -> None:
    """Raise `AmbiguousWriteError` if the replacement lost the nesting of its lines."""
    if _lacks_a_block(old_lines, new_lines):
        raise AmbiguousWriteError(
            "the indentation of the search text differs from the file, and a "
            "new line of the replacement opens a block without a deeper line "
            "below it",
            _HINT,
            readings=(merged_text,),
        )
    if _leaves_its_block(old_lines, new_lines):
        raise AmbiguousWriteError(
            "the indentation of the search text differs from the file, and "
            "that of the replacement from the search text",
            _HINT,
        )


def _lacks_a_block(old_lines: Sequence[str], new_lines: Sequence[str]) -> bool:
    """Return True if a new line opens a block and the line below it is as deep."""
    known_texts = {line.strip() for line in old_lines}
    for above, line in pairwise(new_lines):
        if not opens_block(above) or above.strip() in known_texts:
            continue
        is_as_deep = indent_width(line) == indent_width(above)
        if is_as_deep and not closes_block(line) and not is_list_item(line):
            return True
    return False


def _leaves_its_block(
    old_lines: Sequence[str], new_lines: Sequence[str]
) -> bool:
    """Return True if of two neighbours the outer one is moved without the inner one."""
    depths = {
        (above.strip(), line.strip()): (indent_width(above), indent_width(line))
        for above, line in pairwise(old_lines)
    }
    for above, line in pairwise(new_lines):
        old_depths = depths.get((above.strip(), line.strip()))
        if old_depths is None:
            continue
        old_above, old_line = old_depths
        shift_above = indent_width(above) - old_above
        shift_line = indent_width(line) - old_line
        if old_above == old_line or shift_above == shift_line:
            continue
        outer_shift = shift_above if old_above < old_line else shift_line
        if outer_shift:
            return True
    return False


def _smallest_step(indentation: Indentation) -> _Step:
    """Return the first step of depth from a margin that is the same in both texts."""
    # A larger difference may be several steps at once.
    steps = [
        (indent_width(request_indent), indent_width(file_indent))
        for request_indent, file_indent in indentation.known.items()
        if request_indent
    ]
    return _Step(*min(steps))


def _is_step(
    index: int,
    new_lines: Sequence[str],
    written_lines: Sequence[str],
    step: _Step,
) -> bool:
    """Return True if a line is one step below the line above, in both texts."""
    if index == 0:
        return False
    request_columns = indent_width(new_lines[index]) - indent_width(
        new_lines[index - 1]
    )
    file_columns = indent_width(written_lines[index]) - indent_width(
        written_lines[index - 1]
    )
    return _Step(request_columns, file_columns) == step


def _is_explained(
    index: int,
    new_lines: Sequence[str],
    written_lines: Sequence[str],
    file_unit: str,
) -> bool:
    """Return True if the line above explains how deep a line is."""
    if index == 0:
        return False
    # The lines of a block comment are set off by one column.
    is_comment = new_lines[index].lstrip().startswith("*")
    return is_comment or _is_whole_step(index, written_lines, file_unit)


def _is_whole_step(
    index: int, written_lines: Sequence[str], file_unit: str
) -> bool:
    """Return True if a line is deeper than the line above by whole steps."""
    unit_columns = len(file_unit) if file_unit.strip("\t") else 2
    above, line = written_lines[index - 1], written_lines[index]
    columns = indent_width(line) - indent_width(above)
    return columns % unit_columns == 0 or columns > _MAX_STEP_COLUMNS


def _depth_error(new_line: str, written_line: str) -> AmbiguousWriteError:
    """Return the error for a line whose depth nothing explains."""
    columns = len(leading_whitespace(written_line))
    return AmbiguousWriteError(
        f"the indentation of {new_line.strip()!r} is unclear: it would be "
        f"{columns} columns, which no line of the file or of the search text "
        "has",
        _HINT,
    )
