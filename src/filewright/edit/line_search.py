"""Edits that look for their text from a line on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from filewright.edit.block_indent import _BLANKS, _moved
from filewright.edit.comparison import leading_whitespace
from filewright.edit.replacements import Replacement, _joined, compile_replacement
from filewright.edit.request import Edit, Insertion, LineEdit, TextEdit
from filewright.edit.source import Source
from filewright.errors import Code, invalid, path_error
from filewright.languages import language_of
from filewright.progress import Task
from filewright.search.engine import matches as find_matches
from filewright.search.pattern import Pattern
from filewright.search.pattern import compile as compile_pattern
from filewright.text.codec import normalize_newlines
from filewright.text.snapshot import Snapshot

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
    """Return the edit that replaces the text `search` on lines `start` to `end`.

    The lines are counted from 1, the last included. An empty `replace` removes them. With
    `insert`, `replace` goes in as whole lines before `start` (one past the last line
    appends), and `search`, if given, must be at that line. Raises `invalid_input`.
    """
    search, replace = normalize_newlines(search), normalize_newlines(replace)
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
        if not search:
            return Insertion(line=start, replace=_ended(replace))
        return TextEdit(
            search, _ended(replace) + search, start_line=start, end_line=last
        )
    if not search:
        raise invalid(
            "the search text is empty",
            "give the text of the lines, or insert",
            argument="search",
        )
    if not replace or search.endswith("\n"):
        search, replace = _ended(search), replace and _ended(replace)
    return TextEdit(search, replace, start_line=start, end_line=last)


@dataclass(frozen=True, slots=True)
class LineSearch:
    """Put `replace` where `search` is, or before `start_line` if there is no `search`.

    The search begins at `start_line`, counted from 1. It means whole lines, or where no
    lines are equal to it a part of one; the occurrence of that number is taken. A
    `replace` of None removes it. With `pattern`, and its compiled `template`, the
    occurrence is a match of the pattern instead.
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
    """Return the edit of the lines that a search finds in the file.

    Raises `no_match` with the number of places, and `invalid_input` for a line past the
    end.
    """
    source = Source(snapshot, task)
    count, start, asked = source.count, edit.start_line, snapshot.requested_path
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
            leading_whitespace(source.text(above[0].body))
            if above and edit.keep_indent
            else ""
        )
        text = edit.replace or "\n"
        text = _in_place(text, "", indent, _language(snapshot))
        return Insertion(line=start, replace=text, named="by its line")
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


def _made(first: int, last: int, text: str) -> LineEdit:
    return LineEdit(first_line=first, last_line=last, replace=text, named="by its line")


def _whole_lines(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """Yield the edits of the lines that are those of the search text."""
    asked = normalize_newlines(edit.search or "").removesuffix("\n").split("\n")
    stripped = _BLANKS if edit.ignore_indent else ""
    wanted = deque(
        row.lstrip(stripped).encode(source.encoding.name, "surrogateescape")
        for row in asked
    )
    recent: deque[bytes | None] = deque(maxlen=len(wanted))
    rows = source.snapshot.lines.read_lines(
        source.offset(edit.start_line - 1), task=source.task
    )
    for last, row in enumerate(rows, edit.start_line):
        recent.append(row.body.lstrip(stripped.encode()) if row.is_whole else None)
        if recent[-1] == wanted[-1] and recent == wanted:
            first = last - len(wanted) + 1
            text = edit.replace
            if text is not None and edit.keep_indent:
                solid = next((i for i, line in enumerate(asked) if line.strip()), 0)
                there = source.text(source.rows_at(first - 1 + solid, 1)[0].body)
                language = _language(source.snapshot)
                text = _in_place(
                    text,
                    leading_whitespace(asked[solid]),
                    leading_whitespace(there),
                    language,
                )
            yield _made(first, last, "" if text is None else text or "\n")


def _language(snapshot: Snapshot) -> str | None:
    return language_of(snapshot.location.name) if snapshot.location else None


def _in_place(text: str, asked: str, there: str, language: str | None) -> str:
    """Return `text` moved as the search text is, unless it has the indentation of the file."""
    solid = [row for row in normalize_newlines(text).split("\n") if row.strip()]
    given = asked == there or (
        there.startswith(asked) and all(row.startswith(there) for row in solid)
    )
    return text if given else _moved(text, asked, there, language)


def _parts(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """Yield the edits of the places of the search text inside lines."""
    text = normalize_newlines(edit.search or "").removesuffix("\n")
    if text and "\n" not in text:
        pattern = compile_pattern(text, case="sensitive", max_chars=len(text))
        template = compile_replacement(edit.replace or "", pattern)
        yield from _matched(source, replace(edit, pattern=pattern, template=template))


def _matched(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """Yield the edits of the lines with each match of the pattern replaced."""
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
