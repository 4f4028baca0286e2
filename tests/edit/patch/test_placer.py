"""Places of the hunks of a file: by number, by order, or refused."""

from __future__ import annotations

import pytest
from tests.edit.patch.hunks import read_hunks, source_of

from filewright.edit.patch.placement import HunkPlace, NoPlace
from filewright.edit.patch.placer import place_hunks

TWINS = "a\nx\nb\n1\na\nx\nb\n2\n"


def hunk(start: int, old: str = "x", above: str = "a", below: str = "b") -> str:
    return f"@@ -{start},3 +{start},3 @@\n {above}\n-{old}\n+{old}!\n {below}\n"


def places(content: str, patch: str) -> list[int | str]:
    """Return the start of each place, from 0, or the reason why there is none."""
    return [
        place.start if isinstance(place, HunkPlace) else place.reason
        for place in place_hunks(read_hunks(patch), source_of(content))
    ]


@pytest.mark.parametrize(
    ("content", "patch", "expected"),
    [
        pytest.param(TWINS, hunk(5), [4], id="at its number"),
        pytest.param(TWINS, hunk(1) + hunk(5), [0, 4], id="twice"),
        pytest.param(TWINS[2:], hunk(9), [3], id="the only one"),
        pytest.param(TWINS, hunk(4), ["ambiguous_match"], id="of several"),
        pytest.param(
            "0\n" + TWINS + "x\ny\nz\n",
            hunk(5) + hunk(9, old="y", above="x", below="z"),
            [5, 9],
            id="confirmed by the next one",
        ),
        pytest.param(
            TWINS,
            hunk(5) + hunk(1, old="1", above="b", below="a"),
            [4, "order"],
            id="above an earlier one",
        ),
        pytest.param(
            TWINS, hunk(1, old="y"), ["no_match"], id="nowhere"
        ),
        pytest.param(
            TWINS.replace("x", "x!"), hunk(1), ["already_applied"], id="applied"
        ),
        pytest.param(TWINS, hunk(1) * 2, [0, "sent_twice"], id="repeated"),
        pytest.param(
            TWINS, "@@ -0,0 +1 @@\n+new\n", ["no_context"], id="no context"
        ),
        pytest.param("", "@@ -0,0 +1 @@\n+new\n", [0], id="empty file"),
    ],
)  # fmt: skip
def test_places(content: str, patch: str, expected: list[int | str]) -> None:
    assert places(content, patch) == expected


def test_stops_at_first_without_place() -> None:
    patch = hunk(1, old="y") + hunk(5)
    assert places(TWINS, patch) == ["no_match"]


def test_refusal_names_lines() -> None:
    (place,) = place_hunks(read_hunks(hunk(4)), source_of(TWINS))
    assert isinstance(place, NoPlace)
    assert place.lines == (1, 5)
