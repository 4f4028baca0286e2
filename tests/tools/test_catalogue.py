"""What callers learn of the tools: true, complete, and short enough."""

import json
import re
import subprocess
import sys
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


def test_schemas_are_plain_objects():
    for entry in read_catalogue().tools.values():
        assert entry.schema["type"] == "object"
        assert entry.schema["additionalProperties"] is False
        assert (
            not {"anyOf", "oneOf", "allOf", "$defs", "title"}
            & entry.schema.keys()
        )
        assert '"title": ' not in json.dumps(entry.schema).replace(
            '"title": {', ""
        )
        assert len(entry.description) < 1000


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


@pytest.mark.extra
def test_first_calls_from_many_threads_at_once_all_work(tmp_path):
    """In a process of its own, where no tool has been imported yet."""
    script = (
        "import threading, sys\n"
        "from filewright import Workspace\n"
        "w = Workspace(sys.argv[1], state_dir=sys.argv[2])\n"
        "open(sys.argv[1] + '/f.py', 'w').write('def f(): pass\\n')\n"
        "calls = [('list_files', {}), ('search_content', {'pattern': 'f'}), ('get_overview', {'path': 'f.py'}),\n"
        "         ('read_content', {'path': 'f.py', 'symbol': 'f'}), ('list_files', {'details': True}),\n"
        "         ('search_content', {'pattern': 'def f', 'mode': 'fuzzy'}), ('get_history', {})]\n"
        "go = threading.Barrier(len(calls)); bad = []\n"
        "def run(name, arguments):\n"
        "    go.wait(); r = w.call(name, arguments)\n"
        "    if r.is_error: bad.append(r.text)\n"
        "threads = [threading.Thread(target=run, args=c) for c in calls]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "w.close(); sys.exit('\\n'.join(bad) or 0)\n"
    )
    root = tmp_path / "r"
    root.mkdir()
    for n in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script, str(root), str(tmp_path / f"s{n}")],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
