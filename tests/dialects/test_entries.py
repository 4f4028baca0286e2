"""The order of entries in a tree."""

from __future__ import annotations

from filewright.dialects.entries import PlacedEntry, sort_folders_first
from filewright.tools.listing import ListedEntry


def place(path, kind="file"):
    *_, name = path.split("/")
    parts = tuple(part.encode() for part in path.split("/"))
    return PlacedEntry(parts, ListedEntry(path, name, kind))


def paths(entries):
    return [placed.entry.path for placed in entries]


def test_folders_come_before_files_on_each_level():
    entries = [
        place("a"),
        place("b", "folder"),
        place("b/x"),
        place("b/y", "folder"),
        place("b/y/z"),
    ]
    assert paths(sort_folders_first(entries)) == [
        "b",
        "b/y",
        "b/y/z",
        "b/x",
        "a",
    ]


def test_names_are_compared_as_folded():
    entries = [place("b"), place("C"), place("a")]
    assert paths(sort_folders_first(entries)) == ["C", "a", "b"]
    folded = sort_folders_first(entries, fold=bytes.lower)
    assert paths(folded) == ["a", "b", "C"]
