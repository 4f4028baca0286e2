"""The command `blame`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests import processes, terminals

from filewright import Workspace

PROMPT = "Say the numbers in German, all of them, as they are said in Vienna"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "a.txt").write_text("one\ntwo\nthree\n" + "x" * 200 + "\n")
    with Workspace(
        root, state_dir=tmp_path / "state", client="claude-code 2.1"
    ) as workspace:
        identifier = workspace.begin_command()
        text = (root / "a.txt").read_text().replace("two", "zwei\nzwo\x1b")
        (root / "a.txt").write_text(text)
        workspace.end_command(identifier, "sed", turn=PROMPT)
    return root


def environment(folder: Path) -> dict[str, str]:
    state = str(folder.parent / "state")
    return {**os.environ, "FILEWRIGHT_STATE_DIR": state}


def run(folder: Path, *words: str) -> str:
    done = processes.run(
        [*processes.FILEWRIGHT, "blame", *words],
        cwd=folder,
        env=environment(folder),
    )
    assert (done.returncode, done.stderr) == (0, "")
    return str(done.stdout)


def test_piped(folder: Path) -> None:
    rows = run(folder, "a.txt").splitlines()
    assert len(rows) == 5
    assert rows[0].endswith("1  one")
    assert PROMPT in rows[1]
    assert "claude-code" in rows[1]
    assert rows[2].endswith("3  zwo\\x1b")
    assert "before the history" in rows[3]


def test_json(folder: Path) -> None:
    answer = json.loads(run(folder, "a.txt", "--json"))
    kinds = [group["kind"] for group in answer["groups"]]
    assert kinds == ["unknown", "change", "unknown"]
    group = answer["groups"][1]
    assert (group["first"], group["lines"]) == (2, ["zwei", "zwo\x1b"])
    assert (group["title"], group["author"]) == (PROMPT, "claude-code 2.1")


def test_in_a_terminal(folder: Path) -> None:
    session = terminals.run(
        "blame", "a.txt", cwd=folder, env=environment(folder)
    )
    assert session.status == 0
    rows = session.lines
    assert all(len(row) <= terminals.COLUMNS for row in rows)
    assert "Say the numbers" in rows[1]
    assert "claude-code" in rows[1]
    assert rows[2].strip() == "3  zwo\\x1b"
