"""`fuzzy`: from a needle and a snapshot to ranked regions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.engine import Columns, hit_of, search_snapshot
from filewright.search.fuzzy.align import best_fit, folded
from filewright.search.fuzzy.pieces import choose, elected, occurrences, sample
from filewright.search.fuzzy.sweep import sweep
from filewright.search.hit import Found, Hit
from filewright.search.pattern import compile as compile_pattern
from filewright.search.window import Window, character_at, window
from filewright.text import BoundedCache, Snapshot, check_text, normalised

SWEEP_ALWAYS = 2 << 20
"""Files up to this size are compared whole: full recall."""

SWEEP_AT_MOST = 64 << 20
"""Files up to this size are compared whole if nothing survives the filter."""

SHORTEST = 4
_CANDIDATES = 160
_FINALISTS = 64
_ALWAYS_ALIGNED = 2
_LONG = 200  # characters; of longer needles only the best place is aligned whatever it looks like
_ALIGNED = 16_000  # characters of needles that are aligned exactly, some hundred milliseconds at most


class Grams:
    """What fuzzy searches prepare for files, by version and bounded by `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._samples: BoundedCache[bytes] = BoundedCache(limit)

    def sample(self, snapshot: Snapshot) -> bytes:
        """A sample of the file's bytes, kept for the file's identity."""
        if snapshot.identity is None:
            return sample(snapshot)
        known = self._samples.get(snapshot.identity)
        if known is None:
            known = sample(snapshot)
            self._samples.put(snapshot.identity, known, len(known) + 200)
        return known


@dataclass(frozen=True, slots=True)
class _SimilarRegion:
    score: float
    offset: int
    end: int


def fuzzy(
    snapshot: Snapshot,
    needle: str,
    *,
    min_similarity: float = 0.8,
    limit: int = 10,
    grams: Grams | None = None,
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
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"a fuzzy search needs at least {SHORTEST} characters; {text.strip()!r} would be like anything",
            hint='use mode="literal", or give more of the text',
            details={"argument": "pattern"},
        )
    if not 0 < min_similarity <= 1:
        raise FilewrightError(
            Code.INVALID_INPUT,
            f"min_similarity is a number above 0 and up to 1, not {min_similarity:g}",
            hint="0.8 is a good start",
            details={"argument": "min_similarity"},
        )
    regions, reason = _regions(snapshot, text, min_similarity, limit, grams, checked)
    ranked = _apart(regions)
    columns = Columns(snapshot, checked)
    places = [
        (snapshot.lines.begin(region.offset, checked), region)
        for region in ranked
        if region.score >= min_similarity
    ]
    first: dict[int, _SimilarRegion] = {}
    for begin, region in places:
        first.setdefault(begin, region)  # of two places in one line the more similar one counts
    passed = list(first.values())
    kept = passed[:limit]
    shown: dict[_SimilarRegion, Hit] = {}
    for begin, region in sorted(first.items()):
        if region in kept:
            spans = [(other.offset, other.end) for at, other in places if at == begin]
            shown[region] = hit_of(columns, begin, spans, checked, round(region.score, 4))
    rest = passed[limit:] or [region for region in ranked if region.score < min_similarity]
    return Found(
        hits=tuple(shown[region] for region in kept),
        complete=not reason,
        count=len(kept),
        reason=reason,
        runner_up=rest[0].score if rest else None,
        tied=sum(1 for region in passed if region.score == passed[0].score) if passed else 0,
    )


def _regions(
    snapshot: Snapshot, needle: str, least: float, limit: int, grams: Grams | None, task: Task
) -> tuple[list[_SimilarRegion], str]:
    """Aligned regions in no order, and why some may be missing."""
    size = snapshot.size - snapshot.start
    finalists = max(limit + 4, min(_FINALISTS, _ALIGNED // len(needle)))
    if size <= SWEEP_ALWAYS:
        return _swept(snapshot, needle, least, finalists, task), ""
    regions: list[_SimilarRegion] = []
    drawn = grams.sample(snapshot) if grams is not None else sample(snapshot)
    encoded = (
        needle.encode("utf-8")
        if snapshot.encoding.is_utf8
        else needle.encode(snapshot.encoding.name, "replace")
    )
    pieces = choose(encoded, drawn, size) if snapshot.encoding.width == 1 else []
    if pieces:
        places = elected(occurrences(snapshot, pieces, task), len(encoded), _CANDIDATES)
        room = 24 + len(encoded) // 4 + 8 * needle.count("\n")
        spans = [(begin - room, begin + len(encoded) + room) for _, begin in places]
        regions += _settled(snapshot, needle, least, spans, finalists, task)
    if any(region.score >= least for region in regions):
        return regions, ""
    if size <= SWEEP_AT_MOST:
        return regions + _swept(snapshot, needle, least, finalists, task), ""
    if pieces:
        why = "places that share a rare piece with it were looked at"
    else:
        exact = compile_pattern(needle, case="sensitive", max_chars=1 << 30)
        found = search_snapshot(snapshot, exact, limit=limit, task=task)
        regions += [_SimilarRegion(1.0, a, b) for hit in found.hits for a, b in hit.submatches]
        why = "exact places were looked at, since no piece of it is rare"
    return regions, f"only {why}; the file is too large to compare all of it"


def _swept(snapshot: Snapshot, needle: str, least: float, finalists: int, task: Task) -> list[_SimilarRegion]:
    # As in `_settled`, before whitespace and quotes are folded: they may not be common although they count as alike.
    folding = sum(1 for character in needle if not character.isalnum())
    enough = len(needle) - folding - (1 - least) / least * len(needle) - 4
    spans = [
        (begin, end)
        for place, (common, begin, end) in enumerate(sweep(snapshot, needle, finalists, task))
        if common >= enough or place < _ALWAYS_ALIGNED
    ]
    return _settled(snapshot, needle, least, spans, finalists, task)


def _settled(
    snapshot: Snapshot,
    needle: str,
    least: float,
    spans: list[tuple[int, int]],
    finalists: int,
    task: Task,
) -> list[_SimilarRegion]:
    """The exact regions in the `finalists` most promising of some stretches of bytes."""
    from rapidfuzz import process
    from rapidfuzz.distance import LCSseq

    views: list[tuple[Window, str]] = []
    for low, high in spans:
        low = character_at(snapshot, max(snapshot.start, low))
        high = min(snapshot.size, high)
        if low < high:
            view = window(snapshot, low, high, length=high - low, longest=high - low)
            views.append((view, view.text[view.begin :].decode("utf-8", "surrogateescape")))
    task.check()
    plain, _ = folded(needle)
    ranked = process.extract(plain, [text for _, text in views], scorer=LCSseq.similarity, limit=finalists)
    # Each edit costs at most one common character, so with fewer than this no region can be similar enough.
    enough = len(plain) - (1 - least) / least * len(needle) - 4
    found = []
    for place, (_, common, number) in enumerate(ranked):
        if common < enough and place >= (1 if len(needle) > _LONG else _ALWAYS_ALIGNED):
            break
        task.check()
        region = _fitted(needle, *views[number])
        if region is not None:
            found.append(region)
    return found


def _fitted(needle: str, view: Window, text: str) -> _SimilarRegion | None:
    fit = best_fit(needle, text)
    if fit.end <= fit.start:
        return None
    start = view.begin + len(text[: fit.start].encode("utf-8", "surrogateescape"))
    stop = start + len(text[fit.start : fit.end].encode("utf-8", "surrogateescape"))
    return _SimilarRegion(fit.score, view.raw_at(start), view.raw_at(stop))


def _apart(regions: Iterable[_SimilarRegion]) -> list[_SimilarRegion]:
    """The regions by similarity, then position, less those that overlap a better one."""
    kept: list[_SimilarRegion] = []
    for region in sorted(regions, key=lambda r: (-r.score, r.offset, -r.end)):
        if all(region.end <= other.offset or region.offset >= other.end for other in kept):
            kept.append(region)
    return kept
