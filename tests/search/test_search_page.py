"""The page on search: its Python is run, and each row of its syntax table is a pattern that works."""

import re
from pathlib import Path

import pytest

from filewright.errors import FilewrightError
from filewright.search.pattern import compile_pattern

PAGE = (
    Path(__file__)
    .parents[2]
    .joinpath("docs", "search.md")
    .read_text(encoding="utf-8")
)


def test_the_python_on_the_page_runs():
    (block,) = re.findall(
        r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL
    )
    exec(compile(block, "docs/search.md", "exec"), {})


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


def test_the_table_is_read():
    assert len(written()) > 40


@pytest.mark.parametrize("pattern", written())
def test_what_the_table_offers_is_taken(pattern):
    compile_pattern(pattern, mode="regex", multiline=True)


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=x)",
        "(?<!x)",
        r"(x)\1",
        r"\z",
        r"\Z",
        "(?x)",
        "[a&&b]",
        "[a--b]",
        "[a~~b]",
    ],
)
def test_what_the_page_says_is_refused_is_refused(pattern):
    with pytest.raises(FilewrightError):
        compile_pattern(pattern, mode="regex")
