"""One meaning whichever engine runs: RE2 here, `rg` as a child, and Python's `re` as the oracle."""

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from tests.examples import examples

from filewright.boundary.launcher import find_program
from filewright.search.matches import WindowSizes, find_matches
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot

SETTINGS = examples(
    25,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
    ],
)

atoms = st.sampled_from(
    [
        "a",
        "b",
        "é",
        "x",
        ".",
        r"\w",
        r"\W",
        r"\d",
        r"\s",
        r"\S",
        "[ab]",
        "[^a]",
        r"[^\s]",
        "[a-é]",
        r"\.",
        " ",
    ]
)
ends = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?"])
terms = st.builds(lambda a, e: a + e, atoms, ends)
sequences = st.lists(terms, min_size=1, max_size=4).map("".join)
regexes = st.one_of(
    sequences,
    st.builds(lambda s: f"^{s}", sequences),
    st.builds(lambda s: f"{s}$", sequences),
    st.builds(lambda s: rf"\b{s}", sequences),
    st.builds(lambda a, b: f"{a}|{b}", sequences, sequences),
    st.builds(lambda a, b: f"(?:{a}){b}", sequences, sequences),
    st.builds(lambda a, b: f"({a})?{b}", sequences, sequences),
)
anchored = st.one_of(
    regexes, sequences.map(r"\A{}".format), sequences.map(r"(?:\A|b){}".format)
)
texts = st.lists(
    st.tuples(
        st.text("abxé1. A_\t", max_size=12),
        st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    ),
    max_size=8,
).map(lambda parts: "".join(body + end for body, end in parts))


def spans(snapshot: Snapshot, pattern) -> list[tuple[int, int]]:
    return [(m.offset, m.end) for m in find_matches(snapshot, pattern)]


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
def test_hits_are_those_of_an_independent_engine(pattern, text):
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
    st.sampled_from(
        [
            "utf-8",
            "utf-8-sig",
            "utf-16",
            "cp1252",
            "mac_roman",
            "gb18030",
            "cp437",
        ]
    ),
    st.booleans(),
)
def test_the_sieve_lets_every_file_with_a_hit_through(
    tmp_path: Path, pattern, text, codec, multiline
):
    compiled = compile_pattern(pattern, mode="regex", multiline=multiline)
    data = text.encode(codec)
    explicit = None if codec.startswith("utf") else codec
    if not spans(Snapshot(data, encoding=explicit), compiled):
        return
    (tmp_path / "sieved").write_bytes(data)
    forms = [part for form in compiled.rg_patterns for part in ("-e", form)]
    argv = [
        str(find_program("rg")),
        "--no-config",
        "-a",
        "-l",
        *(["-U"] if multiline else []),
        *forms,
    ]
    done = subprocess.run(
        [*argv, str(tmp_path / "sieved")], capture_output=True, check=False
    )
    assert done.returncode == 0, (forms, done.stderr)


@pytest.mark.parametrize(
    "codec",
    ["utf-8", "cp1252", "shift_jis", "gb18030", "euc_kr", "big5", "koi8_r"],
)
@pytest.mark.parametrize("word", ["naïve", "表示", "検索", "поиск", "검색"])
def test_the_sieve_knows_a_literal_in_any_encoding(tmp_path: Path, word, codec):
    try:
        data = f"x {word} y\n".encode(codec)
    except UnicodeEncodeError:
        return
    compiled = compile_pattern(word, case="sensitive")
    assert len(spans(Snapshot(data, encoding=codec), compiled)) == 1
    (tmp_path / "sieved").write_bytes(data)
    forms = [part for form in compiled.rg_patterns for part in ("-e", form)]
    argv = [
        str(find_program("rg")),
        "--no-config",
        "-a",
        "-l",
        *forms,
        str(tmp_path / "sieved"),
    ]
    assert (
        subprocess.run(argv, capture_output=True, check=False).returncode == 0
    )


@SETTINGS
@given(
    anchored,
    texts,
    st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "cp1252", "gb18030"]),
)
def test_an_encoding_changes_where_hits_are_but_not_which(pattern, text, codec):
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
def test_the_size_of_a_window_changes_nothing(pattern, text, length):
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
def test_the_size_of_a_block_changes_nothing_for_literals(needle, text, block):
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
