"""One fuzzy search: the most similar text of a file or a tree."""

import json

import pytest


@pytest.fixture
def tree(root):
    for folder in ("a", "b", "b/c"):
        (root / folder).mkdir()
    for n in range(30):
        place = root / ("a", "b", "b/c")[n % 3]
        (place / f"f{n:02}.py").write_text(
            f"class C{n}:\n    def m(self):\n        needle = {n}\n        return needle\n"
        )
    (root / "skipped.log").write_text("needle\n")
    (root / ".gitignore").write_text("*.log\n")
    (root / "data.bin").write_bytes(b"\0needle\0")
    return root


def test_fuzzy(root, workspace):
    (root / "f").write_text(
        "def alpha(): pass\ndef compute_totals(values, tax):\n    return sum(values)\n"
    )
    result = workspace.search(
        "def comptue_totals(values, tax):", path="f", mode="fuzzy"
    )
    assert [h["line"] for h in result.data["results"]] == [2]
    assert 0.9 < result.data["results"][0]["similarity"] < 1
    assert (
        workspace.search(
            "zebra crossing ahead here", path="f", mode="fuzzy"
        ).data["results"]
        == []
    )


def test_fuzzy_ranks_by_similarity(tree, workspace):
    result = workspace.search(
        "        needel = 17", mode="fuzzy", max_results=3
    )
    assert result.data["results"][0]["path"].endswith("f17.py")
    scores = [hit["similarity"] for hit in result.data["results"]]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("argument", ["invert", "multiline", "whole_word"])
def test_fuzzy_refuses_arguments(root, workspace, argument):
    (root / "f").write_text("x\n")
    result = workspace.call(
        "search_content", {"pattern": "x", "mode": "fuzzy", argument: True}
    )
    assert result.code == "invalid_input"


@pytest.mark.parametrize("path", [".", "book.ipynb"])
def test_fuzzy_searches_cells(root, workspace, path):
    cell = {
        "cell_type": "code",
        "id": "a",
        "metadata": {},
        "source": ["def totl_of(cart):\n", "    return 1\n"],
    }
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (root / "book.ipynb").write_text(json.dumps(book))
    (hit,) = workspace.search("def total_of(cart):", path, mode="fuzzy").results
    assert (hit.text, hit.symbol) == (
        "def totl_of(cart):",
        workspace.search("totl_of").results[0].symbol,
    )


def test_files_of_exact_searches(root, workspace):
    for name in (".hidden.py", "ignored.log", "left_out.py", "shown.py"):
        (root / name).write_text("def total_of_cart(items):\n")
    (root / ".gitignore").write_text("*.log\n")

    def names(**options):
        found = workspace.search(
            "def total_of_cart(item):", mode="fuzzy", **options
        )
        return sorted(hit["path"] for hit in found.data["results"])

    assert names() == [".hidden.py", "left_out.py", "shown.py"]
    assert names(include_hidden=False, exclude=["left_*"]) == ["shown.py"]
    assert "ignored.log" in names(include_ignored=True)


def test_two_places_in_a_line(root, workspace):
    (root / "f").write_text(
        "x\ntotal_of_cart(items) == total_of_carts(items)\ny\n"
    )
    result = workspace.search("total_of_cart(items)", path="f", mode="fuzzy")
    (hit,) = result.data["results"]
    assert (hit["line"], hit["similarity"], len(hit["submatches"])) == (
        2,
        1.0,
        2,
    )
