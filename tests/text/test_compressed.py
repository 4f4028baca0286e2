"""The text inside compressed files, read at any place."""

from __future__ import annotations

import gzip
import random
import zlib
from functools import cache

import pytest
from tests.text.compressed_texts import COMPRESS, SMALL, TEXT, view, whole

from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.settings import Settings
from filewright.text.compressed import TextCache, view_if_compressed
from filewright.text.snapshot import Snapshot


@pytest.fixture(params=COMPRESS, ids=str)
def compressed(request) -> bytes:
    return whole(request.param)


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
