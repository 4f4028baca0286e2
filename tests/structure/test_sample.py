from __future__ import annotations

import pytest

from filewright.structure.sample import read_sample
from filewright.text.snapshot import Snapshot


class CountingSnapshot(Snapshot):
    """A snapshot that counts the bytes that are read from it."""

    read_bytes = 0

    def read(self, offset: int, length: int) -> bytes:
        self.read_bytes += length
        return super().read(offset, length)


def test_small_file_is_whole() -> None:
    sample = read_sample(Snapshot(b"a\nb\n"))
    assert sample.complete
    assert [(line.offset, line.text) for line in sample.lines] == [
        (0, "a"),
        (2, "b"),
    ]


def test_large_file_is_read_in_parts() -> None:
    rows = [b"line %d of many\n" % number for number in range(60_000)]
    data = b"".join(rows)
    snapshot = CountingSnapshot(data, encoding="utf-8")
    sample = read_sample(snapshot)
    assert not sample.complete
    assert snapshot.read_bytes < 400_000 < len(data)
    assert sample.head[0].offset == 0
    assert sample.tail[-1].offset == len(data) - len(rows[-1])
    starts = {0, *(match + 1 for match, byte in enumerate(data) if byte == 10)}
    assert all(line.offset in starts for line in sample.lines)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_two_byte_units(codec: str) -> None:
    snapshot = Snapshot("a\r\nb\r\n".encode(codec), encoding=codec)
    assert [line.text for line in read_sample(snapshot).lines] == ["a", "b"]
