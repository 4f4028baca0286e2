"""`fuzzy`: from a needle and a snapshot to ranked regions."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import NamedTuple

from filewright.errors import invalid
from filewright.progress import Task
from filewright.search.engine import Hits, search_snapshot
from filewright.search.fuzzy.align import best_fit, folded
from filewright.search.fuzzy.pieces import choose, elected, occurrences, sample
from filewright.search.hit import Found
from filewright.search.pattern import compile as compile_pattern
from filewright.search.window import Window, character_at, window
from filewright.text import Snapshot, check_text, normalised

SWEEP_ALWAYS = 2 << 20
"""Files up to this size are compared whole: full recall."""

SWEEP_AT_MOST = 64 << 20
"""Files up to this size are compared whole if nothing survives the filter."""

SHORTEST = 4
_BLOCK = 256 << 10
_CANDIDATES = 160
_FINALISTS = 64
_ALWAYS_ALIGNED = 2
_LONG = 200  # characters; of longer needles only the best place is aligned whatever it looks like
_ALIGNED = 16_000  # characters of needles that are aligned exactly, some hundred milliseconds at most


class _Region(NamedTuple):
    score: float
    offset: int
    end: int


def fuzzy(
    snapshot: Snapshot,
    needle: str,
    *,
    min_similarity: float = 0.8,
    limit: int = 10,
    task: Task | None = None,
) -> Found:
    """The regions at least `min_similarity` (0 to 1) like `needle`, best first, at most `limit`.

    Similarity is of the needle against the region it matches, not against whole lines; case and typos
    are edits, whitespace and the form of quotes hardly count. `complete` is False, with a `reason`, where
    a region might have been missed; `runner_up` is the similarity of the best region left out, and
    `tied` how many share the best similarity. Raises `invalid_input` for a needle of fewer than 4
    characters or a lone surrogate; `cancelled`, `timeout`, `io_error`.
    """
    checked = task or Task()
    check_text(needle, "pattern")
    text = normalised(needle).strip("\n")
    if len(text.strip()) < SHORTEST:
        message = (
            f"a fuzzy search needs at least {SHORTEST} characters; {text.strip()!r} would be like anything"
        )
        raise invalid(message, 'use mode="literal", or give more of the text', argument="pattern")
    if not 0 < min_similarity <= 1:
        message = f"min_similarity is a number above 0 and up to 1, not {min_similarity:g}"
        raise invalid(message, "0.8 is a good start", argument="min_similarity")
    regions, reason = _regions(snapshot, text, min_similarity, limit, checked)
    ranked = _apart(regions)
    lines: dict[
        int, list[_Region]
    ] = {}  # by where they begin: of two places in one the more similar one counts
    for region in ranked:
        if region.score >= min_similarity:
            lines.setdefault(snapshot.lines.begin(region.offset, checked), []).append(region)
    kept = list(lines)[:limit]
    hits, shown = Hits(snapshot, checked), {}
    for begin in sorted(kept):
        spans = [(region.offset, region.end) for region in lines[begin]]
        shown[begin] = hits.at(begin, spans, round(lines[begin][0].score, 4))
    scores = [places[0].score for places in lines.values()]
    rest = scores[limit:] or [region.score for region in ranked if region.score < min_similarity]
    return Found(
        hits=tuple(shown[begin] for begin in kept),
        complete=not reason,
        count=len(kept),
        reason=reason,
        runner_up=rest[0] if rest else None,
        tied=scores.count(scores[0]) if scores else 0,
    )


def _regions(
    snapshot: Snapshot, needle: str, least: float, limit: int, task: Task
) -> tuple[list[_Region], str]:
    """Aligned regions in no order, and why some may be missing."""
    size = snapshot.size - snapshot.start
    finalists = max(limit + 4, min(_FINALISTS, _ALIGNED // len(needle)))

    def aligned(spans: Iterable[tuple[int, int]]) -> list[_Region]:
        return _aligned(snapshot, needle, least, spans, finalists, task)

    if size <= SWEEP_ALWAYS:
        return aligned(_swept(snapshot, needle, finalists, task)), ""
    regions: list[_Region] = []
    encoded = needle.encode(snapshot.encoding.name, "replace")
    pieces = choose(encoded, sample(snapshot), size) if snapshot.encoding.width == 1 else []
    if pieces:
        places = elected(occurrences(snapshot, pieces, task), len(encoded), _CANDIDATES)
        room = 24 + len(encoded) // 4 + 8 * needle.count("\n")
        regions = aligned((begin - room, begin + len(encoded) + room) for _, begin in places)
    if any(region.score >= least for region in regions):
        return regions, ""
    if size <= SWEEP_AT_MOST:
        return regions + aligned(_swept(snapshot, needle, finalists, task)), ""
    why = "places that share a rare piece with it were looked at"
    if not pieces:
        exact = compile_pattern(needle, case="sensitive", max_chars=1 << 30)
        found = search_snapshot(snapshot, exact, limit=limit, task=task)
        regions = [_Region(1.0, *span) for hit in found.hits for span in hit.submatches]
        why = "exact places were looked at, since no piece of it is rare"
    return regions, f"only {why}; the file is too large to compare all of it"


def _swept(snapshot: Snapshot, needle: str, keep: int, task: Task) -> list[tuple[int, int]]:
    """The `keep` most promising stretches of bytes of the whole file, the best first.

    A window of one and a half needles (and room for changed indentation) at every half needle holds any region
    whole; the longest common subsequence does not mind what else it holds. C speed, about 10 ms a megabyte for a
    line.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import LCSseq

    half = max(8, len(needle) // 2)
    span = 3 * half + len(needle) // 4 + 16
    best: list[tuple[int, int, int]] = []
    position = snapshot.start
    while position < snapshot.size:
        task.check()
        task.report(position, snapshot.size, "comparing")
        view = window(snapshot, position, snapshot.size, length=_BLOCK, longest=_BLOCK)
        text = view.text[view.begin :].decode("utf-8", "surrogateescape")
        begins = range(0, max(1, len(text) - half), half)
        found = process.extract(
            needle,
            [text[begin : begin + span] for begin in begins],
            scorer=LCSseq.similarity,
            score_cutoff=max(2, len(needle) // 2, best[0][0] if len(best) == keep else 0),
            limit=keep,
        )
        places = {begins[number]: int(common) for _, common, number in found}
        overlap = max(
            0, len(text) - span
        )  # the end of a window and the beginning of the next may share a region
        character, at = 0, view.begin
        offsets = {}
        for place in sorted({overlap, *places, *(begin + span for begin in places)}):
            at += len(text[character:place].encode("utf-8", "surrogateescape"))
            character, offsets[place] = place, view.raw_at(at)
        for begin, common in sorted(places.items()):
            if len(best) < keep or common > best[0][0]:
                heapq.heappush(best, (common, offsets[begin], offsets[begin + span]))
                if len(best) > keep:
                    heapq.heappop(best)
        if view.last:
            break
        position = offsets[overlap] if offsets[overlap] > position else view.stop
    return [(begin, end) for _, begin, end in sorted(best, key=lambda entry: (-entry[0], entry[1]))]


def _aligned(
    snapshot: Snapshot,
    needle: str,
    least: float,
    spans: Iterable[tuple[int, int]],
    finalists: int,
    task: Task,
) -> list[_Region]:
    """The exact regions in the `finalists` most promising of some stretches of bytes."""
    from rapidfuzz import process
    from rapidfuzz.distance import LCSseq

    views: list[tuple[Window, str]] = []
    for low, high in spans:
        low, high = character_at(snapshot, max(snapshot.start, low)), min(snapshot.size, high)
        if low < high:
            view = window(snapshot, low, high, length=high - low, longest=high - low)
            views.append((view, view.text[view.begin :].decode("utf-8", "surrogateescape")))
    task.check()
    plain, _ = folded(needle)
    ranked = process.extract(plain, [text for _, text in views], scorer=LCSseq.similarity, limit=finalists)
    # Each edit costs at most one common character, so with fewer than this no region can be similar enough.
    enough = len(plain) - (1 - least) / least * len(needle) - 4
    found = []
    for place, (text, common, number) in enumerate(ranked):
        if common < enough and place >= (1 if len(needle) > _LONG else _ALWAYS_ALIGNED):
            break
        task.check()
        fit = best_fit(needle, text)
        if fit.start < fit.end:
            view, _ = views[number]
            ends = [len(text[:end].encode("utf-8", "surrogateescape")) for end in (fit.start, fit.end)]
            found.append(_Region(fit.score, *(view.raw_at(view.begin + end) for end in ends)))
    return found


def _apart(regions: Iterable[_Region]) -> list[_Region]:
    """The regions by similarity, then position, less those that overlap a better one."""
    kept: list[_Region] = []
    for region in sorted(regions, key=lambda r: (-r.score, r.offset, -r.end)):
        if all(region.end <= other.offset or region.offset >= other.end for other in kept):
            kept.append(region)
    return kept
