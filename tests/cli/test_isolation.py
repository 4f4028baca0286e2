"""Protection from programs of the current folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from filewright.cli.isolation import (
    drop_current_folder_from_path,
    python_command,
)


def test_drops_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    (project / "bin").mkdir(parents=True)
    other.mkdir()
    entries = [".", "bin", "", str(project), str(project / "bin"), str(other)]
    monkeypatch.setenv("PATH", os.pathsep.join(entries))
    monkeypatch.chdir(project)
    drop_current_folder_from_path()
    assert os.environ["PATH"] == str(other)


def test_imports_nothing_of_the_current_folder() -> None:
    assert "-P" in python_command()
