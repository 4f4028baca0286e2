"""Options and errors of the commands that show or undo changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from filewright import Workspace
from filewright.cli.history_options import no_history


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    root = tmp_path / "root"
    root.mkdir()
    (root / "cart.py").write_text("x = 1\n")
    with Workspace(root, state_dir=tmp_path / "state") as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        pytest.param("car.py", "did you mean cart.py?", id="mistyped"),
        pytest.param(
            "cart.py",
            "no change of this file was recorded: filewright log lists the "
            "changes here",
            id="unchanged",
        ),
        pytest.param(
            "else.txt", "filewright log lists the changes here", id="unknown"
        ),
    ],
)
def test_path_without_history(
    workspace: Workspace, path: str, hint: str
) -> None:
    error = no_history(workspace, path)
    assert error.message == f"{path} has no history"
    assert error.hint == hint
