"""The result of splices as a snapshot: it reads and composes as the text does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.files import Windowed

from filewright.edit.overlay import Overlay
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice, apply_splices, sort_splices

splices = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 4), st.binary(max_size=3)),
    max_size=4,
)


def taken(
    data: bytes, drawn: list[tuple[int, int, bytes]]
) -> tuple[Splice, ...]:
    result: list[Splice] = []
    end = -1
    for offset, length, new in sorted(drawn):
        if offset > end and offset + length <= len(data) and (length or new):
            result.append(Splice(offset, length, new))
            end = offset + length
    return sort_splices(result, len(data))


@examples(42, derandomize=True)
@given(st.binary(min_size=1, max_size=12), splices, splices)
def test_reads_as_result_and_composes(
    data: bytes,
    first: list[tuple[int, int, bytes]],
    second: list[tuple[int, int, bytes]],
) -> None:
    one = taken(data, first)
    overlay = Overlay(Snapshot(data), one)
    middle = apply_splices(data, one)
    assert overlay.content == middle
    assert overlay.size == len(middle)
    two = taken(middle, second)
    assert apply_splices(
        data, sort_splices(overlay.compose(two), len(data))
    ) == apply_splices(middle, two)
    for offset in range(len(middle) + 1):
        assert overlay.original_offset(offset) <= overlay.original_offset(
            offset, end=True
        )


@examples(17, derandomize=True)
@given(
    st.binary(min_size=1, max_size=12),
    splices,
    st.integers(0, 14),
    st.integers(0, 14),
)
def test_reads_over_file_read_by_pages(
    data: bytes, drawn: list[tuple[int, int, bytes]], offset: int, length: int
) -> None:
    one = taken(data, drawn)
    overlay = Overlay(Windowed(data), one)
    assert overlay.content is None
    assert (
        overlay.read(offset, length)
        == apply_splices(data, one)[offset : offset + length]
    )
