"""`get_overview`: what one file is, without reading it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.structure.changed import ChangedSymbol, Version, changed_symbols, touched_symbols
from filewright.structure.git import committed
from filewright.structure.hints import Hints, hints
from filewright.structure.language import Language
from filewright.structure.outlines import language_of_snapshot
from filewright.structure.symbol import Outline, Symbol
from filewright.text import LINE_REACH, Snapshot
from filewright.tools.context import Context, binary
from filewright.tools.described import about, facts
from filewright.tools.registry import Arguments, Tool, ToolResult
from filewright.tools.rendering import Page, clip, counted, size_text, visible


class OverviewArguments(Arguments):
    """Which file, and what to compare it with."""

    path: str
    max_symbols: Annotated[int, Field(ge=0, le=5000)] = 300
    changed_lines: Annotated[
        list[Annotated[list[int], Field(min_length=2, max_length=2)]] | None,
        Field(description="[first, last] ranges"),
    ] = None
    changed_kinds: SkipJsonSchema[list[Literal["added", "modified", "removed"]] | None] = None
    since: Annotated[str | None, Field(description="git revision")] = "HEAD"


def run(context: Context, arguments: OverviewArguments, task: Task) -> ToolResult:
    """Size, lines, encoding, outline, what changed, what to search for."""
    ranges = _ranges(arguments)
    location = context.boundary.locate(arguments.path)
    with context.open(location) as snapshot:
        if snapshot.binary is not None:
            raise binary(location, snapshot.binary, snapshot.size)
        lines = snapshot.lines.counted(task)
        language = language_of_snapshot(snapshot)
        outline = context.outlines.outline(snapshot, language, task=task)
        notes: list[str] = []
        changed = (
            touched_symbols(outline, ranges, arguments.changed_kinds)
            if ranges is not None
            else _changed(context, snapshot, language, outline, arguments.since, notes, task)
        )
        found = hints(snapshot, language)
        longest, long_count, measured = _line_lengths(context, snapshot, task)
        data: dict[str, Any] = {
            "path": location.shown,
            "size": snapshot.size,
            "line_count": lines,
            **facts(snapshot),
            "line_endings": snapshot.terminators.counts(),
            "final_newline": _final_newline(snapshot),
            "longest_line": longest,
            "long_lines": long_count,
            "lines_measured": measured,
            "language": str(language) if language is not None else None,
        }
        page = Page(context.settings.page_chars)
        page.add(
            f"{visible(location.shown)}: {counted(lines, 'line')}, {size_text(snapshot.size)}; {about(snapshot)}"
        )
        page.add(_second_line(data))
        _add_outline(page, data, outline, arguments.max_symbols, context)
        _add_changes(page, data, changed, notes)
        _add_hints(page, data, found)
        context.remember(snapshot)
        return ToolResult(page.text(), data)


def _ranges(arguments: OverviewArguments) -> list[tuple[int, int]] | None:
    if arguments.changed_lines is None:
        return None
    ranges = [(first, last) for first, last in arguments.changed_lines]
    for first, last in ranges:
        if not 1 <= first <= last:
            raise FilewrightError(
                Code.INVALID_INPUT,
                f"changed_lines: [{first}, {last}] is not a range of lines",
                hint="give [first, last] with 1 <= first <= last",
                details={"argument": "changed_lines"},
            )
    if arguments.changed_kinds is not None and len(arguments.changed_kinds) != len(ranges):
        raise FilewrightError(
            Code.INVALID_INPUT,
            "changed_kinds needs one kind for each range of changed_lines",
            details={"argument": "changed_kinds"},
        )
    return ranges


def _changed(
    context: Context,
    snapshot: Snapshot,
    language: Language | None,
    outline: Outline,
    since: str | None,
    notes: list[str],
    task: Task,
) -> tuple[ChangedSymbol, ...] | None:
    """The symbols that differ from git's revision; None if there is nothing to compare."""
    held = snapshot.held
    if since is None or held is None or len(held) > context.settings.parse_bytes:
        return None
    assert snapshot.location is not None
    try:
        before = committed(
            context.boundary, snapshot.location, since, limit=context.settings.parse_bytes, task=task
        )
    except FilewrightError as error:
        if error.code in (Code.CANCELLED, Code.INVALID_INPUT):
            raise
        notes.append(f"not compared with git: {error.message}")
        return None
    if before is None:
        return None
    if before.content is None:
        notes.append(before.note or f"not in git at {since}")
        return None
    if before.content == held:
        return ()
    if not outline.parsed:
        notes.append(f"differs from git at {since}")
        return None
    old = context.outlines.outline(before.content, language, task=task)
    return changed_symbols(Version(before.content, old), Version(held, outline))


def _final_newline(snapshot: Snapshot) -> bool:
    return snapshot.size > snapshot.start and snapshot.lines.ends_in_terminator()


def _line_lengths(context: Context, snapshot: Snapshot, task: Task) -> tuple[int, int, bool]:
    """The longest line in bytes, how many pass the display limit, and whether all lines were measured."""
    limit = context.settings.line_chars
    longest = over = 0
    stop = snapshot.size if snapshot.held is not None else min(snapshot.size, 4 << 20)
    for line in snapshot.lines.since(stop=stop, limit=0, reach=LINE_REACH, task=task):
        longest = max(longest, line.length)
        over += line.length > limit
    return longest, over, stop >= snapshot.size


def _second_line(data: dict[str, Any]) -> str:
    sampled = "" if data["lines_measured"] else " of the first 4 MB"
    parts = [
        f"language {data['language'] or 'unknown'}",
        f"longest line{sampled} {data['longest_line']:,} bytes",
    ]
    if data["long_lines"]:
        parts.append(f"{counted(data['long_lines'], 'line')} longer than is shown at once")
    if not data["final_newline"] and data["size"]:
        parts.append("no newline at the end")
    return "; ".join(parts)


def _rows(symbols: tuple[Symbol, ...], depth: int = 0) -> Iterator[tuple[int, Symbol]]:
    pending = [(depth, symbol) for symbol in reversed(symbols)]
    while pending:
        level, symbol = pending.pop()
        yield level, symbol
        pending.extend((level + 1, child) for child in reversed(symbol.children))


def _add_outline(page: Page, data: dict[str, Any], outline: Outline, limit: int, context: Context) -> None:
    kept, left_out = outline.shortened(limit)
    rows = [
        f"{'  ' * min(level, 20)}{symbol.start_line}-{symbol.end_line} {symbol.kind} {visible(clip(symbol.name, 120))}"
        for level, symbol in _rows(kept)
    ]
    if rows:
        page.add("", "outline:")
        unseen = page.extend(rows, reserve=context.settings.page_chars // 4)
        left_out += unseen
    if left_out:
        page.add(f"[{counted(left_out, 'more symbol')}; raise max_symbols, or search_content for a name]")
    if outline.note:
        page.add(f"[{outline.note}]")
    data["outline"] = _tree(kept)
    data["symbols_left_out"] = left_out
    data["outline_note"] = outline.note
    errors = outline.errors
    data["syntax_errors"] = {
        "count": errors.count,
        "certain": errors.certain,
        "first": [asdict(i) for i in errors.first],
    }
    if errors.count:
        places = ", ".join(f"line {issue.line}" for issue in errors.first[:5])
        sure = "" if errors.certain else " (or code the grammar does not know)"
        page.add(f"[{counted(errors.count, 'syntax error')}{sure}: {places}]")


def _tree(symbols: tuple[Symbol, ...]) -> list[dict[str, Any]]:
    """The outline as nested plain values, made from the innermost level outwards: nesting costs no recursion."""
    flat = [symbol for _, symbol in _rows(symbols)]
    made: dict[int, dict[str, Any]] = {}
    for symbol in reversed(flat):
        made[id(symbol)] = {
            "name": symbol.name,
            "kind": symbol.kind,
            "start_line": symbol.start_line,
            "end_line": symbol.end_line,
            "children": [made[id(child)] for child in symbol.children],
        }
    return [made[id(symbol)] for symbol in symbols]


def _add_changes(
    page: Page, data: dict[str, Any], changed: tuple[ChangedSymbol, ...] | None, notes: list[str]
) -> None:
    if changed is not None:
        data["changed_symbols"] = [
            {
                "status": c.status,
                "path": c.path,
                "name": c.symbol.name if c.symbol is not None else "",
                "kind": c.kind,
                "start_line": c.start_line,
                "end_line": c.end_line,
            }
            for c in changed[:500]
        ]
        if changed:
            page.add("", "changed:")
            left = page.extend(
                (_changed_row(c) for c in changed),
                reserve=1500,
            )  # fmt: skip
            if left:
                page.add(f"[{left} more]")
    for note in notes:
        page.add(f"[{visible(note)}]")


def _changed_row(changed: ChangedSymbol) -> str:
    name = visible(changed.path) or "text outside symbols"
    return f"{changed.status}: {name} ({changed.start_line}-{changed.end_line})"


def _plainly(value: Any) -> str:
    """A fact of a log or a table in words: a place by its text, counts side by side."""
    if isinstance(value, dict):
        text = value.get("text")
        return (
            str(text) if text is not None else ", ".join(f"{name} {count}" for name, count in value.items())
        )
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _add_hints(page: Page, data: dict[str, Any], found: Hints) -> None:
    plain = {
        "patterns": list(found.patterns),
        "log": asdict(found.log) if found.log is not None else None,
        "csv": asdict(found.csv) if found.csv is not None else None,
        "json_lines": asdict(found.json_lines) if found.json_lines is not None else None,
    }
    data["search_hints"] = plain
    for name in ("log", "csv", "json_lines"):
        values = plain[name]
        if isinstance(values, dict):
            page.add("", f"{name.replace('_', ' ')}:")
            page.extend(
                (f"  {key}: {visible(clip(_plainly(value), 300))}" for key, value in values.items() if value),
                reserve=300,
            )
    if found.patterns:
        page.add("", "worth a search (mode=regex): " + "   ".join(found.patterns[:8]))


TOOL = Tool(
    name="get_overview",
    title="Overview of a file",
    description=(
        "What a file of any size is: lines, encoding, outline with line numbers, syntax errors, symbols changed since "
        "git HEAD; for logs and tables what is in them. Use it before reading a large file."
    ),
    arguments=OverviewArguments,
    run=run,
    toolset="read",
)
