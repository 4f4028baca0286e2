"""Findings of a replacement: matches by file and item, kinds of changed lines, notes."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from filewright.edit.example import (
    Example,
    build_example,
    build_range_example,
)
from filewright.edit.overlay import Overlay
from filewright.edit.source import Source
from filewright.progress import Task
from filewright.search.hit_groups import HitGroup, HitGroups
from filewright.search.matches import find_matches
from filewright.search.near_words import NearWords
from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice
from filewright.tools.replace.items import ReplaceItem
from filewright.tools.replace.left_words import LeftWords
from filewright.tools.search.rendering import render_kind
from filewright.wording import escape_controls, join_limited

MAX_SHOWN_NOTES = 20
"""The notes that an answer shows."""

MAX_KINDS = 5
MAX_PLAIN_KINDS = 3
MAX_FEW_KINDS = 12
"""The kinds of changed lines shown with an example: of regexes and code, and of plain
texts and rows, which seldom surprise; and the kinds of few matches, which are all shown."""

MAX_KIND_CHARS = 100
"""The length of each line of an example."""

MAX_UNUSUAL_KINDS = 3
"""The matches of several lines, or with others inside, that are shown whole."""

NEAR_BYTES = 40
WORD_CHARACTERS = f"{string.ascii_letters}{string.digits}_"
"""How far beside a match its word is looked for, and the characters of words."""

MAX_NEAR_WORDS = 12
"""The words near the matches that are named."""

MAX_CHECKED_BYTES = 128 << 20
"""The bytes of new texts that are searched for matches that are left."""

_LINE_END = re.compile(rb"[\r\n]")
MAX_BETWEEN_BYTES = 4 << 10
"""The most bytes between two changes that are looked at to see if a line ends there."""

MAX_COMPARED_LINES = 5_000
"""The changed lines that are compared to find the kinds of lines."""


@dataclass
class ReplaceFindings:
    """The matches of one plan: by file and by item, notes, and kinds of changed lines.

    `searched` has the number of files that each item searched in a folder, and
    `near_words` the longer words with its text, which are no matches; `left_words` are
    names that stay. With `has_glob`, an item searched only the files of a glob.
    `is_checked` is False if a file that changes was not searched again, and `has_left` is
    True if such a search found a match.

    `kinds` are the kinds of the lines that change, and `examples` their first lines by
    path, number and text. `kinds_by_characters` has them by the characters around their
    matches, and `crowded_kinds` are those with several matches in a line. `unusual_rows`
    show matches of several lines and those with others inside. Of rows, `row_count` fit,
    `value_count` fields change, and `unchanged_count` rows have the new values already.
    """

    by_item: list[int]
    max_kinds: int = MAX_KINDS
    files_by_item: Counter[int] = field(default_factory=Counter)
    by_file: dict[str, int] = field(default_factory=dict)
    searched: list[int] = field(default_factory=list)
    includes_ignored: bool = True
    has_glob: bool = False
    near_words: list[NearWords] = field(default_factory=list)
    left_words: LeftWords = field(default_factory=LeftWords)
    is_checked: bool = True
    has_left: bool = False
    remaining_check_bytes: int = MAX_CHECKED_BYTES
    notes: list[str] = field(default_factory=list)
    kinds: HitGroups = field(default_factory=HitGroups)
    examples: dict[tuple[str, int, str], Example] = field(default_factory=dict)
    compared_lines: int = 0
    kinds_by_characters: dict[tuple[str, str], list[HitGroup]] = field(
        default_factory=dict
    )
    crowded_kinds: list[HitGroup] = field(default_factory=list)
    unusual_rows: list[str] = field(default_factory=list)
    unusual_count: int = 0
    row_count: int = 0
    value_count: int = 0
    unchanged_count: int = 0

    @property
    def total(self) -> int:
        """The number of all matches."""
        return sum(self.by_file.values())

    def add_kinds(self, snapshot: Snapshot, splices: Sequence[Splice]) -> None:
        """Count the kinds of the lines that splices change, with an example of each."""
        lines_left = MAX_COMPARED_LINES - self.compared_lines
        end = 0
        kind: HitGroup | None = None
        for index in range(min(lines_left, len(splices))):
            self.compared_lines += 1
            splice = splices[index]
            is_same_line = False
            if end and splice.offset - end <= MAX_BETWEEN_BYTES:
                between = snapshot.read(end, splice.offset - end)
                is_same_line = _LINE_END.search(between) is None
            end = splice.end
            if is_same_line:
                if kind is not None:
                    self.crowded_kinds.append(kind)
                    kind = None
                continue
            kind = self.kinds.add_hit(
                snapshot,
                splice.offset,
                ignores_depth=_changes_a_word(snapshot, splice),
            )
            if kind is not None:
                example = build_example(
                    snapshot, splices, index, MAX_KIND_CHARS
                )
                self.examples[kind.path, kind.line, kind.text] = example
                characters = _characters_around(snapshot, splice)
                self.kinds_by_characters.setdefault(characters, []).append(kind)

    def check_result(
        self,
        snapshot: Snapshot,
        splices: Sequence[Splice],
        items: Sequence[ReplaceItem],
        task: Task,
    ) -> None:
        """Search the result of splices for further matches, up to a number of bytes."""
        self.remaining_check_bytes -= snapshot.size
        has_filter = any(item.syntax_filter is not None for item in items)
        # With `only`, the matches that stay are counted by the filter.
        if self.remaining_check_bytes < 0 or has_filter:
            self.is_checked = False
        if self.has_left or not self.is_checked:
            return
        result = Source(Overlay(snapshot, splices)).snapshot
        for item in items:
            matches = find_matches(result, item.pattern, once=True, task=task)
            self.has_left = self.has_left or any(True for _ in matches)

    def footer(self, *, is_written: bool) -> str:
        """Return the files that were searched, and whether a match is left in them."""
        parts: list[str] = []
        if self.searched:
            distinct = dict.fromkeys(self.searched)
            counts = " and ".join(f"{count:,}" for count in distinct)
            noun = "file" if set(distinct) == {1} else "files"
            parts.append(f"{counts} {noun} searched")
        parts += self.notes[:MAX_SHOWN_NOTES]
        if is_written and self.is_checked and not self.has_left:
            scope = " in the files of the glob" if self.has_glob else ""
            if self.searched:
                kinds = (
                    "hidden and ignored" if self.includes_ignored else "hidden"
                )
                scope += f" ({kinds} too)"
            parts.append(f"no match left{scope}")
        return "; ".join(parts)

    def near_note(self) -> str:
        """Return a note on words that have the text of an item and do not match, or ""."""
        counts: Counter[str] = Counter()
        is_complete = True
        for near_words in self.near_words:
            counts.update(near_words.counts)
            is_complete = is_complete and near_words.is_complete
        if not counts:
            return ""
        words = [f"{word} ({count:,})" for word, count in counts.most_common()]
        at_least = "" if is_complete else "at least "
        named = join_limited(words, MAX_NEAR_WORDS, noun="word")
        return escape_controls(f"not matched: {at_least}{named}")

    def add_unusual(
        self,
        snapshot: Snapshot,
        splices: Sequence[Splice],
        ranges: Sequence[tuple[int, int]],
    ) -> None:
        """Count matches of several lines and those with others inside; show the first."""
        self.unusual_count += len(ranges)
        for start, end in ranges:
            if len(self.unusual_rows) == MAX_UNUSUAL_KINDS:
                return
            example = build_range_example(
                snapshot, splices, start, end, MAX_KIND_CHARS
            )
            if example:
                line = snapshot.lines.line_at(start)
                path = escape_controls(snapshot.requested_path)
                self.unusual_rows.append(f"{path}:{line}:\n{example}")

    def rows(self) -> Iterator[str]:
        """Yield the kinds of lines, each with its new text, the most frequent first.

        Then come the kinds in which a mistake is most likely: one with rare characters
        around its match, one with several matches in a line, and matches of several
        lines or with others inside.
        """
        ranked = self.kinds.ranked(rarest_first=False)
        unusual_count = len(self.unusual_rows)
        # Each of several items should have an example.
        limit = min(MAX_FEW_KINDS, self.max_kinds + len(self.by_item) - 1)
        has_one_more = len(ranked) + unusual_count == limit + 1
        if self.total <= MAX_FEW_KINDS or has_one_more:
            limit = MAX_FEW_KINDS
        frequent = ranked[: max(1, limit - unusual_count)]
        if len(ranked) > len(frequent):
            frequent = self._with_odd_kinds(frequent)
        path = ""
        for kind in frequent:
            # The path of the line above is not repeated.
            is_next = kind.count == 1 and kind.path == path
            path = kind.path
            heading = render_kind(
                replace(kind, text=""), with_path=not is_next
            ).rstrip()
            example = self.examples[kind.path, kind.line, kind.text]
            yield f"{heading}\n{example.text}"
        for index, row in enumerate(self.unusual_rows):
            noun = "over several lines or nested: "
            if index == 0 and self.unusual_count > 1:
                noun = f"{self.unusual_count:,} {noun}"
            yield f"{noun}{row}"

    def _with_odd_kinds(self, frequent: Sequence[HitGroup]) -> list[HitGroup]:
        """Return the frequent kinds with up to two odd ones in place of the last.

        These are the kind with the rarest characters around its match, and a kind with
        several matches in a line.
        """
        odd_kinds: list[HitGroup] = []
        rare = self._find_rare(frequent)
        if rare is not None:
            odd_kinds.append(rare)
        for kind in self.crowded_kinds:
            if kind not in frequent and kind not in odd_kinds:
                odd_kinds.append(kind)
                break
        kept_count = max(1, len(frequent) - len(odd_kinds))
        return [*frequent[:kept_count], *odd_kinds]

    def _find_rare(self, shown: Sequence[HitGroup]) -> HitGroup | None:
        """Return the kind with the rarest characters around its match, if it is not shown."""
        if len(self.kinds_by_characters) < 2:
            return None
        counts = Counter(
            {
                characters: len(kinds)
                for characters, kinds in self.kinds_by_characters.items()
            }
        )
        rarest, _ = counts.most_common()[-1]
        kind = self.kinds_by_characters[rarest][0]
        return None if kind in shown else kind


def _changes_a_word(snapshot: Snapshot, splice: Splice) -> bool:
    """Return True if a splice changes neither indentation nor a path."""
    if not 0 < splice.length <= NEAR_BYTES:
        return False
    text = snapshot.read(splice.offset, splice.length)
    return not text[:1].isspace() and b"/" not in text


def _characters_around(snapshot: Snapshot, splice: Splice) -> tuple[str, str]:
    """Return the characters before and after the word that a splice changes."""
    start = max(snapshot.start, splice.offset - NEAR_BYTES)
    before = decode(
        snapshot.read(start, splice.offset - start), snapshot.encoding
    )
    after = decode(snapshot.read(splice.end, NEAR_BYTES), snapshot.encoding)
    before = before.rpartition("\n")[2].rstrip(WORD_CHARACTERS).rstrip()
    after = after.partition("\n")[0].lstrip(WORD_CHARACTERS).lstrip()
    return before[-1:], after[:1]
