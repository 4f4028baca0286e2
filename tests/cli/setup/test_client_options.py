"""Names of clients on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from filewright.cli.program import program
from filewright.cli.setup.client_options import CLIENT, server_options
from filewright.cli.setup.launch import ServerOptions


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *(
            ("gemini-cli", "gemini"),
            ("Gemini CLI", "gemini"),
            ("qwen-code", "qwen"),
            ("codex-cli", "codex"),
        ),
        *(
            ("claude", "claude-code"),
            ("Claude Desktop", "claude-desktop"),
            ("claude_code", "claude-code"),
        ),
        *(
            ("VS Code", "vscode"),
            ("vs-code", "vscode"),
            ("code", "vscode"),
            ("open-code", "opencode"),
        ),
    ],
)
def test_knows_aliases(typed: str, meant: str) -> None:
    assert CLIENT.convert(typed, None, None) == meant


def test_suggests_clients() -> None:
    with pytest.raises(click.BadParameter) as refusal:
        CLIENT.convert("cursr", None, None)
    assert refusal.value.message == (
        "there is no client 'cursr'; did you mean cursor?"
    )


def test_refuses_unknown_client(empty_project: Path) -> None:
    result = CliRunner().invoke(program, ["setup", "emacs", "--yes"])
    assert result.exit_code == 2
    assert "claude-code" in result.stderr


def test_options_are_those_of_the_server() -> None:
    options: dict[str, Any] = {}

    @click.command()
    @server_options
    def command(**values: Any) -> None:
        options.update(values)

    words = ["--root", "a", "--root", "b", "--read-only", "--dialect", "d"]
    result = CliRunner().invoke(command, words)
    assert result.exit_code == 0, result.output
    assert ServerOptions(**options) == ServerOptions(
        roots=("a", "b"), read_only=True, dialect="d"
    )
