"""The text inside compressed files, read at any place."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache, partial

import pytest

from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text.compressed import TextCache, view_if_compressed
from filewright.text.compression import COMPRESSIONS, find_compression
from filewright.text.snapshot import Snapshot

try:
    from compression import zstd
except ImportError:
    from backports import zstd


def compress_lz4(data: bytes) -> bytes:
    return pytest.importorskip("lz4.frame").compress(data)


ZSTD_OPTIONS = {zstd.CompressionParameter.checksum_flag: 1}
COMPRESS = {
    "gzip": partial(gzip.compress, compresslevel=1),
    "zstd": partial(zstd.compress, options=ZSTD_OPTIONS),
    "xz": partial(lzma.compress, preset=0),
    "bzip2": bz2.compress,
    "lz4": compress_lz4,
}

# 1.6 MB, of lines that do not compress away.
_RANDOM = random.Random(0)
TEXT = b"".join(
    b"%06d %032x\n" % (number, _RANDOM.getrandbits(128))
    for number in range(40_000)
)
SMALL = Settings.defaults().replace(hold_bytes=100_000)


def is_decoding() -> bool:
    return any(thread.name == "decode" for thread in threading.enumerate())


class WatchedSource(Snapshot):
    """A compressed file that knows the threads that read it."""

    readers: frozenset[str] = frozenset()

    def read(self, offset: int, length: int) -> bytes:
        self.readers |= {threading.current_thread().name}
        return super().read(offset, length)


class FailingSource(Snapshot):
    """A compressed file that is truncated while it is read."""

    def read(self, offset: int, length: int) -> bytes:
        if offset > 600_000:
            raise FilewrightError("io_error", "was truncated")
        return super().read(offset, length)


def view(data: bytes, settings=SMALL, cache=None, task=None) -> Snapshot:
    snapshot = Snapshot(data, settings=settings)
    return view_if_compressed(snapshot, cache or TextCache(), task)


@cache
def whole(name: str) -> bytes:
    return COMPRESS[name](TEXT)


@pytest.fixture(params=COMPRESS, ids=str)
def compressed(request) -> bytes:
    return whole(request.param)


def test_recognises_by_content(compressed):
    assert find_compression(compressed[:16]) in COMPRESSIONS


@pytest.mark.parametrize("text", [b"BZh9 is a text", b"", b"\x1f", b"plain"])
def test_leaves_other_content(text):
    snapshot = Snapshot(text)
    assert view_if_compressed(snapshot, TextCache()) is snapshot


def test_reads_any_range(compressed):
    text = view(compressed)
    places = random.Random(1)
    for _ in range(30):
        offset = places.randrange(len(TEXT))
        length = places.randrange(300_000)
        assert text.read(offset, length) == TEXT[offset : offset + length]
    assert text.size == len(TEXT)
    assert text.read(len(TEXT), 10) == b""


def test_decodes_no_more_than_is_read(compressed):
    text = view(compressed)
    assert text.clip(10) == 10
    assert text.known_size is None
    assert text.lines.offset_of(3) == 80
    assert text.known_size is None
    assert text.has_byte(len(TEXT) - 1)
    assert not text.has_byte(len(TEXT))


def test_counts_lines(compressed):
    text = view(compressed)
    assert text.lines.count_lines() == 40_000
    assert text.lines.line_at(TEXT.index(b"020000 ")) == 20_001
    assert text.read(text.lines.offset_of(40_000), 7) == b"039999 "


def test_holds_short_text(compressed):
    text = view(compressed, Settings.defaults())
    assert text.content == TEXT
    assert text.compression


@pytest.mark.parametrize("name", COMPRESS)
def test_joins_members(name):
    compress = COMPRESS[name]
    text = view(compress(TEXT[:700_000]) + compress(TEXT[700_000:]))
    assert text.read(600_000, 200_000) == TEXT[600_000:800_000]
    assert text.size == len(TEXT)


@pytest.mark.parametrize("name", ["gzip", "xz"])
@pytest.mark.parametrize("count", [8, 70_000])
def test_goes_on_behind_zeros(name, count):
    data = COMPRESS[name](b"one\n")
    text = view(data + bytes(count) + data)
    assert text.read(0, 100) == b"one\none\n"
    assert not text.problem


def test_ignores_zeros_at_the_end():
    text = view(whole("gzip") + b"\0" * 512)
    assert (text.size, text.problem) == (len(TEXT), "")


@pytest.mark.parametrize("name", COMPRESS)
def test_shows_text_before_an_early_end(name):
    data = whole(name)
    text = view(data[: len(data) * 3 // 4])
    assert 0 < text.size < len(TEXT)
    assert text.read(0, text.size) == TEXT[: text.size]
    assert text.problem.startswith(
        "is damaged: it ends in the middle of its data"
    )


def test_shows_text_before_damage():
    data = bytearray(whole("gzip"))
    data[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    text = view(bytes(data))
    assert text.size < len(TEXT)
    assert text.problem.startswith("is damaged: it cannot be decoded further")


def test_refuses_bomb():
    settings = SMALL.replace(unpacked_bytes=1 << 20)
    text = view(gzip.compress(b"x\n" * (1 << 21)), settings)
    with pytest.raises(FilewrightError, match="holds more than 1,048,576"):
        _ = text.size


def test_stops_when_cancelled():
    task = Task()
    text = view(whole("gzip"), task=task)
    task.cancel()
    with pytest.raises(FilewrightError, match="cancelled"):
        _ = text.size


def test_binary_inside():
    data = zlib.compress(bytes(200_000), 9, 31)
    assert view(data).binary_type == "application/octet-stream"


def test_decodes_ahead(compressed):
    source = WatchedSource(compressed, settings=SMALL)
    text = view_if_compressed(source, TextCache())
    # Units in memory, as those by which the encoding was detected.
    text.read(0, 1_000_000)
    with text, closing(text.iterate_units(5)) as units:
        parts = [next(units) for _ in range(5)]
        # Reads meanwhile, before and behind the units that were taken.
        for offset in (1_100_000, 10, 1_000_000, 700_000):
            assert text.read(offset, 50) == TEXT[offset : offset + 50]
        assert b"".join([*parts, *units]) == TEXT[5:]
    assert "decode" in source.readers
    assert not is_decoding()


@pytest.mark.parametrize("count", [3, 6])
def test_goes_on_after_pass_was_ended(compressed, count):
    text = view(compressed)
    with closing(text.iterate_units(0)) as units:
        for _ in range(count):
            next(units)
    assert not is_decoding()
    assert b"".join(text.iterate_units(500_000)) == TEXT[500_000:]
    assert text.size == len(TEXT)


def test_cancels_pass(compressed):
    task = Task()
    text = view(compressed, task=task)
    units = text.iterate_units(0)
    for _ in range(4):
        next(units)
    task.cancel()
    with pytest.raises(FilewrightError, match="cancelled"):
        list(units)
    assert not is_decoding()


def test_raises_error_of_thread():
    data = whole("gzip")
    source = FailingSource(data, settings=SMALL)
    with view_if_compressed(source, TextCache()) as text:
        length = 0
        with pytest.raises(FilewrightError, match="was truncated"):
            for unit in text.iterate_units(0):
                length += len(unit)
        assert 512 << 10 <= length < len(TEXT)
        assert not is_decoding()
        assert text.read(100, 10) == TEXT[100:110]


def test_closes_while_decoding(compressed):
    text = view(compressed)
    units = text.iterate_units(0)
    for _ in range(3):
        next(units)
    text.close()
    assert not is_decoding()
    units.close()


def test_two_threads_read_one_view(compressed):
    text = view(compressed)

    def read_all(start: int) -> bool:
        return b"".join(text.iterate_units(start)) == TEXT[start:]

    def read_places(seed: int) -> bool:
        places = random.Random(seed)
        offsets = [places.randrange(len(TEXT)) for _ in range(10)]
        return all(text.read(o, 99) == TEXT[o : o + 99] for o in offsets)

    with text, ThreadPoolExecutor(3) as pool:
        results = [
            pool.submit(read_all, 0),
            pool.submit(read_all, 300_000),
            pool.submit(read_places, 1),
        ]
        assert all(result.result() for result in results)
    assert not is_decoding()


def test_pass_refuses_bomb():
    settings = SMALL.replace(unpacked_bytes=1 << 20)
    text = view(gzip.compress(b"x\n" * (1 << 21)), settings)
    with pytest.raises(FilewrightError, match="holds more than 1,048,576"):
        list(text.iterate_units(0))
    assert not is_decoding()


# Members of very different sizes, some of them empty.
SIZES = (0, 1, 700_000, 0, 0, 5_000, 262_144, 3, 100_000)


@cache
def in_members(name: str) -> bytes:
    members, offset = [], 0
    for size in (*SIZES, len(TEXT)):
        members.append(COMPRESS[name](TEXT[offset : offset + size]))
        offset += size
    return b"".join(members)


@pytest.mark.parametrize("name", COMPRESS)
def test_reads_members_of_all_sizes(name):
    data = in_members(name)
    text = view(data)
    assert b"".join(text.iterate_units(0)) == TEXT
    for offset in (699_990, 1_100_000, 704_990, 100):
        assert text.read(offset, 20) == TEXT[offset : offset + 20]
    cut = view(data[: len(data) * 2 // 3])
    assert TEXT.startswith(b"".join(cut.iterate_units(0)))
    assert cut.problem.startswith(
        "is damaged: it ends in the middle of its data"
    )


@pytest.mark.parametrize("name", COMPRESS)
def test_tells_of_other_data_at_the_end(name):
    text = view(whole(name) + b"garbage")
    assert b"".join(text.iterate_units(0)) == TEXT
    assert text.problem.startswith(
        "has other data behind its compressed data; "
    )


@pytest.mark.parametrize("name", ["gzip", "zstd", "xz", "bzip2"])
def test_pass_ends_before_damage(name):
    data = bytearray(whole(name))
    middle = len(data) // 2
    data[middle : middle + 64] = bytes(64)
    text = view(bytes(data))
    parts = b"".join(text.iterate_units(0))
    assert len(parts) < len(TEXT)
    assert text.problem.startswith("is damaged: it cannot be decoded further")
    assert text.size == len(parts)
