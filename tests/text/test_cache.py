"""Memory within bounds: a cache, and the contents that agents have seen."""

from __future__ import annotations

import pytest
from tests.files import ROOT

from filewright.boundary.location import Location
from filewright.text.cache import BoundedCache, ShownContents

A, B = (Location(ROOT, (name,), name.decode()) for name in (b"a", b"b"))


def test_drops_least_recently_used() -> None:
    cache: BoundedCache[str] = BoundedCache(10)
    cache.put("a", "A", 4)
    cache.put("b", "B", 4)
    assert cache.get("a") == "A"
    cache.put("c", "C", 4)
    assert [cache.get(key) for key in "abc"] == ["A", None, "C"]
    assert cache.total == 8


def test_counts_replaced_and_refused_values() -> None:
    cache: BoundedCache[str] = BoundedCache(10)
    cache.put("a", "A", 9)
    cache.put("a", "AA", 3)
    assert (cache.get("a"), cache.total) == ("AA", 3)
    # A value above the limit is no reason to keep the outdated one.
    cache.put("a", "AAA", 11)
    assert (cache.get("a"), cache.total) == (None, 0)


def test_remembers_versions() -> None:
    shown = ShownContents(100)
    shown.remember(A, "1", b"one")
    shown.remember(A, "2", b"two")
    shown.remember(A, "2", b"part", whole=False)
    shown.remember(B, "1", b"other")
    assert shown.content_at(A, "1") == b"one"
    assert shown.content_at(A, "2") == b"two"
    assert shown.content_at(A, "3") is None
    assert shown.earlier_contents(A, except_version="1") == [b"part", b"two"]
    assert shown.earlier_contents(B) == [b"other"]


def test_shown_again_is_newest() -> None:
    shown = ShownContents(100)
    for version in "1213":
        shown.remember(A, version, version.encode())
    assert shown.earlier_contents(A) == [b"3", b"1", b"2"]


@pytest.mark.parametrize(
    ("limit", "contents", "left"),
    [
        (100, [b"1", b"2", b"3", b"4", b"5"], [b"5", b"4", b"3", b"2"]),
        (5, [b"11", b"22", b"33"], [b"33", b"22"]),
        (5, [b"1", b"too long"], [b"1"]),
    ],
    ids=["versions", "bytes", "one content"],
)
def test_bounds_of_one_file(
    limit: int, contents: list[bytes], left: list[bytes]
) -> None:
    shown = ShownContents(limit)
    for number, content in enumerate(contents):
        shown.remember(A, str(number), content)
    assert shown.earlier_contents(A) == left


def test_files_not_shown_for_longest_go_first() -> None:
    shown = ShownContents(5)
    shown.remember(A, "1", b"aaa")
    shown.remember(B, "1", b"bbb")
    assert shown.content_at(A, "1") is None
    assert shown.content_at(B, "1") == b"bbb"
