"""A project of a person whose home, state and programs are folders of the test."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests import processes

PLACES = (
    "FILEWRIGHT_ROOTS",
    "CLAUDE_PROJECT_DIR",
    "XDG_CONFIG_HOME",
    "CODEX_HOME",
    "XDG_STATE_HOME",
)


@pytest.fixture
def empty_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, with an empty home beside it."""
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "home").mkdir()
    for name in ("HOME", "USERPROFILE", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    for name in PLACES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(
        "FILEWRIGHT_STATE_DIR", str(tmp_path.parent / f"{tmp_path.name}-state")
    )
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def project(
    empty_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The same for a person who has started an installed filewright."""
    programs = tmp_path.parent / f"{tmp_path.name}-programs"
    programs.mkdir()
    own = processes.program(programs)
    monkeypatch.setattr(sys, "argv", [str(own)])
    monkeypatch.setenv("PATH", f"{own.parent}{os.pathsep}{os.environ['PATH']}")
    return empty_project
