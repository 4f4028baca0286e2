"""pieces."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from filewright.progress import Task
from filewright.search.characters import escape_bytes
from filewright.search.prefilter import MIN_PREFILTER_BYTES, RgPrefilter
from filewright.search.regex_engine import compile_re2
from filewright.text.snapshot import Snapshot

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


def read_sample(snapshot: Snapshot) -> bytes:
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


def choose_pieces(needle: bytes, drawn: bytes, size: int) -> Pieces:
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


def find_occurrences(
    snapshot: Snapshot, pieces: Pieces, task: Task
) -> Iterator[tuple[int, int, int]]:
    """(offset, place in the needle, number) of each occurrence of a piece, by rising offset.

    Of pieces that overlap each other one may be passed over.
    """
    import re2

    numbers = {piece: number for number, piece in enumerate(pieces)}
    position = snapshot.start
    forms = (
        [*map(escape_bytes, pieces)]
        if snapshot.size >= MIN_PREFILTER_BYTES
        else []
    )
    with RgPrefilter(snapshot, forms, task, "-N", "-o") as child:
        for row in child.rows():
            offset, _, piece = row.partition(b":")
            position = snapshot.start + int(offset) + len(piece)
            for place in pieces[piece]:
                yield position - len(piece), place, numbers[piece]
        if child.whole:
            return
    # What the child did not get to is looked at here.
    regexp = compile_re2(b"|".join(map(re2.escape, pieces)), latin1=True)
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


def vote_diagonals(
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
