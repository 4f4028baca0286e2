"""Compressed formats: recognised, and decoded member by member up to their end or damage."""

from __future__ import annotations

import pytest
from tests.text.compressed_texts import COMPRESS, TEXT, view, whole

from filewright.text.compression import COMPRESSIONS, find_compression


@pytest.fixture(params=COMPRESS, ids=str)
def compressed(request) -> bytes:
    return whole(request.param)


def test_recognises_by_content(compressed):
    assert find_compression(compressed[:16]) in COMPRESSIONS


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


@pytest.mark.parametrize("name", COMPRESS)
def test_tells_of_other_data_at_the_end(name):
    text = view(whole(name) + b"garbage")
    assert b"".join(text.iterate_units(0)) == TEXT
    assert text.problem.startswith("has other data after its compressed data; ")
