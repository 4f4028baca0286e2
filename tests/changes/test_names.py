"""Shortened names of changes and sessions."""

from __future__ import annotations

import re

import pytest

from filewright.changes.moments import parse_moment
from filewright.changes.names import find_abbreviated, shorten_ids
from filewright.errors import FilewrightError

IDS = ["1hv1tq7jb0jcz", "1hv1tq7jbtpr5", "1hv1tq8atpr5c", "1hv1tq9ab100d"]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param("1hv1tq8", IDS[2], id="begin"),
        pytest.param("pr5c", IDS[2], id="end"),
        pytest.param("r5c", None, id="short end"),
        pytest.param("1tq8", None, id="middle"),
    ],
)
def test_finds(part: str, expected: str | None) -> None:
    assert find_abbreviated(part, IDS, "change", min_end=4) == expected


def test_refuses_several() -> None:
    with pytest.raises(FilewrightError, match="1hv1tq7jb0jcz, 1hv1tq7jbtpr5"):
        find_abbreviated("1hv1tq7", IDS, "change", min_end=4)


def test_shortens() -> None:
    ends = shorten_ids(IDS, IDS)
    # 100d would be a time, so all are a character longer.
    assert list(ends.values()) == ["b0jcz", "btpr5", "tpr5c", "b100d"]
    for change_id, end in ends.items():
        assert parse_moment(end) is None
        assert find_abbreviated(end, IDS, "change", min_end=4) == change_id


def test_shortens_to_no_beginning_of_others() -> None:
    ids = ["1hv1tq7jb0jcz", "1hv1tq7jb1hv1"]
    for end in shorten_ids(ids, ids).values():
        assert not re.match(end, ids[0])
