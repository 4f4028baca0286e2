"""Imports while the server is idle."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest


@pytest.mark.extra
def test_loads_all_that_calls_need(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    code = """
import sys, threading
from types import SimpleNamespace
from filewright import Workspace
from filewright.server.preloading import preload

with Workspace(sys.argv[1], state_dir=sys.argv[2]) as workspace:
    preload(SimpleNamespace(is_idle=True), workspace, threading.Event(), idle_seconds=0)
    tools = workspace.offer()
    before = {*sys.modules}
    for name, arguments in (
        ("list_files", {}),
        ("read_content", {"path": "a.py"}),
        ("edit_content", {"path": "a.py", "edits": [{"search": "return 1", "replace": "return 2"}]}),
        ("get_history", {}),
        ("search_content", {"pattern": "return"}),
        ("get_overview", {"path": "a.py"}),
    ):
        assert not tools.call(name, arguments).is_error
needed = ("filewright.tools", "filewright.search", "filewright.structure", "pydantic", "sqlite3", "re2", "subprocess")
print(*(name for name in {*sys.modules} - before if name.startswith(needed)))
"""
    words = [sys.executable, "-c", code, str(tmp_path), str(tmp_path / "state")]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "\n"


@pytest.mark.extra
def test_stops_after_one_module(
    tmp_path: Path,
) -> None:
    """What ends the interpreter while an extension is loaded in a thread aborts the process."""
    from filewright.server.preloading import preload

    leave, asked = threading.Event(), list[int]()

    class Calls:
        @property
        def is_idle(self) -> bool:
            asked.append(1)
            if len(asked) == 3:
                leave.set()
            return True

    class Unprepared:
        def prepare(self) -> None:
            raise AssertionError("a process was started for nobody")

    preload(Calls(), Unprepared(), leave, idle_seconds=0)
    assert len(asked) == 3
