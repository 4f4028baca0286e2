"""The configuration that `config` prints."""

from __future__ import annotations

from click.testing import CliRunner

from filewright.cli.program import program


def test_refuses_hooks() -> None:
    result = CliRunner().invoke(program, ["config", "continue", "--hooks"])
    assert result.exit_code == 2
    assert "claude-code" in result.stderr
