"""The page on search: each row of its syntax table is a pattern that works."""

import re
from pathlib import Path

import pytest

from filewright.errors import FilewrightError
from filewright.search.hits import search_snapshot
from filewright.search.pattern import compile_pattern
from filewright.text.snapshot import Snapshot

PAGE = (
    Path(__file__)
    .parents[2]
    .joinpath("docs", "search.md")
    .read_text(encoding="utf-8")
)


def test_lines_and_columns_count_from_one():
    pattern = compile_pattern(r"(?<key>\w+) = (\d+)", mode="regex")
    found = search_snapshot(
        Snapshot(b"a = 1\r\nb = x\rc = 3"), pattern, limit=10
    )
    places = [(hit.line, hit.column, hit.offset) for hit in found.hits]
    assert places == [(1, 1, 0), (3, 1, 13)]
    assert found.complete


def written() -> list[str]:
    """The patterns in the first column of the table."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| `")]
    firsts = [
        line[2 : line.index(" | ", 2)].replace("\\|", "|") for line in rows
    ]
    return [
        pattern
        for first in firsts
        for pattern in re.findall(r"`([^`]+)`", first)
    ]


def test_table_is_read():
    assert len(written()) > 40


@pytest.mark.parametrize("pattern", written())
def test_offered_syntax_is_accepted(pattern):
    compile_pattern(pattern, mode="regex", multiline=True)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=x)",
        "(?<!x)",
        r"(x)\1",
        r"\Z",
        "(?x)",
        "[a&&b]",
        "[a--b]",
        "[a~~b]",
    ],
)
def test_refused_syntax_is_refused(pattern):
    with pytest.raises(FilewrightError):
        compile_pattern(pattern, mode="regex")
