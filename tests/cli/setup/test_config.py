"""The configuration that `config` prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from filewright.cli.program import program
from filewright.cli.setup.clients import CLIENTS


def test_refuses_hooks() -> None:
    result = CliRunner().invoke(program, ["config", "continue", "--hooks"])
    assert result.exit_code == 2
    assert "claude-code" in result.stderr


@pytest.mark.parametrize(
    ("words", "path"),
    [
        pytest.param([], ".cursor/mcp.json or ", id="server"),
        pytest.param(["--hooks"], ".cursor/hooks.json or ", id="hooks"),
    ],
)
def test_names_files_on_standard_error(
    empty_project: Path, words: list[str], path: str
) -> None:
    result = CliRunner().invoke(program, ["config", "cursor", *words])
    assert result.exit_code == 0
    assert result.stderr.startswith(f"Cursor: {path}{Path.home()}")
    assert "filewright" in json.dumps(json.loads(result.stdout))


def test_prints_every_script(empty_project: Path) -> None:
    client = CLIENTS["cline"]
    result = CliRunner().invoke(program, ["config", "cline", "--hooks"])
    assert len(client.scripts) > 1
    assert result.stdout.count("#!/bin/sh") == len(client.scripts)
