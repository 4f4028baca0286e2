"""The command `diff`."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from tests import processes

from filewright import Workspace

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a command over three changes."""
    root, state = tmp_path / "project", tmp_path / "state"
    root.mkdir()
    with Workspace(root, state_dir=state, client="claude-code 2") as workspace:
        workspace.write("a.txt", "one\ntwo\n")
        workspace.edit("a.txt", [{"search": "one", "replace": "1"}])
        workspace.write("d/b.txt", "other two\x1b\n")

    def start(*words: str) -> CompletedProcess[str]:
        environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(state)}
        return processes.run(
            [*processes.FILEWRIGHT, *words], cwd=root, env=environment
        )

    return start


def test_diff(run: Run) -> None:
    whole = run("diff", "last").stdout
    assert whole.splitlines()[0].endswith("and now (3 changes)")
    assert "+1\n" in whole
    assert "+one" not in whole
    part = run("diff", "@~2..@", "--path", "a.txt").stdout
    assert ("-one\n+1\n" in part, "b.txt" in part) == (True, False)
    stat = run("diff", "@~2..", "--stat").stdout
    assert "modified a.txt  +1 −1" in stat
    assert "created d/b.txt  +1 −0" in stat


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["@..@~1"], "is later than"),
        (["@..@"], "nothing was changed between"),
        (["nonsense..@"], "nonsense"),
        (["@~1..@", "--path", "a.txt"], "a.txt"),
    ],
    ids=["order", "empty", "unknown", "path"],
)
def test_refused(run: Run, words: list[str], message: str) -> None:
    done = run("diff", *words)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
