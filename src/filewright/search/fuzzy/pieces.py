"""Pieces of a needle to look for exactly: short, spread over it, and rare in the file.

An edit spoils one piece and no other, so where the needle occurs with a few edits, most of its
pieces stand unharmed; where it does not, rare pieces hardly ever stand together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass

from filewright.progress import Task
from filewright.search.ahead import AHEAD_BYTES, Ahead
from filewright.search.syntax import compiled, escaped
from filewright.text import Snapshot

_LENGTH = 8
_SHORTEST = 4
_MOST = 32
_CANDIDATES = 80
_WINDOWS = 32
_WINDOW = 8 << 10
_BLOCK = 512 << 10
_LINES, _FAR = 4 << 10, 16 << 10
"""Bytes looked at where `rg` has named a line, if the one before is so far away; else twice as many each time."""
_EXPECTED = 200_000
"""Hits of all pieces together that are worth having, in the whole file."""

_BEARABLE = 2_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes to look for and where they are in the needle (bytes, from its beginning)."""

    data: bytes
    places: tuple[int, ...]


def sample(snapshot: Snapshot) -> bytes:
    """Up to 256 KB of the file from places spread over it, for guessing how rare something is."""
    size = snapshot.size - snapshot.start
    if size <= _WINDOWS * _WINDOW:
        return snapshot.read(snapshot.start, size)
    step = (size - _WINDOW) // (_WINDOWS - 1)
    parts = [snapshot.read(snapshot.start + k * step, _WINDOW) for k in range(_WINDOWS)]
    return b"\n".join(parts)


def choose(needle: bytes, drawn: bytes, size: int) -> list[Piece]:
    """The pieces to look for in a file of `size` bytes of which `drawn` is a sample; may be none."""
    length = _LENGTH if len(needle) >= 6 * _LENGTH else max(_SHORTEST, min(_LENGTH - 2, len(needle) // 3))
    candidates = _candidates(needle, length)
    scale = max(1.0, size / max(1, len(drawn)))
    ranked = sorted((drawn.count(needle[at : at + length]) * scale, at) for at in candidates)
    chosen: dict[bytes, list[int]] = {}
    taken: list[int] = []
    expected = 0.0
    # First pieces that no single edit spoils together, then others between them while they are rare.
    for apart in (True, False):
        for hits, at in ranked:
            if at in taken or (apart and any(abs(at - other) < length for other in taken)):
                continue
            if len(taken) >= _MOST or hits > _BEARABLE or (expected + hits > _EXPECTED and len(taken) >= 2):
                break
            expected += hits
            taken.append(at)
            chosen.setdefault(needle[at : at + length], []).append(at)
    return [Piece(data, tuple(places)) for data, places in chosen.items()]


def _candidates(needle: bytes, length: int) -> list[int]:
    """Offsets of possible pieces: on characters, inside lines, and not all of one character."""
    step = max(1, length // 4, len(needle) // _CANDIDATES)
    found = []
    for at in range(0, len(needle) - length + 1, step):
        data = needle[at : at + length]
        on_characters = (
            data[0] & 0xC0 != 0x80 and (needle[at + length : at + length + 1] or b"a")[0] & 0xC0 != 0x80
        )
        if on_characters and b"\n" not in data and len(set(data)) > 2 and data.strip() and b"  " not in data:
            found.append(at)
    return found


def occurrences(snapshot: Snapshot, pieces: list[Piece], task: Task) -> Iterator[tuple[int, int, int]]:
    """(offset, place in the needle, number) of each occurrence of a piece, by rising offset.

    Of pieces that overlap each other one may be passed over.
    """
    import re2

    regexp = compiled(b"|".join(re2.escape(piece.data) for piece in pieces), latin1=True)
    numbers = {piece.data: number for number, piece in enumerate(pieces)}
    overlap = max(len(piece.data) for piece in pieces) - 1
    forms = [escaped(piece.data) for piece in pieces] if snapshot.size >= AHEAD_BYTES else []
    position = resume = snapshot.start
    length, begins_line = _BLOCK, True
    with closing(Ahead(snapshot, forms, task)) as ahead:
        while position < snapshot.size:
            task.check()
            reached, length = position, min(2 * length, _BLOCK)
            if ahead.running and begins_line:
                position = ahead.next_line(position)
                if position - reached > _FAR:
                    length = _LINES
            block = snapshot.read(position, length)
            block = block[: block.rfind(b"\n") + 1] or block
            begins_line = block.endswith(b"\n")
            for match in regexp.finditer(block, max(0, resume - position)):
                resume = position + match.end()
                number = numbers[match.group()]
                for place in pieces[number].places:
                    yield position + match.start(), place, number
            last = position + len(block) >= snapshot.size
            # No piece holds a line break; of a line longer than a block the end is looked at again.
            position += len(block) if last or begins_line else max(1, len(block) - overlap)


# Places where several pieces are as in the needle
#
# A piece found at `offset` that is at `place` in the needle says that the needle begins at `offset - place`: a vote
# for that diagonal. Edits shift diagonals a little, so votes are gathered in buckets; a place's votes are the
# different pieces of its bucket and the next.


def elected(votes: Iterable[tuple[int, int, int]], length: int, keep: int) -> list[tuple[int, int]]:
    """The `keep` best places: (votes, estimated beginning), from (offset, place, piece) in rising offset.

    Memory is bounded by `keep` and by what lies within one needle's `length`.
    """
    width = max(16, length // 8)
    best: list[tuple[int, int]] = []
    for count, diagonal in _places(votes, length, width):
        entry = (count, -diagonal)
        if len(best) < keep:
            heapq.heappush(best, entry)
        elif entry > best[0]:
            heapq.heapreplace(best, entry)
    return sorted(((count, -negative) for count, negative in best), key=lambda e: (-e[0], e[1]))


def _places(votes: Iterable[tuple[int, int, int]], length: int, width: int) -> Iterator[tuple[int, int]]:
    active: dict[int, tuple[int, int]] = {}  # bucket: (pieces as bits, lowest diagonal)
    settled = 0
    for offset, place, piece in votes:
        diagonal = offset - place
        key = diagonal // width
        bits, lowest = active.get(key, (0, diagonal))
        active[key] = (bits | 1 << piece, min(lowest, diagonal))
        # A bucket two needles back gets no more votes.
        if offset - settled > 4 * length + 4096:
            done = (offset - 2 * length) // width - 2
            yield from _settle(active, done)
            settled = offset
    yield from _settle(active, None)


def _settle(active: dict[int, tuple[int, int]], until: int | None) -> Iterator[tuple[int, int]]:
    for key in sorted(active):
        if until is not None and key > until:
            break
        bits, lowest = active[key]
        following = active.get(key + 1, (0, 0))[0]
        yield (bits | following).bit_count(), lowest
    for key in [k for k in active if until is not None and k <= until]:
        del active[key]
