"""The demo: two agents' work in a scratch project, a first step, and nothing left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

terminals = pytest.importorskip("tests.terminals")

FILEWRIGHT = [sys.executable, "-m", "filewright"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a terminal without a browser, and a folder for the project."""
    (tmp_path / "tmp").mkdir()
    without = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "TERM": "dumb"}
    return {**os.environ, **without, "TMPDIR": str(tmp_path / "tmp")}


@pytest.mark.extra
def test_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    session = terminals.run("demo", keys=[("[y/N]", "y\n")], env=environment)
    assert session.status == 0, session.text
    assert "The guard put those bytes back" in session.text
    # Both clients are processes of the demo, and have sessions of their own.
    for client in ("claude-code", "gemini-cli"):
        assert sum(line.startswith(client) for line in session.lines) >= 1
    # In the preview and in `show`.
    assert session.text.count("self.lines.clear()") == 2
    assert [*(tmp_path / "tmp").iterdir()] == []


@pytest.mark.sweep
def test_no_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    process = subprocess.run(
        [*FILEWRIGHT, "demo"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert "A first step" in process.stdout
    assert [*(tmp_path / "tmp").iterdir()] == []
