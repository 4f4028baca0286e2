"""The trace of a few lines through a log: the lines that share rare identifiers.

In rounds: find the identifiers of the newest lines (`logs/identifiers`), and search all
of them at once; the lines with them are the newest lines of the next round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from filewright.errors import Code, FilewrightError
from filewright.logs.identifiers import Identifier, find_identifiers
from filewright.logs.selection import EntrySelection
from filewright.progress import Task
from filewright.rows.fields import MAX_ENTRY_BYTES
from filewright.search.matches import END_OF_TEXT
from filewright.search.pattern import Pattern, compile_pattern
from filewright.search.searcher import Unavailable
from filewright.search.selected_lines import (
    SelectedLines,
    iterate_matching_lines,
)
from filewright.search.tree import TreeSearch
from filewright.text.lines import Line
from filewright.text.snapshot import Snapshot

MAX_ROUNDS = 5
MAX_LINES = 40
"""The lines of a trace."""

MAX_RARE_LINES = 20
"""An identifier in more lines links too much; a unique one may have `MAX_LINES`."""

MAX_COUNTED_LINES = 2_000
"""The search for an identifier in more lines ends, so that it does not take long."""

_MAX_COLLECTED_LINES = 400
"""The lines from which those of the trace are chosen."""

_MAX_IDENTIFIERS = 50
"""The identifiers that one round searches."""

_MAX_LINE_CHARS = 16 << 10


SelectLines = Callable[[Snapshot], SelectedLines]


@dataclass(frozen=True, slots=True)
class LogFile:
    """A file of a log: its path as answers show it, and the way to open it."""

    path: str
    open_file: Callable[[], Snapshot | Unavailable]


@dataclass(frozen=True, slots=True, order=True)
class LinePlace:
    """The place of a line in a log: the index of its file, and its number there."""

    file: int
    line: int


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of a log, as far as it is searched for identifiers."""

    place: LinePlace
    text: str


@dataclass(slots=True)
class Occurrences:
    """The lines with an identifier: their count, and the first of them."""

    identifier: Identifier
    count: int = 0
    lines: list[LogLine] = field(default_factory=list)

    @property
    def max_lines(self) -> int:
        """Return the number of lines up to which the identifier is followed."""
        if self.identifier.is_trace or self.identifier.is_unique:
            return MAX_LINES
        return MAX_RARE_LINES

    @property
    def is_whole(self) -> bool:
        """Return True if all of the lines are in `lines`."""
        return self.count <= self.max_lines

    def add(self, line: LogLine) -> None:
        """Count a line; keep it if it may be shown."""
        self.count += 1
        if len(self.lines) < self.max_lines:
            self.lines.append(line)


@dataclass(frozen=True, slots=True)
class Findings:
    """The occurrences of identifiers; `stop` says where the time ran out, or is ""."""

    occurrences: Sequence[Occurrences]
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A line of a trace, and the identifier that led to it; None for a match.

    `weight` is the largest number of lines that an identifier on the way to it has: a
    line is the more likely to belong to the matches, the less it weighs.
    """

    line: LogLine
    identifier: Identifier | None = None
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Lead:
    """An identifier of a line of a trace, which is to be searched."""

    identifier: Identifier
    weight: int


@dataclass(frozen=True, slots=True)
class Trace:
    """The lines of a trace in their order.

    `frequent` are identifiers of the matches that are in too many lines to be followed,
    or to be shown whole. `pending` were not searched, as the rounds were over. `stop` says
    where the time ran out, or is "". `left_out` counts lines with less rare identifiers.
    The matches have no identifiers at all unless `has_identifiers`.
    """

    links: Sequence[Link]
    frequent: Sequence[Occurrences] = ()
    pending: Sequence[Identifier] = ()
    stop: str = ""
    left_out: int = 0
    has_identifiers: bool = True


@dataclass(frozen=True, slots=True)
class TracedLog:
    """The files of one log, the oldest first, and the choice of their lines by time."""

    files: Sequence[LogFile]
    select: SelectLines
    task: Task

    def find(self, identifiers: Sequence[Identifier]) -> Findings:
        """Return the lines with identifiers, found by one search for all of them."""
        by_text = {
            identifier.text: Occurrences(identifier)
            for identifier in identifiers
        }
        occurrences = tuple(by_text.values())
        stop = ""
        try:
            for index, file in enumerate(self.files):
                stop = file.path
                for line in self._find_in_file(index, file, by_text):
                    stop = f"{file.path}:{line.place.line}"
                    for candidate in by_text.values():
                        if candidate.identifier.is_in(line.text):
                            candidate.add(line)
        except FilewrightError as error:
            if error.code != Code.TIMEOUT:
                raise
            return Findings(occurrences, stop)
        return Findings(occurrences)

    def _find_in_file(
        self, index: int, file: LogFile, by_text: dict[str, Occurrences]
    ) -> Iterator[LogLine]:
        """Yield the lines of a file with identifiers; drop those in too many lines."""
        snapshot = file.open_file()
        if isinstance(snapshot, Unavailable):
            return
        with snapshot:
            if snapshot.binary_type is not None:
                return
            selected = self.select(snapshot)
            while by_text:
                pattern = _compile_texts(list(by_text))
                last_line = None
                for match in iterate_matching_lines(
                    snapshot, pattern, selected, self.task
                ):
                    yield _read_line(snapshot, match.line, index, self.task)
                    if _drop_frequent(by_text):
                        last_line = match.line
                        break
                if last_line is None:
                    return
                # The lines of a frequent one would take too long.
                selected.start = max(selected.start, last_line.end)


def select_all(snapshot: Snapshot) -> SelectedLines:
    """Return all lines of a file, of any time."""
    return SelectedLines(EntrySelection(), snapshot.start, END_OF_TEXT)


def select_times(search: TreeSearch) -> SelectLines:
    """Return the choice of the lines between the times of a search."""
    selection = search.selection
    if selection is None or not selection.has_time:
        return select_all
    bounds = EntrySelection(
        selection.since, selection.until, last_seconds=selection.last_seconds
    )
    bounded_search = replace(search, selection=bounds)

    def select(snapshot: Snapshot) -> SelectedLines:
        return bounded_search.select(snapshot) or select_all(snapshot)

    return select


def read_lines(
    reader: TracedLog, offsets_by_path: dict[str, Sequence[int]]
) -> list[LogLine]:
    """Return the lines at offsets of files of a log, each once."""
    lines: dict[LinePlace, LogLine] = {}
    for index, file in enumerate(reader.files):
        offsets = offsets_by_path.get(file.path)
        if not offsets:
            continue
        snapshot = file.open_file()
        if isinstance(snapshot, Unavailable):
            continue
        with snapshot:
            for offset in offsets:
                start = snapshot.lines.line_start(offset, reader.task)
                body = snapshot.lines.read_line(
                    start, MAX_ENTRY_BYTES, task=reader.task
                )
                line = _read_line(snapshot, body, index, reader.task)
                lines[line.place] = line
    return list(lines.values())


def follow(reader: TracedLog, matches: Sequence[LogLine]) -> Trace:
    """Return the matches with all lines that rare identifiers link to them."""
    links = {match.place: Link(match) for match in matches}
    leads = _find_leads(list(links.values()), ())
    searched = set(leads)
    frequent: list[Occurrences] = []
    stop = ""
    for _ in range(MAX_ROUNDS):
        if not leads or stop or len(links) >= _MAX_COLLECTED_LINES:
            break
        findings = reader.find([lead.identifier for lead in leads.values()])
        for occurrences in findings.occurrences:
            lead = leads[occurrences.identifier.text]
            if not occurrences.is_whole and not lead.weight:
                frequent.append(occurrences)
        newest = _link_lines(findings, leads, links)
        links |= newest
        stop = findings.stop
        leads = _find_leads(list(newest.values()), searched)
        searched |= leads.keys()
    best = sorted(links.values(), key=_sort_by_weight)[:MAX_LINES]
    return Trace(
        sorted(best, key=_sort_by_place),
        frequent,
        [lead.identifier for lead in leads.values()],
        stop,
        left_out=len(links) - len(best),
        has_identifiers=bool(searched),
    )


def _link_lines(
    findings: Findings,
    leads: Mapping[str, Lead],
    links: Mapping[LinePlace, Link],
) -> dict[LinePlace, Link]:
    """Return the lines with rare identifiers that are not linked yet, by their places."""
    newest: dict[LinePlace, Link] = {}
    for occurrences in sorted(findings.occurrences, key=_count):
        identifier = occurrences.identifier
        if not occurrences.is_whole and not identifier.is_trace:
            continue
        weight = max(leads[identifier.text].weight, occurrences.count)
        for line in occurrences.lines:
            if line.place not in links:
                newest.setdefault(line.place, Link(line, identifier, weight))
    return newest


def _find_leads(
    links: Sequence[Link], searched: Collection[str]
) -> dict[str, Lead]:
    """Return the identifiers of lines that were not searched yet, by their texts."""
    leads: dict[str, Lead] = {}
    for link in sorted(links, key=_sort_by_weight):
        for identifier in find_identifiers(link.line.text):
            is_new = identifier.text not in searched
            if is_new and len(leads) < _MAX_IDENTIFIERS:
                leads.setdefault(identifier.text, Lead(identifier, link.weight))
    return leads


def _count(occurrences: Occurrences) -> int:
    return occurrences.count


def _sort_by_weight(link: Link) -> tuple[int, LinePlace]:
    return link.weight, link.line.place


def _sort_by_place(link: Link) -> LinePlace:
    return link.line.place


def _compile_texts(texts: Sequence[str]) -> Pattern:
    """Return a pattern of several texts; of two with one beginning, the longer counts."""
    ordered = sorted(texts, key=len, reverse=True)
    alternatives = "|".join(map(re.escape, ordered))
    return compile_pattern(
        # An underscore may divide an identifier from others.
        rf"(?:^|[^A-Za-z0-9])(?:{alternatives})(?:[^A-Za-z0-9]|$)",
        mode="regex",
        case="sensitive",
        max_chars=END_OF_TEXT,
    )


def _drop_frequent(by_text: dict[str, Occurrences]) -> bool:
    """Take out the identifiers in too many lines; return True if there was one."""
    frequent = [
        text
        for text, occurrences in by_text.items()
        if occurrences.count > MAX_COUNTED_LINES
    ]
    for text in frequent:
        del by_text[text]
    return bool(frequent)


def _read_line(
    snapshot: Snapshot, line: Line, index: int, task: Task
) -> LogLine:
    """Return a line with its number, or the beginning of a long one."""
    number = snapshot.lines.line_at(line.offset, task)
    text = line.body.decode(snapshot.encoding.name, "replace")
    return LogLine(LinePlace(index, number), text[:_MAX_LINE_CHARS])
