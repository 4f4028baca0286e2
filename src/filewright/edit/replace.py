"""Every match of a pattern in one snapshot, replaced: from matches to splices.

In regex mode the replacement is a template: ``$1`` and ``${1}`` mean a group, ``${name}`` for a
named one, ``$0`` for the whole match, ``$$`` for a dollar sign; any other dollar is itself. A group
brings the file's own bytes. In literal mode nothing in the replacement is special.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from filewright.edit.filetext import FileText
from filewright.edit.write import parted, single, write_exact
from filewright.errors import Code, FilewrightError, invalid, refused
from filewright.progress import Task
from filewright.search import Match, Pattern, find_matches
from filewright.text import Snapshot, Splice, Splices, check_text, encoded, normalised

#: Matches replaced in one file; the splices of more would not stay in bounded memory.
MOST = 1_000_000

_TOKEN = re.compile(r"\$(?:(\$)|(\d+)|\{([^{}]*)\})")


@dataclass(frozen=True, slots=True)
class Replacement:
    """A checked replacement: texts (with ``\\n``) and group numbers in order; 0 is the whole match."""

    parts: tuple[str | int, ...]

    def expander(self, snapshot: Snapshot) -> Callable[[Match], bytes]:
        """What a match in the snapshot becomes; a group that took no part in it is empty."""
        breaks = any(isinstance(part, str) and "\n" in part for part in self.parts)
        dominant = snapshot.dominant if breaks else b"\n"
        parts = [
            part
            if isinstance(part, int)
            else encoded(part, snapshot.encoding, dominant, argument="replacement")
            for part in self.parts
        ]

        def expanded(match: Match) -> bytes:
            pieces: list[bytes] = []
            for part in parts:
                if isinstance(part, bytes):
                    pieces.append(part)
                elif (span := match.groups[part - 1] if part else (match.offset, match.end)) is not None:
                    pieces.append(snapshot.read(span[0], span[1] - span[0]))
            return b"".join(pieces)

        return expanded


@dataclass(frozen=True, slots=True)
class Replaced:
    """What replacing does to one file.

    `count` matches were found, `unchanged` of them already read as their replacement; `splices`
    are for the others.
    """

    count: int
    unchanged: int
    splices: Sequence[Splice]


def replacement(text: str, pattern: Pattern) -> Replacement:
    """The replacement `text` for the matches of `pattern`.

    Raises `invalid_input` for a pattern that matches nothing at all, and for a group that the
    pattern does not have.
    """
    check_text(text, "replacement")
    if pattern.matches_empty:
        raise invalid(
            "the pattern matches the empty string, which is everywhere",
            "make it match at least one character: '+' in place of '*'",
            argument="pattern",
        )
    plain = normalised(text)
    if pattern.mode == "literal":
        return Replacement((plain,) if plain else ())
    parts: list[str | int] = []
    position = 0
    for token in _TOKEN.finditer(plain):
        parts.append(plain[position : token.start()])
        position = token.end()
        dollar, digits, name = token.groups()
        if dollar:
            parts.append("$")
        elif digits is not None:
            parts.append(_number(digits, token.group(), pattern))
        elif re.fullmatch(r"\d+", name, re.ASCII):
            parts.append(_number(name, token.group(), pattern))
        elif name in pattern.names:
            parts.append(pattern.names[name])
        else:
            known = ", ".join(f"${{{known}}}" for known in pattern.names) or "it has no named groups"
            raise _no_group(token.group(), f"named groups of the pattern: {known}")
    parts.append(plain[position:])
    return Replacement(tuple(part for part in parts if part != ""))


def _number(digits: str, token: str, pattern: Pattern) -> int:
    number = int(digits) if len(digits) < 6 and digits.isascii() else pattern.groups + 1
    if number > pattern.groups:
        hint = f"the pattern has {pattern.groups} groups; write $$ for a dollar sign"
        if len(digits) > 1 and int(digits[0]) <= pattern.groups:
            hint += f", or ${{{digits[0]}}}{digits[1:]} for group {digits[0]} followed by {digits[1:]!r}"
        raise _no_group(token, hint)
    return number


def _no_group(token: str, hint: str) -> FilewrightError:
    message = f"the replacement names a group that the pattern does not have: {token}"
    return invalid(message, hint, argument="replacement", group=token)


def replace_matches(
    snapshot: Snapshot, pattern: Pattern, new: Replacement, *, most: int = MOST, task: Task | None = None
) -> Replaced:
    """Replace every match in a snapshot, leftmost first, not overlapping. Lines of a literal match
    that the replacement keeps keep their terminators; new ones get the file's dominant one.

    Raises `is_binary`, `unencodable`, `too_large` above `most` matches, and what searching raises.
    """
    if snapshot.binary is not None:
        asked = snapshot.asked
        raise refused(Code.IS_BINARY, asked, f"{asked} is not text", "use a tool for bytes")
    source = FileText(snapshot)
    expanded = new.expander(source.snapshot)
    # Of a literal text of several lines, those that stay are told from those that change.
    literal = pattern.text if pattern.mode == "literal" and not pattern.insensitive else ""
    text = "".join(map(str, new.parts))
    lines = "\n" in literal or (bool(literal) and "\n" in text)
    count = unchanged = 0

    def splices() -> Iterator[Splice]:
        nonlocal count, unchanged
        for match in find_matches(source.snapshot, pattern, task=task):
            count += 1
            if count > most:
                message = f"the pattern matches more than {most:,} times in {snapshot.asked}"
                hint = "make the pattern narrower"
                raise refused(Code.TOO_LARGE, snapshot.asked, message, hint, limit=most)
            start, end = match.offset, match.end
            if lines:
                own = write_exact(source, start, end, literal, text)
            else:
                own = single(source, start, end, expanded(match)) if start < end else ()
            unchanged += not own
            yield from own

    written = source.of_file(Splices.of(parted(source, splices())))
    return Replaced(count, unchanged, written)
