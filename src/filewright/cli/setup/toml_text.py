"""Edits of TOML as text: values of a table, and whole tables."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import Any

_TABLE_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_END_OF_VALUE = re.compile(r"[ \t]*(?:#|\r?\n|\Z)")
_ASSIGNMENT = re.compile(r"[ \t]*[^\s#\[][^\n=]*=[ \t]*")
_COMMENT_OR_BLANK_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
_SUBTABLES = r"(?:\s*\.[^\]\n]*)?"


def parse(text: str) -> Any:
    """Return the tables of a TOML text. Raise `ValueError` if it cannot be parsed."""
    # Numbers stay as they are written: "nan" is not equal to itself as a number.
    return tomllib.loads(text, parse_float=str)


def append_lines(text: str, lines: str) -> str:
    """Return the text with lines after an empty one.

    The last line ends with a line feed only if the text did.
    """
    if not text:
        return f"{lines}\n"
    if text.endswith("\n"):
        return f"{text}\n{lines}\n"
    return f"{text}\n\n{lines}"


def set_value(text: str, path: Sequence[str | int], value: Any) -> str:
    """Return a TOML text with a value in the table that all but the last key name.

    A new table comes at the end of the text, a new value at the start of its table.
    """
    *table_keys, name = path
    # Strings, lists and booleans of JSON are also TOML, except for one character that
    # TOML wants escaped.
    rendered = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    header = _compile_header(table_keys).search(text)
    if header is None:
        table_name = ".".join(map(str, table_keys))
        return append_lines(text, f"[{table_name}]\n{name} = {rendered}")
    table_start = header.end()
    next_header = _TABLE_HEADER.search(text, table_start)
    table_end = next_header.start() if next_header else len(text)
    assignment = re.compile(
        rf"^[ \t]*{re.escape(str(name))}[ \t]*=[ \t]*", re.MULTILINE
    ).search(text, table_start, table_end)
    if assignment is None:
        newline = "" if header[0].endswith("\n") else "\n"
        line = f"{newline}{name} = {rendered}\n"
        return text[:table_start] + line + text[table_start:]
    value_start = assignment.end()
    value_end = _find_end_of_value(text, value_start)
    return text[:value_start] + rendered + text[value_end:]


def remove_table(text: str, path: Sequence[str | int]) -> str:
    """Return a TOML text without a table, its subtables, and the empty line before each."""
    pattern = _compile_header(path, _SUBTABLES)
    header = pattern.search(text)
    while header is not None:
        text = _remove_table_at(text, header)
        header = pattern.search(text)
    return text


def _compile_header(
    keys: Sequence[str | int], suffix: str = ""
) -> re.Pattern[str]:
    """Return the pattern of the header line of a table."""
    quoted_keys = [rf"[\"']?{re.escape(str(key))}[\"']?" for key in keys]
    name = r"\s*\.\s*".join(quoted_keys)
    return re.compile(
        rf"^[ \t]*\[[ \t]*{name}{suffix}[ \t]*\][^\n]*(?:\n|\Z)", re.MULTILINE
    )


def _find_end_of_value(text: str, start: int) -> int:
    """Return the first offset up to which the text is a whole value."""
    for end in _END_OF_VALUE.finditer(text, start):
        try:
            tomllib.loads(f"x = {text[start : end.start()]}")
        except tomllib.TOMLDecodeError:
            continue
        return end.start()
    raise ValueError("a value has no end")


def _remove_table_at(text: str, header: re.Match[str]) -> str:
    """Return the text without the header and the values of a table.

    The empty line before the table goes too. Comments among the values stay.
    """
    comments: list[str] = []
    comments_since_value: list[str] = []
    offset = end = header.end()
    while offset < len(text):
        assignment = _ASSIGNMENT.match(text, offset)
        line = _COMMENT_OR_BLANK_LINE.match(text, offset)
        if assignment is not None:
            value_end = _find_end_of_value(text, assignment.end())
            offset = end = text.find("\n", value_end) + 1 or len(text)
            comments += comments_since_value
            comments_since_value = []
        elif line is not None:
            # Lines after the last value belong to the next table: `end` is before them.
            if "#" in line[0]:
                comments_since_value.append(line[0])
            offset = line.end()
        else:
            break
    before, after = text[: header.start()], text[end:]
    if before.endswith("\n\n") or before == "\n":
        # The last line had no end before the table was appended to it.
        had_no_end = not after and not text.endswith("\n")
        before = before.removesuffix("\n\n" if had_no_end else "\n")
    return before + "".join(comments) + after
