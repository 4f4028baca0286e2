"""Decoding ahead: passes over a text, while it is read, cancelled, closed or damaged."""

from __future__ import annotations

import gzip
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from tests.text.compressed_texts import COMPRESS, SMALL, TEXT, view, whole

from filewright.errors import FilewrightError
from filewright.progress import Task
from filewright.text.compressed import TextCache, view_if_compressed
from filewright.text.snapshot import Snapshot


@pytest.fixture(params=COMPRESS, ids=str)
def compressed(request) -> bytes:
    return whole(request.param)


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


def test_pass_refuses_bomb():
    settings = SMALL.replace(unpacked_bytes=1 << 20)
    text = view(gzip.compress(b"x\n" * (1 << 21)), settings)
    with pytest.raises(FilewrightError, match="holds more than 1,048,576"):
        list(text.iterate_units(0))
    assert not is_decoding()


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
