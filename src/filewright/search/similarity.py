"""Fuzzy search: the regions of a file that are most similar to a text of one or more lines.

A file of up to 2 MB is compared window by window. In a larger file the rarest pieces of
the needle are found exactly (`pieces`), the places where several of them agree are
chosen by vote, and the best are aligned (`alignment`). If none of them is similar
enough, a file of up to 64 MB is compared whole; of a larger one the result says that it
was not. No result is less similar than requested.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from filewright.errors import invalid
from filewright.progress import Task
from filewright.search.alignment import Fit, find_best_fit, fold_text
from filewright.search.hits import FileHits, Hit, HitBuilder, search_snapshot
from filewright.search.matches import Span
from filewright.search.pattern import compile_pattern
from filewright.search.pieces import (
    choose_pieces,
    find_occurrences,
    read_sample,
    vote_diagonals,
)
from filewright.search.window import (
    NO_TIMEOUT,
    Window,
    WindowLimits,
    character_start,
)
from filewright.text.codec import check_text, normalize_newlines
from filewright.text.snapshot import Snapshot

ALWAYS_SWEPT_BYTES = 2 << 20
"""The largest file that is always compared whole: no region is missed."""

MAX_SWEPT_BYTES = 64 << 20
"""The largest file that is compared whole if its pieces lead to no region."""

MIN_NEEDLE_CHARACTERS = 4
"""A shorter text is similar to almost any line."""

_BLOCK_BYTES = 256 << 10
_MAX_DIAGONALS = 160
"""Places chosen by vote that are compared with the needle."""

_MAX_FINALISTS = 64
"""Places that are aligned, the most precise and slowest step."""

_LONG_NEEDLE_CHARACTERS = 200
"""For a longer needle, one place instead of two is aligned in any case."""

_MAX_ALIGNED_CHARACTERS = 16_000
"""Characters of needles that are aligned: some hundred milliseconds at most."""


def search_fuzzy(
    snapshot: Snapshot,
    needle: str,
    *,
    min_similarity: float = 0.8,
    limit: int = 10,
    task: Task = NO_TIMEOUT,
) -> FileHits:
    """Return the lines with regions similar to `needle`, the best `limit` of them.

    The similarity (0 to 1) is that of the needle and the region, not of whole lines.
    Case and typos are edits; whitespace and the form of quotes hardly count. The result
    has a `reason` if a region may have been missed.

    Raises `invalid_input` for a needle of fewer than 4 characters or a lone surrogate,
    `cancelled`, `timeout` and `io_error`.
    """
    check_text(needle, "pattern")
    text = normalize_newlines(needle).strip("\n")
    _check_arguments(text, min_similarity)
    search = _FuzzySearch(snapshot, text, min_similarity, limit, task)
    candidates = search.find_regions()
    ranked = _remove_overlaps(candidates.regions)
    # A line with several regions has the rank of the best.
    regions_by_line: dict[int, list[Fit]] = {}
    for region in ranked:
        if region.score >= min_similarity:
            line_start = snapshot.lines.line_start(region.start, task)
            regions_by_line.setdefault(line_start, []).append(region)
    best_lines = dict(list(regions_by_line.items())[:limit])
    scores = [regions[0].score for regions in regions_by_line.values()]
    other_scores = scores[limit:]
    if not other_scores:
        for region in ranked:
            if region.score < min_similarity:
                other_scores.append(region.score)
    return FileHits(
        hits=_build_hits(snapshot, best_lines, task),
        count=len(best_lines),
        reason=candidates.reason,
        runner_up=other_scores[0] if other_scores else None,
        tied=scores.count(scores[0]) if scores else 0,
    )


def _check_arguments(text: str, min_similarity: float) -> None:
    """Raise `invalid_input` for a needle that is too short, or a similarity out of range."""
    if len(text.strip()) < MIN_NEEDLE_CHARACTERS:
        message = (
            f"a fuzzy search needs at least {MIN_NEEDLE_CHARACTERS} characters; "
            f"{text.strip()!r} would match almost any line"
        )
        raise invalid(
            message,
            'use mode="literal", or give more of the text',
            argument="pattern",
        )
    if not 0 < min_similarity <= 1:
        message = f"min_similarity is a number above 0 and up to 1, not {min_similarity:g}"
        raise invalid(message, "0.8 is a good start", argument="min_similarity")


def _build_hits(
    snapshot: Snapshot, regions_by_line: dict[int, list[Fit]], task: Task
) -> tuple[Hit, ...]:
    """Return a hit for each line, in the order of the dictionary: the best first."""
    builder = HitBuilder(snapshot, task)
    hits = {}
    # Hits are built in the order of the file: a column is counted from the one before.
    for line_start in sorted(regions_by_line):
        regions = regions_by_line[line_start]
        spans = [(region.start, region.end) for region in regions]
        score = round(regions[0].score, 4)
        hits[line_start] = builder.build(line_start, spans, score)
    return tuple(hits[line_start] for line_start in regions_by_line)


@dataclass(frozen=True, slots=True)
class _Regions:
    """Aligned regions in no order, and why some may be missing."""

    regions: list[Fit]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _FuzzySearch:
    """The search for one needle in one snapshot."""

    snapshot: Snapshot
    needle: str
    min_similarity: float
    limit: int
    task: Task

    @property
    def max_finalists(self) -> int:
        """The number of places that are aligned: fewer for a long needle."""
        affordable = _MAX_ALIGNED_CHARACTERS // len(self.needle)
        return max(self.limit + 4, min(_MAX_FINALISTS, affordable))

    def find_regions(self) -> _Regions:
        """Return the regions, found by comparing the whole file or by pieces."""
        snapshot = self.snapshot
        size = snapshot.size - snapshot.start
        if size <= ALWAYS_SWEPT_BYTES:
            return _Regions(self._align(self._sweep()))
        regions: list[Fit] = []
        encoded = self.needle.encode(snapshot.encoding.name, "replace")
        pieces = {}
        if snapshot.encoding.unit_bytes == 1:
            pieces = choose_pieces(encoded, read_sample(snapshot), size)
        if pieces:
            occurrences = find_occurrences(snapshot, pieces, self.task)
            diagonals = vote_diagonals(
                occurrences, len(encoded), _MAX_DIAGONALS
            )
            # Room for inserted and deleted characters, and for changed indentation.
            margin = 24 + len(encoded) // 4 + 8 * self.needle.count("\n")
            regions = self._align(
                (
                    diagonal.start - margin,
                    diagonal.start + len(encoded) + margin,
                )
                for diagonal in diagonals
            )
        if any(region.score >= self.min_similarity for region in regions):
            return _Regions(regions)
        if size <= MAX_SWEPT_BYTES:
            return _Regions(regions + self._align(self._sweep()))
        where = "places that share a rare piece with the text were compared"
        if not pieces:
            regions = self._find_exact()
            where = (
                "exact matches were compared, since all its pieces are frequent"
            )
        reason = f"only {where}; the file is too large to compare all of it"
        return _Regions(regions, reason)

    def _find_exact(self) -> list[Fit]:
        """Return the exact occurrences of the needle."""
        # A needle may be longer than a pattern of a caller.
        pattern = compile_pattern(
            self.needle, case="sensitive", max_chars=1 << 30
        )
        file_hits = search_snapshot(
            self.snapshot, pattern, limit=self.limit, task=self.task
        )
        regions = []
        for hit in file_hits.hits:
            for start, end in hit.submatches:
                regions.append(Fit(start, end, 1.0))
        return regions

    def _sweep(self) -> list[Span]:
        """Return the most promising ranges of bytes of the whole file, the best first.

        A range of one and a half needles, with room for changed indentation, at every
        half needle holds any region whole. Ranges are ranked by their longest common
        subsequence with the needle, which ignores other text in the range. This takes
        about 10 ms a megabyte for a needle of one line.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import LCSseq

        snapshot, needle = self.snapshot, self.needle
        half = max(8, len(needle) // 2)
        length = 3 * half + len(needle) // 4 + 16
        # The negative number of common characters, the start and the end of each.
        best: list[tuple[int, int, int]] = []
        position = snapshot.start
        while position < snapshot.size:
            self.task.check()
            self.task.report(position, snapshot.size, "comparing")
            window = Window(
                snapshot, position, snapshot.size, WindowLimits(_BLOCK_BYTES)
            )
            text = window.characters
            starts = range(0, max(1, len(text) - half), half)
            min_common = max(2, len(needle) // 2)
            if len(best) == self.max_finalists:
                min_common = max(min_common, 1 - best[-1][0])
            ranked = process.extract(
                needle,
                [text[start : start + length] for start in starts],
                scorer=LCSseq.similarity,
                score_cutoff=min_common,
                limit=self.max_finalists,
            )
            # In the order of the file, in which a window converts offsets fastest.
            for index, common in sorted(
                (index, int(common)) for _, common, index in ranked
            ):
                start = starts[index]
                begin = window.character_offset(start)
                end = window.character_offset(start + length)
                best.append((-common, begin, end))
            best = sorted(best)[: self.max_finalists]
            if window.is_last:
                break
            # A region may begin in one window and end in the next.
            shared = window.character_offset(max(0, len(text) - length))
            position = shared if shared > position else window.stop
        return [(begin, end) for _, begin, end in best]

    def _align(self, spans: Iterable[Span]) -> list[Fit]:
        """Return the aligned regions in the most promising of some ranges of bytes."""
        from rapidfuzz import process
        from rapidfuzz.distance import LCSseq

        windows = self._open_windows(spans)
        self.task.check()
        folded_needle = fold_text(self.needle).text
        ranked = process.extract(
            folded_needle,
            [window.characters for window in windows],
            scorer=LCSseq.similarity,
            limit=self.max_finalists,
        )
        # Each edit costs at most one common character. With fewer than this no region
        # can be similar enough.
        max_edits = (
            (1 - self.min_similarity) / self.min_similarity * len(self.needle)
        )
        min_common = len(folded_needle) - max_edits - 4
        is_long = len(self.needle) > _LONG_NEEDLE_CHARACTERS
        # The best are aligned anyway, to name the similarity that was reached.
        always_aligned = 1 if is_long else 2
        regions = []
        for rank, (text, common, index) in enumerate(ranked):
            if common < min_common and rank >= always_aligned:
                break
            self.task.check()
            fit = find_best_fit(self.needle, text)
            if fit.start < fit.end:
                window = windows[index]
                start = window.character_offset(fit.start)
                end = window.character_offset(fit.end)
                regions.append(Fit(start, end, fit.score))
        return regions

    def _open_windows(self, spans: Iterable[Span]) -> list[Window]:
        """Return a window for each range of bytes, from a character's start on."""
        snapshot = self.snapshot
        windows = []
        for start, end in spans:
            low = character_start(snapshot, max(snapshot.start, start))
            high = min(snapshot.size, end)
            if low < high:
                limits = WindowLimits(high - low)
                windows.append(Window(snapshot, low, high, limits))
        return windows


def _remove_overlaps(regions: Iterable[Fit]) -> list[Fit]:
    """Return the regions by similarity, then position, without those that overlap better ones."""
    separate: list[Fit] = []
    for region in sorted(
        regions, key=lambda region: (-region.score, region.start, -region.end)
    ):
        if all(
            region.end <= other.start or region.start >= other.end
            for other in separate
        ):
            separate.append(region)
    return separate
