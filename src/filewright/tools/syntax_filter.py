"""The argument `only`: matches in code, comments, strings, imports, definitions or calls.

A match counts if it is of one of these kinds as a whole. A file whose syntax is not known
has no match that counts, and is named in the notes of the answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from filewright.progress import Task
from filewright.search.matches import Match, find_matches
from filewright.search.pattern import Pattern
from filewright.structure.outlines import NO_GRAMMAR_NOTE, Outlines
from filewright.structure.syntax_kinds import (
    SpanSyntax,
    SyntaxKind,
    decode_span_syntax,
)
from filewright.text.snapshot import Snapshot
from filewright.tools.search.notes import display_path
from filewright.wording import escape_controls, join_limited, pluralize

MAX_NAMED_FILES = 3
SYNTAX_ERRORS_NOTE = "syntax errors around matches, so look twice"
FIRST_BATCH = 1_000
MAX_BATCH = 100_000
"""The matches of which the syntax is looked up together. Each time the file is parsed."""

KINDS_BY_WORD = {
    "code": SyntaxKind.CODE,
    "comments": SyntaxKind.COMMENT,
    "strings": SyntaxKind.STRING,
    "imports": SyntaxKind.IMPORT,
    "definitions": SyntaxKind.DEFINITION,
    "calls": SyntaxKind.CALL,
}

NARROWEST_FIRST = (
    SyntaxKind.COMMENT,
    SyntaxKind.STRING,
    SyntaxKind.IMPORT,
    SyntaxKind.DEFINITION,
    SyntaxKind.CALL,
    SyntaxKind.CODE,
)


def split_words(value: Any) -> Any:
    """Return the words of a text or a list as the argument has them: in the plural."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list):
        return value
    words: list[Any] = []
    for text in texts:
        if not isinstance(text, str):
            return value
        for word in text.replace(",", " ").split():
            plural = f"{word}s"
            words.append(plural if plural in KINDS_BY_WORD else word)
    return words


SyntaxWord = Literal[
    "code", "comments", "strings", "imports", "definitions", "calls"
]

SyntaxWords = Annotated[
    list[SyntaxWord] | None,
    Field(min_length=1),
    BeforeValidator(split_words),
]
"""The type of the argument `only`; a text with commas is a list too."""


def combine_kinds(words: Sequence[str]) -> SyntaxKind:
    """Return the kinds that the words of the argument stand for."""
    kinds = SyntaxKind.NONE
    for word in words:
        kinds |= KINDS_BY_WORD[word]
    return kinds


def narrowest_kind(syntax: SpanSyntax) -> SyntaxKind:
    """Return the kind by which a match is counted; of a cut one the first it touches."""
    kinds = syntax.kinds or syntax.touches
    return next(kind for kind in NARROWEST_FIRST if kind in kinds)


def describe_kinds(counts: Counter[SyntaxKind]) -> str:
    """Return the counts of kinds as a text, the largest first: ``3 calls, 1 import``."""
    nouns = {
        SyntaxKind.IMPORT: "import",
        SyntaxKind.DEFINITION: "definition",
        SyntaxKind.CALL: "call",
    }
    phrases = {
        SyntaxKind.COMMENT: "in comments",
        SyntaxKind.STRING: "in strings",
        SyntaxKind.CODE: "in other code",
    }
    parts = []
    for kind, count in counts.most_common():
        if kind in nouns:
            parts.append(pluralize(count, nouns[kind]))
        else:
            parts.append(f"{count:,} {phrases[kind]}")
    return ", ".join(parts)


def anchor_span(match: Match, *, is_code_pattern: bool) -> tuple[int, int]:
    """Return the part of a match whose syntax counts.

    Of a pattern of code that is the text before its first hole: the arguments of a call
    may hold comments and strings.
    """
    if is_code_pattern and match.groups and match.groups[0] is not None:
        return match.offset, max(match.offset, match.groups[0][0])
    return match.offset, match.end


@dataclass(slots=True)
class FileSyntax:
    """The matches in one file that do not count.

    `others` are those of other kinds, `cut` those that lie partly in one of the kinds,
    the first in the line `cut_line`. `unparsed` are behind the part that was parsed.
    `note` says why the whole file is left out.
    """

    others: Counter[SyntaxKind] = field(default_factory=Counter)
    cut: int = 0
    cut_line: int = 0
    unparsed: int = 0
    has_errors: bool = False
    note: str = ""


@dataclass(slots=True)
class SyntaxFilter:
    """A selector of the matches that are of some kinds of syntax.

    `files` has what is left out, by the displayed path of each file with matches. The
    matches of `siblings`, other patterns of the call, are looked up with those of the
    first batch: the answers are cached, and the file is parsed once.
    """

    outlines: Outlines
    only: SyntaxKind
    is_code_pattern: bool = False
    siblings: Sequence[Pattern] = ()
    files: dict[str, FileSyntax] = field(default_factory=dict)

    def select(
        self, snapshot: Snapshot, matches: Iterator[Match], task: Task
    ) -> Iterator[Match]:
        """Yield the matches in a file that are of one of the kinds as a whole."""
        # A search may read a file again: what it left out is counted once.
        file = FileSyntax()
        for batch in _batches(matches):
            path = display_path(snapshot)
            is_first = path not in self.files
            self.files[path] = file
            spans = _anchor_spans(batch, is_code_pattern=self.is_code_pattern)
            answer = self.outlines.classify(snapshot, spans, task=task)
            if is_first and not answer.note:
                self._look_up_siblings(snapshot, task)
            file.note = answer.note
            file.has_errors = answer.has_errors
            if answer.note:
                return
            for match, code in zip(batch, answer.codes, strict=True):
                syntax = decode_span_syntax(code)
                if syntax.kinds & self.only:
                    yield match
                elif not syntax.is_known:
                    file.unparsed += 1
                elif syntax.touches & self.only:
                    file.cut += 1
                    if file.cut == 1:
                        file.cut_line = snapshot.lines.line_at(
                            match.offset, task
                        )
                else:
                    file.others[narrowest_kind(syntax)] += 1

    def _look_up_siblings(self, snapshot: Snapshot, task: Task) -> None:
        """Have the first matches of the other patterns classified."""
        for pattern in self.siblings:
            matches = find_matches(snapshot, pattern, task=task)
            batch = next(_batches(matches), [])
            if batch:
                spans = _anchor_spans(
                    batch, is_code_pattern=pattern.code is not None
                )
                self.outlines.classify(snapshot, spans, task=task)


def _anchor_spans(
    matches: Sequence[Match], *, is_code_pattern: bool
) -> tuple[int, ...]:
    """Return the starts and ends of the parts of matches whose syntax counts."""
    spans: list[int] = []
    for match in matches:
        spans += anchor_span(match, is_code_pattern=is_code_pattern)
    return tuple(spans)


def _batches(matches: Iterator[Match]) -> Iterator[list[Match]]:
    """Yield the matches in lists, each longer than the one before."""
    size = FIRST_BATCH
    while batch := list(islice(matches, size)):
        yield batch
        size = min(MAX_BATCH, 10 * size)


@dataclass(frozen=True, slots=True)
class LeftOutMatches:
    """The matches of other kinds that `only` leaves out.

    With `is_known`, the answer has said of which kinds the matches are.
    """

    words: tuple[str, ...]
    kinds: Counter[SyntaxKind]
    is_known: bool = False

    @property
    def note(self) -> str:
        """The number of the matches as a text, with their kinds."""
        matches = pluralize(self.kinds.total(), "other match")
        note = f"only {' and '.join(self.words)}: {matches} left out"
        if self.is_known:
            return note
        return f"{note} ({describe_kinds(self.kinds)})"


def find_left_out(
    files: dict[str, FileSyntax], words: Sequence[str]
) -> LeftOutMatches | None:
    """Return the matches of other kinds, or None if there are none."""
    kinds: Counter[SyntaxKind] = Counter()
    for file in files.values():
        kinds += file.others
    return LeftOutMatches(tuple(words), kinds) if kinds else None


def cut_notes(files: dict[str, FileSyntax], words: Sequence[str]) -> list[str]:
    """Return a note on the matches that are partly of another kind."""
    places = []
    cut = 0
    for path, file in files.items():
        cut += file.cut
        if file.cut:
            places.append(f"{escape_controls(path)}:{file.cut_line}")
    if not cut:
        return []
    named = join_limited(places, MAX_NAMED_FILES, noun="file")
    matches = pluralize(cut, "match")
    return [f"{matches} partly in {' or '.join(words)} left out: {named}"]


def syntax_notes(
    files: dict[str, FileSyntax], words: Sequence[str]
) -> list[str]:
    """Return notes on the matches and files that `only` left out."""
    left_out = find_left_out(files, words)
    notes = [] if left_out is None else [left_out.note]
    return notes + cut_notes(files, words) + file_notes(files)


def file_notes(files: dict[str, FileSyntax]) -> list[str]:
    """Return notes on files whose syntax is not known, or only in part."""
    notes: list[str] = []
    paths_by_note: dict[str, list[str]] = {}
    for path, file in files.items():
        if file.note:
            paths_by_note.setdefault(file.note, []).append(path)
    for note, paths in paths_by_note.items():
        count = pluralize(len(paths), "file")
        if note == NO_GRAMMAR_NOTE:
            notes.append(f"{count} {note} left out: {_name_files(paths)}")
        else:
            notes.append(f"{count} left out, {note}: {_name_files(paths)}")
    unparsed = [path for path, file in files.items() if file.unparsed]
    if unparsed:
        count = pluralize(
            sum(file.unparsed for file in files.values()), "match"
        )
        notes.append(
            f"{count} behind the part that was parsed left out: {_name_files(unparsed)}"
        )
    broken = [path for path, file in files.items() if file.has_errors]
    if broken:
        notes.append(f"{SYNTAX_ERRORS_NOTE}: {_name_files(broken)}")
    return notes


def _name_files(paths: Iterable[str]) -> str:
    return join_limited(
        [escape_controls(path) for path in paths], MAX_NAMED_FILES, noun="file"
    )
