"""Undo of a change to a file that others have changed since, beside the same lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from filewright import Workspace
from filewright.errors import Code, FilewrightError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def undo_beside(
    folder: Path, before: str, edit: tuple[str, str], now: str
) -> str:
    """Replace the first line of a file, write what a person makes of it, and undo."""
    file = folder / "a.txt"
    file.write_text(before)
    with Workspace(folder, state_dir=folder.parent / "state") as workspace:
        lines = before.splitlines()
        lines[lines.index(edit[0])] = edit[1]
        file.write_text(before)
        workspace.write("a.txt", "\n".join(lines) + "\n", mode="overwrite")
        file.write_text(now)
        workspace.undo(workspace.newest() or "")
    return file.read_text()


@pytest.mark.parametrize(
    ("before", "edit", "now"),
    [
        pytest.param(
            "r = 3\nc()\nr = 3\ns()\nr = 3\ne()\n",
            ("r = 3", "r = 5"),
            "r = 3\nc()\nr = 5\ns()\nr = 3\ne()\n",
            id="moved-down",
        ),
        pytest.param(
            "x\n}\n}\nc\n",
            ("}", "r = 5"),
            "r = 5\n}\n}\nc\n",
            id="among-equal-lines",
        ),
    ],
)
def test_same_line_elsewhere_is_refused(
    folder: Path, before: str, edit: tuple[str, str], now: str
) -> None:
    """A person has undone the change where it was, and made it elsewhere."""
    with pytest.raises(FilewrightError) as caught:
        undo_beside(folder, before, edit, now)
    assert caught.value.code is Code.STALE_VERSION
    assert (folder / "a.txt").read_text() == now


def test_other_line_beside_is_kept(folder: Path) -> None:
    now = "new\nTWO\nthree\n"
    merged = undo_beside(folder, "two\nthree\n", ("two", "TWO"), now)
    assert merged == "new\ntwo\nthree\n"
