import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.search.excerpts import build_excerpt, read_context
from filewright.search.hits import search_snapshot
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot

# Long lines


def test_hit_far_into_a_long_line():
    line = "x" * 5_000 + "needle" + "y" * 5_000
    snapshot = Snapshot(f"short\n{line}\n".encode())
    (hit,) = search_snapshot(snapshot, compile_pattern("needle"), limit=5).hits
    assert (hit.line, hit.column, hit.offset) == (2, 5_001, 5_006)
    shown = build_excerpt(snapshot, hit, 100)
    assert len(shown.text) == 100
    assert shown.is_cut_before
    assert shown.is_cut_after
    ((start, end),) = shown.ranges
    assert shown.text[start:end] == "needle"
    assert shown.column + start == hit.column


def test_hits_of_a_long_line_show_their_matches():
    snapshot = Snapshot(("ab" * 50 + "needle").encode() * 200)
    hits = search_snapshot(snapshot, compile_pattern("needle"), limit=1000).hits
    assert sum(len(hit.submatches) for hit in hits) == 200
    assert {hit.line for hit in hits} == {1}
    for hit in hits:
        shown = build_excerpt(snapshot, hit, 500)
        assert [shown.text[a:b] for a, b in shown.ranges] == ["needle"] * len(
            hit.submatches
        )


def test_huge_line_has_a_small_excerpt(opened):
    data = b"0123456789" * 1_000_000 + b"needle" + b"0123456789" * 1_000_000
    snapshot = opened(data)
    (hit,) = search_snapshot(snapshot, compile_pattern("needle"), limit=5).hits
    assert hit.column == 10_000_001
    assert len(build_excerpt(snapshot, hit, 500).text) == 500


@examples(13, derandomize=True)
@given(
    st.text("aé表x\U0001f600 ", max_size=60),
    st.text("bé表\U0001f600", min_size=1, max_size=8),
    st.text("aé表x\U0001f600 ", max_size=60),
    st.integers(40, 60),
    st.sampled_from(["utf-8", "utf-16-le", "gb18030"]),
)
def test_holds_the_hit_in_whole_characters(before, word, after, chars, codec):
    line = f"{before}[{word}]{after}"
    snapshot = Snapshot(
        f"first\r\n{line}\r\nlast".encode(codec), encoding=codec
    )
    (hit,) = search_snapshot(
        snapshot, compile_pattern(f"[{word}]"), limit=5
    ).hits
    shown = build_excerpt(snapshot, hit, chars)
    assert shown.text in line
    assert len(shown.text) == min(chars, len(line))
    assert [shown.text[a:b] for a, b in shown.ranges] == [f"[{word}]"]
    assert line[shown.column - 1 :].startswith(shown.text)
    assert shown.is_cut_before == (shown.column > 1)
    assert shown.is_cut_after == (
        shown.column - 1 + len(shown.text) < len(line)
    )


@pytest.mark.parametrize(
    ("codec", "before", "match", "after"),
    [
        ("utf-8", "x" * 300, "a" + "é" * 900 + "b", "y"),
        ("utf-8", "", "a" + "é" * 900 + "b", ""),
        ("utf-16-le", "x", "a" + "c" * 90_000 + "b", "y" * 9000),
        ("gb18030", "表", "a" + "表" * 101 + "b", "表"),
    ],
)
def test_long_match_shows_both_ends(codec, before, match, after):
    snapshot = Snapshot(
        f"first\r\n{before}{match}{after}\r\nlast".encode(codec), encoding=codec
    )
    (hit,) = search_snapshot(
        snapshot, compile_pattern("a[^a-z]*c*b", mode="regex"), limit=5
    ).hits
    shown = build_excerpt(snapshot, hit, 90)
    assert match.startswith(shown.text)
    assert match.endswith(shown.match_end)
    assert len(shown.text) + len(shown.match_end) == 90
    assert shown.has_more is bool(after)
    assert (
        shown.row
        == f"{'…' * bool(before)}{shown.text}…{shown.match_end}{'…' * bool(after)}"
    )


def test_match_of_several_lines_shows_no_end():
    snapshot = Snapshot(("a" + "x" * 300 + "\n" + "y" * 300 + "b\n").encode())
    pattern = compile_pattern("ax+\\ny+b", mode="regex", multiline=True)
    (hit,) = search_snapshot(snapshot, pattern, limit=5).hits
    shown = build_excerpt(snapshot, hit, 90)
    assert (len(shown.text), shown.match_end) == (90, "")


def test_hides_the_byte_order_mark():
    for codec in ("utf-8-sig", "utf-16"):
        snapshot = Snapshot("foo bar".encode(codec))
        (hit,) = search_snapshot(
            snapshot, compile_pattern("^foo", mode="regex"), limit=5
        ).hits
        assert hit.column == 1
        assert build_excerpt(snapshot, hit, 80).text == "foo bar"


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_context_lines(codec):
    snapshot = Snapshot("1\r\n2\r3\nhit\r\n\r\n6\n7".encode(codec))
    (hit,) = search_snapshot(snapshot, compile_pattern("hit"), limit=5).hits
    near = read_context(snapshot, hit, before=2, after=3, max_characters=80)
    assert [(c.line, c.text) for c in near.above] == [(2, "2"), (3, "3")]
    assert [(c.line, c.text) for c in near.below] == [
        (5, ""),
        (6, "6"),
        (7, "7"),
    ]
    near = read_context(snapshot, hit, before=9, after=0, max_characters=80)
    assert [c.line for c in near.above] == [1, 2, 3]
    assert near.below == ()
