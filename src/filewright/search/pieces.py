"""Pieces of a needle: rare short parts of it, by which similar regions are found.

An edit spoils only the pieces that it touches. So where the needle occurs with a few
edits, most of its pieces are unchanged and as far apart as in the needle. Elsewhere rare
pieces hardly ever occur together.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from filewright.progress import Task
from filewright.search.characters import escape_bytes
from filewright.search.prefilter import MIN_PREFILTER_BYTES, RgPrefilter
from filewright.search.regex_engine import compile_re2
from filewright.text.snapshot import Snapshot

_PIECE_BYTES = 8
"""Long enough to be rare in most files, and short enough to lie between two edits."""

_MIN_PIECE_BYTES = 4
"""A shorter piece would occur everywhere."""

_MAX_PIECES = 24
"""Pieces of one needle; more would hardly tell more places apart."""

_MAX_CANDIDATE_OFFSETS = 80
"""Offsets of a needle at which a piece may begin; each is counted in the sample."""

_SAMPLE_COUNT = 32
_SAMPLE_BYTES = 8 << 10

_BLOCK_BYTES = 512 << 10
_MAX_EXPECTED_OCCURRENCES = 200_000
"""Occurrences of all pieces together that are worth finding, in the whole file."""

_MAX_PIECE_OCCURRENCES = 2_000_000
"""A piece that is expected more often is not used, even if no other is left."""

_MAX_OPEN_BUCKETS = 1000
"""Buckets in memory; if there are more, those behind the search are closed."""

Pieces = dict[bytes, list[int]]
"""Pieces of one length, with the offsets in the needle where each occurs."""


class Occurrence(NamedTuple):
    """A piece at `offset` in the file, which is at `needle_offset` in the needle.

    A named tuple, since a search may find hundreds of thousands.
    """

    offset: int
    needle_offset: int
    piece_number: int


@dataclass(frozen=True, slots=True)
class Diagonal:
    """An estimated start of the needle in the file, with its votes."""

    votes: int
    start: int


def read_sample(snapshot: Snapshot) -> bytes:
    """Return up to 256 KB from places all over the file, to estimate how rare a text is."""
    size = snapshot.size - snapshot.start
    if size <= _SAMPLE_COUNT * _SAMPLE_BYTES:
        return snapshot.read(snapshot.start, size)
    step = (size - _SAMPLE_BYTES) // (_SAMPLE_COUNT - 1)
    parts = []
    for number in range(_SAMPLE_COUNT):
        offset = snapshot.start + number * step
        parts.append(snapshot.read(offset, _SAMPLE_BYTES))
    # No piece holds a line break, so none is counted across two parts.
    return b"\n".join(parts)


def choose_pieces(needle: bytes, sample: bytes, size: int) -> Pieces:
    """Return the rarest pieces of a needle, for a file of `size` bytes.

    There may be none: where no piece is rare, or the needle is too short.
    """
    if len(needle) >= 6 * _PIECE_BYTES:
        length = _PIECE_BYTES
    else:
        length = max(_MIN_PIECE_BYTES, min(_PIECE_BYTES - 2, len(needle) // 3))
    ranked = _rank_pieces(needle, length, sample, size)
    pieces: Pieces = {}
    offsets: list[int] = []
    expected_total = 0.0
    # First pieces that no single edit spoils together, then others between them.
    for must_be_apart in (True, False):
        for ranked_piece in ranked:
            expected, offset = ranked_piece.expected_count, ranked_piece.offset
            if offset in offsets:
                continue
            if must_be_apart and _overlaps(offset, offsets, length):
                continue
            # Two pieces at least: one alone gives each of its places the same single vote.
            is_enough = len(offsets) >= 2 and (
                expected_total + expected > _MAX_EXPECTED_OCCURRENCES
            )
            if (
                is_enough
                or len(offsets) >= _MAX_PIECES
                or expected > _MAX_PIECE_OCCURRENCES
            ):
                break
            expected_total += expected
            offsets.append(offset)
            piece = needle[offset : offset + length]
            pieces.setdefault(piece, []).append(offset)
    return pieces


@dataclass(frozen=True, slots=True, order=True)
class _RankedPiece:
    """A possible piece of a needle. The rarest are first in order.

    `expected_count` is the expected number of its occurrences in the file. Of equally
    rare pieces, an engine finds those sooner whose first bytes are rare too:
    `prefix_count` is the number of those in a part of the sample.
    """

    expected_count: float
    prefix_count: int
    offset: int


def _rank_pieces(
    needle: bytes, length: int, sample: bytes, size: int
) -> list[_RankedPiece]:
    """Return the possible pieces of a needle, the rarest first."""
    scale = max(1.0, size / max(1, len(sample)))
    sample_start = sample[: len(sample) // 4]
    ranked = []
    for offset in _candidate_offsets(needle, length):
        expected = sample.count(needle[offset : offset + length]) * scale
        prefix_count = sample_start.count(needle[offset : offset + 3])
        ranked.append(_RankedPiece(expected, prefix_count, offset))
    return sorted(ranked)


def _overlaps(offset: int, offsets: Iterable[int], length: int) -> bool:
    """Return True if a piece at `offset` overlaps one at the other offsets."""
    return any(abs(offset - other) < length for other in offsets)


def _candidate_offsets(needle: bytes, length: int) -> list[int]:
    """Return the offsets of possible pieces in a needle.

    A piece is of whole characters, on one line, and not of one character alone.
    """
    step = max(1, length // 4, len(needle) // _MAX_CANDIDATE_OFFSETS)
    offsets = []
    for offset in range(0, len(needle) - length + 1, step):
        piece = needle[offset : offset + length]
        following = needle[offset + length : offset + length + 1] or b"a"
        has_whole_characters = (
            piece[0] & 0xC0 != 0x80 and following[0] & 0xC0 != 0x80
        )
        has_text = len(set(piece)) > 2 and piece.strip() != b""
        is_on_line = b"\n" not in piece and b"  " not in piece
        if has_whole_characters and has_text and is_on_line:
            offsets.append(offset)
    return offsets


def find_occurrences(
    snapshot: Snapshot, pieces: Pieces, task: Task
) -> Iterator[Occurrence]:
    """Yield the occurrences of pieces, by rising offset.

    Of pieces that overlap each other, one may be left out.
    """
    numbers = {piece: number for number, piece in enumerate(pieces)}
    patterns: list[str] = []
    if snapshot.size >= MIN_PREFILTER_BYTES:
        patterns = [*map(escape_bytes, pieces)]
    position = snapshot.start
    with RgPrefilter(snapshot, patterns, task, "-N", "-o") as prefilter:
        for row in prefilter.rows():
            row_offset, _, piece = row.partition(b":")
            offset = snapshot.start + int(row_offset)
            position = offset + len(piece)
            for needle_offset in pieces[piece]:
                yield Occurrence(offset, needle_offset, numbers[piece])
        if prefilter.has_seen_all:
            return
    # The rest, where `rg` has not run to the end.
    for offset, piece in _find_in_blocks(snapshot, pieces, position, task):
        for needle_offset in pieces[piece]:
            yield Occurrence(offset, needle_offset, numbers[piece])


def _find_in_blocks(
    snapshot: Snapshot, pieces: Pieces, position: int, task: Task
) -> Iterator[tuple[int, bytes]]:
    """Yield the offset of each piece from `position` on, and the piece."""
    import re2

    alternatives = b"|".join(map(re2.escape, pieces))
    regexp = compile_re2(alternatives, latin1=True)
    overlap = max(map(len, pieces)) - 1
    resume = position
    while position < snapshot.size:
        task.check()
        block = snapshot.read(position, _BLOCK_BYTES)
        block = block[: block.rfind(b"\n") + 1] or block
        for match in regexp.finditer(block, max(0, resume - position)):
            resume = position + match.end()
            yield position + match.start(), match.group()
        # No piece holds a line break. The end of a block that ends inside a line is
        # searched again.
        is_last = position + len(block) >= snapshot.size
        if block.endswith(b"\n") or is_last:
            position += len(block)
        else:
            position += max(1, len(block) - overlap)


@dataclass(slots=True)
class _Bucket:
    """The votes for diagonals near each other: a bit for each piece, and the lowest one."""

    lowest: int
    piece_bits: int = 0


class _DiagonalBuckets:
    """The votes for diagonals, in buckets of near ones, by the number of the bucket."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._buckets: dict[int, _Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def bucket_of(self, diagonal: int) -> int:
        """Return the number of the bucket of a diagonal."""
        return diagonal // self._width

    def vote(self, diagonal: int, piece_number: int) -> None:
        """Add the vote of a piece."""
        number = self.bucket_of(diagonal)
        bucket = self._buckets.get(number)
        if bucket is None:
            bucket = self._buckets[number] = _Bucket(diagonal)
        bucket.piece_bits |= 1 << piece_number
        bucket.lowest = min(bucket.lowest, diagonal)

    def close_before(self, stop: float) -> Iterator[Diagonal]:
        """Remove the buckets before `stop`, and yield the diagonal of each.

        Edits shift the diagonal a little, so the votes of the next bucket count too.
        """
        closed = sorted(number for number in self._buckets if number < stop)
        for number in closed:
            bucket = self._buckets.pop(number)
            piece_bits = bucket.piece_bits
            following = self._buckets.get(number + 1)
            if following is not None:
                piece_bits |= following.piece_bits
            yield Diagonal(piece_bits.bit_count(), bucket.lowest)


def vote_diagonals(
    occurrences: Iterable[Occurrence], length: int, max_count: int
) -> list[Diagonal]:
    """Return the `max_count` diagonals with the most votes.

    `occurrences` are in rising offsets. An occurrence at `offset` of a piece that is at
    `needle_offset` in the needle is a vote for the diagonal `offset - needle_offset`,
    where the needle would begin. A piece has one vote for a diagonal. The memory depends
    on `max_count` and on the occurrences within one needle's `length`.
    """
    buckets = _DiagonalBuckets(max(16, length // 8))

    def count_votes() -> Iterator[Diagonal]:
        for occurrence in occurrences:
            diagonal = occurrence.offset - occurrence.needle_offset
            buckets.vote(diagonal, occurrence.piece_number)
            if len(buckets) > _MAX_OPEN_BUCKETS:
                passed = occurrence.offset - 2 * length
                yield from buckets.close_before(buckets.bucket_of(passed) - 1)
        yield from buckets.close_before(float("inf"))

    return heapq.nsmallest(
        max_count,
        count_votes(),
        key=lambda diagonal: (-diagonal.votes, diagonal.start),
    )
