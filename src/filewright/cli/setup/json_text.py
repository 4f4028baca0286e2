"""Edits of JSON with comments and trailing commas, as text.

Positions are found in a copy of the text in which spaces replace comments and trailing
commas. The copy is plain JSON of the same length, so that its offsets are those of the
text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

KeyPath = Sequence[str | int]
"""The keys, and the indexes in lists, that lead to a value.

An index past the end of a list is the place after its last value.
"""

_STRING_OR_COMMENT = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL
)
_STRING_OR_TRAILING_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_COMMENTS_AFTER_VALUE = re.compile(
    r"(?:[ \t]+|/\*[^\n]*?\*/)*(?://[^\n]*(?=\n))?"
)
"""The comments that follow a value in its line and belong to it."""
_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*)?\r?\n")
_COMMA = re.compile(r"\s*,")
_FIRST_INDENT = re.compile(r"\n([ \t]+)\S")
_LIST_OF_SCALARS = re.compile(
    r'\[\n\s*((?:"(?:[^"\\\n]|\\.)*"|[^][{}"])*?)\s*\]'
)
_DEFAULT_INDENT = "  "
_decode_value = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class _Member:
    """The offsets of a member of an object or a list."""

    start: int
    """The offset of its key, or of the value in a list."""
    value_start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Document:
    """A text, and its copies without comments and without trailing commas."""

    text: str
    without_comments: str
    plain: str

    def find_token(self, offset: int) -> int:
        """Return the offset of the next key, value or closing bracket."""
        while self.plain[offset].isspace() or self.plain[offset] in ",:":
            offset += 1
        return offset

    def find_end(self, value_start: int) -> int:
        """Return the end of the value that starts at an offset."""
        return _decode_value(self.plain, value_start)[1]

    def list_members(self, offset: int) -> dict[str | int, _Member]:
        """Return the members of the object or list at an offset, by key or index."""
        if self.plain[offset] not in "{[":
            raise ValueError("the place of the entry is not an object")
        is_object = self.plain[offset] == "{"
        members: dict[str | int, _Member] = {}
        start = self.find_token(offset + 1)
        while self.plain[start] not in "]}":
            key: str | int = len(members)
            value_start = start
            if is_object:
                key, key_end = _decode_value(self.plain, start)
                value_start = self.find_token(key_end)
            end = self.find_end(value_start)
            members[key] = _Member(start, value_start, end)
            start = self.find_token(end)
        return members

    def find_object(self, path: KeyPath) -> int:
        """Return the offset of the object or list at `path`, which exists."""
        offset = self.find_token(0)
        for key in path:
            offset = self.list_members(offset)[key].value_start
        return offset


def _read_document(text: str) -> _Document:
    without_comments = _replace_by_spaces(_STRING_OR_COMMENT, text)
    plain = _replace_by_spaces(_STRING_OR_TRAILING_COMMA, without_comments)
    return _Document(text, without_comments, plain)


def _replace_by_spaces(pattern: re.Pattern[str], text: str) -> str:
    """Return the text with spaces in place of matches that are no strings."""

    def replace_match(match: re.Match[str]) -> str:
        if match[0].startswith('"'):
            return match[0]
        return re.sub(r"\S", " ", match[0])

    return pattern.sub(replace_match, text)


def parse(text: str) -> Any:
    """Return the value of a JSON text; an empty text is an empty object.

    Raise `ValueError` if the text cannot be parsed.
    """
    if not text.strip():
        return {}
    try:
        # NaN would not be equal to itself.
        return json.loads(_read_document(text).plain, parse_constant=str)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def has_comment(text: str) -> bool:
    """Return True if a JSON text has comments."""
    return any(
        match[0].startswith("/") for match in _STRING_OR_COMMENT.finditer(text)
    )


def insert_value(configuration: Any, path: KeyPath, value: Any) -> Any:
    """Return a copy of a parsed configuration with a value at `path`."""
    if not path:
        return value
    key, inner_path = path[0], path[1:]
    if configuration is None:
        configuration = {} if isinstance(key, str) else []
    if isinstance(key, int) and isinstance(configuration, list):
        return [*configuration[:key], value, *configuration[key:]]
    if isinstance(key, int) or not isinstance(configuration, dict):
        # A form of the file, not a mistake of the caller: no TypeError.
        raise ValueError(  # noqa: TRY004
            "the place of the entry is not an object"
        )
    inner_value = insert_value(configuration.get(key), inner_path, value)
    return {**configuration, key: inner_value}


def set_value(text: str, path: KeyPath, value: Any) -> str:
    """Return a JSON text with a value at `path`."""
    if not text.strip():
        return f"{text}{_render(insert_value(None, path, value))}\n"
    document = _read_document(text)
    offset = document.find_token(0)
    end = offset
    for depth, key in enumerate(path):
        members = document.list_members(offset)
        if key not in members:
            new_value = insert_value(None, path[depth + 1 :], value)
            siblings = [*members.values()]
            return _append_member(document, offset, siblings, key, new_value)
        offset, end = members[key].value_start, members[key].end
    if "\n" not in text.strip():
        rendered = json.dumps(value, ensure_ascii=False)
    else:
        rendered = _render(value, _find_indent_unit(text))
        rendered = rendered.replace("\n", f"\n{_find_indent(text, offset)}")
    return text[:offset] + rendered + text[end:]


def remove_value(text: str, path: KeyPath, kept_levels: int) -> str:
    """Return a JSON text without the value at `path`, which exists.

    An object that becomes empty is removed too, unless it has comments or is one of
    the `kept_levels` outermost objects.
    """
    document = _read_document(text)
    parent_path = path[:-1]
    parent = document.find_object(parent_path)
    members = document.list_members(parent)
    parent_text = text[parent : document.find_end(parent)]
    is_parent_removable = len(parent_path) > kept_levels
    if (
        len(members) == 1
        and is_parent_removable
        and not has_comment(parent_text)
    ):
        return remove_value(text, parent_path, kept_levels)
    return _remove_member(document, members[path[-1]])


def _remove_member(document: _Document, member: _Member) -> str:
    """Return the text without a member, its line and its comma."""
    text = document.text
    start, end = member.start, member.end
    previous_end = len(document.without_comments[:start].rstrip())
    comma = _COMMA.match(document.without_comments, end)
    if comma is not None:
        end = comma.end()
    line_start = text.rfind("\n", 0, start) + 1
    rest_of_line = _REST_OF_LINE.match(text, end)
    if rest_of_line is not None and not text[line_start:start].strip():
        start, end = line_start, rest_of_line.end()
    elif comma is not None and text[end : end + 1] == " ":
        end += 1
    elif not text[previous_end:start].strip():
        start = previous_end
    text = text[:start] + text[end:]
    if comma is None and document.without_comments[previous_end - 1] == ",":
        # The comma before the last member goes with it.
        return text[: previous_end - 1] + text[previous_end:]
    return text


def _append_member(
    document: _Document,
    offset: int,
    members: Sequence[_Member],
    key: str | int,
    value: Any,
) -> str:
    """Return the text with a value after the last one of the object or list at `offset`."""
    text = document.text
    name = ""
    if isinstance(key, str):
        name = f"{json.dumps(key, ensure_ascii=False)}: "
    insertion = offset + 1
    outer_indent = _find_indent(text, offset)
    indent = outer_indent + _find_indent_unit(text)
    comma_before = comma_after = ""
    container = text.strip()
    if members:
        container = text[offset : document.find_end(offset)]
        last = max(members, key=lambda member: member.end)
        comma = _COMMA.match(document.without_comments, last.end)
        if comma is not None:
            insertion, comma_after = comma.end(), ","
        else:
            insertion, comma_before = last.end, ","
        line_start = text.rfind("\n", 0, last.start) + 1
        if not text[line_start : last.start].strip():
            indent = _find_indent(text, last.start)
    if "\n" not in container:
        space = " " if members else ""
        rendered = json.dumps(value, ensure_ascii=False)
        member = f"{comma_before}{space}{name}{rendered}{comma_after}"
        return text[:insertion] + member + text[insertion:]
    comments = _COMMENTS_AFTER_VALUE.match(text, insertion)
    assert comments is not None
    comment = comments[0].rstrip()
    following = text[insertion + len(comment) :]
    next_text = following.lstrip(" \t")
    # In a file with both kinds of line ends the new lines end as those beside them.
    newline = "\r\n" if next_text.startswith("\r\n") else "\n"
    closing = ""
    if next_text.startswith(("}", "]")):
        closing = f"{newline}{outer_indent}"
    rendered = _render(value, _find_indent_unit(text))
    member = f"\n{name}{rendered}{comma_after}"
    member = member.replace("\n", f"{newline}{indent}")
    before = text[:insertion]
    return f"{before}{comma_before}{comment}{member}{closing}{following}"


def _find_indent(text: str, offset: int) -> str:
    """Return the indentation of the line of an offset."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _find_indent_unit(text: str) -> str:
    """Return the first indentation of the text, or the default."""
    match = _FIRST_INDENT.search(text)
    return match[1] if match else _DEFAULT_INDENT


def _render(value: Any, indent: str = _DEFAULT_INDENT) -> str:
    """Return a value as people lay it out: a list of scalars is in one line."""
    rendered = json.dumps(value, indent=indent, ensure_ascii=False)

    def join_lines(match: re.Match[str]) -> str:
        return "[" + re.sub(r",\n\s*", ", ", match[1]) + "]"

    return _LIST_OF_SCALARS.sub(join_lines, rendered)
