"""Groups of lines that differ only in numbers."""

import pytest

from filewright.search import hit_groups
from filewright.search.hit_groups import HitGroups
from filewright.text.snapshot import Snapshot

LOG = b"""GET /cart/17 took 5 ms
GET /cart/180 took 12 ms
id 3fa85f64-5717 failed
id 9bc00e12-0001 failed
GET /page took 1 ms
"""


def grouped(content: bytes) -> HitGroups:
    groups = HitGroups()
    snapshot = Snapshot(content)
    groups.add(snapshot, [line.offset for line in snapshot.lines.read_lines()])
    return groups


@pytest.mark.parametrize(
    ("rarest_first", "counts"), [(True, [1, 2, 2]), (False, [2, 2, 1])]
)
def test_ranks_groups(rarest_first: bool, counts: list[int]) -> None:
    groups = grouped(LOG)
    assert groups.lines == 5
    ranked = groups.ranked(rarest_first=rarest_first)
    assert [group.count for group in ranked] == counts
    by_line = {group.line: group.text for group in ranked}
    assert by_line == {
        1: "GET /cart/17 took 5 ms",
        3: "id 3fa85f64-5717 failed",
        5: "GET /page took 1 ms",
    }


def test_counts_lines_of_further_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hit_groups, "MAX_HIT_GROUPS", 1)
    groups = grouped(LOG)
    assert (len(groups), groups.others, groups.lines) == (1, 3, 5)


def test_long_line_is_compared_near_the_hit() -> None:
    content = b"a" * 500 + b" needle 1 " + b"b" * 500
    groups = HitGroups()
    group = groups.add_hit(Snapshot(content), 505)
    assert group is not None
    assert "needle 1" in group.text
    assert group.text == f"…{'a' * 35} needle 1 {'b' * 75}…"
