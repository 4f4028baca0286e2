"""A project of a person whose home, state and programs are folders of the test."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests import processes
from tests.cli.typed import FORTY_LINES, LINES, PROMPT, agent, run

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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a file."""
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("FILEWRIGHT_ROOTS", raising=False)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def sessions(folder: Path) -> Path:
    """Two sessions that have worked in one file, and what the first of them did besides."""
    (folder / "t.txt").write_text(LINES)

    def edit(session: str, line: int, new: str) -> None:
        edits = [{"search": f"line {line}\n", "replace": new}]
        given = json.dumps({"path": "t.txt", "edits": edits})
        assert (
            run(
                "call",
                "edit_content",
                given,
                "--session",
                session,
                "--actor",
                f"Agent {session}",
            ).exit_code
            == 0
        )

    edit("first", 3, "three\n")
    edit("second", 20, "twenty\nmore\n")
    edit("first", 5, "five\n")
    assert (
        run(
            "call",
            "write_content",
            '{"items": [{"path": "fresh.txt", "content": "n"}]}',
            "--session",
            "first",
        ).exit_code
        == 0
    )
    return folder / "t.txt"


@pytest.fixture
def root(empty_project: Path) -> Path:
    for name in ("a.txt", "b.txt"):
        (empty_project / name).write_text(FORTY_LINES)
    return empty_project


@pytest.fixture
def history(root: Path) -> Path:
    """An edit of three hunks, and a prompt that changes, creates and deletes a file."""
    with agent(root) as workspace:
        workspace.edit(
            "a.txt",
            [
                {"search": f"line {number}\n", "replace": f"{word}\n"}
                for number, word in ((1, "one"), (20, "twenty"), (40, "forty"))
            ],
        )
    with agent(root, "claude-code") as workspace:
        command = workspace.begin_command(command="make words")
        (root / "a.txt").write_text(
            (root / "a.txt").read_text().replace("line 9\n", "nine\n")
        )
        (root / "new.txt").write_text("new\n")
        (root / "b.txt").unlink()
        workspace.end_command(command, "make words", turn=PROMPT)
    return root
