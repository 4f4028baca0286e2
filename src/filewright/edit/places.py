"""Edits by their place: lines, those of a symbol, the nth match from a line on, and every match of a pattern.

`LineSearch` names a line, and what begins at or
after it: a search text means whole lines, or where no lines are equal to it a part of one; the nth one is
meant. Only leading white space may be looked past, and only if the edit says so.

What takes the place of a pattern's match is, in regex mode, a template: ``$1`` and ``${1}`` mean a group, ``${name}``
a named one, ``$0`` the whole match, ``$$`` a dollar sign; any other dollar is itself. A group
brings the file's own bytes. In literal mode nothing in the replacement is special.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from filewright.edit.filetext import Source
from filewright.edit.line_endings import replace_lines
from filewright.edit.locate.request import Edit, SymbolLines, indent_of
from filewright.edit.merge import exact_splices
from filewright.edit.string_literals import find_rows_inside_strings
from filewright.errors import Code, FilewrightError, invalid, path_error
from filewright.languages import language_of
from filewright.progress import Task
from filewright.search.engine import Match
from filewright.search.engine import matches as find_matches
from filewright.search.pattern import Pattern
from filewright.search.pattern import compile as compile_pattern
from filewright.structure.lookup import find_symbol
from filewright.structure.symbol import Outline, Symbol
from filewright.text.codec import check_text, encoded, normalised
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, Splices

#: Matches replaced in one file; the splices of more would not stay in bounded memory.
MOST = 1_000_000

_SAMPLED_BYTES = 64 << 10
"""Bytes of a file of which the indentation is looked at."""
_BESIDE_BYTES = 4_096
"""Bytes beside a symbol on its own lines that are looked at."""
_QUOTED = re.compile(
    r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\\n])*'|(?://|#|--).*|/\*.*?\*/"
)
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
_BLANKS = " \t"


# Symbols


def find_symbol_lines(
    snapshot: Snapshot, outline: Outline, symbol: str, shown: str
) -> SymbolLines:
    """The lines of the one symbol of that name. Raises what `find_symbol` does, and `invalid_input` where other code
    is on them: it would be moved or deleted with the symbol."""
    found = find_symbol(outline, symbol, shown)
    source, own = Source(snapshot), found.symbol
    siblings = found.around[-1].children if found.around else outline.symbols
    first, last = own.block_start_line, own.end_line
    beside = [
        each
        for each in found.around[-1:]
        if each.start < own.start and each.start_line >= first
    ]
    beside += [
        each
        for _, each in outline.walk()
        if each.end_line >= first
        and each.start_line <= last
        # One that begins and ends with it is declared together with it: int a, b;
        and (
            each.end <= own.start
            or each.start >= own.end
            or (each is not own and each[1:6] == own[1:6])
        )
    ]
    if beside:
        raise invalid(
            f"{symbol} is on a line with {beside[0].kind} {beside[0].name} in {shown}",
            "give its text as search, or the text it is to be put beside",
        )
    _require_whole_lines(snapshot, own, symbol, shown)
    # A section of a text reaches down to the next heading: the blank lines before that are not its own.
    *_, end = source.rows_at(last - 1, 1)
    if not source.text(end.body).strip():
        _, blank = source.first_solid(source.rows_before(end))
        last = max(own.start_line, last - 1 - blank)
    row = source.row_at(source.offset(first - 1))
    _, before = source.first_solid(source.rows_before(row))
    goes_on, after = source.first_solid(source.rows_from(source.offset(last)))
    between = before
    if goes_on:
        # What follows the only symbol of another parts that from its neighbours.
        is_first = siblings[0].start == own.start and (
            len(siblings) > 1 or not found.around
        )
        between = after if is_first else min(before, after)
    gap = between if between or len(siblings) > 1 else None
    if own.is_listed:
        # What is behind the list may be parted from it otherwise than its members are from one another.
        listed = [sibling.start for sibling in siblings if sibling.is_listed]
        gap = before if own.start != listed[0] else after if len(listed) > 1 else 0
    following = last + after + 1 if goes_on else None
    return SymbolLines(
        first, last, indent_of(source.text(row.body)), before, between, following, gap
    )


def strip_blank_lines(text: str) -> tuple[str, int, int]:
    """Return a text without the blank lines at its ends, and how many those are above and below.

    A text of blank lines alone stays as it is.
    """
    rows = text.split("\n")
    solid = [number for number, row in enumerate(rows) if row.strip()]
    if not solid:
        return text, 0, 0
    first, last = solid[0], solid[-1]
    ends_line = len(rows) > 1 and not rows[-1].strip()
    below = len(rows) - 1 - last - ends_line
    return (
        "\n".join(rows[first : last + 1]) + ("\n" if ends_line else ""),
        first,
        max(0, below),
    )


def trim_symbol_text(text: str, lines: SymbolLines) -> str:
    """Return the text that takes the place of a symbol, without blank lines at its ends that are there already."""
    body, above, below = strip_blank_lines(normalised(text))
    if not body.strip():
        return text
    more_above = max(0, above - lines.before) if lines.first - lines.before > 1 else 0
    more_below = 0
    if lines.following is not None:
        more_below = max(0, below - (lines.following - lines.last - 1))
    ended = body if body.endswith("\n") or not more_below else body + "\n"
    return "\n" * more_above + ended + "\n" * more_below


def _require_whole_lines(
    snapshot: Snapshot, own: Symbol, symbol: str, shown: str
) -> None:
    """Raise `invalid_input` where the lines of a symbol end a block that begins elsewhere, or begin one."""
    lines, codec = snapshot.lines, snapshot.encoding.name
    start, stop = (
        lines.offset_of(own.block_start_line),
        lines.offset_of(own.end_line + 1),
    )
    if own.block_start - start > _BESIDE_BYTES or stop - own.end > _BESIDE_BYTES:
        return
    beside = snapshot.read(start, own.block_start - start) + snapshot.read(
        own.end, stop - own.end
    )
    text = _QUOTED.sub("", beside.decode(codec, "replace"))
    if any(
        text.count(opening) != text.count(closing)
        for opening, closing in ("()", "[]", "{}")
    ):
        raise invalid(
            f"{symbol} is on a line with what encloses it in {shown}",
            "give its text as search, or the text it is to be put beside",
        )


def reindent_block(
    text: str, indent: str, language: str | None = None, unit: str | None = None
) -> str:
    """Return `text` moved as a whole so that its first line has `indent`.

    It stays as it is where a line has less than the first. What is indented deeper takes the `unit` of the file:
    tabs, or so many spaces (None: as it is). The content of strings of several lines stays where it is.
    """
    rows = normalised(text).split("\n")
    inside = find_rows_inside_strings("\n".join(rows), language)
    solid = [
        row for number, row in enumerate(rows) if row.strip() and number not in inside
    ]
    own = indent_of(solid[0]) if solid else ""
    if not all(row.startswith(own) for row in solid):
        return text
    deeper = [indent_of(row)[len(own) :] for row in solid]
    step = common_indent_unit([*deeper, own])
    for number, row in enumerate(rows):
        if not row.strip() or number in inside:
            continue
        blanks = indent_of(row)[len(own) :]
        rows[number] = (
            indent + _in_unit(blanks, step, unit) + row[len(own) + len(blanks) :]
        )
    return "\n".join(rows)


def common_indent_unit(indents: Iterable[str]) -> str | None:
    """Return what lines are indented by for each level: a tab, or the most usual step in spaces; None if none is."""
    tabs = spaces = last = 0
    steps: Counter[int] = Counter()
    for indent in indents:
        tabs += indent.startswith("\t")
        spaces += indent.startswith(" ")
        width = 0 if "\t" in indent else len(indent)
        if width > last:
            steps[width - last] += 1
        last = width
    if not tabs and not spaces:
        return None
    if tabs > spaces:
        return "\t"
    # A single space more aligns a line with the one above, or is a comment's star.
    usual = [step for step, _ in steps.most_common() if step > 1]
    return " " * (usual[0] if usual else 4)


def detect_indent_unit(
    snapshot: Snapshot, language: str | None = None, lines: range | None = None
) -> str | None:
    """Return what the lines of a file, or those `lines` of it, are indented by for each level; None where none is.

    The content of strings of several lines is no layout: a program in tabs may hold a script in spaces.
    """
    start = snapshot.start if lines is None else snapshot.lines.offset_of(lines.start)
    stop = snapshot.size if lines is None else snapshot.lines.offset_of(lines.stop)
    data = snapshot.read(start, min(stop - start, _SAMPLED_BYTES))
    text = normalised(data.decode(snapshot.encoding.name, "replace"))
    inside = find_rows_inside_strings(text, language)
    indents = [
        indent_of(row)
        for number, row in enumerate(text.split("\n"))
        if row.strip() and number not in inside
    ]
    if lines is not None and indents:
        outer = indents[0]
        indents = [indent.removeprefix(outer) for indent in indents]
    return common_indent_unit(indents)


def _in_unit(blanks: str, step: str | None, unit: str | None) -> str:
    """Return an indentation of `step` a level in the `unit` of another text: spaces for tabs, or tabs for spaces."""
    if unit is None or step is None or (unit == "\t") == (step == "\t"):
        return blanks
    if unit == "\t":
        levels, rest = divmod(len(blanks), len(step))
        return "\t" * levels + " " * rest if "\t" not in blanks else blanks
    return blanks.replace("\t", unit)


def _moved(text: str, asked: str, there: str, language: str | None = None) -> str:
    """Return `text` moved from one indentation to another, without the content of strings of several lines."""
    rows = normalised(text).split("\n")
    inside = find_rows_inside_strings("\n".join(rows), language)
    for number, row in enumerate(rows):
        if row.strip() and number not in inside:
            rows[number] = there + (
                row[len(asked) :] if row.startswith(asked) else row.lstrip(_BLANKS)
            )
    return "\n".join(rows)


# Lines, and the nth occurrence from a line on


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def make_line_edit(
    search: str,
    replace: str,
    start: int,
    end: int | None = None,
    *,
    insert: bool = False,
) -> Edit:
    """The edit that makes `search`, which is on lines `start` to `end` (from 1, inclusive), `replace`.

    An empty `replace` removes the lines. With `insert`, `replace` goes in as whole lines before
    `start` (one past the last line appends); `search`, if given, must be at that line.
    Raises `invalid_input`.
    """
    search, replace = normalised(search), normalised(replace)
    last = (
        end
        if end is not None and not insert
        else start + search.removesuffix("\n").count("\n")
    )
    if insert:
        if not replace.removesuffix("\n"):
            raise invalid(
                "there is nothing to insert",
                "give the new lines as replace",
                argument="search",
            )
        search = search and _ended(search)
        return Edit(
            search,
            _ended(replace) + search,
            start_line=start,
            end_line=last if search else None,
        )
    if not search:
        raise invalid(
            "the search text is empty",
            "give the text of the lines, or insert",
            argument="search",
        )
    if not replace or search.endswith("\n"):
        search, replace = _ended(search), replace and _ended(replace)
    return Edit(search, replace, start_line=start, end_line=last)


@dataclass(frozen=True, slots=True)
class LineSearch:
    """Put `replace` where `search` is, or before `start_line` if there is no `search`.

    `start_line` is where looking begins (1-based); `replace` None removes what was found. With
    `pattern` (and its checked `template`) the nth match of it is meant in place of `search`.
    """

    start_line: int
    search: str | None = None
    replace: str | None = None
    ignore_indent: bool = True
    keep_indent: bool = True
    occurrence: int = 1
    pattern: Pattern | None = None
    template: Replacement | None = None


def find_line_edit(
    snapshot: Snapshot, edit: LineSearch, *, task: Task | None = None
) -> Edit:
    """The lines that a `LineSearch` makes anew in the file as it is.

    Raises `no_match` with the number of places there are, `invalid_input` for a line past the end.
    """
    source = Source(snapshot, task)
    count, start, asked = source.count, edit.start_line, snapshot.asked
    inserts = not edit.search and edit.pattern is None
    if start > count + inserts:
        message = (
            f"start_line {start} is past the end of {asked}, which has {count} lines"
        )
        hint = f"use a line from 1 to {count}; {count + 1} appends"
        raise invalid(
            message, hint, path=asked, line_count=count, argument="start_line"
        )
    if inserts:
        above = source.rows_at(start - 2, 1) if start > 1 else ()
        indent = (
            indent_of(source.text(above[0].body)) if above and edit.keep_indent else ""
        )
        text = edit.replace or "\n"
        return _made(start, None, _in_place(text, "", indent, _language(snapshot)))
    ways = (_whole_lines, _parts) if edit.pattern is None else (_matched,)
    seen = 0
    for way in ways:
        for made in way(source, edit) if not seen else ():
            seen += 1
            if seen == edit.occurrence:
                return made
    where = f"from line {start} on of {asked}"
    message = f"the text occurs {seen} times {where}, not {edit.occurrence} times"
    hint = f"use an occurrence from 1 to {seen}, or an earlier start line"
    if not seen:
        message = f"the text is nowhere {where}"
        hint = "use the text that is there, as whole lines, and a start line at or before it"
    raise path_error(Code.NO_MATCH, asked, message, hint, start_line=start, count=seen)


def _made(first: int, last: int | None, text: str) -> Edit:
    return Edit("", text, start_line=first, end_line=last, named="by its line")


def _whole_lines(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """The lines from the start line on that are those of the search text."""
    asked = normalised(edit.search or "").removesuffix("\n").split("\n")
    stripped = _BLANKS if edit.ignore_indent else ""
    wanted = deque(
        row.lstrip(stripped).encode(source.encoding.name, "surrogateescape")
        for row in asked
    )
    recent: deque[bytes | None] = deque(maxlen=len(wanted))
    rows = source.snapshot.lines.since(
        source.offset(edit.start_line - 1), task=source.task
    )
    for last, row in enumerate(rows, edit.start_line):
        recent.append(row.body.lstrip(stripped.encode()) if row.whole else None)
        if recent[-1] == wanted[-1] and recent == wanted:
            first = last - len(wanted) + 1
            text = edit.replace
            if text is not None and edit.keep_indent:
                solid = next((i for i, line in enumerate(asked) if line.strip()), 0)
                there = source.text(source.rows_at(first - 1 + solid, 1)[0].body)
                language = _language(source.snapshot)
                text = _in_place(
                    text, indent_of(asked[solid]), indent_of(there), language
                )
            yield _made(first, last, "" if text is None else text or "\n")


def _language(snapshot: Snapshot) -> str | None:
    return language_of(snapshot.location.name) if snapshot.location else None


def _in_place(text: str, asked: str, there: str, language: str | None) -> str:
    """`text` moved as the search text is, unless it is written with the file's indentation already."""
    solid = [row for row in normalised(text).split("\n") if row.strip()]
    given = asked == there or (
        there.startswith(asked) and all(row.startswith(there) for row in solid)
    )
    return text if given else _moved(text, asked, there, language)


def _parts(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """The places inside a line from the start line on."""
    text = normalised(edit.search or "").removesuffix("\n")
    if text and "\n" not in text:
        pattern = compile_pattern(text, case="sensitive", max_chars=len(text))
        template = compile_replacement(edit.replace or "", pattern)
        yield from _matched(source, replace(edit, pattern=pattern, template=template))


def _matched(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """The matches of the pattern, each replaced in its lines."""
    snapshot, pattern = source.snapshot, edit.pattern
    assert pattern is not None
    start = source.offset(edit.start_line - 1)
    expanded = (
        edit.template.expander(snapshot) if edit.template is not None else lambda _: []
    )
    for match in find_matches(snapshot, pattern, start=start, task=source.task):
        if match.offset == match.end:
            continue
        first, last = (
            source.line_number(match.offset),
            source.line_number(match.end - 1),
        )
        if match.end == source.offset(last) and last < source.count:
            last += (
                1  # the match takes a line's end with it, so the next line takes part
            )
        before = source.read(source.offset(first - 1), match.offset)
        after = source.read(match.end, source.offset(last))
        yield _made(first, last, source.text(before + _joined(expanded(match)) + after))


# Every match


class _Piece(NamedTuple):
    """A part of what a match becomes; the lines of the file's own bytes keep their terminators."""

    data: bytes
    is_of_file: bool = False


def _joined(pieces: Iterable[_Piece]) -> bytes:
    return b"".join(piece.data for piece in pieces)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A checked replacement: texts (with ``\\n``) and group numbers in order; 0 is the whole match."""

    parts: tuple[str | int, ...]

    @property
    def has_lines(self) -> bool:
        """Whether the text that is no group's breaks a line."""
        return any(isinstance(part, str) and "\n" in part for part in self.parts)

    def expander(self, snapshot: Snapshot) -> Callable[[Match], list[_Piece]]:
        """Return a function that gives the pieces of what a match in the snapshot becomes.

        A group that took no part in the match is empty.
        """
        parts = [
            part
            if isinstance(part, int)
            else encoded(part, snapshot.encoding, argument="replacement")
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
    """What replacing does to one file.

    `count` matches were found, `unchanged` of them already read as their replacement; `splices`
    are for the others.
    """

    count: int
    unchanged: int
    splices: Sequence[Splice]


def compile_replacement(text: str, pattern: Pattern) -> Replacement:
    """The replacement `text` for the matches of `pattern`.

    Raises `invalid_input` for a pattern that matches nothing at all in the middle of a line, for a group that the
    pattern does not have, and for references as other programs write them.
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
    plain = normalised(text)
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
    """Refuse a reference to a group as Python, sed, Perl or JavaScript write it: written as it is, it is a slip."""
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
    most: int = MOST,
    task: Task | None = None,
) -> ReplaceOutcome:
    """Replace every match in a snapshot, leftmost first, not overlapping.

    Lines of a match that the replacement keeps keep their terminators; new ones take that of their neighbour.
    Raises `is_binary`, `unencodable`, `too_large` above `most` matches, and what searching raises.
    """
    if snapshot.binary is not None:
        asked = snapshot.asked
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
                message = (
                    f"the pattern matches more than {most:,} times in {snapshot.asked}"
                )
                hint = "make the pattern narrower"
                raise path_error(
                    Code.TOO_LARGE, snapshot.asked, message, hint, limit=most
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

    written = Splices.of(source.of_file(splices()))
    return ReplaceOutcome(count, unchanged, written)


def _put(
    source: Source, start: int, end: int, pieces: Iterable[_Piece]
) -> Sequence[Splice]:
    """Return the splices that put pieces at [start, end), where lines may end in different ways."""
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
