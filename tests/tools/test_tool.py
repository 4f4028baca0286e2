"""A tool, as it is declared and as clients list it."""

import json
import subprocess
import sys

import pytest

from filewright.tools.catalogue import read_catalogue


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


@pytest.mark.extra
def test_first_calls_from_many_threads(tmp_path):
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
