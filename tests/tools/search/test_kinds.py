"""The kinds of lines on a page: few of them, unless the caller wants more."""

from __future__ import annotations

import pytest

from filewright.search.hit_groups import HitGroups
from filewright.text.snapshot import Snapshot
from filewright.tools.search.arguments import SearchArguments
from filewright.tools.search.kinds import choose_kinds
from filewright.tools.search.rendering import describe_kinds


def choose(kind_count: int, width: int = 0, **arguments):
    """Choose of kinds with 1, 2, 3… lines."""
    content = ""
    for number in range(kind_count):
        word = chr(97 + number // 26) + chr(97 + number % 26) + "x" * width
        content += f"hit {word}\n" * (number + 1)
    groups = HitGroups()
    snapshot = Snapshot(content.encode())
    groups.add(snapshot, [line.offset for line in snapshot.lines.read_lines()])
    return choose_kinds(
        groups,
        SearchArguments(pattern="hit", output="kinds", **arguments),
        max_chars=12_000,
        with_path=False,
    )


def test_rarest_and_most_frequent():
    kinds = choose(50)
    counts = [kind.count for kind in kinds.kinds]
    assert counts == [*range(1, 11), *range(41, 51)]
    assert describe_kinds(kinds) == (
        "50 kinds of 1,275 matching lines, the rarest and the most frequent shown; "
        "30 more kinds: max_results=50"
    )
    assert len(choose(50, max_results=50).kinds) == 50


@pytest.mark.parametrize(
    ("arguments", "count"), [({}, 11), ({"max_results": 15}, 15)]
)
def test_long_lines(arguments, count):
    kinds = choose(15, width=300, **arguments)
    assert len(kinds.kinds) == count
    assert all(len(kind.text) == 121 for kind in kinds.kinds)
