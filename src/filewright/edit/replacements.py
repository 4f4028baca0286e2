"""Replacements of every match of a pattern."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from filewright.edit.line_endings import replace_lines
from filewright.edit.merge import exact_splices
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.progress import Task
from filewright.search.engine import Match
from filewright.search.engine import matches as find_matches
from filewright.search.pattern import Pattern
from filewright.text.codec import check_text, encode, normalize_newlines
from filewright.text.snapshot import Snapshot
from filewright.text.splice import PackedSplices, Splice

#: Matches replaced in one file; the splices of more would not stay in bounded memory.
MAX_MATCHES = 1_000_000


_TOKEN = re.compile(r"\$(?:(\$)|(\d+)|\{([^{}]*)\})")


_OTHER_REFERENCE = re.compile(
    r"""
    (?<!\\)(?:\\\\)*
    (?:
        \\(\d{1,2})               # \1, \0: Python, sed, Perl
        | \\[gk]<(\w+)>          # \g<name>
        | (\\[ULul](?=\$|&|\\\d|\\g<|.*\\E))  # a change of case: Perl, sed, editors
    )
    | (?<!\$)(?:\$\$)*
    (?:
        \$([A-Za-z_]\w*)          # $name, of a group that there is
        | \$<(\w+)>              # $<name>: JavaScript
        | \$(&)                  # the whole match: JavaScript, Perl
    )
    """,
    re.VERBOSE | re.ASCII | re.DOTALL,
)


# Every match


class _Piece(NamedTuple):
    """A part of the text that replaces a match; bytes of the file keep their terminators."""

    data: bytes
    is_of_file: bool = False


def _joined(pieces: Iterable[_Piece]) -> bytes:
    return b"".join(piece.data for piece in pieces)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A checked replacement: texts and group numbers in order; 0 is the whole match."""

    parts: tuple[str | int, ...]

    @property
    def has_lines(self) -> bool:
        """Return True if the text beside the groups has a newline."""
        return any(isinstance(part, str) and "\n" in part for part in self.parts)

    def expander(self, snapshot: Snapshot) -> Callable[[Match], list[_Piece]]:
        """Return a function that returns the pieces which replace a match.

        A group that took no part in the match is empty.
        """
        parts = [
            part
            if isinstance(part, int)
            else encode(part, snapshot.encoding, argument="replacement")
            for part in self.parts
        ]

        def expanded(match: Match) -> list[_Piece]:
            pieces: list[_Piece] = []
            for part in parts:
                if isinstance(part, bytes):
                    pieces.append(_Piece(part))
                elif (
                    span := match.groups[part - 1]
                    if part
                    else (match.offset, match.end)
                ) is not None:
                    pieces.append(
                        _Piece(
                            snapshot.read(span[0], span[1] - span[0]), is_of_file=True
                        )
                    )
            return pieces

        return expanded


@dataclass(frozen=True, slots=True)
class ReplaceOutcome:
    """The splices that replace the matches in one file.

    `count` matches were found. `unchanged` of them are equal to their replacement
    already, and `splices` are for the others.
    """

    count: int
    unchanged: int
    splices: Sequence[Splice]


def compile_replacement(text: str, pattern: Pattern) -> Replacement:
    """Compile the replacement `text` for the matches of `pattern`.

    In a regular expression, `$1` and `${1}` are groups, `${name}` a named one, `$0` the
    whole match and `$$` a dollar sign. Any other dollar is itself, and in literal mode
    all are. A group brings the bytes of the file.

    Raises `invalid_input` for a pattern that matches the empty text inside of a line, for
    a group that the pattern does not have, and for references as other programs write
    them.
    """
    check_text(text, "replacement")
    if pattern.matches_empty_within_lines:
        if re.search(r"[*?]|\{0?,", pattern.text):
            hint = "make it match at least one character ('+' in place of '*'), or tie it to a line's edge with ^ or $"
        else:
            hint = r"match the characters beside the place and put them back, as (\w+) with <$1>"
        message = (
            "the pattern matches the empty string, which is between any two characters"
        )
        raise invalid(message, hint, argument="pattern")
    plain = normalize_newlines(text)
    if pattern.mode == "literal":
        return Replacement((plain,) if plain else ())
    _refuse_other_references(plain, pattern)
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
            known = (
                ", ".join(f"${{{known}}}" for known in pattern.names)
                or "it has no named groups"
            )
            raise _no_group(token.group(), f"named groups of the pattern: {known}")
    parts.append(plain[position:])
    return Replacement(tuple(part for part in parts if part != ""))


def _refuse_other_references(text: str, pattern: Pattern) -> None:
    """Refuse a reference to a group as Python, sed, Perl or JavaScript write it."""
    for reference in _OTHER_REFERENCE.finditer(text):
        number, named, case, name, angled, _ = reference.groups()
        if name is not None and name not in pattern.names:
            continue  # a variable of the text that is written
        if case is not None:
            message = f"{reference.group()} in the replacement would change the case, which is not offered"
            hint = "replace each word by its own item, without the \\ signs"
        else:
            group = number or named or name or angled or "0"
            written = (
                f"${{{group}}}"
                if not group.isdecimal() or len(group) > 1
                else f"${group}"
            )
            message = f"{reference.group()} in the replacement is no reference to a group here"
            hint = f"write {written}"
            if number is None or group != "0":
                hint += ", and $0 for the whole match"
            literally = (
                "$" + reference.group() if reference.group().startswith("$") else ""
            )
            hint += f"; for the characters themselves {literally or 'use mode=literal, or edit_content'}"
        raise invalid(message, hint, argument="replacement", group=reference.group())


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
    snapshot: Snapshot,
    pattern: Pattern,
    new: Replacement,
    *,
    most: int = MAX_MATCHES,
    task: Task | None = None,
) -> ReplaceOutcome:
    """Replace every match in a snapshot, leftmost first, not overlapping.

    Lines that the replacement keeps keep their terminators; new ones take that of a
    neighbour. Raises `is_binary`, `unencodable`, `too_large` above `most` matches, and
    the errors of searching.
    """
    if snapshot.binary_type is not None:
        asked = snapshot.requested_path
        raise path_error(
            Code.IS_BINARY, asked, f"{asked} is not text", "use a tool for bytes"
        )
    source = Source(snapshot)
    expanded = new.expander(source.snapshot)
    # Of a literal text of several lines, those that stay are told from those that change.
    literal = (
        pattern.text if pattern.mode == "literal" and not pattern.insensitive else ""
    )
    text = "".join(map(str, new.parts))
    lines = "\n" in literal or (bool(literal) and "\n" in text)
    chooses = new.has_lines and not source.has_no_returns
    count = unchanged = 0

    def splices() -> Iterator[Splice]:
        nonlocal count, unchanged
        for match in find_matches(source.snapshot, pattern, task=task):
            if match.offset == match.end and not text:
                continue  # nothing is there, and nothing is put there
            count += 1
            if count > most:
                message = f"the pattern matches more than {most:,} times in {snapshot.requested_path}"
                hint = "make the pattern narrower"
                raise path_error(
                    Code.TOO_LARGE, snapshot.requested_path, message, hint, limit=most
                )
            start, end = match.offset, match.end
            own: Sequence[Splice] = ()
            if lines:
                own = exact_splices(source, start, end, literal, text)
            elif chooses:
                own = _put(source, start, end, expanded(match))
            elif (made := _joined(expanded(match))) != source.read(start, end):
                own = (Splice(start, end - start, made),)
            unchanged += not own
            yield from own

    written = PackedSplices.pack(source.to_file_splices(splices()))
    return ReplaceOutcome(count, unchanged, written)


def _put(
    source: Source, start: int, end: int, pieces: Iterable[_Piece]
) -> Sequence[Splice]:
    """Return the splices that put pieces at [start, end) of a text with mixed terminators."""
    bodies: list[bytes] = []
    ends: list[bytes | None] = []
    rest = b""
    for piece in pieces:
        for row in piece.data.splitlines(keepends=True):
            body = row.rstrip(b"\r\n")
            rest += body
            if len(body) < len(row):
                bodies.append(rest)
                ends.append(row[len(body) :] if piece.is_of_file else None)
                rest = b""
    return replace_lines(source, start, end, [*bodies, rest], [*ends, b""])
