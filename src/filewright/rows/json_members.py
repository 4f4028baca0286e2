"""Members of JSON objects: the bytes of the values at some paths, without parsing the rest.

Comments and a comma before a closing bracket are accepted, as in files of settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from filewright.rows.row import Field

_SPACE = re.compile(
    rb"(?:[ \t\r\n]++|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)*+"
)
_STRING = re.compile(rb'"(?:[^"\\\r\n]++|\\.)*+"')
_SCALAR = re.compile(
    rb"(?:-?\d[\d.eE+-]*+|true|false|null|NaN|-?Infinity)(?![\w.])"
)
_BRACKET = re.compile(
    rb'"(?:[^"\\\r\n]++|\\.)*+"|[][{}]|//[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/'
    # Without these, the end of a comment would be looked for from each `/*` in it.
    rb'|/\*|"'
)
_COMMENT = re.compile(
    r'("(?:[^"\\\r\n]++|\\.)*+")|//[^\r\n]*+|/\*.*?\*/', re.DOTALL
)
_LAST_COMMA = re.compile(r'("(?:[^"\\\r\n]++|\\.)*+")|,(?=\s*[]}])')
_CLOSING = {b"{": b"}", b"[": b"]"}


class JsonSyntaxError(ValueError):
    """A text that is no JSON, from an offset on, or whose members are not certain."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


def _parse(text: str) -> Any:
    """Return the value of a text of JSON, which may have comments and last commas."""
    try:
        # Some writers leave tabs and line feeds in strings as they are.
        return json.loads(text, strict=False)
    except ValueError:
        if not text.startswith(("{", "[")):
            raise
    text = _COMMENT.sub(r"\1", text)
    return json.loads(_LAST_COMMA.sub(r"\1", text), strict=False)


@dataclass(frozen=True, slots=True)
class Member:
    """The bytes [start, end) of a value."""

    start: int
    end: int


class MemberReader:
    """The members of the objects in a text of JSON.

    `encoding` is one in which ASCII characters are single bytes that are no part of
    another character. The text begins at `offset` of its file; positions are in the
    text, and those of errors in the file.
    """

    def __init__(
        self, data: bytes, encoding: str = "utf-8", offset: int = 0
    ) -> None:
        self._data = data
        self._encoding = encoding
        self._offset = offset

    def _error(self, reason: str, position: int) -> JsonSyntaxError:
        return JsonSyntaxError(reason, self._offset + position)

    def find_members(
        self, start: int, paths: Sequence[str]
    ) -> dict[str, Member]:
        """Return the values at paths in the object at `start`, as far as it has them.

        Raise `JsonSyntaxError` if the object is not whole, or if a path leads to several
        values.
        """
        members: dict[str, Member] = {}
        self._walk(start, {path: path for path in paths}, members)
        return members

    def skip_space(self, position: int) -> int:
        """Return the offset past whitespace and comments."""
        match = _SPACE.match(self._data, position)
        assert match is not None
        return match.end()

    def skip_value(self, position: int) -> int:
        """Return the offset past the value at `position`."""
        opening = self._data[position : position + 1]
        if opening in (b"{", b"["):
            return self._skip_brackets(position)
        pattern = _STRING if opening == b'"' else _SCALAR
        match = pattern.match(self._data, position)
        if match is None:
            raise self._error("there is no value", position)
        return match.end()

    def _skip_brackets(self, position: int) -> int:
        """Return the offset past the object or array at `position`."""
        expected: list[bytes] = []
        for match in _BRACKET.finditer(self._data, position):
            token = match.group()
            if token in _CLOSING:
                expected.append(_CLOSING[token])
            elif token in (b"}", b"]"):
                if token != expected.pop():
                    raise self._error("a bracket does not fit", match.start())
                if not expected:
                    return match.end()
            elif token in (b'"', b"/*"):
                raise self._error(f"{token.decode()} has no end", match.start())
        raise self._error("a bracket is not closed", position)

    def read_value(self, member: Member) -> Any:
        """Return the value of a member; a text that is no JSON is its own value."""
        text = self._data[member.start : member.end].decode(
            self._encoding, "replace"
        )
        try:
            return _parse(text)
        except (ValueError, RecursionError):
            # An object that cannot be read is still one: no value may replace it.
            if text.startswith("{"):
                return {}
            return [] if text.startswith("[") else text

    def read_fields(
        self, members: Mapping[str, Member], paths: Sequence[str]
    ) -> dict[str, Field]:
        """Return those members at paths that there are, with their bytes of the file."""
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
        wanted: Mapping[str, str],
        members: dict[str, Member],
    ) -> int:
        """Find the wanted members of the value at `position`; return its end.

        `wanted` maps the rest of each path to the whole path.
        """
        opening = self._data[position : position + 1]
        if not wanted or opening not in (b"{", b"["):
            return self.skip_value(position)
        closing = _CLOSING[opening]
        seen: set[str] = set()
        index = 0
        position = self.skip_space(position + 1)
        while self._data[position : position + 1] != closing:
            key = str(index)
            index += 1
            if opening == b"{":
                key, position = self._read_key(position)
            inner: dict[str, str] = {}
            leaf = ""
            for rest, path in wanted.items():
                if rest == key:
                    leaf = path
                elif rest.startswith(f"{key}."):
                    inner[rest[len(key) + 1 :]] = path
            if leaf or inner:
                if key in seen:
                    raise self._error(
                        f"the key {key!r} is there twice", position
                    )
                seen.add(key)
            end = self._walk(position, inner, members)
            if leaf:
                if leaf in members:
                    raise self._error(f"{leaf!r} leads to two values", position)
                members[leaf] = Member(position, end)
            position = self._skip_comma(end, closing)
        return position + 1

    def _read_key(self, position: int) -> tuple[str, int]:
        """Return the key at `position`, and where its value begins."""
        match = _STRING.match(self._data, position)
        if match is None:
            raise self._error("there is no key", position)
        colon = self.skip_space(match.end())
        if self._data[colon : colon + 1] != b":":
            raise self._error("there is no colon", colon)
        key = self.read_value(Member(position, match.end()))
        return str(key), self.skip_space(colon + 1)

    def _skip_comma(self, position: int, closing: bytes) -> int:
        """Return where the next item begins, or the closing bracket is."""
        position = self.skip_space(position)
        character = self._data[position : position + 1]
        if character == b",":
            return self.skip_space(position + 1)
        if character != closing:
            raise self._error("there is no comma", position)
        return position
