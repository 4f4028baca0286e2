"""The summary of a search for a name: how many of its matches are imports, calls and so on.

The work is counted in bytes that are parsed, so that the same search has the same answer
under load.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from filewright.boundary.location import Location
from filewright.languages import WITH_SYNTAX, language_of
from filewright.search.matches import find_matches
from filewright.search.pattern import Pattern
from filewright.structure.syntax_kinds import SyntaxKind, decode_span_syntax
from filewright.text.snapshot import Snapshot
from filewright.tools.best_effort import best_effort
from filewright.tools.context import Context
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.syntax_filter import describe_kinds, narrowest_kind
from filewright.wording import pluralize

MIN_MATCHES = 6
"""A reader sees the kinds of fewer matches at once."""

MIN_LINES = 3
"""Fewer lines seldom have so many matches, and are not parsed."""

MAX_FILES = 300
MAX_MATCHES_OF_FILE = 2_000
MAX_PARSED_BYTES = 6 << 20
PARSED_BYTES_PER_LINE = 20 << 10
"""A search with few matches must not take much longer for the summary."""

MIN_FILE_BYTES = 4 << 10
SECONDS = 2.0

_NAME = re.compile(r"[\w$]+(?:(?:\.|\?\.|::|->)[\w$]+)*")


@dataclass(slots=True)
class SyntaxCounts:
    """The matches of each kind, and those in files without a grammar.

    `is_partial` is True if there are files that were not parsed.
    """

    kinds: Counter[SyntaxKind] = field(default_factory=Counter)
    without_grammar: int = 0
    is_partial: bool = False

    @property
    def summary(self) -> str:
        """The counts as a text; "" for few matches, or if all are of one kind."""
        count = self.kinds.total() + self.without_grammar
        if count < MIN_MATCHES:
            return ""
        is_of_one_kind = len(self.kinds) == 1 and not self.without_grammar
        if not self.kinds or is_of_one_kind:
            return ""
        text = describe_kinds(self.kinds)
        if self.without_grammar:
            text += f", {self.without_grammar:,} in files without a grammar"
        if self.is_partial:
            return f"of the first {pluralize(count, 'match')} {text}"
        return text


def is_name_search(arguments: SearchArguments) -> bool:
    """Return True if a summary may help: the search is for all matches of a name."""
    has_conditions = (
        arguments.only is not None
        or arguments.selection() is not None
        or arguments.cursor is not None
        or arguments.invert
    )
    return (
        arguments.output in ("matches", "files", "counts")
        and not has_conditions
        and is_name(arguments)
    )


def is_name(arguments: SearchArguments) -> bool:
    """Return True if the pattern is a plain name, such as `parse` or `json.loads`."""
    if arguments.mode != "literal" or arguments.invert:
        return False
    return _NAME.fullmatch(arguments.pattern or "") is not None


def has_syntax(locations: Sequence[Location]) -> bool:
    """Return True if kinds of syntax are told apart in one of the files, by its name."""
    return any(
        language_of(location.name) in WITH_SYNTAX for location in locations
    )


def summarize_syntax(
    context: Context,
    pattern: Pattern,
    locations: Sequence[Location],
    line_count: int | None,
    max_bytes: int = MAX_PARSED_BYTES,
) -> str:
    """Return how many of the matches in files are of each kind of syntax.

    `line_count` is the number of matching lines, None if they were not counted. Return ""
    if there are few matches, if all are of one kind, or if it would take too long.
    """
    if line_count is None:
        line_count = MIN_LINES * len(locations)
    if line_count < MIN_LINES or len(locations) > MAX_FILES:
        return ""
    if not has_syntax(locations):
        return ""
    counts = SyntaxCounts()
    with best_effort(context.task, SECONDS) as task:
        counts.is_partial = True
        budget = min(max_bytes, PARSED_BYTES_PER_LINE * line_count)
        for location in locations:
            snapshot = context.searcher.open(location, task)
            if not isinstance(snapshot, Snapshot):
                continue
            with snapshot:
                budget -= max(MIN_FILE_BYTES, snapshot.file_size)
                if budget < 0:
                    break
                _count_file(context.at(task), snapshot, pattern, counts)
        else:
            counts.is_partial = False
    return counts.summary


def _count_file(
    context: Context,
    snapshot: Snapshot,
    pattern: Pattern,
    counts: SyntaxCounts,
) -> None:
    """Add the matches in a file to the counts."""
    if snapshot.binary_type is not None:
        return
    spans: list[int] = []
    matches = find_matches(snapshot, pattern, task=context.task)
    for match in islice(matches, MAX_MATCHES_OF_FILE):
        spans += (match.offset, match.end)
    if not spans:
        return
    answer = context.outlines.classify(
        snapshot, tuple(spans), task=context.task
    )
    if answer.note:
        counts.without_grammar += len(spans) // 2
    for code in answer.codes:
        syntax = decode_span_syntax(code)
        if syntax.is_known:
            counts.kinds[narrowest_kind(syntax)] += 1
