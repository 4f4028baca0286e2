"""Git's wildcards (`wildmatch.c` with `WM_PATHNAME`) as regular expressions over bytes.

`*` and `?` never match a slash; `**` between slashes, or at either end next to one,
matches any number of folders; `[…]` takes ranges, `!` or `^` for all others, and the
POSIX classes; a backslash takes the next byte as it is.

The expressions cannot backtrack without bound. Behind each star an atomic group takes
the first position where the text up to the next star fits. No later position could be
better: the next star reaches at least as far.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
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
_UTF8_CHARACTER = (
    rb"(?:[\x00-\x2e\x30-\x7f]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf])"
)
_SLASH = 0x2F
_WITHIN_NAME = rb"[^/]*"
_STARS = re.compile(rb"\*+")
_MEMBER = re.compile(rb"\\(.)|\[:([^\]]*):\]|([^\\])", re.DOTALL)


class MalformedError(ValueError):
    """A pattern that matches nothing: an open bracket, or a backslash at the end."""


@dataclass(slots=True)
class _Section:
    """The part of a pattern from one `**` to the next.

    `opening` is the expression for the `**`, empty in the first section. Each of
    `pieces` but the first follows a single star.
    """

    opening: bytes
    pieces: list[bytes] = field(default_factory=lambda: [b""])

    def expression(self, *, is_last: bool) -> bytes:
        """Return the expression of this section."""
        expression = self.pieces[0]
        for number, piece in enumerate(self.pieces[1:], 2):
            if is_last and number == len(self.pieces):
                # The end of the text decides here, so the star may have to give back.
                expression += _WITHIN_NAME + piece
            else:
                expression += b"(?>" + _WITHIN_NAME + b"?" + piece + b")"
        if not self.opening:
            return expression
        if is_last:
            return self.opening + expression
        return b"(?>" + self.opening + b"?" + expression + b")"


@lru_cache(maxsize=4096)
def translate(pattern: bytes, characters: bool = False) -> re.Pattern[bytes]:
    """Return an expression whose `fullmatch` tells whether a path matches `pattern`.

    With `characters`, `?` matches one character of UTF-8 instead of one byte. Raise
    `MalformedError`.
    """
    any_one = _UTF8_CHARACTER if characters else b"[^/]"
    sections = [_Section(b"")]
    position = 0
    while position < len(pattern):
        byte = pattern[position : position + 1]
        if byte == b"*":
            position = _append_stars(sections, pattern, position)
            continue
        if byte == b"?":
            expression, position = any_one, position + 1
        elif byte == b"[":
            members, position = bracket(pattern, position)
            expression = _member_expression(members)
        else:
            if byte == b"\\":
                position += 1
            if position == len(pattern):
                raise MalformedError
            expression = re.escape(pattern[position : position + 1])
            position += 1
        sections[-1].pieces[-1] += expression
    last = sections[-1]
    source = b"".join(
        section.expression(is_last=section is last) for section in sections
    )
    return re.compile(source, re.DOTALL)


def _append_stars(
    sections: list[_Section], pattern: bytes, position: int
) -> int:
    """Append the stars at `position`. Return the position after them."""
    stars = _STARS.match(pattern, position)
    assert stars is not None
    start, position = stars.span()
    follows_slash = pattern[max(0, start - 1) : start] in (b"", b"/")
    is_double = position - start > 1 and follows_slash
    next_bytes = pattern[position : position + 2]
    if is_double and next_bytes.startswith(b"/"):
        sections.append(_Section(b"(?:[^/]*/)*"))
        return position + 1
    if is_double and (not next_bytes or next_bytes == b"\\/"):
        sections.append(_Section(b".*"))
    else:
        sections[-1].pieces.append(b"")
    return position


def _member_expression(members: frozenset[int]) -> bytes:
    if not members:
        return b"(?!)"  # It matches nothing.
    return (
        b"["
        + b"".join(b"\\x%02x" % member for member in sorted(members))
        + b"]"
    )


def bracket(pattern: bytes, position: int) -> tuple[frozenset[int], int]:
    """Return the bytes that the bracket at `position` matches, and its end.

    A slash is never among the bytes. Raise `MalformedError`.
    """
    position += 1
    is_negated = pattern[position : position + 1] in (b"!", b"^")
    if is_negated:
        position += 1
    members: set[int] = set()
    range_start = (
        0  # The member before, with which a range may begin; 0 if none.
    )
    # A `]` right at the start is a member.
    while not members or pattern[position : position + 1] != b"]":
        ahead = pattern[position : position + 2]
        ends_range = (
            range_start > 0
            and re.match(rb"-[^\]]", ahead, re.DOTALL) is not None
        )
        member = _MEMBER.match(pattern, position + ends_range)
        if member is None:
            raise MalformedError
        escaped, class_name, plain = member.groups()
        position = member.end()
        if class_name is not None and not ends_range:
            members |= _class_members(class_name)
            range_start = 0
            continue
        if class_name is not None:
            # Behind a dash, `[:` is no class: the bracket is a byte like any other.
            position, plain = member.start() + 1, b"["
        byte = ord(escaped or plain)
        if ends_range:
            members.update(range(range_start, byte + 1))
            range_start = 0
        else:
            members.add(byte)
            range_start = byte
    matched = set(range(256)) - members if is_negated else members
    return frozenset(matched - {_SLASH}), position + 1


@lru_cache(maxsize=32)
def _class_members(name: bytes) -> frozenset[int]:
    if name not in _CLASSES:
        raise MalformedError
    expression = re.compile(b"[" + _CLASSES[name].replace(b"[", b"\\[") + b"]")
    return frozenset(
        byte for byte in range(256) if expression.match(bytes((byte,)))
    )
