"""Edits that are given by a line to begin at: on a line, or the first match after it.

`make_line_edit` is for programs that name the lines of a text. `find_line_edit` is for
programs that name a line and look for a text or a pattern from it on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from filewright.edit.block_indent import INDENT_CHARS, replace_indent
from filewright.edit.comparison import leading_whitespace
from filewright.edit.replacements import (
    Replacement,
    compile_replacement,
    join_pieces,
)
from filewright.edit.request import Edit, Insertion, LineEdit, TextEdit
from filewright.edit.source import Source
from filewright.errors import Code, invalid, path_error
from filewright.languages import language_of
from filewright.progress import Task
from filewright.search.matches import find_matches
from filewright.search.pattern import Pattern, compile_pattern
from filewright.text.codec import normalize_newlines
from filewright.text.snapshot import Snapshot


def _with_final_newline(text: str) -> str:
    """Return `text` with a newline at its end."""
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
    last = end
    if end is None or insert:
        last = start + search.removesuffix("\n").count("\n")
    if insert:
        if not replace.removesuffix("\n"):
            raise invalid(
                "there is nothing to insert",
                "give the new lines as replace",
                argument="search",
            )
        replace = _with_final_newline(replace)
        if not search:
            return Insertion(line=start, replace=replace)
        search = _with_final_newline(search)
        # The line that the caller expects there is replaced by itself behind the new
        # lines: a file that has changed refuses the insertion instead of misplacing it.
        return TextEdit(
            search, replace + search, start_line=start, end_line=last
        )
    if not search:
        raise invalid(
            "the search text is empty",
            "give the text of the lines, or insert",
            argument="search",
        )
    # Deleting the text of a line deletes its terminator too, or an empty line would stay.
    if not replace or search.endswith("\n"):
        search = _with_final_newline(search)
        if replace:
            replace = _with_final_newline(replace)
    return TextEdit(search, replace, start_line=start, end_line=last)


@dataclass(frozen=True, slots=True)
class LineSearch:
    """Put `replace` where `search` is, or before `start_line` if there is no `search`.

    The file is searched from `start_line`, counted from 1. `search` is whole lines; if no
    lines are equal to it, it is a part of one line. Of several places number `occurrence`
    is taken. A `replace` of None removes the text. With `pattern`, and its compiled
    `template`, matches of the pattern are searched instead.

    `ignore_indent` compares lines without their indentation, `keep_indent` gives the
    replacement the indentation of the file.
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
    line_count, start, path = (
        source.count,
        edit.start_line,
        snapshot.requested_path,
    )
    inserts = not edit.search and edit.pattern is None
    # An insertion may also go behind the last line.
    if start > line_count + inserts:
        message = (
            f"start_line {start} is past the end of {path}, "
            f"which has {line_count} lines"
        )
        hint = f"use a line from 1 to {line_count}; {line_count + 1} appends"
        raise invalid(
            message,
            hint,
            path=path,
            line_count=line_count,
            argument="start_line",
        )
    if inserts:
        indent = ""
        if start > 1 and edit.keep_indent:
            for above in source.rows_at(start - 2, 1):
                indent = leading_whitespace(source.text(above.body))
        text = edit.replace or "\n"
        text = _indent_as_file(text, "", indent, _language(snapshot))
        return Insertion(line=start, replace=text, named="by its line")
    # Parts of lines only if no whole line is equal: `x = 1` would else also be found in
    # `max = 10`.
    searches = (
        (_find_whole_lines, _find_in_lines)
        if edit.pattern is None
        else (_find_pattern,)
    )
    count = 0
    for search in searches:
        for line_edit in search(source, edit):
            count += 1
            if count == edit.occurrence:
                return line_edit
        if count:
            break
    extent = f"from line {start} on of {path}"
    message = (
        f"the text occurs {count} times {extent}, not {edit.occurrence} times"
    )
    hint = f"use an occurrence from 1 to {count}, or an earlier start line"
    if not count:
        message = f"the search text does not occur {extent}"
        hint = (
            "copy whole lines from the file, and give a start line at or "
            "before them"
        )
    raise path_error(
        Code.NO_MATCH, path, message, hint, start_line=start, count=count
    )


def _line_edit(first_line: int, last_line: int, text: str) -> LineEdit:
    """Return the edit that replaces the lines of a search by `text`."""
    return LineEdit(
        first_line=first_line,
        last_line=last_line,
        replace=text,
        named="by its line",
    )


def _find_whole_lines(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """Yield an edit for each place where whole lines are equal to the search text."""
    search_lines = (
        normalize_newlines(edit.search or "").removesuffix("\n").split("\n")
    )
    ignored_chars = INDENT_CHARS if edit.ignore_indent else ""
    search_bodies = deque(
        line.lstrip(ignored_chars).encode(
            source.encoding.name, "surrogateescape"
        )
        for line in search_lines
    )
    recent: deque[bytes | None] = deque(maxlen=len(search_bodies))
    rows = source.snapshot.lines.read_lines(
        source.offset(edit.start_line - 1), task=source.task
    )
    for last, row in enumerate(rows, edit.start_line):
        # A line too long to be read whole is equal to none.
        recent.append(
            row.body.lstrip(ignored_chars.encode()) if row.is_whole else None
        )
        # The last lines first: comparing two deques at every line of a file is slow.
        if recent[-1] == search_bodies[-1] and recent == search_bodies:
            first = last - len(search_bodies) + 1
            text = edit.replace
            if text is not None and edit.keep_indent:
                # A blank line says nothing of the indentation.
                solid = next(
                    (
                        index
                        for index, line in enumerate(search_lines)
                        if line.strip()
                    ),
                    0,
                )
                file_line = source.text(
                    source.rows_at(first - 1 + solid, 1)[0].body
                )
                language = _language(source.snapshot)
                text = _indent_as_file(
                    text,
                    leading_whitespace(search_lines[solid]),
                    leading_whitespace(file_line),
                    language,
                )
            yield _line_edit(first, last, "" if text is None else text or "\n")


def _language(snapshot: Snapshot) -> str | None:
    """Return the name of the language of a file, or None."""
    return language_of(snapshot.location.name) if snapshot.location else None


def _indent_as_file(
    text: str, search_indent: str, file_indent: str, language: str | None
) -> str:
    """Return `text` moved as the search text must be moved to fit the file.

    A text that already has the indentation of the file stays as it is: callers often
    copy the new lines from the file, and only the search text from elsewhere.
    """
    solid = [
        line for line in normalize_newlines(text).split("\n") if line.strip()
    ]
    fits = search_indent == file_indent or (
        file_indent.startswith(search_indent)
        and all(line.startswith(file_indent) for line in solid)
    )
    return (
        text
        if fits
        else replace_indent(text, search_indent, file_indent, language)
    )


def _find_in_lines(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """Yield an edit for each place of a search text of one line inside a line."""
    text = normalize_newlines(edit.search or "").removesuffix("\n")
    if text and "\n" not in text:
        pattern = compile_pattern(text, case="sensitive", max_chars=len(text))
        template = compile_replacement(edit.replace or "", pattern)
        yield from _find_pattern(
            source, replace(edit, pattern=pattern, template=template)
        )


def _find_pattern(source: Source, edit: LineSearch) -> Iterator[Edit]:
    """Yield an edit of whole lines for each match of the pattern that has text."""
    snapshot, pattern = source.snapshot, edit.pattern
    assert pattern is not None
    start = source.offset(edit.start_line - 1)
    expand = (
        edit.template.expander(snapshot)
        if edit.template is not None
        else lambda _: []
    )
    for match in find_matches(snapshot, pattern, start=start, task=source.task):
        if match.offset == match.end:
            continue
        first = source.line_number(match.offset)
        last = source.line_number(match.end - 1)
        if match.end == source.offset(last) and last < source.count:
            # The match has the terminator of its last line. Without it that line is
            # joined with the next one, which is then replaced too.
            last += 1
        before = source.read(source.offset(first - 1), match.offset)
        after = source.read(match.end, source.offset(last))
        text = source.text(before + join_pieces(expand(match)) + after)
        yield _line_edit(first, last, text)
