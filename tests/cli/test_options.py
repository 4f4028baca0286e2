"""Options that commands share, and their refusals."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from tests import processes

from filewright import Workspace
from filewright.cli.options import (
    ANY_PATH,
    combine_options,
    dry_run_option,
    report_refusals,
    setting_options,
    workspace_command,
    yes_option,
)
from filewright.errors import invalid
from filewright.hints import Hint


def test_names_wrong_setting(folder: Path) -> None:
    environment = {**os.environ, "FILEWRIGHT_PAGE_CHARS": "many"}
    result = processes.run(
        [*processes.FILEWRIGHT, "call", "list_files", "{}"], env=environment
    )
    assert result.returncode == 2
    assert "FILEWRIGHT_PAGE_CHARS" in result.stderr


def test_missing_root_is_two(folder: Path) -> None:
    result = processes.run(
        [*processes.FILEWRIGHT, "call", "list_files", "{}", "--root", "absent"]
    )
    assert result.returncode == 2
    assert "absent" in result.stderr


def shell(decorator: Any, words: list[str]) -> tuple[Result, dict[str, Any]]:
    """Run a command with these options; return the result and their values."""
    values: dict[str, Any] = {}

    @click.command()
    @decorator
    def command(**options: Any) -> None:
        values.update(options)

    return CliRunner().invoke(command, words), values


@pytest.mark.parametrize(
    ("words", "values"),
    [
        pytest.param([], {}, id="none"),
        pytest.param(["--read-only"], {"read_only": True}, id="flag"),
        pytest.param(
            ["--deny", "a", "--deny", "b"], {"deny": ("a", "b")}, id="patterns"
        ),
        pytest.param(["--state-dir", "x"], {"state_dir": "x"}, id="folder"),
        pytest.param(["--log-level", "info"], {"log_level": "info"}, id="word"),
    ],
)
def test_options_of_settings(words: list[str], values: dict[str, Any]) -> None:
    names = ("read_only", "deny", "state_dir", "log_level")
    defaults = {
        "read_only": None,
        "deny": (),
        "state_dir": None,
        "log_level": None,
    }
    result, parsed = shell(setting_options(*names), words)
    assert result.exit_code == 0, result.output
    assert parsed == {**defaults, **values}


def test_refuses_other_words() -> None:
    result, _ = shell(setting_options("log_level"), ["--log-level", "loud"])
    assert result.exit_code == 2
    assert "'loud' is not one of" in result.output


def test_keeps_the_order_of_options() -> None:
    result, _ = shell(combine_options(yes_option, dry_run_option), ["--help"])
    assert result.output.index("--yes") < result.output.index("--dry-run")


def test_reports_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    hint = Hint("give force=true", shell="give --force")
    with pytest.raises(SystemExit) as end, report_refusals(3):
        raise invalid("it changed", hint)
    assert end.value.code == 3
    assert capsys.readouterr().err == (
        "invalid_input: it changed\nhint: give --force\n"
    )


def test_workspace_of_a_command(folder: Path) -> None:
    @click.command()
    @setting_options("read_only")
    @workspace_command("read_only", status=4, allow_write=ANY_PATH)
    def command(workspace: Workspace) -> None:
        assert workspace.settings.allow_write == ANY_PATH
        workspace.write("b.txt", "x\n")

    allowed = CliRunner().invoke(command, ["--root", str(folder)])
    assert (allowed.exit_code, allowed.exception) == (0, None)
    assert (folder / "b.txt").exists()
    refused = CliRunner().invoke(command, ["--read-only"])
    assert refused.exit_code == 4
    assert "read_only: " in refused.stderr
