"""Examples of a replacement in one line."""

from __future__ import annotations

import pytest

from filewright.edit.example import build_example
from filewright.edit.replacements import compile_replacement, replace_matches
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot

CASES = {
    "word": ("a total b\n", "total", "sum", "-a total b\n+a sum b"),
    "several in a line": ("x x\n", "x", "yy", "-x x\n+yy yy"),
    "crlf": ("one\r\ntwo\r\n", "one", "1", "-one\n+1"),
    "last line without an end": ("one", "one", "1", "-one\n+1"),
    "joined lines": ("a,\nb\nc\n", ",\\n", ", ", "-a,\n-b\n+a, b"),
    "line taken out": ("a\nb\nc\n", "a\\n", "", "-a"),
    "line put in": ("a\nb\n", "^b", "new\nb", "+new"),
    "far into a long line": (
        "k" * 300 + " old " + "z" * 300,
        "old",
        "new",
        f"-…{'k' * 39} old {'z' * 34}…\n+…{'k' * 39} new {'z' * 34}…",
    ),
    "long match with one change": (
        "f(" + "x" * 200 + ")\n",
        r"\((x+)\)",
        "($1, y)",
        f"-…{'x' * 40})\n+…{'x' * 40}, y)",
    ),
    "many lines": ("1\n2\n3\n4\n5\n", r"(?s)1.*5", "0", "-1\n-2\n-3…\n+0"),
}


@pytest.mark.parametrize(
    ("text", "pattern", "new", "shown"), CASES.values(), ids=CASES
)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le"])
def test_shows_lines_before_and_after(
    text: str, pattern: str, new: str, shown: str, codec: str
) -> None:
    snapshot = Snapshot(text.encode(codec), encoding=codec)
    compiled = compile_pattern(pattern, mode="regex", multiline=True)
    splices = replace_matches(
        snapshot, compiled, compile_replacement(new, compiled)
    ).splices
    assert build_example(snapshot, splices, 0, 80).text == shown


def test_is_bounded() -> None:
    snapshot = Snapshot(b"x" * 3_000_000 + b"\n" * 3_000_000)
    compiled = compile_pattern(r"(?s).+\n", mode="regex", multiline=True)
    splices = replace_matches(
        snapshot, compiled, compile_replacement("$0y" * 2, compiled)
    ).splices
    assert len(build_example(snapshot, splices, 0, 80).text) < 500


@pytest.mark.parametrize("codec", ["utf-8", "gb18030", "cp932"])
def test_keeps_characters_whole(codec: str) -> None:
    text = "b表" * 333 + "表" * 333 + "a" + "表" * 999
    snapshot = Snapshot(text.encode(codec), encoding=codec)
    compiled = compile_pattern("a")
    splices = replace_matches(
        snapshot, compiled, compile_replacement("b", compiled)
    ).splices
    assert set(build_example(snapshot, splices, 0, 80).text) <= set("…表ab+-\n")
