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

import heapq
import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from filewright.errors import invalid
from filewright.progress import Task
from filewright.search.engine import Found, Hits, search_snapshot
from filewright.search.pattern import compile as compile_pattern
from filewright.search.pattern import compiled, escaped
from filewright.search.window import (
    AHEAD_BYTES,
    UNENDING,
    Ahead,
    Window,
    character_at,
)
from filewright.text.codec import check_text, normalize_newlines
from filewright.text.snapshot import Snapshot
from filewright.text.spelling import PLAIN_CHARACTERS

_RUNS = re.compile(r"\s+|\S+")
_ALIKE = str.maketrans(
    {**PLAIN_CHARACTERS, **dict.fromkeys("`´", "'"), **dict.fromkeys("«»", '"')}
)

_FOLD_COST = 0.01
"""What a difference only in whitespace or the form of quotes costs."""

_GOOD = 0.96
"""From this similarity on, making whitespace and quotes alike would change little."""


class Fit(NamedTuple):
    """A place like the needle: characters [start, end) of a text, or bytes of a file; and its similarity, 0 to 1."""

    start: int
    end: int
    score: float


def best_fit(needle: str, text: str) -> Fit:
    """Where `needle` fits best inside `text`.

    Similarity is 1 - distance / length of the longer of needle and region; a region that differs only
    in whitespace, quotes and dashes is compared with these made alike and loses a hundredth.
    """
    start, end, distance = infix(needle, text)
    fit = Fit(start, end, _similarity(len(needle), end - start, distance))
    if fit.score >= _GOOD:
        return fit
    plain, _ = folded(needle)
    shown, places = folded(text)
    if plain == needle and shown == text:
        return fit
    start, end, distance = infix(plain, shown)
    score = _similarity(len(plain), end - start, distance) - _FOLD_COST
    if score <= fit.score or end <= start:
        return fit
    begin = places[start]
    # The needle's own indentation was dropped to compare; as much of the text's belongs to the region.
    for _ in range(len(needle) - len(needle.lstrip(" \t"))):
        if begin == 0 or text[begin - 1] not in " \t":
            break
        begin -= 1
    return Fit(begin, places[end - 1] + 1, score)


def _similarity(length: int, found: int, distance: int) -> float:
    return 1.0 - distance / max(length, found, 1)


def folded(text: str) -> tuple[str, list[int]]:
    """`text` with runs of whitespace as one space, plain quotes and dashes, and where each character was.

    Whitespace at the very beginning and end are dropped.
    """
    plain = text.translate(_ALIKE)
    parts: list[str] = []
    places: list[int] = []
    begin = len(plain) - len(plain.lstrip())
    for run in _RUNS.finditer(plain, begin, max(begin, len(plain.rstrip()))):
        blank = run[0].isspace()
        parts.append(" " if blank else run[0])
        places.extend((run.start(),) if blank else range(*run.span()))
    return "".join(parts), places


def infix(needle: str, text: str) -> tuple[int, int, int]:
    """(start, end, distance) of the region of `text` nearest to `needle`, the first of equals.

    Of regions that differ by a character at an end it is the longer one: a changed character is in.
    """
    ends = _distances(needle, text, anchored=False)
    distance = min(ends)
    end = ends.index(distance)
    while end + 1 < len(ends) and ends[end + 1] == distance:
        end += 1
    before = text[max(0, end - len(needle) - distance) : end]
    starts = _distances(needle[::-1], before[::-1], anchored=True)
    nearest = min(starts)
    length = len(starts) - 1 - starts[::-1].index(nearest)
    return end - length, end, distance


def _distances(needle: str, text: str, *, anchored: bool) -> list[int]:
    """The distance of `needle` to the best region that ends after each number of characters of `text`.

    `anchored`: of the one region that begins at the beginning.
    """
    masks: dict[str, int] = {}
    for place, c in enumerate(needle):
        masks[c] = masks.get(c, 0) | 1 << place
    length = len(needle)
    full = (1 << length) - 1
    top = 1 << (length - 1)
    up, down = full, 0
    score = length
    scores = [score]
    step = 1 if anchored else 0
    for c in text:
        mask = masks.get(c, 0)
        vertical = mask | down
        mask |= down
        diagonal = (((mask & up) + up) ^ up) | mask
        plus = down | ~(diagonal | up) & full
        minus = up & diagonal
        if plus & top:
            score += 1
        elif minus & top:
            score -= 1
        plus = (plus << 1 | step) & full
        minus = minus << 1 & full
        up = minus | ~(vertical | plus) & full
        down = plus & vertical
        scores.append(score)
    return scores


_LENGTH = 8
_SHORTEST = 4
_MOST = 24
_PIECE_PLACES = 80
_WINDOWS = 32
_WINDOW = 8 << 10
_PIECE_BLOCK = 512 << 10
_EXPECTED = 200_000
"""Hits of all pieces together that are worth having, in the whole file."""

_BEARABLE = 2_000_000
_ACTIVE = 1000


def sample(snapshot: Snapshot) -> bytes:
    """Up to 256 KB of the file from places spread over it, for guessing how rare something is."""
    size = snapshot.size - snapshot.start
    if size <= _WINDOWS * _WINDOW:
        return snapshot.read(snapshot.start, size)
    step = (size - _WINDOW) // (_WINDOWS - 1)
    parts = [
        snapshot.read(snapshot.start + k * step, _WINDOW)
        for k in range(_WINDOWS)
    ]
    return b"\n".join(parts)


Pieces = dict[bytes, list[int]]
"""Short pieces to look for exactly, all of one length, and where in the needle each is (bytes from its beginning)."""


def choose(needle: bytes, drawn: bytes, size: int) -> Pieces:
    """The pieces to look for in a file of `size` bytes of which `drawn` is a sample; may be none."""
    length = (
        _LENGTH
        if len(needle) >= 6 * _LENGTH
        else max(_SHORTEST, min(_LENGTH - 2, len(needle) // 3))
    )
    candidates = _candidates(needle, length)
    scale = max(1.0, size / max(1, len(drawn)))
    # Of equally rare ones an engine finds those sooner whose first bytes are rare.
    part = drawn[: len(drawn) // 4]
    ranked = sorted(
        (
            drawn.count(needle[at : at + length]) * scale,
            part.count(needle[at : at + 3]),
            at,
        )
        for at in candidates
    )
    chosen: Pieces = {}
    taken: list[int] = []
    expected = 0.0
    # First pieces that no single edit spoils together, then others between them while they are rare.
    for apart in (True, False):
        for hits, _, at in ranked:
            if at in taken or (
                apart and any(abs(at - other) < length for other in taken)
            ):
                continue
            if (
                len(taken) >= _MOST
                or hits > _BEARABLE
                or (expected + hits > _EXPECTED and len(taken) >= 2)
            ):
                break
            expected += hits
            taken.append(at)
            chosen.setdefault(needle[at : at + length], []).append(at)
    return chosen


def _candidates(needle: bytes, length: int) -> list[int]:
    """Offsets of possible pieces: on characters, inside lines, and not all of one character."""
    step = max(1, length // 4, len(needle) // _PIECE_PLACES)
    found = []
    for at in range(0, len(needle) - length + 1, step):
        data = needle[at : at + length]
        on_characters = (
            data[0] & 0xC0 != 0x80
            and (needle[at + length : at + length + 1] or b"a")[0] & 0xC0
            != 0x80
        )
        if (
            on_characters
            and b"\n" not in data
            and len(set(data)) > 2
            and data.strip()
            and b"  " not in data
        ):
            found.append(at)
    return found


def occurrences(
    snapshot: Snapshot, pieces: Pieces, task: Task
) -> Iterator[tuple[int, int, int]]:
    """(offset, place in the needle, number) of each occurrence of a piece, by rising offset.

    Of pieces that overlap each other one may be passed over.
    """
    import re2

    numbers = {piece: number for number, piece in enumerate(pieces)}
    position = snapshot.start
    forms = [*map(escaped, pieces)] if snapshot.size >= AHEAD_BYTES else []
    with Ahead(snapshot, forms, task, "-N", "-o") as child:
        for row in child.rows():
            offset, _, piece = row.partition(b":")
            position = snapshot.start + int(offset) + len(piece)
            for place in pieces[piece]:
                yield position - len(piece), place, numbers[piece]
        if child.whole:
            return
    # What the child did not get to is looked at here.
    regexp = compiled(b"|".join(map(re2.escape, pieces)), latin1=True)
    overlap = max(map(len, pieces)) - 1
    resume = position
    while position < snapshot.size:
        task.check()
        block = snapshot.read(position, _PIECE_BLOCK)
        block = block[: block.rfind(b"\n") + 1] or block
        for match in regexp.finditer(block, max(0, resume - position)):
            resume = position + match.end()
            piece = match.group()
            for place in pieces[piece]:
                yield position + match.start(), place, numbers[piece]
        whole = block.endswith(b"\n") or position + len(block) >= snapshot.size
        # No piece holds a line break; of a line longer than a block the end is looked at again.
        position += len(block) if whole else max(1, len(block) - overlap)


def elected(
    votes: Iterable[tuple[int, int, int]], length: int, keep: int
) -> list[tuple[int, int]]:
    """The `keep` best places: (votes, estimated beginning), from (offset, place, piece) in rising offset.

    A piece found at `offset` that is at `place` in the needle says that the needle begins at `offset - place`: a
    vote for that diagonal. Edits shift diagonals a little, so votes are gathered in buckets; a place's votes are
    the different pieces of its bucket and the next. Memory is bounded by `keep` and by what lies within one
    needle's `length`.
    """
    width = max(16, length // 8)
    active: dict[
        int, tuple[int, int]
    ] = {}  # by bucket: its pieces as bits, and its lowest diagonal

    def settled(stop: float) -> Iterator[tuple[int, int]]:
        """The buckets before `stop`, which get no more votes, counted."""
        for key in sorted(key for key in active if key < stop):
            bits, lowest = active.pop(key)
            following, _ = active.get(key + 1, (0, 0))
            yield (bits | following).bit_count(), -lowest

    def counted() -> Iterator[tuple[int, int]]:
        for offset, place, piece in votes:
            key = (offset - place) // width
            bits, lowest = active.get(key, (0, offset - place))
            active[key] = (bits | 1 << piece, min(lowest, offset - place))
            if len(active) > _ACTIVE:
                yield from settled((offset - 2 * length) // width - 1)
        yield from settled(float("inf"))

    return [
        (count, -negative)
        for count, negative in heapq.nlargest(keep, counted())
    ]


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


def fuzzy(
    snapshot: Snapshot,
    needle: str,
    *,
    min_similarity: float = 0.8,
    limit: int = 10,
    task: Task = UNENDING,
) -> Found:
    """The regions at least `min_similarity` (0 to 1) like `needle`, best first, at most `limit`.

    Similarity is of the needle against the region it matches, not against whole lines; case and typos
    are edits, whitespace and the form of quotes hardly count. `complete` is False, with a `reason`, where
    a region might have been missed; `runner_up` is the similarity of the best region left out, and
    `tied` how many share the best similarity. Raises `invalid_input` for a needle of fewer than 4
    characters or a lone surrogate; `cancelled`, `timeout`, `io_error`.
    """
    check_text(needle, "pattern")
    text = normalize_newlines(needle).strip("\n")
    if len(text.strip()) < SHORTEST:
        message = f"a fuzzy search needs at least {SHORTEST} characters; {text.strip()!r} would match almost any line"
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
    hits, shown = Hits(snapshot, task), {}
    for begin in sorted(kept):
        spans = [(region.start, region.end) for region in lines[begin]]
        shown[begin] = hits.at(begin, spans, round(lines[begin][0].score, 4))
    scores = [places[0].score for places in lines.values()]
    rest = scores[limit:] or [
        region.score for region in ranked if region.score < min_similarity
    ]
    return Found(
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
    if size <= SWEEP_ALWAYS:
        return aligned(_swept(snapshot, needle, finalists, task)), ""
    regions: list[Fit] = []
    encoded = needle.encode(snapshot.encoding.name, "replace")
    pieces = (
        choose(encoded, sample(snapshot), size)
        if snapshot.encoding.unit_bytes == 1
        else {}
    )
    if pieces:
        places = elected(
            occurrences(snapshot, pieces, task), len(encoded), _CANDIDATES
        )
        room = 24 + len(encoded) // 4 + 8 * needle.count("\n")
        regions = aligned(
            (begin - room, begin + len(encoded) + room) for _, begin in places
        )
    if any(region.score >= least for region in regions):
        return regions, ""
    if size <= SWEEP_AT_MOST:
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
                (-common, view.raw_of(place), view.raw_of(place + span))
            )
        best = sorted(best)[:keep]
        if view.last:
            break
        # The end of a window and the beginning of the next may share a region.
        shared = view.raw_of(max(0, len(text) - span))
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
            character_at(snapshot, max(snapshot.start, low)),
            min(snapshot.size, high),
        )
        if low < high:
            views.append(Window(snapshot, low, high, high - low))
    task.check()
    plain, _ = folded(needle)
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
        fit = best_fit(needle, text)
        if fit.start < fit.end:
            view = views[number]
            found.append(
                Fit(view.raw_of(fit.start), view.raw_of(fit.end), fit.score)
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
