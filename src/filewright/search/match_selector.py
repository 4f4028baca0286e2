"""A selector of matches: it decides which matches of a pattern count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from filewright.progress import Task
    from filewright.search.matches import Match
    from filewright.text.snapshot import Snapshot


class MatchSelector(Protocol):
    """A choice among the matches of one pattern, in any number of files."""

    def select(
        self, snapshot: Snapshot, matches: Iterator[Match], task: Task
    ) -> Iterator[Match]:
        """Yield the matches in a file that count, in their order."""
        ...
