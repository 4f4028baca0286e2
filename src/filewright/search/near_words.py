"""Words that hold the text of a pattern but are no match of it: longer ones, or in another case.

After a rename they are what a reader would search for next. They are counted in the
files that a search opens anyhow.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from filewright.progress import Task
from filewright.search.matches import find_matches
from filewright.search.pattern import Pattern, compile_pattern
from filewright.text.codec import decode
from filewright.text.snapshot import Snapshot

MAX_COUNTED_WORDS = 5_000
MAX_SEARCHED_BYTES = 64 << 20
"""The words that are counted, and the bytes of files in which they are."""

_MIN_CHARS = 3
_MAX_CHARS = 100
_NEAR_BYTES = 64
"""Bytes before and after an occurrence that are read to find the word around it."""

_NO_PLAIN_TEXT = re.compile(
    r"""
    \\[pP]\{[^}]*\} | \\. | \[\^?\]?(?:\\.|[^\]\\])*\] | \{[\d,]*\}
    | \(\?(?:P?<\w+>|[a-z-]*:?)
    """,
    re.VERBOSE,
)
"""Parts of a regular expression that are no literal text."""

_PLAIN_TEXT = re.compile(r"[^\W\d][\w-]*\w(?![*?+{])")


@dataclass
class NearWords:
    """The words near the matches of `pattern`, with their counts.

    `wide` finds all occurrences of its text, in any case. `is_complete` is False if there
    was more text than could be searched.
    """

    pattern: Pattern
    wide: Pattern
    counts: Counter[str] = field(default_factory=Counter)
    is_complete: bool = True
    _remaining_bytes: int = MAX_SEARCHED_BYTES

    @classmethod
    def around(cls, pattern: Pattern) -> NearWords | None:
        """Return an empty count for a pattern, or None if it is not about a word."""
        text = _find_word(pattern)
        if text is None:
            return None
        return cls(
            pattern, compile_pattern(text, mode="literal", case="insensitive")
        )

    def add(self, snapshot: Snapshot, task: Task) -> None:
        """Count the words of a file that hold the text and are outside of all matches."""
        self._remaining_bytes -= snapshot.size
        words_left = MAX_COUNTED_WORDS - self.counts.total()
        if self._remaining_bytes < 0 or words_left <= 0:
            self.is_complete = False
            return
        for offset, end in self._find_outside(snapshot, task):
            self.counts[_word_around(snapshot, offset, end, self.wide)] += 1
            words_left -= 1
            if not words_left:
                self.is_complete = False
                return

    def _find_outside(
        self, snapshot: Snapshot, task: Task
    ) -> Iterator[tuple[int, int]]:
        """Yield the occurrences of the text that no match of the pattern covers."""
        matches = find_matches(snapshot, self.pattern, task=task)
        match = next(matches, None)
        for occurrence in find_matches(snapshot, self.wide, task=task):
            while match is not None and match.end <= occurrence.offset:
                match = next(matches, None)
            if match is None or match.offset >= occurrence.end:
                yield occurrence.offset, occurrence.end


def _find_word(pattern: Pattern) -> str | None:
    """Return the word that a pattern is about, or None."""
    if pattern.code is not None or pattern.multiline:
        return None
    text = pattern.text
    if pattern.mode == "regex":
        plain_text = _NO_PLAIN_TEXT.sub(" ", text)
        words = {*_PLAIN_TEXT.findall(plain_text)}
        text = max(words, key=len, default="")
        # A word of a phrase, or of one alternative, would not stand for the rest.
        if text and re.search(r"\w", plain_text.replace(text, "")):
            return None
    if not _MIN_CHARS <= len(text) <= _MAX_CHARS:
        return None
    # A text that ends in other signs has no longer words around it.
    if not re.fullmatch(r"\w[\w.:/$-]*\w", text):
        return None
    return text


def _word_around(
    snapshot: Snapshot, offset: int, end: int, pattern: Pattern
) -> str:
    """Return the whole word around an occurrence of a text."""
    signs = r"[\w-]" if "-" in pattern.text else r"\w"
    start = max(snapshot.start, offset - _NEAR_BYTES)
    # Cut at the occurrence, so that half a character can only be at the far ends.
    before = decode(snapshot.read(start, offset - start), snapshot.encoding)
    text = decode(snapshot.read(offset, end - offset), snapshot.encoding)
    after = decode(snapshot.read(end, _NEAR_BYTES), snapshot.encoding)
    first = re.search(rf"{signs}*\Z", before)
    last = re.match(rf"{signs}*", after)
    assert first is not None
    assert last is not None
    return f"{first[0]}{text}{last[0]}"
