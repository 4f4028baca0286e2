"""What callers learn of the tools: true, complete, and short enough."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from filewright import Code, Workspace
from filewright.server.listing import describe_tools
from filewright.tools.catalogue import generate_catalogue, read_catalogue

NAMES = [
    "list_files", "get_overview", "search_content", "read_content", "edit_content", "apply_patch", "replace_content",
    "write_content", "move_items", "delete_items", "get_history", "revert_edit",
]  # fmt: skip
METHODS_ONLY = [
    "stat_items",
    "create_directories",
    "copy_items",
    "set_permissions",
]


def test_the_kept_catalogue_is_what_the_tools_say():
    kept = (
        files("filewright.tools")
        .joinpath("catalogue.json")
        .read_text(encoding="utf-8")
    )
    assert kept == generate_catalogue(), "run: python -m filewright.tools"


def test_the_tools_in_their_order():
    assert [*read_catalogue().tools] == NAMES


@pytest.fixture
def workspace(tmp_path):
    root = tmp_path / "r"
    root.mkdir()
    (root / "a.txt").write_text("a\n")
    with Workspace(root, state_dir=tmp_path / "s") as opened:
        yield opened


def test_the_library_has_the_tools_that_clients_get(workspace):
    rows = describe_tools(workspace.tools())
    assert [row["name"] for row in rows] == NAMES
    for tool, row in zip(workspace.tools(), rows, strict=True):
        assert tool.description == row["description"]
        assert tool.schema == row["inputSchema"]
    assert workspace.instructions == workspace.offer().instructions


@pytest.mark.parametrize("name", METHODS_ONLY)
def test_methods_alone_are_no_tools(workspace, name):
    answer = workspace.call(name, {"paths": ["a.txt"]})
    assert answer.code is Code.INVALID_INPUT
    assert f"unknown tool '{name}'" in answer.text


def test_methods_run_what_no_tool_does(workspace, tmp_path):
    assert workspace.stat("a.txt").results[0].error is None
    workspace.create_directories("d")
    workspace.copy("a.txt", "b.txt")
    workspace.set_permissions("a.txt", mode="600")
    copy = {"items": [{"source": "a.txt", "destination": "c.txt"}]}
    answer = workspace.call("move_items", {**copy, "copy": True})
    assert "copied" in answer.text
    names = sorted(path.name for path in (tmp_path / "r").iterdir())
    assert names == ["a.txt", "b.txt", "c.txt", "d"]


def test_every_tool_has_its_table_of_arguments():
    """What is in the tables is checked by `tests/test_documentation.py`."""
    page = (
        Path(__file__)
        .parents[2]
        .joinpath("docs/tools.md")
        .read_text(encoding="utf-8")
    )
    headings = re.findall(
        r"^### (.+)\n\n<!-- made from the code: \w+ -->", page, re.MULTILINE
    )
    assert sorted(
        name for heading in headings for name in heading.split(", ")
    ) == sorted(NAMES)
