"""Blocks of whole lines: their places, in memory and in files too large for it."""

from __future__ import annotations

import pytest
from tests.files import Windowed

from filewright.edit.matchers.blocks import find_blocks, has_block_at
from filewright.edit.source import Source
from filewright.text.snapshot import Snapshot

CONTENT = b"a long line\nb\na long line\r\nb\nc\nlong line\na long line"
BLOCKS = {
    (b"a long line", b"b"): [0, 2],
    (b"a long line",): [0, 2, 6],
    (b"b", b"c", b"long line"): [3],
    (b"long line",): [5],
    (b"c", b"b"): [],
    (b"b", b""): [],
}


@pytest.fixture(params=[Snapshot, Windowed], ids=["held", "windowed"])
def source(request: pytest.FixtureRequest) -> Source:
    return Source(request.param(CONTENT))


@pytest.mark.parametrize("count", [1, len(BLOCKS)])
def test_finds_blocks(source: Source, count: int) -> None:
    blocks = list(BLOCKS)
    for first in range(0, len(blocks), count):
        some = blocks[first : first + count]
        assert find_blocks(source, some) == {
            block: BLOCKS[block] for block in some
        }


def test_has_block_at(source: Source) -> None:
    assert has_block_at(source, (b"b", b"c"), 3)
    assert not has_block_at(source, (b"b", b"c"), 1)
    assert not has_block_at(source, (b"a long line",), -1)
    assert not has_block_at(source, (b"a long line", b""), 6)


def test_reads_few_windows_for_many_blocks() -> None:
    offsets = []

    class Recorded(Snapshot):
        def read(self, offset: int, length: int) -> bytes:
            offsets.append(offset)
            return super().read(offset, length)

    lines = [b"line %d" % number for number in range(40_000)]
    starts = range(0, len(lines), 100)
    blocks = {tuple(lines[start : start + 2]): [start] for start in starts}
    source = Source(Recorded(b"\n".join(lines)))
    assert find_blocks(source, blocks) == blocks
    # Its two windows, to count lines and to find the blocks.
    assert len(offsets) < 10
