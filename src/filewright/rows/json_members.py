"""Members of JSON objects: the bytes of the values at some paths. The rest is not parsed.

Comments and a comma before a closing bracket are accepted, as in files of settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from filewright.rows.row import Field

_SPACE_AND_COMMENTS = re.compile(
    rb"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
)
_STRING = re.compile(rb'"(?:[^"\\\r\n]++|\\.)*+"')
_SCALAR = re.compile(
    rb"(?:-?\d[\d.eE+-]*+|true|false|null|NaN|-?Infinity)(?![\w.])"
)
_BRACKETS_AND_STRINGS = re.compile(
    rb'"(?:[^"\\\r\n]++|\\.)*+"|[][{}]|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/'
    # An unclosed comment or string ends the search; else each `/*` in it began another.
    rb'|/\*|"'
)
_STRING_OR_COMMENT = re.compile(
    r'("(?:[^"\\\r\n]++|\\.)*+")|//[^\r\n]*+|/\*.*?\*/', re.DOTALL
)
_STRING_OR_LAST_COMMA = re.compile(r'("(?:[^"\\\r\n]++|\\.)*+")|,(?=\s*[]}])')
_CLOSING_BRACKETS = {b"{": b"}", b"[": b"]"}


class JsonSyntaxError(ValueError):
    """Invalid JSON or an ambiguous member, at an offset of the file."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


def _parse(text: str) -> Any:
    """Return the value of a JSON text, which may have comments and trailing commas."""
    try:
        # Some writers leave tabs and line feeds in strings as they are.
        return json.loads(text, strict=False)
    except ValueError:
        if not text.startswith(("{", "[")):
            raise
    text = _STRING_OR_COMMENT.sub(r"\1", text)
    return json.loads(_STRING_OR_LAST_COMMA.sub(r"\1", text), strict=False)


@dataclass(frozen=True, slots=True)
class Member:
    """The value of a member, as the span [start, end) of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _WantedMember:
    """The wanted paths through one key: `path` ends at its value, or is empty.

    `inner_paths` are the paths to members of that value, by what follows the key in them.
    """

    path: str
    inner_paths: Mapping[str, str]

    @property
    def is_needed(self) -> bool:
        return bool(self.path or self.inner_paths)


class MemberReader:
    """A reader of the members of objects in a JSON text.

    In its `encoding`, an ASCII character is one byte, and no byte of another character is
    one. The text begins at `offset` of its file. Positions are in the text, except those
    of errors and fields, which are in the file.
    """

    def __init__(
        self, text: bytes, encoding: str = "utf-8", offset: int = 0
    ) -> None:
        self._text = text
        self._encoding = encoding
        self._offset = offset

    def _error(self, reason: str, position: int) -> JsonSyntaxError:
        return JsonSyntaxError(reason, self._offset + position)

    def find_members(
        self, start: int, paths: Sequence[str]
    ) -> dict[str, Member]:
        """Return the members at those paths that the object at `start` has.

        Raise `JsonSyntaxError` for invalid JSON, and for a path to several values.
        """
        members: dict[str, Member] = {}
        self._walk(start, {path: path for path in paths}, members)
        return members

    def skip_space(self, position: int) -> int:
        """Return the position past whitespace and comments."""
        match = _SPACE_AND_COMMENTS.match(self._text, position)
        assert match is not None
        return match.end()

    def skip_value(self, position: int) -> int:
        """Return the position past the value at `position`."""
        opening = self._text[position : position + 1]
        if opening in (b"{", b"["):
            return self._skip_brackets(position)
        pattern = _STRING if opening == b'"' else _SCALAR
        match = pattern.match(self._text, position)
        if match is None:
            raise self._error("there is no value", position)
        return match.end()

    def _skip_brackets(self, position: int) -> int:
        """Return the position past the object or array at `position`."""
        expected_brackets: list[bytes] = []
        for match in _BRACKETS_AND_STRINGS.finditer(self._text, position):
            token = match.group()
            if token in _CLOSING_BRACKETS:
                expected_brackets.append(_CLOSING_BRACKETS[token])
            elif token in (b"}", b"]"):
                if token != expected_brackets.pop():
                    raise self._error("a bracket does not fit", match.start())
                if not expected_brackets:
                    return match.end()
            elif token in (b'"', b"/*"):
                raise self._error(f"{token.decode()} has no end", match.start())
        raise self._error("a bracket is not closed", position)

    def read_value(self, member: Member) -> Any:
        """Return the value of a member, or its text if that is invalid JSON."""
        text = self._text[member.start : member.end].decode(
            self._encoding, "replace"
        )
        try:
            return _parse(text)
        except (ValueError, RecursionError):
            # An object stays an object even if it is invalid, so no text replaces it.
            if text.startswith("{"):
                return {}
            return [] if text.startswith("[") else text

    def read_fields(
        self, members: Mapping[str, Member], paths: Sequence[str]
    ) -> dict[str, Field]:
        """Return the fields of the members at paths, with their bytes in the file."""
        fields: dict[str, Field] = {}
        for path in paths:
            member = members.get(path)
            if member is not None:
                fields[path] = Field(
                    self._offset + member.start,
                    self._offset + member.end,
                    self.read_value(member),
                )
        return fields

    def _walk(
        self,
        position: int,
        wanted_paths: Mapping[str, str],
        members: dict[str, Member],
    ) -> int:
        """Add the wanted members of the value at `position`; return its end.

        `wanted_paths` are the paths that lead there, by what is left of them at this value.
        """
        opening = self._text[position : position + 1]
        if not wanted_paths or opening not in (b"{", b"["):
            return self.skip_value(position)
        closing = _CLOSING_BRACKETS[opening]
        known_keys: set[str] = set()
        index = 0
        position = self.skip_space(position + 1)
        while self._text[position : position + 1] != closing:
            key = str(index)
            index += 1
            if opening == b"{":
                key, position = self._read_key(position)
            wanted = _find_wanted(wanted_paths, key)
            if wanted.is_needed:
                if key in known_keys:
                    raise self._error(
                        f"the key {key!r} is there twice", position
                    )
                known_keys.add(key)
            value_end = self._walk(position, wanted.inner_paths, members)
            if wanted.path:
                if wanted.path in members:
                    raise self._error(
                        f"{wanted.path!r} leads to two values", position
                    )
                members[wanted.path] = Member(position, value_end)
            position = self._skip_comma(value_end, closing)
        return position + 1

    def _read_key(self, position: int) -> tuple[str, int]:
        """Return the key at `position`, and the position of its value."""
        match = _STRING.match(self._text, position)
        if match is None:
            raise self._error("there is no key", position)
        colon = self.skip_space(match.end())
        if self._text[colon : colon + 1] != b":":
            raise self._error("there is no colon", colon)
        key = self.read_value(Member(position, match.end()))
        return str(key), self.skip_space(colon + 1)

    def _skip_comma(self, position: int, closing: bytes) -> int:
        """Return the position of the next item, or of the closing bracket."""
        position = self.skip_space(position)
        character = self._text[position : position + 1]
        if character == b",":
            return self.skip_space(position + 1)
        if character != closing:
            raise self._error("there is no comma", position)
        return position


def _find_wanted(wanted_paths: Mapping[str, str], key: str) -> _WantedMember:
    """Return the wanted paths that lead through a key."""
    whole_path = ""
    inner_paths: dict[str, str] = {}
    for rest, path in wanted_paths.items():
        if rest == key:
            whole_path = path
        elif rest.startswith(f"{key}."):
            inner_paths[rest[len(key) + 1 :]] = path
    return _WantedMember(whole_path, inner_paths)
