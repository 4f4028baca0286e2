"""What to search for in a file: patterns that fit its language, or the facts of its data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from filewright.structure.columns import CsvFacts, JsonLinesFacts, csv_facts, json_lines_facts
from filewright.structure.language import Language
from filewright.structure.log import LogFacts, log_facts, looks_like_log
from filewright.structure.sample import sampled
from filewright.text import Snapshot

_C_LIKE: Final = (r"^\w[\w\s*]*\bNAME\s*\(", r"^\s*(?:struct|enum|union|typedef)\b", r"^\s*#\s*define\b")
_PATTERNS: Final = {
    Language.PYTHON: (r"^\s*(?:async\s+)?def NAME\b", r"^\s*class NAME\b", r"^\s*@", r"^(?:from|import)\s"),
    Language.JAVASCRIPT: (
        r"\bfunction\s+NAME\b",
        r"\b(?:const|let|var)\s+NAME\s*=",
        r"^\s*class NAME\b",
        r"^export\b",
        r"\brequire\(",
    ),
    Language.TYPESCRIPT: (
        r"\bfunction\s+NAME\b",
        r"\bconst\s+NAME\b",
        r"\b(?:class|interface|type|enum)\s+NAME\b",
        r"^export\b",
    ),
    Language.GO: (r"^func NAME\(", r"^func \([^)]*\) NAME\(", r"^type NAME\b", r"^\s*(?:const|var)\b"),
    Language.RUST: (
        r"\bfn NAME\b",
        r"\b(?:struct|enum|trait|type) NAME\b",
        r"^\s*impl\b.*\bNAME\b",
        r"^use\b",
    ),
    Language.JAVA: (
        r"\b(?:class|interface|enum|record)\s+NAME\b",
        r"\bNAME\s*\([^;]*\)\s*(?:throws\b.*)?\{",
        r"@\w+",
    ),
    Language.C: _C_LIKE,
    Language.CPP: (*_C_LIKE, r"\b(?:class|namespace)\s+NAME\b", r"\b\w+::NAME\s*\("),
    Language.CSHARP: (
        r"\b(?:class|interface|struct|enum|record)\s+NAME\b",
        r"\bNAME\s*\(",
        r"^\s*namespace\b",
    ),
    Language.RUBY: (r"^\s*def (?:self\.)?NAME\b", r"^\s*(?:class|module) NAME\b", r"^\s*attr_"),
    Language.PHP: (r"\bfunction\s+NAME\b", r"\b(?:class|interface|trait|enum)\s+NAME\b", r"^\s*use\b"),
    Language.KOTLIN: (
        r"\bfun\s+(?:\w+\.)?NAME\b",
        r"\b(?:class|interface|object)\s+NAME\b",
        r"\bva[lr]\s+NAME\b",
    ),
    Language.SWIFT: (r"\bfunc\s+NAME\b", r"\b(?:class|struct|enum|protocol|extension|actor)\s+NAME\b"),
    Language.SCALA: (r"\bdef\s+NAME\b", r"\b(?:class|trait|object|enum)\s+NAME\b", r"\bva[lr]\s+NAME\b"),
    Language.BASH: (r"^\s*(?:function\s+)?NAME\s*\(\)", r"^\s*NAME=", r"^\s*(?:source|\.)\s"),
    Language.LUA: (r"\bfunction\s+[\w.:]*NAME\b", r"^\s*local\s+NAME\b", r"\brequire\b"),
    Language.SQL: (r"(?i)^\s*create\b.*\bNAME\b", r"(?i)\b(?:from|join|into|update)\s+NAME\b"),
    Language.HTML: (r"\bid=[\"']NAME[\"']", r"\bclass=[\"'][^\"']*\bNAME\b", r"<(?:script|form|h[1-6])\b"),
    Language.CSS: (r"\.NAME\b", r"#NAME\b", r"^@media\b", r"--NAME\s*:"),
    Language.JSON: (r"\"NAME\"\s*:",),
    Language.YAML: (r"^\s*(?:- )?NAME\s*:", r"^---"),
    Language.TOML: (r"^\[+NAME", r"^NAME\s*="),
    Language.INI: (r"^\[NAME\]", r"^NAME\s*="),
    Language.MARKDOWN: (r"^#{1,6}\s.*NAME", r"^```", r"\]\("),
    Language.MAKEFILE: (r"^NAME\s*:", r"^NAME\s*[:?+]?="),
    Language.DOCKERFILE: (r"^FROM\b", r"^(?:RUN|COPY|ENV|CMD|ENTRYPOINT)\b"),
    Language.DIFF: (r"^diff --git ", r"^@@ ", r"^[-+][^-+]"),
}
_SAME_AS: Final = {Language.JSX: Language.JAVASCRIPT, Language.TSX: Language.TYPESCRIPT}
_LOUD: Final = ("EMERG", "PANIC", "FATAL", "CRITICAL", "SEVERE", "ALERT", "ERROR", "WARNING")


@dataclass(frozen=True, slots=True)
class Hints:
    """`patterns` are regular expressions worth a search (NAME stands for what is looked for); one of
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
    return Hints(_PATTERNS.get(_SAME_AS.get(language, language), ()))


def _log_patterns(facts: LogFacts) -> tuple[str, ...]:
    patterns = [rf"\b{level}\b" for level in _LOUD if level in facts.levels]
    if facts.last is not None:
        day = facts.last.text[:10] if facts.last.text[:4].isdigit() else facts.last.text[:6]
        patterns.append(f"^.{{0,20}}{day}")
    patterns.append(r"(?i)exception|traceback|timeout|refused|denied")
    return tuple(patterns)
