"""The outcome of one search: everything that its answer says, before it is text."""

from __future__ import annotations

from dataclasses import dataclass

from filewright.errors import FilewrightError
from filewright.search.hit_groups import HitGroup
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.search.count_matrix import CountMatrix
from filewright.tools.search.excerpt import FileExcerpt
from filewright.tools.search.result import (
    FolderCount,
    MatchedFile,
    SearchHit,
    TracedLine,
    ValueCount,
)
from filewright.tools.search.uses_summary import UsesSurvey
from filewright.tools.syntax_filter import LeftOutMatches


@dataclass(frozen=True, slots=True)
class ShownKinds:
    """The kinds of lines on a page, the rarest first.

    There are `kind_count` kinds, with `line_count` lines. If not all are shown, those
    between the rarest and the most frequent are left out. `other_lines` are of kinds that
    were not told apart, because there are too many. `proposed_count` is the number of
    kinds that a larger page may have, or None.
    """

    kinds: tuple[HitGroup, ...]
    kind_count: int
    line_count: int
    other_lines: int
    proposed_count: int | None


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """One search, with as much as fits on its page of `max_chars` characters.

    The page shows one of these: the `excerpts` of `hits`, without the code around their
    calls if it `is_dense`; `files`, or `folders` if many files have counts; `kinds`; a
    `survey`, instead of hits; `values`, in a `matrix` if there is one. With a `trace`, the
    excerpts are its lines.

    `total_lines` are all matching lines, in `matched_files` files, or None where they were
    not counted; `occurrence_count` counts the matches on this page, of which a line may
    have several. `searched_files` is None where files were not counted. `has_damage` is
    True if the text of a file ends early, where its data are damaged.

    `notes` are about the search, and `file_notes` about its files, which several searches
    say once. `left_out` are matches that `only` leaves out. `advice` says what to try after
    a search without a match. With `error`, the search failed as one of several.
    """

    arguments: SearchArguments
    max_chars: int
    is_tree: bool = False
    is_dense: bool = False
    used_chars: int = 0
    is_full: bool = False
    excerpts: tuple[FileExcerpt, ...] = ()
    hits: tuple[SearchHit, ...] = ()
    files: tuple[MatchedFile, ...] = ()
    folders: tuple[FolderCount, ...] = ()
    kinds: ShownKinds | None = None
    survey: UsesSurvey | None = None
    values: tuple[ValueCount, ...] = ()
    matrix: CountMatrix | None = None
    trace: tuple[TracedLine, ...] = ()
    occurrence_count: int = 0
    is_complete: bool = True
    has_damage: bool = False
    next_cursor: str | None = None
    searched_files: int | None = None
    total_lines: int | None = None
    matched_files: int = 1
    notes: tuple[str, ...] = ()
    file_notes: tuple[str, ...] = ()
    left_out: LeftOutMatches | None = None
    advice: tuple[str, ...] = ()
    error: FilewrightError | None = None

    @property
    def has_match(self) -> bool:
        """Return True if there is a match."""
        return bool(
            self.hits or self.files or self.kinds or self.values or self.survey
        )

    @property
    def counts_matches(self) -> bool:
        """Return True if the counts are of matches, which may have several lines."""
        return self.arguments.multiline or self.arguments.mode == "code"

    @property
    def shown_count(self) -> int:
        """Return the number of matching lines on this page, or of matches.

        A long line may have several hits, each with a piece of it.
        """
        if self.counts_matches:
            return len(self.hits)
        return len({(hit.path, hit.line) for hit in self.hits})

    @property
    def is_bare(self) -> bool:
        """Return True if the search was complete without a match, an error or advice."""
        return (
            self.error is None
            and self.is_complete
            and not self.has_match
            and not self.advice
            and self.left_out is None
        )
