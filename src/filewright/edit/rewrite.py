"""Edits that name their place: lines of one version of the file, or the lines that a symbol has.

Nothing is searched for. The lines are those of the file as it is, or of a text that was shown of it before;
then what changed since carries them on, as it does a stale edit, or the edit is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from filewright.edit.drift import carried
from filewright.edit.filetext import FileText
from filewright.edit.find import ByteRange
from filewright.edit.locate.fold import indent_of
from filewright.edit.locate.located import Literal, Located, Merge, Missed
from filewright.edit.locate.request import Edit, Rewrite, Tier, is_blank
from filewright.edit.write import inserted
from filewright.errors import Code, FilewrightError
from filewright.structure import Outline, find_symbol, of_symbol
from filewright.text import Line, Snapshot, Splice, encoded, normalised

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
        count = lines.counted(source.task)
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"the lines {first}-{last} are not all in the file, which has {count}"
            if not inserts
            else f"line {last} is past the end of the file, which has {count} lines",
            hint=f"use lines from 1 to {count}",
            details={"line_count": count},
        )
    start, end = lines.offset_of(first, source.task), lines.offset_of(last + 1, source.task)
    text = _ended(normalised(rewrite.text))
    if inserts:
        span = ByteRange(start, start)
        edit = Edit("", text, start_line=first)
        part = (
            inserted(source, start, text)
            if rewrite.data is None
            else Merge(span, _copied(source, start, rewrite.data))
        )
        return Located(edit, Tier.EXACT, (part,))
    span = ByteRange(start, end)
    if not text or end - start > _COMPARED_BYTES:
        new = encoded(text, source.encoding, source.dominant, argument="replace")
        edit = Edit(f"lines {first}-{last}", text, start_line=first, end_line=last)
        return Located(edit, Tier.EXACT, (Merge(span, (Splice(start, end - start, new),)),))
    old = normalised(source.text(source.read(start, end)))
    if not old.endswith("\n"):
        text = text.removesuffix("\n")  # the file does not end in a newline, and goes on not to
    edit = Edit(old, text, start_line=first, end_line=last)
    return Located(edit, Tier.EXACT, (Literal(span, old, text),))


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _copied(source: FileText, offset: int, data: bytes) -> tuple[Splice, ...]:
    """Whole lines as they were in a file, put in where a line begins, or behind a last line without an end."""
    unended = offset > source.start and source.read(offset - 1, offset) not in (b"\n", b"\r")
    if unended:
        body = data.removesuffix(b"\n").removesuffix(b"\r")
        return (Splice(offset, 0, source.dominant + body),)
    return (Splice(offset, 0, data),)


@dataclass(frozen=True, slots=True)
class SymbolLines:
    """The lines of a symbol, with its comment and decorators, and the blank lines beside them.

    `indent` is that of its first line. When it goes, lines `gone_first` to `gone_last` do, so that the blank lines
    around it are not added up; `gap` blank lines part it from what is put beside it (None if
    nothing there says how many).
    """

    first: int
    last: int
    indent: str
    gone_first: int
    gone_last: int
    gap: int | None


def symbol_lines(snapshot: Snapshot, outline: Outline, symbol: str, shown: str) -> SymbolLines:
    """The lines of the one symbol of that name. Raises what `find_symbol` does."""
    found = find_symbol(outline, symbol, shown)
    block = of_symbol(found.around, found.symbol)
    source = FileText(snapshot)
    siblings = found.around[-1].children if found.around else outline.symbols
    first, last = block.start_line, block.end_line
    row = source.row_from(snapshot.lines.offset_of(first))
    before, _ = _blank_lines(source, source.rows_before(row) if row is not None else ())
    after, goes_on = _blank_lines(source, source.rows_from(snapshot.lines.offset_of(last + 1)))
    indent = indent_of(source.text(row.body)) if row is not None else ""
    if not goes_on:
        known = before or len(siblings) > 1
        return SymbolLines(first, last, indent, first - before, last, before if known else None)
    between = after if siblings[0].start == found.symbol.start else min(before, after)
    known = between or len(siblings) > 1
    return SymbolLines(first, last, indent, first, last + between, between if known else None)


def _blank_lines(source: FileText, rows: Iterable[Line]) -> tuple[int, bool]:
    """With how many blank lines some rows begin, and whether there is text behind them."""
    count = 0
    for row in rows:
        if not is_blank(source.text(row.body)):
            return count, True
        count += 1
    return count, False


def indented(text: str, indent: str) -> str:
    """`text` moved as a whole so that its first line has `indent`; as it is where a line has less than the first."""
    rows = normalised(text).split("\n")
    solid = [row for row in rows if row.strip()]
    own = indent_of(solid[0]) if solid else ""
    if own == indent or not all(row.startswith(own) for row in solid):
        return text
    return "\n".join(indent + row[len(own) :] if row.strip() else row for row in rows)
