"""The text of a list, built from values alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from filewright.tools.listing import ListedEntry, ListPage
from filewright.tools.listing_rendering import render_entry, render_list

FILE = ListedEntry("a.py", "a.py", "file")
EMPTY = ListPage(
    entries=(),
    next_cursor=None,
    overlong_count=0,
    ignored_count=0,
    unreadable_count=0,
    has_glob=False,
    spellings=(),
)


@pytest.mark.parametrize(
    ("entry", "row"),
    [
        pytest.param(FILE, "a.py", id="file"),
        pytest.param(
            replace(FILE, path="src/", type="folder"), "src/", id="folder"
        ),
        pytest.param(
            replace(FILE, type="link", target="b"), "a.py -> b", id="link"
        ),
        pytest.param(replace(FILE, type="link"), "a.py ->", id="hidden-target"),
        pytest.param(replace(FILE, type="fifo"), "a.py (fifo)", id="fifo"),
        pytest.param(
            replace(FILE, size=12, modified="2026-01-01", mode="0644"),
            "0644           12 2026-01-01 a.py",
            id="details",
        ),
    ],
)
def test_entry(entry: ListedEntry, row: str) -> None:
    assert render_entry(entry) == row


@pytest.mark.parametrize(
    ("page", "text"),
    [
        pytest.param(EMPTY, "(empty folder)", id="empty"),
        pytest.param(
            replace(EMPTY, has_glob=True, spellings=("names in another",)),
            "(nothing matches)\n[names in another]",
            id="no-match",
        ),
        pytest.param(
            replace(EMPTY, entries=(FILE,), next_cursor="abc", ignored_count=2),
            "a.py\n[1 shown; continue with cursor=abc]\n"
            "[2 ignored names left out so far; include_ignored=true shows them]",
            id="more",
        ),
        pytest.param(
            replace(
                EMPTY, entries=(FILE,), ignored_count=1, unreadable_count=1
            ),
            "a.py\n[1 ignored name left out; include_ignored=true shows them]\n"
            "[1 folder could not be read]",
            id="one",
        ),
        pytest.param(
            replace(EMPTY, overlong_count=1),
            "[1 path too long to be shown; list a deeper folder]",
            id="overlong",
        ),
    ],
)
def test_list(page: ListPage, text: str) -> None:
    assert render_list(page) == text


def test_escapes_controls() -> None:
    page = replace(EMPTY, entries=(replace(FILE, path="a\x1bb"),))
    assert render_list(page) == "a\\x1bb"
