"""Matches of a pattern against an independent engine, and the end of a search."""

import os
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.patterns import SETTINGS, anchored, regexes, spans, texts

from filewright.boundary.boundary import Boundary
from filewright.errors import Code, FilewrightError
from filewright.progress import Task
from filewright.search.hits import search_snapshot
from filewright.search.matches import WindowSizes, find_matches
from filewright.search.pattern import compile_pattern
from filewright.settings import Settings
from filewright.text.snapshot import Snapshot


def by_python(pattern: str, line: str) -> list[tuple[int, int]]:
    regexp = re.compile(pattern.replace("$", r"\Z"), re.ASCII)
    found = []
    position, last = 0, -1
    while (
        position <= len(line)
        and (match := regexp.search(line, position)) is not None
    ):
        low, high = match.span()
        if high > low or low != last:
            found.append((low, high))
        position, last = (high if high > low else high + 1), high
    return found


@SETTINGS
@given(regexes, texts)
def test_agrees_with_an_independent_engine(pattern, text):
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    compiled = compile_pattern(pattern, mode="regex", case="sensitive")
    expected = []
    position = 0
    # Line by line: a match never crosses lines, and `\s` and `[^a]` do not take the terminator.
    for line in (
        text.split("\n") if not text.endswith("\n") else text.split("\n")[:-1]
    ):
        expected += [
            (position + a, position + b) for a, b in by_python(pattern, line)
        ]
        position += len(line) + 1
    if not text:
        expected = []
    data = text.encode()
    at = [len(text[:i].encode()) for i in range(len(text) + 1)]
    assert spans(Snapshot(data), compiled) == [
        (at[a], at[b]) for a, b in expected
    ]


@SETTINGS
@given(
    anchored,
    texts,
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "cp1252", "gb18030"]),
)
def test_same_matches_in_every_encoding(pattern, text, codec):
    compiled = compile_pattern(pattern, mode="regex")
    plain = text.encode()
    data = text.encode(codec)
    wanted = [plain[a:b].decode() for a, b in spans(Snapshot(plain), compiled)]
    assert [
        data[a:b].decode(codec)
        for a, b in spans(Snapshot(data, encoding=codec), compiled)
    ] == wanted


@SETTINGS
@given(anchored, texts, st.integers(1, 40))
def test_same_matches_in_windows_of_any_size(pattern, text, length):
    compiled = compile_pattern(pattern, mode="regex")
    snapshot = Snapshot(text.encode())
    small = WindowSizes(length=length)
    assert [
        (m.offset, m.end)
        for m in find_matches(snapshot, compiled, windows=small)
    ] == spans(snapshot, compiled)


@SETTINGS
@given(
    st.text("ab\n", min_size=1, max_size=4),
    st.text("ab\n", max_size=60),
    st.integers(1, 7),
)
def test_same_literals_in_windows_of_any_size(needle, text, block):
    compiled = compile_pattern(needle, case="sensitive")
    snapshot = Snapshot(text.encode())
    expected = [
        (m.start(), m.end()) for m in re.finditer(re.escape(needle), text)
    ]
    small = WindowSizes(
        length=block,
        max_length=block + 8,
        overlap=8,
        multiline_length=block + 8,
        multiline_overlap=8,
    )
    assert [
        (m.offset, m.end)
        for m in find_matches(snapshot, compiled, windows=small)
    ] == expected


# Stopping


class _CancelledAtCheck(Task):
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
def test_cancels_between_windows(opened, monkeypatch, pattern, hold):
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
            snapshot,
            compiled,
            limit=5,
            windows=small,
            task=_CancelledAtCheck(3),
        )
    assert caught.value.code is Code.CANCELLED


def test_cancels_while_the_engine_runs(opened, monkeypatch):
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


def test_finds_all_matches_in_a_thread() -> None:
    pattern = compile_pattern("word", whole_word=True)
    text = (b"word" + b" " * 46) * 2_000
    found = [match.offset for match in find_matches(Snapshot(text), pattern)]
    assert found == list(range(0, len(text), 50))


def test_file_truncated_while_it_is_searched(
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


@pytest.mark.parametrize(
    "pattern",
    [r"\B", r".??\B", r"\B\W??", r"(\B|x)", r"\b|\B", r"x*\B", r"(?:\B)+?"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252", "gb18030"])
def test_empty_match_is_never_inside_a_character(opened, pattern, encoding):
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
