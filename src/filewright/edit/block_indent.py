"""The indentation of a block of text: its unit, and moving it to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from filewright.edit.comparison import leading_whitespace
from filewright.edit.string_literals import find_rows_inside_strings
from filewright.text.codec import normalize_newlines
from filewright.text.snapshot import Snapshot

_SAMPLED_BYTES = 64 << 10
"""Bytes of a file of which the indentation is looked at."""


_BLANKS = " \t"


def reindent_block(
    text: str, indent: str, language: str | None = None, unit: str | None = None
) -> str:
    """Return `text` moved as a whole so that its first line has `indent`.

    It stays as it is if a line has less than the first. Deeper lines take the `unit` of
    the file: a tab, or some spaces (None: they keep theirs). The content of strings of
    several lines stays where it is.
    """
    rows = normalize_newlines(text).split("\n")
    inside = find_rows_inside_strings("\n".join(rows), language)
    solid = [
        row for number, row in enumerate(rows) if row.strip() and number not in inside
    ]
    own = leading_whitespace(solid[0]) if solid else ""
    if not all(row.startswith(own) for row in solid):
        return text
    deeper = [leading_whitespace(row)[len(own) :] for row in solid]
    step = common_indent_unit([*deeper, own])
    for number, row in enumerate(rows):
        if not row.strip() or number in inside:
            continue
        blanks = leading_whitespace(row)[len(own) :]
        rows[number] = (
            indent + _in_unit(blanks, step, unit) + row[len(own) + len(blanks) :]
        )
    return "\n".join(rows)


def common_indent_unit(indents: Iterable[str]) -> str | None:
    """Return the unit of some indents: a tab, or the most usual step in spaces, or None."""
    tabs = spaces = last = 0
    steps: Counter[int] = Counter()
    for indent in indents:
        tabs += indent.startswith("\t")
        spaces += indent.startswith(" ")
        width = 0 if "\t" in indent else len(indent)
        if width > last:
            steps[width - last] += 1
        last = width
    if not tabs and not spaces:
        return None
    if tabs > spaces:
        return "\t"
    # A single space more aligns a line with the one above, or is a comment's star.
    usual = [step for step, _ in steps.most_common() if step > 1]
    return " " * (usual[0] if usual else 4)


def detect_indent_unit(
    snapshot: Snapshot, language: str | None = None, lines: range | None = None
) -> str | None:
    """Return the unit by which the lines of a file are indented, or None.

    With `lines` only those are looked at. The content of strings of several lines is no
    layout: a program in tabs may hold a script in spaces.
    """
    start = snapshot.start if lines is None else snapshot.lines.offset_of(lines.start)
    stop = snapshot.size if lines is None else snapshot.lines.offset_of(lines.stop)
    data = snapshot.read(start, min(stop - start, _SAMPLED_BYTES))
    text = normalize_newlines(data.decode(snapshot.encoding.name, "replace"))
    inside = find_rows_inside_strings(text, language)
    indents = [
        leading_whitespace(row)
        for number, row in enumerate(text.split("\n"))
        if row.strip() and number not in inside
    ]
    if lines is not None and indents:
        outer = indents[0]
        indents = [indent.removeprefix(outer) for indent in indents]
    return common_indent_unit(indents)


def _in_unit(blanks: str, step: str | None, unit: str | None) -> str:
    """Return an indentation of `step` a level in another unit: spaces, or tabs."""
    if unit is None or step is None or (unit == "\t") == (step == "\t"):
        return blanks
    if unit == "\t":
        levels, rest = divmod(len(blanks), len(step))
        return "\t" * levels + " " * rest if "\t" not in blanks else blanks
    return blanks.replace("\t", unit)


def _moved(text: str, asked: str, there: str, language: str | None = None) -> str:
    """Return `text` moved from one indentation to another, without the content of strings."""
    rows = normalize_newlines(text).split("\n")
    inside = find_rows_inside_strings("\n".join(rows), language)
    for number, row in enumerate(rows):
        if row.strip() and number not in inside:
            rows[number] = there + (
                row[len(asked) :] if row.startswith(asked) else row.lstrip(_BLANKS)
            )
    return "\n".join(rows)
