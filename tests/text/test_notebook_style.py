"""The style of a notebook: a new cell is written as the existing ones are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.text.notebooks import code, markdown, notebook

from filewright.progress import Task
from filewright.text.notebook_scan import scan_document
from filewright.text.notebook_style import NotebookStyle
from filewright.text.snapshot import Snapshot

LINES = ["a\n", "b"]


def style_of(content: bytes) -> NotebookStyle:
    snapshot = Snapshot(content)
    return NotebookStyle.of(snapshot, scan_document(snapshot, Task()))


@pytest.mark.parametrize(
    "options",
    [
        {"indent": 1},
        {"indent": 4},
        {"indent": "\t"},
        {"indent": 2, "ensure_ascii": False},
        {},
        {"separators": (",", ":")},
    ],
    ids=str,
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_writes_cell_as_json_does(
    options: dict[str, Any], newline: str
) -> None:
    first, last = markdown(["\u00e9\n", "x"]), code(LINES, "new")
    before = json.dumps(notebook(first), **options).replace("\n", newline)
    after = json.dumps(notebook(first, last), **options)
    encoded = before.encode()
    style = style_of(encoded)
    cell = style.write_cell("code", "new", "a\nb")
    end = len(encoded[: encoded.rindex(b"]")].rstrip())
    result = encoded[:end] + style.between + cell + encoded[end:]
    assert result == after.replace("\n", newline).encode()


@pytest.mark.parametrize("indent", [None, 1, 2])
def test_writes_first_cell(indent: int | None) -> None:
    content = json.dumps(notebook(), indent=indent).encode()
    style = style_of(content)
    cell = style.write_cell("markdown", "text", "")
    start = content.index(b"[]") + 1
    result = b"".join(
        (content[:start], style.opening, cell, style.closing, content[start:])
    )
    expected = json.dumps(notebook(markdown([])), indent=indent)
    assert result == expected.encode()


@pytest.mark.parametrize(
    "options", [{"indent": 1}, {"separators": (",", ":")}], ids=str
)
@pytest.mark.parametrize(
    "line", ["f(a, b)\n", '{"a": 1, "b": 2}\n', "\\", "x, " * 3000]
)
def test_sources_have_no_style(options: dict[str, Any], line: str) -> None:
    cells = code([line]), code(LINES, "new")
    content = json.dumps(notebook(cells[0]), **options).encode()
    style = style_of(content)
    cell = style.write_cell("code", "new", "a\nb")
    assert (
        style.between + cell in json.dumps(notebook(*cells), **options).encode()
    )


def test_source_is_one_string_as_in_other_cells() -> None:
    content = json.dumps(notebook(code("x = 1"))).encode()
    cell = style_of(content).write_cell("raw", "", "a\nb")
    assert json.loads(cell) == {
        "cell_type": "raw",
        "metadata": {},
        "source": "a\nb",
    }
