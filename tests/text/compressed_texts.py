"""A text and its compressed forms, for tests."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random
from functools import cache, partial

import pytest

from filewright.settings import Settings
from filewright.text.compressed import TextCache, view_if_compressed
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


def view(data: bytes, settings=SMALL, cache=None, task=None) -> Snapshot:
    snapshot = Snapshot(data, settings=settings)
    return view_if_compressed(snapshot, cache or TextCache(), task)


@cache
def whole(name: str) -> bytes:
    return COMPRESS[name](TEXT)
