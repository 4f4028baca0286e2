"""Inserted and deleted cells of a notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.samples import one_in
from tests.text.notebooks import (
    EXAMPLE,
    code,
    notebook,
    sources,
    write,
)

from filewright import Workspace

nbformat = pytest.importorskip("nbformat")


def cells_of(path: Path) -> list[tuple[str, str]]:
    made = nbformat.reads(path.read_text(), as_version=4)
    nbformat.validate(made)
    assert len({cell["id"] for cell in made["cells"] if "id" in cell}) == len(
        [cell for cell in made["cells"] if "id" in cell]
    )
    return [(cell["cell_type"], cell["source"]) for cell in made["cells"]]


@pytest.mark.parametrize("cell", ["first", "2", "nowhere"])
def test_cell_edit_keeps_file(
    root: Path, workspace: Workspace, cell: str
) -> None:
    write(root, EXAMPLE)
    (root / "a.py").write_text("x = 1\n")
    for whole in ({"delete": True}, {"move_to": "new.ipynb"}, {"content": "x"}):
        for name in ("n.ipynb", "a.py", "new.ipynb"):
            edit = {"path": name, **whole}
            for arguments in (
                {"cell": cell, "edits": [edit]},
                {"edits": [{**edit, "cell": cell}]},
                {"path": name, "cell": cell, "edits": [whole]},
            ):
                done = workspace.call("edit_content", arguments)
                deletes = (name, whole, cell != "nowhere") == (
                    "n.ipynb",
                    {"delete": True},
                    True,
                )
                assert done.is_error != deletes, done.text
                if deletes:
                    assert len(sources(root / "n.ipynb")) == 3
                    workspace.undo()
    assert sorted(each.name for each in root.iterdir()) == ["a.py", "n.ipynb"]


FOUR = [
    ("markdown", '# Title\nwith "quotes" and \\ and é'),
    ("code", 'import os\nx = 1\nprint("x =", x)'),
    ("code", "y = 2\nz = 3"),
    ("code", ""),
]
NEW = ("code", "n = 1\nm = 'é\"'")
CELL_EDITS: list[tuple[list[dict[str, Any]], list[tuple[str, str]]]] = [
    ([{"at": {"cell": 2}, "delete": True}], [FOUR[0], *FOUR[2:]]),
    ([{"cell": "first", "delete": True}], [FOUR[0], *FOUR[2:]]),
    ([{"at": {"cell": "title"}, "delete": True}], FOUR[1:]),
    ([{"at": {"cell": 4}, "delete": True}], FOUR[:3]),
    ([{"at": {"cell": 3}, "delete": True}, {"at": {"cell": 4}, "delete": True}], FOUR[:2]),
    ([{"at": {"cell": number}, "delete": True} for number in (1, 2, 3, 4)], []),
    ([{"at": {"after_cell": 2}, "replace": NEW[1]}], [*FOUR[:2], NEW, *FOUR[2:]]),
    ([{"at": {"after_cell": 0}, "replace": NEW[1]}], [NEW, *FOUR]),
    ([{"at": {"before_cell": "title"}, "replace": NEW[1] + "\n"}], [NEW, *FOUR]),
    ([{"at": {"after_cell": "4"}, "cell_type": "code", "replace": NEW[1]}], [*FOUR, NEW]),
    (
        [{"at": {"before_cell": 3}, "cell_type": "markdown", "replace": "# T\n\nx"}],
        [*FOUR[:2], ("markdown", "# T\n\nx"), *FOUR[2:]],
    ),
    ([{"at": {"after_cell": 1}, "cell_type": "raw", "replace": ""}], [FOUR[0], ("raw", ""), *FOUR[1:]]),
    (
        [{"at": {"after_cell": 2}, "replace": NEW[1]}, {"at": {"cell": 2}, "delete": True}],
        [FOUR[0], NEW, *FOUR[2:]],
    ),
    (
        [{"at": {"cell": n}, "delete": True} for n in (1, 2, 3, 4)] + [{"at": {"after_cell": 4}, "replace": NEW[1]}],
        [NEW],
    ),
    (
        [
            {"at": {"after_cell": 3}, "replace": "b"},
            {"at": {"after_cell": 1}, "replace": "a"},
            {"at": {"before_cell": 4}, "replace": "c"},
        ],
        [FOUR[0], ("code", "a"), *FOUR[1:3], ("code", "b"), ("code", "c"), FOUR[3]],
    ),
    ([{"at": {"cell": 2}, "replace": "x = 2\n"}], [FOUR[0], ("code", "x = 2"), *FOUR[2:]]),
    ([{"at": {"cell": 4}, "replace": "x = 2\ny = 3"}], [*FOUR[:3], ("code", "x = 2\ny = 3")]),
    ([{"at": {"cell": 3}, "replace": ""}], [*FOUR[:2], ("code", ""), FOUR[3]]),
    (
        [
            {"at": {"cell": 1}, "delete": True},
            {"cell": 2, "search": "x = 1", "replace": "x = 7"},
            {"at": {"cell": 3}, "search": "z = 3", "replace": "z = 4\nq = 5"},
            {"at": {"after_cell": 3}, "replace": "new"},
        ],
        [("code", 'import os\nx = 7\nprint("x =", x)'), ("code", "y = 2\nz = 4\nq = 5"), ("code", "new"), FOUR[3]],
    ),
]  # fmt: skip


CELL_EDIT_IDS = [
    "delete-by-number",
    "delete-by-id",
    "delete-first",
    "delete-last",
    "delete-last-two",
    "delete-all",
    "insert-after",
    "insert-at-start",
    "insert-before-first",
    "insert-at-end",
    "insert-markdown",
    "insert-empty-raw",
    "insert-and-delete-above",
    "replace-all",
    "insert-three",
    "replace-source",
    "fill-empty",
    "empty-source",
    "mixed",
]


@pytest.mark.parametrize(
    ("minor", "indent"),
    one_in(3, [(5, 1), (5, None), (5, 4), (4, None), (4, 1), (4, 4)]),
)
@pytest.mark.parametrize(("edits", "expected"), CELL_EDITS, ids=CELL_EDIT_IDS)
def test_inserts_and_deletes_cells(
    tmp_path: Path,
    root: Path,
    workspace: Workspace,
    edits: list[dict[str, Any]],
    expected: list[tuple[str, str]],
    indent: int | None,
    minor: int,
) -> None:
    content = json.loads(json.dumps({**EXAMPLE, "nbformat_minor": minor}))
    if minor < 5:  # Cells have no ids there, only numbers.
        for cell in content["cells"]:
            del cell["id"]
        edits = json.loads(
            json.dumps(edits).replace('"title"', "1").replace('"first"', "2")
        )
    path = write(root, content, indent)
    before = path.read_bytes()
    shown = workspace.call(
        "edit_content",
        {"path": "n.ipynb", "edits": edits, "preview": True, "diff": "full"},
    )
    done = workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": edits, "diff": "full"}
    )
    assert not done.is_error, done.text
    assert cells_of(path) == expected
    assert [line for line in shown.text.splitlines() if line[:1] == "+"] == [
        line for line in done.text.splitlines() if line[:1] == "+"
    ]
    # The other cells keep their bytes, and new ones have the style of the file.
    after = json.loads(path.read_bytes())
    rewritten = json.dumps(after, indent=indent, ensure_ascii=False).encode()
    if (
        all(isinstance(cell["source"], list) for cell in content["cells"])
        or indent is None
    ):
        assert path.read_bytes() == rewritten
    assert len(path.read_bytes().splitlines()) == len(rewritten.splitlines())
    workspace.undo()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        ({"at": {"after_cell": 9}, "replace": "x"}, "not_found"),
        ({"at": {"cell": 9}, "delete": True}, "not_found"),
        ({"at": {"cell": 2}, "replace": "x", "delete": True}, "invalid_input"),
        ({"at": {"after_cell": 2}, "delete": True}, "invalid_input"),
        (
            {"at": {"after_cell": 2, "before_cell": 3}, "replace": "x"},
            "invalid_input",
        ),
        (
            {"at": {"cell": 2}, "cell_type": "markdown", "replace": "x"},
            "invalid_input",
        ),
        (
            {"at": {"after_cell": 2}, "cell_type": "text", "replace": "x"},
            "invalid_input",
        ),
        (
            {"at": {"after_cell": 2}, "replace": "# %% cell 3: code\nz = 1"},
            "invalid_input",
        ),
        (
            {"at": {"cell": 2}, "replace": "y\n# %% cell 3: code\nz = 1"},
            "invalid_input",
        ),
        (
            {"search": "x = 1", "replace": "x = 1\n# %% cell 3: code\nz = 1"},
            "invalid_input",
        ),
        (
            {"search": "# %% cell 4: code, id empty\n", "replace": ""},
            "invalid_input",
        ),
        ({"cell": 2, "replace": "x"}, "invalid_input"),
        ({"at": {"after": 3}, "replace": "x"}, "invalid_input"),
        ({"at": {"cell": 3}, "replace": "y = 2\nz = 3"}, "no_change"),
        (
            {
                "at": {"after_cell": 2},
                "replace": "x",
                "expected_version": "0" * 16,
            },
            "stale_version",
        ),
    ],
    ids=[
        "insert-after-unknown",
        "delete-unknown",
        "replace-and-delete",
        "delete-after",
        "after-and-before",
        "type-of-old-cell",
        "unknown-type",
        "heading-in-new-cell",
        "heading-in-replaced-cell",
        "heading-in-edit",
        "delete-heading",
        "cell-without-search",
        "after-without-cell",
        "same-source",
        "stale",
    ],
)
def test_refuses_invalid_cell_edit(
    root: Path, workspace: Workspace, edit: dict[str, Any], code: str
) -> None:
    path = write(root, EXAMPLE)
    before = path.read_bytes()
    done = workspace.call("edit_content", {"path": "n.ipynb", "edits": [edit]})
    assert done.code == code, done.text
    if "# %%" in str(edit):
        assert "after_cell" in done.text
    assert path.read_bytes() == before


def test_accepts_jupytext_marks(root: Path, workspace: Workspace) -> None:
    path = write(root, notebook(code(["# %% [markdown]\n", "x = 1"])))
    edit = {"search": "x = 1", "replace": "# %%\nx = 2"}
    assert not workspace.call(
        "edit_content", {"path": "n.ipynb", "edits": [edit]}
    ).is_error
    assert sources(path) == ["# %% [markdown]\n# %%\nx = 2"]


@pytest.mark.parametrize(
    "empty",
    [
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        '{\n "cells": [],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n',
        '{\r\n "cells": [\r\n ],\r\n "metadata": {},\r\n "nbformat": 4,\r\n "nbformat_minor": 5\r\n}\r\n',
        '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":2}',
    ],
    ids=["one-line", "indented", "crlf", "compact"],
)
def test_inserts_first_cell(
    root: Path, workspace: Workspace, empty: str
) -> None:
    path = root / "n.ipynb"
    path.write_bytes(empty.encode())
    edit = {"at": {"after_cell": 0}, "replace": "x = 1\ny = 2"}
    done = workspace.call("edit_content", {"path": "n.ipynb", "edits": [edit]})
    assert not done.is_error, done.text
    assert cells_of(path) == [("code", "x = 1\ny = 2")]
    assert (
        b"\r\n" not in empty.encode()
        or b"\n" not in path.read_bytes().replace(b"\r\n", b"")
    )


def test_number_and_id_of_cell(root: Path, workspace: Workspace) -> None:
    path = write(
        root,
        notebook(
            code(["x = 1"], "a"), code(["x = 1"], "b"), code(["x = 1"], "2")
        ),
    )
    edit = {"search": "x = 1", "replace": "x = 2"}
    workspace.run(
        "edit_content", {"path": "n.ipynb", "cell": 2, "edits": [edit]}
    )
    assert sources(path) == ["x = 1", "x = 2", "x = 1"]
    workspace.run(
        "edit_content", {"path": "n.ipynb", "cell": "2", "edits": [edit]}
    )
    assert sources(path) == ["x = 1", "x = 2", "x = 2"]
    workspace.run(
        "edit_content", {"path": "n.ipynb", "edits": [{**edit, "cell": 1}]}
    )
    assert sources(path) == ["x = 2", "x = 2", "x = 2"]


@pytest.mark.parametrize(
    "indent", [1, 4, "\t", None], ids=["1", "4", "tab", "none"]
)
@pytest.mark.parametrize(
    "sources",
    [["a"], ["a", "b\nc"], ["", "b"], [""], ["a\n"]],
    ids=["one", "two", "empty-first", "empty", "line-end"],
)
def test_writes_sources_as_jupyter(
    root: Path,
    workspace: Workspace,
    indent: int | str | None,
    sources: list[str],
) -> None:
    content = notebook(
        *(
            code(text.splitlines(keepends=True), f"c{number}")
            for number, text in enumerate(sources)
        )
    )
    path = root / "n.ipynb"
    path.write_text(json.dumps(content, indent=indent))
    edits = [
        {"at": {"cell": 1}, "replace": "new\n\nlines"},
        {"at": {"after_cell": 1}, "replace": "one\n\n\n"},
    ]
    workspace.run("edit_content", {"path": "n.ipynb", "edits": edits})
    after = json.loads(path.read_text())
    first, new = ["new\n", "\n", "lines"], ["one\n", "\n"]
    assert [cell["source"] for cell in after["cells"][:2]] == [first, new]
    assert path.read_text() == json.dumps(after, indent=indent)
