"""The skill and the program `apply_patch` that `setup --shell` writes and removes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from filewright.cli.program import program

PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n"
SKILL = "skills/filewright/SKILL.md"


def setup(*arguments: str) -> Result:
    return CliRunner().invoke(program, ["setup", "--yes", *arguments])


@pytest.mark.skipif(os.name == "nt", reason="the program is a POSIX script")
def test_shim(project: Path, tmp_path: Path) -> None:
    folder = tmp_path / "home/bin"
    shim = folder / "apply_patch"
    result = setup("--shell", "--bin", str(folder))
    assert result.exit_code == 0, result.output
    assert f"put {folder} on PATH" in result.stderr
    assert os.access(shim, os.X_OK)
    (project / "a.txt").write_bytes(b"one\r\n")
    subprocess.run([shim], input=PATCH.encode(), check=True)
    assert (project / "a.txt").read_bytes() == b"1\r\n"
    assert "it exists already" in setup("--shell", "--bin", str(folder)).stdout
    result = setup("--shell", "--bin", str(folder), "--remove")
    assert result.exit_code == 0, result.output
    assert not shim.exists()


def test_shim_on_path(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home/.local/bin"
    result = setup("--shell")
    assert result.exit_code == 1
    assert "is not on PATH" in result.stderr
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    result = setup("--shell")
    assert (result.exit_code, result.stderr) == (0, "")
    assert (folder / "apply_patch").exists()


@pytest.mark.parametrize("remove", [[], ["--remove"]], ids=["add", "remove"])
def test_foreign_program(
    project: Path, tmp_path: Path, remove: list[str]
) -> None:
    shim = tmp_path / "apply_patch"
    shim.write_bytes(b"#!/bin/sh\n")
    result = setup("--shell", "--bin", str(tmp_path), *remove)
    assert result.exit_code == 1
    assert result.stderr.startswith("already_exists: ")
    assert shim.read_bytes() == b"#!/bin/sh\n"


@pytest.mark.parametrize(
    ("client", "scope", "path"),
    [
        pytest.param("claude-code", [], "home/.claude", id="claude-code"),
        pytest.param(
            "claude-code", ["--shared"], "project/.claude", id="shared"
        ),
        pytest.param("codex", ["--user"], "home/.agents", id="codex"),
    ],
)
def test_skill(
    project: Path, tmp_path: Path, client: str, scope: list[str], path: str
) -> None:
    skill = tmp_path / path / SKILL
    result = setup(client, "--shell", *scope)
    assert result.exit_code == 0, result.output
    assert len(skill.read_text("utf-8").splitlines()) <= 60
    files = [entry for entry in tmp_path.rglob("*") if entry.is_file()]
    assert files == [skill]
    result = setup(client, "--remove", *scope)
    assert result.exit_code == 0, result.output
    assert not (tmp_path / path).exists()


def test_foreign_skill(project: Path) -> None:
    skill = project / ".claude" / SKILL
    skill.parent.mkdir(parents=True)
    skill.write_bytes(b"my own filewright\n")
    assert setup("claude-code", "--shell", "--shared").exit_code == 1
    setup("claude-code", "--remove", "--shared")
    assert skill.read_bytes() == b"my own filewright\n"


def test_skill_options(project: Path) -> None:
    assert setup("claude-desktop", "--shell").exit_code == 2
    assert setup("codex", "--shell", "--bin", "x").exit_code == 2
    setup("claude-code", "--shared")
    assert not (project / ".claude" / SKILL).exists()


def test_removal_without_a_client_removes_shims(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / "home/.local/bin", tmp_path / "ours"]
    foreign = tmp_path / "theirs/apply_patch"
    foreign.parent.mkdir()
    foreign.write_bytes(b"\x7fELF\xff")
    for folder in [foreign.parent, *folders]:
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    for folder in folders:
        assert setup("--shell", "--bin", str(folder)).exit_code == 0
    result = setup("--remove")
    assert result.exit_code == 0, result.output
    assert [*tmp_path.rglob("apply_patch")] == [foreign]
