"""Edits that name their place: lines of one version of the file, those of a symbol, or those of the nth match.

The lines are those of the file as it is, or of a text that was shown of it before; then what changed since
carries them on, as it does a stale edit, or the edit is refused. `LineEdit` names a line, and what begins at or
after it: a search text means whole lines, or where no lines are equal to it a part of one; the nth one is
meant. Only leading white space may be looked past, and only if the edit says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from filewright.edit.drift import carried
from filewright.edit.filetext import FileText
from filewright.edit.find import ByteRange, Literal, Located, Merge, Missed
from filewright.edit.locate.request import Edit, Rewrite, SymbolLines, Tier, indent_of
from filewright.edit.replace import Replacement, replacement
from filewright.edit.write import inserted
from filewright.errors import Code, invalid, refused
from filewright.progress import Task
from filewright.search import Pattern, compile_pattern, find_matches
from filewright.structure import Outline, find_symbol
from filewright.text import Narrowed, Snapshot, Splice, encoded, normalised

_BLANKS = " \t"
_COMPARED_BYTES = 1 << 20
"""Of longer stretches the lines that stay are not looked for."""


def located_rewrite(source: FileText, rewrite: Rewrite) -> Located | Missed:
    """Where the lines of a rewrite are today. Raises `invalid_input` for lines that the text does not have."""
    if rewrite.base is None or rewrite.base == source.held:
        return replace(_there(source, rewrite), named=rewrite.named)
    shown = FileText(Snapshot.of_bytes(rewrite.base, encoding=source.encoding.name), source.task)
    found = _there(shown, rewrite)
    there = carried(source, found, shown)
    if isinstance(there, Located):
        return replace(there, named=f"{rewrite.named}, carried on from the version that was named")
    return there or Missed(found.edit, Code.NO_CHANGE, Tier.DRIFT)


def _there(source: FileText, rewrite: Rewrite) -> Located:
    lines, first, last = source.snapshot.lines, rewrite.first, rewrite.last
    inserts = last < first
    if first < 1 or not (lines.has_line(last, source.task) if last else first == 1):
        count = source.count
        message = f"the lines {first}-{last} are not all in the file, which has {count}"
        if inserts:
            message = f"line {last} is past the end of the file, which has {count} lines"
        raise invalid(message, f"use lines from 1 to {count}", line_count=count)
    start, end = source.offset(first - 1), source.offset(last)
    text = _ended(normalised(rewrite.text)) if rewrite.text else ""
    if inserts:
        part = inserted(source, start, text, rewrite.data)
        return Located(Edit("", text, start_line=first), Tier.EXACT, (part,))
    span = ByteRange(start, end)
    if not text or end - start > _COMPARED_BYTES:
        new = encoded(text, source.encoding, source.dominant, argument="replace")
        edit = Edit(f"lines {first}-{last}", text, start_line=first, end_line=last)
        return Located(edit, Tier.EXACT, (Merge(span, (Splice(start, end - start, new),)),))
    data = source.read(start, end)
    body = data.removesuffix(b"\n").removesuffix(b"\r")
    if body and not body.endswith((b"\n", b"\r")):
        # The last line keeps its terminator; at the end of a file it may have none.
        data, text = body, text.removesuffix("\n")
    old = normalised(source.text(data))
    edit = Edit(old, text, start_line=first, end_line=last)
    return Located(edit, Tier.EXACT, (Literal(ByteRange(start, start + len(data)), old, text),))


def _ended(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


# Symbols


def symbol_lines(snapshot: Snapshot, outline: Outline, symbol: str, shown: str) -> SymbolLines:
    """The lines of the one symbol of that name. Raises what `find_symbol` does."""
    found = find_symbol(outline, symbol, shown)
    source = FileText(snapshot)
    siblings = found.around[-1].children if found.around else outline.symbols
    first, last = found.symbol.block_start_line, found.symbol.end_line
    row = source.row_at(source.offset(first - 1))
    _, before = source.first_solid(source.rows_before(row))
    goes_on, after = source.first_solid(source.rows_from(source.offset(last)))
    between = before
    if goes_on:
        between = after if siblings[0].start == found.symbol.start else min(before, after)
    gap = between if between or len(siblings) > 1 else None
    following = last + after + 1 if goes_on else None
    return SymbolLines(first, last, indent_of(source.text(row.body)), before, between, following, gap)


def indented(text: str, indent: str) -> str:
    """`text` moved as a whole so that its first line has `indent`; as it is where a line has less than the first."""
    solid = [row for row in normalised(text).split("\n") if row.strip()]
    own = indent_of(solid[0]) if solid else ""
    return _moved(text, own, indent) if all(row.startswith(own) for row in solid) else text


def _moved(text: str, asked: str, there: str) -> str:
    """`text` moved from one indentation to another."""
    return "\n".join(
        there + (row[len(asked) :] if row.startswith(asked) else row.lstrip(_BLANKS)) if row.strip() else row
        for row in normalised(text).split("\n")
    )


# Lines, and the nth occurrence from a line on


def at_lines(search: str, replace: str, start: int, end: int | None = None, *, insert: bool = False) -> Edit:
    """The edit that makes `search`, which is on lines `start` to `end` (from 1, inclusive), `replace`.

    An empty `replace` removes the lines. With `insert`, `replace` goes in as whole lines before
    `start` (one past the last line appends); `search`, if given, must be at that line.
    Raises `invalid_input`.
    """
    search, replace = normalised(search), normalised(replace)
    last = end if end is not None and not insert else start + search.removesuffix("\n").count("\n")
    if insert:
        if not replace.removesuffix("\n"):
            raise invalid("there is nothing to insert", "give the new lines as replace", argument="search")
        text = _ended(search) if search else ""
        return Edit(text, _ended(replace) + text, start_line=start, end_line=last if text else None)
    if not search:
        raise invalid("the search text is empty", "give the text of the lines, or insert", argument="search")
    if not replace or search.endswith("\n"):
        return Edit(_ended(search), replace and _ended(replace), start_line=start, end_line=last)
    return Edit(search, replace, start_line=start, end_line=last)


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


def edit_of(snapshot: Snapshot, edit: LineEdit, *, task: Task | None = None) -> Rewrite:
    """The lines that a `LineEdit` makes anew in the file as it is.

    Raises `no_match` with the number of places there are, `invalid_input` for a line past the end.
    """
    if snapshot.encoding.width > 1:
        snapshot = Narrowed.to_edit(snapshot).snapshot
    source = FileText(snapshot, task)
    count, start, asked = source.count, edit.start_line, snapshot.asked
    inserts = not edit.search and edit.pattern is None
    if start > count + inserts:
        message = f"start_line {start} is past the end of {asked}, which has {count} lines"
        hint = f"use a line from 1 to {count}; {count + 1} appends"
        raise invalid(message, hint, path=asked, line_count=count, argument="start_line")
    if inserts:
        above = source.rows_at(start - 2, 1) if start > 1 else ()
        indent = indent_of(source.text(above[0].body)) if above and edit.keep_indent else ""
        text = edit.replace or "\n"
        return _made(start, start - 1, _in_place(text, "", indent))
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
    raise refused(Code.NO_MATCH, asked, message, hint, start_line=start, count=seen)


def _made(first: int, last: int, text: str) -> Rewrite:
    return Rewrite(first, last, text, "by its line")


def _whole_lines(source: FileText, edit: LineEdit) -> Iterator[Rewrite]:
    """The lines from the start line on that are those of the search text."""
    asked = normalised(edit.search or "").removesuffix("\n").split("\n")
    stripped = _BLANKS if edit.ignore_indent else ""
    wanted = deque(row.lstrip(stripped).encode(source.encoding.name, "surrogateescape") for row in asked)
    recent: deque[bytes | None] = deque(maxlen=len(wanted))
    rows = source.snapshot.lines.since(source.offset(edit.start_line - 1), task=source.task)
    for last, row in enumerate(rows, edit.start_line):
        recent.append(row.body.lstrip(stripped.encode()) if row.whole else None)
        if recent[-1] == wanted[-1] and recent == wanted:
            first = last - len(wanted) + 1
            text = edit.replace
            if text is not None and edit.keep_indent:
                solid = next((i for i, line in enumerate(asked) if line.strip()), 0)
                there = source.text(source.rows_at(first - 1 + solid, 1)[0].body)
                text = _in_place(text, indent_of(asked[solid]), indent_of(there))
            yield _made(first, last, "" if text is None else text or "\n")


def _in_place(text: str, asked: str, there: str) -> str:
    """`text` moved as the search text is, unless it is written with the file's indentation already."""
    solid = [row for row in normalised(text).split("\n") if row.strip()]
    given = asked == there or (there.startswith(asked) and all(row.startswith(there) for row in solid))
    return text if given else _moved(text, asked, there)


def _parts(source: FileText, edit: LineEdit) -> Iterator[Rewrite]:
    """The places inside a line from the start line on."""
    text = normalised(edit.search or "").removesuffix("\n")
    if text and "\n" not in text:
        pattern = compile_pattern(text, case="sensitive", max_chars=len(text))
        template = replacement(edit.replace or "", pattern)
        yield from _matched(source, replace(edit, pattern=pattern, template=template))


def _matched(source: FileText, edit: LineEdit) -> Iterator[Rewrite]:
    """The matches of the pattern, each replaced in its lines."""
    snapshot, pattern = source.snapshot, edit.pattern
    assert pattern is not None
    start = source.offset(edit.start_line - 1)
    expanded = edit.template.expander(snapshot) if edit.template is not None else lambda _: b""
    for match in find_matches(snapshot, pattern, start=start, task=source.task):
        if match.offset == match.end:
            continue
        first, last = source.index_of(match.offset), source.index_of(match.end - 1)
        if match.end == source.offset(last + 1) and last + 1 < source.count:
            last += 1  # the match takes a line's end with it, so the next line takes part
        before = source.read(source.offset(first), match.offset)
        after = source.read(match.end, source.offset(last + 1))
        yield _made(first + 1, last + 1, source.text(before + expanded(match) + after))
