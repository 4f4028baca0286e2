"""Slash commands: their files, and commands of the user that have the same name."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from filewright.cli.program import program
from filewright.cli.setup.clients import CLIENTS
from filewright.cli.setup.launch import ServerOptions

REWIND = ".claude/commands/filewright-rewind.md"


def setup(*words: str) -> int:
    return CliRunner().invoke(program, ["setup", *words, "--yes"]).exit_code


@pytest.mark.parametrize("name", ["claude-code", "gemini", "qwen"])
def test_names_shell_commands(name: str) -> None:
    client = CLIENTS[name]
    path = client.shared["commands"].replace("$name", "filewright-rewind")
    text = client.build_command(ServerOptions(shared=True), path)
    assert "`filewright rewind TARGET --dry-run`" in text
    assert f"typed: {client.command_arguments}" in text


def test_toml() -> None:
    client = CLIENTS["gemini"]
    options = ServerOptions(shared=True)
    text = client.build_command(options, "a/filewright-review.toml")
    command = tomllib.loads(text)
    assert "    filewright review\n" in command["prompt"]
    assert "in the browser" in command["description"]


def test_foreign_command(empty_project: Path) -> None:
    file = empty_project / REWIND
    file.parent.mkdir(parents=True)
    file.write_text("my own\n")
    assert setup("claude-code", "--shared") == 1
    assert not (empty_project / ".mcp.json").exists()
    assert setup("claude-code", "--shared", "--no-commands") == 0
    assert setup("claude-code", "--shared", "--remove") == 0
    assert file.read_text() == "my own\n"


def test_removed_without_server(empty_project: Path) -> None:
    assert setup("gemini", "--shared") == 0
    (empty_project / ".gemini/settings.json").unlink()
    assert setup("--remove") == 0
    assert [*empty_project.iterdir()] == [empty_project / "GEMINI.md"]


def test_scopes_share_files(empty_project: Path) -> None:
    """Both of Claude Code's scopes of a user have the same folder of commands."""
    assert setup("claude-code") == 0
    assert setup("claude-code", "--user") == 0
    checked = CliRunner().invoke(program, ["setup", "--remove", "--dry-run"])
    assert checked.stdout.count(f"--- a/~/{REWIND}") == 1, checked.stdout
