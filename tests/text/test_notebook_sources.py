"""Edits inside the strings of the sources of a notebook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.text.notebooks import (
    EXAMPLE,
    IMAGE_OUTPUT,
    code,
    markdown,
    notebook,
    sources,
    write,
)

from filewright import Workspace
from filewright.boundary.boundary import Boundary
from filewright.settings import Settings
from filewright.text import splice
from filewright.text.notebook import NotebookView, view_if_notebook
from filewright.text.snapshot import Snapshot
from filewright.text.splice import Splice

nbformat = pytest.importorskip("nbformat")


EDITS = [
    ("x = 1", "x = 10", None),
    ("x = 1\n", "x = 1\nw = 2\n", None),
    ("import os\nx = 1", "import sys", None),
    ('print("x =", x)', 'print("é", "\\n", x)\nmore()', None),
    ("y = 2\n", "", None),
    ("z = 3", "z = 3\nq = 4", None),
    ("with", "with\n\n", None),
    ("= ", "=\t", "first"),
    ("z = 3", "", "second"),
    ("# Title", "# Tïtle 𝄞", "1"),
]


EDIT_IDS = [
    "part-of-line",
    "new-line",
    "joined-lines",
    "escapes",
    "deleted-line",
    "appended-line",
    "empty-lines",
    "replace-all",
    "emptied-line",
    "surrogate-pair",
]


@pytest.mark.parametrize("indent", [1, None, 4])
@pytest.mark.parametrize(("search", "replace", "cell"), EDITS, ids=EDIT_IDS)
def test_edit_changes_one_source(
    root: Path,
    workspace: Workspace,
    search: str,
    replace: str,
    cell: str | None,
    indent: int | None,
) -> None:
    path = write(root, EXAMPLE, indent)
    before, was = path.read_bytes(), sources(path)
    edit = {
        "search": search,
        "replace": replace,
        "replace_all": cell == "first",
    }
    arguments = {
        "path": "n.ipynb",
        "edits": [edit],
        **({"cell": cell} if cell else {}),
    }
    answer = workspace.call("edit_content", arguments)
    assert not answer.is_error, answer.text
    chosen = {"first": 1, "second": 2, "1": 0}.get(cell or "")
    for index, (old, new) in enumerate(zip(was, sources(path), strict=True)):
        assert new == (
            old.replace(search, replace) if chosen in (None, index) else old
        )
    nbformat.validate(nbformat.reads(path.read_text(), as_version=4))
    after = path.read_bytes()
    index = next(
        i
        for i, (old, new) in enumerate(zip(was, sources(path), strict=True))
        if old != new
    )
    assert before.split(b'"source"')[0] == after.split(b'"source"')[0]
    assert (
        before[before.rindex(b'"metadata"') :]
        == after[after.rindex(b'"metadata"') :]
    )
    assert (
        json.loads(before)["cells"][index - 1]
        == json.loads(after)["cells"][index - 1]
        or index == 0
    )
    workspace.undo()
    assert path.read_bytes() == before


def test_inserts_lines(root: Path, workspace: Workspace) -> None:
    path = write(root, EXAMPLE)
    for line, text in ((8, "last = 1"), (13, "filled = 1\nfilled += 1")):
        edit = {"search": "", "replace": text, "start_line": line}
        answer = workspace.call(
            "edit_content", {"path": "n.ipynb", "edits": [edit]}
        )
        assert not answer.is_error, answer.text
    made = sources(path)
    assert made[1].endswith('print("x =", x)\nlast = 1')
    assert made[3] == "filled = 1\nfilled += 1\n"
    nbformat.validate(nbformat.reads(path.read_text(), as_version=4))


REFUSED = [
    ({"search": "# %% cell 2: code", "replace": "x"}, {}, "invalid_input"),
    ({"search": "x = 1", "replace": "x"}, {"cell": "nothing"}, "not_found"),
    ({"search": "x = 1", "replace": "x"}, {"cell": "9"}, "not_found"),
    ({"search": "x = 1", "replace": "x"}, {"cell": "second"}, "no_match"),
]


@pytest.mark.parametrize(
    ("edit", "arguments", "error"),
    REFUSED,
    ids=["heading", "unknown-id", "unknown-number", "other-cell"],
)
def test_refuses_edit_outside_source(
    root: Path,
    workspace: Workspace,
    edit: dict[str, Any],
    arguments: dict[str, Any],
    error: str,
) -> None:
    path = write(root, EXAMPLE)
    before = path.read_bytes()
    assert (
        workspace.call(
            "edit_content", {"path": "n.ipynb", "edits": [edit], **arguments}
        ).code
        == error
    )
    assert path.read_bytes() == before


TEXTS = st.text(st.sampled_from('ab"\\\n\té€𝄞\u2028/ \r\x7f'), max_size=12)


@st.composite
def notebooks(draw: st.DrawFn) -> tuple[bytes, list[str]]:
    """Draw a notebook in the style of any program, and the texts of its cells."""
    cells, texts = [], []
    for number in range(draw(st.integers(1, 4))):
        lines = draw(st.lists(TEXTS, max_size=4))
        source: Any = "".join(lines) if draw(st.booleans()) else lines
        cells.append(
            code(source, f"c{number}", (IMAGE_OUTPUT,))
            if draw(st.booleans())
            else markdown(source, f"c{number}")
        )
        texts.append("".join(lines))
    text = json.dumps(
        notebook(*cells),
        indent=draw(st.sampled_from([None, 1, 4])),
        ensure_ascii=draw(st.booleans()),
    )
    return text.encode(), texts


def open_view(tmp: Path, content: bytes) -> tuple[NotebookView, Boundary]:
    (tmp / "n.ipynb").write_bytes(content)
    boundary = Boundary([tmp], Settings())
    where = boundary.locate("n.ipynb")
    view = view_if_notebook(
        Snapshot.of_file(boundary.open_file(where), where, Settings())
    )
    assert isinstance(view, NotebookView)
    return view, boundary


@examples(25)
@given(data=st.data())
def test_edit_changes_no_other_byte(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content, texts = data.draw(notebooks())
    view, boundary = open_view(tmp_path_factory.mktemp("n"), content)
    with boundary.roots[0].folder, view:
        assert [view.cell_text(cell).decode() for cell in view.cells] == texts
        number = data.draw(st.integers(0, len(texts) - 1))
        cell, text = view.cells[number], texts[number]
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        new = data.draw(TEXTS)
        view_start = cell.start + len(text[:start].encode())
        view_length = len(text[start:end].encode())
        edit = Splice(view_start, view_length, new.encode())
        (file_splice,) = view.to_file_splices([edit])
        after = splice.apply_splices(content, [file_splice])
    expected = [*texts]
    expected[number] = text[:start] + new + text[end:]
    parsed = json.loads(after)
    assert ["".join(cell["source"]) for cell in parsed["cells"]] == expected
    nbformat.validate(nbformat.reads(after.decode(), as_version=4))
    # Outside of the splice nothing changes, and it lies in the strings of the source.
    previous = json.loads(content)
    for document in (previous, parsed):
        document["cells"][number].pop("source")
    assert previous == parsed
    if cell.literals:
        assert cell.literals[0][0] <= file_splice.offset
        assert file_splice.end <= cell.literals[-1][1]
    unchanged = content[: file_splice.offset], content[file_splice.end :]
    assert after == file_splice.replacement.join(unchanged)


@pytest.mark.parametrize("path", [".", "n.ipynb"])
def test_replace_changes_sources_only(
    root: Path, workspace: Workspace, path: str
) -> None:
    notebook = {
        "cells": [
            {"cell_type": "code", "id": "code", "metadata": {"code": 1}, "outputs": ["code"],
             "execution_count": None, "source": ['print("code")\n', "a = code"]},
            {"cell_type": "markdown", "id": "m", "metadata": {}, "source": "# code"},
        ],
        "metadata": {"code": "code"}, "nbformat": 4, "nbformat_minor": 5,
    }  # fmt: skip
    (root / "n.ipynb").write_text(json.dumps(notebook, indent=1))
    before = (root / "n.ipynb").read_text()
    asked = {"pattern": "code", "replacement": 'new "kode"', "path": path}
    found = workspace.call(
        "search_content", {"pattern": "code", "path": path}
    ).data
    preview = workspace.call("replace_content", asked)
    assert preview.text.startswith("3 matches in 1 file would be replaced"), (
        preview.text
    )
    assert len(found["results"]) == 3
    made = workspace.call(
        "replace_content", {**asked, "preview": False, "expected_count": 3}
    )
    assert not made.is_error, made.text
    after = json.loads((root / "n.ipynb").read_text())
    assert after["cells"][0].pop("source") == [
        'print("new "kode"")\n',
        'a = new "kode"',
    ]
    assert after["cells"][1].pop("source") == '# new "kode"'
    for cell in notebook["cells"]:
        del cell["source"]
    assert after == notebook
    workspace.undo()
    assert (root / "n.ipynb").read_text() == before


PARTS = [
    (["ab", "cd", "ef"], "cd", "CD", ["ab", "CD", "ef"]),
    (["ab", "cd", "ef"], "ef", "EF", ["ab", "cd", "EF"]),
    (["ab", "cd", "ef"], "ab", "AB", ["AB", "cd", "ef"]),
    (["ab", "cd", "ef"], "cd", "c\nd", ["ab", "c\n", "d", "ef"]),
    (["ab", "cd", "ef"], "cd", "", ["ab", "ef"]),
    (["ab", "cd\n", "ef"], "b", "B", ["aB", "cd\n", "ef"]),
    (["ab", "cd\n", "ef"], "cd\n", "CD\n", ["ab", "CD\n", "ef"]),
    (["a = 1\n", "b = 2"], "a = 1\n", "", ["b = 2"]),
]


@pytest.mark.parametrize(
    ("parts", "search", "replace", "expected"),
    PARTS,
    ids=[
        "middle",
        "last",
        "first",
        "new-line",
        "deleted",
        "before-line-end",
        "whole-line",
        "deleted-line",
    ],
)
def test_keeps_other_strings(
    root: Path,
    workspace: Workspace,
    parts: list[str],
    search: str,
    replace: str,
    expected: list[str],
) -> None:
    path = write(root, notebook(code(parts)))
    edit = {"search": search, "replace": replace}
    done = workspace.call(
        "edit_content",
        {"path": "n.ipynb", "edits": [edit], "cell": 1, "fuzzy": False},
    )
    assert not done.is_error, done.text
    assert json.loads(path.read_text())["cells"][0]["source"] == expected
