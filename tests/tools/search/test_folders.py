"""Counts by folder: equal counts share a row."""

from __future__ import annotations

import pytest

from filewright.tools.search.folders import (
    common_pattern,
    count_by_folder,
    render_folders,
)
from filewright.tools.search.result import FolderCount, MatchedFile


@pytest.mark.parametrize(
    ("paths", "pattern"),
    [
        (["p/a/x.json", "p/b/x.json"], "p/*/x.json"),
        (["p/a/", "p/b/"], "p/*/"),
        (["p/a/x", "p/b/c/x"], "p/**/x"),
        (["src/a/x/", "src/b/x/"], "src/*/x/"),
        (["a/x", "b/y"], "**"),
    ],
    ids=["file", "folder", "deep", "folder-name", "nothing"],
)
def test_common_pattern(paths, pattern):
    assert common_pattern(paths) == pattern


def test_equal_counts_share_a_row():
    files = [
        MatchedFile(f"packages/package-{number:02}/package.json", 1)
        for number in range(40)
    ]
    files += [MatchedFile(f"src/{name}/m.py", 2) for name in "abcd"]
    files += [MatchedFile("src/e/m.py", 7), MatchedFile("src/e/n.py", 1)]
    files += [MatchedFile("docs/x.md", 3)]
    assert list(render_folders(count_by_folder(files))) == [
        "packages/*/package.json: 1 each in 40 files",
        "src/e/: 8 in 2 files",
        "src/{a,b,c,d}/m.py: 2 each in 4 files",
        "docs/x.md: 3",
    ]


def test_many_rows_are_summed():
    folders = [FolderCount(f"d{n}/", n, 100 - n) for n in range(2, 20)]
    rows = list(render_folders(folders))
    assert rows[14:] == [
        "d16/: 84 in 16 files",
        "3 more folders: 246 in 54 files",
    ]
