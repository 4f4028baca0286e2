"""Places of hunks, and the reasons why hunks have none."""

from __future__ import annotations

import pytest

from filewright.edit.patch.placement import NoPlace, to_line_numbers


def test_names_first_lines_from_one() -> None:
    assert to_line_numbers([0, 4]) == (1, 5)
    assert to_line_numbers(range(100)) == tuple(range(1, 21))


@pytest.mark.parametrize(
    ("place", "is_done"),
    [
        (NoPlace("already_applied"), True),
        (NoPlace("sent_twice"), True),
        (NoPlace("doubtful"), False),
        (NoPlace("no_match"), False),
    ],
)
def test_done_hunks(place: NoPlace, is_done: bool) -> None:
    assert place.is_done is is_done
