"""Many values in little memory: each comes back as it was added."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

from filewright.packed_sequence import MAX_PLAIN_VALUES, PackedSequence


class _Names(PackedSequence[str]):
    """Texts; those with "whole" in them are held as they are."""

    def pack(self, value: str) -> tuple[str] | None:
        return None if "whole" in value else (value,)

    def unpack(self, fields: Any) -> str:
        return f"{fields[0]}"


def _names(count: int) -> tuple[list[str], _Names]:
    names = [f"{n} whole" if n % 5 == 0 else f"{n}" for n in range(count)]
    packed = _Names()
    for name in names:
        packed.append(name)
    return names, packed


@pytest.mark.parametrize(
    "count",
    [0, 1, MAX_PLAIN_VALUES, MAX_PLAIN_VALUES + 1, MAX_PLAIN_VALUES + 200],
)
def test_returns_values_as_they_were(count: int) -> None:
    names, packed = _names(count)
    assert len(packed) == count
    assert list(packed) == names
    assert list(reversed(packed)) == names[::-1]
    assert packed[5:-5:7] == names[5:-5:7]
    for index in (count, -count - 1):
        with pytest.raises(IndexError):
            packed[index]


def test_unpacks_each_block_once_in_a_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, packed = _names(MAX_PLAIN_VALUES + 640)
    unpacked = []

    def decompress(data: bytes) -> bytes:
        unpacked.append(data)
        return zlib.decompressobj().decompress(data)

    monkeypatch.setattr(zlib, "decompress", decompress)
    for _ in reversed(packed):
        pass
    assert len(unpacked) == 10
