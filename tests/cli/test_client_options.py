"""Names of clients on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from filewright.cli.program import program


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
def test_knows_aliases(typed: str, meant: str, project: Path) -> None:
    def said(name: str) -> str:
        return CliRunner().invoke(program, ["config", name]).output

    assert said(typed) == said(meant)
    assert "filewright" in said(typed)


def test_refuses_unknown_client(
    project: Path,
) -> None:
    result = CliRunner().invoke(program, ["setup", "emacs", "--yes"])
    assert result.exit_code == 2
    assert "claude-code" in result.stderr
