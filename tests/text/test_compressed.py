"""The text inside compressed files, read at any place."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
import zlib

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


COMPRESS = {
    "gzip": gzip.compress,
    "zstd": zstd.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "lz4": compress_lz4,
}

# 1.5 MB, of lines that do not compress away.
TEXT = b"".join(
    b"%06d %032x\n" % (number, random.Random(number).getrandbits(128))
    for number in range(38_000)
)
SMALL = Settings.defaults().replace(hold_bytes=100_000)


def view(data: bytes, settings=SMALL, cache=None, task=None) -> Snapshot:
    snapshot = Snapshot(data, settings=settings)
    return view_if_compressed(snapshot, cache or TextCache(), task)


@pytest.fixture(params=COMPRESS, ids=str)
def compressed(request) -> bytes:
    return COMPRESS[request.param](TEXT)


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
    assert text.lines.count_lines() == 38_000
    assert text.lines.line_at(TEXT.index(b"030000 ")) == 30_001
    assert text.read(text.lines.offset_of(38_000), 7) == b"037999 "


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


def test_ignores_zeros_at_the_end():
    text = view(gzip.compress(TEXT) + b"\0" * 512)
    assert (text.size, text.problem) == (len(TEXT), "")


@pytest.mark.parametrize("name", COMPRESS)
def test_shows_text_before_an_early_end(name):
    data = COMPRESS[name](TEXT)
    text = view(data[: len(data) * 3 // 4])
    assert 0 < text.size < len(TEXT)
    assert text.read(0, text.size) == TEXT[: text.size]
    assert text.problem == "ends in the middle of its data"


def test_shows_text_before_damage():
    data = bytearray(gzip.compress(TEXT))
    data[len(data) // 2 : len(data) // 2 + 64] = bytes(64)
    text = view(bytes(data))
    assert text.size < len(TEXT)
    assert text.problem.startswith("cannot be decoded further")


def test_refuses_bomb():
    settings = SMALL.replace(unpacked_bytes=1 << 20)
    text = view(gzip.compress(b"x\n" * (1 << 21)), settings)
    with pytest.raises(FilewrightError, match="holds more than 1,048,576"):
        _ = text.size


def test_stops_when_cancelled():
    task = Task()
    text = view(gzip.compress(TEXT), task=task)
    task.cancel()
    with pytest.raises(FilewrightError, match="cancelled"):
        _ = text.size


def test_binary_inside():
    data = zlib.compress(bytes(200_000), 9, 31)
    assert view(data).binary_type == "application/octet-stream"
