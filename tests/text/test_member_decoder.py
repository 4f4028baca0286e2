"""Members of compressed files, decoded in parallel: the text is that of one stream."""

import bz2
import random
import threading
import zlib
from contextlib import closing
from functools import cache

import pytest

from filewright.settings import Settings
from filewright.text.compressed import UNIT_BYTES, TextCache, view_if_compressed
from filewright.text.compression import TextStream, find_compression
from filewright.text.snapshot import Snapshot

try:
    from compression import zstd
except ImportError:
    from backports import zstd

SETTINGS = Settings(hold_bytes=100_000)
_RANDOM = random.Random(999)
_WORDS = [_RANDOM.getrandbits(64) for _ in range(999)]
TEXT = b"".join(
    b"%07d %016x\n" % (number, _WORDS[number % 999])
    for number in range(100_000)
)
CHECKSUM = {zstd.CompressionParameter.checksum_flag: 1}


def pack_bgzip(text: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    data = packer.compress(text) + packer.flush()
    length = (len(data) + 25).to_bytes(2, "little")
    header = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + length
    check = zlib.crc32(text).to_bytes(4, "little")
    return header + data + check + len(text).to_bytes(4, "little")


def pack_zstd(text: bytes) -> bytes:
    # As pzstd does, with a frame to skip that tells the length.
    frame = zstd.compress(text, options=CHECKSUM)
    length = len(frame).to_bytes(4, "little")
    return b"\x50\x2a\x4d\x18\x04\0\0\0" + length + frame


def pack_zstd_stream(text: bytes) -> bytes:
    # A frame without the size of its text.
    packer = zstd.ZstdCompressor()
    return packer.compress(text) + packer.flush()


PACK = {
    "bgzip": (pack_bgzip, 60_000),
    "pzstd": (pack_zstd, 400_000),
    "zstd": (pack_zstd_stream, 300_000),
    "pbzip2": (bz2.compress, 250_000),
}


@cache
def members(name: str) -> tuple[bytes, ...]:
    pack, length = PACK[name]
    return tuple(
        pack(TEXT[offset : offset + length])
        for offset in range(0, len(TEXT), length)
    )


class WatchedSource(Snapshot):
    """A compressed file that knows the threads that read it."""

    readers: frozenset[str] = frozenset()

    def read(self, offset: int, length: int) -> bytes:
        self.readers |= {threading.current_thread().name}
        return super().read(offset, length)


def decode_in_order(data: bytes) -> tuple[bytes, str]:
    stream = TextStream(find_compression(data))
    read = Snapshot(data).read
    parts = []
    while not stream.is_at_end:
        stop = (stream.position // UNIT_BYTES + 1) * UNIT_BYTES
        parts.append(stream.read_unit(read, stop).data)
    return b"".join(parts), stream.problem


def assert_same(data: bytes) -> frozenset[str]:
    """Compare with one stream, read in a pass and at places after it."""
    expected, problem = decode_in_order(data)
    source = WatchedSource(data, settings=SETTINGS)
    with view_if_compressed(source, TextCache()) as text:
        content = b"".join(text.iterate_units(0))
        if problem:
            # The last block before damage is as long as its input happened to be.
            assert abs(len(content) - len(expected)) < UNIT_BYTES
            expected = TEXT[: len(content)]
        assert content == expected
        assert text.size == len(content)
        assert text.problem[:20] == problem[:20]
        for offset in range(len(expected) - 30, 0, -len(expected) // 7):
            part = expected[offset : offset + 30]
            assert text.read(offset, 30) == part
    names = {thread.name for thread in threading.enumerate()}
    assert not any(name.startswith("decode") for name in names)
    return source.readers


@pytest.mark.parametrize("name", PACK)
def test_decodes_members_in_parallel(name):
    readers = assert_same(b"".join(members(name)))
    assert "decode_0" in readers


@pytest.mark.parametrize("name", PACK)
def test_damage_in_the_middle(name):
    parts = list(members(name))
    middle = len(parts) * 2 // 3
    damaged = bytearray(parts[middle])
    damaged[-200:-150] = bytes(50)
    parts[middle] = bytes(damaged)
    assert_same(b"".join(parts))


@pytest.mark.parametrize("name", PACK)
@pytest.mark.parametrize(
    "end", [b"garbage", bytes(600), bytes(9) + b"x"], ids=["text", "0", "0x"]
)
def test_other_data_at_the_end(name, end):
    assert_same(b"".join(members(name)) + end)


@pytest.mark.parametrize("name", PACK)
def test_zeros_between_members(name):
    parts = members(name)
    middle = len(parts) * 2 // 3
    assert_same(b"".join([*parts[:middle], bytes(40), *parts[middle:]]))


@pytest.mark.parametrize("name", PACK)
def test_early_end(name):
    data = b"".join(members(name))
    for length in (len(data) * 3 // 4, len(data) - 1):
        assert_same(data[:length])


def test_empty_members():
    empty = pack_bgzip(b"")
    parts = [*members("bgzip")[:40], *[empty] * 300, *members("bgzip")[40:]]
    assert_same(b"".join([*parts, empty]))


@pytest.mark.parametrize("change", [-1, 1, 9_000])
def test_wrong_lengths(change):
    parts = []
    for number, part in enumerate(members("bgzip")):
        length = int.from_bytes(part[16:18], "little")
        if number % 30 == 29:
            length = (length + change) % 65536
        parts.append(part[:16] + length.to_bytes(2, "little") + part[18:])
    assert_same(b"".join(parts))


def test_members_of_long_text():
    # A segment of more text than is decoded beforehand.
    assert_same(
        b"".join([*members("pbzip2")[:3], bz2.compress(bytes(9 << 20))])
    )


@pytest.mark.parametrize("name", PACK)
def test_pass_that_is_ended(name):
    source = Snapshot(b"".join(members(name)), settings=SETTINGS)
    with view_if_compressed(source, TextCache()) as text:
        with closing(text.iterate_units(0)) as units:
            for _ in range(4):
                next(units)
        assert b"".join(text.iterate_units(900_000)) == TEXT[900_000:]


@pytest.mark.parametrize("name", ["pzstd", "zstd", "pbzip2"])
def test_later_reads_begin_at_members(name):
    data = b"".join(members(name)) * 6
    source = WatchedSource(data, settings=SETTINGS)
    text = view_if_compressed(source, TextCache())
    assert text.size == 6 * len(TEXT)
    offsets = []
    read = source.read
    source.read = lambda offset, length: (
        offsets.append(offset),
        read(offset, length),
    )[1]
    assert text.read(2 * len(TEXT), 50) == TEXT[:50]
    assert min(offsets) > len(data) // 5
