"""Edits that name lines: they become edits of exactly the text that is on those lines.

`at_lines` is given the lines; nothing is searched for. `LineEdit` names a line, and what begins at or
after it: a search text means whole lines, or where no lines are equal to it for a part of one;
the nth one is meant. Only leading white space may be looked past, and only if the edit says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from filewright.edit.filetext import FileText
from filewright.edit.locate.fold import indent_of
from filewright.edit.locate.request import Edit
from filewright.edit.replace import Replacement
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import Match, Pattern, find_matches
from filewright.text import Snapshot, normalised

_BLANKS = " \t"
_CHECK_EVERY = 4096


@dataclass(frozen=True, slots=True)
class LineEdit:
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


def at_lines(search: str, replace: str, start: int, end: int | None = None, *, insert: bool = False) -> Edit:
    """The edit that makes `search`, which is on lines `start` to `end` (from 1, inclusive), `replace`.

    An empty `replace` removes the lines. With `insert`, `replace` goes in as whole lines before
    `start` (one past the last line appends); `search`, if given, must be at that line.
    Raises `invalid_input`.
    """
    search, replace = normalised(search), normalised(replace)
    rows = search.removesuffix("\n").count("\n") + 1
    last = end if end is not None and not insert else start + rows - 1
    if insert:
        if not replace.removesuffix("\n"):
            raise _invalid("there is nothing to insert", "give the new lines as replace")
        if not search:
            return Edit("", replace, start_line=start)
        text = _ended(search)
        return Edit(text, _ended(replace) + text, start_line=start, end_line=last)
    if not search:
        raise _invalid("the search text is empty", "give the text of the lines, or insert")
    if not replace:
        return Edit(_ended(search), "", start_line=start, end_line=last)
    new = _ended(replace) if search.endswith("\n") else replace
    return Edit(search, new, start_line=start, end_line=last)


def _invalid(message: str, hint: str) -> FilewrightError:
    return FilewrightError(Code.INVALID_INPUT, message, hint=hint, details={"argument": "search"})


def edit_of(snapshot: Snapshot, edit: LineEdit, *, task: Task | None = None) -> Edit:
    """The edit that makes a `LineEdit` of the file as it is.

    Raises `no_match` with the number of places there are, `invalid_input` for a line past the end.
    """
    return _Finder(snapshot, task or Task()).found(edit)


class _Finder:
    def __init__(self, snapshot: Snapshot, task: Task) -> None:
        self._snapshot = snapshot
        self._lines = FileText(snapshot, task)
        self._task = task

    def found(self, edit: LineEdit) -> Edit:
        count = self._lines.count
        if edit.pattern is not None:
            return self._matched(edit, edit.pattern)
        if not edit.search:
            if edit.start_line > count + 1:
                raise self._past_end(edit)
            before = self._text(edit.start_line - 2, 1) if edit.start_line > 1 else ""
            text = edit.replace or ""
            if edit.keep_indent:
                text = _indented(text, "", indent_of(before))
            return Edit("", _ended(text), start_line=edit.start_line)
        if edit.start_line > count:
            raise self._past_end(edit)
        search = normalised(edit.search)
        rows = search.removesuffix("\n").split("\n")
        seen = 0
        for at in self._whole_lines(rows, edit):
            seen += 1
            if seen == edit.occurrence:
                return self._replaced(at, len(rows), rows, edit)
        if not seen and len(rows) == 1:
            for at, column in self._parts(rows[0], edit.start_line - 1):
                seen += 1
                if seen == edit.occurrence:
                    line = self._text(at, 1)
                    new = line[:column] + (edit.replace or "") + line[column + len(rows[0]) :]
                    return _rewriting(line, new, at, 1)
        raise self._missed(edit, seen)

    def _whole_lines(self, rows: Sequence[str], edit: LineEdit) -> Iterator[int]:
        """The lines from the start line on at which the rows stand."""
        encoding = self._snapshot.encoding.name
        wanted = [row.lstrip(_BLANKS) if edit.ignore_indent else row for row in rows]
        try:
            bare = [row.encode(encoding) for row in wanted]
        except UnicodeEncodeError:
            return
        blanks = _BLANKS.encode(encoding)
        at, step = edit.start_line - 1, 1024
        while at + len(rows) <= self._lines.count:
            self._task.check()
            bodies = self._lines.bodies(at, step + len(rows) - 1)
            for index in range(min(step, len(bodies) - len(rows) + 1)):
                if all(
                    (bodies[index + more].lstrip(blanks) if edit.ignore_indent else bodies[index + more])
                    == row
                    for more, row in enumerate(bare)
                ):
                    yield at + index
            at += step

    def _parts(self, text: str, at: int) -> Iterator[tuple[int, int]]:
        """(line, column) of every place inside a line from line `at` on."""
        for line in range(at, self._lines.count):
            if line % _CHECK_EVERY == 0:
                self._task.check()
            body = self._text(line, 1)
            column = body.find(text)
            while column >= 0:
                yield line, column
                column = body.find(text, column + len(text))

    def _replaced(self, at: int, count: int, rows: Sequence[str], edit: LineEdit) -> Edit:
        there = self._text(at, count)
        if edit.replace is None:
            return Edit(there + "\n", "", start_line=at + 1, end_line=at + count)
        text = normalised(edit.replace)
        if edit.keep_indent:
            solid = next((i for i, row in enumerate(rows) if row.strip()), 0)
            text = _indented(text, indent_of(rows[solid]), indent_of(there.split("\n")[solid]))
        return _rewriting(there, text, at, count)

    def _matched(self, edit: LineEdit, pattern: Pattern) -> Edit:
        count = self._lines.count
        if edit.start_line > count:
            raise self._past_end(edit)
        seen = 0
        for match in find_matches(
            self._snapshot, pattern, start=self._lines.offset(edit.start_line - 1), task=self._task
        ):
            if match.offset == match.end:
                continue
            seen += 1
            if seen == edit.occurrence:
                return self._rewritten(match, edit)
        raise self._missed(edit, seen)

    def _rewritten(self, match: Match, edit: LineEdit) -> Edit:
        """The edit of the lines of a match, with the match replaced in them."""
        first = self._lines.index_of(match.offset)
        last = self._lines.index_of(max(match.offset, match.end - 1))
        if match.end == self._lines.offset(last + 1) and last + 1 < self._lines.count:
            last += 1  # the match takes a line's end with it, so the next line takes part
        start, stop = self._lines.offset(first), self._lines.offset(last + 1)
        decode = self._decoded
        new = decode(start, match.offset) + self._expanded(match, edit.template) + decode(match.end, stop)
        there = self._text(first, last - first + 1)
        if not new:
            return Edit(there + "\n", "", start_line=first + 1, end_line=last + 1)
        return _rewriting(there, new, first, last - first + 1)

    def _expanded(self, match: Match, template: Replacement | None) -> str:
        if template is None:
            return ""
        pieces = []
        for part in template.parts:
            if isinstance(part, str):
                pieces.append(part)
                continue
            span = (match.offset, match.end) if part == 0 else match.groups[part - 1]
            pieces.append("" if span is None else self._decoded(*span))
        return "".join(pieces)

    def _decoded(self, start: int, stop: int) -> str:
        data = self._snapshot.read(start, stop - start)
        return normalised(data.decode(self._snapshot.encoding.name, "surrogateescape"))

    def _text(self, at: int, count: int) -> str:
        bodies = self._lines.bodies(at, count)
        return "\n".join(body.decode(self._snapshot.encoding.name, "surrogateescape") for body in bodies)

    def _past_end(self, edit: LineEdit) -> FilewrightError:
        count = self._lines.count
        return FilewrightError(
            Code.INVALID_INPUT,
            f"start_line {edit.start_line} is past the end of {self._snapshot.asked}, which has {count} lines",
            hint=f"use a line from 1 to {count}; {count + 1} appends",
            details={"path": self._snapshot.asked, "line_count": count, "argument": "start_line"},
        )

    def _missed(self, edit: LineEdit, seen: int) -> FilewrightError:
        where = f"from line {edit.start_line} on of {self._snapshot.asked}"
        if seen:
            message = f"the text occurs {seen} times {where}, not {edit.occurrence} times"
            hint = f"use an occurrence from 1 to {seen}, or an earlier start line"
        else:
            message = f"the text is nowhere {where}"
            hint = "use the text that is there, as whole lines, and a start line at or before it"
        return FilewrightError(
            Code.NO_MATCH,
            message,
            hint=hint,
            details={"path": self._snapshot.asked, "start_line": edit.start_line, "count": seen},
        )


def _rewriting(there: str, text: str, at: int, count: int) -> Edit:
    """The edit that makes `text` of `count` lines from line `at` on, whose last terminator stays."""
    body = text.removesuffix("\n")
    if there and body and not there.endswith("\n"):
        return Edit(there, body, start_line=at + 1, end_line=at + count)
    return Edit(there + "\n", _ended(text), start_line=at + 1, end_line=at + count)


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _indented(text: str, asked: str, there: str) -> str:
    """`text` moved from the indentation the search was written with to the one the file has."""
    rows = normalised(text).split("\n")
    solid = [row for row in rows if row.strip()]
    if asked == there or not solid:
        return "\n".join(rows)
    if there.startswith(asked) and all(row.startswith(there) for row in solid):
        return "\n".join(rows)  # it is written with the file's indentation already
    moved = [
        there + (row.removeprefix(asked) if row.startswith(asked) else row.lstrip(_BLANKS))
        if row.strip()
        else row
        for row in rows
    ]
    return "\n".join(moved)
