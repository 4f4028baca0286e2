from dataclasses import replace

import pytest
from tests.samples import in_part

from filewright.search.matches import WindowSizes, find_matches
from filewright.search.pattern import compile_pattern


def test_line_longer_than_a_window(opened, monkeypatch):
    small = WindowSizes(length=64, max_length=128, overlap=32)
    data = b"a" * 1000 + b"needle7" + b"b" * 1000 + b"needle8" + b"c" * 300
    snapshot = opened(data)
    found = [
        (m.offset, m.end)
        for m in find_matches(
            snapshot, compile_pattern(r"needle\d", mode="regex"), windows=small
        )
    ]
    assert found == [(1000, 1007), (2007, 2014)]
    anchored = compile_pattern("^[ab]", mode="regex")
    assert [
        m.offset for m in find_matches(snapshot, anchored, windows=small)
    ] == [0]


def test_match_across_windows(opened, monkeypatch):
    small = WindowSizes(multiline_length=50, multiline_overlap=20)
    data = b"".join(b"line %d\r\n" % n for n in range(60))
    compiled = compile_pattern(r"9\nline \d0", mode="regex", multiline=True)
    spans = [
        data[m.offset : m.end]
        for m in find_matches(opened(data), compiled, windows=small)
    ]
    assert spans == [b"9\r\nline %d0" % n for n in range(1, 6)]


@pytest.mark.parametrize(
    ("pattern", "places"),
    [
        (r"\A(?:line|\d+)", [(0, 4)]),
        (r"\A\w+|5\n?\z", [(0, 4), (496, 497)]),
        (r"9\nline 3.\n?\z", []),
    ],
)
@in_part(3)
def test_ends_of_a_window_are_not_those_of_the_file(
    opened, pattern, places, share
):
    snapshot = opened(b"line 25\n" * 62 + b"5")
    compiled = compile_pattern(pattern, mode="regex", multiline=True)
    for length in range(8, 40, share):
        small = WindowSizes(
            multiline_length=length, multiline_overlap=length // 2
        )
        assert [
            (m.offset, m.end)
            for m in find_matches(snapshot, compiled, windows=small)
        ] == places
    leaving = replace(
        compile_pattern("line", whole_word=True),
        excluded=(compile_pattern(r"\Aline", mode="regex"),),
    )
    small = WindowSizes(length=8, max_length=8, overlap=2)
    assert len(list(find_matches(snapshot, leaving, windows=small))) == 61
