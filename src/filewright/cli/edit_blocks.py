"""Search/replace blocks: the edits of one file as models write them in a shell.

A block has the text to find and the text to put in its place, in whole lines:

    <<<<<<< SEARCH
    old lines
    =======
    new lines
    >>>>>>> REPLACE

The three marker lines of a block have the same number of signs, at least five. Text that
contains marker lines itself goes between longer ones.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from filewright.edit.diff import truncate_line
from filewright.errors import FilewrightError, invalid
from filewright.wording import to_one_line

_BEGIN_MARKER = re.compile(r"(<{5,}) ?SEARCH[ \t]*")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[\w+-]*[ \t]*")
_MAX_QUOTED_CHARS = 80


@dataclass(frozen=True, slots=True)
class EditBlock:
    """A text to find and its replacement, both of whole lines; "" is no line."""

    search: str
    replace: str


@dataclass(frozen=True, slots=True)
class _Markers:
    """The lines that divide and end a block, and the line number of its beginning."""

    line_number: int
    divider: str
    end: str


def parse_blocks(text: str, path: str) -> list[EditBlock]:
    """Return the blocks in `text`, at least one.

    Blank lines, code fences and the path of the file may stand between them. Raise
    `invalid_input` for any other text, and for a block without its three markers.
    """
    # Only if every line has a return does it come from the transport of the text.
    if 0 < text.count("\n") == text.count("\r\n"):
        text = text.replace("\r\n", "\n")
    lines = text.removesuffix("\n").split("\n")
    blocks = []
    index = 0
    while index < len(lines):
        begin = _BEGIN_MARKER.fullmatch(lines[index])
        if begin is None:
            _require_passable(lines, index, path)
            index += 1
            continue
        sign_count = len(begin[1])
        markers = _Markers(
            line_number=index + 1,
            divider="=" * sign_count,
            end=f"{'>' * sign_count} REPLACE",
        )
        end_index = _find_end(lines, index + 1, markers)
        blocks.append(_split_block(lines[index + 1 : end_index], markers))
        index = end_index + 1
    if not blocks:
        raise _block_error(
            "there is no block", "begin it with a line '<<<<<<< SEARCH'"
        )
    return blocks


def _require_passable(lines: Sequence[str], index: int, path: str) -> None:
    """Raise `invalid_input` if a line outside of the blocks may be a part of one."""
    line = lines[index].strip()
    if line in ("", path) or _FENCE.fullmatch(line):
        return
    quoted = to_one_line(truncate_line(line, _MAX_QUOTED_CHARS))
    raise _block_error(
        f"line {index + 1} is outside of every block: {quoted!r}",
        "send only blocks; if a text has marker lines itself, make the three "
        "markers of its block longer",
    )


def _find_end(lines: Sequence[str], first: int, markers: _Markers) -> int:
    """Return the index of the line that ends a block."""
    for index in range(first, len(lines)):
        line = lines[index].rstrip()
        if line == markers.end:
            return index
        begin = _BEGIN_MARKER.fullmatch(line)
        if begin is not None and len(begin[1]) == len(markers.divider):
            break
    raise _block_error(
        f"the block at line {markers.line_number} has no end",
        f"end it with a line {markers.end!r}; if its text has such lines, "
        "make all three markers longer",
    )


def _split_block(lines: Sequence[str], markers: _Markers) -> EditBlock:
    """Return the block with these lines between its first and last marker."""
    dividers = []
    for index, line in enumerate(lines):
        if line.rstrip() == markers.divider:
            dividers.append(index)
    if not dividers:
        raise _block_error(
            f"the block at line {markers.line_number} has no divider",
            f"put a line {markers.divider!r} between the old lines and the new",
        )
    if len(dividers) > 1:
        numbers = [str(markers.line_number + 1 + index) for index in dividers]
        raise _block_error(
            f"the block at line {markers.line_number} has {len(dividers)} "
            f"dividers, at lines {', '.join(numbers[:5])}",
            "make its three markers longer than the lines of its text, such "
            "as 9 signs",
        )
    divider = dividers[0]
    return EditBlock(
        _join_lines(lines[:divider]), _join_lines(lines[divider + 1 :])
    )


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _block_error(problem: str, hint: str) -> FilewrightError:
    return invalid(f"the blocks cannot be read: {problem}", hint)
