"""Wildcards as git reads them (`wildmatch.c` with `WM_PATHNAME`), as regular expressions over bytes.

`*` and `?` never match a slash; `**` between slashes, or at either end next to one, matches any
number of folders; `[…]` takes ranges, `!` or `^` for all others, and the POSIX classes; a backslash
takes the next byte as it is.

The expressions cannot be made to run away. Behind each star an atomic group takes the
first place where the text up to the next star fits. No later place could be better: the next star
reaches at least as far.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CLASSES = {
    b"alnum": b"0-9A-Za-z",
    b"alpha": b"A-Za-z",
    b"blank": b" \t",
    b"cntrl": b"\x00-\x1f\x7f",
    b"digit": b"0-9",
    b"graph": b"!-~",
    b"lower": b"a-z",
    b"print": b" -~",
    b"punct": b"!-/:-@[-`{-~",
    b"space": b"\t-\r ",
    b"upper": b"A-Z",
    b"xdigit": b"0-9A-Fa-f",
}
_CHARACTER = rb"(?:[\x00-\x2e\x30-\x7f]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf])"
_SLASH = 0x2F
_NAME = rb"[^/]*"


class MalformedError(ValueError):
    """A pattern that matches nothing: a bracket that does not end, or a backslash at the end."""


@lru_cache(maxsize=4096)
def translate(pattern: bytes, characters: bool = False) -> re.Pattern[bytes]:
    """The expression whose `fullmatch` says whether a path matches `pattern`.

    With `characters`, `?` matches one character of UTF-8 instead of one byte. Raises
    `MalformedError`.
    """
    return re.compile(source(pattern, characters), re.DOTALL)


def source(pattern: bytes, characters: bool = False) -> bytes:
    """The text of the expression of `translate`."""
    any_one = _CHARACTER if characters else b"[^/]"
    # Pieces between stars: (what opened the piece, its text). The last piece must reach the end.
    pieces: list[tuple[bytes, bytearray]] = [(b"", bytearray())]
    position = 0
    while position < len(pattern):
        byte = pattern[position : position + 1]
        if byte == b"*":
            start = position
            while pattern[position : position + 1] == b"*":
                position += 1
            whole = position - start > 1 and (start == 0 or pattern[start - 1] == _SLASH)
            after = pattern[position : position + 2]
            if whole and after.startswith(b"/"):
                pieces.append((b"folders", bytearray()))
                position += 1
            elif whole and (not after or after == b"\\/"):
                pieces.append((b"anything", bytearray()))
            else:
                pieces.append((b"name", bytearray()))
            continue
        if byte == b"?":
            pieces[-1][1].extend(any_one)
            position += 1
        elif byte == b"[":
            members, position = bracket(pattern, position)
            pieces[-1][1].extend(_class_source(members))
        else:
            if byte == b"\\":
                position += 1
                byte = pattern[position : position + 1]
                if not byte:
                    raise MalformedError
            pieces[-1][1].extend(re.escape(byte))
            position += 1
    return _join(pieces)


def _join(pieces: list[tuple[bytes, bytearray]]) -> bytes:
    groups: list[list[tuple[bytes, bytearray]]] = [[]]
    for opened, text in pieces:
        if opened in (b"folders", b"anything"):
            groups.append([])
        groups[-1].append((opened, text))
    result = bytearray()
    for index, group in enumerate(groups):
        last_group = index == len(groups) - 1
        body = bytearray()
        for place, (opened, text) in enumerate(group):
            if opened == b"name":
                at_end = last_group and place == len(group) - 1
                body += _NAME + text if at_end else b"(?>[^/]*?" + text + b")"
            else:
                body += text
        opened = group[0][0]
        if not opened:
            result += body
        elif opened == b"anything":
            result += b".*" + body if last_group else b"(?>.*?" + body + b")"
        elif last_group:
            result += b"(?:.*/)?" + body
        else:
            result += b"(?>(?:[^/]*/)*?" + body + b")"
    return bytes(result)


def bracket(pattern: bytes, position: int) -> tuple[frozenset[int], int]:
    """The bytes a bracket at `position` matches (a slash never), and where the pattern goes on."""
    end = len(pattern)
    position += 1
    negated = pattern[position : position + 1] in (b"!", b"^") and position < end
    if negated:
        position += 1
    members: set[int] = set()
    previous = 0
    while True:
        if position >= end:
            raise MalformedError
        byte = pattern[position]
        following = pattern[position + 1 : position + 2]
        if byte == 0x5C:
            position += 1
            if position >= end:
                raise MalformedError
            byte = pattern[position]
            members.add(byte)
            previous = byte
        elif byte == 0x2D and previous and following and following != b"]":
            position += 1
            byte = pattern[position]
            if byte == 0x5C:
                position += 1
                if position >= end:
                    raise MalformedError
                byte = pattern[position]
            members.update(range(previous, byte + 1))
            previous = 0
        elif byte == 0x5B and following == b":":
            start = position + 2
            close = pattern.find(b"]", start)
            if close < 0:
                raise MalformedError
            if close - start >= 1 and pattern[close - 1] == 0x3A:
                members |= _class_members(pattern[start : close - 1])
                position, previous = close, 0
            else:
                members.add(byte)
                previous = byte
        else:
            members.add(byte)
            previous = byte
        position += 1
        if pattern[position : position + 1] == b"]":
            break
    chosen = set(range(256)) - members if negated else members
    return frozenset(chosen - {_SLASH}), position + 1


@lru_cache(maxsize=32)
def _class_members(name: bytes) -> frozenset[int]:
    if name not in _CLASSES:
        raise MalformedError
    expression = re.compile(b"[" + _CLASSES[name].replace(b"[", b"\\[") + b"]")
    return frozenset(byte for byte in range(256) if expression.match(bytes((byte,))))


def _class_source(members: frozenset[int]) -> bytes:
    if not members:
        return b"(?!)"
    return b"[" + b"".join(b"\\x%02x" % byte for byte in sorted(members)) + b"]"
