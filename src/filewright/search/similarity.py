"""Where a text, one line or many, most likely is, allowing typos, whitespace, quotes and a changed word.

`fuzzy` answers with regions ranked by similarity. The method: a file of up to 2 MB is compared
window by window; in a larger one the needle's rarest short pieces are looked for exactly
(`occurrences`, by `rg` or RE2), the places where several are as in the needle are elected, and
the best are aligned exactly (`best_fit`). If nothing survives, the file is swept up to a size, else the
answer says that it was not.

An edit spoils one piece and no other, so where the needle occurs with a few edits, most of its pieces stand
unharmed; where it does not, rare pieces hardly ever stand together. Aligning is Myers' bit-parallel distance,
once each way: G. Myers, "A fast bit-vector algorithm for approximate string matching based on dynamic
programming", J. ACM 46(3), 1999, in the form of H. Hyyrö (2003). Python's integers are the bit vectors, so a
needle of any length is one column; a text of a few hundred characters takes well under a millisecond.

Never returns a region below the similarity asked for, and never reads more of the file at once than a window.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from filewright.errors import invalid
from filewright.progress import Task
from filewright.search.alignment import Fit, find_best_fit, fold_text
from filewright.search.hits import FileHits, HitBuilder, search_snapshot
from filewright.search.pattern import compile_pattern
from filewright.search.pieces import (
    choose_pieces,
    find_occurrences,
    read_sample,
    vote_diagonals,
)
from filewright.search.window import NO_TIMEOUT, Window, character_start
from filewright.text.codec import check_text, normalize_newlines
from filewright.text.snapshot import Snapshot

ALWAYS_SWEPT_BYTES = 2 << 20
"""Files up to this size are compared whole: full recall."""

MAX_SWEPT_BYTES = 64 << 20
"""Files up to this size are compared whole if nothing survives the filter."""

MIN_NEEDLE_CHARACTERS = 4
_BLOCK = 256 << 10
_CANDIDATES = 160
_FINALISTS = 64
_ALWAYS_ALIGNED = 2
_LONG = 200  # characters; of longer needles only the best place is aligned whatever it looks like
_ALIGNED = 16_000  # characters of needles that are aligned exactly, some hundred milliseconds at most


def search_fuzzy(
    snapshot: Snapshot,
    needle: str,
    *,
    min_similarity: float = 0.8,
    limit: int = 10,
    task: Task = NO_TIMEOUT,
) -> FileHits:
    """The regions at least `min_similarity` (0 to 1) like `needle`, best first, at most `limit`.

    Similarity is of the needle against the region it matches, not against whole lines; case and typos
    are edits, whitespace and the form of quotes hardly count. `complete` is False, with a `reason`, where
    a region might have been missed; `runner_up` is the similarity of the best region left out, and
    `tied` how many share the best similarity. Raises `invalid_input` for a needle of fewer than 4
    characters or a lone surrogate; `cancelled`, `timeout`, `io_error`.
    """
    check_text(needle, "pattern")
    text = normalize_newlines(needle).strip("\n")
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
    regions, reason = _regions(snapshot, text, min_similarity, limit, task)
    ranked = _apart(regions)
    lines: dict[
        int, list[Fit]
    ] = {}  # by where they begin: of two places in one the more similar one counts
    for region in ranked:
        if region.score >= min_similarity:
            lines.setdefault(
                snapshot.lines.line_start(region.start, task), []
            ).append(region)
    kept = list(lines)[:limit]
    hits, shown = HitBuilder(snapshot, task), {}
    for begin in sorted(kept):
        spans = [(region.start, region.end) for region in lines[begin]]
        shown[begin] = hits.build(begin, spans, round(lines[begin][0].score, 4))
    scores = [places[0].score for places in lines.values()]
    rest = scores[limit:] or [
        region.score for region in ranked if region.score < min_similarity
    ]
    return FileHits(
        hits=tuple(shown[begin] for begin in kept),
        count=len(kept),
        reason=reason,
        runner_up=rest[0] if rest else None,
        tied=scores.count(scores[0]) if scores else 0,
    )


def _regions(
    snapshot: Snapshot, needle: str, least: float, limit: int, task: Task
) -> tuple[list[Fit], str]:
    """Aligned regions in no order, and why some may be missing."""
    size = snapshot.size - snapshot.start
    finalists = max(limit + 4, min(_FINALISTS, _ALIGNED // len(needle)))
    aligned = partial(_aligned, snapshot, needle, least, finalists, task)
    if size <= ALWAYS_SWEPT_BYTES:
        return aligned(_swept(snapshot, needle, finalists, task)), ""
    regions: list[Fit] = []
    encoded = needle.encode(snapshot.encoding.name, "replace")
    pieces = (
        choose_pieces(encoded, read_sample(snapshot), size)
        if snapshot.encoding.unit_bytes == 1
        else {}
    )
    if pieces:
        places = vote_diagonals(
            find_occurrences(snapshot, pieces, task), len(encoded), _CANDIDATES
        )
        room = 24 + len(encoded) // 4 + 8 * needle.count("\n")
        regions = aligned(
            (begin - room, begin + len(encoded) + room) for _, begin in places
        )
    if any(region.score >= least for region in regions):
        return regions, ""
    if size <= MAX_SWEPT_BYTES:
        return regions + aligned(_swept(snapshot, needle, finalists, task)), ""
    why = "places that share a rare piece with it were looked at"
    if not pieces:
        exact = compile_pattern(needle, case="sensitive", max_chars=1 << 30)
        found = search_snapshot(snapshot, exact, limit=limit, task=task)
        regions = [
            Fit(*span, 1.0) for hit in found.hits for span in hit.submatches
        ]
        why = "exact places were looked at, since no piece of it is rare"
    return regions, f"only {why}; the file is too large to compare all of it"


def _swept(
    snapshot: Snapshot, needle: str, keep: int, task: Task
) -> list[tuple[int, int]]:
    """The `keep` most promising stretches of bytes of the whole file, the best first.

    A window of one and a half needles (and room for changed indentation) at every half needle holds any region
    whole; the longest common subsequence does not mind what else it holds. C speed, about 10 ms a megabyte for a
    line.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import LCSseq

    half = max(8, len(needle) // 2)
    span = 3 * half + len(needle) // 4 + 16
    best: list[
        tuple[int, int, int]
    ] = []  # by what each has in common with the needle, negative
    position = snapshot.start
    while position < snapshot.size:
        task.check()
        task.report(position, snapshot.size, "comparing")
        view = Window(snapshot, position, snapshot.size, _BLOCK)
        text = view.characters
        begins = range(0, max(1, len(text) - half), half)
        found = process.extract(
            needle,
            [text[begin : begin + span] for begin in begins],
            scorer=LCSseq.similarity,
            score_cutoff=max(
                2, len(needle) // 2, 1 - best[-1][0] if len(best) == keep else 0
            ),
            limit=keep,
        )
        for number, common in sorted(
            (number, int(common)) for _, common, number in found
        ):
            place = begins[number]
            best.append(
                (
                    -common,
                    view.character_offset(place),
                    view.character_offset(place + span),
                )
            )
        best = sorted(best)[:keep]
        if view.last:
            break
        # The end of a window and the beginning of the next may share a region.
        shared = view.character_offset(max(0, len(text) - span))
        position = shared if shared > position else view.stop
    return [(begin, end) for _, begin, end in best]


def _aligned(
    snapshot: Snapshot,
    needle: str,
    least: float,
    finalists: int,
    task: Task,
    spans: Iterable[tuple[int, int]],
) -> list[Fit]:
    """The exact regions in the `finalists` most promising of some stretches of bytes."""
    from rapidfuzz import process
    from rapidfuzz.distance import LCSseq

    views: list[Window] = []
    for low, high in spans:
        low, high = (
            character_start(snapshot, max(snapshot.start, low)),
            min(snapshot.size, high),
        )
        if low < high:
            views.append(Window(snapshot, low, high, high - low))
    task.check()
    plain, _ = fold_text(needle)
    texts = [view.characters for view in views]
    ranked = process.extract(
        plain, texts, scorer=LCSseq.similarity, limit=finalists
    )
    # Each edit costs at most one common character, so with fewer than this no region can be similar enough.
    enough = len(plain) - (1 - least) / least * len(needle) - 4
    found = []
    for place, (text, common, number) in enumerate(ranked):
        if common < enough and place >= (
            1 if len(needle) > _LONG else _ALWAYS_ALIGNED
        ):
            break
        task.check()
        fit = find_best_fit(needle, text)
        if fit.start < fit.end:
            view = views[number]
            found.append(
                Fit(
                    view.character_offset(fit.start),
                    view.character_offset(fit.end),
                    fit.score,
                )
            )
    return found


def _apart(regions: Iterable[Fit]) -> list[Fit]:
    """The regions by similarity, then position, less those that overlap a better one."""
    kept: list[Fit] = []
    for region in sorted(regions, key=lambda r: (-r.score, r.start, -r.end)):
        if all(
            region.end <= other.start or region.start >= other.end
            for other in kept
        ):
            kept.append(region)
    return kept
