"""The text of an overview of a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from filewright.hints import Hint, change_words, fill
from filewright.structure.outline import Outline
from filewright.structure.symbol import Symbol
from filewright.tools.bounded_text import BoundedText, clip
from filewright.tools.merge_conflicts import render_conflict
from filewright.wording import (
    escape_controls,
    format_size,
    join_limited,
    pluralize,
)

if TYPE_CHECKING:
    from filewright.logs.summary import LogSummary
    from filewright.rows.table_facts import TableFacts
    from filewright.structure.changed_symbols import ChangedSymbol
    from filewright.structure.data_facts import JsonLinesFacts
    from filewright.structure.log_facts import LogFacts
    from filewright.structure.row_searches import RowSearches
    from filewright.structure.search_hints import SearchHints
    from filewright.tools.overview.file import FileOverview
    from filewright.tools.overview.result import OverviewResult

MAX_NAME_CHARS = 120
MAX_INDENTED_LEVELS = 20
MAX_SHOWN_ERRORS = 5
MAX_FACT_CHARS = 300
MAX_PATTERNS = 8
MAX_MEMBERS = 10

# What comes behind the changed symbols, and behind the facts of a log or a table.
RESERVED_BEHIND_CHANGES = 1500
RESERVED_BEHIND_FACTS = 300


def render_file_overview(overview: FileOverview, max_chars: int) -> str:
    """Return the form of a file, its outline, its changes, and searches worth making."""
    result = overview.result
    text = BoundedText(max_chars)
    text.add(render_heading(overview), render_line_lengths(result))
    text.add(*render_conflicts(result))
    if overview.shown_symbols:
        text.add("", "outline:")
        text.extend(render_symbols(overview.shown_symbols))
    text.add(*render_outline_notes(result))
    if overview.changed_symbols:
        text.add("", "changed:")
        text.extend(
            render_changes(overview.changed_symbols),
            reserve=RESERVED_BEHIND_CHANGES,
            noun="change",
        )
    text.add(*(f"[{note}]" for note in overview.notes))
    if result.log is not None:
        add_facts(text, "times", time_facts(result.log))
    add_hints(text, result.search_hints)
    if result.log is not None:
        add_kinds(text, result.log)
    return text.text()


def render_heading(overview: FileOverview) -> str:
    """Return the path, the size and the form of a file."""
    result = overview.result
    lines = pluralize(result.line_count, "line")
    return (
        f"{result.path}: {lines}, {format_size(result.size)}; {overview.form}"
    )


def render_line_lengths(result: OverviewResult) -> str:
    """Return the language, and whether lines are long or the last one has no end."""
    language = result.language or "unknown"
    sampled = "" if result.lines_measured else " of the first 4 MB"
    parts = [
        f"language {language}",
        f"longest line{sampled} {result.longest_line:,} bytes",
    ]
    if result.long_lines:
        lines = pluralize(result.long_lines, "line")
        parts.append(f"{lines} longer than is shown at once")
    if result.size and not result.final_newline:
        parts.append("no newline at the end")
    return "; ".join(parts)


def render_conflicts(result: OverviewResult) -> Iterator[str]:
    """Yield a line for each of the first merge conflicts, and one for all others."""
    if result.conflict_count:
        yield ""
        yield f"{pluralize(result.conflict_count, 'merge conflict')}:"
    for summary in result.conflicts:
        yield render_conflict(summary)
    rest = result.conflict_count - len(result.conflicts)
    if rest:
        search = Hint(
            "search_content for <<<<<<<", shell="filewright search '<<<<<<<'"
        )
        yield fill("[{} more: {}]", f"{rest:,}", search)


def render_symbols(symbols: Sequence[Symbol]) -> Iterator[str]:
    """Yield a line for each symbol, indented by its level."""
    for ancestors, symbol in Outline(None, tuple(symbols)).walk():
        indent = "  " * min(len(ancestors), MAX_INDENTED_LEVELS)
        name = clip(symbol.name, MAX_NAME_CHARS)
        lines = f"{symbol.start_line}-{symbol.end_line}"
        yield f"{indent}{lines} {symbol.kind} {name}"


def render_outline_notes(result: OverviewResult) -> Iterator[str]:
    """Yield the way to the symbols that are not shown, a note, and the syntax errors."""
    if result.symbols_left_out or result.next_lines is not None:
        yield render_left_out_symbols(result)
    if result.outline_note:
        yield f"[{result.outline_note}]"
    errors = result.syntax_errors
    if errors.count:
        places = ", ".join(
            f"line {issue.line}" for issue in errors.first[:MAX_SHOWN_ERRORS]
        )
        count = pluralize(errors.count, "syntax error")
        if not errors.certain:
            count += " (or code unknown to the grammar)"
        yield f"[{count}: {places}]"


def render_left_out_symbols(result: OverviewResult) -> str:
    """Return how many symbols are not shown, and the ways to see them."""
    options = "--depth 1 shows the outer ones, --symbol NAME the members of one"
    ways = Hint(
        "depth=1 the outer ones, search_content finds a name", shell=options
    )
    if result.next_lines is not None:
        first, last = result.next_lines
        ways = Hint(
            f"lines=[{first}, {last}] shows them all, {ways}", shell=options
        )
    symbols = pluralize(result.symbols_left_out, "more symbol")
    return fill("[{}: {}]", symbols, ways)


def render_changes(symbols: Sequence[ChangedSymbol]) -> Iterator[str]:
    """Yield a line for each changed symbol."""
    for symbol in symbols:
        path = symbol.path or "text outside symbols"
        lines = f"{symbol.start_line}-{symbol.end_line}"
        yield f"{symbol.status}: {path} ({lines})"


# Facts of logs and tables, and searches worth making


def add_hints(text: BoundedText, hints: SearchHints) -> None:
    """Add the facts of a log or a table, and the searches worth making."""
    if hints.log is not None:
        add_facts(text, "log", log_facts(hints.log))
    if hints.csv is not None:
        add_facts(text, "csv", csv_facts(hints.csv))
    if hints.json_lines is not None:
        add_facts(text, "json lines", json_lines_facts(hints.json_lines))
    if hints.rows is not None:
        has_times = hints.log is not None
        add_row_searches(text, hints.rows, has_times=has_times)
    if not hints.patterns:
        return
    patterns = "   ".join(hints.patterns[:MAX_PATTERNS])
    option = Hint("mode=regex", shell="--regex")
    text.add("", fill("worth a search ({}): {}", option, patterns))
    if hints.log is not None:
        text.add(
            Hint(
                "search_content with output=kinds groups the lines, rarest first; "
                "by counts them (a field, 10m, $1); without leaves out lines with a text",
                shell="filewright search --kinds groups the lines, rarest first",
            )
        )


def add_row_searches(
    text: BoundedText, rows: RowSearches, *, has_times: bool
) -> None:
    """Add the searches worth making in JSON lines, with their fields."""
    proposals: list[str] = []
    shell_proposal = "--kinds"
    if rows.where is not None:
        condition = json.dumps(rows.where, ensure_ascii=False)
        proposals.append(f"where {condition}")
        ((name, value),) = rows.where.items()
        shell_proposal = f'--where "{name}={value}"'
    if rows.group is not None:
        key = f"{rows.group},1h" if has_times else rows.group
        proposals.append(f'by "{key}"')
        if rows.measure is not None:
            proposals[-1] += f' with fields ["{rows.measure}"]'
    if rows.measure is not None:
        proposals.append(f'sort "-{rows.measure}" (the largest first)')
    if rows.trace is not None:
        proposals.append(f"trace (the lines of one {rows.trace})")
    if proposals:
        hint = Hint(
            f"worth a search: {'; '.join(proposals)}",
            shell=f"worth a search: {shell_proposal}",
        )
        text.add("", change_words(hint, escape_controls))


def add_facts(
    text: BoundedText, heading: str, facts: Mapping[str, str]
) -> None:
    """Add the facts of one kind of data that are known."""
    text.add("", f"{heading}:")
    rows = [
        f"  {name}: {clip(value, MAX_FACT_CHARS)}"
        for name, value in facts.items()
        if value
    ]
    text.extend(rows, reserve=RESERVED_BEHIND_FACTS)


def time_facts(log: LogSummary) -> dict[str, str]:
    """Return the times of a log, their form, and the entries over time."""
    return {
        "timestamps": log.form,
        "entries": log.rate,
        "rotated files, oldest first": join_limited(
            [escape_controls(name) for name in log.members], MAX_MEMBERS
        ),
    }


def add_kinds(text: BoundedText, log: LogSummary) -> None:
    """Add the most frequent and the rarest kinds of sampled lines."""
    for heading, kinds in (
        ("most frequent", log.frequent),
        ("rarest", log.rare),
    ):
        if kinds:
            text.add(f"{heading} of the sampled lines:")
            text.add(
                *(
                    f"  {kind.count:,} like {escape_controls(kind.text)}"
                    for kind in kinds
                )
            )


def log_facts(log: LogFacts) -> dict[str, str]:
    """Return the facts of a log."""
    return {
        "first": log.first.text if log.first is not None else "",
        "last": log.last.text if log.last is not None else "",
        "levels": render_counts(log.levels),
        "frequent problems": render_counts(log.often),
        "sampled lines": count_sampled(log),
    }


def count_sampled(log: LogFacts) -> str:
    """Return the number of lines from which the counts of a log are made."""
    lines = f"{log.sampled_lines:,}"
    return f"{lines} (the whole file)" if log.complete else lines


def csv_facts(csv: TableFacts) -> dict[str, str]:
    """Return the facts of a table."""
    return {
        "delimiter": csv.delimiter,
        "columns": str(csv.columns or ""),
        "names": ", ".join(csv.names or ()),
        "a row": escape_controls(csv.sample_row),
    }


def json_lines_facts(json_lines: JsonLinesFacts) -> dict[str, str]:
    """Return the facts of JSON lines."""
    keys = [
        f"{escape_controls(key.name)} ({key.types}, {key.share:.0%})"
        for key in json_lines.keys
    ]
    return {
        "keys": ", ".join(keys),
        "sampled lines": f"{json_lines.sampled_lines:,}",
        "invalid lines": str(json_lines.invalid or ""),
    }


def render_counts(counts: Mapping[str, int]) -> str:
    """Return counts of levels by name, or of lines by an example."""
    if any(" " in name for name in counts):
        return "; ".join(
            f"{count} like {example!r}" for example, count in counts.items()
        )
    return ", ".join(f"{name} {count}" for name, count in counts.items())
