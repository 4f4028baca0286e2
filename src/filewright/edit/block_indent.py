"""The indentation of a block of text: its unit, and moving it to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from filewright.edit.comparison import leading_whitespace
from filewright.edit.string_literals import find_rows_inside_strings
from filewright.text.codec import normalize_newlines
from filewright.text.snapshot import Snapshot

_SAMPLED_BYTES = 64 << 10
"""Bytes of a file from which its unit of indentation is detected."""

INDENT_CHARS = " \t"


def reindent_block(
    text: str, indent: str, language: str | None = None, unit: str | None = None
) -> str:
    """Return `text` moved as a whole so that its first line has `indent`.

    It stays as it is if a line is indented less than the first one. Deeper lines take the
    `unit` of the file: a tab, or some spaces (None: they keep theirs). The content of
    strings of several lines stays where it is.
    """
    lines = normalize_newlines(text).split("\n")
    string_lines = find_rows_inside_strings("\n".join(lines), language)
    solid = [
        line
        for number, line in enumerate(lines)
        if line.strip() and number not in string_lines
    ]
    text_indent = leading_whitespace(solid[0]) if solid else ""
    # The text may begin inside of its block, and then no line of it shows the depth.
    if not all(line.startswith(text_indent) for line in solid):
        return text
    deeper = [leading_whitespace(line)[len(text_indent) :] for line in solid]
    text_unit = common_indent_unit([*deeper, text_indent])
    for number, line in enumerate(lines):
        if not line.strip() or number in string_lines:
            continue
        deeper_indent = leading_whitespace(line)[len(text_indent) :]
        code = line[len(text_indent) + len(deeper_indent) :]
        lines[number] = (
            indent + _convert_indent(deeper_indent, text_unit, unit) + code
        )
    return "\n".join(lines)


def common_indent_unit(indents: Iterable[str]) -> str | None:
    """Return the unit of the indents of successive lines, or None if none is indented.

    It is a tab, or the most frequent step to a deeper line in spaces.
    """
    tab_count = space_count = previous_width = 0
    steps: Counter[int] = Counter()
    for indent in indents:
        tab_count += indent.startswith("\t")
        space_count += indent.startswith(" ")
        width = 0 if "\t" in indent else len(indent)
        # Only a step to a deeper line is a level; several blocks may end on one line.
        if width > previous_width:
            steps[width - previous_width] += 1
        previous_width = width
    if not tab_count and not space_count:
        return None
    if tab_count > space_count:
        return "\t"
    # A single space more aligns a line with the one above, or is a comment's star.
    frequent = [step for step, _ in steps.most_common() if step > 1]
    return " " * (frequent[0] if frequent else 4)


def detect_indent_unit(
    snapshot: Snapshot, language: str | None = None, lines: range | None = None
) -> str | None:
    """Return the unit by which the lines of a file are indented, or None.

    With `lines` only these are read. The content of strings of several lines does not
    count: a program in tabs may hold a script in spaces.
    """
    start = (
        snapshot.start
        if lines is None
        else snapshot.lines.offset_of(lines.start)
    )
    stop = (
        snapshot.size if lines is None else snapshot.lines.offset_of(lines.stop)
    )
    data = snapshot.read(start, min(stop - start, _SAMPLED_BYTES))
    text = normalize_newlines(data.decode(snapshot.encoding.name, "replace"))
    string_lines = find_rows_inside_strings(text, language)
    indents = [
        leading_whitespace(line)
        for number, line in enumerate(text.split("\n"))
        if line.strip() and number not in string_lines
    ]
    if lines is not None and indents:
        # The depth of a block inside of others is no step between its own lines.
        outer_indent = indents[0]
        indents = [indent.removeprefix(outer_indent) for indent in indents]
    return common_indent_unit(indents)


def _convert_indent(
    indent: str, text_unit: str | None, file_unit: str | None
) -> str:
    """Return an indent in steps of `text_unit` as one in steps of `file_unit`.

    Only tabs become spaces and spaces tabs; another number of spaces is kept.
    """
    if (
        file_unit is None
        or text_unit is None
        or (file_unit == "\t") == (text_unit == "\t")
    ):
        return indent
    if file_unit != "\t":
        return indent.replace("\t", file_unit)
    if "\t" in indent:
        # An indent that mixes both is alignment, which has no unit.
        return indent
    levels, columns = divmod(len(indent), len(text_unit))
    return "\t" * levels + " " * columns


def replace_indent(
    text: str, old_indent: str, new_indent: str, language: str | None = None
) -> str:
    """Return `text` moved from one indentation to another.

    Lines that do not have `old_indent` get `new_indent` alone. Blank lines and the
    content of strings of several lines stay as they are.
    """
    lines = normalize_newlines(text).split("\n")
    string_lines = find_rows_inside_strings("\n".join(lines), language)
    for number, line in enumerate(lines):
        if not line.strip() or number in string_lines:
            continue
        if line.startswith(old_indent):
            lines[number] = new_indent + line.removeprefix(old_indent)
        else:
            lines[number] = new_indent + line.lstrip(INDENT_CHARS)
    return "\n".join(lines)
