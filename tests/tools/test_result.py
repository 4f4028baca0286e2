"""Results of tools: their facts as attributes and as data, and their text."""

from __future__ import annotations

from pathlib import Path
from typing import get_type_hints

import pytest

from filewright import Code, FilewrightError, Task, Workspace
from filewright import __all__ as face
from filewright.tools.catalogue import load_tool, read_catalogue
from filewright.tools.context import Context
from filewright.tools.result import ToolResult


def test_escapes_text_that_misleads(root, workspace):
    (root / "odd.txt").write_text("a\u202eb \x1b[31mred\x1b[0m\x07\n")
    for tool, arguments in [
        ("read_content", {"path": "odd.txt"}),
        ("search_content", {"pattern": "red"}),
        (
            "edit_content",
            {
                "path": "odd.txt",
                "edits": [{"search": "red", "replace": "blue"}],
            },
        ),
        ("get_history", {}),
    ]:
        text = workspace.call(tool, arguments).text
        assert not set("\x1b\x07\u202e") & set(text), tool


CART = "class Cart:\n    def total(self):\n        total = 1\n        return total\n"


@pytest.mark.parametrize("name", read_catalogue().modules)
def test_frozen_result_of_each_tool(name: str) -> None:
    run = load_tool(name).run
    answered = get_type_hints(run, localns={"Context": Context, "Task": Task})[
        "return"
    ]
    for result in (
        [answered] if isinstance(answered, type) else answered.__args__
    ):
        assert issubclass(result, ToolResult)
        assert result.__dataclass_params__.frozen
        assert result.__name__ in face


def test_attributes_and_data(workspace: Workspace, root: Path) -> None:
    (root / "cart.py").write_text(CART)
    read = workspace.read("cart.py", start=3)
    assert (read.start_line, read.total_lines, read.rows[-1]) == (
        3,
        4,
        "        return total",
    )
    assert read.data["start_line"] == 3
    assert read.data["next"] is None
    edit = workspace.edit(
        "cart.py",
        [{"search": "return total", "replace": "return 0"}],
        preview=True,
    )
    assert (edit.preview, edit.change_id, edit.results[0].first) == (
        True,
        None,
        4,
    )
    assert edit.data["results"][0]["line_number"] == 4
    found = workspace.search("total", "cart.py")
    assert [hit.line for hit in found.results] == [2, 3, 4]
    assert (
        workspace.get_overview("cart.py").outline[0].children[0].name == "total"
    )
    with pytest.raises(FilewrightError) as refused:
        workspace.read("crat.py")
    assert refused.value.code == Code.NOT_FOUND
