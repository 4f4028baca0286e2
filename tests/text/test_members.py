"""Ends of members that are known before they are decoded."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct

import pytest
from tests.text.compressed_texts import zstd

from filewright.text.compression import find_compression
from filewright.text.members import Segment, find_segment


def bgzip(text: bytes) -> bytes:
    """Return a member with its length in its header, as bgzip writes it."""
    member = gzip.compress(text)
    length = len(member) + 8
    extra = b"\x06\0BC\x02\0" + struct.pack("<H", length - 1)
    return member[:3] + b"\x04" + member[4:10] + extra + member[10:]


def segment(data: bytes, start: int = 0) -> Segment | None:
    compression = find_compression(data[:16])
    assert compression is not None
    return find_segment(
        compression,
        lambda offset, length: data[offset : offset + length],
        start,
    )


@pytest.mark.parametrize(
    "compress",
    [
        pytest.param(bgzip, id="bgzip"),
        pytest.param(zstd.compress, id="zstd"),
        pytest.param(
            lambda text: zstd.compress(
                text, options={zstd.CompressionParameter.checksum_flag: 1}
            ),
            id="zstd with a checksum",
        ),
        pytest.param(
            lambda text: b"\x50\x2a\x4d\x18\x02\0\0\0ab" + zstd.compress(text),
            id="skippable frame",
        ),
    ],
)
def test_ends_of_members(compress) -> None:
    first, second = compress(b"text " * 100), compress(b"a" * 300_000)
    data = first + second
    assert segment(data) == Segment(0, len(data))
    assert segment(data, len(first)) == Segment(len(first), len(data))
    assert segment(data, len(data)) is None


def test_streams_of_bzip2_end_at_next_one() -> None:
    first = bz2.compress(b"one")
    data = first + bz2.compress(b"two")
    assert segment(data) == Segment(0, len(first))


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(b"a"),
        bz2.compress(b"a"),
        lzma.compress(b"a"),
        zstd.compress(b"a")[:6],
    ],
    ids=["gzip", "bzip2", "xz", "cut zstd"],
)
def test_unknown_ends(data: bytes) -> None:
    assert segment(data) is None


def test_segments_are_bounded() -> None:
    member = bgzip(b"")
    end = 128 * len(member)
    assert segment(member * 200) == Segment(0, end)
