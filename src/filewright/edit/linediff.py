"""Line diffs: the lines of two texts that correspond, found with bounded work.

1. Lines that both texts begin and end with are set aside.
2. The rest is compared for its longest common subsequence ("Bit-parallel LCS-length
   computation revisited", Hyyrö 2004), if a bit for each pair of lines fits into memory.
3. If it does not, lines that occur once on both sides divide it into smaller regions
   (the patience diff), each of which begins at step 1.
4. A region that nothing divides is one change.

So a rewrite of 20,000 lines costs a pass, where a quadratic diff takes minutes. All
lines count from 0.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from filewright.text.splice import Splice

MAX_COMPARED_PAIRS = 1 << 27
"""Pairs of lines that are compared, in a bit each (16 MB)."""
_MAX_PASSES = 32
"""Passes over all lines that may be spent on dividing them."""
_BLOCK_BYTES = 1 << 16
_SMALL_BLOCK_BYTES = 1 << 9
"""Bytes that are compared at once for the equal beginning and end of two texts."""


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines `start` to `end` of a text became lines `new_start` to `new_end` of another.

    Lines count from 0, and the ends are exclusive. An insertion has `start` equal to
    `end`, a deletion `new_start` equal to `new_end`.
    """

    start: int
    end: int
    new_start: int
    new_end: int

    @property
    def growth(self) -> int:
        """The number of lines that the text grows by; negative if it shrinks."""
        return (self.new_end - self.new_start) - (self.end - self.start)

    @property
    def only_inserts_or_deletes(self) -> bool:
        """True if there are lines on one side only."""
        return (self.start < self.end) != (self.new_start < self.new_end)

    def shift(self, lines: int) -> LineChange:
        """Return the change moved down by a number of lines, on both sides."""
        return LineChange(
            self.start + lines,
            self.end + lines,
            self.new_start + lines,
            self.new_end + lines,
        )


@dataclass(frozen=True, slots=True)
class EqualRun:
    """`length` equal items, from index `left` of one sequence and `right` of the other."""

    left: int
    right: int
    length: int


@dataclass(frozen=True, slots=True)
class LineReplacement:
    """Old lines of a text and the new ones in their place, all with their line ends.

    `line` is the first of the old lines (from 0), and `offset` its offset in bytes.
    """

    line: int
    offset: int
    old: list[bytes]
    new: list[bytes]

    @property
    def old_bytes(self) -> int:
        """The size of the old lines in bytes."""
        return sum(map(len, self.old))


@dataclass(frozen=True, slots=True)
class _Anchor:
    """A pair of equal lines, as their indices, and the pair before it in a series."""

    left: int
    right: int
    previous: _Anchor | None


def diff_lines(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    *,
    max_pairs: int = MAX_COMPARED_PAIRS,
) -> list[LineChange]:
    """Return the changes that turn `before` into `after`: in order, none touching.

    The elements are whole lines, or any values that are equal where nothing changed.
    A region of more than `max_pairs` pairs of lines is divided before it is compared.
    """
    # Dividing may set aside one line at a time, which would be quadratic after all.
    remaining_work = _MAX_PASSES * (len(before) + len(after))
    changes: list[LineChange] = []
    pending = [LineChange(0, len(before), 0, len(after))]
    while pending:
        region = _trim(before, after, pending.pop())
        left = before[region.start : region.end]
        right = after[region.new_start : region.new_end]
        remaining_work -= len(left) + len(right)
        if remaining_work < 0 or set(left).isdisjoint(right):
            if left or right:
                changes.append(region)
        elif len(left) * len(right) <= max_pairs:
            changes += _compare(left, right, region)
        elif anchors := _find_anchors(left, right):
            # The stack gives the last region first.
            pending += reversed(_divide(region, anchors))
        else:
            changes.append(region)
    return changes


def align(
    left: Sequence[Hashable], right: Sequence[Hashable]
) -> list[EqualRun]:
    """Return the equal runs of two sequences, in order."""
    runs: list[EqualRun] = []
    left_start = right_start = 0
    end = LineChange(len(left), len(left), len(right), len(right))
    for change in [*diff_lines(left, right), end]:
        length = change.start - left_start
        if length > 0:
            runs.append(EqualRun(left_start, right_start, length))
        left_start, right_start = change.end, change.new_end
    return runs


def _trim(
    before: Sequence[Hashable], after: Sequence[Hashable], region: LineChange
) -> LineChange:
    """Return a region without the equal lines it begins and ends with."""
    start, end = region.start, region.end
    new_start, new_end = region.new_start, region.new_end
    while (
        start < end
        and new_start < new_end
        and before[start] == after[new_start]
    ):
        start += 1
        new_start += 1
    while (
        start < end
        and new_start < new_end
        and before[end - 1] == after[new_end - 1]
    ):
        end -= 1
        new_end -= 1
    return LineChange(start, end, new_start, new_end)


def _compare(
    left: Sequence[Hashable], right: Sequence[Hashable], region: LineChange
) -> list[LineChange]:
    """Return the changes of a region by the longest common subsequence of its lines."""
    from rapidfuzz.distance import LCSseq

    # rapidfuzz compares hashes instead of lines, so that two lines with the same hash
    # would count as equal. Small numbers are their own hashes.
    numbers: dict[Hashable, int] = {}
    left_numbers = [numbers.setdefault(line, len(numbers)) for line in left]
    right_numbers = [numbers.setdefault(line, len(numbers)) for line in right]
    changes: list[LineChange] = []
    start, new_start = region.start, region.new_start
    for match in LCSseq.opcodes(
        left_numbers, right_numbers
    ).as_matching_blocks():
        block_start = region.start + match.a
        new_block_start = region.new_start + match.b
        if block_start > start or new_block_start > new_start:
            changes.append(
                LineChange(start, block_start, new_start, new_block_start)
            )
        start, new_start = (
            block_start + match.size,
            new_block_start + match.size,
        )
    return changes


def _find_anchors(
    left: Sequence[Hashable], right: Sequence[Hashable]
) -> list[tuple[int, int]]:
    """Return pairs of equal lines that occur once on either side, as their indices.

    They are the longest series that is in order on both sides (patience sorting): lines
    that were moved are left out.
    """
    left_counts, right_counts = Counter(left), Counter(right)
    unique_lines = {
        line: index
        for index, line in enumerate(right)
        if left_counts[line] == right_counts[line] == 1
    }
    # Entry n is the last pair of a series of n + 1 pairs. Of all these series it is the
    # one that ends earliest on the right, because that one is the easiest to continue.
    series_ends: list[_Anchor] = []
    for left_index, line in enumerate(left):
        right_index = unique_lines.get(line)
        if right_index is None:
            continue
        length = bisect_left(
            series_ends, right_index, key=lambda anchor: anchor.right
        )
        previous = series_ends[length - 1] if length > 0 else None
        series_ends[length : length + 1] = [
            _Anchor(left_index, right_index, previous)
        ]
    anchors: list[tuple[int, int]] = []
    anchor = series_ends[-1] if series_ends else None
    while anchor is not None:
        anchors.append((anchor.left, anchor.right))
        anchor = anchor.previous
    anchors.reverse()
    return anchors


def _divide(
    region: LineChange, anchors: list[tuple[int, int]]
) -> list[LineChange]:
    """Return the parts of a region between lines that correspond.

    The indices of `anchors` count from the start of the region.
    """
    # The ends of the region serve as two further anchors.
    end = (region.end - region.start, region.new_end - region.new_start)
    return [
        LineChange(
            region.start + left + 1,
            region.start + next_left,
            region.new_start + right + 1,
            region.new_start + next_right,
        )
        for (left, right), (next_left, next_right) in pairwise(
            [(-1, -1), *anchors, end]
        )
    ]


# Texts as bytes


def find_replacements(before: bytes, after: bytes) -> Iterator[LineReplacement]:
    """Yield the replacements of lines that turn `before` into `after`, in order.

    Lines end with ``\\n``, ``\\r\\n`` or a lone ``\\r``, which is part of the line.
    """
    old_lines = before.splitlines(keepends=True)
    new_lines = after.splitlines(keepends=True)
    offset = line = 0
    for change in diff_lines(old_lines, new_lines):
        offset += sum(map(len, old_lines[line : change.start]))
        replacement = LineReplacement(
            change.start,
            offset,
            old_lines[change.start : change.end],
            new_lines[change.new_start : change.new_end],
        )
        yield replacement
        offset += replacement.old_bytes
        line = change.end


def find_line_splices(
    before: bytes, after: bytes, start: int = 0
) -> tuple[Splice, ...]:
    """Return splices of whole lines that turn `before`, at offset `start`, into `after`.

    They are ordered and do not touch. Lines end with ``\\n``, ``\\r\\n`` or a lone
    ``\\r``; a line with only another line end is replaced as a whole. Applying the
    splices to `before` gives `after`, always.
    """
    if before == after:
        return ()
    head = _count_equal_head(before, after)
    tail = _count_equal_tail(before, after, head)
    replacements = find_replacements(
        before[head : len(before) - tail], after[head : len(after) - tail]
    )
    return tuple(
        Splice(
            start + head + change.offset, change.old_bytes, b"".join(change.new)
        )
        for change in replacements
    )


def find_line_changes(before: bytes, after: bytes) -> list[LineChange]:
    """Return the lines that differ between two texts, whatever their line ends.

    Lines are those of ``bytes.splitlines``.
    """
    if before == after:
        return []
    head = _count_equal_head(before, after)
    tail = _count_equal_tail(before, after, head)
    changes = diff_lines(
        before[head : len(before) - tail].splitlines(),
        after[head : len(after) - tail].splitlines(),
    )
    head_lines = count_lines(before[:head])
    return [change.shift(head_lines) for change in changes]


def count_lines(text: bytes) -> int:
    """Return the number of lines that ``bytes.splitlines`` makes of a text."""
    ends = text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
    has_open_line = bool(text) and text[-1:] not in (b"\n", b"\r")
    return ends + has_open_line


def _count_equal_head(before: bytes, after: bytes) -> int:
    """Return the size of the equal beginning of two texts, in whole blocks and lines.

    Comparing blocks first saves splitting a large text into lines.
    """
    shorter = min(len(before), len(after))
    head = 0
    for size in (_BLOCK_BYTES, _SMALL_BLOCK_BYTES):
        while head + size <= shorter:
            end = head + size
            if before[head:end] != after[head:end]:
                break
            head = end
    # The last block may end within a line, which differs further on.
    return before.rfind(b"\n", 0, head) + 1


def _count_equal_tail(before: bytes, after: bytes, head: int) -> int:
    """Return the size of the equal end of two texts, in whole blocks and lines."""
    # The equal head and tail must not overlap.
    longest = min(len(before), len(after)) - head
    old_end, new_end = len(before), len(after)
    tail = 0
    for size in (_BLOCK_BYTES, _SMALL_BLOCK_BYTES):
        while tail + size <= longest:
            old_block = before[old_end - size : old_end]
            if old_block != after[new_end - size : new_end]:
                break
            tail += size
            old_end, new_end = old_end - size, new_end - size
    # The first block may begin within a line, which differs before it.
    newline = before.find(b"\n", old_end)
    return len(before) - newline - 1 if newline >= 0 else 0


def splices_to_line_changes(
    splices: Sequence[Splice], before: Sequence[int], after: Sequence[int]
) -> list[LineChange]:
    """Return the lines that ordered splices change.

    `before` and `after` are the offsets in bytes of all lines of the text without and
    with the splices, each followed by the size of that text.
    """
    changes: list[LineChange] = []
    new_line_starts = set(after)
    byte_shift = 0
    for splice in splices:
        # Extend the splice to where lines begin on both sides. A splice may join lines,
        # or split a "\r\n", so that a line start of one side is none of the other.
        first_line = bisect_right(before, splice.offset) - 1
        while before[first_line] + byte_shift not in new_line_starts:
            first_line -= 1
        byte_shift += len(splice.replacement) - splice.length
        end_line = bisect_left(before, splice.end)
        while before[end_line] + byte_shift not in new_line_starts:
            end_line += 1
        new_end = bisect_left(after, before[end_line] + byte_shift)
        # Two splices of one line are one change of it.
        if changes and first_line < changes[-1].end:
            last = changes[-1]
            changes[-1] = LineChange(
                last.start, end_line, last.new_start, new_end
            )
        else:
            line_shift = changes[-1].new_end - changes[-1].end if changes else 0
            changes.append(
                LineChange(
                    first_line, end_line, first_line + line_shift, new_end
                )
            )
    return changes
