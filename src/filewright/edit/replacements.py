"""Replacements of every match of a pattern, with references to its groups.

`compile_replacement` checks the text of a replacement, `replace_matches` applies it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from filewright.edit.code_replacements import (
    CodeReplacer,
    compile_code_replacement,
)
from filewright.edit.line_endings import replace_lines
from filewright.edit.merge import exact_splices
from filewright.edit.source import Source
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.logs.selection import EntrySelection
from filewright.progress import Task
from filewright.search.file_rows import select_lines
from filewright.search.matches import Match, Span, find_matches
from filewright.search.pattern import Pattern
from filewright.text.codec import check_text, encode, normalize_newlines
from filewright.text.snapshot import Snapshot
from filewright.text.splice import (
    PackedSplices,
    Splice,
    join_insertions,
)

MAX_MATCHES = 1_000_000
"""Matches replaced in one file; the splices of more would not stay in bounded memory."""

MAX_UNUSUAL = 20
MAX_UNUSUAL_BYTES = 4 << 10
"""The matches that are looked at again, and the length of each."""

_REFERENCE = re.compile(r"\$(?:(\$)|(\d+)|\{([^{}]*)\})")

# Models know the notations of other programs better than this one. Written as text they
# would silently put `\1` into the file.
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


class Piece(NamedTuple):
    """A part of the text that replaces a match.

    The bytes of a group are bytes of the file and keep their terminators.
    """

    data: bytes
    is_of_file: bool = False


def join_pieces(pieces: Iterable[Piece]) -> bytes:
    """Return the bytes of all pieces."""
    return b"".join(piece.data for piece in pieces)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A checked replacement: texts and group numbers in order; 0 is the whole match."""

    parts: tuple[str | int, ...]

    @property
    def has_lines(self) -> bool:
        """Return True if a text of the replacement, outside of its groups, has a newline."""
        return any(
            isinstance(part, str) and "\n" in part for part in self.parts
        )

    def expander(self, snapshot: Snapshot) -> Callable[[Match], list[Piece]]:
        """Return a function that returns the pieces which replace a match.

        A group that took no part in the match is empty.
        """
        # Texts are encoded once: there may be a million matches.
        parts = [
            part
            if isinstance(part, int)
            else encode(part, snapshot.encoding, argument="replacement")
            for part in self.parts
        ]

        def expand(match: Match) -> list[Piece]:
            pieces: list[Piece] = []
            spans = [(match.offset, match.end), *match.groups]
            for part in parts:
                if isinstance(part, bytes):
                    pieces.append(Piece(part))
                    continue
                span = spans[part]
                if span is not None:
                    start, end = span
                    data = snapshot.read(start, end - start)
                    pieces.append(Piece(data, is_of_file=True))
            return pieces

        return expand


@dataclass(frozen=True, slots=True)
class ReplaceOutcome:
    """The splices that replace the matches in one file.

    There are `count` matches. `unchanged` of them are already equal to their replacement,
    and `splices` are for the others. Of a change of rows, `count` and `unchanged` count
    rows, `value_count` their fields that change, and `notes` tell of other rows.
    `unusual` are the ranges of the first matches that have several lines, or others in
    their holes: a caller should see what becomes of these.
    """

    count: int
    unchanged: int
    splices: Sequence[Splice]
    value_count: int = 0
    notes: tuple[str, ...] = ()
    unusual: tuple[Span, ...] = ()


def compile_replacement(text: str, pattern: Pattern) -> Replacement:
    """Compile the replacement `text` for the matches of `pattern`.

    In a regular expression, `$1` and `${1}` are groups, `${name}` a named one, `$0` the
    whole match and `$$` a dollar sign. Any other dollar is itself, and in literal mode
    all are. In a pattern of code, `$NAME` and `$$$NAME` are its holes.
    A group or hole becomes the bytes of the file that it matched.

    Raises `invalid_input` for a pattern that matches the empty text inside of a line, for
    a group that the pattern does not have, and for references in the notation of another
    program.
    """
    check_text(text, "replacement")
    # Such a pattern would insert the text between any two characters of the file.
    if pattern.matches_empty_within_lines:
        if re.search(r"[*?]|\{0?,", pattern.text):
            hint = (
                "make it match at least one character ('+' in place of '*'), "
                "or tie it to a line's edge with ^ or $"
            )
        else:
            hint = (
                "match the characters beside the place and put them back, "
                r"as (\w+) with <$1>"
            )
        message = (
            "the pattern also matches the empty string, which occurs everywhere"
        )
        raise invalid(message, hint, argument="pattern")
    normalized = normalize_newlines(text)
    if pattern.mode == "literal":
        return Replacement((normalized,) if normalized else ())
    if pattern.code is not None:
        return Replacement(compile_code_replacement(normalized, pattern.code))
    _refuse_other_references(normalized, pattern)
    parts: list[str | int] = []
    position = 0
    for reference in _REFERENCE.finditer(normalized):
        parts.append(normalized[position : reference.start()])
        position = reference.end()
        dollar, digits, name = reference.groups()
        if dollar:
            parts.append("$")
        elif digits is not None:
            parts.append(_group_number(digits, reference.group(), pattern))
        elif re.fullmatch(r"\d+", name, re.ASCII):
            parts.append(_group_number(name, reference.group(), pattern))
        elif name in pattern.group_numbers:
            parts.append(pattern.group_numbers[name])
        else:
            group_names = (
                ", ".join(
                    f"${{{group_name}}}" for group_name in pattern.group_numbers
                )
                or "it has no named groups"
            )
            raise _missing_group(
                reference.group(), f"named groups of the pattern: {group_names}"
            )
    parts.append(normalized[position:])
    return Replacement(tuple(part for part in parts if part != ""))


def _refuse_other_references(text: str, pattern: Pattern) -> None:
    """Raise `invalid_input` for a reference as Python, sed, Perl or JavaScript write it."""
    for reference in _OTHER_REFERENCE.finditer(text):
        number, python_name, case, name, angled, _ = reference.groups()
        if name is not None and name not in pattern.group_numbers:
            continue  # A variable of the program that the text belongs to.
        if case is not None:
            message = (
                f"{reference.group()} in the replacement changes the case, "
                "which is not supported"
            )
            hint = "give each word an item of its own, without the \\ signs"
        else:
            group = number or python_name or name or angled or "0"
            notation = (
                f"${{{group}}}"
                if not group.isdecimal() or len(group) > 1
                else f"${group}"
            )
            message = (
                f"{reference.group()} in the replacement does not refer to a "
                "group"
            )
            hint = f"write {notation}"
            if number is None or group != "0":
                hint += ", and $0 for the whole match"
            literally = (
                "$" + reference.group()
                if reference.group().startswith("$")
                else ""
            )
            hint += (
                "; for the characters themselves "
                f"{literally or 'use mode=literal, or edit_content'}"
            )
        raise invalid(
            message, hint, argument="replacement", group=reference.group()
        )


def _group_number(digits: str, reference: str, pattern: Pattern) -> int:
    """Return the number of a group. Raises `invalid_input` if the pattern has no such."""
    number = (
        int(digits)
        if len(digits) < 6 and digits.isascii()
        else pattern.group_count + 1
    )
    if number > pattern.group_count:
        hint = f"the pattern has {pattern.group_count} groups; write $$ for a dollar sign"
        # `$10` in a pattern of one group is meant as group 1 and a zero.
        if len(digits) > 1 and int(digits[0]) <= pattern.group_count:
            hint += (
                f", or ${{{digits[0]}}}{digits[1:]} "
                f"for group {digits[0]} followed by {digits[1:]!r}"
            )
        raise _missing_group(reference, hint)
    return number


def _missing_group(reference: str, hint: str) -> FilewrightError:
    """Return the error of a reference to a group that the pattern does not have."""
    message = f"the replacement names a group that the pattern does not have: {reference}"
    return invalid(message, hint, argument="replacement", group=reference)


def replace_matches(
    snapshot: Snapshot,
    pattern: Pattern,
    replacement: Replacement,
    *,
    selection: EntrySelection | None = None,
    max_matches: int = MAX_MATCHES,
    task: Task | None = None,
) -> ReplaceOutcome:
    """Replace every match in a snapshot, leftmost first, not overlapping.

    With a `selection`, only matches that are wholly in a row that it selects.

    Lines that the replacement keeps keep their terminators; new ones take that of a
    neighbour. Raises `is_binary`, `unencodable`, `too_large` above `max_matches`, and the
    errors of searching.
    """
    if snapshot.binary_type is not None:
        path = snapshot.requested_path
        raise path_error(
            Code.IS_BINARY,
            path,
            f"{path} is not text",
            "change it with another tool",
        )
    source = Source(snapshot)
    expand = replacement.expander(source.snapshot)
    # A literal text of several lines is compared with its replacement line by line, so
    # that the lines which both have are in no splice.
    literal = (
        pattern.text
        if pattern.mode == "literal" and not pattern.insensitive
        else ""
    )
    matches_of_text = _find_selected(source, pattern, selection, task)
    if pattern.code is not None:
        matches = list(islice(matches_of_text, max_matches + 1))
        if len(matches) > max_matches:
            raise _too_many_matches(snapshot, max_matches)
        replacer = CodeReplacer(source, pattern.code, replacement.parts)
        return _replace_code(source, snapshot, replacer, matches)
    text = "".join(map(str, replacement.parts))
    compares_lines = "\n" in literal or (bool(literal) and "\n" in text)
    # With returns in the file, each new line needs the terminator of its neighbours.
    chooses_terminators = replacement.has_lines and not source.has_no_returns
    count = unchanged = 0
    long_matches: list[Match] = []

    def splices() -> Iterator[Splice]:
        nonlocal count, unchanged
        for match in matches_of_text:
            if match.offset == match.end and not text:
                continue  # An empty match, replaced by nothing, is no match to report.
            count += 1
            if count > max_matches:
                raise _too_many_matches(snapshot, max_matches)
            start, end = match.offset, match.end
            match_splices: Sequence[Splice] = ()
            if compares_lines:
                match_splices = exact_splices(source, start, end, literal, text)
            elif chooses_terminators:
                match_splices = _splices_of_pieces(
                    source, start, end, expand(match)
                )
            elif (new := join_pieces(expand(match))) != source.read(start, end):
                match_splices = (Splice(start, end - start, new),)
            unchanged += not match_splices
            if pattern.multiline and len(long_matches) < MAX_UNUSUAL:
                long_matches.append(match)
            yield from match_splices

    # Packing runs the generator to its end: only then are the counts complete.
    # Two matches side by side may both insert lines where they meet.
    joined = join_insertions(splices())
    packed = PackedSplices.pack(source.to_file_splices(joined))
    return ReplaceOutcome(
        count,
        unchanged,
        packed,
        unusual=_find_unusual(source, snapshot, long_matches),
    )


def _find_selected(
    source: Source,
    pattern: Pattern,
    selection: EntrySelection | None,
    task: Task | None,
) -> Iterator[Match]:
    """Return the matches, of a selection those in its lines."""
    matches = find_matches(source.snapshot, pattern, task=task)
    if selection is None:
        return matches
    selected = select_lines(source.snapshot, selection, source.task)
    return selected.filter_matches(source.snapshot, matches)


def _replace_code(
    source: Source,
    snapshot: Snapshot,
    replacer: CodeReplacer,
    matches: Sequence[Match],
) -> ReplaceOutcome:
    """Return the replacements of the matches of a pattern of code."""
    code_splices = replacer.replace_all(matches)
    splices = source.to_file_splices(code_splices.splices)
    return ReplaceOutcome(
        len(matches),
        code_splices.unchanged,
        PackedSplices.pack(splices),
        unusual=_find_unusual(source, snapshot, matches),
    )


def _find_unusual(
    source: Source, snapshot: Snapshot, matches: Sequence[Match]
) -> tuple[Span, ...]:
    """Return the first matches that have several lines or hold others, outermost only.

    None in UTF-16, of which the text is another than that of the file.
    """
    if source.snapshot is not snapshot:
        return ()
    unusual: list[Span] = []
    for index, match in enumerate(matches):
        if unusual and match.offset < unusual[-1][1]:
            continue
        following = matches[index + 1 : index + 2]
        holds_another = any(other.offset < match.end for other in following)
        length = min(match.end - match.offset, MAX_UNUSUAL_BYTES)
        has_lines = b"\n" in snapshot.read(match.offset, length)
        if holds_another or has_lines:
            unusual.append((match.offset, match.end))
            if len(unusual) == MAX_UNUSUAL:
                break
    return tuple(unusual)


def _too_many_matches(snapshot: Snapshot, max_matches: int) -> FilewrightError:
    path = snapshot.requested_path
    return path_error(
        Code.TOO_LARGE,
        path,
        f"the pattern matches more than {max_matches:,} times in {path}",
        "make the pattern narrower",
        limit=max_matches,
    )


def _splices_of_pieces(
    source: Source, start: int, end: int, pieces: Iterable[Piece]
) -> Sequence[Splice]:
    """Return the splices that put pieces at [start, end) of a text with mixed terminators.

    A line of a piece of the file keeps its terminator; another one takes its neighbour's.
    """
    bodies: list[bytes] = []
    terminators: list[bytes | None] = []
    # A line may be made of several pieces.
    body_so_far = b""
    for piece in pieces:
        for row in piece.data.splitlines(keepends=True):
            body = row.rstrip(b"\r\n")
            body_so_far += body
            if len(body) < len(row):
                bodies.append(body_so_far)
                terminators.append(
                    row[len(body) :] if piece.is_of_file else None
                )
                body_so_far = b""
    return replace_lines(
        source, start, end, [*bodies, body_so_far], [*terminators, b""]
    )
