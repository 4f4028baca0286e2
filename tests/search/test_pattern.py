import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.patterns import SETTINGS, anchored, found, spans, texts

from filewright.boundary.launcher import find_program
from filewright.errors import Code, FilewrightError
from filewright.search.matches import find_matches
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot


@pytest.mark.parametrize(
    ("pattern", "mode", "insensitive"),
    [
        ("foo", "literal", True),
        ("Foo", "literal", False),
        ("123", "literal", False),
        (r"\Sfoo\W", "regex", True),
        (r"[A-Z]x", "regex", False),
        (r"\p{Lu}x", "regex", True),
        (r"(?P<Name>x)", "regex", True),
        (r"É", "regex", False),
    ],
)
def test_smart_case(pattern, mode, insensitive):
    assert compile_pattern(pattern, mode=mode).insensitive is insensitive


@pytest.mark.parametrize(
    ("pattern", "empty"),
    [
        ("x*", True),
        ("^", True),
        ("$", True),
        (r"\b", True),
        (r"\B", True),
        ("a|", True),
        ("(a?)+", True),
        ("a", False),
        ("^a", False),
        (r"\s", False),
        ("x{0}y", False),
    ],
)
def test_matches_empty(pattern, empty):
    assert (
        compile_pattern(pattern, mode="regex", case="sensitive").matches_empty
        is empty
    )


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("foo", "foo food xfoo foo_", ["foo"]),
        ("caf", "café caf", ["caf"]),
        ("-", "-- a-b", ["-", "-"]),
        ("été", "été étés", ["été"]),
        (".a-b", ".a-b{} .a-b-c, .a-bc", [".a-b"]),
        ("A-B", "x-a-b a-b- A-B:A-B", ["A-B", "A-B"]),
        ("a -b", "-a -b-", ["a -b"]),
    ],
)
def test_whole_word(pattern, text, matches):
    assert found(pattern, text, mode="literal", whole_word=True) == matches


def test_whole_word_of_alternatives():
    assert found("foo|foobar", "foobar", whole_word=True) == ["foobar"]
    assert found("a|b", "a b,a", whole_word=True) == ["a", "b", "a"]


def test_group_numbers():
    pattern = compile_pattern("(?<a>x)|(y)", mode="regex", whole_word=True)
    assert (pattern.group_count, pattern.group_numbers) == (2, {"a": 1})
    matches = list(find_matches(Snapshot(b"y x"), pattern))
    assert [m.groups for m in matches] == [(None, (0, 1)), ((2, 3), None)]


def test_literal_is_no_regex():
    assert found("a.*[b", "a.*[b axxb", mode="literal") == ["a.*[b"]


def test_literal_line_break_finds_any_terminator():
    assert found("a\nb", "a\r\nb a\rb", mode="literal") == ["a\r\nb", "a\rb"]


@pytest.mark.parametrize("pattern", ["", "x" * 10_001])
def test_refuses_empty_and_huge_patterns(pattern):
    with pytest.raises(FilewrightError) as caught:
        compile_pattern(pattern)
    assert caught.value.code is Code.INVALID_INPUT


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
def test_rg_pattern_finds_every_file_with_a_hit(
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
def test_rg_pattern_of_a_literal_in_any_encoding(tmp_path: Path, word, codec):
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
