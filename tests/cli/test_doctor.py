"""The verdict of `doctor`, and its findings as JSON."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests import processes
from tests.cli.typed import edit, run

from filewright.boundary.names import temporary_name
from filewright.cli.doctor import Finding, judge
from filewright.cli.program import program

GOOD = Finding("root", "/work", "good")
LIMIT = Finding("lease", "not on this system", "limit")
PROBLEM = Finding("left over", "a file", "problem")


@pytest.mark.parametrize(
    ("findings", "has_clients", "verdict"),
    [
        pytest.param([GOOD], True, "Everything works.", id="good"),
        pytest.param(
            [GOOD],
            False,
            "Everything works. No client is configured: filewright setup",
            id="no client",
        ),
        pytest.param(
            [GOOD, LIMIT],
            True,
            "Everything works, within limits: lease.",
            id="limit",
        ),
        pytest.param(
            [LIMIT, PROBLEM, PROBLEM],
            False,
            "Please look at: left over.",
            id="problem",
        ),
    ],
)
def test_judges(
    findings: list[Finding], has_clients: bool, verdict: str
) -> None:
    assert judge(findings, has_clients=has_clients) == verdict


def test_begins_with_the_verdict(empty_project: Path) -> None:
    result = CliRunner().invoke(program, ["doctor"])
    assert result.exit_code == 0
    first, blank, *rest = result.stdout.splitlines()
    assert first.startswith("Everything works")
    assert blank == ""
    assert len(rest) < 20
    printed = json.loads(
        CliRunner().invoke(program, ["doctor", "--json"]).stdout
    )
    assert printed["verdict"] == first
    assert printed["is_good"] is True
    assert {"label": "languages", "status": "good"}.items() <= next(
        finding
        for finding in printed["findings"]
        if finding["label"] == "languages"
    ).items()


def test_lists_findings(folder: Path) -> None:
    result = run("doctor")
    assert result.exit_code == 0, result.output
    for what in (
        "filewright",
        "platform",
        "beneath",
        "confine",
        "ripgrep",
        "languages",
        "state folder",
        "unfinished changes",
    ):
        assert what in result.stdout


def test_names_damage(folder: Path) -> None:
    assert edit("one", "1").exit_code == 0
    state = next((folder.parent / "state").glob("*/state.db"))
    with contextlib.closing(sqlite3.connect(state)) as database, database:
        database.execute("UPDATE operations SET summary = 'other words'")
    (folder / temporary_name().decode()).write_text("left")
    result = run("doctor")
    assert result.exit_code == 0
    assert "the record of the change" in result.stdout
    assert "is damaged" in result.stdout
    assert "unfinished changes" in result.stdout
    assert "no unfinished change names them" in result.stdout
    refused = run("doctor", "--leave", "1hv000000000a")
    assert refused.exit_code == 1
    assert "is not waiting for a decision" in refused.stderr


def test_writes_before_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert edit("one", "1").exit_code == 0
    monkeypatch.setenv("FILEWRIGHT_READ_ONLY", "1")
    result = run("doctor")
    assert "log of changes      sound" in result.stdout
    assert "not checked" in result.stdout


def test_finds_second_history(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert edit("one", "1").exit_code == 0
    assert "second history" not in run("doctor").stdout
    elsewhere = folder.parent / "elsewhere"
    monkeypatch.delenv("FILEWRIGHT_STATE_DIR")
    monkeypatch.setenv("XDG_STATE_HOME", str(elsewhere))
    monkeypatch.setenv("HOME", str(folder.parent / "home"))
    assert edit("two", "2").exit_code == 0
    monkeypatch.setenv("FILEWRIGHT_STATE_DIR", str(folder.parent / "state"))
    found = run("doctor").stdout
    assert f"{elsewhere}/filewright has 1 change of these roots" in found


def test_finds_state_folder_of_client(folder: Path) -> None:
    own = folder.parent / "own state"
    environment = {**os.environ, "FILEWRIGHT_STATE_DIR": str(own)}
    change = '{"path": "a.txt", "edits": [{"search": "one", "replace": "1"}]}'
    assert (
        processes.run(
            [*processes.FILEWRIGHT, "call", "edit_content", change],
            env=environment,
        ).returncode
        == 0
    )
    server = {
        "command": "filewright",
        "args": ["serve", ".", "--state-dir", str(own)],
    }
    (folder / ".mcp.json").write_text(
        json.dumps({"mcpServers": {"filewright": server}})
    )
    assert f"{own} has 1 change of these roots" in run("doctor").stdout
