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
_STARS = re.compile(rb"\*+")
_MEMBER = re.compile(rb"\\(.)|\[:([^\]]*):\]|([^\\])", re.DOTALL)


class MalformedError(ValueError):
    """A pattern that matches nothing: a bracket that does not end, or a backslash at the end."""


@lru_cache(maxsize=4096)
def translate(pattern: bytes, characters: bool = False) -> re.Pattern[bytes]:
    """The expression whose `fullmatch` says whether a path matches `pattern`.

    With `characters`, `?` matches one character of UTF-8 instead of one byte. Raises
    `MalformedError`.
    """
    # What is between two `**` is a group, of pieces that each begin with a star but for the first.
    groups: list[tuple[bytes, list[bytes]]] = [(b"", [b""])]
    position = 0
    while position < len(pattern):
        byte = pattern[position : position + 1]
        if byte == b"*":
            start, position = _STARS.match(pattern, position).span()  # type: ignore[union-attr]
            whole = position - start > 1 and pattern[max(0, start - 1) : start] in (
                b"",
                b"/",
            )
            after = pattern[position : position + 2]
            if whole and after.startswith(b"/"):
                groups.append((b"(?:[^/]*/)*", [b""]))
                position += 1
            elif whole and (not after or after == b"\\/"):
                groups.append((b".*", [b""]))
            else:
                groups[-1][1].append(b"")
            continue
        if byte == b"?":
            text, position = _CHARACTER if characters else b"[^/]", position + 1
        elif byte == b"[":
            members, position = bracket(pattern, position)
            text = (
                b"[" + b"".join(b"\\x%02x" % each for each in sorted(members)) + b"]"
                if members
                else b"(?!)"
            )
        else:
            position += byte == b"\\"
            if position == len(pattern):
                raise MalformedError
            text, position = re.escape(pattern[position : position + 1]), position + 1
        groups[-1][1][-1] += text
    last = len(groups) - 1
    source = b"".join(
        _group(*group, last=number == last) for number, group in enumerate(groups)
    )
    return re.compile(source, re.DOTALL)


def _group(opened: bytes, pieces: list[bytes], *, last: bool) -> bytes:
    body = pieces[0]
    for index, piece in enumerate(pieces[1:], 2):
        at_end = last and index == len(pieces)
        body += _NAME + piece if at_end else b"(?>" + _NAME + b"?" + piece + b")"
    if not opened:
        return body
    return opened + body if last else b"(?>" + opened + b"?" + body + b")"


def bracket(pattern: bytes, position: int) -> tuple[frozenset[int], int]:
    """The bytes a bracket at `position` matches (a slash never), and where the pattern goes on."""
    position += 1
    negated = pattern[position : position + 1] in (b"!", b"^")
    position += negated
    members: set[int] = set()
    previous = 0  # What a range may begin with.
    while not members or pattern[position : position + 1] != b"]":
        ranged = (
            previous > 0
            and re.match(rb"-[^\]]", pattern[position : position + 2], re.DOTALL)
            is not None
        )
        found = _MEMBER.match(pattern, position + ranged)
        if found is None:
            raise MalformedError
        escaped, named, plain = found.groups()
        position = found.end()
        if named is not None and not ranged:
            members |= _class_members(named)
            previous = 0
            continue
        if named is not None:  # Behind a dash it is a bracket like any other byte.
            position, plain = found.start() + 1, b"["
        byte = ord(escaped or plain)
        members.update(range(previous, byte + 1) if ranged else (byte,))
        previous = 0 if ranged else byte
    chosen = set(range(256)) - members if negated else members
    return frozenset(chosen - {_SLASH}), position + 1


@lru_cache(maxsize=32)
def _class_members(name: bytes) -> frozenset[int]:
    if name not in _CLASSES:
        raise MalformedError
    expression = re.compile(b"[" + _CLASSES[name].replace(b"[", b"\\[") + b"]")
    return frozenset(byte for byte in range(256) if expression.match(bytes((byte,))))
