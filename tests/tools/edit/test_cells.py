"""Edits of notebooks that name cells, and lines of notebooks as they are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from filewright import Workspace


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(
    "place", [{"path": "new.py"}, {"path": "shop.py", "at": {"after": 0}}]
)
def test_refuses_lines_of_a_shown_notebook(
    shop: Path, workspace: Workspace, place: dict[str, object]
) -> None:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "source": ["a = 1\n", "b = 2"],
        "outputs": [],
    }
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (shop / "book.ipynb").write_text(json.dumps(book, indent=1))
    workspace.read("book.ipynb")
    before = tree(shop)
    edit = {
        "from": {"path": "book.ipynb", "start_line": 2, "end_line": 3},
        **place,
    }
    done = workspace.call("edit_content", {"edits": [edit]})
    assert done.code == "invalid_input", done.text
    assert "notebook" in done.text
    assert tree(shop) == before


def test_suggests_text_of_the_same_cell(
    shop: Path, workspace: Workspace
) -> None:
    cells = [
        {"id": name, "cell_type": "raw", "metadata": {}, "source": "a\nb\na\n"}
        for name in "xy"
    ]
    notebook = {
        "cells": cells,
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (shop / "n.ipynb").write_text(json.dumps(notebook))
    edit = {"path": "n.ipynb", "cell": "y", "search": "a", "replace": "c"}
    refused = workspace.call("edit_content", {"edits": [edit]})
    for sent in refused.data["suggestions"]:
        made = workspace.call(
            "edit_content", {"edits": [sent], "preview": True}
        )
        assert not made.is_error
        assert made.data["changes_made"] == 1
        assert {**edit, "start_line": sent["start_line"]} == sent
    assert len(refused.data["suggestions"]) == 2
