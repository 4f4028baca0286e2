"""What callers learn of the tools: true, complete, and short enough."""

import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from filewright import Workspace
from filewright.tools.__main__ import made
from filewright.tools.surface import entries

NAMES = [
    "list_files", "stat_items", "get_overview", "search_content", "read_content", "edit_content", "apply_patch",
    "replace_content", "write_content", "create_directories", "move_items", "copy_items", "delete_items",
    "set_permissions", "get_history", "revert_edit",
]  # fmt: skip


def test_the_kept_catalogue_is_what_the_tools_say():
    kept = (
        files("filewright.tools")
        .joinpath("catalogue.json")
        .read_text(encoding="utf-8")
    )
    assert kept == made(), "run: python -m filewright.tools"


def test_the_tools_in_their_order():
    assert [tool.name for tool in entries().values()] == [*entries()] == NAMES


def test_twelve_are_listed_and_all_can_be_called(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r/a.txt").write_text("a\n")
    with Workspace(tmp_path / "r", state_dir=tmp_path / "s") as workspace:
        listed = [tool.name for tool in workspace.tools()]
        gone = [
            "stat_items",
            "create_directories",
            "copy_items",
            "set_permissions",
        ]
        assert listed == [name for name in NAMES if name not in gone]
        pair = {"source": "a.txt", "destination": "b.txt"}
        assert not workspace.call("stat_items", {"paths": ["a.txt"]}).is_error
        assert not workspace.call(
            "create_directories", {"paths": ["d"]}
        ).is_error
        assert not workspace.call("copy_items", {"items": [pair]}).is_error
        assert not workspace.call(
            "set_permissions", {"paths": ["a.txt"], "mode": "600"}
        ).is_error
        again = {"items": [{**pair, "destination": "c.txt"}], "copy": True}
        assert "copied" in workspace.call("move_items", again).text
        assert sorted(path.name for path in (tmp_path / "r").iterdir()) == [
            "a.txt",
            "b.txt",
            "c.txt",
            "d",
        ]


def test_schemas_are_plain_objects():
    for entry in entries().values():
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


def test_first_calls_from_many_threads_at_once_all_work(tmp_path):
    """In a process of its own, where no tool has been imported yet."""
    script = (
        "import threading, sys\n"
        "from filewright import Workspace\n"
        "w = Workspace(sys.argv[1], state_dir=sys.argv[2])\n"
        "open(sys.argv[1] + '/f.py', 'w').write('def f(): pass\\n')\n"
        "calls = [('list_files', {}), ('search_content', {'pattern': 'f'}), ('get_overview', {'path': 'f.py'}),\n"
        "         ('read_content', {'path': 'f.py', 'symbol': 'f'}), ('stat_items', {'paths': ['f.py']}),\n"
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
