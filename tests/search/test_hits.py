"""Hits of one file: lines, columns, pages, inversion and counts."""

import threading

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.search import prefilter as prefilter_module
from filewright.search.hits import Hit, count_hits, search_snapshot
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot

TEXT = "one\r\ntwo foo bar foo\rthree\n\nföur foo"


def rows(
    snapshot: Snapshot, pattern: str, **options: object
) -> list[tuple[int, int, int]]:
    invert = bool(options.pop("invert", False))
    compiled = compile_pattern(pattern, **options)  # type: ignore[arg-type]
    found = search_snapshot(snapshot, compiled, limit=1000, invert=invert)
    assert found.complete
    return [(hit.line, hit.column, len(hit.submatches)) for hit in found.hits]


@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "gb18030", "utf-16-be"]
)
@pytest.mark.parametrize(
    ("pattern", "options", "expected"),
    [
        ("foo", {}, [(2, 5, 2), (5, 6, 1)]),
        ("FOO", {"case": "insensitive"}, [(2, 5, 2), (5, 6, 1)]),
        ("FOO", {}, []),
        ("fo+$", {"mode": "regex"}, [(2, 13, 1), (5, 6, 1)]),
        ("^$", {"mode": "regex"}, [(4, 1, 1)]),
        ("foo", {"invert": True}, [(1, 1, 0), (3, 1, 0), (4, 1, 0)]),
        (
            r"^\w+$",
            {"mode": "regex", "invert": True},
            [(2, 1, 0), (4, 1, 0), (5, 1, 0)],
        ),
        ("foo\nthree", {}, [(2, 13, 1)]),
        (r"e\s+f", {"mode": "regex", "multiline": True}, [(3, 5, 1)]),
        ("oo", {"whole_word": True}, []),
        (
            r"bar|three",
            {"mode": "regex", "whole_word": True},
            [(2, 9, 1), (3, 1, 1)],
        ),
        ("ö", {}, [(5, 2, 1)]),
    ],
)
def test_same_lines_and_columns_in_every_encoding(
    codec, pattern, options, expected
):
    text = TEXT.replace("ö", "ö")
    data = (
        b"\xfe\xff" + text.encode(codec)
        if codec == "utf-16-be"
        else text.encode(codec)
    )
    named = codec if codec in ("cp1252", "gb18030") else None
    assert rows(Snapshot(data, encoding=named), pattern, **options) == expected


def test_form_feeds_and_separators_end_no_line():
    text = "a\fb\u2028c\x85d\v x\nx"
    assert rows(Snapshot(text.encode()), "x") == [(1, 10, 1), (2, 1, 1)]


def test_invalid_bytes():
    snapshot = Snapshot(b"a\xffb x\nfine x\n")
    assert rows(snapshot, "x") == [(1, 5, 1), (2, 6, 1)]
    assert rows(snapshot, "a.b", mode="regex") == []
    assert rows(Snapshot(b"\xffx\xff x"), "x", whole_word=True) == [(1, 2, 2)]


@pytest.mark.parametrize("codec", ["shift_jis", "gb18030", "big5"])
def test_match_never_begins_inside_a_character(codec):
    text = "表示\\n ソース\\" if codec == "shift_jis" else "許功蓋\\"
    data = text.encode(codec)
    snapshot = Snapshot(data, encoding=codec)
    hits = search_snapshot(snapshot, compile_pattern("\\"), limit=10).hits
    spans = [span for hit in hits for span in hit.submatches]
    assert len(spans) == text.count("\\")
    assert all(
        data[:a].decode(codec) is not None and data[a:b] == b"\\"
        for a, b in spans
    )


# Pages, counts, completeness


@examples(13, derandomize=True)
@given(
    st.lists(
        st.sampled_from(
            ["a", "b a a", "", "ab", "c" * 900 + "a" + "c" * 900 + "a"]
        ),
        max_size=12,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 4),
    st.sampled_from(["a", "^a|b", "x*", "^$", "$"]),
    st.booleans(),
    st.booleans(),
)
@example(["a", "a"], "\n", 1, "$", False, False)
@example(["a", "a", ""], "\n", 1, "$", False, False)
@example(["a", "b a a"], "\n", 1, "a", False, True)
def test_joined_pages_are_the_whole(
    lines, end, limit, pattern, invert, whole_word
):
    snapshot = Snapshot(end.join(lines).encode())
    compiled = compile_pattern(pattern, mode="regex", whole_word=whole_word)
    whole = search_snapshot(
        snapshot, compiled, limit=10_000, invert=invert
    ).hits
    pages: list[Hit] = []
    start: int | None = None
    while True:
        found = search_snapshot(
            snapshot, compiled, limit=limit, start=start, invert=invert
        )
        pages += found.hits
        if found.complete:
            break
        assert found.stopped_at is not None
        assert found.reason
        start = found.stopped_at
    assert [(h.offset, h.line, h.column, h.submatches) for h in pages] == [
        (h.offset, h.line, h.column, h.submatches) for h in whole
    ]


@pytest.mark.parametrize("hold", [True, False])
@pytest.mark.parametrize("pattern", ["foo", "^f", "^$"])
@pytest.mark.parametrize("text", [TEXT, "foo\nfoo foo\n\nbar\n", "", "foo"])
def test_counts_lines(opened, monkeypatch, hold, pattern, text):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    snapshot = opened(text.encode(), hold=hold)
    compiled = compile_pattern(pattern, mode="regex")
    hits = search_snapshot(snapshot, compiled, limit=1000).hits
    assert count_hits(snapshot, compiled) == len({hit.line for hit in hits})
    others = search_snapshot(snapshot, compiled, limit=1000, invert=True).hits
    assert count_hits(snapshot, compiled, invert=True) == len(others)


def test_several_threads(opened):
    data = b"".join(b"row %06d\n" % n for n in range(20_000))
    snapshot = opened(data)
    answers: dict[int, list[int]] = {}

    def search(n: int) -> None:
        compiled = compile_pattern(rf"row 0*{n}$", mode="regex")
        answers[n] = [
            hit.line
            for hit in search_snapshot(snapshot, compiled, limit=5).hits
        ]

    threads = [
        threading.Thread(target=search, args=(n,)) for n in (7, 7_777, 19_999)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {7: [8], 7_777: [7_778], 19_999: [20_000]}


@examples(15, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(["foo", "x", "", "foofoo"]), max_size=10),
    st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_inverse_has_the_other_lines(lines, end):
    snapshot = Snapshot("".join(line + end for line in lines).encode())
    compiled = compile_pattern("foo")
    matching = {
        hit.line for hit in search_snapshot(snapshot, compiled, limit=100).hits
    }
    others = {
        hit.line
        for hit in search_snapshot(
            snapshot, compiled, limit=100, invert=True
        ).hits
    }
    assert matching | others == set(range(1, len(lines) + 1))
    assert not matching & others
