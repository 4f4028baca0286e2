"""Notebooks: read and searched by their cells."""

from __future__ import annotations

import json
from pathlib import Path

from tests.text.notebooks import (
    EXAMPLE,
    IMAGE,
    code,
    notebook,
    write,
)

from filewright import Workspace


def test_reads_cells(root: Path, workspace: Workspace) -> None:
    write(root, EXAMPLE)
    text = workspace.call("read_content", {"path": "n.ipynb"}).text
    assert "\n1\t# %% cell 1: markdown, id title\n2\t# Title\n" in text
    assert '\n3\twith "quotes" and \\ and é\n' in text
    assert "# %% cell 2: code, id first, 1 output of" in text
    assert IMAGE[:50] not in text
    assert "nbformat" not in text
    assert (
        "cells"
        in workspace.call(
            "read_content", {"path": "n.ipynb", "encoding": "utf-8"}
        ).text
    )


def test_search_shows_cell_and_line(root: Path, workspace: Workspace) -> None:
    write(root, EXAMPLE)
    for arguments in ({"path": "n.ipynb"}, {"path": "."}):
        found = workspace.call(
            "search_content", {"pattern": 'print("x', **arguments}
        )
        assert "[cell 2 (first), line 3]" in found.text
        assert found.data["results"][0]["line"] == 7
        assert not workspace.call(
            "search_content", {"pattern": "markdown", **arguments}
        ).data["results"]
        assert not workspace.call(
            "search_content", {"pattern": IMAGE[:20], **arguments}
        ).data["results"]


def test_refuses_repeated_id(root: Path, workspace: Workspace) -> None:
    write(root, notebook(code(["a = 1"], "same"), code(["a = 2"], "same")))
    edit = {"path": "n.ipynb", "edits": [{"search": "a", "replace": "b"}]}
    refused = workspace.call("edit_content", {**edit, "cell": "same"})
    assert refused.code == "ambiguous_match"
    assert "1, 2" in refused.text
    assert not workspace.call("edit_content", {**edit, "cell": "2"}).is_error


def test_edits_json_outside_cells(root: Path, workspace: Workspace) -> None:
    path = write(root, EXAMPLE)
    edit = {"search": '"nbformat_minor": 5', "replace": '"nbformat_minor": 4'}
    assert not workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": [edit]}
    ).is_error
    assert json.loads(path.read_text())["nbformat_minor"] == 4


def test_edits_name_their_cells(root: Path, workspace: Workspace) -> None:
    lines = ["rate = 1\\n", "rows = 2"]
    cells = [
        {
            "cell_type": "code",
            "id": name,
            "metadata": {},
            "outputs": [],
            "source": lines,
        }
        for name in "abc"
    ]
    (root / "n.ipynb").write_text(
        json.dumps(
            {"cells": cells, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
        )
    )
    (root / "a.py").write_text("rate = 1\n")
    edits = [
        {"path": "a.py", "search": "rate = 1", "replace": "rate = 5"},
        {
            "path": "n.ipynb",
            "cell": "b",
            "search": "rate = 1",
            "replace": "rate = 5",
        },
        {
            "path": "n.ipynb",
            "cell": "b",
            "search": "rows = 2",
            "replace": "rows = 6",
        },
    ]
    workspace.run("edit_content", {"edits": edits})
    assert (root / "a.py").read_text() == "rate = 5\n"
    sources = [
        "".join(cell["source"])
        for cell in json.loads((root / "n.ipynb").read_text())["cells"]
    ]
    assert sources == [
        r"rate = 1\nrows = 2",
        r"rate = 5\nrows = 6",
        r"rate = 1\nrows = 2",
    ]
    mixed = [
        {**edits[1], "search": "rate", "replace": "r", "cell": "a"},
        {**edits[2], "search": "rows", "replace": "r", "cell": 3},
    ]
    workspace.run("edit_content", {"edits": mixed})
    sources = [
        "".join(cell["source"])
        for cell in json.loads((root / "n.ipynb").read_text())["cells"]
    ]
    assert sources == [
        r"r = 1\nrows = 2",
        r"rate = 5\nrows = 6",
        r"rate = 1\nr = 2",
    ]
    refused = workspace.call(
        "edit_content", {"edits": [{**edits[0], "search": "rate", "cell": "b"}]}
    )
    assert refused.data["code"] == "invalid_input"
