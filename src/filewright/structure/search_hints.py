"""Search hints: patterns that fit a file's language, or the facts of logs and data."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.languages import Language
from filewright.rows.table_facts import TableFacts, summarize_table
from filewright.structure.data_facts import (
    JsonLinesFacts,
    has_json_lines,
    summarize_json_lines,
)
from filewright.structure.log_facts import (
    PROBLEM_LEVELS,
    LogFacts,
    Timestamp,
    looks_like_log,
    summarize_log,
)
from filewright.structure.row_searches import RowSearches, propose_searches
from filewright.structure.sample import Sample, read_sample
from filewright.text.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class SearchHints:
    """Regular expressions that are worth a search, or the facts of data.

    NAME in a pattern stands for the name to find. At most one of `log`, `csv` and
    `json_lines` is set, except for a log in JSON lines, whose searches are those of `rows`.
    """

    patterns: tuple[str, ...] = ()
    log: LogFacts | None = None
    csv: TableFacts | None = None
    json_lines: JsonLinesFacts | None = None
    rows: RowSearches | None = None


def build_search_hints(
    snapshot: Snapshot, language: Language | None
) -> SearchHints:
    """Return the search hints for a file."""
    if language is Language.CSV:
        return SearchHints(csv=_summarize_table(snapshot))
    if language is Language.TSV:
        return SearchHints(csv=_summarize_table(snapshot, "\t"))
    if language is Language.JSON_LINES:
        return _hints_for_json_lines(read_sample(snapshot))
    if language not in (None, Language.LOG, Language.TEXT):
        return SearchHints(language.traits.suggested_searches)
    sample = read_sample(snapshot)
    if has_json_lines(sample):
        return _hints_for_json_lines(sample)
    if language is not Language.LOG and not looks_like_log(sample):
        return SearchHints()
    log = summarize_log(sample)
    return SearchHints(_log_patterns(log), log)


def _summarize_table(
    snapshot: Snapshot, delimiter: str | None = None
) -> TableFacts | None:
    """Return the facts of a table, or None if no delimiter divides it into columns."""
    lines = [line.text for line in read_sample(snapshot).head]
    return summarize_table(lines, delimiter)


def _hints_for_json_lines(sample: Sample) -> SearchHints:
    json_lines = summarize_json_lines(sample)
    log = summarize_log(sample)
    return SearchHints(
        log=log if log.first else None,
        json_lines=json_lines,
        rows=propose_searches(sample),
    )


def _log_patterns(facts: LogFacts) -> tuple[str, ...]:
    """Return patterns for the problems in a log, and for its last hour or day."""
    patterns = []
    for level in PROBLEM_LEVELS:
        if level in facts.levels:
            patterns.append(rf"\b{level}\b")
    if facts.first is not None and facts.last is not None:
        first_day = _day_of(facts.first)
        last_day = _day_of(facts.last)
        hour = ""
        if first_day == last_day:
            hour = facts.last.text[len(last_day) : len(last_day) + 3]
        patterns.append(f"^.{{0,20}}{last_day}{hour}")
    patterns.append(r"(?i)exception|traceback|time(d )?out|refused|denied")
    return tuple(patterns)


def _day_of(timestamp: Timestamp) -> str:
    """Return the part of a timestamp that is its day: `2026-01-31` or `Jan 31`."""
    begins_with_year = timestamp.text[:4].isdigit()
    return timestamp.text[: 10 if begins_with_year else 6]
