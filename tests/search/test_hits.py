"""One file: hits, lines, columns, excerpts, context, pages, inversion, counts; and what stops a search."""

import os
import re
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search import prefilter as prefilter_module
from filewright.search.excerpts import build_excerpt, read_context
from filewright.search.hits import Hit, count_hits, search_snapshot
from filewright.search.matches import WindowSizes, find_matches
from filewright.search.pattern import compile_pattern
from filewright.settings import Settings
from filewright.text.lines import Lines, ReadSizes
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
def test_lines_and_columns_do_not_depend_on_the_encoding(
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


def test_form_feeds_and_unicode_separators_end_no_line():
    text = "a\fb\u2028c\x85d\v x\nx"
    assert rows(Snapshot(text.encode()), "x") == [(1, 10, 1), (2, 1, 1)]


def test_an_invalid_byte_is_neither_a_refusal_nor_a_match():
    snapshot = Snapshot(b"a\xffb x\nfine x\n")
    assert rows(snapshot, "x") == [(1, 5, 1), (2, 6, 1)]
    assert rows(snapshot, "a.b", mode="regex") == []
    assert rows(Snapshot(b"\xffx\xff x"), "x", whole_word=True) == [(1, 2, 2)]


@pytest.mark.parametrize("codec", ["shift_jis", "gb18030", "big5"])
def test_a_match_never_begins_inside_a_character(codec):
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


# Long lines


def test_a_hit_far_into_a_long_line_is_shown_with_its_surroundings():
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


def test_many_matches_on_a_long_line_are_hits_that_each_show_theirs():
    snapshot = Snapshot(("ab" * 50 + "needle").encode() * 200)
    hits = search_snapshot(snapshot, compile_pattern("needle"), limit=1000).hits
    assert sum(len(hit.submatches) for hit in hits) == 200
    assert {hit.line for hit in hits} == {1}
    for hit in hits:
        shown = build_excerpt(snapshot, hit, 500)
        assert [shown.text[a:b] for a, b in shown.ranges] == ["needle"] * len(
            hit.submatches
        )


def test_a_line_longer_than_any_window_is_searched_without_being_held(
    opened, monkeypatch
):
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


def test_a_hundred_megabyte_line_has_a_small_excerpt(opened):
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
def test_an_excerpt_always_holds_the_hit_on_whole_characters(
    before, word, after, chars, codec
):
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
def test_a_long_match_shows_its_beginning_and_end(codec, before, match, after):
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


def test_a_match_of_several_lines_shows_no_end_in_its_first_line():
    snapshot = Snapshot(("a" + "x" * 300 + "\n" + "y" * 300 + "b\n").encode())
    pattern = compile_pattern("ax+\\ny+b", mode="regex", multiline=True)
    (hit,) = search_snapshot(snapshot, pattern, limit=5).hits
    shown = build_excerpt(snapshot, hit, 90)
    assert (len(shown.text), shown.match_end) == (90, "")


def test_a_byte_order_mark_is_not_shown():
    for codec in ("utf-8-sig", "utf-16"):
        snapshot = Snapshot("foo bar".encode(codec))
        (hit,) = search_snapshot(
            snapshot, compile_pattern("^foo", mode="regex"), limit=5
        ).hits
        assert hit.column == 1
        assert build_excerpt(snapshot, hit, 80).text == "foo bar"


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_context_is_the_lines_above_and_below(codec):
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
def test_pages_joined_are_the_whole(
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
def test_counts_are_of_lines(opened, monkeypatch, hold, pattern, text):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    snapshot = opened(text.encode(), hold=hold)
    compiled = compile_pattern(pattern, mode="regex")
    hits = search_snapshot(snapshot, compiled, limit=1000).hits
    assert count_hits(snapshot, compiled) == len({hit.line for hit in hits})
    others = search_snapshot(snapshot, compiled, limit=1000, invert=True).hits
    assert count_hits(snapshot, compiled, invert=True) == len(others)


@pytest.mark.parametrize("pattern", ["foo", "o b", "nothing", "^two|^f"])
@pytest.mark.parametrize(
    ("terminators", "mark"),
    [
        # Each end of lines without a mark, and those as they are with it; all of them in the sweep.
        pytest.param(
            end,
            mark,
            marks=[pytest.mark.sweep] if mark and end != "as they are" else [],
        )
        for end in ("as they are", "\n", "\r\n", "\r")
        for mark in (b"", b"\xef\xbb\xbf")
    ],
)
@pytest.mark.parametrize("far", [-1, 8 << 20])
def test_the_child_process_gives_the_same_hits(
    opened, monkeypatch, pattern, mark, terminators, far
):
    text = TEXT * 3
    if terminators != "as they are":
        text = terminators.join(
            text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        )
    data = mark + text.encode()
    compiled = compile_pattern(pattern, mode="regex")
    here = search_snapshot(opened(data, hold=True), compiled, limit=1000)
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    monkeypatch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", far)
    snapshot = opened(data)
    assert search_snapshot(snapshot, compiled, limit=1000) == here
    assert (
        snapshot.lines.count_lines()
    )  # what is known of the lines already is used
    assert search_snapshot(snapshot, compiled, limit=1000) == here


@pytest.mark.parametrize("lone", [None, 50, 100_000, 299_999])
def test_numbers_that_the_child_counted_are_ours(opened, monkeypatch, lone):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    monkeypatch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", 0)
    rows = [
        b"row %06d\r\n" % n if n % 3 else b"row %06d\n" % n
        for n in range(300_000)
    ]
    if lone is not None:
        rows[lone] = b"two\rlines\n"
    data = b"".join(rows)
    ends = [match.end() for match in re.finditer(rb"\r\n?|\n", data)]
    snapshot = opened(data)
    # Without lines near a known one, each answer uses what the child counted.
    snapshot.lines = Lines(snapshot, read_sizes=ReadSizes(near=0))
    hits = search_snapshot(
        snapshot, compile_pattern("row (150000|299998)", mode="regex"), limit=9
    ).hits
    assert len(hits) == 2
    for hit in hits:
        assert (
            snapshot.lines.offset_of(hit.line)
            == hit.line_offset
            == ends[hit.line - 2]
        )
        for line in (
            1,
            2,
            hit.line - 1999,
            hit.line - 1,
            hit.line + 1,
            hit.line + 2500,
            len(ends) + 9,
        ):
            known = (
                0
                if line == 1
                else ends[line - 2]
                if line <= len(ends)
                else len(data)
            )
            assert snapshot.lines.offset_of(line) == known
            assert line > len(ends) or snapshot.lines.line_at(known) == line


@pytest.mark.needs("confinement")
def test_what_was_heard_of_a_file_holds_until_it_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    monkeypatch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", 0)
    path, options = tmp_path / "log", Settings(hold_bytes=0)
    boundary = Boundary([tmp_path], options)
    where = boundary.locate("log")
    started = []
    start = boundary.launcher.start
    monkeypatch.setattr(
        boundary.launcher,
        "start",
        lambda *a, **k: started.append(0) or start(*a, **k),
    )

    def found(text: str) -> tuple[list[int], int]:
        started.clear()
        with Snapshot.of_file(
            boundary.open_file(where),
            where,
            options,
            launcher=boundary.launcher,
        ) as snapshot:
            hits = search_snapshot(
                snapshot, compile_pattern(text), limit=100
            ).hits
        return [hit.line for hit in hits], len(started)

    lines = [f"row {n}" for n in range(1, 5000)]
    path.write_text("\n".join([*lines, ""]))
    os.utime(path, (0, 0))
    time.sleep(
        0.1
    )  # for as long as another write could leave the same times nothing is kept
    assert [found("row 4999"), found("row 4999"), found("none"), found("none")] == [
        ([4999], 2), ([4999], 0), ([], 2), ([], 0),
    ]  # fmt: skip
    path.write_text("\n".join(reversed(lines)))
    assert found("row 4999") == ([1], 2)
    boundary.close()


def test_a_match_over_lines_is_found_across_windows(opened, monkeypatch):
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
def test_the_ends_of_a_window_are_not_those_of_the_file(
    opened, pattern, places
):
    snapshot = opened(b"line 25\n" * 62 + b"5")
    compiled = compile_pattern(pattern, mode="regex", multiline=True)
    for length in range(8, 40):
        small = WindowSizes(
            multiline_length=length, multiline_overlap=length // 2
        )
        assert [
            (m.offset, m.end)
            for m in find_matches(snapshot, compiled, windows=small)
        ] == places
    leaving = replace(
        compile_pattern("line", whole_word=True),
        excluded=compile_pattern(r"\Aline", mode="regex"),
    )
    small = WindowSizes(length=8, max_length=8, overlap=2)
    assert len(list(find_matches(snapshot, leaving, windows=small))) == 61


# Stopping


class _Counting(Task):
    """Cancels itself at its nth check."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self.left = checks

    def check(self) -> None:
        self.left -= 1
        if self.left <= 0:
            self.cancel()
        super().check()


@pytest.mark.parametrize("pattern", ["needle", "n[e]+dle", "e\ne"])
@pytest.mark.parametrize("hold", [True, False])
def test_a_search_is_cancelled_between_blocks(
    opened, monkeypatch, pattern, hold
):
    small = WindowSizes(
        length=1000,
        max_length=1000,
        overlap=100,
        multiline_length=1000,
        multiline_overlap=100,
    )
    snapshot = opened(b"some text here\n" * 1_000, hold=hold)
    compiled = compile_pattern(
        pattern, mode="regex" if "[" in pattern else "literal"
    )
    with pytest.raises(FilewrightError) as caught:
        search_snapshot(
            snapshot, compiled, limit=5, windows=small, task=_Counting(3)
        )
    assert caught.value.code is Code.CANCELLED


def test_a_search_that_cannot_be_interrupted_is_left_alone_when_cancelled(
    opened, monkeypatch
):
    release = threading.Event()
    task = Task()

    class Endless:
        groups = 0
        programsize = 1 << 40

        def search(self, text: bytes, index: int) -> None:
            task.cancel()
            release.wait()

    compiled = compile_pattern("a\nb")
    monkeypatch.setitem(compiled.__dict__, "regexp", Endless())
    with pytest.raises(FilewrightError) as caught:
        next(find_matches(opened(b"x" * 5000), compiled, task=task))
    release.set()
    assert caught.value.code is Code.CANCELLED


@pytest.mark.needs("confinement")
def test_a_search_that_is_left_ends_its_child(opened, monkeypatch):
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    snapshot = opened(b"some text here\n" * 1000)
    launcher = snapshot.launcher
    started = []
    start = launcher.start
    monkeypatch.setattr(
        launcher,
        "start",
        lambda *a, **k: started.append(start(*a, **k)) or started[-1],
    )
    search = find_matches(snapshot, compile_pattern("t[e]xt", mode="regex"))
    next(search)
    search.close()
    assert [child.stdout.closed for child in started] == [True, True]


def test_a_file_truncated_while_it_is_searched_is_an_error_not_a_crash(
    tmp_path: Path,
):
    path = tmp_path / "shrinks"
    path.write_bytes(b"some text here\n" * 300_000)
    options = Settings(hold_bytes=0)
    boundary = Boundary([tmp_path], options)
    where = boundary.locate("shrinks")
    with Snapshot.of_file(
        boundary.open_file(where),
        where,
        options,
        launcher=boundary.launcher,
    ) as snapshot:
        found = find_matches(snapshot, compile_pattern("here"))
        next(found)
        os.truncate(path, 100)
        with pytest.raises(FilewrightError) as caught:
            list(found)
    boundary.close()
    assert caught.value.code is Code.IO_ERROR


def test_searches_of_several_threads_do_not_disturb_each_other(opened):
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
def test_a_line_either_matches_or_is_in_the_inverse(lines, end):
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


@pytest.mark.parametrize(
    "pattern",
    [r"\B", r".??\B", r"\B\W??", r"(\B|x)", r"\b|\B", r"x*\B", r"(?:\B)+?"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252", "gb18030"])
def test_a_match_of_nothing_is_never_inside_a_character(
    opened, pattern, encoding
):
    text = "aéb ï日\n\né\u0301"
    text = text if encoding != "cp1252" else "aéb ï\n\né"
    snapshot = opened(text.encode(encoding), encoding=encoding)
    compiled = compile_pattern(pattern, mode="regex")
    positions = {
        snapshot.start + len(text[:n].encode(snapshot.encoding.name))
        for n in range(len(text) + 1)
    }
    found = list(find_matches(snapshot, compiled))
    assert {match.offset for match in found} <= positions
    assert {match.end for match in found} <= positions
    assert search_snapshot(snapshot, compiled, limit=10).hits


@pytest.mark.parametrize(
    ("pattern", "mode", "case"),
    [
        ("жаба", "literal", "sensitive"),
        ("жаба", "literal", "insensitive"),
        ("ЖАБА|toad", "regex", "insensitive"),
        (r"\bж\w+а$", "regex", "sensitive"),
        ("^[а-я]+ toad", "regex", "sensitive"),
        ("k", "literal", "insensitive"),
        (r"[^\x00-\x7f]", "regex", "sensitive"),
        ("表", "literal", "sensitive"),
    ],
)
def test_the_child_process_reads_encodings_of_one_byte(
    opened, pattern, mode, case
):
    lines = [
        "жаба",
        "ЖАБА toad",
        "о жабах",
        "plain",
        "toad K",
        "\ttoad\r\nжаба\rжаба toad",
        "",
    ]
    compiled = compile_pattern(pattern, mode=mode, case=case)
    for codec in ("koi8_r", "cp1251", "iso8859_5", "cp866", "mac_cyrillic"):
        data = "\n".join(lines).encode(codec) * 3
        with pytest.MonkeyPatch.context() as patch:
            here = search_snapshot(
                opened(data, hold=True, encoding=codec), compiled, limit=1000
            )
            patch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
            patch.setattr(prefilter_module, "MIN_UNCOUNTED_BYTES", -1)
            snapshot = opened(data, encoding=codec)
            assert search_snapshot(snapshot, compiled, limit=1000) == here
            assert snapshot.lines.count_lines() == 24


def test_the_child_process_goes_ahead_in_encodings_of_one_byte(
    opened, monkeypatch
):
    data = b"plain\n" * 200_000 + "жаба\n".encode("koi8_r")
    monkeypatch.setattr(prefilter_module, "MIN_PREFILTER_BYTES", 1)
    snapshot = opened(data, encoding="koi8_r")
    with prefilter_module.candidate_lines(
        snapshot, compile_pattern("жаба"), 0, Task()
    ) as next_line:
        assert next_line(0) == len(data) - 5
