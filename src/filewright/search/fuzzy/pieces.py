"""Pieces of a needle to look for exactly: short, spread over it, and rare in the file.

An edit spoils one piece and no other, so where the needle occurs with a few edits, most of its
pieces stand unharmed; where it does not, rare pieces hardly ever stand together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from filewright.progress import Task
from filewright.search.ahead import AHEAD_BYTES, lines_ahead
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
_ACTIVE = 1000


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
    length = _BLOCK
    with lines_ahead(snapshot, forms, task) as next_line:
        while (reached := position) < snapshot.size:
            task.check()
            position = next_line(position)
            length = _LINES if position - reached > _FAR else min(2 * length, _BLOCK)
            block = snapshot.read(position, length)
            block = block[: block.rfind(b"\n") + 1] or block
            for match in regexp.finditer(block, max(0, resume - position)):
                resume = position + match.end()
                number = numbers[match.group()]
                for place in pieces[number].places:
                    yield position + match.start(), place, number
            whole = block.endswith(b"\n") or position + len(block) >= snapshot.size
            # No piece holds a line break; of a line longer than a block the end is looked at again.
            position += len(block) if whole else max(1, len(block) - overlap)


def elected(votes: Iterable[tuple[int, int, int]], length: int, keep: int) -> list[tuple[int, int]]:
    """The `keep` best places: (votes, estimated beginning), from (offset, place, piece) in rising offset.

    A piece found at `offset` that is at `place` in the needle says that the needle begins at `offset - place`: a
    vote for that diagonal. Edits shift diagonals a little, so votes are gathered in buckets; a place's votes are
    the different pieces of its bucket and the next. Memory is bounded by `keep` and by what lies within one
    needle's `length`.
    """
    width = max(16, length // 8)
    best: list[tuple[int, int]] = []
    active: dict[int, tuple[int, int]] = {}  # by bucket: its pieces as bits, and its lowest diagonal

    def settle(stop: float) -> None:
        """Count the buckets before `stop`, which get no more votes."""
        for key in sorted(key for key in active if key < stop):
            bits, lowest = active.pop(key)
            following, _ = active.get(key + 1, (0, 0))
            heapq.heappush(best, ((bits | following).bit_count(), -lowest))
            if len(best) > keep:
                heapq.heappop(best)

    for offset, place, piece in votes:
        key = (offset - place) // width
        bits, lowest = active.get(key, (0, offset - place))
        active[key] = (bits | 1 << piece, min(lowest, offset - place))
        if len(active) > _ACTIVE:
            settle((offset - 2 * length) // width - 1)
    settle(float("inf"))
    return sorted(((count, -negative) for count, negative in best), key=lambda e: (-e[0], e[1]))
