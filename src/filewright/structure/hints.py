"""What to search for in a file: patterns that fit its language, or the facts of its data."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.languages import Language
from filewright.structure.columns import CsvFacts, JsonLinesFacts, csv_facts, json_lines_facts
from filewright.structure.log import LOUD, LogFacts, log_facts, looks_like_log
from filewright.structure.sample import sampled
from filewright.text import Snapshot


@dataclass(frozen=True, slots=True)
class Hints:
    """`patterns` are regular expressions worth a search (NAME is what is looked for); one of
    `log`, `csv`, `json_lines` holds the facts of data."""

    patterns: tuple[str, ...] = ()
    log: LogFacts | None = None
    csv: CsvFacts | None = None
    json_lines: JsonLinesFacts | None = None


def hints(snapshot: Snapshot, language: Language | None) -> Hints:
    """Search hints for `snapshot`, in a time that does not depend on its size."""
    if language is Language.CSV or language is Language.TSV:
        facts = csv_facts(sampled(snapshot), "\t" if language is Language.TSV else None)
        return Hints(csv=facts)
    if language is Language.JSON_LINES:
        sample = sampled(snapshot)
        found = json_lines_facts(sample)
        log = log_facts(sample)
        patterns = tuple(f'"{key}"\\s*:\\s*"?VALUE' for key, _, _ in found.keys[:5])
        return Hints(patterns, log if log.first else None, json_lines=found)
    if language in (None, Language.LOG, Language.TEXT):
        sample = sampled(snapshot)
        if language is Language.LOG or looks_like_log(sample):
            log = log_facts(sample)
            return Hints(_log_patterns(log), log)
        return Hints()
    return Hints(language.traits.searches)


def _log_patterns(facts: LogFacts) -> tuple[str, ...]:
    patterns = [rf"\b{level}\b" for level in LOUD if level in facts.levels]
    if facts.first is not None and facts.last is not None:
        days = [stamp.text[: 10 if stamp.text[:4].isdigit() else 6] for stamp in (facts.first, facts.last)]
        hour = "" if days[0] != days[1] else facts.last.text[len(days[1]) : len(days[1]) + 3]
        patterns.append(f"^.{{0,20}}{days[1]}{hour}")
    patterns.append(r"(?i)exception|traceback|time(d )?out|refused|denied")
    return tuple(patterns)
